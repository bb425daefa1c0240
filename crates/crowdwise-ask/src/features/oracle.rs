//! Who answers: recorded labels, or somebody who can be asked anything.

use super::choose::Free;
use crowdwise_learn::Labels;

/// Answers questions, none of them twice.
pub trait Oracle: Free {
    fn items(&self) -> usize;
    fn annotators(&self) -> usize;
    fn classes(&self) -> usize;
    /// The answer of annotator `j` about item `i`; the pair is no longer free afterwards.
    ///
    /// # Panics
    /// If the pair is not free.
    fn answer(&mut self, i: usize, j: u32) -> u32;
    /// Pairs that are still free.
    fn left(&self) -> usize;
}

/// Labels that were recorded: only their pairs can be asked.
#[derive(Clone, Debug)]
pub struct Recorded {
    k: usize,
    m: usize,
    /// Annotators and classes of what is left, by item.
    left: Vec<Vec<(u32, u32)>>,
}

impl Recorded {
    /// All labels, still unknown. Of several by the same annotator on an item, one at a time is there.
    pub fn new(labels: &Labels) -> Self {
        let of = |i: usize| labels.of(i).map(|(j, l)| (j as u32, l as u32)).collect();
        Recorded { k: labels.k, m: labels.m, left: (0..labels.items()).map(of).collect() }
    }
}

impl Free for Recorded {
    fn of(&self, item: usize) -> Vec<u32> {
        let mut out: Vec<u32> = self.left[item].iter().map(|x| x.0).collect();
        out.dedup();
        out
    }
}

impl Oracle for Recorded {
    fn items(&self) -> usize {
        self.left.len()
    }

    fn annotators(&self) -> usize {
        self.m
    }

    fn classes(&self) -> usize {
        self.k
    }

    fn answer(&mut self, i: usize, j: u32) -> u32 {
        let at = self.left[i].iter().position(|x| x.0 == j).expect("a free pair");
        self.left[i].remove(at).1
    }

    fn left(&self) -> usize {
        self.left.iter().map(Vec::len).sum()
    }
}

/// Annotators who can be asked about every item, once each.
pub struct Simulated<F> {
    items: usize,
    m: usize,
    k: usize,
    says: F,
    /// Who was asked already, by item, in order.
    asked: Vec<Vec<u32>>,
}

impl<F> std::fmt::Debug for Simulated<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulated").field("items", &self.items).field("annotators", &self.m).finish_non_exhaustive()
    }
}

impl<F: Fn(usize, usize) -> usize> Simulated<F> {
    /// `says(item, annotator)` is what an annotator would say.
    pub fn new(items: usize, annotators: usize, classes: usize, says: F) -> Self {
        Simulated { items, m: annotators, k: classes, says, asked: vec![Vec::new(); items] }
    }
}

impl<F> Free for Simulated<F> {
    fn of(&self, item: usize) -> Vec<u32> {
        (0..self.m as u32).filter(|j| self.asked[item].binary_search(j).is_err()).collect()
    }
}

impl<F: Fn(usize, usize) -> usize> Oracle for Simulated<F> {
    fn items(&self) -> usize {
        self.items
    }

    fn annotators(&self) -> usize {
        self.m
    }

    fn classes(&self) -> usize {
        self.k
    }

    fn answer(&mut self, i: usize, j: u32) -> u32 {
        let at = self.asked[i].binary_search(&j).expect_err("a free pair");
        self.asked[i].insert(at, j);
        (self.says)(i, j as usize) as u32
    }

    fn left(&self) -> usize {
        self.items * self.m - self.asked.iter().map(Vec::len).sum::<usize>()
    }
}
