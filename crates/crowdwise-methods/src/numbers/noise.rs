//! The model behind `gaussian-annotators`: value = bias + scale x truth + noise, by variational Bayes. The priors of biases
//! and variances are learned from all annotators, so that those with few labels lean on the rest and no variance collapses.

use super::linear::Linear;
use super::outliers::Surprise;
use super::settings::Settings;
use super::{average, median};
use crowdwise_core::stats::digamma;
use crowdwise_core::{Dataset, Features, GoldValues, Table};
use crowdwise_numerics::bisect;
use serde_json::{Map, Value, json};

/// Prior variance of an annotator's scale about 1.
const SCALE_VARIANCE: f64 = 0.1;
/// Learned shapes of the variance prior lie between these; the first with a scale, which has one more way to overfit.
const LEAST_SHAPE: [f64; 2] = [1.0, 3.0];
const MOST_SHAPE: f64 = 1e3;
/// No annotator's variance is below this part of the typical one.
const LEAST_VARIANCE: f64 = 1e-4;
/// No scale is further from 0 than this.
const MOST_SCALE: f64 = 10.0;

/// All values are taken about `centre`.
pub(super) struct Noise<'a> {
    table: &'a Table,
    set: Settings,
    x: Vec<f64>,
    centre: f64,
    /// Known truths.
    known: Vec<Option<f64>>,
    /// Truth of each item: mean and variance.
    y: Vec<f64>,
    v: Vec<f64>,
    /// Labels of each annotator.
    n: Vec<f64>,
    bias: Vec<f64>,
    scale: Vec<f64>,
    /// Posterior variances of bias and scale, and their covariance.
    bias_v: Vec<f64>,
    scale_v: Vec<f64>,
    both_v: Vec<f64>,
    /// Expected precision of each annotator.
    precision: Vec<f64>,
    /// Weight of each label (1 for normal noise).
    weight: Vec<f64>,
    /// Prior of the truths.
    mean: f64,
    spread: f64,
    /// Features in place of the common mean.
    linear: Option<Linear>,
    /// Variance of biases; shape and rate of the variances.
    bias_prior: f64,
    shape: f64,
    rate: f64,
    typical: f64,
    variance: f64,
}

impl<'a> Noise<'a> {
    /// `None` if no two values of an item differ.
    pub fn new(data: &'a Dataset, set: Settings) -> Option<Noise<'a>> {
        let noise = Noise::of(data, set);
        (noise.typical > 0.0 && noise.typical.is_finite()).then_some(noise)
    }

    /// The same for truths that are a linear function of features, about which each item has a deviation of its own. Values
    /// may then be noisy although no two are of the same item.
    pub fn regressed(data: &'a Dataset, set: Settings, features: &Features, ridge: f64) -> Noise<'a> {
        let mut noise = Noise::of(data, set);
        if noise.typical <= 0.0 {
            noise.typical = if noise.variance > 0.0 { noise.variance } else { 1.0 };
            noise.precision.fill(1.0 / noise.typical);
            noise.rate = 0.1 * noise.shape * noise.typical;
            noise.spread = noise.spread.max(1e-6 * noise.typical);
        }
        noise.linear = Linear::new(features, noise.table, &noise.known, ridge, noise.mean);
        noise
    }

    fn of(data: &'a Dataset, set: Settings) -> Noise<'a> {
        let table = &data.table;
        let values = table.real().expect("the kind was checked");
        let units = table.n_units();
        let centre = average(values);
        let x: Vec<f64> = values.iter().map(|v| v - centre).collect();
        let mut known = vec![None; units];
        if let Some(GoldValues::Real(list)) = data.gold.as_ref().map(|g| &g.values) {
            list.iter().for_each(|&(u, y)| known[u as usize] = Some(y - centre));
        }
        let mut y = vec![0.0; units];
        let (mut sum, mut sorted) = (0.0, Vec::new());
        for u in 0..units {
            let rows = table.rows(u);
            if !rows.is_empty() {
                sorted.clear();
                sorted.extend_from_slice(&x[rows.clone()]);
                sorted.sort_unstable_by(f64::total_cmp);
                y[u] = median::centre(&sorted).value;
            }
            y[u] = known[u].unwrap_or(y[u]);
            sum += rows.map(|r| (x[r] - y[u]).powi(2)).sum::<f64>();
        }
        let typical = sum / x.len() as f64;
        let m = table.n_annotators();
        let variance = x.iter().map(|v| v * v).sum::<f64>() / x.len() as f64;
        let n: Vec<f64> = table.labels_per_annotator().iter().map(|&n| n as f64).collect();
        let labelled = || (0..units).filter(|&u| table.degree(u) > 0);
        let count = labelled().count() as f64;
        let mean = labelled().map(|u| y[u]).sum::<f64>() / count;
        let spread = labelled().map(|u| (y[u] - mean).powi(2)).sum::<f64>() / count;
        let shape = set.alpha.unwrap_or(1.0);
        Noise {
            table,
            set,
            weight: vec![1.0; x.len()],
            x,
            centre,
            known,
            v: vec![0.0; units],
            y,
            n,
            bias: vec![0.0; m],
            scale: vec![1.0; m],
            bias_v: vec![0.0; m],
            scale_v: vec![0.0; m],
            both_v: vec![0.0; m],
            precision: vec![1.0 / typical; m],
            mean,
            spread: spread.max(1e-6 * typical),
            linear: None,
            bias_prior: 0.25 * variance,
            shape,
            rate: 0.1 * shape * typical,
            typical,
            variance,
        }
    }

    /// Intercept and weights of the features.
    pub fn weights(&self) -> Option<(f64, Vec<f64>)> {
        let (intercept, weights) = self.linear.as_ref()?.of_features();
        Some((intercept + self.centre, weights))
    }

    /// Mean squared deviation from the median of the item.
    pub fn typical(&self) -> f64 {
        self.typical
    }

    /// One round: truths, annotators, weights, variances, priors. The largest move of a truth.
    pub fn step(&mut self) -> f64 {
        let before = self.y.clone();
        self.truths();
        if self.set.bias {
            self.lines();
            self.gauge();
        }
        self.variances();
        let moved = |(a, b): (&f64, &f64)| (a - b).abs();
        self.y.iter().zip(&before).map(moved).fold(0.0, |a, b| if b.is_nan() { b } else { f64::max(a, b) })
    }

    fn prior_precision(&self) -> f64 {
        if self.set.shrink { 1.0 / self.spread } else { 0.0 }
    }

    /// What label `r` of annotator `j` adds to the precision of its item, and to precision x truth.
    fn tells(&self, r: usize, j: usize) -> (f64, f64) {
        let o = self.weight[r] * self.precision[j];
        let s = self.scale[j];
        (o * (s * s + self.scale_v[j]), o * (s * (self.x[r] - self.bias[j]) - self.both_v[j]))
    }

    fn truths(&mut self) {
        let prior = self.prior_precision();
        let (mut sum, mut square, mut count) = (0.0, 0.0, 0.0);
        for u in 0..self.table.n_units() {
            if let Some(known) = self.known[u] {
                (self.y[u], self.v[u]) = (known, 0.0);
            } else if self.table.degree(u) > 0 {
                let expected = self.linear.as_ref().map_or(self.mean, |l| l.at[u]);
                let (mut p, mut t) = (prior, prior * expected);
                for r in self.table.rows(u) {
                    let (a, b) = self.tells(r, self.table.annotator()[r] as usize);
                    p += a;
                    t += b;
                }
                // every annotator's scale may be 0, and then nothing is told
                let p = p.max(1e-12 / self.typical);
                (self.y[u], self.v[u]) = (t / p, 1.0 / p);
            } else {
                continue;
            }
            sum += self.y[u];
            square += self.y[u] * self.y[u] + self.v[u];
            count += 1.0;
        }
        if let Some(linear) = &mut self.linear {
            linear.fit(&self.y);
            self.mean = sum / count;
            let deviates = |u: usize| (self.y[u] - linear.at[u]).powi(2) + self.v[u];
            let there = |u: &usize| self.table.degree(*u) > 0 || self.known[*u].is_some();
            let square: f64 = (0..self.y.len()).filter(there).map(deviates).sum();
            self.spread = (square / count).max(1e-6 * self.typical);
        } else if self.set.shrink && count > 0.0 {
            self.mean = sum / count;
            self.spread = (square / count - self.mean * self.mean).max(1e-6 * self.typical);
        }
    }

    /// Bias and scale of every annotator: a regression on the truths with priors.
    fn lines(&mut self) {
        let m = self.n.len();
        // sums of 1, y, y², x, x y with their weights
        let mut s = vec![[0.0; 5]; m];
        for u in 0..self.table.n_units() {
            let (y, v) = (self.y[u], self.v[u]);
            for r in self.table.rows(u) {
                let j = self.table.annotator()[r] as usize;
                let (o, x) = (self.weight[r] * self.precision[j], self.x[r]);
                let add = [o, o * y, o * (y * y + v), o * x, o * x * y];
                s[j].iter_mut().zip(add).for_each(|(a, b)| *a += b);
            }
        }
        let (mut biases, mut used) = (0.0, 0.0);
        for j in (0..m).filter(|&j| self.n[j] > 0.0) {
            let [one, y, yy, x, xy] = s[j];
            let a = one + 1.0 / self.bias_prior;
            if self.set.scale {
                let c = yy + 1.0 / SCALE_VARIANCE;
                let d = xy + 1.0 / SCALE_VARIANCE;
                let det = (a * c - y * y).max(1e-12 * a * c);
                self.bias[j] = (c * x - y * d) / det;
                self.scale[j] = ((a * d - y * x) / det).clamp(-MOST_SCALE, MOST_SCALE);
                (self.bias_v[j], self.scale_v[j], self.both_v[j]) = (c / det, a / det, -y / det);
            } else {
                self.bias[j] = (x - y) / a;
                self.bias_v[j] = 1.0 / a;
            }
            biases += self.bias[j].powi(2) + self.bias_v[j];
            used += 1.0;
        }
        self.bias_prior = (biases / used).clamp(1e-6 * self.typical, self.variance.max(self.typical));
    }

    /// A common shift of all biases, and a common factor of all scales, belong to the truths: labels decide the shift, and
    /// annotators who follow the truth the factor.
    fn gauge(&mut self) {
        if self.known.iter().any(Option::is_some) {
            return; // known truths fix both
        }
        if self.set.scale {
            let (sum, square) = (0..self.n.len())
                .filter(|&j| self.n[j] > 0.0)
                .fold((0.0, 0.0), |(a, b), j| (a + self.scale[j], b + self.scale[j].powi(2)));
            if sum > 0.0 {
                let m = (square / sum).clamp(0.5, 2.0);
                self.y.iter_mut().for_each(|y| *y *= m);
                self.v.iter_mut().for_each(|v| *v *= m * m);
                self.scale.iter_mut().for_each(|s| *s /= m);
                self.scale_v.iter_mut().for_each(|s| *s /= m * m);
                self.both_v.iter_mut().for_each(|s| *s /= m);
                self.mean *= m;
                self.spread *= m * m;
                self.linear.iter_mut().for_each(|l| l.move_by(m, 0.0));
            }
        }
        let (n, b) = self.n.iter().zip(&self.bias).fold((0.0, 0.0), |(n, b), (m, x)| (n + m, b + m * x));
        let shift = b / n;
        self.y.iter_mut().for_each(|y| *y += shift);
        self.mean += shift;
        self.linear.iter_mut().for_each(|l| l.move_by(1.0, shift));
        self.bias.iter_mut().zip(&self.scale).for_each(|(b, s)| *b -= s * shift);
    }

    /// Expected squared residual of label `r`.
    fn residual(&self, u: usize, r: usize, j: usize) -> f64 {
        let (y, s) = (self.y[u], self.scale[j]);
        let e = self.x[r] - self.bias[j] - s * y;
        let of_line = self.bias_v[j] + self.scale_v[j] * y * y + 2.0 * self.both_v[j] * y;
        e * e + of_line.max(0.0) + (s * s + self.scale_v[j]) * self.v[u]
    }

    fn variances(&mut self) {
        let mut sum = vec![0.0; self.n.len()];
        for u in 0..self.table.n_units() {
            for r in self.table.rows(u) {
                let j = self.table.annotator()[r] as usize;
                let square = self.residual(u, r, j);
                if let Some(nu) = self.set.nu {
                    self.weight[r] = (nu + 1.0) / (nu + self.precision[j] * square);
                }
                sum[j] += self.weight[r] * square;
            }
        }
        let (mut precisions, mut logs, mut used) = (0.0, 0.0, 0.0);
        for j in 0..self.n.len() {
            let (a, b) = (self.shape + 0.5 * self.n[j], self.rate + 0.5 * sum[j]);
            self.precision[j] = (a / b).min(1.0 / (LEAST_VARIANCE * self.typical));
            if self.n[j] > 0.0 {
                precisions += self.precision[j];
                logs += b.ln() - digamma(a);
                used += 1.0;
            }
        }
        let mean = precisions / used;
        if self.set.alpha.is_none() {
            self.shape = shape(mean.ln() + logs / used, LEAST_SHAPE[usize::from(self.set.scale)]);
        }
        self.rate = self.shape / mean;
    }

    /// Estimates and their standard errors; unknown where nobody said anything and there are no features.
    pub fn estimates(&self) -> (Vec<f64>, Vec<f64>) {
        let there = |u: usize| self.table.degree(u) > 0 || self.known[u].is_some();
        let shift = self.shift_variance();
        let estimate = |u: usize| match &self.linear {
            _ if there(u) => (self.y[u] + self.centre, (self.v[u] + self.by_biases(u, shift)).sqrt()),
            Some(linear) => (linear.at[u] + self.centre, self.spread.sqrt()),
            None => (f64::NAN, f64::NAN),
        };
        (0..self.table.n_units()).map(estimate).unzip()
    }

    /// Variance of the mean bias of the crowd, which no label shows: biases are drawn about 0, but their mean is not 0.
    fn shift_variance(&self) -> f64 {
        if !self.set.bias || self.known.iter().any(Option::is_some) {
            return 0.0;
        }
        let (sum, square) = self.n.iter().fold((0.0, 0.0), |(a, b), n| (a + n, b + n * n));
        self.bias_prior * square / (sum * sum)
    }

    /// What the doubt about biases adds to the variance of an item.
    fn by_biases(&self, u: usize, shift: f64) -> f64 {
        if self.known[u].is_some() {
            return 0.0;
        }
        let of = |r: usize| {
            let j = self.table.annotator()[r] as usize;
            let share = self.weight[r] * self.precision[j] * self.scale[j] * self.v[u];
            share * share * self.bias_v[j]
        };
        shift + self.table.rows(u).map(of).sum::<f64>()
    }

    /// Bias (at the mean of all items) and standard deviation of every annotator.
    pub fn annotators(&self) -> (Vec<f64>, Vec<f64>) {
        let at = |j: usize| self.bias[j] + (self.scale[j] - 1.0) * self.mean;
        let m = self.n.len();
        ((0..m).map(at).collect(), self.precision.iter().map(|p| 1.0 / p.sqrt()).collect())
    }

    pub fn details(&self, map: &mut Map<String, Value>) {
        if self.set.shrink {
            map.insert("item_mean".into(), json!(self.mean + self.centre));
            map.insert("item_sd".into(), json!(self.spread.sqrt()));
        }
        if self.set.bias {
            map.insert("bias_sd".into(), json!(self.bias_prior.sqrt()));
        }
        map.insert("variance_shape".into(), json!(self.shape));
        map.insert("typical_sd".into(), json!((self.rate / self.shape).sqrt()));
        if self.set.scale {
            map.insert("scale".into(), json!(self.scale));
        }
    }

    /// How far every label lies from where the other labels of its item put it, in standard deviations.
    pub fn surprises(&self) -> Vec<Surprise> {
        let mut out = Vec::new();
        for u in 0..self.table.n_units() {
            let open = self.known[u].is_none();
            if open && self.table.degree(u) < 2 {
                continue;
            }
            for r in self.table.rows(u) {
                let j = self.table.annotator()[r] as usize;
                let (mut y, mut v) = (self.y[u], self.v[u]);
                if open {
                    let (p, t) = self.tells(r, j);
                    let rest = (1.0 / v - p).max(1e-9 / self.typical);
                    (y, v) = ((y / v - t) / rest, 1.0 / rest);
                }
                let s = self.scale[j];
                let expected = self.bias[j] + s * y;
                let sd = (1.0 / self.precision[j] + s * s * v).sqrt();
                out.push(Surprise {
                    unit: u,
                    row: r,
                    z: (self.x[r] - expected) / sd,
                    expected: expected + self.centre,
                });
            }
        }
        out
    }
}

/// The shape a with ln a - ψ(a) = s, between the limits: ln a - ψ(a) falls.
fn shape(s: f64, least: f64) -> f64 {
    bisect(least.ln(), MOST_SHAPE.ln(), 50, |ln_a| ln_a - digamma(ln_a.exp()) > s).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_solves_its_equation() {
        for a in [1.5f64, 4.0, 60.0] {
            let s = a.ln() - digamma(a);
            assert!((shape(s, 1.0) / a - 1.0).abs() < 1e-9, "{a}");
        }
        assert!((shape(10.0, 1.0) - 1.0).abs() < 1e-9 && (shape(0.0, 1.0) - MOST_SHAPE).abs() < 1e-6);
    }
}
