//! A linear-chain conditional random field: weights of features by class, of starts and of steps.

use super::hmm::{Counts, Weights, forward_backward};
use super::sequence::Sequences;
use crowdwise_core::Features;
use crowdwise_numerics::Lbfgs;
use rayon::prelude::*;

/// What the field is trained towards: expected classes of tokens (units x K), of starts and of steps, over the sequences
/// whose mark in `used` is set.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    pub used: Vec<bool>,
    pub token: Vec<f64>,
    pub start: Vec<f64>,
    pub step: Vec<f64>,
}

/// The field and the data that it sees.
#[derive(Debug)]
pub(crate) struct Field<'a> {
    pub k: usize,
    pub features: &'a Features,
    pub sequences: &'a Sequences,
    /// Weight of half the sum of squares.
    pub ridge: f64,
    /// (features + 1) x K, then K x K steps (row = from), then K starts.
    pub theta: Vec<f64>,
}

impl<'a> Field<'a> {
    pub fn new(k: usize, features: &'a Features, sequences: &'a Sequences, ridge: f64) -> Field<'a> {
        Field { k, features, sequences, ridge, theta: vec![0.0; (features.dim + 1) * k + k * k + k] }
    }

    fn parts<'t>(&self, theta: &'t [f64]) -> (&'t [f64], &'t [f64], &'t [f64]) {
        let (w, rest) = theta.split_at((self.features.dim + 1) * self.k);
        let (step, start) = rest.split_at(self.k * self.k);
        (w, step, start)
    }

    /// Log-weights of starts and of steps.
    pub fn weights(&self) -> (&[f64], &[f64]) {
        let (_, step, start) = self.parts(&self.theta);
        (start, step)
    }

    /// Log-emissions of the units; zeros among the features cost nothing.
    fn score(&self, theta: &[f64], units: std::ops::Range<usize>, rows: &mut [f64]) {
        let k = self.k;
        let bias = &theta[self.features.dim * k..(self.features.dim + 1) * k];
        for (row, u) in rows.chunks_exact_mut(k).zip(units) {
            row.copy_from_slice(bias);
            for (c, &x) in self.features.row(u).iter().enumerate().filter(|x| *x.1 != 0.0) {
                row.iter_mut().zip(&theta[c * k..(c + 1) * k]).for_each(|(r, w)| *r += x as f64 * w);
            }
        }
    }

    pub fn emissions(&self, units: std::ops::Range<usize>, rows: &mut [f64]) {
        self.score(&self.theta, units, rows);
    }

    /// Probabilities of all tokens by the field alone, and the log-normaliser of every sequence.
    pub fn expect(&self) -> (Vec<f64>, Vec<f64>) {
        let k = self.k;
        let (_, step, start) = self.parts(&self.theta);
        let weights = exponentials(start, step);
        let parts: Vec<(Vec<f64>, Vec<f64>)> = (0..self.sequences.n_blocks())
            .into_par_iter()
            .map(|b| {
                let (mut all, mut normalisers, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
                for tokens in self.sequences.of_block(b) {
                    let mut rows = vec![0.0; tokens.len() * k];
                    self.score(&self.theta, tokens, &mut rows);
                    let mut counts = Counts::new(k);
                    forward_backward(&weights, &mut rows, &mut counts, &mut scratch);
                    normalisers.push(counts.log_z);
                    all.extend(rows);
                }
                (all, normalisers)
            })
            .collect();
        parts.into_iter().fold((Vec::new(), Vec::new()), |mut sum, part| {
            sum.0.extend(part.0);
            sum.1.extend(part.1);
            sum
        })
    }

    /// Minus the penalised log-likelihood of the targets, and its gradient.
    pub fn loss(&self, theta: &[f64], t: &Targets, gradient: &mut [f64]) -> f64 {
        let k = self.k;
        let (_, step, start) = self.parts(theta);
        let weights = exponentials(start, step);
        let dim = self.features.dim;
        let parts: Vec<(f64, Counts, Vec<f64>)> = (0..self.sequences.n_blocks())
            .into_par_iter()
            .map(|b| {
                let (mut value, mut counts, mut scratch) = (0.0, Counts::new(k), Vec::new());
                let mut slope = vec![0.0; (dim + 1) * k];
                let first = self.sequences.blocks[b];
                for (c, tokens) in self.sequences.of_block(b).enumerate() {
                    if !t.used[first + c] {
                        continue;
                    }
                    let mut rows = vec![0.0; tokens.len() * k];
                    self.score(theta, tokens.clone(), &mut rows);
                    let target = &t.token[tokens.start * k..tokens.end * k];
                    value += target.iter().zip(&rows).map(|(p, s)| p * s).sum::<f64>();
                    forward_backward(&weights, &mut rows, &mut counts, &mut scratch);
                    rows.iter_mut().zip(target).for_each(|(g, p)| *g -= p);
                    for (row, u) in rows.chunks_exact(k).zip(tokens) {
                        let ones = [(dim, &1.0f32)];
                        let own = self.features.row(u).iter().enumerate().filter(|x| *x.1 != 0.0);
                        for (f, &x) in own.chain(ones) {
                            slope[f * k..(f + 1) * k].iter_mut().zip(row).for_each(|(s, g)| *s += x as f64 * g);
                        }
                    }
                }
                (value, counts, slope)
            })
            .collect();
        let mut counts = Counts::new(k);
        let mut value = 0.0;
        gradient.fill(0.0);
        for (v, c, slope) in &parts {
            value += v;
            counts.add(c);
            gradient.iter_mut().zip(slope).for_each(|(g, s)| *g += s);
        }
        value += t.step.iter().zip(step).map(|(p, s)| p * s).sum::<f64>();
        value += t.start.iter().zip(start).map(|(p, s)| p * s).sum::<f64>();
        let at = (dim + 1) * k;
        (0..k * k).for_each(|c| gradient[at + c] = counts.step[c] - t.step[c]);
        (0..k).for_each(|c| gradient[at + k * k + c] = counts.start[c] - t.start[c]);
        gradient.iter_mut().zip(theta).for_each(|(g, x)| *g += self.ridge * x);
        counts.log_z - value + 0.5 * self.ridge * theta.iter().map(|x| x * x).sum::<f64>()
    }

    /// Trains from where it stands; minus the loss that it reached.
    pub fn train(&mut self, t: &Targets, max_iter: usize, tol: f64) -> f64 {
        let mut theta = std::mem::take(&mut self.theta);
        // the curvature of a weight is at most the number of tokens
        let tokens = t.token.iter().sum::<f64>().max(1.0);
        let scale = vec![1.0 / (self.ridge + 0.05 * tokens); theta.len()];
        let search = Lbfgs { max_iter, tol: tol / tokens, history: 10 };
        let found = search.minimise(&mut theta, &scale, |x, g| self.loss(x, t, g));
        self.theta = theta;
        -found.value
    }
}

fn exponentials(start: &[f64], step: &[f64]) -> Weights {
    let exp = |x: &[f64]| x.iter().map(|w| w.min(200.0).exp()).collect();
    Weights::new(exp(start), exp(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let mut rng = stream(4, "crf", 0);
        let (k, d, n) = (3, 4, 12);
        let x = Features { dim: d, values: (0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect(), image: None };
        let sequences = Sequences { starts: vec![0, 5, 6, 12], blocks: vec![0, 2, 3] };
        let mut t = Targets {
            used: vec![true, false, true],
            token: vec![0.0; n * k],
            start: vec![0.0; k],
            step: vec![0.0; k * k],
        };
        for (a, b) in [(0, 5), (6, 12)] {
            let path: Vec<usize> = (a..b).map(|_| rng.random_range(0..k)).collect();
            t.start[path[0]] += 1.0;
            path.windows(2).for_each(|w| t.step[w[0] * k + w[1]] += 1.0);
            path.iter().enumerate().for_each(|(i, z)| t.token[(a + i) * k + z] = 1.0);
        }
        let field = Field::new(k, &x, &sequences, 0.3);
        let theta: Vec<f64> = field.theta.iter().map(|_| rng.random_range(-0.5..0.5)).collect();
        let mut gradient = vec![0.0; theta.len()];
        field.loss(&theta, &t, &mut gradient);
        let mut unused = gradient.clone();
        for c in 0..theta.len() {
            let mut at = |h: f64| {
                let mut moved = theta.clone();
                moved[c] += h;
                field.loss(&moved, &t, &mut unused)
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((slope - gradient[c]).abs() < 1e-7, "{c}: {slope} and {}", gradient[c]);
        }
    }
}
