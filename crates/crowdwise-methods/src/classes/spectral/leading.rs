//! Leading eigenpairs and singular pairs of what is known only by its products, with progress and a way to stop.

use crowdwise_core::{Context, Error, Run, Step, Stop};
use crowdwise_numerics::{Leading, Spectrum, norm};

/// Pairs in order, the leading one first.
#[derive(Clone, Debug)]
pub(crate) struct LeadingPairs {
    /// Eigenvalues, or singular values.
    pub values: Vec<f64>,
    /// Eigenvectors, or right singular vectors, of length 1; the sign is arbitrary but always the same.
    pub vectors: Vec<Vec<f64>>,
    /// One iteration is one product with the operator (with A and Aᵀ for singular pairs).
    pub run: Run,
}

/// Eigenpairs of the symmetric operator of size `n` that `apply(cx, x, y)` writes as y = A x. A cancelled run gives the
/// best so far.
pub(crate) fn eigen(
    wanted: &Leading,
    n: usize,
    cx: &mut Context<'_>,
    mut apply: impl FnMut(&mut Context<'_>, &[f64], &mut [f64]) -> Result<(), Error>,
) -> Result<LeadingPairs, Error> {
    if wanted.count.min(n) == 0 {
        let run = Run { stop: Stop::Direct, iterations: 0, trace: Vec::new(), settled: None };
        return Ok(LeadingPairs { values: Vec::new(), vectors: Vec::new(), run });
    }
    let mut search = wanted.search(n);
    let run = cx.iterate(wanted.max_iter, wanted.tol, |cx, _| {
        let change = search.step(|x, y| apply(cx, x, y))?;
        Ok(Step { objective: None, change })
    })?;
    let pairs = search.pairs();
    Ok(LeadingPairs { values: pairs.values, vectors: pairs.vectors, run })
}

/// Singular values and right singular vectors of the operator A of size `rows` x `cols`: `forward` writes A x,
/// `back` writes Aᵀ y. Values below about 1e-8 of the largest are inaccurate, because the products with AᵀA (or AAᵀ
/// if that is smaller) square them.
pub(crate) fn svd(
    wanted: &Leading,
    (rows, cols): (usize, usize),
    cx: &mut Context<'_>,
    mut forward: impl FnMut(&mut Context<'_>, &[f64], &mut [f64]) -> Result<(), Error>,
    mut back: impl FnMut(&mut Context<'_>, &[f64], &mut [f64]) -> Result<(), Error>,
) -> Result<LeadingPairs, Error> {
    let square = Leading { spectrum: Spectrum::Largest, ..*wanted };
    let mut pairs = if cols <= rows {
        let mut between = vec![0.0; rows];
        eigen(&square, cols, cx, |cx, x, y| {
            forward(cx, x, &mut between)?;
            back(cx, &between, y)
        })?
    } else {
        let mut between = vec![0.0; cols];
        let mut pairs = eigen(&square, rows, cx, |cx, x, y| {
            back(cx, x, &mut between)?;
            forward(cx, &between, y)
        })?;
        for u in &mut pairs.vectors {
            let mut v = vec![0.0; cols];
            back(cx, u, &mut v)?;
            let length = norm(&v);
            if length > 0.0 {
                v.iter_mut().for_each(|x| *x /= length);
            }
            *u = v;
        }
        pairs
    };
    pairs.values.iter_mut().for_each(|x| *x = x.max(0.0).sqrt());
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use crowdwise_numerics::{Matrix, dot};
    use rand::RngExt;

    fn random(rows: usize, cols: usize, seed: u64) -> Matrix {
        let mut rng = stream(seed, "leading", (rows * 1000 + cols) as u64);
        Matrix::new(rows, cols, (0..rows * cols).map(|_| rng.random_range(-1.0..1.0)).collect())
    }

    #[test]
    fn singular_pairs_of_wide_and_tall_operators() {
        for (rows, cols) in [(80, 30), (30, 80), (5, 1), (1, 5)] {
            let a = random(rows, cols, 8);
            let t = a.transpose();
            let d = a.svd();
            let wanted = Leading { count: 3, ..Leading::default() };
            let forward = |_: &mut Context<'_>, x: &[f64], y: &mut [f64]| {
                y.copy_from_slice(&a.apply(x));
                Ok(())
            };
            let back = |_: &mut Context<'_>, x: &[f64], y: &mut [f64]| {
                y.copy_from_slice(&t.apply(x));
                Ok(())
            };
            let p = svd(&wanted, (rows, cols), &mut Context::default(), forward, back).unwrap();
            assert_eq!(p.run.stop, Stop::Converged);
            for (c, (s, v)) in p.values.iter().zip(&p.vectors).enumerate() {
                assert!((s - d.s[c]).abs() < 1e-10);
                assert!((dot(v, &d.v.column(c)).abs() - 1.0).abs() < 1e-9, "{rows} x {cols}, {c}");
            }
        }
    }

    #[test]
    fn a_cancelled_search_gives_what_it_has() {
        let a = random(100, 100, 9);
        let flag = std::sync::atomic::AtomicBool::new(true);
        let mut cx = Context::new(0, 1).with_cancel(&flag);
        let symmetric = |_: &mut Context<'_>, x: &[f64], y: &mut [f64]| {
            y.copy_from_slice(&a.transpose().apply(&a.apply(x)));
            Ok(())
        };
        let p = eigen(&Leading { count: 3, ..Leading::default() }, 100, &mut cx, symmetric).unwrap();
        assert_eq!((p.run.stop, p.vectors.len()), (Stop::Cancelled, 1));
    }
}
