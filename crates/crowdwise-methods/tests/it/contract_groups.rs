//! Order, names, unanimity and adversaries for the methods of groups and sets; the rest of the contract is in `contract.rs`.

use crowdwise_core::{AnyMethod, Context, Dataset, Entry, Fit, LabelKind, TableBuilder, stats, stream};
use rand::RngExt;
use rand::seq::SliceRandom;

const IDS: [&str; 4] = ["group-aware-vote", "group-aware-em", "adversary-spectral", "binary-relevance"];

fn entries() -> impl Iterator<Item = &'static Entry> {
    IDS.iter().map(|id| crowdwise_methods::find(id).unwrap())
}

type Row = (String, String, String);

/// Twelve annotators, four of whom follow one of them; four labels per item of the rest.
fn crowd(k: usize, items: usize, seed: u64) -> Vec<Row> {
    let mut rng = stream(seed, "contract of groups", k as u64);
    let mut rows = Vec::new();
    for i in 0..items {
        let z = rng.random_range(0..k);
        let mut noisy = |said: usize, right: f64| if rng.random_bool(right) { said } else { rng.random_range(0..k) };
        let leader = noisy(z, 0.7);
        for j in 0..12 {
            let l = if j < 5 { noisy(leader, 0.9) } else { noisy(z, 0.6 + 0.04 * (j - 5) as f64) };
            if j < 5 || noisy(0, 0.0) > 0 || k < 2 {
                rows.push((format!("i{i}"), format!("a{j}"), format!("c{l}")));
            }
        }
    }
    rows
}

fn data(rows: &[Row]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, a, l) in rows {
        b.label(i, a, l).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

fn fit(m: &dyn AnyMethod, d: &Dataset, threads: usize) -> Fit {
    m.fit(d, &mut Context::new(0, threads)).unwrap_or_else(|e| panic!("{}: {e}", m.info().id))
}

#[test]
fn order_and_names_change_nothing() {
    for seed in 0..3 {
        let rows = crowd(3, 120, seed);
        let mut shuffled = rows.clone();
        shuffled.shuffle(&mut stream(9, "shuffle", seed));
        let flip = |s: &str, n: u32| 900 - s[1..].parse::<u32>().unwrap() + n;
        let renamed: Vec<Row> = rows
            .iter()
            .map(|(i, a, l)| {
                (format!("item {}", flip(i, 0)), format!("who {}", flip(a, 1)), format!("class {}", flip(l, 2)))
            })
            .collect();
        let (a, b, c) = (data(&rows), data(&shuffled), data(&renamed));
        for e in entries() {
            let m = e.default();
            let (fa, fb, fc) = (fit(&*m, &a, 1), fit(&*m, &b, 1), fit(&*m, &c, 1));
            let (k, q) = fa.posterior().unwrap();
            for u in 0..a.table.n_units() {
                let at = b.table.items().get(a.table.items().name(u)).unwrap() as usize;
                for l in 0..k {
                    let (x, y) = (q[u * k + l], fb.posterior().unwrap().1[at * k + l]);
                    assert!((x - y).abs() < 1e-6, "{}: order: item {u}: {x} {y}", e.info.id);
                    let z = fc.posterior().unwrap().1[u * k + k - 1 - l];
                    assert!((x - z).abs() < 1e-6, "{}: names: item {u}: {x} {z}", e.info.id);
                }
            }
        }
    }
}

#[test]
fn unanimity_and_adversaries() {
    let mut rows = crowd(2, 150, 3);
    for j in 0..12 {
        rows.push(("all".into(), format!("a{j}"), "c1".into()));
    }
    let liar: Vec<Row> = (0..150)
        .map(|i| {
            let (i, votes) = (format!("i{i}"), rows.iter().filter(|r| r.0 == format!("i{i}") && r.2 == "c1").count());
            let all = rows.iter().filter(|r| r.0 == i).count();
            (i, "liar".to_owned(), if 2 * votes > all { "c0" } else { "c1" }.to_owned())
        })
        .collect();
    let d = data(&rows);
    rows.extend(liar);
    let lied = data(&rows);
    for e in entries() {
        let f = fit(&*e.default(), &d, 1);
        let u = d.table.items().get("all").unwrap() as usize;
        assert_eq!(stats::argmax(&f.posterior().unwrap().1[u * 2..][..2]), 1, "{}", e.info.id);
        let f = fit(&*e.default(), &lied, 1);
        let c = f.annotators.confusion(lied.table.annotators().get("liar").unwrap() as usize).unwrap();
        assert!(c[0] + c[3] < 1.0, "{}: {c:?}", e.info.id);
    }
}
