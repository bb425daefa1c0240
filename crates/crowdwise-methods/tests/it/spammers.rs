//! Spammers: the score, and leaving them out.

use crate::common;

use common::{accuracy, real_set};
use crowdwise_core::{
    AnyMethod, Context, Dataset, Fit, Gold, LabelKind, Severity, Subject, TableBuilder, stats, stream,
};
use crowdwise_methods::classes::confusion::DawidSkene;
use crowdwise_methods::classes::spammers::Spem;
use rand::RngExt;

fn fit(method: &dyn AnyMethod, data: &Dataset) -> Fit {
    crowdwise_core::questions::reviewed(method, data, &mut Context::new(0, 2)).unwrap()
}

fn left_out(f: &Fit) -> Vec<String> {
    let list = f.diagnostics.details["left_out"].as_array().unwrap();
    list.iter().map(|v| v.as_str().unwrap().to_owned()).collect()
}

/// The labels of `data`, and `more` annotators who say anything of as many items as `each` says, or as some annotator of
/// the data labelled.
fn with_spammers(data: &Dataset, more: usize, each: Option<usize>, seed: u64) -> Dataset {
    let c = data.table.categorical().unwrap();
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for u in 0..data.table.n_units() {
        for r in data.table.rows(u) {
            let who = data.table.annotators().name(data.table.annotator()[r] as usize);
            b.label(data.table.items().name(u), who, c.classes.name(c.codes.get(r))).unwrap();
        }
    }
    let mut rng = stream(seed, "spammers", 0);
    let work = data.table.labels_per_annotator();
    for j in 0..more {
        // some always say the same, some draw
        let constant = (j % 3 == 0).then(|| rng.random_range(0..c.k()));
        let own = each.unwrap_or(work[rng.random_range(0..work.len())].max(20) as usize);
        for _ in 0..own {
            let u = rng.random_range(0..data.table.n_units());
            let l = constant.unwrap_or_else(|| rng.random_range(0..c.k()));
            b.label(data.table.items().name(u), &format!("spam{j}"), c.classes.name(l)).unwrap();
        }
    }
    Dataset::new(b.finish().unwrap())
}

fn gold(data: &Dataset, set: &str) -> Gold {
    let text = std::fs::read_to_string(common::data_dir().join(set).join("truth.csv")).unwrap();
    let rows: Vec<(String, String)> =
        text.lines().skip(1).filter_map(|l| l.split_once(',')).map(|(a, b)| (a.into(), b.into())).collect();
    Gold::from_items(&data.table, &rows, "truth.csv").unwrap()
}

/// The catalogue's test: 30 % spammers added to `rte`, with as many labels as its annotators have (20 and more); nine of ten
/// are found, and the error changes by at most 0.3 points. With 20 labels, ten of a class, one in seven of those who draw
/// looks informative by chance.
#[test]
fn spammers_added_to_real_data_are_found() {
    let Some((data, _)) = real_set("rte") else { return };
    let clean = fit(&Spem::default(), &data);
    let base = 100.0 * (1.0 - accuracy(&clean, &gold(&data, "rte")));
    for (each, least) in [(None, 0.9), (Some(20), 0.8), (Some(40), 0.9), (Some(80), 0.95)] {
        let (mut recall, seeds) = (0.0, 5);
        for seed in 0..seeds {
            let spammed = with_spammers(&data, 49, each, seed);
            let f = fit(&Spem::default(), &spammed);
            let error = 100.0 * (1.0 - accuracy(&f, &gold(&spammed, "rte")));
            let ds = 100.0 * (1.0 - accuracy(&fit(&DawidSkene::default(), &spammed), &gold(&spammed, "rte")));
            let gone = left_out(&f);
            let found = gone.iter().filter(|n| n.starts_with("spam")).count();
            recall += found as f64 / 49.0 / seeds as f64;
            eprintln!(
                "{each:?} labels: {found} of 49 found, {} others left out, error {base:.2} % -> {error:.2} %, dawid-skene {ds:.2} %",
                gone.len() - found
            );
            assert!((error - base).abs() <= 0.3, "{each:?}: {base} {error}");
        }
        eprintln!("{each:?} labels: {recall:.3} found");
        assert!(recall >= least, "{each:?}: {recall}");
    }
}

/// Annotators below 0.05 after one fit with smoothing 1, as counted with the reference program: 16 of 39, 17 of 164, 25 of
/// 109.
#[test]
fn as_many_low_scores_as_the_reference_program() {
    for (set, want) in [("bluebird", 16), ("rte", 17), ("dog", 25)] {
        let Some((data, _)) = real_set(set) else { return };
        let f = fit(&DawidSkene { alpha: 1.0, ..DawidSkene::default() }, &data);
        let k = data.table.n_classes();
        let score =
            |j: usize| crowdwise_core::questions::spammer_score(&f.annotators.confusion(j).unwrap(), &vec![1.0; k]).0;
        let low = (0..data.table.n_annotators()).filter(|&j| score(j) < 0.05).count();
        eprintln!("{set}: {low} of {} below 0.05, {want} counted", data.table.n_annotators());
        assert!(low.abs_diff(want) <= 1, "{set}: {low}");
    }
}

/// Ten good annotators, six spammers; everybody labels half of 300 items.
fn mixed(k: usize, good: usize, bad: usize) -> (Dataset, Vec<usize>) {
    let mut rng = stream(5, "mixed", k as u64);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..k).for_each(|c| assert!((b.classes.intern(&format!("c{c}")) as usize) < k));
    let truth: Vec<usize> = (0..300).map(|_| rng.random_range(0..k)).collect();
    for (i, &z) in truth.iter().enumerate() {
        b.items.intern(&format!("i{i}"));
        for j in 0..good + bad {
            if rng.random_bool(0.5) {
                let l = if j < good && rng.random_bool(0.8) { z } else { rng.random_range(0..k) };
                b.label(&format!("i{i}"), &format!("{}{j}", if j < good { "good" } else { "bad" }), &format!("c{l}"))
                    .unwrap();
            }
        }
    }
    (Dataset::new(b.finish().unwrap()), truth)
}

#[test]
fn who_is_left_out_does_not_count_but_is_judged() {
    for k in [2, 4] {
        let (data, truth) = mixed(k, 10, 6);
        let f = fit(&Spem::default(), &data);
        let mut gone = left_out(&f);
        gone.sort();
        assert_eq!(gone, ["bad10", "bad11", "bad12", "bad13", "bad14", "bad15"], "{k}");
        // the same as Dawid-Skene on the others' labels
        let who = data.table.annotator();
        let rest = data.table.filter_rows(|r| data.table.annotators().name(who[r] as usize).starts_with("good"));
        let ds = fit(&DawidSkene { alpha: 1.0, ..DawidSkene::default() }, &Dataset::new(rest));
        assert_eq!(f.posterior(), ds.posterior());
        let wrong =
            truth.iter().enumerate().filter(|&(u, &z)| stats::argmax(&f.posterior().unwrap().1[u * k..][..k]) != z);
        // 5.7 expected for two classes: five labels per item on average, right in nine of ten
        assert!(wrong.count() < 15);
        // findings: one for all, one for each with its statistic
        let all = f.findings.iter().find(|f| f.code == "spammers-left-out").unwrap();
        assert_eq!(all.severity, Severity::Info);
        let spammers: Vec<_> = f.findings.iter().filter(|f| f.code == "spammer").collect();
        assert_eq!(spammers.len(), 6, "{:?}", f.findings);
        for s in spammers {
            assert!(matches!(&s.subject, Subject::Annotator(a) if a.starts_with("bad")));
            let x = s.statistic.as_ref().unwrap();
            assert_eq!(x.name, "spammer-score");
            assert!(x.value < 0.05 && x.se.unwrap() > 0.0 && x.interval[0] <= x.value && x.value <= x.interval[1]);
            assert!(x.n > 100);
        }
    }
}

#[test]
fn nobody_is_left_alone() {
    // everybody always says the same: they are kept, and that is said
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for x in 0..400 {
        b.label(&format!("i{}", x / 4), &format!("a{}", x % 6), &format!("c{}", x % 2)).unwrap();
    }
    let f = fit(&Spem::default(), &Dataset::new(b.finish().unwrap()));
    assert!(f.findings.iter().any(|f| f.code == "all-look-like-spammers"));
    assert!(left_out(&f).is_empty());
    // two labels per item by spammers only: those items keep the class shares
    let (data, _) = mixed(2, 8, 5);
    let who = data.table.annotator();
    let mut thin = data.clone();
    thin.table = data.table.filter_rows(|r| {
        let bad = data.table.annotators().name(who[r] as usize).starts_with("bad");
        bad || !(0..30).any(|u| data.table.rows(u).contains(&r))
    });
    let f = fit(&Spem::default(), &thin);
    let lost = f.findings.iter().find(|f| f.code == "items-left-without-labels").unwrap();
    assert_eq!(lost.severity, Severity::Warning);
    let (k, q) = f.posterior().unwrap();
    assert_eq!(&q[..k], f.class_prior.as_deref().unwrap());
}
