//! The automatic choice: what it reaches on real sets, what it does where models collapse, and that it says why.

mod common;

use common::real_set;
use crowdwise_core::questions::evaluate;
use crowdwise_core::{AnyMethod, Context, Dataset, Fit, LabelKind, TableBuilder};
use crowdwise_methods::auto::Auto;
use crowdwise_methods::voting::MajorityVote;

fn fit(m: &impl AnyMethod, data: &Dataset) -> Fit {
    m.fit(data, &mut Context::new(0, 2)).unwrap()
}

/// Accuracies (labelled items, ties split) of an independent numpy program with the same rule, and which models it used.
const REFERENCE: &[(&str, f64, &str)] = &[
    ("adult2", 0.7718, "full+anneal"),
    ("bluebird", 0.8981, "full+anneal+flat"),
    ("cifar10n", 0.9167, "one"),
    ("dog", 0.8401, "full+anneal+flat"),
    ("face", 0.6524, "full+anneal+flat"),
    ("fact_eval", 0.9010, "one"),
    ("fej2013", 0.9062, "one"),
    ("hitspam_cf", 0.6600, "full+anneal+flat"),
    ("labelme", 0.7980, "full+anneal+flat"),
    ("llmbar", 0.8329, "one"),
    ("medre_cause", 0.7641, "full+anneal+flat"),
    ("music", 0.7843, "full+anneal+flat"),
    ("prelec_art", 0.6111, "full+anneal+flat"),
    ("prelec_states", 0.8933, "full+anneal+flat"),
    ("relevance_s", 0.6076, "full+anneal+flat"),
    ("reuters", 0.7206, "full+anneal"),
    ("rte", 0.9287, "full+anneal+flat"),
    ("sp_amt", 0.9460, "one"),
    ("temp", 0.9416, "full+anneal+flat"),
    ("trec", 0.7112, "full+anneal+flat"),
    ("valence5", 0.4500, "full+anneal+flat"),
    ("weather_amt", 0.8500, "full+anneal+flat"),
    ("zencrowd_us", 0.9113, "one"),
    ("ws_hausa", 0.5085, "anneal+flat"),
    ("ws_youtube", 0.9051, "two-step"),
];

fn used(f: &Fit) -> String {
    let short = |name: &str| match name {
        "accuracies" => "one",
        "matrices" => "full",
        "annealed matrices" => "anneal",
        "matrices, even classes" => "flat",
        _ => "two-step",
    };
    let names = f.diagnostics.details["used"].as_array().unwrap();
    names.iter().map(|n| short(n.as_str().unwrap())).collect::<Vec<_>>().join("+")
}

#[test]
fn accuracy_and_honesty_on_real_sets() {
    let (mut accuracy, mut log_loss, mut ece, mut n) = (0.0, 0.0, 0.0, 0.0);
    for &(name, want, models) in REFERENCE {
        let Some((data, gold)) = real_set(name) else { return };
        let gold = gold.unwrap();
        let f = fit(&Auto::default(), &data);
        let e = evaluate(&f, &data, &gold);
        let have = e.accuracy_labelled.or(e.accuracy).unwrap();
        // repeated labels count each time here, once in the reference
        assert!((have - want).abs() < 0.004, "{name}: {have:.4}, want {want:.4}");
        assert_eq!(used(&f), models, "{name}");
        assert!(
            f.findings.iter().any(|x| x.code == "chosen" || x.code == "all-rejected"),
            "{name}: no word about the choice"
        );
        let votes = evaluate(&fit(&MajorityVote::default(), &data), &data, &gold);
        let votes = votes.accuracy_labelled.or(votes.accuracy).unwrap();
        if e.n >= 200 {
            assert!(have > votes - 0.01, "{name}: {have:.4}, majority vote {votes:.4}");
        }
        if !name.starts_with("ws_") && name != "relevance_s" {
            accuracy += have;
            log_loss += e.log_loss.unwrap();
            ece += e.ece.unwrap();
            n += 1.0;
        }
    }
    let (accuracy, log_loss, ece) = (accuracy / n, log_loss / n, ece / n);
    assert!(accuracy >= 0.802, "mean accuracy {accuracy:.4}");
    assert!(log_loss < 0.58, "mean log-loss {log_loss:.4}");
    assert!(ece < 0.08, "mean calibration error {ece:.4}");
}

/// `n` items of two classes, labelled by `accuracies.len()` annotators who are right in so many of 100 cases, in a fixed pattern.
fn crowd(n: usize, accuracies: &[usize]) -> (Dataset, Vec<usize>) {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let truth: Vec<usize> = (0..n).map(|i| i * 7 % 2).collect();
    for (i, &z) in truth.iter().enumerate() {
        for (j, &a) in accuracies.iter().enumerate() {
            let right = (i * 37 + j * 61 + i * i * (j + 3)) % 100 < a;
            b.label(&format!("i{i}"), &format!("w{j}"), ["no", "yes"][if right { z } else { 1 - z }]).unwrap();
        }
    }
    (Dataset::new(b.finish().unwrap()), truth)
}

#[test]
fn few_annotators_leave_the_vote() {
    let (data, _) = crowd(40, &[90, 80]);
    let f = fit(&Auto::default(), &data);
    assert_eq!(f.diagnostics.details["used"][0], "majority-vote");
    assert!(f.findings.iter().any(|x| x.code == "chosen" && x.message.contains("fewer than three")));
}

#[test]
fn agreeing_annotators_make_the_vote_enough() {
    let (data, truth) = crowd(300, &[99, 99, 98, 99, 99]);
    let f = fit(&Auto::default(), &data);
    let said = f.findings.iter().find(|x| x.code == "chosen").expect("a word about the choice");
    assert!(said.message.contains("majority vote is enough"), "{}", said.message);
    let (_, q) = f.posterior().unwrap();
    let right = truth.iter().enumerate().filter(|&(i, &z)| (q[2 * i + z]) > 0.5).count();
    assert!(right >= 297, "{right} of 300");
}

#[test]
fn tempering_keeps_labels_and_lowers_confidence() {
    let (data, _) = crowd(300, &[85, 60, 75, 70, 90, 55]);
    let (hot, raw) = (fit(&Auto::default(), &data), fit(&Auto { calibrate: false, ..Auto::default() }, &data));
    let ((_, a), (_, b)) = (hot.posterior().unwrap(), raw.posterior().unwrap());
    for (x, y) in a.chunks_exact(2).zip(b.chunks_exact(2)) {
        assert_eq!(x[0] > x[1], y[0] > y[1]);
        assert!(x[0].max(x[1]) <= y[0].max(y[1]).max(0.5) + 1e-12);
    }
}

#[test]
fn other_kinds_of_labels_have_their_method() {
    let mut b = TableBuilder::new(LabelKind::Real);
    for (item, who, x) in [("a", "u", 1.0), ("a", "v", 2.0), ("b", "u", 4.0)] {
        b.value(item, who, x);
    }
    let f = fit(&Auto::default(), &Dataset::new(b.finish().unwrap()));
    // two annotators cannot be told apart; the choice between models is tested beside them
    assert_eq!(f.diagnostics.details["used"][0], "mean");
}
