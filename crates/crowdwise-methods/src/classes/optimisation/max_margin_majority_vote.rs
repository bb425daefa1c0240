//! Max-margin majority vote: weights under which every item's class wins by a margin (Tian and Zhu, 2015).

use super::margin::{CLOSE, Votes, pseudo_posterior, rival};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Status, Step,
};
use crowdwise_numerics::{add_into, dot};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Max-margin majority vote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MaxMarginMajorityVote {
    /// Maximum number of rounds of weights and classes.
    pub max_iter: usize,
    /// Number of sub-gradient steps for the weights per round.
    pub inner_iter: usize,
    /// Cost of a missed margin (the C of the paper).
    pub penalty: f64,
    /// By how much a class should win (the ℓ of the paper), in units of one vote.
    pub margin: f64,
    /// Variance of the weights: larger = weights further from 0 cost less.
    pub variance: f64,
}

impl Default for MaxMarginMajorityVote {
    fn default() -> Self {
        MaxMarginMajorityVote { max_iter: 20, inner_iter: 200, penalty: 0.25, margin: 3.0, variance: 1.0 }
    }
}

/// The search of a round ends early when so many steps have gained less than this share of the objective.
const PATIENCE: usize = 20;
const GAIN: f64 = 1e-5;

/// The class of every unit; units whose best classes are tied keep all of them.
struct Chosen {
    /// A class, or K + the number of a set of tied classes.
    class: Vec<u32>,
    tied: Vec<Vec<u32>>,
}

impl Chosen {
    fn new(votes: &Votes<'_>, weight: &[f64]) -> Chosen {
        let mut out = Chosen { class: Vec::with_capacity(votes.units), tied: Vec::new() };
        let mut score = vec![0.0; votes.k];
        for u in 0..votes.units {
            if let Some(c) = votes.known(u) {
                out.class.push(c as u32);
                continue;
            }
            votes.scores(u, weight, &mut score);
            let best = score.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let among = (0..votes.k as u32).filter(|&c| close(score[c as usize], best));
            let mut first = among.clone();
            let one = first.next().expect("there is a best class");
            if first.next().is_none() {
                out.class.push(one);
            } else {
                out.class.push((votes.k + out.tied.len()) as u32);
                out.tied.push(among.collect());
            }
        }
        out
    }

    /// Share of the units with another class.
    fn differs(&self, other: &Chosen, k: usize) -> f64 {
        fn set<'a>(c: &'a Chosen, x: &'a u32, k: usize) -> &'a [u32] {
            (*x as usize).checked_sub(k).map_or(std::slice::from_ref(x), |tied| &c.tied[tied])
        }
        let moved = self.class.iter().zip(&other.class).filter(|&(a, b)| set(self, a, k) != set(other, b, k)).count();
        moved as f64 / self.class.len() as f64
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= CLOSE * a.abs().max(b.abs()).max(1.0)
}

impl Method for MaxMarginMajorityVote {
    const INFO: MethodInfo = MethodInfo {
        id: "max-margin-majority-vote",
        name: "Max-margin majority vote",
        summary: "Weighted vote whose weights make every item's class win by a margin, as in a support vector machine.",
        doc: include_str!("max_margin_majority_vote.md"),
        aliases: &["m3v"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { monotone: true, gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "T. Tian, J. Zhu. Max-Margin Majority Voting for Learning from Crowds. NIPS 2015; IEEE Transactions on Pattern Analysis and Machine Intelligence 41(10), 2019.",
            doi: Some("10.1109/TPAMI.2018.2860987"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Optimisation)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.count("inner_iter", self.inner_iter);
        p.positive("penalty", self.penalty);
        p.positive("margin", self.margin);
        p.positive("variance", self.variance);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let votes = Votes::new(data);
        let k = votes.k;
        let mut weight = vec![1.0; votes.m];
        if k == 1 {
            let annotators = Annotators::Weight { weight };
            return Ok(Outcome::classes(k, vec![1.0; votes.units], annotators, Diagnostics::direct()));
        }
        let mut chosen = Chosen::new(&votes, &weight);
        let run = cx.iterate(self.max_iter, f64::MIN_POSITIVE, |cx, _| {
            let value = cx.install(|| self.search(&votes, &chosen, &mut weight))?;
            let next = Chosen::new(&votes, &weight);
            let change = next.differs(&chosen, k);
            chosen = next;
            Ok(Step { objective: Some(-value), change })
        })?;
        let mut posterior = vec![0.0; votes.units * k];
        for (u, row) in posterior.chunks_exact_mut(k).enumerate() {
            if let Some(c) = votes.known(u) {
                row[c] = 1.0;
            } else {
                votes.scores(u, &weight, row);
                pseudo_posterior(row, self.penalty, self.margin);
            }
        }
        let diagnostics = run.diagnostics("negative-hinge-objective");
        let mut out = Outcome::classes(k, posterior, Annotators::Weight { weight }, diagnostics);
        out.class_prior = Some(vec![1.0 / k as f64; k]);
        Ok(out)
    }
}

impl MaxMarginMajorityVote {
    /// Improves the weights for the chosen classes; returns the best value. Steps of 1 / (λ t) suit an objective that is
    /// strongly convex; the best point is kept, the point of departure included.
    fn search(&self, votes: &Votes<'_>, chosen: &Chosen, weight: &mut [f64]) -> f64 {
        let mut here = weight.to_vec();
        let mut best = f64::INFINITY;
        let mut before = best;
        for t in 0..=self.inner_iter {
            if t > 0 && t.is_multiple_of(PATIENCE) {
                if before - best < GAIN * best.abs() {
                    break;
                }
                before = best;
            }
            let (value, mut gradient) = self.value(votes, chosen, &here);
            if value < best {
                best = value;
                weight.copy_from_slice(&here);
            }
            gradient.iter_mut().zip(&here).for_each(|(g, x)| *g += x / self.variance);
            let step = self.variance / (t + 2) as f64;
            here.iter_mut().zip(&gradient).for_each(|(x, g)| *x -= step * g);
        }
        best
    }

    /// The objective, and a sub-gradient of its margin part.
    fn value(&self, votes: &Votes<'_>, chosen: &Chosen, weight: &[f64]) -> (f64, Vec<f64>) {
        let parts: Vec<(f64, Vec<f64>)> =
            votes.runs.par_iter().map(|run| self.run(votes, chosen, weight, run.clone())).collect();
        let mut value = 0.5 * dot(weight, weight) / self.variance;
        let mut gradient = vec![0.0; votes.m];
        for (v, g) in &parts {
            value += v;
            add_into(&mut gradient, g);
        }
        (value, gradient)
    }

    fn run(&self, votes: &Votes<'_>, chosen: &Chosen, weight: &[f64], run: Range<usize>) -> (f64, Vec<f64>) {
        let k = votes.k;
        let mut gradient = vec![0.0; votes.m];
        let mut value = 0.0;
        let mut score = vec![0.0; k];
        for u in run {
            if votes.degree(u) == 0 {
                continue;
            }
            votes.scores(u, weight, &mut score);
            let class = chosen.class[u] as usize;
            let y = if class < k {
                class
            } else {
                // tied when the round began: whichever leads now
                let set = &chosen.tied[class - k];
                set.iter().fold(set[0] as usize, |b, &c| if score[c as usize] > score[b] { c as usize } else { b })
            };
            let (other, _) = rival(&score, y);
            let missed = self.margin - (score[y] - other);
            if missed <= CLOSE {
                continue;
            }
            value += 2.0 * self.penalty * missed;
            if class >= k && close(score[y], other) {
                // still tied: any direction would favour the order of the classes
                continue;
            }
            let rivals = (0..k).filter(|&c| c != y && close(score[c], other)).count() as f64;
            for (j, l) in votes.of(u) {
                if l == y {
                    gradient[j] -= 2.0 * self.penalty;
                } else if close(score[l], other) {
                    gradient[j] += 2.0 * self.penalty / rivals;
                }
            }
        }
        (value, gradient)
    }
}
