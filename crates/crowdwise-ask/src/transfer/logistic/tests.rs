#![allow(clippy::print_stdout)] // what was measured

use super::*;
use crowdwise_core::stream;
use rand::RngExt;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const DIM: usize = 8;
const ANNOTATORS: usize = 20;

fn normals(rng: &mut ChaCha8Rng, n: usize, scale: f64) -> Vec<f64> {
    (0..n).map(|_| scale * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, rng)).collect()
}

/// A classifier and the reliabilities of the annotators, an intercept last.
struct Kind {
    classifier: Vec<f64>,
    reliability: Vec<Vec<f64>>,
}

fn reliabilities(rng: &mut ChaCha8Rng, low: f64, high: f64) -> Vec<Vec<f64>> {
    (0..ANNOTATORS)
        .map(|_| {
            let mut w = normals(rng, DIM, 0.8);
            w.push(rng.random_range(low..high));
            w
        })
        .collect()
}

/// Labels of `items` items by `per_item` annotators each, and the truth.
fn draw(rng: &mut ChaCha8Rng, kind: &Kind, items: usize, per_item: usize) -> (Dataset, Vec<usize>) {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    ["0", "1"].iter().for_each(|c| _ = b.classes.intern(c));
    (0..ANNOTATORS).for_each(|j| _ = b.annotators.intern(&format!("a{j:02}")));
    let (mut values, mut truth) = (Vec::new(), Vec::new());
    for i in 0..items {
        let x = normals(rng, DIM, 1.0);
        let z = usize::from(rng.random_bool(logistic(dot(&x, &kind.classifier))));
        for j in sample(rng, ANNOTATORS, per_item) {
            let w = &kind.reliability[j];
            let right = rng.random_bool(logistic(dot(&x, &w[..DIM]) + w[DIM]));
            b.label(&format!("i{i:04}"), &format!("a{j:02}"), &(if right { z } else { 1 - z }).to_string()).unwrap();
        }
        values.extend(x.iter().map(|&v| v as f32));
        truth.push(z);
    }
    let mut d = Dataset::new(b.finish().unwrap());
    d.features = Some(Features { dim: DIM, values, image: None });
    (d, truth)
}

/// Target and source as in the reference program.
fn world(seed: u64, related: bool) -> (Dataset, Vec<usize>, Dataset) {
    let mut rng = stream(seed, "transfer world", 0);
    let target = Kind { classifier: normals(&mut rng, DIM, 1.5), reliability: reliabilities(&mut rng, 0.2, 1.5) };
    let source = if related {
        let shift = normals(&mut rng, DIM, 0.4);
        let classifier = target.classifier.iter().zip(&shift).map(|(a, b)| a + b).collect();
        Kind { classifier, reliability: target.reliability.clone() }
    } else {
        Kind { classifier: normals(&mut rng, DIM, 1.5), reliability: reliabilities(&mut rng, -0.5, 1.0) }
    };
    let (s, _) = draw(&mut rng, &source, 1000, 4);
    let (t, truth) = draw(&mut rng, &target, 150, 2);
    (t, truth, s)
}

fn error(p: &[f64], truth: &[usize]) -> f64 {
    let wrong = p.iter().zip(truth).filter(|(p, z)| usize::from(**p > 0.5) != **z).count();
    100.0 * wrong as f64 / truth.len() as f64
}

/// Means over worlds: error of the target alone, with the sources as the guard decides, without a guard; share accepted. The same
/// for a guard without margin: error and share.
fn means(seeds: std::ops::Range<u64>, related: bool) -> [f64; 6] {
    let n = (seeds.end - seeds.start) as f64;
    let mut sum = [0.0; 6];
    for seed in seeds {
        let (target, truth, source) = world(seed, related);
        let guarded = transfer_logistic(&target, &[&source], &TransferLogistic::default()).unwrap();
        let free = TransferLogistic { guard: false, ..TransferLogistic::default() };
        let free = transfer_logistic(&target, &[&source], &free).unwrap();
        let bold = guarded.held_out[1] > guarded.held_out[0];
        let one = [
            error(&guarded.single, &truth),
            error(&guarded.positive, &truth),
            error(&free.positive, &truth),
            f64::from(u8::from(guarded.accepted)),
            error(if bold { &free.positive } else { &guarded.single }, &truth),
            f64::from(u8::from(bold)),
        ];
        sum.iter_mut().zip(one).for_each(|(s, x)| *s += x / n);
    }
    sum
}

/// The reference program on 16 fresh seeds, without a margin: related 31.0 alone, 15.0 guarded; unrelated 35.0 and 35.0, 50.8 without
/// a guard.
#[test]
fn a_related_source_helps_and_the_guard_keeps_an_unrelated_one_out() {
    let show = |what: &str, [single, guarded, free, accepted, bold, took]: [f64; 6]| {
        println!(
            "{what}: {single:.1} alone, {guarded:.1} guarded ({accepted:.2} accepted), {free:.1} free; {bold:.1} without margin ({took:.2})"
        );
    };
    let related = means(0..24, true);
    show("related", related);
    assert!(related[1] <= related[0] - 8.0 && related[3] >= 0.6, "{related:?}");
    let unrelated = means(0..24, false);
    show("unrelated", unrelated);
    assert!(unrelated[1] <= unrelated[0] + 3.0 && unrelated[2] > unrelated[0] + 3.0, "{unrelated:?}");
}

#[test]
fn of_two_sources_the_related_one_gets_the_weight() {
    let mut right = 0;
    for seed in 0..6 {
        let (target, _, good) = world(seed, true);
        let (_, _, bad) = world(seed + 100, false);
        let f = transfer_logistic(&target, &[&bad, &good], &TransferLogistic::default()).unwrap();
        assert!((f.weight.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        right += usize::from(f.weight[1] > 0.5);
    }
    assert!(right >= 5, "{right} of 6");
}

#[test]
fn tasks_that_do_not_fit_together_are_refused_all_at_once() {
    let (target, _, mut source) = world(1, true);
    source.source = "old.csv".into();
    source.features = None;
    let mut other = source.clone();
    other.source = "other.csv".into();
    other.table.add_classes(["2"]);
    let e = transfer_logistic(&target, &[&source, &other], &TransferLogistic::default()).unwrap_err().to_string();
    assert!(e.contains("old.csv") && e.contains("without features") && e.contains("the classes 0, 1, 2"), "{e}");
}
