//! Bayesian weighted average: labels as 0/1 numbers, one precision per annotator and class.

use crate::classes::confusion::{Init, start};
use crowdwise_core::{
    Annotators, Capabilities, Categorical, Codes, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo,
    Outcome, Problems, Reference, Status, Step,
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bayesian weighted average.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Bwa {
    /// Maximum number of iterations (passes over the labels).
    pub max_iter: usize,
    /// Stop when one step changes no item's score by more than this part of it.
    pub tol: f64,
    /// Strength of the prior of an annotator's precision, in labels.
    pub alpha: f64,
    /// Weight of the mean score of all items in that of each.
    pub lambda: f64,
    /// First scores: the vote shares (`majority`), or the classes that `random` matrices, or those of another method, give.
    pub init: Init,
}

impl Default for Bwa {
    fn default() -> Self {
        Bwa { max_iter: 500, tol: 1e-3, alpha: 15.0, lambda: 1.0, init: Init::Majority }
    }
}

/// Sums of squares are at least this: nobody is perfect to the last bit.
const SMALLEST: f64 = 1e-9;

/// Scores below this count as this in a relative change.
const SMALL_SCORE: f64 = 1e-5;

/// One class against the rest.
struct Against {
    code: usize,
    /// By unit.
    score: Vec<f64>,
    /// By annotator.
    precision: Vec<f64>,
    /// Sums of squares by annotator, at the scores of now.
    squares: Vec<f64>,
    /// Prior rate of the precision.
    rate: f64,
    mean: f64,
    change: f64,
}

/// What all classes share.
struct Shared<'a> {
    data: &'a Categorical<'a>,
    gold: Option<&'a [Option<u32>]>,
    /// Posteriors to begin with, units x K.
    first: Option<&'a [f64]>,
    n: &'a [u64],
    alpha: f64,
    lambda: f64,
}

impl Shared<'_> {
    /// Begins with the share of votes, or with what is given.
    fn class(&self, class: usize) -> Against {
        let table = self.data.table;
        let (mut spread, mut score) = (0.0, vec![0.0; table.n_units()]);
        for (u, z) in score.iter_mut().enumerate() {
            let n = table.degree(u) as f64;
            let votes = table.rows(u).filter(|&r| self.data.codes.get(r) == class).count() as f64;
            *z = match self.known(u) {
                Some(c) => f64::from(c as usize == class),
                None if n > 0.0 => self.first.map_or(votes / n, |q| q[u * self.data.k() + class]),
                None => 0.0,
            };
            spread += n * *z * (1.0 - *z);
        }
        let k = self.data.k() as f64;
        // 4 (1 - 1/K): a class among many has a small spread by itself
        let rate = self.alpha * spread / table.n_labels() as f64 * 4.0 * (1.0 - 1.0 / k);
        let m = table.n_annotators();
        let mut c = Against {
            code: class,
            score,
            precision: vec![0.0; m],
            squares: vec![0.0; m],
            rate,
            mean: 0.0,
            change: f64::MAX,
        };
        match self.data.codes {
            Codes::U8(codes) => self.errors(&mut c, codes),
            Codes::U16(codes) => self.errors(&mut c, codes),
        }
        c
    }

    fn known(&self, u: usize) -> Option<u32> {
        self.gold.and_then(|g| g[u])
    }

    fn errors<C: Copy + Into<usize>>(&self, c: &mut Against, codes: &[C]) {
        let table = self.data.table;
        let (mut sum, mut n) = (0.0, 0.0);
        for (u, &z) in c.score.iter().enumerate().filter(|(u, _)| table.degree(*u) > 0) {
            sum += z;
            n += 1.0;
            for e in table.rows(u) {
                let d = z - f64::from(codes[e].into() == c.code);
                c.squares[table.annotator()[e] as usize] += d * d;
            }
        }
        c.mean = sum / n;
    }

    fn step(&self, c: &mut Against) {
        match self.data.codes {
            Codes::U8(codes) => self.step_with(c, codes),
            Codes::U16(codes) => self.step_with(c, codes),
        }
    }

    /// Precisions from the sums of squares, scores from the precisions, and the sums for the next step, in one pass.
    fn step_with<C: Copy + Into<usize>>(&self, c: &mut Against, codes: &[C]) {
        let table = self.data.table;
        for (j, v) in c.precision.iter_mut().enumerate() {
            *v = (self.alpha + self.n[j] as f64) / (c.rate + c.squares[j]).max(SMALLEST);
        }
        c.squares.fill(0.0);
        let (mut sum, mut n, mut change) = (0.0, 0.0, 0f64);
        for u in (0..table.n_units()).filter(|&u| table.degree(u) > 0) {
            let (mut top, mut bottom) = (self.lambda * c.mean, self.lambda);
            for e in table.rows(u) {
                let v = c.precision[table.annotator()[e] as usize];
                bottom += v;
                if codes[e].into() == c.code {
                    top += v;
                }
            }
            let z = if self.known(u).is_some() { c.score[u] } else { top / bottom };
            change = change.max((z - c.score[u]).abs() / z.max(SMALL_SCORE));
            c.score[u] = z;
            sum += z;
            n += 1.0;
            for e in table.rows(u) {
                let d = z - f64::from(codes[e].into() == c.code);
                c.squares[table.annotator()[e] as usize] += d * d;
            }
        }
        c.mean = sum / n;
        c.change = change;
    }
}

impl Method for Bwa {
    const INFO: MethodInfo = MethodInfo {
        id: "bwa",
        name: "Bayesian Weighted Average",
        summary: "Labels as numbers, class by class: means weighted by each annotator's precision.",
        doc: include_str!("bwa.md"),
        aliases: &["bayesian-weighted-average"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "Y. Li, B. I. P. Rubinstein, T. Cohn. Truth Inference at Scale: A Bayesian Model for Adjudicating Highly \
                   Redundant Crowd Annotations. WWW 2019.",
            doi: Some("10.1145/3308558.3313459"),
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Pooled)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("alpha", self.alpha, 1e-6, 1e9);
        p.within("lambda", self.lambda, 1e-9, 1e9);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.init != Init::Majority // every other start draws or chooses by number
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let labels = data.table.categorical().expect("the kind was checked");
        let gold = data.gold_classes();
        let (k, units) = (labels.k(), data.table.n_units());
        let n = data.table.labels_per_annotator();
        let (first, findings) = start::posterior(data, self.init, 0, cx)?.unzip();
        let shared = Shared {
            data: &labels,
            gold: gold.as_deref(),
            first: first.as_deref(),
            n: &n,
            alpha: self.alpha,
            lambda: self.lambda,
        };
        let mut classes: Vec<Against> = cx.install(|| (0..k).into_par_iter().map(|c| shared.class(c)).collect())?;
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            // classes that have settled stay as they are
            cx.install(|| classes.par_iter_mut().filter(|c| c.change >= self.tol).for_each(|c| shared.step(c)))?;
            Ok(Step { objective: None, change: classes.iter().map(|c| c.change).fold(0.0, f64::max) })
        })?;
        let means: Vec<f64> = classes.iter().map(|c| c.mean.max(0.0)).collect();
        let mut posterior = Vec::with_capacity(units * k);
        for u in 0..units {
            if data.table.degree(u) == 0 {
                posterior.extend_from_slice(&means);
            } else {
                posterior.extend(classes.iter().map(|c| c.score[u].max(0.0)));
            }
            let row = &mut posterior[u * k..];
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p = if sum > 0.0 { *p / sum } else { 1.0 / k as f64 });
        }
        let total: f64 = means.iter().sum();
        let prior: Vec<f64> = means.iter().map(|m| m / total).collect();
        crate::classes::confusion::shared::complete(&mut posterior, data, gold.as_deref(), &prior);
        let weight = (0..n.len()).map(|j| classes.iter().map(|c| c.precision[j]).sum::<f64>() / k as f64).collect();
        let mut out = Outcome::classes(k, posterior, Annotators::Weight { weight }, run.diagnostics(""));
        out.class_prior = Some(prior);
        out.findings = findings.unwrap_or_default();
        Ok(out)
    }
}
