//! Classifier and crowd as two views of the same truth: what they have in common is made large.

mod max_mig;
mod mig;

pub use max_mig::{MaxMig, Prior};
pub use mig::Divergence;
