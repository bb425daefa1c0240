//! Whether a kept fit can be one: shares between 0 and 1, intervals in order, counts that the data could have. A file that was
//! edited or damaged is refused with the first thing that is wrong, instead of being shown.

use super::{AnnotatorEntry, FitDocument, LabelEntry, Labels};

/// What rounding may add to a share.
const SLACK: f64 = 1e-9;
/// What rounding may add to a sum of shares.
const SUM: f64 = 1e-6;

/// What is wrong with the document, if anything.
pub(super) fn problem(d: &FitDocument<'_>) -> Option<String> {
    let k = d.class_names.len();
    let c = d.data;
    let most = [c.items, c.annotators, c.classes, c.labels].into_iter().max().unwrap_or(0);
    if u32::try_from(most).is_err() {
        return Some(format!("`data` counts {most}, which no table can hold"));
    }
    if k != c.classes && k > 0 {
        return Some(format!("it names {k} classes and counts {}", c.classes));
    }
    if d.annotators.len() > c.annotators {
        return Some(format!("it has {} annotators and counts {}", d.annotators.len(), c.annotators));
    }
    if let Some(prior) = &d.class_prior
        && let Some(what) = shares(prior, k)
    {
        return Some(format!("`class_prior` {what}"));
    }
    let of_annotators = d.annotators.iter().find_map(|a| Some(format!("annotator `{}`: {}", a.annotator, one(a, d)?)));
    of_annotators.or_else(|| match &d.labels {
        Labels::Read(rows) => rows.iter().find_map(|row| label(row, d)),
        Labels::Fit(_) => None,
    })
}

/// What is wrong with shares of K classes.
fn shares(p: &[f64], k: usize) -> Option<String> {
    if p.len() != k {
        return Some(format!("has {} numbers for {k} classes", p.len()));
    }
    if let Some(x) = p.iter().find(|x| !share(**x)) {
        return Some(format!("has a share of {x}"));
    }
    let sum: f64 = p.iter().sum();
    ((sum - 1.0).abs() > SUM).then(|| format!("sums to {sum}"))
}

fn share(x: f64) -> bool {
    (-SLACK..=1.0 + SLACK).contains(&x)
}

fn one(a: &AnnotatorEntry, d: &FitDocument<'_>) -> Option<String> {
    if a.n > d.data.labels as u64 {
        return Some(format!("`n` is {} of {} labels", a.n, d.data.labels));
    }
    if let Some(x) = a.accuracy.filter(|x| !share(*x)) {
        return Some(format!("`accuracy` is {x}"));
    }
    if let Some([low, high]) =
        a.interval.filter(|i| i[0] > i[1] || (a.accuracy.is_some() && !i.iter().all(|x| share(*x))))
    {
        return Some(format!("`interval` is [{low}, {high}]"));
    }
    if let (Some(x), Some([low, high])) = (a.accuracy, a.interval)
        && !(low - SLACK..=high + SLACK).contains(&x)
    {
        return Some(format!("`accuracy` is {x}, outside of its `interval` [{low}, {high}]"));
    }
    let negative = |name: &str, x: Option<f64>| x.filter(|x| *x < -SLACK).map(|x| format!("`{name}` is {x}"));
    let rows = a.confusion.as_ref().map_or(&[][..], Vec::as_slice);
    let k = d.class_names.len();
    let confusion = if rows.is_empty() || rows.len() == k {
        rows.iter().find_map(|row| shares(row, k)).map(|what| format!("a row of `confusion` {what}"))
    } else {
        Some(format!("`confusion` has {} rows for {k} classes", rows.len()))
    };
    negative("information_bits", a.information_bits).or_else(|| negative("sd", a.sd)).or(confusion)
}

fn label(entry: &LabelEntry<'_>, d: &FitDocument<'_>) -> Option<String> {
    let items = d.data.items;
    let (item, what) = match entry {
        LabelEntry::Class { item, label, probability, posterior, .. } => {
            let named = d.class_names.iter().any(|c| c == label);
            let what = if !named {
                Some(format!("the label `{label}` is not a class"))
            } else if share(*probability) {
                shares(posterior, d.class_names.len()).map(|what| format!("`posterior` {what}"))
            } else {
                Some(format!("`probability` is {probability}"))
            };
            (item, what)
        }
        LabelEntry::Score { item, rank, low, high, ranks, .. } => {
            let turned = matches!((low, high), (Some(low), Some(high)) if low > high);
            let places = ranks.is_some_and(|[best, worst]| best > worst || worst as usize > items) || *rank > items;
            let what = match (turned, places) {
                (true, _) => Some("`low` is above `high`".into()),
                (_, true) => Some(format!("its place is none of {items}")),
                _ => None,
            };
            (item, what)
        }
        LabelEntry::Cluster { item, confidence, size, .. } => {
            let bad = (!share(*confidence)).then(|| format!("`confidence` is {confidence}"));
            (item, bad.or_else(|| (*size > items).then(|| format!("`size` is {size} of {items} items"))))
        }
        LabelEntry::Value { item, sd, .. } => (item, sd.filter(|x| *x < 0.0).map(|x| format!("`sd` is {x}"))),
    };
    Some(format!("item `{item}`: {}", what?))
}
