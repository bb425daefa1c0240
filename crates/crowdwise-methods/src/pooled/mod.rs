//! Annotators that share something: a pooled confusion matrix, communities, sub-types of items.

mod pooled_dawid_skene;

pub use pooled_dawid_skene::{PooledDawidSkene, PooledPrior, Structure};
