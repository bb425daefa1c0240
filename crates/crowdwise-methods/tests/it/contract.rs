//! The contract: what every method of the list must keep, chosen by what it accepts and what it says it can do.
//! Exceptions stand in one table with their reasons.

use crate::common;

use common::{INDEPENDENT, believed};
use crowdwise_contract::{self as contract, check_valid, fit_with, numbers, worst};
use crowdwise_core::{
    AnyMethod, Context, Dataset, Entry, Fit, Gold, LabelKind, Preference, TableBuilder, stats, stream,
};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde_json::Value;

type Row = (String, String, String);

/// (method, check, reason)
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("spammer-hammer", "adversary", "a spammer is the worst annotator that the model knows"),
    ("ordinal", "adversary", "noise is the worst that the model knows"),
    ("glad", "parameter alpha_mean", "any finite mean is a belief"),
    ("glad", "parameter beta_mean", "any finite mean is a belief"),
    ("auto", "names", "classes in another order are other labels in the rehearsal: probabilities move by a hundredth"),
    ("enhanced-bcc", "stochastic", "60 items are too few for sub-types, and nothing is drawn"),
    ("sym-nmf", "stochastic", "the start at the votes wins over the random ones here"),
    ("zero-based-skill", "names", "a tied vote counts for its first class, as in crowd-kit"),
];

fn excused(entry: &Entry, check: &str) -> bool {
    contract::excused(EXCEPTIONS, entry, check)
}

fn accepting(kind: LabelKind) -> impl Iterator<Item = &'static Entry> {
    INDEPENDENT.iter().filter(move |e| e.info.accepts.contains(&kind))
}

/// Labels of eight annotators of different skill, four labels per item.
fn crowd(k: usize, items: usize, seed: u64) -> Vec<Row> {
    let mut rng = stream(seed, "contract", k as u64);
    let skill = [0.9, 0.85, 0.8, 0.8, 0.7, 0.7, 0.6, 0.55];
    let mut rows = Vec::new();
    for i in 0..items {
        let z = rng.random_range(0..k);
        let mut who: Vec<usize> = (0..skill.len()).collect();
        who.shuffle(&mut rng);
        for &j in &who[..4] {
            let l = if rng.random_bool(skill[j]) { z } else { rng.random_range(0..k) };
            rows.push((format!("i{i}"), format!("a{j}"), format!("c{l}")));
        }
    }
    rows
}

fn data(rows: &[Row]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, a, l) in rows {
        b.label(i, a, l).unwrap();
    }
    believed(Dataset::new(b.finish().unwrap()))
}

fn ratings() -> Dataset {
    let mut rng = stream(1, "ratings", 0);
    let mut b = TableBuilder::new(LabelKind::Real);
    for i in 0..40 {
        let truth: f64 = rng.random_range(0.0..10.0);
        for j in 0..5 {
            b.value(&format!("i{i}"), &format!("a{j}"), truth + rng.random_range(-1.0..1.0));
        }
    }
    believed(Dataset::new(b.finish().unwrap()))
}

fn comparisons() -> Dataset {
    let mut rng = stream(1, "comparisons", 0);
    let mut b = TableBuilder::new(LabelKind::Preference);
    for n in 0..400 {
        let (x, y) = (rng.random_range(0..8usize), rng.random_range(0..7usize));
        let y = if y >= x { y + 1 } else { y };
        let p = 1.0 / (1.0 + (0.5 * (y as f64 - x as f64)).exp());
        let outcome = match rng.random::<f64>() {
            u if u < 0.1 => Preference::Tie,
            u if u < 0.1 + 0.9 * p => Preference::Left,
            _ => Preference::Right,
        };
        b.preference(&format!("p{x}"), &format!("p{y}"), &format!("a{}", n % 6), outcome);
    }
    Dataset::new(b.finish().unwrap())
}

fn sample(kind: LabelKind) -> Dataset {
    match kind {
        LabelKind::Categorical => data(&crowd(3, 60, 0)),
        LabelKind::Real => ratings(),
        LabelKind::Preference => comparisons(),
        LabelKind::Similarity => unreachable!("no method takes similarities yet"),
    }
}

fn fit(m: &dyn AnyMethod, d: &Dataset) -> Fit {
    fit_with(m, d, 0, 1)
}

#[test]
fn the_list_is_well_formed() {
    contract::list_is_well_formed(&INDEPENDENT, []);
}

#[test]
fn every_page_has_the_headings_in_order() {
    contract::pages_have_their_headings(&INDEPENDENT);
}

#[test]
fn fits_are_valid_for_every_accepted_kind() {
    contract::fits_are_valid(&INDEPENDENT, |_, kind| sample(kind));
}

#[test]
fn odd_tables_are_no_reason_to_fail() {
    let r = |i: &str, a: &str, l: &str| (i.to_owned(), a.to_owned(), l.to_owned());
    let mut unseen = data(&crowd(3, 20, 1));
    unseen.table.add_classes(["never"]);
    let mut unlabelled = data(&crowd(2, 20, 2));
    unlabelled.table.add_items(["nobody", "no one"]);
    let unlabelled = believed(unlabelled);
    let constant: Vec<Row> =
        crowd(2, 20, 3).into_iter().map(|(i, a, l)| if a == "a0" { (i, a, "c0".into()) } else { (i, a, l) }).collect();
    let mut apart = crowd(2, 10, 4);
    apart.extend(crowd(2, 10, 5).into_iter().map(|(i, a, l)| (format!("x{i}"), format!("x{a}"), l)));
    let odd = [
        ("one class", data(&[r("x", "a", "c"), r("y", "b", "c"), r("x", "b", "c")])),
        ("one annotator", data(&[r("x", "a", "c"), r("y", "a", "d"), r("z", "a", "d")])),
        ("one item", data(&[r("x", "a", "c"), r("x", "b", "d"), r("x", "c", "d")])),
        ("one label", data(&[r("x", "a", "c")])),
        (
            "items with one label",
            data(
                &(0..9)
                    .map(|i| r(&format!("i{i}"), &format!("a{}", i % 3), if i % 2 == 0 { "p" } else { "q" }))
                    .collect::<Vec<_>>(),
            ),
        ),
        (
            "repeated labels",
            data(&[r("x", "a", "c"), r("x", "a", "c"), r("x", "a", "d"), r("y", "b", "d"), r("y", "a", "d")]),
        ),
        ("a class nobody used", unseen),
        ("unlabelled items", unlabelled),
        ("a constant annotator", data(&constant)),
        ("two parts", data(&apart)),
        ("fifty classes", data(&crowd(50, 120, 6))),
    ];
    for e in accepting(LabelKind::Categorical) {
        for (what, d) in &odd {
            check_valid(&fit(&*e.default(), d), d, what);
        }
    }
}

#[test]
fn objectives_never_fall() {
    for e in INDEPENDENT.iter().filter(|e| e.info.capabilities.monotone) {
        for &kind in e.info.accepts {
            for seed in 0..3 {
                let d = if kind == LabelKind::Categorical { data(&crowd(4, 80, seed)) } else { sample(kind) };
                let f = fit(&*e.default(), &d);
                let o: Vec<f64> = f.diagnostics.trace.iter().filter_map(|t| t.objective).collect();
                for w in o.windows(2) {
                    assert!(w[1] >= w[0] - 1e-9 * w[0].abs().max(1.0), "{}: {} after {}", e.info.id, w[1], w[0]);
                }
            }
        }
    }
}

#[test]
fn order_and_names_change_nothing() {
    let rows = crowd(3, 60, 7);
    let mut rng = stream(9, "shuffle", 0);
    let mut shuffled = rows.clone();
    shuffled.shuffle(&mut rng);
    // new names that sort the other way round
    let renamed: Vec<Row> = rows
        .iter()
        .map(|(i, a, l)| {
            let flip = |s: &str, n: u32| 900 - s[1..].parse::<u32>().unwrap() + n;
            (format!("item {}", flip(i, 0)), format!("who {}", flip(a, 1)), format!("class {}", flip(l, 2)))
        })
        .collect();
    let (a, b, c) = (data(&rows), data(&shuffled), data(&renamed));
    for e in accepting(LabelKind::Categorical).filter(|e| !excused(e, "names")) {
        let m = e.default();
        let (fa, fb, fc) = (fit(&*m, &a), fit(&*m, &b), fit(&*m, &c));
        let (k, qa) = fa.posterior().unwrap();
        // classes in another order are another run of a sampler; the order of rows is not
        let tolerance = if e.info.capabilities.stochastic { 0.1 } else { 1e-6 };
        let by_order = if m.is_canonical(LabelKind::Categorical) { f64::MIN_POSITIVE } else { 1e-6 };
        for u in 0..a.table.n_units() {
            let at = b.table.items().get(a.table.items().name(u)).unwrap() as usize;
            let d = worst(&qa[u * k..][..k], &fb.posterior().unwrap().1[at * k..][..k]);
            assert!(d < by_order, "{}: order of rows: item {u} by {d}", e.info.id);
            let back: Vec<f64> = fc.posterior().unwrap().1[u * k..][..k].iter().rev().copied().collect();
            let d = worst(&qa[u * k..][..k], &back);
            assert!(d < tolerance, "{}: names: item {u} by {d}", e.info.id);
        }
    }
}

/// Few labels per item, so that much is tied; labels given twice; items nobody labelled; what is known; comparisons and values.
#[test]
fn order_of_rows_changes_nothing() {
    let samples = |e: &Entry, kind: LabelKind| {
        if kind != LabelKind::Categorical {
            return vec![sample(kind)];
        }
        let mut twice = crowd(2, 40, 14);
        twice.extend(crowd(2, 40, 15).into_iter().step_by(5));
        let mut thin = data(&crowd(4, 45, 16).into_iter().step_by(2).collect::<Vec<_>>());
        thin.table.add_items(["nobody"]);
        let mut all = vec![data(&crowd(3, 60, 13)), data(&twice), believed(thin)];
        if e.info.capabilities.gold {
            let d = data(&crowd(3, 60, 17));
            let known: Vec<(String, String)> = (0..12).map(|i| (format!("i{i}"), format!("c{}", i % 3))).collect();
            let gold = Gold::from_items(&d.table, &known, "gold").unwrap();
            all.push(d.with_gold(gold));
        }
        all
    };
    contract::order_of_rows_changes_nothing(&INDEPENDENT, Entry::default, samples);
}

#[test]
fn unanimity_of_many_is_kept() {
    let mut rows = crowd(3, 60, 8);
    for j in 0..8 {
        rows.push(("all".into(), format!("a{j}"), "c1".into()));
    }
    let d = data(&rows);
    for e in accepting(LabelKind::Categorical) {
        let f = fit(&*e.default(), &d);
        let (k, q) = f.posterior().unwrap();
        let u = d.table.items().get("all").unwrap() as usize;
        assert_eq!(stats::argmax(&q[u * k..][..k]), 1, "{}: {:?}", e.info.id, &q[u * k..][..k]);
    }
}

#[test]
fn gold_is_kept() {
    let rows = crowd(3, 60, 9);
    for e in accepting(LabelKind::Categorical).filter(|e| e.info.capabilities.gold) {
        let d = data(&rows);
        let known: Vec<(String, String)> =
            (0..20).map(|i| (format!("i{i}"), format!("c{}", i % 3))).chain([("i20".into(), "new".into())]).collect();
        let gold = Gold::from_items(&d.table, &known, "gold").unwrap();
        let d = d.with_gold(gold);
        let f = fit(&*e.default(), &d);
        check_valid(&f, &d, "gold");
        let (k, q) = f.posterior().unwrap();
        assert_eq!(k, 4, "{}", e.info.id);
        for (item, class) in &known {
            let u = d.table.items().get(item).unwrap() as usize;
            let c = d.table.categorical().unwrap().classes.get(class).unwrap() as usize;
            assert!(q[u * k + c] > 1.0 - 1e-9, "{}: {item} is known to be {class}: {:?}", e.info.id, &q[u * k..][..k]);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let large = |_: &Entry, kind| if kind == LabelKind::Categorical { data(&crowd(3, 3000, 10)) } else { sample(kind) };
    contract::same_bits_on_any_threads(&INDEPENDENT, large);
}

#[test]
fn whoever_says_that_it_draws_uses_the_seed() {
    contract::stochastic_methods_use_the_seed(&INDEPENDENT, EXCEPTIONS, |_, kind| sample(kind));
}

#[test]
fn a_cancelled_run_gives_what_is_there() {
    contract::cancelled_runs_give_what_is_there(&INDEPENDENT, |_, kind| sample(kind));
}

#[test]
fn a_warm_start_at_the_solution_stops_at_once() {
    let d = data(&crowd(3, 200, 11));
    for e in accepting(LabelKind::Categorical).filter(|e| e.info.capabilities.warm_start) {
        let m = e.default();
        let first = fit(&*m, &d);
        let again = m.fit(&d, &mut Context::new(0, 1).with_warm_start(&first)).unwrap();
        let (a, b) = (first.diagnostics.iterations, again.diagnostics.iterations);
        assert!(b <= 3 || b * 10 <= a, "{}: {a} iterations, then {b}", e.info.id);
        let d = worst(&numbers(&first), &numbers(&again));
        assert!(d < 1e-3, "{}: the warm start moved the result by {d}", e.info.id);
    }
}

#[test]
fn an_adversary_is_turned_round() {
    let mut rows = crowd(2, 300, 12);
    for i in 0..300 {
        let votes = rows.iter().filter(|(x, ..)| *x == format!("i{i}"));
        let ones = votes.clone().filter(|(_, _, l)| l == "c1").count();
        if ones != 2 {
            // always the opposite of what most say
            rows.push((format!("i{i}"), "liar".into(), if ones > 2 { "c0".into() } else { "c1".into() }));
        }
    }
    let d = data(&rows);
    let liar = d.table.annotators().get("liar").unwrap() as usize;
    let able = accepting(LabelKind::Categorical).filter(|e| e.info.capabilities.confusion && !excused(e, "adversary"));
    for e in able {
        let f = fit(&*e.default(), &d);
        let c = f.annotators.confusion(liar).unwrap();
        assert!(c[0] + c[3] < 1.0, "{}: {c:?}", e.info.id);
    }
}

#[test]
fn another_kind_of_label_is_refused_by_name() {
    let kinds = [LabelKind::Categorical, LabelKind::Real, LabelKind::Preference];
    contract::other_kinds_are_refused(&INDEPENDENT, sample, &kinds);
}

#[test]
fn bad_parameters_are_named() {
    contract::bad_parameters_are_named(&INDEPENDENT, EXCEPTIONS);
}

#[test]
fn memory_is_linear_in_labels() {
    // items x annotators would be 4e9 cells
    let d = believed(contract::sparse(200_000, 20_000));
    for e in accepting(LabelKind::Categorical) {
        let quick: Vec<(String, Value)> = e
            .params()
            .iter()
            .filter(|p| ["max_iter", "inner_iter", "restarts", "keep", "burn_in"].contains(&p.name.as_str()))
            .map(|p| (p.name.clone(), Value::from(2)))
            .collect();
        let m = e.with(&quick).unwrap_or_else(|_| e.default());
        check_valid(&fit_with(&*m, &d, 0, 2), &d, "sparse");
        let peak = contract::peak_memory();
        assert!(peak < 3 << 30, "{}: {} MB", e.info.id, peak >> 20);
    }
}
