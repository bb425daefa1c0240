//! Methods side by side.

use super::{Evaluation, evaluate};
use crate::{AnyMethod, Context, Dataset, Gold, Stop};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Instant;

/// One method of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareRow {
    pub method: String,
    pub params: Value,
    /// Mean over annotators of the probability of their label given everything else on the item.
    pub agreement: Option<f64>,
    /// Annotators that the agreement rests on.
    pub agreement_n: usize,
    /// Half the sum of differences between the class shares of the fit and those of the votes.
    pub drift: Option<f64>,
    /// Mean of -ln P(hidden label), and its standard error.
    pub held_out_log_loss: Option<f64>,
    pub held_out_se: Option<f64>,
    /// Hidden labels scored.
    pub held_out_n: u64,
    /// With known truth only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
    /// Time of the fit to all labels.
    pub elapsed_seconds: f64,
    pub stop: Option<Stop>,
    /// Why there is no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Methods on the same data, in the order they were given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub folds: usize,
    pub methods: Vec<CompareRow>,
}

/// Fits every method, and `folds` times with a part of the labels hidden (fewer than 2 folds: not at all).
pub fn compare(
    data: &Dataset,
    methods: &[Box<dyn AnyMethod>],
    truth: Option<&Gold>,
    folds: usize,
    cx: &mut Context<'_>,
) -> Comparison {
    let mut rows = Vec::new();
    for m in methods {
        let start = Instant::now();
        let fit = m.fit(data, cx);
        let mut row = CompareRow {
            method: m.info().id.into(),
            params: m.params(),
            agreement: None,
            agreement_n: 0,
            drift: None,
            held_out_log_loss: None,
            held_out_se: None,
            held_out_n: 0,
            evaluation: None,
            elapsed_seconds: start.elapsed().as_secs_f64(),
            stop: None,
            error: None,
        };
        match fit {
            Ok(fit) => {
                row.stop = Some(fit.diagnostics.stop);
                row.evaluation = truth.map(|t| evaluate(&fit, data, t));
            }
            Err(e) => row.error = Some(e.to_string()),
        }
        rows.push(row);
    }
    Comparison { folds, methods: rows }
}
