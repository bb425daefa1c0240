//! One Markov chain of CrowdSVM.

use super::CrowdSvm;
use crate::classes::optimisation::margin::{Votes, ln_pseudo_likelihood, rival};
use crowdwise_core::stats::softmax;
use crowdwise_numerics::ConjugateGradients;
use crowdwise_numerics::mcmc::dirichlet;
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
    pulls: Pulls,
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

/// The units' parts in the density of the weights: precision `square` along D_n, and `linear` D_n, where D_n is +1 for
/// annotators who said the unit's class and -1 for those who said its rival.
#[derive(Default)]
struct Pulls {
    square: Vec<f64>,
    linear: Vec<f64>,
    /// Entries of D_n are `first[n]..first[n + 1]`.
    first: Vec<usize>,
    who: Vec<u32>,
    sign: Vec<f64>,
}

impl Pulls {
    fn clear(&mut self) {
        self.square.clear();
        self.linear.clear();
        self.first.clear();
        self.first.push(0);
        self.who.clear();
        self.sign.clear();
    }

    fn entries(&self, n: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.first[n]..self.first[n + 1];
        self.who[range.clone()].iter().zip(&self.sign[range]).map(|(&j, &s)| (j as usize, s))
    }

    /// (prior I + Σ square D D') x.
    fn times(&self, prior: f64, x: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(x).for_each(|(o, x)| *o = prior * x);
        for (n, square) in self.square.iter().enumerate() {
            let by = square * self.entries(n).map(|(j, s)| s * x[j]).sum::<f64>();
            self.entries(n).for_each(|(j, s)| out[j] += s * by);
        }
    }

    /// A draw from the normal density with precision P = prior I + Σ square D D' and linear term b = Σ linear D: P x = b + e
    /// with e ~ N(0, P), solved by conjugate gradients from `start`. No M x M matrix is ever formed.
    fn draw(&self, prior: f64, start: &[f64], rng: &mut impl Rng) -> Vec<f64> {
        let m = start.len();
        let mut normal = || -> f64 { StandardNormal.sample(rng) };
        let mut goal: Vec<f64> = (0..m).map(|_| normal() * prior.sqrt()).collect();
        let mut diagonal = vec![prior; m];
        for (n, (square, linear)) in self.square.iter().zip(&self.linear).enumerate() {
            let by = linear + normal() * square.sqrt();
            for (j, s) in self.entries(n) {
                goal[j] += s * by;
                diagonal[j] += square;
            }
        }
        let scale: Vec<f64> = diagonal.iter().map(|d| 1.0 / d).collect();
        let mut x = start.to_vec();
        ConjugateGradients { max_iter: MOST_STEPS, accuracy: SOLVED }
            .solve(&mut x, &goal, &scale, |p, out| self.times(prior, p, out));
        x
    }
}

/// A margin that is met exactly would have infinite precision.
const LEAST: f64 = 1e-8;

/// Draws of 1/λ have no mean when a margin is met; beyond this they fix a margin to a hundredth of a vote over the penalty,
/// and would only make the linear system hard to solve.
const MOST_PRECISION: f64 = 1e4;

/// The weights solve a linear system by conjugate gradients: to this share of the right side (far below the noise of the
/// draw), in at most so many steps.
const SOLVED: f64 = 1e-4;
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
            pulls: Pulls::default(),
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
        self.draw_scales(p, votes);
        self.draw_weights(p);
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
    fn draw_scales(&mut self, p: &CrowdSvm, votes: &Votes<'_>) {
        let mut score = vec![0.0; votes.k];
        self.pulls.clear();
        for u in (0..votes.units).filter(|&u| votes.degree(u) > 0) {
            votes.scores(u, &self.weight, &mut score);
            let y = self.truth[u] as usize;
            let (other, rival) = rival(&score, y);
            let missed = p.margin - (score[y] - other);
            let mean = 1.0 / (p.penalty * missed.abs()).max(LEAST);
            let precision = inverse_gaussian(&mut self.rng, mean).min(MOST_PRECISION);
            self.pulls.square.push(p.penalty * p.penalty * precision);
            self.pulls.linear.push(p.penalty * (1.0 + p.penalty * p.margin * precision));
            for (j, l) in votes.of(u).filter(|&(_, l)| l == y || l == rival) {
                self.pulls.who.push(j as u32);
                self.pulls.sign.push(if l == y { 1.0 } else { -1.0 });
            }
            self.pulls.first.push(self.pulls.who.len());
        }
    }

    fn draw_weights(&mut self, p: &CrowdSvm) {
        let x = self.pulls.draw(1.0 / p.variance, &self.weight, &mut self.rng);
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

    /// Three annotators, two units: mean and covariance of the draws are P⁻¹ b and P⁻¹.
    #[test]
    fn weights_are_drawn_from_their_normal_density() {
        let pulls = Pulls {
            square: vec![2.0, 0.5],
            linear: vec![1.5, 0.7],
            first: vec![0, 2, 5],
            who: vec![0, 1, 0, 1, 2],
            sign: vec![1.0, -1.0, 1.0, 1.0, 1.0],
        };
        // P = I + 2 (1,-1,0)(1,-1,0)' + 0.5 (1,1,1)(1,1,1)'; along (1,-1,0), (1,1,-2), (1,1,1) it is 5, 1 and 2.5
        let u = [[1.0, -1.0, 0.0], [1.0, 1.0, -2.0], [1.0, 1.0, 1.0]];
        let value = [5.0, 1.0, 2.5];
        let square = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
        let inverse = |a: usize, b: usize| (0..3).map(|e| u[e][a] * u[e][b] / square(&u[e]) / value[e]).sum::<f64>();
        let b = [1.5 + 0.7, -1.5 + 0.7, 0.7];
        let mut rng = stream(2, "weights", 0);
        let n = 60_000;
        let (mut mean, mut moment) = ([0.0; 3], [[0.0; 3]; 3]);
        for _ in 0..n {
            let x = pulls.draw(1.0, &[1.0; 3], &mut rng);
            for i in 0..3 {
                mean[i] += x[i] / n as f64;
                (0..3).for_each(|j| moment[i][j] += x[i] * x[j] / n as f64);
            }
        }
        for i in 0..3 {
            let want: f64 = (0..3).map(|j| inverse(i, j) * b[j]).sum();
            assert!((mean[i] - want).abs() < 0.02, "{mean:?} {want}");
            for j in 0..3 {
                let have = moment[i][j] - mean[i] * mean[j];
                assert!((have - inverse(i, j)).abs() < 0.02, "{i} {j}: {have} {}", inverse(i, j));
            }
        }
    }
}
