//! The same data as if its file had been shuffled, and what that changed in a fit.

use crate::values::{Units, Values};
use crate::{
    Annotators, Dataset, Features, Fit, Gold, GoldValues, LabelKind, Names, Rankings, Structure, TableBuilder, Truth,
    stats, stream,
};
use rand::seq::SliceRandom;

/// The same labels with their rows in another order: items and annotators get other numbers. Sequences change places as
/// wholes, and so do rankings.
///
/// # Panics
/// If the data was not made by a [`TableBuilder`].
pub fn reordered(data: &Dataset, seed: u64) -> Dataset {
    let old = &data.table;
    let mut rng = stream(seed, "order of rows", 0);
    if let Structure::Rankings(rankings) = &data.structure {
        return ranked_otherwise(data, rankings, &mut rng);
    }
    let mut b = TableBuilder::new(old.kind());
    let mut structure = Structure::Independent;
    if let Structure::Chains { starts, names } = &data.structure {
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.shuffle(&mut rng);
        let (mut new_starts, mut new_names) = (vec![0], Names::new());
        for c in order {
            new_names.intern(names.name(c));
            (starts[c]..starts[c + 1]).for_each(|i| _ = b.items.intern(old.items().name(i as usize)));
            new_starts.push(b.items.len() as u64);
        }
        structure = Structure::Chains { starts: new_starts, names: new_names };
    }
    if let Some(c) = old.categorical() {
        c.classes.iter().for_each(|c| _ = b.classes.intern(c));
        b.ordered = c.ordered;
    }
    let mut rows: Vec<(usize, usize)> = (0..old.n_units()).flat_map(|u| old.rows(u).map(move |r| (u, r))).collect();
    rows.shuffle(&mut rng);
    for (u, r) in rows {
        let j = b.annotators.intern(old.annotators().name(old.annotator()[r] as usize));
        let mut item = |i: usize| b.items.intern(old.items().name(i));
        let [left, right] = match old.units() {
            Units::Items => [item(u); 2],
            Units::Pairs(p) => p[u].map(|i| item(i as usize)),
        };
        match old.values() {
            Values::Categorical { codes, .. } => {
                b.label_codes(left, j, codes.get(r) as u32).expect("there were as many classes before");
            }
            Values::Real { values, .. } => b.value_codes(left, j, values[r]),
            Values::Preference { codes } => b.preference_codes(left, right, j, codes[r]),
            Values::Similarity { same } => b.similarity_codes(left, right, j, same[r]),
        }
    }
    old.annotators().iter().for_each(|a| _ = b.annotators.intern(a));
    if old.kind() == LabelKind::Categorical || old.kind() == LabelKind::Real {
        old.items().iter().for_each(|i| _ = b.items.intern(i));
    }
    let mut table = b.finish().expect("it was a table before");
    table.items.thaw();
    let items: Vec<u32> = old.items().iter().map(|i| table.items.get(i).expect("every item is there")).collect();
    table.items.freeze();
    let mut place = vec![0; items.len()];
    items.iter().enumerate().for_each(|(o, &n)| place[n as usize] = o);
    if let Structure::Graph(edges) = &data.structure {
        let mut edges: Vec<[u32; 2]> = edges.iter().map(|e| e.map(|i| items[i as usize])).collect();
        edges.shuffle(&mut rng);
        structure = Structure::Graph(edges);
    }
    let unit_of = units(old, &table, &items);
    let gold = data.gold.as_ref().map(|g| {
        fn moved<T: Copy>(v: &[(u32, T)], to: &[u32]) -> Vec<(u32, T)> {
            let mut v: Vec<(u32, T)> = v.iter().map(|&(u, x)| (to[u as usize], x)).collect();
            v.sort_by_key(|x| x.0);
            v
        }
        let values = match &g.values {
            GoldValues::Classes(v) => GoldValues::Classes(moved(v, &unit_of)),
            GoldValues::Real(v) => GoldValues::Real(moved(v, &unit_of)),
            GoldValues::Preferences(v) => GoldValues::Preferences(moved(v, &unit_of)),
            GoldValues::Scores(v) => GoldValues::Scores(moved(v, &items)),
            GoldValues::Clusters(v) => GoldValues::Clusters(moved(v, &items)),
        };
        Gold { values, ..g.clone() }
    });
    let features = data
        .features
        .as_ref()
        .map(|f| Features { values: place.iter().flat_map(|&o| f.row(o).iter().copied()).collect(), ..f.clone() });
    let order: Vec<u32> = place.iter().map(|&o| o as u32).collect();
    let probabilities = data.probabilities.as_ref().map(|p| p.renumbered(&order));
    let words = if data.words.is_empty() { Vec::new() } else { place.iter().map(|&o| data.words[o].clone()).collect() };
    let attribute = data.attribute.as_ref().map(|a| a.renumbered(&order));
    Dataset { table, structure, gold, features, probabilities, attribute, words, source: data.source.clone() }
}

/// Rankings in another order, with items and annotators numbered as they then first appear.
fn ranked_otherwise(data: &Dataset, rankings: &Rankings, rng: &mut impl rand::Rng) -> Dataset {
    let table = &data.table;
    let mut order: Vec<usize> = (0..rankings.len()).collect();
    order.shuffle(rng);
    let (mut items, mut annotators) = (Names::new(), Names::new());
    let mut found = Vec::new();
    for r in order {
        let (ranked, behind) = rankings.ranking(r);
        let mut number =
            |v: &[u32]| -> Vec<u32> { v.iter().map(|&i| items.intern(table.items().name(i as usize))).collect() };
        let (ranked, behind) = (number(ranked), number(behind));
        let who = annotators.intern(table.annotators().name(rankings.annotator(r) as usize));
        found.push((who, ranked, behind, rankings.name(r)));
    }
    let mut out = Rankings::new(items.len());
    let (mut names, mut called) = (Names::new(), Vec::new());
    for (who, ranked, behind, name) in found {
        out.push_by(who, &ranked, &behind).expect("it was a ranking before");
        called.push(names.intern(&name));
    }
    let new = out.named(names, called).dataset(items, annotators).expect("it was a table before");
    Dataset { source: data.source.clone(), ..new }
}

/// The new number of every unit.
fn units(old: &crate::Table, new: &crate::Table, items: &[u32]) -> Vec<u32> {
    match (old.units(), new.units()) {
        (Units::Pairs(a), Units::Pairs(b)) => {
            let at: hashbrown::HashMap<[u32; 2], u32, foldhash::fast::FixedState> =
                b.iter().enumerate().map(|(u, &p)| (p, u as u32)).collect();
            a.iter().map(|p| at[&p.map(|i| items[i as usize])]).collect()
        }
        _ => items.to_vec(),
    }
}

/// How far two fits of the same data in different orders are apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// Largest change of a probability, value or score.
    pub truth: f64,
    /// Units whose class changed, or items whose cluster did.
    pub labels: usize,
    /// Largest change of a number of the annotator model.
    pub annotators: f64,
}

/// What is different between the fit of `a` and that of `b`, which is [`reordered`] from it.
pub fn change(a: (&Dataset, &Fit), b: (&Dataset, &Fit)) -> Change {
    let mut names = b.0.table.items().clone();
    names.thaw();
    let find = |i: &str| names.get(i).expect("the same items");
    let items: Vec<u32> = a.0.table.items().iter().map(find).collect();
    let units = units(&a.0.table, &b.0.table, &items);
    let mut out = Change::default();
    match (&a.1.truth, &b.1.truth) {
        (Truth::Classes { k, posterior: p }, Truth::Classes { posterior: q, .. }) => {
            out.truth = worst(p, q, &units);
            let class = |v: &[f64], u: usize| stats::argmax(&v[u * k..(u + 1) * k]);
            out.labels = units.iter().enumerate().filter(|&(u, &n)| class(p, u) != class(q, n as usize)).count();
        }
        (Truth::Real { value: p, sd: s }, Truth::Real { value: q, sd: t }) => {
            out.truth = worst(p, q, &units).max(worst(s, t, &units));
        }
        (
            Truth::Scores { score: p, interval: s, ranks: r, .. },
            Truth::Scores { score: q, interval: t, ranks: v, .. },
        ) => {
            out.truth = worst(p, q, &items).max(worst(s.as_flattened(), t.as_flattened(), &items));
            out.labels = if r.is_empty() { 0 } else { (0..r.len()).filter(|&i| r[i] != v[items[i] as usize]).count() };
        }
        (Truth::Clusters { cluster: c, same: p, .. }, Truth::Clusters { cluster: d, same: q, .. }) => {
            out.truth = worst(p, q, &units);
            let first = |v: &[u32], of: u32, map: &dyn Fn(usize) -> usize| (0..v.len()).find(|&i| v[map(i)] == of);
            // two items are together in both or in neither: compared through the first of their cluster
            out.labels = (0..c.len())
                .filter(|&i| {
                    let new = |x: usize| items[x] as usize;
                    first(c, c[i], &|x| x) != first(d, d[new(i)], &new)
                })
                .count();
        }
        _ => out.truth = f64::INFINITY,
    }
    let mut names = b.0.table.annotators().clone();
    names.thaw();
    let who: Vec<u32> = a.0.table.annotators().iter().map(|j| names.get(j).expect("the same annotators")).collect();
    let (x, y) = (numbers(&a.1.annotators), numbers(&b.1.annotators));
    out.annotators = x.iter().zip(&y).map(|(x, y)| worst(x, y, &who)).fold(0.0, f64::max);
    out
}

fn numbers(a: &Annotators) -> Vec<&[f64]> {
    match a {
        Annotators::None => vec![],
        Annotators::Weight { weight: v }
        | Annotators::Accuracy { accuracy: v, .. }
        | Annotators::ClassAccuracy { accuracy: v, .. }
        | Annotators::Confusion { matrix: v, .. }
        | Annotators::Ability { ability: v, .. } => vec![v],
        Annotators::Competence { competence, strategy, .. } => vec![competence, strategy],
        Annotators::Gaussian { bias, sd } => vec![bias, sd],
    }
}

/// Largest difference of rows that belong together; two that are not numbers are equal.
fn worst(a: &[f64], b: &[f64], to: &[u32]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let width = a.len().checked_div(to.len()).unwrap_or(0);
    let pairs =
        to.iter().enumerate().flat_map(|(o, &n)| (0..width).map(move |c| (o * width + c, n as usize * width + c)));
    let apart = |(x, y): (f64, f64)| if x == y || (x.is_nan() && y.is_nan()) { 0.0 } else { (x - y).abs() };
    // a number beside one that is none is as far as can be
    pairs.map(|(x, y)| apart((a[x], b[y]))).map(|d| if d.is_nan() { f64::INFINITY } else { d }).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_is_where_it_was_and_every_number_is_another() {
        let mut b = TableBuilder::new(LabelKind::Categorical);
        for n in 0..60 {
            b.label(&format!("i{}", n / 3), &format!("a{}", (n * 7) % 5), &format!("c{}", n % 4)).unwrap();
        }
        let mut data = Dataset::new(b.finish().unwrap());
        data.features = Some(Features { dim: 2, values: (0..40).map(|x| x as f32).collect(), image: None });
        let new = reordered(&data, 1);
        let rows = |d: &Dataset| {
            let (t, c) = (&d.table, d.table.categorical().unwrap());
            let mut out: Vec<_> = (0..t.n_units())
                .flat_map(|u| t.rows(u).map(move |r| (u, r)))
                .map(|(u, r)| {
                    let x = d.features.as_ref().unwrap().row(u)[1] as u32;
                    let who = t.annotators().name(t.annotator()[r] as usize);
                    format!("{} {who} {} {x}", t.items().name(u), c.classes.name(c.codes.get(r)))
                })
                .collect();
            out.sort();
            out
        };
        assert_eq!(rows(&data), rows(&new));
        assert!(data.table.items() != new.table.items() && data.table.annotators() != new.table.annotators());
    }
}
