//! Rankings of several items, whole or only their top, and the comparisons that they are made of.

use crate::{BadRow, Dataset, Error, LabelKind, Names, Preference, Structure, Table, TableBuilder, Units, stream};
use hashbrown::HashMap;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// Rankings, best first; items behind the ranked ones are known to be worse than all of them, in no order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rankings {
    n_items: usize,
    /// Items of all rankings, one after the other.
    items: Vec<u32>,
    /// (end of the ranked ones, end of those behind) of every ranking.
    ends: Vec<(u32, u32)>,
    /// Who gave each.
    annotator: Vec<u32>,
    /// What they are called: names, and that of each (several annotators may have ranked the same set). Empty where they
    /// have no names.
    names: Names,
    called: Vec<u32>,
}

impl Rankings {
    pub fn new(n_items: usize) -> Rankings {
        Rankings { n_items, ..Rankings::default() }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn n_items(&self) -> usize {
        self.n_items
    }

    /// Adds a ranking by annotator 0; see [`Rankings::push_by`].
    pub fn push(&mut self, best_first: &[u32], behind: &[u32]) -> Result<(), Error> {
        self.push_by(0, best_first, behind)
    }

    /// Adds a ranking: `best_first` in order, `behind` worse than all of these. The winner of a set is one ranked item
    /// with the others behind it. An item that does not exist or stands twice is an error, and nothing is added.
    pub fn push_by(&mut self, annotator: u32, best_first: &[u32], behind: &[u32]) -> Result<(), Error> {
        let mut all: Vec<u32> = best_first.iter().chain(behind).copied().collect();
        let number = self.ends.len() as u64 + 1;
        let mut bad = Vec::new();
        if let Some(i) = all.iter().find(|&&i| i as usize >= self.n_items) {
            bad.push(BadRow { line: number, what: format!("there is no item {i}, only {}", self.n_items) });
        }
        all.sort_unstable();
        if let Some([twice, _]) = all.windows(2).find(|w| w[0] == w[1]) {
            bad.push(BadRow { line: number, what: format!("item {twice} stands there twice") });
        }
        if !bad.is_empty() {
            return Err(Error::BadRows { file: "the rankings".into(), bad: 1, total: number, examples: bad });
        }
        self.items.extend_from_slice(best_first);
        let ranked = self.items.len() as u32;
        self.items.extend_from_slice(behind);
        self.ends.push((ranked, self.items.len() as u32));
        self.annotator.push(annotator);
        Ok(())
    }

    /// The same rankings with names, that of each by its number among them.
    #[must_use]
    pub fn named(mut self, names: Names, called: Vec<u32>) -> Rankings {
        (self.names, self.called) = (names, called);
        self
    }

    /// What ranking `r` is called: its name, or its number from 1.
    pub fn name(&self, r: usize) -> String {
        self.called.get(r).map_or_else(|| (r + 1).to_string(), |&n| self.names.name(n as usize).to_owned())
    }

    /// The ranked items of ranking `r`, best first, and those behind them.
    pub fn ranking(&self, r: usize) -> (&[u32], &[u32]) {
        let start = if r == 0 { 0 } else { self.ends[r - 1].1 };
        let (ranked, end) = self.ends[r];
        (&self.items[start as usize..ranked as usize], &self.items[ranked as usize..end as usize])
    }

    pub fn annotator(&self, r: usize) -> u32 {
        self.annotator[r]
    }

    /// Only the rankings for which `keep` is true; items keep their numbers.
    #[must_use]
    pub fn filter(&self, keep: impl Fn(usize) -> bool) -> Rankings {
        let mut out = Rankings { names: self.names.clone(), ..Rankings::new(self.n_items) };
        for r in (0..self.len()).filter(|&r| keep(r)) {
            let (ranked, behind) = self.ranking(r);
            out.push_by(self.annotator[r], ranked, behind).expect("it was a ranking before");
            out.called.extend(self.called.get(r));
        }
        out
    }

    /// The same rankings with other numbers, ordered by these: `items` and `annotators` hold the new number of every old one.
    #[must_use]
    pub(crate) fn renumbered(&self, items: &[u32], annotators: &[u32]) -> Rankings {
        let new = |v: &[u32]| v.iter().map(|&i| items[i as usize]).collect::<Vec<u32>>();
        let mut all: Vec<(u32, Vec<u32>, Vec<u32>, usize)> = (0..self.len())
            .map(|r| {
                let (ranked, behind) = self.ranking(r);
                let mut behind = new(behind);
                behind.sort_unstable(); // they have no order
                (annotators[self.annotator[r] as usize], new(ranked), behind, r)
            })
            .collect();
        all.sort_unstable_by(|a, b| {
            (a.0, &a.1, &a.2).cmp(&(b.0, &b.1, &b.2)).then_with(|| self.name(a.3).cmp(&self.name(b.3)))
        });
        let mut out = Rankings { names: self.names.clone(), ..Rankings::new(self.n_items) };
        for (who, ranked, behind, r) in all {
            out.push_by(who, &ranked, &behind).expect("it was a ranking before");
            out.called.extend(self.called.get(r));
        }
        out
    }

    /// (better, worse) of all comparisons that ranking `r` says.
    pub fn comparisons(&self, r: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (ranked, behind) = self.ranking(r);
        ranked.iter().enumerate().flat_map(move |(k, &a)| ranked[k + 1..].iter().chain(behind).map(move |&b| (a, b)))
    }

    /// A dataset of rankings: the table holds every comparison that a ranking says, so that whatever ranks items from
    /// comparisons works on rankings too. The sides of a pair are in the order of the names, which tells nothing of who
    /// was shown first.
    pub fn dataset(self, items: Names, annotators: Names) -> Result<Dataset, Error> {
        let mut b = TableBuilder::new(LabelKind::Preference);
        b.items = items;
        b.annotators = annotators;
        for r in 0..self.len() {
            for (better, worse) in self.comparisons(r) {
                let in_order = b.items.name(better as usize) <= b.items.name(worse as usize);
                let (left, right, said) =
                    if in_order { (better, worse, Preference::Left) } else { (worse, better, Preference::Right) };
                b.preference_codes(left, right, self.annotator[r], said);
            }
        }
        let mut data = Dataset::new(b.finish()?);
        data.structure = Structure::Rankings(self);
        Ok(data)
    }

    /// The ranking that each row of the table comes from.
    fn of_rows(&self, table: &Table) -> Vec<u32> {
        let Units::Pairs(pairs) = table.units() else { return Vec::new() };
        let unit: HashMap<[u32; 2], u32, foldhash::fast::FixedState> =
            pairs.iter().enumerate().map(|(u, &p)| (p, u as u32)).collect();
        let mut out = vec![0; table.n_labels()];
        // rows of one annotator on a pair are in the order of the rankings
        let mut used: HashMap<(u32, u32), usize, foldhash::fast::FixedState> = HashMap::default();
        for r in 0..self.len() {
            let who = self.annotator[r];
            for (a, b) in self.comparisons(r) {
                let Some(&u) = unit.get(&[a, b]).or_else(|| unit.get(&[b, a])) else { continue };
                let rows = table.rows(u as usize);
                let first = rows.start + table.annotator()[rows].partition_point(|&j| j < who);
                let n = used.entry((u, who)).or_insert(0);
                out[first + *n] = r as u32;
                *n += 1;
            }
        }
        out
    }

    /// Deals whole rankings to `folds` folds at random: the fold of every ranking, and that of every row. The rest of a
    /// ranking would give a hidden comparison of it away.
    pub(crate) fn folds(&self, table: &Table, folds: usize, seed: u64) -> (Vec<u8>, Vec<u8>) {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.shuffle(&mut stream(seed, "held-out rankings", 0));
        let mut fold = vec![0; self.len()];
        order.iter().enumerate().for_each(|(n, &r)| fold[r] = (n % folds) as u8);
        let rows = self.of_rows(table).into_iter().map(|r| fold[r as usize]).collect();
        (fold, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Names {
        list.iter().copied().collect()
    }

    fn data() -> Dataset {
        let mut r = Rankings::new(4);
        r.push_by(0, &[2, 0, 1], &[]).unwrap();
        r.push_by(1, &[3], &[0, 2]).unwrap();
        r.push_by(0, &[1, 2], &[]).unwrap();
        r.dataset(names(&["a", "b", "c", "d"]), names(&["ann", "bob"])).unwrap()
    }

    #[test]
    fn items_that_stand_twice_or_do_not_exist_are_refused() {
        let mut r = Rankings::new(3);
        let e = r.push(&[0, 7], &[0]).unwrap_err().to_string();
        assert!(e.contains("no item 7") && e.contains("item 0 stands there twice"), "{e}");
        assert!(r.is_empty());
    }

    #[test]
    fn a_ranking_says_all_its_comparisons() {
        let data = data();
        let (pairs, said) = data.table.preferences().unwrap();
        let mut all = Vec::new();
        for (u, [l, r]) in pairs.iter().enumerate() {
            for row in data.table.rows(u) {
                all.push((*l, *r, data.table.annotator()[row], said[row]));
            }
        }
        all.sort_by_key(|x| (x.0, x.1, x.2));
        use Preference::{Left, Right};
        let want = [
            (0, 1, 0, Left),
            (0, 2, 0, Right),
            (0, 3, 1, Right),
            (1, 2, 0, Right), // c before b in the first
            (1, 2, 0, Left),  // b before c in the third
            (2, 3, 1, Right),
        ];
        assert_eq!(all, want);
    }

    #[test]
    fn rows_know_their_ranking_and_whole_rankings_are_hidden() {
        let data = data();
        let Structure::Rankings(r) = &data.structure else { panic!() };
        let of = r.of_rows(&data.table);
        let (pairs, said) = data.table.preferences().unwrap();
        for (u, &[left, right]) in pairs.iter().enumerate() {
            for row in data.table.rows(u) {
                let (better, worse) = if said[row] == Preference::Left { (left, right) } else { (right, left) };
                let ranking = of[row] as usize;
                assert!(r.comparisons(ranking).any(|c| c == (better, worse)), "{u} {row}");
                assert_eq!(r.annotator(ranking), data.table.annotator()[row]);
            }
        }
        let (fold, rows) = r.folds(&data.table, 3, 1);
        assert!((0..rows.len()).all(|row| rows[row] == fold[of[row] as usize]));
        let left = r.filter(|x| fold[x] != 0);
        assert_eq!((left.len(), left.n_items()), (2, 4));
    }
}
