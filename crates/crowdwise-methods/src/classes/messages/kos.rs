//! KOS: the iterative algorithm of Karger, Oh and Shah, and its extensions to more than two classes.

use super::kos_pass::{Messages, Problem, Verdict};
use crate::classes::voting::{Ballot, Form};
use crowdwise_core::stats::{argmax, n_tied, tied};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Event, Family, LabelKind, Method, MethodInfo,
    Outcome, Problems, Reference, Run, Status, Step, Stop,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What becomes of more than two classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KosClasses {
    /// Thresholds if the classes are ordered, else jointly.
    Auto,
    /// One reliability per annotator for all classes together.
    Joint,
    /// One problem per class: this one or another.
    OneVsRest,
    /// One problem per threshold: above or not.
    Thresholds,
}

/// First messages of annotators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KosStart {
    /// All 1: the first exchange is the majority vote.
    Ones,
    /// Drawn from N(1, 1), as published.
    Normal,
}

/// KOS message passing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Kos {
    /// Maximum number of exchanges of messages.
    pub max_iter: usize,
    /// Stop when the messages move by less than this, relative to their size.
    pub tol: f64,
    /// More than two classes: `joint`, `one-vs-rest`, `thresholds` (of ordered classes), or `auto` = thresholds if the
    /// classes are ordered, else joint.
    pub classes: KosClasses,
    /// First messages: `ones`, or `normal` = drawn from N(1, 1).
    pub init: KosStart,
    /// Divide every message by the number of labels it sums: better when items or annotators have very unequal numbers.
    pub by_degree: bool,
}

impl Default for Kos {
    fn default() -> Self {
        Kos { max_iter: 100, tol: 1e-4, classes: KosClasses::Auto, init: KosStart::Ones, by_degree: true }
    }
}

/// Mass moved towards the votes where scores are tied.
const NUDGE: f64 = 1e-6;

impl Method for Kos {
    const INFO: MethodInfo = MethodInfo {
        id: "kos",
        name: "KOS",
        summary: "Reliabilities and answers refine each other by linear messages that leave out their own echo.",
        doc: include_str!("kos.md"),
        aliases: &["kos-multiclass"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "D. R. Karger, S. Oh, D. Shah. Budget-Optimal Task Allocation for Reliable Crowdsourcing Systems. Operations Research 62(1), 2014.",
                doi: Some("10.1287/opre.2013.1235"),
            },
            Reference {
                text: "D. R. Karger, S. Oh, D. Shah. Efficient Crowdsourcing for Multi-class Labeling. SIGMETRICS 2013.",
                doi: Some("10.1145/2465529.2465761"),
            },
        ],
        status: Status::Stable,
        ..MethodInfo::of(Family::Messages)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.init == KosStart::Normal
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let ballot = Ballot::new(data);
        let (labels, table) = (&ballot.labels, &data.table);
        let k = labels.k();
        let votes = ballot.posterior(None, Form::Share, cx)?;
        if k == 1 {
            let annotators = Annotators::Weight { weight: vec![1.0; table.n_annotators()] };
            return Ok(Outcome::classes(k, votes, annotators, Diagnostics::direct()));
        }
        let classes = match self.classes {
            KosClasses::Auto if labels.ordered && k > 2 => KosClasses::Thresholds,
            KosClasses::Auto => KosClasses::Joint,
            other if k > 2 => other,
            _ => KosClasses::Joint,
        };
        let code = |r: usize| labels.codes.get(r);
        let mut flipped = 0;
        let (posterior, quality, run) = if classes == KosClasses::Joint {
            let centre = vec![1.0 / k as f64; k];
            let known = |u: usize| ballot.gold(u);
            let problem = Problem { table, code: &code, k, centre: &centre, known: &known, by_degree: self.by_degree };
            let (mut v, run) = self.solve(problem, 0, cx)?;
            flipped += usize::from(face_the_votes(&mut v, &votes, k));
            (joint(&v, &votes, k), v.quality, run)
        } else {
            self.split(classes, &ballot, &votes, &mut flipped, cx)?
        };
        let mut posterior = posterior;
        for (u, row) in posterior.chunks_exact_mut(k).enumerate() {
            if table.degree(u) == 0 || ballot.gold(u).is_some() {
                row.copy_from_slice(&votes[u * k..(u + 1) * k]);
            }
        }
        let size = (quality.iter().map(|q| q * q).sum::<f64>() / quality.len() as f64).sqrt();
        let weight = quality.iter().map(|q| if size > 0.0 { q / size } else { 0.0 }).collect();
        let mut diagnostics = run.diagnostics("");
        diagnostics.details.insert("turned_round".into(), json!(flipped));
        let mut out = Outcome::classes(k, posterior, Annotators::Weight { weight }, diagnostics);
        out.class_prior = Some(vec![1.0 / k as f64; k]);
        Ok(out)
    }
}

impl Kos {
    fn solve(&self, problem: Problem<'_>, index: u64, cx: &mut Context<'_>) -> Result<(Verdict, Run), Error> {
        let mut messages = Messages::new(problem, self.init == KosStart::Normal, index, cx);
        let run =
            cx.iterate(self.max_iter, self.tol, |cx, _| Ok(Step { objective: None, change: messages.exchange(cx)? }))?;
        Ok((messages.verdict(cx)?, run))
    }

    /// One binary problem per class or threshold.
    fn split(
        &self,
        classes: KosClasses,
        ballot: &Ballot<'_>,
        votes: &[f64],
        flipped: &mut usize,
        cx: &mut Context<'_>,
    ) -> Result<(Vec<f64>, Vec<f64>, Run), Error> {
        let (labels, table) = (&ballot.labels, ballot.labels.table);
        let k = labels.k();
        let thresholds = classes == KosClasses::Thresholds;
        let problems = if thresholds { k - 1 } else { k };
        // P(yes) of every problem, units x problems
        let mut yes = vec![0.0; table.n_units() * problems];
        let mut quality = vec![0.0; table.n_annotators()];
        let mut all: Option<Run> = None;
        for n in 0..problems {
            cx.event(&Event::Stage { name: format!("problem {} of {problems}", n + 1) });
            let is = move |c: usize| usize::from(if thresholds { c > n } else { c == n });
            let code = move |r: usize| is(labels.codes.get(r));
            let known = |u: usize| ballot.gold(u).map(is);
            let binary: Vec<f64> = votes
                .chunks_exact(k)
                .flat_map(|row| {
                    let yes: f64 = (0..k).filter(|&c| is(c) == 1).map(|c| row[c]).sum();
                    [1.0 - yes, yes]
                })
                .collect();
            // a rare class would only say "no": its mean is taken off
            let share = (0..table.n_labels()).map(code).sum::<usize>() as f64 / table.n_labels() as f64;
            let centre = if thresholds { [0.5, 0.5] } else { [1.0 - share, share] };
            let problem =
                Problem { table, code: &code, k: 2, centre: &centre, known: &known, by_degree: self.by_degree };
            let (mut v, run) = self.solve(problem, n as u64, cx)?;
            *flipped += usize::from(face_the_votes(&mut v, &binary, 2));
            for u in 0..table.n_units() {
                // centred scores of the two classes are opposite
                let s = v.score[u * 2 + 1] - v.score[u * 2];
                yes[u * problems + n] = if v.size[u] > 0.0 { 0.5 + 0.5 * s / v.size[u] } else { binary[u * 2 + 1] };
            }
            quality.iter_mut().zip(&v.quality).for_each(|(a, b)| *a += b / problems as f64);
            all = Some(match all {
                None => run,
                Some(mut so_far) => {
                    so_far.iterations = so_far.iterations.max(run.iterations);
                    if run.stop != Stop::Converged {
                        so_far.stop = run.stop;
                    }
                    so_far
                }
            });
            if cx.cancelled() {
                for u in 0..table.n_units() {
                    for rest in n + 1..problems {
                        let s: f64 = (0..k)
                            .filter(|&c| if thresholds { c > rest } else { c == rest })
                            .map(|c| votes[u * k + c])
                            .sum();
                        yes[u * problems + rest] = s;
                    }
                }
                break;
            }
        }
        let posterior = if thresholds { decode(&yes, votes, k) } else { shares(&yes, votes, k) };
        Ok((posterior, quality, all.expect("there is at least one problem")))
    }
}

/// Messages are right up to a common sign: turns them so that they agree with the votes on more items than not.
fn face_the_votes(v: &mut Verdict, votes: &[f64], k: usize) -> bool {
    let (mut same, mut opposite) = (0.0, 0.0);
    for (score, votes) in v.score.chunks_exact(k).zip(votes.chunks_exact(k)) {
        let best = votes.iter().copied().fold(0.0, f64::max);
        // share of the classes with the highest score, of the given sign, that have the most votes
        let credit = |sign: f64| {
            let top = score.iter().map(|s| sign * s).fold(f64::NEG_INFINITY, f64::max);
            let (mut among, mut voted) = (0, 0);
            for (s, &v) in score.iter().zip(votes) {
                if top - sign * s <= 1e-9 * top.abs() {
                    among += 1;
                    voted += usize::from(tied(v, best));
                }
            }
            voted as f64 / among as f64
        };
        same += credit(1.0);
        opposite += credit(-1.0);
    }
    if opposite > same {
        v.flip();
        return true;
    }
    false
}

/// Shares of the messages: for a class what speaks for it and what speaks against the others.
fn joint(v: &Verdict, votes: &[f64], k: usize) -> Vec<f64> {
    let mut out = v.score.clone();
    for (u, row) in out.chunks_exact_mut(k).enumerate() {
        // scores are centred: with Σ y = size - 2 against, the plain sum of a class is score + Σ y / K
        let shift = (v.size[u] - 2.0 * v.against[u]) / k as f64 + v.against[u];
        row.iter_mut().for_each(|s| *s = (*s + shift).max(0.0));
        finish(row, &votes[u * k..(u + 1) * k]);
    }
    out
}

/// One against the rest: shares of the classes' own probabilities.
fn shares(yes: &[f64], votes: &[f64], k: usize) -> Vec<f64> {
    let mut out = yes.to_vec();
    for (row, votes) in out.chunks_exact_mut(k).zip(votes.chunks_exact(k)) {
        row.iter_mut().for_each(|s| *s = s.max(0.0));
        finish(row, votes);
    }
    out
}

/// Makes a row of scores (0 or more) sum to 1; the votes decide where it has no opinion or a tie.
fn finish(row: &mut [f64], votes: &[f64]) {
    let sum: f64 = row.iter().sum();
    if sum <= 0.0 {
        row.copy_from_slice(votes);
        return;
    }
    row.iter_mut().for_each(|s| *s /= sum);
    if n_tied(row) > 1 {
        row.iter_mut().zip(votes).for_each(|(s, v)| *s = (1.0 - NUDGE) * *s + NUDGE * v);
    }
}

/// Ordered classes: the first threshold that is not passed decides.
fn decode(yes: &[f64], votes: &[f64], k: usize) -> Vec<f64> {
    let mut out = vec![0.0; yes.len() / (k - 1) * k];
    for ((row, yes), votes) in out.chunks_exact_mut(k).zip(yes.chunks_exact(k - 1)).zip(votes.chunks_exact(k)) {
        let mut reached = 1.0;
        for c in 0..k {
            let pass = if c + 1 < k { yes[c].clamp(0.0, 1.0) } else { 0.0 };
            row[c] = reached * (1.0 - pass);
            reached *= pass;
        }
        let above = |t: usize| {
            let s: f64 = votes[t + 1..].iter().sum();
            yes[t] > 0.5 || (yes[t] == 0.5 && s > 0.5)
        };
        let class = (0..k - 1).find(|&t| !above(t)).unwrap_or(k - 1);
        let best = argmax(row);
        row.swap(class, best);
    }
    out
}
