//! `crowdwise repro trust`: what is promised and what is not, measured; makes `benches/TRUST.md`.

mod calibration;
pub mod coverage;
mod curve;
mod dependence;
mod difficulty;
mod learners;
mod order;
mod sources;

use super::page::Grid;
use super::quality;
use super::sets::DataOptions;
use clap::ValueEnum;
use crowdwise::Error;
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::options::{RunOptions, whole};
use crowdwise_terminal::output::{OutputOptions, unwritable};
use crowdwise_terminal::rows;
use crowdwise_terminal::talk::Talk;
use std::fmt::Write as _;
use std::io::Write as _;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro trust -o TRUST.md
  crowdwise repro trust --parts calibration,order
  crowdwise repro trust --quick=difficulty,learners --crowds 30
",
    after_help = "Everything takes an hour or so on two cores; --quick takes minutes, with fewer crowds of each design. The page says what was run."
)]
pub struct Args {
    /// Only these parts [default: all]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub parts: Vec<Part>,
    /// Fewer crowds of each design, in all parts or only in these
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', num_args = 0.., require_equals = true)]
    pub quick: Option<Vec<Part>>,
    /// Crowds of each design in the part coverage [default: 100, or 5 with --quick]
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub crowds: Option<u64>,
    #[command(flatten)]
    pub data: DataOptions,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Probabilities: simulated crowds and real sets
    Calibration,
    /// Probabilities: what the prior of shared errors costs in both worlds
    Curve,
    /// Intervals: how often they hold the truth
    Coverage,
    /// Order of rows: what it changes
    Order,
    /// Sources that vote for one class: beside majority vote
    Sources,
    /// Copies, schools and families of annotators
    Dependence,
    /// Items that differ, and ordered grades
    Difficulty,
    /// Learners: the default beside two stages with majority vote
    Learners,
}

const INTRODUCTION: &str = "\
# What can be trusted

`crowdwise repro trust` makes this page. In this copy {made}.

Promised: one more label that agrees, of somebody better than chance, never lowers the probability of a class; probabilities have no ceiling; the \
order of rows changes no answer; an interval holds its point; no default answers with labels that the votes rule out wholesale.

Not promised: that probabilities are right where all annotators share a bias. No label shows it; 20 items of known class (`--gold`) do. \
`-p errors=independent` and `-p errors=shared` say what the labels cannot.
";

const CURVE: &str = "\n\
Simulated: crowds whose errors are independent, five and more labels per item. The prior is the probability of shared errors before \
the labels are seen (`-p shared_prior=…`); the labels then move it. The default, odds of two to one, was \
stated before this curve was made and is a compromise, not an optimum: the last row takes for each real set the prior with the least \
log-loss on the simulated crowds and the other sets, both counting the same. *Worst* is over single crowds.
";

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let mut out = super::page::open(&args.output)?;
    let parts: &[Part] = if args.parts.is_empty() { Part::value_variants() } else { &args.parts };
    let mut text = INTRODUCTION.replace("{made}", &made(args, parts));
    for part in parts {
        let name = part.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
        talk.note(format_args!("{name} …"));
        text += "\n";
        text += &section(*part, args, talk)?;
    }
    out.target.write_all(text.as_bytes()).map_err(|e| unwritable(&out.target.name(), &e))?;
    out.target.finish()?;
    Ok(Exit::Done)
}

impl Args {
    fn quick(&self, part: Part) -> bool {
        self.quick.as_ref().is_some_and(|q| q.is_empty() || q.contains(&part))
    }

    /// Crowds of each design in the part about coverage.
    fn crowds(&self) -> u64 {
        self.crowds.unwrap_or(if self.quick(Part::Coverage) { 5 } else { 100 }).max(1)
    }
}

/// What was run, in words.
fn made(args: &Args, parts: &[Part]) -> String {
    let names = |quick: bool| -> Vec<String> {
        let these = parts.iter().filter(|p| **p != Part::Coverage && args.quick(**p) == quick);
        these.filter_map(|p| p.to_possible_value().map(|v| v.get_name().to_owned())).collect()
    };
    let mut said = Vec::new();
    let (whole, quick) = (names(false), names(true));
    if !whole.is_empty() {
        said.push(format!("in full: {}", whole.join(", ")));
    }
    if !quick.is_empty() {
        said.push(format!("with `--quick`, fewer and smaller crowds: {}", quick.join(", ")));
    }
    if parts.contains(&Part::Coverage) {
        said.push(format!("coverage: {} crowds of each design", args.crowds()));
    }
    let left: Vec<String> = Part::value_variants()
        .iter()
        .filter(|p| !parts.contains(p))
        .filter_map(|p| p.to_possible_value().map(|v| v.get_name().to_owned()))
        .collect();
    if !left.is_empty() {
        said.push(format!("left out: {}", left.join(", ")));
    }
    said.join("; ")
}

fn section(part: Part, args: &Args, talk: Talk) -> Result<String, Error> {
    let threads = args.run.threads();
    let few = |whole: u64, quick: u64| if args.quick(part) { quick } else { whole };
    let mut say = |name: &str| talk.detail(name);
    Ok(match part {
        Part::Calibration => {
            let mut text = heading(&calibration::simulated(few(3, 1), threads, &mut say)?);
            let folder = args.data.folder()?;
            text += "\n";
            text + &heading(&calibration::real(&folder, &quality::MEAN, threads, &mut say)?)
        }
        Part::Curve => {
            let scores = curve::measure(&args.data.folder()?, &quality::MEAN, few(3, 1), threads, say)?;
            heading(&curve::grid(&scores)) + CURVE
        }
        Part::Coverage => {
            let rows = coverage::measure(&[], args.crowds(), threads, talk)?;
            coverage::grids(&rows).iter().map(heading).collect::<Vec<_>>().join("\n")
        }
        Part::Order => heading(&order::grid(&order::measure(crowdwise::methods(), args.run.seed, say)?)),
        Part::Sources => {
            let mut grid = sources::Grid::default();
            (grid.repeats, grid.step) = (few(grid.repeats, 3), if args.quick(part) { 7 } else { 1 });
            format!("## Sources that vote for one class, beside majority vote\n\n{}", sources::table(grid, say)?)
        }
        Part::Dependence => {
            let table = dependence::table(0..few(3, 1), 1000, threads)?;
            format!("## Annotators who depend on each other\n\n{table}")
        }
        Part::Difficulty => difficulty::markdown(difficulty::Size { items: 300, repeats: few(5, 1), threads })?,
        Part::Learners => {
            let mut sizes = learners::Sizes::default();
            (sizes.items, sizes.repeats) = (few(sizes.items, 300), few(sizes.repeats, 1));
            format!("## Learners\n\n{}", learners::table(sizes, say)?)
        }
    })
}

fn heading(grid: &Grid) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "## {}\n\n{}", grid.title, rows::markdown(&grid.columns, &grid.rows).trim_end());
    text
}
