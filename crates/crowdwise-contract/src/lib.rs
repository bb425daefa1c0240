//! The contract as functions over a list: what every method must keep, whichever crate it lives in. For tests only: a broken
//! promise panics with the name of the method.
//!
//! A list brings its own sample data, because a method of sequences wants chains and a method of pairs wants pairs:
//! `sample(entry, kind)` gives a small table of a kind that the entry accepts.

use crowdwise_core::questions::reviewed;
use crowdwise_core::simulate::{change, reordered};
use crowdwise_core::{
    AnyMethod, Context, Dataset, Entry, Event, Family, Fit, LabelKind, MethodInfo, Names, Stop, TableBuilder, Truth,
    stream,
};
use rand::RngExt;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

/// (method, check, reason)
pub type Exceptions<'a> = &'a [(&'a str, &'a str, &'a str)];

/// The headings of a page, in order.
pub const HEADINGS: [&str; 11] = [
    "## In one sentence",
    "## When to use it (and when not)",
    "## Model",
    "## Inference",
    "## Parameters",
    "## What the result means",
    "## How sure",
    "## Worked example",
    "## Numerical notes",
    "## Differences from the paper or reference code",
    "## References",
];

/// Is `entry` excused from `check`?
pub fn excused(exceptions: Exceptions<'_>, entry: &Entry, check: &str) -> bool {
    exceptions.iter().any(|(m, c, _)| *m == entry.info.id && *c == check)
}

/// The data as this method gets them: one that chooses among others refuses what its choice could not use.
pub fn needed_by<'d>(info: &MethodInfo, d: &'d Dataset) -> Cow<'d, Dataset> {
    if info.family != Family::Auto || d.features.is_none() && d.probabilities.is_none() {
        return Cow::Borrowed(d);
    }
    let mut out = d.clone();
    (out.features, out.probabilities) = (None, None);
    Cow::Owned(out)
}

/// Fits, or panics with the name of the method.
pub fn fit_with(m: &dyn AnyMethod, d: &Dataset, seed: u64, threads: usize) -> Fit {
    let d = needed_by(m.info(), d);
    reviewed(m, &d, &mut Context::new(seed, threads)).unwrap_or_else(|e| panic!("{}: {e}", m.info().id))
}

/// Peak resident memory of this process in bytes (Linux), else 0.
pub fn peak_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|x| x.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Two labels per item by annotators drawn from many, three classes: a table of items x annotators would be far larger.
pub fn sparse(items: u32, annotators: u32) -> Dataset {
    let mut rng = stream(13, "sparse", 0);
    let mut b = TableBuilder::new(LabelKind::Categorical);
    for i in 0..items {
        let item = b.items.intern(&i.to_string());
        for _ in 0..2 {
            let j = b.annotators.intern(&rng.random_range(0..annotators).to_string());
            let l = b.classes.intern(&rng.random_range(0..3u32).to_string());
            b.label_codes(item, j, l).expect("few classes");
        }
    }
    Dataset::new(b.finish().expect("a table"))
}

/// All numbers of the truth, in order.
pub fn numbers(f: &Fit) -> Vec<f64> {
    match &f.truth {
        Truth::Classes { posterior, .. } => posterior.clone(),
        Truth::Real { value, .. } => value.clone(),
        Truth::Scores { score, .. } => score.clone(),
        Truth::Clusters { same, .. } => same.clone(),
    }
}

/// Largest difference; two NaN are equal.
pub fn worst(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| if x.is_nan() && y.is_nan() { 0.0 } else { (x - y).abs() }).fold(0.0, f64::max)
}

/// A valid fit: right sizes, finite, rows that sum to 1, serde round trip.
pub fn check_valid(f: &Fit, d: &Dataset, what: &str) {
    let id = &f.provenance.method;
    match &f.truth {
        Truth::Classes { k, posterior } => {
            assert_eq!(posterior.len(), d.table.n_units() * k, "{id}: {what}");
            for (u, row) in posterior.chunks_exact((*k).max(1)).enumerate() {
                let sum: f64 = row.iter().sum();
                assert!((sum - 1.0).abs() < 1e-9, "{id}: {what}: row {u} sums to {sum}");
                assert!(row.iter().all(|p| (0.0..=1.0 + 1e-12).contains(p)), "{id}: {what}: row {u} is {row:?}");
            }
        }
        Truth::Real { value, sd } => {
            assert_eq!((value.len(), sd.len()), (d.table.n_units(), d.table.n_units()), "{id}: {what}");
        }
        Truth::Clusters { cluster, same, .. } => {
            assert_eq!((cluster.len(), same.len()), (d.table.n_items(), d.table.n_units()), "{id}: {what}");
        }
        Truth::Scores { score, interval, component, .. } => {
            let n = d.table.n_items();
            assert_eq!((score.len(), interval.len(), component.len()), (n, n, n), "{id}: {what}");
            for (s, [low, high]) in score.iter().zip(interval) {
                assert!(low <= s && s <= high, "{id}: {what}: {s} is not in [{low}, {high}]");
            }
        }
    }
    let m = f.annotators.len();
    assert!(m == 0 || m == d.table.n_annotators(), "{id}: {what}: {m} annotators");
    if let Some(k) = f.annotators.classes() {
        for j in 0..m.min(20) {
            let c = f.annotators.confusion(j).unwrap_or_else(|| panic!("{id}: {what}: annotator {j} has no matrix"));
            for row in c.chunks_exact(k) {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{id}: {what}: annotator {j}: {row:?}");
            }
        }
    }
    let text = serde_json::to_string(f).unwrap();
    let back: Fit = serde_json::from_str(&text).unwrap();
    assert_eq!(back.diagnostics.stop, f.diagnostics.stop, "{id}: {what}: serde");
    let all_finite = numbers(f).iter().all(|x| x.is_finite());
    assert!(!all_finite || worst(&numbers(&back), &numbers(f)) < 1e-12, "{id}: {what}: serde");
}

/// Ids, summaries, references and parameters are as front ends expect; no two methods of `methods` and `others` answer to
/// one name.
pub fn list_is_well_formed<'a>(methods: &'a [Entry], others: impl IntoIterator<Item = &'a Entry>) {
    let mut names: Vec<&str> = others.into_iter().flat_map(names_of).collect();
    for e in methods {
        let kebab = |s: &str| s.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        names.extend(names_of(e));
        assert!(names_of(e).all(kebab), "{}", e.info.id);
        assert!(e.info.summary.ends_with('.') && e.info.summary.len() < 120, "{}: summary", e.info.id);
        assert!(!e.info.accepts.is_empty() && !e.info.references.is_empty(), "{}", e.info.id);
        for p in e.params() {
            assert!(!p.doc.is_empty(), "{}: parameter {} has no documentation", e.info.id, p.name);
            let synonym = ["n_iter", "iterations", "tolerance", "eps_tol", "seed", "threads", "n_restarts", "verbose"];
            assert!(!synonym.contains(&p.name.as_str()), "{}: parameter {}", e.info.id, p.name);
        }
    }
    names.sort_unstable();
    let twice = names.windows(2).find(|w| w[0] == w[1]);
    assert!(twice.is_none(), "two methods answer to {twice:?}");
}

fn names_of(e: &Entry) -> impl Iterator<Item = &'static str> {
    std::iter::once(e.info.id).chain(e.info.aliases.iter().copied())
}

/// Every page has its title, its headings in order, a place for the parameters and an example for the shell.
pub fn pages_have_their_headings(methods: &[Entry]) {
    for e in methods {
        let have: Vec<&str> = e.info.doc.lines().filter(|l| l.starts_with("## ")).collect();
        assert_eq!(have, HEADINGS, "page of {}", e.info.id);
        assert!(e.info.doc.starts_with(&format!("# {}\n", e.info.name)), "page of {}: title", e.info.id);
        assert!(e.info.doc.contains("<!-- parameters -->"), "page of {}: parameters", e.info.id);
        assert!(e.info.doc.contains("```sh\n"), "page of {}: example", e.info.id);
    }
}

/// A fit of every accepted kind is valid.
pub fn fits_are_valid(methods: &[Entry], sample: impl Fn(&Entry, LabelKind) -> Dataset) {
    for e in methods {
        for &kind in e.info.accepts {
            let d = sample(e, kind);
            check_valid(&fit_with(&*e.default(), &d, 0, 1), &d, kind.name());
        }
    }
}

/// A method that says so never lets its objective fall.
pub fn objectives_never_fall(methods: &[Entry], sample: impl Fn(&Entry, LabelKind) -> Dataset) {
    for e in methods.iter().filter(|e| e.info.capabilities.monotone) {
        for &kind in e.info.accepts {
            let f = fit_with(&*e.default(), &sample(e, kind), 0, 1);
            let o: Vec<f64> = f.diagnostics.trace.iter().filter_map(|t| t.objective).collect();
            for w in o.windows(2) {
                assert!(w[1] >= w[0] - 1e-9 * w[0].abs().max(1.0), "{}: {} after {}", e.info.id, w[1], w[0]);
            }
        }
    }
}

/// One seed gives the same bits on any number of threads, and only methods that say so use the seed.
pub fn same_bits_on_any_threads(methods: &[Entry], sample: impl Fn(&Entry, LabelKind) -> Dataset) {
    for e in methods {
        for &kind in e.info.accepts {
            let (d, m) = (sample(e, kind), e.default());
            let a = fit_with(&*m, &d, 5, 1);
            for threads in [2, 3] {
                let b = fit_with(&*m, &d, 5, threads);
                let same = numbers(&a).iter().zip(numbers(&b)).all(|(x, y)| x.to_bits() == y.to_bits());
                assert!(same, "{}: threads change the result by {}", e.info.id, worst(&numbers(&a), &numbers(&b)));
            }
            if !e.info.capabilities.stochastic {
                let other = fit_with(&*m, &d, 6, 1);
                let moved = worst(&numbers(&a), &numbers(&other));
                assert!(moved == 0.0, "{} uses the seed but is not stochastic", e.info.id);
            }
        }
    }
}

/// Whoever says that it draws random numbers gives something else for another seed, in the truth or about the annotators.
/// Excuses are called `stochastic`, and are needed.
pub fn stochastic_methods_use_the_seed(
    methods: &[Entry],
    exceptions: Exceptions<'_>,
    sample: impl Fn(&Entry, LabelKind) -> Dataset,
) {
    let mut broken = Vec::new();
    for e in methods.iter().filter(|e| e.info.capabilities.stochastic) {
        let told = |d: &Dataset, seed: u64| {
            let f = fit_with(&*e.default(), d, seed, 1);
            serde_json::to_string(&(&f.truth, &f.annotators)).expect("plain data")
        };
        let moves = e.info.accepts.iter().any(|&kind| {
            let d = sample(e, kind);
            let first = told(&d, 5);
            (6..9).any(|seed| told(&d, seed) != first)
        });
        let excuse = excused(exceptions, e, "stochastic");
        if !moves && !excuse {
            broken.push(format!("{} says that it is stochastic, but four seeds give the same result", e.info.id));
        }
        if moves && excuse {
            broken.push(format!("{} needs no excuse: seeds change its result", e.info.id));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// A run that is cancelled at once, or at its first event, gives what is there, marked.
pub fn cancelled_runs_give_what_is_there(methods: &[Entry], sample: impl Fn(&Entry, LabelKind) -> Dataset) {
    for e in methods {
        for &kind in e.info.accepts {
            let (d, m) = (sample(e, kind), e.default());
            let d = needed_by(e.info, &d);
            let flag = AtomicBool::new(true);
            let f = m.fit(&d, &mut Context::new(0, 1).with_cancel(&flag)).unwrap();
            check_valid(&f, &d, "cancelled");
            let iterates = f.diagnostics.stop != Stop::Direct;
            assert!(!iterates || matches!(f.diagnostics.stop, Stop::Cancelled | Stop::Converged), "{}", e.info.id);
            let flag = AtomicBool::new(false);
            let mut stop = |_: &Event| flag.store(true, Ordering::Relaxed);
            let f = m.fit(&d, &mut Context::new(0, 1).with_cancel(&flag).with_sink(&mut stop)).unwrap();
            check_valid(&f, &d, "cancelled later");
        }
    }
}

/// Largest change of a probability, a score, a value or a number of an annotator that rounding may make when rows come in
/// another order: iterations stop a little earlier or later.
pub const ORDER_TOLERANCE: f64 = 1e-6;

/// Rows in another order change nothing. A method that is numbered canonically gives the same bits, samplers included; of the
/// others sums of the same numbers in another order are left, up to [`ORDER_TOLERANCE`], and no label changes.
pub fn order_of_rows_changes_nothing(
    methods: &[Entry],
    make: impl Fn(&Entry) -> Box<dyn AnyMethod>,
    samples: impl Fn(&Entry, LabelKind) -> Vec<Dataset>,
) {
    let mut broken = Vec::new();
    for e in methods {
        for &kind in e.info.accepts {
            for (n, d) in samples(e, kind).iter().enumerate() {
                let m = make(e);
                let first = fit_with(&*m, d, 3, 1);
                for seed in 0..2 {
                    let other = reordered(d, seed);
                    let again = fit_with(&*m, &other, 3, 1);
                    let moved = change((d, &first), (&other, &again));
                    let most = if m.is_canonical(kind) { 0.0 } else { ORDER_TOLERANCE };
                    let fine = moved.truth <= most && moved.annotators <= most && moved.labels == 0;
                    if !fine {
                        broken.push(format!("{}: {kind} labels, sample {n}: {moved:?}", e.info.id));
                    }
                    for key in misplaced_details((d, &first), (&other, &again)) {
                        broken.push(format!("{}: {kind} labels, sample {n}: detail `{key}`", e.info.id));
                    }
                }
            }
        }
    }
    assert!(broken.is_empty(), "the order of rows matters to\n{}", broken.join("\n"));
}

/// Details with an entry per annotator or per item whose entries do not belong to the same names in both fits. A list that
/// merely has that many entries (a trace, say) is not taken for one: it must also be another list once it is put in order.
fn misplaced_details((a, fit_a): (&Dataset, &Fit), (b, fit_b): (&Dataset, &Fit)) -> Vec<String> {
    let numbers = |from: &Names, to: &Names| -> Vec<usize> {
        from.iter().map(|n| to.get(n).expect("the same names in another order") as usize).collect()
    };
    let orders = [numbers(a.table.annotators(), b.table.annotators()), numbers(a.table.items(), b.table.items())];
    let mut found = Vec::new();
    for (key, value) in &fit_a.diagnostics.details {
        let (Some(x), Some(y)) = (value.as_array(), fit_b.diagnostics.details.get(key).and_then(|v| v.as_array()))
        else {
            continue;
        };
        // such entries name whom they are about
        if x.iter().all(Value::is_object) {
            continue;
        }
        for order in &orders {
            let shuffled = order.iter().enumerate().any(|(i, &o)| i != o);
            if x.len() != order.len() || y.len() != order.len() || !shuffled {
                continue;
            }
            let follows = order.iter().enumerate().all(|(i, &o)| close(&x[i], &y[o]));
            let stays = x.iter().zip(y).all(|(p, q)| close(p, q));
            if !follows && stays {
                found.push(key.clone());
            }
        }
    }
    found
}

/// Equal, but for rounding.
fn close(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64(), a.as_array(), b.as_array()) {
        (Some(x), Some(y), _, _) => (x - y).abs() <= ORDER_TOLERANCE * x.abs().max(1.0),
        (_, _, Some(x), Some(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| close(x, y)),
        _ => a == b,
    }
}

/// Labels of a kind that a method does not accept are refused, with the method's name.
pub fn other_kinds_are_refused(methods: &[Entry], of_kind: impl Fn(LabelKind) -> Dataset, kinds: &[LabelKind]) {
    for e in methods {
        for &kind in kinds.iter().filter(|k| !e.info.accepts.contains(k)) {
            let err = e.default().fit(&of_kind(kind), &mut Context::default()).unwrap_err();
            assert_eq!(err.code(), "wrong-label-kind", "{}", e.info.id);
            assert!(err.to_string().contains(e.info.id));
        }
    }
}

/// A bad or unknown parameter is refused by name. Excuses are called `parameter NAME`.
pub fn bad_parameters_are_named(methods: &[Entry], exceptions: Exceptions<'_>) {
    for e in methods {
        for p in e.params() {
            let bad: Value = match &p.default {
                Value::Number(_) => "-1e300".into(),
                Value::Bool(_) => "perhaps".into(),
                _ => "\u{1}nonsense".into(),
            };
            let Err(err) = e.with(&[(p.name.clone(), bad)]) else {
                let excuse = excused(exceptions, e, &format!("parameter {}", p.name));
                assert!(excuse, "{}: {} takes anything", e.info.id, p.name);
                continue;
            };
            assert_eq!(err.code(), "bad-parameter", "{}: {}", e.info.id, p.name);
            assert!(err.to_string().contains(&format!("`{}`", p.name)), "{}: {err}", e.info.id);
        }
        let err = e.with(&[("no_such_thing".into(), 1.into())]).err().unwrap();
        assert_eq!(err.code(), "unknown-parameter", "{}", e.info.id);
    }
}
