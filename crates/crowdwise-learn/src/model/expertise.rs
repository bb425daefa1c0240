//! Who knows what: how often an annotator is right on an item, for models in which that depends on the item.

use super::Model;
use crate::Probabilities;
use crate::expert::words::Experts;
use crowdwise_core::{Error, Features};

/// P(annotator is right) on some items, for every annotator of a model: whom to ask about which. What annotators share is
/// worked out once for each item.
#[derive(Clone, Debug)]
pub struct ExpertiseOf<'a> {
    experts: &'a Experts,
    looks: Vec<Vec<f64>>,
    f: Probabilities,
}

impl ExpertiseOf<'_> {
    /// Annotators, numbered as in [`Model::annotators`].
    pub fn annotators(&self) -> usize {
        self.experts.m
    }

    /// Rows of features.
    pub fn items(&self) -> usize {
        self.looks.len()
    }

    /// P(annotator `j` is right on item `i`).
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.experts.right_at(&self.looks[i], j, self.f.row(i))
    }

    /// P(annotator `j` says l | truth k) on item `i`, truth x label.
    pub fn confusion(&self, i: usize, j: usize) -> Vec<f64> {
        self.experts.matrix(&self.looks[i], j)
    }

    /// The classifier's own probabilities of these items.
    pub fn probabilities(&self) -> &Probabilities {
        &self.f
    }
}

impl Model {
    /// Whether how often an annotator is right depends on the item.
    pub fn has_expertise(&self) -> bool {
        self.heard.experts.is_some()
    }

    /// How often every annotator is right on these items; an error where that does not depend on the item.
    pub fn expertise_of(&self, features: &Features) -> Result<ExpertiseOf<'_>, Error> {
        let experts = self.heard.experts.as_ref().ok_or_else(|| Error::Unsupported {
            what: format!(
                "a model of `{}` knows no expertise: its annotators are as good on one item as on another",
                self.method
            ),
            hint: Some("train with ⟦-m dlc⟧ or ⟦-m instance-confusion⟧".into()),
        })?;
        let x = self.scaler.apply(features)?;
        let f = self.rows(&mut self.network()?, &x, crate::Mode::Eval)?;
        let looks = (0..x.rows).map(|i| experts.look(x.row(i))).collect();
        Ok(ExpertiseOf { experts, looks, f })
    }

    /// P(annotator is right) on new items, where that depends on the item. Annotators are numbered as in `annotators`.
    pub fn expertise(&self, features: &Features, annotator: usize) -> Result<Option<Vec<f64>>, Error> {
        if self.heard.experts.as_ref().is_none_or(|e| annotator >= e.m) {
            return Ok(None);
        }
        let of = self.expertise_of(features)?;
        Ok(Some((0..of.items()).map(|i| of.at(i, annotator)).collect()))
    }
}
