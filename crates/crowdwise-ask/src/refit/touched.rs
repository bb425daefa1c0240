//! The items that new labels are about.

use super::pieces::Pieces;
use super::{Added, Incremental, MOVED};
use crowdwise_core::Table;
use crowdwise_numerics::softmax;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sweeps over these items: the first moves posteriors, the second sees the counts that follow.
pub(super) const SWEEPS: usize = 2;

/// Items with new labels.
struct Touched {
    item: u32,
    /// Its labels lie here, the old ones first.
    rows: std::ops::Range<usize>,
    old: usize,
}

impl Incremental {
    /// Adds rows (item, annotator, class), sorted, whose names are known.
    pub(super) fn touch(&mut self, rows: &[[u32; 3]]) -> Added {
        let k = self.k();
        let table = &self.data.table;
        let codes = table.categorical().expect("classes").codes;
        // labels of the touched items: (annotator, class)
        let mut flat: Vec<[u32; 2]> = Vec::new();
        let mut touched: Vec<Touched> = Vec::new();
        let since = Arc::make_mut(&mut self.since);
        for group in rows.chunk_by(|a, b| a[0] == b[0]) {
            let (item, first) = (group[0][0], flat.len());
            if (item as usize) < table.n_items() {
                flat.extend(table.rows(item as usize).map(|r| [table.annotator()[r], codes.get(r) as u32]));
            }
            let mine = since.entry(item).or_default();
            flat.extend_from_slice(mine);
            let old = flat.len() - first;
            let new = group.iter().map(|r| [r[1], r[2]]);
            flat.extend(new.clone());
            mine.extend(new);
            mine.sort_unstable();
            touched.push(Touched { item, rows: first..flat.len(), old });
        }
        self.n_since += rows.len();
        let mut annotators: Vec<u32> = flat.iter().map(|l| l[0]).collect();
        annotators.sort_unstable();
        annotators.dedup();
        let place: Vec<usize> = flat.iter().map(|l| annotators.binary_search(&l[0]).expect("it is in there")).collect();
        let mut totals = vec![0.0; annotators.len() * k];
        let mut next = vec![0.0; touched.len() * k];
        for sweep in 0..SWEEPS {
            for (&j, totals) in annotators.iter().zip(totals.chunks_exact_mut(k)) {
                self.rule.totals(k, self.counts.row(j as usize), totals);
                totals.iter_mut().for_each(|t| *t = self.rule.ln(*t));
            }
            for (t, q) in touched.iter().zip(next.chunks_exact_mut(k)) {
                if let Some(&class) = self.known.get(&t.item) {
                    q.fill(0.0);
                    q[class as usize] = 1.0;
                    continue;
                }
                q.copy_from_slice(&self.ln_prior);
                for at in t.rows.clone() {
                    let [j, l] = flat[at];
                    let cells = self.counts.row(j as usize)[l as usize * k..][..k].iter();
                    let cells = cells.zip(&self.rule.cells[l as usize * k..][..k]);
                    let totals = &totals[place[at] * k..][..k];
                    for ((x, (c, p)), n) in q.iter_mut().zip(cells).zip(totals) {
                        *x += self.rule.ln(c + p) - n;
                    }
                }
                softmax(q);
            }
            for (t, q) in touched.iter().zip(next.chunks_exact(k)) {
                let item = t.item as usize;
                let labels = &flat[t.rows.clone()];
                let known = self.known.contains_key(&t.item);
                let had = if sweep == 0 { t.old } else { labels.len() };
                if had >= self.rule.from || known {
                    add(&mut self.counts, k, &labels[..had], self.posterior.row(item), -1.0);
                }
                if labels.len() >= self.rule.from || known {
                    add(&mut self.counts, k, labels, q, 1.0);
                }
                self.posterior.row_mut(item).copy_from_slice(q);
            }
        }
        for &j in &annotators {
            let moved = self.moved_labels(j as usize);
            self.moved.insert(j, moved);
        }
        Added { labels: rows.len(), items: touched.len(), looked_at: flat.len(), ..Added::default() }
    }

    /// Expected labels of an annotator at the last full pass in cells whose logarithms have moved since.
    fn moved_labels(&self, j: usize) -> f64 {
        let k = self.k();
        let (then, now) = (self.counts_then.row(j), self.counts.row(j));
        let mut totals = [vec![0.0; k], vec![0.0; k]];
        self.rule.totals(k, then, &mut totals[0]);
        self.rule.totals(k, now, &mut totals[1]);
        let mut sum = 0.0;
        for (at, (&a, &b)) in then.iter().zip(now).enumerate() {
            let p = self.rule.cells[at];
            let ratio = ((b + p).max(1e-12) / (a + p).max(1e-12)) * (totals[0][at % k] / totals[1][at % k]);
            if ratio.ln().abs() > MOVED {
                sum += a.max(0.0);
            }
        }
        sum
    }
}

/// Adds a posterior, times `sign`, to the counts of everybody who labelled the item.
fn add(counts: &mut Pieces, k: usize, labels: &[[u32; 2]], q: &[f64], sign: f64) {
    for &[j, l] in labels {
        let row = &mut counts.row_mut(j as usize)[l as usize * k..][..k];
        row.iter_mut().zip(q).for_each(|(c, q)| *c += sign * q);
    }
}

/// Expected counts of all labels: annotators x (label x truth).
pub(super) fn count(table: &Table, posterior: &Pieces, known: &BTreeMap<u32, u32>, from: usize) -> Vec<f64> {
    let codes = table.categorical().expect("classes").codes;
    let k = table.n_classes();
    let mut counts = vec![0.0; table.n_annotators() * k * k];
    for u in 0..table.n_units() {
        if table.degree(u) < from && !known.contains_key(&(u as u32)) {
            continue;
        }
        let q = posterior.row(u);
        for r in table.rows(u) {
            let at = table.annotator()[r] as usize * k * k + codes.get(r) * k;
            counts[at..at + k].iter_mut().zip(q).for_each(|(c, q)| *c += q);
        }
    }
    counts
}
