//! Exports of Prodigy: JSON lines with `_input_hash`, `_annotator_id` or `_session_id`, and `answer`.
//!
//! Three interfaces give labels. *Choice*: `accept` lists the chosen options, of which there must be one. *Binary with a
//! label*: the question is whether `label` fits the input, so the item is input and label together, and the classes are
//! `accept` and `reject`. *Binary without a label*: the same of the input alone. `ignore` is no answer.

use crate::ReadOptions;
use crate::collect::{Collector, brief};
use crate::columns::{Layout, Shape};
use crate::json::text_of;
use crowdwise_core::LabelKind;
use serde_json::{Map, Value};

/// How the tasks of a Prodigy export become labels.
#[derive(Clone, Debug)]
pub(crate) struct Prodigy {
    item: String,
    annotators: Vec<String>,
    label: Option<String>,
}

impl Prodigy {
    /// The export, if these objects are one.
    pub fn recognise(objects: &[Map<String, Value>], options: &ReadOptions) -> Option<(Prodigy, Layout)> {
        let first = objects.first()?;
        let hash = ["_input_hash", "_task_hash"].into_iter().find(|k| first.contains_key(*k))?;
        first.get("answer")?;
        let item = options.item.clone().unwrap_or_else(|| hash.into());
        let annotators = match &options.annotator {
            Some(a) => vec![a.clone()],
            None => vec!["_annotator_id".into(), "_session_id".into()],
        };
        let who = annotators.iter().find(|a| first.contains_key(*a)).unwrap_or(&annotators[0]).clone();
        let (how, suffix) = match (&options.label, first.contains_key("accept"), first.contains_key("label")) {
            (Some(l), ..) => (l.clone(), ""),
            (None, true, _) => ("accept".into(), ""),
            (None, false, true) => ("answer".into(), ":label"),
            (None, false, false) => ("answer".into(), ""),
        };
        let layout = Layout {
            shape: Shape::Labels { item: 0, annotator: Some(1), label: 2 },
            kind: options.kind.unwrap_or(LabelKind::Categorical),
            by_values: false,
            names: vec![item.clone(), who.clone(), how.clone()],
            note: format!("columns: item = {item}{suffix}, annotator = {who}, label = {how} (Prodigy export)"),
        };
        Some((Prodigy { item, annotators, label: options.label.clone() }, layout))
    }

    pub fn take(&self, line: u64, task: &Map<String, Value>, out: &mut Collector<'_>) {
        out.tally.total += 1;
        match self.row(task) {
            Ok(Some((item, annotator, label))) => out.label(line, &item, Some(&annotator), &label),
            Ok(None) => out.tally.empty += 1,
            Err(what) => out.tally.bad(line, || what),
        }
    }

    /// Item, annotator and label; nothing if the task was ignored.
    fn row(&self, task: &Map<String, Value>) -> Result<Option<(String, String, String)>, String> {
        let text = |key: &str| match task.get(key) {
            None => Ok(String::new()),
            Some(v) => text_of(v).map_err(|what| format!("`{key}` is {what}")),
        };
        let answer = text("answer")?;
        if !matches!(answer.as_str(), "accept" | "reject" | "ignore") {
            return Err(format!("the answer `{}` is none of accept, reject, ignore", brief(&answer)));
        }
        let mut item = text(&self.item)?;
        let who = self.annotators.iter().find(|a| task.contains_key(*a)).map_or(Ok(String::new()), |a| text(a))?;
        if answer == "ignore" {
            return Ok(None);
        }
        let label = match (&self.label, task.get("accept"), task.get("label")) {
            // A task that was rejected has no answer to the question.
            (Some(_), ..) | (None, Some(_), _) if answer == "reject" => return Ok(None),
            (Some(key), ..) => text(key)?,
            (None, Some(Value::Array(chosen)), _) => match chosen.as_slice() {
                [] => return Ok(None),
                [one] => text_of(one).map_err(|what| format!("the choice is {what}"))?,
                several => return Err(format!("{} options were chosen, expected one", several.len())),
            },
            (None, Some(_), _) => return Err("`accept` is not a list".into()),
            (None, None, Some(_)) => {
                item = format!("{item}:{}", text("label")?);
                answer
            }
            (None, None, None) => answer,
        };
        Ok(Some((item, who, label)))
    }
}
