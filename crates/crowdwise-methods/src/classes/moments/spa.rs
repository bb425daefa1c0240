//! Confusion matrices by successive projection: an annotator's co-occurrences with somebody who is always right about
//! class t are, column by column, its own confusions, and every other column is a mixture of such columns. The corners
//! of what is seen are therefore the confusion matrix (Ibrahim and others, 2019).

use super::align::{clip, own_order, reorder, trace_order};
use super::labels::Labels;
use super::pairs::Pairs;
use crowdwise_core::{Context, Error};
use crowdwise_numerics::rank;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the columns of a matrix that was found corner by corner are given to classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    /// As the annotator's labels go with the votes: annotators who exchange classes are seen as such.
    Votes,
    /// As if every annotator were right most of the time (published).
    Trace,
}

/// Entries are at least this.
pub(super) const FLOOR: f64 = 1e-6;
/// Residuals this near to the largest, relatively, count as equal.
const TIED: f64 = 1e-6;
/// Below this part of the largest column nothing is left to pick.
const NOTHING: f64 = 1e-9;

pub(crate) struct Spa {
    /// More than this many annotators must share enough items with one whose matrix is estimated.
    pub min_blocks: usize,
    /// Items that two annotators must share.
    pub min_common: usize,
    /// Columns averaged for each corner.
    pub nearest: usize,
    pub align: Align,
}

impl Default for Spa {
    fn default() -> Self {
        Spa { min_blocks: 1, min_common: 1, nearest: 1, align: Align::Votes }
    }
}

/// Tables of places (places x label x truth), and whose are estimated rather than taken from the votes.
pub(crate) struct Found {
    pub tables: Vec<f64>,
    pub good: Vec<bool>,
}

impl Spa {
    /// Matrices of all places: corners where there are enough overlaps, else those of `votes` (places x K x K).
    pub fn find(&self, labels: &Labels, pairs: &Pairs, votes: &[f64], cx: &mut Context<'_>) -> Result<Found, Error> {
        let (k, places) = (labels.k, labels.places());
        let full = self.full_rank(pairs, cx)?;
        let own: Vec<Option<Vec<f64>>> = cx.install(|| {
            let one = |p| self.corners(pairs, &full, p, &votes[p * k * k..(p + 1) * k * k]);
            (0..places).into_par_iter().map(one).collect()
        })?;
        let mut tables = votes.to_vec();
        for (table, found) in tables.chunks_exact_mut(k * k).zip(&own) {
            if let Some(f) = found {
                table.copy_from_slice(f);
            }
        }
        clip(&mut tables, FLOOR, k);
        Ok(Found { tables, good: own.iter().map(Option::is_some).collect() })
    }

    /// Which pairs tell all classes apart.
    fn full_rank(&self, pairs: &Pairs, cx: &mut Context<'_>) -> Result<Vec<bool>, Error> {
        let k = pairs.k;
        let wanted = |x: usize, scratch: &mut Vec<f64>| {
            pairs.all[x].n as usize >= self.min_common && pairs.rank(x, k, scratch) == k
        };
        cx.install(|| {
            (0..pairs.all.len()).into_par_iter().map_init(Vec::new, |scratch, x| wanted(x, scratch)).collect()
        })
    }

    fn corners(&self, pairs: &Pairs, full: &[bool], place: usize, votes: &[f64]) -> Option<Vec<f64>> {
        let k = pairs.k;
        let usable: Vec<usize> = pairs.near(place).iter().map(|n| n.1 as usize).filter(|&x| full[x]).collect();
        if usable.len() <= self.min_blocks {
            return None;
        }
        let columns = Columns::of(pairs, place, &usable);
        let picked = columns.picks(k);
        if picked.len() < k {
            return None;
        }
        let mut table = vec![0.0; k * k];
        for (t, &c) in picked.iter().enumerate() {
            let corner = columns.around(c, self.nearest);
            (0..k).for_each(|l| table[l * k + t] = corner[l]);
        }
        if rank(&mut table.clone(), k) < k {
            return None;
        }
        let order = match self.align {
            Align::Votes => own_order(&table, votes, k),
            Align::Trace => trace_order(&table, k),
        };
        reorder(&mut table, &order, k);
        Some(table)
    }
}

/// Distributions of an annotator's labels given what another one said, one after the other.
pub(super) struct Columns {
    k: usize,
    values: Vec<f64>,
    /// Labels that each rests on.
    count: Vec<f64>,
}

impl Columns {
    fn of(pairs: &Pairs, place: usize, usable: &[usize]) -> Columns {
        let k = pairs.k;
        let mut out = Columns { k, values: Vec::new(), count: Vec::new() };
        let mut block = vec![0.0; k * k];
        for &x in usable {
            pairs.block(place, x, &mut block);
            for c in 0..k {
                let sum: f64 = (0..k).map(|l| block[l * k + c]).sum();
                if sum > 0.0 {
                    out.values.extend((0..k).map(|l| block[l * k + c] / sum));
                    out.count.push(sum * pairs.all[x].n as f64);
                }
            }
        }
        out
    }

    fn column(&self, c: usize) -> &[f64] {
        &self.values[c * self.k..(c + 1) * self.k]
    }

    /// Successive projection: up to `want` columns, each the one farthest from the span of those before it. Of equally
    /// far ones the longest, of these the one that rests on most labels.
    pub fn picks(&self, want: usize) -> Vec<usize> {
        let n = self.count.len();
        let length: Vec<f64> = (0..n).map(|c| self.column(c).iter().map(|x| x * x).sum()).collect();
        let mut left = length.clone();
        let largest = left.iter().copied().fold(0.0, f64::max);
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut out = Vec::new();
        while out.len() < want {
            let most = left.iter().copied().fold(0.0, f64::max);
            if most <= NOTHING * largest {
                break;
            }
            let better = |a: usize, b: usize| {
                let longer = length[a] - length[b];
                longer > TIED * most || (longer >= -TIED * most && self.count[a] > self.count[b])
            };
            let mut best = None;
            for c in (0..n).filter(|&c| most - left[c] <= TIED * most) {
                if best.is_none_or(|b| better(c, b)) {
                    best = Some(c);
                }
            }
            let Some(best) = best else { break };
            let mut u = self.column(best).to_vec();
            for w in &basis {
                let d: f64 = w.iter().zip(&u).map(|(a, b)| a * b).sum();
                u.iter_mut().zip(w).for_each(|(x, y)| *x -= d * y);
            }
            let size = u.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size <= 0.0 {
                break;
            }
            u.iter_mut().for_each(|x| *x /= size);
            for (c, l) in left.iter_mut().enumerate() {
                let d: f64 = u.iter().zip(self.column(c)).map(|(a, b)| a * b).sum();
                *l -= d * d;
            }
            out.push(best);
            basis.push(u);
        }
        out
    }

    /// The mean of the `nearest` columns around column `c`, itself included.
    fn around(&self, c: usize, nearest: usize) -> Vec<f64> {
        let k = self.k;
        if nearest <= 1 {
            return self.column(c).to_vec();
        }
        let distance = |x: usize| self.column(x).iter().zip(self.column(c)).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let mut all: Vec<(f64, usize)> = (0..self.count.len()).map(|x| (distance(x), x)).collect();
        let n = nearest.min(all.len());
        all.select_nth_unstable_by(n - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut out = vec![0.0; k];
        for &(_, x) in &all[..n] {
            out.iter_mut().zip(self.column(x)).for_each(|(o, v)| *o += v / n as f64);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;

    #[test]
    fn corners_of_mixtures_are_found() {
        let mut rng = stream(1, "spa", 0);
        for k in [2, 3, 6] {
            let corner: Vec<Vec<f64>> = (0..k)
                .map(|_| {
                    let mut c: Vec<f64> = (0..k).map(|_| rng.random_range(0.05..1.0)).collect();
                    let s: f64 = c.iter().sum();
                    c.iter_mut().for_each(|x| *x /= s);
                    c
                })
                .collect();
            let (mut values, mut count) = (Vec::new(), Vec::new());
            for n in 0..40 {
                let mix: Vec<f64> = if n % 10 < k && n < 10 {
                    (0..k).map(|t| if t == n { 1.0 } else { 0.0 }).collect()
                } else {
                    let w: Vec<f64> = (0..k).map(|_| rng.random_range(0.1..1.0)).collect();
                    let s: f64 = w.iter().sum();
                    w.iter().map(|x| x / s).collect()
                };
                values.extend((0..k).map(|l| (0..k).map(|t| mix[t] * corner[t][l]).sum::<f64>()));
                count.push(1.0);
            }
            let columns = Columns { k, values, count };
            let mut picks = columns.picks(k);
            picks.sort_unstable();
            assert_eq!(picks, (0..k).collect::<Vec<_>>());
        }
    }
}
