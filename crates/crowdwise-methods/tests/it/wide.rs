//! Thousands of classes and annotators: models of one accuracy (or one per class) need no matrices.

use crate::common;

use common::accuracy;
use crowdwise_core::{Annotators, AnyMethod, Context, Dataset, Fit, Gold, LabelKind, TableBuilder, questions, stream};
use crowdwise_methods::classes::confusion::{ConfusionVector, OneCoin, SpammerHammer};
use rand::RngExt;

const K: usize = 5000;
const M: usize = 2000;

/// 2,000 annotators who are right with probability 0.5 to 1, 5,000 classes, seven labels per item: dense matrices would
/// take 400 GB. Classes that nobody said are known by name.
fn data() -> (Dataset, Gold) {
    let mut rng = stream(0, "wide", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..K).for_each(|k| _ = b.classes.intern(&format!("c{k}")));
    (0..M).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    let mut truth = Vec::new();
    for i in 0..1200u32 {
        let z = rng.random_range(0..K as u32);
        b.items.intern(&format!("i{i}"));
        truth.push((i, z));
        for j in rand::seq::index::sample(&mut rng, M, 7) {
            let right = rng.random::<f64>() < 0.5 + 0.5 * j as f64 / M as f64;
            b.label_codes(i, j as u32, if right { z } else { rng.random_range(0..K as u32) }).unwrap();
        }
    }
    let data = Dataset::new(b.finish().unwrap());
    assert_eq!((data.table.n_classes(), data.table.n_annotators()), (K, M));
    let rows: Vec<(String, String)> = truth.iter().map(|(i, z)| (format!("i{i}"), format!("c{z}"))).collect();
    let gold = Gold::from_items(&data.table, &rows, "truth").unwrap();
    (data, gold)
}

fn fit(method: &impl AnyMethod, data: &Dataset, threads: usize) -> Fit {
    crowdwise_core::questions::reviewed(method, data, &mut Context::new(0, threads)).unwrap()
}

fn sound(f: &Fit) {
    let (k, q) = f.posterior().unwrap();
    for row in q.chunks_exact(k) {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9 && row.iter().all(|p| (0.0..=1.0).contains(p)));
    }
}

#[test]
fn five_thousand_classes_and_two_thousand_annotators() {
    let (data, gold) = data();
    let coin = fit(&OneCoin { max_iter: 30, ..OneCoin::default() }, &data, 2);
    sound(&coin);
    // seven labels per item, right in three of four on average, errors spread over 5,000 classes: two that agree are right
    assert!(accuracy(&coin, &gold) > 0.99, "{}", accuracy(&coin, &gold));
    assert_eq!(coin, fit(&OneCoin { max_iter: 30, ..OneCoin::default() }, &data, 1));

    let hammers = fit(&SpammerHammer { max_iter: 30, ..SpammerHammer::default() }, &data, 2);
    sound(&hammers);
    assert!(accuracy(&hammers, &gold) > 0.99, "{}", accuracy(&hammers, &gold));

    let vector = fit(&ConfusionVector { max_iter: 3, ..ConfusionVector::default() }, &data, 2);
    sound(&vector);
    assert!(accuracy(&vector, &gold) > 0.98, "{}", accuracy(&vector, &gold));
    let Annotators::ClassAccuracy { k, accuracy } = &vector.annotators else { panic!("one accuracy per class") };
    assert_eq!((*k, accuracy.len()), (K, M * K));

    // the questions do without matrices too, and say what they leave out
    let rows = questions::annotators(&data, &coin);
    assert!(rows.iter().all(|r| r.confusion.is_none() && (r.n == 0 || r.accuracy.is_some())));
    assert_eq!(coin.findings.iter().filter(|f| f.code == "annotators-not-checked").count(), 1);
}
