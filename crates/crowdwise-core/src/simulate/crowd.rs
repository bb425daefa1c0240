//! The annotators and their true parameters.

use super::{SimModel, Simulation};
use crate::stream;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, Gamma, StandardNormal};
use serde::{Deserialize, Serialize};

/// What an annotator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Ordinary,
    Spammer,
    Adversary,
    Leader,
    Follower,
}

impl Role {
    /// As in JSON and in files.
    pub fn name(self) -> &'static str {
        match self {
            Role::Ordinary => "ordinary",
            Role::Spammer => "spammer",
            Role::Adversary => "adversary",
            Role::Leader => "leader",
            Role::Follower => "follower",
        }
    }
}

/// The true parameters of an annotator. Those that the model does not have are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrueAnnotator {
    pub annotator: usize,
    pub role: Role,
    /// Whom a follower copies.
    pub leader: Option<usize>,
    /// P(says l | truth k), K x K, row = truth (similarities: different, same; sets: no, yes; labelling-functions: what is missing to
    /// 1 is silence); a follower's own, when it does not copy.
    pub confusion: Option<Vec<f64>>,
    /// P(right) at the class shares of the simulation; of a labelling function, that a vote is right.
    pub accuracy: Option<f64>,
    pub competence: Option<f64>,
    pub ability: Option<f64>,
    /// Real values.
    pub bias: Option<f64>,
    pub sd: Option<f64>,
    /// Comparisons: what the difference of scores is multiplied by; 0 = guesses.
    pub sharpness: Option<f64>,
}

/// Draws the crowd. The parameters of annotator j depend on the seed and j only, not on the number of annotators.
pub fn crowd(s: &Simulation, seed: u64) -> Vec<TrueAnnotator> {
    let roles = roles(s, seed);
    let shares = s.shares();
    roles
        .into_iter()
        .enumerate()
        .map(|(j, (role, leader))| {
            let mut rng = stream(seed, "simulate-annotator", j as u64);
            let mut a = TrueAnnotator {
                annotator: j,
                role,
                leader,
                confusion: None,
                accuracy: None,
                competence: None,
                ability: None,
                bias: None,
                sd: None,
                sharpness: None,
            };
            match s.model {
                SimModel::Real => real(s, &mut a, &mut rng),
                SimModel::BradleyTerry | SimModel::Rankings => comparing(s, &mut a, &mut rng),
                SimModel::Glad => able(s, &mut a, &mut rng),
                SimModel::LowRank => habitual(s, &mut a, &mut rng),
                SimModel::LabellingFunctions => super::functions::draw(s, &mut a, &mut rng),
                _ => confused(s, &mut a, &mut rng),
            }
            if s.model == SimModel::Sets {
                // of all classes of an item together
                let yes = s.in_set().iter().sum::<f64>() / s.classes as f64;
                a.accuracy = a.confusion.as_ref().map(|c| (1.0 - yes) * c[0] + yes * c[3]);
            } else if s.model == SimModel::Similarities {
                // of different and of same pairs
                let same: f64 = shares.iter().map(|x| x * x).sum();
                a.accuracy = a.confusion.as_ref().map(|c| (1.0 - same) * c[0] + same * c[3]);
            } else if let Some(c) = a.confusion.as_ref().filter(|_| s.model != SimModel::LabellingFunctions) {
                a.accuracy = Some((0..s.classes).map(|k| shares[k] * c[k * s.classes + k]).sum());
            }
            a
        })
        .collect()
}

/// Exactly as many of each role as asked for, at random places.
fn roles(s: &Simulation, seed: u64) -> Vec<(Role, Option<usize>)> {
    let mut order: Vec<usize> = (0..s.annotators).collect();
    order.shuffle(&mut stream(seed, "simulate-roles", 0));
    let mut next = order.into_iter();
    let mut out = vec![(Role::Ordinary, None); s.annotators];
    let (spammers, adversaries, _) = s.special();
    next.by_ref().take(spammers).for_each(|j| out[j].0 = Role::Spammer);
    next.by_ref().take(adversaries).for_each(|j| out[j].0 = Role::Adversary);
    for _ in 0..s.copy_groups {
        let leader = next.next().expect("checked: the groups fit");
        out[leader].0 = Role::Leader;
        next.by_ref().take(s.copy_followers).for_each(|j| out[j] = (Role::Follower, Some(leader)));
    }
    out
}

fn confused(s: &Simulation, a: &mut TrueAnnotator, rng: &mut ChaCha8Rng) {
    let k = if matches!(s.model, SimModel::Similarities | SimModel::Sets) { 2 } else { s.classes };
    let mut c = vec![0.0; k * k];
    let even = |c: &mut [f64], truth: usize, p: f64| {
        c.fill((1.0 - p) / (k - 1) as f64);
        c[truth] = p;
    };
    match s.model {
        SimModel::OneCoin | SimModel::Similarities | SimModel::Sets => {
            let p = beta(s, rng);
            (0..k).for_each(|t| even(&mut c[t * k..(t + 1) * k], t, p));
        }
        SimModel::ConfusionVector => {
            (0..k).for_each(|t| even(&mut c[t * k..(t + 1) * k], t, beta(s, rng)));
        }
        SimModel::SpammerHammer => {
            let p = if rng.random::<f64>() < s.hammers { s.accuracy } else { 1.0 / k as f64 };
            (0..k).for_each(|t| even(&mut c[t * k..(t + 1) * k], t, p));
        }
        SimModel::Mace => {
            let knows = if a.role == Role::Spammer { 0.0 } else { beta(s, rng) };
            let habit = dirichlet(&vec![1.0; k], rng);
            a.competence = Some(knows);
            for t in 0..k {
                (0..k).for_each(|l| c[t * k + l] = (1.0 - knows) * habit[l]);
                c[t * k + t] += knows;
            }
        }
        _ => {
            for t in 0..k {
                let mut weight = vec![s.concentration * (1.0 - s.accuracy) / (k - 1) as f64; k];
                weight[t] = s.concentration * s.accuracy;
                c[t * k..(t + 1) * k].copy_from_slice(&dirichlet(&weight, rng));
            }
        }
    }
    match a.role {
        Role::Spammer if s.model != SimModel::Mace => spoil(&mut c, k, rng),
        Role::Adversary => {
            // never says what it believes, but one of the others; with two classes the labels are exchanged
            for x in &mut c {
                *x = (1.0 - *x) / (k - 1) as f64;
            }
        }
        _ => {}
    }
    a.confusion = Some(c);
}

/// Rows all alike: a habit drawn evenly from all habits.
fn spoil(c: &mut [f64], k: usize, rng: &mut ChaCha8Rng) {
    let habit = dirichlet(&vec![1.0; k], rng);
    c.chunks_exact_mut(k).for_each(|row| row.copy_from_slice(&habit));
}

/// Only spammers have a matrix.
fn habitual(s: &Simulation, a: &mut TrueAnnotator, rng: &mut ChaCha8Rng) {
    if a.role == Role::Spammer {
        let mut c = vec![0.0; s.classes * s.classes];
        spoil(&mut c, s.classes, rng);
        a.confusion = Some(c);
    }
}

fn able(s: &Simulation, a: &mut TrueAnnotator, rng: &mut ChaCha8Rng) {
    let ability = s.ability + s.ability_sd * rng.sample::<f64, _>(StandardNormal);
    match a.role {
        Role::Spammer => habitual(s, a, rng),
        Role::Adversary => a.ability = Some(-ability.abs()),
        _ => a.ability = Some(ability),
    }
}

fn real(s: &Simulation, a: &mut TrueAnnotator, rng: &mut ChaCha8Rng) {
    let bias = s.bias_sd * rng.sample::<f64, _>(StandardNormal);
    let sd = s.noise * (s.noise_spread * rng.sample::<f64, _>(StandardNormal)).exp();
    // a spammer has no bias or noise around the truth: it draws from the distribution of all truths
    if a.role != Role::Spammer {
        (a.bias, a.sd) = (Some(bias), Some(sd));
    }
}

fn comparing(s: &Simulation, a: &mut TrueAnnotator, rng: &mut ChaCha8Rng) {
    let sharp = (s.noise_spread * rng.sample::<f64, _>(StandardNormal)).exp();
    a.sharpness = Some(match a.role {
        Role::Spammer => 0.0,
        Role::Adversary => -sharp,
        _ => sharp,
    });
}

/// Beta with mean `accuracy`, worth `concentration` labels.
pub(super) fn beta(s: &Simulation, rng: &mut ChaCha8Rng) -> f64 {
    dirichlet(&[s.concentration * s.accuracy, s.concentration * (1.0 - s.accuracy)], rng)[0]
}

/// In logarithms, so that small weights never give a row of zeros: Gamma(a) = Gamma(a + 1) U^(1/a).
fn dirichlet(weight: &[f64], rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut x: Vec<f64> = weight
        .iter()
        .map(|&a| {
            let g: f64 = Gamma::new(a + 1.0, 1.0).expect("positive weight").sample(rng);
            let e: f64 = Exp1.sample(rng);
            g.ln() - e / a
        })
        .collect();
    crate::stats::softmax(&mut x);
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_as_many_as_asked_for_and_matrices_are_stochastic() {
        for model in [
            SimModel::DawidSkene,
            SimModel::OneCoin,
            SimModel::ConfusionVector,
            SimModel::SpammerHammer,
            SimModel::Mace,
            SimModel::Sequences,
        ] {
            let s = Simulation {
                model,
                annotators: 40,
                spammers: 0.25,
                adversaries: 0.1,
                copy_groups: 3,
                classes: 4,
                ..Simulation::default()
            };
            let all = crowd(&s, 5);
            let count = |r: Role| all.iter().filter(|a| a.role == r).count();
            assert_eq!(
                [count(Role::Spammer), count(Role::Adversary), count(Role::Leader), count(Role::Follower)],
                [10, 4, 3, 6]
            );
            for a in &all {
                let c = a.confusion.as_ref().unwrap();
                assert!(c.iter().all(|x| (0.0..=1.0).contains(x)));
                assert!(c.chunks(4).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
                if a.role == Role::Spammer {
                    assert!(c.chunks(4).all(|row| row.iter().zip(&c[..4]).all(|(x, y)| (x - y).abs() < 1e-12)));
                }
                if let Some(l) = a.leader {
                    assert_eq!(all[l].role, Role::Leader);
                }
            }
        }
    }

    #[test]
    fn names_are_those_of_json() {
        for m in SimModel::ALL {
            assert_eq!(serde_json::to_value(m).unwrap(), m.name());
        }
        for r in [Role::Ordinary, Role::Spammer, Role::Adversary, Role::Leader, Role::Follower] {
            assert_eq!(serde_json::to_value(r).unwrap(), r.name());
        }
    }

    #[test]
    fn ordinary_annotators_have_the_mean_accuracy_asked_for() {
        let s = Simulation { annotators: 4000, accuracy: 0.8, classes: 3, ..Simulation::default() };
        let mean = crowd(&s, 1).iter().map(|a| a.accuracy.unwrap()).sum::<f64>() / 4000.0;
        // sd of one: sqrt(0.16 / 11 / 3) = 0.07
        assert!((mean - 0.8).abs() < 0.005, "{mean}");
    }

    #[test]
    fn tiny_concentration_gives_no_zero_rows() {
        let s = Simulation { annotators: 200, concentration: 1e-3, ..Simulation::default() };
        assert!(crowd(&s, 2).iter().all(|a| a.confusion.as_ref().unwrap().iter().all(|x| x.is_finite())));
    }
}
