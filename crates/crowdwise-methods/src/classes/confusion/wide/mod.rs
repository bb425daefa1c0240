//! EM without a K x K table per annotator, for models whose errors are spread evenly over the wrong classes.
//!
//! The kernel's tables take annotators x K x K numbers. Where an annotator is right with one probability, or with one
//! per class, that is needless: memory here is linear in labels (plus annotators x K for one per class), besides the
//! posterior itself. Used where the tables are so large for the labels that the kernel would not extrapolate either;
//! the steps are those of plain EM, and so are the results.

mod coins;
mod vectors;

pub(crate) use coins::{Even, Rates, coins};
pub(super) use vectors::{Vector, vectors};

use super::em::Settings;
use crowdwise_core::{Categorical, Context, Dataset};

/// The labels and the classes that are known.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub labels: Categorical<'a>,
    pub gold: Option<&'a [Option<u32>]>,
}

impl Input<'_> {
    fn k(&self) -> usize {
        self.labels.k()
    }

    fn known(&self, u: usize) -> Option<usize> {
        self.gold.and_then(|g| g[u]).map(|c| c as usize)
    }

    /// Units of one piece of parallel work: sums are taken per piece, in order, whatever the number of threads.
    fn piece(&self) -> usize {
        (1 << 20) / self.k().clamp(64, 1 << 14)
    }
}

/// Where the iterations begin.
pub(crate) enum Begin<'a> {
    VoteShares,
    /// units x K.
    Posterior(&'a [f64]),
    /// Accuracies of the annotators of an earlier fit, and its class prior.
    Accuracy {
        accuracy: Vec<f64>,
        prior: Vec<f64>,
    },
}

/// Whether the tables of the kernel are too large for the labels.
pub(crate) fn is_wide(data: &Dataset) -> bool {
    let (k, m) = (data.table.n_classes(), data.table.n_annotators());
    k > 2 && !super::em::worth_extrapolating(m.saturating_mul(k).saturating_mul(k), data.table.n_labels())
}

/// As [`super::shared::warm_start`], with accuracies where that has tables.
pub(crate) fn warm_start<'a>(data: &Dataset, cx: &Context<'a>) -> Option<Begin<'a>> {
    let warm = cx.warm?;
    if let Some(q) = super::shared::warm_posterior(data, warm) {
        return Some(Begin::Posterior(q));
    }
    let (m, k) = (data.table.n_annotators(), data.table.n_classes());
    if warm.annotators.len() != m || warm.annotators.classes() != Some(k) {
        return None;
    }
    let accuracy = (0..m).map(|j| warm.annotators.accuracy(j)).collect::<Option<Vec<f64>>>()?;
    let prior = warm.class_prior.clone().filter(|p| p.len() == k).unwrap_or_else(|| vec![1.0 / k as f64; k]);
    Some(Begin::Accuracy { accuracy, prior })
}

/// The part of the settings that these loops know: soft steps, not extrapolated.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub max_iter: usize,
    pub tol: f64,
}

impl From<&Settings> for Limits {
    fn from(s: &Settings) -> Limits {
        Limits { max_iter: s.max_iter, tol: s.tol }
    }
}

fn ln(x: f64) -> f64 {
    x.max(f64::MIN_POSITIVE).ln()
}

#[cfg(test)]
mod tests;
