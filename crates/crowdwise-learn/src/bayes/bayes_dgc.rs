use super::beliefs::Rows;
use crate::learn::{Learner, Recipe, learn};
use crate::objective::{Batch, Objective, Outputs, Probabilities, cross_entropy};
use crate::train::Task;
use crate::{Labels, Matrix, NetworkParams, Training};
use crate::{Learn, Learned, Own};
use crowdwise_core::stats::{digamma, softmax};
use crowdwise_core::{
    Context, Dataset, Error, Family, Gives, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference, Status,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Bayesian model of annotators with a network as unnormalised prior of the classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BayesDgc {
    /// Dirichlet parameter of the class shares.
    pub alpha: f64,
    /// Dirichlet parameter of the diagonal of a confusion matrix.
    pub beta_diagonal: f64,
    /// Dirichlet parameter of the other cells.
    pub beta_off: f64,
    /// Class shares beside the network, as in the paper: then both can favour the same class, and it may take all.
    pub use_class_prior: bool,
    /// How far to move towards the new beliefs after every epoch: 1 = all the way (coordinate ascent).
    pub step: f64,
    #[serde(flatten)]
    pub network: NetworkParams,
    #[serde(flatten)]
    pub training: Training,
}

impl Default for BayesDgc {
    fn default() -> Self {
        BayesDgc {
            alpha: 1.1,
            beta_diagonal: 5.0,
            beta_off: 2.0,
            use_class_prior: false,
            step: 0.3,
            network: NetworkParams { hidden: 100, ..NetworkParams::default() },
            training: Training::default(),
        }
    }
}

impl Method for BayesDgc {
    const INFO: MethodInfo = MethodInfo {
        id: "bayes-dgc",
        name: "BayesDGC",
        summary: "Variational Bayes for Dirichlet annotators and class shares, with a network as prior of every item.",
        doc: include_str!("bayes_dgc.md"),
        aliases: &["deep-generative-crowdsourcing"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "S.-Y. Li, S.-J. Huang and S. Chen, Crowdsourcing aggregation with deep Bayesian learning, Science China Information Sciences 64, 2021",
            doi: Some("10.1007/s11432-020-3118-7"),
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Bayes)
    };

    fn check(&self, problems: &mut Problems) {
        problems.positive("alpha", self.alpha);
        problems.positive("beta_diagonal", self.beta_diagonal);
        problems.positive("beta_off", self.beta_off);
        problems.require(self.step > 0.0 && self.step <= 1.0, "step", self.step, "greater than 0 and at most 1");
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

impl Learn for BayesDgc {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        let recipe = Recipe::new(self, &self.network, &self.training);
        learn(&recipe, data, cx, own, |task, _| Ok(Deep::new(self.clone(), task)))
    }
}

struct Deep {
    method: BayesDgc,
    k: usize,
    /// Targets of all items.
    q: Vec<f64>,
    rows: Rows,
    /// Dirichlet parameters of the class shares.
    shares: Vec<f64>,
}

impl Deep {
    fn new(method: BayesDgc, task: &Task) -> Self {
        let (labels, k) = (&task.labels, task.labels.k);
        let mut out = Deep {
            k,
            q: labels.vote_shares(),
            rows: Rows::new(labels.m, k, method.beta_diagonal, method.beta_off),
            shares: vec![method.alpha; k],
            method,
        };
        out.believe(&task.train, labels, 1.0);
        out
    }

    /// Beliefs about annotators and shares from the targets.
    fn believe(&mut self, items: &[u32], labels: &Labels, step: f64) {
        let k = self.k;
        let q: Vec<f64> = items.iter().flat_map(|&i| self.q[i as usize * k..][..k].iter().copied()).collect();
        self.rows.update(&q, items, labels, step);
        for (c, s) in self.shares.iter_mut().enumerate() {
            let sum: f64 = q.iter().skip(c).step_by(k).sum();
            *s += step * (self.method.alpha + sum - *s);
        }
    }

    /// Targets from the network's scores (up to a constant a row) and the labels; returns Σ ln of the sums.
    fn infer(&mut self, scores: &[f64], items: &[u32], labels: &Labels) -> f64 {
        let (k, evidence, offset) = (self.k, self.rows.evidence(), self.offset());
        let mut sum = 0.0;
        for (b, &i) in items.iter().enumerate() {
            let row = &mut self.q[i as usize * k..][..k];
            if labels.gold(i as usize).is_some() {
                continue;
            }
            row.copy_from_slice(&scores[b * k..(b + 1) * k]);
            row.iter_mut().zip(&offset).for_each(|(x, o)| *x += o);
            for (j, l) in labels.of(i as usize) {
                row.iter_mut().zip(&evidence[(j * k + l) * k..]).for_each(|(x, e)| *x += e);
            }
            sum += softmax(row);
        }
        sum
    }
}

impl Objective for Deep {
    fn step(&mut self, scores: &Matrix, batch: &Batch<'_>, d_scores: &mut Matrix) -> f64 {
        let (k, f) = (self.k, Probabilities::of(scores));
        cross_entropy(&f, |b| &self.q[batch.items[b] as usize * k..][..k], |_| 1.0, d_scores)
    }

    fn end_epoch(&mut self, _: usize, all: &mut Outputs<'_>) -> Result<(), Error> {
        let f = Probabilities::of(&all.scores()?);
        let scores: Vec<f64> = f.rows.iter().map(|p| p.ln()).collect();
        self.infer(&scores, all.items, all.labels);
        self.believe(all.items, all.labels, self.method.step);
        Ok(())
    }

    fn confusion(&self) -> Vec<f64> {
        self.rows.confusion()
    }

    fn evidence(&self) -> Option<Vec<f64>> {
        Some(self.rows.evidence())
    }

    fn offset(&self) -> Vec<f64> {
        if !self.method.use_class_prior {
            return vec![0.0; self.k];
        }
        let total = digamma(self.shares.iter().sum());
        self.shares.iter().map(|s| digamma(*s) - total).collect()
    }

    fn snapshot(&self) -> Vec<f64> {
        [self.q.as_slice(), &self.rows.shape, &self.shares].concat()
    }

    fn restore(&mut self, kept: &[f64]) {
        let mut rest = kept;
        for part in [&mut self.q, &mut self.rows.shape, &mut self.shares] {
            let (own, more) = rest.split_at(part.len());
            part.copy_from_slice(own);
            rest = more;
        }
    }
}

impl Learner for Deep {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::some_labels;
    use crowdwise_core::stats::ln_gamma;

    /// KL divergence of two Dirichlet distributions.
    fn divergence(a: &[f64], b: &[f64]) -> f64 {
        let (sa, sb): (f64, f64) = (a.iter().sum(), b.iter().sum());
        let mut out = ln_gamma(sa) - ln_gamma(sb);
        for (a, b) in a.iter().zip(b) {
            out += ln_gamma(*b) - ln_gamma(*a) + (a - b) * (digamma(*a) - digamma(sa));
        }
        out
    }

    #[test]
    fn with_a_network_that_stands_still_the_bound_never_falls() {
        let (n, k) = (40, 3);
        let labels = some_labels(n, 6, k);
        let items: Vec<u32> = (0..n as u32).collect();
        let task =
            Task { x: Matrix::zeros(n, 1).into(), labels: labels.clone(), train: items.clone(), held_out: Vec::new() };
        let mut deep = Deep::new(BayesDgc { step: 1.0, ..BayesDgc::default() }, &task);
        let scores: Vec<f64> = (0..n * k).map(|x| ((x * 7919) % 13) as f64 / 13.0).collect();
        let mut before = f64::NEG_INFINITY;
        for _ in 0..30 {
            let sum = deep.infer(&scores, &items, &labels);
            // known items: their own share of the bound
            let (e, o) = (deep.rows.evidence(), deep.offset());
            let mut bound = sum;
            for &i in &items {
                if let Some(g) = labels.gold(i as usize) {
                    bound += scores[i as usize * k + g] + o[g];
                    bound += labels.of(i as usize).map(|(j, l)| e[(j * k + l) * k + g]).sum::<f64>();
                }
            }
            for (r, row) in deep.rows.shape.chunks_exact(k).enumerate() {
                let prior: Vec<f64> = (0..k).map(|l| if l == r % k { 5.0 } else { 2.0 }).collect();
                bound -= divergence(row, &prior);
            }
            bound -= divergence(&deep.shares, &vec![1.1; k]);
            assert!(bound >= before - 1e-9, "{bound} after {before}");
            before = bound;
            deep.believe(&items, &labels, 1.0);
        }
    }
}
