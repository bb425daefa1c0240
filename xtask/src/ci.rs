//! Everything that must hold before a change lands.

use crate::root;
use std::process::Command;

/// Runs all checks; each must pass.
pub fn run() -> Result<(), String> {
    let steps: &[(&str, &[&str])] = &[
        ("format", &["fmt", "--all", "--check"]),
        ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        ("tests", &["test", "--workspace", "--no-fail-fast"]),
        ("Arrow reader", &["test", "-p", "crowdwise-io", "-p", "crowdwise-hostile", "--features", "arrow"]),
        ("generated files", &["xtask", "gen", "--check"]),
        ("fuzz targets", &["check", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", "target/fuzz"]),
    ];
    for (name, args) in steps {
        println!("== {name}: cargo {}", args.join(" "));
        let status = Command::new(env!("CARGO")).args(*args).current_dir(root()).status();
        match status {
            Ok(s) if s.success() => {}
            Ok(_) => return Err(format!("{name} failed")),
            Err(e) => return Err(format!("{name} could not start: {e}")),
        }
    }
    crate::book::run()?;
    crate::deny::run()?;
    python(&[])?;
    println!("== all checks passed");
    Ok(())
}

/// The tests of the Python package, in an environment of their own.
pub fn python(args: &[&str]) -> Result<(), String> {
    println!("== Python: python/test.sh {}", args.join(" "));
    let has = Command::new("python3").args(["-c", "import sys, venv; sys.exit(sys.version_info < (3, 10))"]).status();
    if !has.is_ok_and(|s| s.success()) {
        println!("SKIPPED: Python 3.10 or later with venv is not here");
        return Ok(());
    }
    match Command::new("sh").arg("python/test.sh").args(args).current_dir(root()).status() {
        Ok(s) if s.success() => Ok(()),
        Ok(_) => Err("Python failed".into()),
        Err(e) => Err(format!("python/test.sh could not start: {e}")),
    }
}
