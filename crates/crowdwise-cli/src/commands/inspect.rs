//! `crowdwise inspect`.

use super::inspect_text;
use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::fitting;
use crate::options::{FailIf, InputOptions, whole};
use crate::output::{Format, OutputOptions, unwritable};
use crate::rows::{self, Push, Row, Sheet};
use crate::talk::Talk;
use crowdwise::questions::{Inspection, Level, inspect, inspect_at};
use crowdwise::report::{FindingEntry, SCHEMA};
use crowdwise::{Dataset, Error, Severity};
use serde_json::{Value, json};
use std::io::Write;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise inspect votes.csv     what is in it, and what to watch out for
  crowdwise inspect votes.csv --format json | jq .agreement.krippendorff_alpha
  crowdwise inspect sizes.csv --alpha ratio       numbers with a true zero
"
)]
pub struct Args {
    /// File with the answers, or - for stdin
    pub answers: String,
    /// Exit with code 1 if this is the case
    #[arg(long, value_enum, value_name = "CONDITION", value_delimiter = ',')]
    pub fail_if: Vec<FailIf>,
    /// Level of measurement for Krippendorff's alpha [default: nominal for classes, ordinal for grades, interval for numbers]
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub alpha: Option<Level>,
    #[command(flatten)]
    pub output: OutputOptions,
    /// Random seed of the bootstrap interval of alpha
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    pub seed: u64,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), allow_negative_numbers = true)]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub input: InputOptions,
}

fn level(text: &str) -> Result<Level, String> {
    let found = Level::ALL.into_iter().find(|l| l.name() == text);
    found.ok_or_else(|| format!("one of {}", Level::ALL.map(Level::name).join(", ")))
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    // people read this, also through a pager: a pipe alone does not make it CSV
    let format = args.output.format.or_else(|| args.output.output.is_none().then_some(Format::Table));
    let [items, probabilities, graph, attribute] = args.input.files();
    let mut out = OutputOptions { format, ..args.output.clone() }.open(&[
        Some(args.answers.as_str()),
        items,
        probabilities,
        graph,
        attribute,
    ])?;
    let data = args.input.read(&args.answers, args.threads.map_or(0, usize::from), talk)?;
    let inspection = talk.timed("inspect", || match args.alpha {
        Some(level) => inspect_at(&data, level, args.seed),
        None => Ok(inspect(&data, args.seed)),
    })?;
    match out.format {
        Format::Table => {
            let text = inspect_text::text(&inspection, &data, out.width());
            out.target.write_all(text.as_bytes()).map_err(|e| unwritable(&out.target.name(), &e))?;
        }
        Format::Json => rows::write_json(&mut out, &document(&inspection, &data))?,
        _ => rows::write(&mut out, sheet(&document(&inspection, &data)), talk)?,
    }
    out.target.finish()?;
    let severities: Vec<Severity> = inspection.findings.iter().map(|f| f.severity).collect();
    Ok(fitting::exit(None, &severities, &args.fail_if, talk))
}

/// The whole inspection with names instead of numbers.
fn document(inspection: &Inspection, data: &Dataset) -> Value {
    let mut value = json!({"schema": SCHEMA, "source": data.source});
    let whole = serde_json::to_value(inspection).unwrap_or_default();
    if let (Some(to), Value::Object(from)) = (value.as_object_mut(), whole) {
        to.extend(from);
    }
    let annotators = data.table.annotators();
    let classes = data.table.categorical().map(|c| c.classes);
    let name = |v: &mut Value, key: &str, of: &dyn Fn(usize) -> String| {
        if let Some(n) = v.get(key).and_then(Value::as_u64) {
            v[key] = Value::from(of(n as usize));
        }
    };
    let class = |k: usize| classes.map_or_else(String::new, |c| c.name(k).to_owned());
    let annotator = |j: usize| annotators.name(j).to_owned();
    let each = |v: &mut Value, f: &dyn Fn(&mut Value)| v.as_array_mut().into_iter().flatten().for_each(f);
    each(&mut value["class_shares"], &|row| name(row, "class", &class));
    each(&mut value["experts"], &|row| {
        name(row, "class", &class);
        name(row, "annotator", &annotator);
    });
    each(&mut value["agreement"]["pairs"], &|row| {
        name(row, "a", &annotator);
        name(row, "b", &annotator);
    });
    if value["identifiability"].is_object() {
        each(&mut value["identifiability"]["separation"], &|row| {
            name(row, "class", &class);
            name(row, "label", &class);
            name(row, "annotator", &annotator);
        });
        each(&mut value["identifiability"]["hardest"], &|row| {
            name(row, "a", &class);
            name(row, "b", &class);
        });
    }
    value["unipolar"]["sources"] = inspection
        .unipolar
        .sources
        .iter()
        .map(|&(j, k)| json!({"annotator": annotator(j), "class": class(k)}))
        .collect();
    value["findings"] = serde_json::to_value(inspection.findings.iter().map(FindingEntry::from).collect::<Vec<_>>())
        .unwrap_or_default();
    value
}

/// Every number with its path, for spreadsheets.
fn sheet(document: &Value) -> Sheet<'static> {
    let mut rows = Vec::new();
    walk("", document, &mut rows);
    Sheet::of_rows(["measure", "value"], rows)
}

fn walk(path: &str, value: &Value, rows: &mut Vec<Row<'static>>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, v)| walk(&below(key), v, rows)),
        Value::Array(list) => list.iter().enumerate().for_each(|(n, v)| walk(&below(&n.to_string()), v, rows)),
        leaf => {
            let mut row = Row::new();
            // one column of text: its cells are of every type
            let text = leaf.as_str().map_or_else(|| leaf.to_string(), str::to_owned);
            row.text(path.to_owned()).text(if leaf.is_null() { String::new() } else { text });
            rows.push(row);
        }
    }
}
