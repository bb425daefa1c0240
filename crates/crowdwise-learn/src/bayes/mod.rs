//! Bayesian models of annotators with a network in the place of the class shares.

mod bayes_dgc;
mod beliefs;
mod deep_bp;
mod deep_mf;

pub use bayes_dgc::BayesDgc;
pub use beliefs::AnnotatorPrior;
pub use deep_bp::DeepBp;
pub use deep_mf::DeepMf;
