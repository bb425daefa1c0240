//! Annotators whose expertise depends on the item.

mod dlc;
mod gates;
mod heads;
mod instance_confusion;
mod kept;
mod low_rank;
mod mixed;
mod mnn;
mod turns;
pub(crate) mod words;

pub use dlc::{Dlc, Rank};
pub use instance_confusion::{Dependence, InstanceConfusion};
pub use kept::KeptDlc;
pub use mnn::Mnn;
