//! `cargo xtask fuzz`: hostile bytes for every reader, guided by coverage.
//!
//! libFuzzer needs nothing but counters at every branch, and the stable compiler can put them there, so that neither a
//! nightly compiler nor `cargo fuzz` has to be installed.

use crate::root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The flags of `cargo fuzz` that the stable compiler has.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
     -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// Longest input that is tried: what breaks a reader breaks it with a page, and short ones are many.
const LONGEST: usize = 4096;
/// Most memory of a target in megabytes, and the longest that one input may take in seconds.
const MEMORY: usize = 2048;
const SECONDS: usize = 20;

struct Wanted {
    minutes: f64,
    target: Option<String>,
    seed: u64,
}

pub fn run(args: &[&str]) -> Result<(), String> {
    let wanted = parse(args)?;
    let targets = targets()?;
    let chosen: Vec<&String> = targets.iter().filter(|t| wanted.target.as_ref().is_none_or(|w| w == *t)).collect();
    if chosen.is_empty() {
        return Err(format!("there is no such target; there are {}", targets.join(", ")));
    }
    let program = build()?;
    let seconds = (wanted.minutes * 60.0 / chosen.len() as f64).ceil().max(1.0) as u64;
    let mut failed = Vec::new();
    for name in chosen {
        println!("== {name}: {seconds} s");
        if let Some(why) = one(&program, name, seconds, wanted.seed)? {
            println!("   {why}");
            failed.push(name.clone());
        }
    }
    if failed.is_empty() {
        println!("== nothing broke");
        return Ok(());
    }
    Err(format!(
        "inputs that break {}: see fuzz/artifacts. When it is mended, put the input into fuzz/corpus/TARGET with a name \
         that says what it is: `cargo test -p crowdwise-hostile` then tries it for ever",
        failed.join(", ")
    ))
}

fn parse(args: &[&str]) -> Result<Wanted, String> {
    let mut wanted = Wanted { minutes: 10.0, target: None, seed: 1 };
    for pair in args.chunks(2) {
        match *pair {
            ["--minutes", n] => wanted.minutes = n.parse().map_err(|_| format!("--minutes {n}: not a number"))?,
            ["--target", name] => wanted.target = Some(name.to_owned()),
            ["--seed", n] => wanted.seed = n.parse().map_err(|_| format!("--seed {n}: not a whole number"))?,
            _ => return Err("cargo xtask fuzz [--minutes N] [--target NAME] [--seed N]".into()),
        }
    }
    Ok(wanted)
}

/// Every target has a corpus: the folders are the list (a test of crowdwise-hostile sees to that).
fn targets() -> Result<Vec<String>, String> {
    let folder = root().join("fuzz/corpus");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

fn build() -> Result<PathBuf, String> {
    let host = host()?;
    // with a target given, what runs while building (build scripts, macros) is compiled as usual
    let args = ["build", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", "target/fuzz", "--target", &host];
    println!("== build: cargo {}", args.join(" "));
    let status = Command::new(env!("CARGO")).args(args).env("RUSTFLAGS", FLAGS).current_dir(root()).status();
    match status {
        Ok(s) if s.success() => Ok(root().join("target/fuzz").join(host).join("debug/hostile")),
        Ok(_) => Err("the fuzz targets could not be built".into()),
        Err(e) => Err(format!("cargo could not start: {e}")),
    }
}

/// The machine that the compiler compiles for.
fn host() -> Result<String, String> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let out = Command::new(rustc).arg("-vV").output().map_err(|e| format!("rustc could not start: {e}"))?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let line = text.lines().find_map(|l| l.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| "rustc -vV names no host".into())
}

/// Runs a target; what went wrong, if something did.
fn one(program: &Path, name: &str, seconds: u64, seed: u64) -> Result<Option<String>, String> {
    // what is found on the way is kept beside the build: the corpus of the repository is small on purpose
    let found = root().join("target/fuzz/found").join(name);
    let broken = root().join("fuzz/artifacts").join(name);
    for folder in [&found, &broken] {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let out = Command::new(program)
        .arg(&found)
        .arg(root().join("fuzz/corpus").join(name))
        .args([
            format!("-max_total_time={seconds}"),
            format!("-max_len={LONGEST}"),
            format!("-rss_limit_mb={MEMORY}"),
            format!("-timeout={SECONDS}"),
            format!("-seed={seed}"),
            format!("-artifact_prefix={}/", broken.display()),
            "-print_final_stats=1".into(),
        ])
        .env("CROWDWISE_FUZZ_TARGET", name)
        .current_dir(root())
        .output()
        .map_err(|e| format!("{}: {e}", program.display()))?;
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let number = |what: &str| {
        let line = said.lines().rev().find_map(|l| l.strip_prefix(what));
        line.map_or("?", str::trim).to_owned()
    };
    let edges = said.lines().rev().find_map(|l| l.split(" cov: ").nth(1)?.split(' ').next()).unwrap_or("?");
    println!("   {} inputs, {edges} branches reached", number("stat::number_of_executed_units:"));
    if out.status.success() {
        return Ok(None);
    }
    // the last one: readers may have caught others before
    let why = said.lines().rev().find(|l| l.contains("panicked at") || l.starts_with("==") && l.contains("ERROR"));
    let next = said.lines().rev().take_while(|l| Some(*l) != why).last().unwrap_or_default();
    Ok(Some(format!("BROKEN: {} {next}", why.unwrap_or("see fuzz/artifacts"))))
}
