//! Samples per CPU second of training, a line of JSON for each case: `training [CASE…]`. `benches/peers/torch_speed.py` runs it beside PyTorch.
#![allow(clippy::print_stdout)]

use crowdwise::{Context, Dataset, Features, LabelKind, TableBuilder};
use crowdwise_bench::cpu_seconds;
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};

struct Case {
    name: &'static str,
    method: &'static str,
    rows: usize,
    /// Numbers in a row; of images height and width.
    dim: usize,
    image: Option<[usize; 3]>,
    classes: usize,
    annotators: usize,
    /// Mean number of labels per item.
    labels: f64,
    batch: usize,
}

const PLAIN: Case = Case {
    name: "mlp 784-128-10",
    method: "two-stage",
    rows: 60_000,
    dim: 784,
    image: None,
    classes: 10,
    annotators: 1,
    labels: 1.0,
    batch: 64,
};

fn cases() -> Vec<Case> {
    let head = || Case { dim: 512, rows: 10_000, classes: 8, annotators: 59, labels: 2.5, ..PLAIN };
    vec![
        PLAIN,
        Case { batch: 512, ..PLAIN },
        Case { name: "crowd layer 512-128-8", method: "crowd-layer", ..head() },
        Case { name: "max-mig 512-128-8", method: "max-mig", ..head() },
        Case { name: "cnn 28x28", rows: 2000, image: Some([28, 28, 1]), ..PLAIN },
    ]
}

/// Noise: only the speed matters.
fn data(c: &Case) -> Dataset {
    let mut rng = SmallRng::seed_from_u64(1);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..c.classes).for_each(|k| _ = b.classes.intern(&k.to_string()));
    (0..c.annotators).for_each(|j| _ = b.annotators.intern(&j.to_string()));
    for i in 0..c.rows {
        let item = b.items.intern(&i.to_string());
        for j in 0..c.annotators {
            if c.annotators == 1 || rng.random_bool(c.labels / c.annotators as f64) {
                b.label_codes(item, j as u32, rng.random_range(0..c.classes as u32)).expect("few classes");
            }
        }
    }
    let mut data = Dataset::new(b.finish().expect("a small table"));
    let values = (0..c.rows * c.dim).map(|_| rng.random::<f32>()).collect();
    data.features = Some(Features { dim: c.dim, values, image: c.image });
    data
}

/// CPU seconds of a fit of so many epochs.
fn fit(c: &Case, data: &Dataset, epochs: usize) -> f64 {
    let mut params: Vec<(String, Value)> = [
        ("epochs", json!(epochs)),
        ("batch_size", json!(c.batch)),
        ("dropout", json!(0.0)),
        ("weight_decay", json!(0.0)),
        ("holdout", json!(0.0)),
        ("choose", json!("last")),
    ]
    .map(|(n, v)| (n.into(), v))
    .into();
    if c.method == "two-stage" {
        params.push(("method".into(), json!("majority-vote")));
    }
    let method = crowdwise::learner(c.method).and_then(|e| e.with(&params)).expect("parameters exist");
    let mut cx = Context::new(0, 1);
    let start = cpu_seconds();
    method.learn(data, &mut cx).expect("it fits");
    cpu_seconds() - start
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for c in cases() {
        if !wanted.is_empty() && !wanted.iter().any(|w| c.name.starts_with(w.as_str())) {
            continue;
        }
        let data = data(&c);
        // what every fit does once is in both
        let one = fit(&c, &data, 1);
        let best = (0..3).map(|_| (fit(&c, &data, 3) - one) / 2.0).fold(f64::MAX, f64::min);
        let speed = c.rows as f64 / best;
        println!("{}", json!({"case": c.name, "batch": c.batch, "samples_per_cpu_s": speed.round()}));
    }
}
