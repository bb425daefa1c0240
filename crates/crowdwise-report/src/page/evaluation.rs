//! The fit against known truth.

use super::PageInput;
use super::parts::figure;
use crate::chart::Reliability;
use crate::number::{count, counted, decimal, percent, significant};
use crowdwise_core::questions::{Evaluation, reliability};
use maud::{Markup, html};

/// What was not scored, and why: one sentence each.
fn left_out(e: &Evaluation) -> Vec<String> {
    let mut out = Vec::new();
    let is = |n: usize| if n == 1 { "is" } else { "are" };
    if e.gold_left_out > 0 {
        let n = counted(e.gold_left_out, "item", "items");
        out.push(format!("The truth of {n} was given to the fit as gold and is not scored."));
    }
    if e.unlabelled > 0 {
        let n = counted(e.unlabelled, "item", "items");
        out.push(format!("{n} of the truth without answers {} not scored.", is(e.unlabelled)));
    }
    if e.ties_left_out > 0 {
        let n = counted(e.ties_left_out, "pair", "pairs");
        out.push(format!("{n} whose truth is a tie {} not scored: scores are hardly ever equal.", is(e.ties_left_out)));
    }
    if e.components_left_out > 0 {
        let n = counted(e.components_left_out, "part", "parts");
        let is = is(e.components_left_out);
        out.push(format!("{n} with fewer than three known items, or with equal scores only, {is} not scored."));
    }
    out
}

pub fn body(input: &PageInput<'_>) -> Option<Markup> {
    let e = input.evaluation?;
    let three = |x: f64| decimal(x, 3);
    let rows: [(&str, Option<String>, &str); 21] = [
        ("Accuracy", e.accuracy.map(percent), "ties split evenly"),
        ("Accuracy on items without answers", e.accuracy_unlabelled.map(percent), "told by nobody: a guess"),
        ("Macro F1", e.macro_f1.map(three), "every class counts the same"),
        ("Span F1", e.spans.as_ref().map(|s| three(s.strict.f1)), "same first token, last token and type"),
        ("Span F1, partial", e.spans.as_ref().map(|s| three(s.partial.f1)), "spans count by the share that is covered"),
        ("Sets without an error", e.sets.map(|s| percent(s.exact_match)), "all classes of an item right"),
        ("Jaccard index of sets", e.sets.map(|s| three(s.jaccard)), "common classes over all classes, mean over items"),
        ("Hamming loss", e.sets.map(|s| three(s.hamming)), "share of classes of items that are wrong"),
        ("Micro F1 of sets", e.sets.map(|s| three(s.micro_f1)), "all classes of all items together"),
        ("Macro F1 of sets", e.sets.map(|s| three(s.macro_f1)), "mean over classes"),
        ("Log loss", e.log_loss.map(three), "mean of −ln P(truth); smaller is better"),
        ("Brier score", e.brier.map(three), "0 is best, 2 worst"),
        ("Calibration error", e.ece.map(three), "mean distance between how sure and how right; 0 is best"),
        ("Root mean squared error", e.rmse.map(significant), ""),
        (
            "Mean absolute error",
            e.mae.map(significant),
            if e.accuracy.is_some() { "grades between answer and truth" } else { "" },
        ),
        ("Quadratic κ", e.quadratic_kappa.map(three), "far-off grades count more; 1 is best, 0 is chance"),
        ("Correlation", e.correlation.map(three), "Pearson"),
        ("Rank correlation", e.spearman.map(three), "Spearman"),
        ("Kendall’s τ", e.kendall.map(three), "tau-b"),
        ("Adjusted Rand index", e.adjusted_rand.map(three), "1 for the same clusters, 0 for chance"),
        ("F1 of pairs", e.pair_f1.map(three), "whether two items belong together"),
    ];
    let points = input.truth.map_or_else(Vec::new, |truth| reliability(input.fit, input.data, truth));
    let label = "Reliability diagram: share of right answers by probability";
    Some(html! {
        p {
            @if e.n > 0 {
                "The truth of " (counted(e.n, "item", "items"))
                @if e.components > 1 { ", in " (count(e.components)) " separate parts," }
                " is known and was used here only, not in fitting. "
            } @else {
                "There is nothing to score. "
            }
            @for text in left_out(e) { (text) " " }
        }
        div.two {
            dl.facts {
                @for (name, value, note) in &rows {
                    @if let Some(value) = value {
                        dt { (name) }
                        dd { b { (value) } @if !note.is_empty() { span.soft { ", " (note) } } }
                    }
                }
            }
            @if !points.is_empty() {
                (figure(
                    &html! {
                        b { "Can its probabilities be trusted? " }
                        "On the dashed line they can; below it the fit is too sure of itself. Larger dots stand for more items; "
                        "lines are 90 % intervals."
                    },
                    &Reliability { label, points: &points }.draw(),
                ))
            }
        }
    })
}
