//! What a method is, seen from the training loop: the loss of a batch, its gradient on the scores, and the annotators.

use crate::confusion::{Words, log_likelihood, log_transposed, posterior};
use crate::{Classifier, Labels, Matrix, Mode};
use crowdwise_core::{Error, stats};

/// Items that are trained on at once, with all their labels.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    pub items: &'a [u32],
    /// Their features, as the classifier saw them.
    pub x: &'a Matrix,
    pub labels: &'a Labels,
}

impl Batch<'_> {
    /// Labels of the batch.
    pub fn n_labels(&self) -> usize {
        self.items.iter().map(|&i| self.labels.degree(i as usize)).sum()
    }
}

/// The scores of all training items, computed when asked for.
pub struct Outputs<'a> {
    pub items: &'a [u32],
    pub labels: &'a Labels,
    pub(crate) scores: &'a mut dyn FnMut(Mode) -> Result<Matrix, Error>,
}

impl std::fmt::Debug for Outputs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outputs").field("items", &self.items.len()).finish_non_exhaustive()
    }
}

impl Outputs<'_> {
    /// Scores of the training items, without dropout.
    pub fn scores(&mut self) -> Result<Matrix, Error> {
        (self.scores)(Mode::Eval)
    }

    /// Mean class probabilities of the training items over `passes` networks drawn by dropout, the first of them drawn as
    /// number `first`; without passes those of the network itself.
    pub fn mean_probabilities(&mut self, passes: usize, first: u64) -> Result<Probabilities, Error> {
        let mut mean = Probabilities::of(&(self.scores)(if passes > 0 { Mode::Sample(first) } else { Mode::Eval })?);
        for pass in 1..passes as u64 {
            let f = Probabilities::of(&(self.scores)(Mode::Sample(first + pass))?);
            mean.rows.iter_mut().zip(&f.rows).for_each(|(m, p)| *m += p);
        }
        mean.rows.iter_mut().for_each(|p| *p /= passes.max(1) as f64);
        Ok(mean)
    }
}

/// One method: given the scores of a batch and the labels that exist, the loss, its gradient on the scores, and the
/// annotators' own update. It knows no network.
pub trait Objective: Send {
    /// Before the first batch of an epoch (counted from 1). `factor` multiplies the annotators' step length as it does the
    /// network's.
    fn begin_epoch(&mut self, _epoch: usize, _factor: f64) {}

    /// May change the features of a batch before the classifier is trained on them.
    fn perturb(&mut self, _net: &mut dyn Classifier, _items: &[u32], _x: &mut Matrix) -> Result<(), Error> {
        Ok(())
    }

    /// Loss of the batch; writes its derivative by the scores and takes a step with the annotators' parameters. Only the
    /// labels of the batch are visited.
    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64;

    /// After the last batch of an epoch.
    fn end_epoch(&mut self, _epoch: usize, _all: &mut Outputs<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// P(says l | truth k) of every annotator as things stand: annotators x truth x label.
    fn confusion(&self) -> Vec<f64>;

    /// What a label adds to the logarithm of the classes' probabilities, annotators x label x class, where that is not
    /// the logarithm of the confusion.
    fn evidence(&self) -> Option<Vec<f64>> {
        None
    }

    /// What is added to the logarithms of the classifier's probabilities before labels speak, a number per class; empty
    /// for nothing.
    fn offset(&self) -> Vec<f64> {
        Vec::new()
    }

    /// No class of an item has more probability than this before its labels speak.
    fn bound(&self) -> f64 {
        1.0
    }

    /// Class probabilities of rows of scores.
    fn probabilities(&self, scores: &Matrix) -> Probabilities {
        Probabilities::of(scores)
    }

    /// Log-likelihood of all labels of these items, given the classifier: what held-out labels judge an epoch by.
    fn log_likelihood(&self, f: &Probabilities, items: &[u32], labels: &Labels) -> f64 {
        log_likelihood(&self.confusion(), f, items, labels)
    }

    /// Probabilities of all items, from the classifier and their labels.
    fn posterior(&self, f: &Probabilities, labels: &Labels) -> Vec<f64> {
        let evidence = self.evidence().unwrap_or_else(|| log_transposed(&self.confusion(), labels.k));
        posterior(&Words { evidence: &evidence, offset: &self.offset(), bound: self.bound() }, f, labels)
    }

    /// Everything that the annotators' side has learned.
    fn snapshot(&self) -> Vec<f64>;
    fn restore(&mut self, kept: &[f64]);
}

/// Rows of class probabilities, in f64: likelihoods multiply them.
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities {
    pub k: usize,
    pub rows: Vec<f64>,
}

/// Probabilities are never smaller, so that a quotient by one of them is finite.
pub(crate) const TINY: f64 = 1e-200;

impl Probabilities {
    /// Soft-max of rows of scores.
    pub fn of(scores: &Matrix) -> Self {
        let mut rows: Vec<f64> = scores.values.iter().map(|&z| f64::from(z)).collect();
        for row in rows.chunks_exact_mut(scores.cols.max(1)) {
            stats::softmax(row);
            row.iter_mut().for_each(|p| *p = p.max(TINY));
        }
        Probabilities { k: scores.cols, rows }
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.k..(i + 1) * self.k]
    }

    pub fn len(&self) -> usize {
        self.rows.len() / self.k.max(1)
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The derivative by the scores from the derivative by the probabilities.
    pub fn backward(&self, d_f: &[f64], d_scores: &mut Matrix) {
        let rows = self.rows.chunks_exact(self.k).zip(d_f.chunks_exact(self.k));
        for ((f, d), z) in rows.zip(d_scores.values.chunks_exact_mut(self.k)) {
            let mean: f64 = f.iter().zip(d).map(|(f, d)| f * d).sum();
            for ((f, d), z) in f.iter().zip(d).zip(z) {
                *z = (f * (d - mean)) as f32;
            }
        }
    }
}

/// Mean cross-entropy with soft targets (rows of the batch) and its derivative by the scores.
pub(crate) fn cross_entropy<'t>(
    f: &Probabilities,
    target: impl Fn(usize) -> &'t [f64],
    weight: impl Fn(usize) -> f64,
    d_scores: &mut Matrix,
) -> f64 {
    let n = f.len().max(1) as f64;
    let mut loss = 0.0;
    for (b, z) in d_scores.values.chunks_exact_mut(f.k).enumerate() {
        let (p, t, w) = (f.row(b), target(b), weight(b));
        let mass: f64 = t.iter().sum();
        for ((z, p), t) in z.iter_mut().zip(p).zip(t) {
            *z = (w * (mass * p - t) / n) as f32;
            if *t > 0.0 {
                loss -= w * t * p.ln() / n;
            }
        }
    }
    loss
}

/// Adds the cross-entropy of the items of the batch whose class is known, each counted like one label.
pub(crate) fn add_gold(f: &Probabilities, batch: &Batch<'_>, unit: f64, d_f: &mut [f64]) -> f64 {
    let mut loss = 0.0;
    for (b, &i) in batch.items.iter().enumerate() {
        if let Some(g) = batch.labels.gold(i as usize) {
            let p = f.row(b)[g];
            loss -= p.ln() * unit;
            d_f[b * f.k + g] -= unit / p;
        }
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_scores_stay_finite() {
        let z = Matrix::new(2, 3, vec![1e4, -1e4, 0.0, 0.5, 0.5, 0.5]);
        let f = Probabilities::of(&z);
        assert!(f.rows.iter().all(|p| *p > 0.0) && (f.rows[0] - 1.0).abs() < 1e-12);
        let mut d = Matrix::zeros(2, 3);
        let target = [0.0, 1.0, 0.0];
        let loss = cross_entropy(&f, |_| &target, |_| 1.0, &mut d);
        assert!(loss.is_finite() && d.values.iter().all(|x| x.is_finite()));
        assert!((d.values[1] + 0.5).abs() < 1e-6, "{d:?}");
        // the same through the probabilities
        let d_f: Vec<f64> = f.rows.iter().enumerate().map(|(n, p)| if n % 3 == 1 { -0.5 / p } else { 0.0 }).collect();
        let mut again = Matrix::zeros(2, 3);
        f.backward(&d_f, &mut again);
        assert!(again.values.iter().zip(&d.values).all(|(a, b)| (a - b).abs() < 1e-6), "{again:?} {d:?}");
    }
}
