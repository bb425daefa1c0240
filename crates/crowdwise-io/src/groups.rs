//! Which annotators belong together: a file with the columns annotator and group.

use crate::collect::brief;
use crate::roles::{Role, recognise};
use crate::source::unreadable;
use crate::tagged::refuse;
use crate::{Format, Read, Source};
use crowdwise_core::{Error, Table, group, nearest};
use std::collections::BTreeMap;

/// Reads the group of every annotator (CSV, or TSV by its name; further columns are left out), by names.
///
/// Annotators without labels in `table` are left out, which the notes say; if none has any, the file is refused, and so it is
/// if an annotator is in two groups.
pub fn read_groups(source: &Source, table: &Table) -> Result<Read<BTreeMap<String, String>>, Error> {
    let file = source.name();
    let delimiter = if source.format() == Some(Format::Tsv) { b'\t' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(source.open_within(32)?);
    let header = reader.headers().map_err(|e| match e.into_kind() {
        csv::ErrorKind::Io(e) => unreadable(&file, &e),
        _ => Error::Unreadable { file: file.clone(), what: "its first row is not text".into(), hint: None },
    })?;
    let found: Vec<String> = header.iter().map(|h| h.trim_start_matches('\u{feff}').trim().to_lowercase()).collect();
    let column = |wanted: Role| {
        recognise(&found, wanted).ok_or_else(|| Error::MissingColumn {
            wanted: wanted.name().into(),
            file: file.clone(),
            found: found.clone(),
            suggestion: nearest(wanted.name(), found.iter().map(String::as_str))
                .map(|n| format!("call `{n}` `{}`", wanted.name()))
                .or_else(|| Some("the columns are annotator and group".into())),
        })
    };
    let (annotator, own) = match (column(Role::Annotator), column(Role::Group)) {
        (Ok(a), Ok(g)) => (a, g),
        (Err(a), Err(g)) => return Err(Error::Several(vec![a, g])),
        (Err(e), _) | (_, Err(e)) => return Err(e),
    };
    let mut names = table.annotators().clone();
    names.thaw();
    let mut out: BTreeMap<String, String> = BTreeMap::new();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let (mut unknown, mut problems): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (n, record) in reader.records().enumerate() {
        let row = n + 1;
        let record = match record {
            Ok(r) => r,
            Err(e) => {
                if let csv::ErrorKind::Io(e) = e.into_kind() {
                    return Err(unreadable(&file, &e));
                }
                problems.push(format!("row {row} cannot be read as text"));
                continue;
            }
        };
        let field = |c: usize| record.get(c).map(str::trim).filter(|t| !t.is_empty());
        let (Some(who), Some(group)) = (field(annotator), field(own)) else {
            // an annotator without a group is on their own
            if field(annotator).is_none() {
                problems.push(format!("row {row} has no annotator"));
            }
            continue;
        };
        if names.get(who).is_none() {
            unknown.push(who.to_owned());
        } else if let Some(other) = out.get(who).filter(|g| *g != group) {
            problems.push(format!(
                "`{}` is in two groups: `{}` in row {} and `{}` in row {row}",
                brief(who),
                brief(other),
                first[who],
                brief(group)
            ));
        } else if out.insert(who.to_owned(), group.to_owned()).is_none() {
            first.insert(who.to_owned(), row);
        }
    }
    refuse(&file, &problems, "every annotator is in one group at most")?;
    if out.is_empty() {
        let what = match unknown.first() {
            Some(name) => format!("has no annotator of the answers (its first is `{}`)", brief(name)),
            None => "has no groups".into(),
        };
        let near = unknown.first().and_then(|name| names.nearest(name)).map(|n| format!("did you mean `{n}`?"));
        let hint = near.or_else(|| Some("check that both files use the same annotator ids".into()));
        return Err(Error::NoData { file, what, hint });
    }
    let mut all: Vec<&String> = out.values().collect();
    all.sort_unstable();
    all.dedup();
    let word = |n: usize, one: &str| format!("{} {one}{}", group(n as u64), if n == 1 { "" } else { "s" });
    let mut notes = vec![format!("{} of {} in {file}", word(all.len(), "group"), word(out.len(), "annotator"))];
    if let Some(name) = unknown.first() {
        let (n, name) = (word(unknown.len(), "annotator"), brief(name));
        notes.push(format!("{n} of {file} without labels left out (the first is `{name}`)"));
    }
    Ok(Read { value: out, notes })
}
