//! What a pilot cannot tell.

use super::level::GoldLevel;
use crate::answers::Answers;
use crowdwise_core::questions::Parts;
use crowdwise_core::{Finding, Severity, Subject};

/// Gold items from which the level is known as well as it is worth.
const GOLD: usize = 30;
/// Below so many items chance decides.
const ITEMS: usize = 50;
/// Labels from which an annotator's mistakes begin to show.
const LABELS: usize = 5;

/// Everything that makes a plan from these answers doubtful, the worst first.
pub fn doubts(answers: &Answers, parts: Parts, gold: Option<GoldLevel>) -> Vec<Finding> {
    let mut out = Vec::new();
    let mut say = |code: &str, severity: Severity, message: String, advice: &str| {
        out.push(Finding::new(code, severity, Subject::Data, message, advice));
    };
    let labelled = answers.n_labelled();
    let twice = (0..answers.n_items()).filter(|&n| answers.degree(n) >= 2).count();
    if 2 * twice < labelled {
        say(
            "few-labels-per-item",
            Severity::Problem,
            format!(
                "{twice} of {labelled} items have two labels or more: the others tell nothing about the annotators"
            ),
            "ask for a second and third label of some hundred items, then plan",
        );
    }
    if parts.count > 1 {
        let outside = parts.labelled - parts.largest_units;
        say(
            "disconnected",
            Severity::Problem,
            format!(
                "the annotators are in {} groups that share no item ({outside} items are outside of the largest): who is better in \
                 one group than in another cannot be told",
                parts.count
            ),
            "let some annotators of each group label items of the others",
        );
    }
    if answers.by_class().iter().filter(|n| **n > 0).count() < 2 {
        say(
            "one-class",
            Severity::Problem,
            "all labels are of one class: nothing shows who is right".into(),
            "plan when there are labels of two classes",
        );
    }
    if labelled < ITEMS {
        say(
            "few-items",
            Severity::Warning,
            format!("{labelled} items have labels, but a plan needs about {ITEMS}"),
            "label more items first",
        );
    }
    let active = answers.by_annotator().iter().filter(|n| **n > 0).count();
    let few = answers.by_annotator().iter().filter(|n| **n > 0 && (**n as usize) < LABELS).count();
    if 2 * few > active {
        say(
            "few-labels-per-annotator",
            Severity::Warning,
            format!(
                "{few} of {active} annotators gave fewer than {LABELS} labels: who of them is good is hardly known"
            ),
            "fewer annotators with more labels each tell more",
        );
    }
    match gold {
        Some(g) if g.n >= GOLD => {}
        Some(g) => say(
            "few-gold",
            Severity::Warning,
            format!("{} gold items with labels leave the level of the accuracy open: at least {GOLD} are needed", g.n),
            "have the true label of 30 to 50 random items found out",
        ),
        None => say(
            "no-gold",
            Severity::Warning,
            "without gold no method sees when most annotators agree on a wrong answer: the accuracy may be 16 points off".into(),
            "have the true label of 30 to 50 random items found out, and give them with ⟦--gold FILE⟧",
        ),
    }
    out.sort_by_key(|f| std::cmp::Reverse(f.severity));
    out
}
