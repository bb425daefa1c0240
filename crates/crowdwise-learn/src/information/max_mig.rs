use super::informed::{Informed, informed};
use super::mig::{Divergence, gain};
use crate::confusion::counted;
use crate::learn::{Learner, Recipe, learn};
use crate::network::StartWeights;
use crate::objective::{Batch, Objective, Outputs, Probabilities};
use crate::rows::AnnotatorRows;
use crate::train::Task;
use crate::{Choose, Labels, Matrix, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
    stats,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes what the network and the crowd have in common large, whatever the annotators' errors have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MaxMig {
    /// The divergence by which common information is measured: `kl`, `pearson` (χ²) or `js` (Jensen-Shannon).
    pub divergence: Divergence,
    /// Class shares: `uniform`, or `learn` (for unbalanced classes).
    pub prior: Prior,
    /// Where the crowd's view begins: at the shares of the `votes`, or at votes in which annotators count by how much of their
    /// labels the `features` explain (for crowds whose majority may know nothing).
    pub init: Start,
    /// Learning rate of the annotators' parameters.
    pub annotator_rate: f64,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

/// Shares of the classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Prior {
    #[default]
    Uniform,
    Learn,
}

/// Where the crowd's view begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    #[default]
    Votes,
    Features,
}

impl Default for MaxMig {
    fn default() -> Self {
        MaxMig {
            divergence: Divergence::Kl,
            prior: Prior::Uniform,
            init: Start::Votes,
            annotator_rate: 3e-3,
            // small weights take long to agree with the crowd on anything
            network: NetworkParams { weights: StartWeights::Full, ..NetworkParams::default() },
            // held-out labels choose too early here: see the page
            training: Training { holdout: 0.0, choose: Choose::Last, ..Training::default() },
        }
    }
}

impl Method for MaxMig {
    const INFO: MethodInfo = MethodInfo {
        id: "max-mig",
        name: "Max-MIG",
        summary: "Maximises the information that a network and the crowd have in common.",
        doc: include_str!("max_mig.md"),
        aliases: &["maxmig"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "P. Cao, Y. Xu, Y. Kong and Y. Wang, Max-MIG: an information theoretic approach for joint learning from crowds, ICLR 2019",
            doi: None,
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Information)
    };

    fn check(&self, problems: &mut Problems) {
        problems.positive("annotator_rate", self.annotator_rate);
        problems.require(self.training.batch_size != 1, "batch_size", 1, "0 or at least 2: items are compared");
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

impl Learn for MaxMig {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        learn(&recipe, data, cx, own, |task, _| {
            let informed = (self.init == Start::Features).then(|| informed(data, task)).flatten();
            Ok(TwoViews::new(self.clone(), task, informed.as_ref()))
        })
    }
}

/// The crowd's view: G = soft-max of (ln p + the evidence of the labels).
struct TwoViews {
    method: MaxMig,
    k: usize,
    /// What a label says of each class: annotators x label x class.
    evidence: AnnotatorRows,
    /// Free numbers of the prior.
    theta: AnnotatorRows,
    prior: Vec<f64>,
    /// Counted from the forecasts after every epoch.
    confusion: Vec<f64>,
    now: f64,
}

/// Mass of all other classes in the crowd's view of an item whose class is known.
const DOUBT: f64 = 1e-6;

impl TwoViews {
    fn new(method: MaxMig, task: &Task, informed: Option<&Informed>) -> Self {
        let (labels, k) = (&task.labels, task.labels.k);
        let shares = informed.map_or_else(|| labels.vote_shares(), |i| i.shares.clone());
        let rows: Vec<f64> = task.train.iter().flat_map(|&i| shares[i as usize * k..][..k].iter().copied()).collect();
        let confusion = counted(&rows, &task.train, labels, 1e-9);
        let mut evidence = vec![0.0; confusion.len()];
        for (n, a) in confusion.iter().enumerate() {
            let (j, t, l) = (n / (k * k), n / k % k, n % k);
            // who does not count says nothing yet: what chance gives to each of many copies adds up
            if informed.is_none_or(|i| i.weights[j] > 0.0) {
                let voices = informed.map_or(1.0, |i| i.voices[j]);
                evidence[(j * k + l) * k + t] = (a + 0.01).ln() / voices;
            }
        }
        TwoViews {
            now: method.annotator_rate,
            method,
            k,
            evidence: AnnotatorRows::new(k * k, evidence),
            theta: AnnotatorRows::new(k, vec![0.0; k]),
            prior: vec![1.0 / k as f64; k],
            confusion,
        }
    }

    /// The crowd's view of an item.
    fn crowd(&self, labels: &Labels, i: usize, row: &mut [f64]) {
        if let Some(g) = labels.gold(i) {
            row.fill(DOUBT / self.k as f64);
            row[g] += 1.0 - DOUBT;
            return;
        }
        row.iter_mut().zip(&self.prior).for_each(|(x, p)| *x = p.ln());
        for (j, l) in labels.of(i) {
            let e = &self.evidence.row(j)[l * self.k..(l + 1) * self.k];
            row.iter_mut().zip(e).for_each(|(x, e)| *x += e);
        }
        stats::softmax(row);
    }

    /// Minus the gain of a batch; the derivative by the classifier's probabilities is written, those of the crowd's
    /// side are added to its gradients.
    fn loss(&mut self, h: &Probabilities, batch: &Batch<'_>, d_h: &mut [f64]) -> f64 {
        let k = self.k;
        let mut g = vec![0.0; h.rows.len()];
        for (row, &i) in g.chunks_exact_mut(k).zip(batch.items) {
            self.crowd(batch.labels, i as usize, row);
        }
        let (value, d) = gain(&h.rows, &g, &self.prior, self.method.divergence);
        d_h.iter_mut().zip(&d.h).for_each(|(out, d)| *out = -d);
        let mut through_g = vec![0.0; k]; // by ln p
        for (b, &i) in batch.items.iter().enumerate() {
            if batch.labels.gold(i as usize).is_some() {
                continue;
            }
            let (row, d) = (&g[b * k..(b + 1) * k], &d.g[b * k..(b + 1) * k]);
            let mean: f64 = row.iter().zip(d).map(|(g, d)| g * d).sum();
            let by_score: Vec<f64> = row.iter().zip(d).map(|(g, d)| -g * (d - mean)).collect();
            through_g.iter_mut().zip(&by_score).for_each(|(t, s)| *t += s);
            for (j, l) in batch.labels.of(i as usize) {
                let own = &mut self.evidence.gradient(j)[l * k..(l + 1) * k];
                own.iter_mut().zip(&by_score).for_each(|(o, s)| *o += s);
            }
        }
        if self.method.prior == Prior::Learn {
            let by_p: Vec<f64> = (0..k).map(|c| -d.p[c] + through_g[c] / self.prior[c]).collect();
            let mean: f64 = self.prior.iter().zip(&by_p).map(|(p, d)| p * d).sum();
            let own = self.theta.gradient(0);
            for c in 0..k {
                own[c] += self.prior[c] * (by_p[c] - mean);
            }
        }
        -value
    }
}

impl Objective for TwoViews {
    fn begin_epoch(&mut self, epoch: usize, factor: f64) {
        // first the network learns to read the crowd's view as it begins: where both move at once, classes may be exchanged
        self.now = if epoch == 1 { 0.0 } else { self.method.annotator_rate * factor };
    }

    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        if batch.items.len() < 2 {
            return 0.0; // nothing to compare with
        }
        let h = Probabilities::of(scores);
        let mut d_h = vec![0.0; h.rows.len()];
        let loss = self.loss(&h, batch, &mut d_h);
        h.backward(&d_h, d_scores);
        self.evidence.step(self.now, |_, _| {});
        let prior = &mut self.prior;
        self.theta.step(self.now, |_, theta| {
            prior.copy_from_slice(theta);
            stats::softmax(prior);
        });
        loss
    }

    fn end_epoch(&mut self, _: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        let mut q = Probabilities::of(&all.scores()?);
        for (row, &i) in q.rows.chunks_exact_mut(self.k).zip(all.items) {
            let mut crowd = vec![0.0; self.k];
            self.crowd(all.labels, i as usize, &mut crowd);
            for c in 0..self.k {
                row[c] = row[c].ln() + crowd[c].ln() - self.prior[c].ln();
            }
            stats::softmax(row);
        }
        self.confusion = counted(&q.rows, all.items, all.labels, 0.01);
        Ok(())
    }

    fn confusion(&self) -> Vec<f64> {
        self.confusion.clone()
    }

    /// The prior is in both views, so that the forecast is the classifier times the evidence of the labels.
    fn evidence(&self) -> Option<Vec<f64>> {
        Some(self.evidence.w.clone())
    }

    fn snapshot(&self) -> Vec<f64> {
        [self.evidence.w.as_slice(), &self.theta.w, &self.confusion].concat()
    }

    fn restore(&mut self, kept: &[f64]) {
        let (evidence, rest) = kept.split_at(self.evidence.w.len());
        let (theta, confusion) = rest.split_at(self.k);
        self.evidence.w.copy_from_slice(evidence);
        self.theta.w.copy_from_slice(theta);
        self.confusion.copy_from_slice(confusion);
        self.prior.copy_from_slice(theta);
        stats::softmax(&mut self.prior);
    }
}

impl Learner for TwoViews {
    fn details(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::from_iter([("prior".into(), self.prior.clone().into())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::some_labels;
    use crowdwise_core::stream;
    use rand::RngExt;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (n, k) = (7, 3);
        let labels = some_labels(n, 4, k);
        let items: Vec<u32> = (0..n as u32).collect();
        let x = Matrix::zeros(n, 1);
        let task = Task { x: x.clone().into(), labels: labels.clone(), train: items.clone(), held_out: Vec::new() };
        let batch = Batch { items: &items, x: &x, labels: &labels };
        let mut rng = stream(10, "views", 0);
        let mut h = Probabilities { k, rows: (0..n * k).map(|_| rng.random_range(-1.0..1.0)).collect() };
        h.rows.chunks_exact_mut(k).for_each(|r| _ = stats::softmax(r));
        for divergence in [Divergence::Kl, Divergence::Pearson, Divergence::Js] {
            let made = || TwoViews::new(MaxMig { divergence, prior: Prior::Learn, ..MaxMig::default() }, &task, None);
            let mut views = made();
            views.theta.w = vec![0.3, -0.2, 0.1];
            let start = views.snapshot();
            let value = |kept: &[f64]| {
                let mut v = made();
                v.restore(kept);
                v.loss(&h, &batch, &mut vec![0.0; n * k])
            };
            views.restore(&start);
            views.loss(&h, &batch, &mut vec![0.0; n * k]);
            let m = labels.m;
            let mut want: Vec<f64> = (0..m).flat_map(|j| views.evidence.gradient(j).to_vec()).collect();
            want.extend(views.theta.gradient(0).to_vec());
            for (at, want) in want.iter().enumerate() {
                let shifted = |by: f64| {
                    let mut kept = start.clone();
                    kept[at] += by;
                    value(&kept)
                };
                let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                assert!((slope - want).abs() < 1e-8, "{divergence:?} {at}: {slope} for {want}");
            }
        }
    }
}
