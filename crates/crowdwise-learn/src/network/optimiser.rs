//! Adam, SGD with momentum, RMSprop.

use super::Param;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The optimiser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OptimiserKind {
    #[default]
    Adam,
    /// With momentum 0.9.
    Sgd,
    Rmsprop,
}

/// Steps down the gradient.
#[derive(Clone, Debug)]
pub struct Optimiser {
    pub kind: OptimiserKind,
    pub learning_rate: f64,
    /// Pulls weights (not offsets) towards 0: added to the gradient, times the weight.
    pub weight_decay: f64,
    /// Multiplies the learning rate.
    pub factor: f64,
    steps: i32,
}

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const MOMENTUM: f32 = 0.9;
const SMOOTHING: f32 = 0.99;
const EPS: f32 = 1e-8;

impl Optimiser {
    pub fn new(kind: OptimiserKind, learning_rate: f64, weight_decay: f64) -> Self {
        Optimiser { kind, learning_rate, weight_decay, factor: 1.0, steps: 0 }
    }

    pub(super) fn step<'a>(&mut self, params: impl Iterator<Item = &'a mut Param>) {
        self.steps = self.steps.saturating_add(1);
        let rate = self.learning_rate * self.factor;
        for p in params {
            let decay = if p.decayed { self.weight_decay as f32 } else { 0.0 };
            match self.kind {
                OptimiserKind::Adam => {
                    let spread = (1.0 / (1.0 - BETA2.powi(self.steps))) as f32;
                    adam(p, (rate / (1.0 - BETA1.powi(self.steps))) as f32, spread, decay);
                }
                OptimiserKind::Sgd => {
                    let rate = rate as f32;
                    for ((w, g), m) in p.w.iter_mut().zip(&p.g).zip(&mut p.m) {
                        *m = MOMENTUM * *m + g + decay * *w;
                        *w -= rate * *m;
                    }
                }
                OptimiserKind::Rmsprop => {
                    let rate = rate as f32;
                    for ((w, g), v) in p.w.iter_mut().zip(&p.g).zip(&mut p.v) {
                        let g = g + decay * *w;
                        *v = SMOOTHING * *v + (1.0 - SMOOTHING) * g * g;
                        *w -= rate * g / (v.sqrt() + EPS);
                    }
                }
            }
        }
    }
}

/// One step of Adam; `rate` and `spread` hold the corrections for the first steps.
fn adam(p: &mut Param, rate: f32, spread: f32, decay: f32) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { adam_avx2(p, rate, spread, decay) };
        return;
    }
    adam_body(p, rate, spread, decay);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn adam_avx2(p: &mut Param, rate: f32, spread: f32, decay: f32) {
    adam_body(p, rate, spread, decay);
}

#[inline(always)]
#[allow(clippy::inline_always)] // compiled once for each instruction set
fn adam_body(p: &mut Param, rate: f32, spread: f32, decay: f32) {
    let (b1, b2) = (BETA1 as f32, BETA2 as f32);
    let all = p.w.iter_mut().zip(&p.g).zip(p.m.iter_mut().zip(&mut p.v));
    for ((w, g), (m, v)) in all {
        let g = g + decay * *w;
        *m = b1 * *m + (1.0 - b1) * g;
        *v = b2 * *v + (1.0 - b2) * g * g;
        *w -= rate * *m / ((*v * spread).sqrt() + EPS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_steps_are_those_of_the_definitions() {
        let after = |kind| {
            let mut o = Optimiser::new(kind, 0.1, 0.5);
            let mut p = Param::new(vec![2.0, 2.0], true);
            p.g = vec![3.0, -1.0];
            o.step(std::iter::once(&mut p));
            p.w
        };
        // decayed gradients are 4 and 0; Adam's first step is the rate, whatever the gradient
        let close = |a: Vec<f32>, b: [f32; 2]| assert!(a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-6), "{a:?}");
        close(after(OptimiserKind::Adam), [1.9, 2.0]);
        close(after(OptimiserKind::Sgd), [1.6, 2.0]);
        close(after(OptimiserKind::Rmsprop), [1.0, 2.0]);
    }

    #[test]
    fn all_of_them_find_the_bottom() {
        for (kind, rate) in [(OptimiserKind::Adam, 0.05), (OptimiserKind::Sgd, 0.02), (OptimiserKind::Rmsprop, 0.05)] {
            let mut o = Optimiser::new(kind, rate, 0.0);
            let mut p = Param::new(vec![3.0, -2.0], false);
            for n in 0..2000 {
                o.factor = 1.0 / (1.0 + n as f64 / 50.0);
                p.g = vec![p.w[0] - 1.0, 4.0 * (p.w[1] - 1.0)];
                o.step(std::iter::once(&mut p));
            }
            assert!(p.w.iter().all(|w| (w - 1.0).abs() < 1e-2), "{kind:?}: {:?}", p.w);
        }
    }
}
