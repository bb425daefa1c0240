//! The one result type.

use crate::{Finding, LabelKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a method found, in one shape for every method. Not converging is a marked result, not an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    pub truth: Truth,
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
    /// Estimate and its standard error per unit (NaN where unknown).
    Real { value: Vec<f64>, sd: Vec<f64> },
    /// Score per item with its interval; scores of different components are not comparable.
    Scores { score: Vec<f64>, interval: Vec<[f64; 2]>, component: Vec<u32> },
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
    MaxIter,
    Cancelled,
    /// The objective became infinite or not a number; the last finite state is returned.
    NotFinite,
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
            annotators,
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings: Vec::new(),
        }
    }
}

impl Fit {
    /// Posterior rows and K, for categorical fits.
    pub fn posterior(&self) -> Option<(usize, &[f64])> {
        match &self.truth {
            Truth::Classes { k, posterior } => Some((*k, posterior)),
            _ => None,
        }
    }
}

impl Annotators {
    /// Confusion matrix of annotator `j`, K x K, row = truth, where the model has one.
    pub fn confusion(&self, j: usize) -> Option<Vec<f64>> {
        let even = |k: usize, p: f64| {
            let off = if k > 1 { (1.0 - p) / (k - 1) as f64 } else { 0.0 };
            (0..k * k).map(|x| if x / k == x % k { p } else { off }).collect()
        };
        match self {
            Annotators::Confusion { k, matrix } => Some(matrix[j * k * k..(j + 1) * k * k].to_vec()),
            Annotators::Accuracy { k, accuracy } => Some(even(*k, accuracy[j])),
            Annotators::Ability { k, ability, typical_ease } => {
                Some(even(*k, 1.0 / (1.0 + (-ability[j] * typical_ease).exp())))
            }
            Annotators::Competence { k, competence, strategy } => {
                let (t, xi) = (competence[j], &strategy[j * k..(j + 1) * k]);
                Some((0..k * k).map(|x| (1.0 - t) * xi[x % k] + if x / k == x % k { t } else { 0.0 }).collect())
            }
            Annotators::None | Annotators::Weight { .. } | Annotators::Gaussian { .. } => None,
        }
    }

    /// The number by which the method itself ranks annotators (higher = better), where it has one.
    pub fn weight(&self, j: usize) -> Option<f64> {
        match self {
            Annotators::None => None,
            Annotators::Weight { weight } => Some(weight[j]),
            Annotators::Accuracy { accuracy, .. } => Some(accuracy[j]),
            Annotators::Competence { competence, .. } => Some(competence[j]),
            Annotators::Ability { ability, .. } => Some(ability[j]),
            Annotators::Gaussian { sd, .. } => Some(1.0 / (sd[j] * sd[j])),
            Annotators::Confusion { k, matrix } => {
                let c = &matrix[j * k * k..(j + 1) * k * k];
                Some((0..*k).map(|a| c[a * k + a]).sum::<f64>() / *k as f64)
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
            Annotators::Confusion { k, matrix } => matrix.len() / (k * k).max(1),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
