//! Which pairs: a batch by one of several rules.

use super::laplace::Scores;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Exp1};
use serde::{Deserialize, Serialize};

/// How pairs are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairStrategy {
    /// The answer that is expected to tell most about the scores.
    Gain,
    /// Scores that are closest.
    Closest,
    /// Items with the fewest comparisons.
    Fewest,
    /// By chance.
    Random,
}

impl PairStrategy {
    pub const ALL: [PairStrategy; 4] =
        [PairStrategy::Gain, PairStrategy::Closest, PairStrategy::Fewest, PairStrategy::Random];

    pub fn name(self) -> &'static str {
        match self {
            PairStrategy::Gain => "gain",
            PairStrategy::Closest => "closest",
            PairStrategy::Fewest => "fewest",
            PairStrategy::Random => "random",
        }
    }
}

/// A pair that may be asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub pair: [u32; 2],
    /// Chance draws it in proportion to this: how many answers it has left. Never 0.
    pub weight: f64,
}

/// A pair of a batch: its place in the list of open pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chosen {
    pub at: usize,
    pub random: bool,
}

/// What a batch is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    pub strategy: PairStrategy,
    pub size: usize,
    /// Share of pairs by chance.
    pub random: f64,
    /// An item is in no more pairs than this, except by chance or where the batch could not be filled.
    pub per_item: usize,
}

impl Batch {
    /// A batch without a pair twice. `counts` are comparisons of every item so far.
    pub fn choose(&self, scores: &Scores, open: &[Open], counts: &[f64], rng: &mut impl Rng) -> Vec<Chosen> {
        let size = self.size.min(open.len());
        let chance = match self.strategy {
            PairStrategy::Random => size,
            _ => (0..size).filter(|_| rng.random::<f64>() < self.random).count(),
        };
        let mut taken = vec![false; open.len()];
        let mut used = vec![0usize; scores.mean.len()];
        let mut out = Vec::with_capacity(size);
        if chance > 0 {
            // in proportion to the weights, without putting back: the shortest waiting times
            let mut lots: Vec<(f64, usize)> = Vec::with_capacity(open.len());
            for (at, o) in open.iter().enumerate() {
                let waiting: f64 = Exp1.sample(rng);
                lots.push((waiting / o.weight, at));
            }
            lots.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for &(_, at) in &lots[..chance] {
                taken[at] = true;
                open[at].pair.iter().for_each(|&i| used[i as usize] += 1);
                out.push(Chosen { at, random: true });
            }
        }
        if out.len() == size {
            return out;
        }
        let mut ranked: Vec<(f64, f64, usize)> = Vec::with_capacity(open.len());
        for (at, o) in open.iter().enumerate().filter(|(at, _)| !taken[*at]) {
            ranked.push((self.score(scores, counts, o.pair), rng.random(), at));
        }
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
        // the cap gives way where it leaves too few pairs
        let mut cap = self.per_item.max(1);
        while out.len() < size {
            for &(_, _, at) in &ranked {
                let pair = open[at].pair;
                if !taken[at] && pair.iter().all(|&i| used[i as usize] < cap) {
                    taken[at] = true;
                    pair.iter().for_each(|&i| used[i as usize] += 1);
                    out.push(Chosen { at, random: false });
                    if out.len() == size {
                        break;
                    }
                }
            }
            cap += 1;
        }
        out
    }

    fn score(&self, scores: &Scores, counts: &[f64], pair: [u32; 2]) -> f64 {
        let [i, j] = pair.map(|i| i as usize);
        match self.strategy {
            PairStrategy::Gain => scores.gain(i, j).1,
            PairStrategy::Closest => -(scores.mean[i] - scores.mean[j]).abs(),
            PairStrategy::Fewest => -(counts[i] + counts[j]),
            PairStrategy::Random => 0.0,
        }
    }
}
