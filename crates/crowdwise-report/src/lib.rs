//! Text tables, charts, HTML fragments and one self-contained page from a dataset and its fit.

pub mod chart;
pub mod number;
pub mod table;
#[cfg(test)]
mod wellformed;

pub use table::{Align, TextTable};
