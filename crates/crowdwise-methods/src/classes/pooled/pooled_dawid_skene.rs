//! Pooled Dawid-Skene: confusion matrices drawn half towards those of all annotators, by annealed variational Bayes.

mod model;
#[cfg(test)]
mod tests;

use crate::classes::by_name::{self, ByName};
use crate::classes::confusion::em::{self, Fitted, Settings, Start};
use crate::classes::confusion::kernel::{Dense, Engine};
use crate::classes::confusion::settling::Settle;
use crate::classes::confusion::shared;
use crate::classes::confusion::{Init, start};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Event, Family, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Situation, Status, Step, Stop, TracePoint,
};
use model::Pooled;
pub(crate) use model::vote_shares;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Partially pooled confusion matrices, variational, annealed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PooledDawidSkene {
    /// Maximum number of iterations (passes over the labels) at the full temperature 1. Annealing adds at most 8 for each temperature.
    pub max_iter: usize,
    /// Stop when one step changes no expected probability by more than this.
    pub tol: f64,
    /// `full`: a confusion matrix per annotator, drawn towards the pooled one. `one`: an accuracy per annotator, errors
    /// spread as those of all annotators together.
    pub structure: Structure,
    /// Class shares: `learn`ed, the mean `votes`, or `uniform`.
    pub class_prior: PooledPrior,
    /// Added to every class count when class shares are learned.
    pub beta: f64,
    /// Weight of the prior of an annotator, in labels for each class (`full`) or in all (`one`).
    pub strength: f64,
    /// Accuracy that the fixed half of the prior believes in.
    pub prior_accuracy: f64,
    /// Temperatures that the fit passes before 1, rising; the likelihood is raised to them. `null`: 0.2, 0.4, 0.6, 0.8 for
    /// full matrices and none for `one`, which turns classes round when it is annealed. `[]`: none.
    pub temperatures: Option<Vec<f64>>,
    /// Starting point: the vote shares (`majority`), `random` matrices, or those of another method.
    pub init: Init,
    /// Labels that annotators have given elsewhere, by annotator, truth and label, as a JSON object (`fit --prior-fit FIT` makes it):
    /// they take the place of the pooled prior. With full matrices only.
    pub prior: ByName,
}

/// What an annotator has of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// A confusion matrix.
    Full,
    /// One accuracy.
    One,
}

/// How class shares enter the posterior.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PooledPrior {
    /// Estimated with everything else.
    Learn,
    /// Mean vote shares of the items, fixed.
    Votes,
    /// All classes alike.
    Uniform,
}

impl Default for PooledDawidSkene {
    fn default() -> Self {
        PooledDawidSkene {
            max_iter: 500,
            tol: 1e-5,
            structure: Structure::Full,
            class_prior: PooledPrior::Learn,
            beta: 1.0,
            strength: 4.0,
            prior_accuracy: 0.7,
            temperatures: None,
            init: Init::Majority,
            prior: ByName::new(),
        }
    }
}

/// The path of annealing.
const TEMPERATURES: [f64; 4] = [0.2, 0.4, 0.6, 0.8];

/// Maximum number of iterations at each temperature below 1.
const STAGE: usize = 8;

impl PooledDawidSkene {
    /// Fits on an engine that may serve several fits of the same data. The tables of the result are mean confusion
    /// matrices (annotators x label x truth), its posterior has every item. Second: what the annotators have in common
    /// (label x truth).
    pub(crate) fn fit_on(
        &self,
        engine: &mut Engine,
        data: &Dataset,
        gold: Option<&[Option<u32>]>,
        cx: &mut Context<'_>,
    ) -> Result<(Fitted, Vec<f64>), Error> {
        let mut model = Pooled::new(self, data, gold);
        let warm = shared::warm_start(data, cx);
        let anneal = warm.is_none();
        let (start, findings) = match warm {
            Some(warm) => (warm, Vec::new()),
            None => start::first(engine, data, self.init, cx)?,
        };
        let mut class = match start {
            Start::Posterior(begin) => engine.begin(cx, &begin)?.class,
            Start::Tables { tables, prior } => {
                engine.set(&tables, &prior);
                engine.pass(cx, None, false)?.class
            }
            Start::Counts { class } => class,
        };
        let mut path = Vec::new();
        if anneal {
            path = self.cool(engine, &mut model, &mut class, cx)?;
        }
        let settings = Settings { settle: Settle::End, ..Settings::soft(self.max_iter, self.tol, false) };
        let mut fitted = em::fit(engine, &mut model, Start::Counts { class }, &settings, data.table.n_units(), cx)?;
        for t in &mut fitted.run.trace {
            t.iteration += path.len();
        }
        fitted.run.iterations += path.len();
        fitted.run.trace.splice(0..0, path);
        fitted.findings = findings;
        let sum: f64 = fitted.prior.iter().sum();
        fitted.prior.iter_mut().for_each(|p| *p /= sum);
        shared::complete(&mut fitted.posterior, data, gold, &fitted.prior);
        Ok((fitted, model.common))
    }

    /// Passes the temperatures below 1. The engine holds counts before and after; `class` are their class counts.
    fn cool(
        &self,
        engine: &mut Engine,
        model: &mut Pooled,
        class: &mut Vec<f64>,
        cx: &mut Context<'_>,
    ) -> Result<Vec<TracePoint>, Error> {
        let mut path: Vec<TracePoint> = Vec::new();
        for temperature in self.path() {
            model.temperature = temperature;
            cx.event(&Event::Stage { name: format!("temperature {temperature}") });
            let run = cx.iterate(STAGE, self.tol, |cx, iteration| {
                let m = em::maximise(engine, model, class, Dense::None, cx)?;
                *class = engine.pass(cx, None, false)?.class;
                // the first change of a stage is that of the temperature
                let change = if iteration == 1 { m.change.max(self.tol) } else { m.change };
                Ok(Step { objective: None, change })
            })?;
            // objectives at other temperatures are not comparable
            let before = path.len();
            path.extend(run.trace.iter().map(|t| TracePoint { iteration: before + t.iteration, ..*t }));
            if run.stop == Stop::Cancelled {
                break;
            }
        }
        model.temperature = 1.0;
        Ok(path)
    }

    fn path(&self) -> Vec<f64> {
        match (&self.temperatures, self.structure) {
            (Some(t), _) => t.clone(),
            (None, Structure::Full) => TEMPERATURES.to_vec(),
            (None, Structure::One) => Vec::new(),
        }
    }
}

impl Method for PooledDawidSkene {
    const INFO: MethodInfo = MethodInfo {
        id: "pooled-dawid-skene",
        name: "Pooled Dawid-Skene",
        summary: "Confusion matrices drawn towards those of all annotators, by annealed variational Bayes.",
        doc: include_str!("pooled_dawid_skene.md"),
        aliases: &["pooled", "annealed-dawid-skene"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities {
            confusion: true,
            gold: true,
            warm_start: true,
            likelihood: true,
            ..Capabilities::NONE
        },
        references: &[
            Reference {
                text: "A. P. Dawid and A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM \
                       Algorithm. Applied Statistics 28(1), 1979.",
                doi: Some("10.2307/2346806"),
            },
            Reference {
                text: "N. Ueda, R. Nakano. Deterministic Annealing EM Algorithm. Neural Networks 11(2), 1998.",
                doi: Some("10.1016/S0893-6080(97)00133-0"),
            },
        ],
        status: Status::Stable,
        compared: Situation::OF_CLASSES,
        ..MethodInfo::of(Family::Pooled)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("beta", self.beta, 0.0, 1e9);
        p.within("strength", self.strength, 1e-6, 1e9);
        p.between("prior_accuracy", self.prior_accuracy, 0.0, 1.0);
        by_name::check("prior", &self.prior, p);
        let full = self.structure == Structure::Full;
        p.require(full || self.prior.is_empty(), "prior", "given", "empty with `structure=one`");
        for &t in self.temperatures.iter().flatten() {
            p.within("temperatures", t, 1e-6, 1.0);
        }
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.init != Init::Majority // every other start draws or chooses by number
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let k = labels.k();
        let mut engine = Engine::new(&labels, gold.as_deref(), cx.threads)?;
        let (fitted, common) = self.fit_on(&mut engine, data, gold.as_deref(), cx)?;
        let mut out = shared::outcome(fitted, data, gold.as_deref(), "elbo", |t| Annotators::Confusion {
            k,
            matrix: shared::transpose(t, k),
        });
        let common = shared::transpose(common, k);
        out.diagnostics.details.insert("pooled_confusion".into(), common.into());
        Ok(out)
    }
}
