//! Sets of labels: reading, fitting class by class, scores. Grades by thresholds.

use crowdwise_core::questions::set_scores;
use crowdwise_core::{AnyMethod, Context, Dataset, Fit, Gold, LabelKind, TableBuilder, stats, stream};
use crowdwise_methods::classes::confusion::DawidSkene;
use crowdwise_methods::classes::ordered::OrdinalBinary;
use crowdwise_methods::classes::voting::MajorityVote;
use crowdwise_methods::sets::{BinaryRelevance, Candidates, gold_rows, sets, units};
use rand::RngExt;

fn table(rows: &[(&str, &str, &str)]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, j, l) in rows {
        b.label(i, j, l).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

fn fit(m: &dyn AnyMethod, d: &Dataset) -> Fit {
    m.fit(d, &mut Context::new(0, 2)).unwrap()
}

fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect()
}

#[test]
fn both_ways_of_writing_sets_are_one() {
    let cells = table(&[("x", "p", "sea|sand"), ("x", "q", "sea"), ("y", "p", "|"), ("y", "q", "town")]);
    let rows = table(&[("x", "p", "sea"), ("x", "p", "sand"), ("x", "q", "sea"), ("y", "p", "|"), ("y", "q", "town")]);
    let (a, b) = (units(&cells, Candidates::All).unwrap(), units(&rows, Candidates::All).unwrap());
    for d in [&a, &b] {
        // two items, three classes, two annotators each
        assert_eq!((d.table.n_units(), d.table.n_labels(), d.table.n_classes()), (6, 12, 2));
        let said = |unit: &str| {
            let u = d.table.items().get(unit).unwrap() as usize;
            let c = d.table.categorical().unwrap();
            d.table.rows(u).map(|r| c.classes.name(c.codes.get(r)).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(said("x|sea"), ["yes", "yes"]);
        assert_eq!(said("x|sand"), ["yes", "no"]);
        assert_eq!(said("y|sea"), ["no", "no"]);
        assert_eq!(said("y|town"), ["no", "yes"]);
    }
    // only what somebody said
    assert_eq!(units(&cells, Candidates::Said).unwrap().table.n_units(), 3);
}

#[test]
fn bad_sets_are_named_all_at_once() {
    let e = units(&table(&[("x", "p", "a||b"), ("x", "q", "a|a"), ("y", "p", "a|")]), Candidates::All).unwrap_err();
    let text = e.to_string();
    assert!(text.contains("`a||b` has an empty class") && text.contains("`a|a` names a class twice"), "{text}");
    assert!(text.contains("`a|`"), "{text}");
    let none = units(&table(&[("x", "p", "|")]), Candidates::All).unwrap_err();
    assert_eq!(none.code(), "no-data");
    let mut b = TableBuilder::new(LabelKind::Real);
    b.value("x", "p", 1.0);
    assert_eq!(units(&Dataset::new(b.finish().unwrap()), Candidates::All).unwrap_err().code(), "wrong-label-kind");
    let d = units(&table(&[("x", "p", "a|b")]), Candidates::All).unwrap();
    assert!(gold_rows(&d.table, &pairs(&[("x", "a||")]), "truth.csv").unwrap_err().to_string().contains("truth.csv"));
}

#[test]
fn scores_of_sets_by_hand() {
    // found: x {a, b}, y {c}, z {}; true: x {a}, y {c}, z {a}
    let d = table(&[("x", "p", "a|b"), ("y", "p", "c"), ("z", "p", "|")]);
    let d = units(&d, Candidates::All).unwrap();
    let f = fit(&MajorityVote::default(), &d);
    let rows = gold_rows(&d.table, &pairs(&[("x", "a"), ("y", "c"), ("z", "a")]), "truth").unwrap();
    let gold = Gold::from_items(&d.table, &rows, "truth").unwrap();
    let s = set_scores(&d, &f, &gold).unwrap();
    assert_eq!((s.items, s.units), (3, 9));
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{s:?}");
    close(s.exact_match, 1.0 / 3.0);
    close(s.jaccard, (0.5 + 1.0 + 0.0) / 3.0);
    close(s.hamming, 2.0 / 9.0);
    // two common, three found, three known
    close(s.micro_f1, 4.0 / 6.0);
    // a: 1 common, 1 found, 2 known; b: 0; c: 1
    close(s.macro_f1, (2.0 / 3.0 + 0.0 + 1.0) / 3.0);
    let all = sets(&d, &f);
    assert_eq!(all.iter().map(|s| s.item).collect::<Vec<_>>(), ["x", "y", "z"]);
    assert_eq!(all[0].classes.iter().map(|c| c.0).collect::<Vec<_>>(), ["a", "b"]);
    assert!(all[2].classes.is_empty() && all[2].probability > 0.99);
}

/// 12 annotators who find each of 4 tags with their own rate, which differs by tag, and rarely invent one.
#[test]
fn every_class_has_its_own_experts() {
    let mut rng = stream(1, "tags", 0);
    let tags = ["a", "b", "c", "d"];
    let skill: Vec<[f64; 4]> =
        (0..12).map(|j| std::array::from_fn(|t| if j % 4 == t { 0.95 } else { rng.random_range(0.3..0.6) })).collect();
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let mut truth = Vec::new();
    for i in 0..600 {
        let set: Vec<bool> = (0..4).map(|_| rng.random_bool(0.4)).collect();
        for (j, skill) in skill.iter().enumerate() {
            let said: Vec<&str> = (0..4)
                .filter(|&t| {
                    rng.random_bool(if set[t] {
                        skill[t]
                    } else if j % 4 == t {
                        0.03
                    } else {
                        0.25
                    })
                })
                .map(|t| tags[t])
                .collect();
            let label = if said.is_empty() { "|".to_owned() } else { said.join("|") };
            b.label(&format!("i{i}"), &format!("a{j}"), &label).unwrap();
        }
        let known: Vec<&str> = (0..4).filter(|&t| set[t]).map(|t| tags[t]).collect();
        truth.push((format!("i{i}"), if known.is_empty() { "|".to_owned() } else { known.join("|") }));
    }
    let d = units(&Dataset::new(b.finish().unwrap()), Candidates::All).unwrap();
    let gold = Gold::from_items(&d.table, &gold_rows(&d.table, &truth, "truth").unwrap(), "truth").unwrap();
    let score = |m: &dyn AnyMethod| set_scores(&d, &fit(m, &d), &gold).unwrap();
    let (own, all, vote) =
        (score(&BinaryRelevance::default()), score(&DawidSkene::default()), score(&MajorityVote::default()));
    assert!(own.exact_match > 0.95 && own.micro_f1 > 0.98, "{own:?}");
    assert!(own.exact_match > all.exact_match + 0.1 && all.exact_match > vote.exact_match, "{own:?} {all:?} {vote:?}");
    // one class: the method itself
    let plain = table(&[("x", "p", "1"), ("x", "q", "0"), ("y", "p", "1"), ("y", "q", "1"), ("z", "q", "0")]);
    let (a, b) = (fit(&BinaryRelevance::default(), &plain), fit(&DawidSkene::default(), &plain));
    assert_eq!(a.posterior(), b.posterior());
}

/// Five grades; annotators who are one grade too strict, too mild, or blind, with `per` labels per item.
fn graded(seed: u64, items: usize, per: usize) -> (Dataset, Vec<usize>) {
    let mut rng = stream(seed, "graded", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    b.ordered = true;
    (0..5).for_each(|c| _ = b.classes.intern(&c.to_string()));
    let mut truth = Vec::new();
    for i in 0..items {
        let z = rng.random_range(0..5usize);
        truth.push(z);
        let first = rng.random_range(0..10);
        for n in 0..per {
            let j = (first + 3 * n) % 10;
            let u: f64 = rng.random();
            let l = match j {
                0..3 => [z.saturating_sub(1), z][usize::from(u < 0.5)],
                3..6 => [(z + 1).min(4), z][usize::from(u < 0.5)],
                6 | 7 => rng.random_range(0..5),
                _ if u < 0.6 => z,
                _ if u < 0.8 => z.saturating_sub(1),
                _ => (z + 1).min(4),
            };
            b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
        }
    }
    (Dataset::new(b.finish().unwrap()), truth)
}

#[test]
fn grades_by_thresholds() {
    // one question is the table itself
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for n in 0..400usize {
        let l = if (n * 7 + n / 11).is_multiple_of(5) { "b" } else { ["a", "b"][n / 4 % 2] };
        b.label(&format!("i{}", n / 4), &format!("a{}", n % 7), l).unwrap();
    }
    let two = Dataset::new(b.finish().unwrap());
    let (a, c) = (fit(&OrdinalBinary::default(), &two), fit(&DawidSkene::default(), &two));
    assert_eq!(a.posterior(), c.posterior());
    // five grades: nearer to the truth than votes
    let (mut votes, mut thresholds) = (0.0, 0.0);
    for seed in 0..3 {
        let (d, truth) = graded(seed, 400, 6);
        let distance = |f: &Fit| {
            let (k, q) = f.posterior().unwrap();
            let far = |(row, &t): (&[f64], &usize)| (stats::argmax(row) as f64 - t as f64).abs();
            q.chunks_exact(k).zip(&truth).map(far).sum::<f64>() / truth.len() as f64
        };
        let f = fit(&OrdinalBinary::default(), &d);
        votes += distance(&fit(&MajorityVote::default(), &d)) / 3.0;
        thresholds += distance(&f) / 3.0;
        assert_eq!(f.diagnostics.details["thresholds"].as_array().unwrap().len(), 4);
        // known grades stay
        let rows: Vec<(String, String)> = (0..20).map(|i| (format!("i{i}"), (i % 5).to_string())).collect();
        let gold = Gold::from_items(&d.table, &rows, "gold").unwrap();
        let f = fit(&OrdinalBinary::default(), &d.clone().with_gold(gold));
        (0..20).for_each(|i| assert_eq!(f.posterior().unwrap().1[i * 5 + i % 5], 1.0));
    }
    assert!(thresholds < 0.75 * votes, "mean distance: votes {votes}, thresholds {thresholds}");
}
