//! `crowdwise annotators`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::fair;
use crate::fitting;
use crate::options::FailIf;
use crate::output::{Format, OutputOptions};
use crate::rows::{self, Push, Row, Sheet};
use crate::source::{FitOptions, Given};
use crate::talk::Talk;
use clap::ValueEnum;
use crowdwise::report::{AnnotatorEntry, DataCounts, FairnessEntry, SCHEMA, annotator_entries_at};
use crowdwise::stats::LEVEL;
use crowdwise::{Error, LabelKind, Severity, Stop};
use serde::Serialize;
use std::collections::BTreeMap;

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
    /// The class that counts as positive where groups of items are compared [default: the last of two, else each]
    #[arg(long, value_name = "CLASS", hide_short_help = true)]
    pub positive: Option<String>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    fairness: Option<&'a FairnessEntry>,
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
    fairness: Option<FairnessEntry>,
    /// The largest gap between groups of items of every annotator, where there are groups.
    gaps: BTreeMap<String, Worst>,
}

/// Value, interval, and where it is.
type Worst = (f64, [f64; 2], String);

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    if let Some(level) = args.level.filter(|l| !(*l > 0.0 && *l < 1.0)) {
        return Err(Error::Usage {
            what: format!("--level is {level}, but a level lies between 0 and 1"),
            hint: Some("`--level 0.95` for intervals that miss one time in twenty".into()),
        });
    }
    let [gold, items, probabilities, graph, attribute] = args.fit.files();
    let mut out = args.output.open(&[Some(args.file.as_str()), gold, items, probabilities, graph, attribute])?;
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
            fairness: kept_groups(args, d.fairness)?,
            gaps: BTreeMap::new(),
        },
        Given::Fitted(given) => {
            let (data, fitted) = &*given;
            let classes = data.table.categorical().map(|c| c.classes.iter().map(str::to_owned).collect());
            let fairness = fair::of(data, &fitted.fit, None, args.positive.as_deref())?;
            let name = |j: usize| data.table.annotators().name(j).to_owned();
            let gaps = fairness
                .iter()
                .flat_map(|f| f.annotators.iter().filter_map(|a| Some((name(a.annotator), fair::worst(data, f, a)?))));
            Table {
                gaps: gaps.collect(),
                fairness: fairness.as_ref().map(|f| FairnessEntry::new(data, f)),
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
            fairness: table.fairness.as_ref(),
        };
        rows::write_json(&mut out, &document)?;
    } else {
        if table.rows.iter().any(|r| r.interval.is_some()) {
            talk.note(format_args!("low and high: the {} interval of the accuracy", percent(table.level)));
        }
        if table.fairness.is_some() {
            talk.note("gap: the largest difference of FPR or FNR between groups, with its 90 % interval");
        }
        rows::write(&mut out, sheet(table.kind, &table.rows, &table.gaps), talk)?;
    }
    out.target.finish()?;
    Ok(fitting::exit(Some(table.stop), &table.severities, &args.fail_if, talk))
}

/// A kept fit knows the groups that it was made with, and no others.
fn kept_groups(args: &Args, kept: Option<FairnessEntry>) -> Result<Option<FairnessEntry>, Error> {
    let asked = args.fit.input.attribute.is_some() || args.positive.is_some();
    if asked {
        return Err(Error::Usage {
            what: format!("{} is a finished fit: groups of items cannot be compared without the answers", args.file),
            hint: Some("give the answers instead: `crowdwise annotators ANSWERS --attribute FILE`".into()),
        });
    }
    Ok(kept)
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

fn sheet<'a>(kind: LabelKind, all: &'a [AnnotatorEntry], gaps: &'a BTreeMap<String, Worst>) -> Sheet<'a> {
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
    let mut columns =
        vec!["annotator", "n", "accuracy", "low", "high", "information_bits", "agreement", "bias", "error"];
    if !gaps.is_empty() {
        columns.extend(["gap", "gap_low", "gap_high", "gap_of"]);
    }
    columns.push("flags");
    Sheet::new(columns, all.len(), move |at, row: &mut Row<'_>| {
        let a = &all[at];
        row.text(&*a.annotator).int(a.n as i64).maybe(a.accuracy);
        row.maybe(a.interval.map(|i| i[0])).maybe(a.interval.map(|i| i[1]));
        row.maybe(a.information_bits).maybe(a.agreement).maybe(a.bias).maybe(a.error);
        if !gaps.is_empty() {
            let own = gaps.get(&a.annotator);
            row.maybe(own.map(|g| g.0)).maybe(own.map(|g| g.1[0])).maybe(own.map(|g| g.1[1]));
            row.text(own.map_or("", |g| &g.2));
        }
        row.text(a.flags.join(" "));
    })
}
