//! Known classes of rows of features: by row number, by item, or simply in order.

use crate::collect::{brief, count};
use crate::delimited::{line_of, reader};
use crate::roles::{Role, recognise};
use crate::sniff::check_text;
use crate::{Read, Source};
use crowdwise_core::{BadRow, Error, group};
use std::collections::HashMap;

/// What the rows of a file of truth are known by.
#[derive(Clone, Copy, PartialEq)]
enum Key {
    /// A column `row`: numbers from 0.
    Row(usize),
    /// A column of items.
    Item(usize),
    Order,
}

/// Reads the class of each of `rows` rows of features. A column `row` counts them from 0; a column of items needs `items`,
/// the item of every row; a file with neither has one class a line, in order. Rows without truth are `None`, which only
/// truth by item may leave.
pub fn read_row_truth(
    source: &Source,
    rows: usize,
    items: Option<&[String]>,
) -> Result<Read<Vec<Option<String>>>, Error> {
    let file = source.name();
    // a class of one letter becomes a text of its own
    let bytes = source.read_whole(16)?;
    check_text(&bytes, true, &file)?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    let delimiter = if text[..end].contains(&b'\t') && !text[..end].contains(&b',') { b'\t' } else { b',' };
    let mut records = reader(text, delimiter);
    let mut record = csv::ByteRecord::new();
    let place: HashMap<&str, usize> =
        items.unwrap_or_default().iter().enumerate().map(|(r, name)| (name.as_str(), r)).collect();
    let mut out: Vec<Option<String>> = vec![None; rows];
    let mut key = Key::Order;
    let (mut label, mut total, mut bad) = (0, 0u64, Vec::new());
    let mut first = true;
    while records.read_byte_record(&mut record).unwrap_or(false) {
        let line = line_of(&record, text);
        let fields: Vec<&str> = record.iter().map(|f| std::str::from_utf8(f).unwrap_or("\u{fffd}")).collect();
        if std::mem::take(&mut first) {
            let header = columns(&fields);
            if let Some((k, l)) = header {
                (key, label) = (k, l);
                if matches!(key, Key::Item(_)) && items.is_none() {
                    return Err(Error::BadData {
                        file,
                        what: "it names items, but the rows of the test features have no names".into(),
                        hint: Some(
                            "⟦--test-items FILE⟧ says which row is which item; or give a column `row` (from 0)".into(),
                        ),
                    });
                }
                continue;
            }
            if fields.len() > 1 {
                return Err(Error::MissingColumn {
                    wanted: "row".into(),
                    file,
                    found: fields.iter().map(|f| brief(f)).collect(),
                    suggestion: Some(
                        "truth of rows has the columns row,label or item,label, or one class a line".into(),
                    ),
                });
            }
        }
        total += 1;
        let at = match key {
            Key::Order => Ok(total as usize - 1),
            Key::Row(c) => match fields.get(c).map(|f| f.trim().parse::<usize>()) {
                Some(Ok(r)) => Ok(r),
                _ => Err(format!("`{}` is not a row number", brief(fields.get(c).copied().unwrap_or_default()))),
            },
            Key::Item(c) => {
                let name = fields.get(c).copied().unwrap_or_default();
                place.get(name).copied().ok_or_else(|| format!("`{}` is not an item of the test features", brief(name)))
            }
        };
        let class = fields.get(label).map_or("", |f| f.trim());
        let problem = match at {
            Err(what) => Some(what),
            Ok(r) if r >= rows => {
                Some(format!("row {r} of {} rows of test features, counted from 0", group(rows as u64)))
            }
            Ok(_) if class.is_empty() => Some("no class".into()),
            Ok(r) => match &out[r] {
                Some(old) if old != class => Some(format!("`{}` here and `{}` before", brief(class), brief(old))),
                Some(_) if key == Key::Order => None,
                _ => {
                    out[r] = Some(class.to_owned());
                    None
                }
            },
        };
        bad.extend(problem.map(|what| BadRow { line, what }));
    }
    if !bad.is_empty() {
        let n = bad.len() as u64;
        bad.truncate(5);
        return Err(Error::BadRows { file, bad: n, total, examples: bad });
    }
    let known = out.iter().flatten().count();
    if known == 0 || (known < rows && !matches!(key, Key::Item(_))) {
        return Err(Error::BadData {
            file,
            what: format!("truth of {} for {} of test features", count(known as u64, "row"), count(rows as u64, "row")),
            hint: Some(
                "both must belong together; truth by item (`item,label` and ⟦--test-items⟧) may be incomplete".into(),
            ),
        });
    }
    let mut notes = Vec::new();
    if known < rows {
        notes.push(format!("{} of test features without truth left out", count((rows - known) as u64, "row")));
    }
    Ok(Read { value: out, notes })
}

/// The columns of a header, if the fields are one.
fn columns(fields: &[&str]) -> Option<(Key, usize)> {
    let row = fields.iter().position(|f| ["row", "index"].contains(&f.trim().to_lowercase().as_str()));
    let key = match (row, recognise(fields, Role::Item)) {
        (Some(c), _) => Key::Row(c),
        (None, Some(c)) => Key::Item(c),
        (None, None) if fields.len() == 1 => Key::Order,
        (None, None) => return None,
    };
    let label = recognise(fields, Role::Truth)?;
    Some((key, label))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, rows: usize, items: Option<&[&str]>) -> Result<Read<Vec<Option<String>>>, Error> {
        let source = Source::Memory { name: "t.csv".into(), bytes: text.as_bytes().into() };
        let items: Option<Vec<String>> = items.map(|i| i.iter().map(|&s| s.into()).collect());
        read_row_truth(&source, rows, items.as_deref())
    }

    fn classes(r: Result<Read<Vec<Option<String>>>, Error>) -> Vec<String> {
        r.unwrap().value.into_iter().map(|c| c.unwrap_or_else(|| "-".into())).collect()
    }

    #[test]
    fn by_row_by_item_and_in_order() {
        assert_eq!(classes(read("row,label\n1,b\n0,a\n", 2, None)), ["a", "b"]);
        assert_eq!(classes(read("label\na\nb\n", 2, None)), ["a", "b"]);
        assert_eq!(classes(read("a\nb\n", 2, None)), ["a", "b"]);
        assert_eq!(classes(read("item,truth\ny,b\nx,a\n", 3, Some(&["x", "y", "z"]))), ["a", "b", "-"]);
        let notes = read("item,truth\ny,b\nx,a\n", 3, Some(&["x", "y", "z"])).unwrap().notes;
        assert_eq!(notes, ["1 row of test features without truth left out"]);
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let text = |r: Result<_, Error>| r.err().map(|e: Error| e.to_string()).unwrap_or_default();
        assert!(text(read("row,label\n0,a\n", 2, None)).contains("truth of 1 row for 2 rows"));
        assert!(text(read("row,label\n0,a\n5,b\n", 2, None)).contains("row 5 of 2 rows"));
        assert!(text(read("row,label\nx,a\n0,b\n", 2, None)).contains("`x` is not a row number"));
        assert!(text(read("item,label\nx,a\n", 1, None)).contains("have no names"));
        assert!(text(read("item,label\nq,a\n", 1, Some(&["x"]))).contains("`q` is not an item"));
        assert!(text(read("row,label\n0,a\n0,b\n", 1, None)).contains("`b` here and `a` before"));
        assert!(text(read("a,b\nc,d\n", 2, None)).contains("no column `row`"));
        assert!(text(read("label\na\nb\nc\n", 2, None)).contains("row 2 of 2 rows"));
    }
}
