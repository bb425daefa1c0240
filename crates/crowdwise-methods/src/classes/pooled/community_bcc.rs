//! Community BCC: annotators fall into communities with rows of their own.

mod model;

use super::Cells;
use crate::classes::confusion::em::{self, Fitted, Settings, Start};
use crate::classes::confusion::kernel::{Begin, Engine};
use crate::classes::confusion::start::{self, Started};
use crate::classes::confusion::{Init, shared};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Event, Family, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Status,
};
use model::Communities;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Community-based Bayesian classifier combination.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CommunityBcc {
    /// Maximum number of iterations (passes over the labels) of each start.
    pub max_iter: usize,
    /// Stop when one step changes no expected probability by more than this.
    pub tol: f64,
    /// Number of communities. 1 is a model in which all annotators are drawn towards one set of rows.
    pub communities: usize,
    /// Weight of its community in an annotator's row, in labels.
    pub strength: f64,
    /// Dirichlet parameter of the class shares.
    pub alpha: f64,
    /// Weight of the diagonal in the prior of a community's rows.
    pub beta_diagonal: f64,
    /// Weight of the other cells.
    pub beta_off: f64,
    /// Number of starts (one is enough for one community); the one with the best evidence is kept.
    pub restarts: usize,
    /// What every start begins with: the vote shares (`majority`), `random` matrices, or those of another method.
    pub init: Init,
}

impl Default for CommunityBcc {
    fn default() -> Self {
        CommunityBcc {
            max_iter: 200,
            tol: 1e-5,
            communities: 3,
            strength: 10.0,
            alpha: 1.0,
            beta_diagonal: 2.0,
            beta_off: 1.0,
            restarts: 5,
            init: Init::Majority,
        }
    }
}

/// Fills the engine with the counts that a start begins with, and gives those of the classes.
fn begin(engine: &mut Engine, started: Option<&Started>, cx: &mut Context<'_>) -> Result<Vec<f64>, Error> {
    Ok(match started {
        None => engine.begin(cx, &Begin::VoteShares)?.class,
        Some(s) => {
            engine.set(&s.tables, &vec![1.0 / engine.k() as f64; engine.k()]);
            engine.pass(cx, None, false)?.class
        }
    })
}

/// Annotators whose rows each start begins with: drawn by their number of labels, from an order that does not
/// depend on names.
fn founders(engine: &mut Engine, g: usize, starts: usize, cx: &mut Context<'_>) -> Result<Vec<Vec<usize>>, Error> {
    let (m, k) = (engine.annotators(), engine.k());
    let agreement = Cells::new((0..m).map(|_| 0.0));
    let n = Cells::new((0..m).map(|_| 0.0));
    engine.gather(cx, 0, |j, counts, _| {
        agreement.set(j, (0..k).map(|t| counts[t * k + t]).sum());
        n.set(j, counts.iter().sum());
    })?;
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&a, &b| {
        n.get(b).total_cmp(&n.get(a)).then(agreement.get(b).total_cmp(&agreement.get(a))).then(a.cmp(&b))
    });
    let mut out = Vec::with_capacity(starts);
    for restart in 0..starts {
        let mut rng = cx.rng("communities", restart as u64);
        let mut left = order.clone();
        let mut chosen = Vec::with_capacity(g);
        while chosen.len() < g {
            let total: f64 = left.iter().map(|&j| n.get(j)).sum();
            let mut at = rng.random::<f64>() * total;
            let found = left.iter().position(|&j| {
                at -= n.get(j);
                at < 0.0
            });
            chosen.push(left.remove(found.unwrap_or(0)));
        }
        out.push(chosen);
    }
    Ok(out)
}

impl Method for CommunityBcc {
    const INFO: MethodInfo = MethodInfo {
        id: "community-bcc",
        name: "Community BCC",
        summary: "Annotators belong to communities with similar confusion matrices, by variational Bayes.",
        doc: include_str!("community_bcc.md"),
        aliases: &["cbcc"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities {
            confusion: true,
            stochastic: true,
            gold: true,
            likelihood: true,
            ..Capabilities::NONE
        },
        references: &[Reference {
            text: "M. Venanzi, J. Guiver, G. Kazai, P. Kohli, M. Shokouhi. Community-Based Bayesian Aggregation Models for \
                   Crowdsourcing. WWW 2014.",
            doi: Some("10.1145/2566486.2567989"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Pooled)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.count("communities", self.communities);
        p.require(self.communities <= 1000, "communities", self.communities, "at most 1000");
        p.within("strength", self.strength, 1e-3, 1e9);
        p.within("alpha", self.alpha, 1e-6, 1e9);
        p.within("beta_diagonal", self.beta_diagonal, 1e-6, 1e9);
        p.within("beta_off", self.beta_off, 1e-6, 1e9);
        p.count("restarts", self.restarts);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let (k, m) = (labels.k(), data.table.n_annotators());
        let g = self.communities.min(m);
        let starts = if g == 1 { 1 } else { self.restarts };
        let mut engine = Engine::new(&labels, gold.as_deref(), cx.threads)?;
        let started = start::tables(data, self.init, 0, cx)?;
        let mut class = begin(&mut engine, started.as_ref(), cx)?;
        let founders = founders(&mut engine, g, starts, cx)?;
        let settings = Settings::soft(self.max_iter, self.tol, false);
        let mut best: Option<(Fitted, Communities)> = None;
        let mut scores = Vec::new();
        for (restart, chosen) in founders.iter().enumerate() {
            if restart > 0 {
                cx.event(&Event::Stage { name: format!("start {} of {starts}", restart + 1) });
                class = begin(&mut engine, started.as_ref(), cx)?;
            }
            let mut model = Communities::new(self, k, m, &mut engine, chosen, cx)?;
            let start = Start::Counts { class: class.clone() };
            let mut fitted = em::fit(&mut engine, &mut model, start, &settings, data.table.n_units(), cx)?;
            fitted.objective = model.score(&fitted.posterior, data);
            scores.push(fitted.objective);
            if best.as_ref().is_none_or(|(b, _)| fitted.objective > b.objective) {
                best = Some((fitted, model));
            }
            if cx.cancelled() {
                break;
            }
        }
        let (fitted, model) = best.expect("at least one start");
        let prior = fitted.prior.clone();
        let mut out = shared::outcome(fitted, data, gold.as_deref(), "evidence", |t| Annotators::Confusion {
            k,
            matrix: shared::transpose(t, k),
        });
        out.findings.extend(started.map_or(Vec::new(), |s| s.findings));
        let details = &mut out.diagnostics.details;
        model.describe(&prior, details);
        if starts > 1 {
            details.insert("restart_objectives".into(), scores.into());
        }
        Ok(out)
    }
}
