//! The Dawid-Skene family against published numbers, crowd-kit's output and simulated truth.

use crate::common;

use common::{accuracy, data_dir, real_set};
use crowdwise_core::{AnyMethod, Context, Dataset, Fit, Gold, GoldValues, LabelKind, TableBuilder, stream};
use crowdwise_methods::classes::confusion::{
    Assignment, BayesDawidSkene, ClassPrior, ConfusionVector, DawidSkene, OneCoin, SpammerHammer, Zeros,
};
use rand::RngExt;
use serde_json::Value;

fn fit(method: &dyn AnyMethod, data: &Dataset) -> Fit {
    method.fit(data, &mut Context::new(0, 2)).unwrap()
}

/// Share of wrong labels in percent, a tie going to its first class as in the published tables.
fn decided_error(f: &Fit, gold: &Gold) -> f64 {
    let (k, q) = f.posterior().unwrap();
    let GoldValues::Classes(gold) = &gold.values else { panic!("classes wanted") };
    let label = |u: u32| crowdwise_core::stats::argmax(&q[u as usize * k..][..k]) as u32;
    100.0 * gold.iter().filter(|&&(u, c)| label(u) != c).count() as f64 / gold.len() as f64
}

fn error_percent(method: &dyn AnyMethod, set: &str) -> Option<f64> {
    let (data, gold) = real_set(set)?;
    Some(100.0 * (1.0 - accuracy(&fit(method, &data), &gold.unwrap())))
}

/// The setting behind the tables of the literature: uniform prior, no smoothing, ten iterations.
fn published() -> DawidSkene {
    DawidSkene {
        class_prior: ClassPrior::Uniform,
        alpha: 0.0,
        max_iter: 10,
        tol: 0.0,
        accelerate: false,
        ..DawidSkene::default()
    }
}

/// The first 30 annotators of `bluebird`, with which the survey's table was made.
fn bluebird30() -> Option<(Dataset, Gold)> {
    let (data, gold) = real_set("bluebird")?;
    let names: Vec<bool> = data.table.annotators().iter().map(|n| n[1..].parse::<u32>().unwrap() < 30).collect();
    let table = data.table.filter_rows(|r| names[data.table.annotator()[r] as usize]);
    Some((Dataset::new(table), gold.unwrap()))
}

#[test]
fn dawid_skene_gives_the_published_errors() {
    for (set, want) in [("trec", 30.02), ("rte", 7.25), ("bluebird", 11.11)] {
        if let Some((data, gold)) = real_set(set) {
            let error = decided_error(&fit(&published(), &data), &gold.unwrap());
            assert!((error - want).abs() < 0.02, "{set}: {error:.3}, published {want}");
        }
    }
    if let Some((data, gold)) = bluebird30() {
        let error = decided_error(&fit(&published(), &data), &gold);
        assert!((error - 12.04).abs() < 0.02, "bluebird, 30 annotators: {error:.3}");
    }
}

/// Accuracies that the META.md of each set states for Dawid-Skene: vote shares, smoothing 0.01, learned prior, 200 iterations.
#[test]
fn accuracies_equal_those_of_the_datasets_pages() {
    let ds = DawidSkene { max_iter: 200, accelerate: false, ..DawidSkene::default() };
    let Ok(dirs) = std::fs::read_dir(data_dir()) else {
        eprintln!("SKIPPED: no real datasets at {} (set CROWDWISE_DATA)", data_dir().display());
        return;
    };
    let mut checked = 0;
    let mut names: Vec<String> =
        dirs.filter_map(Result::ok).map(|d| d.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    for name in names {
        let Ok(page) = std::fs::read_to_string(data_dir().join(&name).join("META.md")) else { continue };
        let stated = |what: &str| -> Option<f64> {
            let line = page.lines().find(|l| l.contains(what))?;
            line.rsplit(' ').next()?.trim().parse().ok()
        };
        let (Some(mv), Some(want)) = (stated("majority vote accuracy"), stated("Dawid-Skene EM accuracy")) else {
            continue;
        };
        let Some((data, Some(gold))) = real_set(&name) else { continue };
        let vote = crowdwise_methods::find("majority-vote").unwrap().default();
        // the pages count every annotator, copies or not
        let fit = |m: &dyn AnyMethod, data: &Dataset| {
            let mut cx = Context::new(0, 2);
            cx.count_copies = true;
            m.fit(data, &mut cx).unwrap()
        };
        let got = accuracy(&fit(&*vote, &data), &gold);
        assert!((got - mv).abs() <= 0.005, "{name}: majority vote {got:.4}, page {mv}");
        let got = accuracy(&fit(&ds, &data), &gold);
        assert!((got - want).abs() <= 0.005, "{name}: Dawid-Skene {got:.4}, page {want}");
        checked += 1;
    }
    assert!(checked >= 20, "only {checked} sets were found in {}", data_dir().display());
}

/// Table 1 of Dawid & Skene (1979), bundled: class shares 0.40, 0.42, 0.11, 0.07 and the printed error rates.
#[test]
fn the_anaesthetists_of_1979() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/anesthesia.csv")).unwrap();
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        b.label(f[0], f[1], f[2]).unwrap();
    }
    let data = Dataset::new(b.finish().unwrap());
    assert_eq!((data.table.n_items(), data.table.n_annotators(), data.table.n_labels()), (45, 5, 315));
    let f = fit(&DawidSkene { alpha: 0.0, ..DawidSkene::default() }, &data);
    let prior = f.class_prior.clone().unwrap();
    for (got, want) in prior.iter().zip([0.40, 0.42, 0.11, 0.07]) {
        assert!((got - want).abs() < 0.005, "{prior:?}");
    }
    // observer 1: individual error rates, Table 2 of the paper (truth by row), printed to two digits
    let printed = [[0.89, 0.11, 0.0, 0.0], [0.07, 0.88, 0.05, 0.0], [0.0, 0.34, 0.66, 0.0], [0.0, 0.0, 0.56, 0.44]];
    let confusion = f.annotators.confusion(0).unwrap();
    for (t, row) in printed.iter().enumerate() {
        for (l, want) in row.iter().enumerate() {
            let got = confusion[t * 4 + l];
            assert!((got - want).abs() < 0.012, "observer 1, truth {}, says {}: {got:.3}", t + 1, l + 1);
        }
    }
}

fn golden(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    let v: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    v["cases"].as_array().unwrap().clone()
}

fn golden_input(case: &Value) -> Dataset {
    let path = format!("{}/tests/golden/{}", env!("CARGO_MANIFEST_DIR"), case["input"].as_str().unwrap());
    let text = std::fs::read_to_string(path).unwrap();
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for line in text.lines().filter(|l| !l.starts_with('#')).skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        b.label(f[0], f[1], f[2]).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

fn floats(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(a) => a.iter().flat_map(floats).collect(),
        _ => vec![v.as_f64().unwrap()],
    }
}

fn worst(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn dawid_skene_equals_crowd_kit() {
    for case in golden("crowdkit-dawid-skene.json") {
        let data = golden_input(&case);
        let n = case["n_iter"].as_u64().unwrap() as usize;
        let ds = DawidSkene { alpha: 0.0, max_iter: n, tol: 0.0, accelerate: false, ..DawidSkene::default() };
        let f = fit(&ds, &data);
        let d = worst(f.posterior().unwrap().1, &floats(&case["posterior"]));
        assert!(d < 1e-7, "{}: posteriors differ by {d}", case["call"]);
        let d = worst(f.class_prior.as_ref().unwrap(), &floats(&case["prior"]));
        assert!(d < 1e-7, "{}: class shares differ by {d}", case["call"]);
    }
}

#[test]
fn one_coin_equals_crowd_kit() {
    for case in golden("crowdkit-one-coin.json") {
        let data = golden_input(&case);
        let n = case["n_iter"].as_u64().unwrap() as usize;
        let f = fit(&OneCoin { alpha: 0.0, max_iter: n, tol: 0.0, accelerate: false, ..OneCoin::default() }, &data);
        let d = worst(f.posterior().unwrap().1, &floats(&case["posterior"]));
        assert!(d < 1e-6, "{}: posteriors differ by {d}", case["call"]);
    }
}

#[test]
fn one_coin_and_the_variational_method_give_the_measured_errors() {
    for (set, want) in [("rte", 7.50), ("bluebird", 27.78)] {
        if let Some(e) = error_percent(&OneCoin { class_prior: ClassPrior::Uniform, ..OneCoin::default() }, set) {
            assert!((e - want).abs() < 0.3, "one-coin on {set}: {e:.2}, measured {want}");
        }
    }
    for (set, want) in [("bluebird", 11.11), ("rte", 7.25)] {
        if let Some(e) = error_percent(&BayesDawidSkene::default(), set) {
            assert!((e - want).abs() < 0.3, "bayes-dawid-skene on {set}: {e:.2}, measured {want}");
        }
    }
}

#[test]
fn hard_and_hybrid_em_give_the_measured_accuracies() {
    for (set, fast, hybrid) in [("rte", 93.00, 92.75), ("dog", 84.01, 84.39)] {
        for (assignment, want) in [(Assignment::Hard, fast), (Assignment::Hybrid, hybrid)] {
            if let Some(e) = error_percent(&DawidSkene { assignment, ..DawidSkene::default() }, set) {
                assert!((100.0 - e - want).abs() < 0.4, "{assignment:?} on {set}: {:.2}, measured {want}", 100.0 - e);
            }
        }
    }
}

/// Annotators drawn by `row`, five labels per item from distinct annotators.
fn simulate(k: usize, m: usize, n: usize, per: usize, matrices: &[Vec<f64>], seed: u64) -> (Dataset, Vec<usize>) {
    let mut rng = stream(seed, "simulated", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..k).for_each(|c| _ = b.classes.intern(&c.to_string()));
    (0..m).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    let mut truth = Vec::new();
    for i in 0..n {
        let z = rng.random_range(0..k);
        truth.push(z);
        let item = b.items.intern(&format!("i{i}"));
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < per {
            let j = rng.random_range(0..m);
            if !chosen.contains(&j) {
                chosen.push(j);
                let mut u: f64 = rng.random();
                let row = &matrices[j][z * k..(z + 1) * k];
                let l = row.iter().position(|p| {
                    u -= p;
                    u < 0.0
                });
                b.label_codes(item, j as u32, l.unwrap_or(k - 1) as u32).unwrap();
            }
        }
    }
    (Dataset::new(b.finish().unwrap()), truth)
}

fn coin(k: usize, p: f64) -> Vec<f64> {
    (0..k * k).map(|x| if x / k == x % k { p } else { (1.0 - p) / (k - 1) as f64 }).collect()
}

fn accuracy_of(f: &Fit, truth: &[usize]) -> f64 {
    let (k, q) = f.posterior().unwrap();
    let right = truth.iter().zip(q.chunks_exact(k)).filter(|(z, row)| crowdwise_core::stats::argmax(row) == **z);
    right.count() as f64 / truth.len() as f64
}

#[test]
fn dawid_skene_recovers_confusion_matrices() {
    let (k, m) = (3, 20);
    let mut rng = stream(3, "matrices", 0);
    let matrices: Vec<Vec<f64>> = (0..m)
        .map(|_| {
            (0..k)
                .flat_map(|t| {
                    let p: f64 = rng.random_range(0.55..0.95);
                    let share: f64 = rng.random();
                    let other = [(1.0 - p) * share, (1.0 - p) * (1.0 - share)];
                    let mut at = 0;
                    (0..k)
                        .map(move |l| {
                            if l == t {
                                p
                            } else {
                                at += 1;
                                other[at - 1]
                            }
                        })
                        .collect::<Vec<_>>()
                })
                .collect()
        })
        .collect();
    let (data, _) = simulate(k, m, 8000, 6, &matrices, 1);
    let f = fit(&DawidSkene::default(), &data);
    // 2400 labels per annotator, 800 a class: three standard errors are 0.055
    for (j, want) in matrices.iter().enumerate() {
        let d = worst(&f.annotators.confusion(j).unwrap(), want);
        assert!(d < 0.06, "annotator {j}: {d}");
    }
}

#[test]
fn one_coin_recovers_accuracies() {
    let m = 30;
    let p: Vec<f64> = (0..m).map(|j| 0.5 + 0.4 * j as f64 / m as f64).collect();
    let matrices: Vec<Vec<f64>> = p.iter().map(|&p| coin(4, p)).collect();
    let (data, _) = simulate(4, m, 3000, 5, &matrices, 2);
    let f = fit(&OneCoin::default(), &data);
    // 500 labels each: three standard errors are 0.067 at p = 0.5
    for (j, want) in p.iter().enumerate() {
        let got = f.annotators.confusion(j).unwrap()[0];
        assert!((got - want).abs() < 0.067, "annotator {j}: {got} {want}");
    }
}

#[test]
fn confusion_vector_equals_dawid_skene_for_two_classes() {
    let matrices: Vec<Vec<f64>> =
        (0..12).map(|j| vec![0.6 + 0.03 * j as f64, 0.4 - 0.03 * j as f64, 0.2, 0.8]).collect();
    let (data, _) = simulate(2, 12, 500, 4, &matrices, 3);
    let a = fit(&ConfusionVector { max_iter: 60, tol: 0.0, accelerate: false, ..ConfusionVector::default() }, &data);
    let b = fit(&DawidSkene { max_iter: 60, tol: 0.0, accelerate: false, ..DawidSkene::default() }, &data);
    let d = worst(a.posterior().unwrap().1, b.posterior().unwrap().1);
    assert!(d < 1e-10, "{d}");
}

#[test]
fn confusion_vector_recovers_accuracies_by_class() {
    let (k, m) = (4, 20);
    let mut rng = stream(5, "vectors", 0);
    let right: Vec<Vec<f64>> = (0..m).map(|_| (0..k).map(|_| rng.random_range(0.5..0.95)).collect()).collect();
    let matrices: Vec<Vec<f64>> =
        right.iter().map(|p| (0..k).flat_map(|t| coin(k, p[t])[t * k..(t + 1) * k].to_vec()).collect()).collect();
    let (data, _) = simulate(k, m, 8000, 6, &matrices, 4);
    let f = fit(&ConfusionVector::default(), &data);
    // 2400 labels per annotator, 600 a class: three standard errors are 0.061 at p = 0.5
    for (j, want) in matrices.iter().enumerate() {
        let d = worst(&f.annotators.confusion(j).unwrap(), want);
        assert!(d < 0.065, "annotator {j}: {d}");
    }
}

#[test]
fn spammer_hammer_finds_the_hammers() {
    // (10, 10)-regular, 30 % hammers; an oracle that knows them errs on about 1.2 %
    let mut total = 0.0;
    for seed in 0..4 {
        let mut rng = stream(seed, "spammer-hammer", 0);
        let (n, l) = (1000, 10);
        let mut slots: Vec<usize> = (0..n * l).map(|x| x / l).collect();
        for i in (1..slots.len()).rev() {
            slots.swap(i, rng.random_range(0..=i));
        }
        let hammer: Vec<bool> = (0..n).map(|_| rng.random_bool(0.3)).collect();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        b.classes.intern("0");
        b.classes.intern("1");
        (0..n).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
        let mut truth = Vec::new();
        for i in 0..n {
            let item = b.items.intern(&format!("i{i}"));
            let z = rng.random_range(0..2u32);
            truth.push(z as usize);
            for &j in &slots[i * l..(i + 1) * l] {
                let says = if hammer[j] { z } else { rng.random_range(0..2) };
                b.label_codes(item, j as u32, says).unwrap();
            }
        }
        let data = Dataset::new(b.finish().unwrap());
        total += 1.0 - accuracy_of(&fit(&SpammerHammer::default(), &data), &truth);
    }
    let error = 100.0 * total / 4.0;
    assert!(error <= 2.5, "error {error:.2} %");
}

#[test]
fn bayes_dawid_skene_is_right_where_labels_are_few() {
    // 60 annotators with about 17 labels each: maximum likelihood overfits, the prior holds
    let matrices: Vec<Vec<f64>> = (0..60).map(|j| coin(3, 0.55 + 0.4 * (j % 10) as f64 / 10.0)).collect();
    let (mut bayes, mut ml) = (0.0, 0.0);
    for seed in 0..5 {
        let (data, truth) = simulate(3, 60, 250, 4, &matrices, 10 + seed);
        bayes += accuracy_of(&fit(&BayesDawidSkene::default(), &data), &truth) / 5.0;
        ml += accuracy_of(&fit(&DawidSkene::default(), &data), &truth) / 5.0;
    }
    assert!(bayes >= ml && bayes > 0.8, "bayes {bayes:.3}, maximum likelihood {ml:.3}");
}

#[test]
fn flat_rows_and_long_data_bring_bayes_to_maximum_likelihood() {
    // ψ(x) → ln x: with thousands of labels per cell both agree
    let matrices: Vec<Vec<f64>> = (0..6).map(|j| coin(2, 0.6 + 0.05 * j as f64)).collect();
    let (data, _) = simulate(2, 6, 20_000, 5, &matrices, 4);
    let flat = BayesDawidSkene { beta_diagonal: 1.0, beta_off: 1.0, alpha: 1.0, ..BayesDawidSkene::default() };
    let a = fit(&flat, &data);
    let b = fit(&DawidSkene { alpha: 0.0, ..DawidSkene::default() }, &data);
    for j in 0..6 {
        let d = worst(&a.annotators.confusion(j).unwrap(), &b.annotators.confusion(j).unwrap());
        assert!(d < 0.005, "annotator {j}: {d}");
    }
}

#[test]
fn acceleration_reaches_the_same_optimum_in_fewer_passes() {
    for set in ["adult2", "trec", "dog", "rte"] {
        let Some((data, _)) = real_set(set) else { continue };
        let slow = fit(&DawidSkene { accelerate: false, max_iter: 5000, tol: 1e-7, ..DawidSkene::default() }, &data);
        let fast = fit(&DawidSkene { max_iter: 5000, tol: 1e-7, ..DawidSkene::default() }, &data);
        let value = |f: &Fit| f.diagnostics.objective.as_ref().unwrap().value;
        let d = (value(&slow) - value(&fast)).abs() / value(&slow).abs();
        assert!(d < 1e-7, "{set}: objectives {} and {}", value(&slow), value(&fast));
        assert!(fast.diagnostics.iterations < slow.diagnostics.iterations, "{set}");
        let changed = slow
            .posterior()
            .unwrap()
            .1
            .chunks_exact(slow.provenance.classes)
            .zip(fast.posterior().unwrap().1.chunks_exact(slow.provenance.classes))
            .filter(|(a, b)| crowdwise_core::stats::argmax(a) != crowdwise_core::stats::argmax(b))
            .count();
        assert_eq!(changed, 0, "{set}");
        eprintln!("{set}: {} passes, accelerated {}", slow.diagnostics.iterations, fast.diagnostics.iterations);
    }
}

#[test]
fn zero_policies_change_what_they_should() {
    // one annotator never says "1": without smoothing its row vetoes, floors or abstains
    let matrices: Vec<Vec<f64>> = (0..5).map(|_| coin(2, 0.8)).collect();
    let (data, _) = simulate(2, 5, 200, 3, &matrices, 5);
    let with = |zeros| fit(&DawidSkene { alpha: 0.0, zeros, ..published() }, &data);
    for f in [with(Zeros::Floor), with(Zeros::Eps), with(Zeros::Skip)] {
        assert!(f.posterior().unwrap().1.iter().all(|p| p.is_finite()));
    }
}
