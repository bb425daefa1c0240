//! Annotators that share something: a pooled confusion matrix, communities, a population, sub-types of items.

mod bwa;
mod common;
mod community_bcc;
mod enhanced_bcc;
mod hierarchical_dawid_skene;
mod pooled_dawid_skene;

pub use bwa::Bwa;
pub(crate) use common::Shared;
pub use community_bcc::CommunityBcc;
pub use enhanced_bcc::EnhancedBcc;
pub use hierarchical_dawid_skene::HierarchicalDawidSkene;
pub(crate) use pooled_dawid_skene::vote_shares;
pub use pooled_dawid_skene::{PooledDawidSkene, PooledPrior, Structure};

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Numbers that belong to annotators and are written while several threads work, each annotator by one of them.
pub(crate) struct Cells(Vec<AtomicU64>);

impl Cells {
    pub(crate) fn new(values: impl Iterator<Item = f64>) -> Cells {
        Cells(values.map(|x| AtomicU64::new(x.to_bits())).collect())
    }

    pub(crate) fn get(&self, at: usize) -> f64 {
        f64::from_bits(self.0[at].load(Relaxed))
    }

    pub(crate) fn set(&self, at: usize, value: f64) {
        self.0[at].store(value.to_bits(), Relaxed);
    }
}
