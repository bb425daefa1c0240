//! Which annotators belong together, or which items: a file with the columns annotator (item) and group.

use crate::beside::{Beside, Wanted};
use crate::collect::brief;
use crate::roles::Role;
use crate::tagged::refuse;
use crate::{Read, Source};
use crowdwise_core::{Attribute, Error, Names, Table, group};
use std::collections::BTreeMap;

/// Reads the group of every annotator (CSV, or TSV by its name; further columns are left out), by names.
///
/// Annotators without labels in `table` are left out, which the notes say; if none has any, the file is refused, and so it is
/// if an annotator is in two groups.
pub fn read_groups(source: &Source, table: &Table) -> Result<Read<BTreeMap<String, String>>, Error> {
    let who = Members { role: Role::Annotator, names: table.annotators(), rest: "without labels" };
    let Found { of, names, mut notes, file } =
        who.read(source, Wanted::of(Role::Group), Wanted::of(Role::Annotator))?;
    let name = |j: usize| table.annotators().name(j).to_owned();
    let value: BTreeMap<String, String> =
        of.iter().enumerate().filter_map(|(j, g)| Some((name(j), names.name((*g)? as usize).to_owned()))).collect();
    let (groups, n) = (word(names.len(), "group"), word(value.len(), "annotator"));
    notes.insert(0, format!("{groups} of {n} in {file}"));
    Ok(Read { value, notes })
}

/// Reads the group of every item by one attribute: the columns item and group (or attribute), or the one called `column`, which
/// may be a column of the answers themselves: every item may have several rows that say the same.
///
/// Items of which nothing is said have no group, which the notes count. Items that `table` does not have are left out and counted.
pub fn read_attribute(
    source: &Source,
    table: &Table,
    item: Option<&str>,
    column: Option<&str>,
) -> Result<Read<Attribute>, Error> {
    let who = Members { role: Role::Item, names: table.items(), rest: "that nobody labelled" };
    let group = Wanted { called: Some("attribute"), asked: column, ..Wanted::of(Role::Group) };
    let Found { of, names, mut notes, file } =
        who.read(source, group, Wanted { asked: item, ..Wanted::of(Role::Item) })?;
    let attribute = Attribute::new(of.iter().map(|g| g.map(|g| names.name(g as usize))));
    let with = of.iter().flatten().count();
    notes.insert(0, format!("{} of {} in {file}", word(names.len(), "group"), word(with, "item")));
    if with < of.len() {
        notes.push(format!("{} without a group in {file}", word(of.len() - with, "item")));
    }
    Ok(Read { value: attribute, notes })
}

/// Those who are in groups.
struct Members<'a> {
    role: Role,
    names: &'a Names,
    /// What is true of those that the answers do not have.
    rest: &'static str,
}

struct Found {
    of: Vec<Option<u32>>,
    names: Names,
    notes: Vec<String>,
    file: String,
}

fn word(n: usize, one: &str) -> String {
    format!("{} {one}{}", group(n as u64), if n == 1 { "" } else { "s" })
}

impl Members<'_> {
    fn read(&self, source: &Source, group: Wanted<'_>, own: Wanted<'_>) -> Result<Found, Error> {
        let one = self.role.name();
        let rows = Beside::open(source, &[own, group], &format!("{one} and group"))?;
        let file = rows.file.clone();
        let mut known = self.names.clone();
        known.thaw();
        let mut names = Names::new();
        let mut of: Vec<Option<u32>> = vec![None; known.len()];
        let mut first: BTreeMap<u32, usize> = BTreeMap::new();
        let mut unknown = Names::new();
        let problems = rows.rows(|row, fields| {
            let (Some(who), Some(own)) = (fields[0], fields[1]) else {
                // one without a group is on their own
                return fields[0].is_none().then(|| format!("row {row} has no {one}"));
            };
            let Some(at) = known.get(who) else {
                unknown.intern(who);
                return None;
            };
            let code = names.intern(own);
            match of[at as usize] {
                None => {
                    of[at as usize] = Some(code);
                    first.insert(at, row);
                    None
                }
                Some(other) if other == code => None,
                Some(other) => Some(format!(
                    "`{}` is in two groups: `{}` in row {} and `{}` in row {row}",
                    brief(who),
                    brief(names.name(other as usize)),
                    first[&at],
                    brief(own)
                )),
            }
        })?;
        refuse(&file, &problems, &format!("every {one} is in one group at most"))?;
        if first.is_empty() {
            let first = (!unknown.is_empty()).then(|| unknown.name(0));
            let what = match first {
                Some(name) => format!("has no {one} of the answers (its first is `{}`)", brief(name)),
                None => "has no groups".into(),
            };
            let near = first.and_then(|name| known.nearest(name)).map(|n| format!("did you mean `{n}`?"));
            let hint = near.or_else(|| Some(format!("check that both files use the same {one} ids")));
            return Err(Error::NoData { file, what, hint });
        }
        let mut notes = Vec::new();
        if !unknown.is_empty() {
            let (n, name) = (word(unknown.len(), one), brief(unknown.name(0)));
            notes.push(format!("{n} of {file} {} left out (the first is `{name}`)", self.rest));
        }
        Ok(Found { of, names, notes, file })
    }
}
