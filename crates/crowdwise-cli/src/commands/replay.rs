//! `crowdwise replay`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::options::{InputOptions, RunOptions, check_repeated, whole};
use crate::output::{Format, Output, OutputOptions};
use crate::rows::{self, Push, Row, Sheet};
use crate::source::Known;
use crate::talk::Talk;
use crowdwise::ask::collection::Collection;
use crowdwise::ask::next::Options;
use crowdwise::ask::replay::{Comparison, Course, Outcome, Replay, compare};
use crowdwise::ask::strategy::Strategy;
use crowdwise::report::SCHEMA;
use crowdwise::{Context, Error, LabelKind};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise replay votes.csv --truth truth.csv    what would have been saved
  crowdwise replay votes.csv --truth truth.csv --curves curves.csv
",
    after_help = "Only recorded answers can be asked for. area, area_diff: points of accuracy; ratio: labels beside the base's."
)]
pub struct Args {
    /// File with the recorded answers, or - for stdin
    pub answers: String,
    /// Known truth (item,label)
    #[arg(long, value_name = "FILE")]
    pub truth: String,
    /// Strategies, of those of `next`
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', default_value = "fewest,random,entropy,gain")]
    pub strategies: Vec<String>,
    /// The strategy that others are compared with
    #[arg(long, value_name = "STRATEGY", default_value = "fewest", hide_short_help = true)]
    pub base: String,
    /// Random orders, each with its own first labels
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub orderings: u64,
    /// Random labels of every item to begin with
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<usize>, allow_negative_numbers = true)]
    #[arg(hide_short_help = true)]
    pub start: usize,
    /// Questions between two fits, as a share of the items
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, allow_negative_numbers = true)]
    pub batch: f64,
    /// Share of the questions of gain for items with few labels, annotators at random
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, allow_negative_numbers = true, hide_short_help = true)]
    pub coverage: f64,
    /// End after so many labels [default: all]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub budget: Option<usize>,
    /// Also write the mean curves (strategy, labels, accuracy, standard error) into this file
    #[arg(long, value_name = "FILE")]
    pub curves: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub input: InputOptions,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    seed: u64,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let (base, strategies) = check(args)?;
    let known = Known { truth: Some(args.truth.clone()), gold: None };
    let mut out = args.output.open(&known.files(&args.answers, &args.input))?;
    let curves = args.curves.as_ref().map(|file| curves_file(args, file)).transpose()?;
    let (data, truth) = known.read(&args.answers, &args.input, &args.run, talk)?;
    if data.table.kind() != LabelKind::Categorical {
        return Err(Error::Unsupported {
            what: format!("{}: replay needs answers that are classes, not {} ones", data.source, data.table.kind()),
            hint: Some("`--kind categorical` if the numbers are codes".into()),
        });
    }
    let data = match truth {
        Some(truth) => data.with_gold(truth),
        None => data,
    };
    let collection = Collection::of(&data, &[])?;
    let truth: Vec<(u32, u16)> =
        collection.state.known.gold.iter().zip(0..).filter_map(|(g, i)| Some((i, (*g)?))).collect();
    let replay = Replay::new(&collection.state.answers, &truth);
    let how = Course {
        start: args.start,
        batch: args.batch,
        budget: args.budget,
        orderings: args.orderings,
        seed: args.run.seed,
        ..Course::default()
    };
    let options = Options { coverage: args.coverage, ..Options::default() };
    let work = || compare(&replay, base, &strategies, &options, &how);
    let comparison = talk.timed("replay", || Context::new(args.run.seed, args.run.threads()).install(work))?;
    if let Some(mut file) = curves {
        rows::write(&mut file, curve_rows(&comparison), talk)?;
        file.target.finish()?;
    }
    if out.format == Format::Json {
        rows::write_json(&mut out, &Document { schema: SCHEMA, seed: args.run.seed, comparison: &comparison })?;
    } else {
        talk.note(format_args!(
            "{} labels on {} items: {:.1} % right with all of them; labels_to_99: until {:.1} %",
            comparison.labels,
            comparison.items,
            comparison.final_accuracy,
            0.99 * comparison.final_accuracy
        ));
        rows::write(&mut out, table(&comparison), talk)?;
    }
    out.target.finish()?;
    Ok(Exit::Done)
}

/// The strategies, or everything that is wrong with the options.
fn check(args: &Args) -> Result<(Strategy, Vec<Strategy>), Error> {
    let mut problems = Vec::new();
    let mut find = |name: &str| match Strategy::find(name) {
        Ok(s) => Some(s),
        Err(e) => {
            problems.push(e);
            None
        }
    };
    let base = find(&args.base).unwrap_or_default();
    let strategies: Vec<Strategy> = args.strategies.iter().filter_map(|name| find(name.trim())).collect();
    problems.extend(check_repeated("strategy", args.strategies.iter().map(String::as_str)).err());
    let mut bad = |what: String| problems.push(Error::Usage { what, hint: None });
    if args.orderings == 0 {
        bad("--orderings is 0: there would be nothing to replay".into());
    }
    if args.start == 0 {
        bad("--start is 0: every item needs a label to begin with".into());
    }
    if !(0.0..=1.0).contains(&args.coverage) {
        bad(format!("--coverage is {}, but must be from 0 to 1", args.coverage));
    }
    if !(args.batch.is_finite() && args.batch > 0.0) {
        bad(format!("--batch is {}, but must be above 0", args.batch));
    }
    Error::all(problems)?;
    Ok((base, strategies))
}

fn curves_file(args: &Args, file: &std::path::Path) -> Result<Output, Error> {
    OutputOptions { format: None, output: Some(file.to_owned()), ..args.output.clone() }
        .open(&[Some(&args.answers), Some(&args.truth)])
}

fn table(c: &Comparison) -> Sheet<'_> {
    let columns =
        ["strategy", "area", "area_diff", "se", "labels_to_99", "ratio", "ratio_se", "reached", "last", "last_labels"];
    Sheet::new(columns, c.outcomes.len(), move |at, row: &mut Row<'_>| {
        let o: &Outcome = &c.outcomes[at];
        row.text(o.strategy.name()).real(o.area).real(o.area_diff).real(o.se).real(o.labels_to_99);
        row.real(o.ratio).real(o.ratio_se).real(o.reached).real(o.last).real(o.last_labels);
    })
}

fn curve_rows(c: &Comparison) -> Sheet<'_> {
    let points: Vec<_> = c.outcomes.iter().flat_map(|o| o.curve.iter().map(move |p| (o.strategy, p))).collect();
    // 90 % of the orderings that might have been
    let times = crowdwise::ask::replay::INTERVAL;
    Sheet::new(["strategy", "labels", "accuracy", "se", "low", "high"], points.len(), move |at, row: &mut Row<'_>| {
        let (strategy, p) = &points[at];
        row.text(strategy.name()).real(p.labels).real(p.accuracy).real(p.se);
        row.real(p.accuracy - times * p.se).real(p.accuracy + times * p.se);
    })
}
