//! Sequences: golden numbers, recovery, tag schemes, odd and bad input.

mod common;
mod field;
mod golden;
mod ner;
mod recovery;
mod tags;

use crate::common as sets;
