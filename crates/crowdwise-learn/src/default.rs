//! What `learn` does unless it is told: a learner that the sources allow.

use crowdwise_core::{Dataset, Finding, Severity, Subject};
use crowdwise_methods::classes::sources::one_class_sources;
use serde_json::Value;

/// A learner with parameters, and why it was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct DefaultLearner {
    pub id: &'static str,
    pub params: Vec<(String, Value)>,
    pub reason: String,
}

/// What is taken for ordinary crowds.
pub const DEFAULT_LEARNER: &str = "aggnet";

/// The learner for these data. Learners that fit a confusion matrix of every annotator end to end need annotators who give more than
/// one label: with sources that vote for one class only, a classifier that always says the same class explains all labels.
pub fn default_learner(data: &Dataset) -> DefaultLearner {
    let found = data.table.categorical().map(|labels| one_class_sources(&labels));
    match found {
        Some(found) if found.most() => DefaultLearner {
            id: "two-stage",
            // measured (`trust/learners`): better labels from one-class-sources do not make a better network
            params: vec![("method".into(), "majority-vote".into())],
            reason: format!(
                "{:.0} % of the labels come from sources that vote for one class only ({}), so that no confusion matrix can be learned",
                100.0 * found.share,
                if found.sources == 1 { "1 source".into() } else { format!("{} sources", found.sources) }
            ),
        },
        _ => DefaultLearner {
            id: DEFAULT_LEARNER,
            params: Vec::new(),
            reason: "annotators give several labels, so that their confusion matrices can be learned together with the classifier".into(),
        },
    }
}

impl DefaultLearner {
    /// What is said beside the fit.
    pub fn finding(&self) -> Finding {
        let mut with = String::new();
        for (name, value) in &self.params {
            with += &format!(" with {name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        Finding::new(
            "chosen",
            Severity::Info,
            Subject::Fit,
            format!("`{}`{with} was used: {}", self.id, self.reason),
            "⟦-m METHOD⟧ takes another one; items of known class kept for a test (⟦--test-truth⟧) would tell which is best",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::simulate::{SimModel, Simulation, Simulator};

    fn of(s: &Simulation) -> DefaultLearner {
        default_learner(&Simulator::new(s, 0).unwrap().dataset().unwrap().0)
    }

    #[test]
    fn the_sources_decide() {
        let functions = Simulation { model: SimModel::LabellingFunctions, annotators: 9, ..Simulation::default() };
        let taken = of(&functions);
        assert_eq!(taken.id, "two-stage");
        let text = taken.finding().message;
        assert!(
            text.contains("with method=majority-vote") && text.contains("100 %") && text.contains("9 sources"),
            "{text}"
        );
        assert_eq!(of(&Simulation { one_class: 0.0, ..functions }).id, "aggnet");
        assert_eq!(of(&Simulation::default()).id, "aggnet");
        // what it names exists, with these parameters
        assert!(crate::find(taken.id).unwrap().with(&taken.params).is_ok());
    }
}
