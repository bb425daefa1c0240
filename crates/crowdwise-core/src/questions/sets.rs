//! Sets of labels: an item may have several classes. The unit is one class of one item, called `item|class`, and its value is
//! `yes` or `no`. These figures put the units of an item together again.

use crate::{Dataset, Fit, Gold, GoldValues, stats};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Item and class of a unit called `item|class`; items may have the sign in their names, classes may not.
pub fn split_unit(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once('|')
}

/// Whether a table is one of sets: every item is called `item|class`, and the classes are `no` and `yes`.
pub fn is_sets(data: &Dataset) -> bool {
    let Some(labels) = data.table.categorical() else { return false };
    labels.classes.iter().eq(["no", "yes"]) && data.table.items().iter().all(|name| split_unit(name).is_some())
}

/// How well sets of labels are found, over the items whose set is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetScores {
    pub items: usize,
    /// Units with known truth.
    pub units: usize,
    /// Share of the items whose set is right without exception.
    pub exact_match: f64,
    /// Mean over items of common classes over all classes of the two sets; 1 where both are empty.
    pub jaccard: f64,
    /// Share of the units that are wrong.
    pub hamming: f64,
    /// F1 of all `yes` units together.
    pub micro_f1: f64,
    /// Mean F1 over the classes that are in some true or found set.
    pub macro_f1: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    both: f64,
    found: f64,
    known: f64,
    wrong: f64,
    units: f64,
}

impl Counts {
    fn add(&mut self, found: bool, known: bool) {
        let x = |b: bool| f64::from(u8::from(b));
        self.both += x(found && known);
        self.found += x(found);
        self.known += x(known);
        self.wrong += x(found != known);
        self.units += 1.0;
    }

    fn f1(&self) -> f64 {
        let sum = self.found + self.known;
        if sum > 0.0 { 2.0 * self.both / sum } else { 1.0 }
    }
}

/// Scores of a fit of `item|class` units against known `yes` and `no`. `None` if the table is of another form or nothing is
/// known. A class that was never said of an item is `no` on both sides and counts only where it is a unit.
pub fn set_scores(data: &Dataset, fit: &Fit, gold: &Gold) -> Option<SetScores> {
    let GoldValues::Classes(known) = &gold.values else { return None };
    of_known(data, fit, known)
}

/// The same against (unit, class).
pub(super) fn of_known(data: &Dataset, fit: &Fit, known: &[(u32, u32)]) -> Option<SetScores> {
    let (k, q) = fit.posterior()?;
    let classes = data.table.categorical()?.classes;
    let yes = classes.iter().position(|c| c == "yes")?;
    let (mut items, mut by_class) = (BTreeMap::<&str, Counts>::new(), BTreeMap::<&str, Counts>::new());
    let mut all = Counts::default();
    for &(u, truth) in known {
        let u = u as usize;
        let (item, class) = split_unit(data.table.items().name(u))?;
        let (found, truth) = (stats::argmax(&q[u * k..(u + 1) * k]) == yes, truth as usize == yes);
        items.entry(item).or_default().add(found, truth);
        by_class.entry(class).or_default().add(found, truth);
        all.add(found, truth);
    }
    if items.is_empty() {
        return None;
    }
    let n = items.len() as f64;
    let jaccard = |c: &Counts| {
        let either = c.found + c.known - c.both;
        if either > 0.0 { c.both / either } else { 1.0 }
    };
    let used: Vec<f64> = by_class.values().filter(|c| c.found + c.known > 0.0).map(Counts::f1).collect();
    Some(SetScores {
        items: items.len(),
        units: all.units as usize,
        exact_match: items.values().filter(|c| c.wrong == 0.0).count() as f64 / n,
        jaccard: items.values().map(jaccard).sum::<f64>() / n,
        hamming: all.wrong / all.units,
        micro_f1: all.f1(),
        macro_f1: if used.is_empty() { 1.0 } else { used.iter().sum::<f64>() / used.len() as f64 },
    })
}
