//! Small numerical helpers that several methods and questions share.

use special::{Beta, Error as _, Gamma};

/// ψ(x), the logarithmic derivative of Γ. It is climbed to from below one step at a time, so that far below 0 it is NaN.
pub fn digamma(x: f64) -> f64 {
    if x < -1000.0 { f64::NAN } else { Gamma::digamma(x) }
}

/// Shapes of a Beta distribution from which it is as good as normal, and summing its series would take for ever.
const NORMAL_FROM: f64 = 1e9;

/// ln Γ(x) for x > 0.
pub fn ln_gamma(x: f64) -> f64 {
    Gamma::ln_gamma(x).0
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
        return (mean + sd * std::f64::consts::SQRT_2 * (2.0 * p - 1.0).inv_error()).clamp(0.0, 1.0);
    }
    let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
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
        return 0.5 * (z / std::f64::consts::SQRT_2).compl_error();
    }
    let (a, b) = (hits, n - hits + 1.0);
    p.inc_beta(a, b, ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)).clamp(0.0, 1.0)
}

/// P(T ≥ `t`) for Student's t with `df` degrees of freedom.
pub fn student_tail(t: f64, df: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - student_tail(-t, df);
    }
    let (a, b) = (df / 2.0, 0.5);
    let x = df / (df + t * t);
    (0.5 * x.inc_beta(a, b, ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b))).clamp(0.0, 1.0)
}

/// The level of every interval unless another is asked for: one interval of ten misses.
pub const LEVEL: f64 = 0.9;

/// Central interval of a rate from `hits` of `n` (both may be expected counts) at [`LEVEL`].
pub fn rate_interval(hits: f64, n: f64) -> [f64; 2] {
    rate_interval_at(hits, n, LEVEL)
}

/// The same at any level: Jeffreys' prior, with the ends opened at 0 and 1 as Brown, Cai and DasGupta (2001) advise. NaN
/// where a count is no finite number.
pub fn rate_interval_at(hits: f64, n: f64, level: f64) -> [f64; 2] {
    if !(hits.is_finite() && n.is_finite()) {
        return [f64::NAN; 2];
    }
    let (a, b) = (hits + 0.5, (n - hits).max(0.0) + 0.5);
    let low = if hits <= 1e-9 { 0.0 } else { beta_quantile(a, b, 0.5 - 0.5 * level) };
    let high = if n - hits <= 1e-9 { 1.0 } else { beta_quantile(a, b, 0.5 + 0.5 * level) };
    // a rate next to 0 or 1 may lie outside of the equal tails
    let rate = (hits / n).clamp(0.0, 1.0);
    if rate.is_nan() { [low, high] } else { [low.min(rate), high.max(rate)] }
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

/// The class of a posterior row: the largest probability, the first of those that are tied.
pub fn argmax(row: &[f64]) -> usize {
    let best = max(row);
    row.iter().position(|&p| tied(p, best)).unwrap_or(0)
}

/// How many classes share the largest probability of a row.
pub fn n_tied(row: &[f64]) -> usize {
    let best = max(row);
    row.iter().filter(|&&p| tied(p, best)).count()
}

/// Whether a probability counts as equal to the best one: within 1e-9 of it, relatively.
pub fn tied(p: f64, best: f64) -> bool {
    best - p <= 1e-9 * best.abs()
}

fn max(row: &[f64]) -> f64 {
    row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Entropy in bits.
pub fn entropy_bits(p: &[f64]) -> f64 {
    -p.iter().filter(|&&x| x > 0.0).map(|x| x * x.log2()).sum::<f64>()
}

/// Mutual information in bits between truth (prior) and label (confusion, row = truth).
pub fn information_bits(prior: &[f64], confusion: &[f64]) -> f64 {
    let k = prior.len();
    let mut marginal = vec![0.0; k];
    for t in 0..k {
        for l in 0..k {
            marginal[l] += prior[t] * confusion[t * k + l];
        }
    }
    let conditional: f64 = (0..k).map(|t| prior[t] * entropy_bits(&confusion[t * k..(t + 1) * k])).sum();
    (entropy_bits(&marginal) - conditional).max(0.0)
}

/// Singular values of a K x K matrix, largest first, by one-sided Jacobi rotations: columns are turned against each other
/// until all are orthogonal; their lengths are the values.
pub fn singular_values(matrix: &[f64], k: usize) -> Vec<f64> {
    // by columns
    let mut a: Vec<f64> = (0..k * k).map(|x| matrix[(x % k) * k + x / k]).collect();
    for _ in 0..60 {
        let mut turned = false;
        for p in 0..k {
            for q in p + 1..k {
                let (left, right) = a.split_at_mut(q * k);
                let (x, y) = (&mut left[p * k..(p + 1) * k], &mut right[..k]);
                let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
                for (u, v) in x.iter().zip(&*y) {
                    xx += u * u;
                    yy += v * v;
                    xy += u * v;
                }
                if xy == 0.0 || xy.abs() <= 1e-15 * (xx * yy).sqrt() {
                    continue;
                }
                turned = true;
                let zeta = (yy - xx) / (2.0 * xy);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let s = c * t;
                for (u, v) in x.iter_mut().zip(y) {
                    (*u, *v) = (c * *u - s * *v, s * *u + c * *v);
                }
            }
        }
        if !turned {
            break;
        }
    }
    let mut out: Vec<f64> = a.chunks_exact(k).map(|c| c.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
    out.sort_by(|x, y| y.total_cmp(x));
    out
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
    fn not_a_number_ends_and_says_so() {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        for [a, b, p] in [[nan, 1.0, 0.5], [1.0, nan, 0.5], [1.0, 1.0, nan], [inf, 1.0, 0.5], [0.0, 1.0, 0.5]] {
            assert!(beta_quantile(a, b, p).is_nan(), "Beta({a}, {b}) at {p}");
        }
        for [hits, n] in [[nan, 3.0], [1.0, nan], [nan, nan], [inf, inf]] {
            assert!(rate_interval(hits, n).iter().all(|x| x.is_nan()), "{hits} of {n}");
            assert!(binomial_tail(hits, n, 0.5).is_nan());
        }
        assert!(binomial_tail(1.0, 3.0, nan).is_nan());
        assert!(digamma(nan).is_nan() && digamma(-1e300).is_nan() && digamma(f64::NEG_INFINITY).is_nan());
    }

    #[test]
    fn huge_counts_end_too() {
        // level 90 %: 1.645 standard deviations
        let [low, high] = rate_interval(5e11, 1e12);
        assert!((high - 0.5 - 1.644_853_6 * 0.5e-6).abs() < 1e-11 && (low + high - 1.0).abs() < 1e-12);
        assert_eq!(rate_interval(1e308, 1e308)[1], 1.0);
        assert!((binomial_tail(5e11 + 0.5, 1e12, 0.5) - 0.5).abs() < 1e-9);
        // no step where the two ways meet
        let [below, above] = [0.999e9, 1.001e9].map(|n| beta_quantile(0.3 * n, 0.7 * n, 0.95) - 0.3);
        assert!((below / above - (1.001f64 / 0.999).sqrt()).abs() < 1e-4, "{below} {above}");
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
    fn singular_values_of_small_matrices() {
        // [[3, 0], [4, 5]] has 3 √5 and √5
        let s = singular_values(&[3.0, 0.0, 4.0, 5.0], 2);
        assert!((s[0] - 45f64.sqrt()).abs() < 1e-12 && (s[1] - 5f64.sqrt()).abs() < 1e-12);
        // rank one, a permutation, nothing
        let s = singular_values(&[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 0.0, 0.0], 3);
        assert!((s[0] - 70f64.sqrt()).abs() < 1e-12 && s[1] < 1e-12 && s[2] < 1e-12);
        assert_eq!(singular_values(&[0.0, 1.0, 1.0, 0.0], 2), [1.0, 1.0]);
        assert_eq!(singular_values(&[0.0; 9], 3), [0.0; 3]);
        // their squares add up to those of the entries
        let m: Vec<f64> = (0..400).map(|x| ((x * 7919) % 101) as f64 / 50.0 - 1.0).collect();
        let sum: f64 = singular_values(&m, 20).iter().map(|s| s * s).sum();
        assert!((sum / m.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn softmax_survives_extremes() {
        let mut x = [-1e4, -1e4 + 2f64.ln(), f64::NEG_INFINITY];
        let z = softmax(&mut x);
        assert!((x[0] - 1.0 / 3.0).abs() < 1e-12 && x[2] == 0.0);
        assert!((z - (-1e4 + 3f64.ln())).abs() < 1e-9);
    }

    #[test]
    fn information_of_perfect_and_useless_annotators() {
        assert!((information_bits(&[0.5, 0.5], &[1.0, 0.0, 0.0, 1.0]) - 1.0).abs() < 1e-12);
        assert!((information_bits(&[0.5, 0.5], &[0.0, 1.0, 1.0, 0.0]) - 1.0).abs() < 1e-12);
        assert!(information_bits(&[0.3, 0.7], &[0.2, 0.8, 0.2, 0.8]) < 1e-12);
    }
}
