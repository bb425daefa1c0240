//! One self-contained page: no request leaves it, it reads well in light, dark and print, with and without scripts.

mod agreement;
mod annotators;
mod answers;
mod asking;
mod confusion;
mod evaluation;
mod findings;
mod items;
mod making;
mod overview;
mod parts;
mod sequences;
#[cfg(test)]
mod tests;

pub use asking::AskRow;

use crowdwise_core::questions::{AnnotatorRow, Comparison, Evaluation, Inspection, ItemOrder, ItemRow};
use crowdwise_core::{Dataset, Fit, Gold};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Everything the page shows.
#[derive(Clone, Debug)]
pub struct PageInput<'a> {
    pub title: String,
    pub data: &'a Dataset,
    pub fit: &'a Fit,
    pub inspection: &'a Inspection,
    pub annotators: &'a [AnnotatorRow],
    /// The hardest items, in the order in which they are to be shown.
    pub items: &'a [ItemRow],
    /// What `items` are ordered by.
    pub items_by: ItemOrder,
    pub evaluation: Option<&'a Evaluation>,
    /// The truth behind `evaluation`; with it the page shows a reliability diagram and which hard items were missed.
    pub truth: Option<&'a Gold>,
    pub comparison: Option<&'a Comparison>,
    /// What to ask next, the best first.
    pub questions: &'a [AskRow],
    /// Time of the fit.
    pub elapsed_seconds: f64,
    /// The command that made the page.
    pub command: Option<String>,
}

impl<'a> PageInput<'a> {
    /// A page without evaluation and comparison; set the other fields as known.
    pub fn new(
        title: impl Into<String>,
        data: &'a Dataset,
        fit: &'a Fit,
        inspection: &'a Inspection,
        annotators: &'a [AnnotatorRow],
        items: &'a [ItemRow],
    ) -> Self {
        PageInput {
            title: title.into(),
            data,
            fit,
            inspection,
            annotators,
            items,
            items_by: ItemOrder::Entropy,
            evaluation: None,
            truth: None,
            comparison: None,
            questions: &[],
            elapsed_seconds: f64::NAN,
            command: None,
        }
    }

    /// The name of class `k`; gold may know classes that the table does not.
    fn class_name(&self, k: usize) -> &str {
        let classes = self.data.table.categorical().map(|c| c.classes);
        let n = classes.map_or(0, crowdwise_core::Names::len);
        match (classes, self.truth) {
            (Some(names), _) if k < n => names.name(k),
            (_, Some(gold)) if k >= n && k - n < gold.extra_classes.len() => gold.extra_classes.name(k - n),
            _ => "?",
        }
    }

    fn annotator_name(&self, j: usize) -> &str {
        self.data.table.annotators().name(j)
    }
}

struct Section {
    id: &'static str,
    title: &'static str,
    body: Option<Markup>,
}

/// The complete page as HTML.
pub fn page(input: &PageInput<'_>) -> String {
    let section = |id, title, body| Section { id, title, body };
    let sections: Vec<Section> = [
        section("overview", "Overview", Some(overview::body(input))),
        section("evaluation", "Against the known truth", evaluation::body(input)),
        section("answers", answers::title(input), answers::body(input)),
        section("agreement", "Agreement between annotators", agreement::body(input)),
        section("annotators", "Annotators", annotators::body(input)),
        section("confusion", "Who mixes up what", confusion::body(input)),
        section("sequences", "Sequences in dispute", sequences::body(input)),
        section("items", "Hardest items", items::body(input)),
        section("asking", "What to ask next", asking::body(input)),
        section("convergence", "Convergence", making::convergence(input)),
        section("methods", "Methods compared", making::comparison(input)),
        section("made", "How this was made", Some(making::body(input))),
    ]
    .into_iter()
    .filter(|s| s.body.is_some())
    .collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ "crowdwise " (input.fit.provenance.version) };
                title { (crate::number::short(&input.title, 120)) }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                header {
                    h1 { (parts::name_of(&input.title, 120)) }
                    nav aria-label="Sections" {
                        ul { @for s in &sections { li { a href={ "#" (s.id) } { (s.title) } } } }
                    }
                }
                main {
                    @for s in &sections {
                        @if let Some(body) = &s.body { (parts::section(s.id, s.title, body)) }
                    }
                }
                footer { "Made by crowdwise " (input.fit.provenance.version) ". This page needs no network." }
                script { (PreEscaped(include_str!("sort.js"))) }
            }
        }
    }
    .into_string()
}
