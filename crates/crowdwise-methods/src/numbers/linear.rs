//! What features tell of the truths of items: a ridge regression that is fitted again in every round.

use crowdwise_core::{Features, Table};
use crowdwise_numerics::Cholesky;

/// Features more than this make the regression (their products) too large.
pub(super) const MOST_FEATURES: usize = 4000;

pub(super) struct Linear {
    /// Features of every item about their means, scaled to deviation 1, and a last column of ones.
    rows: Vec<f64>,
    width: usize,
    mean: Vec<f64>,
    scale: Vec<f64>,
    /// Items that are learned from.
    taught: Vec<bool>,
    factor: Cholesky,
    weights: Vec<f64>,
    /// The value that the features give each item.
    pub at: Vec<f64>,
}

impl Linear {
    /// Learns from items with labels or a known truth.
    pub fn new(f: &Features, table: &Table, known: &[Option<f64>], ridge: f64, start: f64) -> Option<Linear> {
        let (n, dim) = (table.n_units(), f.dim);
        let taught: Vec<bool> = (0..n).map(|u| table.degree(u) > 0 || known[u].is_some()).collect();
        let (mean, scale) = f.standard(dim, |u| taught[u]);
        let width = dim + 1;
        let mut rows = Vec::with_capacity(n * width);
        for u in 0..n {
            rows.extend(f.row(u).iter().enumerate().map(|(d, &v)| (f64::from(v) - mean[d]) * scale[d]));
            rows.push(1.0);
        }
        let mut products = vec![0.0; width * width];
        for u in (0..n).filter(|&u| taught[u]) {
            let row = &rows[u * width..(u + 1) * width];
            for a in 0..width {
                let into = &mut products[a * width..=a * width + a];
                into.iter_mut().zip(row).for_each(|(p, x)| *p += row[a] * x);
            }
        }
        // the intercept is free
        (0..dim).for_each(|d| products[d * width + d] += ridge);
        let factor = Cholesky::new(width, products)?;
        Some(Linear { rows, width, mean, scale, taught, factor, weights: vec![0.0; width], at: vec![start; n] })
    }

    /// Regresses the truths `y` on the features.
    pub fn fit(&mut self, y: &[f64]) {
        let mut w = vec![0.0; self.width];
        for (u, row) in self.rows.chunks_exact(self.width).enumerate().filter(|(u, _)| self.taught[*u]) {
            w.iter_mut().zip(row).for_each(|(w, x)| *w += x * y[u]);
        }
        self.factor.solve(&mut w);
        for (at, row) in self.at.iter_mut().zip(self.rows.chunks_exact(self.width)) {
            *at = row.iter().zip(&w).map(|(x, w)| x * w).sum();
        }
        self.weights = w;
    }

    /// All values times `factor`, then plus `shift`.
    pub fn move_by(&mut self, factor: f64, shift: f64) {
        self.weights.iter_mut().for_each(|w| *w *= factor);
        self.weights[self.width - 1] += shift;
        self.at.iter_mut().for_each(|a| *a = factor * *a + shift);
    }

    /// Intercept and weights for the features as they were given.
    pub fn of_features(&self) -> (f64, Vec<f64>) {
        let weights: Vec<f64> = self.weights.iter().zip(&self.scale).map(|(w, s)| w * s).collect();
        let shift: f64 = weights.iter().zip(&self.mean).map(|(w, m)| w * m).sum();
        (self.weights[self.width - 1] - shift, weights)
    }
}
