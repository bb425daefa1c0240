//! Spread of values about an estimate, by item and by annotator.

use crowdwise_core::{Annotators, Table};

/// Variance within items, pooled.
#[derive(Debug)]
pub(super) struct Spread {
    pooled: Option<f64>,
}

impl Spread {
    /// From (number of values, variance) of every item; those with one value say nothing.
    pub fn new(items: impl Iterator<Item = (usize, f64)>) -> Self {
        let (mut sum, mut free) = (0.0, 0.0);
        for (n, variance) in items {
            if n > 1 {
                sum += (n - 1) as f64 * variance;
                free += (n - 1) as f64;
            }
        }
        Spread { pooled: (free > 0.0).then(|| sum / free) }
    }

    pub fn pooled_sd(&self) -> Option<f64> {
        self.pooled.map(f64::sqrt)
    }

    /// The item's own variance with `pooling` labels' worth of the pooled one: three equal answers do not prove that
    /// there is no noise, and one answer proves nothing.
    pub fn mixed(&self, n: usize, own: f64, pooling: f64) -> f64 {
        let free = n.saturating_sub(1) as f64;
        if n == 0 {
            return f64::NAN;
        }
        let own = if n > 1 { free * own } else { 0.0 };
        match self.pooled {
            Some(pooled) => (own + pooling * pooled) / (free + pooling),
            None => f64::NAN,
        }
    }
}

/// Bias and standard deviation of every annotator's residuals (value minus estimate). The estimate includes their own
/// value too, so both are a little small; with few labels the standard deviation leans on that of all residuals.
pub(crate) fn annotators(table: &Table, values: &[f64], estimate: &[f64], pooling: f64) -> Annotators {
    let m = table.n_annotators();
    let each = |mut f: Box<dyn FnMut(usize, f64) + '_>| {
        for u in 0..table.n_units() {
            for r in table.rows(u) {
                f(table.annotator()[r] as usize, values[r] - estimate[u]);
            }
        }
    };
    let (mut n, mut bias, mut square) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
    each(Box::new(|j, r| {
        n[j] += 1.0;
        bias[j] += r;
    }));
    (0..m).filter(|&j| n[j] > 0.0).for_each(|j| bias[j] /= n[j]);
    each(Box::new(|j, r| square[j] += (r - bias[j]) * (r - bias[j])));
    let free: f64 = n.iter().map(|n| (n - 1.0).max(0.0)).sum();
    let all = if free > 0.0 { square.iter().sum::<f64>() / free } else { f64::NAN };
    let sd = (0..m).map(|j| ((square[j] + pooling * all) / ((n[j] - 1.0).max(0.0) + pooling)).sqrt()).collect();
    Annotators::Gaussian { bias, sd }
}
