//! The model while asking, with few labels.

use crate::support::{World, real};
use crowdwise_ask::answers::{Answers, Label};
use crowdwise_ask::model::{Known, Model, Settings};
use crowdwise_ask::replay::Replay;
use crowdwise_numerics::stream;
use rand::seq::SliceRandom;

/// The first so many labels of every item in a random order.
fn some(all: &Answers, per_item: usize, seed: u64) -> Answers {
    let mut out = Answers::new(all.n_items(), all.n_annotators(), all.k());
    for item in 0..all.n_items() {
        let (who, what) = all.of(item);
        let mut order: Vec<usize> = (0..who.len()).collect();
        order.shuffle(&mut stream(seed, "some", item as u64));
        for at in order.into_iter().take(per_item) {
            out.add(Label { item: item as u32, annotator: who[at], class: what[at] });
        }
    }
    out
}

fn accuracy(set: &crate::support::Set, model: &Model) -> f64 {
    100.0 * Replay::new(&set.answers, &set.truth).accuracy(model)
}

/// With one label an item nobody can be told from anybody: labels are the votes, which plain EM turns from 73.9 % right into 50.4 on
/// `rte`.
#[test]
fn one_label_an_item_is_the_vote() {
    for name in ["rte", "temp", "dog"] {
        let Some(set) = real(name) else { return };
        for seed in 0..3 {
            let answers = some(&set.answers, 1, seed);
            let model = Model::fitted(&answers, &Known::default(), Settings::default());
            let mut votes = Model::new(&answers, Settings::default());
            votes.start_at_votes(&answers);
            let (a, b) = (accuracy(&set, &model), accuracy(&set, &votes));
            assert!((a - b).abs() <= 0.5, "{name}, seed {seed}: {a:.1} against {b:.1}");
        }
    }
}

/// Two labels per item: on average at least 70 % (an independent program: 71.0), where plain pooled Dawid-Skene has 68.8.
#[test]
fn two_labels_an_item_on_the_real_sets() {
    let sets = [
        "sp_amt",
        "bluebird",
        "rte",
        "temp",
        "weather_amt",
        "prelec_states",
        "dog",
        "face",
        "music",
        "labelme",
        "trec",
    ];
    let mut all = Vec::new();
    for name in sets {
        let Some(set) = real(name) else { return };
        let orders = if name == "trec" { 1 } else { 4 };
        let of =
            |seed| accuracy(&set, &Model::fitted(&some(&set.answers, 2, seed), &Known::default(), Settings::default()));
        all.push((0..orders).map(of).sum::<f64>() / orders as f64);
    }
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    assert!(mean >= 70.0, "{mean:.1}: {all:.1?}");
}

#[test]
fn confusions_of_a_crowd_are_recovered() {
    let world = World::new(2000, 10, 3, 4);
    let model = Model::fitted(&world.everything(), &Known::default(), Settings::default());
    let right = world.truth.iter().enumerate().filter(|(i, t)| model.posterior(*i)[**t as usize] > 0.5).count();
    assert!(right > 1900, "{right} of 2000");
    for (a, skill) in model.confusions().chunks_exact(9).zip(&world.skill) {
        // 660 items a class: standard error .02
        for c in 0..3 {
            assert!((a[c * 3 + c] - skill).abs() < 0.08, "{a:?} {skill}");
            assert!(((0..3).map(|l| a[l * 3 + c]).sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn gold_counts_and_holds() {
    let world = World::new(200, 6, 2, 8);
    let answers = some(&world.everything(), 1, 0);
    // one label an item tells nothing of anybody, unless truth is known
    let blind = Model::fitted(&answers, &Known::default(), Settings::default());
    assert!(blind.counts.iter().all(|&c| c == 0.0));
    let gold = Known { gold: world.truth.iter().map(|&t| Some(t)).collect(), ..Known::default() };
    let told = Model::fitted(&answers, &gold, Settings::default());
    assert_eq!(told.counts.iter().sum::<f64>(), 200.0);
    for (i, &t) in world.truth.iter().enumerate() {
        assert_eq!(told.posterior(i)[t as usize], 1.0);
    }
    // the best and the worst annotator are told apart
    let on = |j: usize| told.confusions()[j * 4];
    let order = |worst: bool| {
        let skill = |j: &usize| (world.skill[*j] * 1e6) as i64 * if worst { -1 } else { 1 };
        (0..6).max_by_key(skill).unwrap()
    };
    assert!(on(order(false)) > on(order(true)) + 0.1);
}

#[test]
fn class_logs_take_the_place_of_class_shares_and_earlier_fits_pull() {
    let mut answers = Answers::new(2, 2, 2);
    answers.add(Label { item: 0, annotator: 0, class: 0 });
    let logs = [0.2f64, 0.8, 0.9, 0.1].map(f64::ln);
    let known = Known { class_logs: logs.to_vec(), ..Known::default() };
    let model = Model::fitted(&answers, &known, Settings::default());
    // nobody labelled the second item: its posterior is what the classifier says
    assert!((model.posterior(1)[0] - 0.9).abs() < 1e-12, "{:?}", model.posterior(1));
    let a = &model.confusions()[..4];
    let odds = 0.2 * a[0] / (0.8 * a[1]);
    assert!((model.posterior(0)[0] - odds / (1.0 + odds)).abs() < 1e-9);
    // annotator 0 had 30 labels (worth 12), annotator 1 none (worth 2)
    let earlier = [0.9, 0.3, 0.1, 0.7, 0.5, 0.5, 0.5, 0.5];
    let known = Known::default().with_earlier(2, &earlier, &[30, 0]);
    let model = Model::fitted(&answers, &known, Settings::default());
    assert_eq!(model.of_annotator(0), [0.9 * 12.0, 0.3 * 12.0, 0.1 * 12.0, 0.7 * 12.0]);
    assert_eq!(model.of_annotator(1), [1.0; 4]);
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    // enough labels for several parts
    let world = World::new(20_000, 12, 2, 3);
    let answers = world.everything();
    let fit = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Model::fitted(&answers, &Known::default(), Settings::default()))
    };
    let (one, two) = (fit(1), fit(2));
    assert!(one.q.iter().zip(&two.q).all(|(a, b)| a.to_bits() == b.to_bits()));
    assert!(one.b.iter().zip(&two.b).all(|(a, b)| a.to_bits() == b.to_bits()));
}
