//! One accuracy per annotator: the classes of an item that nobody voted for share one factor.

use super::super::em::{Adaptive, Fitted};
use super::super::kernel::Sums;
use super::super::one_coin::even_rates;
use super::{Begin, Input, Limits, ln};
use crowdwise_core::{Context, Error, Step};
use rayon::prelude::*;

/// P(says l | truth k) of an annotator, as the next E-step sees it: for l = k, and for every other l.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rates {
    pub right: f64,
    pub wrong: f64,
}

/// A model that is one accuracy per annotator.
pub(crate) trait Even: Adaptive {
    /// From the expected number of right labels, and of labels.
    fn rates(&self, k: usize, right: f64, n: f64) -> (Rates, Sums);
    /// The probability to report, from the same numbers.
    fn reported(&self, k: usize, right: f64, n: f64) -> f64;
    /// The log-prior of rates that did not come from [`Even::rates`].
    fn rates_penalty(&self, k: usize, rates: Rates) -> f64;
}

/// Parameters and the state of the last E-step.
struct Coins<'a> {
    input: Input<'a>,
    /// Logarithm of `wrong`, and of `right / wrong`.
    log: Vec<(f64, f64)>,
    rates: Vec<Rates>,
    prior: Vec<f64>,
    /// Labels per annotator.
    n: Vec<f64>,
    /// Posterior of the class that each label says.
    at: Vec<f64>,
    /// Posterior of a class that nobody voted for is this times its prior.
    rest: Vec<f64>,
}

/// Expected counts.
struct Counts {
    right: Vec<f64>,
    class: Vec<f64>,
}

/// What a maximisation gives back.
struct Maximised {
    change: f64,
    penalty: f64,
    sums: Sums,
}

/// Votes of one unit, class by class in the order of their first vote.
#[derive(Default)]
struct Voted {
    class: Vec<usize>,
    /// Log-weight, then probability.
    weight: Vec<f64>,
}

impl Voted {
    fn clear(&mut self) {
        self.class.clear();
        self.weight.clear();
    }

    fn place(&mut self, class: usize) -> usize {
        self.class.iter().position(|&c| c == class).unwrap_or_else(|| {
            self.class.push(class);
            self.weight.push(0.0);
            self.class.len() - 1
        })
    }
}

/// Below this the share of all other classes is summed and not taken from 1: little would be left of its digits.
const FROM_ONE: f64 = 1e-3;

impl<'a> Coins<'a> {
    fn new(input: Input<'a>) -> Self {
        let table = input.labels.table;
        let (m, k) = (table.n_annotators(), input.k());
        let even = Rates { right: 1.0 / k as f64, wrong: 1.0 / k as f64 };
        Coins {
            input,
            log: vec![(0.0, 0.0); m],
            rates: vec![even; m],
            prior: vec![1.0 / k as f64; k],
            n: table.labels_per_annotator().iter().map(|&n| n as f64).collect(),
            at: vec![0.0; table.n_labels()],
            rest: vec![0.0; table.n_units()],
        }
    }

    /// Posteriors to begin with instead of an E-step.
    fn begin(&mut self, posterior: Option<&[f64]>) -> Counts {
        let (labels, k) = (self.input.labels, self.input.k());
        let table = labels.table;
        let mut class = vec![0.0; k];
        for u in 0..table.n_units() {
            let rows = table.rows(u);
            if let Some(truth) = self.input.known(u) {
                class[truth] += 1.0;
                rows.for_each(|r| self.at[r] = f64::from(labels.codes.get(r) == truth));
            } else if let Some(q) = posterior.filter(|_| !rows.is_empty()) {
                let q = &q[u * k..(u + 1) * k];
                class.iter_mut().zip(q).for_each(|(c, x)| *c += x);
                rows.for_each(|r| self.at[r] = q[labels.codes.get(r)]);
            } else {
                let share = 1.0 / rows.len() as f64;
                for r in rows.clone() {
                    let l = labels.codes.get(r);
                    class[l] += share;
                    self.at[r] = share * rows.clone().filter(|&s| labels.codes.get(s) == l).count() as f64;
                }
            }
        }
        Counts { right: self.right(), class }
    }

    /// Expected number of right labels of every annotator.
    fn right(&self) -> Vec<f64> {
        let mut right = vec![0.0; self.n.len()];
        for (&j, x) in self.input.labels.table.annotator().iter().zip(&self.at) {
            right[j as usize] += x;
        }
        right
    }

    fn maximise<M: Even>(&mut self, model: &M, counts: &Counts) -> Maximised {
        let k = self.input.k();
        let old = self.prior.clone();
        let mut penalty = model.prior(&counts.class, &mut self.prior);
        let mut change = old.iter().zip(&self.prior).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let mut sums = Sums::default();
        for (j, &right) in counts.right.iter().enumerate() {
            let (new, s) = model.rates(k, right, self.n[j]);
            sums.iter_mut().zip(s).for_each(|(a, b)| *a += b);
            let old = self.rates[j];
            if self.n[j] > 0.0 {
                change = change.max((old.right - new.right).abs()).max((old.wrong - new.wrong).abs());
            }
            self.set(j, new);
        }
        penalty += sums[0];
        Maximised { change, penalty, sums }
    }

    fn set(&mut self, j: usize, rates: Rates) {
        self.rates[j] = rates;
        let wrong = ln(rates.wrong);
        self.log[j] = (wrong, ln(rates.right) - wrong);
    }

    /// One E-step: the log-likelihood.
    fn expect(&mut self, cx: &mut Context<'_>) -> Result<f64, Error> {
        let table = self.input.labels.table;
        let piece = self.input.piece();
        // labels lie in unit order: every piece of units has its own run of them
        let mut jobs = Vec::new();
        let (mut at, mut first) = (self.at.as_mut_slice(), 0);
        for rest in self.rest.chunks_mut(piece) {
            let labels: usize = (first..first + rest.len()).map(|u| table.degree(u)).sum();
            let (own, others) = at.split_at_mut(labels);
            jobs.push((first, rest, own));
            (at, first) = (others, first + piece);
        }
        let (input, log, prior) = (self.input, &self.log, &self.prior);
        let sums: Vec<f64> = cx.install(|| {
            jobs.into_par_iter()
                .map(|(first, rest, mut at)| {
                    let mut voted = Voted::default();
                    let mut sum = 0.0;
                    for (x, rest) in rest.iter_mut().enumerate() {
                        let (own, others) = at.split_at_mut(table.degree(first + x));
                        at = others;
                        sum += unit(input, first + x, log, prior, &mut voted, rest, own);
                    }
                    sum
                })
                .collect()
        })?;
        Ok(sums.iter().sum())
    }

    /// The counts behind the posteriors of the last E-step.
    fn counts(&self) -> Counts {
        let labels = self.input.labels;
        let table = labels.table;
        let k = self.input.k();
        let (mut class, mut without, mut all) = (vec![0.0; k], vec![0.0; k], 0.0);
        let mut voted = Voted::default();
        for u in 0..table.n_units() {
            if let Some(truth) = self.input.known(u) {
                class[truth] += 1.0;
                continue;
            }
            all += self.rest[u];
            voted.clear();
            for r in table.rows(u) {
                let place = voted.place(labels.codes.get(r));
                voted.weight[place] = self.at[r];
            }
            for (&l, q) in voted.class.iter().zip(&voted.weight) {
                class[l] += q;
                without[l] += self.rest[u];
            }
        }
        for l in 0..k {
            class[l] += self.prior[l] * (all - without[l]).max(0.0);
        }
        Counts { right: self.right(), class }
    }

    /// The posteriors of the last E-step in full; rows without labels are left alone.
    fn write(&self, posterior: &mut [f64]) {
        let (labels, k) = (self.input.labels, self.input.k());
        for (u, row) in posterior.chunks_exact_mut(k).enumerate() {
            if self.input.known(u).is_some() || labels.table.degree(u) == 0 {
                continue;
            }
            row.iter_mut().zip(&self.prior).for_each(|(x, p)| *x = p * self.rest[u]);
            for r in labels.table.rows(u) {
                row[labels.codes.get(r)] = self.at[r];
            }
        }
    }
}

/// Posterior of one unit; its part of the log-likelihood.
fn unit(
    input: Input<'_>,
    u: usize,
    log: &[(f64, f64)],
    prior: &[f64],
    voted: &mut Voted,
    rest: &mut f64,
    at: &mut [f64],
) -> f64 {
    let rows = input.labels.table.rows(u);
    let (who, first) = (input.labels.table.annotator(), rows.start);
    *rest = 0.0;
    if let Some(truth) = input.known(u) {
        let mut sum = ln(prior[truth]);
        for r in rows {
            let (wrong, more) = log[who[r] as usize];
            let hit = input.labels.codes.get(r) == truth;
            at[r - first] = f64::from(hit);
            sum += wrong + if hit { more } else { 0.0 };
        }
        return sum;
    }
    if rows.is_empty() {
        return 0.0;
    }
    voted.clear();
    let mut base = 0.0;
    for r in rows.clone() {
        let (wrong, more) = log[who[r] as usize];
        let place = voted.place(input.labels.codes.get(r));
        voted.weight[place] += more;
        base += wrong;
    }
    let mut others = 1.0 - voted.class.iter().map(|&l| prior[l]).sum::<f64>();
    if others < FROM_ONE {
        others = (0..prior.len()).filter(|l| !voted.class.contains(l)).map(|l| prior[l]).sum();
    }
    for (w, &l) in voted.weight.iter_mut().zip(&voted.class) {
        *w += prior[l].ln(); // a class without a share stays at minus infinity
    }
    let start = if others > 0.0 { 0.0 } else { f64::NEG_INFINITY };
    let top = voted.weight.iter().copied().fold(start, f64::max);
    let unvoted = (-top).exp();
    let mut sum = others * unvoted;
    for w in &mut voted.weight {
        *w = (*w - top).exp();
        sum += *w;
    }
    *rest = unvoted / sum;
    for r in rows {
        let place = voted.place(input.labels.codes.get(r));
        at[r - first] = voted.weight[place] / sum;
    }
    base + top + sum.ln()
}

/// Fits a model of one accuracy per annotator; `tables` of the result are the accuracies to report.
pub(crate) fn coins<M: Even>(
    input: Input<'_>,
    model: &mut M,
    begin: &Begin<'_>,
    limits: Limits,
    cx: &mut Context<'_>,
) -> Result<Fitted, Error> {
    let k = input.k();
    let mut state = Coins::new(input);
    let mut posterior = vec![0.0; input.labels.table.n_units() * k];
    let mut penalty = match begin {
        Begin::Accuracy { accuracy, prior } => {
            state.prior.copy_from_slice(prior);
            let mut penalty = model.prior_penalty(prior);
            for (j, &p) in accuracy.iter().enumerate() {
                let rates = even_rates(k, p.clamp(1e-6, 1.0 - 1e-6));
                state.set(j, rates);
                penalty += model.rates_penalty(k, rates);
            }
            penalty
        }
        Begin::VoteShares | Begin::Posterior(_) => {
            let given = if let Begin::Posterior(q) = begin { Some(*q) } else { None };
            let counts = state.begin(given);
            let m = state.maximise(model, &counts);
            model.after(&m.sums);
            m.penalty
        }
    };
    let mut objective = f64::NEG_INFINITY;
    let mut change = f64::MAX;
    let mut right = None;
    let run = cx.iterate(limits.max_iter, limits.tol, |cx, iteration| {
        let reached = state.expect(cx)? + penalty;
        if reached.is_nan() {
            return Ok(Step { objective: Some(reached), change });
        }
        objective = reached;
        let counts = state.counts();
        let last = iteration == limits.max_iter;
        if last {
            state.write(&mut posterior);
        }
        let m = state.maximise(model, &counts);
        (penalty, change) = (m.penalty, m.change);
        if last {
            right = Some(counts.right);
        } else {
            model.after(&m.sums);
        }
        Ok(Step { objective: Some(objective), change })
    })?;
    let right = if let Some(right) = right {
        right
    } else {
        objective = state.expect(cx)? + penalty;
        state.write(&mut posterior);
        let counts = state.counts();
        state.maximise(model, &counts);
        counts.right
    };
    let tables = right.iter().zip(&state.n).map(|(&right, &n)| model.reported(k, right, n)).collect();
    Ok(Fitted { posterior, tables, prior: state.prior, run, objective, hard: false, findings: Vec::new() })
}
