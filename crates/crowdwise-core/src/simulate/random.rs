//! Random numbers that depend on what they are for, not on when they are drawn.
//!
//! An answer is a function of (seed, annotator, item). A follower can thus say what its leader would have said of an
//! item that the leader never saw, and blocks of any size give the same data.

use std::f64::consts::TAU;

/// What a number is drawn for.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    Truth = 1,
    Answer,
    Copy,
    Ease,
    Noise,
    NoisePhase,
    Left,
    Right,
    Order,
    Score,
    ScorePhase,
    EasePhase,
    Length,
    Feature,
    FeaturePhase,
    Stay,
    Neighbour,
    Shown,
    Choice,
    Embedding,
    View,
    Weight,
    WeightPhase,
}

/// Mixing function of the SplitMix64 generator: every bit of the input changes half of the output.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Numbers of one seed.
#[derive(Clone, Copy, Debug)]
pub struct Keyed(pub u64);

impl Keyed {
    pub fn bits(self, purpose: Purpose, a: u64, b: u64) -> u64 {
        mix(mix(mix(self.0 ^ mix(purpose as u64)) ^ a).wrapping_add(b.rotate_left(32)))
    }

    /// In [0, 1).
    pub fn uniform(self, purpose: Purpose, a: u64, b: u64) -> f64 {
        (self.bits(purpose, a, b) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Below `n`, by multiplication: the bias is below n / 2^64.
    pub fn below(self, purpose: Purpose, a: u64, b: u64, n: u64) -> u64 {
        ((self.bits(purpose, a, b) as u128 * n as u128) >> 64) as u64
    }

    /// Standard normal, by Box and Muller from two numbers.
    pub fn normal(self, radius: Purpose, phase: Purpose, a: u64, b: u64) -> f64 {
        let r = (-2.0 * (1.0 - self.uniform(radius, a, b)).ln()).sqrt();
        r * (TAU * self.uniform(phase, a, b)).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_normal_and_unrelated() {
        let key = Keyed(7);
        let n = 200_000u64;
        let u: Vec<f64> = (0..n).map(|i| key.uniform(Purpose::Answer, i % 100, i / 100)).collect();
        let mean = u.iter().sum::<f64>() / n as f64;
        let lag = u.windows(2).map(|w| (w[0] - 0.5) * (w[1] - 0.5)).sum::<f64>() / n as f64 * 12.0;
        // standard errors: 0.29 / sqrt(n) = 6.5e-4 and 1 / sqrt(n) = 2.2e-3
        assert!((mean - 0.5).abs() < 0.003 && lag.abs() < 0.01, "{mean} {lag}");
        let z: Vec<f64> = (0..n).map(|i| key.normal(Purpose::Noise, Purpose::NoisePhase, i, 3)).collect();
        let (m, v) = (z.iter().sum::<f64>() / n as f64, z.iter().map(|x| x * x).sum::<f64>() / n as f64);
        assert!(m.abs() < 0.01 && (v - 1.0).abs() < 0.02, "{m} {v}");
        let mut seen = [0u32; 7];
        (0..70_000).for_each(|i| seen[key.below(Purpose::Left, i, 0, 7) as usize] += 1);
        assert!(seen.iter().all(|&s| (9_500..10_500).contains(&s)), "{seen:?}");
    }
}
