//! Schools: annotators who share a view of their own (a notion of a class, a teacher, a family of language models) and depend on each
//! other given the class, without copying.

use super::counted::Counted;
use super::evidence::{Evidence, Seen};
use super::groups::{Rule, test, tree};
use super::witness::Witnesses;
use crate::{Context, Dataset};
use serde::Serialize;

/// Annotators who depend on each other given the class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct School {
    /// In increasing order.
    pub members: Vec<u32>,
    /// Mean κ of two members, and what it would be if they were independent: what those outside say of their skill.
    pub kappa: f64,
    pub expected: f64,
    /// Items that two members have in common, on average.
    pub common: u64,
    /// Probability of agreeing as much by chance.
    pub p: f64,
}

impl School {
    /// Share of their labels that two members would have to copy to agree as much as they do.
    pub fn copied(&self) -> f64 {
        ((self.kappa - self.expected) / (1.0 - self.expected).max(1e-9)).clamp(0.0, 1.0)
    }
}

/// The schools of a crowd. Annotators of none are on their own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Schools {
    pub list: Vec<School>,
    /// Annotators outside of all schools.
    pub alone: usize,
    /// Where two schools are all that there is: which of them is to be believed, if anything tells. See [`Schools::count_once`].
    pub believed: Option<usize>,
}

/// Two members must agree as if this share of the labels were copied, and this much is ruled out: less than that is no view to speak
/// of, and item difficulty or similar habits may explain it.
const RULE: Rule = Rule { copied: 0.15, each: 0.05, tolerated: 0.05, every: false, alone: false };
/// Annotators whose skill is lower agree with nobody.
const SKILL: f64 = 0.2;
/// A school that is smaller than this share of the two is one voice among the members of the other.
const MINORITY: f64 = 0.4;
/// Between two schools of similar size the one that agrees with itself more, by this factor in κ, is believed: those who are right
/// agree, and those who are wrong have many ways to be so.
const CLEARLY: f64 = 1.25;

/// How alike members of two groups are over those of one, at most, if these are two.
const APART: f64 = 0.8;

/// Mean over every two of two groups, or of one, of whom it is known.
fn mean_of(x: &[usize], y: &[usize], alike: &impl Fn(usize, usize) -> Option<f64>) -> f64 {
    let pairs = x.iter().flat_map(|&a| y.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b);
    let (sum, n) = pairs.filter_map(|(a, b)| alike(a, b)).fold((0.0, 0.0), |t, z| (t.0 + z, t.1 + 1.0));
    if n > 0.0 { sum / n } else { 0.0 }
}

impl Schools {
    /// The groups that count as one voice each. Where two schools are all that there is, data cannot tell which of them knows the
    /// truth, and who is believed is a choice: of a school and a small minority the large one is taken for independent annotators.
    /// Of two of similar size the one that agrees clearly more with itself is; `None` where neither does: then all count on their
    /// own, as without schools.
    pub fn count_once(&self) -> Option<Vec<&[u32]>> {
        let all = || self.list.iter().map(|s| s.members.as_slice());
        if self.list.len() > 2 || self.list.len() + self.alone > 3 {
            return Some(all().collect());
        }
        let believed = self.believed?;
        Some(all().enumerate().filter(|(g, _)| *g != believed).map(|x| x.1).collect())
    }
}

/// Finds schools: groups whose members agree with each other beyond what those outside explain (see [`super::find`], with smaller
/// shares of common labels). Item difficulty that all share makes none. `None` where there are none, or where too few common items,
/// too many annotators or too few outside of a group do not allow to say so.
///
/// The probability to find any in a crowd of independent annotators is at most [`super::FALSE_ALARMS`] as far as the test knows the
/// crowd; none of 150 simulated ones had any.
pub fn schools(data: &Dataset) -> Option<Schools> {
    among(data, &super::evidence(data)?)
}

/// The same inside of a fit, which has mostly counted the pairs of annotators before.
pub fn schools_in(data: &Dataset, cx: &mut Context<'_>) -> Option<Schools> {
    among(data, &*Counted::of(data, cx)?)
}

fn among(data: &Dataset, evidence: &Evidence) -> Option<Schools> {
    let everybody = Witnesses::new(evidence, &[], &[]);
    let skill = everybody.skills(&everybody.on(Seen::All));
    // κ of two over what their skills explain: above 1 inside of a school, below 1 between schools, whatever the skills
    let alike = |a: usize, b: usize| {
        let known = skill[a] >= SKILL && skill[b] >= SKILL;
        known.then(|| evidence.kappa(a, b, Seen::All)).flatten().map(|x| x / (skill[a] * skill[b]))
    };
    let (nodes, mut open) = tree(evidence, 0.0, alike);
    // members of two schools are less alike than those of one: a group that falls into two is not one, if both are
    let falls = |x: usize, y: usize| {
        let between = mean_of(&nodes[x].members, &nodes[y].members, &alike);
        let inside = [x, y].map(|z| mean_of(&nodes[z].members, &nodes[z].members, &alike));
        between < APART * inside[0].min(inside[1])
    };
    let tested = |x: usize| test(evidence, &nodes[x].members, &[], RULE);
    let mut list = Vec::new();
    while let Some(x) = open.pop() {
        let parts = nodes[x].parts.filter(|p| nodes[p.0].members.len() > 1 || nodes[p.1].members.len() > 1);
        let two = parts.filter(|p| nodes[p.0].members.len() > 1 && nodes[p.1].members.len() > 1 && falls(p.0, p.1));
        let split = two.is_some_and(|p| tested(p.0).is_some() && tested(p.1).is_some());
        match tested(x).filter(|_| !split) {
            Some(v) => {
                list.push(School {
                    members: v.members,
                    kappa: v.kappa,
                    expected: v.expected,
                    common: v.common,
                    p: v.p,
                });
            }
            None => open.extend(parts.into_iter().flat_map(|p| [p.0, p.1]).filter(|&p| nodes[p].members.len() > 1)),
        }
    }
    if list.is_empty() {
        return None;
    }
    list.sort_by_key(|s| s.members[0]);
    let alone = data.table.labels_per_annotator().iter().filter(|n| **n > 0).count()
        - list.iter().map(|s| s.members.len()).sum::<usize>();
    let believed = match list.as_slice() {
        [a, b] => {
            let (na, nb) = (a.members.len() as f64, b.members.len() as f64);
            if na.min(nb) < MINORITY * (na + nb) {
                Some(usize::from(nb > na))
            } else if a.kappa.max(b.kappa) > CLEARLY * a.kappa.min(b.kappa) {
                Some(usize::from(b.kappa > a.kappa))
            } else {
                None
            }
        }
        _ => None,
    };
    Some(Schools { list, alone, believed })
}
