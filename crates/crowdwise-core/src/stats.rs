//! Rates with their intervals, rows of probabilities, and the functions of [`crowdwise_numerics`] that methods and questions
//! need beside them.

pub use crowdwise_numerics::{beta_quantile, binomial_tail, digamma, ln_gamma, logistic, softmax, student_tail};

/// The level of every interval unless another is asked for: one interval of ten misses.
pub const LEVEL: f64 = 0.9;

/// Central interval of a rate from `hits` of `n` (both may be expected counts) at [`LEVEL`].
pub fn rate_interval(hits: f64, n: f64) -> [f64; 2] {
    rate_interval_at(hits, n, LEVEL)
}

/// The same at any level: Jeffreys' prior, with the ends opened at 0 and 1 as Brown, Cai and DasGupta (2001) advise. NaN
/// where a count is not finite.
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn information_of_perfect_and_useless_annotators() {
        assert!((information_bits(&[0.5, 0.5], &[1.0, 0.0, 0.0, 1.0]) - 1.0).abs() < 1e-12);
        assert!((information_bits(&[0.5, 0.5], &[0.0, 1.0, 1.0, 0.0]) - 1.0).abs() < 1e-12);
        assert!(information_bits(&[0.3, 0.7], &[0.2, 0.8, 0.2, 0.8]) < 1e-12);
    }
}
