//! The default method, for every kind of data: choosing and combining methods without knowing the truth. It hands over by
//! what the items are and by what came with them (see `docs/adr/0011`).

mod beside;
mod candidates;
mod certainty;
mod choose;
mod classes;
mod comparisons;
mod families;
mod held_out;
mod hidden;
mod runs;
mod sequences;
mod special;
mod values;
mod words;

use crate::classes::calibration::{Errors, PRIOR};
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, Finding, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Severity, Situation, Status, Structure, Subject,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Chooses between models, or averages them, by what the labels tell; says why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Auto {
    /// Maximum number of iterations of each candidate.
    pub max_iter: usize,
    /// Stop a candidate when one step changes no expected probability by more than this.
    pub tol: f64,
    /// Penalty of a candidate for moving the class shares away from those of the votes by 1.
    pub drift_weight: f64,
    /// How the errors of annotators on one item are related: `estimate` lets the labels tell, `independent` and `shared`
    /// say it.
    pub errors: Errors,
    /// How likely shared errors are before the labels are seen, from 0 to 1; the labels then tell (`errors=estimate`). More
    /// makes for less certainty.
    pub shared_prior: f64,
    /// Correct the probabilities for overfitting and shared errors; otherwise they are those of the model.
    pub calibrate: bool,
}

impl Default for Auto {
    fn default() -> Self {
        Auto {
            max_iter: 500,
            tol: 1e-5,
            drift_weight: 0.75,
            errors: Errors::Estimate,
            shared_prior: PRIOR,
            calibrate: true,
        }
    }
}

impl Method for Auto {
    const INFO: MethodInfo = MethodInfo {
        id: "auto",
        name: "Automatic choice",
        summary: "Chooses the model that fits the labels, rejects those that collapse, and reports calibrated probabilities.",
        doc: include_str!("auto.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical, LabelKind::Real, LabelKind::Preference],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "A. P. Dawid and A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM \
                       Algorithm. Applied Statistics 28(1), 1979.",
                doi: Some("10.2307/2346806"),
            },
            Reference {
                text: "L. Kish. Survey Sampling. Wiley, 1965 (the design effect: n labels that err together are worth fewer).",
                doi: None,
            },
        ],
        status: Status::Stable,
        default_for: &[
            Situation::Classes,
            Situation::Grades,
            Situation::Sequences,
            Situation::Graph,
            Situation::Sets,
            Situation::Values,
            Situation::Comparisons,
        ],
        compared: &[
            Situation::Classes,
            Situation::Grades,
            Situation::Sequences,
            Situation::Graph,
            Situation::Sets,
            Situation::Values,
            Situation::Comparisons,
            Situation::Rankings,
        ],
        ..MethodInfo::of(Family::Auto)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.at_least("drift_weight", self.drift_weight, 0.0);
        p.within("shared_prior", self.shared_prior, 0.0, 1.0);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true // labels are drawn for a rehearsal, values and comparisons held out
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        beside::refuse(data)?;
        let classes = data.table.kind() == LabelKind::Categorical;
        match &data.structure {
            Structure::Chains { .. } if classes => sequences::fit(data, cx),
            Structure::Graph(_) if classes => beside::graph(data, cx),
            _ if data.probabilities.is_some() => beside::probabilities(data, cx),
            Structure::Independent if classes => match families::fit(data, cx)? {
                Some(out) => Ok(out),
                None => classes::fit(self, data, cx),
            },
            _ => match data.table.kind() {
                LabelKind::Real => values::fit(data, cx),
                LabelKind::Preference => comparisons::fit(data, cx),
                _ => classes::fit(self, data, cx),
            },
        }
    }
}

/// The outcome with what was chosen, and why.
fn chosen(mut out: Outcome, method: &str, message: String, advice: &str) -> Outcome {
    out.findings.insert(0, Finding::new("chosen", Severity::Info, Subject::Fit, message, advice));
    out.diagnostics.details.insert("used".into(), json!([method]));
    // with its own parameters, so that those of `auto` do not reach it
    out.diagnostics.details.insert("handed_over_to".into(), json!(method));
    out
}
