//! One coin: each annotator is right with one probability, errors spread evenly.

use super::em::{Adaptive, Settings};
use super::kernel::{Model, Sums};
use super::shared::{self, ClassPrior, Shares};
use crowdwise_core::{
    Annotators, Context, Dataset, Error, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One-coin Dawid-Skene EM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OneCoin {
    /// Most iterations (passes over the labels).
    pub max_iter: usize,
    /// Stop when one EM step changes no probability by more than this.
    pub tol: f64,
    /// Smoothing: added to the count of right labels, and K - 1 times to that of wrong ones.
    pub alpha: f64,
    /// Class shares: learned, all alike, or as given in `class_shares`.
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
    /// Added to every class count when class shares are learned.
    pub beta: f64,
    /// Extrapolate (SQUAREM): the same optimum in fewer iterations.
    pub accelerate: bool,
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
            accelerate: true,
        }
    }
}

/// Accuracies are kept this far from 0 and 1.
const CLIP: f64 = 1e-6;

/// `alpha` right and (K - 1) `alpha` wrong pseudo-labels.
pub(super) struct Coin {
    pub alpha: f64,
    pub shares: Shares,
}

/// Writes the table of a coin that is right with probability `p` for every truth.
pub(super) fn even_table(k: usize, p: f64, table: &mut [f64]) {
    let off = if k > 1 { (1.0 - p) / (k - 1) as f64 } else { 0.0 };
    table[..k * k].fill(off);
    (0..k).for_each(|t| table[t * k + t] = p);
}

impl Model for Coin {
    #[inline(always)]
    fn table(&self, k: usize, _j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let n: f64 = counts[..k * k].iter().sum();
        let right: f64 = (0..k).map(|t| counts[t * k + t]).sum();
        let total = n + self.alpha * k as f64;
        let p = if total > 0.0 { (right + self.alpha) / total } else { 1.0 / k as f64 };
        let p = if k > 1 { p.clamp(CLIP, 1.0 - CLIP) } else { 1.0 };
        even_table(k, p, table);
        [self.penalty(k, table), 0.0, 0.0, 0.0]
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        self.shares.prior(class, prior)
    }

    fn penalty(&self, k: usize, table: &[f64]) -> f64 {
        if k < 2 || self.alpha == 0.0 {
            return 0.0;
        }
        self.alpha * (table[0].ln() + (k - 1) as f64 * ((k - 1) as f64 * table[1]).ln())
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
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("alpha", self.alpha, 0.0, 1e9);
        Shares::check(self.class_prior, self.beta, &self.class_shares, p);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let labels = shared::inputs(data).0;
        let k = labels.k();
        let shares = Shares::new(self.class_prior, self.beta, &self.class_shares, &labels)?;
        let mut model = Coin { alpha: self.alpha, shares };
        let settings = Settings::soft(self.max_iter, self.tol, self.accelerate);
        let kind = shared::objective_kind(self.alpha + self.beta);
        shared::run(data, cx, &mut model, &settings, kind, |t| Annotators::Accuracy {
            k,
            accuracy: t.chunks_exact((k * k).max(1)).map(|t| t[0]).collect(),
        })
    }
}
