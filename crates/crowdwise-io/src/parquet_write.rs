//! Rows to Parquet, a row group at a time.

use crate::write::Cell;
use crowdwise_core::group;
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows of a row group.
const GROUP: usize = 1 << 17;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Text,
    Number,
    Integer,
}

/// The values of a column that are there, and which rows have one.
#[derive(Debug, Default)]
struct Column {
    texts: Vec<ByteArray>,
    numbers: Vec<f64>,
    integers: Vec<i64>,
    levels: Vec<i16>,
}

/// Writes rows as Parquet. The types of the columns are those of the first row group.
pub(crate) fn write<'a>(
    out: Box<dyn Write + Send>,
    header: &[&str],
    rows: usize,
    mut fill: impl FnMut(usize, &mut Vec<Cell<'a>>),
) -> io::Result<()> {
    let broken = Arc::new(AtomicBool::new(false));
    let out = Watched { inner: out, broken: broken.clone() };
    let result = write_groups(out, header, rows, &mut fill);
    // The library hides what kind of failure it was.
    let kind = if broken.load(Ordering::Relaxed) { io::ErrorKind::BrokenPipe } else { io::ErrorKind::Other };
    result.map_err(|e| io::Error::new(kind, e.to_string()))
}

fn write_groups<'a>(
    out: Watched,
    header: &[&str],
    rows: usize,
    fill: &mut impl FnMut(usize, &mut Vec<Cell<'a>>),
) -> Result<(), ParquetError> {
    let mut start = 0;
    let mut cells: Vec<Vec<Cell<'a>>> = Vec::new();
    let mut next = |start: usize, cells: &mut Vec<Vec<Cell<'a>>>| {
        let end = rows.min(start + GROUP);
        cells.resize_with(end - start, Vec::new);
        for (r, row) in (start..end).zip(cells.iter_mut()) {
            row.clear();
            fill(r, row);
        }
        end
    };
    let mut end = next(start, &mut cells);
    let kinds: Vec<Kind> = (0..header.len()).map(|c| kind_of(&cells, c)).collect();
    let fields = header.iter().zip(&kinds).map(|(name, kind)| field(name, *kind)).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("rows").with_fields(fields).build()?);
    let packed = Compression::ZSTD(ZstdLevel::try_new(1)?);
    let properties = Arc::new(WriterProperties::builder().set_compression(packed).build());
    let mut writer = SerializedFileWriter::new(out, schema, properties)?;
    while start < end {
        let mut group = writer.next_row_group()?;
        for (c, &kind) in kinds.iter().enumerate() {
            let column = column(&cells, c, kind, start, header[c])?;
            let Some(mut out) = group.next_column()? else { break };
            let levels = Some(column.levels.as_slice());
            match kind {
                Kind::Text => out.typed::<ByteArrayType>().write_batch(&column.texts, levels, None)?,
                Kind::Number => out.typed::<DoubleType>().write_batch(&column.numbers, levels, None)?,
                Kind::Integer => out.typed::<Int64Type>().write_batch(&column.integers, levels, None)?,
            };
            out.close()?;
        }
        group.close()?;
        start = end;
        end = next(start, &mut cells);
    }
    writer.close()?;
    Ok(())
}

fn kind_of(cells: &[Vec<Cell<'_>>], c: usize) -> Kind {
    let mut kind = None;
    for row in cells {
        kind = match (row.get(c), kind) {
            (Some(Cell::Text(_)), _) => return Kind::Text,
            (Some(Cell::Number(_)), _) => Some(Kind::Number),
            (Some(Cell::Integer(_)), None) => Some(Kind::Integer),
            _ => kind,
        };
    }
    // Nothing there: text can take whatever comes later.
    kind.unwrap_or(Kind::Text)
}

fn field(name: &str, kind: Kind) -> Result<Arc<Type>, ParquetError> {
    let physical = match kind {
        Kind::Text => Physical::BYTE_ARRAY,
        Kind::Number => Physical::DOUBLE,
        Kind::Integer => Physical::INT64,
    };
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    let builder = match kind {
        Kind::Text => builder.with_converted_type(ConvertedType::UTF8).with_logical_type(Some(LogicalType::String)),
        _ => builder,
    };
    builder.build().map(Arc::new)
}

fn column(cells: &[Vec<Cell<'_>>], c: usize, kind: Kind, start: usize, name: &str) -> Result<Column, ParquetError> {
    let mut out = Column::default();
    for (r, row) in cells.iter().enumerate() {
        let there = match (row.get(c).unwrap_or(&Cell::Missing), kind) {
            (Cell::Missing, _) => false,
            (Cell::Text(t), Kind::Text) => {
                out.texts.push(t.as_bytes().to_vec().into());
                true
            }
            (Cell::Number(x), Kind::Text) => {
                out.texts.push(x.to_string().into_bytes().into());
                true
            }
            (Cell::Integer(x), Kind::Text) => {
                out.texts.push(x.to_string().into_bytes().into());
                true
            }
            (Cell::Number(x), Kind::Number) => {
                out.numbers.push(*x);
                true
            }
            (Cell::Integer(x), Kind::Number) => {
                out.numbers.push(*x as f64);
                true
            }
            (Cell::Integer(x), Kind::Integer) => {
                out.integers.push(*x);
                true
            }
            (Cell::Text(_), Kind::Number | Kind::Integer) | (Cell::Number(_), Kind::Integer) => {
                return Err(ParquetError::General(format!(
                    "column `{name}` holds something else in row {} than in the first rows",
                    group((start + r) as u64 + 1)
                )));
            }
        };
        out.levels.push(i16::from(there));
    }
    Ok(out)
}

/// Remembers whether the other end was closed.
struct Watched {
    inner: Box<dyn Write + Send>,
    broken: Arc<AtomicBool>,
}

impl Watched {
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if result.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::BrokenPipe) {
            self.broken.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.inner.write(bytes);
        self.note(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.inner.flush();
        self.note(done)
    }
}
