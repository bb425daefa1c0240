//! Classifier and crowd as two views of the same truth: what they have in common is made large.

mod informed;
mod max_mig;
mod mig;

pub use max_mig::{MaxMig, Prior, Start};
pub use mig::Divergence;
