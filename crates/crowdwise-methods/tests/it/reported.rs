//! What breaks other programs or misleads their users, over the list: crashes that were met in peers, results that cannot be
//! trusted and must be said to be so, and pages that say when a method does worse than a vote.

use crate::common;

use common::{INDEPENDENT, sound::sound};
use common::{accuracy, fit_any, real_set};
use crowdwise_core::{Annotators, Finding};
use crowdwise_core::{
    AnyMethod, Context, Dataset, Entry, Fit, LabelKind, Severity, TableBuilder, Truth, questions, stream,
};
use rand::RngExt;

fn accepting() -> impl Iterator<Item = &'static Entry> {
    INDEPENDENT.iter().filter(|e| e.info.accepts.contains(&LabelKind::Categorical))
}

fn fit(m: &dyn AnyMethod, d: &Dataset) -> Fit {
    fit_any(m, d, "")
}

fn by_name(id: &str) -> Box<dyn AnyMethod> {
    crowdwise_methods::find(id).unwrap().default()
}

fn data(k: usize, rows: impl IntoIterator<Item = (usize, usize, usize)>) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..k).for_each(|c| _ = b.classes.intern(&format!("c{c}")));
    for (i, j, c) in rows {
        b.label(&format!("i{i}"), &format!("a{j}"), &format!("c{c}")).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

fn find<'a>(f: &'a Fit, code: &str) -> Option<&'a Finding> {
    f.findings.iter().find(|x| x.code == code)
}

// ---- what other programs do wrong

/// crowd-kit's KOS ends with an error when an item's score is exactly 0, as on `trec`.
#[test]
fn scores_of_exactly_zero_are_ties() {
    // the first item has one label for and one against by annotators who stand in the same place; both classes are as common
    let rows = (0..13).flat_map(|i| (0..2).map(move |j| (i, j, if i == 0 { j } else { i % 2 })));
    let d = data(2, rows);
    for e in accepting() {
        let f = fit(&*e.default(), &d);
        sound(&f, &d, "score 0");
        let (_, q) = f.posterior().unwrap();
        assert!((q[0] - 0.5).abs() < 0.05, "{}: {:?}", e.info.id, &q[..2]);
    }
    assert!((fit(&*by_name("kos"), &d).posterior().unwrap().1[0] - 0.5).abs() < 1e-12);
    let Some((d, gold)) = real_set("trec") else { return };
    for id in ["kos", "kos-svd", "mmsr", "spectral-svd", "sparse-spectral-svd"] {
        let f = fit(&*by_name(id), &d);
        sound(&f, &d, "trec");
        let right = accuracy(&f, gold.as_ref().unwrap());
        // worse than a coin here, as its page says: missing labels count as answers
        let least = if id == "kos-svd" { 0.45 } else { 0.5 };
        assert!(right > least, "{id} on trec: {right:.4}");
    }
}

/// Eight sources that vote one class each, half of the time on its items and sometimes on others; class of item i: i % 2.
fn one_class_sources() -> Dataset {
    let mut rng = stream(1, "collapse", 0);
    let mut rows = Vec::new();
    for i in 0..600 {
        let z = i % 2;
        rows.extend((0..8).filter(|j| rng.random_bool(if j % 2 == z { 0.5 } else { 0.1 })).map(|j| (i, j, j % 2)));
    }
    data(2, rows)
}

/// crowd-kit's MMSR gives NaN for every item of `ws_youtube`, whose sources say one class each.
#[test]
fn sources_of_one_class_give_no_nan() {
    let made = one_class_sources();
    for e in accepting() {
        sound(&fit(&*e.default(), &made), &made, "sources of one class");
    }
    let f = fit(&*by_name("mmsr"), &made);
    let (k, q) = f.posterior().unwrap();
    let item = |u: usize| made.table.items().name(u)[1..].parse::<usize>().unwrap();
    let right = q.chunks_exact(k).enumerate().filter(|(u, row)| crowdwise_core::stats::argmax(row) == item(*u) % 2);
    let share = right.count() as f64 / made.table.n_units() as f64;
    assert!(share > 0.8, "mmsr is right on {share:.3}");
    let Some((d, gold)) = real_set("ws_youtube") else { return };
    for e in accepting() {
        let f = fit(&*e.default(), &d);
        sound(&f, &d, "ws_youtube");
        eprintln!("{} on ws_youtube: {:.4}", e.info.id, accuracy(&f, gold.as_ref().unwrap()));
    }
    let f = fit(&*by_name("mmsr"), &d);
    assert!(accuracy(&f, gold.as_ref().unwrap()) > 0.6);
}

/// crowd-kit's KOS is as good as a coin on `rte` (0.50) and `temp` (0.57).
#[test]
fn kos_is_no_coin_where_workloads_are_unequal() {
    for set in ["rte", "temp"] {
        let Some((d, gold)) = real_set(set) else { return };
        let right = accuracy(&fit(&*by_name("kos"), &d), &gold.unwrap());
        eprintln!("kos on {set}: {right:.4}");
        assert!(right > 0.88, "{set}: {right}");
    }
}

/// Dawid-Skene and its kin give all items one class when sources vote one class each. Whoever does that says so.
#[test]
fn a_collapse_is_said() {
    let mut sets = vec![("made", one_class_sources())];
    for name in ["ws_youtube", "ws_hausa"] {
        sets.extend(real_set(name).map(|(d, _)| (name, d)));
    }
    for (name, d) in &sets {
        let vote = fit(&*by_name("majority-vote"), d);
        for e in accepting() {
            let f = fit(&*e.default(), d);
            let (k, q) = f.posterior().unwrap();
            let mut share = vec![0.0; k];
            q.chunks_exact(k).for_each(|row| share.iter_mut().zip(row).for_each(|(s, p)| *s += p));
            let largest = share.iter().copied().fold(0.0, f64::max) / share.iter().sum::<f64>();
            let (_, v) = vote.posterior().unwrap();
            let votes =
                (0..k).map(|c| v.iter().skip(c).step_by(k).sum::<f64>()).fold(0.0, f64::max) / d.table.n_units() as f64;
            if largest > votes + 0.25 {
                let said = ["class-collapsed", "class-drift", "one-class-sources"].map(|c| find(&f, c).is_some());
                eprintln!("{} on {name}: one class has {largest:.2}, votes {votes:.2}: {said:?}", e.info.id);
                assert!(said.contains(&true), "{} on {name}: {:?}", e.info.id, f.findings);
                let worst = f.findings.iter().map(|x| x.severity).max().unwrap();
                assert!(worst >= Severity::Warning, "{} on {name}", e.info.id);
            }
        }
    }
}

// ---- what is said of annotators and data, whatever the method

/// Ten good annotators, one who always says the same, one who draws, one who turns every answer round.
fn suspicious(k: usize) -> Dataset {
    let mut rng = stream(2, "suspicious", k as u64);
    let mut rows = Vec::new();
    for i in 0..400 {
        let z = rng.random_range(0..k);
        for j in 0..13 {
            let l = match j {
                10 => 0,
                11 => rng.random_range(0..k),
                12 => (z + 1) % k,
                _ if rng.random_bool(0.85) => z,
                _ => rng.random_range(0..k),
            };
            if j >= 10 || rng.random_bool(0.5) {
                rows.push((i, j, l));
            }
        }
    }
    data(k, rows)
}

/// Who cannot see what, and why.
const UNSEEN: &[(&[&str], &str, &str)] = &[
    (&["spammer-hammer", "ordinal", "mace"], "adversary", "the worst annotator that the model knows guesses"),
    (&["known-confusions"], "adversary", "it takes all annotators as they are given, and learns of nobody"),
    (&["known-confusions"], "spammer", "it takes all annotators as they are given, and learns of nobody"),
    (&["majority-vote"], "adversary", "one in thirteen votes is its own, and they make it right now and then"),
    (
        &["kos", "kos-svd", "sparse-spectral-svd", "centred-triplets", "cnmf-spa", "ordinal", "one-class-sources"],
        "spammer",
        "its labels have a part in a result that is far from certain, so that they tell something about it",
    ),
];

#[test]
fn suspicious_annotators_are_named_with_a_number_and_its_interval() {
    let mut missing = Vec::new();
    for k in [2, 4] {
        let d = suspicious(k);
        for e in accepting() {
            let f = fit(&*e.default(), &d);
            sound(&f, &d, "suspicious");
            for (code, who, number) in [
                ("near-constant", "a10", "favourite-share"),
                ("spammer", "a11", "spammer-score"),
                ("adversary", "a12", "accuracy"),
            ] {
                let said = f.findings.iter().find(|x| {
                    x.code == code && matches!(&x.subject, crowdwise_core::Subject::Annotator(a) if a == who)
                });
                let Some(said) = said else {
                    if !UNSEEN.iter().any(|(methods, what, _)| *what == code && methods.contains(&e.info.id)) {
                        missing.push(format!("{}: {k} classes: {who} is no {code}", e.info.id));
                    }
                    continue;
                };
                let s = said.statistic.as_ref().unwrap_or_else(|| panic!("{}: {code} without a number", e.info.id));
                assert_eq!((s.name.as_str(), s.n), (number, 400), "{}", e.info.id);
                assert!(s.interval[1] - s.interval[0] < 0.2 && s.interval[0] <= s.interval[1], "{}: {s:?}", e.info.id);
            }
            // nobody else is
            let others = f.findings.iter().filter(|x| matches!(&x.subject, crowdwise_core::Subject::Annotator(_)));
            let wrong: Vec<_> = others
                .filter(|x| !["a10", "a11", "a12"].iter().any(|w| format!("{:?}", x.subject).contains(w)))
                .collect();
            assert!(wrong.is_empty(), "{}: {wrong:?}", e.info.id);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn what_the_data_cannot_tell_is_said_by_every_method() {
    let two = data(2, (0..60).flat_map(|i| (0..2).map(move |j| (i, j, usize::from((i + j) % 3 == 0)))));
    let apart = data(
        3,
        (0..60).flat_map(|i| (0..3).map(move |j| (i, 3 * (i % 2) + j, (i + usize::from(j == 2 && i % 5 == 0)) % 3))),
    );
    let unused =
        data(3, (0..60).flat_map(|i| (0..4).map(move |j| (i, j, usize::from(i % 2 == 0 || (i + j) % 9 == 0)))));
    for e in accepting() {
        for (d, code) in [(&two, "weak-identifiability"), (&apart, "disconnected"), (&unused, "class-never-used")] {
            let f = fit(&*e.default(), d);
            assert!(find(&f, code).is_some(), "{}: no {code}: {:?}", e.info.id, f.findings);
        }
    }
}

/// Classes 0 and 1 of a fit exchanged, in the truth and in the matrices: what a bad start gives.
fn exchanged(f: &Fit) -> Fit {
    let mut f = f.clone();
    let Truth::Classes { k, posterior } = &mut f.truth else { panic!("classes wanted") };
    let k = *k;
    posterior.chunks_exact_mut(k).for_each(|row| row.swap(0, 1));
    match &mut f.annotators {
        Annotators::Confusion { matrix, .. } => {
            for own in matrix.chunks_exact_mut(k * k) {
                (0..k).for_each(|l| own.swap(l, k + l));
            }
        }
        other => panic!("matrices wanted, not {other:?}"),
    }
    f
}

#[test]
fn label_switching_is_said() {
    let mut rng = stream(3, "switching", 0);
    let mut rows = Vec::new();
    for i in 0..300 {
        let z = i % 3;
        rows.extend((0..6).map(|j| (i, j, if rng.random_bool(0.8) { z } else { rng.random_range(0..3) })));
    }
    let d = data(3, rows);
    let mut tried = 0;
    for e in accepting() {
        let f = fit(&*e.default(), &d);
        assert!(find(&f, "label-switching").is_none(), "{}: {:?}", e.info.id, f.findings);
        if matches!(f.annotators, Annotators::Confusion { .. }) {
            let said = questions::findings(&d, &exchanged(&f));
            let found = said.iter().find(|x| x.code == "label-switching");
            assert!(found.is_some_and(|x| x.severity == Severity::Problem), "{}: {said:?}", e.info.id);
            tried += 1;
        }
    }
    assert!(tried >= 5, "{tried} methods with matrices");
}

#[test]
fn every_page_says_when_the_vote_is_better() {
    for e in accepting().filter(|e| e.info.id != "majority-vote") {
        let page = e.info.doc.split("## Model").next().unwrap().replace("`majority-vote`", "majority vote");
        let words: Vec<&str> = page.split_whitespace().collect();
        let said = words.windows(3).any(|w| w[0] == "below" && w[1] == "majority" && w[2].starts_with("vote"));
        assert!(said, "the page of {} does not say when it falls below majority vote", e.info.id);
    }
}

#[test]
fn a_fit_tells_what_only_the_method_knows_and_a_review_the_rest() {
    let d = suspicious(3);
    let method = by_name("dawid-skene");
    let mut alone = method.fit(&d, &mut Context::new(0, 2)).unwrap();
    assert_eq!(alone.findings, [], "Dawid-Skene has nothing to add");
    let whole = fit(&*method, &d);
    assert!(find(&whole, "spammer").is_some(), "{:?}", whole.findings);
    questions::review(method.info(), &d, &mut alone);
    assert_eq!(alone, whole);
}
