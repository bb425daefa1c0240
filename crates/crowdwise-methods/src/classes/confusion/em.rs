//! The EM driver that every model of the confusion kind shares: start, iterations, acceleration, final posterior.

use super::kernel::{Begin, Dense, Engine, Maximised, Model, Sums};
use super::settling::{Settle, watch};
use super::squarem::Squarem;
use crowdwise_core::{Categorical, Context, Error, Finding, Problems, Run, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the E-step hands to the M-step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Assignment {
    /// Posterior probabilities: EM.
    Soft,
    /// The most probable class only: hard EM (Fast-Dawid-Skene).
    Hard,
    /// Soft until the class shares settle, then hard.
    Hybrid,
}

/// Hybrid EM turns hard when the class shares move by no more than this in all (Sinha et al. 2018).
const HYBRID_SWITCH: f64 = 0.005;

/// What `tol` is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StopRule {
    /// The largest change of a probability in one EM step.
    Parameters,
    /// What one EM step adds to crowd-kit's bound, per label.
    Bound,
}

impl StopRule {
    /// A gain may be negative, and so may its limit: then all iterations are made.
    pub(crate) fn check(self, tol: f64, p: &mut Problems) {
        match self {
            StopRule::Parameters => p.at_least("tol", tol, 0.0),
            StopRule::Bound => p.require(tol.is_finite(), "tol", tol, "a number"),
        }
    }
}

pub(crate) struct Settings {
    pub max_iter: usize,
    pub tol: f64,
    pub accelerate: bool,
    pub assignment: Assignment,
    /// [`StopRule::Bound`] needs a model in [`Bounded`].
    pub stop: StopRule,
    /// What is made of answers that no longer move.
    pub settle: Settle,
}

impl Settings {
    /// Soft EM, the usual case.
    pub fn soft(max_iter: usize, tol: f64, accelerate: bool) -> Settings {
        let (assignment, stop, settle) = (Assignment::Soft, StopRule::Parameters, Settle::Tell);
        Settings { max_iter, tol, accelerate, assignment, stop, settle }
    }
}

pub(crate) enum Start<'a> {
    /// The first M-step sees these posteriors.
    Posterior(Begin<'a>),
    /// The first E-step sees these tables (annotators x label x truth) and this prior.
    Tables { tables: Vec<f64>, prior: Vec<f64> },
    /// The first M-step sees the counts that the engine holds, of a pass that gave these expected class counts.
    Counts { class: Vec<f64> },
}

pub(crate) struct Fitted {
    /// units x K, complete only for packed items; see [`super::shared::complete`].
    pub posterior: Vec<f64>,
    /// annotators x label x truth, what the model reports after the last E-step.
    pub tables: Vec<f64>,
    pub prior: Vec<f64>,
    pub run: Run,
    /// Objective at the parameters that gave the posterior.
    pub objective: f64,
    /// Whether the last E-step was a hard one, so that the objective is that of the assigned classes.
    pub hard: bool,
    /// What the start has to say; set by whoever made it.
    pub findings: Vec<Finding>,
}

/// A model whose own parameters may move between iterations.
pub(crate) trait Adaptive: Model {
    /// Sums of the last maximisation.
    fn after(&mut self, _sums: &Sums) {}
    /// How many numbers the model wants added over annotators before it makes tables, round by round; 0 ends the rounds.
    fn pool_width(&self, _k: usize, _round: usize) -> usize {
        0
    }
    /// Adds what annotator `j` with these counts contributes.
    fn pool(&self, _k: usize, _round: usize, _j: usize, _counts: &[f64], _sums: &mut [f64]) {}
    /// Takes note of the sums.
    fn pooled(&mut self, _k: usize, _round: usize, _sums: &[f64]) {}
    /// Whether log-likelihood and penalties add up to something worth a trace.
    fn has_objective(&self) -> bool {
        true
    }
}

/// A model that also tells the expected log-likelihood of the labels under its new tables, as the second of its sums.
pub(crate) struct Bounded<M>(pub M);

impl<M: Model> Model for Bounded<M> {
    fn table(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let mut sums = self.0.table(k, j, counts, table);
        sums[1] = expected(counts, table);
        sums
    }

    fn report(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) {
        self.0.report(k, j, counts, table);
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        self.0.prior(class, prior)
    }

    fn report_prior(&self, class: &[f64], prior: &mut [f64]) {
        self.0.report_prior(class, prior);
    }

    fn penalty(&self, k: usize, table: &[f64]) -> f64 {
        self.0.penalty(k, table)
    }

    fn prior_penalty(&self, prior: &[f64]) -> f64 {
        self.0.prior_penalty(prior)
    }
}

impl<M: Model> Adaptive for Bounded<M> {}

/// Expected log-likelihood of labels that were counted, under a table.
fn expected(counts: &[f64], table: &[f64]) -> f64 {
    let ln = |p: &f64| p.max(f64::MIN_POSITIVE).ln();
    counts.iter().zip(table).filter(|(c, _)| **c > 0.0).map(|(c, p)| c * ln(p)).sum()
}

/// What crowd-kit's bound needs of a pass before the M-step: the entropy of the posteriors, and the class counts with
/// every item counted once for each of its labels.
struct BeforeStep {
    entropy: f64,
    by_label: Vec<f64>,
}

impl BeforeStep {
    fn new(
        engine: &mut Engine,
        tables: &[f64],
        passed: &(f64, &[f64]),
        cx: &mut Context<'_>,
    ) -> Result<BeforeStep, Error> {
        let k = engine.k();
        let sums = engine.gather(cx, 1 + k, |j, counts, sums| {
            sums[0] += expected(counts, &tables[j * k * k..][..k * k]);
            for row in counts.chunks_exact(k) {
                sums[1..].iter_mut().zip(row).for_each(|(s, c)| *s += c);
            }
        })?;
        let (log_likelihood, class) = passed;
        // of Σ_k q_k ln (joint of k / q_k), which is the log-likelihood, only the entropy stays
        let entropy = log_likelihood - sums[0] - weighted(class, engine.prior());
        Ok(BeforeStep { entropy, by_label: sums[1..].to_vec() })
    }

    /// The bound per label with the new tables and prior. crowd-kit adds the prior once for every label of an item.
    fn bound(&self, expected: f64, prior: &[f64]) -> f64 {
        let labels: f64 = self.by_label.iter().sum();
        (expected + weighted(&self.by_label, prior) + self.entropy) / labels.max(1.0)
    }
}

fn weighted(class: &[f64], prior: &[f64]) -> f64 {
    class.iter().zip(prior).filter(|(c, _)| **c > 0.0).map(|(c, p)| c * p.max(1e-10).ln()).sum()
}

/// The M-step: first what the model wants to know of all annotators together, then the tables.
pub(crate) fn maximise<M: Adaptive>(
    engine: &mut Engine,
    model: &mut M,
    class: &[f64],
    dense: Dense<'_>,
    cx: &mut Context<'_>,
) -> Result<Maximised, Error> {
    let k = engine.k();
    for round in 0.. {
        let width = model.pool_width(k, round);
        if width == 0 {
            break;
        }
        let sums = engine.gather(cx, width, |j, counts, sums| model.pool(k, round, j, counts, sums))?;
        model.pooled(k, round, &sums);
    }
    engine.maximise(cx, model, class, dense)
}

/// Fits `model`. Iteration n of the trace is the n-th E-step, so that a limit of n iterations gives the posterior that n
/// rounds of "M-step, E-step" from the start give.
pub(crate) fn fit<M: Adaptive>(
    engine: &mut Engine,
    model: &mut M,
    start: Start<'_>,
    settings: &Settings,
    units: usize,
    cx: &mut Context<'_>,
) -> Result<Fitted, Error> {
    fit_with(engine, model, start, settings, units, None, cx)
}

/// As [`fit`], in less memory: the engine is used up by it.
pub(crate) fn fit_last<M: Adaptive>(
    engine: &mut Engine,
    model: &mut M,
    start: Start<'_>,
    settings: &Settings,
    data: &Categorical<'_>,
    cx: &mut Context<'_>,
) -> Result<Fitted, Error> {
    fit_with(engine, model, start, settings, data.table.n_units(), Some(data), cx)
}

/// What the engine held at a pass.
#[derive(Default)]
struct Held {
    tables: Vec<f64>,
    prior: Vec<f64>,
    hard: bool,
}

fn fit_with<M: Adaptive>(
    engine: &mut Engine,
    model: &mut M,
    start: Start<'_>,
    settings: &Settings,
    units: usize,
    used_up: Option<&Categorical<'_>>,
    cx: &mut Context<'_>,
) -> Result<Fitted, Error> {
    let k = engine.k();
    // memory that is first written by the pass that fills it
    let mut posterior = vec![0.0; units * k];
    let mut tables = vec![0.0; engine.entries()];
    let log_prior = |model: &M, tables: &[f64], prior: &[f64]| {
        tables.chunks_exact(k * k).map(|t| model.penalty(k, t)).sum::<f64>() + model.prior_penalty(prior)
    };
    let mut penalty = match start {
        Start::Posterior(begin) => {
            let first = engine.begin(cx, &begin)?;
            let m = maximise(engine, model, &first.class, Dense::Tables(&mut tables), cx)?;
            model.after(&m.sums);
            m.sums[0] + m.prior_penalty
        }
        Start::Counts { class } => {
            let m = maximise(engine, model, &class, Dense::Tables(&mut tables), cx)?;
            model.after(&m.sums);
            m.sums[0] + m.prior_penalty
        }
        Start::Tables { tables: t, prior } => {
            engine.set(&t, &prior);
            tables.copy_from_slice(&t);
            log_prior(model, &tables, &prior)
        }
    };
    let worth = worth_extrapolating(engine.entries(), engine.labels());
    let soft = settings.assignment == Assignment::Soft && settings.stop == StopRule::Parameters;
    let accelerate = settings.accelerate && soft && worth;
    let mut squarem = accelerate.then(|| Squarem::new(&tables, engine.prior()));
    let mut hard = settings.assignment == Assignment::Hard;
    let mut stored = false;
    let by_bound = settings.stop == StopRule::Bound;
    let mut bound = f64::MIN;
    // by crowd-kit's rule the posterior of the last step counts, whichever that will be: it is written every time, or once in
    // the end with what the engine held then
    let mut held = Held::default();
    // a second copy of all tables must be less than what it saves
    let later = by_bound && used_up.is_some() && 2 * engine.entries() <= engine.labels();
    let (mut objective, mut change) = (f64::NEG_INFINITY, f64::MAX);
    let mut watch = watch(settings, posterior.len());
    // expected class shares of the last pass
    let mut class = vec![0.0; k];
    // expected class counts behind the posterior
    let mut counts = vec![0.0; k];
    let run = cx.iterate(settings.max_iter, settings.tol, |cx, iteration| {
        let mut last = iteration == settings.max_iter;
        let mut keep = last || by_bound;
        let look = watch.looks(iteration);
        let passed = engine.pass(cx, ((keep || look) && !later).then_some(posterior.as_mut_slice()), hard)?;
        let reached = passed.log_likelihood + penalty;
        if reached.is_nan() {
            return Ok(Step { objective: Some(reached), change });
        }
        if let Some(s) = &mut squarem
            && s.refuses(reached)
        {
            let (t, prior, p) = s.back();
            engine.set(t, prior);
            penalty = p;
            watch.forget();
            return Ok(Step { objective: Some(objective), change });
        }
        if look && let Some(how) = watch.look(&posterior, k) {
            // what ends here is complete: the posterior is written, and the model reports
            (last, keep) = (true, true);
            cx.settle(how);
        }
        objective = reached;
        let shares = normalised(&passed.class);
        let moved: f64 = shares.iter().zip(&class).map(|(a, b)| (a - b).abs()).sum();
        class = shares;
        let before = if by_bound {
            Some(BeforeStep::new(engine, &tables, &(passed.log_likelihood, &passed.class), cx)?)
        } else {
            None
        };
        if later {
            held.tables.clone_from(&tables);
            held.prior = engine.prior().to_vec();
            held.hard = hard;
        }
        let wanted = match (keep, &squarem) {
            (true, _) => Dense::Report(&mut tables),
            (false, Some(_)) => Dense::Tables(&mut tables),
            (false, None) => Dense::None,
        };
        let m = maximise(engine, model, &passed.class, wanted, cx)?;
        if !last {
            model.after(&m.sums);
        }
        penalty = m.sums[0] + m.prior_penalty;
        change = m.change;
        if let Some(before) = &before {
            let reached = before.bound(m.sums[1], engine.prior());
            change = if bound == f64::MIN { f64::MAX } else { reached - bound };
            bound = reached;
        }
        stored = keep;
        if keep {
            counts.clone_from(&passed.class);
        }
        if settings.assignment == Assignment::Hybrid && !hard && iteration > 1 && moved <= HYBRID_SWITCH {
            hard = true;
            // the hard phase has its own convergence
            change = change.max(settings.tol);
        }
        if let Some(s) = &mut squarem
            && !last
        {
            // the last pass must start from an EM point
            let may = change >= settings.tol && iteration + 1 < settings.max_iter;
            if let Some((t, prior)) = s.advance(&tables, engine.prior(), objective, penalty, may) {
                penalty = log_prior(model, t, prior);
                engine.set(t, prior);
            }
        }
        let told = if by_bound { bound } else { objective };
        Ok(Step { objective: model.has_objective().then_some(told), change })
    })?;
    if !stored {
        if let Some(s) = &mut squarem
            && s.extrapolated()
        {
            let (t, prior, p) = s.back();
            engine.set(t, prior);
            penalty = p;
        }
        let passed = match used_up {
            Some(data) => engine.last_pass(cx, data, &mut posterior, hard),
            None => engine.pass(cx, Some(&mut posterior), hard),
        };
        objective = passed.and_then(|passed| {
            maximise(engine, model, &passed.class, Dense::Report(&mut tables), cx)?;
            counts.clone_from(&passed.class);
            Ok(passed.log_likelihood + penalty)
        })?;
    }
    let mut prior = engine.prior().to_vec();
    model.report_prior(&counts, &mut prior);
    if let Some(data) = used_up
        && !held.tables.is_empty()
    {
        engine.set(&held.tables, &held.prior);
        drop(held.tables);
        engine.last_pass(cx, data, &mut posterior, held.hard)?;
    }
    Ok(Fitted { posterior, tables, prior, run, objective, hard, findings: Vec::new() })
}

/// Extrapolation keeps three copies of all tables and takes their logarithms: not worth it on sparse, wide data.
pub(super) fn worth_extrapolating(entries: usize, labels: usize) -> bool {
    entries <= 4 * labels + 100_000
}

fn normalised(counts: &[f64]) -> Vec<f64> {
    let sum: f64 = counts.iter().sum();
    counts.iter().map(|c| c / sum).collect()
}
