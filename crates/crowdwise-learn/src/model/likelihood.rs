//! How well a model foretells labels.

use super::Model;
use crowdwise_core::{Annotators, Dataset, Error, stats};

/// Inside logarithms.
const FLOOR: f64 = 1e-12;

impl Model {
    /// Where each class of `data` is among the model's own.
    pub(crate) fn class_places(&self, data: &Dataset) -> Vec<Option<usize>> {
        let classes = data.table.categorical().expect("categorical labels").classes;
        classes.iter().map(|name| self.classes.iter().position(|c| c == name)).collect()
    }

    /// Log-likelihood of all labels of each of these items together, given the classifier's probabilities from the features and
    /// what annotators say of each class: on this item where the model knows that, otherwise as the fit has it.
    pub fn log_likelihoods(&self, data: &Dataset, items: &[u32], annotators: &Annotators) -> Result<Vec<f64>, Error> {
        let features = data
            .features
            .as_ref()
            .ok_or_else(|| Error::Unsupported { what: "a classifier needs features".into(), hint: None })?;
        let labels = data.table.categorical().expect("categorical labels");
        let (places, k) = (self.class_places(data), self.classes.len());
        let place = |name: &str| self.annotators.iter().position(|n| n == name);
        let who: Vec<Option<usize>> = data.table.annotators().iter().map(place).collect();
        let expertise = if self.has_expertise() { Some(self.expertise_of(features)?) } else { None };
        let f = match &expertise {
            Some(e) => e.probabilities().clone(),
            None => self.predict(features)?,
        };
        let matrices: Vec<Option<Vec<f64>>> =
            if expertise.is_some() { Vec::new() } else { (0..who.len()).map(|j| annotators.confusion(j)).collect() };
        // the fit has its matrices in the order of the classes of the data
        let to_data: Vec<usize> =
            (0..k).map(|c| places.iter().position(|p| *p == Some(c)).unwrap_or(places.len())).collect();
        let one = |&i: &u32| {
            let i = i as usize;
            let mut row: Vec<f64> = f.row(i).iter().map(|p| p.max(FLOOR).ln()).collect();
            for r in data.table.rows(i) {
                let (j, l) = (data.table.annotator()[r] as usize, labels.codes.get(r));
                let (own, known) = match (&expertise, who[j], places[l]) {
                    (Some(e), Some(own), Some(said)) => (Some((e.confusion(i, own), said)), true),
                    (Some(_), ..) => (None, false),
                    (None, ..) => (None, matrices[j].is_some()),
                };
                for (c, x) in row.iter_mut().enumerate() {
                    let p = match &own {
                        Some((matrix, said)) => matrix[c * k + said],
                        None if known => {
                            let matrix = matrices[j].as_ref().expect("known");
                            let width = matrix.len().isqrt();
                            matrix.get(to_data[c] * width + l).copied().unwrap_or(0.0)
                        }
                        // nothing is known of who never answered: even odds
                        None => 1.0 / k as f64,
                    };
                    *x += p.max(FLOOR).ln();
                }
            }
            stats::softmax(&mut row)
        };
        Ok(items.iter().map(one).collect())
    }
}
