//! `crowdwise repro asking-pairs`: which pair to compare next, on comparisons that are there already.

use super::page::{self, Grid, Page};
use super::sets::{self, DataOptions};
use crowdwise::Error;
use crowdwise::ask::pairs::{PairCurve, PairReplay, PairStrategy};
use crowdwise::io::{self, ReadOptions, Source};
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::options::{RunOptions, whole};
use crowdwise_terminal::output::OutputOptions;
use crowdwise_terminal::rows::{Push, Row};
use crowdwise_terminal::talk::Talk;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro asking-pairs
  crowdwise repro asking-pairs --orderings 3 --random 0
"
)]
pub struct Args {
    /// Orders in which the answers are uncovered
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = whole::<usize>)]
    pub orderings: usize,
    /// Share of each batch by chance
    #[arg(long, default_value_t = crowdwise::ask::pairs::RANDOM, value_name = "SHARE")]
    pub random: f64,
    #[command(flatten)]
    pub data: DataOptions,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

const SETS: [&str; 3] = ["age_pairs", "photo_pairs", "ukp_convarg"];
/// Comparisons an item that chance has, for what the others need.
const LEVELS: [f64; 3] = [8.0, 16.0, 24.0];

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    if args.orderings == 0 || !(0.0..=1.0).contains(&args.random) {
        let what = "--orderings must be at least 1, --random between 0 and 1".into();
        return Err(Error::Usage { what, hint: None });
    }
    let folder = args.data.folder()?;
    sets::check_answers(&folder, &SETS)?;
    let out = page::open(&args.output)?;
    let mut all: Vec<(&'static str, Vec<PairCurve>)> = Vec::new();
    for name in SETS {
        talk.detail(format_args!("{name}"));
        let options = ReadOptions { threads: args.run.threads(), ..ReadOptions::default() };
        let data = io::read_answers(&Source::from(folder.join(name).join("answers.csv").as_path()), &options)?.value;
        let replay =
            PairReplay { orderings: args.orderings, random: args.random, seed: args.run.seed, ..PairReplay::default() };
        all.push((name, replay.run(&data)?));
    }
    page_of(&all, args).write(out, talk)?;
    Ok(Exit::Done)
}

/// Comparisons an item for what chance reaches with 8, 16 and 24.
fn needed(curve: &PairCurve, random: &PairCurve) -> [Option<f64>; 3] {
    LEVELS.map(|n| random.at(n).and_then(|tau| curve.needed(tau)))
}

fn page_of(all: &[(&'static str, Vec<PairCurve>)], args: &Args) -> Page {
    let names = ["pairs", "tau at 4", "8", "16", "24", "above random", "for random's 8", "16", "24"];
    let columns: Vec<String> = names.map(String::from).to_vec();
    let mut grids = Vec::new();
    let mut figures = Vec::new();
    for (set, curves) in all {
        let Some(random) = curves.iter().find(|c| c.strategy == PairStrategy::Random) else { continue };
        let mut rows = Vec::new();
        for c in curves {
            let (above, se) = c.above(random);
            let mut row = vec![c.strategy.name().to_owned()];
            row.extend([4.0, 8.0, 16.0, 24.0].map(|n| c.at(n).map_or("-".into(), |t| format!("{t:.3}"))));
            row.push(format!("{above:+.4} ± {se:.4}"));
            row.extend(needed(c, random).map(|n| n.map_or("-".into(), |n| n.to_string())));
            rows.push(row);
            for (n, found) in LEVELS.into_iter().zip(needed(c, random)) {
                let mut row = Row::new();
                row.text(*set).text(c.strategy.name()).real(n).maybe(c.at(n)).maybe(found).real(above).real(se);
                figures.push(row);
            }
        }
        grids.push(Grid { title: (*set).into(), columns: columns.clone(), rows });
    }
    Page {
        title: "Which pair to compare next",
        notes: vec![format!(
            "`crowdwise repro asking-pairs --orderings {} --random {}`. Recorded comparisons are uncovered in batches of half the items; Kendall's tau with the Bradley-Terry scores of all \
             comparisons, the mean over connected parts. Last columns: comparisons per item for what random pairs reach with 8, 16 and 24.",
            args.orderings, args.random
        )],
        grids,
        columns: vec![
            "set",
            "pairs",
            "comparisons_of_random",
            "tau",
            "comparisons_needed",
            "above_random",
            "standard_error",
        ],
        figures,
    }
}
