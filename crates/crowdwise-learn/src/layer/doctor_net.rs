use super::coupled::unit;
use crate::confusion::counted;
use crate::learn::{Learner, Output, Recipe, learn};
use crate::objective::{Batch, Objective, Outputs, Probabilities};
use crate::readout::{Readout, head_scores};
use crate::rows::AnnotatorRows;
use crate::train::Task;
use crate::{Labels, Matrix, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems,
    Reference, Status, stats, stream,
};
use rand_distr::{Distribution, Normal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One network, one head per annotator: each annotator is imitated, and the imitations vote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DoctorNet {
    /// How the heads vote: `mean` = all alike, `learned` = with weights that make the vote agree with the shares of the
    /// votes on the training items.
    pub averaging: Averaging,
    /// Strength of the pull of every annotator's head towards the common one.
    pub shrinkage: f64,
    /// Heads that vote: those of the annotators with most labels.
    pub heads: usize,
    /// Learning rate of the heads.
    pub annotator_rate: f64,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

/// How the heads vote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Averaging {
    #[default]
    Mean,
    Learned,
}

impl Default for DoctorNet {
    fn default() -> Self {
        DoctorNet {
            averaging: Averaging::Mean,
            shrinkage: 1e-3,
            heads: 200,
            annotator_rate: 1e-3,
            network: NetworkParams::default(),
            training: Training::default(),
        }
    }
}

impl Method for DoctorNet {
    const INFO: MethodInfo = MethodInfo {
        id: "doctor-net",
        name: "DoctorNet",
        summary: "One network with a head per annotator; the heads imitate the annotators and vote.",
        doc: include_str!("doctor_net.md"),
        aliases: &["doctornet"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { stochastic: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "M. Guan, V. Gulshan, A. Dai and G. Hinton, Who said what: modeling individual labelers improves classification, AAAI 2018",
            doi: Some("10.1609/aaai.v32i1.11756"),
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Layer)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("shrinkage", self.shrinkage, 0.0);
        problems.count("heads", self.heads);
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

impl Learn for DoctorNet {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe { output: Output::Trunk, ..Recipe::new(self, &self.network, &self.training) };
        let features = data.features.as_ref().expect("the contract brings features");
        let mut trunk = self.network.architecture(features, 1)?;
        trunk.layers.pop();
        learn(&recipe, data, cx, own, |task, cx| Ok(Heads::new(self.clone(), task, trunk.outputs(), cx.seed)))
    }
}

struct Heads {
    method: DoctorNet,
    k: usize,
    hidden: usize,
    /// The head that all share, and what each annotator's differs by: (hidden + 1) x K.
    common: AnnotatorRows,
    own: AnnotatorRows,
    /// Annotators whose heads vote, and the free numbers of their weights.
    voters: Vec<u32>,
    theta: Vec<f64>,
    confusion: Vec<f64>,
    now: f64,
}

/// Passes over the training items in which the weights of the votes are learned after every epoch.
const PASSES: usize = 20;

impl Heads {
    fn new(method: DoctorNet, task: &Task, hidden: usize, seed: u64) -> Self {
        let (m, k) = (task.labels.m, task.labels.k);
        let normal = Normal::new(0.0, (1.0 / hidden.max(1) as f64).sqrt()).expect("a finite deviation");
        let mut rng = stream(seed, "heads", 0);
        let mut common: Vec<f64> = (0..hidden * k).map(|_| normal.sample(&mut rng)).collect();
        common.extend(vec![0.0; k]);
        let mut counts = vec![0usize; m];
        task.train.iter().flat_map(|&i| task.labels.of(i as usize)).for_each(|(j, _)| counts[j] += 1);
        let mut voters: Vec<u32> = (0..m as u32).filter(|&j| counts[j as usize] > 0).collect();
        voters.sort_by_key(|&j| (std::cmp::Reverse(counts[j as usize]), j));
        voters.truncate(method.heads);
        voters.sort_unstable();
        Heads {
            now: method.annotator_rate,
            method,
            k,
            hidden,
            theta: vec![0.0; voters.len()],
            voters,
            common: AnnotatorRows::new(common.len(), common.clone()),
            own: AnnotatorRows::new(common.len(), vec![0.0; common.len() * m]),
            confusion: vec![1.0 / k as f64; m * k * k],
        }
    }

    /// The whole head of annotator `j`.
    fn head(&self, j: usize) -> Vec<f64> {
        self.common.row(0).iter().zip(self.own.row(j)).map(|(c, o)| c + o).collect()
    }

    fn weights(&self) -> Vec<f64> {
        let mut w = self.theta.clone();
        stats::softmax(&mut w);
        w
    }

    /// Mean cross-entropy of the labels with the heads of their annotators, plus the pull to the common head; derivatives
    /// by the hidden numbers and the heads.
    fn loss(&mut self, hidden: &Matrix, batch: &Batch<'_>, d_hidden: &mut Matrix) -> f64 {
        let (k, h, unit) = (self.k, self.hidden, unit(batch));
        let mut p = vec![0.0; k];
        let mut loss = 0.0;
        for (b, &i) in batch.items.iter().enumerate() {
            let x = hidden.row(b);
            for (j, l) in batch.labels.of(i as usize) {
                let head = self.head(j);
                head_scores(&head, x, &mut p);
                stats::softmax(&mut p);
                loss -= p[l].max(1e-300).ln() * unit;
                p[l] -= 1.0;
                p.iter_mut().for_each(|d| *d *= unit);
                for (d, w) in d_hidden.row_mut(b).iter_mut().zip(head.chunks_exact(k)) {
                    *d += w.iter().zip(&p).map(|(w, p)| w * p).sum::<f64>() as f32;
                }
                for g in [self.common.gradient(0), self.own.gradient(j)] {
                    for (x, g) in x.iter().zip(g.chunks_exact_mut(k)).filter(|(x, _)| **x != 0.0) {
                        g.iter_mut().zip(&p).for_each(|(g, p)| *g += f64::from(*x) * p);
                    }
                    g[h * k..].iter_mut().zip(&p).for_each(|(g, p)| *g += p);
                }
            }
        }
        // the pull of those in the batch
        for j in self.own.touched().to_vec() {
            let row = self.own.row(j as usize).to_vec();
            loss += 0.5 * self.method.shrinkage * row.iter().map(|w| w * w).sum::<f64>();
            let g = self.own.gradient(j as usize);
            g.iter_mut().zip(&row).for_each(|(g, w)| *g += self.method.shrinkage * w);
        }
        loss
    }

    /// Weights of the votes by gradient ascent on the agreement with the shares of the votes; the network stands still.
    fn learn_weights(&mut self, hidden: &Matrix, items: &[u32], labels: &Labels) {
        let (k, n) = (self.k, self.voters.len());
        let heads: Vec<Vec<f64>> = self.voters.iter().map(|&j| self.head(j as usize)).collect();
        let shares = labels.vote_shares();
        let mut rows = AnnotatorRows::new(n, self.theta.clone());
        let mut each = vec![0.0; n * k];
        for _ in 0..PASSES {
            let weights = {
                let mut w = rows.w.clone();
                stats::softmax(&mut w);
                w
            };
            let mut d = vec![0.0; n];
            for (b, &i) in items.iter().enumerate() {
                for (head, p) in heads.iter().zip(each.chunks_exact_mut(k)) {
                    head_scores(head, hidden.row(b), p);
                    stats::softmax(p);
                }
                let target = &shares[i as usize * k..][..k];
                let mean: Vec<f64> =
                    (0..k).map(|c| (0..n).map(|v| weights[v] * each[v * k + c]).sum::<f64>().max(1e-12)).collect();
                for (v, d) in d.iter_mut().enumerate() {
                    *d -= (0..k).map(|c| target[c] * each[v * k + c] / mean[c]).sum::<f64>() / items.len() as f64;
                }
            }
            let mean: f64 = weights.iter().zip(&d).map(|(w, d)| w * d).sum();
            let g = rows.gradient(0);
            (0..n).for_each(|v| g[v] += weights[v] * (d[v] - mean));
            rows.step(0.05, |_, _| {});
        }
        self.theta = rows.w;
    }
}

impl Objective for Heads {
    fn begin_epoch(&mut self, _: usize, factor: f64) {
        self.now = self.method.annotator_rate * factor;
    }

    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let loss = self.loss(scores, batch, d_scores);
        self.common.step(self.now, |_, _| {});
        self.own.step(self.now, |_, _| {});
        loss
    }

    fn end_epoch(&mut self, epoch: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        let hidden = all.scores()?;
        // weights are needed when the result may be taken; the last epochs are enough to learn them
        if self.method.averaging == Averaging::Learned && 2 * epoch > self.method.training.epochs {
            self.learn_weights(&hidden, all.items, all.labels);
        }
        let q = self.probabilities(&hidden);
        self.confusion = counted(&q.rows, all.items, all.labels, 0.01);
        Ok(())
    }

    fn probabilities(&self, scores: &Matrix) -> Probabilities {
        let (readout, numbers) = self.readout();
        readout.probabilities(&numbers, self.k, scores)
    }

    fn confusion(&self) -> Vec<f64> {
        self.confusion.clone()
    }

    fn snapshot(&self) -> Vec<f64> {
        [self.common.w.as_slice(), &self.own.w, &self.theta, &self.confusion].concat()
    }

    fn restore(&mut self, kept: &[f64]) {
        let mut rest = kept;
        for part in [&mut self.common.w, &mut self.own.w, &mut self.theta, &mut self.confusion] {
            let (own, more) = rest.split_at(part.len());
            part.copy_from_slice(own);
            rest = more;
        }
    }
}

impl Learner for Heads {
    fn readout(&self) -> (Readout, Vec<f64>) {
        let mut numbers: Vec<f64> = self.voters.iter().flat_map(|&j| self.head(j as usize)).collect();
        numbers.extend(self.weights());
        (Readout::Heads { heads: self.voters.len() }, numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::some_labels;
    use rand::RngExt;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (n, k, h) = (6, 3, 4);
        let labels = some_labels(n, 4, k);
        let items: Vec<u32> = (0..n as u32).collect();
        let mut rng = stream(11, "heads test", 0);
        let x = Matrix::new(n, h, (0..n * h).map(|_| rng.random_range(-1.0..1.0)).collect());
        let task = Task { x: x.clone().into(), labels: labels.clone(), train: items.clone(), held_out: Vec::new() };
        let batch = Batch { items: &items, x: &x, labels: &labels };
        let made = || Heads::new(DoctorNet { shrinkage: 0.3, ..DoctorNet::default() }, &task, h, 1);
        let mut heads = made();
        heads.own.w.iter_mut().for_each(|w| *w = rng.random_range(-0.5..0.5));
        let start = heads.snapshot();
        let value = |kept: &[f64], x: &Matrix| {
            let mut heads = made();
            heads.restore(kept);
            heads.loss(x, &batch, &mut Matrix::zeros(n, h))
        };
        let mut d = Matrix::zeros(n, h);
        heads.loss(&x, &batch, &mut d);
        let mut want = heads.common.gradient(0).to_vec();
        want.extend((0..labels.m).flat_map(|j| heads.own.gradient(j).to_vec()));
        for (at, want) in want.iter().enumerate() {
            let shifted = |by: f64| {
                let mut kept = start.clone();
                kept[at] += by;
                value(&kept, &x)
            };
            let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((slope - want).abs() < 1e-8, "{at}: {slope} for {want}");
        }
        for at in 0..n * h {
            let shifted = |by: f32| {
                let mut x = x.clone();
                x.values[at] += by;
                value(&start, &x)
            };
            let slope = (shifted(1e-3) - shifted(-1e-3)) / 2e-3;
            assert!((slope - f64::from(d.values[at])).abs() < 1e-4, "{at}: {slope} for {}", d.values[at]);
        }
    }
}
