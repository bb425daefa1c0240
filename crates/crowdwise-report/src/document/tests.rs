//! The document, written and read back.

use super::*;
use crowdwise_core::{Diagnostics, Preference, Provenance, Structure, TableBuilder, Truth};

fn fit_of(data: &Dataset, truth: Truth, annotators: Annotators) -> Fit {
    let t = &data.table;
    Fit {
        truth,
        uncalibrated: None,
        annotators,
        class_prior: (t.n_classes() > 0).then(|| vec![1.0 / t.n_classes() as f64; t.n_classes()]),
        difficulty: None,
        diagnostics: Diagnostics::direct(),
        findings: vec![Finding::new("spammer", Severity::Problem, Subject::Annotator("b".into()), "m", "a")],
        provenance: Provenance {
            method: "test".into(),
            params: serde_json::json!({"tol": 0.1}),
            seed: 3,
            version: "0.1.0".into(),
            kind: t.kind(),
            items: t.n_items(),
            annotators: t.n_annotators(),
            classes: t.n_classes(),
            labels: t.n_labels(),
            digest: "00".into(),
        },
    }
}

fn votes() -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, a, l) in [("x", "a", "no"), ("x", "b", "yes"), ("y \"q\"", "a", "yes")] {
        b.label(i, a, l).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

#[test]
fn what_is_written_is_what_is_read_back() {
    let data = votes();
    let matrix = vec![0.9, 0.1, 0.2, 0.8, 0.5, 0.5, 0.5, 0.5];
    let truth = Truth::Classes { k: 2, posterior: vec![0.25, 0.75, 0.1, 0.9] };
    let fit = fit_of(&data, truth, Annotators::Confusion { k: 2, matrix });
    let evaluation = Evaluation { n: 2, accuracy: Some(0.5), ..Evaluation::default() };
    let document = FitDocument::new(&data, &fit, Some(evaluation), Duration::from_millis(1500));
    let text = serde_json::to_string(&document).unwrap();
    let back = FitDocument::from_json(text.as_bytes(), "fit.json").unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);

    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["data"], serde_json::json!({"items": 2, "annotators": 2, "classes": 2, "labels": 3}));
    assert_eq!(value["class_names"], serde_json::json!(["no", "yes"]));
    assert_eq!(
        value["labels"][1],
        serde_json::json!({"item": "y \"q\"", "label": "yes", "probability": 0.9, "posterior": [0.1, 0.9]})
    );
    assert_eq!(value["annotators"][0]["confusion"], serde_json::json!([[0.9, 0.1], [0.2, 0.8]]));
    assert_eq!(value["findings"][0]["subject"], "annotator b");
    assert_eq!((&value["stop"], &value["elapsed_seconds"]), (&"direct".into(), &1.5.into()));
    for field in ["schema", "method", "params", "seed", "iterations", "objective"] {
        assert!(value.get(field).is_some(), "{field}");
    }
}

#[test]
fn values_and_scores_have_their_own_rows() {
    let mut b = TableBuilder::new(LabelKind::Real);
    b.value("x", "a", 2.0);
    let data = Dataset::new(b.finish().unwrap());
    let truth = Truth::Real { value: vec![2.0], sd: vec![f64::NAN] };
    let fit = fit_of(&data, truth, Annotators::None);
    let row = LabelRows::new(&data, &fit).get(0);
    assert_eq!(serde_json::to_value(row).unwrap(), serde_json::json!({"item": "x", "value": 2.0, "sd": null}));

    let mut b = TableBuilder::new(LabelKind::Preference);
    b.preference("p", "q", "a", Preference::Right);
    let data = Dataset::new(b.finish().unwrap());
    let truth = Truth::Scores {
        score: vec![-1.0, 1.0],
        interval: vec![[-2.0, 0.0], [0.0, f64::INFINITY]],
        component: vec![0, 0],
        ranks: vec![],
    };
    let fit = fit_of(&data, truth, Annotators::None);
    let document = FitDocument::new(&data, &fit, None, Duration::ZERO);
    let text = serde_json::to_string(&document).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let best = serde_json::json!({"rank": 1, "item": "q", "score": 1.0, "low": 0.0, "high": null, "component": 0});
    assert_eq!(value["labels"][0], best);
    assert!(value.get("evaluation").is_none());
    let back = FitDocument::from_json(text.as_bytes(), "fit.json").unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
}

#[test]
fn tokens_know_their_sequence_and_position() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, l) in [("s:1", "no"), ("s:2", "yes"), ("t", "yes")] {
        b.label(i, "a", l).unwrap();
    }
    let mut data = Dataset::new(b.finish().unwrap());
    assert_eq!(place(&data, 0), None);
    let mut names = crowdwise_core::Names::new();
    names.intern("s");
    names.intern("u");
    data.structure = Structure::Chains { starts: vec![0, 2, 3], names };
    assert_eq!([0, 1, 2].map(|u| place(&data, u)), [Some(("s", 1)), Some(("s", 2)), Some(("u", 0))]);
    let fit = fit_of(&data, Truth::Classes { k: 2, posterior: vec![0.5; 6] }, Annotators::None);
    let text = serde_json::to_string(&FitDocument::new(&data, &fit, None, Duration::ZERO)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&value["labels"][1]["sequence"], &value["labels"][1]["position"]), (&"s".into(), &2.into()));
    let back = FitDocument::from_json(text.as_bytes(), "fit.json").unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
}

#[test]
fn other_files_are_refused_in_words() {
    let e = FitDocument::from_json(b"[1, 2]", "x.json").unwrap_err();
    assert_eq!(e.code(), "bad-data");
    let e = FitDocument::from_json(b"{\"schema\": 99}", "x.json").unwrap_err();
    assert_eq!(e.to_string(), "x.json has schema 99, but this version reads schema 1");
    let e = FitDocument::from_json(b"{\"schema\": 1, \"method\": \"mv\"}", "x.json").unwrap_err();
    assert!(e.to_string().contains("missing field"), "{e}");
}

/// A fit of two classes as it is kept.
fn kept() -> Value {
    let data = votes();
    let matrix = vec![0.9, 0.1, 0.2, 0.8, 0.5, 0.5, 0.5, 0.5];
    let truth = Truth::Classes { k: 2, posterior: vec![0.25, 0.75, 0.1, 0.9] };
    let fit = fit_of(&data, truth, Annotators::Confusion { k: 2, matrix });
    serde_json::to_value(FitDocument::new(&data, &fit, None, Duration::ZERO)).unwrap()
}

#[test]
fn a_kept_fit_that_cannot_be_one_is_refused() {
    let read = |v: &Value| FitDocument::from_json(v.to_string().as_bytes(), "fit.json");
    assert!(read(&kept()).is_ok());
    let changes: [(&str, Value, &str); 11] = [
        ("/annotators/0/accuracy", 7.5.into(), "`accuracy` is 7.5"),
        ("/annotators/0/interval", serde_json::json!([0.9, 0.1]), "`interval` is [0.9, 0.1]"),
        ("/annotators/0/interval", serde_json::json!([0.9, 1.1]), "`interval` is [0.9, 1.1]"),
        ("/annotators/0/n", u64::MAX.into(), "of 3 labels"),
        ("/annotators/1/confusion/0/1", 0.7.into(), "sums to 1.2"),
        ("/annotators/1/information_bits", (-3.0).into(), "`information_bits` is -3"),
        ("/labels/0/posterior", serde_json::json!([0.5]), "has 1 numbers for 2 classes"),
        ("/labels/1/probability", 2.0.into(), "`probability` is 2"),
        ("/labels/1/label", "maybe".into(), "`maybe` is not a class"),
        ("/class_prior/0", (-0.5).into(), "a share of -0.5"),
        ("/data/items", u64::MAX.into(), "no table can hold"),
    ];
    for (place, value, says) in changes {
        let mut v = kept();
        *v.pointer_mut(place).unwrap() = value;
        let e = read(&v).unwrap_err();
        assert!(e.code() == "bad-data" && e.to_string().contains(says), "{place}: {e}");
    }
}
