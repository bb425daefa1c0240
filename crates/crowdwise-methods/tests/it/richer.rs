//! Bayesian methods with structure between annotators: against numpy programs that share no code with them, on real sets,
//! and on simulated crowds that have the structure.

use crate::common;

use common::accuracy;
use common::crowds::{Crowd, fit, last_labels, mean_accuracy, small, sparse};
use crowdwise_core::{AnyMethod, Dataset, LabelKind, TableBuilder, stream};
use crowdwise_methods::classes::confusion::BayesDawidSkene;
use crowdwise_methods::classes::pooled::{Bwa, CommunityBcc, EnhancedBcc, HierarchicalDawidSkene};
use rand::RngExt;

/// Posteriors of the first four items and the sum of all squares.
fn equals(method: &dyn AnyMethod, want: [[f64; 3]; 4], squares: f64, tolerance: f64) {
    let data = small();
    let f = fit(method, &data);
    let (k, q) = f.posterior().unwrap();
    for (i, row) in want.iter().enumerate() {
        let u = data.table.items().get(&format!("i{i:02}")).unwrap() as usize;
        for (c, want) in row.iter().enumerate() {
            let got = q[u * k + c];
            assert!((got - want).abs() < tolerance, "{}: item {i}, class {c}: {got}, numpy {want}", method.info().id);
        }
    }
    let got: f64 = q.iter().map(|p| p * p).sum();
    assert!((got - squares).abs() < 14.0 * tolerance, "{}: {got}, numpy {squares}", method.info().id);
}

#[test]
fn posteriors_equal_those_of_numpy() {
    // seven iterations
    equals(
        &HierarchicalDawidSkene { max_iter: 7, tol: 0.0, ..Default::default() },
        [
            [0.592_028_9, 0.081_363_946, 0.326_607_154],
            [0.014_196_438, 0.001_149_389, 0.984_654_172],
            [0.806_122_961, 0.015_532_773, 0.178_344_266],
            [0.749_385_313, 0.023_077_044, 0.227_537_643],
        ],
        11.148_706_835,
        2e-9,
    );
    // converged: the start is another one
    equals(
        &CommunityBcc { communities: 1, max_iter: 5000, tol: 1e-13, ..Default::default() },
        [
            [0.853_496_932, 0.025_023_536, 0.121_479_532],
            [0.009_156_183, 3.6138e-05, 0.990_807_68],
            [0.984_140_802, 0.001_581_228, 0.014_277_97],
            [0.974_696_828, 0.002_430_229, 0.022_872_943],
        ],
        13.034_418_748,
        1e-7,
    );
    // seven iterations; 14 items are too few for sub-types
    equals(
        &EnhancedBcc { max_iter: 7, tol: 0.0, ..Default::default() },
        [
            [0.740_851_721, 0.073_255_725, 0.185_892_553],
            [0.001_461_577, 0.000_269_543, 0.998_268_879],
            [0.946_859_536, 0.007_246_726, 0.045_893_738],
            [0.932_896_011, 0.011_732_567, 0.055_371_422],
        ],
        12.482_651_348,
        2e-9,
    );
}

#[test]
fn bwa_equals_numpy() {
    // scores before they are normalised
    let want = [
        [0.480_622_19, 0.031_741_184, 0.512_850_581],
        [0.013_988_268, 0.014_139_344, 0.973_509_434],
        [0.655_776_377, 0.019_387_475, 0.326_196_053],
        [0.617_881_376, 0.019_387_475, 0.377_813_044],
    ];
    let rows = want.map(|r| {
        let sum: f64 = r.iter().sum();
        r.map(|x| x / sum)
    });
    let data = small();
    let f = fit(&Bwa { ..Default::default() }, &data);
    let (k, q) = f.posterior().unwrap();
    for (i, row) in rows.iter().enumerate() {
        let u = data.table.items().get(&format!("i{i:02}")).unwrap() as usize;
        for (c, want) in row.iter().enumerate() {
            assert!((q[u * k + c] - want).abs() < 1e-3, "item {i}: {:?}, numpy {row:?}", &q[u * k..][..k]);
        }
    }
}

#[test]
fn enhanced_bcc_without_subtypes_is_bayes_dawid_skene() {
    let crowd = sparse(3);
    let a = fit(&EnhancedBcc { subtypes: 1, tol: 1e-10, ..Default::default() }, &crowd.data);
    let vb = BayesDawidSkene { alpha: 1.0, beta_diagonal: 4.0, beta_off: 1.0, tol: 1e-10, ..Default::default() };
    let b = fit(&vb, &crowd.data);
    let worst = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let d = worst(a.posterior().unwrap().1, b.posterior().unwrap().1);
    assert!(d < 1e-7, "posteriors differ by {d}");
    let d = worst(&a.annotators.confusion(5).unwrap(), &b.annotators.confusion(5).unwrap());
    assert!(d < 1e-7, "confusion matrices differ by {d}");
    let (x, y) = (a.diagnostics.objective.unwrap().value, b.diagnostics.objective.unwrap().value);
    assert!((x / y - 1.0).abs() < 1e-9, "bounds {x} and {y}");
}

/// (set, accuracy in percent by numpy, tolerance)
fn real(method: &dyn AnyMethod, sets: &[(&str, f64, f64)]) {
    for &(set, want, tolerance) in sets {
        let Some((data, gold)) = last_labels(set) else { continue };
        let got = 100.0 * accuracy(&fit(method, &data), &gold);
        eprintln!("{} {set} {got:.2} ({want})", method.info().id);
        assert!((got - want).abs() <= tolerance, "{} on {set}: {got:.2}, numpy {want}", method.info().id);
    }
}

#[test]
fn accuracies_on_real_sets() {
    real(
        &CommunityBcc { communities: 1, ..Default::default() },
        &[
            ("rte", 93.25, 0.2),
            ("bluebird", 88.89, 0.95),
            ("dog", 83.15, 0.3),
            ("face", 65.24, 0.4),
            ("labelme", 75.8, 0.6),
        ],
    );
    real(
        &CommunityBcc::default(),
        &[("rte", 92.88, 0.4), ("bluebird", 88.89, 1.9), ("dog", 84.26, 0.9), ("weather_amt", 81.7, 1.4)],
    );
    real(
        &HierarchicalDawidSkene::default(),
        &[
            ("bluebird", 89.81, 0.95),
            ("face", 65.58, 0.4),
            ("rte", 92.75, 0.2),
            ("sp_amt", 94.40, 0.2),
            ("dog", 83.27, 0.3),
            ("weather_amt", 80.67, 0.7),
            ("labelme", 75.8, 0.6),
        ],
    );
    real(
        &EnhancedBcc::default(),
        &[("zencrowd_us", 91.5, 0.3), ("rte", 92.75, 0.4), ("dog", 83.89, 0.8), ("bluebird", 88.89, 1.0)],
    );
    real(
        &Bwa::default(),
        &[
            ("zencrowd_us", 91.32, 0.1),
            ("rte", 92.75, 0.15),
            ("dog", 83.15, 0.15),
            ("weather_amt", 86.0, 0.4),
            ("face", 61.82, 0.2),
            ("trec", 60.44, 0.1),
        ],
    );
}

fn rows(of: &[&[f64]]) -> Vec<Vec<f64>> {
    of.iter().map(|r| r.to_vec()).collect()
}

/// 30 experts, and 30 who take class 1 for class 0.
#[test]
fn community_bcc_finds_two_communities() {
    let experts = rows(&[&[0.85, 0.1, 0.05], &[0.1, 0.8, 0.1], &[0.05, 0.1, 0.85]]);
    let others = rows(&[&[0.6, 0.2, 0.2], &[0.55, 0.25, 0.2], &[0.2, 0.2, 0.6]]);
    let crowds: Vec<Crowd> =
        (0..5).map(|seed| Crowd::new(seed, 600, 4, 60, 30.0, &[experts.clone(), others.clone()])).collect();
    let vote = mean_accuracy("majority-vote", &[], &crowds);
    let vb = mean_accuracy(
        "bayes-dawid-skene",
        &[("alpha", 1.into()), ("beta_diagonal", 2.into()), ("beta_off", 1.into())],
        &crowds,
    );
    let two = mean_accuracy("community-bcc", &[("communities", 2.into())], &crowds);
    let mut found = 0.0;
    for c in &crowds {
        let f = fit(&CommunityBcc { communities: 2, ..Default::default() }, &c.data);
        let of: Vec<u64> = serde_json::from_value(f.diagnostics.details["community_of_annotator"].clone()).unwrap();
        let same = (0..60)
            .filter(|j| {
                let at = c.data.table.annotators().get(&format!("a{j}")).unwrap() as usize;
                of[at] == j % 2
            })
            .count() as f64
            / 60.0;
        found += same.max(1.0 - same) / 5.0;
    }
    eprintln!("vote {vote:.1}, vb {vb:.1}, two communities {two:.1}, found {found:.3}");
    assert!(two > vote + 4.0 && two > vb + 0.5, "vote {vote:.1}, vb {vb:.1}, two communities {two:.1}");
    assert!(found >= 0.93, "{found:.3} of the annotators in the right community");
}

/// 250 annotators with 8 labels each around common rows.
#[test]
fn hierarchical_dawid_skene_learns_the_population() {
    let crowds: Vec<Crowd> = (0..5).map(sparse).collect();
    let vote = mean_accuracy("majority-vote", &[], &crowds);
    let ds = mean_accuracy("dawid-skene", &[], &crowds);
    let hds = mean_accuracy("hierarchical-dawid-skene", &[], &crowds);
    let one = mean_accuracy("community-bcc", &[("communities", 1.into())], &crowds);
    let truth = [0.7, 0.1, 0.1, 0.1, 0.3, 0.5, 0.1, 0.1, 0.05, 0.1, 0.75, 0.1, 0.1, 0.1, 0.3, 0.5];
    let mut error = 0.0;
    for c in &crowds {
        let f = fit(&HierarchicalDawidSkene::default(), &c.data);
        let got: Vec<f64> = serde_json::from_value(f.diagnostics.details["population_confusion"].clone()).unwrap();
        error += got.iter().zip(truth).map(|(a, b)| (a - b).abs()).sum::<f64>() / 16.0 / 5.0;
    }
    eprintln!("vote {vote:.1}, dawid-skene {ds:.1}, hierarchical {hds:.1}, one community {one:.1}, rows {error:.3}");
    assert!(hds >= vote + 2.0 && one >= vote + 1.0 && hds > ds + 4.0);
    assert!(error < 0.06, "mean error of the population's rows: {error:.3}");
}

/// Three items in ten are hard for 13 of 20 annotators.
fn hard_for_most(seed: u64) -> (Dataset, Vec<usize>) {
    let mut rng = stream(seed, "hard_for_most", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    b.classes.intern("0");
    b.classes.intern("1");
    let mut truth = Vec::new();
    for i in 0..2000 {
        let (z, odd) = (rng.random_range(0..2usize), rng.random_bool(0.3));
        truth.push(z);
        for j in rand::seq::index::sample(&mut rng, 20, 8) {
            let p = match (odd, j < 13) {
                (false, _) => 0.9,
                (true, true) => 0.4,
                (true, false) => 0.85,
            };
            let l = if rng.random_bool(p) { z } else { 1 - z };
            b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
        }
    }
    (Dataset::new(b.finish().unwrap()), truth)
}

#[test]
fn enhanced_bcc_sees_where_annotators_err_together() {
    let score = |m: &dyn AnyMethod, (data, truth): &(Dataset, Vec<usize>)| {
        let f = fit(m, data);
        let (k, q) = f.posterior().unwrap();
        let right = |i: usize| {
            let u = data.table.items().get(&format!("i{i}")).unwrap() as usize;
            crowdwise_core::stats::argmax(&q[u * k..][..k]) == truth[i]
        };
        100.0 * (0..truth.len()).filter(|&i| right(i)).count() as f64 / truth.len() as f64
    };
    let data: Vec<_> = (0..3).map(hard_for_most).collect();
    let mean = |m: &dyn AnyMethod| data.iter().map(|d| score(m, d)).sum::<f64>() / data.len() as f64;
    let vb = mean(&BayesDawidSkene { alpha: 1.0, beta_diagonal: 4.0, beta_off: 1.0, ..Default::default() });
    let ebcc = mean(&EnhancedBcc::default());
    eprintln!("bayes-dawid-skene {vb:.1}, enhanced-bcc {ebcc:.1}");
    assert!(ebcc > vb + 3.0, "bayes-dawid-skene {vb:.1}, enhanced-bcc {ebcc:.1}");
}

/// Annotators who are right with probabilities from 0.45 to 0.95 and err evenly.
#[test]
fn bwa_weighs_good_annotators_more() {
    let row = |p: f64| {
        rows(&[
            &[p, (1.0 - p) / 2.0, (1.0 - p) / 2.0],
            &[(1.0 - p) / 2.0, p, (1.0 - p) / 2.0],
            &[(1.0 - p) / 2.0, (1.0 - p) / 2.0, p],
        ])
    };
    let groups: Vec<Vec<Vec<f64>>> = (0..11).map(|g| row(0.45 + 0.05 * g as f64)).collect();
    let crowds: Vec<Crowd> = (0..5).map(|seed| Crowd::new(seed, 600, 5, 44, 1e6, &groups)).collect();
    let vote = mean_accuracy("majority-vote", &[], &crowds);
    let bwa = mean_accuracy("bwa", &[], &crowds);
    assert!(bwa > vote + 1.0, "vote {vote:.1}, bwa {bwa:.1}");
    // weights follow the true accuracy: rank correlation over all annotators
    let mut pairs = (0, 0);
    for c in &crowds {
        let f = fit(&Bwa::default(), &c.data);
        let at = |j: usize| c.data.table.annotators().get(&format!("a{j}")).unwrap() as usize;
        for i in 0..44 {
            for j in (0..44).filter(|j| i % 11 + 3 < j % 11) {
                pairs.1 += 1;
                pairs.0 += usize::from(f.annotators.weight(at(i)) < f.annotators.weight(at(j)));
            }
        }
    }
    let share = pairs.0 as f64 / pairs.1 as f64;
    assert!(share > 0.9, "{share:.3} of the pairs with accuracies 0.2 or more apart are in the right order");
}
