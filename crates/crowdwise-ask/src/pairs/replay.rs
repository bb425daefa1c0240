//! What a rule would have saved on comparisons that are there already: each answer is uncovered when it is asked for.

use super::choose::{Batch, Open, PairStrategy};
use super::laplace::{Games, Scores};
use super::{PER_ITEM, RANDOM};
use crowdwise_core::questions::correlation::kendall;
use crowdwise_core::{Dataset, Error, Preference, stream};
use crowdwise_methods::comparisons::{Comparisons, members};
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::Serialize;

/// How old comparisons are uncovered again.
#[derive(Clone, Debug, PartialEq)]
pub struct PairReplay {
    pub strategies: Vec<PairStrategy>,
    /// Orders of the answers of a pair, and draws.
    pub orderings: usize,
    /// Ends at so many comparisons per item.
    pub until: f64,
    /// Comparisons of a batch, in parts of the number of items.
    pub batch: f64,
    /// Share of each batch by chance.
    pub random: f64,
    /// Connected parts with fewer items are left out.
    pub least: usize,
    pub seed: u64,
}

impl Default for PairReplay {
    fn default() -> Self {
        PairReplay {
            strategies: PairStrategy::ALL.to_vec(),
            orderings: 10,
            until: 24.0,
            batch: 0.5,
            random: RANDOM,
            least: 10,
            seed: 0,
        }
    }
}

/// Kendall's tau with the scores of all answers as comparisons come in, the mean over connected parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairCurve {
    pub strategy: PairStrategy,
    /// Comparisons an item at each point: 1, 1.5, 2 …
    pub per_item: Vec<f64>,
    /// For every ordering, at each point.
    pub tau: Vec<Vec<f64>>,
}

impl PairCurve {
    /// The mean over orderings.
    pub fn mean(&self) -> Vec<f64> {
        let n = self.tau.len() as f64;
        (0..self.per_item.len()).map(|at| self.tau.iter().map(|t| t[at]).sum::<f64>() / n).collect()
    }

    /// The value at so many comparisons per item.
    pub fn at(&self, per_item: f64) -> Option<f64> {
        let at = self.per_item.iter().position(|x| *x >= per_item)?;
        Some(self.mean()[at])
    }

    /// Comparisons an item until the mean reaches `tau`.
    pub fn needed(&self, tau: f64) -> Option<f64> {
        let at = self.mean().iter().position(|t| *t >= tau)?;
        Some(self.per_item[at])
    }

    /// How much higher the curve lies than another one on average, and the standard error over orderings.
    pub fn above(&self, other: &PairCurve) -> (f64, f64) {
        let n = self.tau.len();
        let points = self.per_item.len() as f64;
        let area: Vec<f64> =
            (0..n).map(|s| self.tau[s].iter().zip(&other.tau[s]).map(|(a, b)| a - b).sum::<f64>() / points).collect();
        let mean = area.iter().sum::<f64>() / n as f64;
        let square: f64 = area.iter().map(|a| (a - mean).powi(2)).sum();
        (mean, (square / (n.max(2) - 1) as f64 / n as f64).sqrt())
    }
}

/// The answers of one connected part, by pair.
struct Part {
    items: usize,
    pairs: Vec<[u32; 2]>,
    /// Whether the first of the two won, for every answer.
    won: Vec<Vec<bool>>,
    /// Scores of all answers.
    reference: Vec<f64>,
}

impl PairReplay {
    /// One curve for each strategy. Ties are left out.
    pub fn run(&self, data: &Dataset) -> Result<Vec<PairCurve>, Error> {
        let parts = parts(data, self.least)?;
        let points: Vec<f64> = (2..=(2.0 * self.until) as u32).map(|x| f64::from(x) / 2.0).collect();
        let curve = |&strategy: &PairStrategy| {
            let runs: Vec<(usize, usize)> =
                (0..self.orderings).flat_map(|o| (0..parts.len()).map(move |p| (o, p))).collect();
            let taus: Vec<Vec<f64>> =
                runs.par_iter().map(|&(o, p)| self.one(&parts[p], strategy, (o, p), &points)).collect();
            let tau = taus.chunks(parts.len()).map(|of| mean(of, points.len())).collect();
            PairCurve { strategy, per_item: points.clone(), tau }
        };
        Ok(self.strategies.iter().map(curve).collect())
    }

    /// Tau at each point, in one part and ordering.
    fn one(&self, part: &Part, strategy: PairStrategy, (ordering, number): (usize, usize), points: &[f64]) -> Vec<f64> {
        let mut rng = stream(self.seed, "replay of comparisons", (ordering as u64) << 32 | number as u64);
        let n = part.items;
        let mut answers = part.won.clone();
        answers.iter_mut().for_each(|a| a.shuffle(&mut rng));
        let size = ((self.batch * n as f64) as usize).max(1);
        let batch = Batch { strategy, size, random: self.random, per_item: PER_ITEM };
        let mut games: Vec<Option<Games>> = vec![None; part.pairs.len()];
        let mut counts = vec![0.0; n];
        let mut scores = Scores::prior(n);
        let (mut asked, mut seen) = (0usize, vec![(0.0, 0.0)]);
        while (asked as f64) < self.until * n as f64 {
            let open: Vec<Open> = (0..part.pairs.len())
                .filter(|&p| !answers[p].is_empty())
                .map(|p| Open { pair: part.pairs[p], weight: answers[p].len() as f64 })
                .collect();
            let place: Vec<usize> = (0..part.pairs.len()).filter(|&p| !answers[p].is_empty()).collect();
            let chosen = batch.choose(&scores, &open, &counts, &mut rng);
            if chosen.is_empty() {
                break;
            }
            for c in &chosen {
                let p = place[c.at];
                let [first, second] = part.pairs[p];
                let g = games[p].get_or_insert(Games { first, second, won: 0.0, lost: 0.0 });
                let won = answers[p].pop().expect("it was open");
                *(if won { &mut g.won } else { &mut g.lost }) += 1.0;
                part.pairs[p].iter().for_each(|&i| counts[i as usize] += 1.0);
            }
            asked += chosen.len();
            let played: Vec<Games> = games.iter().flatten().copied().collect();
            scores = Scores::fit(n, &played, Some(&scores.mean));
            let both: Vec<(f64, f64)> = scores.mean.iter().copied().zip(part.reference.iter().copied()).collect();
            seen.push((asked as f64 / n as f64, kendall(&both).unwrap_or(0.0)));
        }
        points.iter().map(|x| between(&seen, *x)).collect()
    }
}

fn parts(data: &Dataset, least: usize) -> Result<Vec<Part>, Error> {
    let Some((units, said)) = data.table.preferences() else {
        return Err(Error::Usage {
            what: format!(
                "a replay of comparisons needs comparisons, but {} has {} labels",
                data.source,
                data.table.kind()
            ),
            hint: None,
        });
    };
    let (component, n) = Comparisons::new(&data.table, false).components();
    let mut parts = Vec::new();
    for items in members(&component, n).into_iter().filter(|m| m.len() >= least) {
        let place = |i: u32| items.binary_search(&(i as usize)).ok().map(|p| p as u32);
        let mut all: Vec<([u32; 2], bool)> = Vec::new();
        for (u, &[l, r]) in units.iter().enumerate() {
            let (Some(a), Some(b)) = (place(l), place(r)) else { continue };
            if a == b {
                continue;
            }
            for row in data.table.rows(u) {
                let left = match said[row] {
                    Preference::Left => true,
                    Preference::Right => false,
                    Preference::Tie => continue,
                };
                all.push(if a < b { ([a, b], left) } else { ([b, a], !left) });
            }
        }
        all.sort_unstable();
        let (mut pairs, mut won) = (Vec::new(), Vec::new());
        for of in all.chunk_by(|x, y| x.0 == y.0) {
            pairs.push(of[0].0);
            won.push(of.iter().map(|x| x.1).collect::<Vec<bool>>());
        }
        let count = |w: &[bool], side: bool| w.iter().filter(|x| **x == side).count() as f64;
        let games: Vec<Games> = pairs
            .iter()
            .zip(&won)
            .map(|(p, w)| Games { first: p[0], second: p[1], won: count(w, true), lost: count(w, false) })
            .collect();
        let reference = Scores::fit(items.len(), &games, None).mean;
        parts.push(Part { items: items.len(), pairs, won, reference });
    }
    if parts.is_empty() {
        return Err(Error::NoData {
            file: data.source.clone(),
            what: format!("has no {least} items that are compared with each other"),
            hint: None,
        });
    }
    Ok(parts)
}

fn mean(of: &[Vec<f64>], points: usize) -> Vec<f64> {
    (0..points).map(|at| of.iter().map(|t| t[at]).sum::<f64>() / of.len() as f64).collect()
}

/// The value at `x` on the line through points with rising x; beyond the last one its value.
fn between(points: &[(f64, f64)], x: f64) -> f64 {
    let after = points.partition_point(|p| p.0 < x);
    match (after.checked_sub(1), points.get(after)) {
        (_, None) => points.last().map_or(0.0, |p| p.1),
        (None, Some(p)) => p.1,
        (Some(before), Some(b)) => {
            let a = points[before];
            a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0)
        }
    }
}
