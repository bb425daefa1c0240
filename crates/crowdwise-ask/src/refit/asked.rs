//! New labels into the model while asking ([`Model`]).
//!
//! The same as with [`Incremental`](super::Incremental): items with new labels leave the counts, get the labels and a new posterior, and
//! come back. The crowd's matrix and the class shares stay until the model is fitted again.

use super::touched::SWEEPS;
use crate::answers::Answers;
use crate::model::{Known, Model, add_counts};
use crowdwise_numerics::add_into;

/// Items between two states of the answers. Between [`Touch::before`] and [`Touch::after`] the model is in pieces.
#[derive(Debug)]
#[must_use = "the items are out of the counts until `after`"]
pub struct Touch {
    items: Vec<u32>,
}

impl Touch {
    /// Takes items that are about to get labels out of the counts.
    pub fn before(model: &mut Model, answers: &Answers, known: &Known, items: impl IntoIterator<Item = u32>) -> Touch {
        let mut items: Vec<u32> = items.into_iter().collect();
        items.sort_unstable();
        items.dedup();
        for &item in items.iter().filter(|i| (**i as usize) < answers.n_items()) {
            put(model, answers, known, item as usize, -1.0);
        }
        Touch { items }
    }

    /// Puts them back with what the labels say. Gives the number of labels that were looked at.
    pub fn after(self, model: &mut Model, answers: &Answers, known: &Known) -> usize {
        let (k, had) = (model.k, model.n_annotators());
        model.grow(answers);
        let mut annotators: Vec<u32> = self.items.iter().flat_map(|&i| answers.of(i as usize).0).copied().collect();
        let looked_at = annotators.len();
        annotators.sort_unstable();
        annotators.dedup();
        (had..model.n_annotators()).for_each(|j| model.maximise_annotator(known, j));
        let mut q = vec![0.0; k];
        for sweep in 0..SWEEPS {
            // all posteriors by the same confusions
            let mut next = Vec::with_capacity(self.items.len() * k);
            for &item in &self.items {
                model.expect(answers, known, item as usize, &mut q);
                next.extend_from_slice(&q);
            }
            for (&item, q) in self.items.iter().zip(next.chunks_exact(k)) {
                let item = item as usize;
                if sweep > 0 {
                    put(model, answers, known, item, -1.0);
                }
                model.q[item * k..(item + 1) * k].copy_from_slice(q);
                put(model, answers, known, item, 1.0);
            }
            annotators.iter().for_each(|&j| model.maximise_annotator(known, j as usize));
        }
        looked_at
    }
}

/// Adds an item to the counts and the class sums, or takes it out of them.
fn put(model: &mut Model, answers: &Answers, known: &Known, item: usize, times: f64) {
    if answers.degree(item) == 0 {
        return;
    }
    let k = model.k;
    let q: Vec<f64> = model.q[item * k..(item + 1) * k].iter().map(|p| times * p).collect();
    add_into(&mut model.class_sums, &q);
    add_counts(&mut model.counts, answers, known, item, &q, 1.0);
    if times < 0.0 {
        // differences may end a rounding error below zero
        for &j in answers.of(item).0 {
            model.counts[j as usize * k * k..(j as usize + 1) * k * k].iter_mut().for_each(|c| *c = c.max(0.0));
        }
    }
}
