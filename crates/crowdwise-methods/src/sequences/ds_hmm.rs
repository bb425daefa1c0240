//! DS-HMM: Dawid-Skene annotators whose truth is a Markov chain, by EM.

use super::cells::{Cells, check_entries};
use super::emission::{Emissions, Fitted, estimate};
use super::hmm::{Counts, Weights};
use super::model::{Decode, Tokens, answer};
use super::seq_mm;
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference,
    Situation, Status, Step, StructureKind,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Parameters of DS-HMM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DsHmm {
    /// Maximum number of iterations.
    pub max_iter: usize,
    /// Stop when one EM step changes no probability of a class by more than this.
    pub tol: f64,
    /// How an annotator is described: one accuracy per class (`vector`), a confusion matrix (`full`) or one accuracy
    /// (`one-coin`).
    pub emissions: Emissions,
    /// Smoothing of the annotators: added to every cell of the expected counts, as in dawid-skene.
    pub alpha: f64,
    /// Smoothing of the steps: added to every expected count of a start and of a step from class to class.
    pub beta: f64,
    /// Steps from class to class: learned, or all equally likely (`uniform`: the tokens are then independent).
    pub transitions: Transitions,
    /// Where the iterations begin: at the vote shares, at Dawid-Skene of the tokens, or at the moments of `seq-mm`.
    pub init: Start,
    /// Weight of a label, from 0 to 1: below 1 it makes up for annotators who err several tokens in a row.
    pub temper: f64,
    /// Which sequence to return: the most probable one (`viterbi`) or the sequence with the most tokens expected to be right
    /// (`posterior`). Both keep to the tag scheme where the classes are tags.
    pub decode: Decode,
}

/// Where the steps come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transitions {
    Learn,
    Uniform,
}

/// Where the iterations begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Vote shares.
    Votes,
    /// Dawid-Skene, as if the tokens were independent.
    DawidSkene,
    /// The moments of neighbouring tokens.
    SeqMm,
}

impl Default for DsHmm {
    fn default() -> Self {
        DsHmm {
            max_iter: 30,
            tol: 1e-4,
            emissions: Emissions::Vector,
            alpha: 1.0,
            beta: 0.01,
            transitions: Transitions::Learn,
            init: Start::Votes,
            temper: 1.0,
            decode: Decode::Viterbi,
        }
    }
}

/// Most classes for which the steps are written into the details of the fit.
pub(crate) const SHOWN: usize = 40;

/// What an M-step gives.
struct Parameters {
    annotators: Fitted,
    weights: Weights,
    /// What smoothing adds to the log-likelihood.
    penalty: f64,
}

impl DsHmm {
    fn estimate(&self, t: &Tokens<'_>, cells: &Cells, gamma: &[f64], counts: &Counts) -> Parameters {
        let k = t.k();
        let mut sums = vec![0.0; cells.n_cells() * k];
        cells.counts(gamma, &mut sums);
        let annotators = estimate(self.emissions, cells, &sums, self.alpha, t.data.table.n_annotators());
        let mut penalty = annotators.penalty;
        let mut shares = |counts: &[f64]| match self.transitions {
            Transitions::Uniform => vec![1.0 / k as f64; k],
            Transitions::Learn => {
                let sum: f64 = counts.iter().map(|c| c + self.beta).sum();
                let p = |c: &f64| if sum > 0.0 { (c + self.beta) / sum } else { 1.0 / k as f64 };
                let row: Vec<f64> = counts.iter().map(p).collect();
                if self.beta > 0.0 {
                    penalty += self.beta * row.iter().map(|p| p.ln()).sum::<f64>();
                }
                row
            }
        };
        let start = shares(&counts.start);
        let step = counts.step.chunks_exact(k).flat_map(&mut shares).collect();
        Parameters { annotators, weights: Weights::new(start, step), penalty }
    }
}

impl Method for DsHmm {
    const INFO: MethodInfo = MethodInfo {
        id: "ds-hmm",
        name: "Dawid-Skene HMM",
        summary: "Sequences: annotators as in Dawid-Skene, truth as a Markov chain, by EM with forward-backward.",
        doc: include_str!("ds_hmm.md"),
        aliases: &["hmm-crowd"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities {
            confusion: true,
            monotone: true,
            gold: true,
            likelihood: true,
            ..Capabilities::NONE
        },
        references: &[
            Reference {
                text: "P. A. Traganitis, G. B. Giannakis. Unsupervised ensemble classification with sequential and networked \
                       data. IEEE Transactions on Knowledge and Data Engineering 34, 2022.",
                doi: Some("10.1109/TKDE.2020.3046645"),
            },
            Reference {
                text: "A. T. Nguyen, B. C. Wallace, J. J. Li, A. Nenkova, M. Lease. Aggregating and Predicting Sequence \
                       Labels from Crowd Annotations. ACL 2017.",
                doi: Some("10.18653/v1/P17-1028"),
            },
        ],
        status: Status::Stable,
        needs: Needs::structure(StructureKind::Sequences),
        compared: &[Situation::Sequences],
        ..MethodInfo::of(Family::Chains)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("alpha", self.alpha, 0.0, 1e9);
        p.within("beta", self.beta, 0.0, 1e9);
        p.require(self.temper > 0.0 && self.temper <= 1.0, "temper", self.temper, "greater than 0 and at most 1");
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let t = Tokens::of(data, Self::INFO.id)?;
        let k = t.k();
        let cells = Cells::of_labels(data);
        check_entries(cells.n_cells(), k)?;
        let (mut gamma, mut counts) = match self.init {
            Start::Votes => {
                let q = t.vote_shares();
                let counts = t.independent_steps(&q);
                (q, counts)
            }
            Start::DawidSkene => {
                let q = t.dawid_skene(self.alpha, cx)?.0;
                let counts = t.independent_steps(&q);
                (q, counts)
            }
            Start::SeqMm => {
                let m = seq_mm::moments(&t, &cells, self.alpha, 500, cx)?;
                let mut q = vec![0.0; data.table.n_units() * k];
                let counts = cx.install(|| t.expect(&cells, &m.log, self.temper, &m.weights, &mut q))?;
                (q, counts)
            }
        };
        let mut next = vec![0.0; gamma.len()];
        let mut state: Option<Parameters> = None;
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            let (p, new) = cx.install(|| {
                let p = self.estimate(&t, &cells, &gamma, &counts);
                let new = t.expect(&cells, &p.annotators.log, self.temper, &p.weights, &mut next);
                (p, new)
            })?;
            let objective = new.log_z + p.penalty;
            if !objective.is_finite() {
                return Ok(Step { objective: Some(f64::NAN), change: f64::NAN });
            }
            let change = gamma.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            std::mem::swap(&mut gamma, &mut next);
            counts = new;
            state = Some(p);
            Ok(Step { objective: Some(objective), change })
        })?;
        drop(next);
        let p = match state {
            Some(p) => p,
            None => cx.install(|| self.estimate(&t, &cells, &gamma, &counts))?,
        };
        let kind = if self.alpha + self.beta > 0.0 { "penalised-log-likelihood" } else { "log-likelihood" };
        let mut diagnostics = run.diagnostics(kind);
        if k <= SHOWN {
            let rows: Vec<&[f64]> = p.weights.step.chunks_exact(k).collect();
            diagnostics.details.insert("transitions".into(), json!(rows));
            diagnostics.details.insert("start".into(), json!(p.weights.start));
        }
        let log = |x: &[f64]| x.iter().map(|w| w.ln()).collect::<Vec<f64>>();
        let (start, step) = (log(&p.weights.start), log(&p.weights.step));
        let emissions = |units, rows: &mut [f64]| t.emissions(&cells, &p.annotators.log, self.temper, units, rows);
        let path = cx.install(|| t.path(true, emissions, (&start, &step), self.decode, &gamma))?;
        let (posterior, moved) = answer(k, &gamma, &path);
        diagnostics.details.insert("decoded_otherwise".into(), json!(moved));
        let mut out = Outcome::classes(k, posterior, p.annotators.annotators, diagnostics);
        out.class_prior = Some(shares(k, &gamma));
        out.uncalibrated = (moved > 0).then_some(gamma);
        Ok(out)
    }
}

/// Mean of the rows.
pub(crate) fn shares(k: usize, gamma: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; k];
    for row in gamma.chunks_exact(k) {
        sum.iter_mut().zip(row).for_each(|(s, p)| *s += p);
    }
    let n: f64 = sum.iter().sum();
    sum.iter().map(|s| s / n).collect()
}
