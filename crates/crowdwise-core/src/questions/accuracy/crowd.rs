//! The classes of the items as the whole crowd sees them: confusion matrices that lean on a common one, by EM.

use super::super::tally::Tally;
use crate::{Annotators, Categorical, Dataset, Fit, Structure};
use rayon::prelude::*;

/// Matrices of all annotators may have this many numbers; above that annotators have one accuracy each.
const ENTRIES: usize = 8_000_000;
/// Operations, about, that all rounds together may take, and the minimum and maximum number of rounds.
const WORK: usize = 600_000_000;
const ROUNDS: [usize; 2] = [3, 60];
/// The rounds end when the probabilities of an item change by less than this on average.
const SETTLED: f64 = 1e-4;
/// How alike annotators may be, in labels per class that the common matrix is worth: at least one, at most as many as
/// the spread of a few dozen annotators can tell from infinitely many.
const LIKE: [f64; 2] = [1.0, 59.0];
/// Class shares that move away from the votes by more than this, and further than the method's, are a collapse.
const MOST_DRIFT: f64 = 0.2;
/// Rounds in which those who guess are told from those who work.
const KINDS: usize = 5;
/// No probability of a label is below this.
const LEAST: f64 = 1e-12;

pub(super) struct Crowd<'a> {
    pub c: Categorical<'a>,
    pub k: usize,
    /// Probabilities of the classes, units x K.
    pub q: Vec<f64>,
    pub model: Model,
    /// Class shares of the labelled units.
    pub shares: Vec<f64>,
    /// The labels per class that the crowd is worth to everybody, and how far each annotator leans on it.
    pub alike: f64,
    pub works: Vec<f64>,
}

/// P(label | truth).
pub(super) enum Model {
    /// Annotators x label x truth.
    Matrices(Vec<f64>),
    /// One accuracy per annotator, errors spread evenly.
    Coins(Vec<f64>),
}

impl<'a> Crowd<'a> {
    pub fn of(data: &'a Dataset, fit: &Fit, t: &Tally) -> Option<Crowd<'a>> {
        let c = data.table.categorical()?;
        let (k, own) = fit.model_posterior()?;
        if k < 2 || k != c.k() || own.len() != k * data.table.n_units() {
            return None;
        }
        let matrices = t.n.len().saturating_mul(k * k) <= ENTRIES;
        let empty = if matrices { Model::Matrices(Vec::new()) } else { Model::Coins(Vec::new()) };
        let shares = t.posterior.clone();
        let mut out = Crowd { c, k, q: own.to_vec(), model: empty, shares, alike: 0.0, works: Vec::new() };
        out.learn();
        let labels_only = matches!(data.structure, Structure::Independent | Structure::Rankings(_))
            && data.features.is_none()
            && data.probabilities.is_none();
        let beside = if labels_only { None } else { beside(data, fit, own) };
        if !labels_only && beside.is_none() {
            return Some(out); // what else the method looked at cannot be told from the labels: its word is taken
        }
        let known = data.gold_classes();
        let once = data.table.n_labels().saturating_mul(k).saturating_mul(2).max(1);
        for _ in 0..(WORK / once).clamp(ROUNDS[0], ROUNDS[1]) {
            let moved = out.classes(known.as_deref(), beside.as_deref());
            out.learn();
            if moved < SETTLED {
                break;
            }
        }
        let drift = |shares: &[f64]| 0.5 * shares.iter().zip(&t.votes).map(|(a, b)| (a - b).abs()).sum::<f64>();
        if drift(&out.shares) > MOST_DRIFT.max(drift(&t.posterior)) {
            out.q.copy_from_slice(own);
            out.shares.clone_from(&t.posterior);
            out.learn();
        }
        Some(out)
    }

    /// Probabilities of the classes from the labels; their mean change.
    pub(super) fn classes(&mut self, known: Option<&[Option<u32>]>, beside: Option<&[f64]>) -> f64 {
        let (k, table, codes) = (self.k, self.c.table, self.c.codes);
        let who = table.annotator();
        let ln_shares: Vec<f64> = self.shares.iter().map(|s| s.max(LEAST).ln()).collect();
        let ln: Vec<f64> = match &self.model {
            Model::Matrices(p) => p.par_iter().map(|p| p.max(LEAST).ln()).collect(),
            Model::Coins(a) => a.iter().map(|a| (a.max(LEAST) * (k - 1) as f64 / (1.0 - a).max(LEAST)).ln()).collect(),
        };
        let matrices = matches!(self.model, Model::Matrices(_));
        let change: Vec<f64> = self
            .q
            .par_chunks_mut(k * 1024)
            .enumerate()
            .map(|(chunk, out)| {
                let mut next = vec![0.0; k];
                let mut moved = 0.0;
                for (at, q) in out.chunks_exact_mut(k).enumerate() {
                    let u = chunk * 1024 + at;
                    if let Some(z) = known.and_then(|g| g[u]).filter(|z| (*z as usize) < k) {
                        q.fill(0.0);
                        q[z as usize] = 1.0;
                        continue;
                    }
                    let rows = table.rows(u);
                    if rows.is_empty() {
                        continue;
                    }
                    next.copy_from_slice(beside.map_or(&ln_shares, |b| &b[u * k..(u + 1) * k]));
                    for r in rows {
                        let (j, l) = (who[r] as usize, codes.get(r));
                        if matrices {
                            let from = &ln[(j * k + l) * k..(j * k + l + 1) * k];
                            next.iter_mut().zip(from).for_each(|(x, p)| *x += p);
                        } else {
                            next[l] += ln[j];
                        }
                    }
                    crate::stats::softmax(&mut next);
                    moved += next.iter().zip(&*q).map(|(a, b)| (a - b).abs()).sum::<f64>();
                    q.copy_from_slice(&next);
                }
                moved
            })
            .collect();
        change.iter().sum::<f64>() / table.n_units().max(1) as f64
    }

    /// Class shares, and annotators from the classes: own counts and as many of the crowd's as annotators are alike.
    fn learn(&mut self) {
        let (k, table) = (self.k, self.c.table);
        let mut shares = vec![1.0 / k as f64; k];
        for (u, q) in self.q.chunks_exact(k).enumerate() {
            if table.degree(u) > 0 {
                shares.iter_mut().zip(q).for_each(|(s, x)| *s += x);
            }
        }
        let all: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|s| *s /= all);
        self.shares = shares;
        self.model = match self.model {
            Model::Matrices(_) => Model::Matrices(self.matrices()),
            Model::Coins(_) => Model::Coins(self.coins()),
        };
    }

    /// The chance of being right about a class.
    pub fn right(&self, j: usize, z: usize) -> f64 {
        match &self.model {
            Model::Matrices(p) => p[(j * self.k + z) * self.k + z],
            Model::Coins(a) => a[j],
        }
    }

    /// Chances of being right that one annotator has.
    pub fn chances(&self) -> usize {
        if matches!(self.model, Model::Matrices(_)) { self.k } else { 1 }
    }

    fn matrices(&mut self) -> Vec<f64> {
        let (k, m, index) = (self.k, self.c.table.n_annotators(), self.c.table.by_annotator());
        let mut counts = vec![0.0; m * k * k];
        counts.par_chunks_exact_mut(k * k).enumerate().for_each(|(j, own)| {
            for (&r, &u) in index.rows(j).iter().zip(index.units(j)) {
                let (l, q) = (self.c.codes.get(r as usize), &self.q[u as usize * k..(u as usize + 1) * k]);
                own[l * k..(l + 1) * k].iter_mut().zip(q).for_each(|(s, x)| *s += x);
            }
        });
        let works = worth(&counts, k);
        let common = common(&counts, &works, k);
        let mut alike = Alike::default();
        for t in 0..k {
            let row = |l: usize| common[l * k + t];
            let rest = 1.0 - (0..k).map(|l| row(l) * row(l)).sum::<f64>();
            alike.class(rest, counts.chunks_exact(k * k).zip(&works), |(own, &w)| {
                let n: f64 = (0..k).map(|l| own[l * k + t]).sum();
                (w * n, (0..k).map(|l| (own[l * k + t] / n - row(l)).powi(2)).sum())
            });
        }
        let s = alike.labels();
        self.alike = s;
        counts.par_chunks_exact_mut(k * k).zip(&works).for_each(|(own, &w)| {
            let said: Vec<f64> = own.chunks_exact(k).map(|l| 1.0 / k as f64 + l.iter().sum::<f64>()).collect();
            let all: f64 = said.iter().sum();
            for t in 0..k {
                let n: f64 = (0..k).map(|l| own[l * k + t]).sum();
                for l in 0..k {
                    let like = w * common[l * k + t] + (1.0 - w) * said[l] / all;
                    own[l * k + t] = (own[l * k + t] + s * like) / (n + s);
                }
            }
        });
        self.works = works;
        counts
    }

    fn coins(&mut self) -> Vec<f64> {
        let (k, m, index) = (self.k, self.c.table.n_annotators(), self.c.table.by_annotator());
        let right = |j: usize| -> [f64; 2] {
            let rows = index.rows(j).iter().zip(index.units(j));
            let hits = rows.map(|(&r, &u)| self.q[u as usize * k + self.c.codes.get(r as usize)]).sum();
            [hits, index.rows(j).len() as f64]
        };
        let own: Vec<[f64; 2]> = (0..m).into_par_iter().map(right).collect();
        let sum = |at: usize| own.iter().map(|o| o[at]).sum::<f64>();
        let mean = (sum(0) + 1.0) / (sum(1) + 1.0 + k as f64 / 2.0);
        let mut alike = Alike::default();
        alike.class(2.0 * mean * (1.0 - mean), own.iter(), |o| (o[1], 2.0 * (o[0] / o[1] - mean).powi(2)));
        let s = alike.labels();
        self.alike = s;
        self.works = vec![1.0; m];
        own.iter().map(|o| (o[0] + s * mean) / (o[1] + s)).collect()
    }
}

/// The crowd's matrix, label x truth, from the counts of those who work, with a pseudo-label per class and half of one in its
/// favour.
fn common(counts: &[f64], works: &[f64], k: usize) -> Vec<f64> {
    let mut common = vec![1.0 / k as f64; k * k];
    (0..k).for_each(|t| common[t * k + t] += 0.5);
    for (own, w) in counts.chunks_exact(k * k).zip(works) {
        common.iter_mut().zip(own).for_each(|(s, x)| *s += w * x);
    }
    for t in 0..k {
        let all: f64 = (0..k).map(|l| common[l * k + t]).sum();
        (0..k).for_each(|l| common[l * k + t] /= all);
    }
    common
}

/// The probability of each annotator to be one who looks at the items. Those who say the same of whatever it is have nothing in
/// common with the others: leaning on one matrix of all, both would be taken for what neither is, and for very unlike.
fn worth(counts: &[f64], k: usize) -> Vec<f64> {
    let m = counts.len() / (k * k);
    let mut works = vec![1.0; m];
    let mut guessers = 0.0;
    for _ in 0..KINDS {
        let crowd = common(counts, &works, k);
        // one in the crowd who works, and one who does not, before anything is seen
        let odds = ((m as f64 - guessers + 1.0) / (guessers + 1.0)).ln();
        works.par_iter_mut().zip(counts.par_chunks_exact(k * k)).for_each(|(w, own)| {
            let all: f64 = own.iter().sum();
            // a matrix of one's own has k times as many numbers as a habit; the crowd's has none to fit
            let mut ln = odds + 0.5 * (k - 1) as f64 * (1.0 + all).ln();
            for (l, row) in own.chunks_exact(k).enumerate() {
                let said = row.iter().sum::<f64>() / all.max(LEAST);
                for (t, n) in row.iter().enumerate().filter(|x| *x.1 > 0.0) {
                    ln += n * (crowd[l * k + t].max(LEAST) / said.max(LEAST)).ln();
                }
            }
            *w = crowdwise_numerics::logistic(ln);
        });
        guessers = works.iter().map(|w| 1.0 - w).sum();
    }
    works
}

/// How many labels of one class the crowd's row is worth, by moments: rows of annotators differ from the common one by
/// chance, and by what is left.
#[derive(Default)]
struct Alike {
    excess: f64,
    most: f64,
}

impl Alike {
    /// `of` gives labels and squared distance of an annotator's row; `rest` is 1 - Σ p² of the common row.
    fn class<T>(&mut self, rest: f64, all: impl Iterator<Item = T>, of: impl Fn(T) -> (f64, f64)) {
        let (mut n, mut square, mut distance, mut used) = (0.0, 0.0, 0.0, 0.0);
        for (labels, d) in all.map(of).filter(|x| x.0 > 0.5) {
            n += labels;
            square += labels * labels;
            distance += labels * d;
            used += 1.0;
        }
        if used > 1.0 {
            self.excess += distance - (used - 1.0) * rest;
            self.most += (n - square / n - (used - 1.0)) * rest;
        }
    }

    fn labels(&self) -> f64 {
        let share = if self.most > 0.0 { self.excess / self.most } else { 0.0 };
        (1.0 / share.max(1e-9) - 1.0).clamp(LIKE[0], LIKE[1])
    }
}

/// ln of what a method knows of the items beside their labels (features, neighbours), up to a constant per item: its
/// posterior without the factors of the labels. `None` if it has no model of annotators to take out.
fn beside(data: &Dataset, fit: &Fit, q: &[f64]) -> Option<Vec<f64>> {
    let (c, table) = (data.table.categorical()?, &data.table);
    let k = fit.annotators.classes().filter(|&k| k == c.k())?;
    if fit.annotators.len() != table.n_annotators() || matches!(fit.annotators, Annotators::Ability { .. }) {
        return None;
    }
    let mut out: Vec<f64> = q.iter().map(|p| p.max(1e-30).ln()).collect();
    let mut column = vec![0.0; k];
    for (u, row) in out.chunks_exact_mut(k).enumerate() {
        for r in table.rows(u) {
            fit.annotators.column(table.annotator()[r] as usize, c.codes.get(r), &mut column);
            row.iter_mut().zip(&column).for_each(|(x, p)| *x -= p.max(LEAST).ln());
        }
    }
    Some(out)
}
