//! Building a [`Table`] from rows in any order.

use crate::grades;
use crate::values::{Codes, MAX_CLASSES, Units, Values};
use crate::{Error, LabelKind, Names, Preference, Table};
use hashbrown::HashMap;
use std::sync::OnceLock;

/// Collects annotations and puts them in unit order.
///
/// Rows that arrive grouped by unit (as most files are) need no unit column at all; it is written out only when the
/// first row comes out of order.
#[derive(Debug)]
pub struct TableBuilder {
    pub items: Names,
    pub annotators: Names,
    pub classes: Names,
    /// Classes have an order that means something (grades); set by the reader or the user.
    pub ordered: bool,
    units: PairUnits,
    order: RowOrder,
    annotator: Vec<u32>,
    values: Raw,
}

#[derive(Debug)]
enum Raw {
    U8(Vec<u8>),
    U16(Vec<u16>),
    Real(Vec<f64>),
    Preference(Vec<Preference>),
    Similarity(Vec<bool>),
}

#[derive(Debug, Default)]
struct PairUnits {
    pairs: Vec<[u32; 2]>,
    lookup: HashMap<[u32; 2], u32, foldhash::fast::FixedState>,
}

#[derive(Debug)]
enum RowOrder {
    /// Rows so far came in unit order: `starts[u]` is the first row of unit u.
    Grouped { starts: Vec<u32> },
    /// One unit per row.
    Mixed { unit: Vec<u32> },
}

impl TableBuilder {
    pub fn new(kind: LabelKind) -> Self {
        TableBuilder {
            items: Names::new(),
            annotators: Names::new(),
            classes: Names::new(),
            ordered: false,
            units: PairUnits::default(),
            order: RowOrder::Grouped { starts: Vec::new() },
            annotator: Vec::new(),
            values: match kind {
                LabelKind::Categorical => Raw::U8(Vec::new()),
                LabelKind::Real => Raw::Real(Vec::new()),
                LabelKind::Preference => Raw::Preference(Vec::new()),
                LabelKind::Similarity => Raw::Similarity(Vec::new()),
            },
        }
    }

    pub fn len(&self) -> usize {
        self.annotator.len()
    }

    pub fn is_empty(&self) -> bool {
        self.annotator.is_empty()
    }

    /// Makes room for so many more annotations at once: nothing is moved or doubled while they come.
    pub fn reserve(&mut self, rows: usize) {
        self.annotator.reserve_exact(rows);
        match &mut self.values {
            Raw::U8(v) => v.reserve_exact(rows),
            Raw::U16(v) => v.reserve_exact(rows),
            Raw::Real(v) => v.reserve_exact(rows),
            Raw::Preference(v) => v.reserve_exact(rows),
            Raw::Similarity(v) => v.reserve_exact(rows),
        }
    }

    /// Adds a categorical label by names.
    pub fn label(&mut self, item: &str, annotator: &str, class: &str) -> Result<(), Error> {
        let (i, j) = (self.items.intern(item), self.annotators.intern(annotator));
        let c = self.classes.intern(class);
        self.label_codes(i, j, c)
    }

    /// Adds a categorical label by numbers that come from this builder's own names.
    pub fn label_codes(&mut self, item: u32, annotator: u32, class: u32) -> Result<(), Error> {
        if class as usize >= MAX_CLASSES {
            return Err(Error::TooLarge { what: format!("more than {MAX_CLASSES} classes") });
        }
        self.row(item, annotator);
        if class > 255
            && let Raw::U8(v) = &self.values
        {
            self.values = Raw::U16(v.iter().map(|&c| c as u16).collect());
        }
        match &mut self.values {
            Raw::U8(v) => v.push(class as u8),
            Raw::U16(v) => v.push(class as u16),
            _ => unreachable!("label_codes on a table of another kind"),
        }
        Ok(())
    }

    /// Adds a real value by names.
    pub fn value(&mut self, item: &str, annotator: &str, value: f64) {
        let (i, j) = (self.items.intern(item), self.annotators.intern(annotator));
        self.value_codes(i, j, value);
    }

    /// Adds a real value by numbers.
    pub fn value_codes(&mut self, item: u32, annotator: u32, value: f64) {
        self.row(item, annotator);
        match &mut self.values {
            Raw::Real(v) => v.push(value),
            _ => unreachable!("value_codes on a table of another kind"),
        }
    }

    /// Adds a comparison of two items.
    pub fn preference(&mut self, left: &str, right: &str, annotator: &str, outcome: Preference) {
        let (l, r) = (self.items.intern(left), self.items.intern(right));
        let j = self.annotators.intern(annotator);
        self.preference_codes(l, r, j, outcome);
    }

    /// Adds a comparison by numbers.
    pub fn preference_codes(&mut self, left: u32, right: u32, annotator: u32, outcome: Preference) {
        let unit = self.units.intern([left, right]);
        self.row(unit, annotator);
        match &mut self.values {
            Raw::Preference(v) => v.push(outcome),
            _ => unreachable!("preference on a table of another kind"),
        }
    }

    /// Adds a same/different judgement of two items.
    pub fn similarity(&mut self, left: &str, right: &str, annotator: &str, same: bool) {
        let (l, r) = (self.items.intern(left), self.items.intern(right));
        let j = self.annotators.intern(annotator);
        self.similarity_codes(l, r, j, same);
    }

    /// Adds a same/different judgement by numbers.
    pub fn similarity_codes(&mut self, left: u32, right: u32, annotator: u32, same: bool) {
        let unit = self.units.intern([left, right]);
        self.row(unit, annotator);
        match &mut self.values {
            Raw::Similarity(v) => v.push(same),
            _ => unreachable!("similarity on a table of another kind"),
        }
    }

    fn row(&mut self, unit: u32, annotator: u32) {
        // rows beyond the numbers of 32 bits are refused in the end
        let row = self.annotator.len() as u32;
        self.annotator.push(annotator);
        match &mut self.order {
            RowOrder::Grouped { starts } if unit as usize + 1 == starts.len() => {}
            RowOrder::Grouped { starts } if unit as usize >= starts.len() => starts.resize(unit as usize + 1, row),
            RowOrder::Grouped { starts } => {
                let mut units = Vec::with_capacity(row as usize * 2);
                for u in 0..starts.len() {
                    let end = starts.get(u + 1).copied().unwrap_or(row);
                    units.resize(end as usize, u as u32);
                }
                units.push(unit);
                self.order = RowOrder::Mixed { unit: units };
            }
            RowOrder::Mixed { unit: units } => units.push(unit),
        }
    }

    /// The finished table: rows in unit order, then annotator order, otherwise in the order they came; classes sorted
    /// (by number where all are numbers, else by text), so that nothing depends on the order of the file.
    pub fn finish(mut self) -> Result<Table, Error> {
        let is_pairs = matches!(self.values, Raw::Preference(_) | Raw::Similarity(_));
        let n_units = if is_pairs { self.units.pairs.len() } else { self.items.len() };
        let n = self.annotator.len();
        if n > u32::MAX as usize {
            return Err(Error::TooLarge { what: format!("{n} labels (at most 4,294,967,295 in one table)") });
        }
        self.items.freeze();
        self.annotators.freeze();
        self.units.lookup = HashMap::default();
        let (offsets, permutation) = match self.order {
            RowOrder::Grouped { mut starts } => {
                starts.resize(n_units + 1, n as u32);
                starts.shrink_to_fit();
                (starts, None)
            }
            RowOrder::Mixed { unit } => {
                let mut offsets = vec![0u32; n_units + 1];
                unit.iter().for_each(|&u| offsets[u as usize + 1] += 1);
                (0..n_units).for_each(|u| offsets[u + 1] += offsets[u]);
                let mut next = offsets.clone();
                // target[row] = where that row goes
                let mut target = unit;
                for t in &mut target {
                    let at = &mut next[*t as usize];
                    *t = *at;
                    *at += 1;
                }
                (offsets, Some(target))
            }
        };
        let place = permutation.as_deref();
        let mut annotator = scatter(self.annotator, place);
        let mut values = match self.values {
            Raw::U8(v) => {
                let (classes, rank) = sorted_classes(&self.classes, self.ordered);
                let codes = Codes::U8(scatter(v, place).into_iter().map(|c| rank[c as usize] as u8).collect());
                Values::Categorical { classes, ordered: self.ordered, codes }
            }
            Raw::U16(v) => {
                let (classes, rank) = sorted_classes(&self.classes, self.ordered);
                let codes = Codes::U16(scatter(v, place).into_iter().map(|c| rank[c as usize] as u16).collect());
                Values::Categorical { classes, ordered: self.ordered, codes }
            }
            Raw::Real(v) => Values::Real { values: scatter(v, place), range: None },
            Raw::Preference(v) => Values::Preference { codes: scatter(v, place) },
            Raw::Similarity(v) => Values::Similarity { same: scatter(v, place) },
        };
        drop(permutation);
        sort_within_units(&offsets, &mut annotator, &mut values);
        let units = if is_pairs { Units::Pairs(self.units.pairs) } else { Units::Items };
        Ok(Table {
            items: self.items,
            annotators: self.annotators,
            units,
            offsets,
            annotator,
            values,
            by_annotator: OnceLock::new(),
        })
    }
}

impl PairUnits {
    fn intern(&mut self, pair: [u32; 2]) -> u32 {
        let next = self.pairs.len() as u32;
        let id = *self.lookup.entry(pair).or_insert(next);
        if id == next {
            self.pairs.push(pair);
        }
        id
    }
}

fn scatter<T>(v: Vec<T>, target: Option<&[u32]>) -> Vec<T>
where
    T: Copy + ScatterDefault,
{
    let Some(target) = target else { return v };
    let mut out = vec![T::filler(); v.len()];
    for (x, &t) in v.iter().zip(target) {
        out[t as usize] = *x;
    }
    out
}

/// A value to fill an array with before every place is written.
trait ScatterDefault {
    fn filler() -> Self;
}
macro_rules! filler {
    ($($t:ty),*) => { $(impl ScatterDefault for $t { fn filler() -> Self { Self::default() } })* };
}
filler!(u8, u16, u32, f64, bool);
impl ScatterDefault for Preference {
    fn filler() -> Self {
        Preference::Tie
    }
}

fn sort_within_units(offsets: &[u32], annotator: &mut [u32], values: &mut Values) {
    match values {
        Values::Categorical { codes: Codes::U8(v), .. } => sort_units(offsets, annotator, v),
        Values::Categorical { codes: Codes::U16(v), .. } => sort_units(offsets, annotator, v),
        Values::Real { values, .. } => sort_units(offsets, annotator, values),
        Values::Preference { codes } => sort_units(offsets, annotator, codes),
        Values::Similarity { same } => sort_units(offsets, annotator, same),
    }
}

/// Units up to this size are sorted by insertion.
const SMALL_UNIT: usize = 24;

/// Sorts the rows of each unit by annotator; rows of the same annotator keep their order.
fn sort_units<T: Copy>(offsets: &[u32], annotator: &mut [u32], values: &mut [T]) {
    let mut scratch: Vec<(u32, T)> = Vec::new();
    for w in offsets.windows(2) {
        let rows = w[0] as usize..w[1] as usize;
        let (names, values) = (&mut annotator[rows.clone()], &mut values[rows]);
        if names.len() <= SMALL_UNIT {
            for end in 1..names.len() {
                let (name, value) = (names[end], values[end]);
                let mut at = end;
                while at > 0 && names[at - 1] > name {
                    names[at] = names[at - 1];
                    values[at] = values[at - 1];
                    at -= 1;
                }
                names[at] = name;
                values[at] = value;
            }
        } else if !names.is_sorted() {
            scratch.clear();
            scratch.extend(names.iter().copied().zip(values.iter().copied()));
            scratch.sort_by_key(|row| row.0);
            for (r, &(name, value)) in scratch.iter().enumerate() {
                names[r] = name;
                values[r] = value;
            }
        }
    }
}

/// Classes in their natural order, and the new code of each old one. Words of a scale stand in its order if that means something.
fn sorted_classes(classes: &Names, ordered: bool) -> (Names, Vec<u32>) {
    let mut order: Vec<u32> = (0..classes.len() as u32).collect();
    let numbers: Option<Vec<f64>> =
        classes.iter().map(|c| c.trim().parse::<f64>().ok().filter(|x| x.is_finite())).collect();
    let name = |i: u32| classes.name(i as usize);
    match numbers {
        Some(x) => order.sort_by(|&a, &b| x[a as usize].total_cmp(&x[b as usize]).then(name(a).cmp(name(b)))),
        None => order.sort_by(|&a, &b| name(a).cmp(name(b))),
    }
    if let Some(natural) = ordered.then(|| grades::natural(classes)).flatten() {
        order = natural;
    }
    let mut rank = vec![0; classes.len()];
    for (new, &old) in order.iter().enumerate() {
        rank[old as usize] = new as u32;
    }
    (order.iter().map(|&i| name(i)).collect(), rank)
}

#[cfg(test)]
mod tests;
