//! Pairs of items: which is better, and whether both are the same; and rankings, which are many pairs at once.

mod active;
mod choices;
mod cluster;
mod crowd_bt;
mod crowd_clusters;
pub mod dpo;
mod information;
mod mixture;
mod outcome;
mod plackett_luce;
mod pref_e2e;
mod rank_centrality;
mod sim_logistic;
mod similarity_net;
mod sml;
mod soft_scores;

pub use active::{ActivePairs, Asked, Belief};
pub use crowd_bt::CrowdBradleyTerry;
pub use crowd_clusters::CrowdClusters;
pub use mixture::Position;
pub use plackett_luce::{PlackettLuce, Ranked};
pub use pref_e2e::PrefE2e;
pub use rank_centrality::RankCentrality;
pub use sim_logistic::{SimLogistic, SimVolmax};
pub use sml::Sml;
