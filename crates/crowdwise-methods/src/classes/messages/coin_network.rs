//! Messages when annotators are coins: one number per label in each direction.

use super::coin_factor::{Factor, MOST_POLYNOMIAL, Scratch};
use super::graph::{Graph, Items, Network, Round, larger, own};
use crate::runs::split_labels;
use crowdwise_core::Annotators;
use crowdwise_core::stats::softmax;
use crowdwise_numerics::add_into;
use crowdwise_numerics::fast::LnProduct;
use rayon::prelude::*;
use std::ops::Range;

/// Beliefs that a label is right are kept this far from 0 and 1.
const CERTAIN: f64 = 1e-16;

pub(super) struct CoinNetwork {
    factor: Factor,
    k: usize,
    /// ln of "this label is right" over "another class is", to the item; in annotator order.
    message: Vec<f64>,
    /// P(the label is right) as its item sees it without this annotator; in table order.
    right: Vec<f64>,
    /// Where the likelihood of each annotator's accuracy was in the last round.
    stretch: Vec<[f64; 2]>,
    accuracy: Vec<f64>,
    switched: usize,
}

impl CoinNetwork {
    pub fn new(graph: &Graph<'_>, factor: Factor) -> CoinNetwork {
        let (labels, m) = (graph.place.len(), graph.annotators());
        let long = |j: &usize| graph.first[j + 1] - graph.first[*j] > MOST_POLYNOMIAL;
        let switched = if matches!(factor, Factor::Polynomial(_)) { (0..m).filter(long).count() } else { 0 };
        CoinNetwork {
            factor,
            k: graph.k(),
            message: vec![0.0; labels],
            right: vec![0.0; labels],
            stretch: vec![[0.0, 1.0]; m],
            accuracy: vec![0.0; m],
            switched,
        }
    }

    /// Items tell annotators how right their labels look.
    fn items(&self, graph: &Graph<'_>, run: Range<usize>, ln_prior: &[f64], right: &mut [f64]) -> Items {
        let (table, codes) = (graph.labels.table, graph.labels.codes);
        let mut out = Items { ln_evidence: 0.0, class_sums: vec![0.0; self.k] };
        let (mut score, mut belief) = (vec![0.0; self.k], vec![0.0; self.k]);
        let mut edges = LnProduct::new();
        let first = table.rows(run.start).start;
        for u in run {
            let rows = table.rows(u);
            let known = graph.known(u);
            if rows.is_empty() && known.is_none() {
                continue;
            }
            self.scores(graph, u, ln_prior, &mut score);
            belief.copy_from_slice(&score);
            let ln_z = softmax(&mut belief);
            let best = (0..self.k).fold(0, |b, c| if belief[c] > belief[b] { c } else { b });
            // ln of all classes but one: the sum without the best class must be taken apart, the others by difference
            let mut without_best = f64::NEG_INFINITY;
            if known.is_none() {
                let second = (0..self.k).filter(|&c| c != best).map(|c| score[c]).fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = (0..self.k).filter(|&c| c != best).map(|c| (score[c] - second).exp()).sum();
                without_best = second + sum.ln();
                out.ln_evidence += ln_z;
                add_into(&mut out.class_sums, &belief);
            } else if let Some(c) = known {
                out.ln_evidence += score[c];
                out.class_sums[c] += 1.0;
            }
            for r in rows {
                let l = codes.get(r);
                let message = self.message[graph.place[r] as usize];
                let p = if let Some(c) = known {
                    f64::from(u8::from(c == l))
                } else {
                    let others = if l == best { without_best } else { ln_z + (1.0 - belief[l]).ln() };
                    1.0 / (1.0 + (others - (score[l] - message)).exp())
                };
                let p = p.clamp(CERTAIN, 1.0 - CERTAIN);
                right[r - first] = p;
                // the edge counts twice, once on each side: p e^m + 1 - p is taken away
                let small = (-message.abs()).exp();
                let z = if message > 0.0 { p + (1.0 - p) * small } else { p * small + (1.0 - p) };
                edges.push(z.max(f64::MIN_POSITIVE));
                edges.add(message.max(0.0));
            }
        }
        out.ln_evidence -= edges.value();
        out
    }
}

impl Network for CoinNetwork {
    fn round(&mut self, graph: &Graph<'_>, ln_prior: &[f64], damping: f64) -> Round {
        let offsets = graph.labels.table.offsets();
        let mut right = std::mem::take(&mut self.right);
        let parts: Vec<Items> = (&graph.runs, split_labels(&mut right, &graph.runs, offsets, 1))
            .into_par_iter()
            .map(|(run, right)| self.items(graph, run.clone(), ln_prior, right))
            .collect();
        let mut round = Round::of_items(&parts, self.k);
        let (factor, ln_others) = (&self.factor, ((self.k - 1) as f64).ln());
        let tell = |(block, message, stretch, accuracy): Block<'_>| {
            let mut scratch = Scratch::default();
            let (mut p, mut new) = (Vec::new(), Vec::new());
            let (mut change, mut ln_evidence, mut at) = (0.0f64, 0.0, 0);
            for (n, j) in block.clone().enumerate() {
                p.clear();
                p.extend(graph.index.rows(j).iter().map(|&r| right[r as usize]));
                new.clear();
                new.resize(p.len(), 0.0);
                let known = factor.messages(&p, &mut stretch[n], &mut scratch, &mut new);
                ln_evidence += known.ln_evidence;
                accuracy[n] = known.accuracy;
                for (old, new) in message[at..at + p.len()].iter_mut().zip(&new) {
                    let next = (1.0 - damping) * new.clamp(-700.0, 700.0) + damping * *old;
                    let as_p = |m: f64| 1.0 / (1.0 + (ln_others - m).exp());
                    let d = (as_p(next) - as_p(*old)).abs();
                    change = larger(change, d);
                    *old = next;
                }
                at += p.len();
            }
            (change, ln_evidence)
        };
        let blocks: Vec<Block<'_>> = (graph.blocks.iter().cloned())
            .zip(graph.split(&mut self.message, 1))
            .zip(graph.split_annotators(&mut self.stretch, 1))
            .zip(graph.split_annotators(&mut self.accuracy, 1))
            .map(|(((b, m), s), a)| (b, m, s, a))
            .collect();
        let told: Vec<(f64, f64)> = blocks.into_par_iter().map(tell).collect();
        round.add_annotators(&told);
        self.right = right;
        round
    }

    fn scores(&self, graph: &Graph<'_>, u: usize, ln_prior: &[f64], score: &mut [f64]) {
        score.copy_from_slice(own(ln_prior, u, self.k));
        for r in graph.labels.table.rows(u) {
            score[graph.labels.codes.get(r)] += self.message[graph.place[r] as usize];
        }
    }

    fn annotators(&self) -> Annotators {
        Annotators::Accuracy { k: self.k, accuracy: self.accuracy.clone() }
    }

    fn switched(&self) -> usize {
        self.switched
    }
}

/// Annotators with their messages, stretches and accuracies.
type Block<'v> = (Range<usize>, &'v mut [f64], &'v mut [[f64; 2]], &'v mut [f64]);
