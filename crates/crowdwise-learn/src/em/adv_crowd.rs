use super::aggnet::{Em, Rounds};
use super::attack::{Attack, ranges};
use super::targets::Targets;
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Outputs};
use crate::{Choose, Classifier, Matrix, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
    stream,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// EM with a network that is trained on the worst small changes of its features: the classifier keeps its answers when
/// somebody tampers with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AdvCrowd {
    /// Largest change of a feature, as the network sees it: in deviations, or in the features' own units with
    /// `standardise=false`.
    pub epsilon: f64,
    /// Number of steps of the search for the worst change; 1 = one full step (FGSM).
    pub steps: usize,
    /// Share of every batch to change.
    pub mix: f64,
    /// Epochs on the shares of the votes, without changes, before the first E-step.
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

impl Default for AdvCrowd {
    fn default() -> Self {
        AdvCrowd {
            epsilon: 0.1,
            steps: 7,
            mix: 1.0,
            warm_up: 5,
            epochs_per_round: 1,
            smoothing: 0.1,
            floor: 1e-3,
            network: NetworkParams::default(),
            // held-out labels choose too early where targets change in turns: see the page of aggnet
            training: Training { epochs: 40, holdout: 0.0, choose: Choose::Last, ..Training::default() },
        }
    }
}

impl Method for AdvCrowd {
    const INFO: MethodInfo = MethodInfo {
        id: "adv-crowd",
        name: "Adversarial learning from crowds",
        summary: "EM with a network trained on the worst small changes of its features: robust against tampering.",
        doc: include_str!("adv_crowd.md"),
        aliases: &["adversarial-crowd"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[
            Reference {
                text: "P. Chen, H. Sun, Y. Yang and Z. Chen, Adversarial learning from crowds, AAAI 2022",
                doi: Some("10.1609/aaai.v36i5.20467"),
            },
            Reference {
                text: "A. Madry, A. Makelov, L. Schmidt, D. Tsipras and A. Vladu, Towards deep learning models resistant to adversarial attacks, ICLR 2018",
                doi: None,
            },
        ],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Em)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("epsilon", self.epsilon, 0.0);
        problems.count("steps", self.steps);
        problems.within("mix", self.mix, 0.0, 1.0);
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

impl Learn for AdvCrowd {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        let rounds = Rounds {
            warm_up: self.warm_up,
            epochs_per_round: self.epochs_per_round,
            smoothing: self.smoothing,
            floor: self.floor,
        };
        learn(&recipe, data, cx, own, |task, cx| {
            let targets = Targets::votes(&task.labels, &task.train, self.smoothing);
            Ok(Adversarial {
                em: Em { targets, rounds },
                attack: Attack { epsilon: self.epsilon, steps: self.steps },
                mix: self.mix,
                ranges: ranges(&task.x),
                seed: cx.seed,
                batches: 0,
                begun: false,
            })
        })
    }
}

struct Adversarial {
    em: Em,
    attack: Attack,
    mix: f64,
    ranges: Vec<(f32, f32)>,
    seed: u64,
    /// Batches so far: each has its own random start.
    batches: u64,
    /// The warm-up is over.
    begun: bool,
}

impl Objective for Adversarial {
    fn begin_epoch(&mut self, epoch: usize, _: f64) {
        self.begun = epoch > self.em.rounds.warm_up;
    }

    fn perturb(&mut self, net: &mut dyn Classifier, items: &[u32], x: &mut Matrix) -> Result<(), Error> {
        // the order of items is random, so that the first are as good as any
        let changed = (self.mix * items.len() as f64).round() as usize;
        if !self.begun || changed == 0 {
            return Ok(());
        }
        let mut part = Matrix::new(changed, x.cols, x.values[..changed * x.cols].to_vec());
        let mut rng = stream(self.seed, "attack", self.batches);
        self.batches += 1;
        let targets = &self.em.targets;
        self.attack.perturb(net, &mut part, |b| targets.row(items[b]), &self.ranges, &mut rng)?;
        x.values[..part.values.len()].copy_from_slice(&part.values);
        Ok(())
    }

    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        self.em.step(scores, batch, d_scores)
    }

    fn end_epoch(&mut self, epoch: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        self.em.end_epoch(epoch, all)
    }

    fn confusion(&self) -> Vec<f64> {
        self.em.confusion()
    }

    fn snapshot(&self) -> Vec<f64> {
        self.em.snapshot()
    }

    fn restore(&mut self, kept: &[f64]) {
        self.em.restore(kept);
    }
}

impl Learner for Adversarial {}
