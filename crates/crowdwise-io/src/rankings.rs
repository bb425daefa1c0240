//! Rankings: places, one a row, or whole orders, one a row.

use crate::collect::{Collector, Rows, Tally, again, brief, is_blank};
use crowdwise_core::{Dataset, Error, Names, Rankings};
use std::collections::HashMap;

/// The place of an item behind the ranked ones.
pub const BEHIND: u32 = u32::MAX;

/// Places of rankings, one a row. Several annotators may have ranked the same set: a ranking is that of one of them.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    pub ranking: &'a [u32],
    pub annotator: &'a [u32],
    pub item: &'a [u32],
    /// From 0 or 1 on, without gaps; [`BEHIND`] for items behind the ranked ones.
    pub position: &'a [u32],
    /// Where each row stands, and how that is called (`line`, `row`).
    pub at: &'a [u64],
    pub word: &'static str,
}

/// Rankings of places, and the numbers of their names.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    pub rankings: Rankings,
    /// That of every ranking.
    pub called: Vec<u32>,
    /// What is wrong with rankings, which were left out, and where.
    pub bad: Vec<(u64, String)>,
}

impl Collector<'_> {
    /// One place of a ranking. Without a position the item is behind the ranked ones.
    pub fn place(&mut self, line: u64, ranking: &str, annotator: &str, item: &str, position: &str) {
        if self.blank(line, &[("ranking", Some(ranking)), ("annotator", Some(annotator)), ("item", Some(item))]) {
            return;
        }
        let at = if is_blank(position) { Some(BEHIND) } else { whole(position) };
        let Some(at) = at else {
            return self.tally.bad(line, || format!("the position `{}` is not a whole number", brief(position)));
        };
        let unit = again(&mut self.items, self.rows.unit.last(), item);
        let ranking = again(&mut self.classes, self.rows.code.last(), ranking);
        self.rows.unit.push(unit);
        self.rows.second.push(at);
        self.rows.code.push(ranking);
        self.take_annotator(line, Some(annotator));
    }

    /// A whole ranking: `a > b > c`, where the last place may be shared (`a > b = c`), or the best of `shown`.
    pub fn ballot(&mut self, line: u64, annotator: &str, ranking: &str, shown: Option<&str>) {
        if self.blank(line, &[("annotator", Some(annotator))]) {
            return;
        }
        if is_blank(ranking) {
            self.tally.empty += 1;
            return;
        }
        let order = match order(ranking, shown) {
            Ok(order) => order,
            Err(what) => return self.tally.bad(line, || what),
        };
        let number = self.ballots;
        self.ballots += 1;
        for (item, at) in order {
            let unit = self.items.intern(item);
            self.rows.unit.push(unit);
            self.rows.second.push(at);
            self.rows.code.push(number);
            self.take_annotator(line, Some(annotator));
        }
    }
}

/// A whole number, also as programs write it that know only reals (`2.0`).
pub(crate) fn whole(text: &str) -> Option<u32> {
    let text = text.trim();
    text.parse().ok().or_else(|| text.strip_suffix(".0")?.parse().ok()).filter(|&n| n < BEHIND)
}

/// Items of a ranking that is written as `a > b > c`, with their places; the last may be shared (`a > b = c`), and those of
/// `shown` (`a|b|c`) that are not ranked are behind.
pub fn order<'t>(ranking: &'t str, shown: Option<&'t str>) -> Result<Vec<(&'t str, u32)>, String> {
    let mut out: Vec<(&str, u32)> = Vec::new();
    let places: Vec<&str> = ranking.split('>').collect();
    let last = places.len() - 1;
    for (n, place) in places.iter().enumerate() {
        let items: Vec<&str> = place.split('=').map(str::trim).collect();
        if items.iter().any(|i| i.is_empty()) {
            return Err(format!("`{}` has a place without an item", brief(ranking)));
        }
        let shared = items.len() > 1;
        if shared && n < last {
            let tie = place.trim();
            return Err(format!("`{}` is a tie before the last place, which a ranking cannot hold", brief(tie)));
        }
        out.extend(items.iter().map(|&i| (i, if shared { BEHIND } else { n as u32 + 1 })));
    }
    let ranked = out.len();
    if let Some(text) = shown.filter(|t| !is_blank(t)) {
        let mut set: Vec<&str> = text.split(['|', ';', ',', '>']).map(str::trim).filter(|i| !i.is_empty()).collect();
        if let Some((missing, _)) = out.iter().find(|(i, _)| !set.contains(i)) {
            return Err(format!("`{}` was chosen but is not among those shown (`{}`)", brief(missing), brief(text)));
        }
        set.retain(|i| !out[..ranked].iter().any(|(o, _)| o == i));
        out.extend(set.into_iter().map(|i| (i, BEHIND)));
    }
    let mut sorted: Vec<&str> = out.iter().map(|x| x.0).collect();
    sorted.sort_unstable();
    if let Some(w) = sorted.windows(2).find(|w| w[0] == w[1]) {
        return Err(format!("`{}` stands twice in `{}`", brief(w[0]), brief(ranking)));
    }
    if out.len() < 2 {
        return Err(format!("`{}` is a ranking of one item (items are separated by `>`, best first)", brief(ranking)));
    }
    Ok(out)
}

/// The dataset of all rows; what is wrong with a ranking is counted, and the ranking left out. `names` are those of the
/// rankings, empty where a row was a whole one.
pub(crate) fn assemble(
    rows: &Rows,
    items: Names,
    annotators: Names,
    names: Names,
    tally: &mut Tally,
) -> Result<(Rankings, Names, Names), Error> {
    let places = Places {
        ranking: &rows.code,
        annotator: &rows.annotator,
        item: &rows.unit,
        position: &rows.second,
        at: &rows.line,
        word: "line",
    };
    let found = of_places(&places, &items, &annotators, &names)?;
    tally.add_bad(found.bad);
    let named = !names.is_empty();
    let rankings = if named { found.rankings.named(names, found.called) } else { found.rankings };
    Ok((rankings, items, annotators))
}

/// Rankings of places. `names` are those of the rankings, empty if they have none.
pub fn of_places(places: &Places<'_>, items: &Names, annotators: &Names, names: &Names) -> Result<Ranked, Error> {
    let Places { ranking, annotator, item, position, at: line, word } = *places;
    let mut number: HashMap<(u32, u32), usize> = HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for r in 0..item.len() {
        let at = *number.entry((ranking[r], annotator[r])).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[at].push(r);
    }
    let mut out = Rankings::new(items.len());
    let mut called = Vec::new();
    let mut bad: Vec<(u64, String)> = Vec::new();
    for own in &mut members {
        let (code, who) = (ranking[own[0]], annotator[own[0]]);
        let before = bad.len();
        let title = || {
            let by = annotators.name(who as usize);
            let name = if names.is_empty() { by } else { names.name(code as usize) };
            // a whole ranking has no name, and one an annotator is called like it
            if name == by {
                format!("the ranking by `{}`", brief(by))
            } else {
                format!("ranking `{}` by `{}`", brief(name), brief(by))
            }
        };
        let mut by_item = own.clone();
        by_item.sort_by_key(|&r| (item[r], line[r]));
        for w in by_item.windows(2).filter(|w| item[w[0]] == item[w[1]]) {
            let name = brief(items.name(item[w[1]] as usize));
            bad.push((line[w[1]], format!("`{name}` is in {} twice, first on {word} {}", title(), line[w[0]])));
        }
        own.sort_by_key(|&r| (position[r], line[r]));
        let mut next = u32::from(own.first().is_none_or(|&r| position[r] != 0));
        for (n, &r) in own.iter().enumerate() {
            let at = position[r];
            if at == BEHIND {
                break;
            }
            if n > 0 && position[own[n - 1]] == at {
                let other = line[own[n - 1]];
                bad.push((line[r], format!("position {at} of {} is taken twice, first on {word} {other}", title())));
                continue;
            }
            if at > next {
                let gap = if at - next == 1 { format!("{next}") } else { format!("{next} to {}", at - 1) };
                bad.push((line[r], format!("nobody is at position {gap} of {}", title())));
            }
            next = at.saturating_add(1);
        }
        let ranked = own.iter().filter(|&&r| position[r] != BEHIND).count();
        if own.len() == 1 {
            bad.push((line[own[0]], format!("{} has only one item", title())));
        } else if ranked == 0 {
            bad.push((line[own[0]], format!("no item of {} has a position", title())));
        }
        if bad.len() == before {
            let order: Vec<u32> = own.iter().map(|&r| item[r]).collect();
            out.push_by(who, &order[..ranked], &order[ranked..])?;
            called.push(code);
        }
    }
    bad.sort();
    Ok(Ranked { rankings: out, called, bad })
}

/// The dataset, and what it is made of in words.
pub fn dataset(rankings: Rankings, items: Names, annotators: Names) -> Result<(Dataset, String), Error> {
    let (n, mut long) = (rankings.len(), 0);
    for r in 0..n {
        let (ranked, behind) = rankings.ranking(r);
        long += ranked.len() + behind.len();
    }
    let data = rankings.dataset(items, annotators)?;
    let note = format!(
        "{} of {:.1} items on average, which are {}",
        crate::collect::count(n as u64, "ranking"),
        long as f64 / n.max(1) as f64,
        crate::collect::count(data.table.n_labels() as u64, "comparison")
    );
    Ok((data, note))
}
