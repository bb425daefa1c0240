//! Findings about classes that were exchanged, cannot be told apart, or are not determined by the labels.

use super::{Identifiability, closest, cycles, significant};
use crate::questions::agreement::MIN_COMMON;
use crate::questions::tally::Tally;
use crate::stats::argmax;
use crate::{Annotators, Dataset, Finding, Fit, Severity, Subject, group};
use crowdwise_numerics::Matrix;

/// Units of a class below which nothing is said about it.
const FEW_UNITS: f64 = 5.0;
/// A class is exchanged if another label is this many times as frequent on its items as its own.
const MUCH_MORE: f64 = 1.5;
/// Bhattacharyya's distance per label below which two classes count as not told apart: that of a coin that is right in
/// 55 of 100 cases.
const INDISTINCT: f64 = 0.005;
/// Annotators whose ranks are looked at in a fit, those with the most labels.
const RANKED: usize = 200;

/// What a fit shows.
pub fn of_fit(data: &Dataset, fit: &Fit, t: &Tally) -> Vec<Finding> {
    let mut out = Vec::new();
    let (k, m) = (t.k, t.n.len());
    if k < 2 || t.seen.is_empty() || fit.annotators.len() != m || fit.annotators.confusion(0).is_none() {
        return out;
    }
    let classes = data.table.categorical().expect("a tally is of classes").classes;
    let units = |c: usize| t.posterior[c] * t.labelled as f64;
    let present: Vec<bool> = (0..k).map(|c| units(c) >= FEW_UNITS).collect();
    for cycle in exchanged(fit, t, &present) {
        let names: Vec<String> = cycle.iter().map(|&c| format!("`{}`", classes.name(c))).collect();
        out.push(Finding::new(
            "label-switching",
            Severity::Problem,
            Subject::Fit,
            format!(
                "classes {} look exchanged: items that the fit gives to one of them were mostly labelled as the next",
                names.join(", ")
            ),
            "start the fit elsewhere (`init=majority`), give gold labels for some items, or compare with majority-vote",
        ));
    }
    if let Some(pair) = closest(k, &t.n, &present, |j| t.confusion(fit, j)).filter(|p| p.exponent < INDISTINCT) {
        out.push(Finding::new(
            "indistinct-classes",
            Severity::Warning,
            Subject::Fit,
            format!(
                "annotators answer alike on items of `{}` and of `{}`: the fit cannot tell the two apart",
                classes.name(pair.a),
                classes.name(pair.b)
            ),
            "which of the two an item gets is arbitrary: merge the classes, or give gold labels for both",
        ));
    }
    if matches!(fit.annotators, Annotators::Confusion { .. })
        && m >= 3
        && let Some(sum) = best_ranks(fit, t).filter(|&s| s < 2 * k + 2)
    {
        out.push(Finding::new(
            "weak-identifiability",
            Severity::Info,
            Subject::Fit,
            format!(
                "no three annotators are known to tell the {} classes apart: the ranks of their matrices, beyond sampling \
                 error, add up to {sum}, where {} determine everything",
                group(k as u64),
                2 * k + 2
            ),
            "the matrices of rare classes rest on little: use a method with fewer parameters (one-coin, \
             pooled-dawid-skene), merge rare classes, or collect more labels per annotator",
        ));
    }
    out
}

/// What the labels themselves show.
pub fn of_labels(i: &Identifiability) -> Option<Finding> {
    let t = &i.triples;
    (t.examined >= 3 && t.annotators == 0).then(|| {
        Finding::new(
            "weak-identifiability",
            Severity::Warning,
            Subject::Data,
            format!(
                "no three annotators with {MIN_COMMON} items in common can be shown to tell the classes apart ({} of {} do so \
                 one by one)",
                group(t.full_rank as u64),
                group(t.examined as u64)
            ),
            "full confusion matrices can hardly be estimated: use a method with fewer parameters, or collect more labels for items \
             that others labelled",
        )
    })
}

/// Cycles of classes whose items mostly have the label of the next one in the cycle.
fn exchanged(fit: &Fit, t: &Tally, present: &[bool]) -> Vec<Vec<usize>> {
    let k = t.k;
    let mut said = vec![0.0; k * k];
    for (j, seen) in t.seen.chunks_exact(k).enumerate().filter(|x| t.n[x.0] > 0) {
        let Some(c) = t.confusion(fit, j) else { return Vec::new() };
        for (a, &n) in seen.iter().enumerate() {
            (0..k).for_each(|l| said[a * k + l] += n * c[a * k + l]);
        }
    }
    let next: Vec<Option<usize>> = (0..k)
        .map(|a| {
            let row = &said[a * k..(a + 1) * k];
            let most = argmax(row);
            (present[a] && row[most] > MUCH_MORE * row[a]).then_some(most)
        })
        .collect();
    cycles(&next)
}

/// The three largest ranks among the annotators with the most labels, added up.
fn best_ranks(fit: &Fit, t: &Tally) -> Option<usize> {
    let k = t.k;
    let mut who: Vec<usize> = (0..t.n.len()).collect();
    who.sort_by_key(|&j| (std::cmp::Reverse(t.n[j]), j));
    who.truncate(RANKED.min(20_000_000 / (k * k * k)));
    if who.len() < 3 {
        return None;
    }
    let mut best = [0; 3];
    for j in who {
        let c = t.confusion(fit, j)?;
        let joint: Vec<f64> = c.iter().enumerate().map(|(x, p)| p * t.posterior[x / k]).collect();
        let rank = significant(&Matrix::new(k, k, joint).singular_values(), t.n[j]);
        if rank > best[0] {
            best[0] = rank;
            best.sort_unstable();
        }
        if best[0] == k {
            break;
        }
    }
    Some(best.iter().sum())
}
