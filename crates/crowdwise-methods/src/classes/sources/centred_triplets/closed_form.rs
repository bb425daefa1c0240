//! Rates from triples of covariances, class by class against the rest.

use super::super::votes::Votes;
use crowdwise_core::{Context, Error};
use crowdwise_numerics::median;
use rayon::prelude::*;

/// Work that is allowed: indicators x classes x pairs of partners.
const MOST_TRIPLES: f64 = 1e8;

/// Rates are kept this far from 0 and 1.
const CLIP: f64 = 1e-3;

/// A difference of rates stays below this part of what the mean allows.
const INSIDE: f64 = 0.99;

/// Covariances that two partners must have at least.
const SMALLEST: f64 = 1e-9;

pub(super) struct Found {
    /// P(fires | class), indicators x classes.
    pub rates: Vec<f64>,
    /// Usable triples behind each.
    pub triples: Vec<u32>,
    /// Indicators that were used as partners.
    pub partners: usize,
}

/// Items on which an indicator and a partner both fire.
struct Together {
    partners: Vec<u32>,
    /// Indicators x partners.
    counts: Vec<u32>,
}

impl Together {
    /// With as many partners as the work allows, those that fire most.
    fn new(votes: &Votes) -> Together {
        let n = votes.indicators();
        let most = (2.0 * MOST_TRIPLES / (n * votes.k) as f64).sqrt().max(8.0) as usize;
        let mut partners: Vec<u32> = (0..n as u32).collect();
        if n > most {
            partners.sort_by(|&a, &b| votes.fires[b as usize].cmp(&votes.fires[a as usize]).then(a.cmp(&b)));
            partners.truncate(most);
            partners.sort_unstable();
        }
        let p = partners.len();
        let mut place = vec![u32::MAX; n];
        partners.iter().enumerate().for_each(|(at, &j)| place[j as usize] = at as u32);
        let mut counts = vec![0u32; n * p];
        for u in 0..votes.items {
            let fired = votes.of(u);
            for &b in fired {
                let at = place[b as usize];
                if at != u32::MAX {
                    fired.iter().for_each(|&a| counts[a as usize * p + at as usize] += 1);
                }
            }
        }
        Together { partners, counts }
    }

    fn covariance(&self, votes: &Votes, j: usize, partner: usize) -> f64 {
        let both = self.counts[j * self.partners.len() + partner] as f64 / votes.items as f64;
        both - votes.rate(j) * votes.rate(self.partners[partner] as usize)
    }
}

/// Cov(i, j) = (t_i - f_i) (t_j - f_j) d (1 - d), with t and f the rates on the class and on the rest, so that three
/// covariances give one difference: the median over all triples whose covariances have the signs that their labels want.
pub(super) fn rates(votes: &Votes, shares: &[f64], cx: &mut Context<'_>) -> Result<Found, Error> {
    let (n, k) = (votes.indicators(), votes.k);
    let together = Together::new(votes);
    let p = together.partners.len();
    // covariances among partners
    let mutual: Vec<f64> =
        (0..p * p).map(|x| together.covariance(votes, together.partners[x / p] as usize, x % p)).collect();
    let of = |j: usize| -> Vec<(f64, u32)> {
        let own: Vec<f64> = (0..p).map(|b| together.covariance(votes, j, b)).collect();
        (0..k).map(|c| one(votes, shares, &together, &own, &mutual, j, c)).collect()
    };
    let all: Vec<Vec<(f64, u32)>> = cx.install(|| (0..n).into_par_iter().map(of).collect())?;
    let (rates, triples) = all.into_iter().flatten().unzip();
    Ok(Found { rates, triples, partners: p })
}

/// The rate of indicator `j` on class `c`, and the number of triples behind it.
fn one(
    votes: &Votes,
    shares: &[f64],
    together: &Together,
    own: &[f64],
    mutual: &[f64],
    j: usize,
    c: usize,
) -> (f64, u32) {
    let (p, d) = (together.partners.len(), shares[c]);
    let is = |x: usize| votes.label[x] as usize == c;
    if votes.k == 1 {
        return (1.0 - CLIP, 1);
    }
    let mut found = Vec::new();
    // with the sign that the labels want; 0 where it has another
    let wanted = |a: usize, b: usize, covariance: f64| if is(a) == is(b) { covariance } else { -covariance };
    let usable: Vec<(usize, usize, f64)> = (0..p)
        .map(|at| (at, together.partners[at] as usize))
        .filter(|&(_, x)| votes.source[x] != votes.source[j])
        .map(|(at, x)| (at, x, wanted(j, x, own[at])))
        .filter(|t| t.2 > 0.0)
        .collect();
    for (n, &(at, x, cx)) in usable.iter().enumerate() {
        for &(bt, y, cy) in &usable[n + 1..] {
            if votes.source[x] == votes.source[y] || (votes.k > 2 && !is(j) && !is(x) && !is(y)) {
                continue;
            }
            let between = wanted(x, y, mutual[at * p + bt]);
            if between > SMALLEST {
                found.push((cx * cy / between / (d * (1.0 - d))).sqrt());
            }
        }
    }
    let mean = votes.rate(j);
    let difference = if found.is_empty() { 0.0 } else { median(&mut found) };
    let (most, sign) = if is(j) {
        ((mean / d).min((1.0 - mean) / (1.0 - d)), 1.0)
    } else {
        ((mean / (1.0 - d)).min((1.0 - mean) / d), -1.0)
    };
    let difference = difference.min(INSIDE * most);
    let rate = mean + sign * difference * (1.0 - d);
    // a source that hardly ever votes has small rates on every class, and they still differ
    let low = CLIP.min(0.1 * mean);
    (rate.clamp(low, 1.0 - CLIP), found.len() as u32)
}
