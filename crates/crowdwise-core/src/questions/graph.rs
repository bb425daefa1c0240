//! Connected parts of the data.

use crate::{Table, Units};

/// Connected parts, by annotators and units (comparisons: by items).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    pub count: usize,
    /// In the largest part: labelled units (comparisons: compared items), and annotators.
    pub largest_units: usize,
    pub largest_annotators: usize,
    /// Annotators with labels who share no unit with another one.
    pub isolated: usize,
    /// Units with labels of at least 1 and at least 3 annotators.
    pub labelled: usize,
    pub with_three: usize,
}

/// Finds the parts in time nearly linear in the labels, with memory for the annotators (comparisons: the items) only.
pub fn parts(table: &Table) -> Parts {
    let mut out = Parts::default();
    let mut shares = vec![false; table.n_annotators()];
    let mut has = vec![false; table.n_annotators()];
    let mut sets = Sets::new(table.n_annotators());
    // annotators not yet seen to share a unit, and joins that are still possible: at 0 a unit needs no second look
    let (mut alone, mut joins) = (table.n_annotators(), table.n_annotators().saturating_sub(1));
    for u in 0..table.n_units() {
        let who = &table.annotator()[table.rows(u)];
        let Some(&first) = who.first() else { continue };
        let different = 1 + who.iter().zip(&who[1..]).map(|(a, b)| usize::from(a != b)).sum::<usize>();
        out.labelled += 1;
        out.with_three += usize::from(different >= 3);
        if alone > 0 {
            for &j in who {
                has[j as usize] = true;
                if different >= 2 && !shares[j as usize] {
                    shares[j as usize] = true;
                    alone -= 1;
                }
            }
        }
        if joins > 0 && different >= 2 {
            joins -= who.iter().filter(|&&j| sets.join(first as usize, j as usize)).count();
        }
    }
    out.isolated = (0..has.len()).filter(|&j| has[j] && !shares[j]).count();
    match table.units() {
        Units::Items => {
            if joins == 0 && !has.is_empty() {
                (out.count, out.largest_units, out.largest_annotators) = (1, out.labelled, has.len());
                return out;
            }
            let mut size = vec![(0usize, 0usize); has.len()];
            (0..has.len()).filter(|&j| has[j]).for_each(|j| size[sets.root(j)].1 += 1);
            for u in 0..table.n_units() {
                if let Some(&j) = table.annotator()[table.rows(u)].first() {
                    size[sets.root(j as usize)].0 += 1;
                }
            }
            out.count = size.iter().filter(|s| s.1 > 0).count();
            (out.largest_units, out.largest_annotators) = size.into_iter().max().unwrap_or_default();
        }
        Units::Pairs(pairs) => {
            let mut items = Sets::new(table.n_items());
            let mut compared = vec![false; table.n_items()];
            for (u, &[l, r]) in pairs.iter().enumerate() {
                if table.degree(u) > 0 {
                    items.join(l as usize, r as usize);
                    compared[l as usize] = true;
                    compared[r as usize] = true;
                }
            }
            let mut size = vec![0usize; table.n_items()];
            (0..size.len()).filter(|&i| compared[i]).for_each(|i| size[items.root(i)] += 1);
            out.count = size.iter().filter(|&&s| s > 0).count();
            out.largest_units = size.iter().copied().max().unwrap_or(0);
            let largest = (0..size.len()).find(|&r| size[r] == out.largest_units);
            let mut inside = vec![false; has.len()];
            for (u, &[l, _]) in pairs.iter().enumerate() {
                if table.degree(u) > 0 && Some(items.root(l as usize)) == largest {
                    table.annotator()[table.rows(u)].iter().for_each(|&j| inside[j as usize] = true);
                }
            }
            out.largest_annotators = inside.iter().filter(|&&x| x).count();
        }
    }
    out
}

/// Disjoint sets, joined by size, with paths halved on the way.
struct Sets {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl Sets {
    fn new(n: usize) -> Self {
        Sets { parent: (0..n as u32).collect(), size: vec![1; n] }
    }

    fn root(&mut self, mut x: usize) -> usize {
        while self.parent[x] as usize != x {
            self.parent[x] = self.parent[self.parent[x] as usize];
            x = self.parent[x] as usize;
        }
        x
    }

    /// Whether they were apart.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (mut a, mut b) = (self.root(a), self.root(b));
        if a == b {
            return false;
        }
        if self.size[a] < self.size[b] {
            (a, b) = (b, a);
        }
        self.parent[b] = a as u32;
        self.size[a] += self.size[b];
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelKind, Preference, TableBuilder};
    use proptest::prelude::*;

    #[test]
    fn compared_items_fall_into_parts() {
        let mut b = TableBuilder::new(LabelKind::Preference);
        for (l, r, a) in [("x", "y", "p"), ("y", "z", "q"), ("u", "v", "p")] {
            b.preference(l, r, a, Preference::Left);
        }
        let p = parts(&b.finish().unwrap());
        assert_eq!((p.count, p.largest_units, p.largest_annotators, p.isolated), (2, 3, 2, 2));
    }

    proptest! {
        #[test]
        fn parts_are_those_of_a_plain_search(rows in prop::collection::vec((0..12usize, 0..8usize), 1..40)) {
            let mut b = TableBuilder::new(LabelKind::Categorical);
            for (i, j) in &rows {
                b.label(&format!("i{i}"), &format!("a{j}"), "x").unwrap();
            }
            // nodes 0..12 items, 12..20 annotators; spread the smallest number until nothing changes
            let mut mark: Vec<usize> = (0..20).collect();
            loop {
                let mut changed = false;
                for &(i, j) in &rows {
                    let m = mark[i].min(mark[12 + j]);
                    changed |= mark[i] != m || mark[12 + j] != m;
                    mark[i] = m;
                    mark[12 + j] = m;
                }
                if !changed {
                    break;
                }
            }
            let mut roots: Vec<usize> = rows.iter().map(|r| mark[r.0]).collect();
            roots.sort_unstable();
            roots.dedup();
            let p = parts(&b.finish().unwrap());
            prop_assert_eq!(p.count, roots.len());
            let items = |r: usize| (0..12).filter(|&i| mark[i] == r && rows.iter().any(|x| x.0 == i)).count();
            prop_assert_eq!(p.largest_units, roots.iter().map(|&r| items(r)).max().unwrap());
        }
    }
}
