//! Tests of what is asked next, over simulated crowds and the shared real sets.

mod numbers;
mod pairs;
mod refit;
#[path = "../../../crowdwise-core/tests/support/sets.rs"]
mod sets;
