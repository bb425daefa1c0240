//! 90 % intervals hold the accuracy 87 to 93 times of 100, on crowds that the rule assumes and on others.

use super::tests::fit_of;
use super::*;
use crate::simulate::{Role, SimModel, Simulation, Simulator, designs};
use crate::{Annotators, LabelKind};

const CROWDS: u64 = 100;

/// Intervals and those that hold the accuracy; of guessers and adversaries alone.
fn covered(s: &Simulation) -> [[f64; 2]; 2] {
    let mut count = [[0.0; 2]; 2];
    for seed in 0..CROWDS {
        let sim = Simulator::new(s, seed).unwrap();
        let data = sim.dataset().unwrap().0;
        let c = data.table.categorical().unwrap();
        let mut q = vec![0.0; s.classes * data.table.n_units()];
        q.chunks_exact_mut(s.classes).enumerate().for_each(|(u, row)| c.vote_shares(u, row));
        let fit = fit_of(&data, q, Annotators::None);
        let rates = rates(&data, &fit, &Tally::of(&data, &fit, false).unwrap(), 0.9).unwrap();
        for (rate, a) in rates.iter().zip(sim.annotators()) {
            let (Some(rate), Some(truth)) = (rate, a.accuracy) else { continue };
            let inside = f64::from(u8::from(rate.interval[0] <= truth && truth <= rate.interval[1]));
            for n in 0..if a.role == Role::Ordinary { 1 } else { 2 } {
                count[n][0] += 1.0;
                count[n][1] += inside;
            }
        }
    }
    count
}

/// 2,000 intervals (6,000 of the sparse crowds), of which those of one crowd share its luck.
#[test]
fn nine_of_ten_hold_the_accuracy() {
    let usual = || Simulation { items: 200, annotators: 20, classes: 3, per_item: 5, ..Simulation::default() };
    let mut all: Vec<(&str, Simulation)> =
        designs(LabelKind::Categorical).into_iter().map(|d| (d.name, d.simulation)).collect();
    all.extend([
        ("uneven classes", Simulation { imbalance: 3.0, ..usual() }),
        ("adversaries", Simulation { adversaries: 0.2, ..usual() }),
        ("two classes, guessers", Simulation { classes: 2, items: 400, spammers: 0.2, ..usual() }),
        ("40, of whom 16 guess", Simulation { items: 400, annotators: 40, spammers: 0.4, ..usual() }),
        ("hardly better than chance", Simulation { accuracy: 0.55, ..usual() }),
        ("six classes", Simulation { classes: 6, items: 300, ..usual() }),
        ("knows or guesses", Simulation { model: SimModel::Mace, ..usual() }),
        ("15 labels per item", Simulation { per_item: 15, ..usual() }),
        ("10 labels per item, guessers", Simulation { per_item: 10, spammers: 0.25, ..usual() }),
    ]);
    let mut bad = Vec::new();
    for (name, s) in all {
        let [everybody, special] = covered(&s).map(|c| c[1] / c[0]);
        if !(0.87..=0.93).contains(&everybody) || special < 0.84 {
            bad.push(format!("{name}: {everybody:.3}, guessers and adversaries {special:.3}"));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}
