//! First and second moments of the indicators, and the squared error of rates that should give them.
//!
//! The error runs over all pairs of indicators of different sources, most of which never fire together. It is computed
//! from the K x K matrix of all rates, corrected for pairs of one source, and from the pairs that did, or, when there are
//! more of them than labels, from the sums of rates over each item: the cost is linear in indicators and the fewer of both.

use super::super::votes::Votes;
use crowdwise_core::Error;

/// What is known of indicators of different sources that fire together.
enum Together {
    /// (a, b, share of items on which both fire), a < b.
    Pairs(Vec<(u32, u32, f64)>),
    /// The labels themselves, and the sum over pairs of the squared shares.
    Items(f64),
}

pub(super) struct Moments<'a> {
    votes: &'a Votes,
    shares: &'a [f64],
    lambda: f64,
    /// Share of items on which an indicator fires.
    rate: Vec<f64>,
    together: Together,
    /// Indicators of source m are `first[m]..first[m + 1]`.
    first: Vec<usize>,
}

impl<'a> Moments<'a> {
    pub fn new(votes: &'a Votes, shares: &'a [f64], lambda: f64) -> Result<Moments<'a>, Error> {
        let (pairs, seen) = votes.pairs(|_, _| true)?;
        let share = |n: u32| n as f64 / seen as f64;
        // an item with thousands of labels has millions of pairs
        let together = if pairs.len() > votes.labels() {
            Together::Items(pairs.iter().map(|p| share(p.2).powi(2)).sum())
        } else {
            Together::Pairs(pairs.into_iter().map(|(a, b, n)| (a, b, share(n))).collect())
        };
        let rate = (0..votes.indicators()).map(|j| votes.rate(j)).collect();
        let mut first = vec![0; votes.sources + 1];
        votes.source.iter().for_each(|&m| first[m as usize + 1] += 1);
        (0..votes.sources).for_each(|m| first[m + 1] += first[m]);
        Ok(Moments { votes, shares, lambda, rate, together, first })
    }

    /// Rates that keep the mean of every indicator, with votes right at this precision where that is possible.
    pub fn start(&self, precision: f64) -> Vec<f64> {
        let k = self.votes.k;
        let mut out = Vec::with_capacity(self.rate.len() * k);
        for (j, &r) in self.rate.iter().enumerate() {
            let l = self.votes.label[j] as usize;
            let d = self.shares[l];
            out.extend((0..k).map(|c| {
                if c == l { (r * precision / d).min(1.0) } else { r * (1.0 - precision) / (1.0 - d).max(1e-9) }
            }));
        }
        out
    }

    /// Writes the gradient and returns the error.
    pub fn gradient(&self, rates: &[f64], start: &[f64], slope: &mut [f64]) -> f64 {
        let (k, d) = (self.votes.k, self.shares);
        let row = |j: usize| &rates[j * k..][..k];
        let product = |a: usize, b: usize| -> f64 { (0..k).map(|c| row(a)[c] * d[c] * row(b)[c]).sum() };
        // Σ_j μ_j μ_jᵀ over all indicators
        let mut gram = vec![0.0; k * k];
        for r in rates.chunks_exact(k) {
            for a in 0..k {
                for b in 0..k {
                    gram[a * k + b] += r[a] * r[b];
                }
            }
        }
        let mut error = 0.0;
        for a in 0..k {
            for b in 0..k {
                error += d[a] * d[b] * gram[a * k + b] * gram[a * k + b];
            }
        }
        slope.fill(0.0);
        for (j, out) in slope.chunks_exact_mut(k).enumerate() {
            for (c, s) in out.iter_mut().enumerate() {
                *s = (0..k).map(|b| row(j)[b] * d[b] * gram[b * k + c]).sum();
            }
        }
        for own in self.first.windows(2) {
            for a in own[0]..own[1] {
                for b in own[0]..own[1] {
                    let p = product(a, b);
                    error -= p * p;
                    (0..k).for_each(|c| slope[a * k + c] -= p * row(b)[c]);
                }
            }
        }
        error += self.subtract_together(rates, slope);
        for j in 0..self.rate.len() {
            let mean: f64 = (0..k).map(|c| row(j)[c] * d[c]).sum::<f64>() - self.rate[j];
            error += mean * mean;
            for c in 0..k {
                let away = row(j)[c] - start[j * k + c];
                error += self.lambda * away * away;
                let s = &mut slope[j * k + c];
                *s = 4.0 * *s * d[c] + 2.0 * mean * d[c] + 2.0 * self.lambda * away;
            }
        }
        error
    }

    /// Σ both (both - 2 μ_a D μ_b) over ordered pairs of different sources, and its part of the gradient.
    fn subtract_together(&self, rates: &[f64], slope: &mut [f64]) -> f64 {
        let (k, d) = (self.votes.k, self.shares);
        let row = |j: usize| &rates[j * k..][..k];
        let mut error = 0.0;
        match &self.together {
            Together::Pairs(pairs) => {
                for &(a, b, both) in pairs {
                    let (a, b) = (a as usize, b as usize);
                    let product: f64 = (0..k).map(|c| row(a)[c] * d[c] * row(b)[c]).sum();
                    error += 2.0 * both * (both - 2.0 * product);
                    for c in 0..k {
                        slope[a * k + c] -= both * row(b)[c];
                        slope[b * k + c] -= both * row(a)[c];
                    }
                }
            }
            Together::Items(squares) => {
                // Σ over pairs of both μ_b = mean over items of the sum of the rates of all others there
                let mut others = vec![0.0; rates.len()];
                match k {
                    2 => self.others::<2>(rates, &mut others),
                    3 => self.others::<3>(rates, &mut others),
                    4 => self.others::<4>(rates, &mut others),
                    5 => self.others::<5>(rates, &mut others),
                    _ => self.others::<0>(rates, &mut others),
                }
                let share = 1.0 / self.votes.items as f64;
                error += 2.0 * squares;
                for (at, (s, o)) in slope.iter_mut().zip(&others).enumerate() {
                    *s -= share * o;
                    error -= 2.0 * share * d[at % k] * rates[at] * o;
                }
            }
        }
        error
    }

    /// For every indicator the sum, over the items on which it fires, of the rates of all indicators of other sources that
    /// fire there. `K` is the number of classes, 0 = any.
    fn others<const K: usize>(&self, rates: &[f64], out: &mut [f64]) {
        let k = if K == 0 { self.votes.k } else { K };
        let mut sum = vec![0.0; k];
        let sum = &mut sum[..k];
        for u in 0..self.votes.items {
            let fired = self.votes.of(u);
            sum.fill(0.0);
            for &a in fired {
                sum.iter_mut().zip(&rates[a as usize * k..][..k]).for_each(|(s, x)| *s += x);
            }
            for &a in fired {
                out[a as usize * k..][..k].iter_mut().zip(&*sum).for_each(|(o, s)| *o += s);
            }
            // who said two things of an item: indicators are in the order of their sources
            for (n, &a) in fired.iter().enumerate().skip(1) {
                let of = |b: &&u32| self.votes.source[**b as usize] == self.votes.source[a as usize];
                for &b in fired[..n].iter().rev().take_while(of) {
                    for c in 0..k {
                        out[a as usize * k + c] -= rates[b as usize * k + c];
                        out[b as usize * k + c] -= rates[a as usize * k + c];
                    }
                }
            }
        }
        // and everybody is one of those who fire where they do
        for (a, &n) in self.votes.fires.iter().enumerate() {
            for c in 0..k {
                out[a * k + c] -= n as f64 * rates[a * k + c];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder, stream};
    use rand::RngExt;

    /// Against the sum over all pairs, written out, and finite differences.
    #[test]
    fn error_and_gradient_are_those_of_the_sum_over_pairs() {
        let mut rng = stream(1, "moments", 0);
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for i in 0..60 {
            for j in 0..6 {
                if rng.random_bool(0.5) {
                    b.label(&format!("i{i}"), &format!("a{j}"), &rng.random_range(0..3).to_string()).unwrap();
                }
                if rng.random_bool(0.1) {
                    // some sources say two things of an item
                    b.label(&format!("i{i}"), &format!("a{j}"), &rng.random_range(0..3).to_string()).unwrap();
                }
            }
        }
        let table = b.finish().unwrap();
        let votes = Votes::new(&table.categorical().unwrap());
        let shares = [0.5, 0.3, 0.2];
        let m = Moments::new(&votes, &shares, 0.03).unwrap();
        let start = m.start(0.7);
        let n = votes.indicators();
        let mut x: Vec<f64> = (0..n * 3).map(|_| rng.random::<f64>()).collect();
        let together = |a: usize, b: usize| {
            let both = |u: &usize| votes.of(*u).contains(&(a as u32)) && votes.of(*u).contains(&(b as u32));
            (0..votes.items).filter(both).count() as f64 / votes.items as f64
        };
        let plain = |x: &[f64]| {
            let dot = |a: usize, b: usize| -> f64 { (0..3).map(|c| x[a * 3 + c] * shares[c] * x[b * 3 + c]).sum() };
            let mut sum = 0.0;
            for a in 0..n {
                for b in (0..n).filter(|&b| votes.source[a] != votes.source[b]) {
                    sum += (dot(a, b) - together(a, b)).powi(2);
                }
                let mean: f64 = (0..3).map(|c| x[a * 3 + c] * shares[c]).sum();
                sum += (mean - votes.rate(a)).powi(2);
            }
            sum + 0.03 * x.iter().zip(&start).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
        };
        let mut slope = vec![0.0; n * 3];
        let error = m.gradient(&x, &start, &mut slope);
        assert!((error / plain(&x) - 1.0).abs() < 1e-12, "{error} {}", plain(&x));
        let Together::Pairs(pairs) = &m.together else { panic!("fewer pairs than labels") };
        let squares = pairs.iter().map(|p| p.2 * p.2).sum();
        let by_item = Moments { together: Together::Items(squares), ..Moments::new(&votes, &shares, 0.03).unwrap() };
        let mut same = vec![0.0; n * 3];
        assert!((by_item.gradient(&x, &start, &mut same) / error - 1.0).abs() < 1e-12);
        assert!(same.iter().zip(&slope).all(|(a, b)| (a - b).abs() < 1e-12));
        for at in 0..n * 3 {
            let (old, h) = (x[at], 1e-5);
            x[at] = old + h;
            let up = plain(&x);
            x[at] = old - h;
            let down = plain(&x);
            x[at] = old;
            let want = (up - down) / (2.0 * h);
            assert!((slope[at] - want).abs() < 1e-6 * want.abs().max(1.0), "{at}: {} {want}", slope[at]);
        }
    }
}
