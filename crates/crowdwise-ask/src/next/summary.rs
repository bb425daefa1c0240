//! Where the collection stands.

use super::choose::Chosen;
use super::items::{Standing, standing};
use super::{Batch, Nothing, Options, Pick, Question, SURE};
use crate::model::{Known, Model, normalise_columns};
use crate::score::{self, BITS, Doubt, Ease, Habits, gain_given, look_ahead, right_on, tempered};
use crate::state::State;
use crowdwise_core::stats::{n_tied, rate_interval, tied};
use serde::Serialize;

/// How many items are in which standing; every item is in one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ItemCounts {
    pub open: usize,
    pub sure: usize,
    pub capped: usize,
    pub hopeless: usize,
    pub unlabelled: usize,
}

/// Expected accuracy of the labels: a range, because what a model believes of itself is never one number. The low end takes into
/// account that annotators err together, the high end that items differ in how easy they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    pub low: f64,
    pub high: f64,
    /// The same when the questions of the batch are answered.
    pub low_after: f64,
    pub high_after: f64,
    /// As far as truth is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gold: Option<GoldAccuracy>,
}

/// Accuracy on items whose truth is known, by a fit that was not told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GoldAccuracy {
    pub n: usize,
    pub accuracy: f64,
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Money {
    pub spent: f64,
    pub pending: f64,
    /// The price of the questions of this batch.
    pub batch: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
}

pub(super) fn batch(state: &State, model: &Model, options: &Options, chosen: &Chosen) -> Batch {
    let questions: Vec<Question> = chosen.picks.iter().map(|p| question(state, model, p)).collect();
    let (items, mut accuracy) = standings(state, model, options.stops_at().unwrap_or(SURE));
    let n = state.n_items().max(1) as f64;
    let more = questions.iter().map(|q| q.accuracy_gain).sum::<f64>() / n;
    accuracy.low_after = (accuracy.low + more).min(1.0);
    accuracy.high_after = (accuracy.high + more).min(1.0);
    accuracy.gold = on_gold(state, model);
    let (spent, pending) = state.money();
    // an empty sum of floats is -0
    let own = 0.0 + questions.iter().map(|q| q.price).sum::<f64>();
    let left = state.limits.money.map(|all| all - spent - pending - own);
    let warnings = warnings(state, options, chosen, &questions);
    Batch {
        number: state.batch,
        questions,
        items,
        accuracy,
        money: Money { spent, pending, batch: own, left },
        nothing: chosen.nothing,
        warnings,
    }
}

fn mean_channel(model: &Model, annotator: u32) -> Vec<f64> {
    let mut a = model.of_annotator(annotator as usize).to_vec();
    normalise_columns(&mut a, model.k);
    a
}

fn question(state: &State, model: &Model, pick: &Pick) -> Question {
    let item = pick.item as usize;
    let q = model.posterior(item);
    let a = mean_channel(model, pick.annotator);
    let pending: Vec<Vec<f64>> = state.asked_now(item).map(|j| mean_channel(model, j)).collect();
    let channels: Vec<&[f64]> = pending.iter().take(2).map(Vec::as_slice).collect();
    let mut votes = vec![0.0; model.k];
    state.answers.votes(item, &mut votes);
    let two = score::two_best(&votes);
    let labels = state.answers.degree(item);
    let best = score::two_best(q)[0];
    Question {
        item: pick.item,
        annotator: pick.annotator,
        reason: pick.reason,
        gain: gain_given(q, &a, &channels).max(0.0) * BITS,
        accuracy_gain: look_ahead(q, &a),
        class: (labels > 0 || !state.known.class_logs.is_empty()).then_some(best as u16),
        p: q[best],
        labels,
        pending: pending.len(),
        price: state.annotator(pick.annotator as usize).price,
        votes: two.map(|c| (c as u16, votes[c] as u32)),
        right: right_on(q, &a),
    }
}

/// The standing of every item, and the range of accuracy.
fn standings(state: &State, model: &Model, sure_at: f64) -> (ItemCounts, Accuracy) {
    let habits = Habits::of(&state.answers);
    let ease = Ease::new(model, &habits);
    let mut joint = vec![[0.0; 3]; model.k];
    let mut counts = ItemCounts::default();
    let (mut low, mut high) = (0.0, 0.0);
    for item in 0..state.n_items() {
        let labels = state.answers.degree(item);
        let q = model.posterior(item);
        if state.known.gold(item).is_some() {
            (low, high) = (low + 1.0, high + 1.0);
            counts.sure += 1;
            continue;
        }
        ease.of_item(&state.answers, &state.known, item, &mut joint);
        let doubt = Doubt::of(&joint);
        let (a, b) = (tempered(q, labels), doubt.sure);
        low += a.min(b);
        high += a.max(b);
        let capped = state.limits.max_per_item.is_some_and(|most| labels + state.in_flight(item) >= most);
        *match standing(doubt, labels, sure_at) {
            Standing::Sure => &mut counts.sure,
            Standing::Hopeless => &mut counts.hopeless,
            Standing::Unlabelled => &mut counts.unlabelled,
            Standing::Open if capped => &mut counts.capped,
            Standing::Open => &mut counts.open,
        } += 1;
    }
    let n = state.n_items().max(1) as f64;
    let (low, high) = (low / n, high / n);
    (counts, Accuracy { low, high, low_after: low, high_after: high, gold: None })
}

/// Accuracy on known items by a fit that was not told of them.
fn on_gold(state: &State, model: &Model) -> Option<GoldAccuracy> {
    let known = state.known.gold.iter().enumerate().filter_map(|(i, g)| Some((i, usize::from((*g)?))));
    let known: Vec<(usize, usize)> = known.filter(|(i, _)| state.answers.degree(*i) > 0).collect();
    if known.is_empty() {
        return None;
    }
    let untold = Known { gold: Vec::new(), ..state.known.clone() };
    let blind = Model::fitted(&state.answers, &untold, model.settings);
    let hits: f64 = known.iter().map(|&(i, t)| credit(blind.posterior(i), t)).sum();
    let n = known.len();
    let [low, high] = rate_interval(hits, n as f64);
    Some(GoldAccuracy { n, accuracy: hits / n as f64, low, high })
}

/// 1 if the likeliest class is the true one, shared among those that are equally likely.
pub(crate) fn credit(q: &[f64], truth: usize) -> f64 {
    let best = q.iter().copied().fold(0.0, f64::max);
    if tied(q[truth], best) { 1.0 / n_tied(q) as f64 } else { 0.0 }
}

fn warnings(state: &State, options: &Options, chosen: &Chosen, questions: &[Question]) -> Vec<String> {
    let mut out = Vec::new();
    match chosen.nothing {
        Some(Nothing::NoItems) => out.push("there are no items to ask about".into()),
        Some(Nothing::BudgetSpent) => out.push("nothing to ask: the budget is spent".into()),
        Some(Nothing::TooManyOut) => out.push("nothing to ask: as many questions are out as are allowed".into()),
        Some(Nothing::NobodyAvailable) => {
            out.push("nothing to ask: no annotator is available with capacity left".into());
        }
        Some(Nothing::EverybodyWasAsked) => {
            out.push("nothing to ask: everybody who is available has seen every item that is open".into());
        }
        Some(Nothing::AllItemsDone) => out.push("nothing to ask: every item is sure, capped or hopeless".into()),
        Some(Nothing::NothingWanted) => out.push("no questions were asked for".into()),
        None if chosen.short => out.push(format!(
            "fewer questions than asked for: {} is all that items and annotators have room for in one call",
            questions.len()
        )),
        None => {}
    }
    if chosen.nothing.is_none() && chosen.exhausted > 0 {
        out.push(format!("seen by everybody who is available: {} of {} items", chosen.exhausted, state.n_items()));
    }
    if chosen.scarce {
        out.push("annotators cannot answer all that is open: questions are ranked by gain alone, prices aside".into());
    }
    let mut of = vec![0usize; state.n_annotators()];
    questions.iter().for_each(|q| of[q.annotator as usize] += 1);
    let most = of.iter().copied().max().unwrap_or(0);
    if options.only.is_none() && questions.len() >= 10 && 2 * most > questions.len() && state.n_annotators() > 2 {
        out.push(format!(
            "{most} of {} questions go to one annotator: limit capacities, or the share of each",
            questions.len()
        ));
    }
    out
}
