use super::targets::Targets;
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Probabilities};
use crate::{Labels, Matrix, NetworkParams, Training};
use crowdwise_core::{
    Context, Dataset, Entry, Error, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status, stats,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Any label-integration method first, then a network on its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TwoStage {
    /// The method that integrates the labels, with its default parameters (`crowdwise methods` lists them).
    pub method: String,
    /// What the network is trained on: the `soft` probabilities, or the most probable class (`hard`; tied classes share).
    pub labels: Labelling,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

/// What the network is trained on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Labelling {
    #[default]
    Soft,
    Hard,
}

impl Default for TwoStage {
    fn default() -> Self {
        TwoStage {
            method: "auto".into(),
            labels: Labelling::Soft,
            network: NetworkParams::default(),
            // targets that do not change are learned by heart when training goes on
            training: Training { epochs: 40, ..Training::default() },
        }
    }
}

impl TwoStage {
    fn integrator(&self) -> Option<&'static Entry> {
        crowdwise_methods::find(&self.method).ok().filter(|e| e.info.accepts.contains(&LabelKind::Categorical))
    }
}

impl Method for TwoStage {
    const INFO: MethodInfo = MethodInfo {
        id: "two-stage",
        name: "Two stages",
        summary: "Any label-integration method, then a network on its hard or soft labels.",
        doc: include_str!("two_stage.md"),
        aliases: &["two-step"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni and L. Moy, Learning from crowds, Journal of Machine Learning Research 11, 2010",
            doi: None,
        }],
        status: Status::Stable,
    };
    const NEEDS_FEATURES: bool = true;

    fn check(&self, problems: &mut Problems) {
        let must = "the id of a method that integrates classes, such as dawid-skene";
        problems.require(self.integrator().is_some(), "method", format!("`{}`", self.method), must);
        self.network.check(problems);
        self.training.check(problems);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        let entry = self.integrator().expect("parameters are checked");
        // EM without acceleration stays at the optimum next to the votes; a leap may end at a likelier one that is further from the truth
        let plain = ("accelerate".to_owned(), false.into());
        let first =
            if entry.params().iter().any(|p| p.name == plain.0) { entry.with(&[plain])? } else { entry.default() };
        let first = first.fit(data, cx)?;
        let (k, posterior) = first.posterior().expect("a method of classes gives classes");
        learn(&recipe, data, cx, |task, _| {
            let mut q = posterior.to_vec();
            for (i, row) in q.chunks_exact_mut(k).enumerate() {
                if let Some(g) = task.labels.gold(i) {
                    row.fill(0.0);
                    row[g] = 1.0;
                }
            }
            let taught = match self.labels {
                Labelling::Soft => q.clone(),
                Labelling::Hard => hardened(&q, k),
            };
            Ok(Staged {
                posterior: q.clone(),
                targets: Targets { q: taught, ..Targets::of(q, &task.labels, &task.train, 0.01) },
            })
        })
    }
}

/// All probability on the most probable class; tied classes share it.
fn hardened(q: &[f64], k: usize) -> Vec<f64> {
    let mut out = vec![0.0; q.len()];
    for (row, out) in q.chunks_exact(k).zip(out.chunks_exact_mut(k)) {
        let (best, n) = (row[stats::argmax(row)], stats::n_tied(row) as f64);
        row.iter().zip(out).filter(|(p, _)| stats::tied(**p, best)).for_each(|(_, o)| *o = 1.0 / n);
    }
    out
}

struct Staged {
    targets: Targets,
    /// What the first stage says of all items.
    posterior: Vec<f64>,
}

impl Objective for Staged {
    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        self.targets.loss(scores, batch, d_scores)
    }

    fn confusion(&self) -> Vec<f64> {
        self.targets.confusion.clone()
    }

    /// The first stage's answer; the classifier where nobody labelled.
    fn posterior(&self, f: &Probabilities, labels: &Labels) -> Vec<f64> {
        let mut out = self.posterior.clone();
        for i in (0..labels.items()).filter(|&i| labels.degree(i) == 0 && labels.gold(i).is_none()) {
            out[i * labels.k..(i + 1) * labels.k].copy_from_slice(f.row(i));
        }
        crate::confusion::normalise(&mut out, labels.k);
        out
    }

    fn snapshot(&self) -> Vec<f64> {
        Vec::new()
    }

    fn restore(&mut self, _: &[f64]) {}
}

impl Learner for Staged {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_labels_share_ties() {
        assert_eq!(hardened(&[0.2, 0.5, 0.3, 0.4, 0.2, 0.4], 3), [0.0, 1.0, 0.0, 0.5, 0.0, 0.5]);
    }
}
