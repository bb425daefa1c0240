//! A dataset as bytes, and two datasets as one.

use crate::data::{Data, Joined};
use crate::kinds::{First, bad};
use crowdwise::{
    Codes, Dataset, Error, Features, Gold, LabelKind, Names, Order, Preference, Probabilities, Rankings, Structure,
    TableBuilder, Units, Values,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A dataset as rows: what pickle keeps. Pairs are units of two items.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    kind: LabelKind,
    source: String,
    items: Names,
    annotators: Names,
    classes: Names,
    ordered: bool,
    pairs: Vec<[u32; 2]>,
    pub unit: Vec<u32>,
    pub annotator: Vec<u32>,
    pub codes: Vec<u32>,
    numbers: Vec<f64>,
    /// (item, text) of known truth.
    gold: Vec<(u32, String)>,
    first: First,
    notes: Vec<String>,
    #[serde(default)]
    chains: Option<(Vec<u64>, Names)>,
    #[serde(default)]
    edges: Option<Vec<[u32; 2]>>,
    #[serde(default)]
    rankings: Option<Rankings>,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    probabilities: Vec<f64>,
    #[serde(default)]
    features: Option<(usize, Vec<f32>, Option<[usize; 3]>)>,
}

impl Kept {
    pub fn of(from: &Data) -> Kept {
        let t = &from.data.table;
        let mut unit = Vec::with_capacity(t.n_labels());
        (0..t.n_units()).for_each(|u| unit.resize(unit.len() + t.degree(u), u as u32));
        let (mut codes, mut numbers) = (Vec::new(), Vec::new());
        let (mut classes, mut ordered) = (Names::new(), false);
        match t.values() {
            Values::Categorical { classes: c, ordered: o, codes: v } => {
                (classes, ordered) = (c.clone(), *o);
                codes = match v {
                    Codes::U8(v) => v.iter().map(|&c| u32::from(c)).collect(),
                    Codes::U16(v) => v.iter().map(|&c| u32::from(c)).collect(),
                };
            }
            Values::Real { values, .. } => numbers.clone_from(values),
            Values::Preference { codes: v } => codes = v.iter().map(|&p| p as u32).collect(),
            Values::Similarity { same } => codes = same.iter().map(|&s| u32::from(s)).collect(),
        }
        let gold = match from.data.gold.as_ref().map(|g| &g.values) {
            Some(crowdwise::GoldValues::Classes(v)) => {
                v.iter().map(|&(u, c)| (u, classes.name(c as usize).to_owned())).collect()
            }
            Some(crowdwise::GoldValues::Real(v) | crowdwise::GoldValues::Scores(v)) => {
                v.iter().map(|&(u, x)| (u, x.to_string())).collect()
            }
            Some(crowdwise::GoldValues::Clusters(v)) => v.iter().map(|&(u, c)| (u, c.to_string())).collect(),
            _ => Vec::new(),
        };
        let (mut chains, mut edges, mut rankings) = (None, None, None);
        match &from.data.structure {
            Structure::Independent => {}
            Structure::Chains { starts, names } => chains = Some((starts.clone(), names.clone())),
            Structure::Graph(e) => edges = Some(e.clone()),
            Structure::Rankings(r) => rankings = Some(r.clone()),
        }
        let row = |p: &Probabilities, i: usize| (0..t.n_classes()).map(|c| p.get(i, c)).collect::<Vec<f64>>();
        let probabilities = from.data.probabilities.as_ref().map(|p| (0..p.rows()).flat_map(|i| row(p, i)).collect());
        Kept {
            kind: t.kind(),
            source: from.data.source.clone(),
            items: t.items().clone(),
            annotators: t.annotators().clone(),
            classes,
            ordered,
            pairs: match t.units() {
                Units::Pairs(p) => p.clone(),
                Units::Items => Vec::new(),
            },
            unit,
            annotator: t.annotator().to_vec(),
            codes,
            numbers,
            gold,
            first: from.first().clone(),
            notes: from.notes.clone(),
            chains,
            edges,
            rankings,
            words: from.data.words.clone(),
            probabilities: probabilities.unwrap_or_default(),
            features: from.data.features.as_ref().map(|f| (f.dim, f.values.clone(), f.image)),
        }
    }

    pub fn restored(self) -> Result<Data, Error> {
        let mut b = TableBuilder::new(self.kind);
        let scale = self.ordered.then(|| self.classes.iter().map(str::to_owned).collect());
        (b.items, b.annotators, b.classes, b.ordered) = (self.items, self.annotators, self.classes, self.ordered);
        for (row, (&u, &j)) in self.unit.iter().zip(&self.annotator).enumerate() {
            let pair = || self.pairs[u as usize];
            match self.kind {
                LabelKind::Categorical => b.label_codes(u, j, self.codes[row])?,
                LabelKind::Real => b.value_codes(u, j, self.numbers[row]),
                LabelKind::Preference => {
                    let outcome = [Preference::Left, Preference::Right, Preference::Tie]
                        .into_iter()
                        .find(|&p| p as u32 == self.codes[row])
                        .unwrap_or(Preference::Tie);
                    b.preference_codes(pair()[0], pair()[1], j, outcome);
                }
                LabelKind::Similarity => b.similarity_codes(pair()[0], pair()[1], j, self.codes[row] == 1),
            }
        }
        let mut data = Dataset::new(b.finish()?);
        if let Some(scale) = scale {
            data.table.put_in_order(&Order::Given(scale))?;
        }
        data.source = self.source;
        if !self.gold.is_empty() {
            let rows: Vec<(String, String)> =
                self.gold.iter().map(|(u, v)| (data.table.items().name(*u as usize).to_owned(), v.clone())).collect();
            let gold = Gold::from_items(&data.table, &rows, "the gold labels")?;
            data = data.with_gold(gold);
        }
        if let Some((starts, names)) = self.chains {
            data.structure = Structure::Chains { starts, names };
        } else if let Some(edges) = self.edges {
            data.structure = Structure::Graph(edges);
        } else if let Some(rankings) = self.rankings {
            data.structure = Structure::Rankings(rankings);
        }
        data.words = self.words;
        if !self.probabilities.is_empty() {
            let k = data.table.n_classes();
            data.probabilities = Some(Probabilities::new(k, self.probabilities, "the probabilities")?);
        }
        data.features = self.features.map(|(dim, values, image)| Features { dim, values, image });
        Ok(Data { data: Arc::new(data), first: self.first.into(), notes: self.notes })
    }

    /// Whether there is something beside the table that another table would not have.
    fn has_more(&self) -> Option<&'static str> {
        if self.chains.is_some() {
            Some("sequences")
        } else if self.edges.is_some() {
            Some("links between items")
        } else if self.rankings.is_some() {
            Some("rankings")
        } else if !self.probabilities.is_empty() {
            Some("probabilities of a classifier")
        } else {
            self.features.as_ref().map(|_| "features")
        }
    }
}

/// The answers of both.
pub fn joined(old: &Data, new: &Data) -> Result<Joined, Error> {
    let (mut all, more) = (Kept::of(old), Kept::of(new));
    if all.kind != more.kind {
        return Err(bad("labels of two kinds cannot be joined".into(), None));
    }
    if let Some(what) = all.has_more().or(more.has_more()) {
        return Err(bad(format!("answers with {what} cannot be joined with others"), Some("fit all of them at once")));
    }
    let classes = [all.classes.clone(), more.classes.clone()];
    let (item, new_items) = renumbered(&mut all.items, &more.items);
    let (annotator, new_annotators) = renumbered(&mut all.annotators, &more.annotators);
    let (class, _) = renumbered(&mut all.classes, &more.classes);
    let before = all.pairs.len() as u32;
    all.pairs.extend(more.pairs.iter().map(|p| [item[p[0] as usize], item[p[1] as usize]]));
    let by_pairs = !more.pairs.is_empty();
    all.unit.extend(more.unit.iter().map(|&u| if by_pairs { before + u } else { item[u as usize] }));
    all.annotator.extend(more.annotator.iter().map(|&j| annotator[j as usize]));
    if all.kind == LabelKind::Categorical {
        all.codes.extend(more.codes.iter().map(|&c| class[c as usize]));
    } else {
        all.codes.extend(&more.codes);
    }
    all.numbers.extend(&more.numbers);
    // what is known later counts
    let known: Vec<(u32, String)> = more.gold.into_iter().map(|(u, v)| (item[u as usize], v)).collect();
    all.gold.retain(|(u, _)| known.iter().all(|(n, _)| n != u));
    all.gold.extend(known);
    all.notes.extend(more.notes);
    all.first = First::default();
    let joined = all.restored()?;
    let place = |names: &Names, c: &str| names.iter().position(|n| n == c).map_or(-1, |n| n as i64);
    let order = joined
        .data
        .table
        .categorical()
        .map_or(Vec::new(), |t| t.classes.iter().map(|c| (place(&classes[0], c), place(&classes[1], c))).collect());
    Ok((joined, new_items, new_annotators, order))
}

/// Adds the names of `new` to `all`: their numbers there, and which of them were not there before.
fn renumbered(all: &mut Names, new: &Names) -> (Vec<u32>, Vec<usize>) {
    all.thaw();
    let mut fresh = Vec::new();
    let mut numbers = Vec::with_capacity(new.len());
    for (n, name) in new.iter().enumerate() {
        let before = all.len();
        numbers.push(all.intern(name));
        if all.len() > before {
            fresh.push(n);
        }
    }
    all.freeze();
    (numbers, fresh)
}
