//! Mean field: variational inference with independent beliefs about every item and every annotator.

use super::prior::{Atom, ByClass, FLOOR, Given, Prior};
use super::{AnnotatorModel, accuracies};
use crate::classes::confusion::em::{self, Adaptive, Settings, Start};
use crate::classes::confusion::kernel::{Begin, Engine, Model, Sums};
use crate::classes::confusion::shared::{self, Shares};
use crate::classes::confusion::wide::{self, Even, Rates};
use crate::classes::confusion::{ClassPrior, Init, start};
use crowdwise_core::stats::{digamma, ln_gamma, softmax};
use crowdwise_core::{
    Annotators, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
};
use crowdwise_numerics::ln_beta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the first posteriors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeanFieldInit {
    /// Vote shares.
    Majority,
    /// The same probability for every class: the first step knows the prior of annotators only.
    Uniform,
    /// What random confusion matrices say.
    Random,
    /// What the matrices that `spectral-em` begins with say.
    Spectral,
    /// What the matrices of `cnmf-spa` say.
    CnmfSpa,
    /// What the matrices of `cnmf-opt` say.
    CnmfOpt,
    /// What the matrices of `sym-nmf` say.
    SymNmf,
    /// What the matrices of `ctd` say.
    Ctd,
}

impl MeanFieldInit {
    /// Where matrices come from, if they are to say something.
    fn matrices(self) -> Option<Init> {
        Some(match self {
            MeanFieldInit::Majority | MeanFieldInit::Uniform => return None,
            MeanFieldInit::Random => Init::Random,
            MeanFieldInit::Spectral => Init::Spectral,
            MeanFieldInit::CnmfSpa => Init::CnmfSpa,
            MeanFieldInit::CnmfOpt => Init::CnmfOpt,
            MeanFieldInit::SymNmf => Init::SymNmf,
            MeanFieldInit::Ctd => Init::Ctd,
        })
    }
}

/// Mean-field variational inference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeanField {
    /// Maximum number of iterations (passes over the labels).
    pub max_iter: usize,
    /// Stop when one step changes no expected probability by more than this.
    pub tol: f64,
    /// Model of an annotator: one accuracy, a confusion matrix, or one of the kinds in `atoms`.
    pub model: AnnotatorModel,
    /// Prior weight of right labels: Beta(alpha, beta) for one coin; the diagonal of every Dirichlet row.
    pub alpha: f64,
    /// Prior weight of wrong labels; in Dirichlet rows spread evenly over the wrong classes.
    pub beta: f64,
    /// Dirichlet parameters for `model=rows` by class names instead of `alpha` and `beta`, e.g. {"yes": {"yes": 4,
    /// "no": 1}, "no": {"yes": 2, "no": 4}}.
    pub rows: ByClass,
    /// Kinds of annotator for `model=discrete`, e.g. [{"weight": 0.3, "accuracy": 0.99}, {"weight": 0.7, "accuracy":
    /// 0.5}]; `confusion` (by class names, like `rows`) may stand for `accuracy`.
    pub atoms: Vec<Atom>,
    /// First posteriors: `majority` (vote shares), `uniform`, or what `random` matrices, or those of another method, say.
    pub init: MeanFieldInit,
    /// Class shares: learned, uniform, or as given in `class_shares`.
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
}

impl Default for MeanField {
    fn default() -> Self {
        MeanField {
            max_iter: 500,
            tol: 1e-6,
            model: AnnotatorModel::OneCoin,
            alpha: 2.0,
            beta: 1.0,
            rows: BTreeMap::new(),
            atoms: Vec::new(),
            init: MeanFieldInit::Majority,
            class_prior: ClassPrior::Uniform,
            class_shares: BTreeMap::new(),
        }
    }
}

impl MeanField {
    fn given(&self) -> Given<'_> {
        Given { model: self.model, alpha: self.alpha, beta: self.beta, rows: &self.rows, atoms: &self.atoms }
    }
}

/// Expected logarithms under the belief about an annotator.
struct Belief {
    prior: Prior,
    shares: Shares,
}

/// Below this an expected logarithm says "never".
const LEAST_LN: f64 = -230.0;

/// (right labels, all labels) in expected counts.
fn right_of(k: usize, counts: &[f64]) -> (f64, f64) {
    ((0..k).map(|t| counts[t * k + t]).sum(), counts[..k * k].iter().sum())
}

fn fill(k: usize, right: f64, wrong: f64, table: &mut [f64]) {
    table[..k * k].fill(wrong);
    (0..k).for_each(|t| table[t * k + t] = right);
}

/// ln of P(right) and of P(one wrong label), floored.
fn ln_coin(k: usize, accuracy: f64) -> (f64, f64) {
    let wrong = if k > 1 { (1.0 - accuracy) / (k - 1) as f64 } else { 0.0 };
    (accuracy.max(FLOOR).ln(), wrong.max(FLOOR).ln())
}

impl Belief {
    /// One accuracy: expected logarithms of P(right) and of P(one wrong label), the divergence from the prior, and the
    /// posterior mean of the accuracy.
    fn coin(&self, k: usize, right: f64, n: f64) -> Option<([f64; 2], f64, f64)> {
        let others = (k.max(2) - 1) as f64;
        match &self.prior {
            &Prior::Coin { a, b } => {
                let (a1, b1) = (a + right, b + (n - right).max(0.0));
                let total = digamma(a1 + b1);
                let (yes, no) = (digamma(a1) - total, digamma(b1) - total);
                let divergence = ln_beta(a, b) - ln_beta(a1, b1) + (a1 - a) * yes + (b1 - b) * no;
                let mean = if k > 1 { a1 / (a1 + b1) } else { 1.0 };
                Some(([yes.max(LEAST_LN), (no - others.ln()).max(LEAST_LN)], divergence, mean))
            }
            Prior::Coins { weight, accuracy } => {
                let each: Vec<(f64, f64)> = accuracy.iter().map(|&x| ln_coin(k, x)).collect();
                let (h, divergence) = kinds(weight, each.iter().map(|(yes, no)| right * yes + (n - right) * no));
                let sum = |f: &dyn Fn(usize) -> f64| h.iter().enumerate().map(|(s, h)| h * f(s)).sum::<f64>();
                Some(([sum(&|s| each[s].0), sum(&|s| each[s].1)], divergence, sum(&|s| accuracy[s])))
            }
            _ => None,
        }
    }
}

/// Probabilities of the kinds from their log-likelihoods, and their divergence from the prior.
fn kinds(weight: &[f64], ln: impl Iterator<Item = f64>) -> (Vec<f64>, f64) {
    let mut h: Vec<f64> = ln.zip(weight).map(|(l, w)| l + w.ln()).collect();
    softmax(&mut h);
    let divergence = h.iter().zip(weight).map(|(h, w)| if *h > 0.0 { h * (h / w).ln() } else { 0.0 }).sum();
    (h, divergence)
}

/// The probability of every matrix given counts by label and truth.
fn matrices(k: usize, weight: &[f64], theta: &[f64], counts: &[f64]) -> (Vec<f64>, f64) {
    let ln = |m: &[f64]| {
        let term = |x: usize| if counts[x] > 0.0 { counts[x] * m[x % k * k + x / k].ln() } else { 0.0 };
        (0..k * k).map(term).sum::<f64>()
    };
    kinds(weight, theta.chunks_exact(k * k).map(ln))
}

impl Model for Belief {
    fn table(&self, k: usize, _j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let (right, n) = right_of(k, counts);
        if let Some(([yes, no], divergence, _)) = self.coin(k, right, n) {
            fill(k, yes.exp(), no.exp(), table);
            return [-divergence, 0.0, 0.0, 0.0];
        }
        let divergence = match &self.prior {
            Prior::Rows { shape } => {
                let mut divergence = 0.0;
                for t in 0..k {
                    let shape = &shape[t * k..(t + 1) * k];
                    let before: f64 = shape.iter().sum();
                    let total = before + (0..k).map(|l| counts[l * k + t]).sum::<f64>();
                    let psi = digamma(total);
                    divergence += ln_gamma(total) - ln_gamma(before);
                    for l in 0..k {
                        let (c, s) = (counts[l * k + t], shape[l]);
                        let ln = digamma(c + s) - psi;
                        divergence += c * ln - ln_gamma(c + s) + ln_gamma(s);
                        table[l * k + t] = ln.max(LEAST_LN).exp();
                    }
                }
                divergence
            }
            Prior::Matrices { weight, theta } => {
                let (h, divergence) = matrices(k, weight, theta, counts);
                for x in 0..k * k {
                    let at = x % k * k + x / k;
                    table[x] = h.iter().enumerate().map(|(s, h)| h * theta[s * k * k + at].ln()).sum::<f64>().exp();
                }
                divergence
            }
            Prior::Coin { .. } | Prior::Coins { .. } => 0.0,
        };
        [-divergence, 0.0, 0.0, 0.0]
    }

    fn report(&self, k: usize, _j: usize, counts: &[f64], table: &mut [f64]) {
        let (right, n) = right_of(k, counts);
        if let Some((_, _, mean)) = self.coin(k, right, n) {
            fill(k, mean, if k > 1 { (1.0 - mean) / (k - 1) as f64 } else { 0.0 }, table);
            return;
        }
        match &self.prior {
            Prior::Rows { shape } => {
                for t in 0..k {
                    let total: f64 = (0..k).map(|l| counts[l * k + t] + shape[t * k + l]).sum();
                    (0..k).for_each(|l| table[l * k + t] = (counts[l * k + t] + shape[t * k + l]) / total);
                }
            }
            Prior::Matrices { weight, theta } => {
                let (h, _) = matrices(k, weight, theta, counts);
                for x in 0..k * k {
                    let at = x % k * k + x / k;
                    table[x] = h.iter().enumerate().map(|(s, h)| h * theta[s * k * k + at]).sum();
                }
            }
            Prior::Coin { .. } | Prior::Coins { .. } => {}
        }
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        self.shares.prior(class, prior)
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        // tables are functions of counts here; a start from tables has no counts, and its first bound lacks this term
        0.0
    }

    fn prior_penalty(&self, prior: &[f64]) -> f64 {
        self.shares.penalty(prior)
    }
}

impl Adaptive for Belief {}

impl Even for Belief {
    fn rates(&self, k: usize, right: f64, n: f64) -> (Rates, Sums) {
        let ([yes, no], divergence, _) = self.coin(k, right, n).expect("an annotator is one coin");
        (Rates { right: yes.exp(), wrong: no.exp() }, [-divergence, 0.0, 0.0, 0.0])
    }

    fn reported(&self, k: usize, right: f64, n: f64) -> f64 {
        self.coin(k, right, n).expect("an annotator is one coin").2
    }

    fn rates_penalty(&self, _k: usize, _rates: Rates) -> f64 {
        0.0
    }
}

impl Method for MeanField {
    const INFO: MethodInfo = MethodInfo {
        id: "mean-field",
        name: "Mean field",
        summary: "Variational inference for annotators with any Beta, Dirichlet or discrete prior.",
        doc: include_str!("mean_field.md"),
        aliases: &["mf"],
        accepts: &[LabelKind::Categorical],
        capabilities: shared::CAPABILITIES,
        references: &[Reference {
            text: "Q. Liu, J. Peng, A. Ihler. Variational Inference for Crowdsourcing. NIPS 2012.",
            doi: None,
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Messages)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        self.given().check(p);
        Shares::check(self.class_prior, 0.0, &self.class_shares, p);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        !matches!(self.init, MeanFieldInit::Majority | MeanFieldInit::Uniform)
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let (k, units) = (labels.k(), data.table.n_units());
        let prior = self.given().resolve(&labels)?;
        let coin = matches!(prior, Prior::Coin { .. } | Prior::Coins { .. });
        let shares = Shares::new(self.class_prior, 0.0, &self.class_shares, &labels)?;
        let mut model = Belief { prior, shares };
        let settings = Settings::soft(self.max_iter, self.tol, false);
        let (first, findings) = match self.init.matrices() {
            None if self.init == MeanFieldInit::Uniform => (Some(vec![1.0 / k as f64; units * k]), None),
            None => (None, None),
            Some(init) => start::posterior(data, init, 0, cx)?.unzip(),
        };
        if coin && wide::is_wide(data) {
            let input = wide::Input { labels, gold: gold.as_deref() };
            let begin = match (wide::warm_start(data, cx), &first) {
                (Some(begin), _) => begin,
                (None, None) => wide::Begin::VoteShares,
                (None, Some(q)) => wide::Begin::Posterior(q),
            };
            let fitted = wide::coins(input, &mut model, &begin, (&settings).into(), cx)?;
            return Ok(shared::outcome(fitted, data, gold.as_deref(), "elbo", |accuracy| Annotators::Accuracy {
                k,
                accuracy,
            }));
        }
        let mut engine = Engine::new(&labels, gold.as_deref(), cx.threads)?;
        let start = match (shared::warm_start(data, cx), &first) {
            (Some(start), _) => start,
            (None, None) => Start::Posterior(Begin::VoteShares),
            (None, Some(q)) => Start::Posterior(Begin::Posterior(q)),
        };
        let mut fitted = em::fit(&mut engine, &mut model, start, &settings, units, cx)?;
        fitted.findings = findings.unwrap_or_default();
        Ok(shared::outcome(fitted, data, gold.as_deref(), "elbo", |t| {
            if coin { accuracies(&t, k) } else { Annotators::Confusion { k, matrix: shared::transpose(t, k) } }
        }))
    }
}
