//! Comparisons of two items.

mod bradley_terry;
mod dense;
mod intervals;
mod likelihood;
mod newton;
mod pairs;

pub use bradley_terry::{BradleyTerry, TieModel};
