//! `crowdwise repro planner`: accuracy predicted from a pilot, beside that which the recorded labels gave.

use super::page::{self, Grid, Page};
use super::sets::{self, DataOptions};
use crowdwise::ask::answers::Answers;
use crowdwise::ask::model::{Known, Model, Settings};
use crowdwise::ask::plan::{Choice, GoldLevel, Planner, Shift};
use crowdwise::ask::strategy::Strategy;
use crowdwise::{Context, Dataset, Error, Gold, Table, stats};
use crowdwise_terminal::options::{RunOptions, whole};
use crowdwise_terminal::output::OutputOptions;
use crowdwise_terminal::rows::{Push, Row};
use crowdwise_terminal::talk::Talk;
use crowdwise_terminal::{Exit, TEMPLATE, fitting, interrupt};
use rand::seq::SliceRandom;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise repro planner -o PLANNER.md
  crowdwise repro planner --sets rte,dog --pilots 3 --orderings 3
",
    after_help = "Exits with code 1 if the errors of pilots with three labels per item are larger than they should be."
)]
pub struct Args {
    /// Only these sets [default: those of which at least three labels per item are recorded]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub sets: Vec<String>,
    /// Labels per item of the pilot
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "2,3,5", value_parser = whole::<usize>)]
    pub pilots: Vec<usize>,
    /// Random orders of the labels
    #[arg(long, default_value_t = 6, value_name = "N", value_parser = whole::<u64>)]
    pub orderings: u64,
    /// Simulated futures of each pilot
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = whole::<usize>)]
    pub draws: usize,
    #[command(flatten)]
    pub data: DataOptions,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

const SETS: [&str; 14] = [
    "sp_amt",
    "bluebird",
    "rte",
    "temp",
    "weather_amt",
    "llmbar",
    "prelec_states",
    "dog",
    "face",
    "music",
    "labelme",
    "trec",
    "relevance_s",
    "adult2",
];
/// Labels per item at which predictions are compared.
const AT: [usize; 4] = [3, 5, 10, 20];
/// Gold items of the pilot: none, and these.
const GOLD: [usize; 3] = [0, 50, 200];
/// Mean absolute error that a pilot with three labels per item may have, by the number of gold items, in points.
const MOST: [(usize, f64); 2] = [(0, 8.5), (50, 6.5)];
/// Share of the figures that the 90 % intervals must hold.
const LEAST_COVERED: f64 = 0.8;

/// One prediction.
#[derive(Clone, Debug)]
struct Figure {
    set: String,
    pilot: usize,
    gold: usize,
    per_item: usize,
    predicted: f64,
    low: f64,
    high: f64,
    realised: f64,
    /// What more labels bring over the pilot, predicted and realised.
    gains: [f64; 2],
}

impl Figure {
    /// In points.
    fn error(&self) -> f64 {
        100.0 * (self.predicted - self.realised)
    }

    fn covered(&self) -> bool {
        (self.low..=self.high).contains(&self.realised)
    }
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    if args.orderings == 0 || args.pilots.contains(&0) {
        return Err(Error::Usage { what: "--orderings and --pilots must be at least 1".into(), hint: None });
    }
    let out = page::open(&args.output)?;
    let folder = args.data.folder()?;
    let names: Vec<&str> =
        if args.sets.is_empty() { SETS.to_vec() } else { args.sets.iter().map(String::as_str).collect() };
    sets::check(&folder, &names)?;
    let mut figures = Vec::new();
    for name in &names {
        let (data, truth) = sets::read(&folder, name, args.run.threads())?;
        let set = Set::of(name, data, &truth);
        fitting::with_progress(name, &args.run, talk, |cx| {
            cx.install(|| -> Result<(), Error> {
                for &pilot in &args.pilots {
                    for ordering in 0..args.orderings {
                        figures.extend(set.figures(pilot, ordering, args)?);
                    }
                }
                Ok(())
            })
        })??;
        if interrupt::cancelled() {
            return Err(Error::Interrupted);
        }
        talk.detail(format_args!("{name}"));
    }
    if figures.is_empty() {
        return Err(Error::Usage {
            what: "none of these sets has more labels per item than the pilots".into(),
            hint: Some("choose other sets, or smaller pilots".into()),
        });
    }
    let good = reached(&figures);
    page_of(&figures, args).write(out, talk)?;
    Ok(if good { Exit::Done } else { Exit::Condition })
}

/// A set with what is known.
struct Set<'a> {
    name: &'a str,
    table: Table,
    truth: Vec<Option<u16>>,
}

impl<'a> Set<'a> {
    fn of(name: &'a str, data: Dataset, truth: &Gold) -> Set<'a> {
        let known = truth.classes(data.table.n_units());
        let mut table = data.table;
        table.add_classes(truth.extra_classes.iter());
        Set { name, table, truth: known.into_iter().map(|t| t.map(|t| t as u16)).collect() }
    }

    /// The first `r` labels of each item in a random order.
    fn first(&self, place: &[u32], r: usize) -> Table {
        let mut keep = vec![false; self.table.n_labels()];
        for u in 0..self.table.n_units() {
            let mut rows: Vec<usize> = self.table.rows(u).collect();
            rows.sort_unstable_by_key(|&row| place[row]);
            rows.iter().take(r).for_each(|&row| keep[row] = true);
        }
        self.table.filter_rows(|row| keep[row])
    }

    fn figures(&self, pilot: usize, ordering: u64, args: &Args) -> Result<Vec<Figure>, Error> {
        let table = &self.table;
        let labelled = (0..table.n_units()).filter(|&u| table.degree(u) > 0).count();
        let mean = table.n_labels() as f64 / labelled as f64;
        let at: Vec<usize> = AT.into_iter().filter(|&r| r > pilot && r as f64 <= mean + 0.6).collect();
        if at.is_empty() {
            return Ok(Vec::new());
        }
        let seed = args.run.seed + ordering;
        let mut place: Vec<u32> = (0..table.n_labels() as u32).collect();
        place.shuffle(&mut Context::new(seed, 1).rng("order of labels", 0));
        let start = self.first(&place, pilot);
        let (now, right) = self.realised(&start)?;
        let realised: Vec<f64> =
            at.iter().map(|&r| Ok(self.realised(&self.first(&place, r))?.0)).collect::<Result<_, Error>>()?;
        let planner = Planner { per_item: at.clone(), most: at[at.len() - 1], draws: args.draws, ..Planner::default() };
        let plan = planner.plan(&Dataset::new(start), &[Choice::by(Strategy::Fewest)], seed)?;
        let rows = &plan.outlooks[0].rows;
        let mut out = Vec::new();
        for gold in GOLD {
            // which gold items there are is drawn, too
            let mut known = right.clone();
            known.shuffle(&mut Context::new(seed, 1).rng("gold", gold as u64));
            known.truncate(gold);
            let n = known.len();
            let level = (n > 0).then(|| GoldLevel { n, accuracy: known.iter().sum::<f64>() / n as f64 });
            let before = rows[0].draws.iter().sum::<f64>() / rows[0].draws.len() as f64;
            let shift = Shift::new(table.n_classes(), before, level);
            for (row, (&per_item, &realised)) in rows[1..].iter().zip(at.iter().zip(&realised)) {
                let estimate = shift.estimate(&row.draws);
                out.push(Figure {
                    set: self.name.into(),
                    pilot,
                    gold,
                    per_item,
                    predicted: estimate.accuracy,
                    low: estimate.low,
                    high: estimate.high,
                    realised,
                    gains: [estimate.accuracy - shift.estimate(&rows[0].draws).accuracy, realised - now],
                });
            }
        }
        Ok(out)
    }

    /// How right the model's labels of some of the answers are: the mean over items with known truth, and each of them.
    fn realised(&self, table: &Table) -> Result<(f64, Vec<f64>), Error> {
        let answers = Answers::of_table(table)?;
        let settings = Settings { cold_rounds: 60, ..Settings::default() };
        let model = Model::fitted(&answers, &Known::default(), settings);
        let credit = |(item, t): (usize, &Option<u16>)| {
            let t = t.filter(|_| answers.degree(item) > 0)?;
            let q = model.posterior(item);
            let best = q.iter().copied().fold(0.0, f64::max);
            Some(if stats::tied(q[t as usize], best) { 1.0 / stats::n_tied(q) as f64 } else { 0.0 })
        };
        let right: Vec<f64> = self.truth.iter().enumerate().filter_map(credit).collect();
        Ok((right.iter().sum::<f64>() / right.len().max(1) as f64, right))
    }
}

/// Errors of some of the figures.
struct Errors {
    n: usize,
    absolute: f64,
    bias: f64,
    covered: f64,
    gain_absolute: f64,
    gain_bias: f64,
}

impl Errors {
    /// Every set counts by its figures.
    fn of<'a>(figures: impl Iterator<Item = &'a Figure>) -> Option<Errors> {
        let mut out = Errors { n: 0, absolute: 0.0, bias: 0.0, covered: 0.0, gain_absolute: 0.0, gain_bias: 0.0 };
        for f in figures {
            let gain = 100.0 * (f.gains[0] - f.gains[1]);
            out.n += 1;
            out.absolute += f.error().abs();
            out.bias += f.error();
            out.covered += f64::from(u8::from(f.covered()));
            out.gain_absolute += gain.abs();
            out.gain_bias += gain;
        }
        let n = out.n as f64;
        for sum in [&mut out.absolute, &mut out.bias, &mut out.covered, &mut out.gain_absolute, &mut out.gain_bias] {
            *sum /= n;
        }
        (out.n > 0).then_some(out)
    }
}

fn with(figures: &[Figure], pilot: usize, gold: usize) -> impl Iterator<Item = &Figure> {
    figures.iter().filter(move |f| f.pilot == pilot && f.gold == gold)
}

/// Whether pilots with three labels per item tell as much as they should; true where there are none.
fn reached(figures: &[Figure]) -> bool {
    MOST.iter().all(|&(gold, most)| {
        Errors::of(with(figures, 3, gold)).is_none_or(|e| e.absolute <= most && e.covered >= LEAST_COVERED)
    })
}

fn page_of(figures: &[Figure], args: &Args) -> Page {
    let kind = |gold: usize| if gold == 0 { "no gold".to_owned() } else { format!("{gold} gold items") };
    let mut summary = Vec::new();
    for &pilot in &args.pilots {
        for gold in GOLD {
            if let Some(e) = Errors::of(with(figures, pilot, gold)) {
                summary.push(vec![
                    pilot.to_string(),
                    kind(gold),
                    format!("{:.1}", e.absolute),
                    format!("{:+.1}", e.bias),
                    format!("{:.2}", e.covered),
                    format!("{:.1}", e.gain_absolute),
                    format!("{:+.1}", e.gain_bias),
                    e.n.to_string(),
                ]);
            }
        }
    }
    let mut by_set = Vec::new();
    let mut seen: Vec<(&str, usize, usize)> = figures.iter().map(|f| (f.set.as_str(), f.pilot, f.per_item)).collect();
    seen.dedup();
    let mut done = std::collections::BTreeSet::new();
    for key in seen {
        if !done.insert(key) {
            continue;
        }
        let (set, pilot, per_item) = key;
        let of = |gold: usize, what: fn(&Figure) -> f64| {
            let all = with(figures, pilot, gold).filter(|f| f.set == set && f.per_item == per_item);
            let (sum, n) = all.fold((0.0, 0), |(s, n), f| (s + what(f), n + 1));
            100.0 * sum / n as f64
        };
        let mut row = vec![set.to_owned(), pilot.to_string(), per_item.to_string()];
        row.push(format!("{:.1}", of(0, |f| f.realised)));
        row.extend(GOLD.map(|g| format!("{:.1}", of(g, |f| f.predicted))));
        by_set.push(row);
    }
    let columns = |all: &[&str]| all.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
    let row = |f: &Figure| {
        let mut row = Row::new();
        row.text(f.set.clone()).int(f.pilot as i64).int(f.gold as i64).int(f.per_item as i64);
        row.real(f.predicted).real(f.low).real(f.high).real(f.realised).real(f.error());
        row
    };
    Page {
        title: "Planner: accuracy predicted from a pilot, and what recorded labels gave",
        notes: vec![format!(
            "`crowdwise repro planner --orderings {} --draws {}`. The pilot is the first labels of every item in a random order of the recorded labels; predicted is the accuracy of \
             the labels at up to 20 labels per item, realised that of the model on the labels that were really given next, against known truth. Points of accuracy, mean over sets, orders and \
             numbers of labels. A pilot with three labels per item is to have a mean absolute error of at most {} without gold and {} with 50 gold items, and 90 % intervals that hold {} of \
             the figures: {}.",
            args.orderings,
            args.draws,
            MOST[0].1,
            MOST[1].1,
            LEAST_COVERED,
            if reached(figures) { "reached" } else { "not reached" }
        )],
        grids: vec![
            Grid {
                title: "Errors".into(),
                columns: columns(&[
                    "pilot",
                    "known",
                    "mean absolute error",
                    "bias",
                    "90 % interval covers",
                    "error of the gain over the pilot",
                    "its bias",
                    "predictions",
                ]),
                rows: summary,
            },
            Grid {
                title: "By set".into(),
                columns: columns(&[
                    "set",
                    "pilot",
                    "labels per item",
                    "realised",
                    "predicted, no gold",
                    "predicted, 50 gold items",
                    "predicted, 200 gold items",
                ]),
                rows: by_set,
            },
        ],
        columns: vec!["set", "pilot", "gold", "labels_per_item", "predicted", "low", "high", "realised", "error"],
        figures: figures.iter().map(row).collect(),
    }
}
