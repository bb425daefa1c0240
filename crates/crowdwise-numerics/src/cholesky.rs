//! Cholesky factor of a dense matrix.

use crate::fast::dot;
use rayon::prelude::*;

/// Columns that are eliminated together: a panel of so many rows stays in the cache.
const BLOCK: usize = 32;

/// Lower triangular factor L of A = L Lᵀ, row-major.
#[derive(Debug)]
pub struct Cholesky {
    n: usize,
    l: Vec<f64>,
}

impl Cholesky {
    /// Factor of the symmetric `a` (only its lower triangle is read); `None` if it is not positive definite.
    pub fn new(n: usize, a: Vec<f64>) -> Option<Self> {
        Cholesky::factor(n, a, |x| (x > 0.0).then(|| x.sqrt()))
    }

    /// The same for a matrix that is positive definite but for rounding: squared pivots below `least` are set to it.
    pub fn with_floor(n: usize, a: Vec<f64>, least: f64) -> Self {
        Cholesky::factor(n, a, |x| Some(x.max(least).sqrt())).expect("every pivot is accepted")
    }

    fn factor(n: usize, mut a: Vec<f64>, pivot: impl Fn(f64) -> Option<f64>) -> Option<Self> {
        for start in (0..n).step_by(BLOCK) {
            let end = (start + BLOCK).min(n);
            // what the finished columns take from the block's own rows, then the block itself
            let panel: Vec<f64> = (start..end).flat_map(|r| a[r * n..r * n + start].to_vec()).collect();
            let row = |r: usize| &panel[r * start..(r + 1) * start];
            for i in start..end {
                for j in start..=i {
                    let mut x = a[i * n + j] - dot(row(i - start), row(j - start));
                    x -= dot(&a[i * n + start..i * n + j], &a[j * n + start..j * n + j]);
                    if i == j {
                        a[i * n + i] = pivot(x)?;
                    } else {
                        a[i * n + j] = x / a[j * n + j];
                    }
                }
            }
            let block: Vec<f64> = (start..end).flat_map(|r| a[r * n + start..r * n + end].to_vec()).collect();
            let width = end - start;
            a[end * n..].par_chunks_mut(n).for_each(|other| {
                for j in 0..width {
                    let mut x = other[start + j] - dot(&other[..start], row(j));
                    x -= dot(&other[start..start + j], &block[j * width..j * width + j]);
                    other[start + j] = x / block[j * width + j];
                }
            });
        }
        Some(Cholesky { n, l: a })
    }

    /// Rows of A.
    pub fn size(&self) -> usize {
        self.n
    }

    /// Row `i` of L before its diagonal.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.l[i * self.n..i * self.n + i]
    }

    /// Diagonal entry `i` of L.
    pub fn pivot(&self, i: usize) -> f64 {
        self.l[i * self.n + i]
    }

    /// ln det A.
    pub fn ln_det(&self) -> f64 {
        2.0 * (0..self.n).map(|i| self.pivot(i).ln()).sum::<f64>()
    }

    /// The inverse of A, row-major.
    pub fn inverse(&self) -> Vec<f64> {
        let n = self.n;
        let mut out = vec![0.0; n * n];
        // A⁻¹ is symmetric: its columns are its rows
        for (c, row) in out.chunks_exact_mut(n.max(1)).enumerate() {
            row[c] = 1.0;
            self.solve(row);
        }
        out
    }

    /// Solves A x = b in place.
    pub fn solve(&self, b: &mut [f64]) {
        for i in 0..self.n {
            b[i] = (b[i] - dot(self.row(i), &b[..i])) / self.pivot(i);
        }
        self.spread(b);
    }

    /// Solves Lᵀ x = b in place: turns independent normal numbers into a draw with covariance A⁻¹.
    pub fn spread(&self, b: &mut [f64]) {
        for i in (0..self.n).rev() {
            b[i] /= self.pivot(i);
            let x = b[i];
            for (y, l) in b[..i].iter_mut().zip(self.row(i)) {
                *y -= l * x;
            }
        }
    }

    /// Diagonal of the inverse of A: squared lengths of the columns of L⁻¹.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let column = |c: usize| {
            let mut x = vec![0.0; self.n - c];
            x[0] = 1.0 / self.pivot(c);
            for i in c + 1..self.n {
                x[i - c] = -dot(&self.row(i)[c..], &x[..i - c]) / self.pivot(i);
            }
            dot(&x, &x)
        };
        (0..self.n).into_par_iter().map(column).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_solves_and_inverts() {
        for n in [1, 2, 7, 32, 33, 75] {
            // Hilbert-like and shifted, so that it is well conditioned
            let a: Vec<f64> =
                (0..n * n).map(|x| 1.0 / (1 + x / n + x % n) as f64 + if x / n == x % n { 2.0 } else { 0.0 }).collect();
            let c = Cholesky::new(n, a.clone()).unwrap();
            let times = |x: &[f64]| (0..n).map(|i| dot(&a[i * n..(i + 1) * n], x)).collect::<Vec<_>>();
            let diagonal = c.inverse_diagonal();
            let inverse = c.inverse();
            for j in 0..n {
                let mut x: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == j))).collect();
                let want = x.clone();
                c.solve(&mut x);
                let back = times(&x);
                assert!((0..n).all(|i| (back[i] - want[i]).abs() < 1e-12));
                assert!((diagonal[j] - x[j]).abs() < 1e-13);
                assert_eq!(inverse[j * n..(j + 1) * n], x);
            }
        }
    }

    #[test]
    fn determinants_and_matrices_without_factor() {
        // det of [[2, 1], [1, 3]] is 5
        assert!((Cholesky::new(2, vec![2.0, 1.0, 1.0, 3.0]).unwrap().ln_det() - 5f64.ln()).abs() < 1e-15);
        for a in [vec![1.0, 2.0, 2.0, 1.0], vec![-1.0; 4], vec![f64::NAN; 4]] {
            assert!(Cholesky::new(2, a).is_none());
        }
        // the second pivot is 1 - 4, so that the floor takes its place
        let c = Cholesky::with_floor(2, vec![1.0, 2.0, 2.0, 1.0], 0.25);
        assert_eq!((c.pivot(0), c.row(1), c.pivot(1)), (1.0, &[2.0][..], 0.5));
    }
}
