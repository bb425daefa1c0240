//! Tables of every kind of answers, from numbered columns.

use crate::codes;
use crate::column::{Column, MISSING};
use crowdwise::io::{same_or_not, winner};
use crowdwise::{Dataset, Error, LabelKind, Names, Order, Structure, TableBuilder};
use serde::{Deserialize, Serialize};

/// Where in the caller's frame things are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct First {
    /// Rows in which items first appear; of tokens those of their sequences.
    pub item: Vec<u32>,
    pub annotator: Vec<u32>,
    pub class: Vec<u32>,
    /// Positions of tokens in their sequences.
    #[serde(default)]
    pub position: Vec<u32>,
}

/// A dataset, where its ids are, and what there is to say about it.
pub type Made = (Dataset, First, Vec<String>);

/// Problems that are shown of each kind.
const SHOWN: usize = 3;

pub fn bad(what: String, hint: Option<&str>) -> Error {
    Error::BadData { file: "the data".into(), what, hint: hint.map(Into::into) }
}

/// Every row has a value, or an error says how many have none.
pub fn complete(column: &Column, what: &str) -> Result<(), Error> {
    let (n, Some(row)) = column.codes.missing() else { return Ok(()) };
    Err(bad(format!("{n} rows have no {what}, the first is row {row}"), None))
}

fn notes(empty: usize) -> Vec<String> {
    match empty {
        0 => Vec::new(),
        1 => vec!["1 answer without a label left out".into()],
        n => vec![format!("{n} answers without a label left out")],
    }
}

/// Rows of the classes in their sorted order.
fn class_rows(table: &crowdwise::Table, mut names: Names, first: &[u32]) -> Vec<u32> {
    names.thaw();
    let row = |c: &str| names.get(c).map_or(MISSING, |c| first[c as usize]);
    table.categorical().map_or(Vec::new(), |c| c.classes.iter().map(row).collect())
}

/// Classes: who said what about which item. A row without a label is no answer; its item stays.
pub fn classes(item: Column, annotator: Column, label: Column, order: &Order) -> Result<Made, Error> {
    complete(&item, "item")?;
    complete(&annotator, "annotator")?;
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (b.items, b.annotators, b.classes) = (item.names, annotator.names, label.names.clone());
    let rows = label.codes.len();
    b.reserve(rows);
    codes::consume([item.codes, annotator.codes, label.codes], |[i, j, l]| {
        if l == MISSING { Ok(()) } else { b.label_codes(i, j, l) }
    })?;
    let empty = rows - b.len();
    codes::give_back(rows);
    let mut table = b.finish()?;
    codes::give_back(rows);
    let mut notes = notes(empty);
    notes.extend(table.put_in_order(order)?);
    let class = class_rows(&table, label.names, &label.first);
    let first = First { item: item.first, annotator: annotator.first, class, ..First::default() };
    Ok((Dataset::new(table), first, notes))
}

/// Real values.
pub fn numbers(item: &Column, annotator: &Column, label: &Column) -> Result<Made, Error> {
    complete(item, "item")?;
    complete(annotator, "annotator")?;
    let parsed: Vec<Option<f64>> =
        label.names.iter().map(|t| t.trim().parse::<f64>().ok().filter(|x| x.is_finite())).collect();
    let wrong: Vec<usize> = (0..parsed.len()).filter(|&n| parsed[n].is_none()).collect();
    if !wrong.is_empty() {
        let shown = listed(&wrong, |n| format!("row {}: `{}`", label.first[n], label.names.name(n)));
        return Err(bad(format!("{} labels are not finite numbers: {shown}", wrong.len()), None));
    }
    let mut b = TableBuilder::new(LabelKind::Real);
    (b.items, b.annotators) = (item.names.clone(), annotator.names.clone());
    let rows = item.codes.iter().zip(annotator.codes.iter()).zip(label.codes.iter());
    for ((i, j), l) in rows.filter(|(_, l)| *l != MISSING) {
        b.value_codes(i, j, parsed[l as usize].expect("all were read"));
    }
    let empty = label.codes.len() - b.len();
    let first = First { item: item.first.clone(), annotator: annotator.first.clone(), ..First::default() };
    Ok((Dataset::new(b.finish()?), first, notes(empty)))
}

/// Judgements of two items. `both` has the ids of the left column, then those of the right one. The label of a comparison is the
/// id of the winner, `left` or `right`, or a word for a tie; that of a similarity is yes or no.
pub fn pairs(kind: LabelKind, both: &Column, annotator: &Column, label: &Column) -> Result<Made, Error> {
    complete(both, "item")?;
    complete(annotator, "annotator")?;
    let similar = kind == LabelKind::Similarity;
    let same: Vec<Option<bool>> = label.names.iter().map(|t| same_or_not(t).filter(|_| similar)).collect();
    let rows = annotator.codes.len();
    let name = |i: u32| both.names.name(i as usize);
    let mut b = TableBuilder::new(kind);
    (b.items, b.annotators) = (both.names.clone(), annotator.names.clone());
    let (mut alone, mut odd) = (Vec::new(), Vec::new());
    for row in 0..rows {
        let (l, r, said) = (both.codes.get(row), both.codes.get(rows + row), label.codes.get(row));
        if said == MISSING {
            continue;
        }
        if l == r {
            alone.push(row);
        } else if similar {
            match same[said as usize] {
                Some(same) => b.similarity_codes(l, r, annotator.codes.get(row), same),
                None => odd.push(row),
            }
        } else {
            match winner(label.names.name(said as usize), name(l), name(r)) {
                Some(outcome) => b.preference_codes(l, r, annotator.codes.get(row), outcome),
                None => odd.push(row),
            }
        }
    }
    let said = |row: usize| label.names.name(label.codes.get(row) as usize);
    let mut problems = Vec::new();
    if !alone.is_empty() {
        let shown = listed(&alone, |row| format!("row {row}: `{}`", name(both.codes.get(row))));
        problems.push(bad(format!("{} rows compare an item with itself: {shown}", alone.len()), None));
    }
    if !odd.is_empty() && similar {
        let shown = listed(&odd, |row| format!("row {row}: `{}`", said(row)));
        problems.push(bad(
            format!("{} labels are neither yes nor no: {shown}", odd.len()),
            Some("same or different, true or false, 1 or 0"),
        ));
    } else if !odd.is_empty() {
        let sides = |row: usize| (name(both.codes.get(row)), name(both.codes.get(rows + row)));
        let shown = listed(&odd, |row| {
            format!(
                "row {row}: the winner `{}` is neither `{}` nor `{}` nor a tie",
                said(row),
                sides(row).0,
                sides(row).1
            )
        });
        problems.push(bad(format!("{} rows have no winner: {shown}", odd.len()), None));
    }
    Error::all(problems)?;
    let empty = rows - b.len();
    let first = First { item: both.first.clone(), annotator: annotator.first.clone(), ..First::default() };
    Ok((Dataset::new(b.finish()?), first, notes(empty)))
}

/// Labels of the tokens of sequences. A position between others that no row has is a token without labels.
pub fn sequences(sequence: &Column, position: &Column, annotator: &Column, label: &Column) -> Result<Made, Error> {
    complete(sequence, "sequence")?;
    complete(position, "position")?;
    complete(annotator, "annotator")?;
    let places = whole_numbers(position)?;
    let place = |row: usize| places[position.codes.get(row) as usize];
    let rows = sequence.codes.len();
    let mut range = vec![(u32::MAX, 0u32); sequence.names.len()];
    for (row, s) in sequence.codes.iter().enumerate() {
        let (low, high) = &mut range[s as usize];
        (*low, *high) = (place(row).min(*low), place(row).max(*high));
    }
    let mut starts = vec![0u64];
    for &(low, high) in &range {
        starts.push(starts[starts.len() - 1] + u64::from(high - low) + 1);
    }
    let n = starts[range.len()];
    // a wild position must not ask for memory that the rows do not justify
    if n > 2 * rows as u64 {
        return Err(bad(
            format!("there are {n} positions but only {rows} rows"),
            Some("the positions of a sequence follow each other: 0, 1, 2, …"),
        ));
    }
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (b.annotators, b.classes) = (annotator.names.clone(), label.names.clone());
    let mut first = First { annotator: annotator.first.clone(), ..First::default() };
    for (s, name) in sequence.names.iter().enumerate() {
        for p in range[s].0..=range[s].1 {
            b.items.intern(&format!("{name}:{p}"));
            first.item.push(sequence.first[s]);
            first.position.push(p);
        }
    }
    let mut seen = vec![false; n as usize];
    for row in 0..rows {
        let s = sequence.codes.get(row) as usize;
        let item = starts[s] + u64::from(place(row) - range[s].0);
        seen[item as usize] = true;
        if label.codes.get(row) != MISSING {
            b.label_codes(item as u32, annotator.codes.get(row), label.codes.get(row))?;
        }
    }
    let mut notes = notes(rows - b.len());
    let gaps = seen.iter().filter(|s| !**s).count();
    if gaps > 0 {
        notes.push(format!("{gaps} tokens inside sequences in no row"));
    }
    let table = b.finish()?;
    first.class = class_rows(&table, label.names.clone(), &label.first);
    let mut data = Dataset::new(table);
    data.structure = Structure::Chains { starts, names: sequence.names.clone() };
    Ok((data, first, notes))
}

/// The distinct values of a column as positions.
pub fn whole_numbers(column: &Column) -> Result<Vec<u32>, Error> {
    // a column of numbers with missing ones is one of floats
    let whole = |t: &str| t.trim().parse().ok().or_else(|| t.trim().strip_suffix(".0")?.parse().ok());
    let parsed: Vec<Option<u32>> = column.names.iter().map(|t| whole(t).filter(|&n| n < MISSING)).collect();
    let wrong: Vec<usize> = (0..parsed.len()).filter(|&n| parsed[n].is_none()).collect();
    if wrong.is_empty() {
        return Ok(parsed.into_iter().flatten().collect());
    }
    let shown = listed(&wrong, |n| format!("row {}: `{}`", column.first[n], column.names.name(n)));
    Err(bad(format!("{} positions are not whole numbers: {shown}", wrong.len()), Some("0, 1, 2, …")))
}

/// Links between items, by their names; what is said of those whose items have no answers.
pub fn edges(data: &Dataset, edges: &[(String, String)]) -> Result<(Structure, Option<String>), Error> {
    if matches!(data.structure, Structure::Chains { .. }) {
        return Err(bad("the items are tokens of sequences and cannot have other links".into(), None));
    }
    let mut names: Names = data.table.items().clone();
    names.thaw();
    let mut known = Vec::with_capacity(edges.len());
    for (a, b) in edges {
        if let (Some(a), Some(b)) = (names.get(a), names.get(b))
            && a != b
        {
            known.push([a.min(b), a.max(b)]);
        }
    }
    let rest = edges.len() - known.len();
    if known.is_empty() && rest > 0 {
        return Err(bad(format!("none of the {rest} edges links two different items of the answers"), None));
    }
    known.sort_unstable();
    known.dedup();
    Ok((Structure::Graph(known), (rest > 0).then(|| format!("{rest} edges of items without answers left out"))))
}

/// The first of some places, for a message.
fn listed(places: &[usize], show: impl Fn(usize) -> String) -> String {
    let shown: Vec<String> = places.iter().take(SHOWN).map(|&n| show(n)).collect();
    let rest = if places.len() > SHOWN { ", …" } else { "" };
    shown.join(", ") + rest
}
