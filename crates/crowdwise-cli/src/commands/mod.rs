//! One file per command: its arguments, its examples, what it writes.

pub mod annotators;
pub mod bandit;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod fit;
pub mod inspect;
mod inspect_text;
pub mod items;
pub mod learn;
pub mod man;
pub mod methods;
pub mod next;
pub mod plan;
pub mod predict;
pub mod rank;
pub mod replay;
pub mod report;
pub mod simulate;
mod simulate_rows;
