//! Labels and the items to look at.

use crate::common::fit_of;
use crowdwise_core::questions::{ItemOrder, LabelView, Said, items};
use crowdwise_core::{Annotators, Dataset, LabelKind, TableBuilder, Truth, stats};
use proptest::prelude::*;

fn data(labels: &[(u8, u8, u8)]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for c in &["x", "y", "z"] {
        _ = b.classes.intern(c);
    }
    for (i, a, l) in labels {
        b.label(&format!("i{i}"), &format!("a{a}"), ["x", "y", "z"][*l as usize]).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

#[test]
fn rows_of_labels() {
    let d = data(&[(0, 0, 0), (0, 1, 1), (1, 0, 2)]);
    let posterior = vec![0.4, 0.4, 0.2, 0.0, 0.0, 1.0];
    let fit = fit_of(&d, Truth::Classes { k: 3, posterior }, Annotators::None);
    let v = LabelView::new(&d, &fit);
    let (a, b) = (v.row(0), v.row(1));
    assert_eq!((v.len(), a.class, a.tied, a.margin, a.n), (2, 0, true, 0.0, 2));
    assert_eq!((b.class, b.tied, b.margin, b.entropy_bits, b.n, b.probability), (2, false, 1.0, 0.0, 1, 1.0));
}

#[test]
fn hardest_items_come_with_who_said_what() {
    let d = data(&[(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 2, 2), (2, 1, 1)]);
    let posterior = vec![0.9, 0.1, 0.0, 0.0, 0.5, 0.5, 0.2, 0.8, 0.0];
    let mut fit = fit_of(&d, Truth::Classes { k: 3, posterior }, Annotators::None);
    let order = |fit: &_, by| items(&d, fit, by, 9).iter().map(|r| r.unit).collect::<Vec<_>>();
    assert_eq!(order(&fit, ItemOrder::Entropy), [1, 2, 0]);
    assert_eq!(order(&fit, ItemOrder::Margin), [1, 2, 0]);
    assert_eq!(order(&fit, ItemOrder::Disagreement), [1, 0, 2]);
    assert_eq!(order(&fit, ItemOrder::Difficulty), [1, 2, 0]); // the method has none: entropy
    fit.difficulty = Some(vec![3.0, 1.0, f64::NAN]);
    assert_eq!(order(&fit, ItemOrder::Difficulty), [0, 1, 2]);
    let top = items(&d, &fit, ItemOrder::Entropy, 1).remove(0);
    assert_eq!(top.votes, [(0, Said::Class(1)), (2, Said::Class(2))]);
    assert_eq!((top.class, top.probability, top.entropy_bits), (Some(1), Some(0.5), Some(1.0)));
    assert_eq!(serde_json::to_value(&top).unwrap()["votes"], serde_json::json!([[0, 1], [2, 2]]));
}

#[test]
fn real_values_are_ordered_by_spread() {
    let mut b = TableBuilder::new(LabelKind::Real);
    for (i, a, x) in [("p", "a", 1.0), ("p", "b", 1.5), ("q", "a", 0.0), ("q", "b", 9.0), ("r", "a", 5.0)] {
        b.value(i, a, x);
    }
    let d = Dataset::new(b.finish().unwrap());
    let truth = Truth::Real { value: vec![1.25, 4.5, 5.0], sd: vec![0.25, 4.5, f64::NAN] };
    let rows = items(&d, &fit_of(&d, truth, Annotators::None), ItemOrder::Disagreement, 3);
    assert_eq!(rows.iter().map(|r| r.unit).collect::<Vec<_>>(), [1, 0, 2]);
    assert_eq!((rows[0].value, rows[2].sd, rows[0].votes[1].1), (Some(4.5), None, Said::Value(9.0)));
}

proptest! {
    #[test]
    fn the_top_of_many_is_that_of_sorting_all(
        probabilities in prop::collection::vec(0..50u32, 1..80), top in 0..90usize,
    ) {
        let labels: Vec<(u8, u8, u8)> = (0..probabilities.len()).map(|i| (i as u8, 0, 0)).collect();
        let d = data(&labels);
        let posterior: Vec<f64> = probabilities
            .iter()
            .flat_map(|&p| [p as f64 / 100.0, 1.0 - p as f64 / 100.0, 0.0])
            .collect();
        let mut want: Vec<usize> = (0..probabilities.len()).collect();
        want.sort_by(|&a, &b| {
            let e = |u: usize| stats::entropy_bits(&posterior[3 * u..3 * u + 3]);
            e(b).total_cmp(&e(a)).then(a.cmp(&b))
        });
        want.truncate(top);
        let fit = fit_of(&d, Truth::Classes { k: 3, posterior }, Annotators::None);
        let have: Vec<usize> = items(&d, &fit, ItemOrder::Entropy, top).iter().map(|r| r.unit).collect();
        prop_assert_eq!(have, want);
    }
}
