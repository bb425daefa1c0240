//! A state that survives the process.

use super::{AnnotatorLimits, ItemLimits, Limits, Pair, Record, State};
use crate::answers::{Answers, Label};
use crate::model::Known;
use serde::{Deserialize, Serialize};

/// A state in plain lists. Which pairs are allowed and what is known beside the answers come from where they came from at first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    pub items: usize,
    pub annotators: usize,
    pub classes: usize,
    /// Item, annotator, class.
    pub labels: Vec<(u32, u32, u16)>,
    /// Item, annotator, what became of the question.
    pub pairs: Vec<(u32, u32, Pair)>,
    pub records: Vec<Record>,
    pub limits: Limits,
    pub item_limits: Vec<ItemLimits>,
    pub annotator_limits: Vec<AnnotatorLimits>,
    pub gold: Vec<Option<u16>>,
    pub next_lease: u64,
    pub batch: u64,
}

impl State {
    pub fn save(&self) -> Saved {
        Saved {
            items: self.n_items(),
            annotators: self.n_annotators(),
            classes: self.answers.k(),
            labels: self.answers.iter().map(|l| (l.item, l.annotator, l.class)).collect(),
            pairs: self.pairs.iter().map(|(&(i, j), &p)| (i, j, p)).collect(),
            records: self.records.clone(),
            limits: self.limits,
            item_limits: self.items.clone(),
            annotator_limits: self.annotators.clone(),
            gold: self.known.gold.clone(),
            next_lease: self.next_lease,
            batch: self.batch,
        }
    }

    /// The state that was saved.
    pub fn load(saved: &Saved) -> State {
        let label = |&(item, annotator, class): &(u32, u32, u16)| Label { item, annotator, class };
        let labels: Vec<Label> = saved.labels.iter().map(label).collect();
        let mut state = State::new(Answers::from_labels(saved.items, saved.annotators, saved.classes, &labels));
        for &(item, annotator, pair) in &saved.pairs {
            state.in_flight[item as usize] += u16::from(matches!(pair, Pair::Leased { .. }));
            state.pairs.insert((item, annotator), pair);
        }
        state.records.clone_from(&saved.records);
        state.limits = saved.limits;
        state.items.clone_from(&saved.item_limits);
        state.annotators.clone_from(&saved.annotator_limits);
        state.known = Known { gold: saved.gold.clone(), ..Known::default() };
        (state.next_lease, state.batch) = (saved.next_lease, saved.batch);
        state
    }
}
