//! Curves of strategies beside each other, on a common axis of labels.

use super::{Course, Curve, Replay};
use crate::next::Options;
use crate::strategy::Strategy;
use serde::Serialize;

/// Points of the common axis.
const GRID: usize = 201;
/// Neighbouring points whose mean must reach the level: the first crossing of a noisy curve flatters it.
const WINDOW: usize = 5;
/// The level: this share of the accuracy with all labels.
const SHARE: f64 = 0.99;

/// Standard errors to either side that hold nine means of ten.
pub const INTERVAL: f64 = 1.645;

/// What became of one strategy, beside the first one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    pub strategy: Strategy,
    /// Mean accuracy over the axis, and its difference to the base, in points.
    pub area: f64,
    pub area_diff: f64,
    pub se: f64,
    /// Labels until 99 % of the final accuracy.
    pub labels_to_99: f64,
    pub labels_se: f64,
    /// The same as a share of what the base needs, ordering by ordering.
    pub ratio: f64,
    pub ratio_se: f64,
    /// Share of the orderings that come so far.
    pub reached: f64,
    /// Mean accuracy of the last evaluations, percent, and labels there.
    pub last: f64,
    pub last_labels: f64,
    #[serde(skip)]
    pub curve: Vec<MeanPoint>,
}

/// The mean curve at one number of labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanPoint {
    pub labels: f64,
    pub accuracy: f64,
    pub se: f64,
}

/// Several strategies on one recorded set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    pub items: usize,
    pub labels: usize,
    pub orderings: u64,
    /// Accuracy with all labels, percent.
    pub final_accuracy: f64,
    /// The strategy that others are compared with.
    pub base: Strategy,
    pub outcomes: Vec<Outcome>,
}

/// Replays all strategies, and `base` first if it is not among them.
pub fn compare(
    replay: &Replay,
    base: Strategy,
    strategies: &[Strategy],
    options: &Options,
    how: &Course,
) -> Comparison {
    let mut all = vec![base];
    all.extend(strategies.iter().filter(|s| **s != base));
    let curves = replay.curves(&all, options, how);
    let last = |curve: &Curve| curve.points.last().copied().unwrap_or_default();
    let from = curves[0].iter().filter_map(|c| c.points.first()).map(|p| p.0).min().unwrap_or(0) as f64;
    let to = curves[0].iter().map(|c| last(c).0).max().unwrap_or(0) as f64;
    let axis: Vec<f64> = (0..GRID).map(|g| from + (to - from) * g as f64 / (GRID - 1) as f64).collect();
    let full = replay.final_accuracy();
    let on_axis = |curve: &Curve| -> Vec<f64> { axis.iter().map(|&x| at(&curve.points, x)).collect() };
    let heights: Vec<Vec<Vec<f64>>> = curves.iter().map(|own| own.iter().map(on_axis).collect()).collect();
    let reach = |y: &Vec<f64>| reach(&axis, y, SHARE * full);
    let base_reach: Vec<f64> = heights[0].iter().map(|y| reach(y).unwrap_or(to)).collect();
    let mean = |y: &Vec<f64>| y.iter().sum::<f64>() / y.len() as f64;
    let base_area: Vec<f64> = heights[0].iter().map(mean).collect();
    let outcome = |(s, heights): (usize, &Vec<Vec<f64>>)| {
        let areas: Vec<f64> = heights.iter().map(mean).collect();
        let diffs: Vec<f64> = areas.iter().zip(&base_area).map(|(a, b)| 100.0 * (a - b)).collect();
        let reached: Vec<Option<f64>> = heights.iter().map(reach).collect();
        let labels: Vec<f64> = reached.iter().map(|r| r.unwrap_or(to)).collect();
        let ratios: Vec<f64> = labels.iter().zip(&base_reach).map(|(a, b)| a / b).collect();
        let point = |g: usize| {
            let column: Vec<f64> = heights.iter().map(|y| 100.0 * y[g]).collect();
            let (accuracy, se) = mean_and_error(&column);
            MeanPoint { labels: axis[g], accuracy, se }
        };
        let ends: Vec<(usize, f64)> = curves[s].iter().map(last).collect();
        let (area, _) = mean_and_error(&areas);
        let (area_diff, se) = mean_and_error(&diffs);
        let (labels_to_99, labels_se) = mean_and_error(&labels);
        let (ratio, ratio_se) = mean_and_error(&ratios);
        Outcome {
            strategy: all[s],
            area: 100.0 * area,
            area_diff,
            se,
            labels_to_99,
            labels_se,
            ratio,
            ratio_se,
            reached: reached.iter().flatten().count() as f64 / reached.len().max(1) as f64,
            last: ends.iter().map(|e| 100.0 * e.1).sum::<f64>() / ends.len().max(1) as f64,
            last_labels: ends.iter().map(|e| e.0 as f64).sum::<f64>() / ends.len().max(1) as f64,
            curve: (0..GRID).map(point).collect(),
        }
    };
    Comparison {
        items: replay.n_items(),
        labels: replay.n_labels(),
        orderings: how.orderings,
        final_accuracy: 100.0 * full,
        base,
        outcomes: heights.iter().enumerate().map(outcome).collect(),
    }
}

/// Mean and its standard error; no error from a single number.
pub(crate) fn mean_and_error(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n.max(1.0);
    if x.len() < 2 {
        return (mean, 0.0);
    }
    let square = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (square / n).sqrt())
}

/// The curve between its points; level before the first and after the last.
fn at(points: &[(usize, f64)], x: f64) -> f64 {
    let after = points.partition_point(|p| (p.0 as f64) < x);
    match (after.checked_sub(1).map(|b| points[b]), points.get(after)) {
        (Some(a), Some(&b)) => a.1 + (b.1 - a.1) * (x - a.0 as f64) / (b.0 - a.0) as f64,
        (Some(a), None) => a.1,
        (None, b) => b.map_or(f64::NAN, |b| b.1),
    }
}

/// The first place where the mean of neighbouring heights reaches the level.
fn reach(x: &[f64], y: &[f64], level: f64) -> Option<f64> {
    let found = y.windows(WINDOW).position(|w| w.iter().sum::<f64>() / WINDOW as f64 >= level)?;
    Some(x[found + WINDOW / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_meet_on_the_axis() {
        let points = [(10, 0.5), (20, 0.7), (40, 0.9)];
        for (x, y) in [(5.0, 0.5), (10.0, 0.5), (15.0, 0.6), (20.0, 0.7), (30.0, 0.8), (40.0, 0.9), (99.0, 0.9)] {
            assert!((at(&points, x) - y).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn one_lucky_evaluation_is_not_the_level() {
        let x: Vec<f64> = (0..10).map(f64::from).collect();
        let y = [0.1, 0.1, 0.95, 0.1, 0.1, 0.9, 0.9, 0.9, 0.9, 0.9];
        assert_eq!(reach(&x, &y, 0.9), Some(7.0));
        assert_eq!(reach(&x, &y, 0.91), None);
        let (mean, se) = mean_and_error(&[1.0, 2.0, 3.0]);
        assert!((mean - 2.0).abs() < 1e-12 && (se - (1f64 / 3.0).sqrt()).abs() < 1e-12);
    }
}
