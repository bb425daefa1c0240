//! What the methods of this family share: parameters, starts, the shape of the result.

use super::em::{self, Adaptive, Fitted, Settings, Start};
use super::kernel::{Begin, Engine};
use super::start::{self, Init};
use crowdwise_core::{
    Annotators, Capabilities, Categorical, Context, Dataset, Error, Fit, Objective, Outcome, Problems, memory,
};
use crowdwise_numerics::fast::LnProduct;
use rand_distr::{Distribution, Exp1};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How class shares enter the posterior.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClassPrior {
    /// Estimated with everything else.
    Learn,
    /// All classes alike.
    Uniform,
    /// Given in `class_shares`.
    Fixed,
}

/// What the EM and variational methods of this family can do.
pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    confusion: true,
    monotone: true,
    gold: true,
    warm_start: true,
    likelihood: true,
    ..Capabilities::NONE
};

/// How the objective of soft EM is called.
pub(crate) fn objective_kind(pseudo_counts: f64) -> &'static str {
    if pseudo_counts > 0.0 { "penalised-log-likelihood" } else { "log-likelihood" }
}

/// Share of each class by name, complete: every class of the data, positive, scaled to sum 1.
pub(crate) fn fixed_shares(shares: &BTreeMap<String, f64>, data: &Categorical<'_>) -> Result<Vec<f64>, Error> {
    let mut problems = Problems::default();
    for name in shares.keys() {
        let known = data.classes.iter().any(|c| c == name);
        problems.require(known, "class_shares", format!("given for `{name}`"), "given for classes of the data only");
    }
    let found: Vec<f64> = data.classes.iter().map(|c| shares.get(c).copied().unwrap_or(f64::NAN)).collect();
    for (c, &x) in data.classes.iter().zip(&found) {
        let value = if x.is_nan() { format!("missing for `{c}`") } else { format!("{x} for `{c}`") };
        problems.require(x > 0.0 && x.is_finite(), "class_shares", value, "a positive share for every class");
    }
    Error::all(problems.0)?;
    let sum: f64 = found.iter().sum();
    Ok(found.iter().map(|x| x / sum).collect())
}

/// The class prior of a model: learned with `beta` added to every class, or given.
pub(crate) struct Shares {
    pub learn: bool,
    pub beta: f64,
    pub given: Vec<f64>,
}

impl Shares {
    /// From the three parameters that the methods share.
    pub fn new(
        kind: ClassPrior,
        beta: f64,
        shares: &BTreeMap<String, f64>,
        data: &Categorical<'_>,
    ) -> Result<Shares, Error> {
        let given = match kind {
            ClassPrior::Fixed => fixed_shares(shares, data)?,
            _ => vec![1.0 / data.k() as f64; data.k()],
        };
        Ok(Shares { learn: kind == ClassPrior::Learn, beta, given })
    }

    pub fn check(kind: ClassPrior, beta: f64, shares: &BTreeMap<String, f64>, p: &mut Problems) {
        p.within("beta", beta, 0.0, 1e9);
        let fixed = kind == ClassPrior::Fixed;
        let text = serde_json::to_string(shares).unwrap_or_default();
        p.require(fixed != shares.is_empty(), "class_shares", text, "given just when class_prior is fixed");
    }

    /// Writes the prior for these expected class counts; returns its log-prior.
    pub fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        if self.learn {
            let total: f64 = class.iter().sum::<f64>() + self.beta * class.len() as f64;
            for (p, &c) in prior.iter_mut().zip(class) {
                *p = if total > 0.0 { (c + self.beta) / total } else { 1.0 / class.len() as f64 };
            }
        } else {
            prior.copy_from_slice(&self.given);
        }
        self.penalty(prior)
    }

    pub fn penalty(&self, prior: &[f64]) -> f64 {
        if self.learn && self.beta > 0.0 { self.beta * sum_ln(prior) } else { 0.0 }
    }
}

/// Sum of logarithms of probabilities, floored where f64 ends. Four products at a time, which do not wait for each other,
/// and one logarithm in all.
#[inline(always)]
#[allow(clippy::inline_always)] // must end up inside the M-step, which is compiled for the processor
pub(crate) fn sum_ln(values: &[f64]) -> f64 {
    const SMALL: f64 = 1e-270;
    let mut sum = LnProduct::new();
    let mut lanes = [1.0; 4];
    let fours = values.chunks_exact(4);
    let rest = fours.remainder();
    for four in fours {
        let next: [f64; 4] = std::array::from_fn(|i| lanes[i] * four[i]);
        if next.iter().all(|x| *x > SMALL) {
            lanes = next;
        } else {
            lanes.iter().for_each(|x| sum.push(*x));
            lanes = std::array::from_fn(|i| four[i].max(f64::MIN_POSITIVE));
        }
    }
    lanes.iter().for_each(|x| sum.push(*x));
    rest.iter().for_each(|x| sum.push(x.max(f64::MIN_POSITIVE)));
    sum.value()
}

/// Random tables, annotators x label x truth: 0.5 identity + 0.5 uniform draw from the simplex.
pub(crate) fn random_tables(annotators: usize, k: usize, cx: &Context<'_>, restart: usize) -> Vec<f64> {
    let mut rng = cx.rng("random confusion", restart as u64);
    let mut tables = vec![0.0; annotators * k * k];
    let mut column = vec![0.0; k];
    for table in tables.chunks_exact_mut(k * k) {
        for truth in 0..k {
            column.iter_mut().for_each(|x| *x = Exp1.sample(&mut rng));
            let sum: f64 = column.iter().sum();
            for l in 0..k {
                table[l * k + truth] = 0.5 * column[l] / sum + if l == truth { 0.5 } else { 0.0 };
            }
        }
    }
    tables
}

/// The posteriors of an earlier fit, if it is of the same items.
pub(super) fn warm_posterior<'a>(data: &Dataset, warm: &'a Fit) -> Option<&'a [f64]> {
    let (t, p) = (&data.table, &warm.provenance);
    let here = (t.n_items(), t.n_annotators(), t.n_classes(), t.n_labels());
    let same = (p.items, p.annotators, p.classes, p.labels) == here;
    warm.model_posterior().map(|p| p.1).filter(|q| same && q.len() == t.n_units() * t.n_classes())
}

/// Where an earlier fit left off, if the run brings one of the right shape: its posteriors if it is of the same items,
/// else its annotators.
pub(crate) fn warm_start<'a>(data: &Dataset, cx: &Context<'a>) -> Option<Start<'a>> {
    let warm = cx.warm?;
    let (m, k) = (data.table.n_annotators(), data.table.n_classes());
    if let Some(q) = warm_posterior(data, warm) {
        return Some(Start::Posterior(Begin::Posterior(q)));
    }
    if warm.annotators.len() != m || warm.provenance.classes != k {
        return None;
    }
    let mut tables = Vec::with_capacity(m * k * k);
    for j in 0..m {
        let c = warm.annotators.confusion(j)?;
        (0..k * k).for_each(|x| tables.push(c[(x % k) * k + x / k].max(1e-100)));
    }
    let prior = warm.class_prior.clone().unwrap_or_else(|| vec![1.0 / k as f64; k]);
    Some(Start::Tables { tables, prior })
}

/// Tables (annotators x label x truth) as confusion matrices (annotators x truth x label), in place.
pub(crate) fn transpose(mut tables: Vec<f64>, k: usize) -> Vec<f64> {
    for t in tables.chunks_exact_mut((k * k).max(1)) {
        for a in 0..k {
            for b in a + 1..k {
                t.swap(a * k + b, b * k + a);
            }
        }
    }
    tables
}

/// Fills the posterior rows that no pass writes: items without labels get the prior, items of known truth their class.
pub(crate) fn complete(posterior: &mut [f64], data: &Dataset, gold: Option<&[Option<u32>]>, prior: &[f64]) {
    let k = prior.len();
    for u in 0..data.table.n_units() {
        let row = &mut posterior[u * k..(u + 1) * k];
        if let Some(class) = gold.and_then(|g| g[u]) {
            row.fill(0.0);
            row[class as usize] = 1.0;
        } else if data.table.degree(u) == 0 {
            row.copy_from_slice(prior);
        }
    }
}

/// Fits a model from the warm start or what `init` stands for, and shapes the result.
pub(crate) fn run<M: Adaptive>(
    data: &Dataset,
    cx: &mut Context<'_>,
    model: &mut M,
    settings: &Settings,
    init: Init,
    kind: &str,
    annotators: impl FnOnce(Vec<f64>) -> Annotators,
) -> Result<Outcome, Error> {
    let (labels, gold) = inputs(data);
    let mut engine = Engine::new(&labels, gold.as_deref(), cx.threads)?;
    let (start, findings) = match warm_start(data, cx) {
        Some(warm) => (warm, Vec::new()),
        None => start::first(&mut engine, data, init, cx)?,
    };
    let mut fitted = em::fit_last(&mut engine, model, start, settings, &labels, cx)?;
    fitted.findings = findings;
    Ok(outcome(fitted, data, gold.as_deref(), kind, annotators))
}

/// The result of an EM fit.
pub(crate) fn outcome(
    mut fitted: Fitted,
    data: &Dataset,
    gold: Option<&[Option<u32>]>,
    kind: &str,
    annotators: impl FnOnce(Vec<f64>) -> Annotators,
) -> Outcome {
    // a variational prior is the exponential of expected logarithms, which sum to less than 1
    let sum: f64 = fitted.prior.iter().sum();
    fitted.prior.iter_mut().for_each(|p| *p /= sum);
    complete(&mut fitted.posterior, data, gold, &fitted.prior);
    let k = fitted.prior.len();
    let mut diagnostics = fitted.run.diagnostics(kind);
    diagnostics.objective = Some(Objective { kind: kind.into(), value: fitted.objective });
    let mut out = Outcome::classes(k, fitted.posterior, annotators(fitted.tables), diagnostics);
    out.class_prior = Some(fitted.prior);
    out.findings = fitted.findings;
    out
}

/// The categorical view and known classes that every method of the family begins with.
pub(crate) fn inputs(data: &Dataset) -> (Categorical<'_>, Option<Vec<Option<u32>>>) {
    (data.table.categorical().expect("the kind was checked"), data.gold_classes())
}

/// Entries of all confusion matrices, 8 bytes each: beyond 12 GB a matrix per annotator is the wrong model.
const MOST_ENTRIES: usize = 1_500_000_000;

/// Refuses `matrices` of `labels` x K entries that would not fit into memory.
pub(crate) fn check_entries(matrices: usize, labels: usize, k: usize) -> Result<(), Error> {
    let entries = matrices.checked_mul(labels).and_then(|c| c.checked_mul(k));
    let fits = entries.is_some_and(|e| e <= MOST_ENTRIES && e as u64 * 8 <= memory::limit());
    if fits { Ok(()) } else { Err(too_large(matrices, k)) }
}

/// Refuses `annotators` times `numbers` that would not fit into memory.
pub(super) fn check_cells(annotators: usize, numbers: usize) -> Result<(), Error> {
    if annotators.checked_mul(numbers).is_none_or(|e| e > MOST_ENTRIES) {
        return Err(Error::TooLarge { what: format!("{numbers} numbers for each of {annotators} annotators") });
    }
    Ok(())
}

pub(crate) fn too_large(matrices: usize, k: usize) -> Error {
    let what = format!("{matrices} confusion matrices of {k} classes; majority-vote and mace need none");
    Error::TooLarge { what }
}
