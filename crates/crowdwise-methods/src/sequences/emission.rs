//! The annotators of ds-hmm: a matrix, a vector or one number each, from expected counts of cells.

use super::cells::Cells;
use crowdwise_core::Annotators;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an annotator is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Emissions {
    /// One accuracy per class, errors spread evenly.
    Vector,
    /// A confusion matrix.
    Full,
    /// One accuracy, errors spread evenly.
    OneCoin,
}

/// Without smoothing a probability may be exactly zero; it then becomes this.
const LEAST: f64 = 1e-10;

/// The annotators, with their log-probabilities by cell.
#[derive(Debug)]
pub(crate) struct Fitted {
    /// Cells x K, by truth.
    pub log: Vec<f64>,
    /// `alpha` times the sum of all log-probabilities: what smoothing adds to the likelihood.
    pub penalty: f64,
    pub annotators: Annotators,
}

/// The M-step of the annotators. `counts` are cells x K.
pub(crate) fn estimate(kind: Emissions, cells: &Cells, counts: &[f64], alpha: f64, annotators: usize) -> Fitted {
    match kind {
        Emissions::Full => full(cells, counts, alpha, annotators),
        Emissions::Vector | Emissions::OneCoin => spread_evenly(kind, cells, counts, alpha, annotators),
    }
}

fn full(cells: &Cells, counts: &[f64], alpha: f64, annotators: usize) -> Fitted {
    let k = cells.k;
    let mut log = vec![0.0; counts.len()];
    let mut matrix = vec![1.0 / k as f64; annotators * k * k];
    let mut penalty = 0.0;
    let mut total = vec![0.0; k];
    for g in 0..cells.n_groups() {
        let own = cells.of_group(g);
        total.fill(alpha * k as f64);
        for c in own.clone() {
            total.iter_mut().zip(&counts[c * k..]).for_each(|(t, x)| *t += x);
        }
        let j = cells.annotator[g] as usize;
        let table = &mut matrix[j * k * k..(j + 1) * k * k];
        for t in 0..k {
            if total[t] > 0.0 {
                table[t * k..(t + 1) * k].fill(alpha / total[t]);
            }
        }
        for c in own.clone() {
            let l = cells.label[c] as usize;
            for t in 0..k {
                let p = if total[t] > 0.0 { (counts[c * k + t] + alpha) / total[t] } else { 1.0 / k as f64 };
                table[t * k + l] = p;
                log[c * k + t] = p.max(LEAST).ln();
            }
        }
        if alpha > 0.0 {
            let unused = k - own.len();
            let seen: f64 = log[own.start * k..own.end * k].iter().sum();
            let unseen: f64 = total.iter().map(|t| (alpha / t).ln()).sum();
            penalty += alpha * (seen + unused as f64 * unseen);
        }
    }
    Fitted { log, penalty, annotators: Annotators::Confusion { k, matrix } }
}

fn spread_evenly(kind: Emissions, cells: &Cells, counts: &[f64], alpha: f64, annotators: usize) -> Fitted {
    let k = cells.k;
    let others = (k.max(2) - 1) as f64;
    let mut log = vec![0.0; counts.len()];
    let mut accuracy = vec![1.0 / k as f64; annotators * k];
    let mut penalty = 0.0;
    let (mut right, mut total) = (vec![0.0; k], vec![0.0; k]);
    for g in 0..cells.n_groups() {
        let own = cells.of_group(g);
        right.fill(0.0);
        total.fill(0.0);
        for c in own.clone() {
            total.iter_mut().zip(&counts[c * k..]).for_each(|(t, x)| *t += x);
            let l = cells.label[c] as usize;
            right[l] = counts[c * k + l];
        }
        if kind == Emissions::OneCoin {
            let (r, n) = (right.iter().sum(), total.iter().sum());
            right.fill(r);
            total.fill(n);
        }
        let j = cells.annotator[g] as usize;
        for t in 0..k {
            let n = total[t] + alpha * k as f64;
            let p = if k == 1 { 1.0 } else { ((right[t] + alpha) / n.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0) };
            let p = if n > 0.0 { p } else { 1.0 / k as f64 };
            accuracy[j * k + t] = p;
            let (hit, miss) = (p.max(LEAST).ln(), ((1.0 - p) / others).max(LEAST).ln());
            for c in own.clone() {
                log[c * k + t] = if cells.label[c] as usize == t { hit } else { miss };
            }
            if k > 1 && (kind == Emissions::Vector || t == 0) {
                penalty += alpha * (hit + others * miss);
            }
        }
    }
    let annotators = if kind == Emissions::Vector {
        Annotators::ClassAccuracy { k, accuracy }
    } else {
        Annotators::Accuracy { k, accuracy: accuracy.into_iter().step_by(k).collect() }
    };
    Fitted { log, penalty, annotators }
}
