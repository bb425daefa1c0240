//! Annotators who depend on each other: are they found, is nobody else accused, and what is it worth?

use crowdwise::methods::classes::groups::{Dependence, DependentCrowd, Drawn, GroupAwareEm};
use crowdwise::voices::{self, Schools};
use crowdwise::{AnyMethod, Context, Dataset, Error, stats};
use std::fmt::Write;
use std::ops::Range;

/// The crowds of the table: what depends, annotators, and the share of items that each labels.
const CROWDS: [(&str, Dependence); 9] = [
    ("independent", Dependence::None),
    ("items hard for all", Dependence::Difficulty),
    ("copies of all labels", Dependence::Copies(1.0)),
    ("copies of 95 %", Dependence::Copies(0.95)),
    ("copies of 90 %", Dependence::Copies(0.9)),
    ("copies of 80 %", Dependence::Copies(0.8)),
    ("two schools", Dependence::Schools(0.8)),
    ("three families, views 70 % right", Dependence::Families(0.7)),
    ("three families, views 85 % right", Dependence::Families(0.85)),
];
const PANELS: [(usize, f64); 2] = [(10, 1.0), (20, 0.5)];
/// Methods beside the oracle; those that count every annotator are marked.
const METHODS: [(&str, bool); 6] = [
    ("majority-vote", true),
    ("dawid-skene", true),
    ("dawid-skene", false),
    ("pooled-dawid-skene", false),
    ("auto", false),
    ("group-aware-em", false),
];

/// One crowd over all seeds.
#[derive(Clone, Debug, Default)]
struct Line {
    crowds: usize,
    /// Groups there were, and how many of them were found without anybody missing or too many.
    groups: usize,
    found: usize,
    /// Crowds in which somebody was put together who does not belong together.
    alarms: usize,
    /// Mean accuracy by method, then of the oracle.
    accuracy: Vec<f64>,
}

/// The table in Markdown, over these seeds.
pub fn table(seeds: Range<u64>, items: usize, threads: usize) -> Result<String, Error> {
    let mut out = String::from("| crowd | annotators | groups found | false alarms |");
    for (name, each) in METHODS {
        let _ = write!(out, " {name}{} |", if each { ", each counted" } else { "" });
    }
    out += " oracle |\n|---|---|---|---|";
    out += &"---|".repeat(METHODS.len() + 1);
    out.push('\n');
    for (name, dependence) in CROWDS {
        for (annotators, share) in PANELS {
            let copies = matches!(dependence, Dependence::Copies(_));
            let accuracy = if copies { 0.5 } else { 0.75 };
            let crowd = DependentCrowd { dependence, items, annotators, classes: 4, accuracy, share };
            let line = line(&crowd, seeds.clone(), threads)?;
            let found = if line.groups == 0 { "-".into() } else { format!("{} of {}", line.found, line.groups) };
            let panel = if share < 1.0 { format!("{annotators}, half") } else { format!("{annotators}, all") };
            let _ = write!(out, "| {name} | {panel} | {found} | {} of {} |", line.alarms, line.crowds);
            line.accuracy.iter().for_each(|a| _ = write!(out, " {a:.3} |"));
            out.push('\n');
        }
    }
    Ok(out)
}

fn line(crowd: &DependentCrowd, seeds: Range<u64>, threads: usize) -> Result<Line, Error> {
    let mut out = Line { accuracy: vec![0.0; METHODS.len() + 1], ..Line::default() };
    let n = (seeds.end - seeds.start) as f64;
    for seed in seeds {
        let drawn = crowd.draw(seed)?;
        let have = groups_found(&drawn.data);
        out.crowds += 1;
        out.groups += drawn.groups.len();
        out.found += drawn.groups.iter().filter(|g| have.contains(g)).count();
        // a school or family that is found in parts is not wrong, and neither are those outside of the only group
        let honest = |g: &Vec<u32>| drawn.groups.iter().any(|x| g.iter().all(|j| x.contains(j)));
        let outside = |g: &Vec<u32>| !drawn.groups.is_empty() && drawn.groups.iter().flatten().all(|j| !g.contains(j));
        out.alarms += usize::from(have.iter().any(|g| !honest(g) && !outside(g)));
        for (x, (id, each)) in METHODS.iter().enumerate() {
            let method = crowdwise::find(id)?.default();
            out.accuracy[x] += right(&*method, &drawn, *each, threads)? / n;
        }
        out.accuracy[METHODS.len()] += oracle(&drawn, threads)? / n;
    }
    Ok(out)
}

/// Voices, then schools among those who are left: what a fit would find.
fn groups_found(data: &Dataset) -> Vec<Vec<u32>> {
    let mut out: Vec<Vec<u32>> = voices::find(data).into_iter().map(|v| v.members).collect();
    if out.is_empty() {
        let schools = voices::schools(data);
        let list = schools.iter().flat_map(|s: &Schools| &s.list);
        out.extend(list.map(|s| s.members.clone()));
    }
    out.iter_mut().for_each(|g| g.sort_unstable());
    out
}

fn right(method: &dyn AnyMethod, drawn: &Drawn, each: bool, threads: usize) -> Result<f64, Error> {
    let fit = method.fit(&drawn.data, &mut Context::new(0, threads).with_count_copies(each))?;
    let Some((k, q)) = fit.posterior() else { return Ok(0.0) };
    let hit = |(row, z): (&[f64], &usize)| {
        let tied = stats::tied(row[*z], row[stats::argmax(row)]);
        if tied { 1.0 / stats::n_tied(row) as f64 } else { 0.0 }
    };
    Ok(q.chunks_exact(k).zip(&drawn.truth).map(hit).sum::<f64>() / drawn.truth.len() as f64)
}

/// Accuracy of the group model that knows the groups, and of Dawid-Skene where there are none.
fn oracle(drawn: &Drawn, threads: usize) -> Result<f64, Error> {
    if drawn.groups.is_empty() {
        return right(&*crowdwise::find("dawid-skene")?.default(), drawn, true, threads);
    }
    let names = drawn.data.table.annotators();
    let named = drawn.groups.iter().enumerate();
    let members = named.flat_map(|(g, m)| m.iter().map(move |&j| (j, g)));
    let members = members.map(|(j, g)| (names.name(j as usize).to_owned(), format!("g{g}"))).collect();
    right(&GroupAwareEm { members, ..GroupAwareEm::default() }, drawn, true, threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_line_for_every_crowd_and_no_false_alarm_without_groups() {
        let text = table(0..1, 300, 1).unwrap();
        assert_eq!(text.lines().count(), 2 + CROWDS.len() * PANELS.len(), "{text}");
        let calm = text.lines().filter(|l| l.contains("independent") || l.contains("hard for all"));
        assert!(calm.clone().count() == 4 && calm.clone().all(|l| l.contains("| 0 of 1 |")), "{text}");
    }
}
