//! The rotation that makes factors non-negative.

use crowdwise_core::{Context, Error};
use crowdwise_numerics::Matrix;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

pub(super) struct Turned {
    /// Places x label x K, non-negative.
    pub factors: Vec<f64>,
    /// Squares of the negative entries before they were cut, as a part of all.
    pub negative: f64,
}

/// Steps of one search at most.
const STEPS: usize = 200;
/// Rows per piece of parallel work.
const CHUNK: usize = 4096;

/// Finds an orthogonal Q with U Q ≥ 0 as far as possible: Q ← argmin |max(U Q, 0) - U Q'|, again and again, from several
/// starts. The first start is the rotation towards the tables of the votes.
pub(super) fn rotate(
    factors: &[f64],
    votes: &[f64],
    used: &[bool],
    k: usize,
    starts: usize,
    cx: &mut Context<'_>,
) -> Result<Turned, Error> {
    let mut rows = Vec::new();
    let mut target = Vec::new();
    for p in (0..used.len()).filter(|&p| used[p]) {
        rows.extend_from_slice(&factors[p * k * k..(p + 1) * k * k]);
        target.extend_from_slice(&votes[p * k * k..(p + 1) * k * k]);
    }
    let mut best: Option<(f64, Matrix)> = None;
    for start in 0..starts {
        let mut q = if start == 0 {
            nearest_rotation(&cross(&target, &rows, k, cx)?)
        } else {
            let mut rng = cx.rng("rotation", start as u64);
            Matrix::new(k, k, (0..k * k).map(|_| StandardNormal.sample(&mut rng)).collect()).svd().u
        };
        for _ in 0..STEPS {
            let next = nearest_rotation(&positive_cross(&rows, &q, k, cx)?);
            let far = next.values().iter().zip(q.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            q = next;
            if far < 1e-10 {
                break;
            }
        }
        let left = negative(&rows, &q, k);
        if best.as_ref().is_none_or(|b| left < b.0 * (1.0 - 1e-9)) {
            best = Some((left, q));
        }
        if cx.cancelled() {
            break;
        }
    }
    let (left, q) = best.expect("at least one start");
    let all: f64 = rows.iter().map(|x| x * x).sum();
    let mut turned = vec![0.0; factors.len()];
    for (row, out) in factors.chunks_exact(k).zip(turned.chunks_exact_mut(k)) {
        times(row, &q, out);
        out.iter_mut().for_each(|x| *x = x.max(0.0));
    }
    Ok(Turned { factors: turned, negative: left / all.max(f64::MIN_POSITIVE) })
}

/// The orthogonal Q that maximises <H, U Q> where `cross` = Hᵀ U: with Hᵀ U = P S Rᵀ it is R Pᵀ.
fn nearest_rotation(cross: &Matrix) -> Matrix {
    let d = cross.svd();
    d.v.times(&d.u.transpose())
}

fn times(row: &[f64], q: &Matrix, out: &mut [f64]) {
    out.fill(0.0);
    for (s, &x) in row.iter().enumerate() {
        out.iter_mut().zip(q.row(s)).for_each(|(o, y)| *o += x * y);
    }
}

/// Hᵀ U for rows of H and U, summed in pieces so that the order never depends on threads.
fn cross(h: &[f64], u: &[f64], k: usize, cx: &mut Context<'_>) -> Result<Matrix, Error> {
    summed(h, u, k, cx, |h, out| out.copy_from_slice(h))
}

/// max(U Q, 0)ᵀ U.
fn positive_cross(u: &[f64], q: &Matrix, k: usize, cx: &mut Context<'_>) -> Result<Matrix, Error> {
    summed(u, u, k, cx, |row, out| {
        times(row, q, out);
        out.iter_mut().for_each(|x| *x = x.max(0.0));
    })
}

fn summed(
    h: &[f64],
    u: &[f64],
    k: usize,
    cx: &mut Context<'_>,
    make: impl Fn(&[f64], &mut [f64]) + Sync,
) -> Result<Matrix, Error> {
    let pieces: Vec<Vec<f64>> = cx.install(|| {
        let piece = |(h, u): (&[f64], &[f64])| {
            let (mut sum, mut row) = (vec![0.0; k * k], vec![0.0; k]);
            for (h, u) in h.chunks_exact(k).zip(u.chunks_exact(k)) {
                make(h, &mut row);
                for s in 0..k {
                    let x = row[s];
                    sum[s * k..(s + 1) * k].iter_mut().zip(u).for_each(|(c, y)| *c += x * y);
                }
            }
            sum
        };
        h.par_chunks(k * CHUNK).zip(u.par_chunks(k * CHUNK)).map(piece).collect()
    })?;
    let mut total = vec![0.0; k * k];
    pieces.iter().for_each(|p| crowdwise_numerics::add_into(&mut total, p));
    Ok(Matrix::new(k, k, total))
}

/// Sum of squares of the negative entries of U Q.
fn negative(u: &[f64], q: &Matrix, k: usize) -> f64 {
    let mut row = vec![0.0; k];
    u.chunks_exact(k)
        .map(|r| {
            times(r, q, &mut row);
            row.iter().map(|x| x.min(0.0).powi(2)).sum::<f64>()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;

    #[test]
    fn a_hidden_non_negative_factor_is_found() {
        let mut rng = stream(1, "rotate", 0);
        for k in [2, 3, 5] {
            let places = 8;
            // rows with many zeros: the condition under which the rotation is unique
            let draw = |z: bool, x: f64| if z { 0.0 } else { x };
            let truth: Vec<f64> =
                (0..places * k * k).map(|_| draw(rng.random_bool(0.5), rng.random_range(0.1..1.0))).collect();
            let mix = Matrix::new(k, k, (0..k * k).map(|_| rng.random_range(-1.0..1.0)).collect()).svd().u;
            let mut factors = vec![0.0; truth.len()];
            truth.chunks_exact(k).zip(factors.chunks_exact_mut(k)).for_each(|(r, o)| times(r, &mix, o));
            let mut cx = Context::default();
            let t = rotate(&factors, &truth, &vec![true; places], k, 10, &mut cx).unwrap();
            assert!(t.negative < 1e-12, "{k}: {}", t.negative);
            let d = t.factors.iter().zip(&truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(d < 1e-5, "{k}: {d}");
        }
    }
}
