//! Mean, median and trimmed mean: by hand, on simulated and on real values.

use crate::common;

use crowdwise_core::{Annotators, AnyMethod, Context, Dataset, Fit, Gold, LabelKind, TableBuilder, Truth, stream};
use crowdwise_methods::numbers::{Mean, Median, TrimmedMean};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde_json::Value;

fn fit(method: &dyn AnyMethod, data: &Dataset) -> Fit {
    method.fit(data, &mut Context::new(0, 2)).unwrap()
}

fn estimates(f: &Fit) -> (&[f64], &[f64]) {
    match &f.truth {
        Truth::Real { value, sd } => (value, sd),
        other => panic!("values wanted, not {other:?}"),
    }
}

fn gaussian(f: &Fit) -> (&[f64], &[f64]) {
    match &f.annotators {
        Annotators::Gaussian { bias, sd } => (bias, sd),
        other => panic!("bias and spread wanted, not {other:?}"),
    }
}

fn table(rows: &[(&str, &str, f64)]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Real);
    for (i, j, v) in rows {
        b.value(i, j, *v);
    }
    Dataset::new(b.finish().unwrap())
}

/// Values of every item by annotators with the given noise and bias, drawn at random, and the truth.
fn simulate(seed: u64, items: usize, per_item: usize, noise: &[f64], bias: &[f64]) -> (Dataset, Vec<f64>) {
    let mut rng = stream(seed, "test values", 0);
    let mut b = TableBuilder::new(LabelKind::Real);
    let mut truth = Vec::new();
    let normal = |scale: f64, rng: &mut rand_chacha::ChaCha8Rng| -> f64 {
        let z: f64 = StandardNormal.sample(rng);
        scale * z
    };
    (0..noise.len()).for_each(|j| {
        b.annotators.intern(&format!("a{j}"));
    });
    for i in 0..items {
        let y = normal(3.0, &mut rng);
        truth.push(y);
        let mut who: Vec<usize> = (0..noise.len()).collect();
        for s in 0..per_item {
            who.swap(s, rng.random_range(s..noise.len()));
            let j = who[s];
            b.value(&format!("i{i}"), &format!("a{j}"), y + bias[j] + normal(noise[j], &mut rng));
        }
    }
    (Dataset::new(b.finish().unwrap()), truth)
}

fn mse(f: &Fit, truth: &[f64]) -> f64 {
    estimates(f).0.iter().zip(truth).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / truth.len() as f64
}

#[test]
fn small_tables_by_hand() {
    let data = table(&[("x", "p", 1.0), ("x", "q", 2.0), ("x", "r", 6.0), ("y", "p", 4.0), ("y", "q", 8.0)]);
    let textbook = Mean { pooling: 0.0 };
    let f = fit(&textbook, &data);
    let (value, sd) = estimates(&f);
    assert_eq!(value, [3.0, 6.0]);
    // variances 7 and 8
    assert!((sd[0] - (7.0f64 / 3.0).sqrt()).abs() < 1e-12 && (sd[1] - 2.0).abs() < 1e-12);
    // residuals of p: -2, -2; of q: -1, 2; of r: 3 alone
    let (bias, spread) = gaussian(&f);
    assert_eq!(bias, [-2.0, 0.5, 3.0]);
    assert_eq!(spread[0], 0.0);
    assert!((spread[1] - 4.5f64.sqrt()).abs() < 1e-12 && spread[2].is_nan());
    // one label of the pooled variance (14 + 8) / 3
    let f = fit(&Mean { pooling: 1.0 }, &data);
    let pooled = 22.0 / 3.0;
    assert!((estimates(&f).1[0] - ((14.0 + pooled) / 3.0f64 / 3.0).sqrt()).abs() < 1e-12);
    assert!((f.diagnostics.details["pooled_sd"].as_f64().unwrap() - pooled.sqrt()).abs() < 1e-12);
    assert!(gaussian(&f).1.iter().all(|s| s.is_finite() && *s > 0.0));
    assert_eq!(estimates(&fit(&Median::default(), &data)).0, [2.0, 6.0]);
}

#[test]
fn one_label_and_no_label_are_honest() {
    let mut data = table(&[("x", "p", 1.0), ("x", "q", 3.0), ("y", "p", 5.0)]);
    data.table.add_items(["z"]);
    let f = fit(&Mean::default(), &data);
    let (value, sd) = estimates(&f);
    assert_eq!(value[1], 5.0);
    assert!((sd[1] - 2f64.sqrt()).abs() < 1e-12, "one label has the pooled spread");
    assert!(value[2].is_nan() && sd[2].is_nan(), "nobody said anything about z");
    assert!(estimates(&fit(&Mean { pooling: 0.0 }, &data)).1[1].is_nan());
    // only single labels: no spread can be known
    let f = fit(&Mean::default(), &table(&[("x", "p", 1.0), ("y", "p", 5.0)]));
    assert!(estimates(&f).1.iter().all(|s| s.is_nan()));
}

#[test]
fn known_values_are_kept() {
    let data = table(&[("x", "p", 1.0), ("x", "q", 3.0), ("y", "p", 5.0), ("y", "q", 7.0)]);
    let gold = Gold::from_items(&data.table, &[("x".into(), "10".into())], "gold").unwrap();
    let data = data.with_gold(gold);
    for m in [&Mean::default() as &dyn AnyMethod, &Median::default(), &TrimmedMean::default()] {
        let f = fit(m, &data);
        assert_eq!((estimates(&f).0[0], estimates(&f).1[0]), (10.0, 0.0));
        assert_eq!(gaussian(&f).0, [-5.0, -3.0]);
    }
}

#[test]
fn annotators_of_unequal_noise_make_the_known_errors() {
    // variances 0.1, 1 and 10 in equal parts, five of fifty annotators per item: error of the mean 3.7 / 5
    let (mut mean, mut median) = (0.0, 0.0);
    for seed in 0..10 {
        let noise: Vec<f64> = (0..50).map(|j| [0.1f64, 1.0, 10.0][(j + seed as usize) % 3].sqrt()).collect();
        let (data, truth) = simulate(seed, 500, 5, &noise, &[0.0; 50]);
        mean += mse(&fit(&Mean::default(), &data), &truth) / 10.0;
        median += mse(&fit(&Median::default(), &data), &truth) / 10.0;
    }
    assert!((mean - 0.74).abs() < 0.03, "{mean}");
    // 0.37 by a simulation of the same in numpy
    assert!((median - 0.37).abs() < 0.03, "{median}");
}

#[test]
fn standard_errors_cover_the_truth() {
    let same_noise = 1e6;
    for per_item in [1, 2, 3, 4, 5, 6, 11] {
        let (data, truth) = simulate(5, 4000, per_item, &[1.0; 12], &[0.0; 12]);
        for m in [
            &Mean { pooling: same_noise } as &dyn AnyMethod,
            &Median { pooling: same_noise },
            &TrimmedMean { pooling: same_noise, ..Default::default() },
            &TrimmedMean { trim: 0.25, pooling: same_noise, ..Default::default() },
            &TrimmedMean { trim: 0.4, pooling: same_noise, ..Default::default() },
        ] {
            let f = fit(m, &data);
            let (value, sd) = estimates(&f);
            if per_item == 1 {
                assert!(sd.iter().all(|s| s.is_nan()), "one value each: no spread to be seen");
                continue;
            }
            let within = (0..truth.len()).filter(|&u| (value[u] - truth[u]).abs() < 1.96 * sd[u]).count();
            let share = within as f64 / truth.len() as f64;
            // the trimmed mean of two to five values borrows the standard error of the median, which is larger
            let most = if m.info().id == "trimmed-mean" { 0.985 } else { 0.97 };
            assert!(share > 0.93 && share < most, "{per_item} values, {:?}: {share}", f.provenance.params);
        }
    }
}

#[test]
fn biases_and_spreads_of_annotators_are_found() {
    let noise = [0.3, 0.6, 1.2, 0.6, 0.3, 0.6];
    let bias = [1.5, -0.5, 0.0, 0.5, -1.5, 0.0];
    let (data, _) = simulate(6, 3000, 6, &noise, &bias);
    let f = fit(&Mean::default(), &data);
    let (b, s) = gaussian(&f);
    for j in 0..6 {
        assert!((b[j] - bias[j]).abs() < 0.05, "bias of a{j}: {}", b[j]);
        // the estimate holds a sixth of the annotator's own noise, and the others'
        let others: f64 = (0..6).filter(|&o| o != j).map(|o| noise[o] * noise[o]).sum();
        let want = ((5.0 / 6.0 * noise[j]) * (5.0 / 6.0 * noise[j]) + others / 36.0).sqrt();
        assert!((s[j] / want - 1.0).abs() < 0.05, "spread of a{j}: {} against {want}", s[j]);
    }
}

#[test]
fn wild_values_move_the_mean_and_not_the_median() {
    let (data, truth) = simulate(7, 1000, 5, &[1.0; 10], &[0.0; 10]);
    let mut b = TableBuilder::new(LabelKind::Real);
    let mut rng = stream(7, "wild", 0);
    let values = data.table.real().unwrap();
    for u in 0..data.table.n_units() {
        for r in data.table.rows(u) {
            let wild = if rng.random::<f64>() < 0.05 { 1000.0 } else { 0.0 };
            let who = data.table.annotators().name(data.table.annotator()[r] as usize);
            b.value(data.table.items().name(u), who, values[r] + wild);
        }
    }
    let wild = Dataset::new(b.finish().unwrap());
    let error = |m: &dyn AnyMethod| mse(&fit(m, &wild), &truth);
    assert!(error(&Mean::default()) > 1000.0);
    assert!(error(&TrimmedMean { trim: 0.4, ..Default::default() }) < error(&TrimmedMean::default()));
    assert!(error(&Median::default()) < 0.1 * error(&Mean::default()));
}

#[test]
fn real_sets_reach_the_known_errors() {
    // root mean squared errors of mean and median, from an independent computation in numpy
    for (name, mean, median) in [("dots_guess", 19.86, 12.33), ("emotion", 16.05, 19.08), ("valence", 26.10, 31.30)] {
        let dir = common::data_dir().join(name);
        let (Ok(answers), Ok(truth)) =
            (std::fs::read_to_string(dir.join("answers.csv")), std::fs::read_to_string(dir.join("truth.csv")))
        else {
            eprintln!(
                "SKIPPED: no dataset {name} in {} (set CROWDWISE_DATA to the folder of real datasets)",
                dir.display()
            );
            continue;
        };
        let rows: Vec<Vec<&str>> = answers.lines().skip(1).map(|l| l.split(',').collect()).collect();
        let rows: Vec<(&str, &str, f64)> = rows.iter().map(|f| (f[0], f[1], f[2].parse().unwrap())).collect();
        let data = table(&rows);
        let known: Vec<(usize, f64)> = truth
            .lines()
            .skip(1)
            .filter_map(|l| l.split_once(','))
            .filter_map(|(i, v)| Some((data.table.items().iter().position(|n| n == i)?, v.parse().ok()?)))
            .collect();
        let rmse = |f: &Fit| {
            (known.iter().map(|&(u, v)| (estimates(f).0[u] - v).powi(2)).sum::<f64>() / known.len() as f64).sqrt()
        };
        for (m, want) in [(&Mean::default() as &dyn AnyMethod, mean), (&Median::default(), median)] {
            let got = rmse(&fit(m, &data));
            assert!((got - want).abs() < 0.02, "{name} {}: {got}, not {want}", m.info().id);
        }
    }
}

#[test]
fn every_bad_parameter_is_named() {
    let bad = |id: &str, name: &str, value: Value| {
        let pairs = [(name.to_string(), value)];
        match crowdwise_methods::find(id).unwrap().with(&pairs) {
            Ok(_) => panic!("{id} took {pairs:?}"),
            Err(e) => assert!(e.code() == "bad-parameter" && e.to_string().contains(&format!("`{name}`")), "{e}"),
        }
    };
    for id in ["reg-mean", "reg-median", "reg-trimmed"] {
        bad(id, "pooling", (-1).into());
    }
    bad("reg-trimmed", "trim", 0.5.into());
    bad("reg-trimmed", "trim", (-0.1).into());
    bad("reg-trimmed", "fractional", "some".into());
}
