//! Covariances of annotators that independent annotators explain by a low rank, fitted robustly: those who do not fit stand
//! out.

use super::affinity::{NONE, busiest, habits, last_rows};
use crowdwise_core::Categorical;
use crowdwise_numerics::{Cholesky, Leading, median};

/// Numbers in all covariance blocks at most.
const MOST_CELLS: usize = 8_000_000;
/// Sweeps of least squares in a round.
const SWEEPS: usize = 20;
/// A median absolute deviation of normal numbers is this much less than their standard deviation.
const MAD: f64 = 1.4826;

/// Covariance of one annotator with another, from both sides.
struct Block {
    to: u32,
    n: f64,
    /// K x K, rows are the classes of the annotator whose list it is in.
    cells: Vec<f64>,
}

/// What is found about one annotator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Score {
    /// Squared covariance with the trusted beyond chance, over that of chance; 0 = says nothing about them.
    pub information: f64,
    pub information_se: f64,
    /// Distance from the common low rank, in standard deviations over the median one.
    pub residual: f64,
    /// Mean trace of the covariance with the trusted: negative = says the opposite.
    pub sign: f64,
    pub sign_se: f64,
    /// Trusted annotators with common items.
    pub near: usize,
}

pub(super) struct Covariances {
    /// Annotator of each place.
    pub who: Vec<u32>,
    k: usize,
    blocks: Vec<Vec<Block>>,
    /// 1 - Σ μ² of each place.
    variance: Vec<f64>,
}

impl Covariances {
    pub fn new(labels: &Categorical<'_>, min_common: usize) -> Covariances {
        let (table, k) = (labels.table, labels.k());
        let most = ((2.0 * (MOST_CELLS / (2 * k * k).max(1)) as f64).sqrt() as usize).clamp(3, 2000);
        let (who, place) = busiest(table, min_common as u64, most);
        let habits = habits(labels, &who, &place);
        let mut blocks: Vec<Vec<Block>> = (0..who.len()).map(|_| Vec::new()).collect();
        let index = table.by_annotator();
        // the blocks of one annotator at a time, by the place of the other
        let mut slot = vec![NONE; who.len()];
        for (a, &j) in who.iter().enumerate() {
            slot.fill(NONE);
            let mut own: Vec<Block> = Vec::new();
            let units = index.units(j as usize);
            for (x, (&r, &u)) in index.rows(j as usize).iter().zip(units).enumerate() {
                if units.get(x + 1) == Some(&u) {
                    continue;
                }
                let row = labels.codes.get(r as usize) * k;
                for s in last_rows(table, u as usize) {
                    let b = place[table.annotator()[s] as usize];
                    if b == NONE || b as usize == a {
                        continue;
                    }
                    if slot[b as usize] == NONE {
                        slot[b as usize] = own.len() as u32;
                        own.push(Block { to: b, n: 0.0, cells: vec![0.0; k * k] });
                    }
                    let block = &mut own[slot[b as usize] as usize];
                    block.n += 1.0;
                    block.cells[row + labels.codes.get(s)] += 1.0;
                }
            }
            own.retain(|b| b.n >= min_common as f64);
            own.sort_unstable_by_key(|b| b.to);
            for block in &mut own {
                let n = block.n;
                block.cells.iter_mut().for_each(|x| *x /= n);
                for (c, x) in &habits[a].share {
                    for (d, y) in &habits[block.to as usize].share {
                        block.cells[*c as usize * k + *d as usize] -= x * y;
                    }
                }
            }
            blocks[a] = own;
        }
        Covariances { who, k, blocks, variance: habits.iter().map(|h| h.variance).collect() }
    }

    /// Rounds of fitting the trusted and judging all. Who is not trusted in the end, with the scores.
    pub fn judge(&self, rounds: usize, threshold: f64) -> (Vec<bool>, Vec<Score>) {
        let m = self.who.len();
        let mut trusted = vec![true; m];
        let mut scores = vec![Score::default(); m];
        for _ in 0..rounds {
            let factor = self.factors(&trusted);
            scores = self.scores(&factor, &trusted);
            let next: Vec<bool> = scores.iter().map(|s| !(s.misfit(threshold) || s.turned())).collect();
            // a majority of adversaries cannot be told from a majority of honest annotators
            let kept = next.iter().filter(|t| **t).count();
            if next == trusted || kept < 3 || 2 * kept < m {
                break;
            }
            trusted = next;
        }
        (trusted, scores)
    }

    /// A factor U_m (K x (K-1)) for every annotator with C_mj ≈ U_m U_jᵀ for the trusted j, by alternating least squares.
    fn factors(&self, trusted: &[bool]) -> Vec<f64> {
        let (m, k, r) = (self.who.len(), self.k, self.k - 1);
        let mut u = self.start(trusted);
        let (mut left, mut right) = (vec![0.0; k * r], vec![0.0; r * r]);
        for _ in 0..SWEEPS {
            for a in 0..m {
                left.fill(0.0);
                right.fill(0.0);
                for b in self.blocks[a].iter().filter(|b| trusted[b.to as usize]) {
                    let other = &u[b.to as usize * k * r..(b.to as usize + 1) * k * r];
                    for c in 0..k {
                        for d in 0..k {
                            let x = b.cells[c * k + d];
                            if x != 0.0 {
                                (0..r).for_each(|f| left[c * r + f] += x * other[d * r + f]);
                            }
                        }
                    }
                    for d in 0..k {
                        for f in 0..r {
                            (0..r).for_each(|g| right[f * r + g] += other[d * r + f] * other[d * r + g]);
                        }
                    }
                }
                let scale: f64 = (0..r).map(|f| right[f * r + f]).sum::<f64>() / r as f64;
                if scale <= 1e-300 {
                    continue;
                }
                (0..r).for_each(|f| right[f * r + f] += 1e-9 * scale);
                // U right = left, row by row
                if let Some(factor) = Cholesky::new(r, right.clone()) {
                    left.chunks_exact_mut(r).for_each(|row| factor.solve(row));
                    u[a * k * r..(a + 1) * k * r].copy_from_slice(&left);
                }
            }
        }
        u
    }

    /// The leading eigenvectors of the matrix of all blocks of the trusted, scaled.
    fn start(&self, trusted: &[bool]) -> Vec<f64> {
        let (m, k, r) = (self.who.len(), self.k, self.k - 1);
        let apply = |x: &[f64], y: &mut [f64]| {
            y.fill(0.0);
            for a in (0..m).filter(|&a| trusted[a]) {
                for b in self.blocks[a].iter().filter(|b| trusted[b.to as usize]) {
                    let from = &x[b.to as usize * k..(b.to as usize + 1) * k];
                    for c in 0..k {
                        y[a * k + c] += b.cells[c * k..(c + 1) * k].iter().zip(from).map(|(p, q)| p * q).sum::<f64>();
                    }
                }
            }
        };
        let pairs = Leading { count: r, tol: 1e-10, ..Leading::default() }.eigen(m * k, apply);
        let mut u = vec![0.0; m * k * r];
        for (f, (value, vector)) in pairs.values.iter().zip(&pairs.vectors).enumerate() {
            let scale = value.max(1e-12).sqrt();
            vector.iter().enumerate().for_each(|(x, v)| u[x * r + f] = scale * v);
        }
        u
    }

    fn scores(&self, factor: &[f64], trusted: &[bool]) -> Vec<Score> {
        let (k, r) = (self.k, self.k - 1);
        let own = |a: usize| &factor[a * k * r..(a + 1) * k * r];
        let mut out: Vec<Score> = Vec::with_capacity(self.who.len());
        let mut residuals = Vec::with_capacity(self.who.len());
        for (a, blocks) in self.blocks.iter().enumerate() {
            let mut far: Vec<f64> = Vec::with_capacity(blocks.len());
            let (mut s, mut n, mut chance) = (Score::default(), 0.0, 0.0);
            for b in blocks {
                let mut square = 0.0;
                for c in 0..k {
                    for d in 0..k {
                        let fit: f64 = (0..r).map(|f| own(a)[c * r + f] * own(b.to as usize)[d * r + f]).sum();
                        square += (b.cells[c * k + d] - fit).powi(2);
                    }
                }
                far.push((square * b.n).sqrt());
                let both = self.variance[a] * self.variance[b.to as usize];
                if trusted[b.to as usize] && both > 1e-12 {
                    let norm: f64 = b.cells.iter().map(|x| x * x).sum();
                    s.information += norm / both - 1.0 / b.n;
                    s.sign += (0..k).map(|c| b.cells[c * k + c]).sum::<f64>();
                    s.near += 1;
                    n += b.n;
                    chance += both / b.n;
                }
            }
            let near = s.near.max(1) as f64;
            s.information /= near;
            s.sign /= near;
            s.information_se = (2.0 / near).sqrt() / (k as f64 - 1.0) / (n / near).max(1.0);
            s.sign_se = (chance / near / near).sqrt();
            residuals.push(median(&mut far));
            out.push(s);
        }
        let mut known: Vec<f64> = residuals.iter().copied().filter(|x| x.is_finite()).collect();
        let middle = median(&mut known);
        let mut off: Vec<f64> = known.iter().map(|x| (x - middle).abs()).collect();
        let spread = MAD * median(&mut off) + 1e-9;
        for (s, x) in out.iter_mut().zip(&residuals) {
            s.residual = if x.is_finite() { (x - middle) / spread } else { 0.0 };
        }
        out
    }
}

impl Score {
    /// Further from the common low rank than noise explains.
    pub fn misfit(&self, threshold: f64) -> bool {
        self.near > 0 && self.residual > threshold
    }

    /// Surely says the opposite of the trusted.
    pub fn turned(&self) -> bool {
        self.near > 0 && self.sign < -2.0 * self.sign_se
    }

    /// Surely tells less than a tenth of what the typical trusted annotator tells.
    pub fn silent(&self, typical: f64) -> bool {
        self.near > 0 && self.information + 3.0 * self.information_se < 0.1 * typical
    }
}
