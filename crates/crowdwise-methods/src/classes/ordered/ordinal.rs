//! Ordinal annotators: grades at equal distances, a bias and a noise for each annotator, some of whom guess.

use super::kinds::{Kinds, Spread};
use crate::classes::confusion::em::{Adaptive, Settings};
use crate::classes::confusion::kernel::{Model, Sums};
use crate::classes::confusion::{Init, shared};
use crate::classes::pooled::{Cells, vote_shares};
use crowdwise_core::Situation;
use crowdwise_core::{
    Annotators, Capabilities, Categorical, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Status, Truth,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Ordinal model: what an annotator says of a grade follows from its bias and its noise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ordinal {
    /// Maximum number of iterations (passes over the labels).
    pub max_iter: usize,
    /// Stop when one step changes no expected probability by more than this.
    pub tol: f64,
    /// Share of labels that are slips, spread evenly: bounds what one wild label can do.
    pub slip: f64,
    /// Spread of the annotators' biases, in grades (of a scale of five; longer scales have larger errors).
    pub bias_sd: f64,
    /// Spread of the logarithms of the annotators' noises.
    pub noise_sd: f64,
}

impl Default for Ordinal {
    fn default() -> Self {
        Ordinal { max_iter: 100, tol: 1e-5, slip: 0.02, bias_sd: 0.5, noise_sd: 0.7 }
    }
}

/// How many annotators the shares of the kinds are worth before any label is seen.
const POPULATION: f64 = 10.0;

/// The model: annotators as mixtures of kinds, whose shares are those among all annotators.
pub(super) struct Graded {
    kinds: Kinds,
    /// Logarithms of the shares of the kinds.
    ln_share: Vec<f64>,
    /// Fixed: learned shares let one grade swallow its neighbours, since a bias that all share is no contradiction.
    class_shares: Vec<f64>,
    annotators: usize,
    /// Bias, log noise and chance of guessing of every annotator.
    pub told: Cells,
}

impl Ordinal {
    pub(super) fn check_all(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.between("slip", self.slip, 0.0, 1.0);
        p.within("bias_sd", self.bias_sd, 1e-6, 1e6);
        p.within("noise_sd", self.noise_sd, 1e-6, 1e2);
    }

    /// For two classes or more.
    pub(super) fn model(&self, data: &Dataset, gold: Option<&[Option<u32>]>) -> Graded {
        let labels = data.table.categorical().expect("the kind was checked");
        let (k, m) = (labels.k(), data.table.n_annotators());
        let spread = Spread { slip: self.slip, bias_sd: self.bias_sd, noise_sd: self.noise_sd };
        let kinds = Kinds::new(k, spread, &label_shares(&labels));
        Graded {
            ln_share: kinds.base.iter().map(|b| b.ln()).collect(),
            kinds,
            class_shares: vote_shares(data, gold),
            annotators: m,
            told: Cells::new((0..3 * m).map(|_| 0.0)),
        }
    }

    pub(super) fn run(&self, data: &Dataset, model: &mut Graded, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let k = data.table.n_classes();
        let settings = Settings::soft(self.max_iter, self.tol, false);
        shared::run(data, cx, model, &settings, Init::Majority, "elbo", |t| Annotators::Confusion {
            k,
            matrix: shared::transpose(t, k),
        })
    }
}

/// How often each label occurs.
fn label_shares(labels: &Categorical<'_>) -> Vec<f64> {
    let mut count = vec![0u64; labels.k()];
    labels.codes.iter().for_each(|c| count[c] += 1);
    let all = labels.codes.len().max(1) as f64;
    count.iter().map(|&n| n as f64 / all).collect()
}

impl Model for Graded {
    fn table(&self, _k: usize, _j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let mut weights = Vec::new();
        self.kinds.weigh(counts, &self.ln_share, &mut weights);
        self.kinds.expected(counts, &weights, table);
        let kind = |(w, s): (&f64, &f64)| if *w > 0.0 { w * (s - w.ln()) } else { 0.0 };
        [weights.iter().zip(&self.ln_share).map(kind).sum(), 0.0, 0.0, 0.0]
    }

    fn report(&self, _k: usize, j: usize, counts: &[f64], table: &mut [f64]) {
        let mut weights = Vec::new();
        self.kinds.weigh(counts, &self.ln_share, &mut weights);
        self.kinds.mean(&weights, table);
        let told = self.kinds.describe(&weights);
        told.iter().enumerate().for_each(|(n, &x)| self.told.set(3 * j + n, x));
    }

    fn prior(&self, _class: &[f64], prior: &mut [f64]) -> f64 {
        prior.copy_from_slice(&self.class_shares);
        POPULATION * self.kinds.base.iter().zip(&self.ln_share).map(|(b, s)| b * s).sum::<f64>()
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        0.0
    }

    fn prior_penalty(&self, _prior: &[f64]) -> f64 {
        0.0
    }
}

impl Adaptive for Graded {
    fn pool_width(&self, _k: usize, round: usize) -> usize {
        if round == 0 { self.kinds.len() } else { 0 }
    }

    fn pool(&self, _k: usize, _round: usize, _j: usize, counts: &[f64], sums: &mut [f64]) {
        let mut weights = Vec::new();
        self.kinds.weigh(counts, &self.ln_share, &mut weights);
        sums.iter_mut().zip(&weights).for_each(|(s, w)| *s += w);
    }

    fn pooled(&mut self, _k: usize, _round: usize, sums: &[f64]) {
        let all = POPULATION + self.annotators as f64;
        for ((share, base), sum) in self.ln_share.iter_mut().zip(&self.kinds.base).zip(sums) {
            *share = ((POPULATION * base + sum) / all).ln();
        }
    }
}

/// Positions of items are given in the diagnostics up to this many.
const LISTED: usize = 100_000;

impl Method for Ordinal {
    const INFO: MethodInfo = MethodInfo {
        id: "ordinal",
        name: "Ordinal annotators",
        summary: "Annotators see the true grade with their own bias and noise, or guess; few parameters per annotator.",
        doc: include_str!("ordinal.md"),
        aliases: &["graded-response"],
        accepts: &[LabelKind::Categorical],
        // shares of the kinds are not part of a fit, so that one cannot go on where another stopped
        capabilities: Capabilities { warm_start: false, ..shared::CAPABILITIES },
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
        compared: &[Situation::Grades],
        ..MethodInfo::of(Family::Ordered)
    };

    fn check(&self, p: &mut Problems) {
        self.check_all(p);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let (k, units) = (labels.k(), data.table.n_units());
        if k == 1 {
            return Ok(one_class(data));
        }
        cx.warm = None;
        let mut model = self.model(data, gold.as_deref());
        let mut out = self.run(data, &mut model, cx)?;
        let (mut mean, mut sd) = (Vec::new(), Vec::new());
        if units <= LISTED {
            let Truth::Classes { posterior, .. } = &out.truth else { unreachable!("classes were asked for") };
            for row in posterior.chunks_exact(k) {
                let m: f64 = row.iter().enumerate().map(|(c, p)| c as f64 * p).sum();
                let v: f64 = row.iter().enumerate().map(|(c, p)| (c as f64 - m).powi(2) * p).sum();
                mean.push(m);
                sd.push(v.sqrt());
            }
        }
        let details = &mut out.diagnostics.details;
        describe(&model, details);
        details.insert("annotator_parameters".into(), 2.into());
        if units <= LISTED {
            details.insert("item_position".into(), mean.into());
            details.insert("item_position_sd".into(), sd.into());
        }
        Ok(out)
    }
}

/// Biases, noises and chances of guessing for the diagnostics.
pub(super) fn describe(model: &Graded, details: &mut serde_json::Map<String, serde_json::Value>) {
    let told = |n: usize| (0..model.annotators).map(move |j| model.told.get(3 * j + n));
    details.insert("annotator_bias".into(), told(0).collect::<Vec<_>>().into());
    details.insert("annotator_noise".into(), told(1).map(f64::exp).collect::<Vec<_>>().into());
    details.insert("annotator_guessing".into(), told(2).collect::<Vec<_>>().into());
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
