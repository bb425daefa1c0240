//! Small tables that stand beside the answers: columns found by name, row by row.

use crate::roles::{Role, plain, recognise};
use crate::source::unreadable;
use crate::{Format, Source};
use crowdwise_core::{Error, nearest};
use std::io::Read;

/// A column that is wanted: by what it is usually called, or by the name that was asked for.
pub(crate) struct Wanted<'a> {
    pub role: Option<Role>,
    /// A further usual name.
    pub called: Option<&'static str>,
    pub asked: Option<&'a str>,
}

impl Wanted<'_> {
    pub fn of(role: Role) -> Wanted<'static> {
        Wanted { role: Some(role), called: None, asked: None }
    }

    /// A column that has one name only.
    pub fn called(name: &'static str) -> Wanted<'static> {
        Wanted { role: None, called: Some(name), asked: None }
    }

    fn name(&self) -> &str {
        self.asked.or(self.role.map(Role::name)).or(self.called).unwrap_or_default()
    }

    fn find(&self, header: &[String]) -> Option<usize> {
        if let Some(asked) = self.asked {
            return header.iter().position(|h| h == asked || plain(h) == plain(asked));
        }
        let own = self.called.and_then(|c| header.iter().position(|h| plain(h) == c));
        own.or_else(|| recognise(header, self.role?))
    }
}

/// A CSV file (TSV by its name) whose columns were found. Further columns are left out.
pub(crate) struct Beside {
    pub file: String,
    columns: Vec<usize>,
    reader: csv::Reader<Box<dyn Read>>,
}

impl Beside {
    /// All columns that are missing are told at once; `expected` says what the columns are.
    pub fn open(source: &Source, wanted: &[Wanted<'_>], expected: &str) -> Result<Beside, Error> {
        let file = source.name();
        let delimiter = match source.format() {
            Some(Format::Tsv) => b'\t',
            None | Some(Format::Csv) => b',',
            Some(other) => {
                return Err(Error::Unsupported {
                    what: format!("{file}: {expected} cannot be read from {} files", other.name()),
                    hint: Some("give a CSV or TSV file".into()),
                });
            }
        };
        let bytes: Box<dyn Read> = Box::new(source.open_within(32)?);
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(bytes);
        let header = reader.headers().map_err(|e| match e.into_kind() {
            csv::ErrorKind::Io(e) => unreadable(&file, &e),
            _ => Error::Unreadable { file: file.clone(), what: "its first row is not text".into(), hint: None },
        })?;
        let found: Vec<String> =
            header.iter().map(|h| h.trim_start_matches('\u{feff}').trim().to_lowercase()).collect();
        let (mut columns, mut missing) = (Vec::new(), Vec::new());
        for w in wanted {
            match w.find(&found) {
                Some(c) => columns.push(c),
                None => missing.push(Error::MissingColumn {
                    wanted: w.name().into(),
                    file: file.clone(),
                    found: found.clone(),
                    suggestion: nearest(w.name(), found.iter().map(String::as_str))
                        .map(|n| match w.asked {
                            Some(_) => format!("did you mean `{n}`?"),
                            None => format!("call `{n}` `{}`", w.name()),
                        })
                        .or_else(|| Some(format!("the columns are {expected}"))),
                }),
            }
        }
        Error::all(missing)?;
        Ok(Beside { file, columns, reader })
    }

    /// Calls `each` with the number of the row (from 1) and its fields without blanks around them, `None` where empty.
    /// What it returns is a problem of the row. Gives back all problems.
    pub fn rows(
        mut self,
        mut each: impl FnMut(usize, &[Option<&str>]) -> Option<String>,
    ) -> Result<Vec<String>, Error> {
        let mut problems = Vec::new();
        for (n, record) in self.reader.records().enumerate() {
            let row = n + 1;
            match record {
                Ok(record) => {
                    let field = |c: &usize| record.get(*c).map(str::trim).filter(|t| !t.is_empty());
                    let fields: Vec<Option<&str>> = self.columns.iter().map(field).collect();
                    problems.extend(each(row, &fields));
                }
                Err(e) => {
                    if let csv::ErrorKind::Io(e) = e.into_kind() {
                        return Err(unreadable(&self.file, &e));
                    }
                    problems.push(format!("row {row} cannot be read as text"));
                }
            }
        }
        Ok(problems)
    }
}
