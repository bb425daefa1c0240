//! Kinds of annotators: biases and noises on a grid, and guessers. An annotator is a mixture of kinds, weighed by its labels
//! and by how frequent each kind is among all annotators, so that nobody has a parameter that could run away.

use super::scale::Reading;
use crowdwise_core::stats::softmax;

/// Biases and log noises of the grid, in standard deviations.
const BIASES: [f64; 7] = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
const NOISES: [f64; 7] = [-2.0, -4.0 / 3.0, -2.0 / 3.0, 0.0, 2.0 / 3.0, 4.0 / 3.0, 2.0];

/// Noise in the middle of the grid, in grades of a scale of five.
const NOISE: f64 = 0.7;

/// Share of slips of the careless half of the kinds.
const CARELESS: f64 = 0.25;

/// Share of annotators that are thought to guess, before the labels are seen.
const GUESSERS: f64 = 0.1;

/// What a guesser says besides its habit.
const STRAY: f64 = 0.1;

/// The shape of the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub slip: f64,
    pub bias_sd: f64,
    pub noise_sd: f64,
}

pub(super) struct Kinds {
    k: usize,
    /// Bias and logarithm of the noise; `None` for guessers.
    pub reading: Vec<Option<(f64, f64)>>,
    /// How frequent each kind is thought to be before the labels are seen.
    pub base: Vec<f64>,
    /// Logarithms of P(label | grade): label x kind x grade.
    ln: Vec<f64>,
}

impl Kinds {
    /// `shares`: how often each label occurs, which is what a guesser may follow.
    pub fn new(k: usize, s: Spread, shares: &[f64]) -> Kinds {
        // errors grow with the length of the scale: five grades are the measure
        let unit = ((k - 1) as f64 / 4.0).max(1.0);
        let (mut reading, mut base, mut tables) = (Vec::new(), Vec::new(), Vec::new());
        for b in BIASES {
            for n in NOISES {
                let (bias, noise) = (unit * s.bias_sd * b, unit * NOISE * (s.noise_sd * n).exp());
                for slip in [s.slip, CARELESS.max(s.slip)] {
                    let r = Reading { bias, noise, slip };
                    reading.push(Some((bias, noise.ln())));
                    base.push((-0.5 * (b * b + n * n)).exp());
                    tables.extend((0..k * k).map(|x| r.probability(k, x % k, x / k)));
                }
            }
        }
        let sum: f64 = base.iter().sum();
        base.iter_mut().for_each(|w| *w *= (1.0 - GUESSERS) / sum);
        // one follows the shares of the labels, the others always say the same
        for habit in 0..=k {
            reading.push(None);
            base.push(GUESSERS / (k + 1) as f64);
            let says = |l: usize| if habit == k { shares[l] } else { f64::from(u8::from(l == habit)) };
            tables.extend((0..k * k).map(|x| (1.0 - STRAY) * says(x / k) + STRAY / k as f64));
        }
        let n = base.len();
        let mut ln = vec![0.0; n * k * k];
        for (g, table) in tables.chunks_exact(k * k).enumerate() {
            for (l, row) in table.chunks_exact(k).enumerate() {
                row.iter().enumerate().for_each(|(t, p)| ln[(l * n + g) * k + t] = p.max(1e-12).ln());
            }
        }
        Kinds { k, reading, base, ln }
    }

    pub fn len(&self) -> usize {
        self.base.len()
    }

    /// Logarithms of P(label | grade), kind after kind.
    fn rows(&self, l: usize) -> impl Iterator<Item = &[f64]> {
        self.ln[l * self.len() * self.k..][..self.len() * self.k].chunks_exact(self.k)
    }

    /// Labels with counts, and the counts.
    fn given<'a>(&self, counts: &'a [f64]) -> impl Iterator<Item = (usize, &'a [f64])> {
        counts.chunks_exact(self.k).enumerate().filter(|(_, row)| row.iter().any(|&c| c > 0.0))
    }

    /// How much an annotator with these expected counts (label x grade) is of every kind.
    pub fn weigh(&self, counts: &[f64], ln_share: &[f64], weights: &mut Vec<f64>) {
        weights.clear();
        weights.extend_from_slice(ln_share);
        for (l, row) in self.given(counts) {
            for (w, ln) in weights.iter_mut().zip(self.rows(l)) {
                *w += row.iter().zip(ln).map(|(c, x)| c * x).sum::<f64>();
            }
        }
        softmax(weights);
    }

    /// Exponentials of expected logarithms into the rows of `table` for labels that the annotator used; nobody reads the
    /// others.
    pub fn expected(&self, counts: &[f64], weights: &[f64], table: &mut [f64]) {
        for (l, _) in self.given(counts) {
            let out = &mut table[l * self.k..][..self.k];
            out.fill(0.0);
            for (w, ln) in weights.iter().zip(self.rows(l)).filter(|(w, _)| **w > 0.0) {
                out.iter_mut().zip(ln).for_each(|(o, x)| *o += w * x);
            }
            out.iter_mut().for_each(|x| *x = x.exp());
        }
    }

    /// Mean probabilities, label x grade.
    pub fn mean(&self, weights: &[f64], table: &mut [f64]) {
        for (l, out) in table.chunks_exact_mut(self.k).enumerate() {
            out.fill(0.0);
            for (w, ln) in weights.iter().zip(self.rows(l)).filter(|(w, _)| **w > 0.0) {
                out.iter_mut().zip(ln).for_each(|(o, x)| *o += w * x.exp());
            }
        }
    }

    /// Mean bias, mean log noise and the chance that this annotator guesses; the first two as if it did not.
    pub fn describe(&self, weights: &[f64]) -> [f64; 3] {
        let (mut sum, mut bias, mut noise) = (0.0, 0.0, 0.0);
        for (w, r) in weights.iter().zip(&self.reading) {
            if let Some((b, n)) = r {
                // far from 0 even for somebody who surely guesses
                let w = w + 1e-12;
                sum += w;
                bias += w * b;
                noise += w * n;
            }
        }
        let guesses: f64 = weights.iter().zip(&self.reading).filter(|(_, r)| r.is_none()).map(|(w, _)| w).sum();
        [bias / sum, noise / sum, guesses.clamp(0.0, 1.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPREAD: Spread = Spread { slip: 0.02, bias_sd: 0.5, noise_sd: 0.7 };

    #[test]
    fn every_kind_is_a_distribution() {
        for k in [2, 5, 12] {
            let kinds = Kinds::new(k, SPREAD, &vec![1.0 / k as f64; k]);
            assert!((kinds.base.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for g in 0..kinds.len() {
                for t in 0..k {
                    let sum: f64 = (0..k).map(|l| kinds.ln[(l * kinds.len() + g) * k + t].exp()).sum();
                    assert!((sum - 1.0).abs() < 1e-9, "{k} {g} {t}: {sum}");
                }
            }
        }
    }

    /// Labels one grade too high say so; a constant annotator is a guesser; nothing said leaves what was thought before.
    #[test]
    fn labels_tell_the_kind() {
        let kinds = Kinds::new(5, SPREAD, &[0.2; 5]);
        let ln: Vec<f64> = kinds.base.iter().map(|b| b.ln()).collect();
        let mut w = Vec::new();
        let mut high = vec![0.0; 25];
        (0..4).for_each(|t| high[(t + 1) * 5 + t] = 10.0);
        kinds.weigh(&high, &ln, &mut w);
        let [bias, _, guesses] = kinds.describe(&w);
        assert!(bias > 0.8 && guesses < 0.01, "{bias} {guesses}");
        let mut constant = vec![0.0; 25];
        (0..5).for_each(|t| constant[2 * 5 + t] = 10.0);
        kinds.weigh(&constant, &ln, &mut w);
        assert!(kinds.describe(&w)[2] > 0.99);
        kinds.weigh(&[0.0; 25], &ln, &mut w);
        w.iter().zip(&kinds.base).for_each(|(w, b)| assert!((w - b).abs() < 1e-12));
    }
}
