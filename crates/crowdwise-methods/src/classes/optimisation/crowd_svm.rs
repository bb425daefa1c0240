//! CrowdSVM: confusion matrices and a margin of weighted votes in one Bayesian model, by Gibbs sampling (Tian and Zhu, 2015).

mod chain;

use super::margin::Votes;
use crate::classes::confusion::shared::check_entries;
use chain::Chain;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, Finding, LabelKind, Method, MethodInfo,
    Outcome, Problems, Reference, Severity, Status, Step, Stop, Subject,
};
use crowdwise_numerics::mcmc::{effective_size, split_rhat};
use crowdwise_numerics::{add_into, normalise};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// CrowdSVM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CrowdSvm {
    /// Number of independent chains, run in parallel.
    pub chains: usize,
    /// Number of sweeps dropped at the start of each chain.
    pub burn_in: usize,
    /// Number of sweeps kept from each chain.
    pub keep: usize,
    /// Cost of a missed margin (the c of the paper).
    pub penalty: f64,
    /// By how much a class should win (the ℓ of the paper), in units of one vote.
    pub margin: f64,
    /// Prior variance of the weights.
    pub variance: f64,
    /// Prior count of every kind of label, for every annotator and class.
    pub alpha: f64,
    /// Use confusion matrices beside the margins; without them it is max-margin majority vote by sampling.
    pub confusion: bool,
}

impl Default for CrowdSvm {
    fn default() -> Self {
        CrowdSvm {
            chains: 4,
            burn_in: 20,
            keep: 200,
            penalty: 0.25,
            margin: 3.0,
            variance: 1.0,
            alpha: 1.0,
            confusion: true,
        }
    }
}

/// Above this split R-hat the chains are said to disagree.
const RHAT_LIMIT: f64 = 1.1;

impl Method for CrowdSvm {
    const INFO: MethodInfo = MethodInfo {
        id: "crowd-svm",
        name: "CrowdSVM",
        summary: "Dawid-Skene and max-margin majority vote in one Bayesian model, by Gibbs sampling.",
        doc: include_str!("crowd_svm.md"),
        aliases: &["crowdsvm", "gibbs-crowdsvm"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, stochastic: true, gold: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "T. Tian, J. Zhu. Max-Margin Majority Voting for Learning from Crowds. NIPS 2015; IEEE Transactions on Pattern Analysis and Machine Intelligence 41(10), 2019.",
                doi: Some("10.1109/TPAMI.2018.2860987"),
            },
            Reference {
                text: "N. G. Polson, S. L. Scott. Data Augmentation for Support Vector Machines. Bayesian Analysis 6(1), 2011.",
                doi: Some("10.1214/11-BA601"),
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Optimisation)
    };

    fn check(&self, p: &mut Problems) {
        p.count("chains", self.chains);
        p.count("keep", self.keep);
        p.positive("penalty", self.penalty);
        p.positive("margin", self.margin);
        p.positive("variance", self.variance);
        p.positive("alpha", self.alpha);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let votes = Votes::new(data);
        let (k, m) = (votes.k, votes.m);
        if k == 1 {
            let annotators = Annotators::Confusion { k, matrix: vec![1.0; m] };
            return Ok(Outcome::classes(k, vec![1.0; votes.units], annotators, Diagnostics::direct()));
        }
        check_entries(m * 3 * self.chains, k, k)?;
        let streams: Vec<_> = (0..self.chains as u64).map(|c| cx.rng("crowd-svm", c)).collect();
        let mut chains: Vec<Chain> =
            cx.install(|| streams.into_par_iter().map(|rng| Chain::new(&votes, rng)).collect())?;
        let run = cx.iterate(self.burn_in + self.keep, 0.0, |cx, sweep| {
            cx.install(|| chains.par_iter_mut().for_each(|c| c.sweep(self, &votes)))?;
            if sweep == self.burn_in {
                chains.iter_mut().for_each(Chain::forget);
            }
            let mean = |f: &dyn Fn(&Chain) -> f64| chains.iter().map(f).sum::<f64>() / chains.len() as f64;
            Ok(Step { objective: Some(mean(&|c| c.ln_likelihood)), change: mean(&|c| c.moved) })
        })?;
        let kept = run.iterations.saturating_sub(self.burn_in);
        let mut diagnostics = run.diagnostics("pseudo-log-likelihood");
        let traces: [Vec<Vec<f64>>; 2] = [
            chains.iter().map(|c| c.accuracy_trace.clone()).collect(),
            chains.iter().map(|c| c.likelihood_trace.clone()).collect(),
        ];
        let rhat: Vec<Option<f64>> = traces.iter().map(|t| split_rhat(t)).collect();
        let ess: Vec<Option<f64>> = traces.iter().map(|t| effective_size(t)).collect();
        let worst = rhat.iter().flatten().copied().reduce(f64::max);
        let mut findings = Vec::new();
        if let Some(r) = worst {
            if r < RHAT_LIMIT && diagnostics.stop == Stop::MaxIter {
                diagnostics.stop = Stop::Converged;
            } else if r >= RHAT_LIMIT {
                findings.push(Finding::new(
                    "chains-disagree",
                    Severity::Warning,
                    Subject::Fit,
                    format!(
                        "the chains have not mixed: the largest split R-hat is {r:.2} (wanted: below {RHAT_LIMIT})"
                    ),
                    "raise `keep` and `burn_in`; if it stays, the labels allow more than one reading",
                ));
            }
        }
        let mut sums = chains.swap_remove(0).sums;
        for c in &chains {
            add_into(&mut sums.posterior, &c.sums.posterior);
            add_into(&mut sums.confusion, &c.sums.confusion);
            add_into(&mut sums.weight, &c.sums.weight);
            sums.sweeps += c.sums.sweeps;
        }
        sums.posterior.chunks_exact_mut(k).for_each(normalise);
        sums.confusion.chunks_exact_mut(k).for_each(normalise);
        let weight: Vec<f64> = sums.weight.iter().map(|w| w / sums.sweeps.max(1) as f64).collect();
        let d = &mut diagnostics.details;
        d.insert("kept_sweeps".into(), json!(kept));
        d.insert("rhat".into(), json!({ "mean_accuracy": rhat[0], "log_likelihood": rhat[1] }));
        d.insert("ess".into(), json!({ "mean_accuracy": ess[0], "log_likelihood": ess[1] }));
        d.insert("weight".into(), json!(weight));
        let annotators = Annotators::Confusion { k, matrix: sums.confusion };
        let mut out = Outcome::classes(k, sums.posterior, annotators, diagnostics);
        out.class_prior = Some(vec![1.0 / k as f64; k]);
        out.findings = findings;
        Ok(out)
    }
}
