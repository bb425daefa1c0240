//! Class probabilities of a classifier: one row per item, one column per class.

use crate::Read;
use crate::features::{align, load};
use crowdwise_core::{Error, Probabilities, Table};
use std::path::Path;

/// Reads class probabilities and puts them in the order of the table's items and classes.
///
/// Rows are told apart as those of features are. Columns of a CSV file with a header are matched to classes by name; a
/// class that only the file knows becomes one of the table. Columns without names are taken in the order of the classes.
pub fn read_probabilities(
    path: &Path,
    items: Option<&[String]>,
    table: &mut Table,
) -> Result<Read<Probabilities>, Error> {
    let file = path.display().to_string();
    let Some(labels) = table.categorical() else {
        return Err(Error::Unsupported {
            what: format!("{file}: class probabilities for {} labels", table.kind()),
            hint: Some("they can only be used with categorical labels".into()),
        });
    };
    let (k, names): (usize, Vec<String>) = (labels.k(), labels.classes.iter().map(str::to_owned).collect());
    let loaded = load(path, "probability")?;
    let columns = loaded.matrix.columns;
    let read = align(&loaded.matrix, loaded.items.as_deref().or(items), table, &file, "probabilities")?;
    let mut notes = read.notes;
    let known = loaded.columns.as_ref().map_or(0, |c| c.iter().filter(|n| names.contains(n)).count());
    // class of every column
    let mut class_of: Vec<usize> = (0..columns).collect();
    let mut total = k;
    if let Some(header) = loaded.columns.as_ref().filter(|_| known > 0) {
        let mut all = names.clone();
        for (at, name) in header.iter().enumerate() {
            class_of[at] = all.iter().position(|n| n == name).unwrap_or_else(|| {
                all.push(name.clone());
                all.len() - 1
            });
        }
        let mut sorted = class_of.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < columns {
            return Err(bad(file, "two columns have the same name".into(), "name each class once"));
        }
        let missing: Vec<String> =
            (0..k).filter(|c| !class_of.contains(c)).map(|c| format!("`{}`", names[c])).collect();
        if !missing.is_empty() {
            notes.push(format!("probabilities: no column for {}: taken as 0", missing.join(", ")));
        }
        if all.len() > k {
            let new: Vec<String> = all[k..].iter().map(|n| format!("`{n}`")).collect();
            notes.push(format!("probabilities: {} in no answer", new.join(", ")));
            table.add_classes(all[k..].iter().map(String::as_str));
            total = all.len();
        }
    } else if columns == k {
        let order: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
        notes.push(format!("probabilities: columns taken in the order {}", order.join(", ")));
    } else {
        return Err(bad(
            file,
            format!("{columns} columns of probabilities for {k} classes"),
            "name the columns after the classes in the header of a CSV file",
        ));
    }
    let mut values = vec![0.0; table.n_items() * total];
    for i in 0..table.n_items() {
        for (at, &p) in read.value.row(i).iter().enumerate() {
            values[i * total + class_of[at]] = p as f64;
        }
    }
    Ok(Read { value: Probabilities::new(total, values, &file)?, notes })
}

fn bad(file: String, what: String, hint: &str) -> Error {
    Error::BadData { file, what, hint: Some(hint.into()) }
}
