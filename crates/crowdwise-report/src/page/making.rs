//! How the fit came about: convergence, other methods, provenance.

use super::PageInput;
use super::overview::stop_sentence;
use super::parts::{figure, name, number_cell};
use crate::chart::{Line, YScale};
use crate::number::{count, counted, decimal, duration, percent, significant};
use crowdwise_core::Stop;
use crowdwise_core::questions::{CompareRow, Comparison};
use maud::{Markup, html};
use serde_json::Value;

pub fn convergence(input: &PageInput<'_>) -> Option<Markup> {
    let d = &input.fit.diagnostics;
    let kind = d.objective.as_ref().map_or("objective", |o| o.kind.as_str());
    let objective: Vec<(f64, f64)> =
        d.trace.iter().filter_map(|t| t.objective.map(|o| (t.iteration as f64, o))).collect();
    let change: Vec<(f64, f64)> = d.trace.iter().map(|t| (t.iteration as f64, t.change)).collect();
    let spoken = kind.replace('-', " ");
    let first = Line {
        label: &format!("{spoken} by iteration"),
        points: &objective,
        x_title: "iteration",
        y_title: &spoken,
        y: YScale::Linear,
    };
    let second = Line {
        label: "largest change by iteration",
        points: &change,
        x_title: "iteration",
        y_title: "largest change",
        y: YScale::Log,
    };
    let charts = [("Objective", first.draw()), ("Change made by one step, on a scale of powers of ten", second.draw())];
    let details: Vec<(&String, String)> = d.details.iter().filter_map(|(k, v)| Some((k, scalar(v)?))).collect();
    if charts.iter().all(|c| c.1.is_none()) && details.is_empty() {
        return None;
    }
    Some(html! {
        p {
            (stop_sentence(input))
            @if let Some(o) = &d.objective { " The " (spoken) " is " (significant_long(o.value)) "." }
        }
        div.two {
            @for (title, chart) in &charts {
                @if let Some(chart) = chart {
                    (figure(&html! { b { (title) } }, chart))
                }
            }
        }
        @if !details.is_empty() {
            dl.facts { @for (k, v) in &details { dt { (k.replace(['-', '_'], " ")) } dd { (v) } } }
        }
    })
}

/// Objectives are compared in their last digits.
fn significant_long(x: f64) -> String {
    if x.abs() >= 1e9 { significant(x) } else { decimal(x, 4) }
}

/// A number, word or switch; what is longer does not belong on a page.
fn scalar(v: &Value) -> Option<String> {
    match v {
        Value::Bool(b) => Some(if *b { "yes" } else { "no" }.into()),
        Value::Number(n) => Some(match n.as_u64() {
            Some(n) => count(n as usize),
            None => significant(n.as_f64().unwrap_or(f64::NAN)),
        }),
        Value::String(s) => Some(crate::number::short(s, 120)),
        Value::Array(a) if a.len() <= 12 => Some(a.iter().filter_map(scalar).collect::<Vec<_>>().join(", ")),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

pub fn comparison(input: &PageInput<'_>) -> Option<Markup> {
    let c = input.comparison?;
    let any = |f: fn(&CompareRow) -> Option<f64>| c.methods.iter().any(|m| f(m).is_some());
    let columns: Vec<&Measure> = MEASURES.iter().filter(|m| any(m.value)).collect();
    let found = c.methods.iter().any(|m| !m.codes().is_empty());
    let best: Vec<Option<f64>> = columns.iter().map(|m| m.best(c)).collect();
    Some(html! {
        div.wide {
            table.full.sort {
                caption {
                    @if any(|m| m.held_out_log_loss) {
                        "Held-out log loss: labels are hidden (" (c.folds)
                        " folds) and predicted; smaller is better, and differences below two standard errors mean little. "
                    }
                    @if any(|m| m.agreement) { "Agreement: mean probability of a label given the others on its item. " }
                    @if any(|m| m.drift) { "Drift: how far the class shares moved away from those of the labels. " }
                    @if found { "Findings: warnings and problems that not all methods share. " }
                    "Bold: best of its column."
                }
                thead {
                    tr {
                        th scope="col" { span.t { "Method" } }
                        @for m in &columns { th.r scope="col" data-n { span.t { (m.title) } } }
                        th.r scope="col" data-n { span.t { "Time" } }
                        th scope="col" { span.t { "Ended" } }
                        @if found { th scope="col" { span.t { "Findings" } } }
                    }
                }
                tbody {
                    @for m in &c.methods {
                        tr {
                            th scope="row" {
                                code { (m.method) }
                                @if m.method == input.fit.provenance.method { span.soft { " (this page)" } }
                            }
                            @if let Some(error) = &m.error {
                                td.soft colspan=(columns.len() + 2 + usize::from(found)) { (error) }
                            } @else {
                                @for (column, best) in columns.iter().zip(&best) { (measure(m, column, *best)) }
                                (number_cell(Some(m.elapsed_seconds), duration))
                                td { (m.stop.map_or("", stop_word)) }
                                @if found { td { (m.codes().join(", ").replace('-', " ")) } }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// A column of the comparison.
struct Measure {
    title: &'static str,
    value: fn(&CompareRow) -> Option<f64>,
    text: fn(f64) -> String,
    better: Better,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Better {
    Smaller,
    Larger,
    /// Tells something, but is no merit.
    Neither,
}

fn three(x: f64) -> String {
    decimal(x, 3)
}

const MEASURES: [Measure; 14] = [
    Measure {
        title: "Held-out log loss",
        value: |m| m.held_out_log_loss,
        text: |x| decimal(x, 4),
        better: Better::Smaller,
    },
    Measure { title: "± se", value: |m| m.held_out_se, text: |x| decimal(x, 4), better: Better::Neither },
    Measure { title: "Agreement", value: |m| m.agreement, text: three, better: Better::Neither },
    Measure { title: "Drift", value: |m| m.drift, text: three, better: Better::Neither },
    Measure { title: "Accuracy", value: |m| m.evaluation.as_ref()?.accuracy, text: percent, better: Better::Larger },
    Measure { title: "Macro F1", value: |m| m.evaluation.as_ref()?.macro_f1, text: three, better: Better::Larger },
    Measure {
        title: "Span F1",
        value: |m| Some(m.evaluation.as_ref()?.spans.as_ref()?.strict.f1),
        text: three,
        better: Better::Larger,
    },
    Measure { title: "Log loss", value: |m| m.evaluation.as_ref()?.log_loss, text: three, better: Better::Smaller },
    Measure { title: "Calibration error", value: |m| m.evaluation.as_ref()?.ece, text: three, better: Better::Smaller },
    Measure { title: "RMSE", value: |m| m.evaluation.as_ref()?.rmse, text: significant, better: Better::Smaller },
    Measure {
        title: "Mean absolute error",
        value: |m| m.evaluation.as_ref()?.mae,
        text: significant,
        better: Better::Smaller,
    },
    Measure {
        title: "Quadratic κ",
        value: |m| m.evaluation.as_ref()?.quadratic_kappa,
        text: three,
        better: Better::Larger,
    },
    Measure { title: "Spearman", value: |m| m.evaluation.as_ref()?.spearman, text: three, better: Better::Larger },
    Measure { title: "Kendall’s τ", value: |m| m.evaluation.as_ref()?.kendall, text: three, better: Better::Larger },
];

impl Measure {
    fn best(&self, c: &Comparison) -> Option<f64> {
        let values = c.methods.iter().filter_map(self.value).filter(|v| v.is_finite());
        match self.better {
            Better::Smaller => values.min_by(f64::total_cmp),
            Better::Larger => values.max_by(f64::total_cmp),
            Better::Neither => None,
        }
    }
}

fn measure(row: &CompareRow, m: &Measure, best: Option<f64>) -> Markup {
    let value = (m.value)(row);
    match value {
        Some(v) if Some(v) == best => html! { td.r.best data-v=(super::parts::sortable(v)) { ((m.text)(v)) } },
        _ => number_cell(value, m.text),
    }
}

fn stop_word(stop: Stop) -> &'static str {
    match stop {
        Stop::Direct => "direct",
        Stop::Converged => "converged",
        Stop::Settled => "settled",
        Stop::MaxIter => "iteration limit",
        Stop::Cancelled => "interrupted",
        Stop::NotFinite => "not finite",
    }
}

pub fn body(input: &PageInput<'_>) -> Markup {
    let p = &input.fit.provenance;
    let params: Vec<(String, String)> = match &p.params {
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), param(v))).collect(),
        Value::Null => Vec::new(),
        other => vec![("parameters".into(), param(other))],
    };
    html! {
        dl.facts {
            dt { "Method" } dd { code { (p.method) } }
            @if !params.is_empty() {
                dt { "Parameters" }
                dd { @for (i, (k, v)) in params.iter().enumerate() { @if i > 0 { ", " } code { (k) "=" (v) } } }
            }
            dt { "Seed" } dd { (p.seed) }
            @if input.elapsed_seconds.is_finite() { dt { "Time of the fit" } dd { (duration(input.elapsed_seconds)) } }
            dt { "Data" }
            dd {
                (name(&input.data.source)) ", " (p.kind) ": " (counted(p.items, "item", "items")) ", "
                (counted(p.annotators, "annotator", "annotators")) ", "
                (counted(p.labels, "label", "labels"))
                @if p.classes > 0 { ", " (counted(p.classes, "class", "classes")) }
            }
            dt { "Digest of the data" } dd { code { (p.digest) } }
            @if let Some(gold) = &input.data.gold {
                dt { "Gold used in fitting" } dd { (counted(gold.values.len(), "item", "items")) }
            }
            @if let Some(command) = &input.command { dt { "Command" } dd { code { (crate::number::short(command, 1000)) } } }
            dt { "Version" } dd { "crowdwise " (p.version) }
        }
    }
}

fn param(v: &Value) -> String {
    match v {
        Value::String(s) => s.clone(),
        other => crate::number::short(&other.to_string(), 200),
    }
}
