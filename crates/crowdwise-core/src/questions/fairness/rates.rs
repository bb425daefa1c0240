//! From counts to rates, gaps and their significance.

use super::counts::Counts;
use super::{AnnotatorFairness, CASES, ClassFairness, Gap, GroupRate, GroupRates, UNFAIR_GAP, UNFAIR_P};
use crate::stats::{digamma, rate_interval};
use crowdwise_numerics::{normal_cdf, trigamma};

/// Mean and effective number of cases of a rate.
#[derive(Clone, Copy)]
struct Estimate {
    mean: f64,
    /// Cases of which a plain count would be as uncertain.
    effective: f64,
    /// Expected cases.
    cases: f64,
}

impl Estimate {
    fn rate(self) -> GroupRate {
        let interval = rate_interval(self.mean * self.effective, self.effective);
        GroupRate { value: self.mean, interval, n: self.cases }
    }
}

/// P(says `l` | truth `t`) in a group. The truth is a guess: a case that is one with probability w adds w² to what is known of the
/// rate (its information), and only w to the count. One label at the annotator's rate over all groups keeps rates of few cases
/// off 0 and 1.
fn cell(c: &Counts, j: usize, g: usize, t: usize, says: impl Fn(usize) -> bool + Copy) -> Estimate {
    let sums = |row: &[f64]| {
        let of = |yes: bool| (0..c.k).filter(|&l| says(l) == yes).map(|l| row[l]).sum::<f64>();
        (of(true), of(false))
    };
    let (hits, misses) = sums(c.row(j, g, t));
    let n = hits + misses;
    let all: Vec<(f64, f64)> = (0..c.groups).map(|g| sums(c.row(j, g, t))).collect();
    let (all_hits, all_n) = all.iter().fold((0.0, 0.0), |s, x| (s.0 + x.0, s.1 + x.0 + x.1));
    let pooled = (all_hits + 0.5) / (all_n + 1.0);
    let mean = (hits + pooled) / (n + 1.0);
    let (hit2, miss2) = sums(c.square(j, g, t));
    let share = if n > 0.0 { ((hit2 + miss2) / n).min(1.0) } else { 1.0 };
    Estimate { mean, effective: n * share, cases: n }
}

/// FNR of class `k`, or its FPR for other classes as frequent as `shares` say.
fn error(c: &Counts, j: usize, g: usize, k: usize, shares: &[f64], positive: bool) -> Estimate {
    if positive {
        return cell(c, j, g, k, |l| l != k);
    }
    let rest: f64 = 1.0 - shares[k];
    let (mut mean, mut variance, mut cases) = (0.0, 0.0, 0.0);
    let mut only = None;
    for t in (0..c.k).filter(|&t| t != k) {
        let e = cell(c, j, g, t, |l| l == k);
        let w = shares[t] / rest;
        mean += w * e.mean;
        variance += w * w * e.mean * (1.0 - e.mean) / (e.effective + 1.0);
        cases += e.cases;
        only = Some(e);
    }
    match only {
        Some(e) if c.k == 2 => e,
        _ => Estimate { mean, effective: (mean * (1.0 - mean) / variance.max(1e-300) - 1.0).max(0.0), cases },
    }
}

/// Rates and gaps of annotator `j` for class `k`.
pub fn of_class(c: &Counts, j: usize, k: usize, shares: &[f64]) -> ClassFairness {
    let plain = |hits: f64, n: f64| Estimate { mean: hits / n, effective: n, cases: n };
    let mut kinds: [Vec<Option<Estimate>>; 3] = Default::default();
    let mut groups = Vec::new();
    for g in 0..c.groups {
        let n: f64 = (0..c.k).flat_map(|t| c.row(j, g, t)).sum();
        let right: f64 = (0..c.k).map(|t| c.row(j, g, t)[t]).sum();
        let named: f64 = (0..c.k).map(|t| c.row(j, g, t)[k]).sum();
        let said = (n > 0.0).then(|| plain(named, n));
        let fpr = Some(error(c, j, g, k, shares, false)).filter(|e| e.cases >= CASES);
        let fnr = Some(error(c, j, g, k, shares, true)).filter(|e| e.cases >= CASES);
        groups.push(GroupRates {
            group: g,
            n,
            accuracy: (n > 0.0).then(|| plain(right, n).rate()),
            said: said.map(Estimate::rate),
            fpr: fpr.map(Estimate::rate),
            fnr: fnr.map(Estimate::rate),
        });
        kinds.iter_mut().zip([said.filter(|e| e.cases >= CASES), fpr, fnr]).for_each(|(all, e)| all.push(e));
    }
    let [parity, fpr, fnr] = kinds.map(|all| largest(&all));
    ClassFairness { class: k, groups, parity, fpr, fnr }
}

/// The largest of the gaps between two groups; its p is corrected for the pairs that it was chosen from.
fn largest(all: &[Option<Estimate>]) -> Option<Gap> {
    let known: Vec<(usize, Estimate)> = all.iter().enumerate().filter_map(|(g, e)| Some((g, (*e)?))).collect();
    let pairs = known.len() * known.len().saturating_sub(1) / 2;
    let high = known.iter().copied().reduce(|a, b| if b.1.mean > a.1.mean { b } else { a })?;
    let low = known.iter().copied().filter(|x| x.0 != high.0).reduce(|a, b| if b.1.mean < a.1.mean { b } else { a })?;
    let gap = gap(high, low);
    // another pair may be surer: the smallest p is what the correction is for
    let p = known.iter().enumerate().flat_map(|(n, &a)| known[n + 1..].iter().map(move |&b| significance(a.1, b.1)));
    Some(Gap { p: (p.fold(1.0, f64::min) * pairs as f64).min(1.0), ..gap })
}

/// Difference with Newcombe's interval from those of the two rates.
fn gap(high: (usize, Estimate), low: (usize, Estimate)) -> Gap {
    let (a, b) = (high.1.rate(), low.1.rate());
    let value = a.value - b.value;
    let below = (a.value - a.interval[0]).hypot(b.interval[1] - b.value);
    let above = (a.interval[1] - a.value).hypot(b.value - b.interval[0]);
    let interval = [(value - below).max(-1.0), (value + above).min(1.0)];
    Gap { groups: [high.0, low.0], value, interval, p: significance(high.1, low.1) }
}

/// Two-sided p of equal rates: the difference of the log-odds under Jeffreys posteriors against its standard deviation, which
/// keeps its level where rates are near 0 or 1 and counts are small, as a normal test of the rates does not.
fn significance(a: Estimate, b: Estimate) -> f64 {
    let log_odds = |e: Estimate| {
        let (yes, no) = (e.mean * e.effective + 0.5, (1.0 - e.mean) * e.effective + 0.5);
        (digamma(yes) - digamma(no), trigamma(yes) + trigamma(no))
    };
    let ((x, vx), (y, vy)) = (log_odds(a), log_odds(b));
    let z = (x - y).abs() / (vx + vy).sqrt();
    2.0 * normal_cdf(-z)
}

/// Holm's correction over all gaps of all annotators; returns how many there are.
pub fn correct(annotators: &mut [AnnotatorFairness]) -> usize {
    let of = |a: &AnnotatorFairness| -> Vec<Gap> { a.classes.iter().flat_map(|c| [c.fpr, c.fnr]).flatten().collect() };
    let mut all: Vec<(f64, usize)> =
        annotators.iter().enumerate().flat_map(|(j, a)| of(a).into_iter().map(move |g| (g.p, j))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut least = 0f64;
    for (rank, &(p, j)) in all.iter().enumerate() {
        least = least.max((p * (all.len() - rank) as f64).min(1.0));
        let own = &mut annotators[j].p;
        *own = Some(own.map_or(least, |x: f64| x.min(least)));
    }
    for a in annotators {
        let matters = of(a).iter().any(|g| g.value >= UNFAIR_GAP);
        a.unfair = matters && a.p.is_some_and(|p| p <= UNFAIR_P);
    }
    all.len()
}
