//! crowd-bt: an independent program's numbers, the acceptance test, recovery, coverage and odd data.

use super::common::{correlation, fit, has, kendall, scores, sigma, world};
use crowdwise_core::{Annotators, AnyMethod, Context, Dataset, Fit, LabelKind, Preference, Stop, TableBuilder, Truth};
use crowdwise_methods::comparisons::{BradleyTerry, CrowdBradleyTerry, Position, TieModel};

fn reliability(f: &Fit) -> &[f64] {
    match &f.annotators {
        Annotators::Accuracy { accuracy, .. } => accuracy,
        other => panic!("accuracies wanted, not {other:?}"),
    }
}

/// A small table by a congruential generator that any language can repeat.
fn small() -> Dataset {
    let mut state = 7u64;
    let mut next = || {
        state = (1_103_515_245 * state + 12345) % (1 << 31);
        state as f64 / f64::from(1u32 << 31)
    };
    let score = [1.5, 0.9, 0.2, -0.3, -0.9, -1.4];
    let w = [0.95, 0.95, 0.9, 0.1, 0.5];
    let mut b = TableBuilder::new(LabelKind::Preference);
    (0..6).for_each(|i| _ = b.items.intern(&format!("i{i}")));
    (0..5).for_each(|j| _ = b.annotators.intern(&format!("a{j}")));
    for _ in 0..90 {
        let l = (6.0 * next()) as usize;
        let r = (l + 1 + (5.0 * next()) as usize) % 6;
        let j = (5.0 * next()) as usize;
        let left = next() < sigma(score[l] - score[r]);
        let left = if next() < w[j] { left } else { !left };
        let said = if left { Preference::Left } else { Preference::Right };
        b.preference(&format!("i{l}"), &format!("i{r}"), &format!("a{j}"), said);
    }
    Dataset::new(b.finish().unwrap())
}

/// The numbers are those of scipy's L-BFGS-B on the same objective, written independently in numpy (preferences with
/// linear scores, one indicator per item, ridge 0.3, prior exponents 2 and 1.1), to the end (gradient below 1e-12).
#[test]
fn an_independent_program_gives_the_same_numbers() {
    let method = CrowdBradleyTerry {
        alpha: Some(2.0),
        beta: Some(1.1),
        ridge: 0.3,
        virtual_wins: 0.0,
        tol: 1e-10,
        ..Default::default()
    };
    let f = fit(&method, &small());
    assert_eq!(f.diagnostics.stop, Stop::Converged);
    let want = [1.27827342, 0.64652762, -0.22682413, -0.6250436, -0.03789218, -1.03504113];
    for (have, want) in scores(&f).iter().zip(want) {
        assert!((have - want).abs() < 1e-6, "{:?}", scores(&f));
    }
    let want = [0.84805263, 0.9430368, 0.97539137, 0.30848271, 0.83861009];
    for (have, want) in reliability(&f).iter().zip(want) {
        assert!((have - want).abs() < 1e-6, "{:?}", reliability(&f));
    }
    assert!((f.diagnostics.objective.unwrap().value - -57.05220446348644).abs() < 1e-8);
}

/// Chen et al.'s claim in the measured form: Kendall's tau .889 (± .02) where plain Bradley-Terry has .717, correlation of
/// reliabilities at least .98; means of five seeds.
#[test]
fn acceptance() {
    let (mut plain, mut crowd, mut w) = (0.0, 0.0, 0.0);
    for seed in 0..5 {
        let world = world(seed, [100, 40, 6000], 2.0, None, 0.0);
        let bt = fit(&BradleyTerry::default(), &world.data);
        let f = fit(&CrowdBradleyTerry::default(), &world.data);
        plain += kendall(scores(&bt), &world.score) / 5.0;
        crowd += kendall(scores(&f), &world.score) / 5.0;
        w += correlation(reliability(&f), &world.w) / 5.0;
    }
    assert!((crowd - 0.889).abs() < 0.02, "tau {crowd}, plain {plain}");
    assert!(w >= 0.98, "correlation of reliabilities {w}");
    assert!(plain < crowd - 0.1, "tau {crowd}, plain {plain}");
}

#[test]
fn ties_and_position_are_recovered() {
    let (mut nu, mut gamma, mut r) = (0.0, 0.0, 0.0);
    for seed in 0..3 {
        let world = world(seed, [30, 20, 12_000], 1.0, Some(-0.3), 0.4);
        let method = CrowdBradleyTerry { ties: TieModel::Davidson, position: Position::Shared, ..Default::default() };
        let f = fit(&method, &world.data);
        let detail = |key: &str| f.diagnostics.details[key].as_f64().unwrap();
        nu += detail("tie_parameter").ln() / 3.0;
        gamma += detail("position_effect") / 3.0;
        r += correlation(scores(&f), &world.score) / 3.0;
        assert!((0.02..0.06).contains(&detail("position_effect_se")), "{}", detail("position_effect_se"));
    }
    // standard errors of a mean of three: .015 for ln nu, .02 for gamma
    assert!((nu + 0.3).abs() < 0.06 && (gamma - 0.4).abs() < 0.08, "ln nu {nu}, gamma {gamma}");
    assert!(r > 0.98, "{r}");
}

#[test]
fn an_annotator_who_always_takes_the_left_one_is_told_from_a_good_one() {
    let mut b = TableBuilder::new(LabelKind::Preference);
    for round in 0..4 {
        for l in 0..8i32 {
            for r in (0..8).filter(|&r| r != l) {
                let better = if l < r { Preference::Left } else { Preference::Right };
                let slip = (l + 3 * r + round) % 9 == 0;
                let said = match (better, slip) {
                    (Preference::Left, true) => Preference::Right,
                    (_, true) => Preference::Left,
                    (p, false) => p,
                };
                b.preference(&format!("i{l}"), &format!("i{r}"), &format!("good{}", (l + r) % 3), said);
                if round == 0 {
                    b.preference(&format!("i{l}"), &format!("i{r}"), "left", Preference::Left);
                }
            }
        }
    }
    let data = Dataset::new(b.finish().unwrap());
    let f = fit(&CrowdBradleyTerry { position: Position::Annotators, ..Default::default() }, &data);
    let effects = f.diagnostics.details["position_effects"].as_array().unwrap();
    let j = data.table.annotators().iter().position(|a| a == "left").unwrap();
    let of = |j: usize| effects[j].as_f64().unwrap();
    assert!(of(j) > 1.5 && (0..4).filter(|&k| k != j).all(|k| of(k).abs() < 1.0), "{effects:?}");
    assert!(scores(&f).windows(2).all(|s| s[0] > s[1]), "{:?}", scores(&f));
    assert!(has(&f, "near-constant"));
}

#[test]
fn who_turns_round_and_who_guesses_is_found() {
    let world = world(3, [60, 30, 6000], 2.0, None, 0.0);
    let f = fit(&CrowdBradleyTerry::default(), &world.data);
    let named = |code: &str| -> Vec<String> {
        let mut all: Vec<String> =
            f.findings.iter().filter(|x| x.code == code).map(|x| format!("{:?}", x.subject)).collect();
        all.sort();
        all
    };
    let true_w = |w: f64| -> Vec<String> {
        let mut all: Vec<String> = (0..30)
            .filter(|&j| world.w[j] == w)
            .map(|j| format!("{:?}", crowdwise_core::Subject::Annotator(format!("a{j}"))))
            .collect();
        all.sort();
        all
    };
    assert!(!true_w(0.1).is_empty() && !true_w(0.5).is_empty());
    assert_eq!(named("adversary"), true_w(0.1));
    // a guess among 200 may look a little better than chance
    let guessers = named("spammer");
    assert!(
        guessers.iter().all(|j| true_w(0.5).contains(j)) && guessers.len() + 2 >= true_w(0.5).len(),
        "{guessers:?}"
    );
    assert!(has(&f, "turned-round"));
}

/// Scores and places of 30 items in 12 worlds: 90 % intervals hold the truth nearly as often as they say.
#[test]
fn intervals_hold_the_truth() {
    let (mut inside, mut placed, mut all) = (0, 0, 0);
    for seed in 0..12 {
        let world = world(100 + seed, [30, 20, 3000], 1.0, None, 0.0);
        let f = fit(&CrowdBradleyTerry { virtual_wins: 0.0, ridge: 0.01, ..Default::default() }, &world.data);
        let Truth::Scores { interval, ranks, .. } = &f.truth else { panic!("scores wanted") };
        let mean = world.score.iter().sum::<f64>() / 30.0;
        for i in 0..30 {
            let place = 1 + world.score.iter().filter(|&&s| s > world.score[i]).count() as u32;
            all += 1;
            inside += i32::from((interval[i][0]..=interval[i][1]).contains(&(world.score[i] - mean)));
            placed += i32::from((ranks[i][0]..=ranks[i][1]).contains(&place));
        }
    }
    let (inside, placed) = (f64::from(inside) / f64::from(all), f64::from(placed) / f64::from(all));
    // 360 intervals: standard error .012, more because those of one world hang together
    assert!((0.84..=0.95).contains(&inside), "{inside}");
    assert!(placed >= 0.87, "{placed}");
}

#[test]
fn names_order_and_threads_do_not_matter() {
    let world = world(5, [20, 10, 800], 1.5, Some(-0.5), 0.0);
    let table = &world.data.table;
    let (pairs, said) = table.preferences().unwrap();
    let mut rows = Vec::new();
    for (u, &[l, r]) in pairs.iter().enumerate() {
        table.rows(u).for_each(|row| rows.push((l, r, table.annotator()[row], said[row])));
    }
    let mut b = TableBuilder::new(LabelKind::Preference);
    for &(l, r, j, p) in rows.iter().rev() {
        let name = |i: u32| table.items().name(i as usize);
        // and every pair the other way round
        let p = match p {
            Preference::Left => Preference::Right,
            Preference::Right => Preference::Left,
            Preference::Tie => p,
        };
        b.preference(name(r), name(l), table.annotators().name(j as usize), p);
    }
    let other = Dataset::new(b.finish().unwrap());
    let (a, c) = (fit(&CrowdBradleyTerry::default(), &world.data), fit(&CrowdBradleyTerry::default(), &other));
    for (i, name) in table.items().iter().enumerate() {
        let k = other.table.items().iter().position(|x| x == name).unwrap();
        assert!((scores(&a)[i] - scores(&c)[k]).abs() < 1e-4);
    }
    let two = CrowdBradleyTerry::default().fit(&world.data, &mut Context::new(9, 2)).unwrap();
    assert_eq!(scores(&a), scores(&two));
}

#[test]
fn a_start_from_the_end_stops_at_once() {
    let world = world(6, [15, 8, 600], 1.0, Some(0.0), 0.0);
    let method = CrowdBradleyTerry { tol: 1e-5, ..Default::default() };
    let f = method.fit(&world.data, &mut Context::new(0, 1)).unwrap();
    let again = method.fit(&world.data, &mut Context::new(0, 1).with_warm_start(&f)).unwrap();
    assert!(again.diagnostics.iterations <= 2, "{}", again.diagnostics.iterations);
    let trace: Vec<f64> = f.diagnostics.trace.iter().filter_map(|t| t.objective).collect();
    assert!(trace.windows(2).all(|w| w[1] >= w[0] - 1e-9), "the objective fell");
}

#[test]
fn odd_tables_give_sound_fits() {
    use Preference::{Left, Right, Tie};
    type Said = (&'static str, &'static str, &'static str, Preference);
    let cases: [(&str, &[Said]); 6] = [
        ("one comparison", &[("x", "y", "a", Left)]),
        ("only ties", &[("x", "y", "a", Tie), ("y", "z", "b", Tie)]),
        ("with itself only", &[("x", "x", "a", Left)]),
        ("two parts", &[("x", "y", "a", Left), ("p", "q", "a", Right), ("q", "p", "b", Tie)]),
        ("one wins all", &[("x", "y", "a", Left), ("x", "z", "b", Left), ("y", "z", "c", Left)]),
        ("contradiction", &[("x", "y", "a", Left), ("x", "y", "a", Right), ("y", "x", "a", Left)]),
    ];
    for (what, rows) in cases {
        let mut b = TableBuilder::new(LabelKind::Preference);
        rows.iter().for_each(|&(l, r, j, p)| b.preference(l, r, j, p));
        let data = Dataset::new(b.finish().unwrap());
        for position in [Position::None, Position::Shared, Position::Annotators] {
            for ridge in [0.0, 0.5] {
                let f = fit(&CrowdBradleyTerry { position, ridge, virtual_wins: ridge, ..Default::default() }, &data);
                let Truth::Scores { score, interval, ranks, .. } = &f.truth else { panic!("scores wanted") };
                for (i, s) in score.iter().enumerate() {
                    assert!(s.is_finite() && interval[i][0] <= *s && *s <= interval[i][1], "{what}: {s} {interval:?}");
                    assert!(ranks[i][0] >= 1 && ranks[i][0] <= ranks[i][1], "{what}: {ranks:?}");
                }
                assert!(reliability(&f).iter().all(|w| (0.0..=1.0).contains(w)), "{what}");
                let text = serde_json::to_string(&f).unwrap();
                assert!(serde_json::from_str::<Fit>(&text).is_ok(), "{what}: {text}");
            }
        }
        let endless = matches!(what, "one wins all" | "one comparison" | "two parts");
        assert_eq!(has(&fit(&CrowdBradleyTerry::default(), &data), "infinite-scores"), endless, "{what}");
    }
}
