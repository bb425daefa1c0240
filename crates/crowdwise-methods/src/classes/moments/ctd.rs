//! CTD: coupled decomposition of first, second and third moments by alternating optimisation with ADMM (Traganitis,
//! Pagès-Zamora and Giannakis, 2018).

mod admm;

use super::align::{clip, common_order, reorder};
use super::labels::Labels;
use super::spa::{FLOOR, Spa};
use super::triples::triples;
use super::{LabelPrior, Moments};
use crate::classes::confusion::shared;
use crate::classes::used_classes::fit_without_unused;
use admm::{Coupled, Point};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Event, Family, Finding, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Run, Severity, Status, Step, Stop, Subject,
};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the coupled tensor decomposition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ctd {
    /// Maximum number of rounds over all matrices.
    pub max_iter: usize,
    /// Stop when a round changes the matrices, and the class shares, by less than this part in all.
    pub tol: f64,
    /// Number of ADMM steps on one matrix per round.
    pub inner_iter: usize,
    /// Maximum number of triples of annotators; with up to 20 annotators all are used.
    pub max_triples: usize,
    /// Items that a triple should share; triples with fewer are used only where there are not enough others.
    pub min_common: usize,
    /// Number of starts; all but the first are random, and the one under whose matrices the labels are
    /// likeliest is kept.
    pub restarts: usize,
    /// Where the first start begins: at the matrices of the votes (`majority`), at `random` ones as published, or at
    /// those of `cnmf-spa`.
    pub init: CtdInit,
    /// Class shares of the decision: `learn` those of the decomposition (as published), or `uniform`.
    pub class_prior: LabelPrior,
}

/// Where the decomposition begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CtdInit {
    Majority,
    Random,
    CnmfSpa,
}

impl Default for Ctd {
    fn default() -> Self {
        Ctd {
            max_iter: 100,
            tol: 1e-6,
            inner_iter: 10,
            max_triples: 1500,
            min_common: 20,
            restarts: 3,
            init: CtdInit::Majority,
            class_prior: LabelPrior::Learn,
        }
    }
}

impl Method for Ctd {
    const INFO: MethodInfo = MethodInfo {
        id: "ctd",
        name: "Coupled tensor decomposition",
        summary: "Confusion matrices that explain what single annotators, pairs and triples say, by ADMM.",
        doc: include_str!("ctd.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities {
            confusion: true,
            monotone: true,
            stochastic: true,
            gold: true,
            ..Capabilities::NONE
        },
        references: &[Reference {
            text: "P. A. Traganitis, A. Pagès-Zamora, G. B. Giannakis. Blind Multiclass Ensemble Classification. IEEE \
                   Transactions on Signal Processing 66(18), 2018.",
            doi: Some("10.1109/TSP.2018.2860562"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Moments)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.count("inner_iter", self.inner_iter);
        p.count("max_triples", self.max_triples);
        p.count("min_common", self.min_common);
        p.count("restarts", self.restarts);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        if let Some(out) = fit_without_unused(data, [], cx, |data, cx| self.fit(data, cx))? {
            return Ok(out);
        }
        let mut moments = Moments::of(data, cx)?;
        let k = moments.k();
        let fitted = self.decompose(&mut moments, cx)?;
        let tables = moments.spread(&fitted.tables, &fitted.used);
        let prior = match self.class_prior {
            LabelPrior::Learn => fitted.prior,
            LabelPrior::Uniform => vec![1.0 / k as f64; k],
        };
        let (posterior, _) = moments.posterior(data, &tables, &prior, cx)?;
        let mut diagnostics = fitted.run.diagnostics("minus-squared-error");
        diagnostics.details = moments.details(&fitted.used);
        diagnostics.details.insert("triples".into(), fitted.triples.into());
        diagnostics.details.insert("restart_objectives".into(), fitted.objectives.into());
        let annotators = Annotators::Confusion { k, matrix: shared::transpose(tables, k) };
        let mut out = Outcome::classes(k, posterior, annotators, diagnostics);
        out.class_prior = Some(prior);
        out.findings = moments.findings(&fitted.used);
        if fitted.triples == 0 && out.findings.iter().all(|f| f.code != "moments-too-few") {
            out.findings.push(Finding::new(
                "no-triples",
                Severity::Warning,
                Subject::Fit,
                "no three annotators share an item: the matrices rest on pairs, which leave them open to a rotation",
                "add labels so that some items have three, or use cnmf-spa, which needs pairs only",
            ));
        }
        Ok(out)
    }
}

pub(super) struct Decomposed {
    pub tables: Vec<f64>,
    pub prior: Vec<f64>,
    /// Places that share items with somebody.
    pub used: Vec<bool>,
    run: Run,
    triples: usize,
    objectives: Vec<f64>,
}

impl Ctd {
    pub(super) fn decompose(&self, moments: &mut Moments, cx: &mut Context<'_>) -> Result<Decomposed, Error> {
        let (k, places) = (moments.k(), moments.labels.places());
        let used: Vec<bool> = (0..places).map(|p| !moments.pairs.near(p).is_empty()).collect();
        let votes = moments.votes_of_places();
        let coupled = Coupled::new(
            &moments.labels,
            &moments.pairs,
            triples(&moments.labels, self.max_triples, self.min_common, cx)?,
        );
        let mut ends: Vec<(Vec<f64>, Vec<f64>, Run)> = Vec::new();
        let mut objectives = Vec::new();
        // from a random start every part would find an order of the classes of its own
        let restarts = if moments.pairs.connected() { self.restarts } else { 1 };
        for restart in 0..restarts {
            if restart > 0 {
                cx.event(&Event::Stage { name: format!("start {} of {restarts}", restart + 1) });
            }
            let first = match self.init {
                CtdInit::Majority if restart == 0 => votes.clone(),
                CtdInit::CnmfSpa if restart == 0 => {
                    Spa::default().find(&moments.labels, &moments.pairs, &votes, cx)?.tables
                }
                _ => random_tables(places, k, restart, cx),
            };
            let mut point = Point::new(first, k);
            let mut state = coupled.begin(&point);
            let run = cx.iterate(self.max_iter, self.tol, |_, _| {
                let change = coupled.round(&mut point, &mut state, self.inner_iter);
                Ok(Step { objective: Some(-state.objective), change })
            })?;
            objectives.push(-state.objective);
            let stop = run.stop == Stop::Cancelled;
            let (tables, prior) = aligned(point, &votes, &moments.labels);
            ends.push((tables, prior, run));
            if stop {
                break;
            }
        }
        let triples = coupled.triples();
        let mut best: Option<(f64, usize)> = None;
        for (x, (tables, prior, _)) in ends.iter().enumerate() {
            let likelihood = moments.likelihood(tables, &used, prior, cx)?;
            if best.is_none_or(|b| likelihood > b.0) {
                best = Some((likelihood, x));
            }
        }
        let (tables, prior, run) = ends.swap_remove(best.map_or(0, |b| b.1));
        Ok(Decomposed { tables, prior, used, run, triples, objectives })
    }
}

/// Tables and class shares with the classes in the order of the votes.
fn aligned(mut point: Point, votes: &[f64], labels: &Labels) -> (Vec<f64>, Vec<f64>) {
    let k = labels.k;
    let weight: Vec<f64> = (0..labels.places()).map(|p| labels.of(p).len() as f64).collect();
    let order = common_order(&point.tables, votes, &weight, k);
    reorder(&mut point.tables, &order, k);
    clip(&mut point.tables, FLOOR, k);
    let mut prior: Vec<f64> = order.iter().map(|&c| point.prior[c].max(1e-9)).collect();
    let sum: f64 = prior.iter().sum();
    prior.iter_mut().for_each(|x| *x /= sum);
    (point.tables, prior)
}

fn random_tables(places: usize, k: usize, restart: usize, cx: &Context<'_>) -> Vec<f64> {
    let mut rng = cx.rng("ctd", restart as u64);
    let mut tables: Vec<f64> = (0..places * k * k).map(|_| rng.random::<f64>()).collect();
    clip(&mut tables, 0.0, k);
    tables
}
