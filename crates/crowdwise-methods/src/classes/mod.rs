//! One class for each item, by what a family of methods assumes about annotators and items.

pub(crate) mod by_name;
pub(crate) mod calibration;
pub mod competence;
pub mod confusion;
pub mod difficulty;
pub mod fairness;
pub mod groups;
pub mod messages;
pub mod moments;
pub mod optimisation;
pub mod ordered;
pub mod pooled;
pub mod sanity;
pub mod sources;
pub mod spammers;
pub mod spectral;
mod used_classes;
pub mod voting;

pub use by_name::ByName;
