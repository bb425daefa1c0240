//! Expectation propagation for a Gaussian process whose labels come through annotators: the likelihood of an item is
//! b + (a - b) Φ(f), with a and b the probabilities of its labels in the two classes.

use crowdwise_numerics::{Cholesky, dot, normal_cdf};
use std::f64::consts::PI;

/// What is learned of a site cannot make it less certain: precisions below are set to this.
const FLOOR: f64 = 1e-10;

/// Normalisation, mean and variance of N(m, v) times the likelihood.
pub(super) fn tilted(m: f64, v: f64, a: f64, b: f64) -> (f64, f64, f64) {
    let root = (1.0 + v).sqrt();
    let eta = m / root;
    let z = (b + (a - b) * normal_cdf(eta)).max(1e-300);
    let r = (a - b) * (-0.5 * eta * eta).exp() / (2.0 * PI).sqrt() / (z * root);
    (z, m + v * r, v - v * v * r * (r + m / (1.0 + v)))
}

/// A Gaussian posterior over the values at n points.
#[derive(Clone, Debug)]
pub(super) struct Ep {
    n: usize,
    kernel: Vec<f64>,
    /// Precision and precision times mean of every site.
    pub tau: Vec<f64>,
    pub nu: Vec<f64>,
    sigma: Vec<f64>,
    mu: Vec<f64>,
}

/// What a search for the sites came to.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    /// Mean and variance at every point without its own site.
    pub cavity: Vec<(f64, f64)>,
    pub log_evidence: f64,
    pub sweeps: usize,
    /// Largest change of a site in the last sweep.
    pub change: f64,
}

impl Ep {
    /// Sites that say nothing yet. `kernel` is n x n.
    pub fn new(kernel: Vec<f64>) -> Self {
        let n = kernel.len().isqrt();
        Ep { n, sigma: kernel.clone(), kernel, tau: vec![0.0; n], nu: vec![0.0; n], mu: vec![0.0; n] }
    }

    /// B = I + S K S, with S the roots of the precisions; its eigenvalues are at least 1.
    fn factor(&self) -> Cholesky {
        let (n, root) = (self.n, self.roots());
        let cell = |c: usize| f64::from(u8::from(c / n == c % n)) + root[c / n] * root[c % n] * self.kernel[c];
        Cholesky::with_floor(n, (0..n * n).map(cell).collect(), 1e-12)
    }

    fn roots(&self) -> Vec<f64> {
        self.tau.iter().map(|t| t.max(0.0).sqrt()).collect()
    }

    /// R with R'R = (K + 1/precisions)⁻¹ (lower triangular, rows of n), and ln det B.
    pub fn inverse_factor(&self) -> (Vec<f64>, f64) {
        let (n, l, root) = (self.n, self.factor(), self.roots());
        let mut r = vec![0.0; n * n];
        for i in 0..n {
            let (done, rest) = r.split_at_mut(i * n);
            let row = &mut rest[..n];
            row[i] = root[i];
            for (j, f) in l.row(i).iter().enumerate().filter(|(_, f)| **f != 0.0) {
                row[..=j].iter_mut().zip(&done[j * n..]).for_each(|(x, y)| *x -= f * y);
            }
            let pivot = l.pivot(i);
            row[..=i].iter_mut().for_each(|x| *x /= pivot);
        }
        (r, l.ln_det())
    }

    /// The weights of the kernel in the mean at a new point: ν - R'R K ν.
    pub fn weights(&self, r: &[f64]) -> Vec<f64> {
        let n = self.n;
        let prior: Vec<f64> = self.kernel.chunks_exact(n).map(|row| dot(row, &self.nu)).collect();
        let half: Vec<f64> = (0..n).map(|i| dot(&r[i * n..=i * n + i], &prior)).collect();
        let mut out = self.nu.clone();
        for (i, h) in half.iter().enumerate() {
            out.iter_mut().zip(&r[i * n..=i * n + i]).for_each(|(o, r)| *o -= h * r);
        }
        out
    }

    /// Covariance and mean from the sites, without what rounding added up to; ln det B.
    fn refresh(&mut self) -> f64 {
        let n = self.n;
        let (r, log_det) = self.inverse_factor();
        // V = R K, covariance = K - V'V
        let mut v = vec![0.0; n * n];
        for i in 0..n {
            let row = &mut v[i * n..(i + 1) * n];
            for (c, f) in r[i * n..=i * n + i].iter().enumerate().filter(|(_, f)| **f != 0.0) {
                row.iter_mut().zip(&self.kernel[c * n..]).for_each(|(x, k)| *x += f * k);
            }
        }
        self.sigma.copy_from_slice(&self.kernel);
        for row in v.chunks_exact(n) {
            for (f, to) in row.iter().zip(self.sigma.chunks_exact_mut(n)).filter(|(f, _)| **f != 0.0) {
                to.iter_mut().zip(row).for_each(|(s, x)| *s -= f * x);
            }
        }
        self.mu = self.sigma.chunks_exact(n).map(|row| dot(row, &self.nu)).collect();
        log_det
    }

    /// Sweeps over all sites, from where they are, until none changes by `tol`.
    pub fn search(&mut self, a: &[f64], b: &[f64], sweeps: usize, tol: f64) -> Reached {
        let n = self.n;
        // where no site says anything yet the posterior is the prior
        if self.tau.iter().any(|t| *t > 0.0) {
            self.refresh();
        }
        let (mut done, mut change) = (0, f64::INFINITY);
        while done < sweeps && change >= tol {
            change = 0.0;
            for i in 0..n {
                change = self.site(i, a[i], b[i]).max(change);
            }
            done += 1;
        }
        let log_det = self.refresh();
        let mut log_evidence = -0.5 * log_det;
        let mut cavity = Vec::with_capacity(n);
        for i in 0..n {
            let s = self.sigma[i * n + i].max(1e-300);
            let precision = (1.0 / s - self.tau[i]).max(FLOOR);
            let (v, m) = (1.0 / precision, (self.mu[i] / s - self.nu[i]) / precision);
            let energy = |m: f64, v: f64| 0.5 * m * m / v + 0.5 * v.ln();
            log_evidence += tilted(m, v, a[i], b[i]).0.ln() + energy(m, v) - energy(self.mu[i], s);
            log_evidence += 0.5 * self.mu[i] * self.nu[i];
            cavity.push((m, v));
        }
        Reached { cavity, log_evidence, sweeps: done, change }
    }

    /// Matches the moments of one site; how much it changed.
    fn site(&mut self, i: usize, a: f64, b: f64) -> f64 {
        let n = self.n;
        let s = self.sigma[i * n + i];
        let (precision, shift) = (1.0 / s - self.tau[i], self.mu[i] / s - self.nu[i]);
        if precision.is_nan() || precision <= FLOOR {
            return 0.0;
        }
        let v = 1.0 / precision;
        let (_, mean, var) = tilted(shift * v, v, a, b);
        if var.is_nan() || var <= 1e-12 {
            return 0.0;
        }
        let (mut tau, mut nu) = (1.0 / var - precision, mean / var - shift);
        if tau < 0.0 {
            // possible because the likelihood is not log-concave; the mean is kept
            tau = FLOOR;
            nu = mean * (precision + tau) - shift;
        }
        let (dt, dn) = (tau - self.tau[i], nu - self.nu[i]);
        let denominator = 1.0 + dt * s;
        if denominator <= 1e-8 {
            return 0.0;
        }
        let column: Vec<f64> = (0..n).map(|r| self.sigma[r * n + i]).collect();
        let step = (dn - dt * self.mu[i]) / denominator;
        self.mu.iter_mut().zip(&column).for_each(|(m, c)| *m += step * c);
        let factor = dt / denominator;
        for (row, c) in self.sigma.chunks_exact_mut(n).zip(&column) {
            let f = factor * c;
            row.iter_mut().zip(&column).for_each(|(s, c)| *s -= f * c);
        }
        (self.tau[i], self.nu[i]) = (tau, nu);
        dt.abs().max(dn.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    /// Kernel of amplitude 3 and length 1 at random points of the plane.
    fn kernel(n: usize, seed: u64) -> Vec<f64> {
        let mut rng = stream(seed, "points", 0);
        let x: Vec<f64> = (0..2 * n).map(|_| StandardNormal.sample(&mut rng)).collect();
        let far = |i: usize, j: usize| (x[2 * i] - x[2 * j]).powi(2) + (x[2 * i + 1] - x[2 * j + 1]).powi(2);
        let cell = |i: usize, j: usize| 3.0 * (-0.5 * far(i, j)).exp() + if i == j { 1e-8 } else { 0.0 };
        (0..n * n).map(|c| cell(c / n, c % n)).collect()
    }

    #[test]
    fn moments_are_those_of_integration() {
        for (m, v, a, b) in [(0.3, 2.0, 1.0, 0.2), (-1.5, 0.7, 0.1, 1.0), (0.0, 4.0, 1.0, 0.0), (1.0, 1.0, 0.5, 0.5)] {
            let (n, sd): (i32, f64) = (20_000, f64::sqrt(v));
            let mut sums = [0.0; 3];
            for at in -n..=n {
                let x = 10.0 * at as f64 / n as f64;
                let f = m + sd * x;
                let w = (-0.5 * x * x).exp() * (b + (a - b) * normal_cdf(f));
                sums = [sums[0] + w, sums[1] + w * f, sums[2] + w * f * f];
            }
            let z = sums[0] * 10.0 / f64::from(n) / (2.0 * PI).sqrt();
            let mean = sums[1] / sums[0];
            let var = sums[2] / sums[0] - mean * mean;
            let have = tilted(m, v, a, b);
            let off = (have.0 - z).abs().max((have.1 - mean).abs()).max((have.2 - var).abs());
            assert!(off < 1e-9, "{have:?} for {z} {mean} {var}");
        }
    }

    /// Mean, variance and evidence of three values by summing over a grid of 61 quantile-free points a side.
    fn exact(kernel: &[f64], a: &[f64], b: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
        let factor = Cholesky::new(3, kernel.to_vec()).unwrap();
        let draw = |x: [f64; 3]| [0, 1, 2].map(|i| dot(factor.row(i), &x) + factor.pivot(i) * x[i]);
        let grid: Vec<(f64, f64)> = (-60..=60)
            .map(|n| {
                let x = f64::from(n) * 0.1;
                (x, 0.1 * (-0.5 * x * x).exp() / (2.0 * PI).sqrt())
            })
            .collect();
        let (mut z, mut mean, mut square) = (0.0, vec![0.0; 3], vec![0.0; 3]);
        for (x0, w0) in &grid {
            for (x1, w1) in &grid {
                for (x2, w2) in &grid {
                    let f = draw([*x0, *x1, *x2]);
                    let w: f64 =
                        w0 * w1 * w2 * (0..3).map(|i| b[i] + (a[i] - b[i]) * normal_cdf(f[i])).product::<f64>();
                    z += w;
                    (0..3).for_each(|i| mean[i] += w * f[i]);
                    (0..3).for_each(|i| square[i] += w * f[i] * f[i]);
                }
            }
        }
        mean.iter_mut().for_each(|m| *m /= z);
        let var = (0..3).map(|i| square[i] / z - mean[i] * mean[i]).collect();
        (mean, var, z.ln())
    }

    #[test]
    fn three_points_are_close_to_the_exact_posterior() {
        let mut rng = stream(1, "likelihoods", 0);
        for case in 0..6 {
            let kernel = kernel(3, case);
            let mut a: Vec<f64> = (0..3).map(|_| rng.random()).collect();
            let mut b: Vec<f64> = (0..3).map(|_| rng.random()).collect();
            b[case as usize % 3] *= 0.05;
            for (a, b) in a.iter_mut().zip(&mut b) {
                let most = a.max(*b);
                (*a, *b) = (*a / most, *b / most);
            }
            let mut ep = Ep::new(kernel.clone());
            let reached = ep.search(&a, &b, 100, 1e-10);
            let (mean, var, evidence) = exact(&kernel, &a, &b);
            assert!(reached.change < 1e-10 && reached.sweeps <= 15, "{} sweeps", reached.sweeps);
            assert!((reached.log_evidence - evidence).abs() < 0.01, "{} for {evidence}", reached.log_evidence);
            let most = var.iter().copied().fold(0.0, f64::max);
            for i in 0..3 {
                assert!((ep.mu[i] - mean[i]).abs() < 0.012, "mean {} for {}", ep.mu[i], mean[i]);
                assert!((ep.sigma[i * 4] - var[i]).abs() < 0.03 * most, "variance {} for {}", ep.sigma[i * 4], var[i]);
            }
        }
    }

    #[test]
    fn certain_labels_are_plain_probit_and_predictions_fit_the_posterior() {
        let n = 40;
        let kernel = kernel(n, 9);
        let a: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 3 == 0))).collect();
        let b: Vec<f64> = a.iter().map(|a| 1.0 - a).collect();
        let mut ep = Ep::new(kernel.clone());
        let reached = ep.search(&a, &b, 50, 1e-6);
        assert!(reached.sweeps <= 20 && ep.tau.iter().all(|t| *t > 0.0), "{} sweeps", reached.sweeps);
        // at the points themselves the prediction is the posterior
        let (r, _) = ep.inverse_factor();
        let w = ep.weights(&r);
        for i in 0..n {
            let k = &kernel[i * n..(i + 1) * n];
            let half: f64 = (0..n).map(|c| dot(&r[c * n..=c * n + c], k).powi(2)).sum();
            assert!((dot(k, &w) - ep.mu[i]).abs() < 1e-6, "{i}: {} for {}", dot(k, &w), ep.mu[i]);
            assert!((k[i] - half - ep.sigma[i * n + i]).abs() < 1e-6, "{i}");
        }
    }
}
