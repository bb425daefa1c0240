//! Files that once broke the program, or that it once broke: packed bombs, named pipes, links, signals.

use crate::common;

use common::{VOTES, folder, root, run_in};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

/// `times` pieces of text, packed: many megabytes in a few kilobytes.
fn bomb(head: &[u8], piece: &[u8], times: usize) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(head).unwrap();
    (0..times).for_each(|_| out.write_all(piece).unwrap());
    out.finish().unwrap()
}

/// A `.npy` file of zeros of one byte each, packed.
fn npy_bomb(rows: usize, columns: usize) -> Vec<u8> {
    let text = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}\n");
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend((text.len() as u16).to_le_bytes());
    head.extend(text.as_bytes());
    bomb(&head, &vec![0; columns], rows)
}

/// Failure 7: what unpacks to more than memory is refused with its name and the option.
#[test]
fn failure_07_packed_bombs_are_refused() {
    let row = [&b"0,".repeat(500)[..], b"0\n"].concat();
    let dir = folder(&[
        ("votes.csv", VOTES),
        ("x.csv.gz", &bomb(b"", &row, 30_000)),
        ("x.npy.gz", &npy_bomb(3, 5_000_000)),
        ("s.conll.gz", &bomb(b"", b"x O\n", 300_000)),
        ("v.csv.gz", &bomb(b"item,annotator,label\n", b"1,a,x\n", 1_000_000)),
        (
            "v.json.gz",
            &bomb(b"[{\"item\":1,\"annotator\":1,\"label\":1}", b",{\"item\":1,\"annotator\":1,\"label\":1}", 600_000),
        ),
        ("items.csv.gz", &bomb(b"item\n", b"abcdefg\n", 500_000)),
        ("graph.csv.gz", &bomb(b"", b"x,y\n", 2_000_000)),
    ]);
    let learn = |x: &'static str| vec!["learn", "votes.csv", "--features", x];
    for (file, args) in [
        ("x.csv.gz", learn("x.csv.gz")),
        ("x.npy.gz", learn("x.npy.gz")),
        ("s.conll.gz", vec!["fit", "s.conll.gz", "-m", "majority-vote"]),
        ("v.csv.gz", vec!["fit", "v.csv.gz", "-m", "majority-vote"]),
        ("v.json.gz", vec!["fit", "v.json.gz", "-m", "majority-vote"]),
        ("items.csv.gz", vec!["fit", "votes.csv", "--items", "items.csv.gz"]),
        ("graph.csv.gz", vec!["fit", "votes.csv", "-m", "ds-mrf", "--graph", "graph.csv.gz"]),
    ] {
        let run = run_in(dir.path(), &[&args[..], &["--max-memory", "30MiB"]].concat());
        assert_eq!(run.code, 2, "{}", run.block());
        let says = ["error[too-large]", file, "--max-memory", "30 MiB"];
        assert!(says.iter().all(|s| run.stderr.contains(s)), "{}", run.block());
    }
    // and what fits is read
    run_in(dir.path(), &["inspect", "s.conll.gz", "--max-memory", "1GiB", "--format", "json"]).ok();
}

#[test]
fn failure_07_a_small_line_cannot_ask_for_a_long_sequence() {
    let line = br#"{"sequence":"s","annotator":"a","length":10000000,"spans":[]}"#;
    let dir = folder(&[("s.spans.jsonl", line)]);
    let run = run_in(dir.path(), &["fit", "s.spans.jsonl", "--max-memory", "30MiB"]);
    assert!(run.code == 2 && run.stderr.contains("length of 10000000"), "{}", run.block());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};

    fn names(dir: &Path) -> Vec<String> {
        let mut all: Vec<String> =
            std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        all.sort();
        all
    }

    /// A fit that has opened its output and goes on for days.
    fn endless(dir: &Path, before: &[&str]) -> Child {
        let program = assert_cmd::cargo::cargo_bin("crowdwise");
        let answers = root().join("examples/demo.csv").canonicalize().unwrap();
        let mut line: Vec<&str> = before.to_vec();
        let (program, answers) = (program.to_str().unwrap(), answers.to_str().unwrap());
        line.extend([program, "fit", answers, "-m", "dawid-skene", "-p", "tol=0", "-p", "max_iter=1000000000"]);
        line.extend(["-o", "labels.csv"]);
        let mut command = Command::new(line[0]);
        command.args(&line[1..]).current_dir(dir).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // the handlers are there before the output is opened
        while names(dir).len() < 2 {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::yield_now();
        }
        child
    }

    fn signal(child: &Child, name: &str) {
        assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
    }

    /// Failure 13: told to end, it leaves the old file and no unfinished one.
    #[test]
    fn failure_13_ending_signals_leave_nothing_unfinished() {
        for (name, number) in [("-TERM", 15), ("-HUP", 1)] {
            let dir = folder(&[("labels.csv", b"old")]);
            let mut child = endless(dir.path(), &["env"]);
            signal(&child, name);
            let status = child.wait().unwrap();
            assert_eq!(status.signal(), Some(number), "{status:?}");
            assert_eq!(names(dir.path()), ["labels.csv"]);
            assert_eq!(std::fs::read(dir.path().join("labels.csv")).unwrap(), b"old");
        }
    }

    /// Who starts it with `nohup` wants it to go on when the terminal goes away.
    #[test]
    #[cfg(target_os = "linux")]
    fn an_ignored_hangup_stays_ignored() {
        let dir = folder(&[("labels.csv", b"old")]);
        let mut child = endless(dir.path(), &["nohup"]);
        signal(&child, "-HUP");
        signal(&child, "-TERM");
        assert_eq!(child.wait().unwrap().signal(), Some(15));
        assert_eq!(names(dir.path()), ["labels.csv"]);
    }

    /// Failure 12: a file planted under the name that used to be taken is not written to, and what is replaced keeps its
    /// rights and its place.
    #[test]
    fn failure_12_planted_links_are_not_followed_and_rights_are_kept() {
        let dir = folder(&[("votes.csv", VOTES), ("victim", b"precious"), ("labels.csv", b"old")]);
        let at = |name: &str| dir.path().join(name);
        std::fs::set_permissions(at("labels.csv"), PermissionsExt::from_mode(0o600)).unwrap();
        // every process number that the next run could have
        let now = std::process::id();
        (now..now + 400).for_each(|p| symlink("victim", at(&format!(".labels.csv.{p}.part"))).unwrap());
        run_in(dir.path(), &["fit", "votes.csv", "-m", "majority-vote", "-o", "labels.csv"]).ok();
        assert_eq!(std::fs::read(at("victim")).unwrap(), b"precious");
        assert!(std::fs::read_to_string(at("labels.csv")).unwrap().starts_with("item,"));
        assert_eq!(std::fs::metadata(at("labels.csv")).unwrap().permissions().mode() & 0o777, 0o600);
        symlink("labels.csv", at("link.csv")).unwrap();
        run_in(dir.path(), &["fit", "votes.csv", "-m", "mace", "-o", "link.csv"]).ok();
        assert!(at("link.csv").is_symlink(), "the link was replaced");
    }

    /// Failure 14: a named pipe is opened once.
    #[test]
    fn failure_14_a_named_pipe_is_read_once_and_to_its_end() {
        let dir = folder(&[]);
        let pipe = dir.path().join("pipe.csv");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for args in
            [&["fit", "pipe.csv", "-m", "majority-vote"][..], &["annotators", "pipe.csv"], &["items", "pipe.csv"]]
        {
            for _ in 0..4 {
                let to = pipe.clone();
                let writer = std::thread::spawn(move || std::fs::write(to, VOTES));
                let run = run_in(dir.path(), args).ok();
                assert!(run.stdout.lines().count() > 1, "{}", run.block());
                writer.join().unwrap().unwrap();
            }
        }
    }
}
