//! Inputs that once broke the program: each ends in a message, and nothing is lost. Numbers are those of the list of failures
//! from which the inputs come; the small ones lie in `attacks/`, the large ones are made here.

use crate::common;

use common::{Run, VOTES, crowdwise, folder, run_in};
use std::path::Path;

fn input(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attacks").join(name)).expect("it is there")
}

/// The run was refused: exit code 2, an error with this code that says this, no panic.
fn refused(run: &Run, code: &str, says: &str) {
    assert_eq!(run.code, 2, "{}", run.block());
    assert!(run.stderr.contains(&format!("error[{code}]")) && run.stderr.contains(says), "{says}\n{}", run.block());
    assert!(!run.stderr.contains("panicked"), "{}", run.block());
}

/// A folder with answers and features to learn from.
fn to_learn() -> tempfile::TempDir {
    folder(&[("votes.csv", &input("f03_votes.csv")), ("x.npy", &input("f03_x.npy"))])
}

const QUICK: [&str; 4] = ["-p", "epochs=2", "-p", "holdout=0"];

#[test]
fn failure_01_a_model_does_not_replace_what_it_was_learned_from() {
    let dir = to_learn();
    for target in ["votes.csv", "./x.npy"] {
        let args = ["learn", "votes.csv", "--features", "x.npy", "--model-out", target];
        refused(&run_in(dir.path(), &args), "usage", "which would be lost");
    }
    assert_eq!(std::fs::read(dir.path().join("votes.csv")).unwrap(), input("f03_votes.csv"));
    assert_eq!(std::fs::read(dir.path().join("x.npy")).unwrap(), input("f03_x.npy"));
}

#[test]
fn failure_02_a_method_of_sequences_leaves_no_classifier_and_says_so() {
    let sequences = b"sequence,position,annotator,label\ns,0,a,x\ns,1,a,y\n";
    let dir = folder(&[("seq.csv", sequences), ("x.csv", b"f\n1\n2\n")]);
    let run = run_in(dir.path(), &["learn", "seq.csv", "--features", "x.csv", "-m", "crf-crowd"]);
    refused(&run, "usage", "leaves no classifier");
    assert!(run.stderr.contains("crowdwise fit -m crf-crowd --features"), "{}", run.block());
    // what is advised where the features are missing is what works
    let run = run_in(dir.path(), &["fit", "seq.csv", "-m", "crf-crowd"]);
    refused(&run, "unsupported", "`crowdwise fit ANSWERS -m crf-crowd --features X.npy`");
    run_in(dir.path(), &["fit", "seq.csv", "-m", "crf-crowd", "--features", "x.csv"]).ok();
}

#[test]
fn failure_03_exports_of_single_items_are_no_comparisons() {
    let studio = br#"[{"id":1,"annotations":[{"completed_by":1,"result":[{"from_name":"c","type":"choices","value":{"choices":["a"]}}]}]}]"#;
    let prodigy = br#"{"_input_hash":1,"_annotator_id":"a","answer":"accept","accept":["x"]}"#;
    let files: [(&str, &[u8]); 3] =
        [("studio.json", studio), ("prodigy.jsonl", prodigy), ("mturk.csv", b"HITId,WorkerId,Answer.label\nh,w,x\n")];
    let dir = folder(&files);
    for (file, _) in files {
        for kind in ["preference", "similarity"] {
            let run = run_in(dir.path(), &["inspect", file, "--kind", kind]);
            refused(&run, "unsupported", "need two items in each row");
        }
        run_in(dir.path(), &["inspect", file]).ok();
    }
}

#[test]
fn failures_04_09_10_hostile_models_are_refused() {
    let dir = to_learn();
    for (name, says) in [
        ("f04_memory.cw", "sizes contradict"),
        ("f04_capacity.cw", "sizes contradict"),
        ("f05_no_classes.cw", "no classes"),
        ("f06_limit.cw", "`limit`"),
        ("f07_inf_weights.cw", "not all finite"),
        ("f07_nan_weights.cw", "not all finite"),
    ] {
        std::fs::write(dir.path().join("m.cw"), input(name)).unwrap();
        refused(&run_in(dir.path(), &["predict", "m.cw", "--features", "x.npy"]), "unreadable", says);
    }
}

#[test]
fn failure_10_a_training_that_diverges_is_no_result() {
    let dir = to_learn();
    let mut args = vec!["learn", "votes.csv", "--features", "x.npy", "--model-out", "m.cw", "-p", "learning_rate=1e30"];
    args.extend(QUICK);
    let run = run_in(dir.path(), &args);
    // either it is refused and nothing written, or the result says that it is of no use
    if run.code == 0 {
        assert!(run.stderr.contains("problem["), "{}", run.block());
    } else {
        refused(&run, "not-finite", "diverged");
        assert!(!dir.path().join("m.cw").exists());
    }
}

#[test]
fn failure_06_numbers_that_overflow_end_in_a_message() {
    let dir = folder(&[("two.csv", b"item,annotator,label\n1,a,x\n1,b,y\n")]);
    let run = run_in(dir.path(), &["fit", "two.csv", "-m", "glad", "-p", "alpha_mean=1e308", "--format", "json"]);
    refused(&run, "bad-parameter", "`alpha_mean` is 1e308");
}

#[test]
fn failure_15_restarts_and_chains_have_a_limit() {
    let dir = folder(&[("votes.csv", VOTES)]);
    for (method, param) in [
        ("mace", "restarts=9223372036854775807"),
        ("mace", "restarts=4294967296"),
        ("community-bcc", "restarts=9223372036854775807"),
        ("ibcc", "chains=9223372036854775808"),
        ("crowd-svm", "chains=9223372036854775808"),
    ] {
        refused(
            &run_in(dir.path(), &["fit", "votes.csv", "-m", method, "-p", param]),
            "bad-parameter",
            "at most 10000",
        );
    }
}

#[test]
fn failure_16_no_result_is_empty_without_a_word() {
    let pairs = b"left,right,annotator,winner\na,b,w,a\nb,c,w,b\n";
    let overflow = b"item,annotator,value\n1,a,1e308\n1,b,-1e308\n2,a,1\n2,b,2\n";
    let wild = b"item,annotator,value\n1,a,1e200\n1,b,3\n2,a,1\n2,b,2\n";
    let dir = folder(&[
        ("ratings.csv", &input("f13_ratings.csv")),
        ("pairs.csv", pairs),
        ("overflow.csv", overflow),
        ("wild.csv", wild),
    ]);
    for (file, method, param) in [
        ("ratings.csv", "level-propagation", "least=1e308"),
        ("ratings.csv", "mean", "pooling=1e308"),
        ("ratings.csv", "median", "pooling=1e308"),
        ("ratings.csv", "trimmed-mean", "pooling=1e308"),
        ("pairs.csv", "rank-centrality", "alpha=1e308"),
    ] {
        let command = if file == "pairs.csv" { "rank" } else { "fit" };
        refused(&run_in(dir.path(), &[command, file, "-m", method, "-p", param]), "bad-parameter", "at most 1e60");
    }
    for file in ["overflow.csv", "wild.csv"] {
        refused(&run_in(dir.path(), &["fit", file]), "bad-data", "too large to calculate with");
        refused(&run_in(dir.path(), &["fit", file, "-m", "mean"]), "bad-data", "of annotator `a`");
    }
    // what is allowed gives numbers
    let run = run_in(dir.path(), &["fit", "ratings.csv", "-m", "mean", "-p", "pooling=1e59"]).ok();
    assert!(run.stdout.lines().skip(1).all(|l| l.split(',').all(|cell| !cell.is_empty())), "{}", run.block());
}

#[test]
fn failure_08_pairs_of_annotators_are_counted_before_room_is_made() {
    let mut text = String::from("item,annotator,label\n");
    (0..9000).for_each(|k| text.push_str(&format!("i0,a{k},{}\n", k % 2)));
    let dir = folder(&[("one_item.csv", text.as_bytes())]);
    for method in ["label-model", "lf-em", "centred-triplets"] {
        let run = run_in(dir.path(), &["fit", "one_item.csv", "-m", method, "--max-memory", "200MiB"]);
        refused(&run, "too-large", "pairs of annotators who labelled the same item");
        assert!(run.stderr.contains("--max-memory") && run.stderr.contains("majority-vote"), "{}", run.block());
    }
    run_in(dir.path(), &["fit", "one_item.csv", "-m", "majority-vote", "--max-memory", "200MiB"]).ok();
}

#[test]
fn failure_18_names_cannot_command_a_terminal_a_page_or_a_spreadsheet() {
    let mut text = String::from("item,annotator,label\n");
    for i in 0..5 {
        for a in 0..3 {
            text.push_str(&format!("i{i}\x1b[31mRED\x1b]0;pwn\x07,a{a}\x1b[2J,x{}\n", (i * a) % 2));
        }
    }
    let dir = folder(&[("escape.csv", text.as_bytes())]);
    for args in [&["inspect", "escape.csv", "--format", "table"][..], &["fit", "escape.csv", "--format", "table"]] {
        let run = run_in(dir.path(), args).ok();
        assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'), "{}", run.block());
    }
    let html = b"item,annotator,label\n<img src=x onerror=alert(1)>,=1+1,yes\n[a](http://b),@x,yes\n-1.5,+7,no\n";
    let dir = folder(&[("html.csv", html)]);
    let fit = ["fit", "html.csv", "-m", "majority-vote", "--format"];
    let page = run_in(dir.path(), &[&fit[..], &["markdown"]].concat()).ok().stdout;
    assert!(page.contains("&lt;img src=x") && !page.contains("<img") && !page.contains("[a](http"), "{page}");
    // as they are without the option, and safe with it; numbers stay numbers
    let who = ["annotators", "html.csv", "-m", "majority-vote", "--format", "csv"];
    assert!(run_in(dir.path(), &who).ok().stdout.contains("\n=1+1,"));
    let safe = run_in(dir.path(), &[&who[..], &["--spreadsheet-safe"]].concat()).ok().stdout;
    assert!(safe.contains("\n'=1+1,") && safe.contains("\n'@x,") && safe.contains("\n+7,"), "{safe}");
    let safe = run_in(dir.path(), &["convert", "html.csv", "--format", "tsv", "--spreadsheet-safe"]).ok().stdout;
    assert!(safe.contains("\t'=1+1\t") && safe.contains("\n-1.5\t+7\t"), "{safe}");
}

#[test]
fn failure_19_a_kept_fit_that_was_changed_is_refused() {
    let dir = folder(&[("votes.csv", VOTES)]);
    run_in(dir.path(), &["fit", "votes.csv", "-m", "dawid-skene", "-o", "fit.json"]).ok();
    let text = std::fs::read_to_string(dir.path().join("fit.json")).unwrap();
    let mut fit: serde_json::Value = serde_json::from_str(&text).unwrap();
    run_in(dir.path(), &["annotators", "fit.json"]).ok();
    fit["annotators"][0]["accuracy"] = 7.5.into();
    std::fs::write(dir.path().join("fit.json"), fit.to_string()).unwrap();
    refused(&run_in(dir.path(), &["annotators", "fit.json"]), "bad-data", "`accuracy` is 7.5");
}

#[test]
fn failure_19_a_kept_fit_of_a_newer_version_says_so() {
    let dir = folder(&[("votes.csv", VOTES)]);
    run_in(dir.path(), &["fit", "votes.csv", "-m", "dawid-skene", "-o", "fit.json"]).ok();
    let text = std::fs::read_to_string(dir.path().join("fit.json")).unwrap();
    let mut fit: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (version, says) in [("9.9.9", "version 9.9.9 of this program, which is newer"), ("soon", "names `soon`")] {
        fit["version"] = version.into();
        std::fs::write(dir.path().join("fit.json"), fit.to_string()).unwrap();
        let run = run_in(dir.path(), &["annotators", "fit.json"]);
        refused(&run, "unsupported", says);
        assert!(run.stderr.contains("fit.json") && run.stderr.contains("fit again with this one"), "{}", run.block());
    }
}

#[test]
fn failure_20_one_file_takes_one_result() {
    let dir = to_learn();
    let mut args = vec!["learn", "votes.csv", "--features", "x.npy", "--model-out", "f.csv", "-o", "./f.csv"];
    args.extend(QUICK);
    refused(&run_in(dir.path(), &args), "usage", "two results");
    let tags = b"sequence,position,annotator,label\ns,0,a,B-X\ns,1,a,O\n";
    std::fs::write(dir.path().join("tags.csv"), tags).unwrap();
    refused(&run_in(dir.path(), &["fit", "tags.csv", "--spans", "f.jsonl", "-o", "f.jsonl"]), "usage", "two results");
    assert!(!dir.path().join("f.csv").exists() && !dir.path().join("f.jsonl").exists());
}

#[test]
fn the_size_of_memory_needs_a_unit() {
    let dir = folder(&[("votes.csv", VOTES)]);
    refused(&run_in(dir.path(), &["fit", "votes.csv", "--max-memory", "4"]), "usage", "4GiB or 512MiB");
    run_in(dir.path(), &["fit", "votes.csv", "--max-memory", "1GiB"]).ok();
}

/// Everyday use 1.4.
#[test]
fn truth_of_a_whole_corpus_scores_what_was_answered() {
    let truth = b"item,label\nx,cat\ny,dog\nz,cat\nu,dog\nv,dog\nw,dog\n";
    let dir = folder(&[("votes.csv", VOTES), ("truth.csv", truth)]);
    let fit = ["fit", "votes.csv", "-m", "majority-vote", "--truth", "truth.csv"];
    let run = run_in(dir.path(), &fit).ok();
    let says = "against truth.csv (3 items; left out: 3 items without answers): accuracy 1.0000";
    assert!(run.stderr.contains(says), "{}", run.block());
    let e = &run_in(dir.path(), &[&fit[..], &["--format", "json"]].concat()).ok().json()["evaluation"];
    assert_eq!((&e["n"], &e["accuracy"], &e["unlabelled"]), (&3.into(), &1.0.into(), &3.into()));
    let compare = ["compare", "votes.csv", "-m", "majority-vote", "--truth", "truth.csv", "--folds", "0"];
    let run = run_in(dir.path(), &compare).ok();
    assert!(run.stderr.contains("left out: 3 items without answers"), "{}", run.block());
    run_in(dir.path(), &["report", "votes.csv", "--truth", "truth.csv", "-o", "page.html"]).ok();
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("3 items of the truth without answers are not scored"));
}

/// Everyday use 1.15.
#[test]
#[cfg(unix)]
fn a_device_is_written_to_as_a_pipe_is() {
    let dir = folder(&[("votes.csv", VOTES)]);
    for args in [&["fit", "votes.csv", "-o", "/dev/null"][..], &["report", "votes.csv", "-o", "/dev/null"]] {
        assert_eq!(run_in(dir.path(), args).ok().stdout, "");
    }
    assert!(crowdwise(dir.path(), &["convert", "votes.csv", "-o", "/dev/null"]).output().unwrap().status.success());
}
