//! Dawid-Skene: a confusion matrix per annotator, by EM.

use super::em::{self, Adaptive, Assignment, Bounded, Settings, Start, StopRule};
use super::kernel::{Begin, Engine, Model, Sums};
use super::settling::Settle;
use super::shared::{self, ClassPrior, Shares};
use super::start::{self, Init};
use crowdwise_core::{
    Annotators, Context, Dataset, Error, Event, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference,
    Situation, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Dawid-Skene EM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DawidSkene {
    /// Maximum number of iterations (passes over the labels).
    pub max_iter: usize,
    /// Stop when one EM step changes no probability, of a confusion matrix or of a class, by more than this.
    pub tol: f64,
    /// Smoothing: added to every cell of the expected counts. 0 gives the maximum-likelihood estimate of the paper.
    pub alpha: f64,
    /// Added to the diagonal cells besides `alpha`: a belief that annotators are better than random.
    pub alpha_diagonal: f64,
    /// Class shares: learned, uniform, or as given in `class_shares`.
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
    /// Added to every class count when class shares are learned.
    pub beta: f64,
    /// What a probability of exactly zero becomes (only without smoothing): `floor` 1e-10, `eps` 2.2e-16, `skip` (the
    /// label then says nothing about that class), or `counts` (expected counts are at least 1e-10, as in crowd-kit).
    pub zeros: Zeros,
    /// Starting point: the vote shares (`majority`), `random` matrices, or those of another method.
    pub init: Init,
    /// Number of starts; all but the first are random, and the one with the best objective is kept.
    pub restarts: usize,
    /// `soft` EM, `hard` EM (Fast-Dawid-Skene) or `hybrid` (soft first, then hard).
    pub assignment: Assignment,
    /// Extrapolate (SQUAREM): the same optimum in fewer iterations. Soft EM only.
    pub accelerate: bool,
    /// What `tol` is compared with: the largest change of a probability (`parameters`), or the gain per label of the bound
    /// that crowd-kit watches (`bound`; without acceleration, and the result is that of the last E-step).
    pub stop: StopRule,
}

/// What a probability of exactly zero becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Zeros {
    /// At least 1e-10.
    Floor,
    /// At least 2.2e-16.
    Eps,
    /// Left out of the product.
    Skip,
    /// Expected counts of the labels that the annotator uses are at least 1e-10, and probabilities their shares.
    Counts,
}

impl Default for DawidSkene {
    fn default() -> Self {
        DawidSkene {
            max_iter: 1000,
            tol: 1e-6,
            alpha: 0.01,
            alpha_diagonal: 0.0,
            class_prior: ClassPrior::Learn,
            class_shares: BTreeMap::new(),
            beta: 0.0,
            zeros: Zeros::Floor,
            init: Init::Majority,
            restarts: 1,
            assignment: Assignment::Soft,
            accelerate: true,
            stop: StopRule::Parameters,
        }
    }
}

/// The M-step of eq. 2.3 and 2.4 of the paper, with smoothing.
pub(crate) struct Rows {
    pub alpha: f64,
    pub diagonal: f64,
    pub zeros: Zeros,
    pub shares: Shares,
}

impl Rows {
    /// Smoothing and uniform class shares only.
    pub fn plain(alpha: f64, zeros: Zeros, k: usize) -> Rows {
        let shares = Shares { learn: false, beta: 0.0, given: vec![1.0 / k as f64; k] };
        Rows { alpha, diagonal: 0.0, zeros, shares }
    }
}

/// The table of [`Zeros::Counts`].
fn shares_of_counts(k: usize, counts: &[f64], table: &mut [f64]) {
    const LEAST: f64 = 1e-10;
    let used: Vec<bool> = counts.chunks_exact(k).map(|row| row.iter().any(|c| *c > 0.0)).collect();
    for t in 0..k {
        let count = |l: usize| counts[l * k + t].max(LEAST);
        let sum: f64 = (0..k).filter(|l| used[*l]).map(count).sum();
        for l in 0..k {
            table[l * k + t] = if used[l] { count(l) / sum } else { LEAST };
        }
    }
}

impl Model for Rows {
    #[inline(always)]
    fn table(&self, k: usize, _j: usize, counts: &[f64], table: &mut [f64]) -> Sums {
        // Row by row, so that any K runs in vectors; the first row of the table holds the column sums until it is written.
        let nothing = self.alpha * k as f64 + self.diagonal;
        let (scale, rest) = table[..k * k].split_at_mut(k);
        scale.fill(nothing);
        for row in counts.chunks_exact(k) {
            scale.iter_mut().zip(row).for_each(|(s, c)| *s += c);
        }
        scale.iter_mut().for_each(|s| *s = 1.0 / *s);
        for (row, counts) in rest.chunks_exact_mut(k).zip(counts[k..].chunks_exact(k)) {
            for t in 0..k {
                row[t] = (counts[t] + self.alpha) * scale[t];
            }
        }
        (1..k).for_each(|t| rest[(t - 1) * k + t] += self.diagonal * scale[t]);
        let diagonal = self.diagonal * scale[0];
        scale.iter_mut().zip(counts).for_each(|(s, c)| *s *= c + self.alpha);
        scale[0] += diagonal;
        if nothing <= 0.0 {
            // an annotator who met no item of class t: nothing is known, and the sums were zero
            for t in 0..k {
                if !table[t].is_finite() {
                    (0..k).for_each(|l| table[l * k + t] = 1.0 / k as f64);
                }
            }
        }
        if self.alpha < 1e-12 && self.zeros == Zeros::Counts {
            shares_of_counts(k, counts, table);
        } else if self.alpha < 1e-12 {
            let (floor, zero) = match self.zeros {
                Zeros::Floor => (1e-10, 1e-10),
                Zeros::Eps => (f64::EPSILON, f64::EPSILON),
                Zeros::Skip => (1e-100, 1.0),
                Zeros::Counts => (0.0, 0.0),
            };
            table[..k * k].iter_mut().for_each(|p| *p = if *p < floor { zero } else { *p });
        }
        [self.penalty(k, table), 0.0, 0.0, 0.0]
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        self.shares.prior(class, prior)
    }

    #[inline(always)]
    fn penalty(&self, k: usize, table: &[f64]) -> f64 {
        let mut sum = 0.0;
        if self.alpha > 0.0 {
            sum += self.alpha * shared::sum_ln(&table[..k * k]);
        }
        if self.diagonal > 0.0 {
            let diagonal: Vec<f64> = (0..k).map(|t| table[t * k + t]).collect();
            sum += self.diagonal * shared::sum_ln(&diagonal);
        }
        sum
    }

    fn prior_penalty(&self, prior: &[f64]) -> f64 {
        self.shares.penalty(prior)
    }
}

impl Adaptive for Rows {}

enum Kind {
    Plain(Rows),
    Bounded(Bounded<Rows>),
}

impl Method for DawidSkene {
    const INFO: MethodInfo = MethodInfo {
        id: "dawid-skene",
        name: "Dawid-Skene",
        summary: "A confusion matrix per annotator, estimated together with the truth by EM.",
        doc: include_str!("dawid_skene.md"),
        aliases: &["ds", "ds-em"],
        accepts: &[LabelKind::Categorical],
        capabilities: shared::CAPABILITIES,
        references: &[
            Reference {
                text: "A. P. Dawid and A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM \
                       Algorithm. Applied Statistics 28(1), 1979.",
                doi: Some("10.2307/2346806"),
            },
            Reference {
                text: "V. B. Sinha, S. Rao, V. N. Balasubramanian. Fast Dawid-Skene: A Fast Vote Aggregation Scheme for \
                       Sentiment Classification. 2018.",
                doi: Some("10.48550/arXiv.1803.02781"),
            },
        ],
        status: Status::Stable,
        compared: Situation::OF_CLASSES,
        ..MethodInfo::of(Family::Confusion)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        self.stop.check(self.tol, p);
        p.within("alpha", self.alpha, 0.0, 1e9);
        p.within("alpha_diagonal", self.alpha_diagonal, 0.0, 1e9);
        p.count("restarts", self.restarts);
        Shares::check(self.class_prior, self.beta, &self.class_shares, p);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.init != Init::Majority || self.restarts > 1 // every other start draws or chooses by number
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let (k, units) = (labels.k(), data.table.n_units());
        let shares = Shares::new(self.class_prior, self.beta, &self.class_shares, &labels)?;
        let first_prior = shares.given.clone();
        let rows = Rows { alpha: self.alpha, diagonal: self.alpha_diagonal, zeros: self.zeros, shares };
        let mut model = match self.stop {
            StopRule::Parameters => Kind::Plain(rows),
            StopRule::Bound => Kind::Bounded(Bounded(rows)),
        };
        let settings = Settings {
            max_iter: self.max_iter,
            tol: self.tol,
            accelerate: self.accelerate && (self.alpha > 0.0 || self.zeros != Zeros::Skip),
            assignment: self.assignment,
            stop: self.stop,
            settle: Settle::Tell,
        };
        let mut engine = Engine::new(&labels, gold.as_deref(), cx.threads)?;
        let hard = self.assignment == Assignment::Hard;
        let mut best: Option<em::Fitted> = None;
        let mut objectives = Vec::new();
        let mut findings = Vec::new();
        for restart in 0..self.restarts {
            if restart > 0 {
                cx.event(&Event::Stage { name: format!("start {} of {}", restart + 1, self.restarts) });
            }
            let warm = if restart == 0 { shared::warm_start(data, cx) } else { None };
            let start = match warm {
                Some(warm) => warm,
                None => match start::tables(data, if restart == 0 { self.init } else { Init::Random }, restart, cx)? {
                    None => Start::Posterior(if hard { Begin::Majority } else { Begin::VoteShares }),
                    Some(s) => {
                        findings.extend(s.findings);
                        Start::Tables { tables: s.tables, prior: first_prior.clone() }
                    }
                },
            };
            let last = restart + 1 == self.restarts;
            let fitted = match &mut model {
                Kind::Plain(m) if last => em::fit_last(&mut engine, m, start, &settings, &labels, cx)?,
                Kind::Plain(m) => em::fit(&mut engine, m, start, &settings, units, cx)?,
                Kind::Bounded(m) if last => em::fit_last(&mut engine, m, start, &settings, &labels, cx)?,
                Kind::Bounded(m) => em::fit(&mut engine, m, start, &settings, units, cx)?,
            };
            objectives.push(fitted.objective);
            if best.as_ref().is_none_or(|b| fitted.objective > b.objective) {
                best = Some(fitted);
            }
            if cx.cancelled() {
                break;
            }
        }
        let best = best.expect("at least one start");
        let kind = if best.hard {
            "classification-log-likelihood"
        } else {
            shared::objective_kind(self.alpha + self.alpha_diagonal + self.beta)
        };
        let mut out = shared::outcome(best, data, gold.as_deref(), kind, |t| Annotators::Confusion {
            k,
            matrix: shared::transpose(t, k),
        });
        if self.restarts > 1 {
            out.diagnostics.details.insert("restart_objectives".into(), objectives.into());
        }
        out.findings = findings;
        Ok(out)
    }
}
