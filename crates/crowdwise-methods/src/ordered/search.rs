//! The M-step: annotators one by one by Newton's method, then what they share.

use super::curve::{Ends, Given, Own, Scale, WIDE};
use super::grid::{BIAS, Beliefs, LOG_GAP, LOG_NOISE, MEAN, Point, inside};
use super::scale::Reading;
use crowdwise_core::{Categorical, Context, Error};
use rayon::prelude::*;

/// Annotators are summed in blocks of this many, in one order for any number of threads.
const BLOCK: usize = 256;

/// No step moves a bias or a log noise further.
const STEP: f64 = 1.0;

/// Labels that occur, annotator by annotator, and the expected counts of each on the grid.
pub(super) struct Expected {
    /// Rows of annotator j are `first[j]..first[j + 1]`.
    pub first: Vec<usize>,
    pub label: Vec<u16>,
    /// Labels of each annotator.
    pub n: Vec<u32>,
    /// Rows x WIDE.
    pub counts: Vec<f64>,
}

impl Expected {
    pub fn new(data: &Categorical<'_>) -> Expected {
        let (m, k) = (data.table.n_annotators(), data.k());
        let mut given = vec![false; m * k];
        let mut n = vec![0; m];
        for (r, &j) in data.table.annotator().iter().enumerate() {
            given[j as usize * k + data.codes.get(r)] = true;
            n[j as usize] += 1;
        }
        let (mut first, mut label) = (vec![0], Vec::new());
        for labels in given.chunks_exact(k) {
            label.extend((0..k).filter(|&l| labels[l]).map(|l| l as u16));
            first.push(label.len());
        }
        let counts = vec![0.0; label.len() * WIDE];
        Expected { first, label, n, counts }
    }

    pub fn of(&self, j: usize) -> Given<'_> {
        let rows = self.first[j]..self.first[j + 1];
        Given { labels: &self.label[rows.clone()], counts: &self.counts[rows.start * WIDE..rows.end * WIDE] }
    }
}

/// How far annotators are moved in a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub beliefs: Beliefs,
    /// Most steps.
    pub steps: usize,
    /// None when a step promises less than this for each label.
    pub gain: f64,
}

/// What the annotators, after their steps, say of the things they share.
pub(super) struct Shared {
    /// Expected log-likelihood, without the priors.
    pub value: f64,
    /// Mean of the log noises that the steps were drawn to.
    centre: f64,
    /// Curvature of each annotator's log noise, never negative.
    firm: Vec<f64>,
    by_tau: Sums,
}

/// Derivatives by thresholds, minus the second ones, and minus those by neighbours.
struct Sums {
    first: Vec<f64>,
    second: Vec<f64>,
    next: Vec<f64>,
}

impl Sums {
    fn new(n: usize) -> Sums {
        Sums { first: vec![0.0; n], second: vec![0.0; n], next: vec![0.0; n] }
    }

    fn add(&mut self, l: usize, e: &Ends) {
        let n = self.first.len();
        if l > 0 {
            self.first[l - 1] += e.by_low;
            self.second[l - 1] += e.low_low;
        }
        if l < n {
            self.first[l] += e.by_high;
            self.second[l] += e.high_high;
        }
        if l > 0 && l < n {
            self.next[l - 1] += e.low_high;
        }
    }
}

impl Search {
    /// Moves every annotator uphill with the thresholds and the mean log noise held.
    pub fn annotators(&self, e: &Expected, point: &mut Point, cx: &mut Context<'_>) -> Result<Shared, Error> {
        let (m, tau) = (point.m, point.thresholds());
        let centre = point.mean_log_noise();
        let scale = Scale::new(&tau, self.beliefs.slip);
        let mut firm = vec![0.0; m];
        let (bias, rest) = point.values.split_at_mut(m);
        let blocks = bias.par_chunks_mut(BLOCK).zip(rest[..m].par_chunks_mut(BLOCK)).zip(firm.par_chunks_mut(BLOCK));
        let parts: Vec<(f64, Sums)> = cx.install(|| {
            blocks
                .enumerate()
                .map(|(b, ((bias, log_noise), firm))| {
                    let mut sums = Sums::new(tau.len());
                    let (mut ends, mut spare) = (Vec::new(), Vec::new());
                    let mut value = 0.0;
                    for n in 0..bias.len() {
                        let j = b * BLOCK + n;
                        let given = e.of(j);
                        let least = self.gain * f64::from(e.n[j]);
                        let start = [bias[n], log_noise[n]];
                        let (at, own) = self.climb(given, &scale, centre, least, start, &mut ends, &mut spare);
                        [bias[n], log_noise[n]] = at;
                        firm[n] = own.noise_noise.max(0.0);
                        value += own.value;
                        given.labels.iter().zip(&ends).for_each(|(&l, e)| sums.add(l as usize, e));
                    }
                    (value, sums)
                })
                .collect()
        })?;
        let mut by_tau = Sums::new(tau.len());
        let mut value = 0.0;
        for (v, s) in &parts {
            value += v;
            crate::fast::add_into(&mut by_tau.first, &s.first);
            crate::fast::add_into(&mut by_tau.second, &s.second);
            crate::fast::add_into(&mut by_tau.next, &s.next);
        }
        Ok(Shared { value, centre, firm, by_tau })
    }

    /// Newton's method from `at` with steps that never go down; `ends` holds the derivatives by thresholds where it ends.
    fn climb(
        &self,
        given: Given<'_>,
        s: &Scale<'_>,
        centre: f64,
        least: f64,
        mut at: [f64; 2],
        ends: &mut Vec<Ends>,
        spare: &mut Vec<Ends>,
    ) -> ([f64; 2], Own) {
        let precision = [self.beliefs.bias_sd.powi(-2), self.beliefs.noise_sd.powi(-2)];
        let prior = |at: [f64; 2]| 0.5 * (precision[0] * at[0].powi(2) + precision[1] * (at[1] - centre).powi(2));
        let look = |at: [f64; 2], ends: &mut Vec<Ends>| {
            given.derivatives(s, Reading { bias: at[0], noise: at[1].exp() }, ends)
        };
        let mut own = look(at, ends);
        for _ in 0..self.steps {
            let up = [own.by_bias - precision[0] * at[0], own.by_noise - precision[1] * (at[1] - centre)];
            let step =
                newton(up, [own.bias_bias + precision[0], own.bias_noise, own.noise_noise + precision[1]], |n, up| {
                    let (low, high) = if n == 0 { BIAS } else { LOG_NOISE };
                    (at[n] <= low && up < 0.0) || (at[n] >= high && up > 0.0)
                });
            if 0.5 * (up[0] * step[0] + up[1] * step[1]) <= least {
                break;
            }
            let here = own.value - prior(at);
            let mut length = (STEP / step[0].abs().max(step[1].abs())).min(1.0);
            let mut better = None;
            for _ in 0..8 {
                let to = [inside(at[0] + length * step[0], BIAS), inside(at[1] + length * step[1], LOG_NOISE)];
                let there = look(to, spare);
                if there.value - prior(to) > here {
                    better = Some((to, there));
                    break;
                }
                length *= 0.3;
            }
            let Some((to, there)) = better else { break };
            (at, own) = (to, there);
            std::mem::swap(ends, spare);
        }
        (at, own)
    }
}

/// A step up along the gradient `up` by minus the second derivatives (first, mixed, second): directions that curve
/// the wrong way are turned round, and variables that `held` names stay.
fn newton(up: [f64; 2], [a, b, c]: [f64; 3], held: impl Fn(usize, f64) -> bool) -> [f64; 2] {
    let alone = |up: f64, curve: f64| up / curve.abs().max(1e-9);
    match (held(0, up[0]), held(1, up[1])) {
        (true, true) => return [0.0; 2],
        (true, false) => return [0.0, alone(up[1], c)],
        (false, true) => return [alone(up[0], a), 0.0],
        _ => {}
    }
    let (middle, half) = (0.5 * (a + c), (0.25 * (a - c) * (a - c) + b * b).sqrt());
    let (large, small) = (middle + half, middle - half);
    let floor = (1e-3 * large.abs()).max(1e-9);
    let (mut a, mut b, mut c) = (a, b, c);
    if small < floor {
        if half <= 1e-9 || large < floor {
            return [alone(up[0], middle), alone(up[1], middle)];
        }
        // (large - matrix) / (large - small) projects on the direction of the small eigenvalue
        let add = (small.abs().max(floor) - small) / (large - small);
        (a, c) = (a + add * (large - a), c + add * (large - c));
        b -= add * b;
    }
    let det = a * c - b * b;
    [(c * up[0] - b * up[1]) / det, (a * up[1] - b * up[0]) / det]
}

/// A step of the things that annotators share.
pub(super) struct Step {
    /// How far every threshold goes.
    tau: Vec<f64>,
    /// How far every log noise goes.
    noise: Vec<f64>,
}

impl Shared {
    /// Newton's step of the thresholds, and of the mean log noise with the annotators it draws after it.
    pub fn step(&self, b: &Beliefs, point: &Point) -> Step {
        let precision = b.noise_sd.powi(-2);
        let off: f64 = point.log_noise().iter().map(|x| x - self.centre).sum();
        let firm: f64 = self.firm.iter().map(|h| h / (h + precision)).sum();
        let centre = if firm > 0.0 { (off / firm).clamp(-STEP, STEP) } else { 0.0 };
        let noise = self.firm.iter().map(|h| precision / (h + precision) * centre).collect();
        Step { tau: self.thresholds(point), noise }
    }

    /// Gaps that would leave their range are held: their ends move together.
    fn thresholds(&self, point: &Point) -> Vec<f64> {
        let n = self.by_tau.first.len();
        let gaps = point.scale().1;
        let mut tied = vec![false; n.saturating_sub(1)];
        for _ in 0..n {
            let step = self.solve(&tied);
            let mut more = false;
            for (i, tied) in tied.iter_mut().enumerate() {
                let wider = step[i + 1] - step[i];
                if (gaps[i] <= LOG_GAP.0 && wider < 0.0) || (gaps[i] >= LOG_GAP.1 && wider > 0.0) {
                    more |= !*tied;
                    *tied = true;
                }
            }
            if !more {
                return step;
            }
        }
        vec![0.0; n]
    }

    /// Solves the tridiagonal system of the thresholds, tied ones as one.
    fn solve(&self, tied: &[bool]) -> Vec<f64> {
        let n = self.by_tau.first.len();
        let (mut up, mut own, mut next) = (Vec::new(), Vec::new(), Vec::new());
        let mut group = Vec::with_capacity(n);
        for i in 0..n {
            if i == 0 || !tied[i - 1] {
                up.push(0.0);
                own.push(0.0);
                next.push(0.0);
            } else {
                own[up.len() - 1] += 2.0 * self.by_tau.next[i - 1];
            }
            let g = up.len() - 1;
            group.push(g);
            up[g] += self.by_tau.first[i];
            own[g] += self.by_tau.second[i];
            next[g] = self.by_tau.next[i];
        }
        let largest = own.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        let mut ridges = (0..20).map(|n| 1e-9 * largest.max(1e-9) * 10f64.powi(n));
        let solved = ridges.find_map(|ridge| tridiagonal(&up, &own, &next, ridge));
        solved.map_or_else(|| vec![0.0; n], |x| group.iter().map(|&g| x[g]).collect())
    }
}

/// Solves a symmetric positive definite tridiagonal system with `ridge` added; `None` if it is not one.
fn tridiagonal(up: &[f64], own: &[f64], next: &[f64], ridge: f64) -> Option<Vec<f64>> {
    let n = up.len();
    let (mut pivot, mut x) = (vec![0.0; n], up.to_vec());
    for i in 0..n {
        pivot[i] = own[i] + ridge;
        if i > 0 {
            let f = next[i - 1] / pivot[i - 1];
            pivot[i] -= f * next[i - 1];
            x[i] -= f * x[i - 1];
        }
        if pivot[i] < 0.5 * ridge || pivot[i].is_nan() {
            return None;
        }
    }
    for i in (0..n).rev() {
        if i + 1 < n {
            x[i] -= next[i] * x[i + 1];
        }
        x[i] /= pivot[i];
    }
    Some(x)
}

impl Step {
    /// The point after a share of this step, with biases that have the mean 0: moving them and the thresholds together
    /// changes nothing but their prior.
    pub fn from(&self, point: &Point, share: f64) -> Point {
        let mut to = point.clone();
        let m = point.m;
        if share > 0.0 {
            to.values[m..2 * m].iter_mut().zip(&self.noise).for_each(|(x, d)| *x = inside(*x + share * d, LOG_NOISE));
            let n = self.tau.len() as f64;
            let mean: f64 = self.tau.iter().sum::<f64>() / n;
            to.values[2 * m] = inside(to.values[2 * m] + share * mean.clamp(-STEP, STEP), MEAN);
            for (g, d) in to.values[2 * m + 1..].iter_mut().zip(self.tau.windows(2)) {
                let gap = g.exp();
                let wider = (gap + share * (d[1] - d[0])).clamp(0.2 * gap, 5.0 * gap);
                *g = inside(wider.ln(), LOG_GAP);
            }
        }
        let mean = to.bias().iter().sum::<f64>() / m as f64;
        let fits = |x: f64, (low, high): (f64, f64)| low <= x && x <= high;
        if fits(to.values[2 * m] - mean, MEAN) && to.bias().iter().all(|b| fits(b - mean, BIAS)) {
            to.values[..m].iter_mut().for_each(|b| *b -= mean);
            to.values[2 * m] -= mean;
        }
        to
    }
}
