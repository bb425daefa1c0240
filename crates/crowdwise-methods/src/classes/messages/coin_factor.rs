//! What a one-coin annotator tells the items it labelled: its accuracy integrated out against the prior.

use super::polynomial;
use super::prior::FLOOR;
use super::quadrature::{Rule, gauss_jacobi};
use super::sweep::{Nodes, ln_products, ratios};
use crowdwise_numerics::ln_beta;

/// Up to this many labels Gauss-Jacobi quadrature is exact with half as many nodes (and one more). Beyond, the nodes stay
/// this many halves and move to where the likelihood is.
const EXACT: usize = 126;

/// Nodes of the rule on the stretch where the likelihood is.
const NODES: usize = EXACT / 2 + 1;

/// Stretches end where the likelihood has fallen by e to this power.
const DROP: f64 = 40.0;

/// Cells of the grid by which the stretch is found.
const CELLS: usize = 32;

/// Above this many labels the polynomial form, quadratic in labels, gives way to quadrature.
pub(super) const MOST_POLYNOMIAL: usize = 2000;

/// How the accuracy is integrated out.
pub(super) enum Factor {
    /// Beta prior by quadrature.
    Quadrature(Quadrature),
    /// A sum over given accuracies: draws or kinds.
    Atoms(Nodes),
    /// Beta prior by the expanded product, where the labels are few enough.
    Polynomial(Quadrature),
}

/// Room for the work of one annotator after the other.
#[derive(Default)]
pub(super) struct Scratch {
    nodes: Nodes,
    ln: Vec<f64>,
    grid: [Vec<f64>; 3],
}

/// What is known of an annotator beside the messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// ln of the expected probability of all of its labels.
    pub ln_evidence: f64,
    /// Posterior mean of the accuracy.
    pub accuracy: f64,
}

/// P(one wrong label) at an accuracy, both kept away from 0.
pub(super) fn coin(accuracy: f64, others: f64) -> (f64, f64) {
    (accuracy.max(FLOOR), ((1.0 - accuracy) / others).max(FLOOR))
}

impl Factor {
    /// Messages to the items of an annotator: `out[e]` = ln of "the label of e is right" over "another class is". `p[e]`
    /// is how right label e looks without this annotator. `stretch` remembers between rounds where the likelihood is.
    pub fn messages(&self, p: &[f64], stretch: &mut [f64; 2], s: &mut Scratch, out: &mut [f64]) -> Known {
        match self {
            Factor::Atoms(nodes) => sum(p, nodes, &mut s.ln, out),
            Factor::Polynomial(q) if p.len() <= MOST_POLYNOMIAL => polynomial::messages(p, q.a, q.b, q.others, out),
            Factor::Quadrature(q) | Factor::Polynomial(q) => {
                let mut nodes = std::mem::take(&mut s.nodes);
                if p.len() <= EXACT {
                    q.whole(&q.rules[p.len() / 2], &mut nodes);
                } else {
                    *stretch = q.find(p, *stretch, &mut s.grid);
                    q.part(*stretch, &mut nodes);
                }
                let known = sum(p, &nodes, &mut s.ln, out);
                s.nodes = nodes;
                known
            }
        }
    }
}

/// Messages as sums over the nodes.
fn sum(p: &[f64], nodes: &Nodes, ln: &mut Vec<f64>, out: &mut [f64]) -> Known {
    ln.clear();
    ln.resize(nodes.len(), 0.0);
    ln_products(p, &nodes.right, &nodes.wrong, ln);
    ln.iter_mut().zip(&nodes.ln_weight).for_each(|(l, w)| *l += w);
    let top = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    ln.iter_mut().for_each(|l| *l = (*l - top).exp());
    ratios(p, nodes, ln, out);
    let total: f64 = ln.iter().sum();
    let right: f64 = ln.iter().zip(&nodes.right).map(|(w, r)| w * r).sum();
    Known { ln_evidence: top + total.ln(), accuracy: right / total }
}

/// Nodes for a Beta(a, b) accuracy.
pub(super) struct Quadrature {
    a: f64,
    b: f64,
    /// K - 1.
    others: f64,
    /// Rules with 1 to [`NODES`] nodes on the whole of (0, 1); only those that are needed have nodes.
    rules: Vec<Rule>,
    /// Rules with [`NODES`] nodes for a stretch that begins at 0 or later (first index), ends at 1 or earlier (second).
    parts: [[Rule; 2]; 2],
    ln_beta: f64,
}

impl Quadrature {
    /// `sizes`: numbers of labels of annotators.
    pub fn new(a: f64, b: f64, k: usize, sizes: impl Iterator<Item = usize>) -> Quadrature {
        let mut wanted = [false; NODES + 1];
        sizes.for_each(|n| wanted[(n / 2 + 1).min(NODES)] = true);
        let rule = |g: usize| {
            if wanted[g] { gauss_jacobi(g, a - 1.0, b - 1.0) } else { Rule { node: vec![], weight: vec![] } }
        };
        let part = |left: f64, right: f64| gauss_jacobi(NODES, left, right);
        Quadrature {
            a,
            b,
            others: (k - 1) as f64,
            rules: (1..=NODES).map(rule).collect(),
            parts: [[part(a - 1.0, b - 1.0), part(a - 1.0, 0.0)], [part(0.0, b - 1.0), part(0.0, 0.0)]],
            ln_beta: ln_beta(a, b),
        }
    }

    fn whole(&self, rule: &Rule, nodes: &mut Nodes) {
        nodes.clear();
        for (&q, &w) in rule.node.iter().zip(&rule.weight) {
            let (right, wrong) = coin(q, self.others);
            nodes.push(right, wrong, w.ln());
        }
        nodes.pad();
    }

    /// Nodes on a stretch. An end at 0 or 1 keeps its power of the density in the rule (it may be singular there); at any
    /// other end the power is smooth and goes into the weights.
    fn part(&self, [low, high]: [f64; 2], nodes: &mut Nodes) {
        let (from_zero, to_one) = (low == 0.0, high == 1.0);
        let rule = &self.parts[usize::from(!from_zero)][usize::from(!to_one)];
        let left = if from_zero { self.a - 1.0 } else { 0.0 };
        let right = if to_one { self.b - 1.0 } else { 0.0 };
        let ln_norm = ln_beta(left + 1.0, right + 1.0);
        let constant = (left + right + 1.0) * (high - low).ln() + ln_norm - self.ln_beta;
        nodes.clear();
        for (&x, &w) in rule.node.iter().zip(&rule.weight) {
            let q = low + (high - low) * x;
            let mut ln = w.ln() + constant;
            if !from_zero {
                ln += (self.a - 1.0) * q.ln();
            }
            if !to_one {
                ln += (self.b - 1.0) * (1.0 - q).ln();
            }
            let (right, wrong) = coin(q, self.others);
            nodes.push(right, wrong, ln);
        }
        nodes.pad();
    }

    /// The stretch of accuracies outside of which the integrand is below e^-40 of its maximum. Its logarithm is concave:
    /// each factor is linear in the accuracy, and powers of the density above 0 count, those below (singular at an end,
    /// never a peak elsewhere) do not. So a grid that is narrowed again and again cannot lose the peak.
    fn find(&self, p: &[f64], guess: [f64; 2], grid: &mut [Vec<f64>; 3]) -> [f64; 2] {
        let wider = 0.25 * (guess[1] - guess[0]);
        let mut here = [(guess[0] - wider).max(0.0), (guess[1] + wider).min(1.0)];
        let mut first = true;
        let [right, wrong, ln] = grid;
        let size = (CELLS + 1).next_multiple_of(super::sweep::LANES);
        for v in [&mut *right, &mut *wrong, &mut *ln] {
            v.resize(size, 0.5);
        }
        for _ in 0..100 {
            let [low, high] = here;
            let at = |i: usize| {
                // closer towards the ends, where a peak may be narrow
                let x = 0.5 * (1.0 - (std::f64::consts::PI * i as f64 / CELLS as f64).cos());
                low + (high - low) * x
            };
            for i in 0..=CELLS {
                (right[i], wrong[i]) = coin(at(i), self.others);
            }
            ln_products(p, right, wrong, ln);
            for i in 0..=CELLS {
                let q = at(i).clamp(1e-300, 1.0 - 1e-16);
                ln[i] += (self.a - 1.0).max(0.0) * q.ln() + (self.b - 1.0).max(0.0) * (1.0 - q).ln();
            }
            let best = ln[..=CELLS].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let inside = |i: usize| ln[i] >= best - DROP;
            if first && ((low > 0.0 && inside(0)) || (high < 1.0 && inside(CELLS))) {
                // the peak has left the stretch of the last round
                here = [0.0, 1.0];
                first = false;
                continue;
            }
            first = false;
            let from = (0..=CELLS).find(|&i| inside(i)).unwrap_or(0).saturating_sub(1);
            let to = ((0..=CELLS).rev().find(|&i| inside(i)).unwrap_or(CELLS) + 1).min(CELLS);
            here = [at(from), if to == CELLS { high } else { at(to) }];
            if here[1] - here[0] > 0.5 * (high - low) {
                break;
            }
        }
        // an end close to 0 or 1, as seen from the other end, would leave a density that is hardly smooth
        if here[0] < 0.05 * here[1] {
            here[0] = 0.0;
        }
        if 1.0 - here[1] < 0.05 * (1.0 - here[0]) {
            here[1] = 1.0;
        }
        here
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::{Rng, RngExt};

    fn go(factor: &Factor, p: &[f64]) -> (Vec<f64>, Known) {
        let mut out = vec![0.0; p.len()];
        let mut stretch = [0.0, 1.0];
        let mut s = Scratch::default();
        let known = factor.messages(p, &mut stretch, &mut s, &mut out);
        // a second round starts from the stretch that the first one found
        let mut again = vec![0.0; p.len()];
        factor.messages(p, &mut stretch, &mut s, &mut again);
        assert!(out.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-9), "the stretch matters");
        (out, known)
    }

    fn quadrature(a: f64, b: f64, k: usize, n: usize) -> Quadrature {
        Quadrature::new(a, b, k, std::iter::once(n))
    }

    /// Sums over every way in which the labels may be right or wrong.
    fn brute_force(p: &[f64], a: f64, b: f64, k: usize) -> (Vec<f64>, f64) {
        let n = p.len();
        let others = (k - 1) as f64;
        // P(these right, the rest wrong in one given way)
        let pattern =
            |c: usize| (ln_beta(a + c as f64, b + (n - c) as f64) - ln_beta(a, b)).exp() / others.powi((n - c) as i32);
        let mut messages = Vec::new();
        for i in 0..n {
            let mut sums = [0.0; 2];
            for set in 0u32..1 << n {
                let mut weight = pattern(set.count_ones() as usize);
                for (j, &p) in p.iter().enumerate().filter(|&(j, _)| j != i) {
                    weight *= if set >> j & 1 == 1 { p } else { 1.0 - p };
                }
                sums[(set >> i & 1) as usize] += weight;
            }
            messages.push((sums[1] / sums[0]).ln());
        }
        let all = (0u32..1 << n)
            .map(|set| {
                let of = |(j, &p): (usize, &f64)| if set >> j & 1 == 1 { p } else { 1.0 - p };
                pattern(set.count_ones() as usize) * p.iter().enumerate().map(of).product::<f64>()
            })
            .sum::<f64>();
        (messages, all.ln())
    }

    #[test]
    fn quadrature_and_polynomial_are_the_sum_over_all_cases() {
        let mut rng = stream(1, "factor", 0);
        for (a, b) in [(2.0, 1.0), (0.2, 0.1), (1.0, 1.0), (7.0, 3.0)] {
            for (n, k) in [(1, 2), (2, 3), (5, 2), (9, 4)] {
                let p: Vec<f64> = (0..n).map(|_| rng.random_range(0.01..0.99)).collect();
                let (want, evidence) = brute_force(&p, a, b, k);
                for factor in [Factor::Quadrature(quadrature(a, b, k, n)), Factor::Polynomial(quadrature(a, b, k, n))] {
                    let (have, known) = go(&factor, &p);
                    let worst = have.iter().zip(&want).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                    assert!(worst < 1e-11, "Beta({a}, {b}), {n} labels, {k} classes: {worst}");
                    assert!((known.ln_evidence - evidence).abs() < 1e-11, "{} {evidence}", known.ln_evidence);
                }
            }
        }
    }

    /// Beliefs as they occur: undecided, one-sided, contradictory, nearly certain.
    fn beliefs(kind: usize, n: usize, rng: &mut impl Rng) -> Vec<f64> {
        let mut one = || match kind {
            0 => 0.5,
            1 => rng.random_range(0.45..0.6),
            2 => rng.random_range(0.0..1.0),
            3 => {
                if rng.random_bool(0.9) {
                    1.0 - 1e-9
                } else {
                    1e-9
                }
            }
            4 => 1.0 - 1e-12,
            _ => 1e-14,
        };
        (0..n).map(|_| one()).collect()
    }

    /// Few labels: exact both ways. Many: the nodes move to the likelihood, and stay right to ten digits.
    #[test]
    fn quadrature_is_the_polynomial_for_any_number_of_labels() {
        let mut rng = stream(2, "factor", 0);
        for (a, b) in [(2.0, 1.0), (0.2, 0.1), (0.5, 3.0), (40.0, 20.0)] {
            for (n, k) in [(60, 2), (126, 3), (127, 2), (200, 4), (700, 3), (1900, 2)] {
                for kind in 0..6 {
                    let p = beliefs(kind, n, &mut rng);
                    let (one, first) = go(&Factor::Quadrature(quadrature(a, b, k, n)), &p);
                    let (two, second) = go(&Factor::Polynomial(quadrature(a, b, k, n)), &p);
                    let as_p = |m: f64| 1.0 / (1.0 + ((k - 1) as f64) * (-m).exp());
                    let worst = one.iter().zip(&two).map(|(x, y)| (as_p(*x) - as_p(*y)).abs()).fold(0.0, f64::max);
                    let what = format!("Beta({a}, {b}), {n} labels, {k} classes, beliefs {kind}");
                    assert!(worst < 1e-10, "{what}: {worst}");
                    assert!((first.accuracy - second.accuracy).abs() < 1e-10, "{what}: {first:?} {second:?}");
                    let scale = second.ln_evidence.abs().max(1.0);
                    assert!(
                        (first.ln_evidence - second.ln_evidence).abs() < 1e-9 * scale,
                        "{what}: {first:?} {second:?}"
                    );
                }
            }
        }
    }

    /// 10^5 labels of one annotator: finite, and their accuracy is found.
    #[test]
    fn very_many_labels() {
        let mut rng = stream(3, "factor", 0);
        let n = 100_000;
        for (k, rate) in [(2, 0.7), (10, 0.02), (3, 1.0)] {
            let p: Vec<f64> = (0..n).map(|_| if rng.random_bool(rate) { 0.999 } else { 0.001 }).collect();
            let (m, known) = go(&Factor::Quadrature(quadrature(2.0, 1.0, k, n)), &p);
            assert!((known.accuracy - rate).abs() < 0.01, "{known:?}");
            let want = (rate.clamp(1e-5, 1.0 - 1e-5) * (k - 1) as f64 / (1.0 - rate).max(1e-5)).ln();
            assert!(m.iter().all(|x| x.is_finite()));
            assert!(rate == 1.0 || (m[0] - want).abs() < 0.2, "{} {want}", m[0]);
        }
    }
}
