//! What can be known of a fit without truth and without another fit: agreement of every label with the rest.

use crate::{Annotators, Categorical, Dataset, Fit};

/// Mean over annotators of how well each one's labels agree with what the rest says, and the annotators it rests on.
///
/// Units with one label say nothing and are left out. For every other label e = (unit, annotator j, label l):
/// - the fit has confusion matrices (or an accuracy, ability or competence that gives one): the posterior without this
///   label ("cavity"), softmax over k of ln max(q_k, 1e-30) - ln max(A_j(k, l), 1e-9), taken at l;
/// - the fit has weights: the share of the weight of the other labels that is on l;
/// - else: the share of the other labels that are l.
///
/// Every annotator counts once, however many labels it gave: the busy ones shaped the solution that they would judge.
pub fn agreement(data: &Dataset, fit: &Fit) -> Option<(f64, usize)> {
    let c = data.table.categorical()?;
    let (k, post) = fit.model_posterior()?;
    if k != c.k() || post.len() != k * data.table.n_units() {
        return None;
    }
    let m = data.table.n_annotators();
    let modelled = fit.annotators.len() == m && m > 0;
    let (sum, n) = match &fit.annotators {
        Annotators::Weight { weight } if modelled => by_weight(c, weight),
        a if modelled && a.classes() == Some(k) => by_cavity(c, fit, k, post),
        _ => by_weight(c, &vec![1.0; m]),
    };
    mean_of_annotators(&sum, &n)
}

/// [`agreement`] of posteriors with tables (annotators x label x truth), in one pass over the units.
pub fn cavity_agreement(c: Categorical<'_>, tables: &[f64], post: &[f64]) -> Vec<Option<f64>> {
    let (table, k) = (c.table, c.k());
    let (mut sum, mut n) = (vec![0.0; table.n_annotators()], vec![0u64; table.n_annotators()]);
    for (u, q) in post.chunks_exact(k).enumerate().filter(|(u, _)| table.degree(*u) >= 2) {
        for r in table.rows(u) {
            let (j, l) = (table.annotator()[r] as usize, c.codes.get(r));
            let said = &tables[(j * k + l) * k..][..k];
            let ratio = |t: usize| q[t].max(1e-30) / said[t].max(1e-9);
            sum[j] += ratio(l) / (0..k).map(ratio).sum::<f64>();
            n[j] += 1;
        }
    }
    sum.iter().zip(&n).map(|(s, &n)| (n > 0).then(|| s / n as f64)).collect()
}

/// [`agreement`] of the plain votes.
pub fn vote_agreement(c: Categorical<'_>) -> Option<f64> {
    let (sum, n) = by_weight(c, &vec![1.0; c.table.n_annotators()]);
    mean_of_annotators(&sum, &n).map(|(mean, _)| mean)
}

fn mean_of_annotators(sum: &[f64], n: &[u64]) -> Option<(f64, usize)> {
    let each: Vec<f64> = sum.iter().zip(n).filter(|&(_, &n)| n > 0).map(|(s, &n)| s / n as f64).collect();
    (!each.is_empty()).then(|| (each.iter().sum::<f64>() / each.len() as f64, each.len()))
}

fn by_cavity(c: Categorical<'_>, fit: &Fit, k: usize, post: &[f64]) -> (Vec<f64>, Vec<u64>) {
    let table = c.table;
    let (mut sum, mut n) = (vec![0.0; table.n_annotators()], vec![0u64; table.n_annotators()]);
    let mut column = vec![0.0; k];
    for u in (0..table.n_units()).filter(|&u| table.degree(u) >= 2) {
        for row in table.rows(u) {
            let (j, l) = (table.annotator()[row] as usize, c.codes.get(row));
            fit.annotators.column(j, l, &mut column);
            // softmax of differences of logarithms = ratios, normalised
            let ratio = |t: usize| post[u * k + t].max(1e-30) / column[t].max(1e-9);
            let all: f64 = (0..k).map(ratio).sum();
            sum[j] += ratio(l) / all;
            n[j] += 1;
        }
    }
    (sum, n)
}

/// Weights below 0 count as 0; where nobody else has any weight, the labels count alike.
fn by_weight(c: Categorical<'_>, weight: &[f64]) -> (Vec<f64>, Vec<u64>) {
    let table = c.table;
    let (mut sum, mut n) = (vec![0.0; table.n_annotators()], vec![0u64; table.n_annotators()]);
    let (mut here, mut plain) = (vec![0.0; c.k()], vec![0.0; c.k()]);
    for u in 0..table.n_units() {
        let d = table.degree(u);
        if d < 2 {
            continue;
        }
        let w = |r: usize| weight[table.annotator()[r] as usize].max(0.0);
        let mut all = 0.0;
        for r in table.rows(u) {
            here[c.codes.get(r)] += w(r);
            plain[c.codes.get(r)] += 1.0;
            all += w(r);
        }
        for r in table.rows(u) {
            let (j, l) = (table.annotator()[r] as usize, c.codes.get(r));
            let others = all - w(r);
            sum[j] += if others > 1e-12 * all {
                ((here[l] - w(r)) / others).clamp(0.0, 1.0)
            } else {
                (plain[l] - 1.0) / (d - 1) as f64
            };
            n[j] += 1;
        }
        for r in table.rows(u) {
            here[c.codes.get(r)] = 0.0;
            plain[c.codes.get(r)] = 0.0;
        }
    }
    (sum, n)
}
