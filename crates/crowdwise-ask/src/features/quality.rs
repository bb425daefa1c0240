//! ActiveLab with a classifier: how good the consensus of labels and classifier is (Goh and Mueller, 2023).

use super::learner::dataset;
use crowdwise_core::{Context, Error, Method, Probabilities, stats};
use crowdwise_learn::Labels;
use crowdwise_methods::classes::sources::Crowdlab;

/// Temperatures that are tried first.
const GRID: [f64; 9] = [0.1, 0.2, 0.5, 0.8, 1.0, 2.0, 3.0, 5.0, 8.0];

/// Quality of the consensus of every item; the lowest are asked. `p` holds the classifier's probabilities, items x K, best by a
/// classifier that has not seen the item's own labels.
pub fn active_lab(labels: &Labels, p: &[f64]) -> Result<Vec<f64>, Error> {
    let k = labels.k;
    let several = (0..labels.items()).any(|i| labels.degree(i) > 1);
    let t = if several { temperature(labels, p) } else { 1.0 };
    let scaled = tempered(p, k, t);
    let names: Vec<String> = (0..k).map(|c| format!("c{c:0w$}", w = k.to_string().len())).collect();
    let mut data = dataset(labels, &names, None)?;
    data.probabilities = Some(Probabilities::new(k, scaled.clone(), "the classifier")?);
    let out = Crowdlab::default().fit(&data, &mut Context::default())?;
    let weights: Vec<f64> = numbers(&out.diagnostics.details, "annotator_weights");
    let model = numbers(&out.diagnostics.details, "model_weight").first().copied().unwrap_or(1.0);
    let typical = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    let crowdwise_core::Truth::Classes { posterior, .. } = &out.truth else { return Ok(vec![0.0; labels.items()]) };
    let quality = |i: usize| {
        let own = if labels.degree(i) > 0 { &posterior[i * k..][..k] } else { &scaled[i * k..][..k] };
        let all = model + labels.of(i).map(|(j, _)| weights[j]).sum::<f64>();
        (all * own[stats::argmax(own)] + typical / k as f64) / (all + typical)
    };
    Ok((0..labels.items()).map(quality).collect())
}

fn numbers(details: &serde_json::Map<String, serde_json::Value>, name: &str) -> Vec<f64> {
    let found = details.get(name);
    found.and_then(|v| v.as_array()).map_or_else(
        || found.and_then(serde_json::Value::as_f64).into_iter().collect(),
        |all| all.iter().filter_map(serde_json::Value::as_f64).collect(),
    )
}

/// Rows of soft-max(ln p / t).
fn tempered(p: &[f64], k: usize, t: f64) -> Vec<f64> {
    let mut out: Vec<f64> = p.iter().map(|p| p.max(1e-12).ln() / t).collect();
    out.chunks_exact_mut(k.max(1)).for_each(|row| _ = stats::softmax(row));
    out
}

/// The temperature at which the classifier says best what the labels say: the grid, then quarter steps around its best.
fn temperature(labels: &Labels, p: &[f64]) -> f64 {
    let shares = labels.vote_shares();
    let k = labels.k;
    let loss = |t: &f64| -> f64 {
        let q = tempered(p, k, *t);
        let of = |i: usize| -> f64 { (0..k).map(|c| -shares[i * k + c] * q[i * k + c].max(1e-300).ln()).sum() };
        (0..labels.items()).filter(|&i| labels.degree(i) > 0).map(of).sum()
    };
    let best = |all: &[f64]| -> f64 {
        all.iter().map(|t| (loss(t), *t)).min_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |b| b.1)
    };
    let rough = best(&GRID);
    let at = GRID.iter().position(|t| *t == rough).unwrap_or(4);
    let (low, high) = (GRID[at.saturating_sub(1)], GRID[(at + 1).min(GRID.len() - 1)]);
    let steps = |from: f64, to: f64| (0..=4).map(move |s| from + f64::from(s) / 4.0 * (to - from));
    best(&steps(low, rough).chain(steps(rough, high)).collect::<Vec<f64>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of an independent program of the published formulas, with a temperature of 0.575.
    #[test]
    fn scores_are_those_of_the_formulas() {
        let rows = [
            (0, 0, 0),
            (0, 1, 0),
            (0, 2, 1),
            (1, 0, 1),
            (1, 1, 1),
            (2, 1, 2),
            (2, 2, 2),
            (2, 3, 0),
            (3, 0, 1),
            (4, 2, 0),
            (4, 3, 2),
            (5, 0, 2),
            (5, 3, 2),
        ];
        let p =
            [0.6, 0.3, 0.1, 0.2, 0.7, 0.1, 0.1, 0.2, 0.7, 0.3, 0.4, 0.3, 0.5, 0.2, 0.3, 0.2, 0.2, 0.6, 0.45, 0.35, 0.2];
        let labels = Labels::of_rows(7, 4, 3, &rows);
        assert!((temperature(&labels, &p) - 0.575).abs() < 1e-12);
        let want = [
            0.7160504989550258,
            0.7878303385010348,
            0.793898173142002,
            0.5204076077478524,
            0.5808444766533452,
            0.7263883587765259,
            0.5027292484839532,
        ];
        let have = active_lab(&labels, &p).unwrap();
        for (i, (a, b)) in have.iter().zip(want).enumerate() {
            assert!((a - b).abs() < 1e-9, "item {i}: {a} for {b}");
        }
    }
}
