//! `crowdwise methods`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::options::KindName;
use crate::output::{Format, OutputOptions, unwritable};
use crate::rows::{self, Sheet};
use crate::talk::Talk;
use crowdwise::io::Cell;
use crowdwise::{Entry, Error, method_page};
use serde_json::{Value, json};
use std::io::Write;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise methods                   list the methods
  crowdwise methods dawid-skene       one page: model, parameters, references
"
)]
pub struct Args {
    /// Method whose page to show (id or alias)
    pub id: Option<String>,
    /// List only methods for this kind of label
    #[arg(long, value_enum)]
    pub kind: Option<KindName>,
    #[command(flatten)]
    pub output: OutputOptions,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    match &args.id {
        Some(id) => page(args, crowdwise::find(id)?, talk),
        None => list(args, talk),
    }
}

fn page(args: &Args, entry: &Entry, talk: Talk) -> Result<Exit, Error> {
    let as_text = OutputOptions { format: Some(args.output.format.unwrap_or(Format::Table)), ..args.output.clone() };
    let mut out = as_text.open(&[])?;
    let text = match out.format {
        Format::Json | Format::Jsonl => format!("{:#}\n", describe(entry, true)),
        Format::Table | Format::Markdown => method_page(entry),
        Format::Csv | Format::Tsv | Format::Parquet => {
            let columns = ["parameter", "takes", "default", "meaning"];
            let cells = entry.params().into_iter().map(|p| {
                vec![Cell::from(p.name), Cell::from(p.takes), Cell::from(p.default.to_string()), Cell::from(p.doc)]
            });
            rows::write(&mut out, Sheet::of_rows(columns, cells.collect()), talk)?;
            String::new()
        }
    };
    out.target.write_all(text.as_bytes()).map_err(|e| unwritable(&out.target.name(), &e))?;
    out.target.finish()?;
    Ok(Exit::Done)
}

fn list(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let mut out = args.output.open(&[])?;
    let wanted = |e: &&Entry| args.kind.is_none_or(|k| e.info.accepts.contains(&k.kind()));
    let entries = crowdwise::methods().filter(wanted);
    if out.format == Format::Json {
        let all: Vec<Value> = entries.map(|e| describe(e, false)).collect();
        let text = json!({"schema": crowdwise::report::SCHEMA, "methods": all});
        writeln!(out.target, "{text:#}").map_err(|e| unwritable(&out.target.name(), &e))?;
    } else {
        // a narrow terminal has better use for the space than the name, which is the id in other letters
        let named = out.format != Format::Table || out.width().is_none_or(|w| w >= 140);
        let cells = entries.map(|e| {
            let kinds: Vec<&str> = e.info.accepts.iter().map(|k| k.name()).collect();
            let status = serde_json::to_value(e.info.status).unwrap_or_default();
            let mut row = vec![Cell::from(e.info.id)];
            row.extend(named.then(|| Cell::from(e.info.name)));
            row.push(Cell::from(kinds.join(" ")));
            row.push(Cell::from(status.as_str().unwrap_or_default().to_owned()));
            row.push(Cell::from(e.info.summary));
            row
        });
        out.brief = false;
        let columns = ["id", "name", "kinds", "status", "summary"].into_iter().filter(|c| named || *c != "name");
        rows::write(&mut out, Sheet::of_rows(columns, cells.collect()), talk)?;
    }
    out.target.finish()?;
    Ok(Exit::Done)
}

/// What programs want to know of a method.
fn describe(entry: &Entry, with_page: bool) -> Value {
    let mut value = serde_json::to_value(entry.info).unwrap_or_default();
    value["params"] = serde_json::to_value(entry.params()).unwrap_or_default();
    value["params_schema"] = entry.schema();
    if with_page {
        value["page"] = Value::String(method_page(entry));
    }
    value
}
