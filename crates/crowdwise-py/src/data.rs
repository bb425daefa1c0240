//! A dataset that Python holds: the table of the library, and where in the caller's frame its ids are.

use crate::column::{Column, MISSING};
use crate::columns::label_kind;
use crate::error::raised;
use crate::kept::Kept;
use crate::kinds::{self, First, Made};
use crowdwise::questions;
use crowdwise::{Dataset, Error, Gold, GoldValues, LabelKind, Order, Structure, Units};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[pyclass(frozen, module = "crowdwise._crowdwise")]
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "the data are a dataset and more")]
pub struct Data {
    pub data: Arc<Dataset>,
    /// Rows of the caller's frame in which items, annotators and classes first appear; empty if it was read from a file, and
    /// those of the items after they were asked for.
    pub first: Mutex<First>,
    pub notes: Vec<String>,
}

type Known = Option<Vec<(String, String)>>;

/// Whether classes are ordered, or how.
#[derive(FromPyObject)]
enum Ordered {
    Said(bool),
    Classes(Vec<String>),
}

impl Ordered {
    fn order(said: Option<Ordered>) -> Order {
        match said {
            None => Order::Unsaid,
            Some(Ordered::Said(true)) => Order::Natural,
            Some(Ordered::Said(false)) => Order::None,
            Some(Ordered::Classes(classes)) => Order::Given(classes),
        }
    }
}

#[pymethods]
impl Data {
    /// Classes: who said what about which item. A row without a label is no answer; its item stays. The columns are used up.
    #[staticmethod]
    #[pyo3(signature = (item, annotator, label, gold=None, ordered=None))]
    fn classes(
        py: Python<'_>,
        item: &Bound<'_, Column>,
        annotator: &Bound<'_, Column>,
        label: &Bound<'_, Column>,
        gold: Known,
        ordered: Option<Ordered>,
    ) -> PyResult<Data> {
        let [item, annotator, label] = [item, annotator, label].map(Column::used_up);
        Data::of(py, gold, || kinds::classes(item, annotator, label, &Ordered::order(ordered)))
    }

    /// Real values.
    #[staticmethod]
    #[pyo3(signature = (item, annotator, label, gold=None))]
    fn numbers(py: Python<'_>, item: &Column, annotator: &Column, label: &Column, gold: Known) -> PyResult<Data> {
        Data::of(py, gold, || kinds::numbers(item, annotator, label))
    }

    /// Comparisons of two items. The label is the id of the winner, `left` or `right`, or a word for a tie. `both` has the
    /// ids of the left column, then those of the right one.
    #[staticmethod]
    #[pyo3(signature = (both, annotator, label, gold=None))]
    fn comparisons(py: Python<'_>, both: &Column, annotator: &Column, label: &Column, gold: Known) -> PyResult<Data> {
        Data::of(py, gold, || kinds::pairs(LabelKind::Preference, both, annotator, label))
    }

    /// Whether two items are the same, yes or no; `both` as in `comparisons`.
    #[staticmethod]
    #[pyo3(signature = (both, annotator, label, gold=None))]
    fn similarities(py: Python<'_>, both: &Column, annotator: &Column, label: &Column, gold: Known) -> PyResult<Data> {
        Data::of(py, gold, || kinds::pairs(LabelKind::Similarity, both, annotator, label))
    }

    /// Places of rankings, one a row, without a position behind the ranked items. Without a column of rankings every
    /// annotator gave one; `named` says whether those of the column have names.
    #[staticmethod]
    #[pyo3(signature = (item, annotator, ranking, position, named=true, gold=None))]
    fn rankings(
        py: Python<'_>,
        item: &Column,
        annotator: &Column,
        ranking: Option<&Column>,
        position: &Column,
        named: bool,
        gold: Known,
    ) -> PyResult<Data> {
        Data::of(py, gold, || crate::ranks::rankings(item, annotator, ranking, position, named))
    }

    /// Classes of the tokens of sequences. Gold is of tokens, called `sequence:position`.
    #[staticmethod]
    #[pyo3(signature = (sequence, position, annotator, label, gold=None))]
    fn sequences(
        py: Python<'_>,
        sequence: &Column,
        position: &Column,
        annotator: &Column,
        label: &Column,
        gold: Known,
    ) -> PyResult<Data> {
        Data::of(py, gold, || kinds::sequences(sequence, position, annotator, label))
    }

    /// Reads a file as the command line does.
    #[staticmethod]
    #[pyo3(signature = (path, item=None, annotator=None, label=None, kind=None, wide=false, skip_bad_rows=false, gold=None, ordered=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn read(
        py: Python<'_>,
        path: std::path::PathBuf,
        item: Option<String>,
        annotator: Option<String>,
        label: Option<String>,
        kind: Option<&str>,
        wide: bool,
        skip_bad_rows: bool,
        gold: Option<std::path::PathBuf>,
        ordered: Option<Ordered>,
    ) -> PyResult<Data> {
        let kind = kind.map(label_kind).transpose()?;
        let order = Ordered::order(ordered);
        let options = crowdwise::io::ReadOptions {
            item,
            annotator,
            label,
            kind,
            wide,
            order,
            skip_bad_rows,
            ..Default::default()
        };
        py.detach(|| -> Result<Data, Error> {
            let read = crowdwise::io::read_answers(&crowdwise::io::Source::from(path.as_path()), &options)?;
            let (mut data, mut notes) = (read.value, read.notes);
            if let Some(gold) = gold {
                let source = crowdwise::io::Source::from(gold.as_path());
                let read = crowdwise::io::read_gold(&source, &data.table, &crowdwise::io::ReadOptions::default())?;
                notes.extend(read.notes);
                data = data.with_gold(read.value);
            }
            Ok(Data { data: Arc::new(data), first: Mutex::default(), notes })
        })
        .map_err(|e| raised(py, &e))
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.data.table.kind().name()
    }

    #[getter]
    fn n_items(&self) -> usize {
        self.data.table.n_items()
    }

    #[getter]
    fn n_units(&self) -> usize {
        self.data.table.n_units()
    }

    #[getter]
    fn n_annotators(&self) -> usize {
        self.data.table.n_annotators()
    }

    #[getter]
    fn n_classes(&self) -> usize {
        self.data.table.n_classes()
    }

    #[getter]
    fn n_labels(&self) -> usize {
        self.data.table.n_labels()
    }

    /// What there is to say about how it was read.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(|note| crowdwise::spell(note, crowdwise::Syntax::Python)).collect()
    }

    fn item_names(&self) -> Vec<&str> {
        self.data.table.items().iter().collect()
    }

    fn annotator_names(&self) -> Vec<&str> {
        self.data.table.annotators().iter().collect()
    }

    fn class_names(&self) -> Vec<&str> {
        self.data.table.categorical().map_or(Vec::new(), |c| c.classes.iter().collect())
    }

    /// Rows in which the items first appear. They are many and needed once: a second call finds none.
    fn item_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        rows(&std::mem::take(&mut self.first().item)).into_pyarray(py)
    }

    fn annotator_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        rows(&self.first().annotator).into_pyarray(py)
    }

    /// Positions of tokens in their sequences.
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        rows(&self.first().position).into_pyarray(py)
    }

    /// -1 for a class that only the gold knows.
    fn class_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let mut rows = rows(&self.first().class);
        rows.resize(self.data.table.n_classes(), -1);
        rows.into_pyarray(py)
    }

    /// (unit, annotator, class) of every label.
    fn codes<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray1<i64>>; 3]> {
        let kept = Kept::of(self);
        if kept.codes.len() != kept.unit.len() {
            return Err(PyValueError::new_err("these labels are not classes"));
        }
        let wide = |v: Vec<u32>| v.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py);
        Ok([wide(kept.unit), wide(kept.annotator), wide(kept.codes)])
    }

    /// The same labels with class probabilities of a classifier, items x classes.
    fn with_probabilities(&self, py: Python<'_>, rows: PyReadonlyArray2<'_, f64>) -> PyResult<Data> {
        let (n, k) = (self.data.table.n_items(), self.data.table.n_classes());
        if rows.shape() != [n, k] {
            return Err(PyValueError::new_err(format!(
                "the probabilities are {} x {}, but there are {n} items and {k} classes",
                rows.shape()[0],
                rows.shape()[1]
            )));
        }
        let values = rows.as_array().iter().copied().collect();
        let made = crowdwise::Probabilities::new(k, values, "the probabilities").map_err(|e| raised(py, &e))?;
        let mut data = (*self.data).clone();
        data.probabilities = Some(made);
        Ok(self.with(data, None))
    }

    /// The same answers with links between items.
    fn with_edges(&self, py: Python<'_>, edges: Vec<(String, String)>) -> PyResult<Data> {
        let (structure, note) = kinds::edges(&self.data, &edges).map_err(|e| raised(py, &e))?;
        let mut data = (*self.data).clone();
        data.structure = structure;
        Ok(self.with(data, note))
    }

    /// The same answers with a row of numbers for every item.
    fn with_features(&self, rows: PyReadonlyArray2<'_, f32>) -> PyResult<Data> {
        if rows.shape()[0] != self.data.table.n_items() {
            return Err(PyValueError::new_err(format!(
                "there are {} rows of features, but {} items",
                rows.shape()[0],
                self.data.table.n_items()
            )));
        }
        let mut data = (*self.data).clone();
        data.features = Some(crate::learn::features(&rows, None));
        Ok(self.with(data, None))
    }

    /// Labels as sets (`a|b`): every class of an item becomes a unit of its own, `item|class`, yes or no.
    fn as_sets(&self, py: Python<'_>) -> PyResult<Data> {
        use crowdwise::methods::sets::{Candidates, units};
        let data = py.detach(|| units(&self.data, Candidates::All)).map_err(|e| raised(py, &e))?;
        Ok(Data { data: Arc::new(data), first: Mutex::default(), notes: self.notes.clone() })
    }

    /// The item and the class of every unit of a table of sets.
    fn set_units(&self) -> Vec<(&str, &str)> {
        self.data.table.items().iter().filter_map(questions::split_unit).collect()
    }

    /// Known classes of the units, -1 where none is known.
    fn gold_codes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let mut out = vec![-1; self.data.table.n_units()];
        if let Some(GoldValues::Classes(known)) = self.data.gold.as_ref().map(|g| &g.values) {
            known.iter().for_each(|&(u, c)| out[u as usize] = i64::from(c));
        }
        out.into_pyarray(py)
    }

    /// Whether the comparisons are those that rankings say.
    #[getter]
    fn is_rankings(&self) -> bool {
        matches!(self.data.structure, Structure::Rankings(_))
    }

    /// Whether the items are tokens of sequences.
    #[getter]
    fn is_sequences(&self) -> bool {
        matches!(self.data.structure, Structure::Chains { .. })
    }

    /// The sequence of every token (as a number) and its position there.
    fn tokens<'py>(&self, py: Python<'py>) -> Option<[Bound<'py, PyArray1<i64>>; 2]> {
        let Structure::Chains { starts, .. } = &self.data.structure else { return None };
        let (mut chain, mut position) = (Vec::new(), Vec::new());
        for (c, w) in starts.windows(2).enumerate() {
            for token in w[0]..w[1] {
                let name = self.data.table.items().name(token as usize);
                chain.push(c as i64);
                // tokens are called `sequence:position`
                position.push(name.rsplit(':').next().and_then(|p| p.parse().ok()).unwrap_or((token - w[0]) as i64));
            }
        }
        Some([chain.into_pyarray(py), position.into_pyarray(py)])
    }

    /// Names of the sequences.
    fn sequence_names(&self) -> Vec<&str> {
        match &self.data.structure {
            Structure::Chains { names, .. } => names.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The two items of every unit of a table of pairs, units x 2.
    fn pair_codes<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<i64>>>> {
        let Units::Pairs(pairs) = self.data.table.units() else { return Ok(None) };
        let flat: Vec<i64> = pairs.iter().flatten().map(|&i| i64::from(i)).collect();
        Ok(Some(flat.into_pyarray(py).reshape([pairs.len(), 2])?))
    }

    /// The items of every unit.
    fn units(&self) -> Vec<Vec<u32>> {
        match self.data.table.units() {
            Units::Items => (0..self.data.table.n_items() as u32).map(|i| vec![i]).collect(),
            Units::Pairs(p) => p.iter().map(|p| p.to_vec()).collect(),
        }
    }

    /// These labels and those of `new`: the data, which items and annotators of `new` are new, and for every class its
    /// number here and there (-1 for none).
    fn joined(&self, py: Python<'_>, new: &Data) -> PyResult<Joined> {
        crate::kept::joined(self, new).map_err(|e| raised(py, &e))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let kept = Kept::of(self);
        let bytes = rmp_serde::to_vec_named(&kept).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Data> {
        let kept: Kept = rmp_serde::from_slice(bytes)
            .map_err(|e| PyValueError::new_err(format!("this is not a Crowdwise data set: {e}")))?;
        kept.restored().map_err(|e| raised(py, &e))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Data>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    fn __repr__(&self) -> String {
        let t = &self.data.table;
        format!(
            "<Data: {} labels of {} annotators on {} items{}>",
            t.n_labels(),
            t.n_annotators(),
            t.n_items(),
            if t.n_classes() > 0 { format!(", {} classes", t.n_classes()) } else { String::new() }
        )
    }
}

/// The data, new items, new annotators, and for every class its number in the old and in the new data.
pub type Joined = (Data, Vec<usize>, Vec<usize>, Vec<(i64, i64)>);

fn rows(first: &[u32]) -> Vec<i64> {
    first.iter().map(|&r| if r == MISSING { -1 } else { i64::from(r) }).collect()
}

impl Data {
    /// Makes the table with the interpreter released.
    fn of(py: Python<'_>, gold: Known, make: impl FnOnce() -> Result<Made, Error> + Send) -> PyResult<Data> {
        py.detach(|| -> Result<Data, Error> {
            let (mut data, first, mut notes) = make()?;
            if let Some(rows) = gold {
                let gold = Gold::from_items(&data.table, &rows, "the gold labels")?;
                if !gold.unlabelled.is_empty() {
                    notes.push(format!("{} gold labels of items that nobody labelled", gold.unlabelled.len()));
                }
                data = data.with_gold(gold);
            }
            Ok(Data { data: Arc::new(data), first: first.into(), notes })
        })
        .map_err(|e| raised(py, &e))
    }

    pub fn first(&self) -> MutexGuard<'_, First> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another dataset with the same ids.
    fn with(&self, data: Dataset, note: Option<String>) -> Data {
        let mut notes = self.notes.clone();
        notes.extend(note);
        Data { data: Arc::new(data), first: self.first().clone().into(), notes }
    }
}
