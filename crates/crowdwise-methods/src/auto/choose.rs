//! The rule: scores, guards, choice.

use super::Auto;
use super::candidates::Candidate;
use crate::classes::sanity::Departure;
use crowdwise_core::Categorical;
use crowdwise_core::questions::vote_agreement;

/// A candidate that agrees with the others' labels less than the votes do, by more than this, has collapsed.
pub(super) const BELOW_VOTES: f64 = 0.02;
/// Places of the two base models in the list.
pub(super) const COIN: usize = 0;
pub(super) const MATRICES: usize = 1;
/// Standard errors by which one accuracy per annotator must be ahead of matrices.
pub(super) const BEYOND_CHANCE: f64 = 2.0;

/// What the plain votes say.
pub(super) struct Votes<'a> {
    pub labels: Categorical<'a>,
    /// Mean vote share of each class over the labelled items.
    shares: Vec<f64>,
    pub labelled: usize,
    /// Agreement of the labels with the other labels of the item.
    pub agreement: f64,
    gold: Option<&'a [Option<u32>]>,
}

pub(super) struct Choice {
    /// Number of the candidate that is used; `None` if all were rejected.
    pub used: Option<usize>,
    pub scores: Vec<f64>,
    pub rejected: Vec<Option<String>>,
}

impl Choice {
    /// Score of the best candidate that was not rejected.
    pub fn best(&self) -> Option<f64> {
        self.used.map(|x| self.scores[x])
    }
}

impl<'a> Votes<'a> {
    pub fn new(labels: &Categorical<'a>, gold: Option<&'a [Option<u32>]>) -> Votes<'a> {
        let mut shares = vec![0.0; labels.k()];
        let mut labelled = 0;
        for u in 0..labels.table.n_units() {
            let rows = labels.table.rows(u);
            if rows.is_empty() {
                continue;
            }
            labelled += 1;
            let share = 1.0 / rows.len() as f64;
            rows.for_each(|r| shares[labels.codes.get(r)] += share);
        }
        shares.iter_mut().for_each(|s| *s /= labelled as f64);
        Votes { labels: *labels, shares, labelled, agreement: vote_agreement(*labels).unwrap_or(0.0), gold }
    }

    /// How far the class shares of a posterior are from those of the votes (total variation).
    pub fn drift(&self, q: &[f64]) -> f64 {
        let (table, k) = (self.labels.table, self.labels.k());
        let mut shares = vec![0.0; k];
        for (_, row) in q.chunks_exact(k).enumerate().filter(|(u, _)| table.degree(*u) > 0) {
            shares.iter_mut().zip(row).for_each(|(s, x)| *s += x);
        }
        let n = self.labelled.max(1) as f64;
        shares.iter().zip(&self.shares).map(|(a, b)| (a / n - b).abs()).sum::<f64>() / 2.0
    }

    /// What the votes say against a posterior.
    pub fn departure(&self, q: &[f64]) -> Departure {
        Departure::of(&self.labels, self.gold, q)
    }
}

/// Scores, rejects and chooses.
pub(super) fn choose(fits: &[Candidate], votes: &Votes<'_>, auto: &Auto) -> Choice {
    let scores: Vec<f64> = fits.iter().map(|c| c.agreement - auto.drift_weight * c.drift).collect();
    let reject = |c: &Candidate| {
        if c.agreement < votes.agreement - BELOW_VOTES {
            return Some("annotators agree less with its answers than with a plain vote".to_owned());
        }
        c.departure.rejects(&votes.labels)
    };
    let rejected: Vec<Option<String>> = fits.iter().map(reject).collect();
    let open = |x: &usize| rejected[*x].is_none();
    // matrices unless one accuracy is better beyond chance: what may be chance must not decide
    let ahead = scores[COIN] - scores[MATRICES];
    let used = match (open(&COIN), open(&MATRICES)) {
        (true, true) if ahead > BEYOND_CHANCE * fits[COIN].difference_error(&fits[MATRICES]) => Some(COIN),
        (_, true) => Some(MATRICES),
        (true, false) => Some(COIN),
        (false, false) => None,
    };
    Choice { used, scores, rejected }
}
