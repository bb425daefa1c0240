//! What is asked for and cannot be done is refused, never ignored.

use crate::common;

use common::{VOTES, folder, root, run, run_in};

const GOLD: &[u8] = b"item,label\nx,cat\ny,dog\n";

/// Runs, expects exit code 2 and nothing on standard output, and gives what was said.
fn refused(dir: &std::path::Path, args: &[&str]) -> String {
    let run = run_in(dir, args);
    assert_eq!(run.code, 2, "{args:?}\n{}", run.block());
    assert!(run.stdout.is_empty(), "{args:?}\n{}", run.block());
    assert!(run.stderr.contains("crowdwise: error["), "{args:?}\n{}", run.block());
    run.stderr
}

#[test]
fn no_input_is_written_over() {
    let dir = folder(&[("votes.csv", VOTES), ("gold.csv", GOLD), ("all.csv", b"item\nx\ny\nz\nw\n")]);
    let absolute = dir.path().join("votes.csv");
    let absolute = absolute.to_str().unwrap();
    let cases: &[&[&str]] = &[
        &["fit", "votes.csv", "-o", "votes.csv"],
        &["fit", "./votes.csv", "-o", absolute],
        &["fit", "votes.csv", "--truth", "gold.csv", "-o", "gold.csv"],
        &["fit", "votes.csv", "--gold", "gold.csv", "-o", "./gold.csv"],
        &["fit", "votes.csv", "--items", "all.csv", "-o", "all.csv"],
        &["annotators", "votes.csv", "-o", "votes.csv"],
        &["items", "votes.csv", "-o", "votes.csv"],
        &["compare", "votes.csv", "--truth", "gold.csv", "-o", "gold.csv"],
        &["inspect", "votes.csv", "-o", "votes.csv"],
        &["convert", "votes.csv", "-o", "votes.csv"],
    ];
    for args in cases {
        let said = refused(dir.path(), args);
        assert!(said.contains("which would be lost"), "{args:?}: {said}");
    }
    let kept = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(kept("votes.csv") == VOTES && kept("gold.csv") == GOLD);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 3, "nothing was left behind");
}

#[test]
fn all_unreadable_files_are_named() {
    let dir = folder(&[("votes.csv", VOTES)]);
    let said = refused(dir.path(), &["fit", "votes.csv", "--truth", "no-truth.csv", "--gold", "no-gold.csv"]);
    assert!(said.contains("no-truth.csv") && said.contains("no-gold.csv"), "{said}");
}

#[test]
fn a_missing_folder_is_named() {
    let dir = folder(&[("votes.csv", VOTES)]);
    let said = refused(dir.path(), &["fit", "votes.csv", "-o", "not/there/labels.csv"]);
    assert!(said.contains("there is no folder `not/there`"), "{said}");
    assert!(!said.contains("os error"), "{said}");
}

#[test]
fn orders_that_a_fit_does_not_have() {
    let said = refused(&root(), &["items", "examples/demo.csv", "--by", "difficulty", "-q"]);
    assert!(said.contains("auto gives no difficulty; glad does"), "{said}");
    let said = refused(&root(), &["items", "examples/ratings.csv", "--by", "margin", "-q"]);
    assert!(said.contains("these are real labels") && said.contains("--by disagreement"), "{said}");
    let said = refused(&root(), &["annotators", "examples/ratings.csv", "--by", "accuracy", "-q"]);
    assert!(said.contains("auto gives no accuracy") && said.contains("labels, flags"), "{said}");
    // what works still does, also from a kept fit
    run(&["items", "examples/demo.csv", "-m", "glad", "--by", "difficulty", "-q"]).ok();
    let dir = folder(&[("votes.csv", VOTES)]);
    run_in(dir.path(), &["fit", "votes.csv", "-m", "majority-vote", "-o", "mv.json", "-q"]).ok();
    let said = refused(dir.path(), &["items", "mv.json", "--by", "difficulty", "-q"]);
    assert!(said.contains("majority-vote gives no difficulty"), "{said}");
}

#[test]
fn a_kept_fit_takes_its_own_answers_only() {
    let other = String::from_utf8_lossy(VOTES).replace("z,c,cat", "z,c,dog");
    let bird = b"item,label\nx,bird\ny,dog\n";
    let dir = folder(&[("votes.csv", VOTES), ("other.csv", other.as_bytes()), ("bird.csv", bird)]);
    run_in(dir.path(), &["fit", "votes.csv", "-o", "fit.json", "-q"]).ok();
    let said = refused(dir.path(), &["items", "fit.json", "--answers", "other.csv", "-q"]);
    assert!(said.contains("not the answers that fit.json was made from"), "{said}");
    for by in ["entropy", "disagreement"] {
        let kept = run_in(dir.path(), &["items", "fit.json", "--answers", "votes.csv", "--by", by, "-q"]).ok();
        assert_eq!(kept.stdout, run_in(dir.path(), &["items", "votes.csv", "--by", by, "-q"]).ok().stdout, "{by}");
    }
    let said = refused(dir.path(), &["items", "fit.json", "--by", "disagreement", "-q"]);
    assert!(said.contains("--answers FILE"), "{said}");
    let said = refused(dir.path(), &["items", "votes.csv", "--answers", "votes.csv", "-q"]);
    assert!(said.contains("--answers goes with a kept fit"), "{said}");
    // a class that only the gold labels know does not make the answers others
    run_in(dir.path(), &["fit", "votes.csv", "--gold", "bird.csv", "-o", "gold.json", "-q"]).ok();
    run_in(dir.path(), &["items", "gold.json", "--answers", "votes.csv", "-q"]).ok();
}

#[test]
fn disagreement_about_values_is_the_same_from_a_kept_fit() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["ratings.csv", "demo.csv"] {
        let answers = root().join("examples").join(file);
        let answers = answers.to_str().unwrap();
        run_in(dir.path(), &["fit", answers, "-o", "fit.json", "-q"]).ok();
        let kept = ["items", "fit.json", "--answers", answers, "--by", "disagreement", "-q"];
        let fresh = ["items", answers, "--by", "disagreement", "-q"];
        assert_eq!(run_in(dir.path(), &kept).ok().stdout, run_in(dir.path(), &fresh).ok().stdout, "{file}");
    }
}

#[test]
fn negative_numbers_are_told_what_is_allowed() {
    for (args, says) in [
        (
            &["fit", "votes.csv", "--seed", "-1"][..],
            "`-1` is not a valid value for --seed <N>: expected a whole number of at least 0",
        ),
        (&["items", "votes.csv", "-n", "-3"], "expected a whole number of at least 0"),
        (&["fit", "votes.csv", "--threads", "-2"], "-2 is not in 1..=65535"),
        (&["inspect", "votes.csv", "--seed", "-1"], "expected a whole number of at least 0"),
        (&["simulate", "one-coin", "-o", "made", "--items", "-5"], "expected a whole number of at least 0"),
        (&["simulate", "one-coin", "-o", "made", "--spammers", "-0.5"], "`spammers` is -0.5"),
        (&["compare", "votes.csv", "--folds", "-1"], "expected 0 (no held-out score) or a whole number from 2"),
        (&["compare", "votes.csv", "--folds", "1"], "expected 0 (no held-out score) or a whole number from 2"),
    ] {
        let dir = folder(&[("votes.csv", VOTES)]);
        let said = refused(dir.path(), args);
        assert!(said.contains(says), "{args:?}: {said}");
    }
}

#[test]
fn nothing_that_was_asked_for_is_ignored() {
    let dir = folder(&[("votes.csv", VOTES), ("ratings.csv", b"item,annotator,value\nx,a,1.5\nx,b,2\ny,a,3\n")]);
    let cases: &[(&[&str], &str)] = &[
        (
            &["fit", "votes.csv", "-m", "dawid-skene", "-p", "tol=1", "-p", "tol=2"],
            "parameter `tol` was given more than once",
        ),
        (&["compare", "votes.csv", "-m", "glad,glad"], "the method `glad` was given more than once"),
        (&["compare", "votes.csv", "-m", "dawid-skene,ds-em"], "the method `dawid-skene` was given more than once"),
        (&["compare", "votes.csv", "-m", "all,glad"], "`all` goes with no other method"),
        (&["compare", "votes.csv", "-m", "majority-vote", "-p", "glad.tol=1"], "glad is not compared"),
        (&["compare", "votes.csv", "-p", "glad.tol=1", "-p", "glad.tol=2"], "`glad.tol` was given more than once"),
        (&["convert", "votes.csv", "--format", "table"], "csv, tsv, jsonl, json"),
        (&["convert", "votes.csv", "-o", "votes.txt"], "csv, tsv, jsonl, json"),
        (&["report", "votes.csv", "-o", "x.pdf"], "does not end in .html"),
        (&["report", "votes.csv", "-o", "x.html", "--folds", "3"], "--compare"),
        (&["fit", "ratings.csv", "--posterior"], "--posterior is for classes"),
        (&["simulate", "one-coin", "-o", "made", "--class-names", "a,b,a"], "class name `a` was given more than once"),
        (
            &["simulate", "one-coin", "-o", "made", "--classes", "3", "--class-names", "a"],
            "3 classes, but 1 class name",
        ),
        (&["simulate", "real", "-o", "made", "--class-names", "a,b,c"], "the model has no classes"),
        (&["simulate", "glad", "-o", "made", "--accuracy", "0.9"], "`accuracy` has no effect under the model glad"),
        (
            &["simulate", "one-coin", "-o", "made", "-p", "ties=0.5", "-p", "pairs=9"],
            "`ties`, `pairs` have no effect under the model one-coin",
        ),
        (&["simulate", "one-coin", "-o", "made", "--items", "9", "-p", "items=8"], "`items` was given more than once"),
    ];
    for (args, says) in cases {
        let said = refused(dir.path(), args);
        assert!(said.contains(says), "{args:?}: {said}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "nothing was made");
}

#[test]
fn an_earlier_simulation_is_kept_unless_forced() {
    let dir = tempfile::tempdir().unwrap();
    let args = |seed| ["simulate", "one-coin", "-o", "made", "--items", "20", "--seed", seed, "-q"];
    run_in(dir.path(), &args("1")).ok();
    let read = || std::fs::read(dir.path().join("made/answers.csv")).unwrap();
    let first = read();
    let said = refused(dir.path(), &args("2"));
    assert!(
        said.contains("made already has answers.csv, truth.csv, annotators.csv") && said.contains("--force"),
        "{said}"
    );
    assert!(read() == first);
    run_in(dir.path(), &[&args("2")[..], &["--force"]].concat()).ok();
    assert!(read() != first);
    // features of other items do not stay beside the new ones
    let features = dir.path().join("made/features.npy");
    run_in(dir.path(), &[&args("2")[..], &["--force", "--features", "2"]].concat()).ok();
    assert!(features.exists());
    run_in(dir.path(), &[&args("3")[..], &["--force"]].concat()).ok();
    assert!(!features.exists());
}

#[test]
fn a_comparison_in_which_nothing_ran_fails() {
    let args = ["compare", "examples/ratings.csv", "-m", "glad,dawid-skene", "-q"];
    let said = refused(&root(), &args);
    assert_eq!(said.matches("error[wrong-label-kind]").count(), 2, "{said}");
    // one that ran is enough
    let one = run(&["compare", "examples/ratings.csv", "-m", "glad,mean", "--folds", "0", "-q"]).ok();
    assert!(one.stdout.contains("glad needs categorical labels"), "{}", one.stdout);
}

#[test]
fn advice_names_parameters_that_the_method_has() {
    let run = run(&["fit", "examples/demo.csv", "-m", "dawid-skene", "-p", "max_iter=1", "-o", "-"]).ok();
    assert!(run.stderr.contains("`-p max_iter=N` allows more"), "{}", run.stderr);
}
