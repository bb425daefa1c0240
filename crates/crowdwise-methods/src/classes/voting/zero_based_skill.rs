use super::agreement::Agreement;
use super::{Ballot, Form};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Status, Step,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Weighted vote whose weights step towards each annotator's agreement with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ZeroBasedSkill {
    /// Maximum number of iterations.
    pub max_iter: usize,
    /// Stops when no skill changes by more than this; further iterations would change nothing.
    pub tol: f64,
    /// First step towards the measured agreement: 1 replaces the skill by it, less averages.
    pub learning_rate: f64,
    /// Number of iterations after which the step is shortened.
    pub reduce_every: usize,
    /// Factor by which the step is shortened each time.
    pub reduce_factor: f64,
    /// Every skill starts this much above chance, 1/K.
    pub head_start: f64,
}

impl Default for ZeroBasedSkill {
    fn default() -> Self {
        ZeroBasedSkill {
            max_iter: 100,
            tol: 1e-12,
            learning_rate: 1.0,
            reduce_every: 20,
            reduce_factor: 0.5,
            head_start: 1e-5,
        }
    }
}

impl Method for ZeroBasedSkill {
    const INFO: MethodInfo = MethodInfo {
        id: "zero-based-skill",
        name: "Zero-based skill",
        summary: "Weighted vote; each annotator's weight moves towards their agreement with the vote.",
        doc: include_str!("zero_based_skill.md"),
        aliases: &["zbs"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "D. Ustalov, N. Pavlichenko and B. Tseitlin, Learning from Crowds with Crowd-Kit, Journal of Open Source Software 9(96), 2024",
            doi: Some("10.21105/joss.06227"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Voting)
    };

    fn check(&self, problems: &mut Problems) {
        problems.count("max_iter", self.max_iter);
        problems.at_least("tol", self.tol, 0.0);
        let rate = |p: &mut Problems, name: &str, x: f64| {
            p.require(x > 0.0 && x <= 1.0, name, x, "greater than 0 and at most 1");
        };
        rate(problems, "learning_rate", self.learning_rate);
        problems.count("reduce_every", self.reduce_every);
        rate(problems, "reduce_factor", self.reduce_factor);
        problems.at_least("head_start", self.head_start, 0.0);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let ballot = Ballot::new(data);
        let k = ballot.labels.k();
        let mut skill = vec![1.0 / k as f64 + self.head_start; data.table.n_annotators()];
        let mut rate = self.learning_rate;
        let run = cx.iterate(self.max_iter, self.tol, |_, iteration| {
            if iteration % self.reduce_every == 0 {
                rate *= self.reduce_factor;
            }
            let seen = Agreement::new(&ballot, Some(&skill), false);
            let mut change: f64 = 0.0;
            for (j, s) in skill.iter_mut().enumerate() {
                if seen.labels[j] > 0 {
                    let step = rate * (seen.share[j] - *s);
                    *s += step;
                    change = change.max(step.abs());
                }
            }
            Ok(Step { objective: None, change })
        })?;
        let posterior = ballot.posterior(Some(&skill), Form::Share, cx)?;
        let mut diagnostics = run.diagnostics("none");
        diagnostics.objective = None;
        let mut out = Outcome::classes(k, posterior, Annotators::Weight { weight: skill }, diagnostics);
        out.class_prior = Some(vec![1.0 / k as f64; k]);
        Ok(out)
    }
}
