use super::gates::Gates;
use super::heads::{Freedom, Heads};
use super::turns::{InTurns, Turns};
use super::words::Form;
use crate::em::dawid_skene;
use crate::learn::{Recipe, learn};
use crate::{Choose, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Confusion that depends on the item: annotators are better on some items than on others, and features say on which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct InstanceConfusion {
    /// What depends on the item: `gate` = how often an annotator is right, learned in turns with the network; `heads` = the
    /// whole confusion matrix, learned with the network by the likelihood of the labels.
    pub form: Dependence,
    /// Strength of the pull towards annotators who are the same on all items; `null` = 1 for gates and 0.01 for heads.
    pub lambda: Option<f64>,
    /// Number of item features that the matrices depend on (`heads`).
    pub rank: usize,
    /// Weight of the mean trace of the matrices, which is made small (`heads`); above 0.01 it does harm.
    pub trace: f64,
    /// Free number on the diagonal of the matrices at the start (`heads`).
    pub diagonal: f64,
    /// Learning rate of the annotators' parameters (`heads`).
    pub annotator_rate: f64,
    /// Maximum number of steps of the search for the gates after every epoch (`gate`).
    pub inner_iter: usize,
    /// Added to the network's probabilities when targets are made, so that it never rules a class out (`gate`).
    pub floor: f64,
    /// Epochs before anything depends on the item; `null` = 3 for gates and 30 % of the epochs for heads.
    pub warm_up: Option<usize>,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

/// What depends on the item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dependence {
    #[default]
    Gate,
    Heads,
}

impl Default for InstanceConfusion {
    fn default() -> Self {
        InstanceConfusion {
            form: Dependence::Gate,
            lambda: None,
            rank: 4,
            trace: 0.0,
            diagonal: 2.0,
            annotator_rate: 1e-2,
            inner_iter: 20,
            floor: 1e-3,
            warm_up: None,
            network: NetworkParams::default(),
            // held-out labels choose too early where targets change in turns: see the page of aggnet
            training: Training { epochs: 40, holdout: 0.0, choose: Choose::Last, ..Training::default() },
        }
    }
}

impl Method for InstanceConfusion {
    const INFO: MethodInfo = MethodInfo {
        id: "instance-confusion",
        name: "Instance-dependent confusion",
        summary: "A network and annotators who are better on some items than on others: a gate or matrices by features.",
        doc: include_str!("instance_confusion.md"),
        aliases: &["idn-gate", "idn-trace"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "L. Zhang, R. Tanno, M.-C. Xu, C. Jin, J. Jacob, O. Ciccarelli, F. Barkhof and D. C. Alexander, Disentangling human error from the ground truth in segmentation of medical images, NeurIPS 2020",
            doi: None,
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Expert)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("lambda", self.lambda.unwrap_or(0.0), 0.0);
        problems.require((1..=1024).contains(&self.rank), "rank", self.rank, "a whole number from 1 to 1024");
        problems.at_least("trace", self.trace, 0.0);
        problems.at_least("diagonal", self.diagonal, 0.0);
        problems.positive("annotator_rate", self.annotator_rate);
        problems.count("inner_iter", self.inner_iter);
        problems.at_least("floor", self.floor, 0.0);
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

impl Learn for InstanceConfusion {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        if self.form == Dependence::Heads {
            return learn(&recipe, data, cx, own, |task, cx| {
                let freedom = Freedom {
                    // more numbers than features say nothing new
                    rank: self.rank.min(task.x.cols),
                    ridge: self.lambda.unwrap_or(0.01),
                    trace: self.trace,
                    diagonal: self.diagonal,
                    warm_up: self.warm_up.unwrap_or(self.training.epochs * 3 / 10),
                    rate: self.annotator_rate,
                };
                Form::Heads { rank: freedom.rank }.check(task.labels.k, task.labels.m, task.x.cols)?;
                Ok(Heads::new(freedom, task, cx.seed))
            });
        }
        // the targets of the first epochs are those of Dawid and Skene's model
        let start = dawid_skene(data, cx)?;
        learn(&recipe, data, cx, own, |task, _| {
            let gates =
                Gates::new(self.lambda.unwrap_or(1.0), self.inner_iter, task.labels.k, task.labels.m, task.x.cols)?;
            let warm_up = self.warm_up.unwrap_or(3);
            Ok(InTurns::new(
                task,
                start.clone(),
                gates,
                Turns { warm_up, passes: 0, floor: self.floor, judge_first: true },
            ))
        })
    }
}
