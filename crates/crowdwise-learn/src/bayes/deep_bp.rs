use super::beliefs::{AnnotatorPrior, log_clipped};
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Outputs, Probabilities, cross_entropy};
use crate::train::Task;
use crate::{Learn, Learned, Own};
use crate::{Matrix, NetworkParams, Training};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
    TableBuilder,
};
use crowdwise_methods::classes::messages::{AnnotatorModel, BeliefPropagation, Form};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Belief propagation in the E-step, a network in the M-step; what the network may say is bounded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DeepBp {
    /// Largest probability that the network may give to a class in the E-step; 1/K = ignore the network.
    pub clip: f64,
    /// Model of an annotator: `one-coin` = one accuracy, `rows` = a confusion matrix.
    pub model: AnnotatorPrior,
    /// Prior weight of right labels: Beta(alpha, beta); for `rows` the diagonal.
    pub alpha: f64,
    /// Prior weight of wrong labels; in rows spread evenly over the wrong classes.
    pub beta: f64,
    /// How an annotator's parameters are integrated out: `auto`, `quadrature`, `monte-carlo` or `polynomial`.
    pub form: Form,
    /// Number of draws from the prior for `monte-carlo`.
    pub draws: usize,
    /// Maximum number of exchanges of messages in an E-step.
    pub max_iter: usize,
    /// Number of epochs between two E-steps.
    pub epochs_per_round: usize,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

impl Default for DeepBp {
    fn default() -> Self {
        DeepBp {
            clip: 0.9,
            model: AnnotatorPrior::OneCoin,
            alpha: 2.0,
            beta: 1.0,
            form: Form::Auto,
            draws: 400,
            max_iter: 100,
            epochs_per_round: 1,
            network: NetworkParams::default(),
            training: Training::default(),
        }
    }
}

impl DeepBp {
    fn messages(&self) -> BeliefPropagation {
        BeliefPropagation {
            max_iter: self.max_iter,
            model: match self.model {
                AnnotatorPrior::OneCoin => AnnotatorModel::OneCoin,
                AnnotatorPrior::Rows => AnnotatorModel::Rows,
            },
            alpha: self.alpha,
            beta: self.beta,
            form: self.form,
            draws: self.draws,
            ..BeliefPropagation::default()
        }
    }
}

impl Method for DeepBp {
    const INFO: MethodInfo = MethodInfo {
        id: "deep-bp",
        name: "Deep belief propagation",
        summary: "Belief propagation over the labels with a network as bounded prior of every item.",
        doc: include_str!("deep_bp.md"),
        aliases: &["deepbp"],
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
        problems.count("max_iter", self.max_iter);
        problems.require((1..=1_000_000).contains(&self.draws), "draws", self.draws, "from 1 to 1000000");
        problems.count("epochs_per_round", self.epochs_per_round);
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

impl Learn for DeepBp {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        learn(&recipe, data, cx, own, |task, cx| Messages::new(self.clone(), data, task, cx.seed))
    }
}

/// The labels of the training items alone: held-out labels must not travel.
fn only_training(data: &Dataset, task: &Task) -> Result<Dataset, Error> {
    let table = &data.table;
    let mut b = TableBuilder::new(LabelKind::Categorical);
    table.items().iter().for_each(|n| _ = b.items.intern(n));
    table.annotators().iter().for_each(|n| _ = b.annotators.intern(n));
    let labels = table.categorical().expect("categorical labels");
    labels.classes.iter().for_each(|n| _ = b.classes.intern(n));
    for &i in &task.train {
        for (j, l) in task.labels.of(i as usize) {
            b.label_codes(i, j as u32, l as u32)?;
        }
    }
    let mut out = Dataset::new(b.finish()?);
    out.gold.clone_from(&data.gold);
    Ok(out)
}

struct Messages {
    method: DeepBp,
    data: Dataset,
    k: usize,
    seed: u64,
    q: Vec<f64>,
    /// Expected confusion matrices of the last E-step.
    confusion: Vec<f64>,
    /// Rows of the table that the training items have.
    identity: bool,
}

impl Messages {
    fn new(method: DeepBp, data: &Dataset, task: &Task, seed: u64) -> Result<Self, Error> {
        let (m, k) = (task.labels.m, task.labels.k);
        let data = only_training(data, task)?;
        let identity = data.table.n_items() == task.labels.items() && data.table.n_annotators() == m;
        let q = task.labels.vote_shares();
        Ok(Messages { method, data, k, seed, q, confusion: vec![1.0 / k as f64; m * k * k], identity })
    }
}

impl Objective for Messages {
    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let (k, f) = (self.k, Probabilities::of(scores));
        cross_entropy(&f, |b| &self.q[batch.items[b] as usize * k..][..k], |_| 1.0, d_scores)
    }

    fn end_epoch(&mut self, epoch: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        debug_assert!(self.identity, "the table of the training items has all items and annotators");
        if !(epoch - 1).is_multiple_of(self.method.epochs_per_round) {
            return Ok(());
        }
        let k = self.k;
        let log_f = log_clipped(&Probabilities::of(&all.scores()?), self.method.clip);
        let mut unary = vec![0.0; self.q.len()];
        for (row, &i) in log_f.chunks_exact(k).zip(all.items) {
            unary[i as usize * k..][..k].copy_from_slice(row);
        }
        let (q, annotators) = self.method.messages().with_item_priors(&self.data, &unary, self.seed)?;
        for &i in all.items {
            self.q[i as usize * k..][..k].copy_from_slice(&q[i as usize * k..][..k]);
        }
        self.confusion = (0..all.labels.m)
            .flat_map(|j| annotators.confusion(j).unwrap_or_else(|| vec![1.0 / k as f64; k * k]))
            .collect();
        Ok(())
    }

    fn confusion(&self) -> Vec<f64> {
        self.confusion.clone()
    }

    fn bound(&self) -> f64 {
        self.method.clip
    }

    fn snapshot(&self) -> Vec<f64> {
        [self.q.as_slice(), &self.confusion].concat()
    }

    fn restore(&mut self, kept: &[f64]) {
        let (q, confusion) = kept.split_at(self.q.len());
        self.q.copy_from_slice(q);
        self.confusion.copy_from_slice(confusion);
    }
}

impl Learner for Messages {}
