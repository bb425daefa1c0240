//! Fills a batch.

use super::items::{MOST_OUT, Open, scores};
use super::room::{Full, Room};
use super::whom::Whom;
use super::{Nothing, Options, Pick, Reason, Want, draws};
use crate::model::{Model, normalise_columns};
use crate::score::{gain_given, information_gain_with};
use crate::state::State;
use crate::strategy::Strategy;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

/// What was chosen, and why not more.
#[derive(Debug)]
pub(super) struct Chosen {
    pub picks: Vec<Pick>,
    pub nothing: Option<Nothing>,
    /// More was wanted.
    pub short: bool,
    /// Capacity is scarce: price was left aside.
    pub scarce: bool,
    /// Items that everybody who is there has seen.
    pub exhausted: usize,
}

/// Items that are looked at pair by pair, for every question that is wanted.
const KEPT: usize = 4;
/// Above this share of the items a batch may ask an item more than once …
const LARGE_BATCH: f64 = 0.3;
/// … up to so often.
const MOST_OF_ONE: usize = 3;
/// Labels per annotator that count for their confusions, from which on they are told apart.
const ACQUAINTED: f64 = 5.0;
/// Share of questions to an annotator at random, where a strategy chooses annotators by what they tell.
const ANYBODY: f64 = 0.2;

struct Filling<'a> {
    state: &'a State,
    model: &'a Model,
    options: &'a Options,
    room: Room<'a>,
    whom: Whom,
    /// A random number of every item: the order of equals.
    key: Vec<u32>,
    rng: ChaCha8Rng,
    picks: Vec<Pick>,
}

pub(super) fn choose(state: &State, model: &Model, options: &Options) -> Chosen {
    let room = Room::new(state, options);
    let nothing = |why| Chosen { picks: Vec::new(), nothing: Some(why), short: true, scarce: false, exhausted: 0 };
    if state.n_items() == 0 || state.n_annotators() == 0 {
        return nothing(Nothing::NoItems);
    }
    if matches!(options.want, Want::Questions(0)) {
        return nothing(Nothing::NothingWanted);
    }
    match room.full {
        Some(Full::Money) => return nothing(Nothing::BudgetSpent),
        Some(Full::InFlight) => return nothing(Nothing::TooManyOut),
        Some(Full::Annotators) => return nothing(Nothing::NobodyAvailable),
        None => {}
    }
    // where annotators cannot answer all that is open, their time is dearer than money
    let capacity: usize = room.each.iter().map(|&r| r as usize).fold(0, usize::saturating_add);
    let scarce = capacity < state.n_items().min(room.want)
        && (0..state.n_annotators()).any(|j| state.annotator(j).capacity.is_some());
    let power = if scarce { 0.0 } else { options.price_power };
    let draw = options.strategy != Strategy::Greedy;
    let whom = Whom::new(model, &room, options, draw, power);
    let open = Open::of(state, model, options, &room, &whom);
    if open.items.is_empty() {
        let why = if open.some_done {
            Nothing::AllItemsDone
        } else if open.exhausted > 0 {
            Nothing::EverybodyWasAsked
        } else {
            Nothing::NoItems
        };
        return Chosen { exhausted: open.exhausted, ..nothing(why) };
    }
    let mut keys = draws(options.seed, state.batch, "items", 0);
    let key = (0..state.n_items()).map(|_| keys.next_u32()).collect();
    let rng = draws(options.seed, state.batch, "annotators", 0);
    let mut f = Filling { state, model, options, room, whom, key, rng, picks: Vec::new() };
    let large = f.room.want as f64 > LARGE_BATCH * state.n_items() as f64;
    let turns = if large && !options.strategy.stops() { MOST_OF_ONE } else { 1 };
    for _ in 0..turns {
        let before = f.picks.len();
        f.turn(&open);
        if f.room.left == 0 || f.picks.len() == before {
            break;
        }
    }
    let short = f.room.left > 0 && matches!(options.want, Want::Questions(_));
    let nothing = f.picks.is_empty().then_some(Nothing::EverybodyWasAsked);
    Chosen { picks: f.picks, nothing, short, scarce, exhausted: open.exhausted }
}

impl Filling<'_> {
    /// At most one question of every item.
    fn turn(&mut self, open: &Open) {
        let now = self.options.now;
        let may = |&i: &u32| self.room.item_open(i as usize, now) && self.room.out(i as usize) <= MOST_OUT;
        let (mut items, urgent): (Vec<u32>, Vec<bool>) =
            open.items.iter().zip(&open.urgent).filter(|(i, _)| may(i)).map(|(&i, &u)| (i, u)).unzip();
        let mut rushed: Vec<u32> = items.iter().zip(&urgent).filter(|(_, u)| **u).map(|(&i, _)| i).collect();
        if !self.options.strategy.ranks_pairs() {
            return self.by_item(&items, &rushed);
        }
        if self.strangers() {
            let new = items.iter().filter(|i| self.room.load(**i as usize) == 0).copied().collect::<Vec<_>>();
            let covered = self.cover(&new, self.room.left);
            items.retain(|i| covered.binary_search(i).is_err());
            rushed.retain(|i| covered.binary_search(i).is_err());
        }
        let coverage = if self.options.strategy == Strategy::Greedy { 0 } else { self.coverage_share(items.len()) };
        let covered = self.cover(&items, coverage);
        let rest = |i: &u32| covered.binary_search(i).is_err();
        items.retain(rest);
        rushed.retain(rest);
        items.retain(|i| rushed.binary_search(i).is_err());
        self.by_pair(rushed);
        self.by_pair(items);
    }

    /// Whether hardly anything is known of the annotators. First labels tell nothing of them, so that following whoever looks good
    /// would only keep to those who were drawn first.
    fn strangers(&self) -> bool {
        let seen: f64 = self.model.counts.iter().sum();
        seen < ACQUAINTED * self.whom.who.len() as f64
    }

    /// How many of the questions go to coverage.
    fn coverage_share(&mut self, items: usize) -> usize {
        let questions = self.room.left.min(items);
        let share = self.options.coverage * questions as f64;
        if self.options.coverage <= 0.0 {
            0
        } else if questions >= 5 {
            (share.round() as usize).max(1)
        } else {
            // by chance, so that single questions get their share, too
            share.floor() as usize + usize::from(self.rng.random::<f64>() < share.fract())
        }
    }

    /// Asks about the items with the fewest labels, annotators at random. The items, sorted.
    fn cover(&mut self, items: &[u32], count: usize) -> Vec<u32> {
        if count == 0 {
            return Vec::new();
        }
        let mut order: Vec<u32> = items.to_vec();
        let mut done = Vec::new();
        // re-asked items are the hard ones: where a classifier labels the others, random items with a label are asked again, too
        let again = if self.state.known.class_logs.is_empty() { 0 } else { count / 2 };
        if again > 0 {
            let labelled = |i: &&u32| self.state.answers.degree(**i as usize) > 0;
            let mut some: Vec<u32> = items.iter().filter(labelled).copied().collect();
            some.sort_unstable_by_key(|&i| self.key[i as usize]);
            for i in some {
                if done.len() == again || !self.ask_anybody(i as usize, Reason::Coverage) {
                    break;
                }
                done.push(i);
            }
            done.sort_unstable();
            order.retain(|i| done.binary_search(i).is_err());
        }
        let rank = |&i: &u32| (self.room.load(i as usize), self.key[i as usize], i);
        // those that cannot be asked after all are made up for
        let most = (2 * count + 16).min(order.len());
        if most < order.len() {
            order.select_nth_unstable_by_key(most, rank);
            order.truncate(most);
        }
        order.sort_unstable_by_key(rank);
        for i in order {
            if done.len() >= count || self.room.left == 0 {
                break;
            }
            if self.ask_anybody(i as usize, Reason::Coverage) {
                done.push(i);
            }
        }
        done.sort_unstable();
        done
    }

    /// Items in the order of a score, annotators as the strategy says.
    fn by_item(&mut self, items: &[u32], rushed: &[u32]) {
        let scores = scores(self.state, self.model, self.options, &self.room, &self.whom, items);
        let mut order: Vec<(bool, f64, u32, u32)> = items
            .iter()
            .zip(scores)
            .map(|(&i, s)| (rushed.binary_search(&i).is_err(), -s, self.key[i as usize], i))
            .collect();
        order.sort_unstable_by(|a, b| (a.0.cmp(&b.0)).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
        let even = vec![1.0 / self.model.k as f64; self.model.k];
        for (_, _, _, i) in order {
            if self.room.left == 0 {
                break;
            }
            let item = i as usize;
            let anybody = !self.options.strategy.chooses_annotators()
                || (self.options.strategy.stops() && self.rng.random::<f64>() < ANYBODY);
            if anybody {
                self.ask_anybody(item, Reason::Rule);
                continue;
            }
            let best = if self.options.strategy == Strategy::BestAnnotator {
                self.whom.best(&self.room, item, &even, &[])
            } else {
                let pending = self.pending(item);
                let pending: Vec<&[f64]> = pending.iter().map(Vec::as_slice).collect();
                self.whom.best(&self.room, item, self.model.posterior(item), &pending)
            };
            if let Some(&(_, j)) = best.first() {
                self.ask(item, j, Reason::Rule);
            }
        }
    }

    /// The pairs whose labels tell most: first the items that gain most from the crowd, then pair by pair.
    fn by_pair(&mut self, mut items: Vec<u32>) {
        while self.room.left > 0 && !items.is_empty() {
            let kept = self.best_items(&items, KEPT * self.room.left);
            let mut offers: Vec<(f64, u32, u32, u32)> = Vec::new();
            for &i in &kept {
                let item = i as usize;
                let pending = self.pending(item);
                let pending: Vec<&[f64]> = pending.iter().map(Vec::as_slice).collect();
                let value = self.state.item(item).value;
                let best = self.whom.best(&self.room, item, self.model.posterior(item), &pending);
                offers.extend(best.into_iter().map(|(score, j)| (score * value, self.key[item], i, j)));
            }
            offers.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
            let mut done: Vec<u32> = Vec::new();
            for (_, _, i, j) in offers {
                if self.room.left == 0 {
                    break;
                }
                if !done.contains_sorted(i) && self.room.free(i as usize, j) {
                    self.ask(i as usize, j, Reason::Gain);
                    done.insert_sorted(i);
                }
            }
            // whoever was offered is full: the others are looked at again
            if done.is_empty() {
                let gone = sorted(kept);
                items.retain(|i| gone.binary_search(i).is_err());
            } else {
                items.retain(|i| done.binary_search(i).is_err());
            }
        }
    }

    /// The items that gain most from a typical annotator, or from the only one who is asked.
    fn best_items(&mut self, items: &[u32], most: usize) -> Vec<u32> {
        if items.len() <= most {
            return items.to_vec();
        }
        let only = self.options.only;
        let channel = only.map_or(self.whom.crowd.as_slice(), |j| self.whom.channel(j));
        let mut columns = vec![0.0; self.model.k];
        crate::score::column_entropies(channel, self.model.k, &mut columns);
        let mut order: Vec<(f64, u32, u32)> = items
            .iter()
            .map(|&i| {
                let (item, q) = (i as usize, self.model.posterior(i as usize));
                let gain = if self.room.out(item) == 0 {
                    information_gain_with(q, channel, &columns)
                } else {
                    let pending = self.pending(item);
                    let pending: Vec<&[f64]> = pending.iter().map(Vec::as_slice).collect();
                    gain_given(q, channel, &pending)
                };
                (gain * self.state.item(item).value, self.key[item], i)
            })
            .collect();
        order.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        order.truncate(most);
        order.into_iter().map(|(_, _, i)| i).collect()
    }

    /// Mean confusions of those who have a question of the item, or were just chosen.
    fn pending(&self, item: usize) -> Vec<Vec<f64>> {
        if self.room.out(item) == 0 {
            return Vec::new();
        }
        let mean = |j: u32| {
            let mut a = self.model.of_annotator(j as usize).to_vec();
            normalise_columns(&mut a, self.model.k);
            a
        };
        self.state.asked_now(item).chain(self.room.chosen_of(item).iter().copied()).map(mean).collect()
    }

    /// Asks a random one of those who are free; false if nobody is.
    fn ask_anybody(&mut self, item: usize, reason: Reason) -> bool {
        if self.state.allowed.is_none() {
            for _ in 0..16 {
                let j = self.whom.who[self.rng.random_range(0..self.whom.who.len())];
                if self.room.free(item, j) {
                    self.ask(item, j, reason);
                    return true;
                }
            }
        }
        let free = self.room.some_free(item, &self.whom.who, usize::MAX);
        if free.is_empty() {
            return false;
        }
        let j = free[self.rng.random_range(0..free.len())];
        self.ask(item, j, reason);
        true
    }

    fn ask(&mut self, item: usize, annotator: u32, reason: Reason) {
        let alone = self.room.some_free(item, &self.whom.who, 2).len() == 1;
        self.room.choose(item, annotator);
        let reason = if alone && reason == Reason::Gain { Reason::OnlyOneLeft } else { reason };
        self.picks.push(Pick { item: item as u32, annotator, reason });
    }
}

/// A vector as a sorted set.
trait SortedSet {
    fn contains_sorted(&self, x: u32) -> bool;
    fn insert_sorted(&mut self, x: u32);
}

impl SortedSet for Vec<u32> {
    fn contains_sorted(&self, x: u32) -> bool {
        self.binary_search(&x).is_ok()
    }

    fn insert_sorted(&mut self, x: u32) {
        if let Err(at) = self.binary_search(&x) {
            self.insert(at, x);
        }
    }
}

fn sorted(mut x: Vec<u32>) -> Vec<u32> {
    x.sort_unstable();
    x
}
