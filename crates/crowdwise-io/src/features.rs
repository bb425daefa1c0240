//! Features: one row of numbers per item, from NumPy, CSV or a folder of images.

use crate::collect::{brief, count};
use crate::delimited::{line_of, reader};
use crate::roles::{Role, recognise};
use crate::sniff::check_text;
use crate::{Read, Source, images, npy};
use crowdwise_core::{BadRow, Error, Features, Table, group};
use std::path::Path;

/// Reads features and puts their rows in the order of the table's items.
///
/// Rows belong to `items` in that order if these are given; a CSV file may name its items itself in a column, and a folder
/// of images does by the names of the files. Without either, row r belongs to the table's item r, and the counts must agree.
pub fn read_features(path: &Path, items: Option<&[String]>, table: &Table) -> Result<Read<Features>, Error> {
    let file = path.display().to_string();
    let mut loaded = load(path, "feature")?;
    if path.is_dir() {
        loaded.items = loaded.items.map(|names| images::as_items(names, table));
    }
    let mut read = align(&loaded.matrix, loaded.items.as_deref().or(items), table, &file, "features")?;
    read.notes.splice(0..0, loaded.notes);
    Ok(read)
}

/// Reads rows of features as they are, with the items that a CSV file or a folder of images names.
pub fn read_feature_rows(path: &Path) -> Result<(Features, Option<Vec<String>>), Error> {
    let Loaded { matrix: m, items, .. } = load(path, "feature")?;
    Ok((Features { dim: m.columns, values: m.values, image: m.image }, items))
}

/// A matrix as it is in a file.
pub(crate) struct Loaded {
    pub matrix: npy::Matrix,
    /// Item of each row, if the file says it.
    pub items: Option<Vec<String>>,
    /// Names of the columns of numbers, if there is a header.
    pub columns: Option<Vec<String>>,
    pub notes: Vec<String>,
}

/// Memory for a byte of a file of features: the text or the raw numbers, and the numbers themselves.
const PER_BYTE: u64 = 3;

/// Reads a matrix of numbers, called `what` in messages; all are finite.
pub(crate) fn load(path: &Path, what: &str) -> Result<Loaded, Error> {
    if path.is_dir() {
        return images::load_folder(path);
    }
    let file = path.display().to_string();
    // "0," is two bytes of text and a number of four
    let bytes = Source::from(path).read_whole(PER_BYTE)?;
    if bytes.is_empty() {
        return Err(Error::NoData { file, what: "is empty".into(), hint: None });
    }
    let loaded = if bytes.starts_with(b"\x93NUMPY") || path.extension().is_some_and(|e| e == "npy") {
        let matrix = npy::parse(&bytes).map_err(|e| e.of(&file))?;
        Loaded { matrix, items: None, columns: None, notes: Vec::new() }
    } else {
        check_text(&bytes, true, &file)?;
        csv_matrix(&bytes, &file)?
    };
    drop(bytes);
    let matrix = &loaded.matrix;
    if matrix.columns == 0 || matrix.rows == 0 {
        return Err(Error::NoData {
            file,
            what: format!("holds {} x {} numbers", matrix.rows, matrix.columns),
            hint: None,
        });
    }
    let bad = matrix.values.iter().position(|x| !x.is_finite());
    if let Some(at) = bad {
        let n = matrix.values.iter().filter(|x| !x.is_finite()).count() as u64;
        return Err(Error::BadData {
            file,
            what: format!(
                "{} not finite, the first in row {}, column {}",
                count(n, what),
                at / matrix.columns + 1,
                at % matrix.columns + 1
            ),
            hint: Some("fill in or leave out what is missing".into()),
        });
    }
    Ok(loaded)
}

/// Rows of the matrix in the order of the table's items; `what` they are in messages.
pub(crate) fn align(
    matrix: &npy::Matrix,
    order: Option<&[String]>,
    table: &Table,
    file: &str,
    what: &str,
) -> Result<Read<Features>, Error> {
    let (n, dim) = (table.n_items(), matrix.columns);
    let mut notes = vec![format!("{what}: {} of {}", count(matrix.rows as u64, "row"), count(dim as u64, "number"))];
    let bad = |what: String, hint: &str| Error::BadData { file: file.into(), what, hint: Some(hint.into()) };
    let Some(order) = order else {
        if matrix.rows != n {
            return Err(bad(
                format!("{} of {what} for {}", count(matrix.rows as u64, "row"), count(n as u64, "item")),
                "say which row is which item with an items file (⟦--items FILE⟧)",
            ));
        }
        notes.push(format!("{what}: rows taken in the order in which items first appear in the answers"));
        return Ok(Read { value: Features { dim, values: matrix.values.clone(), image: matrix.image }, notes });
    };
    if order.len() != matrix.rows {
        return Err(bad(
            format!("{} rows of {what} for {} items in the items file", matrix.rows, order.len()),
            "both must have one row per item, in the same order",
        ));
    }
    let mut lookup = table.items().clone();
    lookup.thaw();
    let mut row_of: Vec<Option<usize>> = vec![None; n];
    let mut unused = 0u64;
    for (row, name) in order.iter().enumerate() {
        match lookup.get(name) {
            Some(i) if row_of[i as usize].is_none() => row_of[i as usize] = Some(row),
            Some(_) => {
                return Err(bad(format!("the item `{}` occurs twice", brief(name)), "leave one row for each item"));
            }
            None => unused += 1,
        }
    }
    let missing: Vec<usize> = (0..n).filter(|&i| row_of[i].is_none()).collect();
    if !missing.is_empty() {
        let names: Vec<String> =
            missing.iter().take(5).map(|&i| format!("`{}`", brief(table.items().name(i)))).collect();
        let more = if missing.len() > 5 { ", …" } else { "" };
        return Err(bad(
            format!(
                "no {what} for {} of {} items: {}{more}",
                group(missing.len() as u64),
                group(n as u64),
                names.join(", ")
            ),
            &format!("every item that has answers needs a row of {what}"),
        ));
    }
    if unused > 0 {
        notes.push(format!("{what} of {} without answers left out", count(unused, "item")));
    }
    let mut values = Vec::with_capacity(n * dim);
    for row in row_of.into_iter().flatten() {
        values.extend_from_slice(&matrix.values[row * dim..(row + 1) * dim]);
    }
    Ok(Read { value: Features { dim, values, image: matrix.image }, notes })
}

/// A CSV of numbers, with or without a header, with or without a column of items.
fn csv_matrix(bytes: &[u8], file: &str) -> Result<Loaded, Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let line = &bytes[..memchr::memchr(b'\n', bytes).unwrap_or(bytes.len())];
    let delimiter = if line.contains(&b'\t') && !line.contains(&b',') { b'\t' } else { b',' };
    let mut rows = reader(bytes, delimiter);
    let mut record = csv::ByteRecord::new();
    let mut item: Option<usize> = None;
    let mut width: Option<usize> = None;
    let mut names = Vec::new();
    let mut header: Option<Vec<String>> = None;
    let mut values: Vec<f32> = Vec::new();
    let (mut bad, mut total, mut examples) = (0u64, 0u64, Vec::new());
    let mut first = true;
    while rows.read_byte_record(&mut record).unwrap_or(false) {
        let line = line_of(&record, bytes);
        let fields: Vec<&str> = record.iter().map(|f| std::str::from_utf8(f).unwrap_or("\u{fffd}")).collect();
        if std::mem::take(&mut first) {
            width = Some(fields.len());
            item = recognise(&fields, Role::Item);
            let numbers = fields.iter().filter(|f| f.trim().parse::<f32>().is_ok()).count();
            if item.is_some() || numbers == 0 {
                let columns = fields.iter().enumerate().filter(|(c, _)| Some(*c) != item);
                header = Some(columns.map(|(_, f)| f.trim().to_owned()).collect());
                continue;
            }
            // No header: a first field that is not a number is an item.
            if fields[0].trim().parse::<f32>().is_err() {
                item = Some(0);
            }
        }
        total += 1;
        let before = values.len();
        let problem = if Some(fields.len()) == width {
            fields.iter().enumerate().filter(|(c, _)| Some(*c) != item).find_map(|(_, f)| {
                match f.trim().parse::<f32>() {
                    Ok(x) => {
                        values.push(x);
                        None
                    }
                    Err(_) => Some(format!("`{}` is not a number", brief(f))),
                }
            })
        } else {
            Some(format!("{} fields, expected {}", fields.len(), width.unwrap_or(0)))
        };
        match problem {
            Some(what) => {
                values.truncate(before);
                bad += 1;
                if examples.len() < 5 {
                    examples.push(BadRow { line, what });
                }
            }
            None => names.extend(item.map(|c| fields[c].to_owned())),
        }
    }
    if bad > 0 {
        return Err(Error::BadRows { file: file.into(), bad, total, examples });
    }
    let columns = width.unwrap_or(0) - usize::from(item.is_some() && width.unwrap_or(0) > 0);
    let matrix = npy::Matrix { rows: total as usize, columns, values, image: None };
    Ok(Loaded { matrix, items: item.map(|_| names), columns: header, notes: Vec::new() })
}
