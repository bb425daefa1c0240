//! Annotators who bring labels from elsewhere.
#![allow(clippy::print_stdout)] // what was measured

use super::*;
use crate::classes::confusion::KnownConfusions;
use crowdwise_core::{AnyMethod, Fit, TableBuilder, stream};
use rand::RngExt;
use rand::seq::index::sample;
use std::collections::BTreeMap;

const CLASSES: [&str; 3] = ["x", "y", "z"];

/// A matrix for each of 20 annotators: some good, some who mix up two classes, some who guess.
fn matrices(seed: u64) -> Vec<[[f64; 3]; 3]> {
    let mut rng = stream(seed, "matrices", 0);
    (0..20)
        .map(|j| {
            let right = if j % 4 == 0 { 0.4 } else { rng.random_range(0.6..0.9) };
            std::array::from_fn(|t| {
                let favourite = (t + 1 + j % 2) % 3;
                std::array::from_fn(|l| match l {
                    l if l == t => right,
                    l if l == favourite => 0.8 * (1.0 - right),
                    _ => 0.2 * (1.0 - right),
                })
            })
        })
        .collect()
}

fn draw(seed: u64, task: u64, items: usize, each: usize) -> (Dataset, Vec<usize>) {
    let pi = matrices(seed);
    let mut rng = stream(seed, "task", task);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    CLASSES.iter().for_each(|c| _ = b.classes.intern(c));
    let mut truth = Vec::new();
    for i in 0..items {
        let z = rng.random_range(0..3usize);
        truth.push(z);
        for j in sample(&mut rng, 20, each) {
            let (u, row) = (rng.random::<f64>(), pi[j][z]);
            let l = if u < row[0] {
                0
            } else if u < row[0] + row[1] {
                1
            } else {
                2
            };
            b.label(&format!("i{i}"), &format!("a{j}"), CLASSES[l]).unwrap();
        }
    }
    (Dataset::new(b.finish().unwrap()), truth)
}

/// Matrices of a fit times `pull`, by names.
fn by_names(data: &Dataset, matrix: impl Fn(usize, &str) -> Vec<f64>, pull: f64) -> ByName {
    let one = |(j, name): (usize, &str)| {
        let m = matrix(j, name);
        let row = |t: usize| -> BTreeMap<String, f64> {
            (0..3).map(|l| (CLASSES[l].to_owned(), pull * m[t * 3 + l])).collect()
        };
        (name.to_owned(), (0..3).map(|t| (CLASSES[t].to_owned(), row(t))).collect())
    };
    data.table.annotators().iter().enumerate().map(one).collect()
}

fn fit(m: &dyn AnyMethod, data: &Dataset) -> Fit {
    m.fit(data, &mut Context::new(0, 1)).unwrap()
}

#[test]
fn a_prior_of_a_million_labels_is_a_known_matrix() {
    let (data, _) = draw(1, 0, 150, 4);
    let pi = matrices(1);
    let flat = |_: usize, name: &str| -> Vec<f64> { pi[name[1..].parse::<usize>().unwrap()].concat() };
    let known = KnownConfusions { confusion: by_names(&data, flat, 1.0), ..KnownConfusions::default() };
    let sure = PooledDawidSkene {
        prior: by_names(&data, flat, 1e6),
        class_prior: PooledPrior::Uniform,
        ..PooledDawidSkene::default()
    };
    let (a, b) = (fit(&known, &data), fit(&sure, &data));
    let worst = a.posterior().unwrap().1.iter().zip(b.posterior().unwrap().1).map(|(x, y)| (x - y).abs());
    assert!(worst.fold(0.0, f64::max) < 1e-3);
}

#[test]
fn annotators_known_from_elsewhere_make_few_labels_worth_more() {
    let error = |f: &Fit, truth: &[usize], data: &Dataset| -> f64 {
        let q = f.posterior().unwrap().1;
        let wrong = (0..truth.len()).filter(|&u| {
            let i = data.table.items().name(u)[1..].parse::<usize>().unwrap();
            crowdwise_core::stats::argmax(&q[3 * u..3 * u + 3]) != truth[i]
        });
        100.0 * wrong.count() as f64 / truth.len() as f64
    };
    let (mut without, mut with) = (0.0, 0.0);
    for seed in 0..6 {
        let (source, _) = draw(seed, 1, 400, 5);
        let (target, truth) = draw(seed, 2, 300, 2);
        let old = fit(&PooledDawidSkene::default(), &source);
        let prior = by_names(&source, |j, _| old.annotators.confusion(j).unwrap(), 12.0);
        let plain = PooledDawidSkene::default();
        without += error(&fit(&plain, &target), &truth, &target) / 6.0;
        let transferred = fit(&PooledDawidSkene { prior, ..plain }, &target);
        with += error(&transferred, &truth, &target) / 6.0;
    }
    println!("error {without:.1} %, with the prior {with:.1} %");
    assert!(with <= without - 2.0, "{without} {with}");
}

#[test]
fn a_prior_is_for_full_matrices() {
    let (data, _) = draw(1, 0, 20, 2);
    let prior = by_names(&data, |_, _| vec![1.0; 9], 1.0);
    let m = PooledDawidSkene { structure: Structure::One, prior, ..PooledDawidSkene::default() };
    let e = AnyMethod::fit(&m, &data, &mut Context::new(0, 1)).unwrap_err().to_string();
    assert!(e.contains("`prior` is given, but must be empty with `structure=one`"), "{e}");
}
