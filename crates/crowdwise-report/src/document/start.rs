//! A kept fit as the start of another one.

use super::{AnnotatorEntry, FitDocument};
use crowdwise_core::{Annotators, Dataset, Diagnostics, Error, Fit, Provenance, Truth};
use std::collections::BTreeMap;

impl FitDocument<'_> {
    /// What the fit learned of annotators, as a start for a fit of `data`: annotators and classes are found by their names, and
    /// annotators that it does not know begin with the mean of the others. `file` is for messages.
    pub fn start(&self, data: &Dataset, file: &str) -> Result<Fit, Error> {
        let refuse = |what: String| Error::Unsupported { what, hint: Some("fit all answers at once".into()) };
        if data.table.kind() != self.kind {
            return Err(refuse(format!(
                "{file} is a fit of {} labels, but {} has {} ones",
                self.kind,
                data.source,
                data.table.kind()
            )));
        }
        let Some(labels) = data.table.categorical() else {
            return Err(refuse(format!(
                "{file} is a fit of {} labels: only fits of classes can be continued",
                self.kind
            )));
        };
        let old: BTreeMap<&str, usize> = self.class_names.iter().enumerate().map(|(c, n)| (n.as_str(), c)).collect();
        let place: Vec<usize> = labels.classes.iter().filter_map(|c| old.get(c).copied()).collect();
        let k = labels.k();
        if place.len() < k || self.class_names.len() != k {
            let new: Vec<&str> = labels.classes.iter().filter(|c| !old.contains_key(c)).collect();
            return Err(refuse(match new.first() {
                Some(c) => format!("{} has the class `{c}`, which {file} does not know", data.source),
                None => format!("{file} has classes that {} does not have", data.source),
            }));
        }
        let known: BTreeMap<&str, &AnnotatorEntry> =
            self.annotators.iter().map(|a| (a.annotator.as_str(), a)).collect();
        let matrices: BTreeMap<&str, Vec<f64>> =
            known.iter().filter_map(|(name, a)| Some((*name, in_order(a.confusion.as_ref()?, &place)))).collect();
        if matrices.is_empty() {
            return Err(refuse(format!(
                "{file} is a fit of {}, which has no confusion matrices to go on with",
                self.method
            )));
        }
        let n = matrices.len() as f64;
        let mean: Vec<f64> = (0..k * k).map(|x| matrices.values().map(|m| m[x]).sum::<f64>() / n).collect();
        let of = |name: &str| matrices.get(name).unwrap_or(&mean).clone();
        let matrix: Vec<f64> = data.table.annotators().iter().flat_map(of).collect();
        Ok(Fit {
            truth: Truth::Classes { k, posterior: Vec::new() },
            uncalibrated: None,
            annotators: Annotators::Confusion { k, matrix },
            class_prior: self.class_prior.as_ref().map(|p| place.iter().map(|&c| p[c]).collect()),
            difficulty: None,
            diagnostics: Diagnostics::direct(),
            findings: Vec::new(),
            provenance: Provenance {
                method: self.method.clone(),
                params: self.params.clone(),
                seed: self.seed,
                version: self.version.clone(),
                kind: self.kind,
                items: 0, // its posterior is of other items
                annotators: data.table.n_annotators(),
                classes: k,
                labels: self.data.labels,
                digest: self.digest.clone(),
            },
        })
    }
}

/// A matrix with its classes in another order.
fn in_order(matrix: &[Vec<f64>], place: &[usize]) -> Vec<f64> {
    place.iter().flat_map(|&t| place.iter().map(move |&l| matrix[t][l])).collect()
}
