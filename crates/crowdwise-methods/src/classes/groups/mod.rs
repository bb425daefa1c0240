//! Annotators who depend on each other: groups that err together, copies, and adversaries who work together.

mod adversary_spectral;
mod affinity;
mod dependence;
mod detect;
mod group_aware_em;
mod group_aware_vote;
mod joint;
mod k_means;
mod responses;
mod robust;
mod simulate;
mod words;

pub use adversary_spectral::{AdversarySpectral, Flagged};
pub use dependence::{Dependence, DependentCrowd, Drawn};
pub use detect::Groups;
pub use group_aware_em::GroupAwareEm;
pub use group_aware_vote::GroupAwareVote;
pub use simulate::GroupCrowd;
