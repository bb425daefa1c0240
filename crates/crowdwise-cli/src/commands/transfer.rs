//! `crowdwise transfer`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::features;
use crate::fitting::{say_evaluation, with_progress};
use crate::options::{InputOptions, RunOptions, read_truth};
use crate::output::{Format, Output, OutputOptions};
use crate::rows::{self, Push, Row, Sheet};
use crate::talk::Talk;
use clap::ValueEnum;
use crowdwise::ask::transfer::{CrossTask, TransferLogistic, cross_task, transfer_logistic};
use crowdwise::questions::{Evaluation, evaluate_rows};
use crowdwise::report::SCHEMA;
use crowdwise::{Dataset, Error, Gold, GoldValues, stats};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise transfer new.csv --source old.csv --source older.csv
  crowdwise transfer new.csv --source old.csv --show labels -o labels.csv
"
)]
pub struct Args {
    /// File with the answers of the task in question, or - for stdin
    pub answers: String,
    /// Answers of another task with some of the same annotators; may be given several times
    #[arg(long = "source", value_name = "FILE", required = true)]
    pub sources: Vec<String>,
    /// What to list
    #[arg(long, value_enum, default_value_t = Show::Annotators)]
    pub show: Show,
    /// Features of the items (.npy or CSV): a classifier and reliabilities that depend on them are transferred, too
    #[arg(long, value_name = "FILE", requires = "source_features")]
    pub features: Option<PathBuf>,
    /// Features of the items of each source, in the order of the sources
    #[arg(long, value_name = "FILE", requires = "features")]
    pub source_features: Vec<PathBuf>,
    /// Use the sources even if they do not help to predict held-out labels (with --features)
    #[arg(long, requires = "features", hide_short_help = true)]
    pub unguarded: bool,
    /// Numbers in the ability vector of an annotator (without --features)
    #[arg(long, value_name = "N", default_value_t = 2, hide_short_help = true)]
    pub abilities: usize,
    /// Known truth (item,label), used for evaluation only
    #[arg(long, value_name = "FILE")]
    pub truth: Option<String>,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub input: InputOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// How accurate each annotator is, or would be, at the task
    Annotators,
    /// Labels of the items
    Labels,
}

/// What either kind of transfer tells.
struct Told {
    method: &'static str,
    annotators: Vec<Annotator>,
    /// Posterior of the target's units, and that of the target alone.
    posterior: Vec<f64>,
    single: Vec<f64>,
    details: Value,
}

struct Annotator {
    name: String,
    labels: u64,
    labels_elsewhere: u64,
    accuracy: f64,
    plain_mean: Option<f64>,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let mut inputs: Vec<Option<&str>> = vec![Some(args.answers.as_str()), args.truth.as_deref()];
    inputs.extend(args.sources.iter().map(|s| Some(s.as_str())));
    inputs.extend(args.features.iter().chain(&args.source_features).map(|p| p.to_str()));
    inputs.extend(args.input.files());
    let out = args.output.open(&inputs)?;
    if args.features.is_some() && args.source_features.len() != args.sources.len() {
        return Err(Error::Usage {
            what: format!("{} sources, but {} files of their features", args.sources.len(), args.source_features.len()),
            hint: Some("give `--source-features FILE` once for every `--source`, in the same order".into()),
        });
    }
    let mut target = args.input.read(&args.answers, args.run.threads(), talk)?;
    let truth = args.truth.as_deref().map(|file| read_truth(file, &target, false, talk)).transpose()?;
    // what stands beside the target's answers is not that of the sources
    let plain = InputOptions { items: None, probabilities: None, graph: None, attribute: None, ..args.input.clone() };
    let mut sources = Vec::new();
    for file in &args.sources {
        sources.push(plain.read(file, args.run.threads(), talk)?);
    }
    if let Some(file) = &args.features {
        target.features = Some(features::of_items(file, args.input.items.as_deref(), &target, talk)?);
        for (source, file) in sources.iter_mut().zip(&args.source_features) {
            source.features = Some(features::of_items(file, None, source, talk)?);
        }
    }
    let told = with_progress("transfer", &args.run, talk, |_| match args.features {
        Some(_) => with_features(args, &target, &sources, talk),
        None => abilities(args, &target, &sources),
    })?;
    show(args, out, &target, truth.as_ref(), &told, talk)
}

fn abilities(args: &Args, target: &Dataset, sources: &[Dataset]) -> Result<Told, Error> {
    let how = CrossTask { abilities: args.abilities, ..CrossTask::default() };
    let sources: Vec<&Dataset> = sources.iter().collect();
    let fit = cross_task(target, &sources, &how, args.run.seed)?;
    let single = how.single(&fit, args.run.seed).posterior;
    let one = |(j, name): (usize, &String)| Annotator {
        name: name.clone(),
        labels: fit.tasks.labels[j][0],
        labels_elsewhere: fit.tasks.labels[j][1..].iter().sum(),
        accuracy: fit.accuracy[j][0],
        plain_mean: fit.plain_mean[j],
    };
    let annotators = fit.tasks.annotators.iter().enumerate().map(one).collect();
    let details = json!({"loading": fit.loading, "intercept": fit.intercept});
    Ok(Told { method: "cross-task", annotators, posterior: fit.posterior, single, details })
}

fn with_features(args: &Args, target: &Dataset, sources: &[Dataset], talk: Talk) -> Result<Told, Error> {
    let how = TransferLogistic { guard: !args.unguarded, ..TransferLogistic::default() };
    let sources: Vec<&Dataset> = sources.iter().collect();
    let fit = transfer_logistic(target, &sources, &how)?;
    let [alone, with] = fit.held_out;
    talk.note(format_args!(
        "log-likelihood of held-out labels: {alone:.2} without the sources, {with:.2} with them (difference ± {:.2}): {}",
        fit.held_out_se,
        if fit.accepted { "they are used" } else { "they are not used" }
    ));
    let one = |(j, name): (usize, &String)| Annotator {
        name: name.clone(),
        labels: fit.tasks.labels[j][0],
        labels_elsewhere: fit.tasks.labels[j][1..].iter().sum(),
        accuracy: fit.accuracy[j],
        plain_mean: None,
    };
    let annotators = fit.tasks.annotators.iter().enumerate().map(one).collect();
    let both = |p: &[f64]| p.iter().flat_map(|&x| [1.0 - x, x]).collect();
    let details = json!({
        "accepted": fit.accepted, "held_out_alone": alone, "held_out_with_sources": with, "held_out_se": fit.held_out_se,
        "source_weights": fit.weight,
        "classifier": fit.classifier,
    });
    Ok(Told {
        method: "transfer-logistic",
        annotators,
        posterior: both(&fit.positive),
        single: both(&fit.single),
        details,
    })
}

fn show(
    args: &Args,
    mut out: Output,
    target: &Dataset,
    truth: Option<&Gold>,
    told: &Told,
    talk: Talk,
) -> Result<Exit, Error> {
    let classes: Vec<&str> = target.table.categorical().map(|c| c.classes.iter().collect()).unwrap_or_default();
    let k = classes.len();
    let score = |q: &[f64]| -> Option<Evaluation> {
        let GoldValues::Classes(known) = &truth?.values else { return None };
        let known: Vec<(usize, usize)> = known.iter().map(|&(u, c)| (u as usize, c as usize)).collect();
        Some(evaluate_rows(k, q, &known))
    };
    let (evaluation, alone) = (score(&told.posterior), score(&told.single));
    let names = target.table.items();
    let best = |u: usize| {
        let row = &told.posterior[u * k..(u + 1) * k];
        let c = stats::argmax(row);
        (classes[c], row[c])
    };
    let n = target.table.n_units();
    if out.format == Format::Json {
        let annotator = |a: &Annotator| {
            json!({
                "annotator": a.name, "labels": a.labels, "labels_elsewhere": a.labels_elsewhere, "accuracy": a.accuracy,
                "plain_mean": a.plain_mean,
            })
        };
        let label = |u: usize| {
            let (label, p) = best(u);
            json!({"item": names.name(u), "label": label, "probability": p})
        };
        let accuracy = |e: &Option<Evaluation>| e.as_ref().and_then(|e| e.accuracy);
        let document = json!({
            "schema": SCHEMA, "transfer": told.method, "target": target.source, "sources": args.sources,
            "class_names": classes, "accuracy": accuracy(&evaluation), "accuracy_alone": accuracy(&alone),
            "annotators": told.annotators.iter().map(annotator).collect::<Vec<_>>(),
            "labels": (0..n).map(label).collect::<Vec<_>>(), "details": told.details,
        });
        rows::write_json(&mut out, &document)?;
    } else {
        if let (Some(file), Some(e), Some(alone)) = (&args.truth, &evaluation, &alone) {
            say_evaluation(e, file, talk);
            talk.note(format_args!("without the sources: accuracy {:.4}", alone.accuracy.unwrap_or(f64::NAN)));
        }
        let sheet = match args.show {
            Show::Annotators => {
                let columns = ["annotator", "labels", "labels_elsewhere", "accuracy", "plain_mean"];
                Sheet::new(columns, told.annotators.len(), |at, row: &mut Row<'_>| {
                    let a = &told.annotators[at];
                    row.text(a.name.as_str()).int(a.labels as i64).int(a.labels_elsewhere as i64);
                    row.real(a.accuracy).maybe(a.plain_mean);
                })
            }
            Show::Labels => Sheet::new(["item", "label", "probability"], n, |u, row: &mut Row<'_>| {
                let (label, p) = best(u);
                row.text(names.name(u)).text(label).real(p);
            }),
        };
        rows::write(&mut out, sheet, talk)?;
    }
    out.target.finish()?;
    Ok(Exit::Done)
}
