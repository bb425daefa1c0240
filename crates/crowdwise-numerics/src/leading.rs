//! Leading eigenpairs of a symmetric operator by restarted Lanczos with full orthogonalisation.

use crate::fast::{dot, norm};
use crate::matrix::Matrix;
use crate::stream;
use rand_distr::{Distribution, StandardNormal};

/// Which end of the spectrum is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spectrum {
    /// The largest eigenvalues.
    Largest,
    /// The eigenvalues of largest size, whatever their sign.
    Magnitude,
}

/// What to look for, and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct Leading {
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
pub struct Pairs {
    pub values: Vec<f64>,
    /// Of length 1; the sign is arbitrary but always the same.
    pub vectors: Vec<Vec<f64>>,
}

/// Vectors that are kept beside the wanted ones: more need fewer products but more memory.
const ROOM: usize = 30;
/// Below this times its former length nothing of a vector is left but rounding errors.
const NOTHING: f64 = 1e-13;

impl Leading {
    /// Eigenpairs of the symmetric operator of size `n` that `apply(x, y)` writes as y = A x. The result depends on
    /// nothing but the operator.
    pub fn eigen(&self, n: usize, mut apply: impl FnMut(&[f64], &mut [f64])) -> Pairs {
        let mut search = self.search(n);
        for _ in 0..self.max_iter {
            let step = search.step::<std::convert::Infallible>(|x, y| {
                apply(x, y);
                Ok(())
            });
            // not a number: no further step can mend it
            if !step.is_ok_and(|change| change >= self.tol) {
                break;
            }
        }
        search.pairs()
    }

    /// The same product by product, for whoever reports progress or may be stopped in between.
    pub fn search(&self, n: usize) -> Search {
        Search {
            n,
            want: self.count.min(n),
            most: (2 * self.count.min(n) + ROOM).min(n),
            tol: self.tol,
            basis: start(n, 0, &[]).into_iter().collect(),
            projected: Matrix::zeros(0, 0),
            spectrum: self.spectrum,
            starts: 1,
            found: None,
        }
    }
}

/// Orthonormal vectors and the operator between them.
#[derive(Debug)]
pub struct Search {
    n: usize,
    want: usize,
    /// Vectors of the basis before a restart.
    most: usize,
    tol: f64,
    /// The last vector is the one to be multiplied next (or just multiplied).
    basis: Vec<Vec<f64>>,
    /// basisᵀ A basis for the vectors that were multiplied.
    projected: Matrix,
    spectrum: Spectrum,
    /// Random vectors drawn so far.
    starts: u64,
    /// The pairs of the last step, if they were good enough.
    found: Option<Ritz>,
}

/// Pairs of the projected operator, the wanted ones first.
#[derive(Debug)]
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
    /// One product: by how much |A v - λ v| of the worst wanted pair exceeds 0, in units of the largest |λ|; NaN if the
    /// product is not finite. There is nothing to do once it is below the tolerance.
    pub fn step<E>(&mut self, apply: impl FnOnce(&[f64], &mut [f64]) -> Result<(), E>) -> Result<f64, E> {
        let Some(last) = self.basis.last().filter(|_| self.want > 0) else { return Ok(0.0) };
        let mut y = vec![0.0; self.n];
        apply(last, &mut y)?;
        if y.iter().any(|v| !v.is_finite()) {
            return Ok(f64::NAN);
        }
        let left = self.extend(&mut y);
        let ritz = self.ritz();
        let residual = (0..self.want).map(|p| ritz.residual(p, left)).fold(0.0, f64::max);
        let scale = ritz.values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let mut change = if scale > 0.0 { residual / scale } else { 0.0 };
        if ritz.values.len() < self.want {
            change = f64::MAX;
        }
        if change >= self.tol {
            self.proceed(y, left, &ritz);
            // a restart changes the basis, and with it what the coefficients of the pairs mean
            self.found = None;
        } else {
            self.found = Some(ritz);
        }
        Ok(change)
    }

    /// The best pairs so far: as many as were wanted, unless the search was stopped before that many products.
    pub fn pairs(mut self) -> Pairs {
        let ritz = self.found.take().unwrap_or_else(|| self.ritz());
        let got = self.want.min(ritz.values.len());
        let vectors = (0..got).map(|p| self.combine(&ritz, p)).collect();
        Pairs { values: ritz.values[..got].to_vec(), vectors }
    }

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
    fn proceed(&mut self, mut y: Vec<f64>, left: f64, ritz: &Ritz) {
        if self.basis.len() >= self.most && left > 0.0 && self.most < y.len() {
            let keep = (self.want + ROOM / 2).min(self.most - 1);
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
    use super::*;
    use crate::matrix::tests::random;

    fn symmetric(n: usize, seed: u64) -> Matrix {
        let b = random(n, n, seed);
        Matrix::from_fn(n, n, |r, c| b[(r, c)] + b[(c, r)])
    }

    /// Pairs, and how many products they took.
    fn eigen(a: &Matrix, search: Leading) -> (Pairs, usize) {
        let mut products = 0;
        let pairs = search.eigen(a.rows(), |x, y| {
            products += 1;
            y.copy_from_slice(&a.apply(x));
        });
        (pairs, products)
    }

    #[test]
    fn leading_pairs_are_those_of_the_dense_solver() {
        for n in [1, 2, 3, 20, 150, 400] {
            let a = symmetric(n, 7);
            let all = a.symmetric_eigen().values;
            let mut sizes: Vec<f64> = all.iter().map(|x| x.abs()).collect();
            sizes.sort_by(|a, b| b.total_cmp(a));
            for count in [1, 3, 5] {
                let (p, products) = eigen(&a, Leading { count, ..Leading::default() });
                assert_eq!(p.values.len(), count.min(n), "{n}");
                assert!(products < 1000, "{n}");
                for (value, v) in p.values.iter().zip(&p.vectors) {
                    let left: f64 = a.apply(v).iter().zip(v).map(|(l, x)| (l - value * x).powi(2)).sum();
                    assert!(left.sqrt() < 1e-10, "{n}: {left}");
                }
                assert!(p.values.iter().zip(&all).all(|(x, y)| (x - y).abs() < 1e-10), "{n}: {:?}", p.values);
                let (p, _) = eigen(&a, Leading { count, spectrum: Spectrum::Magnitude, ..Leading::default() });
                assert!(p.values.iter().zip(&sizes).all(|(x, y)| (x.abs() - y).abs() < 1e-10), "{n}");
            }
        }
    }

    #[test]
    fn repeated_and_vanishing_eigenvalues() {
        let (p, _) = eigen(&Matrix::identity(50), Leading { count: 4, ..Leading::default() });
        assert!(p.values.iter().all(|x| (x - 1.0).abs() < 1e-12));
        assert!(dot(&p.vectors[0], &p.vectors[3]).abs() < 1e-12);
        let (p, products) = eigen(&Matrix::zeros(10, 10), Leading::default());
        assert_eq!((p.values[0], products), (0.0, 1));
        // rank one plus a pair of equal values
        let d: Vec<f64> = (0..200).map(|i| if i < 2 { 5.0 } else { 1.0 / i as f64 }).collect();
        let (p, _) = eigen(&Matrix::diagonal(&d), Leading { count: 2, ..Leading::default() });
        assert!((p.values[0] - 5.0).abs() < 1e-10 && (p.values[1] - 5.0).abs() < 1e-8, "{:?}", p.values);
    }

    #[test]
    fn close_eigenvalues_need_restarts() {
        let d: Vec<f64> = (0..3000).map(|i| 1.0 - 1e-4 * i as f64).collect();
        let (p, products) = eigen(&Matrix::diagonal(&d[..300]), Leading { count: 2, tol: 1e-11, ..Leading::default() });
        assert!((41..1000).contains(&products), "{products}");
        assert!((p.values[0] - 1.0).abs() < 1e-9 && (p.values[1] - 0.9999).abs() < 1e-9, "{:?}", p.values);
    }

    #[test]
    fn a_search_that_is_stopped_gives_what_it_has() {
        let a = symmetric(100, 9);
        let mut search = Leading { count: 3, ..Leading::default() }.search(100);
        let change = search.step::<()>(|x, y| {
            y.copy_from_slice(&a.apply(x));
            Ok(())
        });
        assert!(change.unwrap() > 0.0);
        assert_eq!(search.pairs().vectors.len(), 1);
        let nothing = Leading::default().eigen(0, |_, _| unreachable!("there is nothing to multiply"));
        assert!(nothing.values.is_empty());
        let broken = Leading::default().eigen(5, |_, y| y.fill(f64::NAN));
        assert!(broken.values.is_empty());
    }

    #[test]
    fn pairs_of_a_path_are_known() {
        // n nodes in a row: eigenvalues 2 cos(π j / (n + 1))
        let n = 30;
        let apply = |x: &[f64], y: &mut [f64]| {
            for i in 0..n {
                y[i] = if i > 0 { x[i - 1] } else { 0.0 } + if i + 1 < n { x[i + 1] } else { 0.0 };
            }
        };
        let p = Leading { count: 3, ..Leading::default() }.eigen(n, apply);
        for (j, value) in p.values.iter().enumerate() {
            let want = 2.0 * (std::f64::consts::PI * (j + 1) as f64 / (n + 1) as f64).cos();
            assert!((value - want).abs() < 1e-10, "{value} {want}");
        }
    }
}
