use super::*;
use crate::{Annotators, Diagnostics, Fit, LabelKind, Provenance, TableBuilder, Truth};

pub(super) fn fit_of(data: &Dataset, posterior: Vec<f64>, annotators: Annotators) -> Fit {
    let table = &data.table;
    Fit {
        truth: Truth::Classes { k: table.n_classes(), posterior },
        uncalibrated: None,
        annotators,
        class_prior: None,
        difficulty: None,
        diagnostics: Diagnostics::direct(),
        findings: Vec::new(),
        provenance: Provenance {
            method: "test".into(),
            params: serde_json::Value::Null,
            seed: 0,
            version: String::new(),
            kind: LabelKind::Categorical,
            items: table.n_items(),
            annotators: table.n_annotators(),
            classes: table.n_classes(),
            labels: table.n_labels(),
            digest: String::new(),
        },
    }
}

/// Labels of `n` items of two classes in turn, by as many annotators as rows: each says which of `n` it gets wrong.
pub(super) fn crowd(n: usize, wrong: &[&dyn Fn(usize) -> bool]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..n {
        for (j, wrong) in wrong.iter().enumerate() {
            b.label(&format!("i{i}"), &format!("a{j}"), if wrong(i) == (i % 2 == 0) { "x" } else { "y" }).unwrap();
        }
    }
    Dataset::new(b.finish().unwrap())
}

fn all(data: &Dataset, level: f64) -> Vec<Rate> {
    let (k, c) = (data.table.n_classes(), data.table.categorical().unwrap());
    let mut q = vec![0.0; k * data.table.n_units()];
    q.chunks_exact_mut(k).enumerate().for_each(|(u, row)| c.vote_shares(u, row));
    let fit = fit_of(data, q, Annotators::None);
    let t = Tally::of(data, &fit, false).unwrap();
    rates(data, &fit, &t, level).unwrap().into_iter().map(Option::unwrap).collect()
}

#[test]
fn with_the_truth_known_it_is_the_interval_of_jeffreys() {
    let no = |_: usize| false;
    let some = |i: usize| i % 20 == 3 || i % 20 == 6;
    let data = crowd(40, &[&no, &some, &no]);
    let gold: Vec<(String, String)> =
        (0..40).map(|i| (format!("i{i}"), if i % 2 == 0 { "y" } else { "x" }.to_owned())).collect();
    let gold = crate::Gold::from_items(&data.table, &gold, "gold").unwrap();
    let rates = all(&data.with_gold(gold), 0.9);
    let want = |hits: f64| crate::stats::rate_interval(hits, 40.0);
    for (r, hits) in rates.iter().zip([40.0, 36.0, 40.0]) {
        let [low, high] = want(hits);
        assert!((r.interval[0] - low).abs() < 0.01 && (r.interval[1] - high).abs() < 0.01, "{r:?} {low} {high}");
    }
    // 40 of 40 right: next to 1, and the interval is open there
    assert!(rates[0].point > 0.98 && rates[0].interval[1] == 1.0 && rates[0].interval[0] > 0.94, "{:?}", rates[0]);
}

#[test]
fn doubt_about_the_items_widens_it() {
    let every = |n: usize, r: usize| move |i: usize| i % n == r;
    let wrong: Vec<Box<dyn Fn(usize) -> bool>> =
        (0..7).map(|j| Box::new(every(5, j % 5)) as Box<dyn Fn(usize) -> bool>).collect();
    let of = |m: usize| all(&crowd(60, &wrong.iter().take(m).map(AsRef::as_ref).collect::<Vec<_>>()), 0.9)[0];
    let (few, many) = (of(3), of(7));
    let width = |r: Rate| r.interval[1] - r.interval[0];
    let [low, high] = crate::stats::rate_interval(48.0, 60.0);
    assert!(width(few) > width(many) && width(many) > 0.95 * (high - low), "{few:?} {many:?}");
    assert!((many.point - 0.8).abs() < 0.05, "{many:?}");
}

#[test]
fn nobody_beside_it_tells_nothing() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..30 {
        b.label(&format!("i{i}"), &format!("a{}", i % 3), if i % 2 == 0 { "x" } else { "y" }).unwrap();
    }
    let rates = all(&Dataset::new(b.finish().unwrap()), 0.9);
    assert!(rates.iter().all(|r| r.interval[1] - r.interval[0] > 0.8), "{rates:?}");
}

#[test]
fn a_higher_level_is_wider_and_every_interval_holds_its_point() {
    let (good, fair, bad) = (|i: usize| i == 7, |i: usize| i % 6 == 1, |i: usize| i % 3 != 1);
    let data = crowd(45, &[&good, &good, &fair, &fair, &bad]);
    let (usual, wide) = (all(&data, 0.9), all(&data, 0.99));
    for (a, b) in usual.iter().zip(&wide) {
        assert!(a.interval[0] <= a.point && a.point <= a.interval[1], "{a:?}");
        assert!(b.interval[0] < a.interval[0] && a.interval[1] <= b.interval[1], "{a:?} {b:?}");
        assert!((a.point - b.point).abs() < 1e-12);
    }
    assert!(usual[4].interval[1] < 0.5, "{:?}", usual[4]);
}

#[test]
fn one_accuracy_each_where_matrices_would_be_too_large() {
    // 3,000 classes: 9 million numbers per annotator
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..3000).for_each(|c| _ = b.classes.intern(&format!("c{c}")));
    for i in 0..60 {
        for j in 0..4 {
            let l = if j == 3 && i % 4 == 0 { i + 1 } else { i };
            b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
        }
    }
    let rates = all(&Dataset::new(b.finish().unwrap()), 0.9);
    assert!(rates[0].interval[0] > 0.9 && (rates[3].point - 0.75).abs() < 0.05, "{rates:?}");
}
