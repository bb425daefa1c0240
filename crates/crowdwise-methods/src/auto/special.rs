//! Models that assume more than annotators who differ. Each is admitted by a condition that follows from what it assumes, and only if
//! the labels bear it out; otherwise nothing speaks for it.

use super::candidates::Candidate;
use crate::classes::confusion::shared;
use crate::classes::optimisation::{fit_integrated, items_differ};
use crate::classes::ordered::{OrdinalVb, follows_order};
use crate::classes::sanity::Departure;
use crowdwise_core::{Annotators, Categorical, Context, Dataset, Error, Event, Method, Run, Truth, stats};

/// A fit that goes before the base models.
pub(super) struct Special {
    pub name: &'static str,
    /// Why it is used, in words.
    pub why: String,
    pub posterior: Vec<f64>,
    /// Confusion matrices, annotators x truth x label.
    pub matrix: Vec<f64>,
    pub run: Run,
    /// Its probabilities are averaged over how items differ.
    pub items_differ: bool,
}

/// The model that the labels call for beyond confusion matrices, if any.
pub(super) fn find(
    data: &Dataset,
    labels: &Categorical<'_>,
    gold: Option<&[Option<u32>]>,
    matrices: &Candidate,
    max_iter: usize,
    cx: &mut Context<'_>,
) -> Result<Option<Special>, Error> {
    let found = if follows_order(labels).is_ok() {
        Some(ordered(data, cx)?)
    } else if items_differ(labels, &matrices.fitted.tables, &matrices.fitted.posterior).is_ok() {
        items(data, gold, max_iter, cx)?.filter(|s| refines(labels, matrices, &s.posterior))
    } else {
        None
    };
    // no assumption outweighs what the votes say
    Ok(found.filter(|s| Departure::of(labels, gold, &s.posterior).rejects(labels).is_none()))
}

/// Standard errors that two counts may differ by.
const CHANCE: f64 = 2.0;

/// Weighing annotators corrects the votes, and what items lean to corrects the rest: a correction of a correction. One that changes
/// more answers of the matrices than these changed of the votes, beyond chance, has found another reading of the labels, such as the
/// view of a family of annotators, and none that the matrices support.
fn refines(labels: &Categorical<'_>, matrices: &Candidate, posterior: &[f64]) -> bool {
    let k = labels.k();
    let rows = matrices.fitted.posterior.chunks_exact(k).zip(posterior.chunks_exact(k)).enumerate();
    let labelled = rows.filter(|(u, _)| labels.table.degree(*u) > 0).map(|x| x.1);
    let other = |(base, new): &(&[f64], &[f64])| !stats::tied(base[stats::argmax(new)], base[stats::argmax(base)]);
    let first = matrices.departure.differ as f64;
    let second = labelled.filter(other).count() as f64;
    second - first <= CHANCE * (first + second).sqrt()
}

fn ordered(data: &Dataset, cx: &mut Context<'_>) -> Result<Special, Error> {
    cx.event(&Event::Stage { name: "ordered classes".into() });
    let out = OrdinalVb::default().fit(data, cx)?;
    let k = data.table.n_classes();
    let matrix = (0..data.table.n_annotators())
        .flat_map(|j| out.annotators.confusion(j).unwrap_or_else(|| vec![1.0 / k as f64; k * k]));
    let d = &out.diagnostics;
    let run = Run { stop: d.stop, iterations: d.iterations, trace: d.trace.clone(), settled: None };
    let matrix = match &out.annotators {
        Annotators::Confusion { matrix, .. } => matrix.clone(),
        _ => matrix.collect(),
    };
    let Truth::Classes { posterior, .. } = out.truth else { unreachable!("a method for classes") };
    let why = "the classes have an order, and annotators who disagree tend to be close on it".to_owned();
    Ok(Special { name: "ordinal-vb", why, posterior, matrix, run, items_differ: false })
}

fn items(
    data: &Dataset,
    gold: Option<&[Option<u32>]>,
    max_iter: usize,
    cx: &mut Context<'_>,
) -> Result<Option<Special>, Error> {
    cx.event(&Event::Stage { name: "items that differ".into() });
    let Ok(fitted) = fit_integrated(data, gold, max_iter, cx)? else { return Ok(None) };
    let labelled = (0..data.table.n_units()).filter(|&u| data.table.degree(u) > 0).count().max(1);
    let per_item = data.table.n_labels() as f64 / labelled as f64;
    let why = format!("items have many labels ({per_item:.0} on average) and are mistaken for different classes");
    let matrix = shared::transpose(fitted.tables, data.table.n_classes());
    Ok(Some(Special {
        name: "minimax-entropy",
        why,
        posterior: fitted.posterior,
        matrix,
        run: fitted.run,
        items_differ: true,
    }))
}
