//! Methods for units or annotators that depend on each other: tokens of a sequence, nodes of a graph, pairs of items,
//! annotators who copy or collude, and sets of labels. One method is one struct, one file, one page and one line in
//! [`METHODS`].

pub mod auto;
pub mod chains;
pub mod graphs;
pub mod groups;
mod inside;
pub mod pairs;
pub mod sets;

use crowdwise_core::{Entry, Error, entry};

/// Every method of this crate, in the order in which people should meet them.
pub static METHODS: &[Entry] = &[
    // chains
    entry::<chains::BayesSeq>(),
    entry::<chains::DsHmm>(),
    entry::<chains::SeqMm>(),
    entry::<chains::CrfCrowd>(),
    // graphs
    entry::<graphs::DsMrf>(),
    // groups
    entry::<groups::GroupAwareVote>(),
    entry::<groups::GroupAwareEm>(),
    entry::<groups::AdversarySpectral>(),
    // pairs
    entry::<pairs::PlackettLuce>(),
    entry::<pairs::PrefE2e>(),
    entry::<pairs::Sml>(),
    entry::<pairs::CrowdClusters>(),
    entry::<pairs::SimLogistic>(),
    entry::<pairs::SimVolmax>(),
    // sets
    entry::<sets::BinaryRelevance>(),
    entry::<sets::OrdinalBinary>(),
];

/// The default method. It stands in for the one of the same name in [`crowdwise_methods`], to which it hands over what does not
/// depend on each other.
pub static AUTO: Entry = entry::<auto::Auto>();

/// The method called `name` (an id or an alias).
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    crowdwise_core::find(METHODS, name)
}
