//! Text tables, charts, HTML fragments and one self-contained page from a dataset and its fit.

pub mod table;

pub use table::{Align, TextTable};
