//! Minimax conditional entropy: annotators and items share the blame for confused labels (Zhou and others, 2012 and 2014).

mod admits;
mod integrated;
mod label;
mod model;
mod part;

pub use admits::items_differ;
pub(crate) use integrated::fit_integrated;

use crate::classes::confusion::ClassPrior;
use crate::classes::confusion::shared::{self, Shares, check_entries};
use crate::classes::used_classes::fit_without_unused;
use crate::classes::voting::{Ballot, Form};
use crowdwise_core::stats::softmax;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Event, Family, LabelKind, Method, MethodInfo,
    Outcome, Problems, Reference, Run, Status, Step,
};
use crowdwise_numerics::Lbfgs;
use integrated::{Holds, Solved};
use model::{Model, Parameters};
use part::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// What annotators and items are to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MinimaxVariant {
    /// Ordinal if the classes are ordered (and more than two), else categorical.
    Auto,
    /// As categorical, with items averaged over, annotators drawn to what they share, and the spread of items learned.
    Integrated,
    /// A matrix for every annotator and for every item.
    Categorical,
    /// A matrix for every annotator, a vector for every item.
    Vector,
    /// Both through thresholds between ordered classes.
    Ordinal,
    /// A matrix for every annotator, one difficulty for every item.
    Scalar,
    /// Annotators only: a log-linear Dawid-Skene model with a ridge.
    Annotators,
}

/// How parameters are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MinimaxSearch {
    /// All at once up to 20,000 parameters, else alternating.
    Auto,
    /// All at once.
    Joint,
    /// Every annotator, then every item.
    Alternating,
}

/// Minimax conditional entropy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MinimaxEntropy {
    /// Maximum number of rounds of parameters and beliefs.
    pub max_iter: usize,
    /// Stop when no belief changes by more than this in a round.
    pub tol: f64,
    /// Maximum number of search steps for the parameters in a round.
    pub inner_iter: usize,
    /// End the search of a round when no parameter would move by more than this.
    pub inner_tol: f64,
    /// What annotators and items are: `categorical`, `vector`, `ordinal`, `scalar` (one difficulty per item), `annotators`
    /// (no item terms), `integrated` (as categorical, but items are averaged over, annotators are drawn to what they have in
    /// common, and how much items differ is learned: holds on sparse data), or `auto` = ordinal for ordered classes, else
    /// categorical.
    pub variant: MinimaxVariant,
    /// Ridge: gamma times K² for annotators; for items that times labels per annotator over labels per item. `integrated`:
    /// four gammas for annotators, whatever K; items by what the labels tell.
    pub gamma: f64,
    /// Ridge of annotators instead of the one by `gamma`.
    pub alpha: Option<f64>,
    /// Ridge of items instead of the one by `gamma`.
    pub beta: Option<f64>,
    /// Choose `gamma` among 1/4, 1/2, 1, 2 and 4 by how well hidden labels are predicted, with this many folds; 0 = take it as
    /// it is.
    pub folds: usize,
    /// Search: `joint` (all parameters at once), `alternating` (annotators, then items: faster on large data, little memory),
    /// or `auto` = joint up to 20,000 parameters.
    pub search: MinimaxSearch,
    /// Class shares: learned, uniform, or as given in `class_shares`.
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
}

impl Default for MinimaxEntropy {
    fn default() -> Self {
        MinimaxEntropy {
            max_iter: 50,
            tol: 5e-3,
            inner_iter: 25,
            inner_tol: 1e-5,
            variant: MinimaxVariant::Auto,
            gamma: 0.25,
            alpha: None,
            beta: None,
            folds: 0,
            search: MinimaxSearch::Auto,
            class_prior: ClassPrior::Uniform,
            class_shares: BTreeMap::new(),
        }
    }
}

/// Joint search is the choice of `auto` up to this many parameters: beyond, it is slower and takes 26 times their memory.
const MOST_JOINT: usize = 20_000;

/// Values of `gamma` that cross-validation tries.
const GRID: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];

/// A fit of one ridge.
struct Fitted {
    parameters: Parameters,
    mu: Vec<f64>,
    prior: Vec<f64>,
    run: Run,
}

impl Method for MinimaxEntropy {
    const INFO: MethodInfo = MethodInfo {
        id: "minimax-entropy",
        name: "Minimax conditional entropy",
        summary: "Each label depends on a matrix of its annotator and one of its item, both shrunk by a ridge.",
        doc: include_str!("minimax_entropy.md"),
        aliases: &["minimax", "minimax-categorical", "minimax-vector", "minimax-ordinal", "ds-difficulty"],
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
                text: "D. Zhou, J. C. Platt, S. Basu, Y. Mao. Learning from the Wisdom of Crowds by Minimax Entropy. NIPS 2012.",
                doi: None,
            },
            Reference {
                text: "D. Zhou, Q. Liu, J. C. Platt, C. Meek. Aggregating Ordinal Labels from Crowds by Minimax Conditional Entropy. ICML 2014.",
                doi: None,
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Optimisation)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.count("inner_iter", self.inner_iter);
        p.at_least("inner_tol", self.inner_tol, 0.0);
        p.within("gamma", self.gamma, 1e-6, 1e9);
        for (name, ridge) in [("alpha", self.alpha), ("beta", self.beta)] {
            if let Some(x) = ridge {
                p.within(name, x, 1e-6, 1e12);
            }
        }
        p.require(self.folds != 1 && self.folds <= 100, "folds", self.folds, "0, or from 2 to 100");
        let free = self.folds == 0 || (self.alpha.is_none() && self.beta.is_none());
        p.require(free, "folds", self.folds, "0 when alpha or beta is given");
        if self.variant == MinimaxVariant::Integrated {
            p.require(
                self.folds == 0,
                "folds",
                self.folds,
                "0 with variant=integrated, which learns how much items differ",
            );
            let uniform = self.class_prior == ClassPrior::Uniform;
            p.require(
                uniform,
                "class_prior",
                "given",
                "left out with variant=integrated, which takes the shares of the votes",
            );
        }
        Shares::check(self.class_prior, 0.0, &self.class_shares, p);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        if let Some(out) = fit_without_unused(data, self.class_shares.keys(), cx, |data, cx| self.fit(data, cx))? {
            return Ok(out);
        }
        let labels = data.table.categorical().expect("the kind was checked");
        let (k, m, n) = (labels.k(), data.table.n_annotators(), data.table.n_units());
        let shares = Shares::new(self.class_prior, 0.0, &self.class_shares, &labels)?;
        if k == 1 {
            let annotators = Annotators::Confusion { k, matrix: vec![1.0; m] };
            let mut out = Outcome::classes(k, vec![1.0; n], annotators, Diagnostics::direct());
            out.class_prior = Some(vec![1.0]);
            return Ok(out);
        }
        let parts = self.parts(labels.ordered && k > 2);
        check_entries(m, k, k)?;
        check_entries(m * parts.0.len(k) + n * parts.1.len(k), 1, 1)?;
        if self.variant == MinimaxVariant::Integrated {
            return self.integrate(data, cx);
        }
        let (gamma, tried) = if self.folds > 0 { self.choose(data, parts, &shares, cx)? } else { (self.gamma, None) };
        let model = self.model(data, parts, gamma);
        let Fitted { parameters, mut mu, prior, run } = self.solve(&model, data, &shares, cx)?;
        shared::complete(&mut mu, data, model.gold.as_deref(), &prior);
        let mut matrix = model.matrices(&parameters.annotators);
        matrix.chunks_exact_mut(k).for_each(|row| _ = softmax(row));
        let mut diagnostics = run.diagnostics("penalised-log-likelihood");
        diagnostics.details.insert("alpha".into(), json!(model.alpha));
        diagnostics.details.insert("beta".into(), json!(model.beta));
        if let Some(tried) = tried {
            diagnostics.details.insert("gamma".into(), json!(gamma));
            diagnostics.details.insert("held_out_log_likelihood".into(), tried);
        }
        let difficulty =
            (parts.1 != Part::Nothing).then(|| difficulties(k, &mu, |u, out| model.item_matrix(&parameters, u, out)));
        let mut out = Outcome::classes(k, mu, Annotators::Confusion { k, matrix }, diagnostics);
        out.class_prior = Some(prior);
        out.difficulty = difficulty;
        Ok(out)
    }
}

/// P(an annotator without leanings errs) on every item, by its own matrix and what is believed of it.
fn difficulties(k: usize, mu: &[f64], matrix: impl Fn(usize, &mut [f64])) -> Vec<f64> {
    let mut item = vec![0.0; k * k];
    (0..mu.len() / k)
        .map(|u| {
            matrix(u, &mut item);
            item.chunks_exact_mut(k).for_each(|row| _ = softmax(row));
            1.0 - (0..k).map(|c| mu[u * k + c] * item[c * k + c]).sum::<f64>()
        })
        .collect()
}

impl MinimaxEntropy {
    fn integrate(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let k = data.table.n_classes();
        let gold = data.gold_classes();
        let alpha = self.alpha.unwrap_or(4.0 * self.gamma);
        let holds = Holds { alpha, beta: self.beta, max_iter: self.max_iter, tol: self.tol };
        let Solved { mut mu, annotators: mut matrix, items, prior, beta, run } =
            integrated::solve(data, gold.as_deref(), holds, cx)?;
        shared::complete(&mut mu, data, gold.as_deref(), &prior);
        matrix.chunks_exact_mut(k).for_each(|row| _ = softmax(row));
        let mut diagnostics = run.diagnostics("none");
        diagnostics.details.insert("alpha".into(), json!(alpha));
        diagnostics.details.insert("beta".into(), json!(beta));
        let difficulty = difficulties(k, &mu, |u, out| out.copy_from_slice(&items[u * k * k..][..k * k]));
        let mut out = Outcome::classes(k, mu, Annotators::Confusion { k, matrix }, diagnostics);
        out.class_prior = Some(prior);
        out.difficulty = Some(difficulty);
        Ok(out)
    }

    fn parts(&self, ordered: bool) -> (Part, Part) {
        match self.variant {
            MinimaxVariant::Auto if ordered => (Part::Thresholds, Part::Thresholds),
            MinimaxVariant::Auto | MinimaxVariant::Categorical | MinimaxVariant::Integrated => {
                (Part::Matrix, Part::Matrix)
            }
            MinimaxVariant::Vector => (Part::Matrix, Part::Row),
            MinimaxVariant::Ordinal => (Part::Thresholds, Part::Thresholds),
            MinimaxVariant::Scalar => (Part::Matrix, Part::Scalar),
            MinimaxVariant::Annotators => (Part::Matrix, Part::Nothing),
        }
    }

    /// Only items and annotators with labels count in the means.
    fn model<'a>(&self, data: &'a Dataset, parts: (Part, Part), gamma: f64) -> Model<'a> {
        let table = &data.table;
        let k = table.n_classes() as f64;
        let items = (0..table.n_units()).filter(|&u| table.degree(u) > 0).count() as f64;
        let annotators = table.labels_per_annotator().iter().filter(|&&n| n > 0).count() as f64;
        let alpha = self.alpha.unwrap_or(gamma * k * k);
        let beta = self.beta.unwrap_or(alpha * items / annotators);
        Model::new(data, parts.0, parts.1, alpha, beta)
    }

    fn solve(&self, model: &Model<'_>, data: &Dataset, shares: &Shares, cx: &mut Context<'_>) -> Result<Fitted, Error> {
        let k = model.k;
        let mut mu = Ballot::new(data).posterior(None, Form::Share, cx)?;
        let mut parameters = model.zero();
        let mut prior = shares.given.clone();
        let size = parameters.annotators.len() + parameters.items.len();
        let joint = match self.search {
            MinimaxSearch::Auto => size <= MOST_JOINT,
            MinimaxSearch::Joint => true,
            MinimaxSearch::Alternating => false,
        };
        let lbfgs = Lbfgs { max_iter: self.inner_iter, tol: self.inner_tol, history: 10 };
        let mut sums = vec![0.0; k];
        if shares.learn {
            mu.chunks_exact(k).for_each(|row| crowdwise_numerics::add_into(&mut sums, row));
        }
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            if shares.learn {
                shares.prior(&sums, &mut prior);
            }
            let ln_prior: Vec<f64> = prior.iter().map(|p| p.max(f64::MIN_POSITIVE).ln()).collect();
            let e = cx.install(|| {
                if joint {
                    model.search(&mu, &mut parameters, &lbfgs);
                } else {
                    model.search_in_turn(&mu, &mut parameters, &lbfgs);
                }
                model.expect(&parameters, &ln_prior, &mut mu)
            })?;
            sums = e.class_sums;
            Ok(Step { objective: Some(e.log_likelihood - model.penalty(&parameters)), change: e.change })
        })?;
        Ok(Fitted { parameters, mu, prior, run })
    }

    /// The gamma that foretells hidden labels best. Labels are dealt into folds by item and annotator names' numbers, so
    /// that nothing is drawn.
    fn choose(
        &self,
        data: &Dataset,
        parts: (Part, Part),
        shares: &Shares,
        cx: &mut Context<'_>,
    ) -> Result<(f64, Option<serde_json::Value>), Error> {
        let table = &data.table;
        let k = table.n_classes();
        let codes = table.categorical().expect("the kind was checked").codes;
        let mut scores = vec![0.0; GRID.len()];
        for fold in 0..self.folds {
            let mut hidden = vec![false; table.n_labels()];
            for u in 0..table.n_units() {
                // one label after the other, beginning elsewhere on every item
                table.rows(u).enumerate().for_each(|(n, r)| hidden[r] = (n + u) % self.folds == fold);
            }
            let rest = Dataset { table: table.filter_rows(|r| !hidden[r]), ..data.clone() };
            if rest.table.n_labels() == 0 {
                continue;
            }
            for (score, gamma) in scores.iter_mut().zip(GRID) {
                cx.event(&Event::Stage { name: format!("gamma {gamma}, fold {} of {}", fold + 1, self.folds) });
                let model = self.model(&rest, parts, gamma);
                let fitted = self.solve(&model, &rest, shares, cx)?;
                let matrices = model.matrices(&fitted.parameters.annotators);
                let (mut item, mut ln) = (vec![0.0; k * k], vec![0.0; k]);
                for u in 0..table.n_units() {
                    model.item_matrix(&fitted.parameters, u, &mut item);
                    for r in table.rows(u).filter(|&r| hidden[r]) {
                        let j = table.annotator()[r] as usize;
                        model.ln_label(codes.get(r), &matrices[j * k * k..(j + 1) * k * k], &item, &mut ln);
                        let p: f64 = ln.iter().zip(&fitted.mu[u * k..]).map(|(l, mu)| mu * l.exp()).sum();
                        *score += p.max(f64::MIN_POSITIVE).ln();
                    }
                }
            }
            if cx.cancelled() {
                break;
            }
        }
        let best = (0..GRID.len()).fold(0, |b, n| if scores[n] > scores[b] { n } else { b });
        let tried: Vec<_> = GRID.iter().zip(&scores).map(|(g, s)| json!({ "gamma": g, "value": s })).collect();
        Ok((GRID[best], Some(json!(tried))))
    }
}
