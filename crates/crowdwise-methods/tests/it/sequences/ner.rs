//! The shared set of news with entities marked by people.

use super::common::{fit, illegal};
use super::sets;
use crowdwise_core::questions::{evaluate, span_scores};
use crowdwise_core::{AnyMethod, Dataset, Features, Gold, GoldValues, LabelKind, Structure, TableBuilder};
use crowdwise_methods::sequences::{Aim, BayesSeq, CrfCrowd, DsHmm, Emissions, Scheme};
use std::collections::BTreeMap;

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
        (Box::new(crowdwise_methods::classes::voting::MajorityVote::default()), 0.674, 0.002),
        (Box::new(crowdwise_methods::classes::confusion::DawidSkene::default()), 0.727, 0.005),
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

/// One-hot words and shapes of every token and its neighbours, as far as they are frequent in the part that is learned from;
/// and which tokens belong to that part.
fn words(d: &Dataset) -> (Features, Vec<bool>) {
    use crowdwise_io::{ReadOptions, Source, read_answers};
    let file = Source::Path(sets::data_dir().join("ner_mturk/tokens.csv.gz"));
    let n = d.table.n_units();
    let mut learned = vec![false; n];
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut dim = 0;
    let Structure::Chains { starts, .. } = &d.structure else { unreachable!() };
    let mut begins = vec![false; n + 1];
    starts.iter().for_each(|&s| begins[s as usize] = true);
    for (column, least) in [("token_id", [40, 10, 40]), ("shape", [10, 5, 10])] {
        let named = |name: &str| Some(name.to_owned());
        let options = ReadOptions {
            kind: Some(LabelKind::Categorical),
            label: named(column),
            annotator: named("split"),
            ..ReadOptions::default()
        };
        let read = read_answers(&file, &options).unwrap().value;
        let labels = read.table.categorical().unwrap();
        let place: BTreeMap<&str, usize> = read.table.items().iter().enumerate().map(|(u, i)| (i, u)).collect();
        let mut code = vec![0; n];
        for (u, item) in d.table.items().iter().enumerate() {
            let row = read.table.rows(place[item]).start;
            code[u] = labels.codes.get(row);
            learned[u] = read.table.annotators().name(read.table.annotator()[row] as usize) == "val";
        }
        // before, at and behind the token
        for (shift, least) in least.into_iter().enumerate() {
            let near = |u: usize| match shift {
                0 => (!begins[u]).then(|| code[u - 1]),
                1 => Some(code[u]),
                _ => (!begins[u + 1]).then(|| code[u + 1]),
            };
            let mut count = vec![0; labels.k()];
            (0..n).filter(|&u| learned[u]).filter_map(near).for_each(|c| count[c] += 1);
            let mut own = vec![None; labels.k()];
            for (own, _) in own.iter_mut().zip(&count).filter(|(_, c)| **c >= least) {
                *own = Some(dim);
                dim += 1;
            }
            (0..n).for_each(|u| rows[u].extend(near(u).and_then(|c| own[c])));
        }
    }
    let mut values = vec![0.0; n * dim as usize];
    for (u, row) in rows.iter().enumerate() {
        row.iter().for_each(|&c| values[u * dim as usize + c as usize] = 1.0);
    }
    (Features { dim: dim as usize, values, image: None }, learned)
}

/// Figures for the page of `crf-crowd`: learned from the crowd's tags of one half of the text, span F1 on the other half.
#[test]
fn a_field_on_unseen_text_of_ner_mturk() {
    let Some((d, gold)) = ner() else { return };
    let (features, learned) = words(&d);
    println!(
        "{} features, {} of {} tokens are learned from",
        features.dim,
        learned.iter().filter(|x| **x).count(),
        learned.len()
    );
    let known = gold.classes(d.table.n_units());
    let classes = |u: usize| known[u].map(|c| (u as u32, c));
    let unseen = Gold {
        values: GoldValues::Classes((0..known.len()).filter(|&u| !learned[u]).filter_map(classes).collect()),
        ..gold.clone()
    };
    let mut of_row = vec![false; d.table.n_labels()];
    (0..learned.len()).for_each(|u| of_row[d.table.rows(u)].fill(learned[u]));
    let mut train = Dataset::new(d.table.filter_rows(|r| of_row[r]));
    (train.structure, train.features) = (d.structure.clone(), Some(features));
    for targets in [Aim::Votes, Aim::DawidSkene, Aim::BayesSeq] {
        let f = fit(&CrfCrowd { targets, ..CrfCrowd::default() }, &train);
        let s = span_scores(&f, &d, &unseen).unwrap().strict;
        println!("{targets:?}: P {:.3} R {:.3} F1 {:.3} on unseen text", s.precision, s.recall, s.f1);
        assert!(s.f1 > 0.4, "{targets:?}: {}", s.f1);
    }
}
