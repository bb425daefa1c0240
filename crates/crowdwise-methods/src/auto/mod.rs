//! Choosing and combining methods without knowing the truth.

mod candidates;
mod choose;
mod comparisons;
mod held_out;
mod values;
mod words;

use crate::confusion::OneCoin;
use crate::confusion::kernel::Engine;
use crate::confusion::shared;
use crate::voting::MajorityVote;
use candidates::{Candidate, candidates, two_step};
use choose::{Choice, Votes, choose};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, LabelKind, Method, MethodInfo, Objective, Outcome,
    Problems, Reference, Status, Stop,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Chooses between models, or averages them, by what the labels tell; says why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Auto {
    /// Most iterations of each candidate.
    pub max_iter: usize,
    /// Stop a candidate when one step changes no expected probability by more than this.
    pub tol: f64,
    /// What a candidate loses for moving the class shares away from those of the votes by 1.
    pub drift_weight: f64,
    /// Temper the probabilities by the number of labels of the item, because annotators err together on hard items. The
    /// labels stay the same.
    pub calibrate: bool,
}

impl Default for Auto {
    fn default() -> Self {
        Auto { max_iter: 60, tol: 1e-5, drift_weight: 0.75, calibrate: true }
    }
}

impl Method for Auto {
    const INFO: MethodInfo = MethodInfo {
        id: "auto",
        name: "Automatic choice",
        summary: "Fits four models, rejects those that collapse, averages the best, and reports calibrated probabilities.",
        doc: include_str!("auto.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical, LabelKind::Real, LabelKind::Preference],
        capabilities: Capabilities {
            confusion: true,
            monotone: false,
            stochastic: false,
            gold: true,
            warm_start: false,
            likelihood: false,
        },
        references: &[
            Reference {
                text: "A. P. Dawid and A. M. Skene. Maximum Likelihood Estimation of Observer Error-Rates Using the EM \
                       Algorithm. Applied Statistics 28(1), 1979.",
                doi: Some("10.2307/2346806"),
            },
            Reference {
                text: "L. Kish. Survey Sampling. Wiley, 1965 (the design effect: n labels that err together are worth fewer).",
                doi: None,
            },
        ],
        status: Status::Stable,
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.at_least("drift_weight", self.drift_weight, 0.0);
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        match data.table.kind() {
            LabelKind::Real => values::fit(data, cx),
            LabelKind::Preference => comparisons::fit(data, cx),
            _ => self.classes(data, cx),
        }
    }
}

impl Auto {
    fn classes(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        // candidates are compared from the same start
        cx.warm = None;
        let (labels, gold) = shared::inputs(data);
        let gold = gold.as_deref();
        if data.table.n_annotators() < 3 || labels.k() < 2 {
            let few = if labels.k() < 2 { "there is only one class" } else { "there are fewer than three annotators" };
            let out = MajorityVote::default().fit(data, cx)?;
            return Ok(words::simple(out, data, "majority-vote", few));
        }
        let mut engine = match Engine::new(&labels, gold, cx.threads) {
            Ok(engine) => engine,
            Err(Error::TooLarge { .. }) => {
                let out = OneCoin::default().fit(data, cx)?;
                return Ok(words::simple(
                    out,
                    data,
                    "one-coin",
                    "a confusion matrix for every annotator would not fit into memory",
                ));
            }
            Err(e) => return Err(e),
        };
        let votes = Votes::new(&labels, gold);
        let mut fits = candidates(self, &mut engine, data, gold, &votes, cx)?;
        let choice = choose(&fits, &votes, self);
        if choice.used.is_empty() {
            let last = two_step(self, &mut engine, data, gold, &votes, cx)?;
            return Ok(self.outcome(data, gold, &fits, &[last], &choice, &votes));
        }
        let findings = words::explain(&fits, &choice, &votes, data);
        let used: Vec<Candidate> = choice.used.iter().rev().map(|&x| fits.remove(x)).collect();
        let mut out = self.outcome(data, gold, &fits, &used, &choice, &votes);
        out.findings = findings;
        Ok(out)
    }

    /// The mean of the fits that are used, tempered. `all` were scored, `used` are the chosen ones.
    fn outcome(
        &self,
        data: &Dataset,
        gold: Option<&[Option<u32>]>,
        rest: &[Candidate],
        used: &[Candidate],
        choice: &Choice,
        votes: &Votes<'_>,
    ) -> Outcome {
        let k = data.table.n_classes();
        let mean = |pick: &dyn Fn(&Candidate) -> &[f64]| {
            let mut sum = pick(&used[0]).to_vec();
            for other in &used[1..] {
                sum.iter_mut().zip(pick(other)).for_each(|(a, b)| *a += b);
            }
            let share = 1.0 / used.len() as f64;
            sum.iter_mut().for_each(|x| *x *= share);
            sum
        };
        let mut posterior = mean(&|c| &c.fitted.posterior);
        let model = self.calibrate.then(|| posterior.clone());
        if self.calibrate {
            choose::temper(&mut posterior, &data.table, gold, k);
        }
        let matrix = shared::transpose(mean(&|c| &c.fitted.tables), k);
        let run = &used[0].fitted.run;
        let mut diagnostics = Diagnostics {
            stop: used
                .iter()
                .map(|c| c.fitted.run.stop)
                .max_by_key(|s| usize::from(*s != Stop::Converged))
                .unwrap_or(run.stop),
            iterations: rest.iter().chain(used).map(|c| c.fitted.run.iterations).sum(),
            // what is maximised is the choice: the score of the best candidate
            objective: choice.best().map(|value| Objective { kind: "agreement-less-drift".into(), value }),
            // objectives of different models are not comparable; changes are
            trace: run.trace.iter().map(|t| crowdwise_core::TracePoint { objective: None, ..*t }).collect(),
            details: serde_json::Map::new(),
        };
        words::details(&mut diagnostics.details, rest, used, choice, votes);
        let mut out = Outcome::classes(k, posterior, Annotators::Confusion { k, matrix }, diagnostics);
        out.uncalibrated = model;
        out.class_prior = Some(mean(&|c| &c.fitted.prior));
        if choice.used.is_empty() {
            out.findings = words::all_rejected(rest, votes);
        }
        out
    }
}
