//! Labelling functions by EM: the vote and the silence of a source are both observed.

use super::copies::near_copies;
use super::votes::{Scores, Votes, balance};
use crate::classes::confusion::ClassPrior;
use crate::classes::confusion::shared::Shares;
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
    Step,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A label model for labelling functions with abstention.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LfEm {
    /// Maximum number of iterations (passes over the votes).
    pub max_iter: usize,
    /// Stop when one step changes no posterior by more than this.
    pub tol: f64,
    /// How many times likelier a source is believed to vote for a class on items of it than on others.
    pub lift: f64,
    /// Weight of that belief, as a share of the number of items.
    pub strength: f64,
    /// Class shares: all alike, as given in `class_shares`, or learned (only for many independent sources).
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
    /// Treat a missing vote as evidence. Without it, items on which nobody votes keep the class shares.
    pub abstentions: bool,
    /// Sources of one label that vote on the same items more than this (phi correlation) share one weight. 1: never.
    pub copy_threshold: f64,
}

impl Default for LfEm {
    fn default() -> Self {
        LfEm {
            max_iter: 300,
            tol: 1e-7,
            lift: 3.0,
            strength: 0.25,
            class_prior: ClassPrior::Uniform,
            class_shares: BTreeMap::new(),
            abstentions: true,
            copy_threshold: 0.5,
        }
    }
}

/// No probability of silence is smaller.
const SILENCE: f64 = 1e-3;

/// The belief stays below this.
const HIGHEST: f64 = 0.95;
/// Silence that a source is believed to keep on every class.
const LEAST_SILENCE: f64 = 0.02;

/// Sources and labels whose rates are listed in the diagnostics.
const LISTED: usize = 1000;

/// Rates of every indicator: on items of its label, and on others.
struct Rates {
    hit: Vec<f64>,
    other: Vec<f64>,
}

impl LfEm {
    /// What is believed before any posterior: the rate that is seen, `lift` times higher on the label's own class. Where a
    /// source votes so often that this would leave it no silence, all its rates on that class are scaled down.
    fn belief(&self, votes: &Votes, shares: &[f64]) -> Rates {
        let k = votes.k;
        let raw = |j: usize, truth: usize| {
            let l = votes.label[j] as usize;
            let z = shares[l] * self.lift + 1.0 - shares[l];
            (votes.rate(j) * if truth == l { self.lift } else { 1.0 } / z).min(HIGHEST)
        };
        let mut total = vec![0.0f64; votes.sources * k];
        for j in 0..votes.indicators() {
            let own = &mut total[votes.source[j] as usize * k..][..k];
            own.iter_mut().enumerate().for_each(|(truth, t)| *t += raw(j, truth));
        }
        total.iter_mut().for_each(|t| *t += (1.0 - *t).max(LEAST_SILENCE));
        let mut rates = Rates { hit: Vec::new(), other: Vec::new() };
        for j in 0..votes.indicators() {
            let (m, l) = (votes.source[j] as usize, votes.label[j] as usize);
            let scaled = |truth: usize| raw(j, truth) / total[m * k + truth];
            let others: f64 = (0..k).filter(|&t| t != l).map(scaled).sum();
            rates.hit.push(scaled(l));
            rates.other.push(others / (k - 1).max(1) as f64);
        }
        rates
    }

    /// Rates from expected counts and the belief.
    fn maximise(&self, votes: &Votes, belief: &Rates, right: &[f64], class: &[f64]) -> Rates {
        let n = votes.items as f64;
        let strength = self.strength * n;
        let others = (votes.k - 1) as f64 * strength;
        let mut rates = Rates { hit: Vec::new(), other: Vec::new() };
        for j in 0..votes.indicators() {
            let mass = class[votes.label[j] as usize];
            let hit = (strength * belief.hit[j] + right[j]) / (strength + mass);
            let wrong = (votes.fires[j] as f64 - right[j]).max(0.0);
            let rest = others + (n - mass).max(0.0);
            let other = if rest > 0.0 { (others * belief.other[j] + wrong) / rest } else { hit };
            rates.hit.push(hit.clamp(1e-9, 1.0));
            rates.other.push(other.clamp(1e-9, 1.0));
        }
        rates
    }

    /// Logarithms for the posterior: of votes (indicators x K) and of silence (sources x K), weighted.
    fn logarithms(votes: &Votes, rates: &Rates, weight: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let k = votes.k;
        let mut fire = vec![0.0; votes.indicators() * k];
        let mut silent = vec![1.0; votes.sources * k];
        for j in 0..votes.indicators() {
            let (m, l) = (votes.source[j] as usize, votes.label[j] as usize);
            for c in 0..k {
                let p = if c == l { rates.hit[j] } else { rates.other[j] };
                fire[j * k + c] = weight[m] * p.ln();
                silent[m * k + c] -= p;
            }
        }
        for (m, row) in silent.chunks_exact_mut(k).enumerate() {
            row.iter_mut().for_each(|p| *p = weight[m] * p.max(SILENCE).ln());
        }
        (fire, silent)
    }
}

impl Method for LfEm {
    const INFO: MethodInfo = MethodInfo {
        id: "lf-em",
        name: "Labelling functions by EM",
        summary: "Label model for sources that choose whether to vote: silence is evidence, copies share a weight.",
        doc: include_str!("lf_em.md"),
        aliases: &["labelling-functions"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "A. Ratner, C. De Sa, S. Wu, D. Selsam, C. Ré. Data Programming: Creating Large Training Sets, Quickly. \
                   NIPS 2016.",
            doi: Some("10.48550/arXiv.1605.07723"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Sources)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("lift", self.lift, 1.0, 1e6);
        p.within("strength", self.strength, 0.0, 1e6);
        Shares::check(self.class_prior, 0.0, &self.class_shares, p);
        p.within("copy_threshold", self.copy_threshold, 0.0, 1.0);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let labels = data.table.categorical().expect("the kind was checked");
        let gold = data.gold_classes();
        let votes = Votes::new(&labels);
        let mut shares = balance(&self.class_shares, &labels)?;
        let weight = near_copies(&votes, self.copy_threshold, false)?.weight;
        let belief = self.belief(&votes, &shares);
        let mut posterior = votes.shares(&shares, gold.as_deref());
        let (mut right, mut class) = votes.right(&posterior, cx)?;
        let mut rates = self.maximise(&votes, &belief, &right, &class);
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            let (fire, silent) = LfEm::logarithms(&votes, &rates, &weight);
            let prior: Vec<f64> = shares.iter().map(|p| p.ln()).collect();
            let silent = self.abstentions.then_some(silent.as_slice());
            let scores = Scores { prior: &prior, fire: &fire, silent };
            let change = votes.posterior(&scores, gold.as_deref(), &mut posterior, cx)?;
            (right, class) = votes.right(&posterior, cx)?;
            rates = self.maximise(&votes, &belief, &right, &class);
            if self.class_prior == ClassPrior::Learn {
                let total = votes.items as f64 + votes.k as f64;
                shares.iter_mut().zip(&class).for_each(|(s, c)| *s = (c + 1.0) / total);
            }
            Ok(Step { objective: None, change })
        })?;
        let mut out = Outcome::classes(votes.k, posterior, votes.precision(&right), run.diagnostics(""));
        out.class_prior = Some(shares);
        describe(&votes, &labels, &rates, &weight, data, &mut out);
        Ok(out)
    }
}

/// Coverage, and the rates of every source and label.
fn describe(
    votes: &Votes,
    labels: &crowdwise_core::Categorical<'_>,
    rates: &Rates,
    weight: &[f64],
    data: &Dataset,
    out: &mut Outcome,
) {
    let details = &mut out.diagnostics.details;
    details.insert("covered_items".into(), votes.covered().into());
    if votes.indicators() <= LISTED {
        let row = |j: usize| -> Value {
            let m = votes.source[j] as usize;
            json!({
                "annotator": data.table.annotators().name(m),
                "label": labels.classes.name(votes.label[j] as usize),
                "votes": votes.fires[j],
                "rate_on_class": rates.hit[j],
                "rate_elsewhere": rates.other[j],
                "weight": weight[m],
            })
        };
        details.insert("vote_rates".into(), (0..votes.indicators()).map(row).collect());
    }
}
