//! The automatic choice: what it reaches on real sets, what it does where models collapse, and that it says why.

use crate::common;

use common::real_set;
use crowdwise_core::questions::evaluate;
use crowdwise_core::simulate::{SimModel, Simulation, Simulator};
use crowdwise_core::{AnyMethod, Context, Dataset, Fit, LabelKind, TableBuilder};
use crowdwise_methods::auto::Auto;
use crowdwise_methods::classes::voting::MajorityVote;

fn fit(m: &impl AnyMethod, data: &Dataset) -> Fit {
    m.fit(data, &mut Context::new(0, 2)).unwrap()
}

/// Sets with their share of right answers (labelled items, ties split) and what was used. Not goldens: a change that moves them by more
/// than a point has to say why.
const EXPECTED: &[(&str, f64, &str)] = &[
    ("adult2", 0.7748, "matrices"),
    ("bluebird", 0.9167, "minimax-entropy"),
    ("cifar10n", 0.9167, "accuracies"),
    ("dog", 0.8389, "matrices"),
    ("face", 0.6490, "matrices"),
    ("fact_eval", 0.9010, "accuracies"),
    ("fej2013", 0.9062, "accuracies"),
    ("hitspam_cf", 0.6600, "matrices"),
    ("labelme", 0.8050, "matrices"),
    ("llmbar", 0.9165, "minimax-entropy"),
    ("medre_cause", 0.7713, "minimax-entropy"),
    ("music", 0.7814, "matrices"),
    ("prelec_art", 0.6111, "matrices"),
    ("prelec_states", 0.9000, "minimax-entropy"),
    ("relevance_s", 0.6078, "matrices"),
    ("reuters", 0.7144, "matrices"),
    ("rte", 0.9275, "matrices"),
    ("sp_amt", 0.9440, "matrices"),
    ("temp", 0.9416, "matrices"),
    ("trec", 0.7086, "matrices"),
    ("valence5", 0.5000, "matrices"),
    ("weather_amt", 0.8533, "minimax-entropy"),
    ("zencrowd_us", 0.9113, "accuracies"),
    ("ws_hausa", 0.5181, "one-class-sources"),
    ("ws_youtube", 0.8756, "one-class-sources"),
];

#[test]
fn accuracy_and_honesty_on_real_sets() {
    let (mut accuracy, mut log_loss, mut ece, mut n) = (0.0, 0.0, 0.0, 0.0);
    let mut bad = Vec::new();
    for &(name, want, model) in EXPECTED {
        let Some((data, gold)) = real_set(name) else { return };
        let gold = gold.unwrap();
        let f = fit(&Auto::default(), &data);
        let e = evaluate(&f, &data, &gold);
        let have = e.accuracy.unwrap();
        let used = f.diagnostics.details["used"][0].as_str().unwrap().to_owned();
        println!("    (\"{name}\", {have:.4}, \"{used}\"),");
        if (have - want).abs() > 0.01 || used != model {
            bad.push(format!("{name}: {have:.4} by {used}, want {want:.4} by {model}"));
        }
        assert!(
            f.findings.iter().any(|x| x.code == "chosen" || x.code == "all-rejected"),
            "{name}: no word about the choice"
        );
        let votes = evaluate(&fit(&MajorityVote::default(), &data), &data, &gold).accuracy.unwrap();
        if e.n >= 200 && have < votes - 0.01 {
            bad.push(format!("{name}: {have:.4}, majority vote {votes:.4}"));
        }
        if !name.starts_with("ws_") && name != "relevance_s" {
            accuracy += have;
            log_loss += e.log_loss.unwrap();
            ece += e.ece.unwrap();
            n += 1.0;
        }
    }
    let (accuracy, log_loss, ece) = (accuracy / n, log_loss / n, ece / n);
    println!("mean accuracy {accuracy:.4}, log-loss {log_loss:.4}, calibration error {ece:.4}");
    assert!(bad.is_empty(), "{bad:#?}");
    assert!(accuracy >= 0.809, "mean accuracy {accuracy:.4}");
    assert!(log_loss < 0.66, "mean log-loss {log_loss:.4}");
    assert!(ece < 0.09, "mean calibration error {ece:.4}");
}

/// Errors that are independent keep sharp probabilities: calibrated, and no worse than the model alone.
#[test]
fn independent_errors_are_not_tempered() {
    for (classes, per_item, accuracy) in [(2, 5, 0.7), (2, 20, 0.7), (3, 5, 0.6), (10, 10, 0.7)] {
        let s = Simulation { items: 1000, annotators: 50, classes, per_item, accuracy, ..Simulation::default() };
        let (data, truth) = Simulator::new(&s, 1).unwrap().dataset().unwrap();
        let told = evaluate(&fit(&Auto::default(), &data), &data, &truth);
        let alone = evaluate(&fit(&Auto { calibrate: false, ..Auto::default() }, &data), &data, &truth);
        let (have, model) = (told.log_loss.unwrap(), alone.log_loss.unwrap());
        println!(
            "{classes} {per_item} {accuracy}: ECE {:.3}, log-loss {have:.3}, model alone {model:.3}",
            told.ece.unwrap()
        );
        assert!(told.ece.unwrap() < 0.05, "{classes} classes, {per_item} labels: ECE {:.3}", told.ece.unwrap());
        assert!(
            have < model + 0.03,
            "{classes} classes, {per_item} labels: log-loss {have:.3}, model alone {model:.3}"
        );
    }
}

/// Sources that vote for one class, 1.4 votes per item, seven classes: one class for all items was the answer once.
#[test]
fn sources_of_one_class_do_not_collapse() {
    let s = Simulation {
        model: SimModel::LabellingFunctions,
        items: 1777,
        annotators: 14,
        classes: 7,
        votes: 1.4,
        accuracy: 0.56,
        ..Simulation::default()
    };
    for seed in 0..3 {
        let (data, truth) = Simulator::new(&s, seed).unwrap().dataset().unwrap();
        let f = fit(&Auto::default(), &data);
        let have = evaluate(&f, &data, &truth).accuracy.unwrap();
        let votes = evaluate(&fit(&MajorityVote::default(), &data), &data, &truth).accuracy.unwrap();
        assert_eq!(f.diagnostics.details["used"][0], "one-class-sources");
        assert!(have > votes - 0.03, "{have} {votes}");
    }
}

/// Soft labels, class shares and expected errors tell one story.
#[test]
fn class_shares_are_those_of_the_probabilities() {
    let (data, _) = crowd(300, &[85, 60, 75, 70, 90, 55]);
    let f = fit(&Auto::default(), &data);
    let (k, q) = f.posterior().unwrap();
    for (c, share) in f.class_prior.as_ref().unwrap().iter().enumerate() {
        let mean = q.chunks_exact(k).map(|row| row[c]).sum::<f64>() / 300.0;
        assert!((mean - share).abs() < 1e-9, "{c}: {mean} {share}");
    }
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
fn calibration_keeps_labels() {
    let (data, _) = crowd(300, &[85, 60, 75, 70, 90, 55]);
    let (told, raw) = (fit(&Auto::default(), &data), fit(&Auto { calibrate: false, ..Auto::default() }, &data));
    let ((_, a), (_, b)) = (told.posterior().unwrap(), raw.posterior().unwrap());
    for (x, y) in a.chunks_exact(2).zip(b.chunks_exact(2)) {
        assert_eq!(x[0] > x[1], y[0] > y[1]);
    }
    assert_eq!(told.model_posterior().unwrap().1, b);
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
