//! Centred triplets: rates of labelling functions in closed form, from covariances of three sources at a time.

mod closed_form;

use super::LfEm;
use super::votes::{Scores, Votes, balance};
use crate::classes::confusion::ClassPrior;
use crate::classes::used_classes::fit_without_unused;
use closed_form::rates;
use crowdwise_core::{
    Capabilities, Context, Dataset, Diagnostics, Error, Family, Finding, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Severity, Status, Subject,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Triplet label model on centred indicators.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CentredTriplets {
    /// Shares by class name, as a JSON object. Empty: uniform.
    pub class_shares: BTreeMap<String, f64>,
    /// Treat a missing vote as evidence. Without it, items on which nobody votes keep the class shares.
    pub abstentions: bool,
}

impl Method for CentredTriplets {
    const INFO: MethodInfo = MethodInfo {
        id: "centred-triplets",
        name: "Centred triplets",
        summary: "Rates of labelling functions in closed form from three sources at a time; no iterations.",
        doc: include_str!("centred_triplets.md"),
        aliases: &["triplet", "flyingsquid"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities::NONE,
        references: &[Reference {
            text: "D. Y. Fu, M. F. Chen, F. Sala, S. M. Hooper, K. Fatahalian, C. Ré. Fast and Three-rious: Speeding Up Weak \
                   Supervision with Triplet Methods. ICML 2020.",
            doi: Some("10.48550/arXiv.2002.11955"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Sources)
    };

    fn check(&self, _problems: &mut Problems) {}

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        if let Some(out) = fit_without_unused(data, self.class_shares.keys(), cx, |data, cx| self.fit(data, cx))? {
            return Ok(out);
        }
        let labels = data.table.categorical().expect("the kind was checked");
        let (votes, shares) = (Votes::new(&labels), balance(&self.class_shares, &labels)?);
        let k = votes.k;
        let found = rates(&votes, &shares, cx)?;
        let without = found.triples.iter().filter(|&&n| n == 0).count();
        if 2 * without > found.triples.len() {
            return self.fall_back(data, cx, without, found.triples.len());
        }
        let fire: Vec<f64> = found.rates.iter().map(|p| p.ln()).collect();
        // indicators of a source exclude each other: silent is none of them
        let mut silent = vec![1.0; votes.sources * k];
        for (j, row) in found.rates.chunks_exact(k).enumerate() {
            let silent = &mut silent[votes.source[j] as usize * k..][..k];
            silent.iter_mut().zip(row).for_each(|(s, p)| *s *= 1.0 - p);
        }
        silent.iter_mut().for_each(|p| *p = p.max(1e-9).ln());
        let prior: Vec<f64> = shares.iter().map(|p| p.ln()).collect();
        let scores = Scores { prior: &prior, fire: &fire, silent: self.abstentions.then_some(&silent) };
        let mut posterior = vec![0.0; votes.items * k];
        votes.posterior(&scores, None, &mut posterior, cx)?;
        let (right, _) = votes.right(&posterior, cx)?;
        let mut out = Outcome::classes(k, posterior, votes.precision(&right), Diagnostics::direct());
        out.class_prior = Some(shares);
        let details = &mut out.diagnostics.details;
        details.insert("covered_items".into(), votes.covered().into());
        details.insert("rates_without_triples".into(), without.into());
        details.insert("rates".into(), found.triples.len().into());
        details.insert("partners".into(), found.partners.into());
        Ok(out)
    }
}

impl CentredTriplets {
    /// Sources that exclude one another have no triples: the EM label model is used instead, and that is said.
    fn fall_back(&self, data: &Dataset, cx: &mut Context<'_>, without: usize, of: usize) -> Result<Outcome, Error> {
        let class_prior = if self.class_shares.is_empty() { ClassPrior::Uniform } else { ClassPrior::Fixed };
        let other = LfEm { class_prior, class_shares: self.class_shares.clone(), ..LfEm::default() };
        let mut out = Method::fit(&other, data, cx)?;
        out.diagnostics.details.insert("fallback".into(), LfEm::INFO.id.into());
        out.findings.push(Finding::new(
            "no-triples",
            Severity::Warning,
            Subject::Fit,
            format!("{without} of {of} rates have no three sources that vote together as they should: this is the result of lf-em"),
            "sources must overlap: use lf-em, or add sources that vote on the same items",
        ));
        Ok(out)
    }
}
