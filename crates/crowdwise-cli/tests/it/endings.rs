//! How it ends when others end it: a reader that goes away, Ctrl-C.
#![cfg(unix)]

use crate::common;

use common::{folder, root};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn start(dir: &Path, args: &[&str]) -> Child {
    let path = assert_cmd::cargo::cargo_bin("crowdwise");
    let mut command = Command::new(path);
    command.current_dir(dir).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let dir = folder(&[]);
    let made = ["simulate", "one-coin", "-o", ".", "--items", "60000", "--per-item", "2", "-q"];
    common::run_in(dir.path(), &made).ok();
    for args in [
        &["fit", "answers.csv", "-m", "majority-vote", "-q"][..],
        &["fit", "answers.csv", "-m", "majority-vote", "--format", "json", "-q"],
        &["convert", "answers.csv", "--format", "jsonl", "-q"],
    ] {
        let mut child = start(dir.path(), args);
        let mut first = [0u8; 10];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout); // as `head` does
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        assert_eq!(String::from_utf8_lossy(&out.stderr), "", "{args:?}");
    }
}

/// Starts a fit that would go on for days, and waits for its first sign of life.
fn endless(dir: &Path) -> (Child, BufReader<std::process::ChildStderr>) {
    let answers = root().join("examples/demo.csv").canonicalize().unwrap();
    let args = [
        "fit",
        answers.to_str().unwrap(),
        "-m",
        "dawid-skene",
        "-p",
        "tol=0",
        "-p",
        "max_iter=1000000000",
        "--progress",
        "json",
        "-o",
        "fit.json",
    ];
    let mut child = start(dir, &args);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("iteration") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "it ended by itself");
    }
    (child, stderr)
}

fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn ctrl_c_gives_the_best_so_far() {
    let dir = folder(&[]);
    let (mut child, mut stderr) = endless(dir.path());
    interrupt(&child);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130), "{rest}");
    assert!(rest.contains("best so far"), "{rest}");
    let text = std::fs::read_to_string(dir.path().join("fit.json")).unwrap();
    let fit: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(fit["stop"], "cancelled");
    assert_eq!(fit["labels"].as_array().unwrap().len(), 200);
}

#[test]
fn ctrl_c_before_the_fit_leaves_at_once_and_leaves_nothing() {
    let dir = folder(&[]);
    let path = assert_cmd::cargo::cargo_bin("crowdwise");
    let mut child = Command::new(path)
        .current_dir(dir.path())
        .args(["fit", "-", "-o", "labels.csv"])
        .stdin(Stdio::piped()) // never written to: it waits for the answers
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let held = child.stdin.take(); // waiting would close it
    // the output is opened first, so that its unfinished file tells that the handler is there
    while std::fs::read_dir(dir.path()).unwrap().count() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(held);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
