//! The shapes that the parameters of an annotator or an item may have.

/// How parameters make a K x K matrix of scores (row = truth, column = label).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Every cell is free.
    Matrix,
    /// One row for every truth.
    Row,
    /// For every threshold one number for each of: truth below or not, label below or not.
    Thresholds,
    /// Minus one number on the diagonal.
    Scalar,
    Nothing,
}

impl Part {
    /// Number of parameters.
    pub fn len(self, k: usize) -> usize {
        match self {
            Part::Matrix => k * k,
            Part::Row => k,
            Part::Thresholds => 4 * (k - 1),
            Part::Scalar => 1,
            Part::Nothing => 0,
        }
    }

    /// Writes the matrix.
    pub fn expand(self, k: usize, p: &[f64], out: &mut [f64]) {
        match self {
            Part::Matrix => out.copy_from_slice(p),
            Part::Row => out.chunks_exact_mut(k).for_each(|row| row.copy_from_slice(p)),
            Part::Scalar => {
                out.fill(0.0);
                (0..k).for_each(|c| out[c * k + c] = -p[0]);
            }
            Part::Nothing => out.fill(0.0),
            Part::Thresholds => {
                out.fill(0.0);
                each_cell(k, |cell, number| out[cell] += p[number]);
            }
        }
    }

    /// Adds the gradient by the matrix into that by the parameters.
    pub fn contract(self, k: usize, by_matrix: &[f64], out: &mut [f64]) {
        match self {
            Part::Matrix => out.iter_mut().zip(by_matrix).for_each(|(o, g)| *o += g),
            Part::Row => {
                for row in by_matrix.chunks_exact(k) {
                    out.iter_mut().zip(row).for_each(|(o, g)| *o += g);
                }
            }
            Part::Scalar => out[0] -= (0..k).map(|c| by_matrix[c * k + c]).sum::<f64>(),
            Part::Nothing => {}
            Part::Thresholds => each_cell(k, |cell, number| out[number] += by_matrix[cell]),
        }
    }
}

/// Calls `f` with every cell of the matrix and every threshold parameter that counts in it.
fn each_cell(k: usize, mut f: impl FnMut(usize, usize)) {
    for s in 1..k {
        for c in 0..k {
            for l in 0..k {
                f(c * k + l, 4 * (s - 1) + 2 * usize::from(c < s) + usize::from(l < s));
            }
        }
    }
}
