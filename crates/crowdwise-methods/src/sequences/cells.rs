//! Labels gathered by what a probability is needed for: (annotator, label), or (annotator, previous label, label).
//!
//! Only combinations that occur have a cell, so memory is linear in labels, however many annotators and classes there are.

use super::sequence::Sequences;
use crowdwise_core::{Dataset, Error};
use rayon::prelude::*;

#[derive(Debug)]
pub(crate) struct Cells {
    pub k: usize,
    /// Cell of every row of the table.
    pub of_row: Vec<u32>,
    /// Label of each cell.
    pub label: Vec<u16>,
    /// Group of each cell: cells that share annotator and previous label, whose probabilities sum to one.
    pub group: Vec<u32>,
    /// Annotator of each group.
    pub annotator: Vec<u32>,
    /// Previous label of each group (K where it is no class).
    pub before: Vec<u16>,
    /// Cells of group g are `first[g]..first[g+1]`.
    pub first: Vec<u32>,
    /// Units of the labels of cell c are `units[offsets[c]..offsets[c+1]]`.
    offsets: Vec<u32>,
    units: Vec<u32>,
}

impl Cells {
    /// Cells by annotator and label.
    pub fn of_labels(data: &Dataset) -> Cells {
        Cells::new(data, |_, _| 0)
    }

    /// Cells by annotator, label, and the annotator's own label of the token before; `none` where there is no such label.
    pub fn of_steps(data: &Dataset, sequences: &Sequences, none: usize) -> Cells {
        let table = &data.table;
        let codes = table.categorical().expect("categorical labels").codes;
        Cells::new(data, |u, j| {
            if sequences.is_start(u) {
                return none;
            }
            // rows of a unit are in the order of annotators; of repeated labels the last counts
            let rows = table.rows(u - 1);
            let names = &table.annotator()[rows.clone()];
            let end = names.partition_point(|&x| x <= j);
            if end > 0 && names[end - 1] == j { codes.get(rows.start + end - 1) } else { none }
        })
    }

    fn new(data: &Dataset, before: impl Fn(usize, u32) -> usize) -> Cells {
        let table = &data.table;
        let labels = table.categorical().expect("categorical labels");
        let n = table.n_labels();
        // (annotator, before, label, unit, row)
        let mut keys: Vec<(u32, u16, u16, u32, u32)> = Vec::with_capacity(n);
        for u in 0..table.n_units() {
            for row in table.rows(u) {
                let j = table.annotator()[row];
                keys.push((j, before(u, j) as u16, labels.codes.get(row) as u16, u as u32, row as u32));
            }
        }
        keys.sort_unstable();
        let mut out = Cells {
            k: labels.k(),
            of_row: vec![0; n],
            label: Vec::new(),
            group: Vec::new(),
            annotator: Vec::new(),
            before: Vec::new(),
            first: Vec::new(),
            offsets: Vec::new(),
            units: Vec::with_capacity(n),
        };
        let mut last = None;
        for (at, &(j, p, l, u, row)) in keys.iter().enumerate() {
            if last.is_none_or(|(a, b, _)| (a, b) != (j, p)) {
                out.first.push(out.label.len() as u32);
                out.annotator.push(j);
                out.before.push(p);
            }
            if last != Some((j, p, l)) {
                out.group.push(out.annotator.len() as u32 - 1);
                out.label.push(l);
                out.offsets.push(at as u32);
            }
            last = Some((j, p, l));
            out.of_row[row as usize] = out.label.len() as u32 - 1;
            out.units.push(u);
        }
        out.first.push(out.label.len() as u32);
        out.offsets.push(n as u32);
        out
    }

    pub fn n_cells(&self) -> usize {
        self.label.len()
    }

    pub fn n_groups(&self) -> usize {
        self.annotator.len()
    }

    /// Cells of group `g`.
    pub fn of_group(&self, g: usize) -> std::ops::Range<usize> {
        self.first[g] as usize..self.first[g + 1] as usize
    }

    /// Expected counts of every cell (cells x K, by truth), the same on any number of threads.
    pub fn counts(&self, posterior: &[f64], out: &mut [f64]) {
        let k = self.k;
        out.par_chunks_mut(k * 64).enumerate().for_each(|(block, out)| {
            for (c, sums) in out.chunks_exact_mut(k).enumerate() {
                let c = block * 64 + c;
                sums.fill(0.0);
                for &u in &self.units[self.offsets[c] as usize..self.offsets[c + 1] as usize] {
                    let row = &posterior[u as usize * k..(u as usize + 1) * k];
                    sums.iter_mut().zip(row).for_each(|(s, p)| *s += p);
                }
            }
        });
    }
}

/// Room for `cells` x `k` numbers, or a clear refusal.
pub(crate) fn check_entries(cells: usize, k: usize) -> Result<(), Error> {
    const MOST: usize = 1_500_000_000;
    if cells.saturating_mul(k) > MOST {
        return Err(Error::TooLarge { what: format!("{cells} kinds of label times {k} classes") });
    }
    Ok(())
}
