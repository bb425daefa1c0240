//! Which annotators stand out. One rule per code, used by the table of annotators and by the findings alike.

use super::tally::Tally;
use crate::Fit;

/// Labels below which an annotator cannot be judged.
pub const FEW: u64 = 10;
/// A favourite class with this share of at least [`CONSTANT_N`] labels.
pub const CONSTANT: f64 = 0.98;
pub const CONSTANT_N: u64 = 20;
/// A shrunk spammer score below this carries no information; its upper end (95 %) must be below the second.
const SPAMMER: f64 = 0.05;
const SPAMMER_SURE: f64 = 0.15;

/// What is wrong with an annotator, with the numbers that say so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Suspicion {
    Spammer { score: f64, se: f64, bits: f64 },
    Adversary { accuracy: f64, interval: [f64; 2], chance: f64 },
    Constant { class: usize, share: f64, expected: f64 },
}

impl Suspicion {
    pub fn code(&self) -> &'static str {
        match self {
            Suspicion::Spammer { .. } => "spammer",
            Suspicion::Adversary { .. } => "adversary",
            Suspicion::Constant { .. } => "near-constant",
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
    if accuracy < chance {
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
        let bits = crate::stats::information_bits(&t.posterior, &matrix.expect("a score has a matrix"));
        out.push(Suspicion::Spammer { score, se, bits });
    }
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
