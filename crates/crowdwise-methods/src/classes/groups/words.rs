//! What is said about groups: findings and details.

use super::detect::Groups;
use super::responses::Responses;
use crowdwise_core::questions::{copies, copy_findings, panel_of_errors};
use crowdwise_core::voices::Schools;
use crowdwise_core::{Dataset, Finding, Outcome, Severity, Statistic, Subject, Truth, group};
use serde_json::{Value, json};

/// Members that are named.
const NAMED: usize = 6;

fn names(data: &Dataset, members: &[u32]) -> String {
    let name = |j: &u32| format!("`{}`", data.table.annotators().name(*j as usize));
    let mut out: Vec<String> = members.iter().take(NAMED).map(name).collect();
    if members.len() > NAMED {
        out.push(format!("{} more", members.len() - NAMED));
    }
    out.join(", ")
}

/// Adds panel, groups and copies to the details and findings of a finished outcome.
pub(super) fn add(out: &mut Outcome, data: &Dataset, groups: &Groups, responses: Option<&Responses>) {
    let Truth::Classes { k, posterior } = &out.truth else { return };
    let (k, q) = (*k, out.uncalibrated.as_ref().unwrap_or(posterior));
    let accuracy = responses.map(|r| r.accuracy(q)).unwrap_or_default();
    let panel = panel_of_errors(data, q);
    let (found, tests) = copies(data, q);
    let mut findings = Vec::new();
    if groups.members.is_empty() && groups.given {
        findings.push(Finding::new(
            "no-groups",
            Severity::Info,
            Subject::Data,
            "no two annotators of the data are in the same group: all count on their own",
            "leave `members` out, and groups are looked for",
        ));
    } else if let (true, Some(schools)) = (groups.members.is_empty(), &groups.schools) {
        findings.push(two_schools(data, schools));
    } else if groups.members.is_empty() {
        findings.push(Finding::new(
            "no-groups",
            Severity::Info,
            Subject::Data,
            "no groups of annotators depend on each other given the class, beyond chance, or too few common items tell: all count on \
             their own",
            "`groups=2` makes two all the same; ⟦--groups FILE⟧ says who belongs together",
        ));
    } else {
        findings.push(dependent(data, groups, panel.map(|p| (p.judges, p.effective))));
    }
    for (g, &(hits, n)) in accuracy.iter().enumerate() {
        let s = Statistic::rate("accuracy", hits, n.round() as u64);
        if n >= 10.0 && s.interval[1] < 1.0 / k as f64 {
            let members = &groups.members[g];
            findings.push(
                Finding::new(
                    "colluders",
                    Severity::Warning,
                    Subject::Data,
                    format!(
                        "{} annotators answer alike and are right together in {:.0} % [{:.0}, {:.0}] of {} items, below the \
                         {:.0} % of guessing: {}",
                        members.len(),
                        100.0 * s.value,
                        100.0 * s.interval[0],
                        100.0 * s.interval[1],
                        group(s.n),
                        100.0 / k as f64,
                        names(data, members)
                    ),
                    "see what they have in common (an account, a model, a misread instruction) and leave them out",
                )
                .with(s),
            );
        }
    }
    findings.extend(copy_findings(data, &found, tests));
    let list: Vec<Value> = groups
        .members
        .iter()
        .enumerate()
        .map(|(g, m)| {
            let who: Vec<&str> = m.iter().map(|&j| data.table.annotators().name(j as usize)).collect();
            let right = accuracy.get(g).filter(|a| a.1 > 0.0).map(|a| a.0 / a.1);
            json!({"annotators": who, "correlation": groups.correlation[g], "agrees_with_result": right})
        })
        .collect();
    let details = &mut out.diagnostics.details;
    details.insert("groups".into(), list.into());
    if let Some(s) = &groups.schools {
        details.insert("schools".into(), json!(s));
    }
    if !groups.eigenvalues.is_empty() {
        details.insert("eigenvalues".into(), json!(groups.eigenvalues));
    }
    if groups.looked_at < groups.annotators {
        details.insert("annotators_looked_at".into(), json!(groups.looked_at));
    }
    if let Some(p) = panel {
        details.insert("panel".into(), json!(p));
    }
    out.findings.extend(findings);
}

/// Two schools and nobody else: who is right cannot be known.
fn two_schools(data: &Dataset, schools: &Schools) -> Finding {
    let some: Vec<String> = schools
        .list
        .iter()
        .map(|s| format!("{} annotators with a κ of {:.2} ({})", s.members.len(), s.kappa, names(data, &s.members)))
        .collect();
    Finding::new(
        "two-schools",
        Severity::Warning,
        Subject::Data,
        format!(
            "annotators fall into schools with different views, and no labels tell which of them is right: {}; all count on their own",
            some.join("; ")
        ),
        "find the truth of some items on which they differ, and leave out the others or give them a group: ⟦--groups FILE⟧",
    )
}

fn dependent(data: &Dataset, groups: &Groups, panel: Option<(f64, f64)>) -> Finding {
    let some: Vec<String> = groups
        .members
        .iter()
        .zip(&groups.correlation)
        .take(NAMED)
        .map(|(m, r)| {
            let alike = r.map_or(String::new(), |r| format!(" with a mean correlation of {r:.2}"));
            format!("{} annotators{alike} ({})", m.len(), names(data, m))
        })
        .collect();
    let worth = panel.map_or(String::new(), |(judges, effective)| {
        format!("; {judges:.1} judges per item are worth {effective:.1} independent ones")
    });
    Finding::new(
        "dependent-annotators",
        if groups.given { Severity::Info } else { Severity::Warning },
        Subject::Data,
        if groups.given {
            format!("annotators count as {} groups, as given: {}{worth}", groups.members.len(), some.join("; "))
        } else {
            format!(
                "annotators fall into {} groups that answer alike beyond what the truth explains: {}{worth}",
                groups.members.len(),
                some.join("; ")
            )
        },
        "more annotators of the same group add little: ask others",
    )
}
