//! Everything that must hold before a change lands.

use crate::root;
use std::process::Command;

/// Runs all checks; each must pass.
pub fn run() -> Result<(), String> {
    let steps: &[(&str, &[&str])] = &[
        ("format", &["fmt", "--all", "--check"]),
        ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        ("tests", &["test", "--workspace"]),
        ("Arrow reader", &["test", "-p", "crowdwise-io", "--features", "arrow"]),
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
    println!("== all checks passed");
    Ok(())
}
