//! Where iterations begin: one function from the data and the `init` parameter to tables or posteriors.

use super::em::Start;
use super::kernel::{Begin, Dense, Engine};
use super::{Rows, Zeros, shared};
use crate::classes::{moments, spectral};
use crowdwise_core::{Context, Dataset, Error, Finding, Severity, Subject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the iterations begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Init {
    /// Vote shares (hard EM: the majority class).
    Majority,
    /// Random confusion matrices, half identity, half Dirichlet rows.
    Random,
    /// The matrices that `spectral-em` begins with.
    Spectral,
    /// The matrices of `cnmf-spa`.
    CnmfSpa,
    /// The matrices of `cnmf-opt`.
    CnmfOpt,
    /// The matrices of `sym-nmf`.
    SymNmf,
    /// The matrices of `ctd`.
    Ctd,
}

/// Tables to begin with (annotators x label x truth, all positive), and what limits them.
pub(crate) struct Started {
    pub tables: Vec<f64>,
    pub findings: Vec<Finding>,
}

/// The tables that `init` stands for; `None` for the votes. `restart` tells random starts apart.
pub(crate) fn tables(
    data: &Dataset,
    init: Init,
    restart: usize,
    cx: &mut Context<'_>,
) -> Result<Option<Started>, Error> {
    let from = match init {
        Init::Majority => return Ok(None),
        Init::Random => {
            let (m, k) = (data.table.n_annotators(), data.table.n_classes());
            let tables = shared::random_tables(m, k, cx, restart);
            return Ok(Some(Started { tables, findings: Vec::new() }));
        }
        Init::Spectral => return of_third_moments(data, restart, cx).map(Some),
        Init::CnmfSpa => moments::From::CnmfSpa,
        Init::CnmfOpt => moments::From::CnmfOpt,
        Init::SymNmf => moments::From::SymNmf,
        Init::Ctd => moments::From::Ctd,
    };
    moments::start(data, from, cx).map(Some)
}

/// The tables of the random split of annotators that makes the labels likeliest; those of the votes, and why, if third
/// moments give none.
fn of_third_moments(data: &Dataset, restart: usize, cx: &mut Context<'_>) -> Result<Started, Error> {
    let (labels, gold) = shared::inputs(data);
    shared::check_entries(data.table.n_annotators(), labels.k(), labels.k())?;
    let mut engine = Engine::new(&labels, gold.as_deref(), cx.threads)?;
    let even = vec![1.0 / engine.k() as f64; engine.k()];
    let (found, why) = spectral::starts(data, cx, restart);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for tables in found {
        engine.set(&tables, &even);
        let likelihood = engine.pass(cx, None, false)?.log_likelihood;
        if best.as_ref().is_none_or(|b| likelihood > b.0) {
            best = Some((likelihood, tables));
        }
    }
    if let Some((_, tables)) = best {
        return Ok(Started { tables, findings: Vec::new() });
    }
    let finding = Finding::new(
        "start-fallback",
        Severity::Warning,
        Subject::Fit,
        format!("it began with the votes, because third moments give no start: {}", why.unwrap_or_default()),
        "use `init=majority`, or collect labels so that annotators share items",
    );
    Ok(Started { tables: vote_tables(&mut engine, cx)?, findings: vec![finding] })
}

/// Begins any model: its first M-step sees the vote shares, or what an E-step with even class shares makes of the tables
/// that `init` stands for.
pub(crate) fn first(
    engine: &mut Engine,
    data: &Dataset,
    init: Init,
    cx: &mut Context<'_>,
) -> Result<(Start<'static>, Vec<Finding>), Error> {
    let Some(started) = tables(data, init, 0, cx)? else {
        return Ok((Start::Posterior(Begin::VoteShares), Vec::new()));
    };
    engine.set(&started.tables, &vec![1.0 / engine.k() as f64; engine.k()]);
    Ok((Start::Counts { class: engine.pass(cx, None, false)?.class }, started.findings))
}

/// The same with the votes written out as tables.
pub(crate) fn tables_or_votes(data: &Dataset, init: Init, cx: &mut Context<'_>) -> Result<Started, Error> {
    if let Some(started) = tables(data, init, 0, cx)? {
        return Ok(started);
    }
    let (labels, gold) = shared::inputs(data);
    let mut engine = Engine::new(&labels, gold.as_deref(), cx.threads)?;
    Ok(Started { tables: vote_tables(&mut engine, cx)?, findings: Vec::new() })
}

/// Tables by the votes: one M-step from the vote shares, entries at least 1e-10.
pub(crate) fn vote_tables(engine: &mut Engine, cx: &mut Context<'_>) -> Result<Vec<f64>, Error> {
    let mut out = vec![0.0; engine.entries()];
    let first = engine.begin(cx, &Begin::VoteShares)?;
    let rows = Rows::plain(0.0, Zeros::Floor, engine.k());
    engine.maximise(cx, &rows, &first.class, Dense::Tables(&mut out))?;
    Ok(out)
}

/// Posteriors to begin with (units x K), and what limits them.
pub(crate) type First = (Vec<f64>, Vec<Finding>);

/// The same as posteriors under even class shares, for methods that do not begin with tables.
pub(crate) fn posterior(
    data: &Dataset,
    init: Init,
    restart: usize,
    cx: &mut Context<'_>,
) -> Result<Option<First>, Error> {
    let Some(started) = tables(data, init, restart, cx)? else { return Ok(None) };
    let (labels, gold) = shared::inputs(data);
    let k = labels.k();
    let even = vec![1.0 / k as f64; k];
    let mut engine = Engine::new(&labels, gold.as_deref(), cx.threads)?;
    let mut out = vec![0.0; data.table.n_units() * k];
    engine.set(&started.tables, &even);
    engine.pass(cx, Some(&mut out), false)?;
    shared::complete(&mut out, data, gold.as_deref(), &even);
    Ok(Some((out, started.findings)))
}
