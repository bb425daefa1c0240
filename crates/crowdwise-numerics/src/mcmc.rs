//! Random draws and diagnostics for samplers.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

/// ln of a Gamma(shape, 1) draw: Marsaglia and Tsang's rejection for shapes from 1, and G(a) = G(a + 1) U^(1/a) in
/// logarithms below, so that tiny shapes do not all become zero.
fn ln_gamma_draw(rng: &mut impl Rng, shape: f64) -> f64 {
    if shape < 1.0 {
        let u: f64 = 1.0 - rng.random::<f64>(); // (0, 1]
        return ln_gamma_draw(rng, shape + 1.0) + u.ln() / shape;
    }
    gamma_draw(rng, shape).ln()
}

fn gamma_draw(rng: &mut impl Rng, shape: f64) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x: f64 = StandardNormal.sample(rng);
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        let u: f64 = 1.0 - rng.random::<f64>();
        if u < 1.0 - 0.0331 * x.powi(4) || u.ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            return d * v;
        }
    }
}

/// The smallest probability that a draw may have: keeps logarithms finite.
const FLOOR: f64 = 1e-100;

/// A Dirichlet draw into `out`.
pub fn dirichlet(rng: &mut impl Rng, shapes: &[f64], out: &mut [f64]) {
    if shapes.iter().all(|&a| a >= 1.0) {
        out.iter_mut().zip(shapes).for_each(|(x, &a)| *x = gamma_draw(rng, a));
    } else {
        out.iter_mut().zip(shapes).for_each(|(x, &a)| *x = ln_gamma_draw(rng, a));
        let top = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for x in &mut *out {
            *x = (*x - top).exp();
        }
    }
    let sum: f64 = out.iter().sum();
    for x in &mut *out {
        *x = (*x / sum).max(FLOOR);
    }
}

/// Both halves of every chain, or `None` if a half would have fewer than two draws or chains differ in length.
fn halves(chains: &[Vec<f64>]) -> Option<Vec<&[f64]>> {
    let n = chains.first()?.len();
    if n < 4 || chains.iter().any(|c| c.len() != n) {
        return None;
    }
    Some(chains.iter().flat_map(|c| [&c[..n / 2], &c[n - n / 2..]]).collect())
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

/// Variance within chains, and the pooled estimate that also counts the variance between their means.
fn variances(parts: &[&[f64]]) -> (f64, f64) {
    let n = parts[0].len() as f64;
    let means: Vec<f64> = parts.iter().map(|p| mean(p)).collect();
    let within =
        parts.iter().zip(&means).map(|(p, m)| p.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (n - 1.0)).sum::<f64>()
            / parts.len() as f64;
    let grand = mean(&means);
    let between = means.iter().map(|m| (m - grand).powi(2)).sum::<f64>() / (means.len() - 1) as f64;
    (within, within * (n - 1.0) / n + between)
}

/// Whether a quantity moves by rounding errors only.
fn still(parts: &[&[f64]], pooled: f64) -> bool {
    let scale = parts.iter().flat_map(|p| p.iter()).fold(0.0f64, |a, x| a.max(x.abs()));
    pooled <= (1e-12 * scale).powi(2)
}

/// Split R-hat (Gelman and others, Bayesian Data Analysis, 3rd edition, section 11.4): near 1 when the halves of all
/// chains look like draws from one distribution. 1 for a quantity that never moves.
pub fn split_rhat(chains: &[Vec<f64>]) -> Option<f64> {
    let parts = halves(chains)?;
    let (within, pooled) = variances(&parts);
    if still(&parts, pooled) {
        return Some(1.0);
    }
    Some(if within > 0.0 { (pooled / within).sqrt() } else { f64::MAX })
}

/// Effective number of independent draws, from the autocorrelations of the split chains up to Geyer's initial monotone
/// sequence. The number of draws for a quantity that never moves.
pub fn effective_size(chains: &[Vec<f64>]) -> Option<f64> {
    let parts = halves(chains)?;
    let (n, total) = (parts[0].len(), (parts.len() * parts[0].len()) as f64);
    let (within, pooled) = variances(&parts);
    if still(&parts, pooled) {
        return Some(total);
    }
    let means: Vec<f64> = parts.iter().map(|p| mean(p)).collect();
    let covariance = |lag: usize| {
        let of = |(p, m): (&&[f64], &f64)| (0..n - lag).map(|t| (p[t] - m) * (p[t + lag] - m)).sum::<f64>() / n as f64;
        parts.iter().zip(&means).map(of).sum::<f64>() / parts.len() as f64
    };
    let correlation = |lag: usize| 1.0 - (within - covariance(lag)) / pooled;
    let (mut sum, mut last) = (0.0, f64::INFINITY);
    let mut lag = 0;
    while lag + 1 < n {
        let first = if lag == 0 { 1.0 } else { correlation(lag) };
        let pair = first + correlation(lag + 1);
        if pair <= 0.0 {
            break;
        }
        last = pair.min(last);
        sum += last;
        lag += 2;
    }
    let time = (2.0 * sum - 1.0).max(1.0 / total.log10().max(1.0));
    Some(total / time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream;

    #[test]
    fn dirichlet_draws_have_the_right_moments() {
        let mut rng = stream(1, "dirichlet", 0);
        for shapes in [[2.0, 1.0, 5.0], [0.2, 0.05, 1.5]] {
            let total: f64 = shapes.iter().sum();
            let n = 40_000;
            let (mut m, mut s) = ([0.0; 3], [0.0; 3]);
            let mut x = [0.0; 3];
            for _ in 0..n {
                dirichlet(&mut rng, &shapes, &mut x);
                assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-9 && x.iter().all(|v| *v > 0.0));
                for i in 0..3 {
                    m[i] += x[i] / n as f64;
                    s[i] += x[i] * x[i] / n as f64;
                }
            }
            for i in 0..3 {
                let mean = shapes[i] / total;
                let variance = mean * (1.0 - mean) / (total + 1.0);
                // five standard errors of the mean; the variance within 10 %
                assert!((m[i] - mean).abs() < 5.0 * (variance / n as f64).sqrt(), "{shapes:?} {i}: {} {mean}", m[i]);
                assert!((s[i] - m[i] * m[i] - variance).abs() < 0.1 * variance, "{shapes:?} {i}");
            }
        }
    }

    #[test]
    fn diagnostics_know_good_chains_from_bad() {
        let mut rng = stream(2, "chains", 0);
        let mut noise = |n: usize, rho: f64, at: f64| {
            let mut x = 0.0;
            (0..n)
                .map(|_| {
                    let e: f64 = StandardNormal.sample(&mut rng);
                    x = rho * x + (1.0 - rho * rho).sqrt() * e;
                    at + x
                })
                .collect::<Vec<f64>>()
        };
        let good: Vec<_> = (0..4).map(|_| noise(1000, 0.0, 3.0)).collect();
        assert!((split_rhat(&good).unwrap() - 1.0).abs() < 0.01);
        let size = effective_size(&good).unwrap();
        assert!((3000.0..6000.0).contains(&size), "{size}");
        // autocorrelation 0.8: an effective draw costs (1 + 0.8) / (1 - 0.8) = 9
        let slow: Vec<_> = (0..4).map(|_| noise(4000, 0.8, 0.0)).collect();
        let size = effective_size(&slow).unwrap();
        assert!((16_000.0 / 9.0 / size - 1.0).abs() < 0.3, "{size}");
        let apart: Vec<_> = (0..4).map(|c| noise(500, 0.0, c as f64)).collect();
        assert!(split_rhat(&apart).unwrap() > 1.3 && effective_size(&apart).unwrap() < 40.0);
        let still = vec![vec![0.3; 50]; 4];
        assert_eq!((split_rhat(&still), effective_size(&still)), (Some(1.0), Some(200.0)));
        assert_eq!(split_rhat(&[vec![1.0, 2.0, 3.0]]), None);
    }
}
