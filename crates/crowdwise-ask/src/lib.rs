//! What to ask next, and whom: questions about answers that are not there yet.
//!
//! Everything here is a function of the answers so far, of what is known beside them (prices, capacities, questions that are
//! out), and of a seed. It stands above the methods, whose models it asks, and below every front end: see
//! `docs/adr/0015-asking-stands-above-the-methods.md`.

pub mod answers;
pub mod bandit;
pub mod collection;
pub mod gold;
pub mod model;
mod named;
pub mod next;
pub mod plan;
pub mod replay;
pub mod score;
pub mod state;
pub mod strategy;
