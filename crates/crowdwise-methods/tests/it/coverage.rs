//! 90 % intervals on simulated crowds hold the truth as often as they say: accuracies of annotators for every method for
//! classes, values for every method for numbers, scores for every method for comparisons. `crowdwise repro coverage` does
//! the same with more crowds; its figures are on the pages.

use crate::common;

use common::INDEPENDENT;
use crowdwise_core::simulate::{Design, SimModel, Simulation, coverage, designs};
use crowdwise_core::{Context, LabelKind};

/// Methods that are left out, and why.
fn left_out(id: &str) -> bool {
    // auto chooses among the others, and takes as long as all of them; crowdlab wants a classifier
    id == "auto" || id == "crowdlab"
}

/// Intervals that are known to be too short, and are called so on the page of the method: 0.84 of the values of level-propagation
/// with few labels; cnmf-opt (0.75, 0.83) gets half of such small sets wrong.
const KNOWN: [(&str, &str); 3] = [("level-propagation", "few"), ("cnmf-opt", "coin"), ("cnmf-opt", "spam")];

/// Those whose share lies outside of the limits. Seeds are given, so that nothing here is left to chance.
fn outside(kind: LabelKind, designs: &[Design], times: u64, limits: std::ops::RangeInclusive<f64>) -> Vec<String> {
    let mut bad = Vec::new();
    for e in
        INDEPENDENT.iter().filter(|e| e.info.accepts.contains(&kind) && !e.info.needs.features && !left_out(e.info.id))
    {
        for d in designs {
            let c = coverage(&*e.default(), d, times, |seed| Context::new(seed, 2)).unwrap();
            eprintln!("{} {}: {:.3} of {}, mean width {:.3}", c.method, c.design, c.share(), c.n, c.width);
            if !limits.contains(&c.share()) && !KNOWN.contains(&(c.method, c.design)) {
                bad.push(format!("{} {}: {:.3}", c.method, c.design, c.share()));
            }
        }
    }
    bad
}

/// The four designs, ten crowds of each: 200 intervals (600 of the sparse one) have a standard error of 2 points, more as
/// those of one crowd share its luck.
#[test]
fn accuracies_of_annotators() {
    let bad = outside(LabelKind::Categorical, &designs(LabelKind::Categorical), 10, 0.84..=0.96);
    assert!(bad.is_empty(), "{bad:#?}");
}

/// Crowds that the rule does not assume: classes of very different size, items of different difficulty, habits. With one
/// method, as the rule is one for all.
#[test]
fn accuracies_where_the_model_is_wrong() {
    let usual = || Simulation { items: 200, annotators: 20, classes: 3, per_item: 5, ..Simulation::default() };
    let design = |name, simulation| Design { name, about: "", simulation };
    let designs = [
        design("uneven", Simulation { classes: 2, imbalance: 6.0, items: 300, ..usual() }),
        design("mace", Simulation { model: SimModel::Mace, ..usual() }),
        design("adversaries", Simulation { adversaries: 0.1, ..usual() }),
        design("zipf", Simulation { zipf: 1.0, annotators: 40, ..usual() }),
    ];
    let ds = INDEPENDENT.iter().find(|e| e.info.id == "dawid-skene").unwrap();
    for d in designs {
        let c = coverage(&*ds.default(), &d, 40, |seed| Context::new(seed, 2)).unwrap();
        eprintln!("{}: {:.3} of {}, mean width {:.3}", c.design, c.share(), c.n, c.width);
        assert!((0.84..=0.95).contains(&c.share()), "{}: {:.3}", c.design, c.share());
    }
}

/// 4,000 intervals a design, which share the biases of 20 crowds.
#[test]
fn values_of_items() {
    let bad = outside(LabelKind::Real, &designs(LabelKind::Real), 20, 0.85..=0.95);
    assert!(bad.is_empty(), "{bad:#?}");
}

/// 600 intervals a design.
#[test]
fn scores_of_items() {
    let bad = outside(LabelKind::Preference, &designs(LabelKind::Preference), 40, 0.86..=0.96);
    assert!(bad.is_empty(), "{bad:#?}");
}
