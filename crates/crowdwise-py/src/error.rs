//! Errors as Python raises them: classes of the Python package with `.code` and `.hint`.

use crowdwise::{Error, Syntax};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The exception for an error. The classes live in `crowdwise._errors`, so that they can derive from `ValueError` and be
/// documented where people look.
pub fn raised(py: Python<'_>, e: &Error) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let raise = py.import("crowdwise._errors")?.getattr("from_code")?;
        Ok(PyErr::from_value(raise.call1((e.code(), e.to_string(), e.hint_for(Syntax::Python)))?))
    };
    make().unwrap_or_else(|_| PyRuntimeError::new_err(e.to_string()))
}
