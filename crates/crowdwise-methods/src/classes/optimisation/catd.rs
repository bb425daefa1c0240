//! CATD: weights from the upper confidence limit of an annotator's error (Li and others, 2014).

use super::alternate::{self, Centre, Loss, Rule};
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
};
use crowdwise_numerics::chi_square_quantile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Confidence-aware truth discovery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Catd {
    /// Maximum number of rounds of weights and truths.
    pub max_iter: usize,
    /// Real values: stop when no estimate moves by more than this many typical standard deviations. Classes: stop when none
    /// changes.
    pub tol: f64,
    /// One minus the confidence level of the interval of an annotator's error; the weight uses its upper end.
    pub alpha: f64,
    /// Classes: added to every annotator's number of errors, so that one faultless annotator with few labels does not decide
    /// alone; 0 = as published.
    pub smoothing: f64,
}

impl Default for Catd {
    fn default() -> Self {
        Catd { max_iter: 100, tol: 1e-6, alpha: 0.05, smoothing: 0.5 }
    }
}

/// Losses of 0 would mean infinite weight. Values: whoever begins to lead is followed ever more closely, down to this.
const LEAST: f64 = 1e-10;
const LEAST_OF_VALUES: f64 = 1e-8;

struct Confidence {
    alpha: f64,
    add: f64,
    least: f64,
}

impl Rule for Confidence {
    fn weights(&self, loss: &[f64], labels: &[f64]) -> Vec<f64> {
        let mut quantile: BTreeMap<u64, f64> = BTreeMap::new();
        let mut of = |n: f64| *quantile.entry(n as u64).or_insert_with(|| chi_square_quantile(0.5 * self.alpha, n));
        loss.iter().zip(labels).map(|(l, &n)| of(n) / (l + self.add).max(self.least)).collect()
    }
}

impl Method for Catd {
    const INFO: MethodInfo = MethodInfo {
        id: "catd",
        name: "CATD",
        summary: "Weights from the upper confidence limit of an annotator's error: annotators with few labels count little.",
        doc: include_str!("catd.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical, LabelKind::Real],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "Q. Li, Y. Li, J. Gao, L. Su, B. Zhao, M. Demirbas, W. Fan, J. Han. A Confidence-Aware Approach for Truth Discovery on Long-Tail Data. PVLDB 8(4), 2014.",
            doi: Some("10.14778/2735496.2735505"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Optimisation)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.between("alpha", self.alpha, 0.0, 1.0);
        p.within("smoothing", self.smoothing, 0.0, 1e9);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        if data.table.kind() == LabelKind::Categorical {
            let rule = Confidence { alpha: self.alpha, add: self.smoothing, least: LEAST };
            return alternate::classes(data, cx, self.max_iter, &rule);
        }
        let loss = Loss { power: 2, divided: 2, skip_unanimous: false };
        let rule = Confidence { alpha: self.alpha, add: 0.0, least: LEAST_OF_VALUES };
        alternate::values(data, cx, self.max_iter, self.tol, Centre::Mean, loss, &rule)
    }
}
