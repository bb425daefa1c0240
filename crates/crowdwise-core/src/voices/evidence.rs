//! How often every two annotators agree, in parts of the items, so that what is computed from it has a standard error.

use crate::questions::last_labels;
use crate::{Table, Units};
use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// Parts of the items.
pub(super) const PARTS: usize = 20;
/// Items that two annotators must have in common to be compared.
pub(super) const LEAST: u32 = 20;
/// Annotators with that many labels at most: a fit of a large crowd must not wait, and there three of them decide nothing.
const MOST: usize = 300;
/// Pairs of labels that are looked at: beyond, a part of the items is.
const WORK: u64 = 2_000_000;
const NONE: u32 = u32::MAX;

/// Agreement of pairs of annotators, by their places.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Evidence {
    /// The annotator of each place, in increasing order.
    pub who: Vec<u32>,
    /// Common items and equal labels of places a < b in every part.
    common: Vec<[u32; PARTS]>,
    equal: Vec<[u32; PARTS]>,
    /// Their sums, and the agreement of strangers with the same habits.
    all: Vec<(u32, u32, f64)>,
    /// Somebody labelled an item more than once, so that the order of the rows says which label counts.
    repeats: bool,
}

/// Which items are looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen {
    All,
    But(usize),
    Only(usize),
    /// Those of the even or of the odd parts.
    Half(usize),
}

impl Evidence {
    /// `None` where there is nothing to compare or too much.
    pub fn of(table: &Table) -> Option<Evidence> {
        let labels = table.categorical().filter(|_| *table.units() == Units::Items)?;
        let k = labels.k();
        let n = table.labels_per_annotator();
        let who: Vec<u32> = (0..n.len() as u32).filter(|&j| n[j as usize] >= u64::from(LEAST)).collect();
        // two copies and three witnesses
        if k < 2 || who.len() < 5 || who.len() > MOST {
            return None;
        }
        let mut place = vec![NONE; n.len()];
        who.iter().enumerate().for_each(|(p, &j)| place[j as usize] = p as u32);
        let work: u64 = table.offsets().windows(2).map(|w| u64::from(w[1] - w[0])).map(|d| d * d / 2).sum();
        let step = work.div_ceil(WORK).max(1);
        // by name: the order of the rows must not matter
        let hasher = FixedState::with_seed(11);
        let m = who.len();
        let pairs = m * (m - 1) / 2;
        let (mut common, mut equal) = (vec![[0u32; PARTS]; pairs], vec![[0u32; PARTS]; pairs]);
        let mut said = vec![0.0; m * k];
        let mut here: Vec<(u32, u32)> = Vec::new();
        let mut repeats = false;
        for u in (0..table.n_units()).filter(|&u| table.degree(u) > 0) {
            let draw = hasher.hash_one(table.items().name(u));
            if !(draw / PARTS as u64).is_multiple_of(step) {
                continue;
            }
            let part = (draw % PARTS as u64) as usize;
            here.clear();
            let rows =
                last_labels(table, u).map(|r| (place[table.annotator()[r] as usize], labels.codes.get(r) as u32));
            repeats |= rows.clone().count() < table.degree(u);
            here.extend(rows.filter(|r| r.0 != NONE));
            for (b, &(pb, lb)) in here.iter().enumerate() {
                said[pb as usize * k + lb as usize] += 1.0;
                for &(pa, la) in &here[..b] {
                    let s = at(pa as usize, pb as usize);
                    common[s][part] += 1;
                    equal[s][part] += u32::from(la == lb);
                }
            }
        }
        for own in said.chunks_exact_mut(k) {
            let sum: f64 = own.iter().sum();
            own.iter_mut().for_each(|x| *x /= sum.max(1.0));
        }
        let mut all = Vec::with_capacity(pairs);
        for b in 1..m {
            for a in 0..b {
                let s = at(a, b);
                let chance = (0..k).map(|c| said[a * k + c] * said[b * k + c]).sum();
                all.push((common[s].iter().sum(), equal[s].iter().sum(), chance));
            }
        }
        Some(Evidence { who, common, equal, all, repeats })
    }

    /// The same with other numbers: `old` is the old number of every new annotator. `None` where the rows in their new order may
    /// give other counts.
    pub fn renumbered(&self, old: &[u32]) -> Option<Evidence> {
        if self.repeats {
            return None;
        }
        // the place of every old annotator, and those of the new ones in their order
        let mut place = vec![NONE; old.len()];
        self.who.iter().enumerate().for_each(|(p, &j)| place[j as usize] = p as u32);
        let who: Vec<u32> = (0..old.len() as u32).filter(|&j| place[old[j as usize] as usize] != NONE).collect();
        let from: Vec<usize> = who.iter().map(|&j| place[old[j as usize] as usize] as usize).collect();
        let pairs = (1..from.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let order: Vec<usize> = pairs.map(|(a, b)| at(from[a].min(from[b]), from[a].max(from[b]))).collect();
        Some(Evidence {
            who,
            common: order.iter().map(|&s| self.common[s]).collect(),
            equal: order.iter().map(|&s| self.equal[s]).collect(),
            all: order.iter().map(|&s| self.all[s]).collect(),
            repeats: false,
        })
    }

    pub fn len(&self) -> usize {
        self.who.len()
    }

    /// Common items, and how many labels on them differ; the agreement of strangers.
    pub fn pair(&self, a: usize, b: usize) -> (f64, f64, f64) {
        let (n, equal, chance) = self.all[at(a.min(b), a.max(b))];
        (f64::from(n), f64::from(n - equal), chance)
    }

    /// Whether the two have enough items in common.
    pub fn known(&self, a: usize, b: usize) -> bool {
        a != b && self.all[at(a.min(b), a.max(b))].0 >= LEAST
    }

    /// Pairs that can be compared.
    pub fn pairs(&self) -> usize {
        self.all.iter().filter(|x| x.0 >= LEAST).count()
    }

    /// Cohen's κ with the habits of all items; `None` without common items, or where both only ever use one class.
    pub fn kappa(&self, a: usize, b: usize, seen: Seen) -> Option<f64> {
        let s = at(a.min(b), a.max(b));
        let (n, equal, chance) = self.all[s];
        let half = |x: &[u32; PARTS], h: usize| x.iter().skip(h).step_by(2).sum::<u32>();
        let (n, equal) = match seen {
            Seen::All => (n, equal),
            Seen::But(part) => (n - self.common[s][part], equal - self.equal[s][part]),
            Seen::Only(part) => (self.common[s][part], self.equal[s][part]),
            Seen::Half(h) => (half(&self.common[s], h), half(&self.equal[s], h)),
        };
        (n > 0 && chance < 1.0 - 1e-9).then(|| (f64::from(equal) / f64::from(n) - chance) / (1.0 - chance))
    }
}

/// Where the pair of places a < b stands.
fn at(a: usize, b: usize) -> usize {
    b * (b - 1) / 2 + a
}
