//! What dropout says of a classifier's own uncertainty.

use crate::{Mode, Probabilities};
use crowdwise_core::{Error, stats};

/// Class probabilities of networks drawn by dropout: their mean, and how far they agree.
#[derive(Clone, Debug, PartialEq)]
pub struct McDropout {
    /// Mean of the drawn probabilities.
    pub mean: Probabilities,
    /// Entropy of the mean in bits.
    pub entropy: Vec<f64>,
    /// Information in bits that the truth of the item would give about the classifier: the entropy of the mean less the
    /// mean of the entropies.
    pub bald: Vec<f64>,
}

impl McDropout {
    /// From what `rows` gives for `passes` draws, the first of them number `first`.
    pub(crate) fn draw(
        passes: usize,
        first: u64,
        mut rows: impl FnMut(Mode) -> Result<Probabilities, Error>,
    ) -> Result<McDropout, Error> {
        let passes = passes.max(1) as u64;
        let n = passes as f64;
        let mut mean: Option<Probabilities> = None;
        let mut inner = Vec::new();
        for pass in first..first + passes {
            let f = rows(Mode::Sample(pass))?;
            let sum = mean.get_or_insert_with(|| Probabilities { k: f.k, rows: vec![0.0; f.rows.len()] });
            inner.resize(f.len(), 0.0);
            sum.rows.iter_mut().zip(&f.rows).for_each(|(m, p)| *m += p / n);
            for (i, h) in inner.iter_mut().enumerate() {
                *h += stats::entropy_bits(f.row(i)) / n;
            }
        }
        let mean = mean.expect("at least one draw");
        let entropy: Vec<f64> = (0..mean.len()).map(|i| stats::entropy_bits(mean.row(i))).collect();
        let bald = entropy.iter().zip(&inner).map(|(h, i)| (h - i).max(0.0)).collect();
        Ok(McDropout { mean, entropy, bald })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_that_agree_know_what_they_do_not_know() {
        let same = |_| Ok(Probabilities { k: 2, rows: vec![0.5, 0.5, 0.9, 0.1] });
        let drawn = McDropout::draw(4, 0, same).unwrap();
        assert!((drawn.entropy[0] - 1.0).abs() < 1e-12 && drawn.bald.iter().all(|b| b.abs() < 1e-12), "{drawn:?}");
        // certain, and of two minds: all of the uncertainty is the classifier's own
        let torn = |mode| {
            let Mode::Sample(n) = mode else { panic!("draws only") };
            let p = f64::from(u8::from(n % 2 == 0));
            Ok(Probabilities { k: 2, rows: vec![p, 1.0 - p] })
        };
        let drawn = McDropout::draw(4, 6, torn).unwrap();
        assert!((drawn.bald[0] - 1.0).abs() < 1e-12 && drawn.mean.rows == [0.5, 0.5], "{drawn:?}");
    }
}
