use super::choices::{Choices, DENSE, log_likelihood, parts, variances};
use crate::comparisons::{centred, members, separated, with_itself};
use crowdwise_core::stats::LEVEL;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, Finding, LabelKind, Method, MethodInfo, Outcome,
    Problems, Rankings, Reference, Run, Severity, Situation, Status, Step, Structure, Subject, Truth, group,
};
use crowdwise_numerics::lbfgs::Search;
use crowdwise_numerics::normal_reach;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Scores from rankings of several items, whole or only their top.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlackettLuce {
    /// Strength of the pull of the scores towards 0 (weight of half their sum of squares). 0 = maximum likelihood; where that is infinite,
    /// 0.01 is used and a finding says so.
    pub ridge: f64,
    /// Confidence level of the intervals.
    pub level: f64,
    /// Maximum number of steps of the optimiser.
    pub max_iter: usize,
    /// Stops when no score would move by more than this in a scaled gradient step.
    pub tol: f64,
}

impl Default for PlackettLuce {
    fn default() -> Self {
        PlackettLuce { ridge: 0.01, level: LEVEL, max_iter: 2000, tol: 1e-8 }
    }
}

impl Method for PlackettLuce {
    const INFO: MethodInfo = MethodInfo {
        id: "plackett-luce",
        name: "Plackett-Luce",
        summary: "Scores and intervals from rankings of several items, whole or only their top.",
        doc: include_str!("plackett_luce.md"),
        aliases: &["pl"],
        accepts: &[LabelKind::Preference],
        capabilities: Capabilities { monotone: true, likelihood: true, whole_rankings: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "R. L. Plackett, The analysis of permutations, Journal of the Royal Statistical Society C 24(2), 1975",
                doi: Some("10.2307/2346567"),
            },
            Reference { text: "R. D. Luce, Individual choice behavior, Wiley, 1959", doi: None },
            Reference {
                text: "D. R. Hunter, MM algorithms for generalized Bradley-Terry models, Annals of Statistics 32(1), 2004",
                doi: Some("10.1214/aos/1079120141"),
            },
        ],
        status: Status::Stable,
        default_for: &[Situation::Rankings],
        compared: &[Situation::Rankings],
        ..MethodInfo::of(Family::Pairs)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("ridge", self.ridge, 0.0);
        problems.between("level", self.level, 0.0, 1.0);
        problems.count("max_iter", self.max_iter);
        problems.positive("tol", self.tol);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let (choices, ties, alone) = Choices::of_data(data);
        let (mut ranked, run) = self.scores(&choices, cx)?;
        if alone > 0 {
            ranked.findings.push(with_itself(alone));
        }
        let mut diagnostics = run.diagnostics("penalised-log-likelihood");
        let rankings = if let Structure::Rankings(r) = &data.structure { r.len() } else { 0 };
        for (key, value) in [
            ("rankings", json!(rankings)),
            ("tied", json!(ties)),
            ("components", json!(ranked.n_components)),
            ("strong_components", json!(ranked.strong)),
            ("ridge_used", json!(ranked.ridge)),
            ("log_likelihood", json!(ranked.log_likelihood)),
            ("intervals", json!(if ranked.score.len() <= DENSE { "exact" } else { "own-information" })),
        ] {
            diagnostics.details.insert(key.into(), value);
        }
        Ok(Outcome {
            uncalibrated: None,
            truth: Truth::Scores {
                ranks: ranked.ranks(),
                score: ranked.score,
                interval: ranked.interval,
                component: ranked.component,
            },
            annotators: Annotators::None,
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings: ranked.findings,
        })
    }
}

/// Scores with their intervals, mean 0 in every component.
#[derive(Clone, Debug)]
pub struct Ranked {
    pub score: Vec<f64>,
    pub interval: Vec<[f64; 2]>,
    pub component: Vec<u32>,
    pub log_likelihood: f64,
    pub converged: bool,
    pub findings: Vec<Finding>,
    n_components: usize,
    strong: usize,
    ridge: f64,
}

impl Ranked {
    /// Best and worst place of every item: two count as told apart when their intervals do not overlap.
    fn ranks(&self) -> Vec<[u32; 2]> {
        let mut out = vec![[1, 1]; self.score.len()];
        for items in members(&self.component, self.n_components) {
            let own: Vec<[f64; 2]> = items.iter().map(|&i| self.interval[i]).collect();
            items.iter().zip(separated(&own)).for_each(|(&i, r)| out[i] = r);
        }
        out
    }
}

impl PlackettLuce {
    /// The scores of rankings that are not in a dataset.
    pub fn rank(&self, rankings: &Rankings) -> Result<Ranked, Error> {
        if rankings.is_empty() {
            return Err(Error::NoData { file: "the rankings".into(), what: "are empty".into(), hint: None });
        }
        Ok(self.scores(&Choices::of_rankings(rankings), &mut Context::default())?.0)
    }

    fn scores(&self, choices: &Choices, cx: &mut Context<'_>) -> Result<(Ranked, Run), Error> {
        let n = choices.n_items;
        let (component, n_components, strong) = parts(choices);
        let (ridge, findings) = self.finite(strong - n_components);
        let f = |s: &[f64], g: &mut [f64]| {
            let mut sum = 0.0;
            for (g, s) in g.iter_mut().zip(s) {
                *g = ridge * s;
                sum += 0.5 * ridge * s * s;
            }
            sum - log_likelihood(choices, s, g)
        };
        let mut h = vec![ridge.max(1e-9); n];
        for r in 0..choices.len() {
            let (all, stages, w) = choices.stages(r);
            for k in 0..stages {
                let share = 1.0 / (all.len() - k) as f64;
                all[k..].iter().for_each(|&i| h[i as usize] += w * share * (1.0 - share));
            }
        }
        let scale: Vec<f64> = h.iter().map(|h| 1.0 / h).collect();
        let mut search = Search::new(vec![0.0; n], 12, f);
        let mut still = 0;
        let run = cx.iterate(self.max_iter, self.tol, |_, _| {
            let before = search.value;
            let moved = search.step(&scale, f);
            still = if before - search.value > 1e-15 * before.abs() { 0 } else { still + 1 };
            // no step lower, or none to speak of: this is the bottom, as far as the numbers go
            let change = if moved && still < 3 { search.distance(&scale) } else { 0.0 };
            Ok(Step { objective: Some(-search.value), change })
        })?;
        let x = search.x;
        let score = centred(&x, &component, n_components);
        let variance = cx.install(|| variances(choices, &x, ridge, &component, n_components))?;
        let z = normal_reach(self.level);
        let interval = score.iter().zip(variance).map(|(s, v)| [s - z * v.sqrt(), s + z * v.sqrt()]).collect();
        let log_likelihood = log_likelihood(choices, &x, &mut vec![0.0; n]);
        let converged = run.stop == crowdwise_core::Stop::Converged;
        let ranked =
            Ranked { score, interval, component, log_likelihood, converged, findings, n_components, strong, ridge };
        Ok((ranked, run))
    }

    /// The pull to use where `parts` more sets of items than there are components only ever stood before or behind others.
    fn finite(&self, parts: usize) -> (f64, Vec<Finding>) {
        if parts == 0 {
            return (self.ridge, Vec::new());
        }
        let fallback = self.ridge == 0.0;
        let what = if fallback { "; a pull towards 0 of 0.01 was used" } else { "" };
        let found = Finding::new(
            if fallback { "regularised" } else { "infinite-scores" },
            Severity::Warning,
            Subject::Data,
            format!(
                "some items were always ranked before (or behind) the rest ({} such parts), so their best-fitting scores are infinite{what}",
                group(parts as u64 + 1)
            ),
            "their scores are finite only through `ridge`: trust their order, not their distance",
        );
        (if fallback { 0.01 } else { self.ridge }, vec![found])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinite_scores_are_pulled_back_and_said() {
        let mut r = Rankings::new(3);
        assert!(PlackettLuce::default().rank(&r).is_err());
        r.push(&[0], &[1, 2]).unwrap();
        let f = PlackettLuce { ridge: 0.0, ..PlackettLuce::default() }.rank(&r).unwrap();
        assert!(f.findings.iter().any(|f| f.code == "regularised"));
        assert!(f.score.iter().all(|s| s.is_finite()) && f.score[0] > f.score[1]);
        let f = PlackettLuce::default().rank(&r).unwrap();
        assert!(f.findings.iter().any(|f| f.code == "infinite-scores"));
    }
}
