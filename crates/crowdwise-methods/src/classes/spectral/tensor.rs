//! The answers of a group given the class, from second and third moments of three groups: whitening and the robust
//! tensor power method.

use super::moments::Moments;
use crowdwise_numerics::{Matrix, best_assignment, norm};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Random starts of the power method for one component, for few and for many classes, and its steps.
const STARTS: (usize, usize) = (100, 20);
const MANY: usize = 20;
const STEPS: usize = 100;
/// The smallest over the largest singular value of the second moment below which classes cannot be told apart.
const LEAST: f64 = 1e-3;
/// Eigenvalues are at least this.
const FLOOR: f64 = 1e-6;

/// What a group says of the items of each class.
#[derive(Debug)]
pub(super) struct Component {
    /// K x K: column = class, entry = how often the group says the row's class of such an item.
    pub answers: Matrix,
    /// Share of each class.
    pub share: Vec<f64>,
}

/// The component of group `c`; `Err` has the ratio of singular values if it is too small.
pub(super) fn component(m: &Moments, c: usize, rng: &mut ChaCha8Rng) -> Result<Component, f64> {
    let k = m.k;
    let (a, b) = ((c + 1) % 3, (c + 2) % 3);
    let ab = m.between(a, b);
    // answers of the other two groups as seen by this one
    let to_a = m.between(c, b).times(&ab.pseudo_inverse());
    let to_b = m.between(c, a).times(&ab.transpose().pseudo_inverse());
    // not made symmetric: that loses the agreement with the third moment
    let second = to_a.times(&ab).times(&to_b.transpose());
    let d = second.svd();
    let ratio = d.s[k - 1] / d.s[0].max(f64::MIN_POSITIVE);
    if ratio.is_nan() || ratio < LEAST {
        return Err(if ratio.is_nan() { 0.0 } else { ratio });
    }
    let whiten = Matrix::from_fn(k, k, |r, x| d.u[(r, x)] / d.s[x].sqrt());
    let across = whiten.transpose();
    let mut sides: [Matrix; 3] = [Matrix::zeros(0, 0), Matrix::zeros(0, 0), Matrix::zeros(0, 0)];
    sides[a] = across.times(&to_a);
    sides[b] = across.times(&to_b);
    sides[c] = across;
    let mut tensor = reordered(&contracted(&m.triple, &sides, k), [a, b, c], k);
    // (Wᵀ)⁻¹ = U diag(√s), because U is orthogonal
    let unwhiten = Matrix::from_fn(k, k, |r, x| d.u[(r, x)] * d.s[x].sqrt());
    let mut columns = Matrix::zeros(k, k);
    let mut share = vec![0.0; k];
    for x in 0..k {
        let (value, v) = strongest(&tensor, k, rng);
        let value = value.max(FLOOR);
        deflate(&mut tensor, value, &v);
        unwhiten.apply(&v).iter().enumerate().for_each(|(l, y)| columns[(l, x)] = value * y);
        share[x] = 1.0 / (value * value);
    }
    // which component is which class: that whose items the group calls so most often
    let sum = |x: usize| (0..k).map(|l| columns[(l, x)].abs()).sum::<f64>().max(f64::MIN_POSITIVE);
    let score: Vec<f64> = (0..k * k).map(|y| columns[(y / k, y % k)] / sum(y % k)).collect();
    let order = best_assignment(&score, k);
    Ok(Component {
        answers: Matrix::from_fn(k, k, |l, t| columns[(l, order[t])]),
        share: order.iter().map(|&x| share[x]).collect(),
    })
}

/// T(M_0ᵀ, M_1ᵀ, M_2ᵀ): every index multiplied by its matrix from the left.
fn contracted(t: &[f64], sides: &[Matrix; 3], k: usize) -> Vec<f64> {
    let mut from = t.to_vec();
    for side in sides {
        // the first index becomes the last: after three times all are in place again
        let mut to = vec![0.0; k * k * k];
        for x in 0..k {
            for rest in 0..k * k {
                let value = from[x * k * k + rest];
                if value != 0.0 {
                    (0..k).for_each(|y| to[rest * k + y] += side[(y, x)] * value);
                }
            }
        }
        from = to;
    }
    from
}

/// The tensor whose index p is index `order[p]` of the given one.
fn reordered(t: &[f64], order: [usize; 3], k: usize) -> Vec<f64> {
    let mut out = Vec::with_capacity(t.len());
    let mut index = [0; 3];
    for x in 0..k {
        for y in 0..k {
            for z in 0..k {
                (index[order[0]], index[order[1]], index[order[2]]) = (x, y, z);
                out.push(t[(index[0] * k + index[1]) * k + index[2]]);
            }
        }
    }
    out
}

/// T(I, v, v).
fn step(t: &[f64], v: &[f64], out: &mut [f64]) {
    let k = v.len();
    for (o, plane) in out.iter_mut().zip(t.chunks_exact(k * k)) {
        *o = plane.chunks_exact(k).zip(v).map(|(row, y)| y * crowdwise_numerics::dot(row, v)).sum();
    }
}

/// The vector with the largest T(v, v, v) that any start reaches, and that value.
fn strongest(t: &[f64], k: usize, rng: &mut ChaCha8Rng) -> (f64, Vec<f64>) {
    let starts = if k > MANY { STARTS.1 } else { STARTS.0 };
    let mut best = (f64::NEG_INFINITY, vec![1.0 / (k as f64).sqrt(); k]);
    let mut next = vec![0.0; k];
    for _ in 0..starts {
        let mut v: Vec<f64> = (0..k).map(|_| StandardNormal.sample(rng)).collect();
        let length = norm(&v);
        v.iter_mut().for_each(|x| *x /= length);
        for _ in 0..STEPS {
            step(t, &v, &mut next);
            let length = norm(&next);
            if length < 1e-300 || !length.is_finite() {
                break;
            }
            let mut moved = 0f64;
            for (x, y) in v.iter_mut().zip(&next) {
                moved = moved.max((*x - y / length).abs());
                *x = y / length;
            }
            if moved < 1e-13 {
                break;
            }
        }
        step(t, &v, &mut next);
        let value = crowdwise_numerics::dot(&next, &v);
        if value > best.0 {
            best = (value, v);
        }
    }
    best
}

fn deflate(t: &mut [f64], value: f64, v: &[f64]) {
    let k = v.len();
    for x in 0..k {
        for y in 0..k {
            let w = value * v[x] * v[y];
            t[(x * k + y) * k..][..k].iter_mut().zip(v).for_each(|(t, z)| *t -= w * z);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::stream;
    use rand::RngExt;

    #[test]
    fn exact_moments_give_exact_answers() {
        for k in [2, 3, 5] {
            let mut rng = stream(4, "tensor", k as u64);
            let share: Vec<f64> = (0..k).map(|t| (t + 2) as f64).collect();
            let sum: f64 = share.iter().sum();
            let share: Vec<f64> = share.iter().map(|s| s / sum).collect();
            let mut answers = || {
                Matrix::from_fn(k, k, |l, t| f64::from(u8::from(l == t)) * 2.0)
                    .values()
                    .iter()
                    .map(|x| x + rng.random_range(0.1..0.6))
                    .collect::<Vec<f64>>()
            };
            let group: Vec<Matrix> = (0..3).map(|_| Matrix::new(k, k, answers())).collect();
            let between = |a: usize, b: usize| group[a].times(&Matrix::diagonal(&share)).times(&group[b].transpose());
            let mut triple = vec![0.0; k * k * k];
            for (x, out) in triple.iter_mut().enumerate() {
                let (a, b, c) = (x / (k * k), x / k % k, x % k);
                *out = (0..k).map(|t| share[t] * group[0][(a, t)] * group[1][(b, t)] * group[2][(c, t)]).sum();
            }
            let moments = Moments::given(k, [between(0, 1), between(1, 2), between(2, 0)], triple);
            for c in 0..3 {
                let found = component(&moments, c, &mut stream(5, "power", c as u64)).unwrap();
                for t in 0..k {
                    assert!((found.share[t] - share[t]).abs() < 1e-8, "{k}: {:?}", found.share);
                    for l in 0..k {
                        let d = found.answers[(l, t)] - group[c][(l, t)];
                        assert!(d.abs() < 1e-7, "{k}, group {c}: {d}");
                    }
                }
            }
        }
    }

    #[test]
    fn contraction_equals_brute_force() {
        let k = 3;
        let mut rng = stream(6, "tensor", 0);
        let mut random = |n: usize| (0..n).map(|_| rng.random_range(-1.0..1.0)).collect::<Vec<f64>>();
        let t = random(27);
        let sides = [Matrix::new(3, 3, random(9)), Matrix::new(3, 3, random(9)), Matrix::new(3, 3, random(9))];
        let got = reordered(&contracted(&t, &sides, k), [1, 2, 0], k);
        for x in 0..27 {
            // place (i, j, l) of the reordered tensor is (l, i, j) of the contracted one
            let (i, j, l) = (x / 9, x / 3 % 3, x % 3);
            let mut sum = 0.0;
            for y in 0..27 {
                sum += t[y] * sides[0][(l, y / 9)] * sides[1][(i, y / 3 % 3)] * sides[2][(j, y % 3)];
            }
            assert!((got[x] - sum).abs() < 1e-12);
        }
    }

    #[test]
    fn classes_that_look_alike_are_refused() {
        let same = Matrix::new(2, 2, vec![0.25; 4]);
        let moments = Moments::given(2, [same.clone(), same.clone(), same], vec![0.125; 8]);
        assert!(component(&moments, 0, &mut stream(7, "power", 0)).unwrap_err() < 1e-3);
    }
}
