//! Fits against truth.

use crate::common::{fit_of, real_set, vote_shares};
use crowdwise_core::questions::{evaluate, reliability};
use crowdwise_core::{Annotators, Dataset, Gold, GoldValues, LabelKind, Names, Preference, TableBuilder, Truth};

fn close(a: Option<f64>, b: f64) {
    assert!((a.unwrap() - b).abs() < 1e-12, "{a:?} is not {b}");
}

fn three_items() -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, l) in [("p", "x"), ("q", "y"), ("r", "x")] {
        b.label(i, "a", l).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

fn classes(known: Vec<(u32, u32)>, outside: Vec<(u32, u32)>) -> Gold {
    Gold { values: GoldValues::Classes(known), unlabelled: GoldValues::Classes(outside), extra_classes: Names::new() }
}

#[test]
fn numbers_of_a_small_case_by_hand() {
    let d = three_items();
    let posterior = vec![0.8, 0.2, 0.5, 0.5, 0.3, 0.7];
    let fit = fit_of(&d, Truth::Classes { k: 2, posterior }, Annotators::None);
    // p is right, q is a tie that counts half, r is wrong
    let e = evaluate(&fit, &d, &classes(vec![(0, 0), (1, 1), (2, 0)], vec![]));
    assert_eq!((e.n, e.unlabelled, e.n_labelled), (3, 0, 3));
    close(e.accuracy, 0.5);
    close(e.accuracy_labelled, 0.5);
    close(e.log_loss, -(0.8f64.ln() + 0.5f64.ln() + 0.3f64.ln()) / 3.0);
    close(e.brier, (2.0 * 0.04 + 2.0 * 0.25 + 2.0 * 0.49) / 3.0);
    // x: truth 2, answered 1 + 1/2, right 1; y: truth 1, answered 1 + 1/2, right 1/2
    close(e.macro_f1, 0.5 * (2.0 / 3.5 + 1.0 / 2.5));
    // three bins of one item each: |1 - 0.8|, |0.5 - 0.5|, |0 - 0.7|
    close(e.ece, (0.2 + 0.0 + 0.7) / 3.0);
    let json = serde_json::to_value(&e).unwrap();
    for field in ["n", "accuracy", "macro_f1", "log_loss", "brier", "ece"] {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert!(json.get("rmse").is_none());
}

/// Everyday use 1.4: truth of a whole corpus beside answers to a part of it.
#[test]
fn truth_without_answers_is_counted_and_in_no_score() {
    let mut d = three_items();
    d.table.add_items(["s", "t"]);
    let posterior = vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.9, 0.1, 0.9, 0.1];
    let fit = fit_of(&d, Truth::Classes { k: 2, posterior }, Annotators::None);
    let part = evaluate(&fit, &d, &classes(vec![(0, 0), (1, 0)], vec![]));
    assert_eq!((part.n, part.unlabelled, part.accuracy_unlabelled), (2, 0, None));
    // two items of the table that nobody labelled, and three that it does not have
    let e = evaluate(&fit, &d, &classes(vec![(0, 0), (1, 0), (3, 0), (4, 1)], vec![(0, 0), (1, 1), (2, 2)]));
    assert_eq!((e.n, e.unlabelled, e.n_labelled), (2, 5, 2));
    close(e.accuracy_unlabelled, 0.5);
    assert_eq!((e.accuracy, e.accuracy_labelled, e.log_loss), (part.accuracy, part.accuracy, part.log_loss));
    assert_eq!((e.brier, e.ece, e.macro_f1), (part.brier, part.ece, part.macro_f1));
    let none = evaluate(&fit, &d, &classes(vec![], vec![(0, 2)]));
    assert_eq!((none.n, none.unlabelled, none.accuracy), (0, 1, None));
}

#[test]
fn gold_of_another_kind_or_none_scores_nothing() {
    let d = three_items();
    let fit = fit_of(&d, Truth::Classes { k: 2, posterior: vec![0.5; 6] }, Annotators::None);
    let real = Gold {
        values: GoldValues::Real(vec![(0, 1.0)]),
        unlabelled: GoldValues::Real(vec![]),
        extra_classes: Names::new(),
    };
    assert_eq!(evaluate(&fit, &d, &real).n, 0);
    let none = evaluate(&fit, &d, &classes(vec![], vec![]));
    assert_eq!((none.n, none.accuracy, none.log_loss), (0, None, None));
}

#[test]
fn values_scores_and_pairs() {
    let mut b = TableBuilder::new(LabelKind::Real);
    for i in &["p", "q", "r"] {
        b.value(i, "a", 0.0);
    }
    let d = Dataset::new(b.finish().unwrap());
    let fit = fit_of(&d, Truth::Real { value: vec![1.0, 2.0, 4.0], sd: vec![0.0; 3] }, Annotators::None);
    let gold = Gold {
        values: GoldValues::Real(vec![(0, 1.0), (1, 3.0), (2, 2.0)]),
        unlabelled: GoldValues::Real(vec![(0, 5.0)]),
        extra_classes: Names::new(),
    };
    let e = evaluate(&fit, &d, &gold);
    assert_eq!((e.n, e.unlabelled), (3, 1));
    close(e.rmse, (5.0f64 / 3.0).sqrt());
    close(e.mae, 1.0);

    let mut b = TableBuilder::new(LabelKind::Preference);
    b.preference("p", "q", "a", Preference::Left);
    b.preference("q", "r", "a", Preference::Left);
    b.preference("p", "r", "a", Preference::Tie);
    let d = Dataset::new(b.finish().unwrap());
    let truth =
        Truth::Scores { score: vec![3.0, 1.0, 2.0], interval: vec![[0.0; 2]; 3], component: vec![0; 3], ranks: vec![] };
    let fit = fit_of(&d, truth, Annotators::None);
    let scores = |values| Gold { values, unlabelled: GoldValues::Scores(vec![]), extra_classes: Names::new() };
    let e = evaluate(&fit, &d, &scores(GoldValues::Scores(vec![(0, 30.0), (1, 20.0), (2, 10.0)])));
    close(e.spearman, 0.5); // one exchange of neighbours among three
    close(e.kendall, 1.0 / 3.0);
    let outcomes = vec![(0, Preference::Left), (1, Preference::Left), (2, Preference::Left)];
    close(evaluate(&fit, &d, &scores(GoldValues::Preferences(outcomes))).accuracy, 2.0 / 3.0);
}

#[test]
fn units_whose_truth_was_given_are_not_scored() {
    let posterior = vec![1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
    let truth = classes(vec![(0, 0), (1, 1), (2, 0)], vec![]);
    let d = three_items();
    let fit = fit_of(&d, Truth::Classes { k: 2, posterior }, Annotators::None);
    let json = serde_json::to_value(evaluate(&fit, &d, &truth)).unwrap();
    assert!(json.get("gold_left_out").is_none() && json.get("ties_left_out").is_none());
    let back: crowdwise_core::questions::Evaluation = serde_json::from_value(json).unwrap();
    assert_eq!(back, evaluate(&fit, &d, &truth));
    let told = three_items().with_gold(classes(vec![(0, 0), (2, 0)], vec![]));
    let e = evaluate(&fit, &told, &truth);
    assert_eq!((e.n, e.n_labelled, e.gold_left_out, e.accuracy), (1, 1, 2, Some(0.0)));
    close(e.log_loss, -(1e-12f64).ln());
    assert_eq!(serde_json::to_value(&e).unwrap()["gold_left_out"], 2);
    let all = three_items().with_gold(truth.clone());
    let e = evaluate(&fit, &all, &truth);
    assert_eq!((e.n, e.gold_left_out, e.accuracy, e.macro_f1, e.ece), (0, 3, None, None, None));
    assert_eq!((e.brier, e.log_loss, e.accuracy_labelled), (None, None, None));
    // items without labels are given as well if it is the same truth, and only counted if it is not
    let more = classes(vec![(0, 0), (1, 1), (2, 0)], vec![(0, 1)]);
    let e = evaluate(&fit, &three_items().with_gold(more.clone()), &more);
    assert_eq!((e.n, e.gold_left_out, e.accuracy), (0, 4, None));
    let e = evaluate(&fit, &all, &more);
    assert_eq!((e.n, e.unlabelled, e.gold_left_out, e.accuracy), (0, 1, 3, None));
}

#[test]
fn values_that_were_given_are_not_scored() {
    let mut b = TableBuilder::new(LabelKind::Real);
    for i in &["p", "q", "r"] {
        b.value(i, "a", 0.0);
    }
    let gold = |v: &[(u32, f64)]| Gold {
        values: GoldValues::Real(v.to_vec()),
        unlabelled: GoldValues::Real(vec![]),
        extra_classes: Names::new(),
    };
    let d = Dataset::new(b.finish().unwrap()).with_gold(gold(&[(1, 9.0)]));
    let fit = fit_of(&d, Truth::Real { value: vec![1.0, 9.0, 4.0], sd: vec![0.0; 3] }, Annotators::None);
    let e = evaluate(&fit, &d, &gold(&[(0, 2.0), (1, 9.0), (2, 4.0)]));
    assert_eq!((e.n, e.gold_left_out, e.mae, e.unlabelled), (2, 1, Some(0.5), 0));
}

#[test]
fn scores_are_compared_inside_their_component_and_tied_truth_is_left_out() {
    let mut b = TableBuilder::new(LabelKind::Preference);
    for (l, r) in [("p", "q"), ("q", "r"), ("s", "t"), ("t", "u"), ("u", "v"), ("w", "x")] {
        b.preference(l, r, "a", Preference::Left);
    }
    let d = Dataset::new(b.finish().unwrap());
    // p q r are in order, s t u v reversed, but every truth of the second part is above those of the first
    let truth = Truth::Scores {
        score: vec![3.0, 2.0, 1.0, 1.0, 2.0, 3.0, 4.0, 1.0, 0.0],
        interval: vec![[0.0; 2]; 9],
        component: vec![0, 0, 0, 1, 1, 1, 1, 2, 2],
        ranks: vec![],
    };
    let fit = fit_of(&d, truth, Annotators::None);
    let gold = |values| Gold { values, unlabelled: GoldValues::Scores(vec![]), extra_classes: Names::new() };
    let known = [3.0, 2.0, 1.0, 40.0, 30.0, 20.0, 10.0, 2.0, 1.0];
    let known = known.iter().enumerate().map(|(i, &t)| (i as u32, t)).collect();
    let e = evaluate(&fit, &d, &gold(GoldValues::Scores(known)));
    assert_eq!((e.n, e.components, e.components_left_out, e.unlabelled), (7, 2, 1, 0));
    close(e.spearman, (3.0 - 4.0) / 7.0);
    close(e.kendall, (3.0 - 4.0) / 7.0);
    use Preference::{Left, Right, Tie};
    let outcomes = vec![(0, Left), (1, Tie), (2, Left), (3, Right), (5, Tie)];
    let e = evaluate(&fit, &d, &gold(GoldValues::Preferences(outcomes)));
    assert_eq!((e.n, e.ties_left_out), (3, 2));
    close(e.accuracy, 2.0 / 3.0);
    let e = evaluate(&fit, &d, &gold(GoldValues::Preferences(vec![(0, Tie)])));
    assert_eq!((e.n, e.ties_left_out, e.accuracy), (0, 1, None));
}

#[test]
fn majority_vote_of_the_real_sets_is_the_published_baseline() {
    // accuracy with ties split evenly, items without labels answered evenly: as the descriptions of the sets say
    for (name, accuracy) in [
        ("adult2", 0.7598),
        ("bluebird", 0.7593),
        ("dog", 0.8222),
        ("fej2013", 0.9019),
        ("labelme", 0.7660),
        ("llmbar", 0.6289),
        ("music", 0.7042),
        ("prelec_states", 0.6400),
        ("relevance_s", 0.5411),
        ("reuters", 0.6439),
        ("rte", 0.8969),
        ("trec", 0.6514),
        ("valence5", 0.3517),
        ("ws_hausa", 0.4931),
        ("ws_youtube", 0.8165),
        ("zencrowd_us", 0.8613),
    ] {
        let Some((data, Some(gold))) = real_set(name) else { return };
        let k = data.table.n_classes();
        let fit = fit_of(&data, Truth::Classes { k, posterior: vote_shares(&data) }, Annotators::None);
        let e = evaluate(&fit, &data, &gold);
        let (n, without) = (e.n as f64, e.unlabelled as f64);
        let all = (e.accuracy.unwrap() * n + without / k as f64) / (n + without);
        assert!((all - accuracy).abs() < 0.0005, "{name}: {all}");
        assert_eq!((e.n, e.unlabelled), (gold.values.len(), gold.unlabelled.len()));
    }
}

#[test]
fn reliability_bins_hold_labelled_items_that_the_fit_was_not_told() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in ["p", "q", "r", "s", "t"] {
        b.label(i, "a", "x").unwrap();
        b.label(i, "b", "y").unwrap();
    }
    let mut d = Dataset::new(b.finish().unwrap());
    d.table.add_items(["nobody"]);
    let posterior = vec![0.82, 0.18, 0.88, 0.12, 0.5, 0.5, 0.0, 1.0, 0.3, 0.7, 0.9, 0.1];
    let fit = fit_of(&d, Truth::Classes { k: 2, posterior }, Annotators::None);
    let gold = classes(vec![(0, 0), (1, 1), (2, 1), (3, 1), (4, 7), (5, 0)], vec![]);
    let bins = reliability(&fit, &d, &gold);
    // 0.5: a tie; 0.7: wrong (a class that the table does not know); 0.82 and 0.88: one of two; 1 in the last bin
    let got: Vec<(usize, f64, f64)> = bins.iter().map(|b| (b.n, b.confidence, b.accuracy)).collect();
    assert_eq!(got, [(1, 0.5, 0.5), (1, 0.7, 0.0), (2, 0.85, 0.5), (1, 1.0, 1.0)]);
    assert!(bins.iter().all(|b| b.interval[0] <= b.accuracy && b.accuracy <= b.interval[1]));
    d.gold = Some(classes(vec![(3, 1), (0, 0)], vec![]));
    assert_eq!(reliability(&fit, &d, &gold).iter().map(|b| b.n).sum::<usize>(), 3);
}
