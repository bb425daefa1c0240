//! Does this crowd share errors? Two worlds, and how likely the second one is.

use super::dispersion::Dispersion;
use crowdwise_numerics::normal_cdf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How errors of annotators on one item are related, once its class is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Errors {
    /// Let the labels tell: weigh both worlds by how much more than the classes explain the labels of an item agree.
    Estimate,
    /// Annotators err independently, as in a simulation.
    Independent,
    /// Some items mislead everybody, as in most real crowds.
    Shared,
}

/// Correlation of errors beyond what the model produces by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Excess {
    pub correlation: f64,
    pub error: f64,
}

/// How likely shared errors are before the labels are seen. Nearly all real crowds share errors and no simulated one does
/// unless asked; odds of two to one leave the labels the last word in both worlds (what other priors cost is in
/// benches/TRUST.md).
pub(crate) const PRIOR: f64 = 2.0 / 3.0;
/// Mean excess of a crowd that shares errors …
const USUAL: f64 = 0.06;
/// … which follows a Gamma distribution of shape 2: a crowd that shares errors shows it, so that an excess of nearly nothing
/// speaks for independence. Real crowds have mean 0.064 and shape 1.4 to 1.75, whichever of them is left out.
const SCALE: f64 = USUAL / 2.0;

impl Excess {
    pub(super) fn of(here: &Dispersion, rehearsed: &Dispersion) -> Excess {
        Excess {
            correlation: here.correlation - rehearsed.correlation,
            error: here.error.hypot(rehearsed.error).max(1e-6),
        }
    }

    /// Density of the excess if errors are shared over that if they are independent, and the probability that follows.
    fn weight(&self, prior: f64) -> f64 {
        if !self.error.is_finite() || prior <= 0.0 || prior >= 1.0 {
            return prior;
        }
        let (x, se) = (self.correlation, self.error);
        // a Gamma variable plus a normal one
        let z = (x - se * se / SCALE) / se;
        let shared = se * se / (2.0 * SCALE * SCALE) - x / SCALE + se.ln() + ln_mean_above(z) - 2.0 * SCALE.ln();
        let alone = -0.5 * (x / se).powi(2) - (se * (2.0 * std::f64::consts::PI).sqrt()).ln();
        1.0 / (1.0 + (alone - shared + ((1.0 - prior) / prior).ln()).exp())
    }
}

/// ln E[max(0, z + normal variable)].
fn ln_mean_above(z: f64) -> f64 {
    let ln_density = -0.5 * z * z - 0.5 * (2.0 * std::f64::consts::PI).ln();
    if z < -5.0 {
        // the series of the tail: the two terms below cancel
        let s = z.powi(-2);
        ln_density + s.ln() + (s * (-3.0 + s * (15.0 - 105.0 * s))).ln_1p()
    } else {
        (z * normal_cdf(z) + ln_density.exp()).ln()
    }
}

impl Errors {
    /// The probability of shared errors; `prior` is that before the labels are seen.
    pub(super) fn weight(self, prior: f64, excess: &Excess) -> f64 {
        match self {
            Errors::Estimate => excess.weight(prior),
            Errors::Independent => 0.0,
            Errors::Shared => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excess_decides_between_the_worlds() {
        let w = |correlation, error| Excess { correlation, error }.weight(PRIOR);
        // nothing to see and a sharp look: independent; five standard errors: shared
        assert!(w(0.0, 0.005) < 0.06, "{}", w(0.0, 0.005));
        assert!(w(0.05, 0.01) > 0.99, "{}", w(0.05, 0.01));
        // far below nothing, where the two terms of the tail cancel
        assert!(w(-0.1, 0.012) < 0.01 && w(-0.1, 0.012) > 0.0, "{}", w(-0.1, 0.012));
        // nobody can tell: the prior stays
        assert!((w(0.0, f64::INFINITY) - PRIOR).abs() < 1e-12);
        assert!((w(0.05, 10.0) - PRIOR).abs() < 0.02, "{}", w(0.05, 10.0));
        // rises with the excess, by numerical integration of the same two densities
        let mut last = 0.0;
        for x in -10..10 {
            let x = 0.01 * f64::from(x);
            let se = 0.012;
            let step = 1e-4;
            let normal = |d: f64| (-0.5 * (d / se).powi(2)).exp() / (se * (2.0 * std::f64::consts::PI).sqrt());
            let shared: f64 = (0..20_000)
                .map(|i| (f64::from(i) + 0.5) * step)
                .map(|r| normal(x - r) * r / SCALE * (-r / SCALE).exp() / SCALE * step)
                .sum();
            let want = PRIOR * shared / (PRIOR * shared + (1.0 - PRIOR) * normal(x));
            assert!((w(x, se) - want).abs() < 1e-3 && (w(x, se) / want - 1.0).abs() < 0.01, "{x}: {} {want}", w(x, se));
            assert!(w(x, se) >= last);
            last = w(x, se);
        }
    }

    #[test]
    fn the_prior_multiplies_the_odds_and_its_ends_leave_the_labels_no_say() {
        let e = Excess { correlation: 0.02, error: 0.012 };
        let odds = |prior: f64| e.weight(prior) / (1.0 - e.weight(prior));
        // odds of 1/3 and of 3: nine times as likely
        assert!((odds(0.75) / odds(0.25) - 9.0).abs() < 1e-9, "{} {}", odds(0.75), odds(0.25));
        assert_eq!((e.weight(0.0), e.weight(1.0)), (0.0, 1.0));
        assert_eq!(Errors::Shared.weight(0.1, &e), 1.0);
        assert_eq!(Errors::Independent.weight(0.9, &e), 0.0);
    }
}
