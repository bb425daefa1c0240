//! Items with features whose truth is known, and labels made for them.

use crowdwise::learn::Model;
use crowdwise::questions::evaluate_rows;
use crowdwise::{Context, Dataset, Error, Features, Fit, LabelKind, TableBuilder};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// One part of the items.
#[derive(Clone, Debug)]
pub struct Items {
    pub features: Features,
    pub truth: Vec<usize>,
}

/// A label: item, annotator, class.
pub type Label = (usize, usize, usize);

/// Items to train on and items to test on.
#[derive(Clone, Debug)]
pub struct World {
    pub k: usize,
    pub train: Items,
    pub test: Items,
}

impl Items {
    pub fn len(&self) -> usize {
        self.truth.len()
    }

    /// These rows alone.
    pub fn part(&self, rows: &[usize]) -> Items {
        let d = self.features.dim;
        let values = rows.iter().flat_map(|&i| self.features.values[i * d..(i + 1) * d].iter().copied()).collect();
        let features = Features { dim: d, values, image: self.features.image };
        Items { features, truth: rows.iter().map(|&i| self.truth[i]).collect() }
    }

    /// The items with labels of `annotators` annotators.
    pub fn labelled(&self, k: usize, annotators: usize, labels: &[Label]) -> Result<Dataset, Error> {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..self.len()).for_each(|i| _ = b.items.intern(&format!("i{i}")));
        (0..annotators).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
        (0..k).for_each(|c| _ = b.classes.intern(&format!("c{c}")));
        for &(i, j, l) in labels {
            b.label_codes(i as u32, j as u32, l as u32)?;
        }
        let mut data = Dataset::new(b.finish()?);
        data.features = Some(self.features.clone());
        Ok(data)
    }

    /// Percent of these items that rows of probabilities get right; ties split.
    pub fn right(&self, k: usize, rows: &[f64]) -> f64 {
        let truth: Vec<(usize, usize)> = self.truth.iter().copied().enumerate().collect();
        100.0 * evaluate_rows(k, rows, &truth).accuracy.unwrap_or(f64::NAN)
    }

    /// Percent that the classifier gets right by features alone.
    pub fn tested(&self, model: &Model) -> Result<f64, Error> {
        let f = model.predict(&self.features)?;
        Ok(self.right(f.k, &f.rows))
    }

    /// Percent of the labelled items themselves that a fit gets right.
    pub fn inferred(&self, fit: &Fit) -> f64 {
        let (k, q) = fit.posterior().expect("classes");
        self.right(k, q)
    }
}

/// Two Gaussian classes in 20 dimensions, of which a linear classifier gets about 80 % right.
pub fn blobs(n: usize, seed: u64) -> World {
    const D: usize = 20;
    const APART: f64 = 1.7;
    let mut rng = Context::new(seed, 1).rng("simulated features", 0);
    let direction: Vec<f64> = (0..D).map(|_| StandardNormal.sample(&mut rng)).collect();
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut items = || {
        let truth: Vec<usize> = (0..n).map(|_| rng.random_range(0..2)).collect();
        let mut values = Vec::with_capacity(n * D);
        for &z in &truth {
            let side = APART * (z as f64 - 0.5) / length;
            values.extend(direction.iter().map(|x| {
                let noise: f64 = StandardNormal.sample(&mut rng);
                (side * x + noise) as f32
            }));
        }
        Items { features: Features { dim: D, values, image: None }, truth }
    };
    World { k: 2, train: items(), test: items() }
}
