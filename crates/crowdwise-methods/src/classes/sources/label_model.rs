//! A label model by matrix completion: rates of votes from how often sources vote together.

mod moments;

use super::votes::{Scores, Votes, balance};
use crate::classes::used_classes::fit_without_unused;
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
    Step,
};
use moments::Moments;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Matrix-completion label model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LabelModel {
    /// Maximum number of steps of the optimiser. They cost no pass over the votes.
    pub max_iter: usize,
    /// Stop when one step changes no rate by more than this.
    pub tol: f64,
    /// Precision of a vote at the start of the fit, and towards which it is pulled.
    pub prior_accuracy: f64,
    /// How strongly.
    pub lambda: f64,
    /// Length of a step (Adam).
    pub learning_rate: f64,
    /// Shares by class name, as a JSON object. Empty: uniform.
    pub class_shares: BTreeMap<String, f64>,
    /// Treat a missing vote as evidence. Without it, items on which nobody votes keep the class shares.
    pub abstentions: bool,
}

impl Default for LabelModel {
    fn default() -> Self {
        LabelModel {
            max_iter: 3000,
            tol: 1e-7,
            prior_accuracy: 0.7,
            lambda: 0.01,
            learning_rate: 0.01,
            class_shares: BTreeMap::new(),
            abstentions: true,
        }
    }
}

/// Rates are kept this far from 0 and 1 when the posterior is made.
const CLIP: f64 = 0.01;

impl Method for LabelModel {
    const INFO: MethodInfo = MethodInfo {
        id: "label-model",
        name: "Label model by matrix completion",
        summary: "Rates of labelling functions from how often they vote together, then a posterior in one pass.",
        doc: include_str!("label_model.md"),
        aliases: &["metal", "snorkel"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities::NONE,
        references: &[Reference {
            text: "A. Ratner, B. Hancock, J. Dunnmon, F. Sala, S. Pandey, C. Ré. Training Complex Models with Multi-Task Weak \
                   Supervision. AAAI 2019.",
            doi: Some("10.1609/aaai.v33i01.33014763"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Sources)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.between("prior_accuracy", self.prior_accuracy, 0.0, 1.0);
        p.within("lambda", self.lambda, 0.0, 1e9);
        p.within("learning_rate", self.learning_rate, 1e-9, 10.0);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        if let Some(out) = fit_without_unused(data, self.class_shares.keys(), cx, |data, cx| self.fit(data, cx))? {
            return Ok(out);
        }
        let labels = data.table.categorical().expect("the kind was checked");
        let (votes, shares) = (Votes::new(&labels), balance(&self.class_shares, &labels)?);
        let k = votes.k;
        let moments = Moments::new(&votes, &shares, self.lambda)?;
        let first = moments.start(self.prior_accuracy);
        let mut rates = first.clone();
        let mut adam = Adam::new(rates.len(), self.learning_rate);
        let mut slope = vec![0.0; rates.len()];
        let run = cx.iterate(self.max_iter, self.tol, |_, _| {
            let error = moments.gradient(&rates, &first, &mut slope);
            let change = adam.step(&slope, &mut rates);
            Ok(Step { objective: Some(error), change })
        })?;
        let mut fire = vec![0.0; rates.len()];
        let mut silent = vec![1.0; votes.sources * k];
        for j in 0..votes.indicators() {
            // a source that hardly ever votes has small rates on every class, and they still differ
            let low = CLIP.min(0.5 * votes.rate(j));
            for c in 0..k {
                let p = rates[j * k + c];
                fire[j * k + c] = p.clamp(low, 1.0 - CLIP).ln();
                silent[votes.source[j] as usize * k + c] -= p;
            }
        }
        silent.iter_mut().for_each(|p| *p = p.max(CLIP).ln());
        let prior: Vec<f64> = shares.iter().map(|p| p.ln()).collect();
        let scores = Scores { prior: &prior, fire: &fire, silent: self.abstentions.then_some(&silent) };
        let mut posterior = vec![0.0; votes.items * k];
        votes.posterior(&scores, None, &mut posterior, cx)?;
        let (right, _) = votes.right(&posterior, cx)?;
        let mut out = Outcome::classes(k, posterior, votes.precision(&right), run.diagnostics("moment-error"));
        out.class_prior = Some(shares);
        out.diagnostics.details.insert("covered_items".into(), votes.covered().into());
        Ok(out)
    }
}

/// Adam on rates, which stay between 0 and 1.
struct Adam {
    mean: Vec<f64>,
    square: Vec<f64>,
    rate: f64,
    steps: i32,
}

impl Adam {
    fn new(n: usize, rate: f64) -> Adam {
        Adam { mean: vec![0.0; n], square: vec![0.0; n], rate, steps: 0 }
    }

    /// Returns the largest change.
    fn step(&mut self, slope: &[f64], x: &mut [f64]) -> f64 {
        self.steps = self.steps.saturating_add(1);
        let (a, b) = (1.0 - 0.9f64.powi(self.steps), 1.0 - 0.999f64.powi(self.steps));
        let mut change = 0f64;
        for (((m, v), &g), x) in self.mean.iter_mut().zip(&mut self.square).zip(slope).zip(x) {
            *m = 0.9 * *m + 0.1 * g;
            *v = 0.999 * *v + 0.001 * g * g;
            let new = (*x - self.rate * (*m / a) / ((*v / b).sqrt() + 1e-8)).clamp(0.0, 1.0);
            change = change.max((new - *x).abs());
            *x = new;
        }
        change
    }
}
