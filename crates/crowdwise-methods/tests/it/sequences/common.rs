//! Sequences and measures that the tests share.

use crowdwise_contract::fit_with;
use crowdwise_core::questions::TagSet;
use crowdwise_core::{AnyMethod, Dataset, Fit, LabelKind, Names, Structure, TableBuilder, stats};

/// Tokens in sequences of `length`, with rows (token, annotator, class name).
pub fn dataset<'a>(tokens: usize, length: usize, rows: impl IntoIterator<Item = (usize, usize, &'a str)>) -> Dataset {
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

pub fn fit(m: &dyn AnyMethod, d: &Dataset) -> Fit {
    fit_with(m, d, 0, 2)
}

/// Six sequences of seven tokens, four annotators, five tags: the table of the golden numbers.
pub const TAGS: [&str; 5] = ["O", "B-A", "I-A", "B-B", "I-B"];

pub fn golden_table() -> Dataset {
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
pub fn row(d: &Dataset, f: &Fit, u: usize) -> Vec<f64> {
    let (k, q) = f.model_posterior().unwrap();
    let classes = d.table.categorical().unwrap().classes;
    TAGS.iter().map(|t| q[u * k + classes.iter().position(|c| c == *t).unwrap()]).collect()
}

pub fn close(have: &[f64], want: &[f64], tolerance: f64) {
    have.iter().zip(want).for_each(|(a, b)| assert!((a - b).abs() < tolerance, "{have:?} and not {want:?}"));
}

/// Steps of the answer that the tag scheme forbids.
pub fn illegal(d: &Dataset, f: &Fit) -> usize {
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
