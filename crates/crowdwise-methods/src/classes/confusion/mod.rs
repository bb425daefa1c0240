//! Annotators with a confusion matrix: one pass over the labels, many maximisations.

mod bayes_dawid_skene;
mod confusion_vector;
mod dawid_skene;
pub(crate) mod em;
mod ibcc;
pub(crate) mod kernel;
mod known_confusions;
mod one_coin;
pub(crate) mod settling;
pub(crate) mod shared;
mod spammer_hammer;
mod squarem;
pub(crate) mod start;
pub(crate) mod wide;

pub use bayes_dawid_skene::BayesDawidSkene;
pub use confusion_vector::ConfusionVector;
pub(crate) use dawid_skene::Rows;
pub use dawid_skene::{DawidSkene, Zeros};
pub use em::{Assignment, StopRule};
pub use ibcc::Ibcc;
pub use known_confusions::KnownConfusions;
pub use one_coin::OneCoin;
pub use shared::ClassPrior;
pub use spammer_hammer::SpammerHammer;
pub use start::Init;
