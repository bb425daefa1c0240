//! Annotators who err alone, who always say the same, and who copy each other (Cao et al. 2019, section 4 and appendix B).

use super::digits::Digits;
use super::spread::Spread;
use super::trials::{Settings, Trials, learned};
use super::world::{Label, World, blobs};
use super::{Args, Claim, Part};
use crowdwise::{Context, Error};
use rand::{Rng, RngExt};
use serde_json::json;

/// What is compared, with the settings for it.
const METHODS: [(&str, &str); 5] = [
    ("majority vote", "two-stage"),
    ("crowd layer", "crowd-layer"),
    ("aggnet", "aggnet"),
    ("max-mig from the votes", "max-mig"),
    ("max-mig", "max-mig"),
];
const MIG: usize = 4;
const CASES: [&str; 6] =
    ["independent, H", "naive majority, H", "copies, H", "independent, L", "naive majority, L", "copies, L"];

/// Says a label for a truth.
type Expert = Box<dyn Fn(usize, &mut dyn Rng) -> usize>;

/// Five of high expertise, or ten of low, for two classes.
fn two(high: bool) -> Vec<Expert> {
    let skills: Vec<[f64; 2]> =
        if high { vec![[0.6, 0.8], [0.6, 0.6], [0.9, 0.6], [0.7, 0.7], [0.6, 0.7]] } else { vec![[0.55, 0.55]; 10] };
    let expert =
        |skill: [f64; 2]| -> Expert { Box::new(move |z, rng| if rng.random_bool(skill[z]) { z } else { 1 - z }) };
    skills.into_iter().map(expert).collect()
}

/// The same for ten classes, of which pairs are hard to tell apart.
fn ten(high: bool) -> Vec<Expert> {
    if !high {
        let one = || -> Expert {
            Box::new(|z, rng| if rng.random_bool(0.2) { z } else { (z + 1 + rng.random_range(0..9)) % 10 })
        };
        return (0..10).map(|_| one()).collect();
    }
    // number of the pair, and its two classes
    let pair = |z: usize| {
        let at = PAIRS.iter().position(|p| p.contains(&z)).expect("every digit is in a pair");
        (at, PAIRS[at])
    };
    let either = |p: [usize; 2], rng: &mut dyn Rng| p[rng.random_range(0..2)];
    vec![
        Box::new(move |z, _| pair(z).1[0]),
        Box::new(move |z, rng| either(pair(z).1, rng)),
        Box::new(move |z, rng| if pair(z).0 < 2 { z } else { either(pair(z).1, rng) }),
        Box::new(move |z, _| if pair(z).0 < 2 { pair(z).1[0] } else { z }),
        Box::new(move |z, rng| {
            let (_, [a, b]) = pair(z);
            if rng.random_bool(0.6) { z } else { a + b - z }
        }),
    ]
}

const PAIRS: [[usize; 2]; 5] = [[4, 9], [3, 8], [5, 6], [1, 7], [0, 2]];

/// The labels of a case for items with this truth, and the number of annotators.
fn labels(truth: &[usize], experts: &[Expert], case: usize, always: usize, rng: &mut dyn Rng) -> (Vec<Label>, usize) {
    let (high, kind, m) = (case < 3, case % 3, experts.len());
    let copies: &[usize] = if high { &[0, 0, 2, 2, 2] } else { &[0, 2] };
    let juniors = if high { 5 } else { 15 };
    let mut out = Vec::new();
    for (i, &z) in truth.iter().enumerate() {
        let said: Vec<usize> = experts.iter().map(|e| e(z, rng)).collect();
        out.extend(said.iter().enumerate().map(|(j, &l)| (i, j, l)));
        match kind {
            1 => out.extend((0..juniors).map(|n| (i, m + n, always))),
            2 => out.extend(copies.iter().enumerate().map(|(n, &of)| (i, m + n, said[of]))),
            _ => {}
        }
    }
    (out, m + [0, juniors, copies.len()][kind])
}

fn settings(method: usize, classes: usize, quick: bool) -> Settings {
    let mut out: Settings = vec![
        ("epochs", json!(if quick { 4 } else { 12 })),
        ("standardise", json!(false)),
        ("holdout", json!(0.0)),
        ("choose", json!("last")),
    ];
    match METHODS[method].1 {
        "two-stage" => out.extend([("method", json!("majority-vote")), ("labels", json!("hard"))]),
        "crowd-layer" if classes > 2 => out.push(("init", json!("votes"))),
        "max-mig" if method == MIG => out.push(("init", json!("features"))),
        _ => {}
    }
    out
}

/// One kind of items.
struct Setting {
    name: &'static str,
    experts: fn(bool) -> Vec<Expert>,
    /// What those say who always say the same.
    always: usize,
    world: World,
}

pub fn part(args: &Args, trials: &mut Trials<'_>) -> Result<Part, Error> {
    let mut part = Part::new(NOTE, &args.seeds(5));
    let settings = if args.quick {
        vec![Setting { name: "simulated", experts: two, always: 1, world: blobs(400, 0) }]
    } else {
        let digits = Digits::read(&args.data.folder()?)?;
        let pair = digits.only(&[4, 9], usize::MAX, usize::MAX).noisy(0.8, 0).centred();
        let all = digits.only(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], TEN_ITEMS, TEN_ITEMS).noisy(0.5, 0).centred();
        vec![
            Setting { name: "4 against 9", experts: two, always: 1, world: pair },
            Setting { name: "ten digits", experts: ten, always: 0, world: all },
        ]
    };
    for s in &settings {
        one_setting(s, args, trials, &mut part)?;
    }
    coin(args, trials, &mut part)?;
    Ok(part)
}

const TEN_ITEMS: usize = 8000;

fn one_setting(s: &Setting, args: &Args, trials: &mut Trials<'_>, part: &mut Part) -> Result<(), Error> {
    // by method and case: classifier on test items; with their labels
    let mut alone = vec![Vec::new(); METHODS.len()];
    let mut together = alone.clone();
    for (m, (shown, id)) in METHODS.iter().enumerate() {
        for (case, name) in CASES.iter().enumerate() {
            let settings = settings(m, s.world.k, args.quick);
            let mut runs = Vec::new();
            for seed in args.seeds(5) {
                runs.push(trials.figures(&format!("max-mig {} {name} {shown}", s.name), seed, |cx| {
                    let experts = (s.experts)(case < 3);
                    let mut rng = Context::new(seed, 1).rng("experts", case as u64);
                    let (train, annotators) = labels(&s.world.train.truth, &experts, case, s.always, &mut rng);
                    let (test, _) = labels(&s.world.test.truth, &experts, case, s.always, &mut rng);
                    let data = s.world.train.labelled(s.world.k, annotators, &train)?;
                    let (_, model) = learned(id, &settings, &data, cx)?;
                    let heard = s.world.test.labelled(s.world.k, annotators, &test)?;
                    let (f, _) = model.predict_with_labels(&heard)?;
                    Ok(vec![s.world.test.tested(&model)?, s.world.test.right(f.k, &f.rows)])
                })?);
            }
            let over = |n: usize| Spread::of(&runs.iter().map(|r| r[n]).collect::<Vec<f64>>());
            let setting = format!("{}, {name}", s.name);
            part.figure("max-mig", &setting, shown, "classifier", over(0));
            part.figure("max-mig", &setting, shown, "forecaster", over(1));
            alone[m].push(over(0));
            together[m].push(over(1));
        }
    }
    let columns: Vec<&str> = std::iter::once("method").chain(CASES).collect();
    let row = |name: String, of: &[Spread]| std::iter::once(name).chain(of.iter().map(|x| x.with_sd())).collect();
    let mut rows: Vec<Vec<String>> = (0..METHODS.len()).map(|m| row(METHODS[m].0.into(), &alone[m])).collect();
    rows.extend((2..METHODS.len()).map(|m| row(format!("{}, with labels", METHODS[m].0), &together[m])));
    part.grid(format!("Max-MIG: {}, test accuracy in percent", s.name), &columns, rows);
    claims(s, &alone, &together, part);
    Ok(())
}

fn claims(s: &Setting, alone: &[Vec<Spread>], together: &[Vec<Spread>], part: &mut Part) {
    let chance = 100.0 / s.world.k as f64;
    for (from, group) in [(0, "H"), (3, "L")] {
        let means: Vec<f64> = alone[MIG][from..from + 3].iter().map(|x| x.mean).collect();
        let range = means.iter().copied().fold(f64::MIN, f64::max) - means.iter().copied().fold(f64::MAX, f64::min);
        let what = format!("{}, {group}: max-mig within 2 points over the three structures", s.name);
        part.claims.push(Claim::new(what, format!("{range:.1}"), range <= 2.0));
    }
    for (m, case) in [(0, 1), (1, 1), (2, 2)] {
        let (short, mig) = (alone[m][case].mean, alone[MIG][case].mean);
        let what = format!("{}: {} far below max-mig for {}", s.name, METHODS[m].0, CASES[case]);
        part.claims.push(Claim::new(
            what,
            format!("{short:.1} against {mig:.1} (chance {chance:.0})"),
            short < mig - 6.0,
        ));
    }
    let gain = (0..3).map(|c| together[MIG][c].mean - alone[MIG][c].mean).fold(f64::MAX, f64::min);
    let what = format!("{}, H: the forecaster above the classifier by 3 points", s.name);
    part.claims.push(Claim::new(what, format!("{gain:.1} at least"), gain >= 3.0));
}

/// One who knows, and a hundred who copy one coin (appendix E).
fn coin(args: &Args, trials: &mut Trials<'_>, part: &mut Part) -> Result<(), Error> {
    let mut rows = Vec::new();
    for (shown, id) in [("aggnet", "aggnet"), ("max-mig", "max-mig")] {
        let mut runs = Vec::new();
        for seed in args.seeds(5) {
            runs.push(trials.figures(&format!("max-mig coin {shown}"), seed, |cx| {
                let world = blobs(600, seed);
                let mut rng = Context::new(seed, 1).rng("coin", 0);
                let mut labels = Vec::new();
                for (i, &z) in world.train.truth.iter().enumerate() {
                    labels.push((i, 0, z));
                    let coin = rng.random_range(0..2);
                    labels.extend((1..101).map(|j| (i, j, coin)));
                }
                let data = world.train.labelled(2, 101, &labels)?;
                let settings: Settings = vec![
                    ("epochs", json!(if args.quick { 10 } else { 40 })),
                    ("init", json!("features")),
                    ("holdout", json!(0.0)),
                    ("choose", json!("last")),
                ];
                let (fit, model) = learned(id, &settings, &data, cx)?;
                Ok(vec![world.train.inferred(&fit), world.test.tested(&model)?])
            })?);
        }
        let over = |n: usize| Spread::of(&runs.iter().map(|r| r[n]).collect::<Vec<f64>>());
        part.figure("max-mig", "a hundred copies of a coin", shown, "labels", over(0));
        part.figure("max-mig", "a hundred copies of a coin", shown, "classifier", over(1));
        rows.push(vec![shown.to_owned(), over(0).with_sd(), over(1).with_sd()]);
        let (what, met) = if id == "max-mig" {
            ("a hundred copies of a coin: max-mig finds who knows", over(0).mean > 95.0)
        } else {
            ("a hundred copies of a coin: EM believes the coin", over(0).mean < 60.0)
        };
        part.claims.push(Claim::new(what, over(0).with_sd(), met));
    }
    part.grid(
        "Max-MIG: one who knows and a hundred copies of a coin, accuracy in percent",
        &["method", "training items", "classifier on test items"],
        rows,
    );
    Ok(())
}

const NOTE: &str = "`crowdwise repro max-mig`: means ± deviations over {seeds}; the experts of Cao et al. 2019 (appendix B) for digits in place of their images. Two classes: 4 and 9, pixels with noise of deviation 0.8; ten \
     classes: the first 8000 digits, noise 0.5, the hard pairs 4/9, 3/8, 5/6, 1/7, 0/2. High expertise (H): five experts, with five who always say one class, or five who copy two of the \
     experts; low (L): ten of accuracy 0.55 (ten classes: 0.2), with fifteen of the former or two of the latter. MLP of 128, dropout 0.5, Adam 1e-3, batches of 64, 12 epochs, the last one; \
     the crowd layer begins at the votes for ten classes, max-mig at votes weighted by what features can explain of them (`init=features`; \"from the votes\" is without). \"With labels\": the test items have labels of the same annotators. The last table is example E.2 of the paper, with two Gaussian \
     classes of which features tell 80 %; max-mig begins in the same way.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experts_are_those_of_the_appendix() {
        let mut rng = Context::new(0, 1).rng("test", 0);
        let high = ten(true);
        for z in 0..10 {
            let (at, [first, second]) = PAIRS.iter().copied().enumerate().find(|(_, p)| p.contains(&z)).unwrap();
            assert_eq!(high[0](z, &mut rng), first);
            assert_eq!(high[3](z, &mut rng), if at < 2 { first } else { z });
            for expert in &high {
                let l = expert(z, &mut rng);
                assert!(l == first || l == second, "{z}: {l}");
            }
            if at < 2 {
                assert_eq!(high[2](z, &mut rng), z);
            }
        }
        let truth = vec![1; 4000];
        let (l, m) = labels(&truth, &two(true), 2, 1, &mut rng);
        assert_eq!((m, l.len()), (10, 40_000));
        for chunk in l.chunks_exact(10) {
            let said: Vec<usize> = chunk.iter().map(|x| x.2).collect();
            assert!(said[5] == said[0] && said[6] == said[0] && said[7..].iter().all(|s| *s == said[2]));
        }
        let right = l.iter().filter(|x| x.1 == 0 && x.2 == 1).count() as f64 / 4000.0;
        assert!((right - 0.8).abs() < 0.03, "{right}");
        assert_eq!(labels(&truth, &two(false), 4, 1, &mut rng).1, 25);
    }
}
