//! Items in a row: tokens of a sentence, frames of a recording.
