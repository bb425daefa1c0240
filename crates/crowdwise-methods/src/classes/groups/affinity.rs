//! How far pairs of annotators depend on each other: the covariance of what they say of the items that both labelled.
//! Only pairs with common items are kept, among a limited number of annotators.

use crowdwise_core::{Categorical, Table};
use std::collections::BTreeMap;

/// Annotators at most: pairs grow with the square.
pub(super) const MOST: usize = 1000;
/// Pairs of labels that may be looked at.
const WORK: u64 = 100_000_000;
pub(super) const NONE: u32 = u32::MAX;

/// One annotator seen from another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Place of the other.
    pub to: u32,
    /// Squared covariance, less what chance gives, over the annotators' own.
    pub weight: f64,
    /// Correlation of saying the same.
    pub correlation: f64,
}

/// The annotators that are looked at, and who depends on whom.
#[derive(Debug)]
pub(super) struct Affinity {
    /// Annotator of each place, in increasing order.
    pub who: Vec<u32>,
    pub edges: Vec<Vec<Edge>>,
}

/// The rows of a unit that count: the last label of each annotator.
pub(super) fn last_rows(table: &Table, u: usize) -> impl Iterator<Item = usize> + '_ {
    let (rows, who) = (table.rows(u), table.annotator());
    let end = rows.end;
    rows.filter(move |&r| r + 1 == end || who[r + 1] != who[r])
}

/// The busiest annotators, as many as `most` and the work allow, and the place of every annotator among them.
pub(super) fn busiest(table: &Table, least: u64, most: usize) -> (Vec<u32>, Vec<u32>) {
    let n = table.labels_per_annotator();
    let mut who: Vec<u32> = (0..n.len() as u32).filter(|&j| n[j as usize] >= least.max(1)).collect();
    who.sort_by_key(|&j| (std::cmp::Reverse(n[j as usize]), j));
    who.truncate(most);
    let mut place = vec![NONE; n.len()];
    loop {
        place.fill(NONE);
        who.iter().for_each(|&j| place[j as usize] = 0);
        let work: u64 = (0..table.n_units())
            .map(|u| {
                let d = table.annotator()[table.rows(u)].iter().filter(|&&j| place[j as usize] != NONE).count() as u64;
                d * d / 2
            })
            .sum();
        if work <= WORK || who.len() <= 3 {
            break;
        }
        who.truncate((who.len() / 2).max(3));
    }
    who.sort_unstable();
    who.iter().enumerate().for_each(|(p, &j)| place[j as usize] = p as u32);
    (who, place)
}

/// How often each place says each class, as a sparse row, and moments of it.
pub(super) struct Habit {
    pub share: BTreeMap<u32, f64>,
    /// Sum of squared shares.
    pub square: f64,
    /// 1 - Σ μ²: variance of saying the same as a stranger.
    pub variance: f64,
    /// Frobenius norm of the covariance of the annotator with itself.
    pub own: f64,
}

pub(super) fn habits(labels: &Categorical<'_>, who: &[u32], place: &[u32]) -> Vec<Habit> {
    let table = labels.table;
    let mut counts: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); who.len()];
    for u in 0..table.n_units() {
        for r in last_rows(table, u) {
            let p = place[table.annotator()[r] as usize];
            if p != NONE {
                *counts[p as usize].entry(labels.codes.get(r) as u32).or_default() += 1.0;
            }
        }
    }
    counts
        .into_iter()
        .map(|mut share| {
            let n: f64 = share.values().sum();
            share.values_mut().for_each(|x| *x /= n.max(1.0));
            let square: f64 = share.values().map(|x| x * x).sum();
            let cube: f64 = share.values().map(|x| x * x * x).sum();
            let own = (square - 2.0 * cube + square * square).max(0.0).sqrt();
            Habit { share, square, variance: (1.0 - square).max(0.0), own }
        })
        .collect()
}

impl Affinity {
    pub fn new(labels: &Categorical<'_>, min_common: usize) -> Affinity {
        let table = labels.table;
        let (who, place) = busiest(table, min_common as u64, MOST);
        let habits = habits(labels, &who, &place);
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); who.len()];
        let index = table.by_annotator();
        let k = labels.k();
        let mut joint: Vec<(u32, u32, u32)> = Vec::new();
        let mut cells: Vec<Cell> = Vec::new();
        let mut table_of_counts: Vec<u32> = Vec::new();
        for (a, &j) in who.iter().enumerate() {
            // (other, own class, other's class) on every common item, others of higher place only
            let units = index.units(j as usize);
            let each = |f: &mut dyn FnMut(u32, u32, u32)| {
                for (x, (&r, &u)) in index.rows(j as usize).iter().zip(units).enumerate() {
                    if units.get(x + 1) == Some(&u) {
                        continue; // a later label of the same item follows
                    }
                    let own = labels.codes.get(r as usize) as u32;
                    for s in last_rows(table, u as usize) {
                        let b = place[table.annotator()[s] as usize];
                        if b != NONE && b as usize > a {
                            f(b, own, labels.codes.get(s) as u32);
                        }
                    }
                }
            };
            let mut connect = |b: usize, cells: &[Cell]| {
                if cells.iter().map(|c| c.2 as usize).sum::<usize>() >= min_common.max(1) {
                    let e = edge(cells, &habits[a], &habits[b]);
                    edges[a].push(Edge { to: b as u32, ..e });
                    edges[b].push(Edge { to: a as u32, ..e });
                }
            };
            let pairs: usize = units.iter().map(|&u| table.degree(u as usize)).sum();
            if who.len() * k * k <= pairs {
                // many common items: a table of counts is smaller than a list of them
                table_of_counts.clear();
                table_of_counts.resize(who.len() * k * k, 0);
                each(&mut |b, own, other| table_of_counts[(b as usize * k + own as usize) * k + other as usize] += 1);
                for (b, counts) in table_of_counts.chunks_exact(k * k).enumerate() {
                    cells.clear();
                    let said = counts.iter().enumerate().filter(|x| *x.1 > 0);
                    cells.extend(said.map(|(x, &n)| ((x / k) as u32, (x % k) as u32, n)));
                    connect(b, &cells);
                }
            } else {
                joint.clear();
                each(&mut |b, own, other| joint.push((b, own, other)));
                joint.sort_unstable();
                for same in joint.chunk_by(|x, y| x.0 == y.0) {
                    cells.clear();
                    cells.extend(same.chunk_by(|x, y| x == y).map(|c| (c[0].1, c[0].2, c.len() as u32)));
                    connect(same[0].0 as usize, &cells);
                }
            }
        }
        Affinity { who, edges }
    }

    /// Connected parts by edges with weight, each in increasing order of places.
    pub fn parts(&self) -> Vec<Vec<u32>> {
        let mut part = vec![NONE; self.who.len()];
        let mut out = Vec::new();
        for start in 0..self.who.len() {
            if part[start] != NONE {
                continue;
            }
            let id = out.len() as u32;
            let (mut own, mut next) = (vec![start as u32], 0);
            part[start] = id;
            while next < own.len() {
                for e in &self.edges[own[next] as usize] {
                    if e.weight > 0.0 && part[e.to as usize] == NONE {
                        part[e.to as usize] = id;
                        own.push(e.to);
                    }
                }
                next += 1;
            }
            own.sort_unstable();
            out.push(own);
        }
        out
    }
}

/// Class of one, class of the other, on how many common items.
type Cell = (u32, u32, u32);

/// From the counts of one pair, in the order of the classes.
fn edge(cells: &[Cell], a: &Habit, b: &Habit) -> Edge {
    let n = cells.iter().map(|c| f64::from(c.2)).sum::<f64>();
    let share = |h: &Habit, c: u32| h.share.get(&c).copied().unwrap_or(0.0);
    let (mut squares, mut cross, mut equal) = (0.0, 0.0, 0.0);
    for &(own, other, count) in cells {
        let p = f64::from(count) / n;
        squares += p * p;
        cross += p * share(a, own) * share(b, other);
        if own == other {
            equal += p;
        }
    }
    let chance: f64 = a.share.iter().map(|(c, x)| x * share(b, *c)).sum();
    let norm = squares - 2.0 * cross + a.square * b.square;
    // independent annotators reach this much by chance
    let noise = a.variance * b.variance / n;
    let (own, variance) = (a.own * b.own, (a.variance * b.variance).sqrt());
    let over = |x: f64, y: f64| if y > 1e-12 { x / y } else { 0.0 };
    Edge {
        to: 0,
        weight: over((norm - noise).max(0.0), own),
        correlation: over(equal - chance, variance).clamp(-1.0, 1.0),
    }
}
