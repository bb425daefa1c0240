//! The loops without tables against the kernel, step by step.

use super::super::confusion_vector::Vectors;
use super::super::em::{self, Adaptive, Fitted, Settings, Start};
use super::super::kernel::{self, Engine};
use super::super::one_coin::Coin;
use super::super::shared::{self, Shares};
use super::super::spammer_hammer::Atoms;
use super::{Begin, Input, Limits, coins, vectors};
use crowdwise_core::simulate::{Simulation, Simulator};
use crowdwise_core::{Context, Dataset, Gold, GoldValues};

/// Several annotators per item, one item in eight known, classes and items that nobody labelled.
fn data(k: usize, seed: u64, gold: bool) -> Dataset {
    let s = Simulation { items: 90, annotators: 14, classes: k, per_item: 4, ..Simulation::default() };
    let (mut data, truth) = Simulator::new(&s, seed).unwrap().dataset().unwrap();
    data.table.add_items(["nobody", "saw these"]);
    if gold {
        let GoldValues::Classes(mut known) = truth.values.clone() else { panic!("classes") };
        known.retain(|x| x.0 % 8 == 0);
        known.push((90, 0));
        data.gold = Some(Gold { values: GoldValues::Classes(known), ..truth });
    }
    data
}

fn shares(learn: bool, beta: f64, k: usize) -> Shares {
    let weights: Vec<f64> = (1..=k).map(|x| x as f64).collect();
    let sum: f64 = weights.iter().sum();
    Shares { learn, beta, given: weights.iter().map(|w| w / sum).collect() }
}

fn by_tables<M: Adaptive>(data: &Dataset, model: &mut M, begin: kernel::Begin<'_>, limits: Limits) -> Fitted {
    let (labels, gold) = shared::inputs(data);
    let mut engine = Engine::new(&labels, gold.as_deref(), 1).unwrap();
    let settings = Settings::soft(limits.max_iter, limits.tol, false);
    let units = data.table.n_units();
    em::fit(&mut engine, model, Start::Posterior(begin), &settings, units, &mut Context::new(0, 1)).unwrap()
}

/// Posteriors of labelled items, prior and objective alike.
fn same(data: &Dataset, a: &Fitted, b: &Fitted, tolerance: f64, what: &str) {
    let gold = data.gold_classes();
    let k = a.prior.len();
    let near = |x: f64, y: f64| assert!((x - y).abs() <= tolerance * (1.0 + x.abs()), "{what}: {x} and {y}");
    for u in (0..data.table.n_units()).filter(|&u| data.table.degree(u) > 0) {
        if gold.as_ref().is_none_or(|g| g[u].is_none()) {
            (0..k).for_each(|t| near(a.posterior[u * k + t], b.posterior[u * k + t]));
        }
    }
    (0..k).for_each(|t| near(a.prior[t], b.prior[t]));
    near(a.objective, b.objective);
    assert_eq!(a.run.trace.len(), b.run.trace.len(), "{what}");
    a.run.trace.iter().zip(&b.run.trace).for_each(|(x, y)| near(x.objective.unwrap(), y.objective.unwrap()));
}

fn diagonal(f: &Fitted, k: usize) -> Vec<f64> {
    f.tables.chunks_exact(k * k).flat_map(|t| (0..k).map(|c| t[c * k + c]).collect::<Vec<f64>>()).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).for_each(|(x, y)| assert!((x - y).abs() < 1e-9, "{x} {y}"));
}

/// Each case: data, class shares, smoothing, iterations.
fn cases() -> impl Iterator<Item = (Dataset, bool, f64, f64, Limits)> {
    (0..12u64).map(|x| {
        let k = [2, 3, 7, 40][x as usize % 4];
        let max_iter = [1, 6, 50][x as usize % 3];
        let (alpha, beta) = if x % 2 == 0 { (0.01, 0.0) } else { (0.5, 1.5) };
        (data(k, x, x % 5 < 3), x % 6 < 4, alpha, beta, Limits { max_iter, tol: 0.0 })
    })
}

#[test]
fn one_coin_takes_the_steps_of_the_kernel() {
    for (x, (data, learn, alpha, beta, limits)) in cases().enumerate() {
        let k = data.table.n_classes();
        let (labels, gold) = shared::inputs(&data);
        let input = Input { labels, gold: gold.as_deref() };
        let mut model = Coin { alpha, shares: shares(learn, beta, k) };
        let a = by_tables(&data, &mut model, kernel::Begin::VoteShares, limits);
        let b = coins(input, &mut model, &Begin::VoteShares, limits, &mut Context::new(0, 2)).unwrap();
        same(&data, &a, &b, 1e-9, &format!("case {x}"));
        let first: Vec<f64> = a.tables.chunks_exact(k * k).map(|t| t[0]).collect();
        close(&first, &b.tables);
        // and from given posteriors
        let c = by_tables(&data, &mut model, kernel::Begin::Posterior(&a.posterior), limits);
        let d = coins(input, &mut model, &Begin::Posterior(&a.posterior), limits, &mut Context::new(0, 1)).unwrap();
        same(&data, &c, &d, 1e-9, &format!("case {x}, from posteriors"));
    }
}

#[test]
fn spammers_and_hammers_take_the_steps_of_the_kernel() {
    for (x, (data, learn, _, beta, limits)) in cases().enumerate() {
        let k = data.table.n_classes();
        let (labels, gold) = shared::inputs(&data);
        let input = Input { labels, gold: gold.as_deref() };
        let atoms = || Atoms {
            rho: 0.5,
            eps: 0.05,
            learn: x % 2 == 0,
            annotators: data.table.n_annotators() as f64,
            shares: shares(learn, beta, k),
        };
        let (mut one, mut other) = (atoms(), atoms());
        let a = by_tables(&data, &mut one, kernel::Begin::VoteShares, limits);
        let b = coins(input, &mut other, &Begin::VoteShares, limits, &mut Context::new(0, 2)).unwrap();
        same(&data, &a, &b, 1e-9, &format!("case {x}"));
        let first: Vec<f64> = a.tables.chunks_exact(k * k).map(|t| t[0]).collect();
        close(&first, &b.tables);
        close(&[one.rho, one.eps], &[other.rho, other.eps]);
    }
}

#[test]
fn vectors_take_the_steps_of_the_kernel() {
    for (x, (data, learn, alpha, beta, limits)) in cases().enumerate() {
        let k = data.table.n_classes();
        let (labels, gold) = shared::inputs(&data);
        let input = Input { labels, gold: gold.as_deref() };
        let mut model = Vectors { alpha, shares: shares(learn, beta, k) };
        let a = by_tables(&data, &mut model, kernel::Begin::VoteShares, limits);
        let b = vectors(input, &model, &Begin::VoteShares, limits, &mut Context::new(0, 2)).unwrap();
        same(&data, &a, &b, 1e-9, &format!("case {x}"));
        close(&diagonal(&a, k), &b.tables);
        let c = by_tables(&data, &mut model, kernel::Begin::Posterior(&a.posterior), limits);
        let d = vectors(input, &model, &Begin::Posterior(&a.posterior), limits, &mut Context::new(0, 1)).unwrap();
        same(&data, &c, &d, 1e-9, &format!("case {x}, from posteriors"));
    }
}

#[test]
fn they_converge_to_the_same_optimum() {
    let data = data(5, 77, false);
    let (labels, gold) = shared::inputs(&data);
    let input = Input { labels, gold: gold.as_deref() };
    let limits = Limits { max_iter: 5000, tol: 1e-10 };
    let mut coin = Coin { alpha: 0.01, shares: shares(true, 0.0, 5) };
    let a = by_tables(&data, &mut coin, kernel::Begin::VoteShares, limits);
    let b = coins(input, &mut coin, &Begin::VoteShares, limits, &mut Context::new(0, 1)).unwrap();
    same(&data, &a, &b, 1e-9, "coins");
    let vector = Vectors { alpha: 0.01, shares: shares(true, 0.0, 5) };
    let b = vectors(input, &vector, &Begin::VoteShares, limits, &mut Context::new(0, 1)).unwrap();
    // an earlier fit by its accuracies only ends at an optimum as well
    let prior = b.prior.clone();
    let accuracy = b.tables.chunks_exact(5).map(|t| t.iter().sum::<f64>() / 5.0).collect();
    let c = vectors(input, &vector, &Begin::Accuracy { accuracy, prior }, limits, &mut Context::new(0, 1)).unwrap();
    assert!((b.objective - c.objective).abs() < 1e-3 * b.objective.abs(), "{} {}", b.objective, c.objective);
    let trace = |f: &Fitted| f.run.trace.windows(2).all(|w| w[1].objective >= w[0].objective.map(|o| o - 1e-9));
    assert!(trace(&b) && trace(&c));
}

#[test]
fn a_fit_that_uses_up_its_engine_is_the_same_fit() {
    use super::super::dawid_skene::{Rows, Zeros};
    use super::super::em::{Bounded, StopRule};
    for (k, gold) in [(2, false), (3, true)] {
        // many labels per annotator, so that a copy of all tables pays
        let s = Simulation { items: 400, annotators: 5, classes: k, per_item: 4, ..Simulation::default() };
        let (mut data, truth) = Simulator::new(&s, 7).unwrap().dataset().unwrap();
        data.table.add_items(["nobody saw this"]);
        if gold {
            let GoldValues::Classes(mut known) = truth.values.clone() else { panic!("classes") };
            known.retain(|x| x.0 % 8 == 0);
            data.gold = Some(Gold { values: GoldValues::Classes(known), ..truth });
        }
        for (stop, max_iter, tol) in [
            (StopRule::Bound, 50, 1e-5),
            (StopRule::Bound, 3, -1.0),
            (StopRule::Parameters, 50, 1e-4),
            (StopRule::Parameters, 3, 0.0),
        ] {
            let fitted = [false, true].map(|last| {
                let (labels, gold) = shared::inputs(&data);
                let mut engine = Engine::new(&labels, gold.as_deref(), 1).unwrap();
                let mut model = Bounded(Rows::plain(0.01, Zeros::Floor, k));
                let settings = Settings { stop, ..Settings::soft(max_iter, tol, false) };
                let start = Start::Posterior(kernel::Begin::VoteShares);
                let cx = &mut Context::new(0, 1);
                if last {
                    em::fit_last(&mut engine, &mut model, start, &settings, &labels, cx).unwrap()
                } else {
                    em::fit(&mut engine, &mut model, start, &settings, data.table.n_units(), cx).unwrap()
                }
            });
            let [a, b] = &fitted;
            assert!(a.posterior.iter().any(|p| *p > 0.0 && *p < 1.0));
            assert_eq!((&a.posterior, &a.tables, &a.prior), (&b.posterior, &b.tables, &b.prior), "K = {k}, {stop:?}");
            assert_eq!(a.run.trace.len(), b.run.trace.len());
        }
    }
}
