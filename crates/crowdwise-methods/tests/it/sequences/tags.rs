//! Tag schemes, gold, odd and bad input.

use super::common::{TAGS, dataset, fit, golden_table, illegal};
use crowdwise_contract::check_valid;
use crowdwise_core::{AnyMethod, Context, Dataset, Gold, Structure, stream};
use crowdwise_methods::sequences::{BayesSeq, Begin, Decode, Dependence, DsHmm, Emissions, Scheme, SeqMm, Start};
use rand::RngExt;

/// Spans of two types marked by annotators of whom some give impossible tags.
fn tagged(seed: u64) -> Dataset {
    let mut rng = stream(seed, "tagged", 0);
    let mut rows = Vec::new();
    for n in 0..600 {
        let z = [0, 0, 1, 2, 2, 0, 3, 4, 0, 3][n % 10];
        for j in 0..4 {
            if rng.random_bool(0.8) {
                let l = if rng.random_bool(0.55) { z } else { rng.random_range(0..5) };
                rows.push((n, j, TAGS[l]));
            }
        }
    }
    dataset(600, 10, rows)
}

#[test]
fn impossible_tags_are_never_answered() {
    for seed in 0..5 {
        let d = tagged(seed);
        let tokens = fit(&crowdwise_methods::classes::confusion::DawidSkene::default(), &d);
        assert!(illegal(&d, &tokens) > 0, "the data is too easy to show anything");
        for decode in [Decode::Viterbi, Decode::Posterior] {
            let methods: [Box<dyn AnyMethod>; 6] = [
                Box::new(BayesSeq { decode, ..BayesSeq::default() }),
                Box::new(BayesSeq { decode, scheme: Scheme::Strict, ..BayesSeq::default() }),
                Box::new(BayesSeq { decode, annotators: Dependence::Matrix, ..BayesSeq::default() }),
                Box::new(DsHmm { decode, ..DsHmm::default() }),
                Box::new(DsHmm { decode, emissions: Emissions::Full, ..DsHmm::default() }),
                Box::new(SeqMm { decode, ..SeqMm::default() }),
            ];
            for m in methods {
                let f = fit(&*m, &d);
                check_valid(&f, &d, "tags");
                assert_eq!(illegal(&d, &f), 0, "{} {decode:?}", m.info().id);
            }
        }
    }
}

#[test]
fn gold_is_kept_even_against_the_scheme() {
    let d = tagged(3);
    let known: Vec<(String, String)> = [(0, "I-A"), (1, "I-B"), (17, "B-A"), (18, "I-B"), (300, "O")]
        .map(|(n, t): (usize, &str)| (format!("s{}:{}", n / 10, n % 10), t.to_owned()))
        .to_vec();
    let gold = Gold::from_items(&d.table, &known, "gold").unwrap();
    let d = d.with_gold(gold);
    let classes = d.table.categorical().unwrap().classes;
    let methods: [Box<dyn AnyMethod>; 4] = [
        Box::new(BayesSeq::default()),
        Box::new(BayesSeq { decode: Decode::Posterior, scheme: Scheme::Strict, ..BayesSeq::default() }),
        Box::new(DsHmm::default()),
        Box::new(SeqMm::default()),
    ];
    for m in methods {
        let f = fit(&*m, &d);
        check_valid(&f, &d, "gold");
        let (k, q) = f.posterior().unwrap();
        for (item, class) in &known {
            let u = d.table.items().iter().position(|i| i == item).unwrap();
            let c = classes.iter().position(|n| n == class).unwrap();
            assert!(q[u * k + c] > 1.0 - 1e-9, "{}: {item}: {:?}", m.info().id, &q[u * k..(u + 1) * k]);
        }
    }
}

#[test]
fn odd_sequences_are_no_reason_to_fail() {
    let mut unlabelled = tagged(1);
    unlabelled.table.add_items(["nobody", "no one"]); // behind the last sequence
    let mut unseen = tagged(2);
    unseen.table.add_classes(["B-C"]);
    let names: Vec<String> = (0..50).map(|c| format!("c{c:02}")).collect();
    let many: Vec<(usize, usize, &str)> = (0..300)
        .flat_map(|n| (0..2).map(move |j| (n, j, (n * 7 + j * 3) % 50)))
        .map(|(n, j, c)| (n, j, names[c].as_str()))
        .collect();
    let mut empty = dataset(4, 2, [(0, 0, "x"), (1, 1, "y"), (2, 0, "y"), (3, 1, "x")]);
    empty.structure = Structure::Chains { starts: vec![0, 2, 2, 4], names: ["a", "b", "c"].into_iter().collect() };
    let crowd: Vec<(usize, usize, &str)> = (0..4000).map(|n| (n / 2, n, if n % 3 == 0 { "p" } else { "q" })).collect();
    let odd = [
        ("one token", dataset(1, 1, [(0, 0, "O")])),
        ("one class", dataset(4, 2, [(0, 0, "x"), (1, 0, "x"), (3, 1, "x")])),
        ("sequences of one token", dataset(5, 1, (0..5).map(|n| (n, n % 2, if n > 2 { "x" } else { "y" })))),
        ("one long sequence", dataset(5000, 5000, (0..5000).map(|n| (n, n % 3, if n % 40 < 20 { "x" } else { "y" })))),
        ("hardly any label", dataset(1000, 100, [(0, 0, "x"), (999, 1, "y")])),
        ("repeated labels", dataset(2, 2, [(0, 0, "x"), (0, 0, "y"), (0, 0, "x"), (1, 0, "y"), (1, 0, "y")])),
        ("items behind the sequences", unlabelled),
        ("a class nobody used", unseen),
        ("fifty classes", dataset(300, 30, many)),
        ("a sequence without tokens", empty),
        ("annotators with one label", dataset(2000, 50, crowd)),
    ];
    let methods: [Box<dyn AnyMethod>; 7] = [
        Box::new(BayesSeq::default()),
        Box::new(BayesSeq { annotators: Dependence::Matrix, init: Begin::Votes, ..BayesSeq::default() }),
        Box::new(DsHmm::default()),
        Box::new(DsHmm { alpha: 0.0, beta: 0.0, emissions: Emissions::Full, ..DsHmm::default() }),
        Box::new(DsHmm { alpha: 0.0, beta: 0.0, emissions: Emissions::OneCoin, ..DsHmm::default() }),
        Box::new(DsHmm { init: Start::SeqMm, temper: 0.5, ..DsHmm::default() }),
        Box::new(SeqMm::default()),
    ];
    for (what, d) in &odd {
        for m in &methods {
            check_valid(&fit(&**m, d), d, what);
        }
    }
}

#[test]
fn what_is_no_sequence_and_unknown_tags_are_refused_by_name() {
    let mut alone = golden_table();
    alone.structure = Structure::Independent;
    let strange = dataset(4, 2, [(0, 0, "O"), (1, 0, "B-A"), (2, 0, "X-A"), (3, 1, "I-A")]);
    let headless = dataset(4, 2, [(0, 0, "O"), (1, 0, "B-A"), (2, 0, "I-C"), (3, 1, "I-A")]);
    let mut broken = golden_table();
    broken.structure = Structure::Chains { starts: vec![0, 30, 20, 42], names: ["a", "b", "c"].into_iter().collect() };
    let methods: [Box<dyn AnyMethod>; 3] =
        [Box::new(BayesSeq::default()), Box::new(DsHmm::default()), Box::new(SeqMm::default())];
    for m in methods {
        let refused = |d: &Dataset| m.fit(d, &mut Context::default()).unwrap_err();
        let e = refused(&alone);
        assert!(e.to_string().contains(m.info().id) && e.hint().unwrap().contains("`position`"), "{e}");
        assert!(refused(&strange).to_string().contains("`X-A`"));
        assert!(refused(&headless).to_string().contains("`C`"));
        assert_eq!(refused(&broken).code(), "bad-data");
    }
}
