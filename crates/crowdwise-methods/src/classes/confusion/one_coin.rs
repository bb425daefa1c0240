//! One coin: each annotator is right with one probability, errors spread evenly.

use super::em::{Adaptive, Bounded, Settings, StopRule};
use super::kernel::{Model, Sums};
use super::shared::{self, ClassPrior, Shares};
use super::start::Init;
use super::wide::{self, Even, Rates};
use crowdwise_core::{
    Annotators, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference,
    Situation, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One-coin Dawid-Skene EM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OneCoin {
    /// Maximum number of iterations (passes over the labels).
    pub max_iter: usize,
    /// Stop when one EM step changes no probability by more than this.
    pub tol: f64,
    /// Smoothing: added to the count of right labels, and K - 1 times to that of wrong ones.
    pub alpha: f64,
    /// Class shares: learned, uniform, or as given in `class_shares`.
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
    /// Added to every class count when class shares are learned.
    pub beta: f64,
    /// Starting point: the vote shares (`majority`), `random` matrices, or those of another method.
    pub init: Init,
    /// Extrapolate (SQUAREM): the same optimum in fewer iterations.
    pub accelerate: bool,
    /// What `tol` is compared with: the largest change of a probability (`parameters`), or the gain per label of the bound
    /// that crowd-kit watches (`bound`; without acceleration, and the result is that of the last E-step).
    pub stop: StopRule,
}

impl Default for OneCoin {
    fn default() -> Self {
        OneCoin {
            max_iter: 1000,
            tol: 1e-6,
            alpha: 0.01,
            class_prior: ClassPrior::Learn,
            class_shares: BTreeMap::new(),
            beta: 0.0,
            init: Init::Majority,
            accelerate: true,
            stop: StopRule::Parameters,
        }
    }
}

/// Accuracies are kept this far from 0 and 1.
const CLIP: f64 = 1e-10;

/// `alpha` right and (K - 1) `alpha` wrong pseudo-labels.
pub(super) struct Coin {
    pub alpha: f64,
    pub shares: Shares,
}

/// Writes the table of a coin that is the same for every truth.
#[inline(always)]
pub(super) fn even_table(k: usize, rates: Rates, table: &mut [f64]) {
    table[..k * k].fill(rates.wrong);
    (0..k).for_each(|t| table[t * k + t] = rates.right);
}

/// Right with probability `p`.
#[inline(always)]
pub(super) fn even_rates(k: usize, p: f64) -> Rates {
    Rates { right: p, wrong: if k > 1 { (1.0 - p) / (k - 1) as f64 } else { 0.0 } }
}

/// Expected number of right labels, and of labels.
#[inline(always)]
pub(super) fn right_of(k: usize, counts: &[f64]) -> (f64, f64) {
    ((0..k).map(|t| counts[t * k + t]).sum(), counts[..k * k].iter().sum())
}

impl Even for Coin {
    #[inline(always)]
    fn rates(&self, k: usize, right: f64, n: f64) -> (Rates, Sums) {
        let total = n + self.alpha * k as f64;
        let p = if total > 0.0 { (right + self.alpha) / total } else { 1.0 / k as f64 };
        let p = if k > 1 { p.clamp(CLIP, 1.0 - CLIP) } else { 1.0 };
        let rates = even_rates(k, p);
        (rates, [self.rates_penalty(k, rates), 0.0, 0.0, 0.0])
    }

    fn reported(&self, k: usize, right: f64, n: f64) -> f64 {
        self.rates(k, right, n).0.right
    }

    #[inline(always)]
    fn rates_penalty(&self, k: usize, rates: Rates) -> f64 {
        if k < 2 || self.alpha == 0.0 {
            return 0.0;
        }
        self.alpha * (rates.right.ln() + (k - 1) as f64 * ((k - 1) as f64 * rates.wrong).ln())
    }
}

impl Model for Coin {
    #[inline(always)]
    fn table(&self, k: usize, _j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let (right, n) = right_of(k, counts);
        let (rates, sums) = self.rates(k, right, n);
        even_table(k, rates, table);
        sums
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        self.shares.prior(class, prior)
    }

    fn penalty(&self, k: usize, table: &[f64]) -> f64 {
        if k < 2 { 0.0 } else { self.rates_penalty(k, Rates { right: table[0], wrong: table[1] }) }
    }

    fn prior_penalty(&self, prior: &[f64]) -> f64 {
        self.shares.penalty(prior)
    }
}

impl Adaptive for Coin {}

impl Method for OneCoin {
    const INFO: MethodInfo = MethodInfo {
        id: "one-coin",
        name: "One-coin Dawid-Skene",
        summary: "One accuracy per annotator, errors spread evenly over the other classes, by EM.",
        doc: include_str!("one_coin.md"),
        aliases: &["zencrowd"],
        accepts: &[LabelKind::Categorical],
        capabilities: shared::CAPABILITIES,
        references: &[
            Reference {
                text: "A. Ghosh, S. Kale, P. McAfee. Who Moderates the Moderators? Crowdsourcing Abuse Detection in \
                       User-Generated Content. EC 2011.",
                doi: Some("10.1145/1993574.1993599"),
            },
            Reference {
                text: "Y. Zhang, X. Chen, D. Zhou, M. I. Jordan. Spectral Methods Meet EM: A Provably Optimal Algorithm \
                       for Crowdsourcing. JMLR 17, 2016.",
                doi: Some("10.48550/arXiv.1406.3824"),
            },
        ],
        status: Status::Stable,
        compared: Situation::OF_CLASSES,
        ..MethodInfo::of(Family::Confusion)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        self.stop.check(self.tol, p);
        p.within("alpha", self.alpha, 0.0, 1e9);
        Shares::check(self.class_prior, self.beta, &self.class_shares, p);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.init != Init::Majority // every other start draws or chooses by number
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let k = labels.k();
        let shares = Shares::new(self.class_prior, self.beta, &self.class_shares, &labels)?;
        let mut model = Coin { alpha: self.alpha, shares };
        let settings = Settings { stop: self.stop, ..Settings::soft(self.max_iter, self.tol, self.accelerate) };
        let kind = shared::objective_kind(self.alpha + self.beta);
        // other starts have tables anyway
        if wide::is_wide(data) && self.init == Init::Majority && self.stop == StopRule::Parameters {
            let input = wide::Input { labels, gold: gold.as_deref() };
            let begin = wide::warm_start(data, cx).unwrap_or(wide::Begin::VoteShares);
            let fitted = wide::coins(input, &mut model, &begin, (&settings).into(), cx)?;
            let accuracy = |accuracy| Annotators::Accuracy { k, accuracy };
            return Ok(shared::outcome(fitted, data, gold.as_deref(), kind, accuracy));
        }
        let accuracy =
            |t: Vec<f64>| Annotators::Accuracy { k, accuracy: t.chunks_exact((k * k).max(1)).map(|t| t[0]).collect() };
        match self.stop {
            StopRule::Parameters => shared::run(data, cx, &mut model, &settings, self.init, kind, accuracy),
            StopRule::Bound => shared::run(data, cx, &mut Bounded(model), &settings, self.init, kind, accuracy),
        }
    }
}
