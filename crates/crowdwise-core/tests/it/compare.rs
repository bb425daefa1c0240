//! Methods side by side.

use crate::common::{Failing, Ignorant, OneStep, Votes, real_set};
use crowdwise_core::questions::{CompareRow, compare};
use crowdwise_core::simulate::{Simulation, Simulator};
use crowdwise_core::{AnyMethod, Context, Stop};
use std::sync::atomic::AtomicBool;

fn all() -> Vec<Box<dyn AnyMethod>> {
    vec![Box::new(Votes {}), Box::new(OneStep {}), Box::new(Ignorant {}), Box::new(Failing {})]
}

#[test]
fn agreement_and_drift_are_those_of_numpy() {
    // numpy: votes; then one step of Dawid and Skene, whose cavity is the posterior after it divided by the matrices
    // that made it
    for (name, votes, step, drift) in [
        ("bluebird", 0.588194132, 0.672194422, 0.033442232),
        ("rte", 0.675784827, 0.804074007, 0.058902511),
        ("dog", 0.647899465, 0.740098212, 0.045489902),
    ] {
        let Some((data, gold)) = real_set(name) else { return };
        let c = compare(&data, &all()[..2], gold.as_ref(), 0, &mut Context::default());
        let close = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-8, "{name}: {a:?} is not {b}");
        close(c.methods[0].agreement, votes);
        close(c.methods[0].drift, 0.0);
        close(c.methods[1].agreement, step);
        close(c.methods[1].drift, drift);
        assert!(c.methods[0].held_out_log_loss.is_none() && c.methods[0].evaluation.as_ref().unwrap().n > 0);
    }
}

#[test]
fn hidden_labels_are_predicted_by_those_who_know_and_one_failure_costs_nothing_else() {
    let s = Simulation { items: 1500, annotators: 30, classes: 3, per_item: 6, ..Simulation::default() };
    let sim = Simulator::new(&s, 1).unwrap();
    let (data, gold) = sim.dataset().unwrap();
    let c = compare(&data, &all(), Some(&gold), 5, &mut Context::default());
    let [votes, step, ignorant, failing] = <[CompareRow; 4]>::try_from(c.methods).unwrap();
    // an even prediction of 3 classes costs ln 3 with no spread, and every label is hidden exactly once
    assert!((ignorant.held_out_log_loss.unwrap() - 3f64.ln()).abs() < 1e-9 && ignorant.held_out_se.unwrap() < 1e-9);
    assert_eq!(ignorant.held_out_n, data.table.n_labels() as u64);
    assert!((ignorant.agreement.unwrap() - 1.0 / 3.0).abs() < 1e-9);
    // the truth itself would predict with the annotators' own matrices: nobody does better
    let best: f64 = {
        let t = &data.table;
        let codes = t.categorical().unwrap().codes;
        let truth = gold.classes(t.n_units());
        let loss = |u: usize, r: usize| {
            let a = sim.annotators()[t.annotator()[r] as usize].confusion.as_ref().unwrap();
            -a[truth[u].unwrap() as usize * 3 + codes.get(r)].ln()
        };
        (0..t.n_units()).flat_map(|u| t.rows(u).map(move |r| (u, r))).map(|(u, r)| loss(u, r)).sum::<f64>()
            / t.n_labels() as f64
    };
    let (v, o) = (votes.held_out_log_loss.unwrap(), step.held_out_log_loss.unwrap());
    assert!(best < o && o < v && v < 3f64.ln(), "{best} {o} {v}");
    assert!((0.001..0.02).contains(&step.held_out_se.unwrap()));
    assert!(step.evaluation.as_ref().unwrap().accuracy.unwrap() > 0.9);
    assert_eq!((votes.stop, step.stop), (Some(Stop::Direct), Some(Stop::MaxIter)));
    // what the methods found is kept; the ending is said by `stop`
    assert!(step.findings.iter().any(|f| f.code == "not-converged") && !step.codes().contains(&"not-converged"));
    assert_eq!(failing.failure.as_ref().map(ToString::to_string), failing.error);
    assert_eq!(failing.error.as_deref(), Some("it always fails"));
    assert!(failing.stop.is_none() && failing.agreement.is_none());
}

#[test]
fn a_comparison_does_not_score_what_was_given() {
    let (data, gold) = Simulator::new(&Simulation::default(), 1).unwrap().dataset().unwrap();
    let n = data.table.n_units();
    let data = data.with_gold(gold.clone());
    let c = compare(&data, &all()[..1], Some(&gold), 0, &mut Context::default());
    let e = c.methods[0].evaluation.as_ref().unwrap();
    assert_eq!((e.n, e.gold_left_out, e.accuracy), (0, n, None));
}

#[test]
fn an_interrupted_comparison_keeps_its_rows() {
    let (data, _) = Simulator::new(&Simulation::default(), 1).unwrap().dataset().unwrap();
    let flag = AtomicBool::new(true);
    let c = compare(&data, &all(), None, 5, &mut Context::new(0, 1).with_cancel(&flag));
    assert_eq!(c.methods.len(), 4);
    assert!(c.methods.iter().all(|m| m.error.as_deref().is_some_and(|e| e.contains("interrupted"))));
}

#[test]
fn units_with_one_label_are_never_hidden() {
    let s = Simulation { per_item: 1, items: 50, ..Simulation::default() };
    let (data, _) = Simulator::new(&s, 1).unwrap().dataset().unwrap();
    let c = compare(&data, &all()[..1], None, 5, &mut Context::default());
    assert_eq!((c.methods[0].held_out_n, c.methods[0].held_out_log_loss, c.methods[0].agreement), (0, None, None));
    let two = Simulation { per_item: 2, ..s };
    let (data, _) = Simulator::new(&two, 1).unwrap().dataset().unwrap();
    assert_eq!(compare(&data, &all()[..1], None, 5, &mut Context::default()).methods[0].held_out_n, 100);
}
