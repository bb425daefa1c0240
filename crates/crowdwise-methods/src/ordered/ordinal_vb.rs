//! Confusion matrices around an ordinal scale, by variational Bayes.

use super::Ordinal;
use super::ordinal::{describe, one_class, rows};
use crate::confusion::em::{Adaptive, Settings};
use crate::confusion::kernel::{Model, Sums};
use crate::confusion::{Init, shared};
use crowdwise_core::stats::{digamma, ln_gamma};
use crowdwise_core::{
    Annotators, Context, Dataset, Error, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bayesian Dawid-Skene with ordinal rows as its prior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OrdinalVb {
    /// Most iterations (passes over the labels) after the scale is fitted.
    pub max_iter: usize,
    /// Stop when one step changes no expected probability by more than this.
    pub tol: f64,
    /// Weight of the ordinal rows in those of an annotator, in labels.
    pub strength: f64,
    /// Dirichlet parameter of the class shares.
    pub alpha: f64,
    /// Most rounds of EM for the scale.
    pub scale_iter: usize,
    /// Share of labels that are slips, spread evenly.
    pub slip: f64,
    /// Spread of the annotators' biases, in units of the spread of items.
    pub bias_sd: f64,
    /// Spread of the logarithms of the annotators' noises around their mean.
    pub noise_sd: f64,
}

impl Default for OrdinalVb {
    fn default() -> Self {
        let scale = Ordinal::default();
        OrdinalVb {
            max_iter: 200,
            tol: 1e-6,
            strength: 5.0,
            alpha: 1.0,
            scale_iter: scale.max_iter,
            slip: scale.slip,
            bias_sd: scale.bias_sd,
            noise_sd: scale.noise_sd,
        }
    }
}

impl OrdinalVb {
    fn scale(&self) -> Ordinal {
        Ordinal {
            max_iter: self.scale_iter,
            slip: self.slip,
            bias_sd: self.bias_sd,
            noise_sd: self.noise_sd,
            ..Ordinal::default()
        }
    }
}

/// Dirichlet rows around given ones.
struct Around {
    /// Dirichlet parameters without counts, annotators x truth x label; each row sums to `strength`.
    rows: Vec<f64>,
    strength: f64,
    alpha: f64,
}

impl Around {
    fn cell(&self, k: usize, j: usize, l: usize, t: usize) -> f64 {
        self.rows[(j * k + t) * k + l]
    }
}

impl Model for Around {
    fn table(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let mut bound = 0.0;
        for t in 0..k {
            let n: f64 = (0..k).map(|l| counts[l * k + t]).sum();
            let psi_total = digamma(self.strength + n);
            bound += ln_gamma(self.strength) - ln_gamma(self.strength + n);
            for l in 0..k {
                let (c, prior) = (counts[l * k + t], self.cell(k, j, l, t));
                let expected_ln = digamma(c + prior) - psi_total;
                bound += ln_gamma(c + prior) - ln_gamma(prior) - c * expected_ln;
                table[l * k + t] = expected_ln.max(-230.0).exp();
            }
        }
        [bound, 0.0, 0.0, 0.0]
    }

    fn report(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) {
        for t in 0..k {
            let n: f64 = (0..k).map(|l| counts[l * k + t]).sum();
            (0..k).for_each(|l| {
                table[l * k + t] = (counts[l * k + t] + self.cell(k, j, l, t)) / (self.strength + n);
            });
        }
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        let k = class.len() as f64;
        let total: f64 = class.iter().map(|c| c + self.alpha).sum();
        let psi_total = digamma(total);
        let mut bound = ln_gamma(k * self.alpha) - k * ln_gamma(self.alpha) - ln_gamma(total);
        for (p, &c) in prior.iter_mut().zip(class) {
            let expected_ln = digamma(c + self.alpha) - psi_total;
            bound += ln_gamma(c + self.alpha) - c * expected_ln;
            *p = expected_ln.exp();
        }
        bound
    }

    fn report_prior(&self, class: &[f64], prior: &mut [f64]) {
        let total: f64 = class.iter().map(|c| c + self.alpha).sum();
        prior.iter_mut().zip(class).for_each(|(p, c)| *p = (c + self.alpha) / total);
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        0.0
    }

    fn prior_penalty(&self, _prior: &[f64]) -> f64 {
        0.0
    }
}

impl Adaptive for Around {}

impl Method for OrdinalVb {
    const INFO: MethodInfo = MethodInfo {
        id: "ordinal-vb",
        name: "Ordinal Bayesian Dawid-Skene",
        summary: "Confusion matrices drawn towards those of an ordinal scale, by variational Bayes.",
        doc: include_str!("ordinal_vb.md"),
        aliases: &["ordinal-dawid-skene"],
        accepts: &[LabelKind::Categorical],
        capabilities: shared::CAPABILITIES,
        references: &[
            Reference {
                text: "F. Samejima. Estimation of Latent Ability Using a Response Pattern of Graded Scores. Psychometrika \
                       Monograph 17, 1969.",
                doi: Some("10.1007/BF03372160"),
            },
            Reference { text: "H.-C. Kim, Z. Ghahramani. Bayesian Classifier Combination. AISTATS 2012.", doi: None },
        ],
        status: Status::Stable,
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("strength", self.strength, 1e-3, 1e9);
        p.within("alpha", self.alpha, 1e-6, 1e9);
        p.count("scale_iter", self.scale_iter);
        p.between("slip", self.slip, 0.0, 1.0);
        p.within("bias_sd", self.bias_sd, 1e-6, 1e6);
        p.within("noise_sd", self.noise_sd, 1e-6, 1e6);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let labels = data.table.categorical().expect("the kind was checked");
        let k = labels.k();
        if k == 1 {
            return Ok(one_class(data));
        }
        shared::check_entries(data.table.n_annotators(), k, k)?;
        let scaled = self.scale().scale(&labels, cx)?;
        let tau = scaled.point.thresholds();
        let mut rows = rows(&scaled.point, &tau, self.slip);
        rows.iter_mut().for_each(|p| *p *= self.strength);
        let mut model = Around { rows, strength: self.strength, alpha: self.alpha };
        let settings = Settings::soft(self.max_iter, self.tol, false);
        let mut out = shared::run(data, cx, &mut model, &settings, Init::Majority, "elbo", |t| {
            Annotators::Confusion { k, matrix: shared::transpose(t, k) }
        })?;
        describe(&scaled.point, &tau, &mut out.diagnostics.details);
        Ok(out)
    }
}
