//! Wald's sequential test of a guesser against a good annotator.

use crowdwise_core::{Error, Problems};
use crowdwise_numerics::binomial_tail;
use serde::{Deserialize, Serialize};

/// A test by gold questions whether an annotator is good or guesses. Questions are asked one at a time until the answers tell,
/// which takes about half as many as a test of fixed length with the same error rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequentialTest {
    /// Accuracy of a guesser: who is not better shall be rejected.
    pub guesser: f64,
    /// Accuracy of a good annotator: who is not worse shall be accepted.
    pub good: f64,
    /// Probability that a guesser is accepted.
    pub accept_guesser: f64,
    /// Probability that a good annotator is rejected.
    pub reject_good: f64,
}

/// What the answers so far say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// As good as a good annotator.
    Accept,
    /// As bad as a guesser.
    Reject,
    /// The answers do not tell yet.
    AskMore,
}

/// How the test goes for an annotator of some accuracy: exact, by following every number of right answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    /// Probability of being accepted in the end.
    pub accepted: f64,
    /// Mean number of questions.
    pub mean: f64,
    /// `ends[n]` = probability that the test ends with the n-th question.
    pub ends: Vec<f64>,
}

impl Walk {
    /// The number of questions that suffices with probability `p`.
    pub fn quantile(&self, p: f64) -> usize {
        let mut sum = 0.0;
        let done = self.ends.iter().position(|e| {
            sum += e;
            sum >= p
        });
        done.unwrap_or(self.ends.len().saturating_sub(1))
    }
}

/// A test of fixed length with the same error rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixed {
    pub questions: usize,
    /// With at least this many right answers an annotator passes.
    pub pass_mark: usize,
}

/// Until all but this probability has ended the walk goes on: nothing is left out that a printed digit would show.
const LEFT: f64 = 1e-9;
/// Tests between accuracies that are almost equal are followed no further.
const LONGEST: usize = 100_000;

impl SequentialTest {
    /// A test whose guesser is a little better than chance among `k` classes, as a biased coin can be.
    pub fn for_classes(k: usize, good: f64) -> SequentialTest {
        SequentialTest { guesser: guess(k), good, accept_guesser: 0.05, reject_good: 0.05 }
    }

    pub fn check(&self) -> Result<(), Error> {
        let mut problems = Problems::default();
        problems.between("guesser", self.guesser, 0.0, 1.0);
        problems.between("good", self.good, 0.0, 1.0);
        problems.between("accept_guesser", self.accept_guesser, 0.0, 0.5);
        problems.between("reject_good", self.reject_good, 0.0, 0.5);
        if problems.0.is_empty() {
            let above = format!("greater than `guesser` ({})", self.guesser);
            problems.require(self.good > self.guesser, "good", self.good, &above);
        }
        Error::all(problems.0)
    }

    /// What a right and a wrong answer add to the evidence (log likelihood ratio) for a good annotator.
    pub fn steps(&self) -> [f64; 2] {
        [(self.good / self.guesser).ln(), ((1.0 - self.good) / (1.0 - self.guesser)).ln()]
    }

    /// Evidence from which an annotator is accepted, and that down to which one is rejected.
    pub fn thresholds(&self) -> [f64; 2] {
        let (a, b) = (self.accept_guesser, self.reject_good);
        [((1.0 - b) / a).ln(), (b / (1.0 - a)).ln()]
    }

    /// What so many right and wrong answers say.
    pub fn decide(&self, right: usize, wrong: usize) -> Verdict {
        let ([up, down], [accept, reject]) = (self.steps(), self.thresholds());
        let evidence = right as f64 * up + wrong as f64 * down;
        if evidence >= accept {
            Verdict::Accept
        } else if evidence <= reject {
            Verdict::Reject
        } else {
            Verdict::AskMore
        }
    }

    /// How the test goes for an annotator who is right with probability `accuracy`.
    pub fn walk(&self, accuracy: f64) -> Walk {
        // probability of r right answers after n questions, where the test has not ended
        let mut open = vec![1.0];
        let mut out = Walk { accepted: 0.0, mean: 0.0, ends: vec![0.0] };
        let mut ended = 0.0;
        for n in 1..=LONGEST {
            let mut next = vec![0.0; n + 1];
            let mut now = 0.0;
            for (right, &weight) in open.iter().enumerate().filter(|(_, w)| **w > 0.0) {
                for (r, p) in [(right + 1, weight * accuracy), (right, weight * (1.0 - accuracy))] {
                    match self.decide(r, n - r) {
                        Verdict::AskMore => next[r] += p,
                        verdict => {
                            now += p;
                            out.accepted += if verdict == Verdict::Accept { p } else { 0.0 };
                        }
                    }
                }
            }
            ended += now;
            out.mean += n as f64 * now;
            out.ends.push(now);
            open = next;
            if ended > 1.0 - LEFT {
                break;
            }
        }
        out.accepted /= ended;
        out.mean /= ended;
        out
    }

    /// Wald's approximation of the mean number of questions for a guesser and for a good annotator; too low by 10 to 35 % where
    /// fewer than ten are enough.
    pub fn wald_means(&self) -> [f64; 2] {
        let ([up, down], [accept, reject]) = (self.steps(), self.thresholds());
        let mean =
            |accepted: f64, p: f64| (accepted * accept + (1.0 - accepted) * reject) / (p * up + (1.0 - p) * down);
        [mean(self.accept_guesser, self.guesser), mean(1.0 - self.reject_good, self.good)]
    }

    /// The shortest test of fixed length with at most these error rates; none where it would be longer than anybody asks.
    pub fn fixed(&self) -> Option<Fixed> {
        let passes = |mark: usize, n: usize, p: f64| binomial_tail(mark as f64, n as f64, p);
        let mut mark = 1;
        for questions in 1..=LONGEST {
            // the lowest mark that few guessers reach never falls as questions are added
            while mark <= questions && passes(mark, questions, self.guesser) > self.accept_guesser {
                mark += 1;
            }
            if mark <= questions && 1.0 - passes(mark, questions, self.good) <= self.reject_good {
                return Some(Fixed { questions, pass_mark: mark });
            }
        }
        None
    }
}

/// The accuracy up to which somebody counts as guessing among `k` classes.
pub(super) fn guess(k: usize) -> f64 {
    1.0 / k.max(2) as f64 + 0.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_numerics::stream;
    use rand::RngExt;

    fn test(guesser: f64, good: f64, a: f64, b: f64) -> SequentialTest {
        SequentialTest { guesser, good, accept_guesser: a, reject_good: b }
    }

    /// Figures of an independent program: fixed length and mark by the binomial distribution, means and 95 % points of the exact walk.
    #[test]
    fn walks_and_fixed_tests_are_those_of_an_independent_program() {
        for (p0, p1, fixed, means, point) in [
            (0.5, 0.7, (67, 41), [33.29, 34.45], 82),
            (0.5, 0.8, (28, 19), [13.81, 15.79], 33),
            (0.5, 0.9, (13, 10), [6.54, 8.58], 17),
            (0.25, 0.6, (23, 10), [12.03, 11.38], 27),
            (0.25, 0.75, (9, 5), [5.57, 5.57], 13),
            (0.25, 0.9, (6, 4), [3.30, 3.74], 8),
            (0.1, 0.6, (8, 3), [5.63, 4.82], 11),
        ] {
            let t = test(p0, p1, 0.05, 0.05);
            assert_eq!(t.fixed(), Some(Fixed { questions: fixed.0, pass_mark: fixed.1 }), "{p0} {p1}");
            let walks = [t.walk(p0), t.walk(p1)];
            for (walk, mean) in walks.iter().zip(means) {
                assert!((walk.mean - mean).abs() <= 0.0051, "{p0} {p1}: {} {mean}", walk.mean);
                assert!((walk.ends.iter().sum::<f64>() - 1.0).abs() < 1e-8);
            }
            assert_eq!(walks.iter().map(|w| w.quantile(0.95)).max(), Some(point), "{p0} {p1}");
        }
        for (p0, p1, fixed, means) in [
            (0.5, 0.7, 96, [36.15, 53.51]),
            (0.5, 0.8, 40, [14.67, 23.32]),
            (0.5, 0.9, 19, [6.87, 12.32]),
            (0.25, 0.6, 30, [12.70, 16.86]),
            (0.25, 0.75, 16, [5.94, 9.41]),
            (0.25, 0.9, 8, [3.43, 5.33]),
            (0.1, 0.6, 13, [5.81, 6.36]),
        ] {
            let t = test(p0, p1, 0.01, 0.05);
            assert_eq!(t.fixed().map(|f| f.questions), Some(fixed), "{p0} {p1}");
            for (p, mean) in [p0, p1].into_iter().zip(means) {
                let have = t.walk(p).mean;
                assert!((have - mean).abs() <= 0.0051, "{p0} {p1} at {p}: {have} {mean}");
            }
        }
    }

    /// Wald's bounds: the error rates of the test are at most a / (1 - b) and b / (1 - a), and simulated annotators keep to the exact
    /// walk within four standard errors.
    #[test]
    fn error_rates_are_kept() {
        for (p0, p1, a, b) in [(0.5, 0.7, 0.05, 0.05), (0.25, 0.9, 0.01, 0.05), (0.1, 0.6, 0.1, 0.02)] {
            let t = test(p0, p1, a, b);
            let (guesser, good) = (t.walk(p0), t.walk(p1));
            assert!(guesser.accepted <= a / (1.0 - b) + 1e-9 && 1.0 - good.accepted <= b / (1.0 - a) + 1e-9);
            assert!(t.wald_means()[0] <= guesser.mean + 1e-9 && t.wald_means()[1] <= good.mean + 1e-9);
            let mut rng = stream(5, "annotators", 0);
            let crowd = 4000;
            for (p, walk) in [(p0, &guesser), (p1, &good), (0.5 * (p0 + p1), &t.walk(0.5 * (p0 + p1)))] {
                let (mut accepted, mut asked, mut square) = (0.0, 0.0, 0.0);
                for _ in 0..crowd {
                    let (mut right, mut wrong) = (0, 0);
                    while t.decide(right, wrong) == Verdict::AskMore {
                        if rng.random::<f64>() < p { right += 1 } else { wrong += 1 }
                    }
                    accepted += if t.decide(right, wrong) == Verdict::Accept { 1.0 } else { 0.0 };
                    let n = (right + wrong) as f64;
                    asked += n;
                    square += n * n;
                }
                let n = crowd as f64;
                let (rate, mean) = (accepted / n, asked / n);
                let error = (walk.accepted * (1.0 - walk.accepted) / n).sqrt();
                assert!((rate - walk.accepted).abs() < 4.0 * error, "{p}: {rate} {}", walk.accepted);
                assert!((mean - walk.mean).abs() < 4.0 * ((square / n - mean * mean) / n).sqrt(), "{p}: {mean}");
            }
        }
    }

    #[test]
    fn bad_tests_are_refused_with_all_that_is_wrong() {
        let said = test(1.2, 0.0, 0.7, 0.05).check().unwrap_err().to_string();
        for name in ["`guesser` is 1.2", "`good` is 0", "`accept_guesser` is 0.7"] {
            assert!(said.contains(name), "{said}");
        }
        assert!(test(0.6, 0.6, 0.05, 0.05).check().unwrap_err().to_string().contains("`guesser` (0.6)"));
        assert!(SequentialTest::for_classes(4, 0.8).check().is_ok());
        assert!((SequentialTest::for_classes(4, 0.8).guesser - 0.35).abs() < 1e-12);
    }
}
