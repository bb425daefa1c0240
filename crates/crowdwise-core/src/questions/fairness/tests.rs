use super::*;
use crate::{Annotators, Attribute, Diagnostics, LabelKind, Names, Outcome, Provenance, TableBuilder, stream};
use rand::RngExt;

/// A fit that believes this posterior.
fn fit_of(data: &Dataset, k: usize, posterior: Vec<f64>) -> Fit {
    let t = &data.table;
    let out = Outcome::classes(k, posterior, Annotators::None, Diagnostics::direct());
    Fit {
        truth: out.truth,
        uncalibrated: None,
        annotators: out.annotators,
        class_prior: None,
        difficulty: None,
        diagnostics: out.diagnostics,
        findings: Vec::new(),
        provenance: Provenance {
            method: "majority-vote".into(),
            params: serde_json::Value::Null,
            seed: 0,
            version: String::new(),
            kind: LabelKind::Categorical,
            items: t.n_items(),
            annotators: t.n_annotators(),
            classes: k,
            labels: t.n_labels(),
            digest: String::new(),
        },
    }
}

/// Truth, group, what every annotator says.
type Item = (usize, Option<usize>, Vec<Option<usize>>);

fn crowd(k: usize, items: &[Item]) -> (Dataset, Fit) {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..k).for_each(|c| _ = b.classes.intern(&c.to_string()));
    (0..items[0].2.len()).for_each(|j| _ = b.annotators.intern(&format!("a{j:02}")));
    let mut posterior = Vec::new();
    for (i, (z, _, said)) in items.iter().enumerate() {
        b.items.intern(&format!("i{i:05}")); // nobody may have labelled it
        for (j, l) in said.iter().enumerate().filter_map(|(j, l)| Some((j, (*l)?))) {
            b.label(&format!("i{i:05}"), &format!("a{j:02}"), &l.to_string()).unwrap();
        }
        posterior.extend((0..k).map(|c| f64::from(u8::from(c == *z))));
    }
    let mut data = Dataset::new(b.finish().unwrap());
    let names = ["x", "y", "z"];
    data.attribute = Some(Attribute::new(items.iter().map(|i| i.1.map(|g| names[g]))));
    let fit = fit_of(&data, k, posterior);
    (data, fit)
}

#[test]
fn rates_are_the_shares_of_a_table_by_hand() {
    // group x: 20 true 0 of which 5 called 1, 20 true 1 of which 2 called 0; group y: 20 and 20 without an error, and one
    // item of class 1 in no group
    let mut items = Vec::new();
    for n in 0..40 {
        let z = n % 2;
        let wrong = if z == 0 { n < 10 } else { n < 4 };
        items.push((z, Some(0), vec![Some(if wrong { 1 - z } else { z })]));
        items.push((z, Some(1), vec![Some(z)]));
    }
    items.push((1, None, vec![Some(0)]));
    let (data, fit) = crowd(2, &items);
    let f = fairness(&data, &fit, None, None).unwrap();
    assert_eq!((f.groups.clone(), f.ungrouped), (vec![("x".into(), 40), ("y".into(), 40)], 1));
    let c = &f.annotators[0].classes[0];
    assert_eq!(c.class, 1);
    // one label at the rate of both groups (5.5 of 41, 2.5 of 41) is added to each
    let (fpr, fnr) = (5.5 / 41.0, 2.5 / 41.0);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    close(c.groups[0].fpr.unwrap().value, (5.0 + fpr) / 21.0);
    close(c.groups[1].fpr.unwrap().value, fpr / 21.0);
    close(c.groups[0].fnr.unwrap().value, (2.0 + fnr) / 21.0);
    close(c.groups[0].accuracy.unwrap().value, 33.0 / 40.0);
    close(c.groups[0].said.unwrap().value, 23.0 / 40.0);
    assert_eq!(c.fpr.unwrap().groups, [0, 1]);
    close(c.fpr.unwrap().value, 5.0 / 21.0);
    close(c.parity.unwrap().value, 3.0 / 40.0);
    // labels of the fit are the truth here
    close(f.labels[0].fpr.unwrap().value, 0.0);
    assert_eq!((f.basis, f.comparisons), (FairBasis::Posterior, 2));
    // the other class is the mirror image
    let other = fairness(&data, &fit, None, Some(0)).unwrap();
    close(other.annotators[0].classes[0].fnr.unwrap().value, 5.0 / 21.0);
}

#[test]
fn groups_with_few_cases_are_not_compared() {
    let items: Vec<_> = (0..60).map(|n| (n % 2, Some(usize::from(n < 18)), vec![Some(n % 2)])).collect();
    let (data, fit) = crowd(2, &items);
    let f = fairness(&data, &fit, None, None).unwrap();
    let c = &f.annotators[0].classes[0];
    assert!(c.groups[1].fpr.is_none() && c.groups[0].fpr.is_some() && c.fpr.is_none() && c.fnr.is_none());
    assert!(c.parity.is_some(), "18 labels are enough to say how often a class is said");
    let mut bare = data.clone();
    bare.attribute = None;
    assert_eq!(fairness(&bare, &fit, None, None), None);
}

#[test]
fn the_mix_of_other_classes_makes_nobody_unfair() {
    // says 2 for 40 % of class 1 and never for class 0, in both groups alike; class 1 is frequent in group x only
    let mut rng = stream(3, "mix", 0);
    let mut items = Vec::new();
    for n in 0..6000 {
        let g = n % 2;
        let z = match rng.random::<f64>() {
            u if u < 0.3 => 2,
            u if u < (if g == 0 { 0.9 } else { 0.4 }) => 1,
            _ => 0,
        };
        let l = if z == 1 && rng.random_bool(0.4) { 2 } else { z };
        items.push((z, Some(g), vec![Some(l)]));
    }
    let (data, fit) = crowd(3, &items);
    let f = fairness(&data, &fit, None, None).unwrap();
    let c = &f.annotators[0].classes[2];
    // counted plainly the rates would be 0.34 and 0.06
    assert!(c.fpr.unwrap().value < 0.05, "{:?}", c.fpr);
    assert!(!f.annotators[0].unfair, "{:?}", f.annotators[0].p);
}

/// Twelve annotators, 400 items each of two groups; `bias` is added to the FPR of the first one in group y. The truth is known.
fn drawn(seed: u64, bias: f64, share_of_ones: [f64; 2]) -> Fairness {
    let mut rng = stream(seed, "fair crowd", 0);
    let rates: Vec<(f64, f64)> = (0..12).map(|_| (rng.random_range(0.02..0.3), rng.random_range(0.02..0.3))).collect();
    let mut items = Vec::new();
    for n in 0..800 {
        let g = n % 2;
        let z = usize::from(rng.random_bool(share_of_ones[g]));
        let mut said = Vec::new();
        for (j, &(fpr, fnr)) in rates.iter().enumerate() {
            let extra = if j == 0 && g == 1 { bias } else { 0.0 };
            let one = rng.random_bool(if z == 1 { 1.0 - fnr } else { fpr + extra });
            said.push(rng.random_bool(0.5).then_some(usize::from(one)));
        }
        items.push((z, Some(g), said));
    }
    let (data, fit) = crowd(2, &items);
    fairness(&data, &fit, None, None).unwrap()
}

#[test]
fn fair_crowds_are_rarely_accused_and_unfair_annotators_found() {
    let (mut accused, mut found, mut wrong) = (0, 0, 0);
    for seed in 0..200 {
        accused += usize::from(drawn(seed, 0.0, [0.5, 0.2]).annotators.iter().any(|a| a.unfair));
    }
    // 5 % of the crowds at most; 18 of 200 would be three standard errors above that
    assert!(accused <= 18, "{accused} of 200 fair crowds");
    for seed in 0..40 {
        let f = drawn(seed, 0.3, [0.5, 0.5]);
        found += usize::from(f.annotators[0].unfair);
        wrong += f.annotators[1..].iter().filter(|a| a.unfair).count();
        let gap = f.annotators[0].classes[0].fpr.unwrap();
        assert_eq!(gap.groups, [1, 0]);
    }
    assert!(found >= 36 && wrong <= 4, "{found} of 40 found, {wrong} wrongly");
}

#[test]
fn intervals_of_gaps_hold_the_gap() {
    let held = (0..200).filter(|&seed| {
        let gap = drawn(seed, 0.15, [0.5, 0.5]).annotators[0].classes[0].fpr.unwrap();
        let signed = if gap.groups == [1, 0] { gap.interval } else { [-gap.interval[1], -gap.interval[0]] };
        signed[0] <= 0.15 && 0.15 <= signed[1]
    });
    let share = held.count() as f64 / 200.0;
    // 90 %, three standard errors of which are 6 points
    assert!((0.84..=0.97).contains(&share), "{share}");
}

#[test]
fn known_truth_takes_the_place_of_the_posterior() {
    let items: Vec<_> = (0..60).map(|n| (0, Some(n % 2), vec![Some(n % 2)])).collect();
    let (data, fit) = crowd(2, &items);
    let values = GoldValues::Classes((0..60).map(|u| (u, u % 2)).collect());
    let gold = Gold { values, unlabelled: GoldValues::Classes(Vec::new()), extra_classes: Names::new() };
    let f = fairness(&data, &fit, Some(&gold), None).unwrap();
    assert_eq!(f.basis, FairBasis::Truth);
    assert_eq!(f.annotators[0].classes[0].groups[0].accuracy.unwrap().value, 1.0);
    // all items of group y are of class 1 and labelled 0 by the fit
    assert!(f.labels[0].groups[1].fnr.unwrap().value > 0.95);
}
