use super::mixed::{Freedom, Mixed};
use super::words::{Experts, Form};
use crate::em::dawid_skene;
use crate::learn::{Learner, Recipe, learn};
use crate::network::StartWeights;
use crate::objective::{Batch, Objective, Outputs, Probabilities, cross_entropy};
use crate::{Choose, Labels, Matrix, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
    stats,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Mixed-effects network: annotators are learned from anchors, items whose class the network is sure of, and then correct
/// the labels that the network is trained on. For comparison: see the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Mnn {
    /// Share of the items that the network gives to a class which are its anchors, those of highest probability.
    pub anchors: f64,
    /// Number of item features that annotators depend on.
    pub embedding: usize,
    /// Whether an annotator may be right more often on some items; without it, as printed in the paper, its deviation does
    /// not depend on the class.
    pub gate: bool,
    /// Whether the network takes part in correcting labels.
    pub use_network: bool,
    /// How much more likely (as a logarithm) a class must be than every other to become the corrected label.
    pub margin: f64,
    /// Strength of the pull of the annotators' deviations towards 0.
    pub lambda: f64,
    /// Strength of the pull towards annotators who are the same on all items.
    pub lambda_view: f64,
    /// Number of steps in which annotators are learned from the anchors.
    pub inner_iter: usize,
    /// Length of these steps.
    pub annotator_rate: f64,
    /// Number of times anchors are chosen and labels corrected; the epochs are divided evenly between and before them.
    pub rounds: usize,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

impl Default for Mnn {
    fn default() -> Self {
        Mnn {
            anchors: 0.6,
            embedding: 8,
            gate: true,
            use_network: true,
            margin: 0.0,
            lambda: 0.01,
            lambda_view: 0.01,
            inner_iter: 300,
            annotator_rate: 1e-2,
            rounds: 1,
            network: NetworkParams { weights: StartWeights::Full, ..NetworkParams::default() },
            // held-out labels choose too early where targets change in turns: see the page of aggnet
            training: Training { epochs: 40, holdout: 0.0, choose: Choose::Last, ..Training::default() },
        }
    }
}

impl Method for Mnn {
    const INFO: MethodInfo = MethodInfo {
        id: "mnn",
        name: "Mixed-effects network",
        summary: "Annotators learned from anchor items correct the labels of a network; for comparison.",
        doc: include_str!("mnn.md"),
        aliases: &["mixed-effects-network"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "H. Guo, B. Wang and G. Y. Yi, Label correction of crowdsourced noisy annotations with an instance-dependent noise transition model, NeurIPS 2023",
            doi: None,
        }],
        status: Status::Preview,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Expert)
    };

    fn check(&self, problems: &mut Problems) {
        let share = self.anchors > 0.0 && self.anchors <= 1.0;
        problems.require(share, "anchors", self.anchors, "greater than 0 and at most 1");
        problems.require((1..=1024).contains(&self.embedding), "embedding", self.embedding, "from 1 to 1024");
        problems.at_least("margin", self.margin, 0.0);
        problems.at_least("lambda", self.lambda, 0.0);
        problems.at_least("lambda_view", self.lambda_view, 0.0);
        problems.count("inner_iter", self.inner_iter);
        problems.positive("annotator_rate", self.annotator_rate);
        problems.count("rounds", self.rounds);
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

impl Learn for Mnn {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        let start = dawid_skene(data, cx)?;
        let freedom = Freedom {
            hidden: self.embedding,
            lambda: self.lambda,
            lambda_view: self.lambda_view,
            gate: self.gate,
            rate: self.annotator_rate,
            steps: self.inner_iter,
        };
        learn(&recipe, data, cx, own, |task, cx| {
            Form::Mixed { hidden: self.embedding }.check(task.labels.k, task.labels.m, task.x.cols)?;
            Ok(Anchored {
                x: task.x.clone(),
                labels: task.labels.clone(),
                k: task.labels.k,
                q: start.clone(),
                weight: vec![1.0; task.labels.items()],
                mixed: Mixed::new(freedom, &task.labels, task.x.cols, cx.seed),
                anchors: 0,
                method: self.clone(),
            })
        })
    }
}

struct Anchored {
    x: Arc<Matrix>,
    labels: Labels,
    k: usize,
    /// Targets, items x K.
    q: Vec<f64>,
    /// 0 for items whose label is undecided.
    weight: Vec<f64>,
    mixed: Mixed,
    anchors: usize,
    method: Mnn,
}

/// Items and classes of the anchors: of the items that `f` (rows parallel to `items`) gives to a class the `share` of highest
/// probability, at least one; the known ones always.
fn anchors(f: &Probabilities, items: &[u32], labels: &Labels, share: f64) -> Vec<(u32, usize)> {
    let mut of: Vec<Vec<(f64, u32)>> = vec![Vec::new(); f.k];
    let mut out = Vec::new();
    for (b, &i) in items.iter().enumerate() {
        if let Some(g) = labels.gold(i as usize) {
            out.push((i, g));
            continue;
        }
        let c = stats::argmax(f.row(b));
        of[c].push((f.row(b)[c], i));
    }
    for (c, mut all) in of.into_iter().enumerate() {
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let n = (share * all.len() as f64).ceil() as usize;
        out.extend(all.iter().take(n).map(|(_, i)| (*i, c)));
    }
    out.sort_unstable();
    out
}

impl Anchored {
    /// Corrected targets of the training items.
    fn correct(&mut self, f: &Probabilities, items: &[u32]) {
        let (k, margin) = (self.k, self.method.margin);
        let silent = Probabilities { k, rows: vec![1.0 / k as f64; f.rows.len()] };
        let heard = if self.method.use_network { f } else { &silent };
        let q = self.mixed.experts.infer_all(&self.x, &self.labels, items, heard, 0.0);
        for (row, &i) in q.chunks_exact(k).zip(items) {
            let i = i as usize;
            let best = stats::argmax(row);
            let second = row.iter().enumerate().filter(|(c, _)| *c != best).map(|(_, p)| *p).fold(0.0, f64::max);
            let decided = second <= 0.0 || (row[best] / second).ln() >= margin;
            self.weight[i] = f64::from(u8::from(decided));
            let to = &mut self.q[i * k..(i + 1) * k];
            to.copy_from_slice(row);
            if !self.method.use_network {
                to.fill(0.0);
                to[best] = 1.0;
            }
        }
    }
}

impl Objective for Anchored {
    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let k = self.k;
        let target = |b: usize| &self.q[batch.items[b] as usize * k..][..k];
        cross_entropy(&Probabilities::of(scores), target, |b| self.weight[batch.items[b] as usize], d_scores)
    }

    fn end_epoch(&mut self, epoch: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        let (epochs, parts) = (self.method.training.epochs, self.method.rounds + 1);
        // rounds end where the share of the epochs that is over grows by one part; with too few epochs the last one counts
        let over = |epoch: usize| (epoch * parts / epochs).min(parts - 1);
        if over(epoch) == over(epoch - 1) {
            return Ok(());
        }
        let f = self.probabilities(&all.scores()?);
        let chosen = anchors(&f, all.items, all.labels, self.method.anchors);
        self.anchors = chosen.len();
        self.mixed.learn(&self.x, all.labels, &chosen);
        self.correct(&f, all.items);
        Ok(())
    }

    fn confusion(&self) -> Vec<f64> {
        self.mixed.experts.confusion(&self.x, &self.labels)
    }

    fn log_likelihood(&self, f: &Probabilities, items: &[u32], labels: &Labels) -> f64 {
        self.mixed.experts.log_likelihood(&self.x, labels, items, f)
    }

    fn posterior(&self, f: &Probabilities, labels: &Labels) -> Vec<f64> {
        let items: Vec<u32> = (0..labels.items() as u32).collect();
        self.mixed.experts.infer_all(&self.x, labels, &items, f, 0.0)
    }

    fn snapshot(&self) -> Vec<f64> {
        [self.q.as_slice(), &self.weight, &self.mixed.experts.numbers].concat()
    }

    fn restore(&mut self, kept: &[f64]) {
        let (q, rest) = kept.split_at(self.q.len());
        let (weight, numbers) = rest.split_at(self.weight.len());
        self.q.copy_from_slice(q);
        self.weight.copy_from_slice(weight);
        self.mixed.restore(numbers);
    }
}

impl Learner for Anchored {
    fn experts(&self) -> Option<Experts> {
        Some(self.mixed.experts.clone())
    }

    fn details(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::from_iter([("anchors".into(), self.anchors.into())])
    }
}
