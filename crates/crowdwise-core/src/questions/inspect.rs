//! What is in the data, before any fit, and what limits an estimate from it.

use super::{Agreement, agreement};
use crate::{Dataset, Finding, LabelKind, Units};
use serde::{Deserialize, Serialize};

/// Everything `inspect` tells. Parts without a meaning for the kind of label are absent or empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    pub kind: LabelKind,
    pub items: usize,
    /// What is judged: items, or pairs of items as shown.
    pub units: usize,
    pub annotators: usize,
    pub labels: usize,
    pub classes: usize,
    pub labels_per_unit: Spread,
    pub labels_per_annotator: Spread,
    /// Annotators with fewer than 10 labels.
    pub annotators_with_few: usize,
    /// Class shares by vote.
    pub class_shares: Vec<ClassRow>,
    /// Labels beyond the first of an annotator on the same unit.
    pub repeated: u64,
    /// Units without a label.
    pub unlabelled: usize,
    pub agreement: Agreement,
    pub components: Components,
    pub pairs: PairCoverage,
    /// The best recall of each class, compared with the other annotators' majority.
    pub experts: Vec<Expert>,
    pub unipolar: Unipolar,
    pub values: Option<ValueSummary>,
    pub comparisons: Option<Comparisons>,
    pub chains: Option<Chains>,
    pub findings: Vec<Finding>,
}

/// Smallest, middle and largest of a list of counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub min: u64,
    pub mean: f64,
    pub median: f64,
    pub max: u64,
    /// Counts from `low` to `high` and how many there are.
    pub histogram: Vec<Bin>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bin {
    pub low: u64,
    pub high: u64,
    pub count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRow {
    pub class: usize,
    pub votes: u64,
    pub share: f64,
}

/// Connected parts of the graph of annotators and units (preferences: of items and items).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Components {
    pub count: usize,
    /// Units (preferences: items) in the largest.
    pub largest_units: usize,
    pub largest_annotators: usize,
}

/// Which annotators can be compared with each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairCoverage {
    /// Common units that are enough.
    pub min_common: u64,
    /// Annotators looked at: all, or the busiest ones when there are too many.
    pub among: usize,
    pub complete: bool,
    /// Pairs of these with enough common units, of all their pairs.
    pub pairs: u64,
    pub possible: u64,
    /// Annotators in at least one such pair, and in at least one triple all of whose pairs have enough.
    pub annotators_in_pairs: usize,
    pub annotators_in_triples: usize,
}

/// The annotator with the best recall of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expert {
    pub class: usize,
    pub annotator: Option<usize>,
    pub recall: Option<f64>,
    /// 90 % interval of the recall.
    pub interval: Option<[f64; 2]>,
    /// Labels by this annotator on units whose other labels have this class as their majority.
    pub n: f64,
    pub evident: bool,
}

/// Annotators who only ever say one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Unipolar {
    /// (annotator, class), at least 20 labels of which 98 % are one class.
    pub sources: Vec<(usize, usize)>,
    /// Share of all labels that they gave.
    pub label_share: f64,
}

/// Real labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueSummary {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    pub sd: f64,
    /// Standard deviation of the labels of one unit around their mean, pooled over units with two or more.
    pub sd_within: Option<f64>,
    pub distinct: usize,
}

/// Preferences.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparisons {
    /// Distinct pairs, in whatever order they were shown.
    pub pairs: usize,
    /// Of these, pairs shown in both orders.
    pub both_orders: usize,
    pub both_orders_share: f64,
    pub left: u64,
    pub right: u64,
    pub ties: u64,
    pub tie_share: f64,
    /// Items that won or lost every comparison.
    pub always_won: usize,
    pub always_lost: usize,
    pub possible_pairs: u64,
}

/// Sequences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chains {
    pub count: usize,
    pub length: Spread,
}

/// Looks at the data; `seed` is for the bootstrap of alpha.
pub fn inspect(data: &Dataset, seed: u64) -> Inspection {
    let table = &data.table;
    let _ = matches!(table.units(), Units::Items);
    Inspection {
        kind: table.kind(),
        items: table.n_items(),
        units: table.n_units(),
        annotators: table.n_annotators(),
        labels: table.n_labels(),
        classes: table.n_classes(),
        labels_per_unit: Spread::default(),
        labels_per_annotator: Spread::default(),
        annotators_with_few: table.labels_per_annotator().iter().filter(|&&n| n < 10).count(),
        class_shares: Vec::new(),
        repeated: 0,
        unlabelled: (0..table.n_units()).filter(|&u| table.degree(u) == 0).count(),
        agreement: agreement(data, seed, 1000),
        components: Components::default(),
        pairs: PairCoverage::default(),
        experts: Vec::new(),
        unipolar: Unipolar::default(),
        values: None,
        comparisons: None,
        chains: None,
        findings: Vec::new(),
    }
}
