//! Comparisons of two items, which is better, and rankings, which are many comparisons at once.

mod active;
mod bradley_terry;
mod choices;
mod crowd_bt;
pub mod dpo;
mod information;
mod intervals;
mod likelihood;
mod mixture;
mod newton;
mod outcome;
mod pairs;
mod places;
mod plackett_luce;
mod pref_e2e;
mod prior;
mod rank_centrality;
mod rounds;
mod sml;
mod soft_scores;
mod told;

pub use active::{ActivePairs, Asked, Belief};
pub use bradley_terry::{BradleyTerry, Solver, TieModel, centred};
pub use crowd_bt::CrowdBradleyTerry;
pub use mixture::{Mixture, Position};
pub(crate) use outcome::{Outcomes, Ties};
pub use pairs::{BOTH_ORDERS, Comparisons, Pair, infinite_scores, no_position, with_itself};
pub use places::separated;
pub use plackett_luce::{PlackettLuce, Ranked};
pub use pref_e2e::PrefE2e;
pub use rank_centrality::{RankCentrality, members};
pub use sml::Sml;
pub use told::Told;
