//! Classes: what kind of crowd this is, the models that follow from it, and the one that is used.

use super::candidates::{Candidate, base, candidates, two_step};
use super::choose::{MATRICES, Votes, choose};
use super::special::{self, Special};
use super::{Auto, certainty, words};
use crate::classes::calibration::{self, Evidence, Strength, Weighed};
use crate::classes::confusion::kernel::Engine;
use crate::classes::confusion::{OneCoin, shared};
use crate::classes::sanity::Departure;
use crate::classes::sources::{OneClassSources, one_class_sources};
use crate::classes::voting::MajorityVote;
use crowdwise_core::{
    Annotators, Categorical, Context, Dataset, Diagnostics, Error, Finding, Method, Objective, Outcome, TracePoint,
    Truth,
};

type Known<'a> = Option<&'a [Option<u32>]>;

pub(super) fn fit(auto: &Auto, data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    // candidates are compared from the same start
    cx.warm = None;
    let (labels, gold) = shared::inputs(data);
    let gold = gold.as_deref();
    if data.table.n_annotators() < 3 || labels.k() < 2 {
        let few = if labels.k() < 2 { "there is only one class" } else { "there are fewer than three annotators" };
        let out = MajorityVote::default().fit(data, cx)?;
        return Ok(words::simple(out, data, "majority-vote", few));
    }
    let one_class = one_class_sources(&labels);
    // with few labels per item, matrices of the others are no better known than theirs
    if one_class.matter() || one_class.sources > 0 && words::thin(data).is_some() {
        return sources(data, &labels, gold, cx);
    }
    let mut engine = match Engine::new(&labels, gold, cx.threads) {
        Ok(engine) => engine,
        Err(Error::TooLarge { .. }) => {
            let out = OneCoin::default().fit(data, cx)?;
            let why = "a confusion matrix per annotator would not fit into memory";
            return Ok(words::simple(out, data, "one-coin", why));
        }
        Err(e) => return Err(e),
    };
    let votes = Votes::new(&labels, gold);
    let mut fits = candidates(auto, &mut engine, data, gold, &votes, cx)?;
    let choice = choose(&fits, &votes, auto);
    let used = if let Some(x) = choice.used {
        x
    } else {
        fits.push(two_step(auto, &mut engine, data, gold, &votes, cx)?);
        if Departure::of(&labels, gold, &fits[MATRICES + 1].fitted.posterior).rejects(&labels).is_some() {
            let mut out = MajorityVote::default().fit(data, cx)?;
            out.findings.push(words::all_rejected(&fits[..=MATRICES], &choice, "majority vote"));
            words::details(&mut out.diagnostics.details, &fits, "majority-vote", &choice, &votes);
            return Ok(out);
        }
        fits.len() - 1
    };
    // the rehearsal packs labels of its own
    drop(engine);
    let special = match choice.used {
        Some(_) => special::find(data, &labels, gold, &fits[MATRICES], auto.max_iter, cx)?,
        None => None,
    };
    let run = Run { auto, data, labels, gold, fits: &fits, used, special: special.as_ref() };
    let (mut out, told) = run.outcome(cx)?;
    let departure = Departure::of(&labels, gold, posterior(&out));
    let finding = match choice.used {
        Some(_) => words::chosen(&fits, &choice, special.as_ref(), &departure),
        None => words::all_rejected(&fits[..=MATRICES], &choice, "a majority vote refined in two steps"),
    };
    out.findings.push(finding);
    if special.is_none() {
        out.findings.extend(words::undecided(&fits, &choice));
    }
    out.findings.extend(words::thin(data));
    out.findings.extend(told);
    let name = special.as_ref().map_or(fits[used].name, |s| s.name);
    words::details(&mut out.diagnostics.details, &fits, name, &choice, &votes);
    out.diagnostics.iterations += fits.iter().map(|c| c.fitted.run.iterations).sum::<usize>();
    // what is maximised is the choice: the score of the best candidate
    let score = if special.is_none() { choice.best() } else { None };
    out.diagnostics.objective = score.map(|value| Objective { kind: "agreement-less-drift".into(), value });
    Ok(out)
}

/// Sources that vote for one class only matter: their confusion matrices are not identified.
fn sources(data: &Dataset, labels: &Categorical<'_>, gold: Known<'_>, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    let share = 100.0 * one_class_sources(labels).share;
    let why = format!(
        "{share:.0} % of the labels come from sources that only ever vote for one class, so their confusion matrices cannot be estimated"
    );
    let out = OneClassSources::default().fit(data, cx)?;
    if Departure::of(labels, gold, posterior(&out)).rejects(labels).is_none() {
        return Ok(words::simple(out, data, "one-class-sources", &why));
    }
    let out = MajorityVote::default().fit(data, cx)?;
    Ok(words::simple(
        out,
        data,
        "majority-vote",
        &format!("{why}, and the model for such sources dropped some of the classes"),
    ))
}

fn posterior(out: &Outcome) -> &[f64] {
    match &out.truth {
        Truth::Classes { posterior, .. } => posterior,
        _ => unreachable!("labels are classes"),
    }
}

/// What is used, and what it was fitted to.
struct Run<'r> {
    auto: &'r Auto,
    data: &'r Dataset,
    labels: Categorical<'r>,
    gold: Known<'r>,
    fits: &'r [Candidate],
    used: usize,
    special: Option<&'r Special>,
}

impl Run<'_> {
    fn k(&self) -> usize {
        self.labels.k()
    }

    /// The fit that is used, with calibrated probabilities and a word about them.
    fn outcome(&self, cx: &mut Context<'_>) -> Result<(Outcome, Option<Finding>), Error> {
        let (k, fitted) = (self.k(), &self.fits[self.used].fitted);
        let evidence = Evidence::new(self.labels, &fitted.tables, &fitted.prior);
        let plain = Strength { overfit: 1.0, shared: 0.0, gold: 1.0, items_differ: false };
        let mut model = fitted.posterior.clone();
        if let Some(s) = self.special {
            model.copy_from_slice(&s.posterior);
        } else {
            calibration::calibrate(&evidence, &plain, self.gold, &mut model, cx)?;
        }
        let mut out = self.plain(model.clone());
        if !self.auto.calibrate {
            return Ok((out, None));
        }
        let coin = self.fits[self.used].coin;
        let auto = self.auto;
        let mut refit = |drawn: &Dataset, cx: &mut Context<'_>| {
            let labels = drawn.table.categorical().expect("labels are classes");
            let mut engine = Engine::new(&labels, None, cx.threads)?;
            let (again, _) = base(auto, coin).1.fit_on(&mut engine, drawn, None, cx)?;
            Ok((again.tables, again.prior))
        };
        let (mut strength, rehearsal, excess) = calibration::strength(
            &self.labels,
            &fitted.tables,
            &fitted.prior,
            (auto.errors, auto.shared_prior),
            cx,
            &mut refit,
        )?;
        let known = calibration::known(&evidence, &strength, self.gold);
        strength.learn(&known);
        let mut posterior = model.clone();
        if let Some(special) = self.special {
            strength.items_differ = special.items_differ;
            self.by_count(&strength, &mut posterior);
        } else {
            calibration::calibrate(&evidence, &strength, self.gold, &mut posterior, cx)?;
        }
        let told =
            certainty::tell(&mut out.diagnostics.details, auto.errors, &strength, &rehearsal, &excess, known.len());
        // one story: the shares of the classes are those that the probabilities add up to
        if let Some(shares) = certainty::shares(&posterior, self.data, k) {
            for u in (0..self.data.table.n_units()).filter(|&u| self.data.table.degree(u) == 0) {
                if self.gold.is_none_or(|g| g[u].is_none()) {
                    posterior[u * k..(u + 1) * k].copy_from_slice(&shares);
                }
            }
            out.class_prior = Some(shares);
        }
        out.truth = Truth::Classes { k, posterior };
        out.uncalibrated = Some(model);
        Ok((out, Some(told)))
    }

    /// The model that is used, as it is.
    fn plain(&self, model: Vec<f64>) -> Outcome {
        let (k, fitted) = (self.k(), &self.fits[self.used].fitted);
        let run = self.special.map_or(&fitted.run, |s| &s.run);
        let mut diagnostics = Diagnostics {
            stop: run.stop,
            iterations: self.special.map_or(0, |s| s.run.iterations),
            objective: None,
            // objectives of different models are not comparable; changes are
            trace: run.trace.iter().map(|t| TracePoint { objective: None, ..*t }).collect(),
            details: serde_json::Map::new(),
        };
        if let Some(how) = run.settled {
            how.tell(&mut diagnostics.details);
        }
        let matrix = match self.special {
            Some(s) => s.matrix.clone(),
            None => shared::transpose(fitted.tables.clone(), k),
        };
        let mut out = Outcome::classes(k, model, Annotators::Confusion { k, matrix }, diagnostics);
        out.class_prior = Some(fitted.prior.clone());
        out
    }

    /// Calibrates a posterior whose evidence is not the sum of what labels say.
    fn by_count(&self, strength: &Strength, posterior: &mut [f64]) {
        let k = self.k();
        let mut w = Weighed::new(k);
        for (u, row) in posterior.chunks_exact_mut(k).enumerate() {
            let n = self.data.table.degree(u);
            if n > 0 && self.gold.is_none_or(|g| g[u].is_none()) {
                w.read_posterior(row, n);
                strength.probabilities(&w, row);
            }
        }
    }
}
