//! The policies: which arm next, given the rewards so far.

use crowdwise_core::{Error, Problems};
use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution};
use serde::{Deserialize, Serialize};

/// How the next arm is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "policy")]
pub enum Policy {
    /// The largest mean + sqrt(2 ln t / n) (Auer, Cesa-Bianchi and Fischer 2002).
    Ucb1,
    /// The largest mean that the rewards do not contradict: n KL(mean, bound) = ln t (Garivier and Cappé 2011).
    KlUcb,
    /// The largest draw from Beta(1 + right, 1 + wrong) (Thompson 1933).
    Thompson,
    /// The best mean, or a random arm with this probability.
    EpsilonGreedy {
        /// Probability of a random arm.
        epsilon: f64,
    },
    /// Every arm so many times, then the best mean for ever.
    ExploreThenCommit {
        /// Pulls of each arm before the best is taken.
        pulls: u64,
    },
    /// Fractional KUBE: the largest (mean + sqrt(2 ln t / n)) / price (Tran-Thanh, Chapman, Rogers and Jennings 2012).
    Kube,
    /// Any arm.
    Random,
}

impl Policy {
    /// All, each with its usual parameters.
    pub const ALL: [Policy; 7] = [
        Policy::Ucb1,
        Policy::KlUcb,
        Policy::Thompson,
        Policy::EpsilonGreedy { epsilon: 0.1 },
        Policy::ExploreThenCommit { pulls: 50 },
        Policy::Kube,
        Policy::Random,
    ];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Ucb1 => "ucb1",
            Policy::KlUcb => "kl-ucb",
            Policy::Thompson => "thompson",
            Policy::EpsilonGreedy { .. } => "epsilon-greedy",
            Policy::ExploreThenCommit { .. } => "explore-then-commit",
            Policy::Kube => "kube",
            Policy::Random => "random",
        }
    }

    pub fn check(self) -> Result<(), Error> {
        let mut problems = Problems::default();
        match self {
            Policy::EpsilonGreedy { epsilon } => problems.within("epsilon", epsilon, 0.0, 1.0),
            Policy::ExploreThenCommit { pulls } => problems.count("pulls", pulls as usize),
            _ => {}
        }
        Error::all(problems.0)
    }
}

/// What is known of an arm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arm {
    /// How often it was pulled.
    pub pulls: f64,
    /// Sum of its rewards, each from 0 to 1.
    pub reward: f64,
    pub price: f64,
}

impl Arm {
    /// Mean reward; 0 before the first.
    pub fn mean(&self) -> f64 {
        if self.pulls > 0.0 { self.reward / self.pulls } else { 0.0 }
    }

    /// Mean and Hoeffding's bonus at time `t`.
    fn bound(&self, t: f64) -> f64 {
        self.mean() + (2.0 * t.ln() / self.pulls).sqrt()
    }
}

/// A bandit that is asked for an arm and told the reward.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bandit {
    pub policy: Policy,
    pub arms: Vec<Arm>,
    /// Pulls a random arm with probability t^(-1/3): rewards that are estimates can be wrong for an arm that is never pulled.
    pub forced: bool,
}

impl Bandit {
    /// A bandit before the first pull; one arm for each price.
    pub fn new(policy: Policy, prices: &[f64]) -> Result<Bandit, Error> {
        policy.check()?;
        let mut problems = Problems::default();
        problems.require(!prices.is_empty(), "prices", "empty", "at least one price, one for each annotator");
        for (j, &price) in prices.iter().enumerate() {
            problems.positive(&format!("price of annotator {}", j + 1), price);
        }
        Error::all(problems.0)?;
        let arm = |&price: &f64| Arm { pulls: 0.0, reward: 0.0, price };
        Ok(Bandit { policy, arms: prices.iter().map(arm).collect(), forced: false })
    }

    /// The same for rewards that are estimated and may be revised.
    #[must_use]
    pub fn with_forced_exploration(mut self) -> Bandit {
        self.forced = true;
        self
    }

    /// Pulls so far.
    pub fn t(&self) -> f64 {
        self.arms.iter().map(|a| a.pulls).sum()
    }

    /// The next arm among those that can be pulled; none if none can. Ties go to the first.
    pub fn choose(&self, can: impl Fn(usize) -> bool, rng: &mut impl Rng) -> Option<usize> {
        let open: Vec<usize> = (0..self.arms.len()).filter(|&j| can(j)).collect();
        if open.is_empty() {
            return None;
        }
        let t = self.t() + 1.0;
        let any = |rng: &mut dyn Rng| open[rng.random_range(0..open.len())];
        if self.forced && rng.random::<f64>() < t.powf(-1.0 / 3.0) {
            return Some(any(rng));
        }
        let best = |score: &mut dyn FnMut(&Arm) -> f64| {
            let mut best = (f64::NEG_INFINITY, open[0]);
            for &j in &open {
                let s = score(&self.arms[j]);
                if s > best.0 {
                    best = (s, j);
                }
            }
            Some(best.1)
        };
        // who was never asked is asked first, where the policy weighs what it has seen
        let new = open.iter().copied().find(|&j| self.arms[j].pulls == 0.0);
        match self.policy {
            Policy::Random => Some(any(rng)),
            Policy::Thompson => best(&mut |a| {
                let (right, wrong) = (1.0 + a.reward, 1.0 + (a.pulls - a.reward).max(0.0));
                Beta::new(right, wrong).map_or(0.5, |beta| beta.sample(rng))
            }),
            Policy::EpsilonGreedy { epsilon } if rng.random::<f64>() < epsilon => Some(any(rng)),
            Policy::ExploreThenCommit { pulls } => {
                let few = open.iter().copied().find(|&j| self.arms[j].pulls < pulls as f64);
                few.or_else(|| best(&mut Arm::mean))
            }
            _ if new.is_some() => new,
            Policy::EpsilonGreedy { .. } => best(&mut Arm::mean),
            Policy::Ucb1 => best(&mut |a| a.bound(t)),
            Policy::Kube => best(&mut |a| a.bound(t) / a.price),
            Policy::KlUcb => best(&mut |a| kl_bound(a.mean(), t.ln() / a.pulls)),
        }
    }

    /// What the pull of an arm gave, from 0 to 1.
    pub fn tell(&mut self, arm: usize, reward: f64) {
        self.arms[arm].pulls += 1.0;
        self.arms[arm].reward += reward;
    }

    /// Replaces the sums of the rewards: estimates after a refit.
    pub fn revise(&mut self, rewards: &[f64]) {
        self.arms.iter_mut().zip(rewards).for_each(|(a, r)| a.reward = *r);
    }
}

/// KL(p, q) of two coins.
fn kl(p: f64, q: f64) -> f64 {
    let part = |a: f64, b: f64| if a > 0.0 { a * (a / b).ln() } else { 0.0 };
    part(p, q) + part(1.0 - p, 1.0 - q)
}

/// The largest q with KL(mean, q) at most `most`.
fn kl_bound(mean: f64, most: f64) -> f64 {
    let mean = mean.clamp(0.0, 1.0);
    if mean >= 1.0 {
        return 1.0;
    }
    crowdwise_numerics::bisect(mean, 1.0, 40, |q| kl(mean, q) < most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crowdwise_numerics::stream;

    #[test]
    fn kl_bounds_are_roots() {
        // KL(.5, q) = -ln(2 sqrt(q (1 - q))): at q = .9 it is ln(1 / .6)
        assert!((kl_bound(0.5, (1.0f64 / 0.6).ln()) - 0.9).abs() < 1e-9);
        assert!((kl_bound(0.0, 1.0) - (1.0 - (-1.0f64).exp())).abs() < 1e-9);
        assert_eq!(kl_bound(1.0, 0.3), 1.0);
    }

    #[test]
    fn scores_choose_by_hand() {
        let arms = |policy: Policy, all: &[(f64, f64, f64)]| Bandit {
            policy,
            arms: all.iter().map(|&(pulls, reward, price)| Arm { pulls, reward, price }).collect(),
            forced: false,
        };
        let mut rng = stream(1, "bandit", 0);
        let mut choice = |b: &Bandit| b.choose(|_| true, &mut rng).unwrap();
        // t = 105: .7 + sqrt(2 ln 105 / 100) = 1.005, .5 + sqrt(2 ln 105 / 4) = 2.03
        let two = [(100.0, 70.0, 1.0), (4.0, 2.0, 1.0)];
        assert_eq!(choice(&arms(Policy::Ucb1, &two)), 1);
        // KL(.7, q) = ln(105) / 100 at q = .837; KL(.5, q) = ln(105) / 4 at q = .975
        assert_eq!(choice(&arms(Policy::KlUcb, &two)), 1);
        assert_eq!(choice(&arms(Policy::EpsilonGreedy { epsilon: 0.0 }, &two)), 0);
        assert_eq!(choice(&arms(Policy::ExploreThenCommit { pulls: 5 }, &two)), 1);
        assert_eq!(choice(&arms(Policy::ExploreThenCommit { pulls: 4 }, &two)), 0);
        // by price: 1.005 / 1 against 2.03 / 3
        assert_eq!(choice(&arms(Policy::Kube, &[(100.0, 70.0, 1.0), (4.0, 2.0, 3.0)])), 0);
        // never asked, and not available
        let three = arms(Policy::Ucb1, &[(3.0, 3.0, 1.0), (0.0, 0.0, 1.0), (9.0, 1.0, 1.0)]);
        assert_eq!(choice(&three), 1);
        let mut rng = stream(2, "bandit", 0);
        assert_eq!(three.choose(|j| j == 2, &mut rng), Some(2));
        assert_eq!(three.choose(|_| false, &mut rng), None);
    }

    #[test]
    fn bad_prices_and_parameters_are_refused() {
        let said = Bandit::new(Policy::Kube, &[1.0, 0.0, f64::NAN]).unwrap_err().to_string();
        assert!(said.contains("annotator 2") && said.contains("annotator 3"), "{said}");
        assert!(Bandit::new(Policy::Ucb1, &[]).is_err());
        assert!(Bandit::new(Policy::EpsilonGreedy { epsilon: 1.5 }, &[1.0]).is_err());
    }
}
