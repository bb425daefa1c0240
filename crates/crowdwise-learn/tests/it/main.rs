//! Integration tests of the learners, in one binary.
#![allow(clippy::print_stderr, clippy::print_stdout)] // what was measured, and what was left out, is said

mod acceptance;
mod common;
mod contract;
mod copies;
mod expert;
mod process;
mod real;
mod similarities;
