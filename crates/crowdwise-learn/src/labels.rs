//! The labels that exist, as objectives visit them.

use crowdwise_core::{Dataset, stream};
use rand::seq::SliceRandom;

/// No gold.
const UNKNOWN: u32 = u32::MAX;

/// Labels by item, and the gold that may be used.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Classes.
    pub k: usize,
    /// Annotators.
    pub m: usize,
    offsets: Vec<usize>,
    annotator: Vec<u32>,
    class: Vec<u32>,
    gold: Vec<u32>,
}

impl Labels {
    /// # Panics
    /// If the labels are not classes.
    pub fn new(data: &Dataset) -> Self {
        let table = &data.table;
        let labels = table.categorical().expect("categorical labels");
        let gold = data.gold_classes().map_or_else(
            || vec![UNKNOWN; table.n_units()],
            |known| known.iter().map(|g| g.unwrap_or(UNKNOWN)).collect(),
        );
        Labels {
            k: labels.k(),
            m: table.n_annotators(),
            offsets: table.offsets().iter().map(|&o| o as usize).collect(),
            annotator: table.annotator().to_vec(),
            class: (0..table.n_labels()).map(|row| labels.codes.get(row) as u32).collect(),
            gold,
        }
    }

    /// Labels that are known by number: item, annotator, class. Items and annotators without labels exist; the order of the rows
    /// changes nothing.
    ///
    /// # Panics
    /// If a number is out of range.
    pub fn of_rows(items: usize, m: usize, k: usize, rows: &[(u32, u32, u32)]) -> Labels {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        let mut offsets = vec![0; items + 1];
        for &(i, j, l) in &rows {
            assert!((j as usize) < m && (l as usize) < k, "annotator {j} of {m} says {l} of {k} classes");
            offsets[i as usize + 1] += 1;
        }
        (0..items).for_each(|i| offsets[i + 1] += offsets[i]);
        Labels {
            k,
            m,
            offsets,
            annotator: rows.iter().map(|r| r.1).collect(),
            class: rows.iter().map(|r| r.2).collect(),
            gold: vec![UNKNOWN; items],
        }
    }

    /// Known classes of some items, in place of those that were known before.
    ///
    /// # Panics
    /// If there is not one for every item.
    #[must_use]
    pub fn with_gold(mut self, gold: &[Option<usize>]) -> Labels {
        assert_eq!(gold.len(), self.items(), "a known class or none for every item");
        self.gold = gold.iter().map(|g| g.map_or(UNKNOWN, |g| g as u32)).collect();
        self
    }

    /// Every label: item, annotator, class.
    pub fn rows(&self) -> Vec<(u32, u32, u32)> {
        let of = |i: usize| self.of(i).map(move |(j, l)| (i as u32, j as u32, l as u32));
        (0..self.items()).flat_map(of).collect()
    }

    pub fn items(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn len(&self) -> usize {
        self.annotator.len()
    }

    pub fn is_empty(&self) -> bool {
        self.annotator.is_empty()
    }

    /// (annotator, class) of every label of item `i`.
    pub fn of(&self, i: usize) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        let rows = self.offsets[i]..self.offsets[i + 1];
        self.annotator[rows.clone()].iter().zip(&self.class[rows]).map(|(&j, &l)| (j as usize, l as usize))
    }

    /// Number of labels of item `i`.
    pub fn degree(&self, i: usize) -> usize {
        self.offsets[i + 1] - self.offsets[i]
    }

    /// The known class of item `i`.
    pub fn gold(&self, i: usize) -> Option<usize> {
        (self.gold[i] != UNKNOWN).then(|| self.gold[i] as usize)
    }

    /// The same labels as answers to "is the class above `t`?".
    #[must_use]
    pub fn above(&self, t: usize) -> Labels {
        self.asked(|l| l > t)
    }

    /// The same labels as answers to "is the class `t`?".
    #[must_use]
    pub fn only(&self, t: usize) -> Labels {
        self.asked(|l| l == t)
    }

    fn asked(&self, yes: impl Fn(usize) -> bool) -> Labels {
        let answer = |&l: &u32| u32::from(yes(l as usize));
        Labels {
            k: 2,
            class: self.class.iter().map(answer).collect(),
            gold: self.gold.iter().map(|g| if *g == UNKNOWN { UNKNOWN } else { answer(g) }).collect(),
            ..self.clone()
        }
    }

    /// Share of the votes for each class, items x K; gold counts alone, and an item without either is even.
    pub fn vote_shares(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.items() * self.k];
        for (i, row) in out.chunks_exact_mut(self.k).enumerate() {
            let n = self.degree(i);
            match self.gold(i) {
                Some(g) => row[g] = 1.0,
                None if n == 0 => row.fill(1.0 / self.k as f64),
                None => self.of(i).for_each(|(_, l)| row[l] += 1.0 / n as f64),
            }
        }
        out
    }

    /// Items to train on and items whose labels are held out to judge the training by. Items without labels and gold are
    /// in neither part; gold is always trained on. With few labelled items none are held out.
    pub fn split(&self, holdout: f64, seed: u64) -> (Vec<u32>, Vec<u32>) {
        let useful = |i: &u32| self.degree(*i as usize) > 0 || self.gold(*i as usize).is_some();
        let mut train: Vec<u32> = (0..self.items() as u32).filter(useful).collect();
        let mut able: Vec<u32> = train.iter().copied().filter(|&i| self.gold(i as usize).is_none()).collect();
        let n = (able.len() as f64 * holdout).round() as usize;
        if able.len() < FEW || n == 0 {
            return (train, Vec::new());
        }
        able.shuffle(&mut stream(seed, "held out", 0));
        able.truncate(n.min(train.len() - 1));
        able.sort_unstable();
        train.retain(|i| able.binary_search(i).is_err());
        (train, able)
    }
}

/// Below this many items a held-out part would say more about itself than about the training.
const FEW: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{Gold, LabelKind, TableBuilder};

    fn labels(items: usize) -> Labels {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for i in 0..items {
            for j in 0..=i % 3 {
                b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{}", (i + j) % 2)).unwrap();
            }
        }
        let mut data = Dataset::new(b.finish().unwrap());
        data.table.add_items(["nobody"]);
        let gold = Gold::from_items(&data.table, &[("i0".into(), "c1".into())], "gold").unwrap();
        Labels::new(&data.with_gold(gold))
    }

    #[test]
    fn shares_gold_and_silence() {
        let l = labels(4);
        assert_eq!((l.items(), l.k, l.m, l.len()), (5, 2, 3, 7));
        assert_eq!(l.vote_shares(), [0.0, 1.0, 0.5, 0.5, 2.0 / 3.0, 1.0 / 3.0, 0.0, 1.0, 0.5, 0.5]);
        assert_eq!(l.of(1).collect::<Vec<_>>(), [(0, 1), (1, 0)]);
    }

    #[test]
    fn rows_in_any_order_are_the_same_labels() {
        let l = labels(6);
        let mut rows = l.rows();
        rows.reverse();
        let gold: Vec<Option<usize>> = (0..l.items()).map(|i| l.gold(i)).collect();
        let again = Labels::of_rows(l.items(), l.m, l.k, &rows).with_gold(&gold);
        assert_eq!((again.vote_shares(), again.rows()), (l.vote_shares(), l.rows()));
    }

    #[test]
    fn the_held_out_part_has_labels_and_no_gold() {
        let l = labels(200);
        let (train, held) = l.split(0.2, 3);
        assert_eq!((train.len(), held.len()), (160, 40));
        assert!(train.contains(&0) && !held.contains(&200) && !train.contains(&200));
        assert_eq!(l.split(0.2, 3).1, held);
        assert_ne!(l.split(0.2, 4).1, held);
        assert!(l.split(0.0, 3).1.is_empty() && labels(20).split(0.2, 3).1.is_empty());
    }
}
