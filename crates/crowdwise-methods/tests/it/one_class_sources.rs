//! One-class sources: against a numpy program that shares no code with it, on simulated functions, and beside majority vote.

use crate::common;

use common::accuracy;
use common::crowds::{fit, small};
use crowdwise_core::simulate::{SimModel, Simulation, Simulator};
use crowdwise_core::{AnyMethod, Dataset, Fit, Gold, GoldValues, LabelKind, Names, TableBuilder};
use crowdwise_methods::classes::sources::OneClassSources;

/// Posteriors of the first four items and the sum of all squares; numpy has its optimum to 1e-6 in the gradient.
fn equals(data: &Dataset, want: [[f64; 3]; 4], squares: f64) {
    let f = fit(&OneClassSources::default(), data);
    let (k, q) = f.posterior().unwrap();
    for (i, row) in want.iter().enumerate() {
        let at = data.table.items().get(&format!("i{i:02}")).unwrap() as usize;
        for (c, want) in row.iter().enumerate() {
            let got = q[at * k + c];
            assert!((got - want).abs() < 1e-6, "item {i}, class {c}: {got}, numpy {want}");
        }
    }
    let got: f64 = q.iter().map(|p| p * p).sum();
    assert!((got - squares).abs() < 1e-5, "{got}, numpy {squares}");
}

#[test]
fn posteriors_equal_those_of_numpy() {
    let mut data = small();
    equals(
        &data,
        [
            [0.416_418_997, 0.069_180_326, 0.514_400_677],
            [0.000_201_185, 0.000_201_185, 0.999_597_63],
            [0.827_520_461, 0.020_446_503, 0.152_033_036],
            [0.862_334_316, 0.016_623_865, 0.121_041_818],
        ],
        11.719_039_82,
    );
    let known = [(4, 1), (9, 2), (7, 0)];
    let number = |i: usize| data.table.items().get(&format!("i{i:02}")).unwrap();
    let values = GoldValues::Classes(known.iter().map(|&(i, c)| (number(i), c)).collect());
    data.gold = Some(Gold { values, unlabelled: GoldValues::Classes(Vec::new()), extra_classes: Names::new() });
    equals(
        &data,
        [
            [0.351_860_232, 0.087_906_061, 0.560_233_707],
            [0.000_700_936, 0.000_700_936, 0.998_598_127],
            [0.737_551_792, 0.035_595_391, 0.226_852_817],
            [0.799_339_794, 0.028_475_99, 0.172_184_216],
        ],
        12.238_508_851,
    );
}

/// Three functions on fifteen items, the first two nearly the same.
#[test]
fn near_copies_share_a_weight() {
    let lines =
        ["00.", "00.", "00.", "00.", "..1", "..1", "..1", "00.", "0.1", "001", "..1", "..1", "...", "0..", "..1"];
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, line) in lines.iter().enumerate() {
        b.items.intern(&format!("i{i:02}"));
        for (j, l) in line.chars().enumerate().filter(|(_, l)| *l != '.') {
            b.label(&format!("i{i:02}"), &format!("a{j}"), &l.to_string()).unwrap();
        }
    }
    let data = Dataset::new(b.finish().unwrap());
    let f = fit(&OneClassSources::default(), &data);
    let (_, q) = f.posterior().unwrap();
    // numpy: 0.780719878
    assert!((q[0] - 0.780_719_878).abs() < 1e-6, "{}", q[0]);
    let weights: Vec<f64> =
        f.diagnostics.details["sources"].as_array().unwrap().iter().map(|s| s["weight"].as_f64().unwrap()).collect();
    assert_eq!(weights, [0.5, 0.5, 1.0]);
    let free = fit(&OneClassSources { copy_threshold: 1.0, ..OneClassSources::default() }, &data);
    assert!(free.posterior().unwrap().1[0] > 0.9);
}

fn functions(classes: usize, annotators: usize, accuracy: f64) -> Simulation {
    Simulation {
        model: SimModel::LabellingFunctions,
        items: 2000,
        annotators,
        classes,
        accuracy,
        concentration: 6.0,
        votes: 2.0,
        ..Simulation::default()
    }
}

/// The data, and the truth of the items that have a vote.
fn made(s: &Simulation, seed: u64) -> (Dataset, Gold) {
    let (data, mut gold) = Simulator::new(s, seed).unwrap().dataset().unwrap();
    let GoldValues::Classes(all) = &mut gold.values else { panic!("classes wanted") };
    all.retain(|(i, _)| data.table.degree(*i as usize) > 0);
    (data, gold)
}

fn by_id(id: &str) -> Box<dyn AnyMethod> {
    crowdwise_methods::find(id).unwrap().default()
}

#[test]
fn accuracies_of_simulated_functions_are_recovered() {
    let s = functions(4, 16, 0.7);
    let (mut gains, mut order) = (0.0, 0.0);
    for seed in 0..3 {
        let (data, gold) = made(&s, seed);
        let f: Fit = fit(&OneClassSources::default(), &data);
        gains += accuracy(&f, &gold) - accuracy(&fit(&*by_id("majority-vote"), &data), &gold);
        let truth: Vec<f64> =
            Simulator::new(&s, seed).unwrap().annotators().iter().map(|a| a.accuracy.unwrap()).collect();
        let found: Vec<f64> = f.diagnostics.details["sources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s["accuracy"].as_f64().unwrap())
            .collect();
        order += correlation(&truth, &found) / 3.0;
    }
    eprintln!("gain over majority vote {:.3}, correlation of accuracies {order:.3}", gains / 3.0);
    assert!(gains / 3.0 > 0.01, "{gains}");
    assert!(order > 0.7, "{order}");
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let cov: f64 = x.iter().zip(y).map(|(a, b)| (a - mx) * (b - my)).sum();
    let var = |v: &[f64], m: f64| v.iter().map(|a| (a - m).powi(2)).sum::<f64>();
    cov / (var(x, mx) * var(y, my)).sqrt()
}

/// 1,777 items, seven classes, 1.4 votes per item, every source one class: what takes confusion matrices in answers one class.
#[test]
fn it_cannot_collapse() {
    for (seed, sources) in [(0, 7), (1, 14), (2, 7), (3, 21)] {
        let s = Simulation { items: 1777, votes: 1.4, ..functions(7, sources, 0.56) };
        let (data, gold) = made(&s, seed);
        let labels = data.table.categorical().unwrap();
        let f = fit(&OneClassSources::default(), &data);
        let (k, q) = f.posterior().unwrap();
        let mut votes = vec![0.0; k];
        for u in (0..data.table.n_units()).filter(|&u| data.table.degree(u) > 0) {
            votes.fill(0.0);
            labels.votes(u, &mut votes);
            let answer = crowdwise_core::stats::argmax(&q[u * k..(u + 1) * k]);
            assert!(votes[answer] > 0.0, "nobody said {answer} of {u}");
        }
        let (own, vote) = (accuracy(&f, &gold), accuracy(&fit(&*by_id("majority-vote"), &data), &gold));
        eprintln!("{sources} sources: {own:.3}, majority vote {vote:.3}");
        assert!(own > vote - 0.02, "{own} {vote}");
    }
}

#[test]
fn it_holds_beside_majority_vote_over_a_grid() {
    let mut worst = (1.0, String::new());
    let mut mean = Vec::new();
    for classes in [2, 5, 10] {
        for votes in [0.5, 1.4, 3.0] {
            for accuracy_ in [0.55, 0.7, 0.9] {
                for (imbalance, one_class, activity_sd) in [(1.0, 1.0, 0.0), (1.5, 1.0, 1.0), (1.0, 0.5, 0.5)] {
                    let s = Simulation {
                        items: 800,
                        votes,
                        imbalance,
                        one_class,
                        activity_sd,
                        concentration: 10.0,
                        ..functions(classes, 3 * classes, accuracy_)
                    };
                    let gain = (0..3)
                        .map(|seed| {
                            let (data, gold) = made(&s, seed);
                            let vote = accuracy(&fit(&*by_id("majority-vote"), &data), &gold);
                            accuracy(&fit(&OneClassSources::default(), &data), &gold) - vote
                        })
                        .sum::<f64>()
                        / 3.0;
                    mean.push(gain);
                    if gain < worst.0 {
                        worst = (
                            gain,
                            format!("{classes} classes, {votes} votes, accuracy {accuracy_}, {imbalance}, {one_class}"),
                        );
                    }
                }
            }
        }
    }
    let mean = mean.iter().sum::<f64>() / mean.len() as f64;
    eprintln!("mean gain {mean:.4}, worst {worst:?}");
    assert!(mean > 0.005, "{mean}");
    assert!(worst.0 > -0.03, "{worst:?}");
}
