//! Which annotators stand out. One rule per code, used by the table of annotators and by the findings alike.

use super::tally::Tally;
use crate::{Fit, Statistic};

/// Labels below which an annotator cannot be judged.
pub const FEW: u64 = 10;
/// A favourite class with this share of at least [`CONSTANT_N`] labels.
pub const CONSTANT: f64 = 0.98;
pub const CONSTANT_N: u64 = 20;
/// A shrunk spammer score below this carries no information; its upper end (95 %) must be below the second.
const SPAMMER: f64 = 0.05;
const SPAMMER_SURE: f64 = 0.15;
/// A class with this share of the units that an annotator saw makes them skewed: saying nothing else is then mostly
/// right, and what many careful annotators do.
const SKEWED: f64 = 0.8;
/// How much more often than by always saying the most frequent class an annotator must surely be right to be no
/// spammer, whatever the shares.
const BETTER: f64 = 0.05;
/// A class that is found less often than this is missed.
const MISSED: f64 = 0.2;

/// What is wrong with an annotator, with the numbers that say so.
#[derive(Clone, Debug, PartialEq)]
pub enum Suspicion {
    Spammer {
        score: f64,
        se: f64,
        bits: f64,
    },
    Adversary {
        accuracy: f64,
        interval: [f64; 2],
        chance: f64,
    },
    Constant {
        class: usize,
        share: f64,
        expected: f64,
    },
    /// Right about the most frequent class, but hardly ever finds these: (class, found, seen), expected counts.
    MissesClasses {
        accuracy: f64,
        frequent: usize,
        missed: Vec<(usize, f64, f64)>,
    },
}

impl Suspicion {
    pub fn code(&self) -> &'static str {
        match self {
            Suspicion::Spammer { .. } => "spammer",
            Suspicion::Adversary { .. } => "adversary",
            Suspicion::Constant { .. } => "near-constant",
            Suspicion::MissesClasses { .. } => "misses-classes",
        }
    }

    /// The number behind it, which rests on `n` labels.
    pub fn statistic(&self, n: u64) -> Statistic {
        match self {
            Suspicion::Spammer { score, se, .. } => Statistic {
                name: "spammer-score".into(),
                value: *score,
                interval: [(score - 1.645 * se).max(0.0), (score + 1.645 * se).min(1.0)],
                se: Some(*se),
                n,
            },
            Suspicion::Adversary { accuracy, interval, .. } => {
                Statistic { name: "accuracy".into(), value: *accuracy, interval: *interval, se: None, n }
            }
            Suspicion::Constant { share, .. } => Statistic::rate("favourite-share", share * n as f64, n),
            Suspicion::MissesClasses { accuracy, .. } => Statistic::rate("accuracy", accuracy * n as f64, n),
        }
    }
}

/// Shrinks a score that rests on `n` labels: rare annotators are not judged informative by chance.
pub fn shrink(score: f64, n: u64) -> f64 {
    score * n as f64 / (n as f64 + 10.0)
}

/// Everything suspicious about annotator `j` of a categorical fit.
pub fn suspicions(t: &Tally, fit: &Fit, j: usize) -> Vec<Suspicion> {
    let mut out = Vec::new();
    let (n, k) = (t.n[j], t.k);
    if n < FEW || k < 2 {
        return out;
    }
    let chance = 1.0 / k as f64;
    let accuracy = t.accuracy(j).unwrap_or(1.0);
    let matrix = t.confusion(fit, j);
    if accuracy < chance && wilson(accuracy, n as f64, 1.2)[1] < chance {
        // one class said always is right less often than chance if the class is rare: that is no ill will, the recalls
        // then add up to 1
        let informed = matrix.as_ref().is_none_or(|c| recalls_below_one(t, c, j));
        if let Some(interval) = t.interval(j).filter(|i| informed && i[1] < chance) {
            out.push(Suspicion::Adversary { accuracy, interval, chance });
        }
    }
    let constant = t.favourite(j).filter(|f| n >= CONSTANT_N && f.1 >= CONSTANT && f.2 < 0.9);
    if let Some((class, share, expected)) = constant {
        out.push(Suspicion::Constant { class, share, expected });
    }
    if let Some((score, se)) = matrix.as_ref().and_then(|c| t.spammer_score(c, j))
        && shrink(score, n) < SPAMMER
        && score + 1.645 * se < SPAMMER_SURE
        && !out.iter().any(|s| matches!(s, Suspicion::Adversary { .. }))
    {
        let matrix = matrix.expect("a score has a matrix");
        if let Some(frequent) = right_about(t, j, accuracy) {
            let missed = missed(t, &matrix, j, frequent);
            if !missed.is_empty() {
                out.push(Suspicion::MissesClasses { accuracy, frequent, missed });
            }
        } else {
            let bits = crate::stats::information_bits(&t.posterior, &matrix);
            out.push(Suspicion::Spammer { score, se, bits });
        }
    }
    out
}

/// The most frequent class of the units that annotator `j` saw, if its labels are worth keeping although they hardly
/// tell the classes apart: it is surely right more often than by always saying that class, or the class is so frequent
/// that little can be told and it is not surely right less often. Who guesses on such units is right less often.
fn right_about(t: &Tally, j: usize, accuracy: f64) -> Option<usize> {
    let seen = t.seen.get(j * t.k..(j + 1) * t.k)?;
    let frequent = (0..t.k).max_by(|&a, &b| seen[a].total_cmp(&seen[b]).then(b.cmp(&a)))?;
    let share = seen[frequent] / t.n[j] as f64;
    let [low, high] = wilson(accuracy, t.n[j] as f64, 1.645);
    (low > share + BETTER || (share >= SKEWED && high >= share)).then_some(frequent)
}

/// Wilson's interval of a rate: a few operations, where the quantiles of a beta distribution take thousands. With a
/// small `z` it lies inside the 90 % interval that is reported, so that it tells for whom that one is needed.
fn wilson(rate: f64, n: f64, z: f64) -> [f64; 2] {
    let shrunk = 1.0 + z * z / n;
    let centre = (rate + z * z / (2.0 * n)) / shrunk;
    let half = z / shrunk * ((rate * (1.0 - rate)).max(0.0) / n + z * z / (4.0 * n * n)).sqrt();
    [centre - half, centre + half]
}

/// The other classes that annotator `j` saw once or more and finds rarely, those seen most first.
fn missed(t: &Tally, confusion: &[f64], j: usize, frequent: usize) -> Vec<(usize, f64, f64)> {
    let k = t.k;
    let recall = |c: usize| confusion[c * k + c];
    let seen = |c: usize| t.seen[j * k + c];
    let rarely = |&c: &usize| c != frequent && seen(c) >= 1.0 && recall(c) < MISSED;
    let mut out: Vec<(usize, f64, f64)> = (0..k).filter(rarely).map(|c| (c, recall(c) * seen(c), seen(c))).collect();
    out.sort_by(|a, b| b.2.total_cmp(&a.2));
    out
}

/// Whether the recalls of all classes add up to less than 1, as those of random answers do, beyond sampling error.
fn recalls_below_one(t: &Tally, confusion: &[f64], j: usize) -> bool {
    let k = t.k;
    let (mut sum, mut variance) = (0.0, 0.0);
    for a in 0..k {
        let p = confusion[a * k + a];
        sum += p;
        variance += p * (1.0 - p) / (t.seen.get(j * k + a).copied().unwrap_or(0.0) + 1.0);
    }
    sum + 1.645 * variance.sqrt() < 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_interval_lies_inside_the_reported_one() {
        for n in [10u32, 13, 30, 100, 1000, 100_000] {
            for hits in (0..=n).step_by((n as usize / 50).max(1)) {
                let (x, n) = (f64::from(hits), f64::from(n));
                let [low, high] = crate::stats::rate_interval(x, n);
                let quick = wilson(x / n, n, 1.2);
                assert!(low <= quick[0] + 1e-9 && quick[1] <= high + 1e-9, "{hits} of {n}: {quick:?} {low} {high}");
            }
        }
    }
}
