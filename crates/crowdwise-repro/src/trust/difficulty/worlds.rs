//! Crowds with items that differ, and crowds that grade.

use crowdwise::{Context, Dataset, Error, LabelKind, TableBuilder};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use std::fmt;

pub struct Drawn {
    pub data: Dataset,
    /// Class of every item, by its number.
    pub truth: Vec<usize>,
}

/// How items differ.
#[derive(Clone, Copy, Debug)]
pub enum Items {
    /// Not at all: annotators err independently given the class.
    Alike,
    /// Some blur all annotators, as in GLAD.
    Hard,
    /// For four in ten a wrong class is attractive.
    Misleading,
    /// Each leans towards some classes, right or wrong.
    Leaning,
}

impl fmt::Display for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Items::Alike => "items alike",
            Items::Hard => "easy and hard items",
            Items::Misleading => "misleading items",
            Items::Leaning => "items with leanings",
        })
    }
}

/// Annotators whose accuracies lie between .55 and .9 and differ by class.
pub fn items(
    world: Items,
    seed: u64,
    n: usize,
    annotators: usize,
    classes: usize,
    per_item: usize,
) -> Result<Drawn, Error> {
    let mut rng = Context::new(seed, 1).rng("difficulty items", classes as u64);
    let mut normal = {
        let mut rng = Context::new(seed, 1).rng("difficulty normal", classes as u64);
        move || -> f64 { StandardNormal.sample(&mut rng) }
    };
    // logarithms of P(label | truth), annotators x truth x label
    let mut own = Vec::with_capacity(annotators * classes * classes);
    for _ in 0..annotators {
        let skill: f64 = rng.random_range(0.55..0.9);
        for c in 0..classes {
            let right = (skill + 0.1 * normal()).clamp(0.05, 0.98);
            let weights: Vec<f64> = (0..classes).map(|_| rng.random_range(0.1..1.0)).collect();
            let wrong: f64 = weights.iter().enumerate().filter(|(l, _)| *l != c).map(|(_, w)| w).sum();
            let p = |(l, w): (usize, &f64)| if l == c { right } else { (1.0 - right) * w / wrong };
            own.extend(weights.iter().enumerate().map(p).map(f64::ln));
        }
    }
    let mut crowd = Crowd::new(classes, false);
    for i in 0..n {
        let truth = rng.random_range(0..classes);
        let ease = if matches!(world, Items::Hard) { (0.8 * normal()).exp() } else { 1.0 };
        let mut lean = vec![0.0; classes];
        match world {
            Items::Misleading if rng.random_bool(0.4) => {
                lean[(truth + rng.random_range(1..classes)) % classes] = rng.random_range(0.8..2.5);
            }
            Items::Leaning => lean.iter_mut().for_each(|x| *x = normal()),
            _ => {}
        }
        for j in rand::seq::index::sample(&mut rng, annotators, per_item.min(annotators)) {
            let row = &own[(j * classes + truth) * classes..][..classes];
            let weights: Vec<f64> = row.iter().zip(&lean).map(|(p, x)| (ease * p + x).exp()).collect();
            crowd.says(i, j, pick(&weights, rng.random()))?;
        }
        crowd.truth.push(truth);
    }
    crowd.finish()
}

/// Class shares of grades of which the lowest is the most frequent.
pub const SKEWED: [f64; 5] = [0.55, 0.25, 0.1, 0.06, 0.04];

/// A world of five grades.
#[derive(Clone, Copy, Debug)]
pub struct Grades {
    pub shares: [f64; 5],
    /// Scales of annotators, drawn between these: below 1 they shy away from the ends.
    pub stretch: (f64, f64),
    /// Share of annotators who guess, or always say the same.
    pub guess: f64,
    /// Errors fall on any grade: the order means nothing.
    pub anywhere: bool,
}

impl Default for Grades {
    fn default() -> Self {
        Grades { shares: [1.0; 5], stretch: (1.0, 1.0), guess: 0.0, anywhere: false }
    }
}

pub fn grades(world: &Grades, seed: u64, n: usize, annotators: usize, per_item: usize) -> Result<Drawn, Error> {
    let k = world.shares.len();
    let middle = (k - 1) as f64 / 2.0;
    let mut rng = Context::new(seed, 1).rng("difficulty grades", annotators as u64);
    let mut normal = {
        let mut rng = Context::new(seed, 1).rng("difficulty grades", u64::MAX);
        move || -> f64 { StandardNormal.sample(&mut rng) }
    };
    let people: Vec<(f64, f64, f64, bool)> = (0..annotators)
        .map(|_| {
            let (low, high) = world.stretch;
            let stretch = low + (high - low) * rng.random::<f64>();
            (0.4 * normal(), 0.7 * (0.4 * normal()).exp(), stretch, rng.random_bool(world.guess))
        })
        .collect();
    let mut crowd = Crowd::new(k, true);
    for i in 0..n {
        let truth = pick(&world.shares, rng.random());
        for j in rand::seq::index::sample(&mut rng, annotators, per_item.min(annotators)) {
            let (bias, noise, stretch, guesses) = people[j];
            let seen = middle + stretch * (truth as f64 - middle) + bias + noise * normal();
            let anywhere = rng.random_range(0..k);
            let label = match (guesses, world.anywhere) {
                // half of the guessers always say the same
                (true, _) => {
                    if j % 2 == 0 {
                        j / 2 % k
                    } else {
                        anywhere
                    }
                }
                (false, true) => {
                    if noise * normal().abs() > 0.8 {
                        anywhere
                    } else {
                        truth
                    }
                }
                (false, false) => seen.round().clamp(0.0, (k - 1) as f64) as usize,
            };
            crowd.says(i, j, label)?;
        }
        crowd.truth.push(truth);
    }
    crowd.finish()
}

/// The number whose weight holds `at` of the sum of all.
fn pick(weights: &[f64], at: f64) -> usize {
    let mut left = at * weights.iter().sum::<f64>();
    weights
        .iter()
        .position(|w| {
            left -= w;
            left < 0.0
        })
        .unwrap_or(weights.len() - 1)
}

struct Crowd {
    table: TableBuilder,
    truth: Vec<usize>,
}

impl Crowd {
    fn new(classes: usize, ordered: bool) -> Crowd {
        let mut table = TableBuilder::new(LabelKind::Categorical);
        table.ordered = ordered;
        (0..classes).for_each(|c| _ = table.classes.intern(&c.to_string()));
        Crowd { table, truth: Vec::new() }
    }

    fn says(&mut self, item: usize, annotator: usize, class: usize) -> Result<(), Error> {
        self.table.label(&format!("i{item}"), &format!("a{annotator}"), &class.to_string())
    }

    fn finish(self) -> Result<Drawn, Error> {
        Ok(Drawn { data: Dataset::new(self.table.finish()?), truth: self.truth })
    }
}
