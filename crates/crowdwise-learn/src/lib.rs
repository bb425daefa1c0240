//! Classifiers learned end to end from features and noisy crowd labels. One method is one struct, one file, one page and
//! one line in [`METHODS`].
//!
//! The losses know no framework: a [`Classifier`] maps features to scores and takes a gradient on them, an [`Objective`]
//! turns scores and labels into that gradient and keeps the annotators' side. The training loop ([`train`]) knows both
//! by these traits only. A fitted method leaves a [`Model`] in the context (`cx.take_kept::<Model>()`), which classifies
//! new items and can be written to a file.

pub mod bayes;
mod classifier;
pub mod confusion;
pub mod em;
pub mod expert;
pub mod information;
mod labels;
pub mod layer;
mod learn;
mod matrix;
mod model;
pub mod network;
mod objective;
mod params;
pub mod process;
mod readout;
mod rows;
mod scale;
mod train;

pub use classifier::{Brought, Classifier, Mode, Weights, scores};
pub use labels::Labels;
pub use matrix::Matrix;
pub use model::{McDropout, Model};
pub use objective::{Batch, Objective, Outputs, Probabilities};
pub use params::{Choose, NetworkKind, NetworkParams, Training};
pub use readout::Readout;
pub use scale::Scaler;
pub use train::{Epoch, History, Task, train};

use crowdwise_core::{Capabilities, Entry, Error, entry};

/// What most learners can do: matrices of all annotators, known classes, random starts.
pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    confusion: true,
    monotone: false,
    stochastic: true,
    gold: true,
    warm_start: false,
    likelihood: false,
};

/// Every method of this crate, in the order in which people should meet them.
pub static METHODS: &[Entry] = &[
    // labels first, or in turns with the network
    entry::<em::TwoStage>(),
    entry::<em::Raykar>(),
    entry::<process::GpCrowd>(),
    entry::<em::Aggnet>(),
    entry::<em::AdvCrowd>(),
    entry::<em::Mbem>(),
    // Bayesian
    entry::<bayes::BayesDgc>(),
    entry::<bayes::DeepMf>(),
    entry::<bayes::DeepBp>(),
    // crowd layers
    entry::<layer::CrowdLayer>(),
    entry::<layer::TraceReg>(),
    entry::<layer::GeoCrowdNet>(),
    entry::<layer::DoctorNet>(),
    entry::<layer::Conal>(),
    // expertise that depends on the item
    entry::<expert::Dlc>(),
    entry::<expert::InstanceConfusion>(),
    entry::<expert::Mnn>(),
    // information
    entry::<information::MaxMig>(),
];

/// The method called `name` (an id or an alias).
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    crowdwise_core::find(METHODS, name)
}
