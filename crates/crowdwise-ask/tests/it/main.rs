//! Asking, on simulated answers and on the real sets where they are.

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
