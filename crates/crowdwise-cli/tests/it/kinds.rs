//! Every kind of answer through every command: made, looked at, fitted, compared, reported.

use crate::common;

use common::{folder, run_in};
use serde_json::Value;
use std::path::Path;

/// A simulated folder of one kind, and the options with which its answers are read.
struct Kind {
    dir: tempfile::TempDir,
    input: Vec<&'static str>,
}

impl Kind {
    fn new(model: &str, more: &[&str], input: &[&'static str]) -> Kind {
        let dir = folder(&[]);
        let mut args = vec!["simulate", model, "--seed", "4", "-o", ".", "-q"];
        args.extend(more);
        run_in(dir.path(), &args).ok();
        Kind { dir, input: input.to_vec() }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn run(&self, command: &str, more: &[&str]) -> common::Run {
        let mut args = vec![command, "answers.csv"];
        args.extend(&self.input);
        args.extend(more);
        run_in(self.path(), &args).ok()
    }

    fn json(&self, command: &str, more: &[&str]) -> Value {
        let more: Vec<&str> = more.iter().copied().chain(["--format", "json", "-q"]).collect();
        self.run(command, &more).json()
    }

    /// All commands that look at answers; the report comes back.
    fn every_command(&self, method: &str) -> String {
        let one = [method];
        let method: &[&str] = if method.is_empty() { &[] } else { &["-m", one[0]] };
        self.run("inspect", &[]);
        self.run("annotators", &[method, &["--format", "csv"]].concat());
        self.run("items", &[method, &["-n", "3", "--format", "csv"]].concat());
        self.run("report", &[method, &["--truth", "truth.csv", "-o", "report.html"]].concat());
        let page = std::fs::read_to_string(self.path().join("report.html")).unwrap();
        for bad in [">NaN", ">inf<", "NaN%", "NaN to"] {
            assert!(!page.contains(bad), "{bad}");
        }
        page
    }
}

fn number(v: &Value, path: &str) -> f64 {
    v.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {path} in {v}"))
}

/// The rows of a comparison by method.
fn methods(v: &Value) -> Vec<&str> {
    v["methods"].as_array().unwrap().iter().filter_map(|m| m["method"].as_str()).collect()
}

#[test]
fn sets() {
    let kind = Kind::new("sets", &["--items", "150", "--annotators", "8", "--accuracy", "0.85"], &["--sets"]);
    kind.every_command("");
    let fit = kind.json("fit", &["-m", "binary-relevance", "--truth", "truth.csv"]);
    let e = &fit["evaluation"]["sets"];
    assert_eq!((e["items"].as_u64(), e["units"].as_u64()), (Some(150), Some(450)));
    assert!(number(e, "/exact_match") > 0.75 && number(e, "/micro_f1") > 0.85, "{e}");
    assert!(number(e, "/jaccard") > 0.8 && number(e, "/macro_f1") > 0.85 && number(e, "/hamming") < 0.1, "{e}");
    let said = kind.run("fit", &["-m", "majority-vote", "--truth", "truth.csv", "-o", "x.csv"]).stderr;
    assert!(said.contains("against truth.csv (450 units of 150 items):") && said.contains("exact sets 0."), "{said}");
    let all = kind.run("compare", &["--truth", "truth.csv", "--folds", "0", "--format", "csv"]).stdout;
    assert!(all.lines().next().unwrap().contains("exact_match,jaccard,hamming,set_micro_f1,set_macro_f1"), "{all}");
    assert!(all.contains("binary-relevance"), "{all}");
    // truth may be units too, and gold works the same way
    let units = kind.run("fit", &["-m", "majority-vote", "--format", "csv", "-q"]).stdout;
    let rows: Vec<String> = units.lines().map(|l| l.rsplit_once(',').unwrap().0.to_owned()).collect();
    std::fs::write(kind.path().join("units.csv"), rows.join("\n") + "\n").unwrap();
    let same = kind.json("fit", &["-m", "majority-vote", "--truth", "units.csv"]);
    assert_eq!(number(&same, "/evaluation/sets/hamming"), 0.0);
    let told = kind.json("fit", &["-m", "dawid-skene", "--gold", "truth.csv", "--truth", "truth.csv"]);
    assert_eq!(told["evaluation"]["gold_left_out"].as_u64(), Some(450));
}

#[test]
fn graph() {
    let made = ["--items", "400", "--annotators", "10", "--accuracy", "0.6", "--per-item", "3", "-p", "stay=0.9"];
    let kind = Kind::new("graph", &made, &["--graph", "graph.csv"]);
    let page = kind.every_command("ds-mrf");
    assert!(page.contains("400"), "the page has the items");
    let text = kind.run("inspect", &[]).stdout;
    assert!(text.contains("pairs of neighbours") && text.contains("760"), "{text}");
    let accuracy = |method: &str| {
        let fit = kind.json("fit", &["-m", method, "--truth", "truth.csv"]);
        number(&fit, "/evaluation/accuracy")
    };
    let (alone, together) = (accuracy("majority-vote"), accuracy("ds-mrf"));
    assert!(together > alone + 0.05, "neighbours help: {alone} {together}");
    assert!(methods(&kind.json("compare", &["--folds", "0"])).contains(&"ds-mrf"));
    let fit = kind.run("fit", &[]);
    assert!(fit.stderr.contains("`ds-mrf` was used: the items have neighbours"), "{}", fit.stderr);
    // another simulation in the same folder leaves no graph of the first behind
    run_in(kind.path(), &["simulate", "real", "--items", "9", "-o", ".", "--force", "-q"]).ok();
    assert!(!kind.path().join("graph.csv").exists());
}

#[test]
fn rankings() {
    let made = ["--items", "12", "--annotators", "6", "--per-item", "3", "-p", "ranked=5", "-p", "noise_spread=0.2"];
    let kind = Kind::new("rankings", &made, &[]);
    kind.every_command("");
    let board = kind.json("rank", &["--truth", "truth.csv"]);
    assert_eq!(board["method"], "plackett-luce");
    assert!(number(&board, "/evaluation/kendall") > 0.8, "{}", board["evaluation"]);
    let said = kind.run("rank", &["--format", "csv"]).stderr;
    assert!(said.contains("method: plackett-luce, because answers.csv has 180 rankings"), "{said}");
    assert!(said.contains("180 rankings of 5.0 items on average, which are 1 800 comparisons"), "{said}");
    let fit = kind.json("fit", &["-m", "plackett-luce"]);
    assert_eq!(fit["details"]["rankings"], 180);
    // methods for comparisons work on the same file, and say what they assume
    let other = kind.json("rank", &["-m", "crowd-bt"]);
    assert!(other["findings"].to_string().contains("rankings-as-pairs"), "{}", other["findings"]);
    assert!(!board["findings"].to_string().contains("rankings-as-pairs"));
    let text = kind.run("inspect", &[]).stdout;
    assert!(text.contains("rankings") && text.contains("180, of 5 items"), "{text}");
    assert!(
        text.contains("Kendall's τ") && !text.contains("left / right won") && !text.contains("position-bias"),
        "{text}"
    );
    let all = kind.json("compare", &["--folds", "2"]);
    assert!(methods(&all).contains(&"plackett-luce") && methods(&all).contains(&"bradley-terry"), "{all}");
    assert!(number(&all, "/methods/0/held_out_log_loss") < 0.65, "{all}");
    // only the top of a ranking, and back from a conversion
    run_in(kind.path(), &["simulate", "rankings", "--items", "8", "-p", "top=1", "-o", "top", "-q"]).ok();
    let at = |file: &str| run_in(kind.path(), &["rank", file, "--format", "csv", "-q"]).ok().stdout;
    run_in(kind.path(), &["convert", "top/answers.csv", "-o", "top/places.csv"]).ok();
    assert_eq!(at("top/answers.csv").lines().count(), 9);
    let scores = |text: &str| {
        let mut all: Vec<String> = text
            .lines()
            .skip(1)
            .map(|l| {
                l.split(',')
                    .skip(1)
                    .take(2)
                    .map(|c| c.chars().take(8).collect::<String>())
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        all.sort();
        all
    };
    assert_eq!(scores(&at("top/answers.csv")), scores(&at("top/places.csv")));
}

#[test]
fn sequences() {
    let kind = Kind::new("sequences", &["--items", "300", "--annotators", "8"], &[]);
    kind.every_command("ds-hmm");
    let text = kind.run("inspect", &[]).stdout;
    assert!(text.contains("tokens") && text.contains("sequences") && text.contains("labels per token"), "{text}");
    let all = kind.json("compare", &["-m", "majority-vote,ds-hmm", "--folds", "0", "--truth", "truth.csv"]);
    assert!(number(&all, "/methods/1/evaluation/accuracy") > number(&all, "/methods/0/evaluation/accuracy"), "{all}");
    assert!(methods(&kind.json("compare", &["--folds", "0"])).contains(&"ds-hmm"));
    // the default chooses between tokens one by one and sequences, and says so
    let fit = kind.json("fit", &[]);
    assert_eq!(fit["method"], "auto");
    let used = fit["details"]["used"][0].as_str().unwrap();
    assert!(["bayes-seq", "dawid-skene"].contains(&used), "{used}");
}

#[test]
fn words_of_a_text_are_shown() {
    let root = common::root();
    let dir = folder(&[]);
    for name in ["tags.conll", "tags-truth.conll"] {
        std::fs::copy(root.join("examples").join(name), dir.path().join(name)).unwrap();
    }
    let args = ["report", "tags.conll", "-m", "bayes-seq", "--truth", "tags-truth.conll", "-o", "r.html", "-q"];
    run_in(dir.path(), &args).ok();
    let page = std::fs::read_to_string(dir.path().join("r.html")).unwrap();
    assert!(page.contains(">Byron<") && page.contains("title=\"s1:1\""), "words stand above the tags");
    let rows = run_in(dir.path(), &["items", "tags.conll", "-m", "ds-hmm", "-n", "2", "--format", "csv", "-q"]).ok();
    assert!(rows.stdout.starts_with("item,sequence,position,word,label,"), "{}", rows.stdout);
    // a kept fit has them from its answers; a file without text has none
    run_in(dir.path(), &["fit", "tags.conll", "-m", "ds-hmm", "-o", "fit.json", "-q"]).ok();
    let args = ["items", "fit.json", "--answers", "tags.conll", "-n", "2", "--format", "csv", "-q"];
    assert!(run_in(dir.path(), &args).ok().stdout.contains("position,word,label"));
    std::fs::write(dir.path().join("bare.conll"), "_ O B-X\n_ O O\n\n_ B-X B-X\n").unwrap();
    let rows = run_in(dir.path(), &["items", "bare.conll", "-m", "majority-vote", "--format", "csv", "-q"]).ok();
    assert!(!rows.stdout.contains("word"), "{}", rows.stdout);
}

#[test]
fn values() {
    let kind = Kind::new("real", &["--items", "60", "--annotators", "8"], &[]);
    kind.every_command("");
    let text = kind.run("inspect", &[]).stdout;
    assert!(
        text.contains("Krippendorff's α") && text.contains("(interval)") && text.contains("sd within an item"),
        "{text}"
    );
    assert!(!text.contains("κ"), "kappas are of classes: {text}");
    let fit = kind.json("fit", &["--truth", "truth.csv"]);
    assert!(number(&fit, "/evaluation/correlation") > 0.9);
}

#[test]
fn grades() {
    let kind = Kind::new("dawid-skene", &["--items", "60", "--annotators", "8"], &["--ordered"]);
    assert!(kind.run("inspect", &[]).stdout.contains("(ordinal)"));
    // being one grade off is told from being four off, wherever a fit meets the truth
    let fit = kind.json("fit", &["--truth", "truth.csv"]);
    let (mae, kappa) = (number(&fit, "/evaluation/mae"), number(&fit, "/evaluation/quadratic_kappa"));
    assert!((0.0..1.0).contains(&mae) && (0.5..=1.0).contains(&kappa), "{mae} {kappa}");
    let told = kind.run("fit", &["--truth", "truth.csv"]).stderr;
    assert!(told.contains("MAE ") && told.contains("quadratic κ "), "{told}");
    let table =
        kind.run("compare", &["-m", "majority-vote", "--truth", "truth.csv", "--folds", "0", "--format", "csv"]);
    assert!(table.stdout.contains(",mae,quadratic_kappa,"), "{}", table.stdout);
    let plain = Kind::new("dawid-skene", &["--items", "60", "--annotators", "8"], &[]);
    assert!(plain.json("fit", &["--truth", "truth.csv"])["evaluation"]["mae"].is_null());
}

#[test]
fn pairs() {
    let kind = Kind::new("bradley-terry", &["--items", "12", "--annotators", "6"], &[]);
    kind.every_command("");
    let text = kind.run("inspect", &[]).stdout;
    assert!(
        text.contains("Kendall's τ") && text.contains("labels per pair") && text.contains("left / right won"),
        "{text}"
    );
    let all = methods(&kind.json("compare", &["--folds", "2"])).join(" ");
    assert!(all.contains("bradley-terry") && all.contains("crowd-bt") && !all.contains("plackett-luce"), "{all}");
}

#[test]
fn similarities() {
    let kind = Kind::new("similarities", &["--items", "20", "--annotators", "6", "--accuracy", "0.9"], &[]);
    kind.every_command("");
    let text = kind.run("inspect", &[]).stdout;
    assert!(text.contains("pairs as shown") && text.contains("labels per pair"), "{text}");
    let all = kind.run("compare", &["--folds", "2", "--truth", "truth.csv", "--format", "csv"]).stdout;
    assert!(all.contains("adjusted_rand") && all.contains("crowd-clusters"), "{all}");
}

#[test]
fn groups_and_copies() {
    let made = ["--items", "300", "--annotators", "12", "--per-item", "8", "--accuracy", "0.75", "--copy-groups", "1"];
    let kind = Kind::new("dawid-skene", &made, &[]);
    kind.every_command("group-aware-em");
    // copies count as one voice, whatever the method
    let found = |method: &str| kind.json("fit", &["-m", method])["findings"].to_string();
    for method in ["group-aware-em", "dawid-skene", "auto"] {
        let text = found(method);
        assert!(
            text.contains("\"one-voice\"") && text.contains("`a2`, `a3` and `a5` count as one voice"),
            "{method}: {text}"
        );
    }
    let honest = Kind::new("dawid-skene", &made[..8], &[]);
    let text = honest.json("fit", &["-m", "dawid-skene"])["findings"].to_string();
    assert!(!text.contains("\"copies\"") && !text.contains("\"one-voice\""), "{text}");
}
