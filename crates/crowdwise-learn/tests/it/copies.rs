//! The learners count copies once too.

use crate::common;

use common::{World, centres};
use crowdwise_core::{Context, Fit, stats, stream};
use rand::RngExt;

/// Ten annotators, eight of them right on half of the items and three of them the worst one, twice copied.
fn world() -> (World, crowdwise_core::Dataset) {
    let world = World::blobs(300, 4, 4, 1.2, 3, &centres(4, 4, 3));
    let mut rng = stream(3, "copies", 0);
    let mut labels = Vec::new();
    for (i, &z) in world.truth.iter().enumerate() {
        let mut noisy = |right: f64| if rng.random_bool(right) { z } else { (z + rng.random_range(1..4)) % 4 };
        let worst = noisy(0.3);
        for j in 0..10 {
            labels.push((i, j, if j < 3 { worst } else { noisy(0.5) }));
        }
    }
    let data = world.dataset(&labels);
    (world, data)
}

fn right(f: &Fit, world: &World) -> f64 {
    let (k, q) = f.posterior().unwrap();
    let hits = q.chunks_exact(k).zip(&world.truth).filter(|(row, z)| stats::argmax(row) == **z).count();
    hits as f64 / world.truth.len() as f64
}

#[test]
fn copies_do_not_teach_the_default_learner() {
    let (world, data) = world();
    let entry = crowdwise_learn::find("aggnet").unwrap();
    let fit = |each: bool| entry.default().fit(&data, &mut Context::new(0, 1).with_count_copies(each)).unwrap();
    let (once, each) = (fit(false), fit(true));
    assert!(once.findings.iter().any(|f| f.code == "one-voice"), "{:?}", once.findings);
    assert!(each.findings.iter().all(|f| f.code != "one-voice"));
    let (a, b) = (right(&once, &world), right(&each, &world));
    assert!(a > b + 0.1 && a > 0.6, "once {a} each {b}");
    assert_eq!(once.annotators.confusion(0), once.annotators.confusion(2));
}
