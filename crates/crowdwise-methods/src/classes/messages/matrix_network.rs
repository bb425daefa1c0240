//! Messages when annotators have confusion matrices: K numbers per label in each direction.

use super::graph::{Graph, Items, Network, Round, larger, own};
use super::matrix_factor::{MatrixFactor, Scratch};
use crate::runs::split_labels;
use crowdwise_core::Annotators;
use crowdwise_core::stats::softmax;
use crowdwise_numerics::add_into;
use rayon::prelude::*;
use std::ops::Range;

/// What items believe is kept this far from 0.
const CERTAIN: f64 = 1e-16;

pub(super) struct MatrixNetwork {
    factor: MatrixFactor,
    k: usize,
    /// ln P(class) as the annotator of a label tells its item; in annotator order, K a label.
    message: Vec<f64>,
    /// P(class) as the item tells the annotator; in table order, K a label.
    outgoing: Vec<f64>,
    /// Posterior means, annotators x truth x label.
    matrix: Vec<f64>,
}

impl MatrixNetwork {
    pub fn new(graph: &Graph<'_>, factor: MatrixFactor) -> MatrixNetwork {
        let (labels, m, k) = (graph.place.len(), graph.annotators(), graph.k());
        MatrixNetwork {
            factor,
            k,
            message: vec![-(k as f64).ln(); labels * k],
            outgoing: vec![0.0; labels * k],
            matrix: vec![0.0; m * k * k],
        }
    }

    fn of_row(&self, graph: &Graph<'_>, r: usize) -> &[f64] {
        &self.message[graph.place[r] as usize * self.k..][..self.k]
    }

    fn items(&self, graph: &Graph<'_>, run: Range<usize>, ln_prior: &[f64], outgoing: &mut [f64]) -> Items {
        let (table, k) = (graph.labels.table, self.k);
        let mut out = Items { ln_evidence: 0.0, class_sums: vec![0.0; k] };
        let (mut score, mut belief) = (vec![0.0; k], vec![0.0; k]);
        let first = table.rows(run.start).start;
        for u in run {
            let rows = table.rows(u);
            let known = graph.known(u);
            if rows.is_empty() && known.is_none() {
                continue;
            }
            self.scores(graph, u, ln_prior, &mut score);
            if let Some(c) = known {
                out.ln_evidence += score[c];
                out.class_sums[c] += 1.0;
            } else {
                belief.copy_from_slice(&score);
                out.ln_evidence += softmax(&mut belief);
                add_into(&mut out.class_sums, &belief);
            }
            for r in rows {
                let to = &mut outgoing[(r - first) * k..][..k];
                let message = self.of_row(graph, r);
                if let Some(c) = known {
                    to.fill(CERTAIN);
                    to[c] = 1.0;
                } else {
                    (0..k).for_each(|c| to[c] = score[c] - message[c]);
                    softmax(to);
                    to.iter_mut().for_each(|p| *p = p.max(CERTAIN));
                }
                let z: f64 = to.iter().zip(message).map(|(p, m)| p * m.exp()).sum();
                out.ln_evidence -= z.max(f64::MIN_POSITIVE).ln();
            }
        }
        out
    }
}

impl Network for MatrixNetwork {
    fn round(&mut self, graph: &Graph<'_>, ln_prior: &[f64], damping: f64) -> Round {
        let (table, k) = (graph.labels.table, self.k);
        let mut outgoing = std::mem::take(&mut self.outgoing);
        let parts: Vec<Items> = (&graph.runs, split_labels(&mut outgoing, &graph.runs, table.offsets(), k))
            .into_par_iter()
            .map(|(run, out)| self.items(graph, run.clone(), ln_prior, out))
            .collect();
        let mut round = Round::of_items(&parts, k);
        let factor = &self.factor;
        let tell = |(block, message, matrix): Block<'_>| {
            let mut scratch = Scratch::default();
            let (mut labels, mut p, mut new) = (Vec::new(), Vec::new(), Vec::new());
            let (mut change, mut ln_evidence, mut at) = (0.0f64, 0.0, 0);
            for (n, j) in block.enumerate() {
                labels.clear();
                p.clear();
                for &r in graph.index.rows(j) {
                    labels.push(graph.labels.codes.get(r as usize));
                    p.extend_from_slice(&outgoing[r as usize * k..][..k]);
                }
                new.clear();
                new.resize(p.len(), 0.0);
                let mean = &mut matrix[n * k * k..(n + 1) * k * k];
                ln_evidence += factor.messages(&labels, &p, &mut scratch, &mut new, mean);
                for (old, new) in message[at..at + p.len()].iter_mut().zip(&new) {
                    let next = (1.0 - damping) * new + damping * *old;
                    let d = (next.exp() - old.exp()).abs();
                    change = larger(change, d);
                    *old = next;
                }
                at += p.len();
            }
            (change, ln_evidence)
        };
        let blocks: Vec<Block<'_>> = (graph.blocks.iter().cloned())
            .zip(graph.split(&mut self.message, k))
            .zip(graph.split_annotators(&mut self.matrix, k * k))
            .map(|((b, m), a)| (b, m, a))
            .collect();
        let told: Vec<(f64, f64)> = blocks.into_par_iter().map(tell).collect();
        round.add_annotators(&told);
        self.outgoing = outgoing;
        round
    }

    fn scores(&self, graph: &Graph<'_>, u: usize, ln_prior: &[f64], score: &mut [f64]) {
        score.copy_from_slice(own(ln_prior, u, self.k));
        for r in graph.labels.table.rows(u) {
            add_into(score, self.of_row(graph, r));
        }
    }

    fn annotators(&self) -> Annotators {
        Annotators::Confusion { k: self.k, matrix: self.matrix.clone() }
    }
}

/// Annotators with their messages and matrices.
type Block<'v> = (Range<usize>, &'v mut [f64], &'v mut [f64]);
