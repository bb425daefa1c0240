//! `crowdwise items`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::fitting::{self, Fitted};
use crate::options::whole;
use crate::output::{Format, OutputOptions};
use crate::rows::{self, Push, Row, Sheet};
use crate::source::{FitOptions, Given, is_fit};
use crate::talk::Talk;
use clap::ValueEnum;
use crowdwise::questions::{ItemOrder, Said, items};
use crowdwise::report::{FitDocument, LabelEntry, Labels, SCHEMA, place};
use crowdwise::{Dataset, Error, LabelKind, Preference, Units, Values, stats};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise items votes.csv     the 20 most doubtful items, who said what
  crowdwise items fit.json --answers votes.csv --by margin -n 100 -o top.csv
"
)]
pub struct Args {
    /// File with the answers, or a fit saved by `crowdwise fit -o fit.json`
    pub file: String,
    /// How to choose the items
    #[arg(long, value_enum, default_value_t = By::Entropy, value_name = "MEASURE")]
    pub by: By,
    /// Number of items to show
    #[arg(short = 'n', long, default_value_t = 20, value_name = "N", value_parser = whole::<usize>)]
    #[arg(allow_negative_numbers = true)]
    pub top: usize,
    /// The answers that a saved fit was made from, to show who said what
    #[arg(long, value_name = "FILE")]
    pub answers: Option<String>,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub fit: FitOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Uncertainty of the answer
    Entropy,
    /// Smallest margin between the two best classes
    Margin,
    /// Disagreement of the annotators
    Disagreement,
    /// Difficulty as estimated by the method
    Difficulty,
}

/// One item to look at.
#[derive(Debug, Default, Serialize)]
struct ItemToSee {
    item: String,
    /// Of a token only.
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<i64>,
    /// The text of the item, where the file has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    word: Option<String>,
    label: Option<String>,
    probability: Option<f64>,
    entropy_bits: Option<f64>,
    margin: Option<f64>,
    value: Option<f64>,
    sd: Option<f64>,
    difficulty: Option<f64>,
    votes: Vec<Vote>,
}

#[derive(Debug, Serialize)]
struct Vote {
    annotator: String,
    said: Value,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    method: &'a str,
    by: &'a str,
    items: &'a [ItemToSee],
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    let [gold, items, probabilities, graph, attribute] = args.fit.files();
    let inputs = [Some(args.file.as_str()), args.answers.as_deref(), gold, items, probabilities, graph, attribute];
    let mut out = args.output.open(&inputs)?;
    if args.answers.is_some() && !is_fit(&args.file) {
        return Err(Error::Usage {
            what: format!("--answers goes with a kept fit, but {} is none", args.file),
            hint: Some("leave it out: the answers are in FILE already".into()),
        });
    }
    let (method, rows, stop) = match args.fit.load(&args.file, talk)? {
        Given::Fitted(given) => {
            let (data, Fitted { fit, .. }) = &*given;
            check_order(args.by, &fit.provenance.method, data.table.kind(), fit.difficulty.is_some())?;
            let rows = of_answers(data, fit, args);
            (fit.provenance.method.clone(), rows, fit.diagnostics.stop)
        }
        Given::Document(document) => {
            let answers = args.answers.as_deref();
            let mut data = answers.map(|f| args.fit.input.read(f, args.fit.run.threads(), talk)).transpose()?;
            if let Some(data) = &mut data {
                check_answers(&document, data, &args.file)?;
            }
            check_order(args.by, &document.method, document.kind, has_difficulty(&document))?;
            if data.is_none() {
                talk.note("a kept fit does not hold the answers; `--answers FILE` shows who said what");
            }
            let rows = of_document(&document, data.as_ref(), args)?;
            (document.method.clone(), rows, document.stop)
        }
    };
    if out.format == Format::Json {
        let by = args.by.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
        rows::write_json(&mut out, &Document { schema: SCHEMA, method: &method, by: &by, items: &rows })?;
    } else {
        rows::write(&mut out, sheet(&rows), talk)?;
    }
    out.target.finish()?;
    Ok(fitting::exit(Some(stop), &[], &[], talk))
}

fn of_answers(data: &Dataset, fit: &crowdwise::Fit, args: &Args) -> Vec<ItemToSee> {
    let by = match args.by {
        By::Entropy => ItemOrder::Entropy,
        By::Margin => ItemOrder::Margin,
        By::Disagreement => ItemOrder::Disagreement,
        By::Difficulty => ItemOrder::Difficulty,
    };
    let classes = data.table.categorical().map(|c| c.classes);
    let of = |row: crowdwise::questions::ItemRow| ItemToSee {
        item: data.table.unit_name(row.unit),
        sequence: place(data, row.unit).map(|p| p.0.to_owned()),
        position: place(data, row.unit).map(|p| p.1),
        word: word(data, row.unit),
        label: row.class.and_then(|c| classes.map(|n| n.name(c).to_owned())),
        probability: row.probability,
        entropy_bits: row.entropy_bits,
        margin: row.margin,
        value: row.value,
        sd: row.sd,
        difficulty: row.difficulty,
        votes: row.votes.iter().map(|(j, said)| vote(data, row.unit, *j, *said)).collect(),
    };
    items(data, fit, by, args.top).into_iter().map(of).collect()
}

/// The text of a unit, where the file has it.
fn word(data: &Dataset, unit: usize) -> Option<String> {
    data.word(unit).filter(|_| *data.table.units() == Units::Items).map(str::to_owned)
}

fn vote(data: &Dataset, unit: usize, annotator: usize, said: Said) -> Vote {
    let table = &data.table;
    let said = match said {
        Said::Class(c) => Value::from(table.categorical().map_or("", |t| t.classes.name(c))),
        Said::Value(x) => Value::from(x),
        Said::Same(same) => Value::from(same),
        Said::Outcome(outcome) => match (table.units(), outcome) {
            (Units::Pairs(p), Preference::Left) => Value::from(table.items().name(p[unit][0] as usize)),
            (Units::Pairs(p), Preference::Right) => Value::from(table.items().name(p[unit][1] as usize)),
            _ => Value::from("tie"),
        },
    };
    Vote { annotator: table.annotators().name(annotator).to_owned(), said }
}

/// An order by something that the fit does not have would be another one.
fn check_order(by: By, method: &str, kind: LabelKind, difficulty: bool) -> Result<(), Error> {
    match by {
        By::Difficulty if !difficulty => {
            let able: Vec<&str> = crowdwise::methods().filter(|e| e.info.gives.difficulty).map(|e| e.info.id).collect();
            let others = if able.contains(&method) {
                "`-p difficulty=true` learns it".into()
            } else {
                format!("{} does", able.join(" or "))
            };
            let orders =
                if kind == LabelKind::Categorical { "entropy, margin or disagreement" } else { "disagreement" };
            Err(Error::Unsupported {
                what: format!("{method} gives no difficulty; {others}"),
                hint: Some(format!("`-m {}` for classes, or order by {orders}", able.join("` or `-m "))),
            })
        }
        By::Margin if kind != LabelKind::Categorical => Err(Error::Unsupported {
            what: format!("a margin is the distance of two classes, but these are {kind} labels"),
            hint: Some("`--by entropy` (how unsure) and `--by disagreement` work".into()),
        }),
        _ => Ok(()),
    }
}

fn has_difficulty(document: &FitDocument<'_>) -> bool {
    let Labels::Read(labels) = &document.labels else { return false };
    labels.iter().any(|l| matches!(l, LabelEntry::Class { difficulty: Some(_), .. }))
}

/// Refuses answers that the fit was not made from.
fn check_answers(document: &FitDocument<'_>, data: &mut Dataset, file: &str) -> Result<(), Error> {
    // classes that only gold labels had belong to the fit as well
    data.table.add_classes(document.class_names.iter().map(String::as_str));
    if format!("{:016x}", data.table.digest()) == document.digest {
        return Ok(());
    }
    Err(Error::BadData {
        file: data.source.clone(),
        what: format!("these are not the answers that {file} was made from"),
        hint: Some("give the same file with the same options (--items, --kind, …), or fit again".into()),
    })
}

/// By item: entropy of the votes in bits, or the standard deviation of the values. Items without a label are left out.
fn disagreements(data: &Dataset) -> HashMap<&str, f64> {
    let table = &data.table;
    let of = |i: usize| {
        let rows = table.rows(i);
        let n = rows.len() as f64;
        match table.values() {
            Values::Real { .. } if n < 2.0 => f64::NEG_INFINITY, // one value has no spread
            Values::Real { values, .. } => {
                let mean = values[rows.clone()].iter().sum::<f64>() / n;
                (values[rows].iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
            }
            Values::Categorical { codes, .. } => {
                let mut votes = vec![0.0; table.n_classes()];
                rows.for_each(|r| votes[codes.get(r)] += 1.0);
                votes.iter_mut().for_each(|v| *v /= n);
                stats::entropy_bits(&votes)
            }
            Values::Preference { .. } | Values::Similarity { .. } => 0.0, // these are of pairs
        }
    };
    let labelled = table.items().iter().enumerate().filter(|(i, _)| !table.rows(*i).is_empty());
    labelled.map(|(i, name)| (name, of(i))).collect()
}

/// The same from a kept fit, which knows the posterior but not the answers.
fn of_document(document: &FitDocument<'_>, data: Option<&Dataset>, args: &Args) -> Result<Vec<ItemToSee>, Error> {
    let Labels::Read(labels) = &document.labels else { return Ok(Vec::new()) };
    let mut keyed: Vec<(f64, ItemToSee)> = labels.iter().map(|l| keyed(l, args.by)).collect();
    if args.by == By::Disagreement {
        let disagreement = match data {
            Some(data) if *data.table.units() == Units::Items => disagreements(data),
            Some(_) => {
                return Err(Error::Unsupported {
                    what: "a kept fit has scores of items, but people disagree about pairs".into(),
                    hint: Some("give the answers instead of the fit".into()),
                });
            }
            None => {
                return Err(Error::Unsupported {
                    what: "a kept fit does not hold the answers, so that there is no order by disagreement".into(),
                    hint: Some("`--answers FILE` gives them".into()),
                });
            }
        };
        keyed.retain_mut(|(key, row)| disagreement.get(row.item.as_str()).map(|d| *key = *d).is_some());
    }
    keyed.sort_by(|a, b| b.0.total_cmp(&a.0));
    keyed.truncate(args.top);
    let mut rows: Vec<ItemToSee> = keyed.into_iter().map(|(_, item)| item).collect();
    if let Some(data) = data {
        add_votes(&mut rows, data);
    }
    Ok(rows)
}

fn keyed(label: &LabelEntry<'_>, by: By) -> (f64, ItemToSee) {
    match label {
        LabelEntry::Class { item, sequence, position, label, probability, posterior, difficulty } => {
            let entropy = stats::entropy_bits(posterior).max(0.0);
            let mut sorted = posterior.to_vec();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let margin = sorted.first().unwrap_or(&1.0) - sorted.get(1).unwrap_or(&0.0);
            let key = match (by, difficulty) {
                (By::Margin, _) => -margin,
                (By::Difficulty, Some(d)) => *d,
                _ => entropy,
            };
            let item = ItemToSee {
                item: item.to_string(),
                sequence: sequence.as_ref().map(ToString::to_string),
                position: *position,
                label: Some(label.to_string()),
                probability: Some(*probability),
                entropy_bits: Some(entropy),
                margin: Some(margin),
                difficulty: *difficulty,
                ..ItemToSee::default()
            };
            (key, item)
        }
        LabelEntry::Value { item, value, sd } => {
            let key = sd.unwrap_or(f64::NEG_INFINITY);
            (key, ItemToSee { item: item.to_string(), value: *value, sd: *sd, ..ItemToSee::default() })
        }
        LabelEntry::Cluster { item, cluster, confidence, .. } => {
            let label = Some(cluster.to_string());
            let probability = Some(*confidence);
            (-confidence, ItemToSee { item: item.to_string(), label, probability, ..ItemToSee::default() })
        }
        LabelEntry::Score { item, score, low, high, .. } => {
            let width = match (low, high) {
                (Some(low), Some(high)) => high - low,
                _ => f64::INFINITY,
            };
            // the interval is 90 % of a normal distribution wide
            let sd = width.is_finite().then_some(width / 3.29);
            (width, ItemToSee { item: item.to_string(), value: Some(*score), sd, ..ItemToSee::default() })
        }
    }
}

fn add_votes(rows: &mut [ItemToSee], data: &Dataset) {
    let table = &data.table;
    let wanted: HashMap<String, usize> = rows.iter().enumerate().map(|(n, r)| (r.item.clone(), n)).collect();
    for (i, name) in table.items().iter().enumerate() {
        let Some(&n) = wanted.get(name).filter(|_| *table.units() == Units::Items) else { continue };
        rows[n].word = word(data, i);
        for r in table.rows(i) {
            let said = match table.values() {
                Values::Categorical { codes, .. } => Said::Class(codes.get(r)),
                Values::Real { values, .. } => Said::Value(values[r]),
                Values::Preference { codes } => Said::Outcome(codes[r]),
                Values::Similarity { same } => Said::Same(same[r]),
            };
            rows[n].votes.push(vote(data, i, table.annotator()[r] as usize, said));
        }
    }
}

fn sheet(all: &[ItemToSee]) -> Sheet<'_> {
    let has = |f: fn(&ItemToSee) -> bool| all.iter().any(f);
    // pairs have neither a class nor a value: who said what is all there is
    let classes = has(|i| i.label.is_some()) || all.is_empty();
    let values = has(|i| i.value.is_some() || i.sd.is_some());
    let difficulty = has(|i| i.difficulty.is_some());
    let votes = has(|i| !i.votes.is_empty());
    let tokens = has(|i| i.sequence.is_some());
    let mut columns = vec!["item"];
    if tokens {
        columns.extend(["sequence", "position"]);
    }
    let words = has(|i| i.word.is_some());
    columns.extend(words.then_some("word"));
    if classes {
        columns.extend(["label", "probability", "entropy_bits", "margin"]);
    }
    if values {
        columns.extend(["value", "sd"]);
    }
    columns.extend(difficulty.then_some("difficulty"));
    columns.extend(votes.then_some("votes"));
    Sheet::new(columns, all.len(), move |at, row: &mut Row<'_>| {
        let i = &all[at];
        row.text(&*i.item);
        if tokens {
            row.text(i.sequence.as_deref().unwrap_or_default()).int(i.position.unwrap_or_default());
        }
        if words {
            row.text(i.word.as_deref().unwrap_or_default());
        }
        if classes {
            row.text(i.label.as_deref().unwrap_or_default());
            row.maybe(i.probability).maybe(i.entropy_bits).maybe(i.margin);
        }
        if values {
            row.maybe(i.value).maybe(i.sd);
        }
        if difficulty {
            row.maybe(i.difficulty);
        }
        if votes {
            let said = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
            let each: Vec<String> = i.votes.iter().map(|v| format!("{}: {}", v.annotator, said(&v.said))).collect();
            row.text(each.join("; "));
        }
    })
}
