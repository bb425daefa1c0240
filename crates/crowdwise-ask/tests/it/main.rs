//! Asking, on simulated answers and on the real sets where they are.

mod leases;
mod model;
mod replays;
mod rules;
mod support;
