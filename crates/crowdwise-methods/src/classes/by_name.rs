//! Tables of annotators that were found elsewhere, by the names of annotators and classes.

use crowdwise_core::{Categorical, Dataset, Problems};
use std::collections::BTreeMap;

/// A number for annotator, truth and label.
pub type ByName = BTreeMap<String, BTreeMap<String, BTreeMap<String, f64>>>;

/// Truth x label of every annotator of the data who has a table, NaN where it has no such cell. Annotators and classes that the
/// data do not have are left out: tables may come from more labels than these.
pub(crate) fn tables(given: &ByName, data: &Dataset, labels: &Categorical<'_>) -> Vec<Option<Vec<f64>>> {
    let k = labels.k();
    let classes: Vec<&str> = labels.classes.iter().collect();
    let cell = |rows: &BTreeMap<String, BTreeMap<String, f64>>, t: usize, l: usize| {
        rows.get(classes[t]).and_then(|row| row.get(classes[l])).copied().unwrap_or(f64::NAN)
    };
    let table = |rows| -> Vec<f64> { (0..k * k).map(|x| cell(rows, x / k, x % k)).collect() };
    data.table.annotators().iter().map(|name| given.get(name).map(table)).collect()
}

/// Notes every number that is below 0 or none, naming its place.
pub(crate) fn check(parameter: &'static str, given: &ByName, p: &mut Problems) {
    for (annotator, rows) in given {
        for (truth, row) in rows {
            for (label, x) in row {
                let value = format!("{x} for `{annotator}`, truth `{truth}`, label `{label}`");
                p.require(*x >= 0.0 && x.is_finite(), parameter, value, "numbers of at least 0");
            }
        }
    }
}
