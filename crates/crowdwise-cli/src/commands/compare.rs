//! `crowdwise compare`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::fitting;
use crate::options::{FailIf, InputOptions, RunOptions, folds};
use crate::output::{Format, OutputOptions};
use crate::rows::{self, Push, Row, Sheet};
use crate::source::Known;
use crate::talk::Talk;
use crowdwise::questions::{CompareRow, Comparison, compare};
use crowdwise::report::{DataCounts, SCHEMA};
use crowdwise::{Error, Severity, Stop};
use crowdwise_terminal::choice::{Params, check_names, chosen};
use serde_json::{Value, json};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise compare votes.csv     a sensible set of methods
  crowdwise compare votes.csv -m majority-vote,dawid-skene --truth truth.csv
"
)]
pub struct Args {
    /// File with the answers, or - for stdin
    pub answers: String,
    /// Methods to compare, or `all` that suit the data [default: a sensible set]
    #[arg(short, long = "method", value_name = "A,B,…|all", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Set a parameter of one of the methods
    #[arg(short, long = "param", value_name = "METHOD.KEY=VALUE")]
    pub params: Vec<String>,
    #[command(flatten)]
    pub known: Known,
    /// Number of folds for the held-out score; 0 = none
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = folds, allow_negative_numbers = true)]
    pub folds: usize,
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
    // slips are found before anything is read
    check_names(&args.methods)?;
    let params = Params::parse(&args.params)?;
    let mut out = args.output.open(&args.known.files(&args.answers, &args.input))?;
    let (data, truth) = args.known.read(&args.answers, &args.input, &args.run, talk)?;
    let methods = chosen(&args.methods, Some(&data), &params)?;
    let result = talk.timed("compare", || {
        fitting::with_progress("compare", &args.run, talk, |cx| {
            compare(&data, &methods, truth.as_ref(), args.folds, cx)
        })
    });
    if result.methods.iter().all(|r| r.stop.is_none()) {
        let none = || Error::Unsupported {
            what: format!("there is no method to compare for {} labels", data.table.kind()),
            hint: Some("`crowdwise methods` lists them".into()),
        };
        Error::all(result.methods.iter().filter_map(|r| r.failure.clone()).collect())?;
        return Err(if result.methods.is_empty() { none() } else { Error::Interrupted });
    }
    for row in &result.methods {
        if let Some(e) = &row.error {
            talk.note(format_args!("{}: {e}", row.method));
        }
    }
    let scored = result.methods.iter().find_map(|r| r.evaluation.as_ref());
    if let (Some(e), Some(file)) = (scored.filter(|e| e.unlabelled > 0), &args.known.truth) {
        talk.note(format_args!("against {file}: {}", fitting::rests_on(e)));
    }
    if out.format == Format::Json {
        rows::write_json(&mut out, &document(&result, DataCounts::of(&data)))?;
    } else {
        rows::write(&mut out, sheet(&result.methods, truth.is_some()), talk)?;
    }
    out.target.finish()?;
    let worst = Stop::worst(result.methods.iter().filter_map(|r| r.stop));
    let severities: Vec<Severity> = result.methods.iter().flat_map(|r| &r.findings).map(|f| f.severity).collect();
    Ok(fitting::exit(worst, &severities, &args.fail_if, talk))
}

fn document(result: &Comparison, data: DataCounts) -> Value {
    let row = |r: &CompareRow| {
        let mut value = serde_json::to_value(r).unwrap_or_default();
        value["findings"] = r.codes().into();
        if r.evaluation.is_none() {
            value["evaluation"] = Value::Null; // always there, so that programs need not ask
        }
        value
    };
    let methods: Vec<Value> = result.methods.iter().map(row).collect();
    json!({"schema": SCHEMA, "data": data, "folds": result.folds, "methods": methods})
}

fn sheet(all: &[CompareRow], truth: bool) -> Sheet<'_> {
    let has = |f: fn(&CompareRow) -> bool| all.iter().any(f);
    // these two are of classes
    let classes = has(|r| r.agreement.is_some() || r.drift.is_some());
    let mut columns = vec!["method"];
    columns.extend(classes.then_some(["agreement", "drift"]).into_iter().flatten());
    columns.extend(["held_out_log_loss", "held_out_se"]);
    let eval = |name: &'static str, f: fn(&CompareRow) -> Option<f64>| {
        (truth && all.iter().any(|r| f(r).is_some())).then_some((name, f))
    };
    type Field = fn(&CompareRow) -> Option<f64>;
    let fields: Vec<(&'static str, Field)> = [
        eval("accuracy", |r| r.evaluation.as_ref()?.accuracy),
        eval("macro_f1", |r| r.evaluation.as_ref()?.macro_f1),
        eval("span_f1", |r| Some(r.evaluation.as_ref()?.spans.as_ref()?.strict.f1)),
        eval("exact_match", |r| Some(r.evaluation.as_ref()?.sets?.exact_match)),
        eval("jaccard", |r| Some(r.evaluation.as_ref()?.sets?.jaccard)),
        eval("hamming", |r| Some(r.evaluation.as_ref()?.sets?.hamming)),
        eval("set_micro_f1", |r| Some(r.evaluation.as_ref()?.sets?.micro_f1)),
        eval("set_macro_f1", |r| Some(r.evaluation.as_ref()?.sets?.macro_f1)),
        eval("log_loss", |r| r.evaluation.as_ref()?.log_loss),
        eval("brier", |r| r.evaluation.as_ref()?.brier),
        eval("ece", |r| r.evaluation.as_ref()?.ece),
        eval("rmse", |r| r.evaluation.as_ref()?.rmse),
        eval("mae", |r| r.evaluation.as_ref()?.mae),
        eval("quadratic_kappa", |r| r.evaluation.as_ref()?.quadratic_kappa),
        eval("correlation", |r| r.evaluation.as_ref()?.correlation),
        eval("spearman", |r| r.evaluation.as_ref()?.spearman),
        eval("kendall", |r| r.evaluation.as_ref()?.kendall),
        eval("adjusted_rand", |r| r.evaluation.as_ref()?.adjusted_rand),
        eval("pair_f1", |r| r.evaluation.as_ref()?.pair_f1),
    ]
    .into_iter()
    .flatten()
    .collect();
    columns.extend(fields.iter().map(|f| f.0));
    columns.extend(["seconds", "stop", "findings"]);
    let failed = has(|r| r.error.is_some());
    columns.extend(failed.then_some("error"));
    Sheet::new(columns, all.len(), move |at, row: &mut Row<'_>| {
        let r = &all[at];
        row.text(&*r.method);
        if classes {
            row.maybe(r.agreement).maybe(r.drift);
        }
        row.maybe(r.held_out_log_loss).maybe(r.held_out_se);
        for (_, field) in &fields {
            row.maybe(field(r));
        }
        let stop = serde_json::to_value(r.stop).unwrap_or_default();
        row.real(r.elapsed_seconds).text(stop.as_str().unwrap_or_default().to_owned());
        row.text(r.codes().join(" "));
        if failed {
            row.text(r.error.as_deref().unwrap_or_default());
        }
    })
}
