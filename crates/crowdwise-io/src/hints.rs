//! Why a file has none of the usual columns: it may have no header, or be a wide table.

use crate::ReadOptions;
use crate::collect::brief;
use crate::columns::Purpose;
use crate::roles::{Role, is_usual, recognise};
use crowdwise_core::Error;
use std::collections::HashMap;

/// A file whose columns were not recognised.
pub(crate) struct Unrecognised<'a> {
    pub names: &'a [String],
    /// The first rows.
    pub rows: &'a [Vec<String>],
    /// The names are the first line of the file, which might be a row.
    pub from_first_line: bool,
    pub options: &'a ReadOptions,
    pub purpose: Purpose,
    pub file: &'a str,
}

impl Unrecognised<'_> {
    /// A better explanation of missing columns, if there is one.
    pub fn explain(&self, error: Error) -> Error {
        let all = match &error {
            Error::Several(all) => all.as_slice(),
            one => std::slice::from_ref(one),
        };
        let missing =
            |role: &str| all.iter().any(|e| matches!(e, Error::MissingColumn { wanted, .. } if wanted == role));
        if error.code() != "missing-column" {
            return error;
        }
        if self.from_first_line && self.is_row() {
            return self.no_header();
        }
        if self.purpose == Purpose::Answers && missing("annotator") && missing("label") && self.is_wide() {
            return Error::MissingColumn {
                wanted: "annotator".into(),
                file: self.file.into(),
                found: self.names.to_vec(),
                suggestion: Some(
                    "this looks like a wide table, with one column for each annotator: try ⟦--wide⟧".into(),
                ),
            };
        }
        error
    }

    fn no_header(&self) -> Error {
        let first: Vec<String> = self.names.iter().take(6).map(|n| format!("`{}`", brief(n))).collect();
        let mut example = match self.purpose {
            Purpose::Answers => vec!["item", "annotator", "label"],
            Purpose::Truth(_) => vec!["item", "label"],
        };
        example.resize(self.names.len().max(example.len()), "other");
        let example = example.join(",");
        Error::BadData {
            file: self.file.into(),
            what: format!("its first line looks like a row, not like a header: {}", first.join(", ")),
            hint: Some(match self.purpose {
                Purpose::Answers => format!("name the columns in their order, for example ⟦--columns {example}⟧"),
                Purpose::Truth(_) => format!("write the names of the columns above it, for example {example}"),
            }),
        }
    }

    /// Whether the first line is like the others: none of its fields is a usual name, and its first field is found
    /// again below it or has the same form (`img_0017` and `img_0018`).
    fn is_row(&self) -> bool {
        let o = self.options;
        let named = [&o.item, &o.annotator, &o.label].into_iter().any(Option::is_some);
        if named || self.names.iter().any(|n| is_usual(n)) {
            return false;
        }
        let like = |column: usize| {
            let Some(first) = self.names.get(column).filter(|n| !n.is_empty()) else { return false };
            let below: Vec<&String> = self.rows.iter().filter_map(|r| r.get(column)).collect();
            let same = below.iter().filter(|v| form(v) == form(first)).count();
            below.contains(&first) || (form(first).contains('9') && same * 2 > below.len())
        };
        like(0)
    }

    /// Whether the columns other than the first hold values of one kind: numbers, or words that several of them use.
    fn is_wide(&self) -> bool {
        let item = recognise(self.names, Role::Item).unwrap_or(0);
        let mut where_used: HashMap<&str, (usize, bool)> = HashMap::new();
        let mut cells: Vec<&str> = Vec::new();
        for row in self.rows.iter().filter(|r| r.len() == self.names.len()) {
            for (c, value) in row.iter().enumerate().filter(|(c, v)| *c != item && !v.is_empty()) {
                let (first, shared) = where_used.entry(value.as_str()).or_insert((c, false));
                *shared |= *first != c;
                cells.push(value);
            }
        }
        let numbers = cells.iter().all(|v| v.parse::<f64>().is_ok());
        let shared = cells.iter().filter(|v| where_used[**v].1).count();
        self.names.len() > 2 && !cells.is_empty() && (numbers || shared * 2 >= cells.len())
    }
}

/// A text with every run of digits as one 9.
fn form(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_digit() => {
                if !out.ends_with('9') {
                    out.push('9');
                }
            }
            c => out.push(c),
        }
    }
    out
}
