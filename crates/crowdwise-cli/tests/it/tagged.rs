//! Tagged sequences and graphs from files to results.

use crate::common;

use common::{folder, run_in};
use std::path::Path;

fn examples() -> tempfile::TempDir {
    let dir = folder(&[]);
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for file in ["tags.conll", "tags-truth.conll", "demo.csv", "demo-truth.csv", "demo-graph.csv", "sequences.csv"] {
        std::fs::copy(from.join(file), dir.path().join(file)).unwrap();
    }
    dir
}

fn read(dir: &Path, file: &str) -> String {
    std::fs::read_to_string(dir.join(file)).unwrap()
}

#[test]
fn spans_are_found_scored_and_written() {
    let dir = examples();
    let args = [
        "fit",
        "tags.conll",
        "-m",
        "bayes-seq",
        "--truth",
        "tags-truth.conll",
        "--spans",
        "found.jsonl",
        "-o",
        "l.csv",
    ];
    let run = run_in(dir.path(), &args).ok();
    assert!(run.stderr.contains("span F1 ") && run.stderr.contains("partial span F1 "), "{}", run.block());
    let spans = read(dir.path(), "found.jsonl");
    let first: serde_json::Value = serde_json::from_str(spans.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["sequence"], &first["start"], &first["end"], &first["type"]),
        (&"s1".into(), &0.into(), &2.into(), &"PER".into())
    );
    assert!(first["probability"].as_f64().unwrap() > 0.5);
    let json = run_in(
        dir.path(),
        &["fit", "tags.conll", "-m", "ds-hmm", "--truth", "tags-truth.conll", "--format", "json", "-q"],
    )
    .ok()
    .json();
    assert!(json["evaluation"]["spans"]["strict"]["f1"].as_f64().unwrap() > 0.5, "{}", json["evaluation"]);
    let run = run_in(dir.path(), &["inspect", "tags.conll"]).ok();
    assert!(run.stdout.contains("span agreement"), "{}", run.block());
    let run = run_in(dir.path(), &["fit", "demo.csv", "-m", "majority-vote", "--spans", "no.jsonl", "-o", "l2.csv"]);
    assert!(run.code == 2 && run.stderr.contains("--spans is for sequences of tags"), "{}", run.block());
}

#[test]
fn conversions_go_round() {
    let dir = examples();
    for (from, to) in
        [("tags.conll", "t.csv"), ("t.csv", "t2.conll"), ("tags.conll", "t3.conll"), ("tags.conll", "t.spans.jsonl")]
    {
        run_in(dir.path(), &["convert", from, "-o", to, "-q"]).ok();
    }
    assert_eq!(read(dir.path(), "t3.conll"), read(dir.path(), "tags.conll"));
    run_in(dir.path(), &["convert", "t2.conll", "-o", "back.csv", "-q"]).ok();
    assert_eq!(read(dir.path(), "back.csv"), read(dir.path(), "t.csv"));
    run_in(dir.path(), &["convert", "t.spans.jsonl", "-o", "t4.conll", "-q"]).ok();
    assert!(read(dir.path(), "t4.conll").contains("Byron\tI-PER"), "{}", read(dir.path(), "t4.conll"));
    let run = run_in(dir.path(), &["convert", "demo.csv", "-o", "demo.conll"]);
    assert!(run.code == 2 && run.stderr.contains("no sequences"), "{}", run.block());
}

#[test]
fn a_graph_of_items_is_used() {
    let dir = examples();
    let args = [
        "fit",
        "demo.csv",
        "-m",
        "ds-mrf",
        "--graph",
        "demo-graph.csv",
        "--truth",
        "demo-truth.csv",
        "--format",
        "json",
        "-q",
    ];
    let json = run_in(dir.path(), &args).ok().json();
    assert!(json["evaluation"]["accuracy"].as_f64().unwrap() > 0.9, "{}", json["evaluation"]);
    let run = run_in(dir.path(), &["fit", "demo.csv", "-m", "ds-mrf", "-o", "l.csv"]);
    assert!(run.code == 2 && run.stderr.contains("no graph and no features"), "{}", run.block());
    let run = run_in(dir.path(), &["fit", "sequences.csv", "-m", "ds-mrf", "--graph", "demo-graph.csv", "-o", "l.csv"]);
    assert!(run.code == 2 && run.stderr.contains("--graph is for items without an order"), "{}", run.block());
}
