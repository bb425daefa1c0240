//! The shared real sets, read by path. Also included by the tests of other crates, which lie at the same depth.
#![allow(dead_code, clippy::print_stderr)] // each crate uses its own part; skipping is said loudly

use crowdwise_core::{Dataset, Gold, LabelKind, TableBuilder};
use std::path::PathBuf;

/// The folder of real datasets: `CROWDWISE_DATA`, else `shared/data` beside the project.
pub fn data_dir() -> PathBuf {
    std::env::var_os("CROWDWISE_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from)
}

/// A real categorical set and its truth, or `None`, said loudly, if the folder is not there.
pub fn real_set(name: &str) -> Option<(Dataset, Option<Gold>)> {
    let dir = data_dir().join(name);
    let Ok(text) = std::fs::read_to_string(dir.join("answers.csv")) else {
        eprintln!(
            "SKIPPED: no dataset {name} in {} (set CROWDWISE_DATA to the folder of real datasets)",
            dir.display()
        );
        return None;
    };
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        b.label(f[0], f[1], f[2]).unwrap();
    }
    let table = b.finish().unwrap();
    let gold = std::fs::read_to_string(dir.join("truth.csv")).ok().map(|text| {
        let rows: Vec<(String, String)> =
            text.lines().skip(1).filter_map(|l| l.split_once(',')).map(|(a, b)| (a.into(), b.into())).collect();
        Gold::from_items(&table, &rows, "truth.csv").unwrap()
    });
    Some((Dataset::new(table), gold))
}
