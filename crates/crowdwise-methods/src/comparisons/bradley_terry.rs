use super::intervals::{places, variances};
use super::likelihood::{Point, Problem};
use super::pairs::{BOTH_ORDERS, Comparisons, infinite_scores, no_position, with_itself};
use super::{newton, rounds};
use crowdwise_core::stats::LEVEL;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, Finding, Fit, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Severity, Situation, Status, Subject, Truth, group,
};
use crowdwise_numerics::normal_reach;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Scores from comparisons: the better item wins with a probability that grows with the difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BradleyTerry {
    /// How ties are treated: `rao-kupper`, the difference was below a threshold that is estimated; `davidson`, a third
    /// outcome whose rate is estimated; `half`, half a win for each side.
    pub ties: TieModel,
    /// Strength of the pull of the scores towards 0 (weight of half their sum of squares): keeps scores finite for items that always
    /// win or always lose. 0 = maximum likelihood.
    pub ridge: f64,
    /// Wins and losses of every item against a virtual item of score 0, another way to keep scores finite.
    pub virtual_wins: f64,
    /// Also estimates an advantage of the item shown left. Refused, with a finding, unless at least a fifth of the
    /// pairs compared more than once was shown in both orders.
    pub position: bool,
    /// Confidence level of the intervals.
    pub level: f64,
    /// Components of up to this many items get exact standard errors (time grows with the third power); larger ones
    /// get approximate ones, which are too small where comparisons are few.
    pub dense_items: usize,
    /// How the maximum is sought: `newton`; or `rounds`, in which every item's share becomes its wins over what its
    /// opponents' shares make likely (the MM algorithm, slower; it needs `ties=half`, no pull and no position).
    pub solver: Solver,
    /// Maximum number of Newton steps, or rounds.
    pub max_iter: usize,
    /// Stops when no score changes by more than this; with `solver=rounds`, when the shares change by less in all.
    pub tol: f64,
}

/// How the maximum is sought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    #[default]
    Newton,
    Rounds,
}

/// What a tie says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TieModel {
    #[default]
    RaoKupper,
    Davidson,
    Half,
}

impl Default for BradleyTerry {
    fn default() -> Self {
        BradleyTerry {
            ties: TieModel::RaoKupper,
            ridge: 0.01,
            virtual_wins: 0.0,
            position: false,
            level: LEVEL,
            dense_items: 2000,
            solver: Solver::Newton,
            max_iter: 100,
            tol: 1e-8,
        }
    }
}

impl Method for BradleyTerry {
    const INFO: MethodInfo = MethodInfo {
        id: "bradley-terry",
        name: "Bradley-Terry",
        summary: "Scores and intervals from comparisons of two items, ties included.",
        doc: include_str!("bradley_terry.md"),
        aliases: &["bt", "bt-ties"],
        accepts: &[LabelKind::Preference],
        capabilities: Capabilities { monotone: true, warm_start: true, likelihood: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs: I. The method of paired comparisons, Biometrika 39(3/4), 1952",
                doi: Some("10.1093/biomet/39.3-4.324"),
            },
            Reference {
                text: "P. V. Rao and L. L. Kupper, Ties in paired-comparison experiments: a generalization of the Bradley-Terry model, Journal of the American Statistical Association 62(317), 1967",
                doi: Some("10.1080/01621459.1967.10482901"),
            },
            Reference {
                text: "R. R. Davidson, On extending the Bradley-Terry model to accommodate ties in paired comparison experiments, Journal of the American Statistical Association 65(329), 1970",
                doi: Some("10.1080/01621459.1970.10481082"),
            },
            Reference {
                text: "D. R. Hunter, MM algorithms for generalized Bradley-Terry models, Annals of Statistics 32(1), 2004",
                doi: Some("10.1214/aos/1079120141"),
            },
        ],
        status: Status::Stable,
        compared: &[Situation::Comparisons, Situation::Rankings],
        ..MethodInfo::of(Family::Preference)
    };

    fn check(&self, problems: &mut Problems) {
        problems.at_least("ridge", self.ridge, 0.0);
        problems.at_least("virtual_wins", self.virtual_wins, 0.0);
        problems.between("level", self.level, 0.0, 1.0);
        problems.count("max_iter", self.max_iter);
        let rounds = self.solver == Solver::Rounds;
        let plain = self.ties == TieModel::Half && !self.position && self.ridge == 0.0 && self.virtual_wins == 0.0;
        let must = "`newton` unless `ties` is `half`, `ridge` and `virtual_wins` are 0 and `position` is false";
        problems.require(!rounds || plain, "solver", "rounds", must);
        problems.require(self.tol > 0.0 || (rounds && self.tol == 0.0), "tol", self.tol, "greater than 0");
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let mut comparisons = Comparisons::new(&data.table, self.position);
        let mut findings = Vec::new();
        if comparisons.with_itself > 0 {
            findings.push(with_itself(comparisons.with_itself));
        }
        let position = self.position && comparisons.both_orders >= BOTH_ORDERS;
        if self.position && !position {
            findings.push(no_position(&comparisons));
            comparisons = Comparisons::new(&data.table, false);
        }
        let mut ties = self.ties;
        if comparisons.ties == 0.0 {
            ties = TieModel::Half; // without ties all three are the same model
        } else if comparisons.decided == 0.0 && ties != TieModel::Half {
            ties = TieModel::Half;
            findings.push(only_ties());
        }
        let (component, n_components) = comparisons.components();
        let strong = comparisons.strong_components();
        let finite = self.ridge > 0.0 || self.virtual_wins > 0.0;
        findings.extend(infinite_scores(n_components, strong, finite));

        let problem =
            Problem { data: &comparisons, ties, position, ridge: self.ridge, virtual_wins: self.virtual_wins };
        let mut x = cx.warm.and_then(|w| warm_point(w, &problem)).unwrap_or_else(|| problem.start());
        let run = match self.solver {
            Solver::Newton => newton::maximise(&problem, &component, &mut x, self.max_iter, self.tol, cx)?,
            Solver::Rounds => rounds::maximise(&problem, &mut x, self.max_iter, self.tol, cx)?,
        };
        let kind = if problem.shift_free() { "log-likelihood" } else { "penalised-log-likelihood" };
        let mut diagnostics = run.diagnostics(kind);

        let at = problem.derivatives(&x);
        let var = cx.install(|| variances(&problem, &at, &component, n_components, self.dense_items))?;
        if var.approximate > 0 {
            findings.push(approximate(var.approximate, self.dense_items));
        }
        let score = centred(&x[..comparisons.n_items], &component, n_components);
        let z = normal_reach(self.level);
        let interval: Vec<[f64; 2]> =
            score.iter().zip(&var.score).map(|(s, v)| [s - z * v.sqrt(), s + z * v.sqrt()]).collect();
        let ranks = places(&var, &score, &interval, &component, self.level);

        let mut note = |key: &str, value| diagnostics.details.insert(key.into(), value);
        note("pairs", json!(comparisons.pairs.len()));
        note("tied", json!(comparisons.ties));
        note("components", json!(n_components));
        note("strong_components", json!(strong));
        note("both_orders_share", json!(comparisons.both_orders));
        note("intervals", json!(if var.approximate > 0 { "second-order" } else { "exact" }));
        note("tie_model", json!(ties));
        if problem.has_tie() {
            // η of Rao and Kupper as it is; Davidson's ν from its logarithm
            let t = problem.tie(&x);
            let (value, slope) = if ties == TieModel::Davidson { (t.exp(), t.exp()) } else { (t, 1.0) };
            note("tie_parameter", json!(value));
            note("tie_parameter_se", json!(slope * var.extra[0].sqrt()));
        }
        if position {
            note("position_effect", json!(problem.position(&x)));
            note("position_effect_se", json!(var.extra[problem.n_extra() - 1].sqrt()));
            let without = Problem { position: false, ..problem };
            let mut y = without.start();
            let other = newton::maximise(&without, &component, &mut y, self.max_iter, self.tol, cx)?;
            let best = other.trace.last().and_then(|t| t.objective);
            note("position_likelihood_ratio", json!(best.map(|b| 2.0 * (-at.value - b))));
        }
        Ok(Outcome {
            uncalibrated: None,
            truth: Truth::Scores { score, interval, component, ranks },
            annotators: Annotators::None,
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings,
        })
    }
}

/// Scores with mean 0 in every component.
pub fn centred(x: &[f64], component: &[u32], n_components: usize) -> Vec<f64> {
    let (mut sum, mut count) = (vec![0.0; n_components], vec![0.0; n_components]);
    for (s, &c) in x.iter().zip(component) {
        sum[c as usize] += s;
        count[c as usize] += 1.0;
    }
    x.iter().zip(component).map(|(s, &c)| s - sum[c as usize] / count[c as usize]).collect()
}

/// The point where an earlier fit of the same items ended.
fn warm_point(fit: &Fit, problem: &Problem<'_>) -> Option<Point> {
    let Truth::Scores { score, .. } = &fit.truth else { return None };
    if score.len() != problem.n() || score.iter().any(|s| !s.is_finite()) {
        return None;
    }
    let mut x = problem.start();
    x[..score.len()].copy_from_slice(score);
    let detail = |key: &str| fit.diagnostics.details.get(key).and_then(serde_json::Value::as_f64);
    if problem.has_tie()
        && fit.diagnostics.details.get("tie_model") == Some(&json!(problem.ties))
        && let Some(t) = detail("tie_parameter").filter(|&t| t > 0.0 && t.is_finite())
    {
        x[problem.n()] = if problem.ties == TieModel::Davidson { t.ln() } else { t };
    }
    if problem.position
        && let Some(g) = detail("position_effect")
    {
        x[problem.n() + usize::from(problem.has_tie())] = g;
    }
    Some(x)
}

fn only_ties() -> Finding {
    Finding::new(
        "only-ties",
        Severity::Warning,
        Subject::Data,
        "every comparison is a tie: the rate of ties cannot be separated from how close the items are",
        "ties were counted half to each side; collect comparisons that end with a winner",
    )
}

fn approximate(components: usize, limit: usize) -> Finding {
    Finding::new(
        "approximate-intervals",
        Severity::Info,
        Subject::Fit,
        format!(
            "the intervals of {} of more than {} items are second-order approximations: too narrow for items with few comparisons",
            if components == 1 { "a group".to_owned() } else { format!("{components} groups") },
            group(limit as u64)
        ),
        "raise `dense_items` for exact ones, if time and memory allow (8 bytes times its square)",
    )
}
