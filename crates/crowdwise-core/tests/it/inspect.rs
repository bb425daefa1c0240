//! What is in the data.

use crate::common::real_set;
use crowdwise_core::questions::inspect;
use crowdwise_core::simulate::{SimModel, Simulation, Simulator};
use crowdwise_core::{Dataset, LabelKind, TableBuilder};

fn made(s: &Simulation) -> Dataset {
    Simulator::new(s, 1).unwrap().dataset().unwrap().0
}

fn codes(i: &crowdwise_core::questions::Inspection) -> Vec<&str> {
    i.findings.iter().map(|f| f.code.as_str()).collect()
}

#[test]
fn an_ordinary_crowd_has_nothing_wrong() {
    let s = Simulation { items: 800, annotators: 20, per_item: 5, classes: 3, accuracy: 0.9, ..Simulation::default() };
    let i = inspect(&made(&s), 0);
    assert_eq!((i.items, i.units, i.annotators, i.labels, i.classes), (800, 800, 20, 4000, 3));
    assert_eq!((i.labels_per_unit.min, i.labels_per_unit.max, i.labels_per_unit.mean), (5, 5, 5.0));
    assert_eq!((i.repeated, i.unlabelled, i.annotators_with_few), (0, 0, 0));
    assert_eq!((i.components.count, i.components.largest_units, i.components.largest_annotators), (1, 800, 20));
    // 20 annotators with 200 items each share about 42 items with each other
    assert_eq!(
        (i.pairs.pairs, i.pairs.possible, i.pairs.annotators_in_triples, i.pairs.complete),
        (190, 190, 20, true)
    );
    assert!(i.experts.iter().all(|e| e.evident && e.n >= 5), "{:?}", i.experts);
    assert!((i.class_shares.iter().map(|c| c.share).sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(i.agreement.krippendorff_alpha.unwrap() > 0.6 && i.agreement.alpha_interval.is_some());
    assert_eq!(i.findings, []);
    let json = serde_json::to_string(&i).unwrap();
    let back: crowdwise_core::questions::Inspection = serde_json::from_str(&json).unwrap();
    assert_eq!((back.labels_per_unit, back.components, back.pairs), (i.labels_per_unit, i.components, i.pairs));
}

#[test]
fn what_limits_an_estimate_is_told() {
    let Some((data, _)) = real_set("ws_youtube") else { return };
    let i = inspect(&data, 0);
    assert_eq!((i.items, i.annotators, i.labels), (1728, 10, 3260)); // the 228 items without a label are not in the file
    assert!(i.unipolar.label_share > 0.99 && i.unipolar.sources.len() >= 9, "{:?}", i.unipolar);
    assert!(codes(&i).contains(&"one-class-sources"));
    let Some((data, _)) = real_set("anesthesia") else { return };
    let i = inspect(&data, 0);
    // 45 patients, 5 observers, the first one three times
    assert_eq!((i.items, i.annotators, i.labels, i.repeated), (45, 5, 315, 90));
    assert!(codes(&i).contains(&"repeated-labels"));
}

#[test]
fn random_labels_hardly_agree_and_show_no_expert() {
    let s = Simulation { spammers: 1.0, items: 500, per_item: 5, annotators: 20, classes: 4, ..Simulation::default() };
    let i = inspect(&made(&s), 0);
    assert!(codes(&i).contains(&"low-agreement"), "{:?}", i.agreement.alpha_interval);
    assert!(i.experts.iter().filter(|e| !e.evident).count() >= 3, "{:?}", i.experts);
}

#[test]
fn real_values_comparisons_and_sequences() {
    let s = Simulation { model: SimModel::Real, truth_mean: 10.0, truth_sd: 2.0, ..Simulation::default() };
    let i = inspect(&made(&s), 0);
    let v = i.values.unwrap();
    assert!((v.mean - 10.0).abs() < 0.5 && v.min < v.mean && v.sd_within.unwrap() < v.sd && v.distinct == 5000);
    assert!(i.kind == LabelKind::Real && i.agreement.krippendorff_alpha.unwrap() > 0.7);

    let s = Simulation { model: SimModel::BradleyTerry, items: 30, pairs: 500, ..Simulation::default() };
    let i = inspect(&made(&s), 0);
    let c = i.comparisons.unwrap();
    assert_eq!((c.left + c.right + c.ties, c.possible_pairs, i.components.count), (2500, 435, 1));
    assert!(c.tie_share > 0.05 && c.both_orders > 0 && c.both_orders_share < 1.0 && i.items == 30);
    assert!(!codes(&i).contains(&"position-bias"));

    let s = Simulation { model: SimModel::Sequences, items: 600, chain_length: 12, ..Simulation::default() };
    let i = inspect(&made(&s), 0);
    let c = i.chains.unwrap();
    assert!((30..90).contains(&c.count) && (c.length.mean * c.count as f64 - 600.0).abs() < 1e-6, "{c:?}");
}

#[test]
fn an_empty_or_tiny_table_is_no_problem() {
    for n in 0..3 {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..n).for_each(|i| b.label(&format!("i{i}"), "a", "x").unwrap());
        let i = inspect(&Dataset::new(b.finish().unwrap()), 0);
        assert_eq!((i.items, i.labels), (n, n));
    }
    let mut b = TableBuilder::new(LabelKind::Preference);
    b.preference("x", "y", "a", crowdwise_core::Preference::Left);
    assert_eq!(inspect(&Dataset::new(b.finish().unwrap()), 0).labels, 1);
    let b = TableBuilder::new(LabelKind::Real);
    assert!(inspect(&Dataset::new(b.finish().unwrap()), 0).values.is_none());
}
