//! How groups of items are treated, with names instead of numbers.

use crowdwise_core::Dataset;
use crowdwise_core::questions::{ClassFairness, FairBasis, Fairness, Gap, GroupRate};
use serde::{Deserialize, Serialize};

/// The answer of [`crowdwise_core::questions::fairness`] as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FairnessEntry {
    pub groups: Vec<GroupEntry>,
    /// Items of which no group is known.
    pub ungrouped: usize,
    /// What labels are compared with: `truth` or `posterior`.
    pub basis: String,
    /// Comparisons that the p of annotators are corrected for.
    pub comparisons: usize,
    pub labels: Vec<ClassFairnessEntry>,
    pub annotators: Vec<AnnotatorFairnessEntry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupEntry {
    pub group: String,
    pub items: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnotatorFairnessEntry {
    pub annotator: String,
    pub unfair: bool,
    pub p: Option<f64>,
    pub classes: Vec<ClassFairnessEntry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassFairnessEntry {
    /// The class that counts as positive.
    pub class: String,
    pub groups: Vec<GroupRatesEntry>,
    pub parity_gap: Option<GapEntry>,
    pub fpr_gap: Option<GapEntry>,
    pub fnr_gap: Option<GapEntry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupRatesEntry {
    pub group: String,
    pub n: f64,
    pub accuracy: Option<RateEntry>,
    /// How often the class is said.
    pub said: Option<RateEntry>,
    pub fpr: Option<RateEntry>,
    pub fnr: Option<RateEntry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateEntry {
    pub value: f64,
    pub interval: [f64; 2],
    /// Expected number of cases.
    pub n: f64,
}

/// The largest difference between two groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapEntry {
    /// The group with the higher rate.
    pub high: String,
    pub low: String,
    pub value: f64,
    pub interval: [f64; 2],
    /// Two-sided p, for this annotator and rate alone.
    pub p: f64,
}

impl FairnessEntry {
    pub fn new(data: &Dataset, f: &Fairness) -> FairnessEntry {
        let annotators = f.annotators.iter().map(|a| AnnotatorFairnessEntry {
            annotator: data.table.annotators().name(a.annotator).to_owned(),
            unfair: a.unfair,
            p: a.p,
            classes: a.classes.iter().map(|c| ClassFairnessEntry::new(data, f, c)).collect(),
        });
        FairnessEntry {
            groups: f.groups.iter().map(|(group, items)| GroupEntry { group: group.clone(), items: *items }).collect(),
            ungrouped: f.ungrouped,
            basis: match f.basis {
                FairBasis::Truth => "truth",
                FairBasis::Posterior => "posterior",
            }
            .into(),
            comparisons: f.comparisons,
            labels: f.labels.iter().map(|c| ClassFairnessEntry::new(data, f, c)).collect(),
            annotators: annotators.collect(),
        }
    }
}

impl ClassFairnessEntry {
    fn new(data: &Dataset, f: &Fairness, c: &ClassFairness) -> ClassFairnessEntry {
        let name = |g: usize| f.groups[g].0.clone();
        let gap = |g: Option<Gap>| {
            g.map(|g| GapEntry {
                high: name(g.groups[0]),
                low: name(g.groups[1]),
                value: g.value,
                interval: g.interval,
                p: g.p,
            })
        };
        let rate = |r: Option<GroupRate>| r.map(|r| RateEntry { value: r.value, interval: r.interval, n: r.n });
        let groups = c.groups.iter().map(|g| GroupRatesEntry {
            group: name(g.group),
            n: g.n,
            accuracy: rate(g.accuracy),
            said: rate(g.said),
            fpr: rate(g.fpr),
            fnr: rate(g.fnr),
        });
        let classes = data.table.categorical().expect("fairness of classes").classes;
        ClassFairnessEntry {
            class: classes.name(c.class).to_owned(),
            groups: groups.collect(),
            parity_gap: gap(c.parity),
            fpr_gap: gap(c.fpr),
            fnr_gap: gap(c.fnr),
        }
    }
}
