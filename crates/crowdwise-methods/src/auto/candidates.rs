//! The models that are fitted, and what the labels say about each.

use super::Auto;
use super::choose::Votes;
use crate::classes::confusion::em::Fitted;
use crate::classes::confusion::kernel::Engine;
use crate::classes::pooled::{PooledDawidSkene, PooledPrior, Structure};
use crate::classes::sanity::Departure;
use crowdwise_core::questions::cavity_agreement;
use crowdwise_core::{Context, Dataset, Error, Event};

pub(super) struct Candidate {
    pub name: &'static str,
    /// One accuracy per annotator; the others have confusion matrices.
    pub coin: bool,
    pub fitted: Fitted,
    /// How well the labels of each annotator agree with what the others say, and the mean over annotators.
    pub by_annotator: Vec<Option<f64>>,
    pub agreement: f64,
    /// How far the class shares moved from those of the votes.
    pub drift: f64,
    pub departure: Departure,
}

impl Candidate {
    /// Standard error of the difference of the mean agreements of two candidates, annotators as pairs.
    pub fn difference_error(&self, other: &Candidate) -> f64 {
        let both = self.by_annotator.iter().zip(&other.by_annotator);
        let each: Vec<f64> = both.filter_map(|(a, b)| Some((*a)? - (*b)?)).collect();
        let n = each.len().max(1) as f64;
        let mean = each.iter().sum::<f64>() / n;
        (each.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / n).sqrt() / n.sqrt()
    }

    fn new(name: &'static str, coin: bool, fitted: Fitted, votes: &Votes<'_>) -> Candidate {
        let q = &fitted.posterior;
        let by_annotator = cavity_agreement(votes.labels, &fitted.tables, q);
        let each = || by_annotator.iter().flatten();
        let agreement = each().sum::<f64>() / each().count().max(1) as f64;
        let (drift, departure) = (votes.drift(q), votes.departure(q));
        Candidate { name, coin, fitted, by_annotator, agreement, drift, departure }
    }
}

/// One accuracy per annotator with the class shares of the votes, and a confusion matrix per annotator, annealed: what
/// crowds differ in most.
pub(super) fn candidates(
    auto: &Auto,
    engine: &mut Engine,
    data: &Dataset,
    gold: Option<&[Option<u32>]>,
    votes: &Votes<'_>,
    cx: &mut Context<'_>,
) -> Result<Vec<Candidate>, Error> {
    let mut out = Vec::with_capacity(2);
    for coin in [true, false] {
        let (name, model) = base(auto, coin);
        cx.event(&Event::Stage { name: name.into() });
        let (fitted, _) = model.fit_on(engine, data, gold, cx)?;
        out.push(Candidate::new(name, coin, fitted, votes));
    }
    Ok(out)
}

/// What is left when every candidate was rejected: two iterations from the votes, classes alike.
pub(super) fn two_step(
    auto: &Auto,
    engine: &mut Engine,
    data: &Dataset,
    gold: Option<&[Option<u32>]>,
    votes: &Votes<'_>,
    cx: &mut Context<'_>,
) -> Result<Candidate, Error> {
    let base = base(auto, false).1;
    let model =
        PooledDawidSkene { class_prior: PooledPrior::Uniform, max_iter: 2, temperatures: Some(Vec::new()), ..base };
    let (fitted, _) = model.fit_on(engine, data, gold, cx)?;
    Ok(Candidate::new("two steps", false, fitted, votes))
}

/// The model of a candidate, with its name.
pub(super) fn base(auto: &Auto, coin: bool) -> (&'static str, PooledDawidSkene) {
    let all = PooledDawidSkene { max_iter: auto.max_iter, tol: auto.tol, ..PooledDawidSkene::default() };
    if coin {
        ("accuracies", PooledDawidSkene { structure: Structure::One, class_prior: PooledPrior::Votes, ..all })
    } else {
        ("matrices", all)
    }
}
