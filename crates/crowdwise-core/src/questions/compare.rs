//! Methods side by side.

use super::findings::ENDINGS;
use super::held_out::{self, Losses};
use super::review::review_with;
use super::tally::Tally;
use super::{Evaluation, criteria, evaluate};
use crate::{AnyMethod, Context, Dataset, Error, Event, Finding, Gold, Severity, Stop, Structure, Subject};
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
    /// What the fit to all labels shows.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Why there is no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The same as an error, for the program that asked.
    #[serde(skip)]
    pub failure: Option<Error>,
}

impl CompareRow {
    /// Codes of the warnings and problems that tell this method from the others, each once: not those about the data,
    /// which all methods share, nor how the iterations ended, which `stop` says.
    pub fn codes(&self) -> Vec<&str> {
        let own = |f: &&Finding| {
            let shared = f.subject == Subject::Data && f.severity < Severity::Problem;
            f.severity > Severity::Info && !shared && !ENDINGS.contains(&f.code.as_str())
        };
        let mut codes: Vec<&str> = Vec::new();
        for f in self.findings.iter().filter(own) {
            if !codes.contains(&f.code.as_str()) {
                codes.push(&f.code);
            }
        }
        codes
    }
}

/// Methods on the same data, in the order they were given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub folds: usize,
    pub methods: Vec<CompareRow>,
}

/// Fits every method, and `folds` times with a part of the labels hidden (fewer than 2 folds: not at all).
///
/// A method that fails, or that the run was interrupted before, keeps its row with the reason; the others are not lost.
///
/// - `agreement` (classes only): for every label of a unit with two or more, the probability that the fit gives it
///   without looking at it; the mean per annotator, then over annotators. Where the fit has no confusion matrices, the
///   (weighted) share of the other labels that are equal.
/// - `held_out_log_loss`: every label of a unit with two or more annotators is hidden once, in one of `folds` folds,
///   together with the other labels of its annotator on that unit; the score is
///   -ln of its probability under the fit to the rest: posterior times confusion matrix (methods without one: expected
///   counts of the training labels, shrunk to those of all annotators), mixed with 0.1 % of an even one so that no
///   label is impossible. Real values: normal around the estimate; comparisons: by the difference of scores, where
///   those of one ranking are hidden together. The standard error is over units, whose labels are not independent. It rewards a good model of the annotators' habits,
///   which is not the same as finding the truth.
pub fn compare(
    data: &Dataset,
    methods: &[Box<dyn AnyMethod>],
    truth: Option<&Gold>,
    folds: usize,
    cx: &mut Context<'_>,
) -> Comparison {
    let warm = cx.warm.take(); // every method starts alike
    let folds = if folds < 2 { 0 } else { folds.min(254) };
    let hidden = (folds >= 2).then(|| Hidden::of(data, folds, cx.seed));
    let rows = methods.iter().map(|m| row(data, m.as_ref(), truth, folds, hidden.as_ref(), cx)).collect();
    cx.warm = warm;
    Comparison { folds, methods: rows }
}

/// The fold in which each row is hidden, and each ranking where there are such.
struct Hidden {
    rows: Vec<u8>,
    rankings: Vec<u8>,
}

impl Hidden {
    fn of(data: &Dataset, folds: usize, seed: u64) -> Hidden {
        match &data.structure {
            Structure::Rankings(r) if r.len() > 1 => {
                let (rankings, rows) = r.folds(&data.table, folds, seed);
                Hidden { rows, rankings }
            }
            Structure::Rankings(r) => {
                Hidden { rows: vec![held_out::NEVER; data.table.n_labels()], rankings: vec![held_out::NEVER; r.len()] }
            }
            _ => Hidden { rows: held_out::folds(&data.table, folds, seed), rankings: Vec::new() },
        }
    }
}

fn row(
    data: &Dataset,
    method: &dyn AnyMethod,
    truth: Option<&Gold>,
    folds: usize,
    hidden: Option<&Hidden>,
    cx: &mut Context<'_>,
) -> CompareRow {
    let mut row = CompareRow {
        method: method.info().id.into(),
        params: method.params(),
        agreement: None,
        agreement_n: 0,
        drift: None,
        held_out_log_loss: None,
        held_out_se: None,
        held_out_n: 0,
        evaluation: None,
        elapsed_seconds: 0.0,
        stop: None,
        findings: Vec::new(),
        error: None,
        failure: None,
    };
    if cx.cancelled() {
        row.error = Some("interrupted before it was tried".into());
        return row;
    }
    cx.event(&Event::Stage { name: row.method.clone() });
    let start = Instant::now();
    let fit = method.fit(data, cx);
    row.elapsed_seconds = start.elapsed().as_secs_f64();
    match fit {
        Ok(mut fit) => {
            row.stop = Some(fit.diagnostics.stop);
            row.evaluation = truth.map(|t| evaluate(&fit, data, t));
            if let Some((a, n)) = criteria::agreement(data, &fit) {
                (row.agreement, row.agreement_n) = (Some(a), n);
            }
            let tally = Tally::of(data, &fit, false);
            row.drift = tally.as_ref().map(Tally::drift);
            review_with(method.info(), data, &mut fit, tally.as_ref());
            row.findings = fit.findings;
        }
        Err(e) => {
            row.error = Some(e.to_string());
            row.failure = Some(e);
            return row;
        }
    }
    if let Some(hidden) = hidden {
        match held(data, method, folds, hidden, cx) {
            Ok(Some((mean, se, n))) => {
                (row.held_out_log_loss, row.held_out_se, row.held_out_n) = (Some(mean), Some(se), n);
            }
            Ok(None) => {}
            Err(e) => row.error = Some(format!("held-out labels: {e}")),
        }
    }
    row
}

/// Mean loss of the hidden labels, its standard error and their number; `None` if there are none.
fn held(
    data: &Dataset,
    method: &dyn AnyMethod,
    folds: usize,
    hidden: &Hidden,
    cx: &mut Context<'_>,
) -> Result<Option<(f64, f64, u64)>, Error> {
    let mut losses = Losses::new(data.table.n_units());
    for which in 0..folds as u8 {
        cx.event(&Event::Stage { name: format!("{}, fold {} of {folds}", method.info().id, which + 1) });
        let train = Dataset {
            table: data.table.filter_rows(|r| hidden.rows[r] != which),
            structure: match &data.structure {
                Structure::Rankings(r) => Structure::Rankings(r.filter(|r| hidden.rankings[r] != which)),
                other => other.clone(),
            },
            gold: data.gold.clone(),
            features: data.features.clone(),
            probabilities: data.probabilities.clone(),
            attribute: data.attribute.clone(),
            words: Vec::new(),
            source: data.source.clone(),
        };
        if train.table.n_labels() == data.table.n_labels() {
            continue; // nothing is hidden in this fold
        }
        let fit = method.estimate(&train, cx)?;
        if cx.cancelled() {
            return Err(Error::Interrupted);
        }
        losses.add(data, &train, &fit, &hidden.rows, which);
    }
    Ok(losses.mean())
}
