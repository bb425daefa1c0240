//! The fit against known truth.

use super::PageInput;
use super::parts::figure;
use crate::chart::{Reliability, ReliabilityPoint};
use crate::number::{count, counted, decimal, percent, significant};
use crowdwise_core::{GoldValues, stats};
use maud::{Markup, html};

const BINS: usize = 10;

pub fn body(input: &PageInput<'_>) -> Option<Markup> {
    let e = input.evaluation?;
    let three = |x: f64| decimal(x, 3);
    let rows: [(&str, Option<String>, &str); 11] = [
        ("Accuracy", e.accuracy.map(percent), "ties split evenly"),
        ("Accuracy on labelled items", e.accuracy_labelled.filter(|_| e.unlabelled > 0).map(percent), ""),
        ("Macro F1", e.macro_f1.map(three), "every class counts the same"),
        ("Log loss", e.log_loss.map(three), "mean of −ln P(truth); smaller is better"),
        ("Brier score", e.brier.map(three), "0 is best, 2 worst"),
        ("Calibration error", e.ece.map(three), "mean distance between how sure and how right; 0 is best"),
        ("Root mean squared error", e.rmse.map(significant), ""),
        ("Mean absolute error", e.mae.map(significant), ""),
        ("Correlation", e.correlation.map(three), "Pearson"),
        ("Rank correlation", e.spearman.map(three), "Spearman"),
        ("Kendall’s τ", e.kendall.map(three), "tau-b"),
    ];
    let points = reliability(input);
    let label = "Reliability diagram: share of right answers by probability";
    Some(html! {
        p {
            "The truth of " (counted(e.n, "item", "items"))
            @if let Some(gold) = &input.data.gold {
                " is compared with the fit. The fit used " (counted(gold.values.len(), "gold label", "gold labels"))
                ": items that are in both are right because they were told. "
            } @else {
                " is known and was used here only, not in fitting. "
            }
            @if e.unlabelled > 0 { (count(e.unlabelled)) " of them have no label. " }
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

/// Labelled items with known class, in ten bins of top probability.
fn reliability(input: &PageInput<'_>) -> Vec<ReliabilityPoint> {
    let (Some((k, posterior)), Some(gold)) = (input.fit.posterior(), input.truth) else { return Vec::new() };
    let GoldValues::Classes(known) = &gold.values else { return Vec::new() };
    // (items, right, sum of top probability)
    let mut bins = [(0usize, 0.0, 0.0); BINS];
    for &(u, truth) in known {
        let (u, truth) = (u as usize, truth as usize);
        if (u + 1) * k > posterior.len() || input.data.table.degree(u) == 0 {
            continue;
        }
        let row = &posterior[u * k..(u + 1) * k];
        let top = row[stats::argmax(row)];
        let right = truth < k && stats::tied(row[truth], top);
        let bin = &mut bins[((top * BINS as f64) as usize).min(BINS - 1)];
        bin.0 += 1;
        bin.1 += if right { 1.0 / stats::n_tied(row) as f64 } else { 0.0 };
        bin.2 += top;
    }
    bins.iter()
        .filter(|b| b.0 > 0)
        .map(|&(n, right, top)| ReliabilityPoint {
            confidence: top / n as f64,
            accuracy: right / n as f64,
            interval: stats::rate_interval(right, n as f64),
            n,
        })
        .collect()
}
