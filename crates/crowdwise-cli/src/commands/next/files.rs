//! What stands beside the answers: annotators, items, questions that are out.

use super::Args;
use crate::talk::{Talk, counted};
use crowdwise::ask::collection::Collection;
use crowdwise::ask::state::{AnnotatorLimits, ItemLimits};
use crowdwise::io::{self, AnnotatorRow, ItemRow, PendingRow, Read, Source};
use crowdwise::{Dataset, Error};
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// The time that was given, or that it is.
pub fn time(args: &Args) -> Result<f64, Error> {
    match &args.now {
        Some(text) => io::parse_time(text).ok_or_else(|| Error::Usage {
            what: format!("--now is `{text}`, which is not a time"),
            hint: Some("such as 2026-03-31T18:00 (UTC), or seconds since 1970".into()),
        }),
        None => Ok(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())),
    }
}

/// Whether anything depends on the time.
pub fn uses_time(args: &Args) -> bool {
    args.now.is_some() || args.annotators.is_some() || args.input.items.is_some()
}

/// Annotators, and questions that are out, where files of them were given.
type Tables = (Option<Vec<AnnotatorRow>>, Option<Vec<PendingRow>>);

pub fn tables(args: &Args, talk: Talk) -> Result<Tables, Error> {
    let mut problems: Vec<Error> = Vec::new();
    let annotators = args.annotators.as_deref().map(|f| io::read_annotator_limits(&Source::from_arg(f))).transpose();
    let pending = args.pending.as_deref().map(|f| io::read_pending_questions(&Source::from_arg(f))).transpose();
    let read = (keep(annotators, &mut problems, talk), keep(pending, &mut problems, talk));
    Error::all(problems)?;
    Ok(read)
}

/// The collection with everything that is told of it; every file with problems is named.
pub fn collection(args: &Args, data: &Dataset, now: f64, talk: Talk) -> Result<Collection, Error> {
    let tables = tables(args, talk);
    let items = match args.input.items.as_deref().filter(|f| *f != "-") {
        // a bare list of items has no header
        Some(f) => match io::read_item_limits(&Source::from_arg(f)) {
            Err(Error::MissingColumn { .. }) => Ok(None),
            read => read.map(Some),
        },
        None => Ok(None),
    };
    let mut problems: Vec<Error> = tables.as_ref().err().cloned().into_iter().collect();
    let items: Option<Vec<ItemRow>> = keep(items, &mut problems, talk);
    Error::all(problems)?;
    let (annotators, pending) = tables?;
    let mut more: Vec<String> = annotators.iter().flatten().map(|a| a.annotator.clone()).collect();
    more.extend(pending.iter().flatten().map(|p| p.annotator.clone()));
    more.sort_unstable();
    more.dedup();
    let mut collection = Collection::of(data, &more)?;
    if let Some(rows) = &annotators {
        collection.limit_annotators(&limits_of(rows));
    }
    if let Some(rows) = &items {
        let limit = |r: &ItemRow| ItemLimits { deadline: r.deadline, value: r.value.unwrap_or(1.0), closed: false };
        collection.limit_items(&rows.iter().map(|r| (r.item.clone(), limit(r))).collect());
    }
    if let (Some(rows), Some(file)) = (&pending, &args.pending) {
        lease(args, &mut collection, rows, file, now, talk)?;
    }
    Ok(collection)
}

fn keep<T>(read: Result<Option<Read<T>>, Error>, problems: &mut Vec<Error>, talk: Talk) -> Option<T> {
    match read {
        Ok(read) => read.map(|r| {
            r.notes.iter().for_each(|n| talk.note(n));
            r.value
        }),
        Err(e) => {
            problems.push(e);
            None
        }
    }
}

fn limits_of(rows: &[AnnotatorRow]) -> BTreeMap<String, AnnotatorLimits> {
    let mut groups: Vec<&String> = rows.iter().filter_map(|r| r.group.as_ref()).collect();
    groups.sort_unstable();
    groups.dedup();
    let limit = |r: &AnnotatorRow| AnnotatorLimits {
        price: r.price.unwrap_or(1.0),
        capacity: r.capacity,
        from: r.from,
        to: r.to,
        max_share: r.max_share,
        group: r.group.as_ref().and_then(|g| groups.binary_search(&g).ok()).map(|g| g as u32),
    };
    rows.iter().map(|r| (r.annotator.clone(), limit(r))).collect()
}

/// Questions that are out. Those that were answered meanwhile are counted; items that nobody knows are refused.
fn lease(args: &Args, c: &mut Collection, rows: &[PendingRow], file: &str, now: f64, talk: Talk) -> Result<(), Error> {
    let unknown: Vec<String> =
        rows.iter().filter(|r| c.item(&r.item).is_none()).map(|r| format!("`{}`", r.item)).take(5).collect();
    if !unknown.is_empty() {
        return Err(Error::BadData {
            file: file.into(),
            what: format!("items that are not among the answers or the items: {}", unknown.join(", ")),
            hint: Some("list items without answers in a file, and give it with `--items`".into()),
        });
    }
    c.state.limits.lease = Some(args.lease.map_or(f64::INFINITY, |minutes| 60.0 * minutes));
    let mut answered = 0;
    for row in rows {
        let (Some(item), Some(annotator)) = (c.item(&row.item), c.annotator(&row.annotator)) else { continue };
        if c.state.lease(item, annotator as u32, row.since.unwrap_or(now)).is_err() {
            answered += 1;
        }
    }
    let over = c.state.expire(now).len();
    if answered > 0 {
        talk.note(format_args!("{} of {file} answered meanwhile", counted(answered, "question", "questions")));
    }
    if over > 0 {
        talk.note(format_args!(
            "{} of {file} out for too long: others are asked",
            counted(over as u64, "question", "questions")
        ));
    }
    Ok(())
}
