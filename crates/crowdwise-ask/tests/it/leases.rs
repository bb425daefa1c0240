//! Leases: random sequences of asking, answering, skipping, expiring and coming late.

use crate::support::World;
use crowdwise_ask::answers::Label;
use crowdwise_ask::model::{Model, Settings};
use crowdwise_ask::next::{Options, Want, next, picks};
use crowdwise_ask::state::{AnnotatorLimits, Limits, Pair, Saved, State, Taken, Told};
use crowdwise_numerics::stream;
use rand::RngExt;
use std::collections::BTreeSet;

const N: usize = 25;
const M: usize = 7;
const CAP: usize = 4;
const EACH: u32 = 3;

/// What the property looks at after every step.
fn check(state: &State, late: usize, seed: u64) {
    let p = state.pairs();
    assert_eq!(p.free + p.leased + p.answered + p.skipped + p.expired, N * M, "seed {seed}");
    assert_eq!(p.leased, state.all_in_flight());
    for item in 0..N {
        let load = state.answers.degree(item) + state.in_flight(item);
        assert!(load <= CAP + late, "seed {seed}: item {item} has {load}");
        assert_eq!(state.asked_now(item).count(), state.in_flight(item));
        let who = state.answers.of(item).0;
        assert!(who.windows(2).all(|w| w[0] < w[1]), "seed {seed}: a pair was answered twice");
    }
    for j in 0..M {
        assert!(state.record(j).in_flight <= EACH);
        assert!((0.0..=1.0).contains(&state.answers_with(j)));
    }
}

#[test]
fn random_sequences_never_ask_a_pair_twice_and_keep_the_caps() {
    for seed in 0..30 {
        let world = World::new(N, M, 2, seed);
        let mut rng = stream(seed, "sequence", 0);
        let mut state = State::new(world.none());
        state.limits = Limits {
            max_per_item: Some(CAP),
            in_flight_each: Some(EACH),
            in_flight: Some(12),
            lease: Some(50.0),
            ..Limits::default()
        };
        let mut model = Model::new(&state.answers, Settings::default());
        let mut asked = BTreeSet::new();
        let mut open: Vec<(Label, u64)> = Vec::new();
        let (mut now, mut late) = (0.0, 0);
        for _ in 0..120 {
            now += rng.random_range(0.0..10.0);
            match rng.random_range(0..5) {
                0 => {
                    model.fit(&state.answers, &state.known);
                    let options = Options { want: Want::Questions(rng.random_range(1..8)), seed, ..Options::default() };
                    for p in picks(&state, &model, &options) {
                        assert!(asked.insert((p.item, p.annotator)), "seed {seed}: asked twice");
                        let lease = state.lease(p.item as usize, p.annotator, now).unwrap();
                        assert_eq!(state.lease(p.item as usize, p.annotator, now), Err(Taken::Leased));
                        open.push((world.answer(p.item, p.annotator), lease));
                    }
                    state.batch += 1;
                }
                1 | 2 if !open.is_empty() => {
                    let (label, lease) = open.swap_remove(rng.random_range(0..open.len()));
                    let expired =
                        matches!(state.pair(label.item as usize, label.annotator), Some(Pair::Expired { .. }));
                    let told = state.tell(label, Some(lease), now);
                    assert_eq!(told, if expired { Told::Late } else { Told::New });
                    late += usize::from(expired);
                    // the network repeats itself
                    assert_eq!(state.tell(label, Some(lease), now), Told::Again);
                }
                3 if !open.is_empty() && rng.random::<f64>() < 0.3 => {
                    let (label, _) = open.swap_remove(rng.random_range(0..open.len()));
                    let leased = matches!(state.pair(label.item as usize, label.annotator), Some(Pair::Leased { .. }));
                    assert_eq!(state.skip(label.item as usize, label.annotator), leased);
                    assert!(state.taken(label.item as usize, label.annotator).is_some());
                }
                _ => {
                    for (item, annotator) in state.expire(now) {
                        assert_eq!(state.taken(item as usize, annotator), Some(Taken::Expired));
                    }
                }
            }
            check(&state, late, seed);
        }
        assert!(state.answers.n_labels() > 20, "seed {seed}: only {} answers", state.answers.n_labels());
    }
}

#[test]
fn a_state_that_was_saved_asks_the_same() {
    let world = World::new(60, 8, 3, 2);
    let mut state = State::new(world.none());
    state.annotators = vec![AnnotatorLimits { price: 2.0, ..AnnotatorLimits::default() }; 8];
    let fitted = |state: &State| Model::fitted(&state.answers, &state.known, Settings::default());
    let options = Options { want: Want::Questions(20), seed: 5, ..Options::default() };
    for _ in 0..6 {
        for (n, p) in picks(&state, &fitted(&state), &options).into_iter().enumerate() {
            let lease = state.lease(p.item as usize, p.annotator, 0.0).unwrap();
            if n % 3 > 0 {
                state.tell(world.answer(p.item, p.annotator), Some(lease), 7.0);
            }
        }
        state.batch += 1;
    }
    let text = serde_json::to_string(&state.save()).unwrap();
    let again = State::load(&serde_json::from_str::<Saved>(&text).unwrap());
    assert_eq!(again.pairs(), state.pairs());
    assert_eq!(again.typical_seconds(3), Some(7.0));
    assert_eq!(next(&again, &fitted(&again), &options), next(&state, &fitted(&state), &options));
}

#[test]
fn who_does_not_answer_is_asked_less_and_late_answers_stay() {
    let world = World::new(4, 2, 2, 0);
    let mut state = State::new(world.none());
    assert_eq!(state.answers_with(0), 0.5);
    assert_eq!(state.lease_seconds(0), 600.0);
    let lease = state.lease(0, 0, 0.0).unwrap();
    assert_eq!(state.answers_with(0), 0.5, "the lease is not over");
    assert!(state.expire(599.0).is_empty());
    assert_eq!(state.expire(600.0), [(0, 0)]);
    assert!((state.answers_with(0) - 1.0 / 3.0).abs() < 1e-12);
    // others can be asked, the same annotator only if that is wanted
    assert_eq!(state.lease(0, 0, 601.0), Err(Taken::Expired));
    assert!(state.lease(0, 1, 601.0).is_ok());
    assert_eq!(state.tell(world.answer(0, 0), Some(lease), 1000.0), Told::Late);
    assert_eq!(state.answers.degree(0), 1);
    assert!((state.answers_with(0) - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(state.lease_seconds(0), 3000.0, "three times the thousand seconds it took");
    state.limits.ask_again = true;
    state.lease(1, 0, 0.0).unwrap();
    state.expire(1e6);
    assert!(state.lease(1, 0, 1e6).is_ok());
    assert_eq!(state.tell(world.answer(3, 1), None, 0.0), Told::Unasked);
}
