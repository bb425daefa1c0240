//! Spammers and hammers: an annotator is nearly always right, or answers at random.

use super::em::{self, Adaptive, Fitted, Settings, Start};
use super::kernel::{Begin, Engine, Model, Sums};
use super::one_coin::{Coin, even_rates, even_table, right_of};
use super::shared::{self, ClassPrior, Shares};
use super::start::{self, Init};
use super::wide::{self, Even, Rates};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Spammer-hammer model by variational EM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpammerHammer {
    /// Maximum number of iterations (passes over the labels).
    pub max_iter: usize,
    /// Stop when one step changes no probability by more than this.
    pub tol: f64,
    /// Number of passes of the one-coin model for a first posterior: from plain votes every annotator looks like a spammer.
    pub warm_up: usize,
    /// Initial share of hammers.
    pub rho: f64,
    /// Error rate of hammers to begin with.
    pub eps: f64,
    /// Learn the share of hammers and their error rate.
    pub learn: bool,
    /// Class shares: learned, uniform, or as given in `class_shares`.
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
    /// Added to every class count when class shares are learned.
    pub beta: f64,
    /// Where the one-coin passes begin: the vote shares (`majority`), `random` matrices, or those of another method.
    pub init: Init,
}

impl Default for SpammerHammer {
    fn default() -> Self {
        SpammerHammer {
            max_iter: 200,
            tol: 1e-6,
            warm_up: 30,
            rho: 0.5,
            eps: 0.05,
            learn: true,
            class_prior: ClassPrior::Uniform,
            class_shares: BTreeMap::new(),
            beta: 0.0,
            init: Init::Majority,
        }
    }
}

/// The error rate of hammers stays in this range: at 0 one slip would condemn them, above it they are no hammers.
const EPS_RANGE: (f64, f64) = (1e-3, 0.3);

pub(super) struct Atoms {
    pub rho: f64,
    pub eps: f64,
    pub learn: bool,
    pub annotators: f64,
    pub shares: Shares,
}

impl Atoms {
    /// P(hammer) given the expected numbers of right labels and of labels.
    fn hammer(&self, k: usize, right: f64, n: f64) -> f64 {
        let classes = k as f64;
        let wrong = if k > 1 { (self.eps / (classes - 1.0)).ln() } else { 0.0 };
        let odds =
            (self.rho / (1.0 - self.rho)).ln() + right * (1.0 - self.eps).ln() + (n - right) * wrong + n * classes.ln();
        1.0 / (1.0 + (-odds).exp())
    }
}

impl Even for Atoms {
    #[inline(always)]
    fn rates(&self, k: usize, right: f64, n: f64) -> (Rates, Sums) {
        let h = self.hammer(k, right, n);
        // geometric mean of both kinds of annotator: the mean-field message
        let spam = -(1.0 - h) * (k as f64).ln();
        let off = if k > 1 { (self.eps / (k - 1) as f64).ln() } else { 0.0 };
        let rates = Rates { right: (h * (1.0 - self.eps).ln() + spam).exp(), wrong: (h * off + spam).exp() };
        let entropy = |x: f64, y: f64| if x > 0.0 { x * (y / x).ln() } else { 0.0 };
        (rates, [entropy(h, self.rho) + entropy(1.0 - h, 1.0 - self.rho), h, h * right, h * n])
    }

    /// A hammer with the probability that the counts give, else a spammer.
    fn reported(&self, k: usize, right: f64, n: f64) -> f64 {
        let h = self.hammer(k, right, n);
        if k > 1 { h * (1.0 - self.eps) + (1.0 - h) / k as f64 } else { 1.0 }
    }

    fn rates_penalty(&self, _k: usize, _rates: Rates) -> f64 {
        0.0
    }
}

impl Model for Atoms {
    #[inline(always)]
    fn table(&self, k: usize, _j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let (right, n) = right_of(k, counts);
        let (rates, sums) = self.rates(k, right, n);
        even_table(k, rates, table);
        sums
    }

    fn report(&self, k: usize, _j: usize, counts: &[f64], table: &mut [f64]) {
        let (right, n) = right_of(k, counts);
        even_table(k, even_rates(k, self.reported(k, right, n)), table);
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        self.shares.prior(class, prior)
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        0.0
    }

    fn prior_penalty(&self, prior: &[f64]) -> f64 {
        self.shares.penalty(prior)
    }
}

impl Adaptive for Atoms {
    fn after(&mut self, sums: &Sums) {
        if self.learn && sums[3] > 0.0 {
            // posterior mean under a uniform prior: never exactly 0 or 1
            self.rho = (sums[1] + 1.0) / (self.annotators + 2.0);
            self.eps = (1.0 - sums[2] / sums[3]).clamp(EPS_RANGE.0, EPS_RANGE.1);
        }
    }
}

impl Method for SpammerHammer {
    const INFO: MethodInfo = MethodInfo {
        id: "spammer-hammer",
        name: "Spammer-hammer",
        summary: "Each annotator is a hammer (nearly always right) or a spammer (answers at random).",
        doc: include_str!("spammer_hammer.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        // the error rate of hammers follows one pass behind, so the bound may dip
        capabilities: Capabilities { monotone: false, ..shared::CAPABILITIES },
        references: &[Reference {
            text: "D. R. Karger, S. Oh, D. Shah. Iterative Learning for Reliable Crowdsourcing Systems. NIPS 2011.",
            doi: Some("10.48550/arXiv.1110.3564"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Confusion)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.between("rho", self.rho, 0.0, 1.0);
        p.between("eps", self.eps, 0.0, 0.5);
        Shares::check(self.class_prior, self.beta, &self.class_shares, p);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.init != Init::Majority // every other start draws or chooses by number
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let (k, m) = (labels.k(), data.table.n_annotators());
        let shares = || Shares::new(self.class_prior, self.beta, &self.class_shares, &labels);
        let earlier = |name: &str, default: f64| {
            cx.warm.and_then(|w| w.diagnostics.details.get(name)?.as_f64()).unwrap_or(default)
        };
        let (rho, eps) = (earlier("rho", self.rho), earlier("eps", self.eps));
        let mut model = Atoms { rho, eps, learn: self.learn, annotators: m as f64, shares: shares()? };
        let mut coin = Coin { alpha: 0.01, shares: shares()? };
        let gold = gold.as_deref();
        // other starts have tables anyway
        let (fitted, step) = if wide::is_wide(data) && self.init == Init::Majority {
            (self.fit_wide(data, wide::Input { labels, gold }, &mut coin, &mut model, cx)?, 1)
        } else {
            (self.fit_tables(data, wide::Input { labels, gold }, &mut coin, &mut model, cx)?, (k * k).max(1))
        };
        let mut out = shared::outcome(fitted, data, gold, "elbo", |t| Annotators::Accuracy {
            k,
            accuracy: t.chunks_exact(step).map(|t| t[0]).collect(),
        });
        if let Annotators::Accuracy { accuracy, .. } = &out.annotators {
            let spam = 1.0 / k as f64;
            let hammer: Vec<f64> = accuracy.iter().map(|p| (p - spam) / (1.0 - model.eps - spam)).collect();
            out.diagnostics.details.insert("hammer".into(), hammer.into());
        }
        out.diagnostics.details.insert("rho".into(), model.rho.into());
        out.diagnostics.details.insert("eps".into(), model.eps.into());
        Ok(out)
    }
}

impl SpammerHammer {
    /// With the kernel; `tables` of the result are those.
    fn fit_tables(
        &self,
        data: &Dataset,
        input: wide::Input<'_>,
        coin: &mut Coin,
        model: &mut Atoms,
        cx: &mut Context<'_>,
    ) -> Result<Fitted, Error> {
        let units = data.table.n_units();
        let mut engine = Engine::new(&input.labels, input.gold, cx.threads)?;
        let settings = |max_iter, accelerate| Settings::soft(max_iter, self.tol, accelerate);
        let first;
        let mut findings = Vec::new();
        let start = if let Some(start) = shared::warm_start(data, cx) {
            start
        } else {
            let (begin, said) = start::first(&mut engine, data, self.init, cx)?;
            findings = said;
            if self.warm_up > 0 {
                first = em::fit(&mut engine, coin, begin, &settings(self.warm_up, true), units, cx)?;
                Start::Posterior(Begin::Posterior(&first.posterior))
            } else {
                begin
            }
        };
        let mut fitted = em::fit(&mut engine, model, start, &settings(self.max_iter, false), units, cx)?;
        fitted.findings = findings;
        Ok(fitted)
    }

    /// Without tables; `tables` of the result are the accuracies.
    fn fit_wide(
        &self,
        data: &Dataset,
        input: wide::Input<'_>,
        coin: &mut Coin,
        model: &mut Atoms,
        cx: &mut Context<'_>,
    ) -> Result<Fitted, Error> {
        let limits = |max_iter| wide::Limits { max_iter, tol: self.tol };
        let first;
        let begin = match wide::warm_start(data, cx) {
            Some(begin) => begin,
            None if self.warm_up > 0 => {
                first = wide::coins(input, coin, &wide::Begin::VoteShares, limits(self.warm_up), cx)?;
                wide::Begin::Posterior(&first.posterior)
            }
            None => wide::Begin::VoteShares,
        };
        wide::coins(input, model, &begin, limits(self.max_iter), cx)
    }
}
