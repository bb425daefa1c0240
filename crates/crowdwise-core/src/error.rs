//! The one error type. Codes are a promise; messages may improve.

use crate::LabelKind;
use crate::hint::{Syntax, spell};
use std::fmt::Write;

/// A row that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct BadRow {
    pub line: u64,
    pub what: String,
}

/// What can go wrong before or during a fit. Every message names the thing and the place; [`Error::hint`] the next step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("no column `{wanted}` in {file} (found: {})", list(found))]
    MissingColumn { wanted: String, file: String, found: Vec<String>, suggestion: Option<String> },
    #[error("`{name}` is {value}, but must be {must}")]
    BadParameter { name: String, value: String, must: String },
    #[error("{method} has no parameter `{name}`")]
    UnknownParameter { method: String, name: String, nearest: Option<String>, all: Vec<String> },
    #[error("there is no {what} `{name}`")]
    Unknown { what: &'static str, name: String, nearest: Option<String>, hint: Option<String> },
    #[error("{method} needs {} labels, but {file} has {has} ones", or(needs))]
    WrongLabelKind { method: String, needs: Vec<LabelKind>, has: LabelKind, file: String },
    #[error("{} of {} rows of {file} could not be read: {}", group(*bad), group(*total), rows(*bad, examples))]
    BadRows { file: String, bad: u64, total: u64, examples: Vec<BadRow> },
    #[error("{file} could not be read: {what}")]
    Unreadable { file: String, what: String, hint: Option<String> },
    #[error("{file} {what}")]
    NoData { file: String, what: String, hint: Option<String> },
    #[error("{file}: {what}")]
    BadData { file: String, what: String, hint: Option<String> },
    #[error("{file} could not be written: {what}")]
    Unwritable { file: String, what: String },
    #[error("too large: {what}")]
    TooLarge { what: String },
    #[error("{what}")]
    NotFinite { what: String, hint: String },
    #[error("{what}")]
    Unsupported { what: String, hint: Option<String> },
    #[error("{what}")]
    Usage { what: String, hint: Option<String> },
    #[error("interrupted before the first result")]
    Interrupted,
    #[error("{}", several(.0))]
    Several(Vec<Error>),
}

impl Error {
    /// Stable kebab-case name of the kind of problem.
    pub fn code(&self) -> &'static str {
        match self {
            Error::MissingColumn { .. } => "missing-column",
            Error::BadParameter { .. } => "bad-parameter",
            Error::UnknownParameter { .. } => "unknown-parameter",
            Error::Unknown { .. } => "unknown-name",
            Error::WrongLabelKind { .. } => "wrong-label-kind",
            Error::BadRows { .. } => "bad-rows",
            Error::Unreadable { .. } => "unreadable",
            Error::NoData { .. } => "no-data",
            Error::BadData { .. } => "bad-data",
            Error::Unwritable { .. } => "unwritable",
            Error::TooLarge { .. } => "too-large",
            Error::NotFinite { .. } => "not-finite",
            Error::Unsupported { .. } => "unsupported",
            Error::Usage { .. } => "usage",
            Error::Interrupted => "interrupted",
            Error::Several(all) => all.first().map_or("several", Error::code),
        }
    }

    /// What to do about it, in the words of the command line.
    pub fn hint(&self) -> Option<String> {
        self.hint_for(Syntax::Command)
    }

    /// What to do about it, in the words of a front end.
    pub fn hint_for(&self, syntax: Syntax) -> Option<String> {
        if let Error::Several(all) = self {
            let hints: Vec<String> = all.iter().filter_map(|e| e.hint_for(syntax)).collect();
            return (!hints.is_empty()).then(|| hints.join("; "));
        }
        self.marked().map(|text| spell(&text, syntax))
    }

    /// The hint with its marks.
    fn marked(&self) -> Option<String> {
        match self {
            Error::MissingColumn { suggestion, .. } => suggestion.clone(),
            Error::UnknownParameter { nearest: Some(n), .. } | Error::Unknown { nearest: Some(n), .. } => {
                Some(format!("did you mean `{n}`?"))
            }
            Error::UnknownParameter { all, .. } if all.is_empty() => Some("it has no parameters".into()),
            Error::UnknownParameter { all, .. } => Some(format!("it has {}", all.join(", "))),
            Error::Unknown { hint, .. }
            | Error::Unreadable { hint, .. }
            | Error::NoData { hint, .. }
            | Error::BadData { hint, .. }
            | Error::Unsupported { hint, .. }
            | Error::Usage { hint, .. } => hint.clone(),
            Error::WrongLabelKind { needs, has, .. } => match (needs.as_slice(), has) {
                ([LabelKind::Categorical], LabelKind::Real) => {
                    Some("⟦--kind categorical⟧ if the numbers are codes".into())
                }
                ([LabelKind::Real], LabelKind::Categorical) => Some("⟦--kind real⟧ if the labels are amounts".into()),
                _ => Some(format!("⟦crowdwise methods⟧ lists the methods for {has} labels")),
            },
            Error::NotFinite { hint, .. } => Some(hint.clone()),
            Error::TooLarge { .. } => Some("⟦--max-memory SIZE⟧ allows more".into()),
            Error::BadRows { .. } => {
                Some("correct these lines, or pass ⟦--skip-bad-rows⟧ to leave them out (counted)".into())
            }
            _ => None,
        }
    }

    /// One error from any number of problems; `Ok` if there are none.
    pub fn all(mut problems: Vec<Error>) -> Result<(), Error> {
        match problems.len() {
            0 => Ok(()),
            1 => Err(problems.remove(0)),
            _ => Err(Error::Several(problems)),
        }
    }
}

/// Collects the bad values of a parameter set, so that all are reported at once.
#[derive(Debug, Default)]
pub struct Problems(pub Vec<Error>);

impl Problems {
    /// Notes a bad value unless `good`. `must` completes "must be …".
    pub fn require(&mut self, good: bool, name: &str, value: impl std::fmt::Display, must: &str) {
        if !good {
            self.0.push(Error::BadParameter { name: name.into(), value: value.to_string(), must: must.into() });
        }
    }

    /// A finite number of at least `low`.
    pub fn at_least(&mut self, name: &str, value: f64, low: f64) {
        self.require(value.is_finite() && value >= low, name, value, &format!("a number of at least {low}"));
    }

    /// A finite number greater than 0.
    pub fn positive(&mut self, name: &str, value: f64) {
        self.require(value.is_finite() && value > 0.0, name, value, "greater than 0");
    }

    /// A number strictly between `low` and `high`.
    pub fn between(&mut self, name: &str, value: f64, low: f64, high: f64) {
        self.require(value > low && value < high, name, value, &format!("greater than {low} and less than {high}"));
    }

    /// A number from `low` to `high`, both allowed.
    pub fn within(&mut self, name: &str, value: f64, low: f64, high: f64) {
        self.require((low..=high).contains(&value), name, value, &format!("a number from {low} to {high}"));
    }

    /// A count of at least 1.
    pub fn count(&mut self, name: &str, value: usize) {
        self.require(value >= 1, name, value, "at least 1");
    }
}

fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    quoted.join(", ")
}

fn or(kinds: &[LabelKind]) -> String {
    kinds.iter().map(|k| k.name()).collect::<Vec<_>>().join(" or ")
}

fn rows(bad: u64, examples: &[BadRow]) -> String {
    let mut out = String::new();
    for (n, row) in examples.iter().enumerate() {
        let sep = if n == 0 { "" } else { ", " };
        let _ = write!(out, "{sep}line {} ({})", row.line, row.what);
    }
    if bad > examples.len() as u64 {
        out.push_str(", …");
    }
    out
}

/// 10412 as "10 412".
pub fn group(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

fn several(all: &[Error]) -> String {
    let lines: Vec<String> = all.iter().map(|e| format!("- {e}")).collect();
    format!("{} problems:\n{}", all.len(), lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_thing_the_place_and_the_next_step() {
        let e = Error::MissingColumn {
            wanted: "worker".into(),
            file: "votes.csv".into(),
            found: vec!["task".into(), "rater".into()],
            suggestion: Some("⟦--annotator rater⟧".into()),
        };
        assert_eq!(e.to_string(), "no column `worker` in votes.csv (found: `task`, `rater`)");
        assert_eq!((e.code(), e.hint().as_deref()), ("missing-column", Some("--annotator rater")));
        assert_eq!(e.hint_for(Syntax::Python).as_deref(), Some("annotator=\"rater\""));
        let mut p = Problems::default();
        p.positive("tol", 0.0);
        p.count("max_iter", 0);
        let e = Error::all(p.0).unwrap_err();
        assert_eq!(e.code(), "bad-parameter");
        assert!(e.to_string().contains("`tol` is 0, but must be greater than 0"));
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([group(3), group(10412), group(1_000_000)], ["3", "10 412", "1 000 000"]);
    }
}
