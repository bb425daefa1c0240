//! Cholesky factor of a dense matrix, for as many items as fit.

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
    pub fn new(n: usize, mut a: Vec<f64>) -> Option<Self> {
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
                        if x.is_nan() || x <= 0.0 {
                            return None;
                        }
                        a[i * n + i] = x.sqrt();
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

    fn row(&self, i: usize) -> &[f64] {
        &self.l[i * self.n..i * self.n + i]
    }

    fn pivot(&self, i: usize) -> f64 {
        self.l[i * self.n + i]
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

/// Sum of products in eight lanes, so that the compiler may use vector registers; the order is always the same.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut lane = [0.0; 8];
    let (wide_a, wide_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = wide_a.remainder().iter().zip(wide_b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in wide_a.zip(wide_b) {
        for k in 0..8 {
            lane[k] += x[k] * y[k];
        }
    }
    (lane[0] + lane[4]) + (lane[1] + lane[5]) + ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest
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
            for j in 0..n {
                let mut x: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == j))).collect();
                let want = x.clone();
                c.solve(&mut x);
                let back = times(&x);
                assert!((0..n).all(|i| (back[i] - want[i]).abs() < 1e-12));
                assert!((diagonal[j] - x[j]).abs() < 1e-13);
            }
        }
        assert!(Cholesky::new(2, vec![1.0, 2.0, 2.0, 1.0]).is_none());
    }
}
