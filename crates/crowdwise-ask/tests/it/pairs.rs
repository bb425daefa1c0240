//! Which pair to compare next.
#![allow(clippy::print_stderr)] // figures, and what is skipped, are said

use super::sets::data_dir;
use crowdwise_ask::pairs::{AskPairs, PairReplay, PairStrategy};
use crowdwise_core::simulate::{SimModel, Simulation, Simulator};
use crowdwise_core::{AnyMethod, Context, Dataset, Fit};
use crowdwise_io::{ReadOptions, Source, read_answers};
use crowdwise_methods::comparisons::{BradleyTerry, CrowdBradleyTerry};
use std::collections::{BTreeMap, BTreeSet};

fn real(name: &str) -> Option<Dataset> {
    let file = data_dir().join(name).join("answers.csv");
    if !file.is_file() {
        eprintln!("SKIPPED: no dataset {name} in {} (set CROWDWISE_DATA)", data_dir().display());
        return None;
    }
    Some(read_answers(&Source::from(file.as_path()), &ReadOptions::default()).unwrap().value)
}

/// Comparisons an item that the gain needs for what chance reaches with 16.
fn needed(name: &str, orderings: usize) -> Option<(f64, f64)> {
    let data = real(name)?;
    let strategies = vec![PairStrategy::Random, PairStrategy::Gain];
    let curves = PairReplay { strategies, orderings, ..PairReplay::default() }.run(&data).unwrap();
    let tau = curves[0].at(16.0).unwrap();
    eprintln!("{name}: {tau:.3} {:?} {:?}", curves[1].needed(tau), curves[1].above(&curves[0]));
    Some((curves[1].needed(tau).unwrap_or(f64::INFINITY), curves[1].above(&curves[0]).0))
}

#[test]
fn what_chance_needs_sixteen_comparisons_for() {
    if let Some((n, above)) = needed("age_pairs", 10) {
        assert!(n <= 11.0 && above > 0.02, "age_pairs: {n} {above}");
    }
    if let Some((n, above)) = needed("ukp_convarg", 2) {
        assert!(n <= 13.0 && above > 0.01, "ukp_convarg: {n} {above}");
    }
}

#[test]
fn a_replay_is_the_same_again_and_ends_at_the_scores_of_all() {
    let s = Simulation {
        model: SimModel::BradleyTerry,
        items: 14,
        annotators: 6,
        per_item: 2,
        pairs: 80,
        ..Simulation::default()
    };
    let data = Simulator::new(&s, 3).unwrap().dataset().unwrap().0;
    let replay = PairReplay { orderings: 3, until: 60.0, ..PairReplay::default() };
    let (a, b) = (replay.run(&data).unwrap(), replay.run(&data).unwrap());
    assert_eq!(a, b);
    for curve in &a {
        let last = curve.mean();
        assert!((last.last().unwrap() - 1.0).abs() < 1e-12, "{:?}: every answer is in", curve.strategy);
        assert!(last[0] < 0.9 && curve.needed(1.0).is_some());
    }
}

fn crowd() -> (Dataset, Fit) {
    let s = Simulation {
        model: SimModel::BradleyTerry,
        items: 30,
        annotators: 12,
        per_item: 3,
        pairs: 300,
        spammers: 0.25,
        ..Simulation::default()
    };
    let data = Simulator::new(&s, 1).unwrap().dataset().unwrap().0;
    let fit = AnyMethod::fit(&CrowdBradleyTerry::default(), &data, &mut Context::new(0, 1)).unwrap();
    (data, fit)
}

#[test]
fn nobody_judges_a_pair_twice_and_items_take_turns() {
    let (data, fit) = crowd();
    let ask = AskPairs { n: 20, pending: vec![[0, 1, 2], [4, 3, 1]], ..AskPairs::default() };
    let asked = ask.next(&data, &fit).unwrap();
    assert_eq!(asked.len(), 20);
    let (units, _) = data.table.preferences().unwrap();
    let mut done: BTreeSet<[u32; 3]> = ask.pending.iter().map(|p| [p[0].min(p[1]), p[0].max(p[1]), p[2]]).collect();
    for (u, &[l, r]) in units.iter().enumerate() {
        done.extend(data.table.rows(u).map(|row| [l.min(r), l.max(r), data.table.annotator()[row]]));
    }
    let mut times: BTreeMap<u32, usize> = BTreeMap::new();
    for q in &asked {
        assert!(done.insert([q.left.min(q.right), q.left.max(q.right), q.annotator]), "{q:?}");
        assert!(q.gain >= 0.0 && (0.0..=1.0).contains(&q.left_better));
        if !q.random {
            *times.entry(q.left).or_default() += 1;
            *times.entry(q.right).or_default() += 1;
        }
    }
    assert!(times.values().all(|n| *n <= 2), "{times:?}");
    let random = asked.iter().filter(|q| q.random).count();
    assert!((1..=14).contains(&random), "{random} by chance");
    assert_eq!(asked, ask.next(&data, &fit).unwrap());
}

#[test]
fn those_who_guess_are_asked_less() {
    let (data, fit) = crowd();
    let questions: Vec<_> =
        (0..20).flat_map(|seed| AskPairs { seed, ..AskPairs::default() }.next(&data, &fit).unwrap()).collect();
    let quality = |j: usize| (2.0 * fit.annotators.accuracy(j).unwrap() - 1.0).abs();
    let asked: f64 = questions.iter().map(|q| quality(q.annotator as usize)).sum::<f64>() / questions.len() as f64;
    let all: f64 = (0..12).map(quality).sum::<f64>() / 12.0;
    assert!(asked > all + 0.05, "{asked} {all}");
}

#[test]
fn a_list_of_annotators_and_parts_are_kept_to() {
    let (data, _) = crowd();
    let fit = AnyMethod::fit(&BradleyTerry::default(), &data, &mut Context::new(0, 1)).unwrap();
    let ask = AskPairs { annotators: Some(vec![3]), n: 500, ..AskPairs::default() };
    let asked = ask.next(&data, &fit).unwrap();
    assert!(asked.iter().all(|q| q.annotator == 3) && asked.len() < 435, "{}", asked.len());
    let error = AskPairs { annotators: Some(vec![99]), ..AskPairs::default() }.next(&data, &fit).unwrap_err();
    assert!(error.to_string().contains("99"), "{error}");
}
