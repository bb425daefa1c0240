//! A dataset back to rows.

use crate::write::{Cell, TableFormat, write_rows};
use crowdwise_core::{Dataset, Error, Preference, Rankings, Structure, Table, Units, Values};
use std::io::Write;

/// Writes the answers of a dataset, so that reading them again gives the same table: item, annotator and label (or
/// value), for comparisons left, right, annotator and winner, for tokens sequence, position, annotator and label,
/// for rankings ranking, annotator, item and position. An
/// item that nobody labelled has a row without annotator and label.
pub fn write_answers(out: Box<dyn Write + Send>, format: TableFormat, data: &Dataset) -> Result<(), Error> {
    let table = &data.table;
    if let Structure::Rankings(rankings) = &data.structure {
        return write_rankings(out, format, table, rankings);
    }
    let header: &[&str] = match (table.values(), &data.structure) {
        (Values::Categorical { .. }, Structure::Chains { .. }) => &["sequence", "position", "annotator", "label"],
        (Values::Categorical { .. }, _) => &["item", "annotator", "label"],
        (Values::Real { .. }, _) => &["item", "annotator", "value"],
        (Values::Preference { .. }, _) => &["left", "right", "annotator", "winner"],
        (Values::Similarity { .. }, _) => &["left", "right", "annotator", "same"],
    };
    let n_units = match &data.structure {
        Structure::Chains { starts, .. } => *starts.last().expect("never empty") as usize,
        _ => table.n_units(),
    };
    let silent = (0..n_units).filter(|&u| table.rows(u).is_empty()).count();
    let (mut unit, mut chain, mut done) = (0, 0, 0);
    write_rows(out, format, header, table.n_labels() + silent, |_, cells| {
        while done == table.rows(unit).len().max(1) {
            unit += 1;
            done = 0;
        }
        let r = table.rows(unit).nth(done);
        done += 1;
        match (table.units(), &data.structure) {
            (Units::Pairs(pairs), _) => {
                cells.extend(pairs[unit].map(|i| Cell::from(table.items().name(i as usize))));
            }
            (Units::Items, Structure::Chains { starts, names }) => {
                while unit as u64 >= starts[chain + 1] {
                    chain += 1;
                }
                let (name, item) = (names.name(chain), table.items().name(unit));
                cells.push(name.into());
                // Items of a chain are called `sequence:position`.
                let position = item.strip_prefix(name).and_then(|rest| rest.strip_prefix(':')?.parse().ok());
                cells.push(Cell::Integer(position.unwrap_or((unit as u64 - starts[chain]) as i64)));
            }
            (Units::Items, _) => cells.push(table.items().name(unit).into()),
        }
        let Some(r) = r else { return cells.extend([Cell::Missing, Cell::Missing]) };
        cells.push(table.annotators().name(table.annotator()[r] as usize).into());
        cells.push(match table.values() {
            Values::Categorical { classes, codes, .. } => classes.name(codes.get(r)).into(),
            Values::Real { values, .. } => Cell::Number(values[r]),
            Values::Similarity { same } => if same[r] { "true" } else { "false" }.into(),
            Values::Preference { codes } => {
                let (left, right) = match (&cells[0], &cells[1]) {
                    (Cell::Text(l), Cell::Text(r)) => (l.clone(), r.clone()),
                    _ => unreachable!("the sides of a pair are text"),
                };
                match codes[r] {
                    Preference::Left => Cell::Text(left),
                    Preference::Right => Cell::Text(right),
                    // A word for a tie that is not the name of a side.
                    Preference::Tie => {
                        let word = ["tie", "draw", "equal"].into_iter().find(|w| left != *w && right != *w);
                        word.unwrap_or("tie").into()
                    }
                }
            }
        });
    })
}

/// Rankings, a row for each place; items behind the ranked ones have none.
fn write_rankings(
    out: Box<dyn Write + Send>,
    format: TableFormat,
    table: &Table,
    rankings: &Rankings,
) -> Result<(), Error> {
    let long = |r: usize| {
        let (ranked, behind) = rankings.ranking(r);
        ranked.len() + behind.len()
    };
    let rows: Vec<(u32, u32)> =
        (0..rankings.len()).flat_map(|r| (0..long(r)).map(move |n| (r as u32, n as u32))).collect();
    write_rows(out, format, &["ranking", "annotator", "item", "position"], rows.len(), |at, cells| {
        let (r, n) = (rows[at].0 as usize, rows[at].1 as usize);
        let (ranked, behind) = rankings.ranking(r);
        let item = if n < ranked.len() { ranked[n] } else { behind[n - ranked.len()] };
        cells.push(Cell::Text(rankings.name(r).into()));
        cells.push(table.annotators().name(rankings.annotator(r) as usize).into());
        cells.push(table.items().name(item as usize).into());
        cells.push(if n < ranked.len() { Cell::Integer(n as i64 + 1) } else { Cell::Missing });
    })
}
