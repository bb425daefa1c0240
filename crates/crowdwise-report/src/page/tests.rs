//! The page as a whole: well-formed, closed to the network, escaped, and the same shape for every kind and extreme.

use super::{PageInput, page};
use crate::wellformed;
use crowdwise_core::questions::{self, AnnotatorRow, Comparison, Evaluation, ItemOrder};
use crowdwise_core::{
    Annotators, Dataset, Diagnostics, Finding, Fit, Gold, LabelKind, Names, Objective, Preference, Provenance,
    Severity, Stop, Structure, Subject, TableBuilder, TracePoint, Truth,
};
use serde_json::json;

fn fit(data: &Dataset, truth: Truth, annotators: Annotators) -> Fit {
    let t = &data.table;
    Fit {
        truth,
        uncalibrated: None,
        annotators,
        class_prior: None,
        difficulty: None,
        diagnostics: Diagnostics::direct(),
        findings: Vec::new(),
        provenance: Provenance {
            method: "by-hand".into(),
            params: json!({ "tol": 0.001, "start": "<votes>" }),
            seed: 7,
            version: "1.2.3".into(),
            kind: t.kind(),
            items: t.n_items(),
            annotators: t.n_annotators(),
            classes: t.n_classes(),
            labels: t.n_labels(),
            digest: "00ff".into(),
        },
    }
}

/// Vote shares as posterior.
fn votes(data: &Dataset) -> Fit {
    let c = data.table.categorical().unwrap();
    let k = c.k();
    let mut posterior = vec![0.0; k * data.table.n_units()];
    for (u, row) in posterior.chunks_exact_mut(k.max(1)).enumerate() {
        c.vote_shares(u, row);
    }
    fit(data, Truth::Classes { k, posterior }, Annotators::None)
}

/// What not every page has.
#[derive(Default)]
struct Extra<'a> {
    title: Option<&'a str>,
    command: Option<&'a str>,
    truth: Option<&'a Gold>,
    evaluation: Option<&'a Evaluation>,
    comparison: Option<&'a Comparison>,
}

/// The page, after what must hold for every page was checked.
fn checked(data: &Dataset, fit: &Fit, extra: &Extra<'_>) -> String {
    let inspection = questions::inspect(data, 0);
    let annotators: Vec<AnnotatorRow> = questions::annotators(data, fit);
    let items = questions::items(data, fit, ItemOrder::Entropy, 30);
    let mut input = PageInput::new("A page", data, fit, &inspection, &annotators, &items);
    input.title = extra.title.map_or(input.title, str::to_owned);
    input.command = extra.command.map(str::to_owned);
    (input.truth, input.evaluation, input.comparison) = (extra.truth, extra.evaluation, extra.comparison);
    input.elapsed_seconds = 0.25;
    let html = page(&input);
    if let Err(e) = wellformed::check(&html) {
        panic!("{e}");
    }
    assert_eq!(wellformed::external(&html), None);
    let before_script = html.split("<script>").next().unwrap_or_default();
    assert!(
        !before_script.contains("NaN") && !before_script.contains("inf\""),
        "a number that is none reached the page"
    );
    for svg in html.match_indices("<svg").map(|(at, _)| &html[at..at + 120]) {
        assert!(svg.contains("aria-label=") || svg.contains("aria-hidden="), "{svg}");
    }
    let mut ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|s| s.split('"').next()).collect();
    let n = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), n, "an id occurs twice");
    html
}

fn small() -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (item, who, class) in [
        ("i1", "anna", "cat"),
        ("i1", "ben", "cat"),
        ("i1", "carl", "dog"),
        ("i2", "anna", "dog"),
        ("i2", "ben", "dog"),
        ("i3", "anna", "cat"),
        ("i3", "carl", "dog"),
    ] {
        b.label(item, who, class).unwrap();
    }
    Dataset::new(b.finish().unwrap())
}

#[test]
fn key_parts_of_a_small_page() {
    let data = small();
    let mut f = votes(&data);
    f.diagnostics = Diagnostics {
        stop: Stop::MaxIter,
        iterations: 2,
        objective: Some(Objective { kind: "log-likelihood".into(), value: -4.25 }),
        trace: (1..=2)
            .map(|i| TracePoint { iteration: i, objective: Some(-9.0 / i as f64), change: 0.1f64.powi(i as i32) })
            .collect(),
        details: json!({ "restarts": 3 }).as_object().unwrap().clone(),
    };
    f.findings = vec![
        Finding::new("few-labels", Severity::Info, Subject::Data, "few labels", "collect more"),
        Finding::new("spammer", Severity::Problem, Subject::Annotator("carl".into()), "tells nothing", "leave out"),
    ];
    let gold = Gold::from_items(
        &data.table,
        &[("i1".into(), "cat".into()), ("i2".into(), "emu".into()), ("i3".into(), "dog".into())],
        "truth.csv",
    )
    .unwrap();
    let evaluation = questions::evaluate(&f, &data, &gold);
    let extra = Extra {
        truth: Some(&gold),
        evaluation: Some(&evaluation),
        command: Some("crowdwise report a.csv"),
        ..Extra::default()
    };
    let html = checked(&data, &f, &extra);
    for part in [
        "Answers for <b>3 items</b> by <b>by-hand</b>",
        "It was stopped at its limit of 2 iterations and has not converged.",
        "1 item is a tie",
        "Where the truth is known, <b>50.0\u{202f}%</b> are right",
        "<b><bdi>carl</bdi></b>: tells nothing.",
        "few labels",
        // i2: both said dog, but the truth is a class that nobody used
        "<bdi>emu</bdi></span> <span class=\"soft nw\">✗ missed</span>",
        "<bdi>dog</bdi></span> × 2 <span class=\"soft\"><bdi>",
        "<dt>Seed</dt><dd>7</dd>",
        "<code>start=&lt;votes&gt;</code>",
        "<code>crowdwise report a.csv</code>",
        "<dt>restarts</dt><dd>3</dd>",
        "Reliability diagram",
        "log likelihood by iteration",
        "250 ms",
    ] {
        assert!(html.contains(part), "`{part}` is missing");
    }
    // worse findings come first
    assert!(html.find("Problem: spammer").unwrap() < html.find("Info: few labels").unwrap());
    for section in ["overview", "evaluation", "answers", "annotators", "items", "convergence", "made"] {
        assert!(html.contains(&format!("<section id=\"{section}\"")), "no section {section}");
        assert!(html.contains(&format!("<a href=\"#{section}\"")), "no link to {section}");
    }
    assert!(!html.contains("id=\"methods\""), "a comparison that was not made");
}

#[test]
fn an_evaluation_says_what_it_leaves_out() {
    let data = small();
    let f = votes(&data);
    let evaluation = Evaluation {
        n: 7,
        gold_left_out: 1,
        ties_left_out: 2,
        components: 3,
        components_left_out: 4,
        accuracy: Some(0.5),
        ..Evaluation::default()
    };
    let html = checked(&data, &f, &Extra { evaluation: Some(&evaluation), ..Extra::default() });
    for part in [
        "The truth of 7 items, in 3 separate parts, is known",
        "The truth of 1 item was given to the fit as gold",
        "2 pairs whose truth is a tie",
        "4 parts with fewer than three known items",
    ] {
        assert!(html.contains(part), "`{part}` is missing");
    }
}

#[test]
fn class_shares_of_votes_and_answers_stand_side_by_side() {
    let data = small();
    let html = checked(&data, &votes(&data), &Extra::default());
    let row = html.split("<tr>").find(|r| r.contains(r#"<i class="k0""#) && r.contains("bar2")).unwrap();
    // cat: 3 of 7 labels; posterior (2/3 + 0 + 1/2) / 3
    assert!(row.contains("42.9\u{202f}%") && row.contains("38.9\u{202f}%") && row.contains("−4.0"), "{row}");
}

#[test]
fn hostile_and_foreign_names_do_no_harm() {
    let names =
        ["<script>alert(1)</script>", "\" onload=\"x", "'&amp;", "שלום עולם", "日本語の名前", "", "a\u{202e}b\nc"];
    let long = "x".repeat(20_000);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for (i, item) in names.iter().chain([&long.as_str()]).enumerate() {
        for (j, who) in names.iter().chain([&long.as_str()]).enumerate() {
            b.label(item, who, if (i + j) % 3 == 0 { names[0] } else { names[3] }).unwrap();
        }
    }
    let data = Dataset::new(b.finish().unwrap());
    let mut f = votes(&data);
    f.findings = names
        .iter()
        .map(|n| Finding::new("x", Severity::Warning, Subject::Annotator((*n).into()), "<i>m</i>", "<i>a</i>"))
        .collect();
    f.provenance.method = "<b>".into();
    let extra = Extra { title: Some("<h1>&"), command: Some("</code><script>"), ..Extra::default() };
    let html = checked(&data, &f, &extra);
    assert_eq!(html.matches("<script").count(), 1, "only our own script");
    assert!(!html.contains("onload=\"x") && html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!html.contains('\u{202e}'), "a name turns the direction of the page");
    assert!(html.contains("日本語の名前") && html.contains("שלום עולם") && html.contains("(empty)"));
    assert!(html.len() < 300_000, "{}", html.len());
}

#[test]
fn one_class_one_item_one_annotator() {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    b.label("i", "j", "k").unwrap();
    let data = Dataset::new(b.finish().unwrap());
    let html = checked(&data, &votes(&data), &Extra::default());
    assert!(html.contains("Answers for <b>1 item</b>") && !html.contains("id=\"confusion\""));
}

#[test]
fn no_labels_at_all() {
    for kind in [LabelKind::Categorical, LabelKind::Real, LabelKind::Preference] {
        let data = Dataset::new(TableBuilder::new(kind).finish().unwrap());
        let truth = match kind {
            LabelKind::Categorical => Truth::Classes { k: 0, posterior: vec![] },
            LabelKind::Real => Truth::Real { value: vec![], sd: vec![] },
            LabelKind::Similarity => Truth::Clusters { cluster: vec![], confidence: vec![], same: vec![] },
            LabelKind::Preference => {
                Truth::Scores { score: vec![], interval: vec![], component: vec![], ranks: vec![] }
            }
        };
        checked(&data, &fit(&data, truth, Annotators::None), &Extra::default());
    }
}

/// Every annotator labels `each` items, in a fixed pattern.
fn crowd(items: usize, annotators: usize, each: usize, classes: usize) -> Dataset {
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for k in 0..classes {
        b.classes.intern(&format!("class {k}"));
    }
    for j in 0..annotators {
        for n in 0..each {
            let i = (j * 7 + n * 13) % items;
            let class = if (i + j).is_multiple_of(5) { (i + j) % classes } else { i % classes };
            b.label(&format!("item {i}"), &format!("annotator {j}"), &format!("class {class}")).unwrap();
        }
    }
    Dataset::new(b.finish().unwrap())
}

#[test]
fn fifty_classes_are_drawn_without_numbers_and_hundreds_are_not_drawn() {
    let data = crowd(400, 40, 60, 50);
    let html = checked(&data, &votes(&data), &Extra::default());
    assert!(html.contains("With 50 classes") && html.contains("Confusion matrix of annotator 0"));
    assert!(html.len() < 1_000_000, "{}", html.len());
    let data = crowd(400, 40, 60, 300);
    let html = checked(&data, &votes(&data), &Extra::default());
    assert!(html.contains("confusion matrices are drawn for up to 60") && html.contains("30 largest of 300 classes"));
    assert!(html.len() < 1_000_000, "{}", html.len());
}

#[test]
fn a_hundred_thousand_annotators_fit_on_a_page() {
    let data = crowd(50_000, 100_000, 2, 2);
    let mut f = votes(&data);
    f.findings = (0..data.table.n_annotators())
        .map(|j| {
            let who = data.table.annotators().name(j).to_owned();
            Finding::new("too-few-labels", Severity::Info, Subject::Annotator(who), "2 labels", "more")
        })
        .collect();
    let html = checked(&data, &f, &Extra::default());
    assert!(html.contains("Shown are the 500 of 100\u{202f}000 annotators"));
    assert!(html.contains("Info: too few labels</b> (100\u{202f}000)") && html.contains("and 99\u{202f}976 more"));
    assert!(html.contains("Shown are the 24 of 100\u{202f}000"));
    assert!(html.len() < 1_000_000, "{}", html.len());
}

#[test]
fn one_number_per_annotator_still_gives_a_matrix() {
    let data = small();
    let mut f = votes(&data);
    f.annotators = Annotators::Accuracy { k: 2, accuracy: vec![0.9, 0.8, 0.4] };
    let html = checked(&data, &f, &Extra::default());
    let carl = html.split("<figure>").find(|s| s.contains("Confusion matrix of carl")).unwrap();
    // carl said dog twice, on items that are cat with 2/3 and 1/2: both rows are all dog
    assert_eq!(carl.matches(">1</text>").count(), 2, "{carl}");
    assert!(html.contains("Counted from the answers"));
}

#[test]
fn tokens_say_where_they_stand() {
    let mut data = small();
    let names: Names = ["first sentence", "second"].into_iter().collect();
    data.structure = Structure::Chains { starts: vec![0, 2, 3], names };
    let html = checked(&data, &votes(&data), &Extra::default());
    assert!(html.contains("token 2 of <bdi>first sentence</bdi>") && html.contains("token 1 of <bdi>second</bdi>"));
    assert!(html.contains(">Sequences<") && html.contains("Answers for <b>3 tokens</b>"));
    // both sequences have a token on which annotators differ; who differs from the answer is marked
    assert!(html.contains("of 2 sequences; these.") && html.contains("of 2 tokens in dispute"), "the sequence viewer");
    let viewer = html.split("class=\"tokens\"").nth(1).unwrap();
    assert!(viewer.contains("class=\"off\"") && viewer.contains("<th scope=\"row\">answer</th>"), "{viewer}");
}

#[test]
fn real_values() {
    let mut b = TableBuilder::new(LabelKind::Real);
    for i in 0..30 {
        for j in 0..4 {
            b.value(&format!("i{i}"), &format!("w{j}"), f64::from(i) / 7.0 + 0.1 * f64::from(j));
        }
    }
    let data = Dataset::new(b.finish().unwrap());
    let value: Vec<f64> = (0..30).map(|i| f64::from(i) / 7.0 + 0.15).collect();
    let mut sd = vec![0.05; 30];
    sd[3] = f64::NAN;
    let html = checked(&data, &fit(&data, Truth::Real { value, sd }, Annotators::None), &Extra::default());
    for part in [
        "Estimates for <b>30 items</b>",
        "Histogram of labels and estimates",
        "Labels against estimates",
        "Standard error",
        "Bias as a chart",
    ] {
        assert!(html.contains(part), "`{part}` is missing");
    }
}

#[test]
fn preferences_in_two_parts() {
    let mut b = TableBuilder::new(LabelKind::Preference);
    b.preference("p", "q", "w", Preference::Left);
    b.preference("q", "p", "v", Preference::Tie);
    b.preference("r", "s", "w", Preference::Right);
    let data = Dataset::new(b.finish().unwrap());
    let truth = Truth::Scores {
        score: vec![0.5, -0.5, -1.0, 1.0],
        interval: vec![[0.1, 0.9], [-0.9, -0.1], [f64::NEG_INFINITY, 0.0], [f64::NAN, f64::NAN]],
        component: vec![0, 0, 1, 1],
        ranks: vec![],
    };
    let html = checked(&data, &fit(&data, truth, Annotators::None), &Extra::default());
    for part in ["A ranking of <b>4 items</b>", "2 parts that nothing connects", "0.10 to 0.90", "−∞ to 0.00", ">Ties<"]
    {
        assert!(html.contains(part), "`{part}` is missing");
    }
}

#[test]
fn a_comparison_marks_the_best_and_tells_what_failed() {
    let row = |method: &str, loss: f64, error: Option<&str>| {
        serde_json::from_value(json!({
            "method": method, "params": {}, "agreement": 0.5, "agreement_n": 3, "drift": 0.1,
            "held_out_log_loss": loss, "held_out_se": 0.01, "held_out_n": 7, "elapsed_seconds": 0.002,
            "stop": "converged", "error": error, "findings": [
                {"code": "flat-posterior", "severity": "warning", "subject": "fit", "message": "m", "advice": "a"},
                {"code": "misses-classes", "severity": "warning", "subject": {"annotator": "carl"}, "message": "m", "advice": "a"},
                {"code": "disconnected", "severity": "warning", "subject": "data", "message": "m", "advice": "a"},
                {"code": "not-converged", "severity": "warning", "subject": "fit", "message": "m", "advice": "a"},
            ],
        }))
        .unwrap()
    };
    let comparison = Comparison {
        folds: 5,
        methods: vec![row("by-hand", 0.7, None), row("other", 0.6, None), row("third", 9.0, Some("too <few> labels"))],
    };
    let data = small();
    let html = checked(&data, &votes(&data), &Extra { comparison: Some(&comparison), ..Extra::default() });
    assert!(html.contains(r#"<td class="r best" data-v="0.6">0.6000</td>"#));
    assert!(html.contains("(this page)") && html.contains("too &lt;few&gt; labels"));
    // what the method shows, not what the data shows or the column of endings
    assert_eq!(html.matches("<td>flat posterior, misses classes</td>").count(), 2);
}
