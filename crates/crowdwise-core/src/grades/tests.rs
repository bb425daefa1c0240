use super::*;
use crate::{LabelKind, TableBuilder, stream};
use rand::RngExt;

/// 80 items with five labels each of these classes; an error goes to a neighbour in the order given, or anywhere.
fn crowd(classes: &[&str], near: bool) -> Table {
    let mut rng = stream(5, "grades", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let k = classes.len() as i32;
    for i in 0..80 {
        for j in 0..5 {
            let truth = i % k;
            let error: bool = rng.random_bool(0.4);
            let up: bool = rng.random_bool(0.5);
            let far = rng.random_range(1..k);
            let l = match (error, near) {
                (false, _) => truth,
                (true, true) => (truth + if up { 1 } else { -1 }).clamp(0, k - 1),
                (true, false) => (truth + far) % k,
            };
            b.label(&format!("i{i}"), &format!("a{j}"), classes[l as usize]).unwrap();
        }
    }
    b.finish().unwrap()
}

fn classes(table: &Table) -> Vec<&str> {
    table.categorical().unwrap().classes.iter().collect()
}

fn ordered(table: &Table) -> bool {
    table.categorical().unwrap().ordered
}

const SCALE: [&str; 5] = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"];

#[test]
fn words_get_their_natural_order_and_labels_stay_what_they_are() {
    for scale in [
        &["poor", "fair", "good", "excellent"][..],
        &["low", "medium", "high"],
        &["never", "rarely", "sometimes", "often", "always"],
        &["A+", "A", "A-", "B"],
        &SCALE,
    ] {
        let mut table = crowd(scale, true);
        let named = |t: &Table| -> Vec<String> {
            let c = t.categorical().unwrap();
            (0..t.n_labels()).map(|r| c.classes.name(c.codes.get(r)).to_owned()).collect()
        };
        let before = named(&table);
        let note = table.put_in_order(&Order::Unsaid).unwrap().unwrap();
        assert!(note.contains(&scale.join(", ")) && note.contains("--unordered"), "{note}");
        assert!(ordered(&table) && classes(&table) == scale, "{:?}", classes(&table));
        assert_eq!(named(&table), before);
    }
}

#[test]
fn other_words_have_no_order() {
    for names in [
        &["cat", "dog", "low"][..],
        &["good", "bad"],
        // two words for one grade
        &["fair", "average", "good"],
        &["agree", "neutral", "positive"],
        &["entailment", "neutral", "contradiction"],
    ] {
        let mut table = crowd(names, true);
        assert_eq!(table.put_in_order(&Order::Unsaid).unwrap(), None, "{names:?}");
        assert!(!ordered(&table));
    }
}

#[test]
fn numbers_that_look_like_grades_are_pointed_out() {
    for names in [&["1", "2", "3", "4", "5"][..], &["-1", "0", "1"], &["0", "1", "2", "3"], &["A", "B", "C", "D", "F"]]
    {
        let mut table = crowd(names, true);
        let note = table.put_in_order(&Order::Unsaid).unwrap();
        assert!(note.is_some_and(|n| n.contains("--ordered")), "{names:?}");
        assert!(!ordered(&table) && classes(&table) == names);
        let mut table = crowd(names, false);
        assert_eq!(table.put_in_order(&Order::Unsaid).unwrap(), None, "{names:?}");
        assert!(!ordered(&table));
    }
}

/// Classes with a structure, whose numbers are mere names: others than neighbours are confused.
#[test]
fn numbers_that_are_names_are_not_grades() {
    for names in [["3", "1", "4", "2"], ["1", "4", "2", "3"], ["2", "1", "3", "4"]] {
        let mut table = crowd(&names, true);
        assert_eq!(table.put_in_order(&Order::Unsaid).unwrap(), None, "{names:?}");
    }
    let digits: Vec<String> = (0..10).map(|d| d.to_string()).collect();
    let digits: Vec<&str> = digits.iter().map(String::as_str).collect();
    assert_eq!(crowd(&digits, true).put_in_order(&Order::Unsaid).unwrap(), None);
    // gaps
    assert_eq!(crowd(&["1", "2", "4"], true).put_in_order(&Order::Unsaid).unwrap(), None);
}

#[test]
fn what_the_user_says_goes_before() {
    let mut table = crowd(&SCALE, true);
    assert_eq!(table.put_in_order(&Order::None).unwrap(), None);
    assert!(!ordered(&table) && classes(&table)[0] == "Agree");
    assert_eq!(table.put_in_order(&Order::Natural).unwrap(), None);
    assert!(ordered(&table) && classes(&table) == SCALE);

    let mut table = crowd(&["raw", "rare", "done"], true);
    let note = table.put_in_order(&Order::Natural).unwrap().unwrap();
    assert!(note.contains("alphabet: done, rare, raw") && note.contains("--order"), "{note}");
    let given = |names: &[&str]| Order::Given(names.iter().map(|n| (*n).to_owned()).collect());
    let note = table.put_in_order(&given(&["raw", "rare", "medium", "done"])).unwrap().unwrap();
    assert!(note.contains("nobody gave: medium"), "{note}");
    assert!(ordered(&table) && classes(&table) == ["raw", "rare", "done"]);
    let e = table.put_in_order(&given(&["raw"])).unwrap_err();
    assert!(e.to_string().contains("lacks rare, done"), "{e}");
    let e = table.put_in_order(&given(&["raw", "raw", "rare", "done"])).unwrap_err();
    assert!(e.to_string().contains("raw twice"), "{e}");
}

/// By hand: labels 0, 0, 2 have four ordered pairs of distance 2 among nine, all of those that differ.
#[test]
fn distances_are_means_over_pairs_that_differ() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..10 {
        for (j, l) in ["0", "0", "2"].iter().enumerate() {
            b.label(&format!("i{i}"), &format!("a{j}"), l).unwrap();
        }
        b.label(&format!("i{i}"), "a3", if i < 5 { "1" } else { "2" }).unwrap();
    }
    let table = b.finish().unwrap();
    let near = Nearness::of(&table.categorical().unwrap()).unwrap();
    // five items 0 0 1 2: distances 1 1 2 2 1 of pairs; five items 0 0 2 2: four pairs of distance 2
    let mean = (5.0 * 7.0 + 5.0 * 8.0) / (5.0 * 5.0 + 5.0 * 4.0);
    let s = [0.5, 0.125, 0.375];
    let expected = (s[0] * s[1] + s[1] * s[2] + 2.0 * s[0] * s[2]) / (s[0] * s[1] + s[1] * s[2] + s[0] * s[2]);
    assert!((near.share - mean / expected).abs() < 1e-12, "{near:?}");
}
