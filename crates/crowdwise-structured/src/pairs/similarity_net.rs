//! A network with one hidden layer that learns clusters from same/different judgements of pairs.

use crowdwise_core::Context;
use crowdwise_core::{Dataset, Event, Features, Units, Values, stats, stream};
use crowdwise_numerics::Cholesky;
use rand::seq::SliceRandom;
use rand_distr::{Distribution, StandardNormal};

/// What is trained, and how long.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub clusters: usize,
    pub hidden: usize,
    pub epochs: usize,
    pub batch_size: usize,
    pub learning_rate: f64,
    pub restarts: usize,
    /// Learn how often pairs within and between clusters are said to be the same.
    pub noise: bool,
    /// Weight of the volume, and epochs before it counts.
    pub lambda: f64,
    pub warm_up: usize,
}

/// Judged pairs: the two items and whether they were said to be the same.
pub struct Pairs {
    pub all: Vec<(u32, u32, bool)>,
}

impl Pairs {
    pub fn new(data: &Dataset) -> Pairs {
        let mut all = Vec::with_capacity(data.table.n_labels());
        if let (Units::Pairs(units), Values::Similarity { same }) = (data.table.units(), data.table.values()) {
            for (u, &[a, b]) in units.iter().enumerate().filter(|(_, p)| p[0] != p[1]) {
                all.extend(data.table.rows(u).map(|r| (a, b, same[r])));
            }
        }
        Pairs { all }
    }
}

/// Probabilities are kept from 0 and 1 by this much.
const CLIP: f64 = 1e-4;
/// Added to the Gram matrix before its determinant is taken.
const JITTER: f64 = 1e-6;

/// Weights: input to hidden, its offsets, hidden to clusters, its offsets, and the free numbers of the noise matrix.
#[derive(Clone, Debug)]
pub struct Net {
    dim: usize,
    hidden: usize,
    k: usize,
    pub w: Vec<f64>,
}

/// Scaled features.
pub struct Input {
    dim: usize,
    rows: Vec<f64>,
}

impl Input {
    pub fn new(f: &Features) -> Input {
        let (n, dim) = (f.rows(), f.dim);
        let (mut mean, mut square) = (vec![0.0; dim], vec![0.0; dim]);
        for i in 0..n {
            for (d, &v) in f.row(i).iter().enumerate() {
                mean[d] += f64::from(v) / n as f64;
                square[d] += f64::from(v) * f64::from(v) / n as f64;
            }
        }
        let sd: Vec<f64> = (0..dim).map(|d| (square[d] - mean[d] * mean[d]).max(0.0).sqrt()).collect();
        let scaled = |d: usize, v: f32| if sd[d] > 1e-9 { (f64::from(v) - mean[d]) / sd[d] } else { 0.0 };
        let rows = (0..n).flat_map(|i| f.row(i).iter().enumerate().map(|(d, &v)| scaled(d, v)).collect::<Vec<_>>());
        Input { dim, rows: rows.collect() }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.dim..(i + 1) * self.dim]
    }

    pub fn len(&self) -> usize {
        self.rows.len() / self.dim.max(1)
    }
}

impl Net {
    pub fn new(dim: usize, hidden: usize, k: usize, rng: &mut impl rand::Rng) -> Net {
        let mut normal = |sd: f64| sd * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, rng);
        let mut w: Vec<f64> = (0..dim * hidden).map(|_| normal((2.0 / dim as f64).sqrt())).collect();
        w.resize(w.len() + hidden, 0.0);
        w.extend((0..hidden * k).map(|_| normal(1.0 / (hidden as f64).sqrt())));
        w.resize(w.len() + k, 0.0);
        w.extend((0..k * k).map(|x| if x / k == x % k { 2.0 } else { -2.0 }));
        Net { dim, hidden, k, w }
    }

    /// Where each part of the weights begins.
    fn parts(&self) -> [usize; 5] {
        let a = self.dim * self.hidden;
        let b = a + self.hidden;
        let c = b + self.hidden * self.k;
        [0, a, b, c, c + self.k]
    }

    /// Hidden numbers (after the cut at 0) and cluster probabilities of one row.
    fn forward(&self, x: &[f64], hidden: &mut [f64], f: &mut [f64]) {
        let [w1, b1, w2, b2, noise] = self.parts();
        hidden.copy_from_slice(&self.w[b1..w2]);
        for (d, &x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            let row = &self.w[w1 + d * self.hidden..w1 + (d + 1) * self.hidden];
            hidden.iter_mut().zip(row).for_each(|(h, w)| *h += x * w);
        }
        hidden.iter_mut().for_each(|h| *h = h.max(0.0));
        f.copy_from_slice(&self.w[b2..noise]);
        for (h, &z) in hidden.iter().enumerate().filter(|(_, z)| **z != 0.0) {
            let row = &self.w[w2 + h * self.k..w2 + (h + 1) * self.k];
            f.iter_mut().zip(row).for_each(|(f, w)| *f += z * w);
        }
        stats::softmax(f);
    }

    /// Cluster probabilities of all rows.
    pub fn probabilities(&self, x: &Input) -> Vec<f64> {
        let (mut hidden, mut out) = (vec![0.0; self.hidden], vec![0.0; x.len() * self.k]);
        for (i, f) in out.chunks_exact_mut(self.k).enumerate() {
            self.forward(x.row(i), &mut hidden, f);
        }
        out
    }

    /// P(said to be the same | clusters), k x k: symmetric, or the identity without noise.
    pub fn noise(&self, learned: bool) -> Vec<f64> {
        let (k, at) = (self.k, self.parts()[4]);
        let free = |a: usize, b: usize| 0.5 * (self.w[at + a * k + b] + self.w[at + b * k + a]);
        let entry = |x: usize| {
            let (a, b) = (x / k, x % k);
            if learned { crowdwise_numerics::logistic(free(a, b)) } else { f64::from(u8::from(a == b)) }
        };
        (0..k * k).map(entry).collect()
    }

    /// Mean loss of a batch of pairs, and its gradient.
    pub fn loss(&self, x: &Input, batch: &[(u32, u32, bool)], learned: bool, lambda: f64, g: &mut [f64]) -> f64 {
        let (k, h, n) = (self.k, self.hidden, batch.len());
        g.fill(0.0);
        let noise = self.noise(learned);
        let at = self.parts()[4];
        // rows 2p and 2p + 1 are the two items of pair p
        let (mut hidden, mut f) = (vec![0.0; 2 * n * h], vec![0.0; 2 * n * k]);
        for (p, &(a, b, _)) in batch.iter().enumerate() {
            for (row, i) in [(2 * p, a), (2 * p + 1, b)] {
                self.forward(x.row(i as usize), &mut hidden[row * h..(row + 1) * h], &mut f[row * k..(row + 1) * k]);
            }
        }
        let mut d_f = vec![0.0; f.len()];
        let mut d_noise = vec![0.0; k * k];
        let mut loss = 0.0;
        for (p, &(_, _, same)) in batch.iter().enumerate() {
            let (a, b) = (2 * p * k, (2 * p + 1) * k);
            let raw: f64 = (0..k * k).map(|x| f[a + x / k] * noise[x] * f[b + x % k]).sum();
            let q = raw.clamp(CLIP, 1.0 - CLIP);
            loss -= if same { q.ln() } else { (1.0 - q).ln() } / n as f64;
            let e = if same { -1.0 / q } else { 1.0 / (1.0 - q) } / n as f64;
            for x in 0..k * k {
                let (r, c) = (x / k, x % k);
                d_f[a + r] += e * noise[x] * f[b + c];
                d_f[b + c] += e * noise[x] * f[a + r];
                d_noise[x] += e * f[a + r] * f[b + c];
            }
        }
        if lambda > 0.0 {
            loss += lambda * self.volume(&f, lambda, &mut d_f);
        }
        if learned {
            for x in 0..k * k {
                let d = 0.5 * (d_noise[x] + d_noise[x % k * k + x / k]);
                g[at + x] = d * noise[x] * (1.0 - noise[x]);
            }
        }
        self.backward(x, batch, &hidden, &f, &d_f, g);
        loss
    }

    /// -ln det(FᵀF / rows + εI); adds λ times its derivative.
    fn volume(&self, f: &[f64], lambda: f64, d_f: &mut [f64]) -> f64 {
        let k = self.k;
        let rows = (f.len() / k) as f64;
        let mut gram = vec![0.0; k * k];
        for row in f.chunks_exact(k) {
            for a in 0..k {
                for b in 0..k {
                    gram[a * k + b] += row[a] * row[b] / rows;
                }
            }
        }
        (0..k).for_each(|a| gram[a * k + a] += JITTER);
        let factor = Cholesky::with_floor(k, gram, 1e-12);
        let inverse = factor.inverse();
        for (row, d) in f.chunks_exact(k).zip(d_f.chunks_exact_mut(k)) {
            for a in 0..k {
                let sum: f64 = (0..k).map(|b| row[b] * inverse[b * k + a]).sum();
                d[a] -= lambda * 2.0 / rows * sum;
            }
        }
        -factor.ln_det()
    }

    fn backward(&self, x: &Input, batch: &[(u32, u32, bool)], hidden: &[f64], f: &[f64], d_f: &[f64], g: &mut [f64]) {
        let (k, h) = (self.k, self.hidden);
        let [w1, b1, w2, b2, _] = self.parts();
        let (mut dz, mut dh) = (vec![0.0; k], vec![0.0; h]);
        for row in 0..2 * batch.len() {
            let (f, d) = (&f[row * k..(row + 1) * k], &d_f[row * k..(row + 1) * k]);
            let mean: f64 = f.iter().zip(d).map(|(f, d)| f * d).sum();
            for c in 0..k {
                dz[c] = f[c] * (d[c] - mean);
                g[b2 + c] += dz[c];
            }
            let own = &hidden[row * h..(row + 1) * h];
            for (j, &z) in own.iter().enumerate() {
                dh[j] = 0.0;
                if z > 0.0 {
                    let at = w2 + j * k;
                    for c in 0..k {
                        g[at + c] += z * dz[c];
                        dh[j] += self.w[at + c] * dz[c];
                    }
                    g[b1 + j] += dh[j];
                }
            }
            let (a, b, _) = batch[row / 2];
            let item = if row % 2 == 0 { a } else { b };
            for (d, &v) in x.row(item as usize).iter().enumerate().filter(|(_, v)| **v != 0.0) {
                let to = &mut g[w1 + d * h..w1 + (d + 1) * h];
                to.iter_mut().zip(&dh).for_each(|(g, dh)| *g += v * dh);
            }
        }
    }
}

/// Adam with its usual constants.
struct Adam {
    m: Vec<f64>,
    v: Vec<f64>,
    steps: i32,
}

impl Adam {
    fn step(&mut self, w: &mut [f64], g: &[f64], rate: f64) {
        self.steps += 1;
        let (a, b) = (1.0 - 0.9f64.powi(self.steps), 1.0 - 0.999f64.powi(self.steps));
        for i in 0..w.len() {
            self.m[i] = 0.9 * self.m[i] + 0.1 * g[i];
            self.v[i] = 0.999 * self.v[i] + 0.001 * g[i] * g[i];
            w[i] -= rate * self.m[i] / a / ((self.v[i] / b).sqrt() + 1e-8);
        }
    }
}

/// The best of the restarts by its loss on all pairs; losses of its epochs.
pub fn train(r: &Recipe, x: &Input, pairs: &Pairs, cx: &mut Context<'_>) -> (Net, Vec<f64>) {
    let mut best: Option<(f64, Net, Vec<f64>)> = None;
    for restart in 0..r.restarts.max(1) as u64 {
        if r.restarts > 1 {
            cx.event(&Event::Stage { name: format!("restart {} of {}", restart + 1, r.restarts) });
        }
        let mut rng = stream(cx.seed, "similarity", restart);
        let mut net = Net::new(x.dim, r.hidden, r.clusters, &mut rng);
        let mut g = vec![0.0; net.w.len()];
        let mut adam = Adam { m: g.clone(), v: g.clone(), steps: 0 };
        let mut order: Vec<(u32, u32, bool)> = pairs.all.clone();
        let mut losses = Vec::new();
        for epoch in 1..=r.epochs {
            order.shuffle(&mut rng);
            let lambda = if epoch > r.warm_up { r.lambda } else { 0.0 };
            let mut sum = 0.0;
            for batch in order.chunks(r.batch_size.max(1)) {
                sum += net.loss(x, batch, r.noise, lambda, &mut g) * batch.len() as f64;
                adam.step(&mut net.w, &g, r.learning_rate);
            }
            let loss = sum / order.len().max(1) as f64;
            losses.push(loss);
            cx.event(&Event::Epoch { epoch, epochs: r.epochs, loss, held_out: None });
            if cx.cancelled() {
                break;
            }
        }
        let last = net.loss(x, &pairs.all, r.noise, 0.0, &mut g);
        if best.as_ref().is_none_or(|b| last < b.0) {
            best = Some((last, net, losses));
        }
        if cx.cancelled() {
            break;
        }
    }
    let (_, net, losses) = best.expect("there is at least one start");
    (net, losses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let mut rng = stream(1, "gradient", 0);
        let values: Vec<f32> = (0..6 * 4).map(|_| rng.random_range(-1.0..1.0)).collect();
        let x = Input::new(&Features { dim: 4, values, image: None });
        let mut net = Net::new(4, 5, 3, &mut rng);
        net.w.iter_mut().for_each(|w| *w += rng.random_range(-0.1..0.1));
        let batch = [(0, 1, true), (2, 3, false), (4, 5, true), (0, 5, false)];
        for (learned, lambda) in [(false, 0.0), (true, 0.0), (true, 0.3)] {
            let (mut g, mut rest) = (vec![0.0; net.w.len()], vec![0.0; net.w.len()]);
            net.loss(&x, &batch, learned, lambda, &mut g);
            for i in 0..net.w.len() {
                let mut at = |by: f64| {
                    let mut other = net.clone();
                    other.w[i] += by;
                    other.loss(&x, &batch, learned, lambda, &mut rest)
                };
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                assert!((slope - g[i]).abs() < 1e-6, "{learned} {lambda} {i}: {slope} {}", g[i]);
            }
        }
    }
}
