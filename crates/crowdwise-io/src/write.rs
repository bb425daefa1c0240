//! Tables of rows as CSV, TSV, JSON lines, JSON or Parquet.

use crowdwise_core::Error;
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

/// How a table of rows is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableFormat {
    Csv,
    Tsv,
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
    fill: impl FnMut(usize, &mut Vec<Cell<'a>>),
) -> Result<(), Error> {
    let result = match format {
        TableFormat::Csv => delimited(out, b',', header, rows, fill),
        TableFormat::Tsv => delimited(out, b'\t', header, rows, fill),
        _ => Err(io::Error::other("this format cannot be written yet")),
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
                Cell::Number(x) if x.is_finite() => write!(out, "{x}")?,
                Cell::Number(_) | Cell::Missing => {}
                Cell::Integer(i) => write!(out, "{i}")?,
            }
        }
        out.write_all(b"\n")?;
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
