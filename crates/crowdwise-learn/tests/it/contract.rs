//! The contract: what every method of the list must keep. Exceptions stand in one table with their reasons.

use crate::common;

use common::{World, centres, draw, method};
use crowdwise_contract as contract;
use crowdwise_core::{
    AnyMethod, Context, Dataset, Entry, Features, Fit, Gold, LabelKind, Stop, TableBuilder, stats, stream,
};
use crowdwise_learn::{METHODS, Model};
use rand::RngExt;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};

/// (method, check, reason)
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Few epochs and a small network: the contract does not ask for accuracy.
fn quick(e: &Entry) -> Box<dyn AnyMethod> {
    method(
        e,
        &[
            ("epochs", 4.into()),
            ("hidden", 8.into()),
            ("max_iter", 4.into()),
            ("embedding", 3.into()),
            ("points", 40.into()),
            ("inner_iter", 5.into()),
        ],
    )
}

/// Labels of eight annotators of different skill, three labels per item.
fn crowd(k: usize, items: usize, seed: u64) -> (World, Vec<(usize, usize, usize)>) {
    let world = World::blobs(items, k, 4, 1.5, seed, &centres(k, 4, seed));
    let mut rng = stream(seed, "contract", 0);
    let skill = [0.9, 0.85, 0.8, 0.8, 0.7, 0.7, 0.6, 0.55];
    let mut labels = Vec::new();
    for i in 0..items {
        for n in 0..3 {
            let j = (i * 3 + n * 5 + rng.random_range(0..2)) % skill.len();
            let row: Vec<f64> = (0..k)
                .map(|l| (1.0 - skill[j]) / k as f64 + if l == world.truth[i] { skill[j] } else { 0.0 })
                .collect();
            labels.push((i, j, draw(&row, &mut rng)));
        }
    }
    (world, labels)
}

fn sample() -> Dataset {
    let (world, labels) = crowd(3, 80, 0);
    world.dataset(&labels)
}

/// The same method with its type.
fn fit_with(m: &dyn AnyMethod, d: &Dataset, seed: u64, threads: usize) -> (Fit, Model) {
    let Value::Object(params) = m.params() else { unreachable!("parameters are an object") };
    let pairs: Vec<(String, Value)> = params.into_iter().collect();
    let learner = crowdwise_learn::learner(m.info().id).expect("every method of this list is a learner");
    let learner = learner.with(&pairs).expect("the parameters are its own");
    learner.learn(d, &mut Context::new(seed, threads)).unwrap_or_else(|e| panic!("{}: {e}", m.info().id))
}

fn check_valid(f: &Fit, d: &Dataset, what: &str) {
    assert_eq!(f.annotators.len(), d.table.n_annotators(), "{}: {what}", f.provenance.method);
    contract::check_valid(f, d, what);
}

#[test]
fn the_list_is_well_formed() {
    contract::list_is_well_formed(METHODS, crowdwise_methods::METHODS);
    assert!(METHODS.iter().all(|e| e.info.needs.features && e.info.gives.classifier));
}

#[test]
fn every_page_has_the_headings_in_order() {
    contract::pages_have_their_headings(METHODS);
}

#[test]
fn odd_tables_are_no_reason_to_fail() {
    let world = |n: usize, k: usize| World::blobs(n, k, 3, 1.0, 1, &centres(k, 3, 1));
    let (w, labels) = crowd(3, 60, 3);
    let mut unseen = w.dataset(&labels);
    unseen.table.add_classes(["never"]);
    let silent: Vec<_> = labels.iter().copied().filter(|l| l.0 % 3 > 0).collect();
    let constant: Vec<_> = labels.iter().map(|&(i, j, l)| (i, j, if j == 0 { 0 } else { l })).collect();
    let (fifty, many) = crowd(50, 120, 6);
    let mut flat = sample();
    flat.features = Some(Features { dim: 2, values: vec![7.5; 160], image: None });
    let odd = [
        ("one class", world(3, 1).dataset(&[(0, 0, 0), (1, 1, 0), (2, 0, 0)])),
        ("one annotator", world(3, 2).dataset(&[(0, 0, 0), (1, 0, 1), (2, 0, 1)])),
        ("one item", world(1, 2).dataset(&[(0, 0, 0), (0, 1, 1), (0, 2, 1)])),
        ("one label", world(1, 2).dataset(&[(0, 0, 1)])),
        ("items with one label", w.dataset(&labels.iter().copied().step_by(3).collect::<Vec<_>>())),
        ("repeated labels", world(2, 2).dataset(&[(0, 0, 0), (0, 0, 0), (0, 0, 1), (1, 1, 1), (1, 0, 1)])),
        ("a class nobody used", unseen),
        ("unlabelled items", w.dataset(&silent)),
        ("a constant annotator", w.dataset(&constant)),
        ("fifty classes", fifty.dataset(&many)),
        ("features that never change", flat),
    ];
    for e in METHODS {
        for (what, d) in &odd {
            check_valid(&fit_with(&*quick(e), d, 0, 1).0, d, what);
        }
    }
}

#[test]
fn images_are_learned_from() {
    let mut d = sample();
    let mut rng = stream(4, "images", 0);
    d.features = Some(Features {
        dim: 6 * 5 * 2,
        values: (0..80 * 60).map(|_| rng.random_range(0..256) as f32).collect(),
        image: Some([6, 5, 2]),
    });
    for e in METHODS {
        let (fit, model) = fit_with(&*quick(e), &d, 0, 2);
        check_valid(&fit, &d, "images");
        assert_eq!(model.predict(d.features.as_ref().unwrap()).unwrap().len(), 80);
    }
}

#[test]
fn gold_is_kept() {
    for e in METHODS.iter().filter(|e| e.info.capabilities.gold) {
        let known: Vec<(String, String)> =
            (0..20).map(|i| (format!("i{i}"), format!("c{}", i % 3))).chain([("i20".into(), "new".into())]).collect();
        let d = sample();
        let gold = Gold::from_items(&d.table, &known, "gold").unwrap();
        let d = d.with_gold(gold);
        let f = fit_with(&*quick(e), &d, 0, 1).0;
        check_valid(&f, &d, "gold");
        let (k, q) = f.posterior().unwrap();
        assert_eq!(k, 4, "{}", e.info.id);
        for (item, class) in &known {
            let u = d.table.items().get(item).unwrap() as usize;
            let c = d.table.categorical().unwrap().classes.get(class).unwrap() as usize;
            assert!(q[u * k + c] > 1.0 - 1e-9, "{}: {item}: {:?}", e.info.id, &q[u * k..][..k]);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let (world, labels) = crowd(3, 700, 10);
    let d = world.dataset(&labels);
    for e in METHODS {
        let m = method(
            e,
            &[("epochs", 3.into()), ("hidden", 32.into()), ("batch_size", 300.into()), ("points", 60.into())],
        );
        let (a, ma) = fit_with(&*m, &d, 5, 1);
        let (b, mb) = fit_with(&*m, &d, 5, 3);
        assert!(ma == mb && a.posterior() == b.posterior(), "{}: threads change the result", e.info.id);
        assert_eq!(ma.to_bytes(), mb.to_bytes(), "{}", e.info.id);
        let (other, mo) = fit_with(&*m, &d, 6, 1);
        let x = d.features.as_ref().unwrap();
        let differs = a.posterior() != other.posterior() || ma.predict(x).unwrap() != mo.predict(x).unwrap();
        assert_eq!(e.info.capabilities.stochastic, differs, "{}: the seed", e.info.id);
    }
}

#[test]
fn order_of_rows_changes_nothing() {
    contract::order_of_rows_changes_nothing(METHODS, quick, |_, _| vec![sample()]);
}

#[test]
fn a_cancelled_run_gives_what_is_there() {
    for e in METHODS {
        let d = sample();
        let flag = AtomicBool::new(true);
        let m = quick(e);
        let f = m.fit(&d, &mut Context::new(0, 1).with_cancel(&flag)).unwrap();
        check_valid(&f, &d, "cancelled");
        assert!(matches!(f.diagnostics.stop, Stop::Cancelled | Stop::Converged), "{}", e.info.id);
        assert_eq!(f.diagnostics.iterations, 1, "{}", e.info.id);
        // and a run that is stopped later, from its own events
        let flag = AtomicBool::new(false);
        let mut seen = 0;
        let mut stop = |_: &crowdwise_core::Event| {
            seen += 1;
            flag.store(true, Ordering::Relaxed);
        };
        let f = m.fit(&d, &mut Context::new(0, 1).with_cancel(&flag).with_sink(&mut stop)).unwrap();
        check_valid(&f, &d, "cancelled later");
        assert!(seen > 0, "{} says nothing while it works", e.info.id);
    }
}

#[test]
fn what_is_needed_is_said() {
    let mut real = TableBuilder::new(LabelKind::Real);
    real.value("x", "a", 1.0);
    let real = Dataset::new(real.finish().unwrap());
    let bare = Dataset { features: None, ..sample() };
    let mut short = sample();
    short.features.as_mut().unwrap().values.truncate(4);
    for e in METHODS {
        let refused = |d: &Dataset| e.default().fit(d, &mut Context::default()).unwrap_err();
        assert_eq!(refused(&real).code(), "wrong-label-kind", "{}", e.info.id);
        let err = refused(&bare);
        assert!(err.to_string().contains("features") && err.hint().unwrap().contains("--features"), "{err}");
        assert!(refused(&short).to_string().contains("1 rows of 4 features for 80 items"), "{}", e.info.id);
    }
}

#[test]
fn bad_parameters_are_named() {
    contract::bad_parameters_are_named(METHODS, EXCEPTIONS);
}

#[test]
fn models_come_back_bit_for_bit_and_damage_is_refused() {
    let d = sample();
    let features = d.features.as_ref().unwrap();
    for e in METHODS {
        let (_, model) = fit_with(&*quick(e), &d, 0, 1);
        let bytes = model.to_bytes();
        let back = Model::from_bytes(&bytes, "m.cw").unwrap();
        assert!(back == model && back.to_bytes() == bytes, "{}", e.info.id);
        assert_eq!((back.method.as_str(), back.classes.len()), (e.info.id, 3));
        assert_eq!(back.predict(features).unwrap(), model.predict(features).unwrap(), "{}", e.info.id);
        let wide = Features { dim: 8, values: features.values.clone(), image: None };
        let err = back.predict(&wide).unwrap_err().to_string();
        assert!(err.contains("8 numbers") && err.contains("trained on 4"), "{err}");
        for at in [0, 9, 20, bytes.len() / 2, bytes.len() - 1] {
            let mut bad = bytes.clone();
            bad[at] ^= 0x10;
            assert_eq!(Model::from_bytes(&bad, "m.cw").unwrap_err().code(), "unreadable", "byte {at}");
        }
        for n in [0, 7, 12, 40, bytes.len() - 1] {
            assert!(Model::from_bytes(&bytes[..n], "m.cw").is_err(), "{n} bytes");
        }
    }
}

#[test]
fn labels_count_when_a_model_predicts_with_them() {
    let (world, labels) = crowd(3, 150, 20);
    let d = world.dataset(&labels);
    for e in METHODS.iter().filter(|e| e.info.id != "two-stage") {
        // fast steps: a network that has learned nothing yet tells nothing about labels
        let quick =
            [("epochs", 15.into()), ("learning_rate", 0.01.into()), ("hidden", 16.into()), ("points", 80.into())];
        let m = method(e, &quick);
        let (fit, model) = fit_with(&*m, &d, 0, 1);
        let (f, strangers) = model.predict_with_labels(&d).unwrap();
        assert_eq!(strangers, 0);
        // the same forecast as the fit's own posterior; raykar gives the last E-step's, and gp-crowd leaves the labels of an
        // item out of what the process says of it
        if !matches!(e.info.id, "raykar" | "gp-crowd") {
            let (_, q) = fit.posterior().unwrap();
            let worst = f.rows.iter().zip(q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-9, "{}: {worst}", e.info.id);
        }
        let alone = model.predict(d.features.as_ref().unwrap()).unwrap();
        let right = |rows: &[f64]| common::accuracy(3, rows, &world.truth);
        let (with, without) = (right(&f.rows), right(&alone.rows));
        assert!(with >= without - 0.02, "{}: {with} with labels, {without} without", e.info.id);
        let mut unknown = world.dataset(&[(0, 50, 1), (1, 0, 2)]);
        let (g, strangers) = model.predict_with_labels(&unknown).unwrap();
        assert_eq!(strangers, 1);
        assert!(stats::entropy_bits(g.row(0)).is_finite());
        unknown.table.add_classes(["martian"]);
        assert!(model.predict_with_labels(&unknown).unwrap_err().to_string().contains("martian"));
    }
}

#[test]
fn dropout_tells_what_the_classifier_does_not_know() {
    let (world, labels) = crowd(3, 300, 30);
    let d = world.dataset(&labels);
    let e = crowdwise_learn::find("crowd-layer").unwrap();
    let sampled = |dropout: f64, x: &Features| {
        let m = method(e, &[("epochs", 60.into()), ("hidden", 64.into()), ("dropout", dropout.into())]);
        fit_with(&*m, &d, 0, 1).1.sample(x, 30).unwrap()
    };
    let inside = d.features.as_ref().unwrap();
    assert!(sampled(0.0, inside).bald.iter().all(|b| *b < 1e-9));
    // in the middle of a class the drawn networks are surer than between the classes
    let dim = inside.dim;
    let mut points = vec![0.0f32; 4 * dim];
    for (i, &z) in world.truth.iter().enumerate() {
        let n = world.truth.iter().filter(|t| **t == z).count() as f32;
        for (c, x) in inside.row(i).iter().enumerate() {
            points[z * dim + c] += x / n;
            points[3 * dim + c] += x / world.truth.len() as f32;
        }
    }
    let s = sampled(0.5, &Features { dim, values: points, image: None });
    let clear = s.entropy[..3].iter().sum::<f64>() / 3.0;
    assert!(s.entropy[3] > clear + 0.1, "{:?}", s.entropy);
    assert!(s.entropy.iter().zip(&s.bald).all(|(h, b)| h + 1e-12 >= *b && *b >= 0.0));
}

#[test]
fn memory_is_linear_in_labels_and_annotators_do_not_cost_in_every_batch() {
    // items x annotators would be 1e9 cells; batches x annotators 6e6 rows
    let (n, m) = (20_000u32, 50_000u32);
    let mut d = contract::sparse(n, m);
    let mut rng = stream(13, "features", 0);
    let values = (0..n * 2).map(|_| rng.random_range(-1.0..1.0)).collect();
    d.features = Some(Features { dim: 2, values, image: None });
    for e in METHODS {
        let m = method(
            e,
            &[
                ("epochs", 1.into()),
                ("hidden", 4.into()),
                ("max_iter", 1.into()),
                ("heads", 5.into()),
                ("points", 50.into()),
                ("inner_iter", 3.into()),
            ],
        );
        check_valid(&fit_with(&*m, &d, 0, 2).0, &d, "sparse");
        assert!(contract::peak_memory() < 1 << 30, "{}: {} MB", e.info.id, contract::peak_memory() >> 20);
    }
}
