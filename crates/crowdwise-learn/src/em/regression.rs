//! Soft-max regression on soft targets, in f64, to its optimum: Newton for small problems, L-BFGS for large ones.

use crate::Matrix;
use crowdwise_core::stats;
use crowdwise_numerics::{Cholesky, Lbfgs};
use rayon::prelude::*;

/// Weights of features and an offset per score. Two classes need one score only: that of the second.
#[derive(Clone, Debug)]
pub(super) struct Regression {
    pub d: usize,
    pub k: usize,
    /// (features + 1) x scores, the offsets last
    pub w: Vec<f64>,
    /// Strength of the pull of the weights (not the offsets) towards 0.
    pub lambda: f64,
}

/// Items of a part of parallel work.
const PART: usize = 256;

/// How the optimum is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    Newton { steps: usize },
    Lbfgs { steps: usize },
}

/// Keeps the curvature of the offsets away from 0: adding a number to all of them changes nothing.
const RIDGE: f64 = 1e-9;

impl Regression {
    pub fn new(d: usize, k: usize, lambda: f64) -> Self {
        let scores = if k == 2 { 1 } else { k };
        Regression { d, k, w: vec![0.0; (d + 1) * scores], lambda }
    }

    fn n_scores(&self) -> usize {
        if self.k == 2 { 1 } else { self.k }
    }

    /// Logarithms of the class probabilities of a row of features.
    pub fn log_probabilities(&self, x: &[f32], out: &mut [f64]) {
        log_probabilities(&self.w, self.n_scores(), x, out);
    }

    /// Newton where the matrix of second derivatives is small.
    pub fn usual_search(&self, steps: usize) -> Search {
        if self.w.len() <= 500 { Search::Newton { steps } } else { Search::Lbfgs { steps: 4 * steps } }
    }

    /// Minus the expected log-likelihood of the targets (rows of K, parallel to `items`) plus the penalty.
    fn value(&self, w: &[f64], x: &Matrix, items: &[u32], q: &[f64], gradient: &mut [f64]) -> f64 {
        let (d, k, s) = (self.d, self.k, self.n_scores());
        // items in parts of a fixed size, summed in order: the same bits on any number of threads
        let parts: Vec<(f64, Vec<f64>)> =
            items.par_chunks(PART).zip(q.par_chunks(PART * k)).map(|(items, q)| self.part(w, x, items, q)).collect();
        let mut value = 0.0;
        gradient.fill(0.0);
        for (v, g) in &parts {
            value += v;
            gradient.iter_mut().zip(g).for_each(|(to, g)| *to += g);
        }
        for (g, w) in gradient[..d * s].iter_mut().zip(w) {
            *g += self.lambda * w;
            value += 0.5 * self.lambda * w * w;
        }
        value
    }

    /// Value and gradient of some items, without the penalty.
    fn part(&self, w: &[f64], x: &Matrix, items: &[u32], q: &[f64]) -> (f64, Vec<f64>) {
        let (d, k, s) = (self.d, self.k, self.n_scores());
        let (mut value, mut gradient) = (0.0, vec![0.0; w.len()]);
        let (mut p, mut by) = (vec![0.0; k], vec![0.0; s]);
        for (&i, q) in items.iter().zip(q.chunks_exact(k)) {
            let row = x.row(i as usize);
            log_probabilities(w, s, row, &mut p);
            value -= q.iter().zip(&p).filter(|(q, _)| **q > 0.0).map(|(q, p)| q * p).sum::<f64>();
            let mass: f64 = q.iter().sum();
            // derivative by score c: mass p_c - q_c (of the second class where there are two)
            by.iter_mut().enumerate().for_each(|(c, b)| *b = mass * p[c + k - s].exp() - q[c + k - s]);
            for (x, g) in row.iter().zip(gradient.chunks_exact_mut(s)) {
                g.iter_mut().zip(&by).for_each(|(g, b)| *g += f64::from(*x) * b);
            }
            gradient[d * s..].iter_mut().zip(&by).for_each(|(g, b)| *g += b);
        }
        (value, gradient)
    }

    /// The penalty of the weights.
    pub fn penalty(&self) -> f64 {
        0.5 * self.lambda * self.w[..self.d * self.n_scores()].iter().map(|w| w * w).sum::<f64>()
    }

    /// Moves towards the optimum for these targets; the value never rises.
    pub fn fit(&mut self, x: &Matrix, items: &[u32], q: &[f64], search: Search) {
        match search {
            Search::Lbfgs { steps } => {
                let mut w = std::mem::take(&mut self.w);
                let this = &*self;
                // curvature of a standardised feature is at most 1/4 per item and score
                let scale = vec![1.0 / (0.25 * items.len() as f64 + self.lambda + RIDGE); w.len()];
                let search = Lbfgs { max_iter: steps, tol: 1e-9, history: 10 };
                search.minimise(&mut w, &scale, |w, g| this.value(w, x, items, q, g));
                self.w = w;
            }
            Search::Newton { steps } => {
                for _ in 0..steps {
                    if !self.newton(x, items, q) {
                        break;
                    }
                }
            }
        }
    }

    /// One Newton step, halved until the value falls; whether it moved.
    fn newton(&mut self, x: &Matrix, items: &[u32], q: &[f64]) -> bool {
        let (d, k, s, n) = (self.d, self.k, self.n_scores(), self.w.len());
        let mut g = vec![0.0; n];
        let before = self.value(&self.w, x, items, q, &mut g);
        if g.iter().all(|g| g.abs() < 1e-10) {
            return false;
        }
        let mut h = vec![0.0; n * n];
        let mut p = vec![0.0; k];
        let mut row = vec![1.0; d + 1];
        for (&i, q) in items.iter().zip(q.chunks_exact(k)) {
            log_probabilities(&self.w, s, x.row(i as usize), &mut p);
            p.iter_mut().for_each(|p| *p = p.exp());
            let mass: f64 = q.iter().sum();
            row.iter_mut().zip(x.row(i as usize)).for_each(|(r, x)| *r = f64::from(*x));
            for a in 0..s {
                for b in 0..=a {
                    let (pa, pb) = (p[a + k - s], p[b + k - s]);
                    let curve = mass * (if a == b { pa } else { 0.0 } - pa * pb);
                    for (u, xu) in row.iter().enumerate() {
                        let line = &mut h[(u * s + a) * n..][..n];
                        for (v, xv) in row.iter().enumerate() {
                            line[v * s + b] += curve * xu * xv;
                        }
                    }
                }
            }
        }
        for u in 0..=d {
            for v in 0..=d {
                for a in 0..s {
                    for b in 0..a {
                        h[(v * s + b) * n + u * s + a] = h[(u * s + a) * n + v * s + b];
                    }
                }
            }
        }
        (0..n).for_each(|c| h[c * n + c] += RIDGE + if c < d * s { self.lambda } else { 0.0 });
        let Some(factor) = Cholesky::new(n, h) else { return false };
        let mut step = g;
        factor.solve(&mut step);
        let mut length = 1.0;
        let mut trial = vec![0.0; n];
        let mut unused = vec![0.0; n];
        for _ in 0..30 {
            (0..n).for_each(|c| trial[c] = self.w[c] - length * step[c]);
            if self.value(&trial, x, items, q, &mut unused) < before {
                self.w.copy_from_slice(&trial);
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

fn log_probabilities(w: &[f64], s: usize, x: &[f32], out: &mut [f64]) {
    let k = out.len();
    out.fill(0.0);
    let scores = &mut out[k - s..];
    scores.copy_from_slice(&w[x.len() * s..]);
    for (x, w) in x.iter().zip(w.chunks_exact(s)) {
        scores.iter_mut().zip(w).for_each(|(o, w)| *o += f64::from(*x) * w);
    }
    let most = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ln_sum = most + out.iter().map(|o| (o - most).exp()).sum::<f64>().ln();
    out.iter_mut().for_each(|o| *o -= ln_sum);
}

/// Soft-max of the log-probabilities plus evidence; returns the log-likelihood.
pub(super) fn normalise(row: &mut [f64]) -> f64 {
    stats::softmax(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;

    #[test]
    fn newton_and_lbfgs_find_the_same_optimum() {
        for k in [2, 3, 5] {
            let (n, d) = (80, 4);
            let mut rng = stream(12, "regression", k as u64);
            let x = Matrix::new(n, d, (0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect());
            let mut q: Vec<f64> = (0..n * k).map(|_| rng.random_range(-2.0..2.0)).collect();
            q.chunks_exact_mut(k).for_each(|r| _ = stats::softmax(r));
            let items: Vec<u32> = (0..n as u32).collect();
            let fitted = |search| {
                let mut r = Regression::new(d, k, 0.1);
                r.fit(&x, &items, &q, search);
                let mut g = vec![0.0; r.w.len()];
                let value = r.value(&r.w, &x, &items, &q, &mut g);
                assert!(g.iter().all(|g| g.abs() < 1e-5), "{k} classes, {search:?}: {g:?}");
                (value, r)
            };
            let (a, ra) = fitted(Search::Newton { steps: 30 });
            let (b, rb) = fitted(Search::Lbfgs { steps: 500 });
            assert!((a - b).abs() < 1e-8, "{k} classes: {a} and {b}");
            let (mut p, mut r) = (vec![0.0; k], vec![0.0; k]);
            for i in 0..n {
                ra.log_probabilities(x.row(i), &mut p);
                rb.log_probabilities(x.row(i), &mut r);
                assert!(p.iter().zip(&r).all(|(a, b)| (a - b).abs() < 1e-4));
            }
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (n, d, k) = (20, 3, 3);
        let mut rng = stream(13, "slopes", 0);
        let x = Matrix::new(n, d, (0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect());
        let mut q: Vec<f64> = (0..n * k).map(|_| rng.random_range(-2.0..2.0)).collect();
        q.chunks_exact_mut(k).for_each(|r| _ = stats::softmax(r));
        let items: Vec<u32> = (0..n as u32).collect();
        let mut r = Regression::new(d, k, 0.3);
        r.w.iter_mut().for_each(|w| *w = rng.random_range(-1.0..1.0));
        let mut g = vec![0.0; r.w.len()];
        r.value(&r.w, &x, &items, &q, &mut g);
        for at in 0..g.len() {
            let shifted = |by: f64| {
                let mut w = r.w.clone();
                w[at] += by;
                r.value(&w, &x, &items, &q, &mut vec![0.0; g.len()])
            };
            let slope = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            assert!((slope - g[at]).abs() < 1e-7, "{at}: {slope} for {}", g[at]);
        }
    }
}
