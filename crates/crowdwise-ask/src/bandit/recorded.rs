//! Recorded answers in the place of annotators: what a bandit would have made of them.

use super::regret::World;
use crate::answers::{Answers, Label};
use crate::model::{Known, Model, Settings};
use crowdwise_core::{Error, stream};
use rand::Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// What a label earns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewards {
    /// 1 if it is right, told at once.
    Gold,
    /// The probability that it is right under the model of all labels so far, told again after every so many labels. Items are
    /// asked in one order for all, so that their labels can be compared.
    Posterior {
        /// Labels between two fits.
        batch: usize,
    },
}

/// Recorded labels of items whose truth is known. An annotator who is asked labels the next of the items that they have
/// labelled, in one random order of the items.
#[derive(Clone, Debug)]
pub struct Recorded {
    truth: Vec<Option<u16>>,
    rewards: Rewards,
    /// Labels of every annotator in the order in which they are given, the next one last.
    ahead: Vec<Vec<Label>>,
    means: Vec<f64>,
    given: Answers,
    pulled: Vec<Label>,
    model: Option<Model>,
}

impl Recorded {
    pub fn new(answers: &Answers, truth: &[Option<u16>], rewards: Rewards, seed: u64) -> Result<Recorded, Error> {
        let mut order: Vec<u32> = (0..answers.n_items() as u32).collect();
        order.shuffle(&mut stream(seed, "order of items", 0));
        let mut ahead = vec![Vec::new(); answers.n_annotators()];
        let mut right = vec![0u64; answers.n_annotators()];
        for &item in order.iter().rev() {
            let Some(Some(class)) = truth.get(item as usize) else { continue };
            let (who, what) = answers.of(item as usize);
            for (&annotator, &said) in who.iter().zip(what) {
                ahead[annotator as usize].push(Label { item, annotator, class: said });
                right[annotator as usize] += u64::from(said == *class);
            }
        }
        if ahead.iter().all(Vec::is_empty) {
            return Err(Error::Unsupported {
                what: "no item with known truth has an answer: there is nothing to replay".into(),
                hint: None,
            });
        }
        let mean = |(n, &r): (&Vec<Label>, &u64)| if n.is_empty() { 0.0 } else { r as f64 / n.len() as f64 };
        let means = ahead.iter().zip(&right).map(mean).collect();
        let given = Answers::new(answers.n_items(), answers.n_annotators(), answers.k());
        Ok(Recorded { truth: truth.to_vec(), rewards, ahead, means, given, pulled: Vec::new(), model: None })
    }

    /// Labels that can be given in all.
    pub fn n_labels(&self) -> usize {
        self.pulled.len() + self.ahead.iter().map(Vec::len).sum::<usize>()
    }

    fn is_right(&self, l: Label) -> bool {
        self.truth[l.item as usize] == Some(l.class)
    }
}

impl World for Recorded {
    fn means(&self) -> Vec<f64> {
        self.means.clone()
    }

    fn left(&self, arm: usize) -> u64 {
        self.ahead[arm].len() as u64
    }

    fn pull(&mut self, arm: usize, _: &mut dyn Rng) -> Option<f64> {
        let label = self.ahead[arm].pop()?;
        self.pulled.push(label);
        if self.rewards == Rewards::Gold {
            return Some(f64::from(u8::from(self.is_right(label))));
        }
        self.given.add(label);
        None
    }

    fn revised(&mut self) -> Option<Vec<f64>> {
        let Rewards::Posterior { batch } = self.rewards else { return None };
        if !self.pulled.len().is_multiple_of(batch.max(1)) {
            return None;
        }
        let model = self.model.get_or_insert_with(|| Model::new(&self.given, Settings::default()));
        model.fit(&self.given, &Known::default());
        let mut sums = vec![0.0; self.means.len()];
        for l in &self.pulled {
            sums[l.annotator as usize] += model.posterior(l.item as usize)[l.class as usize];
        }
        Some(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bandit, Policy, Pulls, play};
    use super::*;
    use rand::RngExt;

    /// 400 items of two classes, eight annotators right with .55 to .9 on 300 of them each.
    fn crowd(seed: u64) -> (Answers, Vec<Option<u16>>) {
        let mut rng = stream(seed, "crowd", 0);
        let truth: Vec<Option<u16>> = (0..400).map(|_| Some(rng.random_range(0..2))).collect();
        let mut labels = Vec::new();
        for annotator in 0..8u32 {
            for (item, t) in truth.iter().enumerate() {
                if rng.random::<f64>() < 0.75 {
                    let t = t.expect("all are known");
                    let class = if rng.random::<f64>() < 0.55 + 0.05 * annotator as f64 { t } else { 1 - t };
                    labels.push(Label { item: item as u32, annotator, class });
                }
            }
        }
        (Answers::from_labels(400, 8, 2, &labels), truth)
    }

    #[test]
    fn replays_end_with_the_labels_and_lose_nothing_then() {
        let (answers, truth) = crowd(1);
        let mut world = Recorded::new(&answers, &truth, Rewards::Gold, 3).unwrap();
        let (all, means) = (world.n_labels(), world.means());
        assert_eq!(all, answers.n_labels());
        let mut bandit = Bandit::new(Policy::Ucb1, &[1.0; 8]).unwrap();
        let run = play(&mut bandit, &mut world, Pulls { most: u64::MAX, money: f64::INFINITY }, 3);
        assert_eq!(run.pulls.iter().sum::<u64>(), all as u64);
        assert!(run.total().abs() < 1e-6 * all as f64, "{}", run.total());
        // gold rewards of all labels are the recorded accuracies
        for (arm, mean) in bandit.arms.iter().zip(means) {
            assert!((arm.mean() - mean).abs() < 1e-12);
        }
    }

    /// Rewards that nobody knows: the model of the labels stands in for them, and loses less than half of what chance loses.
    #[test]
    fn posteriors_stand_in_for_gold() {
        let mean = |policy: Policy, rewards: Rewards| {
            let one = |seed: u64| {
                let (answers, truth) = crowd(seed);
                let mut world = Recorded::new(&answers, &truth, rewards, seed).unwrap();
                let bandit = Bandit::new(policy, &[1.0; 8]).unwrap();
                let forced = rewards != Rewards::Gold;
                let mut bandit = if forced { bandit.with_forced_exploration() } else { bandit };
                play(&mut bandit, &mut world, Pulls { most: 800, money: f64::INFINITY }, seed).total()
            };
            (0..6).map(one).sum::<f64>() / 6.0
        };
        let posterior = Rewards::Posterior { batch: 40 };
        let random = mean(Policy::Random, Rewards::Gold);
        let (gold, guessed) = (mean(Policy::Thompson, Rewards::Gold), mean(Policy::Thompson, posterior));
        assert!(gold < 0.5 * random && guessed < 0.6 * random, "{gold} {guessed} {random}");
    }

    #[test]
    fn nothing_to_replay_is_an_error() {
        let (answers, _) = crowd(1);
        let said = Recorded::new(&answers, &vec![None; 400], Rewards::Gold, 0).unwrap_err().to_string();
        assert!(said.contains("known truth"), "{said}");
    }
}
