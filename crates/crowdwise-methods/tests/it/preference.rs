//! Bradley-Terry: crowd-kit's numbers, closed forms, recovery, coverage and what the data cannot tell.

use crate::common;

use crowdwise_core::{AnyMethod, Context, Dataset, Fit, LabelKind, Preference, Stop, TableBuilder, Truth, stream};
use crowdwise_methods::comparisons::{BradleyTerry, Solver, TieModel};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use serde_json::Value;

fn fit(method: &BradleyTerry, data: &Dataset) -> Fit {
    crowdwise_core::questions::reviewed(method, data, &mut Context::new(0, 1)).unwrap()
}

fn plain(ties: TieModel) -> BradleyTerry {
    BradleyTerry { ties, ridge: 0.0, ..Default::default() }
}

fn scores(f: &Fit) -> (&[f64], &[[f64; 2]], &[u32]) {
    match &f.truth {
        Truth::Scores { score, interval, component, .. } => (score, interval, component),
        other => panic!("scores wanted, not {other:?}"),
    }
}

fn detail(f: &Fit, key: &str) -> f64 {
    f.diagnostics.details[key].as_f64().unwrap_or_else(|| panic!("no number `{key}` in {:?}", f.diagnostics.details))
}

fn has(f: &Fit, code: &str) -> bool {
    f.findings.iter().any(|x| x.code == code)
}

fn objective(f: &Fit) -> f64 {
    f.diagnostics.objective.as_ref().unwrap().value
}

/// Rows left,right,annotator,winner.
fn read(text: &str) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Preference);
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        let said = match f[3] {
            "tie" => Preference::Tie,
            w if w == f[0] => Preference::Left,
            w if w == f[1] => Preference::Right,
            w => panic!("`{w}` was not compared"),
        };
        b.preference(f[0], f[1], f[2], said);
    }
    Dataset::new(b.finish().unwrap())
}

fn table(rows: &[(&str, &str, Preference, usize)]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Preference);
    for (l, r, said, times) in rows {
        (0..*times).for_each(|_| b.preference(l, r, "a", *said));
    }
    Dataset::new(b.finish().unwrap())
}

fn shared(name: &str) -> Option<Dataset> {
    let file = common::data_dir().join(name).join("answers.csv");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("SKIPPED: no {} (set CROWDWISE_DATA to the folder of real datasets)", file.display());
        return None;
    };
    Some(read(&text))
}

/// How ties come about in simulated comparisons.
#[derive(Clone, Copy)]
enum Tied {
    Never,
    /// Threshold η.
    RaoKupper(f64),
    /// ln ν.
    Davidson(f64),
}

fn normals(rng: &mut impl Rng, n: usize) -> Vec<f64> {
    let x: Vec<f64> = (0..n).map(|_| StandardNormal.sample(rng)).collect();
    let mean = x.iter().sum::<f64>() / n as f64;
    x.iter().map(|v| v - mean).collect()
}

/// Random pairs in random order; items are called by their number, in order.
fn simulate(seed: u64, truth: &[f64], comparisons: usize, tied: Tied, position: f64) -> Dataset {
    let mut rng = stream(seed, "test comparisons", 0);
    let n = truth.len();
    let names: Vec<String> = (0..n).map(|i| i.to_string()).collect();
    let mut b = TableBuilder::new(LabelKind::Preference);
    for i in &names {
        b.items.intern(i);
    }
    for c in 0..comparisons {
        let l = rng.random_range(0..n);
        let r = (l + rng.random_range(1..n)) % n;
        let d = truth[l] - truth[r] + position;
        let (left, right) = match tied {
            Tied::Never => (sigma(d), sigma(-d)),
            Tied::RaoKupper(eta) => (sigma(d - eta), sigma(-d - eta)),
            Tied::Davidson(x) => {
                let z = (0.5 * d).exp() + x.exp() + (-0.5 * d).exp();
                ((0.5 * d).exp() / z, (-0.5 * d).exp() / z)
            }
        };
        let u: f64 = rng.random();
        let said = if u < left {
            Preference::Left
        } else if u < left + right {
            Preference::Right
        } else {
            Preference::Tie
        };
        b.preference(&names[l], &names[r], &format!("a{}", c % 7), said);
    }
    Dataset::new(b.finish().unwrap())
}

fn sigma(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - ma, y - mb)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

fn rmse(a: &[f64], b: &[f64]) -> f64 {
    (a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>() / a.len() as f64).sqrt()
}

/// So many rounds of Hunter's MM algorithm, ties half, written from the formula.
fn mm(data: &Dataset, rounds: usize) -> Vec<f64> {
    let (pairs, codes) = data.table.preferences().unwrap();
    let n = data.table.n_items();
    let (mut won, mut met) = (vec![0.0; n], vec![vec![0.0; n]; n]);
    for (u, &[l, r]) in pairs.iter().enumerate() {
        for row in data.table.rows(u) {
            let (a, b) = match codes[row] {
                Preference::Left => (1.0, 0.0),
                Preference::Right => (0.0, 1.0),
                Preference::Tie => (0.5, 0.5),
            };
            won[l as usize] += a;
            won[r as usize] += b;
            met[l as usize][r as usize] += 1.0;
            met[r as usize][l as usize] += 1.0;
        }
    }
    let mut pi = vec![1.0; n];
    for _ in 0..rounds {
        let next: Vec<f64> = (0..n)
            .map(|i| won[i] / (0..n).filter(|&j| met[i][j] > 0.0).map(|j| met[i][j] / (pi[i] + pi[j])).sum::<f64>())
            .collect();
        let change = next.iter().zip(&pi).map(|(a, b)| (a.ln() - b.ln()).abs()).fold(0.0, f64::max);
        pi = next;
        if change < 1e-13 {
            break;
        }
    }
    let mean = pi.iter().map(|p| p.ln()).sum::<f64>() / n as f64;
    pi.iter().map(|p| p.ln() - mean).collect()
}

#[test]
fn rounds_are_hunters() {
    let truth = normals(&mut stream(3, "rounds", 0), 8);
    let data = simulate(3, &truth, 400, Tied::RaoKupper(0.3), 0.0);
    for rounds in [1, 7, 60] {
        let f =
            fit(&BradleyTerry { solver: Solver::Rounds, max_iter: rounds, tol: 0.0, ..plain(TieModel::Half) }, &data);
        assert_eq!(f.diagnostics.iterations, rounds);
        for (have, want) in scores(&f).0.iter().zip(mm(&data, rounds)) {
            assert!((have - want).abs() < 1e-12, "{rounds}: {have} against {want}");
        }
    }
    let to_the_end = BradleyTerry { solver: Solver::Rounds, max_iter: 10_000, tol: 1e-14, ..plain(TieModel::Half) };
    let (by_rounds, by_newton) = (fit(&to_the_end, &data), fit(&plain(TieModel::Half), &data));
    assert!(rmse(scores(&by_rounds).0, scores(&by_newton).0) < 1e-9);
    // an item that never wins: its score falls, and stays a number
    let lost = read("left,right,annotator,winner\na,b,x,a\nb,c,x,b\nc,a,x,a\n");
    let f = fit(&BradleyTerry { max_iter: 10, ..to_the_end }, &lost);
    assert!(scores(&f).0.iter().all(|s| s.is_finite()) && scores(&f).0[2] < -100.0, "{:?}", scores(&f).0);
    // what rounds cannot do is refused
    let ridge = BradleyTerry { solver: Solver::Rounds, ties: TieModel::Half, ..Default::default() };
    let e = ridge.fit(&lost, &mut Context::new(0, 1)).unwrap_err();
    assert!(e.to_string().contains("solver"), "{e}");
}

#[test]
fn crowd_kit_gives_the_same_scores() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/");
    let text = |f: &str| std::fs::read_to_string(format!("{folder}{f}")).unwrap();
    let file: Value = serde_json::from_str(&text("crowdkit-bradley-terry.json")).unwrap();
    assert_eq!((file["package"].as_str(), file["version"].as_str()), (Some("crowd-kit"), Some("1.4.2")));
    for case in file["cases"].as_array().unwrap() {
        let data = read(&text(case["input"].as_str().unwrap()));
        let f = fit(&plain(TieModel::Half), &data);
        let pi: Vec<f64> = case["pi"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let mean = pi.iter().map(|p| p.ln()).sum::<f64>() / pi.len() as f64;
        for (item, p) in case["items"].as_array().unwrap().iter().zip(&pi) {
            let i = data.table.items().iter().position(|x| Some(x) == item.as_str()).unwrap();
            let have = scores(&f).0[i];
            assert!((have - (p.ln() - mean)).abs() < 1e-9, "{item}: {have} against {}", p.ln() - mean);
        }
    }
}

/// 30 items and 6000 comparisons with ties, as in the independent program: 97 % of the intervals of places hold the true
/// place, and they are 6 places wide on average.
#[test]
fn places_hold_the_truth() {
    let (mut held, mut width, mut all) = (0.0, 0.0, 0.0);
    for seed in 0..5 {
        let truth = normals(&mut stream(seed, "places", 0), 30);
        let f = fit(
            &BradleyTerry { ties: TieModel::Davidson, ..Default::default() },
            &simulate(seed, &truth, 6000, Tied::Davidson(-0.3), 0.0),
        );
        let Truth::Scores { ranks, .. } = &f.truth else { panic!("scores wanted") };
        for (i, [best, worst]) in ranks.iter().enumerate() {
            let place = 1 + truth.iter().filter(|&&t| t > truth[i]).count() as u32;
            held += f64::from(u8::from((*best..=*worst).contains(&place)));
            width += f64::from(worst - best + 1);
            all += 1.0;
        }
    }
    assert!(held / all >= 0.9 && (3.0..8.0).contains(&(width / all)), "{} {}", held / all, width / all);
}

#[test]
fn newton_agrees_with_mm() {
    for (seed, tied) in [(1, Tied::Never), (2, Tied::Davidson(-0.5))] {
        let truth = normals(&mut stream(seed, "truth", 0), 25);
        let data = simulate(seed, &truth, 3000, tied, 0.0);
        let f = fit(&plain(TieModel::Half), &data);
        assert_eq!(f.diagnostics.stop, Stop::Converged);
        let far = scores(&f).0.iter().zip(mm(&data, 100_000)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far < 1e-6, "{far}");
    }
}

#[test]
fn three_items_have_a_closed_form() {
    use Preference::{Left, Right};
    // a beats b 3:1, b beats c 2:1, and a against c as the model says, 6:1: then every pair is fitted exactly
    let data = table(&[
        ("a", "b", Left, 3),
        ("a", "b", Right, 1),
        ("b", "c", Left, 2),
        ("b", "c", Right, 1),
        ("c", "a", Right, 6),
        ("c", "a", Left, 1),
    ]);
    let f = fit(&plain(TieModel::Half), &data);
    let (s, ..) = scores(&f);
    assert!((s[0] - s[1] - 3f64.ln()).abs() < 1e-9 && (s[1] - s[2] - 2f64.ln()).abs() < 1e-9);
    // variance of a difference of two items met n times only: 1 / (n p (1-p)); centred scores have half of it each
    let two = table(&[("a", "b", Left, 3), ("a", "b", Right, 1)]);
    let f = fit(&plain(TieModel::Half), &two);
    let (s, interval, _) = scores(&f);
    assert!((s[0] - 0.5 * 3f64.ln()).abs() < 1e-9);
    let half = 1.644_853_626_951_472 * 0.5 * (1.0f64 / (4.0 * 0.75 * 0.25)).sqrt();
    assert!((interval[0][1] - s[0] - half).abs() < 1e-8 && (s[0] - interval[0][0] - half).abs() < 1e-8);
}

#[test]
fn the_tie_parameters_have_a_closed_form_between_equal_items() {
    use Preference::{Left, Right, Tie};
    let data = table(&[("a", "b", Left, 30), ("a", "b", Right, 30), ("a", "b", Tie, 40)]);
    // P(tie) = 0.4: Rao-Kupper tanh(η/2) = 0.4; Davidson ν / (2 + ν) = 0.4
    let f = fit(&plain(TieModel::RaoKupper), &data);
    assert!((detail(&f, "tie_parameter") - 2.0 * 0.4f64.atanh()).abs() < 1e-8);
    let f = fit(&plain(TieModel::Davidson), &data);
    assert!((detail(&f, "tie_parameter") - 0.8 / 0.6).abs() < 1e-8);
    // ln ν is a log-odds: its variance is 1 / (n p (1-p))
    let want = 0.8 / 0.6 * (1.0f64 / (100.0 * 0.4 * 0.6)).sqrt();
    assert!((detail(&f, "tie_parameter_se") - want).abs() < 1e-8);
}

#[test]
fn real_comparisons_reach_the_known_likelihoods() {
    let want = [
        ("age_pairs", 9735.9, 9604.3, 0.269, 0.288, 0.06),
        ("photo_pairs", 58879.0, 58755.0, 0.219, 0.218, 0.6),
        ("ukp_convarg", 71197.0, 70829.0, 0.851, 0.676, 0.6),
    ];
    for (name, davidson, rao_kupper, nu, eta, slack) in want {
        let Some(data) = shared(name) else { continue };
        for (ties, nll, tie) in [(TieModel::Davidson, davidson, nu), (TieModel::RaoKupper, rao_kupper, eta)] {
            let f = fit(&BradleyTerry { ties, ..Default::default() }, &data);
            assert!((-objective(&f) - nll).abs() < slack, "{name} {ties:?}: {}", objective(&f));
            assert!((detail(&f, "tie_parameter") - tie).abs() < 0.0006, "{name} {ties:?}");
            assert_eq!(f.diagnostics.stop, Stop::Converged);
        }
    }
}

#[test]
fn the_shared_sets_refuse_a_position_effect_and_show_their_parts() {
    for (name, parts) in [("age_pairs", 1), ("photo_pairs", 3), ("ukp_convarg", 32)] {
        let Some(data) = shared(name) else { continue };
        let f = fit(&BradleyTerry { position: true, ..Default::default() }, &data);
        assert!(has(&f, "position-not-identified") && !f.diagnostics.details.contains_key("position_effect"));
        assert_eq!(detail(&f, "components") as u32, parts);
        let (score, _, component) = scores(&f);
        assert_eq!(component.iter().max().unwrap() + 1, parts);
        // one finding about one fact
        let about = f.findings.iter().filter(|f| f.message.contains(&format!("{parts} parts"))).count();
        assert_eq!((has(&f, "disconnected"), about), (parts > 1, usize::from(parts > 1)), "{:?}", f.findings);
        for c in 0..parts {
            let sum: f64 = score.iter().zip(component).filter(|(_, x)| **x == c).map(|(s, _)| s).sum();
            assert!(sum.abs() < 1e-6, "component {c} of {name} is not centred: {sum}");
        }
    }
}

#[test]
fn ties_and_position_are_recovered() {
    let (mut log_nu, mut gamma, mut corr, mut error) = (0.0, 0.0, 0.0, 0.0);
    for seed in 0..5 {
        let truth = normals(&mut stream(seed, "truth", 1), 30);
        let data = simulate(seed, &truth, 6000, Tied::Davidson(-0.3), 0.4);
        let f = fit(&BradleyTerry { ties: TieModel::Davidson, position: true, ..Default::default() }, &data);
        log_nu += detail(&f, "tie_parameter").ln() / 5.0;
        gamma += detail(&f, "position_effect") / 5.0;
        corr += correlation(scores(&f).0, &truth) / 5.0;
        error += rmse(scores(&f).0, &truth) / 5.0;
        // 6000 comparisons tell a shift of 0.4 from none beyond any doubt, and its error is known
        assert!(detail(&f, "position_likelihood_ratio") > 20.0);
        let se = detail(&f, "position_effect_se");
        assert!((detail(&f, "position_effect") - 0.4).abs() < 4.0 * se && se < 0.06, "{se}");
    }
    assert!((log_nu + 0.3).abs() < 0.03, "log nu {log_nu}");
    assert!((gamma - 0.4).abs() < 0.04, "gamma {gamma}");
    assert!(corr > 0.985 && error < 0.16, "correlation {corr}, error {error}");
    let truth = normals(&mut stream(9, "truth", 1), 30);
    let data = simulate(9, &truth, 6000, Tied::RaoKupper(0.5), 0.0);
    let f = fit(&BradleyTerry::default(), &data);
    assert!((detail(&f, "tie_parameter") - 0.5).abs() < 4.0 * detail(&f, "tie_parameter_se"));
    assert!(correlation(scores(&f).0, &truth) > 0.985);
}

#[test]
fn half_ties_shrink_the_scores_and_keep_their_order() {
    let truth = normals(&mut stream(4, "truth", 2), 30);
    let data = simulate(4, &truth, 6000, Tied::Davidson(-0.3), 0.0);
    let half = fit(&plain(TieModel::Half), &data);
    let davidson = fit(&plain(TieModel::Davidson), &data);
    let slope = {
        let (a, b) = (scores(&davidson).0, scores(&half).0);
        a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() / a.iter().map(|x| x * x).sum::<f64>()
    };
    assert!((0.6..0.85).contains(&slope), "{slope}");
    assert!(correlation(scores(&half).0, scores(&davidson).0) > 0.995);
}

#[test]
fn intervals_cover_as_often_as_they_say() {
    for (ties, tied) in [
        (TieModel::Half, Tied::Never),
        (TieModel::RaoKupper, Tied::RaoKupper(0.4)),
        (TieModel::Davidson, Tied::Davidson(-0.3)),
    ] {
        let (mut inside, mut all) = (0.0, 0.0);
        for seed in 0..60 {
            let truth = normals(&mut stream(seed, "truth", 3), 30);
            let data = simulate(1000 + seed, &truth, 1500, tied, 0.0);
            let f = fit(&BradleyTerry { ties, ..Default::default() }, &data);
            let (_, interval, _) = scores(&f);
            inside += interval.iter().zip(&truth).filter(|(i, t)| i[0] <= **t && **t <= i[1]).count() as f64;
            all += 30.0;
        }
        // 1800 intervals: two standard errors are about one point
        assert!((inside / all - 0.9).abs() < 0.025, "{ties:?}: {}", inside / all);
    }
}

#[test]
fn conjugate_gradients_and_elimination_agree() {
    // 600 items take the iterative way; two copies of 300 that never meet give the same as each alone
    let truth = normals(&mut stream(6, "truth", 4), 300);
    let one = simulate(6, &truth, 6000, Tied::RaoKupper(0.4), 0.0);
    let mut b = TableBuilder::new(LabelKind::Preference);
    let (pairs, codes) = one.table.preferences().unwrap();
    for copy in ["x", "y"] {
        for (u, &[l, r]) in pairs.iter().enumerate() {
            for row in one.table.rows(u) {
                b.preference(&format!("{copy}{l}"), &format!("{copy}{r}"), "a", codes[row]);
            }
        }
    }
    let two = Dataset::new(b.finish().unwrap());
    for ridge in [0.01, 0.0] {
        let m = BradleyTerry { ridge, ..Default::default() };
        let (f, g) = (fit(&m, &one), fit(&m, &two));
        assert!((2.0 * objective(&f) - objective(&g)).abs() < 1e-6);
        assert!((detail(&f, "tie_parameter") - detail(&g, "tie_parameter")).abs() < 1e-7);
        let by_name = |i: usize| {
            let name = format!("x{i}");
            two.table.items().iter().position(|n| n == name)
        };
        for i in 0..300 {
            let Some(j) = by_name(i) else { continue };
            assert!((scores(&f).0[i] - scores(&g).0[j]).abs() < 1e-5);
        }
        // above the limit the standard errors are approximate, said, and not far off on a well connected graph
        let rough = fit(&BradleyTerry { dense_items: 100, ..m }, &one);
        assert!(has(&rough, "approximate-intervals") && !has(&f, "approximate-intervals"));
        for (a, b) in scores(&f).1.iter().zip(scores(&rough).1) {
            let ratio = (b[1] - b[0]) / (a[1] - a[0]);
            assert!((0.9..1.02).contains(&ratio), "{ratio}");
        }
        let close = (detail(&f, "tie_parameter_se") - detail(&rough, "tie_parameter_se")).abs();
        assert!(close < 1e-6, "{close}");
    }
}

#[test]
fn what_always_wins_has_no_finite_score_and_that_is_said() {
    use Preference::Left;
    let data = table(&[("a", "b", Left, 3), ("b", "c", Left, 3)]);
    let f = fit(&BradleyTerry::default(), &data);
    assert!(has(&f, "infinite-scores"));
    let (s, interval, _) = scores(&f);
    assert!(s[0] > s[1] && s[1] > s[2] && s.iter().all(|x| x.is_finite()));
    assert!(interval.iter().all(|i| i[0].is_finite() && i[1].is_finite()));
    let f = fit(&BradleyTerry { ridge: 0.0, virtual_wins: 0.5, ..Default::default() }, &data);
    let (s, ..) = scores(&f);
    assert!(s[0] > s[1] && s[1] > s[2] && s.iter().sum::<f64>().abs() < 1e-9);
    let f = fit(&plain(TieModel::Half), &data);
    assert!(f.findings.iter().any(|x| x.code == "infinite-scores" && x.severity == crowdwise_core::Severity::Problem));
    assert!(scores(&f).0.iter().all(|x| x.is_finite()));
}

#[test]
fn a_virtual_item_is_one_more_item() {
    let truth = normals(&mut stream(8, "truth", 5), 6);
    let data = simulate(8, &truth, 60, Tied::Never, 0.0);
    // wins and losses of every item against item `v`, in whole numbers
    let mut b = TableBuilder::new(LabelKind::Preference);
    let (pairs, codes) = data.table.preferences().unwrap();
    for (u, &[l, r]) in pairs.iter().enumerate() {
        data.table.rows(u).for_each(|row| b.preference(&l.to_string(), &r.to_string(), "a", codes[row]));
    }
    for i in 0..6 {
        b.preference(&i.to_string(), "v", "a", Preference::Left);
        b.preference("v", &i.to_string(), "a", Preference::Left);
    }
    let with = Dataset::new(b.finish().unwrap());
    let f = fit(&BradleyTerry { virtual_wins: 1.0, ..plain(TieModel::Half) }, &data);
    let g = fit(&plain(TieModel::Half), &with);
    let difference = |f: &Fit, d: &Dataset, a: &str, b: &str| {
        let at = |x: &str| scores(f).0[d.table.items().iter().position(|n| n == x).unwrap()];
        at(a) - at(b)
    };
    for i in 1..6 {
        let i = i.to_string();
        assert!((difference(&f, &data, "0", &i) - difference(&g, &with, "0", &i)).abs() < 1e-8);
    }
}

#[test]
fn strange_tables_still_give_scores() {
    use Preference::{Left, Tie};
    let f = fit(&BradleyTerry::default(), &table(&[("a", "b", Tie, 5), ("b", "c", Tie, 2)]));
    assert!(has(&f, "only-ties") && scores(&f).0.iter().all(|s| s.abs() < 1e-12));
    let f = fit(&BradleyTerry::default(), &table(&[("a", "a", Left, 2), ("b", "c", Left, 1), ("c", "b", Left, 1)]));
    assert!(has(&f, "compared-with-itself"));
    assert_eq!((scores(&f).0[0], scores(&f).1[0]), (0.0, [0.0, 0.0]));
    let f = fit(&BradleyTerry::default(), &table(&[("a", "b", Left, 1)]));
    assert!(scores(&f).0[0] > 0.0 && has(&f, "infinite-scores"));
}

#[test]
fn a_warm_start_at_the_solution_stops_at_once() {
    let truth = normals(&mut stream(3, "truth", 6), 40);
    let data = simulate(3, &truth, 4000, Tied::Davidson(-0.5), 0.3);
    for m in [
        BradleyTerry { position: true, ..Default::default() },
        BradleyTerry { ties: TieModel::Davidson, ..Default::default() },
        plain(TieModel::RaoKupper),
    ] {
        let cold = fit(&m, &data);
        let warm = m.fit(&data, &mut Context::new(0, 1).with_warm_start(&cold)).unwrap();
        assert!(cold.diagnostics.iterations > 2 && warm.diagnostics.iterations == 1);
        assert!((objective(&cold) - objective(&warm)).abs() < 1e-8);
    }
}

#[test]
fn every_bad_parameter_is_named() {
    let bad = |name: &str, value: Value| {
        let pairs = [(name.to_string(), value)];
        match crowdwise_methods::find("bt").unwrap().with(&pairs) {
            Ok(_) => panic!("took {pairs:?}"),
            Err(e) => assert!(e.code() == "bad-parameter" && e.to_string().contains(&format!("`{name}`")), "{e}"),
        }
    };
    bad("ties", "skip".into());
    bad("ridge", (-1).into());
    bad("virtual_wins", (-0.5).into());
    bad("position", "left".into());
    bad("level", 95.into());
    bad("dense_items", (-1).into());
    bad("max_iter", 0.into());
    bad("tol", 0.into());
}
