//! What a batch keeps to, and what is told when there is nothing to ask.

use crate::support::World;
use crowdwise_ask::answers::{Answers, Label};
use crowdwise_ask::model::{Known, Model, Settings};
use crowdwise_ask::next::{Nothing, Options, Reason, Want, next, picks};
use crowdwise_ask::state::{AnnotatorLimits, ItemLimits, State};
use crowdwise_ask::strategy::Strategy;
use crowdwise_numerics::stream;
use rand::RngExt;
use std::collections::BTreeSet;

/// A state with `per_item` labels of random annotators.
fn begun(world: &World, per_item: usize) -> State {
    let (n, m) = (world.truth.len(), world.skill.len() as u32);
    let mut state = State::new(world.none());
    let mut rng = stream(9, "begun", 0);
    for item in 0..n as u32 {
        let mut who = BTreeSet::new();
        while who.len() < per_item {
            who.insert(rng.random_range(0..m));
        }
        who.into_iter().for_each(|j| _ = state.tell(world.answer(item, j), None, 0.0));
    }
    state
}

fn fitted(state: &State) -> Model {
    Model::fitted(&state.answers, &state.known, Settings::default())
}

fn want(n: usize) -> Options {
    Options { want: Want::Questions(n), ..Options::default() }
}

#[test]
fn every_strategy_asks_free_pairs_once_and_repeats_itself() {
    let world = World::new(200, 15, 3, 1);
    let state = begun(&world, 2);
    let model = fitted(&state);
    for strategy in Strategy::ALL {
        let options = Options { strategy, ..want(40) };
        let asked = picks(&state, &model, &options);
        assert_eq!(asked.len(), 40, "{strategy:?}");
        assert_eq!(asked, picks(&state, &model, &options));
        let items: BTreeSet<u32> = asked.iter().map(|p| p.item).collect();
        assert_eq!(items.len(), 40, "{strategy:?}: one question of an item a call");
        assert!(asked.iter().all(|p| !state.answers.has(p.item as usize, p.annotator)), "{strategy:?}");
        let other = picks(&state, &model, &Options { seed: 1, ..options });
        assert!(strategy == Strategy::Greedy || asked != other, "{strategy:?}: another seed");
        assert_eq!(Strategy::find(strategy.name()), Ok(strategy));
    }
    assert!(Strategy::find("entrpy").unwrap_err().hint().unwrap().clone().contains("`entropy`"));
}

#[test]
fn gain_sets_a_share_aside_for_coverage() {
    let world = World::new(300, 15, 3, 1);
    let state = begun(&world, 2);
    let model = fitted(&state);
    let covered = |n, coverage| {
        let asked = picks(&state, &model, &Options { coverage, ..want(n) });
        asked.iter().filter(|p| p.reason == Reason::Coverage).count()
    };
    assert_eq!((covered(50, 0.2), covered(50, 0.0), covered(6, 0.1)), (10, 0, 1));
    // a single question is one of coverage now and then
    let single = |seed| picks(&state, &model, &Options { seed, ..want(1) })[0].reason == Reason::Coverage;
    let share = (0..200).filter(|&s| single(s)).count();
    assert!((20..=60).contains(&share), "{share} of 200");
}

#[test]
fn two_stages_choose_as_all_pairs_do() {
    // 4 want >= N: stage one keeps everything, so that the best pairs are those of an exhaustive search
    let world = World::new(60, 12, 3, 3);
    let state = begun(&world, 2);
    let model = fitted(&state);
    let options = Options { strategy: Strategy::Greedy, ..want(15) };
    let asked = picks(&state, &model, &options);
    let confusions = model.confusions();
    let gain = |item: u32, j: u32| {
        let a = &confusions[j as usize * 9..(j as usize + 1) * 9];
        crowdwise_ask::score::information_gain(model.posterior(item as usize), a)
    };
    let state = &state;
    let free = |item: u32| (0..12u32).filter(move |&j| !state.answers.has(item as usize, j));
    let mut best: Vec<f64> = (0..60).map(|i| free(i).map(|j| gain(i, j)).fold(0.0, f64::max)).collect();
    best.sort_by(|a, b| b.total_cmp(a));
    let chosen: Vec<f64> = asked.iter().map(|p| gain(p.item, p.annotator)).collect();
    // items with the same labels may change places
    assert_eq!(chosen, best[..15]);
}

#[test]
fn limits_hold() {
    let world = World::new(100, 6, 2, 5);
    let mut state = begun(&world, 2);
    let model = fitted(&state);
    let best = |asked: &[crowdwise_ask::next::Pick], j: u32| asked.iter().filter(|p| p.annotator == j).count();
    // capacity, hours, price
    state.annotators = vec![AnnotatorLimits::default(); 6];
    state.annotators[0].capacity = Some(3);
    state.annotators[1].from = Some(100.0);
    state.annotators[2].to = Some(50.0);
    let asked = picks(&state, &model, &Options { now: Some(60.0), ..want(60) });
    assert!(best(&asked, 0) <= 3 && best(&asked, 1) == 0 && best(&asked, 2) == 0);
    let asked = picks(&state, &model, &Options { only: Some(4), ..want(30) });
    assert!(asked.len() == 30 && best(&asked, 4) == 30);
    // shares: of 200 answers and 40 questions nobody has more than 20 %
    state.limits.max_share = Some(0.2);
    let asked = picks(&state, &model, &want(40));
    for j in 0..6 {
        let has = state.answers.by_annotator()[j as usize] as usize;
        assert!(has + best(&asked, j) <= has.max(48), "{j} has {has} and is asked {}", best(&asked, j));
    }
    state.limits.max_share = None;
    // money
    state.annotators.iter_mut().for_each(|a| a.price = 0.5);
    let asked = picks(&state, &model, &Options { want: Want::Money(4.9), ..Options::default() });
    assert_eq!(asked.len(), 9);
    state.limits.money = Some(103.0);
    assert_eq!(picks(&state, &model, &want(60)).len(), 6);
    state.limits.money = None;
    // closed items, and those that are too late
    state.items = vec![ItemLimits::default(); 100];
    state.items[..90].iter_mut().for_each(|i| i.closed = true);
    state.items[90].deadline = Some(10.0);
    let asked = picks(&state, &model, &Options { now: Some(60.0), ..want(20) });
    assert!(!asked.is_empty() && asked.iter().all(|p| p.item > 90));
}

#[test]
fn items_that_cannot_wait_come_first() {
    let world = World::new(100, 8, 2, 5);
    let mut state = begun(&world, 2);
    let model = fitted(&state);
    // gain would take the least certain items; those in the middle are due in a minute
    let sure = |i: &u32| (model.posterior(*i as usize).iter().fold(0.0f64, |a, b| a.max(*b)) * 1e9) as u64;
    let mut order: Vec<u32> = (0..100).filter(|i| sure(i) < 890_000_000).collect();
    order.sort_by_key(sure);
    let due: BTreeSet<u32> = order[order.len() - 5..].iter().copied().collect();
    state.items = vec![ItemLimits::default(); 100];
    due.iter().for_each(|&i| state.items[i as usize].deadline = Some(120.0));
    let items = |now| {
        let asked = picks(&state, &model, &Options { now, coverage: 0.0, ..want(8) });
        let items: BTreeSet<u32> = asked.iter().map(|p| p.item).collect();
        assert_eq!((asked.len(), items.len()), (8, 8));
        items.intersection(&due).count()
    };
    assert_eq!(items(Some(60.0)), 5);
    assert!(items(None) < 5 && items(Some(-1e9)) < 5);
}

#[test]
fn a_price_list_is_heeded() {
    let world = World::new(100, 6, 2, 5);
    let mut state = begun(&world, 3);
    let model = fitted(&state);
    let options = Options { coverage: 0.0, ..want(30) };
    let most = |state: &State, options: &Options| {
        let mut of = [0; 6];
        picks(state, &model, options).iter().for_each(|p| of[p.annotator as usize] += 1);
        (0..6u32).max_by_key(|&j| of[j as usize]).unwrap()
    };
    let favourite = most(&state, &options);
    state.annotators = vec![AnnotatorLimits::default(); 6];
    state.annotators[favourite as usize].price = 1000.0;
    assert_ne!(most(&state, &options), favourite);
    assert_eq!(most(&state, &Options { price_power: 0.0, ..options }), favourite);
}

#[test]
fn nothing_to_ask_is_told() {
    let world = World::new(5, 3, 2, 7);
    let why = |state: &State, options: &Options| {
        let batch = next(state, &fitted(state), options);
        assert!(batch.questions.is_empty() && !batch.warnings.is_empty());
        batch.nothing.unwrap()
    };
    let mut seen = State::new(world.everything());
    assert_eq!(why(&seen, &want(3)), Nothing::EverybodyWasAsked);
    assert_eq!(why(&State::new(Answers::new(0, 3, 2)), &want(3)), Nothing::NoItems);
    assert_eq!(why(&State::new(world.none()), &want(0)), Nothing::NothingWanted);
    seen.annotators = vec![AnnotatorLimits { capacity: Some(0), ..AnnotatorLimits::default() }; 3];
    assert_eq!(why(&seen, &want(3)), Nothing::NobodyAvailable);
    seen.annotators.iter_mut().for_each(|a| a.from = Some(9.0));
    assert_eq!(why(&seen, &Options { now: Some(1.0), ..want(3) }), Nothing::NobodyAvailable);
    let mut poor = State::new(world.none());
    poor.limits.money = Some(0.0);
    assert_eq!(why(&poor, &want(3)), Nothing::BudgetSpent);
    let mut busy = State::new(world.none());
    busy.limits.in_flight = Some(1);
    busy.lease(0, 0, 0.0).unwrap();
    assert_eq!(why(&busy, &want(3)), Nothing::TooManyOut);
    // 30 who agree make every item sure
    let labels =
        (0..5).flat_map(|item| (0..30).map(move |annotator| Label { item, annotator, class: (item % 2) as u16 }));
    let agreed = State::new(Answers::from_labels(5, 31, 2, &labels.collect::<Vec<_>>()));
    assert_eq!(why(&agreed, &Options { strategy: Strategy::Sure, ..want(3) }), Nothing::AllItemsDone);
}

#[test]
fn a_batch_says_where_the_collection_stands() {
    let world = World::new(120, 10, 3, 6);
    let mut state = begun(&world, 3);
    // five items nobody labelled, and gold for twenty
    state.grow(125, 10);
    state.known = Known { gold: vec![None; 125], ..Known::default() };
    (0..20).for_each(|i| state.known.gold[i] = Some(world.truth[i]));
    let model = fitted(&state);
    let batch = next(&state, &model, &want(10));
    let c = batch.items;
    assert_eq!((c.open + c.sure + c.capped + c.hopeless + c.unlabelled, c.unlabelled), (125, 5));
    let a = batch.accuracy;
    assert!(1.0 / 3.0 < a.low && a.low <= a.high && a.high < 1.0 && a.low_after > a.low, "{a:?}");
    let gold = a.gold.unwrap();
    assert!(gold.n == 20 && gold.low <= gold.accuracy && gold.accuracy <= gold.high && gold.high - gold.low > 0.1);
    assert_eq!((batch.money.spent, batch.money.batch), (360.0, 10.0));
    assert!(batch.questions.iter().all(|q| q.item >= 20), "gold is not asked");
    let words = |k: usize| format!("class {k}");
    for q in &batch.questions {
        let text = q.words("ann", words);
        assert_eq!(text.contains("right"), q.reason == Reason::Gain, "{text}");
        assert_eq!(text.contains("no label yet"), q.labels == 0, "{text}");
        assert!((0.0..=3f64.log2()).contains(&q.gain) && q.accuracy_gain >= 0.0);
    }
}
