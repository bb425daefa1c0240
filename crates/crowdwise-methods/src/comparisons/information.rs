//! Standard errors of scores whose annotators' reliabilities are estimated too, from the expected information.

use super::mixture::{Mixture, POSITION_PRECISION, Position};
use super::places::{DRAWS, SAMPLED_ITEMS, sampled, separated};
use crowdwise_core::stream;
use crowdwise_numerics::Cholesky;
use rand_distr::{Distribution, StandardNormal};

/// What the standard errors take into account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Everything that is estimated.
    Full,
    /// Reliabilities are taken as known: eliminating them would take too long.
    Known,
    /// An expansion about the diagonal, reliabilities taken as known.
    Diagonal,
}

/// Variances of the centred scores, of the tie parameter and of a shared position effect.
#[derive(Debug)]
pub struct Errors {
    pub score: Vec<f64>,
    pub tie: Option<f64>,
    pub position: Option<f64>,
    pub grade: Grade,
    factor: Option<Cholesky>,
}

/// Precision of what is known beforehand of the place of an estimated prior, in logits.
const PLACE: f64 = 0.1;
/// Products that eliminating the reliabilities may take.
const MOST_PRODUCTS: f64 = 3e9;

impl Errors {
    /// At the minimum `x`.
    pub fn at(m: &Mixture, x: &[f64], component: &[u32], n_components: usize, dense_items: usize) -> Errors {
        if m.n_items > dense_items {
            return diagonal(m, x);
        }
        let (n, size) = (m.n_items, m.n_items + extra(m));
        let mut h = vec![0.0; size * size];
        let mut own = vec![0.0; m.size()]; // diagonal of priors and of the annotators' own variables
        m.add_prior_curvature(x, &mut own);
        let rows = Rows::by_annotator(m);
        let full = eliminated(m, &rows, x, &own, &mut h);
        (0..n).for_each(|i| h[i * size + i] += own[i]);
        if m.ridge == 0.0 && m.virtual_wins == 0.0 {
            // a shift of all scores of a component changes nothing: any curvature for it will do, centring removes it
            let mean = (0..n).map(|i| h[i * size + i]).sum::<f64>() / n as f64;
            for i in 0..n {
                for j in (0..=i).filter(|&j| component[i] == component[j]) {
                    h[i * size + j] += (mean / n as f64).max(f64::MIN_POSITIVE);
                }
            }
        }
        let factor = [0.0, 1e-10, 1e-6, 1e-3].iter().find_map(|lent| {
            let mut h = h.clone();
            (0..size).for_each(|i| h[i * size + i] += lent * (1.0 + h[i * size + i]));
            Cholesky::new(size, h)
        });
        let Some(factor) = factor else { return diagonal(m, x) };
        let inverse = factor.inverse_diagonal();
        let mut score = inverse[..n].to_vec();
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); n_components];
        component.iter().enumerate().for_each(|(i, &c)| members[c as usize].push(i));
        for items in &members {
            let mut ones = vec![0.0; size];
            items.iter().for_each(|&i| ones[i] = 1.0);
            factor.solve(&mut ones);
            let k = items.len() as f64;
            let total: f64 = items.iter().map(|&i| ones[i]).sum();
            for &i in items {
                score[i] = (score[i] - 2.0 * ones[i] / k + total / (k * k)).max(0.0);
            }
        }
        Errors {
            score,
            tie: m.has_tie().then(|| inverse[n]),
            position: (m.position == Position::Shared).then(|| inverse[position_at(m)]),
            grade: if full { Grade::Full } else { Grade::Known },
            factor: (n <= SAMPLED_ITEMS).then_some(factor),
        }
    }

    /// Best and worst place of every item within its component.
    pub fn places(&self, score: &[f64], interval: &[[f64; 2]], component: &[u32], level: f64) -> Vec<[u32; 2]> {
        let n = score.len();
        if let Some(factor) = &self.factor {
            // always the same draws: an interval is no place for chance
            let mut rng = stream(0, "places", 0);
            let mut z = vec![0.0; factor.size()];
            return sampled(score, component, DRAWS, level, |x| {
                z.iter_mut().for_each(|z| *z = StandardNormal.sample(&mut rng));
                factor.spread(&mut z);
                x.copy_from_slice(&z[..n]);
            });
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); component.iter().max().map_or(0, |&c| c as usize + 1)];
        component.iter().enumerate().for_each(|(i, &c)| members[c as usize].push(i));
        let mut out = vec![[1, 1]; n];
        for items in members {
            let own: Vec<[f64; 2]> = items.iter().map(|&i| interval[i]).collect();
            items.iter().zip(separated(&own)).for_each(|(&i, r)| out[i] = r);
        }
        out
    }
}

/// Variables that stay beside the scores: tie parameter, shared position effect, and the place of an estimated prior.
fn extra(m: &Mixture) -> usize {
    usize::from(m.has_tie()) + usize::from(m.position == Position::Shared) + usize::from(m.prior_estimated)
}

/// Where the shared position effect is.
fn position_at(m: &Mixture) -> usize {
    m.n_items + usize::from(m.has_tie())
}

/// Rows in the order of their annotators.
struct Rows {
    offsets: Vec<u32>,
    /// (row, shown pair).
    rows: Vec<(u32, u32)>,
}

impl Rows {
    fn by_annotator(m: &Mixture) -> Rows {
        let mut offsets = vec![0u32; m.n_annotators + 1];
        m.annotator.iter().for_each(|&j| offsets[j as usize + 1] += 1);
        (0..m.n_annotators).for_each(|j| offsets[j + 1] += offsets[j]);
        let mut next = offsets.clone();
        let mut rows = vec![(0, 0); m.annotator.len()];
        for (u, shown) in m.shown.iter().enumerate() {
            for row in shown.start..shown.end {
                let at = &mut next[m.annotator[row as usize] as usize];
                rows[*at as usize] = (row, u as u32);
                *at += 1;
            }
        }
        Rows { offsets, rows }
    }

    fn of(&self, j: usize) -> &[(u32, u32)] {
        &self.rows[self.offsets[j] as usize..self.offsets[j + 1] as usize]
    }
}

/// Adds the information about scores and shared variables to the lower triangle of `h`, with every annotator's own
/// variables eliminated (false: too many products, they are taken as known).
fn eliminated(m: &Mixture, rows: &Rows, x: &[f64], own: &[f64], h: &mut [f64]) -> bool {
    let (n, ties) = (m.n_items, m.ties_of(x));
    let size = n + extra(m);
    let products: f64 = (0..m.n_annotators).map(|j| (2.0 * rows.of(j).len() as f64).min(n as f64).powi(2)).sum();
    let full = products <= MOST_PRODUCTS;
    let tie = m.has_tie().then_some(n);
    let position = (m.position == Position::Shared).then(|| position_at(m));
    // the annotators are pulled to a place that their own answers tell: all may lie above or below it together
    let place = m.prior_estimated.then_some(size - 1);
    if let Some(p) = place {
        h[p * size + p] += PLACE;
    }
    let each = m.position == Position::Annotators;
    // cross derivatives of the annotator's t and position effect with everything that stays
    let mut cross = vec![[0.0; 2]; size];
    let mut touched: Vec<u32> = Vec::new();
    for j in 0..m.n_annotators {
        let mut corner = [own[n + j], 0.0, if each { own[m.position_at() + j] } else { POSITION_PRECISION }];
        for &(_, u) in rows.of(j) {
            let shown = m.shown[u as usize];
            let (l, r) = (shown.left as usize, shown.right as usize);
            let e = m.expected(x, &ties, x[l] - x[r], j);
            h[l * size + l] += e[0][0];
            h[r * size + r] += e[0][0];
            h[l.max(r) * size + l.min(r)] -= e[0][0];
            corner[0] += e[1][1];
            if each {
                corner[1] += e[1][3];
                corner[2] += e[3][3];
            }
            for (i, sign) in [(l, 1.0), (r, -1.0)] {
                if cross[i] == [0.0; 2] {
                    touched.push(i as u32);
                }
                cross[i][0] += sign * e[0][1];
                cross[i][1] += sign * e[0][3];
            }
            for (at, k) in [(tie, 2), (position, 3)] {
                if let Some(a) = at {
                    h[a * size + l] += e[0][k];
                    h[a * size + r] -= e[0][k];
                    h[a * size + a] += e[k][k];
                    if cross[a] == [0.0; 2] {
                        touched.push(a as u32);
                    }
                    cross[a][0] += e[1][k];
                    cross[a][1] += e[k][3];
                }
            }
            if let (Some(t), Some(p)) = (tie, position) {
                h[p * size + t] += e[2][3];
            }
        }
        if let Some(p) = place {
            h[p * size + p] += own[n + j];
            cross[p][0] -= own[n + j];
            touched.push(p as u32);
        }
        touched.sort_unstable();
        touched.dedup();
        if full {
            subtract(&mut cross, &touched, corner, each, size, h);
        }
        touched.drain(..).for_each(|i| cross[i as usize] = [0.0; 2]);
    }
    full
}

/// h -= C K⁻¹ Cᵀ for one annotator: K the 1 x 1 or 2 x 2 `corner`.
fn subtract(cross: &mut [[f64; 2]], touched: &[u32], corner: [f64; 3], each: bool, size: usize, h: &mut [f64]) {
    let root = corner[0].sqrt();
    if root.is_nan() || root <= 1e-150 {
        return;
    }
    let lean = corner[1] / root;
    let rest = (corner[2] - lean * lean).max(0.0).sqrt();
    for &i in touched {
        let c = &mut cross[i as usize];
        c[0] /= root;
        c[1] = if each && rest > 1e-150 { (c[1] - lean * c[0]) / rest } else { 0.0 };
    }
    for (at, &a) in touched.iter().enumerate() {
        let ca = cross[a as usize];
        let row = &mut h[a as usize * size..][..=a as usize];
        for &b in &touched[..=at] {
            let cb = cross[b as usize];
            row[b as usize] -= ca[0] * cb[0] + ca[1] * cb[1];
        }
    }
}

/// 1/d_i + Σ w_ij² / (d_i² d_j): a lower limit, close where every item met many others.
fn diagonal(m: &Mixture, x: &[f64]) -> Errors {
    let ties = m.ties_of(x);
    let mut d = vec![0.0; m.size()];
    m.add_prior_curvature(x, &mut d);
    d.truncate(m.n_items);
    let mut weight = Vec::with_capacity(m.shown.len());
    for u in &m.shown {
        let (l, r) = (u.left as usize, u.right as usize);
        let rows = u.start as usize..u.end as usize;
        let w: f64 = rows.map(|row| m.expected(x, &ties, x[l] - x[r], m.annotator[row] as usize)[0][0]).sum();
        d[l] += w;
        d[r] += w;
        weight.push(w);
    }
    // an item of which nothing is known has no score either
    let mut score: Vec<f64> = d.iter().map(|&d| if d > 1e-12 { 1.0 / d } else { 1e12 }).collect();
    for (u, w) in m.shown.iter().zip(weight) {
        let (l, r) = (u.left as usize, u.right as usize);
        if d[l] > 1e-12 && d[r] > 1e-12 {
            score[l] += w * w / (d[l] * d[l] * d[r]);
            score[r] += w * w / (d[r] * d[r] * d[l]);
        }
    }
    Errors { score, tie: None, position: None, grade: Grade::Diagonal, factor: None }
}
