//! The model while asking: what the answers so far say of items and annotators, when there are few of them.
//!
//! Pooled Dawid-Skene: the confusions of each annotator shrink half to the crowd's, half to a base that is right with `diagonal`. Three
//! changes keep it sound at one to five labels per item:
//!
//! 1. Items with a single label do not count for the confusions: their posterior only repeats the label, and an annotator who agrees
//!    with themselves would become a genius. With known truth they count.
//! 2. The step to posteriors takes the logarithm of the mean confusion, not its expected logarithm.
//! 3. Class shares are those of the votes as long as there are few labels per item, then move to the learned ones, which collapse onto
//!    one class if a biased crowd gave little else.
//!
//! A refit starts at the last posterior ([`Settings::warm_rounds`]); every [`Settings::cold_every`]-th starts at the votes, because warm
//! starts keep what they once believed. All numbers are public: whoever refits only what new labels touch needs them.

use crate::answers::Answers;
use crowdwise_numerics::{add_into, fast};
use rayon::prelude::*;

/// How the model is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How many labels the prior of each column of a confusion matrix is worth.
    pub strength: f64,
    /// How often the base of that prior is right.
    pub diagonal: f64,
    /// Rounds from the last posterior.
    pub warm_rounds: usize,
    /// Rounds from the votes.
    pub cold_rounds: usize,
    /// Every so many fits begin at the votes, the first among them.
    pub cold_every: usize,
    /// Ends when no probability moves by more.
    pub tol: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { strength: 4.0, diagonal: 0.7, warm_rounds: 8, cold_rounds: 30, cold_every: 8, tol: 1e-3 }
    }
}

/// What is known beside the answers. Empty parts are unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// The true class of every item, where it is known: such an item is certain and always counts.
    pub gold: Vec<Option<u16>>,
    /// Logarithms of class probabilities (items x K) in the place of the class shares, such as those of a classifier that did not
    /// learn from the item.
    pub class_logs: Vec<f64>,
    /// Dirichlet prior of the annotators from an earlier fit (annotators x K x K, laid out as [`Model::b`]).
    pub pull: Vec<f64>,
}

impl Known {
    /// The true class of an item, if it is known.
    #[inline]
    pub fn gold(&self, item: usize) -> Option<u16> {
        self.gold.get(item).copied().flatten()
    }

    /// A prior from confusions of an earlier fit (annotators x K x K, laid out as [`Model::b`]) and the number of labels there: worth
    /// two labels a column, and up to ten more by their number.
    #[must_use]
    pub fn with_earlier(self, k: usize, confusions: &[f64], labels: &[u32]) -> Known {
        let weight = |j: usize| 2.0 + f64::from(labels[j].min(10));
        let pull = confusions.iter().enumerate().map(|(at, a)| a * weight(at / (k * k))).collect();
        Known { pull, ..self }
    }
}

/// The model. Confusions are laid out annotator by annotator, then label by label, and hold one number per *true* class: the row
/// `[(j * K + l) * K ..][..K]` is P(annotator j says l | class).
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub settings: Settings,
    /// Number of classes K.
    pub k: usize,
    /// Posterior of every item (items x K), also of those without labels.
    pub q: Vec<f64>,
    /// Expected counts of (annotator, label, class) over the items that count, of `q` as it is.
    pub counts: Vec<f64>,
    /// Parameters of the Dirichlet distribution of every column of every confusion matrix: counts and prior.
    pub b: Vec<f64>,
    /// Logarithms of the mean confusions, of `b` as it is.
    pub log_b: Vec<f64>,
    /// The crowd's confusion matrix (K x K, label by label), to which annotators are drawn.
    pub column: Vec<f64>,
    /// Sums of the posteriors of the items with labels.
    pub class_sums: Vec<f64>,
    /// Logarithms of the class shares.
    pub log_prior: Vec<f64>,
    /// Fits so far.
    pub fits: usize,
    /// The largest change of a probability in the last round.
    pub change: f64,
}

/// Labels that a thread takes at least; the parts depend on the data alone, so that sums have the same bits on any number of threads.
const PART: usize = 1 << 16;
const MOST_PARTS: usize = 16;

impl Model {
    /// A model that has not seen its labels yet.
    pub fn new(answers: &Answers, settings: Settings) -> Model {
        let (n, m, k) = (answers.n_items(), answers.n_annotators(), answers.k());
        Model {
            settings,
            k,
            q: vec![1.0 / k as f64; n * k],
            counts: vec![0.0; m * k * k],
            b: vec![0.0; m * k * k],
            log_b: vec![0.0; m * k * k],
            column: vec![0.0; k * k],
            class_sums: vec![0.0; k],
            log_prior: vec![-(k as f64).ln(); k],
            fits: 0,
            change: f64::INFINITY,
        }
    }

    /// A model that is fitted from the votes.
    pub fn fitted(answers: &Answers, known: &Known, settings: Settings) -> Model {
        let mut model = Model::new(answers, settings);
        model.fit(answers, known);
        model
    }

    pub fn n_items(&self) -> usize {
        self.q.len() / self.k
    }

    pub fn n_annotators(&self) -> usize {
        self.b.len() / (self.k * self.k)
    }

    /// Posterior of an item.
    #[inline]
    pub fn posterior(&self, item: usize) -> &[f64] {
        &self.q[item * self.k..(item + 1) * self.k]
    }

    /// Dirichlet parameters of an annotator (K x K).
    #[inline]
    pub fn of_annotator(&self, annotator: usize) -> &[f64] {
        let size = self.k * self.k;
        &self.b[annotator * size..(annotator + 1) * size]
    }

    /// Mean confusions of all annotators, laid out as [`Model::b`].
    pub fn confusions(&self) -> Vec<f64> {
        let mut out = self.b.clone();
        for a in out.chunks_exact_mut(self.k * self.k) {
            normalise_columns(a, self.k);
        }
        out
    }

    /// The next fit: from the last posterior, or from the votes if it is time.
    pub fn fit(&mut self, answers: &Answers, known: &Known) {
        if self.fits.is_multiple_of(self.settings.cold_every.max(1)) {
            self.start_at_votes(answers);
            self.rounds(answers, known, self.settings.cold_rounds);
        } else {
            self.rounds(answers, known, self.settings.warm_rounds);
        }
        self.fits += 1;
    }

    /// Sets every posterior to the shares of the votes.
    pub fn start_at_votes(&mut self, answers: &Answers) {
        for (item, q) in self.q.chunks_exact_mut(self.k).enumerate() {
            answers.votes(item, q);
            q.iter_mut().for_each(|x| *x += 1e-9);
            crowdwise_numerics::normalise(q);
        }
    }

    /// So many rounds from the posterior as it is, fewer if nothing moves any more.
    pub fn rounds(&mut self, answers: &Answers, known: &Known, rounds: usize) {
        self.clamp(known);
        self.count(answers, known);
        self.maximise(answers, known);
        for _ in 0..rounds {
            self.pass(answers, known);
            self.maximise(answers, known);
            if self.change < self.settings.tol {
                break;
            }
        }
    }

    /// Room for items and annotators that came later.
    pub fn grow(&mut self, answers: &Answers) {
        let k = self.k;
        let prior: Vec<f64> = self.log_prior.iter().map(|l| l.exp()).collect();
        while self.q.len() < answers.n_items() * k {
            self.q.extend_from_slice(&prior);
        }
        for numbers in [&mut self.counts, &mut self.b, &mut self.log_b] {
            numbers.resize(answers.n_annotators() * k * k, 0.0);
        }
    }

    fn clamp(&mut self, known: &Known) {
        for (item, class) in known.gold.iter().enumerate() {
            if let Some(class) = class {
                let q = &mut self.q[item * self.k..(item + 1) * self.k];
                q.fill(0.0);
                q[*class as usize] = 1.0;
            }
        }
    }

    /// Counts of the posterior as it is.
    pub fn count(&mut self, answers: &Answers, known: &Known) {
        self.counts.fill(0.0);
        self.class_sums.fill(0.0);
        let k = self.k;
        for (item, q) in self.q.chunks_exact(k).enumerate() {
            if answers.degree(item) > 0 {
                add_into(&mut self.class_sums, q);
                add_counts(&mut self.counts, answers, known, item, q, 1.0);
            }
        }
    }

    /// The confusions, the crowd's matrix and the class shares of the counts.
    pub fn maximise(&mut self, answers: &Answers, known: &Known) {
        self.column = pooled(&self.counts, self.k, &self.settings);
        for j in 0..self.n_annotators() {
            self.maximise_annotator(known, j);
        }
        self.log_prior = class_shares(answers, &self.class_sums);
    }

    /// The confusions of one annotator, with the crowd's matrix as it is.
    pub fn maximise_annotator(&mut self, known: &Known, annotator: usize) {
        let (k, s) = (self.k, self.settings);
        let own = annotator * k * k..(annotator + 1) * k * k;
        let b = &mut self.b[own.clone()];
        b.copy_from_slice(&self.counts[own.clone()]);
        if known.pull.is_empty() {
            for l in 0..k {
                for c in 0..k {
                    b[l * k + c] += 0.5 * s.strength * (self.column[l * k + c] + base(k, s.diagonal, l, c));
                }
            }
        } else {
            add_into(b, &known.pull[own.clone()]);
        }
        let logs = &mut self.log_b[own];
        logs.copy_from_slice(b);
        normalise_columns(logs, k);
        logs.iter_mut().for_each(|x| *x = fast::ln(*x));
    }

    /// Posterior of an item by the confusions and class shares as they are, into `out` (length K).
    #[inline]
    pub fn expect(&self, answers: &Answers, known: &Known, item: usize, out: &mut [f64]) {
        let k = self.k;
        if let Some(class) = known.gold(item) {
            out.fill(0.0);
            out[class as usize] = 1.0;
            return;
        }
        match known.class_logs.get(item * k..(item + 1) * k) {
            Some(logs) => out.copy_from_slice(logs),
            None => out.copy_from_slice(&self.log_prior),
        }
        let (who, what) = answers.of(item);
        for (&j, &l) in who.iter().zip(what) {
            let at = (j as usize * k + l as usize) * k;
            let row = &self.log_b[at..at + k];
            for (z, x) in out.iter_mut().zip(row) {
                *z += x;
            }
        }
        softmax(out);
    }

    /// New posteriors and their counts.
    fn pass(&mut self, answers: &Answers, known: &Known) {
        let (n, k, size) = (self.n_items(), self.k, self.counts.len());
        // each part has counts of its own, which must stay small beside the labels
        let parts = (answers.n_labels() / PART).min(answers.n_labels() / size.max(1)).clamp(1, MOST_PARTS);
        let mut q = std::mem::take(&mut self.q);
        let own: Vec<Part> = q
            .par_chunks_mut(n.div_ceil(parts).max(1) * k)
            .enumerate()
            .map(|(p, q)| self.pass_part(answers, known, p * n.div_ceil(parts).max(1), q))
            .collect();
        self.q = q;
        self.counts.fill(0.0);
        self.class_sums.fill(0.0);
        self.change = 0.0;
        for part in own {
            add_into(&mut self.counts, &part.counts);
            add_into(&mut self.class_sums, &part.class_sums);
            self.change = self.change.max(part.change);
        }
    }

    fn pass_part(&self, answers: &Answers, known: &Known, first: usize, q: &mut [f64]) -> Part {
        let k = self.k;
        let mut part = Part { counts: vec![0.0; self.counts.len()], class_sums: vec![0.0; k], change: 0.0 };
        let mut new = vec![0.0; k];
        for (at, q) in q.chunks_exact_mut(k).enumerate() {
            let item = first + at;
            self.expect(answers, known, item, &mut new);
            for (old, new) in q.iter_mut().zip(&new) {
                part.change = part.change.max((*old - new).abs());
                *old = *new;
            }
            if answers.degree(item) > 0 {
                add_into(&mut part.class_sums, q);
                add_counts(&mut part.counts, answers, known, item, q, 1.0);
            }
        }
        part
    }
}

struct Part {
    counts: Vec<f64>,
    class_sums: Vec<f64>,
    change: f64,
}

/// Whether the labels of an item count for the confusions: there are at least two, or its truth is known.
#[inline]
pub fn counts_for_annotators(answers: &Answers, known: &Known, item: usize) -> bool {
    answers.degree(item) > 1 || known.gold(item).is_some()
}

/// Adds `times` the expected counts of an item with posterior `q`, if it counts.
#[inline]
pub fn add_counts(counts: &mut [f64], answers: &Answers, known: &Known, item: usize, q: &[f64], times: f64) {
    if !counts_for_annotators(answers, known, item) {
        return;
    }
    let k = q.len();
    let (who, what) = answers.of(item);
    for (&j, &l) in who.iter().zip(what) {
        let at = (j as usize * k + l as usize) * k;
        for (c, x) in counts[at..at + k].iter_mut().zip(q) {
            *c += times * x;
        }
    }
}

/// The crowd's matrix: the mean of the annotators' columns, each shrunk towards nothing by `strength`, and the base.
pub fn pooled(counts: &[f64], k: usize, s: &Settings) -> Vec<f64> {
    let mut out: Vec<f64> = (0..k * k).map(|at| base(k, s.diagonal, at / k, at % k)).collect();
    let mut scale = vec![0.0; k];
    for counts in counts.chunks_exact(k * k) {
        scale.fill(s.strength);
        counts.chunks_exact(k).for_each(|row| add_into(&mut scale, row));
        scale.iter_mut().for_each(|x| *x = 1.0 / *x);
        for (out, row) in out.chunks_exact_mut(k).zip(counts.chunks_exact(k)) {
            for c in 0..k {
                out[c] += row[c] * scale[c];
            }
        }
    }
    normalise_columns(&mut out, k);
    out
}

/// Logarithms of the class shares: those of the votes while there are few labels per item, the learned ones later.
pub fn class_shares(answers: &Answers, class_sums: &[f64]) -> Vec<f64> {
    let k = answers.k() as f64;
    let labels = answers.n_labels() as f64;
    let few = (5.0 * answers.n_labelled() as f64 / labels.max(1.0)).min(1.0).powi(2);
    let sum: f64 = class_sums.iter().sum();
    let share = |(&votes, learned): (&u64, &f64)| {
        (1.0 - few) * (1.0 + learned) / (sum + k) + few * (1.0 + votes as f64) / (labels + k)
    };
    answers.by_class().iter().zip(class_sums).map(|x| share(x).ln()).collect()
}

/// The base of the confusions: right with `diagonal`, else any other class.
fn base(k: usize, diagonal: f64, label: usize, class: usize) -> f64 {
    if label == class { diagonal } else { (1.0 - diagonal) / (k.max(2) - 1) as f64 }
}

/// Divides each column of a matrix (label by label) by its sum.
pub fn normalise_columns(a: &mut [f64], k: usize) {
    for c in 0..k {
        let sum: f64 = (0..k).map(|l| a[l * k + c]).sum();
        let scale = 1.0 / sum;
        (0..k).for_each(|l| a[l * k + c] *= scale);
    }
}

/// As [`crowdwise_numerics::softmax`], with the exponential of long loops.
#[inline]
fn softmax(x: &mut [f64]) {
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    x.iter_mut().for_each(|v| *v = fast::exp(*v - max));
    crowdwise_numerics::normalise(x);
}
