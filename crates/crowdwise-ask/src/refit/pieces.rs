//! Rows of numbers in pieces that clones share until one of them writes.

use std::sync::Arc;

/// Rows of `width` numbers. A clone costs a pointer per piece, and writing a row copies at most its piece.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    width: usize,
    per_piece: usize,
    rows: usize,
    parts: Vec<Arc<Vec<f64>>>,
}

/// Numbers in a piece, more or less: some kilobytes.
const SIZE: usize = 1024;

impl Pieces {
    /// From rows that lie one after the other.
    pub fn new(width: usize, all: &[f64]) -> Pieces {
        let per_piece = (SIZE / width.max(1)).max(1);
        let parts = all.chunks(per_piece * width.max(1)).map(|c| Arc::new(c.to_vec())).collect();
        Pieces { width, per_piece, rows: all.len() / width.max(1), parts }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn row(&self, r: usize) -> &[f64] {
        let at = r % self.per_piece * self.width;
        &self.parts[r / self.per_piece][at..at + self.width]
    }

    pub fn row_mut(&mut self, r: usize) -> &mut [f64] {
        let at = r % self.per_piece * self.width;
        &mut Arc::make_mut(&mut self.parts[r / self.per_piece])[at..at + self.width]
    }

    /// Adds copies of `row` until there are so many rows.
    pub fn grow(&mut self, rows: usize, row: &[f64]) {
        while self.rows < rows {
            if self.rows.is_multiple_of(self.per_piece) {
                self.parts.push(Arc::default());
            }
            Arc::make_mut(self.parts.last_mut().expect("just added")).extend_from_slice(row);
            self.rows += 1;
        }
    }

    /// All rows, one after the other.
    pub fn flat(&self) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.rows * self.width);
        self.parts.iter().for_each(|p| out.extend_from_slice(p));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_keep_what_they_had() {
        let all: Vec<f64> = (0..3000).map(f64::from).collect();
        let mut p = Pieces::new(3, &all);
        let before = p.clone();
        p.row_mut(999)[1] = -1.0;
        p.grow(1500, &[7.0, 8.0, 9.0]);
        assert_eq!((p.rows(), before.rows()), (1500, 1000));
        assert_eq!(
            (p.row(999), p.row(1000), p.row(1499)),
            (&[2997.0, -1.0, 2999.0][..], &[7.0, 8.0, 9.0][..], &[7.0, 8.0, 9.0][..])
        );
        assert_eq!(before.flat(), all);
        assert_eq!(p.flat().len(), 4500);
        // only the piece that was written is a copy
        assert!(Arc::ptr_eq(&p.parts[0], &before.parts[0]) && !Arc::ptr_eq(&p.parts[2], &before.parts[2]));
    }
}
