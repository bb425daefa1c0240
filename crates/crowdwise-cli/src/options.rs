//! Options that several commands share.

use crate::source::kept;
use crate::talk::{Talk, counted};
use clap::ValueEnum;
use crowdwise::io::{self, ReadOptions, Source};
use crowdwise::questions::{alike_names, alike_text, split_unit};
use crowdwise::{Dataset, Error, Gold, LabelKind, Order, Structure, nearest};
pub use crowdwise_terminal::options::{FailIf, KeyValue, RunOptions, check_repeated, method, pairs, whole};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// How the answers are read.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct InputOptions {
    /// Input format [default: detected from the file name and content]
    #[arg(long, value_enum, value_name = "FORMAT", hide_short_help = true)]
    pub input_format: Option<InputFormat>,
    /// Kind of labels [default: detected from the columns]
    #[arg(long, value_enum)]
    pub kind: Option<KindName>,
    /// Column with the items
    #[arg(long, value_name = "COLUMN")]
    pub item: Option<String>,
    /// Column with the annotators
    #[arg(long, value_name = "COLUMN")]
    pub annotator: Option<String>,
    /// Column with the labels
    #[arg(long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// Column names, for a file without a header
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', hide_short_help = true)]
    pub columns: Option<Vec<String>>,
    /// The file has one row per item and one column per annotator
    #[arg(long, hide_short_help = true)]
    pub wide: bool,
    /// The classes are ordered (grades) [default: well-known scales are recognised]
    #[arg(long, hide_short_help = true)]
    pub ordered: bool,
    /// The classes are ordered like this, from one end of the scale to the other
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', conflicts_with = "unordered", hide_short_help = true)]
    pub order: Option<Vec<String>>,
    /// The classes are not ordered, even if they look like grades
    #[arg(long, conflicts_with = "ordered", hide_short_help = true)]
    pub unordered: bool,
    /// Skip rows that cannot be read and report how many
    #[arg(long, hide_short_help = true)]
    pub skip_bad_rows: bool,
    /// Mechanical Turk: use rejected assignments too
    #[arg(long, hide_short_help = true)]
    pub keep_rejected: bool,
    /// List of all items, one per row; unlabelled ones get a prediction too
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub items: Option<String>,
    /// Treat this label as a missing answer
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true, hide_short_help = true)]
    pub abstain: Option<String>,
    /// Labels are sets (`a|b`, `|` for none, or several rows): every class of an item becomes a yes-or-no item `item|class`
    #[arg(long, hide_short_help = true)]
    pub sets: bool,
    /// Class probabilities from a classifier, one row per item, one column per class (CSV or .npy)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub probabilities: Option<String>,
    /// Pairs of neighbouring items, one pair per row (CSV or TSV)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub graph: Option<String>,
    /// Groups of items (item,group) that should be treated alike, such as dialects; the answers file works too
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub attribute: Option<String>,
    /// Column of the attribute file with the groups [default: attribute or group]
    #[arg(long, value_name = "COLUMN", requires = "attribute", hide_short_help = true)]
    pub attribute_column: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    Csv,
    Tsv,
    Jsonl,
    Json,
    Parquet,
    Arrow,
    Conll,
    Spans,
    LabelStudio,
    Prodigy,
    Mturk,
}

impl InputFormat {
    fn format(self) -> io::Format {
        match self {
            InputFormat::Csv | InputFormat::Mturk => io::Format::Csv,
            InputFormat::Tsv => io::Format::Tsv,
            InputFormat::Jsonl | InputFormat::Prodigy => io::Format::Jsonl,
            InputFormat::Json | InputFormat::LabelStudio => io::Format::Json,
            InputFormat::Parquet => io::Format::Parquet,
            InputFormat::Arrow => io::Format::ArrowIpc,
            InputFormat::Conll => io::Format::Conll,
            InputFormat::Spans => io::Format::Spans,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindName {
    Categorical,
    Real,
    Preference,
    Similarity,
}

impl KindName {
    pub fn kind(self) -> LabelKind {
        match self {
            KindName::Categorical => LabelKind::Categorical,
            KindName::Real => LabelKind::Real,
            KindName::Preference => LabelKind::Preference,
            KindName::Similarity => LabelKind::Similarity,
        }
    }
}

impl InputOptions {
    /// The format that was asked for.
    pub fn format(&self) -> Option<io::Format> {
        self.input_format.map(InputFormat::format)
    }

    fn read_options(&self, threads: usize) -> ReadOptions {
        ReadOptions {
            format: self.format(),
            kind: self.kind.map(KindName::kind),
            item: self.item.clone(),
            annotator: self.annotator.clone(),
            label: self.label.clone(),
            columns: self.columns.clone(),
            wide: self.wide,
            // a class that means nothing may stand in the way of a scale
            order: if self.abstain.is_some() { Order::None } else { self.order() },
            skip_bad_rows: self.skip_bad_rows,
            keep_rejected: self.keep_rejected,
            threads,
        }
    }

    fn order(&self) -> Order {
        match &self.order {
            Some(given) => Order::Given(given.iter().map(|c| c.trim().to_owned()).collect()),
            None if self.ordered => Order::Natural,
            None if self.unordered => Order::None,
            None => Order::Unsaid,
        }
    }

    /// Reads the answers and says what was noticed.
    pub fn read(&self, file: &str, threads: usize, talk: Talk) -> Result<Dataset, Error> {
        if let Some(what) = kept(file) {
            return Err(Error::Usage {
                what: format!("{} is {what}, not answers", Source::from_arg(file).name()),
                hint: Some(
                    "give the file that it was made from; use `annotators` and `items` to look into a fit".into(),
                ),
            });
        }
        let source = Source::from_arg(file);
        let read = talk.timed("read", || io::read_answers(&source, &self.read_options(threads)))?;
        say(talk, &read.notes);
        let mut data = read.value;
        if let Some(label) = &self.abstain {
            let before = data.table.n_labels();
            data.table = data.table.without_class(label).ok_or_else(|| not_given(label, file))?;
            let n = (before - data.table.n_labels()) as u64;
            talk.note(format_args!("{} `{label}` treated as missing", counted(n, "label", "labels")));
            if data.structure == Structure::Independent {
                say(talk, data.table.put_in_order(&self.order())?.as_slice());
            }
        }
        if self.sets {
            data = crowdwise::methods::sets::units(&data, crowdwise::methods::sets::Candidates::All)?;
            let n = data.table.n_units() as u64;
            talk.note(format_args!("sets of labels: {} `item|class`, yes or no", counted(n, "unit", "units")));
            let classes: std::collections::BTreeSet<&str> =
                data.table.items().iter().filter_map(|u| split_unit(u).map(|x| x.1)).collect();
            let alike = alike_names(classes);
            if !alike.is_empty() {
                let text = alike_text(&alike);
                talk.note(format_args!("classes that differ only in spelling are treated as different: {text}"));
            }
        }
        let mut order = None;
        if let Some(items) = &self.items {
            let before = data.table.n_items();
            let read = io::read_items(&Source::from_arg(items))?;
            say(talk, &read.notes);
            data.table.add_items(read.value.iter().map(String::as_str));
            let added = (data.table.n_items() - before) as u64;
            talk.note(format_args!("{} of {items} without a label", counted(added, "item", "items")));
            order = Some(read.value);
        }
        if let Some(path) = &self.probabilities {
            let read = io::read_probabilities(path.as_ref(), order.as_deref(), &mut data.table)?;
            say(talk, &read.notes);
            data.probabilities = Some(read.value);
        }
        if let Some(path) = &self.graph {
            if data.structure != Structure::Independent {
                return Err(Error::Usage {
                    what: format!(
                        "--graph is for items without an order, but {} has {}",
                        data.source,
                        if matches!(data.structure, Structure::Rankings(_)) { "rankings" } else { "sequences" }
                    ),
                    hint: None,
                });
            }
            let read = io::read_graph(&Source::from_arg(path), &data.table)?;
            say(talk, &read.notes);
            data.structure = read.value;
        }
        if let Some(file) = &self.attribute {
            let (item, column) = (self.item.as_deref(), self.attribute_column.as_deref());
            let own = item.filter(|_| file == &data.source);
            let read = io::read_attribute(&Source::from_arg(file), &data.table, own, column)?;
            say(talk, &read.notes);
            data.attribute = Some(read.value);
        }
        Ok(data)
    }

    /// The files that are read besides the answers.
    pub fn files(&self) -> [Option<&str>; 4] {
        [self.items.as_deref(), self.probabilities.as_deref(), self.graph.as_deref(), self.attribute.as_deref()]
    }
}

fn not_given(label: &str, file: &str) -> Error {
    Error::BadData {
        file: file.into(),
        what: format!("--abstain names `{label}`, but no answer has that label"),
        hint: Some("`crowdwise inspect` lists the classes".into()),
    }
}

fn say(talk: Talk, notes: &[String]) {
    for note in notes {
        talk.note(note);
    }
}

/// Known truth of the items of `data`, for evaluation; with `sets` it may be sets, too.
pub fn read_truth(file: &str, data: &Dataset, sets: bool, talk: Talk) -> Result<Gold, Error> {
    read_known(file, data, sets, "truth", talk)
}

/// Known truth of items of `data`, for a fit to use.
pub fn read_gold(file: &str, data: &Dataset, sets: bool, talk: Talk) -> Result<Gold, Error> {
    read_known(file, data, sets, "gold", talk)
}

fn read_known(file: &str, data: &Dataset, sets: bool, word: &str, talk: Talk) -> Result<Gold, Error> {
    let (source, options) = (Source::from_arg(file), ReadOptions::default());
    if sets {
        let read = io::read_set_truth(&source, &data.table, &options, word)?;
        say(talk, &read.notes);
        let rows = match read.value {
            // a file of units with yes and no needs nothing
            io::SetTruth::Units(gold) => return Ok(gold),
            io::SetTruth::Rows(rows) => crowdwise::methods::sets::gold_rows(&data.table, &rows, file)?,
        };
        let gold = Gold::from_items(&data.table, &rows, file)?;
        if !gold.unlabelled.is_empty() {
            let n = counted(gold.unlabelled.len() as u64, "known class", "known classes");
            talk.note(format_args!("{n} in {file} that no annotator gave, or for items without answers"));
        }
        return Ok(gold);
    }
    let read = match word {
        "gold" => io::read_gold(&source, &data.table, &options)?,
        _ => io::read_truth(&source, &data.table, &options)?,
    };
    say(talk, &read.notes);
    Ok(read.value)
}

/// The parts of a held-out score.
pub fn folds(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(n) if n == 0 || (2..=254).contains(&n) => Ok(n),
        _ => Err("expected 0 (no held-out score) or a whole number from 2 to 254".into()),
    }
}

/// A plain struct with some of its fields set, and every bad name and value.
pub fn set_fields<T: Serialize + DeserializeOwned>(
    what: &str,
    start: &T,
    fields: &[(String, Value)],
) -> (T, Vec<Error>) {
    let Ok(Value::Object(mut object)) = serde_json::to_value(start) else { unreachable!("a plain struct") };
    let mut problems = Vec::new();
    for (name, value) in fields {
        let Some(old) = object.get(name) else {
            let all: Vec<String> = object.keys().cloned().collect();
            problems.push(Error::UnknownParameter {
                method: what.into(),
                name: name.clone(),
                nearest: nearest(name, all.iter().map(String::as_str)).map(Into::into),
                all,
            });
            continue;
        };
        let trial = |v: Value| {
            let mut trial = object.clone();
            trial.insert(name.clone(), v.clone());
            serde_json::from_value::<T>(Value::Object(trial)).map(|_| v)
        };
        let read = value.as_str().and_then(|s| serde_json::from_str(s).ok()).and_then(|v| trial(v).ok());
        match read.map_or_else(|| trial(value.clone()), Ok) {
            Ok(v) => _ = object.insert(name.clone(), v),
            Err(e) => problems.push(Error::BadParameter {
                name: name.clone(),
                value: value.as_str().map_or_else(|| value.to_string(), |s| format!("`{s}`")),
                must: wanted(old, &e),
            }),
        }
    }
    (serde_json::from_value(Value::Object(object)).expect("every value was tried"), problems)
}

/// What a field takes, inferred from its default; names of variants only serde knows.
fn wanted(default: &Value, e: &serde_json::Error) -> String {
    match default {
        Value::Number(n) if n.is_f64() => "a number".into(),
        Value::Number(_) => "a whole number of at least 0".into(),
        Value::Bool(_) => "true or false".into(),
        Value::Array(_) => "a list of numbers, such as [0.5,0.5]".into(),
        _ => {
            let text = e.to_string();
            text.split_once("expected ").map_or(text.clone(), |(_, rest)| rest.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise::simulate::Simulation;

    #[test]
    fn fields_are_set_from_text_and_all_mistakes_come_at_once() {
        let set = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(String, Value)> = pairs.iter().map(|&(k, v)| (k.into(), v.into())).collect();
            set_fields("simulate", &Simulation::default(), &pairs)
        };
        let (s, none) = set(&[("items", "12"), ("ties", "0"), ("class_shares", "[1,2,3]"), ("assignment", "regular")]);
        assert!(none.is_empty());
        assert_eq!((s.items, s.ties, s.class_shares.len()), (12, 0.0, 3));
        let e = set(&[("item", "12"), ("ties", "many"), ("assignment", "odd")]).1;
        let text = Error::Several(e).to_string();
        assert!(text.contains("simulate has no parameter `item`"), "{text}");
        assert!(text.contains("`ties` is `many`, but must be a number"), "{text}");
        assert!(text.contains("`random` or `regular`"), "{text}");
    }
}
