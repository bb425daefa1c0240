//! Data for the tests: classes that features tell of, annotators of known skill.

use crowdwise_core::{Context, Dataset, Entry, Features, Fit, LabelKind, TableBuilder, stream};
use crowdwise_learn::Model;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde_json::Value;

/// Items with features, their truth, and labels of annotators with confusion matrices (truth x label).
pub struct World {
    pub k: usize,
    pub features: Features,
    pub truth: Vec<usize>,
}

impl World {
    /// Gaussian classes `separation` times their random centres apart; `centres` of another world to match it.
    pub fn blobs(n: usize, k: usize, d: usize, separation: f64, seed: u64, centres: &[f64]) -> World {
        let mut rng = stream(seed, "world", 0);
        let truth: Vec<usize> = (0..n).map(|_| rng.random_range(0..k)).collect();
        let mut values = Vec::with_capacity(n * d);
        for &z in &truth {
            for c in 0..d {
                let noise: f64 = StandardNormal.sample(&mut rng);
                values.push((separation * centres[z * d + c] + noise) as f32);
            }
        }
        World { k, features: Features { dim: d, values, image: None }, truth }
    }

    /// The dataset of these (item, annotator, label) triples.
    pub fn dataset(&self, labels: &[(usize, usize, usize)]) -> Dataset {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..self.truth.len()).for_each(|i| _ = b.items.intern(&format!("i{i}")));
        (0..self.k).for_each(|l| _ = b.classes.intern(&format!("c{l}")));
        for &(i, j, l) in labels {
            b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
        }
        let mut data = Dataset::new(b.finish().unwrap());
        assert_eq!(data.table.n_items(), self.truth.len());
        data.features = Some(self.features.clone());
        data
    }
}

pub fn centres(k: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, "centres", 0);
    (0..k * d).map(|_| StandardNormal.sample(&mut rng)).collect()
}

/// A label drawn from a row of probabilities.
pub fn draw(row: &[f64], rng: &mut impl rand::Rng) -> usize {
    let mut u: f64 = rng.random();
    for (l, p) in row.iter().enumerate() {
        u -= p;
        if u < 0.0 {
            return l;
        }
    }
    row.len() - 1
}

pub fn method(e: &Entry, params: &[(&str, Value)]) -> Box<dyn crowdwise_core::AnyMethod> {
    let has: Vec<String> = e.params().into_iter().map(|p| p.name).collect();
    let pairs: Vec<(String, Value)> =
        params.iter().filter(|p| has.contains(&p.0.to_owned())).map(|(n, v)| ((*n).into(), v.clone())).collect();
    e.with(&pairs).unwrap()
}

/// Fits by name.
pub fn fit(id: &str, params: &[(&str, Value)], data: &Dataset, seed: u64) -> (Fit, Model) {
    let pairs: Vec<(String, Value)> = params.iter().map(|(n, v)| ((*n).into(), v.clone())).collect();
    let m = crowdwise_learn::learner(id).unwrap().with(&pairs).unwrap();
    m.learn(data, &mut Context::new(seed, 2)).unwrap_or_else(|e| panic!("{id}: {e}"))
}

/// Share of rows whose most probable class is the truth.
pub fn accuracy(k: usize, rows: &[f64], truth: &[usize]) -> f64 {
    let right = rows.chunks_exact(k).zip(truth).filter(|(r, t)| crowdwise_core::stats::argmax(r) == **t).count();
    right as f64 / truth.len() as f64
}

/// Accuracy of the model's classifier.
pub fn tested(model: &Model, world: &World) -> f64 {
    let f = model.predict(&world.features).unwrap();
    accuracy(f.k, &f.rows, &world.truth)
}

/// Accuracy of the fit's posterior.
pub fn inferred(fit: &Fit, truth: &[usize]) -> f64 {
    let (k, q) = fit.posterior().unwrap();
    accuracy(k, q, truth)
}
