//! The command line.

use crate::commands::{
    annotators, compare, completions, convert, fit, inspect, items, learn, man, methods, predict, rank, report, repro,
    simulate,
};
use crate::talk::Talk;
use clap::{Parser, Subcommand};

/// Examples first, then what it does and how it is called.
pub const TEMPLATE: &str = "\
{before-help}{about-with-newline}
{usage-heading} {usage}

{all-args}{after-help}";

/// Truth, annotator quality and reports from the labels of many unreliable annotators
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
  crowdwise fit votes.csv -m dawid-skene -o labels.csv   who is right
  crowdwise report votes.csv -o report.html              all on one page
",
    after_help = "FILE is CSV, TSV (also .gz, .zst), JSON lines or Parquet, or - for standard input."
)]
pub struct Cli {
    #[command(flatten)]
    pub talk: Talk,
    /// Most memory to take for one file or one table of numbers, such as 4GiB [default: three quarters of the machine's]
    #[arg(long, global = true, value_name = "SIZE", value_parser = crowdwise::memory::parse, hide_short_help = true)]
    pub max_memory: Option<u64>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// What is in the data: counts, agreement, connectivity, problems
    Inspect(inspect::Args),
    /// Fit one method and write the labels
    Fit(fit::Args),
    /// One row per annotator: accuracy, information, flags
    Annotators(annotators::Args),
    /// The items to look at, with who said what
    Items(items::Args),
    /// Methods side by side
    Compare(compare::Args),
    /// Train a classifier from features and crowd labels
    Learn(learn::Args),
    /// Classify new items with a trained classifier
    Predict(predict::Args),
    /// Comparisons to a ranking, and which pair to ask about next
    Rank(rank::Args),
    /// Data with known truth
    Simulate(simulate::Args),
    /// One self-contained HTML page
    Report(report::Args),
    /// A table of a paper, or of our own, computed again
    Repro(repro::Args),
    /// The list of methods, or one method's page
    Methods(methods::Args),
    /// Between CSV, TSV, JSON lines and Parquet
    Convert(convert::Args),
    /// Completions for a shell
    Completions(completions::Args),
    /// The manual pages
    Man(man::Args),
}
