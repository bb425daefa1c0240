//! How far the annotators agree, before any fit.

use super::PageInput;
use super::parts::interval;
use crate::chart::{Heat, Tone};
use crate::number::{count, counted, decimal, percent, short};
use crowdwise_core::questions::{Agreement, Level};
use maud::{Markup, html};

/// Annotators in the heat map.
const MOST: usize = 20;

pub fn body(input: &PageInput<'_>) -> Option<Markup> {
    let a = &input.inspection.agreement;
    if a.units == 0 && a.pairs.is_empty() && a.notes.is_empty() {
        return None;
    }
    Some(html! {
        @if a.units > 0 {
            p {
                "From " (count(a.labels as usize)) " labels on the "
                (counted(a.units, "item that has", "items that have")) " at least two. 1 is perfect agreement, 0 what chance would give."
            }
        }
        (numbers(a))
        @for note in &a.notes { p.note { (note) } }
        (pairs(input, a))
    })
}

fn numbers(a: &Agreement) -> Markup {
    let level = match a.level {
        Level::Nominal => "classes without order",
        Level::Ordinal => "ordered classes",
        Level::Interval => "numbers",
        Level::Ratio => "numbers with a true zero",
    };
    let two = |x: f64| decimal(x, 3);
    html! {
        dl.facts {
            @if let Some(x) = a.krippendorff_alpha {
                dt { "Krippendorff’s α" }
                dd {
                    b { (two(x)) }
                    @if let Some(i) = a.alpha_interval { " (" (decimal(100.0 * a.interval_level, 0)) " % interval " (interval(i, two)) ")" }
                    span.soft { ", labels taken as " (level) }
                }
            }
            @if let Some(x) = a.alpha_nominal { dt { "α without the order" } dd { (two(x)) } }
            @if let Some(x) = a.fleiss_kappa { dt { "Fleiss’ κ" } dd { (two(x)) } }
            @if let Some(x) = a.gwet_ac1 {
                dt { "Gwet’s AC1" }
                dd { (two(x)) span.soft { ", steadier than κ when one class is rare" } }
            }
            @if let Some(x) = a.percent { dt { "Equal pairs of labels" } dd { (percent(x)) } }
            @if let Some(x) = a.mean_cohen {
                dt { "Mean Cohen’s κ" }
                dd { (two(x)) span.soft { ", over " (count(a.pairs_found)) " pairs of annotators with at least 10 common items" } }
            }
        }
    }
}

/// Of two kinds: annotators who disagree less than chance would are a different thing from those who agree.
fn tone(_: usize, _: usize, v: f64) -> Tone {
    if v < 0.0 { Tone::Bad } else { Tone::Good }
}

fn pairs(input: &PageInput<'_>, a: &Agreement) -> Markup {
    let who = most_connected(input, a);
    if who.len() < 2 {
        return html! {};
    }
    let n = who.len();
    let mut values = vec![f64::NAN; n * n];
    let place = |j: usize| who.iter().position(|&w| w == j);
    for pair in &a.pairs {
        if let (Some(r), Some(c)) = (place(pair.a), place(pair.b)) {
            values[r * n + c] = pair.kappa;
            values[c * n + r] = pair.kappa;
        }
    }
    let names: Vec<&str> = who.iter().map(|&j| input.annotator_name(j)).collect();
    let map = Heat {
        label: "Cohen’s kappa between pairs of annotators",
        rows: &names,
        columns: &names,
        values: &values,
        tone,
        digits: 2,
        label_chars: 14,
        shorten: short,
    };
    html! {
        figure {
            figcaption {
                b { "Cohen’s κ between pairs. " }
                @if n < input.inspection.annotators {
                    "The " (n) " of " (count(input.inspection.annotators)) " annotators with the most common items. "
                }
                "Empty: fewer than 10 common items. "
                span.key.b {} "more agreement than chance "
                span.key.e {} "less (also a minus sign)"
            }
            div.wide { (map.draw()) }
        }
    }
}

/// The annotators with the most items in common with others, busiest first.
fn most_connected(input: &PageInput<'_>, a: &Agreement) -> Vec<usize> {
    let mut common = vec![0u64; input.inspection.annotators];
    for p in &a.pairs {
        common[p.a] += p.n;
        common[p.b] += p.n;
    }
    let mut who: Vec<usize> = (0..common.len()).filter(|&j| common[j] > 0).collect();
    who.sort_by_key(|&j| (std::cmp::Reverse(common[j]), j));
    who.truncate(MOST);
    who
}
