//! The pass against a plain log-domain EM step, on every shape it is specialised for.

use super::*;
use crowdwise_core::{LabelKind, Table, TableBuilder, stream};
use rand::RngExt;

/// Labels of items with 1 to `most` labels by annotators of accuracy 0.5 to 0.95.
fn table(k: usize, m: usize, items: usize, most: usize) -> Table {
    let mut rng = stream(7, "kernel test", k as u64);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let accuracy: Vec<f64> = (0..m).map(|_| rng.random_range(0.5..0.95)).collect();
    for c in 0..k {
        b.classes.intern(&format!("{c:04}"));
    }
    for i in 0..items {
        let truth = rng.random_range(0..k) as u32;
        let item = b.items.intern(&format!("i{i}"));
        for _ in 0..rng.random_range(1..=most) {
            let j = rng.random_range(0..m);
            let annotator = b.annotators.intern(&format!("a{j}"));
            let l = if rng.random_bool(accuracy[j]) { truth } else { rng.random_range(0..k) as u32 };
            b.label_codes(item, annotator, l).unwrap();
        }
    }
    b.finish().unwrap()
}

struct Smooth(f64);

impl Model for Smooth {
    fn table(&self, k: usize, _: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        for t in 0..k {
            let sum: f64 = (0..k).map(|l| counts[l * k + t] + self.0).sum();
            (0..k).for_each(|l| table[l * k + t] = (counts[l * k + t] + self.0) / sum);
        }
        Sums::default()
    }
    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        let n: f64 = class.iter().sum();
        prior.iter_mut().zip(class).for_each(|(p, c)| *p = c / n);
        0.0
    }
    fn penalty(&self, _: usize, _: &[f64]) -> f64 {
        0.0
    }
    fn prior_penalty(&self, _: &[f64]) -> f64 {
        0.0
    }
}

/// `rounds` of M-step and E-step in logarithms: posterior and log-likelihood of the last E-step.
fn naive(t: &Table, rounds: usize, alpha: f64) -> (Vec<f64>, f64) {
    let c = t.categorical().unwrap();
    let (k, n, m) = (c.k(), t.n_units(), t.n_annotators());
    let mut q = vec![0.0; n * k];
    for u in 0..n {
        c.vote_shares(u, &mut q[u * k..(u + 1) * k]);
    }
    let mut ll = 0.0;
    for _ in 0..rounds {
        let mut counts = vec![alpha; m * k * k];
        let mut prior = vec![0.0; k];
        for u in 0..n {
            for s in 0..k {
                prior[s] += q[u * k + s] / n as f64;
            }
            for r in t.rows(u) {
                let at = (t.annotator()[r] as usize * k + c.codes.get(r)) * k;
                (0..k).for_each(|s| counts[at + s] += q[u * k + s]);
            }
        }
        let mut table = counts.clone();
        for j in 0..m {
            for s in 0..k {
                let sum: f64 = (0..k).map(|l| counts[(j * k + l) * k + s]).sum();
                (0..k).for_each(|l| table[(j * k + l) * k + s] /= sum);
            }
        }
        ll = 0.0;
        for u in 0..n {
            let row = &mut q[u * k..(u + 1) * k];
            for s in 0..k {
                row[s] = prior[s].ln();
                for r in t.rows(u) {
                    row[s] += table[(t.annotator()[r] as usize * k + c.codes.get(r)) * k + s].ln();
                }
            }
            ll += crowdwise_core::stats::softmax(row);
        }
    }
    (q, ll)
}

fn fused(t: &Table, rounds: usize, alpha: f64, threads: usize) -> (Vec<f64>, f64, usize) {
    let c = t.categorical().unwrap();
    let mut cx = Context::new(0, threads);
    let mut e = Engine::new(&c, None, threads).unwrap();
    let mut class = e.begin(&mut cx, &Begin::VoteShares).unwrap().class;
    let mut q = vec![0.0; t.n_units() * c.k()];
    for round in 1..=rounds {
        e.maximise(&mut cx, &Smooth(alpha), &class, Dense::None).unwrap();
        let p = e.pass(&mut cx, (round == rounds).then_some(&mut q[..]), false).unwrap();
        if round == rounds {
            return (q, p.log_likelihood, p.rescued);
        }
        class = p.class;
    }
    unreachable!()
}

#[test]
fn equals_the_plain_algorithm_for_every_specialised_shape() {
    for k in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 16, 17, 20, 33, 50] {
        let t = table(k, 12, 300, 9);
        let (q, ll) = naive(&t, 6, 0.01);
        let (fq, fll, _) = fused(&t, 6, 0.01, 1);
        let worst = q.iter().zip(&fq).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-10, "K = {k}: posteriors differ by {worst}");
        assert!((ll - fll).abs() < 1e-10 * ll.abs().max(1.0), "K = {k}: {ll} {fll}");
    }
}

#[test]
fn thousands_of_contradicting_labels_are_rescued_from_underflow() {
    for k in [2, 4, 10, 20] {
        let t = table(k, 40, 25, 4000);
        let (q, ll) = naive(&t, 3, 0.01);
        let (fq, fll, rescued) = fused(&t, 3, 0.01, 1);
        assert!(rescued > 5, "K = {k}: only {rescued} rescued");
        let worst = q.iter().zip(&fq).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-8, "K = {k}: posteriors differ by {worst}");
        assert!((ll - fll).abs() < 1e-10 * ll.abs(), "K = {k}: {ll} {fll}");
    }
}

#[test]
fn one_thread_and_three_give_the_same_bits() {
    for k in [2, 4, 10, 20] {
        let t = table(k, 30, 40_000, 7);
        let (a, la, _) = fused(&t, 4, 0.01, 1);
        let (b, lb, _) = fused(&t, 4, 0.01, 3);
        assert!(a.iter().zip(&b).all(|(x, y)| x.to_bits() == y.to_bits()), "K = {k}");
        assert_eq!(la.to_bits(), lb.to_bits(), "K = {k}");
    }
}

#[test]
fn the_portable_code_gives_the_same_bits_as_the_processors_own() {
    use super::super::pass::{run, run_plain};
    for k in [2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 50] {
        let t = table(k, 10, 200, 8);
        let c = t.categorical().unwrap();
        let mut cx = Context::new(0, 1);
        let both = [0, 1].map(|which| {
            let mut e = Engine::new(&c, None, 1).unwrap();
            let class = e.begin(&mut cx, &Begin::VoteShares).unwrap().class;
            e.maximise(&mut cx, &Smooth(0.01), &class, Dense::None).unwrap();
            // SAFETY: the engine gives memory and chunks that go together.
            let p = e.sweep(&mut cx, std::ptr::null_mut(), false, |_, w, c, o| unsafe {
                if which == 0 { run(w, c, o) } else { run_plain(w, c, o) }
            });
            let p = p.unwrap();
            let mut dense = vec![0.0; e.entries()];
            e.maximise(&mut cx, &Smooth(0.01), &p.class, Dense::Tables(&mut dense)).unwrap();
            (dense, p.log_likelihood)
        });
        assert_eq!(both[0].1.to_bits(), both[1].1.to_bits(), "K = {k}");
        assert!(both[0].0.iter().zip(&both[1].0).all(|(x, y)| x.to_bits() == y.to_bits()), "K = {k}");
    }
}

#[test]
fn the_last_pass_gives_the_same_bits_without_the_index() {
    for k in [2, 4, 10, 20] {
        // items of different and of equal numbers of labels: the second kind is packed in the order of the table
        let uneven = table(k, 30, 20_000, 7);
        let c = uneven.categorical().unwrap();
        let mut b = TableBuilder::new(LabelKind::Categorical);
        (0..k).for_each(|c| _ = b.classes.intern(&format!("{c:04}")));
        for r in 0..uneven.n_labels() / 5 * 5 {
            let (item, who) = (b.items.intern(&format!("i{}", r / 5)), uneven.annotator()[r] as usize);
            let who = b.annotators.intern(uneven.annotators().name(who));
            b.label_codes(item, who, c.codes.get(r) as u32).unwrap();
        }
        let even = b.finish().unwrap();
        for (t, some_order) in [(&uneven, true), (&even, false)] {
            let c = t.categorical().unwrap();
            let mut cx = Context::new(0, 2);
            let known: Vec<Option<u32>> = (0..t.n_units()).map(|u| (u % 11 == 0).then_some(0)).collect();
            for gold in [None, Some(&known[..])] {
                let both = [false, true].map(|last| {
                    let mut e = Engine::new(&c, gold, 2).unwrap();
                    assert_eq!(e.packed.order.is_empty(), gold.is_none() && !some_order);
                    let class = e.begin(&mut cx, &Begin::VoteShares).unwrap().class;
                    e.maximise(&mut cx, &Smooth(0.01), &class, Dense::None).unwrap();
                    let mut q = vec![0.0; t.n_units() * k];
                    let p = if last {
                        e.last_pass(&mut cx, &c, &mut q, false)
                    } else {
                        e.pass(&mut cx, Some(&mut q), false)
                    };
                    let p = p.unwrap();
                    (q, p.log_likelihood, p.class)
                });
                assert_eq!(both[0], both[1], "K = {k}, gold {}", gold.is_some());
            }
        }
    }
}

/// Blocks of opposing labels: the class that is far behind in the middle of an item may win in the end.
#[test]
fn a_class_may_come_back_from_underflow() {
    for k in [2, 4, 20] {
        for flip in [false, true] {
            let mut b = TableBuilder::new(LabelKind::Categorical);
            (0..k).for_each(|c| _ = b.classes.intern(&format!("{c:04}")));
            let who: Vec<u32> = (0..400).map(|j| b.annotators.intern(&format!("a{j}"))).collect();
            let mut rng = stream(1, "comeback", 0);
            for i in 0..100 * k as u32 {
                let item = b.items.intern(&format!("i{i}"));
                for &j in &who {
                    let l = if rng.random_bool(0.995) { i % k as u32 } else { rng.random_range(0..k as u32) };
                    b.label_codes(item, j, l).unwrap();
                }
            }
            // 180 say 0 and 220 say 1, in either order of annotators
            let item = b.items.intern("torn");
            for (n, &j) in who.iter().enumerate() {
                let l = if flip { u32::from(n < 220) } else { u32::from(n >= 180) };
                b.label_codes(item, j, l).unwrap();
            }
            let t = b.finish().unwrap();
            let (q, ll) = naive(&t, 3, 0.01);
            let (fq, fll, rescued) = fused(&t, 3, 0.01, 1);
            assert!(rescued > 0);
            let worst = q.iter().zip(&fq).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-9, "K = {k}, flip {flip}: posteriors differ by {worst}");
            assert!((ll - fll).abs() < 1e-9 * ll.abs(), "K = {k}, flip {flip}: {ll} {fll}");
        }
    }
}
