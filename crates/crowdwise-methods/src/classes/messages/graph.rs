//! The graph of items and annotators that messages travel on: one edge per label.

use crate::runs::runs;
use crowdwise_core::stats::softmax;
use crowdwise_core::{Categorical, Dataset, Index};
use crowdwise_numerics::add_into;
use rayon::prelude::*;
use std::ops::Range;

/// Labels in two orders: by item (as in the table) and by annotator.
pub(super) struct Graph<'a> {
    pub labels: Categorical<'a>,
    pub gold: Option<Vec<Option<u32>>>,
    pub index: &'a Index,
    /// Where each row of the table stands in annotator order.
    pub place: Vec<u32>,
    /// Place of the first label of every annotator, and the number of labels.
    pub first: Vec<usize>,
    /// Annotators per piece of parallel work; the cut depends on the data alone.
    pub blocks: Vec<Range<usize>>,
    /// Units per piece of parallel work.
    pub runs: Vec<Range<usize>>,
}

/// Labels of a block of annotators, if no single one has more.
const BLOCK: usize = 4096;

impl<'a> Graph<'a> {
    pub fn new(data: &'a Dataset) -> Graph<'a> {
        let labels = data.table.categorical().expect("the kind was checked");
        let k = labels.k() as u32;
        let (table, m) = (&data.table, data.table.n_annotators());
        let index = table.by_annotator();
        let mut place = vec![0u32; table.n_labels()];
        let mut first = Vec::with_capacity(m + 1);
        let mut blocks = Vec::new();
        let (mut at, mut start) = (0usize, 0);
        for j in 0..m {
            first.push(at);
            for &r in index.rows(j) {
                place[r as usize] = at as u32;
                at += 1;
            }
            if at - first[start] >= BLOCK || j + 1 == m {
                blocks.push(start..j + 1);
                start = j + 1;
            }
        }
        first.push(at);
        // a class that the table does not know (gold that was put in by hand) cannot be a posterior
        let gold = data.gold_classes().map(|g| g.into_iter().map(|c| c.filter(|&c| c < k)).collect::<Vec<_>>());
        Graph {
            labels,
            gold: gold.filter(|g| g.iter().any(Option::is_some)),
            index,
            place,
            first,
            blocks,
            runs: runs(table.offsets(), 1),
        }
    }

    pub fn k(&self) -> usize {
        self.labels.k()
    }

    pub fn annotators(&self) -> usize {
        self.first.len() - 1
    }

    pub fn known(&self, u: usize) -> Option<usize> {
        self.gold.as_ref().and_then(|g| g[u]).map(|c| c as usize)
    }

    /// Number of labels of a block of annotators.
    pub fn size(&self, block: &Range<usize>) -> usize {
        self.first[block.end] - self.first[block.start]
    }

    /// Splits values in annotator order (`per` a label) into the parts of the blocks.
    pub fn split<'v, T>(&self, mut values: &'v mut [T], per: usize) -> Vec<&'v mut [T]> {
        self.blocks
            .iter()
            .map(|b| {
                let (head, rest) = std::mem::take(&mut values).split_at_mut(self.size(b) * per);
                values = rest;
                head
            })
            .collect()
    }

    /// Splits values of annotators (`per` each) into the parts of the blocks.
    pub fn split_annotators<'v, T>(&self, mut values: &'v mut [T], per: usize) -> Vec<&'v mut [T]> {
        self.blocks
            .iter()
            .map(|b| {
                let (head, rest) = std::mem::take(&mut values).split_at_mut(b.len() * per);
                values = rest;
                head
            })
            .collect()
    }
}

/// What one exchange of messages gave.
#[derive(Clone, Debug)]
pub(super) struct Round {
    /// Largest change of a message, as a probability.
    pub change: f64,
    /// Bethe approximation of ln P(labels) at the messages before the exchange.
    pub ln_evidence: f64,
    /// Sum of the beliefs of labelled or known units.
    pub class_sums: Vec<f64>,
}

/// Sums of a run of items.
pub(super) struct Items {
    pub ln_evidence: f64,
    pub class_sums: Vec<f64>,
}

impl Round {
    /// After the items of all runs have spoken.
    pub fn of_items(parts: &[Items], k: usize) -> Round {
        let mut round = Round { change: 0.0, ln_evidence: 0.0, class_sums: vec![0.0; k] };
        for p in parts {
            round.ln_evidence += p.ln_evidence;
            add_into(&mut round.class_sums, &p.class_sums);
        }
        round
    }

    /// Adds what blocks of annotators say: largest change and evidence of each. A change that is not a number stays one.
    pub fn add_annotators(&mut self, told: &[(f64, f64)]) {
        for &(change, ln_evidence) in told {
            self.change = larger(self.change, change);
            self.ln_evidence += ln_evidence;
        }
    }
}

/// The larger of two changes, or the one that is not a number.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

/// The prior of unit `u`: its own where every unit has one, otherwise that of all.
pub(super) fn own(ln_prior: &[f64], u: usize, k: usize) -> &[f64] {
    if ln_prior.len() == k { ln_prior } else { &ln_prior[u * k..(u + 1) * k] }
}

/// Messages of one form on a graph. `ln_prior` has K numbers, or K for every unit.
pub(super) trait Network: Send + Sync {
    /// Items tell annotators, annotators tell items. New messages keep a share `damping` of the old ones.
    fn round(&mut self, graph: &Graph<'_>, ln_prior: &[f64], damping: f64) -> Round;
    /// What unit `u` thinks of its classes, unnormalised logarithms.
    fn scores(&self, graph: &Graph<'_>, u: usize, ln_prior: &[f64], score: &mut [f64]);
    /// Beliefs of all units, units x K.
    fn beliefs(&self, graph: &Graph<'_>, ln_prior: &[f64]) -> Vec<f64> {
        let k = graph.k();
        let mut out = vec![0.0; graph.labels.table.n_units() * k];
        out.par_chunks_mut(k * 1024).enumerate().for_each(|(c, rows)| {
            for (n, row) in rows.chunks_exact_mut(k).enumerate() {
                self.scores(graph, c * 1024 + n, ln_prior, row);
                softmax(row);
            }
        });
        out
    }
    /// What is believed of the annotators.
    fn annotators(&self) -> crowdwise_core::Annotators;
    /// How many annotators were treated by another form than the one asked for.
    fn switched(&self) -> usize {
        0
    }
}
