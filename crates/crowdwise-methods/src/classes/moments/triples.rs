//! Third moments: how often three annotators said each triple of classes on the items that all three labelled.

use super::labels::Labels;
use crowdwise_core::{Context, Error};
use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Three places `a < b < c` with common items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Triple {
    pub places: [u32; 3],
    /// Common items.
    pub n: u32,
    /// (classes that the three said, share of the common items), only what occurs.
    pub cells: Vec<([u16; 3], f64)>,
}

/// With at most this many places all triples are looked at.
const ALL_UP_TO: usize = 20;
/// Draws per triple that is wanted.
const DRAWS: usize = 20;

/// Third moments of all triples of up to 20 places; of more, at most `most` triples, drawn in proportion to their common
/// items, those with at least `min_common` of them first.
pub(crate) fn triples(
    labels: &Labels,
    most: usize,
    min_common: usize,
    cx: &mut Context<'_>,
) -> Result<Vec<Triple>, Error> {
    let places = labels.places();
    let wanted: Vec<[u32; 3]> = if places <= ALL_UP_TO {
        let mut all = Vec::new();
        for a in 0..places as u32 {
            for b in a + 1..places as u32 {
                all.extend((b + 1..places as u32).map(|c| [a, b, c]));
            }
        }
        all
    } else {
        drawn(labels, most, min_common, cx)
    };
    cx.install(|| wanted.into_par_iter().filter_map(|t| moment(labels, t)).collect())
}

fn drawn(labels: &Labels, most: usize, min_common: usize, cx: &Context<'_>) -> Vec<[u32; 3]> {
    let choices = |u: usize| {
        let d = labels.on(u).len() as f64;
        if d < 3.0 { 0.0 } else { d * (d - 1.0) * (d - 2.0) / 6.0 }
    };
    let Ok(items) = WeightedIndex::new((0..labels.units()).map(choices)) else { return Vec::new() };
    let mut rng = cx.rng("moments: triples", 0);
    let mut seen: BTreeMap<[u32; 3], usize> = BTreeMap::new();
    let mut enough = Vec::new();
    for _ in 0..most.saturating_mul(DRAWS) {
        if enough.len() >= most {
            break;
        }
        let here: Vec<u32> = labels.on(items.sample(&mut rng)).map(|x| x.0 as u32).collect();
        let mut t = [0; 3];
        // three different ones, by drawing without replacement
        let (x, y, z) =
            (rng.random_range(0..here.len()), rng.random_range(0..here.len() - 1), rng.random_range(0..here.len() - 2));
        let y = if y >= x { y + 1 } else { y };
        let (low, high) = (x.min(y), x.max(y));
        let z = if z >= low { z + 1 } else { z };
        let z = if z >= high { z + 1 } else { z };
        (t[0], t[1], t[2]) = (here[x], here[y], here[z]);
        t.sort_unstable();
        if seen.contains_key(&t) {
            continue;
        }
        let n = common(labels, t, min_common, |_| {});
        seen.insert(t, n);
        if n >= min_common {
            enough.push(t);
        }
    }
    if enough.len() < most {
        let mut rest: Vec<([u32; 3], usize)> = seen.into_iter().filter(|x| x.1 < min_common).collect();
        rest.sort_by_key(|x| (std::cmp::Reverse(x.1), x.0));
        enough.extend(rest.into_iter().take(most - enough.len()).map(|x| x.0));
    }
    enough.sort_unstable();
    enough
}

/// Visits what three places said on their common items, `most` of them at most; returns how many.
fn common(labels: &Labels, t: [u32; 3], most: usize, mut each: impl FnMut([u16; 3])) -> usize {
    let [mut a, mut b, mut c] = t.map(|p| labels.of(p as usize).peekable());
    let mut n = 0;
    while let (Some(&(x, l)), Some(&(y, m)), Some(&(z, o))) = (a.peek(), b.peek(), c.peek()) {
        let last = x.max(y).max(z);
        if x == last && y == last && z == last {
            each([l as u16, m as u16, o as u16]);
            n += 1;
            if n == most {
                break;
            }
        }
        for it in [(&mut a, x), (&mut b, y), (&mut c, z)] {
            if it.1 < last || (x == last && y == last && z == last) {
                it.0.next();
            }
        }
    }
    n
}

fn moment(labels: &Labels, t: [u32; 3]) -> Option<Triple> {
    let mut said: Vec<[u16; 3]> = Vec::new();
    let n = common(labels, t, usize::MAX, |x| said.push(x));
    if n == 0 {
        return None;
    }
    said.sort_unstable();
    let cells = said.chunk_by(|x, y| x == y).map(|c| (c[0], c.len() as f64 / n as f64)).collect();
    Some(Triple { places: t, n: n as u32, cells })
}
