//! Labelling functions and classifiers as annotators: sources that decide whether to vote, where silence says something.

mod centred_triplets;
mod copies;
mod crowdlab;
mod label_model;
mod lf_em;
mod one_class;
mod one_class_sources;
mod votes;

pub use centred_triplets::CentredTriplets;
pub use crowdlab::Crowdlab;
pub use label_model::LabelModel;
pub use lf_em::LfEm;
pub use one_class::{OneClass, one_class_sources};
pub use one_class_sources::OneClassSources;
