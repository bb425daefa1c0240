//! What the label models share: who fired where, how often two fired together, and the posterior that follows.

use crate::classes::confusion::shared::fixed_shares;
use crate::runs;
use crowdwise_core::stats::softmax;
use crowdwise_core::{Annotators, Categorical, Context, Error, group, memory};
use crowdwise_numerics::fast;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// Votes as indicators: every (source, label) that occurs is one, and fires on some items. A source that gives the same
/// label to an item twice has fired once.
pub(super) struct Votes {
    pub k: usize,
    /// Items, those on which nobody voted too.
    pub items: usize,
    /// Fired indicators of unit u are `offsets[u]..offsets[u + 1]`, those of a source side by side.
    pub offsets: Vec<u32>,
    pub fired: Vec<u32>,
    /// Source and label of every indicator, in this order.
    pub source: Vec<u32>,
    pub label: Vec<u16>,
    /// Number of items on which an indicator fires.
    pub fires: Vec<u64>,
    pub sources: usize,
}

/// Pairs of indicators that fired together are counted on so many occasions at most; beyond, on every n-th item only.
const MOST_PAIRS: u64 = 10_000_000;

/// Memory for a pair: its number in a list that grows by doubling, and its place among those that are counted.
const PAIR_BYTES: u64 = 28;

/// (a, b, items) of pairs, and the number of items that were looked at.
type Pairs = (Vec<(u32, u32, u32)>, usize);

impl Votes {
    pub fn new(data: &Categorical<'_>) -> Votes {
        let (table, k) = (data.table, data.k());
        let m = table.n_annotators();
        let mut number = vec![u32::MAX; m * k];
        let annotator = table.annotator();
        for (r, &j) in annotator.iter().enumerate() {
            number[j as usize * k + data.codes.get(r)] = 0;
        }
        let (mut source, mut label) = (Vec::new(), Vec::new());
        for (at, n) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
            *n = source.len() as u32;
            source.push((at / k) as u32);
            label.push((at % k) as u16);
        }
        let mut fires = vec![0u64; source.len()];
        let mut fired = Vec::with_capacity(table.n_labels());
        let mut offsets = Vec::with_capacity(table.n_units() + 1);
        offsets.push(0);
        for u in 0..table.n_units() {
            let from = fired.len();
            fired.extend(table.rows(u).map(|r| number[annotator[r] as usize * k + data.codes.get(r)]));
            fired[from..].sort_unstable();
            // an item's part of the list only: dedup works on whole vectors
            let mut to = from;
            for at in from..fired.len() {
                if at == from || fired[at] != fired[to - 1] {
                    fired[to] = fired[at];
                    fires[fired[at] as usize] += 1;
                    to += 1;
                }
            }
            fired.truncate(to);
            offsets.push(to as u32);
        }
        Votes { k, items: table.n_units(), offsets, fired, source, label, fires, sources: m }
    }

    /// Votes of all items, repeated ones once.
    pub fn labels(&self) -> usize {
        self.fired.len()
    }

    pub fn indicators(&self) -> usize {
        self.source.len()
    }

    /// Indicators that fired on unit `u`.
    pub fn of(&self, u: usize) -> &[u32] {
        &self.fired[self.offsets[u] as usize..self.offsets[u + 1] as usize]
    }

    /// Share of all items on which an indicator fires.
    pub fn rate(&self, j: usize) -> f64 {
        self.fires[j] as f64 / self.items as f64
    }

    /// Pairs of indicators of different sources that fired together, for which `want` is true: (a, b, items), a < b, in order;
    /// and the number of items that were looked at.
    ///
    /// An item that thousands voted on has millions of pairs: more than fit into memory are refused before room is made.
    pub fn pairs(&self, want: impl Fn(u32, u32) -> bool) -> Result<Pairs, Error> {
        let of = |u: usize| self.of(u).len() as u64 * (self.of(u).len() as u64).saturating_sub(1) / 2;
        let all: u64 = (0..self.items).map(of).sum();
        let step = (all.div_ceil(MOST_PAIRS)).max(1) as usize;
        let looked: u64 = (0..self.items).step_by(step).map(of).sum();
        memory::check(looked.checked_mul(PAIR_BYTES), || {
            let most = (0..self.items).map(|u| self.of(u).len() as u64).max().unwrap_or(0);
            format!(
                "{} pairs of annotators who labelled the same item (one has {}; majority-vote, dawid-skene and mace need \
                 no pairs)",
                group(looked),
                group(most)
            )
        })?;
        let mut keys: Vec<u64> = Vec::new();
        let mut seen = 0;
        for u in (0..self.items).step_by(step) {
            seen += 1;
            let f = self.of(u);
            for (n, &a) in f.iter().enumerate() {
                for &b in &f[n + 1..] {
                    if self.source[a as usize] != self.source[b as usize] && want(a, b) {
                        keys.push((a as u64) << 32 | b as u64);
                    }
                }
            }
        }
        keys.sort_unstable();
        let pairs = keys.chunk_by(|x, y| x == y).map(|c| ((c[0] >> 32) as u32, c[0] as u32, c.len() as u32)).collect();
        Ok((pairs, seen))
    }

    /// Units in runs for threads, with `width` accumulators each.
    pub fn runs(&self, width: usize) -> Vec<Range<usize>> {
        runs::runs(&self.offsets, width)
    }

    /// Posteriors from logarithms: class shares, P(fires | class) of indicators (x K), and P(silent | class) of sources (x K), if
    /// silence counts. Returns the largest change of `posterior` (units x K). Known classes stay.
    pub fn posterior(
        &self,
        scores: &Scores<'_>,
        gold: Option<&[Option<u32>]>,
        posterior: &mut [f64],
        cx: &mut Context<'_>,
    ) -> Result<f64, Error> {
        let k = self.k;
        let mut base = scores.prior.to_vec();
        for silent in scores.silent.iter().flat_map(|s| s.chunks_exact(k)) {
            base.iter_mut().zip(silent).for_each(|(b, s)| *b += s);
        }
        let runs = self.runs(1);
        let changes: Vec<f64> = cx.install(|| {
            let parts = runs::split_runs(posterior, &runs, k);
            parts
                .into_par_iter()
                .zip(&runs)
                .map(|(part, run)| {
                    let mut change = 0f64;
                    let mut score = vec![0.0; k];
                    for (u, row) in run.clone().zip(part.chunks_exact_mut(k)) {
                        if let Some(class) = gold.and_then(|g| g[u]) {
                            score.fill(0.0);
                            score[class as usize] = 1.0;
                        } else {
                            score.copy_from_slice(&base);
                            self.add(u, scores, &mut score);
                            softmax(&mut score);
                        }
                        for (q, &s) in row.iter_mut().zip(&score) {
                            change = change.max((*q - s).abs());
                            *q = s;
                        }
                    }
                    change
                })
                .collect()
        })?;
        Ok(changes.into_iter().fold(0.0, f64::max))
    }

    /// Adds the votes of a unit to its score, and takes away the silence of those who voted.
    fn add(&self, u: usize, scores: &Scores<'_>, score: &mut [f64]) {
        let k = self.k;
        let mut last = u32::MAX;
        for &j in self.of(u) {
            let fire = &scores.fire[j as usize * k..][..k];
            score.iter_mut().zip(fire).for_each(|(s, f)| *s += f);
            let m = self.source[j as usize];
            if let Some(silent) = scores.silent
                && m != last
            {
                let silent = &silent[m as usize * k..][..k];
                score.iter_mut().zip(silent).for_each(|(s, f)| *s -= f);
            }
            last = m;
        }
    }

    /// Vote shares; `prior` where nobody voted, known classes where they are known.
    pub fn shares(&self, prior: &[f64], gold: Option<&[Option<u32>]>) -> Vec<f64> {
        let k = self.k;
        let mut out = vec![0.0; self.items * k];
        for (u, row) in out.chunks_exact_mut(k).enumerate() {
            let fired = self.of(u);
            if let Some(class) = gold.and_then(|g| g[u]) {
                row[class as usize] = 1.0;
            } else if fired.is_empty() {
                row.copy_from_slice(prior);
            } else {
                fired.iter().for_each(|&j| row[self.label[j as usize] as usize] += 1.0 / fired.len() as f64);
            }
        }
        out
    }

    /// Expected number of right votes of every indicator, and of items of every class.
    pub fn right(&self, posterior: &[f64], cx: &mut Context<'_>) -> Result<(Vec<f64>, Vec<f64>), Error> {
        let (k, n) = (self.k, self.indicators());
        let runs = self.runs(n + k);
        let parts: Vec<Vec<f64>> = cx.install(|| {
            runs.par_iter()
                .map(|run| {
                    let mut sums = vec![0.0; n + k];
                    for u in run.clone() {
                        let q = &posterior[u * k..][..k];
                        self.of(u).iter().for_each(|&j| sums[j as usize] += q[self.label[j as usize] as usize]);
                        fast::add_into(&mut sums[n..], q);
                    }
                    sums
                })
                .collect()
        })?;
        let mut sums = vec![0.0; n + k];
        parts.iter().for_each(|p| fast::add_into(&mut sums, p));
        let class = sums.split_off(n);
        Ok((sums, class))
    }

    /// Number of items with a vote.
    pub fn covered(&self) -> usize {
        (0..self.items).filter(|&u| !self.of(u).is_empty()).count()
    }

    /// The share of each source's votes that are right.
    pub fn precision(&self, right: &[f64]) -> Annotators {
        let (mut hits, mut votes) = (vec![0.0; self.sources], vec![0.0; self.sources]);
        for (j, &m) in self.source.iter().enumerate() {
            hits[m as usize] += right[j];
            votes[m as usize] += self.fires[j] as f64;
        }
        let even = 1.0 / self.k as f64;
        let accuracy = hits.iter().zip(&votes).map(|(h, &n)| if n > 0.0 { h / n } else { even }).collect();
        Annotators::Accuracy { k: self.k, accuracy }
    }
}

/// Logarithms that a posterior is made of.
pub(super) struct Scores<'a> {
    /// By class.
    pub prior: &'a [f64],
    /// Indicators x classes.
    pub fire: &'a [f64],
    /// Sources x classes, if silence counts.
    pub silent: Option<&'a [f64]>,
}

/// Class shares as given, or all alike.
pub(super) fn balance(shares: &BTreeMap<String, f64>, data: &Categorical<'_>) -> Result<Vec<f64>, Error> {
    if shares.is_empty() {
        return Ok(vec![1.0 / data.k() as f64; data.k()]);
    }
    fixed_shares(shares, data)
}
