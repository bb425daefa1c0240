use super::*;
use crate::golden::{input, numbers, outputs};
use crowdwise_core::{Fit, TableBuilder};

/// crowd-kit 1.4.2 from its own start, the same number of steps: posteriors and parameters agree to rounding.
#[test]
fn steps_equal_those_of_crowd_kit() {
    let golden = outputs("crowdkit-mace.json");
    assert_eq!(golden["version"], "1.4.2");
    let mut seen = 0;
    for case in golden["cases"].as_array().unwrap() {
        let data = input(case["input"].as_str().unwrap());
        let labels = Labels::new(&data).unwrap();
        let vb = case["method"] == "vb";
        let mace = Mace { inference: if vb { MaceInference::Vb } else { MaceInference::Em }, ..Mace::default() };
        // crowd-kit ignores its smoothing parameter and uses 0.01 / K
        let update = mace.update(labels.k);
        let know: Vec<f64> = numbers(&case["start_spamming"]).chunks(2).map(|x| x[1]).collect();
        let mut s = labels.start(&know, &numbers(&case["start_strategy"]));
        labels.expect(&mut s, None);
        for _ in 0..case["n_iter"].as_u64().unwrap() {
            step(&labels, update, &mut s);
        }
        let mut q = vec![0.0; data.table.n_units() * labels.k];
        labels.expect(&mut s, Some(&mut q));
        let far = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        let d = far(&q, &numbers(&case["posterior"]));
        assert!(d < 1e-9, "{}: posteriors differ by {d}", case["call"]);
        if !vb {
            let theirs: Vec<f64> = numbers(&case["spamming"]).chunks(2).map(|x| x[1]).collect();
            assert!(far(&s.competence, &theirs) < 1e-9, "{}", case["call"]);
            assert!(far(&labels.strategies(update, &s), &numbers(&case["strategy"])) < 1e-9, "{}", case["call"]);
        }
        seen += 1;
    }
    assert_eq!(seen, 8);
}

/// Hundreds of contradicting labels on one item leave the range of plain products: the rescue takes over.
#[test]
fn items_with_thousands_of_labels_do_not_overflow() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for j in 0..3000 {
        let name = format!("a{j}");
        b.label("long", &name, if j % 3 == 0 { "x" } else { "y" }).unwrap();
        for i in 0..4 {
            b.label(&format!("i{i}"), &name, if i % 2 == 0 { "x" } else { "y" }).unwrap();
        }
        b.label("other", &name, "z").unwrap();
    }
    let data = Dataset::new(b.finish().unwrap());
    for inference in [MaceInference::Vb, MaceInference::Em] {
        let fit =
            crowdwise_core::AnyMethod::fit(&Mace { inference, ..Mace::default() }, &data, &mut Context::default())
                .unwrap();
        let (k, q) = fit.posterior().unwrap();
        assert!(q.chunks(k).all(|r| (r.iter().sum::<f64>() - 1.0).abs() < 1e-9 && r.iter().all(|x| x.is_finite())));
        let long = data.table.items().iter().position(|n| n == "long").unwrap();
        assert!(q[long * k + 1] > 0.999, "the larger side wins");
        assert!(fit.diagnostics.objective.unwrap().value.is_finite());
    }
}

/// The bound of VB, computed here term by term from its definition on a tiny set, against the value in the trace.
#[test]
fn the_bound_is_the_bound() {
    use crowdwise_core::stats::{digamma, ln_gamma};
    let data = input("input-crowd3.csv");
    let (labels, update) = (Labels::new(&data).unwrap(), Mace::default().update(3));
    let (m, k) = (labels.m, labels.k);
    let mut s = labels.start(&vec![0.5; m], &vec![1.0 / k as f64; m * k]);
    labels.expect(&mut s, None);
    for _ in 0..3 {
        step(&labels, update, &mut s);
    }
    let strategy = labels.strategies(update, &s);
    let counts = data.table.labels_per_annotator();
    let t = data.table.categorical().unwrap();
    // Beta and Dirichlet parameters from the posterior means
    let mut bound = 0.0;
    let (mut ln_g, mut ln_t, mut ln_xi) = (vec![0.0; m], vec![0.0; m], vec![0.0; m * k]);
    let kl = |u: &[f64], v: &[f64]| {
        let (su, sv): (f64, f64) = (u.iter().sum(), v.iter().sum());
        ln_gamma(su) - ln_gamma(sv)
            + u.iter()
                .zip(v)
                .map(|(a, b)| ln_gamma(*b) - ln_gamma(*a) + (a - b) * (digamma(*a) - digamma(su)))
                .sum::<f64>()
    };
    for j in 0..m {
        let n = counts[j] as f64;
        let know = s.competence[j] * (n + 1.0);
        let guess = n + 1.0 - know;
        (ln_g[j], ln_t[j]) = (digamma(guess) - digamma(n + 1.0), digamma(know) - digamma(n + 1.0));
        bound -= kl(&[guess, know], &[0.5, 0.5]);
        let all = guess - 0.5 + 10.0 * k as f64;
        let xi: Vec<f64> = strategy[j * k..(j + 1) * k].iter().map(|x| x * all).collect();
        xi.iter().enumerate().for_each(|(l, x)| ln_xi[j * k + l] = digamma(*x) - digamma(all));
        bound -= kl(&xi, &vec![10.0; k]);
    }
    for u in 0..data.table.n_units() {
        let mut total = 0.0;
        for truth in 0..k {
            let mut p = 1.0 / k as f64;
            for r in data.table.rows(u) {
                let (j, l) = (data.table.annotator()[r] as usize, t.codes.get(r));
                p *= (ln_g[j] + ln_xi[j * k + l]).exp() + if l == truth { ln_t[j].exp() } else { 0.0 };
            }
            total += p;
        }
        bound += total.ln();
    }
    assert!((bound - s.objective()).abs() < 1e-9 * bound.abs(), "{bound} {}", s.objective());
}

/// Starting again from a result recovers its counts: the first step moves nothing.
#[test]
fn a_fit_resumes_where_it_stopped() {
    let data = input("input-crowd2.csv");
    for inference in [MaceInference::Vb, MaceInference::Em] {
        let mace = Mace { inference, max_iter: 5000, tol: 1e-10, ..Mace::default() };
        let first: Fit = crowdwise_core::AnyMethod::fit(&mace, &data, &mut Context::default()).unwrap();
        let mut cx = Context::default().with_warm_start(&first);
        let again = crowdwise_core::AnyMethod::fit(&mace, &data, &mut cx).unwrap();
        assert_eq!(again.diagnostics.iterations, 1);
        let (a, b) = (first.posterior().unwrap().1, again.posterior().unwrap().1);
        assert!(a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-7));
    }
}
