//! Annotators who may treat groups of items differently.

mod fair_confusion;
mod grouped;

pub use fair_confusion::FairConfusion;
pub use grouped::Grouped;
