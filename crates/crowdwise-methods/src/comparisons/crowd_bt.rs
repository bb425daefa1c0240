use super::bradley_terry::{TieModel, centred};
use super::information::{Errors, Grade};
use super::mixture::{Mixture, Position};
use super::pairs::{BOTH_ORDERS, Comparisons, infinite_scores, no_position, with_itself};
use super::prior::Crowd;
use crowdwise_core::stats::LEVEL;
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Error, Family, Finding, Fit, LabelKind, Method, MethodInfo, Outcome,
    Problems, Reference, Run, Severity, Situation, Status, Step, Stop, Subject, Truth, group,
};
use crowdwise_numerics::lbfgs::Search;
use crowdwise_numerics::{logistic, normal_reach};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Scores from comparisons by annotators of different reliability: some guess, some answer the other way round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CrowdBradleyTerry {
    /// How ties are treated: `rao-kupper`, the difference was below a threshold that is estimated; `davidson`, a third
    /// outcome whose rate is estimated; `half`, half a win for each side.
    pub ties: TieModel,
    /// Advantage of the item shown left: `none`, one for all annotators (`shared`), or one for each (`annotators`,
    /// pulled towards 0). Refused, with a finding, unless at least a fifth of the pairs compared more than once was
    /// shown in both orders.
    pub position: Position,
    /// Prior of the reliability w: w^(alpha - 1) (1 - w)^(beta - 1). More than `beta`, so that "most are right" tells
    /// the ranking from its reverse. `null`: both are estimated from the comparisons.
    pub alpha: Option<f64>,
    /// See `alpha`; give both or neither.
    pub beta: Option<f64>,
    /// Wins and losses of every item against a virtual item of score 0: keeps scores finite.
    pub virtual_wins: f64,
    /// Strength of the pull of the scores towards 0 (weight of half their sum of squares).
    pub ridge: f64,
    /// Confidence level of the intervals.
    pub level: f64,
    /// Up to this many items standard errors are exact (time grows with the third power); beyond they are approximate
    /// and too small where comparisons are few.
    pub dense_items: usize,
    /// Maximum number of steps of the optimiser.
    pub max_iter: usize,
    /// Stops when no variable would move by more than this in a scaled gradient step.
    pub tol: f64,
}

impl Default for CrowdBradleyTerry {
    fn default() -> Self {
        CrowdBradleyTerry {
            ties: TieModel::RaoKupper,
            position: Position::None,
            alpha: None,
            beta: None,
            virtual_wins: 0.5,
            ridge: 0.0,
            level: LEVEL,
            dense_items: 1500,
            max_iter: 500,
            tol: 1e-6,
        }
    }
}

/// Steps after which the scale is taken anew.
const RESCALE: [usize; 3] = [8, 30, 100];
/// Times at most that the prior is estimated, and how well the scores are known by then.
const ROUNDS: usize = 4;
const ROUGH: f64 = 1e-3;

impl Method for CrowdBradleyTerry {
    const INFO: MethodInfo = MethodInfo {
        id: "crowd-bt",
        name: "Crowd Bradley-Terry",
        summary: "Scores and annotator reliabilities from comparisons of two items, ties included.",
        doc: include_str!("crowd_bt.md"),
        aliases: &["crowd-bradley-terry", "noisy-bradley-terry"],
        accepts: &[LabelKind::Preference],
        capabilities: Capabilities { monotone: true, warm_start: true, likelihood: true, ..Capabilities::NONE },
        references: &[
            Reference {
                text: "X. Chen, P. N. Bennett, K. Collins-Thompson and E. Horvitz, Pairwise ranking aggregation in a crowdsourced setting, WSDM 2013",
                doi: Some("10.1145/2433396.2433420"),
            },
            Reference {
                text: "R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs: I. The method of paired comparisons, Biometrika 39(3/4), 1952",
                doi: Some("10.1093/biomet/39.3-4.324"),
            },
            Reference {
                text: "P. V. Rao and L. L. Kupper, Ties in paired-comparison experiments: a generalization of the Bradley-Terry model, Journal of the American Statistical Association 62(317), 1967",
                doi: Some("10.1080/01621459.1967.10482901"),
            },
        ],
        status: Status::Stable,
        compared: &[Situation::Comparisons, Situation::Rankings],
        ..MethodInfo::of(Family::Preference)
    };

    fn check(&self, problems: &mut Problems) {
        let given = |x: Option<f64>| x.unwrap_or(1.0);
        problems.at_least("alpha", given(self.alpha), 1.0);
        problems.at_least("beta", given(self.beta), 1.0);
        problems.require(
            self.alpha.is_some() == self.beta.is_some(),
            "beta",
            self.beta.map_or_else(|| "null".into(), |b| b.to_string()),
            "given if `alpha` is, and left out if `alpha` is",
        );
        problems.at_least("virtual_wins", self.virtual_wins, 0.0);
        problems.at_least("ridge", self.ridge, 0.0);
        problems.between("level", self.level, 0.0, 1.0);
        problems.count("max_iter", self.max_iter);
        problems.positive("tol", self.tol);
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        true
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let pairs = Comparisons::new(&data.table, false);
        let mut findings = Vec::new();
        if pairs.with_itself > 0 {
            findings.push(with_itself(pairs.with_itself));
        }
        let (component, n_components) = pairs.components();
        let strong = pairs.strong_components();
        findings.extend(infinite_scores(n_components, strong, self.ridge > 0.0 || self.virtual_wins > 0.0));
        let mut m = self.model(data, &pairs, &mut findings);
        let warm = cx.warm.and_then(|w| Some((warm_point(w, &m, &component)?, warm_prior(w))));
        let (start, before) = warm.unwrap_or_else(|| (m.start(), None));
        let start = self.estimate_prior(&mut m, start, before, cx)?;
        let (x, run) = minimum(&m, start, self.max_iter, self.tol, cx)?;

        let errors = cx.install(|| Errors::at(&m, &x, &component, n_components, self.dense_items))?;
        findings.extend(about_errors(errors.grade, self.dense_items));
        let score = centred(&x[..m.n_items], &component, n_components);
        let z = normal_reach(self.level);
        let interval: Vec<[f64; 2]> =
            score.iter().zip(&errors.score).map(|(s, v)| [s - z * v.sqrt(), s + z * v.sqrt()]).collect();
        let ranks = errors.places(&score, &interval, &component, self.level);
        let accuracy: Vec<f64> = x[m.n_items..m.tie_at()].iter().map(|&t| logistic(t)).collect();
        findings.extend(turned(&m, &accuracy));

        let mut diagnostics = run.diagnostics("penalised-log-likelihood");
        let mut note = |key: &str, value: Value| diagnostics.details.insert(key.into(), value);
        note("pairs", json!(pairs.pairs.len()));
        note("tied", json!(pairs.ties));
        note("components", json!(n_components));
        note("strong_components", json!(strong));
        note("both_orders_share", json!(pairs.both_orders));
        note(
            "intervals",
            json!(match errors.grade {
                Grade::Full => "exact",
                Grade::Known => "known-reliability",
                Grade::Diagonal => "second-order",
            }),
        );
        note("prior", json!(m.prior));
        note("tie_model", json!(m.ties));
        if m.has_tie() {
            let ties = m.ties_of(&x);
            note("tie_parameter", json!(ties.parameter()));
            note("tie_parameter_se", json!(errors.tie.map(|v| v.sqrt() * ties.parameter())));
        }
        match m.position {
            Position::None => {}
            Position::Shared => {
                note("position_effect", json!(x[m.position_at()]));
                note("position_effect_se", json!(errors.position.map(f64::sqrt)));
            }
            Position::Annotators => _ = note("position_effects", json!(&x[m.position_at()..])),
        }
        // what centring took away: the score of the virtual item, for a start from here
        let first = |c: usize| component.iter().position(|&k| k as usize == c).map_or(0.0, |i| x[i] - score[i]);
        note("offset", json!((0..n_components).map(first).collect::<Vec<f64>>()));
        Ok(Outcome {
            uncalibrated: None,
            truth: Truth::Scores { score, interval, component, ranks },
            annotators: Annotators::Accuracy { k: 2, accuracy },
            class_prior: None,
            difficulty: None,
            diagnostics,
            findings,
        })
    }
}

impl CrowdBradleyTerry {
    /// The likelihood of this data, with what the data cannot tell left out.
    fn model(&self, data: &Dataset, pairs: &Comparisons, findings: &mut Vec<Finding>) -> Mixture {
        let mut m = Mixture::new(&data.table);
        (m.prior, m.ridge, m.virtual_wins) = (Crowd::DEFAULT.exponents(), self.ridge, self.virtual_wins);
        if let (Some(a), Some(b)) = (self.alpha, self.beta) {
            m.prior = [a, b];
        } else {
            m.prior_estimated = true;
        }
        m.position = self.position;
        if self.position != Position::None && pairs.both_orders < BOTH_ORDERS {
            findings.push(no_position(pairs));
            m.position = Position::None;
        }
        // without ties, or with nothing but ties, how often they happen is no question
        let mixed = pairs.ties > 0.0 && pairs.decided > 0.0;
        m.ties = if mixed { self.ties } else { TieModel::Half };
        m
    }

    /// Sets the prior that the comparisons speak for, in turn with the scores; where the search for the scores should start
    /// then. With a given prior nothing happens, nor if `before`, the prior of an earlier fit, still holds at its end.
    fn estimate_prior(
        &self,
        m: &mut Mixture,
        start: Vec<f64>,
        before: Option<Crowd>,
        cx: &mut Context<'_>,
    ) -> Result<Vec<f64>, Error> {
        if self.alpha.is_some() {
            return Ok(start);
        }
        if let Some(before) = before {
            m.prior = before.exponents();
            if Crowd::of(m, &start).near(before) {
                return Ok(start);
            }
        }
        let (mut x, mut crowd) = (start, Crowd::DEFAULT);
        for _ in 0..ROUNDS {
            let (next, run) = minimum(m, x, self.max_iter, self.tol.max(ROUGH), cx)?;
            x = next;
            if run.stop == Stop::Cancelled {
                break;
            }
            let found = Crowd::of(m, &x);
            m.prior = found.exponents();
            if found.near(crowd) {
                break;
            }
            crowd = found;
        }
        Ok(x)
    }
}

/// Where the penalised likelihood is largest, and how the way there went.
fn minimum(
    m: &Mixture,
    start: Vec<f64>,
    max_iter: usize,
    tol: f64,
    cx: &mut Context<'_>,
) -> Result<(Vec<f64>, Run), Error> {
    let mut search = Search::new(start, 12, |x, g| m.evaluate(x, g));
    let mut scale = m.scale(&search.x);
    let mut turn = true;
    let run = cx.iterate(max_iter, tol, |_, iteration| {
        if !search.value.is_finite() {
            return Ok(Step { objective: None, change: f64::NAN });
        }
        if RESCALE.contains(&iteration) {
            scale = m.scale(&search.x);
            search.forget();
        }
        let mut change = search.distance(&scale);
        if change >= tol && !search.step(&scale, |x, g| m.evaluate(x, g)) {
            change = 0.0; // no way down at the precision of the numbers
        }
        if change < tol && turn {
            turn = false;
            if let Some(x) = turned_round(m, &search.x) {
                let other = Search::new(x, 12, |x, g| m.evaluate(x, g));
                if other.value < search.value {
                    search = other;
                    change = 1.0;
                }
            }
        }
        Ok(Step { objective: Some(-search.value), change })
    })?;
    Ok((search.x, run))
}

/// The reverse ranking with reverse annotators, which the comparisons cannot tell from `x`; `None` where the prior
/// speaks for `x`.
fn turned_round(m: &Mixture, x: &[f64]) -> Option<Vec<f64>> {
    let t = &x[m.n_items..m.tie_at()];
    (t.iter().sum::<f64>() < 0.0).then(|| {
        let mut y = x.to_vec();
        y[..m.tie_at()].iter_mut().for_each(|v| *v = -*v);
        y
    })
}

/// The point where an earlier fit of the same items and annotators ended.
fn warm_point(fit: &Fit, m: &Mixture, component: &[u32]) -> Option<Vec<f64>> {
    let (Truth::Scores { score, .. }, Annotators::Accuracy { accuracy, .. }) = (&fit.truth, &fit.annotators) else {
        return None;
    };
    if (score.len(), accuracy.len()) != (m.n_items, m.n_annotators) || score.iter().any(|s| !s.is_finite()) {
        return None;
    }
    let details = &fit.diagnostics.details;
    let mut x = m.start();
    let offset = details.get("offset").and_then(Value::as_array);
    for (i, s) in score.iter().enumerate() {
        x[i] = s + offset.and_then(|o| o.get(component[i] as usize)?.as_f64()).unwrap_or(0.0);
    }
    for (x, w) in x[m.n_items..].iter_mut().zip(accuracy) {
        let w = w.clamp(1e-12, 1.0 - 1e-12);
        *x = (w / (1.0 - w)).ln();
    }
    if m.has_tie()
        && details.get("tie_model") == Some(&json!(m.ties))
        && let Some(t) = details.get("tie_parameter").and_then(Value::as_f64).filter(|&t| t > 0.0 && t.is_finite())
    {
        x[m.tie_at()] = t.ln();
    }
    let at = m.position_at();
    match m.position {
        Position::None => {}
        Position::Shared => x[at] = details.get("position_effect").and_then(Value::as_f64).unwrap_or(0.0),
        Position::Annotators => {
            if let Some(all) = details.get("position_effects").and_then(Value::as_array) {
                x[at..].iter_mut().zip(all).for_each(|(x, v)| *x = v.as_f64().unwrap_or(0.0));
            }
        }
    }
    Some(x)
}

/// The prior that an earlier fit was made with.
fn warm_prior(fit: &Fit) -> Option<Crowd> {
    let prior: [f64; 2] = serde_json::from_value(fit.diagnostics.details.get("prior")?.clone()).ok()?;
    prior.iter().all(|p| p.is_finite() && *p >= 1.0).then(|| Crowd::from_exponents(prior)).filter(Crowd::is_one)
}

/// Annotators whose answers count the other way round.
fn turned(m: &Mixture, w: &[f64]) -> Option<Finding> {
    let mut n = vec![0u32; w.len()];
    m.annotator.iter().for_each(|&j| n[j as usize] += 1);
    let sure = |j: usize| w[j] < 0.5 - 1.0 / f64::from(n[j].max(1)).sqrt();
    let reversed = (0..w.len()).filter(|&j| n[j] >= 10 && sure(j)).count();
    (reversed > 0).then(|| {
        Finding::new(
            "turned-round",
            Severity::Info,
            Subject::Fit,
            format!(
                "{} of {} annotators prefer the worse item more often than not: their answers count the other way round",
                group(reversed as u64),
                group(w.len() as u64)
            ),
            "look at them: the question may have been misread, or left and right exchanged",
        )
    })
}

fn about_errors(grade: Grade, limit: usize) -> Option<Finding> {
    let (what, advice) = match grade {
        Grade::Full => return None,
        Grade::Known => (
            "the intervals take the reliabilities of the annotators as known, because there are too many of both"
                .into(),
            "they are a little too narrow for items with few comparisons".into(),
        ),
        Grade::Diagonal => (
            format!("the intervals of more than {} items are second-order approximations", group(limit as u64)),
            "too narrow for items with few comparisons; raise `dense_items` for exact ones, if time and memory allow"
                .to_owned(),
        ),
    };
    Some(Finding::new("approximate-intervals", Severity::Info, Subject::Fit, what, advice))
}
