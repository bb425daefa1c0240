//! Questions about items that have features: a classifier learns from the answers, and says what it is unsure of.

use super::{Args, files};
use crate::failure::Exit;
use crate::output::Format;
use crate::rows::{self, Push, Row, Sheet};
use crate::talk::Talk;
use crowdwise::ask::features::{Next, Question, Strategy, Wanted, next};
use crowdwise::report::SCHEMA;
use crowdwise::{Context, Dataset, Error};
use serde::Serialize;

const COLUMNS: [&str; 7] = ["rank", "item", "annotator", "reason", "gain_bits", "right", "why"];

/// Share of the items whose annotator is drawn, so that others stay known.
const EXPLORE: f64 = 0.1;

#[derive(Serialize)]
struct Asked<'a> {
    rank: usize,
    item: &'a str,
    annotator: &'a str,
    reason: String,
    gain_bits: f64,
    /// How likely the annotator is right on this item.
    right: f64,
    why: String,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    strategy: &'static str,
    seed: u64,
    questions: Vec<Asked<'a>>,
}

/// `data` has its features.
pub fn run(args: &Args, data: &Dataset, talk: Talk) -> Result<Exit, Error> {
    let strategy = check(args)?;
    let features = args.features.as_deref().and_then(std::path::Path::to_str);
    let mut out =
        args.output.open(&[Some(&args.answers), args.annotators.as_deref(), args.pending.as_deref(), features])?;
    let now = files::time(args)?;
    let collection = files::collection(args, data, now, talk)?;
    let state = &collection.state;
    let time = files::uses_time(args).then_some(now);
    let only = args.only.as_deref().map(|name| collection.known_annotator(name)).transpose()?;
    // the collection numbers items and annotators by name, the table as it met them
    let item = |i: usize| collection.item(data.table.items().name(i));
    let person = |j: usize| collection.annotator(data.table.annotators().name(j));
    let allowed = |i: usize, j: usize| {
        let (Some(i), Some(j)) = (item(i), person(j)) else { return false };
        let limits = state.annotator(j);
        limits.available(time)
            && limits.capacity != Some(0)
            && only.is_none_or(|o| o as usize == j)
            && !state.item(i).closed
            && state.item(i).deadline.is_none_or(|d| time.is_none_or(|t| t < d))
            && state.taken(i, j as u32).is_none()
    };
    // some may fall to capacities
    let limited = (0..state.n_annotators()).any(|j| state.annotator(j).capacity.is_some());
    let wanted = Wanted {
        strategy,
        questions: if limited { 4 * args.n } else { args.n },
        explore: EXPLORE,
        learner: None,
        allowed: &allowed,
        batch: 0,
    };
    let threads = args.run.threads();
    let found = talk.timed("next", || next(data, wanted, &mut Context::new(args.run.seed, threads)))?;
    let mut left: Vec<u32> =
        (0..state.n_annotators()).map(|j| state.annotator(j).capacity.unwrap_or(u32::MAX)).collect();
    let mut within = |q: &&Question| {
        let room = person(q.annotator as usize).map(|j| &mut left[j]);
        room.is_some_and(|r| {
            let fits = *r > 0;
            *r = r.saturating_sub(1);
            fits
        })
    };
    let questions: Vec<&Question> = found.questions.iter().filter(&mut within).take(args.n).collect();
    if questions.len() < args.n {
        talk.note(format_args!("{} of {} questions: nobody else can be asked", questions.len(), args.n));
    }
    if out.format == Format::Json {
        let questions = questions.iter().enumerate().map(|(at, q)| asked(data, &found, at, q)).collect();
        let document = Document { schema: SCHEMA, strategy: strategy.name(), seed: args.run.seed, questions };
        rows::write_json(&mut out, &document)?;
    } else {
        let sheet = Sheet::new(COLUMNS, questions.len(), |at, row: &mut Row<'_>| {
            let q = asked(data, &found, at, questions[at]);
            row.int(q.rank as i64).text(q.item).text(q.annotator).text(q.reason);
            row.real(q.gain_bits).real(q.right).text(q.why);
        });
        rows::write(&mut out, sheet, talk)?;
    }
    out.target.finish()?;
    Ok(Exit::Done)
}

fn asked<'a>(data: &'a Dataset, found: &Next, at: usize, q: &Question) -> Asked<'a> {
    Asked {
        rank: at + 1,
        item: data.table.items().name(q.item as usize),
        annotator: data.table.annotators().name(q.annotator as usize),
        reason: serde_json::to_value(q.why).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default(),
        gain_bits: q.gain,
        right: q.right,
        why: found.reason(q),
    }
}

/// The strategy; options that mean nothing here are named, all of them.
pub fn check(args: &Args) -> Result<Strategy, Error> {
    let given = [
        ("--money", args.money.is_some()),
        ("--budget", args.budget.is_some()),
        ("--stop-at", args.stop_at.is_some()),
        ("--max-per-item", args.max_per_item.is_some()),
        ("--max-share", args.max_share.is_some()),
        ("--max-out", args.max_out.is_some()),
    ];
    let given: Vec<&str> = given.into_iter().filter(|g| g.1).map(|g| g.0).collect();
    if !given.is_empty() {
        return Err(Error::Usage {
            what: format!("{} cannot be used with --features", given.join(", ")),
            hint: Some("without --features they can".into()),
        });
    }
    let names: Vec<&str> = Strategy::ALL.iter().map(|s| s.name()).collect();
    Strategy::ALL.into_iter().find(|s| s.name() == args.strategy("dalc")).ok_or_else(|| Error::Usage {
        what: format!("with features there is no strategy `{}`", args.strategy("dalc")),
        hint: Some(format!("`--strategy {}`", names.join("`, `--strategy "))),
    })
}
