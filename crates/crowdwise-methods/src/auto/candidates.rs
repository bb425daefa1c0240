//! The models that are fitted, and what the labels say about each.

use super::Auto;
use super::choose::{Departure, Votes};
use crate::confusion::em::Fitted;
use crate::confusion::kernel::Engine;
use crate::pooled::{PooledDawidSkene, PooledPrior, Structure};
use crowdwise_core::questions::cavity_agreement;
use crowdwise_core::{Context, Dataset, Error, Event};

pub(super) struct Candidate {
    pub name: &'static str,
    /// One accuracy per annotator; the others have confusion matrices.
    pub coin: bool,
    pub fitted: Fitted,
    /// Mean over annotators of how well their labels agree with what the others say.
    pub agreement: f64,
    pub departure: Departure,
}

impl Candidate {
    fn new(name: &'static str, coin: bool, fitted: Fitted, votes: &Votes<'_>) -> Candidate {
        let q = &fitted.posterior;
        let agreement = cavity_agreement(votes.labels, &fitted.tables, q).unwrap_or(0.0);
        let departure = votes.departure(q);
        Candidate { name, coin, fitted, agreement, departure }
    }
}

/// The four candidates.
pub(super) fn candidates(
    auto: &Auto,
    engine: &mut Engine,
    data: &Dataset,
    gold: Option<&[Option<u32>]>,
    votes: &Votes<'_>,
    cx: &mut Context<'_>,
) -> Result<Vec<Candidate>, Error> {
    let full = base(auto);
    let flat = PooledDawidSkene { class_prior: PooledPrior::Uniform, ..full.clone() };
    let annealed = PooledDawidSkene { temperatures: None, ..full.clone() };
    let coin = PooledDawidSkene { structure: Structure::One, class_prior: PooledPrior::Votes, ..full.clone() };
    let mut out = Vec::with_capacity(4);
    for (name, model) in
        [("accuracies", coin), ("matrices", full), ("annealed matrices", annealed), ("matrices, even classes", flat)]
    {
        cx.event(&Event::Stage { name: name.into() });
        let (fitted, _) = model.fit_on(engine, data, gold, cx)?;
        out.push(Candidate::new(name, model.structure == Structure::One, fitted, votes));
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
    let model = PooledDawidSkene { class_prior: PooledPrior::Uniform, max_iter: 2, ..base(auto) };
    let (fitted, _) = model.fit_on(engine, data, gold, cx)?;
    Ok(Candidate::new("two steps", false, fitted, votes))
}

fn base(auto: &Auto) -> PooledDawidSkene {
    PooledDawidSkene {
        max_iter: auto.max_iter,
        tol: auto.tol,
        temperatures: Some(Vec::new()),
        ..PooledDawidSkene::default()
    }
}
