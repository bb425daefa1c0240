//! The prior of the annotators' reliabilities, estimated from the comparisons: empirical Bayes.

use super::mixture::Mixture;

/// Values of w between which the reliability of an annotator is averaged.
const NODES: usize = 32;
/// Where the search starts: everybody reliable until proved otherwise.
const START: [f64; 2] = [0.99, 4.0];
/// Comparisons' worth of prior, at least and at most: one annotator's answers stay worth more than none, and less than all.
const WORTH: [f64; 2] = [0.5, 200.0];
/// Mean reliability at most; at least a half, since most are right: that tells the ranking from its reverse.
const BEST: f64 = 0.999;

/// How the annotators of a crowd differ: w ~ Beta with this mean, worth so many comparisons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crowd {
    mean: f64,
    worth: f64,
}

impl Crowd {
    pub const DEFAULT: Crowd = Crowd { mean: START[0], worth: START[1] };

    /// `alpha` and `beta` of the penalty w^(alpha - 1) (1 - w)^(beta - 1). It is the density of the logit of w, whose peak is
    /// near the mean; that of w itself has none when many guess and many are perfect.
    pub fn exponents(self) -> [f64; 2] {
        [1.0 + self.mean * self.worth, 1.0 + (1.0 - self.mean) * self.worth]
    }

    /// The crowd of these exponents.
    pub fn from_exponents([alpha, beta]: [f64; 2]) -> Crowd {
        let worth = alpha + beta - 2.0;
        Crowd { mean: (alpha - 1.0) / worth, worth }
    }

    /// Whether it is worth something.
    pub fn is_one(&self) -> bool {
        self.worth > 0.0
    }

    /// Whether both say nearly the same.
    pub fn near(self, other: Crowd) -> bool {
        (self.mean - other.mean).abs() < 0.005 && (self.worth / other.worth).ln().abs() < 0.1
    }

    /// The crowd under which the answers are likeliest, if the scores are those of `x`: every annotator's reliability is
    /// averaged over, none is estimated.
    pub fn of(m: &Mixture, x: &[f64]) -> Crowd {
        let told = Told::of(m, x);
        // in coordinates that may take any value
        let crowd = |u: [f64; 2]| Crowd {
            mean: 0.5 + (BEST - 0.5) / (1.0 + (-u[0]).exp()),
            worth: u[1].clamp(WORTH[0].ln(), WORTH[1].ln()).exp(),
        };
        let logit = |mean: f64| ((mean - 0.5) / (BEST - mean)).ln();
        let value = |u: [f64; 2]| if u[0].abs() > 12.0 { f64::NEG_INFINITY } else { told.evidence(crowd(u)) };
        let mut at = [logit(START[0]), START[1].ln()];
        let mut best = value(at);
        let mut step = 1.0;
        while step > 0.02 {
            let mut moved = false;
            for by in
                [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]
            {
                let there = [at[0] + step * by[0], at[1] + step * by[1]];
                let v = value(there);
                if v > best + 1e-9 {
                    (at, best, moved) = (there, v, true);
                }
            }
            if !moved {
                step *= 0.5;
            }
        }
        crowd(at)
    }
}

/// Probability of each annotator's answers for every value of w, over the largest.
struct Told {
    each: Vec<f64>,
    node: Vec<f64>,
    ln_weight: Vec<f64>,
}

impl Told {
    fn of(m: &Mixture, x: &[f64]) -> Told {
        let angle = |g: usize| (g as f64 + 0.5) * std::f64::consts::PI / NODES as f64;
        let node: Vec<f64> = (0..NODES).map(|g| 0.5 * (1.0 - angle(g).cos())).collect();
        let ln_weight = (0..NODES).map(|g| angle(g).sin().ln()).collect();
        let mut each = vec![0.0; m.n_annotators * NODES];
        // products, of which the logarithm is taken before they become too small
        let mut product = vec![1.0f64; each.len()];
        m.each_decision(x, |j, straight, turned| {
            let (sum, product) = (&mut each[j * NODES..][..NODES], &mut product[j * NODES..][..NODES]);
            for g in 0..NODES {
                let p = node[g] * straight + (1.0 - node[g]) * turned;
                product[g] *= p;
                if product[g] < 1e-200 {
                    sum[g] += product[g].max(f64::MIN_POSITIVE).ln();
                    product[g] = 1.0;
                }
            }
        });
        for (sum, product) in each.chunks_exact_mut(NODES).zip(product.chunks_exact(NODES)) {
            sum.iter_mut().zip(product).for_each(|(s, p)| *s += p.ln());
            let top = sum.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            sum.iter_mut().for_each(|s| *s = (*s - top).exp());
        }
        Told { each, node, ln_weight }
    }

    /// Logarithm of the probability of all answers under a crowd, but for a constant.
    fn evidence(&self, crowd: Crowd) -> f64 {
        let [a, b] = crowd.exponents().map(|e| e - 2.0); // the density of w itself
        let mut prior: Vec<f64> =
            self.node.iter().zip(&self.ln_weight).map(|(w, v)| a * w.ln() + b * (1.0 - w).ln() + v).collect();
        crowdwise_core::stats::softmax(&mut prior);
        let one = |row: &[f64]| row.iter().zip(&prior).map(|(p, q)| p * q).sum::<f64>().max(f64::MIN_POSITIVE).ln();
        self.each.chunks_exact(NODES).map(one).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, Preference, TableBuilder, stream};
    use rand::RngExt;

    /// Comparisons of eight items, 100 by each of 40 annotators, whose reliabilities are drawn from `from`.
    fn told(from: &[f64], seed: u64) -> Crowd {
        let mut rng = stream(seed, "crowds", 0);
        let mut b = TableBuilder::new(LabelKind::Preference);
        (0..8).for_each(|i| _ = b.items.intern(&format!("i{i}")));
        for j in 0..40 {
            let w = from[j % from.len()];
            for _ in 0..100 {
                let l = rng.random_range(0..8usize);
                let r = (l + rng.random_range(1..8)) % 8;
                let d = 0.8 * (l as f64 - r as f64);
                let better = rng.random::<f64>() < crowdwise_numerics::logistic(d);
                let left = better == (rng.random::<f64>() < w);
                let said = if left { Preference::Left } else { Preference::Right };
                b.preference(&format!("i{l}"), &format!("i{r}"), &format!("a{j}"), said);
            }
        }
        let m = Mixture::new(&b.finish().unwrap());
        let mut x = m.start();
        (0..8).for_each(|i| x[i] = 0.8 * i as f64);
        Crowd::of(&m, &x)
    }

    #[test]
    fn the_crowd_is_seen_in_its_answers() {
        // all alike and nearly perfect: nobody is given a reliability of their own
        let alike = told(&[1.0], 1);
        assert!(alike.mean > 0.98 && alike.exponents()[1] < 1.5, "{alike:?}");
        // mean 0.6, and very different
        let mixed = told(&[0.05, 0.5, 0.9, 0.95], 2);
        assert!((mixed.mean - 0.6).abs() < 0.08 && mixed.worth < 4.0, "{mixed:?}");
        // mean 0.8, all alike
        let same = told(&[0.8], 3);
        assert!((same.mean - 0.8).abs() < 0.03 && same.worth > 40.0, "{same:?}");
    }
}
