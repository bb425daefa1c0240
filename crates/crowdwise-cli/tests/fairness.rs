//! Groups of items: `--attribute`, `annotators`, `assign`.

mod common;

use common::{Run, folder, run_in};
use serde_json::Value;

/// Texts in two dialects; `strict` calls every fourth harmless text of the second one toxic, the others err now and then.
fn files() -> tempfile::TempDir {
    let (mut answers, mut groups, mut truth) =
        ("item,annotator,label,dialect\n".to_owned(), "item,group\n".to_owned(), "item,label\n".to_owned());
    for i in 0..600usize {
        let (z, dialect) = (i % 2, ["north", "south"][i / 2 % 2]);
        truth += &format!("t{i},{z}\n");
        if i != 7 {
            groups += &format!("t{i},{dialect}\n");
        }
        for (j, who) in ["ann", "bob", "cid", "dora", "strict"].into_iter().enumerate() {
            let slip = (i * 7 + j * 131) % 23 == j || (i * 13 + j * 37) % 19 == 3;
            let biased = who == "strict" && dialect == "south" && z == 0 && (i / 4) % 4 != 1;
            answers += &format!("t{i},{who},{},{dialect}\n", if slip || biased { 1 - z } else { z });
        }
    }
    folder(&[
        ("a.csv", answers.as_bytes()),
        ("g.csv", groups.as_bytes()),
        ("t.csv", truth.as_bytes()),
        ("p.csv", b"annotator,price\nann,1\nbob,2\ncid,1\ndora,3\nstrict,0.5\n"),
    ])
}

fn run(args: &[&str]) -> Run {
    run_in(files().path(), args)
}

#[test]
fn an_unfair_annotator_is_named() {
    let fit = ["fit", "a.csv", "-m", "fair-confusion", "--attribute", "g.csv", "--truth", "t.csv"];
    let out = run(&fit).ok();
    assert!(out.stderr.contains("2 groups of 599 items in g.csv"), "{}", out.stderr);
    assert!(out.stderr.contains("1 item without a group in g.csv"), "{}", out.stderr);
    assert!(out.stderr.contains("warning[unfair-annotator] annotator strict: wrongly says `1`"), "{}", out.stderr);
    assert!(out.stderr.contains("labels `1` by group, against the known truth: FPR"), "{}", out.stderr);
    let json = run(&[&fit[..], &["--format", "json"]].concat()).ok().json();
    let f = &json["fairness"];
    assert_eq!((f["basis"].as_str(), f["ungrouped"].as_u64()), (Some("truth"), Some(1)));
    let unfair: Vec<&Value> = f["annotators"].as_array().unwrap().iter().filter(|a| a["unfair"] == true).collect();
    assert_eq!(unfair.len(), 1);
    let gap = &unfair[0]["classes"][0]["fpr_gap"];
    assert_eq!((&unfair[0]["annotator"], &gap["high"]), (&"strict".into(), &"south".into()));
    assert!((0.55..0.8).contains(&gap["value"].as_f64().unwrap()), "{gap}");
}

#[test]
fn a_column_of_the_answers_serves_as_well() {
    let args = ["annotators", "a.csv", "-m", "dawid-skene", "--attribute", "a.csv", "--attribute-column", "Dialect"];
    let out = run(&[&args[..], &["--format", "csv"]].concat()).ok();
    let mut lines = out.stdout.lines();
    assert_eq!(
        lines.next(),
        Some("annotator,n,accuracy,low,high,information_bits,agreement,bias,error,gap,gap_low,gap_high,gap_of,flags")
    );
    let strict = lines.find(|l| l.starts_with("strict")).unwrap();
    assert!(strict.contains("FPR of 1: south over north") && strict.contains("unfair-annotator"), "{strict}");
    let json = run(&[&args[..], &["--format", "json", "--positive", "0"]].concat()).ok().json();
    assert_eq!(json["fairness"]["labels"][0]["class"], "0");
    let out = run(&[&args[..], &["--positive", "7"]].concat());
    assert!(out.code == 2 && out.stderr.contains("--positive is `7`, but the classes are 0, 1"), "{}", out.block());
}

#[test]
fn bad_files_of_groups_are_refused() {
    let refused = |text: &str, more: &[&str], part: &str| {
        let dir = folder(&[("a.csv", common::VOTES), ("g.csv", text.as_bytes())]);
        let out = run_in(dir.path(), &[&["fit", "a.csv", "--attribute", "g.csv"], more].concat());
        assert!(out.code == 2 && out.stdout.is_empty() && out.stderr.contains(part), "{part}\n{}", out.block());
    };
    refused("item,group\nx,p\nx,q\n", &[], "`x` is in two groups: `p` in row 1 and `q` in row 2");
    refused("item,group\nnobody,p\n", &[], "has no item of the answers (its first is `nobody`)");
    refused("item,dialect\nx,p\n", &[], "no column `group` in g.csv");
    refused("item,dialekt\nx,p\n", &["--attribute-column", "dialect"], "did you mean `dialekt`?");
    refused("thing,group\nx,p\n", &[], "no column `item` in g.csv");
    refused("item,group\n,p\n", &[], "row 1 has no item");
}

#[test]
fn shares_are_fair_within_price_and_cap() {
    let base = ["assign", "a.csv", "--attribute", "g.csv", "--gold", "t.csv", "--max-share", "0.5"];
    let free = run(&[&base[..], &["--max-gap", "1", "--format", "json"]].concat()).ok().json();
    let fair = run(&[&base[..], &["--max-gap", "0.005", "--format", "json"]].concat()).ok().json();
    let total =
        |d: &Value| d["annotators"].as_array().unwrap().iter().map(|a| a["share"].as_f64().unwrap()).sum::<f64>();
    assert!((total(&free) - 1.0).abs() < 1e-9 && (total(&fair) - 1.0).abs() < 1e-9);
    assert!(fair["feasible"] == true && fair["gaps"][0]["fpr_gap"].as_f64().unwrap() <= 0.005 + 1e-6, "{fair}");
    assert!(fair["accuracy"].as_f64().unwrap() <= free["accuracy"].as_f64().unwrap() + 1e-9);
    // the cheap one is unfair: with little money the gap cannot be kept
    let poor =
        [&base[..], &["--max-gap", "0.005", "--prices", "p.csv", "--max-price", "0.75", "--format", "json"]].concat();
    let poor = run(&poor).ok();
    assert!(poor.stderr.contains("no shares keep the gaps"), "{}", poor.stderr);
    let poor = poor.json();
    assert!(poor["raised"].as_f64().unwrap() > 0.05 && poor["price"].as_f64().unwrap() <= 0.75 + 1e-6, "{poor}");
    let out = run(&[&base[..], &["--prices", "p.csv", "--max-price", "0.1"]].concat());
    assert!(out.code == 2 && out.stderr.contains("the cheapest cost 0.75"), "{}", out.block());
    let out = run(&["assign", "a.csv"]);
    assert!(out.code == 2 && out.stderr.contains("--attribute FILE"), "{}", out.block());
}
