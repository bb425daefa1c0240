//! Sets of labels: an item may have several classes, and the unit is one class of one item, asked as a yes-or-no question.

mod binary_relevance;
mod split;

pub use binary_relevance::BinaryRelevance;
pub use split::{Candidates, ItemSet, gold_rows, sets, units};
