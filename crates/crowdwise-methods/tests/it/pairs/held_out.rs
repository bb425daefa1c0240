//! Held-out answers of the real sets: crowd-bt at or above Bradley-Terry.

use super::common::{fit, scores, shared, sigma};
use crowdwise_core::{Annotators, AnyMethod, Dataset, Preference, stream};
use crowdwise_methods::comparisons::{BradleyTerry, CrowdBradleyTerry};
use rand::RngExt;

/// Whether each decided answer was predicted when it was held out (a fifth at a time), and its -ln P given that there was a
/// winner.
fn held_out(method: &dyn AnyMethod, data: &Dataset) -> Vec<[f64; 2]> {
    let mut rng = stream(1, "held out", 0);
    let part: Vec<u8> = (0..data.table.n_labels()).map(|_| rng.random_range(0..5)).collect();
    let (pairs, said) = data.table.preferences().unwrap();
    let mut out = Vec::new();
    for hidden in 0..5 {
        let train = Dataset::new(data.table.filter_rows(|r| part[r] != hidden));
        let f = fit(method, &train);
        let w = match &f.annotators {
            Annotators::Accuracy { accuracy, .. } => Some(accuracy),
            _ => None,
        };
        let eta = f.diagnostics.details["tie_parameter"].as_f64().unwrap(); // of Rao and Kupper
        for (u, &[l, r]) in pairs.iter().enumerate() {
            let d = scores(&f)[l as usize] - scores(&f)[r as usize];
            let p = sigma(d - eta) / (sigma(d - eta) + sigma(-d - eta));
            for row in data.table.rows(u).filter(|&row| part[row] == hidden) {
                let w = w.map_or(1.0, |w| w[data.table.annotator()[row] as usize]);
                let left = w * p + (1.0 - w) * (1.0 - p);
                let chance = match said[row] {
                    Preference::Left => left,
                    Preference::Right => 1.0 - left,
                    Preference::Tie => continue,
                };
                let right = if chance == 0.5 { 0.5 } else { f64::from(u8::from(chance > 0.5)) };
                out.push([right, -chance.max(1e-12).ln()]);
            }
        }
    }
    out
}

/// Both means, the mean of the differences and its standard error.
fn paired(a: &[[f64; 2]], b: &[[f64; 2]], measure: usize) -> [f64; 4] {
    let n = a.len() as f64;
    let mean = |x: &[[f64; 2]]| x.iter().map(|x| x[measure]).sum::<f64>() / n;
    let by = mean(b) - mean(a);
    let square = a.iter().zip(b).map(|(a, b)| (b[measure] - a[measure] - by).powi(2)).sum::<f64>() / n;
    [mean(a), mean(b), by, (square / n).sqrt()]
}

#[test]
fn crowd_bt_predicts_at_least_as_well() {
    for name in ["age_pairs", "photo_pairs", "ukp_convarg"] {
        let Some(data) = shared(name) else { return };
        let bt = held_out(&BradleyTerry::default(), &data);
        let crowd = held_out(&CrowdBradleyTerry::default(), &data);
        let (accuracy, loss) = (paired(&bt, &crowd, 0), paired(&bt, &crowd, 1));
        eprintln!(
            "{name}: bradley-terry, crowd-bt, difference, standard error: accuracy {accuracy:.4?}, log-loss {loss:.5?}"
        );
        // the same answers are predicted: what chance does is in the standard error of the difference
        assert!(accuracy[2] >= -2.0 * accuracy[3], "{name}: accuracy {accuracy:?}");
        assert!(loss[2] <= 0.0, "{name}: log-loss {loss:?}");
    }
}
