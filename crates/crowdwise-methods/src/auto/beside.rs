//! What came beside the labels is used, or refused with the reason: never passed over in silence.

use super::chosen;
use crate::classes::sources::Crowdlab;
use crate::graphs::DsMrf;
use crowdwise_core::{Context, Dataset, Error, LabelKind, Method, Outcome, Structure};

/// Refuses what no choice of methods could use.
pub(super) fn refuse(data: &Dataset) -> Result<(), Error> {
    let mut problems = Vec::new();
    let mut no = |what: &str, hint: &str| {
        problems.push(Error::Unsupported { what: format!("auto: {what}"), hint: Some(hint.into()) });
    };
    let classes = data.table.kind() == LabelKind::Categorical;
    if data.features.is_some() {
        match data.table.kind() {
            LabelKind::Real => no(
                "the features would not be used: no method that it chooses from knows them",
                "⟦-m crowd-regression⟧ uses them; without ⟦--features⟧ the values alone decide",
            ),
            _ => no(
                "the features would not be used: it learns no classifier",
                "⟦crowdwise learn⟧ learns one from features and labels together; without ⟦--features⟧ the labels alone decide",
            ),
        }
    }
    if data.probabilities.is_some() {
        match &data.structure {
            _ if !classes => no(
                "class probabilities of a classifier mean nothing beside labels of another kind",
                "leave ⟦--probabilities⟧ out",
            ),
            Structure::Chains { .. } => no(
                "class probabilities of a classifier cannot be used together with sequences",
                "leave ⟦--probabilities⟧ out, or ⟦-m crowdlab⟧ uses them token by token and forgets the order",
            ),
            Structure::Graph(_) => no(
                "class probabilities of a classifier and a graph of items cannot be used together",
                "leave one of them out: ⟦-m crowdlab⟧ uses the probabilities, ⟦-m ds-mrf⟧ the graph",
            ),
            Structure::Independent | Structure::Rankings(_) => {}
        }
    }
    if matches!(data.structure, Structure::Graph(_)) && !classes {
        no("a graph of items is used for classes only", "leave ⟦--graph⟧ out");
    }
    Error::all(problems)
}

/// Items with neighbours.
pub(super) fn graph(data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    let out = Method::fit(&DsMrf::default(), data, cx)?;
    let why =
        "`ds-mrf` was used: the items have neighbours, and how far neighbours share a class is learned from the labels";
    Ok(chosen(out, DsMrf::INFO.id, why.into(), "without ⟦--graph⟧ the items are taken one by one"))
}

/// Labels beside a classifier.
pub(super) fn probabilities(data: &Dataset, cx: &mut Context<'_>) -> Result<Outcome, Error> {
    let out = Method::fit(&Crowdlab::default(), data, cx)?;
    let why = "`crowdlab` was used: it weighs the classifier's probabilities beside the labels";
    Ok(chosen(out, Crowdlab::INFO.id, why.into(), "without ⟦--probabilities⟧ the labels alone decide"))
}
