use super::agreement::Agreement;
use super::{Ballot, Form};
use crowdwise_core::stats::argmax;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, Finding, LabelKind, Method, MethodInfo,
    Names, Outcome, Problems, Reference, Severity, Situation, Status, Step, Subject, nearest,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// Votes that count by annotator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WeightedMajorityVote {
    /// Where the weights come from: `given`; `wawa`, the share of an annotator's labels that the majority agrees with;
    /// `log-odds`, the logarithm of the odds of being right; `iterative`, `wawa` against its own weighted majority until
    /// no label changes; `multiplicative`, halved (see `beta`) at every wrong answer to a gold item.
    pub rule: Rule,
    /// Weights of annotators by name, for rule `given`, e.g. {"ann": 2, "bob": 0.5}.
    pub weights: BTreeMap<String, f64>,
    /// Weight of annotators not listed in `weights`.
    pub other_weight: f64,
    /// Known accuracies of annotators by name, for rule `log-odds`; all others are estimated by agreement.
    pub accuracies: BTreeMap<String, f64>,
    /// Compares an annotator with the majority of the others: without it, everybody agrees with themselves a little.
    pub leave_one_out: bool,
    /// Maximum number of rounds of rule `iterative`.
    pub max_iter: usize,
    /// Factor of rule `multiplicative` for a wrong answer.
    pub beta: f64,
}

/// Where the weights come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    Given,
    #[default]
    Wawa,
    LogOdds,
    Iterative,
    Multiplicative,
}

impl Default for WeightedMajorityVote {
    fn default() -> Self {
        WeightedMajorityVote {
            rule: Rule::Wawa,
            weights: BTreeMap::new(),
            other_weight: 1.0,
            accuracies: BTreeMap::new(),
            leave_one_out: true,
            max_iter: 20,
            beta: 0.5,
        }
    }
}

impl Method for WeightedMajorityVote {
    const INFO: MethodInfo = MethodInfo {
        id: "weighted-majority-vote",
        name: "Weighted majority vote",
        summary: "A vote in which annotators count by how often they are right, known or estimated.",
        doc: include_str!("weighted_majority_vote.md"),
        aliases: &["wmv", "wawa"],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities { gold: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "N. Littlestone and M. K. Warmuth, The weighted majority algorithm, Information and Computation 108(2), 1994",
                doi: Some("10.1006/inco.1994.1009"),
            },
            Reference {
                text: "S. Nitzan and J. Paroush, Optimal decision rules in uncertain dichotomous choice situations, International Economic Review 23(2), 1982",
                doi: Some("10.2307/2526438"),
            },
        ],
        status: Status::Stable,
        compared: Situation::OF_CLASSES,
        ..MethodInfo::of(Family::Voting)
    };

    fn check(&self, problems: &mut Problems) {
        let given = self.rule == Rule::Given;
        let text = |m: &BTreeMap<String, f64>| json!(m).to_string();
        problems.require(
            !given || !self.weights.is_empty(),
            "weights",
            "{}",
            "a JSON object with a weight per annotator when `rule` is `given`",
        );
        problems.require(
            given || self.weights.is_empty(),
            "weights",
            text(&self.weights),
            "left out unless `rule` is `given`",
        );
        for (name, &w) in &self.weights {
            problems.at_least(&format!("weights.{name}"), w, 0.0);
        }
        problems.at_least("other_weight", self.other_weight, 0.0);
        problems.require(
            self.rule == Rule::LogOdds || self.accuracies.is_empty(),
            "accuracies",
            text(&self.accuracies),
            "left out unless `rule` is `log-odds`",
        );
        for (name, &p) in &self.accuracies {
            problems.between(&format!("accuracies.{name}"), p, 0.0, 1.0);
        }
        problems.count("max_iter", self.max_iter);
        problems.between("beta", self.beta, 0.0, 1.0);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let ballot = Ballot::new(data);
        let k = ballot.labels.k();
        let mut findings = Vec::new();
        let mut diagnostics = Diagnostics::direct();
        let mut form = Form::Share;
        let weight = match self.rule {
            Rule::Given => {
                let found = by_name(data, "weights", &self.weights, &mut findings)?;
                found.into_iter().map(|w| w.unwrap_or(self.other_weight)).collect()
            }
            Rule::Wawa => Agreement::new(&ballot, None, self.leave_one_out).share,
            Rule::LogOdds => {
                form = Form::Exponential;
                let known = by_name(data, "accuracies", &self.accuracies, &mut findings)?;
                log_odds(&Agreement::new(&ballot, None, self.leave_one_out), &known, k)
            }
            Rule::Iterative => {
                let (weight, d) = self.iterate(&ballot, cx)?;
                diagnostics = d;
                weight
            }
            Rule::Multiplicative => multiplicative(&ballot, self.beta, &mut diagnostics)?,
        };
        let posterior = ballot.posterior(Some(&weight), form, cx)?;
        let mut out = Outcome::classes(k, posterior, Annotators::Weight { weight }, diagnostics);
        out.class_prior = Some(vec![1.0 / k as f64; k]);
        out.findings = findings;
        Ok(out)
    }
}

impl WeightedMajorityVote {
    /// Agreement with the majority that the last agreement weighs, until no item is decided otherwise.
    fn iterate(&self, ballot: &Ballot<'_>, cx: &mut Context<'_>) -> Result<(Vec<f64>, Diagnostics), Error> {
        let mut seen = Agreement::new(ballot, None, self.leave_one_out);
        let n = seen.decision.len() as f64;
        // the change is a share of items: anything below the smallest number is none at all
        let run = cx.iterate(self.max_iter, f64::MIN_POSITIVE, |_, _| {
            let next = Agreement::new(ballot, Some(&seen.share), self.leave_one_out);
            let moved = seen.decision.iter().zip(&next.decision).filter(|(a, b)| a != b).count();
            seen = next;
            Ok(Step { objective: None, change: moved as f64 / n })
        })?;
        let mut diagnostics = run.diagnostics("none");
        diagnostics.objective = None;
        Ok((seen.share, diagnostics))
    }
}

/// ln((K-1) p / (1-p)), with an estimated p kept half a label away from 0 and 1.
fn log_odds(seen: &Agreement, known: &[Option<f64>], k: usize) -> Vec<f64> {
    if k < 2 {
        return vec![1.0; known.len()];
    }
    let weigh = |(j, p): (usize, &Option<f64>)| {
        let p = p.unwrap_or_else(|| {
            let half = 0.5 / seen.labels[j].max(1) as f64;
            seen.share[j].clamp(half, 1.0 - half)
        });
        ((k - 1) as f64 * p / (1.0 - p)).ln()
    };
    known.iter().enumerate().map(weigh).collect()
}

/// Littlestone and Warmuth: predict each gold item by the weighted vote so far, then make everybody who was wrong
/// count `beta` times as much. Weights are kept as a number of mistakes, so that they never underflow.
fn multiplicative(ballot: &Ballot<'_>, beta: f64, diagnostics: &mut Diagnostics) -> Result<Vec<f64>, Error> {
    let (table, k) = (ballot.labels.table, ballot.labels.k());
    let gold: Vec<(usize, usize)> = (0..table.n_units()).filter_map(|u| Some((u, ballot.gold(u)?))).collect();
    if gold.is_empty() {
        return Err(Error::Unsupported {
            what: "rule `multiplicative` learns from gold labels, and there are none".into(),
            hint: Some("give some with ⟦--gold FILE⟧, or choose another `rule`".into()),
        });
    }
    let mut wrong = vec![0u64; table.n_annotators()];
    let weights = |wrong: &[u64]| -> Vec<f64> {
        let least = wrong.iter().copied().min().unwrap_or(0);
        wrong.iter().map(|&n| beta.powf((n - least) as f64)).collect()
    };
    let mut mistakes = 0u64;
    let mut predicted = 0u64;
    // gold items that each annotator answered, and whether nobody answered one twice
    let mut answers = vec![0u64; table.n_annotators()];
    let mut once = true;
    let mut votes = vec![0.0; k];
    for &(u, truth) in &gold {
        if table.degree(u) == 0 {
            continue;
        }
        // only differences matter, and only between those who voted here
        let least = table.rows(u).map(|r| wrong[table.annotator()[r] as usize]).min().unwrap_or(0);
        votes.fill(0.0);
        for r in table.rows(u) {
            let j = table.annotator()[r] as usize;
            votes[ballot.labels.codes.get(r)] += beta.powf((wrong[j] - least) as f64);
        }
        predicted += 1;
        mistakes += u64::from(argmax(&votes) != truth);
        let mut last = None; // rows of one annotator are neighbours
        for r in table.rows(u) {
            let j = table.annotator()[r] as usize;
            wrong[j] += u64::from(ballot.labels.codes.get(r) != truth);
            let again = last.replace(j) == Some(j);
            answers[j] += u64::from(!again);
            once &= !again;
        }
    }
    diagnostics.details.insert("gold_items".into(), json!(predicted));
    diagnostics.details.insert("mistakes".into(), json!(mistakes));
    // few mistakes on few gold items are no merit: only those who answered all are compared with the vote
    let all = |j: &usize| answers[*j] == predicted;
    let Some(best) = (0..wrong.len()).filter(all).map(|j| wrong[j]).min().filter(|_| predicted > 0) else {
        return Ok(weights(&wrong));
    };
    diagnostics.details.insert("best_annotator_mistakes".into(), json!(best));
    // the proof needs everybody's answer, once, to every item: who stays silent loses no weight when the vote is wrong
    if k == 2 && once && (0..wrong.len()).all(|j| all(&j)) {
        let bound = ((wrong.len() as f64).ln() + best as f64 * (1.0 / beta).ln()) / (2.0 / (1.0 + beta)).ln();
        diagnostics.details.insert("mistake_bound".into(), json!(bound));
    }
    Ok(weights(&wrong))
}

/// The values of the annotators in table order; names that the data does not have are said, none at all is an error.
fn by_name(
    data: &Dataset,
    parameter: &str,
    values: &BTreeMap<String, f64>,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Option<f64>>, Error> {
    let mut names: Names = data.table.annotators().clone();
    names.thaw();
    let mut out = vec![None; names.len()];
    let mut unknown: Vec<&str> = Vec::new();
    for (name, &value) in values {
        match names.get(name) {
            Some(j) => out[j as usize] = Some(value),
            None => unknown.push(name),
        }
    }
    let Some(&first) = unknown.first() else { return Ok(out) };
    let near = nearest(first, names.iter()).map_or_else(String::new, |n| format!(" (did you mean `{n}`?)"));
    if unknown.len() == values.len() {
        return Err(Error::BadParameter {
            name: parameter.into(),
            value: json!(values).to_string(),
            must: format!("keyed by annotators of {}; `{first}` is none of them{near}", data.source),
        });
    }
    findings.push(Finding::new(
        "unknown-annotators",
        Severity::Warning,
        Subject::Data,
        format!(
            "{} of {} names in `{parameter}` are not annotators in the data, first `{first}`",
            unknown.len(),
            values.len()
        ),
        format!("check the spelling of the names in `{parameter}`{near}"),
    ));
    Ok(out)
}
