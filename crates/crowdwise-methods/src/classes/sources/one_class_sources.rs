//! Sources that vote for one class or are silent: accuracies from how often they meet, and a vote with these as weights.

mod meetings;

use super::copies::near_copies;
use super::one_class::one_class_sources;
use super::votes::{Scores, Votes};
use crate::classes::used_classes::fit_without_unused;
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems, Reference, Status,
    Step,
};
use crowdwise_numerics::lbfgs::Search;
use meetings::Meetings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Votes weighted by accuracies that follow from how often sources vote on the same items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OneClassSources {
    /// Maximum number of steps of the search for the accuracies.
    pub max_iter: usize,
    /// Stop when one step would change no log-odds by more than this.
    pub tol: f64,
    /// Accuracy that sources are believed to have on average before anything is seen.
    pub prior_accuracy: f64,
    /// How much the sources are believed to differ: standard deviation of the log-odds of their accuracies.
    pub spread: f64,
    /// How far two sources may meet more or less often than their accuracies say, as a standard deviation of the logarithm. The larger,
    /// the less one pair tells.
    pub dependence: f64,
    /// One-class sources of the same class that vote on the same items more than this (phi correlation) share one weight. 1: never.
    pub copy_threshold: f64,
}

impl Default for OneClassSources {
    fn default() -> Self {
        OneClassSources {
            max_iter: 200,
            tol: 1e-8,
            prior_accuracy: 0.75,
            spread: 0.7,
            dependence: 0.6,
            copy_threshold: 0.7,
        }
    }
}

/// A vote counts as if its source were at least this much better than guessing: whoever votes was meant to be right, and no
/// label that nobody gave can win.
const ABOVE_GUESSING: f64 = 0.02;
/// No source is believed to be better than this.
const HIGHEST: f64 = 0.98;
/// Steps that the search remembers.
const HISTORY: usize = 10;
/// Sources and labels that are listed in the diagnostics.
const LISTED: usize = 1000;

impl Method for OneClassSources {
    const INFO: MethodInfo = MethodInfo {
        id: "one-class-sources",
        name: "One-class sources",
        summary: "Weighted vote for sources that vote for one class or abstain; only labels that somebody gave can win.",
        doc: include_str!("one_class_sources.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "A. Ratner, C. De Sa, S. Wu, D. Selsam, C. Ré. Data Programming: Creating Large Training Sets, Quickly. \
                       NIPS 2016.",
                doi: Some("10.48550/arXiv.1605.07723"),
            },
            Reference {
                text: "A. Ratner, B. Hancock, J. Dunnmon, F. Sala, S. Pandey, C. Ré. Training Complex Models with Multi-Task \
                       Weak Supervision. AAAI 2019.",
                doi: Some("10.1609/aaai.v33i01.33014763"),
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Sources)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.between("prior_accuracy", self.prior_accuracy, 0.0, 1.0);
        p.within("spread", self.spread, 1e-3, 10.0);
        p.within("dependence", self.dependence, 1e-3, 10.0);
        p.within("copy_threshold", self.copy_threshold, 0.0, 1.0);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        if let Some(out) = fit_without_unused(data, [], cx, |data, cx| self.fit(data, cx))? {
            return Ok(out);
        }
        let labels = data.table.categorical().expect("the kind was checked");
        let gold = data.gold_classes();
        let votes = Votes::new(&labels);
        let (k, shares) = (votes.k, shares(&votes));
        let copies = near_copies(&votes, self.copy_threshold, true)?;
        let meetings = Meetings::new(&votes, &shares, &copies.cluster, gold.as_deref(), self)?;
        let scale = meetings.scale();
        let mut search = Search::new(meetings.start(), HISTORY, |x, g| meetings.evaluate(x, g));
        let run = cx.iterate(self.max_iter, self.tol, |_, _| {
            // where there is no better point, this is the end as well
            let moved = search.step(&scale, |x, g| meetings.evaluate(x, g));
            let change = if moved { search.distance(&scale) } else { 0.0 };
            Ok(Step { objective: Some(search.value), change })
        })?;
        let accuracy = meetings.accuracies(&search.x, votes.indicators());
        let mut fire = vec![0.0; votes.indicators() * k];
        let lowest = 1.0 / k as f64 + ABOVE_GUESSING;
        for (j, a) in accuracy.iter().enumerate() {
            let a = a.clamp(lowest.min(HIGHEST), HIGHEST);
            let odds = a * (k.max(2) - 1) as f64 / (1.0 - a);
            fire[j * k + votes.label[j] as usize] = copies.weight[votes.source[j] as usize] * odds.ln();
        }
        let prior = vec![0.0; k];
        let mut posterior = vec![0.0; votes.items * k];
        let scores = Scores { prior: &prior, fire: &fire, silent: None };
        votes.posterior(&scores, gold.as_deref(), &mut posterior, cx)?;
        for u in (0..votes.items).filter(|&u| votes.of(u).is_empty() && gold.as_ref().is_none_or(|g| g[u].is_none())) {
            posterior[u * k..(u + 1) * k].copy_from_slice(&shares);
        }
        let (right, _) = votes.right(&posterior, cx)?;
        let mut out = Outcome::classes(k, posterior, votes.precision(&right), run.diagnostics("meeting-loss"));
        out.class_prior = Some(shares);
        let found = one_class_sources(&labels);
        let details = &mut out.diagnostics.details;
        details.insert("covered_items".into(), votes.covered().into());
        details.insert("one_class_share".into(), found.share.into());
        details.insert("meetings".into(), meetings.total().into());
        if votes.indicators() <= LISTED {
            let row = |j: usize| -> Value {
                let m = votes.source[j] as usize;
                json!({
                    "annotator": data.table.annotators().name(m),
                    "label": labels.classes.name(votes.label[j] as usize),
                    "votes": votes.fires[j],
                    "accuracy": accuracy[j],
                    "weight": copies.weight[m],
                })
            };
            details.insert("sources".into(), (0..votes.indicators()).map(row).collect());
        }
        Ok(out)
    }
}

/// Class shares: half way between those of the votes and all alike. Votes alone say how often a class is *named*.
fn shares(votes: &Votes) -> Vec<f64> {
    let mut out = vec![0.0; votes.k];
    for (j, &n) in votes.fires.iter().enumerate() {
        out[votes.label[j] as usize] += n as f64;
    }
    let total: f64 = out.iter().sum::<f64>().max(1.0);
    out.iter_mut().for_each(|s| *s = 0.5 * *s / total + 0.5 / votes.k as f64);
    let sum: f64 = out.iter().sum();
    out.iter_mut().for_each(|s| *s /= sum);
    out
}
