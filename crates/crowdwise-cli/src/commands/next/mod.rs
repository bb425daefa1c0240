//! `crowdwise next`.

mod features;
mod files;
mod numbers;
mod show;

use crate::cli::TEMPLATE;
use crate::commands::rank;
use crate::failure::Exit;
use crate::options::{InputOptions, RunOptions, whole};
use crate::output::{Format, OutputOptions};
use crate::rows;
use crate::source::Known;
use crate::talk::Talk;
use crowdwise::ask::model::{Model, Settings};
use crowdwise::ask::next::{Options, Want, next};
use crowdwise::ask::strategy::Strategy;
use crowdwise::{Error, LabelKind, Structure};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise next votes.csv -n 50 -o ask.csv    50 questions, and whom to ask
  crowdwise next votes.csv --for ann -n 5      for an annotator who is here
",
    after_help = "annotators: annotator,price,capacity,from,to,max_share. pending: item,annotator,since. --items: item,deadline,value."
)]
pub struct Args {
    /// File with the answers so far, or - for stdin
    pub answers: String,
    /// Number of questions
    #[arg(short = 'n', long = "questions", default_value_t = 100, value_name = "N", value_parser = whole::<usize>)]
    #[arg(allow_negative_numbers = true)]
    pub n: usize,
    /// As many questions as this buys, instead of a number of them
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true, conflicts_with = "n")]
    pub money: Option<f64>,
    /// How to choose [default: gain; with --features dalc; for numbers fewest]
    ///
    /// gain, fewest, sure, worth, random; for comparison entropy, margin, votes, okg, activelab, best-annotator, greedy. With
    /// --features: dalc, dalc-q, gain, bald, ad, ac, rd, activelab, variance. For numbers: fewest, gain, random
    #[arg(long, value_name = "STRATEGY")]
    pub strategy: Option<String>,
    /// Questions for this annotator only
    #[arg(long = "for", value_name = "ANNOTATOR")]
    pub only: Option<String>,
    /// Who can be asked [default: everybody who answered]
    #[arg(long, value_name = "FILE")]
    pub annotators: Option<String>,
    /// Questions that are out and not answered yet
    #[arg(long, value_name = "FILE")]
    pub pending: Option<String>,
    /// Known truth (item,label), which is not asked
    #[arg(long, value_name = "FILE")]
    pub gold: Option<String>,
    /// Item features, one row per item (.npy or CSV): a classifier learns beside the answers (DALC and its relatives)
    #[arg(long, value_name = "FILE")]
    pub features: Option<PathBuf>,
    /// Leave items alone whose class is this sure [default: 0.9 for the strategy sure, else none]
    #[arg(long, value_name = "P", allow_negative_numbers = true, hide_short_help = true)]
    pub stop_at: Option<f64>,
    /// What a right item is worth, in the money of the prices (strategy worth)
    #[arg(long, default_value_t = 100.0, value_name = "AMOUNT", allow_negative_numbers = true, hide_short_help = true)]
    pub value: f64,
    /// Maximum number of labels per item, questions included [default: three times the mean, at least 10]
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true, hide_short_help = true)]
    pub max_per_item: Option<usize>,
    /// Maximum share of all answers by one annotator
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, hide_short_help = true)]
    pub max_share: Option<f64>,
    /// Maximum number of questions out to one annotator
    #[arg(long, value_name = "N", value_parser = whole::<u32>, allow_negative_numbers = true, hide_short_help = true)]
    pub max_out: Option<u32>,
    /// Budget for all answers, those that are there included
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true, hide_short_help = true)]
    pub budget: Option<f64>,
    /// Share of the questions for items with few labels, annotators at random (strategy gain)
    #[arg(long, default_value_t = 0.2, value_name = "SHARE", allow_negative_numbers = true, hide_short_help = true)]
    pub coverage: f64,
    /// Divide gains by price to this power
    #[arg(long, default_value_t = 1.0, value_name = "POWER", allow_negative_numbers = true, hide_short_help = true)]
    pub price_power: f64,
    /// Minutes after which a question that is out counts as not answered [default: never]
    #[arg(long, value_name = "MINUTES", allow_negative_numbers = true, hide_short_help = true)]
    pub lease: Option<f64>,
    /// The time, such as 2026-03-31T18:00, for hours, deadlines and leases [default: now]
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub now: Option<String>,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub input: InputOptions,
}

impl Args {
    /// The strategy that was asked for, or the usual one for such data.
    fn strategy<'a>(&'a self, usual: &'a str) -> &'a str {
        self.strategy.as_deref().unwrap_or(usual)
    }
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    // a slip is found before anything is read
    let strategy =
        if args.features.is_some() { features::check(args).err() } else { Strategy::find(args.strategy("gain")).err() };
    Error::all(check(args).into_iter().chain(strategy).collect())?;
    let known = Known { truth: None, gold: args.gold.clone() };
    let mut inputs = known.files(&args.answers, &args.input).to_vec();
    inputs.extend([args.annotators.as_deref(), args.pending.as_deref()]);
    inputs.push(args.features.as_deref().and_then(std::path::Path::to_str));
    let (mut data, _) = known.read(&args.answers, &args.input, &args.run, talk)?;
    if data.table.kind() == LabelKind::Preference {
        return comparisons(args, talk);
    }
    if data.table.kind() == LabelKind::Real {
        return numbers::run(args, &data, talk);
    }
    if data.table.kind() != LabelKind::Categorical
        || !matches!(data.structure, Structure::Independent | Structure::Graph(_))
    {
        return Err(not_yet(&data));
    }
    if let Some(file) = &args.features {
        data.features = Some(crate::features::of_items(file, args.input.items.as_deref(), &data, talk)?);
        return features::run(args, &data, talk);
    }
    let strategy = Strategy::find(args.strategy("gain"))?;
    let mut out = args.output.open(&inputs)?;
    let now = files::time(args)?;
    let mut collection = files::collection(args, &data, now, talk)?;
    let state = &mut collection.state;
    state.limits.max_share = args.max_share;
    state.limits.in_flight_each = args.max_out;
    state.limits.money = args.budget;
    let mean = state.answers.n_labels() as f64 / state.answers.n_labelled().max(1) as f64;
    state.limits.max_per_item = Some(args.max_per_item.unwrap_or_else(|| (3.0 * mean).ceil().max(10.0) as usize));
    let only = args.only.as_deref().map(|name| collection.known_annotator(name)).transpose()?;
    let options = Options {
        strategy,
        want: args.money.map_or(Want::Questions(args.n), Want::Money),
        only,
        coverage: args.coverage,
        price_power: args.price_power,
        stop_at: args.stop_at,
        value: args.value,
        now: files::uses_time(args).then_some(now),
        seed: args.run.seed,
    };
    let model =
        talk.timed("fit", || Model::fitted(&collection.state.answers, &collection.state.known, Settings::default()));
    let batch = talk.timed("next", || next(&collection.state, &model, &options));
    if out.format == Format::Json {
        rows::write_json(&mut out, &show::document(&collection, &batch, &options))?;
    } else {
        show::say(&batch, collection.items.len(), talk);
        rows::write(&mut out, show::table(&collection, &batch), talk)?;
    }
    out.target.finish()?;
    Ok(Exit::Done)
}

/// Every number that is out of its range.
fn check(args: &Args) -> Vec<Error> {
    let bad = |name: &str, value: f64, must: &str| Error::Usage {
        what: format!("--{name} is {value}, but must be {must}"),
        hint: None,
    };
    let mut problems = Vec::new();
    let mut share = |name: &str, value: Option<f64>| {
        if let Some(x) = value.filter(|x| !(0.0..=1.0).contains(x)) {
            problems.push(bad(name, x, "from 0 to 1"));
        }
    };
    share("stop-at", args.stop_at);
    share("max-share", args.max_share);
    share("coverage", Some(args.coverage));
    let amounts = [
        ("money", args.money),
        ("budget", args.budget),
        ("lease", args.lease),
        ("price-power", Some(args.price_power)),
    ];
    for (name, value) in amounts {
        if let Some(x) = value.filter(|x| !(x.is_finite() && *x >= 0.0)) {
            problems.push(bad(name, x, "a number of at least 0"));
        }
    }
    if !(args.value.is_finite() && args.value > 0.0) {
        problems.push(bad("value", args.value, "a number above 0"));
    }
    problems
}

/// Comparisons are asked about as `rank --next` does.
fn comparisons(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let usage =
        |what: &str| Err(Error::Usage { what: what.into(), hint: Some("`crowdwise rank FILE --next N`".into()) });
    if args.answers == "-" {
        return usage("comparisons cannot be read from stdin here");
    }
    let given = [
        ("--for", args.only.is_some()),
        ("--money", args.money.is_some()),
        ("--annotators", args.annotators.is_some()),
        ("--pending", args.pending.is_some()),
        ("--gold", args.gold.is_some()),
        ("--features", args.features.is_some()),
        ("--strategy", args.strategy("gain") != "gain"),
    ];
    let given: Vec<&str> = given.into_iter().filter(|g| g.1).map(|g| g.0).collect();
    if !given.is_empty() {
        return usage(&format!("for labels that are classes, not for comparisons: {}", given.join(", ")));
    }
    let args = rank::Args {
        answers: args.answers.clone(),
        method: None,
        params: Vec::new(),
        next: Some(args.n),
        truth: None,
        features: None,
        fail_if: Vec::new(),
        output: args.output.clone(),
        run: args.run.clone(),
        input: args.input.clone(),
    };
    rank::run(&args, talk)
}

fn not_yet(data: &crowdwise::Dataset) -> Error {
    let what = if matches!(data.structure, Structure::Chains { .. }) { "sequences" } else { "such answers" };
    Error::Unsupported {
        what: format!("{}: next asks about classes, numbers and comparisons, not about {what} yet", data.source),
        hint: Some("`crowdwise items FILE --by entropy` lists the least certain items".into()),
    }
}
