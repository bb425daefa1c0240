//! EM in turns: the network on what labels and network say together, the annotators on how often they were right.

use super::words::Experts;
use crate::learn::Learner;
use crate::objective::{Batch, Objective, Outputs, Probabilities, cross_entropy};
use crate::train::Task;
use crate::{Labels, Matrix};
use crowdwise_core::Error;
use std::sync::Arc;

/// Annotators whose expertise is learned from probabilities that their labels are right.
pub(super) trait Expertise: Send {
    fn experts(&self) -> &Experts;
    /// `right` has a number for every label of `items`, in their order.
    fn learn(&mut self, x: &Matrix, labels: &Labels, items: &[u32], right: &[f64]);
    fn restore(&mut self, numbers: &[f64]);
}

impl Expertise for Box<dyn Expertise> {
    fn experts(&self) -> &Experts {
        self.as_ref().experts()
    }

    fn learn(&mut self, x: &Matrix, labels: &Labels, items: &[u32], right: &[f64]) {
        self.as_mut().learn(x, labels, items, right);
    }

    fn restore(&mut self, numbers: &[f64]) {
        self.as_mut().restore(numbers);
    }
}

/// When what happens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    /// Epochs before the first turn.
    pub warm_up: usize,
    /// Networks drawn by dropout whose mean speaks; 0 = the network itself.
    pub passes: usize,
    /// Added to the network's probabilities.
    pub floor: f64,
    /// Annotators are judged by the targets that the turn begins with, otherwise by those that it ends with.
    pub judge_first: bool,
}

pub(super) struct InTurns<E> {
    x: Arc<Matrix>,
    labels: Labels,
    k: usize,
    /// items x K
    q: Vec<f64>,
    experts: E,
    turns: Turns,
}

impl<E: Expertise> InTurns<E> {
    pub fn new(task: &Task, q: Vec<f64>, experts: E, turns: Turns) -> Self {
        InTurns { x: task.x.clone(), labels: task.labels.clone(), k: task.labels.k, q, experts, turns }
    }

    /// The annotators, when the turns are over.
    pub fn into_experts(self) -> E {
        self.experts
    }

    fn row(&self, i: u32) -> &[f64] {
        &self.q[i as usize * self.k..(i as usize + 1) * self.k]
    }

    fn judge(&mut self, labels: &Labels, items: &[u32]) {
        let of = |&i: &u32| labels.of(i as usize).map(move |(_, l)| (i, l));
        let right: Vec<f64> = items.iter().flat_map(of).map(|(i, l)| self.row(i)[l]).collect();
        self.experts.learn(&self.x, labels, items, &right);
    }
}

impl<E: Expertise> Objective for InTurns<E> {
    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        cross_entropy(&Probabilities::of(scores), |b| self.row(batch.items[b]), |_| 1.0, d_scores)
    }

    fn end_epoch(&mut self, epoch: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        let Turns { warm_up, passes, floor, judge_first } = self.turns;
        if epoch < warm_up {
            return Ok(());
        }
        if judge_first {
            self.judge(all.labels, all.items);
        }
        let f = all.mean_probabilities(passes, (epoch * passes) as u64)?;
        let q = self.experts.experts().infer_all(&self.x, all.labels, all.items, &f, floor);
        for (row, &i) in q.chunks_exact(self.k).zip(all.items) {
            self.q[i as usize * self.k..][..self.k].copy_from_slice(row);
        }
        if !judge_first {
            self.judge(all.labels, all.items);
        }
        Ok(())
    }

    fn confusion(&self) -> Vec<f64> {
        self.experts.experts().confusion(&self.x, &self.labels)
    }

    fn log_likelihood(&self, f: &Probabilities, items: &[u32], labels: &Labels) -> f64 {
        self.experts.experts().log_likelihood(&self.x, labels, items, f)
    }

    fn posterior(&self, f: &Probabilities, labels: &Labels) -> Vec<f64> {
        let items: Vec<u32> = (0..labels.items() as u32).collect();
        self.experts.experts().infer_all(&self.x, labels, &items, f, 0.0)
    }

    fn snapshot(&self) -> Vec<f64> {
        [self.q.as_slice(), &self.experts.experts().numbers].concat()
    }

    fn restore(&mut self, kept: &[f64]) {
        let (q, numbers) = kept.split_at(self.q.len());
        self.q.copy_from_slice(q);
        self.experts.restore(numbers);
    }
}

impl<E: Expertise> Learner for InTurns<E> {
    fn experts(&self) -> Option<Experts> {
        Some(self.experts.experts().clone())
    }
}
