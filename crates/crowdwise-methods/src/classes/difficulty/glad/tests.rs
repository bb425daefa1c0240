use super::*;
use crate::golden::{input, numbers, outputs};
use crowdwise_core::{AnyMethod, TableBuilder};

fn far(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// A state with uneven parameters.
fn somewhere(labels: &Labels<'_>) -> State {
    let mut s = State {
        ability: (0..labels.m).map(|j| 0.7 + (j as f64 * 1.3).sin()).collect(),
        log_ease: (0..labels.units).map(|u| 0.3 + 0.8 * (u as f64 * 0.7).cos()).collect(),
        prior: vec![1.0 / labels.k as f64; labels.k],
        posterior: vec![0.0; labels.units * labels.k],
        right: vec![0.0; labels.labels()],
        class_sums: vec![0.0; labels.k],
    };
    s.expect(labels);
    s
}

/// The gradient against central differences, and the value against its definition, for both forms of the model.
#[test]
fn gradient_and_value_are_right() {
    for (name, difficulty) in [("input-crowd2.csv", true), ("input-crowd3.csv", true), ("input-crowd3.csv", false)] {
        let data = input(name);
        let labels = Labels::new(&data).unwrap();
        let s = somewhere(&labels);
        let glad = Glad { difficulty, alpha_sd: Some(0.8), beta_sd: Some(1.3), beta_mean: 0.4, ..Glad::default() };
        let unused = vec![0.0; if difficulty { 0 } else { labels.units }];
        let mut o = Objective { glad: &glad, labels: &labels, right: &s.right, log_ease: &s.log_ease, unused };
        let mut x = s.ability.clone();
        for a in &mut x {
            *a += 0.2;
        }
        if difficulty {
            x.extend(s.log_ease.iter().map(|b| b - 0.1));
        }
        let mut g = vec![0.0; x.len()];
        let value = o.value(&x, &mut g, None);

        let ease_of = |u: usize| if difficulty { x[labels.m + u].exp() } else { s.log_ease[u].exp() };
        let mut want = x[..labels.m].iter().map(|a| 0.5 * ((a - 1.0) / 0.8).powi(2)).sum::<f64>();
        want += x[labels.m..].iter().map(|b| 0.5 * ((b - 0.4) / 1.3).powi(2)).sum::<f64>();
        for u in 0..labels.units {
            for r in data.table.rows(u) {
                let p = 1.0 / (1.0 + (-x[data.table.annotator()[r] as usize] * ease_of(u)).exp());
                want -= s.right[r] * p.ln() + (1.0 - s.right[r]) * (1.0 - p).ln();
            }
        }
        assert!((value - want).abs() < 1e-11 * want.abs(), "{value} {want}");

        let mut scratch = vec![0.0; x.len()];
        for i in 0..x.len() {
            let h = 1e-5;
            let (mut up, mut down) = (x.clone(), x.clone());
            up[i] += h;
            down[i] -= h;
            let slope = (o.value(&up, &mut scratch, None) - o.value(&down, &mut scratch, None)) / (2.0 * h);
            assert!((slope - g[i]).abs() < 1e-7 * g[i].abs().max(1.0), "{name} {i}: {slope} {}", g[i]);
        }
    }
}

/// By Fisher's identity the gradient of the penalised log-likelihood at the point of the posteriors is the gradient of the
/// M step's objective there: ties the E step's log-likelihood to the M step.
#[test]
fn the_log_likelihood_has_the_gradient_of_the_search() {
    let data = input("input-crowd3.csv");
    let labels = Labels::new(&data).unwrap();
    let mut s = somewhere(&labels);
    let glad = Glad::default();
    let x: Vec<f64> = s.ability.iter().chain(&s.log_ease).copied().collect();
    let mut g = vec![0.0; x.len()];
    let right = s.right.clone();
    Objective { glad: &glad, labels: &labels, right: &right, log_ease: &[], unused: vec![] }.value(&x, &mut g, None);
    let mut at = |i: usize, h: f64| {
        let mut y = x.clone();
        y[i] += h;
        s.ability.copy_from_slice(&y[..labels.m]);
        s.log_ease.copy_from_slice(&y[labels.m..]);
        s.expect(&labels).log_likelihood - glad.penalty(&s)
    };
    for i in 0..x.len() {
        let slope = (at(i, 1e-5) - at(i, -1e-5)) / 2e-5;
        assert!((slope + g[i]).abs() < 1e-7 * g[i].abs().max(1.0), "{i}: {slope} {}", -g[i]);
    }
}

/// crowd-kit 1.4.2 with the same number of rounds. Its posterior is the one before the last M step. Where its inner
/// search is exact (tolerance 1e-9) parameters agree to 1e-5 and posteriors to 1e-6; at its default inner tolerance
/// (1e-2) they agree as far as that search goes.
#[test]
fn rounds_equal_those_of_crowd_kit() {
    let golden = outputs("crowdkit-glad.json");
    assert_eq!(golden["version"], "1.4.2");
    let mut seen = 0;
    for case in golden["cases"].as_array().unwrap() {
        let data = input(case["input"].as_str().unwrap());
        let rounds = case["n_iter"].as_u64().unwrap() as usize;
        let exact = case["m_step_tol"].as_f64().unwrap() < 1e-6;
        let fit = |rounds: usize| {
            let glad = Glad {
                start: GladStart::Prior,
                tol: 0.0,
                max_iter: rounds,
                inner_iter: 1000,
                inner_tol: 1e-9,
                ..Glad::default()
            };
            AnyMethod::fit(&glad, &data, &mut Context::default()).unwrap()
        };
        let f = fit(rounds);
        let Annotators::Ability { ability, .. } = &f.annotators else { panic!("abilities wanted") };
        let log_ease: Vec<f64> = f.difficulty.unwrap().iter().map(|d| -d.ln()).collect();
        let (da, db) = (far(ability, &numbers(&case["alpha"])), far(&log_ease, &numbers(&case["log_beta"])));
        let limit = if exact { 1e-5 } else { 0.05 };
        assert!(da < limit && db < limit, "{}: parameters differ by {da}, {db}", case["call"]);
        if rounds > 1 {
            let before = fit(rounds - 1);
            let dq = far(before.posterior().unwrap().1, &numbers(&case["posterior"]));
            assert!(dq < if exact { 1e-6 } else { 0.02 }, "{}: posteriors differ by {dq}", case["call"]);
        }
        seen += 1;
    }
    assert_eq!(seen, 8);
}

/// Runs of items that begin and end inside blocks of labels, very long items among them, give the same sums as one
/// label at a time.
#[test]
fn long_and_short_items_cross_blocks() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..60 {
        for j in 0..[1, 3, 700, 0, 255, 256][i % 6] {
            b.label(&format!("i{i}"), &format!("a{j}"), if (i * j) % 3 == 0 { "x" } else { "y" }).unwrap();
        }
    }
    let mut data = Dataset::new(b.finish().unwrap());
    data.table.add_items(["nobody"]);
    let labels = Labels::new(&data).unwrap();
    let s = somewhere(&labels);
    let (m, n) = (labels.m, labels.units);
    let (mut ga, mut gb, mut ca, mut cb) = (vec![0.0; m], vec![0.0; n], vec![0.0; m], vec![0.0; n]);
    let value = labels.value(&s.ability, &s.log_ease, &s.right, &mut ga, &mut gb, Some((&mut ca, &mut cb)));
    let (mut wa, mut wb, mut xa, mut xb, mut want) = (vec![0.0; m], vec![0.0; n], vec![0.0; m], vec![0.0; n], 0.0);
    for u in 0..n {
        let e = s.log_ease[u].exp();
        for r in data.table.rows(u) {
            let j = data.table.annotator()[r] as usize;
            let x = s.ability[j] * e;
            let p = 1.0 / (1.0 + (-x).exp());
            want += s.right[r] * x - x.exp().ln_1p();
            wa[j] += (s.right[r] - p) * e;
            wb[u] += (s.right[r] - p) * x;
            xa[j] += p * (1.0 - p) * e * e;
            xb[u] += p * (1.0 - p) * x * x;
        }
    }
    assert!((value / want - 1.0).abs() < 1e-12);
    for (a, b) in [(&ga, &wa), (&gb, &wb), (&ca, &xa), (&cb, &xb)] {
        assert!(far(a, b) < 1e-9);
    }
}
