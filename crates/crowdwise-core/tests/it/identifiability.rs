//! What the labels determine, and fits that show that they do not.

use crate::common::fit_of;
use crowdwise_core::questions::{Basis, findings, identifiability, inspect};
use crowdwise_core::simulate::{Simulation, Simulator};
use crowdwise_core::{Annotators, Dataset, Finding, Fit, LabelKind, Severity, TableBuilder, Truth};

fn made(s: &Simulation) -> Dataset {
    Simulator::new(s, 1).unwrap().dataset().unwrap().0
}

fn crowd(classes: usize, accuracy: f64) -> Dataset {
    made(&Simulation { items: 600, annotators: 15, per_item: 6, classes, accuracy, ..Simulation::default() })
}

/// Vote shares with class `c` called `as_class(c)`, and the matrices that go with them.
fn fit_as(data: &Dataset, as_class: impl Fn(usize) -> usize) -> Fit {
    let c = data.table.categorical().unwrap();
    let (k, m) = (c.k(), data.table.n_annotators());
    let mut posterior = vec![0.0; data.table.n_units() * k];
    let mut matrix = vec![0.01; m * k * k];
    let mut votes = vec![0.0; k];
    for u in 0..data.table.n_units() {
        votes.fill(0.0);
        c.votes(u, &mut votes);
        let d = data.table.degree(u) as f64;
        for t in 0..k {
            let q = votes[t] / d;
            posterior[u * k + as_class(t)] += q;
            data.table.rows(u).for_each(|r| {
                matrix[data.table.annotator()[r] as usize * k * k + as_class(t) * k + c.codes.get(r)] += q;
            });
        }
    }
    for row in matrix.chunks_exact_mut(k) {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|x| *x /= sum);
    }
    fit_of(data, Truth::Classes { k, posterior }, Annotators::Confusion { k, matrix })
}

fn with_code(all: Vec<Finding>, code: &str) -> Vec<Finding> {
    all.into_iter().filter(|f| f.code == code).collect()
}

#[test]
fn a_good_crowd_determines_everything() {
    let data = crowd(3, 0.9);
    let i = inspect(&data, 0).identifiability.unwrap();
    assert_eq!((i.basis, i.triples.needed, i.triples.examined), (Basis::Votes, 8, 15));
    assert_eq!((i.triples.full_rank, i.triples.annotators), (15, 15));
    assert_eq!((i.pairs.observed, i.pairs.possible, i.pairs.examined), (105, 105, 105));
    // a pair shares 86 items: enough to see the third class of most pairs, not of two weak annotators
    assert!(i.pairs.full_rank > 75, "{:?}", i.pairs);
    let more = made(&Simulation {
        items: 6000,
        annotators: 15,
        per_item: 6,
        accuracy: 0.9,
        classes: 3,
        ..Simulation::default()
    });
    assert!(identifiability(&more, None).unwrap().pairs.full_rank > 100);
    let [low, middle, high] = i.pairs.ratio.unwrap();
    assert!(0.0 < low && low <= middle && middle <= high && high <= 1.0);
    assert!(i.separation.iter().all(|s| s.score.unwrap() > 0.7 && s.n >= 10), "{:?}", i.separation);
    assert_eq!(i.hardest.len(), 3);
    assert!((i.labels_per_item - 6.0).abs() < 1e-12 && i.error_bound.unwrap() < 0.2, "{i:?}");
    // the matrices of a fit do not suffer from the errors of the others
    let f = identifiability(&data, Some(&fit_as(&data, |c| c))).unwrap();
    assert_eq!(f.basis, Basis::Fit);
    assert!(f.hardest[0].exponent > i.hardest[0].exponent && f.error_bound < i.error_bound);
}

/// Known parameters: K = 2, every annotator right with probability 0.7: exponent 0.0872 per label.
#[test]
fn exponents_of_a_known_crowd() {
    let data = crowd(2, 0.7);
    let k = 2;
    let posterior = vec![0.5; data.table.n_units() * k];
    let f = fit_of(&data, Truth::Classes { k, posterior }, Annotators::Accuracy { k, accuracy: vec![0.7; 15] });
    let i = identifiability(&data, Some(&f)).unwrap();
    // six of fifteen annotators label an item: - 15 ln(1 - 0.4 (1 - 0.9165))
    let per = 1.0 - 0.4 * (1.0 - 2.0 * (0.7f64 * 0.3).sqrt());
    assert!((i.hardest[0].exponent - -15.0 * per.ln()).abs() < 0.01, "{}", i.hardest[0].exponent);
}

#[test]
fn random_answers_determine_nothing() {
    let data = made(&Simulation {
        items: 600,
        annotators: 15,
        per_item: 6,
        classes: 3,
        spammers: 1.0,
        ..Simulation::default()
    });
    let i = inspect(&data, 0);
    let d = i.identifiability.unwrap();
    assert_eq!((d.triples.full_rank, d.triples.annotators), (0, 0), "{:?}", d.triples);
    assert!(d.hardest[0].exponent < 0.05 && d.error_bound.unwrap() > 0.5);
    assert_eq!(i.findings.iter().filter(|f| f.code == "weak-identifiability").count(), 1);
}

#[test]
fn exchanged_classes_are_reported() {
    let data = crowd(3, 0.85);
    let good = with_code(findings(&data, &fit_as(&data, |c| c)), "label-switching");
    assert_eq!(good, []);
    let swapped = with_code(findings(&data, &fit_as(&data, |c| [1, 0, 2][c])), "label-switching");
    assert_eq!((swapped.len(), swapped[0].severity), (1, Severity::Problem));
    assert_eq!(swapped[0].message.matches('`').count(), 4, "{}", swapped[0].message);
    let turned = with_code(findings(&data, &fit_as(&data, |c| (c + 1) % 3)), "label-switching");
    assert_eq!(turned[0].message.matches('`').count(), 6);
}

#[test]
fn classes_that_a_fit_does_not_tell_apart_are_reported() {
    let data = crowd(3, 0.85);
    let mut f = fit_as(&data, |c| c);
    assert_eq!(with_code(findings(&data, &f), "indistinct-classes"), []);
    // classes 1 and 2 of the fit are halves of the two together
    if let (Truth::Classes { posterior, .. }, Annotators::Confusion { matrix, .. }) = (&mut f.truth, &mut f.annotators)
    {
        for q in posterior.chunks_exact_mut(3) {
            let half = 0.5 * (q[1] + q[2]);
            (q[1], q[2]) = (half, half);
        }
        for c in matrix.chunks_exact_mut(9) {
            for l in 0..3 {
                let half = 0.5 * (c[3 + l] + c[6 + l]);
                (c[3 + l], c[6 + l]) = (half, half);
            }
        }
    }
    assert_eq!(with_code(findings(&data, &f), "indistinct-classes").len(), 1);
    assert_eq!(with_code(findings(&data, &f), "weak-identifiability").len(), 1);
}

#[test]
fn odd_tables_are_no_reason_to_fail() {
    let mut one = TableBuilder::new(LabelKind::Categorical);
    one.label("x", "a", "c").unwrap();
    assert_eq!(inspect(&Dataset::new(one.finish().unwrap()), 0).identifiability, None);
    let mut two = TableBuilder::new(LabelKind::Categorical);
    two.label("x", "a", "c").unwrap();
    two.label("x", "b", "d").unwrap();
    let i = inspect(&Dataset::new(two.finish().unwrap()), 0).identifiability.unwrap();
    assert_eq!((i.triples.annotators, i.pairs.examined, i.pairs.ratio), (0, 0, None));
    let mut real = TableBuilder::new(LabelKind::Real);
    real.value("x", "a", 1.0);
    assert_eq!(inspect(&Dataset::new(real.finish().unwrap()), 0).identifiability, None);
}
