//! Annotators who may treat groups of items differently.

mod fair_confusion;
mod grouped;
mod simulate;
#[cfg(test)]
mod tests;

pub use fair_confusion::FairConfusion;
pub use grouped::Grouped;
pub use simulate::{Drawn, UnfairCrowd};
