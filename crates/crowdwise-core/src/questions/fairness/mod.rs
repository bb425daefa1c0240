//! Whether annotators, and the labels made of their answers, treat groups of items alike.
//!
//! For every class k, "positive" means k: FPR is how often k is said where it is not true, FNR how often it is not said where
//! it is. With more than two classes the FPR is that of a common mix of the other classes, so that groups in which other
//! classes are frequent do not look unfair for that alone.

mod counts;
mod findings;
mod rates;

pub(super) use findings::of_fit;

use crate::{Dataset, Fit, Gold, GoldValues, stats};
use counts::Counts;
use serde::Serialize;

/// Below this many expected cases in a group a rate is not compared.
pub const CASES: f64 = 10.0;

/// A rate with its interval and the (expected) number of cases that it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GroupRate {
    pub value: f64,
    pub interval: [f64; 2],
    pub n: f64,
}

/// The largest difference of a rate between two groups.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// The two groups, the one with the higher rate first.
    pub groups: [usize; 2],
    /// Higher minus lower rate.
    pub value: f64,
    pub interval: [f64; 2],
    /// Two-sided probability of such a difference if the groups were treated alike, for this pair alone.
    pub p: f64,
}

/// How one group is treated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GroupRates {
    pub group: usize,
    /// Labels on items of the group.
    pub n: f64,
    pub accuracy: Option<GroupRate>,
    /// How often the class is said.
    pub said: Option<GroupRate>,
    pub fpr: Option<GroupRate>,
    pub fnr: Option<GroupRate>,
}

/// How the groups are treated with regard to one class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassFairness {
    pub class: usize,
    pub groups: Vec<GroupRates>,
    /// Gap of how often the class is said (demographic parity).
    pub parity: Option<Gap>,
    pub fpr: Option<Gap>,
    pub fnr: Option<Gap>,
}

impl ClassFairness {
    /// The larger of the gaps of FPR and FNR (equalised odds).
    pub fn odds(&self) -> Option<Gap> {
        [self.fpr, self.fnr].into_iter().flatten().max_by(|a, b| a.value.total_cmp(&b.value))
    }
}

/// One annotator, class by class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnnotatorFairness {
    pub annotator: usize,
    pub classes: Vec<ClassFairness>,
    /// The smallest p of its gaps of FPR and FNR, corrected for all comparisons of all annotators (Holm).
    pub p: Option<f64>,
    /// Treats groups differently beyond chance, and by a gap that matters.
    pub unfair: bool,
}

impl AnnotatorFairness {
    /// The class with the largest gap of FPR or FNR, and the gap.
    pub fn worst(&self) -> Option<(usize, Gap)> {
        let all = self.classes.iter().filter_map(|c| Some((c.class, c.odds()?)));
        all.max_by(|a, b| a.1.value.total_cmp(&b.1.value))
    }
}

/// What the labels of the fit are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FairBasis {
    /// Known truth of some items.
    Truth,
    /// The posterior of the fit, which knows nothing of errors that most annotators make alike.
    Posterior,
}

/// The answer: groups, labels, annotators.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fairness {
    /// Names and numbers of items of the groups.
    pub groups: Vec<(String, usize)>,
    /// Items of which no group is known.
    pub ungrouped: usize,
    pub basis: FairBasis,
    pub labels: Vec<ClassFairness>,
    pub annotators: Vec<AnnotatorFairness>,
    /// Comparisons that the correction is for.
    pub comparisons: usize,
}

/// Corrected p at which an annotator is called unfair: so many fair crowds of a hundred have anybody called so.
pub const UNFAIR_P: f64 = 0.05;
/// Smaller gaps are nobody's concern, however sure.
pub const UNFAIR_GAP: f64 = 0.05;

/// How groups of items are treated by labels and annotators. `None` without an attribute, or where labels are not classes, or
/// where matrices for every annotator and group would be too large.
///
/// With two classes the last one is positive, or `positive`; with more every class is, or `positive` alone. Where `truth`
/// knows an item, it replaces the posterior.
pub fn fairness(data: &Dataset, fit: &Fit, truth: Option<&Gold>, positive: Option<usize>) -> Option<Fairness> {
    let attribute = data.attribute.as_ref()?;
    let (k, q) = fit.model_posterior()?;
    let table = &data.table;
    if q.len() != table.n_units() * k || k < 2 {
        return None;
    }
    let known = truth.map(|g| known(g, table.n_units()));
    let believed = believed(q, k, known.as_deref());
    let group: Vec<Option<usize>> = (0..table.n_items()).map(|i| attribute.group(i)).collect();
    let said = Counts::of_annotators(data, k, &believed, &group, attribute.groups.len())?;
    let scored = |u: usize| table.degree(u) > 0 && known.as_ref().is_none_or(|g| g[u].is_some());
    let labels = fit.posterior()?.1.chunks_exact(k).enumerate().filter(|(u, _)| scored(*u));
    let labels = labels.map(|(u, row)| (u, stats::argmax(row)));
    let aggregated = Counts::of_labels(labels, k, &believed, &group, attribute.groups.len());
    let classes: Vec<usize> = match positive {
        Some(c) => vec![c],
        None if k == 2 => vec![1],
        None => (0..k).collect(),
    };
    let shares = said.shares();
    let annotators = (0..table.n_annotators()).map(|j| AnnotatorFairness {
        annotator: j,
        classes: classes.iter().map(|&c| rates::of_class(&said, j, c, &shares)).collect(),
        p: None,
        unfair: false,
    });
    let mut annotators: Vec<AnnotatorFairness> = annotators.collect();
    let comparisons = rates::correct(&mut annotators);
    let items = |g: usize| group.iter().filter(|x| **x == Some(g)).count();
    Some(Fairness {
        groups: attribute.groups.iter().enumerate().map(|(g, name)| (name.to_owned(), items(g))).collect(),
        ungrouped: group.iter().filter(|g| g.is_none()).count(),
        basis: if known.is_some() { FairBasis::Truth } else { FairBasis::Posterior },
        labels: classes.iter().map(|&c| rates::of_class(&aggregated, 0, c, &shares)).collect(),
        annotators,
        comparisons,
    })
}

/// Known classes that the fit can have.
fn known(gold: &Gold, units: usize) -> Vec<Option<u32>> {
    debug_assert!(matches!(gold.values, GoldValues::Classes(_)));
    gold.classes(units)
}

/// The posterior with known rows in their place; a class that nobody said is none of its columns.
fn believed(q: &[f64], k: usize, known: Option<&[Option<u32>]>) -> Vec<f64> {
    let mut out = q.to_vec();
    for (u, row) in out.chunks_exact_mut(k).enumerate() {
        if let Some(c) = known.and_then(|g| g[u]) {
            row.fill(0.0);
            if (c as usize) < k {
                row[c as usize] = 1.0;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
