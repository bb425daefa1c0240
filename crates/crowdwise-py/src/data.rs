//! A dataset that Python holds: the table of the library, and where in the caller's frame its ids are.

use crate::column::{Column, MISSING};
use crate::error::raised;
use crowdwise::{Codes, Dataset, Error, Gold, LabelKind, Preference, TableBuilder, Units, Values};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[pyclass(frozen, module = "crowdwise._crowdwise")]
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "the data are a dataset and more")]
pub struct Data {
    pub data: Arc<Dataset>,
    /// Rows of the caller's frame in which items, annotators and classes first appear; empty if it was read from a file.
    first: First,
    notes: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct First {
    item: Vec<u32>,
    annotator: Vec<u32>,
    class: Vec<u32>,
}

/// A dataset as bytes: what pickle keeps. Pairs are units of two items.
#[derive(Serialize, Deserialize)]
struct Kept {
    kind: LabelKind,
    source: String,
    items: crowdwise::Names,
    annotators: crowdwise::Names,
    classes: crowdwise::Names,
    ordered: bool,
    pairs: Vec<[u32; 2]>,
    unit: Vec<u32>,
    annotator: Vec<u32>,
    codes: Vec<u32>,
    numbers: Vec<f64>,
    /// (item, text) of known truth.
    gold: Vec<(u32, String)>,
    first: First,
    notes: Vec<String>,
}

const TIE_WORDS: [&str; 4] = ["tie", "both", "equal", "draw"];

#[pymethods]
impl Data {
    /// Classes: who said what about which item. A row without a label is no answer; its item stays.
    #[staticmethod]
    #[pyo3(signature = (item, annotator, label, gold=None, ordered=false))]
    fn classes(
        py: Python<'_>,
        item: &Column,
        annotator: &Column,
        label: &Column,
        gold: Option<Vec<(String, String)>>,
        ordered: bool,
    ) -> PyResult<Data> {
        complete(item, "item")?;
        complete(annotator, "annotator")?;
        py.detach(|| -> Result<Data, Error> {
            let mut b = TableBuilder::new(LabelKind::Categorical);
            (b.items, b.annotators, b.classes) = (item.names.clone(), annotator.names.clone(), label.names.clone());
            b.ordered = ordered;
            let rows = item.codes.iter().zip(&annotator.codes).zip(&label.codes);
            for ((&i, &j), &l) in rows.filter(|(_, l)| **l != MISSING) {
                b.label_codes(i, j, l)?;
            }
            let empty = label.codes.len() - b.len();
            let table = b.finish()?;
            let mut names = label.names.clone();
            names.thaw();
            let row = |c: &str| names.get(c).map_or(MISSING, |c| label.first[c as usize]);
            let class = table.categorical().expect("categorical").classes.iter().map(row).collect();
            let first = First { item: item.first.clone(), annotator: annotator.first.clone(), class };
            Data::new(Dataset::new(table), first, notes(empty), gold)
        })
        .map_err(|e| raised(py, &e))
    }

    /// Real values.
    #[staticmethod]
    #[pyo3(signature = (item, annotator, label, gold=None))]
    fn numbers(
        py: Python<'_>,
        item: &Column,
        annotator: &Column,
        label: &Column,
        gold: Option<Vec<(String, String)>>,
    ) -> PyResult<Data> {
        complete(item, "item")?;
        complete(annotator, "annotator")?;
        let values: Vec<f64> = label
            .names
            .iter()
            .zip(&label.first)
            .map(|(t, row)| match t.trim().parse::<f64>() {
                Ok(x) if x.is_finite() => Ok(x),
                _ => Err(PyValueError::new_err(format!("row {row}: the label `{t}` is not a finite number"))),
            })
            .collect::<PyResult<_>>()?;
        let mut b = TableBuilder::new(LabelKind::Real);
        (b.items, b.annotators) = (item.names.clone(), annotator.names.clone());
        let rows = item.codes.iter().zip(&annotator.codes).zip(&label.codes);
        for ((&i, &j), &l) in rows.filter(|(_, l)| **l != MISSING) {
            b.value_codes(i, j, values[l as usize]);
        }
        let empty = label.codes.len() - b.len();
        let table = b.finish().map_err(|e| raised(py, &e))?;
        let first = First { item: item.first.clone(), annotator: annotator.first.clone(), class: Vec::new() };
        Data::new(Dataset::new(table), first, notes(empty), gold).map_err(|e| raised(py, &e))
    }

    /// Comparisons of two items. The label is the id of the winner, `left` or `right`, or a word for a tie. `both` has the
    /// ids of the left column, then those of the right one.
    #[staticmethod]
    fn comparisons(py: Python<'_>, both: &Column, annotator: &Column, label: &Column) -> PyResult<Data> {
        complete(both, "item")?;
        complete(annotator, "annotator")?;
        let rows = annotator.codes.len();
        let mut b = TableBuilder::new(LabelKind::Preference);
        (b.items, b.annotators) = (both.names.clone(), annotator.names.clone());
        for row in 0..rows {
            let (l, r, winner) = (both.codes[row], both.codes[rows + row], label.codes[row]);
            if winner == MISSING {
                continue;
            }
            let text = label.names.name(winner as usize);
            let outcome = if text == both.names.name(l as usize) || text == "left" {
                Preference::Left
            } else if text == both.names.name(r as usize) || text == "right" {
                Preference::Right
            } else if TIE_WORDS.contains(&text.to_ascii_lowercase().as_str()) {
                Preference::Tie
            } else {
                return Err(PyValueError::new_err(format!(
                    "row {row}: the winner `{text}` is neither `{}` nor `{}` nor a tie",
                    both.names.name(l as usize),
                    both.names.name(r as usize)
                )));
            };
            b.preference_codes(l, r, annotator.codes[row], outcome);
        }
        let empty = rows - b.len();
        let table = b.finish().map_err(|e| raised(py, &e))?;
        let first = First { item: both.first.clone(), annotator: annotator.first.clone(), class: Vec::new() };
        Data::new(Dataset::new(table), first, notes(empty), None).map_err(|e| raised(py, &e))
    }

    /// Reads a file as the command line does.
    #[staticmethod]
    #[pyo3(signature = (path, item=None, annotator=None, label=None, kind=None, wide=false, skip_bad_rows=false, gold=None))]
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
    ) -> PyResult<Data> {
        let kind = kind
            .map(|k| {
                serde_json::from_value(k.into())
                    .map_err(|_| PyValueError::new_err(format!("there is no kind of labels `{k}`")))
            })
            .transpose()?;
        let options =
            crowdwise::io::ReadOptions { item, annotator, label, kind, wide, skip_bad_rows, ..Default::default() };
        py.detach(|| -> Result<Data, Error> {
            let read = crowdwise::io::read_answers(&crowdwise::io::Source::from(path.as_path()), &options)?;
            let (mut data, mut notes) = (read.value, read.notes);
            if let Some(gold) = gold {
                let source = crowdwise::io::Source::from(gold.as_path());
                let read = crowdwise::io::read_gold(&source, &data.table, &crowdwise::io::ReadOptions::default())?;
                notes.extend(read.notes);
                data = data.with_gold(read.value);
            }
            Ok(Data { data: Arc::new(data), first: First::default(), notes })
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
        self.notes.clone()
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

    /// Whether ids are to be taken from the caller's frame.
    #[getter]
    fn has_rows(&self) -> bool {
        !self.first.item.is_empty()
    }

    fn item_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        rows(&self.first.item).into_pyarray(py)
    }

    fn annotator_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        rows(&self.first.annotator).into_pyarray(py)
    }

    /// -1 for a class that only the gold knows.
    fn class_rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let mut rows = rows(&self.first.class);
        rows.resize(self.data.table.n_classes(), -1);
        rows.into_pyarray(py)
    }

    /// (unit, annotator, class) of every label.
    fn codes<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray1<i64>>; 3]> {
        let kept = self.kept();
        if kept.codes.len() != kept.unit.len() {
            return Err(PyValueError::new_err("these labels are no classes"));
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
        Ok(Data { data: Arc::new(data), first: self.first.clone(), notes: self.notes.clone() })
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
        let (mut all, more) = (self.kept(), new.kept());
        if all.kind != more.kind {
            return Err(PyValueError::new_err("labels of two kinds cannot be joined"));
        }
        let classes = [all.classes.clone(), more.classes.clone()];
        let (item, new_items) = renumbered(&mut all.items, &more.items);
        let (annotator, new_annotators) = renumbered(&mut all.annotators, &more.annotators);
        let (class, _) = renumbered(&mut all.classes, &more.classes);
        let before = if all.pairs.is_empty() { 0 } else { all.pairs.len() as u32 };
        all.pairs.extend(more.pairs.iter().map(|p| [item[p[0] as usize], item[p[1] as usize]]));
        let by_pairs = !more.pairs.is_empty();
        all.unit.extend(more.unit.iter().map(|&u| if by_pairs { before + u } else { item[u as usize] }));
        all.annotator.extend(more.annotator.iter().map(|&j| annotator[j as usize]));
        if all.kind == LabelKind::Categorical {
            all.codes.extend(more.codes.iter().map(|&c| class[c as usize]));
        } else {
            all.codes.extend(&more.codes);
        }
        all.numbers.extend(&more.numbers);
        // what is known later counts
        let known: Vec<(u32, String)> = more.gold.into_iter().map(|(u, v)| (item[u as usize], v)).collect();
        all.gold.retain(|(u, _)| known.iter().all(|(n, _)| n != u));
        all.gold.extend(known);
        all.notes.extend(more.notes);
        all.first = First::default();
        let joined = all.restored().map_err(|e| raised(py, &e))?;
        let place = |names: &crowdwise::Names, c: &str| names.iter().position(|n| n == c).map_or(-1, |n| n as i64);
        let order =
            joined.data.table.categorical().map_or(Vec::new(), |t| {
                t.classes.iter().map(|c| (place(&classes[0], c), place(&classes[1], c))).collect()
            });
        Ok((joined, new_items, new_annotators, order))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let kept = self.kept();
        let bytes = rmp_serde::to_vec_named(&kept).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Data> {
        let kept: Kept = rmp_serde::from_slice(bytes)
            .map_err(|e| PyValueError::new_err(format!("these are no data of Crowdwise: {e}")))?;
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

type Joined = (Data, Vec<usize>, Vec<usize>, Vec<(i64, i64)>);

/// Adds the names of `new` to `all`: their numbers there, and which of them were not there before.
fn renumbered(all: &mut crowdwise::Names, new: &crowdwise::Names) -> (Vec<u32>, Vec<usize>) {
    all.thaw();
    let mut fresh = Vec::new();
    let mut numbers = Vec::with_capacity(new.len());
    for (n, name) in new.iter().enumerate() {
        let before = all.len();
        numbers.push(all.intern(name));
        if all.len() > before {
            fresh.push(n);
        }
    }
    all.freeze();
    (numbers, fresh)
}

fn rows(first: &[u32]) -> Vec<i64> {
    first.iter().map(|&r| if r == MISSING { -1 } else { i64::from(r) }).collect()
}

fn notes(empty: usize) -> Vec<String> {
    match empty {
        0 => Vec::new(),
        1 => vec!["1 answer without a label left out".into()],
        n => vec![format!("{n} answers without a label left out")],
    }
}

fn complete(column: &Column, what: &str) -> PyResult<()> {
    match column.codes.iter().position(|&c| c == MISSING) {
        None => Ok(()),
        Some(row) => {
            let n = column.codes.iter().filter(|&&c| c == MISSING).count();
            Err(PyValueError::new_err(format!("{n} rows have no {what}, the first is row {row}")))
        }
    }
}

impl Data {
    fn new(
        data: Dataset,
        first: First,
        mut notes: Vec<String>,
        gold: Option<Vec<(String, String)>>,
    ) -> Result<Data, Error> {
        let data = match gold {
            None => data,
            Some(rows) => {
                let gold = Gold::from_items(&data.table, &rows, "the gold labels")?;
                if !gold.unlabelled.is_empty() {
                    notes.push(format!("{} gold labels of items that nobody labelled", gold.unlabelled.len()));
                }
                data.with_gold(gold)
            }
        };
        Ok(Data { data: Arc::new(data), first, notes })
    }

    fn kept(&self) -> Kept {
        let t = &self.data.table;
        let mut unit = Vec::with_capacity(t.n_labels());
        (0..t.n_units()).for_each(|u| unit.resize(unit.len() + t.degree(u), u as u32));
        let (mut codes, mut numbers) = (Vec::new(), Vec::new());
        let (mut classes, mut ordered) = (crowdwise::Names::new(), false);
        match t.values() {
            Values::Categorical { classes: c, ordered: o, codes: v } => {
                (classes, ordered) = (c.clone(), *o);
                codes = match v {
                    Codes::U8(v) => v.iter().map(|&c| u32::from(c)).collect(),
                    Codes::U16(v) => v.iter().map(|&c| u32::from(c)).collect(),
                };
            }
            Values::Real { values, .. } => numbers.clone_from(values),
            Values::Preference { codes: v } => codes = v.iter().map(|&p| p as u32).collect(),
            Values::Similarity { same } => codes = same.iter().map(|&s| u32::from(s)).collect(),
        }
        let gold = match self.data.gold.as_ref().map(|g| &g.values) {
            Some(crowdwise::GoldValues::Classes(v)) => {
                v.iter().map(|&(u, c)| (u, classes.name(c as usize).to_owned())).collect()
            }
            Some(crowdwise::GoldValues::Real(v)) => v.iter().map(|&(u, x)| (u, x.to_string())).collect(),
            _ => Vec::new(),
        };
        Kept {
            kind: t.kind(),
            source: self.data.source.clone(),
            items: t.items().clone(),
            annotators: t.annotators().clone(),
            classes,
            ordered,
            pairs: match t.units() {
                Units::Pairs(p) => p.clone(),
                Units::Items => Vec::new(),
            },
            unit,
            annotator: t.annotator().to_vec(),
            codes,
            numbers,
            gold,
            first: self.first.clone(),
            notes: self.notes.clone(),
        }
    }
}

impl Kept {
    fn restored(self) -> Result<Data, Error> {
        let mut b = TableBuilder::new(self.kind);
        (b.items, b.annotators, b.classes, b.ordered) = (self.items, self.annotators, self.classes, self.ordered);
        for (row, (&u, &j)) in self.unit.iter().zip(&self.annotator).enumerate() {
            let pair = || self.pairs[u as usize];
            match self.kind {
                LabelKind::Categorical => b.label_codes(u, j, self.codes[row])?,
                LabelKind::Real => b.value_codes(u, j, self.numbers[row]),
                LabelKind::Preference => {
                    let outcome = [Preference::Left, Preference::Right, Preference::Tie]
                        .into_iter()
                        .find(|&p| p as u32 == self.codes[row])
                        .unwrap_or(Preference::Tie);
                    b.preference_codes(pair()[0], pair()[1], j, outcome);
                }
                LabelKind::Similarity => b.similarity_codes(pair()[0], pair()[1], j, self.codes[row] == 1),
            }
        }
        let mut data = Dataset::new(b.finish()?);
        data.source = self.source;
        if !self.gold.is_empty() {
            let rows: Vec<(String, String)> =
                self.gold.iter().map(|(u, v)| (data.table.items().name(*u as usize).to_owned(), v.clone())).collect();
            let gold = Gold::from_items(&data.table, &rows, "the gold labels")?;
            data = data.with_gold(gold);
        }
        Ok(Data { data: Arc::new(data), first: self.first, notes: self.notes })
    }
}
