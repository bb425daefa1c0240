//! One row per annotator.

use super::PageInput;
use super::findings::{all, severity_class};
use super::parts::{figure, interval, name, number_cell, sortable};
use crate::chart::{Bins, Histogram, NARROW, WIDE, Whiskers};
use crate::number::{common_digits, count, decimal, percent};
use crowdwise_core::questions::AnnotatorRow;
use crowdwise_core::{Annotators, LabelKind, Severity};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Rows shown; a page of a hundred thousand rows serves nobody.
const MOST: usize = 500;

/// A column that is shown if any annotator has the number.
struct Column {
    title: &'static str,
    tip: &'static str,
    value: fn(&AnnotatorRow) -> Option<f64>,
    text: Text,
}

/// How the numbers of a column are written.
#[derive(Clone, Copy)]
enum Text {
    Percent,
    Decimals(usize),
    /// As many decimals as the column needs.
    Common,
}

const COLUMNS: [Column; 6] = [
    Column {
        title: "Information",
        tip: "bits that one label tells about the truth",
        value: |r| r.information_bits,
        text: Text::Decimals(2),
    },
    Column {
        title: "Agreement",
        tip: "mean share of the other labels on the same items that say the same",
        value: |r| r.agreement,
        text: Text::Percent,
    },
    Column { title: "Bias", tip: "mean excess over the estimate", value: real_bias, text: Text::Common },
    Column {
        title: "Spread",
        tip: "standard deviation around estimate plus bias",
        value: |r| r.sd,
        text: Text::Common,
    },
    Column {
        title: "Weight",
        tip: "the number by which the method ranks annotators",
        value: |r| r.weight,
        text: Text::Common,
    },
    Column {
        title: "Spammer score",
        tip: "0 if the labels tell nothing, 1 if they are perfect or perfectly permuted",
        value: |r| r.spammer_score,
        text: Text::Decimals(2),
    },
];

impl Text {
    fn write(self, v: f64, common: usize) -> String {
        match self {
            Text::Percent => percent(v),
            Text::Decimals(d) => decimal(v, d),
            Text::Common => decimal(v, common),
        }
    }
}

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
    // the weight of a confusion matrix or an accuracy is told by the other columns
    let own_weight = matches!(
        input.fit.annotators,
        Annotators::Weight { .. } | Annotators::Competence { .. } | Annotators::Ability { .. }
    );
    let columns: Vec<&Column> = columns.into_iter().filter(|c| own_weight || c.title != "Weight").collect();
    let digits: Vec<usize> = columns.iter().map(|c| common_digits(rows.iter().filter_map(|r| (c.value)(r)))).collect();
    let accuracy = rows.iter().any(|r| r.accuracy.is_some());
    let flags = rows.iter().any(|r| !r.flags.is_empty());
    let severities = severities(input);
    let k = input.inspection.classes;
    let chance = (k > 1).then(|| 1.0 / k as f64);
    let biases = bias_domain(&rows);
    let whiskers = Whiskers { width: NARROW, domain: (0.0, 1.0), reference: chance };
    Some(html! {
        (distribution(input))
        div.wide {
            table.full.sort {
                caption {
                    (caption(input, accuracy, biases.is_some(), chance, &columns, rows.len(), left_out))
                }
                thead {
                    tr {
                        th scope="col" { span.t { "Annotator" } }
                        th.r scope="col" data-n { span.t { "Labels" } }
                        @if accuracy {
                            th.r scope="col" data-n { span.t { (accuracy_title(input)) } }
                            th scope="col" data-n aria-label={ (accuracy_title(input)) " as a chart" } { (whiskers.axis()) }
                            th.r scope="col" data-n { span.t { "90 % interval" } }
                        } @else if let Some(b) = &biases {
                            th scope="col" data-n aria-label="Bias as a chart" { (b.axis()) }
                        }
                        @for c in &columns { th.r scope="col" data-n { span.t { (c.title) } } }
                        @if flags { th scope="col" { span.t { "Flags" } } }
                    }
                }
                tbody {
                    @for r in &rows {
                        tr {
                            th.id scope="row" { (name(input.annotator_name(r.annotator))) }
                            td.r data-v=(r.n) { (count(r.n as usize)) }
                            @if accuracy {
                                (accuracy_cells(r, &whiskers))
                            } @else if let Some(b) = &biases {
                                td data-v=[real_bias(r).map(sortable)] { (b.cell(real_bias(r).unwrap_or(f64::NAN), bias_interval(r))) }
                            }
                            @for (c, d) in columns.iter().zip(&digits) { (number_cell((c.value)(r), |v| c.text.write(v, *d))) }
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

fn accuracy_cells(r: &AnnotatorRow, whiskers: &Whiskers) -> Markup {
    html! {
        (number_cell(r.accuracy, |v| decimal(v, 3)))
        td data-v=[r.accuracy.map(sortable)] { (whiskers.cell(r.accuracy.unwrap_or(f64::NAN), r.interval)) }
        // sorted by its lower end: who is surely good
        td.r data-v=[r.interval.map(|i| sortable(i[0]))] {
            @if let Some(i) = r.interval { (interval(i, |v| decimal(v, 2))) } @else { "–" }
        }
    }
}

fn caption(
    input: &PageInput<'_>,
    accuracy: bool,
    bias: bool,
    chance: Option<f64>,
    columns: &[&Column],
    shown: usize,
    left_out: usize,
) -> Markup {
    html! {
        @if accuracy {
            @if input.inspection.kind == LabelKind::Preference {
                "Agreement with the ranking is the share of an annotator’s choices that the ranking supports. "
            } @else {
                "Accuracy is an annotator’s chance of being right about an item of this set, as the others’ labels tell what the items are. "
            }
            @if input.inspection.kind == LabelKind::Preference {
                "Its interval (90 %) is the error of sampling only: the ranking is taken as given. "
            } @else {
                "Its interval (90 %) holds the doubt about the items too, if annotators err independently. "
            }
            @if let Some(c) = chance { "Dashed line: " (decimal(c, 2)) ", a guess among the classes. " }
        }
        @if !accuracy && bias { "The chart shows the bias with its 90 % interval. " }
        @for c in columns { (c.title) ": " (c.tip) ". " }
        @if left_out > 0 {
            "Shown are the " (count(shown)) " of " (count(shown + left_out))
            " annotators with the most labels; " code { "crowdwise annotators" } " lists all. "
        }
    }
}

/// A chart of biases, for annotators who give numbers.
fn bias_domain(rows: &[&AnnotatorRow]) -> Option<Whiskers> {
    let most = rows.iter().filter_map(|r| real_bias(r)).filter(|b| b.is_finite()).fold(0.0f64, |m, b| m.max(b.abs()));
    (most > 0.0).then_some(Whiskers { width: WIDE, domain: (-1.3 * most, 1.3 * most), reference: Some(0.0) })
}

fn bias_interval(r: &AnnotatorRow) -> Option<[f64; 2]> {
    let (bias, sd) = (real_bias(r)?, r.sd?);
    let half = 1.645 * sd / (r.n as f64).sqrt();
    Some([bias - half, bias + half])
}

/// Severity of each code of a finding.
fn severities<'a>(input: &PageInput<'a>) -> BTreeMap<&'a str, Severity> {
    all(input).into_iter().map(|f| (f.code.as_str(), f.severity)).collect()
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
