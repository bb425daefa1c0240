//! What stands beside answers: truth, groups, graphs, features, probabilities.

use crowdwise_core::{LabelKind, Preference, Table, TableBuilder};
use crowdwise_io::{ReadOptions, Source};
use std::path::{Path, PathBuf};

/// Small tables of every kind, with the item and annotator names that the corpus uses.
fn tables() -> Vec<Table> {
    let kinds = [LabelKind::Categorical, LabelKind::Real, LabelKind::Preference, LabelKind::Similarity];
    let table = |kind| {
        let mut b = TableBuilder::new(kind);
        for (n, (i, j)) in [("x", "ann"), ("y", "bob"), ("x", "bob"), ("1", "ann")].into_iter().enumerate() {
            match kind {
                LabelKind::Categorical => b.label(i, j, ["a", "b"][n % 2]).expect("few classes"),
                LabelKind::Real => b.value(i, j, n as f64),
                LabelKind::Preference => b.preference(i, "z", j, Preference::Left),
                LabelKind::Similarity => b.similarity(i, "z", j, n % 2 == 0),
            }
        }
        b.finish().expect("a table")
    };
    kinds.into_iter().map(table).collect()
}

fn memory(name: &str, bytes: &[u8]) -> Source {
    Source::Memory { name: name.into(), bytes: bytes.into() }
}

/// Known truth, of items, pairs, sets and rows, in all formats that are told apart by their first bytes.
pub fn truth(bytes: &[u8]) {
    let options = ReadOptions { threads: 1, ..Default::default() };
    for name in ["truth.csv", "truth.jsonl"] {
        let source = memory(name, bytes);
        for table in tables() {
            let _ = crowdwise_io::read_truth(&source, &table, &options);
            let _ = crowdwise_io::read_gold(&source, &table, &options);
            let _ = crowdwise_io::read_set_truth(&source, &table, &options, "truth");
        }
        let _ = crowdwise_io::read_row_truth(&source, 4, None);
        let _ = crowdwise_io::read_row_truth(&source, 4, Some(&["x", "y", "1", "z"].map(String::from)));
        let _ = crowdwise_io::read_items(&source);
    }
}

pub fn asking(bytes: &[u8]) {
    let _ = crowdwise_io::read_annotator_limits(&memory("annotators.csv", bytes));
    let _ = crowdwise_io::read_item_limits(&memory("items.csv", bytes));
    let _ = crowdwise_io::read_pending_questions(&memory("pending.csv", bytes));
    let _ = std::str::from_utf8(bytes).ok().and_then(crowdwise_io::parse_time);
}

pub fn groups(bytes: &[u8]) {
    for table in tables() {
        let source = memory("groups.csv", bytes);
        let _ = crowdwise_io::read_groups(&source, &table);
        let _ = crowdwise_io::read_prices(&source, &table);
        let _ = crowdwise_io::read_confusions(&source, &table);
        let _ = crowdwise_io::read_attribute(&source, &table, None, None);
        let _ = crowdwise_io::read_attribute(&source, &table, Some("id"), Some("dialect"));
    }
}

pub fn graph(bytes: &[u8]) {
    let table = &tables()[0];
    for name in ["edges.csv", "edges.tsv"] {
        let _ = crowdwise_io::read_graph(&memory(name, bytes), table);
    }
}

/// A place for a file of this process and thread; it is written again for every input.
fn with_file(name: &str, bytes: &[u8], work: impl FnOnce(&Path)) {
    let own = format!("crowdwise-hostile-{}-{:?}", std::process::id(), std::thread::current().id());
    let folder: PathBuf = std::env::temp_dir().join(own.replace(['(', ')'], ""));
    let path = folder.join(name);
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, bytes));
    written.expect("the folder for temporary files can be written");
    work(&path);
    let _ = std::fs::remove_file(&path);
    let _ = std::fs::remove_dir(&folder);
}

/// Rows of numbers as text.
pub fn features(bytes: &[u8]) {
    for name in ["x.csv", "x.tsv"] {
        with_file(name, bytes, |path| {
            if let Ok((f, names)) = crowdwise_io::read_feature_rows(path) {
                assert_eq!(f.values.len(), f.rows() * f.dim);
                assert!(names.is_none_or(|n| n.len() == f.rows()));
            }
            let _ = crowdwise_io::read_features(path, None, &tables()[0]);
        });
    }
}

/// NumPy files: an error, or as many numbers as the shape says.
pub fn npy(bytes: &[u8]) {
    for head in [&b""[..], b"\x93NUMPY\x01\x00"] {
        if let Ok((rows, columns, values)) = crowdwise_io::fuzzing::npy(&[head, bytes].concat()) {
            assert_eq!(values.len(), rows * columns);
        }
    }
}

pub fn npz(bytes: &[u8]) {
    with_file("x.npz", bytes, |path| {
        if let Ok(f) = crowdwise_io::read_npz(path, "x") {
            assert_eq!(f.values.len(), f.rows() * f.dim);
        }
    });
}

/// A folder with one picture, PNG or JPEG by its first bytes.
pub fn images(bytes: &[u8]) {
    with_file("x.png", bytes, |path| {
        if let Ok((f, names)) = crowdwise_io::read_feature_rows(path.parent().expect("a folder")) {
            assert_eq!(f.values.len(), f.dim);
            assert_eq!(names.map_or(0, |n| n.len()), 1);
        }
    });
}

pub fn probabilities(bytes: &[u8]) {
    with_file("p.csv", bytes, |path| {
        let mut table = tables().swap_remove(0);
        if let Ok(read) = crowdwise_io::read_probabilities(path, None, &mut table) {
            assert_eq!(read.value.rows(), table.n_items());
        }
    });
}
