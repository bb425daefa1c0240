//! What a label of each annotator costs: a file with the columns annotator and price.

use crate::beside::{Beside, Wanted};
use crate::collect::{brief, count};
use crate::roles::Role;
use crate::tagged::refuse;
use crate::{Read, Source};
use crowdwise_core::{Error, Table};

/// Reads the price of a label by every annotator of `table` (CSV, or TSV by its name; further columns are left out). Every
/// annotator must have one; those without labels are left out, which the notes say.
pub fn read_prices(source: &Source, table: &Table) -> Result<Read<Vec<f64>>, Error> {
    let rows = Beside::open(source, &[Wanted::of(Role::Annotator), Wanted::called("price")], "annotator and price")?;
    let file = rows.file.clone();
    let mut names = table.annotators().clone();
    names.thaw();
    let mut price: Vec<Option<f64>> = vec![None; names.len()];
    let mut unknown = 0u64;
    let mut problems = rows.rows(|row, fields| {
        let Some(who) = fields[0] else { return Some(format!("row {row} has no annotator")) };
        let Some(x) = fields[1].and_then(|x| x.parse::<f64>().ok()).filter(|x| x.is_finite() && *x >= 0.0) else {
            return Some(format!("the price of `{}` in row {row} is `{}`", brief(who), fields[1].unwrap_or_default()));
        };
        let Some(j) = names.get(who) else {
            unknown += 1;
            return None;
        };
        match price[j as usize].replace(x) {
            Some(other) if other != x => Some(format!("`{}` has two prices: {other} and {x}", brief(who))),
            _ => None,
        }
    })?;
    let without = (0..names.len()).filter(|&j| price[j].is_none());
    problems.extend(without.map(|j| format!("`{}` has no price", brief(table.annotators().name(j)))));
    refuse(&file, &problems, "every annotator needs one price, a number of at least 0")?;
    let mut notes = Vec::new();
    if unknown > 0 {
        notes.push(format!("{} of {file} by annotators without labels left out", count(unknown, "price")));
    }
    Ok(Read { value: price.into_iter().flatten().collect(), notes })
}
