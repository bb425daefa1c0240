//! A table with more labels in it, without sorting what is sorted already.

use crate::values::{Codes, Units, Values};
use crate::{Names, Table};
use std::sync::OnceLock;

impl Table {
    /// The labels of this table of classes and some more. `items` and `annotators` begin with the names of this table and may go
    /// on; `rows` are (item, annotator, class) by number, in any order, the class one of this table. Costs a copy.
    ///
    /// # Panics
    /// If the table is not one of classes, or a number has no name.
    #[must_use]
    pub fn with_more_labels(&self, items: Names, annotators: Names, rows: &[[u32; 3]]) -> Table {
        let Values::Categorical { classes, ordered, codes } = &self.values else { panic!("only classes are added") };
        assert!(items.len() >= self.items.len() && annotators.len() >= self.annotators.len(), "names only grow");
        let k = classes.len();
        let known = |r: &[u32; 3]| (r[0] as usize) < items.len() && (r[1] as usize) < annotators.len();
        assert!(rows.iter().all(|r| known(r) && (r[2] as usize) < k), "every number has a name");
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        let mut out = Merged::with_room(self.n_labels() + rows.len(), items.len());
        let codes = match codes {
            Codes::U8(v) => Codes::U8(out.merge(self, v, &rows, |c| c as u8)),
            Codes::U16(v) => Codes::U16(out.merge(self, v, &rows, |c| c as u16)),
        };
        Table {
            items,
            annotators,
            units: Units::Items,
            offsets: out.offsets,
            annotator: out.annotator,
            values: Values::Categorical { classes: classes.clone(), ordered: *ordered, codes },
            by_annotator: OnceLock::new(),
        }
    }
}

struct Merged {
    offsets: Vec<u32>,
    annotator: Vec<u32>,
    items: usize,
}

impl Merged {
    fn with_room(rows: usize, items: usize) -> Merged {
        let mut offsets = Vec::with_capacity(items + 1);
        offsets.push(0);
        Merged { offsets, annotator: Vec::with_capacity(rows), items }
    }

    /// Copies whole stretches of units that get nothing; the rows of the others are merged in the order of the table.
    fn merge<C: Copy>(&mut self, table: &Table, old: &[C], rows: &[[u32; 3]], code: impl Fn(u32) -> C) -> Vec<C> {
        let mut codes: Vec<C> = Vec::with_capacity(self.annotator.capacity());
        let mut copied = 0; // units so far
        for group in rows.chunk_by(|a, b| a[0] == b[0]) {
            let unit = group[0][0] as usize;
            self.copy(table, old, copied..unit, &mut codes);
            copied = unit + 1;
            let had = if unit < table.n_units() { table.rows(unit) } else { 0..0 };
            let mut new = group.iter().peekable();
            for row in had {
                let annotator = table.annotator[row];
                while let Some(r) = new.next_if(|r| r[1] < annotator) {
                    self.annotator.push(r[1]);
                    codes.push(code(r[2]));
                }
                self.annotator.push(annotator);
                codes.push(old[row]);
            }
            for r in new {
                self.annotator.push(r[1]);
                codes.push(code(r[2]));
            }
            self.offsets.push(self.annotator.len() as u32);
        }
        self.copy(table, old, copied..self.items, &mut codes);
        codes
    }

    fn copy<C: Copy>(&mut self, table: &Table, old: &[C], units: std::ops::Range<usize>, codes: &mut Vec<C>) {
        let end = units.end.min(table.n_units());
        if units.start < end {
            let (first, last) = (table.offsets[units.start], table.offsets[end]);
            let here = self.annotator.len() as u32;
            self.offsets.extend(table.offsets[units.start + 1..=end].iter().map(|o| o - first + here));
            self.annotator.extend_from_slice(&table.annotator[first as usize..last as usize]);
            codes.extend_from_slice(&old[first as usize..last as usize]);
        }
        // items that nobody has labelled yet
        let here = self.annotator.len() as u32;
        self.offsets.resize(units.end.max(self.offsets.len() - 1) + 1, here);
    }
}

#[cfg(test)]
mod tests {
    use crate::{LabelKind, Table, TableBuilder};

    fn table(rows: &[(&str, &str, &str)]) -> Table {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for name in ["x", "y", "z"] {
            b.items.intern(name);
        }
        for (i, a, c) in rows {
            b.label(i, a, c).unwrap();
        }
        b.finish().unwrap()
    }

    #[test]
    fn more_labels_make_the_table_that_a_builder_makes_of_all() {
        let old = [("x", "a", "0"), ("x", "c", "1"), ("z", "b", "1"), ("z", "a", "0")];
        let new =
            [("x", "b", "0"), ("y", "c", "1"), ("w", "d", "1"), ("v", "a", "0"), ("z", "d", "0"), ("x", "a", "1")];
        let (before, all) = (table(&old), table(&[&old[..], &new[..]].concat()));
        let (mut items, mut annotators) = (before.items().clone(), before.annotators().clone());
        let rows: Vec<[u32; 3]> =
            new.iter().map(|(i, a, c)| [items.intern(i), annotators.intern(a), c.parse().unwrap()]).collect();
        let merged = before.with_more_labels(items, annotators, &rows);
        assert_eq!(merged.digest(), all.digest());
        assert_eq!(merged.offsets(), all.offsets());
        // none at all, and onto an empty table
        assert_eq!(
            before.with_more_labels(before.items().clone(), before.annotators().clone(), &[]).digest(),
            before.digest()
        );
        let mut empty = TableBuilder::new(LabelKind::Categorical);
        ["0", "1"].map(|c| empty.classes.intern(c));
        let empty = empty.finish().unwrap();
        let (items, annotators) = (merged.items().clone(), merged.annotators().clone());
        let everything: Vec<[u32; 3]> = (0..merged.n_units())
            .flat_map(|u| merged.rows(u).map(move |r| (u, r)))
            .map(|(u, r)| [u as u32, merged.annotator()[r], merged.categorical().unwrap().codes.get(r) as u32])
            .collect();
        assert_eq!(empty.with_more_labels(items, annotators, &everything).digest(), merged.digest());
    }
}
