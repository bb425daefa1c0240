//! Bradley and Terry's model with soft outcomes, one for each compared pair: every pair counts once.

use crate::comparisons::{Comparisons, centred, separated};
use crowdwise_core::{Table, Truth};
use crowdwise_numerics::{Cholesky, ConjugateGradients, logistic_both, normal_reach};

/// Scores of items from `chance`, for each compared pair the probability that its first item is better.
pub fn soft_scores(table: &Table, compared: &[[u32; 2]], chance: &[f64], ridge: f64, level: f64) -> Truth {
    let n = table.n_items();
    let mut s = vec![0.0; n];
    let (component, parts) = Comparisons::new(table, false).components();
    let mut variance = Vec::new();
    for step in 0..=STEPS {
        // Newton's method: the loss is convex
        let (mut g, mut diagonal) = (vec![0.0; n], vec![ridge; n]);
        let mut pairs = Vec::with_capacity(compared.len());
        g.iter_mut().zip(&s).for_each(|(g, s)| *g = -ridge * s);
        for (q, &[a, b]) in compared.iter().enumerate() {
            let (a, b) = (a as usize, b as usize);
            let (p, not) = logistic_both(s[a] - s[b]);
            g[a] += chance[q] - p;
            g[b] -= chance[q] - p;
            diagonal[a] += p * not;
            diagonal[b] += p * not;
            pairs.push((a, b, p * not));
        }
        let there = step == STEPS || g.iter().all(|g| g.abs() < 1e-9);
        let (by, errors) = solve(&diagonal, &pairs, &g, there);
        if there {
            variance = errors;
            break;
        }
        let longest = by.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let shorter = (2.0 / longest).min(1.0);
        s.iter_mut().zip(&by).for_each(|(s, d)| *s += shorter * d);
    }
    let score = centred(&s, &component, parts);
    let z = normal_reach(level);
    let interval: Vec<[f64; 2]> =
        score.iter().zip(&variance).map(|(s, v)| [s - z * v.sqrt(), s + z * v.sqrt()]).collect();
    let mut ranks = vec![[1, 1]; n];
    for c in 0..parts as u32 {
        let own: Vec<usize> = (0..n).filter(|&i| component[i] == c).collect();
        let intervals: Vec<[f64; 2]> = own.iter().map(|&i| interval[i]).collect();
        own.iter().zip(separated(&intervals)).for_each(|(&i, r)| ranks[i] = r);
    }
    Truth::Scores { score, interval, component, ranks }
}

/// Maximum number of steps.
const STEPS: usize = 60;

/// Items up to which Newton's system is solved by elimination; beyond by conjugate gradients.
const DENSE: usize = 800;

/// Solution of the weighted Laplacian, and the variances that its inverse (or its diagonal) gives.
fn solve(diagonal: &[f64], pairs: &[(usize, usize, f64)], b: &[f64], errors: bool) -> (Vec<f64>, Vec<f64>) {
    let n = diagonal.len();
    if n <= DENSE {
        let mut h = vec![0.0; n * n];
        (0..n).for_each(|i| h[i * n + i] = diagonal[i]);
        for &(a, c, w) in pairs {
            h[a.max(c) * n + a.min(c)] -= w;
        }
        if let Some(factor) = Cholesky::new(n, h) {
            let mut x = b.to_vec();
            factor.solve(&mut x);
            return (x, if errors { factor.inverse_diagonal() } else { Vec::new() });
        }
    }
    let scale: Vec<f64> = diagonal.iter().map(|d| 1.0 / d).collect();
    let mut x = vec![0.0; n];
    ConjugateGradients { max_iter: 1000, accuracy: 1e-8 }.solve(&mut x, b, &scale, |x, out| {
        out.iter_mut().zip(x.iter().zip(diagonal)).for_each(|(o, (x, d))| *o = x * d);
        for &(a, c, w) in pairs {
            out[a] -= w * x[c];
            out[c] -= w * x[a];
        }
    });
    (x, scale)
}
