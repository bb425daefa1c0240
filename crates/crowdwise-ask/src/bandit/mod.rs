//! Whom to ask, where every annotator is an arm: labels right on gold items (or probably right) are the rewards.
//!
//! A bandit learns whom to ask and nothing else. Where answers to the same items can be weighed against each other, asking by
//! information gain is better; a bandit is for labels that count alone, and for annotators whose prices differ.

mod policy;
mod recorded;
mod regret;

pub use policy::{Arm, Bandit, Policy};
pub use recorded::{Recorded, Rewards};
pub use regret::{Bernoulli, Pulls, Regret, World, play};
