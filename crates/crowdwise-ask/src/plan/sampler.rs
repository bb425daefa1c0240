//! Gibbs draws of a crowd with easiness: classes, easiness of items and confusions of annotators *together*.
//!
//! A label comes from the annotator's confusions with probability g, which is the easiness of the item, else from the annotator's
//! habit. Classes and confusions that are drawn apart, each around its own mean, make annotators more alike than they are, and
//! predictions too low.

use crate::answers::Answers;
use crate::model::{Model, normalise_columns};
use crate::score::Habits;
use crowdwise_core::stream;
use crowdwise_numerics::mcmc::dirichlet;
use rand::{Rng, RngExt};
use rayon::prelude::*;

/// Levels of easiness …
pub const LEVELS: [f64; 4] = [1.0, 0.7, 0.4, 0.1];
/// … how common they are taken to be, and how many items that belief is worth, as a share of those that there are.
const SHARES: [f64; 4] = [0.55, 0.2, 0.15, 0.1];
const WEIGHT: f64 = 0.1;
/// Labels by which the columns of an annotator are drawn to those of the crowd.
const STRENGTH: f64 = 4.0;
/// The crowd's columns are drawn to this diagonal, by as much as so many annotators.
const DIAGONAL: f64 = 0.75;
const BASE: f64 = 3.0;
/// Sweeps before the first draw, and from one draw to the next.
const BURN_IN: usize = 25;
const THIN: usize = 5;
/// Least probability of a label.
const FLOOR: f64 = 1e-12;

/// Items and annotators that share a stream of random numbers: the cut does not depend on the threads.
const ITEMS: usize = 1024;
const ANNOTATORS: usize = 64;

/// One draw of all that is not known.
#[derive(Clone, Debug)]
pub struct Draw {
    pub truth: Vec<u16>,
    /// Level of easiness of each item, as in [`LEVELS`].
    pub level: Vec<u8>,
    /// Confusions, laid out as [`Model::b`].
    pub confusions: Vec<f64>,
}

/// Draws from the posterior, starting from a model of the same answers.
pub fn draws(answers: &Answers, model: &Model, habits: &Habits, n: usize, seed: u64) -> Vec<Draw> {
    let mut chain = Chain::new(answers, model, habits, seed);
    let mut out = Vec::with_capacity(n);
    for sweep in 0..BURN_IN + THIN * n {
        chain.sweep(sweep as u64);
        if sweep >= BURN_IN && (sweep - BURN_IN) % THIN == THIN - 1 {
            out.push(Draw {
                truth: chain.truth.clone(),
                level: chain.level.clone(),
                confusions: chain.confusions.clone(),
            });
        }
    }
    out
}

struct Chain<'a> {
    answers: &'a Answers,
    habits: &'a Habits,
    seed: u64,
    /// Shares of the classes, as the model has them.
    prior: Vec<f64>,
    /// Shares of the levels.
    shares: [f64; 4],
    truth: Vec<u16>,
    level: Vec<u8>,
    confusions: Vec<f64>,
}

/// What a block of items came to.
struct Block {
    truth: Vec<u16>,
    level: Vec<u8>,
    /// For every label, whether it comes from the confusions.
    own: Vec<bool>,
}

impl<'a> Chain<'a> {
    fn new(answers: &'a Answers, model: &Model, habits: &'a Habits, seed: u64) -> Chain<'a> {
        Chain {
            answers,
            habits,
            seed,
            prior: model.log_prior.iter().map(|l| l.exp()).collect(),
            shares: SHARES,
            truth: Vec::new(),
            level: Vec::new(),
            confusions: model.confusions(),
        }
    }

    fn sweep(&mut self, sweep: u64) {
        let (n, k) = (self.answers.n_items(), self.answers.k());
        let blocks = n.div_ceil(ITEMS);
        let found: Vec<Block> = (0..blocks)
            .into_par_iter()
            .map(|b| {
                let mut rng = stream(self.seed, "plan: items", sweep * blocks as u64 + b as u64);
                self.items(b * ITEMS..((b + 1) * ITEMS).min(n), &mut rng)
            })
            .collect();
        // whole numbers: no order of adding changes them
        let mut counts = vec![0.0; self.confusions.len()];
        (self.truth, self.level) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for block in found {
            let first = self.truth.len();
            let mut own = block.own.iter();
            for (at, &class) in block.truth.iter().enumerate() {
                let (who, what) = self.answers.of(first + at);
                for ((&j, &l), &own) in who.iter().zip(what).zip(&mut own) {
                    if own {
                        counts[(j as usize * k + l as usize) * k + class as usize] += 1.0;
                    }
                }
            }
            self.truth.extend(block.truth);
            self.level.extend(block.level);
        }
        let crowd = crowd(&counts, k);
        let size = k * k;
        self.confusions.par_chunks_mut(ANNOTATORS * size).enumerate().for_each(|(b, own)| {
            let mut rng = stream(self.seed, "plan: annotators", (sweep << 32) + b as u64);
            let (mut shapes, mut column) = (vec![0.0; k], vec![0.0; k]);
            let counts = &counts[b * ANNOTATORS * size..][..own.len()];
            for (own, counts) in own.chunks_exact_mut(size).zip(counts.chunks_exact(size)) {
                for c in 0..k {
                    (0..k).for_each(|l| shapes[l] = counts[l * k + c] + STRENGTH * crowd[l * k + c]);
                    dirichlet(&mut rng, &shapes, &mut column);
                    (0..k).for_each(|l| own[l * k + c] = column[l]);
                }
            }
        });
        let mut shapes = SHARES.map(|s| WEIGHT * n as f64 * s);
        self.level.iter().for_each(|&g| shapes[g as usize] += 1.0);
        dirichlet(&mut stream(self.seed, "plan: levels", sweep), &shapes, &mut self.shares);
    }

    /// Classes and levels of some items, and where each of their labels comes from.
    fn items(&self, items: std::ops::Range<usize>, rng: &mut impl Rng) -> Block {
        let k = self.answers.k();
        let mut out = Block { truth: Vec::new(), level: Vec::new(), own: Vec::new() };
        let mut weight = vec![0.0; k * LEVELS.len()];
        for item in items {
            for (w, p) in weight.chunks_exact_mut(LEVELS.len()).zip(&self.prior) {
                (0..LEVELS.len()).for_each(|g| w[g] = p * self.shares[g]);
            }
            let (who, what) = self.answers.of(item);
            for (at, (&j, &l)) in who.iter().zip(what).enumerate() {
                let from = (j as usize * k + l as usize) * k;
                let habit = self.habits.of_annotator(j as usize)[l as usize];
                for (w, a) in weight.chunks_exact_mut(LEVELS.len()).zip(&self.confusions[from..from + k]) {
                    for (w, g) in w.iter_mut().zip(LEVELS) {
                        *w *= g * a + (1.0 - g) * habit + FLOOR;
                    }
                }
                if at % 16 == 15 {
                    let top = weight.iter().copied().fold(0.0, f64::max);
                    weight.iter_mut().for_each(|w| *w /= top);
                }
            }
            let drawn = drawn(&weight, rng);
            let (class, level) = (drawn / LEVELS.len(), drawn % LEVELS.len());
            out.truth.push(class as u16);
            out.level.push(level as u8);
            let g = LEVELS[level];
            for (&j, &l) in who.iter().zip(what) {
                let own = g * self.confusions[(j as usize * k + l as usize) * k + class];
                let habit = (1.0 - g) * self.habits.of_annotator(j as usize)[l as usize];
                out.own.push(rng.random::<f64>() * (own + habit) < own);
            }
        }
        out
    }
}

/// The crowd's columns: the mean of those of the annotators, and the base.
fn crowd(counts: &[f64], k: usize) -> Vec<f64> {
    let other = (1.0 - DIAGONAL) / (k.max(2) - 1) as f64;
    let mut out: Vec<f64> = (0..k * k).map(|at| BASE * if at / k == at % k { DIAGONAL } else { other }).collect();
    for counts in counts.chunks_exact(k * k) {
        for c in 0..k {
            let n: f64 = (0..k).map(|l| counts[l * k + c]).sum();
            (0..k).for_each(|l| out[l * k + c] += counts[l * k + c] / (n + STRENGTH));
        }
    }
    normalise_columns(&mut out, k);
    out
}

/// A number drawn with these weights.
pub(super) fn drawn(weights: &[f64], rng: &mut impl Rng) -> usize {
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    for (at, w) in weights.iter().enumerate() {
        left -= w;
        if left < 0.0 {
            return at;
        }
    }
    weights.iter().rposition(|w| *w > 0.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Label;
    use crate::model::{Known, Settings};

    /// Annotators right with .6 to .95 on easy items, and a share of items on which all guess: classes of most easy items, the
    /// accuracies of annotators, and the share of items that are hard come out again.
    #[test]
    fn draws_find_the_crowd_again() {
        let mut rng = stream(7, "crowd", 0);
        let (items, annotators) = (1500usize, 12u32);
        let truth: Vec<u16> = (0..items).map(|_| rng.random_range(0..3)).collect();
        let hard: Vec<bool> = (0..items).map(|_| rng.random::<f64>() < 0.2).collect();
        let right = |j: u32| 0.6 + 0.35 * f64::from(j) / f64::from(annotators - 1);
        let mut labels = Vec::new();
        for item in 0..items {
            for j in 0..annotators {
                if rng.random::<f64>() < 0.5 {
                    let knows = !hard[item] && rng.random::<f64>() < right(j);
                    let class = if knows {
                        truth[item]
                    } else if hard[item] {
                        rng.random_range(0..3)
                    } else {
                        (truth[item] + rng.random_range(1..3)) % 3
                    };
                    labels.push(Label { item: item as u32, annotator: j, class });
                }
            }
        }
        let answers = Answers::from_labels(items, annotators as usize, 3, &labels);
        let model = Model::fitted(&answers, &Known::default(), Settings::default());
        let habits = Habits::of(&answers);
        let draws = draws(&answers, &model, &habits, 10, 1);
        let (mut found, mut easy, mut low) = (0.0, 0.0, 0.0);
        let mut diagonal = vec![0.0; annotators as usize];
        for draw in &draws {
            for item in (0..items).filter(|i| !hard[*i]) {
                easy += 1.0;
                found += f64::from(u8::from(draw.truth[item] == truth[item]));
            }
            low += draw.level.iter().filter(|g| **g >= 2).count() as f64 / items as f64 / draws.len() as f64;
            for (j, a) in draw.confusions.chunks_exact(9).enumerate() {
                diagonal[j] += (a[0] + a[4] + a[8]) / 3.0 / draws.len() as f64;
            }
        }
        // single draws, not the likeliest class: as often right as they are probable
        assert!(found / easy > 0.88, "{}", found / easy);
        // a fifth is hard; the levels .4 and .1 are hard to tell apart, and guessers agree by chance
        assert!((0.1..0.3).contains(&low), "{low}");
        for (j, have) in diagonal.iter().enumerate() {
            // errors may be blamed on the item or on the annotator: levels and accuracies are known together only
            assert!((have - right(j as u32)).abs() < 0.12, "{j}: {have} {}", right(j as u32));
        }
    }
}
