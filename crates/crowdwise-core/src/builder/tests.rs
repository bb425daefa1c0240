//! Rows in any order give one table.

use super::*;
use proptest::prelude::*;

fn rows_of(t: &Table) -> Vec<(String, String, String)> {
    let c = t.categorical().unwrap();
    let mut out = Vec::new();
    for u in 0..t.n_units() {
        for r in t.rows(u) {
            out.push((
                t.items().name(u).into(),
                t.annotators().name(t.annotator()[r] as usize).into(),
                c.classes.name(c.codes.get(r)).into(),
            ));
        }
    }
    out
}

#[test]
fn repeated_labels_are_kept_and_classes_sorted_by_number() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, a, l) in [("x", "p", "10"), ("y", "q", "9"), ("x", "p", "10"), ("x", "a", "9")] {
        b.label(i, a, l).unwrap();
    }
    let t = b.finish().unwrap();
    assert_eq!(t.categorical().unwrap().classes.iter().collect::<Vec<_>>(), ["9", "10"]);
    assert_eq!((t.n_labels(), t.degree(0), t.degree(1)), (4, 3, 1));
    assert_eq!(t.by_annotator().units(0), [0, 0]);
}

#[test]
fn more_than_256_classes_widen_the_codes() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for c in 0..300 {
        b.label(&format!("i{}", c % 7), "a", &c.to_string()).unwrap();
    }
    let t = b.finish().unwrap();
    assert_eq!(t.n_classes(), 300);
    assert_eq!(rows_of(&t).len(), 300);
}

/// Rows of one annotator on one unit keep the order in which they came, in small and in large units.
#[test]
fn repeated_labels_keep_their_order() {
    for n in [10, 100] {
        let mut b = TableBuilder::new(LabelKind::Real);
        for r in 0..n {
            b.value("x", ["q", "p", "z"][r % 3], r as f64);
        }
        let t = b.finish().unwrap();
        for w in t.annotator().windows(2).zip(t.real().unwrap().windows(2)) {
            assert!(w.0[0] < w.0[1] || (w.0[0] == w.0[1] && w.1[0] < w.1[1]), "{n}");
        }
    }
}

proptest! {
    #[test]
    fn no_row_is_lost_whatever_the_order(rows in prop::collection::vec((0..9u8, 0..5u8, 0..4u8), 0..80)) {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (i, a, l) in &rows {
            b.label(&format!("i{i}"), &format!("a{a}"), &format!("c{l}")).unwrap();
        }
        let t = b.finish().unwrap();
        let mut have = rows_of(&t);
        let mut want: Vec<_> =
            rows.iter().map(|(i, a, l)| (format!("i{i}"), format!("a{a}"), format!("c{l}"))).collect();
        have.sort();
        want.sort();
        prop_assert_eq!(have, want);
        for u in 0..t.n_units() {
            prop_assert!(t.annotator()[t.rows(u)].is_sorted());
        }
    }
}
