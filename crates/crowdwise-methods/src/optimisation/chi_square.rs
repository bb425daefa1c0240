//! Quantiles of the chi-square distribution.

use special::Gamma;

/// Above this many degrees of freedom the normal approximation of the cube root is right to 1e-6, relatively.
const MANY: f64 = 2000.0;

/// The value below which a share `p` of the chi-square distribution with `n` degrees of freedom lies.
pub(super) fn chi_square_quantile(p: f64, n: f64) -> f64 {
    if n.is_nan() || n <= 0.0 {
        return 0.0;
    }
    let spread = 2.0 / (9.0 * n);
    let near = n * (1.0 - spread + normal_quantile(p) * spread.sqrt()).max(0.0).powi(3);
    if n > MANY {
        return near;
    }
    // P(X <= x) rises from 0 to 1: widen until the quantile is inside, then halve
    let below = |x: f64| (0.5 * x).inc_gamma(0.5 * n) < p;
    let (mut low, mut high) = (0.0, near.max(1e-3));
    while below(high) {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let mid = 0.5 * (low + high);
        if mid <= low || mid >= high {
            break;
        }
        if below(mid) {
            low = mid;
        } else {
            high = mid;
        }
    }
    0.5 * (low + high)
}

/// The value below which a share `p` of the standard normal distribution lies, by halving.
fn normal_quantile(p: f64) -> f64 {
    // P(|Z| <= z) is the incomplete gamma function of z²/2 with shape 1/2
    let share = |z: f64| 0.5 + 0.5 * (0.5 * z * z).inc_gamma(0.5);
    let goal = p.max(1.0 - p);
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let mid = 0.5 * (low + high);
        if share(mid) < goal {
            low = mid;
        } else {
            high = mid;
        }
    }
    if p < 0.5 { -low } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy.stats.chi2.ppf, scipy.stats.norm.ppf
    #[test]
    fn known_quantiles() {
        for (p, n, want) in [
            (0.025, 1.0, 0.000_982_069_117_175_256),
            (0.025, 2.0, 0.050_635_615_968_579_75),
            (0.025, 10.0, 3.246_972_780_236_841),
            (0.025, 100.0, 74.221_927_474_923_73),
            (0.5, 3.0, 2.365_973_884_375_337_4),
            (0.95, 7.0, 14.067_140_449_340_167),
            (0.025, 2000.0, 1_877.946_036_8),
            (0.025, 1e4, 9_724.718_377_4),
            (0.005, 1e6, 996_360.983_9),
        ] {
            let have = chi_square_quantile(p, n);
            assert!((have / want - 1.0).abs() < 1e-6, "{p}, {n}: {have}, want {want}");
        }
        assert!((normal_quantile(0.025) + 1.959_963_984_540_054).abs() < 1e-12);
        assert!((normal_quantile(0.9) - 1.281_551_565_544_600_4).abs() < 1e-12);
        assert_eq!(chi_square_quantile(0.025, 0.0), 0.0);
    }
}
