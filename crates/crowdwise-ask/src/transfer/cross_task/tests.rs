#![allow(clippy::print_stdout)] // what was measured

use super::*;
use crowdwise_core::{LabelKind, TableBuilder};
use rand::RngExt;
use rand::seq::index::sample;
use rand_distr::StandardNormal;

const CLASSES: usize = 3;
const ITEMS: usize = 300;
const ANNOTATORS: usize = 40;

/// Tasks as in the reference program: abilities of two numbers, loadings around (1, 0), 30 % of the annotators absent from the target.
struct World {
    data: Vec<Dataset>,
    truth: Vec<usize>,
    /// P(right) in the target, and whether the annotator is absent there.
    right: Vec<f64>,
    absent: Vec<bool>,
}

fn world(seed: u64, per_item: usize, tasks: usize) -> World {
    let mut rng = stream(seed, "cross-task world", 0);
    let mut normal = |n: usize| -> Vec<f64> { (0..n).map(|_| StandardNormal.sample(&mut rng)).collect() };
    let ability: Vec<Vec<f64>> = (0..ANNOTATORS).map(|_| normal(2)).collect();
    let load: Vec<Vec<f64>> = (0..tasks).map(|_| normal(3)).collect();
    let mut rng = stream(seed, "cross-task labels", 0);
    let absent: Vec<bool> = (0..ANNOTATORS).map(|_| rng.random_bool(0.3)).collect();
    let p = |j: usize, t: usize| {
        let l = &load[t];
        let x = ability[j][0] * (1.0 + 0.5 * l[0]) + ability[j][1] * 0.5 * l[1] + 0.5 + 0.3 * l[2];
        logistic(x).clamp(0.05, 0.97)
    };
    let (mut data, mut truth) = (Vec::new(), Vec::new());
    for t in 0..tasks {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..CLASSES).for_each(|c| _ = b.classes.intern(&c.to_string()));
        let pool: Vec<usize> = (0..ANNOTATORS).filter(|&j| t > 0 || !absent[j]).collect();
        for i in 0..ITEMS {
            let z = rng.random_range(0..CLASSES);
            if t == 0 {
                truth.push(z);
            }
            for x in sample(&mut rng, pool.len(), if t == 0 { per_item } else { 5 }) {
                let j = pool[x];
                let l = if rng.random_bool(p(j, t)) { z } else { (z + 1 + rng.random_range(0..CLASSES - 1)) % CLASSES };
                b.label(&format!("i{i}"), &format!("a{j:02}"), &l.to_string()).unwrap();
            }
        }
        data.push(Dataset::new(b.finish().unwrap()));
    }
    World { data, truth, right: (0..ANNOTATORS).map(|j| p(j, 0)).collect(), absent }
}

/// Errors in %, ties counted as half right or so.
fn error(q: &[f64], w: &World) -> f64 {
    let table = &w.data[0].table;
    let wrong: f64 = (0..ITEMS)
        .map(|i| {
            let u = table.items().iter().position(|n| n == format!("i{i}")).unwrap();
            let row = &q[u * CLASSES..(u + 1) * CLASSES];
            let best = row.iter().copied().fold(0.0, f64::max);
            let tied = row.iter().filter(|p| best - **p < 1e-9).count() as f64;
            if best - row[w.truth[i]] < 1e-9 { 1.0 - 1.0 / tied } else { 1.0 }
        })
        .sum();
    100.0 * wrong / ITEMS as f64
}

fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let n = pairs.len() as f64;
    let (x, y) = pairs.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
    let sum = |f: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(f).sum::<f64>();
    let xy = sum(&|p| (p.0 - x) * (p.1 - y));
    xy / (sum(&|p| (p.0 - x).powi(2)) * sum(&|p| (p.1 - y).powi(2))).sqrt()
}

/// Means over 8 worlds: error of the single task, of the transfer, with the true accuracies; correlation of the accuracies of absent
/// annotators as predicted, and as the plain mean.
fn means(per_item: usize, tasks: usize) -> [f64; 5] {
    let mut sum = [0.0; 5];
    for seed in 0..8 {
        let w = world(seed, per_item, tasks);
        let sources: Vec<&Dataset> = w.data[1..].iter().collect();
        let how = CrossTask::default();
        let all = cross_task(&w.data[0], &sources, &how, 0).unwrap();
        let single = how.single(&all, 0);
        let number = |name: &str| name[1..].parse::<usize>().unwrap();
        let right: Vec<f64> = all.tasks.annotators.iter().map(|a| w.right[number(a)]).collect();
        let task = &all.tasks.tasks[0];
        let oracle = task.by_unit(&posterior(task, &right), CLASSES);
        let absent: Vec<usize> = (0..right.len()).filter(|&j| w.absent[number(&all.tasks.annotators[j])]).collect();
        let model: Vec<(f64, f64)> = absent.iter().map(|&j| (all.accuracy[j][0], right[j])).collect();
        let plain: Vec<(f64, f64)> = absent.iter().filter_map(|&j| Some((all.plain_mean[j]?, right[j]))).collect();
        let one = [
            error(&single.posterior, &w),
            error(&all.posterior, &w),
            error(&oracle, &w),
            correlation(&model),
            correlation(&plain),
        ];
        sum.iter_mut().zip(one).for_each(|(s, x)| *s += x / 8.0);
    }
    sum
}

/// The reference program: single 38.7, transfer 32.3, oracle 31.6; correlations .81 and .84.
#[test]
fn sources_help_where_labels_are_few_and_predict_absent_annotators() {
    let [single, transfer, oracle, model, plain] = means(2, 6);
    println!("2 labels, 5 sources: {single:.1} {transfer:.1} {oracle:.1}; correlations {model:.2} {plain:.2}");
    assert!(transfer <= single - 4.0 && transfer <= oracle + 3.0, "{single} {transfer} {oracle}");
    assert!(model >= 0.65 && plain >= 0.65, "{model} {plain}");
}

/// The reference program: 18.2, 15.8, 15.8 with five labels per item; correlation .73 from two sources.
#[test]
fn with_more_labels_they_help_less_and_two_sources_do() {
    let [single, transfer, oracle, ..] = means(5, 6);
    println!("5 labels: {single:.1} {transfer:.1} {oracle:.1}");
    assert!(transfer <= single && transfer <= oracle + 2.0, "{single} {transfer} {oracle}");
    let [single, transfer, _, model, _] = means(2, 3);
    println!("2 sources: {single:.1} {transfer:.1}, {model:.2}");
    assert!(transfer <= single - 4.0 && model >= 0.6, "{single} {transfer} {model}");
}

#[test]
fn the_order_of_rows_and_tasks_of_other_sizes_change_nothing() {
    let w = world(1, 2, 3);
    let mirrored = |d: &Dataset| {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let codes = d.table.categorical().unwrap();
        for u in (0..d.table.n_units()).rev() {
            for r in d.table.rows(u) {
                let who = d.table.annotators().name(d.table.annotator()[r] as usize);
                b.label(d.table.items().name(u), who, codes.classes.name(codes.codes.get(r))).unwrap();
            }
        }
        Dataset::new(b.finish().unwrap())
    };
    let how = CrossTask { rounds: 5, ..CrossTask::default() };
    let a = cross_task(&w.data[0], &[&w.data[1], &w.data[2]], &how, 3).unwrap();
    let turned: Vec<Dataset> = w.data.iter().map(mirrored).collect();
    let b = cross_task(&turned[0], &[&turned[1], &turned[2]], &how, 3).unwrap();
    assert_eq!(a.tasks.annotators, b.tasks.annotators);
    assert_eq!(a.accuracy, b.accuracy);
}

#[test]
fn strangers_and_missing_sources_are_refused() {
    let w = world(1, 2, 2);
    let e = cross_task(&w.data[0], &[], &CrossTask::default(), 0).unwrap_err().to_string();
    assert!(e.contains("nothing to transfer from"), "{e}");
    let mut b = TableBuilder::new(LabelKind::Categorical);
    b.label("x", "stranger", "a").unwrap();
    b.label("x", "other", "b").unwrap();
    let mut stranger = Dataset::new(b.finish().unwrap());
    stranger.source = "other.csv".into();
    let e = cross_task(&w.data[0], &[&stranger], &CrossTask::default(), 0).unwrap_err().to_string();
    assert!(e.contains("other.csv") && e.contains("shares no annotator"), "{e}");
}
