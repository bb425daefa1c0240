//! Parquet by its column API: only the columns that matter are read, one row group after the other.

use crate::collect::{Collector, Fields};
use crate::columns::Layout;
use crate::pending::Pending;
use crate::pipeline::{Parse, Pieces};
use crate::positioned::Positioned;
use crate::source::{open_file, unreadable};
use bytes::Bytes;
use crowdwise_core::Error;
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Rows that are decoded at a time: their text stays in the cache.
const BATCH: usize = 1 << 13;

/// A Parquet file that has been opened.
#[derive(Clone)]
pub(crate) struct ParquetFile {
    reader: Arc<dyn FileReader>,
    file: String,
}

impl ParquetFile {
    pub fn open(path: &Path, file: &str) -> Result<ParquetFile, Error> {
        let bytes = Positioned::new(open_file(path)?).map_err(|e| unreadable(file, &e))?;
        ParquetFile::new(bytes, file)
    }

    /// Whether a file begins as these do.
    pub fn is_one(path: &Path) -> bool {
        use std::io::Read;
        let mut start = [0; 4];
        // A pipe is not looked into: that would take from it.
        path.is_file()
            && std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut start)).is_ok()
            && &start == b"PAR1"
    }

    /// A file in memory, as standard input must be: the format begins at its end.
    pub fn from_bytes(bytes: Vec<u8>, file: &str) -> Result<ParquetFile, Error> {
        ParquetFile::new(Bytes::from(bytes), file)
    }

    fn new(bytes: impl ChunkReader + 'static, file: &str) -> Result<ParquetFile, Error> {
        guarded(file, || {
            let reader = SerializedFileReader::new(bytes).map_err(|e| failed(file, &e))?;
            check_places(&reader, file)?;
            Ok(ParquetFile { reader: Arc::new(reader), file: file.into() })
        })
    }

    /// The names of the columns that hold one value a row, with their numbers in the file.
    pub fn columns(&self) -> Vec<(String, usize)> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let flat = (0..schema.num_columns()).filter(|&c| schema.column(c).max_rep_level() == 0);
        flat.map(|c| (schema.column(c).path().parts().join("."), c)).collect()
    }

    /// Whether a column of the file holds numbers.
    pub fn is_number(&self, column: usize) -> bool {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        matches!(
            schema.column(column).physical_type(),
            Physical::INT32 | Physical::INT64 | Physical::FLOAT | Physical::DOUBLE
        )
    }

    /// The first rows of these columns as text.
    pub fn first_rows(&self, columns: &[usize]) -> Result<Vec<Vec<String>>, Error> {
        let columns = columns.iter().map(|&c| self.sample(c)).collect::<Result<Vec<_>, _>>()?;
        let rows = columns.iter().map(Vec::len).min().unwrap_or(0);
        Ok((0..rows).map(|r| columns.iter().map(|c| c[r].clone()).collect()).collect())
    }

    /// The first values of a column as text.
    fn sample(&self, column: usize) -> Result<Vec<String>, Error> {
        if self.reader.num_row_groups() == 0 {
            return Ok(Vec::new());
        }
        guarded(&self.file, || {
            let group = self.reader.get_row_group(0).map_err(|e| failed(&self.file, &e))?;
            let mut texts = Texts::default();
            Column::open(group.as_ref(), column, &self.file)?.read(BATCH, &mut texts, &self.file)?;
            Ok((0..texts.len()).map(|r| texts.get(r).to_owned()).collect())
        })
    }

    /// Whether most of the first values of a text column are numbers.
    pub fn looks_like_numbers(&self, column: usize) -> Result<bool, Error> {
        let texts = self.sample(column)?;
        let given: Vec<&String> = texts.iter().filter(|t| !t.is_empty()).collect();
        Ok(given.iter().filter(|t| t.trim().parse::<f64>().is_ok()).count() * 2 > given.len())
    }

    pub fn groups(&self) -> Groups {
        Groups(0..self.reader.num_row_groups())
    }
}

/// The library asserts what a damaged file may break, so its panics become errors here.
fn guarded<T>(file: &str, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).unwrap_or_else(|_| Err(damaged(file)))
}

/// Refuses impossible places of columns before the library asserts on them.
fn check_places(reader: &dyn FileReader, file: &str) -> Result<(), Error> {
    let columns = reader.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns);
    for c in columns {
        let start = c.dictionary_page_offset().unwrap_or(0).min(c.data_page_offset());
        if start < 0 || c.compressed_size() < 0 || start.checked_add(c.compressed_size()).is_none() {
            return Err(damaged(file));
        }
    }
    Ok(())
}

fn damaged(file: &str) -> Error {
    Error::Unreadable {
        file: file.into(),
        what: "its data are damaged".into(),
        hint: Some("copy or write it again".into()),
    }
}

fn failed(file: &str, e: &parquet::errors::ParquetError) -> Error {
    let what = e.to_string();
    let hint = if what.contains("Disabled feature") {
        "write it again with snappy, zstd, gzip or no compression"
    } else {
        "it may be cut off or not a Parquet file; ⟦--input-format⟧ names another format"
    };
    Error::Unreadable { file: file.into(), what, hint: Some(hint.into()) }
}

/// The numbers of the row groups.
pub(crate) struct Groups(Range<usize>);

impl Pieces for Groups {
    type Piece = usize;

    fn next(&mut self, _: Option<usize>) -> Result<Option<usize>, Error> {
        Ok(self.0.next())
    }
}

/// Reads row groups; rows are told by their number as if they were lines.
pub(crate) struct ParquetRows {
    pub file: ParquetFile,
    /// Number in the file of each column of the layout.
    pub columns: Vec<usize>,
}

impl Parse<usize> for ParquetRows {
    fn parse(&self, group: &usize, out: &mut Collector<'_>) -> Result<(), Error> {
        guarded(&self.file.file, || self.group(*group, out))
    }
}

impl ParquetRows {
    fn group(&self, group: usize, out: &mut Collector<'_>) -> Result<(), Error> {
        let name = &self.file.file;
        let group = self.file.reader.get_row_group(group).map_err(|e| failed(name, &e))?;
        let used = out.layout.used();
        let mut readers = Vec::new();
        for &c in &used {
            readers.push((c, Column::open(group.as_ref(), self.columns[c], name)?));
        }
        let mut columns = vec![Texts::default(); out.layout.names.len()];
        let total = group.metadata().num_rows().max(0) as usize;
        let mut done = 0;
        while done < total {
            let want = BATCH.min(total - done);
            for (c, reader) in &mut readers {
                let texts = &mut columns[*c];
                reader.read(want, texts, name)?;
                if texts.len() != want {
                    return Err(Error::Unreadable {
                        file: name.clone(),
                        what: format!("column `{}` ends too early", out.layout.names[*c]),
                        hint: None,
                    });
                }
            }
            Self::rows(&columns, &used, done as u64, want, out);
            done += want;
        }
        out.tally.lines = total as u64;
        Ok(())
    }

    /// The rows of a batch; `before` are those of the group that came before it.
    fn rows(columns: &[Texts], used: &[usize], before: u64, rows: usize, out: &mut Collector<'_>) {
        let mut pending = Pending::new(out.layout);
        let labels = out.layout.shape.labels();
        for row in 0..rows {
            let line = before + row as u64;
            if used.iter().any(|&c| columns[c].is_broken(row)) {
                out.tally.total += 1;
                out.tally.not_utf8 += 1;
                out.tally.bad(line, || "not UTF-8 text".into());
            } else if let Some(pending) = &mut pending {
                let [item, annotator, label] = labels.map(|c| columns[c].get(row));
                pending.push(out, line, item, annotator, label);
            } else {
                out.row(line, &Row { columns, row });
            }
        }
        if let Some(mut pending) = pending {
            pending.flush(out);
        }
    }
}

/// One row of a batch.
struct Row<'a> {
    columns: &'a [Texts],
    row: usize,
}

impl Fields for Row<'_> {
    #[inline]
    fn get(&self, column: usize) -> &str {
        self.columns[column].get(self.row)
    }
}

/// The values of a column as text, end to end.
#[derive(Clone, Default)]
struct Texts {
    text: String,
    ends: Vec<usize>,
    /// Rows whose bytes are not text.
    broken: Vec<usize>,
}

impl Texts {
    fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    fn get(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.text[start..self.ends[row]]
    }

    fn is_broken(&self, row: usize) -> bool {
        !self.broken.is_empty() && self.broken.binary_search(&row).is_ok()
    }

    /// Fills in the rows: `levels` tells which of them have a value, in `values`.
    fn fill<T>(&mut self, rows: usize, levels: &[i16], max: i16, values: &[T], mut put: impl FnMut(&mut Texts, &T)) {
        let mut next = values.iter();
        for row in 0..rows {
            let there = max == 0 || levels.get(row) == Some(&max);
            if let Some(value) = there.then(|| next.next()).flatten() {
                put(self, value);
            }
            self.ends.push(self.text.len());
        }
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text.push_str(text),
            Err(_) => self.broken.push(self.ends.len()),
        }
    }
}

/// One column of a row group.
struct Column {
    reader: ColumnReader,
    /// Whole numbers that are stored as signed ones are not.
    unsigned: bool,
    max_level: i16,
    levels: Vec<i16>,
}

impl Column {
    fn open(group: &dyn RowGroupReader, column: usize, file: &str) -> Result<Column, Error> {
        let reader = group.get_column_reader(column).map_err(|e| failed(file, &e))?;
        let described = group.metadata().column(column).column_descr();
        if let Some(what) = not_text(described) {
            return Err(Error::Unsupported {
                what: format!("{file}: column `{}` holds {what}", described.path().parts().join(".")),
                hint: Some("write it as text or as a plain number".into()),
            });
        }
        let unsigned = matches!(
            described.converted_type(),
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
        );
        Ok(Column { reader, unsigned, max_level: described.max_def_level(), levels: Vec::new() })
    }

    /// The next rows as text; missing values are empty.
    fn read(&mut self, rows: usize, texts: &mut Texts, file: &str) -> Result<(), Error> {
        texts.text.clear();
        texts.ends.clear();
        texts.broken.clear();
        let (max, levels, unsigned) = (self.max_level, &mut self.levels, self.unsigned);
        let done = match &mut self.reader {
            ColumnReader::BoolColumnReader(r) => take(r, rows, levels, max, texts, |t, b| {
                t.text.push_str(if *b { "true" } else { "false" });
            }),
            ColumnReader::Int32ColumnReader(r) => take(r, rows, levels, max, texts, |t, x| {
                let _ = if unsigned { write!(t.text, "{}", x.cast_unsigned()) } else { write!(t.text, "{x}") };
            }),
            ColumnReader::Int64ColumnReader(r) => take(r, rows, levels, max, texts, |t, x| {
                let _ = if unsigned { write!(t.text, "{}", x.cast_unsigned()) } else { write!(t.text, "{x}") };
            }),
            // Debug form: 1.0 stays 1.0, as in a text file.
            ColumnReader::FloatColumnReader(r) => take(r, rows, levels, max, texts, |t, x| {
                let _ = write!(t.text, "{x:?}");
            }),
            ColumnReader::DoubleColumnReader(r) => take(r, rows, levels, max, texts, |t, x| {
                let _ = write!(t.text, "{x:?}");
            }),
            ColumnReader::ByteArrayColumnReader(r) => {
                take(r, rows, levels, max, texts, |t, b: &ByteArray| t.put_bytes(b.data()))
            }
            ColumnReader::FixedLenByteArrayColumnReader(r) => {
                take(r, rows, levels, max, texts, |t, b: &FixedLenByteArray| t.put_bytes(b.data()))
            }
            ColumnReader::Int96ColumnReader(_) => Err(parquet::errors::ParquetError::General(
                "a column of the old time stamps (INT96) cannot be read".into(),
            )),
        };
        done.map_err(|e| failed(file, &e))
    }
}

/// What a column holds whose stored numbers or bytes are not what they mean.
fn not_text(column: &ColumnDescriptor) -> Option<&'static str> {
    match column.logical_type_ref() {
        Some(LogicalType::Decimal { .. }) => return Some("decimal numbers of a fixed point"),
        Some(LogicalType::Date) => return Some("dates"),
        Some(LogicalType::Time { .. }) => return Some("times"),
        Some(LogicalType::Timestamp { .. }) => return Some("time stamps"),
        Some(LogicalType::Uuid) => return Some("UUIDs as bytes"),
        _ => {}
    }
    match column.converted_type() {
        ConvertedType::DECIMAL => Some("decimal numbers of a fixed point"),
        ConvertedType::DATE => Some("dates"),
        ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS => Some("times"),
        ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS => Some("time stamps"),
        ConvertedType::INTERVAL => Some("intervals of time"),
        _ => None,
    }
}

fn take<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
    max: i16,
    texts: &mut Texts,
    put: impl FnMut(&mut Texts, &T::T),
) -> Result<(), parquet::errors::ParquetError> {
    let mut values = Vec::with_capacity(rows);
    levels.clear();
    let mut read = 0;
    // One call may stop at the end of a page.
    while read < rows {
        let (records, ..) = reader.read_records(rows - read, Some(levels), None, &mut values)?;
        if records == 0 {
            break;
        }
        read += records;
    }
    texts.fill(read, levels, max, &values, put);
    Ok(())
}

/// The layout of a file, once its columns are known; settles whether values are numbers.
pub(crate) fn settle(layout: &mut Layout, file: &ParquetFile, columns: &[usize]) -> Result<(), Error> {
    if layout.by_values
        && let Some(label) = layout.shape.label()
    {
        let real = file.is_number(columns[label]) || file.looks_like_numbers(columns[label])?;
        crate::read::settle_kind(layout, real);
    }
    Ok(())
}
