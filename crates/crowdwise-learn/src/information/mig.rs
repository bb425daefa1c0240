//! The mutual information gain of two sets of class probabilities, for a convex function f.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The convex function of the divergence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Divergence {
    #[default]
    Kl,
    /// Pearson's χ².
    Pearson,
    /// Jensen-Shannon.
    Js,
}

const EPS: f64 = 1e-12;

impl Divergence {
    /// Gain of the same item (f'(R)) and its derivative.
    fn own(self, r: f64) -> (f64, f64) {
        match self {
            Divergence::Kl => (1.0 + (r + EPS).ln(), 1.0 / (r + EPS)),
            Divergence::Pearson => (2.0 * (r - 1.0), 2.0),
            Divergence::Js => ((2.0 * r / (1.0 + r) + EPS).ln(), 1.0 / ((r + EPS) * (1.0 + r))),
        }
    }

    /// Cost of different items (f*(f'(R))) and its derivative.
    fn other(self, r: f64) -> (f64, f64) {
        match self {
            Divergence::Kl => (r, 1.0),
            Divergence::Pearson => (r * r - 1.0, 2.0 * r),
            Divergence::Js => (-(2.0 / (1.0 + r)).ln(), 1.0 / (1.0 + r)),
        }
    }
}

/// Derivatives of the gain by both sets of probabilities and by the prior.
#[derive(Clone, Debug)]
pub(super) struct Gradients {
    pub h: Vec<f64>,
    pub g: Vec<f64>,
    pub p: Vec<f64>,
}

/// The gain of `h` and `g` (rows of K) with prior `p`: how much better the two agree on the same item than on different
/// ones, R_ij = Σ h_ic g_jc / p_c. Needs two rows at least.
pub(super) fn gain(h: &[f64], g: &[f64], p: &[f64], f: Divergence) -> (f64, Gradients) {
    let k = p.len();
    let n = h.len() / k;
    let (one, pairs) = (1.0 / n as f64, 1.0 / (n * (n - 1)) as f64);
    let mut d = Gradients { h: vec![0.0; n * k], g: vec![0.0; n * k], p: vec![0.0; k] };
    let mut value = 0.0;
    let add = |i: usize, j: usize, v: f64, d: &mut Gradients| {
        for c in 0..k {
            let (a, b) = (h[i * k + c], g[j * k + c]);
            d.h[i * k + c] += v * b / p[c];
            d.g[j * k + c] += v * a / p[c];
            d.p[c] -= v * a * b / (p[c] * p[c]);
        }
    };
    let ratio = |i: usize, j: usize| (0..k).map(|c| h[i * k + c] * g[j * k + c] / p[c]).sum::<f64>();
    for i in 0..n {
        let (x, dx) = f.own(ratio(i, i));
        value += one * x;
        add(i, i, one * dx, &mut d);
    }
    if f == Divergence::Kl {
        // the cost is linear: sums over all pairs factor
        let (mut sum_h, mut sum_g) = (vec![0.0; k], vec![0.0; k]);
        for i in 0..n {
            for c in 0..k {
                sum_h[c] += h[i * k + c];
                sum_g[c] += g[i * k + c];
            }
        }
        for c in 0..k {
            let mut both = sum_h[c] * sum_g[c];
            for i in 0..n {
                both -= h[i * k + c] * g[i * k + c];
                d.h[i * k + c] -= pairs * (sum_g[c] - g[i * k + c]) / p[c];
                d.g[i * k + c] -= pairs * (sum_h[c] - h[i * k + c]) / p[c];
            }
            value -= pairs * both / p[c];
            d.p[c] += pairs * both / (p[c] * p[c]);
        }
        return (value, d);
    }
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            let (x, dx) = f.other(ratio(i, j));
            value -= pairs * x;
            add(i, j, -pairs * dx, &mut d);
        }
    }
    (value, d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{stats, stream};
    use rand::RngExt;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (n, k) = (9, 4);
        let mut rng = stream(9, "gain", 0);
        let mut rows = |n: usize| -> Vec<f64> {
            let mut x: Vec<f64> = (0..n * k).map(|_| rng.random_range(-1.5..1.5)).collect();
            x.chunks_exact_mut(k).for_each(|r| _ = stats::softmax(r));
            x
        };
        let (h, g, p) = (rows(n), rows(n), rows(1));
        for f in [Divergence::Kl, Divergence::Pearson, Divergence::Js] {
            let d = gain(&h, &g, &p, f).1;
            let check = |name: &str, at: usize, want: f64, value: &dyn Fn(f64) -> f64| {
                let slope = (value(1e-6) - value(-1e-6)) / 2e-6;
                assert!((slope - want).abs() < 1e-8 * want.abs().max(1.0), "{f:?} {name} {at}: {slope} for {want}");
            };
            let moved = |x: &[f64], at: usize, by: f64| {
                let mut x = x.to_vec();
                x[at] += by;
                x
            };
            for at in 0..n * k {
                check("h", at, d.h[at], &|by| gain(&moved(&h, at, by), &g, &p, f).0);
                check("g", at, d.g[at], &|by| gain(&h, &moved(&g, at, by), &p, f).0);
            }
            for at in 0..k {
                check("p", at, d.p[at], &|by| gain(&h, &g, &moved(&p, at, by), f).0);
            }
        }
    }

    /// Example E.2 of the paper: one who knows, and a hundred copies of a coin.
    #[test]
    fn the_one_who_knows_gains_more_than_a_hundred_copies_of_a_coin() {
        let mut rng = stream(9, "coin", 0);
        let one = |c: usize| [f64::from(u8::from(c == 0)), f64::from(u8::from(c == 1))];
        let truth: Vec<usize> = (0..400).map(|_| rng.random_range(0..2)).collect();
        // features tell the class in four of five cases
        let h: Vec<f64> = truth
            .iter()
            .flat_map(|&z| {
                let seen = if rng.random_bool(0.8) { z } else { 1 - z };
                one(seen).map(|x| 0.2 + 0.6 * x)
            })
            .collect();
        let knows: Vec<f64> = truth.iter().flat_map(|&z| one(z)).collect();
        let coin: Vec<f64> = truth.iter().flat_map(|_| one(rng.random_range(0..2))).collect();
        for f in [Divergence::Kl, Divergence::Pearson, Divergence::Js] {
            let of = |g: &[f64]| gain(&h, g, &[0.5, 0.5], f).0;
            let nothing = gain(&[0.5; 800], &coin, &[0.5, 0.5], f).0;
            assert!(of(&knows) > of(&coin).max(nothing) + 0.05, "{f:?}: {} {}", of(&knows), of(&coin));
        }
    }

    #[test]
    fn agreement_gains_and_independence_does_not() {
        // perfect agreement on two even classes: ln 2 in both directions; independence: nothing
        let one = |c: usize| [f64::from(u8::from(c == 0)), f64::from(u8::from(c == 1))];
        let h: Vec<f64> = (0..40).flat_map(|i| one(i % 2)).collect();
        let other: Vec<f64> = (0..40).flat_map(|i| one(i / 2 % 2)).collect();
        let p = [0.5, 0.5];
        let (agree, apart) = (gain(&h, &h, &p, Divergence::Kl).0, gain(&[0.5; 80], &other, &p, Divergence::Kl).0);
        assert!((agree - 2f64.ln()).abs() < 0.05, "{agree}");
        assert!(apart.abs() < 1e-9, "{apart}");
    }
}
