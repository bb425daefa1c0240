use super::targets::Targets;
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Outputs};
use crate::{Choose, Matrix, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// EM with a network in the M-step: after every epoch the labels and the network say together what is true, and the
/// network is trained on that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Aggnet {
    /// Epochs on the shares of the votes before the first E-step.
    pub warm_up: usize,
    /// Number of epochs between two E-steps.
    pub epochs_per_round: usize,
    /// Added to every cell of the counted confusion matrices.
    pub smoothing: f64,
    /// Added to the network's probabilities in the E-step, so that it never rules a class out.
    pub floor: f64,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

impl Default for Aggnet {
    fn default() -> Self {
        Aggnet {
            warm_up: 3,
            epochs_per_round: 1,
            smoothing: 0.01,
            floor: 1e-3,
            network: NetworkParams::default(),
            // held-out labels choose too early here: see the page
            training: Training { epochs: 40, holdout: 0.0, choose: Choose::Last, ..Training::default() },
        }
    }
}

impl Method for Aggnet {
    const INFO: MethodInfo = MethodInfo {
        id: "aggnet",
        name: "AggNet",
        summary: "EM with a network: classifier and confusion matrices improve each other after every epoch.",
        doc: include_str!("aggnet.md"),
        aliases: &["deep-em"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[
            Reference {
                text: "S. Albarqouni, C. Baur, F. Achilles, V. Belagiannis, S. Demirci and N. Navab, AggNet: deep learning from crowds for mitosis detection in breast cancer histology images, IEEE Transactions on Medical Imaging 35, 2016",
                doi: Some("10.1109/TMI.2016.2528120"),
            },
            Reference {
                text: "F. Rodrigues and F. C. Pereira, Deep learning from crowds, AAAI 2018",
                doi: Some("10.1609/aaai.v32i1.11506"),
            },
        ],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Em)
    };

    fn check(&self, problems: &mut Problems) {
        problems.count("epochs_per_round", self.epochs_per_round);
        problems.positive("smoothing", self.smoothing);
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

impl Learn for Aggnet {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        learn(&recipe, data, cx, own, |task, _| {
            let targets = Targets::votes(&task.labels, &task.train, self.smoothing);
            let Aggnet { warm_up, epochs_per_round, smoothing, floor, .. } = *self;
            Ok(Em { targets, rounds: Rounds { warm_up, epochs_per_round, smoothing, floor } })
        })
    }
}

/// When the E-step is taken, and how; see [`Aggnet`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    pub warm_up: usize,
    pub epochs_per_round: usize,
    pub smoothing: f64,
    pub floor: f64,
}

pub(super) struct Em {
    pub targets: Targets,
    pub rounds: Rounds,
}

impl Objective for Em {
    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        self.targets.loss(scores, batch, d_scores)
    }

    fn end_epoch(&mut self, epoch: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        let Rounds { warm_up, epochs_per_round, floor, smoothing } = self.rounds;
        if epoch >= warm_up && (epoch - warm_up).is_multiple_of(epochs_per_round) {
            let f = self.probabilities(&all.scores()?);
            self.targets.infer_with(&f, floor, all.labels, all.items);
            self.targets.count(all.labels, all.items, smoothing);
        }
        Ok(())
    }

    fn confusion(&self) -> Vec<f64> {
        self.targets.confusion.clone()
    }

    fn snapshot(&self) -> Vec<f64> {
        self.targets.snapshot()
    }

    fn restore(&mut self, kept: &[f64]) {
        self.targets.restore(kept);
    }
}

impl Learner for Em {}
