//! Expertise of low rank: annotators are short rows of numbers, items are seen through one map that all annotators share.

use super::turns::Expertise;
use super::words::{Experts, Form, seen};
use crate::rows::AnnotatorRows;
use crate::{Labels, Matrix};
use crowdwise_core::stream;
use crowdwise_numerics::{dot, logistic, soft_plus};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// Items of a part of parallel work.
const PART: usize = 256;
/// ln(P(right) / P(wrong)) of everybody on everything at the start, and the deviation of the start's random numbers.
const START: f64 = 0.9;
const NOISE: f64 = 0.1;

/// How fast and how freely the numbers move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freedom {
    pub rank: usize,
    /// Strength of the pull of the annotators towards the common start.
    pub lambda: f64,
    /// Strength of the pull of the map towards its start.
    pub lambda_view: f64,
    pub rate: f64,
    pub steps: usize,
}

pub(super) struct LowRank {
    freedom: Freedom,
    /// Where everybody starts, and what annotators are pulled to.
    common: f64,
    /// Where the map started.
    before: Vec<f64>,
    u: AnnotatorRows,
    /// rank x z, one row
    view: AnnotatorRows,
    experts: Experts,
}

/// What some items add to the value and its derivatives.
struct Part {
    value: f64,
    /// annotator and derivative, a label each
    by_u: Vec<(usize, Vec<f64>)>,
    by_view: Vec<f64>,
}

impl LowRank {
    pub fn new(freedom: Freedom, k: usize, m: usize, d: usize, seed: u64) -> Self {
        let rank = freedom.rank;
        let common = (START / rank as f64).sqrt();
        let mut rng = stream(seed, "expertise", 0);
        let mut noise = || -> f64 { NOISE * Distribution::<f64>::sample(&StandardNormal, &mut rng) };
        let u: Vec<f64> = (0..m * rank).map(|_| common + noise()).collect();
        // only the constant starts away from 0: features are centred, and a start of one sign for all of them would make
        // everybody an expert on one half of the items
        let place = |n: usize| if n % (d + 1) == d { common } else { 0.0 };
        let before: Vec<f64> = (0..rank * (d + 1)).map(|n| place(n) + noise()).collect();
        let numbers = [u.as_slice(), &before].concat();
        LowRank {
            freedom,
            common,
            u: AnnotatorRows::new(rank, u),
            view: AnnotatorRows::new(before.len(), before.clone()),
            before,
            experts: Experts { form: Form::LowRank { rank }, k, m, d, numbers },
        }
    }

    /// Minus the expected log-likelihood of being right or wrong, plus the pulls; adds the derivatives.
    fn value(&mut self, x: &Matrix, labels: &Labels, items: &[u32], first: &[usize], right: &[f64]) -> f64 {
        let (rank, width) = (self.freedom.rank, x.cols + 1);
        let (u, view) = (&self.u, self.view.row(0));
        // parts of a fixed size, summed in order: the same bits on any number of threads
        let parts: Vec<Part> = items
            .par_chunks(PART)
            .zip(first.par_chunks(PART))
            .map(|(items, first)| {
                let mut part = Part { value: 0.0, by_u: Vec::new(), by_view: vec![0.0; rank * width] };
                let (mut z, mut push) = (Vec::new(), vec![0.0; rank]);
                for (&i, &first) in items.iter().zip(first) {
                    seen(x.row(i as usize), &mut z);
                    let look: Vec<f64> = view.chunks_exact(width).map(|f| dot(f, &z)).collect();
                    push.fill(0.0);
                    for ((j, _), c) in labels.of(i as usize).zip(&right[first..]) {
                        let s = dot(u.row(j), &look);
                        part.value += soft_plus(s) - c * s;
                        let g = logistic(s) - c;
                        part.by_u.push((j, look.iter().map(|x| g * x).collect()));
                        push.iter_mut().zip(u.row(j)).for_each(|(p, u)| *p += g * u);
                    }
                    for (p, row) in push.iter().zip(part.by_view.chunks_exact_mut(width)) {
                        row.iter_mut().zip(&z).for_each(|(g, z)| *g += p * z);
                    }
                }
                part
            })
            .collect();
        let mut sum = 0.0;
        for Part { value, by_u, by_view } in parts {
            sum += value;
            for (j, by) in by_u {
                self.u.gradient(j).iter_mut().zip(by).for_each(|(g, d)| *g += d);
            }
            self.view.gradient(0).iter_mut().zip(by_view).for_each(|(g, d)| *g += d);
        }
        sum + self.pull()
    }

    /// The pulls to the start, of the annotators with labels and of the map.
    fn pull(&mut self) -> f64 {
        let Freedom { lambda, lambda_view, .. } = self.freedom;
        let mut value = 0.0;
        for j in self.u.touched().to_vec() {
            let away: Vec<f64> = self.u.row(j as usize).iter().map(|u| u - self.common).collect();
            value += lambda * dot(&away, &away);
            self.u.gradient(j as usize).iter_mut().zip(away).for_each(|(g, a)| *g += 2.0 * lambda * a);
        }
        let away: Vec<f64> = self.view.row(0).iter().zip(&self.before).map(|(f, b)| f - b).collect();
        value += lambda_view * dot(&away, &away);
        self.view.gradient(0).iter_mut().zip(away).for_each(|(g, a)| *g += 2.0 * lambda_view * a);
        value
    }

    fn keep(&mut self) {
        let (u, view) = self.experts.numbers.split_at_mut(self.u.w.len());
        u.copy_from_slice(&self.u.w);
        view.copy_from_slice(&self.view.w);
    }
}

/// Where the labels of each item begin among those of all `items`.
pub(super) fn firsts(labels: &Labels, items: &[u32]) -> Vec<usize> {
    let start = |at: &mut usize, &i: &u32| {
        let here = *at;
        *at += labels.degree(i as usize);
        Some(here)
    };
    items.iter().scan(0, start).collect()
}

impl Expertise for LowRank {
    fn experts(&self) -> &Experts {
        &self.experts
    }

    fn learn(&mut self, x: &Matrix, labels: &Labels, items: &[u32], right: &[f64]) {
        let first = firsts(labels, items);
        for _ in 0..self.freedom.steps {
            self.value(x, labels, items, &first, right);
            self.u.step(self.freedom.rate, |_, _| {});
            self.view.step(self.freedom.rate, |_, _| {});
        }
        self.keep();
    }

    fn restore(&mut self, numbers: &[f64]) {
        let (u, view) = numbers.split_at(self.u.w.len());
        self.u.w.copy_from_slice(u);
        self.view.w.copy_from_slice(view);
        self.keep();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::some_labels;
    use rand::RngExt;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (n, d) = (9, 4);
        let labels = some_labels(n, 4, 3);
        let items: Vec<u32> = (0..n as u32).collect();
        let mut rng = stream(31, "low rank", 0);
        let x = Matrix::new(n, d, (0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect());
        let right: Vec<f64> = (0..labels.len()).map(|_| rng.random()).collect();
        let first = firsts(&labels, &items);
        let freedom = Freedom { rank: 3, lambda: 0.4, lambda_view: 0.7, rate: 0.1, steps: 1 };
        let made = || LowRank::new(freedom, labels.k, labels.m, d, 2);
        let mut start = made().experts.numbers;
        start.iter_mut().for_each(|w| *w += rng.random_range(-0.4..0.4));
        let value = |numbers: &[f64]| {
            let mut l = made();
            l.restore(numbers);
            l.value(&x, &labels, &items, &first, &right)
        };
        let mut l = made();
        l.restore(&start);
        l.value(&x, &labels, &items, &first, &right);
        let mut want: Vec<f64> = (0..labels.m).flat_map(|j| l.u.gradient(j).to_vec()).collect();
        want.extend(l.view.gradient(0).to_vec());
        for (at, want) in want.iter().enumerate() {
            let shifted = |by: f64| {
                let mut w = start.clone();
                w[at] += by;
                value(&w)
            };
            let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((slope - want).abs() < 1e-7, "{at}: {slope} for {want}");
        }
    }
}
