//! Exports of Label Studio: a JSON array of tasks, each with the annotations of several people.

use crate::ReadOptions;
use crate::collect::{Collector, brief};
use crate::columns::{Layout, Shape};
use crate::json::text_of;
use crowdwise_core::{Error, LabelKind};
use serde_json::{Map, Value};

/// How the annotations of an export become labels.
#[derive(Clone, Debug)]
pub(crate) struct LabelStudio {
    /// A field of the task's data instead of its id.
    item: Option<String>,
    /// The control tag whose results are wanted.
    from: String,
}

/// Control tags whose result is one value for the whole task.
const SUPPORTED: &[&str] = &["choices", "rating", "number", "taxonomy", "pairwise", "textarea"];

fn annotations(task: &Map<String, Value>) -> Option<&Vec<Value>> {
    // Exports of old versions say completions.
    ["annotations", "completions"].iter().find_map(|k| task.get(*k)?.as_array())
}

fn results(annotation: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    annotation.get("result").and_then(Value::as_array).into_iter().flatten().filter_map(|r| {
        let kind = r.get("type")?.as_str()?;
        Some((r.get("from_name").and_then(Value::as_str).unwrap_or(kind), kind, r.get("value")?))
    })
}

impl LabelStudio {
    /// The export, if these objects are one. Several questions in one project need a choice.
    pub fn recognise(
        tasks: &[Map<String, Value>],
        options: &ReadOptions,
        file: &str,
    ) -> Option<Result<(LabelStudio, Layout), Error>> {
        annotations(tasks.first()?)?;
        let mut tags: Vec<(String, String)> = Vec::new();
        let mut others: Vec<String> = Vec::new();
        for annotation in tasks.iter().filter_map(annotations).flatten() {
            for (from, kind, _) in results(annotation) {
                if !SUPPORTED.contains(&kind) {
                    if !others.iter().any(|o| o == kind) {
                        others.push(kind.into());
                    }
                } else if !tags.iter().any(|(f, _)| f == from) {
                    tags.push((from.into(), kind.into()));
                }
            }
        }
        Some(choose(&tags, &others, options, file))
    }

    /// Takes every annotation of a task.
    pub fn take(&self, line: u64, task: &Map<String, Value>, out: &mut Collector<'_>) {
        let Some(annotations) = annotations(task) else {
            out.tally.total += 1;
            return out.tally.bad(line, || "a task without `annotations`".into());
        };
        let field = match &self.item {
            Some(key) => task.get("data").and_then(|d| d.get(key)).or_else(|| task.get(key)),
            None => task.get("id"),
        };
        let item = field.map_or(Ok(String::new()), text_of).unwrap_or_default();
        if annotations.is_empty() {
            // A task that nobody has done yet.
            out.tally.total += 1;
            return out.no_label(line, &item, Some(""));
        }
        for annotation in annotations {
            out.tally.total += 1;
            match self.answer(annotation) {
                Ok(Some(label)) => out.label(line, &item, Some(&person(annotation)), &label),
                Ok(None) => out.no_label(line, &item, None),
                Err(what) => out.tally.bad(line, || what),
            }
        }
    }

    /// The label; nothing if the person skipped the task or left the question open.
    fn answer(&self, annotation: &Value) -> Result<Option<String>, String> {
        let skipped = ["was_cancelled", "skipped"].iter().any(|k| annotation.get(*k) == Some(&Value::Bool(true)));
        if skipped {
            return Ok(None);
        }
        let mut found = None;
        for (_, kind, value) in results(annotation).filter(|(from, ..)| *from == self.from) {
            let label = value_of(kind, value)?;
            if label.is_some() && found.replace(label).is_some_and(|f: Option<String>| f.is_some()) {
                return Err(format!("`{}` was answered more than once in one annotation", self.from));
            }
        }
        Ok(found.flatten())
    }
}

fn value_of(kind: &str, value: &Value) -> Result<Option<String>, String> {
    let inner = match kind {
        "choices" => value.get("choices"),
        "pairwise" => value.get("selected"),
        "textarea" => value.get("text"),
        other => value.get(other),
    };
    let text = |v: &Value| text_of(v).map_err(|what| format!("the answer is {what}"));
    match inner {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(list)) => match list.as_slice() {
            [] => Ok(None),
            // A path in a taxonomy.
            [Value::Array(path)] => Ok(Some(path.iter().map(text).collect::<Result<Vec<_>, _>>()?.join("/"))),
            [one] => text(one).map(Some),
            several => Err(format!("{} choices, expected one", several.len())),
        },
        Some(one) => text(one).map(Some),
    }
}

/// Who it was: the id, or the address where the export has the whole person.
fn person(annotation: &Value) -> String {
    match annotation.get("completed_by") {
        Some(Value::Object(p)) => {
            ["email", "username", "id"].iter().find_map(|k| text_of(p.get(*k)?).ok()).unwrap_or_default()
        }
        Some(v) => text_of(v).unwrap_or_default(),
        None => String::new(),
    }
}

fn choose(
    tags: &[(String, String)],
    others: &[String],
    options: &ReadOptions,
    file: &str,
) -> Result<(LabelStudio, Layout), Error> {
    let names = || tags.iter().map(|(f, _)| f.clone()).collect::<Vec<_>>();
    let (from, kind) = match (&options.label, tags) {
        (Some(name), _) => tags.iter().find(|(f, _)| f == name).ok_or_else(|| Error::MissingColumn {
            wanted: name.clone(),
            file: file.into(),
            found: names(),
            suggestion: crowdwise_core::nearest(name, names().iter().map(String::as_str))
                .map(|n| format!("⟦--label {n}⟧")),
        })?,
        (None, [one]) => one,
        (None, []) if others.is_empty() => {
            return Err(Error::NoData {
                file: file.into(),
                what: "has tasks but no finished annotations".into(),
                hint: None,
            });
        }
        (None, []) => {
            return Err(Error::Unsupported {
                what: format!("{file}: annotations of type {} have no single label", others.join(", ")),
                hint: Some(format!("results of type {} can be read", SUPPORTED.join(", "))),
            });
        }
        (None, several) => {
            let list: Vec<String> = several.iter().map(|(f, k)| format!("`{}` ({k})", brief(f))).collect();
            return Err(Error::BadData {
                file: file.into(),
                what: format!("there are {} questions: {}", several.len(), list.join(", ")),
                hint: Some(format!("choose one, for example ⟦--label {}⟧", several[0].0)),
            });
        }
    };
    let real = kind == "number";
    let item = options.item.clone();
    let shown = item.as_ref().map_or("id".into(), |i| format!("data.{i}"));
    let kind = options.kind.unwrap_or(if real { LabelKind::Real } else { LabelKind::Categorical });
    let layout = Layout {
        shape: Shape::Labels { item: 0, annotator: Some(1), label: 2 },
        kind,
        by_values: false,
        names: vec![shown.clone(), "completed_by".into(), from.clone()],
        note: format!("columns: item = {shown}, annotator = completed_by, label = {from} (Label Studio export)"),
        status: None,
    };
    Ok((LabelStudio { item, from: from.clone() }, layout))
}
