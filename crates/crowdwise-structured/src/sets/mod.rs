//! Sets of labels: an item may have several classes. The unit is one class of one item, and its value is yes or no.

mod binary_relevance;
mod split;

pub use binary_relevance::BinaryRelevance;
pub use split::{Candidates, ItemSet, gold_rows, sets, units};
