use super::targets::Targets;
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Probabilities, cross_entropy};
use crate::params::Choose;
use crate::{Labels, Matrix, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Context, Dataset, Entry, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference,
    Status, stats,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Any label-integration method first, then a network on its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TwoStage {
    /// Method that integrates the labels, with its default parameters (`crowdwise methods` lists them).
    pub method: String,
    /// What the network is trained on: the `soft` probabilities, or the most probable class (`hard`; of tied
    /// classes the network may take any).
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
            // a baseline as others train it: all items, and a length that is given (see the page for what a chosen one does)
            training: Training { epochs: 50, holdout: 0.0, choose: Choose::Last, ..Training::default() },
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
        summary: "Any label-integration method, then a network trained on its hard or soft labels.",
        doc: include_str!("two_stage.md"),
        aliases: &["two-step"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni and L. Moy, Learning from crowds, Journal of Machine Learning Research 11, 2010",
            doi: None,
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Em)
    };

    fn check(&self, problems: &mut Problems) {
        let must = "the id of a method that integrates classes, such as dawid-skene";
        problems.require(self.integrator().is_some(), "method", format!("`{}`", self.method), must);
        self.network.check(problems);
        self.training.check(problems);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        Ok(Learn::learn(self, data, cx, None)?.outcome)
    }
}

impl Learn for TwoStage {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        let entry = self.integrator().expect("parameters are checked");
        let first = entry.with(&short(entry))?;
        // the features are for the network; a method that does not look at them may refuse them
        let first = if entry.info.needs.features {
            first.estimate(data, cx)?
        } else {
            first.estimate(&data.without_features(), cx)?
        };
        let (k, posterior) = first.posterior().expect("a method of classes gives classes");
        learn(&recipe, data, cx, own, |task, _| {
            let mut q = posterior.to_vec();
            for (i, row) in q.chunks_exact_mut(k).enumerate() {
                if let Some(g) = task.labels.gold(i) {
                    row.fill(0.0);
                    row[g] = 1.0;
                }
            }
            let candidates = match self.labels {
                Labelling::Soft => None,
                Labelling::Hard => Some(most_probable(&q, k)),
            };
            let targets = Targets::of(q.clone(), &task.labels, &task.train, 0.01);
            Ok(Staged { candidates, posterior: q, targets })
        })
    }
}

/// What EM is told in the first stage: no acceleration, and no further step when one adds less than 1e-5 a label to the likelihood. The
/// steps after that are long in probabilities and gain nothing that the data could tell from chance, and an accelerated leap may end at a
/// likelier optimum; both lead away from the votes, and from the truth where annotators have few labels per class.
fn short(entry: &Entry) -> Vec<(String, serde_json::Value)> {
    let has = |name: &str| entry.params().iter().any(|p| p.name == name);
    let mut out = Vec::new();
    if has("accelerate") {
        out.push(("accelerate".into(), false.into()));
    }
    if has("stop") && has("tol") {
        out.extend([("stop".into(), "bound".into()), ("tol".into(), 1e-5.into())]);
    }
    out
}

/// 1 for the most probable class and those tied with it, 0 for the others.
fn most_probable(q: &[f64], k: usize) -> Vec<f64> {
    let mut out = vec![0.0; q.len()];
    for (row, out) in q.chunks_exact(k).zip(out.chunks_exact_mut(k)) {
        let best = row[stats::argmax(row)];
        row.iter().zip(out).filter(|(p, _)| stats::tied(**p, best)).for_each(|(_, o)| *o = 1.0);
    }
    out
}

/// -ln of what the network gives to the candidates of an item together, and its derivative: cross-entropy with the network's own
/// probabilities among the candidates. With one candidate it is the usual one.
fn candidate_loss(f: &Probabilities, candidates: &[f64], items: &[u32], d_scores: &mut Matrix) -> f64 {
    let mut shares = f.rows.clone();
    let mut loss = 0.0;
    for (row, &i) in shares.chunks_exact_mut(f.k).zip(items) {
        row.iter_mut().zip(&candidates[i as usize * f.k..]).for_each(|(p, c)| *p *= c);
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
        loss -= sum.ln() / items.len() as f64;
    }
    cross_entropy(f, |b| &shares[b * f.k..(b + 1) * f.k], |_| 1.0, d_scores);
    loss
}

struct Staged {
    targets: Targets,
    /// Of hard labels: which classes an item may have, items x K.
    candidates: Option<Vec<f64>>,
    /// What the first stage says of all items.
    posterior: Vec<f64>,
}

impl Objective for Staged {
    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        match &self.candidates {
            None => self.targets.loss(scores, batch, d_scores),
            Some(c) => candidate_loss(&Probabilities::of(scores), c, batch.items, d_scores),
        }
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
    fn hard_labels_keep_all_tied_classes() {
        let candidates = most_probable(&[0.2, 0.5, 0.3, 0.4, 0.2, 0.4], 3);
        assert_eq!(candidates, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        // the derivative is that of the loss
        let scores = Matrix::new(2, 3, vec![0.3, -0.2, 0.9, 1.0, 0.1, -0.4]);
        let loss = |z: &Matrix, d: &mut Matrix| candidate_loss(&Probabilities::of(z), &candidates, &[0, 1], d);
        let mut d = Matrix::zeros(2, 3);
        loss(&scores, &mut d);
        for at in 0..6 {
            let moved = |by: f32| {
                let mut z = scores.clone();
                z.values[at] += by;
                loss(&z, &mut Matrix::zeros(2, 3))
            };
            let slope = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((slope - f64::from(d.values[at])).abs() < 1e-4, "{at}: {slope} {}", d.values[at]);
        }
    }

    #[test]
    fn em_is_told_to_stop_early_where_it_can_be() {
        let names = |id: &str| {
            let entry = crowdwise_methods::find(id).unwrap();
            let told = short(entry);
            entry.with(&told).unwrap();
            told.into_iter().map(|(n, _)| n).collect::<Vec<_>>()
        };
        assert_eq!(names("dawid-skene"), ["accelerate", "stop", "tol"]);
        assert!(names("majority-vote").is_empty());
    }
}
