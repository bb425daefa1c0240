//! Any strategy on recorded answers: what it would have asked, and how right the labels would have been after every batch.
//!
//! Only recorded pairs can be asked, each costs one label, and every strategy of an ordering begins with the same random labels. Items
//! whose answers are all used are no longer asked for, so that all curves end with all labels and can be compared on one axis.

mod curve;

pub use curve::{Comparison, INTERVAL, MeanPoint, Outcome, compare};

use crate::answers::{Answers, Label};
use crate::model::{Known, Model, Settings};
use crate::next::{Options, Want, credit, picks};
use crate::state::{Allowed, State};
use crate::strategy::Strategy;
use crowdwise_numerics::stream;
use rand::seq::SliceRandom;
use rayon::prelude::*;

/// How recorded answers are replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// Random labels of every item to begin with.
    pub start: usize,
    /// Questions of a batch as a share of the items …
    pub batch: f64,
    /// … or of the labels so far, whichever is more.
    pub growth: f64,
    /// Labels after which a replay ends; `None`: all.
    pub budget: Option<usize>,
    pub orderings: u64,
    pub seed: u64,
}

impl Default for Course {
    fn default() -> Self {
        Course { start: 1, batch: 0.1, growth: 0.04, budget: None, orderings: 10, seed: 0 }
    }
}

/// Accuracy after every batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Labels so far, and accuracy.
    pub points: Vec<(usize, f64)>,
}

/// Recorded answers whose truth is known for some items.
#[derive(Clone, Debug)]
pub struct Replay {
    recorded: Answers,
    allowed: Allowed,
    /// Items whose truth is known, and their class.
    truth: Vec<(usize, usize)>,
    /// What is known beside the answers.
    pub known: Known,
    pub settings: Settings,
}

impl Replay {
    /// Items without answers are left out of the start, of the batches and of the accuracy. Of two answers of an annotator to an item
    /// one is kept.
    pub fn new(recorded: &Answers, truth: &[(u32, u16)]) -> Replay {
        let mut once: Vec<Label> = recorded.iter().collect();
        once.reverse();
        once.dedup_by_key(|l| (l.item, l.annotator));
        let recorded = Answers::from_labels(recorded.n_items(), recorded.n_annotators(), recorded.k(), &once);
        let labelled = |&&(item, _): &&(u32, u16)| recorded.degree(item as usize) > 0;
        let truth = truth.iter().filter(labelled).map(|&(i, c)| (i as usize, c as usize)).collect();
        let allowed = Allowed::recorded(&recorded);
        Replay { recorded, allowed, truth, known: Known::default(), settings: Settings::default() }
    }

    /// Labels that can be asked.
    pub fn n_labels(&self) -> usize {
        self.recorded.n_labels()
    }

    /// Items that can be asked about.
    pub fn n_items(&self) -> usize {
        self.recorded.n_labelled()
    }

    /// Share of the known items that a model has right, ties shared.
    pub fn accuracy(&self, model: &Model) -> f64 {
        let hits: f64 = self.truth.iter().map(|&(i, t)| credit(model.posterior(i), t)).sum();
        hits / self.truth.len().max(1) as f64
    }

    /// Accuracy with all labels.
    pub fn final_accuracy(&self) -> f64 {
        let settings = Settings { cold_rounds: 60, ..self.settings };
        self.accuracy(&Model::fitted(&self.recorded, &self.known, settings))
    }

    /// The answer that was recorded.
    fn answer(&self, item: u32, annotator: u32) -> Option<Label> {
        let (who, what) = self.recorded.of(item as usize);
        who.binary_search(&annotator).ok().map(|at| Label { item, annotator, class: what[at] })
    }

    /// The answers to begin with: so many random ones of every item.
    fn start(&self, n: usize, seed: u64) -> Answers {
        let mut labels = Vec::new();
        for item in 0..self.recorded.n_items() {
            let (who, what) = self.recorded.of(item);
            let mut order: Vec<usize> = (0..who.len()).collect();
            order.shuffle(&mut stream(seed, "replay start", item as u64));
            let label = |at: usize| Label { item: item as u32, annotator: who[at], class: what[at] };
            labels.extend(order.into_iter().take(n).map(label));
        }
        Answers::from_labels(self.recorded.n_items(), self.recorded.n_annotators(), self.recorded.k(), &labels)
    }

    /// One replay of a strategy. `options` but for strategy, want and seed; `ordering` decides all that is random.
    pub fn run(&self, options: &Options, how: &Course, ordering: u64) -> Curve {
        let seed = how.seed.wrapping_mul(1_000_003).wrapping_add(ordering);
        let mut state = State::new(self.start(how.start, seed));
        state.allowed = Some(self.allowed.clone());
        state.known.clone_from(&self.known);
        let mut model = Model::new(&state.answers, self.settings);
        let budget = how.budget.unwrap_or(usize::MAX).min(self.n_labels());
        let mut curve = Curve::default();
        loop {
            model.fit(&state.answers, &state.known);
            let labels = state.answers.n_labels();
            curve.points.push((labels, self.accuracy(&model)));
            if labels >= budget {
                return curve;
            }
            let batch = (how.batch * self.n_items() as f64).max(how.growth * labels as f64).max(1.0) as usize;
            let want = Want::Questions(batch.min(budget - labels));
            let asked = picks(&state, &model, &Options { want, seed, ..*options });
            if asked.is_empty() {
                return curve; // the strategy stops here
            }
            for pick in asked {
                let label = self.answer(pick.item, pick.annotator).expect("only recorded pairs are asked");
                state.tell(label, None, 0.0);
            }
            state.batch += 1;
        }
    }

    /// Replays of several strategies: curves by strategy and ordering.
    pub fn curves(&self, strategies: &[Strategy], options: &Options, how: &Course) -> Vec<Vec<Curve>> {
        let n = how.orderings as usize;
        let mut all: Vec<Curve> = (0..strategies.len() * n)
            .into_par_iter()
            .map(|at| {
                let options = Options { strategy: strategies[at / n], ..*options };
                self.run(&options, how, (at % n) as u64)
            })
            .collect();
        let mut out = Vec::new();
        for _ in strategies {
            let rest = all.split_off(n);
            out.push(std::mem::replace(&mut all, rest));
        }
        out
    }
}
