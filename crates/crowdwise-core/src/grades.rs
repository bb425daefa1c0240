//! Classes that are grades: which orders are recognised, and putting the classes of a table in order.

mod scales;

use crate::values::{Codes, Values};
use crate::{Categorical, Error, Names, Table};

/// What was said about an order of the classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Nothing: well-known scales are recognised; numbers that look like grades are pointed out.
    #[default]
    Unsaid,
    /// They have none.
    None,
    /// They have their natural one: that of a well-known scale, of numbers, or of the alphabet.
    Natural,
    /// They have this one, from one end to the other.
    Given(Vec<String>),
}

impl Table {
    /// Puts the classes in order, and says what there is to say about it. Tables of other labels have nothing to put in order.
    pub fn put_in_order(&mut self, order: &Order) -> Result<Option<String>, Error> {
        let Some(labels) = self.categorical() else { return Ok(None) };
        let names: Vec<&str> = labels.classes.iter().collect();
        let by_name = scales::natural(&names);
        let (ordered, places, note) = match order {
            Order::None => (false, None, None),
            Order::Given(given) => {
                let (places, note) = as_given(&names, given)?;
                (true, Some(places), note)
            }
            Order::Natural => {
                let unknown =
                    by_name.is_none() && names.len() > 2 && !names.iter().all(|n| scales::number(n).is_some());
                let note = unknown.then(|| {
                    format!("classes in the order of the alphabet: {}; ⟦--order A,B,C⟧ gives another", listed(&names))
                });
                (true, by_name, note)
            }
            Order::Unsaid => {
                if let Some(places) = by_name {
                    let sorted: Vec<&str> = places.iter().map(|&p| names[p as usize]).collect();
                    let note = format!("classes taken as ordered: {}; ⟦--unordered⟧ if they are not", listed(&sorted));
                    (true, Some(places), Some(note))
                } else {
                    // numbers may be mere names, so they are never taken as grades unasked
                    let alike = scales::steps(&names) && Nearness::of(&labels).is_some_and(|n| n.firm());
                    let note = alike
                        .then(|| format!("the classes {} look like grades; ⟦--ordered⟧ if they are", listed(&names)));
                    (false, None, note)
                }
            }
        };
        if let Some(places) = places.filter(|p| !p.is_sorted()) {
            self.renumber_classes(&places);
        }
        if let Values::Categorical { ordered: flag, .. } = &mut self.values {
            *flag = ordered;
        }
        Ok(note)
    }

    /// Gives the classes new numbers: the first of `places` is the old number of the new first class.
    fn renumber_classes(&mut self, places: &[u32]) {
        let Values::Categorical { classes, codes, .. } = &mut self.values else { return };
        let mut new = vec![0; places.len()];
        places.iter().enumerate().for_each(|(n, &old)| new[old as usize] = n as u32);
        match codes {
            Codes::U8(v) => v.iter_mut().for_each(|c| *c = new[usize::from(*c)] as u8),
            Codes::U16(v) => v.iter_mut().for_each(|c| *c = new[usize::from(*c)] as u16),
        }
        *classes = places.iter().map(|&p| classes.name(p as usize)).collect();
    }
}

/// The places of the classes of a well-known scale in its order, for whoever numbers classes that are known to be ordered.
pub(crate) fn natural(classes: &Names) -> Option<Vec<u32>> {
    scales::natural(&classes.iter().collect::<Vec<_>>())
}

/// Places of the classes in the order that a user gave. All classes must be in it; a grade that nobody gave may be.
fn as_given(names: &[&str], given: &[String]) -> Result<(Vec<u32>, Option<String>), Error> {
    let hint = Some("name every class once, from one end of the scale to the other".into());
    let place = |g: &String| names.iter().position(|n| n == g).map(|p| p as u32);
    let twice: Vec<&str> =
        given.iter().enumerate().filter(|(n, g)| given[..*n].contains(g)).map(|(_, g)| g.as_str()).collect();
    if !twice.is_empty() {
        return Err(Error::Usage { what: format!("the order of the classes has {} twice", listed(&twice)), hint });
    }
    let left: Vec<&str> = names.iter().copied().filter(|n| !given.iter().any(|g| g == n)).collect();
    if !left.is_empty() {
        return Err(Error::Usage { what: format!("the order of the classes lacks {}", listed(&left)), hint });
    }
    let unused: Vec<&str> = given.iter().filter(|g| place(g).is_none()).map(String::as_str).collect();
    let note = (!unused.is_empty()).then(|| format!("classes of the order that nobody gave: {}", unused.join(", ")));
    Ok((given.iter().filter_map(place).collect(), note))
}

/// Classes that a message names at most.
const SHOWN: usize = 12;

fn listed(names: &[&str]) -> String {
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
}

/// Errors of the mean distance that it must lie below that of classes without an order.
const FIRM: f64 = 3.0;

/// Items with labels that differ, below which nothing is said.
const FEW: usize = 10;

/// How near labels of an item that differ are to each other on the order of the classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearness {
    /// Their mean distance, as a share of what it would be if only the frequencies of the classes counted.
    pub share: f64,
    /// Its standard error over items.
    pub error: f64,
    /// No two classes could change places and bring differing labels nearer to each other.
    pub best: bool,
}

impl Nearness {
    /// `None`: fewer than ten items with labels that differ.
    pub fn of(labels: &Categorical<'_>) -> Option<Nearness> {
        let (k, table) = (labels.k(), labels.table);
        let mut votes = vec![0.0; k];
        // of the items with labels that differ: pairs, and the sum of their distances
        let mut seen = Vec::new();
        let mut share = vec![0.0; k];
        let mut pairs = vec![0.0; k * k];
        for u in 0..table.n_units() {
            votes.fill(0.0);
            labels.votes(u, &mut votes);
            let n: f64 = votes.iter().sum();
            let same: f64 = votes.iter().map(|v| v * v).sum();
            if n * n <= same {
                continue;
            }
            // one label weighs as much on every such item
            share.iter_mut().zip(&votes).for_each(|(s, v)| *s += v / n);
            let mut distance = 0.0;
            for a in (0..k).filter(|&a| votes[a] > 0.0) {
                for b in (0..a).filter(|&b| votes[b] > 0.0) {
                    let both = 2.0 * votes[a] * votes[b] / (n * n);
                    pairs[a * k + b] += both;
                    distance += both * (a - b) as f64;
                }
            }
            seen.push(((n * n - same) / (n * n), distance));
        }
        if seen.len() < FEW {
            return None;
        }
        let all: f64 = share.iter().sum();
        share.iter_mut().for_each(|s| *s /= all);
        let mut order: Vec<usize> = (0..k).collect();
        let near = relative(&pairs, &share, &order);
        let (total, distance) = seen.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
        let mean = distance / total;
        // a ratio of two sums over items: its error by the residuals
        let rest: f64 = seen.iter().map(|(x, y)| (y - mean * x).powi(2)).sum();
        let error = rest.sqrt() / total * near / mean;
        let mut best = true;
        for a in 0..k {
            for b in 0..a {
                order.swap(a, b);
                best &= relative(&pairs, &share, &order) >= near;
                order.swap(a, b);
            }
        }
        Some(Nearness { share: near, error, best })
    }

    /// Labels that differ are nearer to each other than they would be if the order meant nothing, beyond chance.
    pub fn beyond_chance(&self) -> bool {
        self.share <= 1.0 - FIRM * self.error
    }

    /// And so in this order of the classes rather than in another. Numbers may be mere names; classes that are confused with
    /// each other then seldom have neighbouring numbers all along.
    fn firm(&self) -> bool {
        self.beyond_chance() && self.best
    }
}

/// Mean distance of pairs with the classes in places `order`, as a share of that of labels drawn by their frequencies.
fn relative(pairs: &[f64], share: &[f64], order: &[usize]) -> f64 {
    let k = share.len();
    let (mut seen, mut all, mut expected, mut differ) = (0.0, 0.0, 0.0, 0.0);
    for a in 0..k {
        for b in 0..a {
            let distance = order[a].abs_diff(order[b]) as f64;
            seen += distance * pairs[a * k + b];
            all += pairs[a * k + b];
            expected += distance * share[a] * share[b];
            differ += share[a] * share[b];
        }
    }
    seen / all * differ / expected
}

#[cfg(test)]
mod tests;
