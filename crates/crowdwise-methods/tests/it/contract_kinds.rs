//! The contract for methods of items and annotators that depend on each other. Samples are made for what a method is for: sequences for `sequences`, a graph for
//! `graphs`, independent items for the rest. Exceptions stand in one table with their reasons.

use crate::common;

use common::DEPENDENT;
use crowdwise_contract::{self as contract, Exceptions};
use crowdwise_core::{Context, Dataset, Entry, Features, LabelKind, Preference, Structure, TableBuilder, stream};
use rand::RngExt;

/// (method, check, reason)
const EXCEPTIONS: Exceptions<'static> = &[];

/// Methods that want sequences, and methods that want a graph.
const CHAINS: &[&str] = &["bayes-seq", "ds-hmm", "seq-mm", "crf-crowd"];
const GRAPHS: &[&str] = &["ds-mrf"];

/// Labels of eight annotators of different skill, four labels per item; neighbours are alike.
fn crowd(k: usize, items: usize, seed: u64) -> Dataset {
    let mut rng = stream(seed, "contract", k as u64);
    let skill = [0.9, 0.85, 0.8, 0.8, 0.7, 0.7, 0.6, 0.55];
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let mut z = 0;
    for i in 0..items {
        if rng.random_bool(0.5) {
            z = rng.random_range(0..k);
        }
        let first = rng.random_range(0..2);
        for n in 0..4 {
            let j = (first + 2 * n) % skill.len();
            let l = if rng.random_bool(skill[j]) { z } else { rng.random_range(0..k) };
            b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
        }
    }
    Dataset::new(b.finish().unwrap())
}

/// Ten items a sequence.
fn sequences(k: usize, items: usize, seed: u64) -> Dataset {
    let mut d = crowd(k, items, seed);
    let chains = items.div_ceil(10);
    d.structure = Structure::Chains {
        starts: (0..chains).map(|c| c as u64 * 10).chain([items as u64]).collect(),
        names: (0..chains).map(|c| format!("s{c}")).collect(),
    };
    d
}

/// Every item is linked to the next.
fn linked(k: usize, items: usize, seed: u64) -> Dataset {
    let mut d = crowd(k, items, seed);
    d.structure = Structure::Graph((1..items as u32).map(|i| [i - 1, i]).collect());
    d
}

/// Yes or no to each of two classes.
fn sets(items: usize) -> Dataset {
    let mut rng = stream(2, "contract sets", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..items {
        for class in ["red", "round"] {
            let z = rng.random_bool(0.4);
            for j in 0..4 {
                let says = if rng.random_bool(0.8) { z } else { !z };
                b.label(&format!("i{i}|{class}"), &format!("a{j}"), if says { "yes" } else { "no" }).unwrap();
            }
        }
    }
    Dataset::new(b.finish().unwrap())
}

fn of_size(e: &Entry, kind: LabelKind, items: usize) -> Dataset {
    let mut d = bare(e, kind, items);
    if e.info.needs.features {
        let mut rng = stream(3, "contract features", 0);
        let values = (0..d.table.n_items() * 3).map(|_| rng.random_range(-1.0..1.0)).collect();
        d.features = Some(Features { dim: 3, values, image: None });
    }
    d
}

fn bare(e: &Entry, kind: LabelKind, items: usize) -> Dataset {
    let mut rng = stream(1, "contract sample", 0);
    match kind {
        LabelKind::Categorical if CHAINS.contains(&e.info.id) => sequences(3, items, 0),
        LabelKind::Categorical if GRAPHS.contains(&e.info.id) => linked(3, items, 0),
        LabelKind::Categorical if e.info.id == "binary-relevance" => sets(items / 2),
        // two classes, which every method takes
        LabelKind::Categorical if e.info.id == "sml" => crowd(2, items, 0),
        LabelKind::Categorical => crowd(3, items, 0),
        LabelKind::Real => {
            let mut b = TableBuilder::new(kind);
            for i in 0..40 {
                let truth: f64 = rng.random_range(0.0..10.0);
                for j in 0..5 {
                    b.value(&format!("i{i}"), &format!("a{j}"), truth + rng.random_range(-1.0..1.0));
                }
            }
            Dataset::new(b.finish().unwrap())
        }
        LabelKind::Preference => {
            let mut b = TableBuilder::new(kind);
            for n in 0..400 {
                let (x, y) = pair(&mut rng, 8);
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
        LabelKind::Similarity => {
            let mut b = TableBuilder::new(kind);
            for n in 0..400 {
                let (x, y) = pair(&mut rng, 12);
                let same = rng.random_bool(if x % 3 == y % 3 { 0.85 } else { 0.15 });
                b.similarity(&format!("p{}", x.min(y)), &format!("p{}", x.max(y)), &format!("a{}", n % 6), same);
            }
            Dataset::new(b.finish().unwrap())
        }
    }
}

/// Two different numbers below `n`.
fn pair(rng: &mut impl RngExt, n: usize) -> (usize, usize) {
    let (x, y) = (rng.random_range(0..n), rng.random_range(0..n - 1));
    (x, if y >= x { y + 1 } else { y })
}

fn sample(e: &Entry, kind: LabelKind) -> Dataset {
    of_size(e, kind, 60)
}

#[test]
fn the_list_is_well_formed() {
    contract::list_is_well_formed(&DEPENDENT, &[]);
}

#[test]
fn every_page_has_the_headings_in_order() {
    contract::pages_have_their_headings(&DEPENDENT);
}

#[test]
fn fits_are_valid_for_every_accepted_kind() {
    contract::fits_are_valid(&DEPENDENT, sample);
}

#[test]
fn objectives_never_fall() {
    contract::objectives_never_fall(&DEPENDENT, sample);
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    contract::same_bits_on_any_threads(&DEPENDENT, |e, kind| of_size(e, kind, 1500));
}

#[test]
fn whoever_says_that_it_draws_uses_the_seed() {
    contract::stochastic_methods_use_the_seed(&DEPENDENT, EXCEPTIONS, sample);
}

#[test]
fn a_cancelled_run_gives_what_is_there() {
    contract::cancelled_runs_give_what_is_there(&DEPENDENT, sample);
}

#[test]
fn order_of_rows_changes_nothing() {
    contract::order_of_rows_changes_nothing(&DEPENDENT, Entry::default, |e, kind| vec![sample(e, kind)]);
}

#[test]
fn another_kind_of_label_is_refused_by_name() {
    let kinds = [LabelKind::Categorical, LabelKind::Real, LabelKind::Preference, LabelKind::Similarity];
    for e in DEPENDENT.iter() {
        contract::other_kinds_are_refused(std::slice::from_ref(e), |kind| sample(e, kind), &kinds);
    }
}

#[test]
fn bad_parameters_are_named() {
    contract::bad_parameters_are_named(&DEPENDENT, EXCEPTIONS);
}

#[test]
fn who_wants_structure_says_so() {
    for e in DEPENDENT.iter() {
        let listed = CHAINS.contains(&e.info.id) || GRAPHS.contains(&e.info.id);
        assert_eq!(e.info.needs.structure.is_some(), listed, "{}", e.info.id);
        if listed && !e.info.needs.features {
            let err = e.default().fit(&crowd(3, 20, 0), &mut Context::default()).unwrap_err();
            assert_eq!(err.code(), "unsupported", "{}", e.info.id);
            assert!(err.to_string().contains(e.info.id) && err.hint().is_some(), "{err}");
        }
    }
}
