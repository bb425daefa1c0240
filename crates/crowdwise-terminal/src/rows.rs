//! Rows of results in the format that was asked for.

use crate::output::{Format, Output, Target, unwritable};
use crate::talk::{Talk, counted};
use crowdwise::Error;
use crowdwise::io::{Cell, write_rows};
use crowdwise::report::{Align, TextTable, printable};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// The cells of one row.
pub type Row<'a> = Vec<Cell<'a>>;

/// Cells, one after the other.
pub trait Push<'a> {
    fn text(&mut self, text: impl Into<Cow<'a, str>>) -> &mut Self;
    fn int(&mut self, n: i64) -> &mut Self;
    fn real(&mut self, x: f64) -> &mut Self;
    /// Empty for `None`.
    fn maybe(&mut self, x: Option<f64>) -> &mut Self;
}

impl<'a> Push<'a> for Row<'a> {
    fn text(&mut self, text: impl Into<Cow<'a, str>>) -> &mut Self {
        self.push(Cell::Text(text.into()));
        self
    }

    fn int(&mut self, n: i64) -> &mut Self {
        self.push(Cell::Integer(n));
        self
    }

    fn real(&mut self, x: f64) -> &mut Self {
        self.push(Cell::Number(x));
        self
    }

    fn maybe(&mut self, x: Option<f64>) -> &mut Self {
        self.push(x.map_or(Cell::Missing, Cell::Number));
        self
    }
}

/// Columns and the rows below them, which are made one at a time.
pub struct Sheet<'a> {
    columns: Vec<String>,
    rows: usize,
    fill: Fill<'a>,
}

impl std::fmt::Debug for Sheet<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sheet").field("columns", &self.columns).field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// Makes the row of a number.
type Fill<'a> = Box<dyn FnMut(usize, &mut Row<'a>) + 'a>;

impl<'a> Sheet<'a> {
    pub fn new<S: Into<String>>(
        columns: impl IntoIterator<Item = S>,
        rows: usize,
        fill: impl FnMut(usize, &mut Row<'a>) + 'a,
    ) -> Self {
        Sheet { columns: columns.into_iter().map(Into::into).collect(), rows, fill: Box::new(fill) }
    }

    /// From rows that are already there.
    pub fn of_rows<S: Into<String>>(columns: impl IntoIterator<Item = S>, rows: Vec<Row<'a>>) -> Self {
        let n = rows.len();
        let mut rows = rows.into_iter();
        Sheet::new(columns, n, move |_, row| row.extend(rows.next().unwrap_or_default()))
    }
}

/// A table that nobody asked for shows this many rows at most.
const BRIEF_ROWS: usize = 60;

/// Writes the rows; long tables that nobody asked for are cut, and that is said.
pub fn write(out: &mut Output, sheet: Sheet<'_>, talk: Talk) -> Result<(), Error> {
    let Some(format) = out.rows_format() else {
        return if out.format == Format::Table { write_table(out, sheet, talk) } else { write_markdown(out, sheet) };
    };
    let name = out.target.name();
    let header: Vec<&str> = sheet.columns.iter().map(String::as_str).collect();
    lend(&mut out.target, |writer| write_rows(writer, format, &header, sheet.rows, sheet.fill)).map_err(|e| match e {
        Error::Unwritable { what, .. } => Error::Unwritable { file: name, what },
        e => e,
    })
}

fn write_table(out: &mut Output, sheet: Sheet<'_>, talk: Talk) -> Result<(), Error> {
    let shown = if out.brief { sheet.rows.min(BRIEF_ROWS) } else { sheet.rows };
    let text = render(sheet, shown, out.width());
    out.target.write_all(text.0.as_bytes()).map_err(|e| unwritable(&out.target.name(), &e))?;
    if text.1 > shown {
        // the table first, then what is said of it
        out.target.flush().map_err(|e| unwritable(&out.target.name(), &e))?;
        let rest = counted((text.1 - shown) as u64, "more row", "more rows");
        talk.note(format_args!("{rest}; use `-o FILE`, a pipe or `--format table` to get all of them"));
    }
    Ok(())
}

/// The table as text, and the number of rows there are.
fn render(mut sheet: Sheet<'_>, shown: usize, width: Option<usize>) -> (String, usize) {
    let mut rows: Vec<Row<'_>> = Vec::with_capacity(shown);
    for at in 0..shown {
        let mut row = Row::new();
        (sheet.fill)(at, &mut row);
        rows.push(row);
    }
    let numeric = |c: usize| {
        rows.iter().all(|r| !matches!(r.get(c), Some(Cell::Text(_))))
            && rows.iter().any(|r| matches!(r.get(c), Some(Cell::Number(_) | Cell::Integer(_))))
    };
    let columns = sheet
        .columns
        .iter()
        .enumerate()
        .map(|(c, name)| (name.as_str(), if numeric(c) { Align::Right } else { Align::Left }));
    let mut table = TextTable::new(columns);
    for row in &rows {
        table.row(row.iter().zip(&sheet.columns).map(|(cell, column)| match cell {
            Cell::Number(x) if column == "seconds" => format!("{x:.3}"),
            cell => text(cell),
        }));
    }
    (table.render(width), sheet.rows)
}

fn write_markdown(out: &mut Output, mut sheet: Sheet<'_>) -> Result<(), Error> {
    let mut rows = Vec::with_capacity(sheet.rows);
    for at in 0..sheet.rows {
        let mut row = Row::new();
        (sheet.fill)(at, &mut row);
        rows.push(row.iter().map(|cell| markdown_text(&text(cell))).collect());
    }
    let columns: Vec<String> = sheet.columns.iter().map(|c| markdown_text(c)).collect();
    let text = markdown(&columns, &rows);
    out.target.write_all(text.as_bytes()).map_err(|e| unwritable(&out.target.name(), &e))
}

/// A name as Markdown shows it, whatever it holds: no tags, no links or images, no code.
fn markdown_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '[' | ']' | '*' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// A table in Markdown, of cells that are Markdown.
pub fn markdown(columns: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|c| c.replace('|', "\\|").replace('\n', " ")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = format!("|{}\n", "---|".repeat(columns.len()));
    std::iter::once(line(columns)).chain(std::iter::once(rule)).chain(rows.iter().map(|r| line(r))).collect()
}

/// A cell as people read it: four decimals are enough.
fn text(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Text(text) => text.clone().into_owned(),
        Cell::Integer(n) => n.to_string(),
        Cell::Number(x) if !x.is_finite() => String::new(),
        Cell::Number(x) if x.abs() >= 1e6 => format!("{x:.3e}"),
        Cell::Number(x) if x.abs() < 5e-5 => "0.0000".into(), // never -0.0000
        Cell::Number(x) => format!("{x:.4}"),
        Cell::Missing => String::new(),
    }
}

/// One JSON object, written as it is serialised.
pub fn write_json(out: &mut Output, value: &impl Serialize) -> Result<(), Error> {
    let done = serde_json::to_writer(&mut out.target, value).map_err(io::Error::from);
    done.and_then(|()| out.target.write_all(b"\n")).map_err(|e| unwritable(&out.target.name(), &e))
}

/// Hands the target to a function that wants a writer of its own, and takes it back.
pub fn lend<T>(target: &mut Target, work: impl FnOnce(Box<dyn Write + Send>) -> T) -> T {
    let shared = Arc::new(Mutex::new(std::mem::replace(target, Target::Lent)));
    let out = work(Box::new(Shared(Arc::clone(&shared))));
    let taken = std::mem::replace(&mut *shared.lock().expect("no writer panicked"), Target::Lent);
    *target = taken;
    out
}

struct Shared(Arc<Mutex<Target>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no writer panicked").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().expect("no writer panicked").flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_not_written_as_powers() {
        let as_text = |x: f64| text(&Cell::Number(x));
        assert_eq!(
            [1.772e-14, -1e-9, 1e-4, -0.25, 0.0].map(as_text),
            ["0.0000", "0.0000", "0.0001", "-0.2500", "0.0000"]
        );
        assert_eq!(as_text(2e9), "2.000e9");
    }

    #[test]
    fn markdown_shows_names_and_obeys_none() {
        assert_eq!(markdown_text("<img src=x>"), "&lt;img src=x&gt;");
        assert_eq!(markdown_text("![a](b) `c` *d* e\\f & g_h"), "!\\[a\\](b) \\`c\\` \\*d\\* e\\\\f &amp; g_h");
        assert_eq!(markdown_text("two\nlines\x1b[31m"), "two␊lines␛\\[31m");
    }

    #[test]
    fn numbers_stand_right_and_missing_ones_stay_empty() {
        let sheet = Sheet::new(["item", "p"], 2, |at, row: &mut Row<'_>| {
            row.text(if at == 0 { "x" } else { "long name" }).maybe((at == 0).then_some(0.25));
        });
        let (text, n) = render(sheet, 2, None);
        assert_eq!(n, 2);
        assert_eq!(text.lines().nth(2), Some("x          0.2500"));
        assert_eq!(text.lines().nth(3), Some("long name"));
    }
}
