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
//! Everything is a function of a [`Dataset`] and a [`Fit`]: see [`questions`]. The methods are in [`methods()`]; each is
//! a plain struct of parameters (see [`methods`](mod@methods)) as well as an [`Entry`] of the list.

/// Questions: functions of a dataset and a fit.
pub use crowdwise_core::questions;
/// Data with known truth.
pub use crowdwise_core::simulate;
/// Small numerical helpers.
pub use crowdwise_core::stats;
pub use crowdwise_core::{
    Annotators, AnyMethod, BadRow, Capabilities, Categorical, Codes, Context, Dataset, Diagnostics, Entry, Error,
    Event, Features, Finding, Fit, Gold, GoldValues, LabelKind, Method, MethodInfo, Names, Objective, ParamInfo,
    Params, Preference, Probabilities, Problems, Rankings, Reference, Severity, Sink, Status, Stop, Structure, Subject,
    Table, TableBuilder, TracePoint, Truth, Units, Values, group, nearest,
};
/// Readers and writers.
pub use crowdwise_io as io;
/// Classifiers learned end to end: methods, networks, saved models.
pub use crowdwise_learn as learn;
/// The methods as structs of parameters.
pub use crowdwise_methods as methods;
/// Tables, charts, pages and the JSON document.
pub use crowdwise_report as report;
/// Sequences, graphs, pairs, groups of annotators, sets of labels.
pub use crowdwise_structured as structured;

mod page;
mod save;

pub use page::method_page;
pub use save::Report;

use serde_json::Value;
use std::path::Path;

/// Every method of every crate, in the order in which people should meet them.
pub fn methods() -> impl Iterator<Item = &'static Entry> + Clone {
    crowdwise_methods::METHODS.iter().chain(crowdwise_structured::METHODS).chain(crowdwise_learn::METHODS)
}

/// The method called `name` (an id or an alias); if there is none, the error offers the nearest name.
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    crowdwise_core::find(methods(), name)
}

/// Reads answers from a file: CSV, TSV (also compressed), JSON lines, Parquet, or an export of an annotation tool, as
/// its name and content tell. For options and for what the reader noticed, see [`io::read_answers`].
pub fn read(path: impl AsRef<Path>) -> Result<Dataset, Error> {
    Ok(io::read_answers(&io::Source::from(path.as_ref()), &io::ReadOptions::default())?.value)
}

/// Fits a method with some of its parameters set, seed 0, on all cores. For another seed, progress or cancellation,
/// see [`Entry::with`] and [`Context`].
pub fn fit(data: &Dataset, method: &str, params: &[(&str, &str)]) -> Result<Fit, Error> {
    let params: Vec<(String, Value)> = params.iter().map(|&(k, v)| (k.into(), v.into())).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    find(method)?.with(&params)?.fit(data, &mut Context::new(0, threads))
}
