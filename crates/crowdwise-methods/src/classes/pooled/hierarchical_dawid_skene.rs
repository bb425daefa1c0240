//! Hierarchical Dawid-Skene: the logits of an annotator's rows vary around those of a population.

use super::Cells;
use crate::classes::confusion::em::{self, Adaptive, Settings};
use crate::classes::confusion::kernel::{Engine, Model, Sums};
use crate::classes::confusion::{Init, shared, start};
use crowdwise_core::stats::softmax;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Hierarchical Dawid-Skene with partial pooling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HierarchicalDawidSkene {
    /// Maximum number of iterations (passes over the labels).
    pub max_iter: usize,
    /// Stop when one step changes no probability, of a confusion matrix or of a class, by more than this.
    pub tol: f64,
    /// Initial spread of annotators around the population, on the scale of logits.
    pub spread: f64,
    /// Estimate the spread of each class; otherwise it stays as given.
    pub learn_spread: bool,
    /// Accuracy of the population to begin with.
    pub prior_accuracy: f64,
    /// Number of Newton steps on the rows of an annotator per iteration.
    pub newton_steps: usize,
    /// Added to every class count.
    pub beta: f64,
    /// Starting point: the vote shares (`majority`), `random` matrices, or those of another method.
    pub init: Init,
}

impl Default for HierarchicalDawidSkene {
    fn default() -> Self {
        HierarchicalDawidSkene {
            max_iter: 100,
            tol: 1e-5,
            spread: 1.0,
            learn_spread: true,
            prior_accuracy: 0.7,
            newton_steps: 5,
            beta: 1.0,
            init: Init::Majority,
        }
    }
}

/// The estimated spread stays in this range.
const SPREAD: (f64, f64) = (0.05, 5.0);

/// No Newton step moves a logit further.
const LONGEST: f64 = 2.0;

struct Population {
    learn_spread: bool,
    newton_steps: usize,
    beta: f64,
    annotators: f64,
    /// Logits of the population, label x truth.
    mean: Vec<f64>,
    /// Spread by truth.
    spread: Vec<f64>,
    /// Logits, annotators x truth x label.
    logits: Cells,
}

impl Population {
    fn new(p: &HierarchicalDawidSkene, k: usize, annotators: usize) -> Population {
        let off = (1.0 - p.prior_accuracy) / (k.max(2) - 1) as f64;
        let mean: Vec<f64> =
            (0..k * k).map(|x| if x / k == x % k { p.prior_accuracy.ln() } else { off.ln() }).collect();
        Population {
            learn_spread: p.learn_spread,
            newton_steps: p.newton_steps,
            beta: p.beta,
            annotators: annotators as f64,
            // symmetric, so that the layout does not matter yet
            logits: Cells::new((0..annotators).flat_map(|_| mean.iter().copied())),
            mean,
            spread: vec![p.spread; k],
        }
    }

    /// Damped Newton on the row of one class: counts against the population. `row` and `p` are scratch; ends with the
    /// probabilities in `p`.
    fn climb(&self, k: usize, t: usize, counts: &[f64], n: f64, row: &mut [f64], p: &mut [f64]) {
        let precision = 1.0 / (self.spread[t] * self.spread[t]);
        if n <= 0.0 {
            // nothing is known but the population
            (0..k).for_each(|l| row[l] = self.mean[l * k + t]);
        } else {
            for _ in 0..self.newton_steps {
                p.copy_from_slice(row);
                softmax(p);
                for l in 0..k {
                    let slope = counts[l * k + t] - n * p[l] - (row[l] - self.mean[l * k + t]) * precision;
                    // the second term damps: the true curvature is not diagonal
                    let curvature = n * p[l] * (1.0 - p[l]) + 0.25 * n * p[l] + precision;
                    row[l] += (slope / curvature).clamp(-LONGEST, LONGEST);
                }
            }
        }
        p.copy_from_slice(row);
        softmax(p);
    }
}

impl Model for Population {
    fn table(&self, k: usize, j: usize, _counts: &[f64], table: &mut [f64]) -> Sums {
        let mut row = vec![0.0; k];
        let mut penalty = 0.0;
        for t in 0..k {
            let s = self.spread[t];
            for l in 0..k {
                row[l] = self.logits.get((j * k + t) * k + l);
                let z = (row[l] - self.mean[l * k + t]) / s;
                penalty -= 0.5 * z * z + s.ln();
            }
            softmax(&mut row);
            (0..k).for_each(|l| table[l * k + t] = row[l].max(1e-100));
        }
        [penalty, 0.0, 0.0, 0.0]
    }

    fn prior(&self, class: &[f64], prior: &mut [f64]) -> f64 {
        let total: f64 = class.iter().map(|c| c + self.beta).sum();
        prior.iter_mut().zip(class).for_each(|(p, c)| *p = (c + self.beta) / total);
        self.prior_penalty(prior)
    }

    fn penalty(&self, _k: usize, _table: &[f64]) -> f64 {
        0.0
    }

    fn prior_penalty(&self, prior: &[f64]) -> f64 {
        self.beta * shared::sum_ln(prior)
    }
}

impl Adaptive for Population {
    /// Sums of logits and of their squares (label x truth), and of their variances by truth.
    fn pool_width(&self, k: usize, round: usize) -> usize {
        if round == 0 { 2 * k * k + k } else { 0 }
    }

    fn pool(&self, k: usize, _round: usize, j: usize, counts: &[f64], sums: &mut [f64]) {
        let (mut row, mut p) = (vec![0.0; k], vec![0.0; k]);
        for t in 0..k {
            let n: f64 = (0..k).map(|l| counts[l * k + t]).sum();
            let at = (j * k + t) * k;
            (0..k).for_each(|l| row[l] = self.logits.get(at + l));
            self.climb(k, t, counts, n, &mut row, &mut p);
            let precision = 1.0 / (self.spread[t] * self.spread[t]);
            for l in 0..k {
                self.logits.set(at + l, row[l]);
                sums[l * k + t] += row[l];
                sums[k * k + l * k + t] += row[l] * row[l];
                // Laplace: what the counts leave uncertain. Without it the spread shrinks to nothing.
                sums[2 * k * k + t] += 1.0 / (n * p[l] * (1.0 - p[l]) + precision);
            }
        }
    }

    fn pooled(&mut self, k: usize, _round: usize, sums: &[f64]) {
        let m = self.annotators;
        for t in 0..k {
            let mut squares = sums[2 * k * k + t];
            for at in (0..k).map(|l| l * k + t) {
                // one more annotator, at 0
                let mean = sums[at] / (m + 1.0);
                self.mean[at] = mean;
                squares += (sums[k * k + at] - 2.0 * mean * sums[at] + m * mean * mean).max(0.0);
            }
            if self.learn_spread {
                self.spread[t] = ((squares + 1.0) / (m * k as f64 + 2.0)).sqrt().clamp(SPREAD.0, SPREAD.1);
            }
        }
    }
}

impl Method for HierarchicalDawidSkene {
    const INFO: MethodInfo = MethodInfo {
        id: "hierarchical-dawid-skene",
        name: "Hierarchical Dawid-Skene",
        summary: "Confusion matrices that vary around those of a population, whose spread is learned: partial pooling.",
        doc: include_str!("hierarchical_dawid_skene.md"),
        aliases: &["hds"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, likelihood: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "S. Paun, B. Carpenter, J. Chamberlain, D. Hovy, U. Kruschwitz, M. Poesio. Comparing Bayesian Models \
                       of Annotation. TACL 6, 2018.",
                doi: Some("10.1162/tacl_a_00040"),
            },
            Reference {
                text: "J. M. Pullin, L. C. Gurrin, D. Vukcevic. Statistical Models of Repeated Categorical Rating: The R \
                       Package rater. 2020.",
                doi: Some("10.48550/arXiv.2010.09335"),
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Pooled)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("spread", self.spread, 1e-3, 1e3);
        p.between("prior_accuracy", self.prior_accuracy, 0.0, 1.0);
        p.count("newton_steps", self.newton_steps);
        p.within("beta", self.beta, 0.0, 1e9);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.init != Init::Majority // every other start draws or chooses by number
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (labels, gold) = shared::inputs(data);
        let k = labels.k();
        let mut engine = Engine::new(&labels, gold.as_deref(), cx.threads)?;
        let mut model = Population::new(self, k, data.table.n_annotators());
        let settings = Settings::soft(self.max_iter, self.tol, false);
        let (start, findings) = start::first(&mut engine, data, self.init, cx)?;
        let mut fitted = em::fit(&mut engine, &mut model, start, &settings, data.table.n_units(), cx)?;
        fitted.findings = findings;
        let kind = "penalised-log-likelihood";
        let mut out = shared::outcome(fitted, data, gold.as_deref(), kind, |t| Annotators::Confusion {
            k,
            matrix: shared::transpose(t, k),
        });
        let mut rows = shared::transpose(model.mean, k);
        rows.chunks_exact_mut(k).for_each(|r| {
            softmax(r);
        });
        out.diagnostics.details.insert("population_confusion".into(), rows.into());
        out.diagnostics.details.insert("spread".into(), model.spread.into());
        Ok(out)
    }
}
