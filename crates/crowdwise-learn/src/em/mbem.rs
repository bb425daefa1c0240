use super::targets::Targets;
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Outputs};
use crate::{Learn, Learned, Own};
use crate::{Matrix, NetworkParams, Training};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
    stats,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Model bootstrapped EM: the network's own answers stand for the truth when annotators are judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Mbem {
    /// Number of times annotators are judged again; the epochs are divided evenly between them.
    pub rounds: usize,
    /// Added to every cell of the counted confusion matrices.
    pub smoothing: f64,
    /// Count class shares from the network's answers, as in the paper; otherwise all classes are alike. With one label an
    /// item a small imbalance of the answers can grow until one class has taken all.
    pub class_shares: bool,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

impl Default for Mbem {
    fn default() -> Self {
        Mbem {
            rounds: 5,
            smoothing: 0.01,
            class_shares: false,
            network: NetworkParams::default(),
            training: Training::default(),
        }
    }
}

impl Method for Mbem {
    const INFO: MethodInfo = MethodInfo {
        id: "mbem",
        name: "Model bootstrapped EM",
        summary: "Annotators are judged by the network's own answers, and the network is trained on the judged labels.",
        doc: include_str!("mbem.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "A. Khetan, Z. C. Lipton and A. Anandkumar, Learning from noisy singly-labeled data, ICLR 2018",
            doi: None,
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Em)
    };

    fn check(&self, problems: &mut Problems) {
        problems.count("rounds", self.rounds);
        problems.positive("smoothing", self.smoothing);
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

impl Learn for Mbem {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        learn(&recipe, data, cx, own, |task, _| {
            let targets = Targets::votes(&task.labels, &task.train, self.smoothing);
            Ok(Bootstrap { targets, method: self.clone() })
        })
    }
}

struct Bootstrap {
    targets: Targets,
    method: Mbem,
}

impl Objective for Bootstrap {
    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        self.targets.loss(scores, batch, d_scores)
    }

    fn end_epoch(&mut self, epoch: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        let (epochs, rounds) = (self.method.training.epochs, self.method.rounds.min(self.method.training.epochs));
        // the epochs at which a round ends: the share of the rounds that is over grows by one
        if epoch * rounds / epochs == (epoch - 1) * rounds / epochs {
            return Ok(());
        }
        let (k, f) = (self.targets.k, self.probabilities(&all.scores()?));
        let mut shares = vec![self.method.smoothing; k];
        for (b, &i) in all.items.iter().enumerate() {
            let answer = all.labels.gold(i as usize).unwrap_or_else(|| stats::argmax(f.row(b)));
            let row = &mut self.targets.q[i as usize * k..][..k];
            row.fill(0.0);
            row[answer] = 1.0;
            shares[answer] += f64::from(u8::from(self.method.class_shares));
        }
        crate::confusion::normalise(&mut shares, k);
        self.targets.count(all.labels, all.items, self.method.smoothing);
        let log_shares: Vec<f64> = shares.iter().map(|s| s.ln()).collect();
        self.targets.infer(|_, row| row.copy_from_slice(&log_shares), all.labels, all.items);
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

impl Learner for Bootstrap {}
