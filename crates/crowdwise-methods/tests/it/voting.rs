//! Votes: crowd-kit's numbers, the catalogue's error rates, and the laws that the rules obey.

use crate::common;

use common::{accuracy, real_set};
use crowdwise_core::stats::argmax;
use crowdwise_core::{Annotators, AnyMethod, Context, Dataset, Fit, Gold, LabelKind, Names, TableBuilder, stream};
use crowdwise_methods::classes::voting::{MajorityVote, Rule, Ties, WeightedMajorityVote, ZeroBasedSkill};
use rand::RngExt;
use serde_json::Value;

fn fit(method: &impl AnyMethod, data: &Dataset) -> Fit {
    crowdwise_core::questions::reviewed(method, data, &mut Context::new(0, 1)).unwrap()
}

fn posterior(f: &Fit) -> &[f64] {
    f.posterior().unwrap().1
}

fn weights(f: &Fit) -> &[f64] {
    match &f.annotators {
        Annotators::Weight { weight } => weight,
        other => panic!("weights wanted, not {other:?}"),
    }
}

fn table(rows: &[(&str, &str, &str)]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, j, l) in rows {
        b.label(i, j, l).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

fn with_gold(data: Dataset, rows: &[(&str, &str)]) -> Dataset {
    let rows: Vec<(String, String)> = rows.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
    let gold = Gold::from_items(&data.table, &rows, "gold").unwrap();
    data.with_gold(gold)
}

/// The cases of a file of reference outputs, each with its input.
fn golden(name: &str) -> Vec<(Dataset, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/");
    let read = |f: &str| std::fs::read_to_string(format!("{folder}{f}")).unwrap();
    let file: Value = serde_json::from_str(&read(name)).unwrap();
    assert_eq!((file["package"].as_str(), file["version"].as_str()), (Some("crowd-kit"), Some("1.4.2")));
    let cases = file["cases"].as_array().unwrap().clone();
    cases
        .into_iter()
        .map(|case| {
            let text = read(case["input"].as_str().unwrap());
            let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|l| l.split(',').collect()).collect();
            let rows: Vec<(&str, &str, &str)> = rows.iter().map(|f| (f[0], f[1], f[2])).collect();
            (table(&rows), case)
        })
        .collect()
}

fn numbers(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(a) => a.iter().flat_map(numbers).collect(),
        x => vec![x.as_f64().unwrap()],
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

fn rule(rule: Rule) -> WeightedMajorityVote {
    WeightedMajorityVote { rule, ..Default::default() }
}

/// Labels of `m` annotators with accuracies `p` on `n` items of two or more classes, everybody answers everything.
fn one_coin(seed: u64, n: usize, p: &[f64], k: usize) -> (Dataset, Vec<usize>) {
    let mut rng = stream(seed, "test one coin", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..k).for_each(|c| {
        b.classes.intern(&c.to_string());
    });
    let mut truth = Vec::new();
    for i in 0..n {
        let z = rng.random_range(0..k);
        truth.push(z);
        for (j, &p) in p.iter().enumerate() {
            let l = if rng.random::<f64>() < p { z } else { (z + rng.random_range(1..k)) % k };
            b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
        }
    }
    (Dataset::new(b.finish().unwrap()), truth)
}

fn class_of(data: &Dataset, code: usize) -> usize {
    data.table.categorical().unwrap().classes.name(code).parse().unwrap()
}

#[test]
fn crowd_kit_gives_the_same_numbers() {
    for (data, case) in golden("crowdkit-majority-vote.json") {
        let f = fit(&MajorityVote::default(), &data);
        assert!(distance(posterior(&f), &numbers(&case["posterior"])) < 1e-12);
    }
    for (data, case) in golden("crowdkit-wawa.json") {
        let f = fit(&WeightedMajorityVote { leave_one_out: false, ..rule(Rule::Wawa) }, &data);
        assert!(distance(posterior(&f), &numbers(&case["posterior"])) < 1e-12);
        assert!(distance(weights(&f), &numbers(&case["skill"])) < 1e-12);
    }
    for (data, case) in golden("crowdkit-zero-based-skill.json") {
        let f = fit(&ZeroBasedSkill::default(), &data);
        assert!(distance(posterior(&f), &numbers(&case["posterior"])) < 1e-12);
        assert!(distance(weights(&f), &numbers(&case["skill"])) < 1e-12);
    }
}

#[test]
fn votes_make_the_published_errors() {
    for (name, error) in [("rte", 10.31), ("bluebird", 24.07), ("trec", 34.86), ("dog", 17.78)] {
        let Some((data, Some(gold))) = real_set(name) else { continue };
        let got = 100.0 * (1.0 - accuracy(&fit(&MajorityVote::default(), &data), &gold));
        assert!((got - error).abs() < 0.02, "{name}: {got}");
    }
    // the first 30 of the 39 annotators, with which the published table was made
    if let Some((data, Some(gold))) = real_set("bluebird") {
        let first = |j: u32| data.table.annotators().name(j as usize)[1..].parse::<u32>().unwrap() < 30;
        let some = Dataset::new(data.table.filter_rows(|r| first(data.table.annotator()[r])));
        let got = 100.0 * (1.0 - accuracy(&fit(&MajorityVote::default(), &some), &gold));
        assert!((got - 21.30).abs() < 0.02, "first 30 of bluebird: {got}");
    }
}

#[test]
fn weighted_votes_make_the_published_accuracies() {
    let own = WeightedMajorityVote { leave_one_out: false, ..rule(Rule::Wawa) };
    for (name, wawa, zbs) in [("rte", 92.12, 92.12), ("dog", 82.90, 83.02), ("face", 63.01, 63.01)] {
        let Some((data, Some(gold))) = real_set(name) else { continue };
        let got = 100.0 * accuracy(&fit(&own, &data), &gold);
        assert!((got - wawa).abs() < 0.02, "wawa {name}: {got}");
        let got = 100.0 * accuracy(&fit(&ZeroBasedSkill::default(), &data), &gold);
        assert!((got - zbs).abs() < 0.02, "zero-based skill {name}: {got}");
    }
}

#[test]
fn equal_weights_are_a_plain_vote() {
    let (data, _) = one_coin(1, 60, &[0.6, 0.7, 0.8, 0.5], 3);
    let one = WeightedMajorityVote { weights: [("a0".to_string(), 1.0)].into(), ..rule(Rule::Given) };
    assert_eq!(posterior(&fit(&one, &data)), posterior(&fit(&MajorityVote::default(), &data)));
    let nobody = WeightedMajorityVote { weights: [("a0".to_string(), 0.0)].into(), other_weight: 0.0, ..one };
    assert_eq!(posterior(&fit(&nobody, &data)), posterior(&fit(&MajorityVote::default(), &data)));
}

#[test]
fn given_weights_count_as_often_as_they_say() {
    let data = table(&[("x", "ann", "no"), ("x", "robert", "yes"), ("x", "cyd", "yes")]);
    let m = WeightedMajorityVote { weights: [("ann".to_string(), 3.0)].into(), ..rule(Rule::Given) };
    assert_eq!(posterior(&fit(&m, &data)), [0.6, 0.4]);
    let m = WeightedMajorityVote { weights: [("ann".into(), 3.0), ("robret".into(), 9.0)].into(), ..m };
    let f = fit(&m, &data);
    assert!(
        f.findings.iter().any(|x| x.code == "unknown-annotators" && x.advice.to_string().contains("`robert`")),
        "{:?}",
        f.findings
    );
    let m = WeightedMajorityVote { weights: [("robret".into(), 9.0)].into(), ..m };
    assert_eq!(m.fit(&data, &mut Context::default()).unwrap_err().code(), "bad-parameter");
}

#[test]
fn log_odds_of_true_accuracies_are_the_posterior_of_the_one_coin_model() {
    for (p, k) in [(&[0.9, 0.6, 0.55, 0.3, 0.7][..], 2), (&[0.8, 0.4, 0.5, 0.2][..], 4)] {
        let (data, _) = one_coin(2, 80, p, k);
        let accuracies = p.iter().enumerate().map(|(j, &p)| (format!("a{j}"), p)).collect();
        let f = fit(&WeightedMajorityVote { accuracies, ..rule(Rule::LogOdds) }, &data);
        let labels = data.table.categorical().unwrap();
        for u in 0..data.table.n_units() {
            let mut want = vec![1.0; k];
            for r in data.table.rows(u) {
                let p = p[data.table.annotator()[r] as usize];
                for (c, w) in want.iter_mut().enumerate() {
                    *w *= if c == labels.codes.get(r) { p } else { (1.0 - p) / (k - 1) as f64 };
                }
            }
            let sum: f64 = want.iter().sum();
            for w in &mut want {
                *w /= sum;
            }
            assert!(distance(&posterior(&f)[u * k..(u + 1) * k], &want) < 1e-12);
        }
    }
}

#[test]
fn estimated_log_odds_and_agreement_find_the_better_annotators() {
    let p = [0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55];
    let (data, truth) = one_coin(3, 2000, &p, 2);
    let right = |f: &Fit| {
        let hit = |u: usize| class_of(&data, argmax(&posterior(f)[2 * u..2 * u + 2])) == truth[u];
        (0..truth.len()).filter(|&u| hit(u)).count()
    };
    let plain = right(&fit(&MajorityVote::default(), &data));
    for m in [rule(Rule::Wawa), rule(Rule::LogOdds), rule(Rule::Iterative)] {
        let f = fit(&m, &data);
        let w = weights(&f);
        assert!((0..8).all(|j| w[j] > w[j + 1]), "{:?}: {w:?}", m.rule);
        assert!(right(&f) > plain, "{:?}: {} against {plain}", m.rule, right(&f));
    }
}

#[test]
fn leaving_oneself_out_takes_self_agreement_away() {
    // two annotators and coin tosses: each agrees with the other half of the time
    let (data, _) = one_coin(4, 4000, &[0.5, 0.5], 2);
    let with_self = fit(&WeightedMajorityVote { leave_one_out: false, ..rule(Rule::Wawa) }, &data);
    let without = fit(&rule(Rule::Wawa), &data);
    assert!(weights(&with_self).iter().sum::<f64>() / 2.0 > 0.7);
    assert!(weights(&without).iter().all(|w| (w - 0.5).abs() < 0.03), "{:?}", weights(&without));
    // by hand: x is a-a-b, y is b alone
    let data = table(&[("x", "p", "a"), ("x", "q", "a"), ("x", "r", "b"), ("y", "r", "b")]);
    let f = fit(&rule(Rule::Wawa), &data);
    // p: the others are a and b, tied: 1/2; r: others say a: 0, alone on y: all classes tied: 1/2, mean 1/4
    assert_eq!(weights(&f), [0.5, 0.5, 0.25]);
}

#[test]
fn iterating_ends_when_no_label_changes() {
    let (data, _) = one_coin(5, 500, &[0.9, 0.8, 0.6, 0.55, 0.52], 3);
    let f = fit(&rule(Rule::Iterative), &data);
    assert_eq!(f.diagnostics.stop, crowdwise_core::Stop::Converged);
    assert!(f.diagnostics.iterations <= 20 && f.diagnostics.trace.last().unwrap().change == 0.0);
}

#[test]
fn multiplicative_weights_keep_the_mistake_bound() {
    for (seed, beta) in (0..40).zip([0.5, 0.2, 0.8, 0.05].into_iter().cycle()) {
        let p: Vec<f64> = (0..12).map(|j| if j == seed as usize % 12 { 0.93 } else { 0.45 }).collect();
        let (data, truth) = one_coin(100 + seed, 300, &p, 2);
        let rows: Vec<(String, String)> =
            truth.iter().enumerate().map(|(i, z)| (format!("i{i}"), z.to_string())).collect();
        let gold = Gold::from_items(&data.table, &rows, "gold").unwrap();
        let f = fit(&WeightedMajorityVote { beta, ..rule(Rule::Multiplicative) }, &data.with_gold(gold));
        let d = |key: &str| f.diagnostics.details[key].as_f64().unwrap();
        // the bound computed here, from the labels alone
        let best = (0..12).map(|j| mistakes_of(seed, &p, j)).min().unwrap() as f64;
        assert_eq!(d("best_annotator_mistakes"), best);
        let bound = (12f64.ln() + best * (1.0 / beta).ln()) / (2.0 / (1.0 + beta)).ln();
        assert!(d("mistakes") <= bound, "seed {seed}: {} mistakes, bound {bound}", d("mistakes"));
        assert!((d("mistake_bound") - bound).abs() < 1e-9 && d("gold_items") == 300.0);
        assert_eq!(weights(&f)[seed as usize % 12], 1.0);
    }
}

/// The details of rule `multiplicative`.
fn details(
    labels: &[(&str, &str, &str)],
    gold: &[(&str, &str)],
    beta: f64,
) -> serde_json::Map<String, serde_json::Value> {
    let m = WeightedMajorityVote { beta, ..rule(Rule::Multiplicative) };
    fit(&m, &with_gold(table(labels), gold)).diagnostics.details
}

#[test]
fn no_mistake_bound_where_its_proof_does_not_hold() {
    // one annotator per item, always wrong, and one who never meets gold: 40 mistakes, none of them by the silent one
    let names: Vec<String> = (0..40).map(|i| format!("g{i:02}")).collect();
    let gold: Vec<(&str, &str)> = names.iter().map(|i| (i.as_str(), "yes")).collect();
    let mut labels: Vec<(&str, &str, &str)> = names.iter().map(|i| (i.as_str(), i.as_str(), "no")).collect();
    labels.push(("x", "silent", "yes"));
    let d = details(&labels, &gold, 0.5);
    assert_eq!(d["mistakes"], 40);
    // the formula with the silent one as the best would promise at most 13
    assert!(41f64.ln() / (4f64 / 3.0).ln() < 13.0);
    assert!(!d.contains_key("mistake_bound") && !d.contains_key("best_annotator_mistakes"), "{d:?}");

    let full = [("a", "p", "no"), ("a", "q", "yes"), ("b", "p", "yes"), ("b", "q", "yes")];
    let gold = [("a", "yes"), ("b", "yes"), ("c", "no")];
    // gold that nobody labelled is not predicted and does not take the bound away
    let mut labels = full.to_vec();
    labels.push(("x", "p", "no"));
    let d = details(&labels, &gold, 0.5);
    assert_eq!((&d["gold_items"], &d["best_annotator_mistakes"]), (&2.into(), &0.into()));
    assert!((d["mistake_bound"].as_f64().unwrap() - 2f64.ln() / (4f64 / 3.0).ln()).abs() < 1e-12);
    // an answer given twice weighs twice
    labels.push(("a", "q", "yes"));
    assert!(!details(&labels, &gold, 0.5).contains_key("mistake_bound"));
    // q answered everything, p did not
    labels = full[1..].to_vec();
    labels.push(("x", "p", "no"));
    let d = details(&labels, &gold, 0.5);
    assert_eq!(d["best_annotator_mistakes"], 0);
    assert!(!d.contains_key("mistake_bound"));
}

fn mistakes_of(seed: u64, p: &[f64], j: usize) -> usize {
    let (data, truth) = one_coin(100 + seed, 300, p, 2);
    let c = data.table.categorical().unwrap();
    let index = data.table.by_annotator();
    index
        .rows(j)
        .iter()
        .zip(index.units(j))
        .filter(|(r, u)| class_of(&data, c.codes.get(**r as usize)) != truth[**u as usize])
        .count()
}

#[test]
fn multiplicative_weights_need_gold_and_survive_thousands_of_mistakes() {
    let (data, truth) = one_coin(7, 5000, &[0.1, 0.15, 0.2], 2);
    let m = WeightedMajorityVote { beta: 0.01, ..rule(Rule::Multiplicative) };
    let e = m.fit(&data, &mut Context::default()).unwrap_err();
    assert_eq!(e.code(), "unsupported");
    assert!(e.hint().unwrap().contains("--gold"));
    let rows: Vec<(String, String)> =
        truth.iter().enumerate().skip(1).map(|(i, z)| (format!("i{i}"), z.to_string())).collect();
    let gold = Gold::from_items(&data.table, &rows, "gold").unwrap();
    let f = fit(&m, &data.with_gold(gold));
    assert!(posterior(&f).iter().all(|p| p.is_finite()));
    assert_eq!(weights(&f).iter().copied().fold(0.0, f64::max), 1.0);
}

#[test]
fn gold_is_kept_and_teaches_the_weights() {
    // everybody but `ann` is wrong where the truth is known
    let rows = [("g1", "yes"), ("g2", "no"), ("g3", "yes")];
    let mut labels = vec![("x", "ann", "no"), ("x", "bob", "yes"), ("x", "cyd", "yes")];
    for (i, z) in rows {
        let other = if z == "yes" { "no" } else { "yes" };
        labels.extend([(i, "ann", z), (i, "bob", other), (i, "cyd", other)]);
    }
    let data = with_gold(table(&labels), &rows);
    let place = |names: &Names, name: &str| names.iter().position(|x| x == name).unwrap();
    let classes = data.table.categorical().unwrap().classes;
    let no = place(classes, "no");
    let clamped = |f: &Fit| {
        for (i, z) in rows {
            assert_eq!(posterior(f)[2 * place(data.table.items(), i) + place(classes, z)], 1.0);
        }
    };
    for f in [
        fit(&rule(Rule::Wawa), &data),
        fit(&rule(Rule::LogOdds), &data),
        fit(&rule(Rule::Iterative), &data),
        fit(&rule(Rule::Multiplicative), &data),
        fit(&ZeroBasedSkill::default(), &data),
    ] {
        let x = place(data.table.items(), "x");
        assert_eq!(argmax(&posterior(&f)[2 * x..2 * x + 2]), no, "{:?}", f.provenance.params);
        clamped(&f);
    }
    clamped(&fit(&MajorityVote::default(), &data));
}

#[test]
fn a_random_tie_follows_the_seed_and_leaves_the_shares() {
    let rows: Vec<(String, &str, &str)> =
        (0..400).flat_map(|i| [(format!("i{i}"), "p", "a"), (format!("i{i}"), "q", "b")]).collect();
    let rows: Vec<(&str, &str, &str)> = rows.iter().map(|(i, j, l)| (i.as_str(), *j, *l)).collect();
    let data = table(&rows);
    let random = MajorityVote { ties: Ties::Random };
    let labels = |f: &Fit| posterior(f).chunks(2).map(argmax).collect::<Vec<_>>();
    let f = fit(&random, &data);
    let first = labels(&f).iter().filter(|&&c| c == 0).count();
    assert!((150..250).contains(&first), "{first}");
    assert!(distance(posterior(&f), posterior(&fit(&MajorityVote::default(), &data))) < 1e-6);
    assert!(posterior(&f).chunks(2).all(|r| (r[0] + r[1] - 1.0).abs() < 1e-15));
    assert_eq!(f, fit(&random, &data));
    assert_ne!(labels(&f), labels(&random.fit(&data, &mut Context::new(1, 1)).unwrap()));
    assert!(labels(&fit(&MajorityVote::default(), &data)).iter().all(|&c| c == 0));
}

#[test]
fn an_item_without_votes_gets_even_shares() {
    let mut data = table(&[("x", "p", "a"), ("x", "q", "b"), ("y", "p", "c")]);
    data.table.add_items(["z"]);
    for f in
        [fit(&MajorityVote::default(), &data), fit(&rule(Rule::Wawa), &data), fit(&ZeroBasedSkill::default(), &data)]
    {
        assert!(posterior(&f)[6..].iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-15));
        assert_eq!(f.class_prior.as_deref(), Some(&[1.0 / 3.0; 3][..]));
    }
}

#[test]
fn every_bad_parameter_is_named() {
    let bad = |id: &str, pairs: &[(&str, Value)], name: &str| {
        let pairs: Vec<(String, Value)> = pairs.iter().map(|(k, v)| ((*k).into(), v.clone())).collect();
        match crowdwise_methods::find(id).unwrap().with(&pairs) {
            Ok(_) => panic!("{id} took {pairs:?}"),
            Err(e) => assert!(e.code() == "bad-parameter" && e.to_string().contains(&format!("`{name}`")), "{e}"),
        }
    };
    bad("mv", &[("ties", "heads".into())], "ties");
    bad("wmv", &[("rule", "best".into())], "rule");
    bad("wmv", &[("rule", "given".into())], "weights");
    bad("wmv", &[("weights", "{\"a\": 1}".into())], "weights");
    bad("wmv", &[("rule", "given".into()), ("weights", "{\"a\": -1}".into())], "weights.a");
    bad("wmv", &[("other_weight", (-1.0).into())], "other_weight");
    bad("wmv", &[("accuracies", "{\"a\": 0.5}".into())], "accuracies");
    bad("wmv", &[("rule", "log-odds".into()), ("accuracies", "{\"a\": 1}".into())], "accuracies.a");
    bad("wawa", &[("leave_one_out", "perhaps".into())], "leave_one_out");
    bad("wawa", &[("max_iter", 0.into())], "max_iter");
    bad("wawa", &[("beta", 1.into())], "beta");
    bad("zbs", &[("max_iter", 0.into())], "max_iter");
    bad("zbs", &[("tol", (-1.0).into())], "tol");
    bad("zbs", &[("learning_rate", 0.into())], "learning_rate");
    bad("zbs", &[("reduce_every", 0.into())], "reduce_every");
    bad("zbs", &[("reduce_factor", 2.into())], "reduce_factor");
    bad("zbs", &[("head_start", (-0.1).into())], "head_start");
}
