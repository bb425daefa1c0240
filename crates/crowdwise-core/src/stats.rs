//! Small numerical helpers that several methods and questions share.

use special::{Beta, Gamma};

/// ψ(x), the logarithmic derivative of Γ.
pub fn digamma(x: f64) -> f64 {
    Gamma::digamma(x)
}

/// ln Γ(x) for x > 0.
pub fn ln_gamma(x: f64) -> f64 {
    Gamma::ln_gamma(x).0
}

/// The `p` quantile of Beta(a, b): Newton's steps on the regularised incomplete beta function from a normal
/// approximation, halving the interval where a step would leave it.
pub fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let (mut low, mut high) = (0.0f64, 1.0f64);
    let mean = a / (a + b);
    let sd = (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
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
pub fn binomial_tail(hits: f64, n: f64, p: f64) -> f64 {
    if hits <= 0.0 || p >= 1.0 {
        return 1.0;
    }
    if hits > n || p <= 0.0 {
        return 0.0;
    }
    let (a, b) = (hits, n - hits + 1.0);
    p.inc_beta(a, b, ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)).clamp(0.0, 1.0)
}

/// Central interval of a rate from `hits` of `n` (both may be expected counts), level 90 %: Jeffreys' prior, with the
/// ends opened at 0 and 1 as Brown, Cai and DasGupta (2001) advise.
pub fn rate_interval(hits: f64, n: f64) -> [f64; 2] {
    let (a, b) = (hits + 0.5, (n - hits).max(0.0) + 0.5);
    let low = if hits <= 1e-9 { 0.0 } else { beta_quantile(a, b, 0.05) };
    let high = if n - hits <= 1e-9 { 1.0 } else { beta_quantile(a, b, 0.95) };
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
    fn binomial_tails_are_sums() {
        // P(X >= 3), n = 5, p = 0.3: 10 p^3 q^2 + 5 p^4 q + p^5
        assert!((binomial_tail(3.0, 5.0, 0.3) - 0.16308).abs() < 1e-12);
        assert!((binomial_tail(1.0, 10.0, 0.2) - (1.0 - 0.8f64.powi(10))).abs() < 1e-12);
        assert_eq!((binomial_tail(0.0, 4.0, 0.5), binomial_tail(5.0, 4.0, 0.5)), (1.0, 0.0));
        assert!(binomial_tail(2.5, 5.0, 0.3) > binomial_tail(3.0, 5.0, 0.3));
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
