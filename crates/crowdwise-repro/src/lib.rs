//! `crowdwise repro`: tables of a paper and of our own, computed again.

mod asking;
mod groups;
mod label_integration;
mod learning;
mod page;
mod planner;
mod quality;
mod scaling;
mod sets;
mod survey;
mod trust;

use clap::Subcommand;
use crowdwise::Error;
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::talk::Talk;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    arg_required_else_help = true,
    before_help = "\
Examples:
  crowdwise repro label-integration       a published table, ours beside it
  crowdwise repro scaling --max 1000000   time and memory as labels grow
  crowdwise repro learning -o REPRO.md    classifiers learned from crowds
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
    /// What to ask next: strategies replayed on the real sets, beside round robin
    Asking(asking::Args),
    /// Annotators in groups: methods that know of them and methods that do not, as items grow
    Groups(groups::Args),
    /// Time and peak memory of every method for classes, as labels grow
    Scaling(scaling::Args),
    /// Every method on every real set: accuracy, log-loss, calibration, time
    Quality(quality::Args),
    /// What can be trusted: probabilities, intervals, order of rows, sources, copies, learners
    Trust(trust::Args),
    /// How often 90 % intervals hold the truth, on simulated crowds
    Coverage(trust::coverage::Args),
    /// What a pilot predicts of more labels, beside what they gave
    Planner(planner::Args),
    /// Every learner on LabelMe and Music, beside published figures and peers
    Labelme(learning::Args),
    /// Annotators who err alone, always say the same, or copy each other
    MaxMig(learning::Args),
    /// Bad priors, spammers and blurred images
    DeepBp(learning::Args),
    /// A share of the labels of nine annotators, with and without features
    BayesDgc(learning::Args),
    /// Annotators whose reliability depends on the item
    Dlc(learning::Args),
    /// The five tables of learners in one page
    Learning(learning::Args),
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    match &args.table {
        Table::LabelIntegration(args) => label_integration::run(args, talk),
        Table::Asking(args) => asking::run(args, talk),
        Table::Groups(args) => groups::run(args, talk),
        Table::Scaling(args) => scaling::run(args, talk),
        Table::Quality(args) => quality::run(args, talk),
        Table::Trust(args) => trust::run(args, talk),
        Table::Coverage(args) => trust::coverage::run(args, talk),
        Table::Planner(args) => planner::run(args, talk),
        Table::Labelme(args) => learning::labelme(args, talk),
        Table::MaxMig(args) => learning::max_mig(args, talk),
        Table::DeepBp(args) => learning::deep_bp(args, talk),
        Table::BayesDgc(args) => learning::bayes_dgc(args, talk),
        Table::Dlc(args) => learning::dlc(args, talk),
        Table::Learning(args) => learning::all(args, talk),
    }
}
