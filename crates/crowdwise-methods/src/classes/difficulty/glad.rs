//! GLAD: abilities of annotators and difficulties of items (Whitehill and others, 2009).

use super::ability::{Expected, Labels, ease};
use crate::classes::confusion::{Init, start};
use crowdwise_core::{
    Annotators, Capabilities, Context, Dataset, Diagnostics, Error, Family, Gives, LabelKind, Method, MethodInfo,
    Outcome, Problems, Reference, Situation, Status, Step,
};
use crowdwise_numerics::Lbfgs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Where the class shares come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GladClassPrior {
    Uniform,
    Learn,
}

/// What the first posteriors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GladStart {
    VoteShare,
    Prior,
}

/// Parameters of GLAD.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Glad {
    /// Maximum number of rounds of expectation and maximisation.
    pub max_iter: usize,
    /// Stop when no posterior changes by more than this in a round.
    pub tol: f64,
    /// Maximum number of search steps for abilities and eases in a round.
    pub inner_iter: usize,
    /// End the search of a round when no ability or log ease would move by more than this.
    pub inner_tol: f64,
    /// Learn a difficulty for every item; `false` gives every item the ease 1, so that only the abilities remain.
    pub difficulty: bool,
    /// Class shares: `uniform` (as published) or `learn`.
    pub class_prior: GladClassPrior,
    /// First posteriors: `vote-share`, or `prior` = those of abilities and eases at their prior means.
    pub start: GladStart,
    /// Posteriors to use instead of the vote shares: `majority` keeps them, `random` matrices, or those of another
    /// method.
    pub init: Init,
    /// Prior mean of the abilities.
    pub alpha_mean: f64,
    /// Prior standard deviation of the abilities; null = no prior (abilities of faultless annotators then grow without
    /// bound).
    pub alpha_sd: Option<f64>,
    /// Prior mean of the log eases.
    pub beta_mean: f64,
    /// Prior standard deviation of the log eases; null = no prior (the scale is then shared freely between abilities
    /// and eases).
    pub beta_sd: Option<f64>,
}

impl Default for Glad {
    fn default() -> Self {
        Glad {
            max_iter: 100,
            tol: 1e-4,
            inner_iter: 25,
            inner_tol: 1e-4,
            difficulty: true,
            class_prior: GladClassPrior::Uniform,
            start: GladStart::VoteShare,
            init: Init::Majority,
            alpha_mean: 1.0,
            alpha_sd: Some(1.0),
            beta_mean: 1.0,
            beta_sd: Some(1.0),
        }
    }
}

impl Method for Glad {
    const INFO: MethodInfo = MethodInfo {
        id: "glad",
        name: "GLAD",
        summary: "Abilities of annotators and difficulties of items decide together whether a label is right.",
        doc: include_str!("glad.md"),
        aliases: &[],
        accepts: &[LabelKind::Categorical],
        capabilities: Capabilities {
            monotone: true,
            gold: true,
            warm_start: true,
            likelihood: true,
            ..Capabilities::NONE
        },
        references: &[Reference {
            text: "J. Whitehill, P. Ruvolo, T. Wu, J. Bergsma, J. Movellan. Whose vote should count more: optimal integration of labels from labelers of unknown expertise. Advances in Neural Information Processing Systems 22, 2009, 2035-2043",
            doi: None,
        }],
        status: Status::Stable,
        compared: Situation::OF_CLASSES,
        gives: Gives::DIFFICULTY,
        ..MethodInfo::of(Family::Difficulty)
    };

    fn check(&self, p: &mut Problems) {
        p.count("max_iter", self.max_iter);
        p.at_least("tol", self.tol, 0.0);
        p.count("inner_iter", self.inner_iter);
        p.at_least("inner_tol", self.inner_tol, 0.0);
        p.require(self.alpha_mean.is_finite(), "alpha_mean", self.alpha_mean, "a finite number");
        p.require(self.beta_mean.abs() <= 10.0, "beta_mean", self.beta_mean, "between -10 and 10");
        for (name, sd) in [("alpha_sd", self.alpha_sd), ("beta_sd", self.beta_sd)] {
            if let Some(sd) = sd {
                p.positive(name, sd);
            }
        }
    }

    fn numbers_matter(&self, _kind: LabelKind) -> bool {
        self.init != Init::Majority // every other start draws or chooses by number
    }

    fn fit(&self, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
        let labels = Labels::new(data).expect("the kind was checked");
        let (k, n) = (labels.k, labels.units);
        let log_ease = if self.difficulty { self.beta_mean } else { 0.0 };
        if k == 1 {
            // nothing can be wrong, so nothing can be learned
            let ability = vec![self.alpha_mean; labels.m];
            let annotators = Annotators::Ability { k, ability, typical_ease: ease(log_ease) };
            let mut out = Outcome::classes(k, vec![1.0; n], annotators, Diagnostics::direct());
            out.class_prior = Some(vec![1.0]);
            out.difficulty = self.difficulty.then(|| vec![1.0 / ease(log_ease); n]);
            return Ok(out);
        }
        let mut s = State {
            ability: vec![self.alpha_mean; labels.m],
            log_ease: vec![log_ease; n],
            prior: vec![1.0 / k as f64; k],
            posterior: vec![0.0; n * k],
            right: vec![0.0; labels.labels()],
            class_sums: vec![0.0; k],
        };
        let mut findings = Vec::new();
        if self.resume(cx, &mut s) || self.start == GladStart::Prior {
            cx.install(|| s.expect(&labels))?;
        } else {
            match start::posterior(data, self.init, 0, cx)? {
                None => labels.vote_shares(&mut s.posterior),
                Some((q, f)) => (s.posterior, findings) = (q, f),
            }
            s.class_sums = labels.spread(&s.posterior, &mut s.right);
        }
        let (mut steps, mut evaluations) = (0, 0);
        let run = cx.iterate(self.max_iter, self.tol, |cx, _| {
            let (e, searched) = cx.install(|| {
                let searched = self.maximise(&labels, &mut s);
                (s.expect(&labels), searched)
            })?;
            steps += searched.0;
            evaluations += searched.1;
            Ok(Step { objective: Some(e.log_likelihood - self.penalty(&s)), change: e.change })
        })?;
        let mut diagnostics = run.diagnostics("penalised-log-likelihood");
        diagnostics.details.insert("inner_steps".into(), json!(steps));
        diagnostics.details.insert("inner_evaluations".into(), json!(evaluations));
        let seen: Vec<f64> = (0..n).filter(|&u| labels.labelled(u)).map(|u| s.log_ease[u]).collect();
        let typical_ease = ease(seen.iter().sum::<f64>() / seen.len().max(1) as f64);
        let annotators = Annotators::Ability { k, ability: s.ability, typical_ease };
        let mut out = Outcome::classes(k, s.posterior, annotators, diagnostics);
        out.class_prior = Some(s.prior);
        out.difficulty = self.difficulty.then(|| s.log_ease.iter().map(|&b| 1.0 / ease(b)).collect());
        out.findings = findings;
        Ok(out)
    }
}

struct State {
    ability: Vec<f64>,
    log_ease: Vec<f64>,
    prior: Vec<f64>,
    posterior: Vec<f64>,
    /// P(right) of every label.
    right: Vec<f64>,
    class_sums: Vec<f64>,
}

impl State {
    fn expect(&mut self, labels: &Labels<'_>) -> Expected {
        let ln_prior: Vec<f64> = self.prior.iter().map(|p| p.ln()).collect();
        let e = labels.expect(&self.ability, &self.log_ease, &ln_prior, &mut self.posterior, &mut self.right);
        self.class_sums.copy_from_slice(&e.class_sums);
        e
    }
}

impl Glad {
    /// Takes abilities, eases and class shares from the fit to start from; false if there is none that fits.
    fn resume(&self, cx: &Context<'_>, s: &mut State) -> bool {
        let Some(fit) = cx.warm else { return false };
        let k = s.prior.len();
        match &fit.annotators {
            Annotators::Ability { k: of, ability, .. } if *of == k && ability.len() == s.ability.len() => {
                s.ability.copy_from_slice(ability);
            }
            _ => return false,
        }
        if let Some(d) = fit.difficulty.as_ref().filter(|d| self.difficulty && d.len() == s.log_ease.len()) {
            s.log_ease.iter_mut().zip(d).for_each(|(b, d)| *b = -d.ln());
        }
        if let Some(p) = fit.class_prior.as_ref().filter(|p| p.len() == k && self.class_prior == GladClassPrior::Learn)
        {
            s.prior.copy_from_slice(p);
        }
        true
    }

    /// The M step: class shares in closed form, abilities and log eases by a search that never lowers the expected
    /// log-likelihood. Returns the steps and evaluations it took.
    fn maximise(&self, labels: &Labels<'_>, s: &mut State) -> (usize, usize) {
        if self.class_prior == GladClassPrior::Learn {
            let total: f64 = s.class_sums.iter().sum();
            s.prior.iter_mut().zip(&s.class_sums).for_each(|(p, c)| *p = c / total);
        }
        let m = labels.m;
        let mut point = s.ability.clone();
        if self.difficulty {
            point.extend_from_slice(&s.log_ease);
        }
        let mut objective = Objective {
            glad: self,
            labels,
            right: &s.right,
            log_ease: &s.log_ease,
            unused: vec![0.0; if self.difficulty { 0 } else { labels.units }],
        };
        let scale = objective.scale(&point);
        let search = Lbfgs { max_iter: self.inner_iter, tol: self.inner_tol, history: 6 };
        let out = search.minimise(&mut point, &scale, |x, g| objective.value(x, g, None));
        s.ability.copy_from_slice(&point[..m]);
        if self.difficulty {
            s.log_ease.copy_from_slice(&point[m..]);
        }
        (out.steps, out.evaluations + 1)
    }

    /// What the priors take off the log-likelihood (normalising constants left out).
    fn penalty(&self, s: &State) -> f64 {
        let of = |v: &[f64], mean: f64, sd: Option<f64>| {
            sd.map_or(0.0, |sd| 0.5 * v.iter().map(|x| ((x - mean) / sd).powi(2)).sum::<f64>())
        };
        let abilities = of(&s.ability, self.alpha_mean, self.alpha_sd);
        abilities + if self.difficulty { of(&s.log_ease, self.beta_mean, self.beta_sd) } else { 0.0 }
    }
}

/// The negative expected log-likelihood with the priors, as a function of the abilities and, if these are learned, the
/// log eases.
struct Objective<'a> {
    glad: &'a Glad,
    labels: &'a Labels<'a>,
    right: &'a [f64],
    /// Used when difficulties are not learned.
    log_ease: &'a [f64],
    unused: Vec<f64>,
}

impl Objective<'_> {
    fn value(&mut self, point: &[f64], gradient: &mut [f64], curvature: Option<(&mut [f64], &mut [f64])>) -> f64 {
        let glad = self.glad;
        let (ability, log_ease) = point.split_at(self.labels.m);
        let (by_ability, by_ease) = gradient.split_at_mut(self.labels.m);
        let expected = if glad.difficulty {
            self.labels.value(ability, log_ease, self.right, by_ability, by_ease, curvature)
        } else {
            self.labels.value(ability, self.log_ease, self.right, by_ability, &mut self.unused, curvature)
        };
        let abilities = away(ability, by_ability, glad.alpha_mean, glad.alpha_sd);
        abilities + away(log_ease, by_ease, glad.beta_mean, glad.beta_sd) - expected
    }

    /// The inverse of the curvature's diagonal at `point`.
    fn scale(&mut self, point: &[f64]) -> Vec<f64> {
        let (m, n) = (self.labels.m, self.labels.units);
        let mut curve = vec![0.0; m + n];
        let (a, e) = curve.split_at_mut(m);
        self.value(point, &mut vec![0.0; point.len()], Some((a, e)));
        curve.truncate(point.len());
        let weight = |sd: Option<f64>| sd.map_or(0.0, |sd| 1.0 / (sd * sd));
        let (wa, we) = (weight(self.glad.alpha_sd), weight(self.glad.beta_sd));
        for (i, c) in curve.iter_mut().enumerate() {
            // far out on the sigmoid the curvature vanishes; a bounded scale keeps the first step sane
            *c = 1.0 / (*c + if i < m { wa } else { we }).max(1e-3);
        }
        curve
    }
}

/// Turns the gradient of the expected log-likelihood into that of the objective; returns the penalty.
fn away(v: &[f64], gradient: &mut [f64], mean: f64, sd: Option<f64>) -> f64 {
    let weight = sd.map_or(0.0, |sd| 1.0 / (sd * sd));
    let mut sum = 0.0;
    for (v, g) in v.iter().zip(gradient) {
        let d = v - mean;
        *g = weight * d - *g;
        sum += d * d;
    }
    0.5 * weight * sum
}

#[cfg(test)]
mod tests;
