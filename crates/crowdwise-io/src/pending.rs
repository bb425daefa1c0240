//! Labels are looked up many at a time.

use crate::collect::{Collector, is_blank};
use crate::columns::{Layout, Shape};
use crowdwise_core::LabelKind;

/// Labels that wait to be interned together, column by column: see [`crowdwise_core::Names::intern_all`].
#[derive(Debug)]
pub(crate) struct Pending<'t> {
    items: Vec<&'t str>,
    annotators: Vec<&'t str>,
    labels: Vec<&'t str>,
    /// Places in `items` that have no label: these are interned in their turn but give no row.
    silent: Vec<usize>,
}

impl<'t> Pending<'t> {
    /// Labels taken at a time: their text is still in the cache.
    const SIZE: usize = 512;

    /// A place for the labels of a layout whose rows are classes by item and annotator.
    pub fn new(layout: &Layout) -> Option<Self> {
        let simple = matches!(layout.shape, Shape::Labels { annotator: Some(_), .. })
            && layout.kind == LabelKind::Categorical
            && layout.status.is_none();
        let place = || Vec::with_capacity(Self::SIZE);
        simple.then(|| Pending { items: place(), annotators: place(), labels: place(), silent: Vec::new() })
    }

    /// Takes one row, or counts it as bad or empty.
    #[inline]
    pub fn push(&mut self, out: &mut Collector<'_>, line: u64, item: &'t str, annotator: &'t str, label: &'t str) {
        out.tally.total += 1;
        let [item, annotator, label] = [item, annotator, label].map(|t| out.seen(t));
        let silent = is_blank(label);
        if silent && is_blank(annotator) {
            // Not an answer: see `Collector::no_label`.
            if out.blank(line, &[("item", Some(item))]) {
                return;
            }
        } else if out.blank(line, &[("item", Some(item)), ("annotator", Some(annotator))]) {
            return;
        } else if silent {
            out.tally.empty += 1;
        }
        if silent {
            self.silent.push(self.items.len());
        } else {
            self.annotators.push(annotator);
            self.labels.push(label);
        }
        self.items.push(item);
        if self.items.len() == Self::SIZE {
            self.flush(out);
        }
    }

    /// Hands all waiting labels over.
    pub fn flush(&mut self, out: &mut Collector<'_>) {
        let before = out.rows.unit.len();
        out.items.intern_all(&self.items, &mut out.rows.unit);
        if !self.silent.is_empty() {
            let (unit, mut kept) = (&mut out.rows.unit, before);
            let mut silent = self.silent.iter().peekable();
            for place in 0..self.items.len() {
                if silent.next_if_eq(&&place).is_none() {
                    unit[kept] = unit[before + place];
                    kept += 1;
                }
            }
            unit.truncate(kept);
            self.silent.clear();
        }
        out.annotators.intern_all(&self.annotators, &mut out.rows.annotator);
        out.classes.intern_all(&self.labels, &mut out.rows.code);
        self.items.clear();
        self.annotators.clear();
        self.labels.clear();
    }
}
