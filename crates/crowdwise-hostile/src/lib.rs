//! Every reader as a function of bytes that must come back: an error or a result, never a panic, an endless loop or more
//! memory than the input is worth.
//!
//! The targets in `fuzz/` call these functions, and `tests/replay.rs` calls them with every file of `fuzz/corpus/`, so that
//! what was found once is tried for ever.

mod answers;
mod beside;
mod kept;

/// A function of bytes and what it is called: the name of its corpus, too.
pub type Target = (&'static str, fn(&[u8]));

/// All targets. Arrow files are read where the feature is on, and refused in words where it is not.
pub static TARGETS: &[Target] = &[
    // answers
    ("csv", answers::csv),
    ("wide", answers::wide),
    ("mturk", answers::mturk),
    ("jsonl", answers::jsonl),
    ("prodigy", answers::prodigy),
    ("label_studio", answers::label_studio),
    ("parquet", answers::parquet),
    ("arrow", answers::arrow),
    ("conll", answers::conll),
    ("spans", answers::spans),
    ("rankings", answers::rankings),
    ("packed", answers::packed),
    // what stands beside answers
    ("truth", beside::truth),
    ("groups", beside::groups),
    ("asking", beside::asking),
    ("graph", beside::graph),
    ("features", beside::features),
    ("npy", beside::npy),
    ("npz", beside::npz),
    ("images", beside::images),
    ("probabilities", beside::probabilities),
    // what the program wrote itself, or somebody who says so
    ("model", kept::model),
    ("fit", kept::fit),
];

/// Runs the target called `name`.
///
/// # Panics
/// If there is none, or if the target panics: that is what it is for.
pub fn run(name: &str, bytes: &[u8]) {
    let (_, target) = TARGETS.iter().find(|t| t.0 == name).unwrap_or_else(|| panic!("there is no target `{name}`"));
    target(bytes);
}
