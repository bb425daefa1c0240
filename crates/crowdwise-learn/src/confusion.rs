//! Confusion matrices of annotators, row = truth: counted from probabilities, used for posteriors and likelihoods.

use crate::Labels;
use crate::objective::{Probabilities, TINY};
use crowdwise_core::stats;

/// P(says l | truth k) counted from the probabilities of `items` (their rows in `q`, parallel to `items`), each cell
/// raised by `smoothing`. An annotator without labels says anything.
pub fn counted(q: &[f64], items: &[u32], labels: &Labels, smoothing: f64) -> Vec<f64> {
    let (m, k) = (labels.m, labels.k);
    let mut out = vec![smoothing; m * k * k];
    for (q, &i) in q.chunks_exact(k).zip(items) {
        for (j, l) in labels.of(i as usize) {
            for (t, q) in q.iter().enumerate() {
                out[(j * k + t) * k + l] += q;
            }
        }
    }
    normalise(&mut out, k);
    out
}

/// Makes rows sum to 1; a row of zeros becomes even.
pub fn normalise(rows: &mut [f64], k: usize) {
    for row in rows.chunks_exact_mut(k) {
        let sum: f64 = row.iter().sum();
        if sum > 0.0 {
            row.iter_mut().for_each(|x| *x /= sum);
        } else {
            row.fill(1.0 / k as f64);
        }
    }
}

/// Adds ln P(label | truth) of every label of item `i` to `row`.
pub fn add_evidence(confusion: &[f64], labels: &Labels, i: usize, row: &mut [f64]) {
    let k = labels.k;
    for (j, l) in labels.of(i) {
        for (t, x) in row.iter_mut().enumerate() {
            *x += confusion[(j * k + t) * k + l].max(1e-12).ln();
        }
    }
}

/// Log-likelihood of the labels of `items` (whose class probabilities are the rows of `f`): the true class is summed out,
/// so that the labels of an item are judged together.
pub fn log_likelihood(confusion: &[f64], f: &Probabilities, items: &[u32], labels: &Labels) -> f64 {
    let mut row = vec![0.0; labels.k];
    let mut sum = 0.0;
    for (b, &i) in items.iter().enumerate() {
        row.iter_mut().zip(f.row(b)).for_each(|(x, p)| *x = p.max(TINY).ln());
        add_evidence(confusion, labels, i as usize, &mut row);
        sum += stats::softmax(&mut row);
    }
    sum
}

/// Logarithms of confusion matrices, label first: annotators x label x truth.
pub fn log_transposed(confusion: &[f64], k: usize) -> Vec<f64> {
    let mut out = vec![0.0; confusion.len()];
    for (j, matrix) in confusion.chunks_exact(k * k).enumerate() {
        for (t, row) in matrix.chunks_exact(k).enumerate() {
            row.iter().enumerate().for_each(|(l, p)| out[(j * k + l) * k + t] = p.max(1e-12).ln());
        }
    }
    out
}

/// What labels say of classes, beside the classifier.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// annotators x label x class, logarithms
    pub evidence: &'a [f64],
    /// Added for every item, a number per class; empty for nothing.
    pub offset: &'a [f64],
    /// Largest probability that the classifier may give to a class.
    pub bound: f64,
}

impl Words<'_> {
    /// Turns the classifier's probabilities of an item into those with its labels, given as (annotator, class).
    pub fn hear(&self, row: &mut [f64], labels: impl Iterator<Item = (usize, usize)>) {
        let k = row.len();
        clip(row, self.bound);
        row.iter_mut().for_each(|p| *p = p.max(TINY).ln());
        row.iter_mut().zip(self.offset).for_each(|(x, o)| *x += o);
        for (j, l) in labels {
            row.iter_mut().zip(&self.evidence[(j * k + l) * k..][..k]).for_each(|(x, e)| *x += e);
        }
        stats::softmax(row);
    }
}

/// No probability above `bound`: what is above is shared evenly among the other classes, until none is above.
pub fn clip(row: &mut [f64], bound: f64) {
    let k = row.len();
    if k < 2 || bound >= 1.0 {
        return;
    }
    let bound = bound.max(1.0 / k as f64);
    let mut held = vec![false; k];
    for _ in 0..k {
        let excess: f64 = row.iter().filter(|p| **p > bound).map(|p| p - bound).sum();
        if excess <= 1e-15 {
            return;
        }
        (0..k).filter(|&x| row[x] > bound).for_each(|x| held[x] = true);
        let free = held.iter().filter(|h| !**h).count();
        if free == 0 {
            row.fill(1.0 / k as f64);
            return;
        }
        for x in 0..k {
            row[x] = if held[x] { bound } else { row[x] + excess / free as f64 };
        }
    }
}

/// Class probabilities of all items: classifier and labels; gold is certain, and an item without labels has the
/// classifier alone.
pub fn posterior(words: &Words<'_>, f: &Probabilities, labels: &Labels) -> Vec<f64> {
    let k = labels.k;
    let mut out = vec![0.0; labels.items() * k];
    for (i, row) in out.chunks_exact_mut(k).enumerate() {
        if let Some(g) = labels.gold(i) {
            row[g] = 1.0;
            continue;
        }
        row.copy_from_slice(f.row(i));
        if labels.degree(i) > 0 {
            words.hear(row, labels.of(i));
        }
        normalise(row, k);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{Dataset, LabelKind, TableBuilder};

    fn labels() -> Labels {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (i, a, l) in [("x", "a", "0"), ("x", "b", "1"), ("y", "a", "1"), ("y", "b", "1")] {
            b.label(i, a, l).unwrap();
        }
        Labels::new(&Dataset::new(b.finish().unwrap()))
    }

    #[test]
    fn counts_posteriors_and_likelihoods_by_hand() {
        let labels = labels();
        let q = [0.75, 0.25, 0.0, 1.0];
        let c = counted(&q, &[0, 1], &labels, 0.0);
        // annotator a says 0 on x and 1 on y: truth 0 only through x, truth 1 is 1/4 x and y
        let want = [1.0, 0.0, 0.2, 0.8, 0.0, 1.0, 0.0, 1.0];
        assert!(c.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{c:?}");
        let a = [0.9, 0.1, 0.2, 0.8, 0.6, 0.4, 0.3, 0.7];
        let f = Probabilities { k: 2, rows: vec![0.5, 0.5, 0.3, 0.7] };
        let x = [0.5 * 0.9 * 0.4, 0.5 * 0.2 * 0.7];
        let y = [0.3 * 0.1 * 0.4, 0.7 * 0.8 * 0.7];
        let e = log_transposed(&a, 2);
        let words = Words { evidence: &e, offset: &[], bound: 1.0 };
        let p = posterior(&words, &f, &labels);
        assert!((p[0] - x[0] / (x[0] + x[1])).abs() < 1e-12 && (p[3] - y[1] / (y[0] + y[1])).abs() < 1e-12);
        let ll = log_likelihood(&a, &f, &[0, 1], &labels);
        assert!((ll - (x[0] + x[1]).ln() - (y[0] + y[1]).ln()).abs() < 1e-12);
        // an offset multiplies, a bound of 1/K silences the classifier
        let shifted = posterior(&Words { offset: &[2f64.ln(), 0.0], ..words }, &f, &labels);
        assert!((shifted[0] - 2.0 * x[0] / (2.0 * x[0] + x[1])).abs() < 1e-12);
        let silent = posterior(&Words { bound: 0.5, ..words }, &f, &labels);
        assert!((silent[3] - 0.8 * 0.7 / (0.1 * 0.4 + 0.8 * 0.7)).abs() < 1e-12);
    }

    #[test]
    fn clipping_keeps_the_sum_and_the_bound() {
        let mut two = [0.98, 0.02];
        clip(&mut two, 0.9);
        assert!((two[0] - 0.9).abs() < 1e-12 && (two[1] - 0.1).abs() < 1e-12);
        let mut three = [0.9, 0.09, 0.01];
        clip(&mut three, 0.45);
        assert!(three.iter().all(|p| *p <= 0.45 + 1e-12) && (three.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let mut even = [0.7, 0.2, 0.1];
        clip(&mut even, 0.1);
        assert!(even.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-12));
        let mut free = [0.5, 0.3, 0.2];
        clip(&mut free, 1.0);
        assert_eq!(free, [0.5, 0.3, 0.2]);
    }
}
