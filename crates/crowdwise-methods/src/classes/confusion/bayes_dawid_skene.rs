//! Bayesian Dawid-Skene: Dirichlet rows around the diagonal, by variational inference.

use super::em::{Adaptive, Settings};
use super::kernel::{Model, Sums};
use super::shared;
use super::start::Init;
use crowdwise_core::stats::{digamma, ln_gamma};
use crowdwise_core::{
    Annotators, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference,
    Situation, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Variational Bayesian Dawid-Skene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BayesDawidSkene {
    /// Maximum number of iterations (passes over the labels).
    pub max_iter: usize,
    /// Stop when one step changes no expected probability by more than this.
    pub tol: f64,
    /// Dirichlet parameter of the class shares.
    pub alpha: f64,
    /// Dirichlet parameter of the diagonal of a confusion matrix.
    pub beta_diagonal: f64,
    /// Dirichlet parameter of the other cells.
    pub beta_off: f64,
    /// Prior mean accuracy: sets the diagonal parameter to `beta_off` (K - 1) c / (1 - c), so that the prior does not
    /// weaken with the number of classes. `null`: use `beta_diagonal` as it is.
    pub prior_accuracy: Option<f64>,
    /// Fixed uniform class shares instead of learned ones.
    pub uniform_classes: bool,
    /// Starting point: the vote shares (`majority`), `random` matrices, or those of another method.
    pub init: Init,
}

impl Default for BayesDawidSkene {
    fn default() -> Self {
        BayesDawidSkene {
            max_iter: 500,
            tol: 1e-6,
            alpha: 1.1,
            beta_diagonal: 5.0,
            beta_off: 2.0,
            prior_accuracy: None,
            uniform_classes: false,
            init: Init::Majority,
        }
    }
}

/// Expected logarithms of Dirichlet rows, as probabilities that need not sum to 1.
struct Dirichlet {
    diagonal: f64,
    off: f64,
    alpha: f64,
    uniform: bool,
    /// ln Γ of the prior of one row: ln Γ(sum) - sum ln Γ.
    prior_norm: f64,
}

impl Dirichlet {
    fn new(diagonal: f64, off: f64, alpha: f64, uniform: bool, k: usize) -> Self {
        let others = (k - 1) as f64;
        let prior_norm = ln_gamma(diagonal + others * off) - ln_gamma(diagonal) - others * ln_gamma(off);
        Dirichlet { diagonal, off, alpha, uniform, prior_norm }
    }

    fn cell(&self, l: usize, t: usize) -> f64 {
        if l == t { self.diagonal } else { self.off }
    }
}

impl Model for Dirichlet {
    fn table(&self, k: usize, _j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let mut divergence = 0.0;
        for t in 0..k {
            let mut total = self.diagonal + (k - 1) as f64 * self.off;
            for l in 0..k {
                total += counts[l * k + t];
            }
            let psi_total = digamma(total);
            let mut kl = ln_gamma(total) - self.prior_norm;
            for l in 0..k {
                let c = counts[l * k + t];
                let b = c + self.cell(l, t);
                let expected_ln = digamma(b) - psi_total;
                kl += c * expected_ln - ln_gamma(b);
                table[l * k + t] = expected_ln.max(-230.0).exp();
            }
            divergence += kl;
        }
        [-divergence, 0.0, 0.0, 0.0]
    }

    fn report(&self, k: usize, _j: usize, counts: &[f64], table: &mut [f64]) {
        for t in 0..k {
            let total: f64 = (0..k).map(|l| counts[l * k + t] + self.cell(l, t)).sum();
            (0..k).for_each(|l| table[l * k + t] = (counts[l * k + t] + self.cell(l, t)) / total);
        }
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        let k = class.len() as f64;
        if self.uniform {
            prior.fill(1.0 / k);
            return 0.0;
        }
        let total: f64 = class.iter().sum::<f64>() + k * self.alpha;
        let psi_total = digamma(total);
        let mut kl = ln_gamma(total) - (ln_gamma(k * self.alpha) - k * ln_gamma(self.alpha));
        for (p, &c) in prior.iter_mut().zip(class) {
            let a = c + self.alpha;
            let expected_ln = digamma(a) - psi_total;
            kl += c * expected_ln - ln_gamma(a);
            *p = expected_ln.exp();
        }
        -kl
    }

    fn report_prior(&self, class: &[f64], prior: &mut [f64]) {
        if !self.uniform {
            let total: f64 = class.iter().map(|c| c + self.alpha).sum();
            prior.iter_mut().zip(class).for_each(|(p, c)| *p = (c + self.alpha) / total);
        }
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        // tables are functions of counts here; a start from tables has no counts, and its first bound lacks this term
        0.0
    }

    fn prior_penalty(&self, _prior: &[f64]) -> f64 {
        0.0
    }
}

impl Adaptive for Dirichlet {}

impl Method for BayesDawidSkene {
    const INFO: MethodInfo = MethodInfo {
        id: "bayes-dawid-skene",
        name: "Bayesian Dawid-Skene",
        summary: "Confusion matrices with Dirichlet priors that prefer the diagonal, by variational Bayes.",
        doc: include_str!("bayes_dawid_skene.md"),
        aliases: &["vb", "bayes-gc", "ibcc-vb"],
        accepts: &[LabelKind::Categorical],
        capabilities: shared::CAPABILITIES,
        references: &[
            Reference {
                text: "Q. Liu, J. Peng, A. Ihler. Variational Inference for Crowdsourcing. NIPS 2012.",
                doi: None,
            },
            Reference {
                text: "E. Simpson, S. Roberts, I. Psorakis, A. Smith. Dynamic Bayesian Combination of Multiple \
                       Imperfect Classifiers. 2013.",
                doi: Some("10.1007/978-3-642-36406-8_1"),
            },
        ],
        status: Status::Stable,
        compared: Situation::OF_CLASSES,
        ..MethodInfo::of(Family::Confusion)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("alpha", self.alpha, 1e-6, 1e9);
        p.within("beta_diagonal", self.beta_diagonal, 1e-6, 1e9);
        p.within("beta_off", self.beta_off, 1e-6, 1e9);
        if let Some(c) = self.prior_accuracy {
            p.between("prior_accuracy", c, 0.0, 1.0);
        }
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.init != Init::Majority // every other start draws or chooses by number
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let k = shared::inputs(data).0.k();
        let diagonal = match self.prior_accuracy {
            Some(c) if k > 1 => self.beta_off * (k - 1) as f64 * c / (1.0 - c),
            _ => self.beta_diagonal,
        };
        let mut model = Dirichlet::new(diagonal, self.beta_off, self.alpha, self.uniform_classes, k);
        let settings = Settings::soft(self.max_iter, self.tol, false);
        shared::run(data, cx, &mut model, &settings, self.init, "elbo", |t| Annotators::Confusion {
            k,
            matrix: shared::transpose(t, k),
        })
    }
}
