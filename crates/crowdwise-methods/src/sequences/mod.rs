//! Items in a row: tokens of a sentence, frames of a recording.

mod bayes_seq;
pub(crate) mod cells;
mod crf;
mod crf_crowd;
mod ds_hmm;
pub(crate) mod emission;
mod hmm;
mod model;
mod seq_mm;
mod sequence;

pub use bayes_seq::{BayesSeq, Begin, Dependence, Scheme};
pub use crf_crowd::{Aim, CrfCrowd};
pub use ds_hmm::{DsHmm, Start, Transitions};
pub use emission::Emissions;
pub use model::Decode;
pub(crate) use model::{Tokens, answer};
pub use seq_mm::SeqMm;
