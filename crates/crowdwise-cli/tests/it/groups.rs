//! A file of annotators who belong together, and the level of alpha.

use crate::common;

use common::{Run, crowdwise, folder, run_in};

/// Three annotators of one family who err together on every third item, and two others.
fn answers() -> String {
    let mut text = String::from("item,annotator,label\n");
    for i in 0..60 {
        let truth = i % 2;
        for who in ["m1", "m2", "m3", "ann", "bob"] {
            let family = who.starts_with('m');
            let wrong = (family && i % 3 == 0) || (who == "ann" && i % 7 == 1) || (who == "bob" && i % 11 == 2);
            text += &format!("i{i},{who},{}\n", if wrong { 1 - truth } else { truth });
        }
    }
    text
}

fn fit(groups: &str, more: &[&str]) -> Run {
    let truth: String = "item,label\n".to_owned() + &(0..60).map(|i| format!("i{i},{}\n", i % 2)).collect::<String>();
    let dir = folder(&[("a.csv", answers().as_bytes()), ("g.csv", groups.as_bytes()), ("t.csv", truth.as_bytes())]);
    let mut args = vec!["fit", "a.csv", "--truth", "t.csv", "--groups", "g.csv", "--format", "json"];
    args.extend(more);
    run_in(dir.path(), &args)
}

#[test]
fn groups_of_a_file_count_as_one() {
    let groups = "annotator,group\nm1,models\nm2,models\nm3,models\nann,people\nnobody,models\n";
    for method in ["group-aware-vote", "group-aware-em"] {
        let run = fit(groups, &["-m", method]).ok();
        assert!(run.stderr.contains("2 groups of 4 annotators in g.csv"), "{}", run.stderr);
        assert!(run.stderr.contains("1 annotator of g.csv without labels left out (the first is `nobody`)"));
        let json = run.json();
        // three voices of five err together on a third of the items: the others outvote them when they count as one
        assert!(json["evaluation"]["accuracy"].as_f64().unwrap() > 0.9, "{method}: {}", json["evaluation"]);
        let found = &json["details"]["groups"];
        assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
        assert_eq!(found[0]["annotators"], serde_json::json!(["m1", "m2", "m3"]));
        assert_eq!(json["params"]["members"]["m2"], "models");
    }
}

#[test]
fn groups_without_a_method_choose_one() {
    let run = fit("annotator,group\nm1,models\nm2,models\nm3,models\n", &[]).ok();
    assert!(run.stderr.contains("group-aware-em is used: --groups"), "{}", run.stderr);
    assert_eq!(run.json()["method"], "group-aware-em");
}

#[test]
fn bad_files_of_groups() {
    let refused = |groups: &str, more: &[&str], parts: &[&str]| {
        let run = fit(groups, more);
        assert!(run.code == 2 && run.stdout.is_empty(), "{}", run.block());
        parts.iter().for_each(|part| assert!(run.stderr.contains(part), "{part}\n{}", run.block()));
    };
    let good = "annotator,group\nm1,x\nm2,x\n";
    let em: &[&str] = &["-m", "group-aware-em"];
    refused("annotator,group\nm1,x\nm2,x\nm1,y\n", em, &["`m1` is in two groups: `x` in row 1 and `y` in row 3"]);
    refused("annotator,grp\nm1,x\n", em, &["no column `group` in g.csv (found: `annotator`, `grp`)"]);
    refused("who,what\nm1,x\n", em, &["no column `annotator`", "no column `group`"]);
    refused("annotator,group\nM1,x\nq,x\n", em, &["has no annotator of the answers (its first is `M1`)", "`m1`"]);
    refused("annotator,group\n,x\n", em, &["row 1 has no annotator"]);
    refused("annotator,group\n", em, &["has no groups"]);
    refused(good, &["-m", "auto"], &["which auto does not", "group-aware-em"]);
    refused(good, &["-m", "dawid-skene"], &["which dawid-skene does not"]);
    refused(good, &["-m", "group-aware-em", "-p", "groups=2"], &["`groups` is 2", "`members`"]);
    let other = ["-m", "group-aware-em", "-p", "members={\"m1\":\"x\"}"];
    refused(good, &other, &["the parameter `members` was given more than once"]);
}

#[test]
fn alpha_at_a_level_that_is_asked_for() {
    let rows =
        ["1 2 3 3 2 1 4 1 2 * * *", "1 2 3 3 2 2 4 1 2 5 * 3", "* 3 3 3 2 3 4 2 2 5 1 *", "1 2 3 3 2 4 4 1 2 5 1 *"];
    let mut text = String::from("item,annotator,label\n");
    for (j, row) in rows.iter().enumerate() {
        for (u, x) in row.split(' ').enumerate().filter(|(_, x)| *x != "*") {
            text += &format!("u{u},a{j},{x}\n");
        }
    }
    let dir = folder(&[("a.csv", text.as_bytes())]);
    // Krippendorff's own example
    for (level, want) in [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)] {
        let json = run_in(dir.path(), &["inspect", "a.csv", "--alpha", level, "--format", "json"]).ok().json();
        let found = json["agreement"]["krippendorff_alpha"].as_f64().unwrap();
        assert!((found - want).abs() < 5e-4 && json["agreement"]["level"] == level, "{level}: {found}");
    }
    let shown = run_in(dir.path(), &["inspect", "a.csv", "--alpha", "ratio"]).ok();
    assert!(shown.stdout.contains("0.797 (ratio)"), "{}", shown.stdout);
    let bad = run_in(dir.path(), &["inspect", "a.csv", "--alpha", "best"]);
    assert!(bad.code == 2 && bad.stderr.contains("ratio"), "{}", bad.block());
    // what is found follows the level: neighbours never say the same class, but are close as numbers
    let near: String = (1..40).map(|u| format!("u{u},a,{}\nu{u},b,{}\n", 10 * u, 10 * u + 1)).collect();
    let near = folder(&[("n.csv", format!("item,annotator,label\n{near}").as_bytes())]);
    for (level, low) in [("nominal", true), ("interval", false)] {
        let args = ["inspect", "n.csv", "--kind", "categorical", "--alpha", level, "--format", "json"];
        let json = run_in(near.path(), &args).ok().json();
        let found = json["findings"].as_array().unwrap().iter().any(|f| f["code"] == "low-agreement");
        assert_eq!(found, low, "{level}: {}", json["findings"]);
    }
    let words = folder(&[("w.csv", "item,annotator,label\nx,a,yes\nx,b,no\n".as_bytes())]);
    let bad = run_in(words.path(), &["inspect", "w.csv", "--alpha", "ratio"]);
    assert!(bad.code == 2 && bad.stderr.contains("is of numbers, but `no` is none"), "{}", bad.block());
}

#[test]
fn standard_input_is_for_one_file() {
    let dir = folder(&[]);
    for option in ["--truth", "--groups"] {
        let bad = run_in(dir.path(), &["fit", "-", "-m", "group-aware-vote", option, "-"]);
        assert!(bad.code == 2 && bad.stderr.contains("`-` is given twice"), "{}", bad.block());
    }
}

/// Truth of sets is read once, whatever it names: standard input cannot be read twice.
#[test]
fn truth_of_sets_from_standard_input() {
    let dir = folder(&[("s.csv", b"item,annotator,label\nx,a,cat|dog\nx,b,cat\ny,a,dog\ny,b,dog\n")]);
    for truth in ["item,label\nx,cat|dog\ny,dog\n", "item,label\nx|cat,yes\nx|dog,yes\ny|cat,no\ny|dog,yes\n"] {
        let args = ["fit", "s.csv", "--sets", "-m", "majority-vote", "--truth", "-", "--format", "json"];
        let out = crowdwise(dir.path(), &args).write_stdin(truth).output().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(json["evaluation"]["n"], 4, "{}", String::from_utf8_lossy(&out.stderr));
    }
}
