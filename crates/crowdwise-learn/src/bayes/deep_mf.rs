use super::beliefs::{AnnotatorPrior, Coins, Rows, log_clipped};
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Outputs, Probabilities, cross_entropy};
use crate::train::Task;
use crate::{Labels, Matrix, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::stats::softmax;
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Mean field in the E-step, a network in the M-step; what the network may say is bounded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DeepMf {
    /// Largest probability that the network may give to a class in the E-step; 1/K = ignore the network.
    pub clip: f64,
    /// Model of an annotator: `one-coin` = one accuracy, `rows` = a confusion matrix.
    pub model: AnnotatorPrior,
    /// Prior weight of right labels: Beta(alpha, beta); for `rows` the diagonal.
    pub alpha: f64,
    /// Prior weight of wrong labels; in rows spread evenly over the wrong classes.
    pub beta: f64,
    /// Number of mean-field sweeps after every epoch.
    pub sweeps: usize,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

impl Default for DeepMf {
    fn default() -> Self {
        DeepMf {
            clip: 0.9,
            model: AnnotatorPrior::OneCoin,
            alpha: 2.0,
            beta: 1.0,
            sweeps: 5,
            network: NetworkParams::default(),
            training: Training::default(),
        }
    }
}

impl Method for DeepMf {
    const INFO: MethodInfo = MethodInfo {
        id: "deep-mf",
        name: "Deep mean field",
        summary: "Mean-field inference of labels with a network as bounded prior of every item.",
        doc: include_str!("deep_mf.md"),
        aliases: &["deepmf"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "H. Kim, S. Jung, J. Lee and J. Ok, Robust deep learning from crowds with belief propagation, AISTATS 2022",
            doi: None,
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Bayes)
    };

    fn check(&self, problems: &mut Problems) {
        problems.require(self.clip > 0.0 && self.clip <= 1.0, "clip", self.clip, "greater than 0 and at most 1");
        problems.positive("alpha", self.alpha);
        problems.positive("beta", self.beta);
        problems.count("sweeps", self.sweeps);
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

impl Learn for DeepMf {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        learn(&recipe, data, cx, own, |task, _| Ok(Field::new(self.clone(), task)))
    }
}

/// What is believed of annotators.
enum Belief {
    Coins(Coins),
    Rows(Rows),
}

impl Belief {
    fn update(&mut self, q: &[f64], items: &[u32], labels: &Labels) {
        match self {
            Belief::Coins(c) => c.update(q, items, labels),
            Belief::Rows(r) => r.update(q, items, labels, 1.0),
        }
    }

    fn evidence(&self) -> Vec<f64> {
        match self {
            Belief::Coins(c) => c.evidence(),
            Belief::Rows(r) => r.evidence(),
        }
    }
}

struct Field {
    method: DeepMf,
    k: usize,
    q: Vec<f64>,
    belief: Belief,
}

impl Field {
    fn new(method: DeepMf, task: &Task) -> Self {
        let (labels, k) = (&task.labels, task.labels.k);
        let belief = match method.model {
            AnnotatorPrior::OneCoin => Belief::Coins(Coins::new(labels.m, k, method.alpha, method.beta)),
            AnnotatorPrior::Rows => {
                let off = method.beta / (k.max(2) - 1) as f64;
                Belief::Rows(Rows::new(labels.m, k, method.alpha, off))
            }
        };
        let mut out = Field { method, k, q: labels.vote_shares(), belief };
        out.believe(&task.train, labels);
        out
    }

    fn believe(&mut self, items: &[u32], labels: &Labels) {
        let k = self.k;
        let q: Vec<f64> = items.iter().flat_map(|&i| self.q[i as usize * k..][..k].iter().copied()).collect();
        self.belief.update(&q, items, labels);
    }

    fn infer(&mut self, log_f: &[f64], items: &[u32], labels: &Labels) {
        let (k, evidence) = (self.k, self.belief.evidence());
        for (b, &i) in items.iter().enumerate() {
            let row = &mut self.q[i as usize * k..][..k];
            if labels.gold(i as usize).is_some() {
                continue;
            }
            row.copy_from_slice(&log_f[b * k..(b + 1) * k]);
            for (j, l) in labels.of(i as usize) {
                row.iter_mut().zip(&evidence[(j * k + l) * k..]).for_each(|(x, e)| *x += e);
            }
            softmax(row);
        }
    }
}

impl Objective for Field {
    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let (k, f) = (self.k, Probabilities::of(scores));
        cross_entropy(&f, |b| &self.q[batch.items[b] as usize * k..][..k], |_| 1.0, d_scores)
    }

    fn end_epoch(&mut self, _: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        let log_f = log_clipped(&Probabilities::of(&all.scores()?), self.method.clip);
        for _ in 0..self.method.sweeps {
            self.infer(&log_f, all.items, all.labels);
            self.believe(all.items, all.labels);
        }
        Ok(())
    }

    fn confusion(&self) -> Vec<f64> {
        match &self.belief {
            Belief::Coins(c) => c.confusion(),
            Belief::Rows(r) => r.confusion(),
        }
    }

    fn evidence(&self) -> Option<Vec<f64>> {
        Some(self.belief.evidence())
    }

    fn bound(&self) -> f64 {
        self.method.clip
    }

    fn snapshot(&self) -> Vec<f64> {
        let shape = match &self.belief {
            Belief::Coins(c) => c.shape.as_flattened(),
            Belief::Rows(r) => &r.shape,
        };
        [self.q.as_slice(), shape].concat()
    }

    fn restore(&mut self, kept: &[f64]) {
        let (q, shape) = kept.split_at(self.q.len());
        self.q.copy_from_slice(q);
        match &mut self.belief {
            Belief::Coins(c) => c.shape.as_flattened_mut().copy_from_slice(shape),
            Belief::Rows(r) => r.shape.copy_from_slice(shape),
        }
    }
}

impl Learner for Field {}
