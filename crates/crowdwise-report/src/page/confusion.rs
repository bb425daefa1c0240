//! Confusion matrices, small multiples.

use super::PageInput;
use super::parts::{class, name};
use crate::chart::{Heat, Tone};
use crate::number::{count, counted, decimal, start};
use crowdwise_core::Annotators;
use crowdwise_core::questions::AnnotatorRow;
use maud::{Markup, html};

/// Maps drawn, and cells in all of them together.
const MOST_MAPS: usize = 24;
const MOST_CELLS: usize = 20_000;
/// With more classes a map says nothing that could be read.
const MOST_CLASSES: usize = 60;

pub fn body(input: &PageInput<'_>) -> Option<Markup> {
    let k = input.inspection.classes;
    if k < 2 {
        return None;
    }
    if k > MOST_CLASSES {
        return Some(html! {
            p { "There are " (count(k)) " classes: confusion matrices are drawn for up to " (MOST_CLASSES) "." }
        });
    }
    let mut rows: Vec<&AnnotatorRow> =
        input.annotators.iter().filter(|r| r.n > 0 && r.confusion.as_ref().is_some_and(|c| c.len() == k * k)).collect();
    if rows.is_empty() {
        return None;
    }
    let all = rows.len();
    rows.sort_by_key(|r| (std::cmp::Reverse(r.n), r.annotator));
    rows.truncate(MOST_MAPS.min(MOST_CELLS / (k * k)).max(1));
    let names: Vec<&str> = (0..k).map(|c| input.class_name(c)).collect();
    // wide enough for the numbers of a map; a map that needs more scrolls
    let width = if k <= 24 { 4.0 + 1.9 * k as f64 } else { 3.4 + 0.57 * k as f64 };
    // one number per annotator makes matrices that say nothing more than that number
    let estimated = matches!(input.fit.annotators, Annotators::Accuracy { .. } | Annotators::Ability { .. });
    let matrices: Vec<Vec<f64>> = rows
        .iter()
        .map(|r| if estimated { from_answers(input, r.annotator, k) } else { r.confusion.clone().unwrap_or_default() })
        .collect();
    Some(html! {
        p {
            "Each row is a true class, each column what the annotator said; a row sums to 1. "
            span.key.b {} "right (the diagonal) "
            span.key.e {} "wrong. "
            @if rows.len() < all {
                "Shown are the " (rows.len()) " of " (count(all)) " annotators with the most labels."
            }
        }
        @if estimated {
            p.note {
                "Counted from the answers, as the method itself knows only how often an annotator is right; "
                "classes that the annotator hardly met are empty."
            }
        }
        @if k > 24 { p.note { "With " (k) " classes, the strength of the colour stands for the number." } }
        @if names.iter().any(|n| n.chars().count() > LABEL_CHARS) {
            p.note { "Classes in order: " @for (c, n) in names.iter().enumerate() { @if c > 0 { ", " } (class(c, n)) } }
        }
        div.maps style={ "--map:" (decimal(width.clamp(9.0, 60.0), 1)) "rem" } {
            @for (r, matrix) in rows.iter().zip(&matrices) { (one(input, r, matrix, &names)) }
        }
    })
}

/// Shares of what an annotator said, by the answers: an item counts for every class by its probability. A class that the
/// annotator met less than half a time has no row.
fn from_answers(input: &PageInput<'_>, j: usize, k: usize) -> Vec<f64> {
    let mut counts = vec![0.0; k * k];
    if let (Some(c), Some((_, posterior))) = (input.data.table.categorical(), input.fit.model_posterior()) {
        let index = input.data.table.by_annotator();
        for (&row, &unit) in index.rows(j).iter().zip(index.units(j)) {
            let said = c.codes.get(row as usize);
            for (truth, p) in posterior[unit as usize * k..(unit as usize + 1) * k].iter().enumerate() {
                counts[truth * k + said] += p;
            }
        }
    }
    for row in counts.chunks_exact_mut(k) {
        let n: f64 = row.iter().sum();
        for v in row {
            *v = if n < 0.5 { f64::NAN } else { *v / n };
        }
    }
    counts
}

const LABEL_CHARS: usize = 9;

fn diagonal(r: usize, c: usize, _: f64) -> Tone {
    if r == c { Tone::Good } else { Tone::Bad }
}

fn one(input: &PageInput<'_>, r: &AnnotatorRow, matrix: &[f64], names: &[&str]) -> Markup {
    let who = input.annotator_name(r.annotator);
    let label = format!("Confusion matrix of {}", crate::number::short(who, 40));
    let map = Heat {
        label: &label,
        rows: names,
        columns: names,
        values: matrix,
        tone: diagonal,
        digits: 2,
        label_chars: LABEL_CHARS,
        shorten: start,
    };
    html! {
        figure {
            figcaption {
                b { (name(who)) } br;
                (counted(r.n as usize, "label", "labels"))
                @if let Some(a) = r.accuracy { ", accuracy " (decimal(a, 2)) }
            }
            div.wide { (map.draw()) }
        }
    }
}
