//! Tables that are computed again: with the real sets where they are, and how it goes without them.

use crate::common;

use common::{folder, root, run_in};
use serde_json::Value;
use std::path::PathBuf;

fn data() -> Option<PathBuf> {
    let dir = std::env::var_os("CROWDWISE_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if dir.join("trec/answers.csv").is_file() {
        return Some(dir);
    }
    eprintln!("SKIPPED: no datasets in {} (set CROWDWISE_DATA to the folder of real datasets)", dir.display());
    None
}

/// Every row of the survey's table on every set, as near to the printed figure as an independent program comes, or nearer.
#[test]
fn the_survey_table_is_what_can_be_reached() {
    let Some(data) = data() else { return };
    let args = ["repro", "label-integration", "--data", data.to_str().unwrap(), "--format", "json"];
    let run = run_in(&root(), &args);
    assert!(run.code < 2, "{}", run.block());
    let page = run.json();
    let figures = page["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 4 * 14);
    let missed: Vec<&Value> = figures.iter().filter(|f| f["reached"] != "yes").collect();
    assert!(missed.is_empty() && run.code == 0, "{missed:#?}");
    // the rows that the table leaves out for lack of scale run
    let scale = |set: &str| {
        let ctd = figures.iter().find(|f| f["method"] == "ctd" && f["set"] == set).unwrap();
        ctd["printed_error"].is_null() && ctd["error"].is_number()
    };
    assert!(scale("trec") && scale("rte"));
    assert!(figures.iter().all(|f| f["seconds"].as_f64().unwrap() > 0.0));
}

#[test]
fn without_the_sets_it_says_how_to_give_them() {
    let dir = folder(&[]);
    // two levels down, so that nothing beside the folder of temporary files can be taken for ../shared/data
    let far = dir.path().join("far/away");
    std::fs::create_dir_all(&far).unwrap();
    for args in [["repro", "label-integration"], ["repro", "quality"], ["repro", "labelme"], ["repro", "max-mig"]] {
        let run = common::crowdwise(&far, &args).env_remove("CROWDWISE_DATA").output().unwrap();
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{said}");
        assert!(said.contains("error[no-data]") && said.contains("--data DIR"), "{said}");
    }
    std::fs::create_dir(dir.path().join("trec")).unwrap();
    let said = run_in(dir.path(), &["repro", "label-integration", "--data", "."]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("trec, bluebird, rte, dog"), "{}", said.stderr);
}

/// A folder with one small set in it.
fn small() -> tempfile::TempDir {
    let dir = folder(&[]);
    let set = dir.path().join("small");
    std::fs::create_dir(&set).unwrap();
    let made = ["simulate", "one-coin", "-o", "made", "--items", "60", "--annotators", "8", "-q"];
    run_in(dir.path(), &made).ok();
    let read = |f: &str| std::fs::read_to_string(dir.path().join("made").join(f)).unwrap();
    let rest = |text: String, header: &str| format!("{header}\n{}", text.split_once('\n').unwrap().1);
    std::fs::write(set.join("answers.csv"), rest(read("answers.csv"), "item,worker,label")).unwrap();
    std::fs::write(set.join("truth.csv"), rest(read("truth.csv"), "item,label")).unwrap();
    dir
}

#[test]
fn quality_has_every_method_and_figure() {
    let dir = small();
    let page = run_in(dir.path(), &["repro", "quality", "--data", ".", "--format", "json", "-q"]).ok().json();
    let figures = page["figures"].as_array().unwrap();
    let plain = |e: &&crowdwise::Entry| e.info.needs == crowdwise::Needs::NOTHING;
    let of_classes =
        crowdwise::methods().filter(plain).filter(|e| e.info.accepts.contains(&crowdwise::LabelKind::Categorical));
    assert_eq!(figures.len(), of_classes.count());
    let auto = figures.iter().find(|f| f["method"] == "auto").unwrap();
    for field in ["accuracy", "log_loss", "ece", "seconds", "rank"] {
        assert!(auto[field].is_number(), "{auto}");
    }
    let args = ["repro", "quality", "--data", ".", "-m", "auto,majority-vote", "-o", "q.md", "-q"];
    run_in(dir.path(), &args).ok();
    let page = std::fs::read_to_string(dir.path().join("q.md")).unwrap();
    assert!(page.starts_with("# ") && page.contains("\n## Log-loss\n\n| method | small |\n|---|---|\n| "), "{page}");
    let args = ["repro", "quality", "--data", ".", "--sets", "small,large"];
    let run = run_in(dir.path(), &args);
    assert!(run.code == 2 && run.stderr.contains("of large is missing"), "{}", run.block());
}

#[test]
fn scaling_measures_each_fit_in_a_process_of_its_own() {
    let dir = folder(&[]);
    let args = ["repro", "scaling", "-m", "majority-vote,dawid-skene", "--max", "10000", "--format", "json"];
    let page = run_in(dir.path(), &args).ok().json();
    let figures = page["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 2);
    for f in figures {
        assert!(f["labels"] == 10_000 && f["items"] == 2000 && f["annotators"] == 20, "{f}");
        assert!(f["seconds"].as_f64().unwrap() > 0.0, "{f}");
        if cfg!(target_os = "linux") {
            assert!((1.0..500.0).contains(&f["peak_mb"].as_f64().unwrap()), "{f}");
        }
    }
    // no time at all: what is left out has a reason
    let args = ["repro", "scaling", "-m", "majority-vote", "--max", "1000000", "--limit", "0", "--format", "json"];
    let page = run_in(dir.path(), &args).ok().json();
    let last = page["figures"].as_array().unwrap().last().unwrap().clone();
    assert!(last["seconds"].is_null() && !last["left_out"].as_str().unwrap().is_empty(), "{last}");
    let run = run_in(dir.path(), &["repro", "scaling", "--max", "10"]);
    assert!(run.code == 2 && run.stderr.contains("10000"), "{}", run.block());
}

/// The figures of a small version of a table, each of them a finite number.
fn quick(table: &str, more: &[&str], dir: &std::path::Path) -> Vec<Value> {
    let args = [&["repro", table, "--quick", "--format", "json", "-q"], more].concat();
    let page = run_in(dir, &args).ok().json();
    let figures = page["figures"].as_array().unwrap().clone();
    assert!(!figures.is_empty());
    for f in &figures {
        let mean = f["mean"].as_f64().unwrap_or(f64::NAN);
        assert!((-1.0..=100.0).contains(&mean) && f["runs"].as_i64().unwrap() >= 1, "{f}");
    }
    figures
}

fn mean(figures: &[Value], setting: &str, method: &str, figure: &str) -> f64 {
    let is = |f: &&Value| {
        f["setting"].as_str().unwrap().starts_with(setting) && f["method"] == method && f["figure"] == figure
    };
    let found: Vec<&Value> = figures.iter().filter(is).collect();
    assert_eq!(found.len(), 1, "{setting} {method} {figure}");
    found[0]["mean"].as_f64().unwrap()
}

#[test]
fn learners_find_who_knows_and_are_not_misled_by_copies() {
    let dir = folder(&[]);
    let figures = quick("max-mig", &[], dir.path());
    let of = |case: &str, method: &str| mean(&figures, &format!("simulated, {case}"), method, "classifier");
    // those who always say the same outvote the experts
    assert!(of("naive majority, H", "majority vote") < 65.0);
    assert!(of("naive majority, H", "max-mig") > of("naive majority, H", "majority vote") + 5.0);
    let coin = |method: &str| mean(&figures, "a hundred copies of a coin", method, "labels");
    // 93.7 and 46.7 in the small version: chance is 50
    assert!(coin("max-mig") > 90.0 && coin("aggnet") < 60.0, "{} {}", coin("max-mig"), coin("aggnet"));
}

#[test]
fn tables_without_data_are_made_and_kept() {
    let dir = folder(&[]);
    let first = quick("dlc", &["--keep", "kept.jsonl", "--seeds", "2"], dir.path());
    let lines = || std::fs::read_to_string(dir.path().join("kept.jsonl")).unwrap().lines().count();
    assert_eq!(lines(), 4, "two settings, two seeds");
    assert_eq!(quick("dlc", &["--keep", "kept.jsonl", "--seeds", "2"], dir.path()), first);
    assert_eq!(lines(), 4, "nothing was done again");
    let figures = quick("deep-bp", &[], dir.path());
    for method in
        ["majority-vote", "mean-field", "belief-propagation", "deep-mf", "deep-bp", "crowd-layer", "bayes-dgc"]
    {
        let right = mean(&figures, "accuracies from Beta", method, "labels");
        assert!(right > 60.0, "{method}: {right}");
    }
    let classifiers = figures.iter().filter(|f| f["figure"] == "classifier").count();
    assert_eq!(classifiers, 4 + 4 + 4 + 2 + 4);
    run_in(dir.path(), &["repro", "dlc", "--quick", "-o", "dlc.md", "-q"]).ok();
    let page = std::fs::read_to_string(dir.path().join("dlc.md")).unwrap();
    assert!(page.starts_with("# ") && page.contains("`--quick`"), "{page}");
}

#[test]
fn tables_of_real_crowds_have_every_learner() {
    let Some(data) = data() else { return };
    let dir = folder(&[]);
    let data = ["--data", data.to_str().unwrap()];
    let figures = quick("labelme", &data, dir.path());
    for entry in crowdwise::learn::METHODS {
        for set in ["labelme", "music"] {
            let has = |f: &Value| f["method"].as_str().unwrap().starts_with(entry.info.id) && f["setting"] == set;
            assert!(figures.iter().any(has), "{} on {set}", entry.info.id);
        }
    }
    let figures = quick("bayes-dgc", &data, dir.path());
    for method in ["majority-vote", "dawid-skene", "bayes-dawid-skene", "raykar", "bayes-dgc"] {
        assert!(figures.iter().any(|f| f["method"] == method), "{method}");
    }
}

#[test]
fn unfair_annotators_make_unfair_labels() {
    let args = ["repro", "fairness", "--items", "600", "--repeats", "2", "--format", "json"];
    let json = run_in(tempfile::tempdir().unwrap().path(), &args).ok().json();
    let all = json["figures"].as_array().unwrap();
    assert_eq!(all.len(), 4 * 4 * 4);
    let of = |bias: f64, method: &str, figure: &str| {
        let found = all.iter().find(|f| f["bias"] == bias && f["method"] == method && f["figure"] == figure);
        found.unwrap()["mean"].as_f64().unwrap()
    };
    for method in ["majority-vote", "dawid-skene", "fair-confusion", "crowd-layer"] {
        assert!((1.0..40.0).contains(&of(0.0, method, "error")), "{method}");
    }
    assert!(of(0.4, "majority-vote", "fpr_gap") > of(0.0, "majority-vote", "fpr_gap") + 5.0);
}

#[test]
fn groups_as_a_table_and_a_picture() {
    let dir = folder(&[]);
    let args = ["repro", "groups", "--max", "500", "--repeats", "2", "--svg", "g.svg", "--format", "json"];
    let page = run_in(dir.path(), &args).ok().json();
    let figures = page["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 3 * 4);
    let of = |items: u64, method: &str| {
        let f = figures.iter().find(|f| f["items"] == items && f["method"] == method).unwrap();
        f["accuracy"].as_f64().unwrap()
    };
    for items in [100, 200, 500] {
        let blind = of(items, "majority-vote").max(of(items, "dawid-skene"));
        assert!(of(items, "group-aware-vote").min(of(items, "group-aware-em")) > blind + 10.0, "{figures:#?}");
    }
    let picture = std::fs::read_to_string(dir.path().join("g.svg")).unwrap();
    assert!(picture.starts_with("<svg xmlns") && picture.contains(">group-aware-em<"), "{picture}");
    let run = run_in(dir.path(), &["repro", "groups", "--max", "10"]);
    assert!(run.code == 2 && run.stderr.contains("100"), "{}", run.block());
}

/// Two sets and three orders: the errors of the page are those of its figures, and predictions are not absurd.
#[test]
fn the_planner_predicts_what_recorded_labels_gave() {
    let Some(data) = data() else { return };
    let dir = folder(&[]);
    let args = ["repro", "planner", "--data", data.to_str().unwrap(), "--sets", "bluebird,temp", "--pilots", "3"];
    let more = ["--orderings", "3", "--format", "json", "-q"];
    let run = run_in(dir.path(), &[&args[..], &more].concat());
    assert!(run.code < 2, "{}", run.block());
    let page = run.json();
    let figures = page["figures"].as_array().unwrap();
    // bluebird has 39 labels per item (5, 10, 20), temp 10 (5, 10); three orders; no gold, 50, 200
    assert_eq!(figures.len(), (3 + 2) * 3 * 3);
    let of = |f: &Value, field: &str| f[field].as_f64().unwrap();
    let mean = |gold: i64| {
        let own: Vec<&Value> = figures.iter().filter(|f| f["gold"] == gold).collect();
        for f in &own {
            assert!((of(f, "error") - 100.0 * (of(f, "predicted") - of(f, "realised"))).abs() < 1e-9);
            assert!(of(f, "low") <= of(f, "predicted") && of(f, "predicted") <= of(f, "high"));
        }
        let covered = own.iter().filter(|f| of(f, "low") <= of(f, "realised") && of(f, "realised") <= of(f, "high"));
        assert!(covered.count() as f64 >= 0.8 * own.len() as f64);
        own.iter().map(|f| of(f, "error").abs()).sum::<f64>() / own.len() as f64
    };
    assert!(mean(0) < 10.0 && mean(50) < 7.0 && mean(200) < 6.0, "{} {} {}", mean(0), mean(50), mean(200));
    let run = run_in(dir.path(), &[&args[..], &["--orderings", "0"]].concat());
    assert!(run.code == 2 && run.stderr.contains("--orderings"), "{}", run.block());
}
