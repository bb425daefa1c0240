//! Leading eigenpairs of a symmetric operator by restarted Lanczos with full orthogonalisation, and leading singular
//! pairs through the smaller of the two products.

use super::{Matrix, norm};
use crate::fast::dot;
use crowdwise_core::{Context, Error, Run, Step, Stop, stream};
use rand_distr::{Distribution, StandardNormal};

/// Which end of the spectrum is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spectrum {
    /// The largest eigenvalues.
    Largest,
    /// The eigenvalues of largest size, whatever their sign.
    Magnitude,
}

/// What to look for, and when to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leading {
    /// Pairs wanted; as many as the operator has if there are fewer.
    pub count: usize,
    pub spectrum: Spectrum,
    /// Maximum number of products with the operator.
    pub max_iter: usize,
    /// Stop when every wanted pair has |A v - λ v| below this times the largest |λ|.
    pub tol: f64,
}

impl Default for Leading {
    fn default() -> Self {
        Leading { count: 1, spectrum: Spectrum::Largest, max_iter: 1000, tol: 1e-12 }
    }
}

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

/// Vectors that are kept beside the wanted ones: more need fewer products but more memory.
const ROOM: usize = 30;
/// Below this times its former length nothing of a vector is left but rounding errors.
const NOTHING: f64 = 1e-13;

impl Leading {
    /// Eigenpairs of the symmetric operator of size `n` that `apply(cx, x, y)` writes as y = A x. The result depends on
    /// nothing but the operator; a cancelled run gives the best so far.
    pub fn eigen(
        &self,
        n: usize,
        cx: &mut Context<'_>,
        mut apply: impl FnMut(&mut Context<'_>, &[f64], &mut [f64]) -> Result<(), Error>,
    ) -> Result<LeadingPairs, Error> {
        let want = self.count.min(n);
        if want == 0 {
            let run = Run { stop: Stop::Direct, iterations: 0, trace: Vec::new(), settled: None };
            return Ok(LeadingPairs { values: Vec::new(), vectors: Vec::new(), run });
        }
        let mut s = Search {
            most: (2 * want + ROOM).min(n),
            basis: vec![start(n, 0, &[]).expect("nothing to be orthogonal to")],
            projected: Matrix::zeros(0, 0),
            spectrum: self.spectrum,
            starts: 1,
        };
        let mut found: Option<Ritz> = None;
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            let mut y = vec![0.0; n];
            apply(cx, s.basis.last().expect("never empty"), &mut y)?;
            if y.iter().any(|v| !v.is_finite()) {
                return Ok(Step { objective: None, change: f64::NAN });
            }
            let left = s.extend(&mut y);
            let ritz = s.ritz();
            let residual = (0..want).map(|p| ritz.residual(p, left)).fold(0.0, f64::max);
            let scale = ritz.values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let mut change = if scale > 0.0 { residual / scale } else { 0.0 };
            if ritz.values.len() < want {
                change = f64::MAX;
            }
            if change >= self.tol {
                s.proceed(y, left, &ritz, want);
                // a restart changes the basis, and with it what the coefficients of the pairs mean
                found = None;
            } else {
                found = Some(ritz);
            }
            Ok(Step { objective: None, change })
        })?;
        let ritz = found.unwrap_or_else(|| s.ritz());
        let got = want.min(ritz.values.len());
        let vectors = (0..got).map(|p| s.combine(&ritz, p)).collect();
        Ok(LeadingPairs { values: ritz.values[..got].to_vec(), vectors, run })
    }

    /// Singular values and right singular vectors of the operator A of size `rows` x `cols`: `forward` writes A x,
    /// `back` writes Aᵀ y. Values below about 1e-8 of the largest are inaccurate, because the products with AᵀA (or AAᵀ
    /// if that is smaller) square them.
    pub fn svd(
        &self,
        (rows, cols): (usize, usize),
        cx: &mut Context<'_>,
        mut forward: impl FnMut(&mut Context<'_>, &[f64], &mut [f64]) -> Result<(), Error>,
        mut back: impl FnMut(&mut Context<'_>, &[f64], &mut [f64]) -> Result<(), Error>,
    ) -> Result<LeadingPairs, Error> {
        let square = Leading { spectrum: Spectrum::Largest, ..*self };
        let mut pairs = if cols <= rows {
            let mut between = vec![0.0; rows];
            square.eigen(cols, cx, |cx, x, y| {
                forward(cx, x, &mut between)?;
                back(cx, &between, y)
            })?
        } else {
            let mut between = vec![0.0; cols];
            let mut pairs = square.eigen(rows, cx, |cx, x, y| {
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
}

/// Orthonormal vectors and the operator between them.
struct Search {
    most: usize,
    /// The last vector is the one to be multiplied next (or just multiplied).
    basis: Vec<Vec<f64>>,
    /// basisᵀ A basis for the vectors that were multiplied.
    projected: Matrix,
    spectrum: Spectrum,
    /// Random vectors drawn so far.
    starts: u64,
}

/// Pairs of the projected operator, the wanted ones first.
struct Ritz {
    values: Vec<f64>,
    /// Coefficients of the pair in the basis.
    coefficients: Vec<Vec<f64>>,
}

impl Ritz {
    /// |A v - λ v| of pair `p` when a vector of length `left` is what the basis misses of the last product.
    fn residual(&self, p: usize, left: f64) -> f64 {
        self.coefficients.get(p).map_or(0.0, |c| left * c.last().copied().unwrap_or(0.0).abs())
    }
}

impl Search {
    /// Takes in `y`, the product of the last vector: leaves in it the part outside of the basis, and returns its length.
    fn extend(&mut self, y: &mut [f64]) -> f64 {
        let n = self.basis.len();
        let before = norm(y);
        let mut column: Vec<f64> = vec![0.0; n];
        // the second time removes what rounding left of the first
        for _ in 0..2 {
            for (v, h) in self.basis.iter().zip(&mut column) {
                let c = dot(v, y);
                *h += c;
                y.iter_mut().zip(v).for_each(|(y, v)| *y -= c * v);
            }
        }
        let old = &self.projected;
        self.projected = Matrix::from_fn(n, n, |r, c| match (r == n - 1, c == n - 1) {
            (false, false) => old[(r, c)],
            (true, _) => column[c],
            (_, true) => column[r],
        });
        let left = norm(y);
        if left <= NOTHING * before { 0.0 } else { left }
    }

    fn ritz(&self) -> Ritz {
        let e = self.projected.symmetric_eigen();
        let mut order: Vec<usize> = (0..e.values.len()).collect();
        if self.spectrum == Spectrum::Magnitude {
            order.sort_by(|&a, &b| e.values[b].abs().total_cmp(&e.values[a].abs()));
        }
        Ritz {
            values: order.iter().map(|&p| e.values[p]).collect(),
            coefficients: order.iter().map(|&p| e.vectors.column(p)).collect(),
        }
    }

    /// Makes `y` (of length `left`, outside of the basis) the next vector, after a restart if there is no room.
    fn proceed(&mut self, mut y: Vec<f64>, left: f64, ritz: &Ritz, want: usize) {
        if self.basis.len() >= self.most && left > 0.0 && self.most < y.len() {
            let keep = (want + ROOM / 2).min(self.most - 1);
            self.basis = (0..keep).map(|p| self.combine(ritz, p)).collect();
            self.projected = Matrix::diagonal(&ritz.values[..keep]);
        }
        if left > 0.0 && self.basis.len() < y.len() {
            y.iter_mut().for_each(|x| *x /= left);
            // orthogonal to the kept vectors as well, but for rounding
            for v in &self.basis {
                let c = dot(v, &y);
                y.iter_mut().zip(v).for_each(|(y, v)| *y -= c * v);
            }
            let length = norm(&y);
            y.iter_mut().for_each(|x| *x /= length);
            self.basis.push(y);
        } else if let Some(fresh) = start(y.len(), self.starts, &self.basis) {
            // the vectors so far span a space that the operator does not leave: look outside of it
            self.starts += 1;
            self.basis.push(fresh);
        }
    }

    fn combine(&self, ritz: &Ritz, p: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.basis[0].len()];
        for (v, &c) in self.basis.iter().zip(&ritz.coefficients[p]) {
            out.iter_mut().zip(v).for_each(|(o, v)| *o += c * v);
        }
        let length = norm(&out);
        out.iter_mut().for_each(|x| *x /= length);
        out
    }
}

/// A random direction outside of `basis`, always the same; `None` if there is none.
fn start(n: usize, index: u64, basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    if basis.len() >= n {
        return None;
    }
    let mut rng = stream(0, "lanczos", index);
    let mut x: Vec<f64> = (0..n).map(|_| StandardNormal.sample(&mut rng)).collect();
    for _ in 0..2 {
        for v in basis {
            let c = dot(v, &x);
            x.iter_mut().zip(v).for_each(|(x, v)| *x -= c * v);
        }
        let length = norm(&x);
        x.iter_mut().for_each(|x| *x /= length);
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::super::tests::random;
    use super::*;

    fn symmetric(n: usize, seed: u64) -> Matrix {
        let b = random(n, n, seed);
        Matrix::from_fn(n, n, |r, c| b[(r, c)] + b[(c, r)])
    }

    fn eigen(a: &Matrix, search: Leading) -> LeadingPairs {
        let apply = |_: &mut Context<'_>, x: &[f64], y: &mut [f64]| {
            y.copy_from_slice(&a.apply(x));
            Ok(())
        };
        search.eigen(a.rows(), &mut Context::default(), apply).unwrap()
    }

    #[test]
    fn leading_pairs_are_those_of_the_dense_solver() {
        for n in [1, 2, 3, 20, 150, 400] {
            let a = symmetric(n, 7);
            let all = a.symmetric_eigen().values;
            let mut sizes: Vec<f64> = all.iter().map(|x| x.abs()).collect();
            sizes.sort_by(|a, b| b.total_cmp(a));
            for count in [1, 3, 5] {
                let p = eigen(&a, Leading { count, ..Leading::default() });
                assert_eq!((p.values.len(), p.run.stop), (count.min(n), Stop::Converged), "{n}");
                for (value, v) in p.values.iter().zip(&p.vectors) {
                    let left: f64 = a.apply(v).iter().zip(v).map(|(l, x)| (l - value * x).powi(2)).sum();
                    assert!(left.sqrt() < 1e-10, "{n}: {left}");
                }
                assert!(p.values.iter().zip(&all).all(|(x, y)| (x - y).abs() < 1e-10), "{n}: {:?}", p.values);
                let p = eigen(&a, Leading { count, spectrum: Spectrum::Magnitude, ..Leading::default() });
                assert!(p.values.iter().zip(&sizes).all(|(x, y)| (x.abs() - y).abs() < 1e-10), "{n}");
            }
        }
    }

    #[test]
    fn repeated_and_vanishing_eigenvalues() {
        let p = eigen(&Matrix::identity(50), Leading { count: 4, ..Leading::default() });
        assert!(p.values.iter().all(|x| (x - 1.0).abs() < 1e-12));
        assert!(dot(&p.vectors[0], &p.vectors[3]).abs() < 1e-12);
        let p = eigen(&Matrix::zeros(10, 10), Leading::default());
        assert_eq!((p.values[0], p.run.stop), (0.0, Stop::Converged));
        // rank one plus a pair of equal values
        let d: Vec<f64> = (0..200).map(|i| if i < 2 { 5.0 } else { 1.0 / i as f64 }).collect();
        let p = eigen(&Matrix::diagonal(&d), Leading { count: 2, ..Leading::default() });
        assert!((p.values[0] - 5.0).abs() < 1e-10 && (p.values[1] - 5.0).abs() < 1e-8, "{:?}", p.values);
    }

    #[test]
    fn close_eigenvalues_need_restarts() {
        let d: Vec<f64> = (0..3000).map(|i| 1.0 - 1e-4 * i as f64).collect();
        let p = eigen(&Matrix::diagonal(&d[..300]), Leading { count: 2, tol: 1e-11, ..Leading::default() });
        assert!(p.run.iterations > 40, "{}", p.run.iterations);
        assert!((p.values[0] - 1.0).abs() < 1e-9 && (p.values[1] - 0.9999).abs() < 1e-9, "{:?}", p.values);
    }

    #[test]
    fn singular_pairs_of_wide_and_tall_operators() {
        for (rows, cols) in [(80, 30), (30, 80), (5, 1), (1, 5)] {
            let a = random(rows, cols, 8);
            let t = a.transpose();
            let d = a.svd();
            let search = Leading { count: 3, ..Leading::default() };
            let p = search
                .svd(
                    (rows, cols),
                    &mut Context::default(),
                    |_, x, y| {
                        y.copy_from_slice(&a.apply(x));
                        Ok(())
                    },
                    |_, x, y| {
                        y.copy_from_slice(&t.apply(x));
                        Ok(())
                    },
                )
                .unwrap();
            for (c, (s, v)) in p.values.iter().zip(&p.vectors).enumerate() {
                assert!((s - d.s[c]).abs() < 1e-10);
                assert!((dot(v, &d.v.column(c)).abs() - 1.0).abs() < 1e-9, "{rows} x {cols}, {c}");
            }
        }
    }

    #[test]
    fn a_cancelled_search_gives_what_it_has() {
        let a = symmetric(100, 9);
        let flag = std::sync::atomic::AtomicBool::new(true);
        let mut cx = Context::new(0, 1).with_cancel(&flag);
        let p = Leading { count: 3, ..Leading::default() }
            .eigen(100, &mut cx, |_, x, y| {
                y.copy_from_slice(&a.apply(x));
                Ok(())
            })
            .unwrap();
        assert_eq!((p.run.stop, p.vectors.len()), (Stop::Cancelled, 1));
    }
}
