//! Which number to ask for next.
#![allow(clippy::print_stderr)] // figures, and what is skipped, are said

use super::sets::data_dir;
use crowdwise_ask::numbers::{AskNumbers, NumberCurve, NumberReplay, NumberStrategy};
use crowdwise_core::simulate::{SimModel, Simulation, Simulator};
use crowdwise_core::{Context, Dataset, Gold};
use crowdwise_io::{ReadOptions, Source, read_answers, read_truth};
use std::collections::BTreeSet;

fn simulated() -> (Dataset, Gold) {
    let s = Simulation {
        model: SimModel::Real,
        items: 60,
        annotators: 20,
        per_item: 12,
        noise: 1.0,
        noise_spread: 0.8,
        bias_sd: 0.3,
        truth_sd: 2.0,
        ..Simulation::default()
    };
    Simulator::new(&s, 4).unwrap().dataset().unwrap()
}

#[test]
fn a_replay_of_a_simulated_crowd_needs_fewer_values() {
    let (data, truth) = simulated();
    let replay = NumberReplay { orderings: 4, ..NumberReplay::default() };
    let (curves, last) = replay.run(&data, &truth).unwrap();
    assert!(curves.iter().all(|c| (c.mean().last().unwrap() - last).abs() < 1e-6), "all values are in at the end");
    let goal = 1.1 * last;
    let [fewest, gain, random] = [0, 1, 2].map(|c| curves[c].needed(goal).unwrap());
    eprintln!("simulated: {last:.3}: fewest {fewest:.2} gain {gain:.2} random {random:.2}");
    assert!(gain < 0.8 * fewest && curves[1].area() < curves[0].area(), "{fewest} {gain}");
    assert_eq!(curves, replay.run(&data, &truth).unwrap().0);
}

#[test]
fn real_values() {
    for name in ["valence", "emotion"] {
        let folder = data_dir().join(name);
        if !folder.is_dir() {
            eprintln!("SKIPPED: no dataset {name} in {} (set CROWDWISE_DATA)", data_dir().display());
            continue;
        }
        let options = ReadOptions { kind: Some(crowdwise_core::LabelKind::Real), ..ReadOptions::default() };
        let data = read_answers(&Source::from(folder.join("answers.csv").as_path()), &options).unwrap().value;
        let truth = read_truth(&Source::from(folder.join("truth.csv").as_path()), &data.table, &ReadOptions::default());
        let (curves, last) =
            NumberReplay { orderings: 3, ..NumberReplay::default() }.run(&data, &truth.unwrap().value).unwrap();
        for level in [1.02, 1.05, 1.1] {
            let needed: Vec<Option<f64>> = curves.iter().map(|c| c.needed(level * last)).collect();
            eprintln!("{name}: last {last:.2}, values per item to {level} of it {needed:?}");
        }
        // on real values the gain is no better than the same number for every item, which is why it is not the default
        eprintln!("{name}: mean errors {:?}", curves.iter().map(NumberCurve::area).collect::<Vec<_>>());
        for c in &curves {
            let end = c.mean()[c.per_item.len() - 1];
            assert!((end - last).abs() < 0.02 * last, "{name}, {:?}: {end} {last}", c.strategy);
        }
    }
}

#[test]
fn nobody_is_asked_twice_and_prices_count() {
    let (data, _) = simulated();
    let m = data.table.n_annotators();
    let ask =
        AskNumbers { strategy: NumberStrategy::Gain, n: 50, pending: vec![[3, 2], [3, 4]], ..AskNumbers::default() };
    let asked = ask.next(&data, &mut Context::new(0, 1)).unwrap();
    assert_eq!(asked.len(), 50);
    let mut done: BTreeSet<(u32, u32)> = [(3, 2), (3, 4)].into();
    (0..data.table.n_units())
        .for_each(|u| done.extend(data.table.rows(u).map(|r| (u as u32, data.table.annotator()[r]))));
    for q in &asked {
        assert!(done.insert((q.item, q.annotator)) && q.sd_after < q.sd && q.gain > 0.0, "{q:?}");
    }
    assert!(asked.iter().any(|q| q.coverage) && asked.iter().any(|q| !q.coverage));
    // who is ten times as dear is asked by coverage only
    let dear = asked.iter().find(|q| !q.coverage).unwrap().annotator as usize;
    let mut prices = vec![1.0; m];
    prices[dear] = 1000.0;
    let asked = AskNumbers { prices: Some(prices), ..ask.clone() }.next(&data, &mut Context::new(0, 1)).unwrap();
    assert!(asked.iter().filter(|q| !q.coverage).all(|q| q.annotator as usize != dear));
    let error =
        AskNumbers { prices: Some(vec![1.0]), annotators: Some(vec![77]), ..ask }.next(&data, &mut Context::new(0, 1));
    let text = error.unwrap_err().to_string();
    assert!(text.contains("prices") && text.contains("annotators"), "{text}");
    // until nothing is left
    let all = AskNumbers { n: 10_000, strategy: NumberStrategy::Random, ..AskNumbers::default() };
    assert_eq!(all.next(&data, &mut Context::new(0, 1)).unwrap().len(), 60 * m - data.table.n_labels());
}
