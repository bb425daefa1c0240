//! Annotators whose expertise depends on the item, on data that was made that way.

use crate::common;

use common::{World, accuracy, fit, inferred, tested};
use crowdwise_core::{Context, Dataset, Features, Fit, stream};
use crowdwise_learn::expert::{Dlc, KeptDlc};
use crowdwise_learn::{Labels, NetworkKind, NetworkParams};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde_json::{Value, json};

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let of = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - ma, y - mb)).sum::<f64>();
    of(&|x, y| x * y) / (of(&|x, _| x * x) * of(&|_, y| y * y)).sqrt()
}

/// Two classes and annotators who are right on item x with probability σ(u · F x), with u and F of rank 10 uniform in (-0.3, 0.6):
/// the synthetic data of Yang et al. (2018), with 20 features that are not negative.
struct LowRank {
    train: World,
    test: World,
    labels: Vec<(usize, usize, usize)>,
    /// P(right) of every label.
    right: Vec<f64>,
}

const D: usize = 20;

impl LowRank {
    /// `noisy`: right with that probability, otherwise right where it is above 1/2. `ask` says who labels which items.
    fn new(
        n: usize,
        m: usize,
        noisy: bool,
        seed: u64,
        mut ask: impl FnMut(&mut ChaCha8Rng) -> Vec<(usize, usize)>,
    ) -> Self {
        let mut rng = stream(seed, "low rank", 0);
        let x: Vec<f64> = (0..2 * n * D)
            .map(|_| {
                let x: f64 = StandardNormal.sample(&mut rng);
                x.abs() / (D as f64).sqrt()
            })
            .collect();
        let mut uniform = |count: usize| -> Vec<f64> { (0..count).map(|_| rng.random_range(-0.3..0.6)).collect() };
        let (u, f) = (uniform(m * 10), uniform(10 * D));
        let w: Vec<f64> = (0..D).map(|_| StandardNormal.sample(&mut rng)).collect();
        let score: Vec<f64> = x.chunks_exact(D).map(|x| x.iter().zip(&w).map(|(x, w)| x * w).sum()).collect();
        let mut sorted = score.clone();
        sorted.sort_by(f64::total_cmp);
        let truth: Vec<usize> = score.iter().map(|s| usize::from(*s > sorted[n])).collect();
        let eta = |i: usize, j: usize| {
            let x = &x[i * D..(i + 1) * D];
            let seen = f.chunks_exact(D).map(|f| f.iter().zip(x).map(|(f, x)| f * x).sum::<f64>());
            sigmoid(seen.zip(&u[j * 10..]).map(|(v, u)| v * u).sum())
        };
        let (mut labels, mut right) = (Vec::new(), Vec::new());
        for (i, j) in ask(&mut rng) {
            let p = eta(i, j);
            let is_right = if noisy { rng.random_bool(p) } else { p > 0.5 };
            labels.push((i, j, if is_right { truth[i] } else { 1 - truth[i] }));
            right.push(p);
        }
        let world = |part: std::ops::Range<usize>| World {
            k: 2,
            features: Features {
                dim: D,
                values: x[part.start * D..part.end * D].iter().map(|x| *x as f32).collect(),
                image: None,
            },
            truth: truth[part].to_vec(),
        };
        LowRank { train: world(0..n), test: world(n..2 * n), labels, right }
    }

    /// Every annotator labels every item with probability `share`.
    fn sparse(n: usize, m: usize, share: f64, noisy: bool, seed: u64) -> Self {
        LowRank::new(n, m, noisy, seed, |rng| {
            let mut out = Vec::new();
            for j in 0..m {
                out.extend((0..n).filter(|_| rng.random_bool(share)).map(|i| (i, j)));
            }
            out
        })
    }

    /// Correlation over annotators of the mean estimated reliability with the share of right labels.
    fn expertise(&self, fit: &Fit, data: &Dataset) -> f64 {
        let m = data.table.n_annotators();
        let mut right = vec![(0.0, 0.0); m];
        for &(i, j, l) in &self.labels {
            let a = data.table.annotators().get(&format!("a{j}")).unwrap() as usize;
            right[a].0 += f64::from(u8::from(l == self.train.truth[i]));
            right[a].1 += 1.0;
        }
        let estimated: Vec<f64> = (0..m).map(|a| fit.annotators.confusion(a).unwrap()[0]).collect();
        correlation(&estimated, &right.iter().map(|(r, n)| r / n).collect::<Vec<f64>>())
    }

    /// Correlation over labels of the estimated with the true reliability.
    fn reliability(&self, model: &crowdwise_learn::Model, data: &Dataset) -> f64 {
        let mut known: Vec<Option<Vec<f64>>> = vec![None; data.table.n_annotators()];
        let estimated: Vec<f64> = self
            .labels
            .iter()
            .map(|&(i, j, _)| {
                let a = data.table.annotators().get(&format!("a{j}")).unwrap() as usize;
                // a model numbers annotators in its own way
                let own = model.annotators.iter().position(|n| *n == format!("a{j}")).unwrap();
                let of = || model.expertise(&self.train.features, own).unwrap().unwrap();
                known[a].get_or_insert_with(of)[i]
            })
            .collect();
        correlation(&estimated, &self.right)
    }
}

fn vote(data: &Dataset, truth: &[usize]) -> f64 {
    let m = crowdwise_methods::find("majority-vote").unwrap().default();
    inferred(&m.fit(data, &mut crowdwise_core::Context::default()).unwrap(), truth)
}

/// Published for the sparsest setting (5 labels per item): labels 99.06, reliability 0.575, expertise 0.944.
#[test]
fn dlc_finds_out_who_knows_what() {
    let made = LowRank::sparse(2000, 2000, 0.002, false, 0);
    let data = made.train.dataset(&made.labels);
    let (f, model) = fit("dlc", &[("epochs", json!(20))], &data, 0);
    let (labels, expertise, reliability) =
        (inferred(&f, &made.train.truth), made.expertise(&f, &data), made.reliability(&model, &data));
    println!("deterministic: labels {labels}, expertise {expertise}, reliability {reliability}");
    assert!(labels >= 0.985 && expertise >= 0.97 && reliability >= 0.5, "{labels} {expertise} {reliability}");
    let noisy = LowRank::sparse(2000, 2000, 0.01, true, 0);
    let data = noisy.train.dataset(&noisy.labels);
    let (f, model) = fit("dlc", &[("epochs", json!(20))], &data, 0);
    let (labels, expertise, reliability, base) = (
        inferred(&f, &noisy.train.truth),
        noisy.expertise(&f, &data),
        noisy.reliability(&model, &data),
        vote(&data, &noisy.train.truth),
    );
    println!("noisy: labels {labels} (vote {base}), expertise {expertise}, reliability {reliability}");
    assert!(labels >= base - 0.015 && expertise >= 0.9, "{labels} ({base}) {expertise}");
}

/// Few noisy labels: 2 an item, 40 annotators. The penalty towards the start is what makes this work.
#[test]
fn dlc_learns_from_few_noisy_labels() {
    let (mut labels, mut test, mut base, mut base_test, mut free) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let seeds = 3;
    let linear = |more: &[(&'static str, Value)]| -> Vec<(&'static str, Value)> {
        [("network", json!("linear")), ("learning_rate", json!(1e-2))].into_iter().chain(more.iter().cloned()).collect()
    };
    for seed in 0..seeds {
        let made = LowRank::new(600, 40, true, seed, |rng| {
            (0..1260).map(|_| (rng.random_range(0..600), rng.random_range(0..40))).collect()
        });
        let data = made.train.dataset(&made.labels);
        let n = seeds as f64;
        let (f, model) = fit("dlc", &linear(&[]), &data, seed);
        labels += inferred(&f, &made.train.truth) / n;
        test += tested(&model, &made.test) / n;
        let (f, model) = fit("two-stage", &linear(&[("method", json!("majority-vote"))]), &data, seed);
        base += inferred(&f, &made.train.truth) / n;
        base_test += tested(&model, &made.test) / n;
        let published = linear(&[("lambda", json!(0.01)), ("lambda_view", json!(0.0))]);
        free += tested(&fit("dlc", &published, &data, seed).1, &made.test) / n;
    }
    println!("labels {labels} (vote {base}), test {test} (vote {base_test}, hardly any penalty {free})");
    assert!(labels > base + 0.1 && test > base_test, "{labels} {base} {test} {base_test} {free}");
}

/// Three classes in five dimensions; ten annotators, each with a half-space in which it is right in 90 % of cases and outside of which in
/// 55 %; three labels per item.
fn half_spaces(seed: u64, separation: f64) -> (World, World, Vec<(usize, usize, usize)>) {
    let (k, d, m, n) = (3, 5, 10, 2000);
    let unit = |v: &mut [f64]| {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.iter_mut().for_each(|x| *x /= length);
    };
    let mut centres = common::centres(k, d, seed);
    centres.chunks_exact_mut(d).for_each(unit);
    let (train, test) =
        (World::blobs(n, k, d, separation, seed, &centres), World::blobs(n, k, d, separation, seed + 500, &centres));
    let mut rng = stream(seed, "half-spaces", 0);
    let mut sides: Vec<f64> = (0..m * d).map(|_| StandardNormal.sample(&mut rng)).collect();
    sides.chunks_exact_mut(d).for_each(unit);
    let mut labels = Vec::new();
    for (i, &z) in train.truth.iter().enumerate() {
        for j in rand::seq::index::sample(&mut rng, m, 3) {
            let x = train.features.row(i);
            let inside = x.iter().zip(&sides[j * d..]).map(|(x, s)| f64::from(*x) * s).sum::<f64>() > 0.0;
            let right = rng.random_bool(if inside { 0.9 } else { 0.55 });
            labels.push((i, j, if right { z } else { (z + 1 + rng.random_range(0..k - 1)) % k }));
        }
    }
    (train, test, labels)
}

/// Label errors in percent in the numpy reference: crowd layer 12.6, EM with constant matrices 10.7, heads 11.6, gates in EM 8.6, known
/// truth of everything 7.1.
#[test]
fn gates_find_the_half_spaces() {
    let small: Vec<(&str, Value)> =
        vec![("hidden", json!(32)), ("dropout", json!(0.0)), ("holdout", json!(0.0)), ("learning_rate", json!(3e-3))];
    let mut errors = [0.0; 4];
    for seed in 0..3 {
        let (train, test, labels) = half_spaces(seed, 1.2);
        let data = train.dataset(&labels);
        let of = |id: &str, more: &[(&'static str, Value)]| {
            let params: Vec<(&str, Value)> = small.iter().cloned().chain(more.iter().cloned()).collect();
            let (f, model) = fit(id, &params, &data, seed);
            (100.0 * (1.0 - inferred(&f, &train.truth)), 100.0 * (1.0 - tested(&model, &test)))
        };
        let each = [
            of("crowd-layer", &[("epochs", json!(40)), ("diagonal", json!(2.0))]),
            of("aggnet", &[]),
            of("instance-confusion", &[]),
            of("instance-confusion", &[("form", json!("heads"))]),
        ];
        println!("seed {seed}: layer, aggnet, gate, heads: label and test errors {each:.1?}");
        errors.iter_mut().zip(each).for_each(|(e, (labels, _))| *e += labels / 3.0);
        assert!(each[2].0 <= each[0].0 - 2.0, "gates against the crowd layer: {each:?}");
        assert!(each[2].0 <= each[1].0 - 1.0, "gates against constant matrices: {each:?}");
    }
    assert!(errors[2] < 10.5 && errors[3] < errors[0] + 0.5, "{errors:?}");
}

/// The page says that it is for comparison: with features that tell the classes apart well it is not below the labels alone.
#[test]
fn mnn_corrects_labels_where_features_are_good() {
    let (train, test, labels) = half_spaces(1, 3.5);
    let data = train.dataset(&labels);
    let small = [("hidden", json!(32)), ("dropout", json!(0.0)), ("learning_rate", json!(3e-3))];
    let (f, model) = fit("mnn", &small, &data, 0);
    let (labels, right, base) = (inferred(&f, &train.truth), tested(&model, &test), vote(&data, &train.truth));
    let printed = [("gate", json!(false)), ("use_network", json!(false)), ("anchors", json!(0.15))];
    let printed: Vec<(&str, Value)> = small.iter().cloned().chain(printed).collect();
    let paper = inferred(&fit("mnn", &printed, &data, 0).0, &train.truth);
    println!("mnn: labels {labels} (vote {base}, nearly as printed {paper}), test {right}");
    assert!(labels > base && right > 0.85, "labels {labels}, vote {base}, test {right}");
    assert!(f.diagnostics.details["anchors"].as_u64().unwrap() > 1000);
}

/// DLC kept while labels arrive in five parts, on this number of threads: the last state.
fn kept(made: &LowRank, m: usize, threads: usize) -> (KeptDlc, Labels, Vec<f64>) {
    let mut rows: Vec<(u32, u32, u32)> = made.labels.iter().map(|&(i, j, l)| (i as u32, j as u32, l as u32)).collect();
    // in no order that means anything
    rows.sort_by_key(|r| (r.0 * 7919 + r.1 * 31) % 1009);
    let (n, all) = (made.train.truth.len(), rows.len());
    let dlc = Dlc {
        network: NetworkParams { network: NetworkKind::Mlp, hidden: 16, ..NetworkParams::default() },
        ..Dlc::default()
    };
    let mut kept = KeptDlc::new(&dlc, &made.train.features, 2, m, 7).unwrap();
    let mut cx = Context::new(99, threads);
    let whole = Labels::of_rows(n, m, 2, &rows);
    for part in 1..=5 {
        let now = Labels::of_rows(n, m, 2, &rows[..all * part / 5]);
        kept.refit(&now, if part == 1 { 20 } else { 10 }, &mut cx).unwrap();
    }
    rows.reverse();
    let q = kept.posterior(&Labels::of_rows(n, m, 2, &rows), &mut cx).unwrap();
    (kept, whole, q)
}

#[test]
fn dlc_that_is_kept_is_as_good_as_dlc_from_the_beginning() {
    let m = 60;
    let made = LowRank::sparse(600, m, 0.06, true, 5);
    let (mut kept, labels, q) = kept(&made, m, 1);
    let new = kept.predict(&made.test.features).unwrap();
    let data = made.train.dataset(&made.labels);
    let dlc = [("network", json!("mlp")), ("hidden", json!(16)), ("epochs", json!(60))];
    let (fit, cold) = fit("dlc", &dlc, &data, 7);
    let (warm, start) = (accuracy(2, &new.rows, &made.test.truth), tested(&cold, &made.test));
    let (found, by_cold) = (accuracy(2, &q, &made.train.truth), inferred(&fit, &made.train.truth));
    println!("new items {warm:.3} kept, {start:.3} cold; labels {found:.3}, {by_cold:.3}");
    assert!(warm > start - 0.04 && found > by_cold - 0.03, "{warm} {start} {found} {by_cold}");
    // what it knows is what a model keeps of it
    let model = kept.model(&data).unwrap();
    let known = model.expertise_of(&made.train.features).unwrap();
    let own = |j: usize| model.annotators.iter().position(|n| *n == format!("a{j}")).unwrap();
    for (i, j) in [(0, 0), (17, 3), (599, 59)] {
        assert!((kept.expertise(i, j) - known.at(i, own(j))).abs() < 1e-12);
    }
    assert_eq!(labels.len(), made.labels.len());
}

#[test]
fn dlc_that_is_kept_is_the_same_on_any_number_of_threads() {
    let made = LowRank::sparse(300, 30, 0.1, true, 6);
    let (one, _, q) = kept(&made, 30, 1);
    let (four, labels, again) = kept(&made, 30, 4);
    assert!(q.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
    assert_eq!(one.expertise(5, 7).to_bits(), four.expertise(5, 7).to_bits());
    let mut other = KeptDlc::new(&Dlc::default(), &made.train.features, 2, 31, 0).unwrap();
    let e = other.refit(&labels, 1, &mut Context::new(0, 1)).unwrap_err().to_string();
    assert!(e.contains("30 annotators") && e.contains("31"), "{e}");
}

/// Where features tell nothing, predictions under dropout are less sure; without dropout all draws are the same.
#[test]
fn draws_of_dropout_are_unsure_where_features_tell_nothing() {
    let made = LowRank::sparse(400, 40, 0.1, true, 8);
    let data = made.train.dataset(&made.labels);
    let with = |dropout: f64| {
        let settings =
            [("network", json!("mlp")), ("dropout", json!(dropout)), ("limit", json!(0.0)), ("epochs", json!(20))];
        fit("dlc", &settings, &data, 3).1
    };
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let still = with(0.0).sample(&made.test.features, 10).unwrap();
    assert!(still.bald.iter().all(|b| b.abs() < 1e-9));
    let model = with(0.5);
    let home = model.sample(&made.test.features, 30).unwrap();
    // every item is the mean of all
    let (mut away, dim) = (made.test.features.clone(), made.test.features.dim);
    let n = away.values.len() / dim;
    let middle: Vec<f32> = (0..dim).map(|d| away.values.iter().skip(d).step_by(dim).sum::<f32>() / n as f32).collect();
    away.values.chunks_exact_mut(dim).for_each(|row| row.copy_from_slice(&middle));
    let far = model.sample(&away, 30).unwrap();
    println!("entropy {:.4} at home, {:.4} away", mean(&home.entropy), mean(&far.entropy));
    assert!(mean(&home.bald) > 1e-4 && mean(&far.entropy) > mean(&home.entropy));
}
