//! The table of annotators and the findings, on crowds whose members are known.

use crate::common::{fit_of, oracle, real_set, vote_shares};
use crowdwise_core::questions::{LabelView, annotators, annotators_at, findings};
use crowdwise_core::simulate::{Role, SimModel, Simulation, Simulator};
use crowdwise_core::{
    Annotators, Dataset, Finding, Gold, GoldValues, LabelKind, Severity, Stop, Subject, TableBuilder, Truth,
};

fn made(s: &Simulation, seed: u64) -> (Simulator, Dataset, Gold) {
    let sim = Simulator::new(s, seed).unwrap();
    let (data, gold) = sim.dataset().unwrap();
    (sim, data, gold)
}

fn with_code<'a>(all: &'a [Finding], code: &str) -> Vec<&'a Finding> {
    all.iter().filter(|f| f.code == code).collect()
}

#[test]
fn rows_recover_the_true_parameters() {
    let s = Simulation { items: 4000, annotators: 20, classes: 3, per_item: 5, ..Simulation::default() };
    let (sim, data, gold) = made(&s, 4);
    let fit = oracle(&data, &gold);
    let mut inside = 0;
    for (row, truth) in annotators(&data, &fit).iter().zip(sim.annotators()) {
        let p = truth.accuracy.unwrap();
        let [low, high] = row.interval.unwrap();
        inside += usize::from(low <= p && p <= high);
        assert!((row.accuracy.unwrap() - p).abs() < 0.06); // about 1000 labels each: standard error below 0.016
        let c = row.confusion.as_ref().unwrap();
        let t = truth.confusion.as_ref().unwrap();
        assert!(c.iter().zip(t).all(|(a, b)| (a - b).abs() < 0.12), "{c:?} {t:?}");
        // costs: what is not recovered is at most the error rate, and both add up to it
        let (bias, error) = (row.bias.unwrap(), row.error.unwrap());
        assert!((bias + error - (1.0 - row.accuracy.unwrap())).abs() < 0.02 && error >= 0.0);
        assert!(row.information_bits.unwrap() > 0.0 && row.information_bits.unwrap() < 3f64.log2());
        assert_eq!(row.agreement_n, row.n);
    }
    assert!(inside >= 14, "{inside} of 20 true accuracies in 90 % intervals");
}

#[test]
fn leave_one_out_agreement_is_the_share_of_the_others() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, a, l) in
        [("i", "a", "x"), ("i", "b", "x"), ("i", "c", "y"), ("j", "a", "y"), ("j", "b", "x"), ("k", "c", "x")]
    {
        b.label(i, a, l).unwrap();
    }
    let data = Dataset::new(b.finish().unwrap());
    let fit = fit_of(&data, Truth::Classes { k: 2, posterior: vote_shares(&data) }, Annotators::None);
    let rows = annotators(&data, &fit);
    assert_eq!(rows.iter().map(|r| r.agreement).collect::<Vec<_>>(), [Some(0.25), Some(0.25), Some(0.0)]);
    assert_eq!(rows.iter().map(|r| r.agreement_n).collect::<Vec<_>>(), [2, 2, 1]);
    assert!(rows.iter().all(|r| r.interval.unwrap()[0] <= r.accuracy.unwrap()));
    assert_eq!(rows[0].flags, ["few-labels"]);
}

#[test]
fn intervals_are_by_one_rule_whatever_the_method_says() {
    let (_, data, gold) = made(&Simulation { annotators: 6, ..Simulation::default() }, 1);
    let mut fit = oracle(&data, &gold);
    let plain = annotators(&data, &fit);
    fit.diagnostics.details.insert("accuracy_interval".into(), serde_json::json!([[0.1, 0.2]]));
    assert_eq!(annotators(&data, &fit), plain);
    for row in &plain {
        let ([low, high], p) = (row.interval.unwrap(), row.accuracy.unwrap());
        assert!(low <= p && p <= high && high - low < 0.3, "{row:?}");
    }
    // another level, the same points
    for (a, b) in plain.iter().zip(annotators_at(&data, &fit, 0.99)) {
        assert_eq!(a.accuracy, b.accuracy);
        assert!(b.interval.unwrap()[0] < a.interval.unwrap()[0], "{a:?} {b:?}");
    }
}

/// Forty labels, all right: next to 1, not anywhere between 0 and 1.
#[test]
fn the_best_annotator_has_a_short_interval() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..200 {
        let truth = i % 2;
        let says = |b: &mut TableBuilder, who: &str, l: usize| b.label(&format!("i{i}"), who, &format!("{l}")).unwrap();
        (0..4).for_each(|j| says(&mut b, &format!("a{j}"), if (i + 3 * j) % 8 == 0 { 1 - truth } else { truth }));
        if i < 40 {
            says(&mut b, "best", truth);
        }
    }
    let data = Dataset::new(b.finish().unwrap());
    let fit = fit_of(&data, Truth::Classes { k: 2, posterior: vote_shares(&data) }, Annotators::None);
    let best = &annotators(&data, &fit)[4];
    let [low, high] = best.interval.unwrap();
    assert!(best.n == 40 && low > 0.85 && best.accuracy.unwrap() > 0.95 && high > 0.98, "{best:?}");
}

#[test]
fn information_does_not_depend_on_the_class_shares_of_the_model() {
    let (_, data, gold) = made(&Simulation { annotators: 5, classes: 2, ..Simulation::default() }, 1);
    let mut fit = oracle(&data, &gold);
    let rows = annotators(&data, &fit);
    fit.class_prior = Some(vec![0.99, 0.01]);
    assert_eq!(annotators(&data, &fit), rows);
    let shares = gold.classes(data.table.n_units()).iter().filter(|c| **c == Some(0)).count() as f64;
    let p = shares / data.table.n_units() as f64;
    let bits = crowdwise_core::stats::information_bits(&[p, 1.0 - p], rows[0].confusion.as_ref().unwrap());
    assert!((rows[0].information_bits.unwrap() - bits).abs() < 1e-12);
}

#[test]
fn spammers_and_adversaries_are_found_and_honest_ones_left_alone() {
    for (classes, seed) in [(2, 1), (2, 2), (4, 3)] {
        let s = Simulation {
            items: 3000,
            annotators: 60,
            classes,
            per_item: 6,
            spammers: 0.2,
            adversaries: 0.1,
            accuracy: 0.8,
            concentration: 30.0,
            ..Simulation::default()
        };
        let (sim, data, gold) = made(&s, seed);
        let fit = oracle(&data, &gold);
        let rows = annotators(&data, &fit);
        for (row, a) in rows.iter().zip(sim.annotators()) {
            let has = |code: &str| row.flags.iter().any(|f| f == code);
            match a.role {
                Role::Spammer => assert!(has("spammer") && !has("adversary"), "{row:?}"),
                Role::Adversary => assert!(has("adversary") && !has("spammer"), "{row:?}"),
                _ => assert!(row.flags.is_empty(), "{row:?}"),
            }
        }
        let all = findings(&data, &fit);
        assert_eq!(with_code(&all, "spammer").len(), 12);
        assert_eq!(with_code(&all, "adversary").len(), 6);
        assert!(all.iter().all(|f| f.severity != Severity::Problem), "{all:?}");
        let f = with_code(&all, "spammer")[0];
        assert!(f.message.contains("standard error") && f.message.contains("labels"), "{}", f.message);
    }
}

#[test]
fn rare_annotators_are_not_called_spammers() {
    // 3 labels each: nothing can be said, and nothing is said of anybody by name
    let s = Simulation { items: 300, annotators: 500, per_item: 5, spammers: 0.5, ..Simulation::default() };
    let (_, data, gold) = made(&s, 3);
    let all = findings(&data, &oracle(&data, &gold));
    assert!(with_code(&all, "spammer").is_empty() && with_code(&all, "adversary").is_empty(), "{all:?}");
    assert_eq!(with_code(&all, "few-labels").len(), 1);
    assert_eq!(with_code(&all, "few-labels")[0].severity, Severity::Warning);
}

#[test]
fn a_constant_annotator_is_not_an_adversary() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..100 {
        let truth = if i % 10 == 0 { "rare" } else { "usual" };
        for a in ["p", "q", "r"] {
            b.label(&format!("i{i}"), a, truth).unwrap();
        }
        b.label(&format!("i{i}"), "same", "rare").unwrap();
    }
    let data = Dataset::new(b.finish().unwrap());
    let fit = fit_of(&data, Truth::Classes { k: 2, posterior: vote_shares(&data) }, Annotators::None);
    let flags = &annotators(&data, &fit)[3].flags;
    assert!(flags.contains(&"near-constant".to_owned()) && !flags.contains(&"adversary".to_owned()), "{flags:?}");
    let all = findings(&data, &fit);
    let f = with_code(&all, "near-constant");
    assert_eq!(f.len(), 1);
    assert_eq!(f[0].subject, Subject::Annotator("same".into()));
    assert!(f[0].message.contains("`rare` in 100 %"), "{}", f[0].message);
}

#[test]
fn on_skewed_items_those_who_miss_classes_are_told_from_those_who_guess() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let rare = |i: usize| if i.is_multiple_of(40) { "per" } else { "loc" };
    for i in 0..2000 {
        let (item, truth) = (format!("i{i}"), if i % 20 == 0 { rare(i) } else { "o" });
        for a in ["p", "q", "r"] {
            b.label(&item, a, truth).unwrap();
        }
        // `lazy` finds one in ten of the rare ones, `always` none, and `guess` says the classes as often as they
        // are, without looking
        b.label(&item, "lazy", if i % 200 == 0 { truth } else { "o" }).unwrap();
        b.label(&item, "always", "o").unwrap();
        b.label(&item, "guess", if i % 20 == 7 { rare(i + 33) } else { "o" }).unwrap();
        b.label(&item, "even", ["o", "per", "loc"][i % 3]).unwrap();
    }
    let data = Dataset::new(b.finish().unwrap());
    let gold = {
        let classes = data.table.categorical().unwrap().classes;
        let code = |i: usize| {
            let name = data.table.items().name(i)[1..].parse::<usize>().unwrap();
            let truth = if name % 20 == 0 { rare(name) } else { "o" };
            classes.iter().position(|c| c == truth).unwrap() as u32
        };
        Gold {
            values: GoldValues::Classes((0..2000).map(|i| (i as u32, code(i))).collect()),
            unlabelled: GoldValues::Classes(vec![]),
            extra_classes: crowdwise_core::Names::new(),
        }
    };
    let fit = oracle(&data, &gold);
    let rows = annotators(&data, &fit);
    let flags = |name: &str| {
        let j = (0..7).find(|&j| data.table.annotators().name(j) == name).unwrap();
        rows[j].flags.clone()
    };
    for (name, expected) in [("lazy", "misses-classes"), ("always", "misses-classes"), ("guess", "spammer")] {
        assert_eq!(flags(name), [expected], "{name}");
    }
    assert!(flags("even").contains(&"spammer".to_owned()) && flags("p").is_empty(), "{:?}", flags("even"));
    let all = findings(&data, &fit);
    let found = with_code(&all, "misses-classes");
    assert_eq!(found.len(), 2);
    let lazy = found.iter().find(|f| f.subject == Subject::Annotator("lazy".into())).unwrap();
    assert_eq!(lazy.severity, Severity::Warning);
    // 50 each; `lazy` finds 10 of `per`, every fifth, and no `loc`; the matrix has a pseudo-label per row
    assert!(
        lazy.message.contains("`loc` in 0 of 50") && lazy.message.contains("most items are `o`"),
        "{}",
        lazy.message
    );
    assert!(lazy.advice.to_string().contains("fine") && !lazy.advice.to_string().contains("leave"), "{}", lazy.advice);
}

#[test]
fn a_flat_posterior_is_told_for_methods_with_a_likelihood() {
    let (_, data, gold) = made(&Simulation { classes: 4, ..Simulation::default() }, 1);
    let flat = |top: f64| {
        let rest = (1.0 - top) / 3.0;
        (0..data.table.n_units()).flat_map(|_| [rest, top, rest, rest]).collect()
    };
    let told = |top: f64, kind: Option<&str>| {
        let mut fit = fit_of(&data, Truth::Classes { k: 4, posterior: flat(top) }, Annotators::None);
        let objective = |kind: &str| crowdwise_core::Objective { kind: kind.into(), value: -1.0 };
        fit.diagnostics.objective = kind.map(objective);
        with_code(&findings(&data, &fit), "flat-posterior").len()
    };
    assert_eq!((told(0.27, Some("elbo")), told(0.27, Some("penalised-log-likelihood"))), (1, 1));
    assert_eq!((told(0.30, Some("elbo")), told(0.27, None), told(0.27, Some("distance"))), (0, 0, 0));
    let (_, single, _) = made(&Simulation { classes: 4, per_item: 1, ..Simulation::default() }, 1);
    let posterior = vec![0.25; 4 * single.table.n_units()];
    let mut fit = fit_of(&single, Truth::Classes { k: 4, posterior }, Annotators::None);
    fit.diagnostics.objective = Some(crowdwise_core::Objective { kind: "elbo".into(), value: 0.0 });
    assert!(with_code(&findings(&single, &fit), "flat-posterior").is_empty());
    assert!(with_code(&findings(&data, &oracle(&data, &gold)), "flat-posterior").is_empty());
}

#[test]
fn advice_names_only_parameters_that_the_method_has() {
    let (_, data, gold) = made(&Simulation::default(), 1);
    let mut fit = oracle(&data, &gold);
    fit.diagnostics.stop = Stop::MaxIter;
    for (params, start) in [
        (serde_json::json!({"max_iter": 50, "tol": 1e-6}), "raise max_iter, or"),
        (serde_json::json!({"burn_in": 100, "keep": 300}), "raise keep and burn_in, or"),
        (serde_json::json!({}), "accept"),
        (serde_json::Value::Null, "accept"),
    ] {
        fit.provenance.params = params;
        let all = findings(&data, &fit);
        let advice = &with_code(&all, "not-converged")[0].advice;
        assert!(advice.to_string().starts_with(start), "{advice}");
    }
}

#[test]
fn findings_about_annotators_are_capped() {
    let s = Simulation {
        items: 4000,
        annotators: 100,
        per_item: 5,
        spammers: 0.4,
        classes: 2,
        concentration: 99.0,
        ..Simulation::default()
    };
    let (_, data, gold) = made(&s, 8);
    let all = findings(&data, &oracle(&data, &gold));
    let f = with_code(&all, "spammer");
    assert_eq!(f.len(), 21);
    assert!(f[20].subject == Subject::Data && f[20].message.contains(" more annotators like this"), "{:?}", f[20]);
}

#[test]
fn structure_of_the_data_is_told() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..30 {
        let part = if i < 10 { "p" } else { "q" };
        b.label(&format!("i{i}"), &format!("{part}1"), "x").unwrap();
        if i < 10 {
            b.label(&format!("i{i}"), "p2", "y").unwrap();
        }
    }
    let mut data = Dataset::new(b.finish().unwrap());
    data.table.add_items(["nobody"]);
    data.table.add_classes(["z"]);
    let fit = fit_of(&data, Truth::Classes { k: 3, posterior: vote_shares(&data) }, Annotators::None);
    let all = findings(&data, &fit);
    let codes: Vec<&str> = all.iter().map(|f| f.code.as_str()).collect();
    for code in ["unlabelled-items", "disconnected", "weak-identifiability", "isolated-annotators", "class-never-used"]
    {
        assert!(codes.contains(&code), "{code} is not in {codes:?}");
    }
    assert!(with_code(&all, "disconnected")[0].message.contains("2 parts"));
    assert!(with_code(&all, "isolated-annotators")[0].message.starts_with("1 of 3"));
    assert!(all.iter().all(|f| !f.advice.to_string().is_empty() && !f.message.is_empty()));
}

#[test]
fn how_a_fit_ended_is_told() {
    let (_, data, gold) = made(&Simulation::default(), 1);
    let mut fit = oracle(&data, &gold);
    for (stop, code) in
        [(Stop::MaxIter, "not-converged"), (Stop::Cancelled, "interrupted"), (Stop::NotFinite, "not-finite")]
    {
        fit.diagnostics.stop = stop;
        assert_eq!(with_code(&findings(&data, &fit), code).len(), 1);
    }
    // answers that no longer move are an end, told with what they rest on and without advice to go on
    fit.diagnostics.stop = Stop::Settled;
    let still = crowdwise_core::Settled { iterations: 10, items: 900, labels_changed: 0, mean_change: 0.0002 };
    still.tell(&mut fit.diagnostics.details);
    let all = findings(&data, &fit);
    let told = with_code(&all, "settled")[0];
    assert!(told.severity == Severity::Info && told.message.contains("the label of 0 of 900 items"), "{told:?}");
    assert!(with_code(&all, "not-converged").is_empty() && !told.advice.to_string().contains("max_iter"));
    fit.diagnostics.stop = Stop::Converged;
    assert!(findings(&data, &fit).iter().all(|f| f.subject != Subject::Fit));
}

#[test]
fn one_class_sources_and_the_collapse_they_cause() {
    let Some((data, _)) = real_set("ws_youtube") else { return };
    let k = 2;
    // what Dawid-Skene gives there: all items one class, every source constant
    let posterior = (0..data.table.n_units()).flat_map(|_| [1.0, 0.0]).collect();
    let matrix = (0..data.table.n_annotators()).flat_map(|_| [0.5, 0.5, 0.5, 0.5]).collect();
    let fit = fit_of(&data, Truth::Classes { k, posterior }, Annotators::Confusion { k, matrix });
    let all = findings(&data, &fit);
    assert_eq!(with_code(&all, "one-class-sources")[0].severity, Severity::Problem);
    assert_eq!(with_code(&all, "class-collapsed").len(), 1);
    assert_eq!(with_code(&all, "class-drift")[0].severity, Severity::Problem);
    // the votes themselves are fine
    let votes = fit_of(&data, Truth::Classes { k, posterior: vote_shares(&data) }, Annotators::None);
    let all = findings(&data, &votes);
    assert!(all.iter().all(|f| f.severity != Severity::Problem), "{all:?}");
}

#[test]
fn real_values_have_bias_and_spread() {
    let s = Simulation { model: SimModel::Real, items: 3000, spammers: 0.1, annotators: 20, ..Simulation::default() };
    let (sim, data, gold) = made(&s, 2);
    let GoldValues::Real(truth) = &gold.values else { panic!() };
    let value: Vec<f64> = truth.iter().map(|t| t.1).collect();
    let sd = vec![0.0; value.len()];
    let fit = fit_of(&data, Truth::Real { value, sd }, Annotators::None);
    for (row, a) in annotators(&data, &fit).iter().zip(sim.annotators()) {
        let spammer = row.flags.iter().any(|f| f == "spammer");
        assert_eq!(spammer, a.role == Role::Spammer, "{row:?}");
        if let (Some(bias), Some(sd)) = (a.bias, a.sd) {
            // about 750 values each
            assert!((row.bias.unwrap() - bias).abs() < 4.0 * sd / 700f64.sqrt(), "{row:?}");
            assert!((row.sd.unwrap() / sd - 1.0).abs() < 0.12, "{row:?}");
        }
    }
}

#[test]
fn comparing_annotators_agree_with_the_ranking_or_not() {
    let s = Simulation {
        model: SimModel::BradleyTerry,
        items: 60,
        pairs: 2000,
        annotators: 20,
        adversaries: 0.1,
        truth_sd: 2.0,
        ..Simulation::default()
    };
    let (sim, data, gold) = made(&s, 2);
    let GoldValues::Scores(scores) = &gold.values else { panic!() };
    let score: Vec<f64> = scores.iter().map(|t| t.1).collect();
    let (interval, component) = (vec![[0.0; 2]; score.len()], vec![0; score.len()]);
    let fit =
        fit_of(&data, Truth::Scores { score: score.clone(), interval, component, ranks: vec![] }, Annotators::None);
    for (row, a) in annotators(&data, &fit).iter().zip(sim.annotators()) {
        assert_eq!(row.flags.contains(&"adversary".to_owned()), a.role == Role::Adversary, "{row:?}");
        assert!(row.accuracy.is_some() && row.agreement_n <= row.n);
    }
    // ranks: best first, every item was compared
    let view = LabelView::new(&data, &fit);
    let best = (0..view.len()).find(|&i| view.score_row(i).rank == 1).unwrap();
    assert!(score.iter().all(|&x| x <= score[best]));
    let compared: usize = (0..view.len()).map(|i| view.score_row(i).n).sum();
    assert_eq!(compared, 2 * data.table.n_labels());
}
