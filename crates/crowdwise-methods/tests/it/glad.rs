//! GLAD: published figures, equality with one-coin EM, recovery, order and names. Gradients and equality with
//! crowd-kit round by round are tested beside the code.

use crate::common;

use common::{accuracy, real_set};
use crowdwise_core::{Annotators, AnyMethod, Context, Dataset, Fit, LabelKind, Stop, TableBuilder, stream};
use crowdwise_methods::classes::difficulty::{Glad, GladClassPrior, GladStart};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Normal};
use std::sync::atomic::AtomicBool;

fn fit(m: &Glad, data: &Dataset) -> Fit {
    m.fit(data, &mut Context::new(0, 2)).unwrap()
}

fn far(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// Errors in percent of an independent numpy program (other search, 30 rounds): the same to one item or two.
#[test]
fn errors_on_real_sets() {
    for (name, want, within) in [("rte", 7.50, 0.13), ("dog", 16.60, 0.26), ("bluebird", 27.78, 0.01)] {
        let Some((data, gold)) = real_set(name) else { return };
        let f = fit(&Glad::default(), &data);
        let have = 100.0 * (1.0 - accuracy(&f, &gold.unwrap()));
        assert!((have - want).abs() <= within, "{name}: {have:.2}, want {want:.2}");
        assert_eq!(f.diagnostics.stop, Stop::Converged, "{name}");
        let values: Vec<f64> = f.diagnostics.trace.iter().map(|t| t.objective.unwrap()).collect();
        assert!(values.windows(2).all(|w| w[1] >= w[0] - 1e-9 * w[0].abs()), "{name}: the objective fell");
    }
}

struct Simulated {
    data: Dataset,
    truth: Vec<usize>,
    ability: Vec<f64>,
    log_ease: Vec<f64>,
}

/// Labels from the model itself; items i0, i1, … and annotators a0, a1, … in order.
fn simulate(seed: u64, items: usize, m: usize, per_item: usize, k: usize) -> Simulated {
    let mut rng = stream(seed, "glad-test", 0);
    let unit = Normal::new(1.0, 1.0).unwrap();
    let ability: Vec<f64> = (0..m).map(|_| unit.sample(&mut rng)).collect();
    let log_ease: Vec<f64> = (0..items).map(|_| unit.sample(&mut rng) - 1.0).collect();
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for j in 0..m {
        b.annotators.intern(&format!("a{j}"));
    }
    let mut truth = Vec::new();
    for i in 0..items {
        let z = rng.random_range(0..k);
        truth.push(z);
        let offset = rng.next_u64() as usize % m;
        for n in 0..per_item {
            let j = (offset + n * 7) % m;
            let p = 1.0 / (1.0 + (-ability[j] * log_ease[i].exp()).exp());
            let l = if rng.random::<f64>() < p { z } else { (z + rng.random_range(1..k)) % k };
            b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
        }
    }
    Simulated { data: Dataset::new(b.finish().unwrap()), truth, ability, log_ease }
}

/// With the priors that made the data: abilities rest on 1200 labels each (their error comes from the scale that the
/// priors fix), log eases on 40 labels each. Correlations near 1 and 0.8 are what these counts allow.
#[test]
fn recovers_abilities_and_difficulties() {
    for k in [2, 4] {
        let s = simulate(7, 1500, 50, 40, k);
        let f = fit(&Glad { beta_mean: 0.0, ..Glad::default() }, &s.data);
        let Annotators::Ability { ability, .. } = &f.annotators else { panic!("abilities wanted") };
        let corr = |a: &[f64], b: &[f64]| {
            let n = a.len() as f64;
            let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
            let cov: f64 = a.iter().zip(b).map(|(x, y)| (x - ma) * (y - mb)).sum();
            let (va, vb): (f64, f64) =
                (a.iter().map(|x| (x - ma).powi(2)).sum(), b.iter().map(|x| (x - mb).powi(2)).sum());
            cov / (va * vb).sqrt()
        };
        let c = corr(ability, &s.ability);
        assert!(c > 0.98, "K = {k}: abilities correlate {c}");
        let off = (ability.iter().zip(&s.ability).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 50.0).sqrt();
        assert!(off < 0.25, "K = {k}: abilities are off by {off}");
        let harder: Vec<f64> = f.difficulty.as_ref().unwrap().iter().map(|d| -d.ln()).collect();
        let c = corr(&harder, &s.log_ease);
        assert!(c > 0.8, "K = {k}: log eases correlate {c}");
    }
}

/// Five labels per item: weighing them by ability finds more of the truth than counting them.
#[test]
fn more_is_right_than_by_voting() {
    for k in [2, 4] {
        let s = simulate(8, 3000, 50, 5, k);
        let f = fit(&Glad { beta_mean: 0.0, ..Glad::default() }, &s.data);
        let right = |q: &[f64]| {
            let hit = |(i, z): &(usize, &usize)| crowdwise_core::stats::argmax(&q[i * k..(i + 1) * k]) == **z;
            s.truth.iter().enumerate().filter(hit).count()
        };
        let mut votes = vec![0.0; 3000 * k];
        votes.chunks_mut(k).enumerate().for_each(|(i, v)| s.data.table.categorical().unwrap().votes(i, v));
        let (ours, theirs) = (right(f.posterior().unwrap().1), right(&votes));
        assert!(ours > theirs + 20, "K = {k}: {ours} right, the vote has {theirs}");
    }
}

/// With ease 1 for every item and no prior, P(right) = sigmoid(ability) is free for every annotator: one-coin EM.
#[test]
fn fixed_difficulty_is_one_coin_em() {
    for k in [2, 3] {
        let s = simulate(3, 300, 20, 8, k);
        let t = &s.data.table;
        let c = t.categorical().unwrap();
        let rounds = 12;
        let mut q = vec![0.0; t.n_units() * k];
        q.chunks_mut(k).enumerate().for_each(|(u, row)| c.vote_shares(u, row));
        let mut p = vec![0.0; 20];
        for _ in 0..rounds {
            let (mut hits, mut n) = (vec![0.0; 20], vec![0.0; 20]);
            for u in 0..t.n_units() {
                for r in t.rows(u) {
                    hits[t.annotator()[r] as usize] += q[u * k + c.codes.get(r)];
                    n[t.annotator()[r] as usize] += 1.0;
                }
            }
            p = hits.iter().zip(&n).map(|(h, n)| h / n).collect();
            for (u, row) in q.chunks_mut(k).enumerate() {
                row.fill(0.0);
                for r in t.rows(u) {
                    let p: f64 = p[t.annotator()[r] as usize];
                    row[c.codes.get(r)] += (p * (k - 1) as f64 / (1.0 - p)).ln();
                }
                crowdwise_core::stats::softmax(row);
            }
        }
        let glad = Glad {
            difficulty: false,
            alpha_sd: None,
            max_iter: rounds,
            tol: 0.0,
            inner_iter: 200,
            inner_tol: 1e-12,
            ..Glad::default()
        };
        let f = fit(&glad, &s.data);
        let Annotators::Ability { ability, typical_ease, .. } = &f.annotators else { panic!("abilities wanted") };
        assert_eq!((*typical_ease, &f.difficulty), (1.0, &None));
        let accuracies: Vec<f64> = ability.iter().map(|a| 1.0 / (1.0 + (-a).exp())).collect();
        assert!(far(&accuracies, &p) < 1e-8, "K = {k}: {}", far(&accuracies, &p));
        assert!(far(f.posterior().unwrap().1, &q) < 1e-7, "K = {k}: {}", far(f.posterior().unwrap().1, &q));
    }
}

/// Rows in another order, everything renamed: the same posteriors to 1e-9.
#[test]
fn order_and_names_do_not_matter() {
    let s = simulate(11, 120, 15, 6, 3);
    let t = &s.data.table;
    let c = t.categorical().unwrap();
    let class = |l: usize| ["z", "p", "m"][l];
    let mut rows: Vec<(usize, usize, usize)> =
        (0..t.n_units()).flat_map(|u| t.rows(u).map(move |r| (u, t.annotator()[r] as usize, c.codes.get(r)))).collect();
    rows.sort_by_key(|&(u, j, _)| (u * 7919 % 120, j * 7 % 15));
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for &(u, j, l) in &rows {
        b.label(&format!("other{u}"), &format!("who{j}"), class(l)).unwrap();
    }
    let other = Dataset::new(b.finish().unwrap());
    let names = other.table.categorical().unwrap().classes;
    for class_prior in [GladClassPrior::Uniform, GladClassPrior::Learn] {
        let glad = Glad { class_prior, ..Glad::default() };
        let (one, two) = (fit(&glad, &s.data), fit(&glad, &other));
        let ((k, p), (_, q)) = (one.posterior().unwrap(), two.posterior().unwrap());
        let mut worst = 0.0f64;
        for (i, item) in other.table.items().iter().enumerate() {
            let u: usize = item.strip_prefix("other").unwrap().parse().unwrap();
            for l in 0..k {
                let there = names.iter().position(|n| n == class(l)).unwrap();
                worst = worst.max((p[u * k + l] - q[i * k + there]).abs());
            }
        }
        assert!(worst < 1e-9, "{class_prior:?}: {worst}");
    }
}

/// An annotator who is always wrong about two classes gets a negative ability and counts as if inverted.
#[test]
fn an_adversary_is_inverted() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let mut rng = stream(2, "adversary", 0);
    for i in 0..200 {
        let z = i % 2;
        for j in 0..4 {
            let l = if rng.random::<f64>() < 0.8 { z } else { 1 - z };
            b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
        }
        b.label(&format!("i{i}"), "liar", &(1 - z).to_string()).unwrap();
    }
    let data = Dataset::new(b.finish().unwrap());
    let f = fit(&Glad::default(), &data);
    assert!(f.annotators.weight(4).unwrap() < -0.5);
    let (_, q) = f.posterior().unwrap();
    let right = (0..200).filter(|i| q[i * 2 + i % 2] > 0.5).count();
    assert!(right >= 198, "{right} of 200");
}

#[test]
fn warm_start_threads_cancel_and_starts() {
    let s = simulate(5, 400, 30, 6, 3);
    let glad = Glad { max_iter: 1000, ..Glad::default() };
    let first = fit(&glad, &s.data);
    assert_eq!(first.diagnostics.stop, Stop::Converged);
    let mut cx = Context::default().with_warm_start(&first);
    let again = glad.fit(&s.data, &mut cx).unwrap();
    assert_eq!((again.diagnostics.iterations, again.diagnostics.stop), (1, Stop::Converged));
    assert!(far(first.posterior().unwrap().1, again.posterior().unwrap().1) < 1e-4);

    let flag = AtomicBool::new(true);
    let stopped = glad.fit(&s.data, &mut Context::default().with_cancel(&flag)).unwrap();
    assert_eq!((stopped.diagnostics.iterations, stopped.diagnostics.stop), (1, Stop::Cancelled));
    assert!(stopped.posterior().unwrap().1.chunks(3).all(|r| (r.iter().sum::<f64>() - 1.0).abs() < 1e-9));

    // both starts lead to the same optimum here
    let tight = Glad { tol: 1e-9, inner_tol: 1e-8, inner_iter: 100, max_iter: 3000, ..Glad::default() };
    let a = fit(&tight, &s.data);
    let b = fit(&Glad { start: GladStart::Prior, ..tight }, &s.data);
    assert!(far(a.posterior().unwrap().1, b.posterior().unwrap().1) < 1e-5);
}

/// More than one run of items: the sums are added in a fixed order whatever the number of threads.
#[test]
fn one_thread_and_two_give_the_same_bits() {
    let s = simulate(8, 24_000, 200, 7, 2);
    let glad = Glad { max_iter: 3, ..Glad::default() };
    let go = |threads| glad.fit(&s.data, &mut Context::new(0, threads)).unwrap();
    let (one, two) = (go(1), go(2));
    assert_eq!((&one.truth, &one.annotators, &one.difficulty), (&two.truth, &two.annotators, &two.difficulty));
}
