//! Expected counts of (truth, label) by annotator and group.

use crate::Dataset;

/// Numbers that may be held at once.
const LIMIT: usize = 30_000_000;

/// Expected numbers of labels by annotator, group, truth and label, and of their squared weights.
pub struct Counts {
    pub k: usize,
    pub groups: usize,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Counts {
    fn new(annotators: usize, groups: usize, k: usize) -> Option<Counts> {
        let size = annotators.checked_mul(groups)?.checked_mul(k * k).filter(|n| *n <= LIMIT / 2)?;
        Some(Counts { k, groups, sums: vec![0.0; size], squares: vec![0.0; size] })
    }

    fn add(&mut self, j: usize, g: usize, row: &[f64], l: usize) {
        let at = (j * self.groups + g) * self.k * self.k + l;
        for (t, w) in row.iter().enumerate() {
            self.sums[at + t * self.k] += w;
            self.squares[at + t * self.k] += w * w;
        }
    }

    pub fn of_annotators(
        data: &Dataset,
        k: usize,
        q: &[f64],
        group: &[Option<usize>],
        groups: usize,
    ) -> Option<Counts> {
        let (table, labels) = (&data.table, data.table.categorical()?);
        let mut out = Counts::new(table.n_annotators(), groups, k)?;
        for u in 0..table.n_units() {
            let Some(g) = group[u] else { continue };
            for r in table.rows(u) {
                out.add(table.annotator()[r] as usize, g, &q[u * k..(u + 1) * k], labels.codes.get(r));
            }
        }
        Some(out)
    }

    /// Labels of items as if one annotator had given them.
    pub fn of_labels(
        labels: impl Iterator<Item = (usize, usize)>,
        k: usize,
        q: &[f64],
        group: &[Option<usize>],
        groups: usize,
    ) -> Counts {
        let mut out = Counts::new(1, groups, k).expect("one annotator, fewer than many");
        for (u, l) in labels {
            if let Some(g) = group[u] {
                out.add(0, g, &q[u * k..(u + 1) * k], l);
            }
        }
        out
    }

    fn cell(&self, j: usize, g: usize, t: usize) -> std::ops::Range<usize> {
        let at = ((j * self.groups + g) * self.k + t) * self.k;
        at..at + self.k
    }

    /// Counts of the labels where the truth is `t`.
    pub fn row(&self, j: usize, g: usize, t: usize) -> &[f64] {
        &self.sums[self.cell(j, g, t)]
    }

    /// The same for squared weights.
    pub fn square(&self, j: usize, g: usize, t: usize) -> &[f64] {
        &self.squares[self.cell(j, g, t)]
    }

    /// Share of every class among all labels.
    pub fn shares(&self) -> Vec<f64> {
        let mut sum = vec![1e-9; self.k];
        for matrix in self.sums.chunks_exact(self.k * self.k) {
            sum.iter_mut().zip(matrix.chunks_exact(self.k)).for_each(|(s, row)| *s += row.iter().sum::<f64>());
        }
        let all: f64 = sum.iter().sum();
        sum.iter().map(|s| s / all).collect()
    }
}
