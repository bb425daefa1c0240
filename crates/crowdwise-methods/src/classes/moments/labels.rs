//! The labels as moments need them: one label per annotator and item, only items with two labels or more, and a bounded
//! number of pairs of labels.

use crowdwise_core::{Context, Dataset, Table};
use rand::RngExt;
use rand::seq::SliceRandom;

/// Pairs of labels on one item, summed over the items: above this many a random part of the labels is used. Time and
/// memory of all pairwise moments are proportional to it.
pub(super) const MOST_PAIRS: u64 = 20_000_000;
/// Entries of the confusion matrices that are factorised together; above this only the annotators with the most labels
/// take part.
pub(super) const MOST_ENTRIES: usize = 20_000_000;
/// At least this many labels of an item are kept before whole items are left out.
const FEWEST_KEPT: u64 = 10;
/// The place of known truth: an annotator who is always right.
const GOLD: u32 = u32::MAX;

/// Labels by item and by place. A place is an annotator that takes part, or the known truth.
#[derive(Debug)]
pub(crate) struct Labels {
    pub k: usize,
    /// The annotator of each place, in increasing order; the place of known truth, if there is one, comes last.
    who: Vec<u32>,
    /// Entries of unit u are `starts[u]..starts[u + 1]`, by place.
    starts: Vec<usize>,
    place: Vec<u32>,
    code: Vec<u16>,
    /// Entries of place p are `own[own_starts[p]..own_starts[p + 1]]`, with their units beside them.
    own_starts: Vec<usize>,
    own: Vec<(u32, u32)>,
    /// Annotators with labels who do not take part because there are too many.
    pub left_out: usize,
    /// Share of the pairs of labels that are used.
    pub used: f64,
}

impl Labels {
    pub fn new(data: &Dataset, cx: &Context<'_>) -> Labels {
        Labels::limited(data, cx, MOST_PAIRS, MOST_ENTRIES)
    }

    pub fn limited(data: &Dataset, cx: &Context<'_>, most_pairs: u64, most_entries: usize) -> Labels {
        let table = &data.table;
        let labels = table.categorical().expect("the kind was checked");
        let k = labels.k();
        let gold = data.gold_classes().filter(|g| g.iter().any(Option::is_some));
        let known = |u: usize| gold.as_ref().and_then(|g| g[u]).filter(|&c| (c as usize) < k);
        let (mut who, left_out) = places(table, k, most_entries);
        let mut place_of = vec![u32::MAX; table.n_annotators()];
        who.iter().enumerate().for_each(|(p, &j)| place_of[j as usize] = p as u32);
        if gold.is_some() {
            who.push(GOLD);
        }
        let gold_place = who.len() as u32 - 1;
        let kept = |u: usize| last_labels(table, u).filter(|&r| place_of[table.annotator()[r] as usize] != u32::MAX);
        let degree = |u: usize| (kept(u).count() + usize::from(known(u).is_some())) as u64;
        let thin = Thinning::new((0..table.n_units()).map(degree), most_pairs);

        let mut out = Labels {
            k,
            who,
            starts: vec![0],
            place: Vec::new(),
            code: Vec::new(),
            own_starts: Vec::new(),
            own: Vec::new(),
            left_out,
            used: thin.used,
        };
        let mut chance = cx.rng("moments: items", 0);
        let mut here: Vec<(u32, u16)> = Vec::new();
        for u in 0..table.n_units() {
            here.clear();
            here.extend(kept(u).map(|r| (place_of[table.annotator()[r] as usize], labels.codes.get(r) as u16)));
            let truth = known(u);
            let skip = thin.stride > 1 && chance.random_range(0..thin.stride) != 0;
            if !skip && here.len() + usize::from(truth.is_some()) >= 2 {
                let most = thin.cap.saturating_sub(usize::from(truth.is_some())).max(1);
                if here.len() > most {
                    let chosen = here.partial_shuffle(&mut cx.rng("moments: labels", u as u64), most).0.to_vec();
                    here.clear();
                    here.extend(chosen);
                    here.sort_unstable();
                }
                here.extend(truth.map(|c| (gold_place, c as u16)));
                out.place.extend(here.iter().map(|x| x.0));
                out.code.extend(here.iter().map(|x| x.1));
            }
            out.starts.push(out.place.len());
        }
        out.index();
        out
    }

    fn index(&mut self) {
        let mut starts = vec![0usize; self.who.len() + 1];
        self.place.iter().for_each(|&p| starts[p as usize + 1] += 1);
        (0..self.who.len()).for_each(|p| starts[p + 1] += starts[p]);
        let mut next = starts.clone();
        self.own = vec![(0, 0); self.place.len()];
        for u in 0..self.starts.len() - 1 {
            for e in self.starts[u]..self.starts[u + 1] {
                let at = &mut next[self.place[e] as usize];
                self.own[*at] = (e as u32, u as u32);
                *at += 1;
            }
        }
        self.own_starts = starts;
    }

    /// Number of places.
    pub fn places(&self) -> usize {
        self.who.len()
    }

    /// The annotator of a place; `None` for known truth.
    pub fn annotator(&self, place: usize) -> Option<usize> {
        Some(self.who[place]).filter(|&j| j != GOLD).map(|j| j as usize)
    }

    pub fn units(&self) -> usize {
        self.starts.len() - 1
    }

    /// The places and classes on a unit, by place.
    pub fn on(&self, u: usize) -> impl ExactSizeIterator<Item = (usize, usize)> + Clone + '_ {
        (self.starts[u]..self.starts[u + 1]).map(|e| (self.place[e] as usize, self.code[e] as usize))
    }

    /// The units and classes of a place, by unit.
    pub fn of(&self, place: usize) -> impl ExactSizeIterator<Item = (usize, usize)> + Clone + '_ {
        self.own[self.own_starts[place]..self.own_starts[place + 1]]
            .iter()
            .map(|&(e, u)| (u as usize, self.code[e as usize] as usize))
    }

    /// What the places after `place` say on its units: (other place, own class, other class).
    pub fn beside(&self, place: usize) -> impl Iterator<Item = (u32, usize, usize)> + '_ {
        self.own[self.own_starts[place]..self.own_starts[place + 1]].iter().flat_map(move |&(e, u)| {
            let (e, end) = (e as usize, self.starts[u as usize + 1]);
            (e + 1..end).map(move |o| (self.place[o], self.code[e] as usize, self.code[o] as usize))
        })
    }
}

/// The last label of each annotator on a unit: a repetition is not another opinion. Table rows are in annotator order.
fn last_labels(table: &Table, u: usize) -> impl Iterator<Item = usize> + '_ {
    let (rows, who) = (table.rows(u), table.annotator());
    let end = rows.end;
    rows.filter(move |&r| r + 1 == end || who[r + 1] != who[r])
}

/// Annotators with labels, the busiest ones if all together have too many entries; and how many are left out.
fn places(table: &Table, k: usize, most_entries: usize) -> (Vec<u32>, usize) {
    let n = table.labels_per_annotator();
    let mut who: Vec<u32> = (0..n.len() as u32).filter(|&j| n[j as usize] > 0).collect();
    let most = (most_entries / (k * k).max(1)).max(2);
    let left_out = who.len().saturating_sub(most);
    if left_out > 0 {
        who.sort_by_key(|&j| (std::cmp::Reverse(n[j as usize]), j));
        who.truncate(most);
        who.sort_unstable();
    }
    (who, left_out)
}

/// How many labels of an item, and which part of the items, are used.
struct Thinning {
    cap: usize,
    stride: u64,
    used: f64,
}

impl Thinning {
    fn new(degrees: impl Iterator<Item = u64>, most: u64) -> Thinning {
        let mut histogram: Vec<u64> = Vec::new();
        for d in degrees {
            let d = d as usize;
            if d >= histogram.len() {
                histogram.resize(d + 1, 0);
            }
            histogram[d] += 1;
        }
        let pairs = |cap: u64| -> u64 {
            let of = |d: u64| d * d.saturating_sub(1) / 2;
            histogram.iter().enumerate().map(|(d, &n)| n.saturating_mul(of((d as u64).min(cap)))).sum()
        };
        let largest = histogram.len() as u64;
        let all = pairs(largest);
        if all <= most {
            return Thinning { cap: usize::MAX, stride: 1, used: 1.0 };
        }
        // the largest cap that is within the limit
        let (mut low, mut high) = (FEWEST_KEPT, largest.max(FEWEST_KEPT + 1));
        while low + 1 < high {
            let mid = u64::midpoint(low, high);
            if pairs(mid) <= most { low = mid } else { high = mid }
        }
        let capped = pairs(low);
        let stride = capped.div_ceil(most.max(1)).max(1);
        Thinning { cap: low as usize, stride, used: capped as f64 / stride as f64 / all as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{Gold, LabelKind, TableBuilder};

    fn data(rows: &[(&str, &str, &str)]) -> Dataset {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        rows.iter().for_each(|(i, a, l)| b.label(i, a, l).unwrap());
        Dataset::new(b.finish().unwrap())
    }

    #[test]
    fn repeats_single_labels_and_known_truth() {
        let d = data(&[
            ("x", "a", "0"),
            ("x", "a", "1"),
            ("x", "b", "0"),
            ("y", "a", "1"),
            ("z", "b", "0"),
            ("z", "c", "1"),
        ]);
        let gold = Gold::from_items(&d.table, &[("y".into(), "0".into())], "gold").unwrap();
        let l = Labels::new(&d.with_gold(gold), &Context::default());
        assert_eq!((l.places(), l.annotator(2), l.annotator(3)), (4, Some(2), None));
        let on = |u| l.on(u).collect::<Vec<_>>();
        assert_eq!((on(0), on(1), on(2)), (vec![(0, 1), (1, 0)], vec![(0, 1), (3, 0)], vec![(1, 0), (2, 1)]));
        assert_eq!(l.of(0).collect::<Vec<_>>(), [(0, 1), (1, 1)]);
        assert_eq!(l.beside(0).collect::<Vec<_>>(), [(1, 1, 0), (3, 1, 0)]);
    }

    #[test]
    fn limits_are_kept() {
        // 40 items with 30 labels each: 17,400 pairs
        let mut rows = Vec::new();
        let names: Vec<String> = (0..40).map(|x| format!("n{x}")).collect();
        for i in &names {
            names[..30].iter().enumerate().for_each(|(j, a)| rows.push((i.as_str(), a.as_str(), ["0", "1"][j % 2])));
        }
        let d = data(&rows);
        for most in [10_000u64, 3_000, 500] {
            let l = Labels::limited(&d, &Context::default(), most, 1 << 20);
            let pairs: u64 = (0..l.units()).map(|u| (l.on(u).len() * l.on(u).len().saturating_sub(1) / 2) as u64).sum();
            // whole items are drawn, so their number varies
            assert!(pairs <= most * 2 && pairs * 4 >= most, "{pairs} of {most}");
            assert!((0..l.units()).all(|u| l.on(u).collect::<Vec<_>>().is_sorted()));
        }
        let l = Labels::limited(&d, &Context::default(), 1 << 40, 40);
        assert_eq!((l.places(), l.left_out), (10, 20));
    }
}
