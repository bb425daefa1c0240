//! Factors U of all places with S_mj ≈ U_m U_jᵀ over the pairs that share items.

use super::super::pairs::Pairs;
use super::impute::Imputed;
use crate::classes::spectral::eigen;
use crowdwise_core::{Context, Error};
use crowdwise_numerics::{Leading, Matrix, Spectrum, dot};
use rayon::prelude::*;

pub(super) struct Subspace {
    k: usize,
    /// Places x label x K.
    pub factors: Vec<f64>,
    /// Uᵀ U of every place.
    gram: Vec<f64>,
}

/// Places per piece of parallel work.
const CHUNK: usize = 32;
/// Ridge, as a part of the mean diagonal.
const RIDGE: f64 = 1e-6;

impl Subspace {
    /// The leading eigenvectors of the matrix of all blocks, missing ones and those of a place with itself being zero
    /// (or imputed).
    pub fn by_eigenvectors(
        pairs: &Pairs,
        used: &[bool],
        imputed: &Imputed,
        cx: &mut Context<'_>,
    ) -> Result<Subspace, Error> {
        let k = pairs.k;
        let want = Leading { count: k, spectrum: Spectrum::Largest, max_iter: 500.max(20 * k), tol: 1e-9 };
        let pairs_of = eigen(&want, used.len() * k, cx, |cx, x, y| {
            cx.install(|| {
                y.par_chunks_mut(k * CHUNK).enumerate().for_each(|(c, rows)| {
                    for (r, row) in rows.chunks_exact_mut(k).enumerate() {
                        let p = c * CHUNK + r;
                        row.fill(0.0);
                        if !used[p] {
                            continue;
                        }
                        for &(other, pair) in pairs.near(p).iter().filter(|n| used[n.0 as usize]) {
                            let from = &x[other as usize * k..(other as usize + 1) * k];
                            pairs.seen_by(p, pair as usize).for_each(|(l, o, share)| row[l] += share * from[o]);
                        }
                        imputed.apply(p, k, x, row);
                    }
                });
            })
        })?;
        let mut out = Subspace { k, factors: vec![0.0; used.len() * k * k], gram: vec![0.0; used.len() * k * k] };
        for (t, (value, v)) in pairs_of.values.iter().zip(&pairs_of.vectors).enumerate() {
            let scale = value.max(1e-9).sqrt();
            v.iter().enumerate().for_each(|(row, x)| out.factors[row * k + t] = scale * x);
        }
        (0..used.len()).for_each(|p| out.update_gram(p));
        Ok(out)
    }

    /// The factors of these tables (places x label x truth) and class shares.
    pub fn by_tables(tables: &[f64], shares: &[f64]) -> Subspace {
        let k = shares.len();
        let factors = tables.iter().enumerate().map(|(x, a)| a * shares[x % k].sqrt()).collect();
        let mut out = Subspace { k, factors, gram: vec![0.0; tables.len()] };
        (0..tables.len() / (k * k)).for_each(|p| out.update_gram(p));
        out
    }

    fn update_gram(&mut self, p: usize) {
        let k = self.k;
        let (own, gram) = (&self.factors[p * k * k..(p + 1) * k * k], &mut self.gram[p * k * k..(p + 1) * k * k]);
        gram.fill(0.0);
        for row in own.chunks_exact(k) {
            for s in 0..k {
                (0..k).for_each(|t| gram[s * k + t] += row[s] * row[t]);
            }
        }
    }

    /// Weighted least squares for one place after the other in the given order; returns the relative change.
    pub fn sweep(&mut self, pairs: &Pairs, order: &[usize], used: &[bool], weights: bool) -> f64 {
        let k = self.k;
        let (mut moved, mut size) = (0.0, 0.0);
        let (mut left, mut right) = (vec![0.0; k * k], vec![0.0; k * k]);
        for &p in order.iter().filter(|&&p| used[p]) {
            left.fill(0.0);
            right.fill(0.0);
            for &(other, x) in pairs.near(p).iter().filter(|n| used[n.0 as usize]) {
                let w = if weights { pairs.all[x as usize].n as f64 } else { 1.0 };
                let at = other as usize * k * k;
                left.iter_mut().zip(&self.gram[at..at + k * k]).for_each(|(l, g)| *l += w * g);
                for (l, o, share) in pairs.seen_by(p, x as usize) {
                    let from = &self.factors[at + o * k..at + (o + 1) * k];
                    right[l * k..(l + 1) * k].iter_mut().zip(from).for_each(|(r, u)| *r += w * share * u);
                }
            }
            let ridge = RIDGE * (0..k).map(|t| left[t * k + t]).sum::<f64>() / k as f64;
            let shifted = Matrix::from_fn(k, k, |r, c| left[r * k + c] + if r == c { ridge } else { 0.0 });
            let Some(inverse) = shifted.inverse() else { continue };
            let own = &mut self.factors[p * k * k..(p + 1) * k * k];
            for (row, r) in own.chunks_exact_mut(k).zip(right.chunks_exact(k)) {
                for (t, u) in row.iter_mut().enumerate() {
                    let new = dot(inverse.row(t), r);
                    moved += (new - *u).powi(2);
                    size += *u * *u;
                    *u = new;
                }
            }
            self.update_gram(p);
        }
        (moved / f64::max(size, f64::MIN_POSITIVE)).sqrt()
    }

    /// Half the (weighted) mean of the squared differences |S - U Uᵀ|² over pairs.
    pub fn error(&self, pairs: &Pairs, used: &[bool], weights: bool) -> f64 {
        let k = self.k;
        let (mut sum, mut total) = (0.0, 0.0);
        for (x, pair) in pairs.all.iter().enumerate() {
            let (a, b) = (pair.a as usize, pair.b as usize);
            if !used[a] || !used[b] {
                continue;
            }
            let w = if weights { pair.n as f64 } else { 1.0 };
            let mut own = dot(&self.gram[a * k * k..(a + 1) * k * k], &self.gram[b * k * k..(b + 1) * k * k]);
            for (l, o, share) in pairs.seen_by(a, x) {
                let u = &self.factors[a * k * k + l * k..][..k];
                let v = &self.factors[b * k * k + o * k..][..k];
                own += share * (share - 2.0 * dot(u, v));
            }
            sum += w * own;
            total += w;
        }
        0.5 * sum / f64::max(total, f64::MIN_POSITIVE)
    }
}
