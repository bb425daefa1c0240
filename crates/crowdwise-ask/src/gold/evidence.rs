//! Right and wrong answers to gold questions that came without a plan.

use super::sequential::guess;
use crowdwise_core::stats::{LEVEL, rate_interval, rate_interval_at};
use crowdwise_numerics::binomial_tail;
use serde::{Deserialize, Serialize};

/// Answers of one annotator, or of the crowd, to gold questions. The counts may be expected ones: an answer to an item that is
/// known with probability .9 counts as .9 of a right one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub right: f64,
    pub wrong: f64,
}

/// Right and wrong answers that everybody is credited with: most annotators are better than chance.
const PRIOR: [f64; 2] = [2.0, 1.0];
/// From this probability of guessing on an annotator is suspended.
const SURE: f64 = 0.95;

impl Record {
    pub fn n(&self) -> f64 {
        self.right + self.wrong
    }

    /// Share of right answers; none without answers.
    pub fn accuracy(&self) -> Option<f64> {
        (self.n() > 0.0).then(|| self.right / self.n())
    }

    /// 90 % interval of the accuracy.
    pub fn interval(&self) -> [f64; 2] {
        rate_interval(self.right, self.n())
    }

    /// P(accuracy < `p`) under a Beta(2, 1) prior.
    pub fn below(&self, p: f64) -> f64 {
        let (a, b) = (PRIOR[0] + self.right, PRIOR[1] + self.wrong);
        // the Beta distribution function as a binomial tail
        binomial_tail(a, a + b - 1.0, p)
    }

    /// Whether it is as good as certain that the annotator guesses among `k` classes.
    pub fn suspend(&self, k: usize) -> bool {
        self.below(guess(k)) > SURE
    }
}

/// Half the width of the 90 % interval of an accuracy after `n` gold questions.
pub fn half_width(accuracy: f64, n: usize) -> f64 {
    let [low, high] = rate_interval_at(accuracy * n as f64, n as f64, LEVEL);
    0.5 * (high - low)
}

/// The least number of gold questions after which the 90 % interval of an accuracy is at most `half` to each side.
pub fn questions_for(accuracy: f64, half: f64) -> Option<usize> {
    if !(half.is_finite() && half > 0.0 && (0.0..=1.0).contains(&accuracy)) {
        return None;
    }
    let mut high = 1usize;
    while half_width(accuracy, high) > half {
        high = high.checked_mul(2).filter(|n| *n <= 1 << 40)?;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if half_width(accuracy, middle) > half {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By scipy.stats.beta, to two digits.
    #[test]
    fn intervals_narrow_as_questions_are_added() {
        for (n, want) in [(5, 0.26), (10, 0.20), (20, 0.14), (50, 0.09), (100, 0.07)] {
            assert!((half_width(0.8, n) - want).abs() <= 0.0051, "{n}: {}", half_width(0.8, n));
            assert!(questions_for(0.8, half_width(0.8, n)).unwrap() <= n);
        }
        let n = questions_for(0.8, 0.05).unwrap();
        assert!(half_width(0.8, n) <= 0.05 && half_width(0.8, n - 1) > 0.05, "{n}");
        assert_eq!((questions_for(0.8, 0.0), questions_for(0.8, f64::NAN)), (None, None));
    }

    #[test]
    fn who_guesses_is_suspended() {
        // Beta(2, 1): P(p < x) = x^2
        assert!((Record::default().below(0.6) - 0.36).abs() < 1e-12);
        // Beta(2, 1 + n): 1 - (1 - x)^(n + 1) (1 + (n + 1) x)
        let wrong = Record { right: 0.0, wrong: 3.0 };
        assert!((wrong.below(0.6) - (1.0 - 0.4f64.powi(4) * (1.0 + 4.0 * 0.6))).abs() < 1e-12);
        // the smallest runs of wrong answers that suspend, for two and for four classes
        let run = |k: usize| (1..60).find(|n| Record { right: 0.0, wrong: *n as f64 }.suspend(k)).unwrap();
        assert_eq!([run(2), run(4)], [4, 10]);
        assert!(!Record { right: 8.0, wrong: 2.0 }.suspend(2) && Record { right: 9.0, wrong: 21.0 }.suspend(2));
    }
}
