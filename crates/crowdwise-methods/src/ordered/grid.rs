//! Positions on a grid, the parameters, and tables for the pass.

use super::curve::Scale;
use super::scale::{Reading, normal_pdf, thresholds};
use super::search::Expected;
use crate::confusion::kernel::{Model, Sums};
use crowdwise_core::Categorical;

/// Points of the grid, evenly from -RANGE to RANGE; odd, so that 0 is one of them.
pub(super) const POINTS: usize = 31;
pub(super) const RANGE: f64 = 3.5;

/// Where parameters may go: bias, logarithm of the noise, mean of the thresholds, logarithms of gaps.
pub(super) const BIAS: (f64, f64) = (-4.0, 4.0);
pub(super) const LOG_NOISE: (f64, f64) = (-3.0, 2.5);
pub(super) const MEAN: (f64, f64) = (-6.0, 6.0);
pub(super) const LOG_GAP: (f64, f64) = (-4.0, 2.5);

pub(super) fn positions() -> [f64; POINTS] {
    std::array::from_fn(|g| RANGE * (2.0 * g as f64 / (POINTS - 1) as f64 - 1.0))
}

/// Distance of neighbouring positions.
pub(super) fn spacing() -> f64 {
    2.0 * RANGE / (POINTS - 1) as f64
}

/// Normal weights of the positions, summing to 1.
pub(super) fn weights() -> [f64; POINTS] {
    let density = positions().map(normal_pdf);
    let sum: f64 = density.iter().sum();
    density.map(|d| d / sum)
}

/// Priors and the share of slips.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beliefs {
    pub slip: f64,
    pub bias_sd: f64,
    pub noise_sd: f64,
}

/// Parameters as one vector: biases, log noises, mean of the thresholds, log gaps.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub m: usize,
    pub values: Vec<f64>,
}

impl Point {
    /// Biases 0, noise 0.7, thresholds from the shares of labels.
    pub fn start(data: &Categorical<'_>) -> Point {
        const NOISE: f64 = 0.7;
        let (m, k) = (data.table.n_annotators(), data.k());
        let mut share = vec![0.0; k];
        data.codes.iter().for_each(|c| share[c] += 1.0 / data.codes.len() as f64);
        let spread = (1.0 + NOISE * NOISE).sqrt();
        let mut below = 0.0;
        let tau: Vec<f64> = share[..k - 1]
            .iter()
            .map(|s| {
                below += s;
                super::scale::normal_quantile(below.clamp(0.01, 0.99)) * spread
            })
            .collect();
        let mut values = vec![0.0; m];
        values.extend(std::iter::repeat_n(NOISE.ln(), m));
        values.push(tau.iter().sum::<f64>() / tau.len() as f64);
        values.extend(tau.windows(2).map(|w| (w[1] - w[0]).max(0.05).ln()));
        Point { m, values }
    }

    pub fn reading(&self, j: usize) -> Reading {
        Reading { bias: inside(self.values[j], BIAS), noise: inside(self.values[self.m + j], LOG_NOISE).exp() }
    }

    pub fn log_noise(&self) -> &[f64] {
        &self.values[self.m..2 * self.m]
    }

    pub fn bias(&self) -> &[f64] {
        &self.values[..self.m]
    }

    pub fn thresholds(&self) -> Vec<f64> {
        let (mean, gaps) = self.scale();
        thresholds(mean, &gaps)
    }

    /// Mean of the thresholds and logarithms of the gaps.
    pub fn scale(&self) -> (f64, Vec<f64>) {
        let rest = &self.values[2 * self.m..];
        (inside(rest[0], MEAN), rest[1..].iter().map(|&g| inside(g, LOG_GAP)).collect())
    }

    /// Log-prior of the annotators.
    pub fn penalty(&self, b: &Beliefs) -> f64 {
        let mean = self.mean_log_noise();
        let bias: f64 = (0..self.m).map(|j| (inside(self.values[j], BIAS) / b.bias_sd).powi(2)).sum();
        let noise: f64 = self.log_noise().iter().map(|&x| ((inside(x, LOG_NOISE) - mean) / b.noise_sd).powi(2)).sum();
        -0.5 * (bias + noise)
    }

    pub fn mean_log_noise(&self) -> f64 {
        self.log_noise().iter().map(|&x| inside(x, LOG_NOISE)).sum::<f64>() / self.m as f64
    }
}

pub(super) fn inside(x: f64, (low, high): (f64, f64)) -> f64 {
    x.clamp(low, high)
}

/// The tables that follow from a point, and the expected log-likelihood (the first sum) of the counts that are expected.
pub(super) struct Tables<'a> {
    pub point: &'a Point,
    pub scale: Scale<'a>,
    pub expected: &'a Expected,
}

impl Model for Tables<'_> {
    fn table(&self, _points: usize, j: usize, _counts: &[f64], table: &mut [f64]) -> Sums {
        [self.expected.of(j).table(&self.scale, self.point.reading(j), table), 0.0, 0.0, 0.0]
    }

    fn prior(&self, _class: &[f64], prior: &mut [f64]) -> f64 {
        prior.copy_from_slice(&weights());
        0.0
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        0.0
    }

    fn prior_penalty(&self, _prior: &[f64]) -> f64 {
        0.0
    }
}
