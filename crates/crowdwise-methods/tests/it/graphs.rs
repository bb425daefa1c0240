//! Graphs: recovery on a grid, the limit without a pull, features instead of a graph, bad input.

use crowdwise_contract::{check_valid, fit_with, worst};
use crowdwise_core::{
    AnyMethod, Context, Dataset, Features, Fit, Gold, LabelKind, Structure, TableBuilder, stats, stream,
};
use crowdwise_methods::classes::confusion::{ClassPrior, DawidSkene};
use crowdwise_methods::graphs::{Coupling, DsMrf};
use rand::RngExt;

const SIDE: usize = 30;

fn grid() -> Vec<[u32; 2]> {
    let at = |r: usize, c: usize| (r * SIDE + c) as u32;
    let mut edges = Vec::new();
    for r in 0..SIDE {
        for c in 0..SIDE {
            if c + 1 < SIDE {
                edges.push([at(r, c), at(r, c + 1)]);
            }
            if r + 1 < SIDE {
                edges.push([at(r, c), at(r + 1, c)]);
            }
        }
    }
    edges
}

/// Three classes on a grid, drawn by Gibbs sampling with pull 0.9; six annotators of accuracy 0.6 who see half of the items.
fn world(seed: u64) -> (Dataset, Vec<usize>) {
    let mut rng = stream(seed, "grid", 0);
    let n = SIDE * SIDE;
    let edges = grid();
    let mut near = vec![Vec::new(); n];
    for [a, b] in &edges {
        near[*a as usize].push(*b as usize);
        near[*b as usize].push(*a as usize);
    }
    let mut z: Vec<usize> = (0..n).map(|_| rng.random_range(0..3)).collect();
    for _ in 0..300 {
        for i in 0..n {
            let mut p = [0.0f64; 3];
            near[i].iter().for_each(|&j| p[z[j]] += 0.9);
            stats::softmax(&mut p);
            let u = rng.random::<f64>();
            z[i] = if u < p[0] {
                0
            } else if u < p[0] + p[1] {
                1
            } else {
                2
            };
        }
    }
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..n).for_each(|i| {
        b.items.intern(&format!("i{i}"));
    });
    for (i, truth) in z.iter().enumerate() {
        for j in 0..6 {
            if rng.random_bool(0.5) {
                let l = if rng.random_bool(0.6) { *truth } else { (truth + rng.random_range(1..3)) % 3 };
                b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
            }
        }
    }
    let mut d = Dataset::new(b.finish().unwrap());
    d.structure = Structure::Graph(edges);
    (d, z)
}

fn fit(m: &dyn AnyMethod, d: &Dataset) -> Fit {
    fit_with(m, d, 0, 2)
}

/// Errors in percent, ties split evenly.
fn error(f: &Fit, truth: &[usize]) -> f64 {
    let (k, q) = f.posterior().unwrap();
    let right: f64 = q
        .chunks_exact(k)
        .zip(truth)
        .map(
            |(row, z)| {
                if stats::tied(row[*z], row[stats::argmax(row)]) { 1.0 / stats::n_tied(row) as f64 } else { 0.0 }
            },
        )
        .sum();
    100.0 - 100.0 * right / truth.len() as f64
}

#[test]
fn a_grid_is_recovered() {
    let fixed = |delta| DsMrf { coupling: Coupling::Fixed, delta, ..DsMrf::default() };
    let methods: [Box<dyn AnyMethod>; 4] = [
        Box::new(crowdwise_methods::classes::voting::MajorityVote::default()),
        Box::new(DawidSkene::default()),
        Box::new(fixed(0.9)),
        Box::new(DsMrf::default()),
    ];
    let seeds = 24;
    let mut mean = [0.0; 4];
    let mut delta = 0.0;
    for seed in 0..seeds {
        let (d, z) = world(seed);
        for (at, m) in methods.iter().enumerate() {
            let f = fit(&**m, &d);
            mean[at] += error(&f, &z) / seeds as f64;
            if at == 3 {
                delta += f.diagnostics.details["delta"].as_f64().unwrap() / seeds as f64;
            }
        }
    }
    println!("errors {mean:.2?}, learned pull {delta:.3}");
    assert!((mean[0] - 32.4).abs() < 1.5 && (mean[1] - 33.8).abs() < 2.0, "{mean:?}");
    assert!((mean[2] - 24.9).abs() < 2.0 && (mean[3] - 26.8).abs() < 2.0, "{mean:?}");
    assert!((0.9..1.6).contains(&delta), "{delta}");
}

#[test]
fn without_a_pull_it_is_dawid_skene_with_even_shares() {
    let (d, _) = world(20);
    let ds = DawidSkene { class_prior: ClassPrior::Uniform, tol: 1e-9, max_iter: 5000, ..DawidSkene::default() };
    let mrf = DsMrf { coupling: Coupling::Fixed, delta: 0.0, tol: 1e-9, max_iter: 5000, ..DsMrf::default() };
    let (a, b) = (fit(&mrf, &d), fit(&ds, &d));
    let far = worst(a.posterior().unwrap().1, b.posterior().unwrap().1);
    assert!(far < 1e-4, "{far}");
}

#[test]
fn features_make_a_graph() {
    // two clouds, and labels hardly better than chance
    let mut rng = stream(1, "clouds", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let (mut values, mut truth) = (Vec::new(), Vec::new());
    for i in 0..400 {
        let z = i % 2;
        truth.push(z);
        values.extend([(z as f32) * 4.0 + rng.random_range(-1.0..1.0f32), rng.random_range(-1.0..1.0f32)]);
        for j in 0..3 {
            let l = if rng.random_bool(0.7) { z } else { 1 - z };
            b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{l}")).unwrap();
        }
    }
    let mut d = Dataset::new(b.finish().unwrap());
    d.features = Some(Features { dim: 2, values, image: None });
    let votes = error(&fit(&crowdwise_methods::classes::voting::MajorityVote::default(), &d), &truth);
    let graph = error(&fit(&DsMrf::default(), &d), &truth);
    println!("majority vote {votes:.1}, ds-mrf {graph:.1}");
    assert!(votes > 15.0 && graph < 2.0, "{votes} {graph}");
}

#[test]
fn odd_graphs_gold_and_bad_input() {
    let (d, _) = world(2);
    let mut loops = d.clone();
    loops.structure = Structure::Graph(vec![[0, 0], [1, 2], [2, 1], [1, 2]]);
    let mut none = d.clone();
    none.structure = Structure::Graph(Vec::new());
    for (what, d) in [("loops and repeated edges", &loops), ("no edges", &none)] {
        check_valid(&fit(&DsMrf::default(), d), d, what);
    }
    let known: Vec<(String, String)> = (0..40).map(|i| (format!("i{i}"), format!("c{}", i % 3))).collect();
    let gold = Gold::from_items(&d.table, &known, "gold").unwrap();
    let told = d.clone().with_gold(gold);
    let f = fit(&DsMrf::default(), &told);
    let q = f.posterior().unwrap().1;
    (0..40).for_each(|i| assert!(q[i * 3 + i % 3] > 1.0 - 1e-9));

    let refused = |d: &Dataset| AnyMethod::fit(&DsMrf::default(), d, &mut Context::default()).unwrap_err();
    let mut bare = d.clone();
    bare.structure = Structure::Independent;
    assert!(refused(&bare).to_string().contains("no graph and no features"));
    let mut outside = d.clone();
    outside.structure = Structure::Graph(vec![[0, 1], [5, 900]]);
    assert!(refused(&outside).to_string().contains("1 of 2 edges"));
    bare.features = Some(Features { dim: 2, values: vec![0.0; 10], image: None });
    assert!(refused(&bare).to_string().contains("5 rows of features for 900 items"));
}
