//! `crowdwise next` and `crowdwise replay`: questions, limits, replays, and what is refused.

use crate::common;

use common::{Run, fields, folder, root, run, run_in};
use serde_json::Value;
use std::collections::BTreeSet;

/// Answers of six annotators on forty items, two or three of each; a0 to a3 are mostly right, a4 and a5 guess.
fn votes() -> String {
    let mut text = String::from("item,annotator,label\n");
    for item in 0..40u32 {
        for n in 0..2 + item % 2 {
            let who = (item + 2 * n) % 6;
            let mixed = item.wrapping_mul(2_654_435_761).wrapping_add(who.wrapping_mul(40_503)) >> 8;
            let right = if who < 4 { mixed % 10 > 0 } else { mixed % 2 > 0 };
            text += &format!("i{item:02},a{who},{}\n", if right == (item % 3 == 0) { "cat" } else { "dog" });
        }
    }
    text
}

fn truth() -> String {
    let rows = (0..40).map(|i| format!("i{i:02},{}\n", if i % 3 == 0 { "cat" } else { "dog" }));
    "item,label\n".to_owned() + &rows.collect::<String>()
}

/// Runs `next` in a folder with the votes and these files.
fn next(files: &[(&str, &str)], args: &[&str]) -> Run {
    let (votes, truth) = (votes(), truth());
    let mut all: Vec<(&str, &[u8])> = vec![("votes.csv", votes.as_bytes()), ("truth.csv", truth.as_bytes())];
    all.extend(files.iter().map(|(name, text)| (*name, text.as_bytes())));
    let dir = folder(&all);
    run_in(dir.path(), &[&["next", "votes.csv"], args].concat())
}

fn questions(json: &Value) -> &Vec<Value> {
    json["questions"].as_array().unwrap()
}

#[test]
fn questions_are_new_pairs_with_reasons() {
    let out = next(&[], &["-n", "10", "--format", "csv"]).ok();
    let lines: Vec<&str> = out.stdout.lines().collect();
    assert_eq!(lines[0], "rank,item,annotator,reason,gain_bits,accuracy_gain,label_now,p_now,labels,pending,price,why");
    assert_eq!(lines.len(), 11);
    let votes = votes();
    let known: BTreeSet<(&str, &str)> = votes
        .lines()
        .skip(1)
        .map(|l| l.split_once(',').map(|(i, r)| (i, r.split_once(',').unwrap().0)).unwrap())
        .collect();
    for (n, line) in lines[1..].iter().enumerate() {
        let f: Vec<&str> = line.split(',').collect();
        assert_eq!(f[0], (n + 1).to_string());
        assert!(!known.contains(&(f[1], f[2])), "{line}");
        assert!(["gain", "coverage"].contains(&f[3]) && f[4].parse::<f64>().unwrap() <= 1.0, "{line}");
        assert_eq!(line.contains("% of the time on such items"), f[3] == "gain", "{line}");
    }
    assert!(out.stderr.contains("10 questions: 8 gain, 2 coverage; price 10"), "{}", out.stderr);
    assert!(out.stderr.contains("of 40 items sure") && out.stderr.contains("without gold"), "{}", out.stderr);
}

#[test]
fn json_has_what_is_documented_and_the_order_of_rows_does_not_matter() {
    let args = ["-n", "6", "--format", "json", "-q", "--gold", "truth.csv", "--seed", "4"];
    let json = next(&[], &args).ok().json();
    // everything is gold: nothing is left to ask, and that is told
    assert!(questions(&json).is_empty() && json["nothing"].is_string());
    let gold: String = truth().lines().take(11).map(|l| format!("{l}\n")).collect();
    let args = ["-n", "6", "--format", "json", "-q", "--gold", "gold.csv", "--seed", "4"];
    let json = next(&[("gold.csv", &gold)], &args).ok().json();
    assert_eq!(
        fields(&json),
        ["accuracy", "batch", "items", "money", "questions", "schema", "seed", "strategy", "warnings"]
    );
    assert_eq!(fields(&json["items"]), ["capped", "hopeless", "open", "sure", "unlabelled"]);
    assert_eq!(fields(&json["accuracy"]), ["gold", "high", "high_after", "low", "low_after"]);
    assert_eq!(fields(&json["accuracy"]["gold"]), ["accuracy", "high", "low", "n"]);
    assert_eq!(json["accuracy"]["gold"]["n"], 10);
    assert_eq!(fields(&json["money"]), ["batch", "pending", "spent"]);
    assert_eq!(json["money"]["spent"], 100.0);
    let wanted = [
        "accuracy_gain",
        "annotator",
        "gain_bits",
        "item",
        "label_now",
        "labels",
        "p_now",
        "pending",
        "price",
        "rank",
        "reason",
        "why",
    ];
    assert_eq!(questions(&json).len(), 6);
    assert_eq!(fields(&questions(&json)[0]), wanted);
    // the same rows from the last to the first
    let text = votes();
    let mut rows: Vec<&str> = text.lines().skip(1).collect();
    rows.reverse();
    let turned = format!("item,annotator,label\n{}\n", rows.join("\n"));
    let dir = folder(&[("votes.csv", turned.as_bytes()), ("gold.csv", gold.as_bytes())]);
    let other = run_in(dir.path(), &[&["next", "votes.csv"], &args[..]].concat()).ok().json();
    assert_eq!(other, json);
}

#[test]
fn files_of_annotators_items_and_pending_questions() {
    let annotators =
        "annotator,price,capacity,from,to\na0,2,3,,\na1,1,,2026-01-01,2026-02-01\nnew,1,,,\na4,1,,2026-03-01T08:00,\n";
    let items = "item,deadline,value\ni00,,\ni01,2026-03-01,\ni02,,5\nbrand new,,\ni03,,\n";
    let pending = "item,annotator,since\ni02,new,2026-03-02T00:00\nbrand new,a4,2026-03-02T00:00\n";
    let files = [("who.csv", annotators), ("what.csv", items), ("out.csv", pending)];
    let args = ["-n", "20", "--annotators", "who.csv", "--items", "what.csv", "--pending", "out.csv", "--now"];
    let at = |time: &str, more: &[&str]| {
        next(&files, &[&args[..], &[time, "--format", "json", "-q"], more].concat()).ok().json()
    };
    let json = at("2026-03-02T01:00", &[]);
    let asked: BTreeSet<(&str, &str)> =
        questions(&json).iter().map(|q| (q["item"].as_str().unwrap(), q["annotator"].as_str().unwrap())).collect();
    assert!(!asked.is_empty());
    for (item, annotator) in &asked {
        assert!(["i00", "i02", "i03", "brand new"].contains(item), "{item} is closed, or too late");
        assert!(["a0", "new", "a4"].contains(annotator), "{annotator} is not there");
    }
    assert!(!asked.contains(&("i02", "new")) && !asked.contains(&("brand new", "a4")), "already out");
    assert!(asked.iter().filter(|a| a.1 == "a0").count() <= 3);
    assert_eq!(json["money"]["pending"], 2.0);
    assert!(json["items"]["unlabelled"] == 1);
    // two hours later the lease is over, and somebody else may be asked
    let json = at("2026-03-02T02:00", &["--lease", "60"]);
    assert_eq!(json["money"]["pending"], 0.0);
    // only this annotator, and as much as the money buys
    let json = at("2026-03-02T01:00", &["--for", "a0"]);
    assert!(
        questions(&json).iter().all(|q| q["annotator"] == "a0" && q["price"] == 2.0) && !questions(&json).is_empty()
    );
    let json = next(&files, &["--money", "3.5", "--format", "json", "-q"]).ok().json();
    assert_eq!(questions(&json).len(), 3);
}

#[test]
fn all_problems_of_a_file_come_at_once() {
    let refused = |files: &[(&str, &str)], args: &[&str], parts: &[&str]| {
        let out = next(files, args);
        assert_eq!(out.code, 2, "{args:?}\n{}", out.block());
        assert!(out.stdout.is_empty(), "{args:?}");
        for part in parts {
            assert!(out.stderr.contains(part), "{args:?}: no `{part}` in {}", out.stderr);
        }
    };
    let bad = "annotator,price,capacity,from,max_share\na0,-1,2.5,soon,2\na1,,,,\na1,,,,\n,1,,,\n";
    refused(
        &[("who.csv", bad)],
        &["--annotators", "who.csv"],
        &[
            "line 2: price is `-1`",
            "line 2: capacity is `2.5`",
            "line 2: from is `soon`",
            "max_share is `2`",
            "`a1` is in line 3 and again in line 4",
        ],
    );
    refused(
        &[("who.csv", "name,price\nx,1\n"), ("out.csv", "task,when\ni00,1\n")],
        &["--annotators", "who.csv", "--pending", "out.csv"],
        &["annotator", "who.csv", "out.csv"],
    );
    refused(&[("out.csv", "item,annotator\nnowhere,a0\n")], &["--pending", "out.csv"], &["`nowhere`", "--items"]);
    refused(&[], &["--for", "a11"], &["no annotator `a11`", "did you mean `a1`?"]);
    refused(
        &[],
        &["--strategy", "gian", "--coverage", "2", "--money", "-3"],
        &["`gian`", "did you mean `gain`?", "--coverage is 2", "--money is -3"],
    );
    refused(&[], &["--now", "soon"], &["--now is `soon`"]);
}

#[test]
fn other_kinds_are_handed_over_or_refused() {
    let pairs = root().join("examples/pairs.csv").display().to_string();
    let out = run(&["next", &pairs, "-n", "5", "--format", "csv", "-q"]).ok();
    let rank = run(&["rank", &pairs, "--next", "5", "--format", "csv", "-q"]).ok();
    assert_eq!(out.stdout, rank.stdout);
    let out = run(&["next", &pairs, "--for", "a0"]);
    assert!(out.code == 2 && out.stderr.contains("--for"), "{}", out.block());
    let ratings = root().join("examples/ratings.csv").display().to_string();
    let out = run(&["next", &ratings, "-n", "3", "--format", "csv", "-q"]).ok();
    assert_eq!(out.stdout.lines().count(), 4, "{}", out.block());
    let out = run(&["next", &ratings, "--money", "3", "--stop-at", "0.9"]);
    assert!(out.code == 2 && out.stderr.contains("--money, --stop-at cannot be used with numbers"), "{}", out.block());
    let out = run(&["next", &ratings, "--strategy", "entropy"]);
    assert!(out.code == 2 && out.stderr.contains("`--strategy fewest`"), "{}", out.block());
    let tags = root().join("examples/sequences.csv").display().to_string();
    let out = run(&["next", &tags]);
    assert!(out.code == 2 && out.stderr.contains("not about sequences yet"), "{}", out.block());
}

#[test]
fn replays_compare_strategies_on_one_axis() {
    let dir = folder(&[]);
    let made = ["simulate", "dawid-skene", "-o", "made", "--items", "80", "--annotators", "9", "--seed", "2", "-q"];
    run_in(dir.path(), &made).ok();
    let base =
        ["replay", "made/answers.csv", "--truth", "made/truth.csv", "--orderings", "3", "--format", "json", "-q"];
    let more = ["--strategies", "fewest,gain,random", "--curves", "curves.csv"];
    let args = [&base[..], &more].concat();
    let json = run_in(dir.path(), &args).ok().json();
    assert_eq!((&json["base"], &json["orderings"], &json["items"]), (&"fewest".into(), &3.into(), &80.into()));
    let outcomes = json["outcomes"].as_array().unwrap();
    let wanted = [
        "area",
        "area_diff",
        "labels_se",
        "labels_to_99",
        "last",
        "last_labels",
        "ratio",
        "ratio_se",
        "reached",
        "se",
        "strategy",
    ];
    assert_eq!(fields(&outcomes[1]), wanted);
    assert_eq!(outcomes.len(), 3);
    assert_eq!((&outcomes[0]["ratio"], &outcomes[0]["area_diff"]), (&1.0.into(), &0.0.into()));
    // all strategies end with all labels, and so with the same accuracy
    assert!(outcomes.iter().all(|o| o["last_labels"] == json["labels"].as_f64().unwrap()));
    let curves = std::fs::read_to_string(dir.path().join("curves.csv")).unwrap();
    assert_eq!(curves.lines().next(), Some("strategy,labels,accuracy,se,low,high"));
    assert_eq!(curves.lines().count(), 1 + 3 * 201);
    let again = run_in(dir.path(), &[&args[..], &["--threads", "1"]].concat()).ok().json();
    assert_eq!(again, json);
    let bad = ["--strategies", "gain,gian", "--orderings", "0", "--batch", "-1"];
    let out = run_in(dir.path(), &[&base[..4], &bad].concat());
    assert_eq!(out.code, 2, "{}", out.block());
    for part in ["`gian`", "--orderings is 0", "--batch is -1"] {
        assert!(out.stderr.contains(part), "{}", out.stderr);
    }
}
