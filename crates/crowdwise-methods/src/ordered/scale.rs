//! The scale that all annotators share: thresholds between classes, and the normal distribution.

use special::Error;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Φ, the normal distribution function.
pub(super) fn normal_cdf(x: f64) -> f64 {
    0.5 * Error::compl_error(-x * FRAC_1_SQRT_2)
}

/// φ, its density.
pub(super) fn normal_pdf(x: f64) -> f64 {
    crate::fast::exp(-0.5 * x * x) / (2.0 * PI).sqrt()
}

/// Its quantile.
pub(super) fn normal_quantile(p: f64) -> f64 {
    std::f64::consts::SQRT_2 * Error::inv_error(2.0 * p - 1.0)
}

/// What an annotator does with a position: `bias` moves it, `noise` blurs it, and a share of labels is a slip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub bias: f64,
    pub noise: f64,
}

/// Thresholds from their mean and the logarithms of the gaps between them. Reversing the classes reverses the gaps and
/// turns the sign of the mean, so that neither end is special.
pub(super) fn thresholds(mean: f64, log_gaps: &[f64]) -> Vec<f64> {
    let mut out = Vec::with_capacity(log_gaps.len() + 1);
    out.push(0.0);
    for g in log_gaps {
        out.push(out[out.len() - 1] + g.exp());
    }
    let shift = mean - out.iter().sum::<f64>() / out.len() as f64;
    out.iter_mut().for_each(|t| *t += shift);
    out
}

/// Lower and upper end of class `k` among `tau`.
pub(super) fn ends(tau: &[f64], k: usize) -> (f64, f64) {
    let low = if k == 0 { f64::NEG_INFINITY } else { tau[k - 1] };
    let high = if k == tau.len() { f64::INFINITY } else { tau[k] };
    (low, high)
}

/// P(label l | position z) of an annotator.
pub(super) fn probability(r: Reading, tau: &[f64], slip: f64, z: f64, l: usize) -> f64 {
    let (low, high) = ends(tau, l);
    let at = |t: f64| normal_cdf((t - z - r.bias) / r.noise);
    (1.0 - slip) * (at(high) - at(low)).max(0.0) + slip / (tau.len() + 1) as f64
}

/// Mean position of the items of each class, if positions are normal.
pub(super) fn centres(tau: &[f64]) -> Vec<f64> {
    (0..=tau.len())
        .map(|k| {
            let (low, high) = ends(tau, k);
            let mass = (normal_cdf(high) - normal_cdf(low)).max(1e-9);
            let density = |t: f64| if t.is_finite() { normal_pdf(t) } else { 0.0 };
            let centre = (density(low) - density(high)) / mass;
            // an empty class far out: rounding must not move its centre outside
            centre.clamp(low.max(-8.0).min(high), high.min(8.0).max(low))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_distribution() {
        assert!((normal_cdf(1.0) - 0.841_344_746_068_542_9).abs() < 1e-15);
        assert!((normal_cdf(-6.0) / 9.865_876_450_376_946e-10 - 1.0).abs() < 1e-12);
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-12);
        assert!((normal_pdf(0.5) - 0.352_065_326_764_299_5).abs() < 1e-15);
    }

    #[test]
    fn reversed_gaps_give_mirrored_thresholds() {
        let a = thresholds(0.3, &[-0.2, 0.5, 0.1]);
        let b = thresholds(-0.3, &[0.1, 0.5, -0.2]);
        a.iter().zip(b.iter().rev()).for_each(|(x, y)| assert!((x + y).abs() < 1e-14));
    }

    #[test]
    fn centres_lie_in_their_classes() {
        // mean of the upper half of a normal distribution: sqrt(2 / pi)
        let c = centres(&[0.0]);
        assert!((c[1] - (2.0 / PI).sqrt()).abs() < 1e-12 && (c[0] + c[1]).abs() < 1e-12);
        let tau = [-1.2, -0.3, 0.4, 1.3];
        for (k, c) in centres(&tau).iter().enumerate() {
            let (low, high) = ends(&tau, k);
            assert!(low < *c && *c < high);
        }
        let far = centres(&[-9.0, -8.9, 0.0]);
        assert!(far.iter().all(|c| c.is_finite()) && far[1] <= -8.0, "{far:?}");
    }
}
