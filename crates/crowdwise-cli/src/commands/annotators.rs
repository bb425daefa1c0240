//! `crowdwise annotators`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::fitting;
use crate::options::FailIf;
use crate::output::{Format, OutputOptions};
use crate::rows::{self, Push, Row, Sheet};
use crate::source::{FitOptions, Given};
use crate::talk::Talk;
use clap::ValueEnum;
use crowdwise::report::{AnnotatorEntry, DataCounts, SCHEMA, annotator_entries_at};
use crowdwise::stats::LEVEL;
use crowdwise::{Error, LabelKind, Severity, Stop};
use serde::Serialize;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise annotators votes.csv              fit, then one row per annotator
  crowdwise annotators fit.json --by accuracy from a saved fit, worst first
"
)]
pub struct Args {
    /// File with the answers, or a fit saved by `crowdwise fit -o fit.json`
    pub file: String,
    /// Sort the rows [default: as in the data]
    #[arg(long, value_enum, value_name = "COLUMN")]
    pub by: Option<Order>,
    /// Confidence level of the intervals, between 0 and 1 [default: 0.9]
    #[arg(long, value_name = "LEVEL", hide_short_help = true)]
    pub level: Option<f64>,
    /// Exit with code 1 if this is the case
    #[arg(long, value_enum, value_name = "CONDITION", value_delimiter = ',', hide_short_help = true)]
    pub fail_if: Vec<FailIf>,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub fit: FitOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// Lowest accuracy first
    Accuracy,
    /// Least information first
    Information,
    /// Lowest agreement with others first
    Agreement,
    /// Most labels first
    Labels,
    /// Flagged ones first
    Flags,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    method: &'a str,
    data: DataCounts,
    class_names: &'a [String],
    /// Level of the intervals.
    interval_level: f64,
    annotators: &'a [AnnotatorEntry],
}

/// What both kinds of source tell.
struct Table {
    method: String,
    data: DataCounts,
    kind: LabelKind,
    class_names: Vec<String>,
    level: f64,
    rows: Vec<AnnotatorEntry>,
    stop: Stop,
    severities: Vec<Severity>,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    if let Some(level) = args.level.filter(|l| !(*l > 0.0 && *l < 1.0)) {
        return Err(Error::Usage {
            what: format!("--level is {level}, but a level lies between 0 and 1"),
            hint: Some("`--level 0.95` for intervals that miss one time in twenty".into()),
        });
    }
    let [gold, items, probabilities, graph] = args.fit.files();
    let mut out = args.output.open(&[Some(args.file.as_str()), gold, items, probabilities, graph])?;
    let mut table = match args.fit.load(&args.file, talk)? {
        Given::Document(d) => Table {
            method: d.method,
            data: d.data,
            kind: d.kind,
            class_names: d.class_names,
            level: kept_level(args.level)?,
            rows: d.annotators,
            stop: d.stop,
            severities: d.findings.iter().map(|f| f.severity).collect(),
        },
        Given::Fitted(given) => {
            let (data, fitted) = &*given;
            let classes = data.table.categorical().map(|c| c.classes.iter().map(str::to_owned).collect());
            Table {
                method: fitted.fit.provenance.method.clone(),
                data: DataCounts::of(data),
                kind: data.table.kind(),
                class_names: classes.unwrap_or_default(),
                level: args.level.unwrap_or(LEVEL),
                rows: annotator_entries_at(data, &fitted.fit, args.level.unwrap_or(LEVEL)),
                stop: fitted.fit.diagnostics.stop,
                severities: fitted.fit.findings.iter().map(|f| f.severity).collect(),
            }
        }
    };
    if let Some(order) = args.by {
        check_order(&table, order)?;
        sort(&mut table.rows, order);
    }
    if out.format == Format::Json {
        let document = Document {
            schema: SCHEMA,
            method: &table.method,
            data: table.data,
            class_names: &table.class_names,
            interval_level: table.level,
            annotators: &table.rows,
        };
        rows::write_json(&mut out, &document)?;
    } else {
        if table.rows.iter().any(|r| r.interval.is_some()) {
            talk.note(format_args!("low and high: the {} interval of the accuracy", percent(table.level)));
        }
        rows::write(&mut out, sheet(table.kind, &table.rows), talk)?;
    }
    out.target.finish()?;
    Ok(fitting::exit(Some(table.stop), &table.severities, &args.fail_if, talk))
}

/// A level as people write it: `90 %`.
pub fn percent(level: f64) -> String {
    format!("{} %", (1e4 * level).round() / 100.0)
}

/// The level of the intervals of a kept fit, which are in the file.
fn kept_level(asked: Option<f64>) -> Result<f64, Error> {
    match asked {
        Some(level) if (level - LEVEL).abs() > 1e-9 => Err(Error::Usage {
            what: format!("a kept fit has intervals of {}, not {}", percent(LEVEL), percent(level)),
            hint: Some("give the answers instead: `crowdwise annotators ANSWERS --level …`".into()),
        }),
        _ => Ok(LEVEL),
    }
}

/// An order by numbers that nobody has would be none.
fn check_order(table: &Table, order: Order) -> Result<(), Error> {
    let has = |o: Order| {
        let number = |a: &AnnotatorEntry| match o {
            Order::Accuracy => a.accuracy.is_some(),
            Order::Information => a.information_bits.is_some(),
            Order::Agreement => a.agreement.is_some(),
            Order::Labels | Order::Flags => true,
        };
        table.rows.iter().any(number)
    };
    if has(order) || table.rows.is_empty() {
        return Ok(());
    }
    let name = |o: &Order| o.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
    let others: Vec<String> = Order::value_variants().iter().filter(|o| has(**o)).map(name).collect();
    Err(Error::Unsupported {
        what: format!("{} gives no {} of annotators for {} labels", table.method, name(&order), table.kind),
        hint: Some(format!("`--by` works with {}", others.join(", "))),
    })
}

/// Unknown numbers come last.
fn sort(rows: &mut [AnnotatorEntry], order: Order) {
    let key = |x: Option<f64>| x.unwrap_or(f64::INFINITY);
    match order {
        Order::Accuracy => rows.sort_by(|a, b| key(a.accuracy).total_cmp(&key(b.accuracy))),
        Order::Information => rows.sort_by(|a, b| key(a.information_bits).total_cmp(&key(b.information_bits))),
        Order::Agreement => rows.sort_by(|a, b| key(a.agreement).total_cmp(&key(b.agreement))),
        Order::Labels => rows.sort_by_key(|a| std::cmp::Reverse(a.n)),
        Order::Flags => rows.sort_by_key(|a| std::cmp::Reverse(a.flags.len())),
    }
}

fn sheet(kind: LabelKind, all: &[AnnotatorEntry]) -> Sheet<'_> {
    if kind == LabelKind::Real {
        let columns = ["annotator", "n", "bias", "sd", "weight", "flags"];
        return Sheet::new(columns, all.len(), |at, row: &mut Row<'_>| {
            let a = &all[at];
            row.text(&*a.annotator).int(a.n as i64).maybe(a.bias).maybe(a.sd).maybe(a.weight);
            row.text(a.flags.join(" "));
        });
    }
    if kind != LabelKind::Categorical {
        // judgements of pairs: a winner has no confusion matrix
        let columns = ["annotator", "n", "accuracy", "low", "high", "agreement", "flags"];
        return Sheet::new(columns, all.len(), |at, row: &mut Row<'_>| {
            let a = &all[at];
            row.text(&*a.annotator).int(a.n as i64).maybe(a.accuracy);
            row.maybe(a.interval.map(|i| i[0])).maybe(a.interval.map(|i| i[1])).maybe(a.agreement);
            row.text(a.flags.join(" "));
        });
    }
    let columns =
        ["annotator", "n", "accuracy", "low", "high", "information_bits", "agreement", "bias", "error", "flags"];
    Sheet::new(columns, all.len(), |at, row: &mut Row<'_>| {
        let a = &all[at];
        row.text(&*a.annotator).int(a.n as i64).maybe(a.accuracy);
        row.maybe(a.interval.map(|i| i[0])).maybe(a.interval.map(|i| i[1]));
        row.maybe(a.information_bits).maybe(a.agreement).maybe(a.bias).maybe(a.error);
        row.text(a.flags.join(" "));
    })
}
