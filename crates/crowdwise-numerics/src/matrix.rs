//! Small dense matrices.

use crate::fast::dot;
use faer::{Mat, Side};
use std::ops::{Index, IndexMut};

/// A dense matrix, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
}

/// Thin singular value decomposition A = U diag(s) Vᵀ, largest value first. Of every pair of vectors the sign is such
/// that the entry of `u` with the largest size is positive.
#[derive(Clone, Debug)]
pub struct Svd {
    pub u: Matrix,
    pub s: Vec<f64>,
    pub v: Matrix,
}

/// Eigenvalues of a symmetric matrix, largest first, and the eigenvectors as columns, signs as in [`Svd`].
#[derive(Clone, Debug)]
pub struct Eigen {
    pub values: Vec<f64>,
    pub vectors: Matrix,
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    #[inline]
    fn index(&self, (r, c): (usize, usize)) -> &f64 {
        &self.values[r * self.cols + c]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    #[inline]
    fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut f64 {
        &mut self.values[r * self.cols + c]
    }
}

impl Matrix {
    /// From its rows, one after the other.
    pub fn new(rows: usize, cols: usize, values: Vec<f64>) -> Matrix {
        assert_eq!(values.len(), rows * cols, "{rows} x {cols} values");
        Matrix { rows, cols, values }
    }

    pub fn zeros(rows: usize, cols: usize) -> Matrix {
        Matrix { rows, cols, values: vec![0.0; rows * cols] }
    }

    pub fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> f64) -> Matrix {
        let values = (0..rows * cols).map(|x| f(x / cols, x % cols)).collect();
        Matrix { rows, cols, values }
    }

    pub fn identity(n: usize) -> Matrix {
        Matrix::from_fn(n, n, |r, c| if r == c { 1.0 } else { 0.0 })
    }

    pub fn diagonal(d: &[f64]) -> Matrix {
        Matrix::from_fn(d.len(), d.len(), |r, c| if r == c { d[r] } else { 0.0 })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    pub fn row(&self, r: usize) -> &[f64] {
        &self.values[r * self.cols..(r + 1) * self.cols]
    }

    pub fn column(&self, c: usize) -> Vec<f64> {
        (0..self.rows).map(|r| self[(r, c)]).collect()
    }

    #[must_use]
    pub fn transpose(&self) -> Matrix {
        Matrix::from_fn(self.cols, self.rows, |r, c| self[(c, r)])
    }

    /// A B.
    #[must_use]
    pub fn times(&self, b: &Matrix) -> Matrix {
        assert_eq!(self.cols, b.rows, "inner sizes");
        let mut out = Matrix::zeros(self.rows, b.cols);
        for r in 0..self.rows {
            let row = &mut out.values[r * b.cols..(r + 1) * b.cols];
            for (x, &a) in self.row(r).iter().enumerate() {
                row.iter_mut().zip(b.row(x)).for_each(|(o, y)| *o += a * y);
            }
        }
        out
    }

    /// A x.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        assert_eq!(self.cols, x.len(), "inner sizes");
        (0..self.rows).map(|r| dot(self.row(r), x)).collect()
    }

    fn to_faer(&self) -> Mat<f64> {
        assert!(self.values.iter().all(|x| x.is_finite()), "decompositions need finite numbers");
        Mat::from_fn(self.rows, self.cols, |r, c| self[(r, c)])
    }

    /// Thin singular value decomposition; the matrix must be finite.
    pub fn svd(&self) -> Svd {
        let n = self.rows.min(self.cols);
        if n == 0 {
            return Svd { u: Matrix::zeros(self.rows, 0), s: Vec::new(), v: Matrix::zeros(self.cols, 0) };
        }
        let d = self.to_faer().thin_svd().expect("finite matrices have singular values");
        let s = d.S().column_vector().iter().copied().collect();
        let mut u = Matrix::from_fn(self.rows, n, |r, c| d.U()[(r, c)]);
        let mut v = Matrix::from_fn(self.cols, n, |r, c| d.V()[(r, c)]);
        for c in 0..n {
            if turned(&u, c) {
                flip(&mut u, c);
                flip(&mut v, c);
            }
        }
        Svd { u, s, v }
    }

    /// Singular values, largest first; not a number if an entry is not finite.
    pub fn singular_values(&self) -> Vec<f64> {
        let n = self.rows.min(self.cols);
        if n == 0 || !self.values.iter().all(|x| x.is_finite()) {
            return vec![f64::NAN; n];
        }
        self.to_faer().singular_values().expect("finite matrices have singular values")
    }

    /// Eigenvalues and eigenvectors of a symmetric finite matrix; only its lower triangle is read.
    pub fn symmetric_eigen(&self) -> Eigen {
        assert_eq!(self.rows, self.cols, "symmetric matrices are square");
        let n = self.rows;
        if n == 0 {
            return Eigen { values: Vec::new(), vectors: Matrix::zeros(0, 0) };
        }
        let d = self.to_faer().self_adjoint_eigen(Side::Lower).expect("finite matrices have eigenvalues");
        // from the smallest to the largest
        let mut values: Vec<f64> = d.S().column_vector().iter().copied().collect();
        values.reverse();
        let mut vectors = Matrix::from_fn(n, n, |r, c| d.U()[(r, n - 1 - c)]);
        (0..n).filter(|&c| turned(&vectors, c)).collect::<Vec<_>>().into_iter().for_each(|c| flip(&mut vectors, c));
        Eigen { values, vectors }
    }

    /// Moore-Penrose inverse. Singular values below max(rows, cols) times the rounding error of the largest count as 0.
    #[must_use]
    pub fn pseudo_inverse(&self) -> Matrix {
        let d = self.svd();
        let least = d.s.first().copied().unwrap_or(0.0) * self.rows.max(self.cols) as f64 * f64::EPSILON;
        let mut out = Matrix::zeros(self.cols, self.rows);
        for (x, &s) in d.s.iter().enumerate().filter(|(_, s)| **s > least) {
            for r in 0..self.cols {
                let a = d.v[(r, x)] / s;
                (0..self.rows).for_each(|c| out[(r, c)] += a * d.u[(c, x)]);
            }
        }
        out
    }

    /// X with A X = B by elimination with row exchanges; `None` if A is singular to working precision.
    pub fn solve(&self, b: &Matrix) -> Option<Matrix> {
        assert!(self.rows == self.cols && self.rows == b.rows, "a square system");
        let n = self.rows;
        let (mut a, mut x) = (self.clone(), b.clone());
        let scale = self.values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for p in 0..n {
            let best = (p..n).max_by(|&r, &s| a[(r, p)].abs().total_cmp(&a[(s, p)].abs()))?;
            let pivot = a[(best, p)];
            if pivot.is_nan() || pivot.abs() <= scale * n as f64 * f64::EPSILON {
                return None;
            }
            if best != p {
                (0..n).for_each(|c| a.values.swap(best * n + c, p * n + c));
                (0..b.cols).for_each(|c| x.values.swap(best * b.cols + c, p * b.cols + c));
            }
            for r in (0..n).filter(|&r| r != p) {
                let f = a[(r, p)] / pivot;
                if f != 0.0 {
                    for c in p..n {
                        let y = a[(p, c)];
                        a[(r, c)] -= f * y;
                    }
                    for c in 0..b.cols {
                        let y = x[(p, c)];
                        x[(r, c)] -= f * y;
                    }
                }
            }
        }
        for r in 0..n {
            let pivot = a[(r, r)];
            (0..b.cols).for_each(|c| x[(r, c)] /= pivot);
        }
        Some(x)
    }

    /// Inverse; `None` if singular to working precision.
    pub fn inverse(&self) -> Option<Matrix> {
        self.solve(&Matrix::identity(self.rows))
    }
}

/// Numerical rank of a K x K matrix by elimination with full pivoting; the matrix is overwritten. A pivot counts as 0
/// below K times the rounding error of the first.
pub fn rank(m: &mut [f64], k: usize) -> usize {
    let mut least = 0.0;
    for p in 0..k {
        let (mut best, mut at) = (0.0, (p, p));
        for r in p..k {
            for c in p..k {
                if m[r * k + c].abs() > best {
                    (best, at) = (m[r * k + c].abs(), (r, c));
                }
            }
        }
        if p == 0 {
            least = best * k as f64 * f64::EPSILON;
        }
        if best <= least {
            return p;
        }
        (0..k).for_each(|c| m.swap(p * k + c, at.0 * k + c));
        (0..k).for_each(|r| m.swap(r * k + p, r * k + at.1));
        for r in p + 1..k {
            let f = m[r * k + p] / m[p * k + p];
            if f != 0.0 {
                (p + 1..k).for_each(|c| m[r * k + c] -= f * m[p * k + c]);
            }
        }
    }
    k
}

/// Whether the entry of column `c` with the largest size is negative.
fn turned(m: &Matrix, c: usize) -> bool {
    let largest = (0..m.rows).map(|r| m[(r, c)]).fold(0.0f64, |a, x| if x.abs() > a.abs() { x } else { a });
    largest < 0.0
}

fn flip(m: &mut Matrix, c: usize) {
    (0..m.rows).for_each(|r| m[(r, c)] = -m[(r, c)]);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::stream;
    use rand::RngExt;

    pub(crate) fn random(rows: usize, cols: usize, seed: u64) -> Matrix {
        let mut rng = stream(seed, "linalg", (rows * 1000 + cols) as u64);
        Matrix::new(rows, cols, (0..rows * cols).map(|_| rng.random_range(-1.0..1.0)).collect())
    }

    fn near(a: &Matrix, b: &Matrix, tol: f64) -> bool {
        (a.rows, a.cols) == (b.rows, b.cols) && a.values.iter().zip(&b.values).all(|(x, y)| (x - y).abs() < tol)
    }

    #[test]
    fn singular_values_rebuild_the_matrix() {
        for (rows, cols) in [(1, 1), (2, 2), (5, 3), (3, 5), (40, 12), (50, 50)] {
            let a = random(rows, cols, 1);
            let d = a.svd();
            assert!(d.s.windows(2).all(|w| w[0] >= w[1]) && d.s.iter().all(|&s| s >= 0.0));
            let back = d.u.times(&Matrix::diagonal(&d.s)).times(&d.v.transpose());
            assert!(near(&back, &a, 1e-12));
            assert!(near(&d.u.transpose().times(&d.u), &Matrix::identity(rows.min(cols)), 1e-12));
        }
        // by hand: [[3, 0], [4, 5]] has singular values 3 √5 and √5
        let s = Matrix::new(2, 2, vec![3.0, 0.0, 4.0, 5.0]).svd().s;
        assert!((s[0] - 45f64.sqrt()).abs() < 1e-12 && (s[1] - 5f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn eigenvectors_of_a_symmetric_matrix() {
        let b = random(7, 7, 2);
        let a = Matrix::from_fn(7, 7, |r, c| b[(r, c)] + b[(c, r)]);
        let e = a.symmetric_eigen();
        assert!(e.values.windows(2).all(|w| w[0] >= w[1]));
        for (c, &x) in e.values.iter().enumerate() {
            let v = e.vectors.column(c);
            assert!(a.apply(&v).iter().zip(&v).all(|(l, r)| (l - x * r).abs() < 1e-12));
        }
    }

    #[test]
    fn inverses_and_solutions() {
        for n in [1, 2, 3, 10, 30] {
            let a = random(n, n, 3);
            let inverse = a.inverse().expect("a random matrix is regular");
            assert!(near(&a.times(&inverse), &Matrix::identity(n), 1e-9));
            assert!(near(&a.pseudo_inverse(), &inverse, 1e-8));
        }
        let singular = Matrix::new(2, 2, vec![1.0, 2.0, 2.0, 4.0]);
        assert!(singular.inverse().is_none());
        // A⁺ of a a' is a a' / |a|⁴
        assert!(near(&singular.pseudo_inverse(), &Matrix::new(2, 2, vec![0.04, 0.08, 0.08, 0.16]), 1e-14));
        // the four conditions of Penrose for a matrix of rank 2
        let a = random(6, 2, 4).times(&random(2, 4, 5));
        let p = a.pseudo_inverse();
        assert!(near(&a.times(&p).times(&a), &a, 1e-12) && near(&p.times(&a).times(&p), &p, 1e-12));
        assert!(near(&a.times(&p), &a.times(&p).transpose(), 1e-12));
        assert!(near(&p.times(&a), &p.times(&a).transpose(), 1e-12));
        assert!(near(&Matrix::zeros(2, 3).pseudo_inverse(), &Matrix::zeros(3, 2), 1e-300));
    }

    #[test]
    fn ranks_are_those_of_the_matrices() {
        let r = |k: usize, m: &[f64]| rank(&mut m.to_vec(), k);
        assert_eq!(r(2, &[1.0, 2.0, 2.0, 4.0]), 1);
        assert_eq!(r(2, &[0.0; 4]), 0);
        assert_eq!(r(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), 2);
        assert_eq!(r(3, &[0.0, 1.0, 0.0, 0.0, 0.0, 5.0, 2.0, 0.0, 0.0]), 3);
    }

    #[test]
    fn singular_values_without_vectors() {
        let values = |n: usize, m: &[f64]| Matrix::new(n, n, m.to_vec()).singular_values();
        // rank one, a permutation, nothing, not a number
        let s = values(3, &[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 0.0, 0.0]);
        assert!((s[0] - 70f64.sqrt()).abs() < 1e-12 && s[1] < 1e-12 && s[2] < 1e-12);
        assert!(values(2, &[0.0, 1.0, 1.0, 0.0]).iter().all(|s| (s - 1.0).abs() < 1e-15));
        assert_eq!(values(3, &[0.0; 9]), [0.0; 3]);
        assert!(values(2, &[f64::NAN, 1.0, 0.0, 1.0]).iter().all(|s| s.is_nan()));
        let a = random(20, 20, 6);
        assert!(a.singular_values().iter().zip(a.svd().s).all(|(x, y)| (x - y).abs() < 1e-12));
    }
}
