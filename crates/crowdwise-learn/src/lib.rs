//! Classifiers learned end to end from features and noisy crowd labels. One method is one struct, one file, one page and
//! one line in [`METHODS`].
//!
//! The losses know no framework: a [`Classifier`] maps features to scores and takes a gradient on them, an [`Objective`]
//! turns scores and labels into that gradient and keeps the annotators' side. The training loop ([`train`]) knows both
//! by these traits only. A learner ([`Learn`], [`learner`]) returns a [`Model`] beside the fit, which classifies new items and
//! can be written to a file.

pub mod bayes;
mod classifier;
pub mod confusion;
mod default;
pub mod em;
mod entry;
pub mod expert;
pub mod grid;
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
pub mod similarities;
mod train;

pub use classifier::{Classifier, Mode, Weights, scores};
pub use default::{DEFAULT_LEARNER, DefaultLearner, default_learner};
pub use entry::{AnyLearner, Learn, Learned, LearnerEntry, Own};
pub use labels::Labels;
pub use matrix::Matrix;
pub use model::{ExpertiseOf, McDropout, Model};
pub use objective::{Batch, Objective, Outputs, Probabilities};
pub use params::{Choose, NetworkKind, NetworkParams, Training};
pub use readout::Readout;
pub use scale::Scaler;
pub use train::{Epoch, History, Task, train};

use crate::entry::learner as line;
use crowdwise_core::{Capabilities, Entry, Error};

/// What most learners can do: matrices of all annotators, known classes, random starts.
pub(crate) const CAPABILITIES: Capabilities =
    Capabilities { confusion: true, stochastic: true, gold: true, ..Capabilities::NONE };

/// Every method of this crate, in the order in which people should meet them.
pub static LEARNERS: [LearnerEntry; 18] = [
    // labels first, or in turns with the network
    line::<em::TwoStage>(),
    line::<em::Raykar>(),
    line::<process::GpCrowd>(),
    line::<em::Aggnet>(),
    line::<em::AdvCrowd>(),
    line::<em::Mbem>(),
    // Bayesian
    line::<bayes::BayesDgc>(),
    line::<bayes::DeepMf>(),
    line::<bayes::DeepBp>(),
    // crowd layers
    line::<layer::CrowdLayer>(),
    line::<layer::TraceReg>(),
    line::<layer::GeoCrowdNet>(),
    line::<layer::DoctorNet>(),
    line::<layer::Conal>(),
    // expertise that depends on the item
    line::<expert::Dlc>(),
    line::<expert::InstanceConfusion>(),
    line::<expert::Mnn>(),
    // information
    line::<information::MaxMig>(),
];

/// The same as methods among others.
pub static METHODS: &[Entry] = &entry::entries(&LEARNERS);

/// Methods of this crate that learn clusters instead of a classifier.
pub static SIMILARITIES: &[Entry] =
    &[crowdwise_core::entry::<similarities::SimLogistic>(), crowdwise_core::entry::<similarities::SimVolmax>()];

/// What fuzz targets call that is no part of the interface.
#[doc(hidden)]
pub mod fuzzing {
    /// A model whose last eight bytes are replaced by the right checksum.
    pub fn sealed(bytes: &[u8]) -> Vec<u8> {
        let body = &bytes[..bytes.len().saturating_sub(8)];
        [body, &crate::model::saved::checksum(body).to_le_bytes()].concat()
    }
}

/// The method called `name` (an id or an alias).
pub fn find(name: &str) -> Result<&'static Entry, Error> {
    crowdwise_core::find(METHODS, name)
}

/// The learner called `name` (an id or an alias), if there is one.
pub fn learner(name: &str) -> Option<&'static LearnerEntry> {
    LEARNERS.iter().find(|l| l.entry.answers_to(name))
}
