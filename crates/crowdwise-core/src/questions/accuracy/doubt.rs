//! How much less an annotator's labels tell of it because neither the others nor the class shares are known exactly.
//!
//! What the items are follows from the others' matrices, which are estimates from the same labels: where many guess, few tell
//! who is right. Let every annotator have a θ of its own (see `tilt`). With z the class of an item and s_j(z) = [label is z] - e_z
//! the slope of ln P(label | z), the information about all of them together is (Louis)
//!
//!   I_ji = [j = i] Σ E e_z (1 - e_z)  -  Σ Cov(s_j, s_i)        (sums over items, E and Cov over their classes)
//!
//! and the pull towards the crowd adds its own, with the place that it pulls to unknown as well. If the others were known, the
//! labels of j would tell I_jj of θ_j; as they are not, 1 / (I⁻¹)_jj, the pull on j itself taken out.
//!
//! The accuracy is that at the class shares, which are an estimate from a number of items too: somebody who says the same of
//! everything is right as often as that class comes.

use super::crowd::Crowd;
use crowdwise_numerics::Cholesky;

/// Annotators up to which their information is inverted, and operations, about, that counting it may take. With more annotators
/// one of them matters less to each other.
const ANNOTATORS: usize = 600;
const WORK: usize = 200_000_000;
/// Labels' worth of prior on the place to which the crowd pulls.
const LEAST: f64 = 1.0;
/// Labels tell at least one over this of what they would tell.
const MOST: f64 = 10.0;

/// For every annotator what its labels would tell if all else were known, over what they tell: at least 1.
pub(super) fn factors(crowd: &Crowd<'_>) -> Vec<f64> {
    let (k, m, table) = (crowd.k, crowd.c.table.n_annotators(), crowd.c.table);
    let pairs = (0..table.n_units()).map(|u| table.degree(u).pow(2)).sum::<usize>();
    let own = alone(crowd);
    let mut out = vec![1.0; m];
    if m <= ANNOTATORS && pairs.saturating_mul(k) <= WORK {
        others(crowd, &own, &mut out);
    }
    let items = (0..table.n_units()).filter(|&u| table.degree(u) > 0).count() as f64;
    for (j, less) in out.iter_mut().enumerate() {
        let (mut mean, mut square, mut slope) = (0.0, 0.0, 0.0);
        for (z, s) in crowd.shares.iter().enumerate() {
            let e = crowd.right(j, z);
            mean += s * e;
            square += s * e * e;
            slope += s * e * (1.0 - e);
        }
        let of_shares = (square - mean * mean).max(0.0) / (items + 1.0);
        *less = (*less + of_shares * own[j] / (slope * slope).max(1e-12)).clamp(1.0, MOST);
    }
    out
}

/// Slopes of the labels of a unit by class: labels x K.
fn slopes(crowd: &Crowd<'_>, u: usize, out: &mut Vec<f64>) {
    out.clear();
    for r in crowd.c.table.rows(u) {
        let (j, l) = (crowd.c.table.annotator()[r] as usize, crowd.c.codes.get(r));
        out.extend((0..crowd.k).map(|z| f64::from(u8::from(l == z)) - crowd.right(j, z)));
    }
}

/// E e (1 - e) less the variance of the slope.
fn told(crowd: &Crowd<'_>, j: usize, q: &[f64], s: &[f64]) -> f64 {
    let mean: f64 = q.iter().zip(s).map(|(q, s)| q * s).sum();
    let each = q.iter().zip(s).enumerate().map(|(z, (q, s))| {
        let e = crowd.right(j, z);
        q * (e * (1.0 - e) - (s - mean).powi(2))
    });
    each.sum()
}

/// I_jj.
fn alone(crowd: &Crowd<'_>) -> Vec<f64> {
    let (k, table) = (crowd.k, crowd.c.table);
    let (mut out, mut s) = (vec![0.0; table.n_annotators()], Vec::new());
    for (u, q) in crowd.q.chunks_exact(k).enumerate() {
        slopes(crowd, u, &mut s);
        for (r, s) in table.rows(u).zip(s.chunks_exact(k)) {
            let j = table.annotator()[r] as usize;
            out[j] += told(crowd, j, q, s);
        }
    }
    out
}

/// Lower triangle of I, of rows of `size`.
pub(super) fn information(crowd: &Crowd<'_>, own: &[f64], size: usize) -> Vec<f64> {
    let (k, table) = (crowd.k, crowd.c.table);
    let who = table.annotator();
    let mut h = vec![0.0; size * size];
    own.iter().enumerate().for_each(|(j, x)| h[j * size + j] = *x);
    let mut s = Vec::new();
    for (u, q) in crowd.q.chunks_exact(k).enumerate() {
        slopes(crowd, u, &mut s);
        let mean: Vec<f64> = s.chunks_exact(k).map(|s| s.iter().zip(q).map(|(s, q)| s * q).sum()).collect();
        let first = table.rows(u).start;
        for x in 0..mean.len() {
            for y in 0..x {
                let (a, b) = (&s[x * k..(x + 1) * k], &s[y * k..(y + 1) * k]);
                let both: f64 = q.iter().zip(a).zip(b).map(|((q, a), b)| q * a * b).sum();
                let (i, j) = (who[first + x].max(who[first + y]) as usize, who[first + x].min(who[first + y]) as usize);
                // two labels of one annotator meet twice on the diagonal
                let times = if i == j { 2.0 } else { 1.0 };
                h[i * size + j] -= times * (both - mean[x] * mean[y]);
            }
        }
    }
    h
}

fn others(crowd: &Crowd<'_>, own: &[f64], out: &mut [f64]) {
    let m = own.len();
    let size = m + 1;
    let mut h = information(crowd, own, size);
    let own: Vec<f64> = (0..m).map(|j| h[j * size + j]).collect();
    // labels that the crowd is worth: they pull towards its accuracy as far as one works, to a habit of one's own otherwise
    let pull = |j: usize| {
        let spread = |z: usize| crowd.right(j, z) * (1.0 - crowd.right(j, z));
        let all = crowd.alike * (0..crowd.chances()).map(spread).sum::<f64>();
        [crowd.works[j] * all, (1.0 - crowd.works[j]) * all]
    };
    let mut crowd_at = LEAST * 0.25;
    for j in 0..m {
        let [tie, habit] = pull(j);
        h[j * size + j] += tie + habit;
        h[m * size + j] -= tie;
        crowd_at += tie;
    }
    h[m * size + m] = crowd_at;
    // not at a maximum, then: nothing can be said of what the others add
    let Some(factor) = Cholesky::new(size, h) else { return };
    let diagonal = factor.inverse_diagonal();
    let mut last = vec![0.0; size];
    last[m] = 1.0;
    factor.solve(&mut last);
    for j in (0..m).filter(|&j| own[j] > 0.0) {
        let [tie, habit] = pull(j);
        // the inverse without the tie of j to the crowd (Sherman and Morrison), and what is left without its habit
        let slack = 1.0 / tie.max(1e-12) - (diagonal[j] - 2.0 * last[j] + last[m]);
        let free = diagonal[j] + (diagonal[j] - last[j]).powi(2) / slack.max(1e-12);
        out[j] = (own[j] / (1.0 / free - habit).max(1e-12)).clamp(1.0, MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{crowd as labels, fit_of};
    use super::*;
    use crate::Annotators;
    use crate::questions::tally::Tally;
    use crowdwise_numerics::logistic;

    /// ln of the probability of all labels where annotator j has its θ, by summing over the classes.
    fn ln_likelihood(crowd: &Crowd<'_>, theta: &[f64]) -> f64 {
        let (k, table) = (crowd.k, crowd.c.table);
        let moved = |j: usize, l: usize, z: usize| {
            let e = crowd.right(j, z);
            let to = logistic((e / (1.0 - e)).ln() + theta[j]);
            if l == z { to } else { 1.0 - to } // two classes
        };
        let unit = |u: usize| {
            let of = |z: usize| {
                let each = table.rows(u).map(|r| moved(table.annotator()[r] as usize, crowd.c.codes.get(r), z));
                crowd.shares[z] * each.product::<f64>()
            };
            (0..k).map(of).sum::<f64>().ln()
        };
        (0..table.n_units()).map(unit).sum()
    }

    #[test]
    fn the_information_is_the_curvature_of_the_likelihood() {
        let wrong = |every: usize, at: usize| move |i: usize| i % every == at;
        let (a, b, c, d) = (wrong(4, 1), wrong(3, 2), wrong(5, 0), wrong(2, 1));
        let data = labels(40, &[&a, &b, &c, &d]);
        let mut q = vec![0.0; 80];
        q.chunks_exact_mut(2).enumerate().for_each(|(u, q)| data.table.categorical().unwrap().vote_shares(u, q));
        let fit = fit_of(&data, q, Annotators::None);
        let mut crowd = Crowd::of(&data, &fit, &Tally::of(&data, &fit, false).unwrap()).unwrap();
        crowd.classes(None, None); // the classes that follow from the matrices
        let h = information(&crowd, &alone(&crowd), 4);
        let step = 1e-3;
        let at = |j: usize, x: f64, i: usize, y: f64| {
            let mut theta = [0.0; 4];
            theta[j] += x;
            theta[i] += y;
            ln_likelihood(&crowd, &theta)
        };
        for j in 0..4 {
            for i in 0..=j {
                let cross =
                    at(j, step, i, step) - at(j, step, i, -step) - at(j, -step, i, step) + at(j, -step, i, -step);
                let want = -cross / (4.0 * step * step);
                assert!((h[j * 4 + i] - want).abs() < 1e-3 * (1.0 + want.abs()), "{j} {i}: {} {want}", h[j * 4 + i]);
            }
        }
    }
}
