//! Do the labels of one item agree more than the classes explain?

use super::{CHUNK, Evidence};
use crowdwise_core::{Context, Error, stats};
use rayon::prelude::*;

/// Correlation of being right between two annotators of an item, given its class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Dispersion {
    pub correlation: f64,
    /// Standard error, items as clusters; infinite where no item has two labels.
    pub error: f64,
}

/// Classes that are less likely do not count.
const UNLIKELY: f64 = 1e-6;

/// One item: expected products of standardised residuals over its pairs of labels, and what they are divided by.
fn item(e: &Evidence<'_>, tables: &[f64], u: usize, q: &mut [f64]) -> (f64, f64) {
    let (k, table) = (e.k(), e.labels.table);
    e.scores(u, q);
    stats::softmax(q);
    let (mut product, mut scale) = (0.0, 0.0);
    for (z, &p_z) in q.iter().enumerate().filter(|c| *c.1 > UNLIKELY) {
        let (mut sum, mut sum2, mut sd, mut sd2) = (0.0, 0.0, 0.0, 0.0);
        for r in table.rows(u) {
            let right = tables[(table.annotator()[r] as usize * k + z) * k + z];
            let y = f64::from(u8::from(e.labels.codes.get(r) == z)) - right;
            let variance = (right * (1.0 - right)).max(1e-6);
            sum += y;
            sum2 += y * y;
            sd += variance.sqrt();
            sd2 += variance;
        }
        product += p_z * (sum * sum - sum2);
        scale += p_z * (sd * sd - sd2);
    }
    (product, scale)
}

/// The correlation over all items. `tables`: annotators x label x truth.
pub(super) fn of(e: &Evidence<'_>, tables: &[f64], cx: &mut Context<'_>) -> Result<Dispersion, Error> {
    let (n, k) = (e.labels.table.n_units(), e.k());
    let chunks = n.div_ceil(CHUNK);
    // sums of product, scale, product², product x scale, scale²
    let sums: Vec<[f64; 5]> = cx.install(|| {
        (0..chunks)
            .into_par_iter()
            .map(|chunk| {
                let mut q = vec![0.0; k];
                let mut sum = [0.0; 5];
                for u in chunk * CHUNK..((chunk + 1) * CHUNK).min(n) {
                    if e.labels.table.degree(u) < 2 {
                        continue;
                    }
                    let (p, s) = item(e, tables, u, &mut q);
                    sum.iter_mut().zip([p, s, p * p, p * s, s * s]).for_each(|(a, b)| *a += b);
                }
                sum
            })
            .collect()
    })?;
    let mut sum = [0.0; 5];
    sums.iter().for_each(|s| sum.iter_mut().zip(s).for_each(|(a, b)| *a += b));
    if sum[1] <= 0.0 {
        return Ok(Dispersion { correlation: 0.0, error: f64::INFINITY });
    }
    let c = sum[0] / sum[1];
    let error = (sum[2] - 2.0 * c * sum[3] + c * c * sum[4]).max(0.0).sqrt() / sum[1];
    Ok(Dispersion { correlation: c, error })
}
