//! Weighted votes and margins: what max-margin majority vote and CrowdSVM share.

use crate::runs::runs;
use crowdwise_core::stats::softmax;
use crowdwise_core::{Categorical, Dataset};
use std::ops::Range;

/// Two scores closer than this are tied; a margin missed by less is kept.
pub(super) const CLOSE: f64 = 1e-9;

/// The votes of a dataset.
pub(super) struct Votes<'a> {
    pub labels: Categorical<'a>,
    pub gold: Option<Vec<Option<u32>>>,
    pub k: usize,
    pub m: usize,
    pub units: usize,
    /// Units per piece of parallel work; the cut depends on the data alone.
    pub runs: Vec<Range<usize>>,
}

impl<'a> Votes<'a> {
    pub fn new(data: &'a Dataset) -> Votes<'a> {
        let labels = data.table.categorical().expect("the kind was checked");
        let (k, m) = (labels.k(), data.table.n_annotators());
        let gold = data.gold_classes().map(|g| g.into_iter().map(|c| c.filter(|&c| c < k as u32)).collect::<Vec<_>>());
        Votes { labels, gold, k, m, units: data.table.n_units(), runs: runs(data.table.offsets(), m) }
    }

    pub fn known(&self, u: usize) -> Option<usize> {
        self.gold.as_ref().and_then(|g| g[u]).map(|c| c as usize)
    }

    pub fn degree(&self, u: usize) -> usize {
        self.labels.table.degree(u)
    }

    /// (annotator, label) of every label of a unit.
    pub fn of(&self, u: usize) -> impl Iterator<Item = (usize, usize)> + Clone + '_ {
        let table = self.labels.table;
        table.rows(u).map(move |r| (table.annotator()[r] as usize, self.labels.codes.get(r)))
    }

    /// Weight of the votes for every class.
    pub fn scores(&self, u: usize, weight: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.of(u).for_each(|(j, l)| out[l] += weight[j]);
    }
}

/// The largest score but that of class `y`, and its first class.
pub(super) fn rival(score: &[f64], y: usize) -> (f64, usize) {
    let mut best = (f64::NEG_INFINITY, y);
    for (c, &s) in score.iter().enumerate() {
        if c != y && s > best.0 {
            best = (s, c);
        }
    }
    best
}

/// Turns scores into ln of exp(-2 penalty max(0, margin - lead)), the lead being that over the best other class.
pub(super) fn ln_pseudo_likelihood(score: &mut [f64], penalty: f64, margin: f64) {
    let (first, second) = score
        .iter()
        .fold((f64::NEG_INFINITY, f64::NEG_INFINITY), |(a, b), &s| if s > a { (s, a) } else { (a, b.max(s)) });
    for s in score {
        let other = if *s == first { second } else { first };
        // two classes with the same largest score: each is the other's rival
        *s = -2.0 * penalty * (margin - (*s - other)).max(0.0);
    }
}

/// Probabilities of the pseudo-likelihood.
pub(super) fn pseudo_posterior(score: &mut [f64], penalty: f64, margin: f64) {
    ln_pseudo_likelihood(score, penalty, margin);
    softmax(score);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_and_rivals() {
        assert_eq!(rival(&[1.0, 3.0, 2.0], 1), (2.0, 2));
        assert_eq!(rival(&[1.0, 3.0, 2.0], 0), (3.0, 1));
        let mut s = [2.0, 2.0, 0.0];
        ln_pseudo_likelihood(&mut s, 0.5, 3.0);
        assert_eq!(s, [-3.0, -3.0, -5.0]);
        let mut s = [5.0, 1.0];
        ln_pseudo_likelihood(&mut s, 0.5, 3.0);
        assert_eq!(s, [0.0, -7.0]);
    }
}
