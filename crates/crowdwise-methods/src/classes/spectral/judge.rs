//! Judgements between two sides, made for every part and every split of the classes, put together to class posteriors.

use super::crowd::{Coded, Coding, Crowd, Part};
use crate::classes::confusion::shared::complete;
use crowdwise_core::{
    Annotators, Context, Dataset, Diagnostics, Error, Event, Finding, Outcome, Run, Severity, Stop, Subject, group,
    stats,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What becomes of more than two classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Classes {
    /// Thresholds if the classes are ordered, else jointly.
    #[default]
    Auto,
    /// One weight per annotator for all classes together.
    Joint,
    /// One problem per class: this one or another.
    OneVsRest,
    /// One problem per threshold: above or not; the first "not" decides.
    Thresholds,
}

/// What a method finds out about a part: weights of its annotators, and with two sides what is added to every score
/// Σ_j weight_j (+1 or -1); a positive score speaks for the positive side.
#[derive(Debug)]
pub(super) struct Verdict {
    pub weight: Vec<f64>,
    pub offset: f64,
    /// The leading singular value or eigenvalue.
    pub value: f64,
    pub run: Run,
}

/// Parts with fewer annotators tell nothing about them.
pub(super) const FEWEST: usize = 3;

/// Class posteriors and weights of the annotators.
#[derive(Debug)]
pub(super) struct Judgement {
    /// units x K
    posterior: Vec<f64>,
    /// Mean weight over splits, each scaled to a mean size of 1 within its part.
    weight: Vec<f64>,
    diagnostics: Diagnostics,
    findings: Vec<Finding>,
}

/// Runs `solve` on every part of three and more annotators for every problem that the classes make. Where it has no
/// answer (and in smaller parts) votes count alike.
pub(super) fn judge(
    data: &Dataset,
    crowd: &Crowd,
    classes: Classes,
    cx: &mut Context<'_>,
    mut solve: impl FnMut(&mut Context<'_>, Coded<'_>) -> Result<Option<Verdict>, Error>,
) -> Result<Judgement, Error> {
    let (k, units) = (crowd.k, data.table.n_units());
    let classes = classes.of(data);
    let problems = problems(k, classes);
    let mut posterior = vec![0.0; units * k];
    let mut weight = vec![0.0; data.table.n_annotators()];
    let mut total = Run { stop: Stop::Direct, iterations: 0, trace: Vec::new(), settled: None };
    let mut by_vote = vec![false; crowd.parts.len()];
    let largest = (0..crowd.parts.len()).max_by_key(|&p| (crowd.parts[p].items.len(), std::cmp::Reverse(p)));
    let mut values = Vec::new();
    for (s, problem) in problems.iter().enumerate() {
        if problems.len() > 1 {
            cx.event(&Event::Stage { name: format!("problem {} of {}", s + 1, problems.len()) });
        }
        let coding = problem.as_ref().map_or(Coding::Joint, |p| Coding::Value(&p.value));
        for (p, part) in crowd.parts.iter().enumerate() {
            let coded = Coded { crowd, part, coding };
            let mut found = if part.annotators.len() < FEWEST { None } else { solve(cx, coded)? };
            if let Some(v) = &mut found {
                if Some(p) == largest {
                    values.push(v.value);
                }
                merge(&mut total, &mut v.run);
                let mean = v.weight.iter().map(|w| w.abs()).sum::<f64>() / v.weight.len() as f64;
                if mean > 0.0 {
                    v.weight.iter_mut().for_each(|w| *w /= mean);
                    v.offset /= mean;
                }
            }
            by_vote[p] |= found.is_none();
            let (own, offset) = found.map_or((vec![1.0; part.annotators.len()], 0.0), |v| (v.weight, v.offset));
            for (x, &w) in own.iter().enumerate() {
                weight[crowd.annotator[part.annotators.start + x] as usize] += w / problems.len() as f64;
            }
            for i in part.items.clone() {
                let row = &mut posterior[crowd.unit[i] as usize * k..][..k];
                match problem {
                    Some(side) => row[side.column] = share(crowd, part, i, &side.value, &own, offset),
                    None => shares(crowd, part, i, &own, row),
                }
            }
        }
    }
    for i in 0..crowd.unit.len() {
        let row = &mut posterior[crowd.unit[i] as usize * k..][..k];
        match (k, classes) {
            (1, _) => row[0] = 1.0,
            (2, _) => row[0] = 1.0 - row[1],
            (_, Classes::OneVsRest) => normalise(row, crowd.on(i).map(|l| l.1)),
            (_, Classes::Thresholds) => decode(row),
            _ => {}
        }
    }
    let gold = data.gold_classes();
    complete(&mut posterior, data, gold.as_deref(), &vec![1.0 / k as f64; k]);
    let mut diagnostics = total.diagnostics("none");
    diagnostics.objective = None;
    diagnostics.details.insert("parts".into(), json!(crowd.parts.len()));
    diagnostics.details.insert("leading_values".into(), json!(values));
    let mut findings = Vec::new();
    findings.extend(voted(crowd, &by_vote));
    Ok(Judgement { posterior, weight, diagnostics, findings })
}

impl Judgement {
    /// The result, with the annotators' weights.
    pub fn with_weights(self, k: usize) -> Outcome {
        self.outcome(k, |j| Annotators::Weight { weight: std::mem::take(&mut j.weight) })
    }

    /// The result, with the share of each annotator's labels that say the class decided on.
    pub fn with_accuracies(self, crowd: &Crowd) -> Outcome {
        let k = crowd.k;
        self.outcome(k, |own| {
            let decided: Vec<usize> =
                crowd.unit.iter().map(|&u| stats::argmax(&own.posterior[u as usize * k..][..k])).collect();
            let mut accuracy = vec![1.0 / k as f64; own.weight.len()];
            for (p, &j) in crowd.annotator.iter().enumerate() {
                let labels = crowd.by(p);
                let n = labels.len() as f64;
                accuracy[j as usize] = labels.filter(|&(i, c)| decided[i] == c).count() as f64 / n;
            }
            Annotators::Accuracy { k, accuracy }
        })
    }

    fn outcome(mut self, k: usize, annotators: impl FnOnce(&mut Judgement) -> Annotators) -> Outcome {
        let annotators = annotators(&mut self);
        let mut out = Outcome::classes(k, self.posterior, annotators, self.diagnostics);
        out.class_prior = Some(vec![1.0 / k as f64; k]);
        out.findings = self.findings;
        out
    }
}

impl Classes {
    /// What it is for these classes.
    pub(super) fn of(self, data: &Dataset) -> Classes {
        let ordered = data.table.categorical().is_some_and(|c| c.ordered);
        match self {
            Classes::Auto if ordered => Classes::Thresholds,
            Classes::Auto => Classes::Joint,
            other => other,
        }
    }
}

/// One way of seeing the classes as two sides.
struct Sides {
    /// +1 or -1 by class.
    value: Vec<f64>,
    /// Where the share of the positive side goes in a row of K.
    column: usize,
}

/// The problems to solve; `None` is the joint one.
fn problems(k: usize, classes: Classes) -> Vec<Option<Sides>> {
    let sides = |column: usize, positive: &dyn Fn(usize) -> bool| {
        Some(Sides { value: (0..k).map(|c| if positive(c) { 1.0 } else { -1.0 }).collect(), column })
    };
    match (k, classes) {
        (0 | 1, _) => Vec::new(),
        (2, _) => vec![sides(1, &|c| c == 1)],
        (_, Classes::OneVsRest) => (0..k).map(|t| sides(t, &|c| c == t)).collect(),
        (_, Classes::Thresholds) => (0..k - 1).map(|t| sides(t, &|c| c > t)).collect(),
        (_, Classes::Joint | Classes::Auto) => vec![None],
    }
}

/// The score as a share: 1 if all weight is on the positive side, 0 if none; the share of votes where nobody counts.
fn share(crowd: &Crowd, part: &Part, item: usize, value: &[f64], weight: &[f64], offset: f64) -> f64 {
    let (mut score, mut size, mut votes, mut n) = (offset, offset.abs(), 0.0, 0.0);
    for (j, c) in crowd.on(item) {
        let w = weight[j - part.annotators.start];
        score += w * value[c];
        size += w.abs();
        votes += value[c];
        n += 1.0;
    }
    // weights that are nothing but rounding errors do not decide
    if size > 1e-12 { 0.5 + 0.5 * (score / size).clamp(-1.0, 1.0) } else { 0.5 + 0.5 * votes / n }
}

/// Shares of all classes: who counts against counts for all other classes alike.
fn shares(crowd: &Crowd, part: &Part, item: usize, weight: &[f64], row: &mut [f64]) {
    let of = |j: usize| weight[j - part.annotators.start];
    let size: f64 = crowd.on(item).map(|(j, _)| of(j).abs()).sum();
    let labels = crowd.on(item).len() as f64;
    let others = 1.0 / (row.len() - 1) as f64;
    for (j, c) in crowd.on(item) {
        // weights that are nothing but rounding errors do not decide
        let w = if size > 1e-12 { of(j) / size } else { 1.0 / labels };
        if w >= 0.0 {
            row[c] += w;
        } else {
            row.iter_mut().for_each(|r| *r -= others * w);
            row[c] += others * w;
        }
    }
}

/// Shares of classes, each against the rest, as one distribution.
fn normalise(row: &mut [f64], votes: impl Iterator<Item = usize>) {
    let mut sum: f64 = row.iter().sum();
    if sum <= 0.0 {
        for c in votes {
            row[c] += 1.0;
            sum += 1.0;
        }
    }
    row.iter_mut().for_each(|p| *p /= sum);
}

/// Shares "above class t" in the first K - 1 places as one distribution whose largest entry is the class that the first
/// "not above" decides on; it has the share of the weakest decision on the way, the others divide the rest as if every
/// decision were drawn by its share.
fn decode(row: &mut [f64]) {
    let k = row.len();
    let class = row[..k - 1].iter().position(|&s| s < 0.5 - 1e-12).unwrap_or(k - 1);
    let weakest = row[..class].iter().copied().fold(1.0, f64::min);
    let sure = if class < k - 1 { weakest.min(1.0 - row[class]) } else { weakest };
    let mut above = 1.0;
    for t in 0..k {
        let stop = if t < k - 1 { 1.0 - row[t] } else { 1.0 };
        let go_on = 1.0 - stop;
        row[t] = above * stop;
        above *= go_on;
    }
    let others = 1.0 - row[class];
    let scale = if others > 0.0 { (1.0 - sure) / others } else { 0.0 };
    row.iter_mut().for_each(|p| *p *= scale);
    row[class] = 0.0;
    row[class] = 1.0 - row.iter().sum::<f64>();
}

/// Adds a run to what all of them did: the iterations of all, the worst end, the longest trace.
pub(super) fn merge(total: &mut Run, run: &mut Run) {
    total.stop = Stop::worst([total.stop, run.stop]).expect("two are given");
    total.iterations += run.iterations;
    if run.trace.len() > total.trace.len() {
        total.trace = std::mem::take(&mut run.trace);
    }
}

/// Says which items were left to the plain vote.
fn voted(crowd: &Crowd, by_vote: &[bool]) -> Option<Finding> {
    let of = || crowd.parts.iter().zip(by_vote).filter(|(_, v)| **v).map(|(p, _)| p.items.len());
    let (parts, items) = (of().count(), of().sum::<usize>());
    (parts > 0 && crowd.k > 1).then(|| {
        Finding::new(
            "decided-by-vote",
            Severity::Info,
            Subject::Fit,
            format!(
                "{} items in {} of {} separate parts of the data are decided by plain vote (by it alone, or for some \
                 classes): too few annotators, or their agreement does not tell which side is right",
                group(items as u64),
                group(parts as u64),
                group(crowd.parts.len() as u64)
            ),
            "let some annotators label in several parts",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_decide_as_the_first_below_says() {
        let cases: [(&[f64], usize, f64); 5] = [
            (&[0.2, 0.1, 0.0], 0, 0.8),
            (&[0.9, 0.3, 0.6], 1, 0.7),
            (&[0.6, 0.55, 0.51], 3, 0.51),
            (&[1.0, 1.0, 1.0], 3, 1.0),
            (&[0.5, 0.2, 0.2], 1, 0.5),
        ];
        for (shares, class, sure) in cases {
            let mut row = [shares, &[0.0]].concat();
            decode(&mut row);
            assert!((row[class] - sure).abs() < 1e-12 && (row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
            assert!(row.iter().all(|p| (0.0..=row[class] + 1e-12).contains(p)), "{row:?}");
        }
    }

    #[test]
    fn problems_by_kind() {
        let of = |k, c| problems(k, c).into_iter().map(|p| p.map_or(Vec::new(), |s| s.value)).collect::<Vec<_>>();
        for kind in [Classes::OneVsRest, Classes::Thresholds, Classes::Joint] {
            assert_eq!(of(2, kind), [[-1.0, 1.0]]);
        }
        assert_eq!(of(3, Classes::OneVsRest)[2], [-1.0, -1.0, 1.0]);
        assert_eq!(of(3, Classes::Thresholds), [[-1.0, 1.0, 1.0], [-1.0, -1.0, 1.0]]);
        assert_eq!(of(3, Classes::Joint), [Vec::<f64>::new()]);
    }
}
