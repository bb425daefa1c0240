//! The questions that would tell most.

use super::PageInput;
use super::parts::{class, name, number_cell};
use crate::number::{counted, decimal};
use maud::{Markup, html};

/// A question to ask, in the words of whoever chose it.
#[derive(Clone, Debug, PartialEq)]
pub struct AskRow {
    /// Number of the item in the table.
    pub item: usize,
    /// Number of the annotator in the table.
    pub annotator: usize,
    /// The likeliest class now.
    pub class: Option<usize>,
    /// Information that the label is expected to bring.
    pub gain_bits: f64,
    pub why: String,
}

pub fn body(input: &PageInput<'_>) -> Option<Markup> {
    let rows = input.questions;
    if rows.is_empty() {
        return None;
    }
    Some(html! {
        div.wide {
            table.full {
                caption {
                    "The " (counted(rows.len(), "question", "questions"))
                    " that would tell most, one per item. A fifth goes to items with few labels, so that a wrong belief cannot keep itself alive."
                }
                thead {
                    tr {
                        th scope="col" { "Item" }
                        th scope="col" { "Annotator" }
                        th scope="col" { "Answer now" }
                        th.r scope="col" { "Bits" }
                        th scope="col" { "Why" }
                    }
                }
                tbody {
                    @for r in rows {
                        tr {
                            th.id scope="row" { (name(input.data.table.items().name(r.item))) }
                            td { (name(input.annotator_name(r.annotator))) }
                            td { @if let Some(c) = r.class { (class(c, input.class_name(c))) } }
                            (number_cell(Some(r.gain_bits), |v| decimal(v, 2)))
                            td { (r.why) }
                        }
                    }
                }
            }
        }
        p.soft { "More of them, with prices, hours and questions that are out: " code { "crowdwise next" } "." }
    })
}
