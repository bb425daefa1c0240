//! Simulated chains: errors as known from the acceptance test, and equality with Dawid-Skene where nothing depends.

use super::common::{dataset, fit};
use crowdwise_core::{AnyMethod, Dataset, Fit, stats, stream};
use crowdwise_methods::sequences::{Decode, DsHmm, Emissions, SeqMm, Start, Transitions};
use rand::RngExt;

/// Four classes that stay with probability 0.85, sequences of 50, ten annotators who see 30 % of the tokens each.
struct World {
    data: Dataset,
    truth: Vec<usize>,
    /// Of each annotator, P(label | truth), row = truth.
    matrices: Vec<Vec<f64>>,
}

fn world(seed: u64) -> World {
    let (k, m, n) = (4, 10, 5000);
    let mut rng = stream(seed, "chains", 0);
    let matrices: Vec<Vec<f64>> = (0..m)
        .map(|_| {
            let mut c = Vec::new();
            for t in 0..k {
                let u: Vec<f64> = (0..k).map(|_| rng.random::<f64>()).collect();
                let sum: f64 = u.iter().sum();
                c.extend((0..k).map(|l| 0.65 * u[l] / sum + if l == t { 0.35 } else { 0.0 }));
            }
            c
        })
        .collect();
    let mut truth: Vec<usize> = Vec::new();
    for t in 0..n {
        let stays = t % 50 > 0 && rng.random_bool(0.8);
        truth.push(if stays { truth[t - 1] } else { rng.random_range(0..k) });
    }
    let names = ["0", "1", "2", "3"];
    let mut rows = Vec::new();
    for (t, &z) in truth.iter().enumerate() {
        for (j, c) in matrices.iter().enumerate() {
            if rng.random_bool(0.3) {
                let mut left = rng.random::<f64>();
                let l = (0..k - 1).find(|l| {
                    left -= c[z * k + l];
                    left < 0.0
                });
                rows.push((t, j, names[l.unwrap_or(k - 1)]));
            }
        }
    }
    World { data: dataset(n, 50, rows), truth, matrices }
}

fn error(f: &Fit, truth: &[usize]) -> f64 {
    let (k, q) = f.posterior().unwrap();
    let wrong = q.chunks_exact(k).zip(truth).filter(|(row, z)| stats::argmax(row) != **z).count();
    100.0 * wrong as f64 / truth.len() as f64
}

/// Largest error of the transition matrix in the details of a fit.
fn step_error(f: &Fit) -> f64 {
    let rows: Vec<Vec<f64>> = serde_json::from_value(f.diagnostics.details["transitions"].clone()).unwrap();
    let want = |i, j| if i == j { 0.85 } else { 0.05 };
    (0..16).map(|c| (rows[c / 4][c % 4] - want(c / 4, c % 4)).abs()).fold(0.0, f64::max)
}

/// Token errors with everything known but the truth.
fn oracle(w: &World) -> f64 {
    let codes = w.data.table.categorical().unwrap().codes;
    let number = |j: u32| w.data.table.annotators().name(j as usize)[1..].parse::<usize>().unwrap();
    let emission = |u: usize, z: usize| {
        let rows = w.data.table.rows(u);
        rows.map(|r| w.matrices[number(w.data.table.annotator()[r])][z * 4 + codes.get(r)]).product::<f64>()
    };
    let step = |i: usize, j: usize| if i == j { 0.85 } else { 0.05 };
    let scaled = |x: [f64; 4]| x.map(|v| v / x.iter().sum::<f64>());
    let mut wrong = 0;
    for c in 0..w.truth.len() / 50 {
        let first = c * 50;
        let mut forward = vec![[0.25; 4]; 50];
        for t in 0..50 {
            for j in 0..4 {
                let before = if t == 0 { 0.25 } else { (0..4).map(|i| forward[t - 1][i] * step(i, j)).sum() };
                forward[t][j] = before * emission(first + t, j);
            }
            forward[t] = scaled(forward[t]);
        }
        let mut back = [1.0; 4];
        for t in (0..50).rev() {
            let both: Vec<f64> = (0..4).map(|j| forward[t][j] * back[j]).collect();
            wrong += usize::from(stats::argmax(&both) != w.truth[first + t]);
            let next: [f64; 4] = std::array::from_fn(|j| emission(first + t, j) * back[j]);
            back = scaled(std::array::from_fn(|i| (0..4).map(|j| step(i, j) * next[j]).sum()));
        }
    }
    100.0 * wrong as f64 / w.truth.len() as f64
}

#[test]
fn chains_are_recovered() {
    let hmm = DsHmm { emissions: Emissions::Full, alpha: 0.01, decode: Decode::Posterior, ..DsHmm::default() };
    let methods: [(&str, Box<dyn AnyMethod>); 6] = [
        ("majority vote", Box::new(crowdwise_methods::classes::voting::MajorityVote::default())),
        ("dawid-skene", Box::new(crowdwise_methods::classes::confusion::DawidSkene::default())),
        ("seq-mm", Box::new(SeqMm::default())),
        ("ds-hmm from votes", Box::new(hmm.clone())),
        ("ds-hmm from seq-mm", Box::new(DsHmm { init: Start::SeqMm, ..hmm.clone() })),
        ("ds-hmm, viterbi", Box::new(DsHmm { decode: Decode::Viterbi, ..hmm })),
    ];
    let seeds = 16;
    let mut mean = [0.0; 6];
    let mut steps = [0.0; 6];
    let mut best = 0.0;
    for seed in 0..seeds {
        let w = world(seed);
        best += oracle(&w) / seeds as f64;
        for (at, (_, m)) in methods.iter().enumerate() {
            let f = fit(&**m, &w.data);
            mean[at] += error(&f, &w.truth) / seeds as f64;
            if at >= 2 {
                steps[at] += step_error(&f) / seeds as f64;
            }
        }
    }
    println!("token errors {mean:.2?}, oracle {best:.2}, errors of the steps {steps:.3?}");
    let [votes, alone, moments, em, em_from_moments, path] = mean;
    assert!((votes - 42.1).abs() < 3.0 && (alone - 35.7).abs() < 3.0, "{mean:?}");
    assert!((best - 13.2).abs() < 1.0 && em - best < 1.2 && em_from_moments - best < 1.2, "{mean:?}, oracle {best}");
    assert!((em - 13.9).abs() < 1.0 && (em_from_moments - 13.9).abs() < 1.0, "{mean:?}");
    assert!((moments - 15.9).abs() < 1.5 && (path - 14.6).abs() < 1.0, "{mean:?}");
    assert!(steps[2] <= 0.1 && steps[3] <= 0.05, "{steps:?}");
}

#[test]
fn even_steps_are_dawid_skene_with_even_shares() {
    use crowdwise_methods::classes::confusion::{ClassPrior, ConfusionVector, DawidSkene, OneCoin};
    let d = world(9).data;
    let hmm = |emissions| DsHmm {
        emissions,
        transitions: Transitions::Uniform,
        alpha: 0.01,
        tol: 1e-8,
        max_iter: 2000,
        decode: Decode::Posterior,
        ..DsHmm::default()
    };
    let (class_prior, tol, max_iter) = (ClassPrior::Uniform, 1e-9, 5000);
    let pairs: [(Emissions, Box<dyn AnyMethod>); 3] = [
        (Emissions::Full, Box::new(DawidSkene { class_prior, tol, max_iter, ..DawidSkene::default() })),
        (Emissions::Vector, Box::new(ConfusionVector { class_prior, tol, max_iter, ..ConfusionVector::default() })),
        (Emissions::OneCoin, Box::new(OneCoin { class_prior, tol, max_iter, ..OneCoin::default() })),
    ];
    for (emissions, other) in pairs {
        let (a, b) = (fit(&hmm(emissions), &d), fit(&*other, &d));
        let far = crowdwise_contract::worst(a.model_posterior().unwrap().1, b.posterior().unwrap().1);
        assert!(far < 1e-4, "{emissions:?}: {far}");
    }
}
