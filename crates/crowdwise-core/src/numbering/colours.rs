//! What tells items and annotators apart, whatever they are called: a digest of what was said of an item, by whom, what
//! these said of other items, and so on for a few rounds.

use crate::values::{Units, Values};
use crate::{Dataset, GoldValues, Structure};

/// A number per item and per annotator. Equal numbers mean that nothing was found to tell two apart.
pub struct Colours {
    pub items: Vec<u64>,
    pub annotators: Vec<u64>,
}

/// Rounds: the first sees the labels of an item, the next who gave them, the third their other labels.
const ROUNDS: usize = 3;

fn mix(a: u64, b: u64) -> u64 {
    let h = (a ^ b.rotate_left(32)).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let h = (h ^ (h >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ (h >> 32)
}

/// A label as a number whose order is that of the labels.
pub fn bits(values: &Values, row: usize) -> u64 {
    match values {
        Values::Categorical { codes, .. } => codes.get(row) as u64,
        Values::Real { values, .. } => {
            let b = values[row].to_bits();
            if b >> 63 == 1 { !b } else { b | 1 << 63 }
        }
        Values::Preference { codes } => codes[row] as u64,
        Values::Similarity { same } => u64::from(same[row]),
    }
}

pub fn of(data: &Dataset) -> Colours {
    let table = &data.table;
    // classes are told apart by their labels, too: what they are called must not change who comes first
    let mut classes = vec![0u64; table.n_classes()];
    if let Some(c) = table.categorical() {
        c.codes.iter().for_each(|l| classes[l] += 1);
    }
    let mut items = known(data, &classes);
    let mut annotators = vec![1u64; table.n_annotators()];
    let pairs = if let Units::Pairs(p) = table.units() { Some(p) } else { None };
    let mut units = match pairs {
        Some(_) => vec![1u64; table.n_units()],
        None => std::mem::take(&mut items),
    };
    mark_pairs(data, &mut units);
    for _ in 0..ROUNDS {
        let mut heard = vec![0u64; annotators.len()];
        if let Some(p) = pairs {
            units
                .iter_mut()
                .zip(p)
                .for_each(|(u, &[l, r])| *u = mix(*u, mix(items[l as usize], mix(2, items[r as usize]))));
        }
        let label = |r: usize| table.categorical().map_or_else(|| bits(table.values(), r), |c| classes[c.codes.get(r)]);
        for (u, colour) in units.iter_mut().enumerate() {
            // sums: the order of the rows must not matter
            let said = |r: usize| mix(annotators[table.annotator()[r] as usize], label(r));
            *colour = mix(*colour, table.rows(u).fold(0, |sum: u64, r| sum.wrapping_add(said(r))));
        }
        if pairs.is_none() {
            linked(&data.structure, &mut units);
        }
        for (u, &colour) in units.iter().enumerate() {
            for r in table.rows(u) {
                let j = table.annotator()[r] as usize;
                heard[j] = heard[j].wrapping_add(mix(colour, label(r)));
            }
        }
        if let Some(c) = table.categorical() {
            let mut given = vec![0u64; classes.len()];
            for (u, &colour) in units.iter().enumerate() {
                table.rows(u).for_each(|r| given[c.codes.get(r)] = given[c.codes.get(r)].wrapping_add(mix(7, colour)));
            }
            classes.iter_mut().zip(given).for_each(|(c, g)| *c = mix(*c, g));
        }
        annotators.iter_mut().zip(heard).for_each(|(a, h)| *a = mix(*a, h));
        if let Some(p) = pairs {
            let mut seen = vec![0u64; items.len()];
            for (&[l, r], &colour) in p.iter().zip(&units) {
                for (side, i) in [l as usize, r as usize].into_iter().enumerate() {
                    seen[i] = seen[i].wrapping_add(mix(colour, side as u64));
                }
            }
            items.iter_mut().zip(seen).for_each(|(i, s)| *i = mix(*i, s));
        }
    }
    Colours { items: if pairs.is_some() { items } else { units }, annotators }
}

/// What is known of items beside their labels.
fn known(data: &Dataset, classes: &[u64]) -> Vec<u64> {
    let n = data.table.n_items();
    let mut items = vec![1u64; n];
    if let Some(f) = data.features.as_ref().filter(|f| f.rows() == n) {
        for (i, colour) in items.iter_mut().enumerate() {
            *colour = f.row(i).iter().fold(*colour, |h, x| mix(h, u64::from(x.to_bits())));
        }
    }
    if let Some(p) = data.probabilities.as_ref().filter(|p| p.rows() == n) {
        for (i, colour) in items.iter_mut().enumerate() {
            let each = classes.iter().enumerate().map(|(c, &class)| mix(class, p.get(i, c).to_bits()));
            *colour = mix(*colour, each.fold(0, u64::wrapping_add));
        }
    }
    if let Some(a) = &data.attribute {
        for (i, colour) in items.iter_mut().enumerate() {
            *colour = mix(*colour, a.group(i).map_or(0, |g| g as u64 + 1));
        }
    }
    match data.gold.as_ref().map(|g| &g.values) {
        Some(GoldValues::Classes(v)) => {
            v.iter().for_each(|&(i, c)| items[i as usize] = mix(items[i as usize], mix(11, classes[c as usize])));
        }
        Some(GoldValues::Real(v) | GoldValues::Scores(v)) => {
            v.iter().for_each(|&(i, x)| items[i as usize] = mix(items[i as usize], x.to_bits()));
        }
        // clusters have no names: who shares one is not looked at
        Some(GoldValues::Clusters(_) | GoldValues::Preferences(_)) | None => {}
    }
    items
}

/// Known outcomes of pairs.
fn mark_pairs(data: &Dataset, units: &mut [u64]) {
    if let Some(GoldValues::Preferences(v)) = data.gold.as_ref().map(|g| &g.values) {
        v.iter().for_each(|&(u, said)| units[u as usize] = mix(units[u as usize], said as u64 + 1));
    }
}

/// Neighbours belong to what an item is: its sequence and place there, or those it is linked to.
fn linked(structure: &Structure, units: &mut [u64]) {
    match structure {
        Structure::Chains { starts, .. } => {
            for w in starts.windows(2) {
                let chain = &mut units[w[0] as usize..w[1] as usize];
                let whole = chain.iter().fold(3, |h, &u| mix(h, u));
                chain.iter_mut().enumerate().for_each(|(at, u)| *u = mix(mix(*u, whole), at as u64));
            }
        }
        Structure::Graph(edges) => {
            let mut near = vec![0u64; units.len()];
            for &[a, b] in edges {
                let (a, b) = (a as usize, b as usize);
                near[a] = near[a].wrapping_add(mix(5, units[b]));
                near[b] = near[b].wrapping_add(mix(5, units[a]));
            }
            units.iter_mut().zip(near).for_each(|(u, n)| *u = mix(*u, n));
        }
        Structure::Independent | Structure::Rankings(_) => {}
    }
}
