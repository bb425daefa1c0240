//! Units reduced to what agreement needs of them: how often each class was said. Equal rows of counts are kept once with
//! their number, so that a bootstrap costs the number of different rows and not the number of units.

use crate::{Dataset, Table, Units, Values};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use std::hash::BuildHasher;

/// The rows of one unit that count for agreement: the last label of each annotator, since a repetition is not another
/// opinion. Table rows are in annotator order, so repetitions are neighbours.
pub fn last_labels(table: &Table, u: usize) -> impl Iterator<Item = usize> + Clone + '_ {
    let (rows, who) = (table.rows(u), table.annotator());
    let end = rows.end;
    rows.filter(move |&r| r + 1 == end || who[r + 1] != who[r])
}

/// Distinct rows of class counts and how many units have each.
#[derive(Clone, Debug)]
pub struct Patterns {
    pub classes: usize,
    /// Comparisons have no first and second item by nature: class shares of "first" and "second" are averaged.
    pub symmetric: bool,
    /// Entries of pattern p are `entries[starts[p]..starts[p+1]]`: (class, count), by class.
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
    pub units: Vec<u64>,
    lookup: HashTable<u32>,
}

const HASHER: FixedState = FixedState::with_seed(7);

impl Patterns {
    fn new(classes: usize, symmetric: bool) -> Self {
        let lookup = HashTable::new();
        Patterns { classes, symmetric, starts: vec![0], entries: Vec::new(), units: Vec::new(), lookup }
    }

    /// Of a dataset with classes, outcomes or same/different judgements; `None` for real values.
    pub fn of(data: &Dataset) -> Option<Patterns> {
        let table = &data.table;
        let mut p = match table.values() {
            Values::Categorical { classes, .. } => Patterns::new(classes.len(), false),
            Values::Similarity { .. } => Patterns::new(2, false),
            Values::Preference { .. } => return Some(Patterns::of_comparisons(table)),
            Values::Real { .. } => return None,
        };
        let mut codes: Vec<u32> = Vec::new();
        for u in 0..table.n_units() {
            codes.clear();
            match table.values() {
                Values::Categorical { codes: c, .. } => codes.extend(last_labels(table, u).map(|r| c.get(r) as u32)),
                Values::Similarity { same } => codes.extend(last_labels(table, u).map(|r| same[r] as u32)),
                _ => {}
            }
            codes.sort_unstable();
            p.add_codes(&codes);
        }
        Some(p)
    }

    /// Both orders of a pair are one unit: first = the item with the smaller number.
    fn of_comparisons(table: &Table) -> Patterns {
        let mut p = Patterns::new(3, true);
        let (Units::Pairs(pairs), Values::Preference { codes }) = (table.units(), table.values()) else { return p };
        let mut found: HashMap<[u32; 2], u32, FixedState> = HashMap::default();
        let mut counts: Vec<[u32; 3]> = Vec::new();
        for (u, &[l, r]) in pairs.iter().enumerate() {
            let at = *found.entry([l.min(r), l.max(r)]).or_insert(counts.len() as u32) as usize;
            if at == counts.len() {
                counts.push([0; 3]);
            }
            for row in last_labels(table, u) {
                let code = codes[row] as usize;
                counts[at][if code < 2 && l > r { 1 - code } else { code }] += 1;
            }
        }
        let mut flat = Vec::new();
        for c in counts {
            flat.clear();
            (0..3u32).for_each(|k| flat.extend(std::iter::repeat_n(k, c[k as usize] as usize)));
            p.add_codes(&flat);
        }
        p
    }

    /// From tables of counts, units x classes.
    #[cfg(test)]
    pub fn from_counts(rows: &[Vec<u32>]) -> Patterns {
        let mut p = Patterns::new(rows[0].len(), false);
        for row in rows {
            let mut codes = Vec::new();
            row.iter().enumerate().for_each(|(k, &n)| codes.extend(std::iter::repeat_n(k as u32, n as usize)));
            p.add_codes(&codes);
        }
        p
    }

    /// A unit with these classes, sorted.
    fn add_codes(&mut self, codes: &[u32]) {
        if codes.is_empty() {
            return;
        }
        let start = self.entries.len();
        for group in codes.chunk_by(|a, b| a == b) {
            self.entries.push((group[0], group.len() as u32));
        }
        let (entries, starts) = (&self.entries, &self.starts);
        let new = &entries[start..];
        let hash = HASHER.hash_one(new);
        let slice = |p: u32| &entries[starts[p as usize] as usize..starts[p as usize + 1] as usize];
        if let Some(&p) = self.lookup.find(hash, |&p| slice(p) == new) {
            self.units[p as usize] += 1;
            self.entries.truncate(start);
            return;
        }
        let id = self.units.len() as u32;
        self.starts.push(self.entries.len() as u32);
        self.units.push(1);
        let (entries, starts) = (&self.entries, &self.starts);
        let slice = |p: u32| &entries[starts[p as usize] as usize..starts[p as usize + 1] as usize];
        self.lookup.insert_unique(hash, id, |&p| HASHER.hash_one(slice(p)));
    }

    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// (class, count) of pattern `p`.
    pub fn row(&self, p: usize) -> &[(u32, u32)] {
        &self.entries[self.starts[p] as usize..self.starts[p + 1] as usize]
    }

    /// Labels on a unit of this pattern.
    pub fn size(&self, p: usize) -> f64 {
        self.row(p).iter().map(|e| e.1 as f64).sum()
    }

    /// The patterns with at least two labels.
    pub fn pairable(&self) -> Vec<usize> {
        (0..self.len()).filter(|&p| self.size(p) >= 2.0).collect()
    }

    /// Averages the shares of first and second, where these are arbitrary.
    pub fn symmetrise(&self, share: &mut [f64]) {
        if self.symmetric {
            let mean = 0.5 * (share[0] + share[1]);
            share[..2].fill(mean);
        }
    }
}
