//! Which items may be asked, and in which order a strategy looks at them.

use super::room::Room;
use super::whom::Whom;
use super::{HOPELESS_FROM, LEAST, Options};
use crate::model::Model;
use crate::score::{self, Doubt, Drift, Ease, Habits, dimmed};
use crate::state::State;
use crate::strategy::Strategy;

/// Questions of an item that may be out when it is asked again.
pub(super) const MOST_OUT: usize = 2;

/// What a stopping rule says of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Unlabelled,
    Sure,
    Hopeless,
    Open,
}

/// Where an item stands when `sure_at` is sure.
pub(super) fn standing(doubt: Doubt, labels: usize, sure_at: f64) -> Standing {
    match labels {
        0 => Standing::Unlabelled,
        n if n >= LEAST && doubt.sure >= sure_at => Standing::Sure,
        n if n >= HOPELESS_FROM && doubt.hopeless > 0.5 => Standing::Hopeless,
        _ => Standing::Open,
    }
}

/// The items that may be asked, by number; whether a stopping rule left any out.
pub(super) struct Open {
    pub items: Vec<u32>,
    pub some_done: bool,
    /// Items that nobody who is there can be asked about any more.
    pub exhausted: usize,
    /// Items that must not wait.
    pub urgent: Vec<bool>,
}

impl Open {
    pub fn of(state: &State, model: &Model, options: &Options, room: &Room<'_>, whom: &Whom) -> Open {
        let mut out = Open { items: Vec::new(), some_done: false, exhausted: 0, urgent: Vec::new() };
        let stop = (options.stops_at().is_some() || options.strategy.stops())
            .then(|| Stopping::new(state, model, options, whom));
        let mut joint = vec![[0.0; 3]; model.k];
        for item in 0..state.n_items() {
            if !room.item_open(item, options.now) || state.known.gold(item).is_some() || room.out(item) > MOST_OUT {
                continue;
            }
            // whether somebody is free is costly to know exactly where many are: there it is seen when one is chosen
            let few = state.allowed.is_some() || options.only.is_some() || {
                let asked = state.answers.degree(item) + state.in_flight(item);
                asked >= whom.who.len()
            };
            if few && room.some_free(item, &whom.who, 1).is_empty() {
                out.exhausted += 1;
                continue;
            }
            if stop.as_ref().is_some_and(|s| s.done(state, item, &mut joint)) {
                out.some_done = true;
                continue;
            }
            out.items.push(item as u32);
            out.urgent.push(urgent(state, model, options, whom, item));
        }
        out
    }
}

/// The stopping rules of a call.
struct Stopping<'a> {
    ease: Ease<'a>,
    habits: Habits,
    sure_at: Option<f64>,
    /// Channel of the crowd and the least gain of accuracy that is worth a label.
    worth: Option<(&'a [f64], f64)>,
}

impl<'a> Stopping<'a> {
    fn new(state: &State, model: &'a Model, options: &Options, whom: &'a Whom) -> Stopping<'a> {
        let habits = Habits::of(&state.answers);
        let (spent, _) = state.money();
        let n = state.answers.n_labels();
        let price = if n > 0 { spent / n as f64 } else { 1.0 };
        let worth = (options.strategy == Strategy::Worth).then_some((whom.crowd.as_slice(), price / options.value));
        Stopping { ease: Ease::new(model, &habits), habits, sure_at: options.stops_at(), worth }
    }

    fn done(&self, state: &State, item: usize, joint: &mut [[f64; 3]]) -> bool {
        let labels = state.answers.degree(item);
        if labels == 0 {
            return false;
        }
        self.ease.of_item(&state.answers, &state.known, item, joint);
        let at = self.sure_at.unwrap_or(f64::INFINITY);
        let done = matches!(standing(Doubt::of(joint), labels, at), Standing::Sure | Standing::Hopeless);
        done || self.worth.is_some_and(|(crowd, least)| {
            let k = joint.len();
            let (mut q, mut channel) = (vec![0.0; k], vec![0.0; k * k]);
            dimmed(joint, crowd, &self.habits.crowd, &mut q, &mut channel);
            labels >= LEAST && score::look_ahead(&q, &channel) * state.item(item).value < least
        })
    }
}

/// Whether the labels that an item still needs take longer than there is time.
fn urgent(state: &State, model: &Model, options: &Options, whom: &Whom, item: usize) -> bool {
    let (Some(deadline), Some(now)) = (state.item(item).deadline, options.now) else { return false };
    let seconds = state.limits.lease.unwrap_or(600.0);
    let q = model.posterior(item);
    let d = Drift::of(q, &whom.crowd);
    // labels until the odds are those of a sure item, at the crowd's pace
    let missing = (super::SURE / (1.0 - super::SURE)).ln() - d.log_odds;
    let needed = if missing <= 0.0 { 0.0 } else { (missing / d.mean[0].max(1e-3)).ceil() };
    needed * seconds > deadline - now
}

/// A score of every item for strategies that rank items alone; the largest is asked first.
pub(super) fn scores(
    state: &State,
    model: &Model,
    options: &Options,
    room: &Room<'_>,
    whom: &Whom,
    items: &[u32],
) -> Vec<f64> {
    let by_q = |f: &dyn Fn(&[f64]) -> f64| items.iter().map(|&i| f(model.posterior(i as usize))).collect();
    let by_votes = |f: &dyn Fn(&[f64]) -> f64| {
        let mut votes = vec![0.0; model.k];
        items
            .iter()
            .map(|&i| {
                state.answers.votes(i as usize, &mut votes);
                f(&votes)
            })
            .collect()
    };
    match options.strategy {
        Strategy::Random => vec![0.0; items.len()],
        Strategy::Entropy => by_q(&score::entropy),
        Strategy::Margin => by_q(&|q| -score::margin(q)),
        Strategy::Votes => by_votes(&score::undecided),
        Strategy::Okg => by_votes(&score::most_hopeful),
        Strategy::Activelab => {
            let quality = score::active_lab(&state.answers);
            items.iter().map(|&i| -quality[i as usize]).collect()
        }
        Strategy::Worth => by_q(&|q| score::look_ahead(q, &whom.crowd)),
        _ => items.iter().map(|&i| -(room.load(i as usize) as f64)).collect(),
    }
}
