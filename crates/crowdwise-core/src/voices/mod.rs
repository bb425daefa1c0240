//! Annotators who are one voice. Who copies another one adds no opinion, yet every model that takes annotators for
//! independent given the class counts them as one more, and believes those best who agree most: three copies outvote seven
//! others. So copies are looked for before a fit, and the fit sees one label for all of them on each item.

mod collapse;
mod counted;
mod evidence;
mod groups;
mod schools;
mod witness;

use crate::questions::is_sets;
use crate::{Dataset, Finding, Severity, Structure, Subject, group};
pub use collapse::with_answers;
pub(crate) use collapse::{expand, one_label_each};
pub(crate) use counted::Counted;
pub(crate) use evidence::Evidence;
pub use schools::{School, Schools, schools, schools_in};
use serde::{Deserialize, Serialize};

/// Annotators who count as one, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Voice {
    /// In the order of their names; the first one speaks for all.
    pub members: Vec<u32>,
    /// Mean agreement of two members beyond chance (Cohen's κ).
    pub kappa: f64,
    /// The same if they were independent: what the other annotators say of their skill.
    pub expected: f64,
    /// Items that two members have in common, on average.
    pub common: u64,
    /// Items of these on which they differ, and on which independent annotators would.
    pub differ: f64,
    pub would_differ: f64,
    /// Probability of as few differences by chance if no more than [`TOLERATED`] of the labels were copied, of the member for
    /// whom it is largest. To be held against [`FALSE_ALARMS`] over the number of pairs.
    pub p: f64,
}

/// Share of labels that two annotators must have in common beyond their skill, as estimated, to be one voice. Two who copy four
/// labels of five from a third share 0.64; prompts of one language model, or people of one school, mostly share less than half:
/// they are no copies, and where the others are misled they may be those who are right.
pub const COPIED: f64 = 0.6;
/// Share that must be ruled out.
pub const TOLERATED: f64 = 0.4;
/// Probability that any annotators of a crowd without copies count as one, at most, as far as the test knows the crowd.
pub const FALSE_ALARMS: f64 = 0.01;

/// Finds the annotators who are one voice: groups whose members agree so much more than the other annotators' answers explain that
/// most labels must have been copied. Nothing where that cannot be known: fewer than three other voices, others who do not agree
/// with anybody either, too few common items, or data too large to look at (more than 300 annotators with 20 labels).
///
/// If two annotators are independent given the class, and given how hard the item is, then what they say agrees as far as their
/// skills say, κ_ab = s_a s_b, and the skill of the one is known from the others: s_a s_b = Σ κ_ac κ_bd / Σ κ_cd over others c ≠ d.
/// Copying a share c of the labels lifts κ_ab to c + (1 - c) s_a s_b. Good annotators are not taken for copies, however much they
/// agree: the others testify to their skill.
pub fn find(data: &Dataset) -> Vec<Voice> {
    find_and_count(data).0
}

/// The same, with the pairs of annotators as they were counted.
pub(crate) fn find_and_count(data: &Dataset) -> (Vec<Voice>, Option<Evidence>) {
    let Some(evidence) = evidence(data) else { return (Vec::new(), None) };
    let mut found = groups::find(&evidence);
    // the order of the rows must not matter
    let names = data.table.annotators();
    found.iter_mut().for_each(|v| v.members.sort_by_key(|&j| names.name(j as usize)));
    found.sort_by_key(|v| names.name(v.members[0] as usize));
    (found, Some(evidence))
}

/// Counts pairs of annotators, where their agreement can tell who depends on whom.
fn evidence(data: &Dataset) -> Option<Evidence> {
    if !matches!(data.structure, Structure::Independent | Structure::Graph(_)) {
        return None; // tokens of a text err together by themselves
    }
    // and so do classes of a set
    Evidence::of(&data.table).filter(|_| !is_sets(data))
}

/// Members that are named.
const NAMED: usize = 8;

/// What is said about them.
pub(crate) fn told(data: &Dataset, voices: &[Voice]) -> Vec<Finding> {
    let name = |j: &u32| format!("`{}`", data.table.annotators().name(*j as usize));
    let one = |v: &Voice| {
        let mut names: Vec<String> = v.members.iter().take(NAMED).map(name).collect();
        if v.members.len() > NAMED {
            names.push(format!("{} more", v.members.len() - NAMED));
        }
        let last = names.pop().unwrap_or_default();
        Finding::new(
            "one-voice",
            Severity::Warning,
            Subject::Data,
            format!(
                "{} and {last} count as one voice: they agree with a κ of {:.2} on {} common items, where what the other \
                 annotators say of their skill explains {:.2}; two of them differ on {:.0} items, independent ones would on {:.0} \
                 (p {:.1e})",
                names.join(", "),
                v.kappa,
                group(v.common),
                v.expected,
                v.differ,
                v.would_differ,
                v.p.max(1e-300),
            ),
            "see whether they are one person, or one model; ⟦--count-copies⟧ counts each of them",
        )
    };
    voices.iter().map(one).collect()
}

#[cfg(test)]
mod tests;
