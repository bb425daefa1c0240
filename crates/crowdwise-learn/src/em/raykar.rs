use super::regression::{Regression, normalise};
use crate::confusion::{add_evidence, counted};
use crate::entry::no_network;
use crate::learn::Recipe;
use crate::model::{Heard, Model};
use crate::network::{Architecture, Network};
use crate::params::{NetworkKind, NetworkParams, Training};
use crate::readout::Readout;
use crate::{Classifier, Labels, Matrix, Scaler, Weights};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, Gives, LabelKind, Method, MethodInfo,
    Needs, Outcome, Problems, Reference, Status, Step,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// EM with soft-max regression: Dawid and Skene's model with a linear classifier in the place of the class shares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Raykar {
    /// Maximum number of rounds of EM.
    pub max_iter: usize,
    /// Stop when a round changes the penalised log-likelihood relatively by less than this.
    pub tol: f64,
    /// Strength of the pull of the weights towards 0; `null` = a tenth of the number of features, so that scores vary by about 3 before
    /// any label is seen.
    pub lambda: Option<f64>,
    /// Steps (Newton; L-BFGS takes four times as many) that the regression takes in a round.
    pub inner_iter: usize,
    /// Prior count of every cell of a confusion matrix, plus one: 1 = none.
    pub alpha: f64,
    /// Prior count of the diagonal, plus one: 1 = none.
    pub beta: f64,
    /// Classes are grades: one question "above this grade?" after the other. Always so where the labels are ordered.
    pub ordinal: bool,
    /// Scale features to mean 0 and deviation 1.
    pub standardise: bool,
}

impl Default for Raykar {
    fn default() -> Self {
        Raykar {
            max_iter: 200,
            tol: 1e-6,
            lambda: None,
            inner_iter: 5,
            alpha: 1.0,
            beta: 1.0,
            ordinal: false,
            standardise: true,
        }
    }
}

impl Method for Raykar {
    const INFO: MethodInfo = MethodInfo {
        id: "raykar",
        name: "Raykar's EM",
        summary: "EM with logistic regression: a linear classifier and the annotators' confusion matrices at once.",
        doc: include_str!("raykar.md"),
        aliases: &["lfc"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "V. C. Raykar, S. Yu, L. H. Zhao, G. H. Valadez, C. Florin, L. Bogoni and L. Moy, Learning from crowds, Journal of Machine Learning Research 11, 2010",
            doi: None,
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Em)
    };

    fn check(&self, problems: &mut Problems) {
        problems.count("max_iter", self.max_iter);
        problems.at_least("tol", self.tol, 0.0);
        problems.at_least("lambda", self.lambda.unwrap_or(0.0), 0.0);
        problems.count("inner_iter", self.inner_iter);
        problems.at_least("alpha", self.alpha, 1.0);
        problems.at_least("beta", self.beta, 1.0);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        Ok(Learn::learn(self, data, cx, None)?.outcome)
    }
}

impl Learn for Raykar {
    fn learn(&self, data: &Dataset, cx: &mut Context<'_>, own: Own) -> Result<Learned, Error> {
        if own.is_some() {
            return Err(no_network::<Self>());
        }
        let network = NetworkParams {
            network: NetworkKind::Linear,
            standardise: self.standardise,
            limit: 0.0,
            ..NetworkParams::default()
        };
        let training = Training { holdout: 0.0, ..Training::default() };
        let (task, scaler) = crate::learn::task(data, &network, &training, cx.seed)?;
        let (labels, k) = (&task.labels, task.labels.k);
        let recipe = Recipe::new(self, &network, &training);
        let ordered = data.table.categorical().is_some_and(|c| c.ordered);
        let found = if (self.ordinal || ordered) && k > 2 {
            self.grades(&task.x, labels, &task.train, cx)?
        } else {
            self.classes(&task.x, labels, &task.train, cx)?
        };
        let mut prior = vec![0.0; k];
        for row in found.posterior.chunks_exact(k) {
            prior.iter_mut().zip(row).for_each(|(p, q)| *p += q / labels.items() as f64);
        }
        let annotators = Annotators::Confusion { k, matrix: found.confusion.clone() };
        let mut out = Outcome::classes(k, found.posterior.clone(), annotators, found.diagnostics.clone());
        out.class_prior = Some(prior);
        let model = model(&recipe, data, scaler, &found, cx.seed)?;
        Ok(Learned { outcome: out, model: Some(model) })
    }
}

/// What EM found.
struct Found {
    posterior: Vec<f64>,
    confusion: Vec<f64>,
    diagnostics: Diagnostics,
    /// (features + 1) x outputs of the network
    scores: Vec<f64>,
    readout: Readout,
}

impl Raykar {
    /// Confusion matrices with their prior counts.
    fn count(&self, q: &[f64], items: &[u32], labels: &Labels) -> Vec<f64> {
        let k = labels.k;
        let mut out = vec![self.alpha - 1.0; labels.m * k * k];
        for t in 0..k {
            out[t * k + t..].iter_mut().step_by(k * k).for_each(|x| *x += self.beta - 1.0);
        }
        for (q, &i) in q.chunks_exact(k).zip(items) {
            for (j, l) in labels.of(i as usize) {
                q.iter().enumerate().for_each(|(t, q)| out[(j * k + t) * k + l] += q);
            }
        }
        crate::confusion::normalise(&mut out, k);
        out
    }

    /// Logarithm of the prior of the confusion matrices.
    fn log_prior(&self, confusion: &[f64], k: usize) -> f64 {
        if self.alpha == 1.0 && self.beta == 1.0 {
            return 0.0;
        }
        let cell = |(n, p): (usize, &f64)| {
            let right = n / k % k == n % k;
            (self.alpha - 1.0 + if right { self.beta - 1.0 } else { 0.0 }) * p.max(1e-12).ln()
        };
        confusion.iter().enumerate().map(cell).sum()
    }

    /// EM on classes without order.
    fn classes(&self, x: &Matrix, labels: &Labels, train: &[u32], cx: &mut Context<'_>) -> Result<Found, Error> {
        let (k, d) = (labels.k, x.cols);
        let shares = labels.vote_shares();
        let mut q: Vec<f64> = train.iter().flat_map(|&i| shares[i as usize * k..][..k].iter().copied()).collect();
        let mut regression = Regression::new(d, k, self.lambda.unwrap_or(0.1 * d as f64));
        let mut confusion = Vec::new();
        let search = regression.usual_search(self.inner_iter);
        let mut before = f64::NAN;
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            confusion = self.count(&q, train, labels);
            cx.install(|| regression.fit(x, train, &q, search))?;
            let mut objective = self.log_prior(&confusion, k) - regression.penalty();
            for (row, &i) in q.chunks_exact_mut(k).zip(train) {
                regression.log_probabilities(x.row(i as usize), row);
                let Some(g) = labels.gold(i as usize) else {
                    add_evidence(&confusion, labels, i as usize, row);
                    objective += normalise(row);
                    continue;
                };
                let mut seen = vec![0.0; k];
                add_evidence(&confusion, labels, i as usize, &mut seen);
                objective += row[g] + seen[g];
                row.fill(0.0);
                row[g] = 1.0;
            }
            let change = if before.is_nan() { 1.0 } else { ((objective - before) / objective.abs().max(1.0)).abs() };
            before = objective;
            Ok(Step { objective: Some(objective), change })
        })?;
        // items without labels have the classifier's answer
        let mut posterior = vec![0.0; labels.items() * k];
        for (i, row) in posterior.chunks_exact_mut(k).enumerate() {
            regression.log_probabilities(x.row(i), row);
            normalise(row);
        }
        for (row, &i) in q.chunks_exact(k).zip(train) {
            posterior[i as usize * k..][..k].copy_from_slice(row);
        }
        let diagnostics = run.diagnostics("penalised-log-likelihood");
        let scores = if k == 2 { regression.w.iter().flat_map(|&w| [0.0, w]).collect() } else { regression.w.clone() };
        Ok(Found { posterior, confusion, diagnostics, scores, readout: Readout::Softmax })
    }

    /// One question of two classes for every grade but the last.
    fn grades(&self, x: &Matrix, labels: &Labels, train: &[u32], cx: &mut Context<'_>) -> Result<Found, Error> {
        let (k, n) = (labels.k, labels.items());
        let mut after: Vec<Vec<f64>> = Vec::new();
        let mut scores = vec![0.0; (x.cols + 1) * (k - 1)];
        let mut diagnostics: Option<Diagnostics> = None;
        for t in 0..k - 1 {
            let found = self.classes(x, &labels.above(t), train, cx)?;
            after.push(found.posterior.chunks_exact(2).map(|p| p[1]).collect());
            for (to, w) in scores[t..].iter_mut().step_by(k - 1).zip(found.scores.chunks_exact(2)) {
                *to = w[1];
            }
            // the longest search stands for all
            if diagnostics.as_ref().is_none_or(|d| d.iterations <= found.diagnostics.iterations) {
                diagnostics = Some(found.diagnostics);
            }
        }
        let mut posterior = vec![0.0; n * k];
        for (i, row) in posterior.chunks_exact_mut(k).enumerate() {
            let at = |c: usize| if c == 0 { 1.0 } else { after.get(c - 1).map_or(0.0, |a| a[i]) };
            row.iter_mut().enumerate().for_each(|(c, p)| *p = (at(c) - at(c + 1)).max(0.0));
            if let Some(g) = labels.gold(i) {
                row.fill(0.0);
                row[g] = 1.0;
            }
        }
        crate::confusion::normalise(&mut posterior, k);
        let rows: Vec<f64> = train.iter().flat_map(|&i| posterior[i as usize * k..][..k].iter().copied()).collect();
        Ok(Found {
            confusion: counted(&rows, train, labels, 0.01),
            posterior,
            diagnostics: diagnostics.unwrap_or_else(Diagnostics::direct),
            scores,
            readout: Readout::Cumulative,
        })
    }
}

/// The regression as a network without hidden layers.
fn model(recipe: &Recipe<'_>, data: &Dataset, scaler: Scaler, found: &Found, seed: u64) -> Result<Model, Error> {
    let outputs = found.scores.len() / (scaler.width + 1);
    let mut net = Network::new(Architecture::linear(scaler.width, outputs), recipe.training.optimiser(), seed);
    net.restore(&Weights(found.scores.iter().map(|&w| w as f32).collect()))?;
    let heard = Heard::confusion(&found.confusion, data.table.n_classes());
    Model::new(recipe, seed, data, scaler, &net, (found.readout.clone(), Vec::new()), heard)
}
