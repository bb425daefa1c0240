//! Confusion matrices that depend on the item, learned together with the network by the likelihood of the labels.

use super::words::{Experts, Form, seen};
use crate::layer::unit;
use crate::learn::Learner;
use crate::objective::{Batch, Objective, Outputs, Probabilities, add_gold};
use crate::rows::AnnotatorRows;
use crate::train::Task;
use crate::{Labels, Matrix};
use crowdwise_core::{Error, stream};
use crowdwise_numerics::dot;
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;

/// Inside logarithms and quotients.
const FLOOR: f64 = 1e-12;

/// How free the heads are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freedom {
    pub rank: usize,
    /// Strength of the pull of the dependence on the item towards 0.
    pub ridge: f64,
    /// Weight of the mean trace.
    pub trace: f64,
    /// Free number on the diagonal at the start.
    pub diagonal: f64,
    /// Epochs with constant matrices and without penalty.
    pub warm_up: usize,
    pub rate: f64,
}

pub(super) struct Heads {
    x: Arc<Matrix>,
    labels: Labels,
    freedom: Freedom,
    k: usize,
    /// For every cell of the matrix a constant, then a factor for each number of the view.
    own: AnnotatorRows,
    /// rank x features, one row
    view: AnnotatorRows,
    experts: Experts,
    released: bool,
    now: f64,
}

impl Heads {
    pub fn new(freedom: Freedom, task: &Task, seed: u64) -> Self {
        let (k, m, d, rank) = (task.labels.k, task.labels.m, task.x.cols, freedom.rank);
        let width = rank + 1;
        let cell = |n: usize| if n.is_multiple_of((k + 1) * width) { freedom.diagonal } else { 0.0 };
        let own: Vec<f64> = (0..k * k * width).map(cell).collect::<Vec<f64>>().repeat(m);
        let mut rng = stream(seed, "heads", 0);
        let view: Vec<f64> = (0..rank * d).map(|_| StandardNormal.sample(&mut rng)).collect();
        let numbers = [own.as_slice(), &view].concat();
        Heads {
            x: task.x.clone(),
            labels: task.labels.clone(),
            freedom,
            k,
            own: AnnotatorRows::new(k * k * width, own),
            view: AnnotatorRows::new(view.len(), view),
            experts: Experts { form: Form::Heads { rank }, k, m, d, numbers },
            released: false,
            now: freedom.rate,
        }
    }

    /// Numbers as the training has them now, for whoever asks next.
    fn keep(&mut self) {
        let (own, view) = self.experts.numbers.split_at_mut(self.own.w.len());
        own.copy_from_slice(&self.own.w);
        view.copy_from_slice(&self.view.w);
    }

    /// Mean of -ln P(label) over the batch, with the trace and the pull; adds the derivatives by the class probabilities, the
    /// annotators and the view.
    fn loss(&mut self, f: &Probabilities, batch: &Batch<'_>, d_f: &mut [f64]) -> f64 {
        let (k, d, rank, unit) = (self.k, batch.x.cols, self.freedom.rank, unit(batch));
        let width = rank + 1;
        let trace = if self.released { self.freedom.trace } else { 0.0 };
        let mut loss = add_gold(f, batch, unit, d_f);
        let (mut z, mut push) = (Vec::new(), vec![0.0; rank]);
        for (b, &i) in batch.items.iter().enumerate() {
            let gold = batch.labels.gold(i as usize);
            let known: Vec<f64> = match gold {
                Some(g) => (0..k).map(|c| f64::from(u8::from(c == g))).collect(),
                None => f.row(b).to_vec(),
            };
            seen(batch.x.row(b), &mut z);
            let look: Vec<f64> = self.view.row(0).chunks_exact(d.max(1)).map(|v| dot(v, &z)).collect();
            push.fill(0.0);
            for (j, l) in batch.labels.of(i as usize) {
                let a = matrix(self.own.row(j), &look, k);
                let p = known.iter().zip(a.chunks_exact(k)).map(|(f, a)| f * a[l]).sum::<f64>() + FLOOR;
                loss -= p.ln() * unit;
                loss += trace * unit * a.iter().step_by(k + 1).sum::<f64>();
                if gold.is_none() {
                    (0..k).for_each(|t| d_f[b * k + t] -= unit * a[t * k + l] / p);
                }
                // through the soft-max of every row
                let row = self.own.row(j).to_vec();
                let g = self.own.gradient(j);
                for t in 0..k {
                    let a = &a[t * k..(t + 1) * k];
                    let by = |c: usize| {
                        (if c == l { -unit * known[t] / p } else { 0.0 }) + if c == t { trace * unit } else { 0.0 }
                    };
                    let mean: f64 = a.iter().enumerate().map(|(c, a)| a * by(c)).sum();
                    for (c, a) in a.iter().enumerate() {
                        let (d, at) = (a * (by(c) - mean), (t * k + c) * width);
                        g[at] += d;
                        if self.released {
                            g[at + 1..at + width].iter_mut().zip(&look).for_each(|(g, v)| *g += d * v);
                            push.iter_mut().zip(&row[at + 1..]).for_each(|(p, u)| *p += d * u);
                        }
                    }
                }
            }
            if self.released {
                for (p, g) in push.iter().zip(self.view.gradient(0).chunks_exact_mut(d.max(1))) {
                    g.iter_mut().zip(&z).for_each(|(g, z)| *g += p * z);
                }
            }
        }
        loss + self.pull()
    }

    /// The pull of the dependence on the item, of the annotators of the batch.
    fn pull(&mut self) -> f64 {
        let (ridge, width) = (self.freedom.ridge, self.freedom.rank + 1);
        let mut value = 0.0;
        for j in self.own.touched().to_vec() {
            let row = self.own.row(j as usize).to_vec();
            let g = self.own.gradient(j as usize);
            for (_, (g, w)) in g.iter_mut().zip(&row).enumerate().filter(|(n, _)| n % width > 0) {
                *g += ridge * w;
                value += 0.5 * ridge * w * w;
            }
        }
        value
    }
}

fn matrix(own: &[f64], look: &[f64], k: usize) -> Vec<f64> {
    let mut out: Vec<f64> = own.chunks_exact(look.len() + 1).map(|w| w[0] + dot(&w[1..], look)).collect();
    out.chunks_exact_mut(k).for_each(|row| _ = crowdwise_core::stats::softmax(row));
    out
}

impl Objective for Heads {
    fn begin_epoch(&mut self, epoch: usize, factor: f64) {
        self.released = epoch > self.freedom.warm_up;
        self.now = self.freedom.rate * factor;
    }

    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let f = Probabilities::of(scores);
        let mut d_f = vec![0.0; f.rows.len()];
        let loss = self.loss(&f, batch, &mut d_f);
        f.backward(&d_f, d_scores);
        self.own.step(self.now, |_, _| {});
        self.view.step(self.now, |_, _| {});
        loss
    }

    fn end_epoch(&mut self, _: usize, _: &mut Outputs<'_>) -> Result<(), Error> {
        self.keep();
        Ok(())
    }

    fn confusion(&self) -> Vec<f64> {
        self.experts.confusion(&self.x, &self.labels)
    }

    fn log_likelihood(&self, f: &Probabilities, items: &[u32], labels: &Labels) -> f64 {
        self.experts.log_likelihood(&self.x, labels, items, f)
    }

    fn posterior(&self, f: &Probabilities, labels: &Labels) -> Vec<f64> {
        let items: Vec<u32> = (0..labels.items() as u32).collect();
        self.experts.infer_all(&self.x, labels, &items, f, 0.0)
    }

    fn snapshot(&self) -> Vec<f64> {
        [self.own.w.as_slice(), &self.view.w].concat()
    }

    fn restore(&mut self, kept: &[f64]) {
        let (own, view) = kept.split_at(self.own.w.len());
        self.own.w.copy_from_slice(own);
        self.view.w.copy_from_slice(view);
        self.keep();
    }
}

impl Learner for Heads {
    fn experts(&self) -> Option<Experts> {
        Some(self.experts.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::some_labels;
    use rand::RngExt;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (n, k, d) = (6, 3, 4);
        let labels = some_labels(n, 4, k);
        let items: Vec<u32> = (0..n as u32).collect();
        let mut rng = stream(34, "heads test", 0);
        let x = Matrix::new(n, d, (0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect());
        let task = Task { x: x.clone().into(), labels: labels.clone(), train: items.clone(), held_out: Vec::new() };
        let batch = Batch { items: &items, x: &x, labels: &labels };
        let mut f = Probabilities { k, rows: (0..n * k).map(|_| rng.random_range(-1.0..1.0)).collect() };
        f.rows.chunks_exact_mut(k).for_each(|r| _ = crowdwise_core::stats::softmax(r));
        let freedom = Freedom { rank: 2, ridge: 0.2, trace: 0.1, diagonal: 1.0, warm_up: 0, rate: 0.1 };
        let made = || {
            let mut heads = Heads::new(freedom, &task, 1);
            heads.begin_epoch(1, 1.0);
            heads
        };
        let mut start = made().snapshot();
        start.iter_mut().for_each(|w| *w += rng.random_range(-0.4..0.4));
        let value = |kept: &[f64], f: &Probabilities| {
            let mut heads = made();
            heads.restore(kept);
            heads.loss(f, &batch, &mut vec![0.0; n * k])
        };
        let mut heads = made();
        heads.restore(&start);
        let mut d_f = vec![0.0; n * k];
        heads.loss(&f, &batch, &mut d_f);
        let mut want: Vec<f64> = (0..labels.m).flat_map(|j| heads.own.gradient(j).to_vec()).collect();
        want.extend(heads.view.gradient(0).to_vec());
        for (at, want) in want.iter().enumerate() {
            let shifted = |by: f64| {
                let mut kept = start.clone();
                kept[at] += by;
                value(&kept, &f)
            };
            let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((slope - want).abs() < 1e-8, "{at}: {slope} for {want}");
        }
        for (at, want) in d_f.iter().enumerate() {
            let shifted = |by: f64| {
                let mut f = f.clone();
                f.rows[at] += by;
                value(&start, &f)
            };
            let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((slope - want).abs() < 1e-7, "class {at}: {slope} for {want}");
        }
        // what the fit and the saved model say is what was trained
        heads.keep();
        let (experts, row) = (heads.experts.clone(), heads.own.row(1).to_vec());
        let look = experts.look(x.row(2));
        assert_eq!(experts.matrix(&look, 1), matrix(&row, &look, k));
    }
}
