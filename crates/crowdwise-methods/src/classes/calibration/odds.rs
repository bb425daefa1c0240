//! From evidence to probabilities.

use super::Weighed;
use crowdwise_numerics::golden_section;

/// Where errors are shared, the log-odds L of the most probable class against all others become κ ln(1 + L / κ): the strength
/// of the evidence differs from item to item, and odds that are averaged over a Gamma distribution of it (shape κ) fall as a
/// power, not as an exponential.
const SHAPE: f64 = 2.0;
/// Known classes that calibration may be learned from.
pub(crate) const ENOUGH: usize = 20;
/// Standard deviation of the logarithm of the power that known classes may ask for, before any is seen: on real crowds the
/// best power differs from the estimated one by a factor of two or so.
const SPREAD: f64 = 0.7;

/// How far evidence is trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Strength {
    /// Power that makes up for overfitting, at most 1.
    pub overfit: f64,
    /// How likely it is that annotators share errors.
    pub shared: f64,
    /// Power that known classes ask for; 1 without them.
    pub gold: f64,
    /// The model has averaged over how items differ already: then the odds need no heavy tail on top of that.
    pub items_differ: bool,
}

impl Strength {
    /// Probabilities of the classes of one item.
    pub fn probabilities(&self, w: &Weighed, out: &mut [f64]) {
        self.independent(w, out);
        if self.shared > 0.0 {
            let mut other = vec![0.0; out.len()];
            self.together(w, &mut other);
            out.iter_mut().zip(&other).for_each(|(p, o)| *p += self.shared * (o - *p));
        }
        if self.gold != 1.0 {
            power(out, self.gold);
        }
    }

    /// Errors independent given the class.
    fn independent(&self, w: &Weighed, out: &mut [f64]) {
        out.iter_mut().zip(&w.lead).for_each(|(p, lead)| *p = (-self.overfit * lead).exp());
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= sum);
    }

    /// Errors shared: the labels count by the root of their effective number, (Σ|d|)² / Σd².
    fn together(&self, w: &Weighed, out: &mut [f64]) {
        let mut least = f64::INFINITY;
        for (c, p) in out.iter_mut().enumerate() {
            *p = if w.total[c] > 0.0 { self.overfit * w.lead[c] * w.squares[c].sqrt() / w.total[c] } else { 0.0 };
            if c != w.top {
                least = least.min(*p);
            }
        }
        if out.len() < 2 {
            out.fill(1.0);
            return;
        }
        // all others against the top one, exactly
        let rest: f64 = (0..out.len()).filter(|c| *c != w.top).map(|c| (least - out[c]).exp()).sum();
        let odds = least - rest.ln();
        let odds = if odds > 0.0 && !self.items_differ { SHAPE * (odds / SHAPE).ln_1p() } else { odds };
        let wrong = 1.0 / (1.0 + odds.exp());
        for (c, p) in out.iter_mut().enumerate() {
            *p = if c == w.top { 1.0 - wrong } else { wrong * (least - *p).exp() / rest };
        }
    }

    /// Takes the power that suits known classes best, with its prior. `known`: class and the probabilities that the labels give
    /// it. Too few change nothing.
    pub fn learn(&mut self, known: &[(usize, Vec<f64>)]) {
        if known.len() < ENOUGH {
            return;
        }
        let loss = |ln_power: f64| {
            let b = ln_power.exp();
            let one = |(class, row): &(usize, Vec<f64>)| {
                let ln = |p: f64| p.max(f64::MIN_POSITIVE).ln();
                let most = row.iter().map(|&p| b * ln(p)).fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = row.iter().map(|&p| (b * ln(p) - most).exp()).sum();
                most + sum.ln() - b * ln(row[*class])
            };
            known.iter().map(one).sum::<f64>() + (ln_power / SPREAD).powi(2) / 2.0
        };
        self.gold = golden_section(-4.0, 4.0, 62, loss).0.exp();
    }
}

/// Raises probabilities to a power.
fn power(row: &mut [f64], b: f64) {
    let most = row.iter().copied().fold(0.0, f64::max);
    row.iter_mut().for_each(|p| *p = (*p / most).powf(b));
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|p| *p /= sum);
}
