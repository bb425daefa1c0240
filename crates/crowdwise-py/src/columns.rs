//! Columns of frames by their names, as those of files are found.

use crowdwise::LabelKind;
use crowdwise::io::{Form, ReadOptions, Role, form, recognise};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// The number of the column that holds this, by its name.
#[pyfunction]
pub fn find_column(names: Vec<String>, role: &str) -> PyResult<Option<usize>> {
    let role = Role::from_name(role).ok_or_else(|| PyValueError::new_err(format!("no column is called a {role}")))?;
    Ok(recognise(&names, role))
}

/// The usual names of every role, the most usual first.
#[pyfunction]
pub fn usual_columns() -> BTreeMap<&'static str, Vec<&'static str>> {
    Role::ALL.into_iter().map(|r| (r.name(), r.usual().to_vec())).collect()
}

/// What the rows of a table are: `labels`, `comparisons`, `similarities`, `tokens` or `rankings`.
#[pyfunction]
#[pyo3(signature = (names, kind=None, item=None, label=None))]
pub fn form_of(
    names: Vec<String>,
    kind: Option<&str>,
    item: Option<String>,
    label: Option<String>,
) -> PyResult<&'static str> {
    let kind = kind.map(label_kind).transpose()?;
    Ok(match form(&names, &ReadOptions { item, label, kind, ..Default::default() }) {
        Form::Labels => "labels",
        Form::Comparisons => "comparisons",
        Form::Similarities => "similarities",
        Form::Tokens => "tokens",
        Form::Rankings => "rankings",
    })
}

/// A kind of label by its name.
pub fn label_kind(name: &str) -> PyResult<LabelKind> {
    serde_json::from_value(name.into())
        .map_err(|_| PyValueError::new_err(format!("there is no kind of labels `{name}`")))
}
