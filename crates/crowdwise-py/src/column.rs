//! A column of a frame with every distinct value numbered in the order of its first appearance.

use crate::arrow;
use crate::codes::{self, Codes};
use crowdwise::Names;
use hashbrown::HashMap;
use numpy::{Element, IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyString};

/// No value.
pub const MISSING: u32 = u32::MAX;

/// Numbered values, and the numbers themselves where the column has numbers.
#[pyclass(module = "crowdwise._crowdwise")]
#[derive(Debug, Default)]
pub struct Column {
    pub names: Names,
    pub codes: Codes,
    /// Row of the first appearance of every value.
    pub first: Vec<u32>,
}

impl Column {
    /// What is in it; it is empty from now on, so that a table can be made of it without holding everything twice.
    pub fn used_up(column: &Bound<'_, Column>) -> Column {
        std::mem::take(&mut *column.borrow_mut())
    }
}

/// Numbers values one by one.
#[derive(Default)]
pub struct Coder {
    names: Names,
    codes: Codes,
    first: Vec<u32>,
}

impl Coder {
    #[inline]
    pub fn text(&mut self, text: &str) -> u32 {
        let code = self.names.intern(text);
        self.put(code);
        code
    }

    pub fn missing(&mut self) {
        self.codes.push(MISSING);
    }

    /// A value whose number is known.
    #[inline]
    pub fn put(&mut self, code: u32) {
        if code as usize == self.first.len() {
            self.first.push(self.codes.len() as u32);
        }
        self.codes.push(code);
    }

    /// Numbers values that can be told apart by a key, with `show` for the text of a new one.
    pub fn keyed<K: Copy + Eq + std::hash::Hash>(
        &mut self,
        values: impl Iterator<Item = Option<K>>,
        show: impl Fn(K) -> String,
    ) {
        let mut known: HashMap<K, u32, foldhash::fast::FixedState> = HashMap::default();
        let mut last: Option<(K, u32)> = None;
        for value in values {
            match (value, last) {
                (None, _) => self.missing(),
                (Some(k), Some((before, code))) if before == k => self.put(code),
                (Some(k), _) => {
                    let code = *known.entry(k).or_insert_with(|| self.names.intern(&show(k)));
                    last = Some((k, code));
                    self.put(code);
                }
            }
        }
    }

    pub fn finish(mut self) -> Column {
        self.names.freeze();
        self.first.shrink_to_fit();
        codes::give_back(self.codes.len());
        Column { names: self.names, codes: self.codes, first: self.first }
    }
}

/// A whole number is written as one: a column of whole numbers becomes one of floats as soon as a value is missing.
pub fn float_text(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 1e15 { format!("{x:.0}") } else { format!("{x:?}") }
}

#[pymethods]
impl Column {
    /// From a one-dimensional NumPy array of objects, numbers or booleans.
    #[staticmethod]
    fn from_numpy(array: &Bound<'_, PyAny>) -> PyResult<Column> {
        fn numbers<T: Element + Copy>(array: &Bound<'_, PyAny>) -> Option<Vec<T>> {
            let array: PyReadonlyArrayDyn<'_, T> = array.extract().ok()?;
            Some(array.as_array().iter().copied().collect())
        }
        macro_rules! whole {
            ($($t:ty),*) => { $(if let Some(v) = numbers::<$t>(array) {
                let mut coder = Coder::default();
                array.py().detach(|| coder.keyed(v.iter().map(|&x| Some(x)), |x| x.to_string()));
                return Ok(coder.finish());
            })* };
        }
        whole!(i64, i32, u32, u64, i16, u16, i8, u8);
        if let Some(v) = numbers::<bool>(array) {
            let mut coder = Coder::default();
            coder.keyed(v.iter().map(|&x| Some(x)), |x| if x { "True".into() } else { "False".into() });
            return Ok(coder.finish());
        }
        let floats = numbers::<f64>(array)
            .or_else(|| numbers::<f32>(array).map(|v| v.into_iter().map(f64::from).collect::<Vec<f64>>()));
        if let Some(v) = floats {
            return Ok(of_floats(&v));
        }
        objects(array)
    }

    /// From a category: numbers of its values (-1 for none) and the texts of the values.
    #[staticmethod]
    fn from_category(codes: PyReadonlyArrayDyn<'_, i64>, values: Vec<String>) -> PyResult<Column> {
        let codes: Vec<i64> = codes.as_array().iter().copied().collect();
        if codes.iter().any(|&c| c >= values.len() as i64) {
            return Err(PyValueError::new_err("a code of the category has no value"));
        }
        let mut coder = Coder::default();
        coder.keyed(codes.iter().map(|&c| usize::try_from(c).ok()), |c| values[c].clone());
        Ok(coder.finish())
    }

    /// From texts, `None` where there is no value.
    #[staticmethod]
    fn from_texts(values: Vec<Option<String>>) -> Column {
        let mut coder = Coder::default();
        for v in &values {
            match v {
                Some(text) => drop(coder.text(text)),
                None => coder.missing(),
            }
        }
        coder.finish()
    }

    /// The columns called `names` of anything with the Arrow C stream interface.
    #[staticmethod]
    fn from_arrow(py: Python<'_>, stream: &Bound<'_, PyAny>, names: Vec<String>) -> PyResult<Vec<Column>> {
        arrow::columns(py, stream, &names)
    }

    fn __len__(&self) -> usize {
        self.codes.len()
    }

    /// How many different values there are.
    #[getter]
    fn n_distinct(&self) -> usize {
        self.names.len()
    }

    /// The values as text, in the order of their first appearance.
    fn texts(&self) -> Vec<&str> {
        self.names.iter().collect()
    }

    /// Rows in which the values first appear.
    fn first_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.first.iter().map(|&r| i64::from(r)).collect::<Vec<_>>().into_pyarray(py)
    }

    /// (value here, value there) of the rows that have both, as text.
    fn pairs(&self, other: &Column) -> PyResult<Vec<(&str, String)>> {
        if self.codes.len() != other.codes.len() {
            return Err(PyValueError::new_err("the two columns have different lengths"));
        }
        let rows = self.codes.iter().zip(other.codes.iter()).filter(|&(a, b)| a != MISSING && b != MISSING);
        Ok(rows.map(|(a, b)| (self.names.name(a as usize), other.names.name(b as usize).to_owned())).collect())
    }

    /// With `n` more rows that have no value.
    fn lengthened(&self, n: usize) -> Column {
        let mut codes = self.codes.clone();
        codes.fill(n, MISSING);
        Column { names: self.names.clone(), codes, first: self.first.clone() }
    }

    /// With `n` more rows that have the first value.
    fn filled(&self, n: usize) -> PyResult<Column> {
        if self.names.is_empty() {
            return Err(PyValueError::new_err("there are no labels"));
        }
        let mut codes = self.codes.clone();
        codes.fill(n, 0);
        Ok(Column { names: self.names.clone(), codes, first: self.first.clone() })
    }

    /// Whether all values are numbers and some are not whole.
    fn looks_real(&self) -> bool {
        let mut broken = false;
        self.names.iter().all(|t| {
            t.trim().parse::<f64>().is_ok_and(|x| {
                broken |= x.fract() != 0.0;
                x.is_finite()
            })
        }) && broken
    }

    /// How many rows have no value.
    #[getter]
    fn n_missing(&self) -> usize {
        self.codes.missing().0
    }

    fn __repr__(&self) -> String {
        format!("<Column of {} rows, {} different>", self.codes.len(), self.names.len())
    }
}

pub fn of_floats(v: &[f64]) -> Column {
    let mut coder = Coder::default();
    let keys = v.iter().map(|x| (!x.is_nan()).then(|| (x + 0.0).to_bits()));
    coder.keyed(keys, |b| float_text(f64::from_bits(b)));
    coder.finish()
}

/// Objects whose numbers are remembered by their address.
const REMEMBERED: usize = 1 << 13;

/// An array of Python objects: text mostly. None, NaN and the missing values of pandas are no values.
///
/// Most frames hold the same few objects many times, so that an object that was seen lately need not be read again. The
/// array keeps all of them alive: an address stays that of its object.
fn objects(array: &Bound<'_, PyAny>) -> PyResult<Column> {
    let py = array.py();
    let array = array
        .cast::<PyArrayDyn<Py<PyAny>>>()
        .map_err(|_| PyTypeError::new_err(format!("a column of type {} cannot be read", array.get_type())))?;
    let array = array.readonly();
    let mut coder = Coder::default();
    let mut seen = vec![(0usize, 0u32); REMEMBERED];
    for object in array.as_array() {
        let address = object.as_ptr() as usize;
        // objects lie at multiples of 16
        let place = (address >> 4 ^ address >> 17) % REMEMBERED;
        if seen[place].0 == address {
            coder.put(seen[place].1);
            continue;
        }
        let object = object.bind(py);
        let code = if let Ok(text) = object.cast::<PyString>() {
            coder.text(text.to_str()?)
        } else if is_missing(object) {
            coder.missing();
            continue;
        } else {
            coder.text(object.str()?.to_str()?)
        };
        seen[place] = (address, code);
    }
    Ok(coder.finish())
}

fn is_missing(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object.cast::<PyFloat>().is_ok_and(|x| x.value().is_nan())
        || object.get_type().name().is_ok_and(|n| n == "NAType" || n == "NaTType")
}
