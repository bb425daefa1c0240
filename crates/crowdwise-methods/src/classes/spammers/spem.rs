//! Elimination of spammers after Raykar and Yu: Dawid-Skene, leave out who carries no information, again.

use crate::classes::confusion::em::{self, Fitted, Settings};
use crate::classes::confusion::kernel::Engine;
use crate::classes::confusion::shared::{self, Shares};
use crate::classes::confusion::{ClassPrior, Init, Rows, Zeros, start};
use crowdwise_core::questions::{shrunk_score, spammer_score};
use crowdwise_core::{
    Annotators, Context, Dataset, Error, Event, Family, Finding, LabelKind, Method, MethodInfo, Outcome, Problems,
    Reference, Severity, Status, Subject, group,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// Dawid-Skene without the annotators whose labels carry no information.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Spem {
    /// Maximum number of EM iterations (passes over the labels) in each round.
    pub max_iter: usize,
    /// Stop EM when one step changes no probability, of a confusion matrix or of a class, by more than this.
    pub tol: f64,
    /// Smoothing: added to every cell of the expected counts. Less of it lets annotators with few labels look informative.
    pub alpha: f64,
    /// Class shares: learned, uniform, or as given in `class_shares`.
    pub class_prior: ClassPrior,
    /// Shares by class name for `class_prior=fixed`, as a JSON object.
    pub class_shares: BTreeMap<String, f64>,
    /// Added to every class count when class shares are learned.
    pub beta: f64,
    /// Annotators with a spammer score (0 = no information, 1 = perfect or perfectly exchanged; times n / (n + 10) for n
    /// labels) below this are left out.
    pub threshold: f64,
    /// Annotators with fewer labels stay, whatever their score.
    pub min_labels: u64,
    /// Maximum number of rounds of EM and leaving out.
    pub max_rounds: usize,
    /// Extrapolate (SQUAREM): the same optimum in fewer iterations.
    pub accelerate: bool,
    /// Where the iterations of every round begin: the vote shares (`majority`), `random` matrices, or those of another method.
    pub init: Init,
}

impl Default for Spem {
    fn default() -> Self {
        Spem {
            max_iter: 1000,
            tol: 1e-6,
            alpha: 1.0,
            class_prior: ClassPrior::Learn,
            class_shares: BTreeMap::new(),
            beta: 0.0,
            threshold: 0.05,
            min_labels: 10,
            max_rounds: 10,
            accelerate: true,
            init: Init::Majority,
        }
    }
}

/// Who is left must be at least so many, to be compared with each other.
const FEWEST: usize = 3;
/// Labels per item below which leaving out is warned of.
const THIN: f64 = 3.0;

impl Method for Spem {
    const INFO: MethodInfo = MethodInfo {
        id: "spem",
        name: "SpEM",
        summary: "Dawid-Skene in rounds that leave out the annotators whose labels carry no information.",
        doc: include_str!("spem.md"),
        aliases: &["spammer-elimination"],
        accepts: &[LabelKind::Categorical],
        capabilities: crowdwise_core::Capabilities { warm_start: false, ..shared::CAPABILITIES },
        references: &[Reference {
            text: "V. C. Raykar, S. Yu. Eliminating Spammers and Ranking Annotators for Crowdsourced Labeling Tasks. JMLR \
                   13, 2012.",
            doi: None,
        }],
        status: Status::Stable,
        ..MethodInfo::of(Family::Spammers)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.within("alpha", self.alpha, 0.0, 1e9);
        p.within("threshold", self.threshold, 0.0, 1.0);
        p.count("max_rounds", self.max_rounds);
        Shares::check(self.class_prior, self.beta, &self.class_shares, p);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.init != Init::Majority // every other start draws or chooses by number
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let gold = data.gold_classes();
        let k = data.table.n_classes();
        let n = data.table.labels_per_annotator();
        let mut kept: Vec<bool> = n.iter().map(|&n| n > 0).collect();
        let mut findings = Vec::new();
        let mut rest: Option<Dataset> = None;
        let mut left_out = Vec::new();
        let mut rounds = 0;
        let fitted = loop {
            rounds += 1;
            if rounds > 1 {
                cx.event(&Event::Stage { name: format!("round {rounds}, {} left out", left_out.len()) });
            }
            let fitted = self.round(rest.as_ref().unwrap_or(data), gold.as_deref(), cx)?;
            if rounds == self.max_rounds || cx.cancelled() || k < 2 {
                break fitted;
            }
            let drop: Vec<usize> = (0..n.len())
                .filter(|&j| kept[j] && n[j] >= self.min_labels)
                .filter(|&j| {
                    let table = &fitted.tables[j * k * k..(j + 1) * k * k];
                    shrunk_score(score(table, k), n[j]) < self.threshold
                })
                .collect();
            if drop.is_empty() {
                break fitted;
            }
            if kept.iter().filter(|k| **k).count() < drop.len() + FEWEST {
                findings.push(nobody_left(drop.len()));
                break fitted;
            }
            drop.iter().for_each(|&j| kept[j] = false);
            left_out.extend(drop);
            let who = data.table.annotator();
            rest = Some(Dataset::new(data.table.filter_rows(|r| kept[who[r] as usize])));
        };
        let of = rest.as_ref().unwrap_or(data);
        let kind = shared::objective_kind(self.alpha + self.beta);
        let mut out = shared::outcome(fitted, of, gold.as_deref(), kind, |t| Annotators::Confusion {
            k,
            matrix: shared::transpose(t, k),
        });
        self.judge_left_out(data, &kept, &mut out);
        findings.extend(said(data, of, &n, &left_out));
        left_out.sort_unstable();
        let names: Vec<&str> = left_out.iter().map(|&j| data.table.annotators().name(j)).collect();
        out.diagnostics.details.insert("rounds".into(), json!(rounds));
        out.diagnostics.details.insert("left_out".into(), json!(names));
        out.findings.extend(findings);
        Ok(out)
    }
}

impl Spem {
    /// EM on the labels of those who are left.
    fn round(&self, data: &Dataset, gold: Option<&[Option<u32>]>, cx: &mut Context<'_>) -> Result<Fitted, Error> {
        let labels = data.table.categorical().expect("the kind was checked");
        let shares = Shares::new(self.class_prior, self.beta, &self.class_shares, &labels)?;
        let mut model = Rows { alpha: self.alpha, diagonal: 0.0, zeros: Zeros::Floor, shares };
        let settings = Settings::soft(self.max_iter, self.tol, self.accelerate);
        let mut engine = Engine::new(&labels, gold, cx.threads)?;
        let (start, findings) = start::first(&mut engine, data, self.init, cx)?;
        let mut fitted = em::fit(&mut engine, &mut model, start, &settings, data.table.n_units(), cx)?;
        fitted.findings = findings;
        Ok(fitted)
    }

    /// Confusion matrices of those who were left out, as the others' result has them: that is why they were.
    fn judge_left_out(&self, data: &Dataset, kept: &[bool], out: &mut Outcome) {
        let crowdwise_core::Truth::Classes { k, posterior } = &out.truth else { return };
        let (k, labels) = (*k, data.table.categorical().expect("the kind was checked"));
        let Annotators::Confusion { matrix, .. } = &mut out.annotators else { return };
        let gone = |j: usize| !kept[j];
        for (j, own) in matrix.chunks_exact_mut(k * k).enumerate() {
            if gone(j) {
                own.fill(self.alpha);
            }
        }
        for u in 0..data.table.n_units() {
            for r in data.table.rows(u) {
                let j = data.table.annotator()[r] as usize;
                if gone(j) {
                    let own = &mut matrix[j * k * k + labels.codes.get(r)..(j + 1) * k * k];
                    own.iter_mut().step_by(k).zip(&posterior[u * k..]).for_each(|(c, q)| *c += q);
                }
            }
        }
        for (j, own) in matrix.chunks_exact_mut(k * k).enumerate().filter(|(j, _)| gone(*j)) {
            debug_assert!(!kept[j]);
            for row in own.chunks_exact_mut(k) {
                let sum: f64 = row.iter().sum();
                row.iter_mut().for_each(|c| *c = if sum > 0.0 { *c / sum } else { 1.0 / k as f64 });
            }
        }
    }
}

/// Spammer score of a table (label x truth).
fn score(table: &[f64], k: usize) -> f64 {
    let rows = shared::transpose(table.to_vec(), k);
    spammer_score(&rows, &vec![1.0; k]).0
}

fn nobody_left(more: usize) -> Finding {
    Finding::new(
        "all-look-like-spammers",
        Severity::Problem,
        Subject::Data,
        format!(
            "leaving out {} more annotators whose labels carry no information would leave fewer than {FEWEST}; they \
             were kept",
            group(more as u64)
        ),
        "see whether annotators agree more than by chance at all (⟦crowdwise inspect⟧), or lower `threshold`",
    )
}

/// Who was left out, and what that costs.
fn said(data: &Dataset, rest: &Dataset, n: &[u64], left_out: &[usize]) -> Vec<Finding> {
    if left_out.is_empty() {
        return Vec::new();
    }
    let labels: u64 = left_out.iter().map(|&j| n[j]).sum();
    let mut out = vec![Finding::new(
        "spammers-left-out",
        Severity::Info,
        Subject::Data,
        format!(
            "{} of {} annotators were left out with {} of {} labels, because their labels carry almost no information",
            group(left_out.len() as u64),
            group(n.iter().filter(|n| **n > 0).count() as u64),
            group(labels),
            group(data.table.n_labels() as u64)
        ),
        "their names are in the details of the fit (`left_out`); raise or lower `threshold` to change who is",
    )];
    let labelled = |d: &Dataset| (0..d.table.n_units()).filter(|&u| d.table.degree(u) > 0).count();
    let (before, after) = (labelled(data), labelled(rest));
    if after < before {
        out.push(Finding::new(
            "items-left-without-labels",
            Severity::Warning,
            Subject::Data,
            format!("{} items had labels of such annotators only", group((before - after) as u64)),
            "all that is known about them is the class shares: collect labels from other annotators",
        ));
    }
    let mean = |d: &Dataset, items: usize| d.table.n_labels() as f64 / items.max(1) as f64;
    let (was, is) = (mean(data, before), mean(rest, after));
    if was >= THIN && is < THIN {
        out.push(Finding::new(
            "few-labels-left",
            Severity::Warning,
            Subject::Data,
            format!("{is:.1} labels per item are left of {was:.1}"),
            "that is too few to tell annotators apart well: add labels by others, or lower `threshold`",
        ));
    }
    out
}
