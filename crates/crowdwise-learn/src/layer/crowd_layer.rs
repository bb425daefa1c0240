use super::coupled::{Confusions, coupled, unit};
use super::original::Original;
use crate::confusion::counted;
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Probabilities, add_gold};
use crate::train::Task;
use crate::{Learn, Learned, Own};
use crate::{Matrix, NetworkParams, Training};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A network whose class probabilities pass through a confusion matrix of each annotator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CrowdLayer {
    /// `probability` = soft-max confusion matrices, a likelihood of the labels; `mw`, `vw`, `vb`, `vw-b`, `sw` = the layers
    /// of the paper (matrix, weights, offsets, weights and offsets, one weight), which apply a second soft-max.
    pub form: Form,
    /// Where the confusion matrices begin: `identity`, or as counted from the `votes`.
    pub init: Init,
    /// How sure annotators are of the right class at an `identity` start: the free number on the diagonal.
    pub diagonal: f64,
    /// Learning rate of the annotators' parameters.
    pub annotator_rate: f64,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

/// What stands between the classifier and the labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    #[default]
    Probability,
    Mw,
    Vw,
    Vb,
    VwB,
    Sw,
}

/// Where confusion matrices begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Init {
    #[default]
    Identity,
    Votes,
}

impl Default for CrowdLayer {
    fn default() -> Self {
        CrowdLayer {
            form: Form::Probability,
            init: Init::Identity,
            diagonal: 3.0,
            annotator_rate: 1e-2,
            network: NetworkParams::default(),
            training: Training::default(),
        }
    }
}

impl Method for CrowdLayer {
    const INFO: MethodInfo = MethodInfo {
        id: "crowd-layer",
        name: "Crowd layer",
        summary: "A network whose class probabilities pass through a learned confusion matrix of each annotator.",
        doc: include_str!("crowd_layer.md"),
        aliases: &["ccem"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "F. Rodrigues and F. C. Pereira, Deep learning from crowds, AAAI 2018",
            doi: Some("10.1609/aaai.v32i1.11506"),
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Layer)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("diagonal", self.diagonal, 0.0);
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

impl Learn for CrowdLayer {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        if self.form == Form::Probability {
            return learn(&recipe, data, cx, own, |task, _| {
                let confusions = start(task, self.init, self.diagonal);
                Ok(Coupled { confusions, rate: self.annotator_rate, now: self.annotator_rate })
            });
        }
        learn(&recipe, data, cx, own, |task, _| {
            Ok(Original::new(self.form, task.labels.m, task.labels.k, self.annotator_rate))
        })
    }
}

/// Confusion matrices to begin with.
pub(super) fn start(task: &Task, init: Init, diagonal: f64) -> Confusions {
    let (m, k) = (task.labels.m, task.labels.k);
    match init {
        Init::Identity => Confusions::diagonal(m, k, diagonal),
        Init::Votes => {
            let shares = task.labels.vote_shares();
            let rows: Vec<f64> =
                task.train.iter().flat_map(|&i| shares[i as usize * k..][..k].iter().copied()).collect();
            let counts = counted(&rows, &task.train, &task.labels, 1e-9);
            Confusions::new(k, counts.iter().map(|a| (a + 0.01).ln()).collect())
        }
    }
}

struct Coupled {
    confusions: Confusions,
    rate: f64,
    now: f64,
}

impl Objective for Coupled {
    fn begin_epoch(&mut self, _: usize, factor: f64) {
        self.now = self.rate * factor;
    }

    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let f = Probabilities::of(scores);
        let mut d_f = vec![0.0; f.rows.len()];
        let loss = coupled(&f, batch, &mut self.confusions, &mut d_f) + add_gold(&f, batch, unit(batch), &mut d_f);
        f.backward(&d_f, d_scores);
        self.confusions.step(self.now, |_, _, _| {});
        loss
    }

    fn confusion(&self) -> Vec<f64> {
        self.confusions.a.clone()
    }

    fn snapshot(&self) -> Vec<f64> {
        self.confusions.snapshot()
    }

    fn restore(&mut self, kept: &[f64]) {
        self.confusions.restore(kept);
    }
}

impl Learner for Coupled {}
