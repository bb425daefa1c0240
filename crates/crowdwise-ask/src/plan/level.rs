//! From what the model expects of itself to what is to be expected: gold moves the level, and intervals say how far it may be off.

use crowdwise_core::stats::LEVEL as INTERVAL;
use crowdwise_numerics::{logistic, normal_reach};
use serde::Serialize;

/// Gold items that weigh as much as what is believed without them.
const WEIGHT: f64 = 40.0;
/// Half the 90 % interval without gold: crowds whose majority errs look like any other. Measured on twelve sets.
const BLIND: f64 = 0.16;
/// With gold: what simulated labels miss, and the error of n gold items is sqrt(OF_ONE / n).
const MISSED: f64 = 0.05;
const OF_ONE: f64 = 0.16;

/// An accuracy with its 90 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub accuracy: f64,
    pub low: f64,
    pub high: f64,
}

/// How right the labels of the pilot are on gold items.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GoldLevel {
    /// Gold items with labels.
    pub n: usize,
    pub accuracy: f64,
}

/// A prediction for the pilot and gold, which together tell how to move predictions for more labels.
#[derive(Clone, Copy, Debug)]
pub struct Shift {
    k: f64,
    /// Share of the items on which the crowd agrees on a wrong class.
    misled: f64,
    /// What is added to the log odds of being right.
    up: f64,
    n: usize,
}

impl Shift {
    /// From the accuracy of the pilot's labels as the draws predict it.
    pub fn new(k: usize, pilot: f64, gold: Option<GoldLevel>) -> Shift {
        let k = k as f64;
        let none = Shift { k, misled: 0.0, up: 0.0, n: 0 };
        let Some(GoldLevel { n, accuracy }) = gold else { return none };
        let t = n as f64 / (n as f64 + WEIGHT);
        let room = (pilot - (1.0 - pilot) / (k - 1.0)).max(0.1);
        let misled = (t * (pilot - accuracy) / room).clamp(0.0, 0.5);
        let logit = |p: f64| {
            let p = p.clamp(0.02, 0.98);
            (p / (1.0 - p)).ln()
        };
        Shift { k, misled, up: t * (logit(accuracy) - logit(pilot)).max(0.0), n }
    }

    /// A predicted accuracy, moved.
    pub fn of(&self, p: f64) -> f64 {
        if self.misled > 0.0 {
            return (1.0 - self.misled) * p + self.misled * (1.0 - p) / (self.k - 1.0);
        }
        let p = p.clamp(0.001, 0.999);
        if self.up > 0.0 { logistic((p / (1.0 - p)).ln() + self.up) } else { p }
    }

    /// The estimate of what the draws predict.
    pub fn estimate(&self, predicted: &[f64]) -> Estimate {
        let n = predicted.len().max(1) as f64;
        let mean = predicted.iter().sum::<f64>() / n;
        let variance = predicted.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        let reach = normal_reach(INTERVAL);
        let known = if self.n > 0 { MISSED.powi(2) + OF_ONE / self.n as f64 } else { (BLIND / reach).powi(2) };
        let accuracy = self.of(mean);
        // a few gold items tell less than what is known of crowds in general
        let half = reach * (known.min((BLIND / reach).powi(2)) + variance).sqrt();
        Estimate { accuracy, low: (accuracy - half).max(0.0), high: (accuracy + half).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: t = 40 / 80; .9 predicted, .7 on gold: .5 x .2 / .8 = .125 of the items mislead.
    #[test]
    fn levels_move_by_what_gold_says() {
        let down = Shift::new(2, 0.9, Some(GoldLevel { n: 40, accuracy: 0.7 }));
        assert!((down.of(0.9) - (0.875 * 0.9 + 0.125 * 0.1)).abs() < 1e-12);
        assert!((down.of(1.0) - 0.875).abs() < 1e-12);
        // log odds of .8 and .9: 1.386 and 2.197, half the way
        let up = Shift::new(3, 0.8, Some(GoldLevel { n: 40, accuracy: 0.9 }));
        let want = 1.0 / (1.0 + (-(0.5 * (4f64.ln() + 9f64.ln()))).exp());
        assert!((up.of(0.8) - want).abs() < 1e-12);
        assert_eq!(Shift::new(2, 0.9, None).of(0.83), 0.83);
    }

    #[test]
    fn intervals_narrow_with_gold() {
        let half = |gold: Option<usize>| {
            let gold = gold.map(|n| GoldLevel { n, accuracy: 0.7 });
            let e = Shift::new(2, 0.7, gold).estimate(&[0.7; 8]);
            0.5 * (e.high - e.low)
        };
        assert!((half(None) - 0.16).abs() < 1e-12);
        assert!((half(Some(50)) - 1.645 * (0.0025f64 + 0.0032).sqrt()).abs() < 1e-4);
        assert!(half(Some(200)) < half(Some(50)) && half(Some(1)) <= half(None));
    }
}
