//! Small changes of features that make a classifier wrong (projected gradient descent).

use crate::{Classifier, Matrix, Mode, Probabilities};
use crowdwise_core::Error;
use rand::{Rng, RngExt};

/// How far and in how many steps features are changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attack {
    /// Largest change of a feature, as the network sees it.
    pub epsilon: f64,
    pub steps: usize,
}

impl Attack {
    /// One step covers the whole way; several may turn round.
    fn length(self) -> f32 {
        (if self.steps <= 1 { self.epsilon } else { self.epsilon / 4.0 }) as f32
    }

    /// Moves the rows of `x` to where the cross-entropy with their targets is larger: from a random point not farther than
    /// `epsilon`, step by step along the sign of the slope, never farther, and never out of the range that `ranges` gives for
    /// each feature. The classifier stands still.
    pub fn perturb<'t>(
        self,
        net: &mut dyn Classifier,
        x: &mut Matrix,
        target: impl Fn(usize) -> &'t [f64],
        ranges: &[(f32, f32)],
        rng: &mut impl Rng,
    ) -> Result<(), Error> {
        if self.epsilon == 0.0 || x.values.is_empty() {
            return Ok(());
        }
        let (clean, eps, step) = (x.clone(), self.epsilon as f32, self.length());
        let within = |at: usize, x: f32| {
            let ((low, high), was) = (ranges[at % clean.cols], clean.values[at]);
            // a row that was out of the range already is not pulled into it
            x.clamp(was - eps, was + eps).clamp(low.min(was), high.max(was))
        };
        for at in 0..x.values.len() {
            x.values[at] = within(at, clean.values[at] + rng.random_range(-eps..=eps));
        }
        for _ in 0..self.steps {
            let f = Probabilities::of(&net.forward(x, Mode::Eval)?);
            let mut d = Matrix::zeros(f.len(), f.k);
            for (b, row) in d.values.chunks_exact_mut(f.k).enumerate() {
                row.iter_mut().zip(f.row(b)).zip(target(b)).for_each(|((d, f), t)| *d = (f - t) as f32);
            }
            let slope = net.input_gradient(&d)?;
            for (at, s) in slope.values.iter().enumerate().filter(|(_, s)| **s != 0.0) {
                x.values[at] = within(at, x.values[at] + step * s.signum());
            }
        }
        Ok(())
    }
}

/// Smallest and largest value of every feature.
pub(crate) fn ranges(x: &Matrix) -> Vec<(f32, f32)> {
    let mut out = vec![(f32::INFINITY, f32::NEG_INFINITY); x.cols];
    for row in x.values.chunks_exact(x.cols.max(1)) {
        out.iter_mut().zip(row).for_each(|(r, x)| *r = (r.0.min(*x), r.1.max(*x)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Architecture, Network, Optimiser, OptimiserKind};
    use crowdwise_core::stream;

    #[test]
    fn an_attack_raises_the_loss_and_keeps_its_bounds() {
        let (n, d, k) = (40, 6, 3);
        let mut rng = stream(41, "attack", 0);
        let x = Matrix::new(n, d, (0..n * d).map(|_| rng.random_range(0.0..1.0)).collect());
        let optimiser = Optimiser::new(OptimiserKind::Sgd, 0.0, 0.0);
        let mut net = Network::new(Architecture::mlp(d, &[8], k, 0.5, false), optimiser, 3);
        let before = net.snapshot().unwrap();
        let f = Probabilities::of(&net.forward(&x, Mode::Eval).unwrap());
        // the network's own answers as truth
        let target: Vec<f64> = (0..n)
            .flat_map(|i| {
                (0..k).map(|c| f64::from(u8::from(c == crowdwise_core::stats::argmax(f.row(i))))).collect::<Vec<_>>()
            })
            .collect();
        let row = |b: usize| &target[b * k..(b + 1) * k];
        let loss = |net: &mut Network, x: &Matrix| {
            let f = Probabilities::of(&net.forward(x, Mode::Eval).unwrap());
            -f.rows.iter().zip(&target).map(|(f, t)| t * f.ln()).sum::<f64>()
        };
        let bounds = ranges(&x);
        let clean = loss(&mut net, &x);
        let mut losses = vec![clean];
        for (epsilon, steps) in [(0.05, 7), (0.2, 7), (0.2, 1)] {
            let mut moved = x.clone();
            Attack { epsilon, steps }.perturb(&mut net, &mut moved, row, &bounds, &mut stream(1, "a", 0)).unwrap();
            for (at, (a, b)) in moved.values.iter().zip(&x.values).enumerate() {
                let (low, high) = bounds[at % d];
                assert!((a - b).abs() <= epsilon as f32 + 1e-6 && (low..=high).contains(a), "{at}: {b} to {a}");
            }
            losses.push(loss(&mut net, &moved));
        }
        assert!(losses[1] > losses[0] && losses[2] > losses[1] && losses[3] > losses[0], "{losses:?}");
        assert!(losses[2] >= losses[3] - 1e-3, "seven steps are not worse than one: {losses:?}");
        assert_eq!(net.snapshot().unwrap(), before, "the classifier stands still");
        let mut same = x.clone();
        Attack { epsilon: 0.0, steps: 7 }.perturb(&mut net, &mut same, row, &bounds, &mut rng).unwrap();
        assert_eq!(same, x);
    }
}
