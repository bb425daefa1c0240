//! Class probabilities that a network is trained on.

use crate::confusion::{add_evidence, counted};
use crate::objective::{Batch, Probabilities, TINY, cross_entropy};
use crate::{Labels, Matrix};
use crowdwise_core::{Context, Dataset, Error, stats};

/// Posterior of Dawid and Skene's model, smoothed and not to the last digit: where methods begin that improve on it.
pub(crate) fn dawid_skene(data: &Dataset, cx: &mut Context<'_>) -> Result<Vec<f64>, Error> {
    let params = [("alpha".to_owned(), 1.0.into()), ("max_iter".into(), 50.into()), ("tol".into(), 1e-4.into())];
    let fit = crowdwise_methods::find("dawid-skene")?.with(&params)?.estimate(data, cx)?;
    Ok(fit.posterior().expect("a method of classes gives classes").1.to_vec())
}

/// Soft targets of all items, with the confusion matrices that belong to them.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    pub k: usize,
    /// items x K
    pub q: Vec<f64>,
    /// annotators x truth x label
    pub confusion: Vec<f64>,
}

impl Targets {
    /// Vote shares, and the confusion matrices that they give for the training items.
    pub fn votes(labels: &Labels, train: &[u32], smoothing: f64) -> Self {
        Targets::of(labels.vote_shares(), labels, train, smoothing)
    }

    pub fn of(q: Vec<f64>, labels: &Labels, train: &[u32], smoothing: f64) -> Self {
        let mut out = Targets { k: labels.k, q, confusion: Vec::new() };
        out.count(labels, train, smoothing);
        out
    }

    pub fn row(&self, i: u32) -> &[f64] {
        &self.q[i as usize * self.k..(i as usize + 1) * self.k]
    }

    /// Confusion matrices from the targets of the training items.
    pub fn count(&mut self, labels: &Labels, train: &[u32], smoothing: f64) {
        let rows: Vec<f64> = train.iter().flat_map(|&i| self.row(i).iter().copied()).collect();
        self.confusion = counted(&rows, train, labels, smoothing);
    }

    /// Targets of the training items from their labels and the logarithms of their class probabilities (parallel to
    /// `train`). Gold stays certain.
    pub fn infer(&mut self, log_f: impl Fn(usize, &mut [f64]), labels: &Labels, train: &[u32]) {
        let k = self.k;
        for (b, &i) in train.iter().enumerate() {
            let i = i as usize;
            let row = &mut self.q[i * k..(i + 1) * k];
            if labels.gold(i).is_some() {
                continue;
            }
            log_f(b, row);
            add_evidence(&self.confusion, labels, i, row);
            stats::softmax(row);
        }
    }

    /// The E-step with a classifier's probabilities, each raised by `floor` so that no class is ruled out by it.
    pub fn infer_with(&mut self, f: &Probabilities, floor: f64, labels: &Labels, train: &[u32]) {
        let log_f = |b: usize, row: &mut [f64]| {
            row.iter_mut().zip(f.row(b)).for_each(|(x, p)| *x = (p + floor).max(TINY).ln());
        };
        self.infer(log_f, labels, train);
    }

    /// Cross-entropy of the batch with its targets.
    pub fn loss(&self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let f = Probabilities::of(scores);
        cross_entropy(&f, |b| self.row(batch.items[b]), |_| 1.0, d_scores)
    }

    pub fn snapshot(&self) -> Vec<f64> {
        [self.q.as_slice(), &self.confusion].concat()
    }

    pub fn restore(&mut self, kept: &[f64]) {
        let (q, confusion) = kept.split_at(self.q.len());
        self.q.copy_from_slice(q);
        self.confusion.copy_from_slice(confusion);
    }
}
