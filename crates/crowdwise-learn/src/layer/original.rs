//! The crowd layer as first published: annotator-wise scores from the class probabilities, then another soft-max. It is
//! not a probability model of the labels; kept for comparison.

use super::Form;
use super::coupled::unit;
use crate::confusion::counted;
use crate::learn::Learner;
use crate::objective::{Batch, Objective, Outputs, Probabilities, add_gold};
use crate::rows::AnnotatorRows;
use crate::{Labels, Matrix};
use crowdwise_core::{Error, stats};

/// Added to every cell of the counted confusions.
const SMOOTHING: f64 = 0.01;

pub(super) struct Original {
    form: Form,
    k: usize,
    rows: AnnotatorRows,
    rate: f64,
    /// Counted from the classifier's probabilities after every epoch: the layer itself has no confusion matrices.
    confusion: Vec<f64>,
    now: f64,
}

impl Original {
    pub fn new(form: Form, m: usize, k: usize, rate: f64) -> Self {
        let one: Vec<f64> = match form {
            Form::Mw => (0..k * k).map(|n| f64::from(u8::from(n / k == n % k))).collect(),
            Form::Vw => vec![1.0; k],
            Form::Vb => vec![0.0; k],
            Form::VwB => [vec![1.0; k], vec![0.0; k]].concat(),
            Form::Sw | Form::Probability => vec![1.0],
        };
        let rows = AnnotatorRows::new(one.len(), one.repeat(m));
        Original { form, k, rows, rate, confusion: vec![1.0 / k as f64; m * k * k], now: rate }
    }

    /// The scores that annotator `j` gives to the labels.
    fn scores(&self, j: usize, f: &[f64], out: &mut [f64]) {
        let (w, k) = (self.rows.row(j), self.k);
        for (l, o) in out.iter_mut().enumerate() {
            *o = match self.form {
                Form::Mw => w[l * k..(l + 1) * k].iter().zip(f).map(|(w, f)| w * f).sum(),
                Form::Vw => w[l] * f[l],
                Form::Vb => f[l] + w[l],
                Form::VwB => w[l] * f[l] + w[k + l],
                Form::Sw | Form::Probability => w[0] * f[l],
            };
        }
    }

    /// From the derivative by the scores: adds those by the probabilities and by the annotator's numbers.
    fn backward(&mut self, j: usize, f: &[f64], d: &[f64], d_f: &mut [f64]) {
        let (k, form) = (self.k, self.form);
        let w = self.rows.row(j);
        for (l, d) in d.iter().enumerate() {
            match form {
                Form::Mw => d_f.iter_mut().zip(&w[l * k..(l + 1) * k]).for_each(|(x, w)| *x += w * d),
                Form::Vw | Form::VwB => d_f[l] += w[l] * d,
                Form::Vb => d_f[l] += d,
                Form::Sw | Form::Probability => d_f[l] += w[0] * d,
            }
        }
        let g = self.rows.gradient(j);
        for (l, d) in d.iter().enumerate() {
            match form {
                Form::Mw => g[l * k..(l + 1) * k].iter_mut().zip(f).for_each(|(g, f)| *g += f * d),
                Form::Vw => g[l] += f[l] * d,
                Form::Vb => g[l] += d,
                Form::VwB => {
                    g[l] += f[l] * d;
                    g[k + l] += d;
                }
                Form::Sw | Form::Probability => g[0] += f[l] * d,
            }
        }
    }

    /// Mean cross-entropy of the labels of a batch; adds the derivatives.
    fn loss(&mut self, f: &Probabilities, batch: &Batch<'_>, d_f: &mut [f64]) -> f64 {
        let (k, unit) = (self.k, unit(batch));
        let mut scores = vec![0.0; k];
        let mut loss = 0.0;
        for (b, &i) in batch.items.iter().enumerate() {
            for (j, l) in batch.labels.of(i as usize) {
                self.scores(j, f.row(b), &mut scores);
                stats::softmax(&mut scores);
                loss -= scores[l].max(1e-300).ln() * unit;
                scores[l] -= 1.0;
                scores.iter_mut().for_each(|s| *s *= unit);
                self.backward(j, f.row(b), &scores, &mut d_f[b * k..(b + 1) * k]);
            }
        }
        loss + add_gold(f, batch, unit, d_f)
    }
}

impl Objective for Original {
    fn begin_epoch(&mut self, _: usize, factor: f64) {
        self.now = self.rate * factor;
    }

    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let f = Probabilities::of(scores);
        let mut d_f = vec![0.0; f.rows.len()];
        let loss = self.loss(&f, batch, &mut d_f);
        f.backward(&d_f, d_scores);
        self.rows.step(self.now, |_, _| {});
        loss
    }

    fn end_epoch(&mut self, _: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        let q = Probabilities::of(&all.scores()?);
        self.confusion = counted(&q.rows, all.items, all.labels, SMOOTHING);
        Ok(())
    }

    fn confusion(&self) -> Vec<f64> {
        self.confusion.clone()
    }

    fn log_likelihood(&self, f: &Probabilities, items: &[u32], labels: &Labels) -> f64 {
        let mut scores = vec![0.0; self.k];
        let mut sum = 0.0;
        for (b, &i) in items.iter().enumerate() {
            for (j, l) in labels.of(i as usize) {
                self.scores(j, f.row(b), &mut scores);
                stats::softmax(&mut scores);
                sum += scores[l].max(1e-300).ln();
            }
        }
        sum
    }

    fn snapshot(&self) -> Vec<f64> {
        [self.rows.w.as_slice(), &self.confusion].concat()
    }

    fn restore(&mut self, kept: &[f64]) {
        let (w, confusion) = kept.split_at(self.rows.w.len());
        self.rows.w.copy_from_slice(w);
        self.confusion.copy_from_slice(confusion);
    }
}

impl Learner for Original {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::coupled::tests::some_labels;
    use crowdwise_core::stream;
    use rand::RngExt;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (n, k) = (6, 3);
        let labels = some_labels(n, 4, k);
        let items: Vec<u32> = (0..n as u32).collect();
        let x = Matrix::zeros(n, 1);
        let batch = Batch { items: &items, x: &x, labels: &labels };
        for form in [Form::Mw, Form::Vw, Form::Vb, Form::VwB, Form::Sw] {
            let mut rng = stream(6, "original", form as u64);
            let mut start = Original::new(form, labels.m, k, 0.1);
            start.rows.w.iter_mut().for_each(|w| *w += rng.random_range(-0.5..0.5));
            let f: Vec<f64> = (0..n * k).map(|_| rng.random_range(0.1..0.9)).collect();
            let loss = |w: &[f64], rows: &[f64], d_f: &mut [f64]| {
                let mut o = Original::new(form, labels.m, k, 0.1);
                o.rows.w.copy_from_slice(w);
                (o.loss(&Probabilities { k, rows: rows.to_vec() }, &batch, d_f), o)
            };
            let mut d_f = vec![0.0; n * k];
            let (_, mut o) = loss(&start.rows.w, &f, &mut d_f);
            let mut scratch = vec![0.0; n * k];
            let h = 1e-6;
            for at in 0..f.len() {
                let mut value = |by: f64| {
                    let mut f = f.clone();
                    f[at] += by;
                    loss(&start.rows.w, &f, &mut scratch).0
                };
                let slope = (value(h) - value(-h)) / (2.0 * h);
                assert!((slope - d_f[at]).abs() < 1e-8, "{form:?} probability {at}");
            }
            let width = o.rows.w.len() / labels.m;
            for at in 0..start.rows.w.len() {
                let mut value = |by: f64| {
                    let mut w = start.rows.w.clone();
                    w[at] += by;
                    loss(&w, &f, &mut scratch).0
                };
                let slope = (value(h) - value(-h)) / (2.0 * h);
                let g = o.rows.gradient(at / width)[at % width];
                assert!((slope - g).abs() < 1e-8, "{form:?} number {at}: {slope} for {g}");
            }
        }
    }

    #[test]
    fn a_frozen_identity_is_a_plain_network_on_repeated_labels() {
        // the soft-max of the class probabilities meets every label, whoever gave it
        let (n, k) = (6, 3);
        let labels = some_labels(n, 4, k);
        let items: Vec<u32> = (0..n as u32).filter(|&i| labels.gold(i as usize).is_none()).collect();
        let x = Matrix::zeros(items.len(), 1);
        let batch = Batch { items: &items, x: &x, labels: &labels };
        let mut rng = stream(7, "identity", 0);
        let z = Matrix::new(items.len(), k, (0..items.len() * k).map(|_| rng.random_range(-1.0..1.0)).collect());
        let f = Probabilities::of(&z);
        let mut want = 0.0;
        for (b, &i) in items.iter().enumerate() {
            let mut p = f.row(b).to_vec();
            stats::softmax(&mut p);
            want -= labels.of(i as usize).map(|(_, l)| p[l].ln()).sum::<f64>();
        }
        let have = Original::new(Form::Mw, labels.m, k, 0.0).loss(&f, &batch, &mut vec![0.0; f.rows.len()]);
        assert!((have - want / batch.n_labels() as f64).abs() < 1e-12);
    }
}
