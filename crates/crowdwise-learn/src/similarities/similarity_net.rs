//! A network with one hidden layer that learns clusters from same/different judgements of pairs.

use crate::network::{Architecture, Network, Optimiser, OptimiserKind};
use crate::{Classifier, Matrix, Mode, Scaler, scores};
use crowdwise_core::{Context, Dataset, Error, Event, Features, Units, Values, stats, stream};
use crowdwise_numerics::{Adam, Cholesky, logistic};
use rand::RngExt;
use rand::seq::SliceRandom;

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

/// A judgement: two rows, and whether they were said to be the same.
type Judged = (u32, u32, bool);

/// All judgements of two different items.
pub fn judgements(data: &Dataset) -> Vec<Judged> {
    let mut all = Vec::with_capacity(data.table.n_labels());
    if let (Units::Pairs(units), Values::Similarity { same }) = (data.table.units(), data.table.values()) {
        for (u, &[a, b]) in units.iter().enumerate().filter(|(_, p)| p[0] != p[1]) {
            all.extend(data.table.rows(u).map(|r| (a, b, same[r])));
        }
    }
    all
}

/// What training gives.
pub struct Trained {
    /// Cluster probabilities of all items, row by row.
    pub probabilities: Vec<f64>,
    /// P(said to be the same | clusters), k x k, where it was learned.
    pub noise: Option<Vec<f64>>,
    /// Losses of the epochs.
    pub losses: Vec<f64>,
}

/// Probabilities are kept from 0 and 1 by this much.
const CLIP: f64 = 1e-4;
/// Added to the Gram matrix before its determinant is taken.
const JITTER: f64 = 1e-6;

/// P(said to be the same | clusters) from its free numbers: symmetric.
fn said_same(free: &[f64], k: usize) -> Vec<f64> {
    (0..k * k).map(|x| logistic(0.5 * (free[x] + free[x % k * k + x / k]))).collect()
}

fn identity(k: usize) -> Vec<f64> {
    (0..k * k).map(|x| f64::from(u8::from(x / k == x % k))).collect()
}

/// Mean loss of judgements about rows of cluster probabilities `f`, with its derivatives by `f` and by `noise`.
fn loss(f: &[f64], noise: &[f64], judged: &[Judged], lambda: f64) -> (f64, Vec<f64>, Vec<f64>) {
    let k = noise.len().isqrt();
    let (mut loss, mut d_f, mut d_noise) = (0.0, vec![0.0; f.len()], vec![0.0; k * k]);
    for &(a, b, same) in judged {
        let (a, b) = (a as usize * k, b as usize * k);
        let raw: f64 = (0..k * k).map(|x| f[a + x / k] * noise[x] * f[b + x % k]).sum();
        let q = raw.clamp(CLIP, 1.0 - CLIP);
        let n = judged.len() as f64;
        loss -= if same { q.ln() } else { (1.0 - q).ln() } / n;
        let e = if same { -1.0 / q } else { 1.0 / (1.0 - q) } / n;
        for x in 0..k * k {
            let (r, c) = (x / k, x % k);
            d_f[a + r] += e * noise[x] * f[b + c];
            d_f[b + c] += e * noise[x] * f[a + r];
            d_noise[x] += e * f[a + r] * f[b + c];
        }
    }
    if lambda > 0.0 {
        loss += lambda * volume(f, k, lambda, &mut d_f);
    }
    (loss, d_f, d_noise)
}

/// -ln det(FᵀF / rows + εI); adds λ times its derivative.
fn volume(f: &[f64], k: usize, lambda: f64, d_f: &mut [f64]) -> f64 {
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

fn probabilities(scores: &Matrix) -> Vec<f64> {
    let mut f: Vec<f64> = scores.values.iter().map(|z| f64::from(*z)).collect();
    f.chunks_exact_mut(scores.cols).for_each(|row| _ = stats::softmax(row));
    f
}

/// The derivative by the scores from that by the probabilities.
fn by_scores(f: &[f64], d_f: &[f64], k: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(f.len());
    for (f, d) in f.chunks_exact(k).zip(d_f.chunks_exact(k)) {
        let mean: f64 = f.iter().zip(d).map(|(f, d)| f * d).sum();
        out.extend(f.iter().zip(d).map(|(f, d)| (f * (d - mean)) as f32));
    }
    out
}

/// A network, and what it learns about the judgements.
struct Learner {
    network: Network,
    /// Free numbers of [`said_same`], if that is learned.
    noise: Option<(Vec<f64>, Adam)>,
    k: usize,
    rate: f64,
}

impl Learner {
    fn new(r: &Recipe, features: usize, seed: u64) -> Learner {
        let k = r.clusters;
        let architecture = Architecture::mlp(features, &[r.hidden], k, 0.0, false);
        let optimiser = Optimiser::new(OptimiserKind::Adam, r.learning_rate, 0.0);
        let free = || identity(k).iter().map(|same| 4.0 * same - 2.0).collect();
        Learner {
            network: Network::new(architecture, optimiser, seed),
            noise: r.noise.then(|| (free(), Adam::new(k * k))),
            k,
            rate: r.learning_rate,
        }
    }

    fn noise(&self) -> Vec<f64> {
        self.noise.as_ref().map_or_else(|| identity(self.k), |(free, _)| said_same(free, self.k))
    }

    /// One step; the loss before it.
    fn step(&mut self, x: &Matrix, batch: &[Judged], lambda: f64) -> Result<f64, Error> {
        let k = self.k;
        // rows 2p and 2p + 1 are the two items of pair p
        let items: Vec<u32> = batch.iter().flat_map(|&(a, b, _)| [a, b]).collect();
        let judged: Vec<Judged> = (0u32..).zip(batch).map(|(p, &(_, _, same))| (2 * p, 2 * p + 1, same)).collect();
        let mut rows = Matrix::default();
        rows.gather(x, &items);
        let f = probabilities(&self.network.forward_kept(&mut rows)?);
        let noise = self.noise();
        let (loss, d_f, d_noise) = loss(&f, &noise, &judged, lambda);
        self.network.backward(&Matrix::new(items.len(), k, by_scores(&f, &d_f, k)))?;
        if let Some((free, adam)) = &mut self.noise {
            adam.step(free, &by_free(&noise, &d_noise, k), self.rate);
        }
        Ok(loss)
    }

    fn all(&mut self, x: &Matrix) -> Result<Vec<f64>, Error> {
        let rows: Vec<u32> = (0..x.rows as u32).collect();
        Ok(probabilities(&scores(&mut self.network, x, &rows, Mode::Eval)?))
    }
}

/// The derivative by the free numbers of [`said_same`] from that by the probabilities.
fn by_free(noise: &[f64], d_noise: &[f64], k: usize) -> Vec<f64> {
    (0..k * k).map(|x| 0.5 * (d_noise[x] + d_noise[x % k * k + x / k]) * noise[x] * (1.0 - noise[x])).collect()
}

/// The best of the restarts by its loss on all pairs.
pub fn train(r: &Recipe, features: &Features, judged: &[Judged], cx: &mut Context<'_>) -> Result<Trained, Error> {
    let x = Scaler::new(features, true, 0.0, false).apply(features)?;
    let mut best: Option<(f64, Trained)> = None;
    for restart in 0..r.restarts.max(1) as u64 {
        if r.restarts > 1 {
            cx.event(&Event::Stage { name: format!("restart {} of {}", restart + 1, r.restarts) });
        }
        let mut rng = stream(cx.seed, "similarity", restart);
        let mut learner = Learner::new(r, x.cols, rng.random());
        let mut order = judged.to_vec();
        let mut losses = Vec::new();
        for epoch in 1..=r.epochs {
            order.shuffle(&mut rng);
            let lambda = if epoch > r.warm_up { r.lambda } else { 0.0 };
            let sum = cx.install(|| -> Result<f64, Error> {
                let mut sum = 0.0;
                for batch in order.chunks(r.batch_size.max(1)) {
                    sum += learner.step(&x, batch, lambda)? * batch.len() as f64;
                }
                Ok(sum)
            })??;
            let loss = sum / order.len().max(1) as f64;
            losses.push(loss);
            cx.event(&Event::Epoch { epoch, epochs: r.epochs, loss, held_out: None });
            if cx.cancelled() {
                break;
            }
        }
        let probabilities = cx.install(|| learner.all(&x))??;
        let noise = learner.noise();
        let last = loss(&probabilities, &noise, judged, 0.0).0;
        if best.as_ref().is_none_or(|b| last < b.0) {
            best = Some((last, Trained { probabilities, noise: r.noise.then_some(noise), losses }));
        }
        if cx.cancelled() {
            break;
        }
    }
    Ok(best.expect("there is at least one start").1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradients of the network itself are tested where it is.
    #[test]
    fn the_gradients_are_those_of_the_loss() {
        let k = 3;
        let mut rng = stream(1, "gradient", 0);
        let z: Vec<f64> = (0..6 * k).map(|_| rng.random_range(-1.0..1.0)).collect();
        let free: Vec<f64> = (0..k * k).map(|_| rng.random_range(-2.0..2.0)).collect();
        let judged = [(0, 1, true), (2, 3, false), (4, 5, true), (0, 5, false)];
        let soft = |z: &[f64]| {
            let mut f = z.to_vec();
            f.chunks_exact_mut(k).for_each(|row| _ = stats::softmax(row));
            f
        };
        for (learned, lambda) in [(false, 0.0), (true, 0.0), (true, 0.3)] {
            let noise = |free: &[f64]| if learned { said_same(free, k) } else { identity(k) };
            let value = |z: &[f64], free: &[f64]| loss(&soft(z), &noise(free), &judged, lambda).0;
            let slope = |at: usize, x: &[f64], value: &dyn Fn(&[f64]) -> f64| {
                let moved = |by: f64| {
                    let mut x = x.to_vec();
                    x[at] += by;
                    value(&x)
                };
                (moved(1e-6) - moved(-1e-6)) / 2e-6
            };
            let (_, d_f, d_noise) = loss(&soft(&z), &noise(&free), &judged, lambda);
            for (i, g) in by_scores(&soft(&z), &d_f, k).iter().enumerate() {
                let want = slope(i, &z, &|z| value(z, &free));
                assert!((want - f64::from(*g)).abs() < 1e-6, "{learned} {lambda} {i}: {want} {g}");
            }
            if learned {
                for (i, g) in by_free(&noise(&free), &d_noise, k).iter().enumerate() {
                    let want = slope(i, &free, &|free| value(&z, free));
                    assert!((want - g).abs() < 1e-6, "{lambda} {i}: {want} {g}");
                }
            }
        }
    }
}
