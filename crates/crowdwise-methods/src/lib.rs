//! Label-integration methods. One method is one struct, one file, one page and one line in [`METHODS`].

pub mod auto;
pub(crate) mod calibration;
pub mod competence;
pub mod confusion;
pub mod difficulty;
#[cfg(test)]
mod golden;
pub mod messages;
pub mod moments;
pub mod optimisation;
pub mod ordered;
pub mod pooled;
pub mod preference;
pub mod real;
pub(crate) mod runs;
pub mod sanity;
pub mod sources;
pub mod spammers;
pub mod spectral;
mod used_classes;
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
    // moments
    entry::<moments::CnmfSpa>(),
    entry::<moments::CnmfOpt>(),
    entry::<moments::CnmfEm>(),
    entry::<moments::SymNmf>(),
    entry::<moments::Ctd>(),
    // spammers
    entry::<spammers::Spem>(),
    // spectral
    entry::<spectral::SpectralSvd>(),
    entry::<spectral::SparseSpectralSvd>(),
    entry::<spectral::KosSvd>(),
    entry::<spectral::SpectralEm>(),
    entry::<spectral::Mmsr>(),
    // sources
    entry::<sources::OneClassSources>(),
    entry::<sources::LfEm>(),
    entry::<sources::CentredTriplets>(),
    entry::<sources::LabelModel>(),
    entry::<sources::Crowdlab>(),
    // ordered
    entry::<ordered::OrdinalVb>(),
    entry::<ordered::Ordinal>(),
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
    entry::<real::GaussianAnnotators>(),
    entry::<real::LevelPropagation>(),
    entry::<real::CrowdRegression>(),
    // preference
    entry::<preference::BradleyTerry>(),
    entry::<preference::CrowdBradleyTerry>(),
    entry::<preference::RankCentrality>(),
];

/// The method called `name` (an id or an alias).
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    crowdwise_core::find(METHODS, name)
}
