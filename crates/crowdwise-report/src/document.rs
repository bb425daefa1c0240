//! A fit as one JSON object: what `crowdwise fit --format json` prints and `-o fit.json` keeps.
//!
//! Field names are a promise; [`SCHEMA`] counts their changes. Rows of labels are written one at a time straight from
//! the fit, so that millions of them need no memory of their own.

use crowdwise_core::questions::{AnnotatorRow, Evaluation, LabelView, annotators};
use crowdwise_core::{
    Annotators, Dataset, Error, Finding, Fit, LabelKind, Objective, Severity, Stop, Structure, Subject, TracePoint,
    Truth, stats,
};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::borrow::Cow;
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
    /// Share of each class in the model.
    pub class_prior: Option<Vec<f64>>,
    pub findings: Vec<FindingEntry>,
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
}

impl From<&Finding> for FindingEntry {
    fn from(f: &Finding) -> Self {
        FindingEntry {
            code: f.code.clone(),
            severity: f.severity,
            subject: subject_text(&f.subject),
            message: f.message.clone(),
            advice: f.advice.clone(),
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

/// The table of annotators as it is written.
pub fn annotator_entries(data: &Dataset, fit: &Fit) -> Vec<AnnotatorEntry> {
    annotators(data, fit).into_iter().map(|row| AnnotatorEntry::new(data, fit, row)).collect()
}

/// What is true of one item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LabelEntry<'a> {
    Class {
        item: Cow<'a, str>,
        /// Of a token: the sequence it stands in, and where.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sequence: Option<Cow<'a, str>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<i64>,
        label: Cow<'a, str>,
        probability: f64,
        /// One probability per class, in the order of `class_names`.
        posterior: Cow<'a, [f64]>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        difficulty: Option<f64>,
    },
    Score {
        rank: usize,
        item: Cow<'a, str>,
        score: f64,
        low: Option<f64>,
        high: Option<f64>,
        /// Scores of different components are not comparable.
        component: u32,
    },
    Value {
        item: Cow<'a, str>,
        value: Option<f64>,
        sd: Option<f64>,
    },
}

/// The sequence that a token stands in and its position there; `None` where there are no sequences.
pub fn place(data: &Dataset, unit: usize) -> Option<(&str, i64)> {
    let Structure::Chains { starts, names } = &data.structure else { return None };
    let chain = starts.partition_point(|&s| s <= unit as u64).checked_sub(1).filter(|&c| c < names.len())?;
    let name = names.name(chain);
    // tokens are called `sequence:position`, and positions need not start at 0
    let said = data.table.items().name(unit).strip_prefix(name).and_then(|rest| rest.strip_prefix(':')?.parse().ok());
    Some((name, said.unwrap_or((unit as u64 - starts[chain]) as i64)))
}

/// The labels of a fit, one after the other: by item, or by rank for scores.
#[derive(Clone, Debug)]
pub struct LabelRows<'a> {
    data: &'a Dataset,
    fit: &'a Fit,
    view: LabelView<'a>,
    /// Items by rank, for scores only.
    order: Vec<u32>,
}

impl<'a> LabelRows<'a> {
    pub fn new(data: &'a Dataset, fit: &'a Fit) -> Self {
        let view = LabelView::new(data, fit);
        let order = if let Truth::Scores { .. } = fit.truth {
            let mut order: Vec<u32> = (0..view.len() as u32).collect();
            order.sort_by_key(|&i| {
                let row = view.score_row(i as usize);
                (row.component, row.rank, i)
            });
            order
        } else {
            Vec::new()
        };
        LabelRows { data, fit, view, order }
    }

    pub fn len(&self) -> usize {
        self.view.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row at place `at`.
    pub fn get(&self, at: usize) -> LabelEntry<'a> {
        let items = self.data.table.items();
        let finite = |x: f64| x.is_finite().then_some(x);
        match &self.fit.truth {
            Truth::Classes { .. } => {
                // not the whole row of the view: its entropy would cost more than writing
                let posterior = self.view.posterior(at);
                let best = stats::argmax(posterior);
                let classes = self.data.table.categorical().expect("a fit of classes has a table of classes").classes;
                let place = place(self.data, at);
                LabelEntry::Class {
                    item: items.name(at).into(),
                    sequence: place.map(|p| p.0.into()),
                    position: place.map(|p| p.1),
                    label: classes.name(best).into(),
                    probability: posterior[best],
                    posterior: posterior.into(),
                    difficulty: self.fit.difficulty.as_ref().and_then(|d| finite(d[at])),
                }
            }
            Truth::Real { .. } => {
                let row = self.view.value_row(at);
                LabelEntry::Value { item: items.name(at).into(), value: row.value, sd: row.sd }
            }
            Truth::Scores { .. } => {
                let row = self.view.score_row(self.order[at] as usize);
                LabelEntry::Score {
                    rank: row.rank,
                    item: items.name(row.item).into(),
                    score: row.score,
                    low: finite(row.interval[0]),
                    high: finite(row.interval[1]),
                    component: row.component,
                }
            }
        }
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = LabelEntry<'a>> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// Labels as they lie in a fit, or as they were read back.
#[derive(Clone, Debug)]
pub enum Labels<'a> {
    Fit(LabelRows<'a>),
    Read(Vec<LabelEntry<'static>>),
}

impl Serialize for Labels<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Labels::Read(rows) => rows.serialize(to),
            Labels::Fit(rows) => {
                let mut seq = to.serialize_seq(Some(rows.len()))?;
                for row in rows.iter() {
                    seq.serialize_element(&row)?;
                }
                seq.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Labels<'_> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Labels::Read(Vec::deserialize(from)?))
    }
}

impl Labels<'_> {
    pub fn len(&self) -> usize {
        match self {
            Labels::Fit(rows) => rows.len(),
            Labels::Read(rows) => rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
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
            class_prior: fit.class_prior.clone(),
            findings: fit.findings.iter().map(FindingEntry::from).collect(),
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
        }
        let bad = |e: &serde_json::Error, hint: &str| Error::BadData {
            file: file.into(),
            what: format!("not a fit that crowdwise wrote ({e})"),
            hint: Some(hint.into()),
        };
        let hint = "`crowdwise fit ANSWERS -o fit.json` writes one";
        let head: Head = serde_json::from_slice(bytes).map_err(|e| bad(&e, hint))?;
        if head.schema != SCHEMA {
            return Err(Error::Unsupported {
                what: format!("{file} has schema {}, but this version reads schema {SCHEMA}", head.schema),
                hint: Some("fit again with this version".into()),
            });
        }
        serde_json::from_slice(bytes).map_err(|e| bad(&e, "the file may be cut off; fit again"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{Diagnostics, Preference, Provenance, TableBuilder};

    fn fit_of(data: &Dataset, truth: Truth, annotators: Annotators) -> Fit {
        let t = &data.table;
        Fit {
            truth,
            annotators,
            class_prior: (t.n_classes() > 0).then(|| vec![1.0 / t.n_classes() as f64; t.n_classes()]),
            difficulty: None,
            diagnostics: Diagnostics::direct(),
            findings: vec![Finding::new("spammer", Severity::Problem, Subject::Annotator("b".into()), "m", "a")],
            provenance: Provenance {
                method: "test".into(),
                params: serde_json::json!({"tol": 0.1}),
                seed: 3,
                version: "0".into(),
                kind: t.kind(),
                items: t.n_items(),
                annotators: t.n_annotators(),
                classes: t.n_classes(),
                labels: t.n_labels(),
                digest: "00".into(),
            },
        }
    }

    fn votes() -> Dataset {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (i, a, l) in [("x", "a", "no"), ("x", "b", "yes"), ("y \"q\"", "a", "yes")] {
            b.label(i, a, l).unwrap();
        }
        Dataset::new(b.finish().unwrap())
    }

    #[test]
    fn what_is_written_is_what_is_read_back() {
        let data = votes();
        let matrix = vec![0.9, 0.1, 0.2, 0.8, 0.5, 0.5, 0.5, 0.5];
        let truth = Truth::Classes { k: 2, posterior: vec![0.25, 0.75, 0.1, 0.9] };
        let fit = fit_of(&data, truth, Annotators::Confusion { k: 2, matrix });
        let evaluation = Evaluation { n: 2, accuracy: Some(0.5), ..Evaluation::default() };
        let document = FitDocument::new(&data, &fit, Some(evaluation), Duration::from_millis(1500));
        let text = serde_json::to_string(&document).unwrap();
        let back = FitDocument::from_json(text.as_bytes(), "fit.json").unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), text);

        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["data"], serde_json::json!({"items": 2, "annotators": 2, "classes": 2, "labels": 3}));
        assert_eq!(value["class_names"], serde_json::json!(["no", "yes"]));
        assert_eq!(
            value["labels"][1],
            serde_json::json!({"item": "y \"q\"", "label": "yes", "probability": 0.9, "posterior": [0.1, 0.9]})
        );
        assert_eq!(value["annotators"][0]["confusion"], serde_json::json!([[0.9, 0.1], [0.2, 0.8]]));
        assert_eq!(value["findings"][0]["subject"], "annotator b");
        assert_eq!((&value["stop"], &value["elapsed_seconds"]), (&"direct".into(), &1.5.into()));
        for field in ["schema", "method", "params", "seed", "iterations", "objective"] {
            assert!(value.get(field).is_some(), "{field}");
        }
    }

    #[test]
    fn values_and_scores_have_their_own_rows() {
        let mut b = TableBuilder::new(LabelKind::Real);
        b.value("x", "a", 2.0);
        let data = Dataset::new(b.finish().unwrap());
        let truth = Truth::Real { value: vec![2.0], sd: vec![f64::NAN] };
        let fit = fit_of(&data, truth, Annotators::None);
        let row = LabelRows::new(&data, &fit).get(0);
        assert_eq!(serde_json::to_value(row).unwrap(), serde_json::json!({"item": "x", "value": 2.0, "sd": null}));

        let mut b = TableBuilder::new(LabelKind::Preference);
        b.preference("p", "q", "a", Preference::Right);
        let data = Dataset::new(b.finish().unwrap());
        let truth = Truth::Scores {
            score: vec![-1.0, 1.0],
            interval: vec![[-2.0, 0.0], [0.0, f64::INFINITY]],
            component: vec![0, 0],
        };
        let fit = fit_of(&data, truth, Annotators::None);
        let document = FitDocument::new(&data, &fit, None, Duration::ZERO);
        let text = serde_json::to_string(&document).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let best = serde_json::json!({"rank": 1, "item": "q", "score": 1.0, "low": 0.0, "high": null, "component": 0});
        assert_eq!(value["labels"][0], best);
        assert!(value.get("evaluation").is_none());
        let back = FitDocument::from_json(text.as_bytes(), "fit.json").unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }

    #[test]
    fn tokens_know_their_sequence_and_position() {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (i, l) in [("s:1", "no"), ("s:2", "yes"), ("t", "yes")] {
            b.label(i, "a", l).unwrap();
        }
        let mut data = Dataset::new(b.finish().unwrap());
        assert_eq!(place(&data, 0), None);
        let mut names = crowdwise_core::Names::new();
        names.intern("s");
        names.intern("u");
        data.structure = Structure::Chains { starts: vec![0, 2, 3], names };
        assert_eq!([0, 1, 2].map(|u| place(&data, u)), [Some(("s", 1)), Some(("s", 2)), Some(("u", 0))]);
        let fit = fit_of(&data, Truth::Classes { k: 2, posterior: vec![0.5; 6] }, Annotators::None);
        let text = serde_json::to_string(&FitDocument::new(&data, &fit, None, Duration::ZERO)).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&value["labels"][1]["sequence"], &value["labels"][1]["position"]), (&"s".into(), &2.into()));
        let back = FitDocument::from_json(text.as_bytes(), "fit.json").unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }

    #[test]
    fn other_files_are_refused_in_words() {
        let e = FitDocument::from_json(b"[1, 2]", "x.json").unwrap_err();
        assert_eq!(e.code(), "bad-data");
        let e = FitDocument::from_json(b"{\"schema\": 99}", "x.json").unwrap_err();
        assert_eq!(e.to_string(), "x.json has schema 99, but this version reads schema 1");
        let e = FitDocument::from_json(b"{\"schema\": 1, \"method\": \"mv\"}", "x.json").unwrap_err();
        assert!(e.to_string().contains("missing field"), "{e}");
    }
}
