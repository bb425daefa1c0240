//! Handwritten digits as features.

use super::world::{Items, World};
use crowdwise::{Context, Error, io};
use rand_distr::{Distribution, StandardNormal};
use std::path::Path;

/// All digits, pixels from 0 to 1.
pub struct Digits {
    train: Items,
    test: Items,
}

const SIDE: usize = 28;

impl Digits {
    pub fn read(folder: &Path) -> Result<Digits, Error> {
        let part = |file: &str| -> Result<Items, Error> {
            let path = folder.join("images_mnist").join(file);
            let mut features = io::read_npz(&path, "x")?;
            features.values.iter_mut().for_each(|x| *x /= 255.0);
            features.image = None; // rows of pixels for a network without convolutions
            let truth = io::read_npz(&path, "y")?.values.iter().map(|y| *y as usize).collect();
            Ok(Items { features, truth })
        };
        Ok(Digits { train: part("train20k.npz")?, test: part("test10k.npz")? })
    }

    /// The first items (`train` and `test` of them at most) of some digits, which become the classes in that order.
    pub fn only(&self, digits: &[usize], train: usize, test: usize) -> World {
        let part = |all: &Items, most: usize| {
            let rows: Vec<usize> = (0..all.len()).filter(|&i| digits.contains(&all.truth[i])).take(most).collect();
            let mut out = all.part(&rows);
            let class = |z: &usize| digits.iter().position(|d| d == z).expect("one of them");
            out.truth = out.truth.iter().map(class).collect();
            out
        };
        World { k: digits.len(), train: part(&self.train, train), test: part(&self.test, test) }
    }
}

impl World {
    /// Adds Gaussian noise to every pixel of all items.
    pub fn noisy(mut self, sigma: f32, seed: u64) -> World {
        let mut rng = Context::new(seed, 1).rng("noise of pixels", 0);
        for x in self.train.features.values.iter_mut().chain(&mut self.test.features.values) {
            let noise: f32 = StandardNormal.sample(&mut rng);
            *x += sigma * noise;
        }
        self
    }

    /// Blurs all images with a Gaussian of so many pixels.
    pub fn blurred(mut self, radius: f64) -> World {
        if radius > 0.0 {
            for f in [&mut self.train.features, &mut self.test.features] {
                f.values.chunks_exact_mut(SIDE * SIDE).for_each(|image| blur(image, radius));
            }
        }
        self
    }

    /// Takes the mean image of the training items from all, and divides by the deviation of all pixels together: pixels
    /// that hardly vary stay small.
    pub fn centred(mut self) -> World {
        let (d, n) = (self.train.features.dim, self.train.len() as f32);
        let mut mean = vec![0.0f32; d];
        for row in self.train.features.values.chunks_exact(d) {
            mean.iter_mut().zip(row).for_each(|(m, x)| *m += x / n);
        }
        let all = &self.train.features.values;
        let middle = all.iter().map(|x| f64::from(*x)).sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|x| (f64::from(*x) - middle).powi(2)).sum::<f64>() / all.len() as f64;
        let scale = variance.sqrt().max(1e-6) as f32;
        for f in [&mut self.train.features, &mut self.test.features] {
            for row in f.values.chunks_exact_mut(d) {
                row.iter_mut().zip(&mean).for_each(|(x, m)| *x = (*x - m) / scale);
            }
        }
        self
    }
}

/// Rows, then columns; outside the image there is nothing.
fn blur(image: &mut [f32], radius: f64) {
    let reach = (3.0 * radius).ceil() as isize;
    let weight = |x: isize| (-0.5 * (x as f64 / radius).powi(2)).exp();
    let total: f64 = (-reach..=reach).map(weight).sum();
    let kernel: Vec<(isize, f32)> = (-reach..=reach).map(|x| (x, (weight(x) / total) as f32)).collect();
    let mut line = [0.0f32; SIDE];
    for (step, next) in [(1, SIDE), (SIDE, 1)] {
        for n in 0..SIDE {
            let at = |x: usize| n * next + x * step;
            (0..SIDE).for_each(|x| line[x] = image[at(x)]);
            for x in 0..SIDE {
                let near = kernel.iter().filter_map(|&(by, w)| Some(w * line.get(x.checked_add_signed(by)?)?));
                image[at(x)] = near.sum();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blurred_point_is_round_and_keeps_its_light() {
        let mut image = vec![0.0; SIDE * SIDE];
        image[14 * SIDE + 14] = 1.0;
        blur(&mut image, 1.5);
        let light: f32 = image.iter().sum();
        assert!((light - 1.0).abs() < 1e-5, "{light}");
        assert!((image[14 * SIDE + 12] - image[16 * SIDE + 14]).abs() < 1e-7);
        assert!(image[14 * SIDE + 14] > image[14 * SIDE + 15] && image[14 * SIDE + 15] > image[15 * SIDE + 15]);
    }
}
