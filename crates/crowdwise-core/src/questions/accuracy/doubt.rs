//! How much wider the interval of an annotator is because the others are not known either.
//!
//! What an annotator's items are follows from the others' matrices, which are estimates from the same labels: where somebody
//! guesses, who is right on the items that they share is told by few, and an error of these is an error here. Let every annotator
//! have a θ of its own (see `tilt`). With z the class of an item and s_j(z) = [label is z] - e_z the slope of ln P(label | z), the
//! information about all of them together is (Louis)
//!
//!   I_ji = [j = i] Σ E e_z (1 - e_z)  -  Σ_items Cov(s_j, s_i)
//!
//! to which the pull towards the crowd adds its own, with what the crowd is like unknown as well. Without the others I_jj is what is
//! known of θ_j; with them it is 1 / (I⁻¹)_jj, the pull on j itself taken out. The quotient of both is by how much less the labels
//! tell, and the likelihood is raised to one over it.

use super::crowd::{Crowd, Model};
use crowdwise_numerics::Cholesky;

/// Unknowns up to which the information is inverted, and operations, about, that counting it may take.
const UNKNOWNS: usize = 1_000;
const WORK: usize = 400_000_000;
/// Labels' worth of prior on what the crowd is like.
const LEAST: f64 = 1.0;
/// No annotator's labels are worth less than one over this.
const MOST: f64 = 10.0;

/// For every annotator by how much less its labels tell of it, at least 1.
pub(super) fn factors(crowd: &Crowd<'_>) -> Vec<f64> {
    let (k, m, table) = (crowd.k, crowd.c.table.n_annotators(), crowd.c.table);
    let classes = std::env::var("BLOCK").is_ok();
    let b = if classes && matches!(crowd.model, Model::Matrices(_)) { k } else { 1 };
    let size = (m + 1) * b;
    let pairs: usize = (0..table.n_units()).map(|u| table.degree(u).pow(2)).sum();
    let mut out = vec![1.0; m];
    if std::env::var("NODOUBT").is_ok() || size > UNKNOWNS || pairs.saturating_mul(k * b) > WORK {
        return out;
    }
    let right = |j: usize, z: usize| crowd.right(j, z);
    let mut h = vec![0.0; size * size];
    let mut own = vec![0.0; m * b]; // information without the others
    let (who, codes) = (table.annotator(), crowd.c.codes);
    let mut a = Vec::new();
    for (u, q) in crowd.q.chunks_exact(k).enumerate() {
        let rows = table.rows(u);
        // slopes of the labels by class, and their means
        a.clear();
        for r in rows.clone() {
            let (j, l) = (who[r] as usize, codes.get(r));
            a.extend((0..k).map(|z| f64::from(u8::from(l == z)) - right(j, z)));
        }
        let mean: Vec<f64> = a.chunks_exact(k).map(|s| s.iter().zip(q).map(|(s, q)| s * q).sum()).collect();
        for (x, r) in rows.clone().enumerate() {
            let j = who[r] as usize;
            for z in 0..k {
                let e = right(j, z);
                let at = j * b + if b > 1 { z } else { 0 };
                h[at * size + at] += q[z] * e * (1.0 - e);
            }
            for (y, t) in rows.clone().enumerate() {
                let i = who[t] as usize;
                let (s, o) = (&a[x * k..(x + 1) * k], &a[y * k..(y + 1) * k]);
                if b == 1 {
                    let cov = (0..k).map(|z| q[z] * s[z] * o[z]).sum::<f64>() - mean[x] * mean[y];
                    h[j * size + i] -= cov;
                } else {
                    for z in 0..k {
                        for w in 0..k {
                            let cov = if z == w { q[z] * s[z] * o[z] } else { 0.0 } - q[z] * s[z] * q[w] * o[w];
                            h[(j * b + z) * size + i * b + w] -= cov;
                        }
                    }
                }
            }
        }
    }
    for j in 0..m {
        let block = |h: &[f64]| (0..b).flat_map(|z| (0..b).map(move |w| (z, w))).map(|(z, w)| h[(j * b + z) * size + j * b + w]).sum::<f64>();
        own[j] = block(&h);
    }
    // the pull: to the crowd as far as one works, to a habit of one's own otherwise
    let pull = |j: usize, z: usize| -> [f64; 2] {
        let spread = |z: usize| right(j, z) * (1.0 - right(j, z));
        let all = crowd.alike * if b > 1 { spread(z) } else if matches!(crowd.model, Model::Matrices(_)) { (0..k).map(spread).sum() } else { spread(0) };
        let w = crowd.works.get(j).copied().unwrap_or(1.0);
        [w * all, (1.0 - w) * all]
    };
    for z in 0..b {
        let mu = m * b + z;
        h[mu * size + mu] += LEAST * 0.25;
        for j in 0..m {
            let at = j * b + z;
            let [tie, habit] = pull(j, z);
            h[at * size + at] += tie + habit;
            h[mu * size + mu] += tie;
            h[at * size + mu] -= tie;
            h[mu * size + at] -= tie;
        }
    }
    let Some(factor) = Cholesky::new(size, h) else { if std::env::var("TELL").is_ok() { println!("not positive") }; return out };
    // the inverse, column by column
    let mut inverse = vec![0.0; size * size];
    for (at, column) in inverse.chunks_exact_mut(size).enumerate() {
        column[at] = 1.0;
        factor.solve(column);
    }
    for j in 0..m {
        if table.by_annotator().rows(j).is_empty() { continue; }
        let told = if b == 1 {
            let mu = m;
            let [tie, habit] = pull(j, 0);
            let v = |x: usize, y: usize| inverse[x * size + y];
            let (jj, jm, mm) = (v(j, j), v(j, mu), v(mu, mu));
            let slack = 1.0 / tie.max(1e-12) - (jj - 2.0 * jm + mm);
            let free = jj + (jj - jm).powi(2) / slack.max(1e-12);
            1.0 / free - habit
        } else {
            // block, with the tie of j to the crowd taken out
            let mu = m;
            let part = |x: usize, y: usize| -> Vec<f64> { (0..b * b).map(|i| inverse[(x * b + i / b) * size + y * b + i % b]).collect() };
            let (jj, jm, mj, mm) = (part(j, j), part(j, mu), part(mu, j), part(mu, mu));
            let mut slack: Vec<f64> = (0..b * b).map(|i| -(jj[i] - jm[i] - mj[i] + mm[i])).collect();
            for z in 0..b { slack[z * b + z] += 1.0 / pull(j, z)[0].max(1e-9); }
            let f = Cholesky::with_floor(b, slack, 1e-9);
            // jj + (jj - jm) slack^-1 (jj - jm)^T
            let d: Vec<Vec<f64>> = (0..b).map(|x| { let mut r: Vec<f64> = (0..b).map(|y| jj[x * b + y] - jm[x * b + y]).collect(); f.solve(&mut r); r }).collect();
            let mut free = jj.clone();
            for x in 0..b { for y in 0..b { free[x * b + y] += (0..b).map(|z| d[x][z] * (jj[y * b + z] - jm[y * b + z])).sum::<f64>(); } }
            let f = Cholesky::with_floor(b, free, 1e-9);
            let mut ones = vec![1.0; b];
            f.solve(&mut ones);
            let habits: f64 = (0..b).map(|z| pull(j, z)[1]).sum();
            ones.iter().sum::<f64>() - habits
        };
        out[j] = (own[j] / told.max(1e-12)).clamp(1.0, MOST);
    }
    if std::env::var("SHARES").is_ok() && let Model::Matrices(_) = crowd.model {
        let items = (0..table.n_units()).filter(|&u| table.degree(u) > 0).count() as f64;
        for j in 0..m {
            let (mut s1, mut s2, mut slope) = (0.0, 0.0, 0.0);
            for z in 0..k {
                let (e, p) = (right(j, z), crowd.shares[z]);
                s1 += p * e; s2 += p * e * e; slope += p * e * (1.0 - e);
            }
            out[j] += (s2 - s1 * s1) / (items + 1.0) * own[j].max(0.0) / (slope * slope).max(1e-12);
        }
    }
    out
}
