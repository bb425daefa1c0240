use super::coupled::{Confusions, unit};
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Probabilities, add_gold};
use crate::rows::AnnotatorRows;
use crate::train::Task;
use crate::{Choose, Matrix, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
    stream,
};
use rand_distr::{Distribution, Normal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A crowd layer with a confusion matrix that all annotators share and one that is each annotator's own; which of the two
/// speaks depends on the item and the annotator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Conal {
    /// How strongly the annotators' own matrices are pushed away from the common one.
    pub lambda: f64,
    /// Size of the embedding in which items and annotators are compared to choose the matrix.
    pub embedding: usize,
    /// Which matrix is used: `learned`, always the annotator's `own`, or always the `common` one.
    pub gate: Gate,
    /// How reliable annotators are taken to be at the start: the free parameter on the diagonal.
    pub diagonal: f64,
    /// Learning rate of the confusion matrices.
    pub annotator_rate: f64,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

/// Which matrix speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    #[default]
    Learned,
    Own,
    Common,
}

impl Default for Conal {
    fn default() -> Self {
        Conal {
            lambda: 1e-3,
            embedding: 20,
            gate: Gate::Learned,
            diagonal: 3.0,
            annotator_rate: 1e-2,
            network: NetworkParams::default(),
            // held-out labels choose too early here: see the page
            training: Training { holdout: 0.0, choose: Choose::Last, ..Training::default() },
        }
    }
}

impl Method for Conal {
    const INFO: MethodInfo = MethodInfo {
        id: "conal",
        name: "CoNAL",
        summary: "A crowd layer with a common confusion matrix beside each annotator's own, mixed by item and annotator.",
        doc: include_str!("conal.md"),
        aliases: &["co-nal"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "Z. Chu, J. Ma and H. Wang, Learning from crowds by modeling common confusions, AAAI 2021",
            doi: Some("10.1609/aaai.v35i7.16730"),
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Layer)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("lambda", self.lambda, 0.0);
        problems.require((1..=1024).contains(&self.embedding), "embedding", self.embedding, "from 1 to 1024");
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

impl Learn for Conal {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        learn(&recipe, data, cx, own, |task, cx| Ok(Mixed::new(self.clone(), task, cx.seed)))
    }
}

struct Mixed {
    method: Conal,
    k: usize,
    m: usize,
    /// One matrix.
    common: Confusions,
    own: Confusions,
    /// Items to embeddings: features x embedding, one row.
    view: AnnotatorRows,
    /// Embeddings of annotators.
    taste: AnnotatorRows,
    /// Gates of the labels of this epoch: sum and number per annotator.
    gates: Vec<(f64, f64)>,
    /// Mean gate of every annotator, as the last epoch had it.
    mean_gate: Vec<f64>,
    factor: f64,
}

/// Scaled to length 1, with the length.
fn unit_vector(v: &[f64]) -> (Vec<f64>, f64) {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt() + 1e-12;
    (v.iter().map(|x| x / length).collect(), length)
}

/// The derivative by the vector, from that by its direction.
fn through_unit(d: &[f64], u: &[f64], length: f64) -> Vec<f64> {
    let along: f64 = d.iter().zip(u).map(|(d, u)| d * u).sum();
    d.iter().zip(u).map(|(d, u)| (d - along * u) / length).collect()
}

impl Mixed {
    fn new(method: Conal, task: &Task, seed: u64) -> Self {
        let (m, k, e, d) = (task.labels.m, task.labels.k, method.embedding, task.x.cols);
        let mut rng = stream(seed, "gate", 0);
        let mut draw = |n: usize, sd: f64| -> Vec<f64> {
            let normal = Normal::new(0.0, sd).expect("a finite deviation");
            (0..n).map(|_| normal.sample(&mut rng)).collect()
        };
        Mixed {
            k,
            m,
            common: Confusions::diagonal(1, k, method.diagonal),
            own: Confusions::diagonal(m, k, method.diagonal),
            view: AnnotatorRows::new(d * e, draw(d * e, (1.0 / d as f64).sqrt())),
            taste: AnnotatorRows::new(e, draw(m * e, 0.1)),
            gates: vec![(0.0, 0.0); m],
            mean_gate: vec![0.5; m],
            factor: 1.0,
            method,
        }
    }

    /// What an item looks like to the gate.
    fn seen(&self, x: &[f32]) -> Vec<f64> {
        let e = self.method.embedding;
        let mut out = vec![0.0; e];
        for (x, w) in x.iter().zip(self.view.row(0).chunks_exact(e)) {
            out.iter_mut().zip(w).for_each(|(o, w)| *o += f64::from(*x) * w);
        }
        out
    }

    /// Mean of -ln P(label) less the push; adds all derivatives.
    fn loss(&mut self, f: &Probabilities, batch: &Batch<'_>, d_f: &mut [f64]) -> f64 {
        let (k, e, unit) = (self.k, self.method.embedding, unit(batch));
        let learned = self.method.gate == Gate::Learned;
        let mut loss = add_gold(f, batch, unit, d_f);
        for (b, &i) in batch.items.iter().enumerate() {
            let (i, row) = (i as usize, f.row(b));
            let gold = batch.labels.gold(i);
            let known: Vec<f64> = match gold {
                Some(g) => (0..k).map(|c| f64::from(u8::from(c == g))).collect(),
                None => row.to_vec(),
            };
            let (v, v_length) = if learned { unit_vector(&self.seen(batch.x.row(b))) } else { (Vec::new(), 1.0) };
            let mut d_v = vec![0.0; v.len()];
            for (j, l) in batch.labels.of(i) {
                let (u, u_length) = if learned { unit_vector(self.taste.row(j)) } else { (Vec::new(), 1.0) };
                let gate = match self.method.gate {
                    Gate::Learned => 1.0 / (1.0 + (-v.iter().zip(&u).map(|(a, b)| a * b).sum::<f64>()).exp()),
                    Gate::Own => 0.0,
                    Gate::Common => 1.0,
                };
                self.gates[j] = (self.gates[j].0 + gate, self.gates[j].1 + 1.0);
                let pc: f64 = (0..k).map(|t| self.common.at(0, t, l) * known[t]).sum();
                let po: f64 = (0..k).map(|t| self.own.at(j, t, l) * known[t]).sum();
                let p = gate * pc + (1.0 - gate) * po + 1e-12;
                loss -= p.ln() * unit;
                let scale = -unit / p;
                if gold.is_none() {
                    for t in 0..k {
                        let a = gate * self.common.at(0, t, l) + (1.0 - gate) * self.own.at(j, t, l);
                        d_f[b * k + t] += scale * a;
                    }
                }
                let g = self.common.gradient(0);
                (0..k).for_each(|t| g[t * k + l] += scale * gate * known[t]);
                let g = self.own.gradient(j);
                (0..k).for_each(|t| g[t * k + l] += scale * (1.0 - gate) * known[t]);
                if learned {
                    let d = scale * (pc - po) * gate * (1.0 - gate);
                    d_v.iter_mut().zip(&u).for_each(|(x, u)| *x += d * u);
                    let by: Vec<f64> = v.iter().map(|v| d * v).collect();
                    let by = through_unit(&by, &u, u_length);
                    self.taste.gradient(j).iter_mut().zip(by).for_each(|(g, d)| *g += d);
                }
            }
            if learned {
                let by = through_unit(&d_v, &v, v_length);
                for (x, g) in batch.x.row(b).iter().zip(self.view.gradient(0).chunks_exact_mut(e)) {
                    g.iter_mut().zip(&by).for_each(|(g, d)| *g += f64::from(*x) * d);
                }
            }
        }
        loss + self.push()
    }

    /// Minus the distances of the matrices of this batch's annotators from the common one.
    fn push(&mut self) -> f64 {
        let lambda = self.method.lambda;
        if lambda == 0.0 {
            return 0.0;
        }
        let common = self.common.matrix(0).to_vec();
        let mut loss = 0.0;
        for j in self.own.touched().to_vec() {
            let apart: Vec<f64> = self.own.matrix(j as usize).iter().zip(&common).map(|(o, c)| o - c).collect();
            let distance = (apart.iter().map(|x| x * x).sum::<f64>() + 1e-12).sqrt();
            loss -= lambda * distance;
            let g = self.own.gradient(j as usize);
            g.iter_mut().zip(&apart).for_each(|(g, a)| *g -= lambda * a / distance);
            let g = self.common.gradient(0);
            g.iter_mut().zip(&apart).for_each(|(g, a)| *g += lambda * a / distance);
        }
        loss
    }
}

impl Objective for Mixed {
    fn begin_epoch(&mut self, _: usize, factor: f64) {
        self.factor = factor;
        self.gates.fill((0.0, 0.0));
    }

    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let f = Probabilities::of(scores);
        let mut d_f = vec![0.0; f.rows.len()];
        let loss = self.loss(&f, batch, &mut d_f);
        f.backward(&d_f, d_scores);
        let (slow, fast) = (self.method.training.learning_rate, self.method.annotator_rate);
        self.view.step(self.factor * slow, |_, _| {});
        self.taste.step(self.factor * slow, |_, _| {});
        self.common.step(self.factor * fast, |_, _, _| {});
        self.own.step(self.factor * fast, |_, _, _| {});
        loss
    }

    fn end_epoch(&mut self, _: usize, _: &mut crate::Outputs<'_>) -> Result<(), Error> {
        for (mean, (sum, n)) in self.mean_gate.iter_mut().zip(&self.gates).filter(|(_, g)| g.1 > 0.0) {
            *mean = sum / n;
        }
        Ok(())
    }

    /// Both matrices, mixed as they were for the annotator's items.
    fn confusion(&self) -> Vec<f64> {
        let size = self.k * self.k;
        let mut out = Vec::with_capacity(self.m * size);
        for (j, w) in self.mean_gate.iter().enumerate() {
            let both = self.common.matrix(0).iter().zip(self.own.matrix(j));
            out.extend(both.map(|(c, o)| w * c + (1.0 - w) * o));
        }
        out
    }

    fn snapshot(&self) -> Vec<f64> {
        let parts = [self.common.snapshot(), self.own.snapshot(), self.view.w.clone(), self.taste.w.clone()];
        [parts.concat(), self.mean_gate.clone()].concat()
    }

    fn restore(&mut self, kept: &[f64]) {
        let (common, rest) = kept.split_at(self.k * self.k);
        let (own, rest) = rest.split_at(self.own.a.len());
        let (view, rest) = rest.split_at(self.view.w.len());
        let (taste, gates) = rest.split_at(self.taste.w.len());
        self.common.restore(common);
        self.own.restore(own);
        self.view.w.copy_from_slice(view);
        self.taste.w.copy_from_slice(taste);
        self.mean_gate.copy_from_slice(gates);
    }
}

impl Learner for Mixed {
    fn details(&self) -> serde_json::Map<String, serde_json::Value> {
        let mean = self.mean_gate.iter().sum::<f64>() / self.m.max(1) as f64;
        serde_json::Map::from_iter([("mean_common_share".into(), mean.into())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::some_labels;
    use rand::RngExt;

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (n, k, d) = (6, 3, 4);
        let labels = some_labels(n, 4, k);
        let items: Vec<u32> = (0..n as u32).collect();
        let mut rng = stream(14, "conal", 0);
        let x = Matrix::new(n, d, (0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect());
        let task = Task { x: x.clone().into(), labels: labels.clone(), train: items.clone(), held_out: Vec::new() };
        let batch = Batch { items: &items, x: &x, labels: &labels };
        let z = Matrix::new(n, k, (0..n * k).map(|_| rng.random_range(-1.0..1.0)).collect());
        let f = Probabilities::of(&z);
        let made = || Mixed::new(Conal { lambda: 0.05, embedding: 3, ..Conal::default() }, &task, 1);
        let mut mixed = made();
        let mut start = mixed.snapshot();
        start.iter_mut().for_each(|w| *w += rng.random_range(-0.3..0.3));
        let value = |kept: &[f64]| {
            let mut mixed = made();
            mixed.restore(kept);
            mixed.loss(&f, &batch, &mut vec![0.0; n * k])
        };
        mixed.restore(&start);
        mixed.loss(&f, &batch, &mut vec![0.0; n * k]);
        // confusion matrices: through the soft-max
        let mut want = Vec::new();
        for (c, rows) in [(&mut mixed.common, 1), (&mut mixed.own, labels.m)] {
            for j in 0..rows {
                let (a, g) = (c.matrix(j).to_vec(), c.gradient(j).to_vec());
                for t in 0..k {
                    let mean: f64 = (0..k).map(|l| a[t * k + l] * g[t * k + l]).sum();
                    want.extend((0..k).map(|l| a[t * k + l] * (g[t * k + l] - mean)));
                }
            }
        }
        want.extend(mixed.view.gradient(0).to_vec());
        want.extend((0..labels.m).flat_map(|j| mixed.taste.gradient(j).to_vec()));
        for (at, want) in want.iter().enumerate() {
            let shifted = |by: f64| {
                let mut kept = start.clone();
                kept[at] += by;
                value(&kept)
            };
            let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((slope - want).abs() < 1e-8, "{at}: {slope} for {want}");
        }
    }
}
