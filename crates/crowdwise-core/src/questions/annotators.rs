//! One row per annotator.

use crate::{Dataset, Fit, stats};
use serde::{Deserialize, Serialize};

/// What is known of one annotator. Fields without a meaning for the kind of label are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnotatorRow {
    pub annotator: usize,
    /// Labels given: what everything else here rests on.
    pub n: u64,
    /// Expected share of these labels that are right under the posterior (preferences: share that agrees with the
    /// ranking).
    pub accuracy: Option<f64>,
    /// 90 % interval of the accuracy: the method's own where it gives one, else the Jeffreys interval of a rate from
    /// `n` labels. It is the sampling error only: it takes the posterior as given.
    pub interval: Option<[f64; 2]>,
    /// Mutual information between truth and label.
    pub information_bits: Option<f64>,
    /// P(says l | truth k), K x K, row = truth: the method's own, else estimated from the posterior with one
    /// pseudo-label per row.
    pub confusion: Option<Vec<f64>>,
    /// Mean share of the other labels on the same units that say the same (`agreement_n` labels have others).
    pub agreement: Option<f64>,
    pub agreement_n: u64,
    /// The number by which the method itself ranks annotators.
    pub weight: Option<f64>,
    /// Classes: the part of the error rate that knowing the confusion matrix recovers. Real values: mean excess over
    /// the truth.
    pub bias: Option<f64>,
    /// Classes: the error rate that is left after every label was replaced by the best guess given it. 1 minus the
    /// largest class share = useless.
    pub error: Option<f64>,
    /// Real values: standard deviation around truth plus bias.
    pub sd: Option<f64>,
    /// 0 = labels carry no information, 1 = perfect or perfectly permuted; shrunk by n / (n + 10).
    pub spammer_score: Option<f64>,
    /// Standard error of the unshrunk spammer score.
    pub spammer_se: Option<f64>,
    /// Codes of the findings about this annotator, e.g. `spammer`.
    pub flags: Vec<String>,
}

/// The table of annotators, in the order of the table.
pub fn annotators(data: &Dataset, fit: &Fit) -> Vec<AnnotatorRow> {
    let table = &data.table;
    let n = table.labels_per_annotator();
    let mut hits = vec![0.0; n.len()];
    if let (Some(c), Some((k, p))) = (table.categorical(), fit.posterior()) {
        for u in 0..table.n_units() {
            for r in table.rows(u) {
                hits[table.annotator()[r] as usize] += p[u * k + c.codes.get(r)];
            }
        }
    }
    (0..n.len())
        .map(|j| {
            let known = fit.posterior().is_some() && n[j] > 0;
            AnnotatorRow {
                annotator: j,
                n: n[j],
                accuracy: known.then(|| hits[j] / n[j] as f64),
                interval: known.then(|| stats::rate_interval(hits[j], n[j] as f64)),
                information_bits: None,
                confusion: fit.annotators.confusion(j),
                agreement: None,
                agreement_n: 0,
                weight: fit.annotators.weight(j),
                bias: None,
                error: None,
                sd: None,
                spammer_score: None,
                spammer_se: None,
                flags: Vec::new(),
            }
        })
        .collect()
}
