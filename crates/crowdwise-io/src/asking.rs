//! What limits the questions: files of annotators, items and questions that are out.

use crate::collect::{brief, count};
use crate::roles::{Role, one_of, recognise};
use crate::source::unreadable;
use crate::tagged::refuse;
use crate::{Format, Read, Source};
use crowdwise_core::{Error, nearest};
use std::collections::HashMap;

/// What is known of an annotator who may be asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnnotatorRow {
    pub annotator: String,
    pub price: Option<f64>,
    /// Questions that may still be asked.
    pub capacity: Option<u32>,
    /// Available from and to, seconds since 1970.
    pub from: Option<f64>,
    pub to: Option<f64>,
    pub max_share: Option<f64>,
    pub group: Option<String>,
}

/// What is known of an item that may be asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ItemRow {
    pub item: String,
    /// Seconds since 1970.
    pub deadline: Option<f64>,
    pub value: Option<f64>,
}

/// A question that is out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PendingRow {
    pub item: String,
    pub annotator: String,
    /// Seconds since 1970.
    pub since: Option<f64>,
}

/// Reads annotators with their prices, capacities, hours, shares and groups: columns annotator, price, capacity, from, to, max_share,
/// group, of which only the first is needed.
pub fn read_annotator_limits(source: &Source) -> Result<Read<Vec<AnnotatorRow>>, Error> {
    let wanted: &[&[&str]] =
        &[&["price", "cost"], &["capacity"], &["from"], &["to"], &["maxshare", "share"], &["group"]];
    let mut file = Columns::open(source, &[Role::Annotator], wanted)?;
    let mut rows = Vec::new();
    while let Some(row) = file.next()? {
        let name = row.key[0].clone();
        rows.push(AnnotatorRow {
            price: file.number(&row, 0, "a number of at least 0", |x| x >= 0.0),
            capacity: file
                .number(&row, 1, "a whole number of at least 0", |x| x >= 0.0 && x.fract() == 0.0 && x < 4e9)
                .map(|x| x as u32),
            from: file.time(&row, 2),
            to: file.time(&row, 3),
            max_share: file.number(&row, 4, "a share from 0 to 1", |x| (0.0..=1.0).contains(&x)),
            group: row.cells[5].clone(),
            annotator: name,
        });
        let last = rows.last().expect("just added");
        if let (Some(from), Some(to)) = (last.from, last.to)
            && to < from
        {
            file.problems.push(format!("line {}: `to` is before `from`", row.at));
        }
    }
    file.finish(rows, "annotator", "the columns are annotator, price, capacity, from, to, max_share, group")
}

/// Reads items with their deadlines and values: columns item, deadline, value, of which only the first is needed.
pub fn read_item_limits(source: &Source) -> Result<Read<Vec<ItemRow>>, Error> {
    let mut file = Columns::open(source, &[Role::Item], &[&["deadline", "due"], &["value", "weight"]])?;
    let mut rows = Vec::new();
    while let Some(row) = file.next()? {
        rows.push(ItemRow {
            deadline: file.time(&row, 0),
            value: file.number(&row, 1, "a number of at least 0", |x| x >= 0.0),
            item: row.key[0].clone(),
        });
    }
    file.finish(rows, "item", "the columns are item, deadline, value")
}

/// Reads questions that are asked and not answered yet: columns item, annotator, since, of which the last may be missing.
pub fn read_pending_questions(source: &Source) -> Result<Read<Vec<PendingRow>>, Error> {
    let mut file = Columns::open(source, &[Role::Item, Role::Annotator], &[&["since", "asked", "time"]])?;
    let mut rows = Vec::new();
    while let Some(row) = file.next()? {
        let since = file.time(&row, 0);
        let [item, annotator] = [row.key[0].clone(), row.key[1].clone()];
        rows.push(PendingRow { item, annotator, since });
    }
    file.finish(rows, "question", "the columns are item, annotator, since")
}

/// One row: what names it, and the other columns in their order.
struct Line {
    at: u64,
    key: Vec<String>,
    cells: Vec<Option<String>>,
}

/// A delimited file with known columns, and the problems in it.
struct Columns {
    file: String,
    reader: csv::Reader<Box<dyn std::io::Read>>,
    keys: Vec<usize>,
    others: Vec<Option<usize>>,
    names: Vec<String>,
    key_names: Vec<&'static str>,
    seen: HashMap<Vec<String>, u64>,
    problems: Vec<String>,
    notes: Vec<String>,
}

impl Columns {
    fn open(source: &Source, keys: &[Role], others: &[&[&str]]) -> Result<Columns, Error> {
        let file = source.name();
        let delimiter = if source.format() == Some(Format::Tsv) { b'\t' } else { b',' };
        let input: Box<dyn std::io::Read> = Box::new(source.open_within(32)?);
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(input);
        let header = reader.headers().map_err(|e| match e.into_kind() {
            csv::ErrorKind::Io(e) => unreadable(&file, &e),
            _ => Error::Unreadable { file: file.clone(), what: "its first row is not text".into(), hint: None },
        })?;
        let found: Vec<String> = header.iter().map(|h| h.trim_start_matches('\u{feff}').trim().to_owned()).collect();
        let column = |wanted: &Role| {
            recognise(&found, *wanted).ok_or_else(|| Error::MissingColumn {
                wanted: wanted.name().into(),
                file: file.clone(),
                found: found.clone(),
                suggestion: nearest(wanted.name(), found.iter().map(String::as_str))
                    .map(|n| format!("call `{n}` `{}`", wanted.name())),
            })
        };
        let (mut places, mut missing) = (Vec::new(), Vec::new());
        for key in keys {
            match column(key) {
                Ok(at) => places.push(at),
                Err(e) => missing.push(e),
            }
        }
        Error::all(missing)?;
        let others: Vec<Option<usize>> = others.iter().map(|names| one_of(&found, names)).collect();
        let left: Vec<String> = found
            .iter()
            .enumerate()
            .filter(|(at, _)| !places.contains(at) && !others.contains(&Some(*at)))
            .map(|(_, name)| format!("`{}`", brief(name)))
            .collect();
        let mut notes = Vec::new();
        if !left.is_empty() {
            notes.push(format!("columns of {file} left out: {}", left.join(", ")));
        }
        Ok(Columns {
            file,
            reader,
            keys: places,
            others,
            names: found,
            key_names: keys.iter().map(|k| k.name()).collect(),
            seen: HashMap::new(),
            problems: Vec::new(),
            notes,
        })
    }

    /// The next row that has a name of its own.
    fn next(&mut self) -> Result<Option<Line>, Error> {
        let mut record = csv::StringRecord::new();
        loop {
            match self.reader.read_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(e) => {
                    let line = e.position().map_or(0, csv::Position::line);
                    if let csv::ErrorKind::Io(e) = e.into_kind() {
                        return Err(unreadable(&self.file, &e));
                    }
                    self.problems.push(format!("line {line} cannot be read as text"));
                    continue;
                }
            }
            let line = record.position().map_or(0, csv::Position::line);
            let field = |c: usize| record.get(c).map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
            let key: Vec<Option<String>> = self.keys.iter().map(|&c| field(c)).collect();
            if let Some(at) = key.iter().position(Option::is_none) {
                self.problems.push(format!("line {line} has no {}", self.key_names[at]));
                continue;
            }
            let key: Vec<String> = key.into_iter().flatten().collect();
            if let Some(first) = self.seen.insert(key.clone(), line) {
                let name = key.iter().map(|k| format!("`{}`", brief(k))).collect::<Vec<_>>().join(", ");
                self.problems.push(format!("{name} is in line {first} and again in line {line}"));
                continue;
            }
            let cells = self.others.iter().map(|c| c.and_then(field)).collect();
            return Ok(Some(Line { at: line, key, cells }));
        }
    }

    fn complain(&mut self, row: &Line, column: usize, text: &str, must: &str) {
        let name = self.others[column].map_or("", |c| self.names[c].as_str());
        self.problems.push(format!("line {}: {name} is `{}`, but must be {must}", row.at, brief(text)));
    }

    fn number(&mut self, row: &Line, column: usize, must: &str, fits: impl Fn(f64) -> bool) -> Option<f64> {
        let text = row.cells[column].as_deref()?;
        let number = text.parse().ok().filter(|x: &f64| x.is_finite() && fits(*x));
        if number.is_none() {
            self.complain(row, column, text, must);
        }
        number
    }

    fn time(&mut self, row: &Line, column: usize) -> Option<f64> {
        let text = row.cells[column].as_deref()?;
        let time = parse_time(text);
        if time.is_none() {
            self.complain(row, column, text, "a time such as 2026-03-31T18:00 (UTC), or seconds since 1970");
        }
        time
    }

    fn finish<T>(self, rows: Vec<T>, what: &str, hint: &str) -> Result<Read<Vec<T>>, Error> {
        refuse(&self.file, &self.problems, hint)?;
        let mut notes = self.notes;
        notes.push(format!("{} in {}", count(rows.len() as u64, what), self.file));
        Ok(Read { value: rows, notes })
    }
}

/// Seconds since 1970 of a time as people write it: `2026-03-31`, `2026-03-31T18:00`, `2026-03-31 18:00:05+02:00` (UTC unless it
/// says otherwise), or seconds.
pub fn parse_time(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return seconds.is_finite().then_some(seconds);
    }
    let number = |t: &str| (!t.is_empty() && t.bytes().all(|b| b.is_ascii_digit())).then(|| t.parse::<i64>().ok())?;
    let date = text.get(..10)?;
    let mut parts = date.split('-');
    let [year, month, day] = [number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?];
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let last = *days.get(usize::try_from(month - 1).ok()?)?;
    if parts.next().is_some() || !(1..=last).contains(&day) {
        return None;
    }
    let since = days_since_1970(year, month, day) as f64 * 86_400.0;
    let rest = &text[10..];
    if rest.is_empty() {
        return Some(since);
    }
    let clock = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, offset) = match clock.find(['Z', 'z', '+', '-']) {
        Some(at) if matches!(&clock[at..], "Z" | "z") => (&clock[..at], 0.0),
        Some(at) => {
            let sign = if clock[at..].starts_with('-') { -1.0 } else { 1.0 };
            (&clock[..at], sign * seconds_of(&clock[at + 1..])?)
        }
        None => (clock, 0.0),
    };
    Some(since + seconds_of(clock)? - offset)
}

/// Seconds of `hh:mm`, `hh:mm:ss` or `hh:mm:ss.sss`.
fn seconds_of(clock: &str) -> Option<f64> {
    let parts: Vec<&str> = clock.trim().split(':').collect();
    let two = |t: &str, below: f64| {
        let digits = t.get(..2)?.bytes().all(|b| b.is_ascii_digit());
        t.parse::<f64>().ok().filter(|x| digits && *x < below && *x >= 0.0)
    };
    match parts[..] {
        [h, m] if h.len() == 2 && m.len() == 2 => Some(two(h, 24.0)? * 3600.0 + two(m, 60.0)? * 60.0),
        [h, m, s] if h.len() == 2 && m.len() == 2 => {
            Some(two(h, 24.0)? * 3600.0 + two(m, 60.0)? * 60.0 + two(s, 60.0)?)
        }
        _ => None,
    }
}

/// Days from the first of January 1970 in the Gregorian calendar; years begin in March, so that leap days come last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_people_write_them() {
        // seconds from the `date` command
        for (text, seconds) in [
            ("1970-01-01", 0.0),
            ("2000-02-29", 951_782_400.0),
            ("2026-03-31T18:00", 1_774_980_000.0),
            ("2026-03-31 18:00:05.5Z", 1_774_980_005.5),
            ("2026-03-31T20:00+02:00", 1_774_980_000.0),
            ("1969-12-31T23:59:59", -1.0),
            ("12.5", 12.5),
        ] {
            assert_eq!(parse_time(text), Some(seconds), "{text}");
        }
        for text in ["", "2026-02-29", "2026-13-01", "2026-1-1", "31.3.2026", "2026-03-31T25:00", "2026-03-31x", "nan"]
        {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
