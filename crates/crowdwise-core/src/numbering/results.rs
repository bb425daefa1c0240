//! Results with the numbers of the data that they were asked for.

use super::{Numbering, inverse, rows};
use crate::fit::Outcome;
use crate::{Annotators, Fit, Truth};
use serde_json::{Map, Value};

/// Details of a fit that are lists with an entry per annotator. The contract test `order_of_rows_changes_nothing` fails for one
/// that is missing here.
const PER_ANNOTATOR: &[&str] = &[
    "accuracy",
    "accuracy_interval",
    "annotator_bias",
    "annotator_guessing",
    "annotator_noise",
    "annotator_weights",
    "community_of_annotator",
    "confusion_sd",
    "hammer",
    "position_effects",
    "scale",
    "weight",
];
/// Details with an entry per item.
const PER_ITEM: &[&str] = &["item_position", "item_position_sd", "level_posterior", "unshrunk_score"];

/// Old numbers of the new ones, whichever way round.
struct Orders<'a> {
    items: &'a [u32],
    units: &'a [u32],
    annotators: &'a [u32],
}

impl Numbering {
    /// What a method found with the new numbers, in the old ones.
    pub fn undo(&self, out: Outcome) -> Outcome {
        let (items, units, annotators) = (inverse(&self.items), inverse(self.units()), inverse(&self.annotators));
        let orders = Orders { items: &items, units: &units, annotators: &annotators };
        let mut diagnostics = out.diagnostics;
        orders.details(&mut diagnostics.details);
        Outcome {
            truth: orders.truth(&out.truth),
            uncalibrated: out.uncalibrated.map(|q| orders.per_unit(&q)),
            annotators: orders.annotators(&out.annotators),
            difficulty: out.difficulty.map(|d| orders.per_unit(&d)),
            diagnostics,
            ..out
        }
    }

    /// An earlier fit of the same data in the new numbers.
    pub fn renumbered(&self, fit: &Fit) -> Fit {
        let orders = Orders { items: &self.items, units: self.units(), annotators: &self.annotators };
        let mut fit = fit.clone();
        orders.details(&mut fit.diagnostics.details);
        Fit {
            truth: orders.truth(&fit.truth),
            uncalibrated: fit.uncalibrated.map(|q| orders.per_unit(&q)),
            annotators: orders.annotators(&fit.annotators),
            difficulty: fit.difficulty.map(|d| orders.per_unit(&d)),
            ..fit
        }
    }
}

impl Orders<'_> {
    fn truth(&self, truth: &Truth) -> Truth {
        match truth {
            Truth::Classes { k, posterior } => Truth::Classes { k: *k, posterior: self.per_unit(posterior) },
            Truth::Real { value, sd } => Truth::Real { value: self.per_unit(value), sd: self.per_unit(sd) },
            Truth::Scores { score, interval, component, ranks } => {
                let mut component = lists(component, self.items);
                by_first(component.iter_mut());
                Truth::Scores {
                    score: lists(score, self.items),
                    interval: lists(interval, self.items),
                    component,
                    ranks: lists(ranks, self.items),
                }
            }
            Truth::Clusters { cluster, confidence, same } => {
                let mut cluster = lists(cluster, self.items);
                by_first(cluster.iter_mut());
                Truth::Clusters { cluster, confidence: lists(confidence, self.items), same: self.per_unit(same) }
            }
        }
    }

    fn annotators(&self, a: &Annotators) -> Annotators {
        let per = |v: &[f64]| lists(v, self.annotators);
        match a {
            Annotators::None => Annotators::None,
            Annotators::Weight { weight } => Annotators::Weight { weight: per(weight) },
            Annotators::Accuracy { k, accuracy } => Annotators::Accuracy { k: *k, accuracy: per(accuracy) },
            Annotators::ClassAccuracy { k, accuracy } => Annotators::ClassAccuracy { k: *k, accuracy: per(accuracy) },
            Annotators::Confusion { k, matrix } => Annotators::Confusion { k: *k, matrix: per(matrix) },
            Annotators::Competence { k, competence, strategy } => {
                Annotators::Competence { k: *k, competence: per(competence), strategy: per(strategy) }
            }
            Annotators::Ability { k, ability, typical_ease } => {
                Annotators::Ability { k: *k, ability: per(ability), typical_ease: *typical_ease }
            }
            Annotators::Gaussian { bias, sd } => Annotators::Gaussian { bias: per(bias), sd: per(sd) },
        }
    }

    fn per_unit(&self, values: &[f64]) -> Vec<f64> {
        lists(values, self.units)
    }

    fn details(&self, details: &mut Map<String, Value>) {
        for key in PER_ANNOTATOR {
            if let Some(value) = details.get_mut(*key) {
                rows_in_order(value, self.annotators);
            }
        }
        for key in PER_ITEM {
            if let Some(value) = details.get_mut(*key) {
                rows_in_order(value, self.items);
            }
        }
    }
}

/// Rows of a list in another order, an equal share of entries for each; of all lists, if there are several with names.
fn rows_in_order(value: &mut Value, order: &[u32]) {
    match value {
        Value::Array(list) if !order.is_empty() && list.len().is_multiple_of(order.len()) => {
            let width = list.len() / order.len();
            *list = order
                .iter()
                .flat_map(|&o| o as usize * width..(o as usize + 1) * width)
                .map(|x| list[x].take())
                .collect();
        }
        Value::Object(map) => map.values_mut().for_each(|v| rows_in_order(v, order)),
        _ => {}
    }
}

/// A list with an equal share of entries for each in `order`. A list of something else (an earlier fit may know other
/// items) stays as it is.
fn lists<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    match values.len().checked_rem(order.len()) {
        Some(0) => rows(values, values.len() / order.len(), order),
        _ => values.to_vec(),
    }
}

/// Groups are numbered by their first member.
pub(super) fn by_first<'a>(numbers: impl Iterator<Item = &'a mut u32>) {
    let mut new: hashbrown::HashMap<u32, u32, foldhash::fast::FixedState> = hashbrown::HashMap::default();
    for number in numbers {
        let next = new.len() as u32;
        *number = *new.entry(*number).or_insert(next);
    }
}
