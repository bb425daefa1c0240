//! Who said what of what, by item and by annotator, cut into the parts that share nothing: what the spectral methods
//! multiply with. 12 bytes a label.

use crowdwise_core::{Categorical, Codes, Context, Error, Table};
use rayon::prelude::*;
use std::ops::Range;

/// Below this many labels a product is not worth a second thread.
const PARALLEL: usize = 50_000;
/// Sums per piece of parallel work.
const CHUNK: usize = 1024;

/// Labels in item order or in annotator order.
#[derive(Debug)]
struct Lists {
    offsets: Vec<usize>,
    /// Position of the annotator (of the item) of each label.
    other: Vec<u32>,
    class: Vec<u16>,
}

impl Lists {
    fn of(&self, x: usize) -> impl ExactSizeIterator<Item = (usize, usize)> + Clone + '_ {
        let rows = self.offsets[x]..self.offsets[x + 1];
        self.other[rows.clone()].iter().zip(&self.class[rows]).map(|(&o, &c)| (o as usize, c as usize))
    }
}

/// All labels, one per annotator and item (the last, if there are several), with items and annotators renumbered so
/// that every part is a range of both. Items without labels and annotators without labels are left out.
#[derive(Debug)]
pub(crate) struct Crowd {
    pub k: usize,
    pub parts: Vec<Part>,
    /// Unit of each item position, annotator of each annotator position.
    pub unit: Vec<u32>,
    pub annotator: Vec<u32>,
    by_item: Lists,
    by_annotator: Lists,
}

/// Items and annotators that are connected by labels, and by none to all others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub items: Range<usize>,
    pub annotators: Range<usize>,
}

impl Crowd {
    pub fn new(data: &Categorical<'_>) -> Crowd {
        match data.codes {
            Codes::U8(v) => Crowd::of(data.table, data.k(), |r| v[r] as u16),
            Codes::U16(v) => Crowd::of(data.table, data.k(), |r| v[r]),
        }
    }

    fn of(table: &Table, k: usize, code: impl Fn(usize) -> u16) -> Crowd {
        let (parts, unit, annotator) = parts(table);
        let mut place = vec![0u32; table.n_annotators()];
        annotator.iter().enumerate().for_each(|(p, &j)| place[j as usize] = p as u32);
        let mut by_item = Lists {
            offsets: Vec::with_capacity(unit.len() + 1),
            other: Vec::with_capacity(table.n_labels()),
            class: Vec::with_capacity(table.n_labels()),
        };
        by_item.offsets.push(0);
        let who = table.annotator();
        for &u in &unit {
            let rows = table.rows(u as usize);
            let end = rows.end;
            // rows are in annotator order, so that repetitions are neighbours
            for r in rows.filter(|&r| r + 1 == end || who[r + 1] != who[r]) {
                by_item.other.push(place[who[r] as usize]);
                by_item.class.push(code(r));
            }
            by_item.offsets.push(by_item.other.len());
        }
        let by_annotator = turned(&by_item, annotator.len());
        Crowd { k, parts, unit, annotator, by_item, by_annotator }
    }

    pub fn labels(&self) -> usize {
        self.by_item.other.len()
    }

    /// (annotator position, class) of the labels of an item position.
    pub fn on(&self, item: usize) -> impl ExactSizeIterator<Item = (usize, usize)> + Clone + '_ {
        self.by_item.of(item)
    }

    /// (item position, class) of the labels of an annotator position.
    pub fn by(&self, annotator: usize) -> impl ExactSizeIterator<Item = (usize, usize)> + Clone + '_ {
        self.by_annotator.of(annotator)
    }

    /// Annotator positions, in order, and classes of the labels of an item position.
    pub fn list(&self, item: usize) -> (&[u32], &[u16]) {
        let rows = self.by_item.offsets[item]..self.by_item.offsets[item + 1];
        (&self.by_item.other[rows.clone()], &self.by_item.class[rows])
    }

    fn labels_in(&self, part: &Part) -> usize {
        self.by_item.offsets[part.items.end] - self.by_item.offsets[part.items.start]
    }
}

/// What stands in the matrix of labels.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coding<'a> {
    /// One row per item: a number by class.
    Value(&'a [f64]),
    /// A row per item and class: 1 - 1/K where that class was said, -1/K where another was.
    Joint,
}

/// The matrix (items, or items x classes) x annotators of one part, 0 where there is no label. It is never written out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coded<'a> {
    pub crowd: &'a Crowd,
    pub part: &'a Part,
    pub coding: Coding<'a>,
}

impl Coded<'_> {
    /// Rows of an item.
    fn width(&self) -> usize {
        if matches!(self.coding, Coding::Joint) { self.crowd.k } else { 1 }
    }

    /// Rows and columns of the matrix.
    pub fn size(&self) -> (usize, usize) {
        (self.part.items.len() * self.width(), self.part.annotators.len())
    }

    /// How many answers the coding tells apart.
    pub fn answers(&self) -> usize {
        if matches!(self.coding, Coding::Joint) { self.crowd.k } else { 2 }
    }

    /// Whether two classes are the same answer.
    pub fn same(&self, a: usize, b: usize) -> bool {
        match self.coding {
            Coding::Value(v) => v[a] == v[b],
            Coding::Joint => a == b,
        }
    }

    /// y = U x.
    pub fn forward(&self, cx: &mut Context<'_>, x: &[f64], y: &mut [f64]) -> Result<(), Error> {
        let (item, annotator) = (self.part.items.start, self.part.annotators.start);
        let width = self.width();
        self.spread(cx, y, width, |i, row| match self.coding {
            Coding::Value(v) => row[0] = self.crowd.on(item + i).map(|(j, c)| v[c] * x[j - annotator]).sum(),
            Coding::Joint => {
                row.fill(0.0);
                let mut sum = 0.0;
                for (j, c) in self.crowd.on(item + i) {
                    row[c] += x[j - annotator];
                    sum += x[j - annotator];
                }
                row.iter_mut().for_each(|r| *r -= sum / width as f64);
            }
        })
    }

    /// x = Uᵀ y. For the joint coding only of y whose entries for an item sum to 0, as those of a product do.
    pub fn back(&self, cx: &mut Context<'_>, y: &[f64], x: &mut [f64]) -> Result<(), Error> {
        let (item, annotator) = (self.part.items.start, self.part.annotators.start);
        let k = self.crowd.k;
        self.spread(cx, x, 1, |j, out| {
            let labels = self.crowd.by(annotator + j);
            out[0] = match self.coding {
                Coding::Value(v) => labels.map(|(i, c)| v[c] * y[i - item]).sum(),
                Coding::Joint => labels.map(|(i, c)| y[(i - item) * k + c]).sum(),
            }
        })
    }

    /// Fills `out` in rows of `width`. Every row is made by one thread in the order of its list, so that the number of
    /// threads changes nothing.
    fn spread(
        &self,
        cx: &mut Context<'_>,
        out: &mut [f64],
        width: usize,
        fill: impl Fn(usize, &mut [f64]) + Sync,
    ) -> Result<(), Error> {
        if cx.threads == 1 || self.crowd.labels_in(self.part) < PARALLEL {
            out.chunks_mut(width).enumerate().for_each(|(x, row)| fill(x, row));
            return Ok(());
        }
        cx.install(|| {
            out.par_chunks_mut(CHUNK * width).enumerate().for_each(|(c, piece)| {
                piece.chunks_mut(width).enumerate().for_each(|(x, row)| fill(c * CHUNK + x, row));
            });
        })
    }
}

/// The same labels listed from the other side, in order.
fn turned(lists: &Lists, others: usize) -> Lists {
    let mut offsets = vec![0; others + 1];
    lists.other.iter().for_each(|&o| offsets[o as usize + 1] += 1);
    (0..others).for_each(|x| offsets[x + 1] += offsets[x]);
    let mut next = offsets.clone();
    let (mut other, mut class) = (vec![0; lists.other.len()], vec![0; lists.other.len()]);
    for x in 0..lists.offsets.len() - 1 {
        for (o, c) in lists.of(x) {
            (other[next[o]], class[next[o]]) = (x as u32, c as u16);
            next[o] += 1;
        }
    }
    Lists { offsets, other, class }
}

/// The parts, and units and annotators in their order: part by part, in table order within a part.
fn parts(table: &Table) -> (Vec<Part>, Vec<u32>, Vec<u32>) {
    const NONE: u32 = u32::MAX;
    let m = table.n_annotators();
    let mut parent: Vec<u32> = (0..m as u32).collect();
    fn root(parent: &mut [u32], mut j: u32) -> u32 {
        while parent[j as usize] != j {
            parent[j as usize] = parent[parent[j as usize] as usize];
            j = parent[j as usize];
        }
        j
    }
    for u in 0..table.n_units() {
        let who = &table.annotator()[table.rows(u)];
        for w in who.windows(2) {
            let (a, b) = (root(&mut parent, w[0]), root(&mut parent, w[1]));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    // parts are numbered by their first unit
    let mut number = vec![NONE; m];
    let (mut unit_part, mut count) = (vec![NONE; table.n_units()], 0u32);
    for u in 0..table.n_units() {
        let Some(&j) = table.annotator()[table.rows(u)].first() else { continue };
        let r = root(&mut parent, j) as usize;
        if number[r] == NONE {
            number[r] = count;
            count += 1;
        }
        unit_part[u] = number[r];
    }
    let annotator_part: Vec<u32> = (0..m as u32).map(|j| number[root(&mut parent, j) as usize]).collect();
    let (unit, unit_ends) = grouped(&unit_part, count as usize);
    let (annotator, annotator_ends) = grouped(&annotator_part, count as usize);
    let range = |ends: &[usize], p: usize| if p == 0 { 0..ends[0] } else { ends[p - 1]..ends[p] };
    let parts = (0..count as usize)
        .map(|p| Part { items: range(&unit_ends, p), annotators: range(&annotator_ends, p) })
        .collect();
    (parts, unit, annotator)
}

/// Indices in the order of their group, and where each group ends; those without a group are left out.
fn grouped(group: &[u32], groups: usize) -> (Vec<u32>, Vec<usize>) {
    let mut ends = vec![0; groups];
    group.iter().filter(|&&g| (g as usize) < groups).for_each(|&g| ends[g as usize] += 1);
    let mut next = vec![0; groups];
    let mut total = 0;
    for (n, e) in next.iter_mut().zip(&mut ends) {
        *n = total;
        total += *e;
        *e = total;
    }
    let mut order = vec![0; total];
    for (x, &g) in group.iter().enumerate().filter(|(_, g)| (**g as usize) < groups) {
        order[next[g as usize]] = x as u32;
        next[g as usize] += 1;
    }
    (order, ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder};

    #[test]
    fn parts_are_ranges_and_products_are_sums() {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (i, a, l) in [
            ("x", "ann", "p"),
            ("y", "bob", "q"),
            ("x", "cy", "q"),
            ("z", "cy", "p"),
            ("y", "dee", "p"),
            ("y", "dee", "q"), // changes her mind
        ] {
            b.label(i, a, l).unwrap();
        }
        let mut t = b.finish().unwrap();
        t.add_items(["nobody"]);
        let crowd = Crowd::new(&t.categorical().unwrap());
        assert_eq!(crowd.labels(), 5);
        assert_eq!(crowd.parts, [Part { items: 0..2, annotators: 0..2 }, Part { items: 2..3, annotators: 2..4 }]);
        assert_eq!((&crowd.unit[..], &crowd.annotator[..]), (&[0, 2, 1][..], &[0, 2, 1, 3][..]));
        let value = [1.0, -1.0];
        let u = Coded { crowd: &crowd, part: &crowd.parts[0], coding: Coding::Value(&value) };
        let (mut y, mut x) = ([0.0; 2], [0.0; 2]);
        let cx = &mut Context::default();
        u.forward(cx, &[10.0, 1.0], &mut y).unwrap(); // rows x: (p, q), z: (-, p)
        assert_eq!(y, [9.0, 1.0]);
        u.back(cx, &[2.0, 5.0], &mut x).unwrap();
        assert_eq!(x, [2.0, 3.0]);
        let u = Coded { crowd: &crowd, part: &crowd.parts[1], coding: Coding::Value(&value) };
        let mut y = [0.0];
        u.forward(cx, &[1.0, 100.0], &mut y).unwrap();
        assert_eq!(y, [-101.0], "the last label of dee counts");
        // with two classes the joint coding is half of +1 and -1
        let u = Coded { crowd: &crowd, part: &crowd.parts[0], coding: Coding::Joint };
        let mut y = [0.0; 4];
        u.forward(cx, &[10.0, 1.0], &mut y).unwrap();
        assert_eq!(y, [4.5, -4.5, 0.5, -0.5]);
        u.back(cx, &[1.0, -1.0, 2.5, -2.5], &mut x).unwrap();
        assert_eq!(x, [1.0, 1.5]);
    }
}
