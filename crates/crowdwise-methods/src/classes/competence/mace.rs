//! MACE: annotators who know the answer or guess (Hovy and others, 2013).

use super::know_guess::{Labels, State, Update};
use crate::classes::confusion::{Init, start};
use crowdwise_core::{
    Annotators, Capabilities, Categorical, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Situation, Status, Step, Stop, memory,
};
use rand::Rng;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// How the annotators' parameters are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MaceInference {
    Vb,
    Em,
}

/// Parameters of MACE.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Mace {
    /// `vb` keeps a distribution over every annotator's competence and strategy (safer with few labels); `em` takes
    /// their most likely values.
    pub inference: MaceInference,
    /// Maximum number of iterations of each restart.
    pub max_iter: usize,
    /// Stop when no competence of any restart changes by more than this.
    pub tol: f64,
    /// Number of starts; the one with the best objective is kept. A warm start replaces all of them.
    pub restarts: usize,
    /// The first start: `random` as the others, or competence and strategy read off the matrices of the votes
    /// (`majority`) or of another method.
    pub init: Init,
    /// `vb`: prior count of guessed labels per annotator.
    pub alpha: f64,
    /// `vb`: prior count of known labels per annotator.
    pub beta: f64,
    /// `vb`: prior count of guesses for every class; large values pull every guessing strategy towards even.
    pub strategy: f64,
    /// `em`: added to every expected count; null means 0.01 divided by the number of classes.
    pub smoothing: Option<f64>,
    /// Size of the random part of a start: parameters start at 1 + noise x U(0, 1), normalised.
    pub noise: f64,
}

impl Default for Mace {
    fn default() -> Self {
        Mace {
            inference: MaceInference::Vb,
            max_iter: 200,
            tol: 1e-4,
            restarts: 10,
            init: Init::Random,
            alpha: 0.5,
            beta: 0.5,
            strategy: 10.0,
            smoothing: None,
            noise: 0.5,
        }
    }
}

impl Method for Mace {
    const INFO: MethodInfo = MethodInfo {
        id: "mace",
        name: "MACE",
        summary: "Each annotator knows the answer with some probability and otherwise guesses by a strategy of their own.",
        doc: include_str!("mace.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities {
            monotone: true,
            stochastic: true,
            gold: true,
            warm_start: true,
            likelihood: true,
            ..Capabilities::NONE
        },
        references: &[Reference {
            text: "D. Hovy, T. Berg-Kirkpatrick, A. Vaswani, E. Hovy. Learning whom to trust with MACE. NAACL-HLT 2013, 1120-1130",
            doi: None,
        }],
        status: Status::Stable,
        compared: Situation::OF_CLASSES,
        ..MethodInfo::of(Family::Competence)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.count("restarts", self.restarts);
        p.positive("alpha", self.alpha);
        p.positive("beta", self.beta);
        p.positive("strategy", self.strategy);
        if let Some(s) = self.smoothing {
            p.at_least("smoothing", s, 0.0);
        }
        p.at_least("noise", self.noise, 0.0);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        !matches!(self.init, Init::Random | Init::Majority) // its own random starts know no numbers
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let table = data.table.categorical().expect("the kind was checked");
        let labels = Labels::new(data).expect("the kind was checked");
        let update = self.update(labels.k);
        let mut findings = Vec::new();
        let mut states = match warm(cx, &labels) {
            Some((competence, strategy)) => vec![labels.resume(update, competence, strategy)],
            None => self.starts(&table, &labels, cx)?,
        };
        if cx.warm.is_none() && self.init != Init::Random {
            let started = start::tables_or_votes(data, self.init, cx)?;
            let (know, strategy) = read_off(&started.tables, labels.k);
            states[0] = labels.start(&know, &strategy);
            findings = started.findings;
        }
        cx.install(|| states.par_iter_mut().for_each(|s| labels.expect(s, None)))?;
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            let change =
                cx.install(|| states.par_iter_mut().map(|s| step(&labels, update, s)).reduce(|| 0.0, worse))?;
            Ok(Step { objective: Some(states[best(&states)].objective()), change })
        })?;

        let chosen = best(&states);
        let all: Vec<f64> = states.iter().map(State::objective).collect();
        let likelihoods: Vec<f64> = states.iter().map(|s| s.log_likelihood).collect();
        let s = &mut states[chosen];
        let mut posterior = vec![0.0; data.table.n_units() * labels.k];
        cx.install(|| labels.expect(s, Some(&mut posterior)))?;
        let kind = match self.inference {
            MaceInference::Vb => "elbo",
            MaceInference::Em => "penalised-log-likelihood",
        };
        let mut diagnostics = run.diagnostics(kind);
        diagnostics.details.insert("restart_log_likelihoods".into(), json!(likelihoods));
        diagnostics.details.insert("restart_objectives".into(), json!(all));
        diagnostics.details.insert("chosen_restart".into(), json!(chosen));
        if diagnostics.stop == Stop::NotFinite {
            diagnostics.details.insert("note".into(), json!("a restart met a number that is not finite"));
        }
        let annotators = Annotators::Competence {
            k: labels.k,
            competence: s.competence.clone(),
            strategy: labels.strategies(update, s),
        };
        let mut out = Outcome::classes(labels.k, posterior, annotators, diagnostics);
        out.class_prior = Some(vec![1.0 / labels.k as f64; labels.k]);
        out.findings = findings;
        Ok(out)
    }
}

/// Competence and strategy nearest to confusion matrices (annotators x label x truth): what an annotator says where it
/// is wrong are guesses, and guesses hit the truth as often as they miss it elsewhere.
fn read_off(tables: &[f64], k: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut know, mut strategy) = (Vec::new(), Vec::new());
    for t in tables.chunks_exact((k * k).max(1)) {
        let guess = |l: usize| (0..k).filter(|&z| z != l).map(|z| t[l * k + z]).sum::<f64>() / (k - 1).max(1) as f64;
        let row: Vec<f64> = (0..k).map(|l| guess(l).max(1e-6)).collect();
        let sum: f64 = row.iter().sum();
        know.push((1.0 - sum).clamp(0.01, 0.99));
        strategy.extend(row.iter().map(|g| g / sum));
    }
    (know, strategy)
}

fn step(labels: &Labels<'_>, update: Update, s: &mut State) -> f64 {
    let before = s.competence.clone();
    labels.update(update, s);
    labels.expect(s, None);
    before.iter().zip(&s.competence).map(|(a, b)| (a - b).abs()).fold(0.0, worse)
}

/// The larger, and NaN if there is one.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The first restart whose objective is the largest to nine digits, so that rounding does not choose.
fn best(states: &[State]) -> usize {
    let top = states.iter().map(State::objective).fold(f64::NEG_INFINITY, f64::max);
    states.iter().position(|s| s.objective() >= top - 1e-9 * top.abs()).unwrap_or(0)
}

/// Competence and strategy of a fit to start from, if it has the right shape.
fn warm<'a>(cx: &Context<'a>, labels: &Labels<'_>) -> Option<(&'a [f64], &'a [f64])> {
    match &cx.warm?.annotators {
        Annotators::Competence { k, competence, strategy } if *k == labels.k && competence.len() == labels.m => {
            Some((competence, strategy))
        }
        _ => None,
    }
}

impl Mace {
    fn update(&self, k: usize) -> Update {
        match self.inference {
            MaceInference::Vb => Update::Variational { alpha: self.alpha, beta: self.beta, strategy: self.strategy },
            MaceInference::Em => Update::Smoothed { add: self.smoothing.unwrap_or(0.01 / k as f64) },
        }
    }

    /// Random starts. The noise of an annotator is a hash of what the annotator did (counts of labels and agreements,
    /// per class) under a key drawn for the restart: it depends neither on the order of the rows nor on any name.
    fn starts(&self, table: &Categorical<'_>, labels: &Labels<'_>, cx: &Context<'_>) -> Result<Vec<State>, Error> {
        let (k, m) = (labels.k, labels.m);
        memory::check(memory::bytes_of(&[self.restarts, m, k + 1], 8), || {
            format!("{} restarts of {m} annotators and {k} classes", self.restarts)
        })?;
        let marks = fingerprints(table);
        let starts = (0..self.restarts)
            .map(|r| {
                let key = cx.rng("mace", r as u64).next_u64();
                let mut know = vec![0.0; m];
                let mut strategy = vec![0.0; m * k];
                let draw = |mark: u64, purpose: u64| 1.0 + self.noise * uniform(mix(mark ^ mix(key ^ purpose)));
                for j in 0..m {
                    let (whole, parts) = (marks.annotator[j], &marks.class[j * k..(j + 1) * k]);
                    let (g, t) = (draw(whole, 1), draw(whole, 2));
                    know[j] = t / (g + t);
                    let row = &mut strategy[j * k..(j + 1) * k];
                    row.iter_mut().zip(parts).for_each(|(x, &p)| *x = draw(p, 3));
                    let sum: f64 = row.iter().sum();
                    for x in &mut *row {
                        *x /= sum;
                    }
                }
                labels.start(&know, &strategy)
            })
            .collect();
        Ok(starts)
    }
}

struct Marks {
    annotator: Vec<u64>,
    /// Per (annotator, class).
    class: Vec<u64>,
}

/// Numbers that describe what each annotator did and do not change when anything is renamed or reordered.
fn fingerprints(c: &Categorical<'_>) -> Marks {
    let (k, table) = (c.k(), c.table);
    let m = table.n_annotators();
    let mut votes = vec![0u64; k];
    let mut total = vec![0u64; k];
    // labels, agreements and company of each annotator, per class
    let mut sums = vec![[0u64; 3]; m * k];
    for u in 0..table.n_units() {
        let rows = table.rows(u);
        rows.clone().for_each(|r| votes[c.codes.get(r)] += 1);
        for r in rows.clone() {
            let l = c.codes.get(r);
            let s = &mut sums[table.annotator()[r] as usize * k + l];
            *s = [s[0] + 1, s[1] + votes[l] * votes[l], s[2] + rows.len() as u64];
            total[l] += 1;
        }
        rows.for_each(|r| votes[c.codes.get(r)] = 0);
    }
    let hash = |numbers: &[u64]| numbers.iter().fold(0x9e37_79b9_7f4a_7c15, |h, &x| mix(h ^ x));
    let mut class = vec![0; m * k];
    let mut annotator = vec![0; m];
    for j in 0..m {
        let rows = &sums[j * k..(j + 1) * k];
        let all = (0..3).map(|x| rows.iter().map(|r| r[x]).sum()).collect::<Vec<u64>>();
        annotator[j] = hash(&all);
        for l in 0..k {
            class[j * k + l] = hash(&[annotator[j], total[l], rows[l][0], rows[l][1], rows[l][2]]);
        }
    }
    Marks { annotator, class }
}

/// A bijection that scatters bits (the finaliser of splitmix64).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn uniform(x: u64) -> f64 {
    (x >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests;
