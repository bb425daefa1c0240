//! The one result type.

use crate::{Finding, LabelKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a method found, in one shape for every method. Not converging is a marked result, not an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    pub truth: Truth,
    /// The class probabilities of the model, where those of `truth` were calibrated afterwards: see
    /// [`Fit::model_posterior`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncalibrated: Option<Vec<f64>>,
    pub annotators: Annotators,
    /// Share of each class in the model (K); also the answer for an item that nobody labelled.
    pub class_prior: Option<Vec<f64>>,
    /// One number per unit, larger = harder, for the methods that model it.
    pub difficulty: Option<Vec<f64>>,
    pub diagnostics: Diagnostics,
    pub findings: Vec<Finding>,
    pub provenance: Provenance,
}

/// What is true.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Truth {
    /// Posterior over classes, units x K row-major; rows sum to 1.
    Classes { k: usize, posterior: Vec<f64> },
    /// Estimate and its standard error per unit (NaN where unknown), of such a size that the estimate ± 1.645 of them is a
    /// 90 % interval if annotators err independently of each other.
    Real { value: Vec<f64>, sd: Vec<f64> },
    /// Score per item with its interval; scores of different components are not comparable.
    Scores {
        score: Vec<f64>,
        interval: Vec<[f64; 2]>,
        component: Vec<u32>,
        /// Best and worst place within the component that the comparisons allow, 1 = best, at the level of the
        /// intervals; empty where the method does not tell.
        #[serde(default)]
        ranks: Vec<[u32; 2]>,
    },
    /// Cluster of every item, numbered by first item; how sure it is that the item belongs there; and for every judged
    /// pair (unit) the probability that both are the same.
    Clusters { cluster: Vec<u32>, confidence: Vec<f64>, same: Vec<f64> },
}

/// How the annotators are modelled. Each form projects to a confusion matrix, an accuracy or a weight where that has a meaning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case")]
pub enum Annotators {
    None,
    /// A weight in a vote.
    Weight {
        weight: Vec<f64>,
    },
    /// P(right), errors spread evenly over the other classes.
    Accuracy {
        k: usize,
        accuracy: Vec<f64>,
    },
    /// P(right | truth k), annotators x K, errors spread evenly over the other classes.
    ClassAccuracy {
        k: usize,
        accuracy: Vec<f64>,
    },
    /// P(says l | truth k), annotators x truth x label, row = truth.
    Confusion {
        k: usize,
        matrix: Vec<f64>,
    },
    /// Knows the answer with probability `competence`, otherwise draws from `strategy` (annotators x K).
    Competence {
        k: usize,
        competence: Vec<f64>,
        strategy: Vec<f64>,
    },
    /// P(right) = sigmoid(ability x ease of the item), errors spread evenly.
    Ability {
        k: usize,
        ability: Vec<f64>,
        typical_ease: f64,
    },
    /// value = truth + bias + noise.
    Gaussian {
        bias: Vec<f64>,
        sd: Vec<f64>,
    },
}

/// Why the iterations ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Nothing to iterate.
    Direct,
    Converged,
    /// Labels and probabilities no longer move, though parameters of some annotators still do.
    Settled,
    MaxIter,
    Cancelled,
    /// The objective became infinite or not a number; the last finite state is returned.
    NotFinite,
}

impl Stop {
    /// The iterations came to their end by themselves, or there were none.
    pub fn is_end(self) -> bool {
        matches!(self, Stop::Direct | Stop::Converged | Stop::Settled)
    }

    /// The ending to tell of a fit that is made of several: the one that leaves most to be done.
    pub fn worst(all: impl IntoIterator<Item = Stop>) -> Option<Stop> {
        let order = [Stop::Direct, Stop::Converged, Stop::Settled, Stop::MaxIter, Stop::Cancelled, Stop::NotFinite];
        all.into_iter().max_by_key(|s| order.iter().position(|o| o == s))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    pub iteration: usize,
    pub objective: Option<f64>,
    /// Largest change that the step made, in the terms of the method's `tol`.
    pub change: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// e.g. `log-likelihood`, `penalised-log-likelihood`, `elbo`.
    pub kind: String,
    pub value: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostics {
    pub stop: Stop,
    pub iterations: usize,
    pub objective: Option<Objective>,
    pub trace: Vec<TracePoint>,
    /// Further numbers of the method: R-hat, effective sample size, restarts …
    pub details: serde_json::Map<String, Value>,
}

impl Diagnostics {
    /// For methods without iterations.
    pub fn direct() -> Self {
        Diagnostics {
            stop: Stop::Direct,
            iterations: 0,
            objective: None,
            trace: Vec::new(),
            details: serde_json::Map::new(),
        }
    }
}

/// Where a fit comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    pub method: String,
    pub params: Value,
    pub seed: u64,
    pub version: String,
    pub kind: LabelKind,
    pub items: usize,
    pub annotators: usize,
    pub classes: usize,
    pub labels: usize,
    /// Digest of the table, hexadecimal.
    pub digest: String,
}

/// What a method gives back; the caller of [`crate::AnyMethod::fit`] adds findings and provenance.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub truth: Truth,
    /// See [`Fit::uncalibrated`].
    pub uncalibrated: Option<Vec<f64>>,
    pub annotators: Annotators,
    pub class_prior: Option<Vec<f64>>,
    pub difficulty: Option<Vec<f64>>,
    pub diagnostics: Diagnostics,
    /// Findings that only the method can know.
    pub findings: Vec<Finding>,
}

impl Outcome {
    pub fn classes(k: usize, posterior: Vec<f64>, annotators: Annotators, diagnostics: Diagnostics) -> Self {
        Outcome {
            truth: Truth::Classes { k, posterior },
            uncalibrated: None,
            annotators,
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings: Vec::new(),
        }
    }

    /// Posterior rows and K, for categorical ones.
    pub fn posterior(&self) -> Option<(usize, &[f64])> {
        self.truth.posterior()
    }

    /// See [`Fit::model_posterior`].
    pub fn model_posterior(&self) -> Option<(usize, &[f64])> {
        let (k, p) = self.posterior()?;
        Some((k, self.uncalibrated.as_deref().unwrap_or(p)))
    }
}

impl Truth {
    /// Posterior rows and K, where the truth are classes.
    pub fn posterior(&self) -> Option<(usize, &[f64])> {
        match self {
            Truth::Classes { k, posterior } => Some((*k, posterior)),
            _ => None,
        }
    }
}

impl Fit {
    /// Posterior rows and K, for categorical fits.
    pub fn posterior(&self) -> Option<(usize, &[f64])> {
        self.truth.posterior()
    }

    /// The level of its intervals: that of the scores is a parameter of the method.
    pub fn interval_level(&self) -> f64 {
        let asked = self.provenance.params.get("level").and_then(Value::as_f64);
        asked.filter(|_| matches!(self.truth, Truth::Scores { .. })).unwrap_or(crate::stats::LEVEL)
    }

    /// Posterior rows and K as the model has them: what belongs together with its annotators. A calibrated posterior says
    /// how often the labels are right; counted into confusion matrices it would make every annotator look worse.
    pub fn model_posterior(&self) -> Option<(usize, &[f64])> {
        let (k, p) = self.posterior()?;
        Some((k, self.uncalibrated.as_deref().unwrap_or(p)))
    }
}

impl Annotators {
    /// All numbers of the model.
    pub(crate) fn numbers(&self) -> [&[f64]; 2] {
        match self {
            Annotators::None => [&[], &[]],
            Annotators::Weight { weight: x }
            | Annotators::Accuracy { accuracy: x, .. }
            | Annotators::ClassAccuracy { accuracy: x, .. }
            | Annotators::Confusion { matrix: x, .. }
            | Annotators::Ability { ability: x, .. } => [x, &[]],
            Annotators::Competence { competence, strategy, .. } => [competence, strategy],
            Annotators::Gaussian { bias, sd } => [bias, sd],
        }
    }

    /// Number of classes of the confusion matrices, where the model has them (or something that gives them).
    pub fn classes(&self) -> Option<usize> {
        match self {
            Annotators::Confusion { k, .. }
            | Annotators::Accuracy { k, .. }
            | Annotators::ClassAccuracy { k, .. }
            | Annotators::Ability { k, .. }
            | Annotators::Competence { k, .. } => Some(*k),
            Annotators::None | Annotators::Weight { .. } | Annotators::Gaussian { .. } => None,
        }
    }

    /// Confusion matrix of annotator `j`, K x K, row = truth, where the model has one.
    pub fn confusion(&self, j: usize) -> Option<Vec<f64>> {
        let k = self.classes()?;
        if let Annotators::Confusion { matrix, .. } = self {
            return Some(matrix[j * k * k..(j + 1) * k * k].to_vec());
        }
        let (mut out, mut column) = (vec![0.0; k * k], vec![0.0; k]);
        for l in 0..k {
            self.column(j, l, &mut column);
            out[l..].iter_mut().step_by(k).zip(&column).for_each(|(x, p)| *x = *p);
        }
        Some(out)
    }

    /// P(annotator `j` says `l` | truth) for every truth: a column of the confusion matrix without the rest of it.
    /// Even where the model has no matrix.
    pub fn column(&self, j: usize, l: usize, column: &mut [f64]) {
        let k = column.len();
        if k == 1 {
            column.fill(1.0); // whoever could only say one thing says it, whatever the model's accuracy is
            return;
        }
        let off = |p: f64| (1.0 - p) / (k - 1) as f64;
        match self {
            Annotators::Confusion { matrix, .. } => {
                let own = &matrix[j * k * k..(j + 1) * k * k];
                column.iter_mut().zip(own[l..].iter().step_by(k)).for_each(|(x, p)| *x = *p);
            }
            Annotators::ClassAccuracy { accuracy, .. } => {
                let own = &accuracy[j * k..(j + 1) * k];
                column.iter_mut().zip(own).for_each(|(x, p)| *x = off(*p));
                column[l] = own[l];
            }
            Annotators::Competence { competence, strategy, .. } => {
                column.fill((1.0 - competence[j]) * strategy[j * k + l]);
                column[l] += competence[j];
            }
            Annotators::Accuracy { .. } | Annotators::Ability { .. } => {
                let p = self.accuracy(j).unwrap_or(1.0 / k as f64);
                column.fill(off(p));
                column[l] = p;
            }
            Annotators::None | Annotators::Weight { .. } | Annotators::Gaussian { .. } => column.fill(1.0 / k as f64),
        }
    }

    /// P(right) of annotator `j` if all classes are equally frequent, where the model has confusion matrices.
    pub fn accuracy(&self, j: usize) -> Option<f64> {
        match self {
            Annotators::Accuracy { accuracy, .. } => Some(accuracy[j]),
            Annotators::ClassAccuracy { k, accuracy } => {
                Some(accuracy[j * k..(j + 1) * k].iter().sum::<f64>() / *k as f64)
            }
            Annotators::Ability { ability, typical_ease, .. } => Some(1.0 / (1.0 + (-ability[j] * typical_ease).exp())),
            Annotators::Competence { k, competence, .. } => Some(competence[j] + (1.0 - competence[j]) / *k as f64),
            Annotators::Confusion { k, matrix } => {
                let c = &matrix[j * k * k..(j + 1) * k * k];
                Some((0..*k).map(|a| c[a * k + a]).sum::<f64>() / *k as f64)
            }
            Annotators::None | Annotators::Weight { .. } | Annotators::Gaussian { .. } => None,
        }
    }

    /// The number by which the method itself ranks annotators (higher = better), where it has one.
    pub fn weight(&self, j: usize) -> Option<f64> {
        match self {
            Annotators::None => None,
            Annotators::Weight { weight } => Some(weight[j]),
            Annotators::Competence { competence, .. } => Some(competence[j]),
            Annotators::Ability { ability, .. } => Some(ability[j]),
            Annotators::Gaussian { sd, .. } => Some(1.0 / (sd[j] * sd[j])),
            Annotators::Accuracy { .. } | Annotators::ClassAccuracy { .. } | Annotators::Confusion { .. } => {
                self.accuracy(j)
            }
        }
    }

    /// Number of annotators modelled.
    pub fn len(&self) -> usize {
        match self {
            Annotators::None => 0,
            Annotators::Weight { weight: v }
            | Annotators::Accuracy { accuracy: v, .. }
            | Annotators::Competence { competence: v, .. }
            | Annotators::Ability { ability: v, .. }
            | Annotators::Gaussian { sd: v, .. } => v.len(),
            Annotators::ClassAccuracy { k, accuracy } => accuracy.len() / (*k).max(1),
            Annotators::Confusion { k, matrix } => matrix.len() / (k * k).max(1),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models() -> Vec<Annotators> {
        vec![
            Annotators::Accuracy { k: 3, accuracy: vec![0.7, 0.2] },
            Annotators::ClassAccuracy { k: 3, accuracy: vec![0.5, 0.6, 0.9, 1.0, 0.0, 0.4] },
            Annotators::Competence { k: 3, competence: vec![0.5, 0.1], strategy: vec![0.2, 0.3, 0.5, 1.0, 0.0, 0.0] },
            Annotators::Ability { k: 3, ability: vec![1.5, -0.5], typical_ease: 0.8 },
            Annotators::Confusion { k: 3, matrix: [0.6, 0.3, 0.1].repeat(6) },
        ]
    }

    #[test]
    fn columns_and_accuracies_are_those_of_the_matrix() {
        for a in models() {
            assert_eq!((a.len(), a.classes()), (2, Some(3)));
            for j in 0..2 {
                let c = a.confusion(j).unwrap();
                c.chunks_exact(3).for_each(|row| assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{a:?}"));
                let mut column = [0.0; 3];
                for l in 0..3 {
                    a.column(j, l, &mut column);
                    assert_eq!(column, [c[l], c[3 + l], c[6 + l]], "{a:?}");
                }
                assert!((a.accuracy(j).unwrap() - (c[0] + c[4] + c[8]) / 3.0).abs() < 1e-12, "{a:?}");
            }
        }
    }

    #[test]
    fn without_matrices_there_is_nothing_to_project() {
        let a = Annotators::Weight { weight: vec![2.0] };
        assert_eq!((a.confusion(0), a.accuracy(0), a.classes(), a.weight(0)), (None, None, None, Some(2.0)));
    }
}
