//! Row-major matrices of f32 and their products.
//!
//! A product is always cut into the same blocks, whatever the number of threads, and every block is one call of the
//! single-threaded kernel: the same bits come out on any number of threads.

use rayon::prelude::*;

/// Rows of numbers, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    pub rows: usize,
    pub cols: usize,
    pub values: Vec<f32>,
}

impl Matrix {
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Matrix { rows, cols, values: vec![0.0; rows * cols] }
    }

    /// # Panics
    /// If there are not rows x cols values.
    pub fn new(rows: usize, cols: usize, values: Vec<f32>) -> Self {
        assert_eq!(values.len(), rows * cols, "{rows} x {cols} numbers");
        Matrix { rows, cols, values }
    }

    pub fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    pub fn row_mut(&mut self, i: usize) -> &mut [f32] {
        &mut self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Makes it rows x cols; what it holds afterwards is of no use.
    pub(crate) fn resize(&mut self, rows: usize, cols: usize) {
        (self.rows, self.cols) = (rows, cols);
        self.values.resize(rows * cols, 0.0);
    }

    /// Takes these rows of another matrix, in this order.
    pub fn gather(&mut self, from: &Matrix, rows: &[u32]) {
        self.resize(rows.len(), from.cols);
        for (to, &i) in self.values.chunks_exact_mut(from.cols.max(1)).zip(rows) {
            to.copy_from_slice(from.row(i as usize));
        }
    }
}

/// A matrix as it lies in memory, or its transpose.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    data: &'a [f32],
    row_stride: usize,
    col_stride: usize,
}

/// `data` read row after row, `cols` to a row.
pub(crate) fn plain(data: &[f32], cols: usize) -> View<'_> {
    View { data, row_stride: cols, col_stride: 1 }
}

/// The transpose of `data`, which lies row after row, `cols` to a row.
pub(crate) fn transposed(data: &[f32], cols: usize) -> View<'_> {
    View { data, row_stride: 1, col_stride: cols }
}

impl<'a> View<'a> {
    fn below(self, i: usize) -> View<'a> {
        View { data: &self.data[(i * self.row_stride).min(self.data.len())..], ..self }
    }

    /// Whether a matrix of this size lies inside the data.
    fn holds(&self, rows: usize, cols: usize) -> bool {
        rows == 0 || cols == 0 || (rows - 1) * self.row_stride + (cols - 1) * self.col_stride < self.data.len()
    }
}

/// Rows of a block, and the number of multiplications from which blocks are made.
const BLOCK: usize = 256;
const LARGE: usize = 1 << 21;

/// c (m x n, row-major) = a (m x k) b (k x n), or that added to c.
pub(crate) fn product(c: &mut [f32], (m, n, k): (usize, usize, usize), a: View<'_>, b: View<'_>, add: bool) {
    assert!(c.len() == m * n && a.holds(m, k) && b.holds(k, n), "a product of {m} x {k} and {k} x {n}");
    if m == 0 || n == 0 {
        return;
    }
    if m < 2 * BLOCK || m * n * k < LARGE {
        return block(c, (m, n, k), a, b, add);
    }
    c.par_chunks_mut(BLOCK * n).enumerate().for_each(|(at, c)| {
        block(c, (c.len() / n, n, k), a.below(at * BLOCK), b, add);
    });
}

/// One call of the kernel.
fn block(c: &mut [f32], (m, n, k): (usize, usize, usize), a: View<'_>, b: View<'_>, add: bool) {
    assert!(c.len() == m * n && a.holds(m, k) && b.holds(k, n), "a block of {m} x {k} and {k} x {n}");
    // SAFETY: the assertion says that all elements the kernel reads lie inside the slices of `a` and `b`, and those that
    // it writes inside `c`, which is borrowed mutably and so overlaps neither.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            n as isize,
            add,
            a.data.as_ptr(),
            a.col_stride as isize,
            a.row_stride as isize,
            b.data.as_ptr(),
            b.col_stride as isize,
            b.row_stride as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;

    fn random(n: usize, index: u64) -> Vec<f32> {
        let mut rng = stream(1, "matrix", index);
        (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
    }

    #[test]
    fn products_are_those_of_the_definition() {
        for (m, n, k) in [(1, 1, 1), (3, 5, 7), (300, 90, 100), (257, 64, 130), (4, 4, 0)] {
            let (a, b, start) = (random(m * k, 0), random(k * n, 1), random(m * n, 2));
            let mut want = vec![0.0f64; m * n];
            for i in 0..m {
                for j in 0..n {
                    want[i * n + j] = (0..k).map(|x| a[i * k + x] as f64 * b[x * n + j] as f64).sum();
                }
            }
            let mut at = vec![0.0; k * m];
            let mut bt = vec![0.0; n * k];
            (0..m).for_each(|i| (0..k).for_each(|x| at[x * m + i] = a[i * k + x]));
            (0..k).for_each(|x| (0..n).for_each(|j| bt[j * k + x] = b[x * n + j]));
            for (va, vb) in
                [(plain(&a, k), plain(&b, n)), (transposed(&at, m), plain(&b, n)), (plain(&a, k), transposed(&bt, k))]
            {
                for add in [false, true] {
                    let mut c = start.clone();
                    product(&mut c, (m, n, k), va, vb, add);
                    for (i, x) in c.iter().enumerate() {
                        let w = want[i] + if add { start[i] as f64 } else { 0.0 };
                        assert!((*x as f64 - w).abs() < 1e-4, "{m} {n} {k}: {x} for {w}");
                    }
                }
            }
        }
    }

    #[test]
    fn threads_do_not_change_the_bits() {
        let (m, n, k) = (700, 65, 300);
        let (a, b) = (random(m * k, 3), random(k * n, 4));
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut c = vec![0.0; m * n];
            pool.install(|| product(&mut c, (m, n, k), plain(&a, k), plain(&b, n), false));
            c
        };
        let one = run(1);
        assert!(run(3).iter().zip(&one).all(|(x, y)| x.to_bits() == y.to_bits()));
    }
}
