//! CRH: weights and truths that minimise the weighted loss (Li and others, 2014).

use super::alternate::{self, Centre, Loss, Rule};
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an annotator's loss is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CrhLoss {
    /// Per label, shrunk a little to the mean.
    Mean,
    /// Over all labels, as published.
    Sum,
}

/// How far a value is from the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// Estimates are weighted medians.
    Absolute,
    /// Estimates are weighted means.
    Squared,
}

/// CRH, also known as OptCrowd.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Crh {
    /// Maximum number of rounds of weights and truths.
    pub max_iter: usize,
    /// Real values: stop when no estimate moves by more than this many typical standard deviations. Classes: stop when none
    /// changes.
    pub tol: f64,
    /// Loss of an annotator: `mean` per label, or `sum` over all labels as published (which favours those with few).
    pub loss: CrhLoss,
    /// Real values: `absolute` deviations (weighted medians) or `squared` ones (weighted means).
    pub distance: Distance,
}

impl Default for Crh {
    fn default() -> Self {
        Crh { max_iter: 50, tol: 1e-6, loss: CrhLoss::Mean, distance: Distance::Absolute }
    }
}

/// The worst annotator keeps a little weight: losses are compared with the largest times 1 plus this.
const SLACK: f64 = 1e-3;

/// Losses of 0 would mean infinite weight.
const LEAST: f64 = 1e-8;

struct Logarithm {
    loss: CrhLoss,
    /// Losses of one label are at most 1.
    classes: bool,
}

impl Rule for Logarithm {
    fn weights(&self, loss: &[f64], labels: &[f64]) -> Vec<f64> {
        if self.loss == CrhLoss::Sum {
            let floored: Vec<f64> = loss.iter().map(|l| l.max(LEAST)).collect();
            let total: f64 = floored.iter().sum();
            return floored.iter().map(|l| -(l / total).ln()).collect();
        }
        let n: f64 = labels.iter().sum();
        let mean = loss.iter().sum::<f64>() / n.max(1.0);
        // half an error in one more label; for values half a label of the mean loss
        let (add, to) = if self.classes { (0.5, 1.0) } else { (0.5 * mean, 0.5) };
        let each: Vec<f64> = loss.iter().zip(labels).map(|(l, n)| ((l + add) / (n + to)).max(LEAST)).collect();
        let worst = each.iter().copied().fold(LEAST, f64::max) * (1.0 + SLACK);
        each.iter().map(|l| -(l / worst).ln()).collect()
    }
}

impl Method for Crh {
    const INFO: MethodInfo = MethodInfo {
        id: "crh",
        name: "CRH",
        summary: "Truths and annotator weights that minimise the weighted loss, for classes and for real values.",
        doc: include_str!("crh.md"),
        aliases: &["opt-crowd"],
        accepts: &[LabelKind::Categorical, LabelKind::Real],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "Q. Li, Y. Li, J. Gao, B. Zhao, W. Fan, J. Han. Resolving Conflicts in Heterogeneous Data by Truth Discovery and Source Reliability Estimation. SIGMOD 2014.",
            doi: Some("10.1145/2588555.2610509"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Optimisation)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let classes = data.table.kind() == LabelKind::Categorical;
        let rule = Logarithm { loss: self.loss, classes };
        if classes {
            return alternate::classes(data, cx, self.max_iter, &rule);
        }
        let (centre, power) = match self.distance {
            Distance::Absolute => (Centre::Median, 1),
            Distance::Squared => (Centre::Mean, 2),
        };
        let loss = Loss { power, divided: 1, skip_unanimous: true };
        alternate::values(data, cx, self.max_iter, self.tol, centre, loss, &rule)
    }
}
