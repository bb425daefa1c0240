//! Models of annotators who give real values, and the choice between them: simulated and real sets.

use crate::common;

use common::{data_dir, real_set};
use crowdwise_core::{
    Annotators, AnyMethod, Context, Dataset, Features, Fit, Gold, GoldValues, LabelKind, TableBuilder, Truth, stream,
};
use crowdwise_methods::auto::Auto;
use crowdwise_methods::classes::ordered::OrdinalVb;
use crowdwise_methods::numbers::{CrowdRegression, GaussianAnnotators, LevelPropagation, Mean, Median};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

fn fit(m: &dyn AnyMethod, d: &Dataset) -> Fit {
    m.fit(d, &mut Context::new(0, 2)).unwrap()
}

fn value(f: &Fit) -> (&[f64], &[f64]) {
    let Truth::Real { value, sd } = &f.truth else { panic!("values wanted") };
    (value, sd)
}

/// 500 items, 50 annotators with variance 0.1, 1 or 10, five labels per item, truths N(0, 9); a share of the labels is
/// anything between -60 and 60.
fn crowd(seed: u64, wild: f64, bias: f64) -> (Dataset, Vec<f64>, Vec<f64>) {
    let mut rng = stream(seed, "values", 0);
    let normal = |rng: &mut rand_chacha::ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
    let noise: Vec<f64> = (0..50).map(|_| [0.1f64, 1.0, 10.0][rng.random_range(0..3)].sqrt()).collect();
    let own: Vec<f64> = (0..50).map(|_| bias * normal(&mut rng)).collect();
    let mut b = TableBuilder::new(LabelKind::Real);
    (0..50).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    let mut truth = Vec::new();
    for i in 0..500 {
        let y = 3.0 * normal(&mut rng);
        truth.push(y);
        for j in rand::seq::index::sample(&mut rng, 50, 5) {
            let x = y + own[j] + noise[j] * normal(&mut rng);
            let x = if rng.random_bool(wild) { rng.random_range(-60.0..60.0) } else { x };
            b.value(&format!("i{i}"), &format!("a{j}"), x);
        }
    }
    (Dataset::new(b.finish().unwrap()), truth, noise)
}

fn mse(f: &Fit, truth: &[f64]) -> f64 {
    value(f).0.iter().zip(truth).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / truth.len() as f64
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let dot = |x: &[f64], mx: f64, y: &[f64], my: f64| x.iter().zip(y).map(|(p, q)| (p - mx) * (q - my)).sum::<f64>();
    dot(a, ma, b, mb) / (dot(a, ma, a, ma) * dot(b, mb, b, mb)).sqrt()
}

fn plain() -> GaussianAnnotators {
    GaussianAnnotators { bias: false, ..GaussianAnnotators::default() }
}

fn robust() -> GaussianAnnotators {
    GaussianAnnotators { degrees_of_freedom: Some(4.0), ..plain() }
}

/// Mean squared error if the noise of everybody were known.
fn oracle(data: &Dataset, truth: &[f64], noise: &[f64]) -> f64 {
    let (t, x) = (&data.table, data.table.real().unwrap());
    let error = |u: usize| {
        let (mut p, mut sum) = (0.0, 0.0);
        for r in t.rows(u) {
            let w = noise[t.annotator()[r] as usize].powi(-2);
            p += w;
            sum += w * x[r];
        }
        (sum / p - truth[u]).powi(2)
    };
    (0..t.n_units()).map(error).sum::<f64>() / t.n_units() as f64
}

#[test]
fn noise_of_annotators_is_recovered() {
    // numpy, other random numbers, 10 seeds: mean 0.66, median 0.29, EM 0.098, robust 0.106, belief propagation with the true
    // levels 0.092, known noise 0.092: here as ratios to the last
    let mut sums = [0.0; 6];
    let mut noise_correlation = 0.0;
    for seed in 0..10 {
        let (data, truth, noise) = crowd(seed, 0.0, 0.0);
        // the levels 0.1, 1 and 10 as multiples of the median squared deviation
        let (t, x) = (&data.table, data.table.real().unwrap());
        let medians = fit(&Median::default(), &data);
        let mut far: Vec<f64> = (0..t.n_units())
            .flat_map(|u| t.rows(u).map(move |r| (u, r)))
            .map(|(u, r)| (x[r] - value(&medians).0[u]).powi(2))
            .collect();
        far.sort_unstable_by(f64::total_cmp);
        let least = 0.1 / far[far.len() / 2];
        let levels = LevelPropagation { levels: 3, least, most: Some(100.0 * least), ..LevelPropagation::default() };
        let methods: [&dyn AnyMethod; 5] =
            [&Mean::default(), &plain(), &GaussianAnnotators::default(), &robust(), &levels];
        for (m, sum) in methods.iter().zip(&mut sums) {
            *sum += mse(&fit(*m, &data), &truth) / 10.0;
        }
        sums[5] += oracle(&data, &truth, &noise) / 10.0;
        let f = fit(&plain(), &data);
        let Annotators::Gaussian { sd, .. } = &f.annotators else { panic!() };
        let ln = |x: &[f64]| x.iter().map(|v| v.ln()).collect::<Vec<_>>();
        noise_correlation += correlation(&ln(sd), &ln(&noise)) / 10.0;
    }
    eprintln!("mean squared errors {sums:.4?}, correlation of log noise {noise_correlation:.3}");
    for (m, most) in [(1, 1.08), (2, 1.1), (3, 1.2), (4, 1.06)] {
        assert!(sums[m] < most * sums[5], "{m}: {sums:?}");
    }
    assert!(sums[0] > 5.0 * sums[1] && noise_correlation > 0.97, "{sums:?} {noise_correlation}");
}

#[test]
fn wild_values_are_forgiven_and_named() {
    let (mut normal, mut t, mut median) = (0.0, 0.0, 0.0);
    for seed in 0..5 {
        let (data, truth, _) = crowd(seed, 0.1, 0.0);
        let f = fit(&robust(), &data);
        t += mse(&f, &truth) / 5.0;
        normal += mse(&fit(&plain(), &data), &truth) / 5.0;
        median += mse(&fit(&Median::default(), &data), &truth) / 5.0;
        let finding = f.findings.iter().find(|f| f.code == "outlying-values").expect("wild values are named");
        assert!(finding.message.contains("was expected"), "{}", finding.message);
    }
    let (data, truth, _) = crowd(1, 0.1, 0.0);
    let chosen = fit(&Auto::default(), &data);
    let error = mse(&chosen, &truth);
    assert!(error < 1.0, "{error}: {}", chosen.findings[0].message);
    eprintln!("10 % wild: normal {normal:.2}, t {t:.3}, median {median:.2}");
    assert!(t < 1.0 && t < median && normal > 2.0 * t, "{normal} {t} {median}");
}

#[test]
fn biases_are_recovered_and_intervals_hold() {
    let (mut inside, mut all, mut gain) = (0.0, 0.0, 0.0);
    for seed in 0..5 {
        let (data, truth, _) = crowd(100 + seed, 0.0, 1.0);
        let f = fit(&GaussianAnnotators::default(), &data);
        // a shift common to everybody cannot be known
        let (y, sd) = value(&f);
        let shift = y.iter().zip(&truth).map(|(a, b)| a - b).sum::<f64>() / 500.0;
        inside += (0..500).filter(|&i| (y[i] - shift - truth[i]).abs() < 2.0 * sd[i]).count() as f64;
        all += 500.0;
        gain += mse(&fit(&plain(), &data), &truth) / mse(&f, &truth) / 5.0;
    }
    eprintln!("two standard errors hold {:.3}, bias gains a factor {gain:.2}", inside / all);
    assert!((0.88..0.98).contains(&(inside / all)), "{}", inside / all);
    assert!(gain > 1.5, "{gain}");
}

#[test]
fn a_scale_of_their_own() {
    let mut rng = stream(4, "scales", 0);
    let mut b = TableBuilder::new(LabelKind::Real);
    let scale: Vec<f64> = (0..20).map(|_| rng.random_range(0.4..1.6)).collect();
    let mut truth = Vec::new();
    for i in 0..300 {
        let e: f64 = StandardNormal.sample(&mut rng);
        let y = 10.0 * e;
        truth.push(y);
        for j in rand::seq::index::sample(&mut rng, 20, 6) {
            let e: f64 = StandardNormal.sample(&mut rng);
            b.value(&format!("i{i}"), &format!("a{j:02}"), 50.0 + scale[j] * y + 2.0 * e);
        }
    }
    (0..20).for_each(|j| assert!(b.annotators.get(&format!("a{j:02}")).is_some()));
    let names: Vec<usize> = (0..20).map(|j| b.annotators.get(&format!("a{j:02}")).unwrap() as usize).collect();
    let data = Dataset::new(b.finish().unwrap());
    let f = fit(&GaussianAnnotators { scale: true, ..GaussianAnnotators::default() }, &data);
    let found: Vec<f64> =
        f.diagnostics.details["scale"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let by_name: Vec<f64> = names.iter().map(|&j| found[j]).collect();
    assert!(correlation(&by_name, &scale) > 0.98, "{by_name:?} {scale:?}");
    let without = fit(&GaussianAnnotators::default(), &data);
    let (with, without) = (correlation(value(&f).0, &truth), correlation(value(&without).0, &truth));
    assert!(with > 0.994 && with > without, "{with} {without}");
}

/// Six items by four annotators, `.` = no value.
const SMALL: [&str; 6] =
    ["2.1 1.9 . 3.5", "5.0 . 4.4 9.0", "-1.0 -1.2 -0.7 .", ". 0.3 0.1 -2.0", "7.7 8.1 7.5 7.0", "3.0 . 3.3 1.0"];

fn small() -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Real);
    (0..4).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    for (i, line) in SMALL.iter().enumerate() {
        for (j, x) in line.split(' ').enumerate().filter(|x| x.1 != ".") {
            b.value(&format!("i{i}"), &format!("a{j}"), x.parse().unwrap());
        }
    }
    Dataset::new(b.finish().unwrap())
}

#[test]
fn levels_equal_the_reference_program() {
    // the numpy program of belief propagation with the same five levels, 30 rounds, a flat prior
    let f = fit(&LevelPropagation { tol: 0.0, most: Some(5.0), cavity: true, ..LevelPropagation::default() }, &small());
    let want = [2.153472, 5.066966, -0.991851, -0.173052, 7.697413, 2.943744];
    for (a, b) in value(&f).0.iter().zip(want) {
        assert!((a - b).abs() < 2e-6, "{a} {b}");
    }
    let rows = f.diagnostics.details["level_posterior"].as_array().unwrap();
    for (l, want) in [0.0923, 0.1143, 0.184, 0.3271, 0.2823].iter().enumerate() {
        assert!((rows[0][l].as_f64().unwrap() - want).abs() < 1e-4, "{rows:?}");
    }
    // one level is the mean
    let one = fit(&LevelPropagation { levels: 1, ..LevelPropagation::default() }, &small());
    for (a, b) in value(&one).0.iter().zip(value(&fit(&Mean::default(), &small())).0) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

#[test]
fn shift_and_unit_change_nothing_and_gold_is_kept() {
    let data = small();
    let mut b = TableBuilder::new(LabelKind::Real);
    (0..4).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    for u in 0..data.table.n_units() {
        for r in data.table.rows(u) {
            let who = data.table.annotators().name(data.table.annotator()[r] as usize);
            b.value(data.table.items().name(u), who, 1e6 + 1000.0 * data.table.real().unwrap()[r]);
        }
    }
    let moved = Dataset::new(b.finish().unwrap());
    let scale = GaussianAnnotators { scale: true, ..GaussianAnnotators::default() };
    let gold = Gold::from_items(&data.table, &[("i1".into(), "4".into())], "gold").unwrap();
    let known = data.clone().with_gold(gold);
    let methods: [&dyn AnyMethod; 4] =
        [&GaussianAnnotators::default(), &robust(), &scale, &LevelPropagation::default()];
    for m in methods {
        let (f, g) = (fit(m, &data), fit(m, &moved));
        for (a, b) in value(&f).0.iter().zip(value(&g).0) {
            assert!((a - (b - 1e6) / 1000.0).abs() < 1e-5, "{}: {a} {b}", m.info().id);
        }
        let f = fit(m, &known);
        assert_eq!((value(&f).0[1], value(&f).1[1]), (4.0, 0.0), "{}", m.info().id);
    }
}

#[test]
fn odd_tables_are_no_reason_to_fail() {
    let table = |rows: &[(&str, &str, f64)]| {
        let mut b = TableBuilder::new(LabelKind::Real);
        rows.iter().for_each(|(i, j, x)| b.value(i, j, *x));
        Dataset::new(b.finish().unwrap())
    };
    let mut unlabelled = small();
    unlabelled.table.add_items(["nobody"]);
    let odd = [
        table(&[("x", "p", 1.0)]),
        table(&[("x", "p", 1.0), ("x", "q", 1.0), ("y", "p", 2.0), ("y", "q", 2.0)]),
        table(&[("x", "p", 1.0), ("y", "q", 5.0), ("z", "p", 9.0)]),
        table(&[("x", "p", 1.0), ("x", "p", 3.0), ("x", "q", 2.0)]),
        table(&[("x", "p", 1e50), ("x", "q", -1e50), ("y", "p", 0.0)]),
        unlabelled,
    ];
    let scale = GaussianAnnotators { scale: true, degrees_of_freedom: Some(1.0), ..GaussianAnnotators::default() };
    let flat = GaussianAnnotators { shrink: false, ..GaussianAnnotators::default() };
    let all: [&dyn AnyMethod; 6] =
        [&GaussianAnnotators::default(), &robust(), &scale, &flat, &LevelPropagation::default(), &Auto::default()];
    for (n, d) in odd.iter().enumerate() {
        for m in all {
            let f = fit(m, d);
            for u in 0..d.table.n_units() {
                assert_eq!(value(&f).0[u].is_finite(), d.table.degree(u) > 0, "{} on table {n}", m.info().id);
            }
        }
    }
}

/// A real set of values with its truth.
fn values_of(name: &str) -> Option<(Dataset, Vec<(u32, f64)>)> {
    let Ok(text) = std::fs::read_to_string(data_dir().join(name).join("answers.csv")) else {
        eprintln!("SKIPPED: no dataset {name} (set CROWDWISE_DATA to the folder of real datasets)");
        return None;
    };
    let mut b = TableBuilder::new(LabelKind::Real);
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        b.value(f[0], f[1], f[2].parse().unwrap());
    }
    let table = b.finish().unwrap();
    let text = std::fs::read_to_string(data_dir().join(name).join("truth.csv")).unwrap();
    let rows: Vec<(String, String)> =
        text.lines().skip(1).filter_map(|l| l.split_once(',')).map(|(a, b)| (a.into(), b.into())).collect();
    let GoldValues::Real(truth) = Gold::from_items(&table, &rows, "truth").unwrap().values else { panic!() };
    Some((Dataset::new(table), truth))
}

#[test]
fn the_choice_beats_mean_and_median_on_real_sets() {
    for name in ["emotion", "valence", "dots_guess"] {
        let Some((data, truth)) = values_of(name) else { return };
        let score = |f: &Fit| {
            let y = value(f).0;
            let (a, b): (Vec<f64>, Vec<f64>) = truth.iter().map(|&(u, t)| (y[u as usize], t)).unzip();
            let square = a.iter().zip(&b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / a.len() as f64;
            (square.sqrt(), correlation(&a, &b))
        };
        let with = |scale: bool, nu: Option<f64>| {
            fit(&GaussianAnnotators { scale, degrees_of_freedom: nu, ..GaussianAnnotators::default() }, &data)
        };
        let (mean, median) = (score(&fit(&Mean::default(), &data)), score(&fit(&Median::default(), &data)));
        let chosen = fit(&Auto::default(), &data);
        let auto = score(&chosen);
        eprintln!(
            "{name}: mean {mean:.3?} median {median:.3?} bias {:.3?} scale {:.3?} t {:.3?} levels {:.3?} auto {auto:.3?}\n   {}",
            score(&with(false, None)),
            score(&with(true, None)),
            score(&with(false, Some(4.0))),
            score(&fit(&LevelPropagation::default(), &data)),
            chosen.findings[0].message
        );
        if name == "dots_guess" {
            // guesses in the thousands by people who are near the truth otherwise
            let (levels, cavity) =
                (LevelPropagation::default(), LevelPropagation { cavity: true, ..Default::default() });
            let (levels, cavity) = (score(&fit(&levels, &data)).0, score(&fit(&cavity, &data)).0);
            assert!(levels < 9.0 && levels < median.0 && cavity > mean.0, "{levels} {cavity}");
        }
        assert_eq!(chosen.findings[0].code, "chosen");
        assert!(auto.0 < mean.0 && auto.0 < median.0, "{name}: {auto:?} {mean:?} {median:?}");
        // on valence the mean of ten ratings follows the truth a little better, at a smaller scale
        assert!(auto.1 > mean.1 - 0.01 && auto.1 > median.1, "{name}: {auto:?} {mean:?}");
    }
}

/// Grades through the ordinal model and as numbers: both are nearer to the truth than the most frequent grade.
#[test]
fn grades_as_grades_and_as_numbers() {
    let Some((data, gold)) = real_set("valence5") else { return };
    let gold = gold.unwrap();
    let t = &data.table;
    let c = t.categorical().unwrap();
    let (mut grades, mut numbers) = (TableBuilder::new(LabelKind::Categorical), TableBuilder::new(LabelKind::Real));
    grades.ordered = true;
    for u in 0..t.n_units() {
        for r in t.rows(u) {
            let (item, who) = (t.items().name(u), t.annotators().name(t.annotator()[r] as usize));
            let grade = c.classes.name(c.codes.get(r));
            grades.label(item, who, grade).unwrap();
            numbers.value(item, who, grade.parse().unwrap());
        }
    }
    let (grades, numbers) = (Dataset::new(grades.finish().unwrap()), Dataset::new(numbers.finish().unwrap()));
    let known = gold.classes(t.n_units());
    let truth = |u: usize| c.classes.name(known[u].unwrap() as usize).parse::<f64>().unwrap();
    let error =
        |y: &dyn Fn(usize) -> f64| (0..t.n_units()).map(|u| (y(u) - truth(u)).abs()).sum::<f64>() / t.n_units() as f64;
    let class_of = |f: &Fit, u: usize| {
        let (k, q) = f.posterior().unwrap();
        c.classes.name(crowdwise_core::stats::argmax(&q[u * k..][..k])).parse::<f64>().unwrap()
    };
    let ordinal = fit(&OrdinalVb::default(), &grades);
    let vote = fit(&crowdwise_methods::classes::voting::MajorityVote::default(), &grades);
    let scaled = fit(&GaussianAnnotators { scale: true, ..GaussianAnnotators::default() }, &numbers);
    let mean = fit(&Mean::default(), &numbers);
    let errors = [
        error(&|u| class_of(&vote, u)),
        error(&|u| class_of(&ordinal, u)),
        error(&|u| value(&mean).0[u].round()),
        error(&|u| value(&scaled).0[u].round()),
    ];
    eprintln!("valence5, mean absolute error in grades: vote, ordinal-vb, mean, gaussian with scale: {errors:.3?}");
    assert!(errors[1] < errors[0] && errors[3] < errors[0], "{errors:?}");
}

/// Least squares of `y` on the rows of `x`, weighted: normal equations by elimination.
fn least_squares(x: &[Vec<f64>], y: &[f64], weight: &[f64]) -> Vec<f64> {
    let d = x[0].len();
    let mut a = vec![vec![0.0; d + 1]; d];
    for ((row, y), w) in x.iter().zip(y).zip(weight) {
        for p in 0..d {
            (0..d).for_each(|q| a[p][q] += w * row[p] * row[q]);
            a[p][d] += w * row[p] * y;
        }
    }
    for p in 0..d {
        for q in (0..d).filter(|&q| q != p) {
            let f = a[q][p] / a[p][p];
            (p..=d).for_each(|c| a[q][c] -= f * a[p][c]);
        }
    }
    (0..d).map(|p| a[p][d] / a[p][p]).collect()
}

#[test]
fn a_regression_from_a_crowd_finds_the_weights() {
    let (items, dim, annotators, tau) = (200, 10, 20, 0.3);
    let (mut of_means, mut of_crowd, mut of_oracle) = (0.0, 0.0, 0.0);
    for seed in 0..10 {
        let mut rng = stream(seed, "regression", 0);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let w: Vec<f64> = (0..dim).map(|_| normal()).collect();
        let own: Vec<f64> = (0..annotators).map(|_| normal()).collect();
        let mut x: Vec<Vec<f64>> = (0..items).map(|_| (0..dim).map(|_| normal()).collect()).collect();
        // features are stored in single precision
        x.iter_mut().flatten().for_each(|v| *v = f64::from(*v as f32));
        let mut pick = stream(seed, "who", 0);
        let noise: Vec<f64> = (0..annotators).map(|_| [0.1f64, 1.0, 10.0][pick.random_range(0..3)]).collect();
        let mut b = TableBuilder::new(LabelKind::Real);
        (0..annotators).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
        let (mut means, mut best, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        for (i, row) in x.iter().enumerate() {
            let y = row.iter().zip(&w).map(|(a, b)| a * b).sum::<f64>() + tau * normal();
            let (mut sum, mut precise, mut total) = (0.0, 0.0, 0.0);
            for j in rand::seq::index::sample(&mut pick, annotators, 3) {
                let v = y + own[j] + noise[j].sqrt() * normal();
                b.value(&format!("i{i}"), &format!("a{j}"), v);
                sum += v;
                precise += (v - own[j]) / noise[j];
                total += 1.0 / noise[j];
            }
            means.push(sum / 3.0);
            best.push(precise / total);
            weight.push(1.0 / (tau * tau + 1.0 / total));
        }
        let mut d = Dataset::new(b.finish().unwrap());
        d.features = Some(Features { dim, values: x.iter().flatten().map(|&v| v as f32).collect(), image: None });
        let f = fit(&CrowdRegression::default(), &d);
        let found: Vec<f64> = serde_json::from_value(f.diagnostics.details["weights"].clone()).unwrap();
        let error = |a: &[f64]| a.iter().zip(&w).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt() / 10.0;
        let with_one: Vec<Vec<f64>> =
            x.iter().map(|r| r.iter().copied().chain(std::iter::once(1.0)).collect()).collect();
        of_means += error(&least_squares(&with_one, &means, &vec![1.0; items]));
        of_oracle += error(&least_squares(&with_one, &best, &weight));
        of_crowd += error(&found);
        let (Annotators::Gaussian { bias, .. }, (value, _)) = (&f.annotators, value(&f)) else { panic!() };
        assert!(correlation(bias, &own) > 0.7, "seed {seed}: biases");
        assert!(value.iter().all(|v| v.is_finite()));
    }
    eprintln!("errors of the weights: means {of_means:.3}, crowd {of_crowd:.3}, known annotators {of_oracle:.3}");
    assert!(of_crowd <= 0.6 * of_means, "{of_crowd} against {of_means}");
    assert!(of_crowd <= 1.1 * of_oracle, "{of_crowd} against {of_oracle}");
}

#[test]
fn items_without_values_get_those_of_the_regression() {
    let mut b = TableBuilder::new(LabelKind::Real);
    for i in 0..40 {
        for j in 0..3 {
            b.value(
                &format!("i{i}"),
                &format!("a{j}"),
                2.0 * f64::from(i) + 5.0 + 0.01 * f64::from((i * 7 + j * 5) % 11),
            );
        }
    }
    let mut table = b.finish().unwrap();
    table.add_items(["new"]);
    let mut d = Dataset::new(table);
    let values = (0..40u8).chain([100]).map(f32::from).collect();
    d.features = Some(Features { dim: 1, values, image: None });
    let f = fit(&CrowdRegression::default(), &d);
    let (value, sd) = value(&f);
    assert!((value[40] - 205.05).abs() < 0.6 && sd[40] < 1.0, "{} {}", value[40], sd[40]);
    assert!((value[10] - 25.05).abs() < 0.1, "{}", value[10]);
    // without features it says what is missing
    d.features = None;
    let e = AnyMethod::fit(&CrowdRegression::default(), &d, &mut Context::new(0, 1)).unwrap_err();
    assert!(e.to_string().contains("features"), "{e}");
}
