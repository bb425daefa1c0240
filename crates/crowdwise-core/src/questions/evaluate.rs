//! A fit against known truth.

use super::correlation::{correlation, kendall, mean_ranks};
use super::ordered;
use super::sets::{self, SetScores, is_sets};
use super::spans::{SpanScores, span_scores};
use crate::{Dataset, Fit, Gold, GoldValues, Preference, Truth, Units, stats};
use serde::{Deserialize, Serialize};

/// How well a fit agrees with known truth. Fields that have no meaning for the kind of label are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Units with known truth that were scored: those with a label. Truth of a whole corpus may cover many more.
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
    /// Units with known truth that nobody labelled: counted, and in no score. Whatever a fit says of them is a guess.
    pub unlabelled: usize,
    /// The same as `n` and `accuracy`, from the time when these counted units without a label, too.
    pub n_labelled: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy_labelled: Option<f64>,
    /// Accuracy on units of the table that nobody labelled, which neighbours or features may tell something of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy_unlabelled: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
    /// Mean absolute error; of ordered classes, the mean number of grades between answer and truth over labelled items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mae: Option<f64>,
    /// Of ordered classes: Cohen's κ of answer and truth with squared distances, 1 for the same, 0 for chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quadratic_kappa: Option<f64>,
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
    /// Of clusters: the adjusted Rand index, 1 for the same clusters, 0 on average for random ones of the same sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted_rand: Option<f64>,
    /// Of clusters: F1 of "the two belong together" over all pairs of items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair_f1: Option<f64>,
    /// Components of the scores that the correlations rest on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub components: usize,
    /// Components with fewer than 3 items of known truth, or with equal scores only: their items are not in `n`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub components_left_out: usize,
    /// Pairs whose truth is a tie: scores are hardly ever equal, so they say nothing about the order and are not scored.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ties_left_out: usize,
    /// Spans, where the classes are tags (`O`, `B-…`, `I-…`) of sequences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spans: Option<SpanScores>,
    /// Sets of labels, where the units are classes of items (`item|class`, yes or no).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sets: Option<SetScores>,
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
            let spans = span_scores(fit, data, truth);
            let sets = is_sets(data).then(|| sets::of_known(data, fit, &known)).flatten();
            let grades = ordered::of_known(data, posterior, &known);
            Evaluation {
                gold_left_out: left_out,
                mae: grades.map(|g| g.mae),
                quadratic_kappa: grades.and_then(|g| g.quadratic_kappa),
                spans,
                sets,
                ..classes(data, truth, *k, posterior, &known)
            }
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
        (Truth::Clusters { cluster, .. }, GoldValues::Clusters(known)) => clusters(cluster, known),
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
        Some(GoldValues::Classes(v) | GoldValues::Clusters(v)) => v.iter().map(|x| x.0).collect(),
        Some(GoldValues::Real(v) | GoldValues::Scores(v)) => v.iter().map(|x| x.0).collect(),
        Some(GoldValues::Preferences(v)) => v.iter().map(|x| x.0).collect(),
    };
    told.sort_unstable();
    let left: Vec<(u32, T)> = known.iter().filter(|x| told.binary_search(&x.0).is_err()).copied().collect();
    let out = known.len() - left.len();
    (left, out)
}

/// A point of a reliability diagram: units whose top probability lies in one bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReliabilityBin {
    /// Units in the bin.
    pub n: usize,
    /// Mean of their top probabilities.
    pub confidence: f64,
    /// Share of them answered rightly, ties split evenly, and its 90 % interval.
    pub accuracy: f64,
    pub interval: [f64; 2],
}

/// How sure a fit of classes is, and how right, in ten bins of equal width of the top probability; empty bins are left
/// out. Only units that were labelled and whose truth the fit was not told. Empty for other kinds.
pub fn reliability(fit: &Fit, data: &Dataset, truth: &Gold) -> Vec<ReliabilityBin> {
    let (Some((k, posterior)), GoldValues::Classes(known)) = (fit.posterior(), &truth.values) else {
        return Vec::new();
    };
    let (known, _) = not_given(known, data.gold.as_ref().map(|g| &g.values));
    // (units, right, top probability) per bin
    let mut bins = [(0usize, 0.0, 0.0); BINS];
    for (u, truth) in known {
        let u = u as usize;
        if (u + 1) * k > posterior.len() || data.table.degree(u) == 0 {
            continue;
        }
        let (top, credit) = top_and_credit(&posterior[u * k..(u + 1) * k], truth as usize);
        let bin = &mut bins[((top * BINS as f64) as usize).min(BINS - 1)];
        *bin = (bin.0 + 1, bin.1 + credit, bin.2 + top);
    }
    bins.iter()
        .filter(|b| b.0 > 0)
        .map(|&(n, right, top)| ReliabilityBin {
            n,
            confidence: top / n as f64,
            accuracy: right / n as f64,
            interval: stats::rate_interval(right, n as f64),
        })
        .collect()
}

/// The top probability, and 1/t if the truth is among the t classes that share it.
fn top_and_credit(row: &[f64], truth: usize) -> (f64, f64) {
    let top = row[stats::argmax(row)];
    let right = row.get(truth).is_some_and(|&p| stats::tied(p, top));
    (top, if right { 1.0 / stats::n_tied(row) as f64 } else { 0.0 })
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
    fn new(k: usize) -> Self {
        Tally {
            n: 0,
            right: 0.0,
            log_loss: 0.0,
            brier: 0.0,
            bins: [(0.0, 0.0, 0.0); BINS],
            counts: vec![(0.0, 0.0, 0.0); k],
        }
    }

    fn evaluation(&self) -> Evaluation {
        let n = self.n as f64;
        let some = |x: f64| (self.n > 0).then_some(x);
        let used: Vec<f64> = self
            .counts
            .iter()
            .filter(|c| c.0 + c.1 > 0.0)
            .map(|&(truth, answered, both)| 2.0 * both / (truth + answered))
            .collect();
        Evaluation {
            n: self.n,
            accuracy: some(self.right / n),
            macro_f1: some(used.iter().sum::<f64>() / used.len() as f64),
            log_loss: some(self.log_loss / n),
            brier: some(self.brier / n),
            ece: some(self.bins.iter().map(|b| (b.1 - b.2).abs()).sum::<f64>() / n),
            ..Evaluation::default()
        }
    }

    fn add(&mut self, row: &[f64], truth: usize) {
        let (top, credit) = top_and_credit(row, truth);
        let tied = stats::n_tied(row) as f64;
        let p = row.get(truth).copied().unwrap_or(0.0);
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

fn classes(data: &Dataset, gold: &Gold, k: usize, posterior: &[f64], known: &[(u32, u32)]) -> Evaluation {
    let mut t = Tally::new(k);
    let (mut silent, mut right) = (0usize, 0.0);
    for &(u, truth) in known {
        let u = u as usize;
        if (u + 1) * k > posterior.len() {
            continue; // gold of another table
        }
        let row = &posterior[u * k..(u + 1) * k];
        if data.table.degree(u) > 0 {
            t.add(row, truth as usize);
        } else {
            silent += 1;
            right += top_and_credit(row, truth as usize).1;
        }
    }
    let scored = t.evaluation();
    Evaluation {
        unlabelled: silent + gold.unlabelled.len(),
        n_labelled: scored.n,
        accuracy_labelled: scored.accuracy,
        accuracy_unlabelled: (silent > 0).then(|| right / silent as f64),
        ..scored
    }
}

/// Scores rows of class probabilities (K each) of which the truth is known: (row, class). A class from K on is one that
/// the classifier cannot answer.
pub fn evaluate_rows(k: usize, rows: &[f64], truth: &[(usize, usize)]) -> Evaluation {
    let mut t = Tally::new(k);
    for &(r, class) in truth {
        t.add(&rows[r * k..(r + 1) * k], class);
    }
    t.evaluation()
}

/// Area under the ROC curve: of the second class where there are two, otherwise the mean over the classes of each against
/// the rest. Classes that always or never are the truth have none.
pub fn area_under_curve(k: usize, rows: &[f64], truth: &[(usize, usize)]) -> Option<f64> {
    let mut areas = Vec::new();
    for class in usize::from(k == 2)..k {
        let score: Vec<f64> = truth.iter().map(|&(r, _)| rows[r * k + class]).collect();
        let positive = truth.iter().filter(|t| t.1 == class).count() as f64;
        let negative = truth.len() as f64 - positive;
        if positive == 0.0 || negative == 0.0 {
            continue;
        }
        let ranks = mean_ranks(&score);
        let sum: f64 = ranks.iter().zip(truth).filter(|(_, t)| t.1 == class).map(|(r, _)| r).sum();
        areas.push((sum - positive * (positive + 1.0) / 2.0) / (positive * negative));
    }
    (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64)
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

/// Two clusterings of the items whose cluster is known, by the pairs that each puts together.
fn clusters(cluster: &[u32], known: &[(u32, u32)]) -> Evaluation {
    let pairs = |n: u64| (n * n.saturating_sub(1) / 2) as f64;
    let together = |keys: Vec<(u32, u32)>| {
        let mut counts: std::collections::BTreeMap<(u32, u32), u64> = std::collections::BTreeMap::new();
        keys.into_iter().for_each(|k| *counts.entry(k).or_default() += 1);
        counts.values().map(|&n| pairs(n)).sum::<f64>()
    };
    let both = together(known.iter().map(|&(i, c)| (cluster[i as usize], c)).collect());
    let ours = together(known.iter().map(|&(i, _)| (cluster[i as usize], 0)).collect());
    let theirs = together(known.iter().map(|&(_, c)| (c, 0)).collect());
    let all = pairs(known.len() as u64);
    let expected = if all > 0.0 { ours * theirs / all } else { 0.0 };
    let most = 0.5 * (ours + theirs);
    // both all alone, or both one cluster: the same clusters
    let rand = if (most - expected).abs() < 1e-12 { 1.0 } else { (both - expected) / (most - expected) };
    let f1 = if ours + theirs > 0.0 { 2.0 * both / (ours + theirs) } else { 1.0 };
    let some = |x| (known.len() > 1).then_some(x);
    Evaluation {
        n: known.len(),
        n_labelled: known.len(),
        adjusted_rand: some(rand),
        pair_f1: some(f1),
        ..Evaluation::default()
    }
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
