//! Enhanced BCC: every class is a mixture of sub-types of items, on which annotators err together.

mod model;

use super::Cells;
use crate::classes::confusion::em;
use crate::classes::confusion::kernel::{Begin, Dense, Engine};
use crate::classes::confusion::{Init, shared, start};
use crowdwise_core::{
    Annotators, Capabilities, Categorical, Context, Dataset, Error, Event, Family, LabelKind, Method, MethodInfo,
    Objective, Outcome, Problems, Reference, Run, Status, Step,
};
use model::SubTypes;
use rand_distr::{Distribution, Exp1};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Enhanced Bayesian classifier combination.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EnhancedBcc {
    /// Maximum number of iterations (passes over the labels) of each start.
    pub max_iter: usize,
    /// Stop when one step changes no expected probability by more than this.
    pub tol: f64,
    /// Maximum number of sub-types of a class. Never more than one for each hundred items; 1 is `bayes-dawid-skene`.
    pub subtypes: usize,
    /// Dirichlet parameter of the class shares.
    pub alpha: f64,
    /// Dirichlet parameter of the shares of a class's sub-types, all of them together: small, so that few are used.
    pub alpha_subtypes: f64,
    /// Dirichlet parameter of the diagonal of a confusion matrix.
    pub beta_diagonal: f64,
    /// Dirichlet parameter of the other cells.
    pub beta_off: f64,
    /// Number of starts (one is enough without sub-types); the one with the best bound is kept.
    pub restarts: usize,
    /// What every start divides among the sub-types: the vote shares (`majority`), or the classes that `random` matrices, or those
    /// of another method, give.
    pub init: Init,
}

impl Default for EnhancedBcc {
    fn default() -> Self {
        EnhancedBcc {
            max_iter: 500,
            tol: 1e-4,
            subtypes: 10,
            alpha: 1.0,
            alpha_subtypes: 0.1,
            beta_diagonal: 4.0,
            beta_off: 1.0,
            restarts: 5,
            init: Init::Majority,
        }
    }
}

/// Fewer items than this for a sub-type, and the bound prefers to cut classes in pieces.
const ITEMS_PER_SUBTYPE: usize = 100;

/// The best start so far.
struct Best {
    bound: f64,
    run: Run,
    posterior: Vec<f64>,
    confusion: Vec<f64>,
    classes: Vec<f64>,
    subtypes: Vec<f64>,
}

impl EnhancedBcc {
    /// One start: iterates, and gives the bound and how it went. Tables of the last pass and its counts are in the engine.
    fn climb(
        &self,
        engine: &mut Engine,
        model: &mut SubTypes,
        data: &Categorical<'_>,
        first: Option<&[f64]>,
        restart: usize,
        cx: &mut Context<'_>,
    ) -> Result<(f64, Run, Vec<f64>), Error> {
        let (k, r) = (data.k(), model.r);
        let draw = |unit: usize, z: &mut [f64]| {
            if data.table.degree(unit) == 0 {
                return;
            }
            let mut share = vec![0.0; k];
            match first {
                Some(q) => share.copy_from_slice(&q[unit * k..][..k]),
                None => data.vote_shares(unit, &mut share),
            }
            let mut rng = crowdwise_core::stream(model.seed, "sub-types", ((restart as u64) << 40) | unit as u64);
            for (class, &v) in share.iter().enumerate().filter(|(_, v)| **v > 0.0) {
                let part = &mut z[class * r..][..r];
                part.iter_mut().for_each(|x| *x = if r > 1 { Exp1.sample(&mut rng) } else { 1.0 });
                let scale = v / part.iter().sum::<f64>();
                part.iter_mut().for_each(|x| *x *= scale);
            }
        };
        let mut class = engine.begin(cx, &Begin::Each(&draw))?.class;
        let mut bound = f64::NEG_INFINITY;
        let run = cx.iterate(self.max_iter, self.tol, |cx, iteration| {
            let m = em::maximise(engine, model, &class, Dense::None, cx)?;
            let passed = engine.pass(cx, None, false)?;
            let reached = passed.log_likelihood + m.sums[0] + m.prior_penalty;
            class = passed.class;
            if !reached.is_nan() {
                bound = reached;
            }
            // the first change is that of tables which did not exist before
            let change = if iteration == 1 { m.change.max(self.tol) } else { m.change };
            Ok(Step { objective: Some(reached), change })
        })?;
        Ok((bound, run, class))
    }
}

impl Method for EnhancedBcc {
    const INFO: MethodInfo = MethodInfo {
        id: "enhanced-bcc",
        name: "Enhanced BCC",
        summary: "Classes divided into sub-types of items, which explain errors that annotators make together.",
        doc: include_str!("enhanced_bcc.md"),
        aliases: &["ebcc"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities {
            confusion: true,
            monotone: true,
            stochastic: true,
            likelihood: true,
            ..Capabilities::NONE
        },
        references: &[Reference {
            text: "Y. Li, B. I. P. Rubinstein, T. Cohn. Exploiting Worker Correlation for Label Aggregation in \
                   Crowdsourcing. ICML 2019.",
            doi: None,
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Pooled)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.count("subtypes", self.subtypes);
        p.require(self.subtypes <= 1000, "subtypes", self.subtypes, "at most 1000");
        p.within("alpha", self.alpha, 1e-6, 1e9);
        p.within("alpha_subtypes", self.alpha_subtypes, 1e-6, 1e9);
        p.within("beta_diagonal", self.beta_diagonal, 1e-6, 1e9);
        p.within("beta_off", self.beta_off, 1e-6, 1e9);
        p.count("restarts", self.restarts);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let labels = data.table.categorical().expect("the kind was checked");
        let (k, m) = (labels.k(), data.table.n_annotators());
        let labelled = (0..data.table.n_units()).filter(|&u| data.table.degree(u) > 0).count();
        let r = self.subtypes.min((labelled / ITEMS_PER_SUBTYPE).max(1));
        let starts = if r == 1 { 1 } else { self.restarts };
        let mut engine = Engine::with_states(&labels, k * r, None, cx.threads)?;
        let mut model = SubTypes::new(self, k, r, cx.seed);
        let (first, findings) = start::posterior(data, self.init, 0, cx)?.unzip();
        let mut best: Option<Best> = None;
        let mut bounds = Vec::new();
        for restart in 0..starts {
            if restart > 0 {
                cx.event(&Event::Stage { name: format!("start {} of {starts}", restart + 1) });
            }
            let (bound, run, class) = self.climb(&mut engine, &mut model, &labels, first.as_deref(), restart, cx)?;
            bounds.push(bound);
            if best.as_ref().is_none_or(|b| bound > b.bound) {
                let cells = Cells::new((0..m * k * k).map(|_| 0.0));
                engine.gather(cx, 0, |j, counts, _| {
                    model.confusion(&class, counts, |at, p| cells.set(j * k * k + at, p));
                })?;
                let mut posterior = vec![0.0; data.table.n_units() * k];
                engine.each_posterior(&labels, &mut posterior, k, cx, |z, row| {
                    row.iter_mut().zip(z.chunks_exact(r)).for_each(|(q, z)| *q = z.iter().sum());
                })?;
                best = Some(Best {
                    bound,
                    run,
                    posterior,
                    confusion: (0..m * k * k).map(|at| cells.get(at)).collect(),
                    classes: model.classes(&class),
                    subtypes: model.shares(&class),
                });
            }
            // takes the counts of the last pass away
            em::maximise(&mut engine, &mut model, &class, Dense::None, cx)?;
            if cx.cancelled() {
                break;
            }
        }
        let mut best = best.expect("at least one start");
        shared::complete(&mut best.posterior, data, None, &best.classes);
        let mut diagnostics = best.run.diagnostics("elbo");
        diagnostics.objective = Some(Objective { kind: "elbo".into(), value: best.bound });
        let shares: Vec<Vec<f64>> = best.subtypes.chunks_exact(r).map(<[f64]>::to_vec).collect();
        diagnostics.details.insert("subtype_shares".into(), shares.into());
        if starts > 1 {
            diagnostics.details.insert("restart_objectives".into(), bounds.into());
        }
        let annotators = Annotators::Confusion { k, matrix: best.confusion };
        let mut out = Outcome::classes(k, best.posterior, annotators, diagnostics);
        out.class_prior = Some(best.classes);
        out.findings = findings.unwrap_or_default();
        Ok(out)
    }
}
