//! Arrow IPC files and streams (`.arrow`, `.feather`): columns of text, numbers and dictionaries of text.

use crate::collect::{Collector, Fields};
use crate::columns::Layout;
use crate::pipeline::{Parse, Pieces};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use crowdwise_core::Error;
use std::fmt::Write;
use std::io::Cursor;

/// A file in memory, batch by batch.
pub(crate) struct Batches {
    reader: Reader,
    pub schema: SchemaRef,
    file: String,
}

enum Reader {
    File(FileReader<Cursor<Vec<u8>>>),
    Stream(StreamReader<Cursor<Vec<u8>>>),
}

impl Batches {
    pub fn new(bytes: Vec<u8>, file: &str) -> Result<Batches, Error> {
        let reader = guarded(file, || {
            if bytes.starts_with(b"ARROW1") {
                FileReader::try_new(Cursor::new(bytes), None).map(Reader::File)
            } else {
                StreamReader::try_new(Cursor::new(bytes), None).map(Reader::Stream)
            }
        })?;
        let schema = match &reader {
            Reader::File(r) => r.schema(),
            Reader::Stream(r) => r.schema(),
        };
        Ok(Batches { reader, schema, file: file.into() })
    }

    pub fn names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|f| f.name().clone()).collect()
    }

    /// Settles whether the values are numbers: by the type of their column.
    pub fn settle(&self, layout: &mut Layout) {
        if layout.by_values
            && let Some(label) = layout.shape.label()
        {
            let real = self.schema.field(label).data_type().is_numeric();
            crate::read::settle_kind(layout, real);
        }
    }
}

/// The library checks offsets of a damaged file by assertions: they must end in a message like all that cannot be read.
fn guarded<T>(file: &str, read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, Error> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)) {
        Ok(read) => read.map_err(|e| failed(file, &e)),
        Err(_) => Err(Error::Unreadable { file: file.into(), what: "it is damaged".into(), hint: None }),
    }
}

fn failed(file: &str, e: &ArrowError) -> Error {
    Error::Unreadable { file: file.into(), what: e.to_string(), hint: None }
}

impl Pieces for Batches {
    type Piece = RecordBatch;

    fn next(&mut self, _: Option<RecordBatch>) -> Result<Option<RecordBatch>, Error> {
        let reader = &mut self.reader;
        guarded(&self.file, || {
            let next = match reader {
                Reader::File(r) => r.next(),
                Reader::Stream(r) => r.next(),
            };
            next.transpose()
        })
    }
}

/// Reads batches; rows are told by their number as if they were lines.
pub(crate) struct ArrowRows {
    pub file: String,
}

impl Parse<RecordBatch> for ArrowRows {
    fn parse(&self, batch: &RecordBatch, out: &mut Collector<'_>) -> Result<(), Error> {
        let mut columns = vec![Texts::default(); out.layout.names.len()];
        for c in out.layout.used() {
            columns[c] = texts(batch.column(c).as_ref()).ok_or_else(|| Error::Unsupported {
                what: format!(
                    "{}: column `{}` of type {} cannot be read",
                    self.file,
                    out.layout.names[c],
                    batch.column(c).data_type()
                ),
                hint: Some("text, numbers, booleans and dictionaries of text can".into()),
            })?;
        }
        let mut rows = Rows { columns, row: 0 };
        for row in 0..batch.num_rows() {
            rows.row = row;
            out.row(row as u64, &rows);
        }
        out.tally.lines = batch.num_rows() as u64;
        Ok(())
    }
}

#[derive(Clone, Debug, Default)]
struct Texts {
    text: String,
    ends: Vec<usize>,
}

struct Rows {
    columns: Vec<Texts>,
    row: usize,
}

impl Fields for Rows {
    fn get(&self, column: usize) -> &str {
        let t = &self.columns[column];
        let start = if self.row == 0 { 0 } else { t.ends[self.row - 1] };
        &t.text[start..t.ends[self.row]]
    }
}

fn collect<T>(values: impl Iterator<Item = Option<T>>, mut put: impl FnMut(&mut String, T)) -> Texts {
    let mut out = Texts::default();
    for value in values {
        if let Some(v) = value {
            put(&mut out.text, v);
        }
        out.ends.push(out.text.len());
    }
    out
}

/// A column as text; `None` if it is of a type that has no text.
fn texts(array: &dyn Array) -> Option<Texts> {
    fn show<T: std::fmt::Display>(out: &mut String, x: T) {
        let _ = write!(out, "{x}");
    }
    // Debug form: 1.0 stays 1.0, as in a text file.
    fn point<T: std::fmt::Debug>(out: &mut String, x: T) {
        let _ = write!(out, "{x:?}");
    }
    let push = |out: &mut String, s: &str| out.push_str(s);
    Some(match array.data_type() {
        DataType::Utf8 => collect(array.as_string::<i32>().iter(), push),
        DataType::LargeUtf8 => collect(array.as_string::<i64>().iter(), push),
        DataType::Utf8View => collect(array.as_string_view().iter(), push),
        DataType::Boolean => collect(array.as_boolean().iter(), show),
        DataType::Int8 => collect(array.as_primitive::<Int8Type>().iter(), show),
        DataType::Int16 => collect(array.as_primitive::<Int16Type>().iter(), show),
        DataType::Int32 => collect(array.as_primitive::<Int32Type>().iter(), show),
        DataType::Int64 => collect(array.as_primitive::<Int64Type>().iter(), show),
        DataType::UInt8 => collect(array.as_primitive::<UInt8Type>().iter(), show),
        DataType::UInt16 => collect(array.as_primitive::<UInt16Type>().iter(), show),
        DataType::UInt32 => collect(array.as_primitive::<UInt32Type>().iter(), show),
        DataType::UInt64 => collect(array.as_primitive::<UInt64Type>().iter(), show),
        DataType::Float32 => collect(array.as_primitive::<Float32Type>().iter(), point),
        DataType::Float64 => collect(array.as_primitive::<Float64Type>().iter(), point),
        DataType::Null => collect((0..array.len()).map(|_| None::<&str>), push),
        DataType::Dictionary(key, _) => match key.as_ref() {
            DataType::Int8 => dictionary::<Int8Type>(array)?,
            DataType::Int16 => dictionary::<Int16Type>(array)?,
            DataType::Int32 => dictionary::<Int32Type>(array)?,
            DataType::Int64 => dictionary::<Int64Type>(array)?,
            DataType::UInt8 => dictionary::<UInt8Type>(array)?,
            DataType::UInt16 => dictionary::<UInt16Type>(array)?,
            DataType::UInt32 => dictionary::<UInt32Type>(array)?,
            DataType::UInt64 => dictionary::<UInt64Type>(array)?,
            _ => return None,
        },
        _ => return None,
    })
}

fn dictionary<K: ArrowDictionaryKeyType>(array: &dyn Array) -> Option<Texts> {
    let array = array.as_dictionary::<K>();
    let words = texts(array.values().as_ref())?;
    let word = |k: usize| &words.text[if k == 0 { 0 } else { words.ends[k - 1] }..words.ends[k]];
    let codes = (0..array.len()).map(|r| array.key(r).filter(|&k| k < words.ends.len()));
    Some(collect(codes, |out, k| out.push_str(word(k))))
}

#[cfg(test)]
mod tests {
    use crate::{Format, ReadOptions, Source, read_answers};
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray};
    use arrow_ipc::writer::{FileWriter, StreamWriter};
    use crowdwise_core::LabelKind;
    use std::sync::Arc;

    fn batch(label: ArrayRef, name: &str) -> RecordBatch {
        let who: DictionaryArray<Int32Type> = ["ann", "bob", "ann"].into_iter().collect();
        RecordBatch::try_from_iter([
            ("task", Arc::new(Int64Array::from(vec![7, 7, 8])) as ArrayRef),
            ("worker", Arc::new(who) as ArrayRef),
            (name, label),
        ])
        .unwrap()
    }

    #[test]
    fn files_and_streams_with_dictionaries_and_nulls() {
        let dir = tempfile::tempdir().unwrap();
        let labels = batch(Arc::new(StringArray::from(vec![Some("yes"), None, Some("no")])), "label");
        let path = dir.path().join("v.arrow");
        let mut out = FileWriter::try_new(std::fs::File::create(&path).unwrap(), &labels.schema()).unwrap();
        out.write(&labels).unwrap();
        out.write(&labels).unwrap();
        out.finish().unwrap();
        let read = read_answers(&Source::Path(path), &ReadOptions { threads: 2, ..Default::default() }).unwrap();
        let t = &read.value.table;
        assert_eq!((t.n_items(), t.n_annotators(), t.n_labels(), t.n_classes()), (2, 1, 4, 2));
        assert_eq!((t.items().name(0), t.annotators().name(0)), ("7", "ann"));
        assert!(read.notes.iter().any(|n| n == "2 answers without a label left out"));
        let values = batch(Arc::new(Float64Array::from(vec![1.5, 2.0, -3.0])), "value");
        let path = dir.path().join("v.ipc");
        let mut out = StreamWriter::try_new(std::fs::File::create(&path).unwrap(), &values.schema()).unwrap();
        out.write(&values).unwrap();
        out.finish().unwrap();
        let options = ReadOptions { format: Some(Format::ArrowIpc), ..Default::default() };
        let t = read_answers(&Source::Path(path), &options).unwrap().value.table;
        assert_eq!((t.kind(), t.real().unwrap()), (LabelKind::Real, &[1.5, 2.0, -3.0][..]));
    }
}
