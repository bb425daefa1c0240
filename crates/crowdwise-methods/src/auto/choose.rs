//! The rule: scores, guards, choice, and the temperature of the probabilities.

use super::Auto;
use super::candidates::Candidate;
use crowdwise_core::questions::vote_agreement;
use crowdwise_core::{Categorical, Table};

/// A candidate that agrees with the others' labels less than the votes do, by more than this, has collapsed.
pub(super) const BELOW_VOTES: f64 = 0.02;
/// A candidate that overrules more than this share of the unanimous items has turned classes round.
pub(super) const UNANIMOUS: f64 = 0.10;
/// A candidate under which classes with more than this share of the votes nearly vanish has swallowed them …
pub(super) const SWALLOWED: f64 = 0.20;
/// … that is, they keep less than this part of their votes.
const VANISHED: f64 = 0.10;

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

/// How the result of a candidate differs from the votes.
pub(super) struct Departure {
    /// How far the class shares are from those of the votes (total variation).
    pub drift: f64,
    /// Share of the unanimous items that get another class.
    pub breaks: f64,
    /// Share of the votes that went to classes which nearly vanish.
    pub swallowed: f64,
}

pub(super) struct Choice {
    /// Rising numbers of the candidates whose posteriors are averaged; empty if all were rejected.
    pub used: Vec<usize>,
    pub scores: Vec<f64>,
    pub rejected: Vec<Option<String>>,
}

impl Choice {
    /// Score of the best candidate that was not rejected.
    pub fn best(&self) -> Option<f64> {
        self.used.iter().map(|&x| self.scores[x]).max_by(f64::total_cmp)
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

    /// How the result of a candidate differs from the votes.
    pub fn departure(&self, q: &[f64]) -> Departure {
        let (table, k) = (self.labels.table, self.labels.k());
        let mut shares = vec![0.0; k];
        let (mut unanimous, mut broken) = (0usize, 0usize);
        for (u, row) in q.chunks_exact(k).enumerate() {
            let rows = table.rows(u);
            if rows.is_empty() {
                continue;
            }
            shares.iter_mut().zip(row).for_each(|(s, x)| *s += x);
            let first = self.labels.codes.get(rows.start);
            let known = self.gold.is_some_and(|g| g[u].is_some());
            if !known && rows.len() > 1 && rows.clone().all(|r| self.labels.codes.get(r) == first) {
                unanimous += 1;
                broken += usize::from(row.iter().any(|&x| x > row[first] + 1e-12));
            }
        }
        let n = self.labelled.max(1) as f64;
        let both = || shares.iter().map(|s| s / n).zip(self.shares.iter().copied());
        Departure {
            drift: both().map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0,
            breaks: broken as f64 / unanimous.max(1) as f64,
            swallowed: both().filter(|(a, b)| *a < VANISHED * b).map(|(_, b)| b).sum(),
        }
    }

    /// Share of the labelled items whose most voted class is not the most probable one of `q`; shared first places count
    /// as agreeing.
    pub fn differs(&self, q: &[f64]) -> f64 {
        let k = self.labels.k();
        let mut votes = vec![0.0; k];
        let mut differ = 0usize;
        for (u, row) in q.chunks_exact(k).enumerate() {
            if self.labels.table.degree(u) == 0 {
                continue;
            }
            votes.fill(0.0);
            self.labels.votes(u, &mut votes);
            let most = votes.iter().copied().fold(0.0, f64::max);
            let top = row.iter().copied().fold(0.0, f64::max);
            differ += usize::from(!votes.iter().zip(row).any(|(&v, &p)| v == most && p >= top - 1e-9));
        }
        differ as f64 / self.labelled.max(1) as f64
    }
}

/// Scores, rejects and chooses.
pub(super) fn choose(fits: &[Candidate], votes: &Votes<'_>, auto: &Auto) -> Choice {
    let scores: Vec<f64> = fits.iter().map(|c| c.agreement - auto.drift_weight * c.departure.drift).collect();
    let rejected: Vec<Option<String>> = fits
        .iter()
        .map(|c| {
            if c.agreement < votes.agreement - BELOW_VOTES {
                let (a, b) = (c.agreement, votes.agreement);
                Some(format!("its annotators agree less with each other than in plain votes ({a:.3} against {b:.3})"))
            } else if c.departure.breaks > UNANIMOUS {
                let share = 100.0 * c.departure.breaks;
                Some(format!("it overrules {share:.0} % of the items on which all annotators agree"))
            } else if c.departure.swallowed > SWALLOWED {
                let share = 100.0 * c.departure.swallowed;
                Some(format!("classes with {share:.0} % of the votes nearly vanish"))
            } else {
                None
            }
        })
        .collect();
    let open = |x: &usize| rejected[*x].is_none();
    let best = (0..fits.len()).filter(open).max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)));
    let used = match best {
        None => Vec::new(),
        Some(b) if fits[b].coin => vec![b],
        Some(_) => (0..fits.len()).filter(|x| open(x) && !fits[*x].coin).collect(),
    };
    Choice { used, scores, rejected }
}

/// Annotators err together on hard items, so that n labels are worth fewer: n / (1 + ρ (n - 1)), the design effect of
/// survey sampling with a correlation ρ. The values were chosen on 23 real sets; see the page.
const CORRELATION_TWO: f64 = 0.3;
const CORRELATION_MORE: f64 = 0.6;
/// Many labels are still worth something.
const LEAST: f64 = 0.15;
/// What remains for "all of this is wrong".
const DOUBT: f64 = 0.05;

/// Makes posteriors of independent annotators honest. Keeps the order of the classes of an item.
pub(super) fn temper(posterior: &mut [f64], table: &Table, gold: Option<&[Option<u32>]>, k: usize) {
    let rho = if k == 2 { CORRELATION_TWO } else { CORRELATION_MORE };
    for (u, row) in posterior.chunks_exact_mut(k).enumerate() {
        let n = table.degree(u);
        if n == 0 || gold.is_some_and(|g| g[u].is_some()) {
            continue;
        }
        let power = (1.0 / (1.0 + rho * (n - 1) as f64)).max(LEAST);
        row.iter_mut().for_each(|p| *p = p.max(1e-12).powf(power));
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p = (1.0 - DOUBT) * *p / sum + DOUBT / k as f64);
    }
}
