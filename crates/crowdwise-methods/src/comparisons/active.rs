//! Which comparison to ask for next: the pair and annotator whose answer is expected to tell most about items and
//! annotators (Chen, Bennett, Collins-Thompson and Horvitz 2013, section 4).

use crowdwise_core::{Annotators, Dataset, Error, Fit, Preference, Truth, stream};
use crowdwise_numerics::{digamma, ln_beta, logistic_both};
use rand::{Rng, RngExt};
use std::collections::BTreeSet;

/// How the next comparisons are chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivePairs {
    /// Weight of what is learned about the annotator beside what is learned about the items. 1 is what works: much less
    /// never finds out who is unreliable, much more asks about nothing else.
    pub gamma: f64,
    /// Share of comparisons drawn at random: without them a wrong belief can keep itself alive. Even with them the
    /// running belief of some runs stays turned round; a fit of all answers (`crowd-bt`) finds the right way.
    pub random: f64,
    /// Random triples (pair and annotator) among which the best is taken.
    pub candidates: usize,
    /// Prior of reliabilities: right and wrong answers taken as seen of everybody.
    pub prior: [f64; 2],
}

impl Default for ActivePairs {
    fn default() -> Self {
        ActivePairs { gamma: 1.0, random: 0.2, candidates: 1000, prior: [10.0, 1.0] }
    }
}

/// A comparison to ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    pub left: u32,
    pub right: u32,
    pub annotator: u32,
    /// Expected information in nats.
    pub gain: f64,
    /// Chosen by chance, not by its gain.
    pub random: bool,
}

/// What is believed of items and annotators: scores are normal, reliabilities have beta distributions.
#[derive(Clone, Debug)]
pub struct Belief {
    pub mean: Vec<f64>,
    pub variance: Vec<f64>,
    /// Right and wrong answers.
    pub reliability: Vec<[f64; 2]>,
}

/// What one answer makes of it.
struct Moved {
    winner: (f64, f64),
    loser: (f64, f64),
    reliability: [f64; 2],
    probability: f64,
}

/// Variances keep at least this share of themselves in one answer.
const KEPT: f64 = 1e-4;

impl Belief {
    /// Before any answer: scores around 0 with variance 1.
    pub fn new(items: usize, annotators: usize, prior: [f64; 2]) -> Belief {
        Belief { mean: vec![0.0; items], variance: vec![1.0; items], reliability: vec![prior; annotators] }
    }

    /// From a fit of scores: its scores and standard errors; right and wrong answers are counted by how probable each
    /// is under the fit.
    pub fn of_fit(data: &Dataset, fit: &Fit, prior: [f64; 2]) -> Result<Belief, Error> {
        let Truth::Scores { score, interval, .. } = &fit.truth else {
            return Err(Error::Unsupported { what: "the next pair needs a fit of scores".into(), hint: None });
        };
        let mut out = Belief::new(score.len(), data.table.n_annotators(), prior);
        out.mean.clone_from(score);
        // intervals are two standard errors wide to each side, more or less: only their relation matters
        for (v, [low, high]) in out.variance.iter_mut().zip(interval) {
            let sd = (high - low) / 3.92;
            *v = if sd.is_finite() { (sd * sd).clamp(1e-6, 100.0) } else { 100.0 };
        }
        let w = match &fit.annotators {
            Annotators::Accuracy { accuracy, .. } => Some(accuracy),
            _ => None,
        };
        let Some((pairs, said)) = data.table.preferences() else { return Ok(out) };
        for (u, &[l, r]) in pairs.iter().enumerate() {
            let (p, q) = logistic_both(score[l as usize] - score[r as usize]);
            for row in data.table.rows(u) {
                let j = data.table.annotator()[row] as usize;
                let w = w.map_or(prior[0] / (prior[0] + prior[1]), |w| w[j]);
                let right = match said[row] {
                    Preference::Left => w * p / (w * p + (1.0 - w) * q),
                    Preference::Right => w * q / (w * q + (1.0 - w) * p),
                    Preference::Tie => continue,
                };
                out.reliability[j][0] += right;
                out.reliability[j][1] += 1.0 - right;
            }
        }
        Ok(out)
    }

    /// Moments after annotator `j` prefers `i` to `k`.
    fn after(&self, i: usize, k: usize, j: usize) -> Moved {
        let ((mi, mk), (vi, vk)) = ((self.mean[i], self.mean[k]), (self.variance[i], self.variance[k]));
        let [a, b] = self.reliability[j];
        let (p, q) = logistic_both(mi - mk);
        let chance = (p + 0.5 * (vi + vk) * p * q * (q - p)).clamp(1e-4, 1.0 - 1e-4);
        let n = a + b;
        let probability = (chance * a + (1.0 - chance) * b) / n;
        let meant = a * p / (a * p + b * q);
        let (slope, curve) = (meant - p, meant * (1.0 - meant) - p * q);
        let narrowed = |v: f64| v * (1.0 + v * curve).max(KEPT);
        let first = (chance * (a + 1.0) * a + (1.0 - chance) * a * b) / (probability * (n + 1.0) * n);
        let second = (chance * (a + 2.0) * (a + 1.0) * a + (1.0 - chance) * (a + 1.0) * a * b)
            / (probability * (n + 2.0) * (n + 1.0) * n);
        let spread = (second - first * first).max(1e-9);
        let size = (first - second) / spread;
        Moved {
            winner: (mi + vi * slope, narrowed(vi)),
            loser: (mk - vk * slope, narrowed(vk)),
            reliability: [size * first, size * (1.0 - first)],
            probability,
        }
    }

    /// Takes in that annotator `j` prefers `i` to `k`.
    pub fn answer(&mut self, i: usize, k: usize, j: usize) {
        let m = self.after(i, k, j);
        (self.mean[i], self.variance[i]) = m.winner;
        (self.mean[k], self.variance[k]) = m.loser;
        self.reliability[j] = m.reliability;
    }

    /// Expected information of asking annotator `j` about `i` and `k`.
    pub fn gain(&self, i: usize, k: usize, j: usize, gamma: f64) -> f64 {
        let (x, y) = (self.after(i, k, j), self.after(k, i, j));
        let p = x.probability / (x.probability + y.probability);
        let of = |m: &Moved, w: usize, l: usize| {
            normals(m.winner, (self.mean[w], self.variance[w]))
                + normals(m.loser, (self.mean[l], self.variance[l]))
                + gamma * betas(m.reliability, self.reliability[j])
        };
        p * of(&x, i, k) + (1.0 - p) * of(&y, k, i)
    }

    /// What a question will have told on average, before its answer is known: variances shrink, means stay.
    fn expect(&mut self, i: usize, k: usize, j: usize) {
        let (x, y) = (self.after(i, k, j), self.after(k, i, j));
        let p = x.probability / (x.probability + y.probability);
        self.variance[i] = p * x.winner.1 + (1.0 - p) * y.loser.1;
        self.variance[k] = p * x.loser.1 + (1.0 - p) * y.winner.1;
        let [a, b] = &mut self.reliability[j];
        let n = *a + *b;
        (*a, *b) = (*a + *a / n, *b + *b / n);
    }
}

/// A question, whichever item is left.
fn key(i: usize, k: usize, j: usize) -> [usize; 3] {
    [i.min(k), i.max(k), j]
}

/// Kullback-Leibler divergence of normal distributions (mean, variance).
fn normals(new: (f64, f64), old: (f64, f64)) -> f64 {
    let ratio = new.1 / old.1;
    0.5 * (ratio + (new.0 - old.0).powi(2) / old.1 - 1.0 - ratio.ln())
}

/// Kullback-Leibler divergence of beta distributions.
fn betas([a, b]: [f64; 2], [c, d]: [f64; 2]) -> f64 {
    ln_beta(c, d) - ln_beta(a, b) + (a - c) * digamma(a) + (b - d) * digamma(b) + (c + d - a - b) * digamma(a + b)
}

impl ActivePairs {
    /// The next question, for at least two items and one annotator.
    pub fn choose(&self, belief: &Belief, rng: &mut impl Rng) -> Asked {
        self.choose_new(belief, rng, &BTreeSet::new())
    }

    /// The same, but none of `asked` (unordered pair and annotator) unless chance brings nothing else.
    fn choose_new(&self, belief: &Belief, rng: &mut impl Rng, asked: &BTreeSet<[usize; 3]>) -> Asked {
        let mut any = || {
            let n = belief.mean.len();
            let i = rng.random_range(0..n);
            let k = (i + rng.random_range(1..n)) % n;
            (i, k, rng.random_range(0..belief.reliability.len()), rng.random::<f64>())
        };
        let (i, k, j, luck) = any();
        let mut best = (i, k, j);
        let mut gain = belief.gain(i, k, j, self.gamma);
        let random = luck < self.random;
        let mut old = asked.contains(&key(i, k, j));
        if !random {
            for _ in 1..self.candidates {
                let (i, k, j, _) = any();
                if asked.contains(&key(i, k, j)) {
                    continue;
                }
                let g = belief.gain(i, k, j, self.gamma);
                if old || g > gain {
                    (best, gain, old) = ((i, k, j), g, false);
                }
            }
        }
        Asked { left: best.0 as u32, right: best.1 as u32, annotator: best.2 as u32, gain, random }
    }

    /// The next `n` questions without waiting for answers: each is chosen as if those before it had told what is
    /// expected of them.
    pub fn next(&self, belief: &Belief, n: usize, seed: u64) -> Vec<Asked> {
        if belief.mean.len() < 2 || belief.reliability.is_empty() {
            return Vec::new();
        }
        let mut rng = stream(seed, "next pairs", 0);
        let mut belief = belief.clone();
        let mut before = BTreeSet::new();
        (0..n)
            .map(|_| {
                let asked = self.choose_new(&belief, &mut rng, &before);
                let (i, k, j) = (asked.left as usize, asked.right as usize, asked.annotator as usize);
                before.insert(key(i, k, j));
                belief.expect(i, k, j);
                asked
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divergences_are_zero_at_home_and_positive_elsewhere() {
        assert!(normals((0.3, 2.0), (0.3, 2.0)).abs() < 1e-15 && betas([3.0, 2.0], [3.0, 2.0]).abs() < 1e-12);
        // KL of Beta(2, 1) from Beta(1, 1) is the integral of 2x ln 2x = ln 2 - 1/2
        assert!((betas([2.0, 1.0], [1.0, 1.0]) - (2f64.ln() - 0.5)).abs() < 1e-12);
        assert!((normals((1.0, 1.0), (0.0, 1.0)) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn an_answer_moves_the_belief_as_computed_by_the_independent_program() {
        // active_bt.py: update(.3, -.2, .8, .5, 10., 1.)
        let mut b = Belief { mean: vec![0.3, -0.2], variance: vec![0.8, 0.5], reliability: vec![[10.0, 1.0]] };
        b.answer(0, 1, 0);
        let want = [
            0.5562848213574385,
            -0.3601780133483991,
            0.6841029418287959,
            0.45472771165187337,
            10.224880258892426,
            0.9971000129834761,
        ];
        let have = [b.mean[0], b.mean[1], b.variance[0], b.variance[1], b.reliability[0][0], b.reliability[0][1]];
        for (h, w) in have.iter().zip(want) {
            assert!((h - w).abs() < 1e-9, "{have:?}");
        }
    }
}
