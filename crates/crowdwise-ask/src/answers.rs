//! The labels so far: what grows while questions are answered.

use crowdwise_core::{Error, Table};

/// Labels of items by annotators, all known by number. Items and annotators without labels exist. An annotator may have
/// labelled an item more than once: every label is kept.
///
/// The labels of an item lie together, by annotator and class, so that the order in which they came changes nothing; a label
/// that is added moves only those of its item (on average a few bytes). 6 bytes a label, 12 an item.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    k: usize,
    blocks: Vec<Block>,
    annotator: Vec<u32>,
    class: Vec<u16>,
    /// Labels of each annotator.
    by_annotator: Vec<u32>,
    /// Labels of each class.
    by_class: Vec<u64>,
    labels: usize,
    labelled: usize,
    /// Places that no block uses any more.
    waste: usize,
}

/// Where the labels of an item lie, and how many have room there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Block {
    start: u32,
    len: u32,
    room: u32,
}

/// One label: item, annotator, class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    pub item: u32,
    pub annotator: u32,
    pub class: u16,
}

impl Answers {
    /// No labels yet.
    pub fn new(items: usize, annotators: usize, classes: usize) -> Answers {
        Answers {
            k: classes,
            blocks: vec![Block::default(); items],
            annotator: Vec::new(),
            class: Vec::new(),
            by_annotator: vec![0; annotators],
            by_class: vec![0; classes],
            labels: 0,
            labelled: 0,
            waste: 0,
        }
    }

    /// From labels in any order.
    ///
    /// # Panics
    /// If a number is out of range.
    pub fn from_labels(items: usize, annotators: usize, classes: usize, labels: &[Label]) -> Answers {
        let mut out = Answers::new(items, annotators, classes);
        for l in labels {
            out.blocks[l.item as usize].room += 1;
        }
        let mut start = 0;
        for b in &mut out.blocks {
            b.start = start;
            start += b.room;
        }
        out.annotator = vec![0; labels.len()];
        out.class = vec![0; labels.len()];
        labels.iter().for_each(|&l| out.add(l));
        out
    }

    /// The labels of a table of classes, with its numbers.
    pub fn of_table(table: &Table) -> Result<Answers, Error> {
        let labels = table.categorical().ok_or_else(|| Error::Usage {
            what: format!("questions about classes need answers that are classes, not {} ones", table.kind()),
            hint: None,
        })?;
        let row = |item: usize| {
            table.rows(item).map(move |r| Label {
                item: item as u32,
                annotator: table.annotator()[r],
                class: labels.codes.get(r) as u16,
            })
        };
        let all: Vec<Label> = (0..table.n_units()).flat_map(row).collect();
        Ok(Answers::from_labels(table.n_units(), table.n_annotators(), labels.k(), &all))
    }

    /// Number of classes K.
    pub fn k(&self) -> usize {
        self.k
    }

    pub fn n_items(&self) -> usize {
        self.blocks.len()
    }

    pub fn n_annotators(&self) -> usize {
        self.by_annotator.len()
    }

    pub fn n_labels(&self) -> usize {
        self.labels
    }

    /// Items with at least one label.
    pub fn n_labelled(&self) -> usize {
        self.labelled
    }

    /// Labels of each annotator.
    pub fn by_annotator(&self) -> &[u32] {
        &self.by_annotator
    }

    /// Labels of each class.
    pub fn by_class(&self) -> &[u64] {
        &self.by_class
    }

    /// Number of labels of an item.
    #[inline]
    pub fn degree(&self, item: usize) -> usize {
        self.blocks[item].len as usize
    }

    /// Annotators and classes of the labels of an item, by annotator.
    #[inline]
    pub fn of(&self, item: usize) -> (&[u32], &[u16]) {
        let b = self.blocks[item];
        let range = b.start as usize..(b.start + b.len) as usize;
        (&self.annotator[range.clone()], &self.class[range])
    }

    /// Whether this annotator has labelled this item.
    pub fn has(&self, item: usize, annotator: u32) -> bool {
        self.of(item).0.binary_search(&annotator).is_ok()
    }

    /// Writes how often each class was said of an item into `out` (length K).
    pub fn votes(&self, item: usize, out: &mut [f64]) {
        out.fill(0.0);
        self.of(item).1.iter().for_each(|&c| out[c as usize] += 1.0);
    }

    /// Every label, by item, annotator and class.
    pub fn iter(&self) -> impl Iterator<Item = Label> + '_ {
        (0..self.n_items()).flat_map(move |item| {
            let (who, what) = self.of(item);
            who.iter().zip(what).map(move |(&annotator, &class)| Label { item: item as u32, annotator, class })
        })
    }

    /// One more label.
    ///
    /// # Panics
    /// If a number is out of range.
    pub fn add(&mut self, label: Label) {
        assert!((label.class as usize) < self.k, "class {} of {}", label.class, self.k);
        let item = label.item as usize;
        let mut b = self.blocks[item];
        if b.len == b.room {
            b = self.moved(b);
        }
        let (start, end) = (b.start as usize, (b.start + b.len) as usize);
        let mut at = end;
        while at > start && (self.annotator[at - 1], self.class[at - 1]) > (label.annotator, label.class) {
            self.annotator[at] = self.annotator[at - 1];
            self.class[at] = self.class[at - 1];
            at -= 1;
        }
        self.annotator[at] = label.annotator;
        self.class[at] = label.class;
        b.len += 1;
        self.blocks[item] = b;
        self.by_annotator[label.annotator as usize] += 1;
        self.by_class[label.class as usize] += 1;
        self.labels += 1;
        self.labelled += usize::from(b.len == 1);
        if self.waste > 1024 + self.labels {
            self.compact();
        }
    }

    /// Takes a label back; false if there is none.
    pub fn remove(&mut self, label: Label) -> bool {
        let b = self.blocks[label.item as usize];
        let range = b.start as usize..(b.start + b.len) as usize;
        let found = range.clone().find(|&r| (self.annotator[r], self.class[r]) == (label.annotator, label.class));
        let Some(at) = found else { return false };
        self.annotator.copy_within(at + 1..range.end, at);
        self.class.copy_within(at + 1..range.end, at);
        self.blocks[label.item as usize].len -= 1;
        self.by_annotator[label.annotator as usize] -= 1;
        self.by_class[label.class as usize] -= 1;
        self.labels -= 1;
        self.labelled -= usize::from(b.len == 1);
        true
    }

    /// More items or annotators, without labels; classes stay.
    pub fn grow(&mut self, items: usize, annotators: usize) {
        self.blocks.resize(items.max(self.n_items()), Block::default());
        self.by_annotator.resize(annotators.max(self.n_annotators()), 0);
    }

    /// A block at the end, with twice the room.
    fn moved(&mut self, b: Block) -> Block {
        let (from, len) = (b.start as usize, b.len as usize);
        let to = self.annotator.len();
        let room = (2 * len).max(2);
        self.annotator.extend_from_within(from..from + len);
        self.class.extend_from_within(from..from + len);
        self.annotator.resize(to + room, 0);
        self.class.resize(to + room, 0);
        self.waste += b.room as usize;
        Block { start: to as u32, len: b.len, room: room as u32 }
    }

    /// Puts the blocks side by side again.
    fn compact(&mut self) {
        let (mut annotator, mut class) = (Vec::with_capacity(self.labels), Vec::with_capacity(self.labels));
        for b in &mut self.blocks {
            let range = b.start as usize..(b.start + b.len) as usize;
            *b = Block { start: annotator.len() as u32, len: b.len, room: b.len };
            annotator.extend_from_slice(&self.annotator[range.clone()]);
            class.extend_from_slice(&self.class[range]);
        }
        (self.annotator, self.class, self.waste) = (annotator, class, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_numerics::stream;
    use rand::RngExt;

    #[test]
    fn the_order_in_which_labels_come_changes_nothing() {
        let mut rng = stream(1, "answers", 0);
        let (n, m, k) = (40, 9, 3);
        let mut labels: Vec<Label> = (0..600)
            .map(|_| Label {
                item: rng.random_range(0..n as u32),
                annotator: rng.random_range(0..m as u32),
                class: rng.random_range(0..k as u16),
            })
            .collect();
        let whole = Answers::from_labels(n, m, k, &labels);
        let mut one_by_one = Answers::new(n, m, k);
        labels.reverse();
        labels.iter().for_each(|&l| one_by_one.add(l));
        labels.sort_unstable();
        for a in [&whole, &one_by_one] {
            assert_eq!(a.iter().collect::<Vec<_>>(), labels);
            assert_eq!((a.n_labels(), a.by_class().iter().sum::<u64>()), (600, 600));
            assert_eq!(a.n_labelled(), (0..n).filter(|&i| a.degree(i) > 0).count());
            for j in 0..m {
                let of = labels.iter().filter(|l| l.annotator as usize == j).count();
                assert_eq!(a.by_annotator()[j] as usize, of);
            }
        }
        let gone = labels.remove(77);
        assert!(whole.has(gone.item as usize, gone.annotator));
        assert!(one_by_one.remove(gone) && one_by_one.iter().eq(labels.iter().copied()));
        while one_by_one.remove(Label { class: gone.class, ..gone }) {}
        assert!(!one_by_one.remove(gone));
    }
}
