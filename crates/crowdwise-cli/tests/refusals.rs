//! What is asked for and cannot be done is refused, never ignored.

mod common;

use common::{VOTES, folder, run_in};

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
fn a_missing_folder_is_named() {
    let dir = folder(&[("votes.csv", VOTES)]);
    let said = refused(dir.path(), &["fit", "votes.csv", "-o", "not/there/labels.csv"]);
    assert!(said.contains("there is no folder `not/there`"), "{said}");
    assert!(!said.contains("os error"), "{said}");
}
