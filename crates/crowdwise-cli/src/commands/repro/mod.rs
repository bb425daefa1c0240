//! `crowdwise repro`: tables of a paper and of our own, computed again.

mod label_integration;
mod page;
mod quality;
mod scaling;
mod sets;
mod survey;

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::talk::Talk;
use clap::Subcommand;
use crowdwise::Error;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    arg_required_else_help = true,
    before_help = "\
Examples:
  crowdwise repro label-integration       a published table, ours beside it
  crowdwise repro scaling --max 1000000   time and memory as labels grow
"
)]
pub struct Args {
    #[command(subcommand)]
    pub table: Table,
}

#[derive(Debug, Subcommand)]
pub enum Table {
    /// Errors and times on TREC, Bluebird, RTE and Dog, ours beside the published
    LabelIntegration(label_integration::Args),
    /// Time and peak memory of every method for classes, as labels grow
    Scaling(scaling::Args),
    /// Every method on every real set: accuracy, log-loss, calibration, time
    Quality(quality::Args),
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    match &args.table {
        Table::LabelIntegration(args) => label_integration::run(args, talk),
        Table::Scaling(args) => scaling::run(args, talk),
        Table::Quality(args) => quality::run(args, talk),
    }
}
