//! What is believed of annotators, and what their labels are worth under that belief.

use crate::Labels;
use crate::confusion::clip;
use crate::objective::{Probabilities, TINY};
use crowdwise_core::stats::digamma;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an annotator is before any label is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnnotatorPrior {
    /// One accuracy, errors spread evenly.
    #[default]
    OneCoin,
    /// A confusion matrix with independent rows.
    Rows,
}

/// Dirichlet rows of every annotator: annotators x truth x label.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    k: usize,
    diagonal: f64,
    off: f64,
    pub shape: Vec<f64>,
}

impl Rows {
    pub fn new(m: usize, k: usize, diagonal: f64, off: f64) -> Self {
        let one = (0..k * k).map(|n| if n / k == n % k { diagonal } else { off });
        Rows { k, diagonal, off, shape: one.collect::<Vec<f64>>().repeat(m) }
    }

    /// Moves by the share `step` towards prior + expected counts: with 1 the exact optimum, below it a natural gradient.
    pub fn update(&mut self, q: &[f64], items: &[u32], labels: &Labels, step: f64) {
        let k = self.k;
        for (n, s) in self.shape.iter_mut().enumerate() {
            let prior = if n / k % k == n % k { self.diagonal } else { self.off };
            *s += step * (prior - *s);
        }
        for (q, &i) in q.chunks_exact(k).zip(items) {
            for (j, l) in labels.of(i as usize) {
                q.iter().enumerate().for_each(|(t, q)| self.shape[(j * k + t) * k + l] += step * q);
            }
        }
    }

    /// Expected logarithms, label first: annotators x label x truth.
    pub fn evidence(&self) -> Vec<f64> {
        let k = self.k;
        let mut out = vec![0.0; self.shape.len()];
        for (r, row) in self.shape.chunks_exact(k).enumerate() {
            let total = digamma(row.iter().sum());
            let (j, t) = (r / k, r % k);
            row.iter().enumerate().for_each(|(l, s)| out[(j * k + l) * k + t] = digamma(*s) - total);
        }
        out
    }

    /// Expected confusion matrices.
    pub fn confusion(&self) -> Vec<f64> {
        let mut out = self.shape.clone();
        crate::confusion::normalise(&mut out, self.k);
        out
    }
}

/// A Beta belief about the accuracy of every annotator.
#[derive(Clone, Debug)]
pub(super) struct Coins {
    k: usize,
    alpha: f64,
    beta: f64,
    /// Right and wrong labels of every annotator, prior included.
    pub shape: Vec<[f64; 2]>,
}

impl Coins {
    pub fn new(m: usize, k: usize, alpha: f64, beta: f64) -> Self {
        Coins { k, alpha, beta, shape: vec![[alpha, beta]; m] }
    }

    pub fn update(&mut self, q: &[f64], items: &[u32], labels: &Labels) {
        self.shape.fill([self.alpha, self.beta]);
        for (q, &i) in q.chunks_exact(self.k).zip(items) {
            for (j, l) in labels.of(i as usize) {
                self.shape[j][0] += q[l];
                self.shape[j][1] += 1.0 - q[l];
            }
        }
    }

    /// Expected logarithms of "right" and of one wrong label, annotators x label x truth.
    pub fn evidence(&self) -> Vec<f64> {
        let k = self.k;
        let others = (k.max(2) - 1) as f64;
        let mut out = Vec::with_capacity(self.shape.len() * k * k);
        for [a, b] in &self.shape {
            let total = digamma(a + b);
            let (yes, no) = (digamma(*a) - total, digamma(*b) - total - others.ln());
            out.extend((0..k * k).map(|n| if n / k == n % k { yes } else { no }));
        }
        out
    }

    pub fn confusion(&self) -> Vec<f64> {
        let k = self.k;
        let mut out = Vec::with_capacity(self.shape.len() * k * k);
        for [a, b] in &self.shape {
            let p = if k > 1 { a / (a + b) } else { 1.0 };
            let wrong = if k > 1 { (1.0 - p) / (k - 1) as f64 } else { 0.0 };
            out.extend((0..k * k).map(|n| if n / k == n % k { p } else { wrong }));
        }
        out
    }
}

/// Logarithms of clipped class probabilities.
pub(super) fn log_clipped(f: &Probabilities, c: f64) -> Vec<f64> {
    let mut out = f.rows.clone();
    for row in out.chunks_exact_mut(f.k) {
        clip(row, c);
        row.iter_mut().for_each(|p| *p = p.max(TINY).ln());
    }
    out
}
