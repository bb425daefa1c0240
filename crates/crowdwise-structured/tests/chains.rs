//! Sequences: golden numbers, recovery, tag schemes, odd and bad input.
#![allow(clippy::print_stdout)] // figures for the pages, and what was skipped

use crowdwise_contract::{check_valid, fit_with};
use crowdwise_core::questions::{TagSet, evaluate, span_scores};
use crowdwise_core::{
    AnyMethod, Context, Dataset, Features, Fit, Gold, LabelKind, Names, Structure, TableBuilder, stats, stream,
};
use crowdwise_structured::chains::{
    Aim, BayesSeq, Begin, CrfCrowd, Decode, Dependence, DsHmm, Emissions, Scheme, SeqMm, Start, Transitions,
};
use rand::RngExt;

#[path = "../../crowdwise-core/tests/support/sets.rs"]
mod sets;

/// Tokens in sequences of `length`, with rows (token, annotator, class name).
fn dataset<'a>(tokens: usize, length: usize, rows: impl IntoIterator<Item = (usize, usize, &'a str)>) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    (0..tokens).for_each(|n| {
        b.items.intern(&format!("s{}:{}", n / length, n % length));
    });
    for (n, j, class) in rows {
        b.label(&format!("s{}:{}", n / length, n % length), &format!("a{j}"), class).unwrap();
    }
    let mut d = Dataset::new(b.finish().unwrap());
    let chains = tokens.div_ceil(length);
    d.structure = Structure::Chains {
        starts: (0..chains).map(|c| (c * length) as u64).chain([tokens as u64]).collect(),
        names: (0..chains).map(|c| format!("s{c}")).collect::<Names>(),
    };
    d
}

fn fit(m: &dyn AnyMethod, d: &Dataset) -> Fit {
    fit_with(m, d, 0, 2)
}

/// Six sequences of seven tokens, four annotators, five tags: the table of the golden numbers.
const TAGS: [&str; 5] = ["O", "B-A", "I-A", "B-B", "I-B"];

fn golden_table() -> Dataset {
    let mut rows = Vec::new();
    for s in 0..6 {
        for t in 0..7 {
            let phase = (s + t) % 7;
            let z = if t == 0 && (phase == 2 || phase == 5) { 0 } else { [0, 1, 2, 0, 3, 4, 0][phase] };
            for m in 0..4 {
                let l = if (s * 5 + t * 3 + m * 7) % (3 + m) > 1 { z } else { (z + 1 + (s + t) % 3) % 5 };
                rows.push((s * 7 + t, m, TAGS[l]));
            }
        }
    }
    dataset(42, 7, rows)
}

/// Model probability of each tag, in the order of `TAGS`.
fn row(d: &Dataset, f: &Fit, u: usize) -> Vec<f64> {
    let (k, q) = f.model_posterior().unwrap();
    let classes = d.table.categorical().unwrap().classes;
    TAGS.iter().map(|t| q[u * k + classes.iter().position(|c| c == *t).unwrap()]).collect()
}

fn close(have: &[f64], want: &[f64], tolerance: f64) {
    have.iter().zip(want).for_each(|(a, b)| assert!((a - b).abs() < tolerance, "{have:?} and not {want:?}"));
}

/// The numbers are those of an independent numpy program for the same table: EM begun at the vote shares with smoothing 0.1 of
/// matrices, steps and starts, three E-steps.
#[test]
fn ds_hmm_gives_the_reference_numbers() {
    let d = golden_table();
    let m = DsHmm {
        max_iter: 3,
        tol: 0.0,
        emissions: Emissions::Full,
        alpha: 0.1,
        beta: 0.1,
        decode: Decode::Posterior,
        ..DsHmm::default()
    };
    let f = fit(&m, &d);
    close(&row(&d, &f, 3), &[0.0016230059, 0.998343754, 6.292e-07, 7.1469e-06, 2.54639e-05], 1e-9);
    close(&row(&d, &f, 9), &[0.9880248908, 0.0117765617, 1.41666e-05, 0.0001413147, 4.30662e-05], 1e-9);
    close(&row(&d, &f, 20), &[3.32185e-05, 0.0002610797, 1.101e-06, 7.6262e-06, 0.9996969746], 1e-9);
}

/// Numbers of an independent numpy program: prior counts 0.5 and 1 more on the diagonal, 0.1 for steps, begun at the vote
/// shares without their impossible steps, four iterations, tag scheme in the steps only.
#[test]
fn bayes_seq_gives_the_reference_numbers() {
    let d = golden_table();
    let strict = BayesSeq { scheme: Scheme::Strict, max_iter: 4, tol: 0.0, init: Begin::Votes, ..BayesSeq::default() };
    let f = fit(&strict, &d);
    let bound: Vec<f64> = f.diagnostics.trace.iter().map(|t| t.objective.unwrap()).collect();
    close(&[bound[0], bound[3]], &[-282.6977855792501, -246.70821219669654], 1e-6);
    close(&row(&d, &f, 3), &[0.0012910879, 0.9987089105, 0.0, 1.6e-09, 0.0], 1e-9);
    close(&row(&d, &f, 9), &[0.999645093, 0.000354907, 0.0, 0.0, 0.0], 1e-9);
    close(&row(&d, &f, 20), &[2.9228e-06, 0.9999860172, 1.7e-09, 1.0897e-05, 1.614e-07], 1e-9);
    let want = [
        0, 1, 0, 1, 3, 4, 0, 1, 2, 0, 3, 4, 0, 0, 3, 0, 3, 4, 1, 0, 1, 0, 3, 4, 0, 0, 1, 3, 3, 4, 0, 0, 1, 2, 0, 3, 0,
        0, 1, 3, 0, 3,
    ];
    let (k, q) = f.posterior().unwrap();
    let classes = d.table.categorical().unwrap().classes;
    for (u, tag) in want.into_iter().enumerate() {
        assert_eq!(classes.name(stats::argmax(&q[u * k..(u + 1) * k])), TAGS[tag], "token {u}");
    }
    // without the label before it is the variational hidden Markov model
    let f = fit(&BayesSeq { annotators: Dependence::Matrix, ..strict.clone() }, &d);
    let bound: Vec<f64> = f.diagnostics.trace.iter().map(|t| t.objective.unwrap()).collect();
    close(&[bound[0], bound[3]], &[-278.7458070883845, -253.72016225869706], 1e-6);
    close(&row(&d, &f, 9), &[0.9585169715, 0.0414830284, 0.0, 0.0, 0.0], 1e-9);
    // with the impossible steps of the vote shares
    let f = fit(&BayesSeq { scheme: Scheme::Repair, ..strict }, &d);
    let bound: Vec<f64> = f.diagnostics.trace.iter().map(|t| t.objective.unwrap()).collect();
    close(&[bound[0], bound[3]], &[-405.3975902599785, -359.07830611286], 1e-6);
    close(&row(&d, &f, 3), &[0.0031505022, 0.9967726315, 4.676e-07, 3.6865e-06, 7.27123e-05], 1e-8);
    close(&row(&d, &f, 20), &[1.31384e-05, 0.003920551, 3.7584e-06, 3.2778e-06, 0.9960592744], 1e-8);
    assert_eq!(illegal(&d, &f), 0);
    assert_eq!(f.diagnostics.details["repaired"], 6);
}

/// Four classes that stay with probability 0.85, sequences of 50, ten annotators who see 30 % of the tokens each.
struct World {
    data: Dataset,
    truth: Vec<usize>,
    /// Of each annotator, P(label | truth), row = truth.
    matrices: Vec<Vec<f64>>,
}

fn world(seed: u64) -> World {
    let (k, m, n) = (4, 10, 5000);
    let mut rng = stream(seed, "chains", 0);
    let matrices: Vec<Vec<f64>> = (0..m)
        .map(|_| {
            let mut c = Vec::new();
            for t in 0..k {
                let u: Vec<f64> = (0..k).map(|_| rng.random::<f64>()).collect();
                let sum: f64 = u.iter().sum();
                c.extend((0..k).map(|l| 0.65 * u[l] / sum + if l == t { 0.35 } else { 0.0 }));
            }
            c
        })
        .collect();
    let mut truth: Vec<usize> = Vec::new();
    for t in 0..n {
        let stays = t % 50 > 0 && rng.random_bool(0.8);
        truth.push(if stays { truth[t - 1] } else { rng.random_range(0..k) });
    }
    let names = ["0", "1", "2", "3"];
    let mut rows = Vec::new();
    for (t, &z) in truth.iter().enumerate() {
        for (j, c) in matrices.iter().enumerate() {
            if rng.random_bool(0.3) {
                let mut left = rng.random::<f64>();
                let l = (0..k - 1).find(|l| {
                    left -= c[z * k + l];
                    left < 0.0
                });
                rows.push((t, j, names[l.unwrap_or(k - 1)]));
            }
        }
    }
    World { data: dataset(n, 50, rows), truth, matrices }
}

fn error(f: &Fit, truth: &[usize]) -> f64 {
    let (k, q) = f.posterior().unwrap();
    let wrong = q.chunks_exact(k).zip(truth).filter(|(row, z)| stats::argmax(row) != **z).count();
    100.0 * wrong as f64 / truth.len() as f64
}

/// Largest error of the transition matrix in the details of a fit.
fn step_error(f: &Fit) -> f64 {
    let rows: Vec<Vec<f64>> = serde_json::from_value(f.diagnostics.details["transitions"].clone()).unwrap();
    let want = |i, j| if i == j { 0.85 } else { 0.05 };
    (0..16).map(|c| (rows[c / 4][c % 4] - want(c / 4, c % 4)).abs()).fold(0.0, f64::max)
}

/// Token errors with everything known but the truth.
fn oracle(w: &World) -> f64 {
    let codes = w.data.table.categorical().unwrap().codes;
    let number = |j: u32| w.data.table.annotators().name(j as usize)[1..].parse::<usize>().unwrap();
    let emission = |u: usize, z: usize| {
        let rows = w.data.table.rows(u);
        rows.map(|r| w.matrices[number(w.data.table.annotator()[r])][z * 4 + codes.get(r)]).product::<f64>()
    };
    let step = |i: usize, j: usize| if i == j { 0.85 } else { 0.05 };
    let scaled = |x: [f64; 4]| x.map(|v| v / x.iter().sum::<f64>());
    let mut wrong = 0;
    for c in 0..w.truth.len() / 50 {
        let first = c * 50;
        let mut forward = vec![[0.25; 4]; 50];
        for t in 0..50 {
            for j in 0..4 {
                let before = if t == 0 { 0.25 } else { (0..4).map(|i| forward[t - 1][i] * step(i, j)).sum() };
                forward[t][j] = before * emission(first + t, j);
            }
            forward[t] = scaled(forward[t]);
        }
        let mut back = [1.0; 4];
        for t in (0..50).rev() {
            let both: Vec<f64> = (0..4).map(|j| forward[t][j] * back[j]).collect();
            wrong += usize::from(stats::argmax(&both) != w.truth[first + t]);
            let next: [f64; 4] = std::array::from_fn(|j| emission(first + t, j) * back[j]);
            back = scaled(std::array::from_fn(|i| (0..4).map(|j| step(i, j) * next[j]).sum()));
        }
    }
    100.0 * wrong as f64 / w.truth.len() as f64
}

#[test]
fn chains_are_recovered() {
    let hmm = DsHmm { emissions: Emissions::Full, alpha: 0.01, decode: Decode::Posterior, ..DsHmm::default() };
    let methods: [(&str, Box<dyn AnyMethod>); 6] = [
        ("majority vote", Box::new(crowdwise_methods::voting::MajorityVote::default())),
        ("dawid-skene", Box::new(crowdwise_methods::confusion::DawidSkene::default())),
        ("seq-mm", Box::new(SeqMm::default())),
        ("ds-hmm from votes", Box::new(hmm.clone())),
        ("ds-hmm from seq-mm", Box::new(DsHmm { init: Start::SeqMm, ..hmm.clone() })),
        ("ds-hmm, viterbi", Box::new(DsHmm { decode: Decode::Viterbi, ..hmm })),
    ];
    let seeds = 16;
    let mut mean = [0.0; 6];
    let mut steps = [0.0; 6];
    let mut best = 0.0;
    for seed in 0..seeds {
        let w = world(seed);
        best += oracle(&w) / seeds as f64;
        for (at, (_, m)) in methods.iter().enumerate() {
            let f = fit(&**m, &w.data);
            mean[at] += error(&f, &w.truth) / seeds as f64;
            if at >= 2 {
                steps[at] += step_error(&f) / seeds as f64;
            }
        }
    }
    println!("token errors {mean:.2?}, oracle {best:.2}, errors of the steps {steps:.3?}");
    let [votes, alone, moments, em, em_from_moments, path] = mean;
    assert!((votes - 42.1).abs() < 3.0 && (alone - 35.7).abs() < 3.0, "{mean:?}");
    assert!((best - 13.2).abs() < 1.0 && em - best < 1.2 && em_from_moments - best < 1.2, "{mean:?}, oracle {best}");
    assert!((em - 13.9).abs() < 1.0 && (em_from_moments - 13.9).abs() < 1.0, "{mean:?}");
    assert!((moments - 15.9).abs() < 1.5 && (path - 14.6).abs() < 1.0, "{mean:?}");
    assert!(steps[2] <= 0.1 && steps[3] <= 0.05, "{steps:?}");
}

#[test]
fn even_steps_are_dawid_skene_with_even_shares() {
    use crowdwise_methods::confusion::{ClassPrior, ConfusionVector, DawidSkene, OneCoin};
    let d = world(9).data;
    let hmm = |emissions| DsHmm {
        emissions,
        transitions: Transitions::Uniform,
        alpha: 0.01,
        tol: 1e-8,
        max_iter: 2000,
        decode: Decode::Posterior,
        ..DsHmm::default()
    };
    let (class_prior, tol, max_iter) = (ClassPrior::Uniform, 1e-9, 5000);
    let pairs: [(Emissions, Box<dyn AnyMethod>); 3] = [
        (Emissions::Full, Box::new(DawidSkene { class_prior, tol, max_iter, ..DawidSkene::default() })),
        (Emissions::Vector, Box::new(ConfusionVector { class_prior, tol, max_iter, ..ConfusionVector::default() })),
        (Emissions::OneCoin, Box::new(OneCoin { class_prior, tol, max_iter, ..OneCoin::default() })),
    ];
    for (emissions, other) in pairs {
        let (a, b) = (fit(&hmm(emissions), &d), fit(&*other, &d));
        let far = crowdwise_contract::worst(a.model_posterior().unwrap().1, b.posterior().unwrap().1);
        assert!(far < 1e-4, "{emissions:?}: {far}");
    }
}

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

fn illegal(d: &Dataset, f: &Fit) -> usize {
    let set = TagSet::read(d.table.categorical().unwrap().classes.iter(), "x").unwrap().unwrap();
    let Structure::Chains { starts, .. } = &d.structure else { unreachable!() };
    let (k, q) = f.posterior().unwrap();
    let class = |u: usize| stats::argmax(&q[u * k..(u + 1) * k]);
    let steps = (0..d.table.n_units()).map(|u| {
        let first = starts.contains(&(u as u64));
        set.legal((!first).then(|| class(u - 1)), class(u))
    });
    steps.filter(|legal| !legal).count()
}

#[test]
fn impossible_tags_are_never_answered() {
    for seed in 0..5 {
        let d = tagged(seed);
        let tokens = fit(&crowdwise_methods::confusion::DawidSkene::default(), &d);
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

/// The shared set with its numbers turned into tags.
fn ner() -> Option<(Dataset, Gold)> {
    use crowdwise_io::{ReadOptions, Source, read_answers, read_truth};
    let dir = sets::data_dir().join("ner_mturk");
    if !dir.join("answers.csv.gz").exists() {
        println!("SKIPPED: no dataset ner_mturk in {} (set CROWDWISE_DATA)", dir.display());
        return None;
    }
    let names = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-MISC", "I-MISC"];
    let read = read_answers(&Source::Path(dir.join("answers.csv.gz")), &ReadOptions::default()).unwrap().value;
    let truth =
        read_truth(&Source::Path(dir.join("truth.csv.gz")), &read.table, &ReadOptions::default()).unwrap().value;
    let labels = read.table.categorical().unwrap();
    let tag = |c: usize| names[labels.classes.name(c).parse::<usize>().unwrap()];
    let mut b = TableBuilder::new(LabelKind::Categorical);
    read.table.items().iter().for_each(|i| {
        b.items.intern(i);
    });
    for u in 0..read.table.n_units() {
        for r in read.table.rows(u) {
            let j = read.table.annotator()[r] as usize;
            b.label(read.table.items().name(u), read.table.annotators().name(j), tag(labels.codes.get(r))).unwrap();
        }
    }
    let mut d = Dataset::new(b.finish().unwrap());
    d.structure = read.structure.clone();
    let known: Vec<(String, String)> = truth
        .classes(read.table.n_units())
        .iter()
        .enumerate()
        .filter_map(|(u, c)| Some((read.table.items().name(u).to_owned(), tag((*c)? as usize).to_owned())))
        .collect();
    let gold = Gold::from_items(&d.table, &known, "truth").unwrap();
    Some((d, gold))
}

#[test]
fn spans_of_ner_mturk() {
    let Some((d, gold)) = ner() else { return };
    let methods: [(Box<dyn AnyMethod>, f64, f64); 6] = [
        // ties go to the first class by name, which is never `O`; given to `O` they make 0.626
        (Box::new(crowdwise_methods::voting::MajorityVote::default()), 0.674, 0.002),
        (Box::new(crowdwise_methods::confusion::DawidSkene::default()), 0.727, 0.005),
        (Box::new(DsHmm::default()), 0.717, 0.01),
        (Box::new(DsHmm { emissions: Emissions::Full, ..DsHmm::default() }), 0.71, 0.02),
        (Box::new(BayesSeq { scheme: Scheme::Strict, ..BayesSeq::default() }), 0.757, 0.005),
        (Box::new(BayesSeq::default()), 0.771, 0.004),
    ];
    let mut last = 0.0;
    for (m, want, tolerance) in methods {
        let f = fit(&*m, &d);
        let s = span_scores(&f, &d, &gold).unwrap();
        println!(
            "{}: P {:.3} R {:.3} F1 {:.4}, partial {:.3}, {} iterations",
            m.info().id,
            s.strict.precision,
            s.strict.recall,
            s.strict.f1,
            s.partial.f1,
            f.diagnostics.iterations
        );
        assert!((s.strict.f1 - want).abs() < tolerance, "{}: {}", m.info().id, s.strict.f1);
        assert_eq!(evaluate(&f, &d, &gold).spans.unwrap().strict, s.strict);
        if m.info().id == "bayes-seq" {
            println!("repaired {}", f.diagnostics.details["repaired"]);
            assert_eq!(illegal(&d, &f), 0);
        }
        last = s.strict.f1;
    }
    assert!(last >= 0.765, "bayes-seq: {last}");
}

/// Tagged sequences with noisy one-hot features; annotator 3 guesses, and the last 20 sequences have no label.
fn featured(annotators: usize) -> (Dataset, Vec<usize>) {
    let mut rng = stream(8, "featured", 0);
    let (mut rows, mut values, mut truth) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..1200 {
        let z = [0, 0, 1, 2, 2, 0, 3, 4, 0, 3][n % 10];
        truth.push(z);
        let shown = if rng.random_bool(0.75) { z } else { rng.random_range(0..5) };
        values.extend((0..5).map(|c| if c == shown { 1.0 } else { 0.0 }));
        for j in 0..annotators {
            let right = if j == 3 { 0.2 } else { 0.7 };
            let l = if rng.random_bool(right) { z } else { rng.random_range(0..5) };
            if n < 1000 {
                rows.push((n, j, TAGS[l]));
            }
        }
    }
    let mut d = dataset(1200, 10, rows);
    d.features = Some(Features { dim: 5, values, image: None });
    (d, truth)
}

#[test]
fn a_field_tags_what_nobody_labelled() {
    let (d, truth) = featured(4);
    let classes = d.table.categorical().unwrap().classes;
    for targets in [Aim::BayesSeq, Aim::DawidSkene, Aim::Votes, Aim::Mixture] {
        let f = fit(&CrfCrowd { targets, ..CrfCrowd::default() }, &d);
        check_valid(&f, &d, "featured");
        let (k, q) = f.posterior().unwrap();
        let right = |u: usize| classes.name(stats::argmax(&q[u * k..(u + 1) * k])) == TAGS[truth[u]];
        let share = (1000..1200).filter(|&u| right(u)).count() as f64 / 200.0;
        println!("{targets:?}: {share:.3} of the tokens of sequences without labels");
        // the features alone are right on 0.8 of the tokens
        assert!(share > 0.82, "{targets:?}: {share}");
        assert_eq!(illegal(&d, &f), 0);
        if targets == Aim::Mixture {
            let trust: Vec<f64> = serde_json::from_value(f.diagnostics.details["trust"].clone()).unwrap();
            assert!(trust[3] < 0.5 * trust[0], "{trust:?}");
        }
    }
}

#[test]
fn a_mixture_of_one_is_the_plain_field() {
    let (d, _) = featured(1);
    let crf = |targets| CrfCrowd { targets, inner_iter: 500, tol: 1e-7, ..CrfCrowd::default() };
    let (a, b) = (fit(&crf(Aim::Mixture), &d), fit(&crf(Aim::Votes), &d));
    let far = crowdwise_contract::worst(a.model_posterior().unwrap().1, b.model_posterior().unwrap().1);
    assert!(far < 1e-4, "{far}");
}

#[test]
fn a_field_says_what_it_lacks() {
    let (mut d, _) = featured(2);
    d.features.as_mut().unwrap().values.truncate(500);
    let refused = |d: &Dataset, m: &CrfCrowd| AnyMethod::fit(m, d, &mut Context::default()).unwrap_err().to_string();
    assert!(refused(&d, &CrfCrowd::default()).contains("100 rows of features for 1200 tokens"));
    let mut sparse = dataset(4, 2, [(0, 0, "O"), (3, 1, "B-A")]);
    sparse.features = Some(Features { dim: 1, values: vec![0.0; 4], image: None });
    let mixture = CrfCrowd { targets: Aim::Mixture, ..CrfCrowd::default() };
    assert!(refused(&sparse, &mixture).contains("no annotator labelled a sequence from beginning to end"));
}
