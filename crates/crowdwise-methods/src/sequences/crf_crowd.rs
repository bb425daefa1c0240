//! A conditional random field learned from the tags of a crowd.

use super::bayes_seq::BayesSeq;
use super::cells::Cells;
use super::crf::{Field, Targets};
use super::ds_hmm::shares;
use super::emission::{Emissions, estimate};
use super::model::{Decode, Tokens, answer};
use crowdwise_core::{
    Capabilities, Context, Dataset, Error, Family, LabelKind, Method, MethodInfo, Needs, Outcome, Problems, Reference,
    Status, Step, StructureKind, Truth,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Parameters of the crowd's conditional random field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CrfCrowd {
    /// What the field is trained towards: the probabilities of `bayes-seq` or of `dawid-skene`, the vote shares (`votes`), or
    /// the annotators themselves, of whom one is trusted for each sequence (`mixture`).
    pub targets: Aim,
    /// Maximum number of rounds of the mixture; the other targets take one.
    pub max_iter: usize,
    /// Maximum number of steps of the optimiser in a round.
    pub inner_iter: usize,
    /// Stop when no weight would move by more than this, as a share of the tokens.
    pub tol: f64,
    /// Strength of the pull of the weights towards 0 (weight of half their sum of squares).
    pub ridge: f64,
    /// Temperature of the mixture in its first round; it falls to 1 by the last but one.
    pub temperature: f64,
    /// Which sequence to return: the most probable one (`viterbi`) or the sequence with the most tokens expected to be right
    /// (`posterior`). Both keep to the tag scheme where the classes are tags.
    pub decode: Decode,
}

/// What the field is trained towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Aim {
    BayesSeq,
    DawidSkene,
    Votes,
    Mixture,
}

impl Default for CrfCrowd {
    fn default() -> Self {
        CrfCrowd {
            targets: Aim::BayesSeq,
            max_iter: 12,
            inner_iter: 80,
            tol: 1e-4,
            ridge: 1.0,
            temperature: 20.0,
            decode: Decode::Viterbi,
        }
    }
}

/// A sequence that one annotator labelled from beginning to end.
struct Told {
    sequence: usize,
    annotator: usize,
    labels: Vec<u32>,
}

fn told(t: &Tokens<'_>) -> Vec<Told> {
    let table = &t.data.table;
    let codes = table.categorical().expect("categorical labels").codes;
    let mut out = Vec::new();
    for (c, w) in t.sequences.starts.windows(2).enumerate() {
        let mut rows: Vec<(u32, usize, u32)> = (w[0]..w[1])
            .flat_map(|u| table.rows(u).map(move |r| (u, r)))
            .map(|(u, r)| (table.annotator()[r], u, codes.get(r) as u32))
            .collect();
        rows.sort_by_key(|x| (x.0, x.1));
        for own in rows.chunk_by(|a, b| a.0 == b.0) {
            // of repeated labels the last counts
            let mut labels: Vec<(usize, u32)> = Vec::new();
            for &(_, u, l) in own {
                match labels.last_mut() {
                    Some(last) if last.0 == u => last.1 = l,
                    _ => labels.push((u, l)),
                }
            }
            if labels.len() == w[1] - w[0] {
                let labels = labels.into_iter().map(|x| x.1).collect();
                out.push(Told { sequence: c, annotator: own[0].0 as usize, labels });
            }
        }
    }
    out
}

/// Targets of probabilities: steps as if neighbours were independent, over sequences with any label or gold.
fn of_probabilities(t: &Tokens<'_>, q: &[f64]) -> Targets {
    let k = t.k();
    let known = |u: usize| t.data.table.degree(u) > 0 || t.gold.as_ref().is_some_and(|g| g[u].is_some());
    let used: Vec<bool> = t.sequences.starts.windows(2).map(|w| (w[0]..w[1]).any(known)).collect();
    let (mut start, mut step) = (vec![0.0; k], vec![0.0; k * k]);
    for (w, _) in t.sequences.starts.windows(2).zip(&used).filter(|x| *x.1) {
        start.iter_mut().zip(&q[w[0] * k..]).for_each(|(s, p)| *s += p);
        for u in w[0] + 1..w[1] {
            for i in 0..k {
                let p = q[(u - 1) * k + i];
                step[i * k..(i + 1) * k].iter_mut().zip(&q[u * k..]).for_each(|(s, x)| *s += p * x);
            }
        }
    }
    Targets { used, token: q.to_vec(), start, step }
}

/// Targets of the annotators, each with its weight.
fn of_annotators(t: &Tokens<'_>, told: &[Told], weight: &[f64]) -> Targets {
    let k = t.k();
    let mut out = Targets {
        used: vec![false; t.sequences.starts.len() - 1],
        token: vec![0.0; t.data.table.n_units() * k],
        start: vec![0.0; k],
        step: vec![0.0; k * k],
    };
    for (x, &w) in told.iter().zip(weight) {
        out.used[x.sequence] = true;
        let first = t.sequences.starts[x.sequence];
        out.start[x.labels[0] as usize] += w;
        x.labels.windows(2).for_each(|l| out.step[l[0] as usize * k + l[1] as usize] += w);
        x.labels.iter().enumerate().for_each(|(n, l)| out.token[(first + n) * k + *l as usize] += w);
    }
    out
}

/// How likely the field thinks each annotator's sequence: logarithms.
fn likelihoods(t: &Tokens<'_>, field: &Field<'_>, told: &[Told], normaliser: &[f64]) -> Vec<f64> {
    let k = t.k();
    let (start, step) = field.weights();
    let mut rows: Vec<f64> = Vec::new();
    let mut last = usize::MAX;
    told.iter()
        .map(|x| {
            let tokens = t.sequences.starts[x.sequence]..t.sequences.starts[x.sequence + 1];
            if last != x.sequence {
                rows.resize(tokens.len() * k, 0.0);
                field.emissions(tokens, &mut rows);
                last = x.sequence;
            }
            let tags: f64 = x.labels.iter().enumerate().map(|(n, l)| rows[n * k + *l as usize]).sum();
            let steps: f64 = x.labels.windows(2).map(|l| step[l[0] as usize * k + l[1] as usize]).sum();
            start[x.labels[0] as usize] + tags + steps - normaliser[x.sequence]
        })
        .collect()
}

/// Which annotator of each sequence is the one to trust.
fn responsibilities(told: &[Told], log: &[f64]) -> Vec<f64> {
    let mut out = log.to_vec();
    let mut at = 0;
    for group in told.chunk_by(|a, b| a.sequence == b.sequence) {
        crowdwise_core::stats::softmax(&mut out[at..at + group.len()]);
        at += group.len();
    }
    out
}

impl CrfCrowd {
    fn probabilities(&self, t: &Tokens<'_>, cx: &mut Context<'_>) -> Result<Vec<f64>, Error> {
        match self.targets {
            Aim::DawidSkene => Ok(t.dawid_skene(0.1, cx)?.0),
            Aim::Votes | Aim::Mixture => Ok(t.vote_shares()),
            Aim::BayesSeq => {
                let out = Method::fit(&BayesSeq::default(), t.data, cx)?;
                match out.truth {
                    Truth::Classes { posterior, .. } => Ok(out.uncalibrated.unwrap_or(posterior)),
                    _ => unreachable!("bayes-seq gives classes"),
                }
            }
        }
    }
}

impl Method for CrfCrowd {
    const INFO: MethodInfo = MethodInfo {
        id: "crf-crowd",
        name: "Conditional random field of a crowd",
        summary: "Sequences with features: a conditional random field learned from merged tags or from a mixture of annotators.",
        doc: include_str!("crf_crowd.md"),
        aliases: &["crf-ma"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { confusion: true, gold: true, ..Capabilities::NONE },
        references: &[Reference {
            text: "F. Rodrigues, F. Pereira, B. Ribeiro. Sequence labeling with multiple annotators. Machine Learning 95, 2014.",
            doi: Some("10.1007/s10994-013-5411-2"),
        }],
        status: Status::Stable,
        needs: Needs { features: true, ..Needs::structure(StructureKind::Sequences) },
        ..MethodInfo::of(Family::Chains)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.count("inner_iter", self.inner_iter);
        p.at_least("tol", self.tol, 0.0);
        p.require(self.ridge > 0.0 && self.ridge <= 1e9, "ridge", self.ridge, "greater than 0 and at most 1e9");
        p.within("temperature", self.temperature, 1.0, 1e6);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let t = Tokens::of(data, Self::INFO.id)?;
        let (k, n) = (t.k(), data.table.n_units());
        let features = data.features.as_ref().expect("asked for before the fit");
        if features.rows() != n {
            return Err(Error::BadData {
                file: data.source.clone(),
                what: format!("{} rows of features for {n} tokens", features.rows()),
                hint: None,
            });
        }
        let mut field = Field::new(k, features, &t.sequences, self.ridge);
        let q = self.probabilities(&t, cx)?;
        let first = of_probabilities(&t, &q);
        drop(q);
        let mixture = self.targets == Aim::Mixture;
        let told = if mixture { told(&t) } else { Vec::new() };
        if mixture && told.is_empty() {
            return Err(Error::Unsupported {
                what: "no annotator labelled a sequence from beginning to end, which `targets=mixture` needs".into(),
                hint: Some("⟦-p targets=bayes-seq⟧ uses every label".into()),
            });
        }
        let mut trust: Vec<f64> = vec![0.5; data.table.n_annotators()];
        let rounds = if mixture { self.max_iter + 1 } else { 1 };
        let run = cx.iterate(rounds, f64::MIN_POSITIVE, |cx, round| {
            let objective = cx.install(|| {
                if round == 1 {
                    return field.train(&first, self.inner_iter, self.tol);
                }
                // from the temperature down to 1 over all but the last two rounds
                let way = (round - 2) as f64 / (self.max_iter.max(3) - 2) as f64;
                let temperature = self.temperature.powf((1.0 - way).max(0.0));
                let (_, normaliser) = field.expect();
                let mut log = likelihoods(&t, &field, &told, &normaliser);
                log.iter_mut().zip(&told).for_each(|(l, x)| *l = *l / temperature + trust[x.annotator].ln());
                let weight = responsibilities(&told, &log);
                let mut sums = vec![[1.0, 2.0]; trust.len()];
                told.iter().zip(&weight).for_each(|(x, w)| {
                    sums[x.annotator][0] += w;
                    sums[x.annotator][1] += 1.0;
                });
                trust.iter_mut().zip(&sums).for_each(|(p, s)| *p = s[0] / s[1]);
                field.train(&of_annotators(&t, &told, &weight), self.inner_iter, self.tol)
            })?;
            Ok(Step { objective: Some(objective), change: if round == rounds { 0.0 } else { 1.0 } })
        })?;
        let (mut gamma, _) = cx.install(|| field.expect())?;
        for (u, z) in t.gold.iter().flatten().enumerate() {
            if let Some(z) = z {
                gamma[u * k..(u + 1) * k].fill(0.0);
                gamma[u * k + *z as usize] = 1.0;
            }
        }
        let emissions = |units: std::ops::Range<usize>, rows: &mut [f64]| {
            field.emissions(units.clone(), rows);
            for (row, u) in rows.chunks_exact_mut(k).zip(units) {
                if let Some(z) = t.gold.as_ref().and_then(|g| g[u]) {
                    let own = row[z as usize];
                    row.fill(f64::NEG_INFINITY);
                    row[z as usize] = own;
                }
            }
        };
        let path = cx.install(|| t.path(true, emissions, field.weights(), self.decode, &gamma))?;
        let (posterior, moved) = answer(k, &gamma, &path);
        let mut diagnostics = run.diagnostics("penalised-log-likelihood");
        diagnostics.details.insert("decoded_otherwise".into(), json!(moved));
        if mixture {
            diagnostics.details.insert("trust".into(), json!(trust));
            diagnostics.details.insert("whole_sequences".into(), json!(told.len()));
        }
        // annotators as the field sees them
        let cells = Cells::of_labels(data);
        let mut sums = vec![0.0; cells.n_cells() * k];
        let annotators = cx.install(|| {
            cells.counts(&gamma, &mut sums);
            estimate(Emissions::Full, &cells, &sums, 1.0, data.table.n_annotators()).annotators
        })?;
        let mut out = Outcome::classes(k, posterior, annotators, diagnostics);
        out.class_prior = Some(shares(k, &gamma));
        out.uncalibrated = (moved > 0).then_some(gamma);
        Ok(out)
    }
}
