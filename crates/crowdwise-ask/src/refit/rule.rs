//! How counts become probabilities, for the methods whose counts can be kept.

use crowdwise_core::{Error, Fit, Problems};
use crowdwise_methods::classes::confusion::{Assignment, DawidSkene};
use crowdwise_methods::classes::pooled::{PooledDawidSkene, Structure};
use crowdwise_numerics::digamma;
use serde::de::DeserializeOwned;

/// What turns the counts of an annotator into the logarithms that a posterior adds: `counts + cells`, normalised over labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Added to the counts of everybody, label x truth.
    pub cells: Vec<f64>,
    /// Expected logarithms under a Dirichlet distribution (digamma) in place of the logarithm of its mean.
    pub expected: bool,
    /// Items with fewer labels are left out of the counts, unless their class is known.
    pub from: usize,
}

impl Rule {
    /// The rule of a fit, or why its method has none.
    pub(super) fn of(fit: &Fit, k: usize) -> Result<Rule, Error> {
        let rule = match fit.provenance.method.as_str() {
            "dawid-skene" => dawid_skene(&parameters(fit)?, k),
            "pooled-dawid-skene" => pooled(&parameters(fit)?, fit, k),
            other => Err(format!("{other} keeps no counts that new labels could be added to")),
        };
        rule.map_err(|what| Error::Unsupported {
            what,
            hint: Some("fit with dawid-skene or pooled-dawid-skene, or fit all labels at once".into()),
        })
    }

    /// Logarithm of a cell (`cell` = count + prior) before its column is normalised; with a column's sum: what normalises it.
    #[inline]
    pub fn ln(&self, cell: f64) -> f64 {
        // sums of differences may end a rounding error below zero
        let cell = cell.max(1e-12);
        if self.expected { digamma(cell) } else { cell.ln() }
    }

    /// Sums of the columns of `counts + cells`.
    pub fn totals(&self, k: usize, counts: &[f64], totals: &mut [f64]) {
        totals.fill(0.0);
        for (row, cells) in counts.chunks_exact(k).zip(self.cells.chunks_exact(k)) {
            totals.iter_mut().zip(row.iter().zip(cells)).for_each(|(t, (c, p))| *t += c + p);
        }
    }

    /// Mean confusion matrix of an annotator with these counts, truth x label.
    pub fn confusion(&self, k: usize, counts: &[f64]) -> Vec<f64> {
        let mut totals = vec![0.0; k];
        self.totals(k, counts, &mut totals);
        (0..k * k)
            .map(|x| (x / k, x % k))
            .map(|(t, l)| (counts[l * k + t] + self.cells[l * k + t]).max(0.0) / totals[t])
            .collect()
    }
}

fn parameters<M: DeserializeOwned>(fit: &Fit) -> Result<M, Error> {
    serde_json::from_value(fit.provenance.params.clone()).map_err(|e| Error::BadData {
        file: "the fit".into(),
        what: format!("its parameters are not those of {}: {e}", fit.provenance.method),
        hint: Some("fit again with this version".into()),
    })
}

fn dawid_skene(p: &DawidSkene, k: usize) -> Result<Rule, String> {
    if p.assignment != Assignment::Soft || p.restarts > 1 || p.alpha < 1e-9 {
        let mut bad = Problems::default();
        bad.require(p.assignment == Assignment::Soft, "assignment", "not soft", "soft");
        bad.require(p.restarts == 1, "restarts", p.restarts, "1");
        bad.require(p.alpha >= 1e-9, "alpha", p.alpha, "above 0");
        let all: Vec<String> = bad.0.iter().map(ToString::to_string).collect();
        return Err(format!("new labels cannot be added to this fit of dawid-skene: {}", all.join("; ")));
    }
    let cells = (0..k * k).map(|x| p.alpha + if x / k == x % k { p.alpha_diagonal } else { 0.0 }).collect();
    Ok(Rule { cells, expected: false, from: 1 })
}

fn pooled(p: &PooledDawidSkene, fit: &Fit, k: usize) -> Result<Rule, String> {
    if p.structure != Structure::Full {
        return Err("new labels can be added to pooled-dawid-skene with structure=full only".into());
    }
    let common: Option<Vec<f64>> =
        fit.diagnostics.details.get("pooled_confusion").and_then(|v| serde_json::from_value(v.clone()).ok());
    let Some(common) = common.filter(|c| c.len() == k * k) else {
        return Err("the fit does not say what its annotators have in common".into());
    };
    Ok(Rule { cells: drawn_to(&common, p.strength, p.prior_accuracy, k), expected: true, from: 1 })
}

/// Half of `strength` on the common matrix (truth x label), half on a diagonal of `accuracy`; label x truth.
fn drawn_to(common: &[f64], strength: f64, accuracy: f64, k: usize) -> Vec<f64> {
    let off = (1.0 - accuracy) / (k.max(2) - 1) as f64;
    let diagonal = if k > 1 { accuracy } else { 1.0 };
    let base = |l: usize, t: usize| if l == t { diagonal } else { off };
    (0..k * k).map(|x| (x / k, x % k)).map(|(l, t)| strength * (common[t * k + l] + base(l, t)) / 2.0).collect()
}
