//! Columns by the Arrow C stream interface, without copying them: polars, pyarrow, DuckDB, pandas.

use crate::column::{Coder, Column, float_text};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use rayon::prelude::*;

/// Numbers the columns called `names`, each on its own thread.
pub fn columns(py: Python<'_>, stream: &Bound<'_, PyAny>, names: &[String]) -> PyResult<Vec<Column>> {
    let capsule = stream.call_method0("__arrow_c_stream__")?;
    let capsule =
        capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err("__arrow_c_stream__ did not give a capsule"))?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name holds an ArrowArrayStream; moving it out marks it released, as the interface asks.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
    py.detach(|| {
        let bad = |e: arrow_schema::ArrowError| PyValueError::new_err(e.to_string());
        let reader = RecordBatchStreamReader::try_new(stream).map_err(bad)?;
        let schema = arrow_array::RecordBatchReader::schema(&reader);
        let at: Vec<usize> = names
            .iter()
            .map(|n| schema.index_of(n).map_err(|_| PyKeyError::new_err(format!("there is no column `{n}`"))))
            .collect::<PyResult<_>>()?;
        let mut parts: Vec<Vec<ArrayRef>> = vec![Vec::new(); at.len()];
        for batch in reader {
            let batch = batch.map_err(bad)?;
            parts.iter_mut().zip(&at).for_each(|(p, &c)| p.push(batch.column(c).clone()));
        }
        parts.par_iter().zip(names).map(|(p, name)| coded(p, name)).collect()
    })
}

fn coded(parts: &[ArrayRef], name: &str) -> PyResult<Column> {
    let rows = parts.iter().map(Array::len).sum();
    let mut coder = Coder::default();
    let Some(first) = parts.first() else { return Ok(coder.finish()) };
    macro_rules! whole {
        ($t:ty) => {
            coder.keyed(parts.iter().flat_map(|p| p.as_primitive::<$t>().iter()), |x| x.to_string())
        };
    }
    macro_rules! point {
        ($t:ty) => {
            coder.keyed(
                parts
                    .iter()
                    .flat_map(|p| p.as_primitive::<$t>().iter())
                    .map(|x| x.map(|x| f64::from(x)).filter(|x| !x.is_nan()).map(|x| (x + 0.0).to_bits())),
                |b| float_text(f64::from_bits(b)),
            )
        };
    }
    macro_rules! words {
        ($parts:expr) => {{
            let mut last: Option<(&str, u32)> = None;
            for word in $parts {
                match (word, last) {
                    (None, _) => coder.missing(),
                    (Some(w), Some((before, code))) if before == w => coder.put(code),
                    (Some(w), _) => last = Some((w, coder.text(w))),
                }
            }
        }};
    }
    match first.data_type() {
        DataType::Utf8 => words!(parts.iter().flat_map(|p| p.as_string::<i32>().iter())),
        DataType::LargeUtf8 => words!(parts.iter().flat_map(|p| p.as_string::<i64>().iter())),
        DataType::Utf8View => words!(parts.iter().flat_map(|p| p.as_string_view().iter())),
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => whole!(UInt8Type),
        DataType::UInt16 => whole!(UInt16Type),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => whole!(UInt64Type),
        DataType::Float32 => point!(Float32Type),
        DataType::Float64 => point!(Float64Type),
        DataType::Boolean => coder.keyed(parts.iter().flat_map(|p| p.as_boolean().iter()), |x| {
            if x { "True".into() } else { "False".into() }
        }),
        DataType::Null => (0..rows).for_each(|_| coder.missing()),
        DataType::Dictionary(key, _) => {
            for part in parts {
                match key.as_ref() {
                    DataType::Int8 => dictionary::<Int8Type>(part, name, &mut coder)?,
                    DataType::Int16 => dictionary::<Int16Type>(part, name, &mut coder)?,
                    DataType::Int32 => dictionary::<Int32Type>(part, name, &mut coder)?,
                    DataType::Int64 => dictionary::<Int64Type>(part, name, &mut coder)?,
                    DataType::UInt8 => dictionary::<UInt8Type>(part, name, &mut coder)?,
                    DataType::UInt16 => dictionary::<UInt16Type>(part, name, &mut coder)?,
                    DataType::UInt32 => dictionary::<UInt32Type>(part, name, &mut coder)?,
                    _ => dictionary::<UInt64Type>(part, name, &mut coder)?,
                }
            }
        }
        other => {
            return Err(PyTypeError::new_err(format!(
                "column `{name}` is of type {other}; text, numbers, booleans and categories can be read"
            )));
        }
    }
    Ok(coder.finish())
}

/// The words of a dictionary are numbered once, and only those that occur.
fn dictionary<K: ArrowDictionaryKeyType>(part: &ArrayRef, name: &str, coder: &mut Coder) -> PyResult<()>
where
    <K as ArrowPrimitiveType>::Native: Copy,
{
    let part = part.as_dictionary::<K>();
    let words = coded(std::slice::from_ref(part.values()), name)?;
    let keys =
        (0..part.len()).map(|r| part.key(r).map(|k| words.codes.get(k)).filter(|&c| c != crate::column::MISSING));
    coder.keyed(keys, |c| words.names.name(c as usize).to_owned());
    Ok(())
}
