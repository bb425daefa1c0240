//! What is true of each unit, read from the fit one row at a time: nothing is copied for millions of items.

use crate::{Dataset, Fit, Truth, Units, stats};
use serde::{Deserialize, Serialize};

/// The class of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelRow {
    pub unit: usize,
    /// The most probable class, the first of those that are tied.
    pub class: usize,
    pub probability: f64,
    /// Another class is as probable.
    pub tied: bool,
    /// Uncertainty that is left, 0 to log2 K.
    pub entropy_bits: f64,
    /// Largest probability less the second largest.
    pub margin: f64,
    /// Labels on this unit.
    pub n: usize,
}

/// The value of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueRow {
    pub unit: usize,
    /// `None` where nobody gave a value.
    pub value: Option<f64>,
    /// Standard error of the value.
    pub sd: Option<f64>,
    pub n: usize,
}

/// The score of one compared item.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreRow {
    pub item: usize,
    pub score: f64,
    pub interval: [f64; 2],
    /// Scores of different components are not comparable.
    pub component: u32,
    /// Place within the component, 1 = best; equal scores share a place.
    pub rank: usize,
    /// Best and worst place that the comparisons allow, where the method tells.
    pub ranks: Option<[u32; 2]>,
    /// Comparisons in which the item took part.
    pub n: usize,
}

/// The cluster of one judged item.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterRow {
    pub item: usize,
    pub cluster: u32,
    /// How sure it is that the item belongs there.
    pub confidence: f64,
    /// Items in the cluster.
    pub size: usize,
    /// Judgements in which the item took part.
    pub n: usize,
}

/// The answers of a fit, row by row.
#[derive(Clone, Debug)]
pub struct LabelView<'a> {
    data: &'a Dataset,
    fit: &'a Fit,
    /// Ranks (sizes of clusters) and numbers of comparisons, for scores and clusters only.
    ranks: Vec<(usize, usize)>,
}

impl<'a> LabelView<'a> {
    pub fn new(data: &'a Dataset, fit: &'a Fit) -> Self {
        LabelView { data, fit, ranks: ranks(data, fit) }
    }

    /// Number of rows: units, or items where the fit has scores or clusters.
    pub fn len(&self) -> usize {
        match &self.fit.truth {
            Truth::Classes { k, posterior } => posterior.len() / (*k).max(1),
            Truth::Real { value, .. } => value.len(),
            Truth::Scores { score, .. } => score.len(),
            Truth::Clusters { cluster, .. } => cluster.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The class probabilities of unit `u`; empty for other fits.
    pub fn posterior(&self, u: usize) -> &'a [f64] {
        self.fit.posterior().map_or(&[], |(k, p)| &p[u * k..(u + 1) * k])
    }

    /// The row of unit `u` of a fit of classes.
    ///
    /// # Panics
    /// When the fit is of another kind: see [`LabelView::value_row`] and [`LabelView::score_row`].
    pub fn row(&self, u: usize) -> LabelRow {
        let p = self.posterior(u);
        assert!(!p.is_empty(), "the fit has no classes");
        let class = stats::argmax(p);
        LabelRow {
            unit: u,
            class,
            probability: p[class],
            tied: stats::n_tied(p) > 1,
            entropy_bits: stats::entropy_bits(p).max(0.0),
            margin: margin(p),
            n: self.data.table.degree(u),
        }
    }

    /// The row of unit `u` of a fit of real values.
    ///
    /// # Panics
    /// When the fit is of another kind.
    pub fn value_row(&self, u: usize) -> ValueRow {
        let Truth::Real { value, sd } = &self.fit.truth else { panic!("the fit has no real values") };
        let known = |x: f64| x.is_finite().then_some(x);
        ValueRow { unit: u, value: known(value[u]), sd: known(sd[u]), n: self.data.table.degree(u) }
    }

    /// The row of item `i` of a fit of scores.
    ///
    /// # Panics
    /// When the fit is of another kind.
    pub fn score_row(&self, i: usize) -> ScoreRow {
        let Truth::Scores { score, interval, component, ranks } = &self.fit.truth else {
            panic!("the fit has no scores")
        };
        let (rank, n) = self.ranks[i];
        ScoreRow {
            item: i,
            score: score[i],
            interval: interval[i],
            component: component[i],
            rank,
            ranks: ranks.get(i).copied(),
            n,
        }
    }

    /// The row of item `i` of a fit of clusters.
    ///
    /// # Panics
    /// When the fit is of another kind.
    pub fn cluster_row(&self, i: usize) -> ClusterRow {
        let Truth::Clusters { cluster, confidence, .. } = &self.fit.truth else { panic!("the fit has no clusters") };
        let (size, n) = self.ranks[i];
        ClusterRow { item: i, cluster: cluster[i], confidence: confidence[i], size, n }
    }
}

/// Largest probability less the second largest.
pub(super) fn margin(p: &[f64]) -> f64 {
    let (mut first, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for &x in p {
        if x > first {
            (first, second) = (x, first);
        } else if x > second {
            second = x;
        }
    }
    if second == f64::NEG_INFINITY { first } else { first - second }
}

fn ranks(data: &Dataset, fit: &Fit) -> Vec<(usize, usize)> {
    let (score, component) = match &fit.truth {
        Truth::Scores { score, component, .. } => (score, component),
        Truth::Clusters { cluster, .. } => {
            let mut size = vec![0; cluster.iter().max().map_or(0, |&c| c as usize + 1)];
            cluster.iter().for_each(|&c| size[c as usize] += 1);
            let mut out: Vec<(usize, usize)> = cluster.iter().map(|&c| (size[c as usize], 0)).collect();
            count_pairs(data, &mut out);
            return out;
        }
        Truth::Classes { .. } | Truth::Real { .. } => return Vec::new(),
    };
    let mut out = vec![(0, 0); score.len()];
    let mut order: Vec<usize> = (0..score.len()).collect();
    order.sort_by(|&a, &b| {
        component[a].cmp(&component[b]).then(score[b].total_cmp(&score[a])).then(a.cmp(&b)) // best first
    });
    let mut start = 0;
    for at in 0..order.len() {
        let (i, before) = (order[at], if at > 0 { Some(order[at - 1]) } else { None });
        if before.is_none_or(|b| component[b] != component[i]) {
            start = at;
        }
        out[i].0 = match before {
            Some(b) if component[b] == component[i] && score[b] == score[i] => out[b].0,
            _ => at - start + 1,
        };
    }
    count_pairs(data, &mut out);
    out
}

/// Adds for every item the number of labels on pairs that it is part of.
fn count_pairs(data: &Dataset, out: &mut [(usize, usize)]) {
    if let Units::Pairs(pairs) = data.table.units() {
        for (u, &[l, r]) in pairs.iter().enumerate() {
            let n = data.table.degree(u);
            out[l as usize].1 += n;
            out[r as usize].1 += n;
        }
    }
}
