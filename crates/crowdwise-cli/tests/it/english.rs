//! Wording that was replaced once stays out of what users read: help, messages, doc comments and pages.

use std::path::{Path, PathBuf};

/// What not to write, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    ("labels an item", "labels per item"),
    ("labels an annotator", "labels per annotator"),
    ("values an item", "values per item"),
    ("bits a label", "bits per label"),
    ("most iterations", "maximum number of iterations"),
    ("most rounds", "maximum number of rounds"),
    ("numbers in a hidden layer", "units per hidden layer"),
    ("items of a step", "batch size"),
    ("how gradients become steps", "the optimiser"),
    ("is no text", "is not text"),
    ("is no row number", "is not a row number"),
    ("are no classes", "are not classes"),
    ("are no probabilities", "are not probabilities"),
    ("is no json", "is not JSON"),
    ("one argument too many", "unexpected argument"),
    ("may be given only once", "was given more than once"),
    ("does not tell the format", "cannot tell the format from"),
    ("whatever its name says", "despite its name"),
    ("their kin", "and similar"),
    (" his ", " their "),
    (" himself", " themselves"),
];

/// Places where the words mean something else.
const FINE: &[&str] = &[
    // a verb, or a number of labels that somebody has
    "annotator labels an item",
    "more labels an item has",
    "fewer labels an annotator has",
    "fewer labels an annotator gave",
];

fn texts(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            texts(&entry, out);
        } else if entry.extension().is_some_and(|e| e == "rs" || e == "md") {
            out.push(entry);
        }
    }
}

/// Every phrase in `text`, as `line: phrase`.
fn found(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = FINE.iter().fold(line.to_lowercase(), |line, fine| line.replace(fine, ""));
        let bad = PHRASES.iter().filter(|(phrase, _)| line.contains(phrase));
        out.extend(bad.map(|(phrase, better)| format!("{}: `{phrase}`, better `{better}`", n + 1)));
    }
    out
}

#[test]
fn phrases_that_were_replaced_stay_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for package in std::fs::read_dir(root.join("crates")).unwrap().map(|e| e.unwrap().path()) {
        texts(&package.join("src"), &mut files);
    }
    texts(&root.join("docs/methods"), &mut files);
    assert!(files.len() > 500, "only {} files were found", files.len());
    let mut bad = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let name = file.strip_prefix(&root).unwrap().display();
        bad.extend(found(&text).into_iter().map(|what| format!("{name}:{what}")));
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn phrases_are_found_and_verbs_are_not() {
    assert_eq!(found("fine\nfive Labels an item").len(), 1);
    assert!(found("five labels an item")[0].starts_with("1: `labels an item`"));
    assert!(found("An annotator labels an item twice; labels per item").is_empty());
}
