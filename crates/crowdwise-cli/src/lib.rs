//! The `crowdwise` command: reads arguments, calls the library, writes what it says. A library, so that the Python package
//! has the same command.

mod cli;
mod commands;
mod failure;
mod features;
mod groups;
mod options;
mod source;

use clap::Parser;
use cli::{Cli, Command};
use crowdwise_terminal::{fitting, interrupt, output, pending, rows, talk};
use std::ffi::OsString;

/// Runs the command with these arguments, the name of the program first; returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(e) => return failure::report_usage(&e),
    };
    interrupt::install();
    crowdwise::memory::set_limit(cli.max_memory.unwrap_or(0));
    let talk = cli.talk;
    let result = match &cli.command {
        Command::Inspect(args) => commands::inspect::run(args, talk),
        Command::Fit(args) => commands::fit::run(args, talk),
        Command::Annotators(args) => commands::annotators::run(args, talk),
        Command::Items(args) => commands::items::run(args, talk),
        Command::Compare(args) => commands::compare::run(args, talk),
        Command::Learn(args) => commands::learn::run(args, talk),
        Command::Predict(args) => commands::predict::run(args, talk),
        Command::Rank(args) => commands::rank::run(args, talk),
        Command::Next(args) => commands::next::run(args, talk),
        Command::Plan(args) => commands::plan::run(args, talk),
        Command::Replay(args) => commands::replay::run(args, talk),
        Command::Bandit(args) => commands::bandit::run(args, talk),
        Command::Simulate(args) => commands::simulate::run(args, talk),
        Command::Report(args) => commands::report::run(args, talk),
        Command::Repro(args) => crowdwise_repro::run(args, talk),
        Command::Methods(args) => commands::methods::run(args, talk),
        Command::Convert(args) => commands::convert::run(args, talk),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    };
    match result {
        _ if output::pipe_closed() => 0,
        Ok(exit) => exit.into(),
        Err(e) => failure::report(&e),
    }
}
