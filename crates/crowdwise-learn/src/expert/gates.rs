//! A gate per annotator: logistic regression of being right on the features, each annotator for itself.

use super::low_rank::firsts;
use super::turns::Expertise;
use super::words::{Experts, Form, seen};
use crate::{Labels, Matrix};
use crowdwise_core::Error;
use crowdwise_numerics::{Lbfgs, dot, logistic, soft_plus};
use rayon::prelude::*;

/// ln(P(right) / P(wrong)) to which the constant of a gate is pulled, and how strongly.
const START: f64 = 1.0;
const RIDGE: f64 = 0.1;

pub(super) struct Gates {
    /// Strength of the pull of the weights of features towards 0.
    ridge: f64,
    steps: usize,
    experts: Experts,
}

impl Gates {
    pub fn new(ridge: f64, steps: usize, k: usize, m: usize, d: usize) -> Result<Self, Error> {
        Form::Gate.check(k, m, d)?;
        let mut one = vec![0.0; d + 1];
        one[d] = START;
        Ok(Gates { ridge, steps, experts: Experts { form: Form::Gate, k, m, d, numbers: one.repeat(m) } })
    }
}

/// Minus the expected log-likelihood of being right (`right`) on the items with rows `z`, plus the pulls.
fn value(w: &[f64], z: &[f64], right: &[f64], ridge: f64, gradient: &mut [f64]) -> f64 {
    let (d, width) = (w.len() - 1, w.len());
    let pull = |c: usize| if c < d { (ridge, w[c]) } else { (RIDGE, w[c] - START) };
    let mut sum = 0.0;
    for (c, g) in gradient.iter_mut().enumerate() {
        let (r, away) = pull(c);
        *g = r * away;
        sum += 0.5 * r * away * away;
    }
    for (z, c) in z.chunks_exact(width).zip(right) {
        let s = dot(w, z);
        sum += soft_plus(s) - c * s;
        let by = logistic(s) - c;
        gradient.iter_mut().zip(z).for_each(|(g, z)| *g += by * z);
    }
    sum
}

impl Expertise for Gates {
    fn experts(&self) -> &Experts {
        &self.experts
    }

    fn learn(&mut self, x: &Matrix, labels: &Labels, items: &[u32], right: &[f64]) {
        // the labels of each annotator: item, place in `right`
        let mut own: Vec<Vec<(u32, usize)>> = vec![Vec::new(); labels.m];
        for (&i, first) in items.iter().zip(firsts(labels, items)) {
            labels.of(i as usize).enumerate().for_each(|(n, (j, _))| own[j].push((i, first + n)));
        }
        let (width, ridge) = (self.experts.d + 1, self.ridge);
        let search = Lbfgs { max_iter: self.steps, tol: 1e-6, history: 8 };
        self.experts.numbers.par_chunks_mut(width).zip(&own).filter(|(_, own)| !own.is_empty()).for_each(|(w, own)| {
            let (mut z, mut row, n) = (Vec::with_capacity(own.len() * width), Vec::new(), own.len() as f64);
            for (i, _) in own {
                seen(x.row(*i as usize), &mut row);
                z.extend_from_slice(&row);
            }
            let right: Vec<f64> = own.iter().map(|(_, at)| right[*at]).collect();
            // features of deviation 1 have a mean square of 1 / d in z
            let mut scale = vec![1.0 / (0.25 * n / (width - 1).max(1) as f64 + ridge + 1e-9); width];
            scale[width - 1] = 1.0 / (0.25 * n + RIDGE);
            let mut moved = w.to_vec();
            search.minimise(&mut moved, &scale, |w, g| value(w, &z, &right, ridge, g));
            w.copy_from_slice(&moved);
        });
    }

    fn restore(&mut self, numbers: &[f64]) {
        self.experts.numbers.copy_from_slice(numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::some_labels;
    use crowdwise_core::stream;
    use rand::RngExt;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let mut rng = stream(32, "gates", 0);
        let z: Vec<f64> = (0..8 * 4).map(|n| if n % 4 == 3 { 1.0 } else { rng.random_range(-1.0..1.0) }).collect();
        let right: Vec<f64> = (0..8).map(|_| rng.random()).collect();
        let w: Vec<f64> = (0..4).map(|_| rng.random_range(-1.0..1.0)).collect();
        let mut g = vec![0.0; 4];
        value(&w, &z, &right, 0.7, &mut g);
        for at in 0..4 {
            let shifted = |by: f64| {
                let mut w = w.clone();
                w[at] += by;
                value(&w, &z, &right, 0.7, &mut [0.0; 4])
            };
            let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((slope - g[at]).abs() < 1e-8, "{at}: {slope} for {}", g[at]);
        }
    }

    #[test]
    fn every_gate_is_at_its_own_optimum() {
        let (n, d) = (30, 3);
        let labels = some_labels(n, 5, 3);
        let items: Vec<u32> = (0..n as u32).collect();
        let mut rng = stream(33, "gates", 1);
        let x = Matrix::new(n, d, (0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect());
        let right: Vec<f64> = (0..labels.len()).map(|_| rng.random()).collect();
        let mut gates = Gates::new(0.5, 100, labels.k, labels.m, d).unwrap();
        gates.learn(&x, &labels, &items, &right);
        let first = firsts(&labels, &items);
        for j in 0..labels.m {
            let (mut z, mut own, mut row) = (Vec::new(), Vec::new(), Vec::new());
            for i in 0..n {
                for (at, _) in labels.of(i).enumerate().filter(|(_, (a, _))| *a == j) {
                    seen(x.row(i), &mut row);
                    z.extend_from_slice(&row);
                    own.push(right[first[i] + at]);
                }
            }
            let mut g = vec![0.0; d + 1];
            value(&gates.experts.numbers[j * (d + 1)..][..=d], &z, &own, 0.5, &mut g);
            assert!(g.iter().all(|g| g.abs() < 1e-4), "annotator {j}: {g:?}");
        }
    }
}
