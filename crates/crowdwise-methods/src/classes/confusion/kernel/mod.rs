//! The fused Dawid-Skene pass and what drives it.
//!
//! A model of the confusion kind is a table `P(says l | truth k)` per annotator. One pass over the labels in item order
//! reads the tables, forms each item's posterior and adds it to the expected counts; a [`Model`] turns the counts into
//! the next tables. Everything about threads, memory and order is here; everything about a method is in its `Model`.

mod engine;
mod lanes;
mod maximise;
mod packed;
mod pass;
mod rows;
mod states;

pub(crate) use engine::{Begin, Dense, Engine, Maximised, Model, Sums};
