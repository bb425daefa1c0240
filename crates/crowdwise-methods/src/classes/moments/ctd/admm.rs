//! The objective of the coupled decomposition and one round of its alternating minimisation.

use super::super::align::to_simplex;
use super::super::labels::Labels;
use super::super::pairs::Pairs;
use super::super::triples::Triple;
use crowdwise_numerics::{Matrix, dot, norm};

/// Half the sum of squared differences between the moments of single places, pairs and triples and those of the model.
pub(super) struct Coupled<'a> {
    k: usize,
    pairs: &'a Pairs,
    triples: Vec<Triple>,
    /// Label shares of each place.
    single: Vec<f64>,
    /// Triples of place p: `of[of_starts[p]..of_starts[p + 1]]`.
    of_starts: Vec<usize>,
    of: Vec<u32>,
    /// Sum of squares of all moments.
    size: f64,
}

/// Tables (places x label x truth) and class shares.
#[derive(Clone)]
pub(super) struct Point {
    pub tables: Vec<f64>,
    pub prior: Vec<f64>,
}

impl Point {
    pub fn new(tables: Vec<f64>, k: usize) -> Point {
        Point { tables, prior: vec![1.0 / k as f64; k] }
    }
}

/// What the rounds carry along.
pub(super) struct State {
    dual: Vec<f64>,
    dual_prior: Vec<f64>,
    /// Aᵀ A of every place, K x K.
    gram: Vec<f64>,
    /// Weight of staying near the last point.
    near: f64,
    pub objective: f64,
}

impl<'a> Coupled<'a> {
    pub fn new(labels: &Labels, pairs: &'a Pairs, triples: Vec<Triple>) -> Coupled<'a> {
        let (k, places) = (labels.k, labels.places());
        let mut single = vec![0.0; places * k];
        for p in 0..places {
            let n = labels.of(p).len().max(1) as f64;
            labels.of(p).for_each(|(_, l)| single[p * k + l] += 1.0 / n);
        }
        let mut of_starts = vec![0usize; places + 1];
        triples.iter().for_each(|t| t.places.iter().for_each(|&p| of_starts[p as usize + 1] += 1));
        (0..places).for_each(|p| of_starts[p + 1] += of_starts[p]);
        let mut next = of_starts.clone();
        let mut of = vec![0; 3 * triples.len()];
        for (x, t) in triples.iter().enumerate() {
            for &p in &t.places {
                of[next[p as usize]] = x as u32;
                next[p as usize] += 1;
            }
        }
        let of_pair = |x: usize| pairs.seen_by(pairs.all[x].a as usize, x).map(|c| c.2 * c.2).sum::<f64>();
        let size = dot(&single, &single)
            + (0..pairs.all.len()).map(of_pair).sum::<f64>()
            + triples.iter().flat_map(|t| &t.cells).map(|c| c.1 * c.1).sum::<f64>();
        Coupled { k, pairs, triples, single, of_starts, of, size }
    }

    pub fn triples(&self) -> usize {
        self.triples.len()
    }

    pub fn begin(&self, point: &Point) -> State {
        let k = self.k;
        let mut gram = vec![0.0; point.tables.len()];
        for (g, t) in gram.chunks_exact_mut(k * k).zip(point.tables.chunks_exact(k * k)) {
            gram_of(t, k, g);
        }
        let (left, right) = self.of_shares(point, &gram);
        let objective = self.objective(&left, &right, &point.prior);
        State {
            dual: vec![0.0; point.tables.len()],
            dual_prior: vec![0.0; k],
            gram,
            near: self.near(objective),
            objective,
        }
    }

    fn near(&self, objective: f64) -> f64 {
        1e-7 + 1e-2 * objective / self.size.max(f64::MIN_POSITIVE)
    }

    /// The objective as a function of the class shares d, given the tables: half of size - 2 right·d + d·(left d). Products
    /// of models are sums over classes of products of Gram entries.
    fn of_shares(&self, point: &Point, gram: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let k = self.k;
        let table = |p: u32| &point.tables[p as usize * k * k..(p as usize + 1) * k * k];
        let own = |p: u32| &gram[p as usize * k * k..(p as usize + 1) * k * k];
        let (mut left, mut right) = (vec![0.0; k * k], vec![0.0; k]);
        for (p, m) in self.single.chunks_exact(k).enumerate() {
            left.iter_mut().zip(own(p as u32)).for_each(|(l, g)| *l += g);
            let a = table(p as u32);
            (0..k).for_each(|l| (0..k).for_each(|t| right[t] += m[l] * a[l * k + t]));
        }
        for (x, pair) in self.pairs.all.iter().enumerate() {
            let (a, b) = (table(pair.a), table(pair.b));
            left.iter_mut().zip(own(pair.a).iter().zip(own(pair.b))).for_each(|(l, (g, h))| *l += g * h);
            for (l, o, share) in self.pairs.seen_by(pair.a as usize, x) {
                (0..k).for_each(|t| right[t] += share * a[l * k + t] * b[o * k + t]);
            }
        }
        for t in &self.triples {
            let [a, b, c] = t.places.map(table);
            let [e, f, g] = t.places.map(own);
            (0..k * k).for_each(|x| left[x] += e[x] * f[x] * g[x]);
            for &([l, m, o], share) in &t.cells {
                let (l, m, o) = (l as usize * k, m as usize * k, o as usize * k);
                (0..k).for_each(|t| right[t] += share * a[l + t] * b[m + t] * c[o + t]);
            }
        }
        (left, right)
    }

    fn objective(&self, left: &[f64], right: &[f64], d: &[f64]) -> f64 {
        let square: f64 = d.iter().zip(left.chunks_exact(self.k)).map(|(d_s, row)| d_s * dot(row, d)).sum();
        (0.5 * (self.size - 2.0 * dot(right, d) + square)).max(0.0)
    }

    /// One round: every table, then the class shares. Returns the relative change.
    pub fn round(&self, point: &mut Point, state: &mut State, inner: usize) -> f64 {
        let k = self.k;
        let places = point.tables.len() / (k * k);
        let before = (point.clone(), state.gram.clone());
        let mut problem = Problem::new(k);
        for p in 0..places {
            if self.pairs.near(p).is_empty() {
                continue;
            }
            self.of_place(p, point, &state.gram, &mut problem);
            let at = p * k * k..(p + 1) * k * k;
            problem.solve(state.near, inner, &mut point.tables[at.clone()], &mut state.dual[at.clone()]);
            gram_of(&point.tables[at.clone()], k, &mut state.gram[at]);
        }
        let (left, right) = self.of_shares(point, &state.gram);
        self.shares(&left, &right, point, state, inner);
        let objective = self.objective(&left, &right, &point.prior);
        let moved: f64 = sum_abs(&point.tables, &before.0.tables) / before.0.tables.iter().sum::<f64>();
        let change = moved.max(sum_abs(&point.prior, &before.0.prior));
        if objective > state.objective {
            // ADMM need not descend: a round that does not is taken back, and the next one stays nearer
            (*point, state.gram) = before;
            state.dual.fill(0.0);
            state.dual_prior.fill(0.0);
            state.near *= 10.0;
            return change;
        }
        state.objective = objective;
        state.near = self.near(objective);
        change
    }

    /// The least-squares problem of one table: L Aᵀ = R.
    fn of_place(&self, p: usize, point: &Point, gram: &[f64], out: &mut Problem) {
        let (k, d) = (self.k, &point.prior);
        let table = |p: usize| &point.tables[p * k * k..(p + 1) * k * k];
        let own = |p: usize| &gram[p * k * k..(p + 1) * k * k];
        out.left.fill(0.0);
        out.right.fill(0.0);
        for &(other, x) in self.pairs.near(p) {
            let b = table(other as usize);
            out.left.iter_mut().zip(own(other as usize)).for_each(|(l, g)| *l += g);
            for (l, o, share) in self.pairs.seen_by(p, x as usize) {
                (0..k).for_each(|t| out.right[l * k + t] += share * b[o * k + t]);
            }
        }
        for &x in &self.of[self.of_starts[p]..self.of_starts[p + 1]] {
            let t = &self.triples[x as usize];
            let me = t.places.iter().position(|&q| q as usize == p).expect("own triples");
            let (y, z) = ((me + 1) % 3, (me + 2) % 3);
            let (q, r) = (t.places[y] as usize, t.places[z] as usize);
            let (b, c) = (table(q), table(r));
            out.left.iter_mut().zip(own(q).iter().zip(own(r))).for_each(|(l, (g, h))| *l += g * h);
            for &(said, share) in &t.cells {
                let (l, m, o) = (said[me] as usize * k, said[y] as usize * k, said[z] as usize * k);
                (0..k).for_each(|t| out.right[l + t] += share * b[m + t] * c[o + t]);
            }
        }
        for s in 0..k {
            for t in 0..k {
                out.left[s * k + t] = d[s] * d[t] * (out.left[s * k + t] + 1.0);
            }
        }
        for l in 0..k {
            (0..k).for_each(|t| out.right[l * k + t] = d[t] * (out.right[l * k + t] + self.single[p * k + l]));
        }
    }

    /// ADMM on the class shares.
    fn shares(&self, left: &[f64], right: &[f64], point: &mut Point, state: &mut State, inner: usize) {
        let k = self.k;
        let pull = norm(left) / k as f64;
        let Some(inverse) = shifted_inverse(left, state.near + pull, k) else { return };
        let fixed: Vec<f64> = right.iter().zip(&point.prior).map(|(r, d)| r + state.near * d).collect();
        let mut scratch = Vec::new();
        for _ in 0..inner {
            let target: Vec<f64> = (0..k).map(|t| fixed[t] + pull * (point.prior[t] + state.dual_prior[t])).collect();
            let free = inverse.apply(&target);
            (0..k).for_each(|t| point.prior[t] = free[t] - state.dual_prior[t]);
            to_simplex(&mut point.prior, &mut scratch);
            (0..k).for_each(|t| state.dual_prior[t] += point.prior[t] - free[t]);
        }
    }
}

/// min ½ tr(A L Aᵀ) - <R, A> with columns of A on the simplex; R is in the layout of tables.
struct Problem {
    k: usize,
    left: Vec<f64>,
    right: Vec<f64>,
    scratch: Vec<f64>,
}

impl Problem {
    fn new(k: usize) -> Problem {
        Problem { k, left: vec![0.0; k * k], right: vec![0.0; k * k], scratch: Vec::new() }
    }

    fn solve(&mut self, near: f64, inner: usize, table: &mut [f64], dual: &mut [f64]) {
        let k = self.k;
        let pull = norm(&self.left) / k as f64;
        let Some(inverse) = shifted_inverse(&self.left, near + pull, k) else { return };
        let fixed: Vec<f64> = self.right.iter().zip(table.iter()).map(|(r, a)| r + near * a).collect();
        let (mut free, mut target, mut column) = (vec![0.0; k * k], vec![0.0; k], vec![0.0; k]);
        for _ in 0..inner {
            for l in 0..k {
                (0..k).for_each(|t| target[t] = fixed[l * k + t] + pull * (table[l * k + t] + dual[l * k + t]));
                (0..k).for_each(|t| free[l * k + t] = dot(inverse.row(t), &target));
            }
            for t in 0..k {
                (0..k).for_each(|l| column[l] = free[l * k + t] - dual[l * k + t]);
                to_simplex(&mut column, &mut self.scratch);
                (0..k).for_each(|l| table[l * k + t] = column[l]);
            }
            (0..k * k).for_each(|x| dual[x] += table[x] - free[x]);
        }
    }
}

fn shifted_inverse(left: &[f64], shift: f64, k: usize) -> Option<Matrix> {
    Matrix::from_fn(k, k, |r, c| left[r * k + c] + if r == c { shift } else { 0.0 }).inverse()
}

/// Aᵀ A.
fn gram_of(table: &[f64], k: usize, out: &mut [f64]) {
    out.fill(0.0);
    for row in table.chunks_exact(k) {
        for s in 0..k {
            (0..k).for_each(|t| out[s * k + t] += row[s] * row[t]);
        }
    }
}

fn sum_abs(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum()
}
