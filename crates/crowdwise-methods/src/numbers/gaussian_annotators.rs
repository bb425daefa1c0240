use super::noise::Noise;
use super::settings::Settings;
use super::{Mean, outliers};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Run, Status, Step, Truth,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A bias and a noise for every annotator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GaussianAnnotators {
    /// Maximum number of rounds.
    pub max_iter: usize,
    /// Stop when no estimate moves by more than this part of the typical noise.
    pub tol: f64,
    /// Whether each annotator has a bias.
    pub bias: bool,
    /// Whether annotators also stretch or squeeze the scale in their own way: value = bias + scale x truth + noise.
    pub scale: bool,
    /// Degrees of freedom of Student's t noise, which forgives single wild values: 4 is usual. `null`: normal noise.
    pub degrees_of_freedom: Option<f64>,
    /// How alike the noise of annotators is: shape of the inverse gamma prior of their variances (two labels' worth each).
    /// `null`: learned from all annotators, at least 1, with `scale` at least 3.
    pub alpha: Option<f64>,
    /// Whether estimates are drawn to the mean of all items, by as much as the spread of items and the noise tell; without,
    /// an item stands alone.
    pub shrink: bool,
}

impl Default for GaussianAnnotators {
    fn default() -> Self {
        GaussianAnnotators {
            max_iter: 300,
            tol: 1e-6,
            bias: true,
            scale: false,
            degrees_of_freedom: None,
            alpha: None,
            shrink: true,
        }
    }
}

impl Method for GaussianAnnotators {
    const INFO: MethodInfo = MethodInfo {
        id: "gaussian-annotators",
        name: "Gaussian annotators",
        summary: "Real values with a bias, a noise level and, optionally, a scale per annotator; robust with Student's t.",
        doc: include_str!("gaussian_annotators.md"),
        aliases: &["reg-em", "reg-t"],
        accepts: &[LabelKind::Real],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni, L. Moy. Learning From Crowds. JMLR 11, 2010.",
                doi: None,
            },
            Reference {
                text: "K. L. Lange, R. J. A. Little, J. M. G. Taylor. Robust statistical modeling using the t distribution. Journal of the American Statistical Association 84, 1989.",
                doi: Some("10.1080/01621459.1989.10478852"),
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Real)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        self.settings().check(p);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let Some(mut noise) = Noise::new(data, self.settings()) else {
            // no two values of an item differ: there is no noise to model
            return Mean::default().fit(data, cx);
        };
        let typical = noise.typical().sqrt();
        let run: Run = cx.iterate(self.max_iter, self.tol.max(f64::MIN_POSITIVE), |_, _| {
            let moved = noise.step();
            Ok(Step { objective: None, change: moved / typical })
        })?;
        let mut diagnostics = run.diagnostics("none");
        diagnostics.objective = None;
        noise.details(&mut diagnostics.details);
        if let Some(nu) = self.degrees_of_freedom {
            diagnostics.details.insert("degrees_of_freedom".into(), json!(nu));
        }
        Ok(outcome(data, &noise, diagnostics))
    }
}

impl GaussianAnnotators {
    fn settings(&self) -> Settings {
        let &GaussianAnnotators { bias, scale, degrees_of_freedom: nu, alpha, shrink, .. } = self;
        Settings { bias, scale, nu, alpha, shrink }
    }
}

/// What the model says of items and annotators.
pub(super) fn outcome(data: &Dataset, noise: &Noise<'_>, diagnostics: Diagnostics) -> Outcome {
    let (value, sd) = noise.estimates();
    let (bias, spread) = noise.annotators();
    Outcome {
        truth: Truth::Real { value, sd },
        uncalibrated: None,
        annotators: Annotators::Gaussian { bias, sd: spread },
        class_prior: None,
        difficulty: None,
        diagnostics,
        findings: outliers::findings(data, &noise.surprises()).into_iter().collect(),
    }
}
