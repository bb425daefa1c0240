//! Answers that cannot all be meant: tags beside a tag scheme, classes in two spellings, and judgements of pairs that
//! contradict each other.

use super::tags::TagSet;
use crate::{Dataset, Finding, Severity, Structure, Subject, Units, Values, group};
use std::collections::BTreeMap;

/// What is wrong with the answers by themselves, whatever the fit.
pub(super) fn of_answers(data: &Dataset) -> Vec<Finding> {
    let mut out: Vec<Finding> = unknown_tags(data).into_iter().collect();
    out.extend(spellings(data));
    out.extend(judgements(data));
    out
}

/// One tag that is none silently turns spans off.
fn unknown_tags(data: &Dataset) -> Option<Finding> {
    let Structure::Chains { .. } = &data.structure else { return None };
    let labels = data.table.categorical()?;
    let e = TagSet::read(labels.classes.iter(), &data.source).err()?;
    let advice = e.hint().unwrap_or_else(|| "correct these tags".into());
    let message =
        format!("these are not read as tags of spans: {}", e.to_string().replace(&data.source, "the answers"));
    Some(Finding::new("unknown-tags", Severity::Warning, Subject::Data, message, advice))
}

/// A name as people mean it: without regard to case, blanks and what joins words.
fn meant(name: &str) -> String {
    let joined = |c: char| c.is_whitespace() || c == '_' || c == '-';
    // a sign before a number is no such thing
    if name.trim().parse::<f64>().is_ok() {
        return name.trim().to_owned();
    }
    name.split(joined).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Names that differ in case, blanks, hyphens and underscores only, each group in its order.
pub fn alike_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Vec<&'a str>> {
    let mut by: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    names.into_iter().for_each(|n| by.entry(meant(n)).or_default().push(n));
    by.into_values().filter(|same| same.len() > 1).collect()
}

/// Groups of names in a sentence.
pub fn alike_text(all: &[Vec<&str>]) -> String {
    let one = |same: &Vec<&str>| same.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" and ");
    let shown: Vec<String> = all.iter().take(5).map(one).collect();
    format!("{}{}", shown.join(", "), if all.len() > 5 { ", …" } else { "" })
}

fn spellings(data: &Dataset) -> Option<Finding> {
    let all = alike_names(data.table.categorical()?.classes.iter());
    (!all.is_empty()).then(|| {
        Finding::new(
            "alike-classes",
            Severity::Warning,
            Subject::Data,
            format!("classes that differ only in spelling are treated as different: {}", alike_text(&all)),
            "write each class in one way, unless they are meant to differ",
        )
    })
}

/// Same and different, said by one annotator of one pair; and what follows from other judgements of the same annotator.
fn judgements(data: &Dataset) -> Vec<Finding> {
    let (Units::Pairs(pairs), Values::Similarity { same }) = (data.table.units(), data.table.values()) else {
        return Vec::new();
    };
    let mut all: Vec<(u32, [u32; 2], bool)> = Vec::with_capacity(same.len());
    for (u, &[a, b]) in pairs.iter().enumerate() {
        for r in data.table.rows(u) {
            all.push((data.table.annotator()[r], [a.min(b), a.max(b)], same[r]));
        }
    }
    all.sort_unstable();
    let pair = |p: [u32; 2]| {
        let [a, b] = p.map(|i| data.table.items().name(i as usize));
        format!("`{a}` and `{b}`")
    };
    let who = |j: u32| data.table.annotators().name(j as usize);
    let (mut both, mut implied) = ((0u64, None), (0u64, None));
    let mut parent: Vec<u32> = (0..data.table.n_items() as u32).collect();
    for own in all.chunk_by(|x, y| x.0 == y.0) {
        let of_pairs = || own.chunk_by(|x, y| x.1 == y.1);
        for one in of_pairs().filter(|one| one[0].2 != one[one.len() - 1].2) {
            both.0 += 1;
            both.1.get_or_insert_with(|| format!("{} by `{}`", pair(one[0].1), who(one[0].0)));
        }
        // judgements that are one-sided tie items together; whoever is then told apart inside a whole contradicts them
        let clear = |said: bool| of_pairs().filter(move |one| one.iter().all(|x| x.2 == said)).map(|one| one[0].1);
        for [a, b] in clear(true) {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b) as usize] = a.min(b);
        }
        for [a, b] in clear(false) {
            if root(&mut parent, a) == root(&mut parent, b) {
                implied.0 += 1;
                implied.1.get_or_insert_with(|| format!("{} by `{}`", pair([a, b]), who(own[0].0)));
            }
        }
        own.iter().flat_map(|x| x.1).for_each(|i| parent[i as usize] = i);
    }
    let mut out = Vec::new();
    let times = |n: u64| if n == 1 { "once".to_owned() } else { format!("{} times", group(n)) };
    if let (n, Some(first)) = both {
        out.push(Finding::new(
            "contradictory-judgements",
            Severity::Warning,
            Subject::Data,
            format!("{} an annotator said of one pair that both are the same and that they are not: {first}", times(n)),
            "all are kept and count in a fit; if they are corrections, keep the last one of each",
        ));
    }
    if let (n, Some(first)) = implied {
        out.push(Finding::new(
            "conflicting-judgements",
            Severity::Info,
            Subject::Data,
            format!("{} an annotator told two items apart that its other judgements tie together: {first}", times(n)),
            "one of these judgements is wrong; `crowd-clusters` weighs them, nobody has to",
        ));
    }
    out
}

fn root(parent: &mut [u32], mut x: u32) -> u32 {
    while parent[x as usize] != x {
        parent[x as usize] = parent[parent[x as usize] as usize];
        x = parent[x as usize];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelKind, TableBuilder};

    fn judged(rows: &[(&str, &str, &str, bool)]) -> Vec<(String, String)> {
        let mut b = TableBuilder::new(LabelKind::Similarity);
        rows.iter().for_each(|&(l, r, j, same)| b.similarity(l, r, j, same));
        let found = judgements(&Dataset::new(b.finish().unwrap()));
        found.into_iter().map(|f| (f.code, f.message)).collect()
    }

    #[test]
    fn judgements_that_contradict_each_other_are_counted() {
        // in either order of the two; by two annotators it is a difference of opinion
        let all =
            judged(&[("a", "b", "j", true), ("b", "a", "j", false), ("a", "b", "k", true), ("c", "b", "k", false)]);
        assert_eq!(all.len(), 1);
        assert!(all[0].0 == "contradictory-judgements" && all[0].1.starts_with("once ") && all[0].1.contains("`j`"));
        // a = b, b = c, but a and c differ
        let all =
            judged(&[("a", "b", "j", true), ("b", "c", "j", true), ("a", "c", "j", false), ("c", "d", "j", false)]);
        assert_eq!(all.len(), 1, "{all:?}");
        assert!(all[0].0 == "conflicting-judgements" && all[0].1.contains("`a` and `c` by `j`"), "{all:?}");
        // the same three by three annotators conflict with nothing
        assert!(judged(&[("a", "b", "j", true), ("b", "c", "k", true), ("a", "c", "l", false)]).is_empty());
    }

    #[test]
    fn names_are_alike_but_for_their_spelling() {
        let all = alike_names(["Sea", "sea ", "sand", "sea-side", "sea_side", "1", "-1", "1.0"]);
        assert_eq!(all, [vec!["Sea", "sea "], vec!["sea-side", "sea_side"]]);
        assert_eq!(alike_text(&all), "`Sea` and `sea `, `sea-side` and `sea_side`");
    }

    #[test]
    fn a_tag_that_is_none_is_said() {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for (n, tag) in ["O", "B-PER", "Z-PER", "I-"].iter().enumerate() {
            b.label(&format!("s:{n}"), "a", tag).unwrap();
        }
        let mut data = Dataset::new(b.finish().unwrap());
        assert!(unknown_tags(&data).is_none(), "no sequence, no spans");
        data.structure = Structure::Chains { starts: vec![0, 4], names: ["s"].into_iter().collect() };
        let f = unknown_tags(&data).unwrap();
        assert!(f.message.contains("`Z-PER`") && f.message.contains("`I-`"), "{}", f.message);
    }
}
