//! Whether the labels determine the annotators' confusion matrices and the truth at all, before and after a fit.

mod doubts;
mod separation;

pub(super) use doubts::{of_fit, of_labels};
pub use separation::{ClassPair, Separation};

use crowdwise_numerics::Matrix;
use separation::{closest, cycles};

use super::agreement::MIN_COMMON;
use super::pairs::Pairs;
use super::panel::{self, Panel};
use super::patterns::last_labels;
use crate::{Annotators, Dataset, Fit, Table};
use serde::{Deserialize, Serialize};

/// What the labels determine. Everything is an estimate from the labels themselves; counts say what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identifiability {
    pub basis: Basis,
    pub pairs: PairStrength,
    pub triples: TripleCheck,
    /// For each class, how surely some annotator's label gives it away.
    pub separation: Vec<Separation>,
    /// The pairs of classes that are hardest to tell apart, hardest first (20 at most).
    pub hardest: Vec<ClassPair>,
    /// Labels of an item, on average.
    pub labels_per_item: f64,
    /// An upper bound of the share of wrong labels if the matrices were known and right; `None` if there are too many
    /// annotators and classes to compute it, and where annotators err together: it takes them for independent.
    pub error_bound: Option<f64>,
    /// What the labels of an item are worth, where that is far less than their number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependent: Option<Panel>,
}

/// Where the confusion matrices come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// What each annotator says beside what the others say of the same items: without a fit. The others err too, so that
    /// annotators look worse than they are.
    Votes,
    /// The matrices of a fit.
    Fit,
}

/// Pairs of annotators with common items.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairStrength {
    /// Pairs with at least one common item, of all pairs of the annotators looked at.
    pub observed: u64,
    pub possible: u64,
    /// Pairs with enough common items whose co-occurrences were decomposed: at most a few thousand, those with the most.
    pub examined: usize,
    /// Of these, pairs that tell all classes apart: the smallest singular value is above its sampling error.
    pub full_rank: usize,
    /// Smallest, middle and largest ratio of the smallest to the largest singular value.
    pub ratio: Option<[f64; 3]>,
}

/// The condition of Kruskal's kind: three annotators determine everything if the ranks of their matrices add up to
/// 2 K + 2 or more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TripleCheck {
    /// Sum of ranks that is needed.
    pub needed: usize,
    /// Annotators whose rank was determined: those with the most labels if there are too many.
    pub examined: usize,
    /// Of these, annotators whose labels tell all classes apart, beyond sampling error.
    pub full_rank: usize,
    /// Annotators in a triple that meets the condition and all of whose pairs have enough common items.
    pub annotators: usize,
}

/// Numbers of all co-occurrences that are decomposed.
const PAIR_ENTRIES: usize = 4_000_000;
/// Operations, about, that looking for the hardest pairs of classes may take.
const WORK: usize = 100_000_000;
/// Operations that all decompositions may take, and those of one of them over K^3: some ten rounds over all pairs of
/// columns, each turned once.
const ROTATIONS: usize = 500_000_000;
const PER_CUBE: usize = 40;
/// Entries of all confusion matrices.
const MOST_ENTRIES: usize = 30_000_000;

/// Looks at the data, and at the matrices of a fit if it has them. `None` unless labels are classes, of which there are
/// two or more, and few enough for the annotators.
pub fn identifiability(data: &Dataset, fit: Option<&Fit>) -> Option<Identifiability> {
    let pairs = Pairs::of(&data.table, MIN_COMMON);
    with_pairs(data, fit, &pairs)
}

pub(super) fn with_pairs(data: &Dataset, fit: Option<&Fit>, pairs: &Pairs) -> Option<Identifiability> {
    let table = &data.table;
    let c = table.categorical()?;
    let (k, m) = (c.k(), table.n_annotators());
    if k < 2 || table.n_labels() == 0 || m.saturating_mul(k * k) > MOST_ENTRIES {
        return None;
    }
    let matrices = fit.and_then(|f| Matrices::of_fit(table, f)).unwrap_or_else(|| Matrices::of_votes(table));
    let labelled = (0..table.n_units()).filter(|&u| table.degree(u) > 0).count();
    let (hardest, error_bound) = separation::hardest(&matrices, labelled);
    let dependent = match fit.and_then(Fit::model_posterior) {
        Some((_, q)) => panel::dependent(data, q),
        None => panel::plurality(data).and_then(|q| panel::dependent(data, &q)),
    };
    Some(Identifiability {
        basis: matrices.basis,
        pairs: strength(table, pairs, k),
        triples: triples(&matrices, pairs),
        separation: separation::separation(&matrices),
        hardest,
        labels_per_item: table.n_labels() as f64 / labelled.max(1) as f64,
        error_bound: error_bound.filter(|_| dependent.is_none()),
        dependent,
    })
}

/// Confusion matrices with what they rest on.
pub(super) struct Matrices {
    pub basis: Basis,
    pub k: usize,
    /// Annotators x truth x label; rows sum to 1.
    pub confusion: Vec<f64>,
    /// Class shares.
    pub shares: Vec<f64>,
    /// Labels, and how often each class was said (annotators x K).
    pub n: Vec<u64>,
    pub said: Vec<u32>,
}

impl Matrices {
    fn of_fit(table: &Table, fit: &Fit) -> Option<Matrices> {
        let (k, m) = (table.n_classes(), table.n_annotators());
        let (of, q) = fit.posterior()?;
        if of != k || q.len() != k * table.n_units() || fit.annotators.len() != m {
            return None;
        }
        let confusion = match &fit.annotators {
            Annotators::Confusion { matrix, .. } => matrix.clone(),
            other => (0..m).map(|j| other.confusion(j)).collect::<Option<Vec<_>>>()?.concat(),
        };
        let mut shares = vec![0.0; k];
        q.chunks_exact(k).for_each(|row| shares.iter_mut().zip(row).for_each(|(s, x)| *s += x));
        let all = table.n_units().max(1) as f64;
        shares.iter_mut().for_each(|s| *s /= all);
        let (n, said) = counts(table, k);
        Some(Matrices { basis: Basis::Fit, k, confusion, shares, n, said })
    }

    /// An annotator's labels beside the shares of the others' labels on the same items. Half a label is added to every
    /// cell: matrices of few labels stay near even ones.
    fn of_votes(table: &Table) -> Matrices {
        let c = table.categorical().expect("asked before");
        let (k, m) = (c.k(), table.n_annotators());
        let mut confusion = vec![0.5; m * k * k];
        let mut shares = vec![0.0; k];
        let mut votes = vec![0.0; k];
        for u in 0..table.n_units() {
            let d = table.degree(u) as f64;
            votes.fill(0.0);
            c.votes(u, &mut votes);
            if d > 0.0 {
                shares.iter_mut().zip(&votes).for_each(|(s, v)| *s += v / d);
            }
            if d < 2.0 {
                continue;
            }
            for r in table.rows(u) {
                let (j, l) = (table.annotator()[r] as usize, c.codes.get(r));
                let own = &mut confusion[j * k * k..(j + 1) * k * k];
                for t in 0..k {
                    let others = votes[t] - if t == l { 1.0 } else { 0.0 };
                    own[t * k + l] += others / (d - 1.0);
                }
            }
        }
        for row in confusion.chunks_exact_mut(k) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x /= sum);
        }
        let sum: f64 = shares.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        shares.iter_mut().for_each(|s| *s /= sum);
        let (n, said) = counts(table, k);
        Matrices { basis: Basis::Votes, k, confusion, shares, n, said }
    }

    pub fn of(&self, j: usize) -> &[f64] {
        &self.confusion[j * self.k * self.k..(j + 1) * self.k * self.k]
    }

    /// How many classes annotator `j` tells apart beyond sampling error: singular values of the joint shares of truth and
    /// label above 1 / √n, the length that the error of n draws has at most on average.
    pub fn rank(&self, j: usize) -> usize {
        let k = self.k;
        let joint: Vec<f64> = self.of(j).iter().enumerate().map(|(x, p)| p * self.shares[x / k]).collect();
        significant(&Matrix::new(k, k, joint).singular_values(), self.n[j])
    }
}

fn significant(values: &[f64], n: u64) -> usize {
    values.iter().filter(|&&s| s > 1.0 / (n.max(1) as f64).sqrt()).count()
}

fn counts(table: &Table, k: usize) -> (Vec<u64>, Vec<u32>) {
    let c = table.categorical().expect("asked before");
    let mut said = vec![0; table.n_annotators() * k];
    for (r, &j) in table.annotator().iter().enumerate() {
        said[j as usize * k + c.codes.get(r)] += 1;
    }
    (table.labels_per_annotator(), said)
}

/// How many K x K matrices may be decomposed; none if one alone takes too long.
fn decompositions(k: usize) -> usize {
    ROTATIONS / k.saturating_mul(k).saturating_mul(k).saturating_mul(PER_CUBE).max(1)
}

/// Singular values of the co-occurrences of the pairs with the most common items.
fn strength(table: &Table, pairs: &Pairs, k: usize) -> PairStrength {
    let among = pairs.among.len() as u64;
    let most = (PAIR_ENTRIES / (k * k)).min(decompositions(k)).min(5000);
    let mut chosen = pairs.with_at_least(MIN_COMMON);
    chosen.truncate(most);
    let mut ratios = Vec::with_capacity(chosen.len());
    let mut full_rank = 0;
    for (joint, &(_, _, n)) in pairs.joint(table, &chosen, k).chunks_exact(k * k).zip(&chosen) {
        let values = Matrix::new(k, k, joint.to_vec()).singular_values();
        ratios.push(values[k - 1] / values[0].max(f64::MIN_POSITIVE));
        let scaled: Vec<f64> = values.iter().map(|s| s / n as f64).collect();
        full_rank += usize::from(significant(&scaled, n as u64) == k);
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = (!ratios.is_empty()).then(|| [ratios[0], ratios[ratios.len() / 2], ratios[ratios.len() - 1]]);
    PairStrength {
        observed: pairs.count_at_least(1),
        possible: among * among.saturating_sub(1) / 2,
        examined: chosen.len(),
        full_rank,
        ratio,
    }
}

fn triples(matrices: &Matrices, pairs: &Pairs) -> TripleCheck {
    let k = matrices.k;
    let most = decompositions(k);
    let mut who: Vec<u32> = pairs.among.clone();
    who.sort_by_key(|&j| (std::cmp::Reverse(matrices.n[j as usize]), j));
    who.truncate(most);
    let ranks: Vec<(u32, usize)> = who.iter().map(|&j| (j, matrices.rank(j as usize))).collect();
    TripleCheck {
        needed: 2 * k + 2,
        examined: ranks.len(),
        full_rank: ranks.iter().filter(|r| r.1 == k).count(),
        annotators: pairs.in_triples_of(MIN_COMMON, &ranks, 2 * k + 2),
    }
}

impl Pairs {
    /// Counts of what both annotators of each pair said on their common units: pairs x K x K, by places in the list.
    fn joint(&self, table: &Table, pairs: &[(u32, u32, u32)], k: usize) -> Vec<f64> {
        let Some(c) = table.categorical() else { return Vec::new() };
        let slots = self.slots(pairs);
        let mut out = vec![0.0; pairs.len() * k * k];
        let mut here: Vec<(u32, usize)> = Vec::new();
        for u in 0..table.n_units() {
            here.clear();
            here.extend(last_labels(table, u).map(|r| (table.annotator()[r], c.codes.get(r))));
            self.each_slot(&slots, &here, |s, a, b| out[s * k * k + a * k + b] += 1.0);
        }
        out
    }
}

#[cfg(test)]
mod bounds {
    use super::*;

    /// Reliability 17: 240 rows of 240 classes took eight seconds of decompositions.
    #[test]
    fn failure_17_many_classes_are_not_decomposed_for_seconds() {
        assert!(decompositions(3) > 5000 && decompositions(10) > 5000);
        for k in [50, 100, 240, 1000, 65_535] {
            assert!(decompositions(k) * k.pow(3) * PER_CUBE <= ROTATIONS, "{k}");
        }
        let mut b = crate::TableBuilder::new(crate::LabelKind::Categorical);
        for n in 0..240 {
            b.label(&format!("i{}", n % 20), &format!("w{}", n / 20), &format!("c{n}")).unwrap();
        }
        let found = identifiability(&Dataset::new(b.finish().unwrap()), None).unwrap();
        assert_eq!((found.triples.examined, found.pairs.examined), (0, 0));
    }
}
