//! What is believed of an annotator before any label is seen: the parameters that mean field and belief propagation share.

use crowdwise_core::{Categorical, Error, Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an annotator is to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnnotatorModel {
    /// One accuracy with a Beta prior, errors spread evenly.
    OneCoin,
    /// A confusion matrix whose rows have independent Dirichlet priors.
    Rows,
    /// One of the kinds of annotator in `atoms`.
    Discrete,
}

/// Numbers by class and class: outer = truth, inner = label.
pub type ByClass = BTreeMap<String, BTreeMap<String, f64>>;

/// A kind of annotator that may occur.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Atom {
    /// How many annotators are of this kind, relative to the other kinds.
    pub weight: f64,
    /// P(right), errors spread evenly.
    pub accuracy: Option<f64>,
    /// Or P(says l | truth k) by class names.
    pub confusion: ByClass,
}

/// Probabilities are kept this far from 0: an annotator who cannot err would turn one slip into a contradiction.
pub(super) const FLOOR: f64 = 1e-100;

/// The parameters as they stand in a method.
pub(super) struct Given<'a> {
    pub model: AnnotatorModel,
    pub alpha: f64,
    pub beta: f64,
    pub rows: &'a ByClass,
    pub atoms: &'a [Atom],
}

/// The same for the classes of a table.
#[derive(Clone, Debug)]
pub(super) enum Prior {
    /// Accuracy ~ Beta(a, b).
    Coin { a: f64, b: f64 },
    /// Row k of the confusion matrix ~ Dirichlet(shape[k]); K x K, row = truth.
    Rows { shape: Vec<f64> },
    /// One of these accuracies; weights sum to 1.
    Coins { weight: Vec<f64>, accuracy: Vec<f64> },
    /// One of these matrices, kinds x truth x label.
    Matrices { weight: Vec<f64>, theta: Vec<f64> },
}

impl Given<'_> {
    pub fn check(&self, p: &mut Problems) {
        p.within("alpha", self.alpha, 1e-3, 1e9);
        p.within("beta", self.beta, 1e-3, 1e9);
        if self.model != AnnotatorModel::Rows {
            p.require(self.rows.is_empty(), "rows", "given", "left out unless model is rows");
        }
        for (truth, row) in self.rows {
            for (label, &x) in row {
                let good = (1e-3..=1e9).contains(&x);
                p.require(good, "rows", format!("{x} for `{truth}` said as `{label}`"), "from 0.001 to 1e9");
            }
        }
        if self.model != AnnotatorModel::Discrete {
            p.require(self.atoms.is_empty(), "atoms", "given", "left out unless model is discrete");
            return;
        }
        p.require(!self.atoms.is_empty(), "atoms", "empty", "given when model is discrete");
        for (n, a) in self.atoms.iter().enumerate() {
            let named = |what: &str| format!("{what} in kind {}", n + 1);
            let good = a.weight > 0.0 && a.weight.is_finite();
            p.require(good, "atoms", named(&format!("weight {}", a.weight)), "of weights greater than 0");
            p.require(
                a.accuracy.is_some() == a.confusion.is_empty(),
                "atoms",
                named(if a.accuracy.is_some() { "accuracy and confusion" } else { "neither accuracy nor confusion" }),
                "of kinds with one of the two",
            );
            if let Some(x) = a.accuracy {
                let good = (0.0..=1.0).contains(&x);
                p.require(good, "atoms", named(&format!("accuracy {x}")), "of accuracies from 0 to 1");
            }
        }
    }

    /// The prior for the classes of `labels`; every class that is named must exist, and every row be complete.
    pub fn resolve(&self, labels: &Categorical<'_>) -> Result<Prior, Error> {
        let k = labels.k();
        match self.model {
            AnnotatorModel::OneCoin => Ok(Prior::Coin { a: self.alpha, b: self.beta }),
            AnnotatorModel::Rows if self.rows.is_empty() => {
                let off = self.beta / (k.max(2) - 1) as f64;
                Ok(Prior::Rows { shape: (0..k * k).map(|x| if x / k == x % k { self.alpha } else { off }).collect() })
            }
            AnnotatorModel::Rows => {
                let mut p = Problems::default();
                let shape = matrix(self.rows, labels, "rows", &mut p);
                Error::all(p.0)?;
                Ok(Prior::Rows { shape })
            }
            AnnotatorModel::Discrete => {
                let total: f64 = self.atoms.iter().map(|a| a.weight).sum();
                let weight = self.atoms.iter().map(|a| a.weight / total).collect();
                if let Some(accuracy) = self.atoms.iter().map(|a| a.accuracy).collect() {
                    return Ok(Prior::Coins { weight, accuracy });
                }
                let mut p = Problems::default();
                let mut theta = Vec::with_capacity(self.atoms.len() * k * k);
                for a in self.atoms {
                    if let Some(x) = a.accuracy {
                        let off = (1.0 - x) / (k.max(2) - 1) as f64;
                        theta.extend((0..k * k).map(|c| if c / k == c % k { x } else { off }));
                        continue;
                    }
                    let mut m = matrix(&a.confusion, labels, "atoms", &mut p);
                    for row in m.chunks_exact_mut(k) {
                        let sum: f64 = row.iter().sum();
                        let fair = row.iter().all(|x| *x >= 0.0) && sum > 0.0 && sum.is_finite();
                        p.require(fair, "atoms", format!("a row {row:?}"), "of rows of probabilities");
                        row.iter_mut().for_each(|x| *x /= sum);
                    }
                    theta.extend(m);
                }
                Error::all(p.0)?;
                theta.iter_mut().for_each(|x| *x = x.max(FLOOR));
                Ok(Prior::Matrices { weight, theta })
            }
        }
    }
}

/// K x K numbers by class names, complete.
fn matrix(given: &ByClass, labels: &Categorical<'_>, name: &str, p: &mut Problems) -> Vec<f64> {
    let known = |c: &str| labels.classes.iter().any(|x| x == c);
    for (truth, row) in given {
        for c in std::iter::once(truth).chain(row.keys()) {
            p.require(known(c), name, format!("given for `{c}`"), "given for classes of the data only");
        }
    }
    let mut out = Vec::with_capacity(labels.k() * labels.k());
    for truth in labels.classes.iter() {
        for label in labels.classes.iter() {
            let found = given.get(truth).and_then(|r| r.get(label)).copied();
            let value = format!("missing for `{truth}` said as `{label}`");
            p.require(found.is_some(), name, value, "given for every pair of classes");
            out.push(found.unwrap_or(1.0));
        }
    }
    out
}
