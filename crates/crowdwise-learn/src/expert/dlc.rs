use super::gates::Gates;
use super::low_rank::{Freedom, LowRank};
use super::turns::{Expertise, InTurns, Turns};
use super::words::Form;
use crate::learn::{Recipe, learn};
use crate::{Choose, Labels, NetworkKind, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
    stats,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Deep learning from crowds: how often an annotator is right depends on the item, through a few numbers per annotator and
/// one map of the features that all share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Dlc {
    /// How expertise depends on features: `low-rank` = `rank` numbers per annotator and a map that all share, `sparse` = a
    /// weight for every feature and annotator.
    pub expertise: Rank,
    /// Size of each annotator's embedding (`low-rank`).
    pub rank: usize,
    /// Strength of the pull of the annotators' parameters towards the common start.
    pub lambda: f64,
    /// Strength of the pull of the shared map towards its start (`low-rank`).
    pub lambda_view: f64,
    /// Number of steps for the annotators' parameters after every epoch.
    pub inner_iter: usize,
    /// Length of these steps (`low-rank`).
    pub annotator_rate: f64,
    /// Epochs on the votes before annotators are judged.
    pub warm_up: usize,
    /// Number of networks drawn by dropout and averaged; 0 = the network without dropout.
    pub passes: usize,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

/// How expertise depends on features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rank {
    #[default]
    LowRank,
    Sparse,
}

impl Default for Dlc {
    fn default() -> Self {
        Dlc {
            expertise: Rank::LowRank,
            rank: 10,
            lambda: 1.0,
            lambda_view: 10.0,
            inner_iter: 15,
            annotator_rate: 0.02,
            warm_up: 3,
            passes: 20,
            network: NetworkParams::default(),
            // held-out labels choose too early where targets change in turns: see the page of aggnet
            training: Training { epochs: 40, holdout: 0.0, choose: Choose::Last, ..Training::default() },
        }
    }
}

impl Method for Dlc {
    const INFO: MethodInfo = MethodInfo {
        id: "dlc",
        name: "DLC",
        summary: "EM with a network and annotators whose reliability depends on the item, by low-rank embeddings.",
        doc: include_str!("dlc.md"),
        aliases: &["deep-learning-from-crowds"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "J. Yang, T. Drake, A. Damianou and Y. Maarek, Leveraging crowdsourcing data for deep active learning: an application to learning intents in Alexa, WWW 2018",
            doi: Some("10.1145/3178876.3186033"),
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Expert)
    };

    fn check(&self, problems: &mut Problems) {
        problems.require((1..=1024).contains(&self.rank), "rank", self.rank, "a whole number from 1 to 1024");
        problems.at_least("lambda", self.lambda, 0.0);
        problems.at_least("lambda_view", self.lambda_view, 0.0);
        problems.count("inner_iter", self.inner_iter);
        problems.positive("annotator_rate", self.annotator_rate);
        self.network.check(problems);
        self.training.check(problems);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        Ok(Learn::learn(self, data, cx, None)?.outcome)
    }
}

impl Learn for Dlc {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        learn(&recipe, data, cx, own, |task, cx| {
            let experts = self.experts(task.labels.k, task.labels.m, task.x.cols, cx.seed)?;
            Ok(InTurns::new(task, votes(&task.labels), experts, self.turns(self.warm_up)))
        })
    }
}

impl Dlc {
    /// How turns are taken after so many epochs on the votes.
    pub(super) fn turns(&self, warm_up: usize) -> Turns {
        let draws = self.network.dropout > 0.0 && self.network.network != NetworkKind::Linear;
        Turns { warm_up, passes: if draws { self.passes } else { 0 }, floor: 0.0, judge_first: false }
    }

    /// Annotators of whom nothing is known yet.
    pub(super) fn experts(&self, k: usize, m: usize, d: usize, seed: u64) -> Result<Box<dyn Expertise>, Error> {
        Ok(match self.expertise {
            Rank::LowRank => {
                Form::LowRank { rank: self.rank }.check(k, m, d)?;
                let freedom = Freedom {
                    rank: self.rank,
                    lambda: self.lambda,
                    lambda_view: self.lambda_view,
                    rate: self.annotator_rate,
                    steps: self.inner_iter,
                };
                Box::new(LowRank::new(freedom, k, m, d, seed))
            }
            // the pull is the same as above: lambda times the square, not half of it
            Rank::Sparse => Box::new(Gates::new(2.0 * self.lambda, self.inner_iter, k, m, d)?),
        })
    }
}

/// Soft-max of the numbers of votes: a single vote is evidence, not the truth. Gold is certain.
pub(super) fn votes(labels: &Labels) -> Vec<f64> {
    let k = labels.k;
    let mut out = labels.vote_shares();
    for (i, row) in out.chunks_exact_mut(k).enumerate().filter(|(i, _)| labels.gold(*i).is_none()) {
        row.iter_mut().for_each(|share| *share *= labels.degree(i) as f64);
        stats::softmax(row);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::some_labels;

    #[test]
    fn two_classes_start_at_the_sigmoid_of_the_margin() {
        let labels = some_labels(8, 4, 2);
        for (i, row) in votes(&labels).chunks_exact(2).enumerate() {
            let Some(g) = labels.gold(i) else {
                let margin: f64 = labels.of(i).map(|(_, l)| if l == 1 { 1.0 } else { -1.0 }).sum();
                assert!((row[1] - 1.0 / (1.0 + (-margin).exp())).abs() < 1e-12, "{i}: {row:?}");
                continue;
            };
            assert_eq!(row[g], 1.0);
        }
    }
}
