//! What is known from elsewhere: `transfer`, `fit --prior-fit`, `fit --annotators-from`.

use crate::common;

use common::{Run, folder, run_in};
use std::path::Path;

/// Answers of a task: every annotator is wrong on items in a pattern of their own, `bad` on three of five.
fn answers(items: usize, per_item: usize, shift: usize, names: &[&str]) -> String {
    let mut text = "item,annotator,label\n".to_owned();
    for i in 0..items {
        for x in 0..per_item {
            let j = (i * 3 + x * 2 + i / names.len()) % names.len();
            let wrong = match names[j] {
                "bad" => (i * 2 + shift) % 5 < 3,
                _ => (i * 7 + j * 11 + shift).is_multiple_of(13),
            };
            let z = (i + shift) % 3;
            text += &format!("i{i},{},c{}\n", names[j], if wrong { (z + 1 + i % 2) % 3 } else { z });
        }
    }
    text
}

fn files() -> tempfile::TempDir {
    let here = ["ann", "bob", "cid", "dora", "bad"];
    let there = ["ann", "bob", "cid", "dora", "bad", "eve"];
    let truth: String = "item,label\n".to_owned() + &(0..60).map(|i| format!("i{i},c{}\n", i % 3)).collect::<String>();
    folder(&[
        ("new.csv", answers(60, 2, 0, &here).as_bytes()),
        ("old.csv", answers(300, 5, 1, &there).as_bytes()),
        ("older.csv", answers(200, 4, 2, &there).as_bytes()),
        ("t.csv", truth.as_bytes()),
        ("strange.csv", b"item,annotator,label\nx,p,a\nx,q,b\n"),
    ])
}

fn run(dir: &Path, args: &[&str]) -> Run {
    run_in(dir, args)
}

#[test]
fn annotators_of_other_tasks_are_rated_for_this_one() {
    let dir = files();
    let base = ["transfer", "new.csv", "--source", "old.csv", "--source", "older.csv", "--truth", "t.csv"];
    let json = run(dir.path(), &[&base[..], &["--format", "json"]].concat()).ok().json();
    assert!(json["accuracy"].as_f64().unwrap() >= json["accuracy_alone"].as_f64().unwrap(), "{}", json["accuracy"]);
    let all = json["annotators"].as_array().unwrap();
    let of = |name: &str| all.iter().find(|a| a["annotator"] == name).unwrap();
    // eve has not labelled the target, and is as good as the others elsewhere
    assert_eq!(of("eve")["labels"], 0);
    assert!(of("eve")["accuracy"].as_f64().unwrap() > 0.75 && of("bad")["accuracy"].as_f64().unwrap() < 0.7, "{all:?}");
    assert!(of("eve")["plain_mean"].as_f64().unwrap() > 0.8);
    let csv = run(dir.path(), &[&base[..], &["--show", "labels", "--format", "csv"]].concat()).ok();
    assert!(csv.stdout.starts_with("item,label,probability\n") && csv.stdout.lines().count() == 61);
    assert!(csv.stderr.contains("without the sources: accuracy"), "{}", csv.stderr);
    let out = run(dir.path(), &["transfer", "new.csv", "--source", "strange.csv"]);
    assert!(out.code == 2 && out.stderr.contains("shares no annotator with new.csv"), "{}", out.block());
}

#[test]
fn an_earlier_fit_is_a_prior_or_all_that_is_known() {
    let dir = files();
    run(dir.path(), &["fit", "old.csv", "-m", "dawid-skene", "-o", "fit.json"]).ok();
    let accuracy = |args: &[&str]| {
        let out = run(dir.path(), &[&["fit", "new.csv", "--truth", "t.csv", "--format", "json"], args].concat()).ok();
        (out.json()["evaluation"]["accuracy"].as_f64().unwrap(), out)
    };
    let alone = accuracy(&["-m", "pooled-dawid-skene"]).0;
    let (with, out) = accuracy(&["--prior-fit", "fit.json"]);
    assert!(with >= alone && with > 0.8, "{with} {alone}");
    assert!(out.stderr.contains("pooled-dawid-skene is used for --prior-fit"), "{}", out.stderr);
    assert!(out.stderr.contains("5 of 5 annotators are known from fit.json"), "{}", out.stderr);
    // twelve labels of each class at most, however many were given there
    let prior = &out.json()["params"]["prior"]["ann"]["c0"];
    let sum: f64 = ["c0", "c1", "c2"].iter().map(|c| prior[*c].as_f64().unwrap()).sum();
    assert!((sum - 12.0).abs() < 1e-6, "{prior}");
    let (map, out) = accuracy(&["-m", "known-confusions", "--annotators-from", "fit.json"]);
    assert!(map >= alone && map > 0.8, "{map} {alone}");
    assert_eq!(out.json()["stop"], "direct");
    let refused = |args: &[&str], part: &str| {
        let out = run(dir.path(), args);
        assert!(out.code == 2 && out.stderr.contains(part), "{part}\n{}", out.block());
    };
    refused(
        &["fit", "new.csv", "-m", "majority-vote", "--prior-fit", "fit.json"],
        "--prior-fit is not for majority-vote",
    );
    refused(&["fit", "new.csv", "--prior-fit", "old.csv"], "old.csv is not a kept fit");
    refused(&["fit", "strange.csv", "--prior-fit", "fit.json"], "none of its classes (c0, c1, c2)");
}

#[test]
fn matrices_of_a_file_are_applied() {
    let dir = folder(&[
        ("a.csv", common::VOTES),
        ("m.csv", b"annotator,truth,label,probability\na,cat,cat,0.9\na,cat,dog,0.1\na,dog,cat,0.2\na,dog,dog,0.8\n"),
        ("bad.csv", b"annotator,truth,label,probability\na,cat,cat,0.9\na,dog,cat,1.2\na,dog,dog,0.8\n"),
        ("none.csv", b"annotator,truth,label,probability\nnobody,cat,cat,1\n"),
    ]);
    let args = [
        "fit",
        "a.csv",
        "--annotators-from",
        "m.csv",
        "-p",
        "class_shares={\"cat\":0.5,\"dog\":0.5}",
        "--format",
        "json",
    ];
    let out = run(dir.path(), &args).ok();
    assert!(out.stderr.contains("confusion matrices of 1 of 3 annotators"), "{}", out.stderr);
    let labels = out.json()["labels"].clone();
    // y: a and b say dog; a as known, b with an assumed accuracy of 0.7
    let p = labels.as_array().unwrap().iter().find(|l| l["item"] == "y").unwrap()["probability"].as_f64().unwrap();
    assert!((p - 0.8 * 0.7 / (0.8 * 0.7 + 0.1 * 0.3)).abs() < 1e-4, "{p}");
    for (file, part) in [
        ("bad.csv", "row 2 has `1.2` where a probability should be"),
        ("bad.csv", "the probabilities of `a` for truth `cat` come to 0.9"),
        ("none.csv", "has no annotator of the answers"),
    ] {
        let out = run(dir.path(), &["fit", "a.csv", "--annotators-from", file]);
        assert!(out.code == 2 && out.stderr.contains(part), "{part}\n{}", out.block());
    }
}
