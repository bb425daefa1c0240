//! How the output of a network becomes class probabilities.

use crate::objective::TINY;
use crate::process::predict;
use crate::{Matrix, Probabilities};
use crowdwise_core::stats;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How scores become class probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Readout {
    /// Soft-max of the scores.
    Softmax,
    /// The scores are hidden numbers; a weighted mean of the soft-max of several linear heads. Numbers: heads x (hidden +
    /// 1) x K, then the weights of the heads.
    Heads { heads: usize },
    /// The scores are the features, and a Gaussian process at so many points gives the probabilities. Numbers: see
    /// `process::predict`.
    Process { points: usize },
    /// The scores are log-odds that the class comes after the first, the second … of classes in order.
    Cumulative,
}

impl Readout {
    /// Class probabilities of rows of scores.
    pub(crate) fn probabilities(&self, numbers: &[f64], k: usize, scores: &Matrix) -> Probabilities {
        match self {
            Readout::Softmax => Probabilities::of(scores),
            Readout::Heads { heads } => by_heads(*heads, numbers, k, scores),
            Readout::Cumulative => by_order(k, scores),
            Readout::Process { points } => predict::probabilities(*points, numbers, k, scores),
        }
    }

    /// How uncertain the function behind the probabilities is, where that is known.
    pub(crate) fn variances(&self, numbers: &[f64], scores: &Matrix) -> Option<Vec<f64>> {
        match self {
            Readout::Process { points } => Some(predict::variances(*points, numbers, scores)),
            Readout::Softmax | Readout::Heads { .. } | Readout::Cumulative => None,
        }
    }

    /// How many numbers it needs; none if there are more than can be counted.
    pub(crate) fn numbers(&self, scores: usize, k: usize) -> Option<usize> {
        match self {
            Readout::Softmax | Readout::Cumulative => Some(0),
            Readout::Heads { heads } => {
                scores.checked_add(1)?.checked_mul(k)?.checked_add(1).and_then(|n| n.checked_mul(*heads))
            }
            Readout::Process { points } => predict::numbers(*points, scores, k),
        }
    }

    /// Whether a network with so many scores can be read in this way.
    pub(crate) fn fits(&self, scores: usize, k: usize) -> bool {
        match self {
            Readout::Softmax => scores == k,
            Readout::Cumulative => scores + 1 == k,
            Readout::Heads { heads } => *heads > 0,
            Readout::Process { points } => *points > 0,
        }
    }
}

/// The scores of one head (weights by hidden number, then offsets) for a row of hidden numbers.
pub(crate) fn head_scores(head: &[f64], hidden: &[f32], out: &mut [f64]) {
    let k = out.len();
    out.copy_from_slice(&head[hidden.len() * k..]);
    for (x, w) in hidden.iter().zip(head.chunks_exact(k)).filter(|(x, _)| **x != 0.0) {
        out.iter_mut().zip(w).for_each(|(o, w)| *o += f64::from(*x) * w);
    }
}

fn by_heads(heads: usize, numbers: &[f64], k: usize, hidden: &Matrix) -> Probabilities {
    let (all, weights) = numbers.split_at(heads * (hidden.cols + 1) * k);
    let mut rows = vec![0.0; hidden.rows * k];
    rows.par_chunks_mut(k).enumerate().for_each(|(i, out)| {
        let mut p = vec![0.0; k];
        for (head, w) in all.chunks_exact((hidden.cols + 1) * k).zip(weights) {
            head_scores(head, hidden.row(i), &mut p);
            stats::softmax(&mut p);
            out.iter_mut().zip(&p).for_each(|(o, p)| *o += w * p);
        }
        out.iter_mut().for_each(|p| *p = p.max(TINY));
    });
    Probabilities { k, rows }
}

/// Differences of P(class after t); those that would be negative are 0.
fn by_order(k: usize, scores: &Matrix) -> Probabilities {
    let mut rows = Vec::with_capacity(scores.rows * k);
    for i in 0..scores.rows {
        let after: Vec<f64> = scores.row(i).iter().map(|&s| 1.0 / (1.0 + (-f64::from(s)).exp())).collect();
        let at = |c: usize| if c == 0 { 1.0 } else { after.get(c - 1).copied().unwrap_or(0.0) };
        let mut row: Vec<f64> = (0..k).map(|c| (at(c) - at(c + 1)).max(TINY)).collect();
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
        rows.extend(row);
    }
    Probabilities { k, rows }
}
