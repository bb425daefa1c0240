//! Ordinal annotators: positions on one scale, shared thresholds, a bias and a noise for each annotator.

use super::curve::{Scale, WIDE};
use super::grid::{Beliefs, POINTS, Point, Tables, positions, spacing, weights};
use super::scale::{centres, probability};
use super::search::{Expected, Search};
use crate::confusion::kernel::{Begin, Dense, Engine};
use crate::pooled::Cells;
use crowdwise_core::{
    Annotators, Capabilities, Categorical, Context, Dataset, Error, LabelKind, Method, MethodInfo, Objective, Outcome,
    Problems, Reference, Run, Status, Step,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ordinal model with thresholds, annotator bias and noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ordinal {
    /// Most rounds of EM (one pass over the labels and steps of the annotators each).
    pub max_iter: usize,
    /// Stop when a round raises the objective by less than this part of it.
    pub tol: f64,
    /// Most steps of an annotator in a round.
    pub inner_iter: usize,
    /// Share of labels that are slips, spread evenly: bounds what one wild label can do.
    pub slip: f64,
    /// Spread of the annotators' biases, in units of the spread of items.
    pub bias_sd: f64,
    /// Spread of the logarithms of the annotators' noises around their mean.
    pub noise_sd: f64,
}

impl Default for Ordinal {
    fn default() -> Self {
        Ordinal { max_iter: 30, tol: 1e-5, inner_iter: 3, slip: 0.02, bias_sd: 0.5, noise_sd: 0.5 }
    }
}

/// A fitted scale.
pub(super) struct Scaled {
    pub point: Point,
    pub run: Run,
    pub objective: f64,
    engine: Engine,
}

impl Ordinal {
    pub(super) fn check_all(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.count("inner_iter", self.inner_iter);
        p.between("slip", self.slip, 0.0, 1.0);
        p.within("bias_sd", self.bias_sd, 1e-6, 1e6);
        p.within("noise_sd", self.noise_sd, 1e-6, 1e6);
    }

    /// EM on the grid. For two classes or more.
    pub(super) fn scale(&self, labels: &Categorical<'_>, cx: &mut Context<'_>) -> Result<Scaled, Error> {
        let beliefs = Beliefs { slip: self.slip, bias_sd: self.bias_sd, noise_sd: self.noise_sd };
        let mut point = Point::start(labels);
        let mut engine = Engine::with_states(labels, POINTS, None, cx.threads)?;
        let mut expected = Expected::new(labels);
        let cells = Cells::new((0..expected.counts.len()).map(|_| 0.0));
        let w = weights();
        engine.begin(cx, &Begin::Each(&|_, z: &mut [f64]| z.copy_from_slice(&w)))?;
        tables(&mut engine, &expected, &point, self.slip, cx)?;
        let mut objective = f64::NEG_INFINITY;
        let run = cx.iterate(self.max_iter, self.tol, |cx, round| {
            let passed = engine.pass(cx, None, false)?;
            let reached = passed.log_likelihood + point.penalty(&beliefs);
            let change =
                if round == 1 { 1.0f64.max(self.tol) } else { (reached - objective) / objective.abs().max(1.0) };
            objective = reached;
            if change >= self.tol && round < self.max_iter && !cx.cancelled() {
                collect(&mut engine, &cells, &mut expected, cx)?;
                // far from the end, small gains of an annotator can wait
                let gain = (0.002 * change).min(1e-4).max(0.1 * self.tol);
                let search = Search { beliefs, steps: self.inner_iter, gain };
                climb(&search, &mut engine, &expected, &mut point, cx)?;
            }
            Ok(Step { objective: Some(reached), change })
        })?;
        Ok(Scaled { point, run, objective, engine })
    }
}

/// One M-step, which never lowers the expected log-likelihood with its priors: annotators, then what they share.
fn climb(s: &Search, engine: &mut Engine, e: &Expected, point: &mut Point, cx: &mut Context<'_>) -> Result<(), Error> {
    let shared = s.annotators(e, point, cx)?;
    let before = shared.value + point.penalty(&s.beliefs);
    let step = shared.step(&s.beliefs, point);
    for share in [1.0, 0.5, 0.2, 0.05, 0.0] {
        let to = step.from(point, share);
        let value = tables(engine, e, &to, s.beliefs.slip, cx)?;
        // equal but for rounding is as good
        if share == 0.0 || value + to.penalty(&s.beliefs) >= before - 1e-13 * before.abs() {
            *point = to;
            break;
        }
    }
    Ok(())
}

/// Makes the tables of this point and returns their expected log-likelihood; the counts in the engine are gone after it.
fn tables(engine: &mut Engine, e: &Expected, point: &Point, slip: f64, cx: &mut Context<'_>) -> Result<f64, Error> {
    let tau = point.thresholds();
    let model = Tables { point, scale: Scale::new(&tau, slip), expected: e };
    Ok(engine.maximise(cx, &model, &[0.0; POINTS], Dense::None)?.sums[0])
}

/// Takes the expected counts out of the engine.
fn collect(engine: &mut Engine, cells: &Cells, expected: &mut Expected, cx: &mut Context<'_>) -> Result<(), Error> {
    let (first, label) = (&expected.first, &expected.label);
    engine.gather(cx, 0, |j, counts, _| {
        for row in first[j]..first[j + 1] {
            let from = &counts[label[row] as usize * POINTS..][..POINTS];
            from.iter().enumerate().for_each(|(g, &c)| cells.set(row * WIDE + g, c));
        }
    })?;
    expected.counts.iter_mut().enumerate().for_each(|(at, c)| *c = cells.get(at));
    Ok(())
}

/// Share of every grid cell that belongs to each class, POINTS x K: cells that a threshold cuts are divided.
fn cells_of_classes(tau: &[f64]) -> Vec<f64> {
    let (k, h) = (tau.len() + 1, spacing());
    let below = |t: f64, z: f64| ((t - (z - 0.5 * h)) / h).clamp(0.0, 1.0);
    let mut out = vec![0.0; POINTS * k];
    for (row, z) in out.chunks_exact_mut(k).zip(positions()) {
        let mut under = 0.0;
        for (c, share) in row.iter_mut().enumerate() {
            let upto = tau.get(c).map_or(1.0, |&t| below(t, z));
            *share = (upto - under).max(0.0);
            under = under.max(upto);
        }
    }
    out
}

/// Positions of items are given in the diagnostics up to this many.
const LISTED: usize = 100_000;

impl Method for Ordinal {
    const INFO: MethodInfo = MethodInfo {
        id: "ordinal",
        name: "Ordinal annotators",
        summary: "Items have positions on a scale; annotators see them with a bias and a noise; thresholds are shared.",
        doc: include_str!("ordinal.md"),
        aliases: &["graded-response"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities {
            confusion: true,
            monotone: true,
            stochastic: false,
            gold: false,
            warm_start: false,
            likelihood: true,
        },
        references: &[
            Reference {
                text: "F. Samejima. Estimation of Latent Ability Using a Response Pattern of Graded Scores. Psychometrika \
                       Monograph 17, 1969.",
                doi: Some("10.1007/BF03372160"),
            },
            Reference {
                text: "V. E. Johnson. On Bayesian Analysis of Multirater Ordinal Data: An Application to Automated Essay \
                       Grading. JASA 91, 1996.",
                doi: Some("10.1080/01621459.1996.10476661"),
            },
        ],
        status: Status::Stable,
    };

    fn check(&self, p: &mut Problems) {
        self.check_all(p);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let labels = data.table.categorical().expect("the kind was checked");
        let (k, units) = (labels.k(), data.table.n_units());
        if k == 1 {
            return Ok(one_class(data));
        }
        let s = self.scale(&labels, cx)?;
        let tau = s.point.thresholds();
        let share = cells_of_classes(&tau);
        let z = positions();
        let width = k + 2;
        let mut out = vec![0.0; units * width];
        s.engine.each_posterior(&labels, &mut out, width, cx, |q, row| {
            for (g, &p) in q.iter().enumerate() {
                row[..k].iter_mut().zip(&share[g * k..][..k]).for_each(|(r, f)| *r += p * f);
                row[k] += p * z[g];
                row[k + 1] += p * z[g] * z[g];
            }
        })?;
        let mut posterior = Vec::with_capacity(units * k);
        let (mut mean, mut sd) = (Vec::new(), Vec::new());
        for row in out.chunks_exact(width) {
            let sum: f64 = row[..k].iter().sum();
            posterior.extend(row[..k].iter().map(|p| p / sum));
            mean.push(row[k]);
            sd.push((row[k + 1] - row[k] * row[k]).max(0.0).sqrt());
        }
        let matrix = rows(&s.point, &tau, self.slip);
        let prior: Vec<f64> =
            (0..k).map(|c| weights().iter().zip(share.chunks_exact(k)).map(|(w, f)| w * f[c]).sum()).collect();
        let mut diagnostics = s.run.diagnostics("penalised-log-likelihood");
        diagnostics.objective = Some(Objective { kind: "penalised-log-likelihood".into(), value: s.objective });
        let details = &mut diagnostics.details;
        describe(&s.point, &tau, details);
        details.insert("annotator_parameters".into(), 2.into());
        if units <= LISTED {
            details.insert("item_position".into(), mean.into());
            details.insert("item_position_sd".into(), sd.into());
        }
        let mut outcome = Outcome::classes(k, posterior, Annotators::Confusion { k, matrix }, diagnostics);
        outcome.class_prior = Some(prior);
        Ok(outcome)
    }
}

/// Thresholds, biases and noises for the diagnostics.
pub(super) fn describe(point: &Point, tau: &[f64], details: &mut serde_json::Map<String, serde_json::Value>) {
    details.insert("thresholds".into(), tau.to_vec().into());
    details.insert("annotator_bias".into(), point.bias().to_vec().into());
    let noise: Vec<f64> = point.log_noise().iter().map(|x| x.exp()).collect();
    details.insert("annotator_noise".into(), noise.into());
}

/// What there is to say when everybody could only say one thing.
pub(super) fn one_class(data: &Dataset) -> Outcome {
    let m = data.table.n_annotators();
    let annotators = Annotators::Confusion { k: 1, matrix: vec![1.0; m] };
    let mut out =
        Outcome::classes(1, vec![1.0; data.table.n_units()], annotators, crowdwise_core::Diagnostics::direct());
    out.class_prior = Some(vec![1.0]);
    out
}

/// Confusion matrices, annotators x truth x label: what an annotator says of an item in the middle of its class.
pub(super) fn rows(point: &Point, tau: &[f64], slip: f64) -> Vec<f64> {
    let (k, centres) = (tau.len() + 1, centres(tau));
    let mut out = Vec::with_capacity(point.m * k * k);
    for j in 0..point.m {
        let r = point.reading(j);
        for &z in &centres {
            out.extend((0..k).map(|l| probability(r, tau, slip, z, l)));
        }
    }
    out
}
