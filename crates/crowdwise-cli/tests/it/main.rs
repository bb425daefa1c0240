//! Integration tests of the command, in one binary.
#![allow(clippy::print_stderr)] // what was measured, and what was left out, is said

mod attacks;
mod attacks_files;
mod commands;
mod common;
mod docs;
mod endings;
mod english;
mod errors;
mod fairness;
mod fit;
mod groups;
mod kinds;
mod kinds_refused;
mod learn;
mod next;
mod plan;
mod rank;
mod refusals;
mod repro;
mod sources;
mod tagged;
mod transfer;
