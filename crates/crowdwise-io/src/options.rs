//! What a caller may say about a file, and what comes back beside its content.

use crate::Format;
use crowdwise_core::{LabelKind, Order};

/// How to read a file. The default recognises everything by itself.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Instead of the file's extension or its first bytes.
    pub format: Option<Format>,
    /// Instead of what the columns say.
    pub kind: Option<LabelKind>,
    /// Name of the column of items.
    pub item: Option<String>,
    /// Name of the column of annotators.
    pub annotator: Option<String>,
    /// Name of the column of labels (of winners, in a table of comparisons).
    pub label: Option<String>,
    /// Names of the columns of a file without a header.
    pub columns: Option<Vec<String>>,
    /// One row an item, one column an annotator.
    pub wide: bool,
    /// Whether the classes have an order that means something.
    pub order: Order,
    /// Leave bad rows out (counted in the notes) instead of failing.
    pub skip_bad_rows: bool,
    /// Use the rows of a Mechanical Turk batch whose assignment was rejected, too.
    pub keep_rejected: bool,
    /// Threads to parse with; 0 = as many as the machine has.
    pub threads: usize,
}

impl ReadOptions {
    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            n => n,
        }
    }
}

/// What was read, and what there is to say about it: columns chosen, rows skipped. Front ends say each note once.
#[derive(Clone, Debug)]
pub struct Read<T> {
    pub value: T,
    pub notes: Vec<String>,
}
