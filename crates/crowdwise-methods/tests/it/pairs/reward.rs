//! A reward model from the preferences of many users: a world of 8 x 8 states, walks compared by users who err, and the policy
//! that is best for what was learned.

use super::common::fit;
use crowdwise_core::{Dataset, Features, LabelKind, Preference, TableBuilder, stream};
use crowdwise_methods::comparisons::PrefE2e;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

const SIDE: usize = 8;
const STATES: usize = SIDE * SIDE;
const DISCOUNT: f64 = 0.9;
const PAIRS: usize = 300;
const STEPS: usize = 10;

/// Where each of five actions (stay, down, up, right, left) leads.
fn moves(state: usize) -> [usize; 5] {
    let (a, b) = (state / SIDE, state % SIDE);
    let at = |a: usize, b: usize| a * SIDE + b;
    [
        state,
        at((a + 1).min(SIDE - 1), b),
        at(a.saturating_sub(1), b),
        at(a, (b + 1).min(SIDE - 1)),
        at(a, b.saturating_sub(1)),
    ]
}

/// The best action of every state for a reward, by value iteration.
fn plan(reward: &[f64]) -> Vec<usize> {
    let worth = |v: &[f64], to: usize| reward[to] + DISCOUNT * v[to];
    let mut v = vec![0.0; STATES];
    for _ in 0..200 {
        v = (0..STATES).map(|s| moves(s).map(|to| worth(&v, to)).into_iter().fold(f64::MIN, f64::max)).collect();
    }
    let best = |s: usize| {
        let all = moves(s).map(|to| worth(&v, to));
        (0..5).fold(0, |a, b| if all[b] > all[a] { b } else { a })
    };
    (0..STATES).map(best).collect()
}

/// Mean discounted return of a policy over the states to begin at.
fn value(policy: &[usize], reward: &[f64]) -> f64 {
    let mut v = vec![0.0; STATES];
    for _ in 0..400 {
        v = (0..STATES)
            .map(|s| {
                let to = moves(s)[policy[s]];
                reward[to] + DISCOUNT * v[to]
            })
            .collect();
    }
    v.iter().sum::<f64>() / STATES as f64
}

/// The reward of each state, learned from comparisons (pair, user, first is better) of walks.
fn learn(walks: &[f32], said: &[(usize, usize, bool)], reliability: bool) -> Vec<f64> {
    let mut b = TableBuilder::new(LabelKind::Preference);
    (0..2 * PAIRS).for_each(|i| _ = b.items.intern(&format!("walk{i}")));
    for &(pair, user, first) in said {
        let answer = if first { Preference::Left } else { Preference::Right };
        b.preference(&format!("walk{}", 2 * pair), &format!("walk{}", 2 * pair + 1), &format!("user{user}"), answer);
    }
    let mut data = Dataset::new(b.finish().unwrap());
    data.features = Some(Features { dim: STATES, values: walks.to_vec(), image: None });
    let method = PrefE2e { learn_reliability: reliability, standardise: false, ..PrefE2e::default() };
    let weights = fit(&method, &data).diagnostics.details["weights"].clone();
    serde_json::from_value(weights).unwrap()
}

/// 15 users with flips up to 0.45, five of them asked about every pair. An independent program has, means of ten worlds with
/// other random numbers, returns (0 = random policy, 1 = best) of .96 with the true answers, .79 with majority votes and .95
/// with the likelihood of every user's own answers.
#[test]
fn the_answers_of_users_teach_more_than_their_majority() {
    let worlds = 10;
    let (mut known, mut majority, mut users) = (0.0, 0.0, 0.0);
    for seed in 0..worlds {
        let mut rng = stream(seed, "grid world", 0);
        let mut reward: Vec<f64> = (0..STATES)
            .map(|_| 0.3 * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng))
            .collect();
        let mut free: Vec<usize> = (0..STATES).collect();
        for n in 0..9 {
            let state = free.swap_remove(rng.random_range(0..free.len()));
            reward[state] += if n < 3 { 2.0 } else { -1.5 };
        }
        let mut walks = vec![0.0f32; 2 * PAIRS * STATES];
        for walk in walks.chunks_exact_mut(STATES) {
            let mut state = rng.random_range(0..STATES);
            for _ in 0..STEPS {
                state = moves(state)[rng.random_range(0..5)];
                walk[state] += 1.0;
            }
        }
        let of = |walk: usize| -> f64 {
            walks[walk * STATES..][..STATES].iter().zip(&reward).map(|(n, r)| f64::from(*n) * r).sum()
        };
        let flips: Vec<f64> = (0..15).map(|_| rng.random_range(0.0..0.45)).collect();
        let (mut truth, mut votes, mut own) = (Vec::new(), Vec::new(), Vec::new());
        for pair in 0..PAIRS {
            let first = of(2 * pair) > of(2 * pair + 1);
            truth.push((pair, 0, first));
            let mut asked: Vec<usize> = (0..15).collect();
            let mut yes = 0;
            for _ in 0..5 {
                let user = asked.swap_remove(rng.random_range(0..asked.len()));
                let says = first != (rng.random::<f64>() < flips[user]);
                yes += usize::from(says);
                own.push((pair, user, says));
            }
            votes.push((pair, 0, yes > 2));
        }
        let best = value(&plan(&reward), &reward);
        let random = (0..5)
            .map(|_| value(&(0..STATES).map(|_| rng.random_range(0..5)).collect::<Vec<_>>(), &reward) / 5.0)
            .sum::<f64>();
        let result = |learned: &[f64]| (value(&plan(learned), &reward) - random) / (best - random) / worlds as f64;
        known += result(&learn(&walks, &truth, false));
        majority += result(&learn(&walks, &votes, false));
        users += result(&learn(&walks, &own, true));
    }
    assert!(known > 0.9, "true answers {known}");
    assert!((0.65..0.92).contains(&majority), "majority {majority}");
    assert!(users > 0.88 && users > majority + 0.05, "users {users}, majority {majority}, true answers {known}");
}
