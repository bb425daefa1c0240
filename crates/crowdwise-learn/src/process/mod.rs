//! A Gaussian process in the place of a network, for small data.

mod ep;
mod gp_crowd;
pub(crate) mod predict;

pub use gp_crowd::GpCrowd;
