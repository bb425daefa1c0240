//! `crowdwise fit`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::fair;
use crate::features;
use crate::fitting;
use crate::groups;
use crate::known::{self, MATRICES, PRIOR};
use crate::options::{FailIf, InputOptions, KeyValue, RunOptions, method};
use crate::output::{Format, OutputOptions, Target};
use crate::rows::{self, Push, Row, Sheet};
use crate::source::Known;
use crate::talk::{Talk, counted};
use crowdwise::io::{Source, write_merged_spans};
use crowdwise::questions::{TagSet, evaluate, merged_spans};
use crowdwise::report::{FairnessEntry, FitDocument, LabelEntry, LabelRows};
use crowdwise::{AnyMethod, Dataset, Error, Fit, LabelKind, Severity, Structure, Truth};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise fit votes.csv -m dawid-skene -p tol=1e-6 -o labels.csv
  crowdwise fit votes.csv --truth truth.csv --format json | jq .evaluation
"
)]
pub struct Args {
    /// File with the answers, or - for stdin
    pub answers: String,
    /// Method [default: auto]
    #[arg(short, long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Set a parameter of the method; `crowdwise methods METHOD` lists them
    #[arg(short, long = "param", value_name = "KEY=VALUE")]
    pub params: Vec<KeyValue>,
    #[command(flatten)]
    pub known: Known,
    /// Go on from a fit of fewer answers that `-o FIT.json` kept, with its method and parameters: fewer iterations, same result
    #[arg(long = "continue", value_name = "FIT.json", hide_short_help = true, conflicts_with_all = ["method", "params", "groups"])]
    pub from: Option<String>,
    /// Groups of annotators (annotator,group), for group-aware-vote and group-aware-em
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub groups: Option<String>,
    /// Earlier fit (.json) whose annotators are the prior of these, matched by name, for pooled-dawid-skene
    #[arg(long, value_name = "FIT", hide_short_help = true)]
    pub prior_fit: Option<String>,
    /// Known confusion matrices for known-confusions: a fit, or annotator,truth,label,probability
    #[arg(long, value_name = "FILE", hide_short_help = true, conflicts_with = "prior_fit")]
    pub annotators_from: Option<String>,
    /// The class that counts as positive where groups of items are compared [default: the last of two, else each]
    #[arg(long, value_name = "CLASS", hide_short_help = true)]
    pub positive: Option<String>,
    /// Add a probability column for each class
    #[arg(long)]
    pub posterior: bool,
    /// Item features, one row per item (.npy or CSV), for methods that use them
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub features: Option<PathBuf>,
    /// Write the spans of tagged sequences to FILE as JSON lines
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub spans: Option<PathBuf>,
    /// Exit with code 1 if this is the case
    #[arg(long, value_enum, value_name = "CONDITION", value_delimiter = ',')]
    pub fail_if: Vec<FailIf>,
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub input: InputOptions,
}

impl Args {
    /// Files with what is known of annotators, and where it goes.
    fn known_from(&self) -> impl Iterator<Item = (&str, known::Way)> {
        [(&self.annotators_from, MATRICES), (&self.prior_fit, PRIOR)]
            .into_iter()
            .filter_map(|(file, way)| Some((file.as_deref()?, way)))
    }
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    // a slip in the method or its parameters is found before anything is read
    if let Some(name) = &args.method {
        method(name, &args.params)?;
    }
    if args.groups.is_some() {
        groups::check(args.method.as_deref())?;
    }
    for (_, way) in args.known_from() {
        way.check(args.method.as_deref())?;
    }
    let mut inputs = args.known.files(&args.answers, &args.input).to_vec();
    inputs.push(args.groups.as_deref());
    inputs.push(args.from.as_deref());
    inputs.extend(args.known_from().map(|(file, _)| Some(file)));
    inputs.push(args.features.as_deref().and_then(Path::to_str));
    let earlier = args.from.as_deref().map(kept).transpose()?;
    let mut out = args.output.open(&inputs)?;
    let spans = args.spans.as_deref().map(|path| Target::open(Some(path), &inputs)).transpose()?;
    let (mut data, truth) = args.known.read(&args.answers, &args.input, &args.run, talk)?;
    if let Some(file) = &args.features {
        data.features = Some(features::of_items(file, args.input.items.as_deref(), &data, talk)?);
    }
    if args.posterior && data.table.kind() != LabelKind::Categorical {
        return Err(Error::Usage {
            what: format!("--posterior is for classes, but {} has {} labels", data.source, data.table.kind()),
            hint: Some("leave it out: the rows tell how sure each estimate is".into()),
        });
    }
    let tagged = TagSet::read(data.table.categorical().iter().flat_map(|c| c.classes.iter()), &data.source);
    if spans.is_some() && !matches!((tagged, &data.structure), (Ok(Some(_)), Structure::Chains { .. })) {
        return Err(Error::Usage {
            what: format!("--spans is for sequences of tags (O, B-…, I-…), which {} does not have", data.source),
            hint: Some("leave it out".into()),
        });
    }
    let start = match (&earlier, &args.from) {
        (Some(document), Some(file)) => Some(document.start(&data, file)?),
        _ => None,
    };
    let name = match (args.method.as_deref().or(earlier.as_ref().map(|d| d.method.as_str())), &args.groups) {
        (Some(name), _) => name,
        (None, Some(_)) => {
            talk.note(format_args!("{} is used: --groups says which annotators belong together", groups::DEFAULT));
            groups::DEFAULT
        }
        (None, None) => match args.known_from().next() {
            Some((_, way)) => {
                talk.note(format_args!("{} is used for {}", way.default, way.option));
                way.default
            }
            None => crowdwise::default_method(&data).info.id,
        },
    };
    let mut params = args.params.clone();
    params.extend(args.groups.as_deref().map(|file| groups::read(file, &data, talk)).transpose()?);
    if let Some(file) = &args.annotators_from {
        let given = crate::options::pairs(&params)?.iter().any(|(name, _)| name == "class_shares");
        params.extend(known::matrices(file, &data, given, talk)?);
    }
    params.extend(args.prior_fit.as_deref().map(|file| known::prior(file, &data, talk)).transpose()?);
    let method = match &earlier {
        Some(document) => as_before(document)?,
        None => method(name, &params)?,
    };
    let fitted = fitting::fit_from(&*method, &data, start.as_ref(), &args.run, talk)?;
    let fit = &fitted.fit;
    let evaluation = truth.as_ref().map(|gold| evaluate(fit, &data, gold));
    let fairness = fair::of(&data, fit, truth.as_ref(), args.positive.as_deref())?;
    fitting::say_stop(fit, talk);
    if out.format == Format::Json {
        let mut document = FitDocument::new(&data, fit, evaluation, fitted.elapsed);
        document.fairness = fairness.as_ref().map(|f| FairnessEntry::new(&data, f));
        talk.timed("write", || rows::write_json(&mut out, &document))?;
    } else {
        fitting::say_findings(&fit.findings, talk);
        if let (Some(e), Some(file)) = (&evaluation, &args.known.truth) {
            fitting::say_evaluation(e, file, talk);
        }
        if let Some(f) = &fairness {
            fair::say(&data, f, talk);
        }
        talk.timed("write", || rows::write(&mut out, labels(&data, fit, args.posterior), talk))?;
    }
    out.target.finish()?;
    if let (Some(mut target), Some(found)) = (spans, merged_spans(fit, &data)) {
        write_merged_spans(&mut target, &found)?;
        target.finish()?;
        talk.note(counted(found.len() as u64, "span", "spans"));
    }
    let severities: Vec<Severity> = fit.findings.iter().map(|f| f.severity).collect();
    Ok(fitting::exit(Some(fit.diagnostics.stop), &severities, &args.fail_if, talk))
}

/// A fit to go on from.
fn kept(file: &str) -> Result<FitDocument<'static>, Error> {
    let document = FitDocument::from_json(&Source::from_arg(file).bytes()?, file)?;
    let able = crowdwise::find(&document.method).is_ok_and(|e| e.info.capabilities.warm_start);
    if !able {
        return Err(Error::Usage {
            what: format!("{file} is a fit of {}, which always begins anew", document.method),
            hint: Some("keep a fit of a method with confusion matrices: `-m dawid-skene -o fit.json`".into()),
        });
    }
    Ok(document)
}

/// The method of a kept fit with its parameters.
fn as_before(document: &FitDocument<'_>) -> Result<Box<dyn AnyMethod>, Error> {
    let params: Vec<(String, serde_json::Value)> =
        document.params.as_object().into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())).collect();
    crowdwise::find(&document.method)?.with(&params)
}

/// The labels of a fit as rows.
pub fn labels<'a>(data: &'a Dataset, fit: &'a Fit, posterior: bool) -> Sheet<'a> {
    let mut columns: Vec<String> = match fit.truth {
        Truth::Classes { .. } if matches!(data.structure, Structure::Chains { .. }) => {
            ["item", "sequence", "position", "label", "probability"].map(String::from).to_vec()
        }
        Truth::Classes { .. } => vec!["item".into(), "label".into(), "probability".into()],
        Truth::Real { .. } => vec!["item".into(), "value".into(), "sd".into()],
        Truth::Scores { .. } => ["rank", "item", "score", "low", "high", "component"].map(String::from).to_vec(),
        Truth::Clusters { .. } => ["item", "cluster", "confidence", "size"].map(String::from).to_vec(),
    };
    let classes = data.table.categorical().filter(|_| posterior).map(|c| c.classes);
    columns.extend(classes.iter().flat_map(|c| c.iter()).map(|c| format!("p_{c}")));
    let rows = LabelRows::new(data, fit);
    let n = rows.len();
    Sheet::new(columns, n, move |at, row: &mut Row<'_>| match rows.get(at) {
        LabelEntry::Class { item, sequence, position, label, probability, posterior: p, .. } => {
            row.text(item);
            if let (Some(sequence), Some(position)) = (sequence, position) {
                row.text(sequence).int(position);
            }
            row.text(label).real(probability);
            if posterior {
                p.iter().for_each(|&x| _ = row.real(x));
            }
        }
        LabelEntry::Value { item, value, sd } => _ = row.text(item).maybe(value).maybe(sd),
        LabelEntry::Cluster { item, cluster, confidence, size } => {
            row.text(item).int(cluster.into()).real(confidence).int(size as i64);
        }
        LabelEntry::Score { rank, item, score, low, high, component, .. } => {
            row.int(rank as i64).text(item).real(score).maybe(low).maybe(high).int(component.into());
        }
    })
}
