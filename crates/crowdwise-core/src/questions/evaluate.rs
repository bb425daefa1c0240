//! A fit against known truth.

use crate::{Dataset, Fit, Gold, GoldValues, Preference, Truth, Units, stats};
use serde::{Deserialize, Serialize};

/// How well a fit agrees with known truth. Fields that have no meaning for the kind of label are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Units with known truth that were scored, those that nobody labelled included.
    pub n: usize,
    /// Units with known truth that were not scored because the fit was given their truth.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gold_left_out: usize,
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
    /// Expected calibration error of the top probability, 10 bins of equal width.
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
    /// Rank correlation of scores, mean ranks for ties. Like the other correlations of scores it is taken inside each
    /// component of the fit, since scores of different components are not comparable; the mean over components, each
    /// counted with its items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spearman: Option<f64>,
    /// Kendall's tau-b.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kendall: Option<f64>,
    /// Components of the scores that the correlations rest on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub components: usize,
    /// Components with fewer than 3 items of known truth, or with equal scores only: their items are not in `n`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub components_left_out: usize,
    /// Pairs whose truth is a tie: scores are hardly ever equal, so they say nothing about the order and are not scored.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ties_left_out: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

const CLIP: f64 = 1e-12;
const BINS: usize = 10;

/// Scores the fit against known truth. Truth of another kind than the fit scores nothing (`n` = 0). Units whose truth
/// is in the gold of the dataset are left out: the fit was told them, so they measure nothing.
pub fn evaluate(fit: &Fit, data: &Dataset, truth: &Gold) -> Evaluation {
    if let Some(g) = data.gold.as_ref().filter(|g| g.values == truth.values && g.unlabelled == truth.unlabelled) {
        // items that nobody labelled have no number to know them by, but the same truth has the same items
        return Evaluation { gold_left_out: g.values.len() + g.unlabelled.len(), ..Evaluation::default() };
    }
    let given = data.gold.as_ref().map(|g| &g.values);
    match (&fit.truth, &truth.values) {
        (Truth::Classes { k, posterior }, GoldValues::Classes(known)) => {
            let (known, left_out) = not_given(known, given);
            Evaluation { gold_left_out: left_out, ..classes(fit, data, truth, *k, posterior, &known) }
        }
        (Truth::Real { value, .. }, GoldValues::Real(known)) => {
            let (known, left_out) = not_given(known, given);
            Evaluation { gold_left_out: left_out, ..real(data, truth, value, &known) }
        }
        (Truth::Scores { score, component, .. }, GoldValues::Scores(known)) => {
            let given = given.filter(|g| matches!(g, GoldValues::Scores(_))); // items, not pairs
            let (known, left_out) = not_given(known, given);
            Evaluation { gold_left_out: left_out, ..scores(truth, score, component, &known) }
        }
        (Truth::Scores { score, component, .. }, GoldValues::Preferences(known)) => {
            let given = given.filter(|g| matches!(g, GoldValues::Preferences(_)));
            let (known, left_out) = not_given(known, given);
            Evaluation { gold_left_out: left_out, ..pairs(data, score, component, &known) }
        }
        _ => Evaluation::default(),
    }
}

/// The units of `known` that are not in `given`, and the number of those that are.
fn not_given<T: Copy>(known: &[(u32, T)], given: Option<&GoldValues>) -> (Vec<(u32, T)>, usize) {
    let mut told: Vec<u32> = match given {
        None => Vec::new(),
        Some(GoldValues::Classes(v)) => v.iter().map(|x| x.0).collect(),
        Some(GoldValues::Real(v) | GoldValues::Scores(v)) => v.iter().map(|x| x.0).collect(),
        Some(GoldValues::Preferences(v)) => v.iter().map(|x| x.0).collect(),
    };
    told.sort_unstable();
    let left: Vec<(u32, T)> = known.iter().filter(|x| told.binary_search(&x.0).is_err()).copied().collect();
    let out = known.len() - left.len();
    (left, out)
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

/// Fewer items of a component than this have no correlation worth the name: that of two is always 1 or -1.
const FEWEST: usize = 3;

fn scores(gold: &Gold, score: &[f64], component: &[u32], known: &[(u32, f64)]) -> Evaluation {
    let mut rows: Vec<(u32, f64, f64)> = known
        .iter()
        .map(|&(i, t)| (component.get(i as usize).copied().unwrap_or(0), score[i as usize], t))
        .filter(|x| x.1.is_finite())
        .collect();
    rows.sort_by_key(|x| x.0);
    let mut out = Evaluation { unlabelled: gold.unlabelled.len() + known.len() - rows.len(), ..Evaluation::default() };
    let mut sums = [0.0; 3];
    for part in rows.chunk_by(|a, b| a.0 == b.0) {
        let pairs: Vec<(f64, f64)> = part.iter().map(|x| (x.1, x.2)).collect();
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let ranks: Vec<(f64, f64)> = mean_ranks(&a).into_iter().zip(mean_ranks(&b)).collect();
        let all = (correlation(&pairs), correlation(&ranks), kendall(&pairs));
        let (true, (Some(r), Some(rho), Some(tau))) = (pairs.len() >= FEWEST, all) else {
            out.components_left_out += 1;
            continue;
        };
        out.components += 1;
        out.n += pairs.len();
        sums.iter_mut().zip([r, rho, tau]).for_each(|(s, x)| *s += x * pairs.len() as f64);
    }
    out.n_labelled = out.n;
    let [r, rho, tau] = sums.map(|s| (out.n > 0).then(|| s / out.n as f64));
    Evaluation { correlation: r, spearman: rho, kendall: tau, ..out }
}

/// Whether the scores put the better one first; equal or incomparable scores are half right.
fn pairs(data: &Dataset, score: &[f64], component: &[u32], known: &[(u32, Preference)]) -> Evaluation {
    let Units::Pairs(pairs) = data.table.units() else { return Evaluation::default() };
    let (mut right, mut n) = (0.0, 0);
    for &(u, outcome) in known {
        let [l, r] = pairs[u as usize].map(|i| i as usize);
        let ahead = match outcome {
            Preference::Left => score[l] - score[r],
            Preference::Right => score[r] - score[l],
            Preference::Tie => continue,
        };
        n += 1;
        right += match ahead {
            x if component.get(l) != component.get(r) || x.is_nan() || x == 0.0 => 0.5,
            x if x > 0.0 => 1.0,
            _ => 0.0,
        };
    }
    Evaluation {
        n,
        n_labelled: n,
        ties_left_out: known.len() - n,
        accuracy: (n > 0).then(|| right / n as f64),
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
