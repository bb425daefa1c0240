//! Variances against second differences of the likelihood itself.

use super::*;
use crate::{Diagnostics, LabelKind, Provenance, TableBuilder, Truth};

const K: usize = 2;
const M: usize = 5;

/// Five annotators of two classes; four labels an item.
fn crowd() -> Dataset {
    let mut rng = stream(3, "crowd", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..120 {
        let z = usize::from(rng.random_bool(0.4));
        for j in (0..M).filter(|j| (i + j) % M != 0) {
            let l = if rng.random_bool([0.9, 0.8, 0.75, 0.7, 0.65][j]) { z } else { 1 - z };
            b.label(&format!("i{i}"), &format!("a{j}"), &format!("{l}")).unwrap();
        }
    }
    Dataset::new(b.finish().unwrap())
}

/// Parameters: class share of 0, then P(0 says 0) and P(1 says 1) of every annotator.
fn ln_likelihood(data: &Dataset, p: &[f64], mut posterior: Option<&mut Vec<f64>>) -> f64 {
    let c = data.table.categorical().unwrap();
    let mut sum = 0.0;
    for u in 0..data.table.n_units() {
        let mut f = [p[0], 1.0 - p[0]];
        for r in data.table.rows(u) {
            let (j, l) = (data.table.annotator()[r] as usize, c.codes.get(r));
            for (t, f) in f.iter_mut().enumerate() {
                *f *= if t == l { p[1 + 2 * j + t] } else { 1.0 - p[1 + 2 * j + t] };
            }
        }
        sum += (f[0] + f[1]).ln();
        if let Some(q) = posterior.as_deref_mut() {
            q.extend(f.map(|x| x / (f[0] + f[1])));
        }
    }
    sum
}

/// EM to its end. With one coin both accuracies are the same, and class shares are even.
fn em(data: &Dataset, coin: bool) -> (Vec<f64>, Vec<f64>) {
    let c = data.table.categorical().unwrap();
    let mut p = vec![0.7; 1 + 2 * M];
    p[0] = 0.5;
    let mut q = Vec::new();
    for _ in 0..3000 {
        q.clear();
        ln_likelihood(data, &p, Some(&mut q));
        let (mut right, mut n) = ([0.0; 2 * M], [0.0; 2 * M]);
        for u in 0..data.table.n_units() {
            for r in data.table.rows(u) {
                let (j, l) = (data.table.annotator()[r] as usize, c.codes.get(r));
                right[2 * j + l] += q[u * K + l];
                (0..K).for_each(|t| n[2 * j + t] += q[u * K + t]);
            }
        }
        for x in 0..2 * M {
            let both = x / 2 * 2;
            p[1 + x] = if coin { (right[both] + right[both + 1]) / (n[both] + n[both + 1]) } else { right[x] / n[x] };
        }
        if !coin {
            p[0] = q.iter().step_by(2).sum::<f64>() / data.table.n_units() as f64;
        }
    }
    (p, q)
}

/// Inverse of the negative second differences of a function.
fn inverse_information(f: &dyn Fn(&[f64]) -> f64, at: &[f64]) -> Vec<Vec<f64>> {
    let (n, h) = (at.len(), 1e-4);
    let moved = |x: usize, a: f64, y: usize, b: f64| {
        let mut p = at.to_vec();
        p[x] += a;
        p[y] += b;
        f(&p)
    };
    let second = |x: usize, y: usize| {
        -(moved(x, h, y, h) - moved(x, h, y, -h) - moved(x, -h, y, h) + moved(x, -h, y, -h)) / (4.0 * h * h)
    };
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|x| (0..n).map(|y| second(x, y)).chain((0..n).map(|y| f64::from(u8::from(x == y)))).collect())
        .collect();
    for x in 0..n {
        let lead = rows[x][x];
        rows[x].iter_mut().for_each(|v| *v /= lead);
        let own = rows[x].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(y, _)| *y != x) {
            let factor = row[x];
            row.iter_mut().zip(&own).for_each(|(v, o)| *v -= factor * o);
        }
    }
    rows.iter().map(|r| r[n..].to_vec()).collect()
}

fn fitted(data: &Dataset, p: &[f64], q: Vec<f64>, coin: bool) -> (Fit, Tally) {
    let annotators = if coin {
        Annotators::Accuracy { k: K, accuracy: (0..M).map(|j| p[1 + 2 * j]).collect() }
    } else {
        let matrix = (0..M).flat_map(|j| [p[1 + 2 * j], 1.0 - p[1 + 2 * j], 1.0 - p[2 + 2 * j], p[2 + 2 * j]]);
        Annotators::Confusion { k: K, matrix: matrix.collect() }
    };
    let fit = Fit {
        truth: Truth::Classes { k: K, posterior: q },
        uncalibrated: None,
        annotators,
        class_prior: Some(vec![p[0], 1.0 - p[0]]),
        difficulty: None,
        diagnostics: Diagnostics::direct(),
        findings: Vec::new(),
        provenance: Provenance {
            method: "test".into(),
            params: serde_json::Value::Null,
            seed: 0,
            version: "0".into(),
            kind: data.table.kind(),
            items: data.table.n_items(),
            annotators: M,
            classes: K,
            labels: data.table.n_labels(),
            digest: String::new(),
        },
    };
    let t = Tally::of(data, &fit, false).unwrap();
    (fit, t)
}

/// Variance of an accuracy as the part of labels says.
fn variance(t: &Tally, j: usize, part: f64) -> f64 {
    let (n, a) = (t.n[j] as f64, t.accuracy(j).unwrap());
    a * (1.0 - a) / (n * part)
}

#[test]
fn one_coin_has_the_variance_of_its_likelihood() {
    let data = crowd();
    let (p, q) = em(&data, true);
    let (fit, t) = fitted(&data, &p, q, true);
    let of_coins = |a: &[f64]| {
        let mut all = vec![0.5];
        a.iter().for_each(|&x| all.extend([x, x]));
        ln_likelihood(&data, &all, None)
    };
    let at: Vec<f64> = (0..M).map(|j| p[1 + 2 * j]).collect();
    let want = inverse_information(&of_coins, &at);
    let parts = certainty(&data, &fit, &t).unwrap();
    for j in 0..M {
        let got = variance(&t, j, parts[j]);
        assert!((got / want[j][j] - 1.0).abs() < 0.01, "{j}: {got} {}", want[j][j]);
        assert!(parts[j] < 0.9, "{parts:?}");
    }
}

#[test]
fn confusion_matrices_have_the_variance_of_their_likelihood() {
    let data = crowd();
    let (p, q) = em(&data, false);
    let (fit, t) = fitted(&data, &p, q, false);
    let covariance = inverse_information(&|x| ln_likelihood(&data, x, None), &p);
    let parts = certainty(&data, &fit, &t).unwrap();
    for j in 0..M {
        let n = t.n[j] as f64;
        let share = [t.seen[2 * j] / n, t.seen[2 * j + 1] / n];
        let (x, y) = (1 + 2 * j, 2 + 2 * j);
        let given_shares = share[0] * share[0] * covariance[x][x]
            + share[1] * share[1] * covariance[y][y]
            + 2.0 * share[0] * share[1] * covariance[x][y];
        // and what the mixture of classes adds
        let between = share[0] * share[1] * (p[x] - p[y]).powi(2) / n;
        let got = variance(&t, j, parts[j]);
        assert!((got / (given_shares + between) - 1.0).abs() < 0.02, "{j}: {got} {given_shares} {between}");
    }
}

#[test]
fn probes_agree_with_solutions_and_certain_truth_loses_nothing() {
    let data = crowd();
    let (p, q) = em(&data, false);
    let (fit, t) = fitted(&data, &p, q, false);
    let c = data.table.categorical().unwrap();
    let q = fit.posterior().unwrap().1;
    let own = own_part(c, q, &t, Freedom::Full);
    let system = System::new(c, q, &t, Freedom::Full, true);
    let (exact, probed) = (system.exact(&own), system.probed(&own, 400));
    for j in 0..M {
        assert!((exact[j] / probed[j] - 1.0).abs() < 0.2, "{exact:?} {probed:?}");
        assert!(exact[j] >= own[j].missing());
    }
    let hard: Vec<f64> = q.iter().map(|&x| x.round()).collect();
    let (fit, t) = fitted(&data, &p, hard, false);
    assert_eq!(certainty(&data, &fit, &t).unwrap(), vec![1.0; M]);
}
