//! The answers as a whole: class shares, a histogram of values, or a ranking.

use super::PageInput;
use super::parts::{class, figure, name, number_cell, sortable};
use crate::chart::{Bins, Histogram, Pair, Scatter, WIDE, Whiskers, pair_bar};
use crate::number::{count, decimal, percent, significant};
use crowdwise_core::Truth;
use crowdwise_core::questions::{LabelView, ScoreRow};
use maud::{Markup, html};

/// Classes and ranked items shown.
const MOST_CLASSES: usize = 30;
const MOST_RANKED: usize = 100;
/// Labels of the scatter: as many as a page can carry.
const MOST_POINTS: usize = 2000;

pub fn title(input: &PageInput<'_>) -> &'static str {
    match input.fit.truth {
        Truth::Classes { .. } => "Class balance",
        Truth::Real { .. } => "Values",
        Truth::Scores { .. } => "Ranking",
        Truth::Clusters { .. } => "Clusters",
    }
}

pub fn body(input: &PageInput<'_>) -> Option<Markup> {
    match &input.fit.truth {
        Truth::Classes { k, posterior } => balance(input, *k, posterior),
        Truth::Real { value, sd } => values(input, value, sd),
        Truth::Scores { .. } => ranking(input),
        Truth::Clusters { cluster, .. } => clusters(input, cluster),
    }
}

fn balance(input: &PageInput<'_>, k: usize, posterior: &[f64]) -> Option<Markup> {
    if k == 0 || posterior.is_empty() {
        return None;
    }
    let units = (posterior.len() / k) as f64;
    let mut votes = vec![0.0; k];
    for row in input.inspection.class_shares.iter().filter(|r| r.class < k) {
        votes[row.class] = row.share;
    }
    let mut answers = vec![0.0; k];
    for row in posterior.chunks_exact(k) {
        answers.iter_mut().zip(row).for_each(|(a, p)| *a += p / units);
    }
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&a, &b| answers[b].total_cmp(&answers[a]).then(a.cmp(&b)));
    let left_out = k.saturating_sub(MOST_CLASSES);
    order.truncate(MOST_CLASSES);
    let most = order.iter().map(|&c| answers[c].max(votes[c])).fold(0.0, f64::max);
    Some(html! {
        div.wide {
            table.sort {
                caption {
                    "Share of each class among the labels and in the answers (mean probability). "
                    span.key.a {} "labels " span.key.b {} "answers. "
                    @if left_out > 0 { "The " (MOST_CLASSES) " largest of " (count(k)) " classes." }
                }
                thead {
                    tr {
                        th scope="col" { span.t { "Class" } }
                        th scope="col" data-n aria-label="Shares as a chart" {}
                        th.r scope="col" data-n { span.t { "Labels" } }
                        th.r scope="col" data-n { span.t { "Answers" } }
                        th.r scope="col" data-n { span.t { "Difference" } }
                    }
                }
                tbody {
                    @for &c in &order {
                        tr {
                            th.id scope="row" { (class(c, input.class_name(c))) }
                            td data-v=(sortable(answers[c])) { (pair_bar(Pair { first: votes[c], second: answers[c], most })) }
                            (number_cell(Some(votes[c]), percent))
                            (number_cell(Some(answers[c]), percent))
                            (number_cell(Some(answers[c] - votes[c]), points))
                        }
                    }
                }
            }
        }
    })
}

/// A difference of shares, with its sign.
fn points(x: f64) -> String {
    let text = decimal(100.0 * x, 1);
    if text.starts_with('−') || text == "0.0" { text } else { format!("+{text}") }
}

fn values(input: &PageInput<'_>, value: &[f64], sd: &[f64]) -> Option<Markup> {
    let labels = input.data.table.real()?;
    let bars = Bins::of(labels);
    let outline = bars.same_for(value);
    let shares = Histogram {
        label: "Histogram of labels and estimates",
        bars: &bars,
        outline: Some(&outline),
        x_title: "value",
        y_title: "share",
    };
    let every = labels.len().div_ceil(MOST_POINTS);
    let table = &input.data.table;
    let points: Vec<(f64, f64)> = (0..table.n_units())
        .flat_map(|u| table.rows(u).map(move |r| (r, u)))
        .filter(|(r, _)| r % every == 0)
        .map(|(r, u)| (value[u], labels[r]))
        .collect();
    let scatter = Scatter { label: "Labels against estimates", points: &points, x_title: "estimate", y_title: "label" };
    let errors = Bins::of(sd);
    let spread = Histogram {
        label: "Histogram of the standard errors of the estimates",
        bars: &errors,
        outline: None,
        x_title: "standard error",
        y_title: "items",
    };
    Some(html! {
        div.two {
            @if let Some(chart) = shares.draw() {
                (figure(&html! { b { "Values. " } span.key.a {} "labels " span.key.l {} "estimates" }, &chart))
            }
            @if let Some(chart) = spread.draw() {
                (figure(&html! { b { "How sure the estimates are. " } "Standard errors of all items that have one." }, &chart))
            }
        }
        @if let Some(chart) = scatter.draw() {
            (figure(
                &html! {
                    b { "What annotators said of what was estimated. " } "One point a label"
                    @if every > 1 { ", every " (count(every)) "th" } "; on the dashed line both are the same."
                },
                &chart,
            ))
        }
        @if let Some(within) = input.inspection.values.and_then(|v| v.sd_within) {
            p.note { "Labels on the same item spread with a standard deviation of " (significant(within)) " around their mean." }
        }
    })
}

fn clusters(input: &PageInput<'_>, cluster: &[u32]) -> Option<Markup> {
    let view = LabelView::new(input.data, input.fit);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); cluster.iter().max().map_or(0, |&c| c as usize + 1)];
    cluster.iter().enumerate().for_each(|(i, &c)| members[c as usize].push(i));
    if members.is_empty() {
        return None;
    }
    let all = members.len();
    let single = members.iter().filter(|m| m.len() == 1).count();
    let mut order: Vec<usize> = (0..all).collect();
    order.sort_by_key(|&c| (std::cmp::Reverse(members[c].len()), c));
    order.truncate(MOST_RANKED);
    let names = input.data.table.items();
    Some(html! {
        div.wide {
            table.full.sort {
                caption {
                    (count(cluster.len())) " items in " (count(all)) " clusters, " (count(single)) " of them of one item. "
                    @if order.len() < all { "The " (count(order.len())) " largest." }
                }
                thead {
                    tr {
                        th.r scope="col" data-n { span.t { "Cluster" } }
                        th.r scope="col" data-n { span.t { "Items" } }
                        th.r scope="col" data-n { span.t { "Least confidence" } }
                        th scope="col" { span.t { "First items" } }
                    }
                }
                tbody {
                    @for &c in &order {
                        @let least = members[c].iter().map(|&i| view.cluster_row(i).confidence).fold(1.0, f64::min);
                        tr {
                            td.r data-v=(c) { (c + 1) }
                            td.r data-v=(members[c].len()) { (count(members[c].len())) }
                            (number_cell(Some(least), percent))
                            td {
                                @for &i in members[c].iter().take(5) { (name(names.name(i))) " " }
                                @if members[c].len() > 5 { "…" }
                            }
                        }
                    }
                }
            }
        }
    })
}

fn ranking(input: &PageInput<'_>) -> Option<Markup> {
    let view = LabelView::new(input.data, input.fit);
    let mut rows: Vec<ScoreRow> = (0..view.len()).map(|i| view.score_row(i)).collect();
    if rows.is_empty() {
        return None;
    }
    rows.sort_by_key(|r| (r.component, r.rank, r.item));
    let parts = rows.last().map_or(1, |r| r.component + 1);
    let all = rows.len();
    // every part gets its share of the table, and at least its three best
    let each = (MOST_RANKED / parts as usize).max(3);
    let mut seen = (0, 0);
    rows.retain(|r| {
        seen = if seen.0 == r.component { (seen.0, seen.1 + 1) } else { (r.component, 1) };
        all <= MOST_RANKED || seen.1 <= each
    });
    rows.truncate(MOST_RANKED);
    let places = rows.iter().any(|r| r.ranks.is_some());
    let whiskers = Whiskers { width: WIDE, domain: domain(&rows), reference: Some(0.0) };
    Some(html! {
        div.wide {
            table.full.sort {
                caption {
                    "Scores with their " (decimal(100.0 * input.fit.interval_level(), 0)) " % intervals; items whose intervals overlap widely may change places with more comparisons. "
                    @if parts > 1 { "Scores of different parts cannot be compared. " }
                    @if rows.len() < all {
                        "The first " (count(rows.len())) " of " (count(all)) " items"
                        @if parts > 1 { ", at most " (each) " of each part" }
                        "."
                    }
                }
                thead {
                    tr {
                        th.r scope="col" data-n { span.t { "Place" } }
                        @if parts > 1 { th.r scope="col" data-n { span.t { "Part" } } }
                        th scope="col" { span.t { "Item" } }
                        th.r scope="col" data-n { span.t { "Score" } }
                        th scope="col" data-n aria-label="Score as a chart" { (whiskers.axis()) }
                        th.r scope="col" data-n { span.t { "Interval" } }
                        @if places { th.r scope="col" data-n { span.t { "Places" } } }
                        th.r scope="col" data-n { span.t { "Comparisons" } }
                    }
                }
                tbody {
                    @for r in &rows {
                        @let known = r.interval.iter().all(|v| !v.is_nan());
                        tr {
                            td.r data-v=(r.rank) { (r.rank) }
                            @if parts > 1 { td.r data-v=(r.component) { (r.component + 1) } }
                            th.id scope="row" { (name(input.data.table.items().name(r.item))) }
                            (number_cell(Some(r.score), |v| decimal(v, 2)))
                            td data-v=(sortable(r.score)) {
                                (whiskers.cell(r.score, known.then_some(r.interval)))
                            }
                            td.r data-v=[known.then(|| sortable(r.interval[0]))] {
                                @if known { (decimal(r.interval[0], 2)) " to " (decimal(r.interval[1], 2)) } @else { "–" }
                            }
                            @if places {
                                td.r data-v=[r.ranks.map(|p| p[0])] {
                                    @if let Some([a, b]) = r.ranks { (a) @if a < b { " to " (b) } } @else { "–" }
                                }
                            }
                            td.r data-v=(r.n) { (count(r.n)) }
                        }
                    }
                }
            }
        }
    })
}

/// What holds all scores and most of their intervals: one item without a loss would otherwise flatten the chart.
fn domain(rows: &[ScoreRow]) -> (f64, f64) {
    let finite = |v: &f64| v.is_finite();
    let scores: Vec<f64> = rows.iter().map(|r| r.score).filter(finite).collect();
    let low = scores.iter().copied().fold(0.0, f64::min);
    let high = scores.iter().copied().fold(0.0, f64::max);
    let room = 0.75 * (high - low).max(0.1);
    let ends = rows.iter().flat_map(|r| r.interval).filter(finite);
    let (a, b) = ends.fold((low, high), |(a, b), v| (a.min(v), b.max(v)));
    (a.max(low - room), b.min(high + room))
}
