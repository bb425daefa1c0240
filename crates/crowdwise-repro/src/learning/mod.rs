//! Tables of classifiers learned from crowds: what they share.

pub mod bayes_dgc;
mod components;
pub mod dalc;
pub mod deep_bp;
mod digits;
pub mod dlc;
pub mod labelme;
pub mod max_mig;
mod spread;
mod trials;
mod world;

use super::page::{self, Grid, Page};
use super::sets::DataOptions;
use crowdwise::Error;
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::options::RunOptions;
use crowdwise_terminal::output::OutputOptions;
use crowdwise_terminal::rows::{Push, Row};
use crowdwise_terminal::talk::{Talk, counted};
use spread::Spread;
use std::path::PathBuf;
use trials::Trials;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro learning -o REPRO.md
  crowdwise repro labelme --seeds 2 --keep figures.jsonl
",
    after_help = "Exit code 1 if a claim is missed."
)]
pub struct Args {
    /// Runs of everything, each with a seed of its own [default: 5; deep-bp: 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: Option<u64>,
    /// A small version that takes seconds: few runs, few epochs, simulated features in place of images
    #[arg(long)]
    pub quick: bool,
    /// Keep the figures of finished runs in this file and take them from there, so that a long table can be interrupted and
    /// continued; begin a new file when methods have changed
    #[arg(long, value_name = "FILE")]
    pub keep: Option<PathBuf>,
    #[command(flatten)]
    pub data: DataOptions,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

impl Args {
    /// How many runs, if a table wants `usual` of them.
    fn seeds(&self, usual: u64) -> std::ops::Range<u64> {
        let n = self.seeds.unwrap_or(if self.quick { 1 } else { usual });
        self.run.seed..self.run.seed + n
    }
}

/// Something that a table is to show.
pub struct Claim {
    what: String,
    figure: String,
    verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Met,
    /// The difference is smaller than what seeds make.
    Noise,
    Missed,
}

impl Claim {
    fn new(what: impl Into<String>, figure: impl Into<String>, met: bool) -> Self {
        Claim { what: what.into(), figure: figure.into(), verdict: if met { Verdict::Met } else { Verdict::Missed } }
    }

    /// `ours` is at least `theirs`; a shortfall within `noise` is no more than noise.
    fn at_least(what: impl Into<String>, ours: Spread, theirs: f64, noise: f64) -> Self {
        let verdict = match theirs - ours.mean {
            short if short <= 0.0 => Verdict::Met,
            short if short <= noise => Verdict::Noise,
            _ => Verdict::Missed,
        };
        Claim { what: what.into(), figure: format!("{} for {theirs:.1}", ours.with_sd()), verdict }
    }

    fn verdict(&self) -> &'static str {
        match self.verdict {
            Verdict::Met => "yes",
            Verdict::Noise => "within noise",
            Verdict::Missed => "no",
        }
    }
}

/// One table: its grids, figures for programs, and what it was to show.
#[derive(Default)]
pub struct Part {
    notes: Vec<String>,
    grids: Vec<Grid>,
    figures: Vec<Figure>,
    claims: Vec<Claim>,
}

/// One figure over all runs.
struct Figure {
    table: &'static str,
    setting: String,
    method: String,
    name: &'static str,
    spread: Spread,
}

impl Part {
    /// A table with this note, in which `{seeds}` becomes their number.
    fn new(note: &str, seeds: &std::ops::Range<u64>) -> Part {
        let seeds = counted(seeds.end - seeds.start, "seed", "seeds");
        Part { notes: vec![note.replace("{seeds}", &seeds)], ..Part::default() }
    }

    fn figure(&mut self, table: &'static str, setting: &str, method: &str, name: &'static str, spread: Spread) {
        self.figures.push(Figure { table, setting: setting.into(), method: method.into(), name, spread });
    }

    fn grid(&mut self, title: impl Into<String>, columns: &[&str], rows: Vec<Vec<String>>) {
        let columns = columns.iter().map(|c| (*c).to_owned()).collect();
        self.grids.push(Grid { title: title.into(), columns, rows });
    }
}

/// Makes one table.
type Make<'a> = &'a dyn Fn(&Args, &mut Trials<'_>) -> Result<Part, Error>;

/// Makes tables and writes them as one page.
fn write(title: &'static str, parts: &[Make<'_>], args: &Args, talk: Talk) -> Result<Exit, Error> {
    let out = page::open(&args.output)?;
    let mut trials = Trials::new(&args.run, talk, args.keep.as_deref())?;
    let mut page = Page { title, notes: Vec::new(), grids: Vec::new(), columns: COLUMNS.to_vec(), figures: Vec::new() };
    if args.quick {
        page.notes.push("A small version (`--quick`): it shows that everything runs, and no more.".into());
    }
    let mut missed = 0;
    for make in parts {
        let part = make(args, &mut trials)?;
        page.notes.extend(part.notes);
        let first = part.grids.first().map(|g| g.title.split(':').next().unwrap_or_default().to_owned());
        page.grids.extend(part.grids);
        if !args.quick && !part.claims.is_empty() {
            missed += part.claims.iter().filter(|c| c.verdict == Verdict::Missed).count();
            let row = |c: &Claim| vec![c.what.clone(), c.figure.clone(), c.verdict().into()];
            page.grids.push(Grid {
                title: format!("{}: what it was to show", first.unwrap_or_default()),
                columns: ["claim", "measured", "holds"].map(Into::into).into(),
                rows: part.claims.iter().map(row).collect(),
            });
        }
        page.figures.extend(part.figures.iter().map(|f| {
            let mut row = Row::new();
            row.text(f.table).text(f.setting.clone()).text(f.method.clone()).text(f.name);
            row.real(f.spread.mean).maybe(f.spread.sd()).int(f.spread.n as i64);
            row
        }));
    }
    page.write(out, talk)?;
    if missed > 0 {
        talk.note(format_args!("{missed} of the claims are missed"));
        return Ok(Exit::Condition);
    }
    Ok(Exit::Done)
}

const COLUMNS: [&str; 7] = ["table", "setting", "method", "figure", "mean", "sd", "runs"];

pub fn labelme(args: &Args, talk: Talk) -> Result<Exit, Error> {
    write("Classifiers learned from LabelMe and Music", &[&labelme::part], args, talk)
}

pub fn max_mig(args: &Args, talk: Talk) -> Result<Exit, Error> {
    write("Annotators with mistakes in common", &[&max_mig::part], args, talk)
}

pub fn deep_bp(args: &Args, talk: Talk) -> Result<Exit, Error> {
    write("Robustness of deep belief propagation", &[&deep_bp::part], args, talk)
}

pub fn bayes_dgc(args: &Args, talk: Talk) -> Result<Exit, Error> {
    write("Few labels and features", &[&bayes_dgc::part], args, talk)
}

pub fn dlc(args: &Args, talk: Talk) -> Result<Exit, Error> {
    write("Expertise that depends on the item", &[&dlc::part], args, talk)
}

pub fn all(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let parts: [Make<'_>; 5] = [&labelme::part, &max_mig::part, &deep_bp::part, &bayes_dgc::part, &dlc::part];
    write("Classifiers learned from crowds", &parts, args, talk)
}
