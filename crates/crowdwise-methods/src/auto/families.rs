//! Crowds in which everybody belongs to a family that shares a view, such as prompts of a few language models: their members are no
//! independent witnesses of the truth, but the families are.

use super::chosen;
use crate::classes::groups::GroupAwareEm;
use crate::classes::sanity::Departure;
use crate::classes::sources::one_class_sources;
use crowdwise_core::voices::schools_in;
use crowdwise_core::{Context, Dataset, Error, Method, Outcome, Truth};

/// Voters that can be weighed against each other at least: of two, nothing tells which one is right.
const FEWEST: usize = 3;

/// The answer of the families, if that is what the crowd is made of. With anybody outside of all families the others decide how far
/// each of them is to be believed, as they do for annotators.
pub(super) fn fit(data: &Dataset, cx: &mut Context<'_>) -> Result<Option<Outcome>, Error> {
    // sources of one class agree by what they are, and have a model of their own
    if data.table.categorical().is_none_or(|labels| one_class_sources(&labels).sources > 0) {
        return Ok(None);
    }
    let Some(families) = schools_in(data, cx).filter(|s| s.alone == 0 && s.list.len() >= FEWEST) else {
        return Ok(None);
    };
    let out = Method::fit(&GroupAwareEm::default(), data, cx)?;
    let (Some(labels), Truth::Classes { posterior, .. }) = (data.table.categorical(), &out.truth) else {
        return Ok(None);
    };
    if Departure::of(&labels, data.gold_classes().as_deref(), posterior).rejects(&labels).is_some() {
        return Ok(None);
    }
    let why = format!(
        "`group-aware-em` was used: everybody belongs to one of {} families of annotators who share a view, so families were \
         weighed instead of annotators",
        families.list.len()
    );
    Ok(Some(chosen(out, GroupAwareEm::INFO.id, why, "⟦--groups FILE⟧ says who belongs together, if you know it")))
}
