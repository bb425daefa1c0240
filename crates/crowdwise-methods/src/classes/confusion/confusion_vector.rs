//! Confusion vector: one accuracy per annotator and class, errors spread evenly.

use super::em::{Adaptive, Settings};
use super::kernel::{Model, Sums};
use super::one_coin::even_rates;
use super::shared::{self, ClassPrior, Shares};
use super::start::Init;
use super::wide::{self, Rates, Vector};
use crowdwise_core::{
    Annotators, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Confusion-vector EM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConfusionVector {
    /// Maximum number of iterations (passes over the labels).
    pub max_iter: usize,
    /// Stop when one EM step changes no probability by more than this.
    pub tol: f64,
    /// Smoothing: added to every cell of the expected counts, as in dawid-skene.
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
}

impl Default for ConfusionVector {
    fn default() -> Self {
        ConfusionVector {
            max_iter: 1000,
            tol: 1e-6,
            alpha: 0.01,
            class_prior: ClassPrior::Learn,
            class_shares: BTreeMap::new(),
            beta: 0.0,
            init: Init::Majority,
            accelerate: true,
        }
    }
}

pub(super) struct Vectors {
    pub alpha: f64,
    pub shares: Shares,
}

/// Without smoothing a probability may be exactly zero; it then becomes this.
const FLOOR: f64 = 1e-10;

impl Model for Vectors {
    #[inline(always)]
    fn table(&self, k: usize, _j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        for t in 0..k {
            let rates = self.rates(k, counts[t * k + t], (0..k).map(|l| counts[l * k + t]).sum());
            (0..k).for_each(|l| table[l * k + t] = rates.wrong);
            table[t * k + t] = rates.right;
        }
        [self.penalty(k, table), 0.0, 0.0, 0.0]
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        self.shares.prior(class, prior)
    }

    fn penalty(&self, k: usize, table: &[f64]) -> f64 {
        if self.alpha == 0.0 { 0.0 } else { self.alpha * shared::sum_ln(&table[..k * k]) }
    }

    fn prior_penalty(&self, prior: &[f64]) -> f64 {
        self.shares.penalty(prior)
    }
}

impl Adaptive for Vectors {}

impl Vector for Vectors {
    #[inline(always)]
    fn rates(&self, k: usize, right: f64, n: f64) -> Rates {
        let n = n + self.alpha * k as f64;
        let rates = even_rates(k, if n > 0.0 { (right + self.alpha) / n } else { 1.0 / k as f64 });
        Rates { right: rates.right.max(FLOOR), wrong: rates.wrong.max(FLOOR) }
    }

    fn rates_penalty(&self, k: usize, rates: Rates) -> f64 {
        if self.alpha == 0.0 { 0.0 } else { self.alpha * (rates.right.ln() + (k - 1) as f64 * rates.wrong.ln()) }
    }
}

impl Method for ConfusionVector {
    const INFO: MethodInfo = MethodInfo {
        id: "confusion-vector",
        name: "Confusion vector",
        summary: "One accuracy per annotator and class, errors spread evenly over the other classes, by EM.",
        doc: include_str!("confusion_vector.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: shared::CAPABILITIES,
        references: &[Reference {
            text: "A. T. Nguyen, B. C. Wallace, J. J. Li, A. Nenkova, M. Lease. Aggregating and Predicting Sequence \
                   Labels from Crowd Annotations. ACL 2017.",
            doi: Some("10.18653/v1/P17-1028"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Confusion)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
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
        let mut model = Vectors { alpha: self.alpha, shares };
        let settings = Settings::soft(self.max_iter, self.tol, self.accelerate);
        let kind = shared::objective_kind(self.alpha + self.beta);
        // other starts have tables anyway
        if wide::is_wide(data) && self.init == Init::Majority {
            let input = wide::Input { labels, gold: gold.as_deref() };
            let begin = wide::warm_start(data, cx).unwrap_or(wide::Begin::VoteShares);
            let fitted = wide::vectors(input, &model, &begin, (&settings).into(), cx)?;
            let accuracy = |accuracy| Annotators::ClassAccuracy { k, accuracy };
            return Ok(shared::outcome(fitted, data, gold.as_deref(), kind, accuracy));
        }
        shared::run(data, cx, &mut model, &settings, self.init, kind, |t| {
            let diagonal = |t: &[f64]| (0..k).map(|c| t[c * k + c]).collect::<Vec<f64>>();
            Annotators::ClassAccuracy { k, accuracy: t.chunks_exact((k * k).max(1)).flat_map(diagonal).collect() }
        })
    }
}
