//! Ordinal annotators: against a numpy program with another optimiser and another parametrisation, on real scales, and on
//! simulated grades.

#![allow(clippy::print_stderr)] // skipped sets and figures are said

mod common;

use common::accuracy;
use common::crowds::{fit, last_labels, small};
use crowdwise_core::{AnyMethod, Dataset, Fit, Gold, GoldValues, LabelKind, TableBuilder, stats, stream};
use crowdwise_methods::ordered::{Ordinal, OrdinalVb};
use rand_distr::{Distribution, StandardNormal};

fn numbers(f: &Fit, name: &str) -> Vec<f64> {
    serde_json::from_value(f.diagnostics.details[name].clone()).unwrap()
}

#[test]
fn the_optimum_is_that_of_numpy() {
    let data = small();
    let f = fit(&Ordinal { max_iter: 3000, inner_iter: 60, tol: 1e-13, ..Ordinal::default() }, &data);
    let objective = f.diagnostics.objective.as_ref().unwrap().value;
    assert!((objective + 47.626_230_8).abs() < 1e-5, "{objective}");
    for (got, want) in numbers(&f, "thresholds").iter().zip([-0.880_975, 0.789_593]) {
        assert!((got - want).abs() < 2e-3, "threshold {got}, numpy {want}");
    }
    let bias = [-0.166_749, 0.013_854, 0.208_77, 0.104_184, -0.160_058];
    let noise = [0.943_656, 0.726_879, 1.037_23, 0.984_299, 1.808_656];
    for j in 0..5 {
        let at = data.table.annotators().get(&format!("a{j}")).unwrap() as usize;
        let (b, s) = (numbers(&f, "annotator_bias")[at], numbers(&f, "annotator_noise")[at]);
        assert!((b - bias[j]).abs() < 2e-3 && (s - noise[j]).abs() < 4e-3, "annotator {j}: {b} {s}");
    }
    let (k, q) = f.posterior().unwrap();
    let want = [[0.059_428_9, 0.683_143, 0.257_428_1], [3.9e-06, 0.082_847_5, 0.917_148_6]];
    for (i, row) in want.iter().enumerate() {
        let u = data.table.items().get(&format!("i{i:02}")).unwrap() as usize;
        for (c, want) in row.iter().enumerate() {
            assert!((q[u * k + c] - want).abs() < 2e-3, "item {i}: {:?}, numpy {row:?}", &q[u * k..][..k]);
        }
    }
}

/// Mean distance of the likeliest class from the true one.
fn distance(f: &Fit, data: &Dataset, gold: &Gold) -> f64 {
    let (k, q) = f.posterior().unwrap();
    let GoldValues::Classes(gold) = &gold.values else { panic!("classes wanted") };
    // classes are numbers
    let value = |c: usize| data.table.categorical().unwrap().classes.name(c).parse::<f64>().unwrap();
    let sum: f64 = gold
        .iter()
        .filter(|&&(_, c)| (c as usize) < k)
        .map(|&(u, c)| (value(stats::argmax(&q[u as usize * k..][..k])) - value(c as usize)).abs())
        .sum();
    sum / gold.len() as f64
}

/// Accuracies in percent and mean distances of the numpy program: `ordinal-vb`, then `ordinal`.
#[test]
fn real_scales() {
    for (set, vb, far, plain) in [
        ("valence5", 48.0, 0.580, 31.0),
        ("adult2", 75.1, 0.273, 72.1),
        ("relevance_s", 59.0, 0.507, 21.0),
        ("weather_amt", 85.0, f64::NAN, 86.3),
        ("dog", 83.2, f64::NAN, 83.8),
    ] {
        let Some((data, gold)) = last_labels(set) else { continue };
        let f = fit(&OrdinalVb::default(), &data);
        let (a, d) = (100.0 * accuracy(&f, &gold), distance(&f, &data, &gold));
        let plain_fit = fit(&Ordinal::default(), &data);
        let b = 100.0 * accuracy(&plain_fit, &gold);
        let reached = plain_fit.diagnostics.objective.as_ref().unwrap().value;
        eprintln!("{set}: ordinal reaches {reached:.3} in {} rounds", plain_fit.diagnostics.iterations);
        eprintln!("{set}: ordinal-vb {a:.2} ({vb}), distance {d:.3} ({far}), ordinal {b:.2} ({plain})");
        // adult2: five of 333 items, of which 19 are within 0.02 of a tie
        assert!((a - vb).abs() <= 1.6, "{set}: ordinal-vb {a:.2}, numpy {vb}");
        assert!(far.is_nan() || (d - far).abs() <= 0.012, "{set}: distance {d:.3}, numpy {far}");
        assert!((b - plain).abs() <= 1.6, "{set}: ordinal {b:.2}, numpy {plain}");
    }
}

/// Grades of five classes by the model itself.
struct Grades {
    data: Dataset,
    z: Vec<f64>,
    bias: Vec<f64>,
    log_noise: Vec<f64>,
    gold: Gold,
}

fn grades(seed: u64, items: usize, annotators: usize, per_item: usize) -> Grades {
    let mut rng = stream(seed, "grades", 0);
    let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
    let tau = [-1.2, -0.3, 0.4, 1.3];
    let bias: Vec<f64> = (0..annotators).map(|_| 0.4 * normal()).collect();
    let log_noise: Vec<f64> = (0..annotators).map(|_| 0.6f64.ln() + 0.5 * normal()).collect();
    let z: Vec<f64> = (0..items).map(|_| normal()).collect();
    let grade = |x: f64| tau.iter().filter(|t| x > **t).count();
    let mut rng = stream(seed, "grades", 1);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, z) in z.iter().enumerate() {
        for j in rand::seq::index::sample(&mut rng, annotators, per_item) {
            let e: f64 = StandardNormal.sample(&mut rng);
            let l = grade(z + bias[j] + log_noise[j].exp() * e);
            b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
        }
    }
    let data = Dataset::new(b.finish().unwrap());
    let rows: Vec<(String, String)> =
        z.iter().enumerate().map(|(i, z)| (format!("i{i}"), grade(*z).to_string())).collect();
    let gold = Gold::from_items(&data.table, &rows, "truth").unwrap();
    Grades { data, z, bias, log_noise, gold }
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (x, y) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let dot =
        |p: &[f64], mp: f64, q: &[f64], mq: f64| -> f64 { p.iter().zip(q).map(|(s, t)| (s - mp) * (t - mq)).sum() };
    dot(a, x, b, y) / (dot(a, x, a, x) * dot(b, y, b, y)).sqrt()
}

#[test]
fn positions_biases_and_noises_are_recovered() {
    let all: Vec<Grades> = (0..3).map(|seed| grades(seed, 500, 40, 6)).collect();
    let mean = |f: &dyn Fn(&Grades) -> f64| all.iter().map(f).sum::<f64>() / all.len() as f64;
    let score = |m: &dyn AnyMethod| mean(&|g| 100.0 * accuracy(&fit(m, &g.data), &g.gold));
    let vote = crowdwise_methods::find("majority-vote").unwrap().default();
    let (ordinal, vb, mv) = (score(&Ordinal::default()), score(&OrdinalVb::default()), score(&*vote));
    let fits: Vec<Fit> = all.iter().map(|g| fit(&Ordinal::default(), &g.data)).collect();
    let by = |name: &str, truth: &dyn Fn(&Grades) -> Vec<f64>| {
        let sum: f64 = all
            .iter()
            .zip(&fits)
            .map(|(g, f)| {
                let names = if name == "item_position" { g.data.table.items() } else { g.data.table.annotators() };
                let letter = if name == "item_position" { 'i' } else { 'a' };
                let truth = truth(g);
                let got = numbers(f, name);
                let got: Vec<f64> =
                    (0..truth.len()).map(|n| got[names.get(&format!("{letter}{n}")).unwrap() as usize]).collect();
                if name == "annotator_noise" {
                    correlation(&got.iter().map(|x| x.ln()).collect::<Vec<_>>(), &truth)
                } else {
                    correlation(&got, &truth)
                }
            })
            .sum();
        sum / all.len() as f64
    };
    let z = by("item_position", &|g| g.z.clone());
    let bias = by("annotator_bias", &|g| g.bias.clone());
    let noise = by("annotator_noise", &|g| g.log_noise.clone());
    eprintln!("ordinal {ordinal:.1}, ordinal-vb {vb:.1}, vote {mv:.1}; correlations {z:.3} {bias:.3} {noise:.3}");
    assert!(ordinal >= 75.0 && ordinal > mv + 15.0, "ordinal {ordinal:.1}, vote {mv:.1}");
    assert!(vb > mv + 5.0, "ordinal-vb {vb:.1}, vote {mv:.1}");
    assert!(z >= 0.95 && bias >= 0.93 && noise >= 0.93, "correlations {z:.3} {bias:.3} {noise:.3}");
}
