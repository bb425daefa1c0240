//! IBCC: published figures, mixing, coverage of its intervals, recovery.

use crate::common;

use common::{accuracy, real_set};
use crowdwise_core::{Annotators, AnyMethod, Context, Dataset, Fit, Gold, LabelKind, Stop, TableBuilder, stream};
use crowdwise_methods::classes::confusion::Ibcc;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};
use std::sync::atomic::AtomicBool;

fn fit(m: &Ibcc, data: &Dataset, seed: u64) -> Fit {
    m.fit(data, &mut Context::new(seed, 2)).unwrap()
}

fn numbers(f: &Fit, group: &str, name: &str) -> Vec<f64> {
    match &f.diagnostics.details[group][name] {
        serde_json::Value::Array(a) => a.iter().map(|x| x.as_f64().unwrap()).collect(),
        x => vec![x.as_f64().unwrap()],
    }
}

/// Errors in percent of an independent numpy sampler (burn-in 100, 300 kept), within its own spread over seeds.
#[test]
fn errors_on_real_sets() {
    for (name, low, high) in [("rte", 6.82, 7.42), ("bluebird", 10.1, 11.2), ("dog", 15.7, 16.7)] {
        let Some((data, gold)) = real_set(name) else { return };
        let f = fit(&Ibcc::default(), &data, 0);
        let have = 100.0 * (1.0 - accuracy(&f, &gold.unwrap()));
        assert!((low..=high).contains(&have), "{name}: {have:.2}, want {low} to {high}");
        let rhat = [numbers(&f, "rhat", "mean_accuracy"), numbers(&f, "rhat", "items")].concat();
        assert_eq!(rhat.len(), 11);
        if name != "dog" {
            assert!(rhat.iter().all(|r| *r < 1.1), "{name}: {rhat:?}");
            assert_eq!(f.diagnostics.stop, Stop::Converged);
        }
        assert!(numbers(&f, "ess", "mean_accuracy")[0] > 50.0, "{name}");
        assert_eq!(f.diagnostics.trace.len(), 400);
    }
}

struct Simulated {
    data: Dataset,
    truth: Vec<usize>,
    /// P(right) of each annotator under the class shares.
    accuracy: Vec<f64>,
    confusion: Vec<f64>,
}

fn dirichlet(rng: &mut ChaCha8Rng, shapes: &[f64]) -> Vec<f64> {
    let g: Vec<f64> = shapes.iter().map(|&a| Gamma::new(a, 1.0).unwrap().sample(rng)).collect();
    let s: f64 = g.iter().sum();
    g.iter().map(|x| x / s).collect()
}

fn draw(rng: &mut ChaCha8Rng, p: &[f64]) -> usize {
    let mut u = rng.random::<f64>();
    p.iter()
        .position(|x| {
            u -= x;
            u < 0.0
        })
        .unwrap_or(p.len() - 1)
}

/// Class shares and confusion matrices from the priors of `p`, then labels from them.
fn simulate(p: &Ibcc, seed: u64, items: usize, m: usize, per_item: usize, k: usize) -> Simulated {
    let mut rng = stream(seed, "ibcc-test", 0);
    let shares = dirichlet(&mut rng, &vec![p.alpha; k]);
    let mut confusion = Vec::new();
    let mut accuracy = Vec::new();
    for _ in 0..m {
        let mut right = 0.0;
        for t in 0..k {
            let shapes: Vec<f64> = (0..k).map(|l| if l == t { p.beta_diagonal } else { p.beta_off }).collect();
            let row = dirichlet(&mut rng, &shapes);
            right += shares[t] * row[t];
            confusion.extend(row);
        }
        accuracy.push(right);
    }
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..k).for_each(|c| {
        b.classes.intern(&format!("c{c}"));
    });
    (0..m).for_each(|j| {
        b.annotators.intern(&format!("a{j}"));
    });
    let mut truth = Vec::new();
    for i in 0..items {
        let z = draw(&mut rng, &shares);
        truth.push(z);
        for n in 0..per_item {
            let j = (i * 3 + n * 7 + i / m) % m;
            let l = draw(&mut rng, &confusion[(j * k + z) * k..(j * k + z + 1) * k]);
            b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
        }
    }
    Simulated { data: Dataset::new(b.finish().unwrap()), truth, accuracy, confusion }
}

/// Data from the priors themselves: 90 % intervals cover 90 % of the true accuracies. 40 data sets of 20 annotators: the
/// annotators of one set share its luck, so the standard error of the coverage is about 1.8 points; 5 points are allowed.
#[test]
fn intervals_of_accuracy_cover_as_they_say() {
    let p = Ibcc { beta_diagonal: 6.0, beta_off: 1.5, alpha: 3.0, chains: 2, ..Ibcc::default() };
    let (mut inside, mut total, mut bias) = (0, 0, 0.0);
    for seed in 0..40 {
        let s = simulate(&p, seed, 150, 20, 6, 3);
        let f = fit(&p, &s.data, seed);
        let mean = numbers(&f, "accuracy", "mean");
        let own = f.diagnostics.details["accuracy_interval"].as_array().unwrap();
        for j in 0..20 {
            let (low, high) = (own[j][0].as_f64().unwrap(), own[j][1].as_f64().unwrap());
            assert!(low < mean[j] && mean[j] < high);
            inside += usize::from(low <= s.accuracy[j] && s.accuracy[j] <= high);
            bias += mean[j] - s.accuracy[j];
            total += 1;
        }
    }
    let coverage = inside as f64 / total as f64;
    assert!((0.85..=0.95).contains(&coverage), "{coverage}");
    assert!((bias / total as f64).abs() < 0.03, "accuracies are off by {} on average", bias / total as f64);
}

/// The table of annotators has one rule for all methods: a point that its own interval excludes (0.998 with 0.598 to
/// 0.883, the one by counting and the other with the prior) cannot be.
#[test]
fn failure_05_the_table_never_shows_a_point_outside_of_its_interval() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..8 {
        for j in 0..3 {
            b.label(&format!("i{i}"), &format!("a{j}"), if i % 2 == 0 { "x" } else { "y" }).unwrap();
        }
    }
    let data = Dataset::new(b.finish().unwrap());
    for row in crowdwise_core::questions::annotators(&data, &fit(&Ibcc::default(), &data, 0)) {
        let ([low, high], p) = (row.interval.unwrap(), row.accuracy.unwrap());
        assert!(low <= p && p <= high && p > 0.8 && high > 0.97, "{row:?}");
    }
}

/// With 900 labels per annotator a row of a confusion matrix rests on about 300 labels: standard error below 0.03.
#[test]
fn recovers_confusion_matrices_and_beats_the_vote() {
    let p = Ibcc { beta_diagonal: 4.0, beta_off: 1.5, alpha: 5.0, burn_in: 50, keep: 100, ..Ibcc::default() };
    let s = simulate(&p, 3, 3000, 20, 6, 3);
    let f = fit(&p, &s.data, 1);
    let Annotators::Confusion { k, matrix } = &f.annotators else { panic!("confusion matrices wanted") };
    let off = (matrix.iter().zip(&s.confusion).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / matrix.len() as f64).sqrt();
    assert!(off < 0.05, "confusion matrices are off by {off}");
    let right = |q: &[f64]| {
        let hit = |(i, z): &(usize, &usize)| crowdwise_core::stats::argmax(&q[i * k..(i + 1) * k]) == **z;
        s.truth.iter().enumerate().filter(hit).count()
    };
    let mut votes = vec![0.0; 3000 * k];
    votes.chunks_mut(*k).enumerate().for_each(|(i, v)| s.data.table.categorical().unwrap().votes(i, v));
    let (ours, theirs) = (right(f.posterior().unwrap().1), right(&votes));
    assert!(ours > theirs + 60, "{ours} right, the vote has {theirs}");
}

/// Exact posteriors of a tiny problem by summing over every assignment of classes: the sampler must agree within its
/// own error (about 0.01 with 4 x 5000 sweeps).
#[test]
fn agrees_with_enumeration() {
    use crowdwise_core::stats::ln_gamma;
    let rows =
        [(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 0), (2, 0, 1), (2, 1, 1), (2, 2, 0), (3, 2, 0), (3, 0, 0), (4, 1, 1)];
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, j, l) in rows {
        b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
    }
    let data = Dataset::new(b.finish().unwrap());
    let p = Ibcc { beta_diagonal: 3.0, beta_off: 1.0, alpha: 1.5, burn_in: 200, keep: 5000, ..Ibcc::default() };
    let (mut exact, mut total) = ([0.0; 5], 0.0);
    // first and second moments of P(says 0 | truth), annotators x truth
    let (mut first, mut second) = ([0.0; 6], [0.0; 6]);
    for code in 0..32usize {
        let z = |i: usize| code >> i & 1;
        let ones: usize = (0..5).map(z).sum();
        let mut ln = ln_gamma(1.5 + ones as f64) + ln_gamma(1.5 + (5 - ones) as f64);
        for j in 0..3 {
            for t in 0..2 {
                let n = |l: usize| rows.iter().filter(|r| r.1 == j && z(r.0) == t && r.2 == l).count() as f64;
                let beta = |l: usize| if l == t { 3.0 } else { 1.0 };
                ln += ln_gamma(beta(0) + n(0)) + ln_gamma(beta(1) + n(1)) - ln_gamma(4.0 + n(0) + n(1));
            }
        }
        total += ln.exp();
        (0..5).for_each(|i| exact[i] += ln.exp() * z(i) as f64);
        for j in 0..3 {
            for t in 0..2 {
                let n = |l: usize| rows.iter().filter(|r| r.1 == j && z(r.0) == t && r.2 == l).count() as f64;
                let (a, all) = (n(0) + if t == 0 { 3.0 } else { 1.0 }, n(0) + n(1) + 4.0);
                first[j * 2 + t] += ln.exp() * a / all;
                second[j * 2 + t] += ln.exp() * a * (a + 1.0) / (all * (all + 1.0));
            }
        }
    }
    let f = fit(&p, &data, 4);
    // the guard against swapped names is part of the method: this prior never swaps them more than now and then
    let swapped = f.diagnostics.details["relabelled_sweeps"].as_u64().unwrap();
    assert!(swapped < 1000, "{swapped}");
    let (_, q) = f.posterior().unwrap();
    for i in 0..5 {
        let (have, want) = (q[i * 2 + 1], exact[i] / total);
        assert!((have - want).abs() < 0.03, "item {i}: {have:.3}, exactly {want:.3}");
    }
    let sd = f.diagnostics.details["confusion_sd"].as_array().unwrap();
    for x in 0..6 {
        let (mean, square) = (first[x] / total, second[x] / total);
        let (have, spread) = (f.annotators.confusion(x / 2).unwrap()[x % 2 * 2], sd[x * 2].as_f64().unwrap());
        let want = (square - mean * mean).sqrt();
        assert!((have - mean).abs() < 0.03 && (spread - want).abs() < 0.02, "{x}: {have} {mean} {spread} {want}");
    }
    let shares = f.diagnostics.details["class_shares_interval"].as_array().unwrap();
    let end = |c: usize, e: usize| shares[c][e].as_f64().unwrap();
    let prior = f.class_prior.as_ref().unwrap();
    assert!((0..2).all(|c| end(c, 0) < prior[c] && prior[c] < end(c, 1)), "{shares:?} {prior:?}");
}

#[test]
fn gold_unlabelled_items_cancel_and_threads() {
    let p = Ibcc { burn_in: 10, keep: 20, ..Ibcc::default() };
    let s = simulate(&p, 5, 60, 8, 4, 3);
    let mut data = s.data.clone();
    data.table.add_items(["nobody"]);
    let gold =
        Gold::from_items(&data.table, &[("i3".into(), "c2".into()), ("i7".into(), "c0".into())], "gold").unwrap();
    let data = data.with_gold(gold);
    let f = fit(&p, &data, 1);
    let (k, q) = f.posterior().unwrap();
    assert_eq!((q[3 * k + 2], q[7 * k]), (1.0, 1.0));
    let prior = f.class_prior.as_ref().unwrap();
    assert!(
        q[60 * k..].iter().zip(prior).all(|(a, b)| (a - b).abs() < 1e-12),
        "an unlabelled item has the class shares"
    );

    let go = |seed, threads| p.fit(&data, &mut Context::new(seed, threads)).unwrap();
    assert_eq!((&go(1, 1).truth, &go(1, 1).annotators), (&f.truth, &f.annotators));
    assert_ne!(go(2, 1).truth, f.truth);

    let flag = AtomicBool::new(true);
    let stopped = p.fit(&data, &mut Context::default().with_cancel(&flag)).unwrap();
    assert_eq!((stopped.diagnostics.iterations, stopped.diagnostics.stop), (1, Stop::Cancelled));
    assert!(stopped.posterior().unwrap().1.chunks(3).all(|r| (r.iter().sum::<f64>() - 1.0).abs() < 1e-9));
}
