//! Answers that mean no answer, and class probabilities of a classifier.

use crate::common;

use common::{VOTES, folder, run_in};
use serde_json::json;

const FUNCTIONS: &[u8] = b"item,source,label\nx,a,-1\nx,b,spam\ny,a,ham\ny,b,-1\nz,a,-1\nz,b,-1\n";

#[test]
fn a_label_that_means_no_answer_leaves_its_items() {
    let dir = folder(&[("votes.csv", FUNCTIONS)]);
    let args = ["fit", "votes.csv", "--annotator", "source", "-m", "majority-vote", "--format", "json"];
    let all = run_in(dir.path(), &args).ok().json();
    assert_eq!(all["data"], json!({"items": 3, "annotators": 2, "classes": 3, "labels": 6}));
    let run = run_in(dir.path(), &[&args[..], &["--abstain", "-1"]].concat()).ok();
    assert!(run.stderr.contains("4 labels `-1` treated as missing"), "{}", run.stderr);
    let fit = run.json();
    assert_eq!(fit["data"], json!({"items": 3, "annotators": 2, "classes": 2, "labels": 2}));
    assert_eq!(fit["class_names"], json!(["ham", "spam"]));
    let label = |i: usize| fit["labels"][i]["label"].as_str().unwrap();
    assert_eq!((label(0), label(1)), ("spam", "ham"));
    let run = run_in(dir.path(), &["fit", "votes.csv", "--annotator", "source", "--abstain", "none"]);
    assert!(
        run.code == 2 && run.stderr.contains("--abstain names `none`, but no answer has that label"),
        "{}",
        run.block()
    );
}

#[test]
fn probabilities_of_a_classifier_are_used() {
    let dir = folder(&[
        ("votes.csv", VOTES),
        // another order of items and classes, one item without answers
        ("p.csv", b"item,dog,cat\nz,0.9,0.1\nw,0.5,0.5\ny,0.8,0.2\nx,0.1,0.9\n"),
        ("bare.csv", b"0.9,0.1\n0.2,0.8\n0.1,0.9\n"),
        ("scores.csv", b"item,dog,cat\nx,3,-1\ny,0.5,0.5\nz,1,0\n"),
        ("short.csv", b"item,dog,cat\nx,0.5,0.5\n"),
        ("more.csv", b"item,dog,cat,cow\nx,0.1,0.8,0.1\ny,0.8,0.1,0.1\nz,0.3,0.3,0.4\n"),
    ]);
    let fit = |file: &str| {
        run_in(dir.path(), &["fit", "votes.csv", "-m", "crowdlab", "--probabilities", file, "--format", "json"])
    };
    let named = fit("p.csv").ok();
    assert!(named.stderr.contains("probabilities of 1 item without answers left out"), "{}", named.stderr);
    let q = named.json()["labels"][2]["posterior"].clone();
    // the default uses them too, and says so
    let by_default =
        run_in(dir.path(), &["fit", "votes.csv", "--probabilities", "p.csv", "--format", "json"]).ok().json();
    for (a, b) in by_default["labels"].as_array().unwrap().iter().zip(named.json()["labels"].as_array().unwrap()) {
        let p = |x: &serde_json::Value| x["probability"].as_f64().unwrap();
        assert!(a["label"] == b["label"] && (p(a) - p(b)).abs() < 1e-12, "{a} {b}");
    }
    assert_eq!(by_default["details"]["used"][0], "crowdlab");
    // z has one label, cat, and a classifier that says dog: neither is sure
    assert!(q[0].as_f64().unwrap() < 0.9 && q[0].as_f64().unwrap() > 0.1, "{q}");
    let bare = fit("bare.csv").ok();
    assert!(bare.stderr.contains("columns taken in the order `cat`, `dog`"), "{}", bare.stderr);
    assert_eq!(bare.json()["labels"][0]["label"], "cat");
    let more = fit("more.csv").ok();
    assert_eq!(more.json()["class_names"], json!(["cat", "dog", "cow"]));
    let refused = |file: &str, what: &str| {
        let run = fit(file);
        assert!(run.code == 2 && run.stderr.contains(what), "{file}: {}", run.block());
    };
    refused("scores.csv", "1 of 3 rows are not probabilities");
    refused("short.csv", "no probabilities for 2 of 3 items");
    refused("nowhere.csv", "nowhere.csv");
    let none = run_in(dir.path(), &["fit", "votes.csv", "-m", "crowdlab"]);
    assert!(none.code == 2 && none.stderr.contains("no class probabilities are given"), "{}", none.block());
    assert!(none.stderr.contains("--probabilities FILE"), "{}", none.block());
    // a comparison of all methods goes on without it
    let all = run_in(
        dir.path(),
        &["compare", "votes.csv", "-m", "majority-vote,crowdlab", "--folds", "0", "--format", "json"],
    );
    let methods = all.ok().json()["methods"].clone();
    assert!(
        methods[0]["error"].is_null() && methods[1]["error"].as_str().unwrap().contains("probabilities"),
        "{methods}"
    );
}
