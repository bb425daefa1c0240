//! Whether annotators of real values use the scale alike. What all of them share no interval sees; that they differ shows
//! that the scale is one of opinion, so that their common part is likely to be off as well.

use crate::{Dataset, Finding, Severity, Subject};

/// Labels with others beside them below which an annotator's slope says nothing, and annotators that are needed.
const FEWEST: f64 = 10.0;
const ANNOTATORS: usize = 5;
/// Slopes that vary by more than this times what chance explains, and by more than this beyond it, are different scales.
const RATIO: f64 = 3.0;
const SPREAD: f64 = 0.1;
/// Share of the values at the lowest or the highest from which the scale is said to end too soon.
const AT_END: f64 = 0.2;

/// Slopes of annotators' values on what the others say.
struct Slopes {
    used: usize,
    /// Mean squared distance in standard errors.
    ratio: f64,
    /// Standard deviation beyond chance, about a mean.
    spread: f64,
    mean: f64,
}

pub(super) fn findings(data: &Dataset) -> Vec<Finding> {
    let mut out = Vec::new();
    let Some(x) = data.table.real() else { return out };
    if let Some(s) = slopes(data, x).filter(|s| s.ratio > RATIO && s.spread > SPREAD * s.mean.abs()) {
        out.push(Finding::new(
            "scales-differ",
            Severity::Warning,
            Subject::Data,
            format!(
                "annotators use the scale differently: where the others say one more, {} annotators say {:.2} ± {:.2} more, {:.0} times the variance of chance. Intervals take the crowd's scale and mean bias as right; what all share they do not see",
                s.used, s.mean, s.spread, s.ratio
            ),
            "trust the order of the items more than the values; `gaussian-annotators` with `scale=true` gives each a scale of its own, and known values of some items (⟦--gold⟧) fix the common one",
        ));
    }
    out.extend(at_the_ends(x));
    out
}

fn at_the_ends(x: &[f64]) -> Option<Finding> {
    let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &v| (a.min(v), b.max(v)));
    let n = x.len() as f64;
    let share = |end: f64| x.iter().filter(|v| **v == end).count() as f64 / n;
    let (at, often) = if share(low) >= share(high) { (low, share(low)) } else { (high, share(high)) };
    (low < high && n >= 50.0 && often >= AT_END).then(|| {
        Finding::new(
            "values-at-the-end",
            Severity::Warning,
            Subject::Data,
            format!(
                "{:.0} % of the values are {at}, the {} one given: the scale ends there, errors point one way, and intervals, which expect them on both sides, do not hold",
                100.0 * often,
                if at == low { "lowest" } else { "highest" }
            ),
            "treat the values as ordered classes (⟦--kind categorical --ordered⟧), or the items at the end apart",
        )
    })
}

/// A line for each annotator: values on the mean of the other values of the item, all without the annotators' mean
/// residuals.
fn slopes(data: &Dataset, x: &[f64]) -> Option<Slopes> {
    let (table, m) = (&data.table, data.table.n_annotators());
    let who = table.annotator();
    let mean_of = |u: usize, bias: &[f64]| {
        let rows = table.rows(u);
        let n = rows.len().max(1) as f64;
        rows.map(|r| x[r] - bias[who[r] as usize]).sum::<f64>() / n
    };
    let shared = || (0..table.n_units()).filter(|&u| table.degree(u) > 1);
    let mut bias = vec![0.0; m];
    let mut n = vec![0.0; m];
    for round in 0..3 {
        let mut sum = vec![0.0; m];
        for u in shared() {
            let mean = mean_of(u, &bias);
            for r in table.rows(u) {
                sum[who[r] as usize] += x[r] - mean;
                n[who[r] as usize] += f64::from(u8::from(round == 0));
            }
        }
        (0..m).filter(|&j| n[j] > 0.0).for_each(|j| bias[j] = sum[j] / n[j]);
    }
    // sums of others, own, their squares and product, by annotator
    let mut s = vec![[0.0; 5]; m];
    let centre = shared().map(|u| mean_of(u, &bias)).sum::<f64>() / shared().count().max(1) as f64;
    for u in shared() {
        let (mean, d) = (mean_of(u, &bias), table.degree(u) as f64);
        for r in table.rows(u) {
            let j = who[r] as usize;
            let own = x[r] - bias[j];
            let (a, b) = ((mean * d - own) / (d - 1.0) - centre, own - centre);
            s[j].iter_mut().zip([a, b, a * a, b * b, a * b]).for_each(|(s, v)| *s += v);
        }
    }
    let line = |j: usize| {
        let ([a, b, aa, bb, ab], n) = (s[j], n[j]);
        if n < FEWEST {
            return None;
        }
        let (vx, vy, c) = (aa - a * a / n, bb - b * b / n, ab - a * b / n);
        let slope = c / vx;
        let variance = (vy - slope * c).max(0.0) / (n - 2.0) / vx;
        (slope.is_finite() && variance > 1e-12 * slope * slope && variance.is_finite()).then_some((slope, variance))
    };
    let lines: Vec<(f64, f64)> = (0..m).filter_map(line).collect();
    if lines.len() < ANNOTATORS {
        return None;
    }
    let k = lines.len() as f64;
    let weight: f64 = lines.iter().map(|l| 1.0 / l.1).sum();
    let centre = lines.iter().map(|l| l.0 / l.1).sum::<f64>() / weight;
    let ratio = lines.iter().map(|l| (l.0 - centre).powi(2) / l.1).sum::<f64>() / (k - 1.0);
    let mean = lines.iter().map(|l| l.0).sum::<f64>() / k;
    let spread = lines.iter().map(|l| (l.0 - mean).powi(2)).sum::<f64>() / (k - 1.0);
    let chance = lines.iter().map(|l| l.1).sum::<f64>() / k;
    Some(Slopes { used: lines.len(), ratio, spread: (spread - chance).max(0.0).sqrt(), mean })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{SimModel, Simulation, Simulator};
    use crate::{LabelKind, TableBuilder};

    fn codes(data: &Dataset) -> Vec<String> {
        findings(data).into_iter().map(|f| f.code).collect()
    }

    #[test]
    fn biases_and_noise_alone_are_no_scales() {
        for (per_item, seed) in [(3, 1), (5, 2), (5, 3), (15, 4), (15, 5)] {
            let s = Simulation {
                model: SimModel::Real,
                items: 200,
                annotators: 20,
                per_item,
                bias_sd: 1.0,
                ..Simulation::default()
            };
            let (data, _) = Simulator::new(&s, seed).unwrap().dataset().unwrap();
            assert!(codes(&data).is_empty(), "{per_item} {seed}: {:?}", findings(&data));
        }
    }

    #[test]
    fn scales_of_their_own_and_ends_are_told() {
        let s = Simulation {
            model: SimModel::Real,
            items: 200,
            annotators: 20,
            per_item: 6,
            truth_sd: 3.0,
            ..Simulation::default()
        };
        let (data, _) = Simulator::new(&s, 1).unwrap().dataset().unwrap();
        let x = data.table.real().unwrap();
        let made = |change: &dyn Fn(usize, f64) -> f64| {
            let mut b = TableBuilder::new(LabelKind::Real);
            for u in 0..data.table.n_units() {
                for r in data.table.rows(u) {
                    let j = data.table.annotator()[r] as usize;
                    b.value(&format!("i{u}"), &format!("a{j}"), change(j, x[r]));
                }
            }
            Dataset::new(b.finish().unwrap())
        };
        assert_eq!(codes(&made(&|j, v| v * (0.5 + j as f64 / 20.0))), ["scales-differ"]);
        assert_eq!(codes(&made(&|_, v| v.max(0.0))), ["values-at-the-end"]);
        assert!(codes(&made(&|_, v| v)).is_empty());
    }
}
