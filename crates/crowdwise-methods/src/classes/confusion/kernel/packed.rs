//! The labels as the pass reads them: one u32 per label, items grouped by their number of labels.

use super::rows::{Rows, padded};
use crate::classes::confusion::shared::{check_entries, too_large};
use crowdwise_core::{Categorical, Codes, Error};

/// `n` items of `d` labels each, from label `at` and item `item` (in packed order).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk {
    pub at: usize,
    pub item: usize,
    pub d: usize,
    pub n: usize,
}

/// Chunks have about this many labels. Their boundaries never depend on the number of threads: sums are taken per chunk
/// and added in chunk order.
const CHUNK: usize = 50_000;

/// Entries behind the index that a prefetch may read.
pub(super) const AHEAD: usize = 32;

pub(crate) struct Packed {
    /// Row offset of every label in 8-byte units, plus [`AHEAD`] valid entries.
    pub index: Vec<u32>,
    pub chunks: Vec<Chunk>,
    /// Item (unit of the table) of every packed item; empty if item n is unit n, as it is where all units have equally many
    /// labels.
    pub order: Vec<u32>,
    /// Labels per row.
    pub n: Vec<u32>,
    /// Label of every row.
    pub label: Vec<u16>,
    /// Rows of annotator j are `first[j]..first[j+1]`, in label order; only rows that occur exist.
    pub first: Vec<u32>,
    /// States of an item: its classes, or more than these where a model divides them.
    pub k: usize,
    /// Different labels.
    pub classes: usize,
    pub stride: usize,
    labels: usize,
}

impl Packed {
    /// Packs all items with labels for which `keep` is true. `keep` leaves out items whose truth is known.
    pub fn new(data: &Categorical<'_>, k: usize, keep: impl Fn(usize) -> bool) -> Result<Packed, Error> {
        let (table, classes) = (data.table, data.k());
        let m = table.n_annotators();
        let stride = 2 * padded(k);
        // methods keep complete tables beside the rows that occur
        check_entries(m, classes, k)?;
        let cells = m.checked_mul(classes).filter(|&c| c <= 1 << 31).ok_or_else(|| too_large(m, k))?;
        // rows that occur, those of left-out items too: their counts are added in the M-step
        let mut cells = vec![0u32; cells];
        match data.codes {
            Codes::U8(c) => count(table.annotator(), c, classes, &mut cells),
            Codes::U16(c) => count(table.annotator(), c, classes, &mut cells),
        }
        let (mut label, mut first, mut n) = (Vec::new(), vec![0u32], Vec::new());
        for cells in cells.chunks_exact_mut(classes) {
            for (l, cell) in cells.iter_mut().enumerate().filter(|(_, cell)| **cell > 0) {
                n.push(*cell);
                // where the row begins; what does not fit is refused below, before anybody reads it
                *cell = (label.len() as u32).wrapping_mul(stride as u32);
                label.push(l as u16);
            }
            first.push(label.len() as u32);
        }
        if (label.len() + 1) * stride > u32::MAX as usize {
            return Err(too_large(m, k));
        }
        let mut packed = Packed {
            index: Vec::new(),
            chunks: Vec::new(),
            order: Vec::new(),
            n,
            label,
            first,
            k,
            classes,
            stride,
            labels: 0,
        };
        match data.codes {
            Codes::U8(c) => packed.fill(data, c, &keep, &cells),
            Codes::U16(c) => packed.fill(data, c, &keep, &cells),
        }
        Ok(packed)
    }

    /// Stable counting sort of the items by degree, then the index and the chunks.
    fn fill<C: Copy + Into<usize>>(
        &mut self,
        data: &Categorical<'_>,
        codes: &[C],
        keep: &impl Fn(usize) -> bool,
        begins: &[u32],
    ) {
        let (table, classes, stride) = (data.table, self.classes, self.stride as u32);
        let wanted = |u: usize| table.degree(u) > 0 && keep(u);
        let max = (0..table.n_units()).filter(|&u| wanted(u)).map(|u| table.degree(u)).max().unwrap_or(0);
        let mut items = vec![0usize; max + 2];
        (0..table.n_units()).filter(|&u| wanted(u)).for_each(|u| items[table.degree(u) + 1] += 1);
        let (mut at, mut item) = (0, 0);
        let mut next_label = vec![0usize; max + 1];
        let mut next_item = vec![0usize; max + 1];
        for d in 0..=max {
            let n = items[d + 1];
            (next_label[d], next_item[d]) = (at, item);
            let step = (CHUNK / d.max(1)).max(1);
            let mut done = 0;
            while done < n {
                let take = step.min(n - done);
                self.chunks.push(Chunk { at, item, d, n: take });
                at += take * d;
                item += take;
                done += take;
            }
        }
        let as_they_are = item == table.n_units() && (0..item).all(|u| table.degree(u) == max);
        self.order = vec![0; if as_they_are { 0 } else { item }];
        self.index = vec![0; at + AHEAD];
        self.labels = at;
        let annotator = table.annotator();
        for u in (0..table.n_units()).filter(|&u| table.degree(u) > 0) {
            let rows = table.rows(u);
            let labels = annotator[rows.clone()].iter().zip(&codes[rows]);
            let begins = labels.map(|(&j, &l)| begins[j as usize * classes + l.into()]);
            if !keep(u) {
                begins.for_each(|at| self.n[(at / stride) as usize] -= 1);
                continue;
            }
            let d = table.degree(u);
            if !as_they_are {
                self.order[next_item[d]] = u as u32;
                next_item[d] += 1;
            }
            let start = next_label[d];
            self.index[start..start + d].iter_mut().zip(begins).for_each(|(at, begin)| *at = begin);
            next_label[d] = start + d;
        }
    }

    pub fn labels(&self) -> usize {
        self.labels
    }

    /// Where the row of every cell (annotator, label) begins; those of cells without labels mean nothing.
    pub fn begins(&self) -> Vec<u32> {
        let mut begins = vec![0; self.annotators() * self.classes];
        for j in 0..self.annotators() {
            for r in self.rows_of(j) {
                begins[j * self.classes + self.label[r] as usize] = (r * self.stride) as u32;
            }
        }
        begins
    }

    /// The part of the index that belongs to one chunk, as it was when all of it was there.
    pub fn part(&self, data: &Categorical<'_>, begins: &[u32], chunk: Chunk) -> Vec<u32> {
        let (annotator, classes) = (data.table.annotator(), self.classes);
        let mut part = Vec::with_capacity(chunk.n * chunk.d + AHEAD);
        for item in chunk.item..chunk.item + chunk.n {
            let unit = self.order.get(item).map_or(item, |&u| u as usize);
            part.extend(data.table.rows(unit).map(|e| begins[annotator[e] as usize * classes + data.codes.get(e)]));
        }
        part.resize(part.len() + AHEAD, 0);
        part
    }

    pub fn rows(&self) -> Rows {
        Rows::new(self.label.len(), self.k)
    }

    pub fn annotators(&self) -> usize {
        self.first.len() - 1
    }

    /// Rows of annotator `j`.
    pub fn rows_of(&self, j: usize) -> std::ops::Range<usize> {
        self.first[j] as usize..self.first[j + 1] as usize
    }
}

/// Counts the labels of every cell (annotator, label).
fn count<C: Copy + Into<usize>>(annotator: &[u32], codes: &[C], k: usize, cells: &mut [u32]) {
    annotator.iter().zip(codes).for_each(|(&j, &l)| cells[j as usize * k + l.into()] += 1);
}
