//! Held-out answers of the real sets: crowd-bt at or above Bradley-Terry.
#![allow(clippy::print_stderr)] // the figures are for the table of results

use crate::common::{fit, scores, shared, sigma};
use crowdwise_core::{Annotators, AnyMethod, Dataset, Preference, stream};
use crowdwise_methods::preference::BradleyTerry;
use crowdwise_structured::pairs::CrowdBradleyTerry;
use rand::RngExt;

/// Share of held-out decided answers that were predicted, and their mean -ln P (ties aside), over five parts.
fn held_out(method: &dyn AnyMethod, data: &Dataset) -> [f64; 2] {
    let mut rng = stream(1, "held out", 0);
    let part: Vec<u8> = (0..data.table.n_labels()).map(|_| rng.random_range(0..5)).collect();
    let (pairs, said) = data.table.preferences().unwrap();
    let (mut right, mut loss, mut n) = (0.0, 0.0, 0.0);
    for hidden in 0..5 {
        let train = Dataset::new(data.table.filter_rows(|r| part[r] != hidden));
        let f = fit(method, &train);
        let w = match &f.annotators {
            Annotators::Accuracy { accuracy, .. } => Some(accuracy),
            _ => None,
        };
        for (u, &[l, r]) in pairs.iter().enumerate() {
            let p = sigma(scores(&f)[l as usize] - scores(&f)[r as usize]);
            for row in data.table.rows(u).filter(|&row| part[row] == hidden) {
                let w = w.map_or(1.0, |w| w[data.table.annotator()[row] as usize]);
                let left = w * p + (1.0 - w) * (1.0 - p);
                let chance = match said[row] {
                    Preference::Left => left,
                    Preference::Right => 1.0 - left,
                    Preference::Tie => continue,
                };
                n += 1.0;
                right += if chance > 0.5 {
                    1.0
                } else if chance == 0.5 {
                    0.5
                } else {
                    0.0
                };
                loss -= chance.max(1e-12).ln();
            }
        }
    }
    [right / n, loss / n]
}

#[test]
fn crowd_bt_predicts_at_least_as_well() {
    for name in ["age_pairs", "photo_pairs", "ukp_convarg"] {
        let Some(data) = shared(name) else { return };
        let bt = held_out(&BradleyTerry::default(), &data);
        let crowd = held_out(&CrowdBradleyTerry::default(), &data);
        eprintln!("{name}: accuracy {:.4} -> {:.4}, log-loss {:.4} -> {:.4}", bt[0], crowd[0], bt[1], crowd[1]);
        // the standard error of an accuracy is .0017 or more
        assert!(crowd[0] >= bt[0] - 0.0008, "{name}: accuracy {bt:?} {crowd:?}");
        assert!(crowd[1] <= bt[1], "{name}: log-loss {bt:?} {crowd:?}");
    }
}
