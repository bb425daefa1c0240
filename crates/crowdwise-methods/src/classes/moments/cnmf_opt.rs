//! CNMF-OPT: coupled factorisation of co-occurrences by mirror descent on the Kullback-Leibler divergence (Ibrahim, Fu,
//! Kargas and Huang, 2019).

use super::cnmf_spa::PAPER;
use super::pairs::Pairs;
use super::spa::{Align, Spa};
use super::{LabelPrior, Moments};
use crate::classes::confusion::shared;
use crate::classes::used_classes::fit_without_unused;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Run,
    Status, Step, Stop,
};
use crowdwise_numerics::fast::dot_ln;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of CNMF-OPT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CnmfOpt {
    /// More than this many others must share enough items with an annotator for its matrix to begin at its corners, as
    /// in cnmf-spa (7 in the published tables); the others begin with the votes.
    pub min_blocks: usize,
    /// How the columns of the first matrices are given to classes: as they go with the `votes`, or by the largest `trace`
    /// as published.
    pub align: Align,
    /// In which order annotators are taken in a round: those who `share` most items first, whatever their names, or as in
    /// the `table` (published).
    pub order: Order,
    /// Number of rounds of mirror descent. Few rounds are part of the method: more of them fit the moments better and the truth
    /// worse.
    pub rounds: usize,
    /// Number of steps on one matrix per round.
    pub inner_iter: usize,
    /// First step size that is tried; it shrinks by a tenth until the divergence falls enough.
    pub step: f64,
    /// Stop when a round changes the divergence by less than this part.
    pub tol: f64,
    /// Count each pair of annotators by the items that they share. Helps where overlaps are small and unequal, hurts
    /// where a few annotators share most items.
    pub weights: bool,
    /// Class shares of the decision: `uniform` (as published), or `learn` those of the factorisation.
    pub class_prior: LabelPrior,
}

impl Default for CnmfOpt {
    fn default() -> Self {
        CnmfOpt {
            min_blocks: 1,
            align: Align::Votes,
            order: Order::Share,
            rounds: 10,
            inner_iter: 3,
            step: 0.1,
            tol: 1e-6,
            weights: false,
            class_prior: LabelPrior::Uniform,
        }
    }
}

/// The order of annotators in a round, on which the result of few rounds depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// By what they share and say: names and the order of rows and classes change nothing.
    Share,
    /// As they stand in the table.
    Table,
}

/// A step below this is given up. Part of the method as published: smaller ones make labels worse.
const GIVE_UP: f64 = 1e-5;
/// Each try is this part of the step before it.
const SHRINK: f64 = 0.9;
/// The divergence must fall by this part of what the gradient promises.
const ENOUGH: f64 = 1e-3;
/// Modelled shares are at least this.
const LEAST: f64 = 1e-6;
/// Pairs per piece of parallel work.
const CHUNK: usize = 1024;

impl Method for CnmfOpt {
    const INFO: MethodInfo = MethodInfo {
        id: "cnmf-opt",
        name: "CNMF-OPT",
        summary: "Confusion matrices that explain all pairwise co-occurrences, by a few rounds of mirror descent.",
        doc: include_str!("cnmf_opt.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, monotone: true, gold: true, ..Capabilities::NONE },
        references: &[PAPER],
        status: Status::Stable,
        ..MethodInfo::of(Family::Moments)
    };

    fn check(&self, p: &mut Problems) {
        p.count("rounds", self.rounds);
        p.count("inner_iter", self.inner_iter);
        p.within("step", self.step, GIVE_UP, 10.0);
        p.at_least("tol", self.tol, 0.0);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.order != Order::Table // which asks for the order of the table
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        if let Some(out) = fit_without_unused(data, [], cx, |data, cx| self.fit(data, cx))? {
            return Ok(out);
        }
        let mut moments = Moments::of(data, cx)?;
        let k = moments.k();
        let fitted = self.factorise(&moments, cx)?;
        let tables = moments.spread(&fitted.tables, &fitted.used);
        let uniform = vec![1.0 / k as f64; k];
        let prior = if self.class_prior == LabelPrior::Learn { fitted.prior.clone() } else { uniform };
        let (posterior, _) = moments.posterior(data, &tables, &prior, cx)?;
        let mut diagnostics = fitted.run.diagnostics("minus-kl-divergence");
        diagnostics.details = moments.details(&fitted.used);
        diagnostics.details.insert("class_shares_of_moments".into(), fitted.prior.into());
        let annotators = Annotators::Confusion { k, matrix: shared::transpose(tables, k) };
        let mut out = Outcome::classes(k, posterior, annotators, diagnostics);
        out.class_prior = Some(prior);
        out.findings = moments.findings(&fitted.used);
        Ok(out)
    }
}

pub(super) struct Factorised {
    pub tables: Vec<f64>,
    pub prior: Vec<f64>,
    /// Places that are in a pair that was used.
    pub used: Vec<bool>,
    pub run: Run,
}

impl CnmfOpt {
    /// Minimises the divergence of the modelled from the seen co-occurrences, matrix by matrix, then class shares.
    pub(super) fn factorise(&self, moments: &Moments, cx: &mut Context<'_>) -> Result<Factorised, Error> {
        let spa = Spa { min_blocks: self.min_blocks, align: self.align, ..Spa::default() };
        let mut tables = spa.find(&moments.labels, &moments.pairs, &moments.votes_of_places(), cx)?.tables;
        let (k, pairs) = (moments.k(), &moments.pairs);
        let places = moments.labels.places();
        let order = match self.order {
            Order::Share => pairs.order(),
            Order::Table => (0..places).collect(),
        };
        let usable: Vec<bool> = cx.install(|| {
            let wanted = k.min(2);
            let rank = |scratch: &mut Vec<f64>, x| pairs.rank(x, wanted, scratch) >= wanted;
            (0..pairs.all.len()).into_par_iter().map_init(Vec::new, rank).collect()
        })?;
        let mut prior = vec![1.0 / k as f64; k];
        let used: Vec<bool> = (0..places).map(|p| pairs.near(p).iter().any(|n| usable[n.1 as usize])).collect();
        let weight = Weights::new(self.weights, pairs, &usable);
        let mut last = f64::INFINITY;
        let mut seen = Seen::new(k);
        let mut run = cx.iterate(self.rounds, self.tol, |cx, _| {
            for &p in order.iter().filter(|&&p| used[p]) {
                seen.gather(pairs, &usable, &weight, p, &tables, &prior);
                self.descend(&mut seen, &mut tables[p * k * k..(p + 1) * k * k]);
            }
            let cost = self.descend_shares(pairs, &usable, &weight, &tables, &mut prior, cx)?;
            let change = if last.is_finite() { (last - cost).abs() / last.abs().max(f64::MIN_POSITIVE) } else { 1.0 };
            last = cost;
            Ok(Step { objective: Some(-cost), change })
        })?;
        if run.stop == Stop::MaxIter {
            // the rounds are all that was asked for
            run.stop = Stop::Direct;
        }
        Ok(Factorised { tables, prior, used, run })
    }

    /// A few steps on one table.
    fn descend(&self, seen: &mut Seen, table: &mut [f64]) {
        let k = seen.k;
        let mut cost = seen.cost(table);
        let mut gradient = vec![0.0; k * k];
        let mut next = vec![0.0; k * k];
        for _ in 0..self.inner_iter {
            // the last cost was that of this table
            seen.gradient(&mut gradient);
            let mut step = self.step;
            let mut moved = 0.0;
            while step >= GIVE_UP {
                for t in 0..k {
                    towards(k, t, step, table, &gradient, &mut next);
                }
                let reached = seen.cost(&next);
                let promised: f64 = gradient.iter().zip(table.iter().zip(&next)).map(|(g, (a, b))| g * (a - b)).sum();
                if reached.is_finite() && cost - reached >= ENOUGH * promised {
                    let far: f64 = table.iter().zip(&next).map(|(a, b)| (a - b).powi(2)).sum();
                    let size: f64 = table.iter().map(|a| a * a).sum();
                    moved = (far / size).sqrt();
                    table.copy_from_slice(&next);
                    cost = reached;
                    break;
                }
                step *= SHRINK;
            }
            if moved < 1e-6 {
                break;
            }
        }
    }

    /// One step on the class shares; returns the divergence after it.
    fn descend_shares(
        &self,
        pairs: &Pairs,
        usable: &[bool],
        weight: &Weights,
        tables: &[f64],
        prior: &mut [f64],
        cx: &mut Context<'_>,
    ) -> Result<f64, Error> {
        let k = prior.len();
        let (mut cost, gradient) = over_pairs(pairs, usable, weight, tables, prior, cx)?;
        let mut step = self.step;
        let mut next = vec![0.0; k];
        while step >= GIVE_UP {
            let least = gradient.iter().copied().fold(f64::INFINITY, f64::min);
            (0..k).for_each(|t| next[t] = prior[t] * (-step * (gradient[t] - least)).exp());
            let sum: f64 = next.iter().sum();
            next.iter_mut().for_each(|x| *x /= sum);
            let reached = over_pairs(pairs, usable, weight, tables, &next, cx)?.0;
            let promised: f64 = (0..k).map(|t| gradient[t] * (prior[t] - next[t])).sum();
            if reached.is_finite() && cost - reached >= ENOUGH * promised {
                prior.copy_from_slice(&next);
                cost = reached;
                break;
            }
            step *= SHRINK;
        }
        Ok(cost)
    }
}

/// Column t of a table after an exponentiated step against the gradient.
fn towards(k: usize, t: usize, step: f64, table: &[f64], gradient: &[f64], next: &mut [f64]) {
    let least = (0..k).map(|l| gradient[l * k + t]).fold(f64::INFINITY, f64::min);
    let mut sum = 0.0;
    for l in 0..k {
        let x = table[l * k + t] * (-step * (gradient[l * k + t] - least)).exp();
        next[l * k + t] = x;
        sum += x;
    }
    (0..k).for_each(|l| next[l * k + t] /= sum);
}

/// Weights of pairs: 1, or the common items over their mean.
struct Weights(Option<Vec<f64>>);

impl Weights {
    fn new(wanted: bool, pairs: &Pairs, usable: &[bool]) -> Weights {
        let total: f64 = (0..usable.len()).filter(|&x| usable[x]).map(|x| pairs.all[x].n as f64).sum();
        let count = usable.iter().filter(|&&u| u).count().max(1) as f64;
        Weights(wanted.then(|| pairs.all.iter().map(|p| p.n as f64 * count / total.max(1.0)).collect()))
    }

    fn get(&self, x: usize) -> f64 {
        self.0.as_ref().map_or(1.0, |w| w[x])
    }
}

/// The cells that one place sees, with what the others' matrices make of them.
struct Seen {
    k: usize,
    label: Vec<u32>,
    /// Weight of each cell times its share.
    pull: Vec<f64>,
    /// The part of the divergence that does not depend on the table.
    fixed: f64,
    /// For each cell, the other's probability of its label times the class share, by class.
    mix: Vec<f64>,
    /// The shares of the cells under the table of the last [`Seen::cost`].
    model: Vec<f64>,
}

impl Seen {
    fn new(k: usize) -> Seen {
        Seen { k, label: Vec::new(), pull: Vec::new(), fixed: 0.0, mix: Vec::new(), model: Vec::new() }
    }

    fn gather(
        &mut self,
        pairs: &Pairs,
        usable: &[bool],
        weight: &Weights,
        place: usize,
        tables: &[f64],
        prior: &[f64],
    ) {
        let k = self.k;
        self.label.clear();
        self.pull.clear();
        self.mix.clear();
        let mut blocks = 0.0;
        let mut total = 0.0;
        self.fixed = 0.0;
        for &(other, x) in pairs.near(place).iter().filter(|n| usable[n.1 as usize]) {
            let own = &tables[other as usize * k * k..(other as usize + 1) * k * k];
            let w = weight.get(x as usize);
            blocks += 1.0;
            total += w;
            for (l, o, share) in pairs.seen_by(place, x as usize) {
                self.label.push(l as u32);
                self.pull.push(w * share);
                self.fixed += w * share * share.ln();
                self.mix.extend(own[o * k..(o + 1) * k].iter().zip(prior).map(|(a, p)| a * p));
            }
        }
        // the scale of a place's own sum is free, but the step size goes with it
        let scale = blocks / total;
        self.pull.iter_mut().for_each(|w| *w *= scale);
        self.fixed *= scale;
        self.model.resize(self.pull.len(), 0.0);
    }

    fn cost(&mut self, table: &[f64]) -> f64 {
        let k = self.k;
        for ((model, mix), &l) in self.model.iter_mut().zip(self.mix.chunks_exact(k)).zip(&self.label) {
            let row = &table[l as usize * k..][..k];
            *model = row.iter().zip(mix).map(|(a, q)| a * q).sum::<f64>().max(LEAST);
        }
        self.fixed - dot_ln(&self.pull, &self.model)
    }

    /// At the table of the last [`Seen::cost`].
    fn gradient(&self, out: &mut [f64]) {
        let k = self.k;
        out.fill(0.0);
        for (((w, model), mix), &l) in self.pull.iter().zip(&self.model).zip(self.mix.chunks_exact(k)).zip(&self.label)
        {
            let f = w / model;
            out[l as usize * k..][..k].iter_mut().zip(mix).for_each(|(g, q)| *g -= f * q);
        }
    }
}

/// Divergence over all usable pairs, and its gradient in the class shares.
fn over_pairs(
    pairs: &Pairs,
    usable: &[bool],
    weight: &Weights,
    tables: &[f64],
    prior: &[f64],
    cx: &mut Context<'_>,
) -> Result<(f64, Vec<f64>), Error> {
    let k = prior.len();
    let n = pairs.all.len();
    let pieces: Vec<(f64, Vec<f64>)> = cx.install(|| {
        let piece = |c: usize| {
            let (mut cost, mut gradient) = (0.0, vec![0.0; k]);
            for x in (c * CHUNK..((c + 1) * CHUNK).min(n)).filter(|&x| usable[x]) {
                let p = pairs.all[x];
                let (a, b) = (&tables[p.a as usize * k * k..], &tables[p.b as usize * k * k..]);
                for (l, o, share) in pairs.seen_by(p.a as usize, x) {
                    let (a, b) = (&a[l * k..(l + 1) * k], &b[o * k..(o + 1) * k]);
                    let model = (0..k).map(|t| prior[t] * a[t] * b[t]).sum::<f64>().max(LEAST);
                    let w = weight.get(x);
                    cost += w * share * (share / model).ln();
                    (0..k).for_each(|t| gradient[t] -= w * share / model * a[t] * b[t]);
                }
            }
            (cost, gradient)
        };
        (0..n.div_ceil(CHUNK)).into_par_iter().map(piece).collect()
    })?;
    let (mut cost, mut gradient) = (0.0, vec![0.0; k]);
    for (c, g) in pieces {
        cost += c;
        crowdwise_numerics::add_into(&mut gradient, &g);
    }
    Ok((cost, gradient))
}
