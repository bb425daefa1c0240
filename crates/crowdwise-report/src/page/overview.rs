//! What one wants to know first: how much there is, how sure it is, what is wrong with it.

use super::parts::{interval, name};
use super::{PageInput, findings};
use crate::chart::bar;
use crate::number::{count, counted, decimal, percent, significant};
use crowdwise_core::questions::LabelView;
use crowdwise_core::{Annotators, LabelKind, Stop, Truth};
use maud::{Markup, html};

pub fn body(input: &PageInput<'_>) -> Markup {
    html! {
        p.lead { (headline(input)) }
        (tiles(input))
        (certainty(input))
        h3 { "Findings" }
        (findings::list(input))
    }
}

/// How the iterations ended, as a sentence.
pub fn stop_sentence(input: &PageInput<'_>) -> String {
    let d = &input.fit.diagnostics;
    let n = counted(d.iterations, "iteration", "iterations");
    match d.stop {
        Stop::Direct => "The method needs no iterations.".into(),
        Stop::Converged => format!("It converged after {n}."),
        Stop::Settled => format!("It ended after {n}, when no answer moved any more."),
        Stop::MaxIter => format!("It was stopped at its limit of {n} and has not converged."),
        Stop::Cancelled => format!("It was interrupted after {n}; this is the best so far."),
        Stop::NotFinite => format!("Its objective ceased to be finite after {n}; the last finite state is shown."),
    }
}

fn headline(input: &PageInput<'_>) -> Markup {
    let method = html! { b { (input.fit.provenance.method) } };
    let stop = stop_sentence(input);
    match &input.fit.truth {
        Truth::Classes { .. } => {
            let sure = Certainty::of(input);
            let word = if input.inspection.chains.is_some() { ("token", "tokens") } else { ("item", "items") };
            html! {
                "Answers for " b { (counted(sure.units, word.0, word.1)) } " by " (method) ". "
                @if voting(input) {
                    "In " (count(sure.at_least(0.95))) " of them (" (percent(sure.share(0.95)))
                    ") at least 95 % of the vote is for the answer. "
                } @else {
                    "It is at least 95 % sure of " (count(sure.at_least(0.95))) " of them (" (percent(sure.share(0.95)))
                    ") and, if its model holds, expects "
                    @if sure.expected_errors < 0.5 { "none" } @else { "about " (count(sure.expected_errors.round() as usize)) }
                    " of its answers to be wrong. "
                }
                @if sure.tied > 0 {
                    (counted(sure.tied, "item is a tie", "items are ties")) ": the first of the best classes was taken. "
                }
                @if let Some(a) = input.evaluation.and_then(|e| e.accuracy) {
                    "Where the truth is known, " b { (percent(a)) } " are right. "
                }
                (stop)
            }
        }
        Truth::Real { value, sd } => {
            let known = value.iter().filter(|v| v.is_finite()).count();
            let middle = median(sd);
            html! {
                "Estimates for " b { (counted(known, "item", "items")) } " by " (method) ". "
                @if let Some(m) = middle { "The middle standard error is " (significant(m)) ". " }
                (stop)
            }
        }
        Truth::Clusters { cluster, .. } => {
            let clusters = cluster.iter().max().map_or(0, |c| *c as usize + 1);
            html! {
                (counted(cluster.len(), "item", "items")) " in " b { (counted(clusters, "cluster", "clusters")) }
                " by " (method) ". " (stop)
            }
        }
        Truth::Scores { score, component, .. } => {
            let components = component.iter().max().map_or(0, |c| *c as usize + 1);
            html! {
                "A ranking of " b { (counted(score.len(), "item", "items")) } " by " (method) ". "
                @if components > 1 {
                    "The comparisons fall into " (count(components))
                    " parts that nothing connects; places are comparable only within a part. "
                }
                (stop)
            }
        }
    }
}

/// Whether probabilities are shares of a vote rather than statements of a model.
pub fn voting(input: &PageInput<'_>) -> bool {
    matches!(input.fit.annotators, Annotators::None | Annotators::Weight { .. })
}

fn median(values: &[f64]) -> Option<f64> {
    let mut v: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    v.sort_unstable_by(f64::total_cmp);
    (!v.is_empty()).then(|| v[v.len() / 2])
}

fn tiles(input: &PageInput<'_>) -> Markup {
    let i = input.inspection;
    let per = |s: &crowdwise_core::questions::Spread| format!("median {} per", middle(s.median));
    html! {
        dl.tiles {
            (tile(if i.chains.is_some() { "Tokens" } else { "Items" }, &count(i.items), &unlabelled(input)))
            @if let Some(r) = &i.rankings {
                (tile("Rankings", &count(r.count), &format!("median length {}", middle(r.length.median))))
            }
            @if i.kind == LabelKind::Preference || i.kind == LabelKind::Similarity {
                @let pairs = i.comparisons.map_or(i.units, |c| c.pairs);
                (tile("Pairs compared", &count(pairs), &format!("{} item pair", per(&i.labels_per_unit))))
            }
            @if let Some(c) = &i.chains {
                (tile("Sequences", &count(c.count), &format!("median length {}", middle(c.length.median))))
                @if let Some((f1, s)) = c.spans.as_ref().and_then(|s| Some((s.f1?, s))) {
                    (tile("Span agreement (F1)", &decimal(f1, 2), &format!("{} spans marked", count(s.spans as usize))))
                }
            }
            (tile("Annotators", &count(i.annotators), &format!("{} annotator", per(&i.labels_per_annotator))))
            (tile(if i.rankings.is_some() { "Comparisons" } else { "Labels" }, &count(i.labels), &match i.kind {
                _ if i.rankings.is_some() => "in the rankings".into(),
                LabelKind::Categorical | LabelKind::Real => format!("{} {}", per(&i.labels_per_unit), if i.chains.is_some() { "token" } else { "item" }),
                _ => String::new(),
            }))
            @if i.kind == LabelKind::Categorical { (tile("Classes", &count(i.classes), "")) }
            @if let Some(v) = &i.values {
                (tile("Values", &format!("{}…{}", significant(v.min), significant(v.max)), &format!("mean {}", significant(v.mean))))
            }
            @if let Some(c) = i.comparisons.as_ref().filter(|_| i.rankings.is_none()) { (tile("Ties", &percent(c.tie_share), &format!("{} of all labels", count(c.ties as usize)))) }
            @if let Some(a) = i.agreement.krippendorff_alpha {
                (tile("Agreement (α)", &decimal(a, 2), &i.agreement.alpha_interval.map_or(String::new(), |x| format!("{:.0} %: {}", 100.0 * i.agreement.interval_level, interval(x, |v| decimal(v, 2))))))
            }
            @if let Some(a) = input.evaluation.and_then(|e| e.accuracy) {
                (tile("Accuracy", &percent(a), &format!("on {} with known truth", count(input.evaluation.map_or(0, |e| e.n)))))
            }
        }
    }
}

/// A median of counts: whole, or a half.
fn middle(x: f64) -> String {
    if x.fract() == 0.0 { count(x as usize) } else { crate::number::trimmed(x, 1) }
}

fn unlabelled(input: &PageInput<'_>) -> String {
    match input.inspection.unlabelled {
        0 => String::new(),
        n => format!("{} without a label", count(n)),
    }
}

fn tile(name: &str, value: &str, note: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) @if !note.is_empty() { small { (note) } } } } }
}

/// How sure the answers of a fit of classes are.
struct Certainty {
    units: usize,
    /// Units per band of [`BANDS`].
    bands: [usize; BANDS.len()],
    tied: usize,
    expected_errors: f64,
}

/// Lower ends of the bands of top probability.
const BANDS: [(f64, &str); 6] = [
    (0.99, "99 to 100 %"),
    (0.95, "95 to 99 %"),
    (0.8, "80 to 95 %"),
    (0.6, "60 to 80 %"),
    (0.4, "40 to 60 %"),
    (0.0, "below 40 %"),
];

impl Certainty {
    fn of(input: &PageInput<'_>) -> Self {
        let view = LabelView::new(input.data, input.fit);
        let mut out = Certainty { units: view.len(), bands: [0; BANDS.len()], tied: 0, expected_errors: 0.0 };
        if input.fit.posterior().is_some_and(|(k, _)| k > 0) {
            for u in 0..view.len() {
                let row = view.row(u);
                let band = BANDS.iter().position(|b| row.probability >= b.0 - 1e-9).unwrap_or(BANDS.len() - 1);
                out.bands[band] += 1;
                out.tied += usize::from(row.tied);
                out.expected_errors += (1.0 - row.probability).max(0.0);
            }
        }
        out
    }

    fn at_least(&self, p: f64) -> usize {
        BANDS.iter().zip(self.bands).filter(|(b, _)| b.0 >= p).map(|(_, n)| n).sum()
    }

    fn share(&self, p: f64) -> f64 {
        self.at_least(p) as f64 / self.units.max(1) as f64
    }
}

fn certainty(input: &PageInput<'_>) -> Markup {
    if !matches!(input.fit.truth, Truth::Classes { k, .. } if k > 1) {
        return html! {};
    }
    let c = Certainty::of(input);
    let most = c.bands.iter().copied().max().unwrap_or(0) as f64;
    html! {
        div.wide {
            table {
                caption {
                    b { "How sure the answers are. " }
                    @if voting(input) { "Share of the vote for the answer." } @else { "Probability of the answer." }
                }
                thead { tr { th { "Probability" } th aria-hidden="true" {} th.r { "Items" } th.r { "Share" } } }
                tbody {
                    @for (band, n) in BANDS.iter().zip(c.bands) {
                        tr {
                            th.nw scope="row" { (band.1) }
                            td { (bar(n as f64, most)) }
                            td.r { (count(n)) }
                            td.r { (percent(n as f64 / c.units.max(1) as f64)) }
                        }
                    }
                }
            }
        }
        @if input.data.gold.is_some() { p.note { "Items with gold labels used in fitting are counted as sure." } }
        @if input.data.source != input.title { p.note { "Data: " (name(&input.data.source)) "." } }
    }
}
