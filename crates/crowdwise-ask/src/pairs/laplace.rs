//! What comparisons say of scores: a normal distribution around the most probable ones.

use crowdwise_numerics::{Cholesky, logistic_both};

/// Scores are normal around 0 with this precision before any comparison.
pub const PRECISION: f64 = 0.3;
/// Newton steps, and the change below which no more are made.
const STEPS: usize = 20;
const SETTLED: f64 = 1e-6;

/// Nodes and weights of the Gauss-Hermite rule with nine nodes, for a standard normal.
const NODES: [(f64, f64); 9] = [
    (-4.512_745_863_399_783, 2.234_584_400_774_656_6e-5),
    (-3.205_429_002_856_47, 0.002_789_141_321_231_772),
    (-2.076_847_978_677_83, 0.049_916_406_765_217_86),
    (-1.023_255_663_789_132_6, 0.244_097_502_894_939_37),
    (0.0, 0.406_349_206_349_206_35),
    (1.023_255_663_789_132_6, 0.244_097_502_894_939_37),
    (2.076_847_978_677_83, 0.049_916_406_765_217_86),
    (3.205_429_002_856_47, 0.002_789_141_321_231_772),
    (4.512_745_863_399_783, 2.234_584_400_774_656_6e-5),
];

/// How often the first of two items won against the second, and lost; ties are half of each. An answer that is right only
/// sometimes counts for less than 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Games {
    pub first: u32,
    pub second: u32,
    pub won: f64,
    pub lost: f64,
}

/// Most probable scores of items (numbered from 0) and what is left open.
#[derive(Clone, Debug)]
pub struct Scores {
    pub mean: Vec<f64>,
    spread: Spread,
}

#[derive(Clone, Debug)]
enum Spread {
    /// Covariance, items x items.
    Joint(Vec<f64>),
    /// Variances of scores that are taken as independent.
    Apart(Vec<f64>),
}

impl Scores {
    /// Before any comparison.
    pub fn prior(items: usize) -> Scores {
        Scores { mean: vec![0.0; items], spread: Spread::Apart(vec![1.0 / PRECISION; items]) }
    }

    /// Known means and variances, where the covariances of so many items would not fit.
    pub fn apart(mean: Vec<f64>, variance: Vec<f64>) -> Scores {
        Scores { mean, spread: Spread::Apart(variance) }
    }

    /// Bradley-Terry scores under the normal prior, by Newton's method from `start`.
    pub fn fit(items: usize, games: &[Games], start: Option<&[f64]>) -> Scores {
        if games.is_empty() {
            return Scores::prior(items);
        }
        let mut mean = start.map_or_else(|| vec![0.0; items], <[f64]>::to_vec);
        let mut factor = None;
        for _ in 0..STEPS {
            let mut h = vec![0.0; items * items];
            let mut step: Vec<f64> = mean.iter().map(|s| -PRECISION * s).collect();
            (0..items).for_each(|i| h[i * items + i] = PRECISION);
            for g in games {
                let (i, j) = (g.first as usize, g.second as usize);
                let (p, q) = logistic_both(mean[i] - mean[j]);
                let (slope, curve) = (g.won * q - g.lost * p, (g.won + g.lost) * p * q);
                step[i] += slope;
                step[j] -= slope;
                h[i * items + i] += curve;
                h[j * items + j] += curve;
                h[i * items + j] -= curve;
                h[j * items + i] -= curve;
            }
            let root = Cholesky::with_floor(items, h, 1e-9);
            root.solve(&mut step);
            mean.iter_mut().zip(&step).for_each(|(s, d)| *s += d);
            factor = Some(root);
            if step.iter().all(|d| d.abs() < SETTLED) {
                break;
            }
        }
        let covariance = factor.map(|f| f.inverse()).unwrap_or_default();
        Scores { mean, spread: Spread::Joint(covariance) }
    }

    /// Variance of the difference of two scores.
    pub fn variance(&self, i: usize, j: usize) -> f64 {
        let n = self.mean.len();
        let v = match &self.spread {
            Spread::Joint(v) => v[i * n + i] + v[j * n + j] - 2.0 * v[i * n + j],
            Spread::Apart(v) => v[i] + v[j],
        };
        v.max(1e-12)
    }

    /// Probability that `i` wins against `j`, and what the answer tells of the scores in nats: the entropy of the answer
    /// less its mean entropy if the scores were known.
    pub fn gain(&self, i: usize, j: usize) -> (f64, f64) {
        let (d, sd) = (self.mean[i] - self.mean[j], self.variance(i, j).sqrt());
        let (mut chance, mut known) = (0.0, 0.0);
        for (x, w) in NODES {
            let p = logistic_both(d + sd * x).0;
            chance += w * p;
            known += w * entropy(p);
        }
        (chance, (entropy(chance) - known).max(0.0))
    }
}

/// Of a yes or no with probability `p`, in nats.
fn entropy(p: f64) -> f64 {
    let of = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    of(p) + of(1.0 - p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_items_by_hand() {
        // s = -t with 0.3 s = 3 (1 - p) - 1 p at p = sigmoid(2 s): solved by bisection
        let games = [Games { first: 0, second: 1, won: 3.0, lost: 1.0 }];
        let found = Scores::fit(2, &games, None);
        let at = |s: f64| {
            let p = 1.0 / (1.0 + (-2.0 * s).exp());
            3.0 * (1.0 - p) - p - PRECISION * s
        };
        let (mut low, mut high) = (0.0, 2.0);
        for _ in 0..60 {
            let mid = f64::midpoint(low, high);
            if at(mid) > 0.0 { low = mid } else { high = mid }
        }
        assert!((found.mean[0] - low).abs() < 1e-6 && (found.mean[1] + low).abs() < 1e-6, "{:?}", found.mean);
        // the difference has precision: H = .3 I + w [1 -1; -1 1] has the value .3 + 2 w along (1, -1) / sqrt 2
        let p = 1.0 / (1.0 + (-2.0 * low).exp());
        assert!((found.variance(0, 1) - 2.0 / (PRECISION + 8.0 * p * (1.0 - p))).abs() < 1e-5);
    }

    #[test]
    fn a_gain_is_the_mutual_information() {
        // against a fine sum over the normal distribution
        for (d, v) in [(0.0, 1.0), (0.7, 0.5), (-2.0, 3.0), (1.0, 1e-6)] {
            let scores = Scores::apart(vec![d, 0.0], vec![v, 0.0]);
            let (mut chance, mut known, mut total) = (0.0, 0.0, 0.0);
            for step in -8000..=8000 {
                let x = f64::from(step) / 1000.0;
                let w = (-x * x / 2.0).exp();
                let p = 1.0 / (1.0 + (-(d + f64::sqrt(v) * x)).exp());
                total += w;
                chance += w * p;
                known += w * entropy(p);
            }
            let (p, gain) = scores.gain(0, 1);
            let want = entropy(chance / total) - known / total;
            assert!((p - chance / total).abs() < 1e-4 && (gain - want).abs() < 3e-4, "{d} {v}: {gain} {want}");
        }
        assert!(Scores::prior(2).gain(0, 1).1 > Scores::apart(vec![3.0, 0.0], vec![0.1, 0.1]).gain(0, 1).1);
    }
}
