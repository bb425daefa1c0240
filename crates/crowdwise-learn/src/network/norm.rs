//! Batch normalisation, per number of a row or per channel of an image.

use super::{Layer, Param, Pass};
use crate::Matrix;

const EPS: f32 = 1e-5;
/// Share of the newest batch in the running statistics.
const NEWEST: f32 = 0.1;

pub(super) struct BatchNorm {
    channels: usize,
    /// Numbers per channel in a row: 1, or the pixels of an image.
    area: usize,
    scale: Param,
    offset: Param,
    /// Running mean and variance, channel after channel.
    mean: Vec<f32>,
    var: Vec<f32>,
    /// Of the last pass: (x - mean) / sd, and 1 / sd.
    normal: Vec<f32>,
    inverse_sd: Vec<f32>,
    /// The last pass used the statistics of its batch.
    own: bool,
}

impl BatchNorm {
    pub fn new(channels: usize, area: usize) -> Self {
        BatchNorm {
            channels,
            area,
            scale: Param::new(vec![1.0; channels], false),
            offset: Param::new(vec![0.0; channels], false),
            mean: vec![0.0; channels],
            var: vec![1.0; channels],
            normal: Vec::new(),
            inverse_sd: vec![1.0; channels],
            own: false,
        }
    }

    /// Sum of `f(value)` over the batch for every channel, in f64 so that the order of magnitude of the data is no matter.
    fn sums(&self, values: &[f32], f: impl Fn(usize, f32) -> f64) -> Vec<f64> {
        let mut out = vec![0.0; self.channels];
        for (part, block) in values.chunks_exact(self.area).enumerate() {
            let c = part % self.channels;
            out[c] += sum(block, block, |x, _| f(c, x));
        }
        out
    }
}

/// A sum over pairs, in eight parts that do not wait for each other.
pub(super) fn sum(a: &[f32], b: &[f32], f: impl Fn(f32, f32) -> f64) -> f64 {
    let mut parts = [0.0f64; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(&a, &b)| f(a, b)).sum();
    for (a, b) in a8.zip(b8) {
        parts.iter_mut().zip(a.iter().zip(b)).for_each(|(p, (&a, &b))| *p += f(a, b));
    }
    rest + parts.iter().sum::<f64>()
}

impl Layer for BatchNorm {
    fn forward(&mut self, x: &Matrix, y: &mut Matrix, pass: &mut Pass) {
        y.resize(x.rows, x.cols);
        self.normal.resize(x.values.len(), 0.0);
        let n = (x.rows * self.area) as f64;
        // one number has no variance: then the running statistics serve
        self.own = pass.training && n > 1.0;
        let (mean, var) = if self.own {
            let mean: Vec<f64> = self.sums(&x.values, |_, x| x as f64).iter().map(|s| s / n).collect();
            let var = self.sums(&x.values, |c, x| (x as f64 - mean[c]).powi(2));
            let var: Vec<f64> = var.iter().map(|s| s / n).collect();
            for c in 0..self.channels {
                self.mean[c] += NEWEST * (mean[c] as f32 - self.mean[c]);
                self.var[c] += NEWEST * ((var[c] * n / (n - 1.0)) as f32 - self.var[c]);
            }
            (mean.iter().map(|&m| m as f32).collect(), var.iter().map(|&v| v as f32).collect())
        } else {
            (self.mean.clone(), self.var.clone())
        };
        for c in 0..self.channels {
            self.inverse_sd[c] = 1.0 / (var[c] + EPS).sqrt();
        }
        let parts = x.values.chunks_exact(self.area).zip(self.normal.chunks_exact_mut(self.area));
        for (part, ((x, normal), y)) in parts.zip(y.values.chunks_exact_mut(self.area)).enumerate() {
            let c = part % self.channels;
            for ((x, h), y) in x.iter().zip(normal).zip(y) {
                *h = (x - mean[c]) * self.inverse_sd[c];
                *y = self.scale.w[c] * *h + self.offset.w[c];
            }
        }
    }

    fn backward(&mut self, x: &Matrix, _: &Matrix, dy: &Matrix, dx: Option<&mut Matrix>) {
        let n = (x.rows * self.area) as f32;
        let offset = self.sums(&dy.values, |_, d| d as f64);
        let mut scale = vec![0.0f64; self.channels];
        for (part, (h, d)) in self.normal.chunks_exact(self.area).zip(dy.values.chunks_exact(self.area)).enumerate() {
            scale[part % self.channels] += sum(h, d, |h, d| (h * d) as f64);
        }
        for c in 0..self.channels {
            self.scale.g[c] = scale[c] as f32;
            self.offset.g[c] = offset[c] as f32;
        }
        let Some(dx) = dx else { return };
        dx.resize(dy.rows, dy.cols);
        let parts = self.normal.chunks_exact(self.area).zip(dy.values.chunks_exact(self.area));
        for (part, ((h, d), dx)) in parts.zip(dx.values.chunks_exact_mut(self.area)).enumerate() {
            let c = part % self.channels;
            let factor = self.scale.w[c] * self.inverse_sd[c];
            let (mean_d, mean_hd) = if self.own { (offset[c] as f32 / n, scale[c] as f32 / n) } else { (0.0, 0.0) };
            for ((h, d), dx) in h.iter().zip(d).zip(dx) {
                *dx = factor * (d - mean_d - h * mean_hd);
            }
        }
    }

    fn params(&mut self) -> Vec<&mut Param> {
        vec![&mut self.scale, &mut self.offset]
    }

    fn weights(&self) -> Vec<&[f32]> {
        vec![&self.scale.w, &self.offset.w]
    }

    fn kept(&self) -> Vec<&[f32]> {
        vec![&self.mean, &self.var]
    }

    fn kept_mut(&mut self) -> Vec<&mut [f32]> {
        vec![&mut self.mean, &mut self.var]
    }
}
