//! Truth, annotator quality and reports from the labels of many unreliable annotators.
//!
//! Three calls from a file to a page:
//!
//! ```
//! # fn main() -> Result<(), crowdwise::Error> {
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/demo.csv");
//! # let page = std::env::temp_dir().join(format!("crowdwise-doc-{}.html", std::process::id()));
//! let data = crowdwise::read(file)?; // examples/demo.csv
//! let fit = crowdwise::fit(&data, "dawid-skene", &[("tol", "1e-6")])?;
//! crowdwise::Report::new(&data, &fit).save(&page)?;
//!
//! // the annotator who guesses is found
//! assert!(fit.findings.iter().any(|f| f.code == "spammer"));
//! # std::fs::remove_file(page).unwrap();
//! # Ok(())
//! # }
//! ```
//!
//! Everything is a function of a [`Dataset`] (the answers, and what is known beside them) and a [`Fit`] (what a method made of
//! them).
//!
//! | you want to | look at |
//! |---|---|
//! | read and write files | [`read`], [`io`] |
//! | choose a method | [`methods()`], [`find`], [`default_method`], [`methods_for`], [`compared`] |
//! | fit it by its name | [`fit`], [`Entry::with`] |
//! | fit it as a struct whose fields are its parameters | [`methods`](mod@methods), [`AnyMethod`], [`Context`] |
//! | learn a classifier from features and labels | [`learn`], [`learner`] |
//! | ask: labels, annotators, items, agreement, scores | [`questions`] |
//! | show a page, a table, a chart, a JSON document | [`Report`], [`report`] |
//! | build a table in memory | [`TableBuilder`], [`Dataset::new`] |
//! | draw data with known truth | [`simulate`] |
//! | bound the memory of a file | [`memory`] |
//!
//! Examples for every kind of answer are in the folder `examples` of this crate: `cargo run -p crowdwise --example classes`.
#![warn(missing_docs)]

/// What to ask next, and whom.
pub use crowdwise_ask as ask;
/// How much memory the process may take for one file or one table of numbers.
pub use crowdwise_core::memory;
/// Questions: functions of a dataset and a fit.
pub use crowdwise_core::questions;
/// Data with known truth.
pub use crowdwise_core::simulate;
/// Small numerical helpers.
pub use crowdwise_core::stats;
#[doc(no_inline)]
pub use crowdwise_core::voices;
pub use crowdwise_core::{
    Annotators, AnyMethod, Attribute, BadRow, Capabilities, Categorical, Codes, Context, Dataset, Diagnostics, Entry,
    Error, Event, Family, Features, Finding, Fit, Gives, Gold, GoldValues, Hint, LabelKind, Method, MethodInfo, Names,
    Needs, Objective, Order, ParamInfo, Params, Preference, Probabilities, Problems, Rankings, Reference, Severity,
    Sink, Situation, Status, Stop, Structure, StructureKind, Subject, Syntax, Table, TableBuilder, TracePoint, Truth,
    Units, Values, group, nearest, spell,
};
/// Readers and writers.
pub use crowdwise_io as io;
/// Classifiers learned end to end: methods, networks, saved models.
pub use crowdwise_learn as learn;
/// The methods as structs of parameters, by the kind of answer.
pub use crowdwise_methods as methods;
/// Tables, charts, pages and the JSON document.
pub use crowdwise_report as report;

mod choice;
mod page;
mod save;

pub use choice::{compared, default_method, methods_for, ranking_method};
pub use page::method_page;
pub use save::Report;

use serde_json::Value;
use std::path::Path;

/// Every method of every crate, in the order in which people should meet them.
pub fn methods() -> impl Iterator<Item = &'static Entry> + Clone {
    crowdwise_methods::METHODS.iter().chain(crowdwise_learn::SIMILARITIES).chain(crowdwise_learn::METHODS)
}

/// The method called `name` (an id or an alias); if there is none, the error offers the nearest name.
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    crowdwise_core::find(methods(), name)
}

/// The learner called `name` (an id or an alias), which returns a classifier beside its fit.
pub fn learner(name: &str) -> Result<&'static learn::LearnerEntry, Error> {
    let entry = find(name)?;
    crowdwise_learn::learner(entry.info.id)
        .ok_or_else(|| Error::Unsupported { what: format!("`{}` learns no classifier", entry.info.id), hint: None })
}

/// Reads answers from a file: CSV, TSV (also compressed), JSON lines, Parquet, or an export of an annotation tool, as
/// its name and content tell. For options and for what the reader noticed, see [`io::read_answers`].
pub fn read(path: impl AsRef<Path>) -> Result<Dataset, Error> {
    Ok(io::read_answers(&io::Source::from(path.as_ref()), &io::ReadOptions::default())?.value)
}

/// Fits a method with some of its parameters set, seed 0, on all cores, and asks what the result shows. For another seed,
/// progress or cancellation, see [`Entry::with`], [`Context`] and [`questions::reviewed`].
pub fn fit(data: &Dataset, method: &str, params: &[(&str, &str)]) -> Result<Fit, Error> {
    let params: Vec<(String, Value)> = params.iter().map(|&(k, v)| (k.into(), v.into())).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    questions::reviewed(&*find(method)?.with(&params)?, data, &mut Context::new(0, threads))
}
