//! A collection under way, by names: how the answers of a table and what is told beside them become a state.
//!
//! Items, annotators and classes are numbered in the order of their names, so that no order of rows changes what is drawn, or which of
//! equals is taken.

use crate::answers::{Answers, Label};
use crate::model::Known;
use crate::state::{AnnotatorLimits, ItemLimits, State};
use crowdwise_core::{Dataset, Error, GoldValues, nearest};
use std::collections::{BTreeMap, BTreeSet};

/// Names, and the state whose numbers they are.
#[derive(Clone, Debug)]
pub struct Collection {
    pub items: Vec<String>,
    pub annotators: Vec<String>,
    pub classes: Vec<String>,
    pub state: State,
}

impl Collection {
    /// The answers of a dataset, with its gold and a classifier's probabilities if it has them, and annotators who did not answer yet.
    pub fn of(data: &Dataset, more_annotators: &[String]) -> Result<Collection, Error> {
        let table = &data.table;
        let answers = Answers::of_table(table)?;
        let classes: Vec<String> =
            table.categorical().map(|c| c.classes.iter().map(str::to_owned).collect()).unwrap_or_default();
        let (items, of_item) = sorted(table.items().iter().map(str::to_owned));
        let mut everybody: Vec<String> = table.annotators().iter().map(str::to_owned).collect();
        let known: BTreeSet<&str> = table.annotators().iter().collect();
        everybody.extend(more_annotators.iter().filter(|a| !known.contains(a.as_str())).cloned());
        let (annotators, of_annotator) = sorted(everybody.into_iter());
        let (classes, of_class) = sorted(classes.into_iter());
        let label = |l: Label| Label {
            item: of_item[l.item as usize],
            annotator: of_annotator[l.annotator as usize],
            class: of_class[l.class as usize] as u16,
        };
        let labels: Vec<Label> = answers.iter().map(label).collect();
        let k = classes.len();
        let mut state = State::new(Answers::from_labels(items.len(), annotators.len(), k, &labels));
        let mut gold = Vec::new();
        if let Some(GoldValues::Classes(known)) = data.gold.as_ref().map(|g| &g.values) {
            gold = vec![None; items.len()];
            for &(item, class) in known {
                gold[of_item[item as usize] as usize] = Some(of_class[class as usize] as u16);
            }
        }
        state.known = Known { gold, ..Known::default() };
        if let Some(p) = &data.probabilities {
            let mut logs = vec![0.0; items.len() * k];
            for item in 0..p.rows() {
                for c in 0..k {
                    let at = of_item[item] as usize * k + of_class[c] as usize;
                    logs[at] = p.get(item, c).max(1e-6).ln();
                }
            }
            state.known.class_logs = logs;
        }
        Ok(Collection { items, annotators, classes, state })
    }

    pub fn item(&self, name: &str) -> Option<usize> {
        self.items.binary_search_by(|n| n.as_str().cmp(name)).ok()
    }

    pub fn annotator(&self, name: &str) -> Option<usize> {
        self.annotators.binary_search_by(|n| n.as_str().cmp(name)).ok()
    }

    /// The number of an annotator who must be there.
    pub fn known_annotator(&self, name: &str) -> Result<u32, Error> {
        self.annotator(name).map(|j| j as u32).ok_or_else(|| {
            let near = nearest(name, self.annotators.iter().map(String::as_str));
            Error::Usage {
                what: format!("there is no annotator `{name}` in the answers or among the annotators"),
                hint: near
                    .map(|n| format!("did you mean `{n}`?"))
                    .or_else(|| Some("list new annotators in a file with the column annotator".into())),
            }
        })
    }

    /// Limits by name. Only annotators of the list can be asked if there is one.
    pub fn limit_annotators(&mut self, limits: &BTreeMap<String, AnnotatorLimits>) {
        let nobody = AnnotatorLimits { capacity: Some(0), ..AnnotatorLimits::default() };
        self.state.annotators = self.annotators.iter().map(|n| limits.get(n).copied().unwrap_or(nobody)).collect();
    }

    /// Limits by name. Only items of the list can be asked if there is one.
    pub fn limit_items(&mut self, limits: &BTreeMap<String, ItemLimits>) {
        let closed = ItemLimits { closed: true, ..ItemLimits::default() };
        self.state.items = self.items.iter().map(|n| limits.get(n).copied().unwrap_or(closed)).collect();
    }
}

/// Names in order, and the new number of each old one.
fn sorted(names: impl Iterator<Item = String>) -> (Vec<String>, Vec<u32>) {
    let mut all: Vec<(String, usize)> = names.zip(0..).collect();
    all.sort_unstable();
    let mut place = vec![0; all.len()];
    all.iter().zip(0..).for_each(|((_, old), new)| place[*old] = new);
    (all.into_iter().map(|(name, _)| name).collect(), place)
}
