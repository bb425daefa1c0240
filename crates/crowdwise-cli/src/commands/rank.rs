//! `crowdwise rank`.

use crate::cli::TEMPLATE;
use crate::failure::Exit;
use crate::features;
use crate::fitting;
use crate::options::{FailIf, InputOptions, KeyValue, RunOptions, method, whole};
use crate::output::{Format, OutputOptions};
use crate::rows::{self, Push, Row, Sheet};
use crate::source::Known;
use crate::talk::Talk;
use crowdwise::ask::pairs::{AskPairs, PairQuestion};
use crowdwise::io::Cell;
use crowdwise::questions::{Evaluation, evaluate};
use crowdwise::report::{DataCounts, LeaderRow, SCHEMA, leaderboard};
use crowdwise::{Dataset, Error, Finding, Fit, LabelKind, Severity};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(
    help_template = TEMPLATE,
    before_help = "\
Examples:
  crowdwise rank battles.csv                     the leaderboard, with intervals
  crowdwise rank battles.csv --next 20 -o ask.csv   the 20 comparisons to ask for next
  crowdwise rank ballots.csv                     rankings `a > b > c`, or ranking, annotator, item, position
"
)]
pub struct Args {
    /// File with comparisons (left, right, annotator, winner) or rankings (annotator, ranking), or - for stdin
    pub answers: String,
    /// Method [default: plackett-luce for rankings, crowd-bt where annotators gave enough comparisons, else bradley-terry]
    #[arg(short, long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Set a parameter of the method; `crowdwise methods METHOD` lists them
    #[arg(short, long = "param", value_name = "KEY=VALUE")]
    pub params: Vec<KeyValue>,
    /// Show the N most informative next comparisons (pair and annotator) instead of the leaderboard
    #[arg(long, value_name = "N", value_parser = whole::<usize>, allow_negative_numbers = true)]
    pub next: Option<usize>,
    /// Known scores (item,score), used for evaluation only
    #[arg(long, value_name = "FILE")]
    pub truth: Option<String>,
    /// Item features, one row per item (.npy or CSV), for methods that use them (pref-e2e)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub features: Option<PathBuf>,
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

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    method: &'a str,
    /// Why this method, where nobody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<&'a str>,
    data: DataCounts,
    components: u32,
    /// Level of the intervals of scores and places.
    interval_level: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaderboard: Option<&'a [LeaderRow]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Vec<Question<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluation: Option<Evaluation>,
    findings: &'a [Finding],
}

#[derive(Serialize)]
struct Question<'a> {
    left: &'a str,
    right: &'a str,
    annotator: &'a str,
    /// Expected information about the scores, nats.
    gain: f64,
    /// Probability that the left item is better, before the answer.
    left_better: f64,
    /// Chosen by chance, as every fifth is, so that a wrong belief cannot keep itself alive.
    random: bool,
}

pub fn run(args: &Args, talk: Talk) -> Result<Exit, Error> {
    if let Some(name) = &args.method {
        method(name, &args.params)?;
    }
    let known = Known { truth: args.truth.clone(), gold: None };
    let mut inputs = known.files(&args.answers, &args.input).to_vec();
    inputs.push(args.features.as_deref().and_then(std::path::Path::to_str));
    let mut out = args.output.open(&inputs)?;
    let (mut data, truth) = known.read(&args.answers, &args.input, &args.run, talk)?;
    if data.table.kind() != LabelKind::Preference {
        return Err(Error::Usage {
            what: format!("rank needs comparisons or rankings, but {} has {} labels", data.source, data.table.kind()),
            hint: Some(
                "columns left, right, annotator, winner, or annotator, ranking; `crowdwise fit` is for other labels"
                    .into(),
            ),
        });
    }
    if let Some(file) = &args.features {
        data.features = Some(features::of_items(file, args.input.items.as_deref(), &data, talk)?);
    }
    let (name, why) = if let Some(name) = &args.method {
        (name.as_str(), None)
    } else {
        let (entry, why) = crowdwise::ranking_method(&data);
        talk.note(format_args!("method: {}, because {why}", entry.info.id));
        (entry.info.id, Some(why))
    };
    let method = method(name, &args.params)?;
    if !method.info().accepts.contains(&LabelKind::Preference) {
        let ids: Vec<&str> = crowdwise::compared(&data).iter().map(|e| e.info.id).collect();
        return Err(Error::Usage {
            what: format!("{} does not rank items", method.info().id),
            hint: Some(format!("`-m {}`", ids.join("`, `-m "))),
        });
    }
    let fitted = fitting::fit(&*method, &data, &args.run, talk)?;
    let fit = &fitted.fit;
    fitting::say_stop(fit, talk);
    let evaluation = truth.as_ref().map(|gold| evaluate(fit, &data, gold));
    let board = leaderboard(&data, fit);
    let asked = args.next.map(|n| next(&data, fit, n, args.run.seed, talk)).transpose()?;
    if out.format == Format::Json {
        let document = Document {
            schema: SCHEMA,
            method: &fit.provenance.method,
            chosen: why.as_deref(),
            data: DataCounts::of(&data),
            components: board.last().map_or(0, |r| r.component + 1),
            interval_level: fit.interval_level(),
            leaderboard: asked.is_none().then_some(&board),
            next: asked.as_ref().map(|a| a.iter().map(|a| question(&data, a)).collect()),
            evaluation,
            findings: &fit.findings,
        };
        rows::write_json(&mut out, &document)?;
    } else {
        fitting::say_findings(&fit.findings, talk);
        if let (Some(e), Some(file)) = (&evaluation, &args.truth) {
            fitting::say_evaluation(e, file, talk);
        }
        if asked.is_none() {
            let level = super::annotators::percent(fit.interval_level());
            talk.note(format_args!("low, high, rank_low, rank_high: {level} intervals; `-p level=…` for another"));
        }
        let sheet = match &asked {
            Some(asked) => questions(&data, asked),
            None => table(&board),
        };
        rows::write(&mut out, sheet, talk)?;
    }
    out.target.finish()?;
    let severities: Vec<Severity> = fit.findings.iter().map(|f| f.severity).collect();
    Ok(fitting::exit(Some(fit.diagnostics.stop), &severities, &args.fail_if, talk))
}

fn next(data: &Dataset, fit: &Fit, n: usize, seed: u64, talk: Talk) -> Result<Vec<PairQuestion>, Error> {
    let asked = AskPairs { n, seed, ..AskPairs::default() }.next(data, fit)?;
    if asked.len() < n {
        talk.note(format_args!(
            "{} of {n} questions: there are no more pairs that somebody has not judged",
            asked.len()
        ));
    }
    Ok(asked)
}

fn question<'a>(data: &'a Dataset, asked: &PairQuestion) -> Question<'a> {
    let item = |i: u32| data.table.items().name(i as usize);
    Question {
        left: item(asked.left),
        right: item(asked.right),
        annotator: data.table.annotators().name(asked.annotator as usize),
        gain: asked.gain,
        left_better: asked.left_better,
        random: asked.random,
    }
}

fn questions<'a>(data: &'a Dataset, asked: &'a [PairQuestion]) -> Sheet<'a> {
    Sheet::new(["left", "right", "annotator", "gain", "why"], asked.len(), |at, row: &mut Row<'_>| {
        let q = question(data, &asked[at]);
        row.text(q.left).text(q.right).text(q.annotator).real(q.gain);
        row.text(if q.random { "random" } else { "gain" });
    })
}

fn table(board: &[LeaderRow]) -> Sheet<'_> {
    let parts = board.last().map_or(0, |r| r.component) > 0;
    let mut columns =
        vec!["rank", "item", "score", "low", "high", "rank_low", "rank_high", "wins", "losses", "ties", "games"];
    if parts {
        columns.push("component");
    }
    Sheet::new(columns, board.len(), move |at, row: &mut Row<'_>| {
        let r = &board[at];
        row.int(r.rank as i64).text(&*r.item).real(r.score).maybe(r.low).maybe(r.high);
        for place in [r.rank_low, r.rank_high] {
            row.push(place.map_or(Cell::Missing, |p| Cell::Integer(p.into())));
        }
        row.int(r.wins as i64).int(r.losses as i64).int(r.ties as i64).int(r.games as i64);
        if parts {
            row.int(r.component.into());
        }
    })
}
