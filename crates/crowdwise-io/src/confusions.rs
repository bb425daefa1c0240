//! Confusion matrices of annotators: a file with the columns annotator, truth, label and probability.

use crate::beside::{Beside, Wanted};
use crate::collect::brief;
use crate::roles::Role;
use crate::tagged::refuse;
use crate::{Read, Source};
use crowdwise_core::{Error, Table, group};
use std::collections::BTreeMap;

/// P(says label | truth) by annotator, truth and label.
pub type Confusions = BTreeMap<String, BTreeMap<String, BTreeMap<String, f64>>>;

/// Rows may miss 1 by this much.
const ROW_SUM: f64 = 0.01;

/// Reads confusion matrices (CSV, or TSV by its name; further columns are left out). Cells that are not there are 0; every
/// row of a matrix must come to 1. Annotators without labels in `table` are left out, which the notes say.
pub fn read_confusions(source: &Source, table: &Table) -> Result<Read<Confusions>, Error> {
    let wanted = [
        Wanted::of(Role::Annotator),
        Wanted::called("truth"),
        Wanted { asked: None, called: None, role: Some(Role::Label) },
        Wanted::called("probability"),
    ];
    let rows = Beside::open(source, &wanted, "annotator, truth, label and probability")?;
    let file = rows.file.clone();
    let mut names = table.annotators().clone();
    names.thaw();
    let mut out = Confusions::new();
    let mut unknown = std::collections::BTreeSet::new();
    let mut problems = rows.rows(|row, fields| {
        let (Some(who), Some(truth), Some(label)) = (fields[0], fields[1], fields[2]) else {
            return Some(format!("row {row} lacks an annotator, a truth or a label"));
        };
        let Some(p) = fields[3].and_then(|x| x.parse::<f64>().ok()).filter(|p| (0.0..=1.0 + ROW_SUM).contains(p))
        else {
            return Some(format!(
                "row {row} has `{}` where a probability should be",
                brief(fields[3].unwrap_or_default())
            ));
        };
        if names.get(who).is_none() {
            unknown.insert(who.to_owned());
            return None;
        }
        let cells = out.entry(who.to_owned()).or_default().entry(truth.to_owned()).or_default();
        let twice = cells.insert(label.to_owned(), p).is_some();
        twice.then(|| {
            format!(
                "row {row} says again what `{}` says of `{}` where it is `{}`",
                brief(who),
                brief(label),
                brief(truth)
            )
        })
    })?;
    for (who, matrix) in &out {
        for (truth, cells) in matrix {
            let sum: f64 = cells.values().sum();
            if (sum - 1.0).abs() > ROW_SUM {
                problems.push(format!(
                    "the probabilities of `{}` for truth `{}` come to {sum:.3}",
                    brief(who),
                    brief(truth)
                ));
            }
        }
    }
    refuse(&file, &problems, "for every annotator and truth the probabilities of all labels come to 1")?;
    if out.is_empty() {
        let what = "has no annotator of the answers".into();
        return Err(Error::NoData {
            file,
            what,
            hint: Some("check that both files use the same annotator ids".into()),
        });
    }
    let mut notes =
        vec![format!("confusion matrices of {} of {} annotators", group(out.len() as u64), table.n_annotators())];
    if !unknown.is_empty() {
        notes.push(format!("{} annotators of {file} without labels left out", group(unknown.len() as u64)));
    }
    Ok(Read { value: out, notes })
}
