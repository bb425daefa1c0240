//! Rows of CSV and TSV.

use crate::blocks::{Block, Blocks};
use crate::collect::{Collector, Fields};
use crate::pending::Pending;
use crate::pipeline::Parse;
use crowdwise_core::Error;
use memchr::{memchr, memchr_iter, memchr2_iter};

/// Rows that are looked at to tell what a file without usual names is.
const SAMPLE: usize = 500;

/// Parses blocks of delimited text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delimited {
    pub delimiter: u8,
    /// Fields that each row must have.
    pub columns: usize,
}

/// The fields of a row without quotes: `ends` are the positions of the delimiters, then of the row's end.
struct Cut<'t, 'e> {
    text: &'t str,
    start: usize,
    ends: &'e [usize],
}

impl<'t> Cut<'t, '_> {
    #[inline]
    fn field(&self, column: usize) -> &'t str {
        let from = if column == 0 { self.start } else { self.ends[column - 1] + 1 };
        &self.text[from..self.ends[column]]
    }
}

impl Fields for Cut<'_, '_> {
    #[inline]
    fn get(&self, column: usize) -> &str {
        self.field(column)
    }
}

/// The fields of a row as the csv crate gives them.
struct Quoted<'a> {
    text: &'a str,
    record: &'a csv::ByteRecord,
}

impl<'a> Quoted<'a> {
    /// `None` if a field is not text. Two fields that are none may be text when joined, so every seam is looked at.
    fn new(record: &'a csv::ByteRecord) -> Option<Self> {
        let text = std::str::from_utf8(record.as_slice()).ok()?;
        let whole = (0..record.len()).all(|c| record.range(c).is_some_and(|r| text.is_char_boundary(r.end)));
        whole.then_some(Quoted { text, record })
    }
}

impl Fields for Quoted<'_> {
    fn get(&self, column: usize) -> &str {
        self.record.range(column).map_or("", |r| &self.text[r])
    }
}

impl Parse<Block> for Delimited {
    fn parse(&self, block: &Block, out: &mut Collector<'_>) -> Result<(), Error> {
        let bytes = &block.bytes[..block.unclosed.map_or(block.bytes.len(), |u| u.row)];
        let lone_return =
            memchr(b'\r', bytes).is_some() && memchr_iter(b'\r', bytes).any(|p| bytes.get(p + 1) != Some(&b'\n'));
        match std::str::from_utf8(bytes) {
            Ok(text) if !block.quoted && !lone_return && memchr(0, bytes).is_none() => self.plain(text, out),
            _ => self.quoted(bytes, out),
        }
        if let Some(open) = block.unclosed {
            let line = memchr_iter(b'\n', &block.bytes[..open.quote]).count() as u64;
            let end = if block.bytes.ends_with(b"\n") { block.lines } else { block.lines + 1 };
            out.tally.unclosed = Some((line, end - line));
        }
        out.tally.lines = block.lines;
        Ok(())
    }
}

impl Delimited {
    /// Text without quotes: cut at delimiters and line ends.
    fn plain(&self, text: &str, out: &mut Collector<'_>) {
        let mut pending = Pending::new(out.layout);
        let labels = out.layout.shape.labels();
        let bytes = text.as_bytes();
        let mut ends: Vec<usize> = Vec::with_capacity(self.columns + 1);
        let (mut start, mut line) = (0, 0);
        let mut row = |start: usize, end: usize, line: u64, ends: &mut Vec<usize>| {
            let end = if end > start && bytes[end - 1] == b'\r' { end - 1 } else { end };
            if end == start {
                return;
            }
            ends.push(end);
            let cut = Cut { text, start, ends };
            match &mut pending {
                _ if cut.ends.len() != self.columns => self.wrong_count(out, line, cut.ends.len()),
                Some(pending) => {
                    let [item, annotator, label] = labels.map(|c| cut.field(c));
                    pending.push(out, line, item, annotator, label);
                }
                None => out.row(line, &cut),
            }
        };
        for at in memchr2_iter(self.delimiter, b'\n', bytes) {
            if bytes[at] == self.delimiter {
                ends.push(at);
            } else {
                row(start, at, line, &mut ends);
                ends.clear();
                start = at + 1;
                line += 1;
            }
        }
        if start < bytes.len() {
            row(start, bytes.len(), line, &mut ends);
        }
        if let Some(mut pending) = pending {
            pending.flush(out);
        }
    }

    /// Any text: the csv crate takes care of quotes and of bytes that are not text.
    fn quoted(&self, bytes: &[u8], out: &mut Collector<'_>) {
        let mut reader = reader(bytes, self.delimiter);
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record).unwrap_or(false) {
            let line = line_of(&record, bytes) - 1;
            let lines = memchr_iter(b'\n', record.as_slice()).count() as u64 + 1;
            if lines > out.tally.longest.0 {
                out.tally.longest = (lines, line);
            }
            if record.len() != self.columns {
                self.wrong_count(out, line, record.len());
                continue;
            }
            if memchr(0, record.as_slice()).is_some() {
                out.tally.total += 1;
                out.tally.bad(line, || "a NUL byte, which is not text".into());
            } else if let Some(fields) = Quoted::new(&record) {
                out.row(line, &fields);
            } else {
                out.tally.total += 1;
                out.tally.not_utf8 += 1;
                out.tally.bad(line, || format!("not UTF-8 text: byte {:#04x}", bad_byte(&record)));
            }
        }
    }

    fn wrong_count(&self, out: &mut Collector<'_>, line: u64, fields: usize) {
        out.tally.total += 1;
        let s = if fields == 1 { "" } else { "s" };
        out.tally.bad(line, || format!("{fields} field{s}, expected {}", self.columns));
    }
}

/// The line on which a record begins, from 1. The csv crate places it before the line ends that it has still to skip.
pub(crate) fn line_of(record: &csv::ByteRecord, bytes: &[u8]) -> u64 {
    record.position().map_or(1, |p| {
        let ahead =
            bytes.get(p.byte() as usize..).unwrap_or_default().iter().take_while(|b| matches!(b, b'\r' | b'\n'));
        p.line() + ahead.filter(|b| **b == b'\n').count() as u64
    })
}

fn bad_byte(record: &csv::ByteRecord) -> u8 {
    record.iter().find_map(|f| std::str::from_utf8(f).err().map(|e| f[e.valid_up_to()])).unwrap_or(0)
}

pub(crate) fn reader(bytes: &[u8], delimiter: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(bytes)
}

/// What the head of a file shows.
#[derive(Debug)]
pub(crate) struct Head {
    pub delimiter: u8,
    pub names: Vec<String>,
    /// Lines that the header takes.
    pub lines: u64,
    pub note: Option<String>,
}

/// Reads the header (or takes the given names) and leaves `blocks` at the first row.
pub(crate) fn head(blocks: &mut Blocks, delimiter: u8, given: Option<&[String]>, file: &str) -> Result<Head, Error> {
    let no_data = |what: &str| Error::NoData { file: file.into(), what: what.into(), hint: None };
    let start = blocks.peek()?;
    let bom = if start.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    if start[bom..].iter().all(u8::is_ascii_whitespace) {
        return Err(no_data("is empty"));
    }
    let (delimiter, note) = guess_delimiter(&start[bom..], delimiter);
    blocks.set_delimiter(delimiter);
    let Some(mut first) = blocks.cut(Vec::new())? else { return Err(no_data("is empty")) };
    if bom > 0 {
        first.bytes.drain(..bom);
    }
    if given.is_none() && first.unclosed.is_some_and(|u| u.row == 0) {
        return Err(Error::BadData {
            file: file.into(),
            what: "a quote is opened in the header and never closed".into(),
            hint: Some("close it".into()),
        });
    }
    let (names, used) = match given {
        Some(names) => (names.to_vec(), 0),
        None => header(&first.bytes, delimiter, file)?,
    };
    let lines = memchr_iter(b'\n', &first.bytes[..used]).count() as u64;
    first.bytes.drain(..used);
    blocks.put_back(first.bytes);
    Ok(Head { delimiter, names, lines, note })
}

/// The first rows, for a look at them.
pub(crate) fn sample(blocks: &mut Blocks, delimiter: u8) -> Result<Vec<Vec<String>>, Error> {
    let text = |r: csv::ByteRecord| r.iter().map(|f| String::from_utf8_lossy(f).trim().to_owned()).collect();
    Ok(reader(blocks.peek()?, delimiter).into_byte_records().filter_map(Result::ok).take(SAMPLE).map(text).collect())
}

/// The names in the first row, and how many bytes that row takes.
fn header(bytes: &[u8], delimiter: u8, file: &str) -> Result<(Vec<String>, usize), Error> {
    let mut reader = reader(bytes, delimiter);
    let mut record = csv::ByteRecord::new();
    let _ = reader.read_byte_record(&mut record);
    let used = reader.position().byte() as usize;
    let names = record.iter().map(|f| std::str::from_utf8(f).map(|s| s.trim().to_owned())).collect::<Result<_, _>>();
    let names = names.map_err(|_| not_utf8(file, 1, 1))?;
    // The csv crate stops after the `\r` of a `\r\n`.
    let used = if bytes.get(used) == Some(&b'\n') { used + 1 } else { used };
    Ok((names, used.min(bytes.len())))
}

/// The error for text in another encoding.
pub(crate) fn not_utf8(file: &str, line: u64, lines: u64) -> Error {
    let more = if lines > 1 { format!(" ({} such lines)", crowdwise_core::group(lines)) } else { String::new() };
    Error::Unreadable {
        file: file.into(),
        what: format!("line {line} is not UTF-8 text{more}"),
        hint: Some("convert it, for example with `iconv -f latin1 -t utf-8`, or pass ⟦--skip-bad-rows⟧".into()),
    }
}

/// Spreadsheets of many countries write semicolons into `.csv` files, and people name tab-separated files so.
fn guess_delimiter(start: &[u8], default: u8) -> (u8, Option<String>) {
    // what stands in quotes separates nothing
    let (mut quoted, mut line) = (false, Vec::new());
    for &b in start {
        match b {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            _ if !quoted => line.push(b),
            _ => {}
        }
    }
    let line = &line[..];
    if memchr(default, line).is_some() {
        return (default, None);
    }
    let other = [(b'\t', "tabs"), (b';', "semicolons"), (b',', "commas"), (b'|', "bars")];
    match other.into_iter().find(|(d, _)| memchr(*d, line).is_some()) {
        Some((d, name)) => (d, Some(format!("fields are separated by {name}"))),
        None => (default, None),
    }
}
