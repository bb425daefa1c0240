//! The default method: sequences, graphs, and what comes beside the labels.

use crowdwise_contract as contract;
use crowdwise_core::{
    AnyMethod, Context, Dataset, Features, Fit, Gold, LabelKind, Probabilities, Structure, TableBuilder, stats, stream,
};
use crowdwise_methods::auto::Auto;
use crowdwise_methods::classes::groups::{Dependence, DependentCrowd};
use rand::RngExt;

fn fit(data: &Dataset) -> Fit {
    crowdwise_core::questions::reviewed(&Auto::default(), data, &mut Context::new(0, 2)).unwrap()
}

fn labels(f: &Fit) -> Vec<usize> {
    let (k, q) = f.posterior().unwrap();
    q.chunks_exact(k).map(stats::argmax).collect()
}

fn used(f: &Fit) -> &str {
    f.diagnostics.details["used"][0].as_str().unwrap()
}

fn why(f: &Fit) -> &str {
    &f.findings.iter().find(|f| f.code == "chosen").expect("the choice is told").message
}

/// Sequences of labels by sequence, annotator and token; `None` is a sequence that the annotator did not see.
struct Corpus {
    truth: Vec<Vec<&'static str>>,
    said: Vec<Vec<Option<Vec<&'static str>>>>,
}

impl Corpus {
    /// `turned` turns the rows of the file round, which changes nothing but the order in which names are met.
    fn data(&self, turned: bool) -> Dataset {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        let (mut starts, mut at) = (vec![0u64], 0u64);
        for (s, tokens) in self.truth.iter().enumerate() {
            (0..tokens.len()).for_each(|n| _ = b.items.intern(&format!("s{s}:{n}")));
            at += tokens.len() as u64;
            starts.push(at);
        }
        let mut rows = Vec::new();
        for (s, all) in self.said.iter().enumerate() {
            for (j, own) in all.iter().enumerate() {
                for (n, label) in own.iter().flatten().enumerate() {
                    rows.push((format!("s{s}:{n}"), format!("a{j}"), *label));
                }
            }
        }
        if turned {
            rows.reverse();
        }
        rows.iter().for_each(|(i, a, l)| b.label(i, a, l).unwrap());
        let mut data = Dataset::new(b.finish().unwrap());
        let names = (0..self.truth.len()).map(|s| format!("s{s}")).collect();
        data.structure = Structure::Chains { starts, names };
        data
    }

    fn accuracy(&self, data: &Dataset, f: &Fit) -> f64 {
        let classes = data.table.categorical().unwrap().classes;
        let found = labels(f);
        let truth: Vec<&str> = self.truth.iter().flatten().copied().collect();
        // where a span begins is a matter of edges
        let kind = |tag: &str| tag.trim_start_matches("B-").trim_start_matches("I-").to_owned();
        let right = found.iter().zip(&truth).filter(|(c, t)| kind(classes.name(**c)) == kind(t)).count();
        right as f64 / truth.len() as f64
    }
}

/// States that last five tokens on average, and annotators who err on every token anew: what neighbours say helps.
fn states() -> Corpus {
    const NAMES: [&str; 4] = ["w", "x", "y", "z"];
    let mut rng = stream(3, "states", 0);
    let skill: Vec<f64> = (0..8).map(|_| rng.random_range(0.4..0.6)).collect();
    let (mut truth, mut said) = (Vec::new(), Vec::new());
    for _ in 0..80 {
        let mut z = rng.random_range(0..4);
        let mut own = Vec::new();
        for _ in 0..40 {
            if rng.random_bool(0.2) {
                z = rng.random_range(0..4);
            }
            own.push(z);
        }
        let all = skill.iter().map(|&p| {
            let say = |rng: &mut rand_chacha::ChaCha8Rng, z: usize| {
                NAMES[if rng.random_bool(p) { z } else { rng.random_range(0..4) }]
            };
            rng.random_bool(0.5).then(|| own.iter().map(|&z| say(&mut rng, z)).collect())
        });
        said.push(all.collect());
        truth.push(own.iter().map(|&z| NAMES[z]).collect());
    }
    Corpus { truth, said }
}

/// Tags of spans `from..to`.
fn tags(n: usize, spans: &[(usize, usize)]) -> Vec<&'static str> {
    let mut out = vec!["O"; n];
    for &(from, to) in spans {
        out[from..to].fill("I-X");
        out[from] = "B-X";
    }
    out
}

/// Spans of a length between `length`, which annotators miss as a whole, and whose edges they move by up to `edge` tokens.
fn spans(sequences: usize, tokens: usize, length: (usize, usize), edge: usize) -> Corpus {
    let mut rng = stream(5, "spans", length.1 as u64);
    let miss: Vec<f64> = (0..10).map(|j| 0.2 + 0.05 * f64::from(j)).collect();
    let (mut truth, mut said) = (Vec::new(), Vec::new());
    for _ in 0..sequences {
        let (mut own, mut at) = (Vec::new(), rng.random_range(2..length.1 + 2));
        loop {
            let to = at + rng.random_range(length.0..=length.1);
            if to + edge + 2 > tokens {
                break;
            }
            own.push((at, to));
            at = to + edge + 2 + rng.random_range(0..length.1 + 2);
        }
        let all = miss.iter().map(|&p| {
            rng.random_bool(0.5).then(|| {
                let mut mine = Vec::new();
                for &(a, b) in &own {
                    if rng.random_bool(1.0 - p) {
                        let a = (a + rng.random_range(0..=2 * edge)).saturating_sub(edge);
                        let b = (b + rng.random_range(0..=2 * edge)).saturating_sub(edge).clamp(a + 1, tokens);
                        mine.push((a, b));
                    }
                }
                tags(tokens, &mine)
            })
        });
        said.push(all.collect());
        truth.push(tags(tokens, &own));
    }
    Corpus { truth, said }
}

#[test]
fn a_sequence_model_is_used_where_it_predicts_hidden_labels_better() {
    let corpus = states();
    let data = corpus.data(false);
    let f = fit(&data);
    assert_eq!(used(&f), "bayes-seq", "{}", why(&f));
    assert!(why(&f).contains("predicts hidden labels better"), "{}", why(&f));
    let scores = &f.diagnostics.details["hidden_label_loss"];
    assert!(scores["bayes-seq"].as_f64() < scores["dawid-skene"].as_f64(), "{scores}");
    let alone = crowdwise_methods::find("dawid-skene").unwrap().default().fit(&data, &mut Context::new(0, 2)).unwrap();
    let (ours, theirs) = (corpus.accuracy(&data, &f), corpus.accuracy(&data, &alone));
    assert!(ours > theirs + 0.05, "{ours} {theirs}");
}

#[test]
fn tokens_of_a_long_vague_span_are_not_witnesses_each() {
    let corpus = spans(30, 150, (20, 50), 6);
    let data = corpus.data(false);
    let f = fit(&data);
    assert_eq!(used(&f), "dawid-skene", "{}", why(&f));
    assert!(why(&f).contains("tokens carry as much evidence as one"), "{}", why(&f));
    let votes =
        crowdwise_methods::find("majority-vote").unwrap().default().fit(&data, &mut Context::new(0, 2)).unwrap();
    let (ours, theirs) = (corpus.accuracy(&data, &f), corpus.accuracy(&data, &votes));
    assert!(ours > theirs, "{ours} {theirs}");
}

/// Tags that no sequence can have: `I-X` at a start or after `O`.
fn impossible(data: &Dataset, found: &[usize]) -> usize {
    let Structure::Chains { starts, .. } = &data.structure else { panic!() };
    let classes = data.table.categorical().unwrap().classes;
    let wrong = |u: usize| {
        let start = starts.contains(&(u as u64));
        classes.name(found[u]).starts_with("I-") && (start || classes.name(found[u - 1]) == "O")
    };
    (0..found.len()).filter(|&u| wrong(u)).count()
}

#[test]
fn the_answer_is_never_an_impossible_sequence_and_votes_are_never_advised() {
    for (n, corpus) in [spans(60, 30, (1, 3), 1), spans(20, 120, (15, 40), 8)].iter().enumerate() {
        let data = corpus.data(false);
        let tokens = crowdwise_methods::find("dawid-skene").unwrap().default();
        let plain = tokens.fit(&data, &mut Context::new(0, 2)).unwrap();
        let f = fit(&data);
        assert_eq!(impossible(&data, &labels(&f)), 0, "{}", why(&f));
        let advice: Vec<String> = f.findings.iter().map(|f| f.advice.to_string()).collect();
        assert!(
            !advice.iter().any(|a| a.contains("majority-vote")) && !why(&f).contains("majority vote"),
            "{advice:?}"
        );
        // what the check is worth: token by token some would be impossible
        assert!(n == 0 || impossible(&data, &labels(&plain)) > 0);
    }
}

#[test]
fn two_annotators_of_sequences_still_give_a_possible_one() {
    let mut corpus = spans(10, 30, (2, 4), 1);
    corpus.said.iter_mut().for_each(|s| s.truncate(2));
    let data = corpus.data(false);
    let f = fit(&data);
    assert_eq!((used(&f), impossible(&data, &labels(&f))), ("majority-vote", 0));
}

#[test]
fn the_choice_does_not_depend_on_the_order_of_the_rows() {
    for corpus in [states(), spans(40, 30, (1, 3), 1)] {
        let (a, b) = (corpus.data(false), corpus.data(true));
        let (f, g) = (fit(&a), fit(&b));
        assert_eq!(used(&f), used(&g));
        let names = |d: &Dataset, f: &Fit| -> Vec<String> {
            let classes = d.table.categorical().unwrap().classes;
            labels(f).iter().map(|&c| classes.name(c).to_owned()).collect()
        };
        assert_eq!(names(&a, &f), names(&b, &g));
    }
}

/// Independent items of three classes, five annotators.
fn crowd() -> Dataset {
    let mut rng = stream(7, "crowd", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..60 {
        let z = i / 20;
        for j in 0..5 {
            let l = if rng.random_bool(0.7) { z } else { rng.random_range(0..3) };
            b.label(&format!("i{i}"), &format!("a{j}"), &l.to_string()).unwrap();
        }
    }
    Dataset::new(b.finish().unwrap())
}

fn sure_classifier() -> Probabilities {
    let rows = (0..60).flat_map(|i| (0..3).map(move |c| if c == i / 20 { 0.9 } else { 0.05 })).collect();
    Probabilities::new(3, rows, "p.csv").unwrap()
}

#[test]
fn what_comes_beside_the_labels_is_used() {
    let plain = fit(&crowd());
    let mut data = crowd();
    data.probabilities = Some(sure_classifier());
    let f = fit(&data);
    assert!(used(&f) == "crowdlab" && why(&f).contains("classifier"), "{}", why(&f));
    assert_ne!(f.truth, plain.truth);
    // known classes stay as they are known, though votes and classifier say otherwise
    let known = [("i0".to_owned(), "2".to_owned())];
    let gold = Gold::from_items(&data.table, &known, "gold.csv").unwrap();
    let f = fit(&data.with_gold(gold));
    assert_eq!((used(&f), labels(&f)[0]), ("crowdlab", 2));
    let mut data = crowd();
    data.structure = Structure::Graph((1..60).map(|i| [i - 1, i]).collect());
    let f = fit(&data);
    assert!(used(&f) == "ds-mrf" && why(&f).contains("neighbours"), "{}", why(&f));
    assert_ne!(f.truth, plain.truth);
}

#[test]
fn what_cannot_be_used_is_refused_with_the_reason() {
    let refused = |change: &dyn Fn(&mut Dataset), hint: &str| {
        let mut data = crowd();
        change(&mut data);
        let e = AnyMethod::fit(&Auto::default(), &data, &mut Context::default()).unwrap_err();
        assert_eq!(e.code(), "unsupported");
        assert!(e.hint().unwrap().contains(hint), "{e} {:?}", e.hint());
    };
    let chains =
        || Structure::Chains { starts: vec![0, 30, 60], names: ["s", "t"].map(String::from).into_iter().collect() };
    refused(&|d| d.features = Some(Features { dim: 1, values: vec![0.0; 60], image: None }), "crowdwise learn");
    refused(&|d| (d.probabilities, d.structure) = (Some(sure_classifier()), chains()), "leave `--probabilities` out");
    let graph = || Structure::Graph(vec![[0, 1]]);
    refused(&|d| (d.probabilities, d.structure) = (Some(sure_classifier()), graph()), "leave one of them out");
}

/// Where everybody belongs to one of three families with views of their own, families are weighed; nowhere else.
#[test]
fn families_are_weighed_instead_of_heads() {
    let right = |f: &Fit, truth: &[usize]| {
        labels(f).iter().zip(truth).filter(|(a, b)| a == b).count() as f64 / truth.len() as f64
    };
    let panel =
        |dependence| DependentCrowd { dependence, items: 600, annotators: 12, classes: 4, accuracy: 0.75, share: 1.0 };
    let (mut ours, mut heads) = (0.0, 0.0);
    for seed in 0..3 {
        let drawn = panel(Dependence::Families(0.7)).draw(seed).unwrap();
        let f = fit(&drawn.data);
        assert_eq!(used(&f), "group-aware-em", "{}", why(&f));
        assert!(why(&f).contains("one of 3 families"), "{}", why(&f));
        ours += right(&f, &drawn.truth) / 3.0;
        let each = crowdwise_methods::classes::pooled::PooledDawidSkene::default();
        heads += right(&AnyMethod::fit(&each, &drawn.data, &mut Context::new(0, 2)).unwrap(), &drawn.truth) / 3.0;
        for other in [Dependence::None, Dependence::Difficulty, Dependence::Copies(0.9), Dependence::Schools(0.8)] {
            let f = fit(&panel(other).draw(seed).unwrap().data);
            assert_ne!(used(&f), "group-aware-em", "{other:?}: {}", why(&f));
        }
    }
    assert!(ours > heads + 0.01, "families {ours:.3}, heads {heads:.3}");
}

#[test]
fn the_contract_holds_on_sequences() {
    let auto = *crowdwise_methods::find("auto").unwrap();
    let list = std::slice::from_ref(&auto);
    let chains = |_: &crowdwise_core::Entry, kind: LabelKind| match kind {
        LabelKind::Categorical => spans(12, 30, (1, 3), 1).data(false),
        other => contract_sample(other),
    };
    contract::fits_are_valid(list, chains);
    contract::same_bits_on_any_threads(list, chains);
    contract::cancelled_runs_give_what_is_there(list, chains);
    contract::bad_parameters_are_named(list, &[]);
}

/// Real values and comparisons, which `auto` takes as well.
fn contract_sample(kind: LabelKind) -> Dataset {
    let mut rng = stream(9, "sample", 0);
    let mut b = TableBuilder::new(kind);
    for i in 0..40 {
        for j in 0..4 {
            let (item, who) = (format!("i{i}"), format!("a{j}"));
            if kind == LabelKind::Real {
                b.value(&item, &who, f64::from(i) + rng.random_range(-1.0..1.0));
            } else {
                let left = rng.random_bool(0.7);
                let said = if left { crowdwise_core::Preference::Left } else { crowdwise_core::Preference::Right };
                b.preference(&item, &format!("i{}", (i + 1 + j) % 40), &who, said);
            }
        }
    }
    Dataset::new(b.finish().unwrap())
}
