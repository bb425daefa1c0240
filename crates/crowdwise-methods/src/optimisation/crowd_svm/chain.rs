//! One Markov chain of CrowdSVM.

use super::CrowdSvm;
use crate::fast::dot;
use crate::mcmc::dirichlet;
use crate::optimisation::margin::{Votes, ln_pseudo_likelihood, rival};
use crowdwise_core::stats::softmax;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

pub(super) struct Chain {
    rng: ChaCha8Rng,
    /// The drawn class of every unit.
    truth: Vec<u16>,
    /// The weights of the votes.
    weight: Vec<f64>,
    /// Labels by annotator, class and label.
    counts: Vec<u32>,
    /// ln P(says l | truth k), by annotator, label, truth: a label's row is contiguous.
    ln_said: Vec<f64>,
    pub sums: Sums,
    /// Mean accuracy (weighted by labels) and log-likelihood of every sweep since the last [`Chain::forget`].
    pub accuracy_trace: Vec<f64>,
    pub likelihood_trace: Vec<f64>,
    pub ln_likelihood: f64,
    /// Share of units whose class changed in the last sweep.
    pub moved: f64,
}

/// Sums over sweeps.
pub(super) struct Sums {
    pub sweeps: usize,
    /// Conditional probabilities, units x K.
    pub posterior: Vec<f64>,
    /// Confusion matrices, row = truth.
    pub confusion: Vec<f64>,
    pub weight: Vec<f64>,
}

/// A unit's part in the density of the weights: precision `square` along D_n, and `linear` D_n.
struct Pull {
    rival: u16,
    square: f64,
    linear: f64,
}

/// A margin that is met exactly would have infinite precision.
const LEAST: f64 = 1e-8;

/// The weights solve a linear system by conjugate gradients: to this share of the right side, in at most so many steps.
const SOLVED: f64 = 1e-6;
const MOST_STEPS: usize = 300;

impl Chain {
    /// Starts at the majority class, ties at random, and weights 1.
    pub fn new(votes: &Votes<'_>, mut rng: ChaCha8Rng) -> Chain {
        let (k, m) = (votes.k, votes.m);
        let mut score = vec![0.0; k];
        let weight = vec![1.0; m];
        let mut truth = vec![0u16; votes.units];
        for (u, t) in truth.iter_mut().enumerate() {
            if let Some(c) = votes.known(u) {
                *t = c as u16;
                continue;
            }
            votes.scores(u, &weight, &mut score);
            let most = score.iter().copied().fold(0.0, f64::max);
            let tied: Vec<usize> = (0..k).filter(|&c| score[c] == most).collect();
            *t = tied[if tied.len() > 1 { rng.random_range(0..tied.len()) } else { 0 }] as u16;
        }
        Chain {
            rng,
            truth,
            weight,
            counts: vec![0; m * k * k],
            ln_said: vec![0.0; m * k * k],
            sums: Sums {
                sweeps: 0,
                posterior: vec![0.0; votes.units * k],
                confusion: vec![0.0; m * k * k],
                weight: vec![0.0; m],
            },
            accuracy_trace: Vec::new(),
            likelihood_trace: Vec::new(),
            ln_likelihood: 0.0,
            moved: 0.0,
        }
    }

    /// Drops what burn-in summed up.
    pub fn forget(&mut self) {
        self.sums.sweeps = 0;
        self.sums.posterior.fill(0.0);
        self.sums.confusion.fill(0.0);
        self.sums.weight.fill(0.0);
        self.accuracy_trace.clear();
        self.likelihood_trace.clear();
    }

    /// Confusion matrices, weights and classes, each given the others.
    pub fn sweep(&mut self, p: &CrowdSvm, votes: &Votes<'_>) {
        self.draw_matrices(p, votes);
        let pulls = self.draw_scales(p, votes);
        self.draw_weights(p, votes, &pulls);
        self.sums.sweeps += 1;
        self.sums.weight.iter_mut().zip(&self.weight).for_each(|(s, w)| *s += w);
        self.draw_truth(p, votes);
    }

    fn draw_matrices(&mut self, p: &CrowdSvm, votes: &Votes<'_>) {
        let k = votes.k;
        self.counts.fill(0);
        for u in 0..votes.units {
            let t = self.truth[u] as usize;
            for (j, l) in votes.of(u) {
                self.counts[(j * k + t) * k + l] += 1;
            }
        }
        let (mut shapes, mut row) = (vec![0.0; k], vec![0.0; k]);
        let (mut right, mut total) = (0.0, 0.0);
        for j in 0..votes.m {
            let of = &self.counts[j * k * k..(j + 1) * k * k];
            let n = of.iter().sum::<u32>() as f64;
            let mut diagonal = 0.0;
            for t in 0..k {
                shapes.iter_mut().zip(&of[t * k..]).for_each(|(s, &c)| *s = c as f64 + p.alpha);
                dirichlet(&mut self.rng, &shapes, &mut row);
                diagonal += row[t] / k as f64;
                for (l, x) in row.iter().enumerate() {
                    self.sums.confusion[(j * k + t) * k + l] += x;
                    self.ln_said[(j * k + l) * k + t] = x.ln();
                }
            }
            right += n * diagonal;
            total += n;
        }
        self.accuracy_trace.push(right / f64::max(total, 1.0));
    }

    /// The scale mixture that turns a hinge into a normal density: 1/λ_n ~ inverse Gaussian(1 / (c |ζ_n|), 1).
    fn draw_scales(&mut self, p: &CrowdSvm, votes: &Votes<'_>) -> Vec<Pull> {
        let mut score = vec![0.0; votes.k];
        let mut pulls = Vec::with_capacity(votes.units);
        for u in 0..votes.units {
            if votes.degree(u) == 0 {
                pulls.push(Pull { rival: 0, square: 0.0, linear: 0.0 });
                continue;
            }
            votes.scores(u, &self.weight, &mut score);
            let y = self.truth[u] as usize;
            let (other, rival) = rival(&score, y);
            let missed = p.margin - (score[y] - other);
            let precision = inverse_gaussian(&mut self.rng, 1.0 / (p.penalty * missed.abs()).max(LEAST));
            pulls.push(Pull {
                rival: rival as u16,
                square: p.penalty * p.penalty * precision,
                linear: p.penalty * (1.0 + p.penalty * p.margin * precision),
            });
        }
        pulls
    }

    /// D_n . x, where D_n is +1 for annotators who said the unit's class and -1 for those who said its rival.
    fn along(&self, votes: &Votes<'_>, u: usize, pull: &Pull, x: &[f64]) -> f64 {
        let (y, s) = (self.truth[u] as usize, pull.rival as usize);
        votes
            .of(u)
            .map(|(j, l)| {
                if l == y {
                    x[j]
                } else if l == s {
                    -x[j]
                } else {
                    0.0
                }
            })
            .sum()
    }

    fn add_along(&self, votes: &Votes<'_>, u: usize, pull: &Pull, by: f64, x: &mut [f64]) {
        let (y, s) = (self.truth[u] as usize, pull.rival as usize);
        for (j, l) in votes.of(u) {
            if l == y {
                x[j] += by;
            } else if l == s {
                x[j] -= by;
            }
        }
    }

    /// A draw from the normal density with precision P = I/v + Σ square D D' and linear term b = Σ linear D: P x = b + e with
    /// e ~ N(0, P), solved by conjugate gradients. No M x M matrix is ever formed.
    fn draw_weights(&mut self, p: &CrowdSvm, votes: &Votes<'_>, pulls: &[Pull]) {
        let m = votes.m;
        let prior = 1.0 / p.variance;
        let mut rng = self.rng.clone();
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let mut goal: Vec<f64> = (0..m).map(|_| normal() * prior.sqrt()).collect();
        let mut diagonal = vec![prior; m];
        for (u, pull) in pulls.iter().enumerate().filter(|(_, p)| p.square > 0.0) {
            self.add_along(votes, u, pull, pull.linear + normal() * pull.square.sqrt(), &mut goal);
            let (y, s) = (self.truth[u] as usize, pull.rival as usize);
            votes.of(u).filter(|&(_, l)| l == y || l == s).for_each(|(j, _)| diagonal[j] += pull.square);
        }
        self.rng = rng;
        let times = |x: &[f64], out: &mut [f64]| {
            out.iter_mut().zip(x).for_each(|(o, x)| *o = prior * x);
            for (u, pull) in pulls.iter().enumerate().filter(|(_, p)| p.square > 0.0) {
                let by = pull.square * self.along(votes, u, pull, x);
                self.add_along(votes, u, pull, by, out);
            }
        };
        let mut x = self.weight.clone();
        let mut product = vec![0.0; m];
        times(&x, &mut product);
        let mut rest: Vec<f64> = goal.iter().zip(&product).map(|(g, p)| g - p).collect();
        let mut scaled: Vec<f64> = rest.iter().zip(&diagonal).map(|(r, d)| r / d).collect();
        let mut direction = scaled.clone();
        let mut size = dot(&rest, &scaled);
        let enough = SOLVED * SOLVED * goal.iter().zip(&diagonal).map(|(g, d)| g * g / d).sum::<f64>();
        for _ in 0..MOST_STEPS {
            if size <= enough {
                break;
            }
            times(&direction, &mut product);
            let step = size / dot(&direction, &product);
            x.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * d);
            rest.iter_mut().zip(&product).for_each(|(r, p)| *r -= step * p);
            scaled.iter_mut().zip(rest.iter().zip(&diagonal)).for_each(|(s, (r, d))| *s = r / d);
            let next = dot(&rest, &scaled);
            direction.iter_mut().zip(&scaled).for_each(|(d, s)| *d = s + next / size * *d);
            size = next;
        }
        if x.iter().all(|w| w.is_finite()) {
            self.weight = x;
        }
    }

    /// Draws the class of every unit, the scales summed out; the conditional probabilities, not the draws, are added up.
    fn draw_truth(&mut self, p: &CrowdSvm, votes: &Votes<'_>) {
        let k = votes.k;
        let mut row = vec![0.0; k];
        let (mut ln, mut moved, mut units) = (0.0, 0u64, 0u64);
        for u in 0..votes.units {
            let sums = &mut self.sums.posterior[u * k..(u + 1) * k];
            if let Some(c) = votes.known(u) {
                sums[c] += 1.0;
                continue;
            }
            if votes.degree(u) == 0 {
                sums.iter_mut().for_each(|s| *s += 1.0 / k as f64);
                continue;
            }
            votes.scores(u, &self.weight, &mut row);
            ln_pseudo_likelihood(&mut row, p.penalty, p.margin);
            if p.confusion {
                for (j, l) in votes.of(u) {
                    row.iter_mut().zip(&self.ln_said[(j * k + l) * k..]).for_each(|(r, a)| *r += a);
                }
            }
            ln += softmax(&mut row);
            let mut at = self.rng.random::<f64>();
            let mut drawn = k - 1;
            let mut open = true;
            for c in 0..k {
                sums[c] += row[c];
                at -= row[c];
                if open && at < 0.0 {
                    drawn = c;
                    open = false;
                }
            }
            units += 1;
            moved += u64::from(self.truth[u] as usize != drawn);
            self.truth[u] = drawn as u16;
        }
        self.moved = moved as f64 / units.max(1) as f64;
        self.ln_likelihood = ln;
        self.likelihood_trace.push(ln);
    }
}

/// A draw from the inverse Gaussian distribution with this mean and shape 1 (Michael, Schucany and Haas), in a form without
/// cancellation for large means.
fn inverse_gaussian(rng: &mut impl Rng, mean: f64) -> f64 {
    let z: f64 = StandardNormal.sample(rng);
    let w = mean * z * z;
    let x = mean / (1.0 + 0.5 * w + (w + 0.25 * w * w).sqrt());
    if rng.random::<f64>() * (mean + x) <= mean { x } else { mean * (mean / x) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;

    /// Mean µ, variance µ³, and E[1/x] = 1/µ + 1.
    #[test]
    fn inverse_gaussian_draws_have_the_right_moments() {
        let mut rng = stream(1, "inverse gaussian", 0);
        for mean in [0.3f64, 1.0, 2.0] {
            let n = 200_000;
            let (mut m, mut inverse) = (0.0, 0.0);
            for _ in 0..n {
                let x = inverse_gaussian(&mut rng, mean);
                m += x / n as f64;
                inverse += 1.0 / x / n as f64;
            }
            let error = (mean.powi(3) / n as f64).sqrt();
            assert!((m - mean).abs() < 5.0 * error, "{m} {mean}");
            assert!((inverse / (1.0 / mean + 1.0) - 1.0).abs() < 0.03, "{inverse} {mean}");
        }
        assert!((0..1000).all(|_| inverse_gaussian(&mut rng, 1e8).is_finite()));
    }
}
