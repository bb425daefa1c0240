//! What one more label is worth. Functions of the posterior `q` of an item and of a channel: the confusion matrix of the annotator who
//! would answer, laid out label by label as in [`Model`](crate::model::Model). Gains of information are in nats.

mod active_lab;
mod ease;
mod votes;

pub use active_lab::active_lab;
pub use ease::{Doubt, EASE, Ease, Habits, dimmed, tempered};
pub use votes::{most_hopeful, undecided};

use crowdwise_numerics::{fast, normal_cdf};

/// Nats to bits.
pub const BITS: f64 = std::f64::consts::LOG2_E;

/// -x ln x, 0 at 0.
#[inline]
pub(crate) fn plogp(x: f64) -> f64 {
    -x * fast::ln(x.max(1e-300))
}

/// Entropy in nats.
#[inline]
pub fn entropy(p: &[f64]) -> f64 {
    p.iter().map(|&x| plogp(x)).sum()
}

/// How far the two likeliest classes are apart; small is undecided.
pub fn margin(q: &[f64]) -> f64 {
    let [a, b] = two_best(q);
    q[a] - q[b]
}

/// Entropy of each column of a channel: of the label, if the class were known.
pub fn column_entropies(a: &[f64], k: usize, out: &mut [f64]) {
    out.fill(0.0);
    for row in a.chunks_exact(k) {
        for (h, &x) in out.iter_mut().zip(row) {
            *h += plogp(x);
        }
    }
}

/// Information of the label on the class.
pub fn information_gain(q: &[f64], a: &[f64]) -> f64 {
    let mut h = vec![0.0; q.len()];
    column_entropies(a, q.len(), &mut h);
    information_gain_with(q, a, &h)
}

/// The same with the column entropies at hand.
#[inline]
pub fn information_gain_with(q: &[f64], a: &[f64], columns: &[f64]) -> f64 {
    let mut gain = 0.0;
    for row in a.chunks_exact(q.len()) {
        let p: f64 = row.iter().zip(q).map(|(a, q)| a * q).sum();
        gain += plogp(p);
    }
    gain - q.iter().zip(columns).map(|(q, h)| q * h).sum::<f64>()
}

/// Information of the label on the class, expected over the answers of `pending`, which are on their way.
pub fn gain_given(q: &[f64], a: &[f64], pending: &[&[f64]]) -> f64 {
    let Some((first, rest)) = pending.split_first() else { return information_gain(q, a) };
    let mut gain = 0.0;
    let mut then = vec![0.0; q.len()];
    for row in first.chunks_exact(q.len()) {
        for ((t, a), q) in then.iter_mut().zip(row).zip(q) {
            *t = a * q;
        }
        let p: f64 = then.iter().sum();
        if p > 0.0 {
            then.iter_mut().for_each(|t| *t /= p);
            gain += p * gain_given(&then, a, rest);
        }
    }
    gain
}

/// How much likelier the likeliest class becomes by one label, on average. Zero whenever one label cannot turn the decision.
pub fn error_reduction(q: &[f64], a: &[f64]) -> f64 {
    let after: f64 = a.chunks_exact(q.len()).map(|row| most(row.iter().zip(q).map(|(a, q)| a * q))).sum();
    // below rounding it is none
    let gain = after - most(q.iter().copied());
    if gain > 1e-15 { gain } else { 0.0 }
}

fn most(x: impl Iterator<Item = f64>) -> f64 {
    x.fold(f64::NEG_INFINITY, f64::max)
}

/// The two largest numbers: where they are. The first of equals comes first.
pub fn two_best(q: &[f64]) -> [usize; 2] {
    let (mut a, mut b) = (0, usize::MAX);
    for i in 1..q.len() {
        if q[i] > q[a] {
            (a, b) = (i, a);
        } else if b == usize::MAX || q[i] > q[b] {
            b = i;
        }
    }
    [a, if b == usize::MAX { a } else { b }]
}

/// The two likeliest classes and what one label of a channel does to the logarithm of their odds: mean and variance under each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Probabilities of the two classes.
    pub q: [f64; 2],
    pub log_odds: f64,
    pub mean: [f64; 2],
    pub variance: [f64; 2],
}

impl Drift {
    pub fn of(q: &[f64], a: &[f64]) -> Drift {
        let [i, j] = two_best(q);
        let mut out = Drift { q: [q[i], q[j]], log_odds: 0.0, mean: [0.0; 2], variance: [1e-9; 2] };
        out.log_odds = (q[i].max(1e-300) / q[j].max(1e-300)).ln();
        let mut square = [0.0; 2];
        for row in a.chunks_exact(q.len()) {
            let r = (row[i].max(1e-9) / row[j].max(1e-9)).ln();
            for (c, p) in [row[i], row[j]].into_iter().enumerate() {
                out.mean[c] += p * r;
                square[c] += p * r * r;
            }
        }
        (0..2).for_each(|c| out.variance[c] += square[c] - out.mean[c] * out.mean[c]);
        out
    }
}

/// Largest gain of accuracy per label over one to eight further labels of the same channel. One step is exact; more are a normal
/// approximation between the two likeliest classes.
pub fn look_ahead(q: &[f64], a: &[f64]) -> f64 {
    let mut best = error_reduction(q, a);
    if q.len() < 2 {
        return best;
    }
    let d = Drift::of(q, a);
    for s in [2.0, 3.0, 5.0, 8.0f64] {
        let z = |c: usize| (d.log_odds + s * d.mean[c]) / (s * d.variance[c]).sqrt();
        let right = d.q[0] * normal_cdf(z(0)) + d.q[1] * normal_cdf(-z(1));
        best = best.max((right - d.q[0]) / s);
    }
    best
}

/// How often an annotator with this channel is right on an item with this posterior.
pub fn right_on(q: &[f64], a: &[f64]) -> f64 {
    let k = q.len();
    (0..k).map(|c| q[c] * a[c * k + c]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A channel that is right with `p` in every class.
    fn even(k: usize, p: f64) -> Vec<f64> {
        (0..k * k).map(|at| if at / k == at % k { p } else { (1.0 - p) / (k - 1) as f64 }).collect()
    }

    #[test]
    fn the_information_of_an_annotator_who_is_right_four_times_of_five() {
        // ln 2 - H(.8), by hand
        let gain = information_gain(&[0.5, 0.5], &even(2, 0.8));
        let by_hand = 2f64.ln() + 0.8 * 0.8f64.ln() + 0.2 * 0.2f64.ln();
        assert!((gain - by_hand).abs() < 1e-12, "{gain}");
        assert!((gain - 0.1927).abs() < 5e-5 && (gain * BITS - 0.2780).abs() < 1e-4);
        assert!(information_gain(&[0.5, 0.5], &even(2, 0.5)).abs() < 1e-12);
    }

    #[test]
    fn one_label_that_cannot_turn_the_decision_is_worth_nothing_at_once_and_something_later() {
        assert_eq!(error_reduction(&[0.99, 0.01], &even(2, 0.8)), 0.0);
        assert!((error_reduction(&[0.6, 0.4], &even(2, 0.8)) - 0.2).abs() < 1e-12); // .48 + .32 - .6
        let q = [0.9, 0.1];
        assert_eq!(error_reduction(&q, &even(2, 0.8)), 0.0);
        assert!(look_ahead(&q, &even(2, 0.8)) > 0.005);
        assert!(look_ahead(&[0.5, 0.5], &even(2, 0.8)) >= 0.3 - 1e-12);
    }

    #[test]
    fn the_gain_given_questions_on_their_way_is_that_of_all_their_answers() {
        let q = [0.5, 0.3, 0.2];
        let (a, p1, p2) = (even(3, 0.7), even(3, 0.6), [0.8, 0.1, 0.3, 0.1, 0.7, 0.3, 0.1, 0.2, 0.4].to_vec());
        // I(Y; L | L1, L2) = H(Y | L1, L2) - H(Y | L1, L2, L), from the joint distribution
        let conditional = |channels: &[&Vec<f64>]| -> f64 {
            let mut h = 0.0;
            for n in 0..3usize.pow(channels.len() as u32) {
                let joint: Vec<f64> = (0..3)
                    .map(|c| {
                        let p = |(at, a): (usize, &&Vec<f64>)| a[n / 3usize.pow(at as u32) % 3 * 3 + c];
                        q[c] * channels.iter().enumerate().map(p).product::<f64>()
                    })
                    .collect();
                let sum: f64 = joint.iter().sum();
                h -= joint.iter().map(|j| j * (j / sum).ln()).sum::<f64>();
            }
            h
        };
        for pending in [vec![], vec![&p1], vec![&p1, &p2]] {
            let mut all = pending.clone();
            all.push(&a);
            let brute = conditional(&pending) - conditional(&all);
            let slices: Vec<&[f64]> = pending.iter().map(|p| p.as_slice()).collect();
            let gain = gain_given(&q, &a, &slices);
            assert!((gain - brute).abs() < 1e-12, "{} pending: {gain} {brute}", pending.len());
        }
    }

    #[test]
    fn the_two_likeliest() {
        assert_eq!(two_best(&[0.2, 0.5, 0.3]), [1, 2]);
        assert_eq!(two_best(&[0.5, 0.5]), [0, 1]);
        assert!((margin(&[0.2, 0.5, 0.3]) - 0.2).abs() < 1e-15);
        assert!((right_on(&[0.5, 0.5], &even(2, 0.8)) - 0.8).abs() < 1e-15);
    }
}
