//! The `crowdwise` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    crowdwise_cli::run(std::env::args_os()).into()
}
