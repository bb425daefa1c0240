//! The questions as rows, as one line of words, and as JSON.

use crate::rows::{Push, Row, Sheet};
use crate::talk::{Talk, counted};
use crowdwise::ask::collection::Collection;
use crowdwise::ask::next::{Accuracy, Batch, ItemCounts, Money, Nothing, Options, Question, Reason};
use crowdwise::report::SCHEMA;
use serde::Serialize;

const COLUMNS: [&str; 12] = [
    "rank",
    "item",
    "annotator",
    "reason",
    "gain_bits",
    "accuracy_gain",
    "label_now",
    "p_now",
    "labels",
    "pending",
    "price",
    "why",
];

/// One question as it is written.
#[derive(Serialize)]
struct Asked<'a> {
    rank: usize,
    item: &'a str,
    annotator: &'a str,
    reason: &'static str,
    gain_bits: f64,
    accuracy_gain: f64,
    label_now: Option<&'a str>,
    p_now: f64,
    labels: usize,
    pending: usize,
    price: f64,
    why: String,
}

/// What `--format json` writes; the fields are described in `docs/guide`.
#[derive(Serialize)]
pub struct Document<'a> {
    schema: u32,
    strategy: &'static str,
    seed: u64,
    batch: u64,
    questions: Vec<Asked<'a>>,
    items: ItemCounts,
    accuracy: Accuracy,
    money: Money,
    /// Why there are no questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    nothing: Option<Nothing>,
    warnings: &'a [String],
}

fn asked<'a>(c: &'a Collection, rank: usize, q: &Question) -> Asked<'a> {
    let annotator = c.annotators[q.annotator as usize].as_str();
    Asked {
        rank,
        item: &c.items[q.item as usize],
        annotator,
        reason: q.reason.name(),
        gain_bits: q.gain,
        accuracy_gain: q.accuracy_gain,
        label_now: q.class.map(|k| c.classes[k as usize].as_str()),
        p_now: q.p,
        labels: q.labels,
        pending: q.pending,
        price: q.price,
        why: q.words(annotator, |k| c.classes[k].clone()),
    }
}

pub fn document<'a>(c: &'a Collection, batch: &'a Batch, options: &Options) -> Document<'a> {
    Document {
        schema: SCHEMA,
        strategy: options.strategy.name(),
        seed: options.seed,
        batch: batch.number,
        questions: batch.questions.iter().zip(1..).map(|(q, rank)| asked(c, rank, q)).collect(),
        items: batch.items,
        accuracy: batch.accuracy,
        money: batch.money,
        nothing: batch.nothing,
        warnings: &batch.warnings,
    }
}

pub fn table<'a>(c: &'a Collection, batch: &'a Batch) -> Sheet<'a> {
    Sheet::new(COLUMNS, batch.questions.len(), move |at, row: &mut Row<'_>| {
        let q = asked(c, at + 1, &batch.questions[at]);
        row.int(q.rank as i64).text(q.item).text(q.annotator).text(q.reason).real(q.gain_bits).real(q.accuracy_gain);
        row.text(q.label_now.unwrap_or_default()).real(q.p_now);
        row.int(q.labels as i64).int(q.pending as i64).real(q.price).text(q.why);
    })
}

/// The summary in words, and every warning.
pub fn say(batch: &Batch, items: usize, talk: Talk) {
    let of = |reason: Reason| batch.questions.iter().filter(|q| q.reason == reason).count();
    let kinds = [Reason::Gain, Reason::Coverage, Reason::OnlyOneLeft, Reason::Rule].map(|r| (of(r), r.name()));
    let kinds: Vec<String> =
        kinds.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {}", name.replace('-', " "))).collect();
    let percent = |low: f64, high: f64| format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high);
    let a = batch.accuracy;
    if !batch.questions.is_empty() {
        talk.note(format_args!(
            "{}: {}; price {}",
            counted(batch.questions.len() as u64, "question", "questions"),
            kinds.join(", "),
            batch.money.batch
        ));
    }
    let c = batch.items;
    let others = [(c.open, "open"), (c.hopeless, "hopeless"), (c.capped, "capped"), (c.unlabelled, "without a label")];
    let others: Vec<String> = others.iter().filter(|o| o.0 > 0).map(|o| format!("{} {}", o.0, o.1)).collect();
    let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
    talk.note(format_args!("{} of {} sure{others}", c.sure, counted(items as u64, "item", "items")));
    talk.note(format_args!(
        "expected accuracy: {}, after these questions {}{}",
        percent(a.low, a.high),
        percent(a.low_after, a.high_after),
        a.gold.map_or(", without gold".into(), |g| format!(
            "; on {} with gold {:.0} % ({})",
            counted(g.n as u64, "item", "items"),
            100.0 * g.accuracy,
            percent(g.low, g.high)
        ))
    ));
    batch.warnings.iter().for_each(|w| talk.note(w));
}
