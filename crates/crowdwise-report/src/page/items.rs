//! The hardest items, with who said what.

use super::PageInput;
use super::parts::{class, listed, name, name_of, number_cell};
use crate::number::{common_digits, count, counted, decimal, percent, significant};
use crowdwise_core::questions::{ItemOrder, ItemRow, Said};
use crowdwise_core::{GoldValues, LabelKind, Preference, Structure, Units};
use maud::{Markup, html};

const MOST: usize = 40;
/// Annotators named per answer.
const MOST_NAMES: usize = 12;

pub fn body(input: &PageInput<'_>) -> Option<Markup> {
    if input.items.is_empty() {
        return None;
    }
    let rows = &input.items[..input.items.len().min(MOST)];
    let kind = input.inspection.kind;
    let truth = matches!(input.truth.map(|g| &g.values), Some(GoldValues::Classes(_) | GoldValues::Real(_)));
    let difficulty = rows.iter().any(|r| r.difficulty.is_some());
    let digits = |f: fn(&ItemRow) -> Option<f64>| common_digits(rows.iter().filter_map(f));
    let (value_digits, sd_digits) = (digits(|r| r.value), digits(|r| r.sd));
    let sequences = matches!(input.data.structure, Structure::Chains { .. });
    Some(html! {
        div.wide {
            table.full {
                caption {
                    "The " (rows.len()) " of " (counted(input.inspection.units, what(kind), &format!("{}s", what(kind))))
                    " " (reason(input.items_by, kind)) "."
                    @if kind == LabelKind::Categorical { " Of those who said the same, the most accurate are named first." }
                }
                thead {
                    tr {
                        th scope="col" { (if sequences { "Token" } else if kind == LabelKind::Preference { "Pair" } else { "Item" }) }
                        @match kind {
                            LabelKind::Categorical => { th scope="col" { "Answer" } th.r scope="col" { "Probability" } }
                            LabelKind::Real => { th.r scope="col" { "Estimate" } th.r scope="col" { "Standard error" } }
                            _ => {}
                        }
                        @if truth { th.r[kind == LabelKind::Real] scope="col" { "Truth" } }
                        @if difficulty { th.r scope="col" { "Difficulty" } }
                        th scope="col" { "Who said what" }
                    }
                }
                tbody {
                    @for r in rows {
                        tr {
                            th.id scope="row" { (unit(input, r.unit)) }
                            @match kind {
                                LabelKind::Categorical => {
                                    td { @if let Some(c) = r.class { (class(c, input.class_name(c))) } }
                                    (number_cell(r.probability, percent))
                                }
                                LabelKind::Real => {
                                    (number_cell(r.value, |v| decimal(v, value_digits)))
                                    (number_cell(r.sd, |v| decimal(v, sd_digits)))
                                }
                                _ => {}
                            }
                            @if truth { td.r[kind == LabelKind::Real] { (known(input, r)) } }
                            @if difficulty { (number_cell(r.difficulty, |v| decimal(v, 2))) }
                            td { (votes(input, r)) }
                        }
                    }
                }
            }
        }
    })
}

fn what(kind: LabelKind) -> &'static str {
    if matches!(kind, LabelKind::Preference | LabelKind::Similarity) { "pair" } else { "item" }
}

fn reason(by: ItemOrder, kind: LabelKind) -> &'static str {
    match (by, kind) {
        (ItemOrder::Disagreement, _) | (_, LabelKind::Preference | LabelKind::Similarity) => {
            "on which the annotators disagree most"
        }
        (ItemOrder::Difficulty, _) => "that are hardest by the method’s own measure",
        (ItemOrder::Margin, LabelKind::Categorical) => "whose two best classes are closest",
        (_, LabelKind::Real) => "whose estimates are least sure",
        (ItemOrder::Entropy, LabelKind::Categorical) => "of which the fit is least sure",
    }
}

fn unit(input: &PageInput<'_>, u: usize) -> Markup {
    let table = &input.data.table;
    match table.units() {
        Units::Items => html! {
            @if let Some(word) = input.data.word(u) { b { (name_of(word, 32)) } " " }
            (name(table.items().name(u)))
            @if let Some((chain, place)) = chain(input, u) {
                br; span.soft { "token " (count(place + 1)) " of " (name_of(chain, 32)) }
            }
        },
        Units::Pairs(pairs) => {
            let [a, b] = pairs[u].map(|i| name_of(table.items().name(i as usize), 32));
            html! { (a) span.soft { " or " } (b) }
        }
    }
}

/// The sequence that an item is a token of, and its place there.
fn chain<'a>(input: &PageInput<'a>, u: usize) -> Option<(&'a str, usize)> {
    let Structure::Chains { starts, names } = &input.data.structure else { return None };
    let c = starts.partition_point(|&s| s <= u as u64).checked_sub(1)?;
    (c < names.len()).then(|| (names.name(c), u - starts[c] as usize))
}

/// The known truth of an item, and whether the answer is it.
fn known(input: &PageInput<'_>, r: &ItemRow) -> Markup {
    let unit = r.unit as u32;
    let found = match input.truth.map(|g| &g.values) {
        Some(GoldValues::Classes(v)) => v.binary_search_by_key(&unit, |x| x.0).ok().map(|at| {
            let c = v[at].1 as usize;
            let verdict = if r.class == Some(c) { "✓ right" } else { "✗ missed" };
            html! { (class(c, input.class_name(c))) " " span.soft.nw { (verdict) } }
        }),
        Some(GoldValues::Real(v)) => {
            v.binary_search_by_key(&unit, |x| x.0).ok().map(|at| html! { (significant(v[at].1)) })
        }
        _ => None,
    };
    found.unwrap_or_else(|| html! { span.soft { "–" } })
}

fn votes(input: &PageInput<'_>, r: &ItemRow) -> Markup {
    if input.inspection.kind == LabelKind::Real {
        let mut said: Vec<(usize, f64)> =
            r.votes.iter().filter_map(|&(j, s)| if let Said::Value(v) = s { Some((j, v)) } else { None }).collect();
        said.sort_by(|a, b| a.1.total_cmp(&b.1));
        let said: Vec<Markup> = said
            .iter()
            .map(|&(j, v)| html! { span.nw { (significant(v)) " " span.soft { (name_of(input.annotator_name(j), 20)) } } })
            .collect();
        return listed(&said, 2 * MOST_NAMES);
    }
    let mut groups: Vec<(Said, Vec<usize>)> = Vec::new();
    for &(j, said) in &r.votes {
        match groups.iter_mut().find(|g| g.0 == said) {
            Some(g) => g.1.push(j),
            None => groups.push((said, vec![j])),
        }
    }
    groups.sort_by_key(|g| std::cmp::Reverse(g.1.len()));
    html! {
        @for (said, who) in &groups {
            span.said {
                (answer(input, r.unit, *said)) " × " (who.len()) " "
                span.soft { (listed(&ordered(input, who), MOST_NAMES)) }
            }
        }
    }
}

/// Names of annotators, the most accurate first.
fn ordered(input: &PageInput<'_>, who: &[usize]) -> Vec<Markup> {
    let accuracy = |j: usize| input.annotators.get(j).and_then(|r| r.accuracy).unwrap_or(0.0);
    let mut who = who.to_vec();
    who.sort_by(|&a, &b| accuracy(b).total_cmp(&accuracy(a)).then(a.cmp(&b)));
    who.iter()
        .take(MOST_NAMES + 1)
        .map(|&j| name_of(input.annotator_name(j), 20))
        .chain(
            // the list only counts the others
            who.iter().skip(MOST_NAMES + 1).map(|_| html! {}),
        )
        .collect()
}

fn answer(input: &PageInput<'_>, u: usize, said: Said) -> Markup {
    match said {
        Said::Class(c) => class(c, input.class_name(c)),
        Said::Value(v) => html! { (significant(v)) },
        Said::Same(same) => class(usize::from(same), if same { "same" } else { "different" }),
        Said::Outcome(Preference::Tie) => class(7, "tie"),
        Said::Outcome(side) => {
            let Units::Pairs(pairs) = input.data.table.units() else { return html! {} };
            let at = usize::from(side == Preference::Right);
            class(at, input.data.table.items().name(pairs[u][at] as usize))
        }
    }
}
