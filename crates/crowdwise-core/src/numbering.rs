//! One numbering for one set of labels, whatever the order of its rows.
//!
//! Items and annotators are numbered as they first appear. For most methods the numbers are names and nothing else; a
//! sampler, a random start or a choice between equals makes something of them. Such a method says so
//! ([`crate::Method::numbers_matter`]): it gets the data renumbered by what was said of every item and by every annotator, so
//! that the same labels in another order are the same data to the last bit, and its result is numbered back.

mod colours;
mod results;

use crate::values::{Codes, Units, Values};
use crate::{Dataset, Features, Gold, GoldValues, Names, Structure, Table};
use std::sync::OnceLock;

/// The old number of every new one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbering {
    items: Vec<u32>,
    annotators: Vec<u32>,
    /// Units that are pairs have numbers of their own.
    pairs: Option<Vec<u32>>,
    /// The old number of every new sequence.
    chains: Vec<u32>,
}

impl Numbering {
    /// The numbering that the labels themselves give: by a digest of what is known of each, then by name. `None` where the
    /// data is numbered so already.
    pub fn of(data: &Dataset) -> Option<Numbering> {
        let table = &data.table;
        let found = colours::of(data);
        let mut chains = Vec::new();
        let items = if let Structure::Chains { starts, names } = &data.structure {
            // tokens stay together and in order: whole sequences are numbered
            let first: Vec<u64> =
                starts.windows(2).map(|w| found.items.get(w[0] as usize).copied().unwrap_or(0)).collect();
            chains = ordered(&first, names);
            chains.iter().flat_map(|&c| starts[c as usize] as u32..starts[c as usize + 1] as u32).collect()
        } else {
            ordered(&found.items, table.items())
        };
        let annotators = ordered(&found.annotators, table.annotators());
        let pairs = match table.units() {
            Units::Items => None,
            Units::Pairs(p) => {
                let new = inverse(&items);
                let mut order: Vec<u32> = (0..p.len() as u32).collect();
                order.sort_unstable_by_key(|&u| p[u as usize].map(|i| new[i as usize]));
                Some(order)
            }
        };
        let numbering = Numbering { items, annotators, pairs, chains };
        let stays = |v: &[u32]| v.iter().enumerate().all(|(n, &o)| n == o as usize);
        let same = stays(&numbering.items) && stays(&numbering.annotators) && stays(numbering.units());
        (!same).then_some(numbering)
    }

    /// The old number of every new annotator.
    pub fn annotators(&self) -> &[u32] {
        &self.annotators
    }

    fn units(&self) -> &[u32] {
        self.pairs.as_ref().unwrap_or(&self.items)
    }

    /// The same data with new numbers.
    pub fn apply(&self, data: &Dataset) -> Dataset {
        let (item, unit) = (inverse(&self.items), inverse(self.units()));
        let structure = match &data.structure {
            Structure::Independent => Structure::Independent,
            Structure::Chains { starts, names } => {
                let mut at = 0;
                let ends = self.chains.iter().map(|&c| {
                    at += starts[c as usize + 1] - starts[c as usize];
                    at
                });
                Structure::Chains {
                    starts: std::iter::once(0).chain(ends).collect(),
                    names: self.chains.iter().map(|&c| names.name(c as usize)).collect(),
                }
            }
            Structure::Graph(edges) => {
                let mut edges: Vec<[u32; 2]> = edges.iter().map(|e| e.map(|i| item[i as usize])).collect();
                // a neighbour is one whichever side of the line it stands on
                edges.iter_mut().for_each(|e| e.sort_unstable());
                edges.sort_unstable();
                Structure::Graph(edges)
            }
            Structure::Rankings(r) => Structure::Rankings(r.renumbered(&item, &inverse(&self.annotators))),
        };
        Dataset {
            table: self.table(&data.table, &item),
            structure,
            gold: data.gold.as_ref().map(|g| gold(g, &unit, &item)),
            features: data.features.as_ref().map(|f| Features {
                dim: f.dim,
                // rows that are missing are a matter for the method's own check
                values: if f.rows() == self.items.len() {
                    rows(&f.values, f.dim, &self.items)
                } else {
                    f.values.clone()
                },
                image: f.image,
            }),
            probabilities: data.probabilities.as_ref().map(|p| p.renumbered(&self.items)),
            attribute: data.attribute.as_ref().map(|a| a.renumbered(&self.items)),
            words: if data.words.len() == self.items.len() {
                self.items.iter().map(|&i| data.words[i as usize].clone()).collect()
            } else {
                data.words.clone()
            },
            source: data.source.clone(),
        }
    }

    fn table(&self, old: &Table, item: &[u32]) -> Table {
        let annotator = inverse(&self.annotators);
        let mut offsets = Vec::with_capacity(old.offsets.len());
        offsets.push(0);
        let mut order: Vec<u32> = Vec::with_capacity(old.n_labels());
        for &u in self.units() {
            let start = order.len();
            order.extend(old.rows(u as usize).map(|r| r as u32));
            let who = |r: u32| annotator[old.annotator[r as usize] as usize];
            order[start..].sort_by_key(|&r| (who(r), colours::bits(&old.values, r as usize)));
            offsets.push(order.len() as u32);
        }
        let values = match &old.values {
            Values::Categorical { classes, ordered, codes } => Values::Categorical {
                classes: classes.clone(),
                ordered: *ordered,
                codes: match codes {
                    Codes::U8(v) => Codes::U8(rows(v, 1, &order)),
                    Codes::U16(v) => Codes::U16(rows(v, 1, &order)),
                },
            },
            Values::Real { values, range } => Values::Real { values: rows(values, 1, &order), range: *range },
            Values::Preference { codes } => Values::Preference { codes: rows(codes, 1, &order) },
            Values::Similarity { same } => Values::Similarity { same: rows(same, 1, &order) },
        };
        Table {
            items: named(&old.items, &self.items),
            annotators: named(&old.annotators, &self.annotators),
            units: match &old.units {
                Units::Items => Units::Items,
                Units::Pairs(p) => {
                    Units::Pairs(self.units().iter().map(|&u| p[u as usize].map(|i| item[i as usize])).collect())
                }
            },
            offsets,
            annotator: order.iter().map(|&r| annotator[old.annotator[r as usize] as usize]).collect(),
            values,
            by_annotator: OnceLock::new(),
        }
    }
}

/// Numbers in the order of their colours, those of one colour in the order of their names.
fn ordered(colours: &[u64], names: &Names) -> Vec<u32> {
    let mut order: Vec<u32> = (0..colours.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| {
        let by_colour = colours[a as usize].cmp(&colours[b as usize]);
        by_colour.then_with(|| names.name(a as usize).cmp(names.name(b as usize)))
    });
    order
}

fn inverse(order: &[u32]) -> Vec<u32> {
    let mut new = vec![0; order.len()];
    order.iter().enumerate().for_each(|(n, &o)| new[o as usize] = n as u32);
    new
}

/// Rows of `width` numbers: the new n-th is the old `order[n]`-th.
fn rows<T: Copy>(values: &[T], width: usize, order: &[u32]) -> Vec<T> {
    let mut out = Vec::with_capacity(values.len());
    order.iter().for_each(|&o| out.extend_from_slice(&values[o as usize * width..(o as usize + 1) * width]));
    out
}

fn named(names: &Names, order: &[u32]) -> Names {
    let mut out: Names = order.iter().map(|&o| names.name(o as usize)).collect();
    out.freeze();
    out
}

fn gold(gold: &Gold, unit: &[u32], item: &[u32]) -> Gold {
    fn moved<T: Copy>(known: &[(u32, T)], new: &[u32]) -> Vec<(u32, T)> {
        let mut out: Vec<(u32, T)> = known.iter().map(|&(u, x)| (new[u as usize], x)).collect();
        out.sort_by_key(|x| x.0);
        out
    }
    let values = match &gold.values {
        GoldValues::Classes(v) => GoldValues::Classes(moved(v, unit)),
        GoldValues::Real(v) => GoldValues::Real(moved(v, unit)),
        GoldValues::Preferences(v) => GoldValues::Preferences(moved(v, unit)),
        GoldValues::Scores(v) => GoldValues::Scores(moved(v, item)),
        GoldValues::Clusters(v) => {
            let mut v = moved(v, item);
            results::by_first(v.iter_mut().map(|x| &mut x.1));
            GoldValues::Clusters(v)
        }
    };
    Gold { values, unlabelled: gold.unlabelled.clone(), extra_classes: gold.extra_classes.clone() }
}

#[cfg(test)]
mod tests;
