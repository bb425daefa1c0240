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
            status: None,
        };
        Some((Prodigy { item, annotators, label: options.label.clone() }, layout))
    }

    pub fn take(&self, line: u64, task: &Map<String, Value>, out: &mut Collector<'_>) {
        out.tally.total += 1;
        match self.row(task) {
            Ok((item, annotator, Some(label))) => out.label(line, &item, Some(&annotator), &label),
            Ok((item, _, None)) => out.no_label(line, &item, None),
            Err(what) => out.tally.bad(line, || what),
        }
    }

    /// Item, annotator and label; no label if the task was ignored.
    fn row(&self, task: &Map<String, Value>) -> Result<(String, String, Option<String>), String> {
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
        let choice = self.label.is_some() || task.contains_key("accept");
        if !choice && task.contains_key("label") {
            item = format!("{item}:{}", text("label")?);
        }
        // A choice that was rejected has no answer to the question.
        if answer == "ignore" || (choice && answer == "reject") {
            return Ok((item, who, None));
        }
        let label = match (&self.label, task.get("accept")) {
            (Some(key), _) => text(key)?,
            (None, Some(Value::Array(chosen))) => match chosen.as_slice() {
                [] => return Ok((item, who, None)),
                [one] => text_of(one).map_err(|what| format!("the choice is {what}"))?,
                several => return Err(format!("{} options were chosen, expected one", several.len())),
            },
            (None, Some(_)) => return Err("`accept` is not a list".into()),
            (None, None) => answer,
        };
        Ok((item, who, Some(label)))
    }
}
