//! Which two items to compare next, and who should judge: what the answer is expected to tell about the scores, times
//! how far the judge can be believed.

mod choose;
mod laplace;
mod replay;

pub use choose::PairStrategy;
pub use laplace::{Games, PRECISION, Scores};
pub use replay::{PairCurve, PairReplay};

use choose::{Batch, Open};
use crowdwise_core::{Annotators, Dataset, Error, Fit, Preference, stream};
use crowdwise_methods::comparisons::{ActivePairs, Belief, Comparisons, members};
use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Share of pairs by chance: without it nobody finds out who is unreliable, and a wrong belief can keep itself alive.
pub const RANDOM: f64 = 0.2;
/// An item is in at most so many pairs of a batch, except by chance.
pub const PER_ITEM: usize = 2;
/// Connected items up to which covariances are computed, and every pair is looked at.
const MOST: usize = 1500;
/// Pairs drawn for every question where there are too many to look at all.
const DRAWN: usize = 200;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct AskPairs {
    pub strategy: PairStrategy,
    /// Number of questions.
    pub n: usize,
    pub random: f64,
    pub per_item: usize,
    /// Also pairs of items that no chain of comparisons connects; else scores of different parts stay incomparable.
    pub across: bool,
    /// Who may be asked; everybody if there is no list.
    pub annotators: Option<Vec<u32>>,
    /// Questions that are out: two items and an annotator.
    pub pending: Vec<[u32; 3]>,
    pub seed: u64,
}

impl Default for AskPairs {
    fn default() -> Self {
        AskPairs {
            strategy: PairStrategy::Gain,
            n: 20,
            random: RANDOM,
            per_item: PER_ITEM,
            across: false,
            annotators: None,
            pending: Vec::new(),
            seed: 0,
        }
    }
}

/// A comparison to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairQuestion {
    pub left: u32,
    pub right: u32,
    pub annotator: u32,
    /// Expected information about the scores in nats, as far as the annotator can be believed.
    pub gain: f64,
    /// Probability that the left item is better, before the answer.
    pub left_better: f64,
    /// Chosen by chance, not by its gain.
    pub random: bool,
}

impl AskPairs {
    /// The next questions after a fit of scores. Fewer than wanted if there are no more: nobody judges a pair twice.
    pub fn next(&self, data: &Dataset, fit: &Fit) -> Result<Vec<PairQuestion>, Error> {
        let belief = Belief::of_fit(data, fit, ActivePairs::default().prior)?;
        let judges = Judges::new(self, data, fit, &belief)?;
        let comparisons = Comparisons::new(&data.table, false);
        let (component, parts) =
            if self.across { (vec![0; data.table.n_items()], 1) } else { comparisons.components() };
        let mut groups: Vec<Vec<usize>> = members(&component, parts).into_iter().filter(|m| m.len() > 1).collect();
        // by name, so that the order of the rows does not matter
        groups.iter_mut().for_each(|g| g.sort_unstable_by_key(|&i| data.table.items().name(i)));
        groups.sort_unstable_by_key(|g| data.table.items().name(g[0]));
        let items: usize = groups.iter().map(Vec::len).sum();
        let (mut out, mut left, mut rest) = (Vec::new(), self.n, items);
        let mut rng = stream(self.seed, "next pairs", 0);
        let mut judges = judges;
        for (number, group) in groups.iter().enumerate() {
            // as many as its share of the items, what is left over going to the later ones
            let share = if number + 1 == groups.len() { left } else { left * group.len() / rest.max(1) };
            rest -= group.len();
            let asked = self.part(group, share, data, &belief, &mut judges, &mut rng);
            left -= asked.len();
            out.extend(asked);
        }
        out.sort_by(|a, b| a.random.cmp(&b.random).then(b.gain.total_cmp(&a.gain)));
        Ok(out)
    }

    /// The questions about one group of items.
    fn part(
        &self,
        group: &[usize],
        n: usize,
        data: &Dataset,
        belief: &Belief,
        judges: &mut Judges,
        rng: &mut impl Rng,
    ) -> Vec<PairQuestion> {
        let (games, counts) = played(group, data, judges);
        let scores = if group.len() <= MOST {
            Scores::fit(group.len(), &games, None)
        } else {
            let of = |v: &[f64]| group.iter().map(|&i| v[i]).collect::<Vec<f64>>();
            Scores::apart(of(&belief.mean), of(&belief.variance))
        };
        let open: Vec<Open> = pairs(group.len(), n, rng)
            .into_iter()
            .filter(|p| judges.anybody(p.map(|i| group[i as usize] as u32)))
            .map(|pair| Open { pair, weight: 1.0 })
            .collect();
        let batch = Batch { strategy: self.strategy, size: n, random: self.random, per_item: self.per_item };
        let mut out = Vec::new();
        for chosen in batch.choose(&scores, &open, &counts, rng) {
            let [i, j] = open[chosen.at].pair.map(|i| i as usize);
            // which of the two is shown first must not depend on their numbers
            let (i, j) = if rng.random() { (i, j) } else { (j, i) };
            let (left, right) = (group[i] as u32, group[j] as u32);
            let Some((annotator, believed)) = judges.choose([left, right], rng) else { continue };
            let (left_better, gain) = scores.gain(i, j);
            out.push(PairQuestion {
                left,
                right,
                annotator,
                gain: gain * believed,
                left_better,
                random: chosen.random,
            });
        }
        out
    }
}

/// All pairs of `items`, or some by chance where they are too many.
fn pairs(items: usize, wanted: usize, rng: &mut impl Rng) -> Vec<[u32; 2]> {
    if items <= MOST {
        return (0..items as u32).flat_map(|i| (i + 1..items as u32).map(move |j| [i, j])).collect();
    }
    let mut drawn = BTreeSet::new();
    while drawn.len() < DRAWN * wanted.max(1) {
        let i = rng.random_range(0..items);
        let j = (i + rng.random_range(1..items)) % items;
        drawn.insert([i.min(j) as u32, i.max(j) as u32]);
    }
    drawn.into_iter().collect()
}

/// The comparisons of a group, each as much as its annotator can be believed, and how many every item has.
fn played(group: &[usize], data: &Dataset, judges: &Judges) -> (Vec<Games>, Vec<f64>) {
    let mut places = vec![usize::MAX; data.table.n_items()];
    group.iter().enumerate().for_each(|(place, &i)| places[i] = place);
    let place = |i: u32| Some(places[i as usize]).filter(|p| *p < usize::MAX);
    let mut all: BTreeMap<[usize; 2], [f64; 2]> = BTreeMap::new();
    let mut counts = vec![0.0; group.len()];
    let Some((units, said)) = data.table.preferences() else { return (Vec::new(), counts) };
    for (u, &[l, r]) in units.iter().enumerate() {
        let (Some(l), Some(r)) = (place(l), place(r)) else { continue };
        if l == r {
            continue;
        }
        let won = all.entry([l.min(r), l.max(r)]).or_default();
        for row in data.table.rows(u) {
            let k = judges.slope[data.table.annotator()[row] as usize];
            let left = match said[row] {
                Preference::Left => 1.0,
                Preference::Right => 0.0,
                Preference::Tie => 0.5,
            };
            // who says the opposite is believed the other way round
            let left = if k < 0.0 { 1.0 - left } else { left };
            let first = if l < r { left } else { 1.0 - left };
            won[0] += k.abs() * first;
            won[1] += k.abs() * (1.0 - first);
            counts[l] += 1.0;
            counts[r] += 1.0;
        }
    }
    let games = all.into_iter().filter(|(_, w)| w[0] + w[1] > 0.0);
    let games = games.map(|([i, j], w)| Games { first: i as u32, second: j as u32, won: w[0], lost: w[1] }).collect();
    (games, counts)
}

/// Who may be asked what, and how far they are believed.
struct Judges {
    allowed: Vec<u32>,
    reliability: Vec<[f64; 2]>,
    /// 2 w - 1 of everybody whose reliability the fit tells, else 1.
    slope: Vec<f64>,
    known: bool,
    /// (lower item, higher item, annotator): judged already, or out.
    done: BTreeSet<[u32; 3]>,
}

impl Judges {
    fn new(ask: &AskPairs, data: &Dataset, fit: &Fit, belief: &Belief) -> Result<Judges, Error> {
        let m = data.table.n_annotators() as u32;
        let mut allowed = ask.annotators.clone().unwrap_or_else(|| (0..m).collect());
        if let Some(j) = allowed.iter().find(|j| **j >= m) {
            return Err(Error::Usage { what: format!("there is no annotator number {j}"), hint: None });
        }
        allowed.sort_unstable_by_key(|&j| data.table.annotators().name(j as usize));
        allowed.dedup();
        let known = matches!(fit.annotators, Annotators::Accuracy { .. });
        let slope = |&[a, b]: &[f64; 2]| if known { 2.0 * a / (a + b) - 1.0 } else { 1.0 };
        let mut done = BTreeSet::new();
        if let Some((units, _)) = data.table.preferences() {
            for (u, &pair) in units.iter().enumerate() {
                done.extend(data.table.rows(u).map(|row| key(pair, data.table.annotator()[row])));
            }
        }
        done.extend(ask.pending.iter().map(|&[l, r, j]| key([l, r], j)));
        Ok(Judges {
            allowed,
            slope: belief.reliability.iter().map(slope).collect(),
            reliability: belief.reliability.clone(),
            known,
            done,
        })
    }

    fn anybody(&self, pair: [u32; 2]) -> bool {
        self.allowed.iter().any(|&j| !self.done.contains(&key(pair, j)))
    }

    /// Somebody who has not judged the pair: the best of a draw from what is believed of each, so that those of whom little is
    /// known have their chances. Also what the answer is worth beside one that is always right.
    fn choose(&mut self, pair: [u32; 2], rng: &mut impl Rng) -> Option<(u32, f64)> {
        let mut best: Option<(f64, u32)> = None;
        for &j in &self.allowed {
            let draw: f64 = if self.known {
                let [a, b] = self.reliability[j as usize];
                let w = Beta::new(a, b).map_or(0.5, |beta| beta.sample(rng));
                (2.0 * w - 1.0).powi(2)
            } else {
                rng.random()
            };
            if best.is_none_or(|(d, _)| draw > d) && !self.done.contains(&key(pair, j)) {
                best = Some((draw, j));
            }
        }
        let (_, j) = best?;
        self.done.insert(key(pair, j));
        Some((j, self.slope[j as usize].powi(2)))
    }
}

/// A question, whichever item is left.
fn key([l, r]: [u32; 2], annotator: u32) -> [u32; 3] {
    [l.min(r), l.max(r), annotator]
}
