//! Spans: scores, agreement between annotators, and what a fit found.

use super::common::{fit_of, vote_shares};
use crowdwise_core::questions::{evaluate, inspect, merged_spans, span_agreement, span_scores};
use crowdwise_core::{Annotators, Dataset, Fit, Gold, LabelKind, Structure, TableBuilder, Truth};

/// Sequences of tags by annotator, blank-separated; `?` means no answer.
fn tagged(sequences: &[&[&str]]) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let mut starts = vec![0u64];
    for (s, columns) in sequences.iter().enumerate() {
        let n = columns[0].split(' ').count();
        for p in 0..n {
            b.items.intern(&format!("s{s}:{p}"));
            for (j, column) in columns.iter().enumerate() {
                let tag = column.split(' ').nth(p).unwrap();
                if tag != "?" {
                    b.label(&format!("s{s}:{p}"), &format!("a{j}"), tag).unwrap();
                }
            }
        }
        starts.push(starts[s] + n as u64);
    }
    let mut d = Dataset::new(b.finish().unwrap());
    d.structure = Structure::Chains { starts, names: (0..sequences.len()).map(|s| format!("s{s}")).collect() };
    d
}

/// The votes as a fit.
fn voted(d: &Dataset) -> Fit {
    let k = d.table.n_classes();
    fit_of(d, Truth::Classes { k, posterior: vote_shares(d) }, Annotators::None)
}

fn gold(d: &Dataset, sequences: &[&str]) -> Gold {
    let rows: Vec<(String, String)> = sequences
        .iter()
        .enumerate()
        .flat_map(|(s, tags)| tags.split(' ').enumerate().map(move |(p, tag)| (format!("s{s}:{p}"), tag.to_owned())))
        .filter(|r| r.1 != "?")
        .collect();
    Gold::from_items(&d.table, &rows, "truth").unwrap()
}

#[test]
fn strict_and_partial_scores_by_hand() {
    // found: PER 0..2, LOC 3..4 | PER 0..1; true: PER 0..3, LOC 3..4 | nothing
    let d = tagged(&[&["B-PER I-PER O B-LOC"], &["B-PER O"]]);
    let truth = gold(&d, &["B-PER I-PER I-PER B-LOC", "O O"]);
    let s = span_scores(&voted(&d), &d, &truth).unwrap();
    assert_eq!((s.sequences, s.truth, s.answers), (2, 2, 3));
    assert!((s.strict.precision - 1.0 / 3.0).abs() < 1e-12 && (s.strict.recall - 0.5).abs() < 1e-12);
    assert!((s.strict.f1 - 0.4).abs() < 1e-12);
    // PER 0..2 is covered whole, LOC whole, the second PER not at all; of the truth 2/3 and 1
    assert!((s.partial.precision - 2.0 / 3.0).abs() < 1e-12 && (s.partial.recall - 5.0 / 6.0).abs() < 1e-12);
    assert_eq!(s.by_type.iter().map(|t| t.kind.as_str()).collect::<Vec<_>>(), ["LOC", "PER"]);
    assert_eq!((s.by_type[0].rates.f1, s.by_type[1].rates.f1), (1.0, 0.0));
    assert_eq!(evaluate(&voted(&d), &d, &truth).spans, Some(s));
}

#[test]
fn only_sequences_with_labels_and_known_truth_count() {
    let d = tagged(&[&["B-PER O"], &["O B-PER"], &["? ?"]]);
    let truth = gold(&d, &["B-PER O", "? B-PER", "B-PER O"]);
    assert_eq!(span_scores(&voted(&d), &d, &truth).unwrap().sequences, 1);
    // what the fit was told measures nothing
    let told = d.clone().with_gold(gold(&d, &["B-PER ?", "? ?", "? ?"]));
    assert!(span_scores(&voted(&told), &told, &truth).is_none());
    // a type that only the truth knows
    let truth = gold(&d, &["B-LOC O", "O B-PER", "O O"]);
    let s = span_scores(&voted(&d), &d, &truth).unwrap();
    assert_eq!((s.truth, s.answers, s.by_type.len()), (2, 2, 2));
}

#[test]
fn agreement_is_the_mean_f1_of_pairs() {
    // three annotators: a0 and a1 mark the same span, a2 another one and two in the second sequence
    let d = tagged(&[&["B-PER I-PER O O", "B-PER I-PER O O", "B-PER O O B-LOC"], &["O B-LOC", "? ?", "O B-LOC"]]);
    let a = span_agreement(&d).unwrap();
    assert_eq!((a.pairs, a.spans), (4, 6));
    // matches 1 (a0, a1) + 1 (a0, a2) of spans 1+1, 1+2, 1+2, 1+1
    assert!((a.f1.unwrap() - 2.0 * 2.0 / 10.0).abs() < 1e-12);
    assert!((a.by_annotator[1].unwrap() - 2.0 / 5.0).abs() < 1e-12);
    assert_eq!(inspect(&d, 0).chains.unwrap().spans, Some(a));
    let plain = tagged(&[&["x y", "y y"]]);
    assert!(span_agreement(&plain).is_none() && inspect(&plain, 0).chains.unwrap().spans.is_none());
}

#[test]
fn spans_of_a_fit_come_with_their_least_sure_token() {
    let d = tagged(&[&["B-PER I-PER O", "B-PER I-PER O", "B-PER O O"], &["B-LOC", "B-LOC", "B-LOC"]]);
    let found = merged_spans(&voted(&d), &d).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].sequence.as_str(), found[0].start, found[0].end, found[0].kind.as_str()), ("s0", 0, 2, "PER"));
    assert!((found[0].probability - 2.0 / 3.0).abs() < 1e-12 && found[1].probability == 1.0);
    assert!(merged_spans(&voted(&d), &Dataset { structure: Structure::Independent, ..d }).is_none());
}
