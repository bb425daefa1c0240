//! One row per annotator.

use super::PageInput;
use super::findings::{all, severity_class};
use super::parts::{figure, interval, name, number_cell, sortable};
use crate::chart::{Bins, Histogram, Whisker, axis};
use crate::number::{count, decimal, percent, significant};
use crowdwise_core::questions::AnnotatorRow;
use crowdwise_core::{LabelKind, Severity, Subject};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Rows shown; a page of a hundred thousand rows serves nobody.
const MOST: usize = 500;

/// A column that is shown if any annotator has the number.
struct Column {
    title: &'static str,
    tip: &'static str,
    value: fn(&AnnotatorRow) -> Option<f64>,
    text: fn(f64) -> String,
}

const COLUMNS: [Column; 6] = [
    Column {
        title: "Information",
        tip: "bits that one label tells about the truth",
        value: |r| r.information_bits,
        text: |v| decimal(v, 2),
    },
    Column {
        title: "Agreement",
        tip: "mean share of the other labels on the same items that say the same",
        value: |r| r.agreement,
        text: percent,
    },
    Column { title: "Bias", tip: "mean excess over the estimate", value: real_bias, text: significant },
    Column { title: "Spread", tip: "standard deviation around estimate plus bias", value: |r| r.sd, text: significant },
    Column {
        title: "Weight",
        tip: "the number by which the method ranks annotators",
        value: |r| r.weight,
        text: significant,
    },
    Column {
        title: "Spam score",
        tip: "0: the labels tell nothing; 1: perfect, or perfectly permuted",
        value: |r| r.spammer_score,
        text: |v| decimal(v, 2),
    },
];

/// The bias of a categorical annotator is of another nature and is part of the confusion matrix.
fn real_bias(r: &AnnotatorRow) -> Option<f64> {
    r.bias.filter(|_| r.sd.is_some())
}

pub fn body(input: &PageInput<'_>) -> Option<Markup> {
    if input.annotators.is_empty() {
        return None;
    }
    let mut rows: Vec<&AnnotatorRow> = input.annotators.iter().collect();
    rows.sort_by_key(|r| (std::cmp::Reverse(r.n), r.annotator));
    let left_out = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let columns: Vec<&Column> =
        COLUMNS.iter().filter(|c| rows.iter().any(|r| (c.value)(r).is_some_and(|v| !v.is_nan()))).collect();
    let accuracy = rows.iter().any(|r| r.accuracy.is_some());
    let flags = rows.iter().any(|r| !r.flags.is_empty());
    let severities = severities(input);
    let k = input.inspection.classes;
    let chance = (k > 1).then(|| 1.0 / k as f64);
    Some(html! {
        (distribution(input))
        div.wide {
            table.full.sort {
                caption {
                    (caption(input, accuracy, chance, rows.len(), left_out))
                }
                thead {
                    tr {
                        th scope="col" { span.t { "Annotator" } }
                        th.r scope="col" data-n { span.t { "Labels" } }
                        @if accuracy {
                            th.r scope="col" data-n { span.t { (accuracy_title(input)) } }
                            th scope="col" data-n aria-label={ (accuracy_title(input)) " as a chart" } { (axis((0.0, 1.0))) }
                            th.r scope="col" data-n { span.t { "90 % interval" } }
                        }
                        @for c in &columns { th.r scope="col" data-n title=(c.tip) { span.t { (c.title) } } }
                        @if flags { th scope="col" { span.t { "Flags" } } }
                    }
                }
                tbody {
                    @for r in &rows {
                        tr {
                            th.id scope="row" { (name(input.annotator_name(r.annotator))) }
                            td.r data-v=(r.n) { (count(r.n as usize)) }
                            @if accuracy { (accuracy_cells(r, chance)) }
                            @for c in &columns { (number_cell((c.value)(r), c.text)) }
                            @if flags {
                                td {
                                    @for f in &r.flags {
                                        @let severity = severities.get(f.as_str()).copied().unwrap_or(Severity::Warning);
                                        span class={ "badge " (severity_class(severity)) } { (f.replace('-', " ")) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    })
}

fn accuracy_title(input: &PageInput<'_>) -> &'static str {
    if input.inspection.kind == LabelKind::Preference { "Agrees with ranking" } else { "Accuracy" }
}

fn accuracy_cells(r: &AnnotatorRow, chance: Option<f64>) -> Markup {
    let value = r.accuracy.unwrap_or(f64::NAN);
    let whisker = Whisker { domain: (0.0, 1.0), value, interval: r.interval, reference: chance };
    html! {
        (number_cell(r.accuracy, |v| decimal(v, 3)))
        td data-v=[r.accuracy.map(sortable)] { (whisker.draw()) }
        // sorted by its lower end: who is surely good
        td.r data-v=[r.interval.map(|i| sortable(i[0]))] {
            @if let Some(i) = r.interval { (interval(i, |v| decimal(v, 2))) } @else { "–" }
        }
    }
}

fn caption(input: &PageInput<'_>, accuracy: bool, chance: Option<f64>, shown: usize, left_out: usize) -> Markup {
    html! {
        @if accuracy {
            @if input.inspection.kind == LabelKind::Preference {
                "Agreement with the ranking is the share of an annotator’s choices that the ranking supports. "
            } @else {
                "Accuracy is the expected share of an annotator’s labels that are right, given the fit. "
            }
            "Its interval (90 %) is the error of sampling only. "
            @if let Some(c) = chance { "Dashed line: " (decimal(c, 2)) ", a guess among the classes. " }
        }
        @if left_out > 0 {
            "Shown are the " (count(shown)) " of " (count(shown + left_out))
            " annotators with the most labels; " code { "crowdwise annotators" } " lists all. "
        }
    }
}

/// Severity of each code of a finding about annotators.
fn severities<'a>(input: &PageInput<'a>) -> BTreeMap<&'a str, Severity> {
    all(input)
        .into_iter()
        .filter(|f| matches!(f.subject, Subject::Annotator(_)))
        .map(|f| (f.code.as_str(), f.severity))
        .collect()
}

/// With many annotators, the shape of the whole crowd.
fn distribution(input: &PageInput<'_>) -> Markup {
    let values: Vec<f64> = input.annotators.iter().filter_map(|r| r.accuracy).collect();
    if values.len() < 20 {
        return html! {};
    }
    let bins = Bins::fixed((0.0, 1.0), 25, &values);
    let label = format!("Histogram of the accuracy of {} annotators", count(values.len()));
    let x_title =
        if input.inspection.kind == LabelKind::Preference { "agreement with the ranking" } else { "accuracy" };
    let chart = Histogram { label: &label, bars: &bins, outline: None, x_title, y_title: "annotators" };
    html! {
        @if let Some(chart) = chart.draw() {
            (figure(&html! { b { "All " (count(values.len())) " annotators. " } "Each counts once, however few labels it gave." }, &chart))
        }
    }
}
