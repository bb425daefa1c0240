//! Intervals of annotators' accuracies on simulated crowds: 90 % of them hold the truth, give or take 5 points, for every
//! method with a likelihood, on data that its model describes.

#![allow(clippy::print_stderr)] // figures are said

use crowdwise_core::questions::annotators;
use crowdwise_core::{Context, Dataset, Entry, LabelKind, TableBuilder, stream};
use crowdwise_methods::METHODS;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::{Distribution, StandardNormal};

/// A crowd with known accuracies.
struct Crowd {
    items: usize,
    annotators: usize,
    per_item: usize,
    shares: &'static [f64],
    /// From a uniform number, the accuracy of an annotator, or its noise if errors go to near classes.
    quality: fn(f64) -> f64,
    errors: Errors,
}

#[derive(Clone, Copy, PartialEq)]
enum Errors {
    /// Every other class alike.
    Even,
    /// The next class, above or below.
    Beside,
    /// Items have positions that are normal, classes are ranges of them, annotators see positions with noise.
    Near,
}

/// The class of a position, from thresholds.
fn class_at(x: f64, thresholds: &[f64]) -> usize {
    thresholds.iter().filter(|&&t| x >= t).count()
}

/// Draws of a standard normal, their thresholds for these class shares, and nothing else: shares are what they come to.
fn thresholds(shares: &[f64]) -> Vec<f64> {
    let mut rng = stream(0, "thresholds", 0);
    let mut z: Vec<f64> = (0..100_000).map(|_| StandardNormal.sample(&mut rng)).collect();
    z.sort_by(f64::total_cmp);
    let mut sum = 0.0;
    let cut = |s: &f64| {
        sum += s;
        z[((sum * z.len() as f64) as usize).min(z.len() - 1)]
    };
    shares[..shares.len() - 1].iter().map(cut).collect()
}

impl Crowd {
    fn draw(&self, seed: u64) -> (Dataset, Vec<f64>) {
        let mut rng = stream(seed, "coverage", self.shares.len() as u64);
        let k = self.shares.len();
        let quality: Vec<f64> = (0..self.annotators).map(|_| (self.quality)(rng.random())).collect();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..k).for_each(|c| _ = b.classes.intern(&format!("{c}")));
        (0..self.annotators).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
        let mut who: Vec<usize> = (0..self.annotators).collect();
        let cuts = if self.errors == Errors::Near { thresholds(self.shares) } else { Vec::new() };
        let normal = |rng: &mut _| -> f64 { StandardNormal.sample(rng) };
        for i in 0..self.items {
            let item = b.items.intern(&format!("i{i}"));
            who.shuffle(&mut rng);
            let (mut u, at) = (rng.random::<f64>(), normal(&mut rng));
            let z = self.shares.iter().position(|s| {
                u -= s;
                u < 0.0
            });
            let z = z.unwrap_or(k - 1);
            for &j in &who[..self.per_item] {
                let l = match self.errors {
                    Errors::Near => class_at(at + quality[j] * normal(&mut rng), &cuts),
                    Errors::Even | Errors::Beside if rng.random_bool(quality[j]) => z,
                    Errors::Beside if z == 0 || (z + 1 < k && rng.random_bool(0.5)) => z + 1,
                    Errors::Beside => z - 1,
                    Errors::Even => (z + 1 + rng.random_range(0..k - 1)) % k,
                };
                b.label_codes(item, j as u32, l as u32).unwrap();
            }
        }
        let right = |s: &f64| {
            let draws = 20_000;
            let mut rng = stream(1, "accuracy", 0);
            let hit = |_: &usize| {
                let at = normal(&mut rng);
                class_at(at, &cuts) == class_at(at + s * normal(&mut rng), &cuts)
            };
            (0..draws).filter(hit).count() as f64 / draws as f64
        };
        let truth = if self.errors == Errors::Near { quality.iter().map(right).collect() } else { quality };
        (Dataset::new(b.finish().unwrap()), truth)
    }
}

/// Two and three classes; 75 and 90 labels an annotator, 5 and 6 on an item.
const TWO: Crowd = Crowd {
    items: 150,
    annotators: 10,
    per_item: 5,
    shares: &[0.6, 0.4],
    quality: |u| 0.6 + 0.35 * u,
    errors: Errors::Even,
};
const THREE: Crowd = Crowd {
    items: 180,
    annotators: 12,
    per_item: 6,
    shares: &[0.5, 0.3, 0.2],
    quality: |u| 0.5 + 0.45 * u,
    errors: Errors::Even,
};
const SEEDS: u64 = 60;

/// The crowds that the model of a method describes, and none for methods that are tested elsewhere.
fn crowds(id: &str) -> Vec<Crowd> {
    match id {
        // annotators guess or are right in 95 of 100 cases
        "spammer-hammer" => vec![
            Crowd { quality: |u| if u < 0.4 { 0.5 } else { 0.95 }, ..TWO },
            Crowd { quality: |u| if u < 0.4 { 1.0 / 3.0 } else { 0.95 }, ..THREE },
        ],
        // grades; with two of them noise and bias are hardly told apart
        "ordinal" => vec![Crowd { quality: |u| 0.3 + 0.7 * u, errors: Errors::Near, ..THREE }],
        "ordinal-vb" => vec![Crowd { errors: Errors::Beside, ..THREE }],
        // intervals of a posterior hold the truth as they say where the prior is right: `ibcc.rs` draws data from it
        "ibcc" => Vec::new(),
        _ => vec![TWO, THREE],
    }
}

/// Share of the intervals that hold the true accuracy, their number, and their mean width.
fn coverage(e: &Entry, crowd: &Crowd) -> (f64, usize, f64) {
    let (mut inside, mut all, mut width) = (0, 0, 0.0);
    for seed in 0..SEEDS {
        let (data, truth) = crowd.draw(seed);
        let fit = e.default().fit(&data, &mut Context::new(seed, 2)).unwrap();
        for (row, p) in annotators(&data, &fit).iter().zip(&truth) {
            let [low, high] = row.interval.unwrap();
            assert!((0.0..=1.0).contains(&low) && low <= high && high <= 1.0, "{}", e.info.id);
            inside += usize::from(low <= *p && *p <= high);
            width += high - low;
            all += 1;
        }
    }
    (inside as f64 / all as f64, all, width / all as f64)
}

/// 600 and 720 intervals: the standard error of a share of 0.9 is 1.2 points.
#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let mut bad = Vec::new();
    let likely = METHODS.iter().filter(|e| e.info.accepts.contains(&LabelKind::Categorical));
    for e in likely.filter(|e| e.info.capabilities.likelihood) {
        for crowd in crowds(e.info.id) {
            let (share, n, width) = coverage(e, &crowd);
            eprintln!("{} with {} classes: {share:.3} of {n}, mean width {width:.3}", e.info.id, crowd.shares.len());
            if !(0.85..=0.95).contains(&share) {
                bad.push(format!("{} ({} classes): {share:.3}", e.info.id, crowd.shares.len()));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}
