//! What the methods must be able to do, on data whose truth is known.

use crate::common;

use common::{World, centres, draw, fit, inferred, tested};
use crowdwise_core::{Context, Dataset, stream};
use rand::RngExt;
use serde_json::{Value, json};

/// Sensitivity for class 0 and class 1 as a confusion matrix.
fn two(first: f64, second: f64) -> Vec<f64> {
    vec![first, 1.0 - first, 1.0 - second, second]
}

/// The five experts of high expertise of Cao et al. (2019), Dogs vs. Cats.
fn experts() -> Vec<Vec<f64>> {
    vec![two(0.6, 0.8), two(0.6, 0.6), two(0.9, 0.6), two(0.7, 0.7), two(0.6, 0.7)]
}

/// One label of every expert for every item.
fn all_answer(world: &World, experts: &[Vec<f64>], seed: u64) -> Vec<(usize, usize, usize)> {
    let mut rng = stream(seed, "experts", 0);
    let k = world.k;
    let mut out = Vec::new();
    for (i, &z) in world.truth.iter().enumerate() {
        for (j, c) in experts.iter().enumerate() {
            out.push((i, j, draw(&c[z * k..(z + 1) * k], &mut rng)));
        }
    }
    out
}

/// Two classes in 20 dimensions, a linear classifier reaches about 80 %.
fn pair_of_worlds(n: usize, seed: u64) -> (World, World) {
    let c = centres(2, 20, seed);
    // the same distance for every seed: 1.7 deviations between the two centres
    let apart: f64 = (0..20).map(|x| (c[x] - c[20 + x]).powi(2)).sum::<f64>().sqrt();
    let make = |seed: u64| World::blobs(n, 2, 20, 1.7 / apart, seed, &c);
    (make(seed), make(seed + 1000))
}

#[test]
fn raykar_without_features_is_dawid_skene() {
    let world = World::blobs(300, 3, 2, 0.0, 1, &centres(3, 2, 1));
    let mut rng = stream(2, "skills", 0);
    let mut labels = Vec::new();
    for (i, &z) in world.truth.iter().enumerate() {
        for j in 0..6 {
            if rng.random_bool(0.6) {
                let row: Vec<f64> =
                    (0..3).map(|l| if l == z { 0.5 + 0.07 * j as f64 } else { 0.25 - 0.035 * j as f64 }).collect();
                labels.push((i, j, draw(&row, &mut rng)));
            }
        }
    }
    let mut data = world.dataset(&labels);
    data.features.as_mut().unwrap().values.fill(1.0);
    let (a, _) = fit("raykar", &[("tol", json!(0.0)), ("max_iter", json!(3000))], &data, 0);
    let ds: Vec<(String, Value)> = vec![
        ("alpha".into(), json!(0.0)),
        ("beta".into(), json!(0.0)),
        ("tol".into(), json!(1e-10)),
        ("max_iter".into(), json!(2000)),
    ];
    let b = crowdwise_methods::find("dawid-skene").unwrap().with(&ds).unwrap();
    let b = b.fit(&data, &mut Context::default()).unwrap();
    let worst =
        a.posterior().unwrap().1.iter().zip(b.posterior().unwrap().1).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-6, "{worst}");
}

#[test]
fn raykar_gains_from_features_also_for_grades() {
    let c = [-1.0, 0.0, 1.0, 0.0, 0.0, 0.0]; // three grades on a line
    let world = World::blobs(600, 3, 2, 2.5, 3, &[c[0], c[1], c[4], c[5], c[2], c[3]]);
    let mut rng = stream(4, "grades", 0);
    let labels: Vec<_> = (0..600)
        .flat_map(|i| [(i, i % 7), (i, 7 + i % 5)])
        .map(|(i, j)| {
            let z = world.truth[i];
            (
                i,
                j,
                if rng.random_bool(0.65) {
                    z
                } else if z == 1 {
                    2 * rng.random_range(0..2)
                } else {
                    1
                },
            )
        })
        .collect();
    let data = world.dataset(&labels);
    let votes = crowdwise_methods::find("dawid-skene").unwrap().default().fit(&data, &mut Context::default()).unwrap();
    let base = inferred(&votes, &world.truth);
    for ordinal in [false, true] {
        let (f, model) = fit("raykar", &[("ordinal", ordinal.into())], &data, 0);
        let (inside, outside) = (inferred(&f, &world.truth), tested(&model, &world));
        // the questions know less than the classes here: errors of a grade are not alike on both sides of a question
        let least = if ordinal { 0.6 } else { 0.8 };
        assert!(inside > base + 0.04 && outside > least, "ordinal {ordinal}: {base} {inside} {outside}");
    }
}

#[test]
fn without_their_extra_terms_the_crowd_layers_are_one() {
    let world = World::blobs(300, 3, 5, 1.0, 5, &centres(3, 5, 5));
    let mut rng = stream(6, "labels", 0);
    let labels: Vec<_> = (0..600)
        .map(|n| {
            (
                n / 2,
                rng.random_range(0..9),
                if rng.random_bool(0.7) { world.truth[n / 2] } else { rng.random_range(0..3) },
            )
        })
        .collect();
    let data = world.dataset(&labels);
    let few = |more: &[(&'static str, Value)]| -> Vec<(&'static str, Value)> {
        [("epochs", json!(8)), ("hidden", json!(16))].into_iter().chain(more.iter().cloned()).collect()
    };
    let (plain, _) = fit("crowd-layer", &few(&[]), &data, 1);
    for (id, more) in [
        ("trace-reg", vec![("lambda", json!(0.0))]),
        ("geo-crowd-net", vec![("lambda", json!(0.0))]),
        ("conal", vec![("lambda", json!(0.0)), ("gate", json!("own"))]),
    ] {
        let (other, _) = fit(id, &few(&more), &data, 1);
        assert_eq!(other.posterior(), plain.posterior(), "{id}");
        assert_eq!(other.annotators, plain.annotators, "{id}");
    }
    let (common, _) = fit("conal", &few(&[("gate", json!("common")), ("lambda", json!(0.0))]), &data, 1);
    assert_eq!(common.annotators.confusion(0), common.annotators.confusion(5), "one matrix for all");
}

/// 3 classes, 5 annotators, one label per item: as `numerics/geocrowd.py` has it.
fn recovery(
    seed: u64,
    matrices: impl Fn(usize, &mut rand_chacha::ChaCha8Rng) -> Vec<f64>,
) -> (World, World, Dataset, Vec<f64>) {
    let (k, m, d, n) = (3, 5, 10, 3000);
    let c = centres(k, d, seed);
    let (train, test) = (World::blobs(n, k, d, 1.2, seed, &c), World::blobs(n, k, d, 1.2, seed + 500, &c));
    let mut rng = stream(seed, "recovery", 0);
    let truth: Vec<f64> = (0..m).flat_map(|j| matrices(j, &mut rng)).collect();
    let labels: Vec<_> = (0..n)
        .map(|i| {
            let j = rng.random_range(0..m);
            (i, j, draw(&truth[(j * k + train.truth[i]) * k..][..k], &mut rng))
        })
        .collect();
    let data = train.dataset(&labels);
    (train, test, data, truth)
}

/// Mean squared distance of an annotator's confusion matrix from the true one.
fn distance(fit: &crowdwise_core::Fit, data: &Dataset, truth: &[f64]) -> f64 {
    let m = data.table.n_annotators();
    let names = data.table.annotators();
    (0..m)
        .map(|a| {
            let j: usize = names.name(a)[1..].parse().unwrap();
            let c = fit.annotators.confusion(a).unwrap();
            c.iter().zip(&truth[j * 9..]).map(|(x, y)| (x - y).powi(2)).sum::<f64>()
        })
        .sum::<f64>()
        / m as f64
}

#[test]
fn geo_crowd_net_recovers_classifier_and_annotators() {
    let no_experts = |_: usize, rng: &mut rand_chacha::ChaCha8Rng| -> Vec<f64> {
        let mut out = Vec::new();
        for t in 0..3 {
            let x: Vec<f64> = (0..3).map(|_| -rng.random::<f64>().max(1e-12).ln()).collect();
            let sum: f64 = x.iter().sum();
            out.extend((0..3).map(|l| 0.5 * x[l] / sum + if l == t { 0.5 } else { 0.0 }));
        }
        out
    };
    let hammer_spammer = |j: usize, _: &mut rand_chacha::ChaCha8Rng| -> Vec<f64> {
        (0..9).map(|n| if j > 0 { 1.0 / 3.0 } else { 0.05 / 3.0 + if n / 3 == n % 3 { 0.95 } else { 0.0 } }).collect()
    };
    let training = [
        ("epochs", json!(30)),
        ("batch_size", json!(100)),
        ("learning_rate", json!(1e-2)),
        ("hidden", json!(32)),
        ("dropout", json!(0.0)),
        ("holdout", json!(0.0)),
        ("choose", json!("last")),
        ("diagonal", json!(1.0)),
    ];
    let with = |volume: &str, lambda: f64| -> Vec<(&str, Value)> {
        training.iter().cloned().chain([("volume", json!(volume)), ("lambda", json!(lambda))]).collect()
    };
    for seed in 0..2 {
        let (_, test, data, truth) = recovery(seed, no_experts);
        for lambda in [0.01, 0.1] {
            let (f, model) = fit("geo-crowd-net", &with("f", lambda), &data, seed);
            let (right, error) = (tested(&model, &test), distance(&f, &data, &truth));
            assert!(right >= 0.92 && error <= 0.04, "f, lambda {lambda}, seed {seed}: {right} {error}");
        }
        let (_, test, data, _) = recovery(seed, hammer_spammer);
        let (_, model) = fit("geo-crowd-net", &with("w", 0.01), &data, seed);
        let right = tested(&model, &test);
        assert!(right >= 0.88, "w, seed {seed}: {right}");
    }
}

#[test]
fn max_mig_does_not_care_what_annotators_have_in_common() {
    let (train, test) = pair_of_worlds(3000, 7);
    let independent = all_answer(&train, &experts(), 8);
    let always: Vec<_> = (0..3000).flat_map(|i| (5..10).map(move |j| (i, j, 1))).collect();
    let copies: Vec<_> = independent
        .iter()
        .flat_map(|&(i, j, l)| {
            let who: &[usize] = match j {
                0 => &[5, 6],
                2 => &[7, 8, 9],
                _ => &[],
            };
            who.iter().map(move |&c| (i, c, l))
        })
        .collect();
    let cases = [independent.clone(), [independent.clone(), always].concat(), [independent, copies].concat()];
    let training =
        [("epochs", json!(15)), ("hidden", json!(16)), ("dropout", json!(0.0)), ("annotator_rate", json!(1e-2))];
    for divergence in ["kl", "pearson", "js"] {
        let mut results = Vec::new();
        for labels in &cases {
            let params: Vec<(&str, Value)> = training
                .iter()
                .cloned()
                .chain([("divergence", json!(divergence)), ("learning_rate", json!(1e-2))])
                .collect();
            let (f, model) = fit("max-mig", &params, &train.dataset(labels), 0);
            results.push((tested(&model, &test), inferred(&f, &train.truth)));
        }
        let classifier: Vec<f64> = results.iter().map(|r| r.0).collect();
        let spread = classifier.iter().fold(0.0, |s: f64, x| s.max((x - classifier[0]).abs()));
        assert!(spread < 0.03 && classifier[0] > 0.74, "{divergence}: {results:?}");
        // labels and features together know more than the features alone
        assert!(results.iter().all(|r| r.1 > r.0 + 0.03), "{divergence}: {results:?}");
    }
    // the majority that always says the same misleads the others
    let naive = train.dataset(&cases[1]);
    for (id, more) in
        [("two-stage", vec![("method", json!("majority-vote")), ("labels", json!("hard"))]), ("crowd-layer", vec![])]
    {
        let params: Vec<(&str, Value)> =
            [("epochs", json!(15)), ("hidden", json!(16)), ("dropout", json!(0.0))].into_iter().chain(more).collect();
        let right = tested(&fit(id, &params, &naive, 0).1, &test);
        assert!(right < 0.7, "{id}: {right}");
    }
}

#[test]
fn em_believes_a_hundred_copies_of_a_coin() {
    let (train, _) = pair_of_worlds(600, 9);
    let mut rng = stream(10, "coin", 0);
    let mut labels = Vec::new();
    for (i, &z) in train.truth.iter().enumerate() {
        labels.push((i, 0, z));
        let coin = rng.random_range(0..2);
        labels.extend((1..101).map(|j| (i, j, coin)));
    }
    let data = train.dataset(&labels);
    let (f, _) = fit("aggnet", &[("epochs", json!(20)), ("hidden", json!(16)), ("dropout", json!(0.0))], &data, 0);
    let lost = inferred(&f, &train.truth);
    assert!(lost < 0.6, "the page says that it fails here: {lost}");
}

#[test]
fn mbem_is_better_than_the_vote_where_items_have_one_label() {
    let (train, test) = pair_of_worlds(3000, 11);
    let mut rng = stream(12, "one each", 0);
    // five who know and two who always say the same: a network on the labels as they are leans to that class
    let labels: Vec<_> = (0..3000)
        .map(|i| {
            let (j, z) = (rng.random_range(0..7), train.truth[i]);
            let said = if j >= 5 {
                1
            } else if rng.random_bool(0.85) {
                z
            } else {
                1 - z
            };
            (i, j, said)
        })
        .collect();
    let data = train.dataset(&labels);
    let training =
        [("epochs", json!(15)), ("network", json!("linear")), ("holdout", json!(0.0)), ("learning_rate", json!(1e-2))];
    let vote: Vec<(&str, Value)> = training.iter().cloned().chain([("method", json!("majority-vote"))]).collect();
    let (with, without) =
        (tested(&fit("mbem", &training, &data, 0).1, &test), tested(&fit("two-stage", &vote, &data, 0).1, &test));
    assert!(with > without + 0.01, "{with} against {without}");
}

#[test]
fn early_stopping_and_the_best_epoch() {
    let world = World::blobs(400, 3, 5, 0.5, 13, &centres(3, 5, 13));
    let mut rng = stream(14, "labels", 0);
    let labels: Vec<_> = (0..800)
        .map(|n| {
            (
                n / 2,
                rng.random_range(0..9),
                if rng.random_bool(0.6) { world.truth[n / 2] } else { rng.random_range(0..3) },
            )
        })
        .collect();
    let data = world.dataset(&labels);
    // enough steps to learn the labels by heart
    let long = [
        ("epochs", json!(80)),
        ("hidden", json!(128)),
        ("dropout", json!(0.0)),
        ("learning_rate", json!(1e-2)),
        ("patience", json!(0)),
    ];
    let (best, _) = fit("crowd-layer", &long, &data, 0);
    let chosen = best.diagnostics.details["chosen_epoch"].as_u64().unwrap();
    let trace: Vec<f64> = best.diagnostics.trace.iter().map(|t| t.objective.unwrap()).collect();
    assert_eq!(trace.len(), 80);
    let top = trace.iter().copied().fold(f64::MIN, f64::max);
    assert_eq!(trace[chosen as usize - 1], top);
    assert!(chosen < 40 && best.diagnostics.objective.as_ref().unwrap().value == top);
    let patient: Vec<(&str, Value)> = long[..4].iter().cloned().chain([("patience", json!(5))]).collect();
    let (stopped, _) = fit("crowd-layer", &patient, &data, 0);
    assert!(stopped.diagnostics.iterations < 80);
    let last: Vec<(&str, Value)> = long.iter().cloned().chain([("choose", json!("last"))]).collect();
    let (last, _) = fit("crowd-layer", &last, &data, 0);
    assert_eq!(last.diagnostics.details["chosen_epoch"], 80);
    assert!(inferred(&best, &world.truth) > inferred(&last, &world.truth), "the best epoch is better than the last");
}

/// Three labels per item by coins of different accuracy.
fn coins(n: usize) -> (World, Dataset) {
    let world = World::blobs(n, 2, 3, 1.0, 15, &centres(2, 3, 15));
    let mut rng = stream(16, "coins", 0);
    let skills: Vec<f64> = (0..n / 3).map(|_| rng.random_range(0.4..0.95)).collect();
    let labels: Vec<_> = (0..3 * n)
        .map(|e| {
            let (i, j) = (e / 3, rng.random_range(0..skills.len()));
            (i, j, if rng.random_bool(skills[j]) { world.truth[i] } else { 1 - world.truth[i] })
        })
        .collect();
    let data = world.dataset(&labels);
    (world, data)
}

fn worst(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[test]
fn without_a_word_of_the_network_deep_methods_are_their_plain_ones() {
    let (_, data) = coins(200);
    let plain = |id: &str, params: &[(&str, Value)]| {
        let pairs: Vec<(String, Value)> = params.iter().map(|(n, v)| ((*n).into(), v.clone())).collect();
        let m = crowdwise_methods::find(id).unwrap().with(&pairs).unwrap();
        m.fit(&data, &mut Context::default()).unwrap().posterior().unwrap().1.to_vec()
    };
    let silent = [("clip", json!(0.5)), ("epochs", json!(1)), ("hidden", json!(4)), ("holdout", json!(0.0))];
    let deep: Vec<(&str, Value)> = silent.iter().cloned().chain([("sweeps", json!(2000))]).collect();
    let (f, _) = fit("deep-mf", &deep, &data, 0);
    let mf = plain("mean-field", &[("tol", json!(1e-12)), ("max_iter", json!(5000))]);
    assert!(worst(f.posterior().unwrap().1, &mf) < 1e-6, "{}", worst(f.posterior().unwrap().1, &mf));
    let bp =
        crowdwise_methods::classes::messages::BeliefPropagation { tol: 1e-12, max_iter: 500, ..Default::default() };
    let (beliefs, _) = bp.with_item_priors(&data, &vec![0.0; 400], 0).unwrap();
    let fitted = plain("belief-propagation", &[("tol", json!(1e-12)), ("max_iter", json!(500))]);
    assert!(worst(&beliefs, &fitted) < 1e-9, "{}", worst(&beliefs, &fitted));
}

#[test]
fn features_help_the_bayesian_methods() {
    let (world, data) = coins(600);
    let votes = crowdwise_methods::find("majority-vote").unwrap().default();
    let base = inferred(&votes.fit(&data, &mut Context::default()).unwrap(), &world.truth);
    for id in ["bayes-dgc", "deep-mf", "deep-bp"] {
        let (f, _) = fit(id, &[("epochs", json!(20)), ("hidden", json!(16))], &data, 0);
        let with = inferred(&f, &world.truth);
        assert!(with > base + 0.03, "{id}: {with}, vote {base}");
    }
}
