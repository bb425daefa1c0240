//! Pairs of annotators by the units both labelled. Memory is bounded by the annotators looked at, never by items.

use super::patterns::last_labels;
use crate::{Table, Values};

/// Common units of every pair among some annotators.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// The annotators looked at, in increasing order.
    pub among: Vec<u32>,
    /// Whether no annotator with enough labels was left out.
    pub complete: bool,
    /// Place of each annotator in `among`.
    place: Vec<u32>,
    /// Common units of places a < b at [`at`].
    common: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// Annotators at most: 2000 need 8 MB.
const MOST: usize = 2000;
/// Pairs of labels at most that one pass may look at.
const WORK: u64 = 50_000_000;

fn at(a: usize, b: usize) -> usize {
    b * (b - 1) / 2 + a
}

impl Pairs {
    /// Counts the common units of the annotators with at least `min` labels, the busiest ones if they are too many.
    pub fn of(table: &Table, min: u64) -> Pairs {
        let n = table.labels_per_annotator();
        let mut order: Vec<u32> = (0..n.len() as u32).filter(|&j| n[j as usize] >= min).collect();
        let all = order.len();
        order.sort_by_key(|&j| (std::cmp::Reverse(n[j as usize]), j));
        order.truncate(MOST);
        let mut place = vec![NONE; n.len()];
        loop {
            place.fill(NONE);
            for &j in &order {
                place[j as usize] = 0;
            }
            let mut work = 0;
            for u in 0..table.n_units() {
                let d = table.annotator()[table.rows(u)].iter().filter(|&&j| place[j as usize] != NONE).count() as u64;
                work += d * d.saturating_sub(1) / 2;
            }
            if work <= WORK || order.len() <= 2 {
                break;
            }
            order.truncate((order.len() / 2).max(2));
        }
        let complete = order.len() == all;
        order.sort_unstable();
        order.iter().enumerate().for_each(|(p, &j)| place[j as usize] = p as u32);
        let mut common = vec![0u32; order.len() * order.len().saturating_sub(1) / 2];
        let mut here: Vec<u32> = Vec::new();
        for u in 0..table.n_units() {
            here.clear();
            here.extend(last_labels(table, u).map(|r| place[table.annotator()[r] as usize]).filter(|&p| p != NONE));
            for b in 1..here.len() {
                (0..b).for_each(|a| common[at(here[a] as usize, here[b] as usize)] += 1);
            }
        }
        Pairs { among: order, complete, place, common }
    }

    /// (annotator, annotator, common units) of all pairs with at least `min`, most first.
    pub fn with_at_least(&self, min: u64) -> Vec<(u32, u32, u32)> {
        let mut out = Vec::new();
        for b in 1..self.among.len() {
            for a in 0..b {
                let n = self.common[at(a, b)];
                if n as u64 >= min {
                    out.push((self.among[a], self.among[b], n));
                }
            }
        }
        out.sort_by_key(|&(a, b, n)| (std::cmp::Reverse(n), a, b));
        out
    }

    /// Number of pairs with at least `min` common units.
    pub fn count_at_least(&self, min: u64) -> u64 {
        self.common.iter().filter(|&&n| n as u64 >= min).count() as u64
    }

    /// How many of the annotators are in a pair, and in a triple all of whose pairs, with at least `min` common units.
    pub fn in_pairs_and_triples(&self, min: u64) -> (usize, usize) {
        let n = self.among.len();
        let words = n.div_ceil(64);
        let mut near = vec![0u64; n * words];
        for b in 1..n {
            for a in (0..b).filter(|&a| self.common[at(a, b)] as u64 >= min) {
                near[a * words + b / 64] |= 1 << (b % 64);
                near[b * words + a / 64] |= 1 << (a % 64);
            }
        }
        let row = |a: usize| &near[a * words..(a + 1) * words];
        let is = |a: usize, b: usize| row(a)[b / 64] >> (b % 64) & 1 == 1;
        let pairs = (0..n).filter(|&a| row(a).iter().any(|&w| w != 0)).count();
        let mut triple = vec![false; n];
        for a in 0..n {
            if triple[a] {
                continue;
            }
            for b in (0..n).filter(|&b| is(a, b)) {
                let third = (0..words).find_map(|w| {
                    let both = row(a)[w] & row(b)[w];
                    (both != 0).then(|| w * 64 + both.trailing_zeros() as usize)
                });
                if let Some(c) = third {
                    for &x in &[a, b, c] {
                        triple[x] = true;
                    }
                    break;
                }
            }
        }
        (pairs, triple.iter().filter(|&&t| t).count())
    }

    /// How many of the given annotators, with ranks, are in a triple all of whose pairs have at least `min` common units
    /// and whose ranks add up to `need` or more.
    pub fn in_triples_of(&self, min: u64, ranks: &[(u32, usize)], need: usize) -> usize {
        let n = self.among.len();
        // by rank, highest first: the first common neighbour of two is the best third
        let mut order: Vec<(usize, usize)> = ranks.iter().map(|&(j, r)| (r, self.place[j as usize] as usize)).collect();
        order.sort_by_key(|&(r, p)| (std::cmp::Reverse(r), p));
        let words = order.len().div_ceil(64);
        let mut near = vec![0u64; order.len() * words];
        for x in 0..order.len() {
            for y in 0..x {
                let (a, b) = (order[x].1.min(order[y].1), order[x].1.max(order[y].1));
                if b < n && self.common[at(a, b)] as u64 >= min {
                    near[x * words + y / 64] |= 1 << (y % 64);
                    near[y * words + x / 64] |= 1 << (x % 64);
                }
            }
        }
        let row = |x: usize| &near[x * words..(x + 1) * words];
        let mut found = vec![false; order.len()];
        for x in 0..order.len() {
            for y in (0..order.len()).filter(|&y| row(x)[y / 64] >> (y % 64) & 1 == 1) {
                if found[x] || order[x].0 + order[y].0 + order[0].0 < need {
                    break;
                }
                let third = (0..words).find_map(|w| {
                    let both = row(x)[w] & row(y)[w];
                    (both != 0).then(|| w * 64 + both.trailing_zeros() as usize)
                });
                if let Some(z) = third.filter(|&z| order[x].0 + order[y].0 + order[z].0 >= need) {
                    [x, y, z].iter().for_each(|&i| found[i] = true);
                }
            }
        }
        found.iter().filter(|&&f| f).count()
    }

    /// Where each pair of places stands in the list, for [`Pairs::each_slot`].
    pub fn slots(&self, pairs: &[(u32, u32, u32)]) -> Vec<u32> {
        let mut slot = vec![NONE; self.common.len()];
        for (s, &(a, b, _)) in pairs.iter().enumerate() {
            slot[at(self.place[a as usize] as usize, self.place[b as usize] as usize)] = s as u32;
        }
        slot
    }

    /// Visits every two of these (annotator, code), in annotator order, that are a pair of the list: (pair, code, code).
    pub fn each_slot(&self, slots: &[u32], here: &[(u32, usize)], mut each: impl FnMut(usize, usize, usize)) {
        let place = |x: usize| self.place[here[x].0 as usize];
        for b in 1..here.len() {
            if place(b) == NONE {
                continue;
            }
            for a in (0..b).filter(|&a| place(a) != NONE) {
                let s = slots[at(place(a) as usize, place(b) as usize)];
                if s != NONE {
                    each(s as usize, here[a].1, here[b].1);
                }
            }
        }
    }

    /// Equal answers and both annotators' counts per class for the given pairs: (equal, counts of a, counts of b).
    pub fn tables(&self, table: &Table, pairs: &[(u32, u32, u32)], k: usize) -> Vec<(u32, Vec<u32>, Vec<u32>)> {
        let slots = self.slots(pairs);
        let (mut equal, mut counts) = (vec![0u32; pairs.len()], vec![0u32; pairs.len() * 2 * k]);
        let code = |r: usize| match table.values() {
            Values::Categorical { codes, .. } => codes.get(r),
            Values::Preference { codes } => codes[r] as usize,
            Values::Similarity { same } => same[r] as usize,
            Values::Real { .. } => 0,
        };
        let mut here: Vec<(u32, usize)> = Vec::new();
        for u in 0..table.n_units() {
            here.clear();
            here.extend(last_labels(table, u).map(|r| (table.annotator()[r], code(r))));
            self.each_slot(&slots, &here, |s, a, b| {
                equal[s] += (a == b) as u32;
                counts[s * 2 * k + a] += 1;
                counts[s * 2 * k + k + b] += 1;
            });
        }
        (0..pairs.len())
            .map(|s| {
                (equal[s], counts[s * 2 * k..s * 2 * k + k].to_vec(), counts[s * 2 * k + k..(s + 1) * 2 * k].to_vec())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelKind, TableBuilder};

    #[test]
    fn common_units_triples_and_repeats() {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        // a, b, c share 3 items; d shares 2 with a only; a repeats itself on the first
        for i in 0..3 {
            for j in ["a", "b", "c"] {
                b.label(&format!("i{i}"), j, "x").unwrap();
            }
        }
        b.label("i0", "a", "y").unwrap();
        for i in 3..5 {
            b.label(&format!("i{i}"), "a", "x").unwrap();
            b.label(&format!("i{i}"), "d", "x").unwrap();
        }
        let t = b.finish().unwrap();
        let p = Pairs::of(&t, 1);
        assert_eq!(p.with_at_least(2), [(0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 3, 2)]);
        assert_eq!(p.in_pairs_and_triples(2), (4, 3));
        assert_eq!(p.in_pairs_and_triples(4), (0, 0));
        let ranks = [(0, 2), (1, 2), (2, 1), (3, 2)];
        assert_eq!(p.in_triples_of(2, &ranks, 5), 3);
        assert_eq!(p.in_triples_of(2, &ranks, 6), 0);
        // the last label of a on i0 counts: y
        assert_eq!(p.tables(&t, &[(0, 1, 3)], 2)[0], (2, vec![2, 1], vec![3, 0]));
    }
}
