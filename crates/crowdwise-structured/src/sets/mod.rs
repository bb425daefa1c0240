//! Classes as yes-or-no questions. Sets of labels: an item may have several classes, the unit is one class of one item. Grades:
//! one question for each threshold.

mod binary_relevance;
mod ordinal_binary;
mod split;

pub use binary_relevance::BinaryRelevance;
pub use ordinal_binary::OrdinalBinary;
pub use split::{Candidates, ItemSet, gold_rows, sets, units};
