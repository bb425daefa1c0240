//! Tables of sets to tables of units, and back.

use crowdwise_core::questions::split_unit;
use crowdwise_core::{Dataset, Error, Fit, LabelKind, Names, Table, TableBuilder, group, stats};
use std::collections::{BTreeMap, BTreeSet};

/// Separates the classes of a set; alone it is the empty set.
const SIGN: char = '|';
/// Labels that the table of units may have.
const MOST: usize = 100_000_000;
/// Problems that are named.
const NAMED: usize = 5;

/// Which classes become units of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Candidates {
    /// All classes of the table: who does not name a class says no to it.
    #[default]
    All,
    /// Those that somebody named for the item. Smaller, but nobody then says no to what nobody says.
    Said,
}

/// The classes of a label, or what is wrong with it.
fn parse(label: &str) -> Result<Vec<&str>, String> {
    if label.trim() == "|" {
        return Ok(Vec::new());
    }
    let parts: Vec<&str> = label.split(SIGN).map(str::trim).collect();
    if parts.iter().any(|p| p.is_empty()) {
        return Err(format!("`{label}` has an empty class"));
    }
    let mut sorted = parts.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < parts.len() { Err(format!("`{label}` names a class twice")) } else { Ok(parts) }
}

/// The table of units `item|class` with values `no` and `yes`. A label is a set `a|b`, one class, or `|` for none; several
/// labels of one annotator on one item are one set.
pub fn units(data: &Dataset, candidates: Candidates) -> Result<Dataset, Error> {
    let Some(labels) = data.table.categorical() else {
        return Err(Error::WrongLabelKind {
            method: "sets".into(),
            needs: vec![LabelKind::Categorical],
            has: data.table.kind(),
            file: data.source.clone(),
        });
    };
    let table = &data.table;
    let (mut classes, mut sets, mut bad) = (Names::new(), Vec::with_capacity(labels.k()), Vec::new());
    for name in labels.classes.iter() {
        match parse(name) {
            Ok(parts) => sets.push(parts.iter().map(|p| classes.intern(p)).collect::<Vec<u32>>()),
            Err(what) => bad.push(what),
        }
    }
    if !bad.is_empty() {
        let more = if bad.len() > NAMED { format!(" and {} more", bad.len() - NAMED) } else { String::new() };
        bad.truncate(NAMED);
        return Err(Error::BadData {
            file: data.source.clone(),
            what: format!("labels that are not sets: {}{more}", bad.join(", ")),
            hint: Some("write `a|b` for two classes, and `|` alone for none".into()),
        });
    }
    let c = classes.len();
    if candidates == Candidates::All && table.n_labels().saturating_mul(c) > MOST {
        return Err(Error::TooLarge {
            what: format!("{} labels times {} classes", group(table.n_labels() as u64), group(c as u64)),
        });
    }
    let mut b = TableBuilder::new(LabelKind::Categorical);
    let answers = [b.classes.intern("no"), b.classes.intern("yes")];
    for j in 0..table.n_annotators() {
        b.annotators.intern(table.annotators().name(j));
    }
    let mut said: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for u in 0..table.n_units() {
        said.clear();
        for r in table.rows(u) {
            said.entry(table.annotator()[r]).or_default().extend(&sets[labels.codes.get(r)]);
        }
        let wanted: BTreeSet<u32> = match candidates {
            Candidates::All => (0..c as u32).collect(),
            Candidates::Said => said.values().flatten().copied().collect(),
        };
        let item = table.items().name(u);
        for class in wanted {
            let unit = b.items.intern(&format!("{item}{SIGN}{}", classes.name(class as usize)));
            for (&j, own) in &said {
                b.label_codes(unit, j, answers[usize::from(own.contains(&class))])?;
            }
        }
    }
    let mut out = Dataset::new(b.finish()?);
    out.source.clone_from(&data.source);
    if out.table.n_labels() == 0 {
        return Err(Error::NoData {
            file: data.source.clone(),
            what: "has no class in any set".into(),
            hint: Some("every set is empty: there is nothing to tell apart".into()),
        });
    }
    Ok(out)
}

/// Known sets (item, `a|b`) as known units, for [`crowdwise_core::Gold::from_items`] with the table of units. A class of the table that a
/// known set does not name is `no`; several rows of an item are one set.
pub fn gold_rows(units: &Table, rows: &[(String, String)], file: &str) -> Result<Vec<(String, String)>, Error> {
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut bad = Vec::new();
    for (item, set) in rows {
        match parse(set) {
            Ok(parts) => known.entry(item).or_default().extend(parts),
            Err(what) => bad.push(what),
        }
    }
    if !bad.is_empty() {
        bad.truncate(NAMED);
        return Err(Error::BadData {
            file: file.into(),
            what: format!("sets that are none: {}", bad.join(", ")),
            hint: Some("write `a|b` for two classes, and `|` alone for none".into()),
        });
    }
    let mut out = Vec::new();
    let mut there: BTreeSet<&str> = BTreeSet::new();
    for name in units.items().iter() {
        let Some((item, class)) = split_unit(name) else { continue };
        if let Some(set) = known.get(item) {
            out.push((name.to_owned(), if set.contains(class) { "yes" } else { "no" }.to_owned()));
            there.insert(name);
        }
    }
    // classes of known sets that nobody said, and items that nobody labelled
    for (item, set) in &known {
        for class in set {
            let name = format!("{item}{SIGN}{class}");
            if !there.contains(name.as_str()) {
                out.push((name, "yes".to_owned()));
            }
        }
    }
    Ok(out)
}

/// The set of one item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemSet<'a> {
    pub item: &'a str,
    /// Classes that are likelier than not, with their probabilities.
    pub classes: Vec<(&'a str, f64)>,
    /// Probability of exactly this set if the classes of an item are independent.
    pub probability: f64,
}

/// The units of a fit put together again, in the order of the items.
pub fn sets<'a>(data: &'a Dataset, fit: &Fit) -> Vec<ItemSet<'a>> {
    let (Some((k, q)), Some(labels)) = (fit.posterior(), data.table.categorical()) else { return Vec::new() };
    let Some(yes) = labels.classes.iter().position(|c| c == "yes") else { return Vec::new() };
    let mut out: Vec<ItemSet<'a>> = Vec::new();
    for (u, row) in q.chunks_exact(k).enumerate() {
        let Some((item, class)) = split_unit(data.table.items().name(u)) else { continue };
        if out.last().is_none_or(|last| last.item != item) {
            out.push(ItemSet { item, classes: Vec::new(), probability: 1.0 });
        }
        let last = out.last_mut().expect("just pushed");
        let found = stats::argmax(row);
        last.probability *= row[found];
        if found == yes {
            last.classes.push((class, row[yes]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_and_bad_ones_named() {
        assert_eq!(parse("a|b").unwrap(), ["a", "b"]);
        assert_eq!(parse(" a | b c ").unwrap(), ["a", "b c"]);
        assert_eq!(parse("a").unwrap(), ["a"]);
        assert!(parse("|").unwrap().is_empty());
        assert!(parse("a||b").unwrap_err().contains("empty class"));
        assert!(parse("a|b|a").unwrap_err().contains("twice"));
    }
}
