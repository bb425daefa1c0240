//! Pairs of items: rankings by annotators of different reliability, rankings of several, clusters.

mod clusters;
mod common;
mod features;
mod held_out;
mod preference;
mod ranking;
mod reward;
