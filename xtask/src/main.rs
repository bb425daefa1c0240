//! Project tasks: `cargo xtask ci` is what runs before a change lands, `cargo xtask gen` writes what is generated.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool talks on the terminal")]

mod book;
mod ci;
mod deny;
mod fuzz;
mod generate;
mod links;
mod python;

use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask ci            format, lints, tests, generated files, fuzz targets, documentation, licences, Python
cargo xtask book          check every link of the documentation; with mdbook installed, build it into target/book
cargo xtask fuzz          hostile bytes for every reader: `--minutes 10`, `--target NAME`, `--seed N`
cargo xtask deny          licences and duplicates of all dependencies; advisories where cargo-deny is installed
cargo xtask python        tests of the Python package; `python peers` also compares with crowd-kit
cargo xtask gen           write what is generated: docs/methods, its part of docs/SUMMARY.md, completions, Python classes
cargo xtask gen --python  write the Python classes only
cargo xtask gen --check   fail if they are not up to date";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["ci"] => ci::run(),
        ["fuzz", ref args @ ..] => fuzz::run(args),
        ["book"] => book::run(),
        ["deny"] => deny::run(),
        ["python", ref args @ ..] => ci::python(args),
        ["gen"] => generate::run(false),
        ["gen", "--python"] => generate::python_only(),
        ["gen", "--check"] => generate::run(true),
        _ => Err(HELP.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}
