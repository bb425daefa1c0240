//! The coupled cross-entropy: -ln P(label) with the true class summed out, over the labels of a batch.

use crate::objective::{Batch, Probabilities};
use crate::rows::AnnotatorRows;
use crowdwise_core::stats;

/// Inside logarithms and quotients.
const FLOOR: f64 = 1e-12;

/// A confusion matrix per annotator (row = truth) as the soft-max of free numbers.
#[derive(Clone, Debug)]
pub(crate) struct Confusions {
    pub k: usize,
    logits: AnnotatorRows,
    /// annotators x truth x label
    pub a: Vec<f64>,
}

impl Confusions {
    /// From free numbers, annotators x truth x label.
    pub fn new(k: usize, logits: Vec<f64>) -> Self {
        let mut a = logits.clone();
        a.chunks_exact_mut(k).for_each(|row| _ = stats::softmax(row));
        Confusions { k, logits: AnnotatorRows::new(k * k, logits), a }
    }

    /// `c` on the diagonal, 0 elsewhere.
    pub fn diagonal(m: usize, k: usize, c: f64) -> Self {
        let one = (0..k * k).map(|n| if n / k == n % k { c } else { 0.0 });
        Confusions::new(k, one.collect::<Vec<f64>>().repeat(m))
    }

    pub fn at(&self, j: usize, t: usize, l: usize) -> f64 {
        self.a[(j * self.k + t) * self.k + l]
    }

    pub fn matrix(&self, j: usize) -> &[f64] {
        &self.a[j * self.k * self.k..(j + 1) * self.k * self.k]
    }

    /// The derivative by the probabilities of annotator `j` (truth x label), to be added to.
    pub fn gradient(&mut self, j: usize) -> &mut [f64] {
        self.logits.gradient(j)
    }

    /// Annotators of this batch.
    pub fn touched(&self) -> &[u32] {
        self.logits.touched()
    }

    /// Takes the gradients through the soft-max and steps. `moved` sees annotator, matrix before and matrix after.
    pub fn step(&mut self, rate: f64, mut moved: impl FnMut(usize, &[f64], &[f64])) {
        let (k, size) = (self.k, self.k * self.k);
        for n in 0..self.logits.touched().len() {
            let j = self.logits.touched()[n] as usize;
            let a = &self.a[j * size..(j + 1) * size];
            let g = self.logits.gradient(j);
            for (a, g) in a.chunks_exact(k).zip(g.chunks_exact_mut(k)) {
                let mean: f64 = a.iter().zip(&*g).map(|(a, g)| a * g).sum();
                a.iter().zip(g).for_each(|(a, g)| *g = a * (*g - mean));
            }
        }
        let all = &mut self.a;
        let mut fresh = vec![0.0; size];
        self.logits.step(rate, |j, logits| {
            fresh.copy_from_slice(logits);
            fresh.chunks_exact_mut(k).for_each(|row| _ = stats::softmax(row));
            let a = &mut all[j * size..(j + 1) * size];
            moved(j, a, &fresh);
            a.copy_from_slice(&fresh);
        });
    }

    pub fn snapshot(&self) -> Vec<f64> {
        self.logits.w.clone()
    }

    pub fn restore(&mut self, kept: &[f64]) {
        self.logits.w.copy_from_slice(kept);
        self.a.copy_from_slice(kept);
        self.a.chunks_exact_mut(self.k).for_each(|row| _ = stats::softmax(row));
    }
}

/// One over the number of labels and gold classes of the batch.
pub(crate) fn unit(batch: &Batch<'_>) -> f64 {
    let gold = batch.items.iter().filter(|&&i| batch.labels.gold(i as usize).is_some()).count();
    1.0 / (batch.n_labels() + gold).max(1) as f64
}

/// Mean of -ln P(label) over the batch; adds its derivatives by the probabilities of the classes and of the annotators.
/// Where the class is known, labels teach about their annotators only.
pub(crate) fn coupled(f: &Probabilities, batch: &Batch<'_>, c: &mut Confusions, d_f: &mut [f64]) -> f64 {
    let (k, unit) = (f.k, unit(batch));
    let mut loss = 0.0;
    for (b, &i) in batch.items.iter().enumerate() {
        let (i, f) = (i as usize, f.row(b));
        let d_f = &mut d_f[b * k..(b + 1) * k];
        let gold = batch.labels.gold(i);
        for (j, l) in batch.labels.of(i) {
            let column = |t: usize| c.a[(j * k + t) * k + l];
            if let Some(g) = gold {
                let p = column(g) + FLOOR;
                loss -= p.ln() * unit;
                c.gradient(j)[g * k + l] -= unit / p;
                continue;
            }
            let p = (0..k).map(|t| column(t) * f[t]).sum::<f64>() + FLOOR;
            loss -= p.ln() * unit;
            let scale = unit / p;
            for t in 0..k {
                d_f[t] -= scale * c.a[(j * k + t) * k + l];
            }
            let g = c.gradient(j);
            for t in 0..k {
                g[t * k + l] -= scale * f[t];
            }
        }
    }
    loss
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Labels, Matrix};
    use crowdwise_core::{Dataset, Gold, LabelKind, TableBuilder, stream};
    use rand::RngExt;

    /// Few labels of many annotators, one item with gold.
    pub fn some_labels(items: usize, m: usize, k: usize) -> Labels {
        let mut rng = stream(2, "labels", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for l in 0..k {
            b.classes.intern(&format!("c{l}"));
        }
        for i in 0..items {
            for _ in 0..=rng.random_range(0..3) {
                let (j, l) = (rng.random_range(0..m), rng.random_range(0..k));
                b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
            }
        }
        let data = Dataset::new(b.finish().unwrap());
        let gold = Gold::from_items(&data.table, &[("i1".into(), "c1".into())], "gold").unwrap();
        Labels::new(&data.with_gold(gold))
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (n, m, k) = (6, 4, 3);
        let labels = some_labels(n, m, k);
        let mut rng = stream(5, "coupled", 0);
        let z: Vec<f64> = (0..n * k).map(|_| rng.random_range(-1.0..1.0)).collect();
        let c: Vec<f64> = (0..labels.m * k * k).map(|_| rng.random_range(-1.0..1.0)).collect();
        let items: Vec<u32> = (0..n as u32).collect();
        let x = Matrix::zeros(n, 1);
        let batch = Batch { items: &items, x: &x, labels: &labels };
        let loss = |z: &[f64], c: &[f64], d_f: &mut [f64]| {
            let mut f = Probabilities { k, rows: z.to_vec() };
            f.rows.chunks_exact_mut(k).for_each(|r| _ = stats::softmax(r));
            let mut conf = Confusions::new(k, c.to_vec());
            let loss = coupled(&f, &batch, &mut conf, d_f) + crate::objective::add_gold(&f, &batch, unit(&batch), d_f);
            (loss, f, conf)
        };
        let mut d_f = vec![0.0; n * k];
        let (_, f, mut conf) = loss(&z, &c, &mut d_f);
        let h = 1e-6;
        for at in 0..z.len() {
            let shifted = |by: f64| {
                let mut z = z.clone();
                z[at] += by;
                loss(&z, &c, &mut vec![0.0; n * k]).0
            };
            let slope = (shifted(h) - shifted(-h)) / (2.0 * h);
            let (row, t) = (at / k, at % k);
            let mean: f64 = (0..k).map(|t| f.row(row)[t] * d_f[row * k + t]).sum();
            let want = f.row(row)[t] * (d_f[at] - mean);
            assert!((slope - want).abs() < 1e-8, "score {at}: {slope} for {want}");
        }
        for at in 0..c.len() {
            let shifted = |by: f64| {
                let mut c = c.clone();
                c[at] += by;
                loss(&z, &c, &mut vec![0.0; n * k]).0
            };
            let slope = (shifted(h) - shifted(-h)) / (2.0 * h);
            let (j, cell) = (at / (k * k), at % (k * k));
            let (t, a, g) = (cell / k, conf.matrix(j).to_vec(), conf.gradient(j).to_vec());
            let mean: f64 = (0..k).map(|l| a[t * k + l] * g[t * k + l]).sum();
            let want = a[cell] * (g[cell] - mean);
            assert!((slope - want).abs() < 1e-8, "annotator {at}: {slope} for {want}");
        }
    }

    #[test]
    fn a_batch_touches_its_annotators_only() {
        let labels = some_labels(6, 4, 3);
        let x = Matrix::zeros(1, 1);
        let f = Probabilities { k: 3, rows: vec![0.2, 0.3, 0.5] };
        let mut c = Confusions::diagonal(labels.m, 3, 1.0);
        let before = c.a.clone();
        coupled(&f, &Batch { items: &[3], x: &x, labels: &labels }, &mut c, &mut [0.0; 3]);
        let present: Vec<usize> = labels.of(3).map(|(j, _)| j).collect();
        c.step(0.1, |j, _, _| assert!(present.contains(&j)));
        for j in 0..labels.m {
            let changed = c.matrix(j) != &before[j * 9..(j + 1) * 9];
            assert_eq!(changed, present.contains(&j), "annotator {j}");
        }
        let kept = c.snapshot();
        let mut other = Confusions::diagonal(labels.m, 3, 2.0);
        other.restore(&kept);
        assert_eq!(other.a, c.a);
    }
}
