//! P(says l | truth c) = softmax over l of (annotator's matrix + item's matrix)[c][l], with ridges on both.

use super::label::{Room, add_label, by_classes, ln_row};
use super::part::Part;
use crate::runs::{runs, split_runs};
use crowdwise_core::stats::softmax;
use crowdwise_core::{Categorical, Dataset};
use crowdwise_numerics::add_into;
use crowdwise_numerics::lbfgs::{Lbfgs, Searched};
use rayon::prelude::*;
use std::ops::Range;

/// Most entries (8 bytes each) of items' matrices that are kept during a search.
const MOST_EXPANDED: usize = 1 << 26;

pub(super) struct Model<'a> {
    pub labels: Categorical<'a>,
    pub gold: Option<Vec<Option<u32>>>,
    pub k: usize,
    pub m: usize,
    pub units: usize,
    pub annotators: Part,
    pub items: Part,
    /// Ridge of annotators' parameters.
    pub alpha: f64,
    /// Ridge of items' parameters.
    pub beta: f64,
    runs: Vec<Range<usize>>,
}

/// Parameters of all annotators and all items, one after the other.
#[derive(Clone)]
pub(super) struct Parameters {
    pub annotators: Vec<f64>,
    pub items: Vec<f64>,
}

/// What an expectation step gives.
pub(super) struct Expected {
    pub log_likelihood: f64,
    pub change: f64,
    pub class_sums: Vec<f64>,
}

impl<'a> Model<'a> {
    pub fn new(data: &'a Dataset, annotators: Part, items: Part, alpha: f64, beta: f64) -> Model<'a> {
        let labels = data.table.categorical().expect("the kind was checked");
        let (k, m) = (labels.k(), data.table.n_annotators());
        let gold = data.gold_classes().map(|g| g.into_iter().map(|c| c.filter(|&c| c < k as u32)).collect::<Vec<_>>());
        let runs = runs(data.table.offsets(), m * k * k);
        Model { labels, gold, k, m, units: data.table.n_units(), annotators, items, alpha, beta, runs }
    }

    pub fn known(&self, u: usize) -> Option<usize> {
        self.gold.as_ref().and_then(|g| g[u]).map(|c| c as usize)
    }

    pub fn zero(&self) -> Parameters {
        Parameters {
            annotators: vec![0.0; self.m * self.annotators.len(self.k)],
            items: vec![0.0; self.units * self.items.len(self.k)],
        }
    }

    /// (annotator, label) of every label of a unit.
    fn of(&self, u: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let table = self.labels.table;
        table.rows(u).map(move |r| (table.annotator()[r] as usize, self.labels.codes.get(r)))
    }

    /// Matrices of all annotators.
    pub fn matrices(&self, p: &[f64]) -> Vec<f64> {
        let (k, each) = (self.k, self.annotators.len(self.k));
        let mut out = vec![0.0; self.m * k * k];
        for (j, out) in out.chunks_exact_mut(k * k).enumerate() {
            self.annotators.expand(k, &p[j * each..(j + 1) * each], out);
        }
        out
    }

    /// The matrix of an item.
    pub fn item_matrix(&self, p: &Parameters, u: usize, out: &mut [f64]) {
        let each = self.items.len(self.k);
        self.items.expand(self.k, &p.items[u * each..(u + 1) * each], out);
    }

    /// ln P(l | c) for every truth c, of one annotator's matrix on one item's.
    pub fn ln_label(&self, l: usize, annotator: &[f64], item: &[f64], out: &mut [f64]) {
        let mut z = vec![0.0; self.k];
        out.iter_mut().enumerate().for_each(|(c, o)| *o = ln_row(&mut z, c, l, annotator, item));
    }

    pub fn penalty(&self, p: &Parameters) -> f64 {
        let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        0.5 * self.alpha * square(&p.annotators) + 0.5 * self.beta * square(&p.items)
    }

    /// Minus the penalised expected log-likelihood of all labels at `point` (annotators, then items), with its gradient.
    pub fn value(&self, mu: &[f64], point: &[f64], gradient: &mut [f64]) -> f64 {
        let (k, each) = (self.k, self.items.len(self.k));
        let (by_annotator, items) = (self.annotators.len(k), &point[self.m * self.annotators.len(k)..]);
        let matrices = self.matrices(&point[..self.m * by_annotator]);
        let (to_annotators, to_items) = gradient.split_at_mut(self.m * by_annotator);
        let parts: Vec<(f64, Vec<f64>)> = (&self.runs, split_runs(to_items, &self.runs, each))
            .into_par_iter()
            .map(|(run, to_items)| by_classes!(k, self.value_run(mu, &matrices, items, run.clone(), to_items)))
            .collect();
        let mut value = 0.0;
        let mut total = vec![0.0; self.m * k * k];
        for (v, g) in &parts {
            value += v;
            add_into(&mut total, g);
        }
        to_annotators.fill(0.0);
        for (j, g) in total.chunks_exact(k * k).enumerate() {
            self.annotators.contract(k, g, &mut to_annotators[j * by_annotator..(j + 1) * by_annotator]);
        }
        let edge = self.m * by_annotator;
        let mut square = [0.0; 2];
        for (n, (g, x)) in gradient.iter_mut().zip(point).enumerate() {
            let ridge = if n < edge { self.alpha } else { self.beta };
            *g += ridge * x;
            square[usize::from(n >= edge)] += x * x;
        }
        value + 0.5 * (self.alpha * square[0] + self.beta * square[1])
    }

    /// Value of a run of items with the gradient by the matrices of annotators; that by items' parameters is written.
    fn value_run<const K: usize>(
        &self,
        mu: &[f64],
        matrices: &[f64],
        items: &[f64],
        run: Range<usize>,
        to_items: &mut [f64],
    ) -> (f64, Vec<f64>) {
        let k = if K == 0 { self.k } else { K };
        let each = self.items.len(k);
        let mut room = Room::<K>::new(k);
        let (mut item, mut by_item) = (vec![0.0; k * k], vec![0.0; k * k]);
        let mut by_annotators = vec![0.0; self.m * k * k];
        let mut value = 0.0;
        to_items.fill(0.0);
        for (n, u) in run.enumerate() {
            self.items.expand(k, &items[u * each..(u + 1) * each], &mut item);
            by_item.fill(0.0);
            let mu = &mu[u * k..(u + 1) * k];
            for (j, l) in self.of(u) {
                let annotator = &matrices[j * k * k..(j + 1) * k * k];
                let by = &mut by_annotators[j * k * k..(j + 1) * k * k];
                value += add_label(room.z(), l, mu, annotator, &item, by, Some(&mut by_item));
            }
            self.items.contract(k, &by_item, &mut to_items[n * each..(n + 1) * each]);
        }
        (value, by_annotators)
    }

    /// A typical curvature of a parameter that `labels` labels touch, ridge included.
    fn curvature(&self, labels: f64, ridge: f64) -> f64 {
        let share = 1.0 / self.k as f64;
        ridge + labels * share * share * (1.0 - share)
    }

    /// The M step for everything at once.
    pub fn search(&self, mu: &[f64], p: &mut Parameters, lbfgs: &Lbfgs) -> Searched {
        let table = self.labels.table;
        let (a, b) = (self.annotators.len(self.k), self.items.len(self.k));
        let mut scale = Vec::with_capacity(self.m * a + self.units * b);
        for n in table.labels_per_annotator() {
            scale.extend(std::iter::repeat_n(1.0 / self.curvature(n as f64, self.alpha), a));
        }
        for u in 0..self.units {
            scale.extend(std::iter::repeat_n(1.0 / self.curvature(table.degree(u) as f64, self.beta), b));
        }
        let mut point = std::mem::take(&mut p.annotators);
        point.append(&mut p.items);
        let out = lbfgs.minimise(&mut point, &scale, |x, g| self.value(mu, x, g));
        p.items = point.split_off(self.m * a);
        p.annotators = point;
        out
    }

    /// The M step in parts: every annotator by itself, then every item by itself. Little memory, and still no step down.
    pub fn search_in_turn(&self, mu: &[f64], p: &mut Parameters, lbfgs: &Lbfgs) {
        let (k, table) = (self.k, self.labels.table);
        let (a, b) = (self.annotators.len(k), self.items.len(k));
        let index = table.by_annotator();
        let items = &p.items;
        // matrices of items, if there is room for all of them: every search step needs them again
        let expanded = (self.items != Part::Matrix && self.units * k * k <= MOST_EXPANDED).then(|| {
            let mut all = vec![0.0; self.units * k * k];
            all.par_chunks_mut(k * k).enumerate().for_each(|(u, out)| self.item_matrix(p, u, out));
            all
        });
        let ready = if self.items == Part::Matrix { Some(items) } else { expanded.as_ref() };
        p.annotators.par_chunks_mut(a.max(1)).enumerate().for_each(|(j, own)| {
            let (mut z, mut item, mut matrix, mut by) =
                (vec![0.0; k], vec![0.0; k * k], vec![0.0; k * k], vec![0.0; k * k]);
            let scale = vec![1.0 / self.curvature(index.rows(j).len() as f64, self.alpha); a];
            let mut point = own.to_vec();
            lbfgs.minimise(&mut point, &scale, |x, g| {
                self.annotators.expand(k, x, &mut matrix);
                by.fill(0.0);
                let mut value = 0.0;
                for (&r, &u) in index.rows(j).iter().zip(index.units(j)) {
                    let u = u as usize;
                    let item = if let Some(all) = ready {
                        &all[u * k * k..(u + 1) * k * k]
                    } else {
                        self.items.expand(k, &items[u * b..(u + 1) * b], &mut item);
                        &item
                    };
                    let l = self.labels.codes.get(r as usize);
                    value += add_label(&mut z, l, &mu[u * k..(u + 1) * k], &matrix, item, &mut by, None);
                }
                ridge(self.annotators, k, &by, x, self.alpha, value, g)
            });
            own.copy_from_slice(&point);
        });
        if b == 0 {
            return;
        }
        let matrices = self.matrices(&p.annotators);
        p.items.par_chunks_mut(b).enumerate().for_each(|(u, own)| {
            let (mut z, mut matrix, mut by) = (vec![0.0; k], vec![0.0; k * k], vec![0.0; k * k]);
            let scale = vec![1.0 / self.curvature(table.degree(u) as f64, self.beta); b];
            let mut point = own.to_vec();
            lbfgs.minimise(&mut point, &scale, |x, g| {
                self.items.expand(k, x, &mut matrix);
                by.fill(0.0);
                let mut value = 0.0;
                for (j, l) in self.of(u) {
                    let annotator = &matrices[j * k * k..(j + 1) * k * k];
                    value += add_label(&mut z, l, &mu[u * k..(u + 1) * k], annotator, &matrix, &mut by, None);
                }
                ridge(self.items, k, &by, x, self.beta, value, g)
            });
            own.copy_from_slice(&point);
        });
    }

    /// The E step.
    pub fn expect(&self, p: &Parameters, ln_prior: &[f64], mu: &mut [f64]) -> Expected {
        let k = self.k;
        let matrices = self.matrices(&p.annotators);
        let parts: Vec<Expected> = (&self.runs, split_runs(mu, &self.runs, k))
            .into_par_iter()
            .map(|(run, mu)| by_classes!(k, self.expect_run(p, &matrices, ln_prior, run.clone(), mu)))
            .collect();
        let mut all = Expected { log_likelihood: 0.0, change: 0.0, class_sums: vec![0.0; k] };
        for part in &parts {
            all.log_likelihood += part.log_likelihood;
            all.change = if part.change.is_nan() || part.change > all.change { part.change } else { all.change };
            add_into(&mut all.class_sums, &part.class_sums);
        }
        all
    }

    fn expect_run<const K: usize>(
        &self,
        p: &Parameters,
        matrices: &[f64],
        ln_prior: &[f64],
        run: Range<usize>,
        mu: &mut [f64],
    ) -> Expected {
        let k = if K == 0 { self.k } else { K };
        let mut out = Expected { log_likelihood: 0.0, change: 0.0, class_sums: vec![0.0; k] };
        let (mut item, mut score, mut room) = (vec![0.0; k * k], vec![0.0; k], Room::<K>::new(k));
        for (u, old) in run.zip(mu.chunks_exact_mut(k)) {
            let known = self.known(u);
            if self.labels.table.degree(u) == 0 && known.is_none() {
                continue;
            }
            self.item_matrix(p, u, &mut item);
            score.copy_from_slice(ln_prior);
            for (j, l) in self.of(u) {
                let annotator = &matrices[j * k * k..(j + 1) * k * k];
                for c in 0..k {
                    score[c] += ln_row(room.z(), c, l, annotator, &item);
                }
            }
            if let Some(c) = known {
                out.log_likelihood += score[c];
                score.fill(0.0);
                score[c] = 1.0;
            } else {
                out.log_likelihood += softmax(&mut score);
            }
            add_into(&mut out.class_sums, &score);
            for (old, &new) in old.iter_mut().zip(&score) {
                let d = (*old - new).abs();
                out.change = if d.is_nan() || d > out.change { d } else { out.change };
                *old = new;
            }
        }
        out
    }
}

/// Completes value and gradient of one annotator or item with its ridge.
fn ridge(part: Part, k: usize, by: &[f64], x: &[f64], weight: f64, value: f64, gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    part.contract(k, by, gradient);
    let mut square = 0.0;
    for (g, x) in gradient.iter_mut().zip(x) {
        *g += weight * x;
        square += x * x;
    }
    value + 0.5 * weight * square
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder, stream};
    use rand::RngExt;

    /// 20 labels of three classes at random parameters: the gradient by finite differences.
    #[test]
    fn gradients_are_right() {
        let mut rng = stream(1, "minimax", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for n in 0..20 {
            let l = rng.random_range(0..3);
            b.label(&format!("i{}", n % 6), &format!("a{}", n % 4), &format!("c{l}")).unwrap();
        }
        let data = Dataset::new(b.finish().unwrap());
        for annotators in [Part::Matrix, Part::Thresholds] {
            for items in [Part::Matrix, Part::Row, Part::Thresholds, Part::Scalar, Part::Nothing] {
                let model = Model::new(&data, annotators, items, 0.3, 0.7);
                let mut mu: Vec<f64> = (0..18).map(|_| rng.random_range(0.1..1.0)).collect();
                mu.chunks_mut(3).for_each(|r| {
                    let s: f64 = r.iter().sum();
                    r.iter_mut().for_each(|x| *x /= s);
                });
                let n = 4 * annotators.len(3) + 6 * items.len(3);
                let mut x: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
                let (mut g, mut unused) = (vec![0.0; n], vec![0.0; n]);
                model.value(&mu, &x, &mut g);
                for i in 0..n {
                    let at = x[i];
                    x[i] = at + 1e-5;
                    let up = model.value(&mu, &x, &mut unused);
                    x[i] = at - 1e-5;
                    let down = model.value(&mu, &x, &mut unused);
                    x[i] = at;
                    let d = (up - down) / 2e-5;
                    assert!((d - g[i]).abs() < 1e-8, "{annotators:?} {items:?} {i}: {} {d}", g[i]);
                }
            }
        }
    }

    /// Both ways of searching end at the same point if they are given the time.
    #[test]
    fn in_turn_and_at_once_agree() {
        let mut rng = stream(2, "minimax", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for n in 0..60 {
            let l = if rng.random_bool(0.7) { n % 10 % 3 } else { rng.random_range(0..3) };
            b.label(&format!("i{}", n % 10), &format!("a{}", n / 10), &format!("c{l}")).unwrap();
        }
        let data = Dataset::new(b.finish().unwrap());
        let model = Model::new(&data, Part::Matrix, Part::Matrix, 1.0, 2.0);
        let mu: Vec<f64> = (0..30).map(|x| if x / 3 % 3 == x % 3 { 0.8 } else { 0.1 }).collect();
        let lbfgs = Lbfgs { max_iter: 500, tol: 1e-10, history: 10 };
        let (mut one, mut two) = (model.zero(), model.zero());
        assert!(model.search(&mu, &mut one, &lbfgs).converged);
        for _ in 0..100 {
            model.search_in_turn(&mu, &mut two, &lbfgs);
        }
        let far = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(far(&one.annotators, &two.annotators) < 1e-7 && far(&one.items, &two.items) < 1e-7);
    }
}
