//! Ordinal annotators: against a numpy program with another optimiser and another parametrisation, on real scales, and on
//! simulated grades.

use crate::common;

use common::accuracy;
use common::crowds::{fit, last_labels, small};
use crowdwise_core::{AnyMethod, Dataset, Fit, Gold, GoldValues, LabelKind, TableBuilder, stats, stream};
use crowdwise_methods::classes::ordered::{Ordinal, OrdinalVb};
use rand_distr::{Distribution, StandardNormal};

fn numbers(f: &Fit, name: &str) -> Vec<f64> {
    serde_json::from_value(f.diagnostics.details[name].clone()).unwrap()
}

#[test]
fn the_optimum_is_that_of_numpy() {
    let data = small();
    let f = fit(&Ordinal { max_iter: 3000, tol: 1e-13, ..Ordinal::default() }, &data);
    let objective = f.diagnostics.objective.as_ref().unwrap().value;
    assert!((objective + 90.361_099_268).abs() < 1e-6, "{objective}");
    let bias = [-0.003_807_39, 0.017_653_94, 0.116_720_8, 0.009_872_11, -0.085_193_07];
    let noise = [0.223_726_3, 0.257_028_16, 0.401_523_49, 0.256_503_96, 1.144_374_27];
    let guessing = [0.000_142_62, 0.000_682_02, 0.013_288_54, 0.000_576_24, 0.003_911_88];
    for j in 0..5 {
        let at = data.table.annotators().get(&format!("a{j}")).unwrap() as usize;
        let got = |name: &str| numbers(&f, name)[at];
        assert!((got("annotator_bias") - bias[j]).abs() < 1e-6, "annotator {j}: {}", got("annotator_bias"));
        assert!((got("annotator_noise") - noise[j]).abs() < 1e-6, "annotator {j}: {}", got("annotator_noise"));
        assert!((got("annotator_guessing") - guessing[j]).abs() < 1e-6, "annotator {j}");
    }
    let vb = fit(&OrdinalVb { max_iter: 3000, scale_iter: 3000, tol: 1e-13, ..OrdinalVb::default() }, &data);
    let want = [[0.227_092_56, 0.330_228_14, 0.442_679_3], [0.000_151_15, 0.001_461_88, 0.998_386_98]];
    let want_vb = [[0.456_750_61, 0.135_585_61, 0.407_663_78], [0.000_601_74, 0.000_052_16, 0.999_346_1]];
    // the scale of `ordinal-vb` ends at its own tolerance
    for (f, want, within) in [(&f, want, 1e-6), (&vb, want_vb, 1e-4)] {
        let (k, q) = f.posterior().unwrap();
        for (i, row) in want.iter().enumerate() {
            let u = data.table.items().get(&format!("i{i:02}")).unwrap() as usize;
            for (c, want) in row.iter().enumerate() {
                assert!((q[u * k + c] - want).abs() < within, "item {i}: {:?}, numpy {row:?}", &q[u * k..][..k]);
            }
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

/// Accuracies in percent and mean distances of the numpy program: `ordinal-vb`, then `ordinal`. The first three are
/// grades: `ordinal-vb` is above the vote on each of them, in accuracy and in distance.
#[test]
fn real_scales() {
    let vote = crowdwise_methods::find("majority-vote").unwrap().default();
    for (set, vb, far, plain, graded) in [
        ("valence5", 50.0, 0.570, 39.0, true),
        ("adult2", 76.3, 0.264, 73.0, true),
        ("relevance_s", 59.5, 0.513, 54.8, true),
        ("weather_amt", 85.7, 0.263, 85.7, false),
        ("dog", 83.5, 0.165, 82.5, false),
    ] {
        let Some((data, gold)) = last_labels(set) else { continue };
        let f = fit(&OrdinalVb::default(), &data);
        let (a, d) = (100.0 * accuracy(&f, &gold), distance(&f, &data, &gold));
        let b = 100.0 * accuracy(&fit(&Ordinal::default(), &data), &gold);
        let voted = fit(&*vote, &data);
        let (v, w) = (100.0 * accuracy(&voted, &gold), distance(&voted, &data, &gold));
        eprintln!("{set}: vote {v:.2}, {w:.3}; ordinal-vb {a:.2} ({vb}), {d:.3} ({far}), ordinal {b:.2} ({plain})");
        assert!((a - vb).abs() <= 1.1, "{set}: ordinal-vb {a:.2}, numpy {vb}");
        assert!((d - far).abs() <= 0.012, "{set}: distance {d:.3}, numpy {far}");
        assert!((b - plain).abs() <= 1.1, "{set}: ordinal {b:.2}, numpy {plain}");
        assert!(!graded || (a > v && d < w), "{set}: ordinal-vb {a:.2} and {d:.3}, the vote {v:.2} and {w:.3}");
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
    assert!(ordinal > mv + 8.0, "ordinal {ordinal:.1}, vote {mv:.1}");
    assert!(vb > mv + 5.0, "ordinal-vb {vb:.1}, vote {mv:.1}");
    // positions are means of grades, and so a little coarser than the scale they come from
    assert!(z >= 0.9 && bias >= 0.9 && noise >= 0.85, "correlations {z:.3} {bias:.3} {noise:.3}");
}

/// Many annotators of two labels each, and classes without an order: neither falls below the vote by more than noise. They
/// did, by .18 and .10, when every annotator had a bias and a noise of its own on a scale of its own.
#[test]
fn annotators_of_two_labels() {
    let mut rng = stream(1, "sparse", 0);
    let (items, annotators) = (800, 2000);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..3).for_each(|c| _ = b.classes.intern(&c.to_string()));
    let mut rows = Vec::new();
    for i in 0..items {
        for j in rand::seq::index::sample(&mut rng, annotators, 5) {
            let right = rand::RngExt::random_bool(&mut rng, 0.7);
            let off = rand::RngExt::random_range(&mut rng, 1..3);
            let l = if right { i % 3 } else { (i + off) % 3 };
            b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
        }
        rows.push((format!("i{i}"), (i % 3).to_string()));
    }
    let data = Dataset::new(b.finish().unwrap());
    let gold = Gold::from_items(&data.table, &rows, "truth").unwrap();
    let score = |m: &dyn AnyMethod| accuracy(&fit(m, &data), &gold);
    let vote = score(&*crowdwise_methods::find("majority-vote").unwrap().default());
    let (ordinal, vb) = (score(&Ordinal::default()), score(&OrdinalVb::default()));
    eprintln!("vote {vote:.3}, ordinal {ordinal:.3}, ordinal-vb {vb:.3}");
    assert!(ordinal > vote - 0.01 && vb > vote - 0.01, "vote {vote:.3}, ordinal {ordinal:.3}, ordinal-vb {vb:.3}");
}

/// Grades of which one is by far the most frequent, some annotators who guess: both stay above the vote.
#[test]
fn skewed_grades_with_guessers() {
    let mut sums = [0.0; 3];
    for seed in 0..3 {
        let mut rng = stream(seed, "skewed", 0);
        let mut normal = {
            let mut rng = stream(seed, "skewed", 1);
            move || -> f64 { StandardNormal.sample(&mut rng) }
        };
        let people: Vec<(f64, f64)> = (0..40).map(|_| (0.4 * normal(), 0.7 * (0.4 * normal()).exp())).collect();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let mut rows = Vec::new();
        for i in 0..300 {
            let truth = [0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 4][i % 11];
            for j in rand::seq::index::sample(&mut rng, 40, 6) {
                let (bias, noise) = people[j];
                let seen = (f64::from(truth) + bias + noise * normal()).round().clamp(0.0, 4.0) as usize;
                let l = if j % 4 == 0 { j % 5 } else { seen };
                b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
            }
            rows.push((format!("i{i}"), truth.to_string()));
        }
        let data = Dataset::new(b.finish().unwrap());
        let gold = Gold::from_items(&data.table, &rows, "truth").unwrap();
        let vote = crowdwise_methods::find("majority-vote").unwrap().default();
        let methods: [&dyn AnyMethod; 3] = [&*vote, &Ordinal::default(), &OrdinalVb::default()];
        for (sum, m) in sums.iter_mut().zip(methods) {
            *sum += accuracy(&fit(m, &data), &gold) / 3.0;
        }
    }
    let [vote, ordinal, vb] = sums;
    eprintln!("vote {vote:.3}, ordinal {ordinal:.3}, ordinal-vb {vb:.3}");
    assert!(ordinal > vote + 0.05 && vb > vote + 0.05, "vote {vote:.3}, ordinal {ordinal:.3}, ordinal-vb {vb:.3}");
}
