//! The spectral methods on simulated truth, and against dense matrices and plain loops on small cases.

use crowdwise_core::{Annotators, AnyMethod, Context, Dataset, Fit, LabelKind, Stop, TableBuilder, stats, stream};
use crowdwise_methods::classes::spectral::{
    Adversaries, Classes, KosSvd, Mmsr, SparseSpectralSvd, SpectralEm, SpectralSvd, Trim,
};
use rand::RngExt;
use rand::seq::SliceRandom;

fn fit(method: &dyn AnyMethod, data: &Dataset) -> Fit {
    method.fit(data, &mut Context::new(0, 2)).unwrap()
}

/// Item, annotator, class.
type Row = (usize, usize, usize);

/// Labels as a dataset in which the numbers of names are codes.
fn dataset(rows: &[Row], k: usize) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let (n, m) = rows.iter().fold((0, 0), |(n, m), r| (n.max(r.0 + 1), m.max(r.1 + 1)));
    for i in 0..n {
        b.items.intern(&format!("i{i}"));
    }
    for j in 0..m {
        b.annotators.intern(&format!("a{j}"));
    }
    for c in 0..k {
        b.classes.intern(&format!("c{c}"));
    }
    for &(i, j, c) in rows {
        b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{c}")).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

/// Errors in percent, a tie going to its first class.
fn error_of(f: &Fit, truth: &[usize]) -> f64 {
    let (k, q) = f.posterior().unwrap();
    let wrong = truth.iter().enumerate().filter(|&(u, &z)| stats::argmax(&q[u * k..][..k]) != z);
    100.0 * wrong.count() as f64 / truth.len() as f64
}

/// Everybody right with a probability of its own and otherwise even over the other classes; each labels this share.
fn one_coin(n: usize, p: &[f64], k: usize, share: f64, seed: u64) -> (Vec<Row>, Vec<usize>) {
    let mut rng = stream(seed, "one coin", 0);
    let truth: Vec<usize> = (0..n).map(|_| rng.random_range(0..k)).collect();
    let mut rows = Vec::new();
    for (i, &z) in truth.iter().enumerate() {
        for (j, &p) in p.iter().enumerate() {
            if rng.random::<f64>() < share {
                let other = (z + rng.random_range(1..k)) % k;
                rows.push((i, j, if rng.random_bool(p) { z } else { other }));
            }
        }
    }
    (rows, truth)
}

fn spread(low: f64, high: f64, m: usize) -> Vec<f64> {
    (0..m).map(|j| low + (high - low) * (j as f64 + 0.5) / m as f64).collect()
}

fn vote() -> Box<dyn AnyMethod> {
    crowdwise_methods::find("mv").unwrap().default()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (ma, mb) = (mean(a), mean(b));
    let dot = |x: &[f64], mx: f64, y: &[f64], my: f64| x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>();
    dot(a, ma, b, mb) / (dot(a, ma, a, ma) * dot(b, mb, b, mb)).sqrt()
}

/// The catalogue's test: complete labels, 200 items, 100 annotators with accuracies from 0.55 to 0.8.
#[test]
fn spectral_svd_recovers_complete_data() {
    let p = spread(0.55, 0.8, 100);
    for seed in 0..3 {
        let (rows, truth) = one_coin(200, &p, 2, 1.0, seed);
        let f = fit(&SpectralSvd::default(), &dataset(&rows, 2));
        let error = error_of(&f, &truth);
        assert!(error < 1.0, "{error}");
        let Annotators::Accuracy { accuracy, .. } = &f.annotators else { panic!("accuracies wanted") };
        let worst = accuracy.iter().zip(&p).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 0.13, "{worst}: four standard errors of 200 labels");
        // five classes, all at once and one by one
        let (rows, truth) = one_coin(200, &p, 5, 1.0, seed);
        for classes in [Classes::Joint, Classes::OneVsRest] {
            let error = error_of(&fit(&SpectralSvd { classes, ..SpectralSvd::default() }, &dataset(&rows, 5)), &truth);
            assert!(error < 1.0, "{classes:?}: {error}");
        }
    }
}

/// 1,000 items, 40 annotators from useless to very good, each labels a quarter of the items.
#[test]
fn sparse_spectral_svd_recovers_weights_and_beats_the_vote() {
    let p = spread(0.5, 0.95, 40);
    for k in [2, 4] {
        let (rows, truth) = one_coin(1000, &p, k, 0.25, k as u64);
        let data = dataset(&rows, k);
        let skill: Vec<f64> = p.iter().map(|p| (k as f64 * p - 1.0) / (k as f64 - 1.0)).collect();
        for m in [
            SparseSpectralSvd::default(),
            SparseSpectralSvd {
                overlap: crowdwise_methods::classes::spectral::Overlap::Sum,
                ..SparseSpectralSvd::default()
            },
        ] {
            let f = fit(&m, &data);
            let Annotators::Weight { weight } = &f.annotators else { panic!("weights wanted") };
            let (r, error, by_vote) =
                (correlation(weight, &skill), error_of(&f, &truth), error_of(&fit(&*vote(), &data), &truth));
            eprintln!(
                "{k} classes, {:?}: correlation of weights {r:.3}, errors {error:.2} %, vote {by_vote:.2} %",
                m.overlap
            );
            assert!(r > 0.95 && error < by_vote, "{k}: {r} {error} {by_vote}");
        }
    }
}

/// The setting of spec and survey: 1,000 items and annotators, l labels each, 30 % hammers who are always right. The
/// reference program has 3.95 % errors at l = 10 (votes 16.75) and 1.02 % at l = 15 (votes 11.6).
#[test]
fn kos_svd_finds_the_hammers() {
    for (l, most, votes) in [(10, 5.5, 14.0), (15, 1.6, 9.5)] {
        let (mut error, mut by_vote) = (0.0, 0.0);
        for seed in 0..4 {
            let mut rng = stream(seed, "hammers", l as u64);
            let n = 1000;
            let truth: Vec<usize> = (0..n).map(|_| rng.random_range(0..2)).collect();
            let hammer: Vec<bool> = (0..n).map(|_| rng.random_bool(0.3)).collect();
            let mut stubs: Vec<usize> = (0..n * l).map(|x| x / l).collect();
            stubs.shuffle(&mut rng);
            let rows: Vec<Row> = stubs
                .iter()
                .enumerate()
                .map(|(x, &j)| (x / l, j, if hammer[j] { truth[x / l] } else { rng.random_range(0..2) }))
                .collect();
            let data = dataset(&rows, 2);
            error += error_of(&fit(&KosSvd::default(), &data), &truth) / 4.0;
            by_vote += error_of(&fit(&*vote(), &data), &truth) / 4.0;
        }
        eprintln!("spammer-hammer, {l} labels each: kos-svd {error:.2} %, votes {by_vote:.2} %");
        assert!(error <= most && by_vote > votes, "{l}: {error} {by_vote}");
    }
}

/// The catalogue's setting: 20 honest annotators of accuracy 0.6 to 0.9, 8 who give the opposite of a shared answer that
/// is right in 90 of 100 cases (and slip in 5 of 100); 1,000 items, all labelled by all. Accuracies are evenly spread: drawn
/// ones move the error of the vote by several points.
fn colluders(seed: u64) -> (Vec<Row>, Vec<usize>) {
    let (mut rows, truth) = one_coin(1000, &spread(0.6, 0.9, 20), 2, 1.0, seed);
    let mut rng = stream(seed, "colluders", 0);
    for (i, &z) in truth.iter().enumerate() {
        let shared = if rng.random_bool(0.9) { z } else { 1 - z };
        for j in 20..28 {
            rows.push((i, j, if rng.random_bool(0.95) { 1 - shared } else { shared }));
        }
    }
    (rows, truth)
}

#[test]
fn mmsr_withstands_colluders() {
    let mean = |m: &dyn AnyMethod, honest: bool| {
        let one = |seed| {
            let (mut rows, truth) = colluders(seed);
            rows.retain(|r| !honest || r.1 < 20);
            error_of(&fit(m, &dataset(&rows, 2)), &truth)
        };
        (0..10).map(one).sum::<f64>() / 10.0
    };
    let known = Mmsr { corrupted: Some(8), ..Mmsr::default() };
    let (told, untold) = (mean(&known, false), mean(&Mmsr::default(), false));
    let reversed = mean(&Mmsr { adversaries: Adversaries::Reverse, ..known.clone() }, false);
    let (alone, by_vote) = (mean(&known, true), mean(&*vote(), false));
    eprintln!(
        "colluders: mmsr {told:.2} % errors, number unknown {untold:.2}, reversed {reversed:.2}, honest alone {alone:.2}, votes {by_vote:.2}"
    );
    assert!(told <= 0.6 && untold <= 0.6, "{told} {untold}");
    assert!((told - alone).abs() < 0.15 && reversed > 2.0 && by_vote > 15.0, "{alone} {reversed} {by_vote}");
}

#[test]
fn mmsr_recovers_accuracies() {
    for (k, share, within) in [(2, 1.0, 0.04), (2, 0.3, 0.08), (4, 0.3, 0.08)] {
        let p = spread(0.55, 0.95, 25);
        let (rows, truth) = one_coin(3000, &p, k, share, 5);
        let data = dataset(&rows, k);
        let f = fit(&Mmsr::default(), &data);
        let Annotators::Accuracy { accuracy, .. } = &f.annotators else { panic!("accuracies wanted") };
        let worst = accuracy.iter().zip(&p).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < within, "{k} classes, share {share}: {worst}");
        assert!(error_of(&f, &truth) <= error_of(&fit(&*vote(), &data), &truth));
    }
}

/// The generator of the reference program: K = 3, 25 annotators of whom three are experts, each labels 30 % of the items.
fn confused(n: usize, seed: u64) -> (Vec<Row>, Vec<usize>, Vec<Vec<f64>>) {
    let (k, m) = (3, 25);
    let mut rng = stream(seed, "confused", n as u64);
    let matrices: Vec<Vec<f64>> = (0..m)
        .map(|j| {
            let mut c = vec![0.0; k * k];
            for t in 0..k {
                let mut row: Vec<f64> = (0..k).map(|_| rng.random()).collect();
                let largest = stats::argmax(&row);
                row.swap(largest, t);
                let sum: f64 = row.iter().sum();
                for l in 0..k {
                    let random = row[l] / sum;
                    c[t * k + l] = if j < 3 { 0.02 * random + if l == t { 0.98 } else { 0.0 } } else { random };
                }
            }
            c
        })
        .collect();
    let truth: Vec<usize> = (0..n).map(|_| rng.random_range(0..k)).collect();
    let mut rows = Vec::new();
    for (i, &z) in truth.iter().enumerate() {
        for (j, c) in matrices.iter().enumerate() {
            if rng.random_bool(0.3) {
                let u: f64 = rng.random();
                let l = if u < c[z * k] {
                    0
                } else if u < c[z * k] + c[z * k + 1] {
                    1
                } else {
                    2
                };
                rows.push((i, j, l));
            }
        }
    }
    (rows, truth, matrices)
}

fn squared_error(f: &Fit, matrices: &[Vec<f64>]) -> f64 {
    let one = |(j, c): (usize, &Vec<f64>)| {
        f.annotators.confusion(j).unwrap().iter().zip(c).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
    };
    matrices.iter().enumerate().map(one).sum::<f64>() / matrices.len() as f64
}

/// After EM the mean squared error is that of Dawid-Skene EM from the votes in the reference tables: 0.0187 / 0.0031.
#[test]
fn spectral_em_recovers_confusion_matrices() {
    for (n, most, worst) in [(1000, 0.03, 8.5), (5000, 0.006, 8.5)] {
        let (mut mse, mut error) = (0.0, 0.0);
        for seed in 0..3 {
            let (rows, truth, matrices) = confused(n, seed);
            let f = fit(&SpectralEm::default(), &dataset(&rows, 3));
            assert_eq!(f.diagnostics.stop, Stop::Converged);
            mse += squared_error(&f, &matrices) / 3.0;
            error += error_of(&f, &truth) / 3.0;
        }
        eprintln!("spectral-em, {n} items: squared error of a matrix {mse:.4}, labels {error:.2} % wrong");
        assert!(mse < most && error < worst, "{n}: {mse} {error}");
    }
}

/// The start needs no good majority: here 12 of 20 annotators say the next class more often than the right one.
#[test]
fn spectral_em_does_not_follow_a_bad_majority() {
    let (n, k) = (4000, 3);
    let mut rng = stream(1, "bad majority", 0);
    let truth: Vec<usize> = (0..n).map(|_| rng.random_range(0..k)).collect();
    let mut rows = Vec::new();
    for (i, &z) in truth.iter().enumerate() {
        for j in 0..20 {
            let u: f64 = rng.random();
            let (right, next) = if j < 12 { (0.35, 0.45) } else { (0.85, 0.1) };
            rows.push((
                i,
                j,
                if u < right {
                    z
                } else if u < right + next {
                    (z + 1) % k
                } else {
                    (z + 2) % k
                },
            ));
        }
    }
    let data = dataset(&rows, k);
    let error = error_of(&fit(&SpectralEm::default(), &data), &truth);
    assert!(error < 2.0, "{error}");
}

// ---- brute force

/// Leading eigenvector (largest absolute eigenvalue) of a dense symmetric matrix: many steps of the power method on its square.
fn leading(a: &[Vec<f64>]) -> Vec<f64> {
    let n = a.len();
    let apply = |x: &[f64]| a.iter().map(|r| r.iter().zip(x).map(|(a, b)| a * b).sum()).collect::<Vec<f64>>();
    let mut x: Vec<f64> = (0..n).map(|i| 1.0 + 0.37 * (i as f64).sin()).collect();
    for _ in 0..4000 {
        let y = apply(&apply(&x));
        let length = y.iter().map(|v| v * v).sum::<f64>().sqrt();
        x = y.iter().map(|v| v / length).collect();
    }
    x
}

/// Two small cases: two classes and four.
fn small(k: usize) -> (Vec<Row>, Dataset, usize, usize) {
    let (n, m) = (40, 9);
    let (rows, _) = one_coin(n, &spread(0.55, 0.95, m), k, 0.6, 11);
    let data = dataset(&rows, k);
    (rows, data, n, m)
}

fn weights(f: &Fit) -> Vec<f64> {
    match &f.annotators {
        Annotators::Weight { weight } => weight.clone(),
        other => panic!("weights wanted, not {other:?}"),
    }
}

/// Sign and scale are arbitrary.
fn parallel(a: &[f64], b: &[f64]) -> bool {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    (dot(a, b).abs() / (dot(a, a) * dot(b, b)).sqrt() - 1.0).abs() < 1e-9
}

#[test]
fn weights_are_those_of_dense_matrices() {
    for k in [2, 4] {
        let (rows, data, n, m) = small(k);
        // the joint coding, items x classes by annotators; for two classes it is half of +1 and -1 twice
        let mut u = vec![vec![0.0; m]; n * k];
        let mut g = vec![vec![0.0; m]; n];
        for &(i, j, c) in &rows {
            g[i][j] = 1.0;
            (0..k).for_each(|t| u[i * k + t][j] = f64::from(u8::from(t == c)) - 1.0 / k as f64);
        }
        let gram = |u: &[Vec<f64>]| -> Vec<Vec<f64>> {
            (0..m).map(|a| (0..m).map(|b| u.iter().map(|r| r[a] * r[b]).sum()).collect()).collect()
        };
        let mut centred = u.clone();
        for j in 0..m {
            for t in 0..k {
                let mean = (0..n).map(|i| u[i * k + t][j]).sum::<f64>() / n as f64;
                (0..n).for_each(|i| centred[i * k + t][j] -= mean);
            }
        }
        assert!(parallel(&weights(&fit(&KosSvd::default(), &data)), &leading(&gram(&centred))), "kos-svd, {k}");
        let (uu, gg) = (gram(&u), gram(&g));
        let scale = k as f64 / (k as f64 - 1.0);
        let mean: Vec<Vec<f64>> = (0..m)
            .map(|a| (0..m).map(|b| if gg[a][b] > 0.0 { scale * uu[a][b] / gg[a][b] } else { 0.0 }).collect())
            .collect();
        let any: Vec<Vec<f64>> =
            gg.iter().map(|r| r.iter().map(|&x| if x > 0.0 { 1.0 } else { 0.0 }).collect()).collect();
        let ratio = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x / y).collect::<Vec<f64>>();
        let want = ratio(&leading(&mean), &leading(&any));
        assert!(parallel(&weights(&fit(&SparseSpectralSvd::default(), &data)), &want), "mean, {k}");
        let sums = SparseSpectralSvd {
            overlap: crowdwise_methods::classes::spectral::Overlap::Sum,
            ..SparseSpectralSvd::default()
        };
        assert!(parallel(&weights(&fit(&sums, &data)), &ratio(&leading(&uu), &leading(&gg))), "sum, {k}");
        // spectral-svd: decisions of the votes that the leading vector weighs
        let w = leading(&uu);
        let f = fit(&SpectralSvd::default(), &data);
        let turn = if w.iter().sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
        let (_, q) = f.posterior().unwrap();
        for i in 0..n {
            let score: Vec<f64> = (0..k).map(|t| (0..m).map(|j| turn * w[j] * u[i * k + t][j]).sum()).collect();
            if g[i].iter().sum::<f64>() > 0.0 {
                let best = stats::argmax(&score);
                assert!(q[i * k + best] >= q[i * k..][..k].iter().copied().fold(0.0, f64::max) - 1e-9, "{k}: item {i}");
            }
        }
    }
}

#[test]
fn mmsr_trims_by_the_annotator_with_the_fewest_partners() {
    // annotator 0 meets two others, the rest meet everybody else but 0
    let (n, m) = (60, 11);
    let (mut rows, _) = one_coin(n, &spread(0.6, 0.95, m), 2, 1.0, 5);
    rows.retain(|&(i, j, _)| if i < 2 { j < 3 } else { j > 0 });
    let data = dataset(&rows, 2);
    let fewest = Mmsr { trim: Trim::Fewest, ..Mmsr::default() };
    let accuracy = |m: &Mmsr| match fit(m, &data).annotators {
        Annotators::Accuracy { accuracy, .. } => accuracy,
        other => panic!("accuracies wanted, not {other:?}"),
    };
    // half of two, less one
    assert_eq!(accuracy(&fewest), accuracy(&Mmsr { corrupted: Some(0), ..Mmsr::default() }));
    assert_ne!(accuracy(&fewest), accuracy(&Mmsr::default()));
    // going on from its own end changes nothing
    let first = fit(&fewest, &data);
    let again = fewest.fit(&data, &mut Context::new(0, 1).with_warm_start(&first)).unwrap();
    assert!(again.diagnostics.iterations < first.diagnostics.iterations);
}

/// The trimmed ratios of the paper in plain loops over dense matrices.
#[test]
fn mmsr_equals_plain_loops() {
    for k in [2, 4] {
        let (rows, data, n, m) = small(k);
        let mut said = vec![vec![None; m]; n];
        rows.iter().for_each(|&(i, j, c)| said[i][j] = Some(c));
        let c = |a: usize, b: usize| {
            let both: Vec<bool> =
                said.iter().filter(|r| r[a].is_some() && r[b].is_some()).map(|r| r[a] == r[b]).collect();
            let share = both.iter().filter(|x| **x).count() as f64 / both.len() as f64;
            (both.len(), ((k as f64 * share - 1.0) / (k as f64 - 1.0)).abs())
        };
        let trim = 2;
        let update = |from: &[f64], to: &mut Vec<f64>| {
            for j in 0..m {
                let all: Vec<f64> =
                    (0..m).filter(|&i| i != j && c(i, j).0 > 0).map(|i| c(i, j).1 / from[i].max(1e-6)).collect();
                let mut low: Vec<f64> = all.iter().copied().filter(|&x| x < to[j]).collect();
                let mut high: Vec<f64> = all.iter().copied().filter(|&x| x > to[j]).collect();
                low.sort_by(f64::total_cmp);
                high.sort_by(|a, b| b.total_cmp(a));
                let mut kept: Vec<f64> = low.into_iter().skip(trim).chain(high.into_iter().skip(trim)).collect();
                kept.extend(all.iter().copied().filter(|&x| x == to[j]));
                if !kept.is_empty() {
                    to[j] = kept.iter().sum::<f64>() / kept.len() as f64;
                }
            }
        };
        let (mut u, mut v) = (vec![1.0; m], vec![1.0; m]);
        for _ in 0..500 {
            update(&u, &mut v);
            update(&v, &mut u);
        }
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let margin = 1.0 / (n as f64).sqrt();
        let f = fit(&Mmsr { corrupted: Some(trim), tol: 1e-13, ..Mmsr::default() }, &data);
        let Annotators::Accuracy { accuracy, .. } = &f.annotators else { panic!("accuracies wanted") };
        for j in 0..m {
            let s = (u[j] * (norm(&v) / norm(&u)).sqrt()).min(1.0 - margin);
            let p = s * (1.0 - 1.0 / k as f64) + 1.0 / k as f64;
            assert!((accuracy[j] - p).abs() < 1e-9, "{k}, {j}: {} {p}", accuracy[j]);
        }
    }
}
