//! Rankings of several items, from numbered columns of places.

use crate::column::{Column, MISSING};
use crate::kinds::{First, Made, bad, complete, whole_numbers};
use crowdwise::io::rankings::{BEHIND, Places, dataset, of_places, order};
use crowdwise::{Error, Names};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Problems that are shown.
const SHOWN: usize = 3;

/// Places of rankings, one a row; an item without a position is behind the ranked ones. Without a column of rankings every
/// annotator gave one. `named` says whether the rankings have names of their own.
pub fn rankings(
    item: &Column,
    annotator: &Column,
    ranking: Option<&Column>,
    position: &Column,
    named: bool,
) -> Result<Made, Error> {
    complete(item, "item")?;
    complete(annotator, "annotator")?;
    let of = ranking.unwrap_or(annotator);
    complete(of, "ranking")?;
    let number = whole_numbers(position)?;
    let place = |c: u32| if c == MISSING { BEHIND } else { number[c as usize] };
    let places = Places {
        ranking: &of.codes.iter().collect::<Vec<u32>>(),
        annotator: &annotator.codes.iter().collect::<Vec<u32>>(),
        item: &item.codes.iter().collect::<Vec<u32>>(),
        position: &position.codes.iter().map(place).collect::<Vec<u32>>(),
        at: &(0..item.codes.len() as u64).collect::<Vec<u64>>(),
        word: "row",
    };
    let names = if named { of.names.clone() } else { Names::new() };
    let found = of_places(&places, &item.names, &annotator.names, &names)?;
    if !found.bad.is_empty() {
        let n = found.bad.len();
        let mut shown: Vec<String> = found
            .bad
            .iter()
            .take(SHOWN)
            .map(|(row, what)| if named { format!("row {row}: {what}") } else { what.clone() })
            .collect();
        if n > SHOWN {
            shown.push("…".into());
        }
        let what = format!("{n} {} of rankings: {}", if n == 1 { "problem" } else { "problems" }, shown.join("; "));
        return Err(bad(what, None));
    }
    let rankings = if named { found.rankings.named(names, found.called) } else { found.rankings };
    let (data, note) = dataset(rankings, item.names.clone(), annotator.names.clone())?;
    let first = First { item: item.first.clone(), annotator: annotator.first.clone(), ..First::default() };
    Ok((data, first, vec![note]))
}

/// The items of a ranking that is written as `a > b > c` with their places, None for those behind the ranked ones.
#[pyfunction]
#[pyo3(signature = (ranking, shown=None))]
pub fn ranking_order(ranking: &str, shown: Option<&str>) -> PyResult<Vec<(String, Option<u32>)>> {
    let found = order(ranking, shown).map_err(PyValueError::new_err)?;
    Ok(found.into_iter().map(|(item, at)| (item.to_owned(), (at != BEHIND).then_some(at))).collect())
}
