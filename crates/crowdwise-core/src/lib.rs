//! Data model, method contract, results and questions of Crowdwise. No input or output, no printing.
//!
//! Every annotation is (unit, annotator, value): see [`Table`]. A [`Method`] turns a [`Dataset`] into a [`Fit`];
//! everything a person wants to know is a function of these two: see [`questions`].

mod about;
mod builder;
mod carry;
mod context;
mod dataset;
mod digest;
mod error;
mod finding;
mod finite;
mod fit;
mod grades;
mod hint;
pub mod memory;
mod method;
mod more;
mod names;
mod numbering;
pub mod questions;
mod rankings;
mod settled;
pub mod simulate;
pub mod stats;
mod table;
mod values;
mod version;
pub mod voices;

pub use about::{Family, Gives, Needs, Situation, StructureKind};
pub use builder::TableBuilder;
pub use context::{Context, Event, Run, Sink, Step};
pub use crowdwise_numerics::stream;
pub use dataset::{Attribute, Dataset, Features, Gold, GoldValues, Probabilities, Structure};
pub use error::{BadRow, Error, Problems, group};
pub use finding::{Finding, Severity, Statistic, Subject};
pub use fit::{Annotators, Diagnostics, Fit, Objective, Outcome, Provenance, Stop, TracePoint, Truth};
pub use grades::{Nearness, Order};
pub use hint::{Hint, Syntax, spell};
pub use method::{
    AnyMethod, Capabilities, Entry, Method, MethodInfo, ParamInfo, Params, Reference, Status, entry, find, fit_by,
    parse,
};
pub use names::{Names, nearest};
pub use rankings::Rankings;
pub use settled::{Settled, Watch};
pub use table::{Categorical, Index, Table};
pub use values::{Codes, LabelKind, MAX_CLASSES, Preference, Units, Values};
pub use version::check_version;
