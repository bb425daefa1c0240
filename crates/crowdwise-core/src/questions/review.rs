//! What whoever shows a fit asks about it, once.

use super::fairness;
use super::findings::{pairs_of_rankings, with_tally};
use super::tally::Tally;
use crate::{AnyMethod, Context, Dataset, Diagnostics, Error, Fit, MethodInfo, Subject};

/// Adds to a fit what it and its data show. A method has said already what only it can know.
///
/// [`AnyMethod::fit`] leaves this out: of the many fits that are made inside of others, on parts of the data or for a simulation,
/// nobody reads findings, and for a small fit they cost as much as the fit itself.
pub fn review(method: &MethodInfo, data: &Dataset, fit: &mut Fit) {
    review_with(method, data, fit, Tally::of(data, fit, false).as_ref());
}

/// The same with the sums over the labels.
pub(super) fn review_with(method: &MethodInfo, data: &Dataset, fit: &mut Fit, tally: Option<&Tally>) {
    let found = with_tally(data, fit, tally);
    fit.findings.extend(found);
    fit.findings.extend(fairness::of_fit(data, fit));
    if !method.capabilities.whole_rankings {
        fit.findings.extend(pairs_of_rankings(data));
    }
    // those who count as one were named before: that they copy each other is known
    let known: Vec<&str> = one_voice(&fit.diagnostics).collect();
    if !known.is_empty() {
        let said = |s: &Subject| matches!(s, Subject::Annotator(a) if known.contains(&a.as_str()));
        fit.findings.retain(|f| f.code != "copies" || !said(&f.subject));
    }
}

/// Fits, and asks what the result shows.
pub fn reviewed(method: &dyn AnyMethod, data: &Dataset, cx: &mut Context<'_>) -> Result<Fit, Error> {
    let mut fit = method.fit(data, cx)?;
    review(method.info(), data, &mut fit);
    Ok(fit)
}

/// Annotators who counted as one with others.
fn one_voice(diagnostics: &Diagnostics) -> impl Iterator<Item = &str> {
    let groups = diagnostics.details.get("one_voice").and_then(|v| v.as_array());
    groups.into_iter().flatten().filter_map(|g| g.as_array()).flatten().filter_map(|name| name.as_str())
}
