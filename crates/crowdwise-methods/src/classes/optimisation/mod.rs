//! Methods that are stated as an optimisation: losses and weights, margins, conditional entropy.

mod alternate;
mod catd;
mod crh;
mod crowd_svm;
mod margin;
mod max_margin_majority_vote;
mod minimax_entropy;

pub use catd::Catd;
pub use crh::{Crh, CrhLoss, Distance};
pub use crowd_svm::CrowdSvm;
pub use max_margin_majority_vote::MaxMarginMajorityVote;
pub(crate) use minimax_entropy::fit_integrated;
pub use minimax_entropy::{MinimaxEntropy, MinimaxSearch, MinimaxVariant, items_differ};
