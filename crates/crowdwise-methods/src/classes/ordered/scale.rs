//! The scale that all annotators share: grades at whole numbers, thresholds halfway between them.

use crowdwise_numerics::normal_cdf;

/// What an annotator does with a grade: `bias` moves it, `noise` blurs it, and a share `slip` of labels falls anywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub bias: f64,
    pub noise: f64,
    pub slip: f64,
}

impl Reading {
    /// P(label | grade) among `k` grades.
    pub fn probability(self, k: usize, grade: usize, label: usize) -> f64 {
        let at = |threshold: f64| normal_cdf((threshold - grade as f64 - self.bias) / self.noise);
        let below = if label == 0 { 0.0 } else { at(label as f64 - 0.5) };
        let upto = if label + 1 == k { 1.0 } else { at(label as f64 + 0.5) };
        (1.0 - self.slip) * (upto - below).max(0.0) + self.slip / k as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_a_grade_sum_to_one_and_reverse_with_the_bias() {
        for k in [2, 3, 7] {
            for grade in 0..k {
                let r = Reading { bias: 0.4, noise: 0.8, slip: 0.05 };
                let mirrored = Reading { bias: -0.4, ..r };
                let all: f64 = (0..k).map(|l| r.probability(k, grade, l)).sum();
                assert!((all - 1.0).abs() < 1e-12);
                for l in 0..k {
                    let there = mirrored.probability(k, k - 1 - grade, k - 1 - l);
                    assert!((r.probability(k, grade, l) - there).abs() < 1e-12);
                }
            }
        }
    }
}
