//! The page of a method with its parameters filled in.

use crowdwise_core::{Entry, ParamInfo};
use serde_json::Value;

/// Where a page wants its parameter table.
const PLACE: &str = "<!-- parameters -->";

/// The page of a method, Markdown, with the table of its parameters.
pub fn method_page(entry: &Entry) -> String {
    let table = parameter_table(&entry.params());
    let mut page = if entry.info.doc.contains(PLACE) {
        entry.info.doc.replace(PLACE, &table)
    } else {
        format!("{}\n\n## Parameters\n\n{table}", entry.info.doc.trim_end())
    };
    if !page.ends_with('\n') {
        page.push('\n');
    }
    page
}

fn parameter_table(params: &[ParamInfo]) -> String {
    if params.is_empty() {
        return "It has no parameters.".into();
    }
    let mut rows = vec!["| parameter | takes | default | meaning |".to_owned(), "|---|---|---|---|".to_owned()];
    for p in params {
        let default = match &p.default {
            Value::String(s) => s.clone(),
            Value::Null => "none".into(),
            v => v.to_string(),
        };
        rows.push(format!("| `{}` | {} | `{default}` | {} |", p.name, cell(&p.takes), cell(&p.doc)));
    }
    rows.join("\n")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
