//! CNMF-EM: Dawid-Skene's EM from the corners of co-occurrences (Ibrahim, Fu, Kargas and Huang, 2019).

use super::Moments;
use super::cnmf_spa::{PAPER, check};
use super::spa::{Align, Spa};
use crate::classes::confusion::em::{self, Settings, Start};
use crate::classes::confusion::{ClassPrior, Rows, Zeros, shared};
use crate::classes::used_classes::fit_without_unused;
use crowdwise_core::{
    Annotators, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Parameters of CNMF-EM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CnmfEm {
    /// More than this many others must share enough items with an annotator for its matrix to be estimated (7 in the
    /// published tables); the others begin with the votes.
    pub min_blocks: usize,
    /// Items that two annotators must share for their co-occurrences to be used.
    pub min_common: usize,
    /// Columns averaged for each corner; more than 1 is steadier where annotators share few items.
    pub nearest: usize,
    /// How the columns of a matrix are given to classes: as they go with the `votes`, or by the largest `trace` as
    /// published.
    pub align: Align,
    /// Maximum number of iterations of EM (10 in the published tables).
    pub max_iter: usize,
    /// Stop when one EM step changes no probability, of a confusion matrix or of a class, by more than this.
    pub tol: f64,
    /// Smoothing: added to every cell of the expected counts.
    pub alpha: f64,
    /// Class shares: learned, uniform, or as given in `class_shares`.
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
    /// Added to every class count when class shares are learned.
    pub beta: f64,
    /// What a probability of exactly zero becomes (only without smoothing): `floor` 1e-10, `eps` 2.2e-16, or `skip` (the
    /// label then says nothing about that class).
    pub zeros: Zeros,
    /// Extrapolate (SQUAREM): the same optimum in fewer iterations.
    pub accelerate: bool,
}

impl Default for CnmfEm {
    fn default() -> Self {
        CnmfEm {
            min_blocks: 1,
            min_common: 1,
            nearest: 1,
            align: Align::Votes,
            max_iter: 1000,
            tol: 1e-6,
            alpha: 0.01,
            class_prior: ClassPrior::Learn,
            class_shares: BTreeMap::new(),
            beta: 0.0,
            zeros: Zeros::Floor,
            accelerate: true,
        }
    }
}

impl Method for CnmfEm {
    const INFO: MethodInfo = MethodInfo {
        id: "cnmf-em",
        name: "CNMF-EM",
        summary: "Dawid-Skene by EM, started from the corners of pairwise co-occurrences.",
        doc: include_str!("cnmf_em.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: shared::CAPABILITIES,
        references: &[
            PAPER,
            Reference {
                text: "A. P. Dawid and A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM \
                       Algorithm. Applied Statistics 28(1), 1979.",
                doi: Some("10.2307/2346806"),
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Moments)
    };

    fn check(&self, p: &mut Problems) {
        check(self.min_common, self.nearest, p);
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("alpha", self.alpha, 0.0, 1e9);
        shared::Shares::check(self.class_prior, self.beta, &self.class_shares, p);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        if let Some(out) = fit_without_unused(data, self.class_shares.keys(), cx, |data, cx| self.fit(data, cx))? {
            return Ok(out);
        }
        let (labels, gold) = shared::inputs(data);
        let k = labels.k();
        let shares = shared::Shares::new(self.class_prior, self.beta, &self.class_shares, &labels)?;
        let settings =
            Settings::soft(self.max_iter, self.tol, self.accelerate && (self.alpha > 0.0 || self.zeros != Zeros::Skip));
        let mut moments = Moments::of(data, cx)?;
        let spa =
            Spa { min_blocks: self.min_blocks, min_common: self.min_common, nearest: self.nearest, align: self.align };
        let found = spa.find(&moments.labels, &moments.pairs, &moments.votes_of_places(), cx)?;
        let first = Start::Tables { tables: moments.spread(&found.tables, &found.good), prior: shares.given.clone() };
        let start = shared::warm_start(data, cx).unwrap_or(first);
        let mut model = Rows { alpha: self.alpha, diagonal: 0.0, zeros: self.zeros, shares };
        let fitted = em::fit(&mut moments.engine, &mut model, start, &settings, data.table.n_units(), cx)?;
        let kind = shared::objective_kind(self.alpha + self.beta);
        let mut out = shared::outcome(fitted, data, gold.as_deref(), kind, |t| Annotators::Confusion {
            k,
            matrix: shared::transpose(t, k),
        });
        out.diagnostics.details.extend(moments.details(&found.good));
        out.findings = moments.findings(&found.good);
        Ok(out)
    }
}
