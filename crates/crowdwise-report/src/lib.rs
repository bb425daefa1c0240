//! Text tables, charts, HTML fragments and one self-contained page from a dataset and its fit.

pub mod chart;
pub mod document;
pub mod number;
mod page;
pub mod table;
#[cfg(test)]
mod wellformed;

pub use document::*;
pub use page::{AskRow, PageInput, page};
pub use table::{Align, TextTable, printable, printable_lines};
