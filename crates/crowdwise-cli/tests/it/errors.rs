//! Every way of going wrong: exit code 2, and a message that lets a person put it right.

use crate::common;

use common::{VOTES, folder, run, run_in};
use insta::assert_snapshot;
use std::io::Write;

/// Runs in a folder with the votes and one more file.
fn spoilt(name: &str, content: &[u8], args: &[&str]) -> String {
    let dir = folder(&[("votes.csv", VOTES), (name, content)]);
    let run = run_in(dir.path(), args);
    assert_eq!(run.code, 2, "{}", run.block());
    assert!(run.stdout.is_empty(), "{}", run.block());
    assert!(run.stderr.contains("crowdwise: error["), "{}", run.block());
    run.block()
}

fn fit(name: &str, content: &[u8]) -> String {
    spoilt(name, content, &["fit", name])
}

// The table of errors

#[test]
fn missing_column() {
    assert_snapshot!(spoilt(
        "other.csv",
        b"task,rater,label\nx,a,cat\n",
        &["fit", "other.csv", "--annotator", "worker"]
    ));
}

#[test]
fn bad_parameter() {
    assert_snapshot!(run(&["fit", "examples/pairs.csv", "-m", "bradley-terry", "-p", "tol=0"]).block());
}

#[test]
fn unknown_parameter() {
    assert_snapshot!(run(&["fit", "examples/demo.csv", "-m", "dawid-skene", "-p", "tolerance=1e-6"]).block());
}

#[test]
fn wrong_label_kind() {
    assert_snapshot!(run(&["fit", "examples/ratings.csv", "-m", "glad", "-q"]).block());
}

#[test]
fn bad_rows() {
    let mut text = String::from("item,annotator,label\n");
    for n in 0..30 {
        text.push_str(if n % 10 == 5 { "short,row\n" } else { "x,a,cat\n" });
    }
    assert_snapshot!(fit("short.csv", text.as_bytes()));
    let dir = folder(&[("short.csv", text.as_bytes())]);
    let skipped = run_in(dir.path(), &["fit", "short.csv", "-m", "majority-vote", "--skip-bad-rows"]).ok();
    assert!(skipped.stderr.contains('3'), "{}", skipped.block());
}

// Ways of spoiling a file

#[test]
fn empty_file() {
    assert_snapshot!(fit("empty.csv", b""));
}

#[test]
fn header_only() {
    assert_snapshot!(fit("header.csv", b"item,annotator,label\n"));
}

#[test]
fn one_column() {
    assert_snapshot!(fit("one.csv", b"label\ncat\ndog\n"));
}

#[test]
fn truncated_gzip() {
    // gzip of "item,annotator,label\n…", cut off in the middle
    let mut packed = flate2_of(&VOTES.repeat(200));
    packed.truncate(packed.len() / 2);
    assert_snapshot!(fit("cut.csv.gz", &packed));
}

#[test]
fn invalid_utf8() {
    assert_snapshot!(fit("latin1.csv", b"item,annotator,label\nx,a,caf\xe9\nx,b,the\n"));
}

#[test]
fn no_label_at_all() {
    assert_snapshot!(fit("unanswered.csv", b"item,annotator,label\nx,a,\ny,b,\n"));
}

#[test]
fn not_a_number() {
    assert_snapshot!(fit("nan.csv", b"item,annotator,value\nx,a,1.5\nx,b,NaN\ny,a,inf\ny,b,2\nz,a,3\n"));
}

#[test]
fn truth_that_contradicts_itself() {
    assert_snapshot!(spoilt(
        "truth.csv",
        b"item,label\nx,cat\ny,dog\nx,dog\n",
        &["fit", "votes.csv", "--truth", "truth.csv", "-q"]
    ));
}

#[test]
fn truth_of_other_items() {
    assert_snapshot!(spoilt(
        "truth.csv",
        b"item,label\n1,cat\n2,dog\n",
        &["fit", "votes.csv", "--truth", "truth.csv", "-q"]
    ));
}

#[test]
fn no_such_file() {
    assert_snapshot!(spoilt("other.csv", VOTES, &["fit", "vote.csv"]));
}

#[test]
fn a_directory() {
    let dir = folder(&[]);
    std::fs::create_dir(dir.path().join("votes")).unwrap();
    let run = run_in(dir.path(), &["fit", "votes"]);
    assert_eq!(run.code, 2);
    assert_snapshot!(run.block());
}

#[test]
fn broken_json_line() {
    assert_snapshot!(fit(
        "votes.jsonl",
        b"{\"item\":\"x\",\"annotator\":\"a\",\"label\":\"cat\"}\n{\"item\":\"x\",\"annotator\n"
    ));
}

#[test]
fn damaged_parquet() {
    let run = spoilt("votes.parquet", b"PAR1 this is not a Parquet file", &["fit", "votes.parquet"]);
    assert!(run.contains("error[unreadable]: votes.parquet"), "{run}");
}

#[test]
fn a_winner_who_did_not_take_part() {
    assert_snapshot!(fit("pairs.csv", b"left,right,annotator,winner\np,q,a,p\np,q,b,r\n"));
}

// Ways of spoiling a parameter

#[test]
fn parameter_of_the_wrong_type() {
    assert_snapshot!(run(&["fit", "examples/demo.csv", "-m", "dawid-skene", "-p", "max_iter=many"]).block());
}

#[test]
fn parameter_out_of_range() {
    assert_snapshot!(run(&["fit", "examples/demo.csv", "-m", "dawid-skene", "-p", "max_iter=0"]).block());
}

#[test]
fn all_bad_parameters_at_once() {
    assert_snapshot!(
        run(&["fit", "examples/demo.csv", "-m", "dawid-skene", "-p", "tol=-1", "-p", "max_itr=9", "-p", "restarts=x"])
            .block()
    );
}

#[test]
fn parameter_without_a_value() {
    assert_snapshot!(run(&["fit", "examples/demo.csv", "-p", "tol"]).block());
}

#[test]
fn unknown_method() {
    assert_snapshot!(run(&["fit", "examples/demo.csv", "-m", "dawid-skeen"]).block());
}

#[test]
fn unknown_methods_of_a_comparison() {
    assert_snapshot!(run(&["compare", "examples/demo.csv", "-m", "mojority-vote,dawid-skene,glod"]).block());
}

#[test]
fn bad_simulation() {
    assert_snapshot!(
        run(&["simulate", "one-coin", "-o", "never-made", "--accuracy", "2", "--items", "0", "-p", "spamers=1"])
            .block()
    );
    assert!(!common::root().join("never-made").exists());
}

// Ways of calling it wrongly

#[test]
fn unknown_command() {
    assert_snapshot!(run(&["inspekt", "x.csv"]).block());
}

#[test]
fn unknown_option() {
    assert_snapshot!(run(&["fit", "x.csv", "--treads", "2"]).block());
}

#[test]
fn unknown_format() {
    assert_snapshot!(run(&["fit", "x.csv", "--format", "jsn"]).block());
}

#[test]
fn unknown_shell() {
    assert_snapshot!(run(&["completions", "tcsh"]).block());
}

#[test]
fn nothing_to_fit() {
    assert_snapshot!(run(&["fit"]).block());
}

#[test]
fn too_many_arguments() {
    assert_snapshot!(run(&["fit", "a.csv", "b.csv"]).block());
}

#[test]
fn zero_threads() {
    assert_snapshot!(run(&["fit", "a.csv", "--threads", "0"]).block());
}

#[test]
fn output_of_unknown_kind() {
    assert_snapshot!(run(&["fit", "examples/demo.csv", "-o", "labels.xyz"]).block());
}

#[test]
fn output_that_cannot_be_opened_is_said_before_the_work() {
    let dir = folder(&[("votes.csv", VOTES)]);
    let run = run_in(dir.path(), &["fit", "no-such-file.csv", "-o", "no/such/folder/labels.csv"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("error[unwritable]: no/such/folder/labels.csv"), "{}", run.block());
}

#[test]
fn a_fit_is_not_fitted_again() {
    let dir = folder(&[("votes.csv", VOTES)]);
    run_in(dir.path(), &["fit", "votes.csv", "-m", "majority-vote", "-o", "fit.json"]).ok();
    assert_snapshot!(run_in(dir.path(), &["annotators", "fit.json", "-m", "glad"]).block());
    assert_snapshot!(run_in(dir.path(), &["report", "fit.json", "-o", "r.html"]).block());
}

#[test]
fn results_are_not_answers() {
    let dir = folder(&[("votes.csv", VOTES)]);
    run_in(dir.path(), &["fit", "votes.csv", "-m", "majority-vote", "-o", "kept.json"]).ok();
    run_in(dir.path(), &["inspect", "votes.csv", "-o", "seen.json"]).ok();
    assert_snapshot!(run_in(dir.path(), &["inspect", "kept.json"]).block());
    for (command, file) in
        [("fit", "kept.json"), ("compare", "kept.json"), ("convert", "kept.json"), ("fit", "seen.json")]
    {
        let run = run_in(dir.path(), &[command, file]);
        assert_eq!(run.code, 2, "{}", run.block());
        assert!(run.stderr.contains("not answers"), "{}", run.block());
    }
    // A column of that name makes no result.
    let rows = b"{\"schema\":1,\"item\":\"x\",\"annotator\":\"a\",\"label\":\"cat\"}\n";
    let dir = folder(&[("votes.jsonl", rows)]);
    run_in(dir.path(), &["inspect", "votes.jsonl"]).ok();
}

#[test]
fn wide_table_without_the_option() {
    assert_snapshot!(fit("wide.csv", b"image,ann,bob,eve\n1,cat,dog,cat\n2,dog,,dog\n"));
}

#[test]
fn no_header() {
    assert_snapshot!(fit("bare.csv", b"img1,w3,cat\nimg1,w4,dog\nimg2,w3,cat\n"));
}

#[test]
fn unclosed_quote() {
    assert_snapshot!(fit("open.csv", b"item,annotator,label\nx,a,cat\nx,b,\"dog\ny,a,dog\n"));
}

#[test]
fn utf16() {
    let text: Vec<u8> = "item,annotator,label\r\nx,a,cat\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_snapshot!(fit("utf16.csv", &text));
}

#[test]
fn a_workbook() {
    assert_snapshot!(fit("votes.csv", b"PK\x03\x04\x14\0\x06\0\x08\0\0\0"));
}

/// gzip through the command of that name would need one: stored blocks are easily written by hand.
fn flate2_of(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut chunks = bytes.chunks(60_000).peekable();
    while let Some(chunk) = chunks.next() {
        let n = chunk.len() as u16;
        out.push(u8::from(chunks.peek().is_none()));
        out.extend_from_slice(&n.to_le_bytes());
        out.extend_from_slice(&(!n).to_le_bytes());
        out.write_all(chunk).unwrap();
    }
    out // the checksum is missing as well: it is cut off anyway
}
