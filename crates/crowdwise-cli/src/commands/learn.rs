//! `crowdwise learn`.

use crate::cli::TEMPLATE;
use crate::commands::fit::labels;
use crate::failure::Exit;
use crate::features::{self, Test};
use crate::fitting;
use crate::options::{FailIf, InputOptions, KeyValue, RunOptions, check_repeated, pairs};
use crate::output::{Format, OutputOptions, Target, unwritable};
use crate::rows;
use crate::source::Known;
use crate::talk::{Talk, counted};
use crowdwise::learn::grid::{Grid, Search, combinations, search};
use crowdwise::learn::{AnyLearner, DEFAULT_LEARNER, Model, default_learner};
use crowdwise::questions::{Evaluation, evaluate, review};
use crowdwise::report::{Align, DataCounts, FindingEntry, SCHEMA, TextTable};
use crowdwise::{Dataset, Error, Fit, Gold, Severity};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise learn votes.csv --features x.npy -m max-mig --model-out m.cw
  crowdwise learn votes.csv --features photos/ -m aggnet --truth truth.csv
"
)]
pub struct Args {
    /// File with the answers, or - for stdin
    pub answers: String,
    /// Features, one row per item: .npy or CSV; or images: .npy, or a folder of PNG and JPEG files
    ///
    /// Images in .npy are N x height x width (x channels); files in a folder are named after the items.
    #[arg(long, value_name = "FILE|FOLDER")]
    pub features: PathBuf,
    /// Method [default: chosen by the kind of sources]
    #[arg(short, long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Set a parameter of the method; `crowdwise methods METHOD` lists them
    #[arg(short, long = "param", value_name = "KEY=VALUE")]
    pub params: Vec<KeyValue>,
    /// Learn with the values that predict held-out labels best
    ///
    /// All combinations are tried if it is given several times, as in `--grid rank=5,10 --grid hidden=64,128`. With --gold the
    /// values that predict held-out gold best are taken.
    #[arg(long, value_name = "KEY=V1,V2,…")]
    pub grid: Vec<KeyValue>,
    #[command(flatten)]
    pub test: Test,
    #[command(flatten)]
    pub known: Known,
    /// Save the trained classifier for `crowdwise predict`
    #[arg(long, value_name = "FILE")]
    pub model_out: Option<PathBuf>,
    /// Add a probability column for each class
    #[arg(long)]
    pub posterior: bool,
    /// Exit with code 1 if this is the case
    #[arg(long, value_enum, value_name = "CONDITION", value_delimiter = ',', hide_short_help = true)]
    pub fail_if: Vec<FailIf>,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub input: InputOptions,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let start = Instant::now();
    // slips are found before anything is read
    let name = args.method.as_deref().unwrap_or(DEFAULT_LEARNER);
    let mut method = learner(name, &args.params)?;
    let settings = settings(args)?;
    let mut values: Vec<&(String, Value)> = settings.iter().flatten().collect();
    values.sort_by(|a, b| (&a.0, a.1.as_str()).cmp(&(&b.0, b.1.as_str())));
    values.dedup();
    let slip = |v: &&(String, Value)| with_values(name, &[], &args.params, &[(*v).clone()]).err();
    Error::all(values.iter().filter_map(slip).collect())?;
    args.test.check()?;
    let mut inputs = args.known.files(&args.answers, &args.input).to_vec();
    inputs.extend(args.test.files());
    inputs.push(args.features.to_str());
    let mut out = args.output.open(&inputs)?;
    let model_file = args.model_out.as_deref().map(|path| Target::open(Some(path), &inputs)).transpose()?;
    let (mut data, truth) = args.known.read(&args.answers, &args.input, &args.run, talk)?;
    data.features = Some(features::of_items(&args.features, args.input.items.as_deref(), &data, talk)?);
    let test = args.test.read(&data, talk)?;
    let chosen = args.method.is_none().then(|| default_learner(&data));
    let own: &[(String, Value)] = chosen.as_ref().map_or(&[], |c| c.params.as_slice());
    let id = chosen.as_ref().map_or(name, |c| c.id);
    if chosen.is_some() {
        method = with_values(id, own, &args.params, &[])?;
    }
    let grid = if args.grid.is_empty() {
        None
    } else {
        let how = Search { folds: FOLDS, by_gold: data.gold.is_some() };
        let make = |values: &[(String, Value)]| with_values(id, own, &args.params, values);
        let found = talk.timed("grid", || {
            fitting::with_progress(method.info().id, &args.run, talk, |cx| search(&settings, &make, &data, how, cx))
        })?;
        say_grid(&found, talk);
        method = make(&found.tried[found.best].values)?;
        Some(found)
    };
    let (mut fit, model) = talk
        .timed("learn", || fitting::with_progress(method.info().id, &args.run, talk, |cx| method.learn(&data, cx)))?;
    review(method.info(), &data, &mut fit);
    fit.findings.splice(0..0, chosen.map(|c| c.finding()));
    if let Some(mut file) = model_file {
        let shown = file.name();
        file.write_all(&model.to_bytes()).map_err(|e| unwritable(&shown, &e))?;
        file.finish()?;
        talk.note(format_args!("model written to {shown}"));
    }
    let train = truth.as_ref().map(|gold| evaluate(&fit, &data, gold));
    let test = test.map(|t| t.evaluate(&model)).transpose()?;
    fitting::say_stop(&fit, talk);
    if out.format == Format::Json {
        let mut document =
            document(&data, &fit, &model, truth.as_ref(), train.as_ref(), test.as_ref(), start.elapsed())?;
        if let Some(grid) = &grid {
            document["grid"] = grid_json(grid);
        }
        talk.timed("write", || rows::write_json(&mut out, &document))?;
    } else {
        fitting::say_findings(&fit.findings, talk);
        if let (Some(e), Some(file)) = (&train, &args.known.truth) {
            fitting::say_evaluation(e, file, talk);
        }
        if let (Some((e, auc)), Some(file)) = (&test, &args.test.test_truth) {
            fitting::say_evaluation(e, file, talk);
            if let Some(auc) = auc {
                talk.note(format_args!("AUC {auc:.4}"));
            }
        }
        talk.timed("write", || rows::write(&mut out, labels(&data, &fit, args.posterior), talk))?;
    }
    out.target.finish()?;
    let severities: Vec<Severity> = fit.findings.iter().map(|f| f.severity).collect();
    Ok(fitting::exit(Some(fit.diagnostics.stop), &severities, &args.fail_if, talk))
}

/// The learner called `name`, or what to do with a method that is none.
fn learner(name: &str, given: &[KeyValue]) -> Result<Box<dyn AnyLearner>, Error> {
    let info = crowdwise::find(name)?.info;
    let Ok(entry) = crowdwise::learner(name) else {
        let (what, hint) = if info.needs.features {
            ("leaves no classifier", format!("`crowdwise fit -m {name} --features FILE` gives its result"))
        } else {
            let two = format!("`-m two-stage -p method={name}` trains a network on the result");
            ("does not learn from features", format!("`crowdwise fit -m {name}` integrates labels; {two}"))
        };
        return Err(Error::Usage { what: format!("`{name}` {what}"), hint: Some(hint) });
    };
    entry.with(&pairs(given)?)
}

/// Parts of the items, each held out in turn.
const FOLDS: usize = 3;

/// All settings of the grid; slips in it come at once.
fn settings(args: &Args) -> Result<Vec<Vec<(String, Value)>>, Error> {
    check_repeated("parameter of the grid", args.grid.iter().map(crowdwise_terminal::options::KeyValue::key))?;
    let given = |key: &str| args.params.iter().any(|p| p.key() == key);
    let twice = args.grid.iter().filter(|a| given(a.key())).map(|a| Error::Usage {
        what: format!("`{}` is given by -p and by --grid", a.key()),
        hint: Some("leave one of them out".into()),
    });
    Error::all(twice.collect())?;
    if args.grid.is_empty() {
        return Ok(Vec::new());
    }
    let axis = |a: &KeyValue| {
        let (key, value) = a.pair();
        let all = value.as_str().unwrap_or_default().split(',').map(|v| Value::String(v.trim().into())).collect();
        (key, all)
    };
    combinations(&args.grid.iter().map(axis).collect::<Vec<_>>())
}

/// The learner with what was given; what it would choose itself (`own`) counts only where nothing was given.
fn with_values(
    id: &str,
    own: &[(String, Value)],
    given: &[KeyValue],
    values: &[(String, Value)],
) -> Result<Box<dyn AnyLearner>, Error> {
    let mut all = pairs(given)?;
    all.extend(values.iter().cloned());
    let rest: Vec<_> = own.iter().filter(|p| all.iter().all(|g| g.0 != p.0)).cloned().collect();
    all.extend(rest);
    crowdwise::learner(id)?.with(&all)
}

fn written(values: &[(String, Value)]) -> String {
    let one = |(key, value): &(String, Value)| match value {
        Value::String(v) => format!("{key}={v}"),
        other => format!("{key}={other}"),
    };
    values.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// The table of the grid, and what was chosen.
fn say_grid(grid: &Grid, talk: Talk) {
    let judge = if grid.by_gold { "gold class" } else { "label" };
    let mut table = TextTable::new([
        ("setting", Align::Left),
        (&*format!("log-likelihood of a held-out {judge}"), Align::Right),
        ("behind the best", Align::Right),
    ]);
    for t in &grid.tried {
        let score = t.score.map_or_else(|| t.refused.clone().unwrap_or_default(), |s| format!("{s:.4}"));
        let behind = t.behind.map_or_else(String::new, |(d, e)| format!("{d:.4} ± {e:.4}"));
        table.row([written(&t.values).as_str(), score.as_str(), behind.as_str()]);
    }
    talk.note(table.render(None).trim_end());
    let n = counted(
        grid.judges as u64,
        &format!("held-out {judge}"),
        &if grid.by_gold { "held-out gold classes".to_owned() } else { "held-out labels".to_owned() },
    );
    talk.note(format_args!("chosen by {n}: {}", written(&grid.tried[grid.best].values)));
}

fn grid_json(grid: &Grid) -> Value {
    let one = |t: &crowdwise::learn::grid::Tried| {
        let values: serde_json::Map<String, Value> = t.values.iter().cloned().collect();
        json!({
            "params": values, "score": t.score, "behind": t.behind.map(|b| b.0),
            "behind_error": t.behind.map(|b| b.1), "refused": t.refused,
        })
    };
    json!({
        "judged_by": if grid.by_gold { "gold" } else { "labels" }, "judges": grid.judges, "folds": FOLDS,
        "best": grid.best, "settings": grid.tried.iter().map(one).collect::<Vec<_>>(),
    })
}

fn document(
    data: &Dataset,
    fit: &Fit,
    model: &Model,
    gold: Option<&Gold>,
    train: Option<&Evaluation>,
    test: Option<&(Evaluation, Option<f64>)>,
    elapsed: Duration,
) -> Result<Value, Error> {
    let d = &fit.diagnostics;
    // the classifier alone on the training items, beside the classifier with their labels
    let alone = match gold {
        None => None,
        Some(gold) => {
            let features = data.features.as_ref().expect("learned from features");
            let mut by_features = fit.clone();
            let f = model.predict(features)?;
            by_features.truth = crowdwise::Truth::Classes { k: f.k, posterior: f.rows };
            evaluate(&by_features, data, gold).accuracy
        }
    };
    let mut details = d.details.clone();
    let trace = details.remove("epochs").unwrap_or_default();
    let chosen = details.remove("chosen_epoch").unwrap_or_default();
    let held_out = details.remove("held_out_items").unwrap_or_default();
    let findings: Vec<FindingEntry> = fit.findings.iter().map(FindingEntry::from).collect();
    Ok(json!({
        "schema": SCHEMA,
        "method": fit.provenance.method,
        "params": fit.provenance.params,
        "seed": fit.provenance.seed,
        "data": DataCounts::of(data),
        "class_names": model.classes,
        "train": {
            "items": data.table.n_items(),
            "labels": data.table.n_labels(),
            "held_out_items": held_out,
            "stop": d.stop,
            "epochs": d.iterations,
            "chosen_epoch": chosen,
            "objective": d.objective,
            "inference_accuracy": train.and_then(|e| e.accuracy),
            "inference_log_loss": train.and_then(|e| e.log_loss),
            "inference_ece": train.and_then(|e| e.ece),
            "inference_macro_f1": train.and_then(|e| e.macro_f1),
            "n_truth": train.map(|e| e.n),
            "classifier_accuracy": alone,
        },
        "test": test.map(|(e, auc)| features::test_json(e, *auc)),
        "trace": trace,
        "details": details,
        "findings": findings,
        "elapsed_seconds": elapsed.as_secs_f64(),
        "version": fit.provenance.version,
        "digest": fit.provenance.digest,
    }))
}
