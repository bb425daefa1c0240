//! Whom to ask about an item: the annotators whose label tells most, by confusions that are drawn once for a whole batch.

use super::room::Room;
use super::{Options, draws};
use crate::model::{Model, normalise_columns};
use crate::score::{column_entropies, gain_given, information_gain_with};
use rand_distr::{Distribution, Gamma};
use std::collections::BTreeMap;

/// Best annotators that an item is offered with.
pub(super) const OFFERS: usize = 3;
/// Above so many annotators not all of them are looked at for every item …
const MANY: usize = 512;
/// … but so many, the best for items that are split alike.
const SHORT: usize = 128;
/// How finely the probability of the likeliest class tells items apart.
const STEPS: f64 = 10.0;

#[derive(Debug)]
pub(super) struct Whom {
    k: usize,
    /// Annotators with room, by number.
    pub who: Vec<u32>,
    /// Place of an annotator in `who`.
    place: Vec<u32>,
    /// Confusions by which annotators are judged.
    channels: Vec<f64>,
    columns: Vec<f64>,
    /// P(answer) / price^power.
    weight: Vec<f64>,
    /// The crowd's mean confusions, weighted by labels.
    pub crowd: Vec<f64>,
    /// Annotators from best to worst for items that are split alike.
    alike: BTreeMap<(usize, usize, u32), Vec<u32>>,
}

impl Whom {
    /// `draw`: confusions from their Dirichlet distributions, else their means.
    pub fn new(model: &Model, room: &Room<'_>, options: &Options, draw: bool, price_power: f64) -> Whom {
        let (k, state) = (model.k, room.state);
        let size = k * k;
        let who: Vec<u32> = (0..state.n_annotators() as u32).filter(|&j| room.each[j as usize] > 0).collect();
        let mut place = vec![u32::MAX; state.n_annotators()];
        let mut channels = vec![0.0; who.len() * size];
        let mut columns = vec![0.0; who.len() * k];
        let mut weight = Vec::with_capacity(who.len());
        let most_likely = who.iter().map(|&j| state.answers_with(j as usize)).fold(f64::MIN_POSITIVE, f64::max);
        for (at, &j) in who.iter().enumerate() {
            place[j as usize] = at as u32;
            let own = &mut channels[at * size..(at + 1) * size];
            own.copy_from_slice(model.of_annotator(j as usize));
            if draw {
                let mut rng = draws(options.seed, state.batch, "whom", j.into());
                for x in own.iter_mut() {
                    *x = Gamma::new(*x, 1.0).map_or(*x, |g| g.sample(&mut rng)) + 1e-12;
                }
            }
            normalise_columns(own, k);
            column_entropies(own, k, &mut columns[at * k..(at + 1) * k]);
            let price = room.price[j as usize].max(1e-9).powf(price_power);
            weight.push(state.answers_with(j as usize) / most_likely / price);
        }
        let crowd = crowd(model, state.answers.by_annotator());
        Whom { k, who, place, channels, columns, weight, crowd, alike: BTreeMap::new() }
    }

    /// The confusions by which an annotator is judged.
    pub fn channel(&self, annotator: u32) -> &[f64] {
        let at = self.place[annotator as usize] as usize;
        &self.channels[at * self.k * self.k..(at + 1) * self.k * self.k]
    }

    fn gain(&self, place: usize, q: &[f64], pending: &[&[f64]]) -> f64 {
        let a = &self.channels[place * self.k * self.k..(place + 1) * self.k * self.k];
        let gain = if pending.is_empty() {
            information_gain_with(q, a, &self.columns[place * self.k..(place + 1) * self.k])
        } else {
            gain_given(q, a, pending)
        };
        gain * self.weight[place]
    }

    /// The free annotators that tell most of an item, best first: score and annotator. `pending` are the channels of those who have a
    /// question of the item.
    pub fn best(&mut self, room: &Room<'_>, item: usize, q: &[f64], pending: &[&[f64]]) -> Vec<(f64, u32)> {
        if room.state.allowed.is_none() && self.who.len() > MANY {
            self.order_alike(q);
        }
        let mut out: Vec<(f64, u32)> = Vec::with_capacity(OFFERS + 1);
        let mut offer = |place: usize| {
            let j = self.who[place];
            let score = self.gain(place, q, pending);
            let full = out.len() == OFFERS && out.last().is_some_and(|worst| score <= worst.0);
            if !full && room.free(item, j) {
                let at = out.iter().position(|o| score > o.0).unwrap_or(out.len());
                out.insert(at, (score, j));
                out.truncate(OFFERS);
            }
        };
        if let Some(allowed) = &room.state.allowed {
            let places = allowed.of(item).iter().map(|&j| self.place[j as usize]);
            places.filter(|&p| p != u32::MAX).for_each(|p| offer(p as usize));
        } else if self.who.len() <= MANY {
            (0..self.who.len()).for_each(offer);
        } else {
            let order = &self.alike[&Self::kind(q)];
            // those without room are passed over, so that a full annotator does not hide the next one
            let free = order.iter().filter(|&&p| room.free(item, self.who[p as usize]));
            free.take(SHORT).for_each(|&p| offer(p as usize));
        }
        out
    }

    fn kind(q: &[f64]) -> (usize, usize, u32) {
        let [a, b] = crate::score::two_best(q);
        (a, b, (q[a] * STEPS) as u32)
    }

    /// Makes sure that annotators are in order for items that are split as this one is.
    fn order_alike(&mut self, q: &[f64]) {
        let kind = Self::kind(q);
        if self.alike.contains_key(&kind) {
            return;
        }
        let scores: Vec<f64> = (0..self.who.len()).map(|p| self.gain(p, q, &[])).collect();
        let mut order: Vec<u32> = (0..self.who.len() as u32).collect();
        order.sort_unstable_by(|&x, &y| scores[y as usize].total_cmp(&scores[x as usize]).then(x.cmp(&y)));
        self.alike.insert(kind, order);
    }
}

/// Mean confusions of the crowd, annotators weighted by their labels.
fn crowd(model: &Model, labels: &[u32]) -> Vec<f64> {
    let size = model.k * model.k;
    let all: f64 = labels.iter().map(|&n| f64::from(n)).sum();
    if all == 0.0 {
        return model.column.clone();
    }
    let mut out = vec![0.0; size];
    let mut own = vec![0.0; size];
    for (j, &n) in labels.iter().enumerate().filter(|(_, n)| **n > 0) {
        own.copy_from_slice(model.of_annotator(j));
        normalise_columns(&mut own, model.k);
        for (o, a) in out.iter_mut().zip(&own) {
            *o += f64::from(n) / all * a;
        }
    }
    out
}
