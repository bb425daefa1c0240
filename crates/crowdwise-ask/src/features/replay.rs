//! Asking from beginning to end: learn, choose, take the answers, and again.

use super::choose::{Choice, Strategy, choose};
use super::learner::Learner;
use super::oracle::Oracle;
use crowdwise_core::questions::{area_under_curve, evaluate_rows};
use crowdwise_core::{Context, Error, Features, stream};
use crowdwise_learn::Labels;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// How it is asked.
#[derive(Clone, Copy, Debug)]
pub struct Replay {
    pub strategy: Strategy,
    /// Labels at random before the first choice: an item each as long as there are items.
    pub start: usize,
    /// Questions between two refits.
    pub batch: usize,
    /// Labels in all.
    pub budget: usize,
    /// Share of the items whose annotator is drawn all the same.
    pub explore: f64,
    pub seed: u64,
}

/// How things stood after a refit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Labels so far.
    pub labels: usize,
    /// Percent of the new items that the classifier gets right.
    pub accuracy: f64,
    /// Area under its curve, in percent; not a number where there are more than two classes or only one.
    pub auc: f64,
    /// Percent of the items with labels whose class is found.
    pub inferred: f64,
    /// Percent of the answers since the start that were right.
    pub right: f64,
}

/// What is known of the truth, to judge by.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// Classes of the items, where known.
    pub truth: &'a [Option<usize>],
    /// New items and their classes.
    pub test: (&'a Features, &'a [usize]),
}

/// Asks until the budget is spent or nobody is left to ask. The truth judges and never teaches.
pub fn replay(
    how: &Replay,
    oracle: &mut dyn Oracle,
    learner: &mut dyn Learner,
    judged: Judged<'_>,
    cx: &mut Context<'_>,
) -> Result<Vec<Point>, Error> {
    let (n, m, k) = (oracle.items(), oracle.annotators(), oracle.classes());
    let mut rows = begin(how, oracle);
    let started = rows.len();
    let mut curve = Vec::new();
    for batch in 0.. {
        let labels = Labels::of_rows(n, m, k, &rows);
        learner.refit(&labels, cx)?;
        let known = learner.known(&labels, cx)?;
        let new = learner.predict(judged.test.0)?;
        let classes: Vec<(usize, usize)> = judged.test.1.iter().copied().enumerate().collect();
        let labelled: Vec<(usize, usize)> =
            (0..n).filter(|&i| labels.degree(i) > 0).filter_map(|i| Some((i, judged.truth[i]?))).collect();
        let percent = |x: Option<f64>| x.map_or(f64::NAN, |x| 100.0 * x);
        let hits = |from: usize| {
            let known: Vec<bool> =
                rows[from..].iter().filter_map(|r| Some(judged.truth[r.0 as usize]? == r.2 as usize)).collect();
            let all = known.len();
            (all > 0).then(|| known.into_iter().filter(|x| *x).count() as f64 / all as f64)
        };
        curve.push(Point {
            labels: rows.len(),
            accuracy: percent(evaluate_rows(k, &new.rows, &classes).accuracy),
            auc: percent(area_under_curve(k, &new.rows, &classes).filter(|_| k == 2)),
            inferred: percent(evaluate_rows(k, &known.q, &labelled).accuracy),
            right: percent(hits(started)),
        });
        let want = how.batch.min(how.budget.saturating_sub(rows.len())).min(oracle.left());
        if want == 0 || cx.cancelled() {
            break;
        }
        let choice = Choice { strategy: how.strategy, want, explore: how.explore };
        let mut rng = stream(how.seed, "questions", batch);
        let asked = choose(&choice, learner, &known, &labels, &*oracle, &mut rng)?;
        if asked.is_empty() {
            break;
        }
        for q in asked {
            rows.push((q.item, q.annotator, oracle.answer(q.item as usize, q.annotator)));
        }
    }
    Ok(curve)
}

/// The labels to begin with: items in a random order, as often as needed, of each a random annotator.
fn begin(how: &Replay, oracle: &mut dyn Oracle) -> Vec<(u32, u32, u32)> {
    let mut rng: ChaCha8Rng = stream(how.seed, "first questions", 0);
    let mut order: Vec<usize> = (0..oracle.items()).collect();
    let mut rows = Vec::with_capacity(how.start);
    let want = how.start.min(oracle.left());
    while rows.len() < want {
        order.shuffle(&mut rng);
        for &i in &order {
            let free = oracle.of(i);
            if rows.len() == want || free.is_empty() {
                continue;
            }
            let j = free[rng.random_range(0..free.len())];
            rows.push((i as u32, j, oracle.answer(i, j)));
        }
    }
    rows
}

/// Mean accuracy on new items over the curve.
pub fn area(curve: &[Point]) -> f64 {
    curve.iter().map(|p| p.accuracy).sum::<f64>() / curve.len().max(1) as f64
}

/// How many labels it takes until the accuracy on new items, averaged over `window` refits, is at least `goal`; none if that never
/// happens. Curves of several runs are averaged before, so that no lucky refit counts.
pub fn labels_to(accuracy: &[f64], labels: &[usize], goal: f64, window: usize) -> Option<f64> {
    let w = window.max(1).min(accuracy.len().max(1));
    let smooth = accuracy.windows(w).map(|a| a.iter().sum::<f64>() / w as f64);
    let at = smooth.into_iter().position(|a| a >= goal)?;
    Some(labels[at..at + w].iter().sum::<usize>() as f64 / w as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_crossing_of_a_smoothed_curve() {
        let accuracy = [50.0, 90.0, 55.0, 70.0, 80.0, 82.0, 84.0];
        let labels = [10, 20, 30, 40, 50, 60, 70];
        assert_eq!(labels_to(&accuracy, &labels, 90.0, 1), Some(20.0));
        // means of three: 65, 71.7, 68.3, 77.3, 82
        assert_eq!(labels_to(&accuracy, &labels, 75.0, 3), Some(50.0));
        assert_eq!(labels_to(&accuracy, &labels, 83.0, 3), None);
    }
}
