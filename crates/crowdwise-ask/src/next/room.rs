//! What the limits leave room for, while a batch fills.

use super::{Options, Want};
use crate::state::State;
use std::collections::BTreeMap;

/// Room for further questions, less what is chosen.
#[derive(Debug)]
pub(super) struct Room<'a> {
    pub state: &'a State,
    /// Questions that may be chosen still.
    pub left: usize,
    /// How many the call can give at all.
    pub want: usize,
    /// Of each annotator; 0 if they cannot be asked.
    pub each: Vec<u32>,
    pub price: Vec<f64>,
    money: f64,
    /// Chosen annotators of an item.
    chosen: BTreeMap<u32, Vec<u32>>,
    max_per_item: usize,
    /// Why nothing fits, where the limits as a whole say so.
    pub full: Option<Full>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    Money,
    InFlight,
    Annotators,
}

impl<'a> Room<'a> {
    pub fn new(state: &'a State, options: &Options) -> Room<'a> {
        let m = state.n_annotators();
        let price: Vec<f64> = (0..m).map(|j| state.annotator(j).price).collect();
        let (spent, pending) = state.money();
        let mut money = state.limits.money.map_or(f64::INFINITY, |all| all - spent - pending);
        let mut want = match options.want {
            Want::Questions(n) => n,
            Want::Money(amount) => {
                money = money.min(amount);
                usize::MAX
            }
        };
        let can =
            |j: usize| state.annotator(j).available(options.now) && options.only.is_none_or(|only| only as usize == j);
        let cheapest = (0..m).filter(|&j| can(j)).map(|j| price[j]).fold(f64::INFINITY, f64::min);
        let priced = cheapest > 0.0 && cheapest.is_finite();
        let affordable = if priced { ((money + 1e-9) / cheapest).max(0.0) as usize } else { usize::MAX };
        want = want.min(affordable).min(state.n_items().saturating_mul(state.limits.max_per_item.unwrap_or(3).max(1)));
        let in_flight = state.limits.in_flight.map_or(usize::MAX, |most| most.saturating_sub(state.all_in_flight()));
        let full = if affordable == 0 { Some(Full::Money) } else { (in_flight == 0).then_some(Full::InFlight) };
        want = want.min(in_flight);
        let answers = state.answers.n_labels() + state.all_in_flight() + want;
        let each: Vec<u32> = (0..m).map(|j| if can(j) { room_of(state, j, answers) } else { 0 }).collect();
        let full = full.or_else(|| each.iter().all(|&r| r == 0).then_some(Full::Annotators));
        Room {
            state,
            left: want,
            want,
            each,
            price,
            money,
            chosen: BTreeMap::new(),
            max_per_item: state.limits.max_per_item.unwrap_or(usize::MAX),
            full,
        }
    }

    /// Labels and questions of an item, chosen ones included.
    pub fn load(&self, item: usize) -> usize {
        self.state.answers.degree(item) + self.out(item)
    }

    /// Questions of an item that are out or chosen.
    pub fn out(&self, item: usize) -> usize {
        self.state.in_flight(item) + self.chosen_of(item).len()
    }

    pub fn chosen_of(&self, item: usize) -> &[u32] {
        self.chosen.get(&(item as u32)).map_or(&[], Vec::as_slice)
    }

    /// Whether the item itself may get one more question.
    pub fn item_open(&self, item: usize, now: Option<f64>) -> bool {
        let own = self.state.item(item);
        let late = own.deadline.is_some_and(|d| now.is_some_and(|now| now >= d));
        !own.closed && !late && self.load(item) < self.max_per_item
    }

    /// Whether this pair may be chosen.
    pub fn free(&self, item: usize, annotator: u32) -> bool {
        self.each[annotator as usize] > 0
            && self.price[annotator as usize] <= self.money + 1e-9
            && self.state.taken(item, annotator).is_none()
            && !self.chosen_of(item).contains(&annotator)
    }

    pub fn choose(&mut self, item: usize, annotator: u32) {
        self.each[annotator as usize] -= 1;
        self.money -= self.price[annotator as usize];
        self.left -= 1;
        self.chosen.entry(item as u32).or_default().push(annotator);
    }

    /// The annotators whom one may ask about an item at all, among `who`.
    pub fn candidates<'b>(&'b self, item: usize, who: &'b [u32]) -> &'b [u32] {
        self.state.allowed.as_ref().map_or(who, |a| a.of(item))
    }

    /// Annotators who are free for the item, up to `most`.
    pub fn some_free(&self, item: usize, who: &[u32], most: usize) -> Vec<u32> {
        self.candidates(item, who).iter().copied().filter(|&j| self.free(item, j)).take(most).collect()
    }
}

/// How many questions the limits leave to an annotator.
fn room_of(state: &State, annotator: usize, all: usize) -> u32 {
    let (own, record) = (state.annotator(annotator), state.record(annotator));
    let mut room = own.capacity.map_or(u32::MAX, |c| c.saturating_sub(record.in_flight));
    if let Some(most) = state.limits.in_flight_each {
        room = room.min(most.saturating_sub(record.in_flight));
    }
    let shares = [own.max_share, state.limits.max_share];
    if let Some(share) = shares.into_iter().flatten().reduce(f64::min) {
        let has = state.answers.by_annotator()[annotator] + record.in_flight;
        room = room.min(((share * all as f64 + 1e-9) as u32).saturating_sub(has));
    }
    room
}
