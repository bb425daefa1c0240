//! Readers and writers of Crowdwise: CSV and TSV (also compressed), JSON lines, Parquet, NumPy features and the exports
//! of annotation tools.
//!
//! Every reader cuts its input in blocks, turns each block into rows of codes on its own thread, and merges the blocks
//! in order, so that the table is the same for any number of threads. Nothing is dropped silently: what was chosen,
//! counted or skipped comes back as [`Read::notes`].

mod answers;
#[cfg(feature = "arrow")]
mod arrow;
mod beside;
mod blocks;
mod collect;
mod columns;
mod confusions;
mod conll;
mod delimited;
mod features;
mod graph;
mod groups;
mod hints;
mod images;
mod items;
mod json;
mod label_studio;
mod layout;
mod limited;
mod merge;
mod npy;
mod npz;
mod options;
mod parquet_read;
mod parquet_write;
mod pending;
mod pipeline;
mod positioned;
mod prices;
mod probabilities;
mod prodigy;
pub mod rankings;
mod read;
mod roles;
mod row_truth;
mod sequences;
mod sniff;
mod source;
mod spans;
mod tagged;
mod truth;
mod words;
mod write;

pub use answers::write_answers;
pub use columns::{Form, form};
pub use confusions::{Confusions, read_confusions};
pub use conll::{read_conll, read_conll_files, write_conll, write_conll_answer, write_merged_spans};
pub use features::{read_feature_rows, read_features};
pub use graph::{Links, read_graph};
pub use groups::{read_attribute, read_groups};
pub use items::read_items;
pub use npz::read_npz;
pub use options::{Read, ReadOptions};
pub use prices::read_prices;
pub use probabilities::read_probabilities;
pub use read::read_answers;
pub use roles::{Role, recognise};
pub use row_truth::read_row_truth;
pub use sequences::Tokens;
pub use source::{Format, Source};
pub use spans::{read_spans, write_spans};
pub use tagged::Tagged;
pub use truth::{SetTruth, read_gold, read_set_truth, read_truth};
pub use words::{same_or_not, winner};
pub use write::{Cell, TableFormat, spreadsheet_safe, write_rows};

/// What fuzz targets call that is no part of the interface.
#[doc(hidden)]
pub mod fuzzing {
    /// Rows, columns and values of a `.npy` file.
    pub fn npy(bytes: &[u8]) -> Result<(usize, usize, Vec<f32>), String> {
        crate::npy::parse(bytes).map(|m| (m.rows, m.columns, m.values)).map_err(|e| e.of("the array").to_string())
    }
}

#[cfg(test)]
mod thread_tests;
