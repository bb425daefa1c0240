//! Findings, grouped by what is wrong: one entry for a thousand annotators with too few labels.

use super::PageInput;
use super::parts::{listed, name};
use crate::number::count;
use crowdwise_core::{Finding, Severity, Subject};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Findings of one code.
struct Group<'a> {
    severity: Severity,
    members: Vec<&'a Finding>,
}

/// Names listed per finding, and messages written out per group.
const MOST_NAMES: usize = 24;
const MOST_MESSAGES: usize = 3;

pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Problem => "Problem",
        Severity::Warning => "Warning",
        Severity::Info => "Info",
    }
}

pub fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Problem => "problem",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// Findings of the fit and of the data, worst first; what both say appears once.
pub fn all<'a>(input: &PageInput<'a>) -> Vec<&'a Finding> {
    let mut seen = BTreeSet::new();
    let mut out: Vec<&Finding> = input
        .fit
        .findings
        .iter()
        .chain(&input.inspection.findings)
        .filter(|f| seen.insert((f.code.as_str(), subject_key(&f.subject))))
        .collect();
    out.sort_by_key(|f| std::cmp::Reverse(f.severity));
    out
}

pub fn list(input: &PageInput<'_>) -> Markup {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for f in all(input) {
        match groups.iter_mut().find(|g| g.members[0].code == f.code && g.severity == f.severity) {
            Some(g) => g.members.push(f),
            None => groups.push(Group { severity: f.severity, members: vec![f] }),
        }
    }
    html! {
        @if groups.is_empty() {
            p { "Nothing found that needs attention." }
        } @else {
            ul.findings { @for g in &groups { (entry(g)) } }
        }
    }
}

fn entry(g: &Group<'_>) -> Markup {
    let first = g.members[0];
    let subjects: Vec<Markup> = g.members.iter().filter_map(|f| subject(&f.subject)).collect();
    html! {
        li class=(severity_class(g.severity)) {
            b { (severity_word(g.severity)) ": " (first.code.replace('-', " ")) }
            @if g.members.len() > 1 { " (" (count(g.members.len())) ")" }
            @for f in g.members.iter().take(if subjects.len() > MOST_MESSAGES { 1 } else { MOST_MESSAGES }) {
                (told(f))
            }
            @if subjects.len() > MOST_MESSAGES {
                p.who { "All of them: " (listed(&subjects, MOST_NAMES)) "." }
            }
            p.advice { (with_code(&sentence(&first.advice.to_string()))) }
        }
    }
}

/// The message, after the name that it is about.
fn told(f: &Finding) -> Markup {
    html! {
        p {
            @match subject(&f.subject) {
                Some(who) => { b { (who) } ": " (with_code(f.message.trim_end_matches('.'))) "." }
                None => (with_code(&sentence(&f.message))),
            }
        }
    }
}

/// With a capital at the start and a full stop at the end.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with(['.', '!', '?']) || text.is_empty() { "" } else { "." };
    format!("{start}{}{end}", chars.as_str())
}

/// What stands between backticks is code; one without its partner stays as it is.
fn with_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (n, part) in parts.into_iter().enumerate() {
            @if n.is_multiple_of(2) { (part) } @else { code { (part) } }
        }
    }
}

fn subject(s: &Subject) -> Option<Markup> {
    match s {
        Subject::Annotator(n) | Subject::Item(n) | Subject::Class(n) => Some(name(n)),
        Subject::Data | Subject::Fit => None,
    }
}

fn subject_key(s: &Subject) -> (u8, &str) {
    match s {
        Subject::Data => (0, ""),
        Subject::Fit => (1, ""),
        Subject::Annotator(n) => (2, n),
        Subject::Item(n) => (3, n),
        Subject::Class(n) => (4, n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_marked_and_text_is_escaped() {
        assert_eq!(with_code("use `a<b` now").into_string(), "use <code>a&lt;b</code> now");
        assert_eq!(with_code("a ` alone").into_string(), "a ` alone");
    }
}
