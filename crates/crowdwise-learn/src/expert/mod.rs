//! Annotators whose expertise depends on the item.

mod dlc;
mod gates;
mod low_rank;
mod turns;
pub(crate) mod words;

pub use dlc::{Dlc, Rank};
