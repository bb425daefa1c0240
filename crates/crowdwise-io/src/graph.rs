//! A graph of items: a file with two columns of item names, one pair of neighbours a row.

use crate::collect::brief;
use crate::source::unreadable;
use crate::tagged::refuse;
use crate::{Format, Read, Source};
use crowdwise_core::{Error, Names, Structure, Table, group};

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
        .from_reader(source.open_within(8)?);
    let mut links = Links::new(table);
    let mut problems = Vec::new();
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
        // the first row may be a header
        if n > 0 || links.knows(a) || links.knows(b) {
            links.add(a, b);
        }
    }
    refuse(&file, &problems, "a row has the names of two items that are neighbours")?;
    let (structure, notes) = links.finish(&file)?;
    Ok(Read { value: structure, notes })
}

/// Pairs of neighbours by the names of the items.
#[derive(Debug)]
pub struct Links {
    items: Names,
    edges: Vec<[u32; 2]>,
    /// Pairs seen, those of an item with itself, those with an item that the table does not have, and its name.
    rows: u64,
    alone: u64,
    unknown: u64,
    first_unknown: Option<String>,
}

impl Links {
    pub fn new(table: &Table) -> Links {
        let mut items = table.items().clone();
        items.thaw();
        Links { items, edges: Vec::new(), rows: 0, alone: 0, unknown: 0, first_unknown: None }
    }

    fn knows(&self, name: &str) -> bool {
        self.items.get(name).is_some()
    }

    pub fn add(&mut self, a: &str, b: &str) {
        self.rows += 1;
        match (self.items.get(a), self.items.get(b)) {
            (Some(a), Some(b)) if a == b => self.alone += 1,
            (Some(a), Some(b)) => self.edges.push([a.min(b), a.max(b)]),
            (x, _) => {
                self.unknown += 1;
                self.first_unknown.get_or_insert_with(|| if x.is_none() { a.to_owned() } else { b.to_owned() });
            }
        }
    }

    /// The graph, every pair once, and what is to be said of it. `file` is where the pairs come from.
    pub fn finish(mut self, file: &str) -> Result<(Structure, Vec<String>), Error> {
        if self.edges.is_empty() {
            let what = match &self.first_unknown {
                Some(name) => {
                    format!("has no pair of items of the answers (its first unknown item is `{}`)", brief(name))
                }
                None => "has no pairs".into(),
            };
            let hint = Some("check that both use the same item ids".into());
            return Err(Error::NoData { file: file.into(), what, hint });
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        let pairs = |n: u64| format!("{} {}", group(n), if n == 1 { "pair" } else { "pairs" });
        let mut notes = vec![format!("{} of neighbours", pairs(self.edges.len() as u64))];
        if self.alone > 0 {
            notes.push(format!("{} of an item with itself left out", pairs(self.alone)));
        }
        if let Some(first) = &self.first_unknown {
            notes.push(format!(
                "{} of {} with unknown items left out (the first is `{}`)",
                group(self.unknown),
                pairs(self.rows),
                brief(first)
            ));
        }
        Ok((Structure::Graph(self.edges), notes))
    }
}
