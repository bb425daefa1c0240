//! Labels added to a kept fit against a fit to all of them.
#![allow(clippy::print_stderr)] // figures, and what is skipped, are said

use super::sets::real_set;
use super::support::real;
use crowdwise_ask::answers::{Answers, Label};
use crowdwise_ask::model::{Known, Model, Settings};
use crowdwise_ask::refit::{Incremental, NewLabel, Touch, Why};
use crowdwise_core::simulate::{Simulation, Simulator};
use crowdwise_core::{AnyMethod, Context, Dataset, Gold, GoldValues, LabelKind, Names, TableBuilder, stream};
use crowdwise_methods::classes::confusion::DawidSkene;
use crowdwise_methods::classes::pooled::PooledDawidSkene;
use crowdwise_methods::classes::voting::MajorityVote;
use rand::seq::SliceRandom;
use std::sync::Arc;

type Row = (String, String, String);

/// All labels of a table in an order drawn from a seed.
fn shuffled(data: &Dataset, seed: u64) -> Vec<Row> {
    let (t, labels) = (&data.table, data.table.categorical().unwrap());
    let mut rows: Vec<Row> = (0..t.n_units())
        .flat_map(|u| t.rows(u).map(move |r| (u, r)))
        .map(|(u, r)| {
            let class = labels.classes.name(labels.codes.get(r));
            (t.items().name(u).into(), t.annotators().name(t.annotator()[r] as usize).into(), class.into())
        })
        .collect();
    rows.shuffle(&mut stream(seed, "rows", 0));
    rows
}

fn table(rows: &[Row], classes: &Names) -> Arc<Dataset> {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    classes.iter().for_each(|c| _ = b.classes.intern(c));
    rows.iter().for_each(|(i, a, c)| b.label(i, a, c).unwrap());
    Arc::new(Dataset::new(b.finish().unwrap()))
}

fn new(rows: &[Row]) -> Vec<NewLabel<'_>> {
    rows.iter().map(|(item, annotator, class)| NewLabel { item, annotator, class }).collect()
}

/// A run in which every annotator counts, copies or not.
fn run() -> Context<'static> {
    Context::new(0, 2).with_count_copies(true)
}

fn simulated(items: u64) -> Dataset {
    let s = Simulation { items, annotators: 60, classes: 3, per_item: 5, accuracy: 0.65, ..Simulation::default() };
    Simulator::new(&s, 5).unwrap().dataset().unwrap().0
}

/// Share of items whose label differs, and the largest difference of a probability.
fn apart(a: &Incremental, b: &Incremental) -> (f64, f64) {
    let n = a.items().len();
    assert_eq!(n, b.items().len());
    let other = (0..n).filter(|&i| a.label(i) != b.label(i)).count();
    let most =
        (0..n).flat_map(|i| a.posterior(i).iter().zip(b.posterior(i)).map(|(x, y)| (x - y).abs()).collect::<Vec<_>>());
    (other as f64 / n as f64, most.fold(0.0, f64::max))
}

/// Ten steps of 0.4 % of the labels. After each of them few labels differ from those of a fit that goes on until it converges,
/// and after full passes to the end none.
fn ten_steps(data: &Dataset, method: &dyn AnyMethod, name: &str, most: f64) {
    let rows = shuffled(data, 3);
    let step = rows.len() / 250;
    let first = rows.len() - 10 * step;
    let classes = data.table.categorical().unwrap().classes;
    let mut kept = Incremental::fit(table(&rows[..first], classes), method, &mut run()).unwrap();
    let (mut worst, mut full): (f64, usize) = (0.0, 0);
    for s in 0..10 {
        let at = first + s * step;
        let added = kept.add(&new(&rows[at..at + step]), &mut run()).unwrap();
        assert!(added.labels == step && added.looked_at >= step && added.looked_at < kept.n_labels());
        full += usize::from(added.full.is_some());
        let mut converged = kept.clone();
        converged.refit(None, &mut run()).unwrap();
        worst = worst.max(apart(&kept, &converged).0);
    }
    assert!(full >= 3, "{name}: {full} full passes in 4 % of the labels");
    assert!(worst <= most, "{name}: {worst} of the labels differ");
    kept.refit(None, &mut run()).unwrap();
    let (all, fit) = kept.snapshot();
    assert_eq!((all.table.n_labels(), fit.provenance.labels), (rows.len(), rows.len()));
    // the same data at once, from the votes
    let cold = Incremental::fit(all, method, &mut run()).unwrap();
    let (labels, probability) = apart(&kept, &cold);
    eprintln!("{name}: {full} full passes, at most {worst:.4} other labels; in the end {labels:.4}, {probability:.1e}");
    assert!(labels <= most, "{name}: {labels} of the labels, {probability}");
}

#[test]
fn simulated_labels_in_ten_steps() {
    ten_steps(&simulated(4000), &DawidSkene::default(), "dawid-skene", 0.01);
    ten_steps(&simulated(4000), &PooledDawidSkene::default(), "pooled-dawid-skene", 0.01);
}

#[test]
fn real_labels_in_ten_steps() {
    if let Some((rte, _)) = real_set("rte") {
        ten_steps(&rte, &PooledDawidSkene::default(), "rte, pooled", 0.005);
        ten_steps(&rte, &DawidSkene::default(), "rte", 0.005);
    }
    if let Some((trec, _)) = real_set("trec") {
        ten_steps(&trec, &PooledDawidSkene::default(), "trec, pooled", 0.015);
    }
}

#[test]
fn one_label_by_hand() {
    let data = simulated(400);
    let rows = shuffled(&data, 1);
    let method = DawidSkene { alpha: 0.5, ..DawidSkene::default() };
    let mut kept =
        Incremental::fit(table(&rows, data.table.categorical().unwrap().classes), &method, &mut run()).unwrap();
    let before = kept.clone();
    let (item, annotator) =
        (kept.items().get(&rows[7].0).unwrap() as usize, kept.annotators().get("a3").unwrap() as usize);
    let class = 1;
    let name = kept.classes().name(class).to_owned();
    let label = [NewLabel { item: &rows[7].0, annotator: "a3", class: &name }];
    let added = kept.add(&label, &mut run()).unwrap();
    assert_eq!((added.labels, added.items, added.full), (1, 1, None));
    // twice: posterior from all confusion matrices, then counts of the item taken out and put in
    let (table, codes) = (&data.table, data.table.categorical().unwrap().codes);
    let unit = data.table.items().get(&rows[7].0).unwrap() as usize;
    let mut labels: Vec<(usize, usize)> = table
        .rows(unit)
        .map(|r| {
            (
                before.annotators().get(table.annotators().name(table.annotator()[r] as usize)).unwrap() as usize,
                codes.get(r),
            )
        })
        .collect();
    let old = labels.len();
    labels.push((annotator, class));
    let mut counts: Vec<Vec<f64>> = (0..before.annotators().len()).map(|j| before.counts(j).to_vec()).collect();
    let mut q = before.posterior(item).to_vec();
    let prior = before.class_prior();
    for sweep in 0..2 {
        let mut p: Vec<f64> = (0..3)
            .map(|t| {
                let of = |&(j, l): &(usize, usize)| {
                    (counts[j][l * 3 + t] + 0.5) / (0..3).map(|l| counts[j][l * 3 + t] + 0.5).sum::<f64>()
                };
                prior[t] * labels.iter().map(of).product::<f64>()
            })
            .collect();
        let sum: f64 = p.iter().sum();
        p.iter_mut().for_each(|x| *x /= sum);
        for (n, &(j, l)) in labels.iter().enumerate() {
            for t in 0..3 {
                counts[j][l * 3 + t] += p[t] - if n < old || sweep > 0 { q[t] } else { 0.0 };
            }
        }
        q = p;
    }
    (0..3).for_each(|t| assert!((kept.posterior(item)[t] - q[t]).abs() < 1e-12));
    for (j, c) in counts.iter().enumerate() {
        assert!(c.iter().zip(kept.counts(j)).all(|(a, b)| (a - b).abs() < 1e-9), "annotator {j}");
    }
    assert!(before.posterior(item) != kept.posterior(item), "the clone kept what it had");
}

#[test]
fn the_counts_stay_those_of_the_posteriors() {
    let data = simulated(2000);
    let rows = shuffled(&data, 2);
    let at = rows.len() - 36;
    let classes = data.table.categorical().unwrap().classes;
    let mut kept = Incremental::fit(table(&rows[..at], classes), &PooledDawidSkene::default(), &mut run()).unwrap();
    for part in rows[at..].chunks(9) {
        assert_eq!(kept.add(&new(part), &mut run()).unwrap().full, None);
    }
    let (all, fit) = kept.snapshot();
    let counted = Incremental::new(all, fit).unwrap();
    for j in 0..kept.annotators().len() {
        let apart = kept.counts(j).iter().zip(counted.counts(j)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{j}: {apart}");
    }
}

#[test]
fn neither_order_nor_threads_matter() {
    let data = simulated(1500);
    let rows = shuffled(&data, 4);
    let at = rows.len() - 200;
    let start = table(&rows[..at], data.table.categorical().unwrap().classes);
    let bits = |order: u64, threads: usize| {
        let mut cx = Context::new(0, threads).with_count_copies(true);
        let mut kept = Incremental::fit(start.clone(), &DawidSkene::default(), &mut cx).unwrap();
        let mut more = rows[at..].to_vec();
        more.push(("stranger".into(), "somebody".into(), rows[0].2.clone()));
        more.push(("strange".into(), "somebody".into(), rows[1].2.clone()));
        more.shuffle(&mut stream(order, "more", 0));
        kept.add(&new(&more), &mut cx).unwrap();
        (0..kept.items().len())
            .flat_map(|i| kept.posterior(i).iter().map(|x| x.to_bits()).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    assert_eq!(bits(1, 1), bits(2, 2));
}

#[test]
fn new_items_annotators_and_classes() {
    let data = simulated(800);
    let rows = shuffled(&data, 6);
    let start = table(&rows, data.table.categorical().unwrap().classes);
    let mut kept = Incremental::fit(start, &DawidSkene::default(), &mut run()).unwrap();
    let sure = kept.annotators().name(0).to_owned();
    let class = kept.classes().name(2).to_owned();
    let label = |item, annotator, class| NewLabel { item, annotator, class };
    let added = kept.add(&[label("fresh", &sure, &class), label("fresh", "stranger", &class)], &mut run()).unwrap();
    assert_eq!((added.new_items, added.new_annotators, added.full), (1, 1, None));
    let fresh = kept.items().get("fresh").unwrap() as usize;
    assert_eq!(kept.label(fresh), 2);
    assert!((kept.posterior(fresh).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let n = kept.n_labels();
    let added = kept
        .add(&[label("fresh", &sure, "unheard of"), label("fresher", "stranger", "unheard of")], &mut run())
        .unwrap();
    assert_eq!((added.full, added.new_items), (Some(Why::NewClass), 1));
    assert_eq!((kept.classes().len(), kept.n_labels(), kept.n_since()), (4, n + 2, 0));
    assert!(kept.items().get("fresher").is_some());
    let (all, fit) = kept.snapshot();
    let cold = AnyMethod::fit(&DawidSkene::default(), &all, &mut run()).unwrap();
    assert_eq!(cold.posterior(), fit.posterior(), "a new class means a fit anew");
}

#[test]
fn known_classes_stay_known() {
    let data = simulated(500);
    let gold = Gold {
        values: GoldValues::Classes(vec![(3, 1), (5, 0)]),
        unlabelled: GoldValues::Classes(Vec::new()),
        extra_classes: Names::new(),
    };
    let data = Arc::new(data.with_gold(gold));
    let mut kept = Incremental::fit(data.clone(), &PooledDawidSkene::default(), &mut run()).unwrap();
    let (item, class) = (data.table.items().name(3), kept.classes().name(2).to_owned());
    kept.add(&[NewLabel { item, annotator: "a1", class: &class }], &mut run()).unwrap();
    assert_eq!(kept.posterior(3), [0.0, 1.0, 0.0]);
    kept.refit(None, &mut run()).unwrap();
    assert_eq!((kept.posterior(3), kept.posterior(5)), (&[0.0, 1.0, 0.0][..], &[1.0, 0.0, 0.0][..]));
    let item = data.table.items().name(5);
    kept.add(&[NewLabel { item, annotator: "a1", class: "a new one" }], &mut run()).unwrap();
    let place = |name: &str| kept.items().get(name).unwrap() as usize;
    assert_eq!(
        kept.posterior(place(item)).iter().position(|p| *p == 1.0).map(|c| kept.classes().name(c)),
        Some(data.table.categorical().unwrap().classes.name(0))
    );
}

#[test]
fn methods_without_counts_are_refused_with_a_way_out() {
    let data = Arc::new(simulated(100));
    let error = Incremental::fit(data.clone(), &MajorityVote::default(), &mut run()).unwrap_err();
    assert!(error.to_string().contains("majority-vote keeps no counts") && error.hint().is_some(), "{error}");
    let one = DawidSkene { restarts: 3, alpha: 0.0, ..DawidSkene::default() };
    let error = Incremental::fit(data, &one, &mut run()).unwrap_err().to_string();
    assert!(error.contains("restarts") && error.contains("alpha"), "{error}");
}

/// Ten steps into the model while asking. The figures to compare with are those of the independent program: 0.4 % of the labels other
/// than those of a converged refit after one step of 1,000 labels on 80,000 (`trec`), 1.0 % after ten without a full pass.
#[test]
fn the_model_while_asking_in_ten_steps() {
    for (name, step, most) in [("rte", 80, 0.02), ("trec", 1000, 0.015)] {
        let Some(set) = real(name) else { continue };
        let mut labels: Vec<Label> = set.answers.iter().collect();
        labels.shuffle(&mut stream(0, "steps", 0));
        let first = labels.len() - 10 * step;
        let (n, m, k) = (set.answers.n_items(), set.answers.n_annotators(), set.answers.k());
        let mut answers = Answers::from_labels(n, m, k, &labels[..first]);
        let known = Known::default();
        let settings = Settings { cold_rounds: 60, tol: 1e-4, ..Settings::default() };
        let mut model = Model::fitted(&answers, &known, settings);
        let other = |model: &Model, answers: &Answers| {
            let mut converged = model.clone();
            converged.rounds(answers, &known, 60);
            let best = |q: &[f64]| crowdwise_core::stats::argmax(q);
            (0..n).filter(|&i| best(model.posterior(i)) != best(converged.posterior(i))).count() as f64 / n as f64
        };
        for part in labels[first..].chunks(step) {
            let touch = Touch::before(&mut model, &answers, &known, part.iter().map(|l| l.item));
            part.iter().for_each(|&l| answers.add(l));
            let looked_at = touch.after(&mut model, &answers, &known);
            assert!(looked_at >= step && looked_at < answers.n_labels() / 2, "{name}: {looked_at}");
            eprintln!(
                "{name}: {looked_at} of {} labels looked at, {:.4} other",
                answers.n_labels(),
                other(&model, &answers)
            );
        }
        let apart = other(&model, &answers);
        assert!(apart <= most, "{name}: {apart}");
        let (counts, sums) = (model.counts.clone(), model.class_sums.clone());
        model.count(&answers, &known);
        let far = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(
            far(&counts, &model.counts) < 1e-8 && far(&sums, &model.class_sums) < 1e-6,
            "{name}: counts of the posteriors"
        );
    }
}

#[test]
fn the_model_while_asking_takes_new_items_and_annotators() {
    let label = |item, annotator, class| Label { item, annotator, class };
    let old: Vec<Label> = (0..40).flat_map(|i| (0..3).map(move |j| label(i, j, (i % 2) as u16))).collect();
    let mut answers = Answers::from_labels(40, 3, 2, &old);
    let known = Known::default();
    let mut model = Model::fitted(&answers, &known, Settings::default());
    let touch = Touch::before(&mut model, &answers, &known, [3, 41]);
    answers.grow(42, 5);
    [label(3, 4, 1), label(41, 4, 0), label(41, 0, 0)].into_iter().for_each(|l| answers.add(l));
    assert_eq!(touch.after(&mut model, &answers, &known), 6);
    assert_eq!((model.n_items(), model.n_annotators()), (42, 5));
    assert!(model.posterior(41)[0] > 0.9 && (model.posterior(40).iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let mut again = model.clone();
    again.count(&answers, &known);
    assert!(again.counts.iter().zip(&model.counts).all(|(a, b)| (a - b).abs() < 1e-9));
}
