//! Labels that are not there yet: who gives them, what they say under a draw, and how right the model would be with them.

use super::sampler::{Draw, LEVELS, drawn};
use crate::answers::{Answers, Label};
use crate::model::{Known, Model, Settings};
use crate::next::{Options, Want, credit, picks};
use crate::score::Habits;
use crate::state::State;
use crate::strategy::Strategy;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

/// Who gives the labels to come.
#[derive(Clone, Debug, PartialEq)]
pub enum Crowd {
    /// Everybody so far, each as often as so far.
    Same,
    /// This share of the annotators so far: those who seem to be the best.
    Best(f64),
    /// New annotators who are right with this probability.
    Accuracy(f64),
    /// These, each as often as the others.
    These(Vec<u32>),
}

/// A crowd as numbers: annotators from `first_new` on are new.
#[derive(Clone, Debug)]
pub struct Members {
    who: Vec<u32>,
    /// Sums of their weights.
    upto: Vec<f64>,
    pub annotators: usize,
    first_new: usize,
    /// Accuracy of those who are new.
    accuracy: f64,
}

/// A chance of being right that nobody passes on an easy item.
const BEST: f64 = 0.995;

impl Members {
    pub fn of(crowd: &Crowd, answers: &Answers, model: &Model, deepest: usize) -> Members {
        let own: Vec<f64> = answers.by_annotator().iter().map(|&n| f64::from(n)).collect();
        let first_new = own.len();
        let (who, weight): (Vec<u32>, Vec<f64>) = match crowd {
            Crowd::Same => (0..first_new as u32).map(|j| (j, own[j as usize])).filter(|w| w.1 > 0.0).unzip(),
            Crowd::Best(share) => {
                let mut by: Vec<(f64, u32)> =
                    (0..first_new as u32).filter(|j| own[*j as usize] > 0.0).map(|j| (accuracy(model, j), j)).collect();
                by.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                by.truncate(((share * by.len() as f64).round() as usize).max(1));
                by.iter().map(|&(_, j)| (j, own[j as usize])).unzip()
            }
            Crowd::These(who) => who.iter().map(|&j| (j, 1.0)).unzip(),
            Crowd::Accuracy(_) => {
                // as many as the present crowd has who do the work, and enough for the deepest item
                let all: f64 = own.iter().sum();
                let square: f64 = own.iter().map(|w| w * w).sum();
                let n = ((all * all / square.max(1.0)).round() as usize).max(deepest) as u32;
                (0..n).map(|j| (first_new as u32 + j, 1.0)).unzip()
            }
        };
        let mut sum = 0.0;
        let upto = weight.iter().map(|w| {
            sum += w;
            sum
        });
        let upto = upto.collect();
        let new = if let Crowd::Accuracy(_) = crowd { who.len() } else { 0 };
        let accuracy = if let Crowd::Accuracy(p) = crowd { *p } else { 0.0 };
        Members { who, upto, annotators: first_new + new, first_new, accuracy }
    }

    /// Members who have not labelled the item.
    pub fn left(&self, answers: &Answers, item: usize) -> usize {
        let (who, _) = answers.of(item);
        let mut seen = who.to_vec();
        seen.dedup();
        self.who.len() - self.who.iter().filter(|j| seen.binary_search(j).is_ok()).count()
    }

    /// One who is not among `seen`.
    fn pick(&self, seen: &[u32], rng: &mut impl Rng) -> Option<u32> {
        let all = *self.upto.last()?;
        for _ in 0..16 {
            let place = rng.random::<f64>() * all;
            let at = self.upto.partition_point(|u| *u <= place).min(self.who.len() - 1);
            if !seen.contains(&self.who[at]) {
                return Some(self.who[at]);
            }
        }
        // nearly everybody has seen it
        let weight = |at: usize| self.upto[at] - if at > 0 { self.upto[at - 1] } else { 0.0 };
        let free: Vec<usize> = (0..self.who.len()).filter(|&at| !seen.contains(&self.who[at])).collect();
        let weights: Vec<f64> = free.iter().map(|&at| weight(at)).collect();
        (!free.is_empty()).then(|| self.who[free[drawn(&weights, rng)]])
    }
}

/// P(right) of an annotator under the model, on an easy item.
fn accuracy(model: &Model, annotator: u32) -> f64 {
    let (b, k) = (model.of_annotator(annotator as usize), model.k);
    let column = |c: usize| b[c * k + c] / (0..k).map(|l| b[l * k + c]).sum::<f64>();
    (0..k).map(|c| model.log_prior[c].exp() * column(c)).sum()
}

/// Labels that fill every item up to `deepest`, items with the fewest labels first, under one draw; the first of them are what
/// a smaller number of labels would be.
pub fn labels(
    answers: &Answers,
    draw: &Draw,
    habits: &Habits,
    crowd: &Members,
    deepest: usize,
    mut rng: ChaCha8Rng,
) -> Vec<Label> {
    let (n, k) = (answers.n_items(), answers.k());
    let channel = Channel::of(draw, habits, crowd, k);
    let mut out: Vec<(usize, u32, Label)> = Vec::new();
    let (mut seen, mut p) = (Vec::new(), vec![0.0; k]);
    for item in 0..n {
        let place: u32 = rng.random();
        seen.clear();
        seen.extend_from_slice(answers.of(item).0);
        for depth in seen.len() + 1..=deepest {
            let Some(annotator) = crowd.pick(&seen, &mut rng) else { break };
            seen.push(annotator);
            channel.of_label(draw, habits, item, annotator, &mut p);
            let class = drawn(&p, &mut rng) as u16;
            out.push((depth, place, Label { item: item as u32, annotator, class }));
        }
    }
    out.sort_by_key(|&(depth, place, label)| (depth, place, label.item));
    out.into_iter().map(|o| o.2).collect()
}

/// How new annotators answer: right on easy items with `diagonal`; experts find hard items easier, too.
struct Channel {
    first_new: usize,
    k: usize,
    diagonal: f64,
    power: f64,
}

impl Channel {
    fn of(draw: &Draw, habits: &Habits, crowd: &Members, k: usize) -> Channel {
        let mut out = Channel { first_new: crowd.first_new, k, diagonal: 0.0, power: 1.0 };
        if crowd.annotators == crowd.first_new {
            return out;
        }
        let n = draw.truth.len() as f64;
        let mut counts = [0.0; LEVELS.len()];
        draw.level.iter().for_each(|&g| counts[g as usize] += 1.0);
        let chance = draw.truth.iter().map(|&y| habits.crowd[y as usize]).sum::<f64>() / n;
        let mean = |power: f64| LEVELS.iter().zip(counts).map(|(g, c)| g.powf(power) * c).sum::<f64>() / n;
        let ease = mean(1.0);
        out.diagonal = (crowd.accuracy - (1.0 - ease) * chance) / ease;
        if out.diagonal > BEST {
            out.diagonal = BEST;
            let right = |power: f64| mean(power) * BEST + (1.0 - mean(power)) * chance;
            // the smaller the power, the easier all items are
            out.power = crowdwise_numerics::bisect(0.0, 1.0, 40, |power| right(power) > crowd.accuracy);
        }
        out
    }

    /// Probabilities of the next label.
    fn of_label(&self, draw: &Draw, habits: &Habits, item: usize, annotator: u32, p: &mut [f64]) {
        let (k, class, g) = (self.k, draw.truth[item] as usize, LEVELS[draw.level[item] as usize]);
        let j = annotator as usize;
        if j < self.first_new {
            let habit = habits.of_annotator(j);
            for (l, p) in p.iter_mut().enumerate() {
                *p = g * draw.confusions[(j * k + l) * k + class] + (1.0 - g) * habit[l];
            }
        } else {
            let (g, other) = (g.powf(self.power), (1.0 - self.diagonal) / (k.max(2) - 1) as f64);
            for (l, p) in p.iter_mut().enumerate() {
                *p = g * if l == class { self.diagonal } else { other } + (1.0 - g) * habits.crowd[l];
            }
        }
    }
}

/// Rounds of the model on answers of which some are simulated.
const ROUNDS: usize = 20;

/// How right the model's labels are against a draw, with labels to come.
pub fn accuracy_with(answers: &Answers, coming: &[Label], annotators: usize, truth: &[u16]) -> f64 {
    let mut labels: Vec<Label> = answers.iter().collect();
    labels.extend_from_slice(coming);
    let all = Answers::from_labels(answers.n_items(), annotators, answers.k(), &labels);
    let settings = Settings { cold_rounds: ROUNDS, ..Settings::default() };
    right(&Model::fitted(&all, &Known::default(), settings), truth, |_| true)
}

/// Questions of a batch as a share of the items: larger ones cost a strategy much of what it can do.
const BATCH: f64 = 0.2;

/// How right the model's labels are after these numbers of further labels (ascending), where a strategy asks the crowd as it is; the
/// labels are as the draw has them.
pub fn accuracy_by(
    answers: &Answers,
    draw: &Draw,
    habits: &Habits,
    strategy: Strategy,
    upto: &[u64],
    mut rng: ChaCha8Rng,
) -> Vec<f64> {
    let mut state = State::new(answers.clone());
    let mut model = Model::new(answers, Settings::default());
    let everybody = Channel { first_new: answers.n_annotators(), k: answers.k(), diagonal: 0.0, power: 1.0 };
    let batch = ((BATCH * answers.n_items() as f64) as usize).max(1);
    let (start, seed) = (answers.n_labels(), rng.random());
    let mut p = vec![0.0; answers.k()];
    let mut out = Vec::with_capacity(upto.len());
    for &more in upto {
        while state.answers.n_labels() < start + more as usize {
            model.fit(&state.answers, &state.known);
            let want = Want::Questions(batch.min(start + more as usize - state.answers.n_labels()));
            let asked = picks(&state, &model, &Options { strategy, want, seed, ..Options::default() });
            if asked.is_empty() {
                break; // everybody was asked
            }
            for pick in asked {
                everybody.of_label(draw, habits, pick.item as usize, pick.annotator, &mut p);
                let class = drawn(&p, &mut rng) as u16;
                state.tell(Label { item: pick.item, annotator: pick.annotator, class }, None, 0.0);
            }
            state.batch += 1;
        }
        let settings = Settings { cold_rounds: ROUNDS, ..Settings::default() };
        out.push(right(&Model::fitted(&state.answers, &Known::default(), settings), &draw.truth, |_| true));
    }
    out
}

/// How right a model's labels of some items are against a draw; ties are shared.
pub fn right(model: &Model, truth: &[u16], of: impl Fn(usize) -> bool) -> f64 {
    let (mut n, mut right) = (0usize, 0.0);
    for (item, &class) in truth.iter().enumerate().filter(|(n, _)| of(*n)) {
        n += 1;
        right += credit(model.posterior(item), class as usize);
    }
    right / n.max(1) as f64
}
