//! What the probabilities rest on, in words and in numbers.

use crate::calibration::{Errors, Excess, Rehearsal, Strength};
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
        Errors::Independent => "probabilities take annotators to err independently, as asked".to_owned(),
        Errors::Shared => "probabilities allow for items that mislead several annotators at once, as asked".to_owned(),
        Errors::Estimate if !excess.error.is_finite() => {
            "too few items have two labels to tell whether annotators make the same mistakes; probabilities allow for it in part"
                .to_owned()
        }
        Errors::Estimate if strength.shared > EVEN => format!(
            "annotators tend to make the same mistakes (correlation {:.3} ± {:.3} beyond chance), so probabilities count \
             further labels of an item for less",
            excess.correlation, excess.error
        ),
        Errors::Estimate => format!(
            "no sign that annotators make the same mistakes (correlation {:.3} ± {:.3} beyond chance), so probabilities count \
             every label nearly in full",
            excess.correlation, excess.error
        ),
    };
    if learned {
        let way = if strength.gold < 1.0 { "less" } else { "more" };
        text += &format!("; {known} items of known class made them {way} sure");
    }
    let advice = if learned {
        "⟦-p errors=independent⟧ or ⟦-p errors=shared⟧ say what the labels cannot"
    } else {
        "known classes of 20 or more items (⟦--gold⟧) would settle how sure to be; ⟦-p errors=independent⟧ or \
         ⟦-p errors=shared⟧ say what the labels cannot"
    };
    Finding::new("certainty", Severity::Info, Subject::Fit, text, advice)
}
