//! How often sources vote on the same items, and what that says of their accuracies.
//!
//! A source that votes one class says nothing by its label, only by where it votes. Two sources of different classes that are right meet
//! on no item; two of the same class meet often. With a_j the share of votes of j that are right, errors spread by the class shares d,
//! and votes independent given the class, the number of items on which u and v meet has the mean
//!
//! ```text
//! n_u n_v / N  e^φ  Σ_z P(z | u votes) P(z | v votes) / d_z
//! ```
//!
//! where φ stands for items that attract more votes than others (and for items that are not in the data since nobody voted).

use super::OneClassSources;
use crate::classes::sources::votes::Votes;
use crowdwise_core::Error;
use std::collections::HashMap;

/// The most frequent indicators enter; the others get the mean accuracy.
const MOST: usize = 500;
/// Spread of the belief about the mean log-odds, and about φ.
const MEAN_SD: f64 = 0.5;
const ACTIVITY_SD: f64 = 0.5;
/// No mean of a count is smaller than this part of what independence gives.
const LEAST: f64 = 1e-6;

struct Pair {
    u: usize,
    v: usize,
    met: f64,
    /// Meetings of independent sources.
    base: f64,
}

/// The counts, and what is believed. Variables: mean log-odds, φ, and the difference of every indicator from the mean.
pub(super) struct Meetings {
    /// Indicators that enter, by number, and the share of the class of each.
    used: Vec<usize>,
    label: Vec<u16>,
    share: Vec<f64>,
    pairs: Vec<Pair>,
    /// Right and wrong votes on items of known class.
    known: Vec<[f64; 2]>,
    mean: f64,
    spread: f64,
    /// Square of the spread of meetings around their mean.
    excess: f64,
}

impl Meetings {
    pub fn new(
        votes: &Votes,
        shares: &[f64],
        cluster: &[u32],
        gold: Option<&[Option<u32>]>,
        with: &OneClassSources,
    ) -> Result<Meetings, Error> {
        let mut used: Vec<usize> = (0..votes.indicators()).collect();
        used.sort_by_key(|&j| std::cmp::Reverse(votes.fires[j]));
        used.truncate(MOST);
        used.sort_unstable();
        let mut place = vec![usize::MAX; votes.indicators()];
        used.iter().enumerate().for_each(|(at, &j)| place[j] = at);
        let (met, seen) = votes.pairs(|a, b| place[a as usize].max(place[b as usize]) != usize::MAX)?;
        let met: HashMap<(u32, u32), u32> = met.into_iter().map(|(a, b, n)| ((a, b), n)).collect();
        let n = votes.items.max(1) as f64;
        let mut pairs = Vec::new();
        for (u, &a) in used.iter().enumerate() {
            for (v, &b) in used.iter().enumerate().skip(u + 1) {
                // a source does not meet itself, and meetings of copies say nothing of the truth
                if votes.source[a] != votes.source[b] && cluster[a] != cluster[b] && votes.k > 1 {
                    let met = met.get(&(a as u32, b as u32)).copied().unwrap_or(0) as f64;
                    let base = votes.fires[a] as f64 * votes.fires[b] as f64 / n * (seen as f64 / n);
                    pairs.push(Pair { u, v, met, base });
                }
            }
        }
        let mut known = vec![[0.0; 2]; used.len()];
        for (item, class) in gold.into_iter().flatten().enumerate().filter_map(|(i, c)| c.map(|c| (i, c))) {
            for &j in votes.of(item).iter().filter(|j| place[**j as usize] != usize::MAX) {
                let j = j as usize;
                known[place[j]][usize::from(votes.label[j] as u32 != class)] += 1.0;
            }
        }
        Ok(Meetings {
            label: used.iter().map(|&j| votes.label[j]).collect(),
            share: used.iter().map(|&j| shares[votes.label[j] as usize]).collect(),
            used,
            pairs,
            known,
            mean: (with.prior_accuracy / (1.0 - with.prior_accuracy)).ln(),
            spread: with.spread,
            excess: with.dependence * with.dependence,
        })
    }

    pub fn start(&self) -> Vec<f64> {
        let mut x = vec![0.0; 2 + self.used.len()];
        x[0] = self.mean;
        x
    }

    /// An approximate inverse of the second derivatives: what a count of this mean tells of its logarithm.
    pub fn scale(&self) -> Vec<f64> {
        let mut curve = vec![1.0 / (self.spread * self.spread); 2 + self.used.len()];
        (curve[0], curve[1]) = (1.0 / (MEAN_SD * MEAN_SD), 1.0 / (ACTIVITY_SD * ACTIVITY_SD));
        for p in &self.pairs {
            let tells = p.base / (1.0 + self.excess * p.base);
            curve[1] += tells;
            for at in [0, 2 + p.u, 2 + p.v] {
                curve[at] += 0.25 * tells;
            }
        }
        for (at, [right, wrong]) in self.known.iter().enumerate() {
            curve[0] += 0.2 * (right + wrong);
            curve[2 + at] += 0.2 * (right + wrong);
        }
        curve.into_iter().map(|c| 1.0 / c).collect()
    }

    /// Minus the logarithm of the penalised likelihood, and its gradient. Counts are negative binomial: Poisson with a spread for
    /// whatever else makes two sources meet.
    pub fn evaluate(&self, x: &[f64], g: &mut [f64]) -> f64 {
        let (mean, activity, own) = (x[0], x[1], &x[2..]);
        let a: Vec<f64> = own.iter().map(|o| 1.0 / (1.0 + (-(mean + o)).exp())).collect();
        let mut slope = vec![0.0; a.len()];
        let (rate, excess) = (activity.exp(), self.excess);
        let (mut value, mut by_activity) = (0.0, 0.0);
        for p in &self.pairs {
            let (ratio, du, dv) = self.ratio(p, a[p.u], a[p.v]);
            let m = p.base * rate * ratio;
            value += (p.met + 1.0 / excess) * (excess * m).ln_1p() - p.met * m.ln();
            // derivative by the logarithm of the mean
            let d = m * (1.0 + p.met * excess) / (1.0 + excess * m) - p.met;
            by_activity += d;
            slope[p.u] += d * du / ratio;
            slope[p.v] += d * dv / ratio;
        }
        for (at, [right, wrong]) in self.known.iter().enumerate().filter(|(_, k)| k[0] + k[1] > 0.0) {
            let p = a[at].clamp(1e-12, 1.0 - 1e-12);
            value -= right * p.ln() + wrong * (1.0 - p).ln();
            slope[at] -= right / p - wrong / (1.0 - p);
        }
        let square = |x: f64, sd: f64| 0.5 * (x / sd) * (x / sd);
        value += square(mean - self.mean, MEAN_SD) + square(activity, ACTIVITY_SD);
        g[1] = by_activity + activity / (ACTIVITY_SD * ACTIVITY_SD);
        g[0] = (mean - self.mean) / (MEAN_SD * MEAN_SD);
        for (at, o) in own.iter().enumerate() {
            let by_odds = slope[at] * a[at] * (1.0 - a[at]);
            g[0] += by_odds;
            g[2 + at] = by_odds + o / (self.spread * self.spread);
            value += square(*o, self.spread);
        }
        value
    }

    /// Σ_z P(z | u) P(z | v) / d_z and its derivatives by the two accuracies.
    fn ratio(&self, p: &Pair, a: f64, b: f64) -> (f64, f64, f64) {
        let (s, t) = (self.share[p.u], self.share[p.v]);
        let (ratio, da, db) = if self.label[p.u] == self.label[p.v] {
            (
                a * b / s + (1.0 - a) * (1.0 - b) / (1.0 - s),
                b / s - (1.0 - b) / (1.0 - s),
                a / s - (1.0 - a) / (1.0 - s),
            )
        } else {
            // both wrong: on one of the other classes
            let both = (1.0 - s - t).max(0.0) / ((1.0 - s) * (1.0 - t));
            (
                a * (1.0 - b) / (1.0 - t) + b * (1.0 - a) / (1.0 - s) + (1.0 - a) * (1.0 - b) * both,
                (1.0 - b) / (1.0 - t) - b / (1.0 - s) - (1.0 - b) * both,
                (1.0 - a) / (1.0 - s) - a / (1.0 - t) - (1.0 - a) * both,
            )
        };
        if ratio > LEAST { (ratio, da, db) } else { (LEAST, 0.0, 0.0) }
    }

    /// Accuracy of every indicator; the mean where it did not enter.
    pub fn accuracies(&self, x: &[f64], indicators: usize) -> Vec<f64> {
        let of = |odds: f64| 1.0 / (1.0 + (-odds).exp());
        let mut out = vec![of(x[0]); indicators];
        self.used.iter().enumerate().for_each(|(at, &j)| out[j] = of(x[0] + x[2 + at]));
        out
    }

    /// Meetings that were looked at.
    pub fn total(&self) -> u64 {
        self.pairs.iter().map(|p| p.met as u64).sum()
    }
}
