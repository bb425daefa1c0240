//! Bayesian sequence combination: annotators whose label depends on their label before, by variational Bayes.

use super::cells::{Cells, check_entries};
use super::ds_hmm::{SHOWN, shares};
use super::hmm::{Counts, Weights};
use super::model::{Decode, Tokens, answer, repair};
use super::sequence::Steps;
use crowdwise_core::stats::{digamma, ln_gamma};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Needs, Outcome, Problems,
    Reference, Situation, Status, Step, StructureKind, Watch,
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Parameters of Bayesian sequence combination.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BayesSeq {
    /// Maximum number of iterations.
    pub max_iter: usize,
    /// Stop when one step changes no probability of a class by more than this.
    pub tol: f64,
    /// What a label depends on: the truth and the annotator's own label before (`previous-label`), or the truth alone
    /// (`matrix`).
    pub annotators: Dependence,
    /// Prior count of every label, for every annotator, truth and previous label.
    pub alpha: f64,
    /// Prior count of the right label besides `alpha`.
    pub alpha_diagonal: f64,
    /// Prior count of every start and of every step from class to class.
    pub beta: f64,
    /// Where the classes are tags: `repair` thinks steps that the scheme forbids unlikely, and where labels still speak for
    /// one, answers `I-x` that continues nothing as `B-x`; `strict` rules them out from the beginning.
    pub scheme: Scheme,
    /// Where the iterations begin: at the vote shares, or at Dawid-Skene of the tokens.
    pub init: Begin,
    /// Which sequence to return: the most probable one (`viterbi`) or the sequence with the most tokens expected to be right
    /// (`posterior`). Both keep to the tag scheme where the classes are tags.
    pub decode: Decode,
}

/// What a label depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dependence {
    /// The truth, and the annotator's own label of the token before.
    PreviousLabel,
    /// The truth.
    Matrix,
}

/// What becomes of tags that cannot follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// Unlikely, and repaired.
    Repair,
    /// Ruled out.
    Strict,
}

/// Where the iterations begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Begin {
    /// Vote shares.
    Votes,
    /// Dawid-Skene, as if the tokens were independent.
    DawidSkene,
}

impl Default for BayesSeq {
    fn default() -> Self {
        BayesSeq {
            max_iter: 50,
            tol: 1e-4,
            annotators: Dependence::PreviousLabel,
            alpha: 0.5,
            alpha_diagonal: 1.0,
            beta: 0.1,
            scheme: Scheme::Repair,
            init: Begin::DawidSkene,
            decode: Decode::Viterbi,
        }
    }
}

/// Smoothing of the Dawid-Skene that the iterations begin with.
const START_ALPHA: f64 = 0.1;

/// Prior count of a step that the tag scheme forbids.
const FORBIDDEN: f64 = 1e-12;

/// Groups that one thread does at a time.
const BLOCK: usize = 128;

/// Prior counts of starts and of steps.
struct Prior {
    start: Vec<f64>,
    step: Vec<f64>,
}

impl Prior {
    /// `beta` everywhere; the counts of impossible steps go to the class outside every span.
    fn new(steps: &Steps, beta: f64) -> Prior {
        let k = steps.k();
        let row = |before: Option<usize>| {
            let mut row = vec![beta; k];
            let gone: Vec<usize> = (0..k).filter(|&j| !steps.allows(before, j)).collect();
            gone.iter().for_each(|&j| row[j] = FORBIDDEN);
            if let Some(o) = steps.outside() {
                row[o] += beta * gone.len() as f64;
            }
            row
        };
        Prior { start: row(None), step: (0..k).flat_map(|i| row(Some(i))).collect() }
    }
}

/// Expected logarithms.
struct Expected {
    /// By cell and truth.
    log: Vec<f64>,
    start: Vec<f64>,
    step: Vec<f64>,
    /// Divergence of all parameters from their priors.
    divergence: f64,
}

impl BayesSeq {
    fn expected(&self, t: &Tokens<'_>, cells: &Cells, prior: &Prior, gamma: &[f64], counts: &Counts) -> Expected {
        let k = t.k();
        let mut log = vec![0.0; cells.n_cells() * k];
        cells.counts(gamma, &mut log);
        let mut rest = log.as_mut_slice();
        let blocks: Vec<(usize, &mut [f64])> = (0..cells.n_groups())
            .step_by(BLOCK)
            .map(|g| {
                let end = (g + BLOCK).min(cells.n_groups());
                let n = (cells.first[end] - cells.first[g]) as usize * k;
                let (own, after) = std::mem::take(&mut rest).split_at_mut(n);
                rest = after;
                (g, own)
            })
            .collect();
        let parts: Vec<f64> = blocks
            .into_par_iter()
            .map(|(first, own)| {
                let end = (first + BLOCK).min(cells.n_groups());
                let mut at = 0;
                let mut divergence = 0.0;
                for g in first..end {
                    let range = cells.of_group(g);
                    let rows = &mut own[at..at + range.len() * k];
                    at += rows.len();
                    divergence += self.group(k, &cells.label[range], rows);
                }
                divergence
            })
            .collect();
        let mut divergence: f64 = parts.iter().sum();
        let mut row = |counts: &[f64], prior: &[f64]| dirichlet(counts, prior, &mut divergence);
        let start = row(&counts.start, &prior.start);
        let step = counts.step.chunks_exact(k).zip(prior.step.chunks_exact(k)).flat_map(|(c, p)| row(c, p)).collect();
        Expected { log, start, step, divergence }
    }

    /// Turns the counts of a group (labels x K, by truth) into expected logarithms; the divergence of its K rows.
    fn group(&self, k: usize, labels: &[u16], rows: &mut [f64]) -> f64 {
        let prior = self.alpha * k as f64 + self.alpha_diagonal;
        let mut divergence = 0.0;
        for t in 0..k {
            let n: f64 = (0..labels.len()).map(|c| rows[c * k + t]).sum();
            let total = digamma(prior + n);
            divergence += ln_gamma(prior + n) - ln_gamma(prior);
            for (c, &l) in labels.iter().enumerate() {
                let count = rows[c * k + t];
                let before = self.alpha + if l as usize == t { self.alpha_diagonal } else { 0.0 };
                let log = digamma(before + count) - total;
                // labels that the annotator never gave keep their prior count and add nothing
                divergence += count * log - (ln_gamma(before + count) - ln_gamma(before));
                rows[c * k + t] = log;
            }
        }
        divergence
    }

    /// Expected confusion matrices, over all previous labels.
    fn matrices(&self, cells: &Cells, gamma: &[f64], annotators: usize) -> Annotators {
        let k = cells.k;
        let mut counts = vec![0.0; cells.n_cells() * k];
        cells.counts(gamma, &mut counts);
        let mut matrix = vec![self.alpha; annotators * k * k];
        for table in matrix.chunks_exact_mut(k * k) {
            (0..k).for_each(|t| table[t * k + t] += self.alpha_diagonal);
        }
        for (c, row) in counts.chunks_exact(k).enumerate() {
            let j = cells.annotator[cells.group[c] as usize] as usize;
            let l = cells.label[c] as usize;
            (0..k).for_each(|t| matrix[(j * k + t) * k + l] += row[t]);
        }
        for row in matrix.chunks_exact_mut(k) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
        }
        Annotators::Confusion { k, matrix }
    }
}

/// Expected logarithms of a row of probabilities; adds its divergence from the prior.
fn dirichlet(counts: &[f64], prior: &[f64], divergence: &mut f64) -> Vec<f64> {
    let (n, before): (f64, f64) = (counts.iter().sum(), prior.iter().sum());
    let total = digamma(n + before);
    *divergence += ln_gamma(n + before) - ln_gamma(before);
    let logs: Vec<f64> = counts.iter().zip(prior).map(|(c, p)| digamma(c + p) - total).collect();
    for ((c, p), log) in counts.iter().zip(prior).zip(&logs) {
        *divergence += c * log - (ln_gamma(c + p) - ln_gamma(*p));
    }
    logs
}

impl Method for BayesSeq {
    const INFO: MethodInfo = MethodInfo {
        id: "bayes-seq",
        name: "Bayesian sequence combination",
        summary: "Sequences: a label depends on the truth and on the annotator's label before; tag schemes are kept.",
        doc: include_str!("bayes_seq.md"),
        aliases: &["bsc", "bsc-seq"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities {
            confusion: true,
            monotone: true,
            gold: true,
            likelihood: true,
            ..Capabilities::NONE
        },
        references: &[Reference {
            text: "E. Simpson, I. Gurevych. A Bayesian Approach for Sequence Tagging with Crowds. EMNLP-IJCNLP 2019.",
            doi: Some("10.18653/v1/D19-1101"),
        }],
        status: Status::Stable,
        needs: Needs::structure(StructureKind::Sequences),
        compared: &[Situation::Sequences],
        ..MethodInfo::of(Family::Chains)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.require(self.alpha > 0.0 && self.alpha <= 1e9, "alpha", self.alpha, "greater than 0 and at most 1e9");
        p.within("alpha_diagonal", self.alpha_diagonal, 0.0, 1e9);
        p.require(self.beta > 0.0 && self.beta <= 1e9, "beta", self.beta, "greater than 0 and at most 1e9");
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let t = Tokens::of(data, Self::INFO.id)?;
        let k = t.k();
        let cells = match self.annotators {
            // before a sequence: outside every span where the classes are tags, else a class of its own
            Dependence::PreviousLabel => Cells::of_steps(data, &t.sequences, t.steps.outside().unwrap_or(k)),
            Dependence::Matrix => Cells::of_labels(data),
        };
        check_entries(cells.n_cells(), k)?;
        let prior = Prior::new(&t.steps, self.beta);
        let mut gamma = match self.init {
            Begin::Votes => t.vote_shares(),
            Begin::DawidSkene => t.dawid_skene(START_ALPHA, cx)?.0,
        };
        let mut counts = t.independent_steps(&gamma);
        if self.scheme == Scheme::Strict {
            forget_impossible(&t.steps, &mut counts);
        }
        let mut next = vec![0.0; gamma.len()];
        let mut state: Option<Expected> = None;
        let mut watch = Watch::end(self.max_iter);
        let run = cx.iterate(self.max_iter, self.tol, |cx, round| {
            let (e, new) = cx.install(|| {
                let e = self.expected(&t, &cells, &prior, &gamma, &counts);
                let new = t.expect(&cells, &e.log, 1.0, &weights(&e), &mut next);
                (e, new)
            })?;
            let objective = new.log_z - e.divergence;
            if !objective.is_finite() {
                return Ok(Step { objective: Some(f64::NAN), change: f64::NAN });
            }
            let change = gamma.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            std::mem::swap(&mut gamma, &mut next);
            counts = new;
            state = Some(e);
            if watch.looks(round)
                && let Some(how) = watch.look(&gamma, k)
            {
                cx.settle(how);
            }
            Ok(Step { objective: Some(objective), change })
        })?;
        drop(next);
        let e = match state {
            Some(e) => e,
            None => cx.install(|| self.expected(&t, &cells, &prior, &gamma, &counts))?,
        };
        let mut diagnostics = run.diagnostics("elbo");
        if k <= SHOWN {
            let mean = |(c, p): (&[f64], &[f64])| {
                let sum: f64 = c.iter().chain(p).sum();
                c.iter().zip(p).map(|(c, p)| (c + p) / sum).collect::<Vec<f64>>()
            };
            let rows: Vec<Vec<f64>> = counts.step.chunks_exact(k).zip(prior.step.chunks_exact(k)).map(mean).collect();
            diagnostics.details.insert("transitions".into(), json!(rows));
            diagnostics.details.insert("start".into(), json!(mean((&counts.start, &prior.start))));
        }
        diagnostics.details.insert("tag_scheme".into(), json!(t.steps.are_tags()));
        let emissions = |units, rows: &mut [f64]| t.emissions(&cells, &e.log, 1.0, units, rows);
        let strict = self.scheme == Scheme::Strict;
        let mut path = cx.install(|| t.path(strict, emissions, (&e.start, &e.step), self.decode, &gamma))?;
        let mut shown = gamma.clone();
        let repaired = if strict { 0 } else { repair(&t, &mut shown, &mut path) };
        diagnostics.details.insert("repaired".into(), json!(repaired));
        let (posterior, moved) = answer(k, &shown, &path);
        diagnostics.details.insert("decoded_otherwise".into(), json!(moved));
        let annotators = cx.install(|| self.matrices(&cells, &gamma, data.table.n_annotators()))?;
        let mut out = Outcome::classes(k, posterior, annotators, diagnostics);
        out.class_prior = Some(shares(k, &gamma));
        out.uncalibrated = (moved + repaired > 0).then_some(gamma);
        Ok(out)
    }
}

/// Tokens taken one by one make impossible steps; begun with these, they would keep themselves alive.
fn forget_impossible(steps: &Steps, counts: &mut Counts) {
    let k = steps.k();
    for j in 0..k {
        if !steps.allows(None, j) {
            counts.start[j] = 0.0;
        }
        (0..k).filter(|&i| !steps.allows(Some(i), j)).for_each(|i| counts.step[i * k + j] = 0.0);
    }
}

fn weights(e: &Expected) -> Weights {
    let exp = |x: &[f64]| x.iter().map(|l| l.exp()).collect();
    Weights::new(exp(&e.start), exp(&e.step))
}
