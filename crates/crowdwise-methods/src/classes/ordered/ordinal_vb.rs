//! Confusion matrices around an ordinal scale, by variational Bayes.

use super::Ordinal;
use super::ordinal::{describe, one_class};
use crate::classes::confusion::em::{Adaptive, Settings};
use crate::classes::confusion::kernel::{Model, Sums};
use crate::classes::confusion::{Init, shared};
use crate::classes::pooled::{Shared, vote_shares};
use crowdwise_core::Situation;
use crowdwise_core::stats::{digamma, ln_gamma};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bayesian Dawid-Skene with ordinal rows as its prior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OrdinalVb {
    /// Maximum number of iterations (passes over the labels) after the scale is fitted.
    pub max_iter: usize,
    /// Stop when one step changes no expected probability by more than this, both for biases and noises and after them.
    pub tol: f64,
    /// Weight of the ordinal rows in those of an annotator, in labels, and likewise of the pooled ones.
    pub strength: f64,
    /// Maximum number of iterations for the biases and noises.
    pub scale_iter: usize,
    /// Share of labels that are slips, spread evenly.
    pub slip: f64,
    /// Spread of the annotators' biases, in grades (of a scale of five).
    pub bias_sd: f64,
    /// Spread of the logarithms of the annotators' noises.
    pub noise_sd: f64,
}

impl Default for OrdinalVb {
    fn default() -> Self {
        let scale = Ordinal::default();
        OrdinalVb {
            max_iter: 100,
            tol: scale.tol,
            strength: 5.0,
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
            tol: self.tol,
            slip: self.slip,
            bias_sd: self.bias_sd,
            noise_sd: self.noise_sd,
        }
    }
}

/// Dirichlet rows around those of the annotator's bias and noise and around those of all annotators together.
struct Around {
    /// Rows of the annotator by its bias and noise, annotators x label x truth; each column sums to 1.
    own: Vec<f64>,
    /// What annotators have in common.
    common: Shared,
    strength: f64,
    class_shares: Vec<f64>,
}

impl Around {
    fn cell(&self, k: usize, j: usize, at: usize) -> f64 {
        self.strength * (self.own[j * k * k + at] + self.common.matrix()[at])
    }
}

impl Model for Around {
    fn table(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let mut bound = 0.0;
        let all = 2.0 * self.strength;
        for t in 0..k {
            let n: f64 = (0..k).map(|l| counts[l * k + t]).sum();
            let psi_total = digamma(all + n);
            bound += ln_gamma(all) - ln_gamma(all + n);
            for at in (0..k).map(|l| l * k + t) {
                let (c, prior) = (counts[at], self.cell(k, j, at));
                let expected_ln = digamma(c + prior) - psi_total;
                bound += ln_gamma(c + prior) - ln_gamma(prior) - c * expected_ln;
                table[at] = expected_ln.max(-230.0).exp();
            }
        }
        [bound, 0.0, 0.0, 0.0]
    }

    fn report(&self, k: usize, j: usize, counts: &[f64], table: &mut [f64]) {
        for t in 0..k {
            let n: f64 = (0..k).map(|l| counts[l * k + t]).sum();
            (0..k).map(|l| l * k + t).for_each(|at| {
                table[at] = (counts[at] + self.cell(k, j, at)) / (2.0 * self.strength + n);
            });
        }
    }

    fn prior(&self, _class: &[f64], prior: &mut [f64]) -> f64 {
        prior.copy_from_slice(&self.class_shares);
        0.0
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        0.0
    }

    fn prior_penalty(&self, _prior: &[f64]) -> f64 {
        0.0
    }
}

impl Adaptive for Around {
    fn pool_width(&self, k: usize, round: usize) -> usize {
        if round == 0 { k * k } else { 0 }
    }

    fn pool(&self, _k: usize, _round: usize, _j: usize, counts: &[f64], sums: &mut [f64]) {
        self.common.add(counts, sums);
    }

    fn pooled(&mut self, _k: usize, _round: usize, sums: &[f64]) {
        self.common.update(sums);
    }
}

impl Method for OrdinalVb {
    const INFO: MethodInfo = MethodInfo {
        id: "ordinal-vb",
        name: "Ordinal Bayesian Dawid-Skene",
        summary: "Confusion matrices drawn towards those of an ordinal scale, by variational Bayes.",
        doc: include_str!("ordinal_vb.md"),
        aliases: &["ordinal-dawid-skene"],
        accepts: &[LabelKind::Categorical],
        // the pooled rows are not chosen by the bound, so that the bound may fall
        capabilities: Capabilities { monotone: false, ..shared::CAPABILITIES },
        references: &[
            Reference {
                text: "F. Samejima. Estimation of Latent Ability Using a Response Pattern of Graded Scores. Psychometrika \
                       Monograph 17, 1969.",
                doi: Some("10.1007/BF03372160"),
            },
            Reference { text: "H.-C. Kim, Z. Ghahramani. Bayesian Classifier Combination. AISTATS 2012.", doi: None },
        ],
        status: Status::Stable,
        compared: &[Situation::Grades],
        ..MethodInfo::of(Family::Ordered)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("strength", self.strength, 1e-3, 1e9);
        p.count("scale_iter", self.scale_iter);
        p.between("slip", self.slip, 0.0, 1.0);
        p.within("bias_sd", self.bias_sd, 1e-6, 1e6);
        p.within("noise_sd", self.noise_sd, 1e-6, 1e2);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let k = labels.k();
        if k == 1 {
            return Ok(one_class(data));
        }
        shared::check_entries(data.table.n_annotators(), k, k)?;
        let class_shares = vote_shares(data, gold.as_deref());
        // the biases are those that the labels tell, whatever an earlier fit says
        let warm = cx.warm.take();
        let scale = self.scale();
        let mut graded = scale.model(data, gold.as_deref());
        let Annotators::Confusion { matrix, .. } = scale.run(data, &mut graded, cx)?.annotators else {
            unreachable!("a matrix for every annotator")
        };
        cx.warm = warm;
        let own = shared::transpose(matrix, k);
        let mut model = Around { own, common: Shared::new(k), strength: self.strength, class_shares };
        let settings = Settings::soft(self.max_iter, self.tol, false);
        let mut out = shared::run(data, cx, &mut model, &settings, Init::Majority, "elbo", |t| {
            Annotators::Confusion { k, matrix: shared::transpose(t, k) }
        })?;
        describe(&graded, &mut out.diagnostics.details);
        Ok(out)
    }
}
