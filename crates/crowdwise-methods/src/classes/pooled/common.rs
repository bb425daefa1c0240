//! The confusion matrix that annotators have in common: everybody counts about once, however much they labelled.

/// Weight of the matrix that is believed before the labels are seen, in labels of a class.
const STRENGTH: f64 = 4.0;
/// Accuracy that it believes in.
const ACCURACY: f64 = 0.7;

/// Adds what one annotator with these counts (label x truth) contributes.
pub(super) fn add(k: usize, strength: f64, counts: &[f64], sums: &mut [f64]) {
    for t in 0..k {
        let n: f64 = (0..k).map(|l| counts[l * k + t]).sum();
        (0..k).for_each(|l| sums[l * k + t] += counts[l * k + t] / (n + strength));
    }
}

/// A diagonal of `accuracy`, label x truth.
pub(super) fn diagonal(k: usize, accuracy: f64) -> Vec<f64> {
    let off = (1.0 - accuracy) / (k.max(2) - 1) as f64;
    let diagonal = if k > 1 { accuracy } else { 1.0 };
    (0..k * k).map(|x| if x / k == x % k { diagonal } else { off }).collect()
}

/// The common matrix of methods that draw annotators towards it.
pub(crate) struct Shared {
    k: usize,
    base: Vec<f64>,
    matrix: Vec<f64>,
}

impl Shared {
    pub fn new(k: usize) -> Shared {
        let base = diagonal(k, ACCURACY);
        Shared { k, matrix: base.clone(), base }
    }

    /// Label x truth, columns sum to 1.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    pub fn add(&self, counts: &[f64], sums: &mut [f64]) {
        add(self.k, STRENGTH, counts, sums);
    }

    /// Takes note of what all annotators added.
    pub fn update(&mut self, sums: &[f64]) {
        for t in 0..self.k {
            let cells = || (0..self.k).map(|l| l * self.k + t);
            let total: f64 = cells().map(|at| sums[at] + self.base[at]).sum();
            cells().for_each(|at| self.matrix[at] = (self.base[at] + sums[at]) / total);
        }
    }
}
