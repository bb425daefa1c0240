//! What a fit learned of annotators, as a start for a fit of more labels.

use crate::{Annotators, Fit, Table};

impl Fit {
    /// This fit as a start for `table`, whose annotators begin with those of the fit: further ones begin with the mean of the
    /// others. `None` if the classes are others, and nothing can be gone on with.
    pub fn start_for(&self, table: &Table) -> Option<Fit> {
        if self.provenance.classes != table.n_classes() || self.annotators.len() > table.n_annotators() {
            return None;
        }
        let mut fit = self.clone();
        fit.annotators.lengthen(table.n_annotators());
        // the posterior is of other items
        (fit.provenance.items, fit.difficulty) = (0, None);
        Some(fit)
    }
}

impl Annotators {
    /// Adds annotators who are like the mean of those that there are, until there are so many.
    pub fn lengthen(&mut self, n: usize) {
        match self {
            Annotators::None => {}
            Annotators::Weight { weight: v }
            | Annotators::Accuracy { accuracy: v, .. }
            | Annotators::Ability { ability: v, .. } => by_mean(v, 1, n),
            Annotators::ClassAccuracy { k, accuracy } => by_mean(accuracy, *k, n),
            Annotators::Confusion { k, matrix } => by_mean(matrix, *k * *k, n),
            Annotators::Competence { k, competence, strategy } => {
                by_mean(competence, 1, n);
                by_mean(strategy, *k, n);
            }
            Annotators::Gaussian { bias, sd } => {
                by_mean(bias, 1, n);
                by_mean(sd, 1, n);
            }
        }
    }
}

/// Lengthens a list of rows by their mean.
fn by_mean(values: &mut Vec<f64>, width: usize, rows: usize) {
    let old = values.len() / width.max(1);
    let mean: Vec<f64> =
        (0..width).map(|c| values.iter().skip(c).step_by(width).sum::<f64>() / old.max(1) as f64).collect();
    (old..rows).for_each(|_| values.extend_from_slice(&mean));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_new_is_like_the_mean() {
        let mut a = Annotators::Confusion { k: 2, matrix: vec![0.9, 0.1, 0.2, 0.8, 0.7, 0.3, 0.4, 0.6] };
        a.lengthen(3);
        let c = a.confusion(2).unwrap();
        assert!(c.iter().zip([0.8, 0.2, 0.3, 0.7]).all(|(a, b)| (a - b).abs() < 1e-12), "{c:?}");
        assert_eq!(a.len(), 3);
    }
}
