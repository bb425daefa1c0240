//! Annotators who know or guess.

mod know_guess;
mod mace;

pub use mace::{Mace, MaceInference};
