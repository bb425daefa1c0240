//! Pairs of items: which is better (beyond the scores of `crowdwise_methods::preference`), and whether both are the same; and
//! rankings, which are many pairs at once.

mod active;
mod choices;
mod cluster;
mod crowd_clusters;
pub mod dpo;
mod plackett_luce;
mod pref_e2e;
mod sim_logistic;
mod similarity_net;
mod sml;
mod soft_scores;

pub use active::{ActivePairs, Asked, Belief};
pub use crowd_clusters::CrowdClusters;
pub use plackett_luce::{PlackettLuce, Ranked};
pub use pref_e2e::PrefE2e;
pub use sim_logistic::{SimLogistic, SimVolmax};
pub use sml::Sml;
