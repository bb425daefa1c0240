//! The search: groups of annotators that agree, from the largest to their parts, each tested against its witnesses.

use super::evidence::{Evidence, PARTS, Seen};
use super::witness::Witnesses;
use super::{COPIED, FALSE_ALARMS, TOLERATED, Voice};
use crate::stats::{binomial_tail, student_tail};

/// Mean κ that makes a group worth a test.
const ALIKE: f64 = 0.65;
/// Other voices at least: with two, nobody's skill is known.
const WITNESSES: usize = 3;
/// What is expected of independent annotators is taken as large as it may be, at 95 %.
const ERROR: f64 = 1.645;

/// What makes annotators one voice, or a school.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// Estimated share of copied labels at least, on average …
    pub copied: f64,
    /// … and of every member with the others …
    pub each: f64,
    /// … and the share that must be ruled out: for every single member, else for all together.
    pub tolerated: f64,
    pub every: bool,
    /// The same share at least beyond what the closest outsider shares with them. Copying is between the members; a skill or a
    /// view that outsiders have too, such as that of the few who are not misled, shows in how far these agree with them.
    pub alone: bool,
}

const COPIES: Rule = Rule { copied: COPIED, each: COPIED, tolerated: TOLERATED, every: true, alone: true };
/// Members who agree with those outside less than half as well as these do with each other, in skill, may be the few who are not misled:
/// they agree because they are right, and look like copies. So much less, in κ …
const HALF_THE_SKILL: f64 = 0.25;
/// … unless they agree as no independent annotators do.
const EXACT: f64 = 0.95;
/// Differences of two independent members to be expected, below which shares of them have no standard error.
const DIFFERENCES: f64 = 10.0;

/// A group of places, and the two that it was made of.
pub(super) struct Node {
    pub members: Vec<usize>,
    pub parts: Option<(usize, usize)>,
}

pub(super) fn find(evidence: &Evidence) -> Vec<Voice> {
    let (nodes, tops) = tree(evidence, ALIKE, |a, b| evidence.kappa(a, b, Seen::All));
    if tops.is_empty() {
        return Vec::new();
    }
    // copies among the witnesses look as if they knew something: what was found is tested again with every group as one voice,
    // and groups that rest on each other fall
    let mut found: Vec<(Vec<usize>, Voice)> = Vec::new();
    for round in 0..2 {
        let one: Vec<Vec<usize>> = found.iter().map(|f| f.0.clone()).collect();
        let mut now = Vec::new();
        let mut open = tops.clone();
        while let Some(x) = open.pop() {
            let node = &nodes[x];
            if let Some(voice) = test(evidence, &node.members, &one, COPIES) {
                now.push((node.members.clone(), voice));
            } else {
                let parts = node.parts.into_iter().flat_map(|p| [p.0, p.1]);
                open.extend(parts.filter(|&p| nodes[p].members.len() > 1));
            }
        }
        if round > 0 {
            now.retain(|(g, _)| one.contains(g));
        }
        found = now;
        if found.is_empty() {
            return Vec::new();
        }
    }
    found.into_iter().map(|f| f.1).collect()
}

/// Groups by how alike any two are on average, the most alike first while they are at least `least`, and those that are part of no
/// other. Nobody is in a group with somebody of whom that is not known.
pub(super) fn tree(
    evidence: &Evidence,
    least: f64,
    alike: impl Fn(usize, usize) -> Option<f64>,
) -> (Vec<Node>, Vec<usize>) {
    let m = evidence.len();
    let mut nodes: Vec<Node> = (0..m).map(|p| Node { members: vec![p], parts: None }).collect();
    // of every two groups, by the place of their first member; NaN where some pair is not known
    let mut kappa = vec![f64::NAN; m * m];
    for b in 1..m {
        for a in (0..b).filter(|&a| evidence.known(a, b)) {
            let x = alike(a, b).unwrap_or(f64::NAN);
            (kappa[a * m + b], kappa[b * m + a]) = (x, x);
        }
    }
    let mut node: Vec<Option<usize>> = (0..m).map(Some).collect();
    loop {
        let mut best: Option<(f64, usize, usize)> = None;
        for b in (1..m).filter(|&b| node[b].is_some()) {
            for a in (0..b).filter(|&a| node[a].is_some()) {
                let x = kappa[a * m + b];
                if x >= least && best.is_none_or(|y| x > y.0) {
                    best = Some((x, a, b));
                }
            }
        }
        let Some((_, a, b)) = best else { break };
        let (x, y) = (node[a].expect("open"), node[b].take().expect("open"));
        let (na, nb) = (nodes[x].members.len() as f64, nodes[y].members.len() as f64);
        for c in (0..m).filter(|&c| c != a && node[c].is_some()) {
            let mean = (na * kappa[a * m + c] + nb * kappa[b * m + c]) / (na + nb);
            (kappa[a * m + c], kappa[c * m + a]) = (mean, mean);
        }
        let mut members = [nodes[x].members.as_slice(), &nodes[y].members].concat();
        members.sort_unstable();
        nodes.push(Node { members, parts: Some((x, y)) });
        node[a] = Some(nodes.len() - 1);
    }
    let tops = node.into_iter().flatten().filter(|&x| nodes[x].members.len() > 1).collect();
    (nodes, tops)
}

/// The group as one voice, if its members copy, or depend on each other, as the rule says.
pub(super) fn test(evidence: &Evidence, group: &[usize], one: &[Vec<usize>], rule: Rule) -> Option<Voice> {
    let witnesses = Witnesses::new(evidence, group, one);
    if witnesses.len() < WITNESSES {
        return None;
    }
    let said = witnesses.on(Seen::All);
    let skills = witnesses.skills(&said);
    let expected = witnesses.expected(group, &said, &skills);
    let pairs: Vec<(usize, usize)> = (1..group.len()).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    let kappa: Vec<f64> =
        pairs.iter().map(|&(a, b)| evidence.kappa(group[a], group[b], Seen::All)).collect::<Option<_>>()?;
    let beyond = |x: f64, e: f64| (x - e) / (1.0 - e).max(1e-9);
    let copied: Vec<f64> = kappa.iter().zip(&expected).map(|(x, e)| beyond(*x, *e)).collect();
    let others = (group.len() - 1) as f64;
    let of = |x: usize, f: &dyn Fn(usize) -> f64| {
        let own = (0..pairs.len()).filter(|&s| pairs[s].0 == x || pairs[s].1 == x);
        own.map(f).sum::<f64>() / others
    };
    let mean = |f: &dyn Fn(usize) -> f64| (0..pairs.len()).map(f).sum::<f64>() / pairs.len() as f64;
    let short = (0..group.len()).any(|x| of(x, &|s| copied[s]) < rule.each) || mean(&|s| copied[s]) < rule.copied;
    let close = rule.alone && beyond(mean(&|s| kappa[s]), witnesses.closest(group)) < rule.copied;
    let strangers = rule.alone
        && mean(&|s| kappa[s]) < EXACT
        && mean(&|s| expected[s]) < HALF_THE_SKILL * said.mean().unwrap_or(0.0);
    if short || close || strangers || !witnesses.know() {
        return None;
    }
    // standard errors of what is expected, leaving out one part of the items after the other
    let without: Vec<Vec<f64>> =
        (0..PARTS).map(|p| witnesses.expected(group, &witnesses.on(Seen::But(p)), &skills)).collect();
    let n = PARTS as f64;
    let most: Vec<f64> = (0..pairs.len())
        .map(|s| {
            let mean = without.iter().map(|w| w[s]).sum::<f64>() / n;
            let variance = without.iter().map(|w| (w[s] - mean).powi(2)).sum::<f64>() * (n - 1.0) / n;
            (expected[s] + ERROR * variance.sqrt()).min(1.0)
        })
        .collect();
    let pair = |s: usize| evidence.pair(group[pairs[s].0], group[pairs[s].1]);
    // differences of the pair if independent
    let differ = |s: usize, kappa: f64| (1.0 - pair(s).2) * (1.0 - kappa);
    let limit = FALSE_ALARMS / evidence.pairs().max(1) as f64;
    let mut p = 0.0f64;
    if !rule.every {
        // mean share over all pairs, leaving out one part after the other
        let shares: Vec<f64> = (0..PARTS)
            .map(|part| {
                mean(&|s| {
                    let kappa = evidence.kappa(group[pairs[s].0], group[pairs[s].1], Seen::But(part));
                    (kappa.unwrap_or(0.0) - without[part][s]) / (1.0 - without[part][s]).max(1e-9)
                })
            })
            .collect();
        let middle = shares.iter().sum::<f64>() / n;
        let se = (shares.iter().map(|x| (x - middle).powi(2)).sum::<f64>() * (n - 1.0) / n).sqrt();
        p = if mean(&|s| pair(s).0 * differ(s, expected[s])) < DIFFERENCES {
            1.0
        } else {
            student_tail((mean(&|s| copied[s]) - rule.tolerated) / se.max(1e-9), n - 1.0)
        };
    }
    for x in (0..group.len()).filter(|_| rule.every) {
        let (common, differs) = (of(x, &|s| pair(s).0), of(x, &|s| pair(s).1));
        let would = of(x, &|s| pair(s).0 * differ(s, most[s])) / common;
        p = p.max(binomial_tail(common - differs, common, 1.0 - (1.0 - rule.tolerated) * would));
    }
    (p < limit).then(|| Voice {
        members: group.iter().map(|&x| evidence.who[x]).collect(),
        kappa: mean(&|s| kappa[s]),
        expected: mean(&|s| expected[s]),
        common: mean(&|s| pair(s).0).round() as u64,
        differ: mean(&|s| pair(s).1),
        would_differ: mean(&|s| pair(s).0 * differ(s, expected[s])),
        p,
    })
}
