//! What the probabilities rest on, in words and in numbers.

use crate::classes::calibration::{Errors, Excess, Rehearsal, Strength};
use crowdwise_core::{Dataset, Finding, Severity, Subject};
use serde_json::{Map, Value, json};

/// Share of each class: the mean of the probabilities of the labelled items.
pub(super) fn shares(posterior: &[f64], data: &Dataset, k: usize) -> Option<Vec<f64>> {
    let mut sum = vec![0.0; k];
    let mut n = 0.0;
    for (_, row) in posterior.chunks_exact(k).enumerate().filter(|(u, _)| data.table.degree(*u) > 0) {
        sum.iter_mut().zip(row).for_each(|(s, p)| *s += p);
        n += 1.0;
    }
    (n > 0.0).then(|| sum.iter().map(|s| s / n).collect())
}

/// More likely than not.
const EVEN: f64 = 0.5;

/// Keeps the numbers and says in words what was used.
pub(super) fn tell(
    map: &mut Map<String, Value>,
    errors: Errors,
    strength: &Strength,
    rehearsal: &Rehearsal,
    excess: &Excess,
    known: usize,
) -> Finding {
    let learned = strength.gold != 1.0;
    let used = match (learned, errors) {
        (true, _) => "gold",
        (false, Errors::Estimate) => "labels",
        (false, Errors::Independent | Errors::Shared) => "told",
    };
    map.insert(
        "certainty".into(),
        json!({
            "from": used,
            "overfit_power": strength.overfit,
            "rehearsed_items": rehearsal.items,
            "shared_errors": strength.shared,
            "excess_correlation": excess.correlation,
            "excess_error": excess.error.is_finite().then_some(excess.error),
            "gold_power": strength.gold,
            "gold_items": known,
        }),
    );
    let mut text = match errors {
        Errors::Independent => "probabilities assume that annotators err independently, as requested".to_owned(),
        Errors::Shared => "probabilities allow for items that mislead several annotators at once, as requested".to_owned(),
        Errors::Estimate if !excess.error.is_finite() => {
            "too few items have two labels to see whether annotators make the same mistakes; the probabilities allow for it in part"
                .to_owned()
        }
        Errors::Estimate if strength.shared > EVEN => {
            "annotators tend to make the same mistakes, so each further label of an item adds less to its probability".to_owned()
        }
        Errors::Estimate => {
            "annotators seem to err independently, so every label counts nearly in full towards the probabilities".to_owned()
        }
    };
    if learned {
        let way = if strength.gold < 1.0 { "less" } else { "more" };
        text += &format!("; the {known} items of known class made the probabilities {way} confident");
    }
    let advice = if learned {
        "if you know better, say so with ⟦-p errors=independent⟧ or ⟦-p errors=shared⟧"
    } else {
        "the true classes of 20 or more items (⟦--gold⟧) would show how far to trust them; if you know how annotators err, \
         say so with ⟦-p errors=independent⟧ or ⟦-p errors=shared⟧"
    };
    Finding::new("certainty", Severity::Info, Subject::Fit, text, advice)
}
