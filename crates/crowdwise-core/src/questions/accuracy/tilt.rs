//! The posterior of one annotator's accuracy, given the classes of its items as everything else tells them.
//!
//! The accuracy is moved by one number θ that is added to the log-odds of being right in every class, errors keeping
//! their proportions: among all ways to change a matrix that is the one about which labels tell the least for the same
//! change of the accuracy, so that the interval is as wide as if the whole matrix were free. With e_k the present chance
//! of being right and e_k(θ) the moved one, a label l of an item with probabilities q multiplies the likelihood by
//!
//!   q_l e_l(θ) / e_l + Σ_k≠l q_k (1 - e_k(θ)) / (1 - e_k)
//!
//! which sums the class out of the likelihood without the label (q holds the label's own factor at θ = 0, and the
//! quotients put the moved one in its place).

use super::Rate;
use super::crowd::{Crowd, Model};
use crate::stats::softmax;
use crowdwise_numerics::logistic;
use rayon::prelude::*;

/// Points at which the posterior is computed, and how far they reach: sinh(REACH) standard deviations.
const POINTS: usize = 61;
const REACH: f64 = 3.2;
/// Newton's steps to the middle of them: they need not find it exactly.
const STEPS: usize = 25;
/// No chance of being right is nearer to 0 or 1.
const EDGE: f64 = 1e-6;
/// Log-odds are moved by no more.
const FAR: f64 = 40.0;

pub(super) fn rates(crowd: &Crowd<'_>, level: f64) -> Vec<Option<Rate>> {
    let m = crowd.c.table.n_annotators();
    let less = super::doubt::factors(crowd);
    (0..m).into_par_iter().map(|j| Labels::of(crowd, j).map(|l| l.rate(level, less[j]))).collect()
}

/// One annotator's labels: (probability, class) of the classes that the item may have, the label's own class first.
struct Labels<'a> {
    crowd: &'a Crowd<'a>,
    j: usize,
    /// Log-odds of being right, per class, and the shares of the classes; one entry if errors are alike in all.
    odds: Vec<f64>,
    shares: Vec<f64>,
}

impl<'a> Labels<'a> {
    fn of(crowd: &'a Crowd<'a>, j: usize) -> Option<Labels<'a>> {
        if crowd.c.table.by_annotator().rows(j).is_empty() {
            return None;
        }
        let k = crowd.k;
        let odds = |p: f64| {
            let p = p.clamp(EDGE, 1.0 - EDGE);
            (p / (1.0 - p)).ln()
        };
        let (odds, shares) = match &crowd.model {
            Model::Matrices(p) => ((0..k).map(|t| odds(p[(j * k + t) * k + t])).collect(), crowd.shares.clone()),
            Model::Coins(a) => (vec![odds(a[j])], vec![1.0]),
        };
        Some(Labels { crowd, j, odds, shares })
    }

    /// Calls `f` with the probabilities of the classes of each item and the label; for coins of right and wrong.
    fn each(&self, mut f: impl FnMut(&[f64], usize)) {
        let (k, index, codes) = (self.crowd.k, self.crowd.c.table.by_annotator(), self.crowd.c.codes);
        for (&r, &u) in index.rows(self.j).iter().zip(index.units(self.j)) {
            f(&self.crowd.q[u as usize * k..(u as usize + 1) * k], codes.get(r as usize));
        }
    }

    /// The factor of a label, from right and wrong factors per class.
    fn factor(&self, q: &[f64], l: usize, right: &[f64], wrong: &[f64]) -> f64 {
        if self.odds.len() == 1 {
            return q[l] * right[0] + (1.0 - q[l]).max(0.0) * wrong[0];
        }
        let all: f64 = q.iter().zip(wrong).map(|(q, w)| q * w).sum();
        all + q[l] * (right[l] - wrong[l])
    }

    /// e_k(θ) / e_k and (1 - e_k(θ)) / (1 - e_k).
    fn moved(&self, theta: f64) -> (Vec<f64>, Vec<f64>) {
        let one = |&o: &f64| {
            let (e, f) = (logistic(o + theta), logistic(-o - theta));
            (e / logistic(o), f / logistic(-o))
        };
        self.odds.iter().map(one).unzip()
    }

    fn accuracy(&self, theta: f64) -> f64 {
        self.odds.iter().zip(&self.shares).map(|(o, s)| s * logistic(o + theta)).sum()
    }

    /// ln of Jeffreys' prior of the accuracy, as a density of θ.
    fn ln_prior(&self, theta: f64) -> f64 {
        let (mut a, mut not, mut slope) = (0.0, 0.0, 0.0);
        for (o, s) in self.odds.iter().zip(&self.shares) {
            let (e, f) = (logistic(o + theta), logistic(-o - theta));
            a += s * e;
            not += s * f;
            slope += s * e * f;
        }
        slope.max(1e-300).ln() - 0.5 * (a.max(1e-300).ln() + not.max(1e-300).ln())
    }

    /// Slope and curvature of the ln posterior.
    fn slope(&self, theta: f64) -> (f64, f64) {
        let (right, wrong) = self.moved(theta);
        // of the factors: d/dθ and d²/dθ²
        let derive = |o: &f64| {
            let (e, f) = (logistic(o + theta), logistic(-o - theta));
            (e * f, e * f * (f - e))
        };
        let d: Vec<(f64, f64)> = self.odds.iter().map(derive).collect();
        let (r1, w1): (Vec<f64>, Vec<f64>) =
            self.odds.iter().zip(&d).map(|(o, d)| (d.0 / logistic(*o), -d.0 / logistic(-o))).unzip();
        let (r2, w2): (Vec<f64>, Vec<f64>) =
            self.odds.iter().zip(&d).map(|(o, d)| (d.1 / logistic(*o), -d.1 / logistic(-o))).unzip();
        let (mut g, mut h) = (0.0, 0.0);
        self.each(|q, l| {
            let s = self.factor(q, l, &right, &wrong).max(1e-300);
            let (a, b) = (self.factor(q, l, &r1, &w1) / s, self.factor(q, l, &r2, &w2) / s);
            g += a;
            h += b - a * a;
        });
        let (low, mid, high) = (self.ln_prior(theta - 1e-3), self.ln_prior(theta), self.ln_prior(theta + 1e-3));
        (g + (high - low) / 2e-3, h + (high - 2.0 * mid + low) / 1e-6)
    }

    /// The mode, about, and the standard deviation there.
    fn middle(&self) -> (f64, f64) {
        let mut theta = 0.0;
        let mut sd = 2.0;
        for _ in 0..STEPS {
            let (g, h) = self.slope(theta);
            // where the posterior is hollow a step uphill is all that is known
            let curve = if h < -1e-4 { -h } else { 0.25 };
            sd = 1.0 / curve.sqrt();
            let step = (g / curve).clamp(-2.0, 2.0);
            theta = f64::clamp(theta + step, -FAR, FAR);
            if step.abs() < 0.05 * sd {
                break;
            }
        }
        (theta, sd.min(4.0))
    }

    fn rate(&self, level: f64, less: f64) -> Rate {
        let (middle, sd) = self.middle();
        let sd = sd * less.sqrt();
        let at = |n: usize| {
            let x = (2.0 * n as f64 / (POINTS - 1) as f64 - 1.0) * REACH;
            (middle + sd * x.sinh()).clamp(-2.0 * FAR, 2.0 * FAR)
        };
        let theta: Vec<f64> = (0..POINTS).map(at).collect();
        let factors: Vec<(Vec<f64>, Vec<f64>)> = theta.iter().map(|&t| self.moved(t)).collect();
        let (mut ln, mut product, mut pending) = (vec![0.0; POINTS], vec![1.0; POINTS], 0);
        let flush = |ln: &mut [f64], product: &mut [f64]| {
            ln.iter_mut().zip(product.iter()).for_each(|(s, p)| *s += p.ln());
            product.fill(1.0);
        };
        self.each(|q, l| {
            for (p, (right, wrong)) in product.iter_mut().zip(&factors) {
                *p *= self.factor(q, l, right, wrong).clamp(1e-30, 1e30);
            }
            pending += 1;
            if pending == 8 {
                flush(&mut ln, &mut product);
                pending = 0;
            }
        });
        flush(&mut ln, &mut product);
        ln.iter_mut().for_each(|s| *s /= less);
        let most = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let rises = [ln[0] >= most, ln[POINTS - 1] >= most];
        let mut p: Vec<f64> = ln.iter().zip(&theta).map(|(l, &t)| l + self.ln_prior(t)).collect();
        softmax(&mut p);
        // the area to the left of each point, by trapezoids
        let mut area = vec![0.0; POINTS];
        for n in 1..POINTS {
            area[n] = area[n - 1] + 0.5 * (p[n] + p[n - 1]) * (theta[n] - theta[n - 1]);
        }
        let all = area[POINTS - 1];
        let quantile = |x: f64| {
            let n = area.partition_point(|a| *a < x * all).clamp(1, POINTS - 1);
            let part = ((x * all - area[n - 1]) / (area[n] - area[n - 1]).max(1e-300)).clamp(0.0, 1.0);
            self.accuracy(theta[n - 1] + part * (theta[n] - theta[n - 1]))
        };
        let tail = 0.5 * (1.0 - level);
        // a likelihood that is highest at the very end does not tell the end from its neighbours
        let low = if rises[0] { 0.0 } else { quantile(tail) };
        let high = if rises[1] { 1.0 } else { quantile(1.0 - tail) };
        let point = quantile(0.5).clamp(low, high);
        Rate { point, interval: [low, high] }
    }
}
