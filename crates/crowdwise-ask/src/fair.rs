//! Fair assignment: which share of the questions each annotator should get, so that labels are as often right as they can be
//! while no group of items is treated worse than another.
//!
//! A linear program after Goel and Faltings (AIES 2019): the shares s maximise the expected accuracy of a label under
//! limits for the gaps of FPR and FNR of the mixture between any two groups, for every share, and for the mean price.

#[cfg(test)]
mod tests;

use crowdwise_core::{Dataset, Error, Problems};
use crowdwise_methods::classes::fairness::Grouped;
use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome, Variable};
use serde::{Deserialize, Serialize};

/// What is asked of the shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Largest gap of the false positive rate between groups, for every class.
    pub fpr_gap: f64,
    /// The same for the false negative rate.
    pub fnr_gap: f64,
    /// Largest share of an annotator.
    pub share: f64,
    /// Largest mean price of a label.
    pub price: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { fpr_gap: 0.02, fnr_gap: 0.02, share: 0.3, price: None }
    }
}

/// What an annotator does, and costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Expected share of right labels.
    pub accuracy: f64,
    /// False positive and false negative rate for class and group, classes x groups.
    pub fpr: Vec<f64>,
    pub fnr: Vec<f64>,
    pub price: f64,
}

/// The shares and what they give.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shares {
    /// Share of each candidate; together 1.
    pub share: Vec<f64>,
    /// Expected accuracy of a label.
    pub accuracy: f64,
    /// Mean price of a label.
    pub price: f64,
    /// Gaps of FPR and FNR by class that the mixture has.
    pub fpr_gap: Vec<f64>,
    pub fnr_gap: Vec<f64>,
    /// By how much the limits of the gaps had to be raised, since no shares keep them: as little as possible. 0 where they are kept.
    pub raised: f64,
}

/// Rates of every annotator from matrices by group. FPR of a class: for other classes in the mix of all items. With two
/// classes the second is positive, and the first would only say the same again; with more every class is.
pub fn candidates(g: &Grouped, price: &[f64], items_by_group: &[f64]) -> Vec<Candidate> {
    let k = g.k;
    let classes: Vec<usize> = if k == 2 { vec![1] } else { (0..k).collect() };
    let all: f64 = items_by_group.iter().sum();
    let one = |j: usize| {
        let says = |z: usize, t: usize, l: usize| g.matrix(j, z)[t * k + l];
        let accuracy = (0..g.groups).map(|z| {
            let right: f64 = (0..k).map(|t| g.share[t] * says(z, t, t)).sum();
            items_by_group[z] / all * right
        });
        let each = |rate: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            classes.iter().flat_map(|&c| (0..g.groups).map(move |z| (c, z))).map(|(c, z)| rate(c, z)).collect()
        };
        let fpr = |c: usize, z: usize| {
            let wrong: f64 = (0..k).filter(|&t| t != c).map(|t| g.share[t] * says(z, t, c)).sum();
            wrong / (1.0 - g.share[c]).max(1e-12)
        };
        Candidate { accuracy: accuracy.sum(), fpr: each(&fpr), fnr: each(&|c, z| 1.0 - says(z, c, c)), price: price[j] }
    };
    (0..g.pooled.len() / (k * k)).map(one).collect()
}

/// Matrices by group counted on the items whose class is known, or under `posterior` where none is. One label in every cell,
/// and ten of the annotator's own matrix on all items.
pub fn matrices(data: &Dataset, posterior: Option<&[f64]>) -> Result<Grouped, Error> {
    if data.attribute.is_none() {
        return Err(Error::Unsupported {
            what: "fair shares need groups of items".into(),
            hint: Some("⟦--attribute FILE⟧ reads the columns item and group".into()),
        });
    }
    let k = data.table.n_classes();
    if let Some(gold) = data.gold_classes() {
        let table = &data.table;
        let unit: Vec<usize> = (0..table.n_units()).flat_map(|u| table.rows(u).map(move |_| u)).collect();
        let known = data.without_rows(|r| gold[unit[r]].is_none());
        let mut q = vec![0.0; table.n_units() * k];
        gold.iter().enumerate().filter_map(|(u, c)| Some((u, (*c)?))).for_each(|(u, c)| q[u * k + c as usize] = 1.0);
        return Ok(Grouped::count(&known, &q, 1.0, 1.0, PULL));
    }
    let posterior = posterior
        .ok_or_else(|| Error::Unsupported { what: "fair shares need known classes or a fit".into(), hint: None })?;
    Ok(Grouped::count(data, posterior, 1.0, 1.0, PULL))
}

/// Labels of the annotator's own matrix that are added to every row of a group's.
const PULL: f64 = 10.0;

/// The best shares of `candidates` on `groups` groups of items.
pub fn assign(candidates: &[Candidate], groups: usize, limits: &Limits) -> Result<Shares, Error> {
    check(candidates, groups, limits)?;
    let cheapest = cheapest(candidates, limits.share);
    if let Some(limit) = limits.price.filter(|p| cheapest > p + 1e-12) {
        return Err(Error::Unsupported {
            what: format!(
                "no shares cost {limit} a label: with at most {} each, the cheapest cost {cheapest:.4}",
                limits.share
            ),
            hint: Some("raise the price, or the largest share".into()),
        });
    }
    if let Some(share) = solve(candidates, groups, limits, Aim::Accuracy(0.0))? {
        Ok(describe(candidates, groups, share, 0.0))
    } else {
        let least = solve(candidates, groups, limits, Aim::Gap)?.ok_or_else(unsolved)?;
        let have = describe(candidates, groups, least, 0.0);
        let over = |gaps: &[f64], limit: f64| gaps.iter().map(|g| g - limit).fold(0.0, f64::max);
        let raised = over(&have.fpr_gap, limits.fpr_gap).max(over(&have.fnr_gap, limits.fnr_gap));
        // of all shares with that gap the most accurate ones; without rounding there would be some
        let best = solve(candidates, groups, limits, Aim::Accuracy(raised + 1e-9))?;
        Ok(best.map_or(Shares { raised, ..have }, |share| describe(candidates, groups, share, raised)))
    }
}

fn check(candidates: &[Candidate], groups: usize, limits: &Limits) -> Result<(), Error> {
    let mut p = Problems::default();
    p.within("fpr_gap", limits.fpr_gap, 0.0, 1.0);
    p.within("fnr_gap", limits.fnr_gap, 0.0, 1.0);
    let least = 1.0 / candidates.len().max(1) as f64;
    let must = format!("at least 1 / {} = {least:.4} (the shares must come to 1) and at most 1", candidates.len());
    p.require(limits.share >= least - 1e-12 && limits.share <= 1.0, "share", format!("{}", limits.share), &must);
    if let Some(price) = limits.price {
        p.at_least("price", price, 0.0);
    }
    Error::all(p.0)?;
    if candidates.is_empty() || groups == 0 {
        return Err(Error::NoData {
            file: "the answers".into(),
            what: "have no annotators or groups to choose among".into(),
            hint: None,
        });
    }
    Ok(())
}

/// Mean price of the cheapest shares.
fn cheapest(candidates: &[Candidate], most: f64) -> f64 {
    let mut prices: Vec<f64> = candidates.iter().map(|c| c.price).collect();
    prices.sort_by(f64::total_cmp);
    let (mut left, mut sum) = (1.0f64, 0.0);
    for p in prices {
        let s = left.min(most);
        (left, sum) = (left - s, sum + s * p);
    }
    sum
}

#[derive(Clone, Copy)]
enum Aim {
    /// The highest accuracy with limits of the gaps raised by this.
    Accuracy(f64),
    /// The smallest raise.
    Gap,
}

/// The program. Instead of a row for every pair of groups, each class and kind of error has a free variable "lowest rate", and every
/// group's rate lies between it and it plus the limit: 2 G rows. `None`: infeasible.
fn solve(candidates: &[Candidate], groups: usize, limits: &Limits, aim: Aim) -> Result<Option<Vec<f64>>, Error> {
    let (direction, raise) = match aim {
        Aim::Accuracy(raise) => (OptimizationDirection::Maximize, raise),
        Aim::Gap => (OptimizationDirection::Minimize, 0.0),
    };
    let gap = matches!(aim, Aim::Gap);
    let mut program = Problem::new(direction);
    let worth = |c: &Candidate| if gap { 0.0 } else { c.accuracy };
    let share: Vec<Variable> = candidates.iter().map(|c| program.add_var(worth(c), (0.0, limits.share))).collect();
    let slack = gap.then(|| program.add_var(1.0, (0.0, 1.0)));
    program.add_constraint(share.iter().map(|&s| (s, 1.0)), ComparisonOp::Eq, 1.0);
    if let Some(price) = limits.price {
        let row = share.iter().zip(candidates).map(|(&s, c)| (s, c.price));
        program.add_constraint(row, ComparisonOp::Le, price);
    }
    let classes = candidates[0].fpr.len() / groups;
    for class in 0..classes {
        for (limit, missed) in [(limits.fpr_gap, false), (limits.fnr_gap, true)] {
            if limit + raise >= 1.0 {
                continue; // rates differ by 1 at most
            }
            let lowest = program.add_var(0.0, (0.0, 1.0));
            for z in 0..groups {
                let rate = |c: &Candidate| if missed { c.fnr[class * groups + z] } else { c.fpr[class * groups + z] };
                let row: Vec<(Variable, f64)> = share.iter().zip(candidates).map(|(&s, c)| (s, rate(c))).collect();
                let above = row.iter().copied().chain([(lowest, -1.0)]);
                program.add_constraint(above.clone(), ComparisonOp::Ge, 0.0);
                let below = above.chain(slack.map(|t| (t, -1.0)));
                program.add_constraint(below, ComparisonOp::Le, limit + raise);
            }
        }
    }
    match program.solve() {
        Ok(SolveOutcome::Solution(found)) => {
            let mut out: Vec<f64> = share.iter().map(|&s| found.var_value(s).clamp(0.0, limits.share)).collect();
            let sum: f64 = out.iter().sum();
            out.iter_mut().for_each(|s| *s /= sum);
            Ok(Some(out))
        }
        Err(microlp::Error::Infeasible) => Ok(None),
        Ok(SolveOutcome::Interrupted(_)) => Err(unsolved()),
        Err(e) => Err(Error::Unsupported { what: format!("the linear program was not solved: {e}"), hint: None }),
    }
}

fn unsolved() -> Error {
    Error::Unsupported { what: "the linear program was not solved".into(), hint: None }
}

fn describe(candidates: &[Candidate], groups: usize, share: Vec<f64>, raised: f64) -> Shares {
    let mean = |of: &dyn Fn(&Candidate) -> f64| share.iter().zip(candidates).map(|(s, c)| s * of(c)).sum::<f64>();
    let gaps = |rate: &dyn Fn(&Candidate) -> &[f64]| -> Vec<f64> {
        let classes = rate(&candidates[0]).len() / groups;
        let one = |class: usize| {
            let rates = (0..groups).map(|z| mean(&|c| rate(c)[class * groups + z]));
            let (low, high) = rates.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
            high - low
        };
        (0..classes).map(one).collect()
    };
    Shares {
        accuracy: mean(&|c| c.accuracy),
        price: mean(&|c| c.price),
        fpr_gap: gaps(&|c| &c.fpr),
        fnr_gap: gaps(&|c| &c.fnr),
        raised,
        share,
    }
}
