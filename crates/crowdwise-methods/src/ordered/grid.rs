//! Positions on a grid: tables for the pass, and the objective of the M-step.

use super::scale::{Reading, normal_cdf, normal_pdf, thresholds};
use crate::confusion::em::Adaptive;
use crate::confusion::kernel::{Model, Sums};
use crowdwise_core::{Categorical, Context, Error};
use rayon::prelude::*;

/// Points of the grid, evenly from -RANGE to RANGE; odd, so that 0 is one of them.
pub(super) const POINTS: usize = 31;
const RANGE: f64 = 3.5;

/// Where parameters may go: bias, logarithm of the noise, mean of the thresholds, logarithms of gaps.
const BIAS: (f64, f64) = (-4.0, 4.0);
const LOG_NOISE: (f64, f64) = (-3.0, 2.5);
const MEAN: (f64, f64) = (-6.0, 6.0);
const LOG_GAP: (f64, f64) = (-4.0, 2.5);

/// Annotators are summed in blocks of this many, in one order for any number of threads.
const BLOCK: usize = 64;

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

    fn scale(&self) -> (f64, Vec<f64>) {
        let rest = &self.values[2 * self.m..];
        (inside(rest[0], MEAN), rest[1..].iter().map(|&g| inside(g, LOG_GAP)).collect())
    }

    /// Back into the range that was used all along.
    pub fn clamp(&mut self) {
        let m = self.m;
        for (at, x) in self.values.iter_mut().enumerate() {
            *x = inside(*x, range(m, at));
        }
    }

    /// Log-prior of the annotators.
    pub fn penalty(&self, b: &Beliefs) -> f64 {
        let mean = self.mean_log_noise();
        let bias: f64 = (0..self.m).map(|j| (inside(self.values[j], BIAS) / b.bias_sd).powi(2)).sum();
        let noise: f64 = self.log_noise().iter().map(|&x| ((inside(x, LOG_NOISE) - mean) / b.noise_sd).powi(2)).sum();
        -0.5 * (bias + noise)
    }

    fn mean_log_noise(&self) -> f64 {
        self.log_noise().iter().map(|&x| inside(x, LOG_NOISE)).sum::<f64>() / self.m as f64
    }
}

fn range(m: usize, at: usize) -> (f64, f64) {
    match at {
        _ if at < m => BIAS,
        _ if at < 2 * m => LOG_NOISE,
        _ if at == 2 * m => MEAN,
        _ => LOG_GAP,
    }
}

fn inside(x: f64, (low, high): (f64, f64)) -> f64 {
    x.clamp(low, high)
}

/// The tables that follow from a point; the counts are only looked at for which labels occur.
pub(super) struct Tables<'a> {
    pub point: &'a Point,
    pub slip: f64,
}

impl Model for Tables<'_> {
    fn table(&self, points: usize, j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        let tau = self.point.thresholds();
        let r = self.point.reading(j);
        let k = tau.len() + 1;
        let z = positions();
        for l in (0..k).filter(|l| counts[l * points..][..points].iter().any(|&c| c > 0.0)) {
            for (g, &z) in z.iter().enumerate() {
                table[l * points + g] = super::scale::probability(r, &tau, self.slip, z, l);
            }
        }
        Sums::default()
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

impl Adaptive for Tables<'_> {}

/// Labels that occur, annotator by annotator, and the expected counts of each on the grid.
pub(super) struct Expected {
    /// Rows of annotator j are `first[j]..first[j + 1]`.
    pub first: Vec<usize>,
    pub label: Vec<u16>,
    /// Rows x POINTS.
    pub counts: Vec<f64>,
}

impl Expected {
    pub fn new(data: &Categorical<'_>) -> Expected {
        let (m, k) = (data.table.n_annotators(), data.k());
        let mut given = vec![false; m * k];
        for (r, &j) in data.table.annotator().iter().enumerate() {
            given[j as usize * k + data.codes.get(r)] = true;
        }
        let (mut first, mut label) = (vec![0], Vec::new());
        for labels in given.chunks_exact(k) {
            label.extend((0..k).filter(|&l| labels[l]).map(|l| l as u16));
            first.push(label.len());
        }
        let counts = vec![0.0; label.len() * POINTS];
        Expected { first, label, counts }
    }

    /// Minus the expected log-likelihood with its priors, and the gradient.
    pub fn value(&self, x: &Point, b: &Beliefs, gradient: &mut [f64], cx: &mut Context<'_>) -> Result<f64, Error> {
        let (m, tau) = (x.m, x.thresholds());
        let blocks: Vec<usize> = (0..m.div_ceil(BLOCK)).collect();
        let parts: Vec<Part> = cx.install(|| {
            blocks.par_iter().map(|&i| self.block(x, b, &tau, i * BLOCK..((i + 1) * BLOCK).min(m))).collect()
        })?;
        let mut value = -x.penalty(b);
        let mut by_tau = vec![0.0; tau.len()];
        for (i, part) in parts.iter().enumerate() {
            value -= part.value;
            for (n, &(by_bias, by_noise)) in part.own.iter().enumerate() {
                gradient[i * BLOCK + n] = -by_bias;
                gradient[m + i * BLOCK + n] = -by_noise;
            }
            crate::fast::add_into(&mut by_tau, &part.by_tau);
        }
        let mean = x.mean_log_noise();
        for j in 0..m {
            gradient[j] += inside(x.values[j], BIAS) / (b.bias_sd * b.bias_sd);
            gradient[m + j] += (inside(x.values[m + j], LOG_NOISE) - mean) / (b.noise_sd * b.noise_sd);
        }
        // thresholds are mean + (sum of the gaps below) - (its mean over all thresholds)
        let n = tau.len() as f64;
        let total: f64 = by_tau.iter().sum();
        gradient[2 * m] = -total;
        for (i, gap) in x.scale().1.iter().enumerate() {
            let above: f64 = by_tau[i + 1..].iter().sum();
            let share = (tau.len() - i - 1) as f64 / n;
            gradient[2 * m + 1 + i] = -(above - share * total) * gap.exp();
        }
        // a parameter at the end of its range does not move further
        for (at, g) in gradient.iter_mut().enumerate() {
            let (low, high) = range(m, at);
            if (x.values[at] <= low && *g > 0.0) || (x.values[at] >= high && *g < 0.0) {
                *g = 0.0;
            }
        }
        Ok(value)
    }

    fn block(&self, x: &Point, b: &Beliefs, tau: &[f64], annotators: std::ops::Range<usize>) -> Part {
        let k = tau.len() + 1;
        let mut part = Part { value: 0.0, own: Vec::with_capacity(annotators.len()), by_tau: vec![0.0; tau.len()] };
        let z = positions();
        let mut high = [End::default(); POINTS];
        for j in annotators {
            let r = x.reading(j);
            let (mut by_bias, mut by_noise) = (0.0, 0.0);
            let mut last = usize::MAX;
            for row in self.first[j]..self.first[j + 1] {
                let l = self.label[row] as usize;
                // the upper end of the class before
                let low = if last.checked_add(1) == Some(l) { high } else { ends(tau, l, r, &z) };
                high = ends(tau, l + 1, r, &z);
                last = l;
                for g in 0..POINTS {
                    let n = self.counts[row * POINTS + g];
                    let p = (1.0 - b.slip) * (high[g].below - low[g].below).max(0.0) + b.slip / k as f64;
                    part.value += n * p.ln();
                    let w = (1.0 - b.slip) * n / p;
                    by_bias -= w * (high[g].density - low[g].density) / r.noise;
                    by_noise -= w * (high[g].at * high[g].density - low[g].at * low[g].density);
                    if l < tau.len() {
                        part.by_tau[l] += w * high[g].density / r.noise;
                    }
                    if l > 0 {
                        part.by_tau[l - 1] -= w * low[g].density / r.noise;
                    }
                }
            }
            part.own.push((by_bias, by_noise));
        }
        part
    }
}

/// Sums over a block of annotators.
struct Part {
    value: f64,
    /// Derivatives by bias and log noise.
    own: Vec<(f64, f64)>,
    by_tau: Vec<f64>,
}

/// A threshold as an annotator sees it from a position: distance in units of the noise, share below, density.
#[derive(Clone, Copy, Default)]
struct End {
    at: f64,
    below: f64,
    density: f64,
}

/// The lower end of class `l` (the upper end of the last one is at infinity).
fn ends(tau: &[f64], l: usize, r: Reading, z: &[f64; POINTS]) -> [End; POINTS] {
    std::array::from_fn(|g| {
        if l == 0 {
            End::default()
        } else if l > tau.len() {
            End { at: 0.0, below: 1.0, density: 0.0 }
        } else {
            let at = (tau[l - 1] - z[g] - r.bias) / r.noise;
            End { at, below: normal_cdf(at), density: normal_pdf(at) }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder, stream};
    use rand::RngExt;

    #[test]
    fn the_gradient_agrees_with_differences() {
        let mut rng = stream(1, "ordinal", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for i in 0..30 {
            for j in 0..3 {
                b.label(&format!("i{i}"), &format!("a{j}"), &rng.random_range(0..4).to_string()).unwrap();
            }
        }
        let table = b.finish().unwrap();
        let labels = table.categorical().unwrap();
        let mut e = Expected::new(&labels);
        e.counts.iter_mut().for_each(|c| *c = rng.random());
        let mut x = Point::start(&labels);
        x.values.iter_mut().for_each(|v| *v += rng.random_range(-0.3..0.3));
        let beliefs = Beliefs { slip: 0.02, bias_sd: 0.5, noise_sd: 0.5 };
        let mut cx = Context::new(0, 1);
        let n = x.values.len();
        let mut g = vec![0.0; n];
        e.value(&x, &beliefs, &mut g, &mut cx).unwrap();
        let mut unused = vec![0.0; n];
        for at in 0..n {
            let (old, h) = (x.values[at], 1e-5);
            x.values[at] = old + h;
            let up = e.value(&x, &beliefs, &mut unused, &mut cx).unwrap();
            x.values[at] = old - h;
            let down = e.value(&x, &beliefs, &mut unused, &mut cx).unwrap();
            x.values[at] = old;
            let want = (up - down) / (2.0 * h);
            assert!((g[at] - want).abs() < 1e-6 * want.abs().max(1.0), "{at}: {} {want}", g[at]);
        }
    }
}
