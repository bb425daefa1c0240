//! Runs the command in a folder of its own and shows what came out as one block.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The root of the project, where `examples/` is.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn crowdwise(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("crowdwise").expect("the command is built");
    command.current_dir(dir).env("NO_COLOR", "1").args(args);
    command
}

/// What a run gave.
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
}

impl Run {
    /// Standard output, standard error and exit code in one block.
    pub fn block(&self) -> String {
        format!("exit code: {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{}", self.block()))
    }

    /// Fails the test, showing everything, unless the exit code is 0.
    pub fn ok(self) -> Run {
        assert_eq!(self.code, 0, "{}", self.block());
        self
    }
}

pub fn run_in(dir: &Path, args: &[&str]) -> Run {
    let output = crowdwise(dir, args).output().expect("it starts");
    Run {
        stdout: String::from_utf8(output.stdout).expect("stdout is text"),
        stderr: String::from_utf8(output.stderr).expect("stderr is text"),
        code: output.status.code().expect("it ends by itself"),
    }
}

/// In the root of the project.
pub fn run(args: &[&str]) -> Run {
    run_in(&root(), args)
}

/// A fresh folder with these files in it.
pub fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, content) in files {
        std::fs::write(dir.path().join(name), content).expect("it can be written");
    }
    dir
}

/// The names of an object's fields, sorted.
pub fn fields(value: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

pub const VOTES: &[u8] = b"item,annotator,label\nx,a,cat\nx,b,dog\nx,c,cat\ny,a,dog\ny,b,dog\nz,c,cat\n";
