//! Truths as a linear function of features, learned from the values of biased and noisy annotators.

use super::gaussian_annotators::outcome;
use super::linear::MOST_FEATURES;
use super::noise::Noise;
use super::settings::Settings;
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference,
    Run, Status, Step,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Regression from a crowd.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CrowdRegression {
    /// Maximum number of rounds.
    pub max_iter: usize,
    /// Stop when no estimate moves by more than this part of the typical noise.
    pub tol: f64,
    /// Whether each annotator has a bias.
    pub bias: bool,
    /// Whether annotators also stretch or squeeze the scale in their own way.
    pub scale: bool,
    /// Degrees of freedom of Student's t noise: see `gaussian-annotators`. `null`: normal noise.
    pub degrees_of_freedom: Option<f64>,
    /// How alike the noise of annotators is: see `gaussian-annotators`.
    pub alpha: Option<f64>,
    /// Strength of the pull of the weights (of features with deviation 1) towards 0, in items' worth.
    pub ridge: f64,
}

impl Default for CrowdRegression {
    fn default() -> Self {
        CrowdRegression {
            max_iter: 500,
            tol: 1e-6,
            bias: true,
            scale: false,
            degrees_of_freedom: None,
            alpha: None,
            ridge: 0.1,
        }
    }
}

impl Method for CrowdRegression {
    const INFO: MethodInfo = MethodInfo {
        id: "crowd-regression",
        name: "Regression from a crowd",
        summary: "True values as a linear function of features, with a bias and a noise level per annotator.",
        doc: include_str!("crowd_regression.md"),
        aliases: &["reg-e2e"],
        accepts: &[LabelKind::Real],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni, L. Moy. Learning From Crowds. JMLR 11, 2010.",
                doi: None,
            },
            Reference {
                text: "F. Rodrigues, F. C. Pereira. Deep Learning from Crowds. AAAI 2018.",
                doi: Some("10.1609/aaai.v32i1.11506"),
            },
        ],
        status: Status::Stable,
        needs: Needs::FEATURES,
        ..MethodInfo::of(Family::Real)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.positive("ridge", self.ridge);
        self.settings().check(p);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let features = data.features.as_ref().expect("a method that needs features gets them");
        if features.dim > MOST_FEATURES {
            let what = format!("the products of {} features; {MOST_FEATURES} is the most here", features.dim);
            return Err(Error::TooLarge { what });
        }
        let mut noise = Noise::regressed(data, self.settings(), features, self.ridge);
        let typical = noise.typical().sqrt();
        let run: Run = cx.iterate(self.max_iter, self.tol.max(f64::MIN_POSITIVE), |_, _| {
            Ok(Step { objective: None, change: noise.step() / typical })
        })?;
        let mut diagnostics = run.diagnostics("none");
        diagnostics.objective = None;
        noise.details(&mut diagnostics.details);
        if let Some((intercept, weights)) = noise.weights() {
            diagnostics.details.insert("intercept".into(), json!(intercept));
            diagnostics.details.insert("weights".into(), json!(weights));
        }
        Ok(outcome(data, &noise, diagnostics))
    }
}

impl CrowdRegression {
    fn settings(&self) -> Settings {
        let &CrowdRegression { bias, scale, degrees_of_freedom: nu, alpha, .. } = self;
        Settings { bias, scale, nu, alpha, shrink: true }
    }
}
