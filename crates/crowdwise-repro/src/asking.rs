//! `crowdwise repro asking`: strategies replayed on the real sets.

use super::page::{self, Grid, Page};
use super::sets::{self, DataOptions};
use crowdwise::ask::collection::Collection;
use crowdwise::ask::next::Options;
use crowdwise::ask::replay::{Comparison, Course, Replay, compare};
use crowdwise::ask::strategy::Strategy;
use crowdwise::{Context, Error};
use crowdwise_terminal::Exit;
use crowdwise_terminal::TEMPLATE;
use crowdwise_terminal::options::{RunOptions, check_repeated, whole};
use crowdwise_terminal::output::OutputOptions;
use crowdwise_terminal::rows::{Push, Row};
use crowdwise_terminal::talk::Talk;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro asking -o ASKING.md
  crowdwise repro asking --sets rte,dog --strategies random,gain --orderings 4
",
    after_help = "ratio: labels until 99 % of the accuracy with all labels, beside what round robin (fewest) needs."
)]
pub struct Args {
    /// Sets [default: the 14 of the table]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub sets: Vec<String>,
    /// Strategies beside fewest
    #[arg(
        long,
        value_name = "A,B,…",
        value_delimiter = ',',
        default_value = "random,entropy,votes,activelab,best-annotator,greedy,gain"
    )]
    pub strategies: Vec<String>,
    /// Random orders of every set
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = whole::<u64>)]
    pub orderings: u64,
    #[command(flatten)]
    pub data: DataOptions,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

/// The sets, and what an independent program found for gain: ratio and difference of area.
const SETS: [(&str, f64, f64); 14] = [
    ("sp_amt", 0.69, 0.22),
    ("bluebird", 0.54, 3.1),
    ("rte", 0.50, 2.4),
    ("temp", 0.48, 1.9),
    ("weather_amt", 0.73, 1.2),
    ("llmbar", 0.22, 11.7),
    ("prelec_states", 0.72, 3.2),
    ("dog", 0.61, 1.9),
    ("face", 0.86, 0.5),
    ("music", 0.90, 3.8),
    ("labelme", 0.90, 0.5),
    ("trec", 0.59, 1.1),
    ("relevance_s", 0.51, 3.0),
    ("adult2", 0.54, 1.5),
];

/// Labels per item that are replayed at most: one of the sets has 130.
const PER_ITEM: usize = 25;

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    if args.orderings == 0 {
        return Err(Error::Usage { what: "--orderings is 0: there would be nothing to replay".into(), hint: None });
    }
    check_repeated("set", args.sets.iter().map(String::as_str))?;
    let strategies: Vec<Strategy> =
        args.strategies.iter().map(|s| Strategy::find(s.trim())).collect::<Result<_, _>>()?;
    let folder = args.data.folder()?;
    let names: Vec<&str> = if args.sets.is_empty() {
        SETS.iter().map(|s| s.0).collect()
    } else {
        args.sets.iter().map(String::as_str).collect()
    };
    sets::check(&folder, &names)?;
    let out = page::open(&args.output)?;
    let mut cx = Context::new(args.run.seed, args.run.threads());
    let mut all = Vec::new();
    for name in names {
        let (data, truth) = sets::read(&folder, name, args.run.threads())?;
        let data = data.with_gold(truth);
        let collection = Collection::of(&data, &[])?;
        let known = collection.state.known.gold.iter().zip(0..);
        let truth: Vec<(u32, u16)> = known.filter_map(|(g, i)| Some((i, (*g)?))).collect();
        let replay = Replay::new(&collection.state.answers, &truth);
        let budget = (replay.n_labels() > 4 * PER_ITEM * replay.n_items()).then(|| PER_ITEM * replay.n_items());
        let how = Course { orderings: args.orderings, seed: args.run.seed, budget, ..Course::default() };
        let work = || compare(&replay, Strategy::Fewest, &strategies, &Options::default(), &how);
        let table = talk.timed(name, || cx.install(work))?;
        all.push((name.to_owned(), table));
    }
    page_of(&all, args).write(out, talk)?;
    Ok(Exit::Done)
}

fn page_of(all: &[(String, Comparison)], args: &Args) -> Page {
    let strategies: Vec<Strategy> =
        all.first().map_or(Vec::new(), |a| a.1.outcomes.iter().map(|o| o.strategy).collect());
    let figures = all.iter().flat_map(|(set, table)| {
        table.outcomes.iter().map(move |o| {
            let mut row: Row<'static> = Row::new();
            row.text(set.clone()).text(o.strategy.name()).real(table.final_accuracy);
            row.real(table.labels as f64 / table.items as f64).real(o.labels_to_99 / table.items as f64);
            row.real(o.ratio).real(o.ratio_se).real(o.area).real(o.area_diff).real(o.se).real(o.reached);
            row
        })
    });
    Page {
        title: "What to ask next: labels saved on recorded answers",
        notes: notes(args),
        grids: vec![ratios(all, &strategies), areas(all, &strategies)],
        columns: vec![
            "set",
            "strategy",
            "final_accuracy",
            "labels_per_item",
            "per_item_to_99",
            "ratio",
            "ratio_se",
            "area",
            "area_diff",
            "area_se",
            "reached",
        ],
        figures: figures.collect(),
    }
}

fn notes(args: &Args) -> Vec<String> {
    vec![
        format!(
            "`crowdwise repro asking --orderings {}`. Recorded answers are the oracle: only recorded pairs can be asked, each costs one label, and every strategy of an ordering begins with the \
             same random label of every item. Between two fits a strategy asks for 0.1 N labels (0.04 of the labels if that is more). Accuracy is that of the model while asking, on the known items.",
            args.orderings
        ),
        "Labels until the mean of five neighbouring evaluations reaches 99 % of the accuracy with all labels, divided by what round robin (`fewest`) needs in the same ordering; ± is the standard \
         error over orderings. Area: mean accuracy over the whole curve, difference to round robin in points. `reference` is an independent program in numpy, on the same sets with other random \
         numbers."
            .into(),
    ]
}

/// The mean and the worst of a column.
fn summary(values: &[f64], worst: fn(f64, f64) -> f64) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    (mean, values.iter().copied().reduce(worst).unwrap_or(f64::NAN))
}

fn grid(
    all: &[(String, Comparison)],
    strategies: &[Strategy],
    title: &str,
    cell: impl Fn(&Comparison, usize) -> (f64, String),
    reference: impl Fn(&str) -> Option<f64>,
    worst: fn(f64, f64) -> f64,
) -> Grid {
    let others: Vec<usize> = (1..strategies.len()).collect();
    let mut columns =
        vec!["set".to_owned(), "all labels: right, %".into(), "per item".into(), "fewest to 99 %, per item".into()];
    columns.extend(others.iter().map(|&s| strategies[s].name().to_owned()));
    columns.push("gain, reference".into());
    let mut rows: Vec<Vec<String>> = all
        .iter()
        .map(|(set, t)| {
            let n = t.items as f64;
            let mut row = vec![set.clone(), format!("{:.1}", t.final_accuracy), format!("{:.1}", t.labels as f64 / n)];
            row.push(format!("{:.1}", t.outcomes[0].labels_to_99 / n));
            row.extend(others.iter().map(|&s| cell(t, s).1));
            row.push(reference(set).map_or(String::new(), |r| format!("{r:.2}")));
            row
        })
        .collect();
    let mut last = vec!["mean (worst)".to_owned(), String::new(), String::new(), String::new()];
    for &s in &others {
        let (mean, worst) = summary(&all.iter().map(|(_, t)| cell(t, s).0).collect::<Vec<_>>(), worst);
        last.push(format!("{mean:.2} ({worst:.2})"));
    }
    let (mean, worst) = summary(&all.iter().filter_map(|(set, _)| reference(set)).collect::<Vec<_>>(), worst);
    last.push(format!("{mean:.2} ({worst:.2})"));
    rows.push(last);
    Grid { title: title.into(), columns, rows }
}

fn ratios(all: &[(String, Comparison)], strategies: &[Strategy]) -> Grid {
    let cell = |t: &Comparison, s: usize| {
        (t.outcomes[s].ratio, format!("{:.2} ± {:.2}", t.outcomes[s].ratio, t.outcomes[s].ratio_se))
    };
    let reference = |set: &str| SETS.iter().find(|s| s.0 == set).map(|s| s.1);
    grid(all, strategies, "Labels to 99 % of the final accuracy, beside round robin", cell, reference, f64::max)
}

fn areas(all: &[(String, Comparison)], strategies: &[Strategy]) -> Grid {
    let cell = |t: &Comparison, s: usize| {
        (t.outcomes[s].area_diff, format!("{:+.1} ± {:.1}", t.outcomes[s].area_diff, t.outcomes[s].se))
    };
    let reference = |set: &str| SETS.iter().find(|s| s.0 == set).map(|s| s.2);
    grid(all, strategies, "Mean accuracy over the curve, points above round robin", cell, reference, f64::min)
}
