//! What a fitted process says of new items.

use crate::objective::TINY;
use crate::{Matrix, Probabilities};
use crowdwise_numerics::{dot, normal_cdf};
use rayon::prelude::*;

/// Questions that are asked of K classes: one for two classes, else "is it this one?" for each.
pub(crate) fn questions(k: usize) -> usize {
    match k {
        0 | 1 => 0,
        2 => 1,
        k => k,
    }
}

/// Numbers of a process at `points` points with `d` features.
pub(crate) fn numbers(points: usize, d: usize, k: usize) -> Option<usize> {
    let own = points.checked_mul(points)?.checked_add(points)?.checked_add(2)?;
    points.checked_mul(d)?.checked_add(questions(k).checked_mul(own)?)
}

/// |x - y|².
pub(super) fn far(x: &[f32], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (f64::from(*x) - y).powi(2)).sum()
}

/// Share of the amplitude that two places at this squared distance have in common.
pub(super) fn near(far: f64, length: f64) -> f64 {
    (-0.5 * far / (length * length)).exp()
}

/// One question: length and amplitude of the kernel, weights of the mean, factor of the variance.
pub(super) struct Question<'a> {
    length: f64,
    amplitude: f64,
    weights: &'a [f64],
    factor: &'a [f64],
}

impl<'a> Question<'a> {
    /// `numbers` as [`numbers`] counts them, behind the points.
    pub fn new(points: usize, numbers: &'a [f64]) -> Self {
        let (weights, factor) = numbers[2..].split_at(points);
        Question { length: numbers[0], amplitude: numbers[1], weights, factor }
    }

    /// Mean and variance at a new place.
    pub fn at(&self, points: &[f64], x: &[f32]) -> (f64, f64) {
        let n = self.weights.len();
        let d = x.len().max(1);
        let k: Vec<f64> = points.chunks_exact(d).map(|p| self.amplitude * near(far(x, p), self.length)).collect();
        let known: f64 = (0..n).map(|c| dot(&self.factor[c * n..=c * n + c], &k).powi(2)).sum();
        (dot(&k, self.weights), (self.amplitude - known).max(0.0))
    }
}

/// Class probabilities of rows of features. Numbers: the points, then each question.
pub(crate) fn probabilities(points: usize, all: &[f64], k: usize, x: &Matrix) -> Probabilities {
    let (places, rest) = all.split_at(points * x.cols);
    let size = 2 + points + points * points;
    let asked: Vec<Question<'_>> = rest.chunks_exact(size).map(|part| Question::new(points, part)).collect();
    let mut rows = vec![1.0; x.rows * k];
    rows.par_chunks_mut(k.max(1)).enumerate().for_each(|(i, row)| {
        let yes: Vec<f64> = asked.iter().map(|q| yes(q.at(places, x.row(i)))).collect();
        answer(&yes, row);
    });
    Probabilities { k, rows }
}

/// Variance of the process at rows of features, the mean over its questions: how little is known of such items.
pub(crate) fn variances(points: usize, all: &[f64], x: &Matrix) -> Vec<f64> {
    let (places, rest) = all.split_at(points * x.cols);
    let asked: Vec<Question<'_>> =
        rest.chunks_exact(2 + points + points * points).map(|part| Question::new(points, part)).collect();
    let mean = |i: usize| asked.iter().map(|q| q.at(places, x.row(i)).1).sum::<f64>() / asked.len().max(1) as f64;
    (0..x.rows).into_par_iter().map(mean).collect()
}

/// P(yes) where the value has this mean and variance.
pub(super) fn yes((mean, variance): (f64, f64)) -> f64 {
    normal_cdf(mean / (1.0 + variance).sqrt())
}

/// Class probabilities from the answers to the questions.
pub(super) fn answer(yes: &[f64], row: &mut [f64]) {
    match (row.len(), yes) {
        (2, [second]) => row.copy_from_slice(&[1.0 - second, *second]),
        _ => row.iter_mut().zip(yes).for_each(|(r, y)| *r = *y),
    }
    row.iter_mut().for_each(|p| *p = p.max(TINY));
    crate::confusion::normalise(row, row.len());
}
