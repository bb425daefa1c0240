//! The command line.

use crate::commands::{
    annotators, bandit, compare, completions, convert, fit, inspect, items, learn, man, methods, next, plan, predict,
    rank, replay, report, simulate,
};
use crate::talk::Talk;
use clap::{Parser, Subcommand};
pub use crowdwise_terminal::TEMPLATE;

/// Infer true labels and annotator quality from many unreliable annotators
#[derive(Debug, Parser)]
#[command(
    name = "crowdwise",
    version,
    help_template = TEMPLATE,
    max_term_width = 110,
    disable_help_subcommand = true,
    infer_subcommands = false,
    subcommand_required = true,
    arg_required_else_help = true,
    before_help = "\
Examples:
  crowdwise fit votes.csv -m dawid-skene -o labels.csv   infer the labels
  crowdwise report votes.csv -o report.html              write a report
",
    after_help = "FILE is CSV, TSV (also .gz, .zst), JSON lines or Parquet, or - for stdin."
)]
pub struct Cli {
    #[command(flatten)]
    pub talk: Talk,
    /// Memory limit for one file or one table of numbers, such as 4GiB [default: three quarters of the machine's]
    #[arg(long, global = true, value_name = "SIZE", value_parser = crowdwise::memory::parse, hide_short_help = true)]
    pub max_memory: Option<u64>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Describe the data: counts, agreement, connectivity, problems
    Inspect(inspect::Args),
    /// Infer the true labels with one method
    Fit(fit::Args),
    /// Rate the annotators: accuracy, information, flags
    Annotators(annotators::Args),
    /// List the items to review, with who said what
    Items(items::Args),
    /// Compare methods side by side
    Compare(compare::Args),
    /// Train a classifier from features and crowd labels
    Learn(learn::Args),
    /// Classify new items with a trained classifier
    Predict(predict::Args),
    /// Rank items from comparisons, and suggest which pair to ask about next
    Rank(rank::Args),
    /// Choose what to ask next, and whom
    Next(next::Args),
    /// Plan how many more labels to ask for: predicted accuracy, money, a target
    Plan(plan::Args),
    /// Replay strategies of asking on recorded answers
    Replay(replay::Args),
    /// Replay recorded labels: which annotator a bandit would ask, and what that loses
    Bandit(bandit::Args),
    /// Simulate data with known truth
    Simulate(simulate::Args),
    /// Write a self-contained HTML report
    Report(report::Args),
    /// Reproduce a published table, or one of our own
    Repro(crowdwise_repro::Args),
    /// List the methods, or show the page of one
    Methods(methods::Args),
    /// Convert between CSV, TSV, JSON lines and Parquet
    Convert(convert::Args),
    /// Generate shell completions
    Completions(completions::Args),
    /// Generate the manual pages
    Man(man::Args),
}
