//! CNMF-SPA: corners of co-occurrences (Ibrahim, Fu, Kargas and Huang, 2019).

use super::spa::{Align, Spa};
use super::{LabelPrior, Moments};
use crate::classes::confusion::shared;
use crate::classes::used_classes::fit_without_unused;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, LabelKind, Method, MethodInfo, Objective,
    Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of CNMF-SPA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CnmfSpa {
    /// More than this many others must share enough items with an annotator for its matrix to be estimated (7 in the
    /// published tables).
    pub min_blocks: usize,
    /// Items that two annotators must share for their co-occurrences to be used.
    pub min_common: usize,
    /// Columns averaged for each corner; more than 1 is steadier where annotators share few items.
    pub nearest: usize,
    /// How the columns of a matrix are given to classes: as they go with the `votes`, or by the largest `trace` as
    /// published (which cannot see an annotator who exchanges classes).
    pub align: Align,
    /// What to do with annotators who share too few items with others: their matrices come from the `votes`, or they are left out of
    /// the decision (`leave-out`, as published).
    pub others: Others,
    /// Class shares of the decision: `uniform` (as published), or `learn` those that the moments give.
    pub class_prior: LabelPrior,
}

/// What becomes of annotators with too few overlaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Others {
    Votes,
    LeaveOut,
}

impl Default for CnmfSpa {
    fn default() -> Self {
        CnmfSpa {
            min_blocks: 1,
            min_common: 1,
            nearest: 1,
            align: Align::Votes,
            others: Others::Votes,
            class_prior: LabelPrior::Uniform,
        }
    }
}

pub(super) const PAPER: Reference = Reference {
    text: "S. Ibrahim, X. Fu, N. Kargas, K. Huang. Crowdsourcing via Pairwise Co-occurrences: Identifiability and \
           Algorithms. NeurIPS 2019.",
    doi: Some("10.48550/arXiv.1909.12325"),
};

impl Method for CnmfSpa {
    const INFO: MethodInfo = MethodInfo {
        id: "cnmf-spa",
        name: "CNMF-SPA",
        summary: "Confusion matrices read off the corners of pairwise co-occurrences, without iterations.",
        doc: include_str!("cnmf_spa.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: &[PAPER],
        status: Status::Stable,
        ..MethodInfo::of(Family::Moments)
    };

    fn check(&self, p: &mut Problems) {
        check(self.min_common, self.nearest, p);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        if let Some(out) = fit_without_unused(data, [], cx, |data, cx| self.fit(data, cx))? {
            return Ok(out);
        }
        let mut moments = Moments::of(data, cx)?;
        let k = moments.k();
        let spa =
            Spa { min_blocks: self.min_blocks, min_common: self.min_common, nearest: self.nearest, align: self.align };
        let found = spa.find(&moments.labels, &moments.pairs, &moments.votes_of_places(), cx)?;
        let tables = moments.spread(&found.tables, &found.good);
        let any = found.good.iter().any(|&g| g);
        let prior = match self.class_prior {
            LabelPrior::Learn if any => moments.shares(&found.tables, &found.good),
            _ => vec![1.0 / k as f64; k],
        };
        let (posterior, log_likelihood) = if self.others == Others::LeaveOut && any {
            // a table without preferences says nothing about the class
            let mut used = vec![1.0 / k as f64; tables.len()];
            for p in (0..found.good.len()).filter(|&p| found.good[p]) {
                if let Some(j) = moments.labels.annotator(p) {
                    used[j * k * k..(j + 1) * k * k].copy_from_slice(&tables[j * k * k..(j + 1) * k * k]);
                }
            }
            moments.posterior(data, &used, &prior, cx)?
        } else {
            moments.posterior(data, &tables, &prior, cx)?
        };
        let mut diagnostics = Diagnostics::direct();
        diagnostics.objective = Some(Objective { kind: "log-likelihood".into(), value: log_likelihood });
        diagnostics.details = moments.details(&found.good);
        let annotators = Annotators::Confusion { k, matrix: shared::transpose(tables, k) };
        let mut out = Outcome::classes(k, posterior, annotators, diagnostics);
        out.class_prior = Some(prior);
        out.findings = moments.findings(&found.good);
        Ok(out)
    }
}

/// Parameters that the methods with corners share.
pub(super) fn check(min_common: usize, nearest: usize, p: &mut Problems) {
    p.count("min_common", min_common);
    p.count("nearest", nearest);
}
