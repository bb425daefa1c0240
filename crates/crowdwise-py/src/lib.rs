//! The Python module `crowdwise._crowdwise`: what the classes in `python/crowdwise` are made of.
//!
//! Columns come in as Arrow streams or NumPy arrays and are numbered here; ids never leave Python: what goes back are
//! row numbers of first appearances, by which the Python side picks the ids in the type in which they came.

#![allow(clippy::needless_pass_by_value, reason = "arguments come from Python by value")]

mod arrow;
mod asking;
mod codes;
mod column;
mod columns;
mod data;
mod error;
mod fit;
mod kept;
mod kinds;
mod learn;
mod own;
mod questions;
mod ranks;
mod run;
mod votes;

use pyo3::prelude::*;

#[pymodule(name = "_crowdwise")]
mod module {
    #[pymodule_export]
    use crate::asking::{Asking, next_numbers, next_pairs, plan, replay};
    #[pymodule_export]
    use crate::column::Column;
    #[pymodule_export]
    use crate::columns::{find_column, form_of, usual_columns};
    #[pymodule_export]
    use crate::data::Data;
    #[pymodule_export]
    use crate::fit::Fit;
    #[pymodule_export]
    use crate::learn::{Model, beliefs, learn};
    #[pymodule_export]
    use crate::questions::{
        agreement, annotators, compare, compared, default_method, document, evaluate, findings, inspect, items,
        limit_memory, methods, methods_for, page, report, simulate,
    };
    #[pymodule_export]
    use crate::ranks::ranking_order;
    #[pymodule_export]
    use crate::run::{command, fit};
    #[pymodule_export]
    use crate::votes::{share_right, skilled_start, vote_start, weighted_votes};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(m: &Bound<'_, PyModule>) -> PyResult<()> {
        m.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

/// Text that the caller reads as JSON.
fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| pyo3::exceptions::PyValueError::new_err(e.to_string()))
}
