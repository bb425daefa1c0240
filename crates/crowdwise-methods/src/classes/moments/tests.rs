//! Moments, corners and imputed blocks against brute force and against moments that are exact.

use super::labels::Labels;
use super::pairs::Pairs;
use super::spa::Spa;
use super::sym_nmf::imputed_blocks;
use super::triples::triples;
use super::{CnmfSpa, Moments, SymNmf};
use crowdwise_core::{AnyMethod, Context, Dataset, Gold, LabelKind, TableBuilder, stream};
use rand::RngExt;
use std::collections::BTreeMap;

/// Random labels with repetitions and gaps; what each annotator said last on each item.
fn random(k: usize, m: usize, n: usize, share: f64, seed: u64) -> (Dataset, Vec<BTreeMap<usize, usize>>) {
    let mut rng = stream(seed, "random labels", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..n).for_each(|i| _ = b.items.intern(&format!("i{i}")));
    (0..m).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    (0..k).for_each(|c| _ = b.classes.intern(&format!("{c:02}")));
    let mut last = vec![BTreeMap::new(); m];
    for i in 0..n {
        for (j, own) in last.iter_mut().enumerate() {
            let mut times = u32::from(rng.random_bool(share)) * if rng.random_bool(0.2) { 2 } else { 1 };
            while times > 0 {
                let l = rng.random_range(0..k);
                b.label_codes(i as u32, j as u32, l as u32).unwrap();
                own.insert(i, l);
                times -= 1;
            }
        }
    }
    (Dataset::new(b.finish().unwrap()), last)
}

/// What several annotators said on the items that all of them labelled, counted.
fn together(last: &[BTreeMap<usize, usize>], who: &[usize]) -> BTreeMap<Vec<usize>, usize> {
    let mut out = BTreeMap::new();
    for i in last[who[0]].keys() {
        let said: Option<Vec<usize>> = who.iter().map(|&j| last[j].get(i).copied()).collect();
        if let Some(said) = said {
            *out.entry(said).or_default() += 1;
        }
    }
    out
}

#[test]
fn pairwise_moments_equal_brute_force() {
    for (k, m, n, share) in [(2, 6, 40, 0.5), (4, 9, 60, 0.3), (13, 5, 80, 0.7)] {
        let (data, last) = random(k, m, n, share, k as u64);
        let mut cx = Context::new(0, 2);
        let pairs = Pairs::of(&Labels::new(&data, &cx), &mut cx).unwrap();
        let mut seen = 0;
        for a in 0..m {
            for b in (0..m).filter(|&b| b != a) {
                let want = together(&last, &[a, b]);
                let total: usize = want.values().sum();
                let found = pairs.near(a).iter().find(|x| x.0 as usize == b);
                assert_eq!(found.is_some(), total > 0, "{a} {b}");
                let Some(&(_, x)) = found else { continue };
                seen += 1;
                assert_eq!(pairs.all[x as usize].n as usize, total);
                let mut block = vec![0.0; k * k];
                pairs.block(a, x as usize, &mut block);
                for l in 0..k {
                    for o in 0..k {
                        let c = want.get(&vec![l, o]).copied().unwrap_or(0) as f64 / total as f64;
                        assert!((block[l * k + o] - c).abs() < 1e-15);
                    }
                }
            }
            assert!(pairs.near(a).is_sorted());
        }
        assert_eq!(seen, 2 * pairs.all.len());
    }
}

#[test]
fn the_order_of_places_does_not_depend_on_names() {
    let (data, _) = random(3, 12, 60, 0.4, 5);
    let table = &data.table;
    let codes = table.categorical().unwrap().codes;
    // annotators, items and classes the other way round
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..60).for_each(|i| _ = b.items.intern(&format!("x{i}")));
    (0..12).for_each(|j| _ = b.annotators.intern(&format!("x{j}")));
    (0..3).for_each(|c| _ = b.classes.intern(&format!("x{c}")));
    for u in 0..table.n_units() {
        for r in table.rows(u) {
            b.label_codes(59 - u as u32, 11 - table.annotator()[r], 2 - codes.get(r) as u32).unwrap();
        }
    }
    let turned = Dataset::new(b.finish().unwrap());
    let order = |d: &Dataset| {
        let mut cx = Context::default();
        Pairs::of(&Labels::new(d, &cx), &mut cx).unwrap().order()
    };
    let back: Vec<usize> = order(&turned).iter().map(|p| 11 - p).collect();
    assert_eq!(order(&data), back);
}

#[test]
fn third_moments_equal_brute_force() {
    for (k, m, n, share, most) in [(2, 6, 30, 0.6, 7), (3, 12, 40, 0.4, 1), (3, 25, 60, 0.3, 200)] {
        let (data, last) = random(k, m, n, share, 10 + k as u64);
        let mut cx = Context::new(0, 2);
        let labels = Labels::new(&data, &cx);
        let found = triples(&labels, most, 4, &mut cx).unwrap();
        if m <= 20 {
            let mut all = 0;
            for a in 0..m {
                for b in a + 1..m {
                    all += (b + 1..m).filter(|&c| !together(&last, &[a, b, c]).is_empty()).count();
                }
            }
            assert_eq!(found.len(), all);
        } else {
            assert_eq!(found.len(), most);
            assert!(found.windows(2).all(|w| w[0].places < w[1].places), "each triple once");
        }
        for t in &found {
            let want = together(&last, &t.places.map(|p| p as usize));
            let total: usize = want.values().sum();
            assert_eq!((t.n as usize, t.cells.len()), (total, want.len()));
            for (said, share) in &t.cells {
                let c = want[&said.map(|l| l as usize).to_vec()] as f64 / total as f64;
                assert!((share - c).abs() < 1e-15);
            }
        }
    }
}

#[test]
fn known_truth_is_an_annotator_who_is_always_right() {
    let (data, last) = random(3, 5, 50, 0.5, 3);
    let known: Vec<(String, String)> = (0..20).map(|i| (format!("i{i}"), format!("{:02}", i % 3))).collect();
    let gold = Gold::from_items(&data.table, &known, "gold").unwrap();
    let data = data.with_gold(gold);
    let mut cx = Context::default();
    let labels = Labels::new(&data, &cx);
    let pairs = Pairs::of(&labels, &mut cx).unwrap();
    let mut with_gold = last;
    with_gold.push((0..20).map(|i| (i, i % 3)).collect());
    assert_eq!(labels.places(), 6);
    for &(a, x) in pairs.near(5) {
        let want = together(&with_gold, &[a as usize, 5]);
        assert_eq!(pairs.all[x as usize].n as usize, want.values().sum::<usize>());
    }
}

/// Matrices in tenths (row = truth); the first and the last annotator are always right.
const EXACT: [[[u32; 3]; 3]; 5] = [
    [[10, 0, 0], [0, 10, 0], [0, 0, 10]],
    [[7, 2, 1], [1, 8, 1], [2, 2, 6]],
    [[6, 1, 3], [2, 5, 3], [1, 1, 8]],
    [[5, 3, 2], [2, 7, 1], [3, 1, 6]],
    [[10, 0, 0], [0, 10, 0], [0, 0, 10]],
];
/// Class shares in tenths.
const SHARES: [u32; 3] = [5, 3, 2];

/// Every pair of annotators has 1,000 items of its own, with exactly the expected number of every pair of labels.
fn exact(without: &[(usize, usize)]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..5).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    (0..3).for_each(|c| _ = b.classes.intern(&c.to_string()));
    let mut item = 0;
    for a in 0..5 {
        for c in a + 1..5 {
            if without.contains(&(a, c)) {
                continue;
            }
            for l in 0..3 {
                for o in 0..3 {
                    let n: u32 = (0..3).map(|t| SHARES[t] * EXACT[a][t][l] * EXACT[c][t][o]).sum();
                    for _ in 0..n {
                        let i = b.items.intern(&item.to_string());
                        item += 1;
                        b.label_codes(i, a as u32, l as u32).unwrap();
                        b.label_codes(i, c as u32, o as u32).unwrap();
                    }
                }
            }
        }
    }
    Dataset::new(b.finish().unwrap())
}

fn farthest(method: &dyn AnyMethod, data: &Dataset, annotators: std::ops::Range<usize>) -> f64 {
    let f = method.fit(data, &mut Context::default()).unwrap();
    let mut worst = 0f64;
    for j in annotators {
        let got = f.annotators.confusion(j).unwrap();
        for t in 0..3 {
            (0..3).for_each(|l| worst = worst.max((got[t * 3 + l] - f64::from(EXACT[j][t][l]) / 10.0).abs()));
        }
    }
    worst
}

#[test]
fn corners_of_exact_moments_are_exact() {
    let data = exact(&[]);
    assert!(farthest(&CnmfSpa::default(), &data, 1..4) < 1e-8);
    // the experts' zeros are raised to 1e-6
    assert!(farthest(&CnmfSpa::default(), &data, 0..5) < 3e-6);
    let mut cx = Context::default();
    let m = Moments::of(&data, &mut cx).unwrap();
    let found = Spa::default().find(&m.labels, &m.pairs, &m.votes_of_places(), &mut cx).unwrap();
    let shares = m.shares(&found.tables, &found.good);
    for (got, want) in shares.iter().zip(SHARES) {
        assert!((got - f64::from(want) / 10.0).abs() < 1e-5, "{shares:?}");
    }
}

#[test]
fn the_factorisation_of_exact_moments_is_exact() {
    // entries are at least 1e-3
    let sym = SymNmf { max_iter: 2000, tol: 1e-12, ..SymNmf::default() };
    let d = farthest(&sym, &exact(&[]), 0..5);
    assert!(d < 3e-3, "{d}");
}

#[test]
fn imputed_blocks_are_those_that_were_removed() {
    let data = exact(&[(1, 2), (1, 4), (3, 4)]);
    let mut cx = Context::default();
    let m = Moments::of(&data, &mut cx).unwrap();
    let blocks = imputed_blocks(&m, &mut cx);
    // three missing pairs and five blocks of annotators with themselves
    assert_eq!(blocks.len(), 8);
    for (a, b, block) in blocks {
        for l in 0..3 {
            for o in 0..3 {
                let n: u32 = (0..3).map(|t| SHARES[t] * EXACT[a][t][l] * EXACT[b][t][o]).sum();
                let d = (block[l * 3 + o] - f64::from(n) / 1000.0).abs();
                assert!(d < 1e-12, "{a} {b} {l} {o}: {d}");
            }
        }
    }
}
