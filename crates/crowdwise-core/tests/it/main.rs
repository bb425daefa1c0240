//! Questions and simulation on whole datasets.
mod agreement;
mod annotators;
mod common;
mod compare;
mod evaluate;
mod identifiability;
mod inspect;
mod items;
mod simulate;
mod spans;
