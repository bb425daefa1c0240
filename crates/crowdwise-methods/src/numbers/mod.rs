//! Real values.

mod crowd_regression;
pub(crate) mod errors;
mod gaussian_annotators;
mod level_propagation;
mod linear;
mod mean;
mod median;
mod noise;
mod outliers;
pub(crate) mod residuals;
mod settings;
mod trimmed_mean;

pub use crowd_regression::CrowdRegression;
pub use gaussian_annotators::GaussianAnnotators;
pub use level_propagation::LevelPropagation;
pub use mean::Mean;
pub use median::Median;
pub(crate) use median::loss as loss_of_median;
pub use trimmed_mean::TrimmedMean;

use crowdwise_core::{Context, Dataset, Diagnostics, Error, GoldValues, Outcome, Truth};
use rayon::prelude::*;
use residuals::{Spread, annotators};

/// What a rule makes of the values of one item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Centre {
    pub value: f64,
    /// Variance of the values, as the rule's standard error needs it; unknown (NaN) from one value.
    pub variance: f64,
    /// Standard error over standard deviation.
    pub factor: f64,
}

/// How many labels' worth of the pooled variance an item's own is mixed with, unless asked otherwise. With three, ± 1.645
/// standard errors hold 90 % of the truths for 2 to 10 values per item (`repro coverage`); less makes items that agree by
/// chance look sure.
pub(crate) const POOLING: f64 = 3.0;

/// Items per piece of parallel work.
const CHUNK: usize = 1024;

/// Estimates item by item. `centre` gets the values of an item in increasing order, at least one.
pub(crate) fn estimate(
    data: &Dataset,
    cx: &mut Context<'_>,
    pooling: f64,
    centre: impl Fn(&[f64]) -> Centre + Sync,
) -> Result<Outcome, Error> {
    let table = &data.table;
    let values = table.real().expect("the kind was checked");
    let n = table.n_units();
    let nobody = Centre { value: f64::NAN, variance: f64::NAN, factor: 1.0 };
    let mut centres = vec![nobody; n];
    cx.install(|| {
        centres.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            let mut sorted = Vec::new();
            for (at, out) in out.iter_mut().enumerate() {
                let rows = table.rows(c * CHUNK + at);
                if !rows.is_empty() {
                    sorted.clear();
                    sorted.extend_from_slice(&values[rows]);
                    sorted.sort_unstable_by(f64::total_cmp);
                    *out = centre(&sorted);
                }
            }
        });
    })?;
    let spread = Spread::new((0..n).map(|u| (table.degree(u), centres[u].variance)));
    let mut value: Vec<f64> = centres.iter().map(|c| c.value).collect();
    let mut sd: Vec<f64> = (0..n)
        .map(|u| centres[u].factor * spread.mixed(table.degree(u), centres[u].variance, pooling).sqrt())
        .collect();
    if let Some(GoldValues::Real(known)) = data.gold.as_ref().map(|g| &g.values) {
        for &(u, v) in known {
            value[u as usize] = v;
            sd[u as usize] = 0.0;
        }
    }
    let annotators = annotators(table, values, &value, pooling);
    let mut diagnostics = Diagnostics::direct();
    if let Some(s) = spread.pooled_sd() {
        diagnostics.details.insert("pooled_sd".into(), serde_json::json!(s));
    }
    Ok(Outcome {
        uncalibrated: None,
        truth: Truth::Real { value, sd },
        annotators,
        class_prior: None,
        difficulty: None,
        diagnostics,
        findings: Vec::new(),
    })
}

/// Mean, taken about the first value: large offsets cost no digits, and the mean of equal values is that value.
pub(crate) fn average(x: &[f64]) -> f64 {
    x[0] + x.iter().map(|v| v - x[0]).sum::<f64>() / x.len() as f64
}

/// Variance with n - 1; unknown from one value.
pub(crate) fn variance(x: &[f64]) -> f64 {
    let mean = average(x);
    x.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (x.len() as f64 - 1.0)
}
