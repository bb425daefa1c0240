//! The items to look at, with who said what.

use super::labels::margin;
use crate::{Dataset, Fit, Preference, Truth, Values, stats};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What makes an item worth a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemOrder {
    /// Entropy of the posterior; for real values the standard error, for preferences that of the votes.
    Entropy,
    /// Smallest distance between the two best classes.
    Margin,
    /// How much the annotators disagree, whatever the fit says of it: entropy of the votes, spread of the values.
    Disagreement,
    /// The method's own difficulty; entropy where it has none.
    Difficulty,
}

/// What an annotator said: the index of a class, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Said {
    Class(usize),
    Value(f64),
    Outcome(Preference),
    Same(bool),
}

/// A hard item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemRow {
    pub unit: usize,
    /// The class it was given; `None` for other kinds.
    pub class: Option<usize>,
    pub probability: Option<f64>,
    pub entropy_bits: Option<f64>,
    pub margin: Option<f64>,
    /// Estimated value, for real labels.
    pub value: Option<f64>,
    pub sd: Option<f64>,
    pub difficulty: Option<f64>,
    /// The number that the rows are ordered by, largest first.
    pub sort_value: f64,
    /// (annotator, what was said), all labels of the item.
    pub votes: Vec<(usize, Said)>,
}

/// The `top` units of an order, hardest first, equal ones in unit order. Memory is that of the rows returned.
pub fn items(data: &Dataset, fit: &Fit, by: ItemOrder, top: usize) -> Vec<ItemRow> {
    let table = &data.table;
    let mut votes = vec![0.0; table.n_classes().max(3)];
    // a heap of the best so far whose root is the least of them: linear time, `top` entries
    let mut heap: BinaryHeap<Key> = BinaryHeap::with_capacity(top.min(table.n_units()) + 1);
    for unit in 0..table.n_units() {
        if table.degree(unit) == 0 {
            continue; // nobody said anything: nothing to look at, counted by `inspect`
        }
        let key = Key { value: sort_value(data, fit, by, unit, &mut votes), unit };
        if heap.len() < top {
            heap.push(key);
        } else if heap.peek().is_some_and(|least| key < *least) {
            heap.pop();
            heap.push(key);
        }
    }
    heap.into_sorted_vec().into_iter().map(|k| row(data, fit, k)).collect()
}

/// Ordered so that the harder item is the smaller key: the heap's root is then the easiest one kept.
#[derive(Clone, Copy)]
struct Key {
    value: f64,
    unit: usize,
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        other.value.total_cmp(&self.value).then(self.unit.cmp(&other.unit))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

fn sort_value(data: &Dataset, fit: &Fit, by: ItemOrder, u: usize, votes: &mut [f64]) -> f64 {
    let difficulty = fit.difficulty.as_ref().and_then(|d| d.get(u)).filter(|d| !d.is_nan());
    let value = match (by, &fit.truth, difficulty) {
        (ItemOrder::Difficulty, _, Some(&d)) => d,
        (ItemOrder::Margin, Truth::Classes { k, posterior }, _) => -margin(&posterior[u * k..(u + 1) * k]),
        (ItemOrder::Entropy | ItemOrder::Difficulty, Truth::Classes { k, posterior }, _) => {
            stats::entropy_bits(&posterior[u * k..(u + 1) * k])
        }
        (ItemOrder::Entropy | ItemOrder::Difficulty | ItemOrder::Margin, Truth::Real { sd, .. }, _) => sd[u],
        _ => disagreement(data, u, votes),
    };
    // an unknown amount (one label has no spread) sorts last
    if value.is_nan() { f64::NEG_INFINITY } else { value }
}

/// Entropy of the votes in bits, or the standard deviation of the values.
fn disagreement(data: &Dataset, u: usize, votes: &mut [f64]) -> f64 {
    let table = &data.table;
    let n = table.degree(u) as f64;
    votes.fill(0.0);
    match table.values() {
        Values::Real { values, .. } => {
            if n < 2.0 {
                return f64::NAN;
            }
            let rows = table.rows(u);
            let mean = values[rows.clone()].iter().sum::<f64>() / n;
            return (values[rows].iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
        }
        Values::Categorical { codes, .. } => table.rows(u).for_each(|r| votes[codes.get(r)] += 1.0),
        Values::Preference { codes } => table.rows(u).for_each(|r| votes[codes[r] as usize] += 1.0),
        Values::Similarity { same } => table.rows(u).for_each(|r| votes[same[r] as usize] += 1.0),
    }
    -votes.iter().filter(|&&v| v > 0.0).map(|v| v / n * (v / n).log2()).sum::<f64>()
}

fn row(data: &Dataset, fit: &Fit, key: Key) -> ItemRow {
    let Key { value: sort_value, unit: u } = key;
    let table = &data.table;
    let said = |r: usize| match table.values() {
        Values::Categorical { codes, .. } => Said::Class(codes.get(r)),
        Values::Real { values, .. } => Said::Value(values[r]),
        Values::Preference { codes } => Said::Outcome(codes[r]),
        Values::Similarity { same } => Said::Same(same[r]),
    };
    let p = fit.posterior().map(|(k, p)| &p[u * k..(u + 1) * k]);
    let (value, sd) = match &fit.truth {
        Truth::Real { value, sd } => (Some(value[u]), Some(sd[u])),
        _ => (None, None),
    };
    ItemRow {
        unit: u,
        class: p.map(stats::argmax),
        probability: p.map(|p| p[stats::argmax(p)]),
        entropy_bits: p.map(|p| stats::entropy_bits(p).max(0.0)),
        margin: p.map(margin),
        value: value.filter(|x| x.is_finite()),
        sd: sd.filter(|x| x.is_finite()),
        difficulty: fit.difficulty.as_ref().and_then(|d| d.get(u).copied()).filter(|x| x.is_finite()),
        sort_value: sort_value + 0.0, // no "-0"
        votes: table.rows(u).map(|r| (table.annotator()[r] as usize, said(r))).collect(),
    }
}
