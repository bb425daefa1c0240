//! Standard errors of weighted means whose weights come from the same values.
//!
//! Residuals from such an estimate are too small: whoever is weighed more draws it nearer. The difference of two values of
//! one item owes nothing to any estimate: its square is the sum of both annotators' mean squared errors, bias and noise
//! together, if they err independently.

use crowdwise_core::Table;

/// Labels' worth of the typical error in that of each annotator.
const POOLED: f64 = 2.0;
/// Rounds in which what an annotator differs is divided between it and the others.
const ROUNDS: usize = 20;

/// Mean squared error of every annotator; NaN for all if no item has two values and none is known.
pub(crate) fn squared_errors(table: &Table, x: &[f64], known: &[Option<f64>]) -> Vec<f64> {
    let (m, who) = (table.n_annotators(), table.annotator());
    // sums over an annotator's labels: squared differences (mean over the others of the item), labels that have others
    let (mut apart, mut n) = (vec![0.0; m], vec![0.0; m]);
    let (mut all, mut count) = (0.0, 0.0);
    for (u, known) in known.iter().enumerate() {
        let rows = table.rows(u);
        if rows.len() < 2 && known.is_none() {
            continue;
        }
        let centre = known.unwrap_or_else(|| super::average(&x[rows.clone()]));
        let square: f64 = rows.clone().map(|r| (x[r] - centre).powi(2)).sum();
        for r in rows.clone() {
            let j = who[r] as usize;
            let own = (x[r] - centre).powi(2);
            // Σ (x - x_o)² = n (x - mean)² + Σ (x_o - mean)²
            let d = rows.len() as f64;
            apart[j] += if known.is_some() { own } else { (d * own + square) / (d - 1.0) };
            n[j] += 1.0;
            all += if known.is_some() { own } else { square / (d - 1.0) };
            count += 1.0;
        }
    }
    let typical = all / count; // NaN if there is nothing
    let mut v = vec![typical; m];
    let mut others = vec![0.0; m];
    for _ in 0..ROUNDS {
        others.fill(0.0);
        for u in (0..known.len()).filter(|&u| known[u].is_none() && table.degree(u) > 1) {
            let rows = table.rows(u);
            let sum: f64 = rows.clone().map(|r| v[who[r] as usize]).sum();
            let d = rows.len() as f64;
            rows.for_each(|r| others[who[r] as usize] += (sum - v[who[r] as usize]) / (d - 1.0));
        }
        for j in 0..m {
            let own = ((apart[j] - others[j]).max(0.0) + POOLED * typical) / (n[j] + POOLED);
            // half of the way: the whole one would overshoot
            v[j] = 0.5 * (v[j] + own);
        }
    }
    v
}

/// Standard error of the weighted mean of these (weight, mean squared error); NaN where nobody has weight.
pub(crate) fn of_mean(of: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut square, mut total) = (0.0, 0.0);
    for (w, v) in of {
        square += w * w * v;
        total += w;
    }
    if total > 0.0 { square.sqrt() / total } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{LabelKind, TableBuilder, stream};
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn errors_are_found_without_an_estimate() {
        let mut rng = stream(1, "test", 0);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let mut b = TableBuilder::new(LabelKind::Real);
        // bias and noise
        let truth = [(0.0, 0.2), (0.5, 1.0), (-1.0, 0.5), (0.0, 2.0)];
        for i in 0..3000 {
            let y = 10.0 * normal();
            for (j, (bias, sd)) in truth.iter().enumerate() {
                b.value(&format!("i{i}"), &format!("a{j}"), y + bias + sd * normal());
            }
        }
        let table = b.finish().unwrap();
        let known = vec![None; 3000];
        let v = squared_errors(&table, table.real().unwrap(), &known);
        for (v, (bias, sd)) in v.iter().zip(truth) {
            let want: f64 = bias * bias + sd * sd;
            // the mean of all biases cannot be seen, which is -0.125 here
            assert!((v - want).abs() < 0.3 * want.max(1.0), "{v} {want}");
        }
    }

    #[test]
    fn nothing_is_known_of_single_values() {
        let mut b = TableBuilder::new(LabelKind::Real);
        b.value("i", "a", 1.0);
        b.value("j", "a", 2.0);
        let table = b.finish().unwrap();
        assert!(squared_errors(&table, table.real().unwrap(), &[None, None]).iter().all(|v| v.is_nan()));
        assert!(of_mean([(0.0, 1.0)].into_iter()).is_nan());
        assert!((of_mean([(1.0, 1.0), (1.0, 1.0)].into_iter()) - 0.5f64.sqrt()).abs() < 1e-12);
    }
}
