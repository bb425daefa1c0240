//! The sequences on which annotators disagree most, token by token: who said what, and the answer above them.

use super::PageInput;
use super::parts::{class, name_of};
use crate::number::count;
use crowdwise_core::stats::argmax;
use crowdwise_core::{GoldValues, Structure, Truth};
use maud::{Markup, html};

/// Sequences, tokens of each and annotators of each that are shown.
const MOST: usize = 6;
const MOST_TOKENS: usize = 24;
const MOST_ANNOTATORS: usize = 12;

/// A sequence, the tokens that are shown of it, and how many of all its tokens are in dispute.
struct Shown {
    chain: usize,
    tokens: std::ops::Range<usize>,
    disputed: usize,
}

pub fn body(input: &PageInput<'_>) -> Option<Markup> {
    let Structure::Chains { starts, names } = &input.data.structure else { return None };
    let Truth::Classes { k, posterior } = &input.fit.truth else { return None };
    let labels = input.data.table.categorical()?;
    let answers: Vec<usize> = posterior.chunks_exact(*k).map(argmax).collect();
    let disputed: Vec<bool> = (0..answers.len())
        .map(|u| {
            let rows = input.data.table.rows(u);
            rows.clone().any(|r| labels.codes.get(r) != labels.codes.get(rows.start))
        })
        .collect();
    let mut shown: Vec<Shown> = (0..names.len())
        .filter_map(|chain| {
            let all = starts[chain] as usize..starts[chain + 1] as usize;
            let n = disputed[all.clone()].iter().filter(|d| **d).count();
            (n > 0).then(|| Shown { chain, tokens: window(&disputed, all), disputed: n })
        })
        .collect();
    if shown.is_empty() {
        return None;
    }
    let all = shown.len();
    shown.sort_by_key(|s| (std::cmp::Reverse(s.disputed), s.chain));
    shown.truncate(MOST);
    let mut often = vec![0usize; *k];
    answers.iter().for_each(|&c| often[c] += 1);
    let usual = (0..*k).max_by_key(|&c| (often[c], std::cmp::Reverse(c)))?;
    Some(html! {
        p {
            "Annotators disagree on some token of " (count(all)) " of " (count(names.len())) " sequences; "
            @if all > shown.len() { "these are the " (shown.len()) " with the most such tokens. " } @else { "these. " }
            "What differs from the answer is marked; “·” is " (class(usual, input.class_name(usual))) ", a blank is no label."
        }
        @for s in &shown { (sequence(input, s, names.name(s.chain), starts, &answers, usual)) }
    })
}

/// The whole sequence, or the stretch of it with the most disputes.
fn window(disputed: &[bool], all: std::ops::Range<usize>) -> std::ops::Range<usize> {
    if all.len() <= MOST_TOKENS {
        return all;
    }
    let inside = |start: usize| disputed[start..start + MOST_TOKENS].iter().filter(|d| **d).count();
    // of the best the middle one, so that what comes before and after is seen
    let starts = all.start..=all.end - MOST_TOKENS;
    let best = starts.clone().map(inside).max().unwrap_or(0);
    let equal: Vec<usize> = starts.filter(|&s| inside(s) == best).collect();
    let start = equal[equal.len() / 2];
    start..start + MOST_TOKENS
}

fn sequence(input: &PageInput<'_>, s: &Shown, title: &str, starts: &[u64], answers: &[usize], usual: usize) -> Markup {
    let table = &input.data.table;
    let first = starts[s.chain] as usize;
    let length = starts[s.chain + 1] as usize - first;
    let mut who: Vec<u32> = s.tokens.clone().flat_map(|u| table.annotator()[table.rows(u)].iter().copied()).collect();
    who.sort_unstable();
    who.dedup();
    let left_out = who.len().saturating_sub(MOST_ANNOTATORS);
    who.truncate(MOST_ANNOTATORS);
    let truth = |u: usize| match input.truth.map(|g| &g.values) {
        Some(GoldValues::Classes(v)) => v.binary_search_by_key(&(u as u32), |x| x.0).ok().map(|at| v[at].1 as usize),
        _ => None,
    };
    let known = s.tokens.clone().any(|u| truth(u).is_some());
    let tag = |c: usize| {
        if c == usual {
            html! { "·" }
        } else {
            class(c, input.class_name(c))
        }
    };
    html! {
        div.wide {
            table.tokens {
                caption {
                    b { (name_of(title, 48)) } ": " (count(s.disputed)) " of " (count(length)) " tokens in dispute"
                    @if s.tokens.len() < length {
                        "; tokens " (count(s.tokens.start - first + 1)) " to " (count(s.tokens.end - first))
                    }
                    @if left_out > 0 { "; " (count(left_out)) " more annotators" }
                }
                thead {
                    tr {
                        th scope="col" {}
                        @for u in s.tokens.clone() { th scope="col" {
                            @if let Some(word) = input.data.word(u) {
                                span title=(table.items().name(u)) { (name_of(word, 18)) }
                            } @else {
                                (name_of(table.items().name(u), 18))
                            }
                        } }
                    }
                }
                tbody {
                    @if known {
                        tr {
                            th scope="row" { "truth" }
                            @for u in s.tokens.clone() { td { @if let Some(c) = truth(u) { (tag(c)) } } }
                        }
                    }
                    tr.answer {
                        th scope="row" { "answer" }
                        @for u in s.tokens.clone() {
                            td.off[truth(u).is_some_and(|c| c != answers[u])] { (tag(answers[u])) }
                        }
                    }
                    @for &j in &who {
                        tr {
                            th scope="row" { (name_of(input.annotator_name(j as usize), 20)) }
                            @for u in s.tokens.clone() { (cell(input, u, j, answers[u], &tag)) }
                        }
                    }
                }
            }
        }
    }
}

/// What annotator `j` said of a token; of several labels the last.
fn cell(input: &PageInput<'_>, u: usize, j: u32, answer: usize, tag: &impl Fn(usize) -> Markup) -> Markup {
    let table = &input.data.table;
    let said = table.categorical().and_then(|labels| {
        let r = table.rows(u).rev().find(|&r| table.annotator()[r] == j)?;
        Some(labels.codes.get(r))
    });
    html! { td.off[said.is_some_and(|c| c != answer)] { @if let Some(c) = said { (tag(c)) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sequence_is_cut_where_it_is_disputed() {
        assert_eq!(window(&[true; 10], 2..8), 2..8);
        let mut disputed = vec![false; 100];
        disputed[61] = true;
        disputed[70] = true;
        let w = window(&disputed, 10..90);
        assert!(w.len() == MOST_TOKENS && w.contains(&61) && w.contains(&70), "{w:?}");
        assert!(w.start < 61 && w.end > 71, "{w:?}: something stands before and after");
    }
}
