//! A fit as one JSON object: what `crowdwise fit --format json` prints and `-o fit.json` keeps.
//!
//! Field names are a promise; [`SCHEMA`] counts their changes. Rows of labels are written one at a time straight from
//! the fit, so that millions of them need no memory of their own.

mod check;
mod fairness;
mod labels;
mod leaderboard;
mod start;

pub use fairness::{
    AnnotatorFairnessEntry, ClassFairnessEntry, FairnessEntry, GapEntry, GroupEntry, GroupRatesEntry, RateEntry,
};
pub use labels::{LabelEntry, LabelRows, Labels, place};
pub use leaderboard::{LeaderRow, leaderboard};

use crowdwise_core::check_version;
use crowdwise_core::questions::{AnnotatorRow, Evaluation, annotators_at};
use crowdwise_core::stats::LEVEL;
use crowdwise_core::{
    Annotators, Dataset, Error, Finding, Fit, LabelKind, Objective, Severity, Statistic, Stop, Subject, Syntax,
    TracePoint,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Version of the JSON that Crowdwise writes. Raised when a field changes its name or meaning, not when one is added.
pub const SCHEMA: u32 = 1;

/// Beyond this many classes a confusion matrix is written only if the method estimated one: its K x K numbers per
/// annotator would say nothing that the accuracy does not.
const MAX_PROJECTED_CLASSES: usize = 64;

/// A whole fit with its labels, annotators and findings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = ""))]
pub struct FitDocument<'a> {
    pub schema: u32,
    pub method: String,
    pub params: Value,
    pub seed: u64,
    pub data: DataCounts,
    pub kind: LabelKind,
    /// The classes in the order of every `posterior` and `confusion`.
    pub class_names: Vec<String>,
    pub stop: Stop,
    pub iterations: usize,
    pub objective: Option<Objective>,
    pub elapsed_seconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
    /// How groups of items are treated, where the data have some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<FairnessEntry>,
    /// Share of each class in the model.
    pub class_prior: Option<Vec<f64>>,
    pub findings: Vec<FindingEntry>,
    /// Level of the intervals of annotators and of scores.
    #[serde(default = "usual_level")]
    pub interval_level: f64,
    pub annotators: Vec<AnnotatorEntry>,
    pub labels: Labels<'a>,
    pub trace: Vec<TracePoint>,
    /// Further numbers of the method.
    pub details: serde_json::Map<String, Value>,
    /// Version of Crowdwise that made the fit.
    pub version: String,
    /// Digest of the answers.
    pub digest: String,
}

/// The size of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataCounts {
    pub items: usize,
    pub annotators: usize,
    pub classes: usize,
    pub labels: usize,
}

impl DataCounts {
    pub fn of(data: &Dataset) -> Self {
        let t = &data.table;
        DataCounts { items: t.n_items(), annotators: t.n_annotators(), classes: t.n_classes(), labels: t.n_labels() }
    }
}

/// A finding whose subject is text, e.g. `annotator w3`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingEntry {
    pub code: String,
    pub severity: Severity,
    pub subject: String,
    pub message: String,
    pub advice: String,
    /// The number that it rests on, with its uncertainty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
}

impl From<&Finding> for FindingEntry {
    fn from(f: &Finding) -> Self {
        FindingEntry::spelled(f, Syntax::Command)
    }
}

impl FindingEntry {
    /// A finding with its advice in the words of a front end.
    pub fn spelled(f: &Finding, syntax: Syntax) -> FindingEntry {
        FindingEntry {
            code: f.code.clone(),
            severity: f.severity,
            subject: subject_text(&f.subject),
            message: f.message.clone(),
            advice: f.advice.spelled(syntax),
            statistic: f.statistic.clone(),
        }
    }
}

/// What a finding is about, in words: `data`, `annotator w3`.
pub fn subject_text(subject: &Subject) -> String {
    match subject {
        Subject::Data => "data".into(),
        Subject::Fit => "fit".into(),
        Subject::Annotator(name) => format!("annotator {name}"),
        Subject::Item(name) => format!("item {name}"),
        Subject::Class(name) => format!("class {name}"),
    }
}

/// One annotator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnotatorEntry {
    pub annotator: String,
    /// Labels that everything else here rests on.
    pub n: u64,
    pub accuracy: Option<f64>,
    pub interval: Option<[f64; 2]>,
    pub information_bits: Option<f64>,
    /// P(says l | truth k), one list per true class.
    pub confusion: Option<Vec<Vec<f64>>>,
    pub flags: Vec<String>,
    /// Agreement with the other labels on the same items.
    pub agreement: Option<f64>,
    /// The method's own weight.
    pub weight: Option<f64>,
    pub bias: Option<f64>,
    pub error: Option<f64>,
    /// Real values: standard deviation around truth plus bias.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
}

impl AnnotatorEntry {
    fn new(data: &Dataset, fit: &Fit, row: AnnotatorRow) -> Self {
        let k = data.table.n_classes();
        let own = matches!(fit.annotators, Annotators::Confusion { .. });
        let finite = |x: Option<f64>| x.filter(|x| x.is_finite());
        AnnotatorEntry {
            annotator: data.table.annotators().name(row.annotator).to_owned(),
            n: row.n,
            accuracy: finite(row.accuracy),
            interval: row.interval.filter(|i| i.iter().all(|x| x.is_finite())),
            information_bits: finite(row.information_bits),
            confusion: row
                .confusion
                .filter(|_| k > 0 && (own || k <= MAX_PROJECTED_CLASSES))
                .map(|c| c.chunks(k).map(<[f64]>::to_vec).collect()),
            flags: row.flags,
            agreement: finite(row.agreement),
            weight: finite(row.weight),
            bias: finite(row.bias),
            error: finite(row.error),
            sd: finite(row.sd),
        }
    }
}

/// Documents that do not say it have it.
fn usual_level() -> f64 {
    LEVEL
}

/// The table of annotators as it is written, with intervals at the usual level.
pub fn annotator_entries(data: &Dataset, fit: &Fit) -> Vec<AnnotatorEntry> {
    annotator_entries_at(data, fit, LEVEL)
}

/// The same with intervals at another level, between 0 and 1.
pub fn annotator_entries_at(data: &Dataset, fit: &Fit, level: f64) -> Vec<AnnotatorEntry> {
    annotators_at(data, fit, level).into_iter().map(|row| AnnotatorEntry::new(data, fit, row)).collect()
}

impl<'a> FitDocument<'a> {
    /// The document of a fit. Labels are not copied.
    pub fn new(data: &'a Dataset, fit: &'a Fit, evaluation: Option<Evaluation>, elapsed: Duration) -> Self {
        let classes = data.table.categorical().map(|c| c.classes.iter().map(str::to_owned).collect());
        let p = &fit.provenance;
        FitDocument {
            schema: SCHEMA,
            method: p.method.clone(),
            params: p.params.clone(),
            seed: p.seed,
            data: DataCounts::of(data),
            kind: p.kind,
            class_names: classes.unwrap_or_default(),
            stop: fit.diagnostics.stop,
            iterations: fit.diagnostics.iterations,
            objective: fit.diagnostics.objective.clone(),
            elapsed_seconds: elapsed.as_secs_f64(),
            evaluation,
            fairness: None,
            class_prior: fit.class_prior.clone(),
            findings: fit.findings.iter().map(FindingEntry::from).collect(),
            interval_level: fit.interval_level(),
            annotators: annotator_entries(data, fit),
            labels: Labels::Fit(LabelRows::new(data, fit)),
            trace: fit.diagnostics.trace.clone(),
            details: fit.diagnostics.details.clone(),
            version: p.version.clone(),
            digest: p.digest.clone(),
        }
    }
}

impl FitDocument<'static> {
    /// Reads a document back; `file` is for messages.
    pub fn from_json(bytes: &[u8], file: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Head {
            schema: u32,
            version: Option<String>,
        }
        let bad = |e: &serde_json::Error, hint: &str| Error::BadData {
            file: file.into(),
            what: format!("not a fit that crowdwise wrote ({e})"),
            hint: Some(hint.into()),
        };
        let hint = "⟦crowdwise fit ANSWERS -o fit.json⟧ writes one";
        let head: Head = serde_json::from_slice(bytes).map_err(|e| bad(&e, hint))?;
        if head.schema != SCHEMA {
            return Err(Error::Unsupported {
                what: format!("{file} has schema {}, but this version reads schema {SCHEMA}", head.schema),
                hint: Some("fit again with this version".into()),
            });
        }
        if let Some(Err(what)) = head.version.as_deref().map(check_version) {
            return Err(Error::Unsupported {
                what: format!("{file} {what}"),
                hint: Some("take a newer version of this program, or fit again with this one".into()),
            });
        }
        let document = serde_json::from_slice(bytes).map_err(|e| bad(&e, "the file may be cut off; fit again"))?;
        match check::problem(&document) {
            None => Ok(document),
            Some(what) => Err(Error::BadData {
                file: file.into(),
                what: format!("not a fit as crowdwise writes them: {what}"),
                hint: Some("it was changed or damaged since; fit again".into()),
            }),
        }
    }
}

#[cfg(test)]
mod tests;
