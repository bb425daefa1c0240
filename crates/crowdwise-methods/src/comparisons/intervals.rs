//! Standard errors from the observed information.

use super::likelihood::{Derivatives, Problem};
use super::newton::Curvature;
use super::places::{DRAWS, SAMPLED_ITEMS, sampled, separated};
use crowdwise_core::stream;
use crowdwise_numerics::Cholesky;
use rand_distr::{Distribution, StandardNormal};

/// Variances of the centred scores and of the further parameters.
#[derive(Debug)]
pub(super) struct Variances {
    pub score: Vec<f64>,
    pub extra: Vec<f64>,
    /// Components too large for the exact inverse.
    pub approximate: usize,
    /// Factors of the curvature of the components that are small enough to draw scores from.
    factors: Vec<Option<Cholesky>>,
    /// Influence of the further parameters on the scores, and their covariance.
    influence: Vec<Vec<f64>>,
    covariance: Vec<f64>,
}

/// Best and worst places that the comparisons allow: from draws of the scores where a component has few items, from the
/// intervals alone otherwise.
pub(super) fn places(
    of: &Variances,
    score: &[f64],
    interval: &[[f64; 2]],
    component: &[u32],
    level: f64,
) -> Vec<[u32; 2]> {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); of.factors.len()];
    component.iter().enumerate().for_each(|(i, &c)| members[c as usize].push(i as u32));
    let mut out = vec![[1, 1]; score.len()];
    // always the same draws: an interval is no place for chance
    let mut rng = stream(0, "places", 0);
    let e = of.influence.len();
    for (items, factor) in members.iter().zip(&of.factors) {
        let own: Vec<f64> = items.iter().map(|&i| score[i as usize]).collect();
        let found = if let Some(factor) = factor {
            let root = small_root(&of.covariance, e);
            sampled(&own, &vec![0; own.len()], DRAWS, level, |x| {
                x.iter_mut().for_each(|x| *x = StandardNormal.sample(&mut rng));
                factor.spread(x);
                let z: Vec<f64> = (0..e).map(|_| StandardNormal.sample(&mut rng)).collect();
                for a in 0..e {
                    let by: f64 = (0..=a).map(|b| root[a * e + b] * z[b]).sum();
                    x.iter_mut().zip(items).for_each(|(x, &i)| *x += by * of.influence[a][i as usize]);
                }
            })
        } else {
            let own_interval: Vec<[f64; 2]> = items.iter().map(|&i| interval[i as usize]).collect();
            separated(&own_interval)
        };
        items.iter().zip(found).for_each(|(&i, r)| out[i as usize] = r);
    }
    out
}

/// Lower triangular root of a covariance of at most two parameters.
fn small_root(v: &[f64], e: usize) -> Vec<f64> {
    let mut l = vec![0.0; e * e];
    if e > 0 {
        l[0] = v[0].max(0.0).sqrt();
    }
    if e == 2 && l[0] > 0.0 {
        l[2] = v[2] / l[0];
        l[3] = (v[3] - l[2] * l[2]).max(0.0).sqrt();
    }
    l
}

/// Variance of every score, centred within its component, and of the further parameters. Components of up to
/// `dense_items` items are inverted; in larger ones the inverse is expanded about its diagonal to second order, which
/// is a lower limit (every further term is positive).
pub(super) fn variances(
    problem: &Problem<'_>,
    at: &Derivatives,
    component: &[u32],
    n_components: usize,
    dense_items: usize,
) -> Variances {
    let (n, e) = (problem.n(), at.border.len());
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); n_components];
    let mut place = vec![0u32; n];
    for (i, &c) in component.iter().enumerate() {
        place[i] = members[c as usize].len() as u32;
        members[c as usize].push(i as u32);
    }
    let mut pairs_of: Vec<Vec<u32>> = vec![Vec::new(); n_components];
    for (q, p) in problem.data.pairs.iter().enumerate() {
        pairs_of[component[p.left as usize] as usize].push(q as u32);
    }
    let mut out = Variances {
        score: vec![0.0; n],
        extra: Vec::new(),
        approximate: 0,
        factors: (0..n_components).map(|_| None).collect(),
        influence: Vec::new(),
        covariance: Vec::new(),
    };
    // solutions of (scores' block) u = border, parameter by parameter
    let mut influence = vec![vec![0.0; n]; e];
    let mut large = false;
    for c in 0..n_components {
        let (items, pairs) = (&members[c], &pairs_of[c]);
        if items.len() == 1 {
            continue; // its score is 0 by definition
        }
        let exact = (items.len() <= dense_items).then(|| block(problem, at, items, &place, pairs)).flatten();
        let Some(factor) = exact else {
            out.approximate += 1;
            large = true;
            second_order(problem, at, items, pairs, &mut out.score);
            continue;
        };
        let m = items.len() as f64;
        let mut ones = vec![1.0; items.len()];
        factor.solve(&mut ones);
        let total: f64 = ones.iter().sum();
        for ((v, &i), row) in factor.inverse_diagonal().iter().zip(items).zip(&ones) {
            out.score[i as usize] = (v - 2.0 * row / m + total / (m * m)).max(0.0);
        }
        for a in 0..e {
            let mut u: Vec<f64> = items.iter().map(|&i| at.border[a][i as usize]).collect();
            factor.solve(&mut u);
            for (&i, u) in items.iter().zip(u) {
                influence[a][i as usize] = u;
            }
        }
        out.factors[c] = (items.len() <= SAMPLED_ITEMS).then_some(factor);
    }
    if e == 0 {
        return out;
    }
    if large {
        scores_only(problem, at, component, &mut influence);
    }
    let inverse = corner_inverse(at, &influence);
    out.extra = (0..e).map(|a| inverse[a * e + a]).collect();
    centre(&mut influence, &members);
    for i in 0..n {
        for a in 0..e {
            for b in 0..e {
                out.score[i] += influence[a][i] * inverse[a * e + b] * influence[b][i];
            }
        }
    }
    (out.influence, out.covariance) = (influence, inverse);
    out
}

/// Factor of the curvature of one component's scores. Without regularisation (or with the same for all items) a shift
/// of all scores is added, which the centring takes away again.
fn block(problem: &Problem<'_>, at: &Derivatives, items: &[u32], place: &[u32], pairs: &[u32]) -> Option<Cholesky> {
    let m = items.len();
    let mut h = vec![0.0; m * m];
    if problem.virtual_wins == 0.0 {
        let mean = items.iter().map(|&i| at.diagonal[i as usize]).sum::<f64>() / m as f64;
        h.fill(mean / m as f64);
    }
    for (a, &i) in items.iter().enumerate() {
        h[a * m + a] += at.diagonal[i as usize];
    }
    for &q in pairs {
        let p = &problem.data.pairs[q as usize];
        let (a, b) = (place[p.left as usize] as usize, place[p.right as usize] as usize);
        h[a * m + b] -= at.weight[q as usize];
        h[b * m + a] -= at.weight[q as usize];
    }
    Cholesky::new(m, h)
}

/// 1/d_i + Σ_j w_ij² / (d_i² d_j).
fn second_order(problem: &Problem<'_>, at: &Derivatives, items: &[u32], pairs: &[u32], out: &mut [f64]) {
    let d = &at.diagonal;
    let inverse = |i: usize| if d[i] > 0.0 { 1.0 / d[i] } else { f64::INFINITY };
    for &i in items {
        out[i as usize] = inverse(i as usize);
    }
    for &q in pairs {
        let p = &problem.data.pairs[q as usize];
        let (i, j, w) = (p.left as usize, p.right as usize, at.weight[q as usize]);
        if d[i] > 0.0 && d[j] > 0.0 {
            out[i] += w * w / (d[i] * d[i] * d[j]);
            out[j] += w * w / (d[j] * d[j] * d[i]);
        }
    }
}

/// Influence of the further parameters on all scores, by conjugate gradients on the scores' block.
fn scores_only(problem: &Problem<'_>, at: &Derivatives, component: &[u32], influence: &mut [Vec<f64>]) {
    let n = problem.n();
    let bare = Problem { ties: super::TieModel::Half, position: false, ..*problem };
    let scores = Derivatives {
        value: at.value,
        gradient: at.gradient[..n].to_vec(),
        diagonal: at.diagonal.clone(),
        weight: at.weight.clone(),
        border: Vec::new(),
        corner: Vec::new(),
    };
    let curvature = Curvature { problem: &bare, at: &scores };
    for (a, u) in influence.iter_mut().enumerate() {
        let mut border = at.border[a].clone();
        if problem.shift_free() {
            remove_shift(&mut border, component);
        }
        *u = curvature.solve_iteratively(&border, 1e-8);
    }
}

/// Takes the mean of every component off: rounding must not leave a part that no solution can have.
fn remove_shift(x: &mut [f64], component: &[u32]) {
    let parts = component.iter().max().map_or(0, |&c| c as usize + 1);
    let (mut sum, mut count) = (vec![0.0; parts], vec![0.0; parts]);
    for (v, &c) in x.iter().zip(component) {
        sum[c as usize] += v;
        count[c as usize] += 1.0;
    }
    for (v, &c) in x.iter_mut().zip(component) {
        *v -= sum[c as usize] / count[c as usize];
    }
}

/// Inverse of corner - borderᵀ influence: the covariance of the further parameters (one or two of them).
fn corner_inverse(at: &Derivatives, influence: &[Vec<f64>]) -> Vec<f64> {
    let e = at.border.len();
    let s: Vec<f64> = (0..e * e)
        .map(|x| at.corner[x] - at.border[x / e].iter().zip(&influence[x % e]).map(|(b, u)| b * u).sum::<f64>())
        .collect();
    if e == 1 {
        return vec![1.0 / s[0]];
    }
    let det = s[0] * s[3] - s[1] * s[2];
    vec![s[3] / det, -s[1] / det, -s[2] / det, s[0] / det]
}

fn centre(influence: &mut [Vec<f64>], members: &[Vec<u32>]) {
    for u in influence {
        for items in members {
            let mean = items.iter().map(|&i| u[i as usize]).sum::<f64>() / items.len() as f64;
            for &i in items {
                u[i as usize] -= mean;
            }
        }
    }
}
