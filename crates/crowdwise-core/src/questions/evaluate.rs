//! A fit against known truth.

use crate::{Dataset, Fit, Gold, GoldValues, Preference, Truth, Units, stats};
use serde::{Deserialize, Serialize};

/// How well a fit agrees with known truth. Fields that have no meaning for the kind of label are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Units with known truth that were scored, those that nobody labelled included.
    pub n: usize,
    /// Share answered rightly. Ties are split evenly: an item whose top probability is shared by t classes scores 1/t
    /// if the truth is among them, so that the order of the classes does not matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Mean of the F1 of the classes that occur in the truth or in the answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub macro_f1: Option<f64>,
    /// Mean of -ln P(truth), probabilities clipped at 1e-12 so that one certain error costs 27.6 and not infinity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    /// Mean squared distance between the posterior and the truth over all classes, 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<f64>,
    /// Expected calibration error of the top probability, 15 bins of equal width.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ece: Option<f64>,
    /// Of `n`, those that nobody labelled: answered by the class shares of the fit, evenly where it has none.
    pub unlabelled: usize,
    /// Of `n`, those with a label.
    pub n_labelled: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_labelled: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mae: Option<f64>,
    /// Pearson's correlation of estimate and truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation: Option<f64>,
    /// Rank correlations of scores, mean ranks for ties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spearman: Option<f64>,
    /// Kendall's tau-b.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kendall: Option<f64>,
}

const CLIP: f64 = 1e-12;
const BINS: usize = 15;

/// Scores the fit against the gold. Gold of another kind than the fit scores nothing (`n` = 0).
pub fn evaluate(fit: &Fit, data: &Dataset, gold: &Gold) -> Evaluation {
    match (&fit.truth, &gold.values) {
        (Truth::Classes { k, posterior }, GoldValues::Classes(known)) => classes(fit, data, gold, *k, posterior, known),
        (Truth::Real { value, .. }, GoldValues::Real(known)) => real(data, gold, value, known),
        (Truth::Scores { score, .. }, GoldValues::Scores(known)) => scores(gold, score, known),
        (Truth::Scores { score, .. }, GoldValues::Preferences(known)) => pairs(data, score, known),
        _ => Evaluation::default(),
    }
}

/// Sums over scored units.
struct Tally {
    n: usize,
    right: f64,
    log_loss: f64,
    brier: f64,
    /// (units, right, top probability) per bin
    bins: [(f64, f64, f64); BINS],
    /// (truth, answered, both) per class; classes that the table does not know come after
    counts: Vec<(f64, f64, f64)>,
}

impl Tally {
    fn add(&mut self, row: &[f64], truth: usize) {
        let top = row[stats::argmax(row)];
        let tied = stats::n_tied(row) as f64;
        let p = row.get(truth).copied().unwrap_or(0.0);
        let credit = if truth < row.len() && stats::tied(p, top) { 1.0 / tied } else { 0.0 };
        self.n += 1;
        self.right += credit;
        self.log_loss -= p.max(CLIP).ln();
        self.brier += row.iter().map(|x| x * x).sum::<f64>() - 2.0 * p + 1.0;
        let bin = &mut self.bins[((top * BINS as f64) as usize).min(BINS - 1)];
        *bin = (bin.0 + 1.0, bin.1 + credit, bin.2 + top);
        if truth >= self.counts.len() {
            self.counts.resize(truth + 1, (0.0, 0.0, 0.0));
        }
        self.counts[truth].0 += 1.0;
        self.counts[truth].2 += credit;
        for (class, &x) in row.iter().enumerate() {
            if stats::tied(x, top) {
                self.counts[class].1 += 1.0 / tied;
            }
        }
    }
}

fn classes(fit: &Fit, data: &Dataset, gold: &Gold, k: usize, posterior: &[f64], known: &[(u32, u32)]) -> Evaluation {
    let mut t = Tally {
        n: 0,
        right: 0.0,
        log_loss: 0.0,
        brier: 0.0,
        bins: [(0.0, 0.0, 0.0); BINS],
        counts: vec![(0.0, 0.0, 0.0); k],
    };
    let prior = fit.class_prior.clone().unwrap_or_else(|| vec![1.0 / k as f64; k]);
    let (mut labelled, mut right_labelled) = (0usize, 0.0);
    for &(u, truth) in known {
        let u = u as usize;
        if (u + 1) * k > posterior.len() {
            continue; // gold of another table
        }
        let before = t.right;
        t.add(&posterior[u * k..(u + 1) * k], truth as usize);
        if data.table.degree(u) > 0 {
            labelled += 1;
            right_labelled += t.right - before;
        }
    }
    if let GoldValues::Classes(outside) = &gold.unlabelled {
        for &(_, truth) in outside {
            t.add(&prior, truth as usize);
        }
    }
    let n = t.n as f64;
    let some = |x: f64| (t.n > 0).then_some(x);
    let used: Vec<f64> = t
        .counts
        .iter()
        .filter(|c| c.0 + c.1 > 0.0)
        .map(|&(truth, answered, both)| 2.0 * both / (truth + answered))
        .collect();
    Evaluation {
        n: t.n,
        accuracy: some(t.right / n),
        macro_f1: some(used.iter().sum::<f64>() / used.len() as f64),
        log_loss: some(t.log_loss / n),
        brier: some(t.brier / n),
        ece: some(t.bins.iter().map(|b| (b.1 - b.2).abs()).sum::<f64>() / n),
        unlabelled: t.n - labelled,
        n_labelled: labelled,
        accuracy_labelled: (labelled > 0).then(|| right_labelled / labelled as f64),
        ..Evaluation::default()
    }
}

fn real(data: &Dataset, gold: &Gold, value: &[f64], known: &[(u32, f64)]) -> Evaluation {
    let pairs: Vec<(f64, f64)> = known
        .iter()
        .filter(|&&(u, _)| data.table.degree(u as usize) > 0)
        .map(|&(u, t)| (value[u as usize], t))
        .filter(|(x, _)| x.is_finite())
        .collect();
    let n = pairs.len() as f64;
    let some = |x: f64| (!pairs.is_empty()).then_some(x);
    Evaluation {
        n: pairs.len(),
        n_labelled: pairs.len(),
        // no value is invented for them: they are counted and not scored
        unlabelled: gold.unlabelled.len() + known.len() - pairs.len(),
        rmse: some((pairs.iter().map(|(x, t)| (x - t).powi(2)).sum::<f64>() / n).sqrt()),
        mae: some(pairs.iter().map(|(x, t)| (x - t).abs()).sum::<f64>() / n),
        correlation: correlation(&pairs),
        ..Evaluation::default()
    }
}

fn scores(gold: &Gold, score: &[f64], known: &[(u32, f64)]) -> Evaluation {
    let pairs: Vec<(f64, f64)> =
        known.iter().map(|&(i, t)| (score[i as usize], t)).filter(|(x, _)| x.is_finite()).collect();
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let ranks: Vec<(f64, f64)> = mean_ranks(&a).into_iter().zip(mean_ranks(&b)).collect();
    Evaluation {
        n: pairs.len(),
        n_labelled: pairs.len(),
        unlabelled: gold.unlabelled.len() + known.len() - pairs.len(),
        correlation: correlation(&pairs),
        spearman: correlation(&ranks),
        kendall: kendall(&pairs),
        ..Evaluation::default()
    }
}

fn pairs(data: &Dataset, score: &[f64], known: &[(u32, Preference)]) -> Evaluation {
    let Units::Pairs(pairs) = data.table.units() else { return Evaluation::default() };
    let mut right = 0.0;
    for &(u, outcome) in known {
        let [l, r] = pairs[u as usize];
        let (l, r) = (score[l as usize], score[r as usize]);
        right += match outcome {
            _ if l == r => f64::from(u8::from(outcome == Preference::Tie)).max(0.5),
            Preference::Left => f64::from(u8::from(l > r)),
            Preference::Right => f64::from(u8::from(r > l)),
            Preference::Tie => 0.0,
        };
    }
    Evaluation {
        n: known.len(),
        n_labelled: known.len(),
        accuracy: (!known.is_empty()).then(|| right / known.len() as f64),
        ..Evaluation::default()
    }
}

/// Pearson's correlation; `None` where one side does not vary.
fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let (ma, mb) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        ab += (a - ma) * (b - mb);
        aa += (a - ma).powi(2);
        bb += (b - mb).powi(2);
    }
    (aa > 0.0 && bb > 0.0).then(|| ab / (aa * bb).sqrt())
}

/// Ranks from 1; equal values share the mean of their places.
fn mean_ranks(x: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    let mut ranks = vec![0.0; x.len()];
    let mut before = 0;
    for group in order.chunk_by(|&a, &b| x[a] == x[b]) {
        for &i in group {
            ranks[i] = before as f64 + (group.len() + 1) as f64 / 2.0;
        }
        before += group.len();
    }
    ranks
}

/// Kendall's tau-b in n log n: pairs in the order of the first value, exchanges counted by merge sort (Knight 1966).
fn kendall(pairs: &[(f64, f64)]) -> Option<f64> {
    let mut p = pairs.to_vec();
    p.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let choose = |n: usize| (n * n.saturating_sub(1) / 2) as f64;
    let tied_a: f64 = p.chunk_by(|x, y| x.0 == y.0).map(|g| choose(g.len())).sum();
    let tied_both: f64 = p.chunk_by(|x, y| x == y).map(|g| choose(g.len())).sum();
    let mut b: Vec<f64> = p.iter().map(|x| x.1).collect();
    let mut space = b.clone();
    let exchanges = merge_count(&mut b, &mut space) as f64;
    let tied_b: f64 = b.chunk_by(|x, y| x == y).map(|g| choose(g.len())).sum();
    let all = choose(p.len());
    let below = ((all - tied_a) * (all - tied_b)).sqrt();
    (below > 0.0).then(|| (all - tied_a - tied_b + tied_both - 2.0 * exchanges) / below)
}

/// Sorts and returns the number of pairs that were out of order.
fn merge_count(x: &mut [f64], space: &mut [f64]) -> u64 {
    let n = x.len();
    if n < 2 {
        return 0;
    }
    let mid = n / 2;
    let mut count = {
        let (left, right) = x.split_at_mut(mid);
        merge_count(left, &mut space[..mid]) + merge_count(right, &mut space[mid..])
    };
    let (mut i, mut j) = (0, mid);
    for slot in space.iter_mut() {
        if j >= n || (i < mid && x[i] <= x[j]) {
            *slot = x[i];
            i += 1;
        } else {
            count += (mid - i) as u64;
            *slot = x[j];
            j += 1;
        }
    }
    x.copy_from_slice(space);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_and_correlations() {
        assert_eq!(mean_ranks(&[10.0, 5.0, 10.0, 7.0]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(correlation(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]), Some(1.0));
        assert_eq!(correlation(&[(1.0, 2.0), (1.0, 4.0)]), None);
    }

    proptest! {
        #[test]
        fn kendall_is_the_count_over_all_pairs(x in prop::collection::vec((0..6u8, 0..6u8), 0..25)) {
            let x: Vec<(f64, f64)> = x.iter().map(|&(a, b)| (a as f64, b as f64)).collect();
            let (mut s, mut ta, mut tb, mut n) = (0.0, 0.0, 0.0, 0.0);
            for i in 0..x.len() {
                for j in 0..i {
                    let (da, db) = (x[i].0 - x[j].0, x[i].1 - x[j].1);
                    if da != 0.0 && db != 0.0 {
                        s += (da * db).signum();
                    }
                    ta += f64::from(da == 0.0);
                    tb += f64::from(db == 0.0);
                    n += 1.0;
                }
            }
            let below = ((n - ta) * (n - tb)).sqrt();
            match kendall(&x) {
                Some(t) => prop_assert!((t - s / below).abs() < 1e-12),
                None => prop_assert!(below <= 0.0),
            }
        }
    }
}
