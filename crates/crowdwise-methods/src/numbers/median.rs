use super::mean::CAPABILITIES;
use super::{Centre, POOLING, estimate, variance};
use crowdwise_core::{
    Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Situation, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The middle value of each item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Median {
    /// How many labels' worth of the pooled variance is mixed into an item's own variance for its standard error: 0 =
    /// the textbook one (unknown from one label, zero where all agree), large = the same noise for all items. Likewise
    /// for annotators.
    pub pooling: f64,
}

impl Default for Median {
    fn default() -> Self {
        Median { pooling: POOLING }
    }
}

impl Method for Median {
    const INFO: MethodInfo = MethodInfo {
        id: "median",
        name: "Median",
        summary: "The median of the values of each item; not affected by a few wild values.",
        doc: include_str!("median.md"),
        aliases: &["reg-median"],
        accepts: &[LabelKind::Real],
        capabilities: CAPABILITIES,
        references: &[
            Reference { text: "F. Galton. Vox populi. Nature 75, 1907.", doi: Some("10.1038/075450a0") },
            Reference {
                text: "P. J. Huber. Robust estimation of a location parameter. Annals of Mathematical Statistics 35(1), 1964.",
                doi: Some("10.1214/aoms/1177703732"),
            },
        ],
        status: Status::Stable,
        compared: &[Situation::Values],
        ..MethodInfo::of(Family::Real)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("pooling", self.pooling, 0.0);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        estimate(data, cx, self.pooling, centre)
    }
}

/// Median of sorted values with its standard error under normal noise.
pub(super) fn centre(x: &[f64]) -> Centre {
    Centre { value: middle(x), variance: variance(x), factor: (loss(x.len()) / x.len() as f64).sqrt() }
}

/// Middle of sorted values.
fn middle(x: &[f64]) -> f64 {
    0.5 * x[(x.len() - 1) / 2] + 0.5 * x[x.len() / 2]
}

/// Variance of the median over that of the mean for n values with normal noise: from the distribution of the middle
/// values up to 10, beyond by a fit to it within 0.1 %; π/2 in the limit.
pub(crate) fn loss(n: usize) -> f64 {
    const EXACT: [f64; 10] = [1.0, 1.0, 1.34601, 1.1928, 1.43417, 1.28846, 1.47313, 1.34545, 1.49491, 1.38326];
    EXACT.get(n - 1).copied().unwrap_or_else(|| {
        let size = n as f64;
        let below = if n % 2 == 1 { 0.433 } else { 1.43 - 2.5 / size };
        std::f64::consts::FRAC_PI_2 * (1.0 - below / size)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_even_numbers_is_the_mean_of_two() {
        assert_eq!(middle(&[3.0]), 3.0);
        assert_eq!(middle(&[1.0, 2.0]), 1.5);
        assert_eq!(middle(&[1.0, 2.0, 9.0]), 2.0);
        assert_eq!(middle(&[1.0, 2.0, 4.0, 900.0]), 3.0);
        assert_eq!(middle(&[f64::MAX, f64::MAX]), f64::MAX);
    }

    #[test]
    fn the_price_of_robustness_is_that_of_normal_noise() {
        // n times the variance of the median of n standard normal values, by numerical integration
        for (n, want) in [(11, 1.50879), (12, 1.41019), (20, 1.46874), (21, 1.53845), (50, 1.52764), (101, 1.56411)] {
            assert!((loss(n) / want - 1.0).abs() < 1e-3, "{n}: {}", loss(n));
        }
    }
}
