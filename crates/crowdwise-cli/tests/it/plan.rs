//! `crowdwise plan` and `crowdwise bandit`: rows, JSON, what is said, and what is refused.

use crate::common;

use common::{folder, root, run, run_in};
use serde_json::Value;

fn demo() -> String {
    root().join("examples/demo.csv").display().to_string()
}

fn rows(csv: &str) -> Vec<Vec<String>> {
    csv.lines().map(|l| l.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn rows_have_labels_money_and_an_interval() {
    let file = demo();
    let out = run(&["plan", &file, "--per-item", "6,8", "--money", "25", "--price", "0.5", "--format", "csv"]).ok();
    let rows = rows(&out.stdout);
    assert_eq!(rows[0], ["strategy", "labels_per_item", "labels", "money", "accuracy", "low", "high"]);
    let number = |r: usize, c: usize| rows[r][c].parse::<f64>().unwrap();
    // 200 items with 5 labels each: now, 50 labels for 25, one and three more labels for each item
    let labels: Vec<f64> = (1..rows.len()).map(|r| number(r, 2)).collect();
    assert_eq!(labels, [0.0, 50.0, 200.0, 600.0]);
    for r in 1..rows.len() {
        assert_eq!(rows[r][0], "fewest");
        assert_eq!(number(r, 3), 0.5 * number(r, 2));
        assert_eq!(number(r, 1), 5.0 + number(r, 2) / 200.0);
        assert!(number(r, 5) <= number(r, 4) && number(r, 4) <= number(r, 6), "{:?}", rows[r]);
    }
    assert!(out.stderr.contains("of the items right") && out.stderr.contains("no-gold"), "{}", out.stderr);
}

#[test]
fn json_adds_ceiling_target_and_gold_questions() {
    let file = demo();
    let truth = root().join("examples/demo-truth.csv").display().to_string();
    let args = ["plan", &file, "--target", "0.95", "--gold", &truth, "--best", "0.5", "--format", "json"];
    let out = run(&args).ok();
    let json = out.json();
    assert_eq!(json["schema"].as_u64().map(|s| s > 0), Some(true));
    let outlooks = json["outlooks"].as_array().unwrap();
    assert_eq!(outlooks.len(), 2);
    assert_eq!(outlooks[1]["strategy"], "fewest: best 50 %");
    assert_eq!((&json["ceiling"], &json["target"]), (&outlooks[0]["ceiling"], &outlooks[0]["target"]));
    for field in ["labels", "labels_low", "labels_high", "labels_per_item"] {
        assert!(json["target"].get(field).is_some(), "{json}");
    }
    assert_eq!(json["target"]["reachable"], json["target"]["labels"].is_number());
    let all: usize = outlooks.iter().map(|o| o["rows"].as_array().unwrap().len()).sum();
    assert_eq!(json["rows"].as_array().unwrap().len(), all);
    assert_eq!(json["gold"]["n"], 200);
    let gold = &json["gold_questions"];
    assert!(gold["admission_fixed"]["questions"].as_u64().unwrap() > 10 && gold["share"][0].is_number(), "{gold}");
    assert!(out.stderr.contains("95 % ") && out.stderr.contains("gold questions: "), "{}", out.stderr);
    // the same again
    assert_eq!(run(&args).ok().stdout, out.stdout);
}

#[test]
fn others_can_be_asked_at_another_price() {
    let file = demo();
    let args = [
        "plan",
        &file,
        "--per-item",
        "7",
        "--strategies",
        "fewest,gain",
        "--only",
        "a0,a1,a2",
        "--accuracy",
        "0.9",
        "--other-price",
        "2",
    ];
    let out = run(&[&args[..], &["--format", "csv", "-q"]].concat()).ok();
    let rows = rows(&out.stdout);
    let last: Vec<&Vec<String>> = rows.iter().filter(|r| r[2] != "0" && r[2] != "labels").collect();
    assert_eq!(last.len(), 4, "{rows:?}");
    assert_eq!((&*last[0][0], &*last[1][0], &last[0][2]), ("fewest", "gain", &last[1][2]));
    let last_of_fewest = last[0][4].parse::<f64>().unwrap();
    let last = &last[1..];
    assert_eq!(last[1][0], "fewest: new annotators of 90 %");
    assert_eq!(last[2][0], "fewest: only a0 a1 a2");
    for row in &last[1..] {
        assert_eq!(row[3].parse::<f64>().unwrap(), 2.0 * row[2].parse::<f64>().unwrap());
    }
    // experts are worth more than the crowd
    let right = |r: &Vec<String>| r[4].parse::<f64>().unwrap();
    assert!(right(last[1]) > last_of_fewest, "{rows:?}");
}

#[test]
fn a_pilot_that_cannot_tell_says_so() {
    let single: String = (0..60).map(|n| format!("i{n},a{},{}\n", n % 5, n % 2)).collect();
    let apart: String = (0..240)
        .map(|n| (n / 3, n % 3, n))
        .map(|(i, j, n)| format!("i{i},a{},{}\n", if i < 40 { j } else { j + 3 }, (i + usize::from(n % 7 == 0)) % 2))
        .collect();
    let dir = folder(&[
        ("single.csv", format!("item,annotator,label\n{single}").as_bytes()),
        ("apart.csv", format!("item,annotator,label\n{apart}").as_bytes()),
    ]);
    let out = run_in(dir.path(), &["plan", "single.csv"]);
    assert_eq!(out.code, 2);
    assert!(out.stderr.contains("no item has two labels") && out.stderr.contains("second and third"), "{}", out.stderr);
    let out = run_in(dir.path(), &["plan", "apart.csv", "--kind", "categorical", "--fail-if", "problem"]);
    assert_eq!(out.code, 1, "{}", out.block());
    assert!(out.stderr.contains("cannot tell") && out.stderr.contains("disconnected"), "{}", out.stderr);
}

#[test]
fn bad_plans_are_refused_with_all_that_is_wrong() {
    let file = demo();
    let out = run(&["plan", &file, "--target", "95", "--price", "0", "--other-price", "1"]);
    assert_eq!(out.code, 2);
    for part in ["`target` is 95", "`price` is 0", "--other-price"] {
        assert!(out.stderr.contains(part), "{}", out.stderr);
    }
    let out = run(&["plan", &file, "--strategies", "fewest,gian,sure"]);
    assert!(out.stderr.contains("did you mean `gain`") && out.stderr.contains("stops by itself"), "{}", out.stderr);
    let out = run(&["plan", &file, "--only", "a0,b7"]);
    assert!(out.code == 2 && out.stderr.contains("there is no annotator `b7`"), "{}", out.stderr);
    let pairs = root().join("examples/pairs.csv").display().to_string();
    let out = run(&["plan", &pairs]);
    assert!(out.code == 2 && out.stderr.contains("wrong-label-kind"), "{}", out.stderr);
}

#[test]
fn bandits_lose_less_than_chance() {
    let file = demo();
    let truth = root().join("examples/demo-truth.csv").display().to_string();
    let json = |more: &[&str]| {
        run(&[&["bandit", &file, "--truth", &truth, "--format", "json", "-q"], more].concat()).ok().json()
    };
    let regret = |page: &Value, policy: &str| {
        let found = page["policies"].as_array().unwrap().iter().find(|p| p["policy"] == policy).unwrap();
        found["regret"].as_f64().unwrap()
    };
    let page = json(&[]);
    assert_eq!((page["recorded"].as_u64(), page["policies"].as_array().map(Vec::len)), (Some(1000), Some(7)));
    assert!(regret(&page, "thompson") < 0.8 * regret(&page, "random"), "{page}");
    assert!(page["policies"][0]["labels"] == 250.0);
    let page = json(&["--policies", "kube,random", "--money", "100", "--price", "a0=5", "--rewards", "posterior"]);
    for p in page["policies"].as_array().unwrap() {
        assert!(p["spent"].as_f64().unwrap() <= 100.0 && p["spent"].as_f64().unwrap() > 90.0, "{p}");
    }
    let out = run(&["bandit", &file, "--truth", &truth, "--policies", "ucb", "--price", "zz=1"]);
    assert!(out.code == 2 && out.stderr.contains("did you mean `ucb1`"), "{}", out.stderr);
    let out = run(&["bandit", &file, "--truth", &truth, "--price", "zz=1", "--price", "a1=-1"]);
    assert!(out.stderr.contains("`zz`") && out.stderr.contains("--price a1"), "{}", out.stderr);
}
