//! `fit`: the JSON that programs rely on, the formats, and what happens to files.

mod common;

use common::{VOTES, fields, folder, run, run_in};
use serde_json::{Value, json};

const MV: &[&str] = &["fit", "votes.csv", "-m", "majority-vote", "-q"];

fn with<'a>(base: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [base, more].concat()
}

#[test]
fn json_has_the_promised_fields() {
    let args = ["fit", "examples/demo.csv", "--truth", "examples/demo-truth.csv", "--seed", "7", "--format", "json"];
    let fit = run(&args).ok().json();
    for name in [
        "schema",
        "method",
        "params",
        "seed",
        "data",
        "stop",
        "iterations",
        "objective",
        "elapsed_seconds",
        "labels",
        "annotators",
        "findings",
        "evaluation",
        "class_names",
    ] {
        assert!(fit.get(name).is_some(), "no field {name}: {:?}", fields(&fit));
    }
    assert_eq!((&fit["schema"], &fit["method"], &fit["seed"]), (&json!(1), &json!("auto"), &json!(7)));
    assert_eq!(fit["data"], json!({"items": 200, "annotators": 12, "classes": 3, "labels": 1000}));
    assert_eq!(fit["class_names"], json!(["bird", "cat", "dog"]));
    assert!(fit["stop"] == "converged" || fit["stop"] == "settled", "{}", fit["stop"]);
    assert_eq!(fields(&fit["objective"]), ["kind", "value"]);
    let labels = fit["labels"].as_array().unwrap();
    assert_eq!(labels.len(), 200);
    for l in labels {
        assert_eq!(fields(l), ["item", "label", "posterior", "probability"]);
        let p: Vec<f64> = l["posterior"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert!(p.len() == 3 && (p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let best = p.iter().copied().fold(0.0, f64::max);
        assert_eq!(l["probability"].as_f64().unwrap(), best);
    }
    let annotators = fit["annotators"].as_array().unwrap();
    assert_eq!(annotators.len(), 12);
    for a in annotators {
        for name in ["annotator", "n", "accuracy", "interval", "information_bits", "confusion", "flags"] {
            assert!(a.get(name).is_some(), "no field {name}: {a}");
        }
        assert_eq!(a["confusion"].as_array().unwrap().len(), 3);
        let (low, high) = (a["interval"][0].as_f64().unwrap(), a["interval"][1].as_f64().unwrap());
        assert!((low..=high).contains(&a["accuracy"].as_f64().unwrap()), "{a}");
    }
    let findings = fit["findings"].as_array().unwrap();
    for f in findings {
        let mut names = fields(f);
        names.retain(|n| *n != "statistic"); // where a finding rests on one
        assert_eq!(names, ["advice", "code", "message", "severity", "subject"]);
    }
    assert!(findings.iter().any(|f| f["code"] == "spammer" && f["subject"] == "annotator a7"), "{findings:?}");
    for name in ["n", "accuracy", "macro_f1", "log_loss", "brier", "ece"] {
        assert!(fit["evaluation"][name].is_number(), "{name}");
    }
    assert_eq!(fit["evaluation"]["n"], 200);
}

/// The same from the files alone: an item whose most votes are shared by t classes scores 1/t.
fn accuracy_of_votes() -> f64 {
    let read = |name: &str| std::fs::read_to_string(common::root().join("examples").join(name)).unwrap();
    let (answers, truth) = (read("demo.csv"), read("demo-truth.csv"));
    let credit = |line: &str| {
        let (item, class) = line.split_once(',').unwrap();
        let votes = |c: &str| {
            let mine = |l: &&str| l.starts_with(&format!("{item},")) && l.ends_with(&format!(",{c}"));
            answers.lines().filter(mine).count()
        };
        let counts = ["bird", "cat", "dog"].map(votes);
        let most = *counts.iter().max().unwrap();
        let shared = counts.iter().filter(|&&n| n == most).count() as f64;
        if votes(class) == most { 1.0 / shared } else { 0.0 }
    };
    truth.lines().skip(1).map(credit).sum::<f64>() / 200.0
}

#[test]
fn dawid_skene_beats_the_vote_on_the_bundled_data() {
    let accuracy = |method: &str| {
        let args = ["fit", "examples/demo.csv", "-m", method, "--truth", "examples/demo-truth.csv", "--format", "json"];
        run(&args).ok().json()["evaluation"]["accuracy"].as_f64().unwrap()
    };
    let (vote, ds) = (accuracy("majority-vote"), accuracy("dawid-skene"));
    assert!((vote - accuracy_of_votes()).abs() < 1e-9, "ties split evenly: {vote} {}", accuracy_of_votes());
    assert!(ds > vote + 0.05, "{ds} {vote}");
}

#[test]
fn without_truth_there_is_no_evaluation() {
    let dir = folder(&[("votes.csv", VOTES)]);
    let fit = run_in(dir.path(), &with(MV, &["--format", "json"])).ok().json();
    assert!(fit.get("evaluation").is_none());
    assert_eq!((&fit["stop"], &fit["objective"]), (&json!("direct"), &Value::Null));
}

#[test]
fn a_pipe_gets_csv_and_every_format_tells_the_same() {
    let dir = folder(&[("votes.csv", VOTES)]);
    let get = |more: &[&str]| run_in(dir.path(), &with(MV, more)).ok().stdout;
    let csv = "item,label,probability\nx,cat,0.6666666666666666\ny,dog,1\nz,cat,1\n";
    assert_eq!(get(&[]), csv);
    assert_eq!(get(&["--format", "csv"]), csv);
    assert_eq!(get(&["--format", "tsv"]), csv.replace(',', "\t"));
    let jsonl = get(&["--format", "jsonl"]);
    let rows: Vec<Value> = jsonl.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(rows[1]["label"], "dog");
    assert_eq!(rows.len(), 3);
    let table = get(&["--format", "table"]);
    assert_eq!(table.lines().nth(2), Some("x     cat         0.6667"), "{table}");
    let wide = get(&["--posterior"]);
    assert_eq!(wide.lines().next(), Some("item,label,probability,p_cat,p_dog"));
    assert_eq!(wide.lines().nth(2), Some("y,dog,1,0,1"));
}

#[test]
fn parquet_can_be_read_back() {
    let dir = folder(&[("votes.csv", VOTES)]);
    run_in(dir.path(), &["convert", "votes.csv", "-o", "votes.parquet"]).ok();
    run_in(dir.path(), &["convert", "votes.parquet", "-o", "again.csv"]).ok();
    assert_eq!(std::fs::read(dir.path().join("again.csv")).unwrap(), VOTES);
    run_in(dir.path(), &with(MV, &["-o", "labels.parquet"])).ok();
    assert!(std::fs::read(dir.path().join("labels.parquet")).unwrap().starts_with(b"PAR1"));
}

#[test]
fn a_failure_leaves_what_was_there() {
    let dir = folder(&[("votes.csv", VOTES), ("labels.csv", b"precious"), ("bad.csv", b"item,annotator,label\nx\n")]);
    let run = run_in(dir.path(), &["fit", "bad.csv", "-o", "labels.csv"]);
    assert_eq!(run.code, 2);
    assert_eq!(std::fs::read(dir.path().join("labels.csv")).unwrap(), b"precious");
    let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "no unfinished file is left: {names:?}");
    run_in(dir.path(), &with(MV, &["-o", "labels.csv"])).ok();
    assert!(std::fs::read(dir.path().join("labels.csv")).unwrap().starts_with(b"item,label"));
}

#[test]
fn standard_input_and_files_without_a_header() {
    let dir = folder(&[]);
    let args = ["fit", "-", "-m", "majority-vote", "--columns", "item,annotator,label"];
    let body = &VOTES[VOTES.iter().position(|&b| b == b'\n').unwrap() + 1..];
    let out = common::crowdwise(dir.path(), &args).write_stdin(body).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(text.lines().count(), 4, "{text}{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn items_that_nobody_labelled_are_answered_too() {
    let dir = folder(&[("votes.csv", VOTES), ("all.csv", b"item\nx\ny\nz\nnew\n")]);
    let args = ["fit", "votes.csv", "-m", "dawid-skene", "--items", "all.csv", "--format", "json"];
    let run = run_in(dir.path(), &args).ok();
    let fit = run.json();
    let new = &fit["labels"][3];
    assert_eq!((&new["item"], &new["posterior"]), (&json!("new"), &fit["class_prior"]));
    assert!(run.stderr.contains("1 item of all.csv without a label"), "{}", run.stderr);
}

#[test]
fn gold_is_kept_by_the_fit() {
    let dir = folder(&[("votes.csv", VOTES), ("gold.csv", b"item,label\nx,dog\n")]);
    let args = ["fit", "votes.csv", "-m", "dawid-skene", "--gold", "gold.csv", "--format", "json", "-q"];
    let fit = run_in(dir.path(), &args).ok().json();
    assert_eq!((&fit["labels"][0]["label"], &fit["labels"][0]["probability"]), (&json!("dog"), &json!(1.0)));
    let args = ["fit", "votes.csv", "-m", "majority-vote", "--gold", "gold.csv"];
    let told = run_in(dir.path(), &args).ok().stderr;
    let uses_gold = run(&["methods", "majority-vote", "--format", "json"]).ok().json()["capabilities"]["gold"] == true;
    assert_eq!(told.contains("does not use gold labels"), !uses_gold, "{told}");
}

#[test]
fn conditions_give_exit_code_1_after_everything_is_written() {
    let short = ["fit", "examples/demo.csv", "-m", "dawid-skene", "-p", "max_iter=1"];
    let run1 = run(&with(&short, &["--fail-if", "not-converged"]));
    assert_eq!(run1.code, 1, "{}", run1.block());
    assert_eq!(run1.stdout.lines().count(), 201);
    assert!(run1.stderr.contains("failed because of --fail-if: not converged (stop: max-iter)"), "{}", run1.stderr);
    assert_eq!(run(&short).code, 0, "not converging is a result");
    let whole = ["fit", "examples/demo.csv", "-m", "dawid-skene", "-q", "--fail-if"];
    assert_eq!(run(&with(&whole, &["not-converged"])).code, 0);
    assert_eq!(run(&with(&whole, &["not-converged,findings"])).code, 1, "the spammer is a finding");
    let dir = folder(&[("votes.csv", VOTES)]);
    assert_eq!(run_in(dir.path(), &with(MV, &["--fail-if", "not-converged"])).code, 0);
}

#[test]
fn threads_and_repetition_change_nothing() {
    let labels = |threads: &str| run(&["fit", "examples/demo.csv", "-q", "--threads", threads]).ok().stdout;
    let one = labels("1");
    assert_eq!(one, labels("2"));
    assert_eq!(one, labels("1"));
}

#[test]
fn real_values_and_comparisons_have_columns_of_their_own() {
    let real = run(&["fit", "examples/ratings.csv", "-q"]).ok().stdout;
    assert_eq!((real.lines().next(), real.lines().count()), (Some("item,value,sd"), 61));
    let ranks = run(&["fit", "examples/pairs.csv", "-q"]).ok().stdout;
    assert_eq!((ranks.lines().next(), ranks.lines().count()), (Some("rank,item,score,low,high,component"), 16));
    assert!(ranks.lines().nth(1).unwrap().starts_with("1,"));
    let tokens = run(&["fit", "examples/sequences.csv", "-q", "--format", "json"]).ok().json();
    assert_eq!(tokens["data"]["items"], 320);
}

#[test]
fn quiet_says_nothing_and_verbose_says_how_long() {
    let dir = folder(&[("votes.csv", VOTES)]);
    assert_eq!(run_in(dir.path(), MV).stderr, "");
    let told = run_in(dir.path(), &["fit", "votes.csv", "-m", "majority-vote", "-v"]).ok().stderr;
    for part in ["read:", "fit:", "write:"] {
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn progress_for_programs_is_json_lines() {
    let args = ["fit", "examples/demo.csv", "-m", "dawid-skene", "--progress", "json", "-q"];
    let told = run(&args).ok().stderr;
    let first: Value = serde_json::from_str(told.lines().next().expect("at least one event")).unwrap();
    assert!(first["event"] == "iteration" || first["event"] == "stage", "{first}");
}

#[test]
fn the_anaesthetists_of_1979() {
    let args = ["fit", "examples/anesthesia.csv", "-m", "dawid-skene", "--format", "json", "-q"];
    let fit = run(&args).ok().json();
    assert_eq!(fit["data"], json!({"items": 45, "annotators": 5, "classes": 4, "labels": 315}));
    let prior: Vec<f64> = fit["class_prior"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    for (have, want) in prior.iter().zip([0.40, 0.42, 0.11, 0.07]) {
        assert!((have - want).abs() < 0.005, "{prior:?}");
    }
    let n: Vec<u64> = fit["annotators"].as_array().unwrap().iter().map(|a| a["n"].as_u64().unwrap()).collect();
    assert_eq!(n, [135, 45, 45, 45, 45], "observer 1 saw every patient three times");
}

/// An item whose answers are all empty is answered by the class shares, like one that only `--items` names.
#[test]
fn items_without_labels_are_answered() {
    let votes = "item,annotator,label\nx,a,cat\nx,b,cat\nw,a,\nw,b,\ny,a,dog\ny,b,dog\nz,a,cat\nz,b,cat\n";
    let dir = folder(&[("votes.csv", votes.as_bytes())]);
    let run = run_in(dir.path(), &["fit", "votes.csv", "-m", "dawid-skene", "--format", "json"]).ok();
    assert!(run.stderr.contains("1 item without any label kept: `w`"), "{}", run.stderr);
    let fit = run.json();
    assert_eq!(fit["data"]["items"], 4);
    let silent = &fit["labels"][1];
    assert_eq!(silent["item"], "w");
    for k in 0..2 {
        let (p, prior) = (silent["posterior"][k].as_f64().unwrap(), fit["class_prior"][k].as_f64().unwrap());
        assert!((p - prior).abs() < 1e-9, "{p} {prior}");
    }
    assert!((silent["posterior"][0].as_f64().unwrap() - 2.0 / 3.0).abs() < 0.02, "{silent}");
    // The same through a file that `convert` wrote, and as a wide table.
    run_in(dir.path(), &["convert", "votes.csv", "-o", "votes.parquet", "-q"]).ok();
    std::fs::write(dir.path().join("wide.csv"), "item,a,b\nx,cat,cat\nw,,\ny,dog,dog\nz,cat,cat\n").unwrap();
    for args in [&["votes.parquet"][..], &["wide.csv", "--wide"]] {
        let again = run_in(dir.path(), &[&["fit", "-m", "dawid-skene", "--format", "json"], args].concat()).ok().json();
        assert_eq!(again["labels"], fit["labels"], "{args:?}");
    }
}

#[test]
fn rejected_assignments_need_an_option() {
    let batch =
        b"HITId,WorkerId,AssignmentStatus,Answer.kind\nH1,A1,Approved,cat\nH1,A2,Rejected,dog\nH2,A1,Submitted,dog\n";
    let dir = folder(&[("batch.csv", batch)]);
    let run = run_in(dir.path(), &["inspect", "batch.csv", "--format", "json"]).ok();
    assert!(run.stderr.contains("1 rejected assignment left out (`--keep-rejected` uses it)"), "{}", run.stderr);
    assert_eq!(run.json()["labels"], 2);
    assert_eq!(
        run_in(dir.path(), &["inspect", "batch.csv", "--keep-rejected", "--format", "json"]).ok().json()["labels"],
        3
    );
}

#[test]
fn gold_is_not_called_truth() {
    let dir = folder(&[("votes.csv", VOTES), ("gold.csv", b"item,label\nx,cat\nq,dog\n")]);
    for command in ["fit", "compare", "annotators"] {
        let run = run_in(dir.path(), &[command, "votes.csv", "-m", "dawid-skene", "--gold", "gold.csv"]).ok();
        assert!(run.stderr.contains("gold of 1 item without answers"), "{}", run.stderr);
        assert!(!run.stderr.contains("truth"), "{}", run.stderr);
    }
}

#[test]
fn a_kept_fit_is_gone_on_with() {
    let all = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/demo.csv")).unwrap();
    let lines: Vec<&str> = all.lines().collect();
    let old = lines[..lines.len() - 40].join("\n");
    let strange = b"item,annotator,label\ni0,a1,horse\ni0,a2,cat\n";
    let dir = folder(&[("all.csv", all.as_bytes()), ("old.csv", old.as_bytes()), ("strange.csv", strange)]);
    let run = |args: &[&str]| run_in(dir.path(), args);
    run(&["fit", "old.csv", "-m", "dawid-skene", "-p", "tol=1e-8", "-o", "old.json", "-q"]).ok();
    let went_on = run(&["fit", "all.csv", "--continue", "old.json", "--format", "json", "-q"]).ok().json();
    let anew = run(&["fit", "all.csv", "-m", "dawid-skene", "-p", "tol=1e-8", "--format", "json", "-q"]).ok().json();
    assert_eq!((&went_on["method"], &went_on["params"]), (&anew["method"], &anew["params"]));
    assert!(
        went_on["iterations"].as_u64() < anew["iterations"].as_u64(),
        "{} {}",
        went_on["iterations"],
        anew["iterations"]
    );
    for (a, b) in went_on["labels"].as_array().unwrap().iter().zip(anew["labels"].as_array().unwrap()) {
        let apart = (a["probability"].as_f64().unwrap() - b["probability"].as_f64().unwrap()).abs();
        assert!(a["item"] == b["item"] && a["label"] == b["label"] && apart < 1e-4, "{a} {b}");
    }
    let refused = run(&["fit", "strange.csv", "--continue", "old.json"]);
    assert!(refused.code == 2 && refused.stderr.contains("`horse`"), "{}", refused.stderr);
    run(&["fit", "old.csv", "-m", "majority-vote", "-o", "votes.json", "-q"]).ok();
    let refused = run(&["fit", "all.csv", "--continue", "votes.json"]);
    assert!(refused.code == 2 && refused.stderr.contains("always begins anew"), "{}", refused.stderr);
}
