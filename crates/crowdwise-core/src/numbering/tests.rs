//! One set of labels has one numbering, and results come back to the numbers they were asked for.

use super::*;
use crate::fit::{Diagnostics, Outcome};
use crate::simulate::reordered;
use crate::{Annotators, LabelKind, Preference, Probabilities, TableBuilder, Truth, stream};
use rand::RngExt;
use serde_json::json;

fn categorical(name: impl Fn(usize) -> String) -> Dataset {
    let mut rng = stream(1, "numbering", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..30 {
        for _ in 0..4 {
            // some annotators label an item twice
            let (j, l) = (rng.random_range(0..6usize), rng.random_range(0..3));
            b.label(&name(i), &name(100 + j), &format!("c{l}")).unwrap();
        }
    }
    Dataset::new(b.finish().unwrap())
}

fn plain() -> Dataset {
    categorical(|n| format!("n{n}"))
}

/// Data of every kind and structure.
fn all() -> Vec<Dataset> {
    let mut with_more = plain();
    with_more.features = Some(Features { dim: 2, values: (0..60).map(|x| (x % 7) as f32).collect(), image: None });
    with_more.probabilities = Some(Probabilities::new(3, [0.2, 0.3, 0.5].repeat(30), "p").unwrap());
    with_more.words = (0..30).map(|i| format!("word {i}")).collect();
    let known: Vec<(String, String)> = (0..9).map(|i| (format!("n{}", i * 2), format!("c{}", i % 3))).collect();
    let gold = Gold::from_items(&with_more.table, &known, "gold").unwrap();
    let with_more = with_more.with_gold(gold);
    let mut chains = plain();
    chains.structure = Structure::Chains {
        starts: (0..=10).map(|c| c * 3).collect(),
        names: (0..10).map(|c| format!("s{c}")).collect(),
    };
    let mut graph = plain();
    graph.structure = Structure::Graph((1..30).map(|i| [i / 2, i]).collect());
    let mut rng = stream(2, "numbering", 0);
    let (mut real, mut pairs, mut same) = (
        TableBuilder::new(LabelKind::Real),
        TableBuilder::new(LabelKind::Preference),
        TableBuilder::new(LabelKind::Similarity),
    );
    for n in 0..80 {
        let (x, y, j) = (rng.random_range(0..9u32), rng.random_range(9..14u32), rng.random_range(0..4u32));
        let [x, y, j] = [x, y, j].map(|v| v.to_string());
        real.value(&x, &j, f64::from(n % 11) - 5.0);
        let said = [Preference::Left, Preference::Tie, Preference::Right][n as usize % 3];
        if n % 2 == 0 {
            pairs.preference(&x, &y, &j, said);
        } else {
            pairs.preference(&y, &x, &j, said);
        }
        same.similarity(&x, &y, &j, n % 3 == 0);
    }
    let built = [real, pairs, same].map(|b| Dataset::new(b.finish().unwrap()));
    [plain(), with_more, chains, graph].into_iter().chain(built).collect()
}

fn canonical(data: &Dataset) -> Dataset {
    Numbering::of(data).map_or_else(|| data.clone(), |n| n.apply(data))
}

#[test]
fn rows_in_any_order_are_the_same_data_to_the_last_bit() {
    for (n, data) in all().iter().enumerate() {
        let want = canonical(data);
        for seed in 0..5 {
            let have = canonical(&reordered(data, seed));
            assert_eq!(have.table.digest(), want.table.digest(), "sample {n}, seed {seed}");
            assert_eq!(have.structure, want.structure, "sample {n}");
            assert_eq!(have.gold, want.gold, "sample {n}");
            assert!(have.features == want.features && have.probabilities == want.probabilities, "sample {n}");
            assert_eq!(have.words, want.words, "sample {n}");
        }
        assert!(Numbering::of(&want).is_none(), "sample {n}: numbered so already");
    }
}

#[test]
fn names_play_no_part_where_the_labels_tell_all_apart() {
    let numbers = |d: &Dataset| {
        let d = canonical(d);
        let codes: Vec<usize> = d.table.categorical().unwrap().codes.iter().collect();
        (d.table.offsets().to_vec(), d.table.annotator().to_vec(), codes)
    };
    let other = categorical(|n| format!("q{}", 9999 - 7 * n));
    assert_eq!(numbers(&plain()), numbers(&other));
}

#[test]
fn results_come_back_to_their_numbers() {
    for data in all() {
        let data = reordered(&data, 3);
        let Some(numbering) = Numbering::of(&data) else { continue };
        let new = numbering.apply(&data);
        // everything is called by its number in the old data
        let number = |old: &Names, name: &str| old.iter().position(|n| n == name).unwrap() as f64;
        let item = |i: usize| number(data.table.items(), new.table.items().name(i));
        let who: Vec<f64> = new.table.annotators().iter().map(|a| number(data.table.annotators(), a)).collect();
        let old_units: Vec<String> = (0..data.table.n_units()).map(|u| data.table.unit_name(u)).collect();
        let unit: Vec<f64> = (0..new.table.n_units())
            .map(|u| old_units.iter().position(|n| *n == new.table.unit_name(u)).unwrap() as f64)
            .collect();
        let twice: Vec<f64> = unit.iter().flat_map(|&u| [u, u + 0.5]).collect();
        let mut diagnostics = Diagnostics::direct();
        diagnostics.details.insert("accuracy".into(), json!(who));
        let mut out = Outcome::classes(2, twice, Annotators::Weight { weight: who.clone() }, diagnostics);
        out.difficulty = Some(unit.clone());
        let back = numbering.undo(out);
        let counted = |n: usize| (0..n).map(|x| x as f64).collect::<Vec<_>>();
        assert_eq!(back.difficulty, Some(counted(unit.len())));
        let Truth::Classes { posterior, .. } = &back.truth else { panic!() };
        assert_eq!(posterior.iter().step_by(2).copied().collect::<Vec<_>>(), counted(unit.len()));
        assert_eq!(back.annotators, Annotators::Weight { weight: counted(who.len()) });
        assert_eq!(back.diagnostics.details["accuracy"], json!(counted(who.len())));
        let clusters = Truth::Clusters {
            cluster: (0..new.table.n_items()).map(|i| 7 + item(i) as u32 / 2).collect(),
            confidence: (0..new.table.n_items()).map(item).collect(),
            same: unit,
        };
        let out = Outcome { truth: clusters, ..Outcome::classes(1, vec![], Annotators::None, Diagnostics::direct()) };
        let Truth::Clusters { cluster, confidence, .. } = numbering.undo(out).truth else { panic!() };
        assert_eq!(confidence, counted(confidence.len()));
        assert_eq!(cluster, (0..cluster.len() as u32).map(|i| i / 2).collect::<Vec<_>>(), "by their first item");
    }
}
