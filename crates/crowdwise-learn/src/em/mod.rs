//! Networks trained on class probabilities of the items: once and for all (two stages), or improved in turns with the
//! annotators (EM).

mod adv_crowd;
mod aggnet;
mod attack;
mod mbem;
mod raykar;
mod regression;
mod targets;
mod two_stage;

pub use adv_crowd::AdvCrowd;
pub use aggnet::Aggnet;
pub use attack::Attack;
pub(crate) use attack::ranges;
pub use mbem::Mbem;
pub use raykar::Raykar;
pub(crate) use targets::dawid_skene;
pub use two_stage::{Labelling, TwoStage};
