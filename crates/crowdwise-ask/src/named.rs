//! Answers with numbers by name, so that no order of rows changes what is drawn or which of equals is taken.

use crate::answers::{Answers, Label};
use crowdwise_core::{Error, Table};

/// The answers of a table, items and annotators numbered by name.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub answers: Answers,
    /// The new number of every item of the table …
    pub items: Vec<u32>,
    /// … and of every annotator.
    pub annotators: Vec<u32>,
}

impl Named {
    pub fn of(table: &Table) -> Result<Named, Error> {
        let items = by_name((0..table.n_units()).map(|u| table.unit_name(u)));
        let annotators = by_name(table.annotators().iter().map(str::to_owned));
        let old = Answers::of_table(table)?;
        let new = |l: Label| Label {
            item: items[l.item as usize],
            annotator: annotators[l.annotator as usize],
            class: l.class,
        };
        let all: Vec<Label> = old.iter().map(new).collect();
        Ok(Named { answers: Answers::from_labels(old.n_items(), old.n_annotators(), old.k(), &all), items, annotators })
    }

    /// Known classes of the table's items by their new numbers.
    pub fn gold(&self, known: &[Option<u32>]) -> Vec<Option<u16>> {
        let mut out = vec![None; self.items.len()];
        known.iter().zip(&self.items).for_each(|(g, &new)| out[new as usize] = g.map(|g| g as u16));
        out
    }
}

/// The place of each name among all in order.
fn by_name(names: impl Iterator<Item = String>) -> Vec<u32> {
    let mut order: Vec<(String, u32)> = names.zip(0..).collect();
    order.sort_unstable();
    inverse(order.into_iter().map(|o| o.1))
}

/// The place at which each number stands.
pub(crate) fn inverse(numbers: impl ExactSizeIterator<Item = u32>) -> Vec<u32> {
    let mut out = vec![0; numbers.len()];
    numbers.zip(0..).for_each(|(n, at)| out[n as usize] = at);
    out
}
