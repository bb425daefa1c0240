//! Mixed effects: what annotators say of a class is the same for all but for a deviation of each, and both depend on the item.

use super::words::{Experts, Form, seen};
use crate::rows::AnnotatorRows;
use crate::{Labels, Matrix};
use crowdwise_core::{stats, stream};
use crowdwise_numerics::dot;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// Items of a part of parallel work.
const PART: usize = 256;

/// How free annotators and classes are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freedom {
    pub hidden: usize,
    /// Strength of the pull of the deviations towards 0.
    pub lambda: f64,
    /// Strength of the pull of what depends on the item, of all annotators, towards 0.
    pub lambda_view: f64,
    /// Whether an annotator may be right more often on some items.
    pub gate: bool,
    pub rate: f64,
    pub steps: usize,
}

pub(super) struct Mixed {
    freedom: Freedom,
    k: usize,
    m: usize,
    d: usize,
    /// B (label x hidden), then w (hidden and a constant).
    own: AnnotatorRows,
    /// G1 and G2 (hidden x z each), C (truth x label x hidden), c (truth x label); one row.
    shared: AnnotatorRows,
    pub experts: Experts,
}

/// What some items add to the value and its derivatives.
struct Part {
    value: f64,
    by_own: Vec<(usize, Vec<f64>)>,
    by_shared: Vec<f64>,
}

impl Mixed {
    pub fn new(freedom: Freedom, labels: &Labels, d: usize, seed: u64) -> Self {
        let (k, m, h) = (labels.k, labels.m, freedom.hidden);
        let mut rng = stream(seed, "mixed effects", 0);
        let mut draw = |n: usize, sd: f64| -> Vec<f64> {
            (0..n).map(|_| sd * Distribution::<f64>::sample(&StandardNormal, &mut rng)).collect()
        };
        let mut shared = draw(2 * h * (d + 1), 1.0);
        // offsets of the hidden numbers start at 0
        shared.iter_mut().skip(d).step_by(d + 1).for_each(|x| *x = 0.0);
        shared.extend(draw(k * k * h, 0.1));
        shared.extend((0..k * k).map(|n| if n / k == n % k { 2.0 } else { 0.0 }));
        let own = vec![0.0; m * (k * h + h + 1)];
        let numbers = [own.as_slice(), &shared].concat();
        Mixed {
            freedom,
            k,
            m,
            d,
            own: AnnotatorRows::new(k * h + h + 1, own),
            shared: AnnotatorRows::new(shared.len(), shared),
            experts: Experts { form: Form::Mixed { hidden: h }, k, m, d, numbers },
        }
    }

    fn keep(&mut self) {
        let (own, shared) = self.experts.numbers.split_at_mut(self.own.w.len());
        own.copy_from_slice(&self.own.w);
        shared.copy_from_slice(&self.shared.w);
    }

    /// Learns from the labels of items whose class is taken as known.
    pub fn learn(&mut self, x: &Matrix, labels: &Labels, anchors: &[(u32, usize)]) {
        for _ in 0..self.freedom.steps {
            self.value(x, labels, anchors);
            self.own.step(self.freedom.rate, |_, _| {});
            self.shared.step(self.freedom.rate, |_, _| {});
        }
        self.keep();
    }

    pub fn restore(&mut self, numbers: &[f64]) {
        let (own, shared) = numbers.split_at(self.own.w.len());
        self.own.w.copy_from_slice(own);
        self.shared.w.copy_from_slice(shared);
        self.keep();
    }

    /// Mean of -ln P(label | class of the anchor), plus the pulls; adds the derivatives.
    fn value(&mut self, x: &Matrix, labels: &Labels, anchors: &[(u32, usize)]) -> f64 {
        let n = anchors.iter().map(|(i, _)| labels.degree(*i as usize)).sum::<usize>().max(1);
        let this = &*self;
        // parts of a fixed size, summed in order: the same bits on any number of threads
        let parts: Vec<Part> =
            anchors.par_chunks(PART).map(|anchors| this.part(x, labels, anchors, 1.0 / n as f64)).collect();
        let mut sum = 0.0;
        for Part { value, by_own, by_shared } in parts {
            sum += value;
            for (j, by) in by_own {
                self.own.gradient(j).iter_mut().zip(by).for_each(|(g, d)| *g += d);
            }
            self.shared.gradient(0).iter_mut().zip(by_shared).for_each(|(g, d)| *g += d);
        }
        sum + self.pull()
    }

    fn part(&self, x: &Matrix, labels: &Labels, anchors: &[(u32, usize)], unit: f64) -> Part {
        let (k, h, z_len) = (self.k, self.freedom.hidden, self.d + 1);
        let shared = self.shared.row(0);
        let (maps, rest) = shared.split_at(2 * h * z_len);
        let mut part = Part { value: 0.0, by_own: Vec::new(), by_shared: vec![0.0; shared.len()] };
        let mut z = Vec::new();
        for &(i, t) in anchors {
            seen(x.row(i as usize), &mut z);
            let hidden: Vec<f64> = maps.chunks_exact(z_len).map(|g| dot(g, &z).tanh()).collect();
            let (a, b) = hidden.split_at(h);
            let mut d_hidden = vec![0.0; 2 * h];
            for (j, l) in labels.of(i as usize) {
                let own = self.own.row(j);
                let mut p = logits(own, rest, &hidden, k, t);
                stats::softmax(&mut p);
                part.value -= p[l].max(1e-300).ln() * unit;
                p[l] -= 1.0;
                p.iter_mut().for_each(|d| *d *= unit);
                let mut by = vec![0.0; own.len()];
                for (c, d) in p.iter().enumerate() {
                    let (cell, at) = ((t * k + c) * h, 2 * h * z_len);
                    for r in 0..h {
                        by[c * h + r] += d * a[r];
                        d_hidden[r] += d * own[c * h + r];
                        part.by_shared[at + cell + r] += d * b[r];
                        d_hidden[h + r] += d * rest[cell + r];
                    }
                    part.by_shared[at + k * k * h + t * k + c] += d;
                }
                if self.freedom.gate {
                    for r in 0..h {
                        by[k * h + r] += p[t] * a[r];
                        d_hidden[r] += p[t] * own[k * h + r];
                    }
                    by[k * h + h] += p[t];
                }
                part.by_own.push((j, by));
            }
            for ((d, y), g) in d_hidden.iter().zip(&hidden).zip(part.by_shared.chunks_exact_mut(z_len)) {
                let d = d * (1.0 - y * y);
                g.iter_mut().zip(&z).for_each(|(g, z)| *g += d * z);
            }
        }
        part
    }

    fn pull(&mut self) -> f64 {
        let Freedom { lambda, lambda_view, hidden: h, .. } = self.freedom;
        let lambda = lambda / self.m.max(1) as f64;
        let mut value = 0.0;
        for j in self.own.touched().to_vec() {
            let row = self.own.row(j as usize).to_vec();
            value += 0.5 * lambda * dot(&row, &row);
            self.own.gradient(j as usize).iter_mut().zip(row).for_each(|(g, w)| *g += lambda * w);
        }
        let cells = 2 * h * (self.d + 1)..2 * h * (self.d + 1) + self.k * self.k * h;
        let c = self.shared.row(0)[cells.clone()].to_vec();
        value += 0.5 * lambda_view * dot(&c, &c);
        self.shared.gradient(0)[cells].iter_mut().zip(c).for_each(|(g, c)| *g += lambda_view * c);
        value
    }
}

/// Free numbers of row `t` (truth) of an annotator's confusion matrix, from its own numbers and what is behind the maps in the
/// shared ones.
pub(super) fn logits(own: &[f64], shared: &[f64], hidden: &[f64], k: usize, t: usize) -> Vec<f64> {
    let h = hidden.len() / 2;
    let (a, b) = hidden.split_at(h);
    let (common, constant) = shared.split_at(k * k * h);
    let gate = dot(&own[k * h..k * h + h], a) + own[k * h + h];
    (0..k)
        .map(|l| {
            let cell = t * k + l;
            dot(&own[l * h..(l + 1) * h], a)
                + dot(&common[cell * h..(cell + 1) * h], b)
                + constant[cell]
                + if l == t { gate } else { 0.0 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::some_labels;
    use rand::RngExt;

    fn world() -> (Labels, Matrix, Vec<(u32, usize)>) {
        let (n, d) = (9, 3);
        let mut rng = stream(36, "mixed", 0);
        let x = Matrix::new(n, d, (0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect());
        (some_labels(n, 4, 3), x, (0..n as u32).map(|i| (i, i as usize % 3)).collect())
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (labels, x, anchors) = world();
        let mut rng = stream(37, "mixed", 0);
        let freedom = Freedom { hidden: 2, lambda: 0.3, lambda_view: 0.2, gate: true, rate: 0.1, steps: 1 };
        let made = || Mixed::new(freedom, &labels, x.cols, 1);
        let mut start = made().experts.numbers;
        start.iter_mut().for_each(|w| *w += rng.random_range(-0.4..0.4));
        let value = |numbers: &[f64]| {
            let mut m = made();
            m.restore(numbers);
            m.value(&x, &labels, &anchors)
        };
        let mut m = made();
        m.restore(&start);
        m.value(&x, &labels, &anchors);
        let mut want: Vec<f64> = (0..labels.m).flat_map(|j| m.own.gradient(j).to_vec()).collect();
        want.extend(m.shared.gradient(0).to_vec());
        for (at, want) in want.iter().enumerate() {
            let shifted = |by: f64| {
                let mut w = start.clone();
                w[at] += by;
                value(&w)
            };
            let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((slope - want).abs() < 1e-8, "{at}: {slope} for {want}");
        }
    }

    #[test]
    fn matrices_are_normalised_and_those_that_were_trained() {
        let (labels, x, anchors) = world();
        let freedom = Freedom { hidden: 2, lambda: 0.01, lambda_view: 0.01, gate: true, rate: 0.05, steps: 50 };
        let mut m = Mixed::new(freedom, &labels, x.cols, 1);
        let before = m.value(&x, &labels, &anchors);
        m.learn(&x, &labels, &anchors);
        let after = m.value(&x, &labels, &anchors);
        assert!(after < before, "{after} after {before}");
        let look = m.experts.look(x.row(4));
        let a = m.experts.matrix(&look, 1);
        let rest = &m.shared.row(0)[2 * 2 * (x.cols + 1)..];
        for t in 0..3 {
            let mut row = logits(m.own.row(1), rest, &look, 3, t);
            stats::softmax(&mut row);
            assert_eq!(a[t * 3..(t + 1) * 3], row);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}
