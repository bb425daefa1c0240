//! Data for the tests: the shared real sets, read by path.
#![allow(dead_code, clippy::print_stderr)] // each test file uses its own part; skipping is said loudly

pub mod crowds;

use crowdwise_core::stats::{n_tied, tied};
use crowdwise_core::{Dataset, Fit, Gold, LabelKind, TableBuilder};
use std::path::PathBuf;

/// The folder of real datasets: `CROWDWISE_DATA`, else `shared/data` beside the project.
pub fn data_dir() -> PathBuf {
    std::env::var_os("CROWDWISE_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from)
}

/// A real categorical set and its truth, or `None`, said loudly, if the folder is not there.
pub fn real_set(name: &str) -> Option<(Dataset, Option<Gold>)> {
    let dir = data_dir().join(name);
    let Ok(text) = std::fs::read_to_string(dir.join("answers.csv")) else {
        eprintln!(
            "SKIPPED: no dataset {name} in {} (set CROWDWISE_DATA to the folder of real datasets)",
            dir.display()
        );
        return None;
    };
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        b.label(f[0], f[1], f[2]).unwrap();
    }
    let table = b.finish().unwrap();
    let gold = std::fs::read_to_string(dir.join("truth.csv")).ok().map(|text| {
        let rows: Vec<(String, String)> =
            text.lines().skip(1).filter_map(|l| l.split_once(',')).map(|(a, b)| (a.into(), b.into())).collect();
        Gold::from_items(&table, &rows, "truth.csv").unwrap()
    });
    Some((Dataset::new(table), gold))
}

/// Accuracy with ties split evenly; items that nobody labelled are answered by the class prior of the fit.
pub fn accuracy(fit: &Fit, gold: &Gold) -> f64 {
    use crowdwise_core::GoldValues::Classes;
    let (k, post) = fit.posterior().unwrap();
    let credit = |row: &[f64], truth: u32| {
        let best = row.iter().copied().fold(0.0, f64::max);
        if (truth as usize) < row.len() && tied(row[truth as usize], best) { 1.0 / n_tied(row) as f64 } else { 0.0 }
    };
    let (Classes(inside), Classes(outside)) = (&gold.values, &gold.unlabelled) else { panic!("classes wanted") };
    let prior = fit.class_prior.clone().unwrap_or_else(|| vec![1.0 / k as f64; k]);
    let mut sum: f64 = inside.iter().map(|&(u, c)| credit(&post[u as usize * k..(u as usize + 1) * k], c)).sum();
    sum += outside.iter().map(|&(_, c)| credit(&prior, c)).sum::<f64>();
    sum / (inside.len() + outside.len()) as f64
}
