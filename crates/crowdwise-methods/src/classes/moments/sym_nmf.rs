//! SymNMF: one factor per annotator from all pairwise co-occurrences, turned until nothing is negative (Ibrahim and Fu,
//! 2021).

mod impute;
mod rotate;
mod subspace;

use super::align::{clip, common_order, reorder};
use super::{LabelPrior, Moments};
use crate::classes::confusion::kernel::Dense;
use crate::classes::confusion::{Rows, Zeros, shared};
use crate::classes::used_classes::fit_without_unused;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Event, Family, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Run, Status, Step, Stop,
};
use impute::Imputed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use subspace::Subspace;

/// Parameters of the symmetric factorisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SymNmf {
    /// Where the search for the common subspace begins: the leading `eigenvectors` of all co-occurrences, the matrices of
    /// the `votes`, or `both`, of which the one under which the labels are more likely is kept.
    pub init: SymNmfInit,
    /// Maximum number of sweeps over the annotators in the search for the common subspace.
    pub max_iter: usize,
    /// Stop when a sweep changes the factors by less than this part.
    pub tol: f64,
    /// Number of rotations to try: the first starts from the votes, the others at random; the one with the smallest negative
    /// part is kept.
    pub restarts: usize,
    /// Count each pair of annotators by the items that they share.
    pub weights: bool,
    /// Fill co-occurrences that nobody saw from those of third annotators before the first eigenvectors are taken; for
    /// data where few annotators share items.
    pub impute: bool,
    /// Labels per cell of a confusion matrix (K x K cells) that an annotator needs to take part in the factorisation; the
    /// others get their matrices afterwards, from the labels that it gives.
    pub min_labels: f64,
    /// Class shares of the decision: `uniform`, or `learn` those of the factorisation.
    pub class_prior: LabelPrior,
}

impl Default for SymNmf {
    fn default() -> Self {
        SymNmf {
            init: SymNmfInit::Both,
            max_iter: 50,
            tol: 1e-6,
            restarts: 10,
            weights: true,
            impute: false,
            min_labels: 5.0,
            class_prior: LabelPrior::Uniform,
        }
    }
}

/// Where the search for the common subspace begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SymNmfInit {
    Eigenvectors,
    Votes,
    Both,
}

/// Entries of confusion matrices are at least this: the factors of rare labels are noisy.
const FLOOR: f64 = 1e-3;
/// Numbers that the search for eigenvectors may hold.
const MOST_NUMBERS: usize = 40_000_000;

impl Method for SymNmf {
    const INFO: MethodInfo = MethodInfo {
        id: "sym-nmf",
        name: "SymNMF",
        summary: "Confusion matrices from one symmetric factorisation of all pairwise co-occurrences.",
        doc: include_str!("sym_nmf.md"),
        aliases: &["symnmf"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, stochastic: true, gold: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "S. Ibrahim, X. Fu. Crowdsourcing via Annotator Co-occurrence Imputation and Provable Symmetric \
                       Nonnegative Matrix Factorization. ICML 2021.",
                doi: Some("10.48550/arXiv.2106.07193"),
            },
            Reference {
                text: "K. Huang, N. D. Sidiropoulos, A. Swami. Non-Negative Matrix Factorization Revisited: Uniqueness and \
                       Algorithm for Symmetric Decomposition. IEEE Transactions on Signal Processing 62(1), 2014.",
                doi: Some("10.1109/TSP.2013.2285514"),
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Moments)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.count("restarts", self.restarts);
        p.within("min_labels", self.min_labels, 0.0, 1e9);
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
        let fitted = self.factorise(&mut moments, cx)?;
        let prior = match self.class_prior {
            LabelPrior::Learn => fitted.prior.clone(),
            LabelPrior::Uniform => vec![1.0 / k as f64; k],
        };
        let (posterior, _) = moments.posterior(data, &fitted.tables, &prior, cx)?;
        let mut diagnostics = fitted.run.diagnostics("minus-squared-error");
        diagnostics.details = moments.details(&fitted.used);
        diagnostics.details.insert("class_shares_of_moments".into(), fitted.prior.into());
        diagnostics.details.insert("imputed_blocks".into(), fitted.imputed.into());
        diagnostics.details.insert("negative_part".into(), fitted.negative.into());
        let annotators = Annotators::Confusion { k, matrix: shared::transpose(fitted.tables, k) };
        let mut out = Outcome::classes(k, posterior, annotators, diagnostics);
        out.class_prior = Some(prior);
        out.findings = moments.findings(&fitted.used);
        Ok(out)
    }
}

pub(super) struct Factorised {
    /// All annotators x label x truth.
    pub tables: Vec<f64>,
    pub prior: Vec<f64>,
    /// Places that took part.
    pub used: Vec<bool>,
    run: Run,
    imputed: usize,
    /// What is left of negative entries after the rotation, as a part of all squares.
    negative: f64,
}

impl SymNmf {
    pub(super) fn factorise(&self, moments: &mut Moments, cx: &mut Context<'_>) -> Result<Factorised, Error> {
        let (k, places) = (moments.k(), moments.labels.places());
        let used = self.chosen(moments);
        if !used.iter().any(|&u| u) {
            let run = Run { stop: Stop::Direct, iterations: 0, trace: Vec::new(), settled: None };
            let (tables, prior) = (moments.votes.clone(), vec![1.0 / k as f64; k]);
            return Ok(Factorised { tables, prior, used, run, imputed: 0, negative: 0.0 });
        }
        let votes = moments.votes_of_places();
        let imputed =
            if self.impute { Imputed::of(&moments.labels, &moments.pairs, &used, cx)? } else { Imputed::default() };
        let order = moments.pairs.order();
        let mut best: Option<(f64, Factorised)> = None;
        for init in [SymNmfInit::Eigenvectors, SymNmfInit::Votes] {
            if self.init != init && self.init != SymNmfInit::Both {
                continue;
            }
            let mut space = match init {
                SymNmfInit::Votes => Subspace::by_tables(&votes, &moments.shares(&votes, &used)),
                _ => Subspace::by_eigenvectors(&moments.pairs, &used, &imputed, cx)?,
            };
            let run = cx.iterate(self.max_iter, self.tol, |_, _| {
                let change = space.sweep(&moments.pairs, &order, &used, self.weights);
                Ok(Step { objective: Some(-space.error(&moments.pairs, &used, self.weights)), change })
            })?;
            cx.event(&Event::Stage { name: "rotation".into() });
            let turned = rotate::rotate(&space.factors, &votes, &used, k, self.restarts, cx)?;
            let (mut tables, mut prior) = normalise(&turned.factors, k);
            let weight: Vec<f64> =
                (0..places).map(|p| if used[p] { moments.labels.of(p).len() as f64 } else { 0.0 }).collect();
            let classes = common_order(&tables, &votes, &weight, k);
            reorder(&mut tables, &classes, k);
            prior = classes.iter().map(|&c| prior[c]).collect();
            let (tables, likelihood) = complete(moments, &tables, &used, &prior, cx)?;
            let stop = run.stop == Stop::Cancelled;
            if best.as_ref().is_none_or(|b| likelihood > b.0) {
                let (imputed, negative) = (imputed.len(), turned.negative);
                best = Some((likelihood, Factorised { tables, prior, used: used.clone(), run, imputed, negative }));
            }
            if stop {
                break;
            }
        }
        Ok(best.expect("one of the starts").1)
    }

    /// Places that take part: enough labels, somebody to share items with, and not too many in all.
    fn chosen(&self, moments: &Moments) -> Vec<bool> {
        let (k, places) = (moments.k(), moments.labels.places());
        let need = self.min_labels * (k * k) as f64;
        let n = |p: usize| moments.labels.of(p).len();
        let fits = |p: usize| {
            !moments.pairs.near(p).is_empty() && (n(p) as f64 >= need || moments.labels.annotator(p).is_none())
        };
        let mut who: Vec<usize> = (0..places).filter(|&p| fits(p)).collect();
        let most = (MOST_NUMBERS / (k * (2 * k + 30))).max(2);
        if who.len() > most {
            who.sort_by_key(|&p| (std::cmp::Reverse(n(p)), p));
            who.truncate(most);
        }
        let mut used = vec![false; places];
        who.iter().for_each(|&p| used[p] = true);
        // those whose partners have all been left out
        let lonely: Vec<usize> =
            who.iter().copied().filter(|&p| !moments.pairs.near(p).iter().any(|o| used[o.0 as usize])).collect();
        lonely.into_iter().for_each(|p| used[p] = false);
        used
    }
}

/// Tables of all annotators: those of the factorisation, and for the others one M-step from the posteriors that it
/// gives; with the log-likelihood of the labels of those who took part.
fn complete(
    moments: &mut Moments,
    places: &[f64],
    used: &[bool],
    prior: &[f64],
    cx: &mut Context<'_>,
) -> Result<(Vec<f64>, f64), Error> {
    let k = moments.k();
    let mut known = vec![false; moments.annotators];
    let mut tables = vec![1.0 / k as f64; moments.votes.len()];
    for p in (0..used.len()).filter(|&p| used[p]) {
        if let Some(j) = moments.labels.annotator(p) {
            tables[j * k * k..(j + 1) * k * k].copy_from_slice(&places[p * k * k..(p + 1) * k * k]);
            known[j] = true;
        }
    }
    moments.engine.set(&tables, prior);
    let passed = moments.engine.pass(cx, None, false)?;
    let mut next = vec![0.0; tables.len()];
    let rows = Rows::plain(0.01, Zeros::Floor, k);
    moments.engine.maximise(cx, &rows, &passed.class, Dense::Tables(&mut next))?;
    clip(&mut next, super::spa::FLOOR, k);
    for j in (0..moments.annotators).filter(|&j| !known[j]) {
        tables[j * k * k..(j + 1) * k * k].copy_from_slice(&next[j * k * k..(j + 1) * k * k]);
    }
    Ok((tables, passed.log_likelihood))
}

/// Tables and class shares from non-negative factors: column t is the table's column times the root of the class share.
fn normalise(factors: &[f64], k: usize) -> (Vec<f64>, Vec<f64>) {
    let mut tables = factors.to_vec();
    clip(&mut tables, 1e-12, k);
    let mut prior = vec![0.0; k];
    for (t, p) in prior.iter_mut().enumerate() {
        let (mut with, mut own) = (0.0, 0.0);
        for (h, a) in factors.iter().skip(t).step_by(k).zip(tables.iter().skip(t).step_by(k)) {
            with += h * a;
            own += a * a;
        }
        *p = (with / own.max(f64::MIN_POSITIVE)).powi(2);
    }
    let sum: f64 = prior.iter().sum();
    if sum > 0.0 {
        prior.iter_mut().for_each(|x| *x = (*x / sum).max(1e-9));
        let sum: f64 = prior.iter().sum();
        prior.iter_mut().for_each(|x| *x /= sum);
    } else {
        prior.fill(1.0 / k as f64);
    }
    clip(&mut tables, FLOOR, k);
    (tables, prior)
}

/// Every imputed block, (place, place, block).
#[cfg(test)]
pub(super) fn imputed_blocks(moments: &Moments, cx: &mut Context<'_>) -> Vec<(usize, usize, Vec<f64>)> {
    let used = vec![true; moments.labels.places()];
    Imputed::of(&moments.labels, &moments.pairs, &used, cx).unwrap().blocks()
}
