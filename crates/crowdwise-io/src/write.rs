//! Tables of rows as CSV, TSV, JSON lines, JSON or Parquet.

use crate::parquet_write;
use crowdwise_core::Error;
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

/// How a table of rows is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableFormat {
    Csv,
    Tsv,
    /// CSV and TSV in which no text can be taken for a formula: see [`spreadsheet_safe`].
    SheetCsv,
    SheetTsv,
    Jsonl,
    /// An array of objects.
    Json,
    Parquet,
}

impl TableFormat {
    /// The format that the extension tells.
    pub fn from_path(path: &std::path::Path) -> Option<TableFormat> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(TableFormat::Csv),
            "tsv" => Some(TableFormat::Tsv),
            "jsonl" | "ndjson" => Some(TableFormat::Jsonl),
            "json" => Some(TableFormat::Json),
            "parquet" | "pq" => Some(TableFormat::Parquet),
            _ => None,
        }
    }

    /// The same for a file that is opened in a spreadsheet, where that makes a difference.
    #[must_use]
    pub fn for_spreadsheets(self) -> TableFormat {
        match self {
            TableFormat::Csv => TableFormat::SheetCsv,
            TableFormat::Tsv => TableFormat::SheetTsv,
            other => other,
        }
    }
}

/// The text with an apostrophe before it if a spreadsheet would take it for a formula: an annotator called
/// `=HYPERLINK(…)` is data that strangers wrote. Numbers such as `-1.5` stay numbers.
pub fn spreadsheet_safe(text: &str) -> Cow<'_, str> {
    let begins = |t: &str| t.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let number = |t: &str| t.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) && t.parse::<f64>().is_ok();
    if (begins(text) || begins(text.trim_start())) && !number(text) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// One field of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    Text(Cow<'a, str>),
    Number(f64),
    Integer(i64),
    Missing,
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Cell<'_> {
    fn from(text: String) -> Self {
        Cell::Text(Cow::Owned(text))
    }
}

impl From<f64> for Cell<'_> {
    fn from(x: f64) -> Self {
        Cell::Number(x)
    }
}

/// Writes `rows` rows; `fill` puts the cells of a row into the vector it is given. A reader that stops early (a broken
/// pipe) is no error.
pub fn write_rows<'a>(
    out: Box<dyn Write + Send>,
    format: TableFormat,
    header: &[&str],
    rows: usize,
    mut fill: impl FnMut(usize, &mut Vec<Cell<'a>>),
) -> Result<(), Error> {
    let result = match format {
        TableFormat::Csv => delimited(out, b',', header, rows, fill),
        TableFormat::Tsv => delimited(out, b'\t', header, rows, fill),
        TableFormat::SheetCsv | TableFormat::SheetTsv => {
            let header: Vec<Cow<'_, str>> = header.iter().map(|h| spreadsheet_safe(h)).collect();
            let header: Vec<&str> = header.iter().map(AsRef::as_ref).collect();
            delimited(out, if format == TableFormat::SheetCsv { b',' } else { b'\t' }, &header, rows, |r, cells| {
                fill(r, cells);
                for cell in &mut *cells {
                    if let Cell::Text(text) = cell
                        && let Cow::Owned(safe) = spreadsheet_safe(text)
                    {
                        *text = Cow::Owned(safe);
                    }
                }
            })
        }
        TableFormat::Jsonl => json(out, header, rows, fill, ["", "\n", "\n"]),
        TableFormat::Json => json(out, header, rows, fill, ["[\n", ",\n", "\n]\n"]),
        TableFormat::Parquet => parquet_write::write(out, header, rows, fill),
    };
    finish(result)
}

fn finish(result: io::Result<()>) -> Result<(), Error> {
    match result {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(e) => Err(Error::Unwritable { file: "the table".into(), what: e.to_string() }),
    }
}

fn delimited<'a>(
    out: Box<dyn Write + Send>,
    delimiter: u8,
    header: &[&str],
    rows: usize,
    mut fill: impl FnMut(usize, &mut Vec<Cell<'a>>),
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let mut cells = Vec::with_capacity(header.len());
    for (n, name) in header.iter().enumerate() {
        if n > 0 {
            out.write_all(&[delimiter])?;
        }
        quoted(&mut out, name, delimiter)?;
    }
    out.write_all(b"\n")?;
    for r in 0..rows {
        cells.clear();
        fill(r, &mut cells);
        for (n, cell) in cells.iter().enumerate() {
            if n > 0 {
                out.write_all(&[delimiter])?;
            }
            match cell {
                Cell::Text(text) => quoted(&mut out, text, delimiter)?,
                Cell::Number(x) => number(&mut out, *x)?,
                Cell::Missing => {}
                Cell::Integer(i) => write!(out, "{i}")?,
            }
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// The shortest form that reads back as the same number; nothing for what is not finite.
fn number(out: &mut impl Write, x: f64) -> io::Result<()> {
    if !x.is_finite() {
        return Ok(());
    }
    if x == 0.0 || (1e-5..1e16).contains(&x.abs()) { write!(out, "{x}") } else { write!(out, "{x:e}") }
}

/// Objects with what stands before the first, between two, and after the last.
fn json<'a>(
    out: Box<dyn Write + Send>,
    header: &[&str],
    rows: usize,
    mut fill: impl FnMut(usize, &mut Vec<Cell<'a>>),
    [first, between, last]: [&str; 3],
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let keys = header.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
    let mut cells = Vec::with_capacity(header.len());
    out.write_all(first.as_bytes())?;
    for r in 0..rows {
        cells.clear();
        fill(r, &mut cells);
        if r > 0 {
            out.write_all(between.as_bytes())?;
        }
        for (n, (key, cell)) in keys.iter().zip(&cells).enumerate() {
            out.write_all(if n == 0 { b"{" } else { b"," })?;
            out.write_all(key.as_bytes())?;
            out.write_all(b":")?;
            match cell {
                Cell::Text(text) => serde_json::to_writer(&mut out, text)?,
                Cell::Number(x) if x.is_finite() => serde_json::to_writer(&mut out, x)?,
                Cell::Number(_) | Cell::Missing => out.write_all(b"null")?,
                Cell::Integer(i) => write!(out, "{i}")?,
            }
        }
        out.write_all(b"}")?;
    }
    if rows > 0 || between != last {
        out.write_all(last.as_bytes())?;
    }
    out.flush()
}

/// Text in quotes where it needs them.
fn quoted(out: &mut impl Write, text: &str, delimiter: u8) -> io::Result<()> {
    let needs = text.bytes().any(|b| b == delimiter || matches!(b, b'"' | b'\n' | b'\r'))
        || text.starts_with([' ', '\u{feff}'])
        || text.ends_with(' ');
    if !needs {
        return out.write_all(text.as_bytes());
    }
    out.write_all(b"\"")?;
    for (n, part) in text.split('"').enumerate() {
        if n > 0 {
            out.write_all(b"\"\"")?;
        }
        out.write_all(part.as_bytes())?;
    }
    out.write_all(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text_and_numbers_stay_numbers() {
        for bad in ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1", "＝1", "-inf", "-"] {
            assert_eq!(spreadsheet_safe(bad), format!("'{bad}"));
        }
        for good in ["-1.5", "+3", "-2e-7", "w1", "a=b", "", "5-3", "'=1"] {
            assert_eq!(spreadsheet_safe(good), good);
        }
        assert_eq!(TableFormat::Csv.for_spreadsheets(), TableFormat::SheetCsv);
        assert_eq!(TableFormat::Jsonl.for_spreadsheets(), TableFormat::Jsonl);
    }
}
