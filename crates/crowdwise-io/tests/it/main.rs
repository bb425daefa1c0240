//! Integration tests of readers and writers, in one binary.
#![allow(clippy::print_stderr)] // what was measured, and what was left out, is said

mod images;
mod misnamed;
mod rankings;
mod round_trip;
mod shared_sets;
mod spoiled;
mod tagged;
mod tools;
mod unlabelled;
