//! Many features as a few: principal components.

use super::world::{Items, World};
use crowdwise::Features;
use crowdwise_numerics::Leading;

impl World {
    /// The first `count` principal components of the training items, for all items; the first of them has deviation 1. Features
    /// are scaled to deviation 1 before if `scaled`.
    pub fn components(self, count: usize, scaled: bool) -> World {
        let d = self.train.features.dim;
        let (mean, factor) = standard(&self.train.features, scaled);
        let centred = |f: &Features| -> Vec<f64> {
            let at = |(n, x): (usize, &f32)| (f64::from(*x) - mean[n % d]) * factor[n % d];
            f.values.iter().enumerate().map(at).collect()
        };
        let (train, test) = (centred(&self.train.features), centred(&self.test.features));
        let n = self.train.len();
        // covariance without ever making it: y = X' (X v) / n
        let pairs = Leading { count, max_iter: 300, tol: 1e-6, ..Leading::default() }.eigen(d, |v, y| {
            y.fill(0.0);
            for row in train.chunks_exact(d) {
                let along = crowdwise_numerics::dot(row, v) / n as f64;
                y.iter_mut().zip(row).for_each(|(y, x)| *y += along * x);
            }
        });
        let scale = 1.0 / pairs.values[0].max(1e-12).sqrt();
        let seen = |rows: &[f64]| -> Vec<f32> {
            rows.chunks_exact(d)
                .flat_map(|row| pairs.vectors.iter().map(move |v| (scale * crowdwise_numerics::dot(row, v)) as f32))
                .collect()
        };
        let items = |values: Vec<f32>, truth: Vec<usize>| Items {
            features: Features { dim: pairs.vectors.len(), values, image: None },
            truth,
        };
        World { k: self.k, train: items(seen(&train), self.train.truth), test: items(seen(&test), self.test.truth) }
    }
}

/// Mean of every number, and what it is multiplied by.
fn standard(f: &Features, scaled: bool) -> (Vec<f64>, Vec<f64>) {
    let (mut mean, mut square) = (vec![0.0; f.dim], vec![0.0; f.dim]);
    let n = f.rows() as f64;
    for row in f.values.chunks_exact(f.dim) {
        for ((m, s), x) in mean.iter_mut().zip(&mut square).zip(row) {
            *m += f64::from(*x) / n;
            *s += f64::from(*x).powi(2) / n;
        }
    }
    let factor = mean.iter().zip(&square).map(|(m, s)| {
        let sd = (s - m * m).max(0.0).sqrt();
        if scaled { if sd > 1e-6 { 1.0 / sd } else { 0.0 } } else { 1.0 }
    });
    let factor = factor.collect();
    (mean, factor)
}

#[cfg(test)]
mod tests {
    use super::super::world::blobs;
    use super::*;

    #[test]
    fn the_first_component_is_the_direction_that_varies_most() {
        let mut world = blobs(300, 1);
        for f in [&mut world.train.features, &mut world.test.features] {
            f.values.iter_mut().step_by(20).for_each(|x| *x *= 9.0);
        }
        let before = world.clone();
        let after = world.components(3, false);
        assert_eq!((after.train.features.dim, after.test.len()), (3, 300));
        let column =
            |f: &Features, c: usize| f.values.iter().skip(c).step_by(f.dim).map(|x| f64::from(*x)).collect::<Vec<_>>();
        let first = column(&after.train.features, 0);
        let sd = (first.iter().map(|x| x * x).sum::<f64>() / 300.0).sqrt();
        assert!((sd - 1.0).abs() < 1e-4, "{sd}");
        let raw = column(&before.train.features, 0);
        let middle = raw.iter().sum::<f64>() / 300.0;
        let along: f64 = first.iter().zip(&raw).map(|(a, b)| a * (b - middle)).sum::<f64>();
        let length = raw.iter().map(|b| (b - middle).powi(2)).sum::<f64>().sqrt() * 300f64.sqrt();
        assert!((along / length).abs() > 0.99, "{}", along / length);
    }
}
