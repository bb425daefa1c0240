//! What is said about annotators who make the same errors.

use super::CopyPair;
use crate::{Dataset, Finding, Severity, Statistic, Subject, group};

/// Findings at most, of each code.
const TOLD: usize = 20;

/// What is said about them. Only where a pair stands out from everybody is anybody said to copy: the one with fewer labels, for
/// who was first cannot be known. Of others it is said, and of no one in particular, that they agree on errors.
pub fn copy_findings(data: &Dataset, found: &[CopyPair], tests: usize) -> Vec<Finding> {
    let (copies, shared): (Vec<&CopyPair>, Vec<&CopyPair>) = found.iter().partition(|c| c.stands_out);
    let name = |j: usize| data.table.annotators().name(j);
    let numbers = |c: &CopyPair| {
        format!(
            "of {:.0} errors on {} common items {:.0} are the same, where {:.1} would be chance (p {:.1e}, corrected for {} \
             pairs)",
            c.errors,
            group(c.common),
            c.repeated,
            c.chance,
            c.p.max(1e-300),
            group(tests as u64)
        )
    };
    let mut out = Vec::new();
    let n = data.table.labels_per_annotator();
    for c in copies.iter().take(TOLD) {
        let (who, whom) = if (n[c.a], name(c.b)) < (n[c.b], name(c.a)) { (c.a, c.b) } else { (c.b, c.a) };
        let text = format!(
            "copies `{}`, or both follow a third: {}; they agree on {:.0} % of the items, with nobody else on more than \
             {:.0} %",
            name(whom),
            numbers(c),
            100.0 * c.agreement,
            100.0 * c.next
        );
        let about = Subject::Annotator(name(who).to_owned());
        let advice = "count the two as one: `group-aware-em` does, or leave one of them out";
        out.push(Finding::new("copies", Severity::Warning, about, text, advice).with(Statistic::rate(
            "repeated-errors",
            c.repeated,
            c.errors.round().max(1.0) as u64,
        )));
    }
    for c in shared.iter().take(TOLD) {
        let text = format!(
            "`{}` and `{}` agree on errors: {}. They agree on {:.0} % of the items, and one of them with others on up to {:.0} \
             %: they may share a view, or find the same items hard",
            name(c.a),
            name(c.b),
            numbers(c),
            100.0 * c.agreement,
            100.0 * c.next
        );
        let advice = "look at items on which they agree against the rest: are the instructions read in two ways? \
                      `group-aware-em` weighs groups that share a view";
        out.push(Finding::new("shared-errors", Severity::Info, Subject::Data, text, advice));
    }
    for (code, all, severity) in [("copies", &copies, Severity::Warning), ("shared-errors", &shared, Severity::Info)] {
        if all.len() > TOLD {
            let text = format!("{} more pairs of annotators make the same errors", group((all.len() - TOLD) as u64));
            let advice = "the groups in the details of `group-aware-em` show who belongs together";
            out.push(Finding::new(code, severity, Subject::Data, text, advice));
        }
    }
    out
}
