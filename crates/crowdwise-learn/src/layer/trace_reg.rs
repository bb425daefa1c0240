use super::coupled::{Confusions, coupled, unit};
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Probabilities, add_gold};
use crate::{Learn, Learned, Own};
use crate::{Matrix, NetworkParams, Training};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A crowd layer whose confusion matrices are pushed away from the identity, so that the errors are the annotators' and
/// not the network's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TraceReg {
    /// Weight of the mean trace of the annotators' confusion matrices.
    pub lambda: f64,
    /// `trace` = the trace; `log` = the sum of the logarithms of the diagonal.
    pub penalty: Penalty,
    /// Epochs before the penalty begins.
    pub warm_up: usize,
    /// How reliable annotators are taken to be at the start: the free parameter on the diagonal.
    pub diagonal: f64,
    /// Learning rate of the annotators' parameters.
    pub annotator_rate: f64,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

/// What is made small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Penalty {
    #[default]
    Trace,
    Log,
}

impl Default for TraceReg {
    fn default() -> Self {
        TraceReg {
            lambda: 0.01,
            penalty: Penalty::Trace,
            warm_up: 5,
            diagonal: 3.0,
            annotator_rate: 1e-2,
            network: NetworkParams::default(),
            training: Training::default(),
        }
    }
}

impl Method for TraceReg {
    const INFO: MethodInfo = MethodInfo {
        id: "trace-reg",
        name: "Trace-regularised crowd layer",
        summary: "A crowd layer with a penalty on the trace of the annotators' confusion matrices.",
        doc: include_str!("trace_reg.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "R. Tanno, A. Saeedi, S. Sankaranarayanan, D. C. Alexander and N. Silberman, Learning from noisy labels by regularized estimation of annotator confusion, CVPR 2019",
            doi: Some("10.1109/CVPR.2019.01150"),
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Layer)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("lambda", self.lambda, 0.0);
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

impl Learn for TraceReg {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        learn(&recipe, data, cx, own, |task, _| {
            Ok(Traced {
                confusions: Confusions::diagonal(task.labels.m, task.labels.k, self.diagonal),
                method: self.clone(),
                now: self.annotator_rate,
                lambda: 0.0,
            })
        })
    }
}

struct Traced {
    confusions: Confusions,
    method: TraceReg,
    now: f64,
    /// 0 during the warm-up.
    lambda: f64,
}

impl Traced {
    /// The penalty of the annotators of the batch, with its derivative: their mean stands for the mean of all.
    fn penalise(&mut self) -> f64 {
        let present: Vec<usize> = self.confusions.touched().iter().map(|&j| j as usize).collect();
        if self.lambda == 0.0 || present.is_empty() {
            return 0.0;
        }
        let (k, weight) = (self.confusions.k, self.lambda / present.len() as f64);
        let mut value = 0.0;
        for j in present {
            for t in 0..k {
                let a = self.confusions.matrix(j)[t * k + t].max(1e-12);
                let (v, d) = match self.method.penalty {
                    Penalty::Trace => (a, 1.0),
                    Penalty::Log => (a.ln(), 1.0 / a),
                };
                value += weight * v;
                self.confusions.gradient(j)[t * k + t] += weight * d;
            }
        }
        value
    }
}

impl Objective for Traced {
    fn begin_epoch(&mut self, epoch: usize, factor: f64) {
        self.now = self.method.annotator_rate * factor;
        self.lambda = if epoch > self.method.warm_up { self.method.lambda } else { 0.0 };
    }

    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let f = Probabilities::of(scores);
        let mut d_f = vec![0.0; f.rows.len()];
        let mut loss = coupled(&f, batch, &mut self.confusions, &mut d_f);
        loss += add_gold(&f, batch, unit(batch), &mut d_f);
        loss += self.penalise();
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

impl Learner for Traced {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::coupled::tests::some_labels;

    #[test]
    fn the_penalty_has_the_slope_of_finite_differences() {
        let labels = some_labels(6, 3, 3);
        for penalty in [Penalty::Trace, Penalty::Log] {
            let of = |a: &[f64]| {
                let mut confusions = Confusions::diagonal(labels.m, 3, 1.0);
                confusions.a.copy_from_slice(a);
                (0..labels.m).for_each(|j| _ = confusions.gradient(j));
                let method = TraceReg { penalty, ..TraceReg::default() };
                let mut t = Traced { confusions, method, now: 0.1, lambda: 0.3 };
                let value = t.penalise();
                let g: Vec<f64> = (0..labels.m).flat_map(|j| t.confusions.gradient(j).to_vec()).collect();
                (value, g)
            };
            let a = Confusions::diagonal(labels.m, 3, 1.0).a;
            let g = of(&a).1;
            for at in 0..a.len() {
                let shifted = |by: f64| {
                    let mut a = a.clone();
                    a[at] += by;
                    of(&a).0
                };
                let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                assert!((slope - g[at]).abs() < 1e-8, "{penalty:?} {at}: {slope} for {}", g[at]);
            }
        }
    }
}
