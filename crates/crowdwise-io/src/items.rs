//! Items files: the universe of items, or the order of the rows of a feature matrix.

use crate::collect::{brief, count, is_blank};
use crate::delimited::{line_of, not_utf8, reader};
use crate::roles::{Role, recognise};
use crate::sniff::check_text;
use crate::{Format, Read, Source};
use crowdwise_core::{Error, Names};

/// Reads the ids of items, in the order of the file: a list, or the item column of a table.
///
/// The first row is a header if one of its fields is a usual name of an item column; otherwise the first column is taken.
pub fn read_items(source: &Source) -> Result<Read<Vec<String>>, Error> {
    let file = source.name();
    let known = source.format();
    let delimiter = match known {
        Some(Format::Tsv) => b'\t',
        None | Some(Format::Csv) => b',',
        Some(other) => {
            return Err(Error::Unsupported {
                what: format!("{file}: items cannot be read from {} files", other.name()),
                hint: Some("give a CSV file with a column `item`, or one id per line".into()),
            });
        }
    };
    // names take room in the table of names, too
    let text = source.read_whole(16)?;
    check_text(&text, true, &file)?;
    let bytes = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let mut names = Names::new();
    let mut column = 0;
    let mut note = None;
    let (mut blank, mut twice) = (0u64, Vec::new());
    let mut rows = reader(bytes, delimiter);
    let mut record = csv::ByteRecord::new();
    let mut first = true;
    while rows.read_byte_record(&mut record).unwrap_or(false) {
        let line = line_of(&record, bytes);
        let fields: Vec<&str> =
            record.iter().map(std::str::from_utf8).collect::<Result<_, _>>().map_err(|_| not_utf8(&file, line, 1))?;
        if std::mem::take(&mut first) {
            if let Some(c) = recognise(&fields, Role::Item) {
                column = c;
                note = Some(format!("items of {file}: column {}", fields[c]));
                continue;
            }
            if fields.len() > 1 {
                note = Some(format!("items of {file}: first column, no header"));
            }
        }
        match fields.get(column) {
            Some(name) if !is_blank(name) => {
                let before = names.len();
                names.intern(name);
                if names.len() == before {
                    twice.push(format!("`{}` (line {line})", brief(name)));
                }
            }
            _ => blank += 1,
        }
    }
    if !twice.is_empty() {
        let (n, more) = (twice.len(), if twice.len() > 5 { ", …" } else { "" });
        twice.truncate(5);
        return Err(Error::BadData {
            file,
            what: format!("{} more than once: {}{more}", count(n as u64, "item"), twice.join(", ")),
            hint: Some("an items file must list each item once".into()),
        });
    }
    if names.is_empty() {
        return Err(Error::NoData { file, what: "has no items".into(), hint: None });
    }
    let mut notes: Vec<String> = note.into_iter().collect();
    if blank > 0 {
        notes.push(format!("{} of {file} without an item left out", count(blank, "row")));
    }
    Ok(Read { value: names.iter().map(str::to_owned).collect(), notes })
}
