//! Asking, on simulated answers and on the real sets where they are.
#![allow(clippy::print_stdout, clippy::print_stderr)] // what was measured, and what was left out, is said

mod features;
mod leases;
mod model;
mod numbers;
mod pairs;
mod refit;
mod replays;
mod rules;
#[path = "../../../crowdwise-core/tests/support/sets.rs"]
mod sets;
mod support;
