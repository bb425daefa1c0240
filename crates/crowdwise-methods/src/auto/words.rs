//! Why it chose what it chose, in words and in numbers.

use super::candidates::Candidate;
use super::choose::{Choice, Votes};
use crowdwise_core::{Dataset, Finding, Outcome, Severity, Subject};
use serde_json::{Map, Value, json};

/// Scores closer than this do not decide between accuracies and matrices …
const CLOSE: f64 = 0.005;
/// … which matters when their labels differ on more than this share of the items.
const MATTERS: f64 = 0.05;
/// Below this share of items with another label, the votes are enough.
const ENOUGH: f64 = 0.01;

fn chosen(message: String, advice: &str) -> Finding {
    Finding::new("chosen", Severity::Info, Subject::Fit, message, advice)
}

/// Comparisons that are too few to choose by.
pub(super) fn too_few(mut out: Outcome, method: &str, decided: usize) -> Outcome {
    out.findings.push(chosen(
        format!(
            "`{method}` was used: {decided} comparisons with a winner are too few to hold some out and choose by them"
        ),
        "collect more comparisons",
    ));
    out.diagnostics.details.insert("used".into(), json!([method]));
    out
}

/// When there is nothing to choose.
pub(super) fn simple(mut out: Outcome, data: &Dataset, method: &str, why: &str) -> Outcome {
    out.findings
        .push(chosen(format!("`{method}` was used: {why}"), "more annotators who share items would allow more"));
    out.findings.extend(thin(data));
    out.diagnostics.details.insert("used".into(), json!([method]));
    out
}

/// Fewer than two labels an item: nobody can be checked.
fn thin(data: &Dataset) -> Option<Finding> {
    let labelled = (0..data.table.n_units()).filter(|&u| data.table.degree(u) > 0).count().max(1);
    let per_item = data.table.n_labels() as f64 / labelled as f64;
    (per_item < 2.0).then(|| {
        Finding::new(
            "few-labels-per-item",
            Severity::Warning,
            Subject::Data,
            format!("items have {per_item:.2} labels on average: annotators can hardly be compared with each other"),
            "give more items a second and third label, or check the result on items of known truth",
        )
    })
}

pub(super) fn explain(fits: &[Candidate], choice: &Choice, votes: &Votes<'_>, data: &Dataset) -> Vec<Finding> {
    let names: Vec<&str> = choice.used.iter().map(|&x| fits[x].name).collect();
    let best =
        *choice.used.iter().max_by(|a, b| choice.scores[**a].total_cmp(&choice.scores[**b])).expect("some are used");
    let c = &fits[best];
    let mut text = match names.len() {
        1 => format!("the model `{}` was used", names[0]),
        n => format!("the mean of {n} models was used ({})", names.join("; ")),
    };
    text += &format!(
        ": labels agree with what the others say to {:.3} (plain votes {:.3}), class shares moved by {:.3}",
        c.agreement, votes.agreement, c.departure.drift
    );
    for (f, why) in fits.iter().zip(&choice.rejected) {
        if let Some(why) = why {
            text += &format!("; `{}` was rejected because {why}", f.name);
        }
    }
    let differ = votes.differs(&c.fitted.posterior);
    let advice = if differ < ENOUGH {
        text += &format!("; majority vote is enough here: it differs on {:.1} % of the items", 100.0 * differ);
        "`-m majority-vote` gives nearly the same labels"
    } else {
        text += &format!("; majority vote differs on {:.1} % of the items", 100.0 * differ);
        "`compare` shows the candidates beside other methods; a few hundred items of known truth would settle it"
    };
    let mut out = vec![chosen(text, advice)];
    out.extend(undecided(fits, choice));
    out.extend(thin(data));
    out
}

/// Accuracies and matrices score alike and label differently.
fn undecided(fits: &[Candidate], choice: &Choice) -> Option<Finding> {
    let best = |coin: bool| {
        (0..fits.len())
            .filter(|&x| fits[x].coin == coin && choice.rejected[x].is_none())
            .max_by(|&a, &b| choice.scores[a].total_cmp(&choice.scores[b]))
    };
    let (one, full) = (best(true)?, best(false)?);
    let close = (choice.scores[one] - choice.scores[full]).abs() < CLOSE;
    let k = fits[one].fitted.prior.len();
    let top = |row: &[f64]| (0..k).fold(0, |a, b| if row[b] > row[a] { b } else { a });
    let rows = |x: usize| fits[x].fitted.posterior.chunks_exact(k);
    let differ = rows(one).zip(rows(full)).filter(|(a, b)| top(a) != top(b)).count();
    let share = differ as f64 / rows(one).len().max(1) as f64;
    (close && share > MATTERS).then(|| {
        Finding::new(
            "cannot-tell",
            Severity::Warning,
            Subject::Fit,
            format!(
                "the data do not tell whether annotators differ by one accuracy or by confusion matrices (scores {:.3} and \
                 {:.3}), and the labels differ on {:.0} % of the items",
                choice.scores[one],
                choice.scores[full],
                100.0 * share
            ),
            "find the truth of some of those items: `crowdwise compare` with --truth then decides",
        )
    })
}

pub(super) fn all_rejected(fits: &[Candidate], votes: &Votes<'_>) -> Vec<Finding> {
    let reasons: Vec<String> = fits.iter().map(|f| format!("`{}` {:.3}", f.name, f.agreement)).collect();
    vec![Finding::new(
        "all-rejected",
        Severity::Warning,
        Subject::Fit,
        format!(
            "every model collapsed or overruled unanimous annotators (agreement {}; plain votes {:.3}): two steps from the votes \
             were used, and their probabilities say little",
            reasons.join(", "),
            votes.agreement
        ),
        "do annotators ever say more than one class? `lf-em` and `label-model` are made for sources that do not",
    )]
}

/// The numbers behind the words.
pub(super) fn details(
    map: &mut Map<String, Value>,
    rest: &[Candidate],
    used: &[Candidate],
    choice: &Choice,
    votes: &Votes<'_>,
) {
    let mut rows: Vec<Value> = Vec::new();
    let mut all: Vec<&Candidate> = rest.iter().collect();
    if !choice.used.is_empty() {
        all.extend(used);
        all.sort_by_key(|c| ORDER.iter().position(|n| *n == c.name));
    }
    for (x, c) in all.iter().enumerate() {
        rows.push(json!({
            "model": c.name,
            "agreement": c.agreement,
            "drift": c.departure.drift,
            "overruled_unanimous": c.departure.breaks,
            "swallowed": c.departure.swallowed,
            "score": choice.scores[x],
            "rejected": choice.rejected[x],
            "iterations": c.fitted.run.iterations,
        }));
    }
    map.insert("candidates".into(), rows.into());
    map.insert("used".into(), used.iter().map(|c| c.name).rev().collect());
    map.insert("votes_agreement".into(), votes.agreement.into());
}

/// The candidates in the order in which they are fitted.
const ORDER: [&str; 4] = ["accuracies", "matrices", "annealed matrices", "matrices, even classes"];
