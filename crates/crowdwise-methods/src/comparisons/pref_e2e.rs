use crate::comparisons::{Comparisons, Mixture, Position, TieModel, separated, with_itself};
use crowdwise_core::stats::LEVEL;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, Features, LabelKind, Method, MethodInfo, Needs, Outcome,
    Problems, Reference, Status, Step, Truth,
};
use crowdwise_numerics::lbfgs::Search;
use crowdwise_numerics::{Cholesky, logistic, normal_reach};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Scores as a linear function of features, learned from comparisons by annotators of different reliability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PrefE2e {
    /// How ties are treated: see `crowd-bt`.
    pub ties: TieModel,
    /// Estimates a reliability for each annotator; otherwise all are taken as reliable (a plain Bradley-Terry loss).
    pub learn_reliability: bool,
    /// Prior of the reliability w: w^(alpha - 1) (1 - w)^(beta - 1).
    pub alpha: f64,
    /// See `alpha`.
    pub beta: f64,
    /// Strength of the pull of the weights towards 0 (weight of half their sum of squares).
    pub ridge: f64,
    /// Scale features to mean 0 and deviation 1.
    pub standardise: bool,
    /// Confidence level of the intervals.
    pub level: f64,
    /// Maximum number of steps of the optimiser.
    pub max_iter: usize,
    /// Stops when no variable would move by more than this in a scaled gradient step.
    pub tol: f64,
}

impl Default for PrefE2e {
    fn default() -> Self {
        PrefE2e {
            ties: TieModel::RaoKupper,
            learn_reliability: true,
            alpha: 2.0,
            beta: 1.1,
            ridge: 1.0,
            standardise: true,
            level: LEVEL,
            max_iter: 500,
            tol: 1e-6,
        }
    }
}

/// Reliable beyond doubt, for the plain loss: σ(40) is 1 to the last digit.
const RELIABLE: f64 = 40.0;
/// Products that the intervals may take.
const MOST_PRODUCTS: f64 = 5e9;

impl Method for PrefE2e {
    const INFO: MethodInfo = MethodInfo {
        id: "pref-e2e",
        name: "Preference learning from features",
        summary: "Scores as a linear function of features, from comparisons by unreliable annotators.",
        doc: include_str!("pref_e2e.md"),
        aliases: &["crowd-prefrl"],
        accepts: &[LabelKind::Preference],
        capabilities: Capabilities { monotone: true, likelihood: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "X. Chen, P. N. Bennett, K. Collins-Thompson and E. Horvitz, Pairwise ranking aggregation in a crowdsourced setting, WSDM 2013",
                doi: Some("10.1145/2433396.2433420"),
            },
            Reference {
                text: "D. Chhan, E. Novoseller and V. J. Lawhern, Crowd-PrefRL: preference-based reward learning from crowds, arXiv:2401.10941, 2024",
                doi: Some("10.48550/arXiv.2401.10941"),
            },
        ],
        status: Status::Stable,
        needs: Needs::FEATURES,
        ..MethodInfo::of(Family::Pairs)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("alpha", self.alpha, 1.0);
        problems.at_least("beta", self.beta, 1.0);
        problems.positive("ridge", self.ridge);
        problems.between("level", self.level, 0.0, 1.0);
        problems.count("max_iter", self.max_iter);
        problems.positive("tol", self.tol);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let features = data.features.as_ref().expect("a method that needs features gets them");
        let x = Scaled::new(features, self.standardise);
        let pairs = Comparisons::new(&data.table, false);
        let mut findings = Vec::new();
        if pairs.with_itself > 0 {
            findings.push(with_itself(pairs.with_itself));
        }
        let mut m = Mixture::new(&data.table);
        (m.prior, m.position) = ([self.alpha, self.beta], Position::None);
        m.ties = if pairs.ties > 0.0 && pairs.decided > 0.0 { self.ties } else { TieModel::Half };
        let problem = Problem { m: &m, x: &x, ridge: self.ridge, learn: self.learn_reliability };

        let mut search = Search::new(problem.start(), 20, |z, g| problem.evaluate(z, g));
        let scale = problem.scale(&search.x);
        let run = cx.iterate(self.max_iter, self.tol, |_, _| {
            if !search.value.is_finite() {
                return Ok(Step { objective: None, change: f64::NAN });
            }
            let mut change = search.distance(&scale);
            if change >= self.tol && !search.step(&scale, |z, g| problem.evaluate(z, g)) {
                change = 0.0;
            }
            Ok(Step { objective: Some(-search.value), change })
        })?;
        let z = search.x;
        let full = problem.full(&z);
        let score = centred(&full[..m.n_items]);
        let sd = problem.errors(&z, &full);
        let quantile = normal_reach(self.level);
        let interval: Vec<[f64; 2]> =
            score.iter().zip(sd).map(|(s, sd)| [s - quantile * sd, s + quantile * sd]).collect();
        let mut diagnostics = run.diagnostics("penalised-log-likelihood");
        diagnostics.details.insert("weights".into(), json!(x.unscaled(&z[..x.dim])));
        diagnostics.details.insert("tied".into(), json!(pairs.ties));
        let accuracy: Vec<f64> = full[m.n_items..m.tie_at()].iter().map(|&t| logistic(t)).collect();
        Ok(Outcome {
            uncalibrated: None,
            truth: Truth::Scores { component: vec![0; score.len()], ranks: separated(&interval), score, interval },
            annotators: if self.learn_reliability { Annotators::Accuracy { k: 2, accuracy } } else { Annotators::None },
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings,
        })
    }
}

fn centred(s: &[f64]) -> Vec<f64> {
    let mean = s.iter().sum::<f64>() / s.len().max(1) as f64;
    s.iter().map(|s| s - mean).collect()
}

/// Features with mean 0 and, if wanted, deviation 1; a constant shift of scores cannot be seen in comparisons.
struct Scaled {
    dim: usize,
    rows: Vec<f64>,
    scale: Vec<f64>,
}

impl Scaled {
    fn new(f: &Features, standardise: bool) -> Scaled {
        let (n, dim) = (f.rows(), f.dim);
        let (mean, mut scale) = f.standard(dim, |_| true);
        if !standardise {
            scale.fill(1.0);
        }
        let mut rows = Vec::with_capacity(n * dim);
        for i in 0..n {
            rows.extend(f.row(i).iter().enumerate().map(|(d, &v)| (f64::from(v) - mean[d]) * scale[d]));
        }
        Scaled { dim, rows, scale }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.dim..(i + 1) * self.dim]
    }

    /// Weights of the features as they were given.
    fn unscaled(&self, w: &[f64]) -> Vec<f64> {
        w.iter().zip(&self.scale).map(|(w, s)| w * s).collect()
    }
}

/// The mixture with scores that are a function of features. Variables: weights, then t (if learned) and the tie parameter.
struct Problem<'a> {
    m: &'a Mixture,
    x: &'a Scaled,
    ridge: f64,
    learn: bool,
}

impl Problem<'_> {
    fn start(&self) -> Vec<f64> {
        let mut z = vec![0.0; self.x.dim];
        let rest = &self.m.start()[self.m.n_items..];
        z.extend(if self.learn { rest } else { &rest[self.m.n_annotators..] });
        z
    }

    /// The variables of the mixture at `z`.
    fn full(&self, z: &[f64]) -> Vec<f64> {
        let (n, dim) = (self.m.n_items, self.x.dim);
        let mut out = Vec::with_capacity(self.m.size());
        out.extend((0..n).map(|i| self.x.row(i).iter().zip(z).map(|(x, w)| x * w).sum::<f64>()));
        if !self.learn {
            out.resize(n + self.m.n_annotators, RELIABLE);
        }
        out.extend_from_slice(&z[dim..]);
        out
    }

    fn evaluate(&self, z: &[f64], g: &mut [f64]) -> f64 {
        let full = self.full(z);
        let mut slope = vec![0.0; full.len()];
        let mut value = self.m.evaluate(&full, &mut slope);
        let (n, dim) = (self.m.n_items, self.x.dim);
        g[..dim].fill(0.0);
        for (i, s) in slope[..n].iter().enumerate().filter(|(_, s)| **s != 0.0) {
            g[..dim].iter_mut().zip(self.x.row(i)).for_each(|(g, x)| *g += s * x);
        }
        for (g, w) in g[..dim].iter_mut().zip(z) {
            *g += self.ridge * w;
            value += 0.5 * self.ridge * w * w;
        }
        let rest = if self.learn { n } else { n + self.m.n_annotators };
        g[dim..].copy_from_slice(&slope[rest..]);
        value
    }

    fn scale(&self, z: &[f64]) -> Vec<f64> {
        let full = self.full(z);
        let mixture = self.m.scale(&full);
        let n = self.m.n_items;
        let mut h = vec![self.ridge; self.x.dim];
        for (i, s) in mixture[..n].iter().enumerate() {
            h.iter_mut().zip(self.x.row(i)).for_each(|(h, x)| *h += x * x / s.max(1e-6));
        }
        let rest = if self.learn { n } else { n + self.m.n_annotators };
        h.iter().map(|h| 1.0 / h).chain(mixture[rest..].iter().copied()).collect()
    }

    /// Standard errors of the centred scores, reliabilities and tie parameter taken as known.
    fn errors(&self, z: &[f64], full: &[f64]) -> Vec<f64> {
        let (dim, ties) = (self.x.dim, self.m.ties_of(full));
        let exact = self.m.shown.len() as f64 * (dim * dim) as f64 <= MOST_PRODUCTS;
        let mut h = vec![0.0; dim * dim];
        (0..dim).for_each(|d| h[d * dim + d] = self.ridge);
        let mut by = vec![0.0; dim];
        for u in &self.m.shown {
            let (l, r) = (u.left as usize, u.right as usize);
            let rows = u.start as usize..u.end as usize;
            let d = full[l] - full[r];
            let w: f64 = rows.map(|row| self.m.expected(full, &ties, d, self.m.annotator[row] as usize)[0][0]).sum();
            by.iter_mut().zip(self.x.row(l).iter().zip(self.x.row(r))).for_each(|(b, (x, y))| *b = x - y);
            for a in 0..dim {
                let from = if exact { 0 } else { a };
                for b in from..=a {
                    h[a * dim + b] += w * by[a] * by[b];
                }
            }
        }
        debug_assert!(z.len() >= dim);
        let Some(factor) = Cholesky::new(dim, h) else { return vec![0.0; self.m.n_items] };
        (0..self.m.n_items)
            .map(|i| {
                let mut v = self.x.row(i).to_vec();
                factor.solve(&mut v);
                v.iter().zip(self.x.row(i)).map(|(a, b)| a * b).sum::<f64>().max(0.0).sqrt()
            })
            .collect()
    }
}
