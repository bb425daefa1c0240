//! Second moments: how often two annotators said each pair of classes on the items that both labelled. Only pairs with
//! common items exist, and of these only the cells that occur.

use super::labels::Labels;
use crowdwise_core::{Context, Error};
use crowdwise_numerics::rank;
use rayon::prelude::*;

/// Two places with common items, `a < b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub a: u32,
    pub b: u32,
    /// Common items.
    pub n: u32,
    first: u32,
}

/// `a` said class `code / K` and `b` said `code % K` on `count` common items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub code: u32,
    pub count: u32,
}

#[derive(Debug)]
pub(crate) struct Pairs {
    pub k: usize,
    pub all: Vec<Pair>,
    cells: Vec<Cell>,
    /// Neighbours of place p: `near[near_starts[p]..near_starts[p + 1]]`, (other place, pair), by other place.
    near_starts: Vec<usize>,
    near: Vec<(u32, u32)>,
}

/// Places per piece of parallel work.
const CHUNK: usize = 64;

impl Pairs {
    pub fn of(labels: &Labels, cx: &mut Context<'_>) -> Result<Pairs, Error> {
        let (k, places) = (labels.k, labels.places());
        let pieces: Vec<(Vec<Pair>, Vec<Cell>)> = cx.install(|| {
            (0..places.div_ceil(CHUNK))
                .into_par_iter()
                .map(|c| piece(labels, c * CHUNK..((c + 1) * CHUNK).min(places)))
                .collect()
        })?;
        let (mut all, mut cells) = (Vec::new(), Vec::new());
        for (pairs, own) in pieces {
            let shift = cells.len() as u32;
            all.extend(pairs.into_iter().map(|p| Pair { first: p.first + shift, ..p }));
            cells.extend(own);
        }
        let mut near_starts = vec![0usize; places + 1];
        for p in &all {
            near_starts[p.a as usize + 1] += 1;
            near_starts[p.b as usize + 1] += 1;
        }
        (0..places).for_each(|p| near_starts[p + 1] += near_starts[p]);
        let mut next = near_starts.clone();
        let mut near = vec![(0, 0); 2 * all.len()];
        // pairs are sorted by (a, b): smaller neighbours of every place come first, and in order
        for (x, p) in all.iter().enumerate() {
            near[next[p.b as usize]] = (p.a, x as u32);
            next[p.b as usize] += 1;
        }
        for (x, p) in all.iter().enumerate() {
            near[next[p.a as usize]] = (p.b, x as u32);
            next[p.a as usize] += 1;
        }
        Ok(Pairs { k, all, cells, near_starts, near })
    }

    /// The cells of pair `x` that occur.
    pub fn cells(&self, x: usize) -> &[Cell] {
        let end = self.all.get(x + 1).map_or(self.cells.len(), |p| p.first as usize);
        &self.cells[self.all[x].first as usize..end]
    }

    /// Whether all places that share items at all hang together.
    pub fn connected(&self) -> bool {
        let places = self.near_starts.len() - 1;
        let lonely = |p: &usize| self.near(*p).is_empty();
        let mut seen: Vec<bool> = (0..places).map(|p| lonely(&p)).collect();
        let mut next: Vec<usize> = (0..places).find(|p| !lonely(p)).into_iter().collect();
        while let Some(p) = next.pop() {
            if !std::mem::replace(&mut seen[p], true) {
                next.extend(self.near(p).iter().map(|n| n.0 as usize));
            }
        }
        seen.iter().all(|s| *s)
    }

    /// Who shares items with a place: (other place, pair), by other place.
    pub fn near(&self, place: usize) -> &[(u32, u32)] {
        &self.near[self.near_starts[place]..self.near_starts[place + 1]]
    }

    /// The cells of pair `x` as `place` sees them: (own class, other's class, share of the common items).
    pub fn seen_by(&self, place: usize, x: usize) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let p = self.all[x];
        // 32 bits: divisions of longer numbers take several times as long
        let (first, k, scale) = (p.a as usize == place, self.k as u32, 1.0 / p.n as f64);
        self.cells(x).iter().map(move |c| {
            let (a, b) = ((c.code / k) as usize, (c.code % k) as usize);
            let share = c.count as f64 * scale;
            if first { (a, b, share) } else { (b, a, share) }
        })
    }

    /// S of pair `x` as `place` sees it, dense: row = own class, column = other's class; sums to 1.
    pub fn block(&self, place: usize, x: usize, out: &mut [f64]) {
        out.fill(0.0);
        self.seen_by(place, x).for_each(|(own, other, share)| out[own * self.k + other] = share);
    }

    /// Places one after the other in an order that depends on what they share and say only: not on names, nor on the
    /// order of rows or classes. Those who share most come first; only places that cannot be told apart by their counts,
    /// those of their neighbours and those of these in turn are taken as they stand.
    pub fn order(&self) -> Vec<usize> {
        let places = self.near_starts.len() - 1;
        let shared: Vec<u64> =
            (0..places).map(|p| self.near(p).iter().map(|n| self.all[n.1 as usize].n as u64).sum()).collect();
        // a pair's common items, agreements and squared counts: the same for any names of the classes
        let of_pair = |x: usize| {
            let same = |c: &Cell| u64::from(c.code as usize / self.k == c.code as usize % self.k);
            let add = |(agreed, squares): (u64, u64), c: &Cell| {
                (agreed + same(c) * c.count as u64, squares.wrapping_add((c.count as u64).wrapping_mul(c.count as u64)))
            };
            let (agreed, squares) = self.cells(x).iter().fold((0, 0), add);
            mixed(mixed(mixed(self.all[x].n as u64) ^ agreed) ^ squares)
        };
        let pair: Vec<u64> = (0..self.all.len()).map(of_pair).collect();
        let mut sign: Vec<u64> = shared.iter().map(|&n| mixed(n)).collect();
        for _ in 0..3 {
            // a sum does not depend on the order of the neighbours
            let next = |p: usize| {
                let one = |n: &(u32, u32)| mixed(sign[n.0 as usize] ^ pair[n.1 as usize].rotate_left(17));
                mixed(sign[p] ^ self.near(p).iter().map(one).fold(0, u64::wrapping_add))
            };
            sign = (0..places).map(next).collect();
        }
        let mut order: Vec<usize> = (0..places).collect();
        order.sort_by_key(|&p| (std::cmp::Reverse(shared[p]), sign[p], p));
        order
    }

    /// Numerical rank of pair `x`, or 0 if it is surely below `wanted`.
    pub fn rank(&self, x: usize, wanted: usize, scratch: &mut Vec<f64>) -> usize {
        let k = self.k;
        if (self.all[x].n as usize) < wanted || self.cells(x).len() < wanted {
            return 0;
        }
        scratch.clear();
        scratch.resize(k * k, 0.0);
        self.cells(x).iter().for_each(|c| scratch[c.code as usize] = c.count as f64);
        rank(scratch, k)
    }
}

/// A number that looks random, the same for the same input (the last step of SplitMix64).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn piece(labels: &Labels, places: std::ops::Range<usize>) -> (Vec<Pair>, Vec<Cell>) {
    let k = labels.k;
    let (mut pairs, mut cells): (Vec<Pair>, Vec<Cell>) = (Vec::new(), Vec::new());
    let mut said: Vec<u64> = Vec::new();
    for a in places {
        said.clear();
        said.extend(labels.beside(a).map(|(b, own, other)| (b as u64) << 32 | (own * k + other) as u64));
        said.sort_unstable();
        for same in said.chunk_by(|x, y| x >> 32 == y >> 32) {
            let first = cells.len() as u32;
            pairs.push(Pair { a: a as u32, b: (same[0] >> 32) as u32, n: same.len() as u32, first });
            for cell in same.chunk_by(|x, y| x == y) {
                cells.push(Cell { code: cell[0] as u32, count: cell.len() as u32 });
            }
        }
    }
    (pairs, cells)
}
