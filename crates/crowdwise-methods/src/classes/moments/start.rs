//! Where another method may begin: tables that the moments give.

use super::spa::Spa;
use super::{CnmfOpt, Ctd, Moments, SymNmf};
use crate::classes::confusion::start::Started;
use crowdwise_core::{Context, Dataset, Error, Finding, Severity, Subject};

/// Which estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    CnmfSpa,
    CnmfOpt,
    SymNmf,
    Ctd,
}

/// The estimate with its default parameters, for all annotators. Those whom the moments do not reach have the tables of
/// the votes.
pub(crate) fn start(data: &Dataset, from: From, cx: &mut Context<'_>) -> Result<Started, Error> {
    let mut moments = Moments::of(data, cx)?;
    let votes = moments.votes_of_places();
    let (tables, good) = match from {
        From::CnmfSpa => {
            let found = Spa::default().find(&moments.labels, &moments.pairs, &votes, cx)?;
            (moments.spread(&found.tables, &found.good), found.good)
        }
        From::CnmfOpt => {
            let f = CnmfOpt::default().factorise(&moments, cx)?;
            (moments.spread(&f.tables, &f.used), f.used)
        }
        From::SymNmf => {
            let f = SymNmf::default().factorise(&mut moments, cx)?;
            (f.tables, f.used)
        }
        From::Ctd => {
            let f = Ctd::default().decompose(&mut moments, cx)?;
            (moments.spread(&f.tables, &f.used), f.used)
        }
    };
    let mut findings = Vec::new();
    if !good.iter().any(|&g| g) {
        findings.push(Finding::new(
            "start-fallback",
            Severity::Warning,
            Subject::Fit,
            "no annotator shares enough items with enough others for a start from moments: it began with the votes",
            "use `init=majority`, or collect labels so that annotators share items",
        ));
    }
    Ok(Started { tables, findings })
}
