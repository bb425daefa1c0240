//! The other commands, and the way from simulated answers to a report.

mod common;

use common::{VOTES, fields, folder, root, run, run_in};
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn simulate_fit_report_for_every_model() {
    let dir = tempfile::tempdir().unwrap();
    for (model, method) in [
        ("dawid-skene", "dawid-skene"),
        ("one-coin", "one-coin"),
        ("confusion-vector", "confusion-vector"),
        ("spammer-hammer", "spammer-hammer"),
        ("mace", "mace"),
        ("glad", "glad"),
        ("real", "mean"),
        ("bradley-terry", "bradley-terry"),
        ("sequences", "dawid-skene"),
        ("similarities", "crowd-clusters"),
    ] {
        let args = ["simulate", model, "-o", model, "--items", "120", "--annotators", "10", "--seed", "3", "-q"];
        run_in(dir.path(), &args).ok();
        let (answers, truth) = (format!("{model}/answers.csv"), format!("{model}/truth.csv"));
        let annotators = std::fs::read_to_string(dir.path().join(model).join("annotators.csv")).unwrap();
        assert_eq!(annotators.lines().count(), 11);
        let args = ["fit", &answers, "-m", method, "--truth", &truth, "--format", "json", "-q"];
        let fit = run_in(dir.path(), &args).ok().json();
        assert_eq!(fit["evaluation"]["n"], 120, "{model}");
        let page = format!("{model}.html");
        run_in(dir.path(), &["report", &answers, "-m", method, "-o", &page, "--truth", &truth, "-q"]).ok();
        let html = std::fs::read_to_string(dir.path().join(&page)).unwrap();
        assert!(html.starts_with("<!DOCTYPE html>") && html.contains("</html>"), "{model}");
    }
}

#[test]
fn simulation_is_reproducible_and_any_seed_is_another() {
    let dir = tempfile::tempdir().unwrap();
    let made = |seed: &str, to: &str| {
        run_in(dir.path(), &["simulate", "one-coin", "-o", to, "--seed", seed, "--features", "4", "-q"]).ok();
        let read = |f: &str| std::fs::read(dir.path().join(to).join(f)).unwrap();
        (read("answers.csv"), read("truth.csv"), read("features.npy"))
    };
    let (a, b, c) = (made("1", "a"), made("1", "b"), made("2", "c"));
    assert_eq!(a, b);
    assert_ne!(a.0, c.0);
    assert!(a.2.starts_with(b"\x93NUMPY"));
    assert_eq!(a.2.len(), 128 + 1000 * 4 * 4);
}

#[test]
fn the_bundled_data_is_what_its_command_makes() {
    let dir = tempfile::tempdir().unwrap();
    let args = [
        "simulate",
        "dawid-skene",
        "--items",
        "200",
        "--annotators",
        "12",
        "--class-names",
        "bird,cat,dog",
        "--per-item",
        "5",
        "--accuracy",
        "0.72",
        "-p",
        "concentration=12",
        "--spammers",
        "0.0834",
        "--adversaries",
        "0.0834",
        "--seed",
        "9",
        "-o",
        "demo",
        "-q",
    ];
    run_in(dir.path(), &args).ok();
    for (made, kept) in [("answers.csv", "demo.csv"), ("truth.csv", "demo-truth.csv")] {
        let made = std::fs::read_to_string(dir.path().join("demo").join(made)).unwrap();
        assert!(made == std::fs::read_to_string(root().join("examples").join(kept)).unwrap(), "{kept}");
    }
}

#[test]
fn a_kept_fit_answers_like_the_answers() {
    let dir = tempfile::tempdir().unwrap();
    let answers = root().join("examples/demo.csv");
    let answers = answers.to_str().unwrap();
    run_in(dir.path(), &["fit", answers, "-o", "fit.json", "-q"]).ok();
    let kept = run_in(dir.path(), &["annotators", "fit.json", "-q"]).ok().stdout;
    let fresh = run_in(dir.path(), &["annotators", answers, "-q"]).ok().stdout;
    assert_eq!(kept, fresh);
    assert!(kept.lines().any(|l| l.starts_with("a7,") && l.ends_with("spammer")), "{kept}");
    for by in ["entropy", "margin"] {
        let kept = ["items", "fit.json", "--by", by, "--answers", answers, "-q", "-n", "15"];
        let fresh = ["items", answers, "--by", by, "-q", "-n", "15"];
        assert_eq!(run_in(dir.path(), &kept).ok().stdout, run_in(dir.path(), &fresh).ok().stdout);
    }
    let alone = run_in(dir.path(), &["items", "fit.json"]).ok();
    assert!(alone.stderr.contains("--answers"), "{}", alone.stderr);
    // also through a pipe
    let fit = std::fs::read(dir.path().join("fit.json")).unwrap();
    let piped = common::crowdwise(dir.path(), &["annotators", "-", "-q"]).write_stdin(fit).output().unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), fresh);
}

#[test]
fn annotators_can_be_sorted_and_written_as_json() {
    let args = ["annotators", "examples/demo.csv", "--by", "accuracy", "--format", "json", "-q"];
    let table = run(&args).ok().json();
    assert_eq!(fields(&table), ["annotators", "class_names", "data", "interval_level", "method", "schema"]);
    let accuracy: Vec<f64> =
        table["annotators"].as_array().unwrap().iter().map(|a| a["accuracy"].as_f64().unwrap()).collect();
    assert!(accuracy.is_sorted(), "{accuracy:?}");
    assert_eq!(table["annotators"][0]["annotator"], "a9", "the adversary is the least accurate");
}

#[test]
fn items_show_who_said_what() {
    let dir = folder(&[("votes.csv", VOTES)]);
    let items = run_in(dir.path(), &["items", "votes.csv", "-m", "majority-vote", "-n", "1", "-q"]).ok().stdout;
    assert_eq!(
        items,
        "item,label,probability,entropy_bits,margin,votes\n\
         x,cat,0.6666666666666666,0.9182958340544896,0.3333333333333333,a: cat; b: dog; c: cat\n"
    );
    let args = ["items", "votes.csv", "-m", "majority-vote", "-n", "1", "--format", "json", "-q"];
    let json = run_in(dir.path(), &args).ok().json();
    assert_eq!(json["items"][0]["votes"][1], json!({"annotator": "b", "said": "dog"}));
}

#[test]
fn compare_has_the_promised_fields() {
    let args = [
        "compare",
        "examples/demo.csv",
        "-m",
        "majority-vote,dawid-skene",
        "-p",
        "dawid-skene.tol=1e-4",
        "--truth",
        "examples/demo-truth.csv",
        "--folds",
        "3",
        "--format",
        "json",
        "-q",
    ];
    let result = run(&args).ok().json();
    assert_eq!(result["data"], json!({"items": 200, "annotators": 12, "classes": 3, "labels": 1000}));
    let methods = result["methods"].as_array().unwrap();
    assert_eq!(
        methods.iter().map(|m| m["method"].as_str().unwrap()).collect::<Vec<_>>(),
        ["majority-vote", "dawid-skene"]
    );
    for m in methods {
        for name in [
            "method",
            "agreement",
            "drift",
            "held_out_log_loss",
            "held_out_se",
            "evaluation",
            "elapsed_seconds",
            "stop",
        ] {
            assert!(m.get(name).is_some(), "no field {name}: {m}");
        }
        assert_eq!(m["evaluation"]["n"], 200);
    }
    assert_eq!(methods[1]["params"]["tol"], 1e-4);
    assert!(methods[1]["held_out_log_loss"].as_f64().unwrap() > 0.0);
    assert!(methods[1]["agreement"].as_f64().unwrap() > 0.0);
}

#[test]
fn compare_all_leaves_out_what_does_not_fit() {
    let args = ["compare", "examples/ratings.csv", "-m", "all", "--folds", "0", "--format", "csv", "-q"];
    let rows = run(&args).ok().stdout;
    assert!(rows.contains("\nmedian,") && !rows.contains("dawid-skene"), "{rows}");
}

#[test]
fn inspect_in_words_and_in_json() {
    // the ends of a bootstrap interval depend on how the draws are made: they are checked below, not pinned here
    let text = run(&["inspect", "examples/anesthesia.csv", "-q"]).ok().block();
    let cut =
        |line: &str| line.find("90 % interval").map_or(line.to_owned(), |at| format!("{}90 % interval …", &line[..at]));
    assert_snapshot!(text.lines().map(cut).collect::<Vec<_>>().join("\n"));
    let json = run(&["inspect", "examples/demo.csv", "--format", "json", "-q"]).ok().json();
    assert_eq!((&json["items"], &json["labels"], &json["kind"]), (&json!(200), &json!(1000), &json!("categorical")));
    assert_eq!(json["class_shares"][0]["class"], "bird");
    let alpha = json["agreement"]["krippendorff_alpha"].as_f64().unwrap();
    let end = |n: usize| json["agreement"]["alpha_interval"][n].as_f64().unwrap();
    assert!(end(0) < alpha && alpha < end(1) && end(1) - end(0) < 0.3, "{}", json["agreement"]);
    assert!(json["agreement"]["pairs"][0]["a"].is_string());
    let known = &json["identifiability"];
    assert_eq!((&known["basis"], &known["triples"]["needed"]), (&json!("votes"), &json!(8)));
    assert!(known["separation"][0]["class"] == "bird" && known["hardest"][0]["a"].is_string(), "{known}");
    assert!(known["pairs"]["ratio"][1].as_f64().unwrap() > 0.0 && known["error_bound"].is_number(), "{known}");
    let csv = run(&["inspect", "examples/demo.csv", "--format", "csv", "-q"]).ok().stdout;
    assert!(csv.starts_with("measure,value\n") && csv.contains("\nlabels,1000\n"), "{csv}");
    for file in ["examples/ratings.csv", "examples/pairs.csv", "examples/sequences.csv"] {
        run(&["inspect", file]).ok();
    }
}

#[test]
fn methods_list_page_and_schema() {
    let list = run(&["methods", "--format", "json"]).ok().json();
    let all = list["methods"].as_array().unwrap();
    assert!(all.len() >= 10);
    for m in all {
        for name in ["id", "name", "summary", "aliases", "accepts", "status", "params", "params_schema"] {
            assert!(m.get(name).is_some(), "{m}");
        }
    }
    let csv = run(&["methods"]).ok().stdout;
    assert!(csv.starts_with("id,name,kinds,status,summary\n"));
    let page = run(&["methods", "dawid-skene"]).ok().stdout;
    assert!(page.contains("| `tol` | a number |") && !page.contains("<!-- parameters -->"), "{page}");
    assert_eq!(run(&["methods", "ds-em"]).ok().stdout, page, "aliases work");
    assert_snapshot!(run(&["methods", "dawid"]).block());
    let real = run(&["methods", "--kind", "real"]).ok().stdout;
    assert!(real.contains("\nmean,") && !real.contains("dawid-skene"));
}

#[test]
fn convert_keeps_every_label() {
    let dir = folder(&[("votes.csv", VOTES)]);
    for name in ["votes.tsv", "votes.jsonl", "votes.json"] {
        run_in(dir.path(), &["convert", "votes.csv", "-o", name, "-q"]).ok();
        let back = run_in(dir.path(), &["convert", name, "--format", "csv", "-q"]).ok().stdout;
        assert_eq!(back.as_bytes(), VOTES, "{name}");
    }
    for file in ["examples/pairs.csv", "examples/sequences.csv", "examples/ratings.csv"] {
        let twice = run(&["convert", file, "--format", "csv", "-q"]).ok().stdout;
        let lines = |s: &str| {
            let mut v: Vec<String> = s.lines().map(str::to_owned).collect();
            v.sort();
            v
        };
        let original = std::fs::read_to_string(root().join(file)).unwrap();
        assert_eq!(lines(&twice).len(), lines(&original).len(), "{file}");
    }
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = run(&["completions", shell]).ok().stdout;
        assert!(text.contains("crowdwise") && text.contains("fail-if"), "{shell}");
    }
    assert!(run(&["man"]).ok().stdout.contains(".TH crowdwise"));
    let dir = tempfile::tempdir().unwrap();
    run_in(dir.path(), &["man", "-o", "man1"]).ok();
    for page in ["crowdwise", "crowdwise-fit", "crowdwise-learn", "crowdwise-predict", "crowdwise-repro-quality"] {
        let text = std::fs::read_to_string(dir.path().join(format!("man1/{page}.1"))).expect(page);
        assert!(text.contains(&format!(".TH {page}")), "{page}");
    }
}

#[test]
fn help_fits_a_screen_and_begins_with_two_examples() {
    let commands = [
        "",
        "inspect",
        "fit",
        "annotators",
        "items",
        "compare",
        "learn",
        "predict",
        "next",
        "plan",
        "replay",
        "bandit",
        "simulate",
        "report",
        "repro",
        "methods",
        "convert",
        "completions",
        "man",
    ];
    for command in commands {
        let args: Vec<&str> = [command, "-h"].into_iter().filter(|a| !a.is_empty()).collect();
        let help = run(&args).ok().stdout;
        let lines: Vec<&str> = help.lines().collect();
        assert_eq!(lines[0], "Examples:", "{command}");
        assert!(lines[1].starts_with("  crowdwise ") && lines[2].starts_with("  crowdwise "), "{help}");
        assert!(lines[1..3].iter().all(|l| l.chars().count() <= 78), "{help}");
        assert!(lines.len() <= 40, "{command}: {} lines", lines.len());
    }
    assert_snapshot!(run(&["-h"]).block());
}

#[test]
fn calling_it_without_anything_shows_the_help() {
    let run = run(&[]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("Examples:"), "{}", run.block());
}

#[test]
fn compare_tells_what_each_method_found() {
    // everybody says cat, but the gold labels say dog: the classes of the fit are not those of the votes
    let said = |i: usize, j: usize| if i == 0 && j == 0 { "dog" } else { "cat" };
    let rows = (0..60).map(|n| format!("i{},a{},{}\n", n / 3, n % 3, said(n / 3, n % 3)));
    let votes = format!("item,annotator,label\n{}", rows.collect::<String>());
    let gold = format!("item,label\n{}", (0..12).map(|i| format!("i{i},dog\n")).collect::<String>());
    let dir = folder(&[("votes.csv", votes.as_bytes()), ("gold.csv", gold.as_bytes())]);
    let with = |more: &[&'static str]| {
        let base = ["compare", "votes.csv", "-m", "majority-vote,dawid-skene", "--folds", "0", "-q"];
        run_in(dir.path(), &[&base[..], more].concat())
    };
    let gold = ["--gold", "gold.csv"];
    let result = with(&[&gold[..], &["--format", "json"]].concat()).ok().json();
    // warnings as well as problems, each once
    assert_eq!(result["methods"][0]["findings"], json!(["class-drift", "near-constant", "spammer"]), "{result}");
    assert!(result["methods"][1]["findings"].as_array().unwrap().contains(&json!("class-collapsed")), "{result}");
    let csv = with(&gold).ok().stdout;
    assert!(csv.lines().next().unwrap().ends_with(",stop,findings"), "{csv}");
    assert!(csv.lines().nth(1).unwrap().ends_with(",class-drift near-constant spammer"), "{csv}");
    assert_eq!(with(&[&gold[..], &["--fail-if", "problem"]].concat()).code, 1);
    assert_eq!(with(&[&gold[..], &["--fail-if", "findings"]].concat()).code, 1);
    let without = with(&["--format", "json", "--fail-if", "problem"]).ok().json();
    assert_eq!(without["methods"][0]["findings"], json!([]));
    assert_eq!(without["methods"][1]["findings"], json!([]));
    assert_eq!(with(&["--fail-if", "not-converged"]).code, 0);
    let demo = ["compare", "examples/demo.csv", "-m", "dawid-skene", "--folds", "0", "-q", "--fail-if"];
    assert_eq!(run(&[&demo[..], &["findings"]].concat()).code, 1, "the adversary is a finding");
    assert_eq!(run(&[&demo[..], &["problem"]].concat()).code, 0, "but no problem");
    assert_eq!(run(&[&demo[..], &["not-converged", "-p", "dawid-skene.max_iter=1"]].concat()).code, 1);
}

#[test]
fn rows_of_tokens_tell_their_sequence_and_position() {
    let answers = "examples/sequences.csv";
    let csv = run(&["fit", answers, "-q"]).ok().stdout;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("item,sequence,position,label,probability"));
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[0], format!("{}:{}", cells[1], cells[2]), "{line}");
    }
    let json = run(&["fit", answers, "--format", "json", "-q"]).ok().json();
    assert_eq!((&json["labels"][9]["sequence"], &json["labels"][9]["position"]), (&json!("s0"), &json!(9)));
    let items = run(&["items", answers, "-q", "-n", "2"]).ok().stdout;
    assert!(items.starts_with("item,sequence,position,label,"), "{items}");
    let json = run(&["items", answers, "-q", "-n", "2", "--format", "json"]).ok().json();
    assert!(json["items"][0]["sequence"].is_string() && json["items"][0]["position"].is_i64(), "{json}");
    // others have no such columns
    assert!(run(&["fit", "examples/demo.csv", "-q"]).ok().stdout.starts_with("item,label,probability\n"));
}

#[test]
fn a_report_tells_whether_truth_was_used_in_fitting() {
    let one: &[u8] = b"item,annotator,label\nx,a,cat\nx,b,cat\n";
    let dir = folder(&[("votes.csv", VOTES), ("gold.csv", b"item,label\nx,cat\ny,dog\n"), ("one.csv", one)]);
    let page = |args: &[&str]| {
        run_in(dir.path(), &[&["report", "-o", "r.html", "-q"][..], args].concat()).ok();
        std::fs::read_to_string(dir.path().join("r.html")).unwrap()
    };
    let blind = page(&["votes.csv", "--truth", "gold.csv"]);
    assert!(blind.contains("The truth of 2 items is known and was used here only, not in fitting."));
    let told = page(&["votes.csv", "--truth", "gold.csv", "--gold", "gold.csv"]);
    assert!(told.contains("The truth of 2 items was given to the fit as gold") && !told.contains("not in fitting"));
    // the title is the name of the file, wherever it lies
    let path = dir.path().join("votes.csv");
    assert!(page(&[path.to_str().unwrap()]).contains("<title>votes.csv</title>"));
    let small = page(&["one.csv", "-m", "majority-vote"]);
    assert!(small.contains("1 item, 2 annotators, 2 labels, 1 class<"), "one of each is said as one");
}

#[test]
fn a_pipe_gets_whole_lines() {
    let name = "long".repeat(60);
    let votes = format!("item,annotator,label\nx,{name},cat\nx,b,dog\ny,{name},dog\ny,b,dog\n");
    let dir = folder(&[("votes.csv", votes.as_bytes())]);
    for args in [&["annotators", "votes.csv", "--format", "table", "-q"][..], &["inspect", "votes.csv", "-q"]] {
        let text = run_in(dir.path(), args).ok().stdout;
        assert!(!text.contains('…'), "{text}");
    }
}

#[test]
fn one_of_a_thing_is_said_as_one() {
    let dir = folder(&[("one.csv", b"item,annotator,label\nx,a,cat\n"), ("truth.csv", b"item,label\nx,cat\n")]);
    let said = run_in(dir.path(), &["convert", "one.csv", "-o", "one.tsv"]).ok().stderr;
    assert!(said.contains("crowdwise: 1 label\n"), "{said}");
    let said = run_in(dir.path(), &["fit", "one.csv", "-m", "majority-vote", "--truth", "truth.csv"]).ok().stderr;
    assert!(said.contains("against truth.csv (1 item):"), "{said}");
    let text = run_in(dir.path(), &["inspect", "one.csv", "-q"]).ok().stdout;
    assert!(text.contains("1 annotator with fewer than 10\n"), "{text}");
}

#[test]
fn sets_of_labels_become_units() {
    let dir = folder(&[("tags.csv", b"item,annotator,label\nx,p,sea|sand\nx,q,sea\ny,p,|\ny,q,town\n".as_slice())]);
    let args = ["fit", "tags.csv", "--sets", "-m", "binary-relevance", "-p", "inside=majority-vote", "--format", "csv"];
    let run = run_in(dir.path(), &args).ok();
    assert!(run.stdout.contains("x|sea,yes") && run.stdout.contains("y|sea,no"), "{}", run.stdout);
    std::fs::write(dir.path().join("bad.csv"), "item,annotator,label\nx,p,sea||sand\nx,q,sea\n").unwrap();
    let run = run_in(dir.path(), &["fit", "bad.csv", "--sets"]);
    assert!(run.code == 2 && run.stderr.contains("`sea||sand` has an empty class"), "{}", run.block());
}
