//! MACE: published figures, recovery, and independence of order and names. Equality with crowd-kit from the same
//! start is tested beside the code.

use crate::common;

use common::{accuracy, real_set};
use crowdwise_core::{Annotators, AnyMethod, Context, Dataset, Fit, LabelKind, TableBuilder, stream};
use crowdwise_methods::classes::competence::{Mace, MaceInference};
use rand::RngExt;

fn fit(m: &Mace, data: &Dataset) -> Fit {
    m.fit(data, &mut Context::new(1, 2)).unwrap()
}

/// Accuracies of an independent numpy program (ten restarts of 50 iterations), VB and EM, within 0.15 points.
#[test]
fn accuracies_on_real_sets() {
    for (name, vb, em) in [
        ("rte", 92.62, 92.88),
        ("dog", 83.02, 83.27),
        ("face", 64.38, 66.27),
        ("bluebird", 86.11, 88.89),
        ("labelme", 77.90, 78.60),
        ("weather_amt", 85.67, 86.33),
    ] {
        let Some((data, gold)) = real_set(name) else { return };
        for (inference, want) in [(MaceInference::Vb, vb), (MaceInference::Em, em)] {
            let f = fit(&Mace { inference, ..Mace::default() }, &data);
            let have = 100.0 * accuracy(&f, &gold.clone().unwrap());
            assert!((have - want).abs() < 0.15, "{name} {inference:?}: {have:.2}, want {want:.2}");
            let ll: Vec<f64> = f.diagnostics.details["restart_log_likelihoods"]
                .as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_f64().unwrap())
                .collect();
            assert_eq!(ll.len(), 10);
            let spread = ll.iter().copied().fold(f64::MIN, f64::max) - ll.iter().copied().fold(f64::MAX, f64::min);
            assert!(spread < 5.0, "{name} {inference:?}: log-likelihoods of restarts spread over {spread}");
        }
    }
}

struct Simulated {
    data: Dataset,
    truth: Vec<usize>,
    competence: Vec<f64>,
    strategy: Vec<Vec<f64>>,
}

/// Labels from the model itself: 60 annotators of all competences, seven labels per item.
fn simulate(seed: u64, items: usize, k: usize) -> Simulated {
    let mut rng = stream(seed, "mace-test", 0);
    let m = 60;
    let competence: Vec<f64> = (0..m).map(|_| rng.random::<f64>()).collect();
    let strategy: Vec<Vec<f64>> = (0..m)
        .map(|_| {
            let w: Vec<f64> = (0..k).map(|_| -rng.random::<f64>().ln()).collect();
            let s: f64 = w.iter().sum();
            w.iter().map(|x| x / s).collect()
        })
        .collect();
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let mut truth = Vec::new();
    for j in 0..m {
        b.annotators.intern(&format!("a{j}"));
    }
    for i in 0..items {
        let z = rng.random_range(0..k);
        truth.push(z);
        for n in 0..7 {
            let j = (i * 7 + n * 13 + i / m) % m;
            let l = if rng.random::<f64>() < competence[j] {
                z
            } else {
                let mut u = rng.random::<f64>();
                strategy[j]
                    .iter()
                    .position(|p| {
                        u -= p;
                        u < 0.0
                    })
                    .unwrap_or(k - 1)
            };
            b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
        }
    }
    Simulated { data: Dataset::new(b.finish().unwrap()), truth, competence, strategy }
}

/// With 350 labels per annotator (item truth nearly certain) the standard error of a competence is below 0.03 and that
/// of a strategy share, seen only in the guesses, below 0.06 on average; the tolerances are twice that.
#[test]
fn recovers_competence_and_strategy() {
    let k = 4;
    let s = simulate(5, 3000, k);
    let f = fit(&Mace { inference: MaceInference::Em, max_iter: 300, ..Mace::default() }, &s.data);
    let Annotators::Competence { competence, strategy, .. } = &f.annotators else { panic!("competence wanted") };
    let rms = |x: Vec<f64>| (x.iter().map(|d| d * d).sum::<f64>() / x.len() as f64).sqrt();
    let error = rms(competence.iter().zip(&s.competence).map(|(a, b)| a - b).collect());
    assert!(error < 0.06, "competence is off by {error}");
    let guessers: Vec<usize> = (0..s.competence.len()).filter(|&j| s.competence[j] < 0.7).collect();
    let off = rms(guessers
        .iter()
        .flat_map(|&j| (0..k).map(move |l| (j, l)))
        .map(|(j, l)| strategy[j * k + l] - s.strategy[j][l])
        .collect());
    assert!(off < 0.12, "strategies are off by {off}");
    let (_, q) = f.posterior().unwrap();
    let right = s
        .truth
        .iter()
        .enumerate()
        .filter(|(i, z)| crowdwise_core::stats::argmax(&q[i * k..(i + 1) * k]) == **z)
        .count();
    let vote = |i: usize| {
        let mut v = vec![0.0; k];
        s.data.table.categorical().unwrap().votes(i, &mut v);
        crowdwise_core::stats::argmax(&v)
    };
    let voted = s.truth.iter().enumerate().filter(|(i, z)| vote(*i) == **z).count();
    assert!(right > voted + 60, "{right} right, the vote has {voted}");
}

/// Rows in another order, every item, annotator and class renamed: the same posteriors to 1e-9, whatever the start.
#[test]
fn order_and_names_do_not_matter() {
    let s = simulate(9, 150, 3);
    let t = &s.data.table;
    let c = t.categorical().unwrap();
    let class = |l: usize| ["z", "p", "m"][l]; // sorted: another numbering
    let mut rows: Vec<(usize, usize, usize)> =
        (0..t.n_units()).flat_map(|u| t.rows(u).map(move |r| (u, t.annotator()[r] as usize, c.codes.get(r)))).collect();
    rows.sort_by_key(|&(u, j, _)| (u * 7919 % 150, j * 31 % 60));
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for &(u, j, l) in &rows {
        b.label(&format!("other{u}"), &format!("who{j}"), class(l)).unwrap();
    }
    let other = Dataset::new(b.finish().unwrap());
    for inference in [MaceInference::Vb, MaceInference::Em] {
        let mace = Mace { inference, ..Mace::default() };
        let (one, two) = (fit(&mace, &s.data), fit(&mace, &other));
        let ((k, p), (_, q)) = (one.posterior().unwrap(), two.posterior().unwrap());
        let mut worst = 0.0f64;
        let names = other.table.categorical().unwrap().classes;
        for (i, item) in other.table.items().iter().enumerate() {
            let u: usize = item.strip_prefix("other").unwrap().parse().unwrap();
            for l in 0..k {
                let there = names.iter().position(|n| n == class(l)).unwrap();
                worst = worst.max((p[u * k + l] - q[i * k + there]).abs());
            }
        }
        assert!(worst < 1e-9, "{inference:?}: {worst}");
    }
}

/// Controls: their items are clamped, and an annotator who misses them counts as guessing there.
#[test]
fn controls_are_clamped_and_lower_the_competence_of_who_misses_them() {
    let s = simulate(3, 200, 3);
    let free = fit(&Mace::default(), &s.data);
    // the truth of ten items is said to be what annotator 0 never said there
    let t = &s.data.table;
    let c = t.categorical().unwrap();
    let idx = t.by_annotator();
    let rows: Vec<(String, String)> = idx.rows(0)[..10]
        .iter()
        .zip(idx.units(0))
        .map(|(&r, &u)| {
            (t.items().name(u as usize).to_owned(), c.classes.name((c.codes.get(r as usize) + 1) % 3).to_owned())
        })
        .collect();
    let gold = crowdwise_core::Gold::from_items(t, &rows, "gold.csv").unwrap();
    let known = gold.classes(t.n_units());
    let data = s.data.clone().with_gold(gold);
    let f = fit(&Mace::default(), &data);
    let (k, q) = f.posterior().unwrap();
    for (u, g) in known.iter().enumerate() {
        if let Some(g) = g {
            assert_eq!(q[u * k + *g as usize], 1.0);
        }
    }
    assert!(f.annotators.weight(0).unwrap() < free.annotators.weight(0).unwrap() - 0.1);
}

#[test]
fn seeds_threads_and_restarts() {
    let s = simulate(4, 200, 3);
    let go =
        |seed, threads| Mace { max_iter: 3, ..Mace::default() }.fit(&s.data, &mut Context::new(seed, threads)).unwrap();
    assert_eq!(go(1, 1).truth, go(1, 2).truth);
    assert_ne!(go(1, 1).truth, go(2, 1).truth);
}
