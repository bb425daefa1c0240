//! Message passing and variational inference: beliefs about items and annotators that inform each other.

mod belief_propagation;
mod coin_factor;
mod coin_network;
mod graph;
mod kos;
mod kos_pass;
mod matrix_factor;
mod matrix_network;
mod mean_field;
mod polynomial;
mod prior;
mod quadrature;
mod sweep;

pub use belief_propagation::{BeliefPropagation, Form};
pub use kos::{Kos, KosClasses, KosStart};
pub use mean_field::{MeanField, MeanFieldInit};
pub use prior::{AnnotatorModel, Atom, ByClass};

use crowdwise_core::Annotators;

/// One-coin annotators from tables that hold the accuracy everywhere on the diagonal.
fn accuracies(tables: &[f64], k: usize) -> Annotators {
    Annotators::Accuracy { k, accuracy: tables.chunks_exact((k * k).max(1)).map(|t| t[0]).collect() }
}
