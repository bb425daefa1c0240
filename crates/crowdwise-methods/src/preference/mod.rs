//! Comparisons of two items: which is better.

mod bradley_terry;
mod crowd_bt;
mod information;
mod intervals;
mod likelihood;
mod mixture;
mod newton;
mod outcome;
mod pairs;
mod places;
mod prior;
mod rank_centrality;
mod rounds;
mod told;

pub use bradley_terry::{BradleyTerry, Solver, TieModel, centred};
pub use crowd_bt::CrowdBradleyTerry;
pub use mixture::{Mixture, Position};
pub(crate) use outcome::{Outcomes, Ties};
pub use pairs::{BOTH_ORDERS, Comparisons, Pair, infinite_scores, no_position, with_itself};
pub use places::separated;
pub use rank_centrality::{RankCentrality, members};
pub use told::Told;
