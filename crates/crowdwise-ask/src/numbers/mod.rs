//! Which number to ask for next, and whom: where one more value takes most from what is uncertain.
//!
//! Under `gaussian-annotators` an item whose mean has the variance V keeps V s² / (V + s²) after a value of an annotator with
//! the noise s, whatever the value is. So the questions of a batch are chosen one after the other, each as if those before it
//! were answered.
//!
//! This pays where annotators differ in their noise and the noise is normal (a simulated crowd: 5.9 values per item in place of 9.5).
//! On `valence`, a real set, noise that was estimated from few values misled it: 8.8 in place of 7.0. So the default is the same number
//! of values for every item, and the gain is for those who know their annotators.

mod replay;

pub use replay::{NumberCurve, NumberReplay};

use crowdwise_core::{AnyMethod, Context, Dataset, Error, Fit, Truth, stream};
use crowdwise_methods::numbers::GaussianAnnotators;
use rand::{Rng, RngExt};
use rand_distr::{ChiSquared, Distribution};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, BinaryHeap};

/// How numbers are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberStrategy {
    /// The value that is expected to take most from the variance of its item, per price.
    Gain,
    /// Items with the fewest values, annotators by chance.
    Fewest,
    /// By chance.
    Random,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct AskNumbers {
    pub strategy: NumberStrategy,
    /// Number of questions.
    pub n: usize,
    /// Share of a batch that goes to the items with the fewest values, annotators by chance (`gain` only).
    pub coverage: f64,
    /// Price of every annotator; 1 without a list.
    pub prices: Option<Vec<f64>>,
    /// Who may be asked; everybody without a list.
    pub annotators: Option<Vec<u32>>,
    /// Questions that are out: item and annotator.
    pub pending: Vec<[u32; 2]>,
    pub seed: u64,
}

impl Default for AskNumbers {
    fn default() -> Self {
        AskNumbers {
            strategy: NumberStrategy::Fewest,
            n: 100,
            coverage: 0.2,
            prices: None,
            annotators: None,
            pending: Vec::new(),
            seed: 0,
        }
    }
}

/// A value to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NumberQuestion {
    pub item: u32,
    pub annotator: u32,
    /// Standard deviation of the item's estimate before the value, and as it is expected to be after it.
    pub sd: f64,
    pub sd_after: f64,
    /// What is taken from the variance, per price.
    pub gain: f64,
    pub coverage: bool,
}

/// What is known of items and annotators.
struct Known {
    /// Variance of an item without any value.
    prior: f64,
    /// Variance of every item.
    item: Vec<f64>,
    /// Noise variance of every annotator.
    noise: Vec<f64>,
    /// The same drawn from what is known of it.
    drawn: Vec<f64>,
}

impl Known {
    fn new(data: &Dataset, fit: &Fit, rng: &mut impl Rng) -> Known {
        let (t, details) = (&data.table, &fit.diagnostics.details);
        let detail = |name: &str| details.get(name).and_then(serde_json::Value::as_f64).filter(|x| x.is_finite());
        let typical = detail("typical_sd").unwrap_or(1.0).powi(2).max(1e-12);
        let shape = detail("variance_shape").unwrap_or(2.0);
        let spread = match (&fit.truth, detail("item_sd")) {
            (_, Some(sd)) => sd * sd,
            (Truth::Real { value, .. }, None) => variance(value),
            _ => 1.0,
        };
        let prior = spread.max(1e-9 * typical);
        let noise: Vec<f64> = match &fit.annotators {
            crowdwise_core::Annotators::Gaussian { sd, .. } => sd.iter().map(|s| (s * s).max(1e-9 * typical)).collect(),
            _ => vec![typical; t.n_annotators()],
        };
        let values = t.labels_per_annotator();
        // in the order of names: the order of rows must not decide who gets which draw
        let mut drawn = noise.clone();
        for j in by_name(t.annotators()) {
            let freedom = values[j] as f64 + 2.0 * shape;
            let chi: f64 = ChiSquared::new(freedom).map_or(freedom, |c| c.sample(rng));
            drawn[j] = noise[j] * freedom / chi.max(1e-6);
        }
        let item = (0..t.n_units())
            .map(|u| 1.0 / (1.0 / prior + t.rows(u).map(|r| 1.0 / noise[t.annotator()[r] as usize]).sum::<f64>()))
            .collect();
        Known { prior, item, noise, drawn }
    }
}

fn variance(values: &[f64]) -> f64 {
    let known: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    let n = known.len().max(1) as f64;
    let mean = known.iter().sum::<f64>() / n;
    known.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n
}

fn by_name(names: &crowdwise_core::Names) -> Vec<usize> {
    let mut all: Vec<usize> = (0..names.len()).collect();
    all.sort_unstable_by_key(|&i| names.name(i));
    all
}

/// What is left of a variance after a value with this noise.
fn after(variance: f64, noise: f64) -> f64 {
    variance * noise / (variance + noise)
}

/// The best question of an item at the moment; the larger the gain, the earlier.
struct Best {
    gain: f64,
    /// Place of the item by name.
    place: usize,
    annotator: usize,
}

impl PartialEq for Best {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Best {}
impl PartialOrd for Best {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Best {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.gain.total_cmp(&other.gain).then(other.place.cmp(&self.place))
    }
}

impl AskNumbers {
    /// The next questions. Fewer than wanted if there are no more: nobody is asked about an item twice.
    pub fn next(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Vec<NumberQuestion>, Error> {
        let fit = AnyMethod::fit(&GaussianAnnotators::default(), data, cx)?;
        let possible = |_: usize, _: usize| true;
        self.next_of(data, &fit, &possible)
    }

    /// The same after a fit of `gaussian-annotators`, among the pairs (item, annotator) that are possible.
    pub fn next_of(
        &self,
        data: &Dataset,
        fit: &Fit,
        possible: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Vec<NumberQuestion>, Error> {
        let t = &data.table;
        let m = t.n_annotators();
        let mut bad = crowdwise_core::Problems::default();
        bad.within("coverage", self.coverage, 0.0, 1.0);
        for j in self.annotators.iter().flatten().filter(|j| **j as usize >= m) {
            bad.require(false, "annotators", j, "numbers of annotators");
        }
        if let Some(p) = &self.prices {
            let fine = p.len() == m && p.iter().all(|p| *p > 0.0 && p.is_finite());
            bad.require(fine, "prices", p.len(), "one positive price for every annotator");
        }
        Error::all(bad.0)?;
        let mut rng = stream(self.seed, "next numbers", 0);
        let known = Known::new(data, fit, &mut rng);
        let mut done: BTreeSet<(usize, usize)> = self.pending.iter().map(|p| (p[0] as usize, p[1] as usize)).collect();
        let mut counts: Vec<usize> = (0..t.n_units()).map(|u| t.degree(u)).collect();
        let mut variance = known.item.clone();
        for &[u, j] in &self.pending {
            counts[u as usize] += 1;
            variance[u as usize] = after(variance[u as usize], known.noise[j as usize]);
        }
        (0..t.n_units()).for_each(|u| done.extend(t.rows(u).map(|r| (u, t.annotator()[r] as usize))));
        let mut who = by_name(t.annotators());
        if let Some(only) = &self.annotators {
            let only: BTreeSet<usize> = only.iter().map(|j| *j as usize).collect();
            who.retain(|j| only.contains(j));
        }
        let mut turn = Turn { known, done, counts, variance, who, items: by_name(t.items()), possible, ask: self };
        let mut out = Vec::with_capacity(self.n);
        match self.strategy {
            NumberStrategy::Gain => {
                let cover = (0..self.n).filter(|_| rng.random::<f64>() < self.coverage).count();
                turn.fewest(cover, true, &mut rng, &mut out);
                turn.gain(self.n - out.len(), &mut out);
            }
            NumberStrategy::Fewest => turn.fewest(self.n, false, &mut rng, &mut out),
            NumberStrategy::Random => turn.random(self.n, &mut rng, &mut out),
        }
        Ok(out)
    }
}

/// A batch in the making.
struct Turn<'a> {
    known: Known,
    done: BTreeSet<(usize, usize)>,
    counts: Vec<usize>,
    variance: Vec<f64>,
    /// Annotators and items by name.
    who: Vec<usize>,
    items: Vec<usize>,
    possible: &'a dyn Fn(usize, usize) -> bool,
    ask: &'a AskNumbers,
}

impl Turn<'_> {
    fn free(&self, item: usize, j: usize) -> bool {
        !self.done.contains(&(item, j)) && (self.possible)(item, j)
    }

    fn take(&mut self, item: usize, j: usize, coverage: bool, out: &mut Vec<NumberQuestion>) {
        let before = self.variance[item];
        let left = after(before, self.known.noise[j]);
        out.push(NumberQuestion {
            item: item as u32,
            annotator: j as u32,
            sd: before.sqrt(),
            sd_after: left.sqrt(),
            gain: (before - left) / self.price(j),
            coverage,
        });
        self.done.insert((item, j));
        self.counts[item] += 1;
        // what follows is chosen by the noise that was drawn
        self.variance[item] = after(before, self.known.drawn[j]);
    }

    fn price(&self, j: usize) -> f64 {
        self.ask.prices.as_ref().map_or(1.0, |p| p[j])
    }

    fn anybody(&self, item: usize, rng: &mut impl Rng) -> Option<usize> {
        let free: Vec<usize> = self.who.iter().copied().filter(|&j| self.free(item, j)).collect();
        (!free.is_empty()).then(|| free[rng.random_range(0..free.len())])
    }

    /// Items with the fewest values first, equal ones by chance.
    fn fewest(&mut self, n: usize, coverage: bool, rng: &mut impl Rng, out: &mut Vec<NumberQuestion>) {
        let end = out.len() + n;
        let mut level: BTreeSet<(usize, u64, usize)> =
            self.items.clone().into_iter().map(|u| (self.counts[u], rng.random(), u)).collect();
        while out.len() < end
            && let Some((_, _, item)) = level.pop_first()
        {
            if let Some(j) = self.anybody(item, rng) {
                self.take(item, j, coverage, out);
                level.insert((self.counts[item], rng.random(), item));
            }
        }
    }

    fn random(&mut self, n: usize, rng: &mut impl Rng, out: &mut Vec<NumberQuestion>) {
        let mut open = self.items.clone();
        while out.len() < n && !open.is_empty() {
            let at = rng.random_range(0..open.len());
            match self.anybody(open[at], rng) {
                Some(j) => self.take(open[at], j, false, out),
                None => _ = open.swap_remove(at),
            }
        }
    }

    fn gain(&mut self, n: usize, out: &mut Vec<NumberQuestion>) {
        let end = out.len() + n;
        let mut heap: BinaryHeap<Best> = (0..self.items.len()).filter_map(|place| self.best(place)).collect();
        while out.len() < end
            && let Some(top) = heap.pop()
        {
            self.take(self.items[top.place], top.annotator, false, out);
            heap.extend(self.best(top.place));
        }
    }

    fn best(&self, place: usize) -> Option<Best> {
        let item = self.items[place];
        let v = self.variance[item].min(self.known.prior);
        let of = |&j: &usize| Best { gain: (v - after(v, self.known.drawn[j])) / self.price(j), place, annotator: j };
        self.who.iter().filter(|&&j| self.free(item, j)).map(of).reduce(|a, b| if b.gain > a.gain { b } else { a })
    }
}
