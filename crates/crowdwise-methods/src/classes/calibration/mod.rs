//! Honest probabilities. A model that takes annotators for independent given the class is too sure for two reasons, and both
//! are measured here instead of assumed:
//!
//! - *Overfitting.* The annotators' tables were fitted to the labels that they are then used to weigh. How much that
//!   exaggerates is found by a rehearsal ([`rehearse`]): labels are drawn from the fitted model, where the truth is known, and
//!   the same model is fitted to them.
//! - *Shared errors.* Some items mislead everybody. Then labels of one item agree more than the classes explain; the excess
//!   over the rehearsal, whose labels are independent by construction, tells how likely it is that this crowd shares errors
//!   ([`worlds`]). If it does, n labels of equal weight are worth √n of them, and the odds have a heavy tail, unless the model
//!   itself has averaged over how items differ.
//!
//! Where known classes are at hand, they have the last word ([`Strength::learn`]).
//!
//! Everything rests on exact log-odds of the most probable class, never on rounded probabilities, and one more label that
//! agrees, of somebody who is more likely to say this class when it is true than when any other is, never lowers its
//! probability ([`odds`]).

mod dispersion;
mod evidence;
mod odds;
mod rehearse;
mod worlds;

pub(crate) use evidence::{Evidence, Weighed};
pub(crate) use odds::Strength;
pub(crate) use rehearse::{Rehearsal, rehearse};
pub(crate) use worlds::{Errors, Excess, PRIOR};

use crowdwise_core::{Categorical, Context, Error};
use rayon::prelude::*;

/// Items that one thread takes at a time; sums over items are made chunk by chunk in their order, so that they do not depend
/// on the number of threads.
const CHUNK: usize = 2048;

/// The calibrated posterior (units x K) under `strength`. Items of known class and items without labels are left as they
/// stand in `posterior`.
pub(crate) fn calibrate(
    evidence: &Evidence<'_>,
    strength: &Strength,
    gold: Option<&[Option<u32>]>,
    posterior: &mut [f64],
    cx: &mut Context<'_>,
) -> Result<(), Error> {
    let k = evidence.k();
    cx.install(|| {
        posterior.par_chunks_mut(CHUNK * k).enumerate().for_each(|(chunk, rows)| {
            let mut w = Weighed::new(k);
            for (i, row) in rows.chunks_exact_mut(k).enumerate() {
                let u = chunk * CHUNK + i;
                if evidence.labels.table.degree(u) > 0 && gold.is_none_or(|g| g[u].is_none()) {
                    evidence.weigh(u, &mut w);
                    strength.probabilities(&w, row);
                }
            }
        });
    })
}

/// Known classes of items that have labels, with the probabilities that the labels alone give them.
pub(crate) fn known(
    evidence: &Evidence<'_>,
    strength: &Strength,
    gold: Option<&[Option<u32>]>,
) -> Vec<(usize, Vec<f64>)> {
    let Some(gold) = gold else { return Vec::new() };
    let k = evidence.k();
    let mut w = Weighed::new(k);
    let labelled = |u: &usize| evidence.labels.table.degree(*u) > 0;
    let mut out = Vec::new();
    for u in (0..gold.len()).filter(labelled) {
        let Some(class) = gold[u] else { continue };
        let mut row = vec![0.0; k];
        evidence.weigh(u, &mut w);
        strength.probabilities(&w, &mut row);
        out.push((class as usize, row));
    }
    out
}

/// How far a fitted model may be trusted on these labels. `refit` fits the same model to other labels of the same design and
/// returns its tables (annotators x label x truth) and class shares. `shared_prior`: how likely shared errors are before the
/// labels are seen.
pub(crate) fn strength(
    labels: &Categorical<'_>,
    tables: &[f64],
    prior: &[f64],
    (errors, shared_prior): (Errors, f64),
    cx: &mut Context<'_>,
    refit: rehearse::Refit<'_>,
) -> Result<(Strength, Rehearsal, Excess), Error> {
    let evidence = Evidence::new(*labels, tables, prior);
    let here = dispersion::of(&evidence, tables, cx)?;
    let rehearsal = rehearse(&evidence, tables, cx, refit)?;
    let excess = Excess::of(&here, &rehearsal.dispersion);
    let shared = errors.weight(shared_prior, &excess);
    Ok((Strength { overfit: rehearsal.power, shared, gold: 1.0, items_differ: false }, rehearsal, excess))
}

#[cfg(test)]
mod tests;
