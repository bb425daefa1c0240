//! Label-integration methods. One method is one struct, one file, one page and one line in [`METHODS`].

pub mod auto;
pub mod competence;
pub mod confusion;
pub mod difficulty;
pub(crate) mod fast;
#[cfg(test)]
mod golden;
#[allow(dead_code, unused_imports)] // the families that need it follow
pub(crate) mod linalg;
pub(crate) mod mcmc;
pub mod messages;
pub mod optimisation;
pub(crate) mod optimise;
pub mod pooled;
pub mod preference;
pub mod real;
pub mod voting;

use crowdwise_core::{Entry, Error, entry};

/// Every method of this crate, in the order in which people should meet them.
pub static METHODS: &[Entry] = &[
    // choosing
    entry::<auto::Auto>(),
    // voting
    entry::<voting::MajorityVote>(),
    entry::<voting::WeightedMajorityVote>(),
    entry::<voting::ZeroBasedSkill>(),
    // confusion
    entry::<confusion::DawidSkene>(),
    entry::<confusion::OneCoin>(),
    entry::<confusion::ConfusionVector>(),
    entry::<confusion::SpammerHammer>(),
    entry::<confusion::BayesDawidSkene>(),
    entry::<confusion::Ibcc>(),
    // pooled
    entry::<pooled::PooledDawidSkene>(),
    entry::<pooled::CommunityBcc>(),
    entry::<pooled::HierarchicalDawidSkene>(),
    entry::<pooled::EnhancedBcc>(),
    entry::<pooled::Bwa>(),
    // messages
    entry::<messages::MeanField>(),
    entry::<messages::BeliefPropagation>(),
    entry::<messages::Kos>(),
    // competence and difficulty
    entry::<competence::Mace>(),
    entry::<difficulty::Glad>(),
    // optimisation
    entry::<optimisation::MinimaxEntropy>(),
    entry::<optimisation::MaxMarginMajorityVote>(),
    entry::<optimisation::CrowdSvm>(),
    entry::<optimisation::Crh>(),
    entry::<optimisation::Catd>(),
    // real
    entry::<real::Mean>(),
    entry::<real::Median>(),
    entry::<real::TrimmedMean>(),
    // preference
    entry::<preference::BradleyTerry>(),
];

/// The method called `name` (an id or an alias).
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    crowdwise_core::find(METHODS, name)
}
