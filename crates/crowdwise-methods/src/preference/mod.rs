//! Comparisons of two items.

mod bradley_terry;
mod dense;
mod intervals;
mod likelihood;
mod newton;
mod pairs;
mod places;

pub use bradley_terry::{BradleyTerry, TieModel, centred};
pub use dense::{Cholesky, dot};
pub use pairs::{BOTH_ORDERS, Comparisons, Pair, infinite_scores, no_position, with_itself};
pub use places::{DRAWS, SAMPLED_ITEMS, sampled, separated};
