//! The labels of a fit as rows, written one at a time.

use crowdwise_core::questions::LabelView;
use crowdwise_core::{Dataset, Fit, Structure, Truth, stats};
use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// What is true of one item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LabelEntry<'a> {
    Class {
        item: Cow<'a, str>,
        /// Of a token: the sequence it stands in, and where.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sequence: Option<Cow<'a, str>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<i64>,
        label: Cow<'a, str>,
        probability: f64,
        /// One probability per class, in the order of `class_names`.
        posterior: Cow<'a, [f64]>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        difficulty: Option<f64>,
    },
    Score {
        rank: usize,
        item: Cow<'a, str>,
        score: f64,
        low: Option<f64>,
        high: Option<f64>,
        /// Scores of different components are not comparable.
        component: u32,
        /// Best and worst place that the comparisons allow.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ranks: Option<[u32; 2]>,
    },
    Cluster {
        item: Cow<'a, str>,
        cluster: u32,
        /// How sure it is that the item belongs there.
        confidence: f64,
        /// Items in the cluster.
        size: usize,
    },
    Value {
        item: Cow<'a, str>,
        value: Option<f64>,
        sd: Option<f64>,
    },
}

/// The sequence that a token stands in and its position there; `None` where there are no sequences.
pub fn place(data: &Dataset, unit: usize) -> Option<(&str, i64)> {
    let Structure::Chains { starts, names } = &data.structure else { return None };
    let chain = starts.partition_point(|&s| s <= unit as u64).checked_sub(1).filter(|&c| c < names.len())?;
    let name = names.name(chain);
    // tokens are called `sequence:position`, and positions need not start at 0
    let said = data.table.items().name(unit).strip_prefix(name).and_then(|rest| rest.strip_prefix(':')?.parse().ok());
    Some((name, said.unwrap_or((unit as u64 - starts[chain]) as i64)))
}

/// The labels of a fit, one after the other: by item, by rank for scores, by cluster for clusters.
#[derive(Clone, Debug)]
pub struct LabelRows<'a> {
    data: &'a Dataset,
    fit: &'a Fit,
    view: LabelView<'a>,
    /// Items by rank or by cluster, for scores and clusters only.
    order: Vec<u32>,
}

impl<'a> LabelRows<'a> {
    pub fn new(data: &'a Dataset, fit: &'a Fit) -> Self {
        let view = LabelView::new(data, fit);
        let mut order: Vec<u32> = (0..view.len() as u32).collect();
        match fit.truth {
            Truth::Scores { .. } => order.sort_by_key(|&i| {
                let row = view.score_row(i as usize);
                (row.component, row.rank, i)
            }),
            Truth::Clusters { ref cluster, .. } => order.sort_by_key(|&i| (cluster[i as usize], i)),
            Truth::Classes { .. } | Truth::Real { .. } => order.clear(),
        }
        LabelRows { data, fit, view, order }
    }

    pub fn len(&self) -> usize {
        self.view.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row at place `at`.
    pub fn get(&self, at: usize) -> LabelEntry<'a> {
        let items = self.data.table.items();
        let finite = |x: f64| x.is_finite().then_some(x);
        match &self.fit.truth {
            Truth::Classes { .. } => {
                // not the whole row of the view: its entropy would cost more than writing
                let posterior = self.view.posterior(at);
                let best = stats::argmax(posterior);
                let classes = self.data.table.categorical().expect("a fit of classes has a table of classes").classes;
                let place = place(self.data, at);
                LabelEntry::Class {
                    item: items.name(at).into(),
                    sequence: place.map(|p| p.0.into()),
                    position: place.map(|p| p.1),
                    label: classes.name(best).into(),
                    probability: posterior[best],
                    posterior: posterior.into(),
                    difficulty: self.fit.difficulty.as_ref().and_then(|d| finite(d[at])),
                }
            }
            Truth::Real { .. } => {
                let row = self.view.value_row(at);
                LabelEntry::Value { item: items.name(at).into(), value: row.value, sd: row.sd }
            }
            Truth::Scores { .. } => {
                let row = self.view.score_row(self.order[at] as usize);
                LabelEntry::Score {
                    rank: row.rank,
                    item: items.name(row.item).into(),
                    score: row.score,
                    low: finite(row.interval[0]),
                    high: finite(row.interval[1]),
                    component: row.component,
                    ranks: row.ranks,
                }
            }
            Truth::Clusters { .. } => {
                let row = self.view.cluster_row(self.order[at] as usize);
                LabelEntry::Cluster {
                    item: items.name(row.item).into(),
                    cluster: row.cluster,
                    confidence: row.confidence,
                    size: row.size,
                }
            }
        }
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = LabelEntry<'a>> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// Labels as they lie in a fit, or as they were read back.
#[derive(Clone, Debug)]
pub enum Labels<'a> {
    Fit(LabelRows<'a>),
    Read(Vec<LabelEntry<'static>>),
}

impl Serialize for Labels<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Labels::Read(rows) => rows.serialize(to),
            Labels::Fit(rows) => {
                let mut seq = to.serialize_seq(Some(rows.len()))?;
                for row in rows.iter() {
                    seq.serialize_element(&row)?;
                }
                seq.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Labels<'_> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Labels::Read(Vec::deserialize(from)?))
    }
}

impl Labels<'_> {
    pub fn len(&self) -> usize {
        match self {
            Labels::Fit(rows) => rows.len(),
            Labels::Read(rows) => rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
