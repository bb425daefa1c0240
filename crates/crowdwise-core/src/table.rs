//! The table of annotations: every annotation is (unit, annotator, value).

use crate::Names;
use crate::digest::Digest;
use crate::values::{Codes, LabelKind, Preference, Units, Values};
use std::ops::Range;
use std::sync::OnceLock;

/// Rows of each annotator, with the unit of each row: built only when a method asks.
#[derive(Clone, Debug)]
pub struct Index {
    offsets: Vec<u64>,
    rows: Vec<u32>,
    units: Vec<u32>,
}

impl Index {
    /// Table rows of annotator `j`, in unit order.
    pub fn rows(&self, j: usize) -> &[u32] {
        &self.rows[self.range(j)]
    }

    /// Units of the rows of annotator `j`, parallel to [`Index::rows`].
    pub fn units(&self, j: usize) -> &[u32] {
        &self.units[self.range(j)]
    }

    fn range(&self, j: usize) -> Range<usize> {
        self.offsets[j] as usize..self.offsets[j + 1] as usize
    }
}

/// All annotations, in unit order and then annotator order. An annotator may have labelled a unit more than once:
/// every label is kept.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) items: Names,
    pub(crate) annotators: Names,
    pub(crate) units: Units,
    /// Rows of unit u are `offsets[u]..offsets[u+1]`; no unit column is stored.
    pub(crate) offsets: Vec<u32>,
    pub(crate) annotator: Vec<u32>,
    pub(crate) values: Values,
    pub(crate) by_annotator: OnceLock<Index>,
}

/// A categorical table as methods want it.
#[derive(Clone, Copy, Debug)]
pub struct Categorical<'a> {
    pub table: &'a Table,
    pub classes: &'a Names,
    pub ordered: bool,
    pub codes: &'a Codes,
}

impl Categorical<'_> {
    /// Number of classes K.
    pub fn k(&self) -> usize {
        self.classes.len()
    }

    /// Adds the votes of unit `u` into `out` (length K).
    pub fn votes(&self, u: usize, out: &mut [f64]) {
        for row in self.table.rows(u) {
            out[self.codes.get(row)] += 1.0;
        }
    }

    /// Writes the vote shares of unit `u` into `out` (length K): even where nobody voted.
    pub fn vote_shares(&self, u: usize, out: &mut [f64]) {
        let n = self.table.degree(u);
        if n == 0 {
            out.fill(1.0 / self.k() as f64);
            return;
        }
        out.fill(0.0);
        self.votes(u, out);
        out.iter_mut().for_each(|x| *x /= n as f64);
    }
}

impl Table {
    pub fn items(&self) -> &Names {
        &self.items
    }

    pub fn annotators(&self) -> &Names {
        &self.annotators
    }

    pub fn units(&self) -> &Units {
        &self.units
    }

    pub fn values(&self) -> &Values {
        &self.values
    }

    pub fn kind(&self) -> LabelKind {
        self.values.kind()
    }

    pub fn n_items(&self) -> usize {
        self.items.len()
    }

    pub fn n_units(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn n_annotators(&self) -> usize {
        self.annotators.len()
    }

    pub fn n_labels(&self) -> usize {
        self.annotator.len()
    }

    /// Number of classes; 0 for other kinds.
    pub fn n_classes(&self) -> usize {
        self.categorical().map_or(0, |c| c.k())
    }

    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Rows of unit `u`.
    #[inline]
    pub fn rows(&self, u: usize) -> Range<usize> {
        self.offsets[u] as usize..self.offsets[u + 1] as usize
    }

    /// Number of labels on unit `u`.
    #[inline]
    pub fn degree(&self, u: usize) -> usize {
        (self.offsets[u + 1] - self.offsets[u]) as usize
    }

    /// Annotator of every row.
    pub fn annotator(&self) -> &[u32] {
        &self.annotator
    }

    pub fn categorical(&self) -> Option<Categorical<'_>> {
        match &self.values {
            Values::Categorical { classes, ordered, codes } => {
                Some(Categorical { table: self, classes, ordered: *ordered, codes })
            }
            _ => None,
        }
    }

    pub fn real(&self) -> Option<&[f64]> {
        match &self.values {
            Values::Real { values, .. } => Some(values),
            _ => None,
        }
    }

    /// The compared pairs and what was said of them.
    pub fn preferences(&self) -> Option<(&[[u32; 2]], &[Preference])> {
        match (&self.units, &self.values) {
            (Units::Pairs(pairs), Values::Preference { codes }) => Some((pairs, codes)),
            _ => None,
        }
    }

    /// How a unit is called: the item's name, or both names of a pair.
    pub fn unit_name(&self, u: usize) -> String {
        match &self.units {
            Units::Items => self.items.name(u).to_owned(),
            Units::Pairs(p) => {
                format!("{} | {}", self.items.name(p[u][0] as usize), self.items.name(p[u][1] as usize))
            }
        }
    }

    /// Number of labels of each annotator.
    pub fn labels_per_annotator(&self) -> Vec<u64> {
        let mut n = vec![0; self.n_annotators()];
        for &j in &self.annotator {
            n[j as usize] += 1;
        }
        n
    }

    /// The rows of each annotator. The first call builds the index (8 bytes a label).
    pub fn by_annotator(&self) -> &Index {
        self.by_annotator.get_or_init(|| {
            let mut offsets = vec![0u64; self.n_annotators() + 1];
            for &j in &self.annotator {
                offsets[j as usize + 1] += 1;
            }
            for j in 0..self.n_annotators() {
                offsets[j + 1] += offsets[j];
            }
            let mut next = offsets.clone();
            let mut rows = vec![0u32; self.n_labels()];
            let mut units = vec![0u32; self.n_labels()];
            for u in 0..self.n_units() {
                for row in self.rows(u) {
                    let at = &mut next[self.annotator[row] as usize];
                    rows[*at as usize] = row as u32;
                    units[*at as usize] = u as u32;
                    *at += 1;
                }
            }
            Index { offsets, rows, units }
        })
    }

    /// Adds classes that no label uses (known from gold labels), so that they can be inferred too.
    pub fn add_classes<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        if let Values::Categorical { classes, codes, .. } = &mut self.values {
            for name in names {
                classes.intern(name);
            }
            if classes.len() > 256
                && let Codes::U8(v) = codes
            {
                *codes = Codes::U16(v.iter().map(|&c| c as u16).collect());
            }
        }
    }

    /// Adds items that no annotator labelled; they keep the class prior as posterior. Only for tables of items.
    pub fn add_items<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        if self.units == Units::Items {
            for name in names {
                self.items.intern(name);
            }
            let end = *self.offsets.last().expect("offsets are never empty");
            self.offsets.resize(self.items.len() + 1, end);
        }
    }

    /// The same items, annotators and design with other labels: one code for every row.
    #[must_use]
    pub fn with_codes(&self, codes: Codes) -> Table {
        assert_eq!(codes.len(), self.n_labels());
        let values = match &self.values {
            Values::Categorical { classes, ordered, .. } => {
                Values::Categorical { classes: classes.clone(), ordered: *ordered, codes }
            }
            _ => panic!("only classes have codes"),
        };
        Table {
            items: self.items.clone(),
            annotators: self.annotators.clone(),
            units: self.units.clone(),
            offsets: self.offsets.clone(),
            annotator: self.annotator.clone(),
            values,
            by_annotator: OnceLock::new(),
        }
    }

    /// A table with only the rows for which `keep` is true; names and numbering stay.
    #[must_use]
    pub fn filter_rows(&self, keep: impl Fn(usize) -> bool) -> Table {
        let mut offsets = Vec::with_capacity(self.offsets.len());
        offsets.push(0);
        let mut kept: Vec<usize> = Vec::with_capacity(self.n_labels());
        for u in 0..self.n_units() {
            kept.extend(self.rows(u).filter(|&r| keep(r)));
            offsets.push(kept.len() as u32);
        }
        let values = match &self.values {
            Values::Categorical { classes, ordered, codes } => Values::Categorical {
                classes: classes.clone(),
                ordered: *ordered,
                codes: match codes {
                    Codes::U8(v) => Codes::U8(kept.iter().map(|&r| v[r]).collect()),
                    Codes::U16(v) => Codes::U16(kept.iter().map(|&r| v[r]).collect()),
                },
            },
            Values::Real { values, range } => {
                Values::Real { values: kept.iter().map(|&r| values[r]).collect(), range: *range }
            }
            Values::Preference { codes } => Values::Preference { codes: kept.iter().map(|&r| codes[r]).collect() },
            Values::Similarity { same } => Values::Similarity { same: kept.iter().map(|&r| same[r]).collect() },
        };
        Table {
            items: self.items.clone(),
            annotators: self.annotators.clone(),
            units: self.units.clone(),
            offsets,
            annotator: kept.iter().map(|&r| self.annotator[r]).collect(),
            values,
            by_annotator: OnceLock::new(),
        }
    }

    /// The table without the labels of one class, which meant that an annotator did not answer; items stay, the class does
    /// not. `None` if there is no such class.
    pub fn without_class(&self, name: &str) -> Option<Table> {
        let gone = {
            let mut classes = self.categorical()?.classes.clone();
            classes.thaw();
            classes.get(name)? as usize
        };
        let codes = self.categorical()?.codes;
        let mut table = self.filter_rows(|r| codes.get(r) != gone);
        if let Values::Categorical { classes, codes, .. } = &mut table.values {
            let mut left = Names::new();
            for (_, n) in classes.iter().enumerate().filter(|(c, _)| *c != gone) {
                left.intern(n);
            }
            *classes = left;
            match codes {
                Codes::U8(v) => v.iter_mut().for_each(|c| *c -= u8::from(*c as usize > gone)),
                Codes::U16(v) => v.iter_mut().for_each(|c| *c -= u16::from(*c as usize > gone)),
            }
        }
        Some(table)
    }

    /// A number that changes when any label, name or order changes.
    pub fn digest(&self) -> u64 {
        let mut d = Digest::new();
        for names in [&self.items, &self.annotators] {
            d.texts(names.iter());
        }
        d.numbers(self.offsets.iter().map(|&o| u64::from(o)));
        d.numbers(self.annotator.iter().map(|&a| a as u64));
        if let Units::Pairs(p) = &self.units {
            d.numbers(p.iter().map(|&[a, b]| (a as u64) << 32 | b as u64));
        }
        match &self.values {
            Values::Categorical { classes, codes, .. } => {
                d.texts(classes.iter());
                match codes {
                    Codes::U8(c) => d.numbers(c.iter().map(|&c| c as u64)),
                    Codes::U16(c) => d.numbers(c.iter().map(|&c| c as u64)),
                }
            }
            Values::Real { values, .. } => d.numbers(values.iter().map(|v| v.to_bits())),
            Values::Preference { codes } => d.numbers(codes.iter().map(|&c| c as u64)),
            Values::Similarity { same } => d.numbers(same.iter().map(|&s| s as u64)),
        }
        d.value()
    }
}
