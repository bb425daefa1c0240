//! Data for the tests: the shared real sets, read by path.

pub mod crowds;
pub mod sound;

use crowdwise_core::questions::reviewed;
use crowdwise_core::stats::{n_tied, tied};
use crowdwise_core::{Dataset, Entry, Family, Features, Fit, Gold, Probabilities};
use std::sync::LazyLock;

#[path = "../../../../crowdwise-core/tests/support/sets.rs"]
mod sets;
#[allow(unused_imports)]
pub use sets::{data_dir, real_set};

/// Whether a method is for items or annotators that depend on each other, so that its samples are made otherwise.
pub fn depends(e: &Entry) -> bool {
    matches!(e.info.family, Family::Chains | Family::Graphs | Family::Groups | Family::Pairs | Family::Sets)
}

/// The methods for independent items and annotators.
pub static INDEPENDENT: LazyLock<Vec<Entry>> =
    LazyLock::new(|| crowdwise_methods::METHODS.iter().filter(|e| !depends(e)).copied().collect());

/// The other ones.
pub static DEPENDENT: LazyLock<Vec<Entry>> =
    LazyLock::new(|| crowdwise_methods::METHODS.iter().filter(|e| depends(e)).copied().collect());

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

/// With what some methods want beside labels: class probabilities (smoothed vote shares) or, for values, a feature (their
/// mean). Both follow every renaming.
pub fn believed(mut d: Dataset) -> Dataset {
    if let Some(x) = d.table.real() {
        let mean = |u: usize| d.table.rows(u).map(|r| x[r]).sum::<f64>() / d.table.degree(u).max(1) as f64;
        let values = (0..d.table.n_units()).map(|u| mean(u).clamp(-1e30, 1e30) as f32).collect();
        d.features = Some(Features { dim: 1, values, image: None });
        return d;
    }
    let Some(labels) = d.table.categorical() else { return d };
    let k = labels.k();
    let mut p = vec![0.0; d.table.n_units() * k];
    for (u, row) in p.chunks_exact_mut(k).enumerate() {
        labels.votes(u, row);
        let n = row.iter().sum::<f64>() + k as f64;
        row.iter_mut().for_each(|x| *x = (*x + 1.0) / n);
    }
    d.probabilities = Some(Probabilities::new(k, p, "votes").unwrap());
    d
}

/// Fits; a method that wants a classifier or features gets them.
pub fn fit_any(m: &dyn crowdwise_core::AnyMethod, d: &Dataset, what: &str) -> Fit {
    let mut cx = crowdwise_core::Context::new(0, 2);
    let given = believed(d.clone());
    let fitted = reviewed(m, &crowdwise_contract::needed_by(m.info(), &given), &mut cx);
    fitted.unwrap_or_else(|e| panic!("{}: {what}: {e}", m.info().id))
}
