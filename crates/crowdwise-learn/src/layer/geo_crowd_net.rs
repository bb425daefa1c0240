use super::coupled::{Confusions, coupled, unit};
use super::volume::{gram_of_matrix, gram_of_rows, log_det};
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Probabilities, add_gold};
use crate::{Learn, Learned, Own};
use crate::{Matrix, NetworkParams, Training};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A crowd layer that makes the volume of the class probabilities, or that of the confusion matrices, as large as the
/// labels allow: what makes the two identifiable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GeoCrowdNet {
    /// Whose volume grows: `f` = the class probabilities (needs clear items of every class, no expert), `w` = the stacked
    /// confusion matrices (needs experts for every class, no clear items).
    pub volume: Volume,
    /// Weight of the logarithm of the volume.
    pub lambda: f64,
    /// Epochs before the volume counts; without them a large weight may exchange classes.
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

/// Whose volume grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Volume {
    #[default]
    F,
    W,
}

impl Default for GeoCrowdNet {
    fn default() -> Self {
        GeoCrowdNet {
            volume: Volume::F,
            lambda: 0.01,
            warm_up: 5,
            diagonal: 3.0,
            annotator_rate: 1e-2,
            network: NetworkParams::default(),
            training: Training::default(),
        }
    }
}

impl Method for GeoCrowdNet {
    const INFO: MethodInfo = MethodInfo {
        id: "geo-crowd-net",
        name: "GeoCrowdNet",
        summary: "A crowd layer with a volume criterion that makes classifier and confusion matrices identifiable.",
        doc: include_str!("geo_crowd_net.md"),
        aliases: &["geocrowd-f", "geocrowdnet"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "S. Ibrahim, T. Nguyen and X. Fu, Deep learning from crowdsourced labels: coupled cross-entropy minimization, identifiability, and regularization, ICLR 2023",
            doi: None,
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

impl Learn for GeoCrowdNet {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        learn(&recipe, data, cx, own, |task, _| {
            let confusions = Confusions::diagonal(task.labels.m, task.labels.k, self.diagonal);
            Ok(Geometric::new(self.clone(), confusions))
        })
    }
}

struct Geometric {
    confusions: Confusions,
    method: GeoCrowdNet,
    now: f64,
    /// 0 during the warm-up.
    lambda: f64,
    /// Sum of AᵀA over all annotators, kept up to date as their matrices move (for `w`).
    gram: Vec<f64>,
}

impl Geometric {
    fn new(method: GeoCrowdNet, confusions: Confusions) -> Self {
        let mut out = Geometric { gram: Vec::new(), now: method.annotator_rate, lambda: 0.0, confusions, method };
        out.recount();
        out
    }

    fn recount(&mut self) {
        let k = self.confusions.k;
        self.gram = vec![0.0; k * k];
        for a in self.confusions.a.chunks_exact(k * k) {
            gram_of_matrix(a, k, 1.0, &mut self.gram);
        }
    }

    /// Minus the log-volume of the class probabilities of the batch, times the weight; adds its derivative. A batch
    /// whose volume is not a number is passed over.
    fn volume_of_f(&self, f: &Probabilities, d_f: &mut [f64]) -> f64 {
        let (k, n) = (f.k, f.len() as f64);
        let gram = gram_of_rows(&f.rows, k, 1.0 / n);
        let Some((value, inverse)) = log_det(&gram, k) else { return 0.0 };
        for (row, d) in f.rows.chunks_exact(k).zip(d_f.chunks_exact_mut(k)) {
            for (c, d) in d.iter_mut().enumerate() {
                let s: f64 = (0..k).map(|x| row[x] * inverse[x * k + c]).sum();
                *d -= self.lambda * 2.0 / n * s;
            }
        }
        -self.lambda * value
    }

    /// The same of the stacked confusion matrices; the derivative is taken for the annotators of the batch.
    fn volume_of_w(&mut self) -> f64 {
        let (k, m) = (self.confusions.k, (self.confusions.a.len() / self.gram.len()).max(1) as f64);
        let gram: Vec<f64> = self.gram.iter().map(|g| g / m).collect();
        let Some((value, inverse)) = log_det(&gram, k) else { return 0.0 };
        let present: Vec<usize> = self.confusions.touched().iter().map(|&j| j as usize).collect();
        for j in present {
            // here a row is a truth: the published A (label x truth) is the transpose, so that the derivative of
            // ln det Σ A Aᵀ (truth x truth) is 2 G⁻¹ A
            let a = self.confusions.matrix(j).to_vec();
            let g = self.confusions.gradient(j);
            for t in 0..k {
                for l in 0..k {
                    let s: f64 = (0..k).map(|x| inverse[t * k + x] * a[x * k + l]).sum();
                    g[t * k + l] -= self.lambda * 2.0 / m * s;
                }
            }
        }
        -self.lambda * value
    }
}

impl Objective for Geometric {
    fn begin_epoch(&mut self, epoch: usize, factor: f64) {
        self.now = self.method.annotator_rate * factor;
        self.lambda = if epoch > self.method.warm_up { self.method.lambda } else { 0.0 };
        self.recount(); // what rounding added up to
    }

    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let f = Probabilities::of(scores);
        let mut d_f = vec![0.0; f.rows.len()];
        let mut loss = coupled(&f, batch, &mut self.confusions, &mut d_f);
        loss += add_gold(&f, batch, unit(batch), &mut d_f);
        if self.lambda > 0.0 {
            loss += match self.method.volume {
                Volume::F => self.volume_of_f(&f, &mut d_f),
                Volume::W => self.volume_of_w(),
            };
        }
        f.backward(&d_f, d_scores);
        let (k, gram) = (self.confusions.k, &mut self.gram);
        self.confusions.step(self.now, |_, before, after| {
            gram_of_matrix(before, k, -1.0, gram);
            gram_of_matrix(after, k, 1.0, gram);
        });
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
        self.recount();
    }
}

impl Learner for Geometric {}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_core::{stats, stream};
    use rand::RngExt;

    fn random(rows: usize, k: usize) -> Vec<f64> {
        let mut rng = stream(8, "volume", k as u64);
        let mut out: Vec<f64> = (0..rows * k).map(|_| rng.random_range(-1.0..1.0)).collect();
        out.chunks_exact_mut(k).for_each(|r| _ = stats::softmax(r));
        out
    }

    #[test]
    fn volumes_have_the_slopes_of_finite_differences() {
        let k = 3;
        let of = |volume: Volume, rows: &[f64]| {
            let mut confusions = Confusions::diagonal(rows.len() / 9, k, 1.0);
            confusions.a.copy_from_slice(rows);
            (0..rows.len() / 9).for_each(|j| _ = confusions.gradient(j));
            let mut g = Geometric::new(GeoCrowdNet { volume, ..GeoCrowdNet::default() }, confusions);
            g.lambda = 0.7;
            if volume == Volume::F {
                let mut d = vec![0.0; rows.len()];
                (g.volume_of_f(&Probabilities { k, rows: rows.to_vec() }, &mut d), d)
            } else {
                let value = g.volume_of_w();
                (value, (0..rows.len() / 9).flat_map(|j| g.confusions.gradient(j).to_vec()).collect())
            }
        };
        let rows = random(12, k);
        for volume in [Volume::F, Volume::W] {
            let d = of(volume, &rows).1;
            for at in 0..rows.len() {
                let shifted = |by: f64| {
                    let mut r = rows.clone();
                    r[at] += by;
                    of(volume, &r).0
                };
                let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                assert!((slope - d[at]).abs() < 1e-7, "{volume:?} {at}: {slope} for {}", d[at]);
            }
        }
    }

    #[test]
    fn the_kept_gram_is_that_of_all_matrices() {
        let mut g = Geometric::new(GeoCrowdNet::default(), Confusions::diagonal(5, 3, 1.0));
        for n in 0..20 {
            g.confusions.gradient(n % 4)[n % 9] += 1.0;
            let gram = &mut g.gram;
            g.confusions.step(0.1, |_, before, after| {
                gram_of_matrix(before, 3, -1.0, gram);
                gram_of_matrix(after, 3, 1.0, gram);
            });
        }
        let kept = g.gram.clone();
        g.recount();
        assert!(kept.iter().zip(&g.gram).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}
