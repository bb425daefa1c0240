//! Playing a bandit, and what it lost against knowing who is best.

use super::policy::Bandit;
use crowdwise_core::stream;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

/// Where rewards come from.
pub trait World {
    /// Mean reward of every arm, known afterwards only.
    fn means(&self) -> Vec<f64>;
    /// How often each arm can still be pulled.
    fn left(&self, arm: usize) -> u64;
    /// One pull. `None`: the reward is not known yet; [`World::revised`] tells it later.
    fn pull(&mut self, arm: usize, rng: &mut dyn Rng) -> Option<f64>;
    /// Sums of all rewards by arm, where they have been estimated again since the last call.
    fn revised(&mut self) -> Option<Vec<f64>> {
        None
    }
}

/// Arms that are right with fixed probabilities, as often as one likes.
#[derive(Clone, Debug, PartialEq)]
pub struct Bernoulli(pub Vec<f64>);

impl World for Bernoulli {
    fn means(&self) -> Vec<f64> {
        self.0.clone()
    }

    fn left(&self, _: usize) -> u64 {
        u64::MAX
    }

    fn pull(&mut self, arm: usize, rng: &mut dyn Rng) -> Option<f64> {
        Some(f64::from(u8::from(rng.random::<f64>() < self.0[arm])))
    }
}

/// How long is played: whichever ends first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pulls {
    pub most: u64,
    /// Money for the prices of the arms.
    pub money: f64,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regret {
    /// Pulls of every arm.
    pub pulls: Vec<u64>,
    pub spent: f64,
    /// Sum of the mean rewards of the arms pulled.
    pub earned: f64,
    /// What the best arms would have earned: with the same number of pulls where that ended the run, else for the same money by
    /// reward per price (a fractional knapsack). An arm gives no more than it has.
    pub best: f64,
    /// What was lost up to each of these pulls, as (pull, regret).
    pub course: Vec<(u64, f64)>,
}

impl Regret {
    /// What was lost.
    pub fn total(&self) -> f64 {
        self.best - self.earned
    }
}

/// Points of the course that are kept.
const POINTS: u64 = 100;

/// Plays until pulls, money or arms are used up.
pub fn play(bandit: &mut Bandit, world: &mut impl World, pulls: Pulls, seed: u64) -> Regret {
    let mut rng = stream(seed, "bandit", 0);
    let means = world.means();
    let prices: Vec<f64> = bandit.arms.iter().map(|a| a.price).collect();
    let room: Vec<f64> = (0..prices.len()).map(|j| world.left(j) as f64).collect();
    let mut out = Regret { pulls: vec![0; prices.len()], spent: 0.0, earned: 0.0, best: 0.0, course: Vec::new() };
    let free = prices.iter().all(|p| *p == prices[0]) || !pulls.money.is_finite();
    // where all cost the same, money is a number of pulls
    let most = if free && pulls.money.is_finite() {
        pulls.most.min((pulls.money / prices[0] + 1e-9).floor() as u64)
    } else {
        pulls.most
    };
    let cheapest = prices.iter().copied().fold(f64::INFINITY, f64::min);
    let every = (most.min((pulls.money / cheapest) as u64) / POINTS).max(1);
    let best = |t: u64, money: f64| {
        if free {
            best_of(&means, &vec![1.0; means.len()], &room, t as f64)
        } else {
            best_of(&means, &prices, &room, money)
        }
    };
    let mut t = 0;
    while t < most {
        let can = |j: usize| world.left(j) > 0 && out.spent + prices[j] <= pulls.money * (1.0 + 1e-12);
        let Some(arm) = bandit.choose(can, &mut rng) else { break };
        match world.pull(arm, &mut rng) {
            Some(reward) => bandit.tell(arm, reward),
            // counted with what the arm is known for, until it is estimated
            None => bandit.tell(arm, bandit.arms[arm].mean()),
        }
        if let Some(sums) = world.revised() {
            bandit.revise(&sums);
        }
        t += 1;
        out.pulls[arm] += 1;
        out.spent += prices[arm];
        out.earned += means[arm];
        if t.is_multiple_of(every) {
            out.course.push((t, best(t, out.spent) - out.earned));
        }
    }
    // money that was left over because nobody is so cheap does not count as lost
    out.best = best(t, out.spent);
    out
}

/// The most that a budget can earn: by reward per price, a fraction of the last arm.
fn best_of(means: &[f64], prices: &[f64], room: &[f64], mut budget: f64) -> f64 {
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&a, &b| (means[b] / prices[b]).total_cmp(&(means[a] / prices[a])));
    let mut out = 0.0;
    for j in order {
        let n = (budget / prices[j]).min(room[j]);
        out += n * means[j];
        budget -= n * prices[j];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Policy;
    use super::*;

    const SEEDS: u64 = 5;

    fn ten() -> Vec<f64> {
        (0..10).map(|j| 0.5 + 0.05 * j as f64).collect()
    }

    fn regret(policy: Policy, prices: &[f64], pulls: Pulls) -> f64 {
        let one = |seed| {
            let mut bandit = Bandit::new(policy, prices).unwrap();
            play(&mut bandit, &mut Bernoulli(ten()), pulls, seed).total()
        };
        (0..SEEDS).map(one).sum::<f64>() / SEEDS as f64
    }

    /// Ten arms from .5 to .95, 5,000 pulls; an independent program measured 350 (UCB1), 32 (Thompson), 1123 (random; 1125 is
    /// expected).
    #[test]
    fn ten_arms() {
        let all = Pulls { most: 5000, money: f64::INFINITY };
        let of = |policy: Policy| regret(policy, &[1.0; 10], all);
        let (ucb, kl, thompson, random) =
            (of(Policy::Ucb1), of(Policy::KlUcb), of(Policy::Thompson), of(Policy::Random));
        assert!((250.0..450.0).contains(&ucb), "{ucb}");
        assert!((10.0..90.0).contains(&thompson), "{thompson}");
        assert!((random - 1125.0).abs() < 25.0, "{random}");
        assert!(thompson < kl && kl < ucb, "{thompson} {kl} {ucb}");
        // with the same price for all, KUBE is UCB1
        assert_eq!(of(Policy::Kube), ucb);
        // a tenth of 5,000 pulls is random: at least 112
        let greedy = of(Policy::EpsilonGreedy { epsilon: 0.1 });
        assert!((110.0..400.0).contains(&greedy), "{greedy}");
        // 50 pulls of each cost 50 x 2.25 = 112.5 before anything is learned
        let commit = of(Policy::ExploreThenCommit { pulls: 50 });
        assert!((112.0..500.0).contains(&commit), "{commit}");
    }

    #[test]
    fn money_is_spent_on_reward_per_price() {
        // the best arm by reward per price is the first: .5 / 1 against .95 / 4.6
        let prices: Vec<f64> = (0..10).map(|j| 1.0 + 0.4 * j as f64).collect();
        let pulls = Pulls { most: u64::MAX, money: 3000.0 };
        let mut bandit = Bandit::new(Policy::Kube, &prices).unwrap();
        let run = play(&mut bandit, &mut Bernoulli(ten()), pulls, 1);
        assert!(run.spent <= 3000.0 && run.spent > 3000.0 - prices[9]);
        assert!((run.best - 0.5 * run.spent).abs() < 1e-9);
        let (kube, ucb, random) = (
            regret(Policy::Kube, &prices, pulls),
            regret(Policy::Ucb1, &prices, pulls),
            regret(Policy::Random, &prices, pulls),
        );
        assert!(kube < 0.5 * random && kube < ucb, "{kube} {ucb} {random}");
        assert!(run.course.len() >= 50 && run.course.windows(2).all(|w| w[1].0 > w[0].0));
    }

    #[test]
    fn knapsacks_by_hand() {
        // 3 of the first (1 each), then 2.5 of the second (2 each)
        assert!((best_of(&[0.8, 0.9], &[1.0, 2.0], &[3.0, 9.0], 8.0) - (2.4 + 2.5 * 0.9)).abs() < 1e-12);
        assert!((best_of(&[0.8, 0.9], &[1.0, 1.0], &[9.0, 4.0], 5.0) - (4.0 * 0.9 + 0.8)).abs() < 1e-12);
    }
}
