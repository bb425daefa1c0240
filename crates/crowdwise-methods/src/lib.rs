//! Methods that need no features, found by the kind of answer: [`classes`], [`numbers`], [`comparisons`] (and rankings),
//! [`sequences`], [`graphs`], [`similarities`], [`sets`]. [`auto`] chooses among them. One method is one struct, one file, one page and
//! one line in [`METHODS`].

pub mod auto;
pub mod classes;
pub mod comparisons;
#[cfg(test)]
mod golden;
pub mod graphs;
mod inside;
pub mod numbers;
pub(crate) mod runs;
pub mod sequences;
pub mod sets;
pub mod similarities;

use crowdwise_core::{Entry, Error, entry};

/// Every method of this crate, in the order in which people should meet them.
pub static METHODS: &[Entry] = &[
    // choosing
    entry::<auto::Auto>(),
    // voting
    entry::<classes::voting::MajorityVote>(),
    entry::<classes::voting::WeightedMajorityVote>(),
    entry::<classes::voting::ZeroBasedSkill>(),
    // confusion
    entry::<classes::confusion::DawidSkene>(),
    entry::<classes::confusion::OneCoin>(),
    entry::<classes::confusion::ConfusionVector>(),
    entry::<classes::confusion::SpammerHammer>(),
    entry::<classes::confusion::BayesDawidSkene>(),
    entry::<classes::confusion::Ibcc>(),
    entry::<classes::confusion::KnownConfusions>(),
    // pooled
    entry::<classes::pooled::PooledDawidSkene>(),
    entry::<classes::pooled::CommunityBcc>(),
    entry::<classes::pooled::HierarchicalDawidSkene>(),
    entry::<classes::pooled::EnhancedBcc>(),
    entry::<classes::pooled::Bwa>(),
    // messages
    entry::<classes::messages::MeanField>(),
    entry::<classes::messages::BeliefPropagation>(),
    entry::<classes::messages::Kos>(),
    // moments
    entry::<classes::moments::CnmfSpa>(),
    entry::<classes::moments::CnmfOpt>(),
    entry::<classes::moments::CnmfEm>(),
    entry::<classes::moments::SymNmf>(),
    entry::<classes::moments::Ctd>(),
    // spammers
    entry::<classes::spammers::Spem>(),
    // spectral
    entry::<classes::spectral::SpectralSvd>(),
    entry::<classes::spectral::SparseSpectralSvd>(),
    entry::<classes::spectral::KosSvd>(),
    entry::<classes::spectral::SpectralEm>(),
    entry::<classes::spectral::Mmsr>(),
    // sources
    entry::<classes::sources::OneClassSources>(),
    entry::<classes::sources::LfEm>(),
    entry::<classes::sources::CentredTriplets>(),
    entry::<classes::sources::LabelModel>(),
    entry::<classes::sources::Crowdlab>(),
    // ordered
    entry::<classes::ordered::OrdinalVb>(),
    entry::<classes::ordered::Ordinal>(),
    // competence and difficulty
    entry::<classes::competence::Mace>(),
    entry::<classes::difficulty::Glad>(),
    // optimisation
    entry::<classes::optimisation::MinimaxEntropy>(),
    entry::<classes::optimisation::MaxMarginMajorityVote>(),
    entry::<classes::optimisation::CrowdSvm>(),
    entry::<classes::optimisation::Crh>(),
    entry::<classes::optimisation::Catd>(),
    // numbers
    entry::<numbers::Mean>(),
    entry::<numbers::Median>(),
    entry::<numbers::TrimmedMean>(),
    entry::<numbers::GaussianAnnotators>(),
    entry::<numbers::LevelPropagation>(),
    entry::<numbers::CrowdRegression>(),
    // comparisons
    entry::<comparisons::BradleyTerry>(),
    entry::<comparisons::CrowdBradleyTerry>(),
    entry::<comparisons::RankCentrality>(),
    // sequences
    entry::<sequences::BayesSeq>(),
    entry::<sequences::DsHmm>(),
    entry::<sequences::SeqMm>(),
    entry::<sequences::CrfCrowd>(),
    // graphs
    entry::<graphs::DsMrf>(),
    // groups of annotators
    entry::<classes::groups::GroupAwareVote>(),
    entry::<classes::groups::GroupAwareEm>(),
    entry::<classes::groups::AdversarySpectral>(),
    // groups of items
    entry::<classes::fairness::FairConfusion>(),
    // rankings and more comparisons
    entry::<comparisons::PlackettLuce>(),
    entry::<comparisons::PrefE2e>(),
    entry::<comparisons::Sml>(),
    // similarities
    entry::<similarities::CrowdClusters>(),
    // sets
    entry::<sets::BinaryRelevance>(),
    entry::<classes::ordered::OrdinalBinary>(),
];

/// The method called `name` (an id or an alias).
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    crowdwise_core::find(METHODS, name)
}
