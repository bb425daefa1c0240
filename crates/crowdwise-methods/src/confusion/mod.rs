//! Annotators with a confusion matrix: one pass over the labels, many maximisations.

mod dawid_skene;
mod em;
mod kernel;
pub(crate) mod shared;
mod squarem;

pub use dawid_skene::{DawidSkene, Zeros};
pub use em::Assignment;
pub use shared::{ClassPrior, Init};
