//! Special functions, tails and quantiles of distributions, over the `special` crate.

use crate::search::bisect;
use special::{Beta, Error as _, Gamma};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// ψ(x), the logarithmic derivative of Γ. It is climbed to from below one step at a time, so that far below 0 it is NaN.
pub fn digamma(x: f64) -> f64 {
    if x < -1000.0 { f64::NAN } else { Gamma::digamma(x) }
}

/// ψ'(x) for x > 0: climbed by its recurrence to where its asymptotic series is right to 1e-14.
pub fn trigamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 20.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = 1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y * (1.0 / 30.0 - y * 5.0 / 66.0)));
    sum + 1.0 / x + 0.5 * y + y / x * series
}

/// Shapes of a Beta distribution from which it is as good as normal, and summing its series would take for ever.
const NORMAL_FROM: f64 = 1e9;

/// ln Γ(x) for x > 0.
pub fn ln_gamma(x: f64) -> f64 {
    Gamma::ln_gamma(x).0
}

/// ln B(a, b) for a, b > 0.
pub fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// Φ, the standard normal distribution function.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * (-x * FRAC_1_SQRT_2).compl_error()
}

/// The value below which a share `p` of the standard normal distribution lies.
pub fn normal_quantile(p: f64) -> f64 {
    SQRT_2 * (2.0 * p - 1.0).inv_error()
}

/// How many standard deviations from the mean the central interval reaches that holds a share `level` of the normal
/// distribution.
pub fn normal_reach(level: f64) -> f64 {
    SQRT_2 * level.inv_error()
}

/// The `p` quantile of Beta(a, b): Newton's steps on the regularised incomplete beta function from a normal
/// approximation, halving the interval where a step would leave it.
///
/// NaN for what is no Beta distribution or no probability: the incomplete beta function would never end on it.
pub fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let shape = |x: f64| x.is_finite() && x > 0.0;
    if !(shape(a) && shape(b) && (0.0..=1.0).contains(&p)) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return p;
    }
    let mean = a / (a + b);
    let sd = (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
    if a + b > NORMAL_FROM {
        return (mean + sd * normal_quantile(p)).clamp(0.0, 1.0);
    }
    let ln_beta = ln_beta(a, b);
    let (mut low, mut high) = (0.0f64, 1.0f64);
    // the logistic distribution's quantile, scaled to look normal: only a start
    let mut x = mean + sd * (p / (1.0 - p)).ln() / 1.7;
    for _ in 0..200 {
        if !(low < x && x < high) {
            x = 0.5 * (low + high);
        }
        let miss = x.inc_beta(a, b, ln_beta) - p;
        if miss < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let density = ((a - 1.0) * x.ln() + (b - 1.0) * (-x).ln_1p() - ln_beta).exp();
        let step = miss / density;
        // relative to the nearer end; a flat density gives no usable step
        if step.abs() <= 1e-13 * x.min(1.0 - x) || high - low <= f64::EPSILON * x {
            return (x - step).clamp(low, high);
        }
        x -= step;
    }
    x.clamp(low, high)
}

/// P(X ≥ `hits`) for X from a binomial distribution; both counts may be expected ones, between whole numbers.
///
/// NaN where one of them is no finite number.
pub fn binomial_tail(hits: f64, n: f64, p: f64) -> f64 {
    if !(hits.is_finite() && n.is_finite() && p.is_finite()) {
        return f64::NAN;
    }
    if hits <= 0.0 || p >= 1.0 {
        return 1.0;
    }
    if hits > n || p <= 0.0 {
        return 0.0;
    }
    if n > NORMAL_FROM {
        let z = (hits - 0.5 - n * p) / (n * p * (1.0 - p)).sqrt();
        return normal_cdf(-z);
    }
    let (a, b) = (hits, n - hits + 1.0);
    p.inc_beta(a, b, ln_beta(a, b)).clamp(0.0, 1.0)
}

/// P(T ≥ `t`) for Student's t with `df` degrees of freedom.
pub fn student_tail(t: f64, df: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - student_tail(-t, df);
    }
    let (a, b) = (df / 2.0, 0.5);
    let x = df / (df + t * t);
    (0.5 * x.inc_beta(a, b, ln_beta(a, b))).clamp(0.0, 1.0)
}

/// Above this many degrees of freedom the normal approximation of the cube root is right to 1e-6, relatively.
const MANY: f64 = 2000.0;

/// The value below which a share `p` of the chi-square distribution with `n` degrees of freedom lies.
pub fn chi_square_quantile(p: f64, n: f64) -> f64 {
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
    bisect(low, high, 200, below)
}

/// Turns scores into probabilities in place; returns the logarithm of their sum.
pub fn softmax(x: &mut [f64]) -> f64 {
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if max == f64::NEG_INFINITY {
        x.fill(1.0 / x.len() as f64);
        return f64::NEG_INFINITY;
    }
    let mut sum = 0.0;
    for v in x.iter_mut() {
        *v = (*v - max).exp();
        sum += *v;
    }
    x.iter_mut().for_each(|v| *v /= sum);
    max + sum.ln()
}

/// Divides by the sum, in place.
pub fn normalise(row: &mut [f64]) {
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|x| *x /= sum);
}

/// σ(x) = 1 / (1 + e^-x).
#[inline]
pub fn logistic(x: f64) -> f64 {
    logistic_both(x).0
}

/// σ(x) and σ(-x) from one exponential, without overflow.
#[inline]
pub fn logistic_both(x: f64) -> (f64, f64) {
    let e = (-x.abs()).exp();
    let (large, small) = (1.0 / (1.0 + e), e / (1.0 + e));
    if x >= 0.0 { (large, small) } else { (small, large) }
}

/// ln(1 + e^x) without overflow.
#[inline]
pub fn soft_plus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_functions_match_known_values() {
        // digamma(1) = -γ, ln Γ(0.5) = ln √π
        assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-14);
        assert!((ln_gamma(0.5) - 0.572_364_942_924_700_1).abs() < 1e-14);
        // Beta(1, 1) is uniform; Beta(2, 1) has quantile sqrt(p); Beta(3,5) by scipy.stats.beta.ppf(0.05, 3, 5)
        assert!((beta_quantile(1.0, 1.0, 0.3) - 0.3).abs() < 1e-12);
        assert!((beta_quantile(2.0, 1.0, 0.25) - 0.5).abs() < 1e-12);
        assert!((beta_quantile(3.0, 5.0, 0.05) - 0.128_757_2).abs() < 1e-6);
    }

    #[test]
    fn beta_quantiles_are_those_of_bisection() {
        let bisect = |a: f64, b: f64, p: f64| {
            let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
            let (mut low, mut high) = (0.0f64, 1.0f64);
            for _ in 0..60 {
                let mid = 0.5 * (low + high);
                if mid.inc_beta(a, b, ln_beta) < p {
                    low = mid;
                } else {
                    high = mid;
                }
            }
            0.5 * (low + high)
        };
        let shapes = [0.5, 0.7, 1.0, 1.5, 4.5, 30.5, 700.5, 1e5 + 0.5];
        for a in shapes {
            for b in shapes {
                for p in [0.001, 0.05, 0.5, 0.95, 0.999] {
                    let (x, want) = (beta_quantile(a, b, p), bisect(a, b, p));
                    assert!((x - want).abs() < 1e-10, "Beta({a}, {b}) at {p}: {x}, not {want}");
                }
            }
        }
    }

    #[test]
    fn binomial_tails_are_sums() {
        // P(X >= 3), n = 5, p = 0.3: 10 p^3 q^2 + 5 p^4 q + p^5
        assert!((binomial_tail(3.0, 5.0, 0.3) - 0.16308).abs() < 1e-12);
        assert!((binomial_tail(1.0, 10.0, 0.2) - (1.0 - 0.8f64.powi(10))).abs() < 1e-12);
        assert_eq!((binomial_tail(0.0, 4.0, 0.5), binomial_tail(5.0, 4.0, 0.5)), (1.0, 0.0));
        assert!(binomial_tail(2.5, 5.0, 0.3) > binomial_tail(3.0, 5.0, 0.3));
    }

    #[test]
    fn tails_of_student_are_those_of_tables() {
        assert!((student_tail(1.729, 19.0) - 0.05).abs() < 1e-4 && (student_tail(3.579, 19.0) - 0.001).abs() < 1e-5);
        assert!((student_tail(0.0, 7.0) - 0.5).abs() < 1e-12 && (student_tail(-1.729, 19.0) - 0.95).abs() < 1e-4);
    }

    #[test]
    fn softmax_survives_extremes() {
        let mut x = [-1e4, -1e4 + 2f64.ln(), f64::NEG_INFINITY];
        let z = softmax(&mut x);
        assert!((x[0] - 1.0 / 3.0).abs() < 1e-12 && x[2] == 0.0);
        assert!((z - (-1e4 + 3f64.ln())).abs() < 1e-9);
    }

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

    #[test]
    fn normal_distribution() {
        // scipy.stats.norm.cdf
        assert!((normal_cdf(1.0) - 0.841_344_746_068_542_9).abs() < 1e-15);
        assert!((normal_cdf(-6.0) / 9.865_876_450_376_946e-10 - 1.0).abs() < 1e-12);
        assert!((normal_reach(0.95) + normal_quantile(0.025)).abs() < 1e-12);
    }

    #[test]
    fn the_second_derivative_of_ln_gamma() {
        // π²/2, π²/6, and by the recurrence from the first
        for (x, want) in
            [(0.5, 4.934_802_200_544_679), (1.0, 1.644_934_066_848_226_4), (37.5, 0.027_025_382_266_785_01)]
        {
            assert!((trigamma(x) / want - 1.0).abs() < 1e-13, "{x}: {}", trigamma(x));
        }
    }

    #[test]
    fn logistic_survives_extremes() {
        assert_eq!([logistic(0.0), logistic(-1e4), logistic(1e4)], [0.5, 0.0, 1.0]);
        let (p, q) = logistic_both(-40.0);
        assert!((p / (-40f64).exp() - 1.0).abs() < 1e-12 && q == 1.0);
        assert!((soft_plus(0.3) - (1.0 + 0.3f64.exp()).ln()).abs() < 1e-15);
        assert_eq!([soft_plus(1e4), soft_plus(-1e4)], [1e4, 0.0]);
    }
}
