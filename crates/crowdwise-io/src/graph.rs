//! A graph of items: a file with two columns of item names, one pair of neighbours a row.

use crate::collect::brief;
use crate::source::unreadable;
use crate::tagged::refuse;
use crate::{Format, Read, Source};
use crowdwise_core::{Error, Structure, Table, group};

/// Reads pairs of neighbours (CSV, or TSV by its name; further columns are left out) and matches them to the items of `table`.
///
/// The first row is taken for a header if neither of its names is an item. Pairs with an item that the table does not have are
/// left out, and so are those of an item with itself, which the notes say; a file without any known pair is refused.
pub fn read_graph(source: &Source, table: &Table) -> Result<Read<Structure>, Error> {
    let file = source.name();
    let delimiter = if source.format() == Some(Format::Tsv) { b'\t' } else { b',' };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(source.open()?.reader);
    let mut items = table.items().clone();
    items.thaw();
    let (mut edges, mut unknown, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rows, mut alone) = (0u64, 0u64);
    for (n, record) in reader.records().enumerate() {
        let record = match record {
            Ok(r) => r,
            Err(e) => {
                if let csv::ErrorKind::Io(e) = e.into_kind() {
                    return Err(unreadable(&file, &e));
                }
                problems.push(format!("row {} cannot be read as text", n + 1));
                continue;
            }
        };
        let (Some(a), Some(b)) = (record.get(0).map(str::trim), record.get(1).map(str::trim)) else {
            problems.push(format!("row {} has one column", n + 1));
            continue;
        };
        match (items.get(a), items.get(b)) {
            (Some(a), Some(b)) if a == b => alone += 1,
            (Some(a), Some(b)) => edges.push([a, b]),
            (None, None) if n == 0 => continue, // a header
            (x, _) => unknown.push(if x.is_none() { a.to_owned() } else { b.to_owned() }),
        }
        rows += 1;
    }
    refuse(&file, &problems, "a row has the names of two items that are neighbours")?;
    if edges.is_empty() {
        let what = match unknown.first() {
            Some(name) => format!("has no pair of items of the answers (its first unknown item is `{}`)", brief(name)),
            None => "has no pairs".into(),
        };
        return Err(Error::NoData { file, what, hint: Some("check that both files use the same item ids".into()) });
    }
    let pairs = |n: u64| format!("{} {}", group(n), if n == 1 { "pair" } else { "pairs" });
    let mut notes = vec![format!("{} of neighbours", pairs(edges.len() as u64))];
    if alone > 0 {
        notes.push(format!("{} of an item with itself left out", pairs(alone)));
    }
    if let Some(first) = unknown.first() {
        notes.push(format!(
            "{} of {} with unknown items left out (the first is `{}`)",
            group(unknown.len() as u64),
            pairs(rows),
            brief(first)
        ));
    }
    Ok(Read { value: Structure::Graph(edges), notes })
}
