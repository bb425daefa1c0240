//! Why it chose what it chose, in words and in numbers.

use super::candidates::Candidate;
use super::choose::{COIN, Choice, MATRICES, Votes};
use super::special::Special;
use crate::classes::sanity::Departure;
use crowdwise_core::{Dataset, Finding, Outcome, Severity, Subject};
use serde_json::{Map, Value, json};

/// Scores closer than this do not decide between accuracies and matrices …
const CLOSE: f64 = 0.005;
/// … which matters when their labels differ on more than this share of the items.
const MATTERS: f64 = 0.05;

fn say(message: String, advice: &str) -> Finding {
    Finding::new("chosen", Severity::Info, Subject::Fit, message, advice)
}

/// Comparisons that are too few to choose by.
pub(super) fn too_few(mut out: Outcome, method: &str, decided: usize) -> Outcome {
    out.findings.push(say(
        format!(
            "`{method}` was used: there are too few comparisons with a winner ({decided}) to test models against each other"
        ),
        "collect more comparisons",
    ));
    out.diagnostics.details.insert("used".into(), json!([method]));
    out
}

/// When there is nothing to choose.
pub(super) fn simple(mut out: Outcome, data: &Dataset, method: &str, why: &str) -> Outcome {
    out.findings.push(say(format!("`{method}` was used: {why}"), "have more annotators label the same items"));
    out.findings.extend(thin(data));
    out.diagnostics.details.insert("used".into(), json!([method]));
    out
}

/// Fewer than two labels per item: nobody can be checked.
pub(super) fn thin(data: &Dataset) -> Option<Finding> {
    let labelled = (0..data.table.n_units()).filter(|&u| data.table.degree(u) > 0).count().max(1);
    let per_item = data.table.n_labels() as f64 / labelled as f64;
    (per_item < 2.0).then(|| {
        Finding::new(
            "few-labels-per-item",
            Severity::Warning,
            Subject::Data,
            format!(
                "there are only {per_item:.2} labels per item, so annotators can hardly be checked against each other"
            ),
            "collect a second and third label for more items, or check the result on items whose truth you know",
        )
    })
}

/// What was used and why.
pub(super) fn chosen(fits: &[Candidate], choice: &Choice, special: Option<&Special>, departure: &Departure) -> Finding {
    let mut text = match (special, choice.used) {
        (Some(s), _) => format!("`{}` was used: {}", s.name, s.why),
        (None, Some(COIN)) if choice.rejected[MATRICES].is_none() => {
            "one accuracy per annotator was used: it explains the labels better than confusion matrices do".into()
        }
        (None, Some(COIN)) => "one accuracy per annotator was used".into(),
        (None, _) => "a confusion matrix per annotator was used: no simpler model explains the labels better".into(),
    };
    for (f, why) in fits.iter().zip(&choice.rejected) {
        if let Some(why) = why {
            text += &format!("; {} ruled out because {why}", words_of(f.name));
        }
    }
    text += &format!("; {}", departure.beside_majority_vote());
    let advice = if departure.majority_vote_is_enough() {
        "⟦-m majority-vote⟧ gives nearly the same labels"
    } else {
        "`compare` shows how other methods answer; a few hundred items of known truth would show which is best"
    };
    say(text, advice)
}

fn words_of(name: &str) -> &'static str {
    if name == "accuracies" { "one accuracy per annotator was" } else { "confusion matrices were" }
}

/// Accuracies and matrices score alike and label differently.
pub(super) fn undecided(fits: &[Candidate], choice: &Choice) -> Option<Finding> {
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
                "one accuracy per annotator and confusion matrices fit the labels equally well, but give different answers \
                 on {:.0} % of the items",
                100.0 * share
            ),
            "find out the truth of some of those items; ⟦crowdwise compare⟧ with ⟦--truth⟧ then shows which is right",
        )
    })
}

/// No model could be used; `instead` was.
pub(super) fn all_rejected(fits: &[Candidate], choice: &Choice, instead: &str) -> Finding {
    let why = |(f, r): (&Candidate, &Option<String>)| {
        format!("{} ruled out because {}", words_of(f.name), r.as_deref().unwrap_or("the others were"))
    };
    let reasons: Vec<String> = fits.iter().zip(&choice.rejected).map(why).collect();
    Finding::new(
        "all-rejected",
        Severity::Warning,
        Subject::Fit,
        format!(
            "no model of the annotators could be trusted here ({}), so {instead} was used; do not rely on the probabilities",
            reasons.join("; ")
        ),
        "collect more labels per item; for sources that only ever vote for one class, try ⟦-m one-class-sources⟧",
    )
}

/// The numbers behind the words.
pub(super) fn details(
    map: &mut Map<String, Value>,
    fits: &[Candidate],
    used: &str,
    choice: &Choice,
    votes: &Votes<'_>,
) {
    let row = |(x, c): (usize, &Candidate)| {
        json!({
            "model": c.name,
            "agreement": c.agreement,
            "drift": c.drift,
            "overruled_unanimous": c.departure.unanimous_overruled as f64 / c.departure.unanimous.max(1) as f64,
            "labels_nobody_gave": c.departure.unheard,
            "score": choice.scores[x],
            "rejected": choice.rejected[x],
            "iterations": c.fitted.run.iterations,
        })
    };
    // what was fitted after all were rejected has no score
    map.insert("candidates".into(), fits.iter().take(choice.scores.len()).enumerate().map(row).collect());
    map.insert("used".into(), json!([used]));
    map.insert("votes_agreement".into(), votes.agreement.into());
}
