//! Inputs and numbers of the reference outputs in `tests/golden`.

use crowdwise_core::{Dataset, LabelKind, TableBuilder};
use serde_json::Value;

/// A file of reference outputs.
pub fn outputs(name: &str) -> Value {
    serde_json::from_str(&text(name)).unwrap()
}

/// The dataset that reference outputs name as their input.
pub fn input(name: &str) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for line in text(name).lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        b.label(f[0], f[1], f[2]).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

/// A list of numbers, or of lists, in a row.
pub fn numbers(v: &Value) -> Vec<f64> {
    match v {
        Value::Array(a) => a.iter().flat_map(numbers).collect(),
        v => vec![v.as_f64().expect("a number")],
    }
}

fn text(name: &str) -> String {
    std::fs::read_to_string(format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}
