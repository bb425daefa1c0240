//! One accuracy per annotator and class: annotators x K numbers, and K steps per label as with full matrices.

use super::super::em::{Adaptive, Fitted};
use super::super::one_coin::even_rates;
use super::{Begin, Input, Limits, Rates, ln};
use crowdwise_core::{Context, Error, Step};
use rayon::prelude::*;

/// A model that is one accuracy per annotator and class.
pub(in super::super) trait Vector: Adaptive {
    /// What an annotator says of units of one class, from the expected number of its right labels and of its labels.
    fn rates(&self, k: usize, right: f64, n: f64) -> Rates;
    /// The log-prior of rates.
    fn rates_penalty(&self, k: usize, rates: Rates) -> f64;
}

struct Vectors<'a> {
    input: Input<'a>,
    /// Annotators x K.
    rates: Vec<Rates>,
    /// Logarithms of the same.
    log: Vec<Rates>,
    prior: Vec<f64>,
    /// Units x K, of the last E-step; rows of units with neither label nor known class are not looked at.
    posterior: Vec<f64>,
}

const UNIFORM_START: Rates = Rates { right: 0.0, wrong: 0.0 };

impl<'a> Vectors<'a> {
    fn new(input: Input<'a>) -> Self {
        let table = input.labels.table;
        let (cells, k) = (table.n_annotators() * input.k(), input.k());
        Vectors {
            input,
            rates: vec![UNIFORM_START; cells],
            log: vec![UNIFORM_START; cells],
            prior: vec![1.0 / k as f64; k],
            posterior: vec![0.0; table.n_units() * k],
        }
    }

    /// Posteriors to begin with instead of an E-step.
    fn begin(&mut self, given: Option<&[f64]>) {
        let (input, k) = (self.input, self.input.k());
        for (u, row) in self.posterior.chunks_exact_mut(k).enumerate() {
            if let Some(truth) = input.known(u) {
                row[truth] = 1.0;
            } else if let Some(q) = given {
                row.copy_from_slice(&q[u * k..(u + 1) * k]);
            } else {
                input.labels.vote_shares(u, row);
            }
        }
    }

    fn set(&mut self, cell: usize, rates: Rates) {
        self.rates[cell] = rates;
        self.log[cell] = Rates { right: ln(rates.right), wrong: ln(rates.wrong) };
    }

    /// One E-step: the log-likelihood.
    fn expect(&mut self, cx: &mut Context<'_>) -> Result<f64, Error> {
        let (input, k, log, prior) = (self.input, self.input.k(), &self.log, &self.prior);
        let table = input.labels.table;
        let log_prior: Vec<f64> = prior.iter().map(|p| p.ln()).collect();
        let piece = input.piece();
        let unit = |u: usize, row: &mut [f64]| {
            let rows = table.rows(u);
            let of = |r: usize| &log[table.annotator()[r] as usize * k..][..k];
            if let Some(truth) = input.known(u) {
                row.fill(0.0);
                row[truth] = 1.0;
                let said = |r: usize| {
                    let own = of(r)[truth];
                    if input.labels.codes.get(r) == truth { own.right } else { own.wrong }
                };
                return ln(prior[truth]) + rows.map(said).sum::<f64>();
            }
            if rows.is_empty() {
                return 0.0;
            }
            row.copy_from_slice(&log_prior);
            for r in rows {
                let (own, l) = (of(r), input.labels.codes.get(r));
                row.iter_mut().zip(own).for_each(|(x, p)| *x += p.wrong);
                row[l] += own[l].right - own[l].wrong;
            }
            let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            row.iter_mut().for_each(|x| *x = (*x - top).exp());
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x /= sum);
            top + sum.ln()
        };
        let sums: Vec<f64> = cx.install(|| {
            let pieces = self.posterior.par_chunks_mut(piece * k).enumerate();
            pieces
                .map(|(p, rows)| rows.chunks_exact_mut(k).enumerate().map(|(x, row)| unit(p * piece + x, row)).sum())
                .collect()
        })?;
        Ok(sums.iter().sum())
    }

    /// Expected number of units of each class.
    fn class(&self) -> Vec<f64> {
        let k = self.input.k();
        let mut class = vec![0.0; k];
        for (u, row) in self.posterior.chunks_exact(k).enumerate() {
            if self.input.labels.table.degree(u) > 0 || self.input.known(u).is_some() {
                class.iter_mut().zip(row).for_each(|(c, x)| *c += x);
            }
        }
        class
    }

    /// New parameters from the posteriors: the largest change, and the log-prior.
    fn maximise<M: Vector>(&mut self, model: &M, cx: &mut Context<'_>) -> Result<(f64, f64), Error> {
        let (k, labels) = (self.input.k(), self.input.labels);
        let old = self.prior.clone();
        let mut penalty = model.prior(&self.class(), &mut self.prior);
        let mut change = old.iter().zip(&self.prior).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let index = labels.table.by_annotator();
        let posterior = &self.posterior;
        let annotator = |(j, (own, log)): (usize, (&mut [Rates], &mut [Rates]))| {
            let (mut right, mut n) = (vec![0.0; k], vec![0.0; k]);
            for (&r, &u) in index.rows(j).iter().zip(index.units(j)) {
                let q = &posterior[u as usize * k..(u as usize + 1) * k];
                let l = labels.codes.get(r as usize);
                right[l] += q[l];
                n.iter_mut().zip(q).for_each(|(s, x)| *s += x);
            }
            let (mut moved, mut penalty) = (0f64, 0.0);
            for t in 0..k {
                let new = model.rates(k, right[t], n[t]);
                if !index.rows(j).is_empty() {
                    moved = moved.max((new.right - own[t].right).abs()).max((new.wrong - own[t].wrong).abs());
                }
                penalty += model.rates_penalty(k, new);
                own[t] = new;
                log[t] = Rates { right: ln(new.right), wrong: ln(new.wrong) };
            }
            (moved, penalty)
        };
        let (rates, log) = (&mut self.rates, &mut self.log);
        let all: Vec<(f64, f64)> =
            cx.install(|| rates.par_chunks_mut(k).zip(log.par_chunks_mut(k)).enumerate().map(annotator).collect())?;
        for (moved, p) in all {
            change = change.max(moved);
            penalty += p;
        }
        Ok((change, penalty))
    }
}

/// Fits a model of one accuracy per annotator and class; `tables` of the result are these, annotators x K.
pub(in super::super) fn vectors<M: Vector>(
    input: Input<'_>,
    model: &M,
    begin: &Begin<'_>,
    limits: Limits,
    cx: &mut Context<'_>,
) -> Result<Fitted, Error> {
    let k = input.k();
    // right and wrong, plain and as logarithms
    super::super::shared::check_cells(input.labels.table.n_annotators(), 4 * k)?;
    let mut state = Vectors::new(input);
    let mut penalty = match begin {
        Begin::Accuracy { accuracy, prior } => {
            state.prior.copy_from_slice(prior);
            let mut penalty = model.prior_penalty(prior);
            for (j, &p) in accuracy.iter().enumerate() {
                let rates = even_rates(k, p.clamp(1e-6, 1.0 - 1e-6));
                (0..k).for_each(|t| state.set(j * k + t, rates));
                penalty += k as f64 * model.rates_penalty(k, rates);
            }
            penalty
        }
        Begin::VoteShares | Begin::Posterior(_) => {
            state.begin(if let Begin::Posterior(q) = begin { Some(*q) } else { None });
            state.maximise(model, cx)?.1
        }
    };
    let mut objective = f64::NEG_INFINITY;
    let mut change = f64::MAX;
    let mut complete = false;
    let run = cx.iterate(limits.max_iter, limits.tol, |cx, iteration| {
        let reached = state.expect(cx)? + penalty;
        if reached.is_nan() {
            return Ok(Step { objective: Some(reached), change });
        }
        objective = reached;
        (change, penalty) = state.maximise(model, cx)?;
        complete = iteration == limits.max_iter;
        Ok(Step { objective: Some(objective), change })
    })?;
    if !complete {
        objective = state.expect(cx)? + penalty;
        state.maximise(model, cx)?;
    }
    let tables = state.rates.iter().map(|r| r.right).collect();
    Ok(Fitted {
        posterior: state.posterior,
        tables,
        prior: state.prior,
        run,
        objective,
        hard: false,
        findings: Vec::new(),
    })
}
