use super::ep::Ep;
use super::predict::{Question, answer, far, near, questions, yes};
use crate::confusion::{Words, counted, log_transposed};
use crate::em::dawid_skene;
use crate::entry::no_network;
use crate::learn::Recipe;
use crate::model::{Heard, Model};
use crate::network::{Architecture, Network};
use crate::params::{NetworkKind, NetworkParams, Training};
use crate::readout::Readout;
use crate::train::Task;
use crate::{Labels, Probabilities};
use crate::{Learn, Learned, Own};
use crowdwise_core::{
    Annotators, Context, Dataset, Diagnostics, Error, Family, Finding, Gives, LabelKind, Method, MethodInfo, Needs,
    Outcome, Problems, Reference, Severity, Status, Step, Subject, stream,
};
use rand::seq::SliceRandom;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Gaussian process classifier learned from crowd labels by expectation propagation, in turns with the annotators'
/// sensitivities and specificities. For small data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GpCrowd {
    /// Maximum number of rounds of EM.
    pub max_iter: usize,
    /// Stop when no probability changes by more than this.
    pub tol: f64,
    /// Maximum number of items at which the process is fitted; with more, this many are drawn and the others take part through the
    /// annotators only. Cost grows with the cube.
    pub points: usize,
    /// Maximum number of sweeps of expectation propagation in a round.
    pub sweeps: usize,
    /// Distance over which the process varies; `null` = the best by evidence of 1/4, 1/2, 1 and 2 times the median distance.
    pub length: Option<f64>,
    /// Variance of the process; `null` = the best by evidence of 1, 3 and 10.
    pub amplitude: Option<f64>,
    /// Scale features to mean 0 and deviation 1.
    pub standardise: bool,
}

impl Default for GpCrowd {
    fn default() -> Self {
        GpCrowd { max_iter: 15, tol: 1e-3, points: 300, sweeps: 10, length: None, amplitude: None, standardise: true }
    }
}

/// Rounds in which the kernel is chosen once more.
const CHOICES: [usize; 2] = [4, 7];

impl Method for GpCrowd {
    const INFO: MethodInfo = MethodInfo {
        id: "gp-crowd",
        name: "Gaussian process from crowds",
        summary: "A Gaussian process classifier and the annotators' accuracies by class, for small data.",
        doc: include_str!("gp_crowd.md"),
        aliases: &["gpc-ma"],
        accepts: &[LabelKind::Categorical],
        capabilities: crate::CAPABILITIES,
        references: &[Reference {
            text: "F. Rodrigues, F. C. Pereira and B. Ribeiro, Gaussian process classification and active learning with multiple annotators, ICML 2014",
            doi: None,
        }],
        status: Status::Stable,
        needs: Needs::FEATURES,
        gives: Gives::CLASSIFIER,
        ..MethodInfo::of(Family::Process)
    };

    fn check(&self, problems: &mut Problems) {
        problems.count("max_iter", self.max_iter);
        problems.at_least("tol", self.tol, 0.0);
        problems.require((2..=2000).contains(&self.points), "points", self.points, "a whole number from 2 to 2000");
        problems.count("sweeps", self.sweeps);
        problems.positive("length", self.length.unwrap_or(1.0));
        problems.positive("amplitude", self.amplitude.unwrap_or(1.0));
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        Ok(Learn::learn(self, data, cx, None)?.outcome)
    }
}

impl Learn for GpCrowd {
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
        let mut chosen = task.train.clone();
        chosen.shuffle(&mut stream(cx.seed, "points", 0));
        chosen.truncate(self.points);
        chosen.sort_unstable();
        let start = dawid_skene(data, cx)?;
        let mut numbers: Vec<f64> =
            chosen.iter().flat_map(|&i| task.x.row(i as usize).iter().map(|x| f64::from(*x))).collect();
        let mut each: Vec<Answers> = Vec::new();
        for asked in 0..questions(k) {
            let class = if k == 2 { 1 } else { asked };
            let q: Vec<f64> = start.iter().skip(class).step_by(k).copied().collect();
            let found = self.question(&task, &labels.only(class), &chosen, q, cx)?;
            numbers.extend_from_slice(&found.numbers);
            each.push(found);
        }
        let found = Found::new(labels, &task.train, &each);
        let mut diagnostics =
            each.iter().map(|a| a.diagnostics.clone()).max_by_key(|d| d.iterations).unwrap_or_else(|| {
                // one class: nothing to ask
                Diagnostics { iterations: 1, ..Diagnostics::direct() }
            });
        if cx.cancelled() {
            diagnostics.stop = crowdwise_core::Stop::Cancelled;
        }
        diagnostics.details.insert("points".into(), chosen.len().into());
        let kernels = each.iter().map(|a| {
            let (sweeps, change) = a.sweeps;
            serde_json::json!({"length": a.numbers[0], "amplitude": a.numbers[1], "sweeps": sweeps, "change": change})
        });
        diagnostics.details.insert("kernels".into(), kernels.collect());
        let annotators = Annotators::Confusion { k, matrix: found.confusion.clone() };
        let mut out = Outcome::classes(k, found.posterior, annotators, diagnostics);
        out.class_prior = Some(found.prior);
        if chosen.len() < task.train.len() {
            out.findings.push(Finding::new(
                "subset-of-items",
                Severity::Info,
                Subject::Fit,
                format!("the process is fitted at {} of {} labelled items", chosen.len(), task.train.len()),
                "more points (⟦-p points=…⟧) cost time with the cube; for large data a network (⟦-m aggnet⟧) is the better choice",
            ));
        }
        let recipe = Recipe::new(self, &network, &training);
        // the process sees the features themselves: a network without layers
        let whole = Architecture { layers: Vec::new(), ..Architecture::linear(task.x.cols, 1) };
        let net = Network::new(whole, training.optimiser(), cx.seed);
        let readout = (Readout::Process { points: chosen.len() }, numbers);
        let heard = Heard::confusion(&found.confusion, k);
        let model = Model::new(&recipe, cx.seed, data, scaler, &net, readout, heard)?;
        Ok(Learned { outcome: out, model: Some(model) })
    }
}

/// The answers to one question.
struct Answers {
    /// P(yes) of every item by the process, without the item's own labels.
    by_process: Vec<f64>,
    /// With them.
    q: Vec<f64>,
    /// P(says yes | yes) and P(says no | no) of every annotator.
    skills: Vec<[f64; 2]>,
    /// As a model keeps them, without the points.
    numbers: Vec<f64>,
    diagnostics: Diagnostics,
    /// Sweeps of the last round, and by how much the last of them changed a site.
    sweeps: (usize, f64),
}

/// Sensitivity and specificity of every annotator, a little pulled towards being right.
fn skills(q: &[f64], items: &[u32], labels: &Labels) -> Vec<[f64; 2]> {
    let mut counts = vec![[1.0, 1.5, 1.0, 1.5]; labels.m];
    for &i in items {
        let q = q[i as usize];
        for (j, l) in labels.of(i as usize) {
            let c = &mut counts[j];
            c[1] += q;
            c[3] += 1.0 - q;
            c[0] += if l == 1 { q } else { 0.0 };
            c[2] += if l == 0 { 1.0 - q } else { 0.0 };
        }
    }
    counts.iter().map(|c| [(c[0] / c[1]).clamp(0.01, 0.99), (c[2] / c[3]).clamp(0.01, 0.99)]).collect()
}

/// Probabilities of the labels of item `i` if the answer is yes and if it is no; the larger is 1. Gold is certain.
fn likelihoods(skills: &[[f64; 2]], labels: &Labels, i: usize) -> (f64, f64) {
    if let Some(g) = labels.gold(i) {
        return if g == 1 { (1.0, 0.0) } else { (0.0, 1.0) };
    }
    let (mut a, mut b) = (0.0, 0.0);
    for (j, l) in labels.of(i) {
        let [right, no] = skills[j];
        (a, b) = if l == 1 { (a + right.ln(), b + (1.0 - no).ln()) } else { (a + (1.0 - right).ln(), b + no.ln()) };
    }
    let most = f64::max(a, b);
    ((a - most).exp(), (b - most).exp())
}

impl GpCrowd {
    /// EM for one question with two answers.
    fn question(
        &self,
        task: &Task,
        labels: &Labels,
        chosen: &[u32],
        mut q: Vec<f64>,
        cx: &mut Context<'_>,
    ) -> Result<Answers, Error> {
        let places: Vec<f64> =
            chosen.iter().flat_map(|&i| task.x.row(i as usize).iter().map(|x| f64::from(*x))).collect();
        let width = task.x.cols.max(1);
        let square = |&i: &u32| places.chunks_exact(width).map(move |p| far(task.x.row(i as usize), p));
        let squares: Vec<f64> = chosen.iter().flat_map(square).collect();
        let median = median(&squares);
        let kernel = |length: f64, amplitude: f64| -> Vec<f64> {
            let n = chosen.len();
            // a little more on the diagonal: a kernel of items with the same features could not be inverted
            let own = |c: usize| if c / n == c % n { 1e-6 } else { 0.0 };
            let cell = |(c, far): (usize, &f64)| amplitude * (near(*far, length) + own(c));
            squares.iter().enumerate().map(cell).collect()
        };
        let (mut length, mut amplitude) = (self.length.unwrap_or(median), self.amplitude.unwrap_or(3.0));
        let mut by_process = vec![0.5; labels.items()];
        let mut known = Vec::new();
        let mut ep = Ep::new(kernel(length, amplitude));
        let (mut numbers, mut sweeps) = (Vec::new(), (0, 0.0));
        let run = cx.iterate(self.max_iter, self.tol, |cx, round| {
            known = skills(&q, &task.train, labels);
            let (a, b): (Vec<f64>, Vec<f64>) = chosen.iter().map(|&i| likelihoods(&known, labels, i as usize)).unzip();
            if round == 2.min(self.max_iter) || CHOICES.contains(&round) {
                // annotators are known a little better each time, and the kernel with them
                let lengths =
                    self.length.map_or_else(|| [0.25, 0.5, 1.0, 2.0].map(|f| f * median).to_vec(), |l| vec![l]);
                let amplitudes = self.amplitude.map_or_else(|| vec![1.0, 3.0, 10.0], |a| vec![a]);
                let all: Vec<(f64, f64)> =
                    lengths.iter().flat_map(|l| amplitudes.iter().map(move |a| (*l, *a))).collect();
                if all.len() > 1 {
                    let evidence = |&(l, s): &(f64, f64)| Ep::new(kernel(l, s)).search(&a, &b, 6, 1e-3).log_evidence;
                    let scores: Vec<f64> = cx.install(|| all.par_iter().map(evidence).collect())?;
                    let finite = scores.iter().map(|s| if s.is_finite() { *s } else { f64::MIN }).collect::<Vec<_>>();
                    (length, amplitude) = all[crowdwise_core::stats::argmax(&finite)];
                    ep = Ep::new(kernel(length, amplitude));
                }
            }
            let reached = ep.search(&a, &b, self.sweeps, 1e-4);
            sweeps = (reached.sweeps, reached.change);
            let (factor, _) = ep.inverse_factor();
            numbers = [[length, amplitude].as_slice(), &ep.weights(&factor), &factor].concat();
            let before = q.clone();
            // without the item's own labels: at the points the cavity, elsewhere the prediction
            let question = Question::new(chosen.len(), &numbers);
            cx.install(|| {
                by_process.par_iter_mut().enumerate().for_each(|(i, p)| {
                    *p = yes(match chosen.binary_search(&(i as u32)) {
                        Ok(at) => reached.cavity[at],
                        Err(_) => question.at(&places, task.x.row(i)),
                    });
                });
            })?;
            for (i, q) in q.iter_mut().enumerate() {
                let (a, b) = likelihoods(&known, labels, i);
                let (a, b) = (a * by_process[i], b * (1.0 - by_process[i]));
                *q = if a + b > 0.0 { a / (a + b) } else { 0.5 };
            }
            let change = q.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            Ok(Step { objective: Some(reached.log_evidence), change })
        })?;
        Ok(Answers { by_process, q, skills: known, numbers, diagnostics: run.diagnostics("log-evidence"), sweeps })
    }
}

/// Median of the distances between different points; 1 where there are none.
fn median(squares: &[f64]) -> f64 {
    let n = squares.len().isqrt();
    let mut all: Vec<f64> = squares.iter().enumerate().filter(|(c, _)| c / n < c % n).map(|(_, s)| s.sqrt()).collect();
    if all.is_empty() {
        return 1.0;
    }
    all.sort_by(f64::total_cmp);
    let m = all[all.len() / 2];
    if m > 0.0 { m } else { 1.0 }
}

/// All questions together.
struct Found {
    posterior: Vec<f64>,
    confusion: Vec<f64>,
    prior: Vec<f64>,
}

impl Found {
    fn new(labels: &Labels, train: &[u32], each: &[Answers]) -> Self {
        let (k, n) = (labels.k, labels.items());
        let rows = |of: &dyn Fn(&Answers) -> &[f64]| -> Vec<f64> {
            let mut out = vec![1.0; n * k];
            for (i, row) in out.chunks_exact_mut(k.max(1)).enumerate() {
                answer(&each.iter().map(|a| of(a)[i]).collect::<Vec<f64>>(), row);
            }
            out
        };
        let confusion = match each {
            [one] if k == 2 => one.skills.iter().flat_map(|[yes, no]| [*no, 1.0 - no, 1.0 - yes, *yes]).collect(),
            _ => {
                let q = rows(&|a| &a.q);
                let q: Vec<f64> = train.iter().flat_map(|&i| q[i as usize * k..][..k].iter().copied()).collect();
                counted(&q, train, labels, 0.1)
            }
        };
        let f = Probabilities { k, rows: rows(&|a| &a.by_process) };
        let evidence = log_transposed(&confusion, k);
        let posterior =
            crate::confusion::posterior(&Words { evidence: &evidence, offset: &[], bound: 1.0 }, &f, labels);
        let mut prior = vec![0.0; k];
        for row in posterior.chunks_exact(k.max(1)) {
            prior.iter_mut().zip(row).for_each(|(p, q)| *p += q / n as f64);
        }
        Found { posterior, confusion, prior }
    }
}
